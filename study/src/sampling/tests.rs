//! Properties of the designs.

use super::*;

const UNIT: &str = "distribution = \"uniform\"\nmin = 0\nmax = 1\n";

fn study(sampling: &str, runs: u64, bodies: &[&str]) -> Study {
    let mut text = format!("name = \"s\"\nseed = 11\nruns = {runs}\nsampling = \"{sampling}\"\n");
    for (j, body) in bodies.iter().enumerate() {
        text += &format!("[[vary]]\nkey = \"x{j}\"\n{body}");
    }
    Study::parse(&text, "test").unwrap()
}

fn sampler(sampling: &str, runs: u64, dimensions: usize) -> Sampler {
    Sampler::new(&study(sampling, runs, &vec![UNIT; dimensions])).unwrap()
}

fn numbers(sampler: &Sampler, run: u64) -> Vec<f64> {
    sampler
        .values(run)
        .iter()
        .filter_map(Value::number)
        .collect()
}

#[test]
fn a_latin_hypercube_has_one_point_in_every_stratum() {
    for runs in [1, 2, 13, 1000] {
        let sampler = sampler("latin_hypercube", runs, 5);
        let mut hit = vec![vec![false; runs as usize]; 5];
        for run in 0..runs {
            for (j, u) in numbers(&sampler, run).into_iter().enumerate() {
                let stratum = (u * runs as f64) as usize;
                assert!(
                    !std::mem::replace(&mut hit[j][stratum], true),
                    "dimension {j}"
                );
            }
        }
    }
}

/// The largest study allowed: the ends of the strata stay inside (0, 1).
#[test]
fn a_huge_latin_hypercube_stays_inside_the_unit_interval() {
    let runs = crate::MAX_RUNS;
    let sampler = sampler("latin_hypercube", runs, 1);
    for stratum in [0, 1, runs / 2, runs - 1] {
        let u = sampler.in_stratum(stratum, runs, 0, 0);
        assert!(u > 0.0 && u < 1.0);
        assert_eq!((u * runs as f64) as u64, stratum);
    }
}

/// Columns of a Latin hypercube are not correlated: |r| below four standard errors.
#[test]
fn columns_of_a_latin_hypercube_are_independent() {
    let runs = 2000;
    let sampler = sampler("latin_hypercube", runs, 2);
    let r = (0..runs)
        .map(|run| numbers(&sampler, run))
        .map(|u| (u[0] - 0.5) * (u[1] - 0.5) * 12.0)
        .sum::<f64>()
        / runs as f64;
    assert!(r.abs() < 4.0 / (runs as f64).sqrt(), "{r}");
}

#[test]
fn monte_carlo_does_not_depend_on_the_number_of_runs() {
    let (few, many) = (
        sampler("monte_carlo", 10, 3),
        sampler("monte_carlo", 1_000_000, 3),
    );
    for run in 0..10 {
        assert_eq!(few.values(run), many.values(run));
    }
    assert_ne!(few.values(0), few.values(1));
    let other = Sampler::new(&Study {
        seed: 12,
        ..study("monte_carlo", 10, &[UNIT; 3])
    })
    .unwrap();
    assert_ne!(few.values(0), other.values(0));
}

/// The scrambled sequence integrates Π (12 (u − ½)²) over 3 dimensions, exactly 1, far better than
/// 4096 independent points, whose standard error is (9/5)^1.5 − 1 under the root, over 64: 0.019.
#[test]
fn the_sobol_sequence_integrates_better_than_independent_points() {
    let runs = 4096;
    let sampler = sampler("sobol", runs, 3);
    let mean = (0..runs)
        .map(|run| {
            numbers(&sampler, run)
                .iter()
                .map(|u| 12.0 * (u - 0.5).powi(2))
                .product::<f64>()
        })
        .sum::<f64>()
        / runs as f64;
    assert!((mean - 1.0).abs() < 2e-3, "{mean}");
}

#[test]
fn saltelli_exchanges_one_coordinate_at_a_time() {
    let d = 3;
    let sampler = sampler("saltelli", 20 * (d as u64 + 2), d);
    for sample in 0..20 {
        let row = |member: u64| numbers(&sampler, sample * (d as u64 + 2) + member);
        let (a, b) = (row(0), row(d as u64 + 1));
        for exchanged in 0..d {
            let mixed = row(exchanged as u64 + 1);
            for j in 0..d {
                assert_eq!(mixed[j], if j == exchanged { b[j] } else { a[j] });
            }
        }
        assert!((0..d).all(|j| a[j] != b[j]));
    }
}

