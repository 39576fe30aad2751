//! Saving, restoring and serialising: bit for bit, in one process, across threads and processes.

use crate::models::tried;
use crate::support::{Folder, Random, archive};
use softdock_fmi::import::{FmuArchive, FmuInstance, Options};
use softdock_fmu::ModelKind;
use std::process::Command;

const STEP: f64 = 1e-3;

/// An instance at its start, with inputs that make it move.
fn start(kind: ModelKind) -> (FmuInstance, Vec<u32>) {
    let fmu = archive(kind);
    let mut instance = fmu.instantiate("leg", &Options::default()).unwrap();
    prepare(fmu, &mut instance);
    (instance, outputs(fmu))
}

fn kind_of(instance: &FmuInstance) -> ModelKind {
    ModelKind::from_name(&instance.description().model_name).unwrap()
}

fn prepare(fmu: &FmuArchive, instance: &mut FmuInstance) {
    for (name, value) in tried(kind_of(instance)).small {
        let reference = fmu.references(&[name]).unwrap();
        instance.set_integer(&reference, &[*value]).unwrap();
    }
    instance.initialize(0.0, None).unwrap();
}

fn outputs(fmu: &FmuArchive) -> Vec<u32> {
    let kind = ModelKind::from_name(&fmu.description().model_name).unwrap();
    fmu.references(tried(kind).outputs).unwrap()
}

/// The input over step `k`, the same in every run.
fn drive(instance: &mut FmuInstance, k: usize) {
    let kind = kind_of(instance);
    let (name, amplitude) = tried(kind).input;
    let input = archive(kind).references(&[name]).unwrap();
    let value = amplitude * (0.05 * k as f64).sin();
    instance.set_real(&input, &[value]).unwrap();
    if k.is_multiple_of(3) && tried(kind).derivatives() {
        let slope = 25.0 * amplitude;
        instance
            .set_input_derivatives(&input, &[1], &[slope])
            .unwrap();
    }
}

fn step(instance: &mut FmuInstance, k: usize) {
    drive(instance, k);
    instance.do_step(k as f64 * STEP, STEP).unwrap();
}

fn read(instance: &mut FmuInstance, references: &[u32]) -> Vec<u64> {
    let mut values = vec![0.0; references.len()];
    instance.get_real(references, &mut values).unwrap();
    values.into_iter().map(f64::to_bits).collect()
}

/// Outputs after each of the steps of a straight run.
fn straight(kind: ModelKind, steps: usize) -> Vec<Vec<u64>> {
    let (mut instance, outputs) = start(kind);
    let mut rows = vec![read(&mut instance, &outputs)];
    for k in 0..steps {
        step(&mut instance, k);
        rows.push(read(&mut instance, &outputs));
    }
    rows
}

/// Steps and rollbacks in any order give the bits of the straight run.
#[test]
fn a_thousand_interleavings_have_the_bits_of_the_straight_run() {
    const STEPS: usize = 24;
    for kind in ModelKind::ALL {
        let reference = straight(kind, STEPS);
        let (mut instance, outputs) = start(kind);
        let first = instance.save().unwrap();
        let mut random = Random(0x5eed);
        for _ in 0..1000 {
            instance.restore(first).unwrap();
            let mut saved = vec![(0, instance.save().unwrap())];
            let mut k = 0;
            for _ in 0..8 {
                match random.below(4) {
                    0 => saved.push((k, instance.save().unwrap())),
                    1 => {
                        let (time, state) = saved[random.below(saved.len())];
                        instance.restore(state).unwrap();
                        k = time;
                    }
                    2 => {
                        let slot = random.below(saved.len());
                        instance.save_over(saved[slot].1).unwrap();
                        saved[slot].0 = k;
                    }
                    _ => {
                        for _ in 0..=random.below(3) {
                            if k < STEPS {
                                step(&mut instance, k);
                                k += 1;
                            }
                        }
                    }
                }
                assert_eq!(read(&mut instance, &outputs), reference[k]);
            }
            for (_, state) in saved {
                instance.free(state).unwrap();
            }
        }
    }
}

