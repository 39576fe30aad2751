//! Tables of variables that depend on the model's settings: how many legs there are, which outputs a
//! file names.

use softdock_fmi::model::Parameters;
use softdock_fmi::variables::{InfluencesOutputs, Name, Role, Text, UnitOf, Variable};
use std::ops::Range;

/// A table under construction: parameters first, then inputs, then outputs by groups.
pub struct Table<P: Parameters> {
    /// Whether outputs before the first step depend on inputs.
    inputs_at_start: bool,
    variables: Vec<Variable<P>>,
    inputs: usize,
    outputs: usize,
    groups: Vec<Range<usize>>,
}

impl<P: Parameters> Table<P> {
    /// A table that begins with these variables. `inputs_at_start`: outputs before the first step
    /// depend on the inputs.
    pub fn new(first: &[Variable<P>], inputs_at_start: bool) -> Self {
        Self {
            inputs_at_start,
            variables: first.to_vec(),
            inputs: 0,
            outputs: 0,
            groups: Vec::new(),
        }
    }

    /// The variables, and where the outputs of each group are.
    pub fn finish(self) -> (Vec<Variable<P>>, Vec<Range<usize>>) {
        (self.variables, self.groups)
    }

    fn add(&mut self, name: Name, unit: UnitOf, role: Role<P>, description: Text, at_start: bool) {
        self.variables.push(Variable {
            name,
            description,
            unit,
            role,
            influences: if at_start {
                InfluencesOutputs::AtStart
            } else {
                InfluencesOutputs::AfterStart
            },
        });
    }

    /// An input.
    pub fn input(
        &mut self,
        name: Name,
        unit: UnitOf,
        description: impl Into<Text>,
        start: fn(&P, usize) -> f64,
    ) {
        let index = self.inputs;
        self.inputs += 1;
        let role = Role::Input { index, start };
        let at_start = self.inputs_at_start;
        self.add(name, unit, role, description.into(), at_start);
    }

    /// As many inputs, numbered from one.
    pub fn inputs(
        &mut self,
        (name, count): (&'static str, usize),
        unit: UnitOf,
        description: &'static str,
        start: fn(&P, usize) -> f64,
    ) {
        for number in 1..=count {
            self.input(Name::numbered(name, number), unit, description, start);
        }
    }

    /// The outputs that follow are computed together.
    pub fn group(&mut self) {
        self.groups.push(self.outputs..self.outputs);
    }

    /// An output.
    pub fn output(&mut self, name: Name, unit: UnitOf, description: impl Into<Text>) {
        if self.groups.is_empty() {
            self.group();
        }
        let (index, group) = (self.outputs, self.groups.len() - 1);
        self.outputs += 1;
        if let Some(last) = self.groups.last_mut() {
            last.end = self.outputs;
        }
        let role = Role::Output { index, group };
        self.add(name, unit, role, description.into(), true);
    }

    /// As many outputs, numbered from one.
    pub fn outputs(
        &mut self,
        (name, count): (&str, usize),
        unit: UnitOf,
        description: impl Into<Text>,
    ) {
        let description = description.into();
        for number in 1..=count {
            let name = Name::read_numbered(name, number);
            self.output(name, unit, description.clone());
        }
    }

    /// Pose and twist of a body.
    pub fn body(&mut self, name: &str, what: &str) {
        for (part, unit, text) in [
            ("position", UnitOf::Metre, "Position of"),
            (
                "attitude",
                UnitOf::Radian,
                "Pitch (about x), yaw (about y) and roll (about z), R = Rz(roll) Ry(yaw) Rx(pitch), at",
            ),
            (
                "velocity",
                UnitOf::MetrePerSecond,
                "Velocity, world axes, of",
            ),
            (
                "spin",
                UnitOf::RadianPerSecond,
                "Angular velocity, world axes, at",
            ),
        ] {
            let text = format!("{text} {what}");
            self.outputs((&format!("{name}.{part}"), 3), unit, text);
        }
    }
}
