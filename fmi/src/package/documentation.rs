//! The page that an importer shows: how the model is used, and every variable.

use crate::model::About;
use softdock_xml::{Causality, ModelDescription, ScalarVariable, VariableType};
use std::fmt::Write;

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:62em;margin:2em auto;padding:0 1em;\
color:#222}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.2em .6em;\
border-bottom:1px solid #ddd;vertical-align:top}code{font-size:.95em}td:nth-child(3),\
td:nth-child(4){white-space:nowrap}";

/// The documentation of a model.
///
/// `icon` is the path of the icon in the archive.
pub fn page(about: &About<'_>, description: &ModelDescription, icon: &str) -> String {
    let mut out = String::new();
    let (name, text) = (about.name, about.documentation);
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{name}</title>\n\
         <style>{STYLE}</style></head><body>\n<h1>{name}</h1>\n<p>{}</p>\n\
         <p><img src=\"../{icon}\" alt=\"\"></p>\n{text}",
        escape(about.summary)
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
         <a href=\"licenses/LICENSE-APACHE\">LICENSE-APACHE</a>. {}</p>\n</body></html>\n",
        description
            .log_categories
            .iter()
            .map(|category| {
                let text = category.description.as_deref().unwrap_or_default();
                format!("<code>{}</code> ({})", category.name, escape(text))
            })
            .collect::<Vec<_>>()
            .join(", "),
        about.linked
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
