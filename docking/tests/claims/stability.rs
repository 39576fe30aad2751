//! Impedance control with a late force sensor: where it becomes unstable.

use leg_core::config::{History, MotorMode, Shape};
use multibody::group::Group;
use multibody::math;
use multibody::modal::eigen;
use nalgebra::{Matrix6, Vector6};
use softdock_docking::control::impedance::ImpedanceController;
use softdock_docking::control::sight::StateSource;
use softdock_docking::{DockingRun, Law, Scenario};

/// Stiffness of the wall, along the axes [N/m] for one about them [N·m/rad]: soft about the axes, so
/// that the loop first becomes unstable along them.
const WALL_RATIO: f64 = 2e-4;
/// Damping of the wall over its stiffness [s].
const WALL_DAMPING: f64 = 1e-4;

/// Latched, from the start, to something that does not move: a wall of this stiffness [N/m].
fn against_a_wall(stiffness: f64, delay_s: f64) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.platform.legs.elements = 3;
    scenario.platform.motor.mode = MotorMode::Torque;
    // Without it the leaves' own vibrations at 8 Hz, which no motor reaches, are neither stable nor
    // unstable.
    scenario.platform.leaf.rayleigh_stiffness_s = 3e-4;
    let docking = &mut scenario.docking;
    docking.regulator.law = Law::Impedance;
    docking.closing_speed_m_s = 0.0;
    docking.misalignment.pitch_deg = 0.0;
    docking.initial_gap_m = 1e-4;
    docking.regulator.redesign = false;
    docking.regulator.state = StateSource::Exact;
    docking.regulator.cutoff_hz = 60.0;
    docking.force_sensor.delay_s = delay_s;
    docking.target.mass_kg = 1e9;
    docking.target.inertia_kg_m2 = [1e9; 3];
    let latch = &mut docking.contact.latch;
    latch.dwell_s = 0.0;
    latch.stiffness_n_per_m = [stiffness; 3];
    latch.damping_n_s_per_m = [stiffness * WALL_DAMPING; 3];
    latch.stiffness_nm_per_rad = [stiffness * WALL_RATIO; 3];
    latch.damping_nm_s_per_rad = [stiffness * WALL_RATIO * WALL_DAMPING; 3];
    scenario
}

/// The law at work against such walls, linearised.
struct Prediction {
    law: ImpedanceController,
    /// Twist of the end effector's origin to that of the frame which the latch holds.
    lever: Matrix6<f64>,
    period_s: f64,
}

impl Prediction {
    fn new() -> Self {
        let scenario = &against_a_wall(1e3, 0.01);
        let run = DockingRun::new(scenario, false).unwrap();
        // The latch holds a frame in the centre of the contact points.
        let centre = run.platform().world().encounter().unwrap().pair().centre();
        let mut lever = Matrix6::identity();
        lever
            .fixed_view_mut::<3, 3>(0, 3)
            .copy_from(&-centre.cross_matrix());
        Self {
            law: ImpedanceController::of_scenario(scenario).unwrap(),
            lever,
            period_s: scenario.docking.regulator.period_s,
        }
    }

    /// Largest modulus of an eigenvalue of the sampled loop.
    fn growth(&self, stiffness: f64, delay_s: f64) -> f64 {
        let about_origin = |along: f64| {
            let about = along * WALL_RATIO;
            let own = Vector6::new(along, along, along, about, about, about);
            self.lever.tr_mul(&Matrix6::from_diagonal(&own)) * self.lever
        };
        let wall = [stiffness, stiffness * WALL_DAMPING].map(about_origin);
        let delay = (delay_s / self.period_s).round() as usize;
        let sampled = self.law.closed_loop([&wall[0], &wall[1]], delay).unwrap();
        let values = eigen::eigenvalues(&sampled).unwrap();
        let sizes = values.iter().map(|value| math::modulus(*value));
        sizes.fold(0.0, f64::max)
    }

    /// The stiffness of the wall at which the loop becomes unstable [N/m].
    fn limit(&self, delay_s: f64) -> f64 {
        let (mut stable, mut unstable) = (10.0, 1e6);
        assert!(self.growth(stable, delay_s) < 1.0);
        assert!(self.growth(unstable, delay_s) > 1.0);
        while unstable / stable > 1.02 {
            let middle = (stable * unstable).sqrt();
            if self.growth(middle, delay_s) < 1.0 {
                stable = middle;
            } else {
                unstable = middle;
            }
        }
        (stable * unstable).sqrt()
    }
}

/// How much the end effector's swing grows from one part of a run to a later one, behind a push.
fn simulated_growth(stiffness: f64, delay_s: f64) -> f64 {
    let mut scenario = against_a_wall(stiffness, delay_s);
    let push = |newton: f64| {
        History::Shape(Shape::Step {
            time_s: 5.0 * delay_s,
            before: newton,
            after: 0.0,
        })
    };
    scenario.platform.wrench.force_x_n = push(0.05);
    scenario.platform.wrench.force_z_n = push(0.05);
    let docking = &mut scenario.docking;
    docking.duration_s = 100.0 * delay_s;
    docking.output_interval_s = delay_s / 10.0;
    let mut run = DockingRun::new(&scenario, true).unwrap();
    run.run().unwrap();
    let samples = run.samples();
    let swing = |from: f64, to: f64| {
        let inside = |t: f64| t >= from * delay_s && t < to * delay_s;
        let part: Vec<Vector6<f64>> = samples
            .iter()
            .filter(|sample| inside(sample.time))
            .map(|sample| samples[0].effector.between(&sample.effector).log().unwrap())
            .collect();
        let mean = part.iter().sum::<Vector6<f64>>() / part.len() as f64;
        let square: f64 = part.iter().map(|x| (x - mean).norm_squared()).sum();
        (square / part.len() as f64).sqrt()
    };
    swing(80.0, 100.0) / swing(40.0, 60.0)
}

/// With a late force sensor, impedance control against a wall becomes unstable where linearisation
/// says: ten per cent below the predicted stiffness a push dies out, ten per cent above it grows.
#[test]
fn a_late_sensor_limits_the_wall_as_predicted() {
    let prediction = Prediction::new();
    for delay_s in [0.01, 0.03] {
        let limit = prediction.limit(delay_s);
        let [below, above] = [0.9, 1.1].map(|part| simulated_growth(part * limit, delay_s));
        println!(
            "delay {delay_s} s: limit {limit:.0} N/m, growth {below:.4} below, {above:.4} above"
        );
        assert!(below < 1.0, "{delay_s} s, {limit} N/m: {below}");
        assert!(above > 1.0, "{delay_s} s, {limit} N/m: {above}");
    }
}
