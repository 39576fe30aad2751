//! A finished run as bytes.
//!
//! ```text
//! elapsed [f64 s] · finished [u64 ms since 1970] · run [u64] · status [u8] · inputs · figures | reason
//! ```
//!
//! All little-endian. A value is a byte that says whether it is there, then its bytes; a text is its
//! length [u32] and UTF-8. The two times are the only part that differs from one execution to the
//! next; they are never written to the table.

use crate::plan::Plan;
use crate::value::{Kind, Value};

const TIMES: usize = 16;
const OK: u8 = 0;
const FAILED: u8 = 1;

/// A finished run.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Number of the run.
    pub run: u64,
    /// Its inputs.
    pub inputs: Vec<Value>,
    /// Its figures, or the reason why it failed.
    pub outcome: Result<Vec<Option<Value>>, String>,
    /// Time the run took [s]; wall clock, not part of the result.
    pub elapsed_s: f64,
    /// When it finished, in milliseconds since 1970; wall clock, not part of the result.
    pub finished_unix_ms: u64,
}

impl Row {
    /// Appends the bytes of the row.
    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.elapsed_s.to_bits().to_le_bytes());
        bytes.extend(self.finished_unix_ms.to_le_bytes());
        bytes.extend(self.run.to_le_bytes());
        bytes.push(if self.outcome.is_ok() { OK } else { FAILED });
        for value in &self.inputs {
            encode_value(bytes, Some(value));
        }
        match &self.outcome {
            Ok(figures) => figures
                .iter()
                .for_each(|value| encode_value(bytes, value.as_ref())),
            Err(reason) => encode_text(bytes, reason),
        }
    }

    /// Reads a row of the plan; none when the bytes are not one.
    pub(crate) fn decode(plan: &Plan, bytes: &[u8]) -> Option<Self> {
        let mut cursor = Cursor(bytes);
        let elapsed_s = f64::from_bits(u64::from_le_bytes(cursor.take()?));
        let finished_unix_ms = u64::from_le_bytes(cursor.take()?);
        let run = u64::from_le_bytes(cursor.take()?);
        let [status] = cursor.take()?;
        let inputs = plan
            .inputs()
            .iter()
            .map(|input| cursor.value(input.kind)?)
            .collect::<Option<Vec<Value>>>()?;
        let outcome = match status {
            OK => Ok(plan
                .figures()
                .iter()
                .map(|figure| cursor.value(figure.kind))
                .collect::<Option<Vec<_>>>()?),
            FAILED => Err(cursor.text()?),
            _ => return None,
        };
        cursor.0.is_empty().then_some(Self {
            run,
            inputs,
            outcome,
            elapsed_s,
            finished_unix_ms,
        })
    }
}

/// The number of the run of an encoded row.
pub(crate) fn run_of(bytes: &[u8]) -> Option<u64> {
    Cursor(bytes.get(TIMES..)?).take().map(u64::from_le_bytes)
}

/// The run of a row that begins as the row of that run must: with its inputs.
pub(crate) fn begins_like(plan: &Plan, bytes: &[u8]) -> Option<u64> {
    let run = run_of(bytes)?;
    let mut inputs = Vec::new();
    for value in plan.values(run).ok()? {
        encode_value(&mut inputs, Some(&value));
    }
    let behind_status = bytes.get(TIMES + 9..)?;
    behind_status.starts_with(&inputs).then_some(run)
}

/// The part of an encoded row that is the same in every execution.
pub(crate) fn result_of(bytes: &[u8]) -> &[u8] {
    bytes.get(TIMES..).unwrap_or_default()
}

fn encode_value(bytes: &mut Vec<u8>, value: Option<&Value>) {
    bytes.push(u8::from(value.is_some()));
    match value {
        None => {}
        Some(Value::Real(x)) => bytes.extend(x.to_bits().to_le_bytes()),
        Some(Value::Integer(n)) => bytes.extend(n.to_le_bytes()),
        Some(Value::Bool(b)) => bytes.push(u8::from(*b)),
        Some(Value::Text(text)) => encode_text(bytes, text),
    }
}

