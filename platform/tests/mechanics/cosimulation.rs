//! Co-simulation: native units, units that misbehave, loaded FMUs.

use crate::free_equilibrium;
use leg_core::config::{EndStops, History, MotorMode};
use leg_core::series::ORDERS;
use multibody::group::Group;
use multibody::model::Signal;
use multibody::results::soundness::LeafStrain;
use nalgebra::{Vector3, Vector6};
use softdock_fmi::import::FmuArchive;
use softdock_fmi::package::{FmiVersion, TargetSystem, pack};
use softdock_fmu::ModelKind;
use softdock_fmu_library::LIBRARY;
use softdock_platform::audit::energy_account;
use softdock_platform::body::BodyState;
use softdock_platform::config::Coupling;
use softdock_platform::cosimulation::limit::{Search, stability_limit};
use softdock_platform::cosimulation::{Explicit, Implicit};
use softdock_platform::scheme::{Progress, Scheme, couple, largest_gap, start};
use softdock_platform::statics::{StaticPlatform, StaticSettings, Target};
use softdock_platform::unit::{
    Abilities, BaseDerivatives, ForceSeries, LegEnergy, LegShape, LegUnit, LegView, LoadedFmu,
    NativeUnit, TipDerivatives, UnitError, UnitInputs, UnitResult,
};
use softdock_platform::wrench::WrenchHistory;
use softdock_platform::{PlatformConfig, PlatformError};

/// Same equations, solved by different iterations [m, rad].
const SOLVER_TOLERANCE: f64 = 1e-8;

fn configured(coupling: Coupling, macro_step_s: f64, threads: usize) -> PlatformConfig {
    let mut config = PlatformConfig {
        coupling,
        ..PlatformConfig::default()
    };
    config.solver.macro_step_s = macro_step_s;
    config.solver.threads = threads;
    if coupling == Coupling::Explicit {
        // With less damping of what the step cannot resolve, no step of use would be stable.
        config.solver.spectral_radius = 0.5;
        config.solver.extrapolation_order = 0;
    }
    config
}

/// A push of 20 N off the axis for 20 ms.
fn push() -> WrenchHistory {
    let step = |value: f64| Signal::Step {
        time: 0.02,
        before: value,
        after: 0.0,
    };
    let wrench = [12.0, 9.0, -13.2, 1.0, -0.5, 0.8];
    WrenchHistory(wrench.map(step))
}

fn pushed(config: &PlatformConfig, until: f64) -> (Box<dyn Scheme>, Progress) {
    let mut scheme = start(&StaticPlatform::nominal(config).unwrap(), push()).unwrap();
    let done = scheme.advance_to(until).unwrap();
    (scheme, done)
}

fn distance(a: &BodyState, b: &BodyState) -> (f64, f64) {
    let way = (a.pose.translation() - b.pose.translation()).norm();
    let turn = a.pose.between(&b.pose).log().unwrap();
    (way, turn.fixed_rows::<3>(3).norm())
}

fn views(scheme: &dyn Scheme) -> Vec<LegView> {
    (0..scheme.leg_count()).map(|leg| scheme.leg(leg)).collect()
}

#[test]
fn macro_step_of_one_leg_step_is_the_monolithic_scheme() {
    for damping in [1500.0, 15.0] {
        let mut config = configured(Coupling::Implicit, 1e-3, 1);
        config.tendon.damping_n_s_per_m = damping;
        let (implicit, done) = pushed(&config, 0.1);
        config.coupling = Coupling::Monolithic;
        let (monolithic, _) = pushed(&config, 0.1);
        let (way, turn) = distance(implicit.effector(), monolithic.effector());
        assert!(
            way < SOLVER_TOLERANCE && turn < SOLVER_TOLERANCE,
            "{way:e} {turn:e}"
        );
        assert!(done.iterations <= 3 * done.steps, "{done:?}");
        assert!(largest_gap(implicit.as_ref()) < 1e-9);
    }
}

