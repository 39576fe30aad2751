//! `softdock bench fmu`: the leg driven natively and through its loaded FMU.
//!
//! Both do the same work from the same start: set the inputs, make a step of 1 ms, read the
//! forces. Short runs of the two alternate, and the fastest of each counts. The overhead is judged by
//! processor time, which what else happens on the machine leaves alone; that by the wall's time is
//! shown beside it.

use super::clock::{Clock, Spent, go_on};
use crate::command::{self, ViewArgs};
use crate::legs::own_fmu;
use anyhow::Result;
use leg_core::unit::OutputGroup;
use leg_core::unit_planar::{PLANAR_INPUTS, PLANAR_OUTPUTS, PlanarInput, PlanarOutput};
use leg_core::unit_spatial::{SPATIAL_INPUTS, SPATIAL_OUTPUTS, SpatialOutput};
use leg_core::{LegConfig, PlanarUnit, SpatialLegConfig, SpatialUnit};
use serde::Serialize;
use softdock_figures::{Views, figures};
use softdock_fmi::import::{FmuArchive, FmuInstance, Options};
use softdock_fmu::{COUPLED_SPECTRAL_RADIUS, ModelKind};
use std::process::ExitCode;

/// Arguments of `softdock bench fmu`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Steps of 1 ms of one repetition.
    #[arg(long, default_value_t = 20)]
    steps: usize,
    /// Repetitions, of which the fastest counts.
    #[arg(long, default_value_t = 1000)]
    repetitions: usize,
    #[command(flatten)]
    views: ViewArgs,
}

/// Overhead that is wanted at most.
const WANTED: f64 = 0.05;
const STEP: f64 = 1e-3;

#[derive(Debug, Serialize)]
struct Line {
    model: &'static str,
    /// Processor time.
    native_microseconds_per_step: f64,
    fmu_microseconds_per_step: f64,
    overhead: f64,
    /// The same by the wall's time.
    overhead_by_wall: f64,
    wanted: f64,
    same_bits: bool,
}

figures! {
    /// Cost of the FMUs.
    #[serde(transparent)]
    struct FmuSpeed;
    lines: Vec<Line> as "The models.";
}

impl Views for FmuSpeed {
    const FILE: &'static str = "bench-fmu.json";

    fn title(&self) -> String {
        "The leg driven natively and through its FMU".to_owned()
    }

    fn listing(&self) -> Option<(Vec<&'static str>, Vec<Vec<String>>)> {
        let row = |line: &Line| {
            let met = line.overhead <= WANTED;
            let verdict = if met { "met" } else { "MISSED" };
            let bits = if line.same_bits {
                "same bits"
            } else {
                "OTHER BITS"
            };
            let most = 100.0 * WANTED;
            vec![
                line.model.to_owned(),
                format!("{:.2} µs", line.native_microseconds_per_step),
                format!("{:.2} µs", line.fmu_microseconds_per_step),
                format!("{:.2} %", 100.0 * line.overhead),
                format!("{:.2} %", 100.0 * line.overhead_by_wall),
                format!("(wanted at most {most} %: {verdict}; {bits})"),
            ]
        };
        let header = vec!["model", "native", "FMU", "overhead", "by wall", ""];
        Some((header, self.lines.iter().map(row).collect()))
    }

    fn notes(&self) -> Vec<String> {
        vec!["times per step and verdicts by the processor time of the thread".to_owned()]
    }
}

/// Runs the benchmark.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    command::show(&arguments.views, || {
        let lines = vec![planar(arguments)?, spatial(arguments)?];
        Ok(FmuSpeed { lines }.into())
    })
}

/// The FMU of this program, at its start.
fn load(kind: ModelKind) -> Result<(FmuArchive, FmuInstance)> {
    let archive = own_fmu(kind)?;
    let mut instance = archive.instantiate("leg", &Options::default())?;
    instance.initialize(0.0, None)?;
    Ok((archive, instance))
}

