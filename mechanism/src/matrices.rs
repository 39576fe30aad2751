//! Bodies given by matrices: what other programs export.
//!
//! A JSON file holds, for n nodes with d = 3 (displacements) or 6 (displacements, then turns) degrees of
//! freedom each, node after node:
//!
//! ```text
//! nodes       n × [x, y, z] [m]
//! mass        n d × n d [kg, kg·m, kg·m²]
//! stiffness   n d × n d [N/m, N, N·m]
//! damping     the same size, may be left out
//! interfaces  [{ "name": text, "nodes": [numbers from 0] }, …]; the first carries the moving frame
//! ```
//!
//! A matrix is a list of rows, or `{ "rows": […], "columns": […], "values": […] }` with entries that add up.
//! An interface is one node with d = 6, or three or more nodes that do not lie on a line and move together
//! rigidly; its frame stands in the middle of its nodes, with the axes of the file.

use nalgebra::{DMatrix, Vector3};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Most degrees of freedom: dense matrices of this size are solved in seconds.
pub const MOST_FREEDOMS: usize = 1500;

/// What is wrong with a file of matrices.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// What.
    pub what: String,
    /// What to do.
    pub remedy: String,
}

fn problem(what: impl Into<String>, remedy: impl Into<String>) -> Problem {
    Problem {
        what: what.into(),
        remedy: remedy.into(),
    }
}

/// An interface: nodes that move together.
#[derive(Debug, Clone, PartialEq)]
pub struct Interface {
    /// Name.
    pub name: String,
    /// Its nodes.
    pub nodes: Vec<usize>,
    /// The middle of them, in the coordinates of the file [m].
    pub place: Vector3<f64>,
}

