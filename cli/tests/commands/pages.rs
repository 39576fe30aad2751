//! The pages of the commands of leg and platform in a real browser.

use softdock_browser::launch_or_skip;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Name of the page, command, and whether it has something to play.
const PAGES: [(&str, &[&str], bool); 10] = [
    ("pretension", &["leg", "pretension"], false),
    ("modes", &["leg", "modes", "--count", "4"], true),
    ("simulate", &["leg", "simulate", "--duration", "0.3"], true),
    ("lqr", &["leg", "lqr", "--duration", "0.3"], true),
    (
        "chapter-4",
        &[
            "leg",
            "simulate",
            "--duration",
            "0.3",
            "--variant",
            "chapter-4",
        ],
        false,
    ),
    (
        "spatial-pretension",
        &["leg", "spatial", "pretension"],
        false,
    ),
    ("spatial-modes", &["leg", "spatial", "modes"], true),
    (
        "spatial-simulate",
        &["leg", "spatial", "simulate", "--duration", "0.3"],
        true,
    ),
    (
        "platform-simulate",
        &["platform", "simulate", "--duration", "0.2"],
        true,
    ),
    (
        "platform-lqr",
        &["platform", "lqr", "--duration", "0.2"],
        true,
    ),
];

#[test]
fn pages_of_leg_and_platform_draw_and_play() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, command, _) in PAGES {
        let done = Command::new(env!("CARGO_BIN_EXE_softdock"))
            .current_dir(&folder)
            .args(command)
            .args(["--plot", &format!("{name}.html")])
            .output()
            .unwrap();
        assert!(done.status.success(), "{command:?}");
    }
    let Some(browser) = launch_or_skip("pages_of_leg_and_platform_draw_and_play") else {
        return;
    };
    for (name, _, plays) in PAGES {
        browser.set_viewport(390, 844, true).unwrap();
        browser.open(&folder.join(format!("{name}.html"))).unwrap();
        let drawn = "document.querySelector('.plot > svg, .scene canvas')";
        browser.wait_until(drawn, PATIENCE).unwrap();
        let root = "document.documentElement";
        let fits = format!("{root}.scrollWidth <= {root}.clientWidth");
        browser.wait_until(&fits, PATIENCE).unwrap();
        browser.set_viewport(1280, 800, false).unwrap();
        browser.wait_until(&fits, PATIENCE).unwrap();
        let picture = browser.screenshot().unwrap();
        std::fs::write(folder.join(format!("{name}.png")), picture).unwrap();
        if name.starts_with("platform") {
            // In space, drawn in true depth.
            assert_eq!(
                browser
                    .run("return document.querySelectorAll('.scene canvas').length > 0;")
                    .unwrap(),
                true
            );
        }
        if plays {
            browser.click(".play").unwrap();
            let moved = "Number(document.querySelector('input[type=range]').value) > 0.05";
            browser.wait_until(moved, PATIENCE).unwrap();
        }
        assert_eq!(browser.console().unwrap(), [], "{name}");
    }
}
