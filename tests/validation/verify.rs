//! The cases of `softdock verify`.

use softdock_validation::{Case, Demand, Outcome, all};
use std::collections::HashSet;

#[test]
fn every_validation_case_holds() {
    let outcomes: Vec<Outcome> = all().iter().flat_map(Case::run).collect();
    let outside: Vec<_> = outcomes.iter().filter(|outcome| !outcome.holds()).collect();
    assert!(outside.is_empty(), "{outside:#?}");
    assert!(outcomes.len() > 60);
}

#[test]
fn cases_are_named_once_and_give_their_reasons() {
    let mut names = HashSet::new();
    for case in all() {
        assert!(names.insert(case.name), "{} twice", case.name);
        assert!(!case.source.short.is_empty() && !case.source.full.is_empty());
        for quantity in case.quantities {
            assert!(names.insert(quantity.name) || quantity.name.starts_with("the same"));
            assert!(!quantity.reason.is_empty(), "{}", quantity.name);
        }
    }
}

/// The tolerances the project has promised, so that none is loosened in silence.
#[test]
fn promised_tolerances_are_not_loosened() {
    const PROMISES: &[(&str, &str, f64)] = &[
        (
            "roll-up into a circle",
            "closure / L, plane, 10 elements",
            1e-6,
        ),
        (
            "pinned leaf, chord 0.407921561 m",
            "thrust, 10 elements",
            1e-4,
        ),
        (
            "pinned leaf, chord 0.407921561 m",
            "thrust, 5 elements",
            2e-3,
        ),
        (
            "pinned leaf, chord 0.407921561 m",
            "observed mesh order, 5/10 and 10/20",
            3.5,
        ),
        ("45° bend, 8 elements", "tip, P = 600", 0.01),
        ("Princeton beam, 13.345 N", "tip y, z at 75°", 0.015),
        (
            "Rayleigh damping, aluminium cantilever",
            "ratio of mode 1, identified for 2 %",
            0.02,
        ),
        (
            "rigid four-bar, 3 s",
            "observed time order of q1, 1 to 0.5 to 0.25 ms",
            0.1,
        ),
        (
            "free vibration of the leaf, 0.2 L",
            "|E−E0|/E0, 10⁴ steps of 0.1 ms, ρ∞ = 1",
            1e-4,
        ),
        (
            "free vibration of the leaf, 0.2 L",
            "(E−E0)/E0 at most, 10⁴ steps of 1 ms, ρ∞ = 0.8",
            0.0,
        ),
        (
            "damped vibration of the leaf, 0.2 L",
            "ledger residual / dissipated, 1 ms, ρ∞ = 0.8",
            1e-3,
        ),
        (
            "6-RUS with pre-curved rods, (0, 0, 0.5) m, roll 10°",
            "motor angles of legs 1, 3, 4; 24 elements",
            2e-6,
        ),
    ];
    let cases = all();
    for &(case, quantity, promised) in PROMISES {
        let case = cases.iter().find(|c| c.name == case).unwrap();
        let quantity = case.quantities.iter().find(|q| q.name == quantity).unwrap();
        let allowed = match quantity.demand {
            Demand::Relative { allowed, .. } | Demand::Absolute { allowed, .. } => allowed,
            Demand::AtMost(bound) | Demand::AtLeast(bound) => bound,
        };
        assert_eq!(allowed, promised, "{}: {}", case.name, quantity.name);
    }
}
