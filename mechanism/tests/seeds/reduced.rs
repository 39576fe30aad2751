//! Reduced bodies against the full beams and published reductions.

use crate::{describe, near, run};
use softdock_mechanism::{Description, analysis};

fn reduced(modes: usize, more: &[&str]) -> Description {
    let count = format!("parameters.modes={modes}");
    let mut settings = vec![
        "parameters.torque=none",
        "parameters.model=craig-bampton",
        "parameters.elements=20",
        // The independent reduction has beams after Euler and Bernoulli.
        "parameters.shear_factor=1e4",
        count.as_str(),
    ];
    settings.extend(more);
    describe("l-torque", &settings)
}

#[test]
fn fixed_interface_frequencies_are_those_of_an_independent_reduction() {
    let description = reduced(5, &[]);
    let result = description.reduced[0].result.as_ref().unwrap();
    for (found, expected) in (result.fixed_hz.iter()).zip([25.78, 115.38, 119.98, 152.72, 167.33]) {
        near(*found, expected, 1e-3 * expected);
    }
}

#[test]
fn reduced_frequencies_are_those_of_an_independent_reduction() {
    let four = [8.438, 12.267, 23.169, 30.937, 117.89, 119.54, 151.58];
    let twenty = [
        8.435, 12.266, 23.159, 30.936, 117.59, 119.34, 151.16, 171.82,
    ];
    for (modes, expected) in [(4, four.as_slice()), (20, twenty.as_slice())] {
        let found = analysis::modes(&reduced(modes, &[])).unwrap().frequencies;
        near(found[0], 0.0, 1e-4);
        for (found, expected) in found[1..].iter().zip(expected) {
            near(*found, *expected, 1e-3 * expected);
        }
    }
}

/// Rigid motion is exact: a stiff reduced L falls as the full one does, and the ledger closes.
#[test]
fn a_stiff_reduced_body_falls_like_the_full_one() {
    let stiff = "parameters.youngs_modulus_pa=2e12";
    let full = run("l-release", &[stiff]);
    let reduced = run("l-release", &[stiff, "parameters.model=craig-bampton"]);
    assert!(reduced.outcome.energy_residual_rel < 1e-3);
    for name in [
        "root_rad",
        "elbow.x_m",
        "elbow.z_m",
        "tip.x_m",
        "tip.y_m",
        "tip.z_m",
    ] {
        near(reduced.at(0.5, name), full.at(0.5, name), 2e-5);
    }
}

/// Deflection of the tip across the undeformed L, in the axes of its root.
fn deflection(table: &crate::Table) -> Vec<f64> {
    let lists = ["root_rad", "tip.x_m", "tip.z_m"].map(|name| table.values(name));
    (0..lists[0].len())
        .map(|i| {
            let (sin, cos) = lists[0][i].sin_cos();
            lists[2][i] * cos + lists[1][i] * sin
        })
        .collect()
}

/// E = 7 GPa, released: the deflection of the reduced L against that of the full one while it stays below
/// 1.6 % of the length. The release excites every mode, each with the share of the load that it carries, so
/// six modes leave 1e-2 and twenty leave 1e-3. Beyond 2 % there is a warning.
#[test]
fn a_reduced_body_deflects_like_the_full_one_while_it_bends_little() {
    let soft = [
        "parameters.youngs_modulus_pa=7e9",
        "analysis.duration_s=0.12",
    ];
    let full = run("l-release", &soft);
    let expected = deflection(&full);
    let below = expected
        .iter()
        .take_while(|d| d.abs() < 0.016 * 0.5)
        .count();
    let largest = expected[..below]
        .iter()
        .fold(0.0_f64, |m, d| m.max(d.abs()));
    assert!(largest > 0.006, "{largest}");
    for (modes, allowed) in [(6, 1e-2), (20, 1e-3)] {
        let modes = format!("parameters.modes={modes}");
        let more = ["parameters.model=craig-bampton", &modes];
        let table = run("l-release", &[&soft[..], &more[..]].concat());
        for (found, expected) in deflection(&table)[..below].iter().zip(&expected) {
            near(*found, *expected, allowed * largest);
        }
        let mut events = table.outcome.events.iter();
        assert!(events.any(|(_, text)| text.starts_with("warning: link")));
    }
}

