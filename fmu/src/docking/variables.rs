//! Variables of `Docking`: those of `Platform`, where and how the target comes, what came of it.

use super::margins::MARGINS;
use crate::platform::{
    HasPlatform, PlatformParameters, commands, leg_outputs, platform_parameters,
};
use crate::table::Table;
use leg_core::config::{Crank, Leaf, Motor, Solver, Tendon};
use softdock_docking::config::{DockingConfig, Misalignment, TargetBody};
use softdock_docking::{Outcome, Scenario};
use softdock_fmi::model::{Failure, Parameters};
use softdock_fmi::variables::{InfluencesOutputs, List, Name, UnitOf as U, Variable, one};
use softdock_leg_models::variables::{Choices, LegParameters, fmu};
use softdock_platform::PlatformConfig;
use softdock_platform::config::Coupling;
use softdock_platform::contact::{FrictionConfig, LatchConfig, NormalConfig};
use std::ops::Range;

/// Angles and rates of a misalignment: pitch, yaw, roll.
const ANGLES: usize = 6;

/// Parameters of `Docking`.
#[derive(Debug, Clone)]
pub struct DockingParameters {
    platform: PlatformParameters,
    docking: DockingConfig,
    /// Misalignment in radians and radians per second; settings have degrees.
    angles: [f64; ANGLES],
    /// First values of the inputs.
    starts: Vec<f64>,
}

/// Angles and rates of a misalignment [deg, deg/s].
fn degrees(misalignment: &mut Misalignment) -> [&mut f64; ANGLES] {
    [
        &mut misalignment.pitch_deg,
        &mut misalignment.yaw_deg,
        &mut misalignment.roll_deg,
        &mut misalignment.pitch_rate_deg_s,
        &mut misalignment.yaw_rate_deg_s,
        &mut misalignment.roll_rate_deg_s,
    ]
}

impl DockingParameters {
    /// The parameters of a docking with these settings.
    pub fn new(scenario: &Scenario) -> Result<Self, Failure> {
        scenario.validate()?;
        if scenario.platform.coupling != Coupling::Monolithic {
            return Err("coupling must be \"monolithic\": the docking is solved as a whole".into());
        }
        let mut docking = scenario.resolved().docking;
        let platform = PlatformParameters::new(&scenario.platform)?;
        Ok(Self {
            angles: degrees(&mut docking.misalignment).map(|angle| angle.to_radians()),
            // Nothing acts on the vehicles until somebody says so.
            starts: [platform.starts(), &[0.0; 12]].concat(),
            platform,
            docking,
        })
    }

    /// First values of the inputs.
    pub fn starts(&self) -> &[f64] {
        &self.starts
    }

    /// How long the docking of the settings lasts [s].
    pub fn duration_s(&self) -> f64 {
        self.docking.duration_s
    }

    /// The settings they stand for.
    fn scenario(&self) -> Result<Scenario, Failure> {
        let mut docking = self.docking.clone();
        for (given, angle) in degrees(&mut docking.misalignment)
            .into_iter()
            .zip(self.angles)
        {
            // What nobody changed keeps its bits.
            if given.to_radians() != angle {
                *given = angle.to_degrees();
            }
        }
        let out = Scenario {
            platform: *self.platform.boxed_config()?,
            docking,
        };
        out.validate()?;
        Ok(out)
    }
}

impl Parameters for DockingParameters {
    type Config = Scenario;
    type Origin = ();

    #[inline(never)]
    fn boxed_config(&self) -> Result<Box<Scenario>, Failure> {
        Ok(Box::new(self.scenario()?))
    }
}

impl LegParameters for DockingParameters {
    fn crank(&mut self) -> &mut Crank {
        self.platform.crank()
    }

    fn leaf(&mut self) -> &mut Leaf {
        self.platform.leaf()
    }

    fn tendon(&mut self) -> &mut Tendon {
        self.platform.tendon()
    }

    fn motor(&mut self) -> &mut Motor {
        self.platform.motor()
    }

    fn solver(&mut self) -> &mut Solver {
        self.platform.solver()
    }

    fn choices(&mut self) -> &mut Choices {
        self.platform.choices()
    }
}

impl HasPlatform for DockingParameters {
    fn platform(&mut self) -> &mut PlatformConfig {
        self.platform.platform()
    }
}

