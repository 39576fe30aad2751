//! Equations of motion of a reduced leg, and their tangent.
//!
//! With the forces on the leaf, f_j = m_j (g − a_j) at the Gauss points and F at the tip, and the moments
//! c_g of rotary inertia, every coordinate a gives by virtual work
//!
//! ```text
//! n_g = w_g F + Σ_j Q_jg f_j,    m_g = t_g × n_g + c_g,    μ_g = Σ_{k≥g} m_k              (1)
//! Q_a = Σ_g ∂φ_g/∂y_a · D_gᵀ μ_g  (fields),   f·μ_1,  s·μ_1  (u₁, u₂)                     (2)
//! Q_1 = e_m·μ_1 (carried by the crank) + A′·(Σ f_j + F + F_A) − (crank and rotor) + τ      (3)
//! r = −Q + K p + β K ṗ (+ the strip's part) = 0,    x_B = the tip's given place             (4)
//! ```
//!
//! F = λ − T e: the joint's force on the leaf and the pull of tendon and stops, T e on A. The tangent by
//! the increment of a step, with the weights of the integrator (1, w_D, w_I):
//!
//! ```text
//! S = w_I M + w_D D + K + K_g,    M = Σ m_j (∂x_j)ᵀ ∂x_j + Σ w_g Ωᵀ (R J Rᵀ) Ω + crank       (5)
//! −K_g = Σ_g [Ω_b·(d_a × μ_g) + μ_g·R_g (DT[∂_b φ] ∂_a φ + T ∂_a∂_b φ)]
//!        + Σ_g Ω_aᵀ (t nᵀ − (t·n) 1) Ω_b                                                      (6)
//! ```
//!
//! with d_a = D_g ∂_aφ. Forces are held in (6). S is symmetric: what is left out of it is how the inertia
//! forces and the tendon's damping change with velocities at the same place and with places at the same
//! rates (gyroscopic terms). These are smaller than w_I M by the angle that the leg turns in a step, so
//! that Newton's iteration gains some three digits each time instead of doubling them.

use super::shape::{BENDING, FIELDS, FieldRow, POINTS};
use super::sweep::{
    COORDINATES, CRANK, Columns, Coordinates, FIELD, FIRST, Jacobians, Movement, Posture, Row,
    Rows, SECOND,
};
use super::{ReducedLeg, StopMemories};
use multibody::element::inertia::Weights;
use multibody::model::LastTorque;
use nalgebra::{Matrix3, SMatrix, Vector3};

/// The matrix of a leg, rows of its lower triangle.
pub type Square = [Row; COORDINATES];

/// Motion of the coordinates.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Motion {
    /// y [rad, 1/m].
    pub place: Coordinates,
    /// ẏ.
    pub rate: Coordinates,
    /// ÿ.
    pub acceleration: Coordinates,
}

impl Motion {
    /// At rest.
    pub fn at_rest(place: Coordinates) -> Self {
        Self {
            place,
            rate: Coordinates::zeros(),
            acceleration: Coordinates::zeros(),
        }
    }
}

/// What the motor is told, and what it remembers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Command {
    /// Torque asked for [N·m].
    pub torque: f64,
    /// Target angle [rad] and its rate [rad/s].
    pub target: [f64; 2],
    /// What it delivered last.
    pub last: LastTorque,
}

/// Torque of the motor with friction and stops, and its derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MotorState {
    /// Delivered by the motor itself [N·m].
    pub delivered: f64,
    /// With friction and stops [N·m].
    pub torque: f64,
    /// By the angle and by its rate.
    pub by: [f64; 2],
    /// Power lost in friction and stops [W].
    pub lost: f64,
}

/// Tendon and stops along the chord.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// From A to B, of length 1.
    pub direction: Vector3<f64>,
    /// Length [m] and its rate [m/s].
    pub length: [f64; 2],
    /// T, the stops' push off it taken [N].
    pub pull: f64,
    /// By the length and by its rate.
    pub by: [f64; 2],
}

