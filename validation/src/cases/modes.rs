//! Natural frequencies of the thesis' two cantilevers.

use super::statics::aluminium_spec;
use crate::error::Result;
use crate::models::Cantilever;
use crate::sources::TIMOSHENKO;
use crate::{Case, Demand, Quantity};
use multibody::group::{Group, Se2, Se3};
use multibody::modal;
use multibody::model::{BeamSpec, Material, Section};
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::SVector;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "modes of the aluminium cantilever",
        source: TIMOSHENKO,
        quantities: &[
            Quantity {
                name: "bending 1 to 3, 20 elements",
                demand: Demand::Relative {
                    reference: &[186.0968, 1160.0287, 3220.6711],
                    allowed: 1e-3,
                },
                ..FREQUENCIES
            },
            Quantity {
                name: "bending 4 and stretching 1, 20 elements",
                demand: Demand::Relative {
                    reference: &[6235.4317, 8647.9087],
                    allowed: 1e-3,
                },
                ..FREQUENCIES
            },
        ],
        ours: aluminium,
    },
    Case {
        name: "modes of the steel cantilever",
        source: TIMOSHENKO,
        quantities: &[
            Quantity {
                name: "bending 1 to 3, 20 elements, plane",
                demand: Demand::Relative {
                    reference: &[50.96343, 317.39681, 880.00164],
                    allowed: 1e-3,
                },
                ..FREQUENCIES
            },
            Quantity {
                name: "bending 1 to 3 both ways, 20 elements, space",
                demand: Demand::Relative {
                    reference: &[
                        50.96343, 50.96343, 317.39681, 317.39681, 880.00164, 880.00164,
                    ],
                    allowed: 1e-3,
                },
                ..FREQUENCIES
            },
        ],
        ours: steel,
    },
];

const FREQUENCIES: Quantity = Quantity {
    name: "",
    unit: "Hz",
    demand: Demand::AtMost(0.0),
    reason: "promised for the first three modes",
};

/// The lowest natural frequencies of an unloaded cantilever [Hz].
pub(super) fn frequencies<G: Group<N, D>, const N: usize, const D: usize>(
    root: G,
    spec: &BeamSpec<N, D>,
    count: usize,
) -> Result<Vec<f64>> {
    let beam = Cantilever::new(root, spec, SVector::zeros())?;
    let mut workspace = Workspace::new(&beam.model);
    let state = State::new(&beam.model);
    Ok(modal::modes(&beam.model, &state, &mut workspace, count)?.frequencies())
}

fn aluminium() -> Result<Vec<Vec<f64>>> {
    let all = frequencies(Se2::identity(), &aluminium_spec(20)?, 5)?;
    Ok(vec![all[..3].to_vec(), all[3..].to_vec()])
}

fn steel() -> Result<Vec<Vec<f64>>> {
    let material = Material::from_poisson(480e9, 1e-6, 7700.0, 5.0 / 6.0);
    let plane = Section::<3, 2>::rectangle(&material, 0.04, 0.04)?;
    let space = Section::<6, 3>::rectangle(&material, 0.04, 0.04)?;
    Ok(vec![
        frequencies(Se2::identity(), &BeamSpec::straight(1.0, 20, plane), 3)?,
        frequencies(Se3::identity(), &BeamSpec::straight(1.0, 20, space), 6)?,
    ])
}
