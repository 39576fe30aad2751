//! Tests of co-simulation with native units.

use crate::config::{Coupling, PlatformConfig};
use crate::scheme::{Progress, Scheme, start};
use crate::statics::StaticPlatform;
use crate::wrench::WrenchHistory;
use leg_core::group::Group;
use leg_core::model::Signal;

fn pushed(coupling: Coupling, macro_step_s: f64, damping: f64) -> Box<dyn Scheme> {
    let mut config = PlatformConfig {
        coupling,
        ..PlatformConfig::default()
    };
    config.solver.macro_step_s = macro_step_s;
    config.solver.threads = 1;
    config.tendon.damping_n_s_per_m = damping;
    if let Ok(rho) = std::env::var("RHO") {
        config.solver.spectral_radius = rho.parse().unwrap();
    }
    if let Ok(tol) = std::env::var("TOL") {
        config.solver.interface_tolerance_m = tol.parse().unwrap();
    }
    if coupling == Coupling::Monolithic {
        config.solver.step_s = macro_step_s;
    }
    let equilibrium = StaticPlatform::nominal(&config).unwrap();
    let mut scheme = start(&equilibrium).unwrap();
    if std::env::var("FD").is_ok() && coupling == Coupling::Implicit {
        scheme = Box::new(
            super::Implicit::native(&equilibrium)
                .unwrap()
                .without_derivatives(),
        );
    }
    let step = |value: f64| Signal::Step {
        time: 0.05,
        before: value,
        after: 0.0,
    };
    let push = [12.0, 9.0, -13.2, 1.0, -0.5, 0.8];
    let smooth = |value: f64| {
        let t = 0.1;
        Signal::Table {
            times: (0..=40).map(|k| t * k as f64 / 40.0).collect(),
            values: (0..=40)
                .map(|k| value * (std::f64::consts::PI * k as f64 / 40.0).sin().powi(4))
                .collect(),
        }
    };
    if std::env::var("SMOOTH").is_ok() {
        scheme.set_wrench(WrenchHistory(push.map(smooth)));
    } else {
        scheme.set_wrench(WrenchHistory(push.map(step)));
    }
    scheme
}

#[test]
fn explore() {
    let damping: f64 = std::env::var("C").map_or(1500.0, |c| c.parse().unwrap());
    let end: f64 = std::env::var("END").map_or(0.5, |c| c.parse().unwrap());
    let list = std::env::var("H").unwrap_or("0.001,0.01".into());
    let sample = 0.01;
    let mut reference = pushed(Coupling::Monolithic, 1e-3, damping);
    let count = (end / sample).round() as usize;
    let mut path = Vec::new();
    let clock = std::time::Instant::now();
    let mut its = 0;
    for k in 1..=count {
        its += reference.advance_to(sample * k as f64).unwrap().iterations;
        path.push(*reference.effector());
    }
    println!("mono {:?} its {}", clock.elapsed(), its);
    let e = reference.energy().unwrap();
    println!(
        "{e:?} res {:e} gap {:e}",
        e.residual() / e.dissipated,
        reference.joint_gap()
    );
    println!("last {:?}", reference.effector().pose.translation());
    for h in list.split(',') {
        let (coupling, h): (Coupling, f64) = match h.strip_prefix('x') {
            Some(h) => (Coupling::Explicit, h.parse().unwrap()),
            None => match h.strip_prefix('m') {
                Some(h) => (Coupling::Monolithic, h.parse().unwrap()),
                None => (Coupling::Implicit, h.parse().unwrap()),
            },
        };
        let mut trace = String::new();
        let mut run = pushed(coupling, h, damping);
        let (mut worst, mut turned, mut gap): (f64, f64, f64) = (0.0, 0.0, 0.0);
        let mut progress = Progress::default();
        let clock = std::time::Instant::now();
        for (k, wanted) in path.iter().enumerate() {
            match run.advance_to(sample * (k + 1) as f64) {
                Ok(done) => progress += done,
                Err(error) => {
                    println!("{error}");
                    break;
                }
            }
            let off = run.effector().pose.translation() - wanted.pose.translation();
            worst = worst.max(off.norm());
            let turn = wanted.pose.between(&run.effector().pose).log().unwrap();
            turned = turned.max(turn.fixed_rows::<3>(3).norm());
            gap = gap.max(run.joint_gap());
            if std::env::var("TRACE").is_ok() {
                trace += &format!("{:.3}:{:.2e} ", run.time(), off.norm());
            }
        }
        let e = run.energy().unwrap();
        println!(
            "{coupling:?} {h}: {:?} off {worst:e} m {turned:e} rad gap {gap:e} {progress:?} mean {:.3} residual {:e} coupling {:e}",
            clock.elapsed(),
            progress.iterations as f64 / progress.steps as f64,
            e.residual() / e.dissipated,
            e.coupling_residual() / e.dissipated,
        );
        println!("{trace}");
    }
}
