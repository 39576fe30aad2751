//! The table of keys: every key of a mechanism file with kind, unit, range and meaning. Reading,
//! checking, messages and the reference in `docs` follow from it.

use multibody::contact::NormalLaw;
use softdock_settings::Words;

/// What a value may look like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Text as it stands; `{key}` is replaced by a parameter.
    Text,
    /// A number or a formula of parameters.
    Number,
    /// A whole number, zero or more, or a formula of parameters.
    Count,
    /// True or false, or a formula of parameters that is not zero.
    Switch,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Two numbers in the plane, three in space.
    Vector,
    /// A number in the plane (about the normal), three numbers in space.
    Turn,
    /// Numbers in brackets.
    Numbers,
    /// Texts in brackets.
    Texts,
    /// A number, the name of a signal, or a formula of t and parameters.
    Signal,
    /// Such values in brackets: two in the plane, three in space.
    Signals,
    /// As many signals as a turn has numbers.
    TurnSignals,
    /// A formula of its own variables.
    Formula,
}

/// One key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The key; its unit is its ending.
    pub key: &'static str,
    /// What its value looks like.
    pub kind: Kind,
    /// Lowest and highest number allowed.
    pub range: [f64; 2],
    /// What it is.
    pub meaning: &'static str,
}

const ANY: [f64; 2] = [-f64::MAX, f64::MAX];
const NOT_NEGATIVE: [f64; 2] = [0.0, f64::MAX];
/// The smallest positive number: zero itself is not allowed.
const POSITIVE: [f64; 2] = [f64::MIN_POSITIVE, f64::MAX];

const fn row(key: &'static str, kind: Kind, range: [f64; 2], meaning: &'static str) -> Row {
    Row {
        key,
        kind,
        range,
        meaning,
    }
}

/// A table of a file, or a list of tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    /// Its name.
    pub name: &'static str,
    /// Whether it is a list, `[[name]]`.
    pub list: bool,
    /// What it is.
    pub meaning: &'static str,
    /// Its keys.
    pub rows: &'static [Row],
}

impl Section {
    /// The row of a key.
    pub fn row(&self, key: &str) -> Option<&'static Row> {
        self.rows.iter().find(|row| row.key == key)
    }
}

/// Words of joints.
pub const JOINT_KINDS: &[&str] = &[
    "fixed",
    "revolute",
    "prismatic",
    "spherical",
    "universal",
    "cylindrical",
    "screw",
    "planar",
    "distance",
    "slot",
    "point_in_plane",
    "rolling",
    "gear",
    "belt",
];

/// Words of signals.
pub const SIGNAL_KINDS: &[&str] = &[
    "constant",
    "line",
    "step",
    "ramp",
    "cycloid",
    "velocity_ramp",
    "sine",
    "chirp",
    "polynomial",
    "table",
    "formula",
    "input",
    "pieces",
];

const NAME: Row = row(
    "name",
    Kind::Text,
    ANY,
    "name, used by other parts and outputs",
);
const ONLY_IF: Row = row(
    "only_if",
    Kind::Switch,
    ANY,
    "the part is there only if this holds, e.g. \"start == 'rest'\"",
);
const ON: Row = row(
    "on",
    Kind::Text,
    ANY,
    "body, beam end (`beam.start`, `beam.end`) or frame",
);
const A: Row = row(
    "a",
    Kind::Text,
    ANY,
    "first body, beam end or frame; `ground` for none",
);
const B: Row = row("b", Kind::Text, ANY, "second body, beam end or frame");
const A_POINT: Row = row(
    "a_point_m",
    Kind::Vector,
    ANY,
    "point on a, in its axes (default: origin)",
);
const B_POINT: Row = row(
    "b_point_m",
    Kind::Vector,
    ANY,
    "point on b, in its axes (default: origin)",
);
const JOINT: Row = row("joint", Kind::Text, ANY, "the joint");
const STIFFNESS: Row = row("stiffness_n_per_m", Kind::Number, NOT_NEGATIVE, "stiffness");
const DAMPING: Row = row("damping_n_s_per_m", Kind::Number, NOT_NEGATIVE, "damping");
const COORDINATE: Row = row(
    "coordinate",
    Kind::Word(&["distance", "angle", "offset"]),
    ANY,
    "what is measured: distance of two points, angle of a joint, or place of b's point along `direction` of a",
);
const DIRECTION: Row = row(
    "direction",
    Kind::Vector,
    ANY,
    "direction of an offset in the axes of a (need not be a unit vector)",
);

