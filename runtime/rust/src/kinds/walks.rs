//! Iterators in locals: those over borrows are made again and advanced to where they stood, those that own their items have
//! a list of them in their place.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Deref;

use crate::point::frames::Entry;
use crate::point::items::advance;
use crate::point::locals::{keep, take};
use crate::point::mode::Left;
use crate::point::questions::heads::{in_order, Elsewhere, First, Shuffled};
use crate::point::questions::ways::Plain;
use crate::Checkpointable;

use super::iterators::Listed;

/// How far an iterator has been gone over, from both ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Checkpointable)]
pub struct Walked {
    front: u64,
    back: u64,
}

impl Walked {
    pub(in crate::kinds) fn new(front: u64, back: u64) -> Self {
        Walked { front, back }
    }

    #[inline(always)]
    pub(in crate::kinds) fn ahead<I: Iterator>(self, mut of: I) -> I {
        drop(advance(&mut of, self.front));
        of
    }

    #[inline(always)]
    pub(in crate::kinds) fn ahead_both_ways<I: DoubleEndedIterator>(self, of: I) -> I {
        let mut of = self.ahead(of);
        (0..self.back).for_each(|_| drop(of.next_back()));
        of
    }
}

/// An iterator that counts what it gives.
#[derive(Clone)]
pub struct Walk<I> {
    of: I,
    walked: Walked,
}

impl<I> Walk<I> {
    pub(in crate::kinds) fn rest(self, at: &str) -> Walked {
        in_order(&self.of, at);
        self.walked
    }
}

impl<I> Deref for Walk<I> {
    type Target = I;
    fn deref(&self) -> &I {
        &self.of
    }
}

impl<I: Iterator> Iterator for Walk<I> {
    type Item = I::Item;
    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        let item = self.of.next()?;
        self.walked.front += 1;
        Some(item)
    }
    #[inline]
    fn nth(&mut self, n: usize) -> Option<I::Item> {
        let item = self.of.nth(n);
        self.walked.front += n as u64 + 1;
        item
    }
    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.of.size_hint()
    }
}

