//! Linearisation of the whole platform and its regulator.

use crate::{PUSH, PUSH_TIME, free_equilibrium, push};
use leg_core::config::{History, MotorMode, Shape};
use leg_core::planar::LinkDrive;
use multibody::group::Group;
use multibody::linearize::LinearModel;
use multibody::model::{Interpolation, Signal};
use nalgebra::{Complex, DMatrix, DVector, Vector6};
use softdock_docking::{DockingRun, Law, Outcome, RegulatorConfig, Scenario};
use softdock_platform::PlatformConfig;
use softdock_platform::config::Coupling;
use softdock_platform::linear_model::{Kept, RESPONSE_TOLERANCE, linearize_platform};
use softdock_platform::monolithic::Platform;
use softdock_platform::regulator::{Regulator, RegulatorSettings};
use softdock_platform::scheme;
use softdock_platform::statics::StaticPlatform;
use softdock_platform::wrench::WrenchHistory;

fn small() -> PlatformConfig {
    let mut config = PlatformConfig::default();
    config.legs.elements = 4;
    config
}

/// Deviation of the end effector from where it was, world axes.
fn deviation(platform: &Platform, from: &StaticPlatform) -> Vector6<f64> {
    let rotation = from.pose().rotation();
    let now = &platform.effector().pose;
    let turn = from.pose().between(now).log().unwrap();
    let moved = now.translation() - from.pose().translation();
    let turned = rotation * turn.fixed_rows::<3>(3);
    Vector6::from_iterator(moved.iter().chain(turned.iter()).copied())
}

#[test]
fn static_response_of_the_linear_platform_is_its_compliance() {
    let equilibrium = free_equilibrium(&small());
    let linear = {
        // Twelve modes are right for constant loads, which is what is looked at.
        let kept = Kept::Count(12);
        linearize_platform(&equilibrium, LinkDrive::Prescribed, kept, f64::INFINITY).unwrap()
    };
    let model = &linear.model;
    // y = (D − C A⁻¹ B) u for a constant wrench.
    let solved = model.a.clone().lu().solve(&model.b).unwrap();
    let response = &model.d - &model.c * solved;
    let compliance = equilibrium.stiffness_report().matrix.try_inverse().unwrap();
    for i in 0..6 {
        for j in 0..6 {
            let scale = (compliance[(i, i)] * compliance[(j, j)]).sqrt();
            let error = (response[(i, j)] - compliance[(i, j)]).abs() / scale;
            assert!(error < 1e-5, "{i} {j}: {error}");
        }
    }
}

/// Response of outputs to inputs at one frequency, `C (iω − A)⁻¹ B + D`, by a dense solution.
fn response(model: &LinearModel, hertz: f64) -> DMatrix<Complex<f64>> {
    let complex = |m: &DMatrix<f64>| m.map(Complex::from);
    let size = model.a.nrows();
    let unit = Complex::new(0.0, core::f64::consts::TAU * hertz);
    let matrix = DMatrix::from_diagonal_element(size, size, unit) - complex(&model.a);
    let states = matrix.lu().solve(&complex(&model.b)).unwrap();
    complex(&model.c) * states + complex(&model.d)
}

/// Undamped modes alone were off by 70 % at 2 Hz with held motors and a cutoff of 20 Hz: what the
/// tendons' dampers hold back belongs to no slow mode.
#[test]
fn reduced_models_answer_like_the_whole_platform_below_half_their_cutoff() {
    let equilibrium = free_equilibrium(&small());
    for drive in [LinkDrive::Free, LinkDrive::Prescribed, LinkDrive::Held] {
        let all = Kept::Count(usize::MAX);
        let full = linearize_platform(&equilibrium, drive, all, RESPONSE_TOLERANCE).unwrap();
        for cutoff in [3.0, 10.0, 20.0, 50.0] {
            let kept = Kept::Below(cutoff);
            let small = linearize_platform(&equilibrium, drive, kept, RESPONSE_TOLERANCE).unwrap();
            let mut worst: f64 = 0.0;
            // Frequencies of no special kind, not those at which the model was made or checked.
            for part in [0.0031, 0.0217, 0.0713, 0.183, 0.311, 0.4987] {
                let exact = response(&full.model, part * cutoff);
                let reduced = response(&small.model, part * cutoff);
                let torques = full.torques;
                for output in 0..12 {
                    for input in torques..torques + 6 {
                        // A force moves the centre along itself, a moment turns it: entries that
                        // are there for any symmetry.
                        if output % 6 != input - torques {
                            continue;
                        }
                        let error = (reduced[(output, input)] - exact[(output, input)]).norm();
                        worst = worst.max(error / exact[(output, input)].norm());
                    }
                }
            }
            println!(
                "{drive:?} {cutoff} Hz: {} states of {}, off by {worst:.1e}, reported {:.1e}",
                2 * small.model.order(),
                2 * full.model.order(),
                small.error.relative
            );
            assert!(worst < RESPONSE_TOLERANCE, "{drive:?} {cutoff} Hz: {worst}");
            assert!(small.error.relative < RESPONSE_TOLERANCE);
        }
    }
}

