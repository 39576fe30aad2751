//! FMUs of mechanism files against `softdock mechanism simulate`.

use crate::support::Folder;
use softdock_fmi::import::{FmuArchive, FmuInstance, Options};
use softdock_fmi::package::{FmiVersion, TargetSystem, pack_model};
use softdock_fmu::{MechanismFiles, MechanismModel, ModelKind};
use softdock_fmu_library::LIBRARY;
use softdock_mechanism::{describe, library, simulate};
use softdock_xml::Causality;

/// What the FMU may differ by from the program, over the size of the output or 1: rounding of times.
const SAME: f64 = 1e-9;

/// Packs and loads the FMU of a mechanism.
fn loaded(files: MechanismFiles, folder: &Folder) -> FmuArchive {
    let model = MechanismModel::with(files).unwrap();
    let kind = ModelKind::Mechanism.packaged();
    let bytes = pack_model((kind, &model), FmiVersion::Two, LIBRARY, TargetSystem::HERE).unwrap();
    let file = folder.0.join("mechanism.fmu");
    std::fs::write(&file, bytes).unwrap();
    FmuArchive::open(&file).unwrap()
}

fn started(fmu: &FmuArchive) -> FmuInstance {
    let mut instance = fmu.instantiate("mechanism", &Options::default()).unwrap();
    instance.initialize(0.0, None).unwrap();
    instance
}

fn outputs(fmu: &FmuArchive) -> Vec<u32> {
    let variables = fmu.description().model_variables.iter();
    let outputs = variables.filter(|variable| variable.causality == Causality::Output);
    outputs.map(|variable| variable.value_reference).collect()
}

fn read(instance: &mut FmuInstance, references: &[u32]) -> Vec<f64> {
    let mut values = vec![f64::NAN; references.len()];
    instance.get_real(references, &mut values).unwrap();
    values
}

/// Largest difference of two tables, each column over its size or 1.
fn difference(found: &[Vec<f64>], expected: &[Vec<f64>]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let columns = 0..expected[0].len();
    let of_column = |i: usize| {
        let size = expected
            .iter()
            .fold(1.0, |size: f64, row| size.max(row[i].abs()));
        let pairs = found.iter().zip(expected);
        pairs.fold(0.0, |worst: f64, (a, b)| {
            assert!(a[i].is_finite());
            worst.max((a[i] - b[i]).abs() / size)
        })
    };
    columns.map(of_column).fold(0.0, f64::max)
}

/// Rows of `softdock mechanism simulate`.
fn program(text: &str, settings: &[(String, String)]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let description = describe("trial", text, settings, &library::find).unwrap();
    let (mut times, mut rows) = (Vec::new(), Vec::new());
    simulate::simulate(&description, &mut |time, row| {
        times.push(time);
        rows.push(row.to_vec());
        true
    })
    .unwrap();
    (times, rows)
}

/// Mechanisms in plane and space: rigid and flexible, with a table of a signal, controlled steps, joints
/// that close and open, impacts, friction that sticks, contact, a reduced body.
const SHIPPED: [(&str, &[(&str, &str)]); 9] = [
    ("driven-arm", &[("analysis.duration_s", "0.5")]),
    ("slider-crank", &[("analysis.duration_s", "0.5")]),
    ("two-link-rf", &[("analysis.duration_s", "0.1")]),
    ("l-torque", &[("analysis.duration_s", "0.1")]),
    ("l-release", &[("analysis.duration_s", "0.1")]),
    ("stick-slip", &[("analysis.duration_s", "2")]),
    ("bouncing-rod", &[("analysis.duration_s", "0.5")]),
    ("pendulum-balls", &[("analysis.duration_s", "0.5")]),
    (
        "two-link-arm",
        &[
            ("parameters.links", "reduced"),
            ("analysis.duration_s", "0.1"),
        ],
    ),
];

#[test]
fn an_fmu_equals_the_program() {
    for (name, set) in SHIPPED {
        let settings: Vec<(String, String)> = set
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let text = library::text(name).unwrap();
        let (times, expected) = program(text, &settings);
        let folder = Folder::new(&format!("mechanism-{name}"));
        let files = MechanismFiles {
            settings,
            ..MechanismFiles::new(name, text)
        };
        let fmu = loaded(files, &folder);
        let mut instance = started(&fmu);
        let references = outputs(&fmu);
        let mut rows = vec![read(&mut instance, &references)];
        let step = times[1] - times[0];
        for pair in times.windows(2) {
            let length = pair[1] - pair[0];
            let length = if (length - step).abs() < 1e-9 * step {
                step
            } else {
                length
            };
            instance.do_step(pair[0], length).unwrap();
            rows.push(read(&mut instance, &references));
        }
        let worst = difference(&rows, &expected);
        println!("{name}: {worst:e} in {} rows", rows.len());
        assert!(worst <= SAME, "{name}: {worst:e}");
    }
}

