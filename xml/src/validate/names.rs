//! Names of variables: unique, and legal in the declared convention.
//!
//! The structured convention (FMI 2.0, section 2.2.9), with `[ ]` optional and `{ }` repeated:
//!
//! ```text
//! name       = identifier | "der(" identifier [ "," integer ] ")"
//! identifier = b-name [ indices ] { "." b-name [ indices ] }
//! b-name     = nondigit { digit | nondigit } | "'" q-char { q-char } "'"
//! indices    = "[" integer { "," integer } "]"
//! ```

use super::check_unique;
use crate::{Error, ModelDescription, NamingConvention};

pub(super) fn check(description: &ModelDescription, problems: &mut Vec<Error>) {
    let names = description
        .model_variables
        .iter()
        .map(|variable| variable.name.as_str());
    check_unique("variable", names.clone(), problems);
    let convention = description.variable_naming_convention;
    for name in names {
        let fault = match convention {
            NamingConvention::Flat => flat_fault(name),
            NamingConvention::Structured => structured_fault(name),
        };
        if let Some(offset) = fault {
            problems.push(Error::IllegalName {
                name: name.to_owned(),
                convention,
                offset,
            });
        }
    }
}

/// Where a flat name goes wrong.
fn flat_fault(name: &str) -> Option<usize> {
    if name.is_empty() {
        Some(0)
    } else {
        name.find(['\r', '\n', '\t'])
    }
}

/// Where a structured name goes wrong.
fn structured_fault(name: &str) -> Option<usize> {
    let mut scanner = Scanner {
        bytes: name.as_bytes(),
        at: 0,
    };
    (!scanner.name() || scanner.at < name.len()).then_some(scanner.at)
}

/// Walks along a name; each production says whether it matched and stops where it did not.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, expected: u8) -> bool {
        self.take_if(|byte| byte == expected)
    }

    fn take_if(&mut self, accept: impl Fn(u8) -> bool) -> bool {
        let matched = self.peek().is_some_and(accept);
        self.at += usize::from(matched);
        matched
    }

    fn take_while(&mut self, accept: impl Fn(u8) -> bool + Copy) {
        while self.take_if(accept) {}
    }

    fn name(&mut self) -> bool {
        if !self.bytes.starts_with(b"der(") {
            return self.identifier();
        }
        self.at = b"der(".len();
        self.identifier() && (!self.take(b',') || self.integer()) && self.take(b')')
    }

    fn identifier(&mut self) -> bool {
        loop {
            if !self.b_name() || !self.indices() {
                return false;
            }
            if !self.take(b'.') {
                return true;
            }
        }
    }

    fn b_name(&mut self) -> bool {
        if self.take(b'\'') {
            return self.quoted();
        }
        if !self.take_if(|byte| byte.is_ascii_alphabetic() || byte == b'_') {
            return false;
        }
        self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        true
    }

    /// The rest of a quoted name.
    fn quoted(&mut self) -> bool {
        let begin = self.at;
        while !self.take(b'\'') {
            let matched = if self.take(b'\\') {
                self.take_if(|byte| b"'\"?\\abfnrtv".contains(&byte))
            } else {
                self.take_if(|byte| {
                    byte.is_ascii_alphanumeric() || b"_!#$%&()*+,-./:;<>=?@[]^{}|~ ".contains(&byte)
                })
            };
            if !matched {
                return false;
            }
        }
        self.at > begin + 1
    }

    /// Optional array indices.
    fn indices(&mut self) -> bool {
        if !self.take(b'[') {
            return true;
        }
        loop {
            if !self.integer() {
                return false;
            }
            if !self.take(b',') {
                return self.take(b']');
            }
        }
    }

    fn integer(&mut self) -> bool {
        let begin = self.at;
        self.take_while(|byte| byte.is_ascii_digit());
        self.at > begin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legal_structured_names_pass() {
        for name in [
            "x",
            "_x1",
            "tip.force[1]",
            "a.b.mod[3,4].'#123'.c",
            "der(x)",
            "der(tip.position[2])",
            "der(x,2)",
            "der",
            "derive.der",
            "'a \\'quoted\\' name'[1]",
        ] {
            assert_eq!(structured_fault(name), None, "{name}");
        }
    }

    #[test]
    fn illegal_structured_names_are_refused_where_they_go_wrong() {
        for (name, offset) in [
            ("", 0),
            ("1x", 0),
            ("a b", 1),
            ("a..b", 2),
            ("a.", 2),
            (".a", 0),
            ("x[1", 3),
            ("x[]", 2),
            ("x[i]", 2),
            ("x[1]y", 4),
            ("x[1][2]", 4),
            ("der(x", 5),
            ("der(x,)", 6),
            ("der(der(x))", 7),
            ("''", 2),
            ("'x", 2),
            ("'\\x'", 2),
            ("größe", 2),
        ] {
            assert_eq!(structured_fault(name), Some(offset), "{name}");
        }
    }

    #[test]
    fn flat_names_are_single_lines() {
        assert_eq!(flat_fault("any thing at all, größer"), None);
        assert_eq!(flat_fault("a\tb"), Some(1));
        assert_eq!(flat_fault("ab\n"), Some(2));
        assert_eq!(flat_fault(""), Some(0));
    }
}
