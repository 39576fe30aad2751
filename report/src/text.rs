//! Text and numbers as HTML, as JSON and as people read them.

use serde::Serializer;

/// Text as HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// A number as print shows it: a true minus sign, powers of ten. Other text is left as it is.
pub(crate) fn typeset(text: &str) -> String {
    let is_number = text.parse::<f64>().is_ok();
    let (digits, power) = match text.split_once('e') {
        Some((digits, power)) if is_number => (digits, Some(power)),
        _ => (text, None),
    };
    let digits = if is_number {
        digits.replace('-', "−")
    } else {
        digits.to_owned()
    };
    power.map_or_else(
        || escape(&digits),
        |power| {
            format!(
                "{}·10<sup>{}</sup>",
                escape(&digits),
                power.replace('-', "−")
            )
        },
    )
}

/// A number with `digits` significant digits, with an exponent if it is very large or small.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let power = libm::log10(value.abs()).floor() as i32;
    if !(-4..7).contains(&power) {
        return format!("{value:.*e}", digits.saturating_sub(4).max(1));
    }
    let decimals = digits as i32 - 1 - power;
    format!("{value:.*}", decimals.max(0) as usize)
}

/// An address that a cell may link to: a relative path or a web address. Anything else, such as a
/// script, is refused.
pub(crate) fn safe_address(address: &str) -> Option<&str> {
    let scheme = address
        .split_once(':')
        .map(|(scheme, _)| scheme)
        .filter(|scheme| !scheme.contains(['/', '?', '#', '.']));
    match scheme {
        None => (!address.is_empty()).then_some(address),
        Some(scheme) => {
            let known = ["http", "https"];
            known
                .iter()
                .any(|name| scheme.eq_ignore_ascii_case(name))
                .then_some(address)
        }
    }
}

/// Digits that charts keep: more than they show.
const DIGITS: usize = 6;

/// The nearest number with [`DIGITS`] digits. What is not finite stays so and becomes `null`.
pub(crate) fn short(value: f64) -> f64 {
    format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value)
}

/// Numbers with [`DIGITS`] digits; what is not finite becomes `null`, which charts leave out.
pub(crate) fn rounded<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|&value| short(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_typeset() {
        assert_eq!(typeset("-1.5e-9"), "−1.5·10<sup>−9</sup>");
        assert_eq!(typeset("58.0693"), "58.0693");
        assert_eq!(typeset("one <e"), "one &lt;e");
    }

    #[test]
    fn numbers_have_the_digits_asked_for() {
        assert_eq!(significant(0.407_922, 6), "0.407922");
        assert_eq!(significant(58.076_123, 6), "58.0761");
        assert_eq!(significant(1_234_567.8, 6), "1234568");
        assert_eq!(significant(-1.234_567e-9, 6), "-1.23e-9");
        assert_eq!(significant(0.0, 6), "0");
        assert_eq!(significant(f64::NAN, 6), "NaN");
    }

    #[test]
    fn only_harmless_addresses_are_linked() {
        for good in ["runs/0001/report.html", "./a:b.html", "https://example.org"] {
            assert_eq!(safe_address(good), Some(good));
        }
        for bad in [
            "javascript:alert(1)",
            "JavaScript:x",
            "data:text/html,x",
            "",
        ] {
            assert_eq!(safe_address(bad), None, "{bad}");
        }
    }
}
