//! Products of `ad` and `coad` with a diagonal matrix between them, `C = diag(c)`.
//!
//! Plane, with `v = (a, b, w)` and the first two rows `(0, −w, b)`, `(w, 0, −a)` of `ad_v`:
//! written out. Space, with `S(a, c, b) = ã diag(c) b̃`, `v = (u, ω)`, `p = (f, m)` and `c` split into
//! its linear and angular half `c_u`, `c_ω`:
//!
//! ```text
//! ad_v C ad_vᵀ       = −[S(ω, c_u, ω) + S(u, c_ω, u),  S(u, c_ω, ω);  ·ᵀ,  S(ω, c_ω, ω)]        (1)
//! coad(p) C coad(p)  =  [S(f, c_ω, f),  S(f, c_ω, m);  ·ᵀ,  S(f, c_u, f) + S(m, c_ω, m)]        (2)
//! coad(p) C ad_vᵀ    = −[S(f, c_ω, u),  S(f, c_ω, ω);  S(f, c_u, ω) + S(m, c_ω, u),  S(m, c_ω, ω)]
//! ad_rᵀ              = −[r̃_ω,  0;  r̃_u,  r̃_ω]                                                  (3)
//! ```

use super::se3::{quarters, skew, split};
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

#[inline(always)]
pub(super) fn plane_ad(v: &Vector3<f64>, c: &Vector3<f64>) -> Matrix3<f64> {
    let (a, b, w) = (v.x, v.y, v.z);
    let across = -c.z * a * b;
    Matrix3::new(
        c.y * w * w + c.z * b * b,
        across,
        0.0,
        across,
        c.x * w * w + c.z * a * a,
        0.0,
        0.0,
        0.0,
        0.0,
    )
}

#[inline(always)]
pub(super) fn plane_coad(p: &Vector3<f64>, c: &Vector3<f64>) -> Matrix3<f64> {
    let across = c.z * p.x * p.y;
    Matrix3::new(
        -c.z * p.y * p.y,
        across,
        0.0,
        across,
        -c.z * p.x * p.x,
        0.0,
        0.0,
        0.0,
        -(c.x * p.y * p.y + c.y * p.x * p.x),
    )
}

#[inline(always)]
pub(super) fn plane_coad_ad(
    p: &Vector3<f64>,
    c: &Vector3<f64>,
    v: &Vector3<f64>,
    r: &Vector3<f64>,
) -> Matrix3<f64> {
    let (a, b) = (c.z * v.x, c.z * v.y);
    Matrix3::new(
        p.y * b,
        r.z - p.y * a,
        0.0,
        -r.z - p.x * b,
        p.x * a,
        0.0,
        r.y - c.y * v.z * p.x,
        -r.x - c.x * v.z * p.y,
        0.0,
    )
}

#[inline(always)]
pub(super) fn space_ad(v: &Vector6<f64>, c: &Vector6<f64>) -> Matrix6<f64> {
    let ((u, omega), (c_u, c_omega)) = (split(v), split(c));
    let across = -between(&u, &c_omega, &omega);
    quarters(
        &-(between(&omega, &c_u, &omega) + between(&u, &c_omega, &u)),
        &across,
        &across.transpose(),
        &-between(&omega, &c_omega, &omega),
    ) // (1)
}

#[inline(always)]
pub(super) fn space_coad(p: &Vector6<f64>, c: &Vector6<f64>) -> Matrix6<f64> {
    let ((f, m), (c_u, c_omega)) = (split(p), split(c));
    let across = between(&f, &c_omega, &m);
    quarters(
        &between(&f, &c_omega, &f),
        &across,
        &across.transpose(),
        &(between(&f, &c_u, &f) + between(&m, &c_omega, &m)),
    ) // (2)
}

#[inline(always)]
pub(super) fn space_coad_ad(
    p: &Vector6<f64>,
    c: &Vector6<f64>,
    v: &Vector6<f64>,
    r: &Vector6<f64>,
) -> Matrix6<f64> {
    let ((f, m), (c_u, c_omega), (u, omega)) = (split(p), split(c), split(v));
    let (r_u, r_omega) = split(r);
    let turn = skew(&r_omega);
    quarters(
        &-(between(&f, &c_omega, &u) + turn),
        &-between(&f, &c_omega, &omega),
        &-(between(&f, &c_u, &omega) + between(&m, &c_omega, &u) + skew(&r_u)),
        &-(between(&m, &c_omega, &omega) + turn),
    ) // (3)
}

/// `S(a, c, b)`.
#[inline(always)]
fn between(a: &Vector3<f64>, c: &Vector3<f64>, b: &Vector3<f64>) -> Matrix3<f64> {
    let (xx, yy, zz) = (a.x * b.x, a.y * b.y, a.z * b.z);
    Matrix3::new(
        -(c.y * zz + c.z * yy),
        c.z * a.y * b.x,
        c.y * a.z * b.x,
        c.z * a.x * b.y,
        -(c.x * zz + c.z * xx),
        c.x * a.z * b.y,
        c.y * a.x * b.z,
        c.x * a.y * b.z,
        -(c.x * yy + c.y * xx),
    )
}
