//! The leg as a strut: a weightless leaf between its hinges, with its tendon.
//!
//! A leaf without mass between a universal joint at A and a spherical joint at B is in equilibrium at
//! every moment. No moment acts at B, and of those at A only the one that the universal joint carries:
//! the force at B therefore lies on the chord z = x_B − x_A, and its size is the elastica's thrust P
//! at the chord c = |z| ([`crate::elastica`]). With the tension T of the tendon and the force F of its
//! stops, both along e = z/c, the force on what holds the tip is
//!
//! ```text
//! f = N e + f_s,     N = P(c) − T(c, ċ) + F(c, ċ)                                  (1)
//! ∂f/∂z = N_c e eᵀ + (N/c)(I − e eᵀ) + N_ċ e (ż − ċ e)ᵀ/c + ∂f_s/∂z,  ∂f/∂ż = N_ċ e eᵀ  (2)
//! ```
//!
//! and −f acts at A. Weight of the leaf, mass m: half of it at each end, and the leaf's middle is off
//! the chord by ȳ(c) along n, toward which it bows:
//!
//! ```text
//! V = −m g·((x_A + x_B)/2 + ȳ n),     f_s = m ∂(ȳ g·n)/∂z                          (3)
//! n = ±u/|u|,   u = z × p,   ∂(g·n)/∂z = ±p × a,   a = (g − n (n·g))/|u|           (4)
//! ∂a/∂u = (3 (n·g) n nᵀ − g nᵀ − n gᵀ − (n·g) I)/|u|²                              (5)
//! ```
//!
//! p is the universal joint's first axis. (4) takes the leaf's plane as normal to p × z; the root's
//! lean out of that plane is left out here, but not where the leaf is drawn.
//!
//! Kinetics: a straight rod whose ends move has the kinetic energy `(m/6)(v_A² + v_A·v_B + v_B²)`,
//! which a third of the mass at each end gives where the other end stands still: so it is with locked
//! motors. What holds the ends carries these masses.
//!
//! Units: m, N, N·m, kg, s, rad. World axes, unless the base moves: then everything here is in axes
//! that are at rest at the moment.

use super::LegError;
use super::config::{Leaf, LeafSection, Motor, MotorMode};
use super::elastica::{ElasticaPoint, ThrustLaw};
use super::spatial::{Carrier, SectionShape, SpatialLegConfig};
use super::strain::section_size;
use multibody::dynamics::stops::crossing_of;
use multibody::group::{Group, Se3};
use multibody::math;
use multibody::model::{LineLaw, STOP_MEMORY, Stops};
use multibody::results::soundness::LeafStrain;
use multibody::results::stress::Stress;
use nalgebra::{Matrix3, Rotation3, Unit, Vector3};

/// Part of the leaf's mass that each end carries in motion.
pub const MASS_SHARE: f64 = 1.0 / 3.0;
/// Part of the leaf's weight that each end carries.
pub const WEIGHT_SHARE: f64 = 0.5;
/// Stretching of the leaf under the Euler load above which the elastica is not taken for it.
const MOST_STRETCH: f64 = 1e-3;

/// What a pair of stops remembers.
pub type StopMemory = [f64; STOP_MEMORY];

/// The leg as a strut.
#[derive(Debug, Clone, PartialEq)]
pub struct Strut {
    config: Box<SpatialLegConfig>,
    law: ThrustLaw,
    tendon: Option<LineLaw>,
    rest_length: Option<f64>,
    stops: Option<Stops>,
    /// Mass of the leaf [kg].
    mass: f64,
    gravity: Vector3<f64>,
    /// The motor's axis through O: place and columns e_c, e_u, e_m.
    origin: Vector3<f64>,
    axes: Matrix3<f64>,
    /// First axis of the universal joint at q1 = 0.
    first: Vector3<f64>,
    /// n = side · u/|u| in (4).
    side: f64,
}

/// Motion of a strut's tip against A.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct StrutMotion {
    /// z = x_B − x_A [m].
    pub span: Vector3<f64>,
    /// ż [m/s].
    pub rate: Vector3<f64>,
    /// First axis of the universal joint.
    pub first: Vector3<f64>,
}

/// Force of a strut on what holds its tip, (1), and its derivatives, (2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StrutForce {
    /// f [N]; its weight is not in it.
    pub force: Vector3<f64>,
    /// ∂f/∂z [N/m].
    pub by_span: Matrix3<f64>,
    /// ∂f/∂ż [N·s/m].
    pub by_rate: Matrix3<f64>,
}

