//! The guide is true: every command in it runs, every link leads somewhere, and its reference pages are
//! what the tables of the program say.
//!
//! Blocks marked `sh` are run line by line with the program, all of one page in one folder; a line that
//! ends with `# exit status N` must end with that status, others with 0. A block marked
//! `toml file=NAME` is written to that file first. Reference pages are made anew with
//! `SOFTDOCK_UPDATE_GUIDE=1 cargo test --release -p softdock --test guide`.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every page of the guide, and what leads to it.
fn pages() -> Vec<PathBuf> {
    let docs = repository().join("docs");
    let mut out: Vec<PathBuf> = [docs.clone(), docs.join("reference")]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    let top = [
        "README.md",
        "ARCHITECTURE.md",
        "CONVENTIONS.md",
        "SECURITY.md",
    ];
    out.extend(top.map(|name| repository().join(name)));
    out.push(repository().join("python/README.md"));
    out.sort();
    out
}

/// The blocks of a page: what stands behind the fence, and the text.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(mark)) => open = Some((mark.trim().to_owned(), String::new())),
            (Some(_), Some(_)) => out.extend(open.take()),
            (Some((_, inner)), None) => {
                inner.push_str(line);
                inner.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    out
}

fn program(folder: &Path, arguments: &[String]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_softdock"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// A command line as its arguments: words, and texts in double quotes.
fn words(line: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (i, part) in line.split('"').enumerate() {
        if i % 2 == 1 {
            out.push(part.to_owned());
        } else {
            out.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    out
}

/// Runs all commands of a page; gives the folder in which that was done.
fn follow(page: &str) -> tempfile::TempDir {
    let path = repository().join("docs").join(page);
    let folder = tempfile::tempdir().unwrap();
    let mut commands = 0;
    for (mark, text) in blocks(&read(&path)) {
        if let Some(file) = mark.strip_prefix("toml file=") {
            std::fs::write(folder.path().join(file), text).unwrap();
        } else if mark == "sh" {
            for line in text.lines().filter(|line| !line.is_empty()) {
                let (command, status) = match line.split_once(" # exit status ") {
                    Some((command, status)) => (command, status.trim().parse().unwrap()),
                    None => (line, 0),
                };
                let arguments = words(command);
                assert_eq!(arguments[0], "softdock", "{page}: {line}");
                let done = program(folder.path(), &arguments[1..]);
                let complaint = String::from_utf8_lossy(&done.stderr).into_owned();
                assert_eq!(
                    done.status.code(),
                    Some(status),
                    "{page}: {line}\n{complaint}"
                );
                commands += 1;
            }
        }
    }
    assert!(commands > 0, "{page} has no command");
    folder
}

#[test]
fn the_quick_start_works() {
    let folder = follow("quick-start.md");
    // The picture on its first lines is of that docking.
    let summary = read(&folder.path().join("out/dock/summary.json"));
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    let number = |key: &str| summary[key].as_f64().unwrap();
    let picture = read(&repository().join("docs/docking.svg"));
    for said in [
        format!("captured, {:.2} s", number("capture_time_s")),
        format!("largest, {:.1} N", number("peak_contact_force_n")),
    ] {
        assert!(picture.contains(&said), "the picture does not say {said}");
    }
}

#[test]
fn the_tutorial_of_a_docking_works() {
    follow("tutorial-docking.md");
}

#[test]
fn the_tutorial_of_a_leg_works() {
    follow("tutorial-leg.md");
}

#[test]
fn the_tutorial_of_a_study_works() {
    follow("tutorial-study.md");
}

#[test]
fn the_other_pages_with_commands_work() {
    for page in ["fmu.md", "validation.md", "gallery.md"] {
        follow(page);
    }
}

/// No page has commands that no test runs.
#[test]
fn every_page_with_commands_is_followed() {
    let followed = [
        "quick-start.md",
        "tutorial-docking.md",
        "tutorial-leg.md",
        "tutorial-study.md",
        "fmu.md",
        "validation.md",
        "gallery.md",
        // These need a cluster, or hours.
        "cluster.md",
        "coverage.md",
    ];
    let docs = repository().join("docs");
    for path in pages().iter().filter(|path| path.parent() == Some(&docs)) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let has = blocks(&read(path)).iter().any(|(mark, _)| mark == "sh");
        assert!(
            !has || followed.contains(&name.as_str()),
            "{name} is not followed"
        );
    }
}

/// Names of headings as code hosts make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let heading = |line: &str| {
        let text = line.strip_prefix('#')?.trim_start_matches('#').trim();
        let kept = text
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        Some(kept.collect::<String>().to_lowercase().replace(' ', "-"))
    };
    text.lines().filter_map(heading).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut links = 0;
    for page in pages() {
        let text = read(&page);
        for part in text.split("](").skip(1) {
            let target = part.split(')').next().unwrap_or_default();
            if target.contains("://") || target.starts_with("mailto:") || target.is_empty() {
                continue;
            }
            links += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() {
                page.clone()
            } else {
                page.parent().unwrap().join(file)
            };
            assert!(path.exists(), "{} leads to {target}", page.display());
            if !anchor.is_empty() {
                let known = anchors(&read(&path));
                assert!(
                    known.contains(anchor),
                    "{} leads to {target}",
                    page.display()
                );
            }
        }
    }
    assert!(links > 30, "found {links} links");
}

/// Holds a page against what the program prints.
fn generated(page: &str, arguments: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let arguments: Vec<String> = arguments.iter().map(|part| (*part).to_owned()).collect();
    let done = program(folder.path(), &arguments);
    assert!(done.status.success());
    let text = String::from_utf8(done.stdout).unwrap();
    let path = repository().join("docs/reference").join(page);
    if std::env::var_os("SOFTDOCK_UPDATE_GUIDE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert!(
        read(&path) == text,
        "{page} is not what the program prints: SOFTDOCK_UPDATE_GUIDE=1 cargo test --release -p \
         softdock --test guide"
    );
}

#[test]
fn the_reference_says_what_the_tables_say() {
    generated("settings.md", &["schema", "--markdown"]);
    generated("figures.md", &["figures", "--markdown"]);
    generated("mechanism-keys.md", &["mechanism", "keys"]);
}

/// The gallery has every file that comes with the program.
#[test]
fn the_gallery_is_complete() {
    let gallery = read(&repository().join("docs/gallery.md"));
    let mut files = 0;
    for folder in ["scenarios", "mechanisms"] {
        for entry in std::fs::read_dir(repository().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|end| end != "toml") {
                continue;
            }
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            assert!(gallery.contains(&format!("`{name}`")), "{name} is missing");
            files += 1;
        }
    }
    assert!(files > 30, "found {files}");
    let done = program(&repository().join("docs"), &words("mechanism list"));
    let listed = String::from_utf8(done.stdout).unwrap();
    for name in listed
        .lines()
        .filter_map(|line| line.split_whitespace().next())
    {
        assert!(gallery.contains(&format!("`{name}`")), "{name} is missing");
    }
}
