//! Models that several cases share.

use crate::error::Result;
use multibody::element::Rayleigh;
use multibody::group::{Group, Se2};
use multibody::math;
use multibody::model::{
    Attachment, Axes, BeamId, BeamSpec, Force, Inputs, JointId, JointKind, Material, Model,
    ModelBuilder, NodeId, Section,
};
use multibody::state::State;
use multibody::statics::continuation::{ContinuationSettings, Path, load_to};
use multibody::workspace::Workspace;
use nalgebra::{SMatrix, SVector, Vector2, Vector3};

/// Length of the leaf spring [m].
pub const LEAF_LENGTH: f64 = 0.5;

/// Section of the leaf in the plane: titanium, 77 mm out of plane, 1.2 mm thick.
pub fn leaf_section() -> multibody::Result<Section<3, 2>> {
    Section::<3, 2>::rectangle(&Material::titanium(), 1.2e-3, 77e-3)
}

/// Section of the leaf in space: it bends easily about e3.
pub fn leaf_section_in_space() -> multibody::Result<Section<6, 3>> {
    Section::<6, 3>::rectangle(&Material::titanium(), 1.2e-3, 77e-3)
}

/// A section with the given diagonal stiffness and no mass.
pub fn massless<const N: usize, const D: usize>(stiffness: [f64; N]) -> Section<N, D> {
    Section {
        stiffness: SMatrix::from_diagonal(&SVector::from(stiffness)),
        mass_per_length: 0.0,
        mass_centre: SVector::zeros(),
        rotary_inertia: SMatrix::zeros(),
    }
}

/// A beam clamped at its root, with a dead wrench at its tip given by the inputs: the force
/// components [N], then the moments about e1, e2, e3 [N·m], world axes.
#[derive(Debug, Clone)]
pub struct Cantilever<G: Group<N, D>, const N: usize, const D: usize> {
    /// The model.
    pub model: Model<G, N, D>,
    /// The beam.
    pub beam: BeamId,
    /// Its last node.
    pub tip: NodeId,
    /// The clamp.
    pub clamp: JointId,
}

impl<G: Group<N, D>, const N: usize, const D: usize> Cantilever<G, N, D> {
    /// Clamps a beam at `root`.
    pub fn new(root: G, spec: &BeamSpec<N, D>, gravity: SVector<f64, D>) -> Result<Self> {
        let mut builder = ModelBuilder::<G, N, D>::new();
        builder.gravity(gravity);
        let beam = builder.beam("beam", root, spec);
        let (first, tip) = (builder.beam_node(beam, 0), builder.beam_end(beam));
        let clamp = builder.joint(
            "clamp",
            JointKind::Fixed,
            Attachment::ground(root),
            Attachment::node(first, G::identity()),
        );
        let force = core::array::from_fn(|i| Some(builder.input(&format!("force {i}"))));
        let moment = core::array::from_fn(|i| Some(builder.input(&format!("moment {i}"))));
        builder.wrench(Force::Wrench {
            name: "tip load".into(),
            node: tip,
            point: SVector::zeros(),
            axes: Axes::World,
            force,
            moment,
        });
        Ok(Self {
            model: builder.build()?,
            beam,
            tip,
            clamp,
        })
    }

    /// Inputs for a tip force [N] and a tip moment about e3 [N·m].
    pub fn load(force: SVector<f64, D>, moment: f64) -> Vec<f64> {
        force.iter().copied().chain([0.0, 0.0, moment]).collect()
    }

    /// Equilibrium under a load that grows from nothing.
    pub fn loaded(&self, load: &[f64]) -> Result<State<G, N>> {
        let mut state = State::new(&self.model);
        let path = Path {
            from: vec![0.0; load.len()],
            to: load.to_vec(),
        };
        follow(&self.model, &mut state, &path)?;
        Ok(state)
    }
}

/// Moves an equilibrium along a path of inputs.
pub fn follow<G: Group<N, D>, const N: usize, const D: usize>(
    model: &Model<G, N, D>,
    state: &mut State<G, N>,
    path: &Path,
) -> Result<()> {
    let mut workspace = Workspace::new(model);
    let settings = ContinuationSettings::default();
    load_to(model, state, &mut workspace, path, &settings, |_, _| ())?;
    Ok(())
}

/// A leaf pinned at both ends: the root on the ground, the tip at the point given by the first
/// `D` inputs [m]; the last input is a moment that bows it, on the root and opposite on the tip
/// [N·m].
#[derive(Debug, Clone)]
pub struct PinnedLeaf<G: Group<N, D>, const N: usize, const D: usize> {
    /// The model.
    pub model: Model<G, N, D>,
    /// The leaf.
    pub beam: BeamId,
    /// The pin at the root.
    pub root_pin: JointId,
    /// Place of the root and attitude of the straight leaf.
    frame: G,
}

