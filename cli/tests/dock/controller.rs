//! A controller inside an FMU, compiled from `controller.c`: it does what the same law in Rust does.
//! Without a C compiler the tests say so and pass, except where `CI=true`.

use crate::support::Folder;
use nalgebra::DVector;
use softdock_docking::{Controller, DockingRun, Scenario, Seen};
use softdock_fmi::package::{FmiVersion, TargetSystem};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const MOTORS: usize = 6;
/// A short docking with a coarse mesh.
const SHORT: [&str; 6] = [
    "--set",
    "legs.elements=4",
    "--set",
    "duration_s=0.2",
    "--no-report",
    "--json",
];

/// The description of `controller.c`, with `more` variables.
fn description(more: &str) -> String {
    let mut variables = String::new();
    let kinds = [
        ("motor.angle", 0, "input", " start=\"0\""),
        ("motor.rate", 6, "input", " start=\"0\""),
        ("motor.torque_command", 20, "output", ""),
    ];
    for (name, first, causality, start) in kinds {
        for i in 0..MOTORS {
            writeln!(
                variables,
                "<ScalarVariable name=\"{name}[{}]\" valueReference=\"{}\" \
                 causality=\"{causality}\"><Real{start}/></ScalarVariable>",
                i + 1,
                first + i
            )
            .unwrap();
        }
    }
    for (name, reference, start) in [
        ("stiffness", 30, 20.0),
        ("damping", 31, 0.5),
        ("fails_at", 32, 1e9),
    ] {
        writeln!(
            variables,
            "<ScalarVariable name=\"{name}\" valueReference=\"{reference}\" causality=\"parameter\" \
             variability=\"fixed\"><Real start=\"{start}\"/></ScalarVariable>"
        )
        .unwrap();
    }
    let outputs: String = (1..=MOTORS)
        .map(|i| format!("<Unknown index=\"{}\"/>", 2 * MOTORS + i))
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <fmiModelDescription fmiVersion=\"2.0\" modelName=\"Springs\" guid=\"{{1}}\">\n\
         <CoSimulation modelIdentifier=\"springs\" canHandleVariableCommunicationStepSize=\"true\"/>\n\
         <ModelVariables>\n{variables}{more}</ModelVariables>\n\
         <ModelStructure><Outputs>{outputs}</Outputs></ModelStructure>\n</fmiModelDescription>"
    )
}

