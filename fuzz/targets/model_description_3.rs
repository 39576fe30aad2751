//! Model descriptions of FMI 3.0: whatever the bytes, they are read or refused; what is read has a place
//! for every variable, and is written as FMI 2.0 if it is valid.

#![no_main]

use libfuzzer_sys::fuzz_target;
use softdock_fmi::model::token_of;
use softdock_fmu::ModelKind;
use softdock_xml::ModelDescription;
use softdock_xml::version3::Version3;

fn seeds() -> Vec<String> {
    let xml = |kind: ModelKind| {
        let token = token_of(&*kind.packaged().model()).expect("a token");
        let description = kind.description().expect("a description");
        description.to_xml_3(&token).expect("its text")
    };
    let mut seeds: Vec<String> = ModelKind::ALL.into_iter().map(xml).collect();
    seeds.push(SMALL.to_owned());
    seeds
}

/// Of every kind of element one.
const SMALL: &str = r#"<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="M" instantiationToken="t">
<CoSimulation modelIdentifier="m" hasEventMode="true" canGetAndSetFMUState="1"/>
<UnitDefinitions><Unit name="s"><DisplayUnit name="Hz" inverse="true"/></Unit></UnitDefinitions>
<TypeDefinitions><Float64Type name="T" min="-1"/><EnumerationType name="E"><Item name="a" value="1"/>
</EnumerationType><ClockType name="C" intervalVariability="fixed"/></TypeDefinitions>
<ModelVariables>
<Clock name="c" valueReference="1" causality="input" intervalVariability="triggered"/>
<UInt64 name="n" valueReference="2" causality="structuralParameter" start="2"/>
<Float64 name="a" valueReference="3" causality="parameter" declaredType="T" start="1 2 3 4 5 6">
<Dimension valueReference="2"/><Dimension start="3"/></Float64>
<Float32 name="x" valueReference="4" causality="output"><Dimension valueReference="2"/>
<Alias name="other" description="the same"/></Float32>
<Float64 name="der" valueReference="5" derivative="4"><Dimension start="2"/></Float64>
<Int64 name="big" valueReference="6" causality="input" max="7" start="-1"/>
<String name="s" valueReference="7" causality="parameter"><Start value="q r"/></String>
<Binary name="b" valueReference="8" causality="input"><Start value="00"/></Binary>
<Enumeration name="e" valueReference="9" causality="input" declaredType="E" start="1"/>
</ModelVariables>
<ModelStructure><Output valueReference="4" dependencies="6 3" dependenciesKind="constant dependent"/>
<ContinuousStateDerivative valueReference="5"/><InitialUnknown valueReference="4" dependencies=""/>
</ModelStructure></fmiModelDescription>"#;

fuzz_target!(
    init: { softdock_fuzz::write_seeds(seeds) },
    |bytes: &[u8]| {
        let Ok(read) = Version3::from_xml(bytes) else {
            return;
        };
        for variable in &read.description.model_variables {
            let place = read.places[variable.value_reference as usize];
            assert!(place.element < place.count);
        }
        if read.description.validate().is_ok() {
            let xml = read.description.to_xml().expect("a valid description is written");
            ModelDescription::from_xml(xml.as_bytes()).expect("what was written can be read");
        }
    }
);
