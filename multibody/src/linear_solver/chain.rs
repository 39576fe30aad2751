//! The dense blocks of chain condensation: inversion, and products with columns of 2N numbers.
//!
//! The equation numbers are those of the module [`super`]. Blocks are arrays of columns.
//!
//! The columns of `[D; R]`, `[C; S_ll]` and `[M_L; M_R]` are stacked, because 2N is even while N
//! may be odd: a column is then a whole number of register pairs.

use super::RELATIVE_PIVOT;

/// Blocks up to this size stay in registers from one product to the next.
const SMALL: usize = 4;

/// An N×N matrix, by columns.
pub(super) type Block<const N: usize> = [[f64; N]; N];

/// A column of 2N numbers: the rows of a node, then those of the left skeleton node.
pub(super) type TallColumn<const N: usize> = [[f64; N]; 2];

/// A 2N×N matrix, by columns.
pub(super) type Tall<const N: usize> = [TallColumn<N>; N];

/// An interior node during and after its elimination, or the right skeleton node.
#[derive(Debug, Clone)]
pub(super) struct Link<const N: usize> {
    /// `[D; R]` before its elimination.
    pub diagonal_row: Tall<N>,
    /// `[C; S_ll]` before its elimination.
    pub column_corner: Tall<N>,
    /// `[M_L; M_R]`.
    pub transfer: Tall<N>,
    /// D⁻¹.
    pub inverse: Block<N>,
}

impl<const N: usize> Link<N> {
    /// All zero.
    pub fn zero() -> Self {
        let tall = [[[0.0; N]; 2]; N];
        Self {
            diagonal_row: tall,
            column_corner: tall,
            transfer: tall,
            inverse: [[0.0; N]; N],
        }
    }
}

/// A block without inverse.
pub(super) struct NoInverse {
    /// The pivot or determinant that failed.
    pub pivot: f64,
    /// What it was compared with.
    pub scale: f64,
}

/// Eliminates the node of `link`, whose diagonal block before condensation is `diagonal`, and
/// returns the sign of its determinant. `upper` and `lower` are the blocks of the element between
/// the node and the next one.
///
/// There are two versions of the same products: small blocks are handled by value, large ones by
/// functions that are not inlined, one column at a time; the compiler does worse with the other
/// choice in either case.
#[inline(never)]
pub(super) fn eliminate<const N: usize>(
    link: &mut Link<N>,
    next: &mut Link<N>,
    diagonal: &Block<N>,
    next_diagonal: &Block<N>,
    upper: &Block<N>,
    lower: &Block<N>,
) -> Result<f64, NoInverse> {
    let mut scale = [0.0; N];
    for k in 0..N {
        for row in 0..N {
            scale[k] += diagonal[k][row].abs();
        }
    }
    let (inverse, sign) = invert(&link.diagonal_row, &scale)?;
    link.inverse = inverse;
    if N <= SMALL {
        eliminate_small(link, next, next_diagonal, upper, lower);
    } else {
        eliminate_large(link, next, next_diagonal, upper, lower);
    }
    Ok(sign)
}

/// (1) to (3) for small blocks.
#[inline(always)]
fn eliminate_small<const N: usize>(
    link: &mut Link<N>,
    next: &mut Link<N>,
    next_diagonal: &Block<N>,
    upper: &Block<N>,
    lower: &Block<N>,
) {
    let mut transfer = [[[0.0; N]; 2]; N];
    for j in 0..N {
        let out = transfer[j].as_flattened_mut();
        for k in 0..N {
            let weight = link.inverse[j][k];
            for row in 0..N {
                out[row] += lower[k][row] * weight;
            }
            for row in N..2 * N {
                out[row] += link.diagonal_row[k].as_flattened()[row] * weight;
            }
        }
    }
    link.transfer = transfer; // (1)
    for j in 0..N {
        let mut out = [next_diagonal[j], [0.0; N]];
        subtract(&mut out, &transfer, &upper[j]);
        next.diagonal_row[j] = out; // (2)
    }
    for j in 0..N {
        let mut out = [[0.0; N], link.column_corner[j][1]];
        subtract(&mut out, &transfer, &link.column_corner[j][0]);
        next.column_corner[j] = out; // (3)
    }
}

/// (1) to (3) for large blocks.
#[inline(always)]
fn eliminate_large<const N: usize>(
    link: &mut Link<N>,
    next: &mut Link<N>,
    next_diagonal: &Block<N>,
    upper: &Block<N>,
    lower: &Block<N>,
) {
    for k in 0..N {
        link.diagonal_row[k][0] = lower[k];
    }
    for j in 0..N {
        multiply_column(&mut link.transfer[j], &link.diagonal_row, &link.inverse[j]); // (1)
    }
    for j in 0..N {
        next.diagonal_row[j] = [next_diagonal[j], [0.0; N]];
        subtract_column(&mut next.diagonal_row[j], &link.transfer, &upper[j]); // (2)
    }
    for j in 0..N {
        let [column, corner] = &link.column_corner[j];
        next.column_corner[j] = [[0.0; N], *corner];
        subtract_column(&mut next.column_corner[j], &link.transfer, column); // (3)
    }
}

/// `out ← out − matrix · weights`, (4).
#[inline(always)]
pub(super) fn subtract_tall<const N: usize>(
    out: &mut TallColumn<N>,
    matrix: &Tall<N>,
    weights: &[f64; N],
) {
    if N <= SMALL {
        subtract(out, matrix, weights);
    } else {
        subtract_column(out, matrix, weights);
    }
}

