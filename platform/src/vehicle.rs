//! Wrenches on the vehicles: thrusters of the base and of the target.
//!
//! A force F through the centre of mass c of a body and a moment M, both in world axes, are in the
//! body's axes about its origin
//!
//! ```text
//! w = (f, m + c × f),   f = Rᵀ F,   m = Rᵀ M                                    (1)
//! δw = (f × ψ_ω, m × ψ_ω + c × (f × ψ_ω))                                       (2)
//! ```
//!
//! and do the work of the way of c and of the turn. A step feels them like the wrench on the end
//! effector ([`crate::wrench`]): with their exact impulse.

use crate::bodies::BodySystem;
use crate::body::{Body, BodyState, BodyStep, skew};
use crate::wrench::{AppliedWrench, WrenchHistory, split};
use multibody::group::Group;
use nalgebra::{Matrix6, Vector3, Vector6};

/// A vehicle that a wrench can act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vehicle {
    /// The base, if it floats.
    Base,
    /// The target, if there is one.
    Target,
}

/// The wrench on one vehicle.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct VehicleWrench {
    /// Position of the body in the list of bodies.
    pub body: usize,
    /// Its centre of mass, own axes [m].
    centre: Vector3<f64>,
    wrench: AppliedWrench,
    /// As the last accepted step felt it, and as the step under way does.
    felt: Vector6<f64>,
    load: Vector6<f64>,
}

/// Centre of mass of a body, own axes [m].
fn centre_of_mass(body: &Body) -> Vector3<f64> {
    // The inertia about the origin has m [c]× below its mass.
    let below = body.inertia.fixed_view::<3, 3>(3, 0);
    Vector3::new(below[(2, 1)], below[(0, 2)], below[(1, 0)]) / body.inertia[(0, 0)]
}

impl VehicleWrench {
    /// None yet, on the body at this position of the list.
    pub fn none(index: usize, body: &Body) -> Self {
        Self {
            body: index,
            centre: centre_of_mass(body),
            wrench: AppliedWrench::held(&Vector6::zeros()),
            felt: Vector6::zeros(),
            load: Vector6::zeros(),
        }
    }

    /// Another history takes over at `time` [s]; true if the wrench jumps there.
    pub fn replace(&mut self, history: WrenchHistory, time: f64) -> bool {
        self.wrench.replace(history, time);
        self.wrench.begins_with_jump()
    }

    /// The wrench over time.
    pub fn wrench(&self) -> &AppliedWrench {
        &self.wrench
    }

    /// Starts a step from `start` to `end` [s].
    pub fn begin(&mut self, start: f64, end: f64) {
        self.load = self.wrench.at_end(start, end);
    }

    /// It acts as the last accepted step felt it.
    pub fn stand(&mut self) {
        self.load = self.felt;
    }

    /// Adds it to Newton's system at an iterate.
    pub fn add_to(&self, system: &mut BodySystem, steps: &[BodyStep]) {
        let rotation = steps[self.body].trial.pose.rotation();
        let (force, moment) = split(&self.load);
        let (force, moment) = (rotation.tr_mul(&force), rotation.tr_mul(&moment));
        let whole = moment + self.centre.cross(&force); // (1)
        let wrench = Vector6::from_fn(|i, _| if i < 3 { force[i] } else { whole[i - 3] });
        let mut derivative = Matrix6::zeros();
        let turned = skew(&force);
        derivative.fixed_view_mut::<3, 3>(0, 3).copy_from(&turned);
        derivative
            .fixed_view_mut::<3, 3>(3, 3)
            .copy_from(&(skew(&moment) + skew(&self.centre) * turned)); // (2)
        system.add_wrench(self.body, &wrench);
        system.add_derivative(self.body, self.body, &derivative);
    }

    /// Work in a step of `h` [s] from one state of its body to another [J].
    pub fn work(&self, from: &BodyState, to: &BodyState, h: f64) -> f64 {
        let (force, moment) = split(&((self.felt + self.load) * 0.5));
        let way = to.point(&self.centre) - from.point(&self.centre);
        let spin = |state: &BodyState| -> Vector3<f64> {
            state.pose.rotation() * state.velocity.fixed_rows::<3>(3)
        };
        force.dot(&way) + moment.dot(&((spin(from) + spin(to)) * (0.5 * h)))
    }

    /// Takes over the step under way.
    pub fn accept(&mut self) {
        self.felt = self.load;
    }
}
