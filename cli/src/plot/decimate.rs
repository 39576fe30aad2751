//! Thinning of curves.

/// At most about `most` points of the curve (x, y): of each run of points, the lowest and the
/// highest in their order, and the first and last of all. Peaks stay.
pub fn decimate(x: &[f64], y: &[f64], most: usize) -> (Vec<f64>, Vec<f64>) {
    let count = x.len().min(y.len());
    if count <= most.max(4) {
        return (x[..count].to_vec(), y[..count].to_vec());
    }
    let runs = (most.max(4) - 2) / 2;
    let mut kept = vec![0];
    for run in 0..runs {
        let (from, to) = (run * count / runs, (run + 1) * count / runs);
        let by_value = |&a: &usize, &b: &usize| y[a].total_cmp(&y[b]);
        let lowest = (from..to).min_by(by_value).unwrap_or(from);
        let highest = (from..to).max_by(by_value).unwrap_or(from);
        kept.push(lowest.min(highest));
        kept.push(lowest.max(highest));
    }
    kept.push(count - 1);
    kept.dedup();
    (
        kept.iter().map(|&i| x[i]).collect(),
        kept.iter().map(|&i| y[i]).collect(),
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_short_curve_is_left_alone() {
        let x = [0.0, 1.0, 2.0];
        assert_eq!(decimate(&x, &x, 100), (x.to_vec(), x.to_vec()));
    }

    #[test]
    fn a_single_peak_survives_and_the_order_is_kept() {
        let x: Vec<f64> = (0..100_000).map(f64::from).collect();
        let mut y = vec![0.0; x.len()];
        y[77_777] = 5.0;
        let (dx, dy) = decimate(&x, &y, 500);
        assert!(dx.len() <= 502 && dx.len() == dy.len());
        assert!(dx.windows(2).all(|pair| pair[0] < pair[1]));
        let peak = dy.iter().position(|&value| value == 5.0).unwrap();
        assert_eq!(dx[peak], 77_777.0);
        assert_eq!((dx[0], *dx.last().unwrap()), (0.0, 99_999.0));
    }
}