#[test]
fn a_model_of_too_few_modes_is_refused() {
    let equilibrium = free_equilibrium(&small());
    let few = Kept::Count(6);
    let refused = linearize_platform(&equilibrium, LinkDrive::Held, few, RESPONSE_TOLERANCE);
    let message = refused.unwrap_err().to_string();
    assert!(
        message.contains("12 states") && message.contains("0.01"),
        "{message}"
    );
    // Whoever wants it says so.
    linearize_platform(&equilibrium, LinkDrive::Held, few, f64::INFINITY).unwrap();
}

#[test]
fn linear_and_nonlinear_platform_move_alike_when_pushed_gently() {
    let config = small();
    let equilibrium = free_equilibrium(&config);
    let kept = Kept::Below(200.0);
    let linear = linearize_platform(
        &equilibrium,
        LinkDrive::Prescribed,
        kept,
        RESPONSE_TOLERANCE,
    )
    .unwrap();
    let model = &linear.model;
    let force = Vector6::from_row_slice(&PUSH) * 1e-3;
    let wrench = WrenchHistory(core::array::from_fn(|i| Signal::Constant(force[i])));
    let mut platform = Platform::at_rest_under(&equilibrium, wrench).unwrap();
    let h = 1e-3;
    let (a, b) = softdock_control::riccati::discretize(&model.a, &model.b, h).unwrap();
    let u = DVector::from_column_slice(force.as_slice());
    let mut x = DVector::zeros(model.a.nrows());
    let (mut error, mut size) = (0.0_f64, 0.0_f64);
    for k in 1..=100 {
        platform.advance_to(h * f64::from(k)).unwrap();
        x = &a * x + &b * &u;
        let y = &model.c * &x + &model.d * &u;
        let now = deviation(&platform, &equilibrium);
        for i in 0..3 {
            size = size.max(now[i].abs());
            error = error.max((now[i] - y[i]).abs());
        }
    }
    println!("moved by {size:e} m, difference {error:e} m");
    assert!(error < 0.01 * size);
}

/// Largest distance and distance at the end after a push, and the largest torque.
fn pushed(regulator: Option<&Regulator>, equilibrium: &StaticPlatform, end: f64) -> [f64; 3] {
    let mut platform = Platform::at_rest_under(equilibrium, push(PUSH, PUSH_TIME)).unwrap();
    let mut out = [0.0; 3];
    for k in 0..(end * 1e3).round() as u32 {
        if let Some(regulator) = regulator {
            let torques = regulator.torques(&platform).unwrap();
            assert!(torques.applied.amax() <= regulator.limit);
            out[2] = torques.applied.amax().max(out[2]);
            regulator.apply(&mut platform, &torques).unwrap();
        }
        platform.advance_to(1e-3 * f64::from(k + 1)).unwrap();
        let gap = deviation(&platform, equilibrium).fixed_rows::<3>(0).norm();
        out[0] = gap.max(out[0]);
        out[1] = gap;
    }
    out
}

#[test]
fn the_regulator_brings_the_pose_back_within_the_torque_limits() {
    for limit in [10.0, 0.6] {
        let mut config = small();
        config.motor.mode = MotorMode::Torque;
        config.motor.torque_limit_nm = limit;
        let equilibrium = free_equilibrium(&config);
        let regulator = Regulator::new(&equilibrium, &RegulatorSettings::default()).unwrap();
        let slowest = regulator
            .riccati
            .closed_loop
            .iter()
            .fold(0.0_f64, |slowest, value| slowest.max(value.norm()));
        assert!(slowest < 1.0, "{slowest}");
        let closed = pushed(Some(&regulator), &equilibrium, 1.5);
        let open = pushed(None, &equilibrium, 0.5);
        println!("limit {limit}: {closed:?}, without {open:?}");
        assert!(closed[1] < 5e-4 && closed[0] < 0.05, "{closed:?}");
        assert!(open[1] > 0.02, "{open:?}");
    }
}

