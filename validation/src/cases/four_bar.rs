//! The rigid four-bar by both routes: constrained dynamics and the explicit reduction to q1.

use crate::error::{Failure, Result};
use crate::fourbar::{Branch, FourBar, Start, Torques};
use crate::runge_kutta::Tolerances;
use crate::sources::FOUR_BAR;
use crate::{Case, Demand, Quantity};
use multibody::dynamics::{self, Control, StepSettings};
use multibody::group::Se2;
use multibody::math;
use multibody::model::{
    Attachment, Held, Inputs, JointId, JointKind, ModelBuilder, NodeId, PlanarModel, planar_inertia,
};
use multibody::results;
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::Vector2;

/// Released at rest from q1 = 0; columns and origin in tests/reference/README.md.
const TRAJECTORY: &str = include_str!("../../../tests/reference/rigid_fourbar.csv");

const ACCELERATIONS: &[f64] = &[-93.5737645, -11.0086782, -60.2580279];
const REACTIONS: &[f64] = &[
    1.0318965, 3.0335247, 1.0318965, -1.1620494, -1.6619918, -0.3065830, 4.3558801, 5.0655424,
];
const LAST_DECIMAL: &str = "one unit of the reference's last decimal";

pub(super) const CASES: &[Case] = &[
    Case {
        name: "rigid four-bar at release",
        source: FOUR_BAR,
        quantities: &[
            at_release("accelerations (q1, θ2, q3), DAE", "rad/s²", ACCELERATIONS),
            at_release("accelerations (q1, θ2, q3), ODE", "rad/s²", ACCELERATIONS),
            at_release("pin forces O, A, B, C, DAE", "N", REACTIONS),
            at_release("pin forces O, A, B, C, ODE", "N", REACTIONS),
        ],
        ours: release,
    },
    Case {
        name: "rigid four-bar, 3 s",
        source: FOUR_BAR,
        quantities: &[
            Quantity {
                name: "q1 at 3 s, ODE",
                unit: "rad",
                demand: Demand::Absolute {
                    reference: &[-3.16700606],
                    allowed: 1e-8,
                },
                reason: LAST_DECIMAL,
            },
            Quantity {
                name: "q1 at 3 s, DAE, 0.5 and 0.25 ms extrapolated",
                unit: "rad",
                demand: Demand::Absolute {
                    reference: &[-3.16700606],
                    allowed: 1e-6,
                },
                reason: "what is left after extrapolation is of fourth order in the step",
            },
            Quantity {
                name: "largest |Δ(q1, q2, q3)| over 3 s, ODE",
                unit: "rad",
                demand: Demand::AtMost(1e-8),
                reason: "the reference promises eight digits",
            },
            Quantity {
                name: "largest |Δ(q1, q2, q3)| over 3 s, DAE extrapolated",
                unit: "rad",
                demand: Demand::AtMost(1e-6),
                reason: "what is left after extrapolation is of fourth order in the step",
            },
            Quantity {
                name: "DAE against ODE over 3 s, extrapolated",
                unit: "rad",
                demand: Demand::AtMost(1e-6),
                reason: "both routes converge to one trajectory",
            },
            Quantity {
                name: "observed time order of q1, 1 to 0.5 to 0.25 ms",
                unit: "",
                demand: Demand::Absolute {
                    reference: &[2.0],
                    allowed: 0.1,
                },
                reason: "promised; generalised-α is of second order",
            },
        ],
        ours: trajectory,
    },
];

const fn at_release(name: &'static str, unit: &'static str, reference: &'static [f64]) -> Quantity {
    let demand = Demand::Absolute {
        reference,
        allowed: 1e-7,
    };
    Quantity {
        name,
        unit,
        demand,
        reason: LAST_DECIMAL,
    }
}

/// The constrained model: three bodies with their frames in the middle, four pins.
struct Constrained {
    model: PlanarModel,
    bars: [NodeId; 3],
    /// Pins O, A, B, C.
    pins: [JointId; 4],
}

