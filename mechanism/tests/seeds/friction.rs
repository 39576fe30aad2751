//! Friction in joints: stick and slip by switching, regularised laws, loads of joints.

use crate::{Table, near, run};
use softdock_mechanism::{describe, library, simulate};

fn event(table: &Table, text: &str, after: f64) -> f64 {
    let mut events = table.outcome.events.iter();
    events
        .find(|(time, event)| *time > after && event == text)
        .unwrap()
        .0
}

#[test]
fn ideal_friction_sticks_and_slips_at_the_known_times() {
    let table = run("stick-slip", &["parameters.law=switching"]);
    let begins = event(&table, "friction_stick opens", 0.0);
    near(begins, 1.962, 1e-3);
    near(0.5 + 0.1 * begins, 0.6962, 1e-4);
    // The closed form of the slip: (2π − 2 atan r)/ω with r = (μ_s − μ_d) g/(ω v). (With 1/r in its
    // place it would be 1.6247 s, a number that is quoted.)
    let omega = 10.0_f64.sqrt();
    let slip = (std::f64::consts::TAU - 2.0 * (0.05 * 9.81 / (omega * 0.1)).atan()) / omega;
    near(slip, 1.355631, 1e-6);
    near(
        event(&table, "friction_stick closes", begins) - begins,
        slip,
        1e-4,
    );
    assert!(table.outcome.energy_residual_rel < 1e-3);
}

#[test]
fn switching_needs_a_tenth_of_the_steps() {
    let switching = run("stick-slip", &["parameters.law=switching"]);
    let regularised = run("stick-slip", &["parameters.law=brown_mcphee"]);
    let (few, many) = (switching.outcome.steps, regularised.outcome.steps);
    assert!(10 * few <= many, "{few} against {many}");
    // The regularised law sticks until about 2.0 s and reaches 0.707990 m.
    let highest = regularised
        .values("block.x_m")
        .iter()
        .fold(0.0_f64, |m, x| m.max(*x));
    near(highest, 0.707990, 1e-4);
}

/// Sticking ends where the block falls behind the belt by more than two transition speeds.
#[test]
fn regularised_sticking_ends_at_the_known_times() {
    let table = run("stick-slip", &[]);
    let behind: Vec<bool> = (table.values("block.vx_m_per_s").iter())
        .map(|v| 0.1 - v > 2e-3)
        .collect();
    let ends = (behind.windows(2).enumerate())
        .filter(|(_, pair)| !pair[0] && pair[1])
        .map(|(i, _)| 1e-3 * (i + 1) as f64);
    let expected = [1.997, 4.380, 6.762, 9.145];
    let ends: Vec<f64> = ends.collect();
    assert_eq!(ends.len(), expected.len());
    for (end, expected) in ends.iter().zip(expected) {
        near(*end, expected, 1e-3);
    }
}

/// A block on a slope slides with g (sin α − μ cos α), or stays.
#[test]
fn blocks_on_a_slope_slide_or_stay() {
    let text = |law: &str, mu: f64| {
        format!(
            "space = \"plane\"\ngravity_m_per_s2 = [0, -9.81]\noutputs = [\"slide_m = guide.slide_m\"]\n\
             [analysis]\nduration_s = 1\nstep_s = 1e-3\noutput_step_s = 0.1\n\
             [[body]]\nname = \"block\"\nmass_kg = 2\ninertia_kg_m2 = 1\nposition_m = [0, 0]\n\
             [[joint]]\nname = \"guide\"\nkind = \"prismatic\"\na = \"ground\"\nb = \"block\"\n\
             axis = [\"cos(-pi/6)\", \"sin(-pi/6)\"]\n\
             [[friction]]\nname = \"f\"\njoint = \"guide\"\nlaw = \"{law}\"\ndynamic_friction = {mu}\n\
             transition_m_per_s = 1e-3\n"
        )
    };
    let way = |law: &str, mu: f64| {
        let description = describe("slope.toml", &text(law, mu), &[], &library::find).unwrap();
        let mut last = 0.0;
        simulate::simulate(&description, &mut |_, row| {
            last = row[0];
            true
        })
        .unwrap();
        last
    };
    let alpha = std::f64::consts::FRAC_PI_6;
    let free = 0.5 * 9.81 * (alpha.sin() - 0.3 * alpha.cos());
    near(way("switching", 0.3), free, 1e-4);
    near(way("coulomb", 0.3), free, 2e-3);
    near(way("anderson", 0.3), free, 2e-3);
    near(way("brown_mcphee", 0.3), free, 2e-3);
    near(way("switching", 0.7), 0.0, 1e-9);
    near(way("coulomb", 0.7), 0.0, 1e-2);
}

/// A wheel on a pin of radius r slows with μ r N.
#[test]
fn a_wheel_stops_in_its_bearing() {
    let text = "space = \"plane\"\ngravity_m_per_s2 = [0, -9.81]\noutputs = [\"w.rate_rad_per_s\"]\n\
        [analysis]\nduration_s = 3\nstep_s = 1e-3\noutput_step_s = 0.1\n\
        [[body]]\nname = \"w\"\nmass_kg = 2\ninertia_kg_m2 = 0.02\nposition_m = [0, 0]\n\
        angular_velocity_rad_per_s = 3\n\
        [[joint]]\nname = \"pin\"\nkind = \"revolute\"\na = \"ground\"\nb = \"w\"\n\
        [[friction]]\nname = \"f\"\njoint = \"pin\"\nlaw = \"switching\"\ndynamic_friction = 0.2\nradius_m = 0.01\n";
    let description = describe("wheel.toml", text, &[], &library::find).unwrap();
    let mut rates = Vec::new();
    let outcome = simulate::simulate(&description, &mut |time, row| {
        rates.push((time, row[0]));
        true
    })
    .unwrap();
    let slowing = 0.2 * 0.01 * 2.0 * 9.81 / 0.02;
    for (time, rate) in rates {
        near(rate, (3.0 - slowing * time).max(0.0), 1e-6);
    }
    assert!(outcome.energy_residual_rel < 1e-3);
}
