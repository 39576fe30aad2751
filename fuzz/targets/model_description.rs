//! Model descriptions: whatever the bytes, they are read or refused; what is read is checked, written
//! and read back the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use softdock_fmu::ModelKind;
use softdock_xml::ModelDescription;

fn seeds() -> Vec<String> {
    let xml = |kind: ModelKind| {
        let description = kind.description().expect("a description");
        description.to_xml().expect("its text")
    };
    let mut seeds: Vec<String> = ModelKind::ALL.into_iter().map(xml).collect();
    seeds.push(SMALL.to_owned());
    seeds
}

/// Of every kind of element one.
const SMALL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="M" guid="{1}" generationTool="t"
  variableNamingConvention="structured" numberOfEventIndicators="1">
<ModelExchange modelIdentifier="M" completedIntegratorStepNotNeeded="true"/>
<CoSimulation modelIdentifier="M" canInterpolateInputs="true" maxOutputDerivativeOrder="1"/>
<UnitDefinitions><Unit name="K"><BaseUnit K="1" factor="1" offset="0"/>
<DisplayUnit name="degC" offset="-273.15"/></Unit></UnitDefinitions>
<TypeDefinitions><SimpleType name="T"><Real unit="K" min="0" max="1e3"/></SimpleType>
<SimpleType name="E"><Enumeration><Item name="a" value="1"/></Enumeration></SimpleType>
</TypeDefinitions>
<LogCategories><Category name="logError" description="&lt;&#228;&gt;"/></LogCategories>
<DefaultExperiment startTime="0" stopTime="1" tolerance="1e-6" stepSize="1e-3"/>
<VendorAnnotations><Tool name="x"><y z="1"/></Tool></VendorAnnotations>
<ModelVariables>
<ScalarVariable name="x" valueReference="0" causality="output" variability="continuous"
  initial="exact"><Real declaredType="T" start="1" derivative="2"/></ScalarVariable>
<ScalarVariable name="der(x)" valueReference="1"><Real/></ScalarVariable>
<ScalarVariable name="i" valueReference="0" variability="discrete"><Integer min="-1" start="0"/>
</ScalarVariable>
<ScalarVariable name="b" valueReference="0" causality="input" variability="discrete">
<Boolean start="true"/></ScalarVariable>
<ScalarVariable name="s" valueReference="0" causality="parameter" variability="fixed">
<String start="a &amp; b"/></ScalarVariable>
</ModelVariables>
<ModelStructure><Outputs><Unknown index="1" dependencies="4" dependenciesKind="dependent"/></Outputs>
<Derivatives><Unknown index="2" dependencies=""/></Derivatives>
<InitialUnknowns><Unknown index="2"/></InitialUnknowns></ModelStructure>
</fmiModelDescription>"#;

fuzz_target!(
    init: { softdock_fuzz::write_seeds(seeds) },
    |bytes: &[u8]| {
        let Ok(description) = ModelDescription::from_xml(bytes) else {
            return;
        };
        let valid = description.validate().is_ok();
        match description.to_xml() {
            Ok(xml) => {
                let again = ModelDescription::from_xml(xml.as_bytes());
                let again = again.expect("what was written can be read");
                // Not compared as values: NaN is unlike itself.
                assert_eq!(again.to_xml().expect("text"), xml);
                assert_eq!(again.validate().is_ok(), valid);
            }
            Err(error) => assert!(!valid, "a valid description cannot be written: {error}"),
        }
    }
);
