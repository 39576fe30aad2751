//! The exported FMUs in importers that other people use: FMPy, libcosim, ecos.
//!
//! A virtual environment is made below the target folder from `tests/importers/requirements.txt`,
//! once. Without python3 the test says so and passes, except where `CI=true`.

use super::foreign;
use leg_core::unit_planar::{PLANAR_INPUTS, PlanarInput, PlanarOutput as P};
use leg_core::unit_spatial::{SPATIAL_INPUTS, SpatialInput, SpatialOutput as S};
use leg_core::{LegConfig, PlanarUnit, SpatialLegConfig, SpatialUnit};
use softdock_fmu::COUPLED_SPECTRAL_RADIUS;
use std::fmt::Write;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const STEPS: usize = 200;
const STEP: f64 = 1e-3;
const LEGS: usize = 6;
/// What moves the platform that is put together of FMUs, and the one that is solved as a whole.
const WRENCH: [&str; 4] = [
    "--set",
    "wrench.force_z_n=-50",
    "--set",
    "wrench.moment_x_nm=2",
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// Runs a command to its end; its output as an error if it fails.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    let (out, errors) = (text(&output.stdout), text(&output.stderr));
    Err(format!("{command:?}: {}\n{out}\n{errors}", output.status))
}

/// The virtual environment, made if it is not there or its requirements have changed.
fn environment() -> Result<PathBuf, String> {
    let requirements = repository().join("tests/importers/requirements.txt");
    let wanted = fs::read_to_string(&requirements).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("importers");
    let stamp = folder.join("requirements.txt");
    let python = folder.join("bin/python");
    if fs::read_to_string(&stamp).is_ok_and(|present| present == wanted) {
        return Ok(folder);
    }
    let _ = fs::remove_dir_all(&folder);
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
    ];
    run(Command::new(&python).args(install).arg(&requirements))?;
    fs::write(&stamp, wanted).unwrap();
    Ok(folder)
}

/// A number that loses nothing, as Python reads it.
fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let (sign, exponent, mantissa) = (bits >> 63, (bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
    let sign = if sign == 1 { "-" } else { "" };
    match exponent {
        0 => format!("{sign}0x0.{mantissa:013x}p-1022"),
        _ => format!("{sign}0x1.{mantissa:013x}p{}", exponent as i64 - 1023),
    }
}

#[test]
fn hexadecimal_numbers_are_those_of_python() {
    assert_eq!(hexadecimal(1.0), "0x1.0000000000000p0");
    assert_eq!(hexadecimal(-0.1), "-0x1.999999999999ap-4");
    assert_eq!(hexadecimal(0.0), "0x0.0000000000000p-1022");
}

/// Writes the native run of six legs: `advance` moves leg `k` and gives its outputs.
fn write_reference(
    path: &Path,
    variables: &[(&str, usize)],
    mut outputs: impl FnMut(usize, bool) -> Vec<f64>,
) {
    let names: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
    let mut text = format!("leg,step,{}\n", names.join(","));
    for leg in 0..LEGS {
        for step in 0..=STEPS {
            let out = outputs(leg, step > 0);
            let row: Vec<String> = variables
                .iter()
                .map(|(_, i)| hexadecimal(out[*i]))
                .collect();
            writeln!(text, "{leg},{step},{}", row.join(",")).unwrap();
        }
    }
    fs::write(path, text).unwrap();
}

fn planar_reference(path: &Path) {
    let mut legs: Vec<PlanarUnit> = (0..LEGS)
        .map(|leg| {
            let mut config = LegConfig::default();
            config.crank.mass_kg = 1.0 + 0.1 * leg as f64;
            let mut inputs = [0.0; PLANAR_INPUTS];
            inputs[PlanarInput::MotorTorque as usize] = 0.05 * leg as f64;
            PlanarUnit::new(&config, &inputs).unwrap()
        })
        .collect();
    let variables = [
        ("q1", P::Angles as usize),
        ("q2", P::Angles as usize + 1),
        ("q3", P::Angles as usize + 2),
        ("q1_rate", P::Rates as usize),
        ("tendon.length", P::TendonLength as usize),
        ("tendon.tension", P::TendonTension as usize),
        ("leaf.middle[1]", P::Stations as usize + 2),
        ("energy.residual", P::Residual as usize),
    ];
    write_reference(path, &variables, |leg, moves| {
        if moves {
            legs[leg].advance_by(STEP).unwrap();
        }
        legs[leg].outputs().unwrap()
    });
}

fn spatial_reference(path: &Path) {
    let mut legs: Vec<SpatialUnit> = (0..LEGS)
        .map(|leg| {
            let mut config = SpatialLegConfig::default();
            config.solver.spectral_radius = COUPLED_SPECTRAL_RADIUS;
            config.crank.mass_kg = 1.0 + 0.1 * leg as f64;
            let mut inputs = [0.0; SPATIAL_INPUTS];
            inputs[..3].copy_from_slice(&config.tip_position_m);
            inputs[SpatialInput::MotorTorque as usize] = 0.05 * leg as f64;
            SpatialUnit::new(&config, true, &inputs).unwrap()
        })
        .collect();
    let variables = [
        ("motor.angle", S::MotorAngle as usize),
        ("tip.force[1]", S::TipForce as usize),
        ("tip.force[2]", S::TipForce as usize + 1),
        ("tip.force[3]", S::TipForce as usize + 2),
        ("tendon.tension", S::TendonTension as usize),
        ("energy.residual", S::Residual as usize),
    ];
    write_reference(path, &variables, |leg, moves| {
        if moves {
            legs[leg].advance_by(STEP).unwrap();
        }
        legs[leg].outputs().unwrap()
    });
}

/// FMUs of other makers and the program's runs of them, `VERSION/MODEL.csv`; false without a compiler.
fn simulate_foreign(folder: &Path) -> bool {
    if !foreign::write_all(folder) {
        return false;
    }
    for (version, name) in foreign::VERSIONS {
        for model in foreign::MODELS.iter().filter(|model| model.fits(version)) {
            let inside = folder.join(name);
            run(Command::new(env!("CARGO_BIN_EXE_softdock"))
                .args(["fmu", "simulate", "--out"])
                .arg(&inside)
                .arg(inside.join(format!("{}.fmu", model.name))))
            .unwrap();
        }
    }
    true
}

/// The first leg of the native run is what `softdock leg simulate` writes.
fn compare_with_leg_simulate(folder: &Path) {
    let duration = (STEPS as f64 * STEP).to_string();
    let program = env!("CARGO_BIN_EXE_softdock");
    let arguments = ["leg", "simulate", "--duration", &duration, "--out"];
    run(Command::new(program).args(arguments).arg(folder)).unwrap();
    let simulated = fs::read_to_string(folder.join("leg.csv")).unwrap();
    let native = fs::read_to_string(folder.join("LegPlanar.csv")).unwrap();
    let column = |text: &str, name: &str| {
        let header = text.lines().next().unwrap();
        header.split(',').position(|one| one == name).unwrap()
    };
    for (ours, theirs) in [
        ("q1", "q1"),
        ("q2", "q2"),
        ("q3", "q3"),
        ("tendon.tension", "tendon_tension"),
    ] {
        let (i, j) = (column(&native, ours), column(&simulated, theirs));
        let rows = native.lines().skip(1).zip(simulated.lines().skip(1));
        let mut count = 0;
        for (row, other) in rows {
            let a = from_hexadecimal(row.split(',').nth(i).unwrap());
            let b: f64 = other.split(',').nth(j).unwrap().parse().unwrap();
            assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{ours}: {a} {b}");
            count += 1;
        }
        assert_eq!(count, STEPS + 1);
    }
}

fn from_hexadecimal(text: &str) -> f64 {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (1 << 63, rest),
        None => (0, text),
    };
    let (number, exponent) = rest[2..].split_once('p').unwrap();
    let mantissa = u64::from_str_radix(&number[2..], 16).unwrap();
    let exponent: i64 = exponent.parse().unwrap();
    let exponent = if number.starts_with('0') {
        0
    } else {
        (exponent + 1023) as u64
    };
    f64::from_bits(sign | exponent << 52 | mantissa)
}

