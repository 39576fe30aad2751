//! The `Docking` FMU against the docking of the program.

use crate::support::{Folder, Raw};
use leg_core::config::MotorMode;
use multibody::group::Group;
use softdock_docking::{DockingRun, Law, Outcome, Sample, Scenario};
use softdock_fmi::abi::{FMI2_DISCARD, FMI2_OK};
use softdock_fmi::import::{FmuArchive, FmuInstance, Options};
use softdock_fmi::package::{FmiVersion, TargetSystem, pack_model};
use softdock_fmu::{DockingModel, ModelKind};
use softdock_fmu_library::LIBRARY;
use softdock_platform::attitude::Attitude;

/// What the FMU may differ by from the program [m, rad, N over their size].
const SAME: f64 = 1e-9;

/// Part of a motion that the onset of a wrench may miss.
const ONSET: f64 = 1e-3;

/// The FMU of a docking with these settings, and an instance of it at its start.
fn loaded(scenario: &Scenario, folder: &Folder) -> (FmuArchive, FmuInstance) {
    let model = DockingModel::with(scenario).unwrap();
    let kind = ModelKind::Docking.packaged();
    let bytes = pack_model((kind, &model), FmiVersion::Two, LIBRARY, TargetSystem::HERE).unwrap();
    let file = folder.0.join("Docking.fmu");
    std::fs::write(&file, bytes).unwrap();
    let fmu = FmuArchive::open(&file).unwrap();
    let mut instance = fmu.instantiate("docking", &Options::default()).unwrap();
    instance.initialize(0.0, None).unwrap();
    (fmu, instance)
}

fn read(fmu: &FmuArchive, instance: &mut FmuInstance, names: &[String]) -> Vec<f64> {
    let mut values = vec![f64::NAN; names.len()];
    let references = fmu.references(names).unwrap();
    instance.get_real(&references, &mut values).unwrap();
    values
}

fn one(fmu: &FmuArchive, instance: &mut FmuInstance, name: &str) -> f64 {
    read(fmu, instance, &[name.to_owned()])[0]
}

/// Largest difference of outputs from a row of the program, over the size of the quantity.
fn difference(fmu: &FmuArchive, instance: &mut FmuInstance, sample: &Sample) -> f64 {
    let mut worst = 0.0_f64;
    let mut compare = |name: &str, expected: &[f64], size: f64| {
        let names: Vec<String> = (1..=expected.len())
            .map(|i| format!("{name}[{i}]"))
            .collect();
        for (a, b) in read(fmu, instance, &names).iter().zip(expected) {
            assert!(a.is_finite(), "{name}");
            worst = worst.max((a - b).abs() / size);
        }
    };
    compare(
        "effector.position",
        sample.effector.translation().as_slice(),
        1.0,
    );
    compare(
        "target.position",
        sample.target.translation().as_slice(),
        1.0,
    );
    compare(
        "target.attitude",
        &Attitude::of_target(&sample.target).list(),
        1.0,
    );
    compare("contact.force", sample.contact_force.as_slice(), 100.0);
    compare("contact.moment", sample.contact_moment.as_slice(), 10.0);
    compare("interface.force", sample.interface.force.as_slice(), 100.0);
    let torques: Vec<f64> = sample
        .legs
        .iter()
        .map(|leg| leg.view.motor_torque)
        .collect();
    let tensions: Vec<f64> = sample
        .legs
        .iter()
        .map(|leg| leg.view.tendon_tension)
        .collect();
    compare("motor.torque", &torques, 10.0);
    compare("tendon.tension", &tensions, 100.0);
    worst
}

/// Small, quick to be captured.
fn scenario(law: Law) -> Scenario {
    let mut out = Scenario::default();
    out.platform.legs.elements = 4;
    out.docking.duration_s = 0.4;
    out.docking.misalignment.pitch_deg = 1.0;
    if law != Law::None {
        out.platform.motor.mode = MotorMode::Torque;
        out.platform.motor.torque_limit_nm = 10.0;
        out.docking.regulator.law = law;
    }
    let latch = &mut out.docking.contact.latch;
    (latch.speed_m_s, latch.dwell_s) = (0.1, 0.02);
    out
}

