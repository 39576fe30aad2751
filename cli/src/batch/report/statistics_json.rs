//! Every figure of a study for programs.

use super::answers::Driver;
use super::data::Data;
use super::limits::Kept;
use super::measure::Measure;
use crate::batch::results::{CONFIDENCE, PROBABILITIES, distribution_json, ends, number};
use anyhow::Result;
use serde_json::{Map, Value as Json, json};
use softdock_study::Kind;
use softdock_study::statistics::{
    ElementaryEffects, Exceedance, Indices, InputSensitivity, Sensitivity, SobolIndex, Surrogate,
    SurrogateKind, distribution, exceedance,
};

/// Distributions of all figures, what drives the named ones, exceedance curves and limits.
pub fn all(data: &Data<'_>, named: &[Measure], drivers: &[Driver], kept: &[Kept]) -> Result<Json> {
    let mut figures = Map::new();
    for figure in data.plan.figures().iter().filter(|f| f.kind != Kind::Text) {
        let values = data.counted(&figure.name)?;
        let found = distribution(&values, &data.dependence, &PROBABILITIES, CONFIDENCE);
        let value = found.as_ref().map_or(Json::Null, distribution_json);
        figures.insert(figure.name.clone(), value);
    }
    let mut curves = Map::new();
    for measure in named {
        let curve = exceedance(&data.counted(&measure.key)?, &data.dependence, CONFIDENCE);
        let points = curve.iter().map(point).collect();
        curves.insert(measure.key.clone(), Json::Array(points));
    }
    let mut sensitivities = Map::new();
    for driver in drivers {
        let mut value = sensitivity(&driver.found);
        let surrogate = driver.surrogate.as_ref();
        value["expansion"] = surrogate.map_or(Json::Null, |found| expansion(data, found));
        if let Some(effects) = &driver.effects {
            value["elementary_effects"] = elementary(data, effects);
        }
        sensitivities.insert(driver.found.figure.clone(), value);
    }
    Ok(json!({
        "figures": figures,
        "sensitivities": sensitivities,
        "exceedance": curves,
        "limits": kept.iter().map(Kept::json).collect::<Vec<Json>>(),
    }))
}

fn point(point: &Exceedance) -> Json {
    json!({
        "value": number(point.value),
        "share_above": point.share,
        "band_95": point.band.map(ends),
    })
}

fn expansion(data: &Data<'_>, found: &Surrogate) -> Json {
    let inputs: Vec<Json> = data
        .inputs
        .iter()
        .zip(&found.inputs)
        .map(|(input, index)| {
            json!({
                "input": input.key,
                "first_order": index.first_order,
                "first_order_limits": ends(index.first_order_limits),
                "total": index.total,
                "total_limits": ends(index.total_limits),
            })
        })
        .collect();
    json!({
        "predicted_share": found.predicted,
        "kind": match found.kind {
            SurrogateKind::Expansion(_) => "polynomial_chaos",
            SurrogateKind::Process => "gaussian_process",
            SurrogateKind::Classifier => "gaussian_process_classifier",
        },
        "rows": found.rows,
        "inputs": inputs,
    })
}

fn elementary(data: &Data<'_>, effects: &[ElementaryEffects]) -> Json {
    let row = |(input, found): (&super::data::Input, &ElementaryEffects)| {
        json!({
            "input": input.key,
            "mean_magnitude": number(found.mean_magnitude),
            "interval_95": found.interval.map(ends),
            "std_dev": number(found.std_dev),
            "effects": found.count,
        })
    };
    data.inputs.iter().zip(effects).map(row).collect()
}

fn sensitivity(found: &Sensitivity) -> Json {
    let inputs: Vec<Json> = found.inputs.iter().map(input).collect();
    json!({
        "rows": found.rows,
        "left_out": found.left_out,
        "coverage": found.coverage.key(),
        "inputs": inputs,
    })
}

fn input(input: &InputSensitivity) -> Json {
    let index = |index: &SobolIndex| {
        let known = index.interval.low.is_finite();
        json!({
            "estimate": number(index.estimate),
            "interval_95": known.then(|| ends(index.interval)),
        })
    };
    let (first, total) = match &input.indices {
        Indices::Saltelli { first_order, total } => (Some(index(first_order)), Some(index(total))),
        Indices::GivenData(first) => (Some(index(&first.index)), None),
        Indices::Unknown => (None, None),
    };
    json!({
        "input": input.input,
        "rank_correlation": input.spearman.as_ref().map(|rank| json!({
            "estimate": rank.coefficient,
            "interval_95": rank.interval.map(ends),
            "coverage": "conservative",
            "p_value": rank.p_value,
        })),
        "first_order": first,
        "total": total,
    })
}
