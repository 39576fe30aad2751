//! A target with elastic panels: against full beams, as one mechanical system, and in the limit of stiff
//! panels.

use multibody::dynamics::integrator::Integrator;
use multibody::group::{Group, Se3};
use multibody::model::spatial_inertia;
use nalgebra::{Matrix3, Vector3, Vector6};
use softdock_docking::panel::{self, Panel};
use softdock_docking::{DockingRun, Scenario};
use softdock_mechanism::{describe, simulate};
use softdock_platform::audit::total_momentum;
use softdock_platform::body::{Body, BodyState, BodyStep, kinetic_energy, momentum, strain_energy};

/// Two different wings, one of which bends in both directions.
fn wings(modes: usize) -> Vec<Panel> {
    let wing = |name: &str, x: f64, frequency_hz: f64| Panel {
        name: name.to_owned(),
        root_m: [x, 0.1, -0.4],
        direction: [x.signum(), 0.0, 0.0],
        normal: [0.0, 0.0, 1.0],
        length_m: 3.0,
        mass_kg: 15.0,
        frequency_hz,
        edge_frequency_hz: None,
        damping_ratio: 0.0,
        modes,
    };
    let mut other = wing("right", 0.5, 0.7);
    other.edge_frequency_hz = Some(2.0);
    vec![wing("left", -0.5, 0.5), other]
}

fn hub() -> nalgebra::Matrix6<f64> {
    let tensor = Matrix3::from_diagonal(&Vector3::new(40.0, 50.0, 60.0));
    spatial_inertia(200.0, [0.0, 0.0, -0.5], tensor)
}

fn target(panels: &[Panel]) -> Body {
    Body {
        inertia: hub() + panel::inertia(panels),
        gravity: Vector3::zeros(),
        modes: panel::modes(panels),
    }
}

/// Moves a body by itself under a wrench in its own axes: its states.
fn moved(
    body: &Body,
    start: BodyState,
    (h, duration): (f64, f64),
    wrench: impl Fn(f64) -> Vector6<f64>,
) -> Vec<BodyState> {
    let integrator = Integrator::new(1.0, h);
    let mut out = vec![start];
    for k in 1..=(duration / h).round() as usize {
        let before = out[k - 1];
        let mut step = BodyStep::predict(body, &before, &integrator, false);
        for iteration in 0.. {
            let (force, tangent) = step.inertia(body, &integrator);
            let psi = tangent.lu().solve(&(wrench(k as f64 * h) - force)).unwrap();
            step.correct((body, &before), &integrator, &psi);
            // Quadratic: a wrong tangent needs more.
            assert!(iteration < 5, "no quadratic convergence: {}", psi.amax());
            if psi.amax() < 1e-13 {
                break;
            }
        }
        out.push(step.accepted());
    }
    out
}

/// A push of half a sine at the port, from the side and turning.
fn push(t: f64) -> Vector6<f64> {
    let pulse = if t < 0.3 {
        (core::f64::consts::PI * t / 0.3).sin()
    } else {
        0.0
    };
    Vector6::new(5.0, 0.0, 40.0, 3.0, 20.0, 2.0) * pulse
}

