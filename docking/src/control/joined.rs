//! What the legs move: end effector and what is latched to it, against a base that may float.
//!
//! With M_E the inertia of the end effector about its origin, M_T that of the latched target, X the
//! adjoint that takes twists of the end effector's frame to the target's, Y the one that takes twists
//! of the base to the end effector's frame:
//!
//! ```text
//! M = M_E + Xᵀ M_T X                                                            (1)
//! M_rel = (M⁻¹ + Y M_B⁻¹ Yᵀ)⁻¹                                                  (2)
//! ```
//!
//! (2): a wrench w between base and end effector accelerates one by M⁻¹ w and the other by
//! −M_B⁻¹ Yᵀ w; what is seen from the base is the difference.

use multibody::group::{Group, Se3};
use nalgebra::Matrix6;
use softdock_platform::bodies::EFFECTOR;
use softdock_platform::scheme::Scheme;

/// A target heavier than the end effector by this factor is a wall to every regulator: it is taken for one
/// of this mass, turning as heavily in proportion. Beside more, the legs' inertia is lost in rounding.
const WALL: f64 = 1e5;

/// Inertia of the end effector's motion against the base, about its origin in its axes; with the
/// target if that is `latched`.
pub fn inertia(platform: &dyn Scheme, latched: bool) -> Matrix6<f64> {
    let list = platform.world().bodies();
    let states = platform.bodies();
    let effector = &states[EFFECTOR].pose;
    let mut out = list.all[EFFECTOR].inertia;
    if let (true, Some(target)) = (latched, list.target) {
        let to_target = states[target].pose.between(effector).adjoint();
        let heavy = list.all[target].inertia;
        let counted = (WALL * out[(0, 0)] / heavy[(0, 0)]).min(1.0);
        out += to_target.tr_mul(&(heavy * counted)) * to_target; // (1)
    }
    let Some(base) = list.base else { return out };
    let to_effector: Matrix6<f64> = Se3::adjoint(&effector.between(&states[base].pose));
    let inverse = |matrix: &Matrix6<f64>| matrix.try_inverse();
    let (Some(own), Some(other)) = (inverse(&out), inverse(&list.all[base].inertia)) else {
        return out;
    };
    let both = own + to_effector * other * to_effector.transpose();
    let relative = inverse(&both).unwrap_or(out); // (2)
    0.5 * (relative + relative.transpose())
}
