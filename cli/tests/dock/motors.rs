//! One encounter, three ways to drive the motors.

use crate::support::{COARSE, Folder};

/// The scenarios differ in their motors alone; the regulated platform brakes the target, with the
/// least force, until the latch closes, and the ledger counts the work of its motors.
#[test]
fn regulated_motors_catch_a_target_that_others_throw_back() {
    let folder = Folder::new("motors");
    let names = ["motors-locked", "motors-hold", "motors-lqr"];
    let configs = names.map(|name| {
        let mut table: toml::Table = folder.stdout(&[name, "--print-config"]).parse().unwrap();
        assert!(table.remove("motor").is_some() && table.remove("regulator").is_some());
        table
    });
    assert!(configs.iter().all(|config| *config == configs[0]));

    let compare = ["--compare", names[0], names[1], names[2], "--no-report"];
    let arguments = ["--set", "duration_s=1.5", "--json", "--out", "compared"];
    folder.stdout(&[&compare[..], &COARSE, &arguments].concat());
    let all = folder.json("compared/summary.json");
    let figure = |name: &str, key: &str| all[name][key].as_f64().unwrap();
    for name in names {
        let residual = figure(name, "energy_residual_rel");
        assert!(residual < 1e-4, "{name}: the ledger misses {residual:e}");
        assert_eq!(all[name]["soundness"], "sound", "{name}");
        let captured = all[name]["outcome"] == "captured";
        assert_eq!(captured, name == "motors-lqr", "{name}");
        assert!(figure(name, "peak_motor_torque_nm") <= 10.0);
    }
    let peaks = names.map(|name| figure(name, "peak_contact_force_n"));
    assert!(peaks[2] < peaks[1] && peaks[1] < peaks[0], "{peaks:?}");
    let work = all["motors-lqr"]["energy"]["motor_work_j"]
        .as_f64()
        .unwrap();
    assert!(work < -0.3, "{work} J");
}
