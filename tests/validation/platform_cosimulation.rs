//! Co-simulation of the platform against the monolithic scheme: the end effector of "pacoma",
//! pushed by 20 N off its axis for 50 ms and released, for 2 s.

use multibody::group::Group;
use multibody::model::Signal;
use softdock_platform::PlatformConfig;
use softdock_platform::audit::{EnergyAccount, energy_account};
use softdock_platform::config::Coupling;
use softdock_platform::cosimulation::limit::{Search, stability_limit};
use softdock_platform::scheme::{Progress, Scheme, coupling_loss, largest_gap, start};
use softdock_platform::statics::StaticPlatform;
use softdock_platform::wrench::WrenchHistory;

/// Macro step = leg step: the same equations [m, rad].
const SAME: f64 = 1e-8;
/// Macro step 10 ms: the error of its third-order steps [m].
const LONG_STEPS: f64 = 1e-5;
/// Largest gap of a joint [m].
const GAP: f64 = 1e-9;
/// Interface iterations of a macro step, in the mean.
const ITERATIONS: f64 = 3.0;
/// Energy that is not accounted for, or lost in the joints, over the dissipated one.
const ENERGY: f64 = 1e-3;

struct Run {
    /// Position [m] and rotation matrix every 10 ms.
    path: Vec<multibody::group::Se3>,
    gap: f64,
    progress: Progress,
    energy: EnergyAccount,
    /// What the joints lose [J].
    lost: f64,
}

/// 20 N at 0.1 m from the axis for some time [s].
fn push(time: f64) -> WrenchHistory {
    let signal = |before: f64| Signal::Step {
        time,
        before,
        after: 0.0,
    };
    WrenchHistory([12.0, 9.0, -13.2, 1.0, -0.5, 0.8].map(signal))
}

fn pushed(coupling: Coupling, macro_step_s: f64, damping: f64) -> Run {
    let mut config = PlatformConfig {
        coupling,
        ..PlatformConfig::default()
    };
    config.solver.macro_step_s = macro_step_s;
    config.tendon.damping_n_s_per_m = damping;
    let equilibrium = StaticPlatform::nominal(&config).unwrap();
    follow(start(&equilibrium, push(0.05)).unwrap().as_mut())
}

fn follow(scheme: &mut dyn Scheme) -> Run {
    let (mut path, mut gap, mut progress) = (Vec::new(), 0.0_f64, Progress::default());
    for k in 1..=200 {
        progress += scheme.advance_to(0.01 * f64::from(k)).unwrap();
        path.push(scheme.effector().pose);
        gap = gap.max(largest_gap(scheme));
    }
    let energy = energy_account(scheme).unwrap();
    let lost = coupling_loss(scheme).unwrap();
    Run {
        path,
        gap,
        progress,
        energy,
        lost,
    }
}

/// Largest difference of position [m] and of rotation [rad].
fn difference(a: &Run, b: &Run) -> (f64, f64) {
    let mut worst = (0.0_f64, 0.0_f64);
    for (a, b) in a.path.iter().zip(&b.path) {
        let turn = a.between(b).log().unwrap();
        worst.0 = worst.0.max((a.translation() - b.translation()).norm());
        worst.1 = worst.1.max(turn.fixed_rows::<3>(3).norm());
    }
    worst
}

#[test]
fn implicit_cosimulation_is_the_monolithic_scheme() {
    // The second is hard: the end effector swings by 2 cm at 2 Hz.
    for damping in [1500.0, 15.0] {
        let wanted = pushed(Coupling::Monolithic, 1e-3, damping);
        let energy = |run: &Run| (run.energy.residual / run.energy.dissipated).abs();
        assert!(wanted.gap < GAP && energy(&wanted) < ENERGY);

        let same = pushed(Coupling::Implicit, 1e-3, damping);
        let (way, turn) = difference(&wanted, &same);
        assert!(
            way < SAME && turn < SAME,
            "{damping}: {way:e} m, {turn:e} rad"
        );
        check(&same, damping);
        assert!(energy(&same) < ENERGY, "{damping}: {:?}", same.energy);

        let long = pushed(Coupling::Implicit, 10e-3, damping);
        let (way, _) = difference(&wanted, &long);
        println!(
            "damping {damping}: 10 ms {way:.1e} m, lost {:.1e}, residual {:.1e}, {:?}; 1 ms {:?}, \
             residual {:.1e}",
            long.lost / long.energy.dissipated,
            long.energy.residual / long.energy.dissipated,
            long.progress,
            same.progress,
            energy(&same)
        );
        assert!(way < LONG_STEPS, "{damping}: {way:e} m");
        check(&long, damping);
        let lost = (long.lost / long.energy.dissipated).abs();
        assert!(energy(&long) < ENERGY, "{damping}: {:?}", long.energy);
        assert!(lost < ENERGY, "{damping}: {lost:e}");
    }
}

fn check(run: &Run, damping: f64) {
    let Progress {
        steps,
        iterations,
        rejected,
        ..
    } = run.progress;
    let mean = iterations as f64 / steps as f64;
    assert!(mean <= ITERATIONS, "{damping}: {mean} iterations");
    assert_eq!(rejected, 0, "{damping}");
    assert!(run.gap <= GAP, "{damping}: {:e} m", run.gap);
}

/// The explicit scheme's limit, and a macro step more than twenty times as long with the implicit
/// scheme: bounded, and where the monolithic scheme is.
#[test]
fn implicit_cosimulation_is_stable_far_beyond_the_explicit_limit() {
    let config = PlatformConfig::default();
    let equilibrium = StaticPlatform::nominal(&config).unwrap();
    let search = Search {
        largest_s: 2e-3,
        smallest_s: 50e-6,
        precision: 0.1,
        ..Search::default()
    };
    let limit = stability_limit(&equilibrium, 0, &search).unwrap();
    println!("{limit:?}");
    assert!(
        limit.stable_s > 0.4e-3 && limit.stable_s < 0.8e-3,
        "{limit:?}"
    );
    let run = |coupling, macro_step_s| {
        let mut config = config.clone();
        config.coupling = coupling;
        config.solver.macro_step_s = macro_step_s;
        let equilibrium = StaticPlatform::nominal(&config).unwrap();
        let mut scheme = start(&equilibrium, push(0.06)).unwrap();
        scheme.advance_to(1.2).unwrap();
        *scheme.effector()
    };
    let wanted = run(Coupling::Monolithic, 1e-3);
    for macro_step in [20.0 * limit.stable_s, 20e-3, 60e-3] {
        let found = run(Coupling::Implicit, macro_step);
        let off = (found.pose.translation() - wanted.pose.translation()).norm();
        // Twice the static sag under such a push would be centimetres.
        assert!(off < 1e-3, "{macro_step} s: {off:e} m");
    }
}
