//! What people do with charts: zoom, pan, reset, read, save; and that everybody can.

use super::{browser, docking_report, keep, no_complaints, number, settle, write};
use softdock_browser::Browser;

/// The times that all charts over time show, as JSON.
fn window(browser: &Browser) -> String {
    let script = "return JSON.stringify(softdock.clock.window || null);";
    browser.run(script).unwrap().as_str().unwrap().to_owned()
}

/// First and last number on the horizontal axis of a chart.
fn ends(browser: &Browser, block: usize) -> (f64, f64) {
    let at = |index: &str| {
        let script = format!(
            "Number([...document.querySelectorAll('[data-block=\"{block}\"] .plot > svg > text[text-anchor=middle]')]
               .at({index}).textContent.replace('−', '-'))"
        );
        number(browser, &script)
    };
    (at("0"), at("-1"))
}

#[test]
fn charts_zoom_together_and_come_back() {
    let path = write("docking-zoom", &docking_report().html().unwrap());
    let Some((browser, _turn)) = browser("charts_zoom_together_and_come_back") else {
        return;
    };
    browser.set_viewport(1280, 900, false).unwrap();
    browser.open(&path).unwrap();
    settle(&browser);
    let (first, last) = ends(&browser, 1);
    let slider = "document.querySelector('.scene input[type=range]').value";
    let before = browser.run(&format!("return {slider};")).unwrap();

    browser
        .run("document.querySelector('[data-block=\"1\"] .plot').scrollIntoView({ block: 'center' });")
        .unwrap();
    // Dragging from the middle to the right marks a part; every chart over time shows it.
    browser.drag("[data-block=\"1\"] .plot", 120, 4).unwrap();
    settle(&browser);
    let near = ends(&browser, 1);
    assert!(
        near.0 > first && near.1 < last,
        "{near:?} of {first} to {last}"
    );
    assert_eq!(ends(&browser, 2), near, "the charts are not linked");
    let after = browser.run(&format!("return {slider};")).unwrap();
    assert_eq!(before, after, "a drag set the time");
    keep(&browser, "docking-zoomed");

    // Keys: moved, farther, everything.
    let shown = window(&browser);
    browser.type_keys("[data-block=\"1\"] .plot", "-").unwrap();
    assert_ne!(window(&browser), shown);
    browser.type_keys("[data-block=\"1\"] .plot", "0").unwrap();
    assert_eq!(window(&browser), "null");
    browser.type_keys("[data-block=\"2\"] .plot", "+").unwrap();
    assert_ne!(window(&browser), "null");
    browser
        .run(
            "document.querySelector('[data-block=\"1\"] .plot')
               .dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));",
        )
        .unwrap();
    assert_eq!(window(&browser), "null");
    settle(&browser);
    assert_eq!(ends(&browser, 1), (first, last));
    no_complaints(&browser);
}

#[test]
fn charts_are_saved_with_the_numbers_that_they_show() {
    let path = write("docking-saved", &docking_report().html().unwrap());
    let Some((browser, _turn)) = browser("charts_are_saved_with_the_numbers_that_they_show") else {
        return;
    };
    browser.open(&path).unwrap();
    settle(&browser);
    browser
        .run(
            "window.saved = {};
             softdock.download = (name, type, content) => { window.saved[name.split('.').pop()] = content.size || content; };
             for (const b of document.querySelectorAll('[data-block=\"1\"] .tools button')) {
               if (/PNG|SVG|CSV/.test(b.textContent)) b.click();
             }
             document.querySelector('footer button').click();",
        )
        .unwrap();
    browser
        .wait_until("window.saved.png > 1000", super::PATIENCE)
        .unwrap();
    let text = |key: &str| {
        let value = browser.run(&format!("return window.saved.{key};")).unwrap();
        value.as_str().unwrap().to_owned()
    };
    let all: serde_json::Value = serde_json::from_str(&text("json")).unwrap();
    let curve = &all[1]["series"][0];
    let table = text("csv");
    let mut rows = table.lines();
    assert!(
        rows.next()
            .unwrap()
            .starts_with("time [s],contact force [N]")
    );
    let (x, y) = (
        curve["x"].as_array().unwrap(),
        curve["y"].as_array().unwrap(),
    );
    for (row, (x, y)) in rows.zip(x.iter().zip(y)) {
        let mut cells = row.split(',').map(|cell| cell.parse::<f64>().ok());
        assert_eq!(
            (cells.next().unwrap(), cells.next().unwrap()),
            (x.as_f64(), y.as_f64())
        );
    }
    let svg = text("svg");
    assert!(svg.starts_with("<svg") && svg.contains("xmlns=") && svg.contains("stroke:"));
    no_complaints(&browser);
}