/// Residual and tangent of a leg.
#[derive(Debug, Clone)]
pub struct Balance {
    /// r of (4).
    pub residual: Coordinates,
    /// S of (5), if it was asked for.
    pub tangent: Option<Square>,
    /// What the motor does.
    pub motor: MotorState,
}

impl Balance {
    /// Adds a spring between the tip and its given place, `gap` [m] away: the solution that closes the gap
    /// stays the same, but the matrix is not singular. Without it, a leg whose tendon balances its thrust
    /// turns about A without any stiffness.
    pub fn hold_tip(&mut self, tip_by: &Columns, gap: &Vector3<f64>, spring: f64) {
        self.residual -= tip_by.tr_mul(gap) * spring;
        if let Some(tangent) = &mut self.tangent {
            let rows: Rows = core::array::from_fn(|c| core::array::from_fn(|i| tip_by[(c, i)]));
            let pulled = rows.map(|row| row.map(|entry| entry * spring));
            add_lower(tangent, rows.each_ref(), pulled.each_ref());
        }
    }
}

impl ReducedLeg {
    /// The line from A to B, whose rate is `closing` [m/s, world axes].
    pub fn line(&self, span: &Vector3<f64>, rate: &Vector3<f64>, memory: &StopMemories) -> Line {
        let length = span.norm();
        let direction = span / length;
        let speed = direction.dot(rate);
        let mut out = Line {
            direction,
            length: [length, speed],
            pull: 0.0,
            by: [0.0; 2],
        };
        if let Some(tendon) = &self.tendon {
            let pull = tendon.respond(length, speed);
            out.pull += pull.tension;
            out.by[0] += pull.by_length;
            out.by[1] += pull.by_rate;
        }
        if let Some(stops) = &self.tendon_stops {
            let push = stops.respond(length, speed, &memory.tendon);
            out.pull -= push.force;
            out.by[0] -= push.by_position;
            out.by[1] -= push.by_rate;
        }
        out
    }

    /// What the motor does at this angle [rad] and rate [rad/s].
    pub fn motor(&self, [angle, rate]: [f64; 2], command: &Command, stops: &[f64]) -> MotorState {
        if self.crank_is_led() {
            return MotorState::default();
        }
        let [stiffness, damping] = self.hold.unwrap_or([0.0; 2]);
        let [target, target_rate] = command.target;
        let wanted = command.torque + stiffness * (target - angle) + damping * (target_rate - rate);
        let delivered = self.motor.deliver(wanted, rate, command.last);
        let slope = delivered.by_wanted;
        let mut out = MotorState {
            delivered: delivered.torque,
            torque: delivered.torque,
            by: [-stiffness * slope, -damping * slope + delivered.by_rate],
            lost: 0.0,
        };
        if !self.motor.friction.is_none() {
            let (friction, slope) = self.motor.friction.at(rate);
            out.torque -= friction;
            out.by[1] -= slope;
            out.lost += friction * rate;
        }
        if let Some(law) = &self.motor_stops {
            let push = law.respond(angle, rate, stops);
            out.torque += push.force;
            out.by[0] += push.by_position;
            out.by[1] += push.by_rate;
            out.lost += law.dissipated_power(angle, rate, stops);
        }
        out
    }

