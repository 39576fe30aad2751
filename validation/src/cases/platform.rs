//! The platform: published motor angles, the nominal pose, and the condensed scheme.

use crate::error::{Failure, Result};
use crate::sources::{DFKI, ONE_MODEL, PACOMA};
use crate::{Case, Demand, Quantity};
use leg_core::pretension_spatial;
use multibody::dynamics::{self, StepSettings};
use multibody::group::{Group, Se3};
use multibody::model::Signal;
use multibody::workspace::Workspace;
use nalgebra::Vector3;
use softdock_platform::PlatformConfig;
use softdock_platform::attitude::Attitude;
use softdock_platform::monolithic::Platform;
use softdock_platform::statics::{StaticPlatform, StaticSettings, Target};
use softdock_platform::whole_model::WholeModel;
use softdock_platform::wrench::{WrenchHistory, felt};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "6-RUS with pre-curved rods, (0, 0, 0.5) m, roll 10°",
        source: DFKI,
        quantities: &[
            Quantity {
                name: "motor angles of legs 1, 3, 4; 24 elements",
                unit: "rad",
                demand: Demand::Absolute {
                    reference: &[0.48785636, 0.42037418, 0.28121390],
                    allowed: 2e-6,
                },
                reason: "promised for a converged mesh; the reference has eight decimals",
            },
            Quantity {
                name: "moments out of balance about the base",
                unit: "N·m",
                demand: Demand::AtMost(1e-9),
                reason: "promised for any point",
            },
            Quantity {
                name: "forward of inverse, from the nominal pose",
                unit: "m, rad",
                demand: Demand::AtMost(1e-9),
                reason: "promised",
            },
        ],
        ours: rods,
    },
    Case {
        name: "platform at its nominal pose, 20 elements",
        source: PACOMA,
        quantities: &[
            Quantity {
                name: "chords",
                unit: "m",
                demand: Demand::Absolute {
                    reference: &[0.411875; 6],
                    allowed: 1e-6,
                },
                reason: "the reference has six decimals",
            },
            Quantity {
                name: "thrust of the leaves",
                unit: "N",
                demand: Demand::Absolute {
                    reference: &[57.669; 6],
                    allowed: 1e-3,
                },
                reason: "the reference has three decimals",
            },
            Quantity {
                name: "axial and lateral stiffness, for information",
                unit: "N/m",
                demand: Demand::Relative {
                    reference: &[11e3, 330.0],
                    allowed: 0.1,
                },
                reason: "the reference says about",
            },
        ],
        ours: nominal,
    },
    Case {
        name: "platform pushed off its axis, 0.1 s of 1 ms steps",
        source: ONE_MODEL,
        quantities: &[Quantity {
            name: "end effector, legs condensed against one model",
            unit: "m, rad",
            demand: Demand::AtMost(1e-9),
            reason: "the same equations, solved in another order: rounding only",
        }],
        ours: pushed,
    },
];

/// The publication calls the turn about x roll; here it is pitch [rad].
const PITCH: f64 = 10.0 * core::f64::consts::PI / 180.0;

fn rods() -> Result<Vec<Vec<f64>>> {
    let text = include_str!("../../../scenarios/dfki-rods.toml");
    let config: PlatformConfig = toml::from_str(text).map_err(|error| Failure::Scenario {
        message: error.message().to_owned(),
    })?;
    let nominal = StaticPlatform::nominal(&config)?;
    let rotation = Attitude::from([PITCH, 0.0, 0.0]).rotation();
    let asked = Se3::from_parts(Vector3::new(0.0, 0.0, 0.5), rotation);
    let mut target = Target {
        pose: Some(asked),
        motors: None,
        force: Vector3::zeros(),
        moment: Vector3::zeros(),
    };
    let settings = StaticSettings::default();
    let mut platform = nominal.clone();
    platform.follow(&target, &settings)?;
    let moment: Vector3<f64> = platform
        .spheres()
        .iter()
        .zip(platform.leg_forces())
        .map(|(sphere, force)| (asked.translation() + rotation * sphere).cross(&force))
        .sum();
    target.pose = None;
    target.motors = Some(platform.motors().to_vec());
    let mut back = nominal;
    back.follow(&target, &settings)?;
    let gap = asked.between(back.pose()).log();
    let q = platform.motors();
    Ok(vec![
        vec![q[0], q[2], q[3]],
        vec![moment.norm()],
        vec![gap.map_or(f64::NAN, |gap| gap.amax())],
    ])
}

fn nominal() -> Result<Vec<Vec<f64>>> {
    let mut config = PlatformConfig::default();
    config.legs.elements = 20;
    let (mut chords, mut thrusts) = (Vec::new(), Vec::new());
    for leg in config.leg_configs()? {
        let bowed = pretension_spatial(&leg)?;
        chords.push(bowed.chord_m);
        thrusts.push(bowed.thrust_n);
    }
    let stiffness = StaticPlatform::nominal(&config)?.stiffness_report();
    let [lateral, _, axial] = stiffness.translation;
    Ok(vec![chords, thrusts, vec![axial, lateral]])
}

fn pushed() -> Result<Vec<Vec<f64>>> {
    let mut config = PlatformConfig::default();
    config.solver.newton_tolerance = 1e-9;
    let equilibrium = StaticPlatform::nominal(&config)?;
    let force = [6.0, -8.0, -17.320508, 1.5, 0.8, -0.6];
    let wrench = WrenchHistory(force.map(|before| Signal::Step {
        time: 0.05,
        before,
        after: 0.0,
    }));
    let mut whole = WholeModel::at_rest(&equilibrium)?;
    let (h, count) = (config.solver.step_s, 100);
    whole.set_wrench(&felt(&wrench, h, count));
    let mut platform = Platform::at_rest_under(&equilibrium, wrench)?;
    let settings = StepSettings {
        spectral_radius: config.solver.spectral_radius,
        tolerance: config.solver.newton_tolerance,
        ..StepSettings::default()
    };
    let mut state = whole.rest.clone();
    let mut workspace = Workspace::new(&whole.model);
    let mut worst: f64 = 0.0;
    for _ in 0..count {
        platform.step(h)?;
        let (model, signals) = (&whole.model, &whole.signals);
        dynamics::step(model, &mut state, &mut workspace, signals, h, &settings)?;
        let gap = platform.effector().pose.between(state.pose(whole.effector));
        worst = gap.log().map_or(f64::NAN, |gap| worst.max(gap.amax()));
    }
    Ok(vec![vec![worst]])
}