/// A scenario under a regulator or with its motors in another mode.
fn docking(mode: MotorMode, active: bool) -> Scenario {
    let mut scenario = Scenario {
        platform: small(),
        ..Scenario::default()
    };
    scenario.platform.motor.mode = mode;
    if active {
        scenario.docking.regulator.law = Law::Lqr;
    }
    scenario
}

/// When a docking platform that is pushed, the target far away, is back to 1 mm and 0.2° for good;
/// none if it is not.
fn back_after_push(mut scenario: Scenario) -> Option<f64> {
    let push = PUSH.map(|before| {
        History::Shape(Shape::Step {
            time_s: PUSH_TIME,
            before,
            after: 0.0,
        })
    });
    let wrench = &mut scenario.platform.wrench;
    [
        wrench.force_x_n,
        wrench.force_y_n,
        wrench.force_z_n,
        wrench.moment_x_nm,
        wrench.moment_y_nm,
        wrench.moment_z_nm,
    ] = push;
    scenario.docking.initial_gap_m = 5.0;
    scenario.docking.duration_s = 1.5;
    let mut run = DockingRun::new(&scenario, true).unwrap();
    run.run().unwrap();
    let samples = run.samples();
    let away = |i: &usize| {
        let off = samples[0].effector.between(&samples[*i].effector);
        let turn = off.log().unwrap().fixed_rows::<3>(3).norm();
        off.translation().norm() > 1e-3 || turn > 0.2_f64.to_radians()
    };
    let last = (0..samples.len()).rev().find(away).unwrap();
    samples.get(last + 1).map(|sample| sample.time)
}

#[test]
fn a_regulated_docking_platform_is_back_before_one_with_locked_or_free_motors() {
    let mut regulated = docking(MotorMode::Torque, true);
    let settings = RegulatorSettings::default();
    regulated.docking.regulator = RegulatorConfig {
        law: Law::Lqr,
        position_weight_per_m2: settings.position,
        rotation_weight_per_rad2: settings.rotation,
        velocity_weight_s2_per_m2: settings.velocity,
        spin_weight_s2_per_rad2: settings.spin,
        ..RegulatorConfig::default()
    };
    let regulated = back_after_push(regulated);
    let locked = back_after_push(docking(MotorMode::Locked, false));
    let free = back_after_push(docking(MotorMode::Torque, false));
    println!("back after {regulated:?} s, locked {locked:?}, free {free:?}");
    assert!(free.is_none());
    assert!(regulated.unwrap() < 0.75 * locked.unwrap());
}

/// The regulator is designed about the end effector alone, of 3 kg. With 500 kg latched to it the
/// loop stays stable: the motors take out what the target brought in.
#[test]
fn the_regulator_calms_a_captured_target_a_hundred_times_heavier() {
    let mut scenario = docking(MotorMode::Torque, true);
    let latch = &mut scenario.docking.contact.latch;
    (latch.angle_deg, latch.gap_m) = (10.0, 0.1);
    (latch.speed_m_s, latch.dwell_s) = (0.1, 0.0);
    scenario.docking.duration_s = 6.0;
    scenario.docking.output_interval_s = 0.01;
    scenario.platform.solver.step_s = 2e-3;
    scenario.docking.regulator.period_s = 2e-3;
    scenario.docking.regulator.redesign = false;
    let mut run = DockingRun::new(&scenario, false).unwrap();
    run.run().unwrap();
    let summary = run.summary().unwrap();
    let energy = &summary.energy;
    println!(
        "left {:.1e} of {:.1e} J, motors {:.2} J, torque {:.2} N·m, ledger {:.1e}",
        energy.bodies_j,
        energy.brought_in_j,
        energy.motor_work_j,
        summary.peak_motor_torque_nm,
        summary.energy_residual_rel
    );
    assert_eq!(summary.outcome, Outcome::Captured);
    assert!(energy.bodies_j < 0.02 * energy.brought_in_j);
    assert!(energy.motor_work_j < -0.5 * energy.brought_in_j);
    assert!(summary.peak_motor_torque_nm <= scenario.platform.motor.torque_limit_nm);
    assert!(summary.energy_residual_rel < 1e-3);
}