/// An input that jumps acts as a signal of kind `step` does.
#[test]
fn inputs_that_jump_act_as_steps_of_signals() {
    let text = library::text("driven-arm").unwrap();
    let replace = |text: &str, name: &str, time: f64, after: f64| {
        let old = format!("name = \"{name}\"\nkind = \"input\"");
        assert!(text.contains(&old));
        let new = format!("name = \"{name}\"\nkind = \"step\"\nstart_s = {time}\nto = {after}");
        text.replace(&old, &new)
    };
    let stepped = replace(text, "shoulder_torque", 0.1, 2.0);
    let stepped = replace(&stepped, "tip_force", 0.25, -4.0);
    let settings = [("analysis.duration_s".to_owned(), "0.5".to_owned())];
    let (_, expected) = program(&stepped, &settings);
    let folder = Folder::new("mechanism-jumps");
    let fmu = loaded(MechanismFiles::new("driven-arm", text), &folder);
    let mut instance = started(&fmu);
    let (references, inputs) = (
        outputs(&fmu),
        fmu.references(&["shoulder_torque", "tip_force"]).unwrap(),
    );
    let run = |instance: &mut FmuInstance, from: usize, to: usize| {
        let mut rows = Vec::new();
        for k in from..to {
            let torque = if k < 100 { 0.0 } else { 2.0 };
            let force = if k < 250 { 0.0 } else { -4.0 };
            instance.set_real(&inputs, &[torque, force]).unwrap();
            instance.do_step(k as f64 * 1e-3, 1e-3).unwrap();
            rows.push(read(instance, &references));
        }
        rows
    };
    let rows = run(&mut instance, 0, 500);
    // The program's row at a jump is that behind it; the host learns of it with its next step.
    let without_jumps = |rows: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let kept = rows
            .iter()
            .enumerate()
            .filter(|(k, _)| ![99, 249].contains(k));
        kept.map(|(_, row)| row.clone()).collect()
    };
    let worst = difference(&without_jumps(&rows), &without_jumps(&expected[1..]));
    println!("inputs that jump: {worst:e}");
    assert!(worst <= SAME, "{worst:e}");
    // From a saved state on, bit for bit, also in another instance.
    let mut other = started(&fmu);
    run(&mut other, 0, 200);
    let state = other.save().unwrap();
    let bytes = other.serialize(state).unwrap();
    let mut third = fmu.instantiate("third", &Options::default()).unwrap();
    let state = third.deserialize(&bytes).unwrap();
    third.restore(state).unwrap();
    assert_eq!(run(&mut third, 200, 500), rows[200..]);
}

/// States are saved and restored while joints open, things hit and frictions stick.
#[test]
fn states_of_mechanisms_with_events_go_on_bit_for_bit() {
    for (name, length) in [
        ("stick-slip", 0.01),
        ("bouncing-rod", 1e-3),
        ("l-release", 1e-3),
        ("pendulum-balls", 1e-3),
    ] {
        let folder = Folder::new(&format!("mechanism-states-{name}"));
        let text = library::text(name).unwrap();
        let fmu = loaded(MechanismFiles::new(name, text), &folder);
        let references = outputs(&fmu);
        let mut straight = started(&fmu);
        let mut rows = Vec::new();
        for k in 0..200 {
            straight.do_step(f64::from(k) * length, length).unwrap();
            rows.push(read(&mut straight, &references));
        }
        let mut instance = started(&fmu);
        for k in 0..200 {
            let state = instance.save().unwrap();
            instance.do_step(f64::from(k) * length, length).unwrap();
            if k % 7 == 3 {
                let bytes = instance.serialize(state).unwrap();
                instance = fmu.instantiate("next", &Options::default()).unwrap();
                let again = instance.deserialize(&bytes).unwrap();
                instance.restore(again).unwrap();
                instance.do_step(f64::from(k) * length, length).unwrap();
            } else {
                instance.restore(state).unwrap();
                instance.do_step(f64::from(k) * length, length).unwrap();
                instance.free(state).unwrap();
            }
            let row = read(&mut instance, &references);
            assert_eq!(row, rows[k as usize], "{name} after step {k}");
        }
    }
}

#[test]
fn wrong_files_and_parameters_are_refused_with_their_reason() {
    let files = MechanismFiles::new("wrong", "space = \"plane\"\n[[bodi]]\nname = \"a\"");
    let message = MechanismModel::with(files).err().unwrap().to_string();
    assert!(message.contains("bodi"), "{message}");
    let folder = Folder::new("mechanism-wrong");
    let text = library::text("driven-arm").unwrap();
    let fmu = loaded(MechanismFiles::new("driven-arm", text), &folder);
    let mut instance = fmu.instantiate("wrong", &Options::default()).unwrap();
    let mass = fmu.references(&["parameters.payload_kg"]).unwrap();
    let message = instance.set_real(&mass, &[-1.0]).unwrap_err().to_string();
    assert!(message.contains("payload_kg"), "{message}");
}
