//! The report of a docking: one run, or several side by side.

mod charts;
mod compare;
mod sweep;

pub use sweep::{SweepCurve, SweepPoint, SweepReport};

use crate::block::{Block, Heading};
use crate::chart::Level;
use crate::figure::Figure;
use crate::page::Page;
use crate::scene::Scene;
use crate::table::{Cell, Listing, Table};

/// A report of one docking or of several side by side.
#[derive(Debug, Clone, Default)]
pub struct DockingReport {
    /// Heading.
    pub title: String,
    /// What was computed, in a sentence or two.
    pub lead: String,
    /// The runs; several are compared.
    pub runs: Vec<DockingRun>,
}

/// A limit that a user set, drawn into the chart with this heading.
#[derive(Debug, Clone)]
pub struct ChartLimit {
    /// Heading of the chart.
    pub chart: String,
    /// Where the limit is, in the unit of the chart, and its name.
    pub level: Level,
}

/// A row of a table of limits: what it is called, value, limit, margin, whether it is kept.
#[derive(Debug, Clone)]
pub struct LimitRow {
    /// Name of the limit.
    pub name: String,
    /// The value with its unit.
    pub value: String,
    /// The limit with its unit.
    pub limit: String,
    /// What is left until the limit.
    pub margin: String,
    /// How much of the limit is used: one at the limit, more beyond it; none if that says nothing.
    pub used: Option<f64>,
    /// Whether it is kept.
    pub met: bool,
    /// Where the limit comes from.
    pub source: String,
}

/// One docking.
#[derive(Debug, Clone, Default)]
pub struct DockingRun {
    /// Name of the scenario.
    pub name: String,
    /// What happened and why.
    pub story: String,
    /// Requirements of the user.
    pub requirements: Vec<LimitRow>,
    /// Limits of the platform itself.
    pub margins: Vec<LimitRow>,
    /// Requirements that are drawn into charts.
    pub limits: Vec<ChartLimit>,
    /// Why the run ended early, if it did.
    pub incomplete: Option<String>,
    /// Why its figures are not to be believed, a sentence each.
    pub doubts: Vec<String>,
    /// The figures at the top of the page.
    pub headlines: Vec<Figure>,
    /// All figures.
    pub figures: Vec<Figure>,
    /// What happened over time.
    pub series: DockingSeries,
    /// The motion in space.
    pub scene: Option<Scene>,
    /// The resolved configuration as TOML.
    pub config_text: String,
    /// Files of the run: name, relative address, what is in it.
    pub files: Vec<[String; 3]>,
}

/// What happened over time. Every list has an entry per time, or is empty if it is not known; what
/// is empty is not shown. Lists per leg have a list for each leg, in the order of the legs.
#[derive(Debug, Clone, Default)]
pub struct DockingSeries {
    /// Times [s], growing.
    pub time_s: Vec<f64>,
    /// Magnitude of the resultant contact force [N].
    pub contact_force_n: Vec<f64>,
    /// Friction's part of it [N].
    pub friction_force_n: Vec<f64>,
    /// Axial force at the mating plane, tension positive, then shear [N].
    pub interface_force_n: [Vec<f64>; 2],
    /// Bending and torsion at the mating plane, then the moment of the contact alone [N·m].
    pub interface_moment_nm: [Vec<f64>; 3],
    /// Gap, angle and relative speed over the latch's limits [-].
    pub latch_shares: [Vec<f64>; 3],
    /// Smallest gap between the contact surfaces [m], negative where they press into each other.
    pub gap_m: Vec<f64>,
    /// Position of the target's interface seen from the end effector's: x and y lateral, z along
    /// the docking axis [m].
    pub position_error_m: [Vec<f64>; 3],
    /// Pitch, yaw and roll of the target's interface seen from the end effector's [°].
    pub angle_error_deg: [Vec<f64>; 3],
    /// Force of each leg on the end effector along its chord [N], positive when it pushes.
    pub leg_force_n: Vec<Vec<f64>>,
    /// Change of each leg's chord since the start [m].
    pub leg_stroke_m: Vec<Vec<f64>>,
    /// Tension of each tendon [N].
    pub tendon_tension_n: Vec<Vec<f64>>,
    /// Angle of each crank [°].
    pub crank_angle_deg: Vec<Vec<f64>>,
    /// Torque of each motor [N·m].
    pub motor_torque_nm: Vec<Vec<f64>>,
    /// Largest stress of each leaf [Pa].
    pub leaf_stress_pa: Vec<Vec<f64>>,
    /// Turn of each leg's universal joint and of its spherical joint since the start [°].
    pub joint_turn_deg: [Vec<Vec<f64>>; 2],
    /// Parts of the energy account by name [J].
    pub energy_j: Vec<(String, Vec<f64>)>,
    /// What the energy account misses [J].
    pub energy_residual_j: Vec<f64>,
    /// Beginning and end of each contact [s].
    pub contacts_s: Vec<[f64; 2]>,
    /// Least and largest stroke that a leg allows [m].
    pub stroke_limits_m: Option<[f64; 2]>,
    /// Largest torque of a motor [N·m].
    pub torque_limit_nm: Option<f64>,
    /// Ends of the cranks' range, if all of them have the same [°].
    pub crank_limits_deg: Option<[f64; 2]>,
    /// Yield strength of the leaves [Pa].
    pub yield_strength_pa: Option<f64>,
    /// Limits of the turns of universal and spherical joints [°].
    pub joint_limits_deg: Option<[f64; 2]>,
}

