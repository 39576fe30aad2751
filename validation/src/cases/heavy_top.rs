//! A top spinning fast about a fixed point, as a constrained body in space.

use crate::error::Result;
use crate::sources::HEAVY_TOP;
use crate::{Case, Demand, Quantity};
use multibody::dynamics::{self, Control, StepSettings};
use multibody::group::{Group, Se3};
use multibody::math;
use multibody::model::{
    Attachment, Held, Inputs, JointKind, ModelBuilder, NodeId, SpatialModel, spatial_inertia,
};
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::{Matrix3, Vector3, Vector6};

pub(super) const CASES: &[Case] = &[Case {
    name: "heavy top",
    source: HEAVY_TOP,
    quantities: &[
        Quantity {
            name: "body rates at 0.1 s",
            unit: "rad/s",
            demand: Demand::Absolute {
                reference: &[4.80894133, 150.0, 1.02830076],
                allowed: 1e-6,
            },
            reason: "steps of 50 and 100 µs, extrapolated: error of fourth order in the step",
        },
        Quantity {
            name: "centre of mass at 0.1 s",
            unit: "m",
            demand: Demand::Absolute {
                reference: &[0.42129666, 0.89457197, -0.14916470],
                allowed: 1e-7,
            },
            reason: "the same; the reference has eight decimals",
        },
        Quantity {
            name: "centre of mass at 2 s",
            unit: "m",
            demand: Demand::Absolute {
                reference: &[-0.15041682, -0.72416559, -0.67302227],
                allowed: 1e-5,
            },
            reason: "the same after 48 turns of the top",
        },
        Quantity {
            name: "observed time order",
            unit: "",
            demand: Demand::Absolute {
                reference: &[2.0],
                allowed: 0.1,
            },
            reason: "generalised-α is of second order",
        },
    ],
    ours: top,
}];

/// The body's frame is at its centre of mass; a spherical joint holds the point (0, −1, 0) of it.
fn model() -> Result<(SpatialModel, NodeId)> {
    let mut builder = ModelBuilder::<Se3, 6, 3>::new();
    builder.gravity(Vector3::new(0.0, 0.0, -9.81));
    let tensor = Matrix3::from_diagonal(&Vector3::new(0.234375, 0.46875, 0.234375));
    let inertia = spatial_inertia(15.0, [0.0; 3], tensor);
    let centre = Se3::from_translation(Vector3::new(0.0, 1.0, 0.0));
    let body = builder.rigid_body("top", centre, inertia);
    let arm = Se3::from_translation(Vector3::new(0.0, -1.0, 0.0));
    builder.joint(
        "tip",
        JointKind::Spherical,
        Attachment::ground(Se3::identity()),
        Attachment::node(body, arm),
    );
    Ok((builder.build()?, body))
}

/// Body rates at 0.1 s, centre of mass at 0.1 s and at 2 s, with steps of `h` [s].
fn motion(h: f64) -> Result<[Vector3<f64>; 3]> {
    let (model, body) = model()?;
    let mut state = State::new(&model);
    let mut workspace = Workspace::new(&model);
    let rates = Vector3::new(0.0, 150.0, -4.61538);
    // The centre of mass moves with ω × (0, 1, 0).
    let speed = rates.cross(&Vector3::y());
    state.velocities[body.index()] =
        Vector6::new(speed[0], speed[1], speed[2], rates[0], rates[1], rates[2]);
    let drive = Held(Inputs::zeros(0));
    dynamics::initialize(&model, &mut state, &mut workspace, &drive)?;
    let settings = StepSettings {
        spectral_radius: 0.9,
        ..StepSettings::default()
    };
    let mut to = |end: f64| -> Result<(Vector3<f64>, Vector3<f64>)> {
        let control = Control::fixed(h);
        dynamics::advance(
            &model,
            &mut state,
            &mut workspace,
            &drive,
            end,
            &control,
            &settings,
        )?;
        let rates = state.velocity(body).fixed_rows::<3>(3).into_owned();
        Ok((rates, state.pose(body).translation()))
    };
    let (rates, early) = to(0.1)?;
    let (_, late) = to(2.0)?;
    Ok([rates, early, late])
}

fn top() -> Result<Vec<Vec<f64>>> {
    let [coarse, middle, fine] = [motion(2e-4)?, motion(1e-4)?, motion(0.5e-4)?];
    let order = math::log2((coarse[2] - middle[2]).norm() / (middle[2] - fine[2]).norm());
    let mut out: Vec<Vec<f64>> = (0..3)
        .map(|i| (fine[i] + (fine[i] - middle[i]) / 3.0).as_slice().to_vec())
        .collect();
    out.push(vec![order]);
    Ok(out)
}