impl Constrained {
    fn new(four_bar: &FourBar) -> Result<Self> {
        let data = four_bar.data();
        let start = four_bar.assemble(0.0, Branch::Counterclockwise)?;
        let lengths = data.bars.into_array().map(|bar| bar.length);
        let angles = start.angles.into_array();
        let roots = [data.lower_pivot, start.pin_a, data.upper_pivot];
        let mut builder = ModelBuilder::<Se2, 3, 2>::new();
        builder.gravity(Vector2::from(data.gravity));
        let bars = core::array::from_fn(|i| {
            let bar = data.bars.into_array()[i];
            let (sin, cos) = math::sin_cos(angles[i]);
            let (x, y) = (
                roots[i][0] + 0.5 * bar.length * cos,
                roots[i][1] + 0.5 * bar.length * sin,
            );
            let inertia = planar_inertia(bar.mass, [0.0; 2], bar.inertia);
            builder.rigid_body(
                ["link 1", "bar 2", "link 3"][i],
                Se2::new(x, y, angles[i]),
                inertia,
            )
        });
        let end = |i: usize, side: f64| {
            Attachment::node(bars[i], Se2::new(0.5 * side * lengths[i], 0.0, 0.0))
        };
        let ground = |p: [f64; 2]| Attachment::ground(Se2::new(p[0], p[1], 0.0));
        let mut pin = |name: &str, a, b| builder.joint(name, JointKind::Revolute, a, b);
        let pins = [
            pin("O", ground(data.lower_pivot), end(0, -1.0)),
            pin("A", end(0, 1.0), end(1, -1.0)),
            pin("B", end(1, 1.0), end(2, 1.0)),
            pin("C", ground(data.upper_pivot), end(2, -1.0)),
        ];
        Ok(Self {
            model: builder.build()?,
            bars,
            pins,
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

    /// q1, q2 (relative) and q3 every 10 ms for 3 s, with steps of `h` [s].
    fn simulate(&self, h: f64) -> Result<Vec<[f64; 3]>> {
        let (mut state, mut workspace) = self.released()?;
        let drive = Held(Inputs::zeros(0));
        let (control, settings) = (Control::fixed(h), StepSettings::default());
        let angles = |state: &State<Se2, 3>| {
            [self.pins[0], self.pins[1], self.pins[3]].map(|pin| state.angle(pin))
        };
        let mut out = vec![angles(&state)];
        for sample in 1..=300 {
            let end = 0.01 * f64::from(sample);
            let (model, w) = (&self.model, &mut workspace);
            dynamics::advance(model, &mut state, w, &drive, end, &control, &settings)?;
            out.push(angles(&state));
        }
        Ok(out)
    }
}

fn release() -> Result<Vec<Vec<f64>>> {
    let four_bar = FourBar::published();
    let constrained = Constrained::new(&four_bar)?;
    let (state, _) = constrained.released()?;
    let dae_accelerations = constrained
        .bars
        .iter()
        .map(|bar| state.accelerations[bar.index()][2])
        .collect();
    let dae_forces = constrained
        .pins
        .iter()
        .flat_map(|&pin| {
            let force = results::reaction(&constrained.model, &state, pin).force;
            [force[0], force[1]]
        })
        .collect();
    let start = four_bar.assemble(0.0, Branch::Counterclockwise)?;
    let torques = Torques::default();
    let accelerations = four_bar.accelerations(&start, 0.0, torques);
    let forces = four_bar.reactions(&start, 0.0, &accelerations, torques);
    let ode_forces = [
        forces.o_on_link1,
        forces.a_on_bar2,
        forces.b_on_link3,
        forces.c_on_link3,
    ]
    .concat();
    Ok(vec![
        dae_accelerations,
        accelerations.into_array().to_vec(),
        dae_forces,
        ode_forces,
    ])
}

/// q1, q2 (relative) and q3 of the reference, every 10 ms.
fn reference() -> Result<Vec<[f64; 3]>> {
    TRAJECTORY
        .lines()
        .enumerate()
        .skip(1)
        .map(|(i, text)| {
            let numbers: Option<Vec<f64>> = text.split(',').map(|x| x.parse().ok()).collect();
            match numbers.as_deref() {
                Some(&[_, q1, q2, q3, ..]) => Ok([q1, q2, q3]),
                _ => Err(Failure::Reference {
                    line: i + 1,
                    text: text.to_owned(),
                }),
            }
        })
        .collect()
}

fn explicit(four_bar: &FourBar) -> Result<Vec<[f64; 3]>> {
    let start = Start {
        q1: 0.0,
        q1_rate: 0.0,
        branch: Branch::Counterclockwise,
    };
    let tolerances = Tolerances {
        relative: 1e-13,
        absolute: 1e-13,
        largest_step: f64::INFINITY,
        max_steps: 100_000,
    };
    let times: Vec<f64> = (0..=300).map(|i| 0.01 * f64::from(i)).collect();
    let samples = four_bar.simulate(&start, &times, &tolerances)?;
    let angles =
        |c: &crate::fourbar::Configuration| [c.angles.link1, c.relative_angle(), c.angles.link3];
    Ok(samples
        .iter()
        .map(|sample| angles(&sample.configuration))
        .collect())
}

/// Largest difference of two trajectories; NaN if one is shorter.
fn distance(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    if a.len() != b.len() {
        return f64::NAN;
    }
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

fn trajectory() -> Result<Vec<Vec<f64>>> {
    let four_bar = FourBar::published();
    let constrained = Constrained::new(&four_bar)?;
    let expected = reference()?;
    let ode = explicit(&four_bar)?;
    let [coarse, middle, fine] = [1e-3, 0.5e-3, 0.25e-3].map(|h| constrained.simulate(h));
    let (coarse, middle, fine) = (coarse?, middle?, fine?);
    let dae: Vec<[f64; 3]> = fine
        .iter()
        .zip(&middle)
        .map(|(f, m)| core::array::from_fn(|i| f[i] + (f[i] - m[i]) / 3.0))
        .collect();
    let order = math::log2(distance(&coarse, &middle) / distance(&middle, &fine));
    let last = |list: &[[f64; 3]]| list.last().map_or(f64::NAN, |angles| angles[0]);
    Ok(vec![
        vec![last(&ode)],
        vec![last(&dae)],
        vec![distance(&ode, &expected)],
        vec![distance(&dae, &expected)],
        vec![distance(&dae, &ode)],
        vec![order],
    ])
}
