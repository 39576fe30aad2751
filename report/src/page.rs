//! A page: one HTML file, nothing fetched.

use crate::block::{Block, Script};
use crate::figure::{Figure, strip};
use crate::text::escape;
use std::collections::BTreeSet;

const STYLE: &str = include_str!("assets/style.css");

/// A page of results.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Heading.
    pub title: String,
    /// What was computed, in a sentence or two.
    pub lead: String,
    /// Something the reader must know first, such as a run that was stopped.
    pub warning: Option<String>,
    /// Headline figures.
    pub figures: Vec<Figure>,
    /// Charts, tables and animations in reading order.
    pub blocks: Vec<Block>,
    /// Many small blocks in a row instead of two.
    pub dense: bool,
}

impl Page {
    /// The whole file. The same page gives the same bytes.
    pub fn html(&self) -> Result<String, serde_json::Error> {
        let drawn: Vec<&Block> = self
            .blocks
            .iter()
            .filter(|block| !block.scripts().is_empty())
            .collect();
        // "<" in a text must not end the script element.
        let data = serde_json::to_string(&drawn)?.replace('<', "\\u003c");
        let title = escape(&self.title);
        let warning = self.warning.as_ref().map_or_else(String::new, |text| {
            format!("<p class=\"warning\" role=\"alert\">{}</p>\n", escape(text))
        });
        let dense = if self.dense { " class=\"dense\"" } else { "" };
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n\
             <h1>{title}</h1>\n<p>{}</p>\n{warning}</header>\n<main>\n{}",
            escape(&self.lead),
            strip(&self.figures),
        );
        html.push_str(&format!("<div id=\"blocks\"{dense}>\n"));
        html.push_str(&self.sections());
        html.push_str(&format!(
            "</div>\n<noscript><p class=\"warning\">The charts need JavaScript.</p></noscript>\n\
             </main>\n<footer>softdock {}</footer>\n\
             <script type=\"application/json\" id=\"data\">{data}</script>\n",
            env!("CARGO_PKG_VERSION"),
        ));
        let needed = drawn.iter().flat_map(|block| block.scripts()).copied();
        let scripts: BTreeSet<Script> = needed.chain([Script::Core, Script::Save]).collect();
        for script in scripts {
            html.push_str(&format!("<script>\n{}</script>\n", script.text()));
        }
        html.push_str("<script>softdock.show();</script>\n</body>\n</html>\n");
        Ok(html)
    }

    fn sections(&self) -> String {
        let mut html = String::new();
        let mut index = 0;
        // Blocks before the first group stand beside the groups, those behind it in one.
        let mut heading = "h2";
        let mut in_row = false;
        for block in &self.blocks {
            if matches!(block, Block::Heading(_)) {
                heading = "h3";
            }
            if let Block::Heading(group) = block
                && std::mem::replace(&mut in_row, group.beside)
            {
                html.push_str("</div>\n");
            }
            html.push_str(&block.html(index, heading));
            if matches!(block, Block::Heading(group) if group.beside) {
                html.push_str("<div class=\"row\">\n");
            }
            index += usize::from(!block.scripts().is_empty());
        }
        if in_row {
            html.push_str("</div>\n");
        }
        html
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::chart::{Axis, Chart, Series};
    use crate::statistics::{Bars, Dimension, Group, Histogram, Parallel, Scatter};
    use crate::{Animation, Heading, Listing, Scene, Table};

    fn page() -> Page {
        let series = vec![Series::line("a </script>", &[0.0, 1.0], &[1.0 / 3.0, 2.0])];
        Page {
            title: "A <b> & \"c\"".to_owned(),
            lead: "What it is.".to_owned(),
            warning: Some("stopped".to_owned()),
            figures: vec![Figure::number("peak", 45.5, 3, "N")],
            blocks: vec![Chart::over_time("t", "s", Axis::new("q", "rad"), series).into()],
            dense: false,
        }
    }

    /// A page with a block of every kind, all of them empty.
    fn everything() -> Page {
        let axis = || Axis::new("a", "m");
        let bars = Bars {
            title: String::new(),
            sentence: String::new(),
            x: axis(),
            series: vec![],
            rows: vec![],
        };
        let scatter = Scatter {
            title: String::new(),
            sentence: String::new(),
            x: axis(),
            y: axis(),
            groups: vec![Group::new("none", [])],
            lines: Vec::new(),
        };
        let dimensions = vec![Dimension::input(axis(), vec![f64::NAN])];
        Page {
            blocks: vec![
                Heading::default().into(),
                Chart::over_time("", "", axis(), vec![]).into(),
                Animation::default().into(),
                Scene::default().into(),
                Histogram::new("", "", axis(), "runs", &[]).into(),
                scatter.into(),
                Parallel::new("", "", dimensions, 0, &[], &[]).into(),
                bars.into(),
                Table::default().into(),
                Listing::default().into(),
            ],
            ..page()
        }
    }

    #[test]
    fn a_page_fetches_nothing() {
        let html = everything().html().unwrap();
        for word in [
            "http://",
            "https://",
            "//cdn",
            "@import",
            "url(",
            "<link rel=\"style",
        ] {
            // The SVG name space is a name, not an address.
            let text = html.replace("http://www.w3.org/2000/svg", "");
            assert!(!text.contains(word), "{word}");
        }
    }

    #[test]
    fn text_cannot_break_out() {
        let html = page().html().unwrap();
        assert!(html.contains("A &lt;b&gt; &amp; &quot;c&quot;"));
        assert!(!html.contains("a </script>"));
        assert_eq!(
            html.matches("<script").count(),
            html.matches("</script>").count()
        );
    }

    #[test]
    fn numbers_are_kept_to_six_digits() {
        let html = page().html().unwrap();
        assert!(html.contains("0.333333") && !html.contains("0.3333333"));
    }

    #[test]
    fn blocks_and_their_data_are_counted_alike() {
        let page = everything();
        let html = page.html().unwrap();
        let data = html.split("id=\"data\">").nth(1).unwrap();
        let data = data.split("</script>").next().unwrap();
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        let count = data.as_array().unwrap().len();
        assert_eq!(count, 7);
        for index in 0..count {
            assert_eq!(html.matches(&format!("data-block=\"{index}\"")).count(), 1);
        }
    }

    #[test]
    fn a_page_carries_only_the_scripts_it_needs() {
        let html = page().html().unwrap();
        assert!(html.contains("kinds.chart") && !html.contains("kinds.scene"));
    }

    #[test]
    fn a_group_side_by_side_is_closed() {
        let beside = |beside| Heading {
            beside,
            ..Heading::default()
        };
        let chart = || Chart::over_time("", "", Axis::new("a", "m"), vec![]);
        for blocks in [
            vec![beside(true).into(), chart().into()],
            vec![beside(true).into(), chart().into(), beside(false).into()],
            vec![beside(true).into(), chart().into(), beside(true).into()],
        ] {
            let html = Page { blocks, ..page() }.html().unwrap();
            assert_eq!(html.matches("<div").count(), html.matches("</div>").count());
        }
    }

    proptest::proptest! {
        /// Whatever the texts and numbers, the page is whole and its data can be read.
        #[test]
        fn any_text_and_any_number_make_a_page(
            text in ".*",
            values in proptest::collection::vec(proptest::num::f64::ANY, 0..20),
        ) {
            let x: Vec<f64> = (0..values.len()).map(|i| i as f64).collect();
            let chart = Chart::over_time(
                &text,
                &text,
                Axis::new(&text, &text),
                vec![Series::line(&text, &x, &values)],
            );
            let html = Page {
                title: text.clone(),
                lead: text.clone(),
                warning: Some(text.clone()),
                figures: vec![Figure::text(&text, &*text, &text).keyed(&text, &*text)],
                blocks: vec![chart.into()],
                dense: false,
            }
            .html()
            .unwrap();
            proptest::prop_assert_eq!(html.matches("</script").count(), 6);
            let data = html.split("id=\"data\">").nth(1).unwrap();
            let data = data.split("</script>").next().unwrap();
            let data: serde_json::Value = serde_json::from_str(data).unwrap();
            proptest::prop_assert_eq!(&data[0]["series"][0]["name"], &serde_json::json!(text));
            let y = data[0]["series"][0]["y"].as_array().unwrap();
            proptest::prop_assert_eq!(y.len(), values.len());
        }
    }
}
