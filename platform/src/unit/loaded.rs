//! A leg inside an FMU as a unit of co-simulation: any `LegSpatial.fmu` of this project.

use super::{
    Abilities, AllUnits, BaseDerivatives, Command, ForceSeries, LegEnergy, LegShape, LegUnit,
    LegView, STAND_ON_MOVING_BASE, TipDerivatives, UnitError, UnitInputs, UnitResult, UnitStart,
    unit_starts,
};
use crate::error::{PlatformError, Result};
use crate::statics::StaticPlatform;
use leg_core::SpatialLegConfig;
use leg_core::series::ORDERS;
use leg_core::spatial::Foundation;
use leg_core::unit_spatial::SpatialInput;
use multibody::group::{Group, Se3};
use multibody::math;
use multibody::results::soundness::LeafStrain;
use nalgebra::{Matrix3, SMatrix, SVector, Vector3, Vector6};
use softdock_fmi::import::{FmuArchive, FmuInstance, ImportError, Options, SavedState};
use softdock_fmi::variables::Value;

/// Value references of what is read and set in every step.
#[derive(Debug, Clone)]
struct References {
    inputs: Vec<u32>,
    torque: u32,
    angle: u32,
    force: Vec<u32>,
    /// Orders of the series of the force, one after the other; an FMU may have none.
    series: Option<Vec<u32>>,
    view: Vec<u32>,
    energy: Vec<u32>,
    /// Largest strains of the leaf; an FMU may have none.
    strain: Option<Vec<u32>>,
    middle: Vec<u32>,
    /// What a leg on a base that moves has besides; an FMU may have none.
    base: Option<BaseReferences>,
}

/// Value references of a leg on a base that moves.
#[derive(Debug, Clone)]
struct BaseReferences {
    moves: u32,
    place: Vec<u32>,
    rate: Vec<u32>,
    wrench: Vec<u32>,
}

/// Outputs of a [`LegView`], the tip's force first.
const VIEW: [(&str, usize); 6] = [
    ("tip.force", 3),
    ("tendon.tension", 1),
    ("tendon.length", 1),
    ("motor.angle", 1),
    ("motor.rate", 1),
    ("motor.torque", 1),
];
const VIEWED: usize = 8;

/// Outputs of a [`ForceSeries`], order by order.
const SERIES: [(&str, usize); ORDERS] = [
    ("tip.force_mean", 3),
    ("tip.force_linear", 3),
    ("tip.force_quadratic", 3),
    ("tip.force_cubic", 3),
];
/// What an FMU without them cannot do.
const TELL_SERIES: &str = "tell how the force of its tip went over a step";

/// Outputs of a [`LegEnergy`], in its order.
const ENERGY: [(&str, usize); 6] = [
    ("energy.kinetic", 1),
    ("energy.strain", 1),
    ("energy.tendon", 1),
    ("energy.gravity", 1),
    ("energy.work_in", 1),
    ("energy.dissipated", 1),
];

/// Variables of a [`LeafStrain`], in its order.
const STRAIN: [(&str, usize); 2] = [
    ("leaf.largest_axial_strain", 1),
    ("leaf.largest_surface_strain", 1),
];

/// Points drawn along a leaf of which only ends and middle are known.
const DRAWN: usize = 11;

fn names(name: &str, count: usize) -> Vec<String> {
    if count == 1 {
        vec![name.to_owned()]
    } else {
        (1..=count).map(|i| format!("{name}[{i}]")).collect()
    }
}

impl References {
    fn find(archive: &FmuArchive) -> core::result::Result<Self, ImportError> {
        let find = |name: &str, count: usize| archive.references(&names(name, count));
        let mut inputs = find("tip.position", 3)?;
        inputs.extend(find("tip.velocity", 3)?);
        let torque = archive.reference("motor.torque_command")?;
        let angle = archive.reference("motor.angle_command")?;
        inputs.extend([torque, angle]);
        let all = |list: &[(&str, usize)]| {
            let each = list.iter().map(|(name, count)| find(name, *count));
            let lists: core::result::Result<Vec<_>, _> = each.collect();
            lists.map(|lists| lists.concat())
        };
        Ok(Self {
            inputs,
            torque,
            angle,
            force: find("tip.force", 3)?,
            series: all(&SERIES).ok(),
            view: all(&VIEW)?,
            energy: all(&ENERGY)?,
            strain: all(&STRAIN).ok(),
            middle: find("leaf.middle", 3)?,
            base: BaseReferences::find(archive).ok(),
        })
    }
}

