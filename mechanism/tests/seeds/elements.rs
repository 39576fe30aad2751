//! Elements of mechanism files against formulas: gears and belts, driven points and frames, tendons over
//! guides, line actuators, contacts with surfaces and friction, impacts at once, bodies of matrices, assumed
//! modes.

use crate::{describe, near, table};
use softdock_mechanism::{analysis, library, simulate};

/// The table of the mechanism `text`.
fn run_text(text: &str) -> crate::Table {
    let description = softdock_mechanism::describe("test.toml", text, &[], &library::find)
        .unwrap_or_else(|error| panic!("{error}"));
    table(&description, simulate::simulate)
}

/// Two wheels on pivots 0.3 m apart; a torque of 1 N·m on the first.
fn wheels(joint: &str) -> String {
    format!(
        "space = \"plane\"\n\
         outputs = [\"one.rate_rad_per_s\", \"two.rate_rad_per_s\", \"one.angle_rad\", \"two.angle_rad\"]\n\
         [analysis]\nduration_s = 2\nstep_s = 1e-3\noutput_step_s = 0.5\n\
         [[body]]\nname = \"one\"\nmass_kg = 1\ninertia_kg_m2 = 0.02\nposition_m = [0, 0]\n\
         [[body]]\nname = \"two\"\nmass_kg = 1\ninertia_kg_m2 = 0.05\nposition_m = [0.3, 0]\n\
         [[joint]]\nname = \"p1\"\nkind = \"revolute\"\na = \"ground\"\nb = \"one\"\nat_m = [0, 0]\n\
         [[joint]]\nname = \"p2\"\nkind = \"revolute\"\na = \"ground\"\nb = \"two\"\nat_m = [0.3, 0]\n\
         [[joint]]\nname = \"mesh\"\na = \"one\"\nb = \"two\"\n{joint}\n\
         [[force]]\nname = \"drive\"\non = \"one\"\nmoment_nm = [1]\n"
    )
}

/// With the ratio i of the rates, the torque τ gives θ₁″ = τ/(J₁ + i² J₂), over many turns.
#[test]
fn gears_and_belts_pass_motion_on_with_their_ratio() {
    let cases = [
        ("kind = \"gear\"\na_radius_m = 0.1\nradius_m = 0.2", -0.5),
        ("kind = \"gear\"\na_radius_m = -0.4\nradius_m = 0.1", 4.0),
        ("kind = \"belt\"\na_radius_m = 0.05\nradius_m = 0.2", 0.25),
        (
            "kind = \"belt\"\na_radius_m = 0.07\nradius_m = 0.07\ncrossed = true",
            -1.0,
        ),
    ];
    for (joint, ratio) in cases {
        let table = run_text(&wheels(joint));
        let acceleration = 1.0 / (0.02 + ratio * ratio * 0.05);
        for time in [0.5, 1.0, 2.0] {
            let rate = acceleration * time;
            near(table.at(time, "one.rate_rad_per_s"), rate, 1e-7 * rate);
            near(
                table.at(time, "two.rate_rad_per_s"),
                ratio * rate,
                1e-7 * rate,
            );
            let angle = 0.5 * acceleration * time * time;
            near(table.at(time, "two.angle_rad"), ratio * angle, 1e-5 * angle);
        }
        assert!(table.outcome.energy_residual_rel < 1e-4, "{joint}");
    }
}

