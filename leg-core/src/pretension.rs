//! The bowed equilibrium of the planar leg.
//!
//! The straight leaf is mounted at the crank angle asked for and the upper link is turned until A
//! and B are as near as wanted, every point of the way an equilibrium (load stepping in q3). A
//! force across the middle chooses the side to which the leaf bows and fades to nothing while
//! the chord shortens by the first two per cent; from there on the path is the true one.
//!
//! With both links held the shape does not depend on the tendon, and the holding torques are
//! linear in its tension T:
//!
//! ```text
//! τ_i = τ_i(T = 0) + T m_i,    m_i = ∂|AB|/∂q_i                                 (1)
//! ```
//!
//! (a pull T does the virtual work −T δ|AB|, which the holding torques must supply), so where a
//! link is free and the chord given, T follows from τ_i = 0. Without a target the tension is the
//! leaf's own thrust along AB, the mean of its two ends: the leg is then a two-force member but
//! for its weight.

use super::LegError;
use super::config::{LegConfig, Side};
use super::free_links::free_links;
use super::planar::{CHANNELS, Channel, LinkDrive, Linkage, PlanarLeg, wrap};
use multibody::group::{Group, Se2};
use multibody::math;
use multibody::model::PlanarModel;
use multibody::results::{self, stress};
use multibody::state::State;
use multibody::statics::{self, ContinuationSettings, Path, StaticSettings};
use multibody::workspace::Workspace;
use nalgebra::Vector2;

pub use multibody::state::PlanarState;

/// Chord, as a fraction of the leaf's length, at which the imperfection has faded away.
const IMPERFECTION_ENDS: f64 = 0.98;
/// Imperfection: force across the middle as a fraction of the Euler load.
const IMPERFECTION: f64 = 0.1;
/// Shortest chord tried, as a fraction of the leaf's length: below it the ends of the leaf cross.
pub(super) const SHORTEST_CHORD: f64 = 0.02;

/// One point of the equilibrium path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathSample {
    /// Distance A to B [m].
    pub chord_m: f64,
    /// Thrust of the leaf along AB, mean of both ends [N].
    pub thrust_n: f64,
    /// Distance of the leaf's middle from the chord [m].
    pub sag_m: f64,
    /// Largest axial strain [-].
    pub max_axial_strain: f64,
    /// Largest force residual [N].
    pub residual_n: f64,
    /// Newton iterations.
    pub iterations: usize,
}

/// A node of the bowed leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeafNode {
    /// Arc length of the unstressed leaf [m].
    pub s: f64,
    /// Position [m].
    pub x: f64,
    /// Position [m].
    pub y: f64,
    /// Angle of the section [rad].
    pub theta: f64,
}

/// The pre-tensioned leg.
#[derive(Debug, Clone, PartialEq)]
pub struct PretensionReport {
    /// Crank angle [rad].
    pub q1_rad: f64,
    /// Angle of the chord against the crank [rad].
    pub q2_rad: f64,
    /// Angle of the upper link [rad].
    pub q3_rad: f64,
    /// Distance A to B [m].
    pub chord_m: f64,
    /// Tendon tension [N].
    pub tension_n: f64,
    /// Rest length of the tendon [m].
    pub rest_length_m: Option<f64>,
    /// Thrust of the leaf along AB, mean of both ends [N].
    pub thrust_n: f64,
    /// Distance of the leaf's middle from the chord [m].
    pub sag_m: f64,
    /// Force on the leaf at A, tendon not counted [N].
    pub force_on_leaf_a_n: [f64; 2],
    /// Force on the leaf at B, tendon not counted [N].
    pub force_on_leaf_b_n: [f64; 2],
    /// Torque on the crank that holds q1 [N·m]; zero where it is free.
    pub hold_torque_1_nm: f64,
    /// Torque on the upper link that holds q3 [N·m]; zero where it is free.
    pub hold_torque_3_nm: f64,
    /// Largest axial strain of any element [-].
    pub max_axial_strain: f64,
    /// Strain energy of the leaf [J].
    pub strain_energy_j: f64,
    /// Middle of the leaf [m].
    pub mid_point_m: [f64; 2],
    /// Bending moment in the middle of the leaf [N·m].
    pub mid_moment_nm: f64,
    /// Largest force residual of the final solve [N].
    pub residual_n: f64,
    /// Newton iterations over the whole way.
    pub iterations: usize,
    /// The leaf's nodes.
    pub nodes: Vec<LeafNode>,
}

