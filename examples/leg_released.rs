//! The planar leg: bowed by its tendon, then released.

use leg_core::{LegConfig, Simulation, pretension};

/// Finds the bowed equilibrium, lets go of it and follows angles and energies.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The published leg; every number can be set, and `validate` knows the ranges.
    let config = LegConfig::default();
    let bowed = pretension(&config)?.report;
    println!(
        "bowed to a chord of {:.6} m by {:.3} N",
        bowed.chord_m, bowed.tension_n
    );

    // At t = 0 both links are free: the leg falls and its leaf swings.
    let mut leg = Simulation::new(&config)?;
    let start = leg.sample()?.energies.mechanical();
    for tenth in 1..=5 {
        leg.advance_to(0.1 * f64::from(tenth))?;
        let now = leg.sample()?;
        println!(
            "t = {:.1} s: crank {:+.4} rad, tendon {:.2} N, lost so far {:.4} J",
            now.t, now.q[0], now.tendon_tension, now.dissipated
        );
    }

    // Energy now = energy at the start + work of inputs (none) − losses, and the loop is closed.
    let end = leg.sample()?;
    let balance = end.energies.mechanical() - start + end.dissipated;
    println!(
        "energy account open by {balance:.1e} J, loop by {:.1e} m",
        end.loop_gap
    );
    assert!(bowed.tension_n > 57.0 && bowed.tension_n < 59.0);
    assert!(balance.abs() < 1e-3 * end.energies.kinetic);
    assert!(end.loop_gap < 1e-12);
    Ok(())
}
