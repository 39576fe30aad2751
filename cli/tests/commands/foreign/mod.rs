//! FMUs of other makers: small models in C, as FMI 2.0 and 3.0, that use every type, arrays, bytes,
//! files of their own, and that end the simulation. What the program makes of them is compared with
//! the same equations computed here; `importers.rs` compares it with FMPy.
//!
//! They are compiled from `models.c`; without a C compiler the tests say so and pass, except where
//! `CI=true`.

use super::folder::Folder;
use super::hostile::pack;
use softdock_fmi::package::{FmiVersion, TargetSystem};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// A variable: name, value reference, type of FMI 3.0, causality and start value; dimensions.
struct Variable {
    name: &'static str,
    reference: u32,
    kind: &'static str,
    causality: &'static str,
    start: &'static str,
    dimensions: &'static [u32],
}

const fn scalar(
    name: &'static str,
    reference: u32,
    kind: &'static str,
    causality: &'static str,
    start: &'static str,
) -> Variable {
    Variable {
        name,
        reference,
        kind,
        causality,
        start,
        dimensions: &[],
    }
}

/// A model: its name, its macro in `models.c`, its variables and its default experiment.
pub struct Foreign {
    pub name: &'static str,
    define: &'static str,
    variables: &'static [Variable],
    pub stop: f64,
    pub step: f64,
}

const REAL: &str = "Float64";

/// All models. What FMI 2.0 does not have is left out there.
pub const MODELS: [Foreign; 7] = [
    Foreign {
        name: "Dahlquist",
        define: "DAHLQUIST",
        variables: &[
            scalar("x", 0, REAL, "output", ""),
            scalar("k", 1, REAL, "parameter", "1"),
        ],
        stop: 10.0,
        step: 0.1,
    },
    Foreign {
        name: "VanDerPol",
        define: "VAN_DER_POL",
        variables: &[
            scalar("x0", 0, REAL, "output", ""),
            scalar("x1", 1, REAL, "output", ""),
            scalar("mu", 2, REAL, "parameter", "1"),
        ],
        stop: 20.0,
        step: 0.05,
    },
    Foreign {
        name: "BouncingBall",
        define: "BALL",
        variables: &[
            scalar("h", 0, REAL, "output", ""),
            scalar("v", 1, REAL, "output", ""),
            scalar("g", 2, REAL, "parameter", "-9.81"),
            scalar("e", 3, REAL, "parameter", "0.7"),
        ],
        stop: 3.0,
        step: 0.01,
    },
    Foreign {
        name: "Stair",
        define: "STAIR",
        variables: &[scalar("counter", 100, "Int32", "output", "")],
        stop: 12.0,
        step: 0.2,
    },
    Foreign {
        name: "Resource",
        define: "RESOURCE",
        variables: &[scalar("y", 100, "Int32", "output", "")],
        stop: 1.0,
        step: 0.1,
    },
    Foreign {
        name: "Feedthrough",
        define: "FEEDTHROUGH",
        variables: &[
            scalar("real_in", 2, REAL, "input", "0"),
            scalar("real_out", 3, REAL, "output", ""),
            scalar("single_in", 4, "Float32", "input", "0"),
            scalar("single_out", 5, "Float32", "output", ""),
            scalar("int32_in", 100, "Int32", "input", "0"),
            scalar("int32_out", 101, "Int32", "output", ""),
            scalar("colour_in", 102, "Enumeration", "input", "1"),
            scalar("colour_out", 103, "Enumeration", "output", ""),
            scalar("int8_in", 104, "Int8", "input", "0"),
            scalar("int8_out", 105, "Int8", "output", ""),
            scalar("uint8_in", 106, "UInt8", "input", "0"),
            scalar("uint8_out", 107, "UInt8", "output", ""),
            scalar("int16_in", 108, "Int16", "input", "0"),
            scalar("int16_out", 109, "Int16", "output", ""),
            scalar("uint16_in", 110, "UInt16", "input", "0"),
            scalar("uint16_out", 111, "UInt16", "output", ""),
            scalar("uint32_in", 112, "UInt32", "input", "0"),
            scalar("uint32_out", 113, "UInt32", "output", ""),
            scalar("int64_in", 114, "Int64", "input", "0"),
            scalar("int64_out", 115, "Int64", "output", ""),
            scalar("uint64_in", 116, "UInt64", "input", "0"),
            scalar("uint64_out", 117, "UInt64", "output", ""),
            scalar("boolean_in", 200, "Boolean", "input", "false"),
            scalar("boolean_out", 201, "Boolean", "output", ""),
            scalar("text_in", 300, "String", "input", "abc"),
            scalar("text_out", 301, "String", "output", ""),
            scalar("bytes_in", 400, "Binary", "input", "00ff"),
            scalar("bytes_out", 401, "Binary", "output", ""),
        ],
        stop: 1.0,
        step: 0.1,
    },
    Foreign {
        name: "StateSpace",
        define: "STATE_SPACE",
        variables: &[
            scalar("n", 120, "UInt64", "structuralParameter", "2"),
            Variable {
                name: "a",
                reference: 20,
                kind: REAL,
                causality: "parameter",
                start: "0 1 -4 -0.5",
                dimensions: &[120, 120],
            },
            Variable {
                name: "x0",
                reference: 36,
                kind: REAL,
                causality: "parameter",
                start: "0.5 0",
                dimensions: &[120],
            },
            Variable {
                name: "u",
                reference: 40,
                kind: REAL,
                causality: "input",
                start: "0 0",
                dimensions: &[120],
            },
            Variable {
                name: "y",
                reference: 42,
                kind: REAL,
                causality: "output",
                start: "",
                dimensions: &[120],
            },
        ],
        stop: 2.0,
        step: 0.1,
    },
];

