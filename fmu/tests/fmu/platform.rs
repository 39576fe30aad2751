//! The `Platform` FMU against the platform of the program.

use crate::support::{Folder, Raw};
use leg_core::config::{EndStops, History, MotorMode};
use multibody::model::{Interpolation, Signal};
use softdock_fmi::abi::{FMI2_ERROR, FMI2_OK};
use softdock_fmi::import::{FmuArchive, FmuInstance, Options};
use softdock_fmi::package::{FmiVersion, TargetSystem, pack_model};
use softdock_fmu::{ModelKind, PlatformModel};
use softdock_fmu_library::LIBRARY;
use softdock_platform::PlatformConfig;
use softdock_platform::native::torque_history;
use softdock_platform::results::Motion;
use softdock_platform::sample::PlatformSample;
use softdock_platform::scheme::{self, Scheme};
use softdock_platform::statics::{StaticPlatform, StaticSettings, Target};
use softdock_platform::wrench::WrenchHistory;

/// What the FMU may differ by from the program: rounding of times [m, rad, N over their size].
const SAME: f64 = 1e-9;
const STEP: f64 = 1e-3;

/// Histories of the wrench and of the motors, torque and angle.
pub struct Histories {
    pub wrench: [Signal; 6],
    pub motors: Vec<(Option<Signal>, Option<Signal>)>,
}

/// The platform as `softdock platform simulate` starts it.
pub fn started(config: &PlatformConfig, histories: &Histories) -> Box<dyn Scheme> {
    let mut equilibrium = StaticPlatform::nominal(config).unwrap();
    let target = Target {
        pose: None,
        motors: Some(equilibrium.motors().to_vec()),
        force: Default::default(),
        moment: Default::default(),
    };
    equilibrium
        .follow(&target, &StaticSettings::default())
        .unwrap();
    let wrench = WrenchHistory(histories.wrench.clone());
    let mut platform = scheme::start(&equilibrium, wrench).unwrap();
    let (modes, held) = (equilibrium.motor_modes(), equilibrium.holding_torques());
    for (i, (torque, angle)) in histories.motors.iter().cloned().enumerate() {
        let torque = torque.map(|command| torque_history(modes[i], command, held[i]));
        platform.set_motor(i, torque, angle);
    }
    platform
}

/// The FMU of a platform with these settings, and an instance of it at its start.
fn loaded(config: &PlatformConfig, folder: &Folder) -> (FmuArchive, FmuInstance) {
    let model = PlatformModel::with(config).unwrap();
    let kind = ModelKind::Platform.packaged();
    let bytes = pack_model((kind, &model), FmiVersion::Two, LIBRARY, TargetSystem::HERE).unwrap();
    let file = folder.0.join("Platform.fmu");
    std::fs::write(&file, bytes).unwrap();
    let fmu = FmuArchive::open(&file).unwrap();
    let mut instance = fmu.instantiate("platform", &Options::default()).unwrap();
    instance.initialize(0.0, None).unwrap();
    (fmu, instance)
}

fn read(fmu: &FmuArchive, instance: &mut FmuInstance, name: &str, count: usize) -> Vec<f64> {
    let names: Vec<String> = (1..=count).map(|i| format!("{name}[{i}]")).collect();
    let mut values = vec![f64::NAN; count];
    let references = fmu.references(&names).unwrap();
    instance.get_real(&references, &mut values).unwrap();
    values
}

/// Largest difference of an output from the program's, over the size of the quantity.
fn difference(fmu: &FmuArchive, instance: &mut FmuInstance, sample: &PlatformSample) -> f64 {
    let mut worst = 0.0_f64;
    let mut compare = |name: &str, expected: &[f64], size: f64| {
        let found = read(fmu, instance, name, expected.len());
        for (a, b) in found.iter().zip(expected) {
            assert!(a.is_finite(), "{name}");
            worst = worst.max((a - b).abs() / size);
        }
    };
    let body = &sample.effector;
    compare("effector.position", &body.position, 1.0);
    compare("effector.attitude", &body.attitude.list(), 1.0);
    compare("effector.velocity", &body.velocity, 1.0);
    compare("effector.spin", &body.spin, 1.0);
    let each = |value: fn(&softdock_platform::sample::LegState) -> f64| {
        sample.legs.iter().map(value).collect::<Vec<f64>>()
    };
    compare("tendon.tension", &each(|leg| leg.tendon_tension), 100.0);
    compare("tendon.length", &each(|leg| leg.tendon_length), 1.0);
    compare("motor.angle", &each(|leg| leg.motor_angle), 1.0);
    compare("motor.torque", &each(|leg| leg.motor_torque), 10.0);
    for (i, leg) in sample.legs.iter().enumerate() {
        compare(&format!("leg[{}].force", i + 1), &leg.force, 100.0);
    }
    worst
}

