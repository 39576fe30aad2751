//! A hundred kinds of mistakes in a file that uses most tables: each is answered with the line (or that of
//! the table it stands in) and a remedy.

use softdock_mechanism::{MechanismError, describe, library};

const GOOD: &str = r#"title = "Everything"
space = "plane"
gravity_m_per_s2 = [0, "-g"]
outputs = ["crank.x_m", "pull = spring.tension_n", "crank_drive.torque_nm"]

[parameters]
g = 9.81
kind = { value = "soft", one_of = ["soft", "hard"] }
length_m = { value = 0.5, min = 0.1, max = 2 }

[derived]
half = "length_m/2"

[analysis]
duration_s = 1
step_s = 1e-3
output_step_s = 0.01
spectral_radius = 0.9

[initial]
weight = "mass"
held = ["crank"]

[[signal]]
name = "turning"
kind = "sine"
amplitude = 0.1
frequency_hz = 1

[[body]]
name = "crank"
mass_kg = 1
inertia_kg_m2 = 0.01
position_m = ["half", 0]

[[body]]
name = "slider"
mass_kg = 2
inertia_kg_m2 = 0.01
position_m = [2, 0]

[[beam]]
name = "leaf"
from_m = ["length_m", 0]
to_m = ["length_m + 1", 0]
elements = 4
shape = "rectangle"
size_m = [0.01, 0.02]
youngs_modulus_pa = 70e9
poisson_ratio = 0.3
density_kg_per_m3 = 2700

[[frame]]
name = "middle"
on = "leaf"
at_node = 2

[[mass]]
name = "tip_mass"
on = "leaf.end"
mass_kg = 0.1

[[joint]]
name = "pivot"
kind = "revolute"
a = "ground"
b = "crank"
b_point_m = ["-half", 0]

[[joint]]
name = "root"
kind = "revolute"
a = "crank"
b = "leaf.start"
at_m = ["length_m", 0]

[[joint]]
name = "rail"
kind = "prismatic"
a = "ground"
b = "slider"
axis = [1, 0]

[[driver]]
name = "crank_drive"
joint = "pivot"
motion = "turning"

[[spring]]
name = "spring"
a = "leaf.end"
b = "slider"
stiffness_n_per_m = 100
rest_length_m = 0.5

[[torsion_spring]]
name = "coil"
joint = "root"
stiffness_nm_per_rad = 1

[[motor]]
name = "drive"
joint = "root"
torque_nm = "0.1*sin(t)"

[[force]]
name = "push"
on = "slider"
force_n = [1, 0]

[[law]]
name = "drag"
coordinate = "offset"
a = "ground"
b = "slider"
direction = [1, 0]
force = "-2*rate"

[[stop]]
name = "end"
coordinate = "offset"
a = "ground"
b = "slider"
direction = [1, 0]
below = -5
stiffness = 1000

[[friction]]
name = "rubbing"
joint = "rail"
law = "coulomb"
dynamic_friction = 0.1
transition_m_per_s = 1e-3

[[impact]]
name = "hit"
kind = "plane"
a = "ground"
b = "slider"
direction = [-1, 0]
restitution = 0.5
a_point_m = [9, 0]

[[contact]]
name = "touch"
kind = "plane"
a = "ground"
b = "slider"
direction = [1, 0]
stiffness = 1e6
a_point_m = [-9, 0]

[[reduced]]
name = "small"
only_if = "kind == 'hard'"
beams = ["leaf"]
interfaces = ["leaf.start", "leaf.end"]
modes = 2
"#;