/// Where and how the target comes.
const fn approach(list: &mut List<DockingParameters>) {
    list.influences(InfluencesOutputs::AtStart)
        .real(
            "closing_speed",
            U::MetrePerSecond,
            DockingConfig::closing_speed_m_s.limits(),
            DockingConfig::closing_speed_m_s.meaning,
            |p| one(&mut p.docking.closing_speed_m_s),
        )
        .row(fmu(&DockingConfig::initial_gap_m), |p| {
            one(&mut p.docking.initial_gap_m)
        })
        .real(
            "misalignment.pitch",
            U::Radian,
            RIGHT_ANGLE,
            Misalignment::pitch_deg.meaning,
            |p| &mut p.angles[0..1],
        )
        .real(
            "misalignment.yaw",
            U::Radian,
            RIGHT_ANGLE,
            Misalignment::yaw_deg.meaning,
            |p| &mut p.angles[1..2],
        )
        .real(
            "misalignment.roll",
            U::Radian,
            HALF_TURN,
            Misalignment::roll_deg.meaning,
            |p| &mut p.angles[2..3],
        )
        .real(
            "misalignment.pitch_rate",
            U::RadianPerSecond,
            HALF_TURN,
            Misalignment::pitch_rate_deg_s.meaning,
            |p| &mut p.angles[3..4],
        )
        .real(
            "misalignment.yaw_rate",
            U::RadianPerSecond,
            HALF_TURN,
            Misalignment::yaw_rate_deg_s.meaning,
            |p| &mut p.angles[4..5],
        )
        .real(
            "misalignment.roll_rate",
            U::RadianPerSecond,
            HALF_TURN,
            Misalignment::roll_rate_deg_s.meaning,
            |p| &mut p.angles[5..6],
        )
        .row(fmu(&Misalignment::lateral_x_m), |p| {
            one(&mut p.docking.misalignment.lateral_x_m)
        })
        .row(fmu(&Misalignment::lateral_y_m), |p| {
            one(&mut p.docking.misalignment.lateral_y_m)
        })
        .real(
            "misalignment.lateral_rate_x",
            U::MetrePerSecond,
            Misalignment::lateral_rate_x_m_s.limits(),
            Misalignment::lateral_rate_x_m_s.meaning,
            |p| one(&mut p.docking.misalignment.lateral_rate_x_m_s),
        )
        .real(
            "misalignment.lateral_rate_y",
            U::MetrePerSecond,
            Misalignment::lateral_rate_y_m_s.limits(),
            Misalignment::lateral_rate_y_m_s.meaning,
            |p| one(&mut p.docking.misalignment.lateral_rate_y_m_s),
        );
}

/// Angles that every misalignment lies within; the settings' own range is checked at the start.
const RIGHT_ANGLE: [f64; 2] = [-core::f64::consts::FRAC_PI_2, core::f64::consts::FRAC_PI_2];
const HALF_TURN: [f64; 2] = [-core::f64::consts::PI, core::f64::consts::PI];

/// The target, contact and latch.
const fn target(list: &mut List<DockingParameters>) {
    list.row(fmu(&TargetBody::mass_kg), |p| {
        one(&mut p.docking.target.mass_kg)
    })
    .rows(fmu(&TargetBody::inertia_kg_m2), 3, |p| {
        &mut p.docking.target.inertia_kg_m2
    })
    .rows(fmu(&TargetBody::products_of_inertia_kg_m2), 3, |p| {
        &mut p.docking.target.products_of_inertia_kg_m2
    })
    .rows(fmu(&TargetBody::centre_of_mass_beside_axis_m), 2, |p| {
        &mut p.docking.target.centre_of_mass_beside_axis_m
    })
    .row(fmu(&TargetBody::centre_of_mass_behind_port_m), |p| {
        one(&mut p.docking.target.centre_of_mass_behind_port_m)
    })
    .influences(InfluencesOutputs::AfterStart)
    .row(fmu(&NormalConfig::restitution), |p| {
        one(&mut p.docking.contact.normal.restitution)
    })
    .row(fmu(&FrictionConfig::coefficient), |p| {
        one(&mut p.docking.contact.friction.coefficient)
    })
    .boolean(
        LatchConfig::enabled.key,
        LatchConfig::enabled.meaning,
        |p| &mut p.docking.contact.latch.enabled,
    )
    .row(fmu(&LatchConfig::gap_m), |p| {
        one(&mut p.docking.contact.latch.gap_m)
    })
    .real(
        "contact.latch.speed",
        U::MetrePerSecond,
        LatchConfig::speed_m_s.limits(),
        LatchConfig::speed_m_s.meaning,
        |p| one(&mut p.docking.contact.latch.speed_m_s),
    )
    .row(fmu(&LatchConfig::dwell_s), |p| {
        one(&mut p.docking.contact.latch.dwell_s)
    })
    .rows(fmu(&LatchConfig::stiffness_n_per_m), 3, |p| {
        &mut p.docking.contact.latch.stiffness_n_per_m
    })
    .rows(fmu(&LatchConfig::damping_n_s_per_m), 3, |p| {
        &mut p.docking.contact.latch.damping_n_s_per_m
    });
}

/// Groups of outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Bodies, motors, tendons, forces.
    Motion,
    /// Contact and latch now.
    Contact,
    /// What came of it so far.
    Outcome,
    /// Energies.
    Energy,
    /// What is left until limits.
    Margin,
}

impl Group {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 5] = [
        Self::Motion,
        Self::Contact,
        Self::Outcome,
        Self::Energy,
        Self::Margin,
    ];
}

/// The number that stands for an outcome.
pub fn outcome_number(outcome: Outcome) -> f64 {
    match outcome {
        Outcome::NeverTouched => 0.0,
        Outcome::InContact => 1.0,
        Outcome::Bounced => 2.0,
        Outcome::Captured => 3.0,
    }
}

