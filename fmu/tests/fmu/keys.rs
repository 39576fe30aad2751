//! Every key of a leg's configuration against the FMU's parameter of the same meaning.
//!
//! A key's parameter is found by a rule (the key without its unit) or stands in a short list of
//! exceptions below, independent of the tables of the library. A configuration is written as TOML
//! and read back, a native leg is made of it, and a loaded FMU is given the parameters: both must
//! show the same bits, or both refuse.

use crate::support::{Random, archive};
use leg_core::config::History;
use leg_core::unit::{LegUnit, UnitLeg};
use leg_core::unit_spatial::{SPATIAL_INPUTS, SpatialInput, SpatialOutput};
use leg_core::{LegConfig, PlanarUnit, Simulation, SpatialLegConfig, SpatialUnit};
use serde::Serialize;
use serde::de::DeserializeOwned;
use softdock_fmi::import::{FmuInstance, Options};
use softdock_fmi::variables::Value as ParameterValue;
use softdock_fmu::{ModelKind, planar_parameters, spatial_parameters};
use softdock_settings::{Kind, Parameter, Table as Settings};
use softdock_xml::{Causality, VariableType};
use std::collections::BTreeMap;
use toml::{Table, Value};

/// Units at the end of a key, longest first.
const UNITS: [&str; 20] = [
    "_nm_s_per_rad",
    "_rad_per_s",
    "_nm_per_rad",
    "_n_s_per_m",
    "_n_per_m",
    "_m_per_s",
    "_nm_per_s",
    "_kg_m3",
    "_kg_m2",
    "_m_s2",
    "_per_m",
    "_per_s",
    "_rad",
    "_pa",
    "_kg",
    "_nm",
    "_n",
    "_m",
    "_s",
    "",
];

/// What an FMU is given.
#[derive(Debug, Clone, PartialEq)]
enum Given {
    Parameter(ParameterValue),
    Input(f64),
}

fn truth(value: bool) -> Given {
    Given::Parameter(ParameterValue::Boolean(value))
}

fn real(value: &Value) -> f64 {
    value.as_float().unwrap()
}

/// Variables of the FMU, and their values, for a key with this value.
fn given(key: &str, value: &Value) -> Vec<(String, Given)> {
    let is = |word: &str| truth(value.as_str() == Some(word));
    let input = |name: &str| vec![(name.to_owned(), Given::Input(real(value)))];
    let one = |name: &str, given| vec![(name.to_owned(), given)];
    match key {
        "leaf.kind" => one("leaf.constant_strain", is("constant_strain")),
        "leaf.section" => one("leaf.strip", is("strip")),
        "motor.end_stops" | "tendon.end_stops" => {
            let words = ["auto", "on", "off"];
            let place = words.iter().position(|word| value.as_str() == Some(word));
            let place = ParameterValue::Integer(place.unwrap().try_into().unwrap());
            one(key, Given::Parameter(place))
        }
        "pretension.posture" => one("pretension.straight", is("straight")),
        "pretension.side" | "side" => one("pretension.inward", is("-x")),
        "load.lock_q3" => one("link.locked", truth(value.as_bool().unwrap())),
        "section.kind" => one("section.round", is("rod")),
        "universal.carried_by" => one("universal.carried_by_base", is("base")),
        "universal.carried_moment" => one("universal.upright_moment", is("upright")),
        "motor.mode" => {
            let modes = ["torque", "locked", "angle", "hold"];
            let mode = modes.iter().position(|mode| value.as_str() == Some(mode));
            let mode = ParameterValue::Integer(mode.unwrap().try_into().unwrap());
            one("motor.mode", Given::Parameter(mode))
        }
        "motor.torque_nm" => input("motor.torque_command"),
        "motor.angle_rad" => input("motor.angle_command"),
        "load.torque_nm" => input("load.torque"),
        "load.force_x_n" => input("load.force[1]"),
        "load.force_y_n" => input("load.force[2]"),
        // Nothing that the leg shows depends on it: programs report against it.
        "leaf.yield_strength_pa" => Vec::new(),
        "leaf.modal_damping_ratios" => by_rule("leaf.modal_damping_ratio", value),
        "q1_rad" => by_rule("pretension.q1", value),
        "tip_position_m" => by_rule("pretension.tip_position", value),
        "pretension.chord_m"
        | "pretension.tension_n"
        | "tendon.rest_length_m"
        | "motor_middle_rad"
        | "stroke_middle_m"
        | "tendon.damping_shortening_n_s_per_m" => {
            let name = without_unit(key);
            let mut list = one(&format!("{name}_given"), truth(true));
            list.extend(by_rule(name, value));
            list
        }
        key => by_rule(without_unit(key), value),
    }
}

fn without_unit(key: &str) -> &str {
    let unit = UNITS.iter().find(|unit| key.ends_with(*unit)).unwrap();
    &key[..key.len() - unit.len()]
}

