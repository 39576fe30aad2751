//! Analyses of one state: equilibrium, modes, linear model, check.

use crate::error::{MechanismError, Result};
use crate::parts::{Description, Host, Source};
use crate::run::Simulation;
use crate::space::Space;
use multibody::group::{Se2, Se3};
use multibody::linearize::{self, Coordinates, LinearModel, Request};
use multibody::modal;
use multibody::model::InputId;
use multibody::statics::{self, StaticSettings};
use nalgebra::Complex;

/// An equilibrium.
#[derive(Debug, Clone)]
pub struct Equilibrium {
    /// The outputs there.
    pub outputs: Vec<f64>,
    /// Newton iterations.
    pub iterations: usize,
    /// Largest force that is left [N or N·m].
    pub residual: f64,
    /// Number of directions in which the potential falls.
    pub unstable: usize,
}

/// Modes about an equilibrium.
#[derive(Debug, Clone)]
pub struct Modes {
    /// Frequencies [Hz]: zero for rigid motions, NaN for what grows.
    pub frequencies: Vec<f64>,
    /// Eigenvalues with damping [1/s], slowest first; empty if there is none to compute.
    pub damped: Vec<Complex<f64>>,
    /// Shapes: of every mode, the displacements of bodies and nodes of beams along x, y, z [m] and their turns
    /// about x, y, z [rad], world axes, the largest displacement one.
    pub shapes: Vec<Vec<[f64; 6]>>,
    /// What moves: names of the bodies, `beam.0`, `beam.1` and so on.
    pub places: Vec<String>,
    /// Degrees of freedom.
    pub degrees_of_freedom: usize,
}

macro_rules! in_its_space {
    ($function:ident($description:expr $(, $argument:expr)*)) => {
        if $description.dimension == 2 {
            $function::<Se2, 3, 2>($description $(, $argument)*)
        } else {
            $function::<Se3, 6, 3>($description $(, $argument)*)
        }
    };
}

/// The equilibrium near the start, with the inputs of t = 0.
pub fn equilibrium(description: &Description) -> Result<Equilibrium> {
    in_its_space!(equilibrium_in(description))
}

/// The lowest modes about the equilibrium near the start.
pub fn modes(description: &Description) -> Result<Modes> {
    in_its_space!(modes_in(description))
}

/// The linear model about the equilibrium near the start: inputs are forces and torques, outputs
/// those of the file that are angles, places and rates.
pub fn linear_model(description: &Description) -> Result<LinearModel> {
    in_its_space!(linear_in(description))
}

/// What a check of a mechanism found.
#[derive(Debug, Clone)]
pub struct Check {
    /// Nodes, constraints and degrees of freedom.
    pub nodes: usize,
    /// Scalar constraints.
    pub constraints: usize,
    /// Degrees of freedom.
    pub degrees_of_freedom: usize,
    /// What was done to the start.
    pub notes: Vec<String>,
}

/// Builds the mechanism and brings it to its start.
pub fn check(description: &Description) -> Result<Check> {
    in_its_space!(check_in(description))
}

fn check_in<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Description,
) -> Result<Check> {
    let simulation = Simulation::<G, N, D>::new(description)?;
    let model = &simulation.built.model;
    Ok(Check {
        nodes: model.node_count(),
        constraints: model.constraint_count(),
        degrees_of_freedom: model.degrees_of_freedom(),
        notes: (simulation.events.iter())
            .map(|(_, text)| text.clone())
            .chain(description.reduced.iter().filter_map(reduction_note))
            .collect(),
    })
}

/// What a reduction gave.
fn reduction_note(part: &crate::parts::ReducedPart) -> Option<String> {
    let result = part.result.as_ref()?;
    let list = |values: &[f64]| {
        let texts: Vec<String> = values.iter().map(|hz| format!("{hz:.4}")).collect();
        texts.join(", ")
    };
    Some(format!(
        "{}: {} coordinates; fixed-interface modes at {} Hz; free, the lower half of its frequencies \
         is at most {:.1e} above the full model's",
        part.name,
        result.shapes.count(),
        list(&result.fixed_hz),
        result.frequency_error()
    ))
}

/// The mechanism at rest in equilibrium.
fn at_equilibrium<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Description,
) -> Result<(Simulation<G, N, D>, statics::StaticReport)> {
    let mut simulation = Simulation::<G, N, D>::new(description)?;
    let (built, state, workspace) = simulation.parts();
    let report = statics::solve(&built.model, state, workspace, &StaticSettings::default())
        .map_err(|cause| MechanismError::Mechanism {
            file: description.file.clone(),
            problem: format!("no equilibrium near the start: {cause}"),
            remedy: "hold what can move freely, or start nearer to the equilibrium".to_owned(),
        })?;
    Ok((simulation, report))
}

fn equilibrium_in<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Description,
) -> Result<Equilibrium> {
    let (mut simulation, report) = at_equilibrium::<G, N, D>(description)?;
    let (built, state, workspace) = simulation.parts();
    let unstable = statics::stability::unstable_directions(&built.model, state, workspace)
        .map_err(MechanismError::computing("stability"))?;
    simulation.follow();
    Ok(Equilibrium {
        outputs: simulation.outputs(),
        iterations: report.iterations,
        residual: report.residual,
        unstable,
    })
}

