//! Mechanism files beside the commands of the leg.

use super::folder::Folder;

/// Agreement of two models of one mechanism that take the same steps: the rounding of their solvers.
const SAME: f64 = 1e-9;

#[test]
fn the_leg_as_a_file_is_the_leg() {
    let folder = Folder::new();
    let rows = ["--output-step", "0.01", "--duration", "3"];
    folder.stdout(&[&["leg", "simulate", "--out", "leg"], &rows[..]].concat());
    folder.stdout(&["mechanism", "simulate", "planar-leg", "--out", "file"]);
    for (file, leg, allowed) in [
        ("time_s", "t", SAME),
        ("q1_rad", "q1", SAME),
        ("q2_rad", "q2", SAME),
        ("q3_rad", "q3", SAME),
        ("tendon.length_m", "tendon_length", SAME),
        ("middle.x_m", "x12", SAME),
        ("middle.y_m", "y12", SAME),
        // 2000 N/m and 1500 N s/m times the same.
        ("tendon.tension_n", "tendon_tension", 1e4 * SAME),
    ] {
        let a = folder.column("file/mechanism.csv", file);
        let b = folder.column("leg/leg.csv", leg);
        assert_eq!((a.len(), b.len()), (301, 301));
        let differences = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
        let worst = differences.fold(0.0, f64::max);
        assert!(worst < allowed, "{file}: {worst:e}");
    }
}