/// Stops are counted from the pre-tensioned posture, in every scheme: under gravity a platform rests
/// beside it. Legs that solve their own steps once took the posture at rest for their middle; a docking
/// whose tendon units met their stops then had a peak force of 113 N instead of 156 N.
#[test]
fn stops_stay_where_they_are_under_gravity() {
    let pushed = |coupling, end_stops| {
        let mut config = configured(coupling, 1e-3, 1);
        config.legs.elements = 4;
        config.gravity_m_s2 = [0.232, 2.34, -1.68];
        config.tendon.stroke_m = 7.27e-4;
        config.tendon.end_stops = end_stops;
        let mut scheme = start(&free_equilibrium(&config), push()).unwrap();
        scheme.advance_to(0.04).unwrap();
        scheme
    };
    let monolithic = pushed(Coupling::Monolithic, EndStops::Auto);
    let implicit = pushed(Coupling::Implicit, EndStops::Auto);
    let free = pushed(Coupling::Monolithic, EndStops::Off);
    let (way, _) = distance(implicit.effector(), monolithic.effector());
    let (stopped, _) = distance(free.effector(), monolithic.effector());
    println!("{way:e} m between the schemes, {stopped:e} m by the stops");
    assert!(stopped > 1e-4, "the stops are not met: {stopped:e}");
    assert!(way < 0.01 * stopped, "{way:e} of {stopped:e}");
}

/// Cranks that start turned by 0.1 rad and are driven on, to stops at 0.12 rad and tendon units to the
/// ends of a short stroke.
fn driven_to_stops(coupling: Coupling, end_stops: EndStops) -> PlatformConfig {
    let mut config = configured(coupling, 1e-3, 1);
    config.legs.elements = 4;
    config.motor.mode = MotorMode::Torque;
    config.motor.torque_nm = History::Constant(4.0);
    config.motor.range_rad = 0.12;
    config.motor.end_stops = end_stops;
    config.tendon.stroke_m = 2e-3;
    config.tendon.end_stops = end_stops;
    config
}

/// The platform at rest with all cranks at `angle` [rad].
fn turned(config: &PlatformConfig, angle: f64) -> StaticPlatform {
    let mut platform = StaticPlatform::nominal(config).unwrap();
    let target = Target {
        pose: None,
        motors: Some(vec![angle; platform.motors().len()]),
        force: Vector3::zeros(),
        moment: Vector3::zeros(),
    };
    platform
        .follow(&target, &StaticSettings::default())
        .unwrap();
    platform
}

/// Stops are counted from the pre-tensioned posture, wherever the cranks start. Legs that solve their
/// own steps once counted them from where they started: cranks that started at 0.1 rad went to 0.22 rad.
#[test]
fn stops_stay_where_they_are_when_cranks_start_turned() {
    let driven = |coupling, end_stops| {
        let config = driven_to_stops(coupling, end_stops);
        let mut scheme = start(&turned(&config, 0.1), WrenchHistory::default()).unwrap();
        let mut largest: f64 = 0.0;
        for row in 1..=12 {
            scheme.advance_to(0.002 * f64::from(row)).unwrap();
            let angles = (0..scheme.leg_count()).map(|leg| scheme.leg(leg).motor_angle);
            largest = angles.fold(largest, f64::max);
        }
        (largest, scheme)
    };
    let (monolithic, reference) = driven(Coupling::Monolithic, EndStops::Auto);
    let (free, unstopped) = driven(Coupling::Monolithic, EndStops::Off);
    assert!(free > 0.13 && monolithic < 0.121, "{free} {monolithic}");
    let (stopped, _) = distance(unstopped.effector(), reference.effector());
    let (angle, scheme) = driven(Coupling::Implicit, EndStops::Auto);
    let (way, _) = distance(scheme.effector(), reference.effector());
    println!("{angle} rad, {way:e} m beside, {stopped:e} m by the stops");
    assert!((angle - monolithic).abs() < 5e-5, "{angle} {monolithic}");
    assert!(way < 0.005 * stopped, "{way:e} of {stopped:e}");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let cases = [
        (Coupling::Implicit, 1e-3),
        (Coupling::Implicit, 4e-3),
        (Coupling::Explicit, 0.1e-3),
    ];
    for (coupling, macro_step) in cases {
        let run = |threads| pushed(&configured(coupling, macro_step, threads), 0.012);
        let (one, _) = run(1);
        for threads in [2, 3, 6] {
            let (other, _) = run(threads);
            assert_eq!(
                one.effector(),
                other.effector(),
                "{coupling:?}, {threads} threads"
            );
            assert_eq!(views(one.as_ref()), views(other.as_ref()));
        }
    }
}