/// Alternates `native` and `loaded`, each of which runs once and gives its last forces.
fn compare(
    arguments: &Arguments,
    model: &'static str,
    mut native: impl FnMut() -> Result<Vec<f64>>,
    mut loaded: impl FnMut() -> Result<Vec<f64>>,
) -> Result<Line> {
    let mut best = [Spent::FOREVER; 2];
    let mut same_bits = true;
    for _ in 0..arguments.repetitions.max(1) {
        go_on()?;
        let clock = Clock::start();
        let ours = native()?;
        best[0] = best[0].min(clock.spent());
        let clock = Clock::start();
        let theirs = loaded()?;
        best[1] = best[1].min(clock.spent());
        same_bits &= ours == theirs;
    }
    let per_step = best.map(|spent| spent.over(arguments.steps));
    Ok(Line {
        model,
        native_microseconds_per_step: 1e6 * per_step[0].processor,
        fmu_microseconds_per_step: 1e6 * per_step[1].processor,
        overhead: per_step[1].processor / per_step[0].processor - 1.0,
        overhead_by_wall: per_step[1].wall / per_step[0].wall - 1.0,
        wanted: WANTED,
        same_bits,
    })
}

/// Runs a loaded FMU from `saved`: inputs, step, outputs.
fn drive(
    instance: &mut FmuInstance,
    steps: usize,
    inputs: &[u32],
    values: &[f64],
    outputs: &[u32],
) -> Result<Vec<f64>> {
    let mut out = vec![0.0; outputs.len()];
    for k in 0..steps {
        instance.set_real(inputs, values)?;
        instance.do_step(k as f64 * STEP, STEP)?;
        instance.get_real(outputs, &mut out)?;
    }
    Ok(out)
}

fn planar(arguments: &Arguments) -> Result<Line> {
    let kind = ModelKind::LegPlanar;
    let (archive, mut instance) = load(kind)?;
    let start = instance.save()?;
    let inputs = archive.references(&["load.force[1]", "load.force[2]"])?;
    let values = [1.0, -1.0];
    let outputs = archive.references(&["motor.torque", "tendon.tension", "leaf.thrust"])?;
    let mut unit = PlanarUnit::new(&LegConfig::default(), &[0.0; PLANAR_INPUTS])?;
    let saved = unit.save();
    let mut out = [0.0; PLANAR_OUTPUTS];
    let range = PlanarOutput::MotorTorque as usize..PlanarOutput::Stations as usize;
    let native = || {
        unit.restore(&saved);
        for _ in 0..arguments.steps {
            unit.inputs_mut()[PlanarInput::LoadForceX as usize].value = values[0];
            unit.inputs_mut()[PlanarInput::LoadForceY as usize].value = values[1];
            unit.advance_by(STEP)?;
            unit.evaluate(OutputGroup::Force, &mut out[range.clone()])?;
        }
        Ok(vec![
            out[PlanarOutput::MotorTorque as usize],
            out[PlanarOutput::TendonTension as usize],
            out[PlanarOutput::Thrust as usize],
        ])
    };
    let loaded = || {
        instance.restore(start)?;
        drive(&mut instance, arguments.steps, &inputs, &values, &outputs)
    };
    compare(arguments, kind.name(), native, loaded)
}

fn spatial(arguments: &Arguments) -> Result<Line> {
    let kind = ModelKind::LegSpatial;
    let (archive, mut instance) = load(kind)?;
    let start = instance.save()?;
    let names = ["tip.position[1]", "tip.position[2]", "tip.position[3]"];
    let inputs = archive.references(&names)?;
    let mut config = SpatialLegConfig::default();
    config.solver.spectral_radius = COUPLED_SPECTRAL_RADIUS;
    let values = config.tip_position_m;
    let outputs = archive.references(&["tip.force[1]", "tip.force[2]", "tip.force[3]"])?;
    let mut starts = [0.0; SPATIAL_INPUTS];
    starts[..3].copy_from_slice(&values);
    let mut unit = SpatialUnit::new(&config, true, &starts)?;
    let saved = unit.save();
    let mut out = [0.0; SPATIAL_OUTPUTS];
    let range = SpatialOutput::TipForce as usize..SpatialOutput::MidPoint as usize;
    let native = || {
        unit.restore(&saved);
        for _ in 0..arguments.steps {
            for (input, value) in unit.inputs_mut().iter_mut().zip(values) {
                input.value = value;
            }
            unit.advance_by(STEP)?;
            unit.evaluate(OutputGroup::Force, &mut out[range.clone()])?;
        }
        let first = SpatialOutput::TipForce as usize;
        Ok(out[first..first + 3].to_vec())
    };
    let loaded = || {
        instance.restore(start)?;
        drive(&mut instance, arguments.steps, &inputs, &values, &outputs)
    };
    compare(arguments, kind.name(), native, loaded)
}
