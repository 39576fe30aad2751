//! Which runs are missing.

/// Collects the runs that are missing, from those that are there, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Missing {
    /// Ranges of first and last; at most [`Missing::LISTED`].
    pub(crate) ranges: Vec<(u64, u64)>,
    /// How many runs are missing.
    pub(crate) count: u64,
    /// The first run that has not been seen.
    next: u64,
}

impl Missing {
    /// Most ranges that are listed.
    pub(crate) const LISTED: usize = 1000;

    /// Notes that a run is there, and those before it that were not seen are not.
    pub(crate) fn seen(&mut self, run: u64) {
        self.until(run);
        self.next = run + 1;
    }

    /// Notes that the runs not seen before `end` are missing.
    pub(crate) fn until(&mut self, end: u64) {
        if self.next < end {
            self.count += end - self.next;
            if self.ranges.len() < Self::LISTED {
                self.ranges.push((self.next, end - 1));
            }
            self.next = end;
        }
    }

    /// The ranges in words.
    pub(crate) fn text(&self) -> String {
        text(&self.ranges, Self::LISTED)
    }
}

/// The first `most` ranges in words, such as `3, 17 to 20`.
pub(crate) fn text(ranges: &[(u64, u64)], most: usize) -> String {
    let range = |&(first, last): &(u64, u64)| match last - first {
        0 => first.to_string(),
        _ => format!("{first} to {last}"),
    };
    let shown: Vec<String> = ranges.iter().take(most).map(range).collect();
    // A list that is full may have been cut off.
    let more = ranges.len() > most || ranges.len() >= Missing::LISTED;
    format!(
        "{}{}",
        shown.join(", "),
        if more { " and more" } else { "" }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_missing_in_as_few_ranges_as_there_are() {
        let mut missing = Missing::default();
        for run in [0, 1, 3, 7, 8] {
            missing.seen(run);
        }
        missing.until(12);
        assert_eq!(missing.ranges, [(2, 2), (4, 6), (9, 11)]);
        assert_eq!(missing.count, 7);
        assert_eq!(missing.text(), "2, 4 to 6, 9 to 11");
        assert_eq!(text(&missing.ranges, 2), "2, 4 to 6 and more");
        assert_eq!(text(&missing.ranges, 3), "2, 4 to 6, 9 to 11");
        let mut none = Missing::default();
        none.seen(0);
        none.until(1);
        assert_eq!((none.count, none.text()), (0, String::new()));
    }

    #[test]
    fn of_very_many_ranges_the_first_are_listed_and_all_counted() {
        let mut missing = Missing::default();
        for run in 0..3000 {
            missing.seen(2 * run + 1);
        }
        assert_eq!(
            (missing.count, missing.ranges.len()),
            (3000, Missing::LISTED)
        );
        assert!(missing.text().ends_with(" and more"));
    }
}
