//! The commands of the spatial leg, beside those of the planar one where they must agree.

use super::folder::{Folder, number};

/// Agreement of two models of one mechanism: the rounding of their solvers.
const SAME: f64 = 1e-9;

/// Seen along the motor's axis the spatial leg is the planar one: x is x, z is y.
#[test]
fn in_its_plane_the_equilibrium_is_that_of_the_planar_leg() {
    let folder = Folder::new();
    let planar = folder.json(&["leg", "pretension"]);
    let spatial = folder.json(&["leg", "spatial", "pretension", "--out", "o"]);
    for key in [
        "chord_m",
        "tension_n",
        "rest_length_m",
        "thrust_n",
        "sag_m",
        "hold_torque_1_nm",
        "strain_energy_j",
        "max_bending_moment_nm",
    ] {
        let (a, b) = (number(&planar, key), number(&spatial, key));
        // Both solves stop at corrections of 1e-10 of the leg's size.
        assert!((a - b).abs() < 1e-7 * a.abs(), "{key}: {a} {b}");
    }
    assert_eq!(planar["side"], spatial["side"]);
    let nodes = [&planar, &spatial].map(|report| report["nodes"].as_array().unwrap());
    for (p, s) in nodes[0].iter().zip(nodes[1]) {
        for (a, b) in [("x", "x"), ("y", "z")] {
            assert!((number(p, a) - number(s, b)).abs() < SAME, "{p} {s}");
        }
        let tangent = number(p, "theta").cos() - s["tangent"][0].as_f64().unwrap();
        assert!(
            tangent.abs() < 1e-7 && number(s, "y").abs() < SAME,
            "{p} {s}"
        );
    }
    assert!(folder.read("o/path.csv").lines().count() > 5);
}

#[test]
fn moved_in_its_plane_it_moves_as_the_planar_leg() {
    let folder = Folder::new();
    let motion = [
        "--duration",
        "0.2",
        "--set",
        "motor.torque_nm={kind=\"sine\",amplitude=2,frequency_hz=5}",
        "--set",
        "tendon.damping_n_s_per_m=100",
    ];
    let planar = [
        "leg",
        "simulate",
        "--out",
        "p",
        "--set",
        "load.lock_q3=true",
    ];
    folder.stdout(&[&planar[..], &motion].concat());
    let report =
        folder.json(&[&["leg", "spatial", "simulate", "--out", "s"], &motion[..]].concat());
    assert!(number(&report, "largest_loop_gap_m") < 1e-10);
    for (a, b) in [
        ("t", "t"),
        ("q1", "q1"),
        ("tendon_length", "tendon_length"),
        ("x12", "x12"),
        ("y12", "z12"),
    ] {
        let (p, s) = (folder.column("p/leg.csv", a), folder.column("s/leg.csv", b));
        assert_eq!(p.len(), 201);
        let worst = p
            .iter()
            .zip(&s)
            .map(|(p, s)| (p - s).abs())
            .fold(0.0, f64::max);
        assert!(worst < SAME, "{a}: {worst:e}");
    }
    let turn = folder.column("p/leg.csv", "q1");
    assert!(
        turn.iter().any(|q| q.abs() > 0.01),
        "it must move to mean anything"
    );
    let lean = folder.column("s/leg.csv", "u2");
    assert!(lean.iter().all(|u| u.abs() < SAME));
}

/// Pushed out of its plane the leg swings about the universal joint; released, it drops; moved, it
/// follows. The force at a loaded tip is what loads it.
#[test]
fn the_tip_is_loaded_free_or_moved() {
    let folder = Folder::new();
    folder.write("in.csv", "t,force_y_n\n0,0\n0.05,0.5\n");
    let base = ["leg", "spatial", "simulate", "--duration", "0.1"];
    let locked = ["--set", "motor.mode=locked", "--set"];
    let loaded = ["tip.mode=loaded", "--input", "in.csv"];
    folder.stdout(&[&base[..], &locked, &loaded].concat());
    let last = |name: &str| *folder.column("leg.csv", name).last().unwrap();
    assert!(last("yb") > 1e-3 && last("u2") > 1e-3, "{}", last("yb"));
    assert!((last("fy") + 0.5).abs() < 1e-12);
    let free = [&base[..], &locked, &["tip.mode=free"]].concat();
    let output = folder.command(&free).output().unwrap();
    // Let go, the undamped leaf vibrates faster than the steps: the peak torque is suspect.
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    // Bowed outward, the leaf falls outward about A.
    assert!(last("xb") > 0.2 && last("yb").abs() < SAME);
    let swing = "tip.motion_y_m={kind=\"ramp\",duration_s=0.05,to=0.02}";
    folder.stdout(&[&base[..], &locked, &[swing]].concat());
    assert!((last("yb") - 0.02).abs() < 1e-9 && last("u2") > 0.03);
}

