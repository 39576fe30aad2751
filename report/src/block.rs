//! The parts of a page.

use crate::animation::Animation;
use crate::chart::Chart;
use crate::scene::Scene;
use crate::statistics::{Bars, Histogram, Map, Parallel, Scatter};
use crate::table::{Listing, Table};
use crate::text::escape;
use serde::Serialize;

/// A part of a page.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Block {
    /// Begins a group of blocks.
    #[serde(skip)]
    Heading(Heading),
    /// Curves over an axis.
    Chart(Chart),
    /// Moving lines in the plane.
    Animation(Animation),
    /// Bodies and forces that move in space.
    Scene(Box<Scene>),
    /// A distribution.
    Histogram(Histogram),
    /// Points.
    Scatter(Scatter),
    /// A value over two inputs.
    Map(Map),
    /// An axis per value, a line per run.
    Parallel(Parallel),
    /// Named values with their uncertainty.
    Bars(Bars),
    /// A table.
    #[serde(skip)]
    Table(Table),
    /// A long text that opens on request.
    #[serde(skip)]
    Listing(Listing),
}

/// The heading of a group of blocks.
#[derive(Debug, Clone, Default)]
pub struct Heading {
    /// Heading.
    pub title: String,
    /// What the group is about; may be empty.
    pub sentence: String,
    /// All blocks of the group stand beside each other, as far as the page is wide.
    pub beside: bool,
}

macro_rules! block_from {
    ($($kind:ident),*) => {$(
        impl From<$kind> for Block {
            fn from(block: $kind) -> Self {
                Self::$kind(block)
            }
        }
    )*};
}
block_from!(
    Heading, Chart, Animation, Histogram, Scatter, Map, Parallel, Bars, Table, Listing
);

impl From<Scene> for Block {
    fn from(scene: Scene) -> Self {
        Self::Scene(Box::new(scene))
    }
}

/// What draws a block: scripts in the order in which they must stand on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Script {
    Core,
    Save,
    View,
    Chart,
    Player,
    Animation,
    SceneCamera,
    SceneModel,
    SceneRaster,
    Scene,
    Statistics,
    Map,
    Parallel,
}

impl Script {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Core => include_str!("assets/core.js"),
            Self::Save => include_str!("assets/save.js"),
            Self::View => include_str!("assets/view.js"),
            Self::Chart => include_str!("assets/chart.js"),
            Self::Player => include_str!("assets/player.js"),
            Self::Animation => include_str!("assets/animation.js"),
            Self::SceneCamera => include_str!("assets/camera.js"),
            Self::SceneModel => include_str!("assets/model.js"),
            Self::SceneRaster => include_str!("assets/raster.js"),
            Self::Scene => include_str!("assets/scene.js"),
            Self::Statistics => include_str!("assets/statistics.js"),
            Self::Map => include_str!("assets/map.js"),
            Self::Parallel => include_str!("assets/parallel.js"),
        }
    }
}

impl Block {
    /// Heading and sentence.
    fn head(&self) -> (&str, &str) {
        match self {
            Self::Heading(b) => (&b.title, &b.sentence),
            Self::Chart(b) => (&b.title, &b.sentence),
            Self::Animation(b) => (&b.title, &b.sentence),
            Self::Scene(b) => (&b.title, &b.sentence),
            Self::Histogram(b) => (&b.title, &b.sentence),
            Self::Scatter(b) => (&b.title, &b.sentence),
            Self::Map(b) => (&b.title, &b.sentence),
            Self::Parallel(b) => (&b.title, &b.sentence),
            Self::Bars(b) => (&b.title, &b.sentence),
            Self::Table(b) => (&b.title, &b.sentence),
            Self::Listing(b) => (&b.title, &b.sentence),
        }
    }

    /// Scripts that draw it; none for what is plain HTML.
    pub(crate) fn scripts(&self) -> &'static [Script] {
        match self {
            Self::Chart(_) => &[Script::View, Script::Chart],
            Self::Animation(_) => &[Script::Player, Script::Animation],
            Self::Scene(_) => &[
                Script::Player,
                Script::SceneCamera,
                Script::SceneModel,
                Script::SceneRaster,
                Script::Scene,
            ],
            Self::Histogram(_) | Self::Scatter(_) | Self::Bars(_) => &[Script::Statistics],
            Self::Map(_) => &[Script::Map],
            Self::Parallel(_) => &[Script::Parallel],
            Self::Heading(_) | Self::Table(_) | Self::Listing(_) => &[],
        }
    }

    /// Size on the page, as classes of the style sheet.
    fn classes(&self) -> &'static str {
        match self {
            Self::Chart(chart) if chart.equal => "tall",
            Self::Animation(animation) if !animation.loops => "tall",
            Self::Scene(_) => "tall scene",
            Self::Table(table) if table.columns.len() > 3 => "wide",
            Self::Table(table) if table.rows.len() > 10 => "tall long",
            Self::Parallel(_) => "wide",
            _ => "",
        }
    }

    /// The block as HTML; `index` is its place among the blocks that scripts draw, `heading` the
    /// element of its heading.
    pub(crate) fn html(&self, index: usize, heading: &str) -> String {
        let (title, sentence) = self.head();
        let (title, sentence) = (escape(title), escape(sentence));
        if matches!(self, Self::Heading(_)) {
            return format!("<div class=\"group\"><h2>{title}</h2><p>{sentence}</p></div>\n");
        }
        let (attribute, body) = match self {
            Self::Table(table) => (String::new(), table.html()),
            Self::Listing(listing) => (String::new(), listing.html()),
            _ => (format!(" data-block=\"{index}\""), String::new()),
        };
        format!(
            "<section class=\"{}\"{attribute}><{heading}>{title}</{heading}><p>{sentence}</p>\
             {body}</section>\n",
            self.classes()
        )
    }
}
