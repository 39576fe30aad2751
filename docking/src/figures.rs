//! The table of figures of a docking.
//!
//! A figure is stated once, as a row of `figures!` in [`crate::summary`]: the row is a field of the
//! summary, and a constant of the same name that says everything else. What shows figures (terminal,
//! pages, tables, `softdock figures`) goes by these constants.

use crate::outcome::Outcome;
use crate::summary::Summary;

pub use softdock_figures::figure::unit_of_key;
pub use softdock_figures::{Value, shown_unit};

/// A figure of a docking.
pub type Figure = softdock_figures::Figure<Summary>;

impl From<&Outcome> for Value {
    fn from(outcome: &Outcome) -> Self {
        Self::Word(outcome.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_key_ends_with_its_unit() {
        for figure in Summary::figures() {
            let (_, unit) = unit_of_key(figure.key);
            assert_eq!(unit, figure.unit, "{figure:?}");
            let columns = figure.columns();
            let end = figure.key_unit();
            assert!(
                columns.iter().all(|name| name.ends_with(end)),
                "{columns:?}"
            );
        }
    }

    #[test]
    fn no_two_figures_share_a_key_a_label_or_a_column() {
        let all = Summary::figures();
        let different = |names: Vec<String>| {
            let count = names.len();
            assert_eq!(names.into_iter().collect::<BTreeSet<_>>().len(), count);
        };
        different(all.iter().map(|figure| figure.key.to_owned()).collect());
        different(all.iter().map(|figure| figure.label.to_owned()).collect());
        different(all.iter().flat_map(|figure| figure.columns()).collect());
    }
}