impl DockingReport {
    /// The whole file.
    pub fn html(&self) -> Result<String, serde_json::Error> {
        self.page().html()
    }

    /// The page, for those who want to add to it.
    pub fn page(&self) -> Page {
        let (figures, blocks) = match self.runs.as_slice() {
            [run] => (run.headlines.clone(), self.single(run)),
            runs => (Vec::new(), compare::blocks(runs)),
        };
        let story = match self.runs.as_slice() {
            [run] if !run.story.is_empty() => format!("{} {}", run.story, self.lead),
            _ => self.lead.clone(),
        };
        Page {
            title: self.title.clone(),
            lead: story.trim_end().to_owned(),
            warning: self.warning(),
            figures,
            blocks,
            dense: false,
        }
    }

    fn warning(&self) -> Option<String> {
        let alone = self.runs.len() == 1;
        let mut texts = Vec::new();
        for run in &self.runs {
            let head = |word: &str| match run.name.as_str() {
                name if alone || name.is_empty() => word.to_owned(),
                name => format!("{word} ({name})"),
            };
            if let Some(why) = &run.incomplete {
                texts.push(format!("{}: {why}", head("Incomplete")));
            }
            if !run.doubts.is_empty() {
                texts.push(format!("{}: {}.", head("Suspect"), run.doubts.join("; ")));
            }
            let missed = run.requirements.iter().filter(|row| !row.met);
            let missed: Vec<String> = missed
                .map(|row| format!("{} ({}, {} asked for)", row.name, row.value, row.limit))
                .collect();
            if !missed.is_empty() {
                texts.push(format!("{}: {}.", head("Not met"), missed.join("; ")));
            }
        }
        (!texts.is_empty()).then(|| texts.join(" "))
    }

    fn single(&self, run: &DockingRun) -> Vec<Block> {
        let series = &run.series;
        let mut blocks: Vec<Block> = Vec::new();
        let verdict = [
            limit_table(
                "Requirements",
                "What was asked for, and what is left of it.",
                &run.requirements,
            ),
            limit_table(
                "Margins",
                "What is left until the limits of the platform itself.",
                &run.margins,
            ),
        ];
        let verdict: Vec<Block> = verdict.into_iter().flatten().collect();
        push_group(&mut blocks, "Verdict", "Is it good enough?", verdict);
        let mut pictures: Vec<Block> = run.scene.clone().map(Block::from).into_iter().collect();
        pictures.extend(charts::first(series));
        if blocks.is_empty() {
            blocks.extend(pictures);
        } else {
            let sentence = "The motion, and the force of the contact.";
            push_pictures(&mut blocks, sentence, pictures);
        }
        let groups = [
            (
                "Capture",
                "What kept or let the latch close?",
                charts::capture(series),
            ),
            (
                "Interface",
                "Loads at the mating plane between end effector and target.",
                charts::interface(series),
            ),
            (
                "Approach",
                "How the two interfaces come together.",
                charts::approach(series),
            ),
            ("Legs", "What each of the legs does.", charts::legs(series)),
            ("Energy", "Where the energy goes.", charts::energy(series)),
        ];
        for (title, sentence, charts) in groups {
            push_group(&mut blocks, title, sentence, charts);
        }
        push_group(
            &mut blocks,
            "Details",
            "Everything that was measured, and what was asked for.",
            details(run),
        );
        draw_limits(&mut blocks, &run.limits);
        blocks
    }
}