/// Puts `springs.fmu` into the folder; false without a compiler.
fn make(folder: &Folder, more: &str) -> bool {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dock/controller.c");
    let made = folder.0.join("springs.so");
    let mut command = Command::new("cc");
    // Rounding as in Rust: nothing contracted.
    command
        .args(["-shared", "-fPIC", "-ffp-contract=off", "-o"])
        .arg(&made)
        .arg(source);
    let output = command.output();
    if !output.as_ref().is_ok_and(|output| output.status.success()) {
        let must = std::env::var("CI").is_ok_and(|value| value == "true");
        assert!(!must, "{output:?}");
        // Past the capture of the test harness.
        let _ = writeln!(std::io::stderr(), "SKIPPED: no C compiler: {output:?}");
        return false;
    }
    let mut writer = ZipWriter::new(fs::File::create(folder.0.join("springs.fmu")).unwrap());
    let binary = TargetSystem::HERE.binary(FmiVersion::Two, "springs");
    let library = fs::read(made).unwrap();
    for (name, content) in [
        ("modelDescription.xml", description(more).as_bytes()),
        (&*binary, &*library),
    ] {
        writer
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap();
    true
}

/// The law of `controller.c`.
#[derive(Debug)]
struct Springs {
    stiffness: f64,
    damping: f64,
    period: f64,
    first: Option<Vec<f64>>,
}

impl Controller for Springs {
    fn period_s(&self) -> f64 {
        self.period
    }

    fn torques(&mut self, seen: &Seen<'_>) -> softdock_docking::Result<DVector<f64>> {
        let views: Vec<_> = (0..MOTORS).map(|leg| seen.platform.leg(leg)).collect();
        let first = self
            .first
            .get_or_insert_with(|| views.iter().map(|leg| leg.motor_angle).collect());
        let torque = |(leg, first): (&softdock_platform::unit::LegView, &f64)| {
            -self.stiffness * (leg.motor_angle - first) - self.damping * leg.motor_rate
        };
        Ok(DVector::from_iterator(
            MOTORS,
            views.iter().zip(first.iter()).map(torque),
        ))
    }
}

#[test]
fn a_controller_inside_an_fmu_does_what_the_same_law_does_in_rust() {
    let folder = Folder::new("controller");
    if !make(&folder, "") {
        return;
    }
    let controller = [
        "default",
        "--controller",
        "springs.fmu",
        "--controller-set",
        "stiffness=35",
    ];
    folder.stdout(&[&controller[..], &SHORT, &["--out", "o"]].concat());
    let text = fs::read_to_string(folder.0.join("o/config.toml")).unwrap();
    let scenario: Scenario = toml::from_str(&text).unwrap();
    let springs = Springs {
        stiffness: 35.0,
        damping: 0.5,
        period: scenario.docking.regulator.period_s,
        first: None,
    };
    let mut run = DockingRun::with_controller(&scenario, false, Box::new(springs)).unwrap();
    run.run().unwrap();
    let expected = run.summary().unwrap();
    let found = folder.json("o/summary.json");
    let peak = found["peak_contact_force_n"].as_f64();
    assert_eq!(peak, expected.peak_contact_force_n);
    assert!(peak.is_some_and(|peak| peak > 1.0));
    let torque = found["peak_motor_torque_nm"].as_f64().unwrap();
    assert!(torque > 0.1, "{torque} N·m");

    // Beside legs that are FMUs, too. Torques that jump leave the peak 1.6e-3 off its limit in steps of
    // 1 ms and 3e-4 in steps half as long.
    let finer = ["solver.step_s=5e-4", "solver.macro_step_s=5e-4"].map(|key| ["--set", key]);
    let peak_of = |more: &[&str], out: &str| {
        folder.stdout(
            &[
                &controller[..],
                &SHORT,
                finer.as_flattened(),
                more,
                &["--out", out],
            ]
            .concat(),
        );
        let summary = folder.json(&format!("{out}/summary.json"));
        summary["peak_contact_force_n"].as_f64().unwrap()
    };
    let off = peak_of(&["--legs", "fmu"], "f") / peak_of(&[], "m") - 1.0;
    assert!(off.abs() < 1e-3, "{off:e}");
}

/// The arguments of a short docking with `more`.
fn docking<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["default"], more, &SHORT, &["--out", "o"]].concat()
}

#[test]
fn controllers_that_do_not_fit_or_fail_are_named() {
    let folder = Folder::new("controller-refused");
    if !make(&folder, "") {
        return;
    }
    let refused = |more: &[&str]| folder.refused(&docking(more));
    let message = refused(&["--set", "regulator.law=external"]);
    assert!(message.contains("--controller FILE.fmu"), "{message}");
    let message = refused(&["--controller", "springs.fmu", "--set", "motor.mode=locked"]);
    assert!(message.contains("motor.mode"), "{message}");
    let message = refused(&[
        "--controller",
        "springs.fmu",
        "--controller-set",
        "stifness=1",
    ]);
    assert!(message.contains("stiffness"), "{message}");
    let message = refused(&["--controller", "nothing.fmu"]);
    assert!(message.contains("nothing.fmu"), "{message}");
    assert!(!folder.0.join("o").exists());
    // A torque that is no number ends the run, and its rows are kept.
    let failing = [
        "--controller",
        "springs.fmu",
        "--controller-set",
        "fails_at=0.1",
    ];
    let output = folder.run(&docking(&failing));
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("motor.torque_command[1]"), "{message}");
    assert!(folder.0.join("o/run.partial.csv").exists());

    let input = "<ScalarVariable name=\"weather\" valueReference=\"5\" causality=\"input\">\
                 <Real start=\"0\"/></ScalarVariable>";
    let folder = Folder::new("controller-unknown");
    make(&folder, input);
    let message = folder.refused(&docking(&["--controller", "springs.fmu"]));
    assert!(
        message.contains("weather") && message.contains("sensor.force"),
        "{message}"
    );
}