    /// Residual (4) under the force λ on the tip [N], and with weights and Jacobians the tangent (5).
    pub fn balance(
        &self,
        (motion, posture, movement): (&Motion, &Posture, &Movement),
        lambda: &Vector3<f64>,
        command: &Command,
        memory: &StopMemories,
        tangent: Option<(&Weights, &Jacobians)>,
    ) -> Balance {
        let span = posture.tip - posture.a;
        let span_rate = movement.tip[0] - posture.a_by[0] * motion.rate[CRANK];
        let line = self.line(&span, &span_rate, memory);
        let on_tip = lambda - line.direction * line.pull;
        let (normal, sum) = self.leaf_forces(movement, &on_tip);
        let moments = self.moments(posture, movement, &normal);
        let on_a = sum + line.direction * line.pull + self.gravity * (0.5 * self.crank_mass);
        let crank_angle = [motion.place[CRANK], motion.rate[CRANK]];
        let motor = self.motor(crank_angle, command, &memory.motor);
        let mut residual = -self.work(posture, &moments);
        residual[CRANK] -= posture.a_by[0].dot(&on_a) + motor.torque
            - self.crank_inertia * motion.acceleration[CRANK];
        let fields = |all: &Coordinates| -> FieldRow { all.fixed_rows::<FIELDS>(FIELD).into() };
        let (p, p_rate) = (fields(&motion.place), fields(&motion.rate));
        let mut elastic = self.stiffness * (p + p_rate * self.damping);
        let mut stiffened = None;
        if let Some(strip) = &self.strip {
            let (force, tangent) = self.strip_forces(strip, &p);
            elastic += force;
            stiffened = Some(tangent);
        }
        let mut rows = residual.fixed_rows_mut::<FIELDS>(FIELD);
        rows += elastic;
        let tangent = tangent.map(|(weights, jacobians)| {
            let mut out =
                self.inertia_and_geometry(posture, jacobians, weights.inertia, (&normal, &moments));
            out[CRANK][CRANK] -=
                posture.a_by[1].dot(&on_a) + motor.by[0] + motor.by[1] * weights.damping;
            let elastic = 1.0 + self.damping * weights.damping;
            for a in 0..FIELDS {
                for b in 0..=a {
                    let entry = &mut out[FIELD + a][FIELD + b];
                    *entry += self.stiffness[(a, b)] * elastic;
                    *entry += stiffened
                        .as_ref()
                        .map_or(0.0, |stiffened| stiffened[(a, b)]);
                }
            }
            add_line(&mut out, jacobians, posture, &line, weights.damping);
            out
        });
        Balance {
            residual,
            tangent,
            motor,
        }
    }

    /// n_g of (1), and the sum of all forces on the leaf.
    fn leaf_forces(
        &self,
        movement: &Movement,
        on_tip: &Vector3<f64>,
    ) -> ([Vector3<f64>; POINTS], Vector3<f64>) {
        let shape = &self.shape;
        let mut normal: [Vector3<f64>; POINTS] = core::array::from_fn(|g| on_tip * shape.weight[g]);
        let mut sum = *on_tip;
        for j in 0..POINTS {
            let mass = self.mass_per_length * shape.weight[j];
            let force = (self.gravity - movement.acceleration[j]) * mass;
            sum += force;
            for (g, normal) in normal.iter_mut().enumerate() {
                *normal += force * shape.place[(j, g)];
            }
        }
        (normal, sum)
    }

    /// μ_g of (1).
    fn moments(
        &self,
        posture: &Posture,
        movement: &Movement,
        normal: &[Vector3<f64>; POINTS],
    ) -> [Vector3<f64>; POINTS] {
        let mut out = [Vector3::zeros(); POINTS];
        let mut sum = Vector3::zeros();
        for g in (0..POINTS).rev() {
            let point = &posture.points[g];
            let weight = self.shape.weight[g];
            let (spin, rate) = (&movement.spin[g], &movement.spin_rate[g]);
            let carried = |v: &Vector3<f64>| {
                point.rotation * point.rotation.tr_mul(v).component_mul(&self.rotary)
            };
            let rotary = (carried(rate) + spin.cross(&carried(spin))) * weight;
            sum += point.tangent.cross(&normal[g]) - rotary;
            out[g] = sum;
        }
        out
    }

