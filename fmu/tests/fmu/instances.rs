//! Many instances: at once, from several threads, one after the other.

use crate::models::tried;
use crate::support::{archive, instantiate};
use softdock_fmi::exports::lifecycle::fmi2FreeInstance;
use softdock_fmi::import::{FmuInstance, Options};
use softdock_fmu::ModelKind;
use std::process::Command;

const STEPS: usize = 100;

/// A leg of its own kind, by its number.
fn leg(number: usize) -> FmuInstance {
    let kind = ModelKind::ALL[number % ModelKind::ALL.len()];
    let fmu = archive(kind);
    let mut leg = fmu
        .instantiate(&format!("leg {number}"), &Options::default())
        .unwrap();
    let (parameter, value, other) = tried(kind).parameter;
    let mass = fmu.references(&[parameter]).unwrap();
    let value = value + 0.1 * (other - value) * number as f64;
    leg.set_real(&mass, &[value]).unwrap();
    leg
}

fn run(leg: &mut FmuInstance) -> Vec<u64> {
    let kind = ModelKind::from_name(&leg.description().model_name).unwrap();
    let outputs = archive(kind).references(&tried(kind).outputs[..2]).unwrap();
    leg.initialize(0.0, None).unwrap();
    let mut bits = Vec::new();
    for k in 0..STEPS {
        leg.do_step(k as f64 * 1e-3, 1e-3).unwrap();
        let mut values = [0.0; 2];
        leg.get_real(&outputs, &mut values).unwrap();
        bits.extend(values.map(f64::to_bits));
    }
    bits
}

#[test]
fn instances_in_several_threads_have_the_bits_of_the_serial_run() {
    let serial: Vec<Vec<u64>> = (0..8).map(|number| run(&mut leg(number))).collect();
    let threads: Vec<_> = (0..8)
        .map(|number| {
            // Made here, used there.
            let mut leg = leg(number);
            std::thread::spawn(move || run(&mut leg))
        })
        .collect();
    let parallel: Vec<Vec<u64>> = threads.into_iter().map(|t| t.join().unwrap()).collect();
    assert_eq!(serial, parallel);
}

#[test]
fn one_instance_can_go_from_thread_to_thread() {
    let serial = run(&mut leg(1));
    let mut leg = leg(1);
    let outputs = archive(ModelKind::LegSpatial)
        .references(&["tendon.tension", "motor.torque"])
        .unwrap();
    leg.initialize(0.0, None).unwrap();
    let mut bits = Vec::new();
    for k in 0..STEPS {
        let outputs = outputs.clone();
        let (back, values) = std::thread::spawn(move || {
            leg.do_step(k as f64 * 1e-3, 1e-3).unwrap();
            let mut values = [0.0; 2];
            leg.get_real(&outputs, &mut values).unwrap();
            (leg, values)
        })
        .join()
        .unwrap();
        leg = back;
        bits.extend(values.map(f64::to_bits));
    }
    assert_eq!(bits, serial);
}

/// Memory of this process that is in use [bytes]; zero where nobody tells.
fn memory() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: usize = text
        .split(' ')
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(0);
    pages * 4096
}

/// Grows by less than this in all lives together [bytes]: pages that the allocator keeps.
const GROWTH: usize = 1 << 20;

/// Runs lives of the test below in a process of its own, where nobody else takes memory.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn child_lives() {
    let cycle = |count: usize| {
        for k in 0..count {
            let component = instantiate(
                ModelKind::ALL[k % ModelKind::ALL.len()],
                std::ptr::null(),
                false,
            );
            assert!(!component.is_null());
            // SAFETY: made above.
            unsafe { fmi2FreeInstance(component) };
        }
    };
    cycle(1000);
    let before = memory();
    cycle(100_000);
    let growth = memory().saturating_sub(before);
    println!("100000 instances: memory grew by {growth} bytes");
    assert!(growth < GROWTH, "{growth}");

    let fmu = archive(ModelKind::LegPlanar);
    let elements = fmu.references(&["solver.elements"]).unwrap();
    let life = || {
        let mut leg = fmu.instantiate("leg", &Options::default()).unwrap();
        leg.set_integer(&elements, &[3]).unwrap();
        leg.initialize(0.0, None).unwrap();
        leg.do_step(0.0, 1e-3).unwrap();
        let state = leg.save().unwrap();
        let bytes = leg.serialize(state).unwrap();
        leg.deserialize(&bytes).unwrap();
        leg.reset().unwrap();
        // States that nobody frees are freed with their instance.
        leg.save().unwrap();
    };
    (0..50).for_each(|_| life());
    let before = memory();
    (0..300).for_each(|_| life());
    let growth = memory().saturating_sub(before);
    println!("300 whole lives: memory grew by {growth} bytes");
    assert!(growth < GROWTH, "{growth}");
}

#[test]
fn a_hundred_thousand_lives_leave_no_memory_behind() {
    let done = Command::new(std::env::current_exe().unwrap())
        .args([
            "--ignored",
            "--exact",
            "instances::child_lives",
            "--nocapture",
        ])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    println!("{text}");
    assert!(
        done.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&done.stderr)
    );
}
