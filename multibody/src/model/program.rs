//! Scalar laws as small programs: what a formula in a file becomes.
//!
//! A program is a list of operations on a stack of numbers. It is evaluated over any [`Number`]: over
//! plain numbers, over [`Partial`] (value and gradient, for tangents) and over [`Jet`] (value and two
//! time derivatives, for prescribed motions), so derivatives are exact. With f the function and x its
//! argument:
//!
//! ```text
//! partial  (f(x), f′ ∂x)                                                       (1)
//! jet      (f(x), f′ ẋ, f″ ẋ² + f′ ẍ)                                          (2)
//! ```
//!
//! Comparisons and choices have the derivatives of the branch that is taken.

use crate::error::{Error, Result};
use crate::math;

/// What a program computes with.
pub trait Number: Copy {
    /// A number that does not change.
    fn constant(value: f64) -> Self;
    /// Its value.
    fn value(self) -> f64;
    /// f(x) from f, f′ and f″ at the value of x, eqs. (1), (2).
    fn chain(self, f: f64, first: f64, second: f64) -> Self;
    /// Sum.
    fn plus(self, other: Self) -> Self;
    /// Product.
    fn times(self, other: Self) -> Self;
}

impl Number for f64 {
    fn constant(value: f64) -> Self {
        value
    }
    fn value(self) -> f64 {
        self
    }
    fn chain(self, f: f64, _first: f64, _second: f64) -> Self {
        f
    }
    fn plus(self, other: Self) -> Self {
        self + other
    }
    fn times(self, other: Self) -> Self {
        self * other
    }
}

/// A value with its derivatives by coordinate, rate and one input.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Partial {
    /// The value.
    pub value: f64,
    /// Derivatives by coordinate, rate and input.
    pub by: [f64; 3],
}

impl Number for Partial {
    fn constant(value: f64) -> Self {
        Self {
            value,
            by: [0.0; 3],
        }
    }
    fn value(self) -> f64 {
        self.value
    }
    fn chain(self, f: f64, first: f64, _second: f64) -> Self {
        let by = self.by.map(|d| if d == 0.0 { 0.0 } else { first * d }); // (1)
        Self { value: f, by }
    }
    fn plus(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            by: core::array::from_fn(|i| self.by[i] + other.by[i]),
        }
    }
    fn times(self, other: Self) -> Self {
        let by = |i: usize| self.by[i] * other.value + self.value * other.by[i];
        Self {
            value: self.value * other.value,
            by: core::array::from_fn(by),
        }
    }
}

/// A value with its first two time derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Jet {
    /// The value.
    pub value: f64,
    /// First derivative.
    pub rate: f64,
    /// Second derivative.
    pub acceleration: f64,
}

impl Number for Jet {
    fn constant(value: f64) -> Self {
        Self {
            value,
            ..Self::default()
        }
    }
    fn value(self) -> f64 {
        self.value
    }
    fn chain(self, f: f64, first: f64, second: f64) -> Self {
        if self.rate == 0.0 && self.acceleration == 0.0 {
            return Self::constant(f);
        }
        Self {
            value: f,
            rate: first * self.rate,
            acceleration: second * self.rate * self.rate + first * self.acceleration, // (2)
        }
    }
    fn plus(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            rate: self.rate + other.rate,
            acceleration: self.acceleration + other.acceleration,
        }
    }
    fn times(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            rate: self.rate * other.value + self.value * other.rate,
            acceleration: self.acceleration * other.value
                + 2.0 * self.rate * other.rate
                + self.value * other.acceleration,
        }
    }
}

