//! Energies of a state and the ledger of a run.
//!
//! ```text
//! residual = (T + V)(t) − (T + V)(0) − work in + dissipated                     (1)
//! ```
//!
//! Work and dissipation are integrated from the powers P at the ends of the steps (trapezoidal
//! rule), so the residual shrinks with the square of the step; what the integrator itself
//! dissipates is part of it. A damper in a line that is let go under load starts to move within
//! less than a step, and the trapezoidal rule on the square of its rate would miss a part of the
//! energy that no integrator lost (a stop likewise). Its length is therefore interpolated over the step by the cubic
//! through lengths and rates at both ends, and Simpson's rule taken:
//!
//! ```text
//! W = h/2 (P_0 + P_1) + 2h/3 (P_m − ½ (P_0 + P_1))                              (2)
//! ℓ_m = ½ (ℓ_0 + ℓ_1) + h/8 (ℓ̇_0 − ℓ̇_1),   ℓ̇_m = 3/2 (ℓ_1 − ℓ_0)/h − ¼ (ℓ̇_0 + ℓ̇_1)  (3)
//! ```

use crate::assembly::hinge::Hinge;
use crate::assembly::{
    BodyMotion, JointKinematics, LineKinematics, Measure, mass_damping_power, modal_damping_power,
    motor, motor_torque, relative_twist, stops,
};
use crate::assembly::{bushings, cables, reduced, surfaces};
use crate::element::{elastic, inertia, viscous};
use crate::error::Result;
use crate::group::Group;
use crate::model::{Axes, Body, Booking, Force, LawForce, Model, Partial};
use crate::state::State;
use nalgebra::{SMatrix, SVector};

/// Energies of a state [J].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energies {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Strain energy of the beams.
    pub strain: f64,
    /// Energy stored in springs, tendons and stops.
    pub springs: f64,
    /// Potential of gravity.
    pub gravity: f64,
}

impl Energies {
    /// Sum of all.
    pub fn mechanical(&self) -> f64 {
        self.kinetic + self.strain + self.springs + self.gravity
    }
}

/// Power that enters through inputs and that dampers take out [W].
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Powers {
    /// From motors, winches, wrenches, drivers and moving frames.
    pub input: f64,
    /// In dampers, friction, stops, Rayleigh and modal damping.
    pub dissipated: f64,
}

/// Running account of a simulation [J].
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Ledger {
    /// Mechanical energy at the start.
    pub initial: f64,
    /// Work done by inputs since.
    pub work_in: f64,
    /// Energy dissipated since.
    pub dissipated: f64,
    /// Powers at the current time.
    pub powers: Powers,
}

impl Ledger {
    pub(crate) fn start(&mut self, energy: f64, powers: Powers) {
        *self = Self {
            initial: energy,
            work_in: 0.0,
            dissipated: 0.0,
            powers,
        };
    }

    /// Books a step of `h` [s]; `in_lines` is what [`beyond_trapezoid`] gives for it.
    pub(crate) fn advance(&mut self, h: f64, powers: Powers, in_lines: InLines) {
        self.work_in += 0.5 * h * (self.powers.input + powers.input) + in_lines.winches;
        self.dissipated +=
            0.5 * h * (self.powers.dissipated + powers.dissipated) + in_lines.dissipated;
        self.powers = powers;
    }

    /// What the account misses, eq. (1) [J].
    pub fn residual(&self, now: &Energies) -> f64 {
        now.mechanical() - self.initial - self.work_in + self.dissipated
    }
}

/// Energies of `state`. Its frame is large and must not be part of its callers', under which others run.
#[inline(never)]
pub fn energies<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
) -> Result<Energies> {
    G::energies(model, state)
}

