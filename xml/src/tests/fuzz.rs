//! Damaged documents: reading, validating and writing never panic, and what is read can be written
//! and read again.

use proptest::prelude::*;

use super::sample;
use crate::*;

/// One act of damage, with places as fractions of the document.
#[derive(Debug, Clone)]
enum Damage {
    Delete { from: f64, length: usize },
    Repeat { from: f64, length: usize },
    Overwrite { at: f64, byte: u8 },
    Insert { at: f64, text: &'static str },
    Move { from: f64, length: usize, to: f64 },
    Truncate { at: f64 },
}

const TOKENS: &[&str] = &[
    "<",
    ">",
    "/>",
    "\"",
    "'",
    "&",
    "&amp;",
    "&#0;",
    "&#x10ffff;",
    "&#xFFFFFFFFF;",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?",
    "?>",
    "<!DOCTYPE",
    "=",
    " start=\"NaN\"",
    " start=\"-INF\"",
    " min=\"1e999\"",
    " index=\"0\"",
    " index=\"4294967295\"",
    " derivative=\"0\"",
    " dependencies=\"0 0 7\"",
    "<Real/>",
    "<Real>",
    "</Real>",
    "<Unit name=\"\"/>",
    "<Enumeration declaredType=\"Types.Count\" start=\"-2147483648\"/>",
    "\0",
    "é",
    "\u{feff}",
    "der(",
    "[",
    " initial=\"exact\"",
    " causality=\"independent\"",
    " variability=\"constant\"",
];

fn damage() -> impl Strategy<Value = Damage> {
    let place = || 0.0..1.0_f64;
    prop_oneof![
        (place(), 1..200_usize).prop_map(|(from, length)| Damage::Delete { from, length }),
        (place(), 1..200_usize).prop_map(|(from, length)| Damage::Repeat { from, length }),
        (place(), any::<u8>()).prop_map(|(at, byte)| Damage::Overwrite { at, byte }),
        (place(), proptest::sample::select(TOKENS))
            .prop_map(|(at, text)| Damage::Insert { at, text }),
        (place(), 1..200_usize, place()).prop_map(|(from, length, to)| Damage::Move {
            from,
            length,
            to
        }),
        place().prop_map(|at| Damage::Truncate { at }),
    ]
}

fn apply(damage: &Damage, bytes: &mut Vec<u8>) {
    let length_before = bytes.len();
    let place = |fraction: f64| (fraction * length_before as f64) as usize;
    let range = |from: f64, length: usize| {
        let begin = place(from);
        begin..(begin + length).min(length_before)
    };
    match *damage {
        Damage::Delete { from, length } => drop(bytes.drain(range(from, length))),
        Damage::Repeat { from, length } => {
            let piece = bytes[range(from, length)].to_vec();
            let at = place(from);
            bytes.splice(at..at, piece);
        }
        Damage::Overwrite { at, byte } => {
            if let Some(target) = bytes.get_mut(place(at)) {
                *target = byte;
            }
        }
        Damage::Insert { at, text } => {
            let at = place(at);
            bytes.splice(at..at, text.bytes());
        }
        Damage::Move { from, length, to } => {
            let piece: Vec<u8> = bytes.drain(range(from, length)).collect();
            let at = place(to).min(bytes.len());
            bytes.splice(at..at, piece);
        }
        Damage::Truncate { at } => bytes.truncate(place(at)),
    }
}

/// Reads, validates, writes and reads again.
fn exercise(bytes: &[u8]) {
    let description = match ModelDescription::from_xml(bytes) {
        Ok(description) => description,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    for problem in description.problems() {
        assert!(!problem.to_string().is_empty());
    }
    match description.to_xml() {
        Ok(xml) => {
            assert_eq!(
                ModelDescription::from_xml(xml.as_bytes()).unwrap(),
                description
            );
            description.content_guid().unwrap();
        }
        Err(error) => assert!(
            matches!(
                error,
                Error::NotANumber { .. } | Error::IllegalCharacter { .. }
            ),
            "{error}"
        ),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn damaged_documents_never_panic(
        damages in proptest::collection::vec(damage(), 1..5),
        is_full: bool,
    ) {
        let description = if is_full { sample::full() } else { sample::smallest() };
        let mut bytes = description.to_xml().unwrap().into_bytes();
        damages.iter().for_each(|damage| apply(damage, &mut bytes));
        exercise(&bytes);
    }

    #[test]
    fn noise_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        exercise(&bytes);
    }
}

/// Every single byte of a document, replaced by every character that means something in XML.
#[test]
fn every_byte_damaged_once_never_panics() {
    let bytes = sample::full().to_xml().unwrap().into_bytes();
    for at in 0..bytes.len() {
        for replacement in [b'<', b'>', b'"', b'&', b'/', b' ', b'0', 0, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] = replacement;
            exercise(&damaged);
        }
    }
}
