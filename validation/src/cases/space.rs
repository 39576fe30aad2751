//! Static equilibria in space: bending, shear and torsion together.

use crate::error::Result;
use crate::models::{Cantilever, massless};
use crate::sources::{BEND, GERADIN, PRINCETON};
use crate::{Case, Demand, Quantity};
use core::f64::consts::FRAC_PI_4;
use multibody::group::{Group, Se3};
use multibody::math;
use multibody::model::{BeamSpec, Material, Section};
use nalgebra::Vector3;

type Beam = Cantilever<Se3, 6, 3>;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "45° bend, 8 elements",
        source: BEND,
        quantities: &[
            bend_tip("tip, P = 300", &[58.60, 22.14, 40.36]),
            bend_tip("tip, P = 450", &[52.05, 18.40, 48.57]),
            bend_tip("tip, P = 600", &[46.98, 15.59, 53.46]),
            Quantity {
                name: "tip, P = 600, 32 elements",
                ..bend_tip("", &[46.90, 15.56, 53.60])
            },
        ],
        ours: bend,
    },
    Case {
        name: "Princeton beam, 13.345 N",
        source: PRINCETON,
        quantities: &[
            princeton_tip("tip y, z at 0°", &[0.0160642, 0.0]),
            princeton_tip("tip y, z at 15°", &[0.0164583, 0.0643581]),
            princeton_tip("tip y, z at 30°", &[0.0166587, 0.1177360]),
            princeton_tip("tip y, z at 45°", &[0.0151862, 0.1564672]),
            princeton_tip("tip y, z at 60°", &[0.0115784, 0.1818616]),
            princeton_tip("tip y, z at 75°", &[0.0062490, 0.1960971]),
            princeton_tip("tip y, z at 90°", &[0.0, 0.2006777]),
        ],
        ours: princeton,
    },
    Case {
        name: "Géradin's cantilever, 600 kN",
        source: GERADIN,
        quantities: &[
            Quantity {
                name: "tip: transverse, shortening, rotation",
                unit: "m, m, rad",
                demand: Demand::Absolute {
                    reference: &[-2.159, 0.596, -0.6720],
                    allowed: 1e-3,
                },
                reason: "one unit of the last printed decimal: the publication cuts digits off, as \
                         the next line shows",
            },
            Quantity {
                name: "the same, boundary-value problem",
                unit: "m, m, rad",
                demand: Demand::Absolute {
                    reference: &[-2.15969389, 0.59647127, -0.67200606],
                    allowed: 1e-5,
                },
                reason: "Reissner's equations with these stiffnesses by shooting (4000 steps of \
                         Runge-Kutta 4), eight decimals; the mesh error of 20 elements is 1e-6",
            },
        ],
        ours: geradin,
    },
];

const fn bend_tip(name: &'static str, reference: &'static [f64; 3]) -> Quantity {
    Quantity {
        name,
        unit: "in",
        demand: Demand::Relative {
            reference,
            allowed: 0.01,
        },
        reason: "promised; published solutions of eight elements differ by as much",
    }
}

/// A quarter-right-angle arc of radius 100 in the plane of e1 and e2, pushed along e3.
fn bend() -> Result<Vec<Vec<f64>>> {
    let (e, g) = (1e7, 0.5e7);
    let shear = 5.0 / 6.0 * g;
    let section = massless([e, shear, shear, g * 0.141, e / 12.0, e / 12.0]);
    let tip = |elements: usize, load: f64| -> Result<Vec<f64>> {
        let mut spec = BeamSpec::straight(100.0 * FRAC_PI_4, elements, section);
        spec.curvature = [0.0, 0.0, 0.01];
        let beam = Beam::new(Se3::identity(), &spec, Vector3::zeros())?;
        let state = beam.loaded(&Beam::load(Vector3::new(0.0, 0.0, load), 0.0))?;
        Ok(state.pose(beam.tip).translation().as_slice().to_vec())
    };
    Ok(vec![
        tip(8, 300.0)?,
        tip(8, 450.0)?,
        tip(8, 600.0)?,
        tip(32, 600.0)?,
    ])
}

const fn princeton_tip(name: &'static str, reference: &'static [f64; 2]) -> Quantity {
    Quantity {
        name,
        unit: "m",
        demand: Demand::Relative {
            reference,
            allowed: 0.015,
        },
        reason: "10 elements; promised. With 3.4 % more torsional stiffness than Saint-Venant's, \
                 which a coarse section mesh gives, all seven angles agree within 0.3 %",
    }
}

/// The high side of the section is along y, the thin one along z; the load turns from y to z.
fn princeton() -> Result<Vec<Vec<f64>>> {
    let material = Material::from_poisson(71.7e9, 0.31, 0.0, 5.0 / 6.0);
    let section = Section::<6, 3>::rectangle(&material, 12.3777e-3, 3.2024e-3)?;
    let spec = BeamSpec::straight(0.508, 10, section);
    let beam = Beam::new(Se3::identity(), &spec, Vector3::zeros())?;
    (0..=6)
        .map(|i| {
            let (sin, cos) = math::sin_cos((15.0 * f64::from(i)).to_radians());
            let load = Vector3::new(0.0, cos, sin) * 13.345;
            let state = beam.loaded(&Beam::load(load, 0.0))?;
            let tip = state.pose(beam.tip).translation();
            Ok(vec![tip[1], tip[2]])
        })
        .collect()
}

fn geradin() -> Result<Vec<Vec<f64>>> {
    let (ea, ga, gj, ei) = (4.8e8, 3.231e8, 1e6, 9.346e6);
    let spec = BeamSpec::straight(5.0, 20, massless([ea, ga, ga, gj, ei, ei]));
    let beam = Beam::new(Se3::identity(), &spec, Vector3::zeros())?;
    let state = beam.loaded(&Beam::load(Vector3::new(0.0, -600e3, 0.0), 0.0))?;
    let tip = state.pose(beam.tip);
    let place = tip.translation();
    let turn = tip.rotation();
    let rotation = math::atan2(turn[(1, 0)], turn[(0, 0)]);
    let ours = vec![place[1], 5.0 - place[0], rotation];
    Ok(vec![ours.clone(), ours])
}
