//! Every figure of a summary, computed once more from the rows of the time series by other means:
//! impulses from momentum, the latch's force from the target's acceleration, losses of the tendons
//! from their lengths and tensions, energies from speeds. Rows are so close that what happens
//! between them does not matter.

use crate::support::{Folder, table};
use serde_json::Value;

/// Interval of the rows [s].
const INTERVAL: f64 = 1e-4;
/// Stiffness of the tendons [N/m], mass of the target [kg], its moments of inertia [kg·m²] and how
/// far its centre of mass is behind the port [m]; mass and moments of inertia of the end effector:
/// the defaults, given once more.
const STIFFNESS: f64 = 2000.0;
const TARGET: (f64, f64, f64) = (500.0, 80.0, 0.5);
const EFFECTOR: (f64, [f64; 3]) = (3.0, [0.04, 0.04, 0.07]);
/// Reach of the motors [rad] and limit of the legs' stroke [m].
const RANGE: f64 = 0.349_065_850_398_865_9;
const STROKE_LIMIT: f64 = 0.08;
/// Torque limit of the default motors [N·m].
const TORQUE_LIMIT: f64 = 10.0;
/// A tendon below this is slack [N].
const SLACK: f64 = 0.05;
/// What settled means [m, rad].
const SETTLED: (f64, f64) = (1e-3, 0.003_490_658_503_988_659);

/// Peaks between rows: a contact oscillation takes some 20 ms, so that half an interval from its
/// top the force is lower by (π · 0.05/20)²/2.
const OF_PEAKS: f64 = 1e-4;
/// Sums over rows by the trapezoidal rule.
const OF_SUMS: f64 = 2e-3;
/// Differences of velocities over two intervals, of a force that the latch's damper shapes.
const OF_SLOPES: f64 = 2e-2;
/// The same number, read from another file.
const SAME: f64 = 1e-12;
/// Stress and turns are looked at every 2 ms for the figures, every row for the table. Most of the stress
/// is that of the leaf at rest.
const OF_STRESS_LOOKS: f64 = 2e-3;
const OF_TURN_LOOKS: f64 = 2e-2;

type Vector = [f64; 3];

