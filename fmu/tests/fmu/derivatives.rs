//! Derivatives against differences of repeated steps, through the loaded FMU.

use crate::support::archive;
use softdock_fmi::import::{FmuInstance, Options};
use softdock_fmu::ModelKind;
use softdock_xml::{Causality, ModelDescription};

/// Allowed error of a derivative, against the largest change of its output that any input makes.
const TOLERANCE: f64 = 1e-6;

/// Names and references of all variables of a causality.
fn all(description: &ModelDescription, causality: Causality) -> Vec<(String, u32)> {
    let variables = description.model_variables.iter();
    variables
        .filter(|variable| variable.causality == causality)
        .map(|variable| (variable.name.clone(), variable.value_reference))
        .collect()
}

/// Size of a change of an input for differences.
fn size(input: &str) -> f64 {
    match input {
        "motor.torque_command" | "load.torque" => 0.1,
        "motor.angle_command" => 1e-4,
        "load.force[1]" | "load.force[2]" | "tendon.force_command" => 0.5,
        _ if input.starts_with("tip.position") || input.starts_with("tip.displacement") => 1e-6,
        "base.position[1]" | "base.position[2]" | "base.position[3]" => 1e-6,
        "base.rotation[1]" | "base.rotation[2]" | "base.rotation[3]" => 1e-6,
        _ if input.starts_with("effector.") || input.starts_with("leg[") => 0.5,
        _ => 1e-4,
    }
}

/// An end effector that turns and moves.
fn turning() -> FmuInstance {
    let fmu = archive(ModelKind::EndEffector);
    let mut body = fmu.instantiate("body", &Options::default()).unwrap();
    body.initialize(0.0, None).unwrap();
    let names = [
        "leg[1].tip.force[3]",
        "leg[4].tip.force[1]",
        "effector.moment[2]",
    ];
    let inputs = fmu.references(&names).unwrap();
    body.set_real(&inputs, &[40.0, -30.0, 5.0]).unwrap();
    body.do_step(0.0, 0.02).unwrap();
    body.set_input_derivatives(&inputs[..1], &[1], &[2e3])
        .unwrap();
    body
}

/// A leg or an end effector on its way.
fn moving(kind: ModelKind, mode: i32) -> FmuInstance {
    if kind == ModelKind::EndEffector {
        return turning();
    }
    let fmu = archive(kind);
    let mut leg = fmu.instantiate("leg", &Options::default()).unwrap();
    let integers = fmu.references(&["motor.mode", "solver.elements"]).unwrap();
    leg.set_integer(&integers, &[mode, 6]).unwrap();
    let newton = fmu.references(&["solver.newton_tolerance"]).unwrap();
    leg.set_real(&newton, &[1e-9]).unwrap();
    // A motor that holds stands on a base that moves.
    let moves = kind == ModelKind::LegSpatial && mode == 3;
    if moves {
        let moves = fmu.references(&["base.moves"]).unwrap();
        leg.set_boolean(&moves, &[true]).unwrap();
    }
    leg.initialize(0.0, None).unwrap();
    match kind {
        ModelKind::LegPlanar => {
            let load = fmu.references(&["load.force[2]"]).unwrap();
            leg.set_real(&load, &[5.0]).unwrap();
            leg.do_step(0.0, 0.02).unwrap();
        }
        _ => {
            let names = ["tip.position[1]", "tip.position[2]", "tip.velocity[1]"];
            let tip = fmu.references(&names).unwrap();
            leg.set_real(&tip, &[0.191, 0.0, 0.05]).unwrap();
            let names = ["base.position[3]", "base.rotation[2]", "base.velocity[3]"];
            let base = fmu.references(&names).unwrap();
            if moves {
                leg.set_real(&base, &[1e-4, 2e-4, 5e-3]).unwrap();
            }
            leg.do_step(0.0, 0.02).unwrap();
            leg.set_real(&tip, &[0.1911, -5e-5, 0.05]).unwrap();
            if moves {
                leg.set_real(&base, &[1.1e-4, 1.9e-4, 5e-3]).unwrap();
            }
        }
    }
    leg
}

