//! An FMU on disk: unpacked, described, loaded.

use super::folder::Folder;
use super::library::Functions;
use super::limits::{self, ArchiveProblem};
use super::names::is_file_name;
use super::version3::Functions3;
use super::{FmuInstance, ImportError, Limits, Options};
use crate::package::{FmiVersion, TargetSystem};
use softdock_xml::ModelDescription;
use softdock_xml::version3::Version3;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek};
use std::path::Path;
use std::sync::Arc;
use zip::ZipArchive;

/// The functions of a library, by version of the standard.
pub(super) enum Interface {
    Two(Functions),
    Three(Functions3),
}

/// What instances share. The fields are dropped in this order: the library before its folder.
pub(super) struct Loaded {
    pub interface: Interface,
    folder: Folder,
    pub description: ModelDescription,
}

impl Loaded {
    /// The path of the resources, as FMI 3.0 wants it.
    pub fn resource_path(&self) -> String {
        let path = self.folder.path().join("resources");
        format!("{}{}", path.display(), std::path::MAIN_SEPARATOR)
    }

    /// The address of the resources, as FMI 2.0 wants it.
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
    /// its binary: from here on its code runs in this process.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        Self::open_within(path, &Limits::default())
    }

    /// The same within other limits.
    pub fn open_within(path: &Path, limits: &Limits) -> Result<Self, ImportError> {
        Self::load(path, open_file(path)?, limits)
    }

    /// The same of an FMU in memory, which errors call `name`.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, ImportError> {
        Self::load(Path::new(name), Cursor::new(bytes), &Limits::default())
    }

    fn load<R: Read + Seek>(path: &Path, source: R, limits: &Limits) -> Result<Self, ImportError> {
        let (mut archive, read) = read_description(path, source)?;
        limits::check(path, &mut archive, limits)?;
        let Described {
            description,
            version3,
        } = read;
        let standard = match version3 {
            None => FmiVersion::Two,
            Some(_) => FmiVersion::Three,
        };
        let not_offered = || ImportError::NotCoSimulation {
            path: path.to_owned(),
        };
        let identifier = &description.co_simulation.as_ref().ok_or_else(not_offered)?;
        let identifier = &identifier.model_identifier;
        // It names the library: no other path may come of it.
        if !is_file_name(identifier) {
            return Err(ImportError::BadIdentifier {
                path: path.to_owned(),
                identifier: identifier.clone(),
            });
        }
        let wanted = TargetSystem::HERE.binary(standard, identifier);
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
        unpack(path, &mut archive, folder.path(), &wanted)?;
        let binary = folder.path().join(&wanted);
        let (interface, version, (wanted, major)) = match version3 {
            None => {
                let functions = Functions::load(&binary, identifier)?;
                let version = functions.version();
                (Interface::Two(functions), version, ("2.0", "2."))
            }
            Some(read) => {
                let functions = Functions3::load(&binary, identifier, read)?;
                let version = functions.version();
                (Interface::Three(functions), version, ("3.0", "3."))
            }
        };
        if !version.starts_with(major) {
            return Err(ImportError::WrongVersion {
                path: path.to_owned(),
                wanted,
                version,
            });
        }
        let loaded = Loaded {
            interface,
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

/// Opens the file of an FMU.
pub(crate) fn open_file(path: &Path) -> Result<File, ImportError> {
    let regular = path.metadata().and_then(|metadata| {
        // To open a pipe would wait for ever for somebody to write into it.
        let problem = "it is not a regular file";
        let refused = || io::Error::new(io::ErrorKind::InvalidInput, problem);
        metadata.is_file().then_some(()).ok_or_else(refused)
    });
    regular
        .and_then(|()| File::open(path))
        .map_err(|cause| ImportError::File {
            path: path.to_owned(),
            cause,
        })
}

/// A description of either version.
pub(crate) struct Described {
    /// As one of scalar variables.
    pub description: ModelDescription,
    /// Of FMI 3.0: where those variables are, and what only that version tells.
    pub version3: Option<Version3>,
}

impl Described {
    fn from_xml(xml: &[u8]) -> Result<Self, softdock_xml::Error> {
        if !softdock_xml::fmi_version(xml)?.starts_with("3.") {
            return Ok(Self {
                description: ModelDescription::from_xml(xml)?,
                version3: None,
            });
        }
        let mut read = Version3::from_xml(xml)?;
        Ok(Self {
            description: std::mem::take(&mut read.description),
            version3: Some(read),
        })
    }
}

/// Reads the list of an FMU and its description, without loading anything.
pub(crate) fn read_description<R: Read + Seek>(
    path: &Path,
    source: R,
) -> Result<(ZipArchive<R>, Described), ImportError> {
    let not_an_archive = |cause| ImportError::NotAnArchive {
        path: path.to_owned(),
        cause,
    };
    let mut archive = ZipArchive::new(source).map_err(not_an_archive)?;
    let mut entry = archive
        .by_name("modelDescription.xml")
        .map_err(not_an_archive)?;
    if entry.size() > Limits::DESCRIPTION_BYTES {
        let problem = ArchiveProblem::EntryTooLarge {
            entry: "modelDescription.xml".to_owned(),
            bytes: entry.size(),
            limit: Limits::DESCRIPTION_BYTES,
        };
        return Err(problem.of(path));
    }
    let xml = limits::read_entry(path, &mut entry)?;
    drop(entry);
    let read = Described::from_xml(&xml).map_err(|cause| ImportError::Description {
        path: path.to_owned(),
        cause: Box::new(cause),
    })?;
    Ok((archive, read))
}

/// The folder of a file of an archive.
fn folder_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Unpacks resources, and what is beside `binary`, of an archive that has passed [`limits::check`].
fn unpack<R: Read + Seek>(
    path: &Path,
    archive: &mut ZipArchive<R>,
    folder: &Path,
    binary: &str,
) -> Result<(), ImportError> {
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
        let Some(name) = limits::enclosed(&entry) else {
            continue;
        };
        let here = name.starts_with(folder_of(binary));
        if entry.is_dir() || !(here || name.starts_with("resources")) {
            continue;
        }
        let target = folder.join(&name);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(failed(parent))?;
        }
        let mut file = File::create_new(&target).map_err(|cause| match cause.kind() {
            io::ErrorKind::AlreadyExists => {
                let entry = name.to_string_lossy().into_owned();
                ArchiveProblem::Twice { entry }.of(path)
            }
            _ => failed(&target)(cause),
        })?;
        limits::unpack_entry(path, &mut entry, &mut file, failed(&target))?;
    }
    Ok(())
}

