//! Wrong files are refused with line and remedy.

use softdock_mechanism::{MechanismError, describe, library};

const GOOD: &str = r#"
space = "plane"
outputs = ["bob.x_m"]

[parameters]
length_m = { value = 0.5, min = 0.1, max = 2 }

[[body]]
name = "bob"
mass_kg = 1
inertia_kg_m2 = 0.01
position_m = ["length_m", 0]

[[joint]]
name = "pivot"
kind = "revolute"
a = "ground"
b = "bob"
b_point_m = ["-length_m", 0]
"#;

fn message(text: &str) -> Option<(usize, String)> {
    match describe("test.toml", text, &[], &library::find) {
        Ok(_) => None,
        Err(MechanismError::Text {
            line,
            problem,
            remedy,
            ..
        }) => {
            assert!(!remedy.is_empty());
            Some((line, format!("{problem}; {remedy}")))
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn mistakes_are_answered_with_line_and_remedy() {
    assert_eq!(message(GOOD), None);
    // What is replaced by what, the line of the complaint, and a word of it.
    let cases = [
        ("space = \"plane\"", "", 1, "space"),
        ("space = \"plane\"", "space = \"plan\"", 2, "plane"),
        ("mass_kg = 1", "mas_kg = 1", 10, "mass_kg"),
        ("mass_kg = 1", "mass_kg = -1", 10, ">= 0"),
        ("mass_kg = 1", "mass_kg = \"one\"", 10, "one"),
        ("mass_kg = 1", "mass_kg = [1]", 10, "number"),
        ("mass_kg = 1", "mass_kg = \"1/0\"", 10, "finite"),
        ("mass_kg = 1", "", 9, "mass_kg"),
        ("[[body]]", "[[boddy]]", 8, "body"),
        ("[[body]]", "[body]", 8, "[[body]]"),
        ("kind = \"revolute\"", "kind = \"revolut\"", 16, "revolute"),
        ("kind = \"revolute\"", "kind = \"universal\"", 16, "space"),
        ("b = \"bob\"", "b = \"bib\"", 18, "bob"),
        ("b = \"bob\"", "b = \"ground\"", 15, "two different"),
        ("name = \"pivot\"", "name = \"bob\"", 15, "taken"),
        ("name = \"pivot\"", "name = \"a b\"", 15, "letters"),
        ("[\"length_m\", 0]", "[\"length_m\"]", 12, "2 numbers"),
        ("[\"length_m\", 0]", "[\"lenght_m\", 0]", 12, "length_m"),
        ("\"bob.x_m\"", "\"bob.z_m\"", 3, "x_m"),
        ("\"bob.x_m\"", "\"bib.x_m\"", 3, "bob"),
        ("\"bob.x_m\"", "\"bob.x_m\", \"bob.x_m\"", 3, "twice"),
        ("value = 0.5", "value = 5", 6, "<= 2"),
        ("mass_kg = 1", "mass_kg = = 1", 10, "TOML"),
        ("mass_kg = 1", "mass_kg = 1979-05-27", 10, "dates"),
        (
            "inertia_kg_m2 = 0.01",
            "inertia_kg_m2 = [1, 2]",
            11,
            "one number",
        ),
        ("inertia_kg_m2 = 0.01", "inertia_kg_m2 = -1", 11, "negative"),
    ];
    for (from, to, line, word) in cases {
        assert!(GOOD.contains(from), "{from}");
        let text = GOOD.replacen(from, to, 1);
        let (at, said) = message(&text).unwrap_or_else(|| panic!("{to} was accepted"));
        assert!(said.contains(word), "{to}: {said}");
        assert_eq!(at, line, "{to}: {said}");
    }
}

#[test]
fn settings_that_are_not_there_are_refused() {
    for (key, value) in [
        ("parameters.lenght_m", "1"),
        ("parameters.length_m", "one"),
        ("body.mass_kg", "1"),
    ] {
        let settings = [(key.to_owned(), value.to_owned())];
        assert!(
            describe("test.toml", GOOD, &settings, &library::find).is_err(),
            "{key}"
        );
    }
    let settings = [("parameters.length_m".to_owned(), "1.5".to_owned())];
    let read = describe("test.toml", GOOD, &settings, &library::find).unwrap();
    assert_eq!(read.bodies[0].pose.position.x, 1.5);
}

#[test]
fn a_file_of_a_thousand_bodies_is_read() {
    let mut text = String::from("space = \"plane\"\noutputs = [\"b999.x_m\"]\n");
    for i in 0..1000 {
        let before = if i == 0 {
            "ground".to_owned()
        } else {
            format!("b{}", i - 1)
        };
        text.push_str(&format!(
            "[[body]]\nname = \"b{i}\"\nmass_kg = 1\ninertia_kg_m2 = 0.1\nposition_m = [{i}.5, 0]\n\
             [[joint]]\nname = \"j{i}\"\nkind = \"revolute\"\na = \"{before}\"\nb = \"b{i}\"\nat_m = [{i}, 0]\n"
        ));
    }
    let read = describe("chain.toml", &text, &[], &library::find).unwrap();
    assert_eq!((read.bodies.len(), read.joints.len()), (1000, 1000));
    let check = softdock_mechanism::analysis::check(&read).unwrap();
    assert_eq!(check.degrees_of_freedom, 1000);
}