/// Energies of a strut [J].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StrutEnergy {
    /// Strain energy of the leaf.
    pub strain: f64,
    /// Held by the tendon and its stops.
    pub tendon: f64,
    /// Potential of the leaf's bow in gravity, −m ȳ g·n.
    pub bow: f64,
}

impl Strut {
    /// The strut of a leg in its pre-tensioned posture.
    pub fn new(config: &SpatialLegConfig) -> Result<Self, LegError> {
        config.validate()?;
        check(config)?;
        let mut out = Self::bare(config)?;
        out.pretension()?;
        Ok(out)
    }

    /// The leaf between its hinges, still without tendon.
    fn bare(config: &SpatialLegConfig) -> Result<Self, LegError> {
        let leaf = &config.leaf;
        let (_, _, bending) = section_size(config);
        let section = config.section()?;
        let stretching = section.stiffness[(0, 0)];
        let axes = config.base.axes()?;
        let mut out = Self {
            law: ThrustLaw::new(leaf.length_m, bending, stretching),
            tendon: None,
            rest_length: None,
            stops: None,
            mass: section.mass_per_length * leaf.length_m,
            gravity: config.gravity_m_s2.into(),
            origin: config.base.motor_position_m.into(),
            first: axes * Vector3::from(config.universal.first_axis).normalize(),
            side: 0.0,
            axes,
            config: Box::new(config.clone()),
        };
        out.side = out.bow_side();
        Ok(out)
    }

    /// Finds the tendon's rest length: its tension is the thrust in the pre-tensioned posture.
    fn pretension(&mut self) -> Result<(), LegError> {
        let config = &self.config;
        let q1 = config.q1_rad;
        let span = Vector3::from(config.tip_position_m) - self.crank_end(q1);
        let (chord, length) = (span.norm(), self.law.length());
        if chord.is_nan() || chord > length || chord < super::elastica::SHORTEST * length {
            return Err(LegError::ImpossibleChord {
                chord_m: chord,
                shortest_m: super::elastica::SHORTEST * length,
                longest_m: length,
                reason: "the leaf neither stretches nor crosses itself",
            });
        }
        if !config.tendon.present {
            return Ok(());
        }
        let motion = StrutMotion {
            span,
            rate: Vector3::zeros(),
            first: self.first_axis(q1),
        };
        let bow = self.bow_force(&motion).0;
        let thrust = self.law.thrust(chord).0 + bow.dot(&span) / chord;
        let stiffness_n_per_m = config.tendon.stiffness_n_per_m;
        let needed = chord - thrust.max(0.0) / stiffness_n_per_m;
        let rest = config.tendon.rest_length_m.unwrap_or(needed);
        if rest < 0.0 {
            return Err(LegError::TensionTooHigh {
                tension_n: thrust,
                highest_n: stiffness_n_per_m * chord,
                chord_m: chord,
                stiffness_n_per_m,
            });
        }
        self.rest_length = Some(rest);
        self.tendon = Some(config.tendon.law(rest));
        self.stops = config.tendon.stops(chord);
        Ok(())
    }

    /// Sign of n: the root's third axis is the one of two that is nearer to the motor's.
    fn bow_side(&self) -> f64 {
        let along = self.first.dot(&self.axes.column(2));
        let upright = if along < 0.0 { -1.0 } else { 1.0 };
        let flipped = if self.config.universal.flipped {
            -1.0
        } else {
            1.0
        };
        -self.config.side.sign() * upright * flipped
    }

    /// Its configuration.
    pub fn config(&self) -> &SpatialLegConfig {
        &self.config
    }

    /// Rest length of the tendon [m].
    pub fn rest_length(&self) -> Option<f64> {
        self.rest_length
    }

    /// True if there is a tendon.
    pub fn has_tendon(&self) -> bool {
        self.tendon.is_some()
    }

    /// Mass of the leaf [kg].
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Gravity [m/s²].
    pub fn gravity(&self) -> Vector3<f64> {
        self.gravity
    }

    /// Pose of the crank at an angle [rad].
    pub fn crank_pose(&self, q1: f64) -> Se3 {
        Se3::from_parts(self.origin, self.turn(q1) * self.axes)
    }

    fn turn(&self, q1: f64) -> Rotation3<f64> {
        Rotation3::from_axis_angle(&Unit::new_normalize(self.axes.column(2).into()), q1)
    }