/// A body given by matrices.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrices {
    /// Places of the nodes [m].
    pub nodes: Vec<Vector3<f64>>,
    /// Degrees of freedom per node, 3 or 6.
    pub per_node: usize,
    /// M.
    pub mass: DMatrix<f64>,
    /// K.
    pub stiffness: DMatrix<f64>,
    /// C.
    pub damping: DMatrix<f64>,
    /// Interfaces, the first with the moving frame.
    pub interfaces: Vec<Interface>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum MatrixText {
    Dense(Vec<Vec<f64>>),
    Sparse {
        rows: Vec<usize>,
        columns: Vec<usize>,
        values: Vec<f64>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyText {
    nodes: Vec<[f64; 3]>,
    mass: MatrixText,
    stiffness: MatrixText,
    damping: Option<MatrixText>,
    interfaces: Vec<InterfaceText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InterfaceText {
    name: String,
    nodes: Vec<usize>,
}

impl MatrixText {
    /// Largest index, plus one.
    fn size(&self) -> usize {
        match self {
            Self::Dense(rows) => rows.len(),
            Self::Sparse { rows, columns, .. } => {
                rows.iter().chain(columns).max().map_or(0, |most| most + 1)
            }
        }
    }

    fn matrix(self, name: &str, size: usize) -> Result<DMatrix<f64>, Problem> {
        let mut out = DMatrix::zeros(size, size);
        match self {
            Self::Dense(rows) => {
                if rows.len() != size || rows.iter().any(|row| row.len() != size) {
                    let what = format!("{name} is not {size} × {size}");
                    return Err(problem(what, "give 3 or 6 rows and columns per node"));
                }
                for (i, row) in rows.iter().enumerate() {
                    for (j, value) in row.iter().enumerate() {
                        out[(i, j)] = *value;
                    }
                }
            }
            Self::Sparse {
                rows,
                columns,
                values,
            } => {
                if rows.len() != values.len() || columns.len() != values.len() {
                    let what = format!("{name} has rows, columns and values of different lengths");
                    return Err(problem(what, "give as many of each"));
                }
                for ((&i, &j), &value) in rows.iter().zip(&columns).zip(&values) {
                    if i >= size || j >= size {
                        let what = format!("{name} has an entry at ({i}, {j}) of {size} × {size}");
                        return Err(problem(what, "count rows and columns from 0"));
                    }
                    out[(i, j)] += value;
                }
            }
        }
        if !out.iter().all(|value| value.is_finite()) {
            return Err(problem(format!("{name} is not finite"), "mend the matrix"));
        }
        let largest = out.amax();
        let skew = (&out - out.transpose()).amax();
        if skew > 1e-6 * largest {
            let what = format!("{name} is not symmetric: entries differ by {skew:.2e}");
            return Err(problem(what, "export the whole matrix, both triangles"));
        }
        let transposed = out.transpose();
        Ok((out + transposed) * 0.5)
    }
}

impl Matrices {
    /// Reads a body from the text of a JSON file.
    pub fn read(text: &str) -> Result<Self, Problem> {
        let body: BodyText = serde_json::from_str(text).map_err(|error| {
            let remedy = "keys: nodes, mass, stiffness, interfaces, and damping if there is some";
            problem(error.to_string(), remedy)
        })?;
        let count = body.nodes.len();
        let given = match &body.mass {
            MatrixText::Dense(rows) => rows.len(),
            sparse => sparse.size().max(body.stiffness.size()),
        };
        if count == 0 {
            return Err(problem("nodes is empty", "give [x, y, z] of every node"));
        }
        // Sparse matrices may end with rows of zeros.
        let per_node = if given <= 3 * count { 3 } else { 6 };
        let size = per_node * count;
        if given > size {
            let what = format!("mass has {given} rows for {count} nodes");
            return Err(problem(what, "give 3 or 6 rows and columns per node"));
        }
        if size > MOST_FREEDOMS {
            let what = format!("it has {size} degrees of freedom");
            let remedy =
                format!("reduce it to at most {MOST_FREEDOMS} before (static condensation)");
            return Err(problem(what, remedy));
        }
        let nodes: Vec<Vector3<f64>> = body.nodes.into_iter().map(Vector3::from).collect();
        let damping = body.damping.map(|text| text.matrix("damping", size));
        let out = Self {
            mass: body.mass.matrix("mass", size)?,
            stiffness: body.stiffness.matrix("stiffness", size)?,
            damping: damping.unwrap_or_else(|| Ok(DMatrix::zeros(size, size)))?,
            interfaces: interfaces(&body.interfaces, &nodes, per_node)?,
            nodes,
            per_node,
        };
        out.check_mass()?;
        Ok(out)
    }

    fn check_mass(&self) -> Result<(), Problem> {
        let total = self.total_mass();
        let diagonal = self.mass.diagonal();
        // The matrix is finite, so its sum is a number.
        if total <= 0.0 || diagonal.iter().any(|entry| *entry < 0.0) {
            let what = format!("its mass is {total} kg, or an entry of its diagonal is negative");
            return Err(problem(what, "mend the mass matrix"));
        }
        Ok(())
    }

    /// Mass: what a unit acceleration along x asks for [kg].
    pub fn total_mass(&self) -> f64 {
        let step = self.per_node;
        let order = self.mass.nrows();
        let along = |i: usize| (0..order).step_by(step).map(move |j| self.mass[(i, j)]);
        (0..order).step_by(step).flat_map(along).sum()
    }

    /// Masses at the nodes: the diagonal scaled to the whole mass [kg].
    pub fn lumped(&self) -> Vec<f64> {
        let step = self.per_node;
        let own = |node: usize| {
            let first = step * node;
            (0..3)
                .map(|i| self.mass[(first + i, first + i)])
                .sum::<f64>()
                / 3.0
        };
        let list: Vec<f64> = (0..self.nodes.len()).map(own).collect();
        let sum: f64 = list.iter().sum();
        let scale = self.total_mass() / sum;
        list.into_iter().map(|mass| mass * scale).collect()
    }
}

fn interfaces(
    list: &[InterfaceText],
    nodes: &[Vector3<f64>],
    per_node: usize,
) -> Result<Vec<Interface>, Problem> {
    let mut out: Vec<Interface> = Vec::new();
    let mut taken: BTreeMap<usize, &String> = BTreeMap::new();
    for InterfaceText {
        name,
        nodes: numbers,
    } in list
    {
        let wrong = |what: String| {
            let remedy = "name its nodes by their numbers from 0, in brackets";
            problem(format!("interface {name}: {what}"), remedy)
        };
        if out.iter().any(|known| known.name == *name) {
            return Err(wrong("its name stands twice".to_owned()));
        }
        for &number in numbers {
            if number >= nodes.len() {
                return Err(wrong(format!("there is no node {number}")));
            }
            if let Some(other) = taken.insert(number, name) {
                return Err(wrong(format!("node {number} belongs to {other} already")));
            }
        }
        let places: Vec<Vector3<f64>> = numbers.iter().map(|&number| nodes[number]).collect();
        let place = places.iter().sum::<Vector3<f64>>() / places.len().max(1) as f64;
        let alone = per_node == 6 && numbers.len() == 1;
        if !alone && !spread(&places) {
            let what = format!("interface {name}: its nodes do not hold a frame");
            let remedy = "give three or more nodes that are not on a line, or one node with turns";
            return Err(problem(what, remedy));
        }
        out.push(Interface {
            name: name.clone(),
            nodes: numbers.clone(),
            place,
        });
    }
    if out.is_empty() {
        let remedy = "add \"interfaces\": [{ \"name\": \"root\", \"nodes\": [0] }]";
        return Err(problem("it has no interfaces", remedy));
    }
    Ok(out)
}

/// True if three of the places span a triangle.
fn spread(places: &[Vector3<f64>]) -> bool {
    let Some(first) = places.first() else {
        return false;
    };
    let arms: Vec<Vector3<f64>> = places.iter().map(|place| place - first).collect();
    let longest = arms.iter().map(|arm| arm.norm()).fold(0.0, f64::max);
    let area = |a: &Vector3<f64>| arms.iter().map(|b| a.cross(b).norm()).fold(0.0, f64::max);
    longest > 0.0 && arms.iter().map(area).fold(0.0, f64::max) > 1e-6 * longest * longest
}
