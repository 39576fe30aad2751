//! A motion that drivers prescribe in full: kinematics, and the forces of it (inverse dynamics).
//!
//! With as many constraints φ(q, t) = 0 as coordinates, joints and drivers together, the motion follows
//! from them alone, and no mass matters:
//!
//! ```text
//! φ(q, t) = 0,   φ_q v = −φ_t,   φ_q v̇ = γ(q, v, t)                                (1)
//! φ_qᵀ λ = f − M v̇ − g(v)                                                          (2)
//! ```
//!
//! Kinematics is (1); inverse dynamics adds (2), whose multipliers λ are the reactions of joints and
//! what the drivers deliver.

use crate::error::{MechanismError, Result};
use crate::parts::{Description, Host, OutputPart, Pose, Source, Spot};
use crate::run::{Simulation, explain};
use crate::simulate::{Outcome, Rows, Snapshots, times};
use crate::space::Space;
use multibody::dynamics::{self, Projection, ProjectionWeight};
use multibody::group::{Se2, Se3};
use multibody::model::{Drive, Op, Program};

/// A mechanism whose outputs are quantities of its motion alone: those of the file that need no
/// force, then place, velocity and acceleration of every body.
#[derive(Debug, Clone)]
pub struct MotionOnly(Description);

impl MotionOnly {
    /// Of a mechanism; outputs of the file that need a force are left out.
    pub fn of(description: &Description) -> Self {
        let mut out = description.clone();
        out.outputs
            .retain(|part| part.sources.iter().all(is_motion));
        for (number, body) in description.bodies.iter().enumerate() {
            for (name, source) in motion_of(number, description.dimension == 2) {
                let name = format!("{}.{name}", body.name);
                if out.outputs.iter().all(|known| known.name != name) {
                    out.outputs.push(OutputPart {
                        name,
                        formula: variable(),
                        sources: vec![source],
                    });
                }
            }
        }
        Self(out)
    }

    /// The mechanism with these outputs.
    pub fn description(&self) -> &Description {
        &self.0
    }
}

/// A program that gives its first variable.
pub(crate) fn variable() -> Program {
    Program::new(vec![Op::Variable(0)]).unwrap_or_else(|_| Program::constant(0.0))
}

/// Whether a quantity follows from places, velocities and accelerations.
fn is_motion(source: &Source) -> bool {
    match source {
        Source::Time
        | Source::Point(..)
        | Source::Turn(..)
        | Source::JointAngle(..)
        | Source::JointSlide(_)
        | Source::Channel(_) => true,
        Source::Line(_, what) | Source::Law(_, what) | Source::Cable(_, what) => *what < 2,
        Source::Surface(_, what) => *what > 3,
        Source::Reaction(..)
        | Source::DriverEffort(_)
        | Source::Torque(_)
        | Source::Energy(_)
        | Source::Friction(..) => false,
    }
}

/// Names and sources of the motion of a body's frame, as a file would name them.
fn motion_of(body: usize, plane: bool) -> Vec<(String, Source)> {
    let spot = Spot {
        host: Host::Body(body),
        pose: Pose::identity(),
    };
    let axes: &[&str] = if plane { &["x", "y"] } else { &["x", "y", "z"] };
    let mut out = Vec::new();
    let orders = [("", "m"), ("v", "m_per_s"), ("a", "m_per_s2")];
    let turns = [
        ("angle", "rad"),
        ("rate", "rad_per_s"),
        ("rate_change", "rad_per_s2"),
    ];
    for (order, ((letter, unit), (turn, turn_unit))) in orders.iter().zip(turns).enumerate() {
        for (i, axis) in axes.iter().enumerate() {
            out.push((
                format!("{letter}{axis}_{unit}"),
                Source::Point(spot, order, i),
            ));
        }
        if plane {
            out.push((format!("{turn}_{turn_unit}"), Source::Turn(spot, order, 2)));
            continue;
        }
        for (i, axis) in axes.iter().enumerate() {
            out.push((
                format!("{turn}_{axis}_{turn_unit}"),
                Source::Turn(spot, order, i),
            ));
        }
    }
    out
}

/// Kinematics, eq. (1): places, velocities and accelerations over the prescribed motion. Every degree
/// of freedom must be driven.
pub fn kinematics(
    motion: &MotionOnly,
    rows: Rows<'_>,
    snapshots: Snapshots<'_>,
) -> Result<Outcome> {
    prescribed(motion.description(), "kinematics", rows, snapshots)
}