/// A native unit with something wrong with it.
#[derive(Debug)]
struct Faulty {
    unit: NativeUnit,
    abilities: Abilities,
    /// Steps longer than this are discarded [s].
    longest: f64,
    /// It fails for good behind this time [s].
    dies: f64,
}

impl LegUnit for Faulty {
    fn abilities(&self) -> Abilities {
        self.abilities
    }

    fn step(&mut self, start: f64, length: f64, inputs: &UnitInputs) -> UnitResult<()> {
        if length > self.longest {
            return Err(UnitError::discarded(start, length, "too long for me"));
        }
        if start + length > self.dies {
            return Err(UnitError::failed("out of order"));
        }
        self.unit.step(start, length, inputs)
    }

    fn tip_force(&mut self) -> UnitResult<Vector3<f64>> {
        self.unit.tip_force()
    }

    fn derivatives(&mut self) -> UnitResult<TipDerivatives> {
        self.unit.derivatives()
    }

    fn force_series(&mut self) -> UnitResult<ForceSeries> {
        self.unit.force_series()
    }

    fn series_derivatives(&mut self) -> UnitResult<[TipDerivatives; ORDERS]> {
        self.unit.series_derivatives()
    }

    fn base_wrench(&mut self) -> UnitResult<Vector6<f64>> {
        self.unit.base_wrench()
    }

    fn base_derivatives(&mut self) -> UnitResult<BaseDerivatives> {
        self.unit.base_derivatives()
    }

    fn view(&mut self) -> UnitResult<LegView> {
        self.unit.view()
    }

    fn energy(&mut self) -> UnitResult<LegEnergy> {
        self.unit.energy()
    }

    fn leaf_strain(&mut self) -> UnitResult<Option<LeafStrain>> {
        self.unit.leaf_strain()
    }

    fn shape(&mut self) -> UnitResult<LegShape> {
        self.unit.shape()
    }

    fn save(&mut self) -> UnitResult<()> {
        self.unit.save()
    }

    fn restore(&mut self) -> UnitResult<()> {
        self.unit.restore()
    }
}

/// A platform whose third leg is faulty.
fn with_faulty(
    config: &PlatformConfig,
    change: impl Fn(&mut Faulty),
) -> softdock_platform::Result<Box<dyn Scheme>> {
    let equilibrium = StaticPlatform::nominal(config).unwrap();
    let (starts, mut units) = NativeUnit::all(&equilibrium).unwrap();
    let unit = NativeUnit::new(&starts[2]).unwrap();
    let mut faulty = Faulty {
        abilities: unit.abilities(),
        unit,
        longest: f64::INFINITY,
        dies: f64::INFINITY,
    };
    change(&mut faulty);
    units[2] = Box::new(faulty);
    couple(&equilibrium, &starts, units, push())
}

#[test]
fn discarded_step_is_repeated_smaller() {
    let config = configured(Coupling::Implicit, 4e-3, 1);
    let mut scheme = with_faulty(&config, |unit| unit.longest = 0.6e-3).unwrap();
    let done = scheme.advance_to(0.008).unwrap();
    assert!(done.rejected > 0, "{done:?}");
    assert_eq!(scheme.time(), 0.008);
    let (sound, _) = pushed(&configured(Coupling::Monolithic, 1e-3, 1), 0.008);
    let (way, _) = distance(scheme.effector(), sound.effector());
    assert!(way < 1e-5, "{way:e}");
}

