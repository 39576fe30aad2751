//! Pages with figures, charts and an animation: one HTML file, nothing fetched.
//!
//! A [`Page`] is data. [`Page::html`] puts it into a file together with the style sheet and two
//! scripts; the scripts draw, so that the page fits any width. The headline figures are plain
//! HTML and readable without scripts.

mod decimate;

pub use decimate::decimate;

use serde::{Serialize, Serializer};
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");
const CHART_SCRIPT: &str = include_str!("chart.js");
const ANIMATION_SCRIPT: &str = include_str!("animation.js");

/// A page of results.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Heading.
    pub title: String,
    /// What was computed, in a sentence or two.
    pub lead: String,
    /// Something the reader must know first, such as a run that was stopped.
    pub warning: Option<String>,
    /// Headline figures.
    pub figures: Vec<Figure>,
    /// Charts and animations in reading order.
    pub blocks: Vec<Block>,
    /// Many small blocks in a row instead of two.
    pub dense: bool,
}

/// A headline figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// What it is.
    pub label: String,
    /// Its value as text.
    pub value: String,
    /// Its unit.
    pub unit: String,
}

/// A part of a page.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Block {
    /// Curves over an axis.
    Chart(Chart),
    /// Moving lines in the plane.
    Animation(Animation),
}

impl From<Chart> for Block {
    fn from(chart: Chart) -> Self {
        Self::Chart(chart)
    }
}

impl From<Animation> for Block {
    fn from(animation: Animation) -> Self {
        Self::Animation(animation)
    }
}

/// An axis.
#[derive(Debug, Clone, Serialize)]
pub struct Axis {
    /// What it shows.
    pub label: String,
    /// Unit; empty for none.
    pub unit: String,
}

impl Figure {
    /// A figure with `digits` significant digits.
    pub fn number(label: &str, value: f64, digits: usize, unit: &str) -> Self {
        Self::text(label, crate::summary::significant(value, digits), unit)
    }

    /// A figure given as text.
    pub fn text(label: &str, value: impl Into<String>, unit: &str) -> Self {
        Self {
            label: label.to_owned(),
            value: value.into(),
            unit: unit.to_owned(),
        }
    }
}

impl Axis {
    /// An axis.
    pub fn new(label: &str, unit: &str) -> Self {
        Self {
            label: label.to_owned(),
            unit: unit.to_owned(),
        }
    }

    /// The axis of time, shared by the animation's cursor.
    pub fn time() -> Self {
        Self::new("time", "s")
    }
}

/// A chart.
#[derive(Debug, Clone, Serialize)]
pub struct Chart {
    /// Heading.
    pub title: String,
    /// A sentence saying what is shown.
    pub sentence: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The horizontal axis is the animation's time.
    pub over_time: bool,
    /// One metre is as long on both axes.
    pub equal: bool,
    /// What is shown of the vertical axis, where curves may leave the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<[f64; 2]>,
    /// The curves.
    pub series: Vec<Series>,
}

impl Chart {
    /// A chart over time.
    pub fn over_time(title: &str, sentence: &str, y: Axis, series: Vec<Series>) -> Self {
        Self {
            title: title.to_owned(),
            sentence: sentence.to_owned(),
            x: Axis::time(),
            y,
            over_time: true,
            equal: false,
            window: None,
            series,
        }
    }

    /// The same chart showing only this part of the vertical axis.
    pub fn windowed(mut self, window: [f64; 2]) -> Self {
        self.window = Some(window);
        self
    }

    /// A chart over anything else.
    pub fn over(title: &str, sentence: &str, x: Axis, y: Axis, series: Vec<Series>) -> Self {
        Self {
            title: title.to_owned(),
            sentence: sentence.to_owned(),
            x,
            y,
            over_time: false,
            equal: false,
            window: None,
            series,
        }
    }
}

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// A line.
    #[default]
    Line,
    /// Single points.
    Dots,
    /// A line with its points.
    LineAndDots,
    /// A stiff bar between pivots, thick and grey.
    Bar,
}

/// A curve.
#[derive(Debug, Clone, Serialize)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Points.
    #[serde(serialize_with = "rounded")]
    pub x: Vec<f64>,
    /// Points.
    #[serde(serialize_with = "rounded")]
    pub y: Vec<f64>,
}

/// Points of a curve that the page keeps: more than a screen can show.
const MOST_POINTS: usize = 1200;

impl Series {
    /// A line through many points, thinned without losing its peaks.
    pub fn line(name: &str, x: &[f64], y: &[f64]) -> Self {
        let (x, y) = decimate(x, y, MOST_POINTS);
        Self {
            name: name.to_owned(),
            mark: Mark::Line,
            x,
            y,
        }
    }

    /// The same curve drawn otherwise.
    pub fn marked(mut self, mark: Mark) -> Self {
        self.mark = mark;
        self
    }
}

/// Moving lines in the plane.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Animation {
    /// Heading.
    pub title: String,
    /// A sentence saying what is shown.
    pub sentence: String,
    /// Time of each frame [s].
    #[serde(serialize_with = "rounded")]
    pub times: Vec<f64>,
    /// What moves, back to front.
    pub items: Vec<Item>,
    /// Numbers shown beside the picture, one per frame each.
    pub readings: Vec<Reading>,
    /// Starts over at its end; such a picture is small and its time is its own.
    pub loops: bool,
}

