//! Reduced bodies against the full beams and published reductions.

use crate::{describe, near, run};
use nalgebra::Vector3;
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

/// Deflection of the tip against the undeformed L, in the axes of its root.
fn deflection(table: &crate::Table) -> Vec<Vector3<f64>> {
    let [root, x, y, z] =
        ["root_rad", "tip.x_m", "tip.y_m", "tip.z_m"].map(|name| table.values(name));
    (0..root.len())
        .map(|i| {
            let (sin, cos) = root[i].sin_cos();
            let (across, along) = (z[i] * cos + x[i] * sin, x[i] * cos - z[i] * sin);
            Vector3::new(along - 0.5, y[i] - 0.5, across)
        })
        .collect()
}

/// E = 7 GPa, released: largest error of the tip's deflection over the largest deflection until the
/// reduced L says that it bends by more than 2 % of its length, and when that is.
fn error_until_warned(settings: &[&str]) -> (f64, f64) {
    let soft = [
        "parameters.youngs_modulus_pa=7e9",
        "analysis.duration_s=0.125",
        "analysis.output_step_s=1e-3",
    ];
    let full = deflection(&run("l-release", &soft));
    let more = [&soft[..], &["parameters.model=craig-bampton"], settings].concat();
    let table = run("l-release", &more);
    let mut events = table.outcome.events.iter();
    let warning = events.find(|(_, text)| text.starts_with("warning: link"));
    let (warned, _) = warning.expect("no warning of a bent body");
    let reduced = deflection(&table);
    let (mut error, mut largest) = (0.0_f64, 0.0_f64);
    for (i, (full, reduced)) in full.iter().zip(&reduced).enumerate() {
        if 1e-3 * i as f64 <= *warned {
            error = error.max((reduced - full).norm());
            largest = largest.max(full.norm());
        }
    }
    assert!((0.0185..0.0205).contains(&(largest / 0.5)), "{largest}");
    (error / largest, *warned)
}

/// Twelve interface coordinates and six modes come within 1e-3 of the full beams: modes of the L on its
/// hinge, and fields of second order. The lowest fixed-interface modes want twenty for that; without
/// geometric stiffening no number of modes does.
#[test]
fn a_reduced_body_deflects_like_the_full_one_until_it_warns() {
    let (error, warned) = error_until_warned(&["parameters.modes=6"]);
    println!("12 + 6: {error:e}, warned of at {warned} s");
    assert!(error < 1e-3, "{error}");
    near(warned, 0.1045, 2e-3);
    let by_frequency = ["parameters.selection=frequency", "parameters.modes=20"];
    assert!(error_until_warned(&by_frequency).0 < 1.2e-3);
    for modes in ["parameters.modes=6", "parameters.modes=40"] {
        let (error, _) = error_until_warned(&[modes, "parameters.stiffening=0"]);
        near(error, 8.6e-3, 1e-3);
    }
}

/// A beam under a load across it and one along it, as full beams and reduced.
fn column(along: f64, settings: &str) -> Vec<f64> {
    let text = format!(
        "space = \"plane\"\ngravity_m_per_s2 = [0, 0]\noutputs = [\"tip.x_m\", \"tip.y_m\"]\n\
         [analysis]\nduration_s = 1\nstep_s = 1e-3\n\
         [[beam]]\nname = \"rod\"\nfrom_m = [0, 0]\nto_m = [1, 0]\nelements = 12\nshape = \"given\"\n\
         mass_per_length_kg_per_m = 1\nrotary_inertia_kg_m = 1e-6\naxial_stiffness_n = 1e6\n\
         shear_stiffness_n = 1e6\nbending_stiffness_n_m2 = 10\n\
         [[frame]]\nname = \"tip\"\non = \"rod.end\"\n\
         [[joint]]\nname = \"clamp\"\nkind = \"fixed\"\na = \"ground\"\nb = \"rod.start\"\nat_m = [0, 0]\n\
         [[force]]\nname = \"load\"\non = \"rod.end\"\nforce_n = [{along}, 0.05]\n{settings}"
    );
    let find = &softdock_mechanism::library::find;
    let description = softdock_mechanism::describe("column.toml", &text, &[], find).unwrap();
    analysis::equilibrium(&description).unwrap().outputs
}

/// Axial forces change the stiffness in bending: a push of four fifths of Euler's load π² EI / 4 l² makes
/// the deflection five times as large, a pull halves it, and the tip draws near by what the rod bends.
#[test]
fn axial_forces_stiffen_and_soften_a_reduced_column() {
    let reduced = "[[reduced]]\nname = \"body\"\nbeams = [\"rod\"]\n\
                   interfaces = [\"rod.start\", \"rod.end\"]\nmodes = 4\n";
    let without = format!("{reduced}geometric_stiffening = false\n");
    let free = column(0.0, "")[1];
    for (along, share) in [(-0.8, 5.0), (1.0, 0.55)] {
        let load = along * std::f64::consts::PI.powi(2) * 10.0 / 4.0;
        let full = column(load, "");
        let own = column(load, reduced);
        println!("{along}: {full:?} {own:?}");
        near(full[1] / free, share, 0.1);
        near(own[1], full[1], 3e-3 * full[1]);
        // The approach of the tip is of second order in the deflection.
        let stretch = |x: f64| x - 1.0 - load / 1e6;
        near(
            stretch(own[0]),
            stretch(full[0]),
            2e-2 * stretch(full[0]).abs(),
        );
        near(column(load, &without)[1], free, 1e-2 * free);
    }
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
