//! The mechanisms that come with the program.

use crate::error::{MechanismError, Result};
use crate::read::near;

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        /// Names and texts, in the order in which they are listed.
        pub const SHIPPED: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../mechanisms/", $name, ".toml")))),*
        ];
    };
}

shipped![
    "two-link",
    "two-link-rr",
    "two-link-rf",
    "two-link-fr",
    "two-link-ff",
    "two-link-ff2",
    "two-link-ff5",
    "two-link-ff10",
    "two-link-arm",
    "driven-arm",
    "l-mechanism",
    "l-release",
    "l-torque",
    "four-bar-inverse",
    "slider-crank",
    "two-bodies",
    "inverted-slider-crank",
    "sliding-pendulum",
    "double-a-arm",
    "macpherson",
    "macpherson-a",
    "macpherson-b",
    "macpherson-c",
    "cart",
    "cart-a",
    "cart-b",
    "cart-c",
    "cart-d",
    "stick-slip",
    "bouncing-rod",
    "pendulum-balls",
    "disc-on-rod",
    "web-cutter",
    "film-strip",
    "pantograph",
    "delta-robot",
    "planar-leg",
    "satellite-panels",
];

/// The text of a mechanism.
pub fn text(name: &str) -> Option<&'static str> {
    let name = name.strip_suffix(".toml").unwrap_or(name);
    (SHIPPED.iter().find(|(known, _)| *known == name)).map(|(_, text)| *text)
}

/// Finds what a mechanism extends among those that come with the program.
pub fn find(name: &str) -> Option<(String, String)> {
    text(name).map(|text| (format!("mechanisms/{name}.toml"), text.to_owned()))
}

/// Reads a mechanism that comes with the program.
pub fn describe(name: &str, settings: &[(String, String)]) -> Result<crate::Description> {
    let text = text(name).ok_or_else(|| unknown(name))?;
    crate::describe(&format!("mechanisms/{name}.toml"), text, settings, &find)
}

/// The complaint about a name that is not there.
pub fn unknown(name: &str) -> MechanismError {
    let known = near(name, SHIPPED.iter().map(|(name, _)| *name));
    MechanismError::Unknown {
        name: name.to_owned(),
        suggestion: known.map_or_else(String::new, |known| format!(" (did you mean {known}?)")),
    }
}
