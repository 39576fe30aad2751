//! What a folder of results holds: results of another kind are not overwritten unasked.

use crate::failure::BadInput;
use std::path::Path;

/// Kinds of results, and files by which they are told.
const KINDS: [(&str, &[&str]); 7] = [
    ("a study", &["study.toml", "results.parquet"]),
    ("a sweep", &["sweep.csv", "sweep.partial.csv"]),
    ("a docking", &["run.csv", "run.partial.csv"]),
    ("a motion of a leg", &["leg.csv", "leg.partial.csv"]),
    (
        "a motion of the platform",
        &["platform.csv", "platform.partial.csv"],
    ),
    (
        "a motion of a mechanism",
        &["mechanism.csv", "mechanism.partial.csv"],
    ),
    ("a comparison of dockings", &["summary.json", "report.html"]),
];

/// The kind of the results in `folder`, if there are any.
fn kind_of(folder: &Path) -> Option<&'static str> {
    let there = |files: &&[&str]| files.iter().any(|file| folder.join(file).is_file());
    let mut kinds = KINDS.iter();
    kinds.find(|(_, files)| there(files)).map(|(kind, _)| *kind)
}

/// Kinds whose files other commands would replace with files of the same names, or add to.
const DEAR: usize = 3;

/// Refuses a folder with a study, a sweep or a docking: other results have a folder of their own.
pub fn protect(folder: &Path) -> Result<(), BadInput> {
    protect_for(folder, "")
}

/// The same for results of `own` kind, which may be added to others of that kind.
pub fn protect_for(folder: &Path, own: &str) -> Result<(), BadInput> {
    let dear = KINDS[..DEAR].iter().map(|(kind, _)| *kind);
    match kind_of(folder).filter(|found| dear.clone().any(|kind| kind == *found)) {
        Some(kind) if kind != own => Err(BadInput::new(format!(
            "{} holds {kind}, whose files would be replaced or mixed with others; name another folder \
             with --out",
            folder.display()
        ))),
        _ => Ok(()),
    }
}

/// Refuses a folder with results of another kind than `own`, unless that is asked for.
pub fn check(folder: &Path, own: &str, force: bool) -> Result<(), BadInput> {
    match kind_of(folder) {
        Some(kind) if kind != own && !force => Err(BadInput::new(format!(
            "{} holds {kind}, which {own} would replace; name another folder with --out, or use --force",
            folder.display()
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn results_of_another_kind_are_not_replaced_unasked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        check(path, "a docking", false).unwrap();
        std::fs::write(path.join("run.csv"), "").unwrap();
        std::fs::write(path.join("summary.json"), "").unwrap();
        check(path, "a docking", false).unwrap();
        let error = check(path, "a sweep", false).unwrap_err().to_string();
        assert!(
            error.contains("holds a docking") && error.contains("--force"),
            "{error}"
        );
        check(path, "a sweep", true).unwrap();
        let error = protect_for(path, "a study").unwrap_err().to_string();
        assert!(
            error.contains("holds a docking") && error.contains("--out"),
            "{error}"
        );
        std::fs::rename(path.join("run.csv"), path.join("leg.csv")).unwrap();
        protect_for(path, "a study").unwrap();
    }
}
