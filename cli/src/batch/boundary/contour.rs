//! Lines of equal value on a grid, by marching squares.

/// The line on which values on a grid equal `level`, as x and y with gaps (NaN) between its pieces.
/// `values` goes row by row, x fastest; coordinates are 0 to 1 on both axes.
pub fn contour(values: &[f64], columns: usize, level: f64) -> (Vec<f64>, Vec<f64>) {
    let rows = values.len() / columns.max(1);
    let at = |i: usize, j: usize| values[j * columns + i] - level;
    let (mut x, mut y) = (Vec::new(), Vec::new());
    let scale = [(columns.max(2) - 1) as f64, (rows.max(2) - 1) as f64];
    for j in 0..rows.saturating_sub(1) {
        for i in 0..columns.saturating_sub(1) {
            // Corners around the cell; a crossing of an edge lies where the value is zero.
            let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
            let mut crossings: Vec<[f64; 2]> = Vec::with_capacity(4);
            for k in 0..4 {
                let (a, b) = (corners[k], corners[(k + 1) % 4]);
                let (va, vb) = (at(a.0, a.1), at(b.0, b.1));
                if (va > 0.0) != (vb > 0.0) {
                    let t = va / (va - vb);
                    let mix = |a: usize, b: usize| a as f64 + t * (b as f64 - a as f64);
                    crossings.push([mix(a.0, b.0) / scale[0], mix(a.1, b.1) / scale[1]]);
                }
            }
            // Two, or four at a saddle, which are joined as they come.
            for pair in crossings.chunks_exact(2) {
                x.extend([pair[0][0], pair[1][0], f64::NAN]);
                y.extend([pair[0][1], pair[1][1], f64::NAN]);
            }
        }
    }
    (x, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line x + y = 1 of a plane, exactly; nothing where the level is not reached.
    #[test]
    fn a_plane_has_a_straight_line() {
        let n = 11;
        let values: Vec<f64> = (0..n * n)
            .map(|i| ((i % n) + (i / n)) as f64 / (n - 1) as f64)
            .collect();
        let (x, y) = contour(&values, n, 1.03);
        assert!(x.len() >= 3 * 9);
        for (x, y) in x.iter().zip(&y).filter(|(x, _)| x.is_finite()) {
            assert!((x + y - 1.03).abs() < 1e-12, "{x} {y}");
        }
        assert_eq!(contour(&values, n, 3.0).0.len(), 0);
    }
}
