//! The icon: a bowed leaf and its tendon.

use multibody::math;

type Point = (f64, f64);

const A: Point = (44.0, 104.0);
const B: Point = (44.0, 24.0);
const O: Point = (16.0, 112.0);
const C: Point = (12.0, 24.0);

/// Red, green, blue and opacity of a pixel: parts painted one over the other.
pub fn pixel(x: f64, y: f64) -> [u8; 4] {
    let at = (x, y);
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
