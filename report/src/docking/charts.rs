//! The charts of one docking.

use super::DockingSeries;
use super::compare::largest;
use crate::block::Block;
use crate::chart::{Axis, Chart, Series};

/// Points of a curve that a docking report keeps, which has many curves.
pub(super) const POINTS: usize = 600;

/// A curve over the times of the run.
pub(super) fn curve(series: &DockingSeries, name: &str, values: &[f64]) -> Series {
    Series::thinned(name, &series.time_s, values, POINTS)
}

/// A curve in thousandths.
pub(super) fn milli(series: &DockingSeries, name: &str, values: &[f64]) -> Series {
    let values: Vec<f64> = values.iter().map(|v| v * 1e3).collect();
    curve(series, name, &values)
}

/// A chart of the curves that have values; nothing if none has.
fn chart(title: &str, sentence: &str, y: Axis, curves: Vec<Series>) -> Option<Chart> {
    let curves: Vec<Series> = curves.into_iter().filter(|c| !c.x.is_empty()).collect();
    (!curves.is_empty()).then(|| Chart::over_time(title, sentence, y, curves))
}

/// The same chart with the times of contact shaded.
pub(super) fn with_contacts(chart: Chart, series: &DockingSeries) -> Chart {
    let contacts = series.contacts_s.iter();
    contacts.fold(chart, |chart, &[from, to]| {
        chart.span(from, to, "in contact")
    })
}

/// What is seen beside the scene: contact force and misalignment.
pub(super) fn first(series: &DockingSeries) -> Vec<Block> {
    let force = chart(
        "Contact force",
        "Magnitude of the resultant force between end effector and target.",
        Axis::new("force", "N"),
        vec![
            curve(series, "contact force", &series.contact_force_n),
            curve(series, "friction part", &series.friction_force_n),
        ],
    );
    let force = force.map(|chart| with_contacts(chart, series));
    let names = ["pitch", "yaw", "roll"];
    let angles = names.iter().zip(&series.angle_error_deg);
    let misalignment = chart(
        "Misalignment",
        "How the target is turned against the end effector: pitch about x, yaw about y, roll about the docking axis.",
        Axis::new("angle", "°"),
        angles
            .map(|(name, values)| curve(series, name, values))
            .collect(),
    );
    let misalignment = misalignment.map(|chart| with_contacts(chart, series));
    [force, misalignment]
        .into_iter()
        .flatten()
        .map(Block::from)
        .collect()
}

/// Share of the latch's limits that is still shown: what is further away leaves the picture.
const FARTHEST_SHARE: f64 = 4.0;

/// How near the latch came to closing.
pub(super) fn capture(series: &DockingSeries) -> Vec<Block> {
    let names = ["gap", "angle", "relative speed"];
    let curves = names.iter().zip(&series.latch_shares);
    let chart = chart(
        "Latch conditions",
        "Gap, angle and relative speed over the latch's limits: it closes when all three stay at or below one for the dwell time.",
        Axis::new("part of the limit", ""),
        curves
            .map(|(name, values)| curve(series, name, values))
            .collect(),
    );
    let chart = chart.map(|mut chart| {
        chart.window = Some([0.0, FARTHEST_SHARE]);
        with_contacts(chart.level(1.0, "limit of the latch"), series).into()
    });
    chart.into_iter().collect()
}

/// Loads at the mating plane.
pub(super) fn interface(series: &DockingSeries) -> Vec<Block> {
    let names = ["axial (tension positive)", "shear"];
    let forces = names.iter().zip(&series.interface_force_n);
    let force = chart(
        "Interface force",
        "Force on the end effector at the mating plane, contact and latch together.",
        Axis::new("force", "N"),
        forces
            .map(|(name, values)| curve(series, name, values))
            .collect(),
    );
    let names = ["bending", "torsion", "moment of the contact alone"];
    let moments = names.iter().zip(&series.interface_moment_nm);
    let moment = chart(
        "Interface moment",
        "Moment on the end effector about the centre of the mating plane.",
        Axis::new("moment", "N·m"),
        moments
            .map(|(name, values)| curve(series, name, values))
            .collect(),
    );
    let charts = [force, moment].into_iter().flatten();
    charts
        .map(|chart| with_contacts(chart, series).into())
        .collect()
}

/// Gap and position of the interfaces.
pub(super) fn approach(series: &DockingSeries) -> Vec<Block> {
    let gap = chart(
        "Gap",
        "Smallest distance between the contact surfaces; negative where they press into each other.",
        Axis::new("gap", "mm"),
        vec![milli(series, "gap", &series.gap_m)],
    );
    let names = ["lateral x", "lateral y", "axial z"];
    let positions = names.iter().zip(&series.position_error_m);
    let position = chart(
        "Position error",
        "The target's interface seen from the end effector's.",
        Axis::new("position", "mm"),
        positions
            .map(|(name, values)| milli(series, name, values))
            .collect(),
    );
    let charts = [gap, position].into_iter().flatten();
    charts
        .map(|chart| with_contacts(chart, series).into())
        .collect()
}

