//! Surfaces made of flat faces.
//!
//! Corners of a face run counter-clockwise seen from outside. Edges at which two faces meet at
//! more than [`CREASE_DEG`] degrees, and free edges, are drawn as lines.

use serde::Serialize;
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// Faces that meet at a larger angle than this have a visible edge between them [°].
const CREASE_DEG: f64 = 35.0;

/// Unit of the corners on the page [m].
const UNIT_M: f64 = 1e-4;

/// A surface made of flat faces.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Corners [m].
    pub vertices: Vec<[f64; 3]>,
    /// Faces as indices of their corners, counter-clockwise seen from outside.
    pub faces: Vec<Vec<usize>>,
    /// Both sides of the faces can be seen: the surface is open.
    pub two_sided: bool,
}

/// A mesh as the page holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct MeshData {
    vertices: Vec<i64>,
    faces: Vec<Vec<usize>>,
    /// Bit k of a face: the edge after its corner k is drawn.
    edges: Vec<u32>,
    two_sided: bool,
}

impl Mesh {
    /// A solid of revolution about z: the outline (radius, height) [m] turned around in `segments`
    /// steps. The outline runs with the solid on its left, seen with the radius to the right and
    /// the height up; it closes from its last point to its first.
    pub fn turned(outline: &[[f64; 2]], segments: usize) -> Self {
        let (segments, count) = (segments.max(3), outline.len());
        let mut mesh = Self::default();
        for k in 0..segments {
            let (sin, cos) = libm::sincos(TAU * k as f64 / segments as f64);
            let around = outline.iter().map(|&[r, z]| [r * cos, r * sin, z]);
            mesh.vertices.extend(around);
        }
        for k in 0..segments {
            let next = (k + 1) % segments;
            for i in 0..count {
                let j = (i + 1) % count;
                let (on_axis_i, on_axis_j) = (outline[i][0] == 0.0, outline[j][0] == 0.0);
                if on_axis_i && on_axis_j {
                    continue;
                }
                let mut face = vec![k * count + i];
                if !on_axis_i {
                    face.push(next * count + i);
                }
                face.push(next * count + j);
                if !on_axis_j {
                    face.push(k * count + j);
                }
                mesh.faces.push(face);
            }
        }
        mesh
    }

    /// A ring about z with a rectangular section, radii and heights in m.
    pub fn ring(radii: [f64; 2], heights: [f64; 2], segments: usize) -> Self {
        let ([inner, outer], [low, high]) = (radii, heights);
        let outline = [[inner, low], [outer, low], [outer, high], [inner, high]];
        Self::turned(&outline, segments)
    }

    /// A cylinder or, with different radii, a frustum about z from the first height to the second
    /// [m].
    pub fn frustum(radii: [f64; 2], heights: [f64; 2], segments: usize) -> Self {
        let outline = [
            [0.0, heights[0]],
            [radii[0], heights[0]],
            [radii[1], heights[1]],
            [0.0, heights[1]],
        ];
        Self::turned(&outline, segments)
    }

    /// A prism with `sides` flat sides about z, its sides cut into `layers` so that it sorts well
    /// against what is near it; circumradius and heights in m.
    pub fn prism(sides: usize, radius: f64, heights: [f64; 2], layers: usize) -> Self {
        let layers = layers.max(1);
        let mut outline = vec![[0.0, heights[0]]];
        for i in 0..=layers {
            let part = i as f64 / layers as f64;
            outline.push([radius, heights[0] + part * (heights[1] - heights[0])]);
        }
        outline.push([0.0, heights[1]]);
        Self::turned(&outline, sides)
    }

    /// A box between two corners [m].
    pub fn slab(low: [f64; 3], high: [f64; 3]) -> Self {
        let corner = |k: usize| [0, 1, 2].map(|i| if k >> i & 1 == 1 { high[i] } else { low[i] });
        let faces = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        Self {
            vertices: (0..8).map(corner).collect(),
            faces: faces.iter().map(|face| face.to_vec()).collect(),
            two_sided: false,
        }
    }

