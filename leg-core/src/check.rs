//! Values of configurations, and what is said about those outside their range.

/// A configuration value outside its range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{key} = {} is not allowed: it must be {allowed}", plain(*value))]
pub struct ConfigError {
    /// Key, with the names of its tables: `tendon.stiffness_n_per_m`.
    pub key: &'static str,
    /// The value found.
    pub value: f64,
    /// The allowed range in words.
    pub allowed: &'static str,
}

/// A number as people write it: 1e300 without its zeros.
pub(super) fn plain(value: f64) -> String {
    if value == 0.0 || (1e-4..1e16).contains(&value.abs()) || !value.is_finite() {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// Refuses a value that is not `ok` or not finite.
pub fn check(
    ok: bool,
    key: &'static str,
    value: f64,
    allowed: &'static str,
) -> Result<(), ConfigError> {
    if ok && value.is_finite() {
        Ok(())
    } else {
        Err(ConfigError {
            key,
            value,
            allowed,
        })
    }
}

/// Refuses a value that is not positive.
pub fn positive(key: &'static str, value: f64) -> Result<(), ConfigError> {
    check(value > 0.0, key, value, "> 0 and finite")
}

/// Refuses a negative value.
pub fn not_negative(key: &'static str, value: f64) -> Result<(), ConfigError> {
    check(value >= 0.0, key, value, ">= 0 and finite")
}

/// Refuses a value that is not finite.
pub fn finite(key: &'static str, value: f64) -> Result<(), ConfigError> {
    check(true, key, value, "a finite number")
}

/// Refuses a value outside `(low, high)`, both of which are allowed.
pub fn within(
    key: &'static str,
    value: f64,
    (low, high): (f64, f64),
    allowed: &'static str,
) -> Result<(), ConfigError> {
    // NaN fails both comparisons.
    check(value >= low && value <= high, key, value, allowed)
}
