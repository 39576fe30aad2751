//! The native leg as a unit of co-simulation, and where units start from.

use super::{
    Abilities, AllUnits, Command, ForceSeries, LegEnergy, LegShape, LegUnit, LegView,
    TipDerivatives, UnitError, UnitInputs, UnitResult,
};
use crate::error::{PlatformError, Result};
use crate::native::torque_history;
use crate::statics::StaticPlatform;
use leg_core::series::{ORDERS, Series};
use leg_core::spatial::{SpatialLeg, SpatialState};
use leg_core::unit::Input;
use leg_core::unit_spatial::{
    SPATIAL_INPUTS, SavedSpatial, SpatialInput, SpatialOutput, SpatialUnit,
};
use leg_core::{LegError, SpatialLegConfig};
use multibody::group::Group;
use multibody::model::Signal;
use multibody::results;
use multibody::results::energy::energies;
use multibody::results::soundness::LeafStrain;
use nalgebra::{Matrix3, Vector3};

/// What a unit of one leg is made from, native or loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitStart {
    /// The leg. Its crank starts where its pre-tensioned posture has it.
    pub config: SpatialLegConfig,
    /// Inputs at the start, in the order of [`SpatialInput`]; the tip may start elsewhere than in the
    /// pre-tensioned posture, from which stops are counted.
    pub inputs: [f64; SPATIAL_INPUTS],
    /// Torque on the crank over time [N·m].
    pub motor_torque: Signal,
    /// Target of the crank's angle over time, from where it starts [rad].
    pub motor_angle: Signal,
}

impl UnitStart {
    /// Where the tip starts [m].
    pub fn tip(&self) -> Vector3<f64> {
        Vector3::from_column_slice(&self.inputs[..3])
    }
}

/// Where the units of all legs start from if the platform rests in `equilibrium`.
pub fn unit_starts(equilibrium: &StaticPlatform) -> Result<Vec<UnitStart>> {
    if equilibrium.config().base.free_floating {
        return Err(PlatformError::FloatingBase);
    }
    equilibrium.require_leaves("legs that solve their own steps (co-simulation)")?;
    let torques = equilibrium.holding_torques();
    let start = |(i, (leg, state, rest_length)): (usize, (&SpatialLeg, &SpatialState, _))| {
        let tip: Vector3<f64> = state.pose(leg.node_b).translation();
        let (nominal, motor) = (&leg.config, equilibrium.motors()[i]);
        let mut config = nominal.clone();
        let turned = motor != nominal.q1_rad;
        let sagged = (tip - Vector3::from(nominal.tip_position_m)).amax() > SAME_PLACE;
        let place = if turned || sagged {
            tip.into()
        } else {
            nominal.tip_position_m
        };
        // A crank cannot start beside the posture of its leg, so its leg gets another posture; stops
        // stay where they are.
        if turned {
            config.motor_middle_rad = Some(nominal.motor_middle());
            config.stroke_middle_m = nominal.stroke_middle().ok();
            config.q1_rad = motor;
            config.tip_position_m = place;
            config.tendon.rest_length_m = rest_length;
        }
        let command = nominal.motor.torque_nm.signal();
        let motor_torque = torque_history(nominal.motor.mode, command, torques[i]);
        let motor_angle = nominal.motor.angle_rad.signal();
        let mut inputs = [0.0; SPATIAL_INPUTS];
        inputs[..3].copy_from_slice(&place);
        inputs[SpatialInput::MotorTorque as usize] = motor_torque.sample(0.0).0;
        inputs[SpatialInput::MotorAngle as usize] = motor_angle.sample(0.0).0;
        UnitStart {
            config: *config,
            inputs,
            motor_torque,
            motor_angle,
        }
    };
    Ok(equilibrium.legs().enumerate().map(start).collect())
}

/// A tip this near to its nominal place is there [m].
const SAME_PLACE: f64 = 1e-13;

/// A native leg as a unit.
#[derive(Debug, Clone)]
pub struct NativeUnit {
    unit: SpatialUnit,
    saved: SavedSpatial,
}

impl NativeUnit {
    /// The leg at rest where it starts from.
    pub fn new(start: &UnitStart) -> core::result::Result<Self, LegError> {
        let unit = SpatialUnit::new(&start.config, true, &start.inputs)?;
        let saved = unit.save();
        Ok(Self { unit, saved })
    }

    /// Native units of all legs.
    pub fn all(equilibrium: &StaticPlatform) -> Result<AllUnits> {
        let starts = unit_starts(equilibrium)?;
        let unit = |(i, start): (usize, &UnitStart)| {
            let unit = Self::new(start).map_err(PlatformError::in_leg(i))?;
            Ok(Box::new(unit) as Box<dyn LegUnit>)
        };
        let units = starts.iter().enumerate().map(unit).collect::<Result<_>>()?;
        Ok((starts, units))
    }
}

