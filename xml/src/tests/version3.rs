//! Descriptions of FMI 3.0 as others write them.

use crate::version3::{Kind3, Version3};
use crate::*;

fn description(variables: &str, structure: &str) -> String {
    format!(
        r#"<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0-rc.1" modelName="M" instantiationToken="t">
<CoSimulation modelIdentifier="m" hasEventMode="true" canGetAndSetFMUState="1"/>
<UnitDefinitions><Unit name="s"><DisplayUnit name="Hz" inverse="true"/></Unit></UnitDefinitions>
<TypeDefinitions><Float64Type name="T" min="-1"/><EnumerationType name="E"><Item name="a" value="1"/></EnumerationType><ClockType name="C" intervalVariability="fixed"/></TypeDefinitions>
<ModelVariables>{variables}</ModelVariables>
<ModelStructure>{structure}</ModelStructure></fmiModelDescription>"#
    )
}

fn read(variables: &str, structure: &str) -> Result<Version3, Error> {
    Version3::from_xml(description(variables, structure).as_bytes())
}

#[test]
fn arrays_become_scalar_variables_row_by_row() {
    let found = read(
        r#"<Clock name="c" valueReference="1" causality="input" intervalVariability="triggered"/>
<UInt64 name="n" valueReference="2" causality="structuralParameter" start="2"/>
<Float64 name="a" valueReference="3" causality="parameter" declaredType="T" start="1 2 3 4 5 6">
  <Dimension valueReference="2"/><Dimension start="3"/></Float64>
<Float32 name="x" valueReference="4" causality="output"><Dimension valueReference="2"/>
  <Alias name="other" description="the same"/></Float32>
<Float64 name="der" valueReference="5" derivative="4"><Dimension start="2"/></Float64>
<Int64 name="big" valueReference="6" causality="input" min="-9223372036854775808" max="7" start="-1"/>
<String name="s" valueReference="7" causality="parameter"><Dimension start="2"/><Start value="p"/><Start value="q r"/></String>
<Binary name="b" valueReference="8" causality="input"><Start value="00"/></Binary>
<Enumeration name="e" valueReference="9" causality="input" declaredType="E" start="1"/>"#,
        r#"<Output valueReference="4" dependencies="6 1 3" dependenciesKind="constant fixed dependent"/>
<ContinuousStateDerivative valueReference="5"/><EventIndicator valueReference="5"/>
<InitialUnknown valueReference="4" dependencies=""/>"#,
    )
    .unwrap();
    let it = &found.description;
    let names: Vec<&str> = it
        .model_variables
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    let expected = "n a[1,1] a[1,2] a[1,3] a[2,1] a[2,2] a[2,3] x[1] x[2] other[1] other[2] der[1] \
                    der[2] big s[1] s[2] b e";
    assert_eq!(names.join(" "), expected);
    let of = |name: &str| it.variable(name).unwrap().1;
    let place = |name: &str| found.places[of(name).value_reference as usize];
    assert_eq!(place("a[2,1]").element, 3);
    assert_eq!((place("a[2,1]").variable, place("a[2,1]").count), (3, 6));
    assert_eq!(place("other[2]"), place("x[2]"));
    assert_eq!(place("x[2]").kind, Kind3::Float32);
    assert!(place("n").structural && !place("a[1,1]").structural);
    assert!(matches!(&of("a[2,3]").variable_type, VariableType::Real(it) if it.start == Some(6.0)));
    assert!(matches!(&of("s[2]").variable_type, VariableType::String(it)
        if it.start.as_deref() == Some("q r")));
    assert!(
        matches!(&of("der[2]").variable_type, VariableType::Real(it) if it.derivative == Some(9))
    );
    let VariableType::Integer(big) = &of("big").variable_type else {
        panic!("{:?}", of("big"));
    };
    // Limits that the carried numbers cannot reach are none.
    assert_eq!(
        (big.attributes.min, big.attributes.max, big.start),
        (None, Some(7), Some(-1))
    );
    assert_eq!(of("b").variability, Some(Variability::Discrete));
    assert_eq!(of("n").variability, Some(Variability::Fixed));
    let [one, two] = &it.model_structure.outputs[..] else {
        panic!("{:?}", it.model_structure.outputs);
    };
    assert_eq!((one.index, two.index), (8, 9));
    // The clock is not there; the matrix comes first.
    assert_eq!(one.dependencies, Some(vec![2, 3, 4, 5, 6, 7, 14]));
    assert_eq!(one.dependencies_kind.as_ref().map(Vec::len), Some(7));
    assert_eq!(
        one.dependencies_kind.as_ref().unwrap()[6],
        DependencyKind::Constant
    );
    assert_eq!(
        it.model_structure.initial_unknowns[1].dependencies,
        Some(Vec::new())
    );
    assert_eq!(found.abilities, ["hasEventMode"]);
    assert!(it.unit_definitions[0].display_units.is_empty());
    assert_eq!(it.type_definitions.len(), 2);
}

