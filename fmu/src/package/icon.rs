//! The icon: a bowed leaf and its tendon.

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use multibody::math;
use std::io::{self, Write};

/// Pixels of a side.
const SIZE: usize = 128;

/// The icon as a PNG.
pub fn png() -> io::Result<Vec<u8>> {
    let mut rows = Vec::with_capacity(SIZE * (4 * SIZE + 1));
    for y in 0..SIZE {
        rows.push(0);
        for x in 0..SIZE {
            rows.extend(pixel((x as f64 + 0.5, y as f64 + 0.5)));
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

type Point = (f64, f64);

const A: Point = (44.0, 104.0);
const B: Point = (44.0, 24.0);
const O: Point = (16.0, 112.0);
const C: Point = (12.0, 24.0);

/// Red, green, blue and opacity of a pixel: parts painted one over the other.
fn pixel(at: Point) -> [u8; 4] {
    let dark = [38.0, 50.0, 56.0];
    let parts = [
        (line(at, A, B), 1.5, [120.0, 144.0, 156.0]),
        (line(at, O, A).min(line(at, C, B)), 4.0, dark),
        (bow(at), 3.0, [21.0, 101.0, 192.0]),
        (joint(at), 6.0, [198.0, 40.0, 40.0]),
    ];
    let (mut colour, mut opacity) = ([255.0_f64; 3], 0.0_f64);
    for (distance, half_width, paint) in parts {
        let cover = (half_width + 0.5 - distance).clamp(0.0, 1.0);
        for (channel, paint) in colour.iter_mut().zip(paint) {
            *channel += cover * (paint - *channel);
        }
        opacity = opacity.max(cover);
    }
    let [red, green, blue] = colour.map(|channel| channel.round() as u8);
    [red, green, blue, (255.0 * opacity).round() as u8]
}

fn distance(a: Point, b: Point) -> f64 {
    math::hypot(a.0 - b.0, a.1 - b.1)
}

/// Distance from a line from `a` to `b`.
fn line(at: Point, a: Point, b: Point) -> f64 {
    let along = (b.0 - a.0, b.1 - a.1);
    let s = ((at.0 - a.0) * along.0 + (at.1 - a.1) * along.1) / (along.0.powi(2) + along.1.powi(2));
    let s = s.clamp(0.0, 1.0);
    distance(at, (a.0 + s * along.0, a.1 + s * along.1))
}

/// Distance from the leaf, half a sine from A to B.
fn bow(at: Point) -> f64 {
    let place = |k: i32| {
        let s = f64::from(k) / 48.0;
        let across = 62.0 * math::sin(core::f64::consts::PI * s);
        (A.0 + s * (B.0 - A.0) + across, A.1 + s * (B.1 - A.1))
    };
    (0..48)
        .map(|k| line(at, place(k), place(k + 1)))
        .fold(f64::INFINITY, f64::min)
}

/// Distance from the nearest joint.
fn joint(at: Point) -> f64 {
    [A, B, O, C]
        .into_iter()
        .map(|centre| distance(at, centre))
        .fold(f64::INFINITY, f64::min)
}
