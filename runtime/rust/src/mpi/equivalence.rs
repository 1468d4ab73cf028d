//! What messages are made of.
//!
//! Numbers travel as they lie in memory, as the element types of MPI; all else field by field, as bytes that mean the
//! same on every host.  So nothing that arrives can be an invalid value: what is no `bool` or `char` is refused.

use pc3_vmpi::datatype::basic::Basic;

/// What arrived is no value of its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidValue(pub &'static str);

impl std::fmt::Display for InvalidValue {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "what arrived is no value of type {}", self.0)
    }
}

/// How numbers of a type travel: `units` elements of an MPI type.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Plain {
    pub basic: usize,
    pub units: usize,
}

/// Values that messages can hold: `#[derive(Equivalence)]` for structs of such values and for enums without fields.
///
/// What has no fixed length is none:
///
/// ```compile_fail,E0277
/// # use pc3::mpi::traits::*;
/// fn tell(world: &impl Communicator, name: &String) {
///     world.process_at_rank(0).send(name);
/// }
/// ```
///
/// Its bytes are, as a slice: `send(name.as_bytes())`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent in a message",
    label = "what messages hold has a fixed length: numbers, `bool`, `char`, arrays and tuples, and what derives `Equivalence`",
    note = "derive `pc3::mpi::Equivalence` for a struct; a `Vec` or a slice is a buffer of several values, not a value"
)]
pub trait Equivalence: Sized + 'static {
    /// Bytes of a value where it is part of another.
    const LENGTH: usize;
    #[doc(hidden)]
    const PLAIN: Option<Plain> = None;

    /// Appends the value, in a form that is the same on every host.
    fn put(&self, out: &mut Vec<u8>);

    /// Takes a value from the front of what [`put`](Self::put) wrote.
    fn get(from: &mut &[u8]) -> Result<Self, InvalidValue>;

    /// Of types that are `PLAIN`: their memory.
    #[doc(hidden)]
    fn plain(_items: &[Self]) -> &[u8] {
        &[]
    }
    #[doc(hidden)]
    fn plain_mut(_items: &mut [Self]) -> &mut [u8] {
        &mut []
    }

    /// Values from the form that a message has.
    #[doc(hidden)]
    fn take(mut message: &[u8]) -> Result<Vec<Self>, InvalidValue> {
        let n = message.len() / Self::LENGTH.max(1);
        (0..n).map(|_| Self::get(&mut message)).collect()
    }
}

/// The element type of messages of `T`, and how many of them a value is.
pub(crate) fn wire<T: Equivalence>() -> Plain {
    T::PLAIN.unwrap_or(Plain {
        basic: Basic::UInt8 as usize,
        units: T::LENGTH,
    })
}

/// Bytes of a value in a message.
pub(crate) fn wire_size<T: Equivalence>() -> usize {
    match T::PLAIN {
        Some(_) => size_of::<T>(),
        None => T::LENGTH,
    }
}

/// The form that values have in a message, which is their own memory if that will do.
pub(crate) fn message<'a, T: Equivalence>(items: &'a [T], copy: &'a mut Vec<u8>) -> &'a [u8] {
    let message = if T::PLAIN.is_some() {
        T::plain(items)
    } else {
        copy.reserve(items.len() * T::LENGTH);
        items.iter().for_each(|item| item.put(copy));
        copy
    };
    check::<T>(message.len(), items.len());
    message
}

/// An implementation of the trait that contradicts itself must not make MPI touch other memory.
pub(crate) fn check<T: Equivalence>(bytes: usize, items: usize) {
    let wire = wire::<T>();
    let unit = Basic::from_handle(wire.basic).map_or(0, Basic::size);
    assert!(
        bytes == items * wire.units * unit && wire.units * unit == wire_size::<T>(),
        "Equivalence of {} puts another length than it names",
        std::any::type_name::<T>()
    );
}

fn front<'a>(from: &mut &'a [u8], n: usize, name: &'static str) -> Result<&'a [u8], InvalidValue> {
    let (head, tail) = from.split_at_checked(n).ok_or(InvalidValue(name))?;
    *from = tail;
    Ok(head)
}