/// From 1.6 to 2 % more modes do not help: gravity along the rods grows as the L turns, and that axial force
/// changes the stiffness in bending (geometric stiffening), which reduced bodies leave out.
#[test]
fn what_all_modes_leave_is_geometric_stiffening() {
    let soft = [
        "parameters.youngs_modulus_pa=7e9",
        "analysis.duration_s=0.12",
    ];
    let full = deflection(&run("l-release", &soft));
    let largest = full.iter().fold(0.0_f64, |most, d| most.max(d.abs()));
    assert!(largest < 0.02 * 0.5, "{largest}");
    let left = |modes: usize| {
        let modes = format!("parameters.modes={modes}");
        let more = ["parameters.model=craig-bampton", &modes];
        let reduced = deflection(&run("l-release", &[&soft[..], &more[..]].concat()));
        let shares = (reduced.iter().zip(&full)).map(|(a, b)| (a - b).abs() / largest);
        shares.collect::<Vec<_>>()
    };
    let (some, many) = (left(20), left(40));
    let last = full.len() - 1;
    near(some[last], 6.0e-3, 1e-3);
    near(many[last], 6.0e-3, 1e-3);
    // It grows with the angle that the L has fallen: a quarter of it is there at three quarters of the time.
    assert!(many[last * 3 / 4] < 0.3 * many[last], "{many:?}");
}

#[test]
fn wrong_reductions_are_refused() {
    let text = softdock_mechanism::library::text("l-mechanism").unwrap();
    let settings = [("parameters.model".to_owned(), "craig-bampton".to_owned())];
    for (from, to, word) in [
        (
            "interfaces = [\"rod1.start\", \"rod2.end\"]",
            "interfaces = [\"rod2.end\"]",
            "hinge",
        ),
        (
            "interfaces = [\"rod1.start\", \"rod2.end\"]",
            "interfaces = [\"ground\"]",
            "not on its",
        ),
        (
            "interfaces = [\"rod1.start\", \"rod2.end\"]",
            "",
            "interfaces",
        ),
        (
            "beams = [\"rod1\", \"rod2\"]",
            "beams = [\"rod1\", \"rod3\"]",
            "rod2",
        ),
        (
            "beams = [\"rod1\", \"rod2\"]",
            "beams = [\"rod1\", \"rod1\"]",
            "once",
        ),
        ("modes = \"modes\"", "modes = 500", "84"),
    ] {
        assert!(text.contains(from), "{from}");
        let wrong = text.replacen(from, to, 1);
        let find = &softdock_mechanism::library::find;
        let said = softdock_mechanism::describe("l.toml", &wrong, &settings, find);
        let said = said
            .map(|_| String::new())
            .unwrap_or_else(|e| e.to_string());
        assert!(said.contains(word), "{to}: {said}");
        assert!(said.contains("line"), "{to}: {said}");
    }
}

#[test]
fn a_reduced_arm_holds_and_moves_like_the_full_one() {
    let settings = ["parameters.links=reduced", "parameters.modes=4"];
    let found = analysis::equilibrium(&describe("two-link-arm", &settings)).unwrap();
    for (found, expected) in found
        .outputs
        .iter()
        .zip([0.0, -0.0325459, -0.0086766, 1.877538])
    {
        near(*found, expected, 1e-4);
    }
    let modes = analysis::modes(&describe("two-link-arm", &settings)).unwrap();
    let expected = [1.78733, 1.88541, 9.86018, 12.51372];
    for (found, expected) in modes.frequencies.iter().zip(expected) {
        near(*found, expected, 2e-3 * expected);
    }
    let row = |links: &str| {
        let links = format!("parameters.links={links}");
        let table = run(
            "two-link-arm",
            &[&links, "parameters.modes=4", "analysis.duration_s=0.5"],
        );
        [
            "q1_rad", "q2_rad", "q3_rad", "tip.x_m", "tip.y_m", "tip.z_m",
        ]
        .map(|n| table.at(0.5, n))
    };
    for (reduced, full) in row("reduced").iter().zip(row("full")) {
        near(*reduced, full, 5e-4);
    }
}