/// The pictures that everybody looks at first; nothing if there are none.
fn push_pictures(blocks: &mut Vec<Block>, sentence: &str, pictures: Vec<Block>) {
    if !pictures.is_empty() {
        blocks.push(Block::Heading(Heading {
            title: "What happened".to_owned(),
            sentence: sentence.to_owned(),
            beside: false,
        }));
        blocks.extend(pictures);
    }
}

/// Draws limits into the charts that they belong to.
fn draw_limits(blocks: &mut [Block], limits: &[ChartLimit]) {
    for block in blocks {
        if let Block::Chart(chart) = block {
            let own = limits.iter().filter(|limit| limit.chart == chart.title);
            chart.levels.extend(own.map(|limit| limit.level.clone()));
        }
    }
}

/// A table of limits; nothing if there are none.
fn limit_table(title: &str, sentence: &str, rows: &[LimitRow]) -> Option<Block> {
    let row = |limit: &LimitRow| {
        let verdict = if limit.met { "met" } else { "NOT MET" };
        let texts = [&limit.name, &limit.value, &limit.limit];
        let mut cells: Vec<Cell> = texts.into_iter().map(|text| Cell::text(&**text)).collect();
        cells.push(limit.used.map_or_else(|| Cell::text("–"), Cell::used));
        cells.push(Cell::text(&*limit.margin));
        cells.push(Cell::text(verdict));
        cells.push(Cell::text(&*limit.source));
        cells
    };
    let columns = [
        "limit on", "value", "limit", "used", "margin", "verdict", "from",
    ];
    (!rows.is_empty()).then(|| {
        Block::Table(Table {
            title: title.to_owned(),
            sentence: sentence.to_owned(),
            columns: columns.map(str::to_owned).to_vec(),
            rows: rows.iter().map(row).collect(),
        })
    })
}

/// A group of blocks with its heading; nothing if it is empty. Scenes stand beside each other.
fn push_group(blocks: &mut Vec<Block>, title: &str, sentence: &str, group: Vec<Block>) {
    if group.is_empty() {
        return;
    }
    blocks.push(Block::Heading(Heading {
        title: title.to_owned(),
        sentence: sentence.to_owned(),
        beside: matches!(group[0], Block::Scene(_)),
    }));
    blocks.extend(group);
}

/// Figures, files and configuration of a run.
fn details(run: &DockingRun) -> Vec<Block> {
    let mut blocks = Vec::new();
    if !run.figures.is_empty() {
        let row = |figure: &Figure| vec![Cell::text(&*figure.label), Cell::figure(figure)];
        blocks.push(Block::Table(Table {
            title: "All figures".to_owned(),
            sentence: "The machine-readable summary of the run.".to_owned(),
            columns: vec!["figure".to_owned(), "value".to_owned()],
            rows: run.figures.iter().map(row).collect(),
        }));
    }
    if !run.files.is_empty() {
        let row = |[name, address, what]: &[String; 3]| {
            vec![Cell::link(name.clone(), address), Cell::text(what.clone())]
        };
        blocks.push(Block::Table(Table {
            title: "Files".to_owned(),
            sentence: "Written beside this page.".to_owned(),
            columns: vec!["file".to_owned(), "content".to_owned()],
            rows: run.files.iter().map(row).collect(),
        }));
    }
    blocks.extend(listing("Configuration", &run.config_text));
    blocks
}

