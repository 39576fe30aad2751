//! Values of configurations, and what is said about those outside their range.

pub use softdock_settings::{ConfigError, check, plain};

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