/// One operation; operands are taken from the stack, the last one first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Op {
    /// Pushes a number.
    Constant(f64),
    /// Pushes variable `n` of the caller.
    Variable(usize),
    /// Sum of two.
    Add,
    /// Difference of two.
    Subtract,
    /// Product of two.
    Multiply,
    /// Quotient of two.
    Divide,
    /// Power of two.
    Power,
    /// The larger of two.
    Max,
    /// The smaller of two.
    Min,
    /// Angle of the point (x, y), from y and x.
    Atan2,
    /// 1 if the first of two is smaller, otherwise 0.
    Less,
    /// 1 if the first of two is smaller or equal, otherwise 0.
    LessOrEqual,
    /// 1 if two are equal, otherwise 0.
    Equal,
    /// 1 if both of two are not zero, otherwise 0.
    And,
    /// 1 if one of two is not zero, otherwise 0.
    Or,
    /// 1 if it is zero, otherwise 0.
    Not,
    /// Of three: the second if the first is not zero, otherwise the third.
    Select,
    /// The opposite.
    Negate,
    /// A function of one number.
    Call(Function),
}

/// Functions of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Function {
    Abs,
    Sign,
    Sqrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Ln,
    Floor,
}

impl Function {
    /// Names as they are written.
    pub const NAMES: [(&'static str, Self); 15] = [
        ("abs", Self::Abs),
        ("sign", Self::Sign),
        ("sqrt", Self::Sqrt),
        ("sin", Self::Sin),
        ("cos", Self::Cos),
        ("tan", Self::Tan),
        ("asin", Self::Asin),
        ("acos", Self::Acos),
        ("atan", Self::Atan),
        ("sinh", Self::Sinh),
        ("cosh", Self::Cosh),
        ("tanh", Self::Tanh),
        ("exp", Self::Exp),
        ("ln", Self::Ln),
        ("floor", Self::Floor),
    ];

    fn apply<T: Number>(self, x: T) -> T {
        let v = x.value();
        let (f, first, second) = match self {
            Self::Abs if v < 0.0 => (-v, -1.0, 0.0),
            Self::Abs => (v, 1.0, 0.0),
            Self::Sign if v == 0.0 => (0.0, 0.0, 0.0),
            Self::Sign => (v.signum(), 0.0, 0.0),
            Self::Sqrt => {
                let root = v.sqrt();
                (root, 0.5 / root, -0.25 / (root * v))
            }
            Self::Sin => {
                let (sin, cos) = math::sin_cos(v);
                (sin, cos, -sin)
            }
            Self::Cos => {
                let (sin, cos) = math::sin_cos(v);
                (cos, -sin, -cos)
            }
            Self::Tan => {
                let t = math::tan(v);
                let s = 1.0 + t * t;
                (t, s, 2.0 * t * s)
            }
            Self::Asin => {
                let s = 1.0 / (1.0 - v * v).sqrt();
                (math::asin(v), s, v * s * s * s)
            }
            Self::Acos => {
                let s = 1.0 / (1.0 - v * v).sqrt();
                (math::acos(v), -s, -v * s * s * s)
            }
            Self::Atan => {
                let s = 1.0 / (1.0 + v * v);
                (math::atan2(v, 1.0), s, -2.0 * v * s * s)
            }
            Self::Sinh => (math::sinh(v), math::cosh(v), math::sinh(v)),
            Self::Cosh => (math::cosh(v), math::sinh(v), math::cosh(v)),
            Self::Tanh => {
                let t = math::tanh(v);
                let s = 1.0 - t * t;
                (t, s, -2.0 * t * s)
            }
            Self::Exp => {
                let e = math::exp(v);
                (e, e, e)
            }
            Self::Ln => (math::ln(v), 1.0 / v, -1.0 / (v * v)),
            Self::Floor => (v.floor(), 0.0, 0.0),
        };
        x.chain(f, first, second)
    }
}

/// Depth of the stack: more than any formula that a person reads.
const DEPTH: usize = 32;

/// A checked list of operations that leaves one number.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    ops: Vec<Op>,
}

impl Op {
    /// Numbers it takes from the stack.
    fn takes(self) -> usize {
        match self {
            Self::Constant(_) | Self::Variable(_) => 0,
            Self::Negate | Self::Not | Self::Call(_) => 1,
            Self::Select => 3,
            _ => 2,
        }
    }
}