    /// Q of (2), and the moment on the crank of (3).
    fn work(&self, posture: &Posture, moments: &[Vector3<f64>; POINTS]) -> Coordinates {
        let mut out = Coordinates::zeros();
        let root = &moments[0];
        if self.frame.on_crank {
            out[CRANK] = self.frame.axes.column(2).dot(root);
        }
        out[FIRST] = posture.joint[0].dot(root);
        out[SECOND] = posture.joint[1].dot(root);
        for (g, point) in posture.points.iter().enumerate() {
            let local = point.turning.tr_mul(&moments[g]);
            let integral = &self.shape.integral[g];
            for i in 0..FIELDS {
                let along = if i < BENDING { local.z } else { local.x };
                out[FIELD + i] += integral[i] * along + point.second[i] * local.y;
            }
        }
        out
    }

    /// Moment and tangent that the strip adds to the beam.
    fn strip_forces(
        &self,
        strip: &multibody::model::StripLaw,
        p: &FieldRow,
    ) -> (FieldRow, SMatrix<f64, FIELDS, FIELDS>) {
        let (mut force, mut tangent) = (FieldRow::zeros(), SMatrix::zeros());
        for g in 0..POINTS {
            let mut value = self.shape.value[g];
            value.rows_mut(BENDING, FIELDS - BENDING).fill(0.0);
            let excess = strip.excess(value.dot(p));
            force += value * (excess.moment * self.shape.weight[g]);
            tangent += value * value.transpose() * (excess.stiffness * self.shape.weight[g]);
        }
        (force, tangent)
    }

    /// M of (5), lower triangle.
    pub fn mass(&self, posture: &Posture, jacobians: &Jacobians) -> Square {
        let none = [Vector3::zeros(); POINTS];
        self.inertia_and_geometry(posture, jacobians, 1.0, (&none, &none))
    }

    /// w_I M + K_g of (5) and (6), lower triangle.
    fn inertia_and_geometry(
        &self,
        posture: &Posture,
        jacobians: &Jacobians,
        inertia: f64,
        (normal, moments): (&[Vector3<f64>; POINTS], &[Vector3<f64>; POINTS]),
    ) -> Square {
        let mut out = [[0.0; COORDINATES]; COORDINATES];
        let mut products = [[0.0; FIELDS]; FIELDS];
        for (g, point) in posture.points.iter().enumerate() {
            let weight = self.shape.weight[g] * inertia;
            let mass = self.mass_per_length * weight;
            let place = &jacobians.place[g];
            let moved = place.map(|row| row.map(|entry| entry * mass));
            // Rotary inertia and the last sum of (6) stand between the same columns.
            let rotary = self.rotary * weight;
            let turned = Matrix3::from_columns(&[
                point.rotation.column(0) * rotary.x,
                point.rotation.column(1) * rotary.y,
                point.rotation.column(2) * rotary.z,
            ]);
            let (t, n) = (&point.tangent, &normal[g]);
            let held: Matrix3<f64> = t * n.transpose() - Matrix3::identity() * t.dot(n);
            let between = turned * point.rotation.transpose() - held;
            let spin = &jacobians.spin[g];
            let spun = times(&between, spin);
            let (by_phi, held) = self.turning(point, g, &moments[g], spin);
            let local = point.turning.column(1).dot(&moments[g]) / 6.0;
            add_products(&mut products, &self.shape, g, local);
            let [px, py, pz] = place;
            let [sx, sy, sz] = spin;
            let [fx, fy, fz] = &by_phi;
            let left = [px, py, pz, sx, sy, sz, fx, fy, fz];
            let [mx, my, mz] = &moved;
            let [ux, uy, uz] = &spun;
            let [hx, hy, hz] = &held;
            let right = [mx, my, mz, ux, uy, uz, hx, hy, hz];
            add_lower(&mut out, left, right);
        }
        for (a, row) in products.iter().enumerate() {
            for (b, entry) in row.iter().enumerate().take(a + 1) {
                out[FIELD + a][FIELD + b] -= entry;
            }
        }
        out[CRANK][CRANK] += self.crank_inertia * inertia;
        let root = &moments[0];
        let [f, s] = &posture.joint;
        if self.frame.on_crank {
            let motor: Vector3<f64> = self.frame.axes.column(2).into();
            out[FIRST][CRANK] -= motor.cross(f).dot(root);
            out[SECOND][CRANK] -= motor.cross(s).dot(root);
        }
        out[SECOND][FIRST] -= f.cross(s).dot(root);
        out
    }

