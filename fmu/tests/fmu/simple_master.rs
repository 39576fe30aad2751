//! Six legs and the end effector, each a loaded FMU with its own defaults, in the simplest masters.
//!
//! ```text
//! one after the other:  end effector under forces f(t_n) to t_{n+1}, then legs to x(t_{n+1})
//! all at once:          the same, but legs follow to x(t_n), where the end effector was
//! ```
//!
//! Forces are constant over a step, nothing is repeated. The platform solved as a whole is the measure.

use crate::platform::{Histories, constant, started};
use crate::support::archive;
use softdock_fmi::import::{FmuArchive, FmuInstance, Options};
use softdock_fmi::variables::Value;
use softdock_fmu::{ModelKind, spatial_parameters};
use softdock_platform::PlatformConfig;
use softdock_platform::results::Motion;

/// Force and moment on the end effector, world axes [N, N·m].
const WRENCH: [f64; 6] = [0.0, 0.0, -50.0, 2.0, 0.0, 0.0];
/// How long [ms].
const DURATION: usize = 1500;
/// The step that the model descriptions declare [us].
const DECLARED: usize = 200;
/// Largest distance from the platform, against the largest way that its end effector makes.
const ALLOWED: f64 = 1e-3;
/// Largest distance from the platform [m].
const ALLOWED_M: f64 = 1e-4;

/// How motion is handed to the legs.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Order {
    OneAfterTheOther,
    AllAtOnce,
}

/// An FMU with the variables that are coupled: those that it is given, and those that it gives.
struct Coupled {
    instance: FmuInstance,
    given: Vec<u32>,
    gives: Vec<u32>,
    answer: Vec<f64>,
}

impl Coupled {
    fn new(
        fmu: &FmuArchive,
        mut instance: FmuInstance,
        given: &[String],
        gives: &[String],
    ) -> Self {
        instance.initialize(0.0, None).unwrap();
        let mut out = Self {
            instance,
            given: fmu.references(given).unwrap(),
            gives: fmu.references(gives).unwrap(),
            answer: vec![0.0; gives.len()],
        };
        out.read();
        out
    }

    fn read(&mut self) {
        let Self {
            instance, gives, ..
        } = self;
        instance.get_real(gives, &mut self.answer).unwrap();
    }

    /// False if the step cannot be made.
    fn step(&mut self, given: &[f64], time: f64, length: f64) -> bool {
        self.instance.set_real(&self.given, given).unwrap();
        let done = self.instance.do_step(time, length).is_ok();
        if done {
            self.read();
        }
        done
    }
}

fn numbered(prefix: &str, parts: &[&str]) -> Vec<String> {
    let names = parts
        .iter()
        .flat_map(|part| (1..=3).map(move |k| (part, k)));
    names
        .map(|(part, k)| format!("{prefix}{part}[{k}]"))
        .collect()
}

/// A leg of the platform: everything of it but its time stepping, which is the FMU's own.
fn leg(config: &leg_core::SpatialLegConfig, force: &str) -> Coupled {
    let fmu = archive(ModelKind::LegSpatial);
    let mut instance = fmu.instantiate("leg", &Options::default()).unwrap();
    for (name, value) in spatial_parameters(config) {
        if name.starts_with("solver.") {
            continue;
        }
        let reference = [fmu.reference(&name).unwrap()];
        match value {
            Value::Real(value) => instance.set_real(&reference, &[value]),
            Value::Integer(value) => instance.set_integer(&reference, &[value]),
            Value::Boolean(value) => instance.set_boolean(&reference, &[value]),
        }
        .unwrap();
    }
    let motion = numbered("tip.", &["position", "velocity"]);
    Coupled::new(fmu, instance, &motion, &numbered("tip.", &[force]))
}

fn effector(legs: usize) -> Coupled {
    let fmu = archive(ModelKind::EndEffector);
    let instance = fmu.instantiate("effector", &Options::default()).unwrap();
    let tip = |leg: usize, parts: &[&str]| numbered(&format!("leg[{leg}].tip."), parts);
    let mut given: Vec<String> = (1..=legs).flat_map(|leg| tip(leg, &["force"])).collect();
    given.extend(numbered("effector.", &["force", "moment"]));
    let mut gives = numbered("effector.", &["position", "attitude"]);
    gives.extend((1..=legs).flat_map(|leg| tip(leg, &["position", "velocity"])));
    Coupled::new(fmu, instance, &given, &gives)
}

/// A row of positions and attitudes, and the millisecond that it is at the end of.
type Row = (usize, [f64; 6]);