/// A curve for each leg.
fn per_leg(
    series: &DockingSeries,
    values: &[Vec<f64>],
    make: fn(&DockingSeries, &str, &[f64]) -> Series,
) -> Vec<Series> {
    let named = values.iter().enumerate();
    named
        .map(|(leg, values)| make(series, &format!("leg {}", leg + 1), values))
        .collect()
}

/// Forces, strokes, tensions, angles and torques of the legs.
pub(super) fn legs(series: &DockingSeries) -> Vec<Block> {
    let force = chart(
        "Leg force",
        "Force of each leg on the end effector along its chord; positive pushes.",
        Axis::new("force", "N"),
        per_leg(series, &series.leg_force_n, curve),
    );
    let stroke = chart(
        "Leg stroke",
        "Change of each leg's chord since the start.",
        Axis::new("stroke", "mm"),
        per_leg(series, &series.leg_stroke_m, milli),
    );
    let stroke = stroke.map(|chart| match series.stroke_limits_m {
        Some([low, high]) => chart
            .level(low * 1e3, "lower limit")
            .level(high * 1e3, "upper limit"),
        None => chart,
    });
    let tension = chart(
        "Tendon tension",
        "Spring and damper together; at zero the tendon is slack.",
        Axis::new("tension", "N"),
        per_leg(series, &series.tendon_tension_n, curve),
    );
    let crank = chart(
        "Crank angle",
        "Angle of each crank from its radial direction; positive lifts the crank's tip.",
        Axis::new("angle", "°"),
        per_leg(series, &series.crank_angle_deg, curve),
    );
    let crank = crank.map(|chart| match series.crank_limits_deg {
        Some([low, high]) => chart.level(low, "lower stop").level(high, "upper stop"),
        None => chart,
    });
    let torque = chart(
        "Motor torque",
        "Torque of each motor on its crank.",
        Axis::new("torque", "N·m"),
        per_leg(series, &series.motor_torque_nm, curve),
    );
    let torque = torque.map(|chart| match series.torque_limit_nm {
        Some(limit) => chart.level(-limit, "−limit").level(limit, "limit"),
        None => chart,
    });
    let charts = [
        force,
        stroke,
        tension,
        torque,
        crank,
        stress(series),
        joints(series),
    ];
    charts.into_iter().flatten().map(Block::from).collect()
}

/// A curve in millionths.
pub(super) fn mega(series: &DockingSeries, name: &str, values: &[f64]) -> Series {
    let values: Vec<f64> = values.iter().map(|v| v * 1e-6).collect();
    curve(series, name, &values)
}

/// Stress of the leaves.
fn stress(series: &DockingSeries) -> Option<Chart> {
    let stress = chart(
        "Leaf stress",
        "Largest stress (von Mises) in each leaf.",
        Axis::new("stress", "MPa"),
        per_leg(series, &series.leaf_stress_pa, mega),
    );
    stress.map(|chart| match series.yield_strength_pa {
        Some(limit) => chart.level(limit * 1e-6, "yield strength"),
        None => chart,
    })
}

/// Turns of the joints: the largest of all legs.
fn joints(series: &DockingSeries) -> Option<Chart> {
    let names = ["universal joints", "spherical joints"];
    let curves = names.iter().zip(&series.joint_turn_deg);
    let turns = chart(
        "Joint angles",
        "Largest turn of any leg's universal and spherical joint from where it was at the start.",
        Axis::new("turn", "°"),
        curves
            .map(|(name, legs)| curve(series, name, &largest(legs)))
            .collect(),
    )?;
    Some(match series.joint_limits_deg {
        Some([a, b]) if a == b => turns.level(a, "limit"),
        Some([a, b]) => turns
            .level(a, "limit, universal")
            .level(b, "limit, spherical"),
        None => turns,
    })
}

/// The energy account.
pub(super) fn energy(series: &DockingSeries) -> Vec<Block> {
    let parts = series.energy_j.iter();
    let change = |(name, values): &(String, Vec<f64>)| {
        let first = values.iter().copied().find(|value| value.is_finite());
        let first = first.unwrap_or_default();
        let changes: Vec<f64> = values.iter().map(|value| value - first).collect();
        curve(series, name, &changes)
    };
    let account = chart(
        "Energies",
        "Change of each part of the energy account since the start.",
        Axis::new("change of energy", "J"),
        parts.map(change).collect(),
    );
    let residual = chart(
        "Energy residual",
        "What the energy account misses: the error of the time integration.",
        Axis::new("residual", "J"),
        vec![curve(series, "residual", &series.energy_residual_j)],
    );
    [account, residual]
        .into_iter()
        .flatten()
        .map(Block::from)
        .collect()
}
