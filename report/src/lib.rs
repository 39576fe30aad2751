//! Reports: data in, one self-contained HTML file out.
//!
//! A [`Page`] is data: headline [`Figure`]s and [`Block`]s in reading order. [`Page::html`] puts it
//! into a file together with the style sheet and the scripts that its blocks need; the scripts
//! draw, so that the page fits any width, in light and dark. Nothing is fetched. Headings, figures,
//! tables and listings are plain HTML and readable without scripts.
//!
//! [`DockingReport`], [`SweepReport`] and [`BatchReport`] arrange what such runs produce on a page.
//!
//! Numbers that are not finite leave a gap in a curve and never break a page. The same data gives
//! the same bytes. This crate knows nothing of mechanics: the caller fills in the
//! structures.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod animation;
mod batch;
mod block;
mod chart;
mod decimate;
mod docking;
mod figure;
mod page;
mod scene;
mod statistics;
mod table;
mod text;

pub use animation::{Animation, Item, Look, Points, Reading};
pub use batch::{Answer, BatchReport};
pub use block::{Block, Heading};
pub use chart::{Axis, Chart, Level, Mark, Series, Span};
pub use decimate::decimate;
pub use docking::{
    ChartLimit, DockingReport, DockingRun, DockingSeries, LimitRow, SweepCurve, SweepPoint,
    SweepReport,
};
pub use figure::{Datum, Figure};
pub use page::Page;
pub use scene::{
    Anchor, Arrow, Body, Focus, Ground, Mesh, Moment, Paint, Pose, RibbonFrame, Scene, Strip,
};
pub use statistics::{
    Bar, Bars, Dimension, Estimate, Group, Histogram, Line, Map, Parallel, Scatter,
};
pub use table::{Cell, Listing, Table};
pub use text::significant;
