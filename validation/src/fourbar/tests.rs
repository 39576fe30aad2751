//! The four-bar against its reference results and against itself.
#![allow(clippy::unwrap_used)]

use super::plane::{Vector, add_scaled, cross, scale, unit};
use super::*;
use crate::runge_kutta::{IntegrationError, Tolerances};
use core::f64::consts::{FRAC_PI_2, PI};

/// Released at rest from q1 = 0 under gravity for 3 s; origin in tests/reference/README.md.
const REFERENCE: &str = include_str!("../../../tests/reference/rigid_fourbar.csv");
/// Reference numbers at t = 0 are given to seven decimals, so half of the last one.
const HALF_LAST_DECIMAL: f64 = 0.5001e-7;
/// Angles over 3 s [rad]: the reference promises eight digits, but we meet the eleven it prints.
const ANGLE: f64 = 1e-9;
/// Rates over 3 s [rad/s], up to 22, likewise.
const RATE: f64 = 1e-8;
/// Energy drift over 3 s [J] of 6.8 J in all; 2e-12 measured.
const ENERGY: f64 = 1e-11;
/// Steps of about 5 ms, limited by rounding as much as by the method.
const TIGHT: Tolerances = Tolerances {
    relative: 1e-13,
    absolute: 1e-13,
    largest_step: f64::INFINITY,
    max_steps: 100_000,
};
const AT_REST: Start = Start {
    q1: 0.0,
    q1_rate: 0.0,
    branch: Branch::Counterclockwise,
};

fn assert_near(got: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len());
    for (g, e) in got.iter().zip(expected) {
        assert!(
            (g - e).abs() <= tolerance,
            "{got:?} differs from {expected:?} by {:e}",
            g - e
        );
    }
}

fn seconds(count: usize, spacing: f64) -> Vec<f64> {
    (0..=count).map(|i| i as f64 * spacing).collect()
}

/// A four-bar with unequal everything, so that no term hides behind a symmetry.
fn uneven() -> FourBar {
    let bars = PerBar {
        link1: Bar::slender(0.12, 0.7),
        bar2: Bar {
            length: 0.5,
            mass: 1.9,
            inertia: 0.06,
        },
        link3: Bar {
            length: 0.23,
            mass: 1.3,
            inertia: 0.0,
        },
    };
    FourBar::new(FourBarData {
        bars,
        gravity: [3.0, -8.0],
        ..FourBarData::default()
    })
    .unwrap()
}

#[test]
fn accelerations_and_reactions_at_release_match_the_reference() {
    let four_bar = FourBar::published();
    let configuration = four_bar.assemble(0.0, Branch::Counterclockwise).unwrap();
    assert_near(&[configuration.angles.link3], &[0.48995732625], 5e-12);
    let accelerations = four_bar.accelerations(&configuration, 0.0, Torques::default());
    let expected = [-93.5737645, -11.0086782, -60.2580279];
    assert_near(&accelerations.into_array(), &expected, HALF_LAST_DECIMAL);
    let reactions = four_bar.reactions(&configuration, 0.0, &accelerations, Torques::default());
    assert_near(
        &reactions.o_on_link1,
        &[1.0318965, 3.0335247],
        HALF_LAST_DECIMAL,
    );
    assert_near(
        &reactions.a_on_bar2,
        &[1.0318965, -1.1620494],
        HALF_LAST_DECIMAL,
    );
    assert_near(
        &reactions.b_on_link3,
        &[-1.6619918, -0.3065830],
        HALF_LAST_DECIMAL,
    );
    assert_near(
        &reactions.c_on_link3,
        &[4.3558801, 5.0655424],
        HALF_LAST_DECIMAL,
    );
}

