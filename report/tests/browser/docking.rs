//! An invented docking with the geometry of a real one: six legs with bowed leaves, a target that
//! comes in tilted and touches at half a second.

use serde_json::json;
use softdock_report::{
    Anchor, Arrow, Body, DockingRun, DockingSeries, Figure, Focus, Ground, Mesh, Moment, Paint,
    Pose, Reading, RibbonFrame, Scene, Strip,
};

/// Seconds.
const DURATION: f64 = 3.0;
const CONTACT: f64 = 0.5;
const FRAMES: usize = 200;
const SAMPLES: usize = 3000;
/// Azimuths of motors and of the spheres on the end effector [°].
const MOTORS: [f64; 6] = [61.84, 118.16, 181.84, 238.16, 301.84, 358.16];
const SPHERES: [f64; 6] = [47.40, 132.60, 167.40, 252.60, 287.40, 12.60];
/// Radii and lengths [m].
const BASE_RADIUS: f64 = 0.150;
const CRANK: f64 = 0.12;
const EFFECTOR_RADIUS: f64 = 0.190;
const HEIGHT: f64 = 0.400;
const LEAF: f64 = 0.5;
const LEAF_WIDTH: f64 = 0.077;
const RING: f64 = 0.215;
const TILT_DEG: f64 = 7.5;

type V = [f64; 3];

fn add(a: V, b: V, s: f64) -> V {
    [0, 1, 2].map(|i| a[i] + s * b[i])
}

fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: V, b: V) -> V {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn unit(a: V) -> V {
    let size = dot(a, a).sqrt();
    a.map(|v| v / size)
}

fn polar(radius: f64, azimuth_deg: f64, z: f64) -> V {
    let (sin, cos) = azimuth_deg.to_radians().sin_cos();
    [radius * cos, radius * sin, z]
}

/// What the invented run does at a time, scaled by `strength`.
struct Instant {
    /// Time since contact [s], zero before.
    tau: f64,
    /// Contact force [N].
    force: f64,
    /// Tilt of the end effector and of the target about y [°].
    tilts: [f64; 2],
    /// How far the end effector is pushed down [m].
    sink: f64,
    /// Height of the target's interface above the end effector's [m].
    gap: f64,
}

fn at(t: f64, strength: f64) -> Instant {
    let tau = (t - CONTACT).max(0.0);
    let ring = (-tau / 0.22).exp() * (tau * 9.0).sin();
    let force = (45.5 * strength * (-tau / 0.20).exp() * (tau * 11.0).sin() * 1.8478).max(0.0);
    let follow = 1.0 - (-tau / 0.3).exp() * (1.0 + tau / 0.3);
    let tilts = [
        TILT_DEG * follow * 0.6 + 2.5 * strength * ring,
        TILT_DEG * (1.0 - 0.4 * follow) - 0.8 * ring,
    ];
    let lean = RING * (tilts[1] - tilts[0]).to_radians().sin().abs();
    Instant {
        tau,
        force,
        tilts,
        sink: 0.011 * strength * (ring + 0.35 * follow),
        gap: lean + 0.05 * (CONTACT - t).max(0.0),
    }
}

/// A pose tilted about y.
fn tilted(position_m: V, degrees: f64) -> Pose {
    let (sin, cos) = (degrees.to_radians() / 2.0).sin_cos();
    Pose {
        position_m,
        quaternion: [cos, 0.0, sin, 0.0],
    }
}

fn place(pose: &Pose, p: V) -> V {
    let angle = 2.0 * pose.quaternion[2].atan2(pose.quaternion[0]);
    let (sin, cos) = angle.sin_cos();
    let turned = [cos * p[0] + sin * p[2], p[1], cos * p[2] - sin * p[0]];
    add(turned, pose.position_m, 1.0)
}

/// Middle line and directions across a leaf bowed outward into an arc of its own length.
fn leaf(a: V, b: V, azimuth: f64) -> RibbonFrame {
    let chord = add(b, a, -1.0);
    let length = dot(chord, chord).sqrt();
    let along = unit(chord);
    let outward = polar(1.0, azimuth, 0.0);
    let normal = unit(add(outward, along, -dot(outward, along)));
    // sin(x)/x = chord/leaf gives half the arc's angle.
    let (mut low, mut high) = (1e-6, 3.0);
    for _ in 0..60 {
        let x: f64 = 0.5 * (low + high);
        if x.sin() / x > length / LEAF {
            low = x;
        } else {
            high = x;
        }
    }
    let radius = LEAF / (2.0 * low);
    let points_m = (0..11)
        .map(|i| {
            let angle = low * (f64::from(i) / 5.0 - 1.0);
            let p = add(a, along, length / 2.0 + radius * angle.sin());
            add(p, normal, radius * (angle.cos() - low.cos()))
        })
        .collect();
    RibbonFrame {
        points_m,
        across: vec![cross(along, normal); 11],
    }
}

fn effector_pose(m: &Instant) -> Pose {
    tilted([0.0, 0.0, HEIGHT - m.sink], m.tilts[0])
}

fn target_pose(m: &Instant) -> Pose {
    tilted([0.004, 0.0, HEIGHT - m.sink + 0.055 + m.gap], m.tilts[1])
}

fn crank_tip(leg: usize, m: &Instant) -> (V, f64) {
    let q = -14.0 * (m.sink / 0.011) * (1.0 + 0.3 * (leg as f64).sin());
    let (sin, cos) = q.to_radians().sin_cos();
    let tip = polar(BASE_RADIUS + CRANK * cos, MOTORS[leg], CRANK * sin);
    (tip, q)
}

fn scene(strength: f64) -> Scene {
    let times: Vec<f64> = (0..FRAMES)
        .map(|i| DURATION * i as f64 / (FRAMES - 1) as f64)
        .collect();
    let moments: Vec<Instant> = times.iter().map(|&t| at(t, strength)).collect();
    let base = Mesh::ring([0.105, 0.165], [-0.035, -0.015], 48);
    let mut bodies = vec![Body::new("base", Paint::Base, &base, &[Pose::default()])];
    let mut strips = Vec::new();
    for leg in 0..6 {
        let motor = polar(BASE_RADIUS, MOTORS[leg], 0.0);
        let tangent = polar(1.0, MOTORS[leg] + 90.0, 0.0);
        let housing = Mesh::rod(
            add(motor, tangent, -0.032),
            add(motor, tangent, 0.032),
            0.02,
            16,
        );
        bodies.push(Body::new(
            "motors",
            Paint::Base,
            &housing,
            &[Pose::default()],
        ));
        // The crank in its own frame: along x from the motor.
        let crank = Mesh::rod([0.0; 3], [CRANK, 0.0, 0.0], 0.008, 10);
        let poses: Vec<Pose> = moments
            .iter()
            .map(|m| {
                let (_, q) = crank_tip(leg, m);
                let (sy, cy) = (MOTORS[leg].to_radians() / 2.0).sin_cos();
                let (sq, cq) = (-q.to_radians() / 2.0).sin_cos();
                Pose {
                    position_m: motor,
                    quaternion: [cy * cq, -sy * sq, cy * sq, sy * cq],
                }
            })
            .collect();
        bodies.push(Body::new("cranks", Paint::Link, &crank, &poses));
        let ends = |m: &Instant| {
            let b = polar(EFFECTOR_RADIUS, SPHERES[leg], 0.0);
            (crank_tip(leg, m).0, place(&effector_pose(m), b))
        };
        let leaves: Vec<_> = moments
            .iter()
            .map(|m| {
                let (a, b) = ends(m);
                leaf(a, b, MOTORS[leg])
            })
            .collect();
        strips.push(Strip::ribbon("leaves", Paint::Leaf, LEAF_WIDTH, &leaves));
        let cables: Vec<_> = moments
            .iter()
            .map(|m| {
                let (a, b) = ends(m);
                vec![a, b]
            })
            .collect();
        strips.push(Strip::cable("tendons", Paint::Cable, &cables));
    }
    let plate = Mesh::ring([0.09, 0.2], [-0.008, 0.008], 48).and(Mesh::ring(
        [RING - 0.014, RING + 0.006],
        [-0.008, 0.02],
        48,
    ));
    let petals = Mesh::petals(3, 30.0, 52.0, [RING, RING - 0.045], [0.02, 0.085]);
    let effector: Vec<Pose> = moments.iter().map(effector_pose).collect();
    bodies.push(Body::new(
        "end effector",
        Paint::Effector,
        &plate,
        &effector,
    ));
    bodies.push(Body::new("petals", Paint::Effector, &petals, &effector));
    let target: Vec<Pose> = moments.iter().map(target_pose).collect();
    let ring = Mesh::ring([RING - 0.016, RING + 0.012], [-0.03, 0.03], 48);
    let hull = Mesh::turned(
        &[
            [0.0, 0.03],
            [0.2, 0.03],
            [0.3, 0.1],
            [0.3, 0.18],
            [0.3, 0.26],
            [0.3, 0.34],
            [0.0, 0.34],
        ],
        8,
    );
    bodies.push(Body::new("docking ring", Paint::Interface, &ring, &target));
    bodies.push(Body::new("target", Paint::Target, &hull, &target));
    let touch: Vec<_> = moments
        .iter()
        .map(|m| {
            let point = place(&effector_pose(m), [RING, 0.0, 0.02]);
            let up = [-(m.tilts[0].to_radians().sin()), 0.0, -1.0];
            (point, unit(up).map(|v| v * m.force))
        })
        .collect();
    let forces: Vec<f64> = moments.iter().map(|m| m.force).collect();
    let tilt: Vec<f64> = moments.iter().map(|m| m.tilts[1] - m.tilts[0]).collect();
    Scene {
        title: "Motion".to_owned(),
        sentence: "Platform, leaves and target, drawn to scale; the arrow is the contact force on \
                   the end effector. The charts follow the slider."
            .to_owned(),
        times,
        bodies,
        strips,
        arrows: vec![Arrow::new("contact force", Anchor::Head, &touch).labelled()],
        readings: vec![
            Reading::new("contact force", "N", 1, forces),
            Reading::new("misalignment", "°", 2, tilt),
        ],
        moments: vec![
            Moment::new(CONTACT, "first contact"),
            Moment::new(CONTACT + 0.104, "peak force"),
            Moment::new(1.9, "capture"),
            Moment::new(f64::NAN, "never"),
        ],
        focus: Some(Focus {
            centre_m: [0.0, 0.0, 0.31],
            radius_m: 0.52,
        }),
        ground: Some(Ground {
            height_m: -0.1,
            half_m: 0.6,
            step_m: 0.1,
        }),
    }
}

fn series(strength: f64) -> DockingSeries {
    let time_s: Vec<f64> = (0..SAMPLES)
        .map(|i| DURATION * i as f64 / (SAMPLES - 1) as f64)
        .collect();
    let moments: Vec<Instant> = time_s.iter().map(|&t| at(t, strength)).collect();
    let each = |value: &dyn Fn(&Instant) -> f64| moments.iter().map(value).collect::<Vec<f64>>();
    let legs = |value: &dyn Fn(usize, &Instant) -> f64| {
        (0..6)
            .map(|leg| each(&|m| value(leg, m)))
            .collect::<Vec<_>>()
    };
    let share = |leg: usize| 0.6 + 0.5 * MOTORS[leg].to_radians().cos();
    DockingSeries {
        contact_force_n: each(&|m| m.force),
        friction_force_n: each(&|m| 0.12 * m.force),
        gap_m: each(&|m| m.gap - RING * 0.002 - 1e-5 * m.force),
        position_error_m: [
            each(&|m| 0.004 * (-m.tau / 0.5).exp()),
            each(&|m| 0.001 * (6.0 * m.tau).sin() * (-m.tau).exp()),
            each(&|m| m.gap),
        ],
        angle_error_deg: [
            each(&|m| m.tilts[1] - m.tilts[0]),
            each(&|m| 0.4 * (5.0 * m.tau).sin() * (-m.tau / 0.4).exp()),
            each(&|m| 0.15 * (3.0 * m.tau).sin() * (-m.tau / 0.6).exp()),
        ],
        leg_force_n: legs(&|leg, m| 57.7 - 9.0 + m.force * share(leg) / 3.0),
        leg_stroke_m: legs(&|leg, m| -m.sink * share(leg)),
        tendon_tension_n: legs(&|leg, m| 57.67 - 18.0 * (m.sink / 0.011) * share(leg)),
        crank_angle_deg: legs(&|leg, m| crank_tip(leg, m).1),
        motor_torque_nm: legs(&|leg, m| 1.2 + 0.03 * m.force * share(leg)),
        energy_j: vec![
            (
                "kinetic".to_owned(),
                each(&|m| 0.625 * (-m.tau / 0.3).exp()),
            ),
            ("strain".to_owned(), each(&|m| 21.0 + 8.0 * m.sink)),
            ("tendon".to_owned(), each(&|m| 0.83 - 3.0 * m.sink)),
            (
                "dissipated".to_owned(),
                each(&|m| 0.5 * (1.0 - (-m.tau / 0.35).exp())),
            ),
        ],
        energy_residual_j: each(&|m| if m.tau > 2.4 { f64::NAN } else { -3e-5 * m.tau }),
        contacts_s: vec![[0.5, 0.786], [1.07, 1.357]],
        stroke_limits_m: Some([-0.03, 0.03]),
        torque_limit_nm: Some(6.0),
        time_s,
        ..DockingSeries::default()
    }
}

/// A docking whose force is `strength` times that of the first.
pub fn run(name: &str, strength: f64) -> DockingRun {
    let series = series(strength);
    let peak = series.contact_force_n.iter().copied().fold(0.0, f64::max);
    let tensions = series.tendon_tension_n.iter().flatten().copied();
    let tensions = [
        tensions.clone().fold(f64::MAX, f64::min),
        tensions.fold(f64::MIN, f64::max),
    ];
    let number = |label: &str, key: &str, value: f64, unit: &str| {
        Figure::number(label, value, 3, unit).keyed(key, value)
    };
    let range = format!("{:.1} … {:.1}", tensions[0], tensions[1]);
    let headlines = vec![
        Figure::text("soundness", "sound", "").keyed("soundness", "sound"),
        Figure::text("outcome", "captured", "").keyed("outcome", "captured"),
        number("peak contact force", "peak_contact_force_n", peak, "N"),
        number("settling time", "settling_time_s", 1.234_567_891, "s"),
        number(
            "contact impulse",
            "contact_impulse_n_s",
            6.71 * strength,
            "N·s",
        ),
        number(
            "largest leg stroke",
            "max_leg_stroke_mm",
            7.31 * strength,
            "mm",
        ),
        Figure::text("tendon tension", range, "N")
            .keyed("tendon_tension_range_n", tensions.to_vec()),
        number("peak motor torque", "peak_motor_torque_nm", 2.71, "N·m"),
    ];
    let others = [
        Figure::text("reasons to doubt", "none", "").keyed("soundness_reasons", json!([])),
        Figure::text("contact episodes", "2", "").keyed("contact_episodes", 2),
        Figure::text("restitution", "–", "").keyed("effective_restitution", json!(null)),
        number("energy: kinetic", "energy.kinetic_j", 0.0021, "J"),
        number("energy: residual", "energy.residual_j", -7.5e-5, "J"),
        number("largest joint gap", "max_joint_gap_m", 2.2e-13, "m"),
        Figure::text("coupling", "monolithic", "").keyed("coupling", "monolithic"),
        number("simulated time", "simulated_s", DURATION, "s"),
    ];
    let figures = headlines.iter().cloned().chain(others).collect();
    let files = [
        ["run.csv", "run.csv", "all time series"],
        [
            "summary.json",
            "summary.json",
            "the figures above, for programs",
        ],
    ];
    DockingRun {
        name: name.to_owned(),
        incomplete: None,
        doubts: Vec::new(),
        headlines,
        figures,
        series,
        scene: Some(scene(strength)),
        config_text: format!(
            "closing_speed_m_s = {:.3}\nduration_s = 3.0\n\n[misalignment]\npitch_deg = 7.5\n\
             yaw_deg = 0.0\n\n[target]\nmass_kg = 500.0 # \"<free>\" & floating\n",
            0.05 * strength
        ),
        files: files.map(|file| file.map(str::to_owned)).to_vec(),
        ..DockingRun::default()
    }
}