    /// A at a crank angle [rad].
    pub fn crank_end(&self, q1: f64) -> Vector3<f64> {
        self.origin + self.turn(q1) * self.axes.column(0) * self.config.crank.length_m
    }

    /// ∂A/∂q1 [m].
    pub fn crank_end_by_angle(&self, q1: f64) -> Vector3<f64> {
        let arm = self.crank_end(q1) - self.origin;
        self.axes.column(2).cross(&arm)
    }

    /// First axis of the universal joint at a crank angle [rad].
    pub fn first_axis(&self, q1: f64) -> Vector3<f64> {
        match self.config.universal.carried_by {
            Carrier::Crank => self.turn(q1) * self.first,
            Carrier::Base => self.first,
        }
    }

    /// Weight of the leaf that each end carries [N].
    pub fn end_weight(&self) -> Vector3<f64> {
        self.gravity * (self.mass * WEIGHT_SHARE)
    }

    /// Torque that holds the crank still at `q1` [N·m] against `on_crank`, the force on its end [N]: that
    /// of the leaf's end with its weight.
    pub fn holding_torque(&self, q1: f64, on_crank: &Vector3<f64>) -> f64 {
        let weight = self.gravity * (0.5 * self.config.crank.mass_kg);
        -self.crank_end_by_angle(q1).dot(&(on_crank + weight))
    }

    /// f_s of (3) and its derivative by z.
    fn bow_force(&self, motion: &StrutMotion) -> (Vector3<f64>, Matrix3<f64>) {
        if self.gravity == Vector3::zeros() {
            return (Vector3::zeros(), Matrix3::zeros());
        }
        let (z, p, g) = (&motion.span, &motion.first, &self.gravity);
        let chord = z.norm();
        let e = z / chord;
        let u = z.cross(p);
        let size = u.norm();
        let n = u / size;
        let offset = self.law.mean_offset(chord);
        let along = n.dot(g);
        let a = (g - n * along) / size;
        let slope = p.cross(&a); // ∂(g·n)/∂z of (4), but for the sign.
        let scale = self.mass * self.side;
        let force = (e * (offset.slope * along) + slope * offset.value) * scale;
        let outer = n * g.transpose() + g * n.transpose();
        let a_by_u = (n * n.transpose() * (3.0 * along) - outer - Matrix3::identity() * along)
            / (size * size);
        let cross = p.cross_matrix();
        // ∂u/∂z = −p×.
        let curvature = -(cross * a_by_u * cross);
        let across = (Matrix3::identity() - e * e.transpose()) / chord;
        let by_span = (e * e.transpose() * (offset.curvature * along)
            + across * (offset.slope * along)
            + (e * slope.transpose() + slope * e.transpose()) * offset.slope
            + curvature * offset.value)
            * scale;
        (force, by_span)
    }

    /// The force on what holds the tip, (1) and (2).
    pub fn respond(&self, motion: &StrutMotion, memory: &StopMemory) -> StrutForce {
        let (z, rate) = (&motion.span, &motion.rate);
        let chord = z.norm();
        let e = z / chord;
        let lengthening = e.dot(rate);
        let (thrust, thrust_by) = self.law.thrust(chord);
        let (mut size, mut by_chord, mut by_rate) = (thrust, thrust_by, 0.0);
        if let Some(tendon) = &self.tendon {
            let pull = tendon.respond(chord, lengthening);
            size -= pull.tension;
            by_chord -= pull.by_length;
            by_rate -= pull.by_rate;
        }
        if let Some(stops) = &self.stops {
            let push = stops.respond(chord, lengthening, memory);
            size += push.force;
            by_chord += push.by_position;
            by_rate += push.by_rate;
        }
        let along = e * e.transpose();
        let across = (Matrix3::identity() - along) / chord;
        let (bow, bow_by) = self.bow_force(motion);
        let turning = e * (across * rate).transpose();
        StrutForce {
            force: e * size + bow,                                                  // (1)
            by_span: along * by_chord + across * size + turning * by_rate + bow_by, // (2)
            by_rate: along * by_rate,
        }
    }

    /// Energies at a span [m].
    pub fn energy(&self, motion: &StrutMotion) -> StrutEnergy {
        let chord = motion.span.norm();
        let bow = if self.gravity == Vector3::zeros() {
            0.0
        } else {
            let n = motion.span.cross(&motion.first).normalize() * self.side;
            -self.mass * self.law.mean_offset(chord).value * n.dot(&self.gravity)
        };
        let line = self.tendon.map_or(0.0, |line| line.stored_energy(chord));
        let stops = self.stops.map_or(0.0, |stops| stops.stored_energy(chord));
        StrutEnergy {
            strain: self.law.energy(chord),
            tendon: line + stops,
            bow,
        }
    }