pub fn constant(values: [f64; 6]) -> [Signal; 6] {
    values.map(Signal::Constant)
}

#[test]
fn the_fmu_equals_the_program_under_a_constant_wrench() {
    let mut config = PlatformConfig {
        gravity_m_s2: [0.0, 0.5, -1.0],
        ..PlatformConfig::default()
    };
    config.wrench.force_z_n = History::Constant(-20.0);
    config.wrench.moment_y_nm = History::Constant(0.7);
    let histories = Histories {
        wrench: config.wrench.signals(),
        motors: Vec::new(),
    };
    for threads in [1, 2] {
        config.solver.threads = threads;
        let mut motion = Motion::new(started(&config, &histories), Vec::new()).unwrap();
        let folder = Folder::new(&format!("platform-constant-{threads}"));
        let (fmu, mut instance) = loaded(&config, &folder);
        let mut worst = 0.0_f64;
        let mut time = 0.0;
        for k in 1..=500 {
            // The host adds up, the program counts.
            instance.do_step(time, STEP).unwrap();
            time += STEP;
            let sample = motion.advance_to(f64::from(k) / 1000.0).unwrap();
            worst = worst.max(difference(&fmu, &mut instance, sample));
        }
        println!("constant wrench, {threads} threads: {worst:e}");
        assert!(worst <= SAME, "{worst:e}");
    }
}

#[test]
fn inputs_that_jump_act_as_steps_of_the_programs_table() {
    for mode in [MotorMode::Torque, MotorMode::Hold] {
        let mut config = PlatformConfig::default();
        config.motor.mode = mode;
        // An impact on a stop enlarges what rounding makes of the same times.
        config.motor.end_stops = EndStops::Off;
        let legs = config.leg_count();
        let times = vec![0.0, 0.05, 0.1, 0.15];
        let table = |values: Vec<f64>| Signal::Table {
            times: times.clone(),
            values,
            interpolation: Interpolation::Hold,
        };
        let push = vec![0.0, -15.0, 0.0, 5.0];
        let command = |leg: usize| -> Vec<f64> {
            let size = if mode == MotorMode::Hold { 0.02 } else { 0.3 };
            let turn = |k: usize| size * ((k + leg) % 3) as f64;
            (0..4).map(turn).collect()
        };
        let mut wrench = constant([0.0; 6]);
        wrench[0] = table(push.clone());
        let histories = Histories {
            wrench,
            motors: (0..legs)
                .map(|leg| match mode {
                    MotorMode::Hold => (None, Some(table(command(leg)))),
                    _ => (Some(table(command(leg))), None),
                })
                .collect(),
        };
        let pull = |leg: usize| -> Vec<f64> {
            let pull = |k: usize| 5.0 * ((k + 2 * leg) % 3) as f64 - 4.0;
            (0..4).map(pull).collect()
        };
        let mut platform = started(&config, &histories);
        for leg in 0..legs {
            assert!(platform.set_tendon_force(leg, table(pull(leg))));
        }
        let mut motion = Motion::new(platform, Vec::new()).unwrap();
        let folder = Folder::new(&format!("platform-jumps-{mode:?}"));
        let (fmu, mut instance) = loaded(&config, &folder);
        let force = fmu.references(&["effector.force[1]"]).unwrap();
        let name = match mode {
            MotorMode::Hold => "motor.angle_command",
            _ => "motor.torque_command",
        };
        let names: Vec<String> = (1..=legs).map(|leg| format!("{name}[{leg}]")).collect();
        let commands = fmu.references(&names).unwrap();
        let names = (1..=legs).map(|leg| format!("tendon.force_command[{leg}]"));
        let pulls = fmu.references(&names.collect::<Vec<String>>()).unwrap();
        let mut worst = 0.0_f64;
        for k in 0..200 {
            let row = k / 50;
            instance.set_real(&force, &[push[row]]).unwrap();
            let values: Vec<f64> = (0..legs).map(|leg| command(leg)[row]).collect();
            instance.set_real(&commands, &values).unwrap();
            let values: Vec<f64> = (0..legs).map(|leg| pull(leg)[row]).collect();
            instance.set_real(&pulls, &values).unwrap();
            instance.do_step(k as f64 * STEP, STEP).unwrap();
            let sample = motion.advance_to((k + 1) as f64 / 1000.0).unwrap();
            worst = worst.max(difference(&fmu, &mut instance, sample));
        }
        println!("{mode:?} with jumps: {worst:e}");
        assert!(worst <= SAME, "{mode:?}: {worst:e}");
    }
}

