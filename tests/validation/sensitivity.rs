//! Derivatives of time stepping against finite differences of repeated runs.

use leg_core::config::MotorMode;
use leg_core::planar::LinkDrive;
use leg_core::spatial::{SPATIAL_CHANNELS, SpatialChannel, SpatialLeg, TipDrive};
use leg_core::{SpatialLegConfig, pretension_spatial};
use multibody::dynamics::sensitivity::{InputVariation, Variation, propagate};
use multibody::dynamics::{StepSettings, initialize, step};
use multibody::model::{Drive, Inputs};
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::Vector3;

/// Relative error allowed. Central differences over the changes below leave about 1e-7: the tip
/// force carries rounding of 1e-8 N from the stretching stiffness.
const ALLOWED: f64 = 1e-6;

/// Inputs that grow linearly from the start values to `end` over `duration`.
struct Linear {
    start: Vec<f64>,
    end: Vec<f64>,
    duration: f64,
}

impl Drive for Linear {
    fn sample(&self, time: f64, inputs: &mut Inputs) {
        for i in 0..self.start.len() {
            let slope = (self.end[i] - self.start[i]) / self.duration;
            inputs.value[i] = self.start[i] + slope * time;
            inputs.rate[i] = slope;
            inputs.acceleration[i] = 0.0;
        }
    }
}

#[test]
fn tip_force_derivative_over_several_steps_equals_finite_differences() {
    let mut config = SpatialLegConfig::default();
    config.motor.mode = MotorMode::Hold;
    let bowed = pretension_spatial(&config).unwrap();
    let tip = Vector3::from(config.tip_position_m);
    let leg = SpatialLeg::new(
        &config,
        LinkDrive::Held,
        TipDrive::Prescribed,
        0.0,
        tip,
        bowed.rest_length_m,
    )
    .unwrap();
    let mut start = vec![0.0; SPATIAL_CHANNELS];
    start[2..5].copy_from_slice(&config.tip_position_m);
    let mut base_end = start.clone();
    base_end[2] += 2e-4;
    base_end[3] -= 1e-4;
    base_end[SpatialChannel::CrankAngle as usize] = 1e-3;
    let settings = StepSettings {
        tolerance: 1e-11,
        ..StepSettings::default()
    };
    let (h, steps) = (1e-3, 4);
    let duration = h * f64::from(steps);
    // Channel and change: torque [N·m], angle [rad], tip position [m].
    let channels = [0usize, 1, 2, 3, 4];
    let changes_by = [1e-1, 1e-4, 3e-6, 3e-6, 3e-6];
    let run = |end: Vec<f64>, mut variations: Option<&mut Vec<Variation<6>>>| -> Vector3<f64> {
        // The initial velocity of the tip would jump: start from rest with constant inputs, the
        // drive acts from the first step on.
        let rest = Linear {
            start: start.clone(),
            end: start.clone(),
            duration,
        };
        let drive = Linear {
            start: start.clone(),
            end,
            duration,
        };
        let mut state = State::new(&leg.model);
        state.poses.copy_from_slice(&bowed.state.poses);
        let mut workspace = Workspace::new(&leg.model);
        initialize(&leg.model, &mut state, &mut workspace, &rest).unwrap();
        for k in 1..=steps {
            step(&leg.model, &mut state, &mut workspace, &drive, h, &settings).unwrap();
            if let Some(variations) = variations.as_deref_mut() {
                let share = f64::from(k) / f64::from(steps);
                let changes: Vec<[InputVariation; 1]> = channels
                    .iter()
                    .map(|&channel| {
                        [InputVariation {
                            channel,
                            value: share,
                            rate: 1.0 / duration,
                        }]
                    })
                    .collect();
                let changes: Vec<&[InputVariation]> =
                    changes.iter().map(|change| change.as_slice()).collect();
                propagate(
                    &leg.model,
                    &mut workspace,
                    h,
                    &settings,
                    variations,
                    &changes,
                )
                .unwrap();
            }
        }
        leg.tip_force(&state)
    };
    let mut variations = vec![Variation::zero(&leg.model); channels.len()];
    run(base_end.clone(), Some(&mut variations));
    let first_row = leg.model.joints()[leg.tip_driver.unwrap().index()].first_row;
    for ((variation, &channel), &change) in variations.iter().zip(&channels).zip(&changes_by) {
        let mut ends = [base_end.clone(), base_end.clone()];
        ends[0][channel] += change;
        ends[1][channel] -= change;
        let [plus, minus] = ends.map(|end| run(end, None));
        let difference = (plus - minus) / (2.0 * change);
        // The tip is driven in world axes: the force on the holder is the multiplier itself.
        let exact = Vector3::from_fn(|i, _| variation.multipliers[first_row + i]);
        let error = (exact - difference).norm() / difference.norm().max(1.0);
        println!("channel {channel}: {exact:?} against {difference:?}: {error:e}");
        assert!(error < ALLOWED, "channel {channel}: {error:e}");
    }
}