/// Willis: with the ring (radius 0.3) held, the carrier turns with r_s/(r_s + r_r) of the sun's rate.
#[test]
fn a_planetary_gear_turns_its_carrier_after_willis() {
    let table = run_text(
        "space = \"plane\"\noutputs = [\"carrier.angle_rad\", \"planet.angle_rad\", \"drive.torque_nm\"]\n\
         [analysis]\nduration_s = 3\nstep_s = 1e-3\noutput_step_s = 1\n\
         [[body]]\nname = \"sun\"\nmass_kg = 1\ninertia_kg_m2 = 0.01\nposition_m = [0, 0]\n\
         [[body]]\nname = \"carrier\"\nmass_kg = 1\ninertia_kg_m2 = 0.02\nposition_m = [0, 0]\n\
         [[body]]\nname = \"planet\"\nmass_kg = 0.2\ninertia_kg_m2 = 0.001\nposition_m = [0.2, 0]\n\
         [[joint]]\nname = \"p1\"\nkind = \"revolute\"\na = \"ground\"\nb = \"sun\"\n\
         [[joint]]\nname = \"p2\"\nkind = \"revolute\"\na = \"ground\"\nb = \"carrier\"\n\
         [[joint]]\nname = \"p3\"\nkind = \"revolute\"\na = \"carrier\"\nb = \"planet\"\nat_m = [0.2, 0]\n\
         [[joint]]\nname = \"inner\"\nkind = \"gear\"\na = \"sun\"\nb = \"planet\"\na_radius_m = 0.1\nradius_m = 0.1\n\
         [[joint]]\nname = \"outer\"\nkind = \"gear\"\na = \"ground\"\nb = \"planet\"\na_radius_m = -0.3\nradius_m = 0.1\n\
         [[driver]]\nname = \"drive\"\njoint = \"p1\"\nmotion = \"8*t\"\n",
    );
    for time in [1.0, 2.0, 3.0] {
        near(table.at(time, "carrier.angle_rad"), 2.0 * time, 1e-8);
        // The planet: r_s (8 − 2) = −r_p (ω_p − 2).
        near(table.at(time, "planet.angle_rad"), -4.0 * time, 1e-8);
        near(table.at(time, "drive.torque_nm"), 0.0, 1e-6);
    }
}

#[test]
fn points_and_frames_follow_their_paths() {
    let table = run_text(
        "space = \"plane\"\noutputs = [\"a.x_m\", \"a.y_m\", \"lead.force_x_n\", \"b.x_m\", \"b.angle_rad\"]\n\
         [analysis]\nduration_s = 1\nstep_s = 1e-3\noutput_step_s = 0.1\n\
         [[body]]\nname = \"a\"\nmass_kg = 2\ninertia_kg_m2 = 0.1\nposition_m = [0.3, 0]\n\
         [[body]]\nname = \"b\"\nmass_kg = 2\ninertia_kg_m2 = 0.1\nposition_m = [0, 0]\n\
         [[driver]]\nname = \"lead\"\nkind = \"point\"\nb = \"a\"\npath_m = [\"0.3*cos(2*t)\", \"0.3*sin(2*t)\"]\n\
         [[driver]]\nname = \"carry\"\nkind = \"frame\"\nb = \"b\"\npath_m = [\"t^2\", 0]\nturn_rad = [\"3*t\"]\n",
    );
    for time in [0.5, 1.0] {
        near(table.at(time, "a.x_m"), 0.3 * (2.0 * time).cos(), 1e-9);
        near(table.at(time, "a.y_m"), 0.3 * (2.0 * time).sin(), 1e-9);
        let force = -2.0 * 0.3 * 4.0 * (2.0 * time).cos();
        near(table.at(time, "lead.force_x_n"), force, 1e-4);
        near(table.at(time, "b.x_m"), time * time, 1e-9);
        near(table.at(time, "b.angle_rad"), 3.0 * time, 1e-9);
    }
    let table = run_text(
        "space = \"space\"\noutputs = [\"b.x_m\", \"b.angle_y_rad\", \"b.rate_y_rad_per_s\"]\n\
         [analysis]\nduration_s = 0.5\nstep_s = 1e-3\noutput_step_s = 0.1\n\
         [[body]]\nname = \"b\"\nmass_kg = 2\ninertia_kg_m2 = [0.1, 0.2, 0.3]\nposition_m = [0, 0, 0]\n\
         [[driver]]\nname = \"carry\"\nkind = \"frame\"\nb = \"b\"\nb_point_m = [0, 0, 0]\npath_m = [\"t\", 0, 0]\n\
         turn_rad = [0, \"2*t\", 0]\n",
    );
    near(table.at(0.5, "b.x_m"), 0.5, 1e-9);
    near(table.at(0.5, "b.angle_y_rad"), 1.0, 1e-9);
    near(table.at(0.5, "b.rate_y_rad_per_s"), 2.0, 1e-9);
}

