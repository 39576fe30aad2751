//! Targets and bases that act by themselves: wrench histories, attitude and course held with limits.

use leg_core::config::{History, MotorMode, Shape};
use multibody::group::Group;
use nalgebra::Vector3;
use softdock_docking::{DockingRun, Sample, Scenario};
use softdock_platform::PlatformError;
use softdock_platform::actuation::HoldMode;
use softdock_platform::attitude::Attitude;
use softdock_platform::audit::total_momentum;
use softdock_platform::config::{Coupling, Fidelity};

/// A target of 500 kg and 80 kg·m² out of reach, at rest, turned by 7.5 degrees.
fn far_away() -> Scenario {
    let mut scenario = Scenario::default();
    scenario.platform.legs.fidelity = Fidelity::Strut;
    scenario.platform.motor.mode = MotorMode::Locked;
    scenario.docking.initial_gap_m = 5.0;
    scenario.docking.closing_speed_m_s = 0.0;
    scenario.docking.output_interval_s = 0.01;
    scenario
}

fn finished(scenario: &Scenario) -> DockingRun {
    let mut run = DockingRun::new(scenario, true).unwrap();
    run.run().unwrap();
    run
}

/// With k = I ω² and d = 2 I ω the attitude comes back by θ₀ (1 + ω t) exp(−ω t), and the centre of
/// mass, half a metre behind the port, stays where it is.
#[test]
fn a_target_turns_to_the_attitude_it_holds() {
    let mut scenario = far_away();
    let omega: f64 = 4.0;
    let hold = &mut scenario.docking.target.hold;
    hold.mode = HoldMode::Attitude;
    hold.stiffness_nm_per_rad = 80.0 * omega * omega;
    hold.damping_nm_s_per_rad = 2.0 * 80.0 * omega;
    hold.torque_limit_nm = 1e4;
    scenario.docking.duration_s = 3.0;
    let run = finished(&scenario);
    let centre = Vector3::new(0.0, 0.0, -0.5);
    let at = |sample: &Sample| sample.target.translation() + sample.target.rotation() * centre;
    let first = &run.samples()[0];
    for sample in run.samples() {
        let [pitch, yaw, roll] = Attitude::of_target(&sample.target).degrees();
        let t = omega * sample.time;
        let wanted = 7.5 * (1.0 + t) * (-t).exp();
        // Steps of a millisecond, and 2 sin(θ/2) for θ: 7e-4 of the moment at the start.
        assert!(
            (pitch - wanted).abs() < 5e-3,
            "{}: {pitch} {wanted}",
            sample.time
        );
        assert!(yaw.abs() < 1e-9 && roll.abs() < 1e-9);
        assert!((at(sample) - at(first)).norm() < 1e-9);
    }
    // What it took: the law first gives energy, then takes it, and the target is at rest.
    let left = run.samples().last().unwrap().energy;
    let residual = left.residual(run.start()).abs();
    let most = run
        .samples()
        .iter()
        .map(|s| s.energy.actuator_work)
        .fold(0.0, f64::max);
    // ½ I (θ₀ ω/e)², the largest kinetic energy of that motion.
    let peak = 0.5 * 80.0 * (7.5_f64.to_radians() * omega / core::f64::consts::E).powi(2);
    assert!((most / peak - 1.0).abs() < 2e-2, "{most} {peak}");
    assert!(
        left.actuator_work.abs() < 1e-3 * most,
        "{}",
        left.actuator_work
    );
    assert!(residual < 1e-3 * most, "{residual} of {most}");
}

/// At its limit the law gives the limit: a spin that grows evenly.
#[test]
fn a_weak_law_turns_the_target_with_its_limit() {
    let mut scenario = far_away();
    let hold = &mut scenario.docking.target.hold;
    hold.mode = HoldMode::Attitude;
    hold.stiffness_nm_per_rad = 1e6;
    hold.damping_nm_s_per_rad = 10.0;
    hold.torque_limit_nm = 0.4;
    scenario.docking.duration_s = 1.0;
    let run = finished(&scenario);
    let last = run.samples().last().unwrap();
    let spin = last.target_twist.fixed_rows::<3>(3).norm();
    assert!((spin - 0.4 / 80.0).abs() < 1e-6, "{spin}");
}