fn add(a: Vector, b: Vector, factor: f64) -> Vector {
    core::array::from_fn(|i| a[i] + factor * b[i])
}

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn cross(a: Vector, b: Vector) -> Vector {
    core::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

fn norm(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// A vector turned by pitch about x, yaw about y, roll about z.
fn turned([x, y, z]: Vector, [pitch, yaw, roll]: Vector) -> Vector {
    let about = |angle: f64, a: f64, b: f64| {
        let (sine, cosine) = angle.sin_cos();
        (cosine * a - sine * b, sine * a + cosine * b)
    };
    let (y, z) = about(pitch, y, z);
    let (z, x) = about(yaw, z, x);
    let (x, y) = about(roll, x, y);
    [x, y, z]
}

/// A run: its rows by name, and its summary.
struct Run {
    header: Vec<String>,
    rows: Vec<Vec<f64>>,
    summary: Value,
}

impl Run {
    fn new(name: &str, settings: &[&str]) -> Self {
        let folder = Folder::new(&format!("figures-{name}"));
        let mut arguments = vec!["--no-report".to_owned(), "--out".to_owned(), "a".to_owned()];
        let interval = format!("output_interval_s={INTERVAL}");
        for setting in settings
            .iter()
            .copied()
            .chain([interval.as_str(), "legs.elements=4"])
        {
            arguments.extend(["--set".to_owned(), setting.to_owned()]);
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        folder.stdout(&arguments);
        let (header, rows) = table(&folder.file("a/run.csv"));
        Self {
            header,
            rows,
            summary: folder.json("a/summary.json"),
        }
    }

    fn index(&self, name: &str) -> usize {
        let found = self.header.iter().position(|known| known == name);
        found.unwrap_or_else(|| panic!("no column {name}"))
    }

    fn column(&self, name: &str) -> Vec<f64> {
        let index = self.index(name);
        self.rows.iter().map(|row| row[index]).collect()
    }

    fn last(&self, name: &str) -> f64 {
        *self.column(name).last().unwrap()
    }

    fn vectors(&self, names: [&str; 3]) -> Vec<Vector> {
        let index = names.map(|name| self.index(name));
        self.rows.iter().map(|row| index.map(|i| row[i])).collect()
    }

    fn triple(&self, before: &str, after: &str) -> Vec<Vector> {
        let names = ["x", "y", "z"].map(|axis| format!("{before}_{axis}_{after}"));
        self.vectors([&names[0], &names[1], &names[2]])
    }

    fn attitudes(&self, body: &str) -> Vec<Vector> {
        let names = ["pitch", "yaw", "roll"].map(|angle| format!("{body}_{angle}_rad"));
        self.vectors([&names[0], &names[1], &names[2]])
    }

    fn leg(&self, leg: usize, name: &str) -> Vec<f64> {
        self.column(&format!("leg{leg}_{name}"))
    }

    /// A figure; keys with a dot are those of a table inside.
    fn figure(&self, key: &str) -> f64 {
        self.value(key)
            .as_f64()
            .unwrap_or_else(|| panic!("{key} is {}", self.value(key)))
    }

    fn value(&self, key: &str) -> &Value {
        key.split('.')
            .fold(&self.summary, |value, part| match part.parse::<usize>() {
                Ok(index) => &value[index],
                Err(_) => &value[part],
            })
    }

    /// The figure is what was computed here, to a fraction of it (or of `size`).
    fn agrees(&self, key: &str, computed: f64, relative: f64, size: f64) {
        let told = self.figure(key);
        let allowed = relative * computed.abs().max(size);
        assert!(
            (told - computed).abs() <= allowed,
            "{key}: told {told}, computed {computed}"
        );
    }

    /// Velocity of the target's centre of mass, and from the port to it.
    fn target_centre(&self) -> Vec<Vector> {
        let speeds = self.triple("target_velocity", "m_s");
        let rates = self.triple("target_rate", "rad_s");
        let attitudes = self.attitudes("target");
        (0..self.rows.len())
            .map(|i| {
                // The centre of mass is behind the port, which looks back along z.
                let arm = turned([0.0, 0.0, TARGET.2], attitudes[i]);
                add(speeds[i], cross(rates[i], arm), 1.0)
            })
            .collect()
    }
}

fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, f64::max)
}

/// Contact: forces, times, impulse, penetration.
fn contact(run: &Run) {
    let times = run.column("time_s");
    let forces = run.triple("contact_force", "n");
    let (mut peak, mut when) = (0.0, 0.0);
    for (force, time) in forces.iter().zip(&times) {
        if norm(*force) > peak {
            (peak, when) = (norm(*force), *time);
        }
    }
    run.agrees("peak_contact_force_n", peak, OF_PEAKS, 0.0);
    assert!((run.figure("peak_contact_time_s") - when).abs() < 5.0 * INTERVAL);
    let gaps = run.column("gap_m");
    let touching: Vec<bool> = gaps.iter().map(|gap| *gap < 0.0).collect();
    let first = touching.iter().position(|touches| *touches).unwrap();
    assert!((run.figure("first_touch_s") - times[first]).abs() <= 1.01 * INTERVAL);
    let begins = touching
        .windows(2)
        .filter(|pair| !pair[0] && pair[1])
        .count();
    assert_eq!(
        run.value("contact_episodes").as_u64().unwrap() as usize,
        begins
    );
    let touched = touching.iter().filter(|touches| **touches).count() as f64 * INTERVAL;
    let each_end = 2.0 * begins as f64 * INTERVAL;
    assert!((run.figure("contact_time_s") - touched).abs() <= each_end);
    run.agrees(
        "max_penetration_m",
        -gaps.iter().copied().fold(0.0, f64::min),
        OF_PEAKS,
        0.0,
    );
    // What the target lost in momentum went to the end effector.
    let speeds = run.target_centre();
    let change = add(speeds[0], *speeds.last().unwrap(), -1.0);
    run.agrees("contact_impulse_n_s", TARGET.0 * norm(change), OF_SUMS, 0.0);
}

/// The latch: when it closed and what it pulled, the target's acceleration less the contact.
fn latch(run: &Run) {
    let times = run.column("time_s");
    let captured = run.column("captured");
    let Some(closed) = captured.iter().position(|flag| *flag == 1.0) else {
        // This one sinks into the target at the end, or is apart from it.
        let touching = *run.column("gap_m").last().unwrap() < 0.0;
        let outcome = if touching { "in_contact" } else { "bounced" };
        assert_eq!(run.value("outcome"), outcome);
        assert_eq!(run.value("capture_time_s"), &Value::Null);
        assert_eq!(run.figure("peak_latch_force_n"), 0.0);
        return;
    };
    assert_eq!(run.value("outcome"), "captured");
    assert!((run.figure("capture_time_s") - times[closed]).abs() <= 1.01 * INTERVAL);
    let speeds = run.target_centre();
    let contact = run.triple("contact_force", "n");
    let pulls = (closed + 2..speeds.len() - 1).map(|i| {
        let slope = add(speeds[i + 1], speeds[i - 1], -1.0);
        let force = slope.map(|change| TARGET.0 * change / (2.0 * INTERVAL));
        // The contact pushes the target away from the end effector.
        norm(add(force, contact[i], 1.0))
    });
    run.agrees("peak_latch_force_n", largest(pulls), OF_SLOPES, 0.0);
}

/// Legs: strokes, tensions, slack, motors.
fn legs(run: &Run) {
    let mut strokes = Vec::new();
    let (mut low, mut high) = (f64::INFINITY, 0.0);
    let (mut slack, mut torque, mut turn) = (0.0, 0.0, 0.0);
    let mut uses = Vec::new();
    for leg in 1..=6 {
        let lengths = run.leg(leg, "tendon_length_m");
        strokes.push(largest(
            lengths.iter().map(|length| (length - lengths[0]).abs()),
        ));
        let tensions = run.leg(leg, "tendon_tension_n");
        low = tensions.iter().copied().fold(low, f64::min);
        high = tensions.iter().copied().fold(high, f64::max);
        let loose = tensions.iter().filter(|tension| **tension < SLACK).count();
        slack = f64::max(slack, loose as f64 * INTERVAL);
        torque = largest(run.leg(leg, "motor_torque_nm").iter().map(|t| t.abs())).max(torque);
        let angles = run.leg(leg, "motor_angle_rad");
        turn = largest(angles.iter().map(|angle| (angle - angles[0]).abs())).max(turn);
        // The default platform is pre-tensioned at a crank angle of zero.
        uses.push(largest(angles.iter().map(|angle| angle.abs())) / RANGE);
    }
    let stroke = largest(strokes.iter().copied());
    run.agrees("max_leg_stroke_m", stroke, OF_PEAKS, 0.0);
    run.agrees(
        "leg_stroke_over_limit",
        stroke / STROKE_LIMIT,
        OF_PEAKS,
        0.0,
    );
    run.agrees(
        "max_motor_range_use",
        largest(uses.iter().copied()),
        OF_PEAKS,
        SAME,
    );
    for leg in 0..6 {
        run.agrees(&format!("leg_strokes_m.{leg}"), strokes[leg], OF_PEAKS, 0.0);
        run.agrees(&format!("motor_range_use.{leg}"), uses[leg], OF_PEAKS, SAME);
    }
    run.agrees("tendon_tension_range_n.0", low, OF_PEAKS, high);
    run.agrees("tendon_tension_range_n.1", high, OF_PEAKS, 0.0);
    // A tendon goes slack and comes back a few times: one row each.
    assert!(
        (run.figure("max_slack_time_s") - slack).abs() <= 10.0 * INTERVAL,
        "slack {slack}"
    );
    let [mut stress, mut universal, mut spherical] = [0.0_f64; 3];
    for leg in 1..=6 {
        let most = |name: &str| largest(run.leg(leg, name).iter().copied());
        stress = stress.max(most("leaf_stress_pa"));
        universal = universal.max(most("universal_turn_rad"));
        spherical = spherical.max(most("spherical_turn_rad"));
    }
    run.agrees("peak_leaf_stress_pa", stress, OF_STRESS_LOOKS, 0.0);
    // Stroke of the tendon units, torque limit and yield strength of the default platform.
    run.agrees(
        "max_tendon_stroke_use",
        stroke / STROKE_LIMIT,
        OF_PEAKS,
        0.0,
    );
    let strength = run.figure("peak_leaf_stress_pa") / 880e6;
    run.agrees("max_leaf_stress_use", strength, SAME, 0.0);
    run.agrees("max_universal_turn_rad", universal, OF_TURN_LOOKS, 0.0);
    run.agrees("max_spherical_turn_rad", spherical, OF_TURN_LOOKS, 0.0);
    run.agrees("peak_motor_torque_nm", torque, 10.0 * OF_PEAKS, SAME);
    let told = run.figure("peak_motor_torque_nm");
    run.agrees("max_motor_torque_use", told / TORQUE_LIMIT, SAME, SAME);
    run.agrees("max_motor_turn_rad", turn, OF_PEAKS, SAME);
}

/// Relative motion at the end, restitution, settling.
fn ending(run: &Run) {
    let last = run.rows.len() - 1;
    let (effector, target) = (run.attitudes("effector"), run.attitudes("target"));
    let places = [run.triple("effector", "m"), run.triple("target", "m")];
    let speeds = ["effector", "target"].map(|body| run.triple(&format!("{body}_velocity"), "m_s"));
    let rates = ["effector", "target"].map(|body| run.triple(&format!("{body}_rate"), "rad_s"));
    let spin = norm(add(rates[1][last], rates[0][last], -1.0)).to_degrees();
    run.agrees("final_relative_rate_deg_s", spin, SAME, 1.0);
    let arm = add(places[1][last], places[0][last], -1.0);
    let axis = turned([0.0, 0.0, 1.0], effector[last]);
    let across = add(arm, axis, -dot(arm, axis));
    run.agrees("final_lateral_m", norm(across), SAME, 1.0);
    let here = add(speeds[0][last], cross(rates[0][last], arm), 1.0);
    let relative = norm(add(speeds[1][last], here, -1.0));
    run.agrees("final_relative_speed_m_s", relative, SAME, 1.0);
    let z = [0.0, 0.0, 1.0];
    let axes = (turned(z, effector[last]), turned(z, target[last]));
    let angle = norm(cross(axes.0, axes.1))
        .atan2(dot(axes.0, axes.1))
        .to_degrees();
    run.agrees("final_angle_deg", angle, SAME, 1.0);
    let gaps = run.column("gap_m");
    let first = gaps.iter().position(|gap| *gap < 0.0).unwrap();
    let closing = |i: usize| {
        -dot(
            add(speeds[1][i], speeds[0][i], -1.0),
            turned(z, effector[i]),
        )
    };
    let apart = gaps[last] > 0.0 && run.last("captured") == 0.0;
    if apart && closing(last) < 0.0 {
        // Before the first touch nothing accelerates.
        let restitution = -closing(last) / closing(first - 1);
        run.agrees("effective_restitution", restitution, 1e-9, 0.0);
    } else {
        assert_eq!(run.value("effective_restitution"), &Value::Null);
    }
    settling(run, &places[0], &effector);
}

/// From the first touch until the end effector stays near its last pose.
fn settling(run: &Run, places: &[Vector], attitudes: &[Vector]) {
    let times = run.column("time_s");
    let last = times.len() - 1;
    let touch = run.figure("first_touch_s");
    let outside = |i: usize| {
        let way = norm(add(places[i], places[last], -1.0));
        // The angle of a rotation from its matrix' trace, columns against columns.
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let apart = |axis: &Vector| {
            let gap = add(
                turned(*axis, attitudes[i]),
                turned(*axis, attitudes[last]),
                -1.0,
            );
            dot(gap, gap)
        };
        let squares: f64 = axes.iter().map(apart).sum();
        let angle = 2.0 * (squares / 8.0).sqrt().asin();
        way > SETTLED.0 || angle > SETTLED.1
    };
    let moved = (0..=last)
        .rev()
        .find(|&i| outside(i))
        .map_or(touch, |i| times[i]);
    if moved <= touch + 0.9 * (times[last] - touch) {
        run.agrees("settling_time_s", (moved - touch).max(0.0), SAME, 1.0);
    } else {
        assert_eq!(run.value("settling_time_s"), &Value::Null);
    }
}

/// Energies from speeds and lengths, losses from what rows show, and the account as a whole.
fn energies(run: &Run) {
    let last = run.rows.len() - 1;
    let centre = run.target_centre();
    let kinetic = |i: usize| {
        let spin = run.triple("target_rate", "rad_s")[i];
        let target = 0.5 * (TARGET.0 * dot(centre[i], centre[i]) + TARGET.1 * dot(spin, spin));
        let speed = run.triple("effector_velocity", "m_s")[i];
        let spin = run.triple("effector_rate", "rad_s")[i];
        let attitude = run.attitudes("effector")[i];
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let own = axes.map(|axis| dot(turned(axis, attitude), spin));
        let turning: f64 = (0..3).map(|k| EFFECTOR.1[k] * own[k] * own[k]).sum();
        target + 0.5 * (EFFECTOR.0 * dot(speed, speed) + turning)
    };
    run.agrees("energy.brought_in_j", kinetic(0), 1e-9, 0.0);
    run.agrees("energy.bodies_j", kinetic(last), 1e-9, 0.0);
    let (mut stored, mut lost, mut work) = (0.0, 0.0, 0.0);
    for leg in 1..=6 {
        let (lengths, tensions) = (
            run.leg(leg, "tendon_length_m"),
            run.leg(leg, "tendon_tension_n"),
        );
        // At rest a tendon is a spring alone.
        let rest = lengths[0] - tensions[0] / STIFFNESS;
        let spring = |i: usize| STIFFNESS * (lengths[i] - rest).max(0.0);
        stored += 0.5 * STIFFNESS * ((lengths[last] - rest).max(0.0)).powi(2);
        let (torques, angles) = (
            run.leg(leg, "motor_torque_nm"),
            run.leg(leg, "motor_angle_rad"),
        );
        for i in 0..last {
            let damper = 0.5 * (tensions[i] - spring(i) + tensions[i + 1] - spring(i + 1));
            lost += damper * (lengths[i + 1] - lengths[i]);
            work += 0.5 * (torques[i] + torques[i + 1]) * (angles[i + 1] - angles[i]);
        }
    }
    let tendons = run.last("energy_tendons_j");
    assert!(
        (tendons - stored).abs() < 1e-3 * stored,
        "tendons {tendons}, computed {stored}"
    );
    run.agrees("energy.lost_in_legs_j", lost, OF_SUMS, 0.0);
    run.agrees("energy.motor_work_j", work, OF_SUMS, 1e-3 * lost);
    for (key, column) in [
        ("contact_stored_j", "energy_contact_j"),
        ("wrench_work_j", "work_wrench_j"),
        ("actuator_work_j", "work_actuators_j"),
        ("lost_in_contact_j", "lost_in_contact_j"),
        ("lost_in_friction_j", "lost_in_friction_j"),
        ("lost_in_latch_j", "lost_in_latch_j"),
        ("residual_j", "energy_residual_j"),
    ] {
        run.agrees(&format!("energy.{key}"), run.last(column), SAME, SAME);
    }
    let parts = ["legs_kinetic", "leaves", "tendons", "legs_gravity"];
    let change = parts.map(|part| {
        let values = run.column(&format!("energy_{part}_j"));
        values[last] - values[0]
    });
    run.agrees("energy.legs_change_j", change.iter().sum(), 1e-9, 1.0);
    account(run);
}

/// What came in is where the summary says it went.
fn account(run: &Run) {
    let part = |key: &str| run.figure(&format!("energy.{key}"));
    let went: f64 = ["bodies_j", "legs_change_j", "contact_stored_j"]
        .map(part)
        .iter()
        .sum();
    let losses = [
        "lost_in_legs_j",
        "lost_in_contact_j",
        "lost_in_friction_j",
        "lost_in_latch_j",
        "lost_in_panels_j",
    ];
    let lost: f64 = losses.map(part).iter().sum();
    let came: f64 = [
        "brought_in_j",
        "motor_work_j",
        "wrench_work_j",
        "actuator_work_j",
    ]
    .map(part)
    .iter()
    .sum();
    let missing = went + lost - came;
    assert!((part("residual_j") - missing).abs() < 1e-9, "{missing}");
    let residual = largest(run.column("energy_residual_j").iter().map(|x| x.abs()));
    let moved = moved(run);
    run.agrees("energy_residual_rel", residual / moved, 1e-9, SAME);
    assert_eq!(run.value("soundness"), "sound");
    assert_eq!(run.value("soundness_reasons"), &Value::Array(Vec::new()));
    assert!(residual < 1e-3 * moved, "{residual} J of {moved} J");
}

/// The most energy that had moved at any time: what is in motion, what springs and leaves had taken or
/// given, what was lost and what motors had done. Nothing weighs anything here.
fn moved(run: &Run) -> f64 {
    let sums = [
        ("energy_bodies_j", true),
        ("energy_legs_kinetic_j", true),
        ("energy_leaves_j", false),
        ("energy_tendons_j", false),
        ("energy_contact_j", false),
        ("work_motors_j", true),
        ("lost_in_legs_j", true),
        ("lost_in_contact_j", true),
        ("lost_in_friction_j", true),
        ("lost_in_latch_j", true),
    ]
    .map(|(name, from_zero)| {
        let values = run.column(name);
        let start = if from_zero { 0.0 } else { values[0] };
        values
            .iter()
            .map(|x| (x - start).abs())
            .collect::<Vec<f64>>()
    });
    largest((0..run.rows.len()).map(|i| sums.iter().map(|column| column[i]).sum()))
}

/// Counts, times and gaps that rows cannot show exactly.
fn stepping(run: &Run, duration: f64) {
    assert_eq!(run.value("complete"), &Value::Bool(true));
    run.agrees("simulated_s", duration, SAME, 0.0);
    let steps = run.value("steps").as_u64().unwrap() as usize;
    assert!(steps >= run.rows.len() - 1 && run.figure("iterations") >= steps as f64);
    let smallest = run.figure("smallest_step_s");
    assert!(smallest > 0.0 && smallest <= INTERVAL * (1.0 + 1e-9));
    assert!(run.figure("max_joint_gap_m") < 1e-9);
    assert!(run.figure("rejected_steps") >= 0.0);
}

/// Figures that are checked here; a new one wants a check of its own.
const CHECKED: [&str; 47] = [
    "capture",
    "capture_time_s",
    "complete",
    "contact_episodes",
    "contact_impulse_n_s",
    "contact_time_s",
    "effective_restitution",
    "energy",
    "energy_residual_rel",
    "final_angle_deg",
    "final_lateral_m",
    "final_relative_rate_deg_s",
    "final_relative_speed_m_s",
    "first_touch_s",
    "iterations",
    "leg_stroke_over_limit",
    "leg_strokes_m",
    "max_joint_gap_m",
    "max_leaf_stress_use",
    "max_leg_stroke_m",
    "max_motor_range_use",
    "max_motor_torque_use",
    "max_motor_turn_rad",
    "max_penetration_m",
    "max_slack_time_s",
    "max_spherical_turn_rad",
    "max_tendon_stroke_use",
    "max_universal_turn_rad",
    "motor_range_use",
    "outcome",
    "peak_contact_force_n",
    "peak_contact_moment_nm",
    "peak_contact_time_s",
    "peak_interface_bending_nm",
    "peak_interface_compression_n",
    "peak_interface_shear_n",
    "peak_interface_tension_n",
    "peak_interface_torsion_nm",
    "peak_latch_force_n",
    "peak_leaf_stress_pa",
    "peak_motor_torque_nm",
    "rejected_steps",
    "settling_time_s",
    "simulated_s",
    "smallest_step_s",
    "steps",
    "tendon_tension_range_n",
];
/// The rest: what rows cannot tell, or has tests elsewhere.
const OTHERS: [&str; 11] = [
    "coupling",
    "error",
    "legs",
    "margins",
    // Of targets with elastic panels.
    "max_panel_deflection_m",
    "max_panel_root_moment_nm",
    "requirements",
    "soundness",
    "soundness_reasons",
    "version",
    "wall_s",
];

/// Loads at the mating plane: the rows split into axial, shear, bending and torsion.
fn interface(run: &Run) {
    let forces = run.triple("interface_force", "n");
    let moments = run.triple("interface_moment", "nm");
    let size = largest(forces.iter().map(|f| norm(*f)));
    let across = |v: &Vector| v[0].hypot(v[1]);
    let pushed = largest(forces.iter().map(|f| -f[2]));
    run.agrees("peak_interface_compression_n", pushed, OF_PEAKS, 0.0);
    let pulled = largest(forces.iter().map(|f| f[2]));
    run.agrees("peak_interface_tension_n", pulled, OF_PEAKS, size);
    let shear = largest(forces.iter().map(across));
    run.agrees("peak_interface_shear_n", shear, OF_PEAKS, size);
    let arm = size * 0.2;
    let bending = largest(moments.iter().map(across));
    run.agrees("peak_interface_bending_nm", bending, OF_PEAKS, arm);
    let torsion = largest(moments.iter().map(|m| m[2].abs()));
    run.agrees("peak_interface_torsion_nm", torsion, OF_PEAKS, arm);
    let contact = largest(run.column("contact_moment_nm"));
    run.agrees("peak_contact_moment_nm", contact, OF_PEAKS, arm);
    // Before the latch closes the interface carries what the contact does, in other axes.
    let open = run
        .column("captured")
        .into_iter()
        .map(|closed| closed == 0.0);
    let contacts = run.column("contact_force_n").into_iter();
    for ((force, contact), _) in forces
        .iter()
        .zip(contacts)
        .zip(open)
        .filter(|(_, open)| *open)
    {
        assert!(
            (norm(*force) - contact).abs() < 1e-9 * size,
            "{force:?} {contact}"
        );
    }
}

/// The conditions of the latch: their smallest values until it closed.
fn conditions(run: &Run) {
    let times = run.column("time_s");
    let closed = run.value("capture_time_s").as_f64();
    let smallest = |column: &str| {
        let values = run.column(column).into_iter().zip(&times);
        let open = values.filter(|(_, time)| closed.is_none_or(|closed| **time <= closed));
        open.fold(f64::INFINITY, |least: f64, (value, _)| least.min(value))
    };
    let near = |key: &str, computed: f64, allowed: f64| {
        let told = run.figure(key);
        assert!(
            (told - computed).abs() <= allowed,
            "{key}: {told} {computed}"
        );
    };
    near("capture.smallest_gap_m", smallest("gap_m"), 2e-5);
    let angle = smallest("latch_angle_rad").to_degrees();
    near("capture.smallest_angle_deg", angle, 2e-2);
    near(
        "capture.smallest_speed_m_s",
        smallest("latch_speed_m_s"),
        2e-3,
    );
    let failed = run.value("capture.failed").as_str().unwrap();
    assert_eq!(failed == "none", closed.is_some(), "{failed}");
}

/// No figure without a check.
fn complete(run: &Run) {
    let mut known: Vec<&str> = CHECKED.into_iter().chain(OTHERS).collect();
    known.sort_unstable();
    let map = run.summary.as_object().unwrap();
    let mut told: Vec<&str> = map.keys().map(String::as_str).collect();
    told.sort_unstable();
    assert_eq!(told, known);
    assert_eq!(map["soundness"], "sound", "{}", map["soundness_reasons"]);
}

fn all(run: &Run, duration: f64) {
    complete(run);
    contact(run);
    interface(run);
    latch(run);
    conditions(run);
    legs(run);
    ending(run);
    energies(run);
    stepping(run, duration);
}

/// Fast and straight: tendons go slack, the target bounces, nothing rubs and nothing latches.
#[test]
fn figures_of_a_bounce_are_those_of_its_rows() {
    let run = Run::new(
        "bounce",
        &[
            "misalignment.pitch_deg=0",
            "closing_speed_m_s=0.1",
            "target.mass_kg=500",
            "contact.latch.enabled=false",
            "contact.friction.law=none",
            "duration_s=0.25",
        ],
    );
    all(&run, 0.25);
    assert!(run.figure("max_slack_time_s") > 20.0 * INTERVAL);
    assert!(run.figure("energy.lost_in_contact_j") > 0.0);
    // Laws that are off lose nothing: a loss under a wrong name shows here.
    assert_eq!(run.figure("energy.lost_in_friction_j"), 0.0);
    assert_eq!(run.figure("energy.lost_in_latch_j"), 0.0);
    // Rounding of an account of joules.
    assert!(run.figure("energy.motor_work_j").abs() < 1e-14);
}

/// Slow and straight: the latch closes, and its damper loses what friction cannot.
#[test]
fn figures_of_a_capture_are_those_of_its_rows() {
    let run = Run::new(
        "capture",
        &[
            "misalignment.pitch_deg=0",
            "contact.friction.law=none",
            "motor.mode=hold",
            "duration_s=0.2",
        ],
    );
    all(&run, 0.2);
    assert_eq!(run.value("outcome"), "captured");
    assert!(run.figure("energy.lost_in_latch_j") > 0.0);
    assert_eq!(run.figure("energy.lost_in_friction_j"), 0.0);
    assert!(run.figure("max_motor_range_use") > 0.0);
}

/// Askew: the target slides, turns and is not captured; motors give way, each leg another way.
#[test]
fn figures_of_a_sliding_contact_are_those_of_its_rows() {
    let run = Run::new(
        "sliding",
        &[
            "misalignment.yaw_deg=3",
            "misalignment.roll_deg=-20",
            "misalignment.lateral_x_m=0.01",
            "misalignment.roll_rate_deg_s=4",
            "misalignment.pitch_rate_deg_s=-1",
            "misalignment.lateral_rate_y_m_s=0.004",
            "contact.normal.law=hertz",
            "contact.latch.enabled=false",
            "motor.mode=hold",
            "duration_s=0.2",
        ],
    );
    all(&run, 0.2);
    assert!(run.figure("energy.lost_in_friction_j") > 0.0);
    // Hertz's law gives everything back.
    assert_eq!(run.figure("energy.lost_in_contact_j"), 0.0);
    assert_eq!(run.figure("energy.lost_in_latch_j"), 0.0);
    let uses: Vec<f64> = (0..6)
        .map(|leg| run.figure(&format!("motor_range_use.{leg}")))
        .collect();
    let same = uses
        .iter()
        .filter(|used| (**used - uses[0]).abs() < 1e-3 * uses[0])
        .count();
    assert_eq!(same, 1, "legs cannot be told apart: {uses:?}");
}