/// What is in an FMU, read without loading its binary.
#[derive(Debug, Clone)]
pub struct Contents {
    /// Its model description; of FMI 3.0 with one variable for every element of an array.
    pub description: ModelDescription,
    /// The version of the standard.
    pub version: FmiVersion,
    /// Value references of the variables, those of their arrays in FMI 3.0.
    pub references: Vec<u32>,
    /// Types of the variables as the FMU has them.
    pub types: Vec<&'static str>,
    /// What its co-simulation can that only FMI 3.0 knows.
    pub abilities: Vec<&'static str>,
    /// Its files: names and sizes in bytes.
    pub files: Vec<(String, u64)>,
    /// Why it would not be unpacked, if it would not.
    pub problem: Option<ArchiveProblem>,
}

impl Contents {
    /// Reads an FMU, for whatever interface and platform.
    pub fn read(path: &Path) -> Result<Self, ImportError> {
        Self::read_within(path, &Limits::default())
    }

    /// The same; [`Contents::problem`] is about these limits.
    pub fn read_within(path: &Path, limits: &Limits) -> Result<Self, ImportError> {
        let (mut archive, read) = read_description(path, open_file(path)?)?;
        let problem = match limits::check(path, &mut archive, limits) {
            Ok(()) => None,
            Err(ImportError::Archive { problem, .. }) => Some(problem),
            Err(error) => return Err(error),
        };
        let mut files = Vec::new();
        for index in 0..archive.len() {
            let named = archive.by_index_raw(index).and_then(|entry| {
                let name = entry.name()?.into_owned();
                Ok((!entry.is_dir()).then(|| (name, entry.size())))
            });
            files.extend(named.map_err(|cause| ImportError::NotAnArchive {
                path: path.to_owned(),
                cause,
            })?);
        }
        let Described {
            description,
            version3,
        } = read;
        let variables = description.model_variables.iter();
        let (references, types) = match &version3 {
            None => variables
                .map(|one| (one.value_reference, one.variable_type.name()))
                .unzip(),
            Some(read) => variables
                .filter_map(|one| read.places.get(one.value_reference as usize))
                .map(|place| (place.variable, place.kind.name()))
                .unzip(),
        };
        Ok(Self {
            version: match version3 {
                None => FmiVersion::Two,
                Some(_) => FmiVersion::Three,
            },
            abilities: version3.map_or_else(Vec::new, |read| read.abilities),
            references,
            types,
            description,
            files,
            problem,
        })
    }
}