/// Explicit co-simulation cannot go back: the unit alone goes the same way in pieces.
#[test]
fn discarded_step_is_divided_without_rollback() {
    let config = configured(Coupling::Explicit, 0.1e-3, 1);
    let mut scheme = with_faulty(&config, |unit| {
        unit.longest = 0.03e-3;
        unit.abilities = Abilities::default();
    })
    .unwrap();
    scheme.advance_to(0.01).unwrap();
    let (sound, _) = pushed(&config, 0.01);
    let (way, _) = distance(scheme.effector(), sound.effector());
    assert!(way < 1e-6, "{way:e}");
}

#[test]
fn unit_that_fails_for_good_is_named_and_results_are_kept() {
    for (coupling, macro_step) in [(Coupling::Implicit, 1e-3), (Coupling::Explicit, 0.1e-3)] {
        let config = configured(coupling, macro_step, 2);
        let mut scheme = with_faulty(&config, |unit| unit.dies = 0.0095).unwrap();
        scheme.advance_to(0.005).unwrap();
        let error = scheme.advance_to(0.02).unwrap_err();
        assert_eq!(error.to_string(), "leg 3: out of order");
        assert!(matches!(error, PlatformError::Unit { leg: 3, .. }));
        assert!(
            (scheme.time() - 0.0095).abs() < 1.1 * macro_step,
            "{}",
            scheme.time()
        );
        let (sound, _) = pushed(&config, scheme.time());
        let (way, _) = distance(scheme.effector(), sound.effector());
        assert!(way < SOLVER_TOLERANCE, "{way:e}");
    }
}

#[test]
fn unit_without_rollback_is_refused_by_the_implicit_scheme() {
    let config = configured(Coupling::Implicit, 1e-3, 1);
    let error = with_faulty(&config, |unit| unit.abilities.rollback = false).unwrap_err();
    assert!(
        error.to_string().starts_with("leg 3: it cannot go back"),
        "{error}"
    );
}

#[test]
fn units_without_derivatives_give_the_same_motion() {
    for macro_step in [1e-3, 5e-3] {
        let config = configured(Coupling::Implicit, macro_step, 1);
        let (wanted, _) = pushed(&config, 0.04);
        let mut scheme = with_faulty(&config, |unit| unit.abilities.derivatives = false).unwrap();
        scheme.advance_to(0.04).unwrap();
        let (way, turn) = distance(wanted.effector(), scheme.effector());
        assert!(
            way < SOLVER_TOLERANCE && turn < SOLVER_TOLERANCE,
            "{way:e} {turn:e}"
        );
    }
}

/// Long steps need to know how forces went meanwhile; without that, steps are those of the legs.
#[test]
fn unit_without_series_is_coupled_in_short_steps() {
    let (wanted, _) = pushed(&configured(Coupling::Implicit, 1e-3, 1), 0.04);
    let config = configured(Coupling::Implicit, 5e-3, 1);
    let mut scheme = with_faulty(&config, |unit| unit.abilities.series = false).unwrap();
    scheme.advance_to(0.04).unwrap();
    assert_eq!(wanted.effector(), scheme.effector());
}

#[test]
fn broken_leg_carries_nothing_in_any_scheme() {
    let broken = |coupling, macro_step| {
        let (mut scheme, _) = pushed(&configured(coupling, macro_step, 1), 0.005);
        scheme.detach(1);
        scheme.advance_to(0.02).unwrap();
        assert_eq!(scheme.leg(1).tip_force, Vector3::zeros());
        scheme
    };
    let wanted = broken(Coupling::Monolithic, 1e-3);
    for (coupling, macro_step, allowed) in [
        (Coupling::Implicit, 1e-3, SOLVER_TOLERANCE),
        (Coupling::Implicit, 5e-3, 1e-5),
        (Coupling::Explicit, 0.05e-3, 1e-4),
    ] {
        let other = broken(coupling, macro_step);
        let (way, _) = distance(wanted.effector(), other.effector());
        assert!(way < allowed, "{coupling:?} {macro_step}: {way:e}");
    }
}