/// Two masses on slides, joined over a fixed guide: the heavier one sinks, and the tensions differ by
/// e^{μβ} of the angle that the tendon turns by.
#[test]
fn a_tendon_over_a_guide_obeys_eytelwein() {
    let text = |mu: f64| {
        format!(
            "space = \"plane\"\ngravity_m_per_s2 = [0, -9.81]\n\
             outputs = [\"left.y_m\", \"right.y_m\", \"left.vy_m_per_s\", \"rope.tension_n\", \"rope.end_tension_n\"]\n\
             [analysis]\nduration_s = 0.3\nstep_s = 1e-4\noutput_step_s = 0.05\n\
             [[frame]]\nname = \"guide\"\non = \"ground\"\nposition_m = [0, 0]\n\
             [[body]]\nname = \"left\"\nmass_kg = 3\ninertia_kg_m2 = 0.1\nposition_m = [-0.2, -0.6]\n\
             [[body]]\nname = \"right\"\nmass_kg = 1\ninertia_kg_m2 = 0.1\nposition_m = [0.2, -0.6]\n\
             [[joint]]\nname = \"s1\"\nkind = \"prismatic\"\na = \"ground\"\nb = \"left\"\nat_m = [-0.2, -0.6]\naxis = [0, 1]\n\
             [[joint]]\nname = \"s2\"\nkind = \"prismatic\"\na = \"ground\"\nb = \"right\"\nat_m = [0.2, -0.6]\naxis = [0, 1]\n\
             [[tendon]]\nname = \"rope\"\na = \"left\"\nb = \"right\"\nover = [\"guide\"]\nstiffness_n_per_m = 2e4\n\
             rest_length_m = 1.264\ndamping_n_s_per_m = 60\nguide_friction = {mu}\n"
        )
    };
    for mu in [0.0, 0.2] {
        let table = run_text(&text(mu));
        assert!(table.outcome.energy_residual_rel < 1e-3);
        for time in [0.2, 0.3] {
            // The left mass sinks fast: sliding is full.
            assert!(table.at(time, "left.vy_m_per_s") < -0.1);
            let turn = |name: &str| (0.2_f64 / -table.at(time, name)).atan();
            let wrap = std::f64::consts::PI - turn("left.y_m") - turn("right.y_m");
            let ratio = table.at(time, "rope.tension_n") / table.at(time, "rope.end_tension_n");
            near(ratio, (mu * wrap).exp(), 1e-6);
        }
    }
    let (smooth, rough) = (run_text(&text(0.0)), run_text(&text(0.2)));
    assert!(smooth.at(0.3, "left.y_m") < rough.at(0.3, "left.y_m") - 0.01);
}

/// An actuator that holds a distance carries a weight with a stretch of m g/k, and no more than its limit.
#[test]
fn a_line_actuator_holds_a_weight_within_its_limit() {
    let text = |more: &str| {
        format!(
            "space = \"plane\"\ngravity_m_per_s2 = [0, -9.81]\noutputs = [\"m.y_m\", \"act.force_n\"]\n\
             [analysis]\nduration_s = 1\nstep_s = 1e-3\noutput_step_s = 0.1\n\
             [[body]]\nname = \"m\"\nmass_kg = 2\ninertia_kg_m2 = 0.1\nposition_m = [0, 0.5]\n\
             [[joint]]\nname = \"s\"\nkind = \"prismatic\"\na = \"ground\"\nb = \"m\"\nat_m = [0, 0.5]\naxis = [0, 1]\n\
             [[actuator]]\nname = \"act\"\na = \"ground\"\nb = \"m\"\ntarget_m = 0.5\nstiffness_n_per_m = 1000\n\
             damping_n_s_per_m = 200\n{more}"
        )
    };
    let table = run_text(&text(""));
    near(table.at(1.0, "m.y_m"), 0.5 - 2.0 * 9.81 / 1000.0, 2e-4);
    let table = run_text(&text("force_limit_n = 10\n"));
    near(table.at(0.2, "act.force_n"), 10.0, 1e-12);
    // The limit is reached within the first few steps.
    let drop = 0.5 * (9.81 - 5.0) * 0.04;
    near(table.at(0.2, "m.y_m"), 0.5 - drop, 5e-3);
}

