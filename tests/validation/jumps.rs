//! Inputs that jump: order of the method behind them, momentum, energy, refusal.

use multibody::dynamics::{self, Control, StepSettings};
use multibody::group::{Group, Se2, Se3};
use multibody::model::{
    Attachment, BeamSpec, Drive, Inputs, JointId, JointKind, Material, Model, ModelBuilder,
    MotorLaw, Section, Signal, Signals, planar_inertia, spatial_inertia,
};
use multibody::results::energy::energies;
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::{Matrix3, Vector2, Vector3};

/// A torque of +1, then −1 N·m, then none, as a sampled controller gives it.
struct Pulses;

const JUMPS: [f64; 2] = [0.25, 0.5];

impl Pulses {
    fn write(inputs: &mut Inputs, passed: usize) {
        inputs.value[0] = [1.0, -1.0, 0.0][passed];
        inputs.rate[0] = 0.0;
        inputs.acceleration[0] = 0.0;
    }
}

impl Drive for Pulses {
    fn sample(&self, time: f64, inputs: &mut Inputs) {
        Self::write(inputs, JUMPS.iter().filter(|jump| time >= **jump).count());
    }

    fn sample_before(&self, time: f64, inputs: &mut Inputs) {
        Self::write(inputs, JUMPS.iter().filter(|jump| time > **jump).count());
    }

    fn next_jump(&self, after: f64, until: f64) -> Option<f64> {
        let mut jumps = JUMPS.into_iter();
        jumps.find(|jump| *jump > after && *jump <= until)
    }
}

/// An L of aluminium: two rods of 0.5 m, 8 mm square, a hub on a hinge about y, a mass in the elbow.
fn l_mechanism() -> (Model<Se3, 6, 3>, JointId) {
    let elements = 6;
    let aluminium = Material::from_poisson(70e9, 0.33, 2700.0, 5.0 / 6.0);
    let section = Section::<6, 3>::rectangle(&aluminium, 8e-3, 8e-3).unwrap();
    let mut builder = ModelBuilder::<Se3, 6, 3>::new();
    let spec = BeamSpec::straight(0.5, elements, section);
    let first = builder.beam("first rod", Se3::identity(), &spec);
    let up_y = Matrix3::from_columns(&[Vector3::y(), -Vector3::x(), Vector3::z()]);
    let corner = Se3::from_parts(Vector3::new(0.5, 0.0, 0.0), up_y);
    let second = builder.beam("second rod", corner, &spec);
    let (root, elbow) = (builder.beam_node(first, 0), builder.beam_end(first));
    let hub = spatial_inertia(0.0, [0.0; 3], Matrix3::identity() * 0.005569);
    builder.attach_inertia(root, hub);
    builder.point_mass(elbow, Vector3::zeros(), 0.017);
    let about_y = Matrix3::from_columns(&[Vector3::x(), -Vector3::z(), Vector3::y()]);
    let axis = Se3::from_parts(Vector3::zeros(), about_y);
    let hinge = builder.joint(
        "hinge",
        JointKind::Revolute,
        Attachment::ground(axis),
        Attachment::node(root, axis),
    );
    let far = builder.beam_node(second, 0);
    builder.joint(
        "elbow",
        JointKind::Fixed,
        Attachment::node(elbow, Se3::from_parts(Vector3::zeros(), up_y)),
        Attachment::node(far, Se3::identity()),
    );
    let torque = builder.input("torque");
    builder.motor("motor", hinge, MotorLaw::torque(torque));
    (builder.build().unwrap(), hinge)
}

/// Root angle [rad] after 1 s in steps of `h` [s], and what the ledger misses of the work.
fn root_angle(h: f64) -> (f64, f64) {
    let (model, hinge) = l_mechanism();
    let mut state = State::new(&model);
    let mut workspace = Workspace::new(&model);
    dynamics::initialize(&model, &mut state, &mut workspace, &Pulses).unwrap();
    let settings = StepSettings::default();
    let control = Control::fixed(h);
    let advance = dynamics::advance;
    let done = advance(
        &model,
        &mut state,
        &mut workspace,
        &Pulses,
        1.0,
        &control,
        &settings,
    );
    assert_eq!(done.unwrap().steps, (1.0 / h).round() as usize);
    let now = energies(&model, &state).unwrap();
    let missed = state.ledger.residual(&now) / state.ledger.work_in;
    (state.angle(hinge), missed)
}