    /// A round rod between two points, lengths in m. Nothing if the points coincide.
    pub fn rod(from: [f64; 3], to: [f64; 3], radius: f64, segments: usize) -> Self {
        let axis = [0, 1, 2].map(|i| to[i] - from[i]);
        let length = norm(axis);
        if !(length > 0.0 && length.is_finite()) {
            return Self::default();
        }
        let along = axis.map(|v| v / length);
        let other = if along[2].abs() < 0.9 {
            [0.0, 0.0, 1.0]
        } else {
            [1.0, 0.0, 0.0]
        };
        let side = cross(other, along);
        let size = norm(side);
        let side = side.map(|v| v / size);
        let third = cross(along, side);
        let mut rod = Self::frustum([radius, radius], [0.0, length], segments);
        for vertex in &mut rod.vertices {
            let [x, y, z] = *vertex;
            *vertex = [0, 1, 2].map(|i| from[i] + x * side[i] + y * third[i] + z * along[i]);
        }
        rod
    }

    /// Guide petals on a ring about z: `count` plates that lean from the radius at the first
    /// height to the radius at the second, each over `width_deg` of the ring; lengths in m.
    /// `first_deg` is the azimuth of the middle of the first.
    pub fn petals(
        count: usize,
        first_deg: f64,
        width_deg: f64,
        radii: [f64; 2],
        heights: [f64; 2],
    ) -> Self {
        const STRIPS: usize = 6;
        let mut mesh = Self {
            two_sided: true,
            ..Self::default()
        };
        for petal in 0..count {
            let middle = first_deg + 360.0 * petal as f64 / count as f64;
            let start = mesh.vertices.len();
            for i in 0..=STRIPS {
                let part = i as f64 / STRIPS as f64 - 0.5;
                // The tip is narrower than the root.
                for (level, share) in [(0, 1.0), (1, 0.55)] {
                    let (sin, cos) = libm::sincos((middle + width_deg * share * part).to_radians());
                    let radius = radii[level];
                    mesh.vertices
                        .push([radius * cos, radius * sin, heights[level]]);
                }
            }
            for i in 0..STRIPS {
                let a = start + 2 * i;
                mesh.faces.push(vec![a, a + 2, a + 3, a + 1]);
            }
        }
        mesh
    }

    /// Both surfaces as one. It is open if either is.
    pub fn and(mut self, other: Self) -> Self {
        let shift = self.vertices.len();
        self.vertices.extend(other.vertices);
        let shifted = |face: Vec<usize>| face.into_iter().map(|i| i + shift).collect();
        self.faces.extend(other.faces.into_iter().map(shifted));
        self.two_sided |= other.two_sided;
        self
    }

    /// The same surface moved by `shift` [m].
    pub fn moved(mut self, shift: [f64; 3]) -> Self {
        for vertex in &mut self.vertices {
            *vertex = [0, 1, 2].map(|i| vertex[i] + shift[i]);
        }
        self
    }

    /// Normal of a face, not normalised.
    fn normal(&self, face: &[usize]) -> [f64; 3] {
        let mut normal = [0.0; 3];
        for (k, &i) in face.iter().enumerate() {
            let part = cross(self.vertices[i], self.vertices[face[(k + 1) % face.len()]]);
            normal = [0, 1, 2].map(|c| normal[c] + part[c]);
        }
        normal
    }

    /// The mesh as the page holds it. Faces that name no vertex are left out.
    pub(crate) fn data(&self) -> MeshData {
        let faces: Vec<Vec<usize>> = self
            .faces
            .iter()
            .filter(|face| face.len() > 2 && face.iter().all(|&i| i < self.vertices.len()))
            .cloned()
            .collect();
        let whole = |value: &f64| (value / UNIT_M).round() as i64;
        MeshData {
            vertices: self.vertices.iter().flatten().map(whole).collect(),
            edges: self.creases(&faces),
            faces,
            two_sided: self.two_sided,
        }
    }

