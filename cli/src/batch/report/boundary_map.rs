//! Where capture ends, from the runs of a study: two inputs drawn against each other.
//!
//! The inputs with the largest total effects on capture span the map. A Gaussian process fitted to the runs
//! over all inputs says how likely a capture is. One map holds the other inputs at their medians and shows
//! the zone in which the boundary lies; the other one lets them vary as they do in the study.

use super::answers::Driver;
use super::data::{Data, Input};
use super::pictures;
use crate::batch::boundary::contour::contour;
use crate::batch::results::{CONFIDENCE, level, percent};
use anyhow::Result;
use softdock_docking::Outcome;
use softdock_report::{Answer, Group, Line, Scatter};
use softdock_study::sampling::distribution::Distribution;
use softdock_study::sampling::random::{Generator, Stream};
use softdock_study::statistics::EventMap;

/// Places of a map along an input.
const LEVELS: usize = 41;
/// Draws of the other inputs at each place.
const DRAWS: u64 = 64;
/// Probabilities whose lines the second map shows.
const SHARES: [f64; 3] = [0.1, 0.5, 0.9];
/// Below this share of the variance the process does not know where the boundary is.
const LEAST_PREDICTED: f64 = 0.2;

/// The two inputs of a map.
struct Area<'a> {
    /// Their places among the inputs.
    places: [usize; 2],
    inputs: [&'a Input; 2],
    distributions: [&'a Distribution; 2],
    /// How many inputs there are.
    count: usize,
}

impl Area<'_> {
    /// A point of the unit cube at a place of the map, the others as given.
    fn point(&self, x: f64, y: f64, others: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut point: Vec<f64> = (0..self.count).map(others).collect();
        point[self.places[0]] = x;
        point[self.places[1]] = y;
        point
    }

    /// The line on which values over the map equal `level`.
    fn line(&self, name: &str, values: &[f64], level: f64, dashed: bool) -> Line {
        let (x, y) = contour(values, LEVELS, level);
        let value = |k: usize, u: f64| match u.is_nan() {
            true => f64::NAN,
            false => self.distributions[k]
                .quantile(inner(u))
                .number()
                .unwrap_or(f64::NAN),
        };
        Line {
            name: name.to_owned(),
            dashed,
            x: x.into_iter().map(|u| value(0, u)).collect(),
            y: y.into_iter().map(|u| value(1, u)).collect(),
        }
    }

    /// Values at all places, the first input fastest.
    fn values(&self, value: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let at = |i: usize| inner(i as f64 / (LEVELS - 1) as f64);
        let places = (0..LEVELS * LEVELS).map(|i| (at(i % LEVELS), at(i / LEVELS)));
        places.map(|(x, y)| value(x, y)).collect()
    }
}

/// A coordinate off the ends of the unit cube, where a distribution may be infinite.
fn inner(u: f64) -> f64 {
    u.clamp(0.005, 0.995)
}

/// The maps; none where the runs do not tell where capture ends.
pub fn answer(driver: &Driver, data: &Data<'_>) -> Result<Option<Answer>> {
    let distributions = data.plan.study().distributions()?;
    let Some(area) = area(driver, data, &distributions) else {
        return Ok(None);
    };
    let (u, y) = pictures::points(&driver.values, data);
    let Some(map) = EventMap::fitted(&u, &y).filter(|map| map.predicted > LEAST_PREDICTED) else {
        return Ok(None);
    };
    let sentence = format!(
        "By a Gaussian process fitted to {} runs, which predicts {} % of the variance of capture in runs it \
         has not seen. softdock batch boundary places runs near the boundary and knows it better.",
        map.rows,
        percent(map.predicted.clamp(0.0, 1.0))
    );
    let blocks = vec![at_medians(&area, &map, data)?, of_all(&area, &map, data)?];
    Ok(Some(Answer {
        title: "Where capture ends".to_owned(),
        sentence,
        blocks: blocks.into_iter().map(Into::into).collect(),
    }))
}