#[test]
fn three_seconds_of_free_motion_match_the_reference() {
    let mut lines = REFERENCE.lines();
    assert_eq!(lines.next(), Some("t,q1,q2_rel,q3,q1d,q2d_rel,q3d,th2_abs"));
    let rows: Vec<Vec<f64>> = lines
        .map(|line| line.split(',').map(|word| word.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows.len(), 301);
    let times: Vec<f64> = rows.iter().map(|row| row[0]).collect();
    let samples = FourBar::published()
        .simulate(&AT_REST, &times, &TIGHT)
        .unwrap();
    let mut worst = [0.0_f64; 8];
    for (sample, row) in samples.iter().zip(&rows) {
        let (angles, rates) = (sample.configuration.angles, sample.rates);
        let relative = sample.configuration.relative_angle();
        let ours = [
            sample.time,
            angles.link1,
            relative,
            angles.link3,
            rates.link1,
            rates.bar2 - rates.link1,
            rates.link3,
            angles.bar2,
        ];
        for (worst, (ours, reference)) in worst.iter_mut().zip(ours.iter().zip(row)) {
            *worst = worst.max((ours - reference).abs());
        }
    }
    println!("largest differences of t, q1, q2, q3, their rates and θ2: {worst:?}");
    let [_, angles @ .., _, _, _, bar2] = worst;
    assert!(
        angles
            .into_iter()
            .chain([bar2])
            .all(|difference| difference < ANGLE),
        "{worst:?}"
    );
    assert!(
        worst[4..7].iter().all(|&difference| difference < RATE),
        "{worst:?}"
    );
    let end = samples[300].configuration.angles.link1;
    assert!((end + 3.16700606).abs() < 0.5e-8, "{end}");
}

#[test]
fn energy_is_conserved_and_torques_account_for_their_work() {
    let four_bar = FourBar::published();
    let ledger = |samples: &[Sample]| {
        let balance = |sample: &Sample| sample.energy.total() - sample.work;
        samples
            .iter()
            .map(|s| (balance(s) - balance(&samples[0])).abs())
            .fold(0.0, f64::max)
    };
    let free = four_bar
        .simulate(&AT_REST, &seconds(300, 0.01), &TIGHT)
        .unwrap();
    assert!(free.iter().all(|sample| sample.work == 0.0));
    println!(
        "energy drift {:e} J of {} J",
        ledger(&free),
        free[0].energy.total()
    );
    assert!(ledger(&free) < ENERGY, "{:e}", ledger(&free));
    let damper = |_: f64, _: &Configuration, rates: &PerBar<f64>| Torques {
        link1: 0.3 - 0.01 * rates.link1,
        link3: -0.05 * rates.link3,
    };
    let driven = four_bar
        .simulate_driven(&AT_REST, &seconds(300, 0.01), &TIGHT, damper)
        .unwrap();
    println!("ledger error with torques {:e} J", ledger(&driven));
    assert!(
        driven[300].work < -1.0 && ledger(&driven) < ENERGY,
        "{:e}",
        ledger(&driven)
    );
}

#[test]
fn motion_reversed_in_time_returns_to_its_start() {
    let four_bar = uneven();
    let there = four_bar.simulate(&AT_REST, &[0.0, 0.7], &TIGHT).unwrap()[1];
    let back = Start {
        q1: there.configuration.angles.link1,
        q1_rate: -there.rates.link1,
        branch: AT_REST.branch,
    };
    let again = four_bar.simulate(&back, &[0.0, 0.7], &TIGHT).unwrap()[1];
    assert_near(
        &[again.configuration.angles.link1, again.rates.link1],
        &[0.0, 0.0],
        1e-10,
    );
}

#[test]
fn ratios_and_inertia_are_the_derivatives_they_claim_to_be() {
    let (four_bar, step) = (uneven(), 1e-4);
    for branch in [Branch::Counterclockwise, Branch::Clockwise] {
        for q1 in [-2.9, -1.3, 0.2] {
            let at = |q: f64| four_bar.assemble(q, branch).unwrap();
            let [below, here, above] = [at(q1 - step), at(q1), at(q1 + step)];
            let inertia =
                |c: &Configuration| four_bar.reduced_equation(c, Torques::default()).inertia;
            let slope = |f: &dyn Fn(&Configuration) -> f64| (f(&above) - f(&below)) / (2.0 * step);
            let potential = |c: &Configuration| four_bar.energy(c, 0.0).gravity;
            let equation = four_bar.reduced_equation(&here, Torques::default());
            let exact = [
                here.ratios.bar2,
                here.ratios.link3,
                here.ratio_slopes.bar2,
                here.ratio_slopes.link3,
                equation.bias,
                equation.load,
            ];
            let differences = [
                slope(&|c| c.angles.bar2),
                slope(&|c| c.angles.link3),
                slope(&|c| c.ratios.bar2),
                slope(&|c| c.ratios.link3),
                0.5 * slope(&inertia),
                -slope(&potential),
            ];
            assert_near(&exact, &differences, 2e-7);
        }
    }
}

#[test]
fn reactions_balance_the_moments_of_link_one() {
    // The only one of the nine Newton–Euler equations that the reactions are not computed from.
    let four_bar = uneven();
    let torques = Torques {
        link1: 0.8,
        link3: -1.7,
    };
    for q1 in [-2.9, -1.3, 0.2] {
        let configuration = four_bar.assemble(q1, Branch::Clockwise).unwrap();
        let accelerations = four_bar.accelerations(&configuration, 5.0, torques);
        let forces = four_bar.reactions(&configuration, 5.0, &accelerations, torques);
        let Bar {
            length, inertia, ..
        } = four_bar.data().bars.link1;
        let arm = scale(0.5 * length, unit(q1));
        let on_a: Vector = scale(-1.0, forces.a_on_bar2);
        let moment = cross(arm, on_a) - cross(arm, forces.o_on_link1) + torques.link1;
        assert_near(&[inertia * accelerations.link1], &[moment], 1e-12);
    }
}

#[test]
fn a_torque_that_holds_the_load_keeps_it_at_rest() {
    let four_bar = FourBar::published();
    let configuration = four_bar.assemble(0.0, Branch::Counterclockwise).unwrap();
    let load = four_bar
        .reduced_equation(&configuration, Torques::default())
        .load;
    let hold = Torques {
        link1: -load,
        link3: 0.0,
    };
    let end = four_bar
        .simulate_driven(&AT_REST, &[0.0, 0.5], &TIGHT, |_, _, _| hold)
        .unwrap()[1];
    assert!(end.configuration.angles.link1.abs() < 1e-12 && end.work.abs() < 1e-12);
    let weights = [end.reactions.o_on_link1, end.reactions.c_on_link3];
    assert_near(
        &add_scaled(weights[0], 1.0, weights[1]),
        &[0.0, 3.0 * 9.81],
        1e-11,
    );
}

/// The published leg folds (|CA| = L2 − L3) a little before link 1 points from O to C.
fn folding_angle() -> f64 {
    let ground = 0.150_f64.hypot(0.400);
    let cosine = (ground * ground + 0.12 * 0.12 - 0.31 * 0.31) / (2.0 * ground * 0.12);
    0.150_f64.atan2(0.400) + FRAC_PI_2 - cosine.acos()
}

#[test]
fn positions_out_of_reach_are_refused_with_numbers() {
    let four_bar = FourBar::published();
    match four_bar.assemble(folding_angle() + 0.01, Branch::Counterclockwise) {
        Err(FourBarError::OutOfReach {
            diagonal,
            folded,
            stretched,
            ..
        }) => {
            assert!((0.3..0.31).contains(&diagonal));
            assert_near(&[folded, stretched], &[0.31, 0.69], 1e-15);
        }
        other => panic!("{other:?}"),
    }
    let nan = four_bar.assemble(f64::NAN, Branch::Clockwise);
    assert!(matches!(nan, Err(FourBarError::OutOfReach { .. })));
    let start = Start {
        q1: 1.9296,
        ..AT_REST
    };
    let refused = four_bar.simulate(&start, &[0.0, 1.0], &TIGHT).unwrap_err();
    let IntegrationError::RightHandSide {
        time: 0.0, source, ..
    } = refused
    else {
        panic!("{refused}")
    };
    assert!(
        source
            .to_string()
            .contains("q1 = 1.9296 rad is out of reach"),
        "{source}"
    );
}

#[test]
fn dead_points_are_refused_with_numbers() {
    let four_bar = FourBar::published();
    let fold = folding_angle();
    match four_bar.assemble(fold - 1e-6, Branch::Counterclockwise) {
        Err(FourBarError::DeadPoint { q1, sine, smallest }) => {
            assert!((q1 - fold).abs() < 2e-6 && sine < smallest);
        }
        other => panic!("{other:?}"),
    }
    assert!(
        four_bar
            .assemble(fold - 1e-4, Branch::Counterclockwise)
            .is_ok()
    );
    // Driven into the fold, the motion ends there and says so.
    let start = Start {
        q1: fold - 0.2,
        q1_rate: 8.0,
        ..AT_REST
    };
    let stopped = four_bar
        .simulate(&start, &[0.0, 1.0], &Tolerances::default())
        .unwrap_err();
    println!("{stopped}");
    let IntegrationError::RightHandSide { time, step, source } = stopped else {
        panic!("{stopped}")
    };
    assert!(time > 0.0 && time < 0.2 && step < 1e-13);
    let FourBarError::DeadPoint { q1, sine, smallest } = source else {
        panic!("{source}")
    };
    assert!(
        (q1 - fold).abs() < 1e-5 && sine < smallest && sine > 0.999 * smallest,
        "{source}"
    );
}

#[test]
fn a_torque_that_is_not_a_number_ends_the_motion() {
    let broken = |time: f64, _: &Configuration, _: &PerBar<f64>| Torques {
        link1: if time > 0.1 { f64::NAN } else { 0.0 },
        link3: 0.0,
    };
    let error = FourBar::published()
        .simulate_driven(&AT_REST, &[0.0, 1.0], &Tolerances::default(), broken)
        .unwrap_err();
    let IntegrationError::NotFinite {
        time, component: 1, ..
    } = error
    else {
        panic!("{error}")
    };
    assert!((time - 0.1).abs() < 1e-12);
}

#[test]
fn impossible_data_is_named() {
    let refusal = |change: &dyn Fn(&mut FourBarData)| {
        let mut data = FourBarData::default();
        change(&mut data);
        FourBar::new(data).unwrap_err()
    };
    type Change<'a> = &'a dyn Fn(&mut FourBarData);
    let cases: [(Change, &str); 7] = [
        (&|d| d.bars.link1.length = 0.0, "length of link 1 = 0"),
        (&|d| d.bars.bar2.mass = -1.0, "mass of bar 2 = -1"),
        (
            &|d| d.bars.link3.inertia = f64::NAN,
            "inertia of link 3 = NaN",
        ),
        (&|d| d.bars.link3.mass = 0.0, "mass of link 3 = 0"),
        (&|d| d.gravity[1] = f64::INFINITY, "y of gravity = inf"),
        (
            &|d| d.upper_pivot[0] = f64::NAN,
            "x of the upper pivot = NaN",
        ),
        (
            &|d| d.lower_pivot[1] = -PI,
            "the loop never closes: |CA| runs from",
        ),
    ];
    for (change, words) in cases {
        let message = refusal(change).to_string();
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(
        FourBar::new(FourBarData::default()),
        Ok(FourBar::published())
    );
}