fn by_rule(name: &str, value: &Value) -> Vec<(String, Given)> {
    let parameter = |value| Given::Parameter(value);
    match value {
        Value::Float(number) => vec![(name.to_owned(), parameter(ParameterValue::Real(*number)))],
        Value::Boolean(flag) => vec![(name.to_owned(), truth(*flag))],
        Value::Integer(count) => {
            let count = ParameterValue::Integer(i32::try_from(*count).unwrap());
            vec![(name.to_owned(), parameter(count))]
        }
        Value::Array(list) => (1..)
            .zip(list)
            .map(|(i, number)| {
                let value = ParameterValue::Real(real(number));
                (format!("{name}[{i}]"), parameter(value))
            })
            .collect(),
        other => panic!("{name} = {other}"),
    }
}

/// Keys with their values, tables in front of the names.
fn flatten(table: &Table) -> Vec<(String, Value)> {
    let mut list = Vec::new();
    for (name, value) in table {
        match value {
            Value::Table(inner) => {
                let inner = flatten(inner).into_iter();
                list.extend(inner.map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            value => list.push((name.clone(), value.clone())),
        }
    }
    list
}

fn set(table: &mut Table, key: &str, value: Value) {
    match key.split_once('.') {
        None => drop(table.insert(key.to_owned(), value)),
        Some((name, rest)) => {
            let inner = table.entry(name).or_insert_with(|| Table::new().into());
            set(inner.as_table_mut().unwrap(), rest, value);
        }
    }
}

/// A leg of either kind.
trait Leg: Serialize + DeserializeOwned + Default + PartialEq + std::fmt::Debug {
    const KIND: ModelKind;
    /// The native leg's outputs at the start and after every step of [`STEP`].
    fn run(&self) -> Result<Vec<Vec<f64>>, String>;
    /// Names of these outputs.
    fn names() -> Vec<String>;
    /// What the FMU crate makes of the configuration.
    fn parameters(&self) -> Vec<(String, ParameterValue)>;
}

/// Communication step [s].
const STEP: f64 = 1e-3;
/// Their number.
const STEPS: usize = 3;

fn constant(history: &History) -> f64 {
    match history {
        History::Constant(value) => *value,
        History::Shape(shape) => panic!("{shape:?}"),
    }
}

fn run_unit<L, G, const N: usize, const D: usize>(
    mut unit: LegUnit<L, G, N, D>,
) -> Result<Vec<Vec<f64>>, String>
where
    L: UnitLeg<G, N, D>,
    G: multibody::group::Group<N, D>,
{
    let outputs = |unit: &LegUnit<L, G, N, D>| unit.outputs().map_err(|error| error.to_string());
    let mut rows = vec![outputs(&unit)?];
    for _ in 1..=STEPS {
        unit.advance_by(STEP).map_err(|error| error.to_string())?;
        rows.push(outputs(&unit)?);
    }
    Ok(rows)
}

fn numbered(name: &str, count: usize) -> impl Iterator<Item = String> {
    (1..=count).map(move |i| format!("{name}[{i}]"))
}

const ENERGIES: [&str; 10] = [
    "energy.kinetic",
    "energy.strain",
    "energy.tendon",
    "energy.gravity",
    "energy.work_in",
    "energy.dissipated",
    "energy.residual",
    "leaf.largest_axial_strain",
    "leaf.largest_surface_strain",
    "joints.largest_gap",
];

impl Leg for LegConfig {
    const KIND: ModelKind = ModelKind::LegPlanar;

    fn run(&self) -> Result<Vec<Vec<f64>>, String> {
        let inputs = [
            &self.motor.torque_nm,
            &self.motor.angle_rad,
            &self.load.torque_nm,
            &self.load.force_x_n,
            &self.load.force_y_n,
        ];
        let unit = PlanarUnit::new(self, &inputs.map(constant));
        run_unit(unit.map_err(|error| error.to_string())?)
    }

    fn names() -> Vec<String> {
        let mut names: Vec<String> = ["q1", "q2", "q3", "q1_rate", "q2_rate", "q3_rate"]
            .into_iter()
            .chain([
                "tendon.length",
                "tendon.rate",
                "motor.torque",
                "tendon.tension",
            ])
            .map(str::to_owned)
            .collect();
        names.extend(numbered("leaf.force_a", 2).chain(numbered("leaf.force_b", 2)));
        names.push("leaf.thrust".to_owned());
        for place in ["leaf.quarter", "leaf.middle", "leaf.three_quarters"] {
            names.extend(numbered(place, 2));
        }
        let rest = ["leaf.bending_strain", "leaf.bending_moment"];
        names.extend(rest.into_iter().chain(ENERGIES).map(str::to_owned));
        names
    }

    fn parameters(&self) -> Vec<(String, ParameterValue)> {
        planar_parameters(self)
    }
}

impl Leg for SpatialLegConfig {
    const KIND: ModelKind = ModelKind::LegSpatial;

    fn run(&self) -> Result<Vec<Vec<f64>>, String> {
        let mut inputs = [0.0; SPATIAL_INPUTS];
        inputs[..3].copy_from_slice(&self.tip_position_m);
        inputs[SpatialInput::MotorTorque as usize] = constant(&self.motor.torque_nm);
        inputs[SpatialInput::MotorAngle as usize] = constant(&self.motor.angle_rad);
        let unit = SpatialUnit::new(self, true, &inputs);
        run_unit(unit.map_err(|error| error.to_string())?)
    }

    fn names() -> Vec<String> {
        let mut names: Vec<String> = ["motor.angle", "motor.rate", "tendon.length", "tendon.rate"]
            .into_iter()
            .map(str::to_owned)
            .collect();
        names.extend(numbered("tip.force", 3));
        names.extend(["motor.torque", "tendon.tension"].map(str::to_owned));
        names.extend(numbered("leaf.middle", 3));
        let rest = ["leaf.bending_strain", "leaf.bending_moment"];
        names.extend(rest.into_iter().chain(ENERGIES).map(str::to_owned));
        for part in ["mean", "linear", "quadratic", "cubic"] {
            names.extend(numbered(&format!("tip.force_{part}"), 3));
        }
        names.extend(numbered("base.force", 3));
        names.extend(numbered("base.moment", 3));
        names
    }

    fn parameters(&self) -> Vec<(String, ParameterValue)> {
        spatial_parameters(self)
    }
}

/// The configuration of a table, after it was written and read again.
fn configuration<L: Leg>(table: &Table) -> L {
    let config: L = table.clone().try_into().unwrap();
    let text = toml::to_string(&config).unwrap();
    let again: L = toml::from_str(&text).unwrap();
    assert_eq!(config, again, "{text}");
    again
}

/// The FMU's outputs with the parameters and inputs of a table, or why it refuses.
fn loaded<L: Leg>(table: &Table) -> Result<Vec<Vec<f64>>, String> {
    let fmu = archive(L::KIND);
    let mut leg = fmu.instantiate("leg", &Options::default()).unwrap();
    let told = |leg: &mut FmuInstance, error: String| {
        let log = leg.take_log();
        format!("{error}: {log:?}")
    };
    let mut assigned = Vec::new();
    for (key, value) in flatten(table) {
        for (name, given) in given(&key, &value) {
            let reference = [fmu.reference(&name).unwrap()];
            let done = match given {
                Given::Parameter(ParameterValue::Real(value)) | Given::Input(value) => {
                    leg.set_real(&reference, &[value])
                }
                Given::Parameter(ParameterValue::Integer(value)) => {
                    leg.set_integer(&reference, &[value])
                }
                Given::Parameter(ParameterValue::Boolean(value)) => {
                    leg.set_boolean(&reference, &[value])
                }
            };
            done.map_err(|error| told(&mut leg, error.to_string()))?;
            assigned.push((reference, given));
        }
    }
    let ready = leg.initialize(0.0, None);
    ready.map_err(|error| told(&mut leg, error.to_string()))?;
    for (reference, given) in assigned {
        let (mut number, mut count, mut flag) = ([f64::NAN], [-1], [false]);
        let found = match given {
            Given::Input(_) => {
                leg.get_real(&reference, &mut number).unwrap();
                Given::Input(number[0])
            }
            Given::Parameter(ParameterValue::Real(_)) => {
                leg.get_real(&reference, &mut number).unwrap();
                Given::Parameter(ParameterValue::Real(number[0]))
            }
            Given::Parameter(ParameterValue::Integer(_)) => {
                leg.get_integer(&reference, &mut count).unwrap();
                Given::Parameter(ParameterValue::Integer(count[0]))
            }
            Given::Parameter(ParameterValue::Boolean(_)) => {
                leg.get_boolean(&reference, &mut flag).unwrap();
                truth(flag[0])
            }
        };
        assert_eq!(found, given);
    }
    let references = fmu.references(&L::names()).unwrap();
    let mut rows = Vec::new();
    for k in 0..=STEPS {
        if k > 0 {
            let step = leg.do_step((k - 1) as f64 * STEP, STEP);
            step.map_err(|error| told(&mut leg, error.to_string()))?;
        }
        let mut row = vec![f64::NAN; references.len()];
        leg.get_real(&references, &mut row).unwrap();
        rows.push(row);
    }
    Ok(rows)
}

/// Native leg and FMU of a table: the same bits, or both refuse.
fn agree<L: Leg>(table: &Table) -> Option<Vec<Vec<f64>>> {
    let config: L = configuration(table);
    let (native, loaded) = (config.run(), loaded::<L>(table));
    check_parameters(&config, table);
    match (native, loaded) {
        (Ok(native), Ok(loaded)) => {
            for (k, (native, loaded)) in native.iter().zip(&loaded).enumerate() {
                for ((name, a), b) in L::names().iter().zip(native).zip(loaded) {
                    let same = a.to_bits() == b.to_bits();
                    assert!(
                        same,
                        "{name} after step {k}: {a} native, {b} loaded\n{table}"
                    );
                }
            }
            Some(native)
        }
        (Err(_), Err(_)) => None,
        (native, loaded) => panic!("native: {native:?}\nloaded: {loaded:?}\n{table}"),
    }
}

/// The FMU crate's own list of parameters says the same as the rule.
fn check_parameters<L: Leg>(config: &L, table: &Table) {
    let listed: BTreeMap<String, ParameterValue> = config.parameters().into_iter().collect();
    let mut expected: BTreeMap<String, ParameterValue> =
        L::default().parameters().into_iter().collect();
    for (key, value) in flatten(table) {
        for (name, given) in given(&key, &value) {
            if let Given::Parameter(value) = given {
                assert!(expected.insert(name.clone(), value).is_some(), "{name}");
            }
        }
    }
    assert_eq!(listed, expected);
}

fn defaults<L: Leg>() -> Table {
    let mut table = Table::try_from(L::default()).unwrap();
    // Few elements: the map of parameters does not depend on them.
    set(&mut table, "solver.elements", Value::Integer(4));
    table
}

/// One key, another value of it, and what else must be set for it to matter.
type Effect = (&'static str, &'static str, &'static str);

const SHARED: &[Effect] = &[
    ("crank.length_m", "0.121", ""),
    ("crank.mass_kg", "1.1", ""),
    ("leaf.length_m", "0.501", ""),
    ("leaf.width_m", "0.078", ""),
    ("leaf.thickness_m", "0.00121", ""),
    ("leaf.youngs_modulus_pa", "1.21e11", ""),
    ("leaf.shear_modulus_pa", "4.4e10", ""),
    ("leaf.shear_factor", "0.8", ""),
    ("leaf.density_kg_m3", "4600.0", ""),
    ("leaf.curvature_per_m", "-0.05", ""),
    ("leaf.rayleigh_mass_per_s", "1.0", ""),
    ("leaf.rayleigh_stiffness_s", "1e-5", ""),
    (
        "leaf.modal_damping_ratios",
        "[0.01, 0.02, 0.03, 0.04]",
        "motor.torque_nm = 5.0",
    ),
    ("leaf.kind", "'constant_strain'", ""),
    ("tendon.present", "false", ""),
    ("tendon.stiffness_n_per_m", "2100.0", MOVING),
    ("tendon.damping_n_s_per_m", "1400.0", MOVING),
    ("tendon.damping_shortening_n_s_per_m", "1000.0", MOVING),
    ("tendon.rest_length_m", "0.38", ""),
    ("tendon.friction_n", "1.0", MOVING),
    (
        "tendon.friction_speed_m_per_s",
        "2e-3",
        "tendon.friction_n = 1.0\nmotor.torque_nm = 5.0",
    ),
    (
        "tendon.rate_width_m_per_s",
        "1e-4",
        "tendon.damping_shortening_n_s_per_m = 10.0\nmotor.torque_nm = 5.0",
    ),
    ("motor.mode", "'locked'", MOVING),
    ("motor.torque_nm", "0.5", ""),
    ("motor.angle_rad", "0.05", "motor.mode = 'hold'"),
    ("motor.hold_stiffness_nm_per_rad", "150.0", HELD),
    ("motor.hold_damping_nm_s_per_rad", "3.0", HELD),
    (
        "motor.torque_limit_nm",
        "1.0",
        "motor.mode = 'hold'\nmotor.angle_rad = 0.04",
    ),
    ("solver.elements", "6", ""),
    ("solver.step_s", "5e-4", MOVING),
    ("solver.adaptive", "true", MOVING),
    (
        "solver.error_tolerance",
        "1e-7",
        "solver.adaptive = true\nmotor.torque_nm = 5.0",
    ),
    ("solver.spectral_radius", "0.8", MOVING),
    ("solver.newton_tolerance", "1e-11", MOVING),
];

const MOVING: &str = "motor.torque_nm = 5.0";
const HELD: &str = "motor.mode = 'hold'\nmotor.angle_rad = 0.02";
const FREE_LINK: &str = "pretension.hold_q3 = false\npretension.chord_m = 0.41";

const PLANAR: &[Effect] = &[
    ("gravity_m_s2", "[0.5, -9.0]", ""),
    ("geometry.lower_pivot_m", "[0.151, 0.002]", ""),
    ("geometry.upper_pivot_m", "[0.001, 0.402]", ""),
    ("link.length_m", "0.191", ""),
    ("link.mass_kg", "1.1", ""),
    ("pretension.posture", "'straight'", ""),
    ("pretension.q1_rad", "0.02", ""),
    ("pretension.q3_rad", "0.02", ""),
    ("pretension.hold_q1", "false", FREE_LINK),
    ("pretension.hold_q3", "false", "pretension.tension_n = 57.0"),
    ("pretension.chord_m", "0.405", FREE_LINK),
    ("pretension.tension_n", "50.0", ""),
    ("pretension.side", "'-x'", ""),
    ("tendon.slack_width_n", "1.0", "pretension.tension_n = 0.5"),
    ("load.lock_q3", "true", ""),
    ("load.torque_nm", "0.5", ""),
    ("load.force_x_n", "0.5", ""),
    ("load.force_y_n", "0.5", ""),
];

const SPATIAL: &[Effect] = &[
    ("gravity_m_s2", "[0.5, 0.25, -9.0]", ""),
    ("q1_rad", "0.02", ""),
    ("tip_position_m", "[0.191, 0.002, 0.403]", ""),
    ("side", "'-x'", ""),
    // Stops that press from the start.
    ("motor_middle_rad", "0.3495", MOVING),
    ("stroke_middle_m", "0.3278", MOVING),
    ("base.motor_position_m", "[0.151, 0.002, 0.003]", ""),
    (
        "base.crank_direction",
        "[0.9950041652780258, 0.0, 0.09983341664682815]",
        "",
    ),
    (
        "base.motor_axis",
        "[0.0, -0.9950041652780258, 0.09983341664682815]",
        "",
    ),
    ("universal.carried_by", "'base'", MOVING),
    ("universal.first_axis", "[0.05, 0.1, 1.0]", ""),
    ("universal.second_axis", "[0.05, 1.0, 0.1]", ""),
    (
        "universal.flipped",
        "true",
        "universal.second_axis = [0.05, 1.0, 0.1]",
    ),
    (
        "universal.carried_moment",
        "'upright'",
        "universal.carried_by = 'base'\nbase.motor_axis = [0.0, -0.9950041652780258, 0.09983341664682815]\ntip_position_m = [0.191, 0.02, 0.403]",
    ),
    ("section.kind", "'rod'", ""),
    (
        "section.radius_m",
        "0.0021",
        "section.kind = 'rod'\nsection.radius_m = 0.002",
    ),
    (
        "tendon.slack_width_n",
        "1.0",
        "tendon.rest_length_m = 0.4077",
    ),
];

fn table_of<L: Leg>(context: &str) -> Table {
    let mut table = defaults::<L>();
    let context: Table = context.parse().unwrap();
    for (key, value) in flatten(&context) {
        set(&mut table, &key, value);
    }
    table
}

/// Keys without an effect, and why.
const WITHOUT_EFFECT: [&str; 1] = [
    // Programs report against it.
    "leaf.yield_strength_pa",
];

/// Keys of limits: native leg and FMU must agree, whether the limit is met in the short run or not.
const LIMITS: &[Effect] = &[
    ("leaf.section", "'strip'", ""),
    ("motor.range_rad", "0.3", ""),
    ("motor.end_stops", "'auto'", ""),
    ("motor.stop_stiffness_nm_per_rad", "3e4", ""),
    ("motor.stop_restitution", "0.4", ""),
    ("motor.torque_rate_limit_nm_per_s", "100.0", MOVING),
    ("motor.stall_torque_nm", "20.0", MOVING),
    ("motor.no_load_speed_rad_per_s", "30.0", MOVING),
    ("motor.gear_ratio", "2.0", MOVING),
    ("motor.rotor_inertia_kg_m2", "1e-3", MOVING),
    ("motor.friction_nm", "0.1", MOVING),
    ("motor.breakaway_friction_nm", "0.2", MOVING),
    ("motor.friction_speed_rad_per_s", "0.02", MOVING),
    ("motor.viscous_friction_nm_s_per_rad", "0.1", MOVING),
    ("tendon.end_stops", "'auto'", ""),
    ("tendon.stroke_m", "0.07", ""),
    ("tendon.stop_stiffness_n_per_m", "2e6", ""),
    ("tendon.stop_restitution", "0.4", ""),
];

/// Every key that a configuration can have stands in a list of effects.
fn check_complete<L: Leg>(own: &[Effect], optional: &[&str]) {
    let listed = |key: &str| {
        let effects = SHARED.iter().chain(LIMITS).chain(own);
        WITHOUT_EFFECT.contains(&key) || effects.into_iter().any(|effect| effect.0 == key)
    };
    let keys = flatten(&Table::try_from(L::default()).unwrap());
    let keys = keys.iter().map(|(key, _)| key.as_str());
    for key in keys.chain(optional.iter().copied()) {
        assert!(listed(key), "{key}");
    }
}

fn check_effects<L: Leg>(own: &[Effect]) {
    for (key, value, context) in SHARED.iter().chain(own) {
        let mut table = table_of::<L>(context);
        let base = agree::<L>(&table);
        if *key == "section.kind" {
            // A leaf has no radius, a rod must have one.
            set(&mut table, "section.radius_m", Value::Float(0.002));
        }
        let value: Table = format!("v = {value}").parse().unwrap();
        set(&mut table, key, value["v"].clone());
        let changed = agree::<L>(&table);
        let (base, changed) = (base.expect(key), changed.expect(key));
        assert!(base != changed, "{key} has no effect");
    }
}

fn check_limits<L: Leg>() {
    for (key, value, context) in LIMITS {
        let mut table = table_of::<L>(context);
        let value: Table = format!("v = {value}").parse().unwrap();
        set(&mut table, key, value["v"].clone());
        // Both refuse a friction without its partner.
        agree::<L>(&table);
    }
}

#[test]
fn every_key_has_the_same_effect_in_a_native_leg_and_in_the_fmu() {
    check_limits::<LegConfig>();
    check_limits::<SpatialLegConfig>();
    let tendon = [
        "tendon.damping_shortening_n_s_per_m",
        "tendon.rest_length_m",
    ];
    let planar = ["pretension.chord_m", "pretension.tension_n"];
    check_complete::<LegConfig>(PLANAR, &[tendon, planar].concat());
    check_effects::<LegConfig>(PLANAR);
    let spatial = ["section.radius_m", "motor_middle_rad", "stroke_middle_m"];
    check_complete::<SpatialLegConfig>(SPATIAL, &[&tendon[..], &spatial].concat());
    check_effects::<SpatialLegConfig>(SPATIAL);
}

/// A value near the default; `None` for keys that stay as they are.
fn draw(key: &str, value: &Value, random: &mut Random) -> Option<Value> {
    let mut unit = || random.below(2001) as f64 / 1000.0 - 1.0;
    let words = |words: &[&str], random: &mut Random| {
        // Mostly the first, which is the default: most draws are to be legs that work.
        let pick = random.below(2 * words.len()).saturating_sub(words.len());
        Some(Value::String(words[pick].to_owned()))
    };
    if LIMITS.iter().any(|limit| limit.0 == key) || WITHOUT_EFFECT.contains(&key) {
        return None;
    }
    match key {
        "motor.mode" => words(&["torque", "locked", "angle", "hold"], random),
        "leaf.kind" => words(&["linear_strain", "constant_strain"], random),
        "pretension.posture" => words(&["bowed", "straight"], random),
        "pretension.side" | "side" => words(&["+x", "-x"], random),
        "universal.carried_by" => words(&["crank", "base"], random),
        // These belong together; each is turned by itself elsewhere.
        "base.crank_direction" | "base.motor_axis" => None,
        "universal.carried_moment" | "section.kind" | "solver.elements" => None,
        "pretension.hold_q1" | "pretension.hold_q3" | "tendon.present" => None,
        "solver.spectral_radius" => Some(Value::Float(0.85 + 0.1 * unit())),
        "solver.step_s" => Some(Value::Float(1e-3 * 0.5_f64.powi(random.below(3) as i32))),
        "leaf.rayleigh_mass_per_s" => Some(Value::Float(1.0 + unit())),
        "leaf.rayleigh_stiffness_s" => Some(Value::Float(1e-5 * (1.0 + unit()))),
        "leaf.modal_damping_ratios" => {
            let ratio = |_| Value::Float(0.01 * (1.0 + unit()));
            Some(Value::Array(value.as_array()?.iter().map(ratio).collect()))
        }
        "leaf.curvature_per_m" => Some(Value::Float(0.02 * unit())),
        "tendon.friction_n" => Some(Value::Float(1.0 + unit())),
        "motor.angle_rad" => Some(Value::Float(0.01 * unit())),
        _ => match value {
            Value::Float(0.0) => Some(Value::Float(0.05 * unit())),
            Value::Float(number) => Some(Value::Float(number * (1.0 + 0.02 * unit()))),
            Value::Boolean(flag) => Some(Value::Boolean(flag ^ (random.below(4) == 0))),
            Value::Array(list) => {
                let near = |number: &Value| Value::Float(real(number) + 2e-3 * unit());
                Some(Value::Array(list.iter().map(near).collect()))
            }
            _ => None,
        },
    }
}

/// Random configurations of a kind.
const DRAWS: usize = 25;

fn check_draws<L: Leg>(seed: u64) {
    let mut random = Random(seed);
    let mut worked = 0;
    for _ in 0..DRAWS {
        let mut table = defaults::<L>();
        for (key, value) in flatten(&table) {
            if let Some(value) = draw(&key, &value, &mut random) {
                set(&mut table, &key, value);
            }
        }
        if random.below(2) == 0 {
            let damping = Value::Float(1000.0 + random.below(1000) as f64);
            set(&mut table, "tendon.damping_shortening_n_s_per_m", damping);
        }
        worked += usize::from(agree::<L>(&table).is_some());
    }
    // A draw that both refuse shows less.
    assert!(2 * worked > DRAWS, "{worked} of {DRAWS} worked");
}

#[test]
fn random_legs_are_the_same_native_loaded_and_read_again() {
    check_draws::<LegConfig>(0x5eed);
    check_draws::<SpatialLegConfig>(0xf00d);
}

/// Rows of numbers that legs have.
fn numbers() -> Vec<&'static Parameter> {
    let mut rows = Vec::new();
    LegConfig::collect(&mut rows);
    SpatialLegConfig::collect(&mut rows);
    rows.retain(|row| matches!(row.kind, Kind::Number | Kind::Numbers(_) | Kind::Count));
    rows
}

/// Ends of every range: allowed to both, and just outside refused by both, with name and range.
fn check_ranges<L: Leg>(validate: fn(&L) -> Result<(), leg_core::ConfigError>) {
    let fmu = archive(L::KIND);
    let mut table = Table::try_from(L::default()).unwrap();
    for key in [
        "tendon.damping_shortening_n_s_per_m",
        "tendon.rest_length_m",
    ] {
        set(&mut table, key, Value::Float(0.4));
    }
    if L::KIND == ModelKind::LegPlanar {
        for key in ["pretension.chord_m", "pretension.tension_n"] {
            set(&mut table, key, Value::Float(0.4));
        }
    } else {
        set(&mut table, "section.kind", Value::String("rod".to_owned()));
        set(&mut table, "section.radius_m", Value::Float(0.002));
        set(&mut table, "motor_middle_rad", Value::Float(0.0));
        set(&mut table, "stroke_middle_m", Value::Float(0.4));
    }
    let mut checked = 0;
    for (key, value) in flatten(&table) {
        let rows = numbers();
        let Some(row) = rows.iter().find(|row| row.key == key) else {
            let whole = matches!(value, Value::Boolean(_) | Value::String(_));
            let history = key.ends_with("torque_nm") || key.ends_with("angle_rad");
            assert!(whole || history || key.starts_with("load."), "{key}");
            continue;
        };
        let limits = row.range;
        let with = |number: f64| match &value {
            Value::Array(list) => {
                let mut list = list.clone();
                *list.last_mut().unwrap() = Value::Float(number);
                Value::Array(list)
            }
            Value::Integer(_) => Value::Integer(number as i64),
            _ => Value::Float(number),
        };
        let whole = value.is_integer();
        let [below, above] = if whole {
            [limits.low - 1.0, limits.high + 1.0]
        } else {
            [limits.low.next_down(), limits.high.next_up()]
        };
        for (number, allowed) in [
            (limits.low, true),
            (limits.high, true),
            (below, false),
            (above, false),
        ] {
            let mut changed = table.clone();
            set(&mut changed, &key, with(number));
            let native = validate(&changed.try_into().unwrap());
            // Whether an axis is at right angles to another is not a matter of its range.
            let refused = native.err().filter(|error| error.allowed == limits.allowed);
            assert_eq!(refused.is_none(), allowed, "{key} = {number}: {refused:?}");
            let mut leg = fmu.instantiate("leg", &Options::default()).unwrap();
            if let Some((name, given)) = given(&key, &with(number)).pop() {
                let reference = [fmu.reference(&name).unwrap()];
                let done = match given {
                    Given::Parameter(ParameterValue::Real(value)) => {
                        leg.set_real(&reference, &[value])
                    }
                    Given::Parameter(ParameterValue::Integer(value)) => {
                        leg.set_integer(&reference, &[value])
                    }
                    other => panic!("{name}: {other:?}"),
                };
                assert_eq!(done.is_ok(), allowed, "{name} = {number}: {done:?}");
            } else {
                assert!(WITHOUT_EFFECT.contains(&key.as_str()), "{key}");
            }
        }
        checked += 1;
    }
    assert!(checked > 30, "{checked} ranges");
}

#[test]
fn native_legs_and_fmus_allow_the_same_ranges() {
    check_ranges::<LegConfig>(LegConfig::validate);
    check_ranges::<SpatialLegConfig>(SpatialLegConfig::validate);
}

/// The model description declares what is checked, and every parameter belongs to a key.
#[test]
fn every_parameter_of_an_fmu_belongs_to_a_key() {
    fn check<L: Leg>(own: &[Effect]) {
        let mut known = vec!["tip.velocity_given".to_owned(), "base.moves".to_owned()];
        for (key, value, _) in SHARED.iter().chain(LIMITS).chain(own) {
            let value: Table = format!("v = {value}").parse().unwrap();
            known.extend(given(key, &value["v"]).into_iter().map(|(name, _)| name));
        }
        let description = L::KIND.description().unwrap();
        for variable in &description.model_variables {
            if variable.causality == Causality::Parameter {
                assert!(known.contains(&variable.name), "{}", variable.name);
            }
        }
        for row in numbers() {
            let limits = row.range;
            let value = Value::Float(limits.low);
            let Some((name, _)) = given(row.key, &value).pop() else {
                continue;
            };
            let numbered = format!("{name}[1]");
            let variable = description
                .variable(&name)
                .or(description.variable(&numbered));
            if let Some((_, variable)) = variable
                && let VariableType::Real(real) = &variable.variable_type
            {
                assert_eq!(real.attributes.min, Some(limits.low), "{name}");
                assert_eq!(real.attributes.max, Some(limits.high), "{name}");
                let unit = row.unit.replace('·', ".").replace('²', "2");
                let unit = unit.replace('³', "3").replace('-', "1");
                assert_eq!(real.attributes.unit, Some(unit), "{name}");
            }
        }
    }
    check::<LegConfig>(PLANAR);
    check::<SpatialLegConfig>(SPATIAL);
}

/// Relative difference of two ways to compute the same figure from the same state.
const ROUNDING: f64 = 1e-9;

fn check_named(expected: &[(&str, f64)], names: &[String], row: &[f64]) {
    for (name, expected) in expected {
        let at = names.iter().position(|other| other == name).unwrap();
        let difference = (row[at] - expected).abs();
        let allowed = ROUNDING * (1.0 + expected.abs());
        assert!(
            difference <= allowed,
            "{name}: {} is not {expected}",
            row[at]
        );
    }
}

/// Labels of outputs: against the figures that the native simulation has under their own names.
#[test]
fn outputs_are_what_their_names_say() {
    let table = table_of::<LegConfig>(
        "motor.torque_nm = 5.0\nload.force_x_n = 3.0\nload.force_y_n = -2.0\nload.torque_nm = 1.0",
    );
    let rows = agree::<LegConfig>(&table).unwrap();
    let names = LegConfig::names();
    let mut native = Simulation::new(&configuration(&table)).unwrap();
    for (k, row) in rows.iter().enumerate() {
        native.advance_to(k as f64 * STEP).unwrap();
        let sample = native.sample().unwrap();
        let mut expected = vec![
            ("q1", sample.q[0]),
            ("q2", sample.q[1]),
            ("q3", sample.q[2]),
            ("q1_rate", sample.q_dot[0]),
            ("q2_rate", sample.q_dot[1]),
            ("q3_rate", sample.q_dot[2]),
            ("tendon.length", sample.tendon_length),
            ("tendon.tension", sample.tendon_tension),
            ("motor.torque", sample.crank_torque),
            ("leaf.quarter[1]", sample.stations[0][0]),
            ("leaf.quarter[2]", sample.stations[0][1]),
            ("leaf.middle[1]", sample.stations[1][0]),
            ("leaf.middle[2]", sample.stations[1][1]),
            ("leaf.three_quarters[1]", sample.stations[2][0]),
            ("leaf.three_quarters[2]", sample.stations[2][1]),
        ];
        let energies = &sample.energies;
        expected.extend([
            ("energy.kinetic", energies.kinetic),
            ("energy.strain", energies.strain),
            ("energy.tendon", energies.springs),
            ("energy.gravity", energies.gravity),
            ("energy.work_in", sample.work_in),
            ("energy.dissipated", sample.dissipated),
            ("energy.residual", sample.energy_residual),
        ]);
        check_named(&expected, &names, row);
    }
    spatial_outputs();
}

fn spatial_outputs() {
    let table = table_of::<SpatialLegConfig>(
        "motor.torque_nm = 5.0\nbase.motor_axis = [0.0, -0.995, 0.0998]\ngravity_m_s2 = [1.0, 2.0, -9.0]",
    );
    let rows = agree::<SpatialLegConfig>(&table).unwrap();
    let names = SpatialLegConfig::names();
    let config: SpatialLegConfig = configuration(&table);
    let mut inputs = [0.0; SPATIAL_INPUTS];
    inputs[..3].copy_from_slice(&config.tip_position_m);
    inputs[SpatialInput::MotorTorque as usize] = 5.0;
    let mut unit = SpatialUnit::new(&config, true, &inputs).unwrap();
    assert_eq!(names.len(), SpatialOutput::BaseMoment as usize + 3);
    for (k, row) in rows.iter().enumerate() {
        if k > 0 {
            unit.advance_by(STEP).unwrap();
        }
        let sample = unit.leg().sample(unit.state()).unwrap();
        let energies = &sample.energies;
        let expected = [
            ("motor.angle", sample.q1),
            ("motor.rate", sample.q1_dot),
            ("tendon.length", sample.tendon_length),
            ("tendon.rate", sample.tendon_rate),
            ("tip.force[1]", sample.tip_force[0]),
            ("tip.force[2]", sample.tip_force[1]),
            ("tip.force[3]", sample.tip_force[2]),
            ("motor.torque", sample.crank_torque),
            ("tendon.tension", sample.tendon_tension),
            ("leaf.middle[1]", sample.mid_point[0]),
            ("leaf.middle[2]", sample.mid_point[1]),
            ("leaf.middle[3]", sample.mid_point[2]),
            ("energy.kinetic", energies.kinetic),
            ("energy.strain", energies.strain),
            ("energy.tendon", energies.springs),
            ("energy.gravity", energies.gravity),
            ("energy.work_in", sample.work_in),
            ("energy.dissipated", sample.dissipated),
            ("energy.residual", sample.energy_residual),
        ];
        check_named(&expected, &names, row);
    }
}