/// [`energies`], compiled for a group.
pub(crate) fn energies_of_group<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
) -> Result<Energies> {
    let mut out = Energies::default();
    beam_energies(model, state, &mut out)?;
    for (node, inertia) in model.node_inertia.iter().enumerate() {
        let Some(inertia) = inertia else { continue };
        let v = &state.velocities[node];
        out.kinetic += 0.5 * v.dot(&(inertia * v));
        // Potential −m g·x_c, with m x_c from the matrix: M (Rᵀ g, 0) has the moment m c × Rᵀ g.
        let pose = &state.poses[node];
        let mass = inertia[(0, 0)];
        let first_moment = mass_moment::<N, D>(inertia);
        let weighted = pose.translation() * mass + pose.rotation() * first_moment;
        out.gravity -= model.gravity.dot(&weighted);
    }
    for force in &model.forces {
        match force {
            Force::Line { a, b, law, .. } => {
                let line = LineKinematics::new(model, &state.motion(), a, b);
                out.springs += law.stored_energy(line.length);
            }
            Force::Torsion {
                joint,
                stiffness,
                rest_angle,
                ..
            } => {
                let twist = state.angles[joint.0] - rest_angle;
                out.springs += 0.5 * stiffness * twist * twist;
            }
            Force::Law(law) => {
                if let Booking::Stored(potential) = &law.booking {
                    let measure = Measure::new(model, &state.motion(), &law.coordinate);
                    out.springs += potential.evaluate(|_| measure.value);
                }
            }
            Force::Motor { joint, law, .. } => {
                out.kinetic += motor::rotor_energy(model, state, *joint, law);
            }
            Force::Stop { .. } | Force::Wrench { .. } => {}
        }
    }
    for &index in &model.stopped {
        if let Some((stops, x, _)) = stops::coordinate(model, state, index) {
            out.springs += stops.stored_energy(x);
        }
    }
    for body in &model.reduced {
        let own = reduced::energies(model, &state.motion(), body);
        out.kinetic += own.kinetic;
        out.strain += own.strain;
        out.gravity += own.gravity;
    }
    for cable in &model.cables {
        out.springs += cables::respond(model, &state.motion(), cable, false).energy;
    }
    for contact in &model.surfaces {
        let (_, response) = surfaces::respond(model, &state.motion(), contact, false, false);
        out.springs += response.potential;
    }
    for bushing in &model.bushings {
        out.springs += bushings::respond(model, &state.motion(), bushing, false)?
            .1
            .energy;
    }
    Ok(out)
}

/// Mass times centre of mass of an inertia matrix.
fn mass_moment<const N: usize, const D: usize>(inertia: &SMatrix<f64, N, N>) -> SVector<f64, D> {
    let mut moment = SVector::zeros();
    moment[0] = inertia[(N - 1, 1)];
    moment[1] = -inertia[(N - 1, 0)];
    if D == 3 {
        moment[2] = inertia[(N - 2, 0)];
    }
    moment
}

fn beam_energies<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    out: &mut Energies,
) -> Result<()> {
    for beam in &model.beams {
        let element = &beam.element;
        let section = &element.section;
        let tangent: SVector<f64, D> =
            (G::linear_part() + G::cross(&section.mass_centre)) * element.reference_strain;
        for e in 0..beam.elements {
            let (a, b) = (beam.first_node + e, beam.first_node + e + 1);
            let (h_a, h_b) = (&state.poses[a], &state.poses[b]);
            let h_ab = h_a.between(h_b);
            let d = relative_twist(beam, e, &h_ab, state.time)?;
            out.strain += elastic::respond::<G, N, D>(element, &d).energy;
            out.kinetic += inertia::kinetic_energy(
                element,
                &state.velocities[a],
                &state.velocities[b],
                &h_ab.rotation(),
            );
            let (ra, rb) = (h_a.rotation(), h_b.rotation());
            let centres = [
                h_a.translation() + ra * section.mass_centre,
                h_b.translation() + rb * section.mass_centre,
            ];
            out.gravity += inertia::gravity_energy(
                section.mass_per_length * element.length,
                element.length,
                [&centres[0], &centres[1]],
                [&(ra * tangent), &(rb * tangent)],
                &model.gravity,
            );
        }
    }
    Ok(())
}

/// Powers at `state`. Not inlined, as [`energies`].
#[inline(never)]
pub fn powers<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
) -> Powers {
    G::powers(model, state)
}

