//! Numbers, `bool`, `char`, `()`.

use std::cmp::Reverse;
use std::marker::PhantomData;
use std::num::{NonZero, Saturating, Wrapping};

use pc3_typemetric::types::Kind;

use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{layout, TypeId, Types};
use crate::value::Checkpointable;

macro_rules! fixed {
    ($($t:ident $kind:ident;)*) => {$(
        impl Checkpointable for $t {
            const SIZE: u64 = size_of::<$t>() as u64;
            const ALIGN: u64 = Self::SIZE;
            const PLAIN: bool = true;

            fn describe(types: &mut Types) -> TypeId {
                types.scalar::<$t>(Kind::$kind, stringify!($t), Self::SIZE)
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                out.put(at, &self.to_ne_bytes());
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                from.number::<$t, { size_of::<$t>() }>(value, Kind::$kind, stringify!($t))
                    .map($t::from_ne_bytes)
            }
            #[allow(clippy::modulo_one)]
            fn load_all(from: &Loading, values: View) -> Result<Vec<Self>, LoadError> {
                const N: usize = size_of::<$t>();
                let t = from.ty(values.ty);
                if t.kind != Kind::$kind || t.name != stringify!($t) || values.bytes.len() % N != 0 {
                    return Err(values.not::<$t>(from));
                }
                let mut list = vec![0 as $t; values.bytes.len() / N];
                // SAFETY: as many bytes as were counted; every pattern of bits is a number.
                unsafe {
                    let to = list.as_mut_ptr().cast::<u8>();
                    to.copy_from_nonoverlapping(values.bytes.as_ptr(), values.bytes.len());
                }
                if !from.native() {
                    for x in &mut list {
                        let mut bytes = x.to_ne_bytes();
                        bytes.reverse();
                        *x = $t::from_ne_bytes(bytes);
                    }
                }
                Ok(list)
            }
            fn bytes(slice: &[Self]) -> &[u8] {
                // SAFETY: numbers have no padding.
                unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), size_of_val(slice)) }
            }
        }
    )*};
}

fixed! {
    u8 UInt; u16 UInt; u32 UInt; u64 UInt;
    i8 SInt; i16 SInt; i32 SInt; i64 SInt;
    f32 Float; f64 Float;
}

/// 64 bits in checkpoints; a value that does not fit here is refused.
macro_rules! sized {
    ($($t:ident $wide:ident $kind:ident;)*) => {$(
        impl Checkpointable for $t {
            const SIZE: u64 = 8;
            const ALIGN: u64 = 8;
            const PLAIN: bool = cfg!(target_pointer_width = "64");
            const FLAT: bool = true;

            fn describe(types: &mut Types) -> TypeId {
                types.scalar::<$t>(Kind::$kind, stringify!($t), 8)
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                out.put(at, &(*self as $wide).to_ne_bytes());
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let wide = from.number::<$t, 8>(value, Kind::$kind, stringify!($t))?;
                let wide = $wide::from_ne_bytes(wide);
                $t::try_from(wide).map_err(|_| {
                    LoadError::new(format!("{wide} is not a {} on this machine", stringify!($t)))
                })
            }
            fn bytes(slice: &[Self]) -> &[u8] {
                // SAFETY: numbers have no padding.
                unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), size_of_val(slice)) }
            }
        }
    )*};
}

sized! {
    usize u64 UInt;
    isize i64 SInt;
}

macro_rules! doubled {
    ($($t:ident $high:ident;)*) => {$(
        impl Checkpointable for $t {
            const SIZE: u64 = 16;
            const ALIGN: u64 = 8;

            fn describe(types: &mut Types) -> TypeId {
                types.record::<$t>(stringify!($t).to_owned(), |types| {
                    vec![
                        ("high".to_owned(), $high::describe(types), 0),
                        ("low".to_owned(), u64::describe(types), 8),
                    ]
                })
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                out.put(at, &((*self >> 64) as $high).to_ne_bytes());
                out.put(at + 8, &(*self as u64).to_ne_bytes());
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let members = from.members::<$t>(value, stringify!($t))?;
                let (high, low): ($high, u64) = (members.load("high")?, members.load("low")?);
                Ok($t::from(high) << 64 | $t::from(low))
            }
        }
    )*};
}

doubled! {
    u128 u64;
    i128 i64;
}

impl Checkpointable for bool {
    const SIZE: u64 = 1;
    const ALIGN: u64 = 1;
    const FLAT: bool = true;

