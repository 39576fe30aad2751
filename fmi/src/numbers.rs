//! Values as plain numbers: how a unit's saved state is serialised.
//!
//! Whatever implements `serde` becomes a list of `f64` without names: a truth value is 0 or 1, a whole
//! number stands for itself, a list begins with its length, a choice with the number of its variant,
//! an optional value with 0 or 1. Texts and maps are not written. Reading gives back the same bits, or
//! says what is wrong: too few numbers, too many, one that is no number of its kind.

use serde::de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, Visitor};
use serde::ser::{self, Serialize};
use std::fmt;

/// What is wrong with numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NumbersError(String);

impl ser::Error for NumbersError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

impl de::Error for NumbersError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

type Result<T> = std::result::Result<T, NumbersError>;

/// Whole numbers up to here stand for themselves.
const LARGEST_WHOLE: u64 = 1 << 53;

/// A value as numbers.
pub fn to_numbers<T: Serialize>(value: &T) -> Result<Vec<f64>> {
    let mut out = Out(Vec::new());
    value.serialize(&mut out)?;
    Ok(out.0)
}

/// Numbers as a value; all of them must be used.
pub fn from_numbers<T: DeserializeOwned>(numbers: &[f64]) -> Result<T> {
    let mut from = In(numbers);
    let value = T::deserialize(&mut from)?;
    if from.0.is_empty() {
        Ok(value)
    } else {
        Err(NumbersError(format!("{} numbers too many", from.0.len())))
    }
}

struct Out(Vec<f64>);

impl Out {
    fn whole(&mut self, value: u64) -> Result<()> {
        if value > LARGEST_WHOLE {
            return Err(NumbersError(format!("{value} is too large")));
        }
        self.0.push(value as f64);
        Ok(())
    }
}

fn not_written<T>(what: &str) -> Result<T> {
    Err(NumbersError(format!("{what} is not written as numbers")))
}

