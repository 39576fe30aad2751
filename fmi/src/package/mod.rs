//! Packing FMUs: the library, the description, an icon, documentation and licences in one archive.
//!
//! The same model and library give the same bytes: nothing in the archive depends on the clock.

mod documentation;
mod merge;
mod png;
mod reference;
mod target_system;

pub use merge::{merge, merge_within};
pub use reference::{REFERENCE_FOLDER, REFERENCE_TABLE, with_reference_results};
pub use target_system::TargetSystem;

use crate::model::{Packaged, PackagedModel, token_of};
use crate::resources;
use std::io::{Cursor, Write};
use std::path::PathBuf;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// What can go wrong in packing.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// The description breaks a rule of the standard.
    #[error("the description of {model} is wrong: {cause}")]
    Description {
        /// The model.
        model: String,
        /// Why.
        cause: softdock_xml::Error,
    },
    /// The archive cannot be written.
    #[error("the archive cannot be written: {0}")]
    Archive(#[from] zip::result::ZipError),
    /// The archive cannot be written.
    #[error("the archive cannot be written: {0}")]
    Write(#[from] std::io::Error),
    /// An FMU to be merged cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Box<crate::import::ImportError>),
    /// There is nothing to merge.
    #[error("{found} FMUs cannot be merged: at least two are needed")]
    TooFew {
        /// Number of FMUs.
        found: usize,
    },
    /// Two FMUs are not the same model.
    #[error(
        "{} is {model}, but {} is {other_model}: only FMUs of the same model can be merged",
        path.display(), other.display()
    )]
    DifferentModels {
        /// One FMU.
        path: PathBuf,
        /// Its model and GUID.
        model: String,
        /// The other.
        other: PathBuf,
        /// Its model and GUID.
        other_model: String,
    },
    /// Two FMUs disagree about a file.
    #[error("{name} differs between {} and {}", path.display(), other.display())]
    Conflict {
        /// The file in the archives.
        name: String,
        /// One FMU.
        path: PathBuf,
        /// The other.
        other: PathBuf,
    },
}

/// Licence texts that travel with every FMU.
const LICENCES: [(&str, &str); 2] = [
    (
        "documentation/licenses/LICENSE-MIT",
        include_str!("../../../LICENSE-MIT"),
    ),
    (
        "documentation/licenses/LICENSE-APACHE",
        include_str!("../../../LICENSE-APACHE"),
    ),
];

/// A version of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FmiVersion {
    /// FMI 2.0.
    #[default]
    Two,
    /// FMI 3.0.
    Three,
}

impl FmiVersion {
    /// Where the icon stands in the archive.
    fn icon(self) -> &'static str {
        match self {
            Self::Two => "model.png",
            Self::Three => "terminalsAndIcons/icon.png",
        }
    }
}

/// The FMU of a model with the settings of its kind as bytes, with the library of one system.
pub fn pack(
    kind: &PackagedModel,
    version: FmiVersion,
    library: &[u8],
    system: TargetSystem,
) -> Result<Vec<u8>, PackageError> {
    pack_model((kind, &*kind.model()), version, library, system)
}

/// The same of a model with settings of its own.
pub fn pack_model(
    (kind, model): (&PackagedModel, &dyn Packaged),
    version: FmiVersion,
    library: &[u8],
    system: TargetSystem,
) -> Result<Vec<u8>, PackageError> {
    let about = model.about();
    let bad = |cause| PackageError::Description {
        model: about.name.to_owned(),
        cause,
    };
    let description = model.description().map_err(bad)?;
    description.validate().map_err(bad)?;
    let mut writer = Writer::default();
    let xml = match version {
        FmiVersion::Two => description.to_xml(),
        FmiVersion::Three => description.to_xml_3(&token_of(model).unwrap_or_default()),
    };
    let xml = xml.map_err(bad)?;
    writer.file("modelDescription.xml", xml.as_bytes(), false)?;
    let icon = version.icon();
    writer.file(icon, &png::encode(|x, y| model.icon(x, y))?, false)?;
    if version == FmiVersion::Three {
        let terminals = description.terminals_xml().map_err(bad)?;
        let name = "terminalsAndIcons/terminalsAndIcons.xml";
        writer.file(name, terminals.as_bytes(), false)?;
    }
    let page = documentation::page(&about, &description, icon);
    writer.file("documentation/index.html", page.as_bytes(), false)?;
    for (name, text) in LICENCES {
        writer.file(name, text.as_bytes(), false)?;
    }
    if let Some(settings) = model.resource() {
        let name = format!("resources/{}", resources::file_name(kind.name));
        writer.file(&name, settings.as_bytes(), false)?;
    }
    writer.file(&system.binary(version, about.name), library, true)?;
    writer.finish()
}

/// An archive of files by name, the same bytes for the same content.
pub fn archive(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, PackageError> {
    let mut writer = Writer::default();
    for (name, content) in files {
        writer.file(name, content, false)?;
    }
    writer.finish()
}

/// An archive under construction.
struct Writer(ZipWriter<Cursor<Vec<u8>>>);

impl Default for Writer {
    fn default() -> Self {
        Self(ZipWriter::new(Cursor::new(Vec::new())))
    }
}

impl Writer {
    fn file(&mut self, name: &str, content: &[u8], executable: bool) -> Result<(), PackageError> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(if executable { 0o755 } else { 0o644 });
        self.0.start_file(name, options)?;
        self.0.write_all(content)?;
        Ok(())
    }

    fn finish(self) -> Result<Vec<u8>, PackageError> {
        Ok(self.0.finish()?.into_inner())
    }
}
