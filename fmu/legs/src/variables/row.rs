//! From a row of settings to a variable of an FMU: the key without its unit, which FMI states apart.

use softdock_fmi::variables::{Row, UnitOf};
use softdock_settings::Parameter;

/// Units of settings: as rows have them, as keys end with them, as FMI has them.
const UNITS: [(&str, &str, UnitOf); 20] = [
    ("-", "", UnitOf::One),
    ("m", "_m", UnitOf::Metre),
    ("s", "_s", UnitOf::Second),
    ("kg", "_kg", UnitOf::Kilogram),
    ("rad", "_rad", UnitOf::Radian),
    ("N", "_n", UnitOf::Newton),
    ("N·m", "_nm", UnitOf::NewtonMetre),
    ("Pa", "_pa", UnitOf::Pascal),
    ("m/s", "_m_per_s", UnitOf::MetrePerSecond),
    ("m/s²", "_m_s2", UnitOf::MetrePerSquareSecond),
    ("N/m", "_n_per_m", UnitOf::NewtonPerMetre),
    ("N·s/m", "_n_s_per_m", UnitOf::NewtonSecondPerMetre),
    ("N·m/rad", "_nm_per_rad", UnitOf::NewtonMetrePerRadian),
    (
        "N·m·s/rad",
        "_nm_s_per_rad",
        UnitOf::NewtonMetreSecondPerRadian,
    ),
    ("kg/m³", "_kg_m3", UnitOf::KilogramPerCubicMetre),
    ("1/m", "_per_m", UnitOf::PerMetre),
    ("1/s", "_per_s", UnitOf::PerSecond),
    ("rad/s", "_rad_per_s", UnitOf::RadianPerSecond),
    ("N·m/s", "_nm_per_s", UnitOf::NewtonMetrePerSecond),
    ("kg·m²", "_kg_m2", UnitOf::KilogramSquareMetre),
];

/// `a == b`, where that must be known at compile time.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// The row of a parameter. A unit that is not in the table, or not at the end of the key, is a
/// mistake that the compiler reports.
pub const fn fmu(parameter: &Parameter) -> Row {
    let mut i = 0;
    while !same(UNITS[i].0, parameter.unit) {
        i += 1;
    }
    let (_, suffix, unit) = UNITS[i];
    let (name, end) = parameter.key.split_at(parameter.key.len() - suffix.len());
    assert!(same(end, suffix), "a key ends with its unit");
    Row {
        name,
        unit,
        limits: parameter.limits(),
        description: parameter.meaning,
    }
}

/// The row of a parameter, with the range of the entry of `narrower` that has its key, if there is one.
pub const fn within(narrower: &[Parameter], parameter: &Parameter) -> Row {
    let mut row = fmu(parameter);
    let mut i = 0;
    while i < narrower.len() {
        if same(narrower[i].key, parameter.key) {
            row.limits = narrower[i].limits();
        }
        i += 1;
    }
    row
}

/// The unit with which a key ends, if it is one of the table; keys of mechanisms write some of them
/// differently.
pub fn unit_of_key(key: &str) -> Option<UnitOf> {
    const OTHERS: [(&str, UnitOf); 2] = [
        ("_m_per_s2", UnitOf::MetrePerSquareSecond),
        ("_j", UnitOf::Joule),
    ];
    let known = UNITS.iter().map(|(_, suffix, unit)| (*suffix, *unit));
    let found = known
        .chain(OTHERS)
        .filter(|(suffix, _)| !suffix.is_empty() && key.ends_with(suffix));
    found
        .max_by_key(|(suffix, _)| suffix.len())
        .map(|(_, unit)| unit)
}