/// Before the first step they are those of a step of the default length, which leaves no trace.
#[test]
fn derivatives_before_the_first_step_are_those_of_a_step_from_the_start() {
    for kind in [
        ModelKind::LegPlanar,
        ModelKind::LegSpatial,
        ModelKind::EndEffector,
    ] {
        let fmu = archive(kind);
        let description = fmu.description();
        let step = description.default_experiment.and_then(|one| one.step_size);
        let outputs: Vec<u32> = references(all(description, Causality::Output));
        let inputs: Vec<u32> = references(all(description, Causality::Input));
        let seed = vec![1.0; inputs.len()];
        let ask = |instance: &mut FmuInstance| {
            let mut out = vec![f64::NAN; outputs.len()];
            instance
                .directional_derivative(&outputs, &inputs, &seed, &mut out)
                .unwrap();
            out
        };
        let mut one = fmu.instantiate("one", &Options::default()).unwrap();
        one.initialize(0.0, None).unwrap();
        let before = ask(&mut one);
        let mut other = fmu.instantiate("other", &Options::default()).unwrap();
        other.initialize(0.0, None).unwrap();
        let mut values = [vec![0.0; outputs.len()], vec![0.0; outputs.len()]];
        for (instance, values) in [&mut one, &mut other].into_iter().zip(&mut values) {
            instance.do_step(0.0, step.unwrap()).unwrap();
            instance.get_real(&outputs, values).unwrap();
        }
        assert_eq!(values[0], values[1], "{}", kind.name());
        assert_eq!(before, ask(&mut other), "{}", kind.name());
        assert!(before.iter().any(|value| *value != 0.0), "{}", kind.name());
    }
}

fn references(variables: Vec<(String, u32)>) -> Vec<u32> {
    variables
        .into_iter()
        .map(|(_, reference)| reference)
        .collect()
}

#[test]
fn every_derivative_is_that_of_repeated_steps() {
    for (kind, modes) in [
        (ModelKind::LegPlanar, &[0, 1, 2, 3][..]),
        (ModelKind::LegSpatial, &[1, 3][..]),
        (ModelKind::EndEffector, &[0][..]),
    ] {
        let description = archive(kind).description();
        let (inputs, outputs) = (
            all(description, Causality::Input),
            all(description, Causality::Output),
        );
        let references: Vec<u32> = outputs.iter().map(|(_, reference)| *reference).collect();
        let mut worst = 0.0_f64;
        for &mode in modes {
            for length in [1e-3, 4e-3] {
                let mut leg = moving(kind, mode);
                let start = leg.save().unwrap();
                let mut change = |input: u32, change: f64| {
                    let mut at = |change: f64| {
                        leg.restore(start).unwrap();
                        let mut value = [0.0];
                        leg.get_real(&[input], &mut value).unwrap();
                        leg.set_real(&[input], &[value[0] + change]).unwrap();
                        leg.do_step(0.02, length).unwrap();
                        let mut out = vec![0.0; references.len()];
                        leg.get_real(&references, &mut out).unwrap();
                        out
                    };
                    let (plus, minus) = (at(change), at(-change));
                    let half = |(p, m): (&f64, &f64)| 0.5 * (p - m);
                    plus.iter().zip(&minus).map(half).collect::<Vec<f64>>()
                };
                // Richardson takes the differences' own error of second order out.
                let changes: Vec<Vec<f64>> = inputs
                    .iter()
                    .map(|(name, reference)| {
                        let fine = change(*reference, size(name));
                        let coarse = change(*reference, 2.0 * size(name));
                        let pairs = fine.iter().zip(&coarse);
                        pairs.map(|(f, c)| (4.0 * f - 0.5 * c) / 3.0).collect()
                    })
                    .collect();
                leg.restore(start).unwrap();
                leg.do_step(0.02, length).unwrap();
                for (i, (input, reference)) in inputs.iter().enumerate() {
                    let mut exact = vec![0.0; references.len()];
                    leg.directional_derivative(
                        &references,
                        &[*reference],
                        &[size(input)],
                        &mut exact,
                    )
                    .unwrap();
                    for (o, (output, _)) in outputs.iter().enumerate() {
                        // What the ledger misses is a small difference of energies; one step has
                        // no higher orders of a force.
                        let row = |o: usize| changes.iter().map(move |c| c[o].abs());
                        let family = match output.as_str() {
                            "energy.residual" => "energy.",
                            force if force.starts_with("tip.force_") => "tip.force_",
                            alone => alone,
                        };
                        let family =
                            (0..outputs.len()).filter(|&o| outputs[o].0.starts_with(family));
                        let scale = family.flat_map(row).fold(1e-12, f64::max);
                        let error = (exact[o] - changes[i][o]).abs() / scale;
                        worst = worst.max(error);
                        assert!(
                            error < TOLERANCE,
                            "{} mode {mode} step {length}: {output} by {input}: {} {}, {error:e}",
                            kind.name(),
                            exact[o],
                            changes[i][o],
                        );
                    }
                }
            }
        }
        println!("{}: largest error {worst:e}", kind.name());
    }
}

