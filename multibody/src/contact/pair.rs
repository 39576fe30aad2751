//! Contact of points on body A with surfaces on body B: wrenches on both and their exact tangents.
//!
//! For every contact (a point of A against a feature of B), in the frame of B as in `relative`,
//! with p the point in A, r the radius of its tip, ∇∇φ the Hessian of the distance:
//!
//! ```text
//! x = R p + d,  δ = r − φ(x),  n = ∇φ(x),  c = x − r n                         (1)
//! u = η_lin + η_ang × c,  δ̇ = −n·u,  u_t = u − n (n·u)                         (2)
//! f = N(δ, δ̇) n + T(u_t, N),  W = Σ (f, c × f)                                 (3)
//! ```
//!
//! c is the one common point [m] at which f acts on A and −f on B. Since c − x is along n,
//! n·u is the rate of the gap whatever r is, so the power of the wrenches is exactly
//! −dU/dt − dissipation. With C = I − r ∇∇φ, ∂c/∂x = C, and the derivatives of N and T,
//!
//! ```text
//! f_u = −N_δ̇ (n + T_N) nᵀ + T_u (I − n nᵀ)
//! f_x = −(n + T_N)(N_δ nᵀ + N_δ̇ (∇∇φ u)ᵀ) + N ∇∇φ
//!       − T_u ((n·u) ∇∇φ + n (∇∇φ u)ᵀ) + f_u η̃_ang C                           (4)
//! W_ξ = Σ [f_x; c̃ f_x − f̃ C] [I, −x̃],  W_η = Σ [f_u; c̃ f_u] [I, −c̃]            (5)
//! ```
//!
//! f_x counts u as carried along with c. Dissipated power: (N − K δⁿ) δ̇ in the normal damping
//! (also what a clamped force fails to give back) and −T·u_t in friction, neither ever negative.

use super::episode::Episodes;
use super::friction::Friction;
use super::geometry::{Distance, Feature};
use super::law::NormalForce;
use super::output::{ContactOutput, PointForce};
use super::relative::{BodyMotion, Interaction, PairTangent, Relative};
use crate::group::{Group, Se3};
use crate::math;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// Where the ports sit on their bodies: port frame to body frame.
///
/// The port of A looks along its z axis toward B, the port of B along its z axis toward A: in
/// perfect alignment the z axes are opposite. Points are given in the port frame of A, features in
/// that of B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mounts {
    /// Port of body A.
    pub a: Se3,
    /// Port of body B.
    pub b: Se3,
}

impl Default for Mounts {
    fn default() -> Self {
        Self {
            a: Se3::identity(),
            b: Se3::identity(),
        }
    }
}

/// What a contact is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactParts {
    /// Tip centres in the port frame of body A [m].
    pub points: Vec<Vector3<f64>>,
    /// Radius of the sphere at every point [m], not negative.
    pub tip_radius: f64,
    /// The surface of body B in its port frame.
    pub features: Vec<Feature>,
    /// Normal law of every contact.
    pub normal: NormalForce,
    /// Friction law of every contact.
    pub friction: Friction,
    /// Where the ports are.
    pub mounts: Mounts,
    /// Time steps per half period of a contact oscillation, above zero.
    pub steps_per_half_period: f64,
}

/// How well the ports are aligned: what a latch looks at.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Alignment {
    /// Smallest gap [m].
    pub gap: f64,
    /// Angle between the docking axes [rad], zero when they are opposite.
    pub angle: f64,
    /// Relative speed at the centre of the contact points [m/s].
    pub speed: f64,
}

/// Gap and closing speed of one contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approach {
    /// Gap [m], negative when touching.
    pub gap: f64,
    /// Rate at which the gap closes δ̇ [m/s].
    pub closing_speed: f64,
    /// Outward normal of B there, in the axes of B [-].
    pub normal: Vector3<f64>,
    /// Contact point c in the frame of B [m].
    pub position: Vector3<f64>,
}

/// Forces between two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairResponse {
    /// On A and B, in their axes about their origins.
    pub wrenches: [Vector6<f64>; 2],
    /// Derivatives by the perturbations of the poses.
    pub by_pose: PairTangent,
    /// Derivatives by the twists.
    pub by_twist: PairTangent,
    /// Whether anything touches.
    pub touches: bool,
    /// Sum of the normal forces [N].
    pub normal_force: f64,
    /// Force on A in world axes [N].
    pub force: Vector3<f64>,
    /// Energy stored [J].
    pub potential: f64,
    /// Power lost in damping and friction [W].
    pub power: f64,
    /// Smallest gap [m].
    pub gap: f64,
}