impl NativeUnit {
    /// Derivatives of three outputs, the first of which is `first`.
    fn by_motion_of_tip(&mut self, first: usize) -> UnitResult<TipDerivatives> {
        let mut out = TipDerivatives::default();
        let parts: [(SpatialInput, &mut Matrix3<f64>); 2] = [
            (SpatialInput::TipPosition, &mut out.by_position),
            (SpatialInput::TipVelocity, &mut out.by_velocity),
        ];
        for (input, matrix) in parts {
            for (row, column) in (0..3).flat_map(|row| (0..3).map(move |column| (row, column))) {
                let derivative = self.unit.derivative(first + row, input as usize + column);
                matrix[(row, column)] = derivative.map_err(UnitError::failed)?;
            }
        }
        Ok(out)
    }
}

fn set(input: &mut Input, command: &Command) {
    input.value = command.value;
    for (order, value) in command.derivatives.iter().flatten().enumerate() {
        input.set_derivative(order + 1, *value);
    }
}

impl LegUnit for NativeUnit {
    fn abilities(&self) -> Abilities {
        Abilities {
            rollback: true,
            derivatives: true,
            series: true,
        }
    }

    fn step(&mut self, start: f64, length: f64, inputs: &UnitInputs) -> UnitResult<()> {
        let list = self.unit.inputs_mut();
        for i in 0..3 {
            list[SpatialInput::TipPosition as usize + i].value = inputs.tip_position[i];
            list[SpatialInput::TipVelocity as usize + i].value = inputs.tip_velocity[i];
        }
        set(
            &mut list[SpatialInput::MotorTorque as usize],
            &inputs.motor_torque,
        );
        set(
            &mut list[SpatialInput::MotorAngle as usize],
            &inputs.motor_angle,
        );
        match self.unit.advance_by(length) {
            Ok(_) => Ok(()),
            Err(error @ (LegError::Stalled { .. } | LegError::Kernel(_))) => {
                Err(UnitError::discarded(start, length, error))
            }
            Err(error) => Err(UnitError::failed(error)),
        }
    }

    fn tip_force(&mut self) -> UnitResult<Vector3<f64>> {
        Ok(self.unit.leg().tip_force(self.unit.state()))
    }

    fn derivatives(&mut self) -> UnitResult<TipDerivatives> {
        self.by_motion_of_tip(SpatialOutput::TipForce as usize)
    }

    fn force_series(&mut self) -> UnitResult<ForceSeries> {
        let Series(series) = self.unit.port_force_series();
        Ok(series.map(Vector3::from))
    }

    fn series_derivatives(&mut self) -> UnitResult<[TipDerivatives; ORDERS]> {
        let mut out = [TipDerivatives::default(); ORDERS];
        for (order, derivatives) in out.iter_mut().enumerate() {
            *derivatives =
                self.by_motion_of_tip(SpatialOutput::TipForceMean as usize + 3 * order)?;
        }
        Ok(out)
    }

    fn view(&mut self) -> UnitResult<LegView> {
        let (leg, state) = (self.unit.leg(), self.unit.state());
        Ok(leg_view(leg, state, leg.tip_force(state)))
    }

    fn energy(&mut self) -> UnitResult<LegEnergy> {
        leg_energy(self.unit.leg(), self.unit.state()).map_err(UnitError::failed)
    }

    fn leaf_strain(&mut self) -> UnitResult<Option<LeafStrain>> {
        let strain = self.unit.leg().leaf_strain(self.unit.state());
        strain.map(Some).map_err(UnitError::failed)
    }

    fn shape(&mut self) -> UnitResult<LegShape> {
        Ok(leg_shape(self.unit.leg(), self.unit.state()))
    }

    fn save(&mut self) -> UnitResult<()> {
        self.unit.save_into(&mut self.saved);
        Ok(())
    }

    fn restore(&mut self) -> UnitResult<()> {
        self.unit.restore(&self.saved);
        Ok(())
    }
}

/// A look at a native leg that pushes with `tip_force` [N].
pub fn leg_view(leg: &SpatialLeg, state: &SpatialState, tip_force: Vector3<f64>) -> LegView {
    LegView {
        tip_force,
        tendon_tension: leg.tendon_tension(state),
        tendon_length: leg.chord(state).norm(),
        motor_angle: state.angle(leg.motor_joint),
        motor_rate: results::angle_rate(&leg.model, state, leg.motor_joint),
        motor_torque: leg.crank_torque(state),
    }
}

/// Energies of a native leg.
pub fn leg_energy(leg: &SpatialLeg, state: &SpatialState) -> multibody::Result<LegEnergy> {
    let now = energies(&leg.model, state)?;
    Ok(LegEnergy {
        kinetic: now.kinetic,
        strain: now.strain,
        tendon: now.springs,
        gravity: now.gravity,
        work_in: state.ledger.work_in,
        dissipated: state.ledger.dissipated,
    })
}

/// Where the parts of a native leg are.
pub fn leg_shape(leg: &SpatialLeg, state: &SpatialState) -> LegShape {
    let nodes = 0..=leg.config.solver.elements;
    LegShape {
        crank: *state.pose(leg.crank),
        leaf: nodes
            .map(|i| *state.pose(leg.model.beam_node(leg.leaf, i)))
            .collect(),
    }
}
