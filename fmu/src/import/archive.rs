//! An FMU on disk: unpacked, described, loaded.

use super::folder::Folder;
use super::library::Functions;
use super::{FmuInstance, ImportError, Options};
use crate::package::Platform;
use softdock_xml::ModelDescription;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;
use zip::ZipArchive;

/// What instances share. The fields are dropped in this order: the library before its folder.
pub(super) struct Loaded {
    pub functions: Functions,
    folder: Folder,
    pub description: ModelDescription,
}

impl Loaded {
    /// The address of the resources, as the standard wants it.
    pub fn resources(&self) -> String {
        file_uri(&self.folder.path().join("resources"))
    }
}

/// The address of a file: what is not plain is percent-encoded.
fn file_uri(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// An FMU, unpacked and loaded.
#[derive(Clone)]
pub struct FmuArchive {
    loaded: Arc<Loaded>,
}

impl FmuArchive {
    /// Unpacks an FMU into a folder of its own, which is removed with the last instance, and loads
    /// its binary.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let (mut archive, description) = read_description(path)?;
        let not_offered = || ImportError::NotCoSimulation {
            path: path.to_owned(),
        };
        let identifier = &description.co_simulation.as_ref().ok_or_else(not_offered)?;
        let identifier = &identifier.model_identifier;
        let wanted = Platform::HERE.binary(identifier);
        let names = archive.file_names().filter_map(Result::ok);
        let mut found: Vec<String> = names.map(|name| name.into_owned()).collect();
        found.retain(|name| name.starts_with("binaries/") && !name.ends_with('/'));
        if !found.contains(&wanted) {
            let path = path.to_owned();
            return Err(ImportError::NoBinary {
                path,
                wanted,
                found,
            });
        }
        let folder = Folder::new().map_err(|cause| ImportError::File {
            path: std::env::temp_dir(),
            cause,
        })?;
        unpack(path, &mut archive, folder.path())?;
        let functions = Functions::load(&folder.path().join(&wanted), identifier)?;
        let version = functions.version();
        if !version.starts_with("2.") {
            let path = path.to_owned();
            return Err(ImportError::WrongVersion { path, version });
        }
        let loaded = Loaded {
            functions,
            folder,
            description,
        };
        Ok(Self {
            loaded: Arc::new(loaded),
        })
    }

    /// The model description.
    pub fn description(&self) -> &ModelDescription {
        &self.loaded.description
    }

    /// The value reference of a variable.
    pub fn reference(&self, name: &str) -> Result<u32, ImportError> {
        let description = self.description();
        description
            .variable(name)
            .map(|(_, variable)| variable.value_reference)
            .ok_or_else(|| ImportError::UnknownVariable {
                model: description.model_name.clone(),
                name: name.to_owned(),
            })
    }

    /// The value references of several variables.
    pub fn references<S: AsRef<str>>(&self, names: &[S]) -> Result<Vec<u32>, ImportError> {
        names
            .iter()
            .map(|name| self.reference(name.as_ref()))
            .collect()
    }

    /// Makes an instance.
    pub fn instantiate(&self, name: &str, options: &Options) -> Result<FmuInstance, ImportError> {
        FmuInstance::new(Arc::clone(&self.loaded), name, options)
    }
}

impl std::fmt::Debug for FmuArchive {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let model = &self.description().model_name;
        formatter.debug_tuple("FmuArchive").field(model).finish()
    }
}

/// Opens an FMU and reads its description, without loading anything.
pub(crate) fn read_description(
    path: &Path,
) -> Result<(ZipArchive<File>, ModelDescription), ImportError> {
    let file = File::open(path).map_err(|cause| ImportError::File {
        path: path.to_owned(),
        cause,
    })?;
    let not_an_archive = |cause| ImportError::NotAnArchive {
        path: path.to_owned(),
        cause,
    };
    let mut archive = ZipArchive::new(file).map_err(not_an_archive)?;
    let mut xml = Vec::new();
    let mut entry = archive
        .by_name("modelDescription.xml")
        .map_err(not_an_archive)?;
    io::copy(&mut entry, &mut xml).map_err(|cause| ImportError::File {
        path: path.to_owned(),
        cause,
    })?;
    drop(entry);
    let description =
        ModelDescription::from_xml(&xml).map_err(|cause| ImportError::Description {
            path: path.to_owned(),
            cause: Box::new(cause),
        })?;
    Ok((archive, description))
}

/// Unpacks binaries and resources; a name that leads out of the folder is left out.
fn unpack(path: &Path, archive: &mut ZipArchive<File>, folder: &Path) -> Result<(), ImportError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |cause| ImportError::File { path, cause }
    };
    for index in 0..archive.len() {
        let mut entry = archive
            .by_index(index)
            .map_err(|cause| ImportError::NotAnArchive {
                path: path.to_owned(),
                cause,
            })?;
        let Some(name) = entry.enclosed_name() else {
            continue;
        };
        let here = name.starts_with(format!("binaries/{}", Platform::HERE.folder));
        if entry.is_dir() || !(here || name.starts_with("resources")) {
            continue;
        }
        let target = folder.join(&name);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(failed(parent))?;
        }
        let mut file = File::create(&target).map_err(failed(&target))?;
        io::copy(&mut entry, &mut file).map_err(failed(&target))?;
    }
    Ok(())
}

/// What is in an FMU, read without loading its binary.
#[derive(Debug, Clone)]
pub struct Contents {
    /// Its model description.
    pub description: ModelDescription,
    /// Its files: names and sizes in bytes.
    pub files: Vec<(String, u64)>,
}

impl Contents {
    /// Reads an FMU of FMI 2.0, for whatever interface and platform.
    pub fn read(path: &Path) -> Result<Self, ImportError> {
        let (mut archive, description) = read_description(path)?;
        let mut files = Vec::new();
        for index in 0..archive.len() {
            let named = archive.by_index(index).and_then(|entry| {
                let name = entry.name()?.into_owned();
                Ok((!entry.is_dir()).then(|| (name, entry.size())))
            });
            files.extend(named.map_err(|cause| ImportError::NotAnArchive {
                path: path.to_owned(),
                cause,
            })?);
        }
        Ok(Self { description, files })
    }
}