/// The same hub and wings as full beams: (time, vx, vz, ω_x, ω_y of the hub, z of the tips against it).
fn as_full_beams() -> Vec<[f64; 7]> {
    // EI of the first clamped frequency; the beams neither stretch, twist nor shear to speak of.
    let stiffness = |hz: f64| {
        let omega = core::f64::consts::TAU * hz;
        omega * omega * 15.0 * 27.0 / 1.875_104_068_711_961_f64.powi(4)
    };
    let (soft, firm, edge) = (stiffness(0.5), stiffness(0.7), stiffness(2.0));
    let beam = |name: &str, x: f64, [y, z]: [f64; 2]| {
        format!(
            "[[beam]]\nname = \"{name}\"\nfrom_m = [{x}, 0.1, -0.4]\nto_m = [{}, 0.1, -0.4]\nelements = 12\n\
             across = [0, 1, 0]\nshape = \"given\"\nmass_per_length_kg_per_m = 5\n\
             rotary_inertia_kg_m = [1e-3, 1e-6, 1e-6]\naxial_stiffness_n = 1e7\n\
             shear_stiffness_n = 1e7\ntorsion_stiffness_n_m2 = 1e5\n\
             bending_stiffness_n_m2 = [{y}, {z}]\n\n",
            x + 3.0 * x.signum()
        )
    };
    let pulse = |size: f64| format!("\"if(t < 0.3, {size}*sin(pi*t/0.3), 0)\"");
    let text = format!(
        "space = \"space\"\ngravity_m_per_s2 = [0, 0, 0]\noutputs = [\"hub.vx_m_per_s\", \"hub.vz_m_per_s\", \
         \"hub.rate_x_rad_per_s\", \"hub.rate_y_rad_per_s\", \"left_tip.z_m\", \"right_tip.z_m\", \"hub.z_m\"]\n\
         [analysis]\nduration_s = 2\nstep_s = 1e-3\noutput_step_s = 1e-2\nspectral_radius = 1\n\n\
         [[body]]\nname = \"hub\"\nmass_kg = 200\ninertia_kg_m2 = [40, 50, 60]\nposition_m = [0, 0, -0.5]\n\n\
         {}{}\
         [[joint]]\nname = \"l\"\nkind = \"fixed\"\na = \"hub\"\nb = \"left.start\"\nat_m = [-0.5, 0.1, -0.4]\n\n\
         [[joint]]\nname = \"r\"\nkind = \"fixed\"\na = \"hub\"\nb = \"right.start\"\nat_m = [0.5, 0.1, -0.4]\n\n\
         [[frame]]\nname = \"left_tip\"\non = \"left.end\"\n\n[[frame]]\nname = \"right_tip\"\non = \"right.end\"\n\n\
         [[force]]\nname = \"push\"\non = \"hub\"\npoint_m = [0, 0, 0.5]\naxes = \"body\"\n\
         force_n = [{}, 0, {}]\nmoment_nm = [{}, {}, {}]\n",
        beam("left", -0.5, [soft, 1e6]),
        beam("right", 0.5, [firm, edge]),
        pulse(5.0),
        pulse(40.0),
        pulse(3.0),
        pulse(20.0),
        pulse(2.0),
    );
    let none = |_: &str| None;
    let description = describe("wings.toml", &text, &[], &none).unwrap();
    let mut rows = Vec::new();
    simulate::simulate(&description, &mut |t, values| {
        let mut row = [t; 7];
        row[1..].copy_from_slice(&values[..6]);
        rows.push(row);
        true
    })
    .unwrap();
    rows
}

/// Linear and angular momentum about the world's origin, and energy, stay while nothing acts; the map of
/// Newton's method is exact.
#[test]
fn panels_and_target_are_one_mechanical_system() {
    let panels = wings(2);
    let body = target(&panels);
    let mut start = BodyState::moving(
        Se3::identity(),
        Vector6::new(0.02, -0.01, 0.05, 0.02, 0.05, -0.03),
    );
    for k in 0..body.modes.count {
        start.modal.place[k] = 0.1 * (1.0 + k as f64).sin();
    }
    let energy = |s: &BodyState| kinetic_energy(&body, s) + strain_energy(&body, s);
    let free = |_: f64| Vector6::zeros();
    let drift = |h: f64| {
        // Accelerations that fit the bent panels.
        let start = *moved(&body, start, (1e-5, 1e-2), free).last().unwrap();
        let states = moved(&body, start, (h, 1.0), free);
        let end = states.last().unwrap();
        assert!((end.modal.place - start.modal.place).norm() > 0.05);
        let ((p, l), (q, m)) = (momentum(&body, &start), momentum(&body, end));
        let energies = (energy(end) - energy(&start)).abs() / energy(&start);
        [
            (p - q).norm() / p.norm(),
            (l - m).norm() / l.norm(),
            energies,
        ]
    };
    let (coarse, fine) = (drift(2e-3), drift(1e-3));
    println!("{coarse:?} {fine:?}");
    for (at, fine) in coarse.iter().zip(fine) {
        // Second order, or rounding.
        assert!(fine < 1e-9 || fine < 0.3 * at, "{coarse:?} {fine:?}");
        assert!(fine < 1e-5, "{fine:?}");
    }
}