/// A body slides on a plane: it slows down by μ g, and the account closes.
#[test]
fn friction_in_a_contact_slows_a_body_down() {
    let table = run_text(
        "space = \"space\"\ngravity_m_per_s2 = [0, 0, -9.81]\noutputs = [\"m.vx_m_per_s\", \"m.z_m\", \"floor.force_n\"]\n\
         [analysis]\nduration_s = 0.4\nstep_s = 1e-3\noutput_step_s = 0.1\n\
         [[body]]\nname = \"m\"\nmass_kg = 2\ninertia_kg_m2 = [0.1, 0.1, 0.1]\nposition_m = [0, 0, -7.27e-5]\nvelocity_m_per_s = [2, 0, 0]\n\
         [[contact]]\nname = \"floor\"\nkind = \"plane\"\na = \"ground\"\nb = \"m\"\ndirection = [0, 0, 1]\nstiffness = 3.165e7\n\
         friction = \"coulomb\"\ndynamic_friction = 0.3\ntransition_m_per_s = 1e-3\nstep_s = 1e-3\nrestitution = 0.5\n",
    );
    for time in [0.1, 0.2, 0.4] {
        near(
            table.at(time, "m.vx_m_per_s"),
            2.0 - 0.3 * 9.81 * time,
            2e-3,
        );
    }
    assert!(
        table.outcome.energy_residual_rel < 1e-3,
        "{}",
        table.outcome.energy_residual_rel
    );
}

/// A ball on a vertical slide at a place x rests on a disc, in a cone and on a rim where geometry and the
/// depth d of Hertz's law say.
#[test]
fn a_ball_rests_on_disc_cone_and_rim() {
    let (mass, stiffness, radius) = (2.0, 1e8, 0.05_f64);
    let height = |kind: &str, x: f64, start: f64| {
        let text = format!(
            "space = \"space\"\ngravity_m_per_s2 = [0, 0, -9.81]\noutputs = [\"m.z_m\", \"seat.force_n\"]\n\
             [[body]]\nname = \"m\"\nmass_kg = {mass}\ninertia_kg_m2 = [0.1, 0.1, 0.1]\nposition_m = [{x}, 0, {start}]\n\
             [[joint]]\nname = \"s\"\nkind = \"prismatic\"\na = \"ground\"\nb = \"m\"\nat_m = [{x}, 0, {start}]\naxis = [0, 0, 1]\n\
             [[contact]]\nname = \"seat\"\na = \"ground\"\nb = \"m\"\ndirection = [0, 0, 1]\nradius_m = {radius}\nstiffness = {stiffness}\n\
             {kind}\n"
        );
        let description = softdock_mechanism::describe("seat.toml", &text, &[], &library::find)
            .unwrap_or_else(|error| panic!("{error}"));
        analysis::equilibrium(&description).unwrap().outputs[0]
    };
    let depth = |n_z: f64| (mass * 9.81 / n_z / stiffness).powf(2.0 / 3.0);
    let disc = "kind = \"disc\"\na_radius_m = 0.2\nedge_radius_m = 0.01";
    near(height(disc, 0.1, radius - 1e-5), radius - depth(1.0), 1e-9);
    let alpha = 0.6_f64;
    let cone = format!(
        "kind = \"cone\"\na_radius_m = 0.2\nedge_radius_m = 0.01\nhalf_angle_rad = {alpha}"
    );
    let wall = |d: f64| (radius - d - (0.2 - 0.1) * alpha.cos()) / alpha.sin();
    let expected = wall(depth(alpha.sin()));
    near(height(&cone, 0.1, expected + 1e-6), expected, 1e-9);
    // On the rim the normal depends on the height itself.
    let rim = "kind = \"rim\"\na_radius_m = 0.2\nedge_radius_m = 0.02";
    let mut z = (0.07_f64.powi(2) - 0.03_f64.powi(2)).sqrt();
    for _ in 0..50 {
        let reach = 0.07 - depth(z / 0.07);
        let n_z = z / reach;
        let reach = 0.07 - depth(n_z);
        z = (reach * reach - 0.03 * 0.03).sqrt();
    }
    near(height(rim, 0.17, z + 1e-6), z, 1e-8);
}