/// A base of 20 kg that floats freely.
fn floating(coupling: Coupling, macro_step_s: f64) -> PlatformConfig {
    let mut config = configured(coupling, macro_step_s, 1);
    config.base.free_floating = true;
    config.base.mass_kg = 20.0;
    config.base.inertia_kg_m2 = [1.0, 1.2, 0.8];
    config.base.centre_of_mass_m = [0.02, -0.01, -0.1];
    config
}

/// Distance of two bodies of two schemes, as a part of the way that the first has made [m, rad].
fn apart(a: &dyn Scheme, b: &dyn Scheme, body: usize) -> f64 {
    let (way, turn) = distance(&a.bodies()[body], &b.bodies()[body]);
    way.max(turn)
}

/// The base is a body between the legs: implicit co-simulation at the legs' step is the monolithic
/// scheme, so momentum is kept as it is there; with derivatives from the units and without.
#[test]
fn floating_base_moves_as_in_the_monolithic_scheme() {
    // Under a push of 20 ms the base moves by millimetres in 0.1 s.
    let wanted = pushed(&floating(Coupling::Monolithic, 1e-3), 0.1).0;
    let moved = wanted.bodies()[1].pose.translation().norm();
    assert!(moved > 1e-3, "{moved:e}");
    let config = floating(Coupling::Implicit, 5e-3);
    let (implicit, done) = pushed(&config, 0.1);
    let mut blind = with_faulty(&config, |unit| unit.abilities.derivatives = false).unwrap();
    blind.advance_to(0.1).unwrap();
    for body in [0, 1] {
        let told = apart(wanted.as_ref(), implicit.as_ref(), body);
        let found = apart(wanted.as_ref(), blind.as_ref(), body);
        println!("body {body}: {told:e} m, without derivatives {found:e} m of {moved:e} m");
        assert!(told < SOLVER_TOLERANCE, "{told:e}");
        assert!(found < SOLVER_TOLERANCE, "{found:e}");
    }
    assert!(done.iterations <= 4 * done.steps, "{done:?}");
    assert!(largest_gap(implicit.as_ref()) < 1e-9);
    let mut implicit = implicit;
    let account = energy_account(implicit.as_mut()).unwrap();
    assert!(
        account.residual.abs() < 1e-3 * account.dissipated,
        "{account:?}"
    );
}

/// Explicit co-simulation comes near to it, too. Steps of 0.05 ms are within a band of unstable ones below
/// the limit.
#[test]
fn floating_base_moves_in_explicit_co_simulation() {
    let wanted = pushed(&floating(Coupling::Monolithic, 1e-3), 0.05).0;
    let found = pushed(&floating(Coupling::Explicit, 0.1e-3), 0.05).0;
    let away = apart(wanted.as_ref(), found.as_ref(), 1);
    println!("{away:e} m");
    // The legs' steps are ten times shorter: both miss something.
    assert!(away < 1e-5, "{away:e}");
}

/// A unit that knows no base that moves is named.
#[test]
fn unit_on_fixed_ground_is_refused_by_a_floating_base() {
    let config = floating(Coupling::Implicit, 1e-3);
    let refusal = with_faulty(&config, |unit| unit.abilities.moving_base = false).unwrap_err();
    let message = refusal.to_string();
    for part in ["leg 3", "base.free_floating"] {
        assert!(message.contains(part), "{message}");
    }
}