impl<I: DoubleEndedIterator> DoubleEndedIterator for Walk<I> {
    #[inline]
    fn next_back(&mut self) -> Option<I::Item> {
        let item = self.of.next_back()?;
        self.walked.back += 1;
        Some(item)
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for Walk<I> {}
impl<I: std::iter::FusedIterator> std::iter::FusedIterator for Walk<I> {}

impl<I: Elsewhere<W>, W> Elsewhere<First<W>> for Walk<I> {}
impl<I: Shuffled<W>, W> Shuffled<First<W>> for Walk<I> {}

impl<I: Iterator> Walk<std::iter::Peekable<I>> {
    #[inline]
    pub fn peek(&mut self) -> Option<&I::Item> {
        self.of.peek()
    }
    #[inline]
    pub fn next_if(&mut self, wanted: impl FnOnce(&I::Item) -> bool) -> Option<I::Item> {
        let item = self.of.next_if(wanted)?;
        self.walked.front += 1;
        Some(item)
    }
    #[inline]
    pub fn next_if_eq<T: ?Sized>(&mut self, wanted: &T) -> Option<I::Item>
    where
        I::Item: PartialEq<T>,
    {
        self.next_if(|item| item == wanted)
    }
}

/// What a `let` that makes an iterator gives: its type says what becomes of it.
pub struct Ahead<I>(Cell<Option<I>>);

impl<I> Ahead<I> {
    #[inline(always)]
    pub fn of(made: I) -> Self {
        Ahead(Cell::new(Some(made)))
    }
    #[inline(always)]
    pub(in crate::kinds) fn made(&self) -> I {
        match self.0.take() {
            Some(made) => made,
            None => unreachable!("it is asked once"),
        }
    }
}

/// A value that can be saved.
pub trait AheadSaved<I> {
    fn ahead(&self, walked: Walked) -> I;
    fn exact(&self, walked: Walked) -> I;
}

impl<I: Checkpointable> AheadSaved<I> for &&Ahead<I> {
    #[inline(always)]
    fn ahead(&self, _: Walked) -> I {
        self.made()
    }
    #[inline(always)]
    fn exact(&self, _: Walked) -> I {
        self.made()
    }
}

pub trait AheadBothWays<I> {
    fn ahead(&self, walked: Walked) -> Walk<I>;
    #[inline(always)]
    fn exact(&self, walked: Walked) -> Walk<I> {
        self.ahead(walked)
    }
}

impl<I: DoubleEndedIterator> AheadBothWays<I> for &Ahead<I> {
    #[inline(always)]
    fn ahead(&self, walked: Walked) -> Walk<I> {
        let of = walked.ahead_both_ways(self.made());
        Walk { of, walked }
    }
}

pub trait AheadOneWay<I> {
    fn ahead(&self, walked: Walked) -> Walk<I>;
    #[inline(always)]
    fn exact(&self, walked: Walked) -> Walk<I> {
        self.ahead(walked)
    }
}

impl<I: Iterator> AheadOneWay<I> for Ahead<I> {
    #[inline(always)]
    fn ahead(&self, walked: Walked) -> Walk<I> {
        let of = walked.ahead(self.made());
        Walk { of, walked }
    }
}

/// Such a local at a point.
pub trait Paused: Sized {
    fn pause(self, name: &'static str, at: &str) -> Entry;
    fn back(frame: &mut impl Left, name: &'static str, made: impl FnOnce(Walked) -> Self) -> Self;
    /// What makes it stands in one place: it may not have been there before.
    #[inline(always)]
    fn once(
        frame: &mut impl Left,
        name: &'static str,
        back: bool,
        made: impl FnOnce(Walked) -> Self,
    ) -> Self {
        match back {
            true => Self::back(frame, name, made),
            false => made(Walked::default()),
        }
    }
}

impl<T: Checkpointable> Paused for T {
    fn pause(self, name: &'static str, _: &str) -> Entry {
        keep(name, self)
    }
    fn back(frame: &mut impl Left, name: &'static str, _: impl FnOnce(Walked) -> T) -> T {
        take(frame, name)
    }
}

impl<I> Paused for Walk<I> {
    fn pause(self, name: &'static str, at: &str) -> Entry {
        keep(name, self.rest(at))
    }
    fn back(frame: &mut impl Left, name: &'static str, made: impl FnOnce(Walked) -> Self) -> Self {
        made(take(frame, name))
    }
}

/// Asks, of what is made again only, whether the method that makes it does nothing else.
pub struct Makes<T>(PhantomData<T>);

impl<T> Makes<T> {
    pub fn by(_: &T) -> Self {
        Makes(PhantomData)
    }
}

impl<I> Makes<Walk<I>> {
    pub fn plain<R: Plain + ?Sized>(&self, _: &R) {}
}

pub trait MakesValue {
    fn plain<R: ?Sized>(&self, _: &R) {}
}

impl<T: Checkpointable> MakesValue for Makes<T> {}

/// An iterator that owns its items: of the standard library's a list has what is left.
pub struct Owned<I>(Cell<Option<I>>);

impl<I> Owned<I> {
    #[inline(always)]
    pub fn of(made: I) -> Self {
        Owned(Cell::new(Some(made)))
    }
    #[inline(always)]
    fn made(&self) -> I {
        match self.0.take() {
            Some(made) => made,
            None => unreachable!("it is asked once"),
        }
    }
}

pub trait OwnedSaved<I> {
    fn owned(&self) -> I;
}

impl<I: Checkpointable> OwnedSaved<I> for &&Owned<I> {
    #[inline(always)]
    fn owned(&self) -> I {
        self.made()
    }
}

pub trait OwnedListed<I: IntoIterator> {
    fn owned(&self) -> std::vec::IntoIter<I::Item>;
}

impl<I: Listed> OwnedListed<I> for &Owned<I> {
    fn owned(&self) -> std::vec::IntoIter<I::Item> {
        self.made().list()
    }
}

pub trait OwnedOther<I> {
    fn owned(&self) -> I;
}

impl<I> OwnedOther<I> for Owned<I> {
    #[inline(always)]
    fn owned(&self) -> I {
        self.made()
    }
}

/// `peekable`
#[derive(Clone, Checkpointable)]
pub struct Peekable<I, T> {
    of: I,
    /// What has been looked at, and not been given yet.
    seen: Option<Option<T>>,
}

impl<I: Iterator<Item = T>, T> Peekable<I, T> {
    pub fn new(of: I) -> Self {
        Peekable { of, seen: None }
    }
    #[inline]
    pub fn peek(&mut self) -> Option<&T> {
        self.peek_mut().map(|item| &*item)
    }
    #[inline]
    pub fn peek_mut(&mut self) -> Option<&mut T> {
        self.seen.get_or_insert_with(|| self.of.next()).as_mut()
    }
    #[inline]
    pub fn next_if(&mut self, wanted: impl FnOnce(&T) -> bool) -> Option<T> {
        match self.peek().is_some_and(wanted) {
            true => self.next(),
            false => None,
        }
    }
    #[inline]
    pub fn next_if_eq<E: ?Sized>(&mut self, wanted: &E) -> Option<T>
    where
        T: PartialEq<E>,
    {
        self.next_if(|item| item == wanted)
    }
}

impl<I: Iterator<Item = T>, T> Iterator for Peekable<I, T> {
    type Item = T;
    #[inline]
    fn next(&mut self) -> Option<T> {
        self.seen.take().unwrap_or_else(|| self.of.next())
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        let seen = match &self.seen {
            Some(None) => return (0, Some(0)),
            Some(Some(_)) => 1,
            None => 0,
        };
        let (least, most) = self.of.size_hint();
        (
            least.saturating_add(seen),
            most.and_then(|n| n.checked_add(seen)),
        )
    }
}

impl<I: ExactSizeIterator<Item = T>, T> ExactSizeIterator for Peekable<I, T> {}
