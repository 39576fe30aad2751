//! Thinning of curves.

/// At most about `most` points of the curve (x, y): of each run of points, the lowest and the
/// highest in their order, and the first and last of all. Peaks stay. A run in which y is not
/// finite keeps one such point, so that the gap stays too; points whose x is not finite have no
/// place and are left out.
pub fn decimate(x: &[f64], y: &[f64], most: usize) -> (Vec<f64>, Vec<f64>) {
    let placed: Vec<usize> = (0..x.len().min(y.len()))
        .filter(|&i| x[i].is_finite())
        .collect();
    let kept = if placed.len() <= most.max(4) {
        placed
    } else {
        thin(&placed, y, (most.max(4) - 2) / 2)
    };
    (
        kept.iter().map(|&i| x[i]).collect(),
        kept.iter().map(|&i| y[i]).collect(),
    )
}

/// Of each of `runs` runs of `placed`: lowest, highest and the first gap; first and last of all.
fn thin(placed: &[usize], y: &[f64], runs: usize) -> Vec<usize> {
    let count = placed.len();
    let mut kept = vec![placed[0], placed[count - 1]];
    for run in 0..runs {
        let part = &placed[run * count / runs..(run + 1) * count / runs];
        let finite = || part.iter().copied().filter(|&i| y[i].is_finite());
        kept.extend(finite().min_by(|&a, &b| y[a].total_cmp(&y[b])));
        kept.extend(finite().max_by(|&a, &b| y[a].total_cmp(&y[b])));
        kept.extend(part.iter().copied().find(|&i| !y[i].is_finite()));
    }
    kept.sort_unstable();
    kept.dedup();
    kept
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_short_curve_is_left_alone() {
        let x = [0.0, 1.0, 2.0];
        assert_eq!(decimate(&x, &x, 100), (x.to_vec(), x.to_vec()));
        assert_eq!(decimate(&[], &[], 100), (vec![], vec![]));
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

    #[test]
    fn gaps_survive_and_hide_no_peak() {
        let x: Vec<f64> = (0..10_000).map(f64::from).collect();
        let mut y = vec![0.0; x.len()];
        y[5_001] = f64::NAN;
        y[5_002] = 7.0;
        y[5_003] = f64::INFINITY;
        let (_, dy) = decimate(&x, &y, 300);
        assert!(dy.contains(&7.0));
        assert!(dy.iter().any(|value| !value.is_finite()));
    }
}