impl BaseReferences {
    fn find(archive: &FmuArchive) -> core::result::Result<Self, ImportError> {
        let both = |first: &str, second: &str| {
            let mut out = archive.references(&names(first, 3))?;
            out.extend(archive.references(&names(second, 3))?);
            Ok::<_, ImportError>(out)
        };
        Ok(Self {
            moves: archive.reference("base.moves")?,
            place: both("base.position", "base.rotation")?,
            rate: both("base.velocity", "base.rotation_rate")?,
            wrench: both("base.force", "base.moment")?,
        })
    }
}

/// A leg inside an FMU.
#[derive(Debug)]
pub struct LoadedFmu {
    instance: FmuInstance,
    references: References,
    abilities: Abilities,
    /// Whether it follows derivatives of its inputs within a step.
    interpolates: bool,
    saved: Option<SavedState>,
    config: SpatialLegConfig,
    /// Where the tip was last told to be [m].
    tip: Vector3<f64>,
    /// Where the base was last told to be.
    base: Se3,
}

fn failed(error: ImportError) -> UnitError {
    UnitError::failed(error)
}

impl LoadedFmu {
    /// An instance of `archive` at rest where it starts from.
    pub fn new(archive: &FmuArchive, name: &str, start: &UnitStart) -> UnitResult<Self> {
        let references = References::find(archive).map_err(UnitError::refused)?;
        let described = archive.description().co_simulation.as_ref();
        let abilities = Abilities {
            rollback: described.is_some_and(|it| it.can_get_and_set_fmu_state),
            derivatives: described.is_some_and(|it| it.provides_directional_derivative),
            series: references.series.is_some(),
            moving_base: start.foundation == Foundation::Moving,
        };
        let mut instance = archive
            .instantiate(name, &Options::default())
            .map_err(UnitError::refused)?;
        set_parameters(archive, &mut instance, &start.config)?;
        if abilities.moving_base {
            let base = references.base.as_ref().ok_or(UnitError::Unable {
                ability: STAND_ON_MOVING_BASE,
            })?;
            instance
                .set_boolean(&[base.moves], &[true])
                .map_err(UnitError::refused)?;
        }
        let inputs = &references.inputs;
        instance
            // Winches are not told: nothing pulls in co-simulation.
            .set_real(inputs, &start.inputs[..inputs.len()])
            .map_err(UnitError::refused)?;
        instance.initialize(0.0, None).map_err(UnitError::refused)?;
        Ok(Self {
            instance,
            references,
            abilities,
            interpolates: described.is_some_and(|it| it.can_interpolate_inputs),
            saved: None,
            tip: start.tip(),
            base: Se3::identity(),
            config: start.config.clone(),
        })
    }

    /// Instances for all legs, one archive each or one for all.
    pub fn all(archives: &[FmuArchive], equilibrium: &StaticPlatform) -> Result<AllUnits> {
        let starts = unit_starts(equilibrium)?;
        if archives.len() != 1 && archives.len() != starts.len() {
            return Err(PlatformError::WrongUnits {
                found: archives.len(),
                wanted: starts.len(),
            });
        }
        let unit = |(i, start): (usize, &UnitStart)| {
            let archive = &archives[i % archives.len()];
            let unit = Self::new(archive, &format!("leg {}", i + 1), start);
            let unit = unit.map_err(PlatformError::in_unit(i))?;
            Ok(Box::new(unit) as Box<dyn LegUnit>)
        };
        let units = starts.iter().enumerate().map(unit).collect::<Result<_>>()?;
        Ok((starts, units))
    }

    fn set_command(&mut self, reference: u32, command: &Command) -> UnitResult<()> {
        let Some(derivatives) = command.derivatives else {
            return Ok(());
        };
        self.instance
            .set_input_derivatives(&[reference; 3], &[1, 2, 3], &derivatives)
            .map_err(failed)
    }
}

impl LegUnit for LoadedFmu {
    fn abilities(&self) -> Abilities {
        self.abilities
    }

    fn step(&mut self, start: f64, length: f64, inputs: &UnitInputs) -> UnitResult<()> {
        let (x, v) = (&inputs.tip_position, &inputs.tip_velocity);
        self.tip = *x;
        let (mut torque, angle) = (inputs.motor_torque, inputs.motor_angle);
        if !self.interpolates {
            // A force that is held at its mean has the same impulse; an angle cannot be held.
            torque = Command::constant(torque.mean(length));
        }
        let values = [x.x, x.y, x.z, v.x, v.y, v.z, torque.value, angle.value];
        let references = &self.references;
        self.instance
            .set_real(&references.inputs, &values)
            .map_err(failed)?;
        if let Some(base) = &inputs.base {
            let known = references.base.as_ref().ok_or(UnitError::Unable {
                ability: STAND_ON_MOVING_BASE,
            })?;
            for (references, values) in [(&known.place, &base.place), (&known.rate, &base.rate)] {
                self.instance
                    .set_real(references, values.as_slice())
                    .map_err(failed)?;
            }
            let mut turn = base.place;
            turn.fixed_rows_mut::<3>(0).fill(0.0);
            let place = base.place.fixed_rows::<3>(0).into();
            self.base = Se3::from_parts(place, Se3::exp(&turn).rotation());
        }
        let (torque_reference, angle_reference) = (references.torque, references.angle);
        self.set_command(torque_reference, &torque)?;
        self.set_command(angle_reference, &angle)?;
        // Only a leg whose state somebody has saved may be taken back.
        let done = match self.saved {
            Some(_) => self.instance.do_step(start, length),
            None => self.instance.do_final_step(start, length),
        };
        match done {
            Ok(()) => Ok(()),
            Err(error @ ImportError::Discarded { .. }) => {
                Err(UnitError::discarded(start, length, error))
            }
            Err(error) => Err(failed(error)),
        }
    }