/// A turn of the motors in all schemes, the work of the motors accounted for.
#[test]
fn motors_move_alike_in_all_schemes() {
    let turned = |coupling, macro_step| {
        let mut config = configured(coupling, macro_step, 1);
        config.motor.mode = leg_core::config::MotorMode::Angle;
        let equilibrium = StaticPlatform::nominal(&config).unwrap();
        let mut scheme = start(&equilibrium, WrenchHistory::default()).unwrap();
        for leg in 0..6 {
            let ramp = Signal::Ramp {
                start: 0.0,
                duration: 0.05,
                from: 0.0,
                to: 0.02,
            };
            scheme.set_motor(leg, None, Some(ramp));
        }
        scheme.advance_to(0.05).unwrap();
        scheme
    };
    let wanted = turned(Coupling::Monolithic, 1e-3);
    let same = turned(Coupling::Implicit, 1e-3);
    let (way, turn) = distance(wanted.effector(), same.effector());
    assert!(
        way < SOLVER_TOLERANCE && turn < SOLVER_TOLERANCE,
        "{way:e} {turn:e}"
    );
    let (way, _) = distance(
        wanted.effector(),
        turned(Coupling::Implicit, 5e-3).effector(),
    );
    assert!(way < 1e-4, "{way:e}");
}

/// A macro step of a few leg steps is not to feed back what alternates from one of them to the next.
#[test]
fn any_number_of_leg_steps_makes_a_stable_macro_step() {
    let shaken = |coupling, leg_steps: f64, spectral_radius| {
        let mut config = configured(coupling, leg_steps * 1e-3, 1);
        config.solver.spectral_radius = spectral_radius;
        config.legs.elements = 4;
        config.tendon.damping_n_s_per_m = 300.0;
        let mut wrench = WrenchHistory::default();
        wrench.0[0] = Signal::Sine {
            offset: 0.0,
            amplitude: 40.0,
            frequency: 13.0,
            phase: 0.0,
        };
        let equilibrium = StaticPlatform::nominal(&config).unwrap();
        let mut scheme = start(&equilibrium, wrench).unwrap();
        scheme.advance_to(0.315).unwrap();
        scheme
    };
    for spectral_radius in [0.9, 1.0] {
        let wanted = shaken(Coupling::Monolithic, 1.0, spectral_radius);
        for leg_steps in [2.0, 3.0, 5.0, 7.0] {
            let mut found = shaken(Coupling::Implicit, leg_steps, spectral_radius);
            let (way, _) = distance(wanted.effector(), found.effector());
            assert!(way < 2e-5, "{leg_steps} {spectral_radius}: {way:e}");
            let energy = energy_account(found.as_mut()).unwrap();
            let missed = (energy.residual / energy.dissipated).abs();
            assert!(missed < 2e-3, "{leg_steps} {spectral_radius}: {missed:e}");
        }
    }
}

/// Motors that hold feel the push within a step: their work is not that of its ends.
#[test]
fn work_of_motors_is_accounted_for_in_long_steps() {
    let held = |coupling, macro_step| {
        let mut config = configured(coupling, macro_step, 1);
        config.motor.mode = leg_core::config::MotorMode::Hold;
        let (mut scheme, _) = pushed(&config, 0.2);
        let energy = energy_account(scheme.as_mut()).unwrap();
        (scheme.motor_work(), energy)
    };
    let (wanted, _) = held(Coupling::Monolithic, 1e-3);
    let (found, energy) = held(Coupling::Implicit, 10e-3);
    assert!(
        (found - wanted).abs() < 1e-2 * wanted.abs(),
        "{found} {wanted}"
    );
    let missed = (energy.residual / energy.dissipated).abs();
    assert!(missed < 1e-3, "{missed:e} {energy:?}");
}