impl Program {
    /// Checks that every operation finds its operands and that one number is left.
    pub fn new(ops: Vec<Op>) -> Result<Self> {
        let bad = |problem| Error::BadReference {
            owner: "formula".into(),
            problem,
        };
        let mut depth = 0_usize;
        for op in &ops {
            depth = depth
                .checked_sub(op.takes())
                .ok_or_else(|| bad("an operand is missing"))?
                + 1;
            if depth > DEPTH {
                return Err(bad("it is nested too deeply (32 levels at most)"));
            }
        }
        if depth == 1 {
            Ok(Self { ops })
        } else {
            Err(bad("it must have one value"))
        }
    }

    /// A program that gives one number always.
    pub fn constant(value: f64) -> Self {
        Self {
            ops: vec![Op::Constant(value)],
        }
    }

    /// Its operations.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The numbers of the variables that it reads.
    pub fn variables(&self) -> impl Iterator<Item = usize> + '_ {
        self.ops.iter().filter_map(|op| match op {
            Op::Variable(n) => Some(*n),
            _ => None,
        })
    }

    /// Its value where variable `n` is `variable(n)`.
    pub fn evaluate<T: Number>(&self, variable: impl Fn(usize) -> T) -> T {
        let mut stack = [T::constant(0.0); DEPTH];
        let mut top = 0;
        for op in &self.ops {
            let first = top - op.takes();
            let of = |i: usize| stack[first + i];
            let truth = |holds: bool| T::constant(if holds { 1.0 } else { 0.0 });
            let holds = |x: T| x.value() != 0.0;
            let value = match *op {
                Op::Constant(value) => T::constant(value),
                Op::Variable(n) => variable(n),
                Op::Add => of(0).plus(of(1)),
                Op::Subtract => of(0).plus(of(1).times(T::constant(-1.0))),
                Op::Multiply => of(0).times(of(1)),
                Op::Divide => of(0).times(inverse(of(1))),
                Op::Power => power(of(0), of(1)),
                Op::Max => {
                    if of(0).value() >= of(1).value() {
                        of(0)
                    } else {
                        of(1)
                    }
                }
                Op::Min => {
                    if of(0).value() <= of(1).value() {
                        of(0)
                    } else {
                        of(1)
                    }
                }
                Op::Atan2 => atan2(of(0), of(1)),
                Op::Less => truth(of(0).value() < of(1).value()),
                Op::LessOrEqual => truth(of(0).value() <= of(1).value()),
                Op::Equal => truth(of(0).value() == of(1).value()),
                Op::And => truth(holds(of(0)) && holds(of(1))),
                Op::Or => truth(holds(of(0)) || holds(of(1))),
                Op::Not => truth(!holds(of(0))),
                Op::Select => {
                    if holds(of(0)) {
                        of(1)
                    } else {
                        of(2)
                    }
                }
                Op::Negate => of(0).times(T::constant(-1.0)),
                Op::Call(function) => function.apply(of(0)),
            };
            stack[first] = value;
            top = first + 1;
        }
        stack[0]
    }
}

fn inverse<T: Number>(x: T) -> T {
    let v = 1.0 / x.value();
    x.chain(v, -v * v, 2.0 * v * v * v)
}

/// Whole exponents keep the sign of the base; others need a base that is not negative.
fn power<T: Number>(base: T, exponent: T) -> T {
    let (b, e) = (base.value(), exponent.value());
    let by_base = |b: f64| -> (f64, f64, f64) {
        if b == 0.0 {
            // Derivatives of a power at zero: finite for the exponents that have them.
            let first = if e == 1.0 { 1.0 } else { 0.0 };
            let second = if e == 2.0 { 2.0 } else { 0.0 };
            return (math::powf(0.0, e), first, second);
        }
        let f = if e == e.trunc() && e.abs() < 64.0 {
            b.powi(e as i32)
        } else {
            math::powf(b, e)
        };
        (f, e * f / b, e * (e - 1.0) * f / (b * b))
    };
    let (f, first, second) = by_base(b);
    let of_base = base.chain(f, first, second);
    // A constant exponent, the usual case, has no derivative: b^e = b₀^e · exp((e − e₀) ln b).
    let excess = exponent.plus(T::constant(-e));
    let log = if b > 0.0 {
        base.chain(math::ln(b), 1.0 / b, -1.0 / (b * b))
    } else {
        T::constant(0.0)
    };
    let product = excess.times(log);
    of_base.times(product.chain(1.0, 1.0, 1.0))
}

