//! Plane vectors as plain arrays `[x, y]`.

use multibody::math;

/// A position, velocity, acceleration or force in the plane.
pub(super) type Vector = [f64; 2];

/// Unit vector at an angle [rad] from x.
pub(super) fn unit(angle: f64) -> Vector {
    [math::cos(angle), math::sin(angle)]
}

/// The vector turned by +90°.
pub(super) fn normal(v: Vector) -> Vector {
    [-v[1], v[0]]
}

/// a + s b.
pub(super) fn add_scaled(a: Vector, s: f64, b: Vector) -> Vector {
    [a[0] + s * b[0], a[1] + s * b[1]]
}

/// s a.
pub(super) fn scale(s: f64, a: Vector) -> Vector {
    [s * a[0], s * a[1]]
}

/// Inner product.
pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Component of a × b normal to the plane.
pub(super) fn cross(a: Vector, b: Vector) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}
