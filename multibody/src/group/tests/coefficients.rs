//! The coefficients against long Taylor series, on both sides of every switch.

use super::super::coefficients::{self, ARC_LIMIT, CIRCULAR_LIMIT, SERIES_LIMIT, STEP_LIMIT};
use super::reference::{Taylor, Wide};

/// Series: a few roundings of 1.1e-16, at most nine of them where a reciprocal is cubed.
const SERIES_ACCURACY: f64 = 1e-15;

/// Closed forms past their switch, whose values and slopes cancel up to three bits.
const CLOSED_ACCURACY: f64 = 2e-15;

/// Closed forms of the second derivatives, which cancel up to five bits.
const CLOSED_CURVATURE_ACCURACY: f64 = 1e-14;

/// Points over both sides of every switch, with the neighbours of each switch.
fn abscissae() -> Vec<f64> {
    let mut points = vec![0.0, 1e-300, 1e-30, 1e-16, 1e-8, 1e-4];
    points.extend((1..2800).map(|i| i as f64 * 0.005));
    for switch in [STEP_LIMIT, CIRCULAR_LIMIT, SERIES_LIMIT] {
        points.extend([switch.next_down(), switch, switch.next_up()]);
    }
    points
}

fn assert_small(name: &str, x: f64, error: f64, tolerance: f64) {
    assert!(error.abs() <= tolerance, "{name} at {x}: error {error:e}");
}

/// A series with its first two derivatives.
fn with_derivatives(value: Taylor) -> [Taylor; 3] {
    let slope = value.derivative();
    let curvature = slope.derivative();
    [value, slope, curvature]
}

/// Asserts the relative error of a coefficient and its derivatives.
fn assert_jet(name: &str, x: f64, jet: coefficients::Jet, exact: &[Taylor; 3], value_limit: f64) {
    let [value, slope, curvature] = exact.each_ref().map(|taylor| taylor.at(x));
    let check = |found: f64, exact: Wide, limit: f64, closed: f64| {
        let tolerance = if x <= limit { SERIES_ACCURACY } else { closed };
        assert_small(name, x, exact.relative_error_of(found), tolerance);
    };
    check(jet.value, value, value_limit, CLOSED_ACCURACY);
    check(jet.slope, slope, SERIES_LIMIT, CLOSED_ACCURACY);
    check(
        jet.curvature,
        curvature,
        SERIES_LIMIT,
        CLOSED_CURVATURE_ACCURACY,
    );
}

#[test]
fn circular_coefficients_match_long_series() {
    let [cosine, sine] = [0, 1].map(Taylor::stumpff);
    let [versine, deficit] = [2, 3].map(|k| with_derivatives(Taylor::stumpff(k)));
    for x in abscissae() {
        let at_x = coefficients::circular(x);
        // These two pass through zero, so their error is measured against one.
        assert_small(
            "cosine",
            x,
            cosine.at(x).error_of(at_x.cosine),
            SERIES_ACCURACY,
        );
        assert_small(
            "sine",
            x,
            sine.at(x).error_of(at_x.sine_quotient),
            SERIES_ACCURACY,
        );
        let (versine_jet, deficit_jet) = coefficients::circular_jets(x, &at_x);
        assert_jet("versine", x, versine_jet, &versine, CIRCULAR_LIMIT);
        assert_jet("deficit", x, deficit_jet, &deficit, CIRCULAR_LIMIT);
    }
}

#[test]
fn cotangent_deficit_matches_long_series() {
    let exact = with_derivatives(Taylor::cotangent_deficit());
    for x in abscissae() {
        assert_jet(
            "cotangent",
            x,
            coefficients::cotangent_deficit(x),
            &exact,
            SERIES_LIMIT,
        );
    }
}

#[test]
fn arc_quotient_matches_long_series() {
    let exact = Taylor::arc_quotient();
    for i in 0..=1000 {
        let y = ARC_LIMIT * i as f64 / 1000.0;
        let error = exact.at(y).relative_error_of(coefficients::arc_quotient(y));
        assert_small("arc", y, error, SERIES_ACCURACY);
    }
}