#[test]
fn torque_that_jumps_is_followed_with_second_order() {
    // The jumps excite modes up to several hundred hertz: coarser steps do not show the order yet.
    let angles = [2.5e-4, 1.25e-4, 6.25e-5, 3.125e-5].map(root_angle);
    println!("{angles:?}");
    let differences: Vec<f64> = angles.windows(2).map(|w| w[1].0 - w[0].0).collect();
    for pair in differences.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((1.9..2.1).contains(&order), "{order}: {angles:?}");
    }
    let extrapolated = angles[3].0 + differences[2] / 3.0;
    // Computed independently with finite elements, to four digits.
    assert!((extrapolated - 1.6152).abs() < 2e-4, "{extrapolated}");
    assert!(angles[3].1.abs() < 1e-4, "{angles:?}");
}

/// Two rigid arms of 1.5 m without gravity; the first is turned by a driver.
fn two_arms() -> (Model<Se2, 3, 2>, JointId) {
    let (length, mass) = (1.5, 2.0);
    let rod = planar_inertia(mass, [0.5 * length, 0.0], mass * length * length / 12.0);
    let mut builder = ModelBuilder::<Se2, 3, 2>::new();
    let first = builder.rigid_body("first arm", Se2::identity(), rod);
    let at = Se2::from_translation(Vector2::new(length, 0.0));
    let second = builder.rigid_body("second arm", at, rod);
    builder.joint(
        "base",
        JointKind::Revolute,
        Attachment::ground(Se2::identity()),
        Attachment::node(first, Se2::identity()),
    );
    let elbow = builder.joint(
        "elbow",
        JointKind::Revolute,
        Attachment::node(first, at),
        Attachment::node(second, Se2::identity()),
    );
    let angle = builder.input("base angle");
    builder.joint(
        "driver",
        JointKind::PrescribedAngle(angle),
        Attachment::ground(Se2::identity()),
        Attachment::node(first, Se2::identity()),
    );
    (builder.build().unwrap(), elbow)
}

/// At rest until `START`, then turning at 1 rad/s.
struct Started;

const START: f64 = 0.1;

impl Drive for Started {
    fn sample(&self, time: f64, inputs: &mut Inputs) {
        let turning = time >= START;
        inputs.value[0] = if turning { time - START } else { 0.0 };
        inputs.rate[0] = f64::from(u8::from(turning));
        inputs.acceleration[0] = 0.0;
    }

    fn sample_before(&self, time: f64, inputs: &mut Inputs) {
        self.sample(time, inputs);
        inputs.rate[0] = f64::from(u8::from(time > START));
    }

    fn next_jump(&self, after: f64, until: f64) -> Option<f64> {
        Some(START).filter(|jump| *jump > after && *jump <= until)
    }
}

/// An impulsive start: with slender rods the second arm's absolute rate jumps to −1.5 rad/s, which
/// follows from the moment of momentum about the elbow.
#[test]
fn prescribed_rate_that_jumps_keeps_momentum_and_energy() {
    let (model, elbow) = two_arms();
    let end_of = |h: f64| {
        let mut state = State::new(&model);
        let mut workspace = Workspace::new(&model);
        dynamics::initialize(&model, &mut state, &mut workspace, &Started).unwrap();
        let (control, settings) = (Control::fixed(h), StepSettings::default());
        let mut to = |end: f64| {
            dynamics::advance(
                &model,
                &mut state,
                &mut workspace,
                &Started,
                end,
                &control,
                &settings,
            )
            .unwrap();
            let rate = multibody::results::angle_rate(&model, &state, elbow);
            let now = energies(&model, &state).unwrap();
            (state.angle(elbow), rate, state.ledger.residual(&now))
        };
        let (_, rate, missed) = to(START);
        assert!((rate + 2.5).abs() < 1e-9, "{rate}");
        assert!(missed.abs() < 1e-12, "{missed}");
        to(0.7).0
    };
    let angles = [4e-3, 2e-3, 1e-3].map(end_of);
    let order = ((angles[1] - angles[0]) / (angles[2] - angles[1])).log2();
    assert!((1.9..2.1).contains(&order), "{order}: {angles:?}");
}

#[test]
fn prescribed_position_that_jumps_is_refused() {
    let (model, _) = two_arms();
    let signals = Signals(vec![Signal::Step {
        time: 0.05,
        before: 0.0,
        after: 0.3,
    }]);
    let mut state = State::new(&model);
    let mut workspace = Workspace::new(&model);
    dynamics::initialize(&model, &mut state, &mut workspace, &signals).unwrap();
    let (control, settings) = (Control::fixed(1e-3), StepSettings::default());
    let error = dynamics::advance(
        &model,
        &mut state,
        &mut workspace,
        &signals,
        0.1,
        &control,
        &settings,
    );
    let text = error.unwrap_err().to_string();
    assert!(
        text.contains("base angle") && text.contains("0.3") && text.contains("0.05"),
        "{text}"
    );
}
