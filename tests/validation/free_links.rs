//! Free links on the tendon: chord, tension and rest length of one equilibrium lead to each other.

use leg_core::config::Side;
use leg_core::{LegConfig, LegError, PretensionReport, pretension};

/// Chords tried [m]. With gravity and the upper link free the last stable chord is 0.2957 m to the
/// outside and 0.2975 m to the inside.
const CHORDS: [f64; 12] = [
    0.495, 0.49, 0.47, 0.44, 0.42, 0.40, 0.37, 0.35, 0.34, 0.328, 0.31, 0.30,
];
/// What a round trip may lose of the chord [m]: the solves end at 1e-10 of the leg's size.
const SAME_CHORD: f64 = 1e-9;

fn config(side: Side, gravity: bool, crank_free: bool) -> LegConfig {
    let mut config = LegConfig::default();
    if !gravity {
        config.gravity_m_s2 = [0.0, 0.0];
    }
    config.pretension.side = side;
    config.pretension.hold_q1 = !crank_free;
    config.pretension.hold_q3 = crank_free;
    config
}

/// Every side, gravity and free link, with a name.
fn cases() -> Vec<(String, LegConfig)> {
    let mut cases = Vec::new();
    for side in [Side::Outward, Side::Inward] {
        for gravity in [true, false] {
            for crank_free in [true, false] {
                let name = format!("{side:?}, gravity {gravity}, crank free {crank_free}");
                cases.push((name, config(side, gravity, crank_free)));
            }
        }
    }
    cases
}

fn at_chord(config: &LegConfig, chord: f64) -> PretensionReport {
    let mut config = config.clone();
    config.pretension.chord_m = Some(chord);
    pretension(&config).unwrap().report
}

fn at_rest_length(config: &LegConfig, rest: f64) -> Result<PretensionReport, LegError> {
    let mut config = config.clone();
    config.tendon.rest_length_m = Some(rest);
    pretension(&config).map(|bowed| bowed.report)
}

fn at_tension(config: &LegConfig, tension: f64) -> Result<PretensionReport, LegError> {
    let mut config = config.clone();
    config.pretension.tension_n = Some(tension);
    pretension(&config).map(|bowed| bowed.report)
}

#[test]
fn rest_length_of_a_chord_leads_back_to_it() {
    for (name, config) in cases() {
        for chord in CHORDS {
            let there = at_chord(&config, chord);
            let back = at_rest_length(&config, there.rest_length_m.unwrap())
                .unwrap_or_else(|error| panic!("{name}, {chord}: {error}"));
            let lost = (back.chord_m - chord).abs();
            assert!(lost < SAME_CHORD, "{name}, {chord} m: lost {lost:e} m");
            assert!((back.q1_rad - there.q1_rad).abs() < 1e-7, "{name}, {chord}");
            assert!((back.q3_rad - there.q3_rad).abs() < 1e-7, "{name}, {chord}");
            let torque = if config.pretension.hold_q1 {
                back.hold_torque_3_nm
            } else {
                back.hold_torque_1_nm
            };
            assert!(torque.abs() < 1e-9, "{name}, {chord}: {torque:e} N·m left");
        }
    }
}

#[test]
fn tension_leads_to_the_chord_nearest_to_the_straight_leaf() {
    let mut twice = 0;
    for (name, config) in cases() {
        for chord in CHORDS {
            let there = at_chord(&config, chord);
            let back = at_tension(&config, there.tension_n)
                .unwrap_or_else(|error| panic!("{name}, {chord}: {error}"));
            let off = (back.tension_n - there.tension_n).abs();
            assert!(off < 1e-9 * there.tension_n, "{name}, {chord}: {off:e} N");
            // Never a shorter chord than the one whose tension was asked for.
            assert!(
                back.chord_m > chord - 1e-7,
                "{name}, {chord}: {}",
                back.chord_m
            );
            twice += usize::from(back.chord_m > chord + 1e-6);
            let again = at_rest_length(&config, back.rest_length_m.unwrap()).unwrap();
            assert!(
                (again.chord_m - back.chord_m).abs() < SAME_CHORD,
                "{name}, {chord}"
            );
        }
    }
    // Past the highest tension a chord is the second one with its tension.
    assert!(twice > 0, "no tension had two chords");
}

#[test]
fn every_rest_length_in_reach_is_reached() {
    for (name, config) in cases() {
        let mut last = f64::INFINITY;
        for hundredths in 0..=42 {
            let rest = 0.46 - 0.005 * f64::from(hundredths);
            match at_rest_length(&config, rest) {
                Ok(report) => {
                    assert!(report.chord_m < last, "{name}, {rest}: {}", report.chord_m);
                    assert!(report.max_axial_strain < 1e-4, "{name}, {rest}");
                    last = report.chord_m;
                }
                Err(LegError::OutOfReach { lowest, .. }) => {
                    assert!(rest < lowest && lowest < 0.2745, "{name}, {rest}: {lowest}");
                }
                Err(error) => panic!("{name}, {rest}: {error}"),
            }
        }
        assert!(last < 0.305, "{name}: {last}");
    }
}

#[test]
fn both_links_free_reach_the_rest_length_of_a_chord() {
    let mut config = config(Side::Outward, true, true);
    config.pretension.hold_q3 = false;
    for chord in [0.43, 0.40, 0.35] {
        let there = at_chord(&config, chord);
        let back = at_rest_length(&config, there.rest_length_m.unwrap()).unwrap();
        assert!(
            (back.chord_m - chord).abs() < 1e-8,
            "{chord}: {}",
            back.chord_m
        );
    }
}

#[test]
fn tensions_and_rest_lengths_out_of_reach_are_refused_with_the_range() {
    let config = config(Side::Outward, true, false);
    for tension in [10.0, 65.0, 1e9] {
        let error = at_tension(&config, tension).unwrap_err();
        println!("{error}");
        let LegError::OutOfReach {
            lowest, highest, ..
        } = error
        else {
            panic!("{error}");
        };
        // The ends of the range are the lowest and the highest tension between the two limit
        // points of the rest length.
        assert!((lowest - 48.0566).abs() < 1e-3, "{lowest}");
        assert!((highest - 57.3358).abs() < 1e-3, "{highest}");
        at_tension(&config, lowest + 1e-6).unwrap();
        at_tension(&config, highest - 1e-6).unwrap();
    }
    for rest in [0.2, 0.49] {
        let error = at_rest_length(&config, rest).unwrap_err();
        println!("{error}");
        let LegError::OutOfReach {
            lowest, highest, ..
        } = error
        else {
            panic!("{error}");
        };
        assert!(lowest > 0.26 && highest < 0.48, "{lowest} to {highest}");
        at_rest_length(&config, lowest + 1e-8).unwrap();
        at_rest_length(&config, highest - 1e-8).unwrap();
    }
    let held = LegConfig::default();
    let error = at_tension(&held, 1e9).unwrap_err();
    println!("{error}");
    assert!(matches!(error, LegError::TensionTooHigh { .. }), "{error}");
}