/// A pre-tensioned leg: the report, the state (of a model with both links prescribed) and the
/// way there.
#[derive(Debug, Clone)]
pub struct Pretensioned {
    /// The leg with both links prescribed.
    pub leg: PlanarLeg,
    /// Its equilibrium.
    pub state: PlanarState,
    /// The report.
    pub report: PretensionReport,
    /// The equilibrium path from the straight leaf.
    pub path: Vec<PathSample>,
}

/// Finds the bowed equilibrium that the configuration asks for.
pub fn pretension(config: &LegConfig) -> Result<Pretensioned, LegError> {
    Ok(*pretension_boxed(config)?)
}

/// The same on the heap, as everything large on the way there: a host's stack may be small.
#[inline(never)]
pub(super) fn pretension_boxed(config: &LegConfig) -> Result<Box<Pretensioned>, LegError> {
    // Modes are those of the leaf once it is bowed; equilibrium does not depend on damping.
    let mut plain = Box::new(config.clone());
    plain.leaf = config.leaf.without_modal_damping();
    let mut out = bowed(&plain)?;
    out.leg.config.leaf = config.leaf;
    Ok(out)
}

/// The same without damping of modes.
#[inline(never)]
fn bowed(config: &LegConfig) -> Result<Box<Pretensioned>, LegError> {
    config.validate()?;
    check_targets(config)?;
    let linkage = Linkage::new(config);
    let wanted = &config.pretension;
    match (wanted.hold_q1, wanted.hold_q3, wanted.chord_m) {
        (true, true, _) => Bowed::new(config, wanted.q1_rad, wanted.q3_rad)?.finish(None),
        (true, false, Some(chord)) => {
            let q3 = linkage.q3_at(wanted.q1_rad, chord, wanted.q3_rad);
            let held = [wanted.q1_rad, wanted.q3_rad];
            let q3 =
                q3.ok_or_else(|| impossible_chord(&linkage, config, Balance::Link, held, chord))?;
            Bowed::new(config, wanted.q1_rad, q3)?.finish(Some(Balance::Link))
        }
        (false, true, Some(chord)) => {
            let q1 = linkage.q1_at(wanted.q3_rad, chord, wanted.q1_rad);
            let held = [wanted.q1_rad, wanted.q3_rad];
            let q1 =
                q1.ok_or_else(|| impossible_chord(&linkage, config, Balance::Crank, held, chord))?;
            Bowed::new(config, q1, wanted.q3_rad)?.finish(Some(Balance::Crank))
        }
        (false, false, Some(chord)) => {
            free_chord(config, &linkage, chord, [wanted.q1_rad, wanted.q3_rad])
        }
        (_, _, None) => free_links(config),
    }
}

fn check_targets(config: &LegConfig) -> Result<(), LegError> {
    let wanted = &config.pretension;
    let contradiction = |first, second, reason| {
        Err(LegError::Contradiction {
            first,
            second,
            reason,
        })
    };
    if wanted.chord_m.is_some() && wanted.hold_q1 && wanted.hold_q3 {
        return contradiction(
            "pretension.chord_m",
            "pretension.hold_q3 = true",
            "the two held angles fix the chord; free one of them",
        );
    }
    if wanted.tension_n.is_some() && config.tendon.rest_length_m.is_some() {
        return contradiction(
            "pretension.tension_n",
            "tendon.rest_length_m",
            "each determines the other",
        );
    }
    let free = !wanted.hold_q1 || !wanted.hold_q3;
    if free && !config.tendon.present {
        return contradiction(
            "pretension.hold_q1 or hold_q3 = false",
            "tendon.present = false",
            "without a tendon nothing holds the free link",
        );
    }
    if wanted.chord_m.is_some()
        && (wanted.tension_n.is_some() || config.tendon.rest_length_m.is_some())
        && free
    {
        return contradiction(
            "pretension.chord_m",
            "a tension or rest length",
            "with a free link the chord determines the tension",
        );
    }
    if free
        && wanted.chord_m.is_none()
        && wanted.tension_n.is_none()
        && config.tendon.rest_length_m.is_none()
    {
        return contradiction(
            "pretension.hold_q1 or hold_q3 = false",
            "no target",
            "a free link needs pretension.chord_m, pretension.tension_n or tendon.rest_length_m",
        );
    }
    Ok(())
}

