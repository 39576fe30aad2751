//! Mechanism files that come with the program, against independent results.
//!
//! Every case runs a shipped file (`softdock mechanism show NAME`) with the settings named in it.

use crate::error::Result;
use crate::sources::{ARM, L_MECHANISM, NIKRAVESH, TWO_LINK};
use crate::{Case, Demand, Quantity};
use softdock_mechanism::{analysis, library, prescribed, simulate};

/// The last time of the published tip positions, just before a turn at 1 rad/s ends [s].
const END_OF_A_TURN: f64 = 628.0 / 100.0;

const DIGITS: &str = "ten units of the last digit of the reference";
const EXUDYN: &str = "what the reference is trusted to";

/// A quantity with six digits behind the point.
const fn six(name: &'static str, unit: &'static str, reference: &'static [f64]) -> Quantity {
    Quantity {
        name,
        unit,
        demand: Demand::Absolute {
            reference,
            allowed: 1e-5,
        },
        reason: DIGITS,
    }
}

pub(super) const CASES: &[Case] = &[
    Case {
        name: "mechanism four-bar-inverse",
        source: NIKRAVESH,
        quantities: &[six("motor torque (printed 6.6577)", "N·m", &[6.675652])],
        ours: || {
            let torque = inverse("four-bar-inverse", &[("analysis.duration_s", "0.01")], 0.0);
            Ok(vec![columns(torque?, &["motor.torque_nm"])])
        },
    },
    Case {
        name: "mechanism slider-crank",
        source: NIKRAVESH,
        quantities: &[
            six("motor torque", "N·m", &[7.380987]),
            Quantity {
                name: "pins O and A",
                unit: "N",
                demand: Demand::Absolute {
                    reference: &[-50.3718, 42.4233, 50.3068, -32.7525],
                    allowed: 1e-3,
                },
                reason: DIGITS,
            },
        ],
        ours: || {
            let row = inverse("slider-crank", &[("analysis.duration_s", "0.01")], 0.0)?;
            let pins = ["o.force_x_n", "o.force_y_n", "a.force_x_n", "a.force_y_n"];
            Ok(vec![
                columns(row.clone(), &["motor.torque_nm"]),
                columns(row, &pins),
            ])
        },
    },
    Case {
        name: "mechanism two-bodies with rod",
        source: NIKRAVESH,
        quantities: &[Quantity {
            name: "accelerations",
            unit: "m/s², rad/s²",
            demand: Demand::Absolute {
                reference: &[5.87841, -5.33598, 45.33662, 5.89530, -30.76400, -18.14734],
                allowed: 1e-4,
            },
            reason: DIGITS,
        }],
        ours: || {
            let settings = [("parameters.rod", "1"), ("analysis.duration_s", "0.01")];
            let row = run("two-bodies", &settings, &[0.0])?.remove(0);
            let names = [
                "one.ax_m_per_s2",
                "one.ay_m_per_s2",
                "one.rate_change_rad_per_s2",
                "two.ax_m_per_s2",
                "two.ay_m_per_s2",
                "two.rate_change_rad_per_s2",
            ];
            Ok(vec![columns(row, &names)])
        },
    },
    Case {
        name: "mechanism sliding-pendulum",
        source: NIKRAVESH,
        quantities: &[six(
            "slider, pendulum and rates at 4 s",
            "m, rad, m/s, rad/s",
            &[1.058173, 0.019796, -0.483552, 1.370407],
        )],
        ours: || {
            let row = run("sliding-pendulum", &[], &[4.0])?.remove(0);
            let names = [
                "slider.x_m",
                "pendulum.angle_rad",
                "slider.vx_m_per_s",
                "pendulum.rate_rad_per_s",
            ];
            Ok(vec![columns(row, &names)])
        },
    },
    Case {
        name: "mechanism double-a-arm",
        source: NIKRAVESH,
        quantities: &[six(
            "height of the upright at 0.02, 0.1, 1 s",
            "m",
            &[0.341835, 0.313406, 0.320019],
        )],
        ours: || heights("double-a-arm", &[0.02, 0.1, 1.0]),
    },
    Case {
        name: "mechanism macpherson-a",
        source: NIKRAVESH,
        quantities: &[six(
            "height of the upright at 0.05, 0.1, 0.4 s",
            "m",
            &[0.287966, 0.284956, 0.285778],
        )],
        ours: || heights("macpherson-a", &[0.05, 0.1, 0.4]),
    },
    Case {
        name: "mechanism cart-b",
        source: NIKRAVESH,
        quantities: &[six("largest driver torque, at 1 s", "N·m", &[-7.304203])],
        ours: || {
            let row = inverse("cart-b", &[("analysis.duration_s", "2")], 1.0)?;
            Ok(vec![columns(row, &["motor.torque_nm"])])
        },
    },
    Case {
        name: "mechanism stick-slip by switching",
        source: NIKRAVESH,
        quantities: &[Quantity {
            name: "slip begins, its place, its duration (1.6247 is quoted, with a ratio inverted)",
            unit: "s, m, s",
            demand: Demand::Absolute {
                reference: &[1.962, 0.6962, 1.355631],
                allowed: 1e-4,
            },
            reason: "closed form of each phase; a step of 5 ms",
        }],
        ours: stick_slip,
    },
    Case {
        name: "mechanism pendulum-balls",
        source: NIKRAVESH,
        quantities: &[six("impacts", "s", &[0.170625, 0.511874, 0.853123])],
        ours: || {
            let outcome = outcome("pendulum-balls", &[])?;
            Ok(vec![outcome.events.iter().map(|(time, _)| *time).collect()])
        },
    },
    Case {
        name: "mechanism two-link-rr",
        source: TWO_LINK,
        quantities: &[six(
            "tip at 6.28 s, start smooth",
            "m",
            &[0.984306, 1.408567],
        )],
        ours: || {
            let row = run("two-link-rr", &[], &[END_OF_A_TURN])?.remove(0);
            Ok(vec![columns(row, &["tip.x_m", "tip.y_m"])])
        },
    },
    Case {
        name: "mechanism two-link-arm",
        source: ARM,
        quantities: &[Quantity {
            name: "frequencies at the start",
            unit: "Hz",
            demand: Demand::Relative {
                reference: &[1.78733, 1.88541, 9.86018, 12.51372],
                allowed: 1e-4,
            },
            reason: EXUDYN,
        }],
        ours: || Ok(vec![frequencies("two-link-arm", &[], 0, 4)?]),
    },
    Case {
        name: "mechanism l-torque",
        source: L_MECHANISM,
        quantities: &[
            Quantity {
                name: "frequencies, full",
                unit: "Hz",
                demand: Demand::Relative {
                    reference: &[
                        8.4347, 12.2653, 23.1514, 30.9320, 117.486, 119.223, 151.002, 171.513,
                    ],
                    allowed: 1e-4,
                },
                reason: EXUDYN,
            },
            Quantity {
                name: "frequencies, 20 fixed-interface modes, stiff in shear as the reference",
                unit: "Hz",
                demand: Demand::Relative {
                    reference: &[
                        8.435, 12.266, 23.159, 30.936, 117.59, 119.34, 151.16, 171.82,
                    ],
                    allowed: 1e-3,
                },
                reason: "what is promised of reduced bodies",
            },
        ],
        ours: || {
            let none = ("parameters.torque", "none");
            let fine = ("parameters.elements", "16");
            let reduced = ("parameters.model", "craig-bampton");
            let modes = ("parameters.modes", "20");
            // The reference is made of Euler-Bernoulli elements.
            let stiff = ("parameters.shear_factor", "1e4");
            Ok(vec![
                frequencies("l-torque", &[none, fine], 1, 9)?,
                frequencies("l-torque", &[none, fine, reduced, modes, stiff], 1, 9)?,
            ])
        },
    },
];

