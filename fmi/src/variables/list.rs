//! Building the table: at compile time, so that a loaded library keeps nothing on the heap.

use super::{Access, InfluencesOutputs, Name, Role, UnitOf, Variable};
use crate::model::Parameters;
use std::borrow::Cow;

/// Most variables that a model may have.
const CAPACITY: usize = 200;

/// A table under construction.
pub struct List<P: Parameters> {
    variables: [Variable<P>; CAPACITY],
    count: usize,
    influences: InfluencesOutputs,
}

/// What a table of settings says of a real parameter.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Its unit.
    pub unit: UnitOf,
    /// Smallest and largest value.
    pub limits: [f64; 2],
    /// What it is.
    pub description: &'static str,
}

/// The only element of a list.
pub fn one(value: &mut f64) -> &mut [f64] {
    core::slice::from_mut(value)
}

impl<P: Parameters> Default for List<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Parameters> List<P> {
    /// An empty table.
    pub const fn new() -> Self {
        Self {
            variables: [const { Variable::NOTHING }; CAPACITY],
            count: 0,
            influences: InfluencesOutputs::AtStart,
        }
    }

    /// The variables.
    pub fn variables(&self) -> &[Variable<P>] {
        &self.variables[..self.count]
    }

    /// What follows influences outputs only once the model moves, or from the start on again.
    pub const fn influences(&mut self, influences: InfluencesOutputs) -> &mut Self {
        self.influences = influences;
        self
    }

    const fn add(&mut self, name: Name, unit: UnitOf, role: Role<P>, description: &'static str) {
        let variable = Variable {
            name,
            description: Cow::Borrowed(description),
            unit,
            role,
            influences: self.influences,
        };
        // What was there holds nothing; at compile time nothing can be dropped.
        core::mem::forget(core::mem::replace(
            &mut self.variables[self.count],
            variable,
        ));
        self.count += 1;
    }

    /// A real parameter.
    pub const fn real(
        &mut self,
        name: &'static str,
        unit: UnitOf,
        limits: [f64; 2],
        description: &'static str,
        slot: fn(&mut P) -> &mut [f64],
    ) -> &mut Self {
        let access = Access::Real {
            slot,
            index: 0,
            limits,
        };
        let role = Role::Parameter(access);
        self.add(Name::of(name), unit, role, description);
        self
    }

    /// A real parameter that a table of settings describes.
    pub const fn row(&mut self, row: Row, slot: fn(&mut P) -> &mut [f64]) -> &mut Self {
        self.real(row.name, row.unit, row.limits, row.description, slot)
    }

    /// As many real parameters, numbered from one, that a table of settings describes.
    pub const fn rows(
        &mut self,
        row: Row,
        count: usize,
        slot: fn(&mut P) -> &mut [f64],
    ) -> &mut Self {
        self.reals(
            (row.name, count),
            row.unit,
            row.limits,
            row.description,
            slot,
        )
    }

    /// As many real parameters, numbered from one.
    pub const fn reals(
        &mut self,
        (name, count): (&'static str, usize),
        unit: UnitOf,
        limits: [f64; 2],
        description: &'static str,
        slot: fn(&mut P) -> &mut [f64],
    ) -> &mut Self {
        let mut index = 0;
        while index < count {
            let access = Access::Real {
                slot,
                index,
                limits,
            };
            let role = Role::Parameter(access);
            self.add(Name::numbered(name, index + 1), unit, role, description);
            index += 1;
        }
        self
    }

    /// An integer parameter.
    pub const fn integer(
        &mut self,
        name: &'static str,
        range: [i32; 2],
        description: &'static str,
        slot: fn(&mut P) -> &mut i32,
    ) -> &mut Self {
        let role = Role::Parameter(Access::Integer { slot, range });
        self.add(Name::of(name), UnitOf::One, role, description);
        self
    }

    /// A truth value.
    pub const fn boolean(
        &mut self,
        name: &'static str,
        description: &'static str,
        slot: fn(&mut P) -> &mut bool,
    ) -> &mut Self {
        let role = Role::Parameter(Access::Boolean(slot));
        self.add(Name::of(name), UnitOf::One, role, description);
        self
    }

    /// A number that the start computes.
    pub const fn calculated(
        &mut self,
        name: &'static str,
        unit: UnitOf,
        description: &'static str,
        value: fn(&P::Origin) -> f64,
    ) -> &mut Self {
        self.add(Name::of(name), unit, Role::Calculated(value), description);
        self
    }

    /// An input.
    pub const fn input(
        &mut self,
        name: Name,
        unit: UnitOf,
        index: usize,
        description: &'static str,
        start: fn(&P, usize) -> f64,
    ) -> &mut Self {
        self.add(name, unit, Role::Input { index, start }, description);
        self
    }

    /// An output.
    pub const fn output(
        &mut self,
        name: &'static str,
        unit: UnitOf,
        index: usize,
        group: usize,
        description: &'static str,
    ) -> &mut Self {
        let role = Role::Output { index, group };
        self.add(Name::of(name), unit, role, description);
        self
    }

    /// As many outputs, numbered from one.
    pub const fn outputs(
        &mut self,
        (name, count): (&'static str, usize),
        unit: UnitOf,
        first: usize,
        group: usize,
        description: &'static str,
    ) -> &mut Self {
        let mut k = 0;
        while k < count {
            let role = Role::Output {
                index: first + k,
                group,
            };
            self.add(Name::numbered(name, k + 1), unit, role, description);
            k += 1;
        }
        self
    }

    /// Something to look at.
    pub const fn local(
        &mut self,
        name: &'static str,
        unit: UnitOf,
        index: usize,
        group: usize,
        description: &'static str,
    ) -> &mut Self {
        let role = Role::Local { index, group };
        self.add(Name::of(name), unit, role, description);
        self
    }
}
