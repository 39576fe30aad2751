//! The platform of `scenarios/idss-ring.toml` is the laboratory one enlarged by s with speeds and
//! stresses kept. Mechanics without gravity has no length of its own: a docking on both, with masses
//! as s³ and moments of inertia as s⁵, must be the same with times as s and forces as s².

use crate::{DockingRun, Scenario, Summary};

/// Width of the mating planes, standard over laboratory.
const S: f64 = 1.2 / 0.38;

/// Sizes in the file have twelve digits; events are located, and so impulses summed, to 1e-6 of a run.
const SAME: f64 = 1e-5;

fn run(scenario: &Scenario) -> Summary {
    let mut run = DockingRun::new(scenario, false).unwrap();
    run.run().unwrap();
    run.summary().unwrap()
}

#[test]
fn the_enlarged_platform_docks_like_the_laboratory_one() {
    let small: &str = include_str!("../../scenarios/default.toml");
    let mut small: Scenario = toml::from_str(small).unwrap();
    let large: &str = include_str!("../../scenarios/idss-ring.toml");
    let mut large: Scenario = toml::from_str(large).unwrap();
    small.docking.duration_s = 0.5;
    small.platform.legs.elements = 3;
    large.platform.legs.elements = 3;
    large.platform.base.free_floating = false;
    // Steps that are held to their error depend on the account of energies, which has a time of its own.
    small.platform.solver.step_accuracy = 0.0;
    large.platform.solver.step_accuracy = 0.0;
    let (from, to) = (&small.docking, &mut large.docking);
    to.duration_s = from.duration_s * S;
    to.output_interval_s = from.output_interval_s * S;
    to.closing_speed_m_s = from.closing_speed_m_s;
    to.misalignment = from.misalignment;
    to.target = from.target.clone();
    to.target.mass_kg *= S.powi(3);
    to.target.inertia_kg_m2 = from.target.inertia_kg_m2.map(|i| i * S.powi(5));
    to.target.centre_of_mass_behind_port_m *= S;
    let (small, large) = (run(&small), run(&large));
    assert_eq!(small.outcome, large.outcome);
    let pairs = [
        (
            "peak force",
            small.peak_contact_force_n,
            large.peak_contact_force_n,
            S * S,
        ),
        (
            "peak time",
            small.peak_contact_time_s,
            large.peak_contact_time_s,
            S,
        ),
        (
            "impulse",
            small.contact_impulse_n_s,
            large.contact_impulse_n_s,
            S.powi(3),
        ),
        (
            "motor torque",
            Some(small.peak_motor_torque_nm),
            Some(large.peak_motor_torque_nm),
            S.powi(3),
        ),
        (
            "turn of a crank",
            Some(small.max_motor_turn_rad),
            Some(large.max_motor_turn_rad),
            1.0,
        ),
    ];
    // The stress is looked at every 2 ms on both.
    let stress = [small.peak_leaf_stress_pa, large.peak_leaf_stress_pa].map(Option::unwrap);
    assert!((stress[1] / stress[0] - 1.0).abs() < 1e-4, "{stress:?}");
    for (name, small, large, scale) in pairs {
        let (small, large) = (small.unwrap(), large.unwrap());
        let error = large / (small * scale) - 1.0;
        println!("{name}: {small} × {scale} against {large}, off by {error:e}");
        assert!(error.abs() < SAME, "{name}: {small} × {scale}, {large}");
    }
}
