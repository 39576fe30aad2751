//! The documents name what exists.

use std::path::Path;

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn read(name: &str) -> String {
    std::fs::read_to_string(repository().join(name)).unwrap()
}

/// Texts in back quotes that look like paths of the repository.
fn quoted_paths(text: &str) -> Vec<String> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter(|quoted| quoted.contains('/') && !quoted.contains(' ') && !quoted.contains("::"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_path_in_the_architecture_exists() {
    let text = read("ARCHITECTURE.md");
    let table = text.lines().filter(|line| line.starts_with("| `"));
    let first_cells = table
        .filter_map(|line| line.split('`').nth(1))
        .map(str::to_owned)
        .collect::<Vec<_>>();
    assert!(first_cells.len() > 10);
    for path in first_cells.into_iter().chain(quoted_paths(&text)) {
        assert!(
            repository().join(&path).exists(),
            "ARCHITECTURE.md names {path}"
        );
    }
}

#[test]
fn every_citation_key_is_resolved() {
    let references = read("REFERENCES.md");
    let mut stack = vec![
        repository().join("multibody/src"),
        repository().join("control/src"),
        repository().join("leg-core/src"),
        repository().join("study/src"),
        repository().join("validation/src"),
    ];
    let mut keys = 0;
    while let Some(folder) = stack.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                stack.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                for key in text.split('`').filter(|quoted| is_citation_key(quoted)) {
                    keys += 1;
                    assert!(
                        references.contains(&format!("`{key}`")),
                        "{path:?} cites {key}"
                    );
                }
            }
        }
    }
    assert!(keys > 10, "found {keys} citations");
}

/// Lower-case letters followed by a year: `bruls2012`.
fn is_citation_key(text: &str) -> bool {
    let letters = text.chars().take_while(char::is_ascii_lowercase).count();
    let year = &text[text.len().min(letters)..];
    letters >= 4
        && year.len() == 4
        && (year.starts_with("19") || year.starts_with("20"))
        && year.chars().all(|c| c.is_ascii_digit())
}

#[test]
fn readme_opens_with_the_two_commands() {
    let text = read("README.md");
    let (dock, test) = (
        text.find("cargo run --release"),
        text.find("cargo test --release"),
    );
    assert!(dock.unwrap() < 1500 && test.unwrap() < 1500);
    assert!(text.lines().count() <= 160);
}
