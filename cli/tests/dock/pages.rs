//! Reports of real dockings in a real browser. Pages and pictures stay in the target folder, under
//! `tmp/dock`, to be looked at.

use crate::support::{COARSE, Folder};
use serde_json::Value;
use softdock_browser::{Browser, launch_or_skip};
use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// One browser at a time: each has several processes of its own.
static TURN: Mutex<()> = Mutex::new(());

const SLIDER: &str = "Number(document.querySelector('.scene input[type=range]').value)";

fn browser(test: &str) -> Option<(Browser, MutexGuard<'static, ()>)> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    Some((launch_or_skip(test)?, turn))
}

/// Lets the page draw what it was told to.
fn settle(browser: &Browser) {
    browser
        .run(
            "window.settled = 0;
             requestAnimationFrame(() => requestAnimationFrame(() => { window.settled = 1; }));",
        )
        .unwrap();
    browser
        .wait_until("window.settled === 1", PATIENCE)
        .unwrap();
}

fn keep(browser: &Browser, path: &Path) {
    settle(browser);
    fs::write(path, browser.screenshot().unwrap()).unwrap();
}

fn number(browser: &Browser, script: &str) -> f64 {
    let value = browser.run(&format!("return {script};")).unwrap();
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{script} is {value}"))
}

/// A number that changes with the picture of the scene, and the share of it that is drawn.
fn picture(browser: &Browser) -> (f64, f64) {
    settle(browser);
    let result = browser
        .run(
            "const c = document.querySelector('.scene canvas');
             const copy = document.createElement('canvas');
             [copy.width, copy.height] = [c.width, c.height];
             const context = copy.getContext('2d', { willReadFrequently: true });
             context.drawImage(c, 0, 0);
             const d = context.getImageData(0, 0, c.width, c.height).data;
             let [drawn, sum] = [0, 0];
             for (let i = 0; i < d.length; i += 4) {
               if (d[i + 3]) drawn++;
               sum = (sum * 31 + d[i] + 7 * d[i + 1] + 13 * d[i + 2]) % 1000000007;
             }
             return [sum, 4 * drawn / d.length];",
        )
        .unwrap();
    (result[0].as_f64().unwrap(), result[1].as_f64().unwrap())
}

/// Every figure on the page is the summary's, and every entry of the summary is on the page.
fn figures_equal(browser: &Browser, summary: &Value, prefix: &str) {
    let script = "return [...document.querySelectorAll('[data-key]')]
                    .map(e => [e.dataset.key, e.dataset.value]);";
    let figures = browser.run(script).unwrap();
    let mut missing: Vec<&String> = summary.as_object().unwrap().keys().collect();
    // Verdicts stand on the page in tables of their own.
    missing.retain(|name| !["margins", "requirements"].contains(&name.as_str()));
    for figure in figures.as_array().unwrap() {
        let Some(key) = figure[0].as_str().unwrap().strip_prefix(prefix) else {
            continue;
        };
        let given = summary.pointer(&format!("/{}", key.replace('.', "/")));
        let shown: Value = serde_json::from_str(figure[1].as_str().unwrap()).unwrap();
        assert_eq!(given, Some(&shown), "{key}");
        missing.retain(|name| *name != key && !key.starts_with(&format!("{name}.")));
    }
    assert!(missing.is_empty(), "not on the page: {missing:?}");
}

/// Nothing reaches beyond the side of a phone.
fn fits_a_phone(browser: &Browser, picture: &Path) {
    browser.set_viewport(390, 844, true).unwrap();
    settle(browser);
    let root = "document.documentElement";
    let beyond = format!("{root}.scrollWidth - {root}.clientWidth");
    assert_eq!(number(browser, &beyond), 0.0, "{}", picture.display());
    keep(browser, picture);
    browser.set_viewport(1280, 900, false).unwrap();
    settle(browser);
}

/// Plays and slides a report of one docking, and compares its figures.
fn watch(browser: &Browser, folder: &Folder, name: &str) {
    let path = |end: &str| folder.0.join(format!("{name}{end}"));
    let summary = folder.json(&format!("{name}/summary.json"));
    browser.set_viewport(1280, 900, false).unwrap();
    browser
        .open(&folder.0.join(name).join("report.html"))
        .unwrap();
    settle(browser);
    figures_equal(browser, &summary, "");
    let (at_start, drawn) = picture(browser);
    assert!(drawn > 0.05, "{name}: the scene is blank");
    keep(browser, &path("-start.png"));

    let before = number(browser, SLIDER);
    browser.click(".scene .play").unwrap();
    let moving = format!("{SLIDER} > {before}");
    browser.wait_until(&moving, PATIENCE).unwrap();
    browser.click(".scene .play").unwrap();

    let end = summary["simulated_s"].as_f64().unwrap();
    let slide = |time: f64| {
        let script = format!(
            "const s = document.querySelector('.scene input[type=range]');
             s.value = {time}; s.dispatchEvent(new Event('input', {{ bubbles: true }}));"
        );
        browser.run(&script).unwrap();
        picture(browser).0
    };
    let at_end = slide(end);
    assert_ne!(at_start, at_end, "{name}: nothing moves");
    keep(browser, &path("-end.png"));
    if let Some(time) = summary["peak_contact_time_s"].as_f64().filter(|t| *t > 0.0) {
        assert_ne!(slide(time), at_end, "{name}: the slider does nothing");
        keep(browser, &path("-peak.png"));
        // The reading below the scene is the series' at that time, within a frame of the peak.
        browser
            .run("document.querySelectorAll('.views button')[1].click();")
            .unwrap();
        std::thread::sleep(Duration::from_millis(500));
        keep(browser, &path("-front.png"));
    }
    fits_a_phone(browser, &path("-phone.png"));
    assert_eq!(browser.console().unwrap(), [], "{name}");
}

