//! The angle of a joint about e3 of its frame A, counted over full turns.
//!
//! With `R = A_aᵀ R_aᵀ R_b A_b` between the joint's frames, `θ = atan2(R_21, R_11)`, and
//!
//! ```text
//! δθ = n · δ(R e1) / ρ,   n = (−sin θ, cos θ, 0),   ρ² = R_11² + R_21²          (1)
//! ```

use super::{BodyMotion, Motion};
use crate::group::Group;
use crate::math;
use crate::model::{Joint, Model};
use crate::state::State;
use core::f64::consts::{PI, TAU};
use nalgebra::{SMatrix, SVector};

/// Angle, rate and gradient of a joint's angle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hinge<const N: usize, const D: usize> {
    /// θ [rad].
    pub angle: f64,
    /// θ̇ [rad/s].
    pub rate: f64,
    /// ∂θ/∂ψ_a, ∂θ/∂ψ_b; also ∂θ̇/∂v.
    pub by: [SVector<f64, N>; 2],
    /// ∂θ̇/∂ψ_a, ∂θ̇/∂ψ_b.
    pub rate_by: [SVector<f64, N>; 2],
    /// Unit moment about e3 of frame A: covectors on bodies a and b that turn b against a.
    pub moment: [SVector<f64, N>; 2],
    /// Derivative of the moment on body b by ψ_a and ψ_b (that on a is constant).
    pub moment_b_by: [SMatrix<f64, N, N>; 2],
    pub nodes: [Option<usize>; 2],
}

/// The representative of `angle` (modulo a full turn) nearest to `near`.
pub(crate) fn unwrap_angle(angle: f64, near: f64) -> f64 {
    let difference = angle - near;
    if !difference.is_finite() {
        return angle;
    }
    if difference.abs() <= PI {
        angle
    } else {
        angle - TAU * (difference / TAU).round()
    }
}

impl<const N: usize, const D: usize> Hinge<N, D> {
    pub(crate) fn new<G: Group<N, D>>(
        model: &Model<G, N, D>,
        joint: &Joint<G, D>,
        motion: &Motion<'_, G, N>,
        near: f64,
    ) -> Self {
        let a = BodyMotion::of(model, motion, joint.a.body);
        let b = BodyMotion::of(model, motion, joint.b.body);
        let r = a.pose.rotation().tr_mul(&b.pose.rotation());
        let (axes_a, axes_b) = (&joint.axes[0], &joint.axes[1]);
        let arm: SVector<f64, D> = axes_b.column(0).into();
        let c = r * arm;
        let (x, y) = (axes_a.column(0).dot(&c), axes_a.column(1).dot(&c));
        let rho = math::hypot(x, y);
        let (cos, sin) = (x / rho, y / rho);
        let n: SVector<f64, D> = (axes_a.column(1) * cos - axes_a.column(0) * sin) / rho;
        let (xc, xb) = (G::cross(&c), G::cross(&arm));
        let by = [-xc.tr_mul(&n), xb.tr_mul(&r.tr_mul(&n))]; // (1)
        let rate = by[0].dot(&a.velocity) + by[1].dot(&b.velocity);
        let rate_by = rate_gradient::<G, N, D>(axes_a, &r, &arm, &a, &b);
        // The moment in the joint's frames, carried to the bodies' axes.
        let frames = axes_a.tr_mul(&r) * axes_b;
        let on_a = axis_in_body::<G, N, D>(&SMatrix::identity(), axes_a);
        let on_b = axis_in_body::<G, N, D>(&frames, axes_b);
        let moment_b_by = moment_derivative::<G, N, D>(&r, axes_a);
        Self {
            angle: unwrap_angle(math::atan2(y, x), near),
            rate,
            by,
            rate_by,
            moment: [-on_a, on_b],
            moment_b_by,
            nodes: [a.node, b.node],
        }
    }
}

/// e3 of frame A as a moment covector in the axes of a body whose joint frame has axes `axes` and
/// is turned by `frames` against frame A.
fn axis_in_body<G: Group<N, D>, const N: usize, const D: usize>(
    frames: &SMatrix<f64, D, D>,
    axes: &SMatrix<f64, D, D>,
) -> SVector<f64, N> {
    G::axis_moment(&(frames * axes.transpose()))
}