/// Look of an animated line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// A stiff bar.
    Bar,
    /// A flexible member.
    Leaf,
    /// A cable.
    Cable,
    /// A pivot fixed to the ground.
    Ground,
    /// A joint that moves.
    Joint,
    /// Where something was before.
    Ghost,
}

/// A line that moves.
#[derive(Debug, Clone, Serialize)]
pub struct Item {
    /// Name in the legend; empty for none.
    pub name: String,
    /// Look.
    pub look: Look,
    /// For each frame x, y, x, y, ... [m]; a single frame stands for all.
    pub frames: Vec<Points>,
}

/// Points x, y, x, y, ... [m] in tenths of a millimetre.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Points(Vec<i64>);

impl Points {
    /// From metres.
    pub fn new(points: &[[f64; 2]]) -> Self {
        Self(
            points
                .iter()
                .flatten()
                .map(|value| (value * 1e4).round() as i64)
                .collect(),
        )
    }
}

/// A number shown beside the animation.
#[derive(Debug, Clone, Serialize)]
pub struct Reading {
    /// What it is.
    pub label: String,
    /// Unit.
    pub unit: String,
    /// Digits after the point.
    pub digits: usize,
    /// Value at each frame.
    #[serde(serialize_with = "rounded")]
    pub values: Vec<f64>,
}

/// Six digits are more than a chart shows.
fn rounded<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    let short = |value: &f64| format!("{value:.5e}").parse::<f64>().unwrap_or(*value);
    serializer.collect_seq(values.iter().map(short))
}

/// A number as print shows it: a true minus sign, powers of ten.
fn typeset(text: &str) -> String {
    let is_number = text.parse::<f64>().is_ok();
    let (digits, power) = match text.split_once('e') {
        Some((digits, power)) if is_number => (digits, Some(power)),
        _ => (text, None),
    };
    let digits = if is_number {
        digits.replace('-', "−")
    } else {
        digits.to_owned()
    };
    power.map_or_else(
        || escape(&digits),
        |power| {
            format!(
                "{}·10<sup>{}</sup>",
                escape(&digits),
                power.replace('-', "−")
            )
        },
    )
}

/// Text as HTML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

impl Page {
    /// The whole file.
    pub fn html(&self) -> Result<String, serde_json::Error> {
        // "<" in a text must not end the script element.
        let data = serde_json::to_string(&self.blocks)?.replace('<', "\\u003c");
        let title = escape(&self.title);
        let mut figures = String::new();
        for Figure { label, value, unit } in &self.figures {
            // Writing to a String cannot fail.
            let _ = write!(
                figures,
                "<div><dt>{}</dt><dd>{} <small>{}</small></dd></div>",
                escape(label),
                typeset(value),
                escape(unit)
            );
        }
        let warning = self.warning.as_ref().map_or_else(String::new, |text| {
            format!("<p class=\"warning\" role=\"alert\">{}</p>", escape(text))
        });
        let dense = if self.dense { " class=\"dense\"" } else { "" };
        Ok(format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n\
             <h1>{title}</h1>\n<p>{}</p>\n{warning}</header>\n<main>\n\
             <dl class=\"figures\">{figures}</dl>\n<div id=\"blocks\"{dense}></div>\n\
             <noscript><p class=\"warning\">The charts need JavaScript.</p></noscript>\n\
             </main>\n<footer>softdock {}</footer>\n\
             <script type=\"application/json\" id=\"data\">{data}</script>\n\
             <script>\n{CHART_SCRIPT}</script>\n<script>\n{ANIMATION_SCRIPT}</script>\n\
             <script>softdock.show(document.getElementById('blocks'), \
             JSON.parse(document.getElementById('data').textContent));</script>\n\
             </body>\n</html>\n",
            escape(&self.lead),
            env!("CARGO_PKG_VERSION"),
        ))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn page() -> Page {
        let series = vec![Series::line("a </script>", &[0.0, 1.0], &[1.0 / 3.0, 2.0])];
        Page {
            title: "A <b> & \"c\"".to_owned(),
            lead: "What it is.".to_owned(),
            warning: Some("stopped".to_owned()),
            figures: vec![Figure::number("peak", 45.5, 3, "N")],
            blocks: vec![Chart::over_time("t", "s", Axis::new("q", "rad"), series).into()],
            dense: false,
        }
    }

    #[test]
    fn a_page_fetches_nothing() {
        let html = page().html().unwrap();
        for word in [
            "http://",
            "https://",
            "//cdn",
            "@import",
            "url(",
            "<link rel=\"style",
        ] {
            // The SVG name space is a name, not an address.
            let text = html.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains(word), "{word}");
        }
    }

    #[test]
    fn text_cannot_break_out() {
        let html = page().html().unwrap();
        assert!(html.contains("A &lt;b&gt; &amp; &quot;c&quot;"));
        assert!(!html.contains("a </script>"));
        assert_eq!(
            html.matches("<script").count(),
            html.matches("</script>").count()
        );
    }

    #[test]
    fn figures_are_typeset() {
        assert_eq!(typeset("-1.5e-9"), "−1.5·10<sup>−9</sup>");
        assert_eq!(typeset("58.0693"), "58.0693");
        assert_eq!(typeset("one <e"), "one &lt;e");
    }

    #[test]
    fn numbers_are_kept_to_six_digits() {
        let html = page().html().unwrap();
        assert!(html.contains("0.333333") && !html.contains("0.3333333"));
    }
}
