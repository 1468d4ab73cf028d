//! Pointers that the program keeps in front of or behind their object (`a = malloc(n); a -= low;`).
//!
//! Such a number says nothing of its object: where it points, another one may lie. So generated code tells of each place
//! that moves a pointer to where it could leave its object (pc3cc's `program/locals/out_of_bounds_pointers`), and where it does, which object it
//! came from is kept here, by the number itself. Copies of the pointer are the same number, and need nothing.

use std::borrow::Cow;
use std::ffi::CStr;

use rustc_hash::FxHashMap;

/// Objects that one number may belong to; with more it is told of as if it were two.
const MOST: usize = 4;
/// Entries that are kept without a look at whether their objects are still there.
pub const FEW: usize = 1024;

/// Where a pointer outside of its object comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct OutOfBoundsOrigin {
    /// An address in the object.
    pub object: usize,
    /// What it points to has so many bytes.
    pub elem: usize,
    /// Where the program moved it: text of the program, or of a checkpoint.
    pub place: Cow<'static, CStr>,
}

/// Those of one rank.
#[derive(Debug, Default)]
pub struct Beside {
    pub known: FxHashMap<usize, Vec<OutOfBoundsOrigin>>,
    pub enough: usize,
}

impl Beside {
    /// Is there no room for another object that this number may belong to?
    pub fn is_full(&self, to: usize) -> bool {
        self.known.get(&to).is_some_and(|list| list.len() >= MOST)
    }

    pub fn add(&mut self, to: usize, from: OutOfBoundsOrigin) {
        let list = self.known.entry(to).or_default();
        match list.iter().position(|f| f.object == from.object) {
            Some(i) => list[i] = from,
            None if list.len() < MOST => list.push(from),
            None => {}
        }
    }
}