#[test]
#[cfg(target_os = "linux")]
fn importers_see_the_native_leg() {
    let environment = match environment() {
        Ok(environment) => environment,
        Err(error) => {
            let must = std::env::var("CI").is_ok_and(|value| value == "true");
            assert!(!must, "{error}");
            let test = "importers_see_the_native_leg";
            let missing = "no python environment for the importers";
            // Past the capture of the test harness.
            let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {missing}: {error}");
            return;
        }
    };
    let name = format!("importers-{}", std::process::id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    let program = env!("CARGO_BIN_EXE_softdock");
    run(Command::new(program)
        .args(["fmu", "export", "--out"])
        .arg(&folder))
    .unwrap();
    run(Command::new(program)
        .args(["fmu", "export", "--fmi", "3", "--out"])
        .arg(folder.join("version3")))
    .unwrap();
    run(Command::new(program)
        .args(["ssp", "export", "--out"])
        .arg(&folder)
        .args(WRENCH))
    .unwrap();
    run(Command::new(program)
        .args(["platform", "simulate", "--duration", "0.3", "--out"])
        .arg(folder.join("whole"))
        .args(WRENCH))
    .unwrap();
    run(Command::new(program)
        .args(["dock", "--set", "duration_s=0.2", "--no-report", "--out"])
        .arg(folder.join("dock")))
    .unwrap();
    run(Command::new(program)
        .args(["mechanism", "simulate", "driven-arm", "--out"])
        .arg(folder.join("arm")))
    .unwrap();
    let foreign = simulate_foreign(&folder.join("foreign"));
    planar_reference(&folder.join("LegPlanar.csv"));
    spatial_reference(&folder.join("LegSpatial.csv"));
    compare_with_leg_simulate(&folder);
    let scripts = repository().join("tests/importers");
    for script in [
        "with_fmpy.py",
        "with_fmpy_3.py",
        "with_native_runs.py",
        "with_fmpy_ssp.py",
        "with_fmpy_example.py",
        "with_fmpy_foreign.py",
        "with_libcosimpy.py",
        "with_ecospy.py",
    ] {
        if script == "with_fmpy_foreign.py" && !foreign {
            continue;
        }
        let told = run(Command::new(environment.join("bin/python"))
            .arg(scripts.join(script))
            .arg(&folder)
            .env("LD_LIBRARY_PATH", environment.join("lib"))
            .env("PYTHONDONTWRITEBYTECODE", "1"));
        match told {
            Ok(text) => println!("{text}"),
            Err(error) => panic!("{error}"),
        }
    }
    fs::remove_dir_all(&folder).unwrap();
}