/// [`powers`], compiled for a group.
pub(crate) fn powers_of_group<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
) -> Powers {
    let mut out = Powers::default();
    let motion = state.motion();
    for beam in &model.beams {
        let rayleigh = &beam.element.rayleigh;
        if rayleigh.stiffness > 0.0 {
            for e in 0..beam.elements {
                let (a, b) = (beam.first_node + e, beam.first_node + e + 1);
                let h_ab = state.poses[a].between(&state.poses[b]);
                let Ok(d) = h_ab.log() else { continue };
                let rate = G::tangent_inverse(&d) * state.velocities[b]
                    - G::tangent_inverse(&-d) * state.velocities[a];
                let force = viscous::force::<G, N, D>(&beam.element, &d, &rate);
                out.dissipated += rayleigh.stiffness * rate.dot(&force);
            }
        }
        if rayleigh.mass > 0.0 {
            out.dissipated += mass_damping_power(beam, &motion);
        }
        out.dissipated += modal_damping_power(beam, &motion);
    }
    for joint in &model.joints {
        let moved = |body: Body| matches!(body, Body::Frame(_));
        let driven = joint.rows.iter().any(|row| row.input().is_some());
        if !driven && !moved(joint.a.body) && !moved(joint.b.body) {
            continue;
        }
        let kinematics = JointKinematics::new(model, joint, &motion);
        for (index, row) in joint.rows.iter().enumerate() {
            // φ_q v = −φ_t, so the joint forces −φ_qᵀ λ have the power λ φ_t.
            let lambda = state.multipliers[joint.first_row + index];
            let at = kinematics.row(joint, row, &state.inputs);
            let rates = kinematics.rates(joint, row, &state.inputs, &at);
            out.input += lambda * rates.rate_by_time;
        }
    }
    for force in model.forces.iter().enumerate() {
        force_power(model, state, force, &mut out);
    }
    for body in &model.reduced {
        out.dissipated += reduced::energies(model, &motion, body).dissipated;
    }
    for cable in &model.cables {
        out.dissipated += cables::respond(model, &motion, cable, true).power;
    }
    for contact in &model.surfaces {
        out.dissipated += surfaces::respond(model, &motion, contact, true, false)
            .1
            .power;
    }
    for bushing in &model.bushings {
        // One that is torn is refused where its forces are assembled.
        if let Ok((_, response)) = bushings::respond(model, &motion, bushing, true) {
            out.dissipated += response.power;
        }
    }
    out
}

/// What lines do in a step beyond the trapezoidal rule [J].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct InLines {
    /// Work of winches.
    pub winches: f64,
    /// What lines and stops dissipate.
    pub dissipated: f64,
}

/// Second term of eq. (2), summed over the lines, for a step of `h` [s] from `old` to `new`; a winch
/// pulls all the step as at its end.
pub fn beyond_trapezoid<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    old: &State<G, N>,
    new: &State<G, N>,
    h: f64,
) -> InLines {
    let mut sum = InLines::default();
    for force in &model.forces {
        let Force::Line {
            a, b, law, winch, ..
        } = force
        else {
            continue;
        };
        let at = |state: &State<G, N>| {
            let line = LineKinematics::new(model, &state.motion(), a, b);
            (line.length, line.rate)
        };
        let ends = [at(old), at(new)];
        sum.dissipated += beyond(ends, h, |l, r| law.dissipated_power(l, r));
        if let Some(input) = winch {
            let pull = new.inputs.value[input.0];
            sum.winches += beyond(ends, h, |l, r| law.winch_power(pull, l, r));
        }
    }
    for &index in &model.stopped {
        let at = |state: &State<G, N>| stops::coordinate(model, state, index);
        let (Some((stops, x_0, r_0)), Some((_, x_1, r_1))) = (at(old), at(new)) else {
            continue;
        };
        if stops.depth(x_0).is_none() && stops.depth(x_1).is_none() {
            continue;
        }
        // The memory at the start of the step is that of the contact in it.
        let memory = &old.memory[model.memory_of(index)];
        let ends = [(x_0, r_0), (x_1, r_1)];
        sum.dissipated += beyond(ends, h, |x, r| stops.dissipated_power(x, r, memory));
    }
    sum
}

/// Second term of eq. (2) for a coordinate with values and rates at both ends of a step of `h` [s].
fn beyond(
    [(l_0, r_0), (l_1, r_1)]: [(f64, f64); 2],
    h: f64,
    power: impl Fn(f64, f64) -> f64,
) -> f64 {
    let l_m = 0.5 * (l_0 + l_1) + 0.125 * h * (r_0 - r_1); // (3)
    let r_m = 1.5 * (l_1 - l_0) / h - 0.25 * (r_0 + r_1);
    let ends = power(l_0, r_0) + power(l_1, r_1);
    2.0 / 3.0 * h * (power(l_m, r_m) - 0.5 * ends) // (2)
}