/// Height and crank angle 50 ms after all torques jump, in steps of `h`; accelerations follow at once
/// or not.
fn after_a_jump_of_torques(h: f64, at_once: bool) -> [f64; 2] {
    let mut config = small();
    config.motor.mode = MotorMode::Torque;
    config.solver.step_s = h;
    config.solver.newton_tolerance = 1e-11;
    let mut platform = Platform::at_rest(&free_equilibrium(&config)).unwrap();
    platform.advance_to(0.005).unwrap();
    for leg in platform.legs_mut() {
        let (torque, angle) = leg.motor();
        let jumped = Signal::Constant(torque.sample(0.0).0 + 1.0);
        let angle = angle.clone();
        leg.set_motor(jumped, angle);
    }
    if at_once {
        platform.rebalance().unwrap();
    }
    platform.advance_to(0.055).unwrap();
    let height = platform.effector().pose.translation().z;
    [height, platform.legs()[0].crank_angle()]
}

/// A torque that jumps acts from the jump on, and not half a step late.
#[test]
fn a_jump_of_torques_is_felt_at_once() {
    let [coarse, fine] = [1e-3, 1.25e-4].map(|h| after_a_jump_of_torques(h, true));
    let late = after_a_jump_of_torques(1e-3, false);
    for i in 0..2 {
        let (error, error_late) = ((coarse[i] - fine[i]).abs(), (late[i] - fine[i]).abs());
        println!(
            "{} {} {}: {error:e} {error_late:e}",
            coarse[i], fine[i], late[i]
        );
        assert!(
            error < 0.1 * error_late,
            "{i}: {error:e}, late {error_late:e}"
        );
    }
}

/// Pose of the end effector after 0.2 s in which torques of two motors jump four times, at times that are
/// no multiples of the step `h`.
fn pose_behind_jumps(h: f64, coupling: Coupling) -> Vector6<f64> {
    let mut config = small();
    config.coupling = coupling;
    config.motor.mode = MotorMode::Torque;
    config.solver.step_s = h;
    config.solver.macro_step_s = h;
    // Without damping, vibrations of the leaves that no step resolves hide the order.
    config.leaf.rayleigh_stiffness_s = 1e-4;
    let mut platform = scheme::start(&free_equilibrium(&config), WrenchHistory::default()).unwrap();
    let torques = [[0.3, -0.3, 0.3, 0.1], [0.0, 0.2, -0.1, 0.0]];
    for (leg, values) in torques.into_iter().enumerate() {
        let held = platform.leg(leg).motor_torque;
        let torque = Signal::Table {
            times: vec![0.0, 0.0507, 0.1003, 0.1508],
            values: values.map(|value| held + value).to_vec(),
            interpolation: Interpolation::Hold,
        };
        platform.set_motor(leg, Some(torque), None);
    }
    platform.advance_to(0.2).unwrap();
    platform.effector().pose.log().unwrap()
}

/// Known jumps are ends of steps, and accelerations follow at once: behind four jumps of torques the pose
/// converges with second order (with first, and errors a hundred times as large at 0.25 ms, if steps
/// only begin small there).
#[test]
fn torques_that_jump_are_followed_with_second_order() {
    let poses = [2.5e-4, 1.25e-4, 6.25e-5].map(|h| pose_behind_jumps(h, Coupling::Monolithic));
    let changes = [(poses[0] - poses[1]).norm(), (poses[1] - poses[2]).norm()];
    let order = (changes[0] / changes[1]).log2();
    println!("{changes:?}: order {order}");
    assert!((1.85..2.15).contains(&order), "{changes:?}: order {order}");
    assert!(changes[0] < 1e-6, "{changes:?}");
    // Legs with steps of their own follow by small steps.
    let apart = pose_behind_jumps(1e-3, Coupling::Implicit);
    let error = (apart - poses[2]).norm();
    println!("implicit at 1 ms: {error:e}");
    assert!(error < 3e-5, "{error:e}");
}