fn modes_in<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Description,
) -> Result<Modes> {
    // A mechanism that floats has no equilibrium to look for: its start is one.
    let mut simulation = match at_equilibrium::<G, N, D>(description) {
        Ok((simulation, _)) => simulation,
        Err(error) => {
            let mut simulation = Simulation::<G, N, D>::new(description)?;
            let unloaded = description.gravity == [0.0; 3];
            if !unloaded {
                return Err(error);
            }
            simulation.parts().1.stop();
            simulation
        }
    };
    let (built, state, workspace) = simulation.parts();
    let failed = MechanismError::computing("modes");
    let reduction = modal::reduce(&built.model, state, workspace).map_err(&failed)?;
    // Coordinates without a mode are far above all others in frequency.
    let order = reduction.system.order() - built.model.idle_count();
    let count = description.analysis.modes.min(order);
    let modes = reduction.modes(count).map_err(&failed)?;
    let damped = reduction.damped_modes(count);
    let moving = moving_places(description, built);
    let shapes = modes.modes.iter().map(|mode| {
        let own = moving.iter().map(|(_, node)| {
            let twist = &mode.shape[*node];
            let r = state.poses[*node].lift_rotation();
            let (shift, turn) = (
                r * G::lift(&(G::linear_part() * twist)),
                r * G::angular_of(twist),
            );
            [shift.x, shift.y, shift.z, turn.x, turn.y, turn.z]
        });
        scaled(own.collect())
    });
    Ok(Modes {
        shapes: shapes.collect(),
        places: moving.iter().map(|(name, _)| name.clone()).collect(),
        frequencies: modes.frequencies(),
        damped: damped.map_or_else(
            |_| Vec::new(),
            |damped| damped.modes.iter().map(|mode| mode.eigenvalue).collect(),
        ),
        degrees_of_freedom: order,
    })
}

/// Names and nodes of bodies and beams.
fn moving_places<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Description,
    built: &crate::build::Built<G, N, D>,
) -> Vec<(String, usize)> {
    let mut out = Vec::new();
    for (number, body) in description.bodies.iter().enumerate() {
        let node = built.node(Host::Body(number));
        out.extend(node.map(|node| (body.name.clone(), node.index())));
    }
    for (number, beam) in description.beams.iter().enumerate() {
        for station in 0..=beam.elements {
            let node = built.node(Host::Beam(number, station));
            out.extend(node.map(|node| (format!("{}.{station}", beam.name), node.index())));
        }
    }
    for (number, part) in description.reduced.iter().enumerate() {
        let interfaces = part.body.iter().flat_map(|body| &body.matrices.interfaces);
        for (station, interface) in interfaces.enumerate() {
            let node = built.node(Host::Flexible(number, station));
            let name = format!("{}.{}", part.name, interface.name);
            out.extend(node.map(|node| (name, node.index())));
        }
    }
    out
}

/// A shape with its largest displacement one; with its largest turn one if nothing is displaced.
fn scaled(shape: Vec<[f64; 6]>) -> Vec<[f64; 6]> {
    let largest = |range: std::ops::Range<usize>| {
        let entries = shape.iter().flat_map(|place| &place[range.clone()]);
        entries.fold(0.0_f64, |most, x| most.max(x.abs()))
    };
    let (shift, turn) = (largest(0..3), largest(3..6));
    let size = if shift > 1e-9 * turn { shift } else { turn };
    let factor = if size > 0.0 { 1.0 / size } else { 1.0 };
    (shape.iter())
        .map(|place| place.map(|x| x * factor))
        .collect()
}

fn linear_in<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Description,
) -> Result<LinearModel> {
    let (mut simulation, _) = at_equilibrium::<G, N, D>(description)?;
    let (built, state, workspace) = simulation.parts();
    let model = &built.model;
    // What a run sets by itself is no input: time, loads of frictions, speeds of touches, stops that are met.
    let times = (description.channels.iter().enumerate())
        .filter(|(_, (name, _))| name == "t")
        .map(|(channel, _)| channel);
    let own: Vec<usize> = (description.frictions.iter().map(|part| part.load))
        .chain(description.contacts.iter().map(|part| part.speed))
        .chain(description.stops.iter().map(|part| part.closed))
        .chain(times)
        .collect();
    let inputs: Vec<InputId> = (0..model.input_count())
        .filter(|&channel| {
            let role = model.input_role(channel);
            role.forces && !role.prescribes && !own.contains(&channel)
        })
        .filter_map(|channel| model.input(channel))
        .collect();
    let node_of = |host: Host| built.node(host);
    let mut outputs = Vec::new();
    for part in &description.outputs {
        let [source] = part.sources.as_slice() else {
            continue;
        };
        use linearize::Output;
        let output = match source {
            Source::JointAngle(joint, 0) => built.joints[*joint].map(Output::Angle),
            Source::JointAngle(joint, 1) => built.joints[*joint].map(Output::AngleRate),
            Source::Point(spot, order @ 0..=1, axis) => node_of(spot.host).map(|node| {
                let (point, component) = (G::vector(&spot.pose.position), *axis);
                if *order == 0 {
                    Output::Position {
                        node,
                        point,
                        component,
                    }
                } else {
                    Output::Velocity {
                        node,
                        point,
                        component,
                    }
                }
            }),
            Source::Line(force, 0) => Some(Output::LineLength(built.forces[*force])),
            Source::Line(force, 1) => Some(Output::LineRate(built.forces[*force])),
            Source::Line(force, 2) => Some(Output::LineTension(built.forces[*force])),
            _ => None,
        };
        outputs.extend(output);
    }
    let request = Request {
        coordinates: Coordinates::NullSpace,
        inputs,
        outputs,
    };
    linearize::linearize(model, state, workspace, &request)
        .map_err(MechanismError::computing("linearisation"))
}
