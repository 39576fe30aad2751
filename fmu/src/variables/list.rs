//! Building the table.

use super::{Access, Matters, Role, UnitOf, Variable};
use leg_core::leg::unit::{Origin, OutputGroup};

/// A table under construction.
pub struct List<P> {
    variables: Vec<Variable<P>>,
    matters: Matters,
}

impl<P> Default for List<P> {
    fn default() -> Self {
        Self {
            variables: Vec::new(),
            matters: Matters::AtStart,
        }
    }
}

/// The only element of a list.
pub fn one(value: &mut f64) -> &mut [f64] {
    core::slice::from_mut(value)
}

impl<P> List<P> {
    /// The finished table.
    pub fn finish(self) -> Vec<Variable<P>> {
        self.variables
    }

    /// What follows matters only once the leg moves, or from the start on again.
    pub fn matters(&mut self, matters: Matters) -> &mut Self {
        self.matters = matters;
        self
    }

    fn add(&mut self, name: impl Into<String>, unit: UnitOf, role: Role<P>, description: &str) {
        self.variables.push(Variable {
            name: name.into(),
            description: description.to_owned(),
            unit,
            role,
            matters: self.matters,
        });
    }

    /// A real parameter.
    pub fn real(
        &mut self,
        name: &str,
        unit: UnitOf,
        range: [f64; 2],
        description: &str,
        slot: fn(&mut P) -> &mut [f64],
    ) -> &mut Self {
        let access = Access::Real {
            slot,
            index: 0,
            range,
        };
        self.add(name, unit, Role::Parameter(access), description);
        self
    }

    /// As many real parameters, numbered from one.
    pub fn reals(
        &mut self,
        (name, count): (&str, usize),
        unit: UnitOf,
        range: [f64; 2],
        description: &str,
        slot: fn(&mut P) -> &mut [f64],
    ) -> &mut Self {
        for index in 0..count {
            let access = Access::Real { slot, index, range };
            let name = format!("{name}[{}]", index + 1);
            self.add(name, unit, Role::Parameter(access), description);
        }
        self
    }

    /// An integer parameter.
    pub fn integer(
        &mut self,
        name: &str,
        range: [i32; 2],
        description: &str,
        slot: fn(&mut P) -> &mut i32,
    ) -> &mut Self {
        let access = Access::Integer { slot, range };
        self.add(name, UnitOf::One, Role::Parameter(access), description);
        self
    }

    /// A truth value.
    pub fn boolean(
        &mut self,
        name: &str,
        description: &str,
        slot: fn(&mut P) -> &mut bool,
    ) -> &mut Self {
        let role = Role::Parameter(Access::Boolean(slot));
        self.add(name, UnitOf::One, role, description);
        self
    }

    /// A number that the start computes.
    pub fn calculated(
        &mut self,
        name: &str,
        unit: UnitOf,
        description: &str,
        value: fn(&Origin) -> f64,
    ) -> &mut Self {
        self.add(name, unit, Role::Calculated(value), description);
        self
    }

    /// An input.
    pub fn input(
        &mut self,
        name: &str,
        unit: UnitOf,
        index: usize,
        description: &str,
        start: fn(&P) -> f64,
    ) -> &mut Self {
        self.add(name, unit, Role::Input { index, start }, description);
        self
    }

    /// An output.
    pub fn output(
        &mut self,
        name: &str,
        unit: UnitOf,
        index: usize,
        group: OutputGroup,
        description: &str,
    ) -> &mut Self {
        self.add(name, unit, Role::Output { index, group }, description);
        self
    }

    /// As many outputs, numbered from one.
    pub fn outputs(
        &mut self,
        (name, count): (&str, usize),
        unit: UnitOf,
        first: usize,
        group: OutputGroup,
        description: &str,
    ) -> &mut Self {
        for k in 0..count {
            let name = format!("{name}[{}]", k + 1);
            let role = Role::Output {
                index: first + k,
                group,
            };
            self.add(name, unit, role, description);
        }
        self
    }

    /// Something to look at.
    pub fn local(
        &mut self,
        name: &str,
        unit: UnitOf,
        index: usize,
        description: &str,
    ) -> &mut Self {
        let group = OutputGroup::Diagnostic;
        self.add(name, unit, Role::Local { index, group }, description);
        self
    }
}