/// Inverse dynamics, eqs. (1) and (2): the same, and the forces of drivers and joints.
pub fn inverse(description: &Description, rows: Rows<'_>) -> Result<Outcome> {
    inverse_and_watch(description, rows, None)
}

/// The same, with a snapshot of every row.
pub fn inverse_and_watch(
    description: &Description,
    rows: Rows<'_>,
    snapshots: Snapshots<'_>,
) -> Result<Outcome> {
    prescribed(description, "inverse dynamics", rows, snapshots)
}

fn prescribed(
    description: &Description,
    what: &'static str,
    rows: Rows<'_>,
    snapshots: Snapshots<'_>,
) -> Result<Outcome> {
    if description.dimension == 2 {
        prescribed_in::<Se2, 3, 2>(description, what, rows, snapshots)
    } else {
        prescribed_in::<Se3, 6, 3>(description, what, rows, snapshots)
    }
}

/// Refuses a mechanism that can move otherwise than its drivers say.
fn require_driven<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Description,
    simulation: &Simulation<G, N, D>,
) -> Result<()> {
    let model = &simulation.built.model;
    let unknowns = N * model.node_count() - model.idle_count();
    let constraints = model.constraint_count();
    if unknowns == constraints {
        return Ok(());
    }
    let bends: Vec<&str> = (description.beams.iter().map(|part| part.name.as_str()))
        .chain(description.reduced.iter().map(|part| part.name.as_str()))
        .collect();
    let (problem, remedy) = if constraints > unknowns {
        let many = constraints - unknowns;
        let problem =
            format!("{many} more constraints than coordinates: a driver or joint too many");
        (
            problem,
            "remove a driver, or choose joints with fewer constraints".to_owned(),
        )
    } else if bends.is_empty() {
        let free = unknowns - constraints;
        let problem = format!("{free} degrees of freedom are not driven");
        (
            problem,
            "add a [[driver]] for each, or use `simulate`".to_owned(),
        )
    } else {
        let free = unknowns - constraints;
        let list = bends.join(", ");
        let problem = format!("{free} degrees of freedom are not driven, for {list} can bend");
        (
            problem,
            "make them rigid bodies, or use `simulate`".to_owned(),
        )
    };
    Err(MechanismError::Mechanism {
        file: description.file.clone(),
        problem,
        remedy,
    })
}

fn prescribed_in<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Description,
    what: &'static str,
    rows: Rows<'_>,
    mut snapshots: Snapshots<'_>,
) -> Result<Outcome> {
    let mut simulation = Simulation::<G, N, D>::new(description)?;
    require_driven(description, &simulation)?;
    let lines = match snapshots {
        Some(_) => crate::picture::lines(description),
        None => Vec::new(),
    };
    let mut watch = |simulation: &Simulation<G, N, D>| {
        if let Some(take) = snapshots.as_deref_mut() {
            take(simulation.snapshot(&lines));
        }
    };
    let analysis = &description.analysis;
    let mut complete = rows(0.0, &simulation.outputs());
    watch(&simulation);
    // Steps between rows keep Newton on the same branch.
    let parts = (analysis.output_step / analysis.step)
        .ceil()
        .clamp(1.0, 1e6) as usize;
    let mut last = 0.0;
    for time in times(analysis.duration, analysis.output_step) {
        if !complete {
            break;
        }
        for part in 1..=parts {
            let at = if part == parts {
                time
            } else {
                last + (time - last) * part as f64 / parts as f64
            };
            move_to(&mut simulation, at, part == parts)
                .map_err(|cause| explain(description, what, cause))?;
            simulation.follow();
        }
        last = time;
        complete = rows(time, &simulation.outputs());
        watch(&simulation);
    }
    Ok(Outcome {
        joint_gap: simulation.largest_gap(),
        events: simulation.events.clone(),
        complete,
        ..Outcome::default()
    })
}

/// Places at `time`, and with `all` velocities, accelerations and multipliers there, too.
fn move_to<G: Space<N, D>, const N: usize, const D: usize>(
    simulation: &mut Simulation<G, N, D>,
    time: f64,
    all: bool,
) -> multibody::Result<()> {
    let projection = Projection {
        weight: ProjectionWeight::Identity,
        held: Vec::new(),
    };
    let (built, state, workspace) = simulation.parts();
    let model = &built.model;
    state.time = time;
    built.drive.sample(time, &mut state.inputs);
    dynamics::project_positions(model, state, workspace, &projection)?;
    if all {
        dynamics::project_velocities(model, state, workspace, &projection)?;
        dynamics::initialize(model, state, workspace, &built.drive)?;
    }
    Ok(())
}
