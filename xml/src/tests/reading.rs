//! Reading what others write, and naming what is wrong with it.

use super::sample;
use crate::*;

/// A description as another tool might write it: order, spacing, spelling and additions that ours
/// never has.
const FOREIGN: &str = r#"<?xml version='1.0' encoding="utf-8" standalone="no" ?>
<!DOCTYPE fmiModelDescription>
<!-- written by hand -->
<fmiModelDescription xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    guid = 'abc' modelName="Foreign.Model" fmiVersion="2.0" numberOfEventIndicators=" 2 ">
  <ModelStructure>
    <InitialUnknowns><Unknown index="2" dependencies=" 1
      3 " dependenciesKind="dependent  constant"></Unknown></InitialUnknowns>
    <Outputs><Unknown index="2"/></Outputs>
    <Novelty><Unknown index="nonsense"/></Novelty>
  </ModelStructure>
  <VendorAnnotations>
    <Tool name="x"><deep><ScalarVariable name="no"><deeper a="1"/></ScalarVariable>text &amp; more
      <![CDATA[</deep>]]></deep></Tool>
  </VendorAnnotations>
  <ModelVariables>
    <ScalarVariable name="u" valueReference="0" causality="input" vendorAttribute="1">
      <Annotations><Tool name="t"><Real start="nonsense"/></Tool></Annotations>
      <Real start="+1.5E+00" unbounded="0" relativeQuantity="1"/>
    </ScalarVariable>
    <ScalarVariable valueReference="4294967295" name="y"><Real/><!-- default --></ScalarVariable>
    <ScalarVariable name="e" valueReference="1" causality="parameter" variability="fixed">
      <Enumeration declaredType="E" start="-1"/>
    </ScalarVariable>
  </ModelVariables>
  <TypeDefinitions>
    <SimpleType name="E"><Enumeration><Item name="a" value="-1"/></Enumeration></SimpleType>
    <SimpleType name="B" description=""><Boolean/></SimpleType>
  </TypeDefinitions>
  <CoSimulation modelIdentifier="cs" canGetAndSetFMUstate="1"/>
  <ModelExchange modelIdentifier="me" completedIntegratorStepNotNeeded="true"><SourceFiles>
    <File name="a.c"/></SourceFiles></ModelExchange>
</fmiModelDescription>
<?done?>
"#;

#[test]
fn a_foreign_description_is_understood() {
    let description: ModelDescription = FOREIGN.parse().unwrap();
    assert_eq!(description.guid, "abc");
    assert_eq!(
        description.variable_naming_convention,
        NamingConvention::Flat
    );
    assert_eq!(description.number_of_event_indicators, Some(2));
    let exchange = description.model_exchange.as_ref().unwrap();
    assert_eq!(exchange.model_identifier, "me");
    assert!(exchange.completed_integrator_step_not_needed);
    assert_eq!(exchange.source_files, ["a.c"]);
    assert!(
        description
            .co_simulation
            .as_ref()
            .unwrap()
            .can_get_and_set_fmu_state
    );
    assert_eq!(description.type_definitions.len(), 2);
    assert_eq!(
        description.type_definitions[1].description.as_deref(),
        Some("")
    );

    let names: Vec<&str> = description
        .model_variables
        .iter()
        .map(|v| v.name.as_str())
        .collect();
    assert_eq!(names, ["u", "y", "e"]);
    assert_eq!(description.variable("y").unwrap().0, 2);
    let VariableType::Real(input) = &description.model_variables[0].variable_type else {
        panic!("u is a real")
    };
    assert_eq!(input.start, Some(1.5));
    assert_eq!(input.attributes.unbounded, Some(false));
    assert_eq!(input.attributes.relative_quantity, Some(true));
    let output = &description.model_variables[1];
    assert_eq!(
        (output.causality, output.variability),
        (Causality::Local, None)
    );
    assert_eq!(output.value_reference, u32::MAX);

    let unknown = &description.model_structure.initial_unknowns[0];
    assert_eq!(unknown.dependencies.as_deref(), Some(&[1, 3][..]));
    assert_eq!(
        unknown.dependencies_kind.as_deref(),
        Some(&[DependencyKind::Dependent, DependencyKind::Constant][..])
    );
    assert_eq!(description.model_structure.outputs[0].dependencies, None);
}

