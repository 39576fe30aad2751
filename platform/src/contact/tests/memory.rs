//! Contact memory and step advice.

use super::*;

fn falling(height: f64, speed: f64) -> [BodyMotion; 2] {
    let ball = BodyMotion {
        pose: at(0.0, 0.0, height),
        twist: Vector6::new(0.0, 0.0, -speed, 0.0, 0.0, 0.0),
    };
    [ball, BodyMotion::at_rest(Se3::identity())]
}

#[test]
fn approach_speed_is_frozen_while_touching() {
    let pair = probe().pair(&Mounts::default()).unwrap();
    let [a, b] = falling(0.1, 0.05);
    let mut episodes = Episodes::start(&pair, &a, &b);
    assert!(!episodes.any_touching());
    let mut accept = |height: f64, speed: f64| {
        let [a, b] = falling(height, speed);
        let changes = episodes.accept(&pair, &a, &b);
        let now = episodes.contacts()[0];
        (
            changes.begun,
            changes.ended,
            now.touching,
            now.approach_speed,
        )
    };
    assert_eq!(accept(0.01, 0.06), (0, 0, false, 0.06));
    assert_eq!(accept(-1e-4, 0.055), (1, 0, true, 0.06));
    assert_eq!(accept(-2e-4, -0.01), (0, 0, true, 0.06));
    assert_eq!(accept(1e-5, -0.03), (0, 1, false, 0.0));
    assert_eq!(accept(1e-6, 0.02), (0, 0, false, 0.02));
}

#[test]
fn a_run_that_starts_touching_takes_the_speed_it_has() {
    let pair = probe().pair(&Mounts::default()).unwrap();
    let [a, b] = falling(-1e-4, 0.03);
    let episodes = Episodes::start(&pair, &a, &b);
    let expected = Episode {
        touching: true,
        approach_speed: 0.03,
    };
    assert_eq!(episodes.contacts(), [expected]);
}

#[test]
fn memory_survives_as_numbers_and_refuses_nonsense() {
    let pair = ContactConfig::default().pair(&Mounts::default()).unwrap();
    let [a, b] = falling(-0.001, 0.03);
    let episodes = Episodes::start(&pair, &a, &b);
    let numbers: Vec<f64> = episodes.numbers().collect();
    let mut other = Episodes::start(&pair, &b, &b);
    assert_ne!(other, episodes);
    other.restore(&numbers).unwrap();
    assert_eq!(other, episodes);
    let short = other.restore(&numbers[1..]).unwrap_err();
    assert_eq!(
        short.to_string(),
        "contact memory has 23 numbers where 24 are needed"
    );
    for (index, bad) in [(2, 0.5), (3, f64::NAN), (5, -1.0)] {
        let mut wrong = numbers.clone();
        wrong[index] = bad;
        let error = other.restore(&wrong).unwrap_err();
        assert!(matches!(error, EpisodesError::Value { index: i, .. } if i == index));
        assert_eq!(other, episodes);
    }
}

#[test]
fn advice_is_free_far_away_and_fine_in_contact() {
    let pair = probe().pair(&Mounts::default()).unwrap();
    let advise = |height: f64, speed: f64| {
        let [a, b] = falling(height, speed);
        pair.step_advice(&a, &b, 3.0)
    };
    assert_eq!(advise(0.1, -0.05).step(), f64::INFINITY);
    assert!((advise(0.1, 0.05).step() - 2.0).abs() < 1e-12);
    // Close to the touch the step is that of the contact: π √(3 kg / k) / 40, k at 0.47 mm.
    let near = advise(1e-9, 0.05);
    let depth = pair.normal().peak_penetration(3.0, 0.05);
    let expected = contact_step(3.0, pair.normal().tangent_stiffness(depth), 40.0);
    assert_eq!(near.step(), expected);
    assert!(expected > 2e-4 && expected < 2e-3, "{expected}");
    assert_eq!(advise(-1e-9, 0.05).step(), expected);
    // Resting at a depth, only the depth counts.
    let resting = advise(-1e-3, 0.0).step();
    assert_eq!(
        resting,
        contact_step(3.0, pair.normal().tangent_stiffness(1e-3), 40.0)
    );
}

/// One classical Runge–Kutta step per advised step: the contact is resolved, the flight is not
/// chopped up.
#[test]
fn advised_steps_resolve_an_impact() {
    let config = probe();
    let mut rig = Rig::new(
        &config,
        &Mounts::default(),
        [inertia(3.0, 1.0), fixed()],
        no_load,
    );
    let start = falling(0.05, 0.05);
    let mut reference = 0.0_f64;
    rig.run(start, 1.2, 1e-4, |_, _, _, output| {
        reference = reference.max(output.normal_force);
        false
    });
    let mut episodes = Episodes::start(&rig.pair, &start[0], &start[1]);
    let mut state = pack(&start, [0.0; 2]);
    let (mut time, mut steps, mut peak) = (0.0, 0, 0.0_f64);
    while time < 1.2 {
        let [a, b] = unpack(&state);
        let h = rig.pair.step_advice(&a, &b, 3.0).step().min(0.2);
        let mut slope = |shift: f64, k: &[f64; STATE]| {
            let moved = core::array::from_fn(|i| state[i] + shift * h * k[i]);
            rig.rates(time, &moved, &episodes)
        };
        let k1 = slope(0.0, &[0.0; STATE]);
        let k2 = slope(0.5, &k1);
        let k3 = slope(0.5, &k2);
        let k4 = slope(1.0, &k3);
        for i in 0..STATE {
            state[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
        time += h;
        steps += 1;
        let [a, b] = unpack(&state);
        episodes.accept(&rig.pair, &a, &b);
        rig.pair.evaluate(&episodes, &a, &b, &mut rig.output);
        peak = peak.max(rig.output.normal_force);
    }
    assert!((peak / reference - 1.0).abs() < 2e-3, "{peak} {reference}");
    assert!(steps < 100, "{steps}");
    let rebound = unpack(&state)[0].twist.z / 0.05;
    assert!((rebound - 0.5).abs() < 1e-3, "{rebound}");
}

#[test]
fn effective_mass_counts_both_bodies_and_the_lever() {
    let mut config = probe();
    config.effector.ring = RingConfig {
        radius_m: 0.2,
        count: 1,
        height_m: 0.0,
    };
    let rig = Rig::new(
        &config,
        &Mounts::default(),
        [inertia(3.0, 0.04), inertia(6.0, 0.1)],
        no_load,
    );
    let bodies = falling(0.1, 0.0);
    let lever = 0.2 * 0.2;
    let expected = 1.0 / (1.0 / 3.0 + lever / 0.04 + 1.0 / 6.0 + lever / 0.1);
    assert!((rig.effective_mass(&bodies) / expected - 1.0).abs() < 1e-14);
}
