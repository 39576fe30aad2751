//! Matrices that NumPy saved (`numpy.savez`): a ZIP archive of arrays in the format NPY.
//!
//! An array is `\\x93NUMPY`, version, length of a header, the header (a Python dictionary with `descr`,
//! `fortran_order` and `shape`), then the numbers. Arrays: `nodes` (n × 3), `mass`, `stiffness`, `damping`
//! (may be left out), and `interface_NAME` with the numbers of the nodes of each interface, in the order of
//! the archive.

use anyhow::{Context, Result, anyhow};
use serde_json::{Map, Value, json};
use std::io::{Cursor, Read};

/// An array of numbers.
struct Array {
    shape: Vec<usize>,
    /// Row by row.
    values: Vec<f64>,
}

/// Largest array that is read [bytes].
const MOST_BYTES: u64 = 1 << 28;

/// The JSON text of an archive of arrays.
pub fn json_of(bytes: &[u8]) -> Result<String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes))?;
    let mut body = Map::new();
    let mut interfaces = Vec::new();
    for index in 0..archive.len() {
        let entry = archive.by_index(index)?;
        let name = entry.name()?.trim_end_matches(".npy").to_owned();
        let mut data = Vec::new();
        entry.take(MOST_BYTES).read_to_end(&mut data)?;
        let array = array(&data).with_context(|| format!("{name} is no array of numbers"))?;
        match name.strip_prefix("interface_") {
            Some(interface) => {
                let nodes: Vec<u64> = array.values.iter().map(|value| *value as u64).collect();
                interfaces.push(json!({ "name": interface, "nodes": nodes }));
            }
            None => {
                let rows = array.rows();
                let rows = rows.ok_or_else(|| anyhow!("{name} has no rows and columns"))?;
                body.insert(name, json!(rows));
            }
        }
    }
    body.insert("interfaces".to_owned(), Value::Array(interfaces));
    Ok(Value::Object(body).to_string())
}

impl Array {
    fn rows(&self) -> Option<Vec<&[f64]>> {
        let [_, columns] = self.shape[..] else {
            return None;
        };
        (columns > 0).then(|| self.values.chunks(columns).collect())
    }
}

/// Reads an array in the format NPY.
fn array(data: &[u8]) -> Option<Array> {
    let rest = data.strip_prefix(b"\x93NUMPY")?;
    let (version, rest) = (rest.first()?, rest.get(2..)?);
    let (length, rest) = if *version == 1 {
        let bytes = rest.first_chunk::<2>()?;
        (usize::from(u16::from_le_bytes(*bytes)), rest.get(2..)?)
    } else {
        let bytes = rest.first_chunk::<4>()?;
        (
            usize::try_from(u32::from_le_bytes(*bytes)).ok()?,
            rest.get(4..)?,
        )
    };
    let header = std::str::from_utf8(rest.get(..length)?).ok()?;
    let numbers = rest.get(length..)?;
    let after = |key: &str| {
        let start = header.find(key)? + key.len();
        Some(header[start..].trim_start_matches([' ', ':', '\'', '"']))
    };
    let kind: String = after("descr")?.chars().take_while(|c| *c != '\'').collect();
    let columns_first = after("fortran_order")?.starts_with("True");
    let inside = after("shape")?.strip_prefix('(')?.split(')').next()?;
    let sizes = inside
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty());
    let shape: Vec<usize> = sizes.map(|text| text.parse().ok()).collect::<Option<_>>()?;
    let count = (shape.iter()).try_fold(1_usize, |product, size| product.checked_mul(*size))?;
    let values = numbers_of(&kind, numbers, count)?;
    let values = match (columns_first, shape.as_slice()) {
        (true, &[rows, columns]) => (0..count)
            .map(|i| values[(i % columns) * rows + i / columns])
            .collect(),
        _ => values,
    };
    Some(Array { shape, values })
}

fn numbers_of(kind: &str, bytes: &[u8], count: usize) -> Option<Vec<f64>> {
    fn read<const N: usize>(
        bytes: &[u8],
        count: usize,
        of: impl Fn([u8; N]) -> f64,
    ) -> Option<Vec<f64>> {
        let (chunks, _) = bytes.as_chunks::<N>();
        Some(
            chunks
                .get(..count)?
                .iter()
                .map(|chunk| of(*chunk))
                .collect(),
        )
    }
    match kind {
        "<f8" => read(bytes, count, f64::from_le_bytes),
        "<f4" => read(bytes, count, |b| f64::from(f32::from_le_bytes(b))),
        "<i8" => read(bytes, count, |b| i64::from_le_bytes(b) as f64),
        "<u8" => read(bytes, count, |b| u64::from_le_bytes(b) as f64),
        "<i4" => read(bytes, count, |b| f64::from(i32::from_le_bytes(b))),
        "<u4" => read(bytes, count, |b| f64::from(u32::from_le_bytes(b))),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::Write;

    fn npy(kind: &str, shape: &str, bytes: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(bytes);
        out
    }

    #[test]
    fn arrays_of_numpy_become_json() {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let numbers: Vec<u8> = [1.0_f64, 2.5, -3.0]
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        let nodes: Vec<u8> = 4_i64.to_le_bytes().to_vec();
        for (name, data) in [
            ("nodes.npy", npy("<f8", "(1, 3)", &numbers)),
            ("interface_root.npy", npy("<i8", "(1,)", &nodes)),
        ] {
            let options = zip::write::SimpleFileOptions::default();
            zip.start_file(name, options).unwrap();
            zip.write_all(&data).unwrap();
        }
        let bytes = zip.finish().unwrap().into_inner();
        let value: Value = serde_json::from_str(&json_of(&bytes).unwrap()).unwrap();
        assert_eq!(value["nodes"], json!([[1.0, 2.5, -3.0]]));
        assert_eq!(
            value["interfaces"],
            json!([{ "name": "root", "nodes": [4] }])
        );
        assert!(json_of(b"no archive").is_err());
    }
}