/// Texts are cut off far below 4 GiB before they come here.
fn encode_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}

struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, tail) = self.0.split_first_chunk::<N>()?;
        self.0 = tail;
        Some(*head)
    }

    fn text(&mut self) -> Option<String> {
        let length = u32::from_le_bytes(self.take()?) as usize;
        let (head, tail) = self.0.split_at_checked(length)?;
        self.0 = tail;
        Some(std::str::from_utf8(head).ok()?.to_owned())
    }

    /// A value that may be missing; the outer option says whether the bytes make sense.
    fn value(&mut self, kind: Kind) -> Option<Option<Value>> {
        match self.take()? {
            [0] => return Some(None),
            [1] => {}
            _ => return None,
        }
        let value = match kind {
            Kind::Real => Value::Real(f64::from_bits(u64::from_le_bytes(self.take()?))),
            Kind::Integer => Value::Integer(i64::from_le_bytes(self.take()?)),
            Kind::Bool => match self.take()? {
                [bit @ (0 | 1)] => Value::Bool(bit == 1),
                _ => return None,
            },
            Kind::Text => Value::Text(self.text()?),
        };
        Some(Some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::Study;
    use crate::value::FigureSpec;
    use proptest::prelude::*;

    fn plan() -> Plan {
        let text = "name = \"s\"\nruns = 4\nsampling = \"monte_carlo\"\n\
                    [[vary]]\nkey = \"a\"\ndistribution = \"uniform\"\nmin = 0\nmax = 1\n\
                    [[vary]]\nkey = \"b\"\ndistribution = \"choice\"\nvalues = [\"x\", \"y\"]\n";
        let figures = [Kind::Real, Kind::Integer, Kind::Bool, Kind::Text];
        let figures = figures.map(|kind| FigureSpec::new(format!("f_{kind}"), kind));
        let study = Study::parse(text, "test").unwrap();
        Plan::new(study, toml::Table::new(), &figures, "1").unwrap()
    }

    prop_compose! {
        fn rows()(
            run in any::<u64>(),
            bits in any::<(u64, u64, u64)>(),
            name in ".*",
            figures in (
                any::<Option<u64>>(),
                any::<Option<i64>>(),
                any::<Option<bool>>(),
                proptest::option::of(".*"),
            ),
            failed in proptest::option::of(".*"),
        ) -> Row {
            let figures = vec![
                figures.0.map(|bits| Value::Real(f64::from_bits(bits))),
                figures.1.map(Value::Integer),
                figures.2.map(Value::Bool),
                figures.3.map(Value::Text),
            ];
            Row {
                run,
                inputs: vec![Value::Real(f64::from_bits(bits.0)), Value::Text(name)],
                outcome: failed.map_or(Ok(figures), Err),
                elapsed_s: f64::from_bits(bits.1),
                finished_unix_ms: bits.2,
            }
        }
    }

    proptest! {
        /// A row comes back with the same bits, NaN included, and no shortened one is taken for one.
        #[test]
        fn rows_come_back_as_they_were(row in rows()) {
            let plan = plan();
            let mut bytes = Vec::new();
            row.encode(&mut bytes);
            let mut again = Vec::new();
            Row::decode(&plan, &bytes).unwrap().encode(&mut again);
            prop_assert_eq!(&again, &bytes);
            prop_assert_eq!(run_of(&bytes), Some(row.run));
            for length in 0..bytes.len() {
                prop_assert!(Row::decode(&plan, &bytes[..length]).is_none());
            }
        }

        /// Whatever the bytes, reading them ends well.
        #[test]
        fn nonsense_is_refused_or_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let plan = plan();
            if let Some(row) = Row::decode(&plan, &bytes) {
                let mut again = Vec::new();
                row.encode(&mut again);
                prop_assert_eq!(again, bytes);
            }
        }
    }
}