/// The contact of two bodies; immutable.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactPair {
    /// Tip centres in the frame of body A [m].
    points: Vec<Vector3<f64>>,
    /// Mean of `points` [m].
    centre: Vector3<f64>,
    features: Vec<Feature>,
    tip_radius: f64,
    normal: NormalForce,
    friction: Friction,
    mounts: Mounts,
    steps_per_half_period: f64,
}

impl ContactPair {
    /// The pair of its parts.
    pub fn new(parts: ContactParts) -> Self {
        let port = parts.mounts.a;
        let place = |p: Vector3<f64>| port.rotation() * p + port.translation();
        let points: Vec<_> = parts.points.into_iter().map(place).collect();
        let centre = if points.is_empty() {
            port.translation()
        } else {
            points.iter().sum::<Vector3<f64>>() / points.len() as f64
        };
        Self {
            points,
            centre,
            features: parts.features,
            tip_radius: parts.tip_radius,
            normal: parts.normal,
            friction: parts.friction,
            mounts: parts.mounts,
            steps_per_half_period: parts.steps_per_half_period,
        }
    }

    /// Number of contacts: points times features, the features of a point side by side.
    pub fn contacts(&self) -> usize {
        self.points.len() * self.features.len()
    }

    /// Centre of the contact points in the frame of body A [m].
    pub fn centre(&self) -> &Vector3<f64> {
        &self.centre
    }

    /// Frame of the mating plane in the frame of body A: origin in the centre of its contact points,
    /// z axis along its port's.
    pub fn mating_frame(&self) -> Se3 {
        Se3::from_parts(self.centre, self.mounts.a.rotation())
    }

    /// The normal law.
    pub fn normal(&self) -> &NormalForce {
        &self.normal
    }

    /// Where the ports are.
    pub(super) fn mounts(&self) -> &Mounts {
        &self.mounts
    }

    /// Steps per half period of a contact oscillation that the configuration asks for.
    pub(super) fn steps_per_half_period(&self) -> f64 {
        self.steps_per_half_period
    }

    /// An output of the right size.
    pub fn output(&self) -> ContactOutput {
        ContactOutput::new(self.contacts())
    }

    /// Wrenches and tangents of the contact of body `a` with body `b`, into `output`.
    ///
    /// # Panics
    /// If `episodes` or `output` were made for another number of contacts.
    pub fn evaluate(
        &self,
        episodes: &Episodes,
        a: &BodyMotion,
        b: &BodyMotion,
        output: &mut ContactOutput,
    ) {
        self.evaluate_with(episodes, a, b, output, true);
    }

    /// As [`Self::evaluate`], without the tangents, which are left zero.
    ///
    /// # Panics
    /// As [`Self::evaluate`].
    pub fn evaluate_forces(
        &self,
        episodes: &Episodes,
        a: &BodyMotion,
        b: &BodyMotion,
        output: &mut ContactOutput,
    ) {
        self.evaluate_with(episodes, a, b, output, false);
    }

    fn evaluate_with(
        &self,
        episodes: &Episodes,
        a: &BodyMotion,
        b: &BodyMotion,
        output: &mut ContactOutput,
        tangents: bool,
    ) {
        let count = self.contacts();
        assert_eq!(episodes.len(), count, "episodes of another contact pair");
        assert_eq!(output.points.len(), count, "output of another contact pair");
        output.clear();
        let relative = Relative::new(a, b);
        let (rotation, origin) = (b.pose.rotation(), b.pose.translation());
        let mut interaction = Interaction::zero();
        let mut touched = false;
        for (i, (x, surface)) in self.surfaces(&relative).enumerate() {
            let gap = surface.value - self.tip_radius;
            let c = x - self.tip_radius * surface.normal; // (1)
            output.minimum_gap = output.minimum_gap.min(gap);
            let position = rotation * c + origin;
            // Not «gap < 0»: a position that is not a number must not pass for apart.
            if gap >= 0.0 {
                output.points[i] = PointForce {
                    position,
                    gap,
                    ..PointForce::nowhere()
                };
                continue;
            }
            let speed = episodes.contacts()[i].approach_speed;
            let touch = self.touch(speed, &relative, &x, &c, &surface);
            touch.add_to(&mut interaction, &relative, tangents);
            touched = true;
            output.normal_force += touch.normal_force;
            output.contact_potential += self.normal.potential(-gap);
            output.damping_power += touch.damping_power;
            output.friction_power += touch.friction_power;
            output.points[i] = PointForce {
                position,
                force: rotation * touch.force,
                normal_force: touch.normal_force,
                gap,
            };
        }
        if touched {
            output.add(&relative, &interaction, tangents);
        }
    }

