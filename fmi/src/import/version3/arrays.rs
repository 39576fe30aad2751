//! From flattened variables to the arrays that they are elements of.

use super::super::ImportError;
use softdock_xml::version3::{Kind3, Place};

/// Variables of the FMU that flattened ones belong to, and where each of those is in their values.
#[derive(Debug, Default)]
pub struct Arrays {
    /// Value references of the FMU, each once.
    pub references: Vec<u32>,
    /// The first place of each among the values.
    starts: Vec<usize>,
    /// Number of values of all of them.
    pub values: usize,
    /// For every flattened variable: which it is in the caller's list, and the place of its value.
    pub members: Vec<(usize, usize)>,
}

/// The place of a flattened variable.
pub fn place(places: &[Place], reference: u32, model: &str) -> Result<Place, ImportError> {
    let found = places.get(reference as usize).copied();
    found.ok_or_else(|| ImportError::UnknownVariable {
        model: model.to_owned(),
        name: format!("of value reference {reference}"),
    })
}

impl Arrays {
    /// Puts the `i`th variable of a list among its array's values.
    pub fn add(&mut self, i: usize, place: &Place) {
        // Lists mostly go through arrays in order.
        let last = self.references.len().checked_sub(1);
        let last = last.filter(|&k| self.references[k] == place.variable);
        let known = last.or_else(|| {
            let mut all = self.references.iter();
            all.position(|&reference| reference == place.variable)
        });
        let k = known.unwrap_or_else(|| {
            self.references.push(place.variable);
            self.starts.push(self.values);
            self.values += place.count as usize;
            self.references.len() - 1
        });
        self.members
            .push((i, self.starts[k] + place.element as usize));
    }

    /// Of those variables of a list that have this type.
    pub fn of_kind(list: &[Place], kind: Kind3) -> Self {
        let mut arrays = Self::default();
        for (i, place) in list.iter().enumerate() {
            if place.kind == kind {
                arrays.add(i, place);
            }
        }
        arrays
    }

    /// Whether some element of an array is not among the variables.
    pub fn has_gaps(&self) -> bool {
        self.members.len() < self.values || {
            let mut told = vec![false; self.values];
            self.members
                .iter()
                .for_each(|&(_, place)| told[place] = true);
            told.contains(&false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(variable: u32, element: u32, count: u32) -> Place {
        Place {
            variable,
            element,
            count,
            kind: Kind3::Float64,
            structural: false,
        }
    }

    #[test]
    fn elements_find_their_arrays_in_any_order() {
        let list = [
            element(7, 1, 3),
            element(2, 0, 1),
            element(7, 0, 3),
            element(9, 0, 2),
            element(9, 1, 2),
        ];
        let arrays = Arrays::of_kind(&list, Kind3::Float64);
        assert_eq!(arrays.references, [7, 2, 9]);
        assert_eq!(arrays.values, 6);
        assert_eq!(arrays.members, [(0, 1), (1, 3), (2, 0), (3, 4), (4, 5)]);
        assert!(arrays.has_gaps());
        assert!(!Arrays::of_kind(&list[3..], Kind3::Float64).has_gaps());
        // The same element twice does not fill the place of another.
        let twice = [element(9, 0, 2), element(9, 0, 2)];
        assert!(Arrays::of_kind(&twice, Kind3::Float64).has_gaps());
    }
}
