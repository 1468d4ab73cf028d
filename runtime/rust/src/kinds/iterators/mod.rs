//! What loops over values go over: iterators that can be saved, in the place of the standard library's, which show nothing of
//! what is left in them.

pub(in crate::kinds) mod exact;

use std::collections::{
    binary_heap, btree_map, btree_set, hash_map, hash_set, linked_list, vec_deque,
};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};

use crate::Checkpointable;

/// Values of which a list is made first: their own iterators cannot be looked into.
#[diagnostic::on_unimplemented(
    message = "what `{Self}` gives cannot be saved",
    label = "this would have to be saved",
    note = "collect into a `Vec` first"
)]
pub trait Listed: IntoIterator + Sized {
    fn list(self) -> std::vec::IntoIter<Self::Item> {
        self.into_iter().collect::<Vec<_>>().into_iter()
    }
}

impl<T> Listed for Vec<T> {
    #[inline]
    fn list(self) -> std::vec::IntoIter<T> {
        self.into_iter()
    }
}

macro_rules! listed {
    ($([$($g:tt)*] $t:ty;)*) => { $(impl<$($g)*> Listed for $t {})* };
}

listed! {
    [K, V, S] HashMap<K, V, S>; [T, S] HashSet<T, S>; [K, V] BTreeMap<K, V>; [T] BTreeSet<T>; [T] VecDeque<T>;
    [T] BinaryHeap<T>; [T] LinkedList<T>; [T] Option<T>; [T, E] Result<T, E>; [T, const N: usize] [T; N];
    // What takes the values out does nothing else.
    [K, V] hash_map::IntoIter<K, V>; [K, V] hash_map::IntoKeys<K, V>; [K, V] hash_map::IntoValues<K, V>;
    [K, V] btree_map::IntoIter<K, V>; [K, V] btree_map::IntoKeys<K, V>; [K, V] btree_map::IntoValues<K, V>;
    [T] hash_set::IntoIter<T>; [T] btree_set::IntoIter<T>; [T] vec_deque::IntoIter<T>; [T] binary_heap::IntoIter<T>;
    [T] linked_list::IntoIter<T>; ['a, T] std::vec::Drain<'a, T>; ['a, T] vec_deque::Drain<'a, T>;
    ['a] std::string::Drain<'a>; ['a, T] binary_heap::Drain<'a, T>; ['a, K, V] hash_map::Drain<'a, K, V>;
    ['a, T] hash_set::Drain<'a, T>; [T, const N: usize] std::array::IntoIter<T, N>; [T] std::option::IntoIter<T>;
    [T] std::result::IntoIter<T>;
}

#[cfg(feature = "indexmap")]
listed! {
    [K, V, S] indexmap::IndexMap<K, V, S>; [T, S] indexmap::IndexSet<T, S>; [K, V] indexmap::map::IntoIter<K, V>;
    [K, V] indexmap::map::IntoKeys<K, V>; [K, V] indexmap::map::IntoValues<K, V>; [T] indexmap::set::IntoIter<T>;
    ['a, K, V] indexmap::map::Drain<'a, K, V>; ['a, T] indexmap::set::Drain<'a, T>;
}

#[cfg(feature = "smallvec")]
impl<A: smallvec::Array> Listed for smallvec::SmallVec<A> {}

/// A value that a loop goes over.
pub struct Items<T>(std::marker::PhantomData<T>);

impl<T> Items<T> {
    #[inline(always)]
    pub fn of(_: &T) -> Self {
        Items(std::marker::PhantomData)
    }
}

impl<T: Listed> Items<T> {
    #[inline(always)]
    pub fn items(self, value: T) -> std::vec::IntoIter<T::Item> {
        value.list()
    }
}

pub trait OtherItems<T: IntoIterator>: Sized {
    #[inline(always)]
    fn items(self, value: T) -> T::IntoIter {
        value.into_iter()
    }
}

impl<T: IntoIterator> OtherItems<T> for Items<T> {}

/// `rev`
#[derive(Checkpointable)]
pub struct Rev<I>(pub I);

impl<I: DoubleEndedIterator> Iterator for Rev<I> {
    type Item = I::Item;
    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.0.next_back()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<I: DoubleEndedIterator> DoubleEndedIterator for Rev<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        self.0.next()
    }
}

impl<I: DoubleEndedIterator + ExactSizeIterator> ExactSizeIterator for Rev<I> {}

/// `enumerate`
#[derive(Checkpointable)]
pub struct Enumerate<I> {
    of: I,
    count: usize,
}

impl<I: Iterator> Enumerate<I> {
    pub fn new(of: I) -> Self {
        Enumerate { of, count: 0 }
    }
}

impl<I: Iterator> Iterator for Enumerate<I> {
    type Item = (usize, I::Item);
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let item = self.of.next()?;
        let n = self.count;
        self.count += 1;
        Some((n, item))
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.of.size_hint()
    }
}

impl<I: DoubleEndedIterator + ExactSizeIterator> DoubleEndedIterator for Enumerate<I> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let item = self.of.next_back()?;
        Some((self.count + self.of.len(), item))
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for Enumerate<I> {}

/// `skip`
#[derive(Checkpointable)]
pub struct Skip<I> {
    of: I,
    left: usize,
}

impl<I: Iterator> Skip<I> {
    pub fn new(of: I, left: usize) -> Self {
        Skip { of, left }
    }
}

impl<I: Iterator> Iterator for Skip<I> {
    type Item = I::Item;
    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        match std::mem::take(&mut self.left) {
            0 => self.of.next(),
            n => self.of.nth(n),
        }
    }
}

/// `take`
#[derive(Checkpointable)]
pub struct Take<I> {
    of: I,
    left: usize,
}

impl<I: Iterator> Take<I> {
    pub fn new(of: I, left: usize) -> Self {
        Take { of, left }
    }
}

impl<I: Iterator> Iterator for Take<I> {
    type Item = I::Item;
    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.left = self.left.checked_sub(1)?;
        self.of.next()
    }
}

/// `step_by`
#[derive(Checkpointable)]
pub struct StepBy<I> {
    of: I,
    step: usize,
    first: bool,
}

impl<I: Iterator> StepBy<I> {
    pub fn new(of: I, step: usize) -> Self {
        assert!(step != 0, "step_by: a step of zero");
        StepBy {
            of,
            step,
            first: true,
        }
    }
}

impl<I: Iterator> Iterator for StepBy<I> {
    type Item = I::Item;
    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        match std::mem::replace(&mut self.first, false) {
            true => self.of.next(),
            false => self.of.nth(self.step - 1),
        }
    }
}

/// `zip`
#[derive(Checkpointable)]
pub struct Zip<A, B>(A, B);

impl<A: Iterator, B: Iterator> Zip<A, B> {
    pub fn new<I: IntoIterator<IntoIter = B>>(a: A, b: I) -> Self {
        Zip(a, b.into_iter())
    }
}

impl<A: Iterator, B: Iterator> Iterator for Zip<A, B> {
    type Item = (A::Item, B::Item);
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let a = self.0.next()?;
        Some((a, self.1.next()?))
    }
}

/// `chain`
#[derive(Checkpointable)]
pub struct Chain<A, B> {
    first: Option<A>,
    second: B,
}

impl<A: Iterator, B: Iterator<Item = A::Item>> Chain<A, B> {
    pub fn new<I>(first: A, second: I) -> Self
    where
        I: IntoIterator<IntoIter = B, Item = A::Item>,
    {
        Chain {
            first: Some(first),
            second: second.into_iter(),
        }
    }
}

impl<A: Iterator, B: Iterator<Item = A::Item>> Iterator for Chain<A, B> {
    type Item = A::Item;
    #[inline]
    fn next(&mut self) -> Option<A::Item> {
        if let Some(first) = &mut self.first {
            match first.next() {
                None => self.first = None,
                item => return item,
            }
        }
        self.second.next()
    }
}

/// `flatten`
#[derive(Checkpointable)]
pub struct Flatten<I, T> {
    of: I,
    now: Option<std::vec::IntoIter<T>>,
}

impl<I: Iterator<Item = L>, L: Listed> Flatten<I, L::Item> {
    pub fn new(of: I) -> Self {
        Flatten { of, now: None }
    }
}

impl<I: Iterator<Item = L>, L: Listed<Item = T>, T> Iterator for Flatten<I, T> {
    type Item = T;
    #[inline]
    fn next(&mut self) -> Option<T> {
        loop {
            if let Some(item) = self.now.as_mut().and_then(Iterator::next) {
                return Some(item);
            }
            self.now = None;
            self.now = Some(self.of.next()?.list());
        }
    }
}