fn impossible_chord(
    linkage: &Linkage,
    config: &LegConfig,
    free: Balance,
    held: [f64; 2],
    chord_m: f64,
) -> LegError {
    let (shortest_m, longest_m) = linkage.chord_range_of(free, held);
    let reason = "the links do not reach";
    let longest_m = longest_m.min(config.leaf.length_m);
    LegError::ImpossibleChord {
        chord_m,
        shortest_m,
        longest_m,
        reason,
    }
}

/// The link whose holding torque the tendon must replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Balance {
    Crank,
    Link,
}

/// A leaf bowed between two held links, without its tendon.
pub(super) struct Bowed {
    pub leg: PlanarLeg,
    pub state: PlanarState,
    workspace: Box<Workspace<Se2, 3>>,
    pub path: Vec<PathSample>,
    pub iterations: usize,
    pub residual: f64,
}

impl Bowed {
    /// Mounts the straight leaf at `q1` and turns the upper link to `q3`.
    #[inline(never)]
    pub fn new(config: &LegConfig, q1: f64, q3: f64) -> Result<Box<Self>, LegError> {
        let mut near = config.clone();
        near.pretension.q3_rad = q3;
        let prescribed = LinkDrive::Prescribed;
        let leg = PlanarLeg::new(&near, prescribed, prescribed, q1, None)?;
        let linkage = Linkage::new(config);
        let chord = linkage.chord(q1, q3);
        let length = config.leaf.length_m;
        let shortest = SHORTEST_CHORD * length;
        if chord.is_nan() || chord > length || chord < shortest {
            let reason = if chord < shortest {
                "the ends of the leaf would cross"
            } else {
                "it is longer than the leaf, which does not stretch"
            };
            return Err(LegError::ImpossibleChord {
                chord_m: chord,
                shortest_m: shortest,
                longest_m: length,
                reason,
            });
        }
        let state = State::new(&leg.model);
        let workspace = Box::new(Workspace::new(&leg.model));
        let mut bowed = Box::new(Self {
            leg,
            state,
            workspace,
            path: Vec::new(),
            iterations: 0,
            residual: 0.0,
        });
        bowed.bow(&linkage, q1, q3)?;
        Ok(bowed)
    }

    fn inputs(&self, q1: f64, q3: f64, imperfection: f64) -> Vec<f64> {
        let mut inputs = vec![0.0; CHANNELS];
        inputs[Channel::CrankAngle as usize] = q1;
        inputs[Channel::LinkAngle as usize] = q3;
        inputs[Channel::Imperfection as usize] = imperfection;
        inputs
    }

    #[inline(never)]
    fn bow(&mut self, linkage: &Linkage, q1: f64, q3: f64) -> Result<(), LegError> {
        let config = self.leg.config.clone();
        let length = config.leaf.length_m;
        let straight = self.state.angle(self.leg.joints.c);
        let side = config.pretension.side;
        let push = IMPERFECTION * config.leaf.euler_load() * side.sign();
        let target_chord = linkage.chord(q1, q3);
        let middle = (IMPERFECTION_ENDS * length).max(target_chord);
        // The straight angle may be a full turn away from the one asked for.
        let q3 = straight + wrap(q3 - straight);
        let on_the_way = linkage.q3_at(q1, middle, straight + 0.5 * (q3 - straight));
        let first = if middle > target_chord {
            on_the_way.unwrap_or(q3)
        } else {
            q3
        };
        self.load(
            self.inputs(q1, straight, push),
            self.inputs(q1, first, 0.0),
            false,
        )?;
        self.check_side(side)?;
        self.record_start(q1, first, straight);
        self.load(self.inputs(q1, first, 0.0), self.inputs(q1, q3, 0.0), true)?;
        self.check_side(side)
    }

    /// Goes back from the first bowed point toward the straight leaf and records the way. The
    /// bowed branch ends where it meets the straight one, or where weight or curvature pull the
    /// leaf over; what was found until then counts.
    fn record_start(&mut self, q1: f64, first: f64, straight: f64) {
        let here = self.state.clone();
        let nearly = straight + 1e-3 * (first - straight);
        let _how_it_ends = self.load(
            self.inputs(q1, first, 0.0),
            self.inputs(q1, nearly, 0.0),
            true,
        );
        let on_branch = self
            .path
            .windows(2)
            .position(|pair| pair[1].sag_m >= pair[0].sag_m || pair[1].chord_m < pair[0].chord_m)
            .map_or(self.path.len(), |last| last + 1);
        self.path.truncate(on_branch);
        self.path.reverse();
        self.state = here;
    }

