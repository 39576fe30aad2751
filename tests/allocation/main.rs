//! A step allocates nothing: proven by an allocator that counts.
//!
//! The count is kept per thread, so that tests running beside each other do not disturb it.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]
// `GlobalAlloc` can only be implemented with unsafe code; it hands everything to the system's
// allocator unchanged.
#![allow(unsafe_code)]

use multibody::dynamics::{
    self, ConstraintHandling, Control, Projection, ProjectionWeight, StepSettings,
};
use multibody::element::Rayleigh;
use multibody::group::{Group, Se2, Se3};
use multibody::model::{
    Attachment, Axes, BeamSpec, Body, Force, Hold, Interpolation, JointKind, LineLaw, Material,
    ModalDamper, Model, ModelBuilder, MotorLaw, PointOn, Section, Signal, Signals, rigid_inertia,
};
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::{SMatrix, SVector};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // Not there any more while the thread ends: nothing is measured then.
    let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

/// A mechanism with everything in it that takes part in a step: a driven crank, a leaf damped in
/// proportion to mass (against the crank) and stiffness and in two modes, a body on a motorised hinge at its tip, a spring, a tendon with friction to a frame that
/// moves, a torsion spring, a dead and a follower load, and gravity.
fn mechanism<G: Group<N, D>, const N: usize, const D: usize>(
    section: Section<N, D>,
) -> (Model<G, N, D>, Signals) {
    let mut builder = ModelBuilder::<G, N, D>::new();
    let mut signals = Vec::new();
    let vector = |values: [f64; 3]| SVector::<f64, D>::from_fn(|i, _| values[i]);
    let shift = |values: [f64; 3]| G::from_parts(vector(values), SMatrix::identity());
    builder.gravity(vector([0.0, -9.81, 0.5]));
    let mut rotary = SMatrix::zeros();
    for i in D..N {
        rotary[(i, i)] = 1e-3;
    }
    let inertia = rigid_inertia::<G, N, D>(0.2, vector([0.01, 0.02, 0.0]), rotary);
    let crank = builder.rigid_body("crank", shift([0.06, 0.0, 0.0]), inertia);
    let mut spec = BeamSpec::straight(0.5, 8, section);
    spec.rayleigh = Rayleigh {
        mass: 0.5,
        stiffness: 1e-4,
    };
    spec.reference = Body::Node(crank);
    spec.modal = [0.1, 0.3]
        .map(|coefficient| ModalDamper {
            coefficient,
            weights: vec![SVector::from_element(0.1); spec.elements],
        })
        .to_vec();
    let leaf = builder.beam("leaf", shift([0.12, 0.0, 0.0]), &spec);
    let (root, tip) = (builder.beam_node(leaf, 0), builder.beam_end(leaf));
    let end = builder.rigid_body("end", shift([0.67, 0.0, 0.0]), inertia);
    let pivot = (
        Attachment::ground(G::identity()),
        Attachment::node(crank, shift([-0.06, 0.0, 0.0])),
    );
    builder.joint("pivot", JointKind::Revolute, pivot.0, pivot.1);
    let angle = builder.input("crank angle");
    signals.push(Signal::Ramp {
        start: 0.0,
        duration: 0.1,
        from: 0.0,
        to: 0.3,
    });
    builder.joint("drive", JointKind::PrescribedAngle(angle), pivot.0, pivot.1);
    builder.joint(
        "clamp",
        JointKind::Fixed,
        Attachment::node(crank, shift([0.06, 0.0, 0.0])),
        Attachment::node(root, G::identity()),
    );
    let hinge = builder.joint(
        "hinge",
        JointKind::Revolute,
        Attachment::node(tip, G::identity()),
        Attachment::node(end, shift([-0.05, 0.0, 0.0])),
    );
    builder.torsion("torsion spring", hinge, 0.5, 0.1, 0.01);
    let torque = builder.input("torque");
    signals.push(Signal::Sine {
        offset: 0.0,
        amplitude: 0.1,
        frequency: 5.0,
        phase: 0.0,
    });
    let target = builder.input("target");
    signals.push(Signal::Chirp {
        offset: 0.0,
        amplitude: 0.1,
        start_frequency: 1.0,
        end_frequency: 10.0,
        duration: 1.0,
    });
    let hold = Hold {
        target,
        stiffness: 2.0,
        damping: 0.05,
    };
    let law = MotorLaw {
        torque: Some(torque),
        hold: Some(hold),
        torque_limit: 5.0,
        ..MotorLaw::default()
    };
    builder.motor("motor", hinge, law);
    let frame_inputs = core::array::from_fn(|i| {
        signals.push(if i == 1 {
            let (times, values) = (vec![0.0, 0.1, 0.3, 1.0], vec![0.3, 0.32, 0.25, 0.3]);
            Signal::Table {
                times,
                values,
                interpolation: Interpolation::Cubic,
            }
        } else {
            Signal::Constant(0.1)
        });
        builder.input("frame")
    });
    let moving = builder.moving_frame("moving", frame_inputs);
    let on_tip = PointOn::node(tip, vector([0.0, 0.01, 0.0]));
    let tendon = LineLaw::Tendon {
        stiffness: 100.0,
        rest_length: 0.55,
        damping_lengthening: 1.0,
        damping_shortening: 3.0,
        friction: 0.2,
        friction_speed: 1e-2,
        slack_width: 1e-2,
        rate_width: 1e-4,
    };
    builder.line(
        "tendon",
        PointOn {
            body: Body::Frame(moving),
            point: vector([0.0; 3]),
        },
        on_tip,
        tendon,
    );
    let spring = LineLaw::SpringDamper {
        stiffness: 20.0,
        rest_length: 0.5,
        damping: 0.5,
    };
    builder.line(
        "spring",
        PointOn::node(crank, vector([0.0, 0.05, 0.0])),
        on_tip,
        spring,
    );
    for (name, axes) in [("dead", Axes::World), ("follower", Axes::Body)] {
        let force = core::array::from_fn(|_| {
            signals.push(Signal::Step {
                time: 0.02,
                before: 0.0,
                after: 0.1,
            });
            Some(builder.input(name))
        });
        let point = vector([0.01, 0.0, 0.0]);
        builder.wrench(Force::Wrench {
            name: name.into(),
            node: end,
            point,
            axes,
            force,
            moment: [None; 3],
        });
    }
    (builder.build().unwrap(), Signals(signals))
}

