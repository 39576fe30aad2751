//! Formulas: numbers, names, operators and functions, compiled to a [`Program`].
//!
//! From the loosest to the tightest: `or`, `and`, `not`, comparisons, `+ −`, `* /`, sign, `^`.
//! `if(condition, a, b)` chooses; texts are compared with `==` and `!=` only.

use multibody::model::{Function, Op, Program};

/// What a name stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// A number that is known.
    Number(f64),
    /// A text that is known.
    Text(String),
    /// Variable `n` of the program.
    Variable(usize),
}

/// Compiles `text`; `meaning` says what names stand for. The error says what is wrong.
pub fn compile(
    text: &str,
    meaning: &mut dyn FnMut(&str) -> Option<Meaning>,
) -> Result<Program, String> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        ops: Vec::new(),
        meaning,
        depth: 0,
    };
    parser.or()?;
    if let Some(token) = parser.tokens.get(parser.at) {
        return Err(format!("{token} is not expected there"));
    }
    Program::new(parser.ops).map_err(|error| error.to_string())
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(f64),
    Name(String),
    Text(String),
    Sign(&'static str),
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "the number {number}"),
            Self::Name(name) => write!(f, "`{name}`"),
            Self::Text(text) => write!(f, "the text '{text}'"),
            Self::Sign(sign) => write!(f, "`{sign}`"),
        }
    }
}

const SIGNS: [&str; 15] = [
    "<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "^", "(", ")", ",", "**",
];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() || first == '.' {
            let length = number_length(rest);
            let number = rest[..length]
                .parse()
                .map_err(|_| format!("`{}` is not a number", &rest[..length]))?;
            out.push(Token::Number(number));
            length
        } else if first.is_alphabetic() || first == '_' {
            let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            out.push(Token::Name(rest[..length].to_owned()));
            length
        } else if first == '\'' || first == '"' {
            let end = rest[1..].find(first).ok_or("a quote is not closed")?;
            out.push(Token::Text(rest[1..=end].to_owned()));
            end + 2
        } else {
            let sign = (SIGNS.iter().find(|sign| rest.starts_with(**sign)))
                .ok_or_else(|| format!("`{first}` has no meaning in a formula"))?;
            out.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    if out.is_empty() {
        return Err("the formula is empty".to_owned());
    }
    Ok(out)
}

fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut i = 0;
    let digits = |i: &mut usize| {
        while bytes.get(*i).is_some_and(u8::is_ascii_digit) {
            *i += 1;
        }
    };
    digits(&mut i);
    if bytes.get(i) == Some(&b'.') {
        i += 1;
        digits(&mut i);
    }
    if matches!(bytes.get(i), Some(b'e' | b'E')) {
        let mut j = i + 1;
        if matches!(bytes.get(j), Some(b'+' | b'-')) {
            j += 1;
        }
        if bytes.get(j).is_some_and(u8::is_ascii_digit) {
            digits(&mut j);
            i = j;
        }
    }
    i
}

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    ops: Vec<Op>,
    meaning: &'a mut dyn FnMut(&str) -> Option<Meaning>,
    depth: usize,
}

/// Parentheses and functions in each other: beyond this nobody reads a formula.
const DEEPEST: usize = 64;