/// A rod falls flat on two grounds of different restitution: each end parts with its own.
#[test]
fn ends_that_hit_at_once_part_with_their_own_restitution() {
    let table = run_text(
        "space = \"plane\"\noutputs = [\"l.vy_m_per_s\", \"r.vy_m_per_s\"]\n\
         [analysis]\nduration_s = 0.2\nstep_s = 1e-3\noutput_step_s = 0.01\n\
         [[body]]\nname = \"rod\"\nmass_kg = 1.3\ninertia_kg_m2 = 0.2\nposition_m = [0, 0.1]\nvelocity_m_per_s = [0, -1]\n\
         [[frame]]\nname = \"l\"\non = \"rod\"\nposition_m = [-0.5, 0]\n\
         [[frame]]\nname = \"r\"\non = \"rod\"\nposition_m = [0.5, 0]\n\
         [[impact]]\nname = \"left\"\nkind = \"plane\"\na = \"ground\"\nb = \"l\"\ndirection = [0, 1]\nrestitution = 0.2\n\
         [[impact]]\nname = \"right\"\nkind = \"plane\"\na = \"ground\"\nb = \"r\"\ndirection = [0, 1]\nrestitution = 0.8\n",
    );
    near(table.at(0.11, "l.vy_m_per_s"), 0.2, 1e-2);
    near(table.at(0.11, "r.vy_m_per_s"), 0.8, 1e-2);
    assert_eq!(table.outcome.events.len(), 1, "{:?}", table.outcome.events);
    assert!(table.outcome.energy_residual_rel < 1e-6);
}

/// A cantilever of Euler and Bernoulli's elements along x as matrices in JSON: (M, K) of `elements` elements.
fn cantilever(elements: usize) -> String {
    let (length, mu, ei, ea, gj) = (1.0 / elements as f64, 2.0, 50.0, 1e6, 40.0);
    let size = 6 * (elements + 1);
    let mut mass = vec![vec![0.0; size]; size];
    let mut stiffness = mass.clone();
    let l = length;
    let bend_k = [
        [12.0, 6.0 * l, -12.0, 6.0 * l],
        [6.0 * l, 4.0 * l * l, -6.0 * l, 2.0 * l * l],
        [-12.0, -6.0 * l, 12.0, -6.0 * l],
        [6.0 * l, 2.0 * l * l, -6.0 * l, 4.0 * l * l],
    ];
    let bend_m = [
        [156.0, 22.0 * l, 54.0, -13.0 * l],
        [22.0 * l, 4.0 * l * l, 13.0 * l, -3.0 * l * l],
        [54.0, 13.0 * l, 156.0, -22.0 * l],
        [-13.0 * l, -3.0 * l * l, -22.0 * l, 4.0 * l * l],
    ];
    for e in 0..elements {
        let at = |node: usize, i: usize| 6 * (e + node) + i;
        for (i, k, m) in [(0, ea, mu), (3, gj, 1e-4)] {
            for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let (sign, share) = if a == b { (1.0, 2.0) } else { (-1.0, 1.0) };
                stiffness[at(a, i)][at(b, i)] += sign * k / l;
                mass[at(a, i)][at(b, i)] += share * m * l / 6.0;
            }
        }
        // Deflection and turn: (u_y, θ_z), and (u_z, −θ_y).
        for (shift, turn, sign) in [(1, 5, 1.0), (2, 4, -1.0)] {
            let rows = [at(0, shift), at(0, turn), at(1, shift), at(1, turn)];
            let signs = [1.0, sign, 1.0, sign];
            for a in 0..4 {
                for b in 0..4 {
                    let s = signs[a] * signs[b];
                    stiffness[rows[a]][rows[b]] += s * ei / l.powi(3) * bend_k[a][b];
                    mass[rows[a]][rows[b]] += s * mu * l / 420.0 * bend_m[a][b];
                }
            }
        }
    }
    let nodes: Vec<[f64; 3]> = (0..=elements).map(|i| [i as f64 * l, 0.0, 0.0]).collect();
    format!(
        "{{\"nodes\": {nodes:?}, \"mass\": {mass:?}, \"stiffness\": {stiffness:?}, \"interfaces\": \
         [{{\"name\": \"root\", \"nodes\": [0]}}, {{\"name\": \"tip\", \"nodes\": [{elements}]}}]}}"
    )
}

