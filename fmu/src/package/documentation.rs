//! The page that an importer shows: how the model is used, and every variable.

use crate::model::ModelKind;
use softdock_xml::{Causality, ModelDescription, ScalarVariable, VariableType};
use std::fmt::Write;

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:62em;margin:2em auto;padding:0 1em;\
color:#222}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.2em .6em;\
border-bottom:1px solid #ddd;vertical-align:top}code{font-size:.95em}td:nth-child(3),\
td:nth-child(4){white-space:nowrap}";

/// How steps work, for both models.
const STEPS: &str = "<h2>Steps</h2>
<p>Communication steps may vary. One shorter than 1e-4 of <code>solver.step</code>, as rounding of the
caller's clock makes it, moves the time alone; the leg catches up with the next one. The start time has
no influence on the results. The leg divides a step
evenly into steps of its own solver, at most <code>solver.step</code> long. Inputs are constant
over a step, or polynomials up to third order where <code>fmi2SetRealInputDerivatives</code> was
called for it. Outputs are those at the end of the last step: no output depends on an input that is
set at the same communication point. First derivatives of outputs by time are available.</p>
<p>A step that fails returns <code>fmi2Discard</code> and leaves the leg where it was; the time
reached can be read with <code>fmi2GetRealStatus</code>, and an earlier state restored.</p>
<p><code>fmi2GetDirectionalDerivative</code> gives the derivative of any output at the end of the
last step by the value that any input had for it: exact derivatives of the discrete solution, as a
master needs them that repeats the step.</p>
<p>Saved states can be serialised and are valid in any process that has the same model (the same
GUID). All values are in SI units and radians.</p>
";

const PLANAR: &str = "<h2>The leg</h2>
<p>In the plane, x to the right and y up: a crank OA turns about O under its motor, an upper link CB
about C; a leaf spring AB is bowed outward by a tendon along AB, which pulls and never pushes. The
simulation starts from the pre-tensioned equilibrium, at rest; with default inputs the motor lets
go and the leg swings, damped by its tendon.</p>
";

const SPATIAL: &str = "<h2>The leg</h2>
<p>A motor at O turns a crank OA; a universal joint at A carries the root of a leaf spring AB, which
a tendon along AB keeps bowed; the tip B is a spherical joint. What holds the tip prescribes its
motion and feels <code>tip.force</code>. Over a step the tip follows the cubic from where it is to
<code>tip.position</code> with <code>tip.velocity</code>, both at the <em>end</em> of the step.
Where derivatives of a position are given, they make a polynomial from the start of the step.</p>
<p>A body that holds the tip feels the force over the whole step, not only at its end, where waves of
the leaf would look slow if the step is longer than they are. With s from 0 to 1 over the last step,
the cubic nearest to the force is <code>tip.force_mean</code> + <code>tip.force_linear</code>
(2s &minus; 1) + <code>tip.force_quadratic</code> (6s&sup2; &minus; 6s + 1) +
<code>tip.force_cubic</code> (20s&sup3; &minus; 30s&sup2; + 12s &minus; 1); the mean times the
length of the step is the impulse.</p>
<p>The simulation starts from the equilibrium of <code>pretension.q1</code> and
<code>pretension.tip_position</code>, which determines the tendon's rest length; if the inputs have
the tip elsewhere, it is moved there slowly first. With default inputs the tip stays, the motor lets
go and the crank comes to rest.</p>
";

/// The documentation of a model.
pub fn page(kind: ModelKind, description: &ModelDescription) -> String {
    let mut out = String::new();
    let name = kind.name();
    let about = match kind {
        ModelKind::LegPlanar => PLANAR,
        ModelKind::LegSpatial => SPATIAL,
    };
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{name}</title>\n\
         <style>{STYLE}</style></head><body>\n<h1>{name}</h1>\n<p>{}</p>\n\
         <p><img src=\"../model.png\" alt=\"\"></p>\n{about}{STEPS}",
        escape(kind.summary())
    );
    for (title, causality) in [
        ("Inputs", Causality::Input),
        ("Outputs", Causality::Output),
        ("Parameters", Causality::Parameter),
        ("Computed at the start", Causality::CalculatedParameter),
        ("To look at", Causality::Local),
    ] {
        table(&mut out, title, causality, description);
    }
    let _ = write!(
        out,
        "<h2>Messages</h2>\n<p>Categories: {}. Failures are told unless switched off; everything \
         else only when asked for.</p>\n<h2>Licence</h2>\n<p>MIT or Apache-2.0, at your choice: \
         <a href=\"licenses/LICENSE-MIT\">LICENSE-MIT</a>, \
         <a href=\"licenses/LICENSE-APACHE\">LICENSE-APACHE</a>. The binary contains code of the \
         Rust standard library and of the crates nalgebra, simba, num-traits, serde, thiserror, \
         quick-xml and sha2, which are under the same or equally permissive licences.</p>\n\
         </body></html>\n",
        description
            .log_categories
            .iter()
            .map(|category| {
                let text = category.description.as_deref().unwrap_or_default();
                format!("<code>{}</code> ({})", category.name, escape(text))
            })
            .collect::<Vec<_>>()
            .join(", ")
    );
    out
}

fn table(out: &mut String, title: &str, causality: Causality, description: &ModelDescription) {
    let variables = description.model_variables.iter();
    let mut rows = variables
        .filter(|variable| variable.causality == causality)
        .peekable();
    if rows.peek().is_none() {
        return;
    }
    let _ = write!(
        out,
        "<h2>{title}</h2>\n<table><tr><th>name</th><th>what it is</th><th>unit</th><th>start</th>\
         <th>range</th></tr>\n"
    );
    for variable in rows {
        let (unit, start, range) = facts(variable);
        let _ = writeln!(
            out,
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{start}</td><td>{range}</td>\
             </tr>",
            escape(&variable.name),
            escape(variable.description.as_deref().unwrap_or_default()),
            escape(&unit),
        );
    }
    out.push_str("</table>\n");
}

/// Unit, start value and range as texts.
fn facts(variable: &ScalarVariable) -> (String, String, String) {
    fn range<T: std::fmt::Display>(min: Option<T>, max: Option<T>) -> String {
        match (min, max) {
            (Some(min), Some(max)) => format!("{min} to {max}"),
            _ => String::new(),
        }
    }
    let shown = |start: Option<String>| start.unwrap_or_default();
    match &variable.variable_type {
        VariableType::Real(real) => {
            let attributes = &real.attributes;
            let number = |value: f64| format!("{value:?}").trim_end_matches(".0").to_owned();
            (
                attributes.unit.clone().unwrap_or_default(),
                shown(real.start.map(number)),
                range(attributes.min.map(number), attributes.max.map(number)),
            )
        }
        VariableType::Integer(integer) => (
            "Integer".to_owned(),
            shown(integer.start.map(|start| start.to_string())),
            range(integer.attributes.min, integer.attributes.max),
        ),
        VariableType::Boolean(boolean) => (
            "Boolean".to_owned(),
            shown(boolean.start.map(|start| start.to_string())),
            String::new(),
        ),
        VariableType::String(_) | VariableType::Enumeration(_) => Default::default(),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
