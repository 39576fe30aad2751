//! Reference results inside an FMU, described as the layered standard FMI-LS-REF 1.0.0-alpha.1 wants it:
//! a manifest that names related files and their roles, in a folder of its own below `extra/`.

use super::{PackageError, Writer};
use std::io::Cursor;
use zip::ZipWriter;

/// Folder of the layered standard.
pub const REFERENCE_FOLDER: &str = "extra/org.fmi-standard.fmi-ls-ref";
/// The table of results in it.
pub const REFERENCE_TABLE: &str = "results.csv";

/// The FMU with what its default experiment gives: a table with a column `time` and one for each output.
pub fn with_reference_results(fmu: Vec<u8>, table: &[u8]) -> Result<Vec<u8>, PackageError> {
    let mut writer = Writer(ZipWriter::new_append(Cursor::new(fmu))?);
    let name = |file: &str| format!("{REFERENCE_FOLDER}/{file}");
    writer.file(&name("fmi-ls-manifest.xml"), manifest().as_bytes(), false)?;
    writer.file(&name(REFERENCE_TABLE), table, false)?;
    writer.finish()
}

fn manifest() -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiReferences xmlns:fmi-ls="http://fmi-standard.org/fmi-ls-manifest"
    fmi-ls:fmi-ls-name="org.fmi-standard.fmi-ls-ref"
    fmi-ls:fmi-ls-version="1.0.0-alpha.1"
    fmi-ls:fmi-ls-description="Files that belong to this FMU: results of its default experiment">
  <Related type="text/csv" source="{REFERENCE_TABLE}" role="result"
      description="Outputs of the default experiment with the start values"/>
</fmiReferences>
"#
    )
}