    /// The first sum of (6) at a point: ∂φ/∂y, and what stands beside it.
    fn turning(
        &self,
        point: &super::sweep::Point,
        g: usize,
        moment: &Vector3<f64>,
        spin: &Rows,
    ) -> (Rows, Rows) {
        let integral = &self.shape.integral[g];
        let mut by_phi = [[0.0; COORDINATES]; 3];
        for i in 0..FIELDS {
            let along = if i < BENDING { 2 } else { 0 };
            by_phi[along][FIELD + i] = integral[i];
            by_phi[1][FIELD + i] = point.second[i];
        }
        // Row k: Ω·(D e_k × μ) = (D e_k)·(μ × Ω).
        let crossed: Matrix3<f64> = point.turning.tr_mul(&moment.cross_matrix());
        let mut held = times(&-crossed, spin);
        let local = point.rotation.tr_mul(moment);
        let own = -point.turn.tangent_change_against(&local);
        let more = times(&own, &by_phi);
        for (row, more) in held.iter_mut().zip(&more) {
            for (entry, more) in row.iter_mut().zip(more) {
                *entry += more;
            }
        }
        (by_phi, held)
    }

    /// Kinetic energy [J].
    pub fn kinetic_energy(&self, posture: &Posture, movement: &Movement, crank_rate: f64) -> f64 {
        let velocity = movement.velocities(&self.shape, &(posture.a_by[0] * crank_rate));
        let mut twice = self.crank_inertia * crank_rate * crank_rate;
        for (g, point) in posture.points.iter().enumerate() {
            let spin = point.rotation.tr_mul(&movement.spin[g]);
            let turning = spin.component_mul(&spin).dot(&self.rotary);
            let moving = self.mass_per_length * velocity[g].norm_squared();
            twice += self.shape.weight[g] * (moving + turning);
        }
        0.5 * twice
    }

    /// Energy of the bent and twisted leaf [J].
    pub fn strain_energy(&self, place: &Coordinates) -> f64 {
        let p: FieldRow = place.fixed_rows::<FIELDS>(FIELD).into();
        let strip = |strip: &multibody::model::StripLaw| -> f64 {
            (0..POINTS)
                .map(|g| {
                    let value = &self.shape.value[g];
                    let curvature = (0..BENDING).map(|i| value[i] * p[i]).sum();
                    self.shape.weight[g] * strip.excess(curvature).energy
                })
                .sum()
        };
        0.5 * p.dot(&(self.stiffness * p)) + self.strip.as_ref().map_or(0.0, strip)
    }

    /// Energy of tendon and stops at a chord [m] and of the motor's stops [J].
    pub fn spring_energy(&self, chord: f64, angle: f64) -> f64 {
        let line = self.tendon.map_or(0.0, |line| line.stored_energy(chord));
        let stops = |stops: &Option<multibody::model::Stops>, x: f64| {
            stops.as_ref().map_or(0.0, |stops| stops.stored_energy(x))
        };
        let motor = if self.crank_is_led() {
            0.0
        } else {
            stops(&self.motor_stops, angle)
        };
        line + stops(&self.tendon_stops, chord) + motor
    }

    /// Potential of gravity [J].
    pub fn gravity_energy(&self, posture: &Posture) -> f64 {
        if self.gravity == Vector3::zeros() {
            return 0.0;
        }
        let crank = (self.frame.origin + posture.a) * (0.5 * self.crank_mass);
        let leaf: Vector3<f64> = (0..POINTS)
            .map(|j| posture.place(&self.shape, j) * (self.shape.weight[j] * self.mass_per_length))
            .sum();
        -self.gravity.dot(&(crank + leaf))
    }