#[test]
fn byte_order_mark_and_latin_1_are_read() {
    let xml = sample::full().to_xml().unwrap();
    let marked = [b"\xef\xbb\xbf", xml.as_bytes()].concat();
    assert_eq!(ModelDescription::from_xml(&marked).unwrap(), sample::full());

    let latin1: Vec<u8> = xml
        .replace("UTF-8", "ISO-8859-1")
        .chars()
        .map(|character| u8::try_from(character).unwrap())
        .collect();
    assert_eq!(ModelDescription::from_xml(&latin1).unwrap(), sample::full());
}

#[test]
fn other_encodings_are_refused() {
    let error = ModelDescription::from_xml(b"\xff\xfe<\0?\0").unwrap_err();
    assert!(
        matches!(error, Error::UnsupportedEncoding { encoding: "UTF-16" }),
        "{error}"
    );
    let error = ModelDescription::from_xml(b"<a>\n \xff</a>").unwrap_err();
    assert!(
        matches!(
            error,
            Error::NotUtf8 {
                position: Position { line: 2, column: 2 }
            }
        ),
        "{error}"
    );
}

/// The error of reading the smallest description with one text replaced.
fn error_after(from: &str, to: &str) -> Error {
    let xml = sample::smallest().to_xml().unwrap();
    assert!(xml.contains(from), "{from} is not in {xml}");
    let changed = xml.replacen(from, to, 1);
    ModelDescription::from_xml(changed.as_bytes()).unwrap_err()
}

#[test]
fn missing_attributes_are_named_with_their_place() {
    let error = error_after(" valueReference=\"0\"", "");
    assert!(
        matches!(
            &error,
            Error::MissingAttribute {
                element,
                attribute: "valueReference",
                position: Position { line: 5, column: 5 },
            } if element == "ScalarVariable"
        ),
        "{error}"
    );
    assert_eq!(
        error.to_string(),
        "<ScalarVariable> at line 5, column 5 lacks its attribute valueReference"
    );
    for (text, missing) in [
        (" guid=\"\"", "guid"),
        (" modelName=\"Smallest\"", "modelName"),
        (" fmiVersion=\"2.0\"", "fmiVersion"),
        (" modelIdentifier=\"Smallest\"", "modelIdentifier"),
        (" name=\"y\"", "name"),
        (" index=\"1\"", "index"),
    ] {
        let error = error_after(text, "");
        assert!(
            matches!(error, Error::MissingAttribute { attribute, .. } if attribute == missing),
            "{error}"
        );
    }
}

#[test]
fn wrong_values_are_named_with_their_place() {
    let error = error_after("<Real/>", "<Real start=\"1,5\"/>");
    assert_eq!(
        error.to_string(),
        "attribute start=\"1,5\" of <Real> at line 6, column 7: expected a number"
    );
    for (from, to, wrong) in [
        ("<Real/>", "<Real derivative=\"-1\"/>", "derivative"),
        ("<Real/>", "<Real unbounded=\"yes\"/>", "unbounded"),
        ("<Real/>", "<Real min=\"\"/>", "min"),
        ("<Real/>", "<Integer start=\"1.0\"/>", "start"),
        ("<Real/>", "<Integer start=\"2147483648\"/>", "start"),
        ("<Real/>", "<Boolean start=\"True\"/>", "start"),
        ("\"output\"", "\"Output\"", "causality"),
        ("\"continuous\"", "\"\"", "variability"),
        (
            "valueReference=\"0\"",
            "valueReference=\"4294967296\"",
            "valueReference",
        ),
        ("dependencies=\"\"", "dependencies=\"1,2\"", "dependencies"),
        (
            "dependencies=\"\"",
            "dependencies=\"1\" dependenciesKind=\"linear\"",
            "dependenciesKind",
        ),
        ("\"flat\"", "\"modelica\"", "variableNamingConvention"),
    ] {
        let error = error_after(from, to);
        assert!(
            matches!(error, Error::BadValue { attribute, .. } if attribute == wrong),
            "{error}"
        );
    }
}