/// A body of matrices, clamped: the frequencies of a cantilever, (1.875104)² and (4.694091)² √(EI/μL⁴).
#[test]
fn a_body_of_matrices_has_the_frequencies_of_its_beam() {
    let text = "space = \"space\"\noutputs = [\"arm.tip.z_m\"]\n\
        [[reduced]]\nname = \"arm\"\nfile = \"arm.json\"\nmodes = 8\nposition_m = [1, 2, 3]\nrotation_rad = [0, 0, 0.5]\n\
        [[joint]]\nname = \"wall\"\nkind = \"fixed\"\na = \"ground\"\nb = \"arm.root\"\nat_m = [1, 2, 3]\n\
        [analysis]\nmodes = 4\n";
    let json = cantilever(12);
    let find = move |name: &str| (name == "arm.json").then(|| (name.to_owned(), json.clone()));
    let description = softdock_mechanism::describe("arm.toml", text, &[], &find)
        .unwrap_or_else(|error| panic!("{error}"));
    let found = analysis::modes(&description).unwrap().frequencies;
    let hertz = |beta: f64| beta * beta * 5.0 / std::f64::consts::TAU;
    for (found, beta) in found.iter().zip([1.875104, 1.875104, 4.694091, 4.694091]) {
        near(*found, hertz(beta), 2e-4 * hertz(beta));
    }
}

/// Free in space with a spin about z, such a body keeps its energy; its middle moves straight on.
#[test]
fn a_body_of_matrices_moves_freely() {
    let text = "space = \"space\"\noutputs = [\"arm.root.x_m\", \"arm.tip.x_m\", \"arm.root.y_m\", \"arm.tip.y_m\"]\n\
        [initial]\nangular_velocity_rad_per_s = [0, 0, 0.5]\nabout_m = [0.5, 0, 0]\nvelocity_m_per_s = [0, 0.3, 0]\n\
        [analysis]\nduration_s = 2\nstep_s = 1e-3\noutput_step_s = 0.5\n\
        [[reduced]]\nname = \"arm\"\nfile = \"arm.json\"\nmodes = 2\n";
    let json = cantilever(6);
    let find = move |name: &str| (name == "arm.json").then(|| (name.to_owned(), json.clone()));
    let description = softdock_mechanism::describe("arm.toml", text, &[], &find)
        .unwrap_or_else(|error| panic!("{error}"));
    let table = table(&description, simulate::simulate);
    assert!(table.outcome.energy_residual_rel < 1e-3);
    for time in [1.0, 2.0] {
        let middle = |a: &str, b: &str| 0.5 * (table.at(time, a) + table.at(time, b));
        near(middle("arm.root.x_m", "arm.tip.x_m"), 0.5, 2e-4);
        near(middle("arm.root.y_m", "arm.tip.y_m"), 0.3 * time, 2e-4);
        let along = table.at(time, "arm.tip.x_m") - table.at(time, "arm.root.x_m");
        near(along, (0.5 * time).cos(), 2e-3);
    }
}

