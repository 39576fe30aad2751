//! A pendulum with a slider on it, under each way of keeping constraints.
//!
//! Our reading of the example, which reproduces all its numbers: a rod turns about the ground
//! point O, held by a torsion spring; its centre of mass is L = 0.5 m from O. A slider moves along
//! the rod without turning against it. A spring and a damper act between O, *on the ground*, and
//! the slider's centre. θ1 is the angle of the rod from the downward vertical, θ2 the distance of
//! the slider from O. With e the direction of the rod and n its normal,
//!
//! ```text
//! (J1 + m1 L² + J2 + m2 θ2²) θ̈1 = −6 θ1 − (m1 L + m2 θ2) g sin θ1 − 2 m2 θ2 θ̇1 θ̇2    (1)
//! m2 θ̈2 = m2 θ2 θ̇1² + m2 g cos θ1 − 20 (θ2 − 0.7) − 5 θ̇2                            (2)
//! ```
//!
//! The four multipliers are the force of the ground on the rod (x, y), the force of the slider on
//! the rod along n, and the moment of the rod on the slider.

use crate::error::Result;
use crate::sources::SLIDER;
use crate::{Case, Demand, Quantity};
use core::f64::consts::{FRAC_PI_2, FRAC_PI_3};
use multibody::dynamics::{
    self, ConstraintHandling, Control, Projection, ProjectionWeight, StepSettings,
};
use multibody::group::{Group, Se2};
use multibody::model::{
    Attachment, Held, Inputs, JointId, JointKind, LineLaw, ModelBuilder, NodeId, PlanarModel,
    PointOn, planar_inertia,
};
use multibody::results;
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::Vector2;

pub(super) const CASES: &[Case] = &[
    Case {
        name: "pendulum with a slider, at release",
        source: SLIDER,
        quantities: &[
            Quantity {
                name: "accelerations of θ1, θ2",
                unit: "rad/s², m/s²",
                demand: Demand::Absolute {
                    reference: &[-16.8558, 2.9050],
                    allowed: 1e-4,
                },
                reason: LAST_DECIMAL,
            },
            Quantity {
                name: "multipliers",
                unit: "N, N·m",
                demand: Demand::Absolute {
                    reference: &[-10.9224, 0.7018, 4.9889, -1.6856],
                    allowed: 1e-4,
                },
                reason: LAST_DECIMAL,
            },
        ],
        ours: release,
    },
    Case {
        name: "pendulum with a slider, 5 s",
        source: SLIDER,
        quantities: &[
            after("θ1, θ2, position level", &[0.176571, 1.260603]),
            after("θ1, θ2, Baumgarte", &[0.176571, 1.260603]),
            after("θ1, θ2, projection by mass", &[0.176571, 1.260603]),
            after("θ1, θ2, projection by identity", &[0.176571, 1.260603]),
            Quantity {
                name: "largest gap, position level",
                demand: Demand::AtMost(1e-10),
                ..GAP
            },
            Quantity {
                name: "largest gap, Baumgarte",
                demand: Demand::AtMost(1e-5),
                ..GAP
            },
            Quantity {
                name: "largest gap, projection",
                demand: Demand::AtMost(1e-10),
                ..GAP
            },
        ],
        ours: motion,
    },
];

const LAST_DECIMAL: &str = "one unit of the reference's last decimal";

const fn after(name: &'static str, reference: &'static [f64]) -> Quantity {
    Quantity {
        name,
        unit: "rad, m",
        demand: Demand::Absolute {
            reference,
            allowed: 1e-6,
        },
        reason: LAST_DECIMAL,
    }
}

const GAP: Quantity = Quantity {
    name: "",
    unit: "m",
    demand: Demand::AtMost(0.0),
    reason: "constraints kept exactly are closed to Newton's tolerance squared; Baumgarte's \
             leave an error of the order of the step's own",
};

struct Pendulum {
    model: PlanarModel,
    rod: NodeId,
    slider: NodeId,
    pin: JointId,
    guide: JointId,
}