fn atan2<T: Number>(y: T, x: T) -> T {
    let angle = math::atan2(y.value(), x.value());
    let (sin, cos) = math::sin_cos(angle);
    // The angle that is left after turning back is zero: atan of it has the derivatives.
    let (s, c) = (T::constant(sin), T::constant(cos));
    let along = x.times(c).plus(y.times(s));
    let across = y.times(c).plus(x.times(s).times(T::constant(-1.0)));
    let rest = across.times(inverse(along));
    let v = rest.value();
    let slope = 1.0 / (1.0 + v * v);
    rest.chain(angle, slope, -2.0 * v * slope * slope)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Central differences with a step of 1e-4 on functions of order ten leave less.
    const DIFFERENCE: f64 = 1e-5;

    /// Every function and operation on a variable away from its corners: derivatives against central
    /// differences.
    #[test]
    fn derivatives_are_those_of_the_values() {
        let x0 = 0.37;
        let mut programs: Vec<Vec<Op>> = Function::NAMES
            .iter()
            .map(|(_, f)| vec![Op::Variable(0), Op::Call(*f)])
            .collect();
        for op in [
            Op::Add,
            Op::Subtract,
            Op::Multiply,
            Op::Divide,
            Op::Power,
            Op::Max,
            Op::Min,
            Op::Atan2,
        ] {
            for order in [false, true] {
                let mut operands = vec![Op::Variable(0), Op::Constant(1.7)];
                if order {
                    operands.reverse();
                }
                operands.push(op);
                programs.push(operands);
            }
            programs.push(vec![
                Op::Variable(0),
                Op::Variable(0),
                Op::Call(Function::Exp),
                op,
            ]);
        }
        for ops in programs {
            let program = Program::new(ops).unwrap();
            let at = |x: f64| program.evaluate(|_| x);
            let h = 1e-4;
            let first = (at(x0 + h) - at(x0 - h)) / (2.0 * h);
            let second = (at(x0 + h) - 2.0 * at(x0) + at(x0 - h)) / (h * h);
            let jet = program.evaluate(|_| Jet {
                value: x0,
                rate: 2.0,
                acceleration: 0.3,
            });
            let ops = program.ops();
            assert_eq!(jet.value.to_bits(), at(x0).to_bits(), "{ops:?}");
            assert!(
                (jet.rate - 2.0 * first).abs() < DIFFERENCE * (1.0 + first.abs()),
                "{ops:?}"
            );
            let expected = 4.0 * second + 0.3 * first;
            assert!(
                (jet.acceleration - expected).abs() < DIFFERENCE * (1.0 + expected.abs()),
                "{ops:?}"
            );
            let partial = program.evaluate(|_| Partial {
                value: x0,
                by: [1.0, 0.0, -2.0],
            });
            assert!(
                (partial.by[0] - first).abs() < DIFFERENCE * (1.0 + first.abs()),
                "{ops:?}"
            );
            assert!(
                (partial.by[2] + 2.0 * first).abs() < DIFFERENCE * (1.0 + first.abs()),
                "{ops:?}"
            );
        }
    }

    #[test]
    fn lists_that_are_no_formulas_are_refused() {
        assert!(Program::new(vec![]).is_err());
        assert!(Program::new(vec![Op::Add]).is_err());
        assert!(Program::new(vec![Op::Constant(1.0), Op::Constant(1.0)]).is_err());
        assert!(Program::new(vec![Op::Constant(1.0); 40]).is_err());
    }
}