    fn tip_force(&mut self) -> UnitResult<Vector3<f64>> {
        let mut out = [0.0; 3];
        let force = &self.references.force;
        self.instance
            .get_finite_real(force, &mut out)
            .map_err(failed)?;
        Ok(out.into())
    }

    fn derivatives(&mut self) -> UnitResult<TipDerivatives> {
        let mut out = [TipDerivatives::default()];
        let force = &self.references.force;
        by_motion_of_tip(&mut self.instance, &self.references.inputs, force, &mut out)?;
        Ok(out[0])
    }

    fn force_series(&mut self) -> UnitResult<ForceSeries> {
        let series = self.references.series.as_ref();
        let series = series.ok_or(UnitError::Unable {
            ability: TELL_SERIES,
        })?;
        let mut out = [[0.0; 3]; ORDERS];
        self.instance
            .get_finite_real(series, out.as_flattened_mut())
            .map_err(failed)?;
        Ok(out.map(Vector3::from))
    }

    fn series_derivatives(&mut self) -> UnitResult<[TipDerivatives; ORDERS]> {
        let series = self.references.series.as_ref();
        let series = series.ok_or(UnitError::Unable {
            ability: TELL_SERIES,
        })?;
        let mut out = [TipDerivatives::default(); ORDERS];
        by_motion_of_tip(
            &mut self.instance,
            &self.references.inputs,
            series,
            &mut out,
        )?;
        Ok(out)
    }

    fn base_wrench(&mut self) -> UnitResult<Vector6<f64>> {
        let known = self.references.base.as_ref();
        let ability = STAND_ON_MOVING_BASE;
        let known = known.ok_or(UnitError::Unable { ability })?;
        let mut out = Vector6::zeros();
        self.instance
            .get_finite_real(&known.wrench, out.as_mut_slice())
            .map_err(failed)?;
        Ok(out)
    }

    fn base_derivatives(&mut self) -> UnitResult<BaseDerivatives> {
        let Self {
            instance,
            references,
            ..
        } = self;
        let ability = STAND_ON_MOVING_BASE;
        let base = (references.base.as_ref()).ok_or(UnitError::Unable { ability })?;
        let (position, velocity) = (&references.inputs[..3], &references.inputs[3..6]);
        let (force, wrench) = (&references.force, &base.wrench);
        Ok(BaseDerivatives {
            tip_by_base: [
                block(instance, force, &base.place)?,
                block(instance, force, &base.rate)?,
            ],
            by_tip: [
                block(instance, wrench, position)?,
                block(instance, wrench, velocity)?,
            ],
            by_base: [
                block(instance, wrench, &base.place)?,
                block(instance, wrench, &base.rate)?,
            ],
        })
    }

    fn view(&mut self) -> UnitResult<LegView> {
        let mut values = [0.0; VIEWED];
        let view = &self.references.view;
        self.instance
            .get_finite_real(view, &mut values)
            .map_err(failed)?;
        let [fx, fy, fz, tension, length, angle, rate, torque] = values;
        Ok(LegView {
            tip_force: Vector3::new(fx, fy, fz),
            tendon_tension: tension,
            tendon_length: length,
            motor_angle: angle,
            motor_rate: rate,
            motor_torque: torque,
        })
    }

    fn energy(&mut self) -> UnitResult<LegEnergy> {
        let mut values = [0.0; ENERGY.len()];
        let energy = &self.references.energy;
        self.instance
            .get_finite_real(energy, &mut values)
            .map_err(failed)?;
        let [kinetic, strain, tendon, gravity, work_in, dissipated] = values;
        Ok(LegEnergy {
            kinetic,
            strain,
            tendon,
            gravity,
            work_in,
            dissipated,
        })
    }

