//! Joints and drivers as rows of two kinds.
//!
//! With frames A and B attached to the two bodies, `R = R_Aᵀ R_B` and `y = R_Aᵀ (x_B − x_A)`:
//!
//! ```text
//! position  φ = e_i · y − u                                                  (1)
//! crossing  φ = e_i · R e_j                                                  (2)
//! angle     φ = (−sin u, cos u, 0) · R e_1 = sin(θ − u)                      (3)
//! ```
//!
//! so a residual depends on relative motion only. Derivatives: [`crate::assembly`].
//!
//! Axes: a revolute joint turns about e3; a universal joint's first axis is e3 of A, its second
//! e2 of B; a prismatic joint slides along e1; a cylindrical joint turns about and slides along
//! e3. The multiplier of a row is the generalised force *of the joint on body B* along growing
//! φ with its sign reversed: the equations of motion carry `+ φ_qᵀ λ`.

use super::{FrameId, NodeId};
use crate::assembly::{Along, Turning};
use crate::group::Group;
use core::f64::consts::TAU;
use nalgebra::{SMatrix, SVector};

/// What a joint or force can be attached to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// The inertial frame.
    Ground,
    /// A node of the model.
    Node(NodeId),
    /// A frame with prescribed motion.
    Frame(FrameId),
}

/// A frame fixed to a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attachment<G> {
    /// The body.
    pub body: Body,
    /// Pose of the attached frame in the body's frame.
    pub frame: G,
}

impl<G> Attachment<G> {
    /// Frame `frame` on node `node`.
    pub fn node(node: NodeId, frame: G) -> Self {
        Self {
            body: Body::Node(node),
            frame,
        }
    }

    /// Frame `frame` fixed in the inertial frame.
    pub fn ground(frame: G) -> Self {
        Self {
            body: Body::Ground,
            frame,
        }
    }
}

/// Kinds of joints and drivers; indices are input channels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointKind {
    /// No relative motion.
    Fixed,
    /// Rotation about e3.
    Revolute,
    /// Two rotations: about e3 of A and about e2 of B (space only).
    Universal,
    /// Three rotations (in the plane: the same as revolute).
    Spherical,
    /// No common point, only e3 of A at right angles to e2 of B: with a spherical joint to a
    /// third body, a universal joint whose first axis is carried by another body (space only).
    Perpendicular,
    /// The same row, but the moment it carries acts about e1 of A instead of the normal of the two
    /// axes. Not a joint that does no work: for kinetostatic models published in this form.
    PerpendicularUpright,
    /// Translation along e1.
    Prismatic,
    /// Translation along and rotation about e3 (space only).
    Cylindrical,
    /// Driver: the rotation about e3 from A to B equals the input [rad]; add it to a joint that
    /// leaves this rotation free.
    PrescribedAngle(super::InputId),
    /// Driver: the origin of B, seen in A, equals the inputs [m]. Unused entries (plane) are
    /// ignored.
    PrescribedPosition([super::InputId; 3]),
    /// Driver: the displacement of B along e1 of A equals the input [m]; add it to a prismatic
    /// joint.
    PrescribedSlide(super::InputId),
    /// A massless rod, or a driver of its length: the distance of the two origins equals the
    /// input [m].
    Distance(super::InputId),
    /// The origin of B stays on the line along e1 of A: a pin in a slot.
    PointOnLine,
    /// The origin of B stays in the plane through A normal to e3 (space only).
    PointOnPlane,
    /// e3 of B along e3 of A and the origin of B in the plane normal to it: two slides and one
    /// rotation (space only).
    Planar,
    /// Translation along and rotation about e3, coupled (space only).
    Screw {
        /// Displacement per turn [m], not zero; positive for a right-handed thread.
        lead: f64,
    },
    /// A wheel on B, its centre the origin of B, rolls along e1 of A without slip; the line along
    /// e1 passes through the centre (plane only).
    Rolling {
        /// Radius of the wheel [m]; negative for a wheel below the line it rolls on.
        radius: f64,
    },
    /// A wheel on B meshes with one on A, or a belt joins them: B turns against A about e3 by `ratio`
    /// times the angle by which its origin goes around that of A. Other joints keep the distance of the
    /// origins and e3 of both parallel.
    Meshing {
        /// 1 + r_a/r_b for gears and crossed belts; 1 − r_a/r_b for a gear with the teeth inside A and
        /// for belts.
        ratio: f64,
    },
    /// Displacement and turn of B against A in the axes of A are such that a weighted sum of them vanishes:
    /// an interface that few shapes of a body move. The turn is half the axial vector of R − Rᵀ.
    Proportional {
        /// Weights of the displacements [1/m] and turns [1/rad]; three in the plane.
        weights: [f64; 6],
    },
}