#[test]
fn modes_and_linear_model_are_those_of_the_leg_in_space() {
    let folder = Folder::within(&["leg", "spatial"]);
    let few = ["--set", "solver.elements=4", "--set"];
    let locked = folder.json(&[&["modes"], &few[..], &["motor.mode=locked"]].concat());
    assert_eq!(locked["unstable_modes"], 0);
    assert!(number(&locked["undamped"][0], "frequency_hz") > 1.0);
    let model = folder.json(
        &[
            &["linearize", "--inputs", "crank_torque_nm,force_y_n"][..],
            &["--outputs", "q1,yb,tendon_tension"],
            &few[..],
            &["tip.mode=loaded"],
        ]
        .concat(),
    );
    let count = |key: &str| model[key].as_array().unwrap().len();
    assert_eq!((count("b"), count("c")), (count("states"), 3));
    assert_eq!(model["states"][0]["unit"], "rad");
    assert!((number(&model["outputs"][2], "value") - 58.07).abs() < 0.1);
    let held = folder.json(&[
        "linearize",
        "--outputs",
        "fx,fy,fz",
        "--set",
        "solver.elements=4",
    ]);
    let bowed = folder.json(&["pretension", "--set", "solver.elements=4"]);
    for axis in 0..3 {
        let force = bowed["tip_force_n"][axis].as_f64().unwrap();
        assert!((number(&held["outputs"][axis], "value") - force).abs() < 1e-6);
    }
}

#[test]
fn bad_input_ends_with_status_two_and_a_reason() {
    let folder = Folder::within(&["leg", "spatial"]);
    folder.write("typo.toml", "[universal]\nfirst_axs = [0, 0, 1]\n");
    folder.write("in.csv", "t,load_x_n\n0,1\n");
    let cases: [(&[&str], &str); 10] = [
        (&["--set", "tip.motion_y_m=0.01"], "does not start at rest"),
        (
            &[
                "--set",
                "tip.motion_y_m={kind=\"step\",time_s=0.1,after=0.01}",
            ],
            "take a ramp",
        ),
        (
            &["--config", "typo.toml"],
            "typo.toml:2: unknown key `universal.first_axs`; did you mean `universal.first_axis`?",
        ),
        (
            &["--set", "tip.colour=1"],
            "`tip` has the keys mode, motion_x_m",
        ),
        (&["--set", "tip_position_m=[0.19,0]"], "3 numbers"),
        (&["--set", "tip_position_m=[2,0,0]"], "longer than the leaf"),
        (&["--set", "tip.force_y_n=1"], "the tip is held"),
        (&["--set", "base.motor_axis=[1,0,0]"], "at right angles"),
        (&["--input", "in.csv"], "unknown column `load_x_n`"),
        (&["--duration", "-1"], "--duration -1 is not allowed"),
    ];
    for (arguments, expected) in cases {
        let message = folder.refused(2, &[&["simulate"], arguments].concat());
        assert!(message.contains(expected), "{arguments:?}: {message}");
    }
    let message = folder.refused(2, &["linearize", "--inputs", "force_x_n"]);
    assert!(message.contains("tip.mode=loaded"), "{message}");
    assert_eq!(
        folder.names(),
        ["in.csv", "typo.toml"],
        "nothing is written"
    );
    let printed = folder.stdout(&["simulate", "--print-config", "--set", "tip.mode=free"]);
    folder.write("all.toml", &printed);
    let again = folder.stdout(&["modes", "--print-config", "--config", "all.toml"]);
    assert_eq!(printed, again);
}

/// A light tip under a force that jumps, the crank in the hands of a motor: what the motor has to hold
/// vibrates, and steps of a millisecond do not show how far.
#[test]
fn peaks_that_steps_do_not_resolve_are_suspect() {
    let folder = Folder::new();
    let run = |step: &str, more: &[&str]| {
        let own = ["leg", "spatial", "simulate", "--duration", "0.15", "--json"];
        let arguments = [&own[..], &["--step", step], more].concat();
        let output = folder.command(&arguments).output().unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let reasons = report["soundness_reasons"].as_array().unwrap();
        let keys: Vec<String> = (reasons.iter())
            .map(|reason| reason["reason"].as_str().unwrap().to_owned())
            .collect();
        (
            output.status.code(),
            number(&report, "peak_crank_torque_nm"),
            keys,
        )
    };
    let turned = [
        "--set",
        "motor.mode=angle",
        "--set",
        "motor.angle_rad={kind=\"ramp\",start_s=0.02,duration_s=0.0964,from=0,to=0.2076}",
        "--set",
        "tip.mode=free",
    ];
    let (status, rough, reasons) = run("0.0012", &turned);
    assert_eq!(status, Some(3));
    assert!(
        reasons.iter().any(|key| key == "torque_unresolved"),
        "{reasons:?}"
    );
    let (status, fine, reasons) = run("0.00005", &turned);
    assert_eq!((status, reasons), (Some(0), vec![]));
    assert!((rough / fine - 1.0).abs() > 0.03, "{rough} {fine}");
}
