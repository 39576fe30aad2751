//! FMUs of several platforms in one.

use super::{PackageError, Writer};
use crate::import::limits::{self, Limits};
use crate::import::{open_file, read_description};
use softdock_xml::ModelDescription;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// One FMU with the binaries of all of them. They must be of the same model, and agree about every
/// file that more than one of them has.
pub fn merge(paths: &[PathBuf]) -> Result<Vec<u8>, PackageError> {
    merge_within(paths, &Limits::default())
}

/// The same of archives that keep within `limits`.
pub fn merge_within(paths: &[PathBuf], limits: &Limits) -> Result<Vec<u8>, PackageError> {
    let [first, others @ ..] = paths else {
        return Err(PackageError::TooFew { found: 0 });
    };
    if others.is_empty() {
        return Err(PackageError::TooFew { found: 1 });
    }
    let mut files: BTreeMap<String, (PathBuf, Vec<u8>)> = BTreeMap::new();
    let read = |path: &PathBuf| read_description(path, open_file(path)?);
    let model = read(first).map_err(Box::new)?.1.description;
    for path in paths {
        let (mut archive, described) = read(path).map_err(Box::new)?;
        let description = described.description;
        limits::check(path, &mut archive, limits).map_err(Box::new)?;
        if description.guid != model.guid || description.model_name != model.model_name {
            let named = |description: &ModelDescription| {
                format!("{} {}", description.model_name, description.guid)
            };
            return Err(PackageError::DifferentModels {
                path: first.clone(),
                model: named(&model),
                other: path.clone(),
                other_model: named(&description),
            });
        }
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index)?;
            if entry.is_dir() {
                continue;
            }
            let name = entry.name()?.into_owned();
            let content = limits::read_entry(path, &mut entry).map_err(Box::new)?;
            match files.get(&name) {
                Some((other, present)) if *present != content => {
                    return Err(PackageError::Conflict {
                        name,
                        path: other.clone(),
                        other: path.clone(),
                    });
                }
                Some(_) => {}
                None => {
                    files.insert(name, (path.clone(), content));
                }
            }
        }
    }
    let mut writer = Writer::default();
    for (name, (_, content)) in &files {
        writer.file(name, content, name.starts_with("binaries/"))?;
    }
    writer.finish()
}