/// A row with the names of its values.
type Row = Vec<(String, f64)>;

fn columns(row: Row, names: &[&str]) -> Vec<f64> {
    let value = |name: &&str| {
        let found = row.iter().find(|(known, _)| known == name);
        found.map_or(f64::NAN, |(_, value)| *value)
    };
    names.iter().map(value).collect()
}

fn described(name: &str, settings: &[(&str, &str)]) -> Result<softdock_mechanism::Description> {
    let owned: Vec<(String, String)> = (settings.iter())
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    Ok(library::describe(name, &owned)?)
}

/// Rows of a run at the given times.
fn run(name: &str, settings: &[(&str, &str)], times: &[f64]) -> Result<Vec<Row>> {
    let description = described(name, settings)?;
    rows_at(&description, times, simulate::simulate)
}

/// The row of inverse dynamics at a time.
fn inverse(name: &str, settings: &[(&str, &str)], time: f64) -> Result<Row> {
    let description = described(name, settings)?;
    let rows = rows_at(&description, &[time], prescribed::inverse)?;
    Ok(rows.into_iter().next().unwrap_or_default())
}

type Runner = fn(
    &softdock_mechanism::Description,
    simulate::Rows<'_>,
) -> softdock_mechanism::Result<simulate::Outcome>;

fn rows_at(
    description: &softdock_mechanism::Description,
    times: &[f64],
    runner: Runner,
) -> Result<Vec<Row>> {
    let mut out = vec![Row::new(); times.len()];
    runner(description, &mut |time, values| {
        for (row, wanted) in out.iter_mut().zip(times) {
            if (time - wanted).abs() < 1e-9 {
                let names = description.outputs.iter().map(|part| part.name.clone());
                *row = names.zip(values.iter().copied()).collect();
            }
        }
        true
    })?;
    Ok(out)
}

fn outcome(name: &str, settings: &[(&str, &str)]) -> Result<simulate::Outcome> {
    let description = described(name, settings)?;
    Ok(simulate::simulate(&description, &mut |_, _| true)?)
}

fn heights(name: &str, times: &[f64]) -> Result<Vec<Vec<f64>>> {
    let rows = run(name, &[], times)?;
    Ok(vec![
        (rows.into_iter())
            .flat_map(|row| columns(row, &["upright.y_m"]))
            .collect(),
    ])
}

fn frequencies(name: &str, settings: &[(&str, &str)], from: usize, to: usize) -> Result<Vec<f64>> {
    let description = described(name, settings)?;
    let found = analysis::modes(&description)?.frequencies;
    Ok(found.get(from..to).unwrap_or_default().to_vec())
}

/// When the block first slips, where, and for how long.
fn stick_slip() -> Result<Vec<Vec<f64>>> {
    let settings = [
        ("parameters.law", "switching"),
        ("analysis.duration_s", "4"),
    ];
    let outcome = outcome("stick-slip", &settings)?;
    let time_of = |text: &str, after: f64| {
        let mut events = outcome.events.iter();
        let found = events.find(|(time, event)| *time > after && event == text);
        found.map_or(f64::NAN, |(time, _)| *time)
    };
    let begins = time_of("friction_stick opens", 0.0);
    let ends = time_of("friction_stick closes", begins);
    // While it sticks it moves with the belt, 0.1 m/s from 0.5 m.
    Ok(vec![vec![begins, 0.5 + 0.1 * begins, ends - begins]])
}
