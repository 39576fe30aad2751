//! What a person reads on the terminal after a docking.

use super::execute::{Ended, Finished};
use super::requirements;
use crate::summary::{Summary, significant};
use softdock_docking::convergence::FigureError;
use softdock_docking::{EnergySummary as Energy, Figure, Summary as Docking, story};

/// The summary of a run: what happened, then the figures.
pub fn for_people(name: &str, finished: &Finished) -> Summary {
    let mut out = Summary::new(format!("Docking: {name}"));
    out.lead(story(finished));
    let figures = &finished.figures;
    out.text(Docking::outcome.label, figures.outcome.to_string(), "");
    out.soundness(&figures.soundness);
    contact(&mut out, figures);
    legs(&mut out, figures);
    for figure in [
        &Docking::max_panel_deflection_m,
        &Docking::max_panel_root_moment_nm,
    ] {
        if figure.number(figures).is_some() {
            add(&mut out, figures, figure, "");
        }
    }
    requirements::add(&mut out, figures);
    errors(&mut out, finished);
    energy(&mut out, figures);
    add(&mut out, figures, &Docking::max_joint_gap_m, "");
    if let Some(coupling) = finished.coupling() {
        out.text("coupling", coupling, "");
    }
    let wall = significant(finished.circumstances.wall_s, 3);
    let simulated = Docking::simulated_s.short(figures);
    out.text(
        "simulated",
        simulated,
        &format!("s in {wall} s of wall time"),
    );
    out
}

/// A figure with its name and unit, and `more` behind.
fn add(out: &mut Summary, figures: &Docking, figure: &Figure, more: &str) {
    let unit = format!("{}{more}", figure.shown_unit);
    out.text(figure.label, figure.short(figures), &unit);
}

/// Loads at the mating plane, in the order in which they are told.
const INTERFACE: [Figure; 5] = [
    Docking::peak_interface_compression_n,
    Docking::peak_interface_tension_n,
    Docking::peak_interface_shear_n,
    Docking::peak_interface_bending_nm,
    Docking::peak_interface_torsion_nm,
];

fn contact(out: &mut Summary, figures: &Docking) {
    let touched = figures.first_touch_s.is_some();
    let when = format!("  at {} s", Docking::peak_contact_time_s.short(figures));
    let when = if touched { &when } else { "" };
    add(out, figures, &Docking::peak_contact_force_n, when);
    add(out, figures, &Docking::contact_impulse_n_s, "");
    if figures.outcome.met() {
        for figure in &INTERFACE {
            add(out, figures, figure, "");
        }
    }
    if figures.capture_time_s.is_some() {
        out.text("capture at", Docking::capture_time_s.short(figures), "s");
    }
    let settling = &Docking::settling_time_s;
    match figures.settling_time_s {
        Some(_) => add(out, figures, settling, "  after the touch"),
        None if touched => {
            out.text(settling.label, "none", "  it still moves at the end");
        }
        None => {
            out.text(settling.label, "-", "");
        }
    }
}

fn legs(out: &mut Summary, figures: &Docking) {
    let percent = |part: f64| significant(100.0 * part, 2);
    let part = percent(figures.leg_stroke_over_limit);
    let part = format!("  {part} % of its limit");
    add(out, figures, &Docking::max_leg_stroke_m, &part);
    let slack = match figures.max_slack_time_s {
        time if time > 0.0 => format!("  slack for {} s", significant(time, 3)),
        _ => "  never slack".to_owned(),
    };
    add(out, figures, &Docking::tendon_tension_range_n, &slack);
    add(out, figures, &Docking::peak_motor_torque_nm, "");
    let used = figures.max_motor_range_use;
    if used > 0.0 {
        let used = format!("  {} % of its working range", percent(used));
        add(out, figures, &Docking::max_motor_turn_rad, &used);
    }
}

/// Part of the energy brought in that is nothing.
const NOTHING: f64 = 1e-12;

/// Where the energy went, in the order in which it is told.
const ENERGIES: [Figure; 9] = [
    Energy::motor_work_j,
    Energy::bodies_j,
    Energy::legs_change_j,
    Energy::contact_stored_j,
    Energy::lost_in_legs_j,
    Energy::lost_in_contact_j,
    Energy::lost_in_friction_j,
    Energy::lost_in_latch_j,
    Energy::lost_in_panels_j,
];

fn energy(out: &mut Summary, figures: &Docking) {
    let brought = &Energy::brought_in_j;
    let label = format!("energy {}", brought.label);
    out.text(&label, brought.short(figures), brought.shown_unit);
    let nothing = NOTHING * figures.energy.brought_in_j.abs();
    for figure in &ENERGIES {
        // What plays no part takes no line.
        if figure
            .number(figures)
            .is_some_and(|joule| joule.abs() > nothing)
        {
            let label = format!("  {}", figure.label);
            out.text(&label, figure.short(figures), figure.shown_unit);
        }
    }
    let missing = Docking::energy_residual_rel.short(figures);
    out.text("  missing", missing, "of what moved");
}

/// Errors of figures, if they were asked for.
fn errors(out: &mut Summary, finished: &Finished) {
    for FigureError { figure, error } in finished.errors.iter().flat_map(|all| &all.figures) {
        let label = format!("numerical error: {}", figure.label);
        let shown = significant(figure.scaled(*error), 2);
        out.text(&label, shown, figure.shown_unit);
    }
}

/// What happened and why.
fn story(finished: &Finished) -> String {
    let figures = &finished.figures;
    let mut text = story::whole(finished.run.scenario(), figures);
    if figures.soundness.is_suspect() {
        text += " SUSPECT: do not use these figures before you know why.";
    }
    match &finished.ended {
        Ended::Complete => {}
        Ended::Stopped => text += " Stopped before the end: the results are incomplete.",
        Ended::Failed(_) => text += " The run could not go on: the results are incomplete.",
    }
    text
}
