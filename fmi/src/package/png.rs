//! Icons as PNG files.

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::io::{self, Write};

/// Pixels of a side.
const SIZE: usize = 128;

/// A square of 128 pixels as a PNG; `pixel` gives red, green, blue and opacity of a place.
pub fn encode(pixel: impl Fn(f64, f64) -> [u8; 4]) -> io::Result<Vec<u8>> {
    let mut rows = Vec::with_capacity(SIZE * (4 * SIZE + 1));
    for y in 0..SIZE {
        rows.push(0);
        for x in 0..SIZE {
            rows.extend(pixel(x as f64 + 0.5, y as f64 + 0.5));
        }
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&rows)?;
    let data = encoder.finish()?;
    let side = (SIZE as u32).to_be_bytes();
    // Eight bits of red, green, blue and opacity; no filter, not interlaced.
    let header = [&side[..], &side[..], &[8, 6, 0, 0, 0]].concat();
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut out, b"IHDR", &header);
    chunk(&mut out, b"IDAT", &data);
    chunk(&mut out, b"IEND", &[]);
    Ok(out)
}

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let mut crc = Crc::new();
    for part in [&kind[..], data] {
        crc.update(part);
        out.extend(part);
    }
    out.extend(crc.sum().to_be_bytes());
}
