//! Items of iterators that are made again, and of arrays.

use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{layout, TypeId, Types};
use crate::value::Checkpointable;

/// The item that an iterator gave last, and the iterator behind it.
pub fn advance<I: Iterator>(iterator: &mut I, taken: u64) -> Option<I::Item> {
    let last = usize::try_from(taken).ok()?.checked_sub(1)?;
    iterator.nth(last)
}

/// Goes over the values of an array.
pub struct Array<T, const N: usize> {
    items: [Option<T>; N],
    next: usize,
}

/// The values of an array that a loop goes over.
pub fn array<T, const N: usize>(items: [T; N]) -> Array<T, N> {
    Array {
        items: items.map(Some),
        next: 0,
    }
}

impl<T, const N: usize> Iterator for Array<T, N> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        let item = self.items.get_mut(self.next)?.take();
        self.next += 1;
        item
    }
}

impl<T: Checkpointable, const N: usize> Checkpointable for Array<T, N> {
    const SIZE: u64 = layout([(8, 8), (<[Option<T>; N]>::SIZE, <[Option<T>; N]>::ALIGN)]).size;
    const ALIGN: u64 = 8;

    fn describe(types: &mut Types) -> TypeId {
        let items = <[Option<T>; N]>::describe(types);
        types.record::<Self>(format!("Items<{}>", types.name(items)), |types| {
            vec![
                ("next".to_owned(), usize::describe(types), 0),
                ("items".to_owned(), items, 8),
            ]
        })
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        self.next.save(out, at);
        self.items.save(out, at + 8);
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let members = from.generic::<Self>(value, "Items")?;
        Ok(Array {
            items: members.load("items")?,
            next: members.load("next")?,
        })
    }
}
