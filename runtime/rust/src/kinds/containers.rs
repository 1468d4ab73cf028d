//! Lists: an object of their items.

use std::collections::{BinaryHeap, LinkedList, VecDeque};

use crate::value::load::{LoadError, Loading, Members, View};
use crate::value::save::Saver;
use crate::value::types::{TypeId, Types};
use crate::value::Checkpointable;

pub(super) fn describe<L: Checkpointable, T: Checkpointable>(
    types: &mut Types,
    name: &str,
) -> TypeId {
    let item = T::describe(types);
    let name = format!("{name}<{}>", types.name(item));
    types.record::<L>(name, |types| {
        vec![
            ("items".to_owned(), types.pointer(item), 0),
            ("length".to_owned(), u64::describe(types), 8),
        ]
    })
}

pub(super) fn put(out: &mut Saver, at: usize, address: u64, length: usize) {
    out.put(at, &address.to_ne_bytes());
    out.put(at + 8, &(length as u64).to_ne_bytes());
}

/// As `describe`, of lists that have room for more.
fn describe_roomy<L: Checkpointable, T: Checkpointable>(types: &mut Types, name: &str) -> TypeId {
    let item = T::describe(types);
    let name = format!("{name}<{}>", types.name(item));
    types.record::<L>(name, |types| {
        vec![
            ("items".to_owned(), types.pointer(item), 0),
            ("length".to_owned(), u64::describe(types), 8),
            ("capacity".to_owned(), u64::describe(types), 16),
        ]
    })
}

/// A list has this room again: programs ask how much is left of it.
pub(super) fn reserve<T>(list: &mut Vec<T>, from: &Members) -> Result<(), LoadError> {
    // Checkpoints of earlier versions do not say.
    let capacity: u64 = from.load_or("capacity", || 0)?;
    let more = usize::try_from(capacity).map_or(0, |c| c.saturating_sub(list.len()));
    // Where memory is short it is what it needs.
    let _ = list.try_reserve_exact(more);
    Ok(())
}

/// A list's items, if the type in the checkpoint is `name<…>`.
pub(super) fn load<L, T: Checkpointable>(
    from: &Loading,
    value: View,
    name: &str,
) -> Result<Vec<T>, LoadError> {
    from.generic::<L>(value, name)?.list("items", "length")
}

macro_rules! lists {
    ($([$($bound:tt)*] $t:ty, $name:literal, $save:expr, $make:expr;)*) => {$(
        impl<T: Checkpointable $($bound)*> Checkpointable for $t {
            const SIZE: u64 = 16;
            const ALIGN: u64 = 8;

            fn describe(types: &mut Types) -> TypeId {
                describe::<Self, T>(types, $name)
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                let save: fn(&'a Self, &mut Saver<'a>) -> (u64, usize) = $save;
                let (address, length) = save(self, out);
                put(out, at, address, length);
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let make: fn(Vec<T>) -> Self = $make;
                load::<Self, T>(from, value, $name).map(make)
            }
        }
    )*};
}

lists! {
    [] std::vec::IntoIter<T>, "Rest", |v, out| (out.slice(v.as_slice()), v.len()), Vec::into_iter;
    [] LinkedList<T>, "LinkedList", |v, out| (out.items(v.iter().collect()), v.len()), |v| v.into_iter().collect();
}

macro_rules! roomy_lists {
    ($([$($bound:tt)*] $t:ty, $name:literal, $save:expr, $room:expr, $make:expr;)*) => {$(
        impl<T: Checkpointable $($bound)*> Checkpointable for $t {
            const SIZE: u64 = 24;
            const ALIGN: u64 = 8;

            fn describe(types: &mut Types) -> TypeId {
                describe_roomy::<Self, T>(types, $name)
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                let save: fn(&'a Self, &mut Saver<'a>) -> u64 = $save;
                let room: fn(&Self) -> usize = $room;
                let address = save(self, out);
                put(out, at, address, self.len());
                out.put(at + 16, &(room(self) as u64).to_ne_bytes());
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let make: fn(Vec<T>) -> Self = $make;
                let members = from.generic::<Self>(value, $name)?;
                let mut list = members.list("items", "length")?;
                reserve(&mut list, &members)?;
                Ok(make(list))
            }
        }
    )*};
}

roomy_lists! {
    [] Vec<T>, "Vec", |v, out| out.slice(v.as_slice()), Vec::capacity, |v| v;
    [] Box<[T]>, "Vec", |v, out| out.slice(v), |v| v.len(), Vec::into_boxed_slice;
    [+ Clone] std::borrow::Cow<'static, [T]>, "Vec", |v, out| out.slice(v), |v| v.len(), Into::into;
    [] VecDeque<T>, "VecDeque", |v, out| out.items(v.iter().collect()), VecDeque::capacity, VecDeque::from;
    [+ Ord] BinaryHeap<T>, "BinaryHeap", |v, out| out.items(v.iter().collect()), BinaryHeap::capacity, heap;
}

/// The items lie in heap order, so nothing moves.
fn heap<T: Ord>(items: Vec<T>) -> BinaryHeap<T> {
    BinaryHeap::from(items)
}

impl<T: Checkpointable, const N: usize> Checkpointable for [T; N] {
    const SIZE: u64 = T::SIZE * N as u64;
    const ALIGN: u64 = T::ALIGN;
    const PLAIN: bool = T::PLAIN && N != 0;
    const FLAT: bool = T::FLAT;

    fn describe(types: &mut Types) -> TypeId {
        let item = T::describe(types);
        types.array::<Self>(item, T::SIZE, T::ALIGN, N as u64)
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        if T::PLAIN {
            out.put(at, T::bytes(self));
            return;
        }
        for (i, item) in self.iter().enumerate() {
            item.save(out, at + i * T::SIZE as usize);
        }
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let t = from.ty(value.ty);
        if t.count != N as u64 || t.elem == TypeId::UNKNOWN {
            return Err(value.not::<Self>(from));
        }
        let view = View {
            ty: t.elem,
            bytes: value.bytes,
        };
        let list = match from.ty(t.elem).size {
            0 => (0..N)
                .map(|_| T::load(from, view))
                .collect::<Result<Vec<T>, _>>()?,
            _ => T::load_all(from, view)?,
        };
        list.try_into().map_err(|_| value.not::<Self>(from))
    }
    fn load_all(from: &Loading, values: View) -> Result<Vec<Self>, LoadError> {
        let t = from.ty(values.ty);
        if !Self::PLAIN || t.count != N as u64 || t.elem == TypeId::UNKNOWN {
            return from.each(values);
        }
        let view = View {
            ty: t.elem,
            bytes: values.bytes,
        };
        let items = T::load_all(from, view)?;
        if items.len() % N != 0 {
            return Err(values.not::<Self>(from));
        }
        let (count, mut items) = (items.len() / N, items.into_iter());
        let mut next = |_| match items.next() {
            Some(item) => item,
            None => unreachable!("there are as many as were counted"),
        };
        Ok((0..count).map(|_| std::array::from_fn(&mut next)).collect())
    }
    fn bytes(slice: &[Self]) -> &[u8] {
        T::bytes(slice.as_flattened())
    }
}
