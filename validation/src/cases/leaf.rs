//! The post-buckled leaf between two pins.

use crate::error::Result;
use crate::models::{LEAF_LENGTH, PinnedLeaf, leaf_section, leaf_section_in_space};
use crate::sources::LEAF;
use crate::{Case, Demand, Quantity};
use multibody::group::{Group, Se2, Se3};
use multibody::math;

/// Distance between the pins [m].
pub(super) const CHORD: f64 = 0.407921561;
const THRUST: f64 = 57.9257838;

pub(super) const CASES: &[Case] = &[Case {
    name: "pinned leaf, chord 0.407921561 m",
    source: LEAF,
    quantities: &[
        Quantity {
            name: "thrust, 10 elements",
            unit: "N",
            demand: Demand::Relative {
                reference: &[THRUST],
                allowed: 1e-4,
            },
            reason: "promised for 10 elements",
        },
        Quantity {
            name: "thrust, 10 elements, space",
            unit: "N",
            demand: Demand::Relative {
                reference: &[THRUST],
                allowed: 1e-4,
            },
            reason: "promised for 10 elements",
        },
        Quantity {
            name: "thrust, 5 elements",
            unit: "N",
            demand: Demand::Relative {
                reference: &[THRUST],
                allowed: 2e-3,
            },
            reason: "promised for 5 elements",
        },
        Quantity {
            name: "sag, 10 elements",
            unit: "m",
            demand: Demand::Relative {
                reference: &[0.12849557],
                allowed: 1e-4,
            },
            reason: "as promised for the thrust",
        },
        Quantity {
            name: "end angle, 10 elements",
            unit: "rad",
            demand: Demand::Absolute {
                reference: &[0.87552],
                allowed: 1e-4,
            },
            reason: "as promised for the thrust; the reference has five decimals",
        },
        Quantity {
            name: "observed mesh order, 5/10 and 10/20",
            unit: "",
            demand: Demand::AtLeast(3.5),
            reason: "promised; the element is of fourth order",
        },
    ],
    ours: pinned,
}];

fn pinned() -> Result<Vec<Vec<f64>>> {
    let section = leaf_section()?;
    let mut thrust = Vec::new();
    let mut errors = Vec::new();
    let mut shape = (0.0, 0.0);
    for elements in [5, 10, 20] {
        let leaf = PinnedLeaf::<Se2, 3, 2>::new(Se2::identity(), elements, section)?;
        let state = leaf.buckled(CHORD)?;
        thrust.push(leaf.thrust(&state));
        errors.push((leaf.thrust(&state) / THRUST - 1.0).abs());
        if elements == 10 {
            let middle = leaf.pose_at(&state, 0.5 * LEAF_LENGTH)?;
            let root = leaf.pose_at(&state, 0.0)?;
            shape = (middle.translation()[1].abs(), root.angle().abs());
        }
    }
    let space = PinnedLeaf::<Se3, 6, 3>::new(Se3::identity(), 10, leaf_section_in_space()?)?;
    let in_space = space.thrust(&space.buckled(CHORD)?);
    let orders = errors
        .windows(2)
        .map(|pair| math::log2(pair[0] / pair[1]))
        .collect();
    Ok(vec![
        vec![thrust[1]],
        vec![in_space],
        vec![thrust[0]],
        vec![shape.0],
        vec![shape.1],
        orders,
    ])
}
