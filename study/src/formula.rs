//! Figures as formulas of the inputs: a study without a simulation.
//!
//! Functions with known answers (Ishigami, Sobol' g, a plane) go through sampling, shards, storage and
//! statistics of the real program that way. A formula has numbers, inputs by their keys, `pi`,
//! `+ - * / ^`, comparisons (1 if they hold, else 0), parentheses and the functions below. Numbers are
//! those of the library of functions that the whole program uses, so that results have the same bits
//! everywhere.

use crate::error::{Result, setting};
use crate::runner::{Case, Job, Outcome};
use crate::value::{FigureSpec, Kind, Value};
use std::collections::BTreeMap;

/// A function of one number.
type Function = fn(f64) -> f64;

/// Names and functions of one number.
const FUNCTIONS: [(&str, Function); 9] = [
    ("sin", libm::sin),
    ("cos", libm::cos),
    ("tan", libm::tan),
    ("exp", libm::exp),
    ("ln", libm::log),
    ("sqrt", libm::sqrt),
    ("abs", libm::fabs),
    ("floor", libm::floor),
    ("tanh", libm::tanh),
];

/// Deepest nesting of a formula.
const DEEPEST: usize = 64;

#[derive(Debug, Clone, PartialEq)]
enum Expression {
    Number(f64),
    Input(usize),
    Negative(Box<Expression>),
    Call(usize, Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Less,
    Greater,
}

impl Expression {
    fn value(&self, inputs: &[f64]) -> f64 {
        match self {
            Self::Number(x) => *x,
            Self::Input(index) => inputs.get(*index).copied().unwrap_or(f64::NAN),
            Self::Negative(of) => -of.value(inputs),
            Self::Call(function, of) => FUNCTIONS[*function].1(of.value(inputs)),
            Self::Binary(operator, a, b) => {
                let (a, b) = (a.value(inputs), b.value(inputs));
                match operator {
                    Operator::Add => a + b,
                    Operator::Subtract => a - b,
                    Operator::Multiply => a * b,
                    Operator::Divide => a / b,
                    Operator::Power => libm::pow(a, b),
                    Operator::Less => f64::from(u8::from(a < b)),
                    Operator::Greater => f64::from(u8::from(a > b)),
                }
            }
        }
    }
}

/// Reads a formula from left to right.
struct Reader<'a> {
    rest: &'a str,
    inputs: &'a [&'a str],
    depth: usize,
}