    /// Power lost in tendon and stops [W].
    pub fn dissipated_power(&self, motion: &StrutMotion, memory: &StopMemory) -> f64 {
        let chord = motion.span.norm();
        let rate = motion.span.dot(&motion.rate) / chord;
        let line = |line: &LineLaw| line.dissipated_power(chord, rate);
        let stop = |stops: &Stops| stops.dissipated_power(chord, rate, memory);
        self.tendon.as_ref().map_or(0.0, line) + self.stops.as_ref().map_or(0.0, stop)
    }

    /// Tension of the tendon [N].
    pub fn tension(&self, motion: &StrutMotion) -> f64 {
        let chord = motion.span.norm();
        let rate = motion.span.dot(&motion.rate) / chord;
        self.tendon
            .map_or(0.0, |line| line.respond(chord, rate).tension)
    }

    /// Takes an accepted motion into the memory of the stops.
    pub fn remember(&self, motion: &StrutMotion, memory: &mut StopMemory) {
        if let Some(stops) = &self.stops {
            let chord = motion.span.norm();
            stops.remember(chord, motion.span.dot(&motion.rate) / chord, memory);
        }
    }

    /// Fraction of a step of `h` [s] at which a stop of the tendon unit is met or left.
    pub fn stop_event(
        &self,
        [from, to]: [&StrutMotion; 2],
        h: f64,
        memory: &StopMemory,
    ) -> Option<f64> {
        let ends = [from, to].map(|motion| {
            let chord = motion.span.norm();
            [chord, motion.span.dot(&motion.rate) / chord]
        });
        crossing_of(self.stops.as_ref()?, memory, ends, h)
    }

    /// Largest strains of the leaf at a chord [m].
    pub fn leaf_strain(&self, chord: f64) -> LeafStrain {
        let (half, _, bending) = section_size(&self.config);
        let axial = self.axial_force(chord) / self.stretching();
        LeafStrain {
            axial,
            surface: axial + half * self.middle_moment(chord) / bending,
        }
    }

    /// Largest stress of the leaf at a chord [m]: that of bending in its middle, with the thrust.
    pub fn leaf_stress(&self, chord: f64) -> Stress {
        let strain = self.leaf_strain(chord);
        let normal = strain.surface * self.config.leaf.youngs_modulus_pa;
        Stress {
            von_mises: normal,
            normal,
            place: 0.5 * self.law.length(),
        }
    }

    fn stretching(&self) -> f64 {
        let leaf = &self.config.leaf;
        let area = match self.config.section {
            SectionShape::Leaf => leaf.width_m * leaf.thickness_m,
            SectionShape::Rod { radius_m } => core::f64::consts::PI * radius_m * radius_m,
        };
        leaf.youngs_modulus_pa * area
    }

    fn axial_force(&self, chord: f64) -> f64 {
        self.law.thrust(chord).0.abs()
    }

    /// Bending moment in the middle of the leaf, thrust times sag [N·m].
    fn middle_moment(&self, chord: f64) -> f64 {
        if chord >= self.law.length() {
            return 0.0;
        }
        let sag = self.law.elastica(chord).sag() * self.law.length();
        self.law.thrust(chord).0 * sag
    }

    /// Poses along the leaf from A to B at `elements` + 1 equal parts: e1 along it, e2 normal to its
    /// face, e3 across. The root's second axis is at right angles to the joint's first axis p: with the
    /// end angle α, n·p = tan α e·p.
    pub fn shape(&self, a: &Vector3<f64>, motion: &StrutMotion, elements: usize) -> Vec<Se3> {
        let length = self.law.length();
        let chord = motion.span.norm();
        let e = motion.span / chord;
        let elastica = self.law.elastica(chord);
        let n = self.bow_direction(&e, &motion.first, elastica.end_angle());
        // The leaf's own normal e2 is −n where it bows to −e2.
        let side = self.config.side.sign();
        let across = e.cross(&n) * side;
        let stretch = (chord / length).max(1.0);
        (0..=elements)
            .map(|i| {
                let share = i as f64 / elements as f64;
                let ElasticaPoint { along, away, angle } = elastica.point(share);
                let (sin, cos) = math::sin_cos(angle);
                let tangent = e * cos + n * sin;
                let place = a + e * (along * length * stretch) + n * (away * length);
                let rotation = [tangent, across.cross(&tangent), across];
                Se3::from_parts(place, Matrix3::from_columns(&rotation))
            })
            .collect()
    }

