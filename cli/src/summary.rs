//! Short aligned summaries for people.

use multibody::results::soundness::Soundness;
use softdock_report::Figure;

pub use softdock_figures::{Text as Summary, warning};
pub use softdock_report::significant;

/// Numbers with this many decimals, separated by commas; what rounds to zero has no sign.
pub fn fixed(values: &[f64], decimals: usize) -> String {
    let half = 0.5 * 0.1_f64.powi(decimals as i32);
    let one = |&value: &f64| {
        let value = if value.abs() < half { 0.0 } else { value };
        format!("{value:.decimals$}")
    };
    values.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The verdict sound, suspect or failed as a figure of a page.
pub fn soundness_figure(soundness: &Soundness) -> Figure {
    Figure::text("soundness", soundness.key(), "").keyed("soundness", soundness.key())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(fixed(&[-1e-9, -0.00006, 2.0], 4), "0.0000, -0.0001, 2.0000");
    }
}