impl<'a> Reader<'a> {
    fn comparison(&mut self) -> Option<Expression> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let mut left = self.sum()?;
        while let Some(operator) = self.operator(&[('<', Operator::Less), ('>', Operator::Greater)])
        {
            left = Expression::Binary(operator, Box::new(left), Box::new(self.sum()?));
        }
        self.depth -= 1;
        Some(left)
    }

    fn sum(&mut self) -> Option<Expression> {
        let mut left = self.product()?;
        while let Some(operator) = self.operator(&[('+', Operator::Add), ('-', Operator::Subtract)])
        {
            left = Expression::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
        Some(left)
    }

    fn product(&mut self) -> Option<Expression> {
        let mut left = self.signed()?;
        while let Some(operator) =
            self.operator(&[('*', Operator::Multiply), ('/', Operator::Divide)])
        {
            left = Expression::Binary(operator, Box::new(left), Box::new(self.signed()?));
        }
        Some(left)
    }

    fn signed(&mut self) -> Option<Expression> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let found = if self.taken('-') {
            Expression::Negative(Box::new(self.signed()?))
        } else {
            let base = self.atom()?;
            if self.taken('^') {
                Expression::Binary(Operator::Power, Box::new(base), Box::new(self.signed()?))
            } else {
                base
            }
        };
        self.depth -= 1;
        Some(found)
    }

    fn atom(&mut self) -> Option<Expression> {
        if self.taken('(') {
            let inner = self.comparison()?;
            return self.taken(')').then_some(inner);
        }
        let first = self.rest.chars().next()?;
        if first.is_ascii_digit() || first == '.' {
            return self.number();
        }
        let word = self.while_true(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        if let Some(function) = FUNCTIONS.iter().position(|(name, _)| *name == word)
            && self.taken('(')
        {
            let inner = self.comparison()?;
            return self
                .taken(')')
                .then(|| Expression::Call(function, Box::new(inner)));
        }
        if let Some(input) = self.inputs.iter().position(|name| *name == word) {
            return Some(Expression::Input(input));
        }
        (word == "pi").then_some(Expression::Number(std::f64::consts::PI))
    }

    fn number(&mut self) -> Option<Expression> {
        let mut end = 0;
        let mut before = ' ';
        for c in self.rest.chars() {
            let sign = (c == '-' || c == '+') && (before == 'e' || before == 'E');
            if !(c.is_ascii_digit() || c == '.' || c == 'e' || c == 'E' || sign) {
                break;
            }
            end += 1;
            before = c;
        }
        let (number, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        number.parse().ok().map(Expression::Number)
    }

    fn while_true(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !fits(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    fn taken(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn operator(&mut self, known: &[(char, Operator)]) -> Option<Operator> {
        let found = known.iter().find(|(c, _)| self.rest.starts_with(*c))?;
        self.taken(found.0);
        Some(found.1)
    }
}

/// Runs that evaluate formulas.
#[derive(Debug, Clone)]
pub struct Formulas {
    figures: Vec<FigureSpec>,
    expressions: Vec<Expression>,
}

impl Formulas {
    /// The formulas by the names of their figures, of inputs with the given keys.
    pub fn new(formulas: &BTreeMap<String, String>, inputs: &[&str]) -> Result<Self> {
        let mut out = Self {
            figures: Vec::new(),
            expressions: Vec::new(),
        };
        for (name, text) in formulas {
            let mut reader = Reader {
                rest: text.trim(),
                inputs,
                depth: 0,
            };
            let found = reader.comparison().filter(|_| reader.rest.is_empty());
            let expression = found.ok_or_else(|| {
                let names: Vec<&str> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
                let rule = format!(
                    "must be a formula of {}, pi, + - * / ^ < > and {}; not understood from `{}` on",
                    inputs.join(", "),
                    names.join(", "),
                    reader.rest
                );
                setting(format!("formula.{name}"), text, rule)
            })?;
            out.figures.push(FigureSpec::new(name, Kind::Real));
            out.expressions.push(expression);
        }
        Ok(out)
    }

    /// The values of the formulas, in the order of the figures.
    pub fn values(&self, inputs: &[Value]) -> Vec<f64> {
        let number = |value: &Value| value.number().unwrap_or(f64::NAN);
        let inputs: Vec<f64> = inputs.iter().map(number).collect();
        self.expressions.iter().map(|e| e.value(&inputs)).collect()
    }
}

impl Job for Formulas {
    type Scratch = ();

    fn figures(&self) -> &[FigureSpec] {
        &self.figures
    }

    fn scratch(&self) {}

    /// A value that is not a number makes a run a failed one.
    fn run(&self, case: &Case<'_>, (): &mut ()) -> Outcome {
        let values = self.values(case.inputs);
        match values.iter().position(|value| value.is_nan()) {
            Some(index) => Outcome::failed(format!("{} is not a number", self.figures[index].name)),
            None => Outcome::ok(values.into_iter().map(|x| Some(Value::Real(x))).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<f64> {
        let formulas = BTreeMap::from([("y".to_owned(), text.to_owned())]);
        let formulas = Formulas::new(&formulas, &["x1", "a.b_m"]).ok()?;
        Some(formulas.values(&[Value::Real(3.0), Value::Real(0.5)])[0])
    }

    #[test]
    fn formulas_are_read_as_people_write_them() {
        for (text, expected) in [
            ("1 + 2*x1^2 - 4/2", 17.0),
            ("-x1^2", -9.0),
            ("2^-1", 0.5),
            ("2^3^2", 512.0),
            ("(x1 - 1)*(x1+1)", 8.0),
            ("abs(-x1) + sqrt(4)", 5.0),
            ("x1 > 2", 1.0),
            ("a.b_m*2 < 1", 0.0),
            ("1.5e-1*10", 1.5),
            ("cos(pi)", -1.0),
            ("8/2/2", 2.0),
        ] {
            assert_eq!(value(text), Some(expected), "{text}");
        }
        for bad in ["", "x2", "1 +", "(1", "sin 3", "1 2", "x1)", "sin()"] {
            assert_eq!(value(bad), None, "{bad}");
        }
        assert_eq!(value(&"(".repeat(10_000)), None);
        assert_eq!(value(&"-".repeat(10_000)), None);
    }
}