#[test]
fn a_serialised_state_goes_on_in_another_instance_and_thread() {
    for kind in ModelKind::ALL {
        let reference = straight(kind, 30);
        let (mut instance, outputs) = start(kind);
        for k in 0..20 {
            step(&mut instance, k);
        }
        // Derivatives that have been set belong to the state.
        drive(&mut instance, 20);
        let state = instance.save().unwrap();
        let bytes = instance.serialize(state).unwrap();
        // An instance that was never initialised and has other parameters takes over everything.
        let mut other = archive(kind)
            .instantiate("other", &Options::default())
            .unwrap();
        let handle = std::thread::spawn(move || {
            let state = other.deserialize(&bytes).unwrap();
            assert_eq!(other.serialize(state).unwrap(), bytes);
            other.restore(state).unwrap();
            other.do_step(20.0 * STEP, STEP).unwrap();
            for k in 21..30 {
                step(&mut other, k);
            }
            read(&mut other, &outputs)
        });
        assert_eq!(handle.join().unwrap(), reference[30]);
        // Save in one thread, restore in another.
        let outputs = crate::states::outputs(archive(kind));
        let handle = std::thread::spawn(move || {
            instance.do_step(20.0 * STEP, STEP).unwrap();
            instance.restore(state).unwrap();
            instance
        });
        let mut instance = handle.join().unwrap();
        instance.do_step(20.0 * STEP, STEP).unwrap();
        assert_eq!(read(&mut instance, &outputs), reference[21]);
    }
}

/// The other process of the test below.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn child_goes_on_from_bytes() {
    let folder = std::path::PathBuf::from(std::env::var("SOFTDOCK_STATE_FOLDER").unwrap());
    for kind in ModelKind::ALL {
        let bytes = std::fs::read(folder.join(kind.name())).unwrap();
        let fmu = archive(kind);
        let mut instance = fmu.instantiate("child", &Options::default()).unwrap();
        let state = instance.deserialize(&bytes).unwrap();
        instance.restore(state).unwrap();
        for k in 20..30 {
            step(&mut instance, k);
        }
        let bits = read(&mut instance, &outputs(fmu));
        let text: Vec<String> = bits.iter().map(u64::to_string).collect();
        std::fs::write(folder.join(format!("{}.out", kind.name())), text.join(" ")).unwrap();
    }
}

#[test]
fn a_serialised_state_goes_on_in_another_process() {
    let folder = Folder::new("processes");
    for kind in ModelKind::ALL {
        let (mut instance, _) = start(kind);
        (0..20).for_each(|k| step(&mut instance, k));
        let state = instance.save().unwrap();
        let bytes = instance.serialize(state).unwrap();
        std::fs::write(folder.0.join(kind.name()), bytes).unwrap();
    }
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "states::child_goes_on_from_bytes"])
        .env("SOFTDOCK_STATE_FOLDER", &folder.0)
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stdout)
    );
    for kind in ModelKind::ALL {
        let text = std::fs::read_to_string(folder.0.join(format!("{}.out", kind.name()))).unwrap();
        let bits: Vec<u64> = text.split(' ').map(|bits| bits.parse().unwrap()).collect();
        assert_eq!(bits, straight(kind, 30)[30]);
    }
}

#[test]
fn bytes_that_are_damaged_or_foreign_are_refused() {
    let (mut instance, outputs) = start(ModelKind::LegPlanar);
    step(&mut instance, 0);
    let state = instance.save().unwrap();
    let bytes = instance.serialize(state).unwrap();
    let before = read(&mut instance, &outputs);
    let mut random = Random(77);
    for _ in 0..200 {
        let mut damaged = bytes.clone();
        let place = random.below(damaged.len());
        damaged[place] ^= 1 << random.below(8);
        assert!(instance.deserialize(&damaged).is_err());
        assert!(instance.deserialize(&bytes[..place]).is_err());
    }
    assert!(instance.deserialize(&[]).is_err());
    assert!(
        instance
            .deserialize(&[bytes.clone(), vec![0; 8]].concat())
            .is_err()
    );
    let (mut other, _) = start(ModelKind::LegSpatial);
    let message = other.deserialize(&bytes).unwrap_err().to_string();
    assert!(message.contains("another model"), "{message}");
    // The refusals took the instance to its error state; the saved state brings it back.
    instance.restore(state).unwrap();
    assert_eq!(read(&mut instance, &outputs), before);
}

#[test]
fn a_state_can_be_saved_before_the_start() {
    let fmu = archive(ModelKind::LegPlanar);
    let mut instance = fmu.instantiate("leg", &Options::default()).unwrap();
    let mass = fmu.references(&["crank.mass"]).unwrap();
    let fresh = instance.save().unwrap();
    instance.set_real(&mass, &[3.0]).unwrap();
    let heavy = instance.save().unwrap();
    let bytes = instance.serialize(heavy).unwrap();
    instance.initialize(0.0, None).unwrap();
    instance.do_step(0.0, STEP).unwrap();
    let mut value = [0.0];
    for (state, expected) in [(fresh, 1.0), (heavy, 3.0)] {
        instance.restore(state).unwrap();
        instance.initialize(0.0, None).unwrap();
        instance.get_real(&mass, &mut value).unwrap();
        assert_eq!(value, [expected]);
    }
    let again = instance.deserialize(&bytes).unwrap();
    instance.restore(again).unwrap();
    instance.initialize(0.0, None).unwrap();
    instance.get_real(&mass, &mut value).unwrap();
    assert_eq!(value, [3.0]);
}