/// The two inputs with the largest total effects that have a range.
fn area<'a>(
    driver: &Driver,
    data: &'a Data<'_>,
    distributions: &'a [Distribution],
) -> Option<Area<'a>> {
    let surrogate = driver.surrogate.as_ref()?;
    let mut ranked: Vec<usize> = (0..data.inputs.len())
        .filter(|&i| distributions[i].levels().is_none())
        .collect();
    let total = |i: usize| surrogate.inputs[i].total;
    ranked.sort_by(|&a, &b| total(b).total_cmp(&total(a)));
    let &[x, y, ..] = &ranked[..] else {
        return None;
    };
    Some(Area {
        places: [x, y],
        inputs: [&data.inputs[x], &data.inputs[y]],
        distributions: [&distributions[x], &distributions[y]],
        count: data.inputs.len(),
    })
}

/// The boundary with the other inputs at their medians, and the zone in which it lies.
fn at_medians(area: &Area<'_>, map: &EventMap, data: &Data<'_>) -> Result<Scatter> {
    let values = area.values(|x, y| map.probability(&area.point(x, y, |_| 0.5)));
    let tail = 0.5 * (1.0 - CONFIDENCE);
    let lines = vec![
        area.line("as likely as not", &values, 0.5, false),
        area.line("possible from here (2.5 %)", &values, tail, true),
        area.line("sure from here (97.5 %)", &values, 1.0 - tail, true),
    ];
    let sentence = "With the other inputs at their medians. The boundary lies between the dashed lines, as \
                    far as it is smooth. The runs have other inputs of their own, which move it.";
    scatter(area, data, "Boundary of capture", sentence, lines)
}

/// How often runs are captured when the other inputs vary.
fn of_all(area: &Area<'_>, map: &EventMap, data: &Data<'_>) -> Result<Scatter> {
    let generator = Generator::new(3);
    let draws: Vec<Vec<f64>> = (0..DRAWS)
        .map(|i| {
            let draw = |j: usize| generator.uniform(Stream::Candidates, j as u32, i);
            (0..area.count).map(draw).collect()
        })
        .collect();
    let values = area.values(|x, y| {
        let likely = |draw: &&Vec<f64>| map.is_likely(&area.point(x, y, |j| draw[j]));
        draws.iter().filter(likely).count() as f64 / DRAWS as f64
    });
    let line = |share: &f64| {
        let name = format!("{} % captured", level(*share));
        area.line(&name, &values, *share, *share != 0.5)
    };
    let lines = SHARES.iter().map(line).collect();
    let sentence =
        "With the other inputs as in the study: the wider apart the lines, the more they decide.";
    scatter(area, data, "Probability of capture", sentence, lines)
}

fn scatter(
    area: &Area<'_>,
    data: &Data<'_>,
    title: &str,
    sentence: &str,
    lines: Vec<Line>,
) -> Result<Scatter> {
    let column = |input: &Input| anyhow::Ok(data.column(input)?.numbers().unwrap_or_default());
    let (x, y) = (column(area.inputs[0])?, column(area.inputs[1])?);
    let places = pictures::some_places(data);
    let group = |wanted: Outcome| {
        let own = places
            .iter()
            .copied()
            .filter(|&i| data.outcome[i] == Some(wanted));
        let labels: Vec<(usize, String)> = own.map(|i| (i, data.label(i))).collect();
        let points = labels
            .iter()
            .map(|(i, label)| (x[*i], y[*i], label.as_str(), data.report(*i)));
        Group::new(&wanted.to_string(), points)
    };
    let met = Outcome::ALL.into_iter().filter(|outcome| outcome.met());
    Ok(Scatter {
        title: title.to_owned(),
        sentence: format!("{sentence}{}", pictures::chosen(data, &places)),
        x: area.inputs[0].axis.clone(),
        y: area.inputs[1].axis.clone(),
        groups: met.map(group).collect(),
        lines,
    })
}
