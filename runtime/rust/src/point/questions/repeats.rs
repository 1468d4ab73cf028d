//! Adaptors of iterators that are made again after a restart: their closures are called again for what has been taken, so
//! they are `Fn`, and the compiler says where one changes something.

use std::iter::{
    self, Filter, FilterMap, FlatMap, Map, MapWhile, Scan, SkipWhile, Successors, TakeWhile,
};

/// The standard library's, under names of ours.
pub trait Repeats: Iterator + Sized {
    #[inline(always)]
    fn pc3_map<B, F: Fn(Self::Item) -> B>(self, f: F) -> Map<Self, F> {
        self.map(f)
    }
    #[inline(always)]
    fn pc3_filter<F: Fn(&Self::Item) -> bool>(self, f: F) -> Filter<Self, F> {
        self.filter(f)
    }
    #[inline(always)]
    fn pc3_filter_map<B, F: Fn(Self::Item) -> Option<B>>(self, f: F) -> FilterMap<Self, F> {
        self.filter_map(f)
    }
    #[inline(always)]
    fn pc3_flat_map<U: IntoIterator, F: Fn(Self::Item) -> U>(self, f: F) -> FlatMap<Self, U, F> {
        self.flat_map(f)
    }
    #[inline(always)]
    fn pc3_map_while<B, F: Fn(Self::Item) -> Option<B>>(self, f: F) -> MapWhile<Self, F> {
        self.map_while(f)
    }
    #[inline(always)]
    fn pc3_scan<S, B, F: Fn(&mut S, Self::Item) -> Option<B>>(
        self,
        state: S,
        f: F,
    ) -> Scan<Self, S, F> {
        self.scan(state, f)
    }
    #[inline(always)]
    fn pc3_skip_while<F: Fn(&Self::Item) -> bool>(self, f: F) -> SkipWhile<Self, F> {
        self.skip_while(f)
    }
    #[inline(always)]
    fn pc3_take_while<F: Fn(&Self::Item) -> bool>(self, f: F) -> TakeWhile<Self, F> {
        self.take_while(f)
    }
}

impl<I: Iterator> Repeats for I {}

#[inline(always)]
pub fn successors<T, F: Fn(&T) -> Option<T>>(first: Option<T>, f: F) -> Successors<T, F> {
    iter::successors(first, f)
}

/// Those of what iterators are made of, which are called once.
pub trait RepeatsOther: Sized {
    type Item;
    type With<B>;
    fn pc3_map<B, F: FnOnce(Self::Item) -> B>(self, f: F) -> Self::With<B>;
}

impl<T> RepeatsOther for Option<T> {
    type Item = T;
    type With<B> = Option<B>;
    #[inline(always)]
    fn pc3_map<B, F: FnOnce(T) -> B>(self, f: F) -> Option<B> {
        self.map(f)
    }
}

// ---- adaptors that have become part of a loop's body ------------------------------------------------

#[inline(always)]
pub fn mapped<T, B>(item: T, f: impl FnOnce(T) -> B) -> B {
    f(item)
}

#[inline(always)]
pub fn passes<T>(item: &T, f: impl FnOnce(&T) -> bool) -> bool {
    f(item)
}

#[inline(always)]
pub fn looked<T>(item: &T, f: impl FnOnce(&T)) {
    f(item);
}

#[inline(always)]
pub fn scanned<S, T, B>(
    state: &mut S,
    item: T,
    f: impl FnOnce(&mut S, T) -> Option<B>,
) -> Option<B> {
    f(state, item)
}

/// Asks of what such a closure would take (`move`), which it borrows instead.
pub fn copied_into<T: CopiedInto>(_: &T) {}

#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is moved into a closure of a loop's iterator, which is called from the loop's body",
    label = "moved here",
    note = "leave out `move`: the closure borrows it then"
)]
pub trait CopiedInto {}

impl<T: Copy> CopiedInto for T {}

/// `cloned`, `copied`
pub trait Cloned<T> {
    fn pc3_cloned(self) -> T
    where
        T: Clone;
    fn pc3_copied(self) -> T
    where
        T: Copy;
}

impl<T> Cloned<T> for &T {
    #[inline(always)]
    fn pc3_cloned(self) -> T
    where
        T: Clone,
    {
        self.clone()
    }
    #[inline(always)]
    fn pc3_copied(self) -> T
    where
        T: Copy,
    {
        *self
    }
}