/// What is replaced by what, and a word of the complaint.
const MISTAKES: &[(&str, &str, &str)] = &[
    ("space = \"plane\"", "space = \"flat\"", "plane"),
    ("space = \"plane\"", "space = 2", "space"),
    (
        "gravity_m_per_s2 = [0, \"-g\"]",
        "gravity_m_per_s2 = [0, 0, 1]",
        "2 numbers",
    ),
    (
        "gravity_m_per_s2 = [0, \"-g\"]",
        "gravity_m_per_s2 = [0, \"-gg\"]",
        "g",
    ),
    (
        "gravity_m_per_s2 = [0, \"-g\"]",
        "gravity = [0, 1]",
        "gravity_m_per_s2",
    ),
    ("\"crank.x_m\"", "\"crank.x\"", "x_m"),
    ("\"crank.x_m\"", "\"crunk.x_m\"", "crank"),
    ("\"crank.x_m\"", "\"crank.x_m +\"", "line"),
    ("\"crank.x_m\"", "\"sin(crank.x_m\"", "line"),
    (
        "pull = spring.tension_n",
        "pull = spring.tension",
        "tension_n",
    ),
    ("\"crank_drive.torque_nm\"", "\"crank.x_m\"", "twice"),
    ("g = 9.81", "g = [1, 2]", "number or a text"),
    ("value = \"soft\"", "value = \"softer\"", "soft, hard"),
    ("value = 0.5, min", "value = 5, min", "<= 2"),
    ("value = 0.5, min", "wert = 0.5, min", "value"),
    ("half = \"length_m/2\"", "half = \"lenght_m/2\"", "length_m"),
    ("half = \"length_m/2\"", "g = \"length_m/2\"", "already"),
    ("half = \"length_m/2\"", "half = \"length_m/0\"", "finite"),
    ("duration_s = 1", "duration_s = -1", "> 0"),
    ("duration_s = 1", "duration = 1", "duration_s"),
    ("step_s = 1e-3\n", "step_s = 0\n", "> 0"),
    ("spectral_radius = 0.9", "spectral_radius = 1.5", "1"),
    (
        "spectral_radius = 0.9",
        "spectral_radius = \"high\"",
        "high",
    ),
    ("weight = \"mass\"", "weight = \"heavy\"", "mass"),
    ("held = [\"crank\"]", "held = [\"crunk\"]", "crunk"),
    ("held = [\"crank\"]", "held = \"crank\"", "held"),
    ("kind = \"sine\"", "kind = \"sinus\"", "sine"),
    ("kind = \"sine\"", "", "kind"),
    ("amplitude = 0.1", "amplitude = \"a\"", "a"),
    ("frequency_hz = 1\n", "frequency = 1\n", "frequency_hz"),
    ("name = \"crank\"", "name = \"the crank\"", "letters"),
    ("name = \"crank\"", "name = \"ground\"", "world"),
    ("name = \"crank\"", "", "name"),
    ("mass_kg = 1\n", "mass_kg = -1\n", ">= 0"),
    ("mass_kg = 1\n", "mass = 1\n", "mass_kg"),
    (
        "inertia_kg_m2 = 0.01\nposition_m = [\"half\"",
        "inertia_kg_m2 = [1, 2, 3]\nposition_m = [\"half\"",
        "one number",
    ),
    (
        "inertia_kg_m2 = 0.01\nposition_m = [\"half\"",
        "inertia_kg_m2 = -1\nposition_m = [\"half\"",
        "negative",
    ),
    (
        "position_m = [\"half\", 0]",
        "position_m = \"half\"",
        "position_m",
    ),
    ("position_m = [\"half\", 0]", "", "position_m"),
    ("position_m = [2, 0]", "position_m = [2, 0, 0]", "2 numbers"),
    (
        "from_m = [\"length_m\", 0]",
        "from_m = [\"length_m + 1\", 0]",
        "begins where it ends",
    ),
    ("to_m = [\"length_m + 1\", 0]", "", "to_m"),
    ("elements = 4", "elements = 0", "1"),
    ("elements = 4", "elements = 2.5", "whole"),
    ("shape = \"rectangle\"", "shape = \"square\"", "rectangle"),
    ("shape = \"rectangle\"", "shape = \"circle\"", "radius_m"),
    (
        "shape = \"rectangle\"",
        "shape = \"given\"",
        "bending_stiffness",
    ),
    ("size_m = [0.01, 0.02]", "size_m = [0.01]", "two sizes"),
    ("size_m = [0.01, 0.02]", "size_m = [0.01, -0.02]", "> 0"),
    ("youngs_modulus_pa = 70e9", "", "youngs_modulus_pa"),
    ("poisson_ratio = 0.3", "", "shear"),
    ("poisson_ratio = 0.3", "poisson_ratio = 0.7", "0.5"),
    (
        "poisson_ratio = 0.3",
        "poisson_ratio = 0.3\nshear_modulus_pa = 1e9",
        "one of them",
    ),
    (
        "density_kg_per_m3 = 2700",
        "density = 2700",
        "density_kg_per_m3",
    ),
    ("on = \"leaf\"\n", "on = \"crank\"\n", "beam"),
    ("at_node = 2", "at_node = 9", "0 to 4"),
    ("on = \"leaf.end\"", "on = \"leaf.tip\"", "leaf.start"),
    ("on = \"leaf.end\"", "on = \"ground\"", "ground"),
    (
        "kind = \"revolute\"\na = \"ground\"",
        "kind = \"hinge\"\na = \"ground\"",
        "revolute",
    ),
    (
        "kind = \"revolute\"\na = \"ground\"",
        "kind = \"universal\"\na = \"ground\"",
        "space",
    ),
    (
        "kind = \"revolute\"\na = \"ground\"",
        "kind = \"screw\"\na = \"ground\"",
        "space",
    ),
    ("b = \"crank\"\n", "b = \"ground\"\n", "two different"),
    ("b = \"crank\"\n", "b = \"krank\"\n", "crank"),
    (
        "b = \"crank\"\n",
        "b = \"crank\"\nat_m = [0, 0]\n",
        "not both",
    ),
    (
        "b_point_m = [\"-half\", 0]",
        "b_point_m = [\"-half\"]",
        "2 numbers",
    ),
    ("b = \"leaf.start\"\n", "b = \"leaf\"\n", "leaf.end"),
    ("axis = [1, 0]", "axis = [0, 0]", "length"),
    ("axis = [1, 0]", "a_axis = [1, 0]", "both"),
    ("axis = [1, 0]", "axes = [1, 0]", "axis"),
    ("joint = \"pivot\"", "joint = \"pivots\"", "pivot"),
    ("joint = \"pivot\"", "joint = \"crank\"", "joints"),
    ("motion = \"turning\"", "", "motion"),
    ("motion = \"turning\"", "motion = \"turn\"", "turning"),
    ("motion = \"turning\"", "motion = \"sin(q)\"", "q"),
    (
        "a = \"leaf.end\"\nb = \"slider\"",
        "a = \"slider\"\nb = \"slider\"",
        "two bodies",
    ),
    (
        "stiffness_n_per_m = 100",
        "stiffness_n_per_m = -100",
        ">= 0",
    ),
    (
        "stiffness_n_per_m = 100",
        "stiffness = 100",
        "stiffness_n_per_m",
    ),
    ("rest_length_m = 0.5", "", "rest_length_m"),
    (
        "joint = \"root\"\nstiffness_nm_per_rad = 1",
        "joint = \"rail\"\nstiffness_nm_per_rad = 1",
        "revolute",
    ),
    ("torque_nm = \"0.1*sin(t)\"", "", "torque_nm"),
    ("torque_nm = \"0.1*sin(t)\"", "target_rad = 0", "gains"),
    (
        "torque_nm = \"0.1*sin(t)\"",
        "torque_nm = \"0.1*sinn(t)\"",
        "sin",
    ),
    (
        "torque_nm = \"0.1*sin(t)\"",
        "torque_nm = 1\nstall_torque_nm = 2",
        "no_load",
    ),
    ("force_n = [1, 0]", "force_n = [1, 0, 0]", "2 signals"),
    (
        "on = \"slider\"\nforce_n",
        "on = \"ground\"\nforce_n",
        "ground",
    ),
    (
        "coordinate = \"offset\"\na = \"ground\"\nb = \"slider\"\ndirection = [1, 0]\nforce",
        "coordinate = \"place\"\na = \"ground\"\nb = \"slider\"\ndirection = [1, 0]\nforce",
        "offset",
    ),
    ("direction = [1, 0]\nforce", "force", "direction"),
    (
        "direction = [1, 0]\nforce",
        "direction = [0, 0]\nforce",
        "length",
    ),
    ("force = \"-2*rate\"", "force = \"-2*speed\"", "speed"),
    ("force = \"-2*rate\"", "", "force"),
    ("force = \"-2*rate\"", "force = -2", "force"),
    ("below = -5", "", "one end"),
    ("below = -5", "below = -5\nabove = 5", "one"),
    ("stiffness = 1000", "stiffness = 0", "stiffness"),
    ("joint = \"rail\"\nlaw", "joint = \"root\"\nlaw", "radius_m"),
    ("law = \"coulomb\"", "law = \"dry\"", "coulomb"),
    (
        "dynamic_friction = 0.1",
        "dynamic_friction = 0.1\nstatic_friction = 0.05",
        "larger",
    ),
    ("transition_m_per_s = 1e-3", "", "transition_m_per_s"),
    ("restitution = 0.5", "restitution = 1.5", "1"),
    ("restitution = 0.5", "", "restitution"),
    ("direction = [-1, 0]", "direction = [0, 0]", "length"),
    ("stiffness = 1e6", "", "stiffness"),
    (
        "kind = \"plane\"\na = \"ground\"\nb = \"slider\"\ndirection = [1, 0]",
        "kind = \"discs\"\na = \"ground\"\nb = \"slider\"",
        "radius_m",
    ),
    (
        "only_if = \"kind == 'hard'\"",
        "only_if = \"kind = 'hard'\"",
        "line",
    ),
    (
        "only_if = \"kind == 'hard'\"\nbeams = [\"leaf\"]",
        "beams = [\"leav\"]",
        "leaf",
    ),
    (
        "only_if = \"kind == 'hard'\"\nbeams = [\"leaf\"]\ninterfaces = [\"leaf.start\", \"leaf.end\"]",
        "beams = [\"leaf\"]\ninterfaces = [\"leaf.end\"]",
        "root",
    ),
    ("[[reduced]]", "[reduced]", "[[reduced]]"),
    ("[[spring]]", "[[springs]]", "spring"),
    ("[analysis]", "[[analysis]]", "[analysis]"),
    ("title = \"Everything\"", "title = Everything", "TOML"),
    (
        "title = \"Everything\"",
        "title = \"Everything\"\ntitle = \"Again\"",
        "TOML",
    ),
    (
        "title = \"Everything\"",
        "extends = \"nothing-like-it\"",
        "nothing-like-it",
    ),
];