fn force_power<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    (index, force): (usize, &Force<D>),
    out: &mut Powers,
) {
    let motion = state.motion();
    let memory = &state.memory[model.memory_of(index)];
    match force {
        Force::Line {
            a,
            b,
            law,
            stops,
            winch,
            ..
        } => {
            let line = LineKinematics::new(model, &motion, a, b);
            let (length, rate) = (line.length, line.rate);
            let pull = winch.map_or(0.0, |input| state.inputs.value[input.0]);
            let mut tension = law.pulled(pull, length, rate).tension;
            out.input += law.winch_power(pull, length, rate);
            out.dissipated += law.dissipated_power(length, rate);
            if let Some(stops) = stops {
                tension -= stops.respond(length, rate, memory).force;
                out.dissipated += stops.dissipated_power(length, rate, memory);
            }
            // A moving frame at an end does work on the line.
            for side in 0..2 {
                if line.bodies[side].node.is_none() {
                    out.input += line.end_power(side, tension);
                }
            }
        }
        Force::Torsion { joint, damping, .. } => {
            let near = state.angles[joint.0];
            let hinge = Hinge::new(model, &model.joints[joint.0], &motion, near);
            out.dissipated += damping * hinge.rate * hinge.rate;
        }
        Force::Motor { joint, law, .. } => {
            let near = state.angles[joint.0];
            let hinge = Hinge::new(model, &model.joints[joint.0], &motion, near);
            let delivered = motor_torque(&hinge, law, &motion, memory, true).torque;
            out.input += delivered.value * hinge.rate;
            out.dissipated += law.friction.at(hinge.rate).0 * hinge.rate;
        }
        Force::Stop { joint, stops, .. } => {
            let near = state.angles[joint.0];
            let hinge = Hinge::new(model, &model.joints[joint.0], &motion, near);
            out.dissipated += stops.dissipated_power(hinge.angle, hinge.rate, memory);
        }
        Force::Wrench {
            node,
            point,
            axes,
            force,
            moment,
            ..
        } => {
            let body = BodyMotion::of(model, &motion, Body::Node(*node));
            let value = |input: &Option<crate::model::InputId>| {
                input.map_or(0.0, |i| state.inputs.value[i.0])
            };
            let rotation = match axes {
                Axes::World => body.pose.rotation(),
                Axes::Body => SMatrix::identity(),
            };
            let f = SVector::<f64, D>::from_fn(|i, _| value(&force[i]));
            let m = [value(&moment[0]), value(&moment[1]), value(&moment[2])];
            let map = G::linear_part() + G::cross(point);
            let covector = map.tr_mul(&rotation.tr_mul(&f))
                + crate::assembly::moment_covector::<N, D>(&m, &rotation);
            out.input += covector.dot(&body.velocity);
        }
        Force::Law(law) => law_power(model, state, law, out),
    }
}

