//! Reading and setting texts, and bytes as hexadecimal digits.

use super::super::ImportError;
use super::super::instance::{FmuInstance, c_text};
use super::super::watch::calling;
use super::library::Functions3;
use super::values::Told;
use crate::abi3::{fmi3Byte, fmi3String};
use softdock_xml::version3::{Kind3, Place};
use std::ffi::{CStr, CString};
use std::ptr::null;

impl FmuInstance {
    /// Reads a text, or bytes as hexadecimal digits.
    pub(in super::super) fn get_string3(
        &self,
        functions: &Functions3,
        reference: u32,
    ) -> Result<String, ImportError> {
        let list = self.places(functions, &[reference])?;
        let element = list[0].element as usize;
        let mut all = match list[0].kind {
            Kind3::String => self.read_texts(functions, &list[0])?,
            Kind3::Binary => self.read_bytes(functions, &list[0])?,
            _ => return Err(self.wrong_text(&list)),
        };
        Ok(all.swap_remove(element))
    }

    fn wrong_text(&self, list: &[Place]) -> ImportError {
        let wrong = self.all_done(usize::MAX, list, "text");
        wrong.err().unwrap_or_else(|| self.out_of_range(&list[0]))
    }

    fn read_texts(
        &self,
        functions: &Functions3,
        place: &Place,
    ) -> Result<Vec<String>, ImportError> {
        let name = "fmi3GetString";
        let get = self.optional(name, functions.fmi3GetString)?;
        let mut texts: Vec<fmi3String> = vec![null(); place.count as usize];
        // SAFETY: one reference, as many places as the variable has elements.
        let status = calling(name, || unsafe {
            get(
                self.component,
                &place.variable,
                1,
                texts.as_mut_ptr(),
                texts.len(),
            )
        });
        self.check(name, status)?;
        let read = |&text: &fmi3String| {
            if text.is_null() {
                return String::new();
            }
            // SAFETY: not NULL, and the FMU keeps the text until the next call.
            unsafe { CStr::from_ptr(text) }
                .to_string_lossy()
                .into_owned()
        };
        Ok(texts.iter().map(read).collect())
    }

    fn read_bytes(
        &self,
        functions: &Functions3,
        place: &Place,
    ) -> Result<Vec<String>, ImportError> {
        let name = "fmi3GetBinary";
        let get = self.optional(name, functions.fmi3GetBinary)?;
        let count = place.count as usize;
        let (mut sizes, mut values) = (vec![0_usize; count], vec![null::<fmi3Byte>(); count]);
        // SAFETY: one reference, as many places as the variable has elements.
        let status = calling(name, || unsafe {
            let (sizes, values) = (sizes.as_mut_ptr(), values.as_mut_ptr());
            get(self.component, &place.variable, 1, sizes, values, count)
        });
        self.check(name, status)?;
        let read = |(&size, &bytes): (&usize, &*const fmi3Byte)| {
            if size == 0 || bytes.is_null() {
                return String::new();
            }
            // SAFETY: not NULL, of this length, and kept until the next call.
            hexadecimal(unsafe { std::slice::from_raw_parts(bytes, size) })
        };
        Ok(sizes.iter().zip(&values).map(read).collect())
    }

    /// Sets a text, or bytes from hexadecimal digits.
    pub(in super::super) fn set_string3(
        &self,
        functions: &Functions3,
        reference: u32,
        value: &str,
    ) -> Result<(), ImportError> {
        let list = self.places(functions, &[reference])?;
        let place = list[0];
        self.refuse_structural(&list)?;
        let mut all: Vec<String> = if place.count == 1 {
            vec![String::new()]
        } else if self.initialized {
            match place.kind {
                Kind3::String => self.read_texts(functions, &place)?,
                _ => self.read_bytes(functions, &place)?,
            }
        } else {
            let first = reference - place.element;
            let told = (first..first + place.count).map(|other| self.told_or_start(other));
            let text = |told| match told {
                Some(Told::Text(text)) => text,
                _ => String::new(),
            };
            told.map(text).collect()
        };
        value.clone_into(&mut all[place.element as usize]);
        match place.kind {
            Kind3::String => self.write_texts(functions, &place, &all)?,
            Kind3::Binary => self.write_bytes(functions, &place, &all)?,
            _ => return Err(self.wrong_text(&list)),
        }
        Ok(())
    }

    fn write_texts(
        &self,
        functions: &Functions3,
        place: &Place,
        all: &[String],
    ) -> Result<(), ImportError> {
        let name = "fmi3SetString";
        let set = self.optional(name, functions.fmi3SetString)?;
        let texts: Result<Vec<CString>, ImportError> =
            all.iter().map(|text| c_text(text)).collect();
        let texts = texts?;
        let pointers: Vec<fmi3String> = texts.iter().map(|text| text.as_ptr()).collect();
        // SAFETY: one reference, as many texts as the variable has elements; they end with zeros.
        let status = calling(name, || unsafe {
            set(
                self.component,
                &place.variable,
                1,
                pointers.as_ptr(),
                pointers.len(),
            )
        });
        self.check(name, status)
    }

    fn write_bytes(
        &self,
        functions: &Functions3,
        place: &Place,
        all: &[String],
    ) -> Result<(), ImportError> {
        let name = "fmi3SetBinary";
        let set = self.optional(name, functions.fmi3SetBinary)?;
        let bytes: Option<Vec<Vec<u8>>> = all.iter().map(|text| from_hexadecimal(text)).collect();
        let bytes = bytes.ok_or_else(|| ImportError::NotBytes {
            instance: self.name.clone(),
            variable: self.name_at(place),
        })?;
        let sizes: Vec<usize> = bytes.iter().map(Vec::len).collect();
        let pointers: Vec<*const fmi3Byte> = bytes.iter().map(|bytes| bytes.as_ptr()).collect();
        // SAFETY: one reference, as many lists of bytes as the variable has elements.
        let status = calling(name, || unsafe {
            let (sizes, pointers) = (sizes.as_ptr(), pointers.as_ptr());
            set(
                self.component,
                &place.variable,
                1,
                sizes,
                pointers,
                bytes.len(),
            )
        });
        self.check(name, status)
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = (text.chars())
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(
        digits
            .chunks(2)
            .map(|pair| 16 * pair[0] + pair[1])
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_hexadecimal_digits() {
        assert_eq!(hexadecimal(&[0, 255, 16]), "00ff10");
        assert_eq!(from_hexadecimal("00fF10"), Some(vec![0, 255, 16]));
        assert_eq!(from_hexadecimal(""), Some(Vec::new()));
        for wrong in ["0", "0g", "ä1"] {
            assert_eq!(from_hexadecimal(wrong), None, "{wrong}");
        }
    }
}