/// The lines at which a complaint may stand: those replaced, and the first of their table.
fn lines(from: &str) -> (usize, usize) {
    let at = GOOD
        .find(from)
        .unwrap_or_else(|| panic!("{from} is not in the file"));
    let count = |text: &str| text.matches('\n').count();
    let first = GOOD[..at].rfind("\n[").map_or(0, |i| count(&GOOD[..i + 1]));
    (
        first + 1,
        count(&GOOD[..at]) + 1 + count(from.trim_end()) + 1,
    )
}

#[test]
fn the_file_itself_is_fine() {
    describe("all.toml", GOOD, &[], &library::find).unwrap();
}

#[test]
fn a_hundred_kinds_of_mistakes_are_answered_with_line_and_remedy() {
    assert!(MISTAKES.len() >= 100, "{}", MISTAKES.len());
    let mut silent = Vec::new();
    for (from, to, word) in MISTAKES {
        let (first, last) = lines(from);
        let text = GOOD.replacen(from, to, 1);
        match describe("all.toml", &text, &[], &library::find) {
            Err(MechanismError::Text {
                line,
                problem,
                remedy,
                ..
            }) => {
                let said = format!("line {line}: {problem}; {remedy}");
                if !said.contains(word) || remedy.is_empty() || !(first..=last).contains(&line) {
                    silent.push(format!("{to:?} ({first} to {last}): {said}"));
                }
            }
            other => silent.push(format!("{to:?}: {:?}", other.map(|_| "accepted"))),
        }
    }
    assert!(
        silent.is_empty(),
        "{} of {}:\n{}",
        silent.len(),
        MISTAKES.len(),
        silent.join("\n")
    );
}
