//! Forces given by a formula on a coordinate between two bodies.
//!
//! ```text
//! generalised force  f = f(q, q̇, inputs), positive when it makes q grow                    (1)
//! ```
//!
//! A program reads the coordinate as variable 0, its rate as variable 1 and input channel n as
//! variable 2 + n. Stops, tyres, actuators, drag and contacts along a line are such laws.

use super::joint::Body;
use super::program::Program;
use super::{JointId, PointOn};
use nalgebra::SVector;

/// What a law acts on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Coordinate<const D: usize> {
    /// Distance of two points [m].
    Distance(PointOn<D>, PointOn<D>),
    /// Angle of a revolute or cylindrical joint [rad].
    Angle(JointId),
    /// Place of a point along a direction fixed to another body [m].
    Offset {
        /// The body that carries origin and direction.
        body: Body,
        /// The place that counts as zero, in that body's frame [m].
        origin: SVector<f64, D>,
        /// Unit vector in that body's frame.
        direction: SVector<f64, D>,
        /// The point.
        point: PointOn<D>,
    },
}

impl<const D: usize> Coordinate<D> {
    /// The two bodies, if the coordinate names them itself.
    pub fn bodies(&self) -> Option<[Body; 2]> {
        match self {
            Self::Distance(a, b) => Some([a.body, b.body]),
            Self::Offset { body, point, .. } => Some([*body, point.body]),
            Self::Angle(_) => None,
        }
    }
}

/// Where the work of a law is booked.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Booking {
    /// As work from outside: an actuator.
    #[default]
    Work,
    /// As energy dissipated: drag, friction, a damper.
    Dissipated,
    /// A part is stored, with this potential [J] of variable 0; the rest is dissipated.
    Stored(Program),
}

/// A force by a formula.
#[derive(Debug, Clone, PartialEq)]
pub struct LawForce<const D: usize> {
    /// Name for messages.
    pub name: String,
    /// What it acts on.
    pub coordinate: Coordinate<D>,
    /// What the force works on, if it is not what is measured; between the same two bodies.
    pub acts_on: Option<Coordinate<D>>,
    /// Eq. (1) [N or N·m].
    pub law: Program,
    /// Where its work is booked.
    pub booking: Booking,
}

/// First variable of a law that is an input channel.
pub const FIRST_INPUT: usize = 2;

impl<const D: usize> LawForce<D> {
    /// Input channels that it reads.
    pub fn inputs(&self) -> impl Iterator<Item = usize> + '_ {
        self.law
            .variables()
            .filter_map(|n| n.checked_sub(FIRST_INPUT))
    }
}