    fn load(&mut self, from: Vec<f64>, to: Vec<f64>, record: bool) -> Result<(), LegError> {
        let settings = ContinuationSettings {
            largest_step: 0.1,
            ..Default::default()
        };
        let Self {
            leg,
            state,
            workspace,
            path,
            iterations,
            residual,
        } = self;
        let mut samples = Vec::new();
        let route = Path { from, to };
        let result = statics::load_to(
            &leg.model,
            state,
            workspace,
            &route,
            &settings,
            |state, point| {
                *iterations += point.iterations;
                *residual = point.residual;
                samples.push((state.clone(), point.residual, point.iterations));
            },
        );
        if record {
            for (state, residual_n, iterations) in samples {
                path.push(sample(leg, &state, residual_n, iterations)?);
            }
        }
        result.map(|_| ()).map_err(LegError::from)
    }

    /// Turns the links from one pair of angles (q1, q3) to another nearby [rad].
    pub fn turn(&mut self, from: [f64; 2], to: [f64; 2]) -> Result<(), LegError> {
        let settings = ContinuationSettings {
            first_step: 1.0,
            largest_step: 1.0,
            smallest_step: 1e-4,
            ..Default::default()
        };
        let route = Path {
            from: self.inputs(from[0], from[1], 0.0),
            to: self.inputs(to[0], to[1], 0.0),
        };
        let Self {
            leg,
            state,
            workspace,
            iterations,
            residual,
            ..
        } = self;
        statics::load_to(
            &leg.model,
            state,
            workspace,
            &route,
            &settings,
            |_, point| {
                *iterations += point.iterations;
                *residual = point.residual;
            },
        )?;
        self.check_side(self.leg.config.pretension.side)
    }

    /// Tension that balances one link as the leaf stands, eq. (1) [N].
    pub fn balancing_tension(&self, balance: Balance) -> Result<f64, LegError> {
        let bare = report(&self.leg, &self.state)?;
        Ok(balancing_tension(&self.leg, &self.state, &bare, balance))
    }

    fn check_side(&self, side: Side) -> Result<(), LegError> {
        let shape = Shape::new(&self.leg, &self.state)?;
        // A leaf that is straight to within a part in a thousand has no side yet.
        let straight = 1e-3 * self.leg.config.leaf.length_m;
        if shape.middle * side.sign() < -straight {
            let asked = if side == Side::Outward {
                "outward (+x)"
            } else {
                "inward (-x)"
            };
            return Err(LegError::WrongSide {
                asked,
                chord_m: shape.chord,
                sag_m: shape.middle,
            });
        }
        Ok(())
    }

    /// Adds the tendon and reports. `balance` names the link that the tendon must balance.
    #[inline(never)]
    pub fn finish(
        mut self: Box<Self>,
        balance: Option<Balance>,
    ) -> Result<Box<Pretensioned>, LegError> {
        let config = self.leg.config.clone();
        let bare = report(&self.leg, &self.state)?;
        let tendon = &config.tendon;
        let tension = match (balance, config.pretension.tension_n, tendon.rest_length_m) {
            _ if !tendon.present => 0.0,
            (Some(balance), _, _) => balancing_tension(&self.leg, &self.state, &bare, balance),
            (None, Some(tension), _) => tension,
            (None, None, Some(rest)) => tendon.law(rest).respond(bare.chord_m, 0.0).tension,
            (None, None, None) => bare.thrust_n,
        };
        if tension < 0.0 {
            return Err(LegError::TendonPushes {
                chord_m: bare.chord_m,
                push_n: -tension,
            });
        }
        let rest_length = match tendon.rest_length_m {
            _ if !tendon.present => None,
            Some(rest) if balance.is_none() => Some(rest),
            _ => Some(bare.chord_m - tension / tendon.stiffness_n_per_m),
        };
        if rest_length.is_some_and(|rest| rest < 0.0) {
            return Err(LegError::TensionTooHigh {
                tension_n: tension,
                highest_n: tendon.stiffness_n_per_m * bare.chord_m,
                chord_m: bare.chord_m,
                stiffness_n_per_m: tendon.stiffness_n_per_m,
            });
        }
        if rest_length.is_some() {
            let (q1, q3) = (bare.q1_rad, bare.q3_rad);
            let mut near = config.clone();
            near.pretension.q3_rad = q3;
            let prescribed = LinkDrive::Prescribed;
            let leg = PlanarLeg::new(&near, prescribed, prescribed, q1, rest_length)?;
            self.leg = PlanarLeg {
                config: self.leg.config.clone(),
                ..leg
            };
            let settings = StaticSettings::default();
            *self.workspace = Workspace::new(&self.leg.model);
            let Self {
                leg,
                state,
                workspace,
                ..
            } = &mut *self;
            let solved = statics::solve(&leg.model, state, workspace, &settings)?;
            self.iterations += solved.iterations;
            self.residual = solved.residual;
        }
        let mut report = report(&self.leg, &self.state)?;
        report.residual_n = self.residual;
        report.iterations = self.iterations;
        report.rest_length_m = rest_length;
        let Self {
            leg, state, path, ..
        } = *self;
        Ok(Box::new(Pretensioned {
            leg,
            state,
            report,
            path,
        }))
    }
}

