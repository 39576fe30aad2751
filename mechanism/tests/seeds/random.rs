//! Random mechanisms: trees and loops, plane and space, rigid and flexible. Each is built or refused
//! with a reason, closes its ledger, and moves the same under a superposed rigid motion.
//!
//! A run has [`FEW`] of them; `MECHANISMS=1000 cargo test --release -p softdock-mechanism random` more.

use softdock_mechanism::{describe, library, simulate};

const FEW: usize = 40;

/// A generator of its own, so that a number names a mechanism for ever (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() * count as f64) as usize
    }
}

/// A motion that is laid over a mechanism: turn about z, then shift.
struct Motion {
    angle: f64,
    shift: [f64; 2],
}

impl Motion {
    fn vector(&self, v: [f64; 3], space: bool) -> String {
        let (sin, cos) = self.angle.sin_cos();
        let (x, y) = (cos * v[0] - sin * v[1], sin * v[0] + cos * v[1]);
        if space {
            format!("[{x:.17e}, {y:.17e}, {:.17e}]", v[2])
        } else {
            format!("[{x:.17e}, {y:.17e}]")
        }
    }

    fn place(&self, v: [f64; 3], space: bool) -> String {
        let (sin, cos) = self.angle.sin_cos();
        let (x, y) = (
            cos * v[0] - sin * v[1] + self.shift[0],
            sin * v[0] + cos * v[1] + self.shift[1],
        );
        if space {
            format!("[{x:.17e}, {y:.17e}, {:.17e}]", v[2])
        } else {
            format!("[{x:.17e}, {y:.17e}]")
        }
    }
}

/// The text of mechanism `seed`: a chain of links with branches, springs, perhaps a loop.
fn text(seed: u64, motion: &Motion) -> String {
    let mut n = Numbers(seed);
    let space = n.next() < 0.5;
    let count = 2 + n.below(4);
    let mut out = format!(
        "space = \"{}\"\ngravity_m_per_s2 = {}\n[analysis]\nduration_s = 0.2\nstep_s = 2e-4\n\
         output_step_s = 0.1\nspectral_radius = 0.95\n",
        if space { "space" } else { "plane" },
        motion.vector([0.0, -9.81, 0.0], space)
    );
    let mut ends: Vec<(String, [f64; 3])> = vec![("ground".to_owned(), [0.0; 3])];
    for i in 0..count {
        let (parent, from) = ends[n.below(ends.len())].clone();
        let z = if space { n.between(-0.3, 0.3) } else { 0.0 };
        let step = [n.between(0.1, 0.5), n.between(-0.4, 0.4), z];
        let to = [from[0] + step[0], from[1] + step[1], from[2] + step[2]];
        let length = step.iter().map(|x| x * x).sum::<f64>().sqrt();
        let flexible = n.next() < 0.3;
        if flexible {
            out.push_str(&format!(
                "[[beam]]\nname = \"l{i}\"\nfrom_m = {}\nto_m = {}\nelements = 3\nshape = \"circle\"\n\
                 radius_m = {:e}\nyoungs_modulus_pa = 7e10\npoisson_ratio = 0.3\ndensity_kg_per_m3 = 2700\n\
                 stiffness_damping_s = 1e-4\n",
                motion.place(from, space),
                motion.place(to, space),
                n.between(0.008, 0.02),
            ));
        } else {
            let middle = [0, 1, 2].map(|k| 0.5 * (from[k] + to[k]));
            let mass = n.between(0.2, 2.0);
            let inertia = mass * length * length / 12.0;
            let tensor = if space {
                format!("[{inertia:e}, {inertia:e}, {inertia:e}]")
            } else {
                format!("{inertia:e}")
            };
            out.push_str(&format!(
                "[[body]]\nname = \"l{i}\"\nmass_kg = {mass:e}\ninertia_kg_m2 = {tensor}\nposition_m = {}\n",
                motion.place(middle, space)
            ));
        }
        let (root, tip) = if flexible {
            (format!("l{i}.start"), format!("l{i}.end"))
        } else {
            (format!("l{i}"), format!("l{i}"))
        };
        let kind = match (space, n.below(3)) {
            (true, 0) => "universal",
            (true, 1) => "spherical",
            _ => "revolute",
        };
        let axes = match (space, kind) {
            (true, "universal") => format!(
                "axis = {}\nsecond_axis = {}\n",
                motion.vector([0.0, 0.0, 1.0], true),
                motion.vector([0.0, 1.0, 0.0], true)
            ),
            (true, "revolute") => format!("axis = {}\n", motion.vector([0.0, 0.6, 0.8], true)),
            _ => String::new(),
        };
        out.push_str(&format!(
            "[[joint]]\nname = \"j{i}\"\nkind = \"{kind}\"\na = \"{parent}\"\nb = \"{root}\"\nat_m = {}\n{axes}",
            motion.place(from, space)
        ));
        ends.push((tip, to));
    }
    // Springs, and perhaps a rod that closes a loop.
    let (last, at) = ends[ends.len() - 1].clone();
    if n.next() < 0.5 {
        out.push_str(&format!(
            "[[frame]]\nname = \"hook\"\non = \"ground\"\nposition_m = {}\n",
            motion.place([at[0], at[1] + 0.7, at[2]], space)
        ));
        let kind = if n.next() < 0.5 { "joint" } else { "spring" };
        let data = if kind == "joint" {
            "kind = \"distance\"\n".to_owned()
        } else {
            "stiffness_n_per_m = 200\nrest_length_m = 0.4\ndamping_n_s_per_m = 2\n".to_owned()
        };
        out.push_str(&format!(
            "[[{kind}]]\nname = \"tie\"\na = \"hook\"\nb = \"{last}\"\n{data}"
        ));
    }
    let place = ends
        .iter()
        .skip(1)
        .map(|(name, _)| name.clone())
        .next_back();
    let place = place.unwrap_or_default();
    let outputs = format!("outputs = [\"{place}.x_m\", \"{place}.y_m\"]\n");
    outputs + &out
}

