//! The pages of the leg commands in a real browser.

use softdock_browser::launch_or_skip;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn pages_of_the_leg_draw_and_play() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    std::fs::create_dir_all(&folder).unwrap();
    let commands: [&[&str]; 4] = [
        &["pretension"],
        &["modes", "--count", "4"],
        &["simulate", "--duration", "0.3"],
        &["lqr", "--duration", "0.3"],
    ];
    for command in commands {
        let page = format!("{}.html", command[0]);
        let status = Command::new(env!("CARGO_BIN_EXE_softdock"))
            .current_dir(&folder)
            .arg("leg")
            .args(command)
            .args(["--plot", &page])
            .output()
            .unwrap();
        assert!(status.status.success(), "{command:?}");
    }
    let Some(browser) = launch_or_skip("pages_of_the_leg_draw_and_play") else {
        return;
    };
    for command in commands {
        let name = command[0];
        browser.set_viewport(390, 844, true).unwrap();
        browser.open(&folder.join(format!("{name}.html"))).unwrap();
        browser
            .wait_until("document.querySelector('.plot > svg')", PATIENCE)
            .unwrap();
        let root = "document.documentElement";
        let fits = format!("{root}.scrollWidth <= {root}.clientWidth");
        browser.wait_until(&fits, PATIENCE).unwrap();
        browser.set_viewport(1280, 800, false).unwrap();
        browser.wait_until(&fits, PATIENCE).unwrap();
        let picture = browser.screenshot().unwrap();
        std::fs::write(folder.join(format!("{name}.png")), picture).unwrap();
        if name != "pretension" {
            browser.click(".play").unwrap();
            let moved = "Number(document.querySelector('input[type=range]').value) > 0.05";
            browser.wait_until(moved, PATIENCE).unwrap();
        }
        assert_eq!(browser.console().unwrap(), [], "{name}");
    }
}