#[test]
fn missing_elements_are_named() {
    let xml = sample::smallest().to_xml().unwrap();
    for (name, without) in [
        (
            "CoSimulation or ModelExchange",
            xml.replace("CoSimulation", "Simulation"),
        ),
        ("ModelVariables", xml.replace("ModelVariables", "Variables")),
        ("ModelStructure", xml.replace("ModelStructure", "Structure")),
        (
            "Real, Integer, Boolean, String or Enumeration",
            xml.replace("<Real/>", "<Complex/>"),
        ),
    ] {
        let error = ModelDescription::from_xml(without.as_bytes()).unwrap_err();
        assert!(
            matches!(error, Error::MissingElement { element, .. } if element == name),
            "{error}"
        );
    }
}

#[test]
fn malformed_documents_are_refused_with_their_place() {
    for (from, to) in [
        ("<Real/>", "<Real>"),
        ("<Real/>", "<Real start=1/>"),
        ("<Real/>", "<Real start/>"),
        ("<Real/>", "<Real start=\"1\" start=\"2\"/>"),
        ("<Real/>", "<Real quantity=\"&nothing;\"/>"),
        ("<Real/>", "<Real quantity=\"&#xD800;\"/>"),
        ("</ScalarVariable>", "</ScalarVarible>"),
        ("<Real/>", "<![CDATA[ <Real/>"),
    ] {
        let error = error_after(from, to);
        assert!(matches!(error, Error::Malformed { .. }), "{to}: {error:?}");
        assert!(std::error::Error::source(&error).is_some());
    }
    let error = error_after("<Real/>", "<Real start=\"1\" start=\"2\"/>");
    assert_eq!(
        error.to_string(),
        "malformed XML in <Real> at line 6, column 7"
    );
}

#[test]
fn a_document_cut_short_is_refused_wherever_it_is_cut() {
    let xml = sample::full().to_xml().unwrap();
    let whole = xml.trim_end().len();
    for length in 0..whole {
        assert!(
            ModelDescription::from_xml(&xml.as_bytes()[..length]).is_err(),
            "{length}"
        );
    }
    let end = xml.find("<ModelStructure>").unwrap();
    let error = ModelDescription::from_xml(&xml.as_bytes()[..end]).unwrap_err();
    assert!(
        matches!(&error, Error::UnexpectedEnd { element, .. } if element == "fmiModelDescription"),
        "{error}"
    );
}

#[test]
fn other_documents_are_refused() {
    for (xml, expected) in [
        ("", "has no element"),
        ("just text", "has no element"),
        ("<html></html>", "<html> found at line 1, column 1"),
        (
            "<fmiModelDescription fmiVersion=\"3.0\"/>",
            "FMI version \"3.0\" is not supported",
        ),
        (
            "<fmiModelDescription fmiVersion=\"1.0\"/>",
            "FMI version \"1.0\" is not supported",
        ),
        (
            "<fmiModelDescription fmiVersion=\"2.01\"/>",
            "FMI version \"2.01\" is not supported",
        ),
    ] {
        let error = xml.parse::<ModelDescription>().unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    let twice = sample::smallest().to_xml().unwrap() + "<again/>";
    let error = twice.parse::<ModelDescription>().unwrap_err();
    assert!(matches!(error, Error::ContentAfterRoot { .. }), "{error}");
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() {
    let depth = 200_000;
    let deep = "<a>".repeat(depth) + &"</a>".repeat(depth);
    let xml = sample::smallest().to_xml().unwrap();
    let nested = xml.replacen("<ModelVariables>", &format!("{deep}<ModelVariables>"), 1);
    assert_eq!(
        nested.parse::<ModelDescription>().unwrap(),
        sample::smallest()
    );
}