/// Tension that makes the holding torque of one link vanish, eq. (1).
fn balancing_tension(
    leg: &PlanarLeg,
    state: &PlanarState,
    bare: &PretensionReport,
    balance: Balance,
) -> f64 {
    let a = state.pose(leg.node_a).translation();
    let b = state.pose(leg.node_b).translation();
    let e = (b - a) / (b - a).norm();
    let cross = |arm: Vector2<f64>| arm.x * e.y - arm.y * e.x;
    match balance {
        // δ|AB| = −e·δA, δA = q̇ ẑ × (A − O).
        Balance::Crank => {
            let arm = a - Vector2::from(leg.config.geometry.lower_pivot_m);
            bare.hold_torque_1_nm / cross(arm)
        }
        Balance::Link => {
            let arm = b - Vector2::from(leg.config.geometry.upper_pivot_m);
            -bare.hold_torque_3_nm / cross(arm)
        }
    }
}

/// Both links free at a given chord: the crank angle at which the tension that balances the
/// upper link also balances the crank.
#[inline(never)]
pub(super) fn free_chord(
    config: &LegConfig,
    linkage: &Linkage,
    chord: f64,
    near: [f64; 2],
) -> Result<Box<Pretensioned>, LegError> {
    let mut q3_near = near[1];
    let mut torque_at = |q1: f64| -> Result<(f64, Box<Pretensioned>), LegError> {
        let q3 = linkage.q3_at(q1, chord, q3_near).ok_or_else(|| {
            impossible_chord(linkage, config, Balance::Link, [q1, q3_near], chord)
        })?;
        q3_near = q3;
        let solved = Bowed::new(config, q1, q3)?.finish(Some(Balance::Link))?;
        Ok((solved.report.hold_torque_1_nm, solved))
    };
    let (mut x0, mut x1) = (near[0], near[0] + 0.02);
    let (mut f0, _) = torque_at(x0)?;
    let (mut f1, mut solved) = torque_at(x1)?;
    for _ in 0..40 {
        if f1.abs() < 1e-9 {
            return Ok(solved);
        }
        let step = (-f1 * (x1 - x0) / (f1 - f0)).clamp(-0.2, 0.2);
        (x0, f0) = (x1, f1);
        x1 += step;
        (f1, solved) = torque_at(x1)?;
    }
    Err(LegError::NoEquilibrium {
        what: "crank torque [N·m]",
        target: 0.0,
        reached: f1,
    })
}

fn rest_length(leg: &PlanarLeg) -> Option<f64> {
    match leg.model.forces().get(leg.tendon?.index())? {
        multibody::model::Force::Line {
            law: multibody::model::LineLaw::Tendon { rest_length, .. },
            ..
        } => Some(*rest_length),
        _ => None,
    }
}

/// Tension of the tendon [N], zero without one.
pub fn tendon_tension(leg: &PlanarLeg, state: &PlanarState) -> f64 {
    let line = leg
        .tendon
        .and_then(|tendon| results::line(&leg.model, state, tendon));
    line.map_or(0.0, |line| line.response.tension)
}