#[test]
fn wrong_matrices_are_refused() {
    let good = cantilever(2);
    for (from, to, word) in [
        ("\"mass\"", "\"masses\"", "masses"),
        ("\"nodes\": [0]", "\"nodes\": [7]", "no node 7"),
        ("\"nodes\": [2]", "\"nodes\": [0]", "belongs"),
        ("\"tip\"", "\"root\"", "twice"),
        ("\"stiffness\": [[", "\"stiffness\": [[7.0, ", "stiffness"),
        ("\"stiffness\": [[2000000.0", "\"stiffness\": [[1e999", ""),
    ] {
        assert!(good.contains(from), "{from}");
        let wrong = good.replacen(from, to, 1);
        let text = "space = \"space\"\n[[reduced]]\nname = \"arm\"\nfile = \"arm.json\"\n";
        let find = move |name: &str| (name == "arm.json").then(|| (name.to_owned(), wrong.clone()));
        let said = softdock_mechanism::describe("arm.toml", text, &[], &find);
        let said = said
            .map(|_| String::new())
            .unwrap_or_else(|e| e.to_string());
        assert!(
            said.contains(word) && said.contains("line 4"),
            "{to}: {said}"
        );
    }
}

/// Assumed modes: frequencies come down to those of the beams, the more modes there are, and one per direction
/// misses the second pair, as the source says of its own model; the motion follows.
#[test]
fn assumed_modes_of_the_arm_converge() {
    let frequencies = |count: usize| {
        let count = format!("parameters.assumed_modes={count}");
        let description = describe("two-link-arm", &["parameters.links=assumed", &count]);
        analysis::modes(&description).unwrap().frequencies
    };
    let lists = [1, 2, 4].map(frequencies);
    println!("{lists:?}");
    for (i, exact) in [1.78733, 1.88541, 9.86018, 12.51372]
        .into_iter()
        .enumerate()
    {
        let [one, two, four] = [0, 1, 2].map(|k: usize| lists[k][i] / exact - 1.0);
        assert!(
            0.0 < four && four < two && two < one,
            "{i}: {one} {two} {four}"
        );
        assert!(four < if i < 2 { 1e-2 } else { 0.1 }, "{i}: {four}");
        assert!(i < 2 || one > 0.03, "{i}: {one}");
    }
    let settings = [
        "parameters.links=assumed",
        "parameters.assumed_modes=4",
        "analysis.duration_s=0.5",
    ];
    let table = crate::run("two-link-arm", &settings);
    for (name, expected) in [
        ("q1_rad", -0.245306),
        ("q2_rad", 0.309248),
        ("q3_rad", 0.202614),
        ("tip.x_m", 1.672931),
        ("tip.y_m", 0.722337),
        ("tip.z_m", 0.424997),
    ] {
        near(table.at(0.5, name), expected, 5e-3);
    }
}

