//! A pull parser over quick-xml that knows which element it is in, so that a caller sees the
//! children of one element at a time and whatever it leaves unread is skipped. Depth is counted,
//! not recursed, so that no nesting can exhaust the stack.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::keyword::Keyword;
use crate::number::read_double;
use crate::{Error, Position};

/// The position of a byte offset, counted from the beginning.
pub(super) fn position_of(bytes: &[u8], offset: usize) -> Position {
    let before = &bytes[..offset.min(bytes.len())];
    let line_start = before
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    Position {
        line: 1 + before.iter().filter(|&&byte| byte == b'\n').count(),
        column: 1 + before.len() - line_start,
    }
}

/// An element's start tag.
pub(super) struct Element {
    pub(super) name: String,
    pub(super) position: Position,
    attributes: Vec<(String, String)>,
    /// Depth of its content: 1 for the root.
    depth: usize,
    /// Written as `<name/>`.
    is_empty: bool,
}

/// A place in the document.
pub(super) struct Cursor<'x> {
    text: &'x str,
    reader: Reader<&'x [u8]>,
    /// How many elements are open.
    depth: usize,
    /// The last position that was asked for and its offset, from which the next one is counted.
    last: (usize, Position),
}

impl<'x> Cursor<'x> {
    pub(super) fn new(text: &'x str) -> Self {
        let reader = Reader::from_str(text);
        Self {
            text,
            reader,
            depth: 0,
            last: (0, Position { line: 1, column: 1 }),
        }
    }

    /// The root element.
    pub(super) fn root(&mut self) -> Result<Element, Error> {
        loop {
            let (offset, event) = self.event("document")?;
            match event {
                Event::Start(start) => return self.element(&start, offset, false),
                Event::Empty(start) => return self.element(&start, offset, true),
                Event::Eof => return Err(Error::NoRoot),
                _ => {}
            }
        }
    }

    /// Visits the children of an element, one after the other; what a visit leaves unread of its
    /// child is skipped.
    pub(super) fn children(
        &mut self,
        parent: &Element,
        mut visit: impl FnMut(&mut Self, &Element) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if parent.is_empty {
            return Ok(());
        }
        while self.depth >= parent.depth {
            let (offset, event) = self.event(&parent.name)?;
            let child = match event {
                Event::Start(start) => self.element(&start, offset, false)?,
                Event::Empty(start) => self.element(&start, offset, true)?,
                Event::End(_) => {
                    self.depth -= 1;
                    continue;
                }
                Event::Eof => return Err(parent.unfinished()),
                _ => continue,
            };
            visit(self, &child)?;
            self.skip(&child)?;
        }
        Ok(())
    }

    /// Reads the children of one name into a list.
    pub(super) fn list<T>(
        &mut self,
        parent: &Element,
        name: &str,
        items: &mut Vec<T>,
        mut read: impl FnMut(&mut Self, &Element) -> Result<T, Error>,
    ) -> Result<(), Error> {
        self.children(parent, |cursor, child| {
            if child.name == name {
                items.push(read(cursor, child)?);
            }
            Ok(())
        })
    }

    /// Checks that nothing but comments and white space follows the root.
    pub(super) fn finish(&mut self, root: &Element) -> Result<(), Error> {
        self.skip(root)?;
        loop {
            let (offset, event) = self.event("document")?;
            match event {
                Event::Eof => return Ok(()),
                Event::Comment(_) | Event::PI(_) => {}
                Event::Text(text) if text.chars().all(char::is_whitespace) => {}
                _ => {
                    return Err(Error::ContentAfterRoot {
                        position: self.position(offset),
                    });
                }
            }
        }
    }

    /// Leaves an element, whatever is still to come in it.
    fn skip(&mut self, element: &Element) -> Result<(), Error> {
        while !element.is_empty && self.depth >= element.depth {
            match self.event(&element.name)?.1 {
                Event::Start(_) => self.depth += 1,
                Event::End(_) => self.depth -= 1,
                Event::Eof => return Err(element.unfinished()),
                _ => {}
            }
        }
        Ok(())
    }

    /// The next event and where it begins.
    fn event(&mut self, inside: &str) -> Result<(usize, Event<'x>), Error> {
        let offset = self.offset(self.reader.buffer_position());
        match self.reader.read_event() {
            Ok(event) => Ok((offset, event)),
            Err(source) => {
                let offset = self.offset(self.reader.error_position());
                Err(self.malformed(inside, offset, source))
            }
        }
    }