/// The hub and its wings under a push, against full beams: to 0.5 % of what moves most (found: 0.2 %).
#[test]
fn panels_shake_the_target_as_full_beams_do() {
    let panels = wings(3);
    let body = target(&panels);
    let h = 1e-3;
    let start = BodyState::at_rest(Se3::identity());
    let states = moved(&body, start, (h, 2.0), push);
    let rows = as_full_beams();
    let mut largest = [0.0_f64; 6];
    let mut errors = [0.0_f64; 6];
    for row in &rows {
        let state = &states[(row[0] / h).round() as usize];
        let centre = Vector3::new(0.0, 0.0, -0.5);
        let v = state.point_velocity(&centre);
        let spin = state.pose.rotation() * state.velocity.fixed_rows::<3>(3);
        let tip = |panel: &Panel, first: usize| {
            let direction = Vector3::from(panel.direction);
            let bent: f64 = (0..3)
                .map(|k| [1.0, -1.0, 1.0][k] * state.modal.place[first + k])
                .sum();
            let along = Vector3::from(panel.root_m) + direction * panel.length_m;
            let moved = Vector3::z() * (2.0 / panel.mass_kg.sqrt() * bent);
            (state.pose.translation() + state.pose.rotation() * (along + moved)).z
        };
        let own = [
            v.x,
            v.z,
            spin.x,
            spin.y,
            tip(&panels[0], 0),
            tip(&panels[1], 3),
        ];
        for i in 0..6 {
            let wanted = row[1 + i] + if i > 3 { 0.4 } else { 0.0 };
            let found = own[i] + if i > 3 { 0.4 } else { 0.0 };
            largest[i] = largest[i].max(wanted.abs());
            errors[i] = errors[i].max((found - wanted).abs());
        }
    }
    println!("largest {largest:?}, errors {errors:?}");
    // Velocities, rates of turning, tips: each against the larger of its two components.
    for i in 0..6 {
        let most = largest[i].max(largest[i ^ 1]);
        assert!(errors[i] < 0.005 * most, "{i}: {errors:?} of {largest:?}");
    }
}

/// With stiff panels the target is the rigid body of the same inertia.
#[test]
fn stiff_panels_make_a_rigid_target() {
    let mut panels = wings(2);
    let rigid = target(&wings(0));
    let at = |body: &Body| {
        let start = BodyState::at_rest(Se3::identity());
        *moved(body, start, (1e-3, 0.6), push).last().unwrap()
    };
    let expected = at(&rigid);
    let mut before = f64::INFINITY;
    for factor in [10.0, 100.0] {
        for panel in &mut panels {
            panel.frequency_hz *= factor;
            panel.edge_frequency_hz = panel.edge_frequency_hz.map(|hz| hz * factor);
        }
        let found = at(&target(&panels));
        let error = (found.velocity - expected.velocity).norm() / expected.velocity.norm();
        println!("{factor}: {error:e}");
        assert!(error < 0.5 * before);
        before = error;
    }
    assert!(before < 1e-3, "{before}");
}

/// A floating pair, the target with panels: momentum stays and the ledger closes through contact.
#[test]
fn a_docking_with_panels_keeps_momentum_and_energy() {
    let mut scenario = Scenario::default();
    scenario.docking.duration_s = 0.3;
    scenario.platform.legs.elements = 4;
    scenario.platform.solver.step_s = 2e-4;
    scenario.platform.base.free_floating = true;
    scenario.docking.target.panel = wings(2);
    let brought = 530.0 * scenario.docking.closing_speed_m_s;
    let mut run = DockingRun::new(&scenario, false).unwrap();
    let at = |run: &DockingRun| total_momentum(run.platform().monolithic().unwrap()).unwrap();
    let (linear, angular) = at(&run);
    run.run().unwrap();
    let (p, l) = at(&run);
    let summary = run.summary().unwrap();
    let bent = summary.max_panel_deflection_m.unwrap();
    let moment = summary.max_panel_root_moment_nm.unwrap();
    println!(
        "linear {:e}, angular {:e}, ledger {:e}, deflection {bent} m, moment {moment} N·m",
        (p - linear).norm() / brought,
        (l - angular).norm() / brought,
        summary.energy_residual_rel
    );
    assert!((p - linear).norm() < 1e-9 * brought);
    assert!((l - angular).norm() < 1e-7 * brought);
    assert!(summary.energy_residual_rel < 1e-3);
    assert!(summary.peak_contact_force_n.unwrap() > 10.0);
    assert!(bent > 1e-4 && moment > 0.1);
}