/// Derivative of `(0, Rᵀ a3)` with a3 = e3 of frame A in the axes of body a; zero in the plane.
fn moment_derivative<G: Group<N, D>, const N: usize, const D: usize>(
    r: &SMatrix<f64, D, D>,
    axes_a: &SMatrix<f64, D, D>,
) -> [SMatrix<f64, N, N>; 2] {
    let mut out = [SMatrix::zeros(); 2];
    if D == 2 {
        return out;
    }
    let a3: SVector<f64, D> = axes_a.column(D - 1).into();
    // δ(Rᵀ a3) = Rᵀ X(a3) ψ_a − X(Rᵀ a3) ψ_b, in the angular rows.
    let by_a = r.tr_mul(&G::cross(&a3));
    let by_b = -G::cross(&r.tr_mul(&a3));
    for (block, rows) in out.iter_mut().zip([by_a, by_b]) {
        for i in 0..D {
            block.row_mut(D + i).copy_from(&rows.row(i));
        }
    }
    out
}

/// Gradient of the rate by the two poses. With `x, y` the components of c in frame A and
/// `θ̇ = (x ẏ − y ẋ)/ρ²`, everything follows from δc and δċ.
fn rate_gradient<G: Group<N, D>, const N: usize, const D: usize>(
    axes_a: &SMatrix<f64, D, D>,
    r: &SMatrix<f64, D, D>,
    arm: &SVector<f64, D>,
    a: &BodyMotion<G, N>,
    b: &BodyMotion<G, N>,
) -> [SVector<f64, N>; 2] {
    if D == 2 {
        return [SVector::zeros(); 2];
    }
    let c = r * arm;
    let turned = G::cross(arm) * b.velocity;
    let c_rate = r * turned - G::cross(&c) * a.velocity;
    let (ax, ay): (SVector<f64, D>, SVector<f64, D>) =
        (axes_a.column(0).into(), axes_a.column(1).into());
    let (x, y) = (ax.dot(&c), ay.dot(&c));
    let (x_dot, y_dot) = (ax.dot(&c_rate), ay.dot(&c_rate));
    let rho2 = x * x + y * y;
    let rate = (x * y_dot - y * x_dot) / rho2;
    let by_c = (ax * (y_dot - 2.0 * rate * x) - ay * (x_dot + 2.0 * rate * y)) / rho2;
    let by_c_rate = (ay * x - ax * y) / rho2;
    // δc = −X(c) ψ_a + R X(arm) ψ_b;  ċ = R (ω_b × arm) − ω_a × c, so
    // δċ = −X(R turned) ψ_a + R X(turned) ψ_b − ω_a × δc.
    let c_by = [-G::cross(&c), r * G::cross(arm)];
    let r_turned_by = [-G::cross(&(r * turned)), r * G::cross(&turned)];
    let mut out = [SVector::zeros(); 2];
    for i in 0..2 {
        let mut c_rate_by = r_turned_by[i];
        for j in 0..N {
            let column: SVector<f64, D> = c_by[i].column(j).into();
            let spun = G::cross(&column) * a.velocity;
            let updated = c_rate_by.column(j) - spun;
            c_rate_by.set_column(j, &updated);
        }
        out[i] = c_by[i].tr_mul(&by_c) + c_rate_by.tr_mul(&by_c_rate);
    }
    out
}

/// Brings the joint angles of a state up to date with its poses.
pub fn update_angles<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
) {
    for (index, joint) in model.joints.iter().enumerate() {
        if joint.has_angle() || joint.counts_direction() {
            let motion = state.motion();
            let a = BodyMotion::of(model, &motion, joint.a.body)
                .pose
                .compose(&joint.a.frame);
            let b = BodyMotion::of(model, &motion, joint.b.body)
                .pose
                .compose(&joint.b.frame);
            let between = a.between(&b);
            let (r, d) = (between.rotation(), between.translation());
            let angle = if joint.has_angle() {
                math::atan2(r[(1, 0)], r[(0, 0)])
            } else {
                math::atan2(d[1], d[0])
            };
            state.angles[index] = unwrap_angle(angle, state.angles[index]);
        }
    }
}