/// Position and attitude of the end effector at the ends of milliseconds, for steps of so many
/// microseconds; fewer rows if it fails.
fn coupled(config: &PlatformConfig, step: usize, order: Order, force: &str) -> Vec<Row> {
    let legs = config.leg_configs().unwrap();
    let mut legs: Vec<Coupled> = legs.iter().map(|config| leg(config, force)).collect();
    let mut effector = effector(legs.len());
    let length = step as f64 / 1e6;
    let mut rows = Vec::new();
    for k in 0..DURATION * 1000 / step {
        let time = k as f64 * length;
        let before = effector.answer.clone();
        let mut forces: Vec<f64> = legs.iter().flat_map(|leg| leg.answer.clone()).collect();
        forces.extend(WRENCH);
        if !effector.step(&forces, time, length) {
            break;
        }
        let known = match order {
            Order::OneAfterTheOther => &effector.answer,
            Order::AllAtOnce => &before,
        };
        let motions = known[6..].chunks(6);
        if !(legs.iter_mut().zip(motions)).all(|(leg, motion)| leg.step(motion, time, length)) {
            break;
        }
        if ((k + 1) * step).is_multiple_of(1000) {
            let row = core::array::from_fn(|i| effector.answer[i]);
            rows.push(((k + 1) * step / 1000, row));
        }
    }
    rows
}

/// Largest distance of positions [m] and of attitudes [rad]; infinite if a run ended early.
fn distances(found: &[Row], expected: &[[f64; 6]]) -> [f64; 2] {
    if found.last().is_none_or(|row| row.0 < expected.len() - 1) {
        return [f64::INFINITY; 2];
    }
    [0, 1].map(|part| {
        let pairs = found.iter().map(|(at, row)| (row, &expected[at - 1]));
        pairs.fold(0.0, |m: f64, (a, b)| m.max(distance(a, b, part)))
    })
}

/// Distance of positions (part 0) or attitudes (part 1).
fn distance(a: &[f64; 6], b: &[f64; 6], part: usize) -> f64 {
    let parts = (3 * part..3 * part + 3).map(|i| (a[i] - b[i]).powi(2));
    parts.sum::<f64>().sqrt()
}

/// Largest distance of positions and of attitudes, against the largest way.
fn error(found: &[Row], expected: &[[f64; 6]]) -> f64 {
    let apart = distances(found, expected);
    let start = PlatformConfig::default().end_effector.position_m;
    let start = [start[0], start[1], start[2], 0.0, 0.0, 0.0];
    let errors = [0, 1].map(|part| {
        let way = (expected.iter()).fold(0.0, |m: f64, a| m.max(distance(a, &start, part)));
        apart[part] / way
    });
    errors[0].max(errors[1])
}

/// The platform solved as a whole, after every millisecond.
fn whole(config: &PlatformConfig) -> Vec<[f64; 6]> {
    let histories = Histories {
        wrench: constant(WRENCH),
        motors: Vec::new(),
    };
    let mut motion = Motion::new(started(config, &histories), Vec::new()).unwrap();
    (1..=DURATION)
        .map(|k| {
            let body = motion.advance_to(k as f64 / 1000.0).unwrap().effector;
            let [x, y, z] = body.position;
            let [pitch, yaw, roll] = body.attitude.list();
            [x, y, z, pitch, yaw, roll]
        })
        .collect()
}

#[test]
fn legs_and_end_effector_follow_the_platform_at_the_declared_step_and_below() {
    let config = PlatformConfig::default();
    let expected = whole(&config);
    for kind in [ModelKind::LegSpatial, ModelKind::EndEffector] {
        let declared = archive(kind).description().default_experiment.unwrap();
        assert_eq!(declared.step_size, Some(DECLARED as f64 / 1e6));
    }
    for step in [50, 100, DECLARED] {
        for order in [Order::OneAfterTheOther, Order::AllAtOnce] {
            let found = coupled(&config, step, order, "force");
            let error = error(&found, &expected);
            println!("{order:?}, {step} us: {error:e}, {} rows", found.len());
            assert!(error <= ALLOWED, "{order:?}, {step} us: {error:e}");
            let [apart, _] = distances(&found, &expected);
            assert!(apart <= ALLOWED_M, "{order:?}, {step} us: {apart:e} m");
        }
    }
}

/// Prints the table of the guide: `cargo test --release -p softdock-fmu --test fmu -- --ignored
/// --nocapture simple_masters`.
#[test]
#[ignore = "takes a minute"]
fn simple_masters_by_step_force_and_delay() {
    let config = PlatformConfig::default();
    let expected = whole(&config);
    println!("| step | force at the end | mean force | at the end, delayed | mean, delayed |");
    println!("|---|---|---|---|---|");
    for step in [50, 100, 200, 250, 500, 1000, 2000] {
        let mut cells = Vec::new();
        for order in [Order::OneAfterTheOther, Order::AllAtOnce] {
            for force in ["force", "force_mean"] {
                let [apart, _] = distances(&coupled(&config, step, order, force), &expected);
                // The end effector moves by 5 mm: what is off by a fifth of it grows.
                cells.push(if apart < 1e-3 {
                    format!("{apart:.1e} m")
                } else {
                    "unstable".to_owned()
                });
            }
        }
        println!("| {} ms | {} |", step as f64 / 1000.0, cells.join(" | "));
    }
}
