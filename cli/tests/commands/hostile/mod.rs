//! FMUs that crash, hang, end the process, lie about themselves or want to write where they should
//! not: each gives a clear message, and what was computed until then is kept.
//!
//! They are compiled from `model.c`; without a C compiler the tests say so and pass, except where
//! `CI=true`.

mod archives;
mod behaviour;
mod stopping;

use super::folder::Folder;
use softdock_fmi::package::{FmiVersion, TargetSystem};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Behaviours of `model.c`.
pub const ABORT: u8 = 1;
pub const SEGFAULT: u8 = 2;
pub const EXIT: u8 = 3;
pub const HANG: u8 = 4;
pub const NOT_A_NUMBER: u8 = 5;
pub const INFINITE: u8 = 6;
pub const ASK_TO_END: u8 = 7;
pub const STAND_STILL: u8 = 8;
pub const DISCARD: u8 = 9;
pub const SLOW: u8 = 10;
pub const EXIT_IN_GETTER: u8 = 11;
pub const ABORT_IN_TERMINATE: u8 = 12;
pub const HANG_IN_GETTER: u8 = 13;
pub const HANG_IN_UNLOADING: u8 = 14;
pub const END_SILENTLY: u8 = 15;
pub const TERMINAL: u8 = 16;
pub const CRASH_AT_EXIT: u8 = 17;

/// The library of `model.c`, compiled once; none without a compiler.
pub fn library() -> Option<&'static [u8]> {
    static LIBRARY: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    let compiled = LIBRARY.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/hostile/model.c");
        let folder = Folder::new();
        let made = folder.path.join("model.so");
        let mut command = Command::new("cc");
        command
            .args(["-shared", "-fPIC", "-o"])
            .arg(&made)
            .arg(source);
        match command.output() {
            Ok(output) if output.status.success() => Some(fs::read(made).unwrap()),
            failed => {
                let must = std::env::var("CI").is_ok_and(|value| value == "true");
                assert!(!must, "{failed:?}");
                // Past the capture of the test harness.
                let _ = writeln!(std::io::stderr(), "SKIPPED: no C compiler: {failed:?}");
                None
            }
        }
    });
    compiled.as_deref()
}

/// The description of `model.c` under a name of its own.
pub fn description(name: &str, identifier: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="{name}" guid="{{1}}">
<CoSimulation modelIdentifier="{identifier}" canHandleVariableCommunicationStepSize="true"/>
<TypeDefinitions><SimpleType name="Colour"><Enumeration>
<Item name="red" value="1"/><Item name="green" value="2"/>
</Enumeration></SimpleType></TypeDefinitions>
<DefaultExperiment startTime="0" stopTime="1" stepSize="0.1" tolerance="1e-4"/>
<ModelVariables>
<ScalarVariable name="y[1,1]" valueReference="0" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="tolerance" valueReference="1" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="n" valueReference="0" causality="output" variability="discrete"><Integer/></ScalarVariable>
<ScalarVariable name="colour" valueReference="1" causality="output" variability="discrete"><Enumeration declaredType="Colour"/></ScalarVariable>
<ScalarVariable name="final" valueReference="0" causality="output" variability="discrete"><Boolean/></ScalarVariable>
<ScalarVariable name="text" valueReference="0" causality="output" variability="discrete"><String/></ScalarVariable>
<ScalarVariable name="process" valueReference="2" causality="local" variability="discrete"><Integer/></ScalarVariable>
<ScalarVariable name="behaviour" valueReference="10" causality="parameter" variability="fixed"><Integer start="0"/></ScalarVariable>
<ScalarVariable name="at" valueReference="10" causality="parameter" variability="fixed"><Real start="0.35"/></ScalarVariable>
</ModelVariables>
<ModelStructure><Outputs><Unknown index="1"/><Unknown index="2"/><Unknown index="3"/><Unknown index="4"/><Unknown index="5"/><Unknown index="6"/></Outputs></ModelStructure>
</fmiModelDescription>"#
    )
}

/// An archive of these files.
pub fn pack(path: &Path, files: &[(&str, &[u8])]) {
    let mut writer = ZipWriter::new(File::create(path).unwrap());
    for (name, content) in files {
        writer
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap();
}

/// A folder with `model.fmu`, whose model has this name; none without a compiler.
pub fn folder_with(name: &str) -> Option<Folder> {
    let library = library()?;
    let folder = Folder::new();
    let (xml, binary) = (
        description(name, "model"),
        TargetSystem::HERE.binary(FmiVersion::Two, "model"),
    );
    pack(
        &folder.path.join("model.fmu"),
        &[("modelDescription.xml", xml.as_bytes()), (&binary, library)],
    );
    Some(folder)
}

/// Arguments that simulate `model.fmu` with a behaviour.
pub fn simulate<'a>(behaviour: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let arguments = ["fmu", "simulate", "model.fmu", "--set", behaviour];
    [&arguments, more].concat()
}

/// The setting of a behaviour.
pub fn behaviour(number: u8) -> String {
    format!("behaviour={number}")
}
