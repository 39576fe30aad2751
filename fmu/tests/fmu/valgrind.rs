//! A full life of every model under valgrind.

use crate::models::tried;
use crate::support::{archive, skip};
use softdock_fmi::import::Options;
use softdock_fmu::ModelKind;
use std::process::Command;

/// The run that valgrind watches.
#[test]
#[ignore = "run by another test, under valgrind"]
fn child_full_run() {
    for kind in ModelKind::ALL {
        let fmu = archive(kind);
        let mut leg = fmu.instantiate("leg", &Options { logging: true }).unwrap();
        let tried = tried(kind);
        for (name, value) in tried.small {
            let reference = fmu.references(&[name]).unwrap();
            leg.set_integer(&reference, &[*value]).unwrap();
        }
        leg.initialize(0.0, Some(1.0)).unwrap();
        let outputs = fmu.references(&tried.outputs[..2]).unwrap();
        let inputs = fmu.references(&[tried.input.0]).unwrap();
        let mut values = [0.0; 2];
        for k in 0..20 {
            leg.set_real(&inputs, &[0.5 * tried.input.1]).unwrap();
            if tried.derivatives() {
                leg.set_input_derivatives(&inputs, &[1], &[1.0]).unwrap();
            }
            leg.do_step(f64::from(k) * 1e-3, 1e-3).unwrap();
            leg.get_real(&outputs, &mut values).unwrap();
        }
        if tried.derivatives() {
            leg.get_output_derivatives(&outputs, &[1, 1], &mut values)
                .unwrap();
            leg.directional_derivative(&outputs, &inputs, &[1.0], &mut values)
                .unwrap();
        }
        let state = leg.save().unwrap();
        let bytes = leg.serialize(state).unwrap();
        let again = leg.deserialize(&bytes).unwrap();
        let (impossible, value) = tried.impossible;
        let impossible = fmu.references(&[impossible]).unwrap();
        leg.set_real(&impossible, &[value]).unwrap();
        assert!(leg.do_step(0.02, 1e-3).is_err());
        leg.restore(again).unwrap();
        leg.do_step(0.02, 1e-3).unwrap();
        leg.free(state).unwrap();
        leg.terminate().unwrap();
        leg.reset().unwrap();
        leg.initialize(0.0, None).unwrap();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn valgrind_finds_nothing_in_a_full_run() {
    let program = std::env::current_exe().unwrap();
    let done = Command::new("valgrind")
        .args(["--error-exitcode=99", "--leak-check=full", "--quiet"])
        .args([
            "--errors-for-leak-kinds=definite",
            "--child-silent-after-fork=yes",
        ])
        .arg(program)
        .args([
            "--ignored",
            "--exact",
            "valgrind::child_full_run",
            "--test-threads=1",
        ])
        .output();
    match done {
        Err(error) => skip("valgrind_finds_nothing_in_a_full_run", "valgrind", &error),
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{errors}");
        }
    }
}