/// What a check by axe-core calls serious, by its own rules: names of controls, alternatives of
/// pictures, headings in order, no identifier twice, contrast of texts, tables with headings.
#[test]
fn a_page_can_be_used_without_sight_or_mouse() {
    let path = write("docking-access", &docking_report().html().unwrap());
    let Some((browser, _turn)) = browser("a_page_can_be_used_without_sight_or_mouse") else {
        return;
    };
    browser.open(&path).unwrap();
    settle(&browser);
    let findings = browser
        .run(
            "const found = [];
             const named = n => (n.getAttribute('aria-label') || n.textContent || n.title || '').trim();
             for (const n of document.querySelectorAll('button, a[href], input, select, [tabindex]')) {
               if (!named(n)) found.push('no name: ' + n.outerHTML.slice(0, 80));
               const [label, shown] = [n.getAttribute('aria-label'), n.tagName === 'BUTTON' && n.textContent.trim()];
               if (label && shown && /[a-z]{2}/i.test(shown) && !label.toLowerCase().includes(shown.toLowerCase())) found.push('the name lacks what is shown: ' + shown);
             }
             for (const n of document.querySelectorAll('body *')) {
               const moves = n.scrollWidth > n.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(n).overflowX);
               if (moves && n.tabIndex < 0 && !n.querySelector('a, button, input')) found.push('moved by mouse only: ' + n.outerHTML.slice(0, 80));
             }
             for (const n of document.querySelectorAll('[role=img], img')) {
               if (!n.getAttribute('aria-label') && !n.getAttribute('alt')) found.push('no alternative: ' + n.outerHTML.slice(0, 80));
             }
             let level = 0;
             for (const n of document.querySelectorAll('h1, h2, h3, h4')) {
               const now = Number(n.tagName[1]);
               if (now > level + 1) found.push('heading skipped: ' + n.textContent);
               level = now;
             }
             const ids = [...document.querySelectorAll('[id]')].map(n => n.id);
             if (new Set(ids).size !== ids.length) found.push('an id twice');
             if (!document.documentElement.lang || !document.title) found.push('no language or title');
             for (const t of document.querySelectorAll('table')) {
               if (!t.querySelector('th[scope]')) found.push('table without headings');
             }
             const parts = c => c.match(/[\\d.]+/g).map(Number);
             const light = c => { const [r, g, b] = parts(c).map(v => { const s = v / 255; return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
             const ground = n => { for (let at = n; at; at = at.parentElement) { const c = getComputedStyle(at).backgroundColor; if (parts(c)[3] !== 0) return c; } return 'rgb(255,255,255)'; };
             for (const n of document.querySelectorAll('p, td, th, dt, dd, button, summary, small, h1, h2, h3')) {
               if (!n.textContent.trim() || n.disabled || !n.offsetParent) continue;
               const [a, b] = [light(getComputedStyle(n).color), light(ground(n))].sort((p, q) => q - p);
               if ((a + 0.05) / (b + 0.05) < 4.5) found.push('contrast: ' + n.textContent.slice(0, 40));
             }
             return found.join('\\n');",
        )
        .unwrap();
    assert_eq!(findings.as_str().unwrap(), "", "findings");
}

/// What is nearer hides what is behind it, whatever the order, also where faces pass through each other.
#[test]
fn scenes_know_the_depth_of_every_pixel() {
    let path = write("docking-depth", &docking_report().html().unwrap());
    let Some((browser, _turn)) = browser("scenes_know_the_depth_of_every_pixel") else {
        return;
    };
    browser.open(&path).unwrap();
    settle(&browser);
    let found = browser
        .run(
            "const r = softdock.raster();
             const [red, blue] = [r.pack([255, 0, 0]), r.pack([0, 0, 255])];
             const square = [0, 0, 20, 0, 20, 20, 0, 20];
             // One is near on the left, the other on the right: they cross in the middle.
             const faces = [[[2, 1, 1, 2], red], [[1, 2, 2, 1], blue]];
             const out = [];
             for (const order of [faces, [...faces].reverse()]) {
               const picture = softdock.raster();
               picture.begin(20, 20);
               for (const [inverse, colour] of order) picture.face(square, inverse, 1, colour);
               const data = picture.end().getContext('2d').getImageData(0, 0, 20, 20).data;
               for (const at of [[2, 10], [17, 10], [9, 3], [10, 16]]) {
                 const i = 4 * (20 * at[1] + at[0]);
                 out.push(data[i] > data[i + 2] ? 'red' : 'blue');
               }
               // No pixel of the square is left out.
               let missed = 0;
               for (let i = 3; i < data.length; i += 4) if (data[i] !== 255) missed++;
               out.push(String(missed));
             }
             return out.join(' ');",
        )
        .unwrap();
    assert_eq!(
        found.as_str().unwrap(),
        "red blue red blue 0 red blue red blue 0"
    );
    no_complaints(&browser);
}

/// On paper charts are drawn for the width that they have there, and on the screen as before again.
#[test]
fn charts_are_drawn_for_the_paper() {
    let path = write("docking-paper", &docking_report().html().unwrap());
    let Some((browser, _turn)) = browser("charts_are_drawn_for_the_paper") else {
        return;
    };
    browser.set_viewport(1280, 900, false).unwrap();
    browser.open(&path).unwrap();
    settle(&browser);
    let width = "document.querySelector('[data-block=\"1\"] .plot > svg').viewBox.baseVal.width";
    let before = super::number(&browser, width);
    browser
        .run("dispatchEvent(new Event('beforeprint'));")
        .unwrap();
    let paper = super::number(&browser, width);
    // Half of 182 mm, in pixels of a 96th of an inch, less borders.
    assert!(paper > 260.0 && paper < 345.0, "{paper}");
    browser
        .run("dispatchEvent(new Event('afterprint'));")
        .unwrap();
    assert_eq!(super::number(&browser, width), before);
    no_complaints(&browser);
}

/// A map is saved with the numbers and outcomes of its cells.
#[test]
fn a_map_is_saved_as_it_is_shown() {
    let map = softdock_report::Map {
        title: "Peak contact force".to_owned(),
        sentence: "Over two settings.".to_owned(),
        x: softdock_report::Axis::new("pitch", "°"),
        y: softdock_report::Axis::new("speed", "m/s"),
        value: softdock_report::Axis::new("force", "N"),
        xs: vec![0.0, 4.0, 8.0],
        ys: vec![0.02, 0.04],
        values: vec![10.0, 12.5, 15.0, 20.0, f64::NAN, 30.0],
        marks: vec![Some(0), Some(0), Some(1), Some(1), Some(2), None],
        kinds: ["captured", "bounced", "failed"]
            .map(str::to_owned)
            .to_vec(),
    };
    let page = softdock_report::Page {
        title: "Map".to_owned(),
        blocks: vec![map.into()],
        ..softdock_report::Page::default()
    };
    let path = write("map", &page.html().unwrap());
    let Some((browser, _turn)) = browser("a_map_is_saved_as_it_is_shown") else {
        return;
    };
    browser.open(&path).unwrap();
    settle(&browser);
    browser
        .run(
            "softdock.download = (name, type, content) => { window.saved = content; };
             [...document.querySelectorAll('.tools button')].find(b => b.textContent === 'CSV').click();",
        )
        .unwrap();
    let saved = browser.run("return window.saved;").unwrap();
    let wanted = "pitch [°],speed [m/s],force [N],outcome\n0,0.02,10,captured\n4,0.02,12.5,captured\n\
                  8,0.02,15,bounced\n0,0.04,20,bounced\n4,0.04,,failed\n8,0.04,30,\n";
    assert_eq!(saved.as_str().unwrap(), wanted);
    let cells = super::number(
        &browser,
        "document.querySelectorAll('.plot > svg > rect').length",
    );
    assert_eq!(cells, 6.0);
    super::keep_all_sizes(&browser, "map");
    no_complaints(&browser);
}
