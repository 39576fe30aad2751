//! Reports in a real browser: they draw, play, fit a phone, and show what they were given.
//!
//! Pages and pictures stay in the target folder, under `tmp/report`, to be looked at.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod campaign;
mod charts;
mod docking;

use serde_json::json;
use softdock_browser::{Browser, launch_or_skip};
use softdock_report::{
    Axis, Chart, ChartLimit, DockingReport, DockingRun, DockingSeries, Figure, Level, Mesh, Paint,
    Pose, Scene, Series,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// One browser at a time: each has several processes of its own.
static TURN: Mutex<()> = Mutex::new(());

fn browser(test: &str) -> Option<(Browser, MutexGuard<'static, ()>)> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    Some((launch_or_skip(test)?, turn))
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn write(name: &str, html: &str) -> PathBuf {
    let path = folder().join(format!("{name}.html"));
    fs::write(&path, html).unwrap();
    path
}

/// Keeps a picture of the page as it is.
fn keep(browser: &Browser, name: &str) {
    fs::write(
        folder().join(format!("{name}.png")),
        browser.screenshot().unwrap(),
    )
    .unwrap();
}

/// Lets the page draw what it was told to.
fn settle(browser: &Browser) {
    browser
        .run("window.settled = 0; requestAnimationFrame(() => requestAnimationFrame(() => { window.settled = 1; }));")
        .unwrap();
    browser
        .wait_until("window.settled === 1", PATIENCE)
        .unwrap();
}

/// Pictures of the whole page on a laptop and on a phone, light and dark; checks that nothing
/// reaches beyond the side of the page.
fn keep_all_sizes(browser: &Browser, name: &str) {
    for (size, width, height, phone) in [("laptop", 1280, 800, false), ("phone", 390, 844, true)] {
        for scheme in ["light", "dark"] {
            browser
                .set_media("screen", &[("prefers-color-scheme", scheme)])
                .unwrap();
            browser.set_viewport(width, height, phone).unwrap();
            settle(browser);
            let beyond = browser
                .run("return document.documentElement.scrollWidth - document.documentElement.clientWidth;")
                .unwrap();
            assert_eq!(beyond, 0, "{name} scrolls sideways on a {size}");
            let label = format!("{name}-{size}-{scheme}");
            keep(browser, &label);
            let whole = browser
                .run("return document.documentElement.scrollHeight;")
                .unwrap();
            let whole = whole.as_u64().unwrap().min(8000) as u32;
            browser.set_viewport(width, whole, phone).unwrap();
            settle(browser);
            keep(browser, &format!("{label}-whole"));
        }
    }
    browser.set_media("screen", &[]).unwrap();
    browser.set_viewport(1280, 800, false).unwrap();
    settle(browser);
}

fn no_complaints(browser: &Browser) {
    assert_eq!(browser.console().unwrap(), []);
}

fn number(browser: &Browser, script: &str) -> f64 {
    let value = browser.run(&format!("return {script};")).unwrap();
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{script} is {value}"))
}

/// Share of the pixels of the scene that are drawn, and a sum over all that changes with them.
fn scene_pixels(browser: &Browser) -> (f64, f64) {
    settle(browser);
    let result = browser
        .run(
            "const c = document.querySelector('.scene canvas');
             const copy = document.createElement('canvas');
             copy.width = c.width;
             copy.height = c.height;
             const context = copy.getContext('2d', { willReadFrequently: true });
             context.drawImage(c, 0, 0);
             const d = context.getImageData(0, 0, c.width, c.height).data;
             let drawn = 0, sum = 0;
             for (let i = 0; i < d.length; i += 4) {
               if (d[i + 3]) drawn++;
               sum = (sum * 31 + d[i] + 7 * d[i + 1] + 13 * d[i + 2]) % 1000000007;
             }
             return [4 * drawn / d.length, sum];",
        )
        .unwrap();
    (result[0].as_f64().unwrap(), result[1].as_f64().unwrap())
}

/// Every figure of a run is on the page, with all digits.
fn figures_equal(browser: &Browser, run: &DockingRun, prefix: &str) {
    let script = "return [...document.querySelectorAll('[data-key]')].map(e => [e.dataset.key, e.dataset.value]);";
    let figures = browser.run(script).unwrap();
    let mut found = 0;
    for figure in figures.as_array().unwrap() {
        let Some(key) = figure[0].as_str().unwrap().strip_prefix(prefix) else {
            continue;
        };
        let given = run.figures.iter().filter_map(|f| f.datum.as_ref());
        let given = given.filter(|datum| datum.key == key);
        let given: Vec<String> = given.map(|datum| datum.value.to_string()).collect();
        assert_eq!(given, [figure[1].as_str().unwrap()], "{key}");
        found += 1;
    }
    let wanted = run.headlines.len() + run.figures.len();
    assert_eq!(found, wanted, "figures");
}

fn docking_report() -> DockingReport {
    DockingReport {
        title: "Docking at 7.5° pitch".to_owned(),
        lead:
            "A target of 500 kg closes in at 0.05 m/s, tilted by 7.5°; six legs, monolithic, 3 s."
                .to_owned(),
        runs: vec![DockingRun {
            limits: vec![ChartLimit {
                chart: "Contact force".to_owned(),
                level: Level {
                    value: 45.5,
                    label: "soft, 45.5 N".to_owned(),
                },
            }],
            ..docking::run("default", 1.0)
        }],
    }
}

/// A run of three seconds stays small enough to be sent by mail.
#[test]
fn a_docking_report_is_below_a_megabyte() {
    let html = docking_report().html().unwrap();
    assert!(html.len() < 1_000_000, "{} bytes", html.len());
    assert_eq!(html, docking_report().html().unwrap());
}

#[test]
fn a_docking_report_plays_and_shows_its_figures() {
    let report = docking_report();
    let path = write("docking", &report.html().unwrap());
    let Some((browser, _turn)) = browser("a_docking_report_plays_and_shows_its_figures") else {
        return;
    };
    browser.set_viewport(1280, 800, false).unwrap();
    browser.open(&path).unwrap();
    settle(&browser);
    figures_equal(&browser, &report.runs[0], "");

    let slider = "Number(document.querySelector('.scene input[type=range]').value)";
    let (drawn, at_start) = scene_pixels(&browser);
    assert!(drawn > 0.05, "the scene is blank: {drawn}");
    // The page opens at the peak, and plays from the beginning.
    assert!((number(&browser, slider) - 0.604).abs() < 0.01);

    // Playing moves the time and the picture; pausing holds both.
    browser.click(".scene .play").unwrap();
    browser
        .wait_until(&format!("{slider} > 0.2"), PATIENCE)
        .unwrap();
    browser.click(".scene .play").unwrap();
    // On a busy machine the click may come late: the button tells when it has come.
    let resting = "document.querySelector('.scene .play').textContent.includes('Play')";
    browser.wait_until(resting, PATIENCE).unwrap();
    let paused = number(&browser, slider);
    let (_, at_pause) = scene_pixels(&browser);
    assert_ne!(at_start, at_pause, "the picture did not change");
    settle(&browser);
    assert_eq!(number(&browser, slider), paused);

    // The slider moves the picture and the cursor of the charts.
    browser
        .run(
            "const s = document.querySelector('.scene input[type=range]');
              s.value = 0.604; s.dispatchEvent(new Event('input', { bubbles: true }));",
        )
        .unwrap();
    let (_, at_peak) = scene_pixels(&browser);
    assert_ne!(at_pause, at_peak);
    let cursor = "document.querySelector('.plot .cursor').getAttribute('visibility')";
    assert_eq!(
        browser.run(&format!("return {cursor};")).unwrap(),
        "visible"
    );
    let readout = browser
        .run("return document.querySelector('[data-block=\"1\"] .legend output').textContent;")
        .unwrap();
    let force: f64 = readout.as_str().unwrap().parse().unwrap();
    assert!((44.0..46.5).contains(&force), "contact force reads {force}");

    // Keys: arrows step, space plays.
    let before = number(&browser, slider);
    browser.type_keys(".scene canvas", "\u{e014}").unwrap();
    assert!(number(&browser, slider) > before);
    browser.type_keys(".scene canvas", " ").unwrap();
    let playing = "document.querySelector('.scene .play').getAttribute('aria-pressed') === 'true'";
    browser.wait_until(playing, PATIENCE).unwrap();
    browser.type_keys(".scene canvas", " ").unwrap();
    browser
        .wait_until(&format!("!({playing})"), PATIENCE)
        .unwrap();

    // A click on a chart sets the time.
    browser.click("[data-block=\"1\"] .plot").unwrap();
    let clicked = number(&browser, slider);
    assert!((1.2..1.8).contains(&clicked), "{clicked}");
    no_complaints(&browser);
}

#[test]
fn a_scene_can_be_looked_at_from_all_sides() {
    let path = write("docking-views", &docking_report().html().unwrap());
    let Some((browser, _turn)) = browser("a_scene_can_be_looked_at_from_all_sides") else {
        return;
    };
    browser.set_viewport(1280, 1000, false).unwrap();
    browser
        .set_media("screen", &[("prefers-reduced-motion", "reduce")])
        .unwrap();
    browser.open(&path).unwrap();
    browser.click(".moments button:nth-child(2)").unwrap();
    let mut seen = vec![scene_pixels(&browser).1];
    for view in 1..=5 {
        // With reduced motion a view is there at once.
        browser
            .click(&format!(".views button:nth-child({view})"))
            .unwrap();
        let (drawn, sum) = scene_pixels(&browser);
        keep(&browser, &format!("docking-view-{view}"));
        assert!(drawn > 0.03, "view {view} is blank");
        // The first is the view that the page opens with.
        assert_eq!(view == 1, seen.contains(&sum), "view {view}");
        seen.push(sum);
    }
    let before = scene_pixels(&browser).1;
    browser.drag(".scene canvas", 80, 30).unwrap();
    let turned = scene_pixels(&browser).1;
    assert_ne!(before, turned, "dragging did not turn the scene");
    // Hiding the target shows what is behind it.
    browser.run("[...document.querySelectorAll('.scene .legend button')].find(b => b.textContent === 'target').click();").unwrap();
    assert_ne!(turned, scene_pixels(&browser).1);
    no_complaints(&browser);
}

#[test]
fn a_docking_report_fits_laptop_and_phone() {
    let path = write("docking-sizes", &docking_report().html().unwrap());
    let Some((browser, _turn)) = browser("a_docking_report_fits_laptop_and_phone") else {
        return;
    };
    browser.open(&path).unwrap();
    browser
        .run("document.querySelector('.moments button:nth-child(2)').click();")
        .unwrap();
    keep_all_sizes(&browser, "docking");
    browser.set_media("print", &[]).unwrap();
    settle(&browser);
    keep(&browser, "docking-print");
    let controls = "getComputedStyle(document.querySelector('.controls')).display";
    assert_eq!(browser.run(&format!("return {controls};")).unwrap(), "none");
    no_complaints(&browser);
}

#[test]
fn runs_are_compared_side_by_side() {
    let mut report = docking_report();
    report.title = "Three closing speeds".to_owned();
    report.runs = vec![
        docking::run("slow", 0.6),
        docking::run("default", 1.0),
        docking::run("fast", 1.5),
    ];
    report.runs[2].incomplete = Some("interrupted at t = 2.4 s of 3 s.".to_owned());
    let path = write("compare", &report.html().unwrap());
    let Some((browser, _turn)) = browser("runs_are_compared_side_by_side") else {
        return;
    };
    browser.open(&path).unwrap();
    settle(&browser);
    for run in &report.runs {
        figures_equal(&browser, run, &format!("{}/", run.name));
    }
    // All scenes follow one clock.
    browser
        .run("document.querySelectorAll('.moments button')[1].click();")
        .unwrap();
    let times = browser
        .run("return [...document.querySelectorAll('.scene input[type=range]')].map(s => Number(s.value));")
        .unwrap();
    assert_eq!(times.as_array().unwrap().len(), 3);
    assert!(
        times
            .as_array()
            .unwrap()
            .iter()
            .all(|t| *t == times[0] && *t != json!(0))
    );
    keep_all_sizes(&browser, "compare");
    no_complaints(&browser);
}

#[test]
fn a_campaign_can_be_explored() {
    let path = write("batch", &campaign::report(200).html().unwrap());
    let Some((browser, _turn)) = browser("a_campaign_can_be_explored") else {
        return;
    };
    browser.set_viewport(1280, 800, false).unwrap();
    browser.open(&path).unwrap();
    settle(&browser);
    let chosen = "document.querySelector('output.at').textContent";
    assert_eq!(
        browser.run(&format!("return {chosen};")).unwrap(),
        "200 of 200 chosen"
    );
    // Dragging along the middle axis chooses runs; the button lets go.
    browser
        .run("document.querySelector('.parallel').scrollIntoView();")
        .unwrap();
    browser.drag(".parallel canvas", 0, -90).unwrap();
    settle(&browser);
    let some = browser.run(&format!("return {chosen};")).unwrap();
    let some: usize = some
        .as_str()
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!((20..150).contains(&some), "{some} chosen");
    keep(&browser, "batch-brushed");
    browser.run("[...document.querySelectorAll('button')].find(b => b.textContent === 'choose all').click();").unwrap();
    settle(&browser);
    assert_eq!(
        browser.run(&format!("return {chosen};")).unwrap(),
        "200 of 200 chosen"
    );
    let links = number(&browser, "document.querySelectorAll('td a, th a').length");
    assert!(links >= 5.0, "{links} links to reports");
    browser.run("scrollTo(0, 0);").unwrap();
    keep_all_sizes(&browser, "batch");
    no_complaints(&browser);
}

#[test]
fn a_sweep_shows_its_curve_and_its_failures() {
    let path = write("sweep", &campaign::sweep().html().unwrap());
    let Some((browser, _turn)) = browser("a_sweep_shows_its_curve_and_its_failures") else {
        return;
    };
    browser.open(&path).unwrap();
    keep_all_sizes(&browser, "sweep");
    no_complaints(&browser);
}

/// Nothing, a single frame, infinities: the page stands and does not complain.
#[test]
fn nonsense_does_not_break_a_page() {
    let nan = f64::NAN;
    let one_frame = Scene {
        times: vec![0.0],
        bodies: vec![softdock_report::Body::new(
            "a",
            Paint::Base,
            &Mesh::slab([0.0; 3], [0.1; 3]),
            &[Pose::default()],
        )],
        ..Scene::default()
    };
    let run = DockingRun {
        name: "</script><b>".to_owned(),
        figures: vec![
            Figure::text("<peak>", "–", "").keyed("peak_contact_force_n", nan),
            Figure::text("note", "<img src=x onerror=alert(1)>", "<b>").keyed("<", "<img src=x>"),
        ],
        series: DockingSeries {
            time_s: vec![0.0, 1.0, nan, 3.0],
            contact_force_n: vec![nan, f64::INFINITY, 1.0, f64::NEG_INFINITY],
            gap_m: vec![nan; 4],
            leg_stroke_m: vec![vec![1.0], vec![], vec![0.0; 9]],
            contacts_s: vec![[nan, 1.0], [0.5, 0.5]],
            ..DockingSeries::default()
        },
        scene: Some(one_frame),
        config_text: "not = [toml".to_owned(),
        ..DockingRun::default()
    };
    let mut report = DockingReport {
        title: "Nonsense".to_owned(),
        runs: vec![run.clone()],
        ..DockingReport::default()
    };
    let mut page = report.page();
    page.blocks.push(Scene::default().into());
    page.blocks
        .push(softdock_report::Animation::default().into());
    let flat = Series::line("flat", &[1.0], &[2.0]);
    page.blocks
        .push(Chart::over_time("One point", "s", Axis::new("y", ""), vec![flat]).into());
    page.blocks.extend(campaign::report(3).page().blocks);
    let single = write("nonsense", &page.html().unwrap());
    report.runs = vec![run.clone(), run];
    let several = write("nonsense-compare", &report.html().unwrap());
    let Some((browser, _turn)) = browser("nonsense_does_not_break_a_page") else {
        return;
    };
    for path in [single, several] {
        browser.set_viewport(390, 844, true).unwrap();
        browser.open(&path).unwrap();
        settle(&browser);
        let beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(number(&browser, beyond), 0.0);
        no_complaints(&browser);
    }
    keep(&browser, "nonsense");
}