impl ser::Serializer for &mut Out {
    type Ok = ();
    type Error = NumbersError;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = ser::Impossible<(), NumbersError>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.whole(u64::from(value))
    }

    fn serialize_i8(self, value: i8) -> Result<()> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<()> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<()> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<()> {
        if value.unsigned_abs() > LARGEST_WHOLE {
            return Err(NumbersError(format!("{value} is too large")));
        }
        self.0.push(value as f64);
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Result<()> {
        self.whole(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<()> {
        self.whole(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<()> {
        self.whole(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<()> {
        self.whole(value)
    }

    fn serialize_f32(self, value: f32) -> Result<()> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<()> {
        self.0.push(value);
        Ok(())
    }

    fn serialize_char(self, _: char) -> Result<()> {
        not_written("a character")
    }

    fn serialize_str(self, _: &str) -> Result<()> {
        not_written("a text")
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<()> {
        not_written("a list of bytes")
    }

    fn serialize_none(self) -> Result<()> {
        self.whole(0)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        self.whole(1)?;
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Result<()> {
        self.whole(index.into())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Result<()> {
        self.whole(index.into())?;
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self> {
        let Some(length) = length else {
            return not_written("a list of unknown length");
        };
        self.whole(length as u64)?;
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self> {
        self.whole(index.into())?;
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap> {
        not_written("a map")
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self> {
        self.whole(index.into())?;
        Ok(self)
    }
}

/// Parts are written one after the other.
macro_rules! parts {
    ($($kind:ident . $method:ident),+) => {
        $(impl ser::$kind for &mut Out {
            type Ok = ();
            type Error = NumbersError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<()> {
                Ok(())
            }
        })+
    };
}

parts!(
    SerializeSeq.serialize_element,
    SerializeTuple.serialize_element,
    SerializeTupleStruct.serialize_field,
    SerializeTupleVariant.serialize_field
);

/// Fields are written without their names.
macro_rules! fields {
    ($($kind:ident),+) => {
        $(impl ser::$kind for &mut Out {
            type Ok = ();
            type Error = NumbersError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                _: &'static str,
                value: &T,
            ) -> Result<()> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<()> {
                Ok(())
            }
        })+
    };
}

fields!(SerializeStruct, SerializeStructVariant);

struct In<'n>(&'n [f64]);

impl In<'_> {
    fn next(&mut self) -> Result<f64> {
        let (first, rest) = self
            .0
            .split_first()
            .ok_or_else(|| NumbersError("numbers are missing".to_owned()))?;
        self.0 = rest;
        Ok(*first)
    }

    fn whole(&mut self) -> Result<u64> {
        let number = self.next()?;
        if number >= 0.0 && number <= LARGEST_WHOLE as f64 && number.fract() == 0.0 {
            Ok(number as u64)
        } else {
            Err(NumbersError(format!("{number} is no count")))
        }
    }

    fn flag(&mut self) -> Result<bool> {
        match self.whole()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(NumbersError(format!("{other} is neither 0 nor 1"))),
        }
    }
}

/// Values of whole numbers, checked by those who take them.
macro_rules! wholes {
    ($($method:ident),+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            visitor.visit_u64(self.whole()?)
        })+
    };
}

/// Values of whole numbers with a sign.
macro_rules! signed {
    ($($method:ident),+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            let number = self.next()?;
            if number.fract() == 0.0 && number.abs() <= LARGEST_WHOLE as f64 {
                visitor.visit_i64(number as i64)
            } else {
                Err(NumbersError(format!("{number} is no whole number")))
            }
        })+
    };
}

/// What is not written cannot be read.
macro_rules! unknown {
    ($($method:ident),+) => {
        $(fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value> {
            not_written("this")
        })+
    };
}

impl<'de> de::Deserializer<'de> for &mut In<'_> {
    type Error = NumbersError;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_bool(self.flag()?)
    }

    wholes!(
        deserialize_u8,
        deserialize_u16,
        deserialize_u32,
        deserialize_u64
    );
    signed!(
        deserialize_i8,
        deserialize_i16,
        deserialize_i32,
        deserialize_i64
    );
    unknown!(
        deserialize_any,
        deserialize_char,
        deserialize_str,
        deserialize_string,
        deserialize_bytes,
        deserialize_byte_buf,
        deserialize_map,
        deserialize_identifier,
        deserialize_ignored_any
    );

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_f64(self.next()?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.flag()? {
            visitor.visit_some(self)
        } else {
            visitor.visit_none()
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let length = self.whole()?;
        // A list of nothings would need no numbers; there is none, and no memory is asked for that
        // the numbers cannot fill.
        if length > self.0.len() as u64 {
            return Err(NumbersError(format!("a list of {length} is too long")));
        }
        let left = length as usize;
        visitor.visit_seq(Parts { from: self, left })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, left: usize, visitor: V) -> Result<V::Value> {
        visitor.visit_seq(Parts { from: self, left })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        left: usize,
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_seq(Parts { from: self, left })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let left = fields.len();
        visitor.visit_seq(Parts { from: self, left })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_enum(Variant(self))
    }
}

struct Parts<'a, 'n> {
    from: &'a mut In<'n>,
    left: usize,
}

impl<'de> de::SeqAccess<'de> for Parts<'_, '_> {
    type Error = NumbersError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(&mut *self.from).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

struct Variant<'a, 'n>(&'a mut In<'n>);

impl<'de> de::EnumAccess<'de> for Variant<'_, '_> {
    type Error = NumbersError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self)> {
        let index = self.0.whole()?;
        let index =
            u32::try_from(index).map_err(|_| NumbersError(format!("{index} is no choice")))?;
        let value = seed.deserialize(IntoDeserializer::<NumbersError>::into_deserializer(index))?;
        Ok((value, self))
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'_, '_> {
    type Error = NumbersError;

    fn unit_variant(self) -> Result<()> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, left: usize, visitor: V) -> Result<V::Value> {
        visitor.visit_seq(Parts { from: self.0, left })
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        let left = fields.len();
        visitor.visit_seq(Parts { from: self.0, left })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    enum Kind {
        Plain,
        One(f64),
        Two(u8, i32),
        Named { list: Vec<Option<f64>> },
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Whole {
        flag: bool,
        kinds: Vec<Kind>,
        array: [f64; 3],
        pair: (usize, Option<u64>),
    }

    fn sample() -> Whole {
        Whole {
            flag: true,
            kinds: vec![
                Kind::Plain,
                Kind::One(-0.0),
                Kind::Two(255, -7),
                Kind::Named {
                    list: vec![None, Some(f64::MIN_POSITIVE / 3.0)],
                },
            ],
            array: [1.0 / 3.0, f64::INFINITY, 0.1],
            pair: (1 << 53, None),
        }
    }

    #[test]
    fn numbers_give_back_the_same_value() {
        let numbers = to_numbers(&sample()).unwrap();
        let copy: Whole = from_numbers(&numbers).unwrap();
        assert_eq!(copy, sample());
        let Kind::One(zero) = copy.kinds[1] else {
            panic!("{copy:?}")
        };
        assert_eq!(zero.to_bits(), (-0.0_f64).to_bits());
        assert_eq!(to_numbers(&copy).unwrap(), numbers);
    }

    #[test]
    fn wrong_numbers_are_refused() {
        let numbers = to_numbers(&sample()).unwrap();
        for length in 0..numbers.len() {
            assert!(from_numbers::<Whole>(&numbers[..length]).is_err());
        }
        let mut longer = numbers.clone();
        longer.push(0.0);
        assert!(from_numbers::<Whole>(&longer).is_err());
        for (place, wrong) in [
            (0, 2.0),
            (0, f64::NAN),
            (1, 1e15),
            (1, 0.5),
            (2, 4.0),
            (6, -1.0),
        ] {
            let mut changed = numbers.clone();
            changed[place] = wrong;
            assert!(from_numbers::<Whole>(&changed).is_err(), "{place} {wrong}");
        }
        assert!(to_numbers(&"text").is_err());
        assert!(to_numbers(&u64::MAX).is_err());
    }
}