/// The resolved configuration, folded away; nothing if there is none.
pub(crate) fn listing(title: &str, text: &str) -> Option<Block> {
    (!text.is_empty()).then(|| {
        Block::Listing(Listing {
            title: title.to_owned(),
            sentence: "Every setting with its value, as this was computed.".to_owned(),
            text: text.to_owned(),
        })
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn run(name: &str, force: f64) -> DockingRun {
        let peak = Figure::number("peak", force, 3, "N").keyed("peak_contact_force_n", force);
        DockingRun {
            name: name.to_owned(),
            headlines: vec![peak.clone()],
            figures: vec![
                peak,
                Figure::text("legs", "native", "").keyed("legs", "native"),
            ],
            series: DockingSeries {
                time_s: vec![0.0, 1.0, 2.0],
                contact_force_n: vec![0.0, force, f64::NAN],
                leg_stroke_m: vec![vec![0.0, 1e-3, 2e-3]; 6],
                ..DockingSeries::default()
            },
            config_text: format!("closing_speed_m_s = {force}\n[target]\nmass_kg = 500\n"),
            ..DockingRun::default()
        }
    }

    fn report(runs: Vec<DockingRun>) -> DockingReport {
        DockingReport {
            title: "Docking".to_owned(),
            runs,
            ..DockingReport::default()
        }
    }

    #[test]
    fn an_empty_report_is_a_page() {
        assert!(report(vec![]).html().unwrap().contains("<h1>Docking</h1>"));
        let bare = report(vec![DockingRun::default()]).html().unwrap();
        assert!(!bare.contains("class=\"figures\"") && !bare.contains("<section"));
    }

    #[test]
    fn only_what_is_known_is_shown() {
        let html = report(vec![run("a", 45.5)]).html().unwrap();
        // The force stands before the first group, the strokes are in one.
        assert!(html.contains("<h2>Contact force</h2>"));
        assert!(html.contains(">Leg stroke</h") && !html.contains(">Tendon tension</h"));
        assert!(html.contains("data-key=\"peak_contact_force_n\" data-value=\"45.5\""));
    }

    #[test]
    fn runs_are_compared_by_name_and_by_setting() {
        let html = report(vec![run("slow", 45.5), run("fast", 60.0)])
            .html()
            .unwrap();
        assert!(html.contains("data-key=\"slow/peak_contact_force_n\" data-value=\"45.5\""));
        assert!(html.contains("data-key=\"fast/peak_contact_force_n\" data-value=\"60.0\""));
        assert!(html.contains("closing_speed_m_s"));
        let table = html.split("What differs").nth(1).unwrap();
        let table = table.split("</table>").next().unwrap();
        assert!(!table.contains("mass_kg"), "both have the same mass");
    }

    #[test]
    fn an_incomplete_run_says_so() {
        let mut stopped = run("a", 1.0);
        stopped.incomplete = Some("interrupted at t = 1.2 s.".to_owned());
        let html = report(vec![stopped.clone()]).html().unwrap();
        assert!(html.contains("role=\"alert\">Incomplete: interrupted at t = 1.2 s."));
        let html = report(vec![stopped, run("b", 2.0)]).html().unwrap();
        assert!(html.contains("Incomplete (a): interrupted"));
    }

    #[test]
    fn a_suspect_run_says_why_before_anything_else() {
        let mut doubtful = run("a", 1.0);
        let verdict = Figure::text("soundness", "suspect", "").keyed("soundness", "suspect");
        doubtful.headlines.push(verdict);
        doubtful.doubts.push("it <leaks>".to_owned());
        let html = report(vec![doubtful.clone()]).html().unwrap();
        assert!(html.contains("role=\"alert\">Suspect: it &lt;leaks&gt;."));
        assert!(html.contains("data-key=\"soundness\" data-value=\"&quot;suspect&quot;\""));
        let html = report(vec![doubtful, run("b", 2.0)]).html().unwrap();
        assert!(html.contains("Suspect (a): it &lt;leaks&gt;."));
        assert!(html.contains("data-key=\"a/soundness\""));
    }

    #[test]
    fn the_same_report_gives_the_same_bytes() {
        let make = || report(vec![run("a", 1.0), run("b", 2.0)]).html().unwrap();
        assert_eq!(make(), make());
    }
}