/// Allocations of 200 steps one by one and of a further stretch under each step control.
fn allocations_of_stepping<G: Group<N, D>, const N: usize, const D: usize>(
    section: Section<N, D>,
    constraints: ConstraintHandling,
) -> usize {
    let (model, drive) = mechanism::<G, N, D>(section);
    let settings = StepSettings {
        constraints,
        ..StepSettings::default()
    };
    let mut state = State::new(&model);
    let mut workspace = Workspace::new(&model);
    dynamics::initialize(&model, &mut state, &mut workspace, &drive).unwrap();
    allocations(|| {
        for _ in 0..200 {
            dynamics::step(&model, &mut state, &mut workspace, &drive, 1e-3, &settings).unwrap();
        }
        let adaptive = Control::Adaptive {
            first: 1e-3,
            tolerance: 1e-5,
            smallest: 1e-7,
            largest: 1e-2,
        };
        for (end, control) in [(0.3, Control::fixed(1e-3)), (0.4, adaptive)] {
            dynamics::advance(
                &model,
                &mut state,
                &mut workspace,
                &drive,
                end,
                &control,
                &settings,
            )
            .unwrap();
        }
    })
}

fn in_plane(constraints: ConstraintHandling) -> usize {
    let section = Section::<3, 2>::rectangle(&Material::titanium(), 1.2e-3, 77e-3).unwrap();
    allocations_of_stepping::<Se2, 3, 2>(section, constraints)
}

fn in_space(constraints: ConstraintHandling) -> usize {
    let section = Section::<6, 3>::rectangle(&Material::titanium(), 1.2e-3, 77e-3).unwrap();
    allocations_of_stepping::<Se3, 6, 3>(section, constraints)
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(vec![1, 2, 3])), 1);
    assert_eq!(allocations(|| ()), 0);
}

#[test]
fn a_step_in_the_plane_allocates_nothing() {
    assert_eq!(in_plane(ConstraintHandling::Position), 0);
}

#[test]
fn a_step_in_space_allocates_nothing() {
    assert_eq!(in_space(ConstraintHandling::Position), 0);
}

#[test]
fn a_step_with_baumgartes_stabilisation_allocates_nothing() {
    let baumgarte = ConstraintHandling::Baumgarte {
        ratio: 1.0,
        frequency: 0.1,
    };
    assert_eq!(in_plane(baumgarte.clone()), 0);
    assert_eq!(in_space(baumgarte), 0);
}

#[test]
fn a_step_with_projection_allocates_nothing() {
    for weight in [ProjectionWeight::Mass, ProjectionWeight::Identity] {
        let projection = ConstraintHandling::Projection(Projection {
            weight,
            held: Vec::new(),
        });
        assert_eq!(in_plane(projection.clone()), 0);
        assert_eq!(in_space(projection), 0);
    }
}