macro_rules! numbers {
    ($($t:ident as $wide:ident = $basic:ident;)*) => {$(
        impl Equivalence for $t {
            const LENGTH: usize = size_of::<$wide>();
            const PLAIN: Option<Plain> = Some(Plain { basic: Basic::$basic as usize, units: 1 });

            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&(*self as $wide).to_le_bytes());
            }
            fn get(from: &mut &[u8]) -> Result<Self, InvalidValue> {
                let invalid = InvalidValue(stringify!($t));
                let bytes = front(from, Self::LENGTH, invalid.0)?;
                let wide = $wide::from_le_bytes(bytes.try_into().map_err(|_| invalid)?);
                numbers!(narrow $t $wide wide invalid)
            }
            fn plain(items: &[Self]) -> &[u8] {
                // SAFETY: numbers have no padding.
                unsafe { std::slice::from_raw_parts(items.as_ptr().cast(), size_of_val(items)) }
            }
            fn plain_mut(items: &mut [Self]) -> &mut [u8] {
                // SAFETY: as above, and every pattern of bits is a number.
                unsafe { std::slice::from_raw_parts_mut(items.as_mut_ptr().cast(), size_of_val(items)) }
            }
            fn take(message: &[u8]) -> Result<Vec<Self>, InvalidValue> {
                let mut list = vec![0 as $t; message.len() / size_of::<$t>()];
                let bytes = Self::plain_mut(&mut list);
                let n = bytes.len();
                bytes.copy_from_slice(&message[..n]);
                Ok(list)
            }
        }
    )*};
    (narrow usize $wide:ident $value:ident $invalid:ident) => { usize::try_from($value).map_err(|_| $invalid) };
    (narrow isize $wide:ident $value:ident $invalid:ident) => { isize::try_from($value).map_err(|_| $invalid) };
    (narrow $t:ident $wide:ident $value:ident $invalid:ident) => { Ok($value) };
}

numbers! {
    u8 as u8 = UInt8; u16 as u16 = UInt16; u32 as u32 = UInt32; u64 as u64 = UInt64;
    i8 as i8 = Int8; i16 as i16 = Int16; i32 as i32 = Int32; i64 as i64 = Int64;
    f32 as f32 = Float; f64 as f64 = Double;
    usize as u64 = ULong; isize as i64 = Long;
}

impl Equivalence for bool {
    const LENGTH: usize = 1;

    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn get(from: &mut &[u8]) -> Result<Self, InvalidValue> {
        match u8::get(from)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(InvalidValue("bool")),
        }
    }
}

impl Equivalence for char {
    const LENGTH: usize = 4;

    fn put(&self, out: &mut Vec<u8>) {
        u32::from(*self).put(out);
    }
    fn get(from: &mut &[u8]) -> Result<Self, InvalidValue> {
        char::from_u32(u32::get(from)?).ok_or(InvalidValue("char"))
    }
}

macro_rules! wide {
    ($($t:ident)*) => {$(
        impl Equivalence for $t {
            const LENGTH: usize = 16;

            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn get(from: &mut &[u8]) -> Result<Self, InvalidValue> {
                let invalid = InvalidValue(stringify!($t));
                let bytes = front(from, 16, invalid.0)?;
                bytes.try_into().map($t::from_le_bytes).map_err(|_| invalid)
            }
        }
    )*};
}

wide! { u128 i128 }

impl<T: Equivalence, const N: usize> Equivalence for [T; N] {
    const LENGTH: usize = N * T::LENGTH;
    const PLAIN: Option<Plain> = match T::PLAIN {
        Some(p) => Some(Plain {
            basic: p.basic,
            units: p.units * N,
        }),
        None => None,
    };

    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|item| item.put(out));
    }
    fn get(from: &mut &[u8]) -> Result<Self, InvalidValue> {
        let items: Vec<T> = (0..N).map(|_| T::get(from)).collect::<Result<_, _>>()?;
        items.try_into().map_err(|_| InvalidValue("array"))
    }
    fn plain(items: &[Self]) -> &[u8] {
        T::plain(items.as_flattened())
    }
    fn plain_mut(items: &mut [Self]) -> &mut [u8] {
        T::plain_mut(items.as_flattened_mut())
    }
    fn take(message: &[u8]) -> Result<Vec<Self>, InvalidValue> {
        if N == 0 {
            return Ok(Vec::new());
        }
        let mut items = T::take(message)?.into_iter();
        let mut list = Vec::with_capacity(items.len() / N);
        while items.len() >= N {
            let part: Vec<T> = items.by_ref().take(N).collect();
            list.push(part.try_into().map_err(|_| InvalidValue("array"))?);
        }
        Ok(list)
    }
}

macro_rules! tuples {
    ($(($($t:ident $n:tt),+))*) => {$(
        impl<$($t: Equivalence),+> Equivalence for ($($t,)+) {
            const LENGTH: usize = 0 $(+ $t::LENGTH)+;

            fn put(&self, out: &mut Vec<u8>) {
                $(self.$n.put(out);)+
            }
            fn get(from: &mut &[u8]) -> Result<Self, InvalidValue> {
                Ok(($($t::get(from)?,)+))
            }
        }
    )*};
}

tuples! {
    (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
}

#[cfg(feature = "num-complex")]
impl<T: Equivalence + Copy> Equivalence for num_complex::Complex<T> {
    const LENGTH: usize = 2 * T::LENGTH;

    fn put(&self, out: &mut Vec<u8>) {
        self.re.put(out);
        self.im.put(out);
    }
    fn get(from: &mut &[u8]) -> Result<Self, InvalidValue> {
        Ok(num_complex::Complex {
            re: T::get(from)?,
            im: T::get(from)?,
        })
    }
}