    fn leaf_strain(&mut self) -> UnitResult<Option<LeafStrain>> {
        let Some(strain) = &self.references.strain else {
            return Ok(None);
        };
        let mut values = [0.0; STRAIN.len()];
        self.instance
            .get_real(strain, &mut values)
            .map_err(failed)?;
        let [axial, surface] = values;
        Ok(Some(LeafStrain { axial, surface }))
    }

    /// The leaf as a half wave through its ends and its middle, all that the FMU tells.
    fn shape(&mut self) -> UnitResult<LegShape> {
        let mut middle = [0.0; 3];
        let references = &self.references.middle;
        self.instance
            .get_finite_real(references, &mut middle)
            .map_err(failed)?;
        let angle = self.view()?.motor_angle;
        let crank = self.config.crank_pose(angle).map_err(UnitError::failed)?;
        let crank = self.base.compose(&crank);
        let arm = Vector3::new(self.config.crank.length_m, 0.0, 0.0);
        let root = crank.translation() + crank.rotation() * arm;
        Ok(LegShape {
            crank,
            leaf: half_wave(&root, &middle.into(), &self.tip),
        })
    }

    fn save(&mut self) -> UnitResult<()> {
        match self.saved {
            Some(saved) => self.instance.save_over(saved).map_err(failed),
            None => {
                self.saved = Some(self.instance.save().map_err(failed)?);
                Ok(())
            }
        }
    }

    fn restore(&mut self) -> UnitResult<()> {
        let ability = "go back to a state that was not saved";
        let saved = self.saved.ok_or(UnitError::Unable { ability })?;
        self.instance.restore(saved).map_err(failed)
    }
}

/// Derivatives of forces by the motion of the tip, three components of each after the other.
fn by_motion_of_tip(
    instance: &mut FmuInstance,
    inputs: &[u32],
    forces: &[u32],
    out: &mut [TipDerivatives],
) -> UnitResult<()> {
    let mut changes = [[0.0; 3]; ORDERS];
    let changes = &mut changes[..out.len()];
    for input in [SpatialInput::TipPosition, SpatialInput::TipVelocity] {
        for column in 0..3 {
            let known = [inputs[input as usize + column]];
            instance
                .directional_derivative(forces, &known, &[1.0], changes.as_flattened_mut())
                .map_err(failed)?;
            for (out, changes) in out.iter_mut().zip(&*changes) {
                let matrix = match input {
                    SpatialInput::TipPosition => &mut out.by_position,
                    _ => &mut out.by_velocity,
                };
                matrix.set_column(column, &Vector3::from(*changes));
            }
        }
    }
    Ok(())
}

/// Derivatives of some outputs by some inputs.
fn block<const R: usize, const C: usize>(
    instance: &mut FmuInstance,
    outputs: &[u32],
    inputs: &[u32],
) -> UnitResult<SMatrix<f64, R, C>> {
    let mut out = SMatrix::<f64, R, C>::zeros();
    for (column, input) in inputs.iter().enumerate() {
        let mut changes = SVector::<f64, R>::zeros();
        instance
            .directional_derivative(outputs, &[*input], &[1.0], changes.as_mut_slice())
            .map_err(failed)?;
        out.set_column(column, &changes);
    }
    Ok(out)
}

/// Frames along a half wave from `a` through `middle` to `b`.
fn half_wave(a: &Vector3<f64>, middle: &Vector3<f64>, b: &Vector3<f64>) -> Vec<Se3> {
    let chord = b - a;
    let bow = middle - (a + b) * 0.5;
    let across = chord.cross(&bow).try_normalize(f64::MIN_POSITIVE);
    let across = across.unwrap_or_else(Vector3::y);
    let frame = |i: usize| {
        let s = i as f64 / (DRAWN - 1) as f64;
        let (sine, cosine) = math::sin_cos(core::f64::consts::PI * s);
        let along = (chord + bow * (core::f64::consts::PI * cosine)).normalize();
        let rotation = Matrix3::from_columns(&[along, across.cross(&along), across]);
        Se3::from_parts(a + chord * s + bow * sine, rotation)
    };
    (0..DRAWN).map(frame).collect()
}

/// Gives an instance the parameters of a leg.
fn set_parameters(
    archive: &FmuArchive,
    instance: &mut FmuInstance,
    config: &SpatialLegConfig,
) -> UnitResult<()> {
    for (name, value) in softdock_leg_models::spatial_parameters(config) {
        let reference = [archive.reference(&name).map_err(UnitError::refused)?];
        let done = match value {
            Value::Real(value) => instance.set_real(&reference, &[value]),
            Value::Integer(value) => instance.set_integer(&reference, &[value]),
            Value::Boolean(value) => instance.set_boolean(&reference, &[value]),
        };
        done.map_err(UnitError::refused)?;
    }
    Ok(())
}