    /// Opens an element.
    fn element(
        &mut self,
        start: &BytesStart<'_>,
        offset: usize,
        is_empty: bool,
    ) -> Result<Element, Error> {
        let name = start.name().as_ref().to_owned();
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let pair = attribute
                .map_err(quick_xml::Error::from)
                .and_then(|attribute| {
                    // XML 1.1 only adds line ends that no exporter writes.
                    let value = attribute.normalized_value(XmlVersion::Implicit1_0)?;
                    Ok((attribute.key.as_ref().to_owned(), value.into_owned()))
                });
            match pair {
                Ok(pair) => attributes.push(pair),
                Err(source) => return Err(self.malformed(&name, offset, source)),
            }
        }
        if !is_empty {
            self.depth += 1;
        }
        let position = self.position(offset);
        Ok(Element {
            name,
            position,
            attributes,
            depth: self.depth,
            is_empty,
        })
    }

    fn malformed(&mut self, element: &str, offset: usize, source: quick_xml::Error) -> Error {
        Error::Malformed {
            element: element.to_owned(),
            position: self.position(offset),
            source,
        }
    }

    fn offset(&self, position: u64) -> usize {
        usize::try_from(position)
            .unwrap_or(usize::MAX)
            .min(self.text.len())
    }

    /// The position of an offset, counted from the last one, so that a document is counted once.
    fn position(&mut self, offset: usize) -> Position {
        let (last_offset, last) = self.last;
        let bytes = self.text.as_bytes();
        let position = if offset < last_offset {
            position_of(bytes, offset)
        } else {
            let step = position_of(&bytes[last_offset..], offset - last_offset);
            let column = if step.line == 1 { last.column - 1 } else { 0 } + step.column;
            Position {
                line: last.line + step.line - 1,
                column,
            }
        };
        self.last = (offset, position);
        position
    }
}

/// A type that an attribute may have.
pub(super) trait FromAttribute: Sized {
    const EXPECTED: &'static str;
    fn from_attribute(text: &str) -> Option<Self>;
}

impl FromAttribute for f64 {
    const EXPECTED: &'static str = "a number";
    fn from_attribute(text: &str) -> Option<Self> {
        read_double(text)
    }
}

impl FromAttribute for i32 {
    const EXPECTED: &'static str = "a 32-bit integer";
    fn from_attribute(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl FromAttribute for u32 {
    const EXPECTED: &'static str = "an unsigned 32-bit integer";
    fn from_attribute(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl FromAttribute for bool {
    const EXPECTED: &'static str = "true or false";
    fn from_attribute(text: &str) -> Option<Self> {
        match text {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        }
    }
}

impl<K: Keyword> FromAttribute for K {
    const EXPECTED: &'static str = K::EXPECTED;
    fn from_attribute(text: &str) -> Option<Self> {
        K::from_text(text)
    }
}

impl Element {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// A text that may be absent.
    pub(super) fn text(&self, attribute: &'static str) -> Option<String> {
        self.attribute(attribute).map(str::to_owned)
    }

    /// A text that must be there.
    pub(super) fn required(&self, attribute: &'static str) -> Result<&str, Error> {
        self.attribute(attribute)
            .ok_or_else(|| self.lacks_attribute(attribute))
    }

    /// A value that may be absent.
    pub(super) fn value<T: FromAttribute>(
        &self,
        attribute: &'static str,
    ) -> Result<Option<T>, Error> {
        self.attribute(attribute)
            .map(|text| self.parse(attribute, text.trim(), text))
            .transpose()
    }

    /// A value that must be there.
    pub(super) fn required_value<T: FromAttribute>(
        &self,
        attribute: &'static str,
    ) -> Result<T, Error> {
        self.value(attribute)?
            .ok_or_else(|| self.lacks_attribute(attribute))
    }

    /// A list of values, separated by white space, that may be absent.
    pub(super) fn values<T: FromAttribute>(
        &self,
        attribute: &'static str,
    ) -> Result<Option<Vec<T>>, Error> {
        let list = self.attribute(attribute);
        list.map(|list| {
            list.split_whitespace()
                .map(|text| self.parse(attribute, text, list))
                .collect()
        })
        .transpose()
    }

    /// A truth value, false if absent.
    pub(super) fn flag(&self, attribute: &'static str) -> Result<bool, Error> {
        Ok(self.value(attribute)?.unwrap_or(false))
    }

    pub(super) fn lacks_element(&self, element: &'static str) -> Error {
        Error::MissingElement {
            parent: self.name.clone(),
            element,
            position: self.position,
        }
    }

    fn lacks_attribute(&self, attribute: &'static str) -> Error {
        Error::MissingAttribute {
            element: self.name.clone(),
            attribute,
            position: self.position,
        }
    }

    fn unfinished(&self) -> Error {
        Error::UnexpectedEnd {
            element: self.name.clone(),
            position: self.position,
        }
    }

    fn parse<T: FromAttribute>(
        &self,
        attribute: &'static str,
        text: &str,
        whole: &str,
    ) -> Result<T, Error> {
        T::from_attribute(text).ok_or_else(|| Error::BadValue {
            element: self.name.clone(),
            attribute,
            value: whole.to_owned(),
            expected: T::EXPECTED,
            position: self.position,
        })
    }
}