/// The first thing anybody does: no argument at all. The page shows what the summary says.
#[test]
fn the_default_docking_can_be_watched() {
    let folder = Folder::new("default");
    let said = folder.stdout(&[]);
    assert!(said.contains("out/dock/report.html"), "{said}");
    let Some((browser, _turn)) = browser("the_default_docking_can_be_watched") else {
        return;
    };
    watch(&browser, &folder, "out/dock");
}

/// Every kind of port and base, in coarse and short runs that end after the first touch.
#[test]
fn every_kind_of_docking_can_be_watched() {
    let folder = Folder::new("kinds");
    let kinds = [
        ("aligned", "0.12"),
        ("lateral-50mm", "0.5"),
        ("idss-corner", "0.4"),
        ("free-floating-pair", "0.3"),
        ("gravity-bench", "0.2"),
    ];
    for (name, duration) in kinds {
        let duration = format!("duration_s={duration}");
        let arguments = [name, "--out", name, "--set", &duration];
        folder.stdout(&[&arguments[..], &COARSE].concat());
    }
    let Some((browser, _turn)) = browser("every_kind_of_docking_can_be_watched") else {
        return;
    };
    for (name, _) in kinds {
        watch(&browser, &folder, name);
    }
}

#[test]
fn comparison_and_sweep_open_without_complaint() {
    let folder = Folder::new("several");
    let short = ["--set", "duration_s=0.15", COARSE[0], COARSE[1]];
    let compare = [
        "--compare",
        "motors-locked",
        "motors-hold",
        "--out",
        "compare",
    ];
    folder.stdout(&[&compare[..], &short].concat());
    let sweep = ["--sweep", "misalignment.pitch_deg=0:8:4", "--out", "sweep"];
    folder.stdout(&[&sweep[..], &short].concat());
    let keys = [
        "misalignment.pitch_deg=0:8:4",
        "closing_speed_m_s=0.03:0.05:0.02",
    ];
    let map = ["--sweep", keys[0], "--sweep", keys[1], "--out", "map"];
    folder.stdout(&[&map[..], &short].concat());
    a_map_has_the_runs_of_sweeps(&folder);
    let Some((browser, _turn)) = browser("comparison_and_sweep_open_without_complaint") else {
        return;
    };
    browser.set_viewport(1280, 900, false).unwrap();
    browser.open(&folder.0.join("compare/report.html")).unwrap();
    settle(&browser);
    for (name, summary) in folder.json("compare/summary.json").as_object().unwrap() {
        figures_equal(&browser, summary, &format!("{name}/"));
    }
    browser.click(".scene .play").unwrap();
    let moving = format!("{SLIDER} > 0");
    browser.wait_until(&moving, PATIENCE).unwrap();
    keep(&browser, &folder.0.join("compare.png"));
    fits_a_phone(&browser, &folder.0.join("compare-phone.png"));
    assert_eq!(browser.console().unwrap(), []);

    browser.open(&folder.0.join("sweep/report.html")).unwrap();
    browser
        .wait_until("document.querySelector('.plot > svg')", PATIENCE)
        .unwrap();
    keep(&browser, &folder.0.join("sweep.png"));
    fits_a_phone(&browser, &folder.0.join("sweep-phone.png"));
    assert_eq!(browser.console().unwrap(), []);

    browser.open(&folder.0.join("map/report.html")).unwrap();
    browser
        .wait_until("document.querySelector('.plot > svg')", PATIENCE)
        .unwrap();
    let cells = "document.querySelectorAll('[data-block=\"0\"] .plot > svg > rect').length";
    assert_eq!(number(&browser, cells), 6.0);
    let marks = "document.querySelectorAll('[data-block=\"0\"] .plot > svg > path').length";
    assert_eq!(number(&browser, marks), 6.0);
    keep(&browser, &folder.0.join("map.png"));
    fits_a_phone(&browser, &folder.0.join("map-phone.png"));
    assert_eq!(browser.console().unwrap(), []);
}

/// The run of a map at 8° and 0.05 m/s is the last of the sweep over the angle.
fn a_map_has_the_runs_of_sweeps(folder: &Folder) {
    let (sweep, map) = (
        folder.json("sweep/summary.json"),
        folder.json("map/summary.json"),
    );
    assert_eq!(
        map["keys"],
        serde_json::json!(["misalignment.pitch_deg", "closing_speed_m_s"])
    );
    let runs = map["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 6);
    let (last, alone) = (&runs[5], &sweep["runs"][2]);
    assert_eq!(last["values"], serde_json::json!([8.0, 0.05]));
    for figure in ["peak_contact_force_n", "outcome", "contact_impulse_n_s"] {
        assert_eq!(
            last["summary"][figure], alone["summary"][figure],
            "{figure}"
        );
    }
    let rows = fs::read_to_string(folder.0.join("map/sweep.csv")).unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    assert!(rows[0].starts_with("misalignment.pitch_deg,closing_speed_m_s,peak_contact_force_n"));
    assert!(
        rows.len() == 7 && rows[2].starts_with("4.0,0.03,"),
        "{}",
        rows[2]
    );
}
