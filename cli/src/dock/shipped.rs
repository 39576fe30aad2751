//! Scenarios that come with the program, and those in files.

use crate::settings::{Resolved, Settings, SettingsArgs};
use anyhow::Result;
use softdock_docking::Scenario;
use std::path::Path;
use toml::Value;

/// The scenario of a file or name, with the keys of `args` and `more` set.
pub fn resolve(
    scenario: Option<&Path>,
    args: &SettingsArgs,
    more: &[(String, &str, Value)],
) -> Result<Resolved<Scenario>> {
    Ok(Resolved::named(scenario, args, more)?)
}

/// Like [`resolve`], for a scenario that a file in `folder` names: paths count from there.
pub fn resolve_from(
    folder: &Path,
    scenario: &Path,
    args: &SettingsArgs,
) -> Result<Resolved<Scenario>> {
    let path = folder.join(scenario);
    let shipped = Scenario::shipped();
    let shipped = shipped.iter().any(|(name, _)| Path::new(name) == scenario);
    resolve(
        Some(if path.is_file() || !shipped {
            &path
        } else {
            scenario
        }),
        args,
        &[],
    )
}

/// A name for people: the file's, without its ending.
pub fn name_of(scenario: Option<&Path>) -> String {
    scenario.and_then(Path::file_stem).map_or_else(
        || "default".to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_scenario_is_valid() {
        for (name, _) in Scenario::shipped() {
            let resolved = resolve(Some(Path::new(name)), &SettingsArgs::default(), &[]);
            resolved.unwrap_or_else(|error| panic!("{name}: {error:#}"));
        }
    }

    #[test]
    fn the_default_scenario_is_the_default() {
        let arguments = SettingsArgs::default();
        let named = resolve(Some(Path::new("default")), &arguments, &[]).unwrap();
        let unnamed = resolve(None, &arguments, &[]).unwrap();
        assert_eq!(named.config, unnamed.config);
    }

    /// `scenarios/pacoma.toml` names the keys people look for; leaving them out changes nothing.
    #[test]
    fn the_platform_pacoma_is_the_default() {
        let text = include_str!("../../../scenarios/pacoma.toml");
        let pacoma: softdock_platform::PlatformConfig = toml::from_str(text).unwrap();
        assert_eq!(pacoma, softdock_platform::PlatformConfig::default());
        let given: toml::Table = text.parse().unwrap();
        assert!(given.contains_key("legs") && given.contains_key("tendon"));
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        let error = resolve(Some(Path::new("nosuch")), &SettingsArgs::default(), &[]).unwrap_err();
        assert!(error.to_string().contains("free-floating-pair"));
    }
}