#[inline(always)]
fn subtract<const N: usize>(out: &mut TallColumn<N>, matrix: &Tall<N>, weights: &[f64; N]) {
    let mut sum = *out;
    for k in 0..N {
        let (sum, column) = (sum.as_flattened_mut(), matrix[k].as_flattened());
        for row in 0..2 * N {
            sum[row] -= column[row] * weights[k];
        }
    }
    *out = sum;
}

#[inline(never)]
fn subtract_column<const N: usize>(out: &mut TallColumn<N>, matrix: &Tall<N>, weights: &[f64; N]) {
    subtract(out, matrix, weights);
}

/// `out ← matrix · weights`.
#[inline(never)]
fn multiply_column<const N: usize>(out: &mut TallColumn<N>, matrix: &Tall<N>, weights: &[f64; N]) {
    let mut sum = [[0.0; N]; 2];
    for k in 0..N {
        let (sum, column) = (sum.as_flattened_mut(), matrix[k].as_flattened());
        for row in 0..2 * N {
            sum[row] += column[row] * weights[k];
        }
    }
    *out = sum;
}

/// D⁻¹ (rhs − C left − U next), (5).
#[inline(always)]
pub(super) fn expand<const N: usize>(
    link: &Link<N>,
    upper: &Block<N>,
    rhs: &[f64; N],
    left: &[f64; N],
    next: &[f64; N],
) -> [f64; N] {
    let mut rest = *rhs;
    for k in 0..N {
        for row in 0..N {
            rest[row] -= link.column_corner[k][0][row] * left[k];
        }
    }
    for k in 0..N {
        for row in 0..N {
            rest[row] -= upper[k][row] * next[k];
        }
    }
    let mut out = [0.0; N];
    for k in 0..N {
        for row in 0..N {
            out[row] += link.inverse[k][row] * rest[k];
        }
    }
    out
}

/// The inverse of a block and the sign of its determinant; `scale` are the column sums of the block
/// before condensation.
#[inline(always)]
fn invert<const N: usize>(
    diagonal_row: &Tall<N>,
    scale: &[f64; N],
) -> Result<(Block<N>, f64), NoInverse> {
    let mut block = [[0.0; N]; N];
    for k in 0..N {
        block[k] = diagonal_row[k][0];
    }
    if N == 3 {
        invert_by_cofactors(&block, scale)
    } else {
        invert_by_pivoting(&block, scale)
    }
}

/// Cofactors; only called with N = 3.
#[inline(always)]
fn invert_by_cofactors<const N: usize>(
    m: &Block<N>,
    scale: &[f64; N],
) -> Result<(Block<N>, f64), NoInverse> {
    let cofactor = |column: usize, row: usize| {
        let (c1, c2) = ((column + 1) % 3, (column + 2) % 3);
        let (r1, r2) = ((row + 1) % 3, (row + 2) % 3);
        m[c1][r1] * m[c2][r2] - m[c1][r2] * m[c2][r1]
    };
    let mut inverse = [[0.0; N]; N];
    for column in 0..3 {
        for row in 0..3 {
            inverse[row][column] = cofactor(column, row);
        }
    }
    let determinant = m[0][0] * inverse[0][0] + m[0][1] * inverse[1][0] + m[0][2] * inverse[2][0];
    let scale = scale[0] * scale[1] * scale[2];
    let is_regular = determinant.abs() > RELATIVE_PIVOT * scale; // false for NaN
    if !is_regular {
        return Err(NoInverse {
            pivot: determinant,
            scale,
        });
    }
    let reciprocal = 1.0 / determinant;
    for column in &mut inverse {
        for entry in column {
            *entry *= reciprocal;
        }
    }
    Ok((inverse, determinant.signum()))
}

/// Gauss–Jordan elimination in place with partial pivoting by rows.
#[inline(always)]
fn invert_by_pivoting<const N: usize>(
    block: &Block<N>,
    scale: &[f64; N],
) -> Result<(Block<N>, f64), NoInverse> {
    let mut m = *block;
    let mut sign = 1.0;
    let mut interchange = [0; N];
    for k in 0..N {
        let mut chosen = k;
        let mut best = m[k][k].abs();
        for row in k + 1..N {
            let candidate = m[k][row].abs();
            if candidate > best {
                best = candidate;
                chosen = row;
            }
        }
        let is_regular = best > RELATIVE_PIVOT * scale[k]; // false for NaN
        if !is_regular {
            return Err(NoInverse {
                pivot: best,
                scale: scale[k],
            });
        }
        interchange[k] = chosen;
        if chosen != k {
            sign = -sign;
            for column in &mut m {
                column.swap(k, chosen);
            }
        }
        if m[k][k] < 0.0 {
            sign = -sign;
        }
        let reciprocal = 1.0 / m[k][k];
        // Row k is cleared by a product: a store of one number would delay the loads of two that
        // follow it.
        let others = &Masks::<N>::OTHERS[k];
        let mut pivot_column = [0.0; N];
        for row in 0..N {
            pivot_column[row] = m[k][row] * others[row] - (1.0 - others[row]);
        }
        for column in &mut m {
            let weight = column[k] * reciprocal;
            for row in 0..N {
                column[row] = column[row] * others[row] - pivot_column[row] * weight;
            }
        }
        for row in 0..N {
            m[k][row] = -reciprocal * pivot_column[row];
        }
    }
    for k in (0..N).rev() {
        if interchange[k] != k {
            m.swap(k, interchange[k]);
        }
    }
    Ok((m, sign))
}

/// Rows of ones with a zero in the place of their index.
struct Masks<const N: usize>;

impl<const N: usize> Masks<N> {
    const OTHERS: Block<N> = {
        let mut others = [[1.0; N]; N];
        let mut k = 0;
        while k < N {
            others[k][k] = 0.0;
            k += 1;
        }
        others
    };
}
