//! Iterators in locals that have the type that the program says: nothing counts what they give, so at a point they are
//! compared with one that is made again.

use std::cell::Cell;
use std::collections::{binary_heap, btree_map, btree_set, vec_deque};
use std::iter::{Chain, Cloned, Copied, Enumerate, Fuse, Peekable, Rev, Skip, StepBy, Take, Zip};
use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};
use std::{slice, str};

use crate::point::frames;
use crate::point::frames::Entry;
use crate::point::locals::{keep, take};
use crate::point::mode::Left;
use crate::point::questions::ways::Plain;
use crate::Checkpointable;

use crate::kinds::walks::{Ahead, Makes, Walk, Walked};

/// What an iterator gives: the same thing, not only an equal one, as far as that can be told.
pub trait Same {
    fn same(&self, other: &Self) -> bool;
}

impl<T: ?Sized> Same for &T {
    fn same(&self, other: &Self) -> bool {
        std::ptr::eq(*self, *other)
    }
}

macro_rules! same {
    ($($t:ty)*) => {$(
        impl Same for $t {
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )*};
}

same!(bool char String u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! same_bits {
    ($($t:ty)*) => {$(
        impl Same for $t {
            fn same(&self, other: &Self) -> bool {
                self.to_bits() == other.to_bits()
            }
        }
    )*};
}

same_bits!(f32 f64);

impl<A: Same, B: Same> Same for (A, B) {
    fn same(&self, other: &Self) -> bool {
        self.0.same(&other.0) && self.1.same(&other.1)
    }
}

/// An iterator that comes to an end, and gives the same in the same order when it is made again.
pub trait Finite: Iterator<Item: Same + Clone> + Clone {}

macro_rules! finite {
    ($([$($g:tt)*] $t:ty;)*) => { $(impl<$($g)*> Finite for $t {})* };
}

finite! {
    ['a] str::Chars<'a>; ['a] str::CharIndices<'a>; ['a] str::Bytes<'a>; ['a] str::Lines<'a>;
    ['a] str::SplitWhitespace<'a>; ['a] str::SplitAsciiWhitespace<'a>;
    ['a] str::Split<'a, char>; ['a, 'b] str::Split<'a, &'b str>;
    ['a, T] slice::Iter<'a, T>; ['a, T] slice::Windows<'a, T>; ['a, T] slice::Chunks<'a, T>;
    ['a, T] slice::ChunksExact<'a, T>; ['a, T] vec_deque::Iter<'a, T>; ['a, T] binary_heap::Iter<'a, T>;
    ['a, K, V] btree_map::Iter<'a, K, V>; ['a, K, V] btree_map::Keys<'a, K, V>; ['a, K, V] btree_map::Values<'a, K, V>;
    ['a, K, V] btree_map::Range<'a, K, V>; ['a, T] btree_set::Iter<'a, T>; ['a, T] btree_set::Range<'a, T>;
    [I: Finite] Peekable<I>; [I: Finite] Enumerate<I>; [I: Finite + DoubleEndedIterator] Rev<I>; [I: Finite] Skip<I>;
    [I: Finite] Take<I>; [I: Finite] StepBy<I>; [I: Finite] Fuse<I>;
    ['a, T: Same + Clone + 'a, I: Finite + Iterator<Item = &'a T>] Cloned<I>;
    ['a, T: Same + Copy + 'a, I: Finite + Iterator<Item = &'a T>] Copied<I>;
    [A: Finite, B: Finite] Zip<A, B>; [A: Finite, B: Finite + Iterator<Item = A::Item>] Chain<A, B>;
    [] Range<u8>; [] Range<u16>; [] Range<u32>; [] Range<u64>; [] Range<usize>;
    [] Range<i8>; [] Range<i16>; [] Range<i32>; [] Range<i64>; [] Range<isize>; [] Range<char>;
    [] RangeInclusive<u8>; [] RangeInclusive<u16>; [] RangeInclusive<u32>; [] RangeInclusive<u64>; [] RangeInclusive<usize>;
    [] RangeInclusive<i8>; [] RangeInclusive<i16>; [] RangeInclusive<i32>; [] RangeInclusive<i64>; [] RangeInclusive<isize>;
    [] RangeInclusive<char>;
}

// ---- what a `let` gives -------------------------------------------------------------------------

pub trait AheadExact<I> {
    fn exact(&self, walked: Walked) -> I;
}

impl<I: Finite + DoubleEndedIterator> AheadExact<I> for &&&Ahead<I> {
    #[inline(always)]
    fn exact(&self, walked: Walked) -> I {
        walked.ahead_both_ways(self.made())
    }
}

pub trait AheadExactOneWay<I> {
    fn exact(&self, walked: Walked) -> I;
}

impl<I: Finite> AheadExactOneWay<I> for &&Ahead<I> {
    #[inline(always)]
    fn exact(&self, walked: Walked) -> I {
        walked.ahead(self.made())
    }
}

pub trait MakesExact<I> {
    fn plain<R: Plain + ?Sized>(&self, _: &R) {}
}

impl<I: Finite> MakesExact<I> for &Makes<I> {}

// ---- at a point ---------------------------------------------------------------------------------

/// Such a local, which waits: its type says what is kept.
pub struct Rests<I>(Cell<Option<I>>);

impl<I> Rests<I> {
    pub fn of(iterator: I) -> Self {
        Rests(Cell::new(Some(iterator)))
    }
    fn taken(&self) -> I {
        match self.0.take() {
            Some(iterator) => iterator,
            None => unreachable!("it is asked once"),
        }
    }
}

pub trait RestsSaved<T> {
    fn rest(&self, at: &'static str) -> Value<T>;
}

impl<T: Checkpointable> RestsSaved<T> for &&Rests<T> {
    fn rest(&self, _: &'static str) -> Value<T> {
        Value(self.taken())
    }
}

pub trait RestsWalk {
    fn rest(&self, at: &'static str) -> Walked;
}

impl<I> RestsWalk for &Rests<Walk<I>> {
    fn rest(&self, at: &'static str) -> Walked {
        self.taken().rest(at)
    }
}

pub trait RestsExact<I> {
    fn rest(&self, at: &'static str) -> Rest<I>;
}

impl<I: Finite> RestsExact<I> for Rests<I> {
    fn rest(&self, at: &'static str) -> Rest<I> {
        Rest {
            of: self.taken(),
            at,
        }
    }
}

pub struct Value<T>(T);

/// What an iterator has still to give.
pub struct Rest<I> {
    of: I,
    at: &'static str,
}

pub trait Rested<I> {
    fn entry(self, name: &'static str, made: impl FnOnce() -> I) -> Entry;
}

impl<T: Checkpointable, I> Rested<I> for Value<T> {
    fn entry(self, name: &'static str, _: impl FnOnce() -> I) -> Entry {
        keep(name, self.0)
    }
}

impl<I> Rested<I> for Walked {
    fn entry(self, name: &'static str, _: impl FnOnce() -> I) -> Entry {
        keep(name, self)
    }
}

impl<I: Finite> Rested<I> for Rest<I> {
    fn entry(self, name: &'static str, made: impl FnOnce() -> I) -> Entry {
        match gone(&self.of, &made()) {
            Some(walked) => keep(name, walked),
            None => frames::another(name, self.at),
        }
    }
}

/// How much of `all` has been taken, if the rest of it is `rest`.
fn gone<I: Finite>(rest: &I, all: &I) -> Option<Walked> {
    let taken = all.clone().count().checked_sub(rest.clone().count())?;
    // Most are only gone over from the front.
    let is = |front: &usize| {
        let mut both = all.clone().skip(*front).zip(rest.clone());
        both.all(|(a, b)| a.same(&b))
    };
    let front = (0..=taken).rev().find(is)?;
    Some(Walked::new(front as u64, (taken - front) as u64))
}

/// Takes such a local back.
pub struct Returns<I>(PhantomData<I>);

impl<I> Returns<I> {
    pub fn of(_: &PhantomData<I>) -> Self {
        Returns(PhantomData)
    }
}

pub trait ReturnsSaved<T> {
    fn back(&self, frame: &mut impl Left, name: &'static str, made: impl FnOnce(Walked) -> T) -> T;
}

impl<T: Checkpointable> ReturnsSaved<T> for &Returns<T> {
    fn back(&self, frame: &mut impl Left, name: &'static str, _: impl FnOnce(Walked) -> T) -> T {
        take(frame, name)
    }
}

pub trait ReturnsOther<I> {
    fn back(&self, frame: &mut impl Left, name: &'static str, made: impl FnOnce(Walked) -> I) -> I;
}

impl<I> ReturnsOther<I> for Returns<I> {
    fn back(&self, frame: &mut impl Left, name: &'static str, made: impl FnOnce(Walked) -> I) -> I {
        made(take(frame, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_says_what_was_taken() {
        let text = "aabaa";
        let all = text.chars().peekable();
        let mut rest = all.clone();
        rest.peek();
        assert_eq!(gone(&rest, &all), Some(Walked::new(0, 0)));
        rest.next();
        assert_eq!(gone(&rest, &all), Some(Walked::new(1, 0)));
        let mut rest = text.char_indices();
        rest.next_back();
        rest.next();
        rest.next_back();
        assert_eq!(gone(&rest, &text.char_indices()), Some(Walked::new(1, 2)));
        rest.by_ref().for_each(drop);
        assert_eq!(gone(&rest, &text.char_indices()), Some(Walked::new(5, 0)));
    }

    #[test]
    fn another_iterator_is_none_of_it() {
        let (a, b) = ([1, 2, 3], [1, 2, 3]);
        assert_eq!(gone(&b[1..].iter(), &a.iter()), None);
        assert_eq!(gone(&"xbc".chars(), &"abc".chars()), None);
        assert_eq!(gone(&"abc".chars(), &"bc".chars()), None);
    }
}
