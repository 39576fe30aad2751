//! Doubles as text, as `xs:double` has them: shortest form that reads back to the same bits,
//! independent of locale.

/// The text of a double, or `None` for a value that is not a number.
pub(crate) fn write_double(value: f64) -> Option<String> {
    if value.is_nan() {
        None
    } else if value.is_infinite() {
        Some(if value > 0.0 { "INF" } else { "-INF" }.to_owned())
    } else {
        // The debug form is the shortest that reads back; it switches to exponents by itself.
        Some(format!("{value:?}"))
    }
}

/// The double that a text means, or `None` if it is no `xs:double`.
pub(crate) fn read_double(text: &str) -> Option<f64> {
    match text {
        "INF" | "+INF" => Some(f64::INFINITY),
        "-INF" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        // `parse` also knows "inf" and "nan", which the schema does not.
        _ if text.bytes().all(|byte| b"0123456789+-.eE".contains(&byte)) => text.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn doubles_are_written_as_the_schema_spells_them() {
        for (value, text) in [
            (0.1, "0.1"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (1e21, "1e21"),
            (1e-7, "1e-7"),
            (120e9, "120000000000.0"),
            (f64::MAX, "1.7976931348623157e308"),
            (5e-324, "5e-324"),
            (f64::INFINITY, "INF"),
            (f64::NEG_INFINITY, "-INF"),
        ] {
            assert_eq!(write_double(value).as_deref(), Some(text));
        }
        assert_eq!(write_double(f64::NAN), None);
    }

    #[test]
    fn only_the_schemas_spellings_are_read() {
        for (text, value) in [("1", 1.0), ("+1.5E+2", 150.0), (".5", 0.5), ("-2.", -2.0)] {
            assert_eq!(read_double(text), Some(value));
        }
        assert!(read_double("NaN").is_some_and(f64::is_nan));
        for text in [
            "", "1,5", "inf", "nan", "infinity", "0x10", "1e", "e5", "1 2", "--1", "1_0",
        ] {
            assert_eq!(read_double(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_double_reads_back_to_its_bits(bits: u64) {
            let value = f64::from_bits(bits);
            match write_double(value) {
                Some(text) => prop_assert_eq!(read_double(&text).map(f64::to_bits), Some(bits)),
                None => prop_assert!(value.is_nan()),
            }
        }
    }
}