    /// Wrenches and, if asked for, tangents, with the speed of every contact's touch from `speed`; contacts
    /// with speed zero are open, whatever their gap.
    pub fn respond(
        &self,
        speed: &dyn Fn(usize) -> f64,
        a: &BodyMotion,
        b: &BodyMotion,
        tangents: bool,
    ) -> PairResponse {
        let relative = Relative::new(a, b);
        let rotation = b.pose.rotation();
        let mut interaction = Interaction::zero();
        let mut out = PairResponse {
            wrenches: [Vector6::zeros(); 2],
            by_pose: PairTangent::zero(),
            by_twist: PairTangent::zero(),
            touches: false,
            normal_force: 0.0,
            force: Vector3::zeros(),
            potential: 0.0,
            power: 0.0,
            gap: f64::INFINITY,
        };
        for (i, (x, surface)) in self.surfaces(&relative).enumerate() {
            let gap = surface.value - self.tip_radius;
            out.gap = out.gap.min(gap);
            // Not «gap < 0»: a position that is not a number must not pass for apart.
            if gap >= 0.0 || speed(i) <= 0.0 {
                continue;
            }
            let c = x - self.tip_radius * surface.normal; // (1)
            let touch = self.touch(speed(i), &relative, &x, &c, &surface);
            touch.add_to(&mut interaction, &relative, tangents);
            out.touches = true;
            out.normal_force += touch.normal_force;
            out.force += rotation * touch.force;
            out.potential += self.normal.potential(-gap);
            out.power += touch.damping_power + touch.friction_power;
        }
        if out.touches {
            let (on_a, on_b) = relative.wrenches(&interaction.wrench);
            out.wrenches = [on_a, on_b];
            if tangents {
                relative.add_tangents(&interaction, &mut out.by_pose, &mut out.by_twist);
            }
        }
        out
    }

    /// Position of every contact's tip centre and its distance from the feature, in the frame of
    /// B.
    fn surfaces<'a>(
        &'a self,
        relative: &Relative,
    ) -> impl Iterator<Item = (Vector3<f64>, Distance)> + use<'a> {
        let (rotation, d) = (relative.pose.rotation(), relative.pose.translation());
        let port = self.mounts.b.rotation();
        let port_origin = self.mounts.b.translation();
        self.points.iter().flat_map(move |p| {
            let x = rotation * p + d; // (1)
            self.features.iter().map(move |feature| {
                let local = feature.distance(&port.tr_mul(&(x - port_origin)));
                let surface = Distance {
                    value: local.value,
                    normal: port * local.normal,
                    hessian: port * local.hessian * port.transpose(),
                };
                (x, surface)
            })
        })
    }

    fn touch(
        &self,
        approach_speed: f64,
        relative: &Relative,
        x: &Vector3<f64>,
        c: &Vector3<f64>,
        surface: &Distance,
    ) -> Touch {
        let n = surface.normal;
        let penetration = self.tip_radius - surface.value;
        let (linear, angular) = parts(&relative.twist);
        let u = linear + angular.cross(c); // (2)
        let opening = n.dot(&u);
        let normal = self.normal.evaluate(penetration, -opening, approach_speed);
        let u_t = u - n * opening;
        let friction = self.friction.evaluate(&u_t, normal.force);
        let bend = surface.hessian * u;
        let along = n + friction.by_normal_force;
        let by_velocity = -normal.by_rate * along * n.transpose()
            + friction.by_velocity * (Matrix3::identity() - n * n.transpose()); // (4)
        let by_position = -along * (normal.by_penetration * n + normal.by_rate * bend).transpose()
            + surface.hessian * normal.force
            - friction.by_velocity * (surface.hessian * opening + n * bend.transpose());
        Touch {
            x: *x,
            c: *c,
            moving: Matrix3::identity() - surface.hessian * self.tip_radius,
            force: n * normal.force + friction.force, // (3)
            by_position,
            by_velocity,
            normal_force: normal.force,
            damping_power: (normal.force - normal.elastic) * -opening,
            friction_power: -friction.force.dot(&u_t),
        }
    }

    /// Gap and closing speed of every contact, in the order of [`Episodes`].
    pub fn approaches<'a>(
        &'a self,
        a: &BodyMotion,
        b: &BodyMotion,
    ) -> impl Iterator<Item = Approach> + use<'a> {
        let relative = Relative::new(a, b);
        let (linear, angular) = parts(&relative.twist);
        self.surfaces(&relative).map(move |(x, surface)| {
            let position = x - self.tip_radius * surface.normal;
            Approach {
                gap: surface.value - self.tip_radius,
                closing_speed: -surface.normal.dot(&(linear + angular.cross(&position))),
                normal: surface.normal,
                position,
            }
        })
    }

    /// Gap, angle and speed for the latch.
    pub fn alignment(&self, a: &BodyMotion, b: &BodyMotion) -> Alignment {
        let relative = Relative::new(a, b);
        let gap = self
            .approaches(a, b)
            .fold(f64::INFINITY, |gap, approach| gap.min(approach.gap));
        let axis_a = relative.pose.rotation() * self.mounts.a.rotation().column(2);
        let axis_b = self.mounts.b.rotation().column(2).into_owned();
        let centre = relative.pose.rotation() * self.centre + relative.pose.translation();
        let (linear, angular) = parts(&relative.twist);
        Alignment {
            gap,
            angle: math::atan2(axis_a.cross(&axis_b).norm(), -axis_a.dot(&axis_b)),
            speed: (linear + angular.cross(&centre)).norm(),
        }
    }

    /// Smallest effective mass [kg] that any contact sees along its normal,
    /// `1/(j_Aᵀ M_A⁻¹ j_A + j_Bᵀ M_B⁻¹ j_B)`, from the inverse inertias of the bodies in their
    /// frames; a body that cannot move has the inverse inertia zero. Infinite if neither can.
    pub fn effective_mass(
        &self,
        a: &BodyMotion,
        b: &BodyMotion,
        inverse_inertia_a: &Matrix6<f64>,
        inverse_inertia_b: &Matrix6<f64>,
    ) -> f64 {
        let relative = Relative::new(a, b);
        let mobility = self.approaches(a, b).fold(0.0_f64, |most, contact| {
            let (n, c) = (contact.normal, contact.position);
            let arm = c.cross(&n);
            let j_b = Vector6::new(n.x, n.y, n.z, arm.x, arm.y, arm.z);
            let j_a = relative.adjoint().tr_mul(&j_b);
            most.max(j_a.dot(&(inverse_inertia_a * j_a)) + j_b.dot(&(inverse_inertia_b * j_b)))
        });
        1.0 / mobility
    }
}