impl JointKind {
    /// Name for messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute => "revolute",
            Self::Universal => "universal",
            Self::Spherical => "spherical",
            Self::Perpendicular => "perpendicular",
            Self::PerpendicularUpright => "perpendicular with an upright moment",
            Self::Prismatic => "prismatic",
            Self::Cylindrical => "cylindrical",
            Self::PrescribedAngle(_) => "prescribed angle",
            Self::PrescribedPosition(_) => "prescribed position",
            Self::PrescribedSlide(_) => "prescribed slide",
            Self::Distance(_) => "distance",
            Self::PointOnLine => "point on a line",
            Self::PointOnPlane => "point in a plane",
            Self::Planar => "planar",
            Self::Screw { .. } => "screw",
            Self::Rolling { .. } => "rolling",
            Self::Meshing { .. } => "meshing",
            Self::Proportional { .. } => "proportional",
        }
    }

    /// The constraint rows in a space of dimension `dimension`.
    pub(crate) fn rows(&self, dimension: usize) -> Vec<ConstraintRow> {
        use ConstraintRow::{Angle, Crossing, Position, Upright};
        let position = |axis| Position { axis, input: None };
        let all_positions = || (0..dimension).map(position);
        let crossing = |axis_a, axis_b| Crossing { axis_a, axis_b };
        let same_attitude = || match dimension {
            2 => vec![crossing(0, 1)],
            _ => vec![crossing(0, 1), crossing(1, 2), crossing(2, 0)],
        };
        let parallel_e3 = || match dimension {
            2 => vec![],
            _ => vec![crossing(2, 0), crossing(2, 1)],
        };
        match *self {
            Self::Fixed => all_positions().chain(same_attitude()).collect(),
            Self::Revolute => all_positions().chain(parallel_e3()).collect(),
            Self::Universal => all_positions().chain([crossing(2, 1)]).collect(),
            Self::Spherical => all_positions().collect(),
            Self::Perpendicular => vec![crossing(2, 1)],
            Self::PerpendicularUpright => vec![Upright {
                axis_a: 2,
                axis_b: 1,
                moment_axis: 0,
            }],
            Self::Prismatic => (1..dimension)
                .map(position)
                .chain(same_attitude())
                .collect(),
            Self::Cylindrical => (0..2).map(position).chain(parallel_e3()).collect(),
            Self::PrescribedAngle(input) => vec![Angle { input: input.0 }],
            Self::PrescribedPosition(inputs) => (0..dimension)
                .map(|axis| Position {
                    axis,
                    input: Some(inputs[axis].0),
                })
                .collect(),
            Self::PrescribedSlide(input) => vec![Position {
                axis: 0,
                input: Some(input.0),
            }],
            Self::Distance(input) => vec![ConstraintRow::Distance { input: input.0 }],
            Self::PointOnLine => (1..dimension).map(position).collect(),
            Self::PointOnPlane => vec![position(dimension - 1)],
            Self::Planar => [position(dimension - 1)]
                .into_iter()
                .chain(parallel_e3())
                .collect(),
            Self::Screw { lead } => {
                let turning = Turning {
                    along: Along::Axis(dimension - 1),
                    per_length: TAU / lead,
                    offset: 0.0,
                };
                let rows = (0..2).map(position).chain(parallel_e3());
                rows.chain([ConstraintRow::Turning(turning)]).collect()
            }
            Self::Rolling { radius } => {
                let turning = Turning {
                    along: Along::Axis(0),
                    per_length: -1.0 / radius,
                    offset: 0.0,
                };
                vec![position(1), ConstraintRow::Turning(turning)]
            }
            Self::Proportional { weights } => vec![ConstraintRow::Sum { weights }],
            Self::Meshing { ratio } => vec![ConstraintRow::Turning(Turning {
                along: Along::Direction,
                per_length: ratio,
                offset: 0.0,
            })],
        }
    }

    /// Input channels used, in the order of the rows.
    pub(crate) fn inputs(&self, dimension: usize) -> Vec<usize> {
        self.rows(dimension)
            .iter()
            .filter_map(ConstraintRow::input)
            .collect()
    }
}