/// Keys outside any table.
pub const TOP: Section = Section {
    name: "",
    list: false,
    meaning: "the file itself",
    rows: &[
        row("title", Kind::Text, ANY, "one line"),
        row("text", Kind::Text, ANY, "what it is and what it must show"),
        row("source", Kind::Text, ANY, "where its data come from"),
        row(
            "extends",
            Kind::Text,
            ANY,
            "another mechanism whose parts and parameters are taken over",
        ),
        row(
            "space",
            Kind::Word(&["plane", "space"]),
            ANY,
            "two or three dimensions",
        ),
        row(
            "gravity_m_per_s2",
            Kind::Vector,
            ANY,
            "gravity (default: none)",
        ),
        row(
            "outputs",
            Kind::Texts,
            ANY,
            "columns of the table: `tip.x_m`, or `name = formula of such`",
        ),
    ],
};

/// Every section of a file.
pub const SECTIONS: &[Section] = &[
    Section {
        name: "initial",
        list: false,
        meaning: "the start",
        rows: &[
            row(
                "equilibrium",
                Kind::Switch,
                ANY,
                "start from the equilibrium near the given places",
            ),
            row(
                "velocity_m_per_s",
                Kind::Vector,
                ANY,
                "velocity of everything that has none of its own",
            ),
            row(
                "angular_velocity_rad_per_s",
                Kind::Turn,
                ANY,
                "turning of everything that has no velocity of its own",
            ),
            row(
                "about_m",
                Kind::Vector,
                ANY,
                "point about which everything turns (default: origin)",
            ),
            row(
                "weight",
                Kind::Word(&["identity", "mass"]),
                ANY,
                "what a correction of places keeps small: the squares of displacements [m] and turns [rad], or these weighted by mass",
            ),
            row(
                "held",
                Kind::Texts,
                ANY,
                "bodies whose places are not corrected",
            ),
            row(
                "impulsive",
                Kind::Switch,
                ANY,
                "velocities as given; drivers start with a blow (momentum balance) at t = 0",
            ),
            row(
                "as_given",
                Kind::Switch,
                ANY,
                "the row at t = 0 is that of places and velocities as given; the motion starts from corrected ones",
            ),
        ],
    },
    Section {
        name: "analysis",
        list: false,
        meaning: "how it is computed",
        rows: &[
            row("duration_s", Kind::Number, POSITIVE, "simulated time"),
            row("step_s", Kind::Number, POSITIVE, "step"),
            row(
                "output_step_s",
                Kind::Number,
                POSITIVE,
                "time between rows of the table",
            ),
            row(
                "spectral_radius",
                Kind::Number,
                [0.0, 1.0],
                "numerical damping: 1 none, 0 most",
            ),
            row(
                "tolerance",
                Kind::Number,
                [1e-14, 9e-3],
                "Newton stops below this correction",
            ),
            row(
                "error_tolerance",
                Kind::Number,
                POSITIVE,
                "step control by this error per step instead of a fixed step",
            ),
            row(
                "modes",
                Kind::Count,
                [1.0, 1000.0],
                "number of modes listed",
            ),
        ],
    },
    Section {
        name: "body",
        list: true,
        meaning: "a rigid body",
        rows: &[
            NAME,
            row("mass_kg", Kind::Number, NOT_NEGATIVE, "mass"),
            row(
                "inertia_kg_m2",
                Kind::Numbers,
                ANY,
                "about the centre of mass: one number in the plane; Ixx, Iyy, Izz (and Ixy, Ixz, Iyz) in space",
            ),
            row(
                "centre_m",
                Kind::Vector,
                ANY,
                "centre of mass in the body's frame (default: origin)",
            ),
            row("position_m", Kind::Vector, ANY, "origin at the start"),
            row(
                "rotation_rad",
                Kind::Turn,
                ANY,
                "attitude at the start: angle, or rotation vector in space",
            ),
            row(
                "velocity_m_per_s",
                Kind::Vector,
                ANY,
                "velocity of the origin at the start, world axes",
            ),
            row(
                "angular_velocity_rad_per_s",
                Kind::Turn,
                ANY,
                "rate of turning at the start, world axes",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "beam",
        list: true,
        meaning: "a flexible beam, geometrically exact",
        rows: &[
            NAME,
            row("from_m", Kind::Vector, ANY, "first end at the start"),
            row(
                "to_m",
                Kind::Vector,
                ANY,
                "last end at the start (of a beam that is curved: the end of its tangent)",
            ),
            row(
                "length_m",
                Kind::Number,
                POSITIVE,
                "length if it is not the distance of its ends",
            ),
            row(
                "across",
                Kind::Vector,
                ANY,
                "direction near which e2 lies, in space (default: e3 as near to the world's z as it can be)",
            ),
            row(
                "elements",
                Kind::Count,
                [1.0, 10_000.0],
                "number of elements",
            ),
            row(
                "curvature_per_m",
                Kind::Turn,
                ANY,
                "curvature when unstressed (default: straight)",
            ),
            row(
                "start_curvature_per_m",
                Kind::Turn,
                ANY,
                "curvature from which the equilibrium at the start is looked for; from_m to to_m is then the chord",
            ),
            row(
                "shape",
                Kind::Word(&["rectangle", "circle", "tube", "given"]),
                ANY,
                "section: with sizes and material, or with given stiffnesses",
            ),
            row(
                "size_m",
                Kind::Numbers,
                POSITIVE,
                "rectangle: size along e2 (in the plane) and along e3",
            ),
            row(
                "radius_m",
                Kind::Number,
                POSITIVE,
                "outer radius of circle and tube",
            ),
            row(
                "inner_radius_m",
                Kind::Number,
                NOT_NEGATIVE,
                "inner radius of a tube",
            ),
            row(
                "youngs_modulus_pa",
                Kind::Number,
                POSITIVE,
                "Young's modulus",
            ),
            row(
                "poisson_ratio",
                Kind::Number,
                [-0.99, 0.5],
                "Poisson's ratio (or give the shear modulus)",
            ),
            row("shear_modulus_pa", Kind::Number, POSITIVE, "shear modulus"),
            row("density_kg_per_m3", Kind::Number, NOT_NEGATIVE, "density"),
            row(
                "shear_factor",
                Kind::Number,
                POSITIVE,
                "shear correction factor (default 5/6)",
            ),
            row(
                "torsion_constant_m4",
                Kind::Number,
                POSITIVE,
                "torsion constant instead of Saint-Venant's",
            ),
            row(
                "axial_stiffness_n",
                Kind::Number,
                POSITIVE,
                "given section: EA",
            ),
            row(
                "shear_stiffness_n",
                Kind::Number,
                POSITIVE,
                "given section: κGA",
            ),
            row(
                "torsion_stiffness_n_m2",
                Kind::Number,
                POSITIVE,
                "given section: GJ",
            ),
            row(
                "bending_stiffness_n_m2",
                Kind::Numbers,
                POSITIVE,
                "given section: EI in the plane; EI about e2 and e3 in space",
            ),
            row(
                "mass_per_length_kg_per_m",
                Kind::Number,
                NOT_NEGATIVE,
                "given section: mass",
            ),
            row(
                "rotary_inertia_kg_m",
                Kind::Numbers,
                NOT_NEGATIVE,
                "given section: ρI in the plane; about e1, e2, e3 in space",
            ),
            row(
                "mass_damping_per_s",
                Kind::Number,
                NOT_NEGATIVE,
                "Rayleigh damping by mass",
            ),
            row(
                "stiffness_damping_s",
                Kind::Number,
                NOT_NEGATIVE,
                "Rayleigh damping by stiffness",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "mass",
        list: true,
        meaning: "an inertia added to a body, a beam end or a frame",
        rows: &[
            NAME,
            ON,
            row("mass_kg", Kind::Number, NOT_NEGATIVE, "mass"),
            row(
                "inertia_kg_m2",
                Kind::Numbers,
                ANY,
                "about its centre, axes of what it sits on (default: none)",
            ),
            row(
                "at_node",
                Kind::Count,
                NOT_NEGATIVE,
                "node of a beam, from 0 (`on` names the beam)",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "frame",
        list: true,
        meaning: "a named place on a body or beam",
        rows: &[
            NAME,
            ON,
            row(
                "position_m",
                Kind::Vector,
                ANY,
                "origin in the frame of what it is on",
            ),
            row(
                "at_m",
                Kind::Vector,
                ANY,
                "origin at the start, world, instead of position_m",
            ),
            row(
                "rotation_rad",
                Kind::Turn,
                ANY,
                "attitude in the frame of what it is on",
            ),
            row(
                "at_node",
                Kind::Count,
                NOT_NEGATIVE,
                "node of a beam, from 0 (`on` names the beam)",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "reduced",
        list: true,
        meaning: "beams, or a body of a file, that move in few coordinates: a moving frame with exact rigid motion, interfaces and fixed-interface modes (Craig and Bampton); small deformations, places to second order, so that geometric stiffening is in; `check` reports the error of the reduction",
        rows: &[
            NAME,
            row(
                "beams",
                Kind::Texts,
                ANY,
                "its beams, joined by fixed joints; these joints and masses on the beams go into it",
            ),
            row(
                "interfaces",
                Kind::Texts,
                ANY,
                "places where joints, forces and masses may be: beam ends or frames at nodes; the first carries the moving frame",
            ),
            row(
                "modes",
                Kind::Count,
                [0.0, 84.0],
                "number of fixed-interface modes kept (default 6)",
            ),
            row(
                "assumed",
                Kind::Count,
                [1.0, 20.0],
                "one straight beam: this number of assumed modes per direction of bending (clamped at the first interface, free at the end) instead of interface displacements and fixed-interface modes",
            ),
            row(
                "selection",
                Kind::Word(&["frequency", "load", "mounted"]),
                ANY,
                "which fixed-interface modes are kept: the lowest (default), those that accelerations of the moving frame deflect most, or combinations of all of them: the modes of the body as its joints hold it that gravity deflects most",
            ),
            row(
                "geometric_stiffening",
                Kind::Switch,
                ANY,
                "forces along bent beams change their stiffness in bending (default true; false leaves it out, as it is of assumed modes and of bodies of matrices)",
            ),
            row(
                "file",
                Kind::Text,
                ANY,
                "instead of beams: file (.json or .npz) with nodes, mass and stiffness matrix and interfaces",
            ),
            row(
                "position_m",
                Kind::Vector,
                ANY,
                "file: origin of its coordinates at the start",
            ),
            row(
                "rotation_rad",
                Kind::Turn,
                ANY,
                "file: attitude of its coordinates at the start",
            ),
            row(
                "stiffness_damping_s",
                Kind::Number,
                NOT_NEGATIVE,
                "file: Rayleigh damping by stiffness, besides the damping matrix of the file",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "joint",
        list: true,
        meaning: "a joint between a and b",
        rows: &[
            NAME,
            row("kind", Kind::Word(JOINT_KINDS), ANY, "kind"),
            A,
            B,
            A_POINT,
            B_POINT,
            row(
                "at_m",
                Kind::Vector,
                ANY,
                "place of the joint at the start, world, instead of the two points",
            ),
            row(
                "axis",
                Kind::Vector,
                ANY,
                "axis at the start, world: of turning, or of sliding for prismatic, slot and rolling",
            ),
            row(
                "a_axis",
                Kind::Vector,
                ANY,
                "the axis in the axes of a, instead of `axis`",
            ),
            row(
                "b_axis",
                Kind::Vector,
                ANY,
                "the axis in the axes of b, instead of `axis`",
            ),
            row(
                "second_axis",
                Kind::Vector,
                ANY,
                "second axis of a universal joint at the start, world",
            ),
            row(
                "angle_rad",
                Kind::Number,
                ANY,
                "value of its angle at the start, in space (default 0)",
            ),
            row(
                "length_m",
                Kind::Number,
                POSITIVE,
                "distance: length of the rod (default: as at the start)",
            ),
            row("lead_m", Kind::Number, ANY, "screw: way per turn"),
            row(
                "radius_m",
                Kind::Number,
                ANY,
                "rolling, gear, belt: radius of the wheel b, whose centre is b's point",
            ),
            row(
                "a_radius_m",
                Kind::Number,
                ANY,
                "gear, belt: radius of the wheel a, whose centre is a's point; negative for a gear with the teeth inside (numbers of teeth serve as well)",
            ),
            row(
                "crossed",
                Kind::Switch,
                ANY,
                "belt: it is crossed, and the wheels turn in opposite directions (default false)",
            ),
            row(
                "opens_s",
                Kind::Number,
                NOT_NEGATIVE,
                "time from which on the joint is open; 0: it holds the start only",
            ),
            row(
                "closes_s",
                Kind::Number,
                NOT_NEGATIVE,
                "time from which on the joint is closed",
            ),
            row(
                "closes_when",
                Kind::Formula,
                ANY,
                "closes where this formula of outputs becomes positive",
            ),
            row(
                "opens_when",
                Kind::Formula,
                ANY,
                "opens where this formula of outputs becomes positive",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "driver",
        list: true,
        meaning: "a prescribed motion: of a joint (angle, slide or length), of a point, or of a frame",
        rows: &[
            NAME,
            row(
                "kind",
                Kind::Word(&["joint", "point", "frame"]),
                ANY,
                "what is driven: a joint (default), b's point in the axes of a, or the frame b in the world",
            ),
            JOINT,
            row(
                "motion",
                Kind::Signal,
                ANY,
                "joint: angle [rad], displacement or length [m] over time",
            ),
            A,
            B,
            A_POINT,
            B_POINT,
            row(
                "path_m",
                Kind::Signals,
                ANY,
                "point, frame: place of b's point over time",
            ),
            row(
                "turn_rad",
                Kind::TurnSignals,
                ANY,
                "frame: attitude over time: angle, or rotation vector in space (default: none)",
            ),
            row(
                "opens_s",
                Kind::Number,
                NOT_NEGATIVE,
                "time from which on it is gone; 0: it holds the start only",
            ),
            row(
                "closes_s",
                Kind::Number,
                NOT_NEGATIVE,
                "time from which on it is there",
            ),
            row(
                "closes_when",
                Kind::Formula,
                ANY,
                "begins where this formula of outputs becomes positive: a lock",
            ),
            row(
                "opens_when",
                Kind::Formula,
                ANY,
                "ends where this formula of outputs becomes positive",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "spring",
        list: true,
        meaning: "a spring and damper between two points",
        rows: &[
            NAME,
            A,
            B,
            A_POINT,
            B_POINT,
            STIFFNESS,
            row(
                "rest_length_m",
                Kind::Number,
                NOT_NEGATIVE,
                "length at which it does not pull",
            ),
            DAMPING,
            ONLY_IF,
        ],
    },
    Section {
        name: "tendon",
        list: true,
        meaning: "a cable: a spring and damper that never pushes",
        rows: &[
            NAME,
            A,
            B,
            A_POINT,
            B_POINT,
            STIFFNESS,
            row(
                "rest_length_m",
                Kind::Number,
                NOT_NEGATIVE,
                "length at which it does not pull",
            ),
            DAMPING,
            row(
                "shortening_damping_n_s_per_m",
                Kind::Number,
                NOT_NEGATIVE,
                "damping while it shortens (default: the same)",
            ),
            row(
                "over",
                Kind::Texts,
                ANY,
                "places of up to six guides that it runs over, from a to b, in straight segments",
            ),
            row(
                "guide_friction",
                Kind::Numbers,
                NOT_NEGATIVE,
                "coefficient of friction at the guides: one for all, or one each (default 0)",
            ),
            row(
                "transition_m_per_s",
                Kind::Number,
                POSITIVE,
                "speed over a guide at which its friction has three quarters of its full size (default 1e-3)",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "actuator",
        list: true,
        meaning: "a line actuator between two points: a force, a hold of their distance, or both, within a limit",
        rows: &[
            NAME,
            A,
            B,
            A_POINT,
            B_POINT,
            row(
                "force_n",
                Kind::Signal,
                ANY,
                "force over time; positive pushes the points apart",
            ),
            row(
                "target_m",
                Kind::Signal,
                ANY,
                "distance of the points that it holds",
            ),
            row(
                "stiffness_n_per_m",
                Kind::Number,
                NOT_NEGATIVE,
                "gain on the distance",
            ),
            row(
                "damping_n_s_per_m",
                Kind::Number,
                NOT_NEGATIVE,
                "gain on the rate of the distance",
            ),
            row(
                "force_limit_n",
                Kind::Number,
                POSITIVE,
                "limit of the whole force (default: none)",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "torsion_spring",
        list: true,
        meaning: "a torsion spring and damper on a joint",
        rows: &[
            NAME,
            JOINT,
            row(
                "stiffness_nm_per_rad",
                Kind::Number,
                NOT_NEGATIVE,
                "stiffness",
            ),
            row(
                "rest_angle_rad",
                Kind::Number,
                ANY,
                "angle at which it does not turn",
            ),
            row(
                "damping_nm_s_per_rad",
                Kind::Number,
                NOT_NEGATIVE,
                "damping",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "motor",
        list: true,
        meaning: "a motor on a joint: torque plus hold, within a limit",
        rows: &[
            NAME,
            JOINT,
            row("torque_nm", Kind::Signal, ANY, "torque on b"),
            row("target_rad", Kind::Signal, ANY, "angle that it holds"),
            row(
                "stiffness_nm_per_rad",
                Kind::Number,
                NOT_NEGATIVE,
                "gain on the angle",
            ),
            row(
                "damping_nm_s_per_rad",
                Kind::Number,
                NOT_NEGATIVE,
                "gain on the rate",
            ),
            row(
                "torque_limit_nm",
                Kind::Number,
                POSITIVE,
                "limit of the whole torque (default: none)",
            ),
            row(
                "torque_rate_limit_nm_per_s",
                Kind::Number,
                POSITIVE,
                "limit of the torque's rate (default: none)",
            ),
            row(
                "stall_torque_nm",
                Kind::Number,
                POSITIVE,
                "torque-speed line: torque at rest",
            ),
            row(
                "no_load_rad_per_s",
                Kind::Number,
                POSITIVE,
                "torque-speed line: rate without torque",
            ),
            row(
                "rotor_kg_m2",
                Kind::Number,
                NOT_NEGATIVE,
                "inertia of the rotor about its axis",
            ),
            row(
                "gear_ratio",
                Kind::Number,
                ANY,
                "turns of the rotor per turn of the joint (default 1)",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "friction",
        list: true,
        meaning: "friction in a revolute joint (pin of radius_m) or a slide; the load is the force of the joint at the last step",
        rows: &[
            NAME,
            JOINT,
            row(
                "law",
                Kind::Word(&["coulomb", "anderson", "brown_mcphee", "switching"]),
                ANY,
                "regularised by transition_m_per_s, or stick and slip located as events (switching)",
            ),
            row(
                "static_friction",
                Kind::Number,
                NOT_NEGATIVE,
                "coefficient at the end of sticking (default: the dynamic one)",
            ),
            row(
                "dynamic_friction",
                Kind::Number,
                NOT_NEGATIVE,
                "coefficient while sliding",
            ),
            row(
                "transition_m_per_s",
                Kind::Number,
                POSITIVE,
                "sliding speed of the largest friction, of the regularised laws",
            ),
            row(
                "radius_m",
                Kind::Number,
                POSITIVE,
                "radius of the pin of a revolute joint",
            ),
            row(
                "surface_m_per_s",
                Kind::Number,
                ANY,
                "speed of the surface on a along the joint, such as a belt (default 0)",
            ),
            row(
                "preload_n",
                Kind::Number,
                NOT_NEGATIVE,
                "load besides the force of the joint (default 0)",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "force",
        list: true,
        meaning: "a force and moment from outside",
        rows: &[
            NAME,
            ON,
            row(
                "point_m",
                Kind::Vector,
                ANY,
                "point of application in the axes of `on` (default: origin)",
            ),
            row(
                "axes",
                Kind::Word(&["world", "body"]),
                ANY,
                "axes of the components (default: world)",
            ),
            row("force_n", Kind::Signals, ANY, "components of the force"),
            row(
                "moment_nm",
                Kind::TurnSignals,
                ANY,
                "components of the moment",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "law",
        list: true,
        meaning: "a force by a formula on a coordinate",
        rows: &[
            NAME,
            COORDINATE,
            JOINT,
            A,
            B,
            A_POINT,
            B_POINT,
            DIRECTION,
            row(
                "force",
                Kind::Formula,
                ANY,
                "force [N or N·m] that makes the coordinate grow: a formula of q, rate, t and signals",
            ),
            row(
                "energy",
                Kind::Formula,
                ANY,
                "its potential [J], a formula of q, if a part of it is a spring",
            ),
            row(
                "booking",
                Kind::Word(&["work", "dissipated"]),
                ANY,
                "what its work counts as (default: work from outside)",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "stop",
        list: true,
        meaning: "an end stop or tyre: it pushes and never pulls",
        rows: &[
            NAME,
            COORDINATE,
            JOINT,
            A,
            B,
            A_POINT,
            B_POINT,
            DIRECTION,
            row(
                "acts_at_m",
                Kind::Vector,
                ANY,
                "offset: point of b, in its axes, at which it pushes (default: where it is measured)",
            ),
            row(
                "below",
                Kind::Number,
                ANY,
                "pushes up where the coordinate is below this [m or rad]",
            ),
            row(
                "above",
                Kind::Number,
                ANY,
                "pushes down where the coordinate is above this [m or rad]",
            ),
            row(
                "stiffness",
                Kind::Number,
                POSITIVE,
                "stiffness [N/m^exponent or N·m/rad^exponent]",
            ),
            row(
                "damping",
                Kind::Number,
                NOT_NEGATIVE,
                "damping [N·s/m or N·m·s/rad]",
            ),
            row(
                "exponent",
                Kind::Number,
                [1.0, 3.0],
                "exponent of the depth (default 1)",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "contact",
        list: true,
        meaning: "contact by a normal law with friction: points of b with a plane, disc, cone or rim of a; or two discs without friction",
        rows: &[
            NAME,
            row(
                "kind",
                Kind::Word(&["plane", "discs", "disc", "cone", "rim"]),
                ANY,
                "surface on a about `direction` through a's point: plane; face of a round post (disc); conical recess in a plane (cone); torus (rim); or discs around the points of a and b",
            ),
            row(
                "points",
                Kind::Texts,
                ANY,
                "places on b that touch, each with `radius_m` (default: b's point)",
            ),
            row(
                "friction",
                Kind::Word(&["none", "coulomb", "brown_mcphee"]),
                ANY,
                "friction against the sliding velocity (default none)",
            ),
            row(
                "dynamic_friction",
                Kind::Number,
                NOT_NEGATIVE,
                "coefficient while sliding",
            ),
            row(
                "static_friction",
                Kind::Number,
                NOT_NEGATIVE,
                "brown_mcphee: largest coefficient (default: the dynamic one)",
            ),
            row(
                "transition_m_per_s",
                Kind::Number,
                POSITIVE,
                "sliding speed below which friction fades (default 1e-3)",
            ),
            row(
                "half_angle_rad",
                Kind::Number,
                [1e-3, 1.56],
                "cone: angle of its wall against the axis",
            ),
            row(
                "depth_m",
                Kind::Number,
                POSITIVE,
                "cone: depth of its flat seat (default: none)",
            ),
            row(
                "edge_radius_m",
                Kind::Number,
                POSITIVE,
                "disc: rounding of its edge; cone: of its mouth; rim: radius of its tube",
            ),
            A,
            A_POINT,
            B,
            B_POINT,
            DIRECTION,
            row(
                "radius_m",
                Kind::Number,
                NOT_NEGATIVE,
                "radius of the disc or ball on b (default 0: a point)",
            ),
            row(
                "a_radius_m",
                Kind::Number,
                NOT_NEGATIVE,
                "discs, disc, rim: radius on a; cone: radius of its mouth",
            ),
            row(
                "law",
                Kind::Word(NormalLaw::WORDS),
                ANY,
                "damping: none, or from the restitution; exact delivers it (default)",
            ),
            row("stiffness", Kind::Number, POSITIVE, "K [N/mⁿ]"),
            row("exponent", Kind::Number, [1.0, 5.0], "n (default 1.5)"),
            row(
                "restitution",
                Kind::Number,
                [0.01, 1.0],
                "restitution (default 1)",
            ),
            row(
                "step_s",
                Kind::Number,
                POSITIVE,
                "step while parts touch (default: a hundredth of the step)",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "impact",
        list: true,
        meaning: "two parts that hit each other: velocities jump by momentum balance with restitution",
        rows: &[
            NAME,
            row(
                "kind",
                Kind::Word(&["plane", "discs"]),
                ANY,
                "b's point, or disc, against the plane through a's point; or two discs (spheres)",
            ),
            A,
            B,
            A_POINT,
            B_POINT,
            row(
                "direction",
                Kind::Vector,
                ANY,
                "plane: its normal, in the axes of a, on the side of b",
            ),
            row(
                "radius_m",
                Kind::Number,
                NOT_NEGATIVE,
                "radius of b (default 0: a point)",
            ),
            row(
                "a_radius_m",
                Kind::Number,
                NOT_NEGATIVE,
                "discs: radius of a (default 0)",
            ),
            row(
                "restitution",
                Kind::Number,
                [0.0, 1.0],
                "speed of parting over speed of meeting",
            ),
            ONLY_IF,
        ],
    },
    Section {
        name: "signal",
        list: true,
        meaning: "a time history; of kind input: an input of the FMU, constant in simulations of the program",
        rows: &[
            NAME,
            row("kind", Kind::Word(SIGNAL_KINDS), ANY, "kind"),
            row(
                "value",
                Kind::Number,
                ANY,
                "constant, line: value at t = 0; input: value until it is set (default 0)",
            ),
            row(
                "unit",
                Kind::Text,
                ANY,
                "input: unit, as keys end with it, e.g. \"nm\" or \"m_per_s\"",
            ),
            row("meaning", Kind::Text, ANY, "input: what it is"),
            row("slope", Kind::Number, ANY, "line: change per second"),
            row(
                "start_s",
                Kind::Number,
                ANY,
                "step, ramp, cycloid, velocity_ramp: begin (default 0)",
            ),
            row(
                "duration_s",
                Kind::Number,
                POSITIVE,
                "ramp, cycloid, velocity_ramp, chirp: duration",
            ),
            row(
                "from",
                Kind::Number,
                ANY,
                "step, ramp, cycloid, velocity_ramp: value before (default 0)",
            ),
            row("to", Kind::Number, ANY, "step, ramp, cycloid: value after"),
            row(
                "rate",
                Kind::Number,
                ANY,
                "velocity_ramp: rate that is reached",
            ),
            row(
                "offset",
                Kind::Number,
                ANY,
                "sine, chirp: mean value (default 0)",
            ),
            row("amplitude", Kind::Number, ANY, "sine, chirp: amplitude"),
            row(
                "frequency_hz",
                Kind::Number,
                NOT_NEGATIVE,
                "sine, chirp: frequency (at the start)",
            ),
            row(
                "end_frequency_hz",
                Kind::Number,
                NOT_NEGATIVE,
                "chirp: frequency at the end",
            ),
            row("phase_rad", Kind::Number, ANY, "sine: phase (default 0)"),
            row(
                "coefficients",
                Kind::Numbers,
                ANY,
                "polynomial: c0, c1, c2, … of t",
            ),
            row(
                "times_s",
                Kind::Numbers,
                ANY,
                "table: times, increasing; pieces: end of each piece but the last",
            ),
            row("values", Kind::Numbers, ANY, "table: values"),
            row(
                "interpolation",
                Kind::Word(&["linear", "cubic", "hold"]),
                ANY,
                "table: between the rows (default: cubic)",
            ),
            row("formula", Kind::Formula, ANY, "formula: of t"),
            row(
                "formulas",
                Kind::Texts,
                ANY,
                "pieces: formulas of t, one more than times",
            ),
            ONLY_IF,
        ],
    },
];

/// Keys of a parameter that is written as a table.
pub const PARAMETER: Section = Section {
    name: "parameters",
    list: false,
    meaning: "a parameter: a number or text, or a table of its value with what is known of it",
    rows: &[
        row("value", Kind::Text, ANY, "value"),
        row("min", Kind::Number, ANY, "lowest value"),
        row("max", Kind::Number, ANY, "highest value"),
        row("one_of", Kind::Texts, ANY, "allowed texts"),
        row("meaning", Kind::Text, ANY, "what it is"),
    ],
};

/// The reference of all keys in Markdown.
pub fn reference() -> String {
    let mut out = String::from(
        "# Keys of mechanism files\n\nMade by `softdock mechanism keys`; the same table checks every file.\n",
    );
    let mut add = |section: &Section, heading: String| {
        out.push_str(&format!(
            "\n## {heading}\n\n{}.\n\n| key | value | meaning |\n|---|---|---|\n",
            capital(section.meaning)
        ));
        for row in section.rows {
            let meaning = row.meaning.replace('|', "\\|");
            out.push_str(&format!(
                "| `{}` | {} | {meaning} |\n",
                row.key,
                in_words(row)
            ));
        }
    };
    add(&TOP, "The file".into());
    add(&PARAMETER, "[parameters]".into());
    for section in SECTIONS {
        let name = section.name;
        let heading = if section.list {
            format!("[[{name}]]")
        } else {
            format!("[{name}]")
        };
        add(section, heading);
    }
    out
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// What a value of this row looks like.
pub fn in_words(row: &Row) -> String {
    let range = match row.range {
        ANY => String::new(),
        NOT_NEGATIVE => ", >= 0".into(),
        POSITIVE => ", > 0".into(),
        [low, high] => format!(", {low} to {high}"),
    };
    let kind = match row.kind {
        Kind::Text => "text".to_owned(),
        Kind::Number => "number".to_owned(),
        Kind::Count => "whole number".to_owned(),
        Kind::Switch => "true, false or a condition".to_owned(),
        Kind::Word(words) => words.join(", "),
        Kind::Vector => "[x, y] or [x, y, z]".to_owned(),
        Kind::Turn => "number (plane) or [x, y, z] (space)".to_owned(),
        Kind::Numbers => "number or list of numbers".to_owned(),
        Kind::Texts => "list of texts".to_owned(),
        Kind::Signal => "number, signal or formula of t".to_owned(),
        Kind::Signals => "two (plane) or three (space) signals".to_owned(),
        Kind::TurnSignals => "one (plane) or three (space) signals".to_owned(),
        Kind::Formula => "formula".to_owned(),
    };
    kind + &range
}
