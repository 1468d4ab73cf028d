//! The form that serde gives a value: names of types, members and variants, and kinds of numbers, as one number.
//!
//! What serde's bytes say depends on the type that reads them. A value that was read by a changed type has another form than the
//! one that was written.

use std::fmt::Display;

use serde::ser::{self, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The form of `value`, the same on all hosts; elements of sequences and maps count in any order.
pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<u64, Unsaid> {
    value.serialize(Shape)
}

/// A type says of itself that it cannot be saved.
#[derive(Debug)]
pub struct Unsaid(String);

impl Display for Unsaid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unsaid {}

impl ser::Error for Unsaid {
    fn custom<T: Display>(why: T) -> Unsaid {
        Unsaid(why.to_string())
    }
}

fn named(what: &str) -> u64 {
    xxh3_64(what.as_bytes())
}

struct Shape;

/// Of a value with parts.
struct Parts {
    hash: u64,
    /// The order of the parts counts.
    ordered: bool,
}

impl Parts {
    fn ordered(names: &[&str]) -> Parts {
        let all = names
            .iter()
            .fold(named("parts"), |h, n| joined(h, named(n)));
        Parts {
            hash: all,
            ordered: true,
        }
    }

    fn add<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Unsaid> {
        let part = joined(named(name), of(value)?);
        self.hash = match self.ordered {
            true => joined(self.hash, part),
            false => self.hash.wrapping_add(part),
        };
        Ok(())
    }
}

fn joined(a: u64, b: u64) -> u64 {
    xxh3_64_with_seed(&b.to_le_bytes(), a)
}

macro_rules! kinds {
    ($($call:ident: $t:ty),* $(,)?) => {$(
        fn $call(self, _: $t) -> Result<u64, Unsaid> {
            Ok(named(stringify!($t)))
        }
    )*};
}

impl ser::Serializer for Shape {
    type Ok = u64;
    type Error = Unsaid;
    type SerializeSeq = Parts;
    type SerializeTuple = Parts;
    type SerializeTupleStruct = Parts;
    type SerializeTupleVariant = Parts;
    type SerializeMap = Parts;
    type SerializeStruct = Parts;
    type SerializeStructVariant = Parts;

    kinds! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_u128: u128,
        serialize_f32: f32,
        serialize_f64: f64,
        serialize_char: char,
        serialize_str: &str,
        serialize_bytes: &[u8],
    }

    fn serialize_none(self) -> Result<u64, Unsaid> {
        Ok(named("none"))
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<u64, Unsaid> {
        Ok(joined(named("some"), of(value)?))
    }
    fn serialize_unit(self) -> Result<u64, Unsaid> {
        Ok(named("unit"))
    }
    fn serialize_unit_struct(self, name: &'static str) -> Result<u64, Unsaid> {
        Ok(named(name))
    }
    fn serialize_unit_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<u64, Unsaid> {
        Ok(joined(named(name), named(variant)))
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<u64, Unsaid> {
        Ok(joined(named(name), of(value)?))
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<u64, Unsaid> {
        Ok(joined(joined(named(name), named(variant)), of(value)?))
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Parts, Unsaid> {
        Ok(Parts {
            hash: named("sequence"),
            ordered: false,
        })
    }
    fn serialize_tuple(self, _: usize) -> Result<Parts, Unsaid> {
        Ok(Parts::ordered(&[]))
    }
    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Parts, Unsaid> {
        Ok(Parts::ordered(&[name]))
    }
    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts, Unsaid> {
        Ok(Parts::ordered(&[name, variant]))
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Parts, Unsaid> {
        Ok(Parts {
            hash: named("map"),
            ordered: false,
        })
    }
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Parts, Unsaid> {
        Ok(Parts::ordered(&[name]))
    }
    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts, Unsaid> {
        Ok(Parts::ordered(&[name, variant]))
    }
    fn is_human_readable(&self) -> bool {
        false
    }
}

macro_rules! parts {
    ($($of:ident: $call:ident),* $(,)?) => {$(
        impl ser::$of for Parts {
            type Ok = u64;
            type Error = Unsaid;
            fn $call<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unsaid> {
                self.add("", value)
            }
            fn end(self) -> Result<u64, Unsaid> {
                Ok(self.hash)
            }
        }
    )*};
}

parts! {
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field,
}

macro_rules! members {
    ($($of:ident),*) => {$(
        impl ser::$of for Parts {
            type Ok = u64;
            type Error = Unsaid;
            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Unsaid> {
                self.add(name, value)
            }
            fn end(self) -> Result<u64, Unsaid> {
                Ok(self.hash)
            }
        }
    )*};
}

members! { SerializeStruct, SerializeStructVariant }

impl ser::SerializeMap for Parts {
    type Ok = u64;
    type Error = Unsaid;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Unsaid> {
        self.add("key", key)
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unsaid> {
        self.add("value", value)
    }
    fn end(self) -> Result<u64, Unsaid> {
        Ok(self.hash)
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use std::collections::HashSet;

    use super::of;

    #[derive(Serialize)]
    struct Size {
        width: u32,
        height: u32,
    }
    mod turned {
        #[derive(serde::Serialize)]
        pub struct Size {
            pub height: u32,
            pub width: u32,
        }
    }
    mod signed {
        #[derive(serde::Serialize)]
        pub struct Size {
            pub width: i32,
            pub height: i32,
        }
    }
    #[derive(Serialize, PartialEq, Eq, Hash)]
    enum Mood {
        Off,
        On,
        Dim(u8),
    }

    fn shape<T: Serialize>(value: &T) -> u64 {
        of(value).unwrap_or_default()
    }

    #[test]
    fn names_and_kinds_count_and_values_do_not() {
        let (width, height) = (1, 2);
        let size = shape(&Size { width, height });
        assert_eq!(size, shape(&Size { width: 3, height }));
        assert_ne!(size, shape(&turned::Size { width, height }));
        let (width, height) = (1, 2);
        assert_ne!(size, shape(&signed::Size { width, height }));
        assert_ne!(shape(&Mood::Off), shape(&Mood::On));
        assert_eq!(shape(&Mood::Dim(1)), shape(&Mood::Dim(2)));
        assert_ne!(shape(&vec![1u8]), shape(&vec![1u8, 2]));
        assert_ne!(shape(&Some(1u8)), shape(&1u8));
    }

    #[test]
    fn the_order_in_a_set_does_not_count() {
        let all = || [Mood::Off, Mood::On, Mood::Dim(1)];
        let forms: HashSet<u64> = (0..20)
            .map(|_| shape(&HashSet::<Mood>::from(all())))
            .collect();
        assert_eq!(forms.len(), 1);
    }
}