    /// For each face the edges that are drawn.
    fn creases(&self, faces: &[Vec<usize>]) -> Vec<u32> {
        // Edges are matched by place, not by index: a solid may repeat its corners.
        let place = |i: usize| self.vertices[i].map(|v| (v / UNIT_M).round() as i64);
        let normals: Vec<[f64; 3]> = faces
            .iter()
            .map(|face| {
                let normal = self.normal(face);
                let size = norm(normal);
                normal.map(|v| v / size)
            })
            .collect();
        let mut neighbours: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        let key = |face: &[usize], k: usize| {
            let (a, b) = (place(face[k]), place(face[(k + 1) % face.len()]));
            (a.min(b), a.max(b))
        };
        for (index, face) in faces.iter().enumerate() {
            for k in 0..face.len() {
                neighbours.entry(key(face, k)).or_default().push(index);
            }
        }
        let flat = libm::cos(CREASE_DEG.to_radians());
        let sharp = |index: usize, edge| match neighbours.get(&edge).map(Vec::as_slice) {
            Some(&[a, b]) => {
                let other = if a == index { b } else { a };
                dot(normals[index], normals[other]) < flat
            }
            _ => true,
        };
        faces
            .iter()
            .enumerate()
            .map(|(index, face)| {
                (0..face.len().min(32))
                    .filter(|&k| sharp(index, key(face, k)))
                    .fold(0, |bits, k| bits | 1 << k)
            })
            .collect()
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn norm(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enclosed volume by the divergence theorem: positive only if all faces look outward.
    fn volume(mesh: &Mesh) -> f64 {
        let mut six = 0.0;
        for face in &mesh.faces {
            for pair in face[1..].windows(2) {
                let [a, b, c] = [face[0], pair[0], pair[1]].map(|i| mesh.vertices[i]);
                six += dot(a, cross(b, c));
            }
        }
        six / 6.0
    }

    #[test]
    fn solids_enclose_their_volume_with_outward_faces() {
        let close = |mesh: Mesh, exact: f64| {
            let v = volume(&mesh);
            assert!((v / exact - 1.0).abs() < 2e-3, "{v} against {exact}");
        };
        let pi = TAU / 2.0;
        close(Mesh::slab([0.0; 3], [1.0, 2.0, 3.0]), 6.0);
        close(
            Mesh::ring([1.0, 2.0], [0.0, 0.5], 96),
            pi * (4.0 - 1.0) * 0.5,
        );
        close(Mesh::frustum([1.0, 1.0], [0.0, 2.0], 96), pi * 2.0);
        close(Mesh::frustum([1.0, 0.5], [0.0, 1.0], 96), pi * 1.75 / 3.0);
        let rod = Mesh::rod([1.0, 0.0, 0.0], [1.0, 2.0, 2.0], 0.1, 96);
        close(rod, pi * 0.01 * 8.0_f64.sqrt());
        let hexagon = 1.5 * 3.0_f64.sqrt();
        close(Mesh::prism(6, 1.0, [0.0, 1.0], 4), hexagon);
        close(Mesh::slab([0.0; 3], [1.0; 3]).moved([4.0, 0.0, 0.0]), 1.0);
    }

    #[test]
    fn edges_are_drawn_where_faces_fold() {
        let slab = Mesh::slab([0.0; 3], [1.0; 3]).data();
        assert!(slab.edges.iter().all(|&bits| bits == 0b1111));
        // A fine cylinder shows its two circles and no lines along it.
        let cylinder = Mesh::frustum([1.0, 1.0], [0.0, 2.0], 48).data();
        let lines: u32 = cylinder.edges.iter().map(|bits| bits.count_ones()).sum();
        assert_eq!(lines, 4 * 48, "each circle belongs to two faces");
        // Layers of a prism are not visible.
        let prism = Mesh::prism(6, 1.0, [0.0, 1.0], 4).data();
        let lines: u32 = prism.edges.iter().map(|bits| bits.count_ones()).sum();
        assert_eq!(lines, 2 * (6 * 2 + 6 * 4));
    }

    #[test]
    fn nonsense_makes_no_face() {
        assert_eq!(Mesh::rod([0.0; 3], [0.0; 3], 1.0, 8), Mesh::default());
        let broken = Mesh {
            vertices: vec![[0.0; 3]; 3],
            faces: vec![vec![0, 1], vec![0, 1, 9], vec![0, 1, 2]],
            two_sided: false,
        };
        assert_eq!(broken.data().faces.len(), 1);
    }

    #[test]
    fn petals_are_open() {
        let petals = Mesh::petals(3, 0.0, 60.0, [0.2, 0.15], [0.0, 0.1]);
        assert_eq!(petals.faces.len(), 18);
        assert!(petals.two_sided);
        assert!(Mesh::slab([0.0; 3], [1.0; 3]).and(petals).two_sided);
    }
}
