//! The columns of leg.csv.

use leg_core::LegSample;

/// Columns of leg.csv.
pub const HEADER: [&str; 24] = [
    "t",
    "q1",
    "q2",
    "q3",
    "q1_dot",
    "q2_dot",
    "q3_dot",
    "tendon_length",
    "tendon_tension",
    "x14",
    "y14",
    "x12",
    "y12",
    "x34",
    "y34",
    "kinetic",
    "gravity",
    "strain",
    "tendon",
    "work_in",
    "dissipated",
    "residual",
    "loop_gap",
    "crank_torque",
];

/// A row of leg.csv.
pub fn row(s: &LegSample) -> [f64; 24] {
    let [q1, q2, q3] = s.q;
    let [q1_dot, q2_dot, q3_dot] = s.q_dot;
    let [[x14, y14], [x12, y12], [x34, y34]] = s.stations;
    let e = &s.energies;
    [
        s.t,
        q1,
        q2,
        q3,
        q1_dot,
        q2_dot,
        q3_dot,
        s.tendon_length,
        s.tendon_tension,
        x14,
        y14,
        x12,
        y12,
        x34,
        y34,
        e.kinetic,
        e.gravity,
        e.strain,
        e.springs,
        s.work_in,
        s.dissipated,
        s.energy_residual,
        s.loop_gap,
        s.crank_torque,
    ]
}
