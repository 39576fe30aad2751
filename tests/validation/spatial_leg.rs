//! The spatial leg against the planar one, and against itself on a finer mesh.

use leg_core::planar::Channel;
use leg_core::spatial::{SPATIAL_CHANNELS, SpatialChannel, TipDrive};
use leg_core::{LegConfig, Simulation, SpatialLegConfig, SpatialSimulation};
use multibody::group::Group;
use multibody::model::{Drive, Inputs, Signal};
use multibody::results;

/// Moves the tip on the arc of the planar leg's upper link.
struct Arc {
    angle: Signal,
}

impl Drive for Arc {
    fn sample(&self, time: f64, inputs: &mut Inputs) {
        *inputs = Inputs::zeros(SPATIAL_CHANNELS);
        let (q, q_dot, q_ddot) = self.angle.sample(time);
        let (sin, cos) = q.sin_cos();
        let radius = 0.19;
        let square = q_dot * q_dot;
        let first = SpatialChannel::TipPosition as usize;
        for (i, value, rate, acceleration) in [
            (0, cos, -sin * q_dot, -sin * q_ddot - cos * square),
            (2, sin, cos * q_dot, cos * q_ddot - sin * square),
        ] {
            inputs.value[first + i] = radius * value + if i == 2 { 0.4 } else { 0.0 };
            inputs.rate[first + i] = radius * rate;
            inputs.acceleration[first + i] = radius * acceleration;
        }
    }
}

#[test]
fn spatial_leg_moved_in_its_plane_equals_the_planar_leg() {
    let swing = Signal::Ramp {
        start: 0.0,
        duration: 0.3,
        from: 0.0,
        to: 0.05,
    };
    let mut planar_config = LegConfig::default();
    planar_config.load.lock_q3 = true;
    planar_config.tendon.damping_n_s_per_m = 100.0;
    let mut planar = Simulation::new(&planar_config).unwrap();
    planar.set_signal(Channel::LinkAngle, swing.clone());
    let mut spatial_config = SpatialLegConfig::default();
    spatial_config.tendon.damping_n_s_per_m = 100.0;
    let mut spatial = SpatialSimulation::new(&spatial_config, TipDrive::Prescribed).unwrap();
    let arc = Arc { angle: swing };
    let mut worst: f64 = 0.0;
    for k in 1..=500 {
        let time = 1e-3 * f64::from(k);
        planar.advance_to(time).unwrap();
        spatial.advance_with(&arc, time).unwrap();
        let (p, s) = (planar.sample().unwrap(), spatial.sample().unwrap());
        worst = worst
            .max((p.q[0] - s.q1).abs())
            .max((p.tendon_length - s.tendon_length).abs())
            .max((p.stations[1][0] - s.mid_point[0]).abs())
            .max((p.stations[1][1] - s.mid_point[2]).abs())
            .max(s.mid_point[1].abs());
    }
    println!("largest difference {worst:e}");
    assert!(worst < 1e-9, "{worst:e}");
}

/// The leaf after a sideways push.
struct Pushed {
    tip: [f64; 3],
    middle: [f64; 3],
    /// Turn of the sections at a quarter, half, three quarters and the end against the root, about
    /// the leaf's own axis [rad].
    twist: [f64; 4],
}

fn pushed_sideways(elements: usize, step: f64) -> Pushed {
    let mut config = SpatialLegConfig::default();
    config.solver.elements = elements;
    config.solver.step_s = step;
    config.motor.mode = leg_core::config::MotorMode::Locked;
    let mut simulation = SpatialSimulation::new(&config, TipDrive::Free).unwrap();
    let push = Signal::Ramp {
        start: 0.0,
        duration: 0.1,
        from: 0.0,
        to: 0.5,
    };
    simulation.set_signal(SpatialChannel::TipForce, 1, push);
    simulation.advance_to(0.25).unwrap();
    let sample = simulation.sample().unwrap();
    let (leg, state) = (&simulation.leg, &simulation.state);
    let twist = [0.25, 0.5, 0.75, 1.0].map(|part| {
        let s = part * leg.config.leaf.length_m;
        let section = results::pose_at(&leg.model, state, leg.leaf, s).unwrap();
        state.pose(leg.node_a).between(&section).log().unwrap()[3]
    });
    Pushed {
        tip: sample.tip_position,
        middle: sample.mid_point,
        twist,
    }
}

#[test]
fn sideways_push_swings_and_twists_as_four_times_the_mesh_says() {
    let Pushed { tip, middle, twist } = pushed_sideways(10, 1e-3);
    let fine = pushed_sideways(40, 1e-3);
    let (fine_tip, fine_middle) = (fine.tip, fine.middle);
    println!("twist {twist:?} against {:?}", fine.twist);
    for (coarse, fine) in twist.iter().zip(fine.twist) {
        assert!(fine.abs() > 1e-3, "it must twist: {fine:e} rad");
        assert!(
            (coarse - fine).abs() < 0.01 * fine.abs(),
            "{coarse:e} {fine:e}"
        );
    }
    println!("tip {tip:?} against {fine_tip:?}, middle {middle:?} against {fine_middle:?}");
    assert!(
        fine_tip[1].abs() > 0.01,
        "it must swing for this test to mean anything"
    );
    for i in 0..3 {
        let moved = (fine_tip[i] - [0.19, 0.0, 0.40][i]).abs().max(1e-3);
        assert!((tip[i] - fine_tip[i]).abs() < 0.01 * moved, "tip {i}");
        assert!(
            (middle[i] - fine_middle[i]).abs() < 0.01 * moved,
            "middle {i}"
        );
    }
}