#[test]
fn a_grid_counts_with_the_last_input_fastest() {
    let text = "name = \"g\"\nsampling = \"grid\"\n\
                [[vary]]\nkey = \"a\"\ndistribution = \"choice\"\nvalues = [\"x\", \"y\"]\n\
                [[vary]]\nkey = \"b\"\ndistribution = \"range\"\nfrom = 0\nto = 2\ncount = 3\n";
    let sampler = Sampler::new(&Study::parse(text, "test").unwrap()).unwrap();
    assert_eq!(sampler.runs(), 6);
    let rows: Vec<String> = (0..6)
        .map(|run| {
            sampler
                .values(run)
                .iter()
                .map(Value::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(rows, ["x 0", "x 1", "x 2", "y 0", "y 1", "y 2"]);
}

/// Correlated normal inputs have the correlation and the marginals asked for; uniform ones have the
/// rank correlation (6/π) asin(ρ/2). Four standard errors allowed.
#[test]
fn correlations_are_those_asked_for() {
    let normal = "distribution = \"normal\"\nmean = 1\nstd_dev = 2\n";
    let runs = 20_000;
    let rho = 0.6;
    for (body, expected) in [
        (normal, rho),
        (UNIT, 6.0 / std::f64::consts::PI * (rho / 2.0_f64).asin()),
    ] {
        let mut study = study("monte_carlo", runs, &[body, body]);
        study.correlate.push(crate::description::Correlation {
            keys: ["x0".into(), "x1".into()],
            coefficient: rho,
        });
        let sampler = Sampler::new(&study).unwrap();
        let rows: Vec<Vec<f64>> = (0..runs).map(|run| numbers(&sampler, run)).collect();
        let mean = |j: usize| rows.iter().map(|x| x[j]).sum::<f64>() / runs as f64;
        let (m0, m1) = (mean(0), mean(1));
        let sum = |f: &dyn Fn(&Vec<f64>) -> f64| rows.iter().map(f).sum::<f64>();
        let covariance = sum(&|x| (x[0] - m0) * (x[1] - m1));
        let (v0, v1) = (sum(&|x| (x[0] - m0).powi(2)), sum(&|x| (x[1] - m1).powi(2)));
        let found = covariance / (v0 * v1).sqrt();
        assert!(
            (found - expected).abs() < 4.0 / (runs as f64).sqrt(),
            "{found} for {expected}"
        );
        let sd = (v1 / runs as f64).sqrt();
        let expected_sd = if body == UNIT {
            (1.0_f64 / 12.0).sqrt()
        } else {
            2.0
        };
        assert!((sd / expected_sd - 1.0).abs() < 0.03, "{sd}");
    }
}

/// The same bits on every machine and in every version: a change here changes every study.
#[test]
fn samples_are_pinned() {
    let bodies = [
        UNIT,
        "distribution = \"normal\"\nmean = 0\nstd_dev = 1\n",
        "distribution = \"truncated_normal\"\nmean = 0\nstd_dev = 1\nmin = -1\n",
        "distribution = \"arcsine\"\nmin = -4\nmax = 4\n",
        "distribution = \"log_uniform\"\nmin = 0.1\nmax = 10\n",
    ];
    for (sampling, expected) in PINNED {
        let sampler = Sampler::new(&study(sampling, 35, &bodies)).unwrap();
        let bits: Vec<u64> = numbers(&sampler, 17).iter().map(|x| x.to_bits()).collect();
        assert_eq!(bits, expected, "{sampling}: {bits:#x?}");
    }
}

const PINNED: [(&str, [u64; 5]); 4] = [
    (
        "monte_carlo",
        [
            0x3fa7_d6db_8550_a930,
            0x3fd5_a3e8_4f6a_819c,
            0x4006_6b09_7cc9_2e89,
            0x400f_dd48_526d_10b5,
            0x3fc4_7988_d5f8_854c,
        ],
    ),
    (
        "latin_hypercube",
        [
            0x3fe9_b357_36b3_d400,
            0xbfe4_6c45_b6cd_75fe,
            0xbfe5_4e58_a699_627f,
            0x3ff0_0b22_d6de_fc2c,
            0x400f_43f4_03d8_4a36,
        ],
    ),
    (
        "sobol",
        [
            0x3fde_ef64_eaa3_125e,
            0xbfe0_8b51_0a80_ed2d,
            0x3fc8_d760_de55_b29b,
            0xc00d_a32f_52d7_4cbc,
            0x3fec_f71a_b1f0_27d9,
        ],
    ),
    (
        "saltelli",
        [
            0x3f82_67bc_f37e_1fc0,
            0x3fd9_d243_c495_6804,
            0x3fe1_d2c0_d754_29d3,
            0xc005_08e4_a392_ca28,
            0x3fea_3a32_148c_1cc0,
        ],
    ),
];

/// Blocks of a Latin hypercube are hypercubes, each another one; no run depends on how many there are.
#[test]
fn latin_hypercubes_come_in_blocks() {
    let of = |runs: u64| {
        let study = Study {
            block: Some(16),
            ..study("latin_hypercube", runs, &[UNIT; 3])
        };
        Sampler::new(&study).unwrap()
    };
    let (few, many) = (of(20), of(96));
    for run in 0..20 {
        assert_eq!(few.values(run), many.values(run));
    }
    let strata = |block: u64, j: usize| -> Vec<usize> {
        let runs = 16 * block..16 * (block + 1);
        runs.map(|run| (numbers(&many, run)[j] * 16.0) as usize)
            .collect()
    };
    for j in 0..3 {
        for block in 0..6 {
            let mut sorted = strata(block, j);
            sorted.sort_unstable();
            assert_eq!(sorted, (0..16).collect::<Vec<_>>());
        }
        assert_ne!(strata(0, j), strata(1, j));
    }
    assert_ne!(strata(0, 0), strata(0, 1));
}

/// Runs i, i + R, i + 2R … are one scrambled sequence: 64 of them have one point in each of 64
/// intervals; different scrambles differ.
#[test]
fn sobol_sequences_come_in_scrambles() {
    let study = Study {
        scrambles: Some(4),
        ..study("sobol", 256, &[UNIT; 3])
    };
    let sampler = Sampler::new(&study).unwrap();
    let one = super::tests::sampler("sobol", 64, 3);
    for scramble in 0..4 {
        for j in 0..3 {
            let mut cells: Vec<usize> = (0..64)
                .map(|i| (numbers(&sampler, 4 * i + scramble)[j] * 64.0) as usize)
                .collect();
            cells.sort_unstable();
            assert_eq!(cells, (0..64).collect::<Vec<_>>());
        }
    }
    assert_eq!(sampler.values(8), one.values(2));
    assert_ne!(sampler.values(0), sampler.values(1));
}

/// Inputs that are limited together stay within the radius and fill it evenly: of a disc a quarter
/// lies within half of the radius, of a ball an eighth; on a sphere every coordinate is uniform.
#[test]
fn joint_limits_hold_for_the_length() {
    let joint = "distribution = \"joint\"\n";
    for (shape, inputs, inner) in [("disc", 2, 0.25), ("ball", 3, 0.125), ("sphere", 3, 0.0)] {
        let mut text = "name = \"s\"\nruns = 4000\nsampling = \"sobol\"\n".to_owned();
        let keys: Vec<String> = (0..inputs).map(|j| format!("x{j}")).collect();
        for key in &keys {
            text += &format!("[[vary]]\nkey = \"{key}\"\n{joint}");
        }
        text += &format!("[[joint]]\nkeys = {keys:?}\nshape = \"{shape}\"\nradius = 2\n");
        let sampler = Sampler::new(&Study::parse(&text, "test").unwrap()).unwrap();
        let length = |run| {
            numbers(&sampler, run)
                .iter()
                .map(|x| x * x)
                .sum::<f64>()
                .sqrt()
        };
        let lengths: Vec<f64> = (0..4000).map(length).collect();
        assert!(lengths.iter().all(|r| *r <= 2.0 + 1e-12), "{shape}");
        let share = lengths.iter().filter(|r| **r < 1.0).count() as f64 / 4000.0;
        assert!((share - inner).abs() < 0.01, "{shape}: {share}");
        let last = |run| numbers(&sampler, run)[inputs - 1];
        let mean = (0..4000).map(last).sum::<f64>() / 4000.0;
        assert!(mean.abs() < 0.02, "{shape}: {mean}");
    }
    let alone = "name = \"s\"\nruns = 4\nsampling = \"sobol\"\n[[vary]]\nkey = \"x\"\n";
    let error = Study::parse(&format!("{alone}{joint}"), "test").unwrap_err();
    assert!(error.to_string().contains("[[joint]]"), "{error}");
}