/// Six FMUs, really written, opened and coupled.
#[test]
fn loaded_fmus_give_the_same_bits_as_native_legs() {
    let folder = std::env::temp_dir().join(format!("softdock-cosim-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let bytes = pack(
        ModelKind::LegSpatial.packaged(),
        FmiVersion::Two,
        LIBRARY,
        TargetSystem::HERE,
    )
    .unwrap();
    let archives: Vec<FmuArchive> = (1..=6)
        .map(|leg| {
            let file = folder.join(format!("leg{leg}.fmu"));
            std::fs::write(&file, &bytes).unwrap();
            FmuArchive::open(&file).unwrap()
        })
        .collect();
    std::fs::remove_dir_all(&folder).unwrap();
    let rods = PlatformConfig {
        coupling: Coupling::Implicit,
        ..crate::dfki_rods()
    };
    let leaves = [
        (Coupling::Implicit, 1e-3),
        (Coupling::Implicit, 10e-3),
        (Coupling::Explicit, 0.1e-3),
    ]
    .map(|(coupling, macro_step)| configured(coupling, macro_step, 2));
    let afloat = [(Coupling::Implicit, 1e-3), (Coupling::Explicit, 0.1e-3)];
    let afloat = afloat.map(|(coupling, step)| floating(coupling, step));
    for config in leaves.into_iter().chain([rods]).chain(afloat) {
        let (coupling, macro_step) = (config.coupling, config.solver.macro_step_s);
        let equilibrium = StaticPlatform::nominal(&config).unwrap();
        let (starts, units) = LoadedFmu::all(&archives, &equilibrium).unwrap();
        let mut loaded = couple(&equilibrium, &starts, units, push()).unwrap();
        let done = loaded.advance_to(0.05).unwrap();
        let (mut native, wanted) = pushed(&config, 0.05);
        assert_eq!(done, wanted);
        assert_eq!(
            loaded.bodies(),
            native.bodies(),
            "{coupling:?} {macro_step}"
        );
        assert_eq!(views(loaded.as_ref()), views(native.as_ref()));
        let energies = loaded.leg_energies().unwrap();
        assert_eq!(energies, native.leg_energies().unwrap());
    }
    // Where cranks start turned and meet their stops, too.
    let config = driven_to_stops(Coupling::Implicit, EndStops::Auto);
    let equilibrium = turned(&config, 0.1);
    let (starts, units) = LoadedFmu::all(&archives, &equilibrium).unwrap();
    let still = WrenchHistory::default;
    let mut loaded = couple(&equilibrium, &starts, units, still()).unwrap();
    loaded.advance_to(0.03).unwrap();
    let mut native = start(&equilibrium, still()).unwrap();
    native.advance_to(0.03).unwrap();
    assert_eq!(loaded.effector(), native.effector());
    assert_eq!(views(loaded.as_ref()), views(native.as_ref()));
}

#[test]
fn schemes_can_be_started_directly() {
    let config = configured(Coupling::Implicit, 2e-3, 1);
    let equilibrium = StaticPlatform::nominal(&config).unwrap();
    let mut implicit = Implicit::native(&equilibrium).unwrap();
    assert_eq!(implicit.advance_to(0.004).unwrap().rejected, 0);
    assert!(Explicit::native(&equilibrium).is_ok());
    let (starts, units) = NativeUnit::all(&equilibrium).unwrap();
    let few = units.into_iter().take(5).collect();
    let refused = Implicit::new(&equilibrium, &starts, few).unwrap_err();
    assert_eq!(
        refused,
        PlatformError::WrongUnits {
            found: 5,
            wanted: 6
        }
    );
}

/// Dampers and leaves that a macro step cannot resolve make the explicit scheme unstable, the more
/// so the higher the order of extrapolation.
#[test]
fn limit_of_the_explicit_scheme_is_found() {
    let config = configured(Coupling::Explicit, 1e-3, 2);
    let equilibrium = StaticPlatform::nominal(&config).unwrap();
    let search = Search {
        largest_s: 2e-3,
        smallest_s: 20e-6,
        precision: 0.2,
        ..Search::default()
    };
    let limits = [0, 1, 2].map(|order| stability_limit(&equilibrium, order, &search).unwrap());
    let stable = limits.map(|limit| limit.stable_s);
    assert!(stable[0] > 0.6e-3 && stable[0] < 1.2e-3, "{limits:?}");
    assert!(stable[0] > stable[1] && stable[1] > stable[2], "{limits:?}");
    // Order 0 has unstable steps far below its limit, too.
    assert!(
        limits[0]
            .unstable_below_s
            .is_some_and(|[_, high]| high < 0.1e-3)
    );
    assert!(stable[2] > 0.0 && limits.iter().all(|limit| limit.unstable_s.is_some()));
}