/// Power of a law: what it gives to the nodes comes from outside, or out of its store, or is lost.
fn law_power<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &State<G, N>,
    law: &LawForce<D>,
    out: &mut Powers,
) {
    let measure = Measure::new(model, &state.motion(), &law.coordinate);
    let force = measure.force_of(law, &state.inputs, true, None).value;
    let other = (law.acts_on.as_ref()).map(|acts_on| Measure::new(model, &state.motion(), acts_on));
    let acts_on = other.as_ref().unwrap_or(&measure);
    // Bodies that are moved from outside do work against the law.
    out.input -= force * acts_on.outside_rate();
    let power = force * acts_on.rate;
    match &law.booking {
        Booking::Work => out.input += power,
        Booking::Dissipated => out.dissipated -= power,
        Booking::Stored(potential) => {
            let slope = potential.evaluate(|_| Partial {
                value: measure.value,
                by: [1.0, 0.0, 0.0],
            });
            out.dissipated -= power + slope.by[0] * measure.rate;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::group::{Se2, Se3};
    use crate::model::{ModelBuilder, planar_inertia, spatial_inertia};
    use nalgebra::{Matrix3, Vector2, Vector3};

    /// Sums of a few products.
    const ROUNDING: f64 = 1e-13;

    /// A body whose mass centre is off its node, placed and turned in several ways: −m g·x_c.
    #[test]
    fn gravity_energy_is_that_of_the_mass_centre() {
        let (mass, centre) = (7.0, Vector3::new(0.3, -0.2, 0.5));
        let gravity = Vector3::new(1.0, 2.0, -9.0);
        for twist in [
            [0.0; 6],
            [4.0, 5.0, 6.0, 0.4, -1.1, 2.0],
            [-1.0, 0.3, 0.2, 3.0, 0.2, -0.7],
        ] {
            let pose = Se3::exp(&twist.into());
            let mut builder = ModelBuilder::<Se3, 6, 3>::new();
            builder.gravity(gravity);
            let inertia = spatial_inertia(mass, centre.into(), Matrix3::identity());
            builder.rigid_body("body", pose, inertia);
            let model = builder.build().unwrap();
            let found = energies(&model, &State::new(&model)).unwrap().gravity;
            let place = pose.translation() + pose.rotation() * centre;
            let expected = -mass * gravity.dot(&place);
            assert!((found - expected).abs() < ROUNDING * (1.0 + expected.abs()));

            let (centre, gravity) = (Vector2::new(0.3, -0.2), Vector2::new(1.0, -9.0));
            let pose = Se2::exp(&[twist[0], twist[1], twist[5]].into());
            let mut builder = ModelBuilder::<Se2, 3, 2>::new();
            builder.gravity(gravity);
            builder.rigid_body("body", pose, planar_inertia(mass, centre.into(), 1.0));
            let model = builder.build().unwrap();
            let found = energies(&model, &State::new(&model)).unwrap().gravity;
            let place = pose.translation() + pose.rotation() * centre;
            let expected = -mass * gravity.dot(&place);
            assert!((found - expected).abs() < ROUNDING * (1.0 + expected.abs()));
        }
    }

    /// A mass on a tendon that a winch pulls at from t = 0 on: it swings about where the pull has been
    /// taken up by u/k, the winch's work is u times the way, and a pull below zero only slackens.
    #[test]
    fn a_winch_works_along_its_way_and_never_pushes() {
        use crate::dynamics::Simulation;
        use crate::model::{Held, Inputs, LineLaw, PointOn};
        let (mass, stiffness, rest) = (2.0, 50.0, 1.0);
        let run = |pull: f64, end: f64| {
            let mut builder = ModelBuilder::<Se2, 3, 2>::new();
            let winch = builder.input("winch");
            let start = Se2::from_parts(Vector2::new(1.5, 0.0), nalgebra::Matrix2::identity());
            let body = builder.rigid_body("body", start, planar_inertia(mass, [0.0; 2], 1.0));
            let law = LineLaw::tendon(stiffness, rest, 0.0);
            let (a, b) = (
                PointOn::ground(Vector2::zeros()),
                PointOn::node(body, Vector2::zeros()),
            );
            let line = builder.stopped_line("tendon", a, b, law, None, Some(winch));
            let model = builder.build().unwrap();
            let drive = Held(Inputs::constant(&[pull]));
            let mut run = Simulation::new(&model, State::new(&model), 1e-3);
            run.initialize(&drive).unwrap();
            run.advance_to(end, &drive).unwrap();
            let place = run.state.poses[body.index()].translation().x;
            let tension = crate::results::line(&model, &run.state, line).unwrap();
            let now = energies(&model, &run.state).unwrap();
            (place, tension.response.tension, run.state.ledger, now)
        };
        let (pull, omega) = (5.0, (stiffness / mass).sqrt());
        let (place, tension, ledger, now) = run(pull, 0.1);
        // Tension 25 N + u at the start: it swings about 1 m − u/k.
        let middle = rest - pull / stiffness;
        let expected = middle + (1.5 - middle) * crate::math::cos(omega * 0.1);
        assert!((place - expected).abs() < 1e-5, "{place} {expected}");
        assert!((tension - (stiffness * (place - rest) + pull)).abs() < 1e-9);
        let work = pull * (1.5 - place);
        assert!(
            (ledger.work_in / work - 1.0).abs() < 1e-4,
            "{} {work}",
            ledger.work_in
        );
        assert!(ledger.residual(&now).abs() < 1e-4 * work);
        let (place, tension, ..) = run(-1000.0, 0.1);
        assert_eq!((place, tension), (1.5, 0.0));
    }
}
