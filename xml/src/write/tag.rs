//! Start tags and the values of their attributes.

use std::borrow::Cow;

use quick_xml::events::BytesStart;

use crate::keyword::Keyword;
use crate::number::write_double;
use crate::{Error, IntegerAttributes, RealAttributes};

/// Why a value cannot be written.
pub(crate) enum Unwritable {
    NotANumber,
    IllegalCharacter(char),
}

/// A value of an attribute.
pub(crate) trait Value {
    fn render(&self) -> Result<Cow<'_, str>, Unwritable>;
}

impl Value for str {
    fn render(&self) -> Result<Cow<'_, str>, Unwritable> {
        // The characters of XML 1.0, production 2; the rest cannot even be escaped.
        let illegal = |c: &char| {
            (*c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}')
        };
        match self.chars().find(illegal) {
            Some(character) => Err(Unwritable::IllegalCharacter(character)),
            None => Ok(Cow::Borrowed(self)),
        }
    }
}

impl Value for String {
    fn render(&self) -> Result<Cow<'_, str>, Unwritable> {
        self.as_str().render()
    }
}

impl Value for f64 {
    fn render(&self) -> Result<Cow<'_, str>, Unwritable> {
        write_double(*self)
            .map(Cow::Owned)
            .ok_or(Unwritable::NotANumber)
    }
}

impl Value for bool {
    fn render(&self) -> Result<Cow<'_, str>, Unwritable> {
        Ok(Cow::Borrowed(if *self { "true" } else { "false" }))
    }
}

impl Value for i32 {
    fn render(&self) -> Result<Cow<'_, str>, Unwritable> {
        Ok(Cow::Owned(self.to_string()))
    }
}

impl Value for u32 {
    fn render(&self) -> Result<Cow<'_, str>, Unwritable> {
        Ok(Cow::Owned(self.to_string()))
    }
}

impl<K: Keyword> Value for K {
    fn render(&self) -> Result<Cow<'_, str>, Unwritable> {
        Ok(Cow::Borrowed(self.as_str()))
    }
}

/// A list, separated by spaces.
impl<V: Value> Value for Vec<V> {
    fn render(&self) -> Result<Cow<'_, str>, Unwritable> {
        let items = self
            .iter()
            .map(Value::render)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Cow::Owned(items.join(" ")))
    }
}

/// A start tag under construction.
pub(crate) struct Tag {
    pub(crate) name: &'static str,
    pub(crate) start: BytesStart<'static>,
}

impl Tag {
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            start: BytesStart::new(name),
        }
    }

    /// An attribute that is always there.
    pub(crate) fn with(
        mut self,
        attribute: &'static str,
        value: &(impl Value + ?Sized),
    ) -> Result<Self, Error> {
        let text = value.render().map_err(|problem| match problem {
            Unwritable::NotANumber => Error::NotANumber {
                of: format!("<{}>", self.name),
                attribute,
            },
            Unwritable::IllegalCharacter(character) => Error::IllegalCharacter {
                element: self.name,
                attribute,
                character,
            },
        })?;
        self.start.push_attribute((attribute, text));
        Ok(self)
    }

    /// An attribute that may be absent.
    pub(crate) fn maybe(
        self,
        attribute: &'static str,
        value: &Option<impl Value>,
    ) -> Result<Self, Error> {
        match value {
            Some(value) => self.with(attribute, value),
            None => Ok(self),
        }
    }

    /// An attribute that is left out where it equals the schema's default.
    pub(crate) fn unless<V: Value + PartialEq>(
        self,
        default: V,
        attribute: &'static str,
        value: &V,
    ) -> Result<Self, Error> {
        if *value == default {
            Ok(self)
        } else {
            self.with(attribute, value)
        }
    }

    pub(crate) fn flag(self, attribute: &'static str, value: bool) -> Result<Self, Error> {
        self.unless(false, attribute, &value)
    }

    pub(crate) fn real(self, attributes: &RealAttributes) -> Result<Self, Error> {
        self.maybe("quantity", &attributes.quantity)?
            .maybe("unit", &attributes.unit)?
            .maybe("displayUnit", &attributes.display_unit)?
            .maybe("relativeQuantity", &attributes.relative_quantity)?
            .maybe("min", &attributes.min)?
            .maybe("max", &attributes.max)?
            .maybe("nominal", &attributes.nominal)?
            .maybe("unbounded", &attributes.unbounded)
    }

    pub(crate) fn integer(self, attributes: &IntegerAttributes) -> Result<Self, Error> {
        self.maybe("quantity", &attributes.quantity)?
            .maybe("min", &attributes.min)?
            .maybe("max", &attributes.max)
    }
}