impl Parser<'_> {
    fn sign(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some(Token::Sign(sign)) if signs.contains(sign) => {
                self.at += 1;
                Some(sign)
            }
            _ => None,
        }
    }

    fn word(&mut self, word: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Name(name)) if name == word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), String> {
        match self.sign(&[sign]) {
            Some(_) => Ok(()),
            None => Err(match self.tokens.get(self.at) {
                Some(token) => format!("`{sign}` is expected instead of {token}"),
                None => format!("`{sign}` is missing at the end"),
            }),
        }
    }

    fn or(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("it is nested too deeply".to_owned());
        }
        self.and()?;
        while self.word("or") {
            self.and()?;
            self.ops.push(Op::Or);
        }
        self.depth -= 1;
        Ok(())
    }

    fn and(&mut self) -> Result<(), String> {
        self.not()?;
        while self.word("and") {
            self.not()?;
            self.ops.push(Op::And);
        }
        Ok(())
    }

    fn not(&mut self) -> Result<(), String> {
        let mut odd = false;
        while self.word("not") {
            odd = !odd;
        }
        self.comparison()?;
        if odd {
            self.ops.push(Op::Not);
        }
        Ok(())
    }

    fn comparison(&mut self) -> Result<(), String> {
        if let Some(left) = self.text() {
            let sign = self.sign(&["==", "!="]);
            let sign = sign.ok_or("texts can only be compared, with == or !=")?;
            let right = self.text().ok_or("a text is compared with a text only")?;
            let holds = (left == right) == (sign == "==");
            self.ops.push(Op::Constant(if holds { 1.0 } else { 0.0 }));
            return Ok(());
        }
        self.sum()?;
        let Some(sign) = self.sign(&["<", "<=", ">", ">=", "==", "!="]) else {
            return Ok(());
        };
        self.sum()?;
        match sign {
            "<" => self.ops.push(Op::Less),
            "<=" => self.ops.push(Op::LessOrEqual),
            ">" => self.ops.extend([Op::LessOrEqual, Op::Not]),
            ">=" => self.ops.extend([Op::Less, Op::Not]),
            "==" => self.ops.push(Op::Equal),
            _ => self.ops.extend([Op::Equal, Op::Not]),
        }
        Ok(())
    }

    /// A text, if one stands here: in quotes, or a name that stands for one.
    fn text(&mut self) -> Option<String> {
        let text = match self.tokens.get(self.at)? {
            Token::Text(text) => text.clone(),
            Token::Name(name) => match (self.meaning)(name)? {
                Meaning::Text(text) => text,
                _ => return None,
            },
            _ => return None,
        };
        self.at += 1;
        Some(text)
    }

    fn sum(&mut self) -> Result<(), String> {
        self.product()?;
        while let Some(sign) = self.sign(&["+", "-"]) {
            self.product()?;
            self.ops
                .push(if sign == "+" { Op::Add } else { Op::Subtract });
        }
        Ok(())
    }

    fn product(&mut self) -> Result<(), String> {
        self.signed()?;
        while let Some(sign) = self.sign(&["*", "/"]) {
            self.signed()?;
            self.ops.push(if sign == "*" {
                Op::Multiply
            } else {
                Op::Divide
            });
        }
        Ok(())
    }

    fn signed(&mut self) -> Result<(), String> {
        let mut odd = false;
        while let Some(sign) = self.sign(&["+", "-"]) {
            odd ^= sign == "-";
        }
        self.power()?;
        if odd {
            self.ops.push(Op::Negate);
        }
        Ok(())
    }

    fn power(&mut self) -> Result<(), String> {
        self.primary()?;
        if self.sign(&["^", "**"]).is_some() {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err("it is nested too deeply".to_owned());
            }
            self.signed()?;
            self.depth -= 1;
            self.ops.push(Op::Power);
        }
        Ok(())
    }

    fn primary(&mut self) -> Result<(), String> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        match token {
            Some(Token::Number(number)) => self.ops.push(Op::Constant(number)),
            Some(Token::Sign("(")) => {
                self.or()?;
                self.expect(")")?;
            }
            Some(Token::Name(name)) => {
                if matches!(self.tokens.get(self.at), Some(Token::Sign("("))) {
                    return self.call(&name);
                }
                self.name(&name)?;
            }
            Some(token) => return Err(format!("a value is expected instead of {token}")),
            None => return Err("a value is missing at the end".to_owned()),
        }
        Ok(())
    }

    fn name(&mut self, name: &str) -> Result<(), String> {
        let op = match (self.meaning)(name) {
            Some(Meaning::Number(number)) => Op::Constant(number),
            Some(Meaning::Variable(n)) => Op::Variable(n),
            Some(Meaning::Text(text)) => {
                return Err(format!("`{name}` is the text '{text}', not a number"));
            }
            None if name == "pi" => Op::Constant(std::f64::consts::PI),
            None => return Err(format!("`{name}` is not known here")),
        };
        self.ops.push(op);
        Ok(())
    }

    fn call(&mut self, name: &str) -> Result<(), String> {
        self.at += 1;
        let mut count = 0;
        if self.sign(&[")"]).is_none() {
            loop {
                self.or()?;
                count += 1;
                if self.sign(&[","]).is_none() {
                    break;
                }
            }
            self.expect(")")?;
        }
        let known = Function::NAMES.iter().find(|(known, _)| *known == name);
        let (op, wanted) = match (known, name) {
            (Some((_, function)), _) => (Op::Call(*function), 1),
            (None, "max") => (Op::Max, 2),
            (None, "min") => (Op::Min, 2),
            (None, "atan2") => (Op::Atan2, 2),
            (None, "if") => (Op::Select, 3),
            _ => return Err(format!("there is no function {name}()")),
        };
        if count != wanted {
            return Err(format!("{name}() takes {wanted} values, not {count}"));
        }
        self.ops.push(op);
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<f64, String> {
        let program = compile(text, &mut |name| match name {
            "start" => Some(Meaning::Text("rest".into())),
            "a.b" => Some(Meaning::Number(3.0)),
            "t" => Some(Meaning::Variable(0)),
            _ => None,
        })?;
        Ok(program.evaluate(|_| 2.0))
    }

    #[test]
    fn formulas_have_the_values_that_one_expects() {
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("-2^2", -4.0),
            ("2^3^2", 512.0),
            ("2^-1", 0.5),
            ("(1 + 2) * 3 - 4 / 2", 7.0),
            ("if(start == 'rest', 1, 0)", 1.0),
            ("if(start != \"rest\" or t > 1, 5, 0)", 5.0),
            ("not t >= 2 and 1", 0.0),
            ("a.b*1e-3", 3e-3),
            ("max(1, min(t, 5))", 2.0),
            ("sqrt(16) - abs(-1)", 3.0),
            ("10 - 3 - 2", 5.0),
            ("12 / 3 / 2", 2.0),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
        assert!((value("2*pi").unwrap() - std::f64::consts::TAU).abs() < 1e-15);
    }

    #[test]
    fn what_is_no_formula_is_refused_with_a_reason() {
        for text in [
            "",
            "1 +",
            "(1",
            "1)",
            "x",
            "foo(1)",
            "sin()",
            "max(1)",
            "start",
            "start + 1",
            "1 $ 2",
            "'open",
            "1 2",
            "start == 1",
            "if(1,2)",
        ] {
            assert!(value(text).is_err(), "{text}");
        }
        let deep = "(".repeat(1000);
        assert!(value(&deep).is_err());
        assert!(value(&"2^".repeat(1000)).is_err());
    }
}