fn variability(variable: &Variable) -> &'static str {
    match (variable.causality, variable.kind) {
        ("parameter" | "structuralParameter", _) => "fixed",
        (_, "Float64" | "Float32") => "continuous",
        _ => "discrete",
    }
}

impl Variable {
    fn version2(&self) -> Option<String> {
        let kind = match self.kind {
            "Float64" => "Real",
            "Int32" => "Integer",
            "Boolean" => "Boolean",
            "String" => "String",
            "Enumeration" => "Enumeration",
            _ => return None,
        };
        let declared = if kind == "Enumeration" {
            r#" declaredType="Colour""#
        } else {
            ""
        };
        let start = match self.start {
            "" => String::new(),
            start => format!(r#" start="{start}""#),
        };
        let (name, reference, causality) = (self.name, self.reference, self.causality);
        let variability = variability(self);
        Some(format!(
            r#"<ScalarVariable name="{name}" valueReference="{reference}" causality="{causality}" variability="{variability}"><{kind}{declared}{start}/></ScalarVariable>
"#
        ))
    }

    fn version3(&self) -> String {
        let kind = self.kind;
        let declared = match kind {
            "Enumeration" => r#" declaredType="Colour""#,
            _ => "",
        };
        let text = matches!(kind, "String" | "Binary");
        let (attribute, element) = match self.start {
            "" => (String::new(), String::new()),
            start if text => (String::new(), format!(r#"<Start value="{start}"/>"#)),
            start => (format!(r#" start="{start}""#), String::new()),
        };
        let dimensions = self.dimensions.iter();
        let dimension = |it| format!(r#"<Dimension valueReference="{it}"/>"#);
        let inside = dimensions.map(dimension).collect::<String>() + &element;
        let (name, reference, causality) = (self.name, self.reference, self.causality);
        let variability = variability(self);
        format!(
            r#"<{kind} name="{name}" valueReference="{reference}" causality="{causality}" variability="{variability}"{declared}{attribute}>{inside}</{kind}>
"#
        )
    }
}

impl Foreign {
    fn description2(&self) -> String {
        let (name, stop, step) = (self.name, self.stop, self.step);
        let kept: Vec<&Variable> = (self.variables.iter())
            .filter(|variable| variable.version2().is_some())
            .collect();
        let variables: String = kept.iter().filter_map(|one| one.version2()).collect();
        let mut outputs = String::new();
        for (index, variable) in kept.iter().enumerate() {
            if variable.causality == "output" {
                write!(outputs, r#"<Unknown index="{}"/>"#, index + 1).unwrap();
            }
        }
        format!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="{name}" guid="{{1}}">
<CoSimulation modelIdentifier="{name}" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUstate="true"/>
<TypeDefinitions><SimpleType name="Colour"><Enumeration><Item name="red" value="1"/><Item name="green" value="2"/></Enumeration></SimpleType></TypeDefinitions>
<DefaultExperiment startTime="0" stopTime="{stop}" stepSize="{step}"/>
<ModelVariables>
{variables}</ModelVariables>
<ModelStructure><Outputs>{outputs}</Outputs><InitialUnknowns>{outputs}</InitialUnknowns></ModelStructure>
</fmiModelDescription>"#
        )
    }

    fn description3(&self) -> String {
        let (name, stop, step) = (self.name, self.stop, self.step);
        let variables: String = self.variables.iter().map(Variable::version3).collect();
        let outputs = |element: &str| -> String {
            let all = self
                .variables
                .iter()
                .filter(|one| one.causality == "output");
            all.map(|one| format!(r#"<{element} valueReference="{}"/>"#, one.reference))
                .collect()
        };
        let (outputs, initial) = (outputs("Output"), outputs("InitialUnknown"));
        format!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="{name}" instantiationToken="{{1}}">
<CoSimulation modelIdentifier="{name}" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUState="true"/>
<TypeDefinitions><EnumerationType name="Colour"><Item name="red" value="1"/><Item name="green" value="2"/></EnumerationType></TypeDefinitions>
<DefaultExperiment startTime="0" stopTime="{stop}" stepSize="{step}"/>
<ModelVariables>
<Float64 name="time" valueReference="99" causality="independent" variability="continuous"/>
{variables}</ModelVariables>
<ModelStructure>{outputs}{initial}</ModelStructure>
</fmiModelDescription>"#
        )
    }

    /// Writes it into `folder`; false without a compiler.
    fn write(&self, version: FmiVersion, folder: &Path) -> bool {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/foreign/models.c");
        fs::create_dir_all(folder).unwrap();
        let made = folder.join(format!("{}.so", self.name));
        let number = if version == FmiVersion::Two { 2 } else { 3 };
        let mut command = Command::new("cc");
        command
            .args(["-O1", "-ffp-contract=off", "-shared", "-fPIC"])
            .args([format!("-DFMI={number}"), format!("-D{}", self.define)])
            .arg("-o")
            .arg(&made)
            .arg(source);
        match command.output() {
            Ok(output) if output.status.success() => {}
            failed => {
                let must = std::env::var("CI").is_ok_and(|value| value == "true");
                assert!(!must, "{failed:?}");
                // Past the capture of the test harness.
                let _ = writeln!(std::io::stderr(), "SKIPPED: no C compiler: {failed:?}");
                return false;
            }
        }
        let xml = match version {
            FmiVersion::Two => self.description2(),
            FmiVersion::Three => self.description3(),
        };
        let binary = fs::read(&made).unwrap();
        fs::remove_file(&made).unwrap();
        let place = TargetSystem::HERE.binary(version, self.name);
        let files: [(&str, &[u8]); 3] = [
            ("modelDescription.xml", xml.as_bytes()),
            ("resources/y.txt", b"a"),
            (&place, &binary),
        ];
        pack(&folder.join(format!("{}.fmu", self.name)), &files);
        true
    }

    /// Whether a version of the standard can have it.
    pub fn fits(&self, version: FmiVersion) -> bool {
        version == FmiVersion::Three || self.name != "StateSpace"
    }
}

/// Both versions with the names of their folders.
pub const VERSIONS: [(FmiVersion, &str); 2] =
    [(FmiVersion::Two, "two"), (FmiVersion::Three, "three")];

/// Writes all models into `two` and `three` below `folder`; false without a compiler.
pub fn write_all(folder: &Path) -> bool {
    VERSIONS.iter().all(|(version, name)| {
        let models = MODELS.iter().filter(|model| model.fits(*version));
        models
            .into_iter()
            .all(|model| model.write(*version, &folder.join(name)))
    })
}

/// Rows of numbers of a table, without its header.
fn rows(table: &str) -> Vec<Vec<f64>> {
    let row = |line: &str| line.split(',').map(|cell| cell.parse().unwrap()).collect();
    table.lines().skip(1).map(row).collect()
}

/// The numbers are those of the same formulas; the order of operations is the compiler's.
const SAME: f64 = 1e-12;

fn assert_rows(found: &[Vec<f64>], expected: impl Fn(usize) -> Vec<f64>) {
    for (k, row) in found.iter().enumerate() {
        for (a, b) in row[1..].iter().zip(expected(k)) {
            assert!((a - b).abs() <= SAME * b.abs().max(1.0), "row {k}: {a} {b}");
        }
    }
}

#[test]
fn models_of_both_versions_run_as_their_equations_say() {
    let folder = Folder::new();
    if !write_all(&folder.path) {
        return;
    }
    for (_, version) in VERSIONS {
        let run = |name: &str, more: &[&str]| {
            let file = format!("{version}/{name}.fmu");
            let out = ["--out", version];
            folder.json(&[&["fmu", "simulate", &file][..], &out, more].concat());
            folder.read(&format!("{version}/{name}.csv"))
        };
        let dahlquist = rows(&run("Dahlquist", &["--set", "k=2"]));
        assert_eq!(dahlquist.len(), 101);
        assert_rows(&dahlquist, |k| vec![0.8_f64.powi(k as i32)]);

        let van_der_pol = rows(&run("VanDerPol", &[]));
        assert_eq!(van_der_pol.len(), 401);
        let mut states = vec![[2.0, 0.0]];
        for _ in 0..2000 {
            let [x, v] = states[states.len() - 1];
            states.push([x + 0.01 * v, v + 0.01 * ((1.0 - x * x) * v - x)]);
        }
        assert_rows(&van_der_pol, |k| states[5 * k].to_vec());

        let ball = rows(&run("BouncingBall", &[]));
        let highest = |from: f64, to: f64| {
            let inside = ball.iter().filter(|row| (from..to).contains(&row[0]));
            inside.map(|row| row[1]).fold(0.0, f64::max)
        };
        // It falls for 0.45 s, and bounces back to 0.49 of its height.
        assert!((highest(0.46, 1.05) - 0.49).abs() < 0.05);
        assert!(highest(2.9, 3.0) < 0.1);

        let stair = run("Stair", &[]);
        let steps = rows(&stair);
        // The ninth step up is made at 9 s and ends the simulation.
        let last = &steps[steps.len() - 1];
        assert!((last[0] - 9.0).abs() < 1e-9 && last[1] == 10.0, "{last:?}");
        assert_eq!(steps[10][1], 3.0);

        let resource = rows(&run("Resource", &[]));
        assert_eq!(resource[0][1], f64::from(b'a'));
    }
}

#[test]
fn inputs_of_every_type_come_back_from_a_table() {
    let folder = Folder::new();
    if !write_all(&folder.path) {
        return;
    }
    folder.write(
        "two.csv",
        "t,real_in,int32_in,boolean_in,colour_in,text_in\n\
         0,0,7,false,red,\"a, b\"\n0.5,1,-2147483648,true,green,ü\n",
    );
    folder.write(
        "three.csv",
        "t,single_in,int8_in,uint8_in,int16_in,uint16_in,uint32_in,int64_in,uint64_in,bytes_in\n\
         0,0.5,-128,255,-32768,65535,2147483647,-2147483648,2147483647,\n0.5,1,1,1,1,1,1,1,1,00ff10\n",
    );
    let run = |version: &str, table: &str, variables: &str| {
        let file = format!("{version}/Feedthrough.fmu");
        folder.json(&[
            "fmu",
            "simulate",
            &file,
            "--input",
            table,
            "--variables",
            variables,
            "--out",
            "r",
        ]);
        folder.read("r/Feedthrough.csv")
    };
    let variables = "real_out,int32_out,boolean_out,colour_out,text_out";
    for (_, version) in VERSIONS {
        let table = run(version, "two.csv", variables);
        let lines: Vec<&str> = table.lines().collect();
        // Outputs of a step are the inputs at its start.
        assert_eq!(lines[2], "0.1,0.0,7,0,1,\"a, b\"");
        assert_eq!(lines[4], "0.3,0.4,7,0,1,\"a, b\"");
        assert_eq!(lines[7], "0.6,1.0,-2147483648,1,2,ü");
    }
    let variables = "single_out,int8_out,uint8_out,int16_out,uint16_out,uint32_out,int64_out,\
                     uint64_out,bytes_out";
    let table = run("three", "three.csv", variables);
    let lines: Vec<&str> = table.lines().collect();
    let first = "0.1,0.5,-128,255,-32768,65535,2147483647,-2147483648,2147483647,";
    assert_eq!(lines[2], first);
    assert_eq!(lines[7], "0.6,1.0,1,1,1,1,1,1,1,00ff10");
    // Without a table, start values.
    folder.json(&[
        "fmu",
        "simulate",
        "three/Feedthrough.fmu",
        "--variables",
        "text_in,bytes_in",
    ]);
    let table = folder.read("Feedthrough.csv");
    assert!(table.contains("abc,"), "{table}");
    for (cells, wanted) in [
        (
            "int32_in\n0,1.5",
            "`int32_in` is `1.5`, not a whole number of 32 bits",
        ),
        ("boolean_in\n0,2", "`boolean_in` is `2`, not true or false"),
        (
            "colour_in\n0,blue",
            "`colour_in` is `blue`, not a whole number",
        ),
        (
            "int8_in\n0,200",
            "the value of `int8_in` (Int8) is outside the range",
        ),
        (
            "bytes_in\n0,0g",
            "`bytes_in` takes bytes as an even number of hexadecimal digits",
        ),
    ] {
        folder.write("wrong.csv", &format!("t,{cells}\n"));
        let arguments = [
            "fmu",
            "simulate",
            "three/Feedthrough.fmu",
            "--input",
            "wrong.csv",
        ];
        let output = folder.command(&arguments).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && message.contains(wanted),
            "{message}"
        );
    }
}

#[test]
fn elements_of_arrays_are_set_one_by_one() {
    let folder = Folder::new();
    if !write_all(&folder.path) {
        return;
    }
    let file = "three/StateSpace.fmu";
    let inspected = folder.json(&["fmu", "inspect", file]);
    assert_eq!(inspected["fmi_version"], "3.0");
    assert_eq!(inspected["problems"], serde_json::json!([]));
    folder.write("u.csv", "t,u[2]\n0,0.25\n");
    folder.json(&[
        "fmu",
        "simulate",
        file,
        "--input",
        "u.csv",
        "--set",
        "a[2,2]=-1",
        "--set",
        "x0[2]=3",
        "--plot",
        "page.html",
    ]);
    assert!(folder.read("page.html").contains("y[1] to y[2]"));
    let table = folder.read("StateSpace.csv");
    assert!(table.starts_with("time_s,y[1],y[2]\n"));
    // x' = [x2, −4 x1 − x2 + 0.5 u2], y = [x1, x2 + 2 u2]
    let (mut x, u) = ([0.5, 3.0], 0.25);
    let mut states = vec![x];
    for _ in 0..200 {
        let [a, b] = x;
        x = [a + 0.01 * b, b + 0.01 * (-4.0 * a - b + 0.5 * u)];
        states.push(x);
    }
    let found = rows(&table);
    assert_eq!(found.len(), 21);
    assert_rows(&found, |k| {
        let [x1, x2] = states[10 * k];
        vec![x1, x2 + 2.0 * u]
    });
    let message = folder.refused(2, &["fmu", "simulate", file, "--set", "n=3"]);
    assert!(
        message.contains("`n` is a structural parameter"),
        "{message}"
    );
}