/// A wheel on a nut's thread moves a ram against a spring: x = (F/k)(1 − cos ωt) with F = 2πτ/p and the
/// mass m + J (2π/p)². The nut's slide is the way of the ram.
#[test]
fn a_screw_press_moves_its_ram_by_the_lead_per_turn() {
    let table = run_text(
        "space = \"space\"\noutputs = [\"ram.x_m\", \"nut.slide_m\", \"bearing.angle_rad\"]\n\
         [analysis]\nduration_s = 0.5\nstep_s = 1e-4\noutput_step_s = 0.05\n\
         [[body]]\nname = \"wheel\"\nmass_kg = 5\ninertia_kg_m2 = [0.1, 0.06, 0.06]\nposition_m = [0, 0, 0]\n\
         [[body]]\nname = \"ram\"\nmass_kg = 10\ninertia_kg_m2 = [0.1, 0.1, 0.1]\nposition_m = [0.3, 0, 0]\n\
         [[joint]]\nname = \"bearing\"\nkind = \"revolute\"\na = \"ground\"\nb = \"wheel\"\naxis = [1, 0, 0]\n\
         [[joint]]\nname = \"key\"\nkind = \"point_in_plane\"\na = \"ground\"\nb = \"ram\"\n\
         at_m = [0.3, 0.1, 0]\naxis = [0, 0, 1]\n\
         [[joint]]\nname = \"nut\"\nkind = \"screw\"\na = \"wheel\"\nb = \"ram\"\nat_m = [0.3, 0, 0]\n\
         axis = [1, 0, 0]\nlead_m = 0.01\n\
         [[motor]]\nname = \"drive\"\njoint = \"bearing\"\ntorque_nm = 4\n\
         [[spring]]\nname = \"work\"\na = \"ground\"\nb = \"ram\"\nstiffness_n_per_m = 1e5\nrest_length_m = 0.3\n",
    );
    let turns_per_way = std::f64::consts::TAU / 0.01;
    let mass = 10.0 + 0.1 * turns_per_way * turns_per_way;
    let omega = (1e5_f64 / mass).sqrt();
    for time in [0.1, 0.3, 0.5] {
        // The wheel turns forward, the ram goes back: it turns backward against the wheel.
        let way = 4.0 * turns_per_way / 1e5 * (1.0 - (omega * time).cos());
        near(table.at(time, "ram.x_m"), 0.3 - way, 1e-8);
        near(table.at(time, "nut.slide_m"), -way, 1e-8);
        near(
            table.at(time, "bearing.angle_rad"),
            way * turns_per_way,
            1e-5,
        );
    }
}

/// A mass falls onto a stop that damps: x″ + 2δ x′ + ω² x = −g from the touch at −v, in closed form. The
/// force jumps at the touch; the error behind it is of second order in the step nevertheless.
#[test]
fn a_stop_that_damps_is_met_within_a_step() {
    let text = |step: f64| {
        format!(
            "space = \"plane\"\ngravity_m_per_s2 = [0, -9.81]\noutputs = [\"block.y_m\"]\n\
             [analysis]\nduration_s = 0.4\nstep_s = {step}\noutput_step_s = 0.1\nspectral_radius = 0.9\n\
             [[body]]\nname = \"block\"\nmass_kg = 2\ninertia_kg_m2 = 1\nposition_m = [0, 0.3]\n\
             [[joint]]\nname = \"guide\"\nkind = \"prismatic\"\na = \"ground\"\nb = \"block\"\naxis = [0, 1]\n\
             [[stop]]\nname = \"floor\"\ncoordinate = \"offset\"\na = \"ground\"\nb = \"block\"\n\
             direction = [0, 1]\nbelow = 0\nstiffness = 400\ndamping = 20\n"
        )
    };
    let (touch, delta) = ((2.0 * 0.3 / 9.81_f64).sqrt(), 20.0_f64 / (2.0 * 2.0));
    let omega = (400.0 / 2.0 - delta * delta).sqrt();
    let rest = 9.81 / 200.0;
    let height = |time: f64| {
        let t = time - touch;
        let rate = delta * rest - 9.81 * touch;
        (-delta * t).exp() * (rest * (omega * t).cos() + rate / omega * (omega * t).sin()) - rest
    };
    let error = |step: f64| {
        let table = run_text(&text(step));
        assert_eq!(table.outcome.events.len(), 1, "{:?}", table.outcome.events);
        near(table.outcome.events[0].0, touch, 1e-6);
        (table.at(0.3, "block.y_m") - height(0.3)).abs()
    };
    let (coarse, fine) = (error(2e-3), error(1e-3));
    println!("{coarse:e} {fine:e}");
    assert!(coarse < 1e-6 && fine < 0.3 * coarse, "{coarse:e} {fine:e}");
}