/// Linear and angular part of a twist.
fn parts(twist: &Vector6<f64>) -> (Vector3<f64>, Vector3<f64>) {
    (
        twist.fixed_rows::<3>(0).into_owned(),
        twist.fixed_rows::<3>(3).into_owned(),
    )
}

/// One contact that touches: force and derivatives in the frame of B.
struct Touch {
    x: Vector3<f64>,
    c: Vector3<f64>,
    /// C = ∂c/∂x.
    moving: Matrix3<f64>,
    force: Vector3<f64>,
    /// f_x of (4) without the part that comes through u.
    by_position: Matrix3<f64>,
    /// f_u.
    by_velocity: Matrix3<f64>,
    normal_force: f64,
    damping_power: f64,
    friction_power: f64,
}

impl Touch {
    /// (3) and (5).
    fn add_to(&self, interaction: &mut Interaction, relative: &Relative, tangents: bool) {
        let moment = self.c.cross(&self.force);
        let mut rows = interaction.wrench.fixed_rows_mut::<3>(0);
        rows += self.force;
        let mut rows = interaction.wrench.fixed_rows_mut::<3>(3);
        rows += moment;
        if !tangents {
            return;
        }
        let (_, angular) = parts(&relative.twist);
        let c = self.c.cross_matrix();
        let spin = angular.cross_matrix();
        let f_x = self.by_position + self.by_velocity * spin * self.moving; // (4)
        let lower = c * f_x - self.force.cross_matrix() * self.moving;
        add_columns(&mut interaction.by_pose, &f_x, &lower, &self.x);
        let lower = c * self.by_velocity;
        add_columns(
            &mut interaction.by_twist,
            &self.by_velocity,
            &lower,
            &self.c,
        );
    }
}

/// Adds `[upper; lower] [I, −x̃]`.
fn add_columns(
    matrix: &mut Matrix6<f64>,
    upper: &Matrix3<f64>,
    lower: &Matrix3<f64>,
    x: &Vector3<f64>,
) {
    let turn = x.cross_matrix();
    for (row, block) in [(0, upper), (3, lower)] {
        let mut linear = matrix.fixed_view_mut::<3, 3>(row, 0);
        linear += block;
        let mut angular = matrix.fixed_view_mut::<3, 3>(row, 3);
        angular -= block * turn;
    }
}