impl<G: Group<N, D>, const N: usize, const D: usize> PinnedLeaf<G, N, D> {
    /// A leaf of `elements` elements whose root frame is `frame` while it is straight.
    pub fn new(frame: G, elements: usize, section: Section<N, D>) -> Result<Self> {
        let mut builder = ModelBuilder::<G, N, D>::new();
        let spec = BeamSpec::straight(LEAF_LENGTH, elements, section);
        let beam = builder.beam("leaf", frame, &spec);
        let (root, tip) = (builder.beam_node(beam, 0), builder.beam_end(beam));
        let root_pin = builder.joint(
            "root pin",
            JointKind::Revolute,
            Attachment::ground(frame),
            Attachment::node(root, G::identity()),
        );
        let zero = builder.input("unused");
        let mut place = [zero; 3];
        for entry in place.iter_mut().take(D) {
            *entry = builder.input("tip position");
        }
        builder.joint(
            "tip pin",
            JointKind::PrescribedPosition(place),
            Attachment::ground(frame),
            Attachment::node(tip, G::identity()),
        );
        for (name, node) in [("bow at root", root), ("bow at tip", tip)] {
            let moment = [None, None, Some(builder.input(name))];
            builder.wrench(Force::Wrench {
                name: name.into(),
                node,
                point: SVector::zeros(),
                axes: Axes::Body,
                force: [None; D],
                moment,
            });
        }
        Ok(Self {
            model: builder.build()?,
            beam,
            root_pin,
            frame,
        })
    }

    fn inputs(chord: f64, bow: f64) -> Vec<f64> {
        let mut out = vec![0.0; D + 3];
        out[1] = chord;
        out[D + 1] = -bow;
        out[D + 2] = bow;
        out
    }

    /// The buckled equilibrium at a chord [m], bowed to the side of −e2 of the frame. A bowing
    /// moment leads around the bifurcation and is taken away again.
    pub fn buckled(&self, chord: f64) -> Result<State<G, N>> {
        let bow = 1.0; // about a seventh of the moment in the middle
        let mut state = State::new(&self.model);
        let stations = [
            Self::inputs(LEAF_LENGTH, 0.0),
            Self::inputs(LEAF_LENGTH, bow),
            Self::inputs(chord, bow),
            Self::inputs(chord, 0.0),
        ];
        for leg in stations.windows(2) {
            let path = Path {
                from: leg[0].clone(),
                to: leg[1].clone(),
            };
            follow(&self.model, &mut state, &path)?;
        }
        Ok(state)
    }

    /// Force of the ground on the root along the chord, positive when it pushes [N].
    pub fn thrust(&self, state: &State<G, N>) -> f64 {
        let reaction = multibody::results::reaction(&self.model, state, self.root_pin);
        self.frame.rotation().column(0).dot(&reaction.force)
    }

    /// Pose of the section at arc length `s` [m], seen from the frame of the straight leaf.
    pub fn pose_at(&self, state: &State<G, N>, s: f64) -> Result<G> {
        let pose = multibody::results::pose_at(&self.model, state, self.beam, s)?;
        Ok(self.frame.between(&pose))
    }
}

/// Inputs that stay as they are in `state`.
pub fn held<G, const N: usize>(state: &State<G, N>) -> multibody::model::Held {
    multibody::model::Held(Inputs::constant(&state.inputs.value))
}

/// Roots of cos β cosh β = −1: the modes of a slender cantilever.
const CANTILEVER_ROOTS: [f64; 3] = [
    1.875_104_068_711_961,
    4.694_091_132_974_175,
    7.854_757_438_237_613,
];

/// Deflection and slope of mode `mode` (from 0, at most 2) of a slender cantilever of unit length
/// at ξ, with deflection one at the tip.
pub fn cantilever_mode(mode: usize, xi: f64) -> (f64, f64) {
    let beta = CANTILEVER_ROOTS[mode.min(2)];
    let sigma = (math::cosh(beta) + math::cos(beta)) / (math::sinh(beta) + math::sin(beta));
    let at = |x: f64| {
        let value = math::cosh(x) - math::cos(x) - sigma * (math::sinh(x) - math::sin(x));
        let slope = math::sinh(x) + math::sin(x) - sigma * (math::cosh(x) - math::cos(x));
        (value, beta * slope)
    };
    let (tip, _) = at(beta);
    let (value, slope) = at(beta * xi);
    (value / tip, slope / tip)
}

/// Starts a straight cantilever with the velocities of a mode, `speed` [m/s] at the tip.
pub fn start_mode(state: &mut State<Se2, 3>, mode: usize, length: f64, speed: f64) {
    let last = state.velocities.len() - 1;
    for (i, velocity) in state.velocities.iter_mut().enumerate() {
        let (value, slope) = cantilever_mode(mode, i as f64 / last as f64);
        *velocity = Vector3::new(0.0, speed * value, speed * slope / length);
    }
}

/// The leaf as a cantilever that starts straight with the velocities of its first mode, such that
/// the linear motion would reach 0.2 L at the tip.
pub fn swinging_leaf(
    elements: usize,
    rayleigh: Rayleigh,
) -> Result<(Cantilever<Se2, 3, 2>, State<Se2, 3>)> {
    let section = leaf_section()?;
    let stiffness = section.stiffness[(2, 2)];
    let wave = CANTILEVER_ROOTS[0] / LEAF_LENGTH;
    let omega = wave * wave * (stiffness / section.mass_per_length).sqrt();
    let mut spec = BeamSpec::straight(LEAF_LENGTH, elements, section);
    spec.rayleigh = rayleigh;
    let leaf = Cantilever::new(Se2::identity(), &spec, Vector2::zeros())?;
    let mut state = State::new(&leaf.model);
    start_mode(&mut state, 0, LEAF_LENGTH, 0.2 * LEAF_LENGTH * omega);
    Ok((leaf, state))
}