/// The curve of the leaf against its chord.
struct Shape {
    chord: f64,
    /// Deflection of the middle, positive to the left of A→B.
    middle: f64,
    mid_point: Vector2<f64>,
}

impl Shape {
    fn new(leg: &PlanarLeg, state: &PlanarState) -> Result<Self, LegError> {
        let a = state.pose(leg.node_a).translation();
        let b = state.pose(leg.node_b).translation();
        let chord = (b - a).norm();
        let e = (b - a) / chord;
        let half = 0.5 * leg.config.leaf.length_m;
        let mid_point = results::pose_at(&leg.model, state, leg.leaf, half)?.translation();
        let d = mid_point - a;
        let middle = e.x * d.y - e.y * d.x;
        Ok(Self {
            chord,
            middle,
            mid_point,
        })
    }
}

/// Forces on the leaf at A and B without the tendon's share [N].
fn leaf_forces(leg: &PlanarLeg, state: &PlanarState) -> [Vector2<f64>; 2] {
    let model: &PlanarModel = &leg.model;
    let line = leg
        .tendon
        .and_then(|tendon| results::line(model, state, tendon));
    let pull = line.map_or(Vector2::zeros(), |line| {
        line.direction * line.response.tension
    });
    let at_a = results::reaction(model, state, leg.joints.a).force + pull;
    let at_b = -results::reaction(model, state, leg.joints.b).force - pull;
    [at_a, at_b]
}

fn thrust(leg: &PlanarLeg, state: &PlanarState) -> f64 {
    let [at_a, at_b] = leaf_forces(leg, state);
    let a = state.pose(leg.node_a).translation();
    let b = state.pose(leg.node_b).translation();
    let e = (b - a) / (b - a).norm();
    0.5 * (at_a - at_b).dot(&e)
}

pub(super) fn sample(
    leg: &PlanarLeg,
    state: &PlanarState,
    residual_n: f64,
    iterations: usize,
) -> Result<PathSample, LegError> {
    let shape = Shape::new(leg, state)?;
    Ok(PathSample {
        chord_m: shape.chord,
        thrust_n: thrust(leg, state),
        sag_m: shape.middle.abs(),
        max_axial_strain: leg.leaf_strain(state)?.axial,
        residual_n,
        iterations,
    })
}

/// Everything a static state of the leg tells.
#[inline(never)]
pub fn report(leg: &PlanarLeg, state: &PlanarState) -> Result<PretensionReport, LegError> {
    let shape = Shape::new(leg, state)?;
    let [at_a, at_b] = leaf_forces(leg, state);
    let model = &leg.model;
    let hold = |driver: Option<_>| {
        driver.map_or(0.0, |joint| {
            results::reaction(model, state, joint).moment[2]
        })
    };
    let (q1_rad, q3_rad) = (state.angle(leg.joints.o), state.angle(leg.joints.c));
    let count = leg.config.solver.elements;
    let length = leg.config.leaf.length_m;
    let mut nodes = Vec::with_capacity(count + 1);
    for i in 0..=count {
        let pose = state.pose(model.beam_node(leg.leaf, i));
        let place = pose.translation();
        let s = length * i as f64 / count as f64;
        nodes.push(LeafNode {
            s,
            x: place.x,
            y: place.y,
            theta: pose.angle(),
        });
    }
    let energies = results::energy::energies(model, state)?;
    let b_minus_a = state.pose(leg.node_b).translation() - state.pose(leg.node_a).translation();
    Ok(PretensionReport {
        q1_rad,
        q2_rad: wrap(math::atan2(b_minus_a.y, b_minus_a.x) - q1_rad),
        q3_rad,
        chord_m: shape.chord,
        tension_n: tendon_tension(leg, state),
        rest_length_m: rest_length(leg),
        thrust_n: thrust(leg, state),
        sag_m: shape.middle.abs(),
        force_on_leaf_a_n: at_a.into(),
        force_on_leaf_b_n: at_b.into(),
        hold_torque_1_nm: hold(leg.joints.crank_driver),
        hold_torque_3_nm: hold(leg.joints.link_driver),
        max_axial_strain: leg.leaf_strain(state)?.axial,
        strain_energy_j: energies.strain,
        mid_point_m: shape.mid_point.into(),
        mid_moment_nm: stress::middle_wrench(&leg.model, state, leg.leaf)?[2],
        residual_n: 0.0,
        iterations: 0,
        nodes,
    })
}
