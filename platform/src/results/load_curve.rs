//! A load curve: equilibria under a growing wrench, past limit points.

use crate::attitude::Attitude;
use crate::statics::{CurveEnd, CurvePoint, LoadCurve};
use multibody::group::Group;
use serde::Serialize;
use softdock_figures::{Columns, Table, Views, figures};

/// One part in a hundred.
const PERCENT: f64 = 1e-2;

figures! {
    /// A load curve.
    pub struct LoadCurveResult;
    points: Vec<CurvePointResult> as "The equilibria, in the order of the curve.";
    limit_fractions: Vec<f64> = "-", "limit points at", "Fractions of the wrench at limit points",
        shown_in("% of the wrench", PERCENT), optional();
    unstable_from: Option<f64> = "-", "unstable from",
        "Fraction of the wrench from which on the equilibrium is unstable",
        shown_in("% of the wrench", PERCENT), optional();
    last_fraction: Option<f64> = "-", "last point at", "Fraction of the wrench at the last point",
        shown_in("% of the wrench", PERCENT), optional();
    last_position_m: Vec<f64> = "m", "position there",
        "Centre of the end effector at the last point", decimals(6), optional();
    ended: String as "Why the curve ends there.";
}

/// A point of a load curve.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CurvePointResult {
    /// Fraction of the wrench.
    pub fraction: f64,
    /// Centre of the end effector [m].
    pub position_m: [f64; 3],
    /// Its attitude [rad].
    pub attitude_rad: Attitude,
    /// Directions in which the equilibrium is unstable.
    pub unstable_directions: usize,
    /// Smallest stiffness of the end effector [N/m].
    pub smallest_stiffness_n_per_m: f64,
    /// Largest force or moment out of balance [N, N·m].
    pub residual: f64,
}

impl From<&CurvePoint> for CurvePointResult {
    fn from(point: &CurvePoint) -> Self {
        Self {
            fraction: point.fraction,
            position_m: point.pose.translation().into(),
            attitude_rad: Attitude::of_body(&point.pose),
            unstable_directions: point.unstable_directions,
            smallest_stiffness_n_per_m: point.smallest_stiffness,
            residual: point.residual,
        }
    }
}

impl From<&LoadCurve> for LoadCurveResult {
    fn from(curve: &LoadCurve) -> Self {
        let points: Vec<CurvePointResult> = curve.points.iter().map(Into::into).collect();
        let unstable = points.iter().find(|point| point.unstable_directions > 0);
        let last = points.last();
        Self {
            limit_fractions: curve.limits.clone(),
            unstable_from: unstable.map(|point| point.fraction),
            last_fraction: last.map(|point| point.fraction),
            last_position_m: last.map_or_else(Vec::new, |point| point.position_m.to_vec()),
            ended: match &curve.end {
                CurveEnd::Target => "the wrench is reached".to_owned(),
                CurveEnd::Returned => "the curve came back to a wrench of zero".to_owned(),
                CurveEnd::Points => "most points of a curve".to_owned(),
                CurveEnd::Stuck(error) => format!("it could not be followed further: {error}"),
            },
            points,
        }
    }
}

impl Views for LoadCurveResult {
    const FILE: &'static str = "curve.json";

    fn title(&self) -> String {
        format!("Load curve: {} points", self.points.len())
    }

    fn notes(&self) -> Vec<String> {
        vec![format!("ended: {}", self.ended)]
    }

    fn tables(&self) -> Vec<Table> {
        let columns = Columns::new()
            .one(
                "fraction",
                "-",
                "fraction of the wrench",
                |p: &CurvePointResult| p.fraction,
            )
            .each(
                &["x", "y", "z"],
                "m",
                "centre of the end effector",
                |p, i| p.position_m[i],
            )
            .each(&Attitude::NAMES, "rad", "its attitude", |p, i| {
                p.attitude_rad.list()[i]
            })
            .one(
                "unstable_directions",
                "-",
                "directions of instability",
                |p| p.unstable_directions as f64,
            )
            .one("smallest_stiffness", "N/m", "smallest stiffness", |p| {
                p.smallest_stiffness_n_per_m
            })
            .one("residual", "N, N·m", "out of balance", |p| p.residual);
        vec![columns.table("curve.csv", &self.points)]
    }
}
