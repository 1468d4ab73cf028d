//! Ranges, as values and as iterators.

use std::ops::{Range, RangeFrom, RangeInclusive, RangeTo, RangeToInclusive};

use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{layout, TypeId, Types};
use crate::value::Checkpointable;

impl<T: Checkpointable> Checkpointable for Range<T> {
    const SIZE: u64 = 2 * T::SIZE;
    const ALIGN: u64 = T::ALIGN;

    fn describe(types: &mut Types) -> TypeId {
        let item = T::describe(types);
        types.record::<Self>(format!("Range<{}>", types.name(item)), |_| {
            vec![
                ("start".to_owned(), item, 0),
                ("end".to_owned(), item, T::SIZE),
            ]
        })
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        self.start.save(out, at);
        self.end.save(out, at + T::SIZE as usize);
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let members = from.generic::<Self>(value, "Range")?;
        Ok(members.load("start")?..members.load("end")?)
    }
}

macro_rules! half {
    ($($t:ident $name:literal $member:ident;)*) => {$(
        impl<T: Checkpointable> Checkpointable for $t<T> {
            const SIZE: u64 = T::SIZE;
            const ALIGN: u64 = T::ALIGN;

            fn describe(types: &mut Types) -> TypeId {
                let item = T::describe(types);
                types.record::<Self>(format!("{}<{}>", $name, types.name(item)), |_| {
                    vec![(stringify!($member).to_owned(), item, 0)]
                })
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                self.$member.save(out, at);
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let members = from.generic::<Self>(value, $name)?;
                Ok($t { $member: members.load(stringify!($member))? })
            }
        }
    )*};
}

half! {
    RangeFrom "RangeFrom" start;
    RangeTo "RangeTo" end;
    RangeToInclusive "RangeToInclusive" end;
}

/// An inclusive range knows whether its last value has been taken.
impl<T: Checkpointable + PartialOrd + Clone> Checkpointable for RangeInclusive<T>
where
    RangeInclusive<T>: Iterator<Item = T>,
{
    const SIZE: u64 = layout([(T::SIZE, T::ALIGN), (T::SIZE, T::ALIGN), (1, 1)]).size;
    const ALIGN: u64 = T::ALIGN;

    fn describe(types: &mut Types) -> TypeId {
        let item = T::describe(types);
        types.record::<Self>(format!("RangeInclusive<{}>", types.name(item)), |types| {
            vec![
                ("start".to_owned(), item, 0),
                ("end".to_owned(), item, T::SIZE),
                ("taken".to_owned(), bool::describe(types), 2 * T::SIZE),
            ]
        })
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        self.start().save(out, at);
        self.end().save(out, at + T::SIZE as usize);
        let taken = self.is_empty() && self.start() <= self.end();
        out.put(at + 2 * T::SIZE as usize, &[u8::from(taken)]);
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let members = from.generic::<Self>(value, "RangeInclusive")?;
        let (start, end): (T, T) = (members.load("start")?, members.load("end")?);
        if members.load("taken")? {
            let mut range = end.clone()..=end;
            range.next();
            return Ok(range);
        }
        Ok(start..=end)
    }
}
