//! Results and their views.
//!
//! A computation ends with one typed result. Its figures are rows of [`figures!`]: a row is a field
//! of the structure and says key, unit, label, meaning and digits. Its time series are [`Columns`].
//! What people and programs see are [`Views`] of it: text on a terminal, JSON, CSV, a page.
//!
//! * [`value`]: the value of a figure;
//! * [`figure`]: what a figure is called, what it means and how it is shown;
//! * [`column`]: columns of tables, and tables;
//! * [`text`]: a result as text;
//! * [`views`]: all views of a result.
//!
//! ```
//! use softdock_figures::{Views, figures};
//!
//! figures! {
//!     /// Where a ball lands.
//!     pub struct Landing;
//!     range_m: f64 = "m", "range", "Distance from where it was thrown";
//!     flight_s: f64 = "s", "time of flight", "Time in the air", digits(3);
//! }
//!
//! impl Views for Landing {
//!     const FILE: &'static str = "landing.json";
//!     fn title(&self) -> String {
//!         "A thrown ball".to_owned()
//!     }
//! }
//!
//! let landing = Landing { range_m: 10.0, flight_s: 1.5 };
//! assert_eq!(Landing::range_m.unit, "m");
//! assert_eq!(
//!     landing.text().to_string(),
//!     "A thrown ball\n  range           10.0000 m\n  time of flight     1.50 s\n"
//! );
//! ```

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod column;
pub mod figure;
pub mod text;
pub mod value;
pub mod views;

pub use column::{Column, Columns, Table, curve};
pub use figure::{Figure, Figures, Judged, Part, shown_unit};
pub use text::{Text, warning};
pub use value::Value;
pub use views::{Early, Views};