    fn bow_direction(&self, e: &Vector3<f64>, p: &Vector3<f64>, angle: f64) -> Vector3<f64> {
        let across = p - e * p.dot(e);
        let size = across.norm();
        let u1 = across / size;
        let u2 = e.cross(&u1);
        let (sin, cos) = math::sin_cos(angle);
        let wanted = sin / cos.max(1e-3) * p.dot(e) / size;
        let x = wanted.clamp(-1.0, 1.0);
        u1 * x + u2 * ((1.0 - x * x).sqrt() * self.side)
    }
}

/// Poses of the leaf's nodes in the pre-tensioned posture as the elastica has them: where the search
/// for the equilibrium of a leaf may start. None where the leaf is no elastica or its plane not known.
pub fn bowed_poses(config: &SpatialLegConfig) -> Result<Option<Vec<Se3>>, LegError> {
    let second = Vector3::from(config.universal.second_axis).normalize();
    let known = config.leaf.curvature_per_m == 0.0 && second.y.abs() > 1.0 - 1e-9;
    let strut = Strut::bare(config)?;
    let a = strut.crank_end(config.q1_rad);
    let motion = StrutMotion {
        span: Vector3::from(config.tip_position_m) - a,
        rate: Vector3::zeros(),
        first: strut.first_axis(config.q1_rad),
    };
    let ratio = motion.span.norm() / config.leaf.length_m;
    let leans = motion.first.cross(&motion.span).norm() < 0.05 * motion.span.norm();
    if !known || leans || !(super::elastica::SHORTEST..1.0).contains(&ratio) {
        return Ok(None);
    }
    Ok(Some(strut.shape(&a, &motion, config.solver.elements)))
}

/// Refuses what a strut was not tried with, naming the key.
pub fn check(config: &SpatialLegConfig) -> Result<(), LegError> {
    let refuse = |key: &'static str, value: String, reason: &'static str| {
        Err(LegError::NotAsStrut { key, value, reason })
    };
    let (leaf, universal) = (&config.leaf, &config.universal);
    if config.motor.mode != MotorMode::Locked {
        let value = format!("{:?}", config.motor.mode).to_lowercase();
        return refuse(
            Motor::mode.key,
            value,
            "cranks that move feel the leaf's inertia, which a strut does not have (4 % off); take \
             motor.mode = \"locked\"",
        );
    }
    if leaf.section != LeafSection::Beam {
        return refuse(
            Leaf::section.key,
            "strip".to_owned(),
            "the strut's law of thrust is that of a beam",
        );
    }
    if leaf.curvature_per_m != 0.0 {
        return refuse(
            Leaf::curvature_per_m.key,
            leaf.curvature_per_m.to_string(),
            "the strut's law of thrust is that of a leaf that is straight when unstressed",
        );
    }
    let damping = [
        (Leaf::rayleigh_mass_per_s.key, leaf.rayleigh_mass_per_s),
        (Leaf::rayleigh_stiffness_s.key, leaf.rayleigh_stiffness_s),
        (
            Leaf::modal_damping_ratios.key,
            leaf.modal_damping_ratios.iter().sum(),
        ),
    ];
    for (key, value) in damping {
        if value != 0.0 {
            return refuse(
                key,
                value.to_string(),
                "a strut's leaf has no vibrations to damp",
            );
        }
    }
    let (_, _, bending) = section_size(config);
    let k = core::f64::consts::PI / leaf.length_m;
    let section = config.section()?;
    let stretch = k * k * bending / section.stiffness[(0, 0)];
    if stretch > MOST_STRETCH {
        return refuse(
            Leaf::thickness_m.key,
            leaf.thickness_m.to_string(),
            "the leaf is so thick for its length that it shortens noticeably before it bows",
        );
    }
    let straight = |axis: [f64; 3], i: usize| {
        let axis = Vector3::from(axis).normalize();
        axis[i].abs() > 1.0 - 1e-9
    };
    let usual = straight(universal.first_axis, 2) && straight(universal.second_axis, 1);
    if config.gravity_m_s2 != [0.0; 3] && !usual {
        return refuse(
            SpatialLegConfig::gravity_m_s2.key,
            format!("{:?}", config.gravity_m_s2),
            "with these axes of the universal joint it is not known to which side the weight of the \
             bowed leaf hangs; take the default axes",
        );
    }
    Ok(())
}