#[test]
fn the_fmu_equals_the_program_through_contact_and_capture_under_every_law() {
    for (law, floating) in [
        (Law::None, false),
        (Law::None, true),
        (Law::Lqr, false),
        (Law::Impedance, true),
    ] {
        let mut scenario = scenario(law);
        scenario.platform.base.free_floating = floating;
        let mut run = DockingRun::new(&scenario, true).unwrap();
        run.run().unwrap();
        let summary = run.summary().unwrap();
        assert_eq!(summary.outcome, Outcome::Captured);
        let folder = Folder::new(&format!("docking-{law:?}-{floating}"));
        let (fmu, mut instance) = loaded(&scenario, &folder);
        let step = scenario.docking.output_interval_s;
        let (mut worst, mut state, mut time) = (0.0_f64, None, 0.0);
        for (k, sample) in run.samples().iter().enumerate().skip(1) {
            instance.do_step(time, step).unwrap();
            time += step;
            worst = worst.max(difference(&fmu, &mut instance, sample));
            if k == 100 {
                let saved = instance.save().unwrap();
                state = Some(instance.serialize(saved).unwrap());
            }
        }
        println!("{law:?}, floating {floating}: {worst:e}");
        assert!(worst <= SAME, "{law:?}, floating {floating}: {worst:e}");
        let mut get = |name: &str| one(&fmu, &mut instance, name);
        assert_eq!(get("outcome"), 3.0);
        assert_eq!(get("latch.state"), 2.0);
        let sound = !summary.soundness.is_suspect();
        assert_eq!(get("sound"), f64::from(u8::from(sound)), "{law:?}");
        // A latch may close before anything touches.
        let peak = summary.peak_contact_force_n.unwrap_or(0.0);
        assert!((get("contact.peak_force") - peak).abs() <= SAME * peak);
        let closed = summary.capture_time_s.unwrap();
        assert!((get("latch.closing_time") - closed).abs() <= SAME);
        let stroke = 1.0 - summary.max_leg_stroke_m / scenario.docking.limits.leg_stroke_m;
        assert!((get("margin.leg_stroke") - stroke).abs() <= SAME);
        // From the bytes of half way, in another instance, to the same bits.
        let ended = [
            get("effector.position[1]"),
            get("motor.torque[2]"),
            get("contact.peak_force"),
        ];
        let mut again = fmu.instantiate("again", &Options::default()).unwrap();
        again.initialize(0.0, None).unwrap();
        let state = again.deserialize(&state.unwrap()).unwrap();
        again.restore(state).unwrap();
        for k in 100..run.samples().len() - 1 {
            again.do_step(k as f64 * step, step).unwrap();
        }
        let names = [
            "effector.position[1]",
            "motor.torque[2]",
            "contact.peak_force",
        ];
        assert_eq!(
            names.map(|name| one(&fmu, &mut again, name)),
            ended,
            "{law:?}"
        );
    }
}

/// A free body under a constant force through its centre of mass, and under a moment.
#[test]
fn wrenches_on_the_vehicles_move_them() {
    let mut scenario = scenario(Law::None);
    scenario.platform.base.free_floating = true;
    scenario.docking.initial_gap_m = 1.0;
    scenario.docking.closing_speed_m_s = 0.0;
    scenario.docking.misalignment.pitch_deg = 0.0;
    scenario.docking.target.mass_kg = 50.0;
    scenario.docking.target.centre_of_mass_beside_axis_m = [0.1, -0.2];
    let folder = Folder::new("docking-vehicles");
    let (fmu, mut instance) = loaded(&scenario, &folder);
    let names = ["target.force[1]", "target.moment[3]", "base.force[2]"];
    let references = fmu.references(&names).unwrap();
    let (force, moment, push) = (5.0, 2.0, 30.0);
    instance
        .set_real(&references, &[force, moment, push])
        .unwrap();
    let start = one(&fmu, &mut instance, "target.position[1]");
    for k in 0..200 {
        instance.do_step(f64::from(k) * 1e-3, 1e-3).unwrap();
    }
    let t = 0.2_f64;
    let mut get = |name: &str| one(&fmu, &mut instance, name);
    // The centre of mass is beside the port: the port is carried along by the turn.
    let turn = get("target.attitude[3]");
    let inertia = scenario.docking.target.inertia_kg_m2[2];
    let (spin, free) = (get("target.spin[3]"), moment * t / inertia);
    println!("spin {spin:e}, of a free body {free:e}");
    // What the first steps miss of a wrench that jumps.
    assert!((spin / free - 1.0).abs() < ONSET, "{spin:e} {free:e}");
    let (x, y) = (0.1, 0.2);
    let carried = |angle: f64| x * angle.cos() - y * angle.sin();
    let moved = force * t * t / 2.0 / 50.0;
    let port = get("target.position[1]") - start;
    let expected = moved - (carried(turn) - carried(0.0));
    println!("port {port:e}, of a free body {expected:e}");
    assert!(
        (port / expected - 1.0).abs() < ONSET,
        "{port:e} {expected:e}"
    );
    // Base, legs and end effector take the impulse together.
    let platform = &scenario.platform;
    assert!(get("base.velocity[2]") > 0.5 * push * t / (platform.base.mass_kg + 30.0));
    assert!(get("energy.wrench_work") > 0.0);
    assert!(get("energy.residual").abs() < 1e-5 * get("energy.wrench_work"));
}

#[test]
fn commands_beside_a_regulator_and_wrenches_on_a_fixed_base_are_refused() {
    let folder = Folder::new("docking-refused");
    let (fmu, mut instance) = loaded(&scenario(Law::Lqr), &folder);
    let torque = fmu.references(&["motor.torque_command[1]"]).unwrap();
    instance.do_step(0.0, 1e-3).unwrap();
    instance.set_real(&torque, &[0.1]).unwrap();
    assert!(instance.do_step(1e-3, 1e-3).is_err());
    let raw = Raw::started(ModelKind::Docking);
    assert_eq!(raw.step(0.0, 1e-3), FMI2_OK);
    assert_eq!(raw.set("base.force[1]", 1.0), FMI2_OK);
    assert_eq!(raw.step(1e-3, 1e-3), FMI2_DISCARD);
    let raw = Raw::started(ModelKind::Docking);
    assert_eq!(raw.set("target.force[1]", 1.0), FMI2_OK);
    assert_eq!(raw.step(0.0, 1e-3), FMI2_OK);
}

#[test]
fn other_couplings_and_histories_are_refused_with_their_reason() {
    let refused = |text: &str| {
        let scenario: Scenario = toml::from_str(text).unwrap();
        DockingModel::with(&scenario).err().map(|e| e.to_string())
    };
    let message = refused("[wrench]\nforce_x_n = { kind = \"step\", time_s = 1.0, after = 2.0 }");
    assert!(message.unwrap().contains("wrench.force_x_n"));
    assert!(
        refused("coupling = \"implicit\"")
            .unwrap()
            .contains("coupling")
    );
}
