//! FMUs of several platforms in one.

use super::{PackageError, Writer};
use crate::import::{ImportError, read_description};
use softdock_xml::ModelDescription;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// One FMU with the binaries of all of them. They must be of the same model, and agree about every
/// file that more than one of them has.
pub fn merge(paths: &[PathBuf]) -> Result<Vec<u8>, PackageError> {
    let [first, others @ ..] = paths else {
        return Err(PackageError::TooFew { found: 0 });
    };
    if others.is_empty() {
        return Err(PackageError::TooFew { found: 1 });
    }
    let mut files: BTreeMap<String, (PathBuf, Vec<u8>)> = BTreeMap::new();
    let (_, model) = read_description(first).map_err(Box::new)?;
    for path in paths {
        let (mut archive, description) = read_description(path).map_err(Box::new)?;
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
            let mut content = Vec::new();
            io::copy(&mut entry, &mut content).map_err(|cause| unreadable(path, cause))?;
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

fn unreadable(path: &Path, cause: io::Error) -> PackageError {
    let path = path.to_owned();
    Box::new(ImportError::File { path, cause }).into()
}