impl Pendulum {
    fn new() -> Result<Self> {
        let mut builder = ModelBuilder::<Se2, 3, 2>::new();
        builder.gravity(Vector2::new(0.0, -9.81));
        let down = Se2::new(0.0, 0.0, -FRAC_PI_2);
        let along = |distance: f64| {
            down.compose(&Se2::new(0.0, 0.0, FRAC_PI_3))
                .compose(&Se2::new(distance, 0.0, 0.0))
        };
        let rod = builder.rigid_body("rod", along(0.5), planar_inertia(2.0, [0.0; 2], 0.04));
        let slider = builder.rigid_body("slider", along(0.8), planar_inertia(1.0, [0.0; 2], 0.1));
        let pin = builder.joint(
            "pin",
            JointKind::Revolute,
            Attachment::ground(down),
            Attachment::node(rod, Se2::new(-0.5, 0.0, 0.0)),
        );
        let guide = builder.joint(
            "guide",
            JointKind::Prismatic,
            Attachment::node(rod, Se2::identity()),
            Attachment::node(slider, Se2::identity()),
        );
        builder.torsion("torsion spring", pin, 6.0, 0.0, 0.0);
        let law = LineLaw::SpringDamper {
            stiffness: 20.0,
            rest_length: 0.7,
            damping: 5.0,
        };
        let (o, centre) = (Vector2::zeros(), Vector2::zeros());
        builder.line(
            "spring",
            PointOn::ground(o),
            PointOn::node(slider, centre),
            law,
        );
        Ok(Self {
            model: builder.build()?,
            rod,
            slider,
            pin,
            guide,
        })
    }

    fn released(&self) -> Result<(State<Se2, 3>, Workspace<Se2, 3>)> {
        let mut state = State::new(&self.model);
        let mut workspace = Workspace::new(&self.model);
        dynamics::initialize(
            &self.model,
            &mut state,
            &mut workspace,
            &Held(Inputs::zeros(0)),
        )?;
        Ok((state, workspace))
    }

    /// θ1 and θ2 after 5 s, and the largest gap on the way.
    fn run(&self, constraints: ConstraintHandling) -> Result<(Vec<f64>, f64)> {
        let (mut state, mut workspace) = self.released()?;
        let settings = StepSettings {
            constraints,
            ..StepSettings::default()
        };
        let drive = Held(Inputs::zeros(0));
        let control = Control::fixed(0.2e-3); // its error is 5e-7
        let mut gap: f64 = 0.0;
        for sample in 1..=500 {
            let end = 0.01 * f64::from(sample);
            let (model, w) = (&self.model, &mut workspace);
            dynamics::advance(model, &mut state, w, &drive, end, &control, &settings)?;
            gap = gap.max(results::largest_gap(&self.model, &state));
        }
        let distance = state.pose(self.slider).translation().norm();
        Ok((vec![state.angle(self.pin), distance], gap))
    }
}

fn release() -> Result<Vec<Vec<f64>>> {
    let pendulum = Pendulum::new()?;
    let (state, _) = pendulum.released()?;
    let of = |node: NodeId| &state.accelerations[node.index()];
    // At rest the slider's acceleration along the rod is that of θ2.
    let accelerations = vec![of(pendulum.rod)[2], of(pendulum.slider)[0]];
    let pin = results::reaction(&pendulum.model, &state, pendulum.pin);
    let guide = results::reaction(&pendulum.model, &state, pendulum.guide);
    let normal = state
        .pose(pendulum.slider)
        .rotation()
        .column(1)
        .into_owned();
    let on_rod = -normal.dot(&guide.force);
    let multipliers = vec![pin.force[0], pin.force[1], on_rod, guide.moment[2]];
    Ok(vec![accelerations, multipliers])
}

fn motion() -> Result<Vec<Vec<f64>>> {
    let pendulum = Pendulum::new()?;
    let by = |weight| {
        ConstraintHandling::Projection(Projection {
            weight,
            held: Vec::new(),
        })
    };
    let baumgarte = ConstraintHandling::Baumgarte {
        ratio: 1.0,
        frequency: 0.1,
    };
    let (position, gap_position) = pendulum.run(ConstraintHandling::Position)?;
    let (stabilised, gap_stabilised) = pendulum.run(baumgarte)?;
    let (by_mass, gap_mass) = pendulum.run(by(ProjectionWeight::Mass))?;
    let (by_identity, gap_identity) = pendulum.run(by(ProjectionWeight::Identity))?;
    Ok(vec![
        position,
        stabilised,
        by_mass,
        by_identity,
        vec![gap_position],
        vec![gap_stabilised],
        vec![gap_mass, gap_identity],
    ])
}
