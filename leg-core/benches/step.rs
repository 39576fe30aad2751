//! Cost of one time step of the released leg against the number of elements, plane and space.
//!
//! Each iteration restores the same state and takes one step of 1 ms, so the number of Newton
//! iterations is the same throughout. Eighty elements should cost at most ten times as much as
//! ten: the factorisation is linear in the elements, the fixed parts are shared.

#![allow(missing_docs)] // criterion's macros make public items

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use leg_core::planar::{CHANNELS, LinkDrive, PlanarLeg};
use leg_core::spatial::{SPATIAL_CHANNELS, SpatialChannel, SpatialLeg, TipDrive};
use leg_core::{LegConfig, SpatialLegConfig, pretension, pretension_spatial};
use multibody::dynamics::{StepSettings, initialize, step};
use multibody::group::Group;
use multibody::model::{Held, Inputs, Model};
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::Vector3;

const ELEMENTS: [usize; 5] = [5, 10, 20, 40, 80];
const STEP: f64 = 1e-3;
/// Steps taken before measuring, so that the leg is on its way.
const RUN_UP: usize = 100;

fn measure<G: Group<N, D>, const N: usize, const D: usize>(
    criterion: &mut Criterion,
    name: &str,
    elements: usize,
    model: &Model<G, N, D>,
    poses: &[G],
    drive: &Held,
) {
    let settings = StepSettings::default();
    let mut state = State::new(model);
    state.poses.copy_from_slice(poses);
    let mut workspace = Workspace::new(model);
    initialize(model, &mut state, &mut workspace, drive).expect("the bowed leg is consistent");
    for _ in 0..RUN_UP {
        step(model, &mut state, &mut workspace, drive, STEP, &settings).expect("it steps");
    }
    let start = state.clone();
    criterion
        .benchmark_group(name)
        .bench_function(BenchmarkId::from_parameter(elements), |b| {
            b.iter(|| {
                state.copy_from(&start);
                step(model, &mut state, &mut workspace, drive, STEP, &settings)
            });
        });
}

fn planar(criterion: &mut Criterion) {
    for elements in ELEMENTS {
        let mut config = LegConfig::default();
        config.solver.elements = elements;
        let bowed = pretension(&config).expect("the default leg bows");
        let rest = bowed.report.rest_length_m;
        let leg = PlanarLeg::new(&config, LinkDrive::Free, LinkDrive::Free, 0.0, rest)
            .expect("the default leg is valid");
        let drive = Held(Inputs::zeros(CHANNELS));
        measure(
            criterion,
            "planar step",
            elements,
            &leg.model,
            &bowed.state.poses,
            &drive,
        );
    }
}

fn spatial(criterion: &mut Criterion) {
    for elements in ELEMENTS {
        let mut config = SpatialLegConfig::default();
        config.solver.elements = elements;
        let bowed = pretension_spatial(&config).expect("the default leg bows");
        let tip = Vector3::from(config.tip_position_m);
        let leg = SpatialLeg::new(
            &config,
            LinkDrive::Free,
            TipDrive::Prescribed,
            0.0,
            tip,
            bowed.rest_length_m,
        )
        .expect("the default leg is valid");
        let mut inputs = Inputs::zeros(SPATIAL_CHANNELS);
        let first = SpatialChannel::TipPosition as usize;
        inputs.value[first..first + 3].copy_from_slice(&config.tip_position_m);
        let drive = Held(inputs);
        measure(
            criterion,
            "spatial step",
            elements,
            &leg.model,
            &bowed.state.poses,
            &drive,
        );
    }
}

criterion_group!(benches, planar, spatial);
criterion_main!(benches);
