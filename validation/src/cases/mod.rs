//! The cases, one module per topic.

mod damping;
mod energy;
mod four_bar;
mod heavy_top;
mod leaf;
mod mechanisms;
mod modes;
mod objectivity;
mod platform;
mod slider;
mod space;
mod statics;

use crate::Case;

/// All cases, in the order of the table.
pub fn all() -> Vec<Case> {
    [
        statics::CASES,
        leaf::CASES,
        space::CASES,
        modes::CASES,
        damping::CASES,
        heavy_top::CASES,
        four_bar::CASES,
        slider::CASES,
        objectivity::CASES,
        energy::CASES,
        platform::CASES,
        mechanisms::CASES,
    ]
    .concat()
}