/// Last place and share of energy missed, or the reason of a refusal.
fn result(text: &str) -> Result<([f64; 2], f64), String> {
    let description =
        describe("random.toml", text, &[], &library::find).map_err(|e| e.to_string())?;
    let mut last = [0.0; 2];
    let outcome = simulate::simulate(&description, &mut |_, row| {
        last = [row[0], row[1]];
        true
    });
    let outcome = outcome.map_err(|e| e.to_string())?;
    Ok((last, outcome.energy_residual_rel))
}

#[test]
fn random_mechanisms_run_alike_wherever_they_stand() {
    let count = std::env::var("MECHANISMS")
        .ok()
        .and_then(|n| n.parse().ok());
    let count: usize = count.unwrap_or(FEW);
    let mut refused = 0;
    for seed in 0..count as u64 {
        let here = Motion {
            angle: 0.0,
            shift: [0.0; 2],
        };
        let there = Motion {
            angle: 0.7,
            shift: [3.0, -2.0],
        };
        let (a, b) = (result(&text(seed, &here)), result(&text(seed, &there)));
        match (a, b) {
            (Ok((here_at, missing)), Ok((there_at, _))) => {
                assert!(missing <= 1e-3, "mechanism {seed} misses {missing}");
                let (sin, cos) = there.angle.sin_cos();
                let moved = [
                    cos * here_at[0] - sin * here_at[1] + there.shift[0],
                    sin * here_at[0] + cos * here_at[1] + there.shift[1],
                ];
                for (moved, there_at) in moved.iter().zip(there_at) {
                    assert!(
                        (moved - there_at).abs() < 1e-6,
                        "mechanism {seed}: {moved} {there_at}"
                    );
                }
            }
            (Err(reason), Err(_)) => {
                assert!(!reason.is_empty());
                refused += 1;
            }
            (a, b) => panic!("mechanism {seed}: {a:?} against {b:?}"),
        }
    }
    assert!(10 * refused <= count, "{refused} of {count} refused");
}