#[test]
fn other_numbers_of_legs_and_struts_are_packaged_too() {
    let text = r#"
        [legs]
        fidelity = "strut"
        motor_azimuth_deg = [0.0, 120.0, 240.0, 60.0]
        sphere_azimuth_deg = [10.0, 130.0, 250.0, 50.0]
        [wrench]
        force_z_n = -5.0
    "#;
    let config: PlatformConfig = toml::from_str(text).unwrap();
    let histories = Histories {
        wrench: config.wrench.signals(),
        motors: Vec::new(),
    };
    let mut motion = Motion::new(started(&config, &histories), Vec::new()).unwrap();
    let rows = (1..=20).map(|k| {
        let sample = motion.advance_to(f64::from(k) / 1000.0);
        sample.unwrap().effector.position
    });
    let expected = rows.last().unwrap();
    let folder = Folder::new("platform-struts");
    let (fmu, mut instance) = loaded(&config, &folder);
    assert!(fmu.references(&["motor.angle[5]"]).is_err());
    let state = instance.save().unwrap();
    for _ in 0..2 {
        for k in 0..20 {
            instance.do_step(f64::from(k) * STEP, STEP).unwrap();
        }
        let bytes = instance.serialize(state).unwrap();
        let again = instance.deserialize(&bytes).unwrap();
        let found = read(&fmu, &mut instance, "effector.position", 3);
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() <= SAME, "{a} {b}");
        }
        instance.restore(again).unwrap();
    }
    // Struts have no winches.
    let pull = fmu.references(&["tendon.force_command[2]"]).unwrap();
    instance.set_real(&pull, &[1.0]).unwrap();
    assert!(instance.do_step(0.0, STEP).is_err());
}

#[test]
fn what_an_fmu_cannot_have_is_refused_with_its_reason() {
    let refused = |text: &str| {
        let config: PlatformConfig = toml::from_str(text).unwrap();
        PlatformModel::with(&config).err().map(|e| e.to_string())
    };
    let message = refused("[wrench]\nforce_x_n = { kind = \"step\", time_s = 1.0, after = 2.0 }");
    assert!(message.unwrap().contains("wrench.force_x_n"));
    assert!(
        refused("coupling = \"implicit\"")
            .unwrap()
            .contains("monolithic")
    );
    assert!(
        refused("[leaf]\nlength_m = -1.0")
            .unwrap()
            .contains("leaf.length_m")
    );
    let raw = Raw::new(ModelKind::Platform);
    assert_eq!(raw.set_integer("motor.mode", 2), FMI2_OK);
    // SAFETY: the component is alive.
    let status = unsafe {
        softdock_fmi::exports::lifecycle::fmi2EnterInitializationMode(raw.component);
        softdock_fmi::exports::lifecycle::fmi2ExitInitializationMode(raw.component)
    };
    assert_eq!(status, FMI2_ERROR);
}

/// A step that fails leaves no trace: the run goes on as one without it.
#[test]
fn a_failed_step_leaves_no_trace() {
    let run = |with_failure: bool| {
        let raw = Raw::started(ModelKind::Platform);
        assert_eq!(raw.set("effector.force[2]", 10.0), FMI2_OK);
        for k in 0..20 {
            if with_failure && k == 10 {
                let mut saved = std::ptr::null_mut();
                // SAFETY: the component is alive, the place is ours.
                unsafe {
                    use softdock_fmi::exports::state::*;
                    assert_eq!(fmi2GetFMUstate(raw.component, &mut saved), FMI2_OK);
                    assert_eq!(raw.set("effector.force[1]", 1e300), FMI2_OK);
                    assert_eq!(raw.step(0.01, STEP), softdock_fmi::abi::FMI2_DISCARD);
                    assert_eq!(fmi2SetFMUstate(raw.component, saved), FMI2_OK);
                    assert_eq!(fmi2FreeFMUstate(raw.component, &mut saved), FMI2_OK);
                }
            }
            assert_eq!(raw.step(f64::from(k) * STEP, STEP), FMI2_OK);
        }
        [
            "effector.position[2]",
            "tendon.tension[6]",
            "energy.residual",
        ]
        .map(|name| raw.get(name).to_bits())
    };
    assert_eq!(run(true), run(false));
}