/// One scalar constraint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ConstraintRow {
    /// Eq. (1).
    Position { axis: usize, input: Option<usize> },
    /// Eq. (2).
    Crossing { axis_a: usize, axis_b: usize },
    /// Eq. (2), carrying a moment about `moment_axis` of A.
    Upright {
        axis_a: usize,
        axis_b: usize,
        moment_axis: usize,
    },
    /// Eq. (3).
    Angle { input: usize },
    /// Distance of the origins.
    Distance { input: usize },
    /// A turn that goes with a displacement.
    Turning(Turning),
    /// Weighted sum of displacements and turns.
    Sum { weights: [f64; 6] },
}

impl ConstraintRow {
    pub(crate) fn input(&self) -> Option<usize> {
        match *self {
            Self::Position { input, .. } => input,
            Self::Crossing { .. } | Self::Upright { .. } | Self::Turning(_) | Self::Sum { .. } => {
                None
            }
            Self::Angle { input } | Self::Distance { input } => Some(input),
        }
    }
}

/// A joint or driver of a model.
#[derive(Debug, Clone)]
pub struct Joint<G, const D: usize> {
    /// Name for messages.
    pub name: String,
    /// Kind.
    pub kind: JointKind,
    /// Frame A.
    pub a: Attachment<G>,
    /// Frame B.
    pub b: Attachment<G>,
    /// First of its constraint rows.
    pub first_row: usize,
    /// Its place in the list of joints.
    pub(crate) index: usize,
    pub(crate) rows: Vec<ConstraintRow>,
    /// Index of the solver's coupling between its two nodes.
    pub(crate) coupling: Option<usize>,
    /// Origins of the two frames in their bodies [m].
    pub(crate) points: [SVector<f64, D>; 2],
    /// Axes of the two frames in their bodies, as columns.
    pub(crate) axes: [SMatrix<f64, D, D>; 2],
}

impl<G, const D: usize> Joint<G, D> {
    pub(crate) fn new<const N: usize>(
        name: &str,
        kind: JointKind,
        a: Attachment<G>,
        b: Attachment<G>,
        first_row: usize,
    ) -> Self
    where
        G: Group<N, D>,
    {
        Self {
            name: name.to_owned(),
            kind,
            first_row,
            index: 0,
            rows: kind.rows(D),
            coupling: None,
            points: [a.frame.translation(), b.frame.translation()],
            axes: [a.frame.rotation(), b.frame.rotation()],
            a,
            b,
        }
    }

    /// Number of scalar constraints.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// True when the joint has an angle about e3 that can be measured, sprung and driven.
    pub fn has_angle(&self) -> bool {
        matches!(self.kind, JointKind::Revolute | JointKind::Cylindrical)
    }

    /// True when the counted angle of the joint is the direction of B's origin.
    pub(crate) fn counts_direction(&self) -> bool {
        matches!(self.kind, JointKind::Meshing { .. })
    }
}