    fn describe(types: &mut Types) -> TypeId {
        types.scalar::<bool>(Kind::Bool, "bool", 1)
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        out.put(at, &[u8::from(*self)]);
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        match from.number::<bool, 1>(value, Kind::Bool, "bool")? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(LoadError::new("is neither true nor false")),
        }
    }
}

impl Checkpointable for char {
    const SIZE: u64 = 4;
    const ALIGN: u64 = 4;
    const FLAT: bool = true;

    fn describe(types: &mut Types) -> TypeId {
        types.scalar::<char>(Kind::UInt, "char", 4)
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        out.put(at, &u32::from(*self).to_ne_bytes());
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let code = from.number::<char, 4>(value, Kind::UInt, "char")?;
        char::from_u32(u32::from_ne_bytes(code)).ok_or_else(|| LoadError::new("is no character"))
    }
}

/// Types without a value to save.
macro_rules! empty {
    ($([$($g:tt)*] $t:ty, $name:literal, $value:expr;)*) => {$(
        impl<$($g)*> Checkpointable for $t {
            const SIZE: u64 = 0;
            const ALIGN: u64 = 1;

            fn describe(types: &mut Types) -> TypeId {
                types.record::<Self>($name.to_owned(), |_| Vec::new())
            }
            fn save<'a>(&'a self, _out: &mut Saver<'a>, _at: usize) {}
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                from.members::<Self>(value, $name)?;
                Ok($value)
            }
        }
    )*};
}

empty! {
    [] (), "()", ();
    [T: ?Sized + 'static] PhantomData<T>, "PhantomData", PhantomData;
    [] std::ops::RangeFull, "RangeFull", ..;
}

/// Types that hold one value, shown under their own name, and lie in memory as it does.
macro_rules! around {
    ($($t:ident, $name:literal;)*) => {$(
        impl<T: Checkpointable> Checkpointable for $t<T> {
            const SIZE: u64 = T::SIZE;
            const ALIGN: u64 = T::ALIGN;
            const PLAIN: bool = T::PLAIN;

            fn describe(types: &mut Types) -> TypeId {
                types.record::<Self>($name.to_owned(), |types| {
                    vec![("value".to_owned(), T::describe(types), 0)]
                })
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                self.0.save(out, at);
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                from.members::<Self>(value, $name)?.load("value").map($t)
            }
            fn load_all(from: &Loading, values: View) -> Result<Vec<Self>, LoadError> {
                match from.joined(values, $name, &["value"]) {
                    Some(inner) => Ok(T::load_all(from, inner)?.into_iter().map($t).collect()),
                    None => from.each(values),
                }
            }
            fn bytes(slice: &[Self]) -> &[u8] {
                // SAFETY: the types are transparent.
                T::bytes(unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), slice.len()) })
            }
        }
    )*};
}

around! {
    Wrapping, "Wrapping";
    Saturating, "Saturating";
    Reverse, "Reverse";
}

macro_rules! nonzero {
    ($($t:ident)*) => {$(
        impl Checkpointable for NonZero<$t> {
            const SIZE: u64 = <$t>::SIZE;
            const ALIGN: u64 = <$t>::ALIGN;

            fn describe(types: &mut Types) -> TypeId {
                types.record::<Self>("NonZero".to_owned(), |types| {
                    vec![("value".to_owned(), <$t>::describe(types), 0)]
                })
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                out.put_value(self.get(), at);
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let x: $t = from.members::<Self>(value, "NonZero")?.load("value")?;
                NonZero::new(x).ok_or_else(|| LoadError::new("is zero"))
            }
        }
    )*};
}

nonzero!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl Checkpointable for std::time::Duration {
    const SIZE: u64 = 16;
    const ALIGN: u64 = 8;

    fn describe(types: &mut Types) -> TypeId {
        types.record::<Self>("Duration".to_owned(), |types| {
            let at = layout([(8, 8), (4, 4)]).offsets;
            vec![
                ("seconds".to_owned(), u64::describe(types), at[0]),
                ("nanoseconds".to_owned(), u32::describe(types), at[1]),
            ]
        })
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        out.put(at, &self.as_secs().to_ne_bytes());
        out.put(at + 8, &self.subsec_nanos().to_ne_bytes());
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let members = from.members::<Self>(value, "Duration")?;
        let nanoseconds: u32 = members.load("nanoseconds")?;
        if nanoseconds >= 1_000_000_000 {
            return Err(LoadError::new("has too many nanoseconds"));
        }
        Ok(Self::new(members.load("seconds")?, nanoseconds))
    }
}
