//! Numbers that the program has made of addresses and hashed or kept, never to make addresses of them again
//! (pc3cc's `portability/lints/stable`): an object keeps the number that it had first, wherever a restart puts it. So tables
//! that are ordered by such numbers go on working.
//!
//! What has moved is known by where it is now. New objects have their own addresses, unless these are the number of
//! something that has moved.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicI32, Ordering};

/// Nonzero if some rank's objects have other numbers than their addresses.
#[no_mangle]
pub static pc3_has_moved: AtomicI32 = AtomicI32::new(0);

#[derive(Debug)]
struct FirstNumber {
    number: usize,
    size: usize,
    /// What is in it lies where it did.
    alike: bool,
}

/// Those of one rank.
#[derive(Debug, Default)]
pub struct FirstNumbers {
    /// By where objects are.
    own: BTreeMap<usize, FirstNumber>,
    /// Numbers that objects have: from, to.
    taken: BTreeMap<usize, usize>,
    /// Addresses were wider, or narrower, when the numbers were made.
    other_width: bool,
}

/// Where numbers begin that are nobody's address.
const BEYOND: usize = usize::MAX / 16 * 15;

impl FirstNumbers {
    /// `each` names all objects: where one was, its size, where it is now, and whether what is in it lies where it did.
    /// `before`: as the checkpoint has them, by its addresses; `other_width`: those were wider, or narrower.
    pub fn of(
        each: impl FnOnce(&mut dyn FnMut(u64, u64, usize, bool)),
        (before, at_all): &(Vec<(u64, u64)>, bool),
        other_width: bool,
    ) -> FirstNumbers {
        let before: HashMap<u64, u64> = before.iter().copied().collect();
        let mut all = FirstNumbers {
            other_width: *at_all || other_width,
            ..FirstNumbers::default()
        };
        each(&mut |start, size, target, alike| {
            let number = before.get(&start).copied().unwrap_or(start) as usize;
            if number != target {
                let size = size as usize;
                all.put(
                    target,
                    FirstNumber {
                        number,
                        size,
                        alike,
                    },
                );
            }
        });
        if !all.own.is_empty() {
            pc3_has_moved.store(1, Ordering::Relaxed);
        }
        all
    }

    fn put(&mut self, at: usize, own: FirstNumber) {
        let end = own.number.saturating_add(own.size.max(1));
        self.taken.insert(own.number, end);
        self.own.insert(at, own);
    }

    /// For a checkpoint.
    pub fn list(&self) -> (Vec<(u64, u64)>, bool) {
        let all = self.own.iter();
        let all = all.map(|(at, o)| (*at as u64, o.number as u64));
        (all.collect(), self.other_width)
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// An object is no more.
    #[inline]
    pub fn gone(&mut self, at: usize) {
        self.own.remove(&at);
    }

    fn is_taken(&self, number: usize) -> bool {
        let before = self.taken.range(..=number).next_back();
        before.is_some_and(|(_, end)| number < *end)
    }

    /// The number of an address, or why it has none any more. `object`: the heap's that it is in, and its size.
    #[inline]
    pub fn number(
        &mut self,
        p: usize,
        object: Option<(usize, usize)>,
        once: bool,
    ) -> Result<usize, &'static str> {
        let around = self.own.range(..=p).next_back();
        let found = around.filter(|(at, o)| match object {
            Some((base, _)) => **at == base,
            None => p - **at < o.size.max(1),
        });
        if let Some((at, o)) = found {
            return match p - at {
                _ if once && self.other_width => {
                    Err("the object's number was made where addresses have another width, and is another one now")
                }
                0 => Ok(o.number),
                offset if o.alike => Ok(o.number.wrapping_add(offset)),
                _ => Err("what it leads to has moved within its object"),
            };
        }
        let Some((base, size)) = object.filter(|o| self.is_taken(o.0)) else {
            return Ok(p);
        };
        let room = size.next_multiple_of(16) + 16;
        let last = self.taken.range(BEYOND..).next_back().map(|(_, end)| *end);
        let number = last.unwrap_or(BEYOND).next_multiple_of(16);
        if number.checked_add(room).is_none() {
            return Err("there are no more numbers");
        }
        let alike = true;
        self.put(
            base,
            FirstNumber {
                number,
                size,
                alike,
            },
        );
        Ok(number + (p - base))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(list: &[(usize, usize, usize)], alike: bool) -> FirstNumbers {
        let mut all = FirstNumbers::default();
        for (at, number, size) in list.iter().copied() {
            all.put(
                at,
                FirstNumber {
                    number,
                    size,
                    alike,
                },
            );
        }
        all
    }

    #[test]
    fn objects_keep_their_numbers() {
        let mut all = moved(&[(0x1000, 0x5000, 64)], true);
        assert_eq!(all.number(0x1000, Some((0x1000, 64)), true), Ok(0x5000));
        assert_eq!(all.number(0x1010, None, false), Ok(0x5010));
        assert_eq!(all.number(0x2000, Some((0x2000, 8)), false), Ok(0x2000));
        assert_eq!(all.list().0, [(0x1000, 0x5000)]);
        all.gone(0x1000);
        assert_eq!(all.number(0x1000, Some((0x1000, 64)), false), Ok(0x1000));
    }

    #[test]
    fn new_objects_have_no_other_ones_number() {
        let mut all = moved(&[(0x1000, 0x5000, 64)], true);
        let new = all.number(0x5008, Some((0x5000, 32)), false);
        assert_eq!(new, Ok(BEYOND.next_multiple_of(16) + 8));
        assert_eq!(all.number(0x5008, Some((0x5000, 32)), false), new);
        let next = all.number(0x5020, Some((0x5020, 32)), false);
        assert!(next.is_ok() && next != new);
    }

    #[test]
    fn what_lies_elsewhere_in_its_object_has_none() {
        let mut all = moved(&[(0x1000, 0x5000, 64)], false);
        assert_eq!(all.number(0x1000, None, true), Ok(0x5000));
        assert!(all.number(0x1010, None, false).is_err());
        all.other_width = true;
        assert!(all.number(0x1000, None, true).is_err());
        assert_eq!(all.number(0x1000, None, false), Ok(0x5000));
    }
}
