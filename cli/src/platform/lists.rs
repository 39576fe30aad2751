//! Lists of numbers on the command line: `--force 0,0,-20`.

/// Numbers separated by commas; brackets and spaces are allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers(pub Vec<f64>);

impl Numbers {
    /// Parses a list of any length.
    pub fn parse(text: &str) -> Result<Self, String> {
        let inner = text.trim();
        let inner = inner.strip_prefix('[').unwrap_or(inner);
        let inner = inner.strip_suffix(']').unwrap_or(inner);
        let parts: Vec<&str> = if inner.contains(',') {
            inner.split(',').collect()
        } else {
            inner.split_whitespace().collect()
        };
        let number = |part: &&str| match part.trim().parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(format!(
                "`{}` is not a finite number; write numbers with commas between, such as 0,0,-20",
                part.trim()
            )),
        };
        let values: Vec<f64> = parts.iter().map(number).collect::<Result<_, _>>()?;
        if values.is_empty() {
            return Err("write numbers with commas between, such as 0,0,-20".to_owned());
        }
        Ok(Self(values))
    }
}

/// Parses three numbers.
pub fn three(text: &str) -> Result<[f64; 3], String> {
    let Numbers(list) = Numbers::parse(text)?;
    let count = list.len();
    list.try_into()
        .map_err(|_| format!("{count} numbers were given; three are needed, such as 0,0,-20"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_people_write_them() {
        for text in ["-0.1,0,0.4", "[-0.1, 0, 0.4]", "-0.1 0 0.4", "-1e-1, 0.,.4"] {
            assert_eq!(three(text).unwrap(), [-0.1, 0.0, 0.4], "{text}");
        }
        for text in ["", "1,2", "1,2,3,4", "1,x,3", "nan,0,0", "1,,2"] {
            assert!(three(text).is_err(), "{text}");
        }
    }
}