/// The table of a docking with these parameters, and where the outputs of each group are.
pub fn table(
    parameters: &DockingParameters,
) -> (Vec<Variable<DockingParameters>>, Vec<Range<usize>>) {
    static PARAMETERS: List<DockingParameters> = {
        let mut list = List::new();
        platform_parameters(&mut list);
        approach(&mut list);
        target(&mut list);
        list
    };
    let legs = parameters.platform.legs();
    let mut table = Table::new(PARAMETERS.variables(), false);
    let start = |p: &DockingParameters, index: usize| p.starts[index];
    commands(&mut table, legs, start);
    for (name, unit, text) in [
        (
            "base.force",
            U::Newton,
            "Force through the centre of mass of a base that floats, world axes",
        ),
        (
            "base.moment",
            U::NewtonMetre,
            "Moment on a base that floats, world axes",
        ),
        (
            "target.force",
            U::Newton,
            "Force through the target's centre of mass, world axes",
        ),
        (
            "target.moment",
            U::NewtonMetre,
            "Moment on the target, world axes",
        ),
    ] {
        table.inputs((name, 3), unit, text, start);
    }
    table.group();
    table.body("effector", "the end effector's centre");
    table.body("base", "the base's origin; zero if the base is fixed");
    table.body(
        "target",
        "the target's port; an aligned target has no attitude",
    );
    leg_outputs(&mut table, legs);
    table.group();
    contact_outputs(&mut table);
    table.group();
    outcome_outputs(&mut table);
    table.group();
    for (name, text) in [
        ("energy.kinetic", "Kinetic energy"),
        ("energy.strain", "Strain energy of the leaves"),
        ("energy.tendon", "Energy stored in the tendons"),
        ("energy.gravity", "Potential of gravity"),
        ("energy.contact", "Energy stored in contact and latch"),
        ("energy.wrench_work", "Work of the wrenches since the start"),
        (
            "energy.motor_work",
            "Work of motors and winches since the start",
        ),
        ("energy.dissipated", "Energy dissipated since the start"),
        (
            "energy.residual",
            "What the account of energy misses: the error of the integrator",
        ),
    ] {
        table.output(Name::of(name), U::Joule, text);
    }
    table.group();
    for (name, text) in MARGINS {
        table.output(Name::of(name), U::One, text);
    }
    table.output(
        Name::of("margin.tension"),
        U::Newton,
        "Smallest tension of a tendon so far above that at which it counts as slack",
    );
    table.output(
        Name::of("joints.largest_gap"),
        U::Metre,
        "Largest opening of a spherical joint so far",
    );
    table.finish()
}

fn contact_outputs(table: &mut Table<DockingParameters>) {
    for (name, unit, text) in [
        (
            "contact.force",
            U::Newton,
            "Contact force on the end effector, without that of the latch, world axes",
        ),
        (
            "contact.moment",
            U::NewtonMetre,
            "Its moment about the centre of the mating plane, world axes",
        ),
        (
            "interface.force",
            U::Newton,
            "Force of contact and latch on the end effector, axes of its port: tension along z is positive",
        ),
        (
            "interface.moment",
            U::NewtonMetre,
            "Its moment about the centre of the mating plane, axes of the end effector's port",
        ),
    ] {
        table.outputs((name, 3), unit, text);
    }
    for (name, unit, text) in [
        (
            "contact.gap",
            U::Metre,
            "Smallest gap, as the latch sees it",
        ),
        (
            "contact.angle",
            U::Radian,
            "Angle between the axes of the ports",
        ),
        (
            "contact.speed",
            U::MetrePerSecond,
            "Relative speed, as the latch sees it",
        ),
        (
            "contact.touching",
            U::One,
            "1 while something touches, else 0",
        ),
        (
            "latch.state",
            U::One,
            "0: open, 1: its conditions are met, 2: closed",
        ),
        (
            "latch.closed",
            U::One,
            "1 once the latch has closed, else 0",
        ),
    ] {
        table.output(Name::of(name), unit, text);
    }
}

fn outcome_outputs(table: &mut Table<DockingParameters>) {
    for (name, unit, text) in [
        (
            "outcome",
            U::One,
            "0: never touched, 1: in contact, 2: touched and apart again, 3: captured",
        ),
        (
            "sound",
            U::One,
            "1 while nothing speaks against the result, 0 once it is suspect",
        ),
        (
            "contact.peak_force",
            U::Newton,
            "Largest contact force so far",
        ),
        (
            "contact.penetration",
            U::Metre,
            "Deepest penetration so far",
        ),
        (
            "contact.duration",
            U::Second,
            "Time for which something touched",
        ),
        (
            "contact.first_touch",
            U::Second,
            "When something touched first, from the start; -1 before that",
        ),
        (
            "latch.peak_force",
            U::Newton,
            "Largest force of the closed latch so far",
        ),
        (
            "latch.closing_time",
            U::Second,
            "When the latch closed, from the start; -1 before that",
        ),
    ] {
        table.output(Name::of(name), unit, text);
    }
}
