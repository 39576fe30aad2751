//! Settings files: whatever is in one, the answer is a configuration that passes its own check and
//! prints as one that reads back the same, or a message; never a panic.

#![no_main]
// The program's modules are compiled as they are, and only a part of them is used.
#![allow(dead_code, unused_imports)]

use libfuzzer_sys::fuzz_target;

/// The settings of the program: it is no library, so that its sources are taken.
#[path = "../../cli/src"]
mod program {
    pub mod leg {
        pub mod spatial {
            pub mod config;
        }
    }
    pub mod input_file;
    pub mod settings;
}

// The program's modules look for each other at the root.
use program::{input_file, leg, settings};

use leg_core::LegConfig;
use program::settings::{Resolved, Settings, SettingsArgs};
use softdock_platform::PlatformConfig;
use softdock_docking::Scenario;

fn default_text<C: Settings>() -> String {
    let resolved = Resolved::<C>::new(&SettingsArgs::default());
    resolved.expect("defaults").print().expect("text")
}

fn seeds() -> Vec<String> {
    let mut seeds = vec![
        format!("s{}", default_text::<Scenario>()),
        format!("p{}", default_text::<PlatformConfig>()),
        format!("l{}", default_text::<LegConfig>()),
        "a closing_speed_m_s=0.1".to_owned(),
        "a contact.target={shape=\"cone\"}".to_owned(),
        "a legs.different=[{leg=1, set={\"tendon.present\"=false}}]".to_owned(),
        "a motor.torque_nm={kind=\"sine\", amplitude=1, frequency_hz=2}".to_owned(),
    ];
    for name in ["dfki-rods", "free-floating-pair", "gravity-bench", "motors-lqr"] {
        let path = format!("{}/../scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        seeds.extend(std::fs::read_to_string(path).map(|text| format!("s{text}")));
    }
    seeds
}

fn file<C: Settings + PartialEq + std::fmt::Debug>(text: &str) {
    let none = SettingsArgs::default();
    let read = |text: &str| Resolved::<C>::with_text("file.toml", text, &none, &[]);
    match read(text) {
        Ok(resolved) => {
            assert_eq!(resolved.config.check(), Ok(()));
            let printed = resolved.print().expect("what was read can be printed");
            let again = read(&printed).expect("what was printed can be read");
            assert_eq!(again.config, resolved.config);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn argument(text: &str) {
    let args = SettingsArgs {
        set: vec![text.to_owned()],
        ..SettingsArgs::default()
    };
    match Resolved::<Scenario>::new(&args) {
        Ok(resolved) => assert_eq!(resolved.config.check(), Ok(())),
        Err(error) => assert!(error.to_string().contains("--set"), "{error}"),
    }
}

fuzz_target!(
    init: { softdock_fuzz::write_seeds(seeds) },
    |text: &str| {
        // The first letter says what kind of settings it is.
        let Some(rest) = text.get(1..) else { return };
        match text.as_bytes()[0] {
            b's' => file::<Scenario>(rest),
            b'p' => file::<PlatformConfig>(rest),
            b'l' => file::<LegConfig>(rest),
            b'a' => argument(rest),
            _ => {}
        }
    }
);