/// What steps of a millisecond miss of the momentum of a docking on which nothing acts.
const MOMENTUM: f64 = 5e-9;

/// A push until a time [s] between the ends of steps.
fn push(newton: f64, until_s: f64) -> History {
    History::Shape(Shape::Step {
        time_s: until_s,
        before: newton,
        after: 0.0,
    })
}

/// Base and target push themselves along the docking axis, through touch and contact: all of the
/// momentum of bodies and legs is the impulse of both pushes.
#[test]
fn momentum_changes_by_the_impulse_of_the_histories() {
    let mut scenario = Scenario::default();
    scenario.platform.legs.elements = 3;
    scenario.platform.base.free_floating = true;
    scenario.platform.base.wrench.force_z_n = push(20.0, 0.1333);
    scenario.docking.misalignment.pitch_deg = 0.0;
    // Its z looks against that of the world.
    scenario.docking.target.wrench.force_z_n = push(5.0, 0.0707);
    scenario.docking.duration_s = 0.2;
    scenario.docking.output_interval_s = 0.05;
    let mut run = DockingRun::new(&scenario, true).unwrap();
    let momentum = |run: &DockingRun| total_momentum(run.platform().monolithic().unwrap()).unwrap();
    let (before, _) = momentum(&run);
    run.run().unwrap();
    let (after, _) = momentum(&run);
    let wanted = Vector3::new(0.0, 0.0, 20.0 * 0.1333 - 5.0 * 0.0707);
    assert!(
        (after - before - wanted).amax() < MOMENTUM * before.norm(),
        "{}",
        after - before
    );
    let summary = run.summary().unwrap();
    let missing = summary.energy_residual_rel;
    assert!(missing < 1e-3, "{missing}");
    assert!(summary.energy.actuator_work_j.abs() > 1e-3);
    let peak = summary.peak_contact_force_n.unwrap();
    assert!(peak > 1.0, "{peak}");
}

/// A docking in which the target holds attitude and course: the account closes, and co-simulation
/// says the same as one system.
#[test]
fn a_target_that_holds_itself_docks_alike_in_every_coupling() {
    let mut scenario = Scenario::default();
    scenario.platform.legs.elements = 3;
    scenario.platform.motor.mode = MotorMode::Locked;
    scenario.docking.target.hold.mode = HoldMode::Pose;
    scenario.docking.target.wrench.moment_z_nm = History::Constant(0.5);
    scenario.docking.duration_s = 0.15;
    scenario.docking.output_interval_s = 0.05;
    let one = finished(&scenario);
    let energy = one.samples().last().unwrap().energy;
    assert!(energy.actuator_work.abs() > 1e-4, "{energy:?}");
    let summary = one.summary().unwrap();
    assert!(
        summary.energy_residual_rel < 1e-3,
        "{}",
        summary.energy_residual_rel
    );
    scenario.platform.coupling = Coupling::Implicit;
    let other = finished(&scenario);
    let ends = [&one, &other].map(|run| *run.samples().last().map(|s| &s.target).unwrap());
    let apart = ends[0].between(&ends[1]).log().unwrap().amax();
    assert!(apart < 1e-6, "{apart}");
    let works = [&one, &other].map(|run| run.samples().last().unwrap().energy.actuator_work);
    assert!(
        (works[0] - works[1]).abs() < 1e-3 * works[0].abs(),
        "{works:?}"
    );
}

#[test]
fn a_fixed_base_that_acts_is_refused_by_name() {
    let mut scenario = Scenario::default();
    scenario.platform.base.hold.mode = HoldMode::Attitude;
    let error = scenario.platform.validate().unwrap_err();
    assert!(matches!(
        error,
        PlatformError::FixedBaseActs {
            key: "base.hold.mode"
        }
    ));
    scenario.platform.base.hold.mode = HoldMode::Off;
    scenario.platform.base.wrench.moment_y_nm = History::Constant(1.0);
    let error = scenario.platform.validate().unwrap_err().to_string();
    assert!(error.contains("base.wrench.moment_y_nm"), "{error}");
}