    /// Power lost in tendon, stops of the tendon unit and leaf [W].
    pub fn lost_power(&self, line: &Line, rate: &Coordinates, memory: &StopMemories) -> f64 {
        let [chord, speed] = line.length;
        let tendon = self
            .tendon
            .map_or(0.0, |line| line.dissipated_power(chord, speed));
        let stops = self.tendon_stops.map_or(0.0, |stops| {
            stops.dissipated_power(chord, speed, &memory.tendon)
        });
        let p: FieldRow = rate.fixed_rows::<FIELDS>(FIELD).into();
        tendon + stops + self.damping * p.dot(&(self.stiffness * p))
    }
}

/// A 3 × 3 matrix times the rows of a vector per coordinate.
#[inline]
fn times(matrix: &Matrix3<f64>, rows: &Rows) -> Rows {
    let mut out = [[0.0; COORDINATES]; 3];
    for (c, out) in out.iter_mut().enumerate() {
        let [x, y, z] = [matrix[(c, 0)], matrix[(c, 1)], matrix[(c, 2)]];
        for i in 0..COORDINATES {
            out[i] = x * rows[0][i] + y * rows[1][i] + z * rows[2][i];
        }
    }
    out
}

/// Adds Σ left rightᵀ to the lower triangle, and to some entries above it that nobody reads: rows in
/// pairs, whose sums stay in registers.
fn add_lower<const N: usize>(out: &mut Square, left: [&Row; N], right: [&Row; N]) {
    // The bound of the inner loop is known for each pair of rows, so that it is unrolled.
    add_rows::<2, N>(out, left, right);
    add_rows::<4, N>(out, left, right);
    add_rows::<6, N>(out, left, right);
    add_rows::<8, N>(out, left, right);
    add_rows::<10, N>(out, left, right);
    add_rows::<12, N>(out, left, right);
}

const _: () = assert!(COORDINATES == 12);

/// The last two of the first `UP_TO` rows.
#[inline]
fn add_rows<const UP_TO: usize, const N: usize>(
    out: &mut Square,
    left: [&Row; N],
    right: [&Row; N],
) {
    let first = UP_TO - 2;
    let mut sums = [[0.0; UP_TO]; 2];
    for (left, right) in left.into_iter().zip(right) {
        let [x, y] = [left[first], left[first + 1]];
        for b in 0..UP_TO {
            sums[0][b] += x * right[b];
            sums[1][b] += y * right[b];
        }
    }
    for (row, sums) in out[first..].iter_mut().zip(&sums) {
        for (entry, sum) in row.iter_mut().zip(sums) {
            *entry += sum;
        }
    }
}

/// What the product in φ₂ adds to the first sum of (6): `moment` works on φ₂, over 6.
#[inline]
fn add_products(
    out: &mut [[f64; FIELDS]; FIELDS],
    shape: &super::shape::Shape,
    g: usize,
    moment: f64,
) {
    let (integral, slope) = (&shape.integral[g], &shape.slope[g]);
    for twist in BENDING..FIELDS {
        for bend in 0..BENDING {
            let mixed = integral[bend] * slope[twist] - integral[twist] * slope[bend];
            out[twist][bend] += moment * mixed;
        }
    }
}

/// The tangent of tendon and stops, what F does through x_B and A apart; lower triangle.
fn add_line(out: &mut Square, jacobians: &Jacobians, posture: &Posture, line: &Line, damping: f64) {
    if line.by == [0.0; 2] && line.pull == 0.0 {
        return;
    }
    let mut span_by = jacobians.tip;
    let mut column = span_by.column_mut(CRANK);
    column -= posture.a_by[0];
    let rows: Rows = core::array::from_fn(|c| core::array::from_fn(|i| span_by[(c, i)]));
    let e = &line.direction;
    let [length, _] = line.length;
    let [by_length, by_rate] = line.by;
    let along = e * e.transpose();
    let across = (Matrix3::identity() - along) * (line.pull / length);
    let stiff = along * (by_length + by_rate * damping) + across;
    let answer = times(&stiff, &rows);
    add_lower(out, rows.each_ref(), answer.each_ref());
}