#[test]
fn a_direction_is_the_sum_of_its_parts() {
    let fmu = archive(ModelKind::LegSpatial);
    let mut leg = moving(ModelKind::LegSpatial, 3);
    leg.do_step(0.02, 1e-3).unwrap();
    let force = fmu.references(&["tip.force[1]", "tip.force[3]"]).unwrap();
    let tip = fmu
        .references(&["tip.position[1]", "tip.position[3]"])
        .unwrap();
    let (mut both, mut sum) = ([0.0; 2], [0.0; 2]);
    leg.directional_derivative(&force, &tip, &[2.0, -0.5], &mut both)
        .unwrap();
    for (reference, seed) in tip.iter().zip([2.0, -0.5]) {
        let mut part = [0.0; 2];
        leg.directional_derivative(&force, &[*reference], &[seed], &mut part)
            .unwrap();
        for k in 0..2 {
            sum[k] += part[k];
        }
    }
    assert_eq!(both, sum);
    // A stiffer leaf pushes back: the tip's force falls as the tip moves outward.
    assert!(both[0].is_finite() && both[0] != 0.0);
}

#[test]
fn derivatives_of_what_is_no_output_or_input_are_refused() {
    let fmu = archive(ModelKind::LegPlanar);
    let names = [
        "q1",
        "load.torque",
        "leaf.length",
        "leaf.largest_axial_strain",
    ];
    let list = fmu.references(&names).unwrap();
    let (output, input, parameter, local) = (list[0], list[1], list[2], list[3]);
    for (unknown, known) in [
        (input, input),
        (output, output),
        (output, parameter),
        (parameter, input),
        (local, input),
        (output, u32::MAX),
    ] {
        let mut leg = moving(ModelKind::LegPlanar, 0);
        let refused = leg.directional_derivative(&[unknown], &[known], &[1.0], &mut [0.0]);
        assert!(refused.is_err());
    }
}

#[test]
fn outputs_have_the_slopes_that_the_next_steps_show() {
    let fmu = archive(ModelKind::LegPlanar);
    let mut leg = fmu.instantiate("leg", &Options::default()).unwrap();
    let names = ["solver.step", "leaf.rayleigh_stiffness"];
    let settings = fmu.references(&names).unwrap();
    leg.set_real(&settings, &[1e-4, 1e-3]).unwrap();
    leg.initialize(0.0, None).unwrap();
    let names = [
        "q1",
        "q3_rate",
        "tendon.length",
        "tendon.tension",
        "energy.strain",
    ];
    let outputs = fmu.references(&names).unwrap();
    let mut rows = Vec::new();
    let mut slopes = [0.0; 5];
    leg.do_step(0.0, 0.05).unwrap();
    for k in 0..3 {
        leg.do_step(0.05 + f64::from(k) * 1e-4, 1e-4).unwrap();
        let mut row = [0.0; 5];
        leg.get_real(&outputs, &mut row).unwrap();
        rows.push(row);
        if k == 1 {
            leg.get_output_derivatives(&outputs, &[1; 5], &mut slopes)
                .unwrap();
        }
    }
    for i in 0..5 {
        let seen = (rows[2][i] - rows[0][i]) / 2e-4;
        let back = (rows[1][i] - rows[0][i]) / 1e-4;
        let allowed = 1e-3 * seen.abs() + 2.0 * (seen - back).abs() + 1e-4;
        assert!(
            (slopes[i] - seen).abs() < allowed,
            "{}: {} {seen}",
            names[i],
            slopes[i]
        );
    }
}