#[test]
fn what_cannot_be_flattened_is_refused_with_its_name() {
    let array = |inside: &str, start: &str| {
        format!(r#"<Float64 name="a" valueReference="3"{start}>{inside}</Float64>"#)
    };
    let huge = r#"<Dimension start="4000000000"/><Dimension start="4000000000"/>"#;
    let absent = r#"<Dimension valueReference="9"/>"#;
    let negative =
        r#"<Int64 name="n" valueReference="9" causality="structuralParameter" start="-1"/>"#;
    for (variables, expected) in [
        (array(huge, ""), "more than 1000000 elements"),
        (
            array(r#"<Dimension start="1000001"/>"#, ""),
            "more than 1000000 elements",
        ),
        (
            array(absent, ""),
            "its size is the variable of value reference 9",
        ),
        (
            negative.to_owned() + &array(absent, ""),
            "its size is the variable of value reference 9",
        ),
        (
            array(r#"<Dimension start="2"/>"#, r#" start="1 2 3""#),
            "has 3 start values for 2 elements",
        ),
        (
            array("", "") + &array("", ""),
            "its value reference 3 is that of another variable",
        ),
        (
            r#"<UInt64 name="u" valueReference="1" start="4294967296"/>"#.to_owned(),
            "beyond integers of 32 bits",
        ),
        (
            r#"<Int8 name="u" valueReference="1" start="1.5"/>"#.to_owned(),
            "a whole number",
        ),
        (
            r#"<Int8 name="u" start="1"/>"#.to_owned(),
            "lacks its attribute valueReference",
        ),
    ] {
        let message = read(&variables, "").unwrap_err().to_string();
        assert!(message.contains(expected), "{variables}: {message}");
    }
    let wide = r#"<Dimension start="10000"/>"#;
    let message = read(
        &array(wide, "").replace("\"a\"", &format!("\"{}\"", "a".repeat(30_000))),
        "",
    );
    assert!(message.unwrap_err().to_string().contains("bytes of names"));
    let structure = r#"<Output valueReference="3" dependencies="3"/>"#;
    let message = read(&array(wide, ""), structure).unwrap_err().to_string();
    assert!(
        message.contains("unknown of value reference 3"),
        "{message}"
    );
    let two = Version3::from_xml(super::sample::smallest().to_xml().unwrap().as_bytes());
    assert!(matches!(two, Err(Error::UnsupportedVersion { .. })));
}

/// Sizes are looked up, not searched for: as many arrays as a hostile file can hold, each sized by the
/// last variable, once took minutes.
#[test]
fn a_hundred_thousand_arrays_sized_by_one_variable_are_read_at_once() {
    let array = |i: u32| {
        format!(r#"<Int8 name="a{i}" valueReference="{i}"><Dimension valueReference="0"/></Int8>"#)
    };
    let mut variables: String = (1..=100_000).map(array).collect();
    variables += r#"<Int8 name="n" valueReference="0" causality="structuralParameter" start="1"/>"#;
    let found = read(&variables, "").unwrap();
    assert_eq!(found.description.model_variables.len(), 100_001);
}
