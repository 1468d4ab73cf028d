//! Numbers that the program has made of addresses and hashed or kept, never to make addresses of them again
//! (pc3cc's `portability/lints/stable`): an object keeps the number that it had first, wherever a restart puts it. So tables
//! that are ordered by such numbers go on working.
//!
//! What has moved is known by where it is now. In an object whose parts lie elsewhere in it, those have their first numbers
//! that some pointer of the checkpoint led to. New objects have their own addresses, unless these are the number of
//! something that has moved.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicI32, Ordering};

use pc3_format::meta::FirstNumbersMeta;

/// Nonzero if some rank's objects have other numbers than their addresses.
#[no_mangle]
pub static pc3_has_moved: AtomicI32 = AtomicI32::new(0);

#[derive(Debug)]
struct FirstNumber {
    number: usize,
    size: usize,
    /// What is in it lies where it did when it had this address.
    alike: bool,
    /// Else: what pointers lead to in it, by where that is, in order; and its first numbers.
    inside: Vec<(usize, usize)>,
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

/// An object of a checkpoint.
#[derive(Clone, Copy)]
pub struct MovedObject {
    pub start: u64,
    pub size: u64,
    pub target: usize,
    /// Everything in it lies where it did in the checkpoint.
    pub alike: bool,
}

impl FirstNumbers {
    /// `each` names all objects, `pointers` has what pointers lead to within objects: where that was, and where it is now.
    /// `saved`: as the checkpoint has them, by its addresses; `other_width`: those were wider, or narrower.
    pub fn of(
        each: impl FnOnce(&mut dyn FnMut(MovedObject)),
        pointers: &BTreeMap<u64, usize>,
        saved: &FirstNumbersMeta,
        other_width: bool,
    ) -> FirstNumbers {
        let before: HashMap<u64, u64> = saved.list.iter().copied().collect();
        let elsewhere: HashMap<u64, u64> = saved.elsewhere.iter().copied().collect();
        let mut all = FirstNumbers {
            other_width: saved.other_width || other_width,
            ..FirstNumbers::default()
        };
        each(&mut |o| {
            let start = o.start;
            let was_alike = !elsewhere.contains_key(&start);
            let known = before.get(&start).or(elsewhere.get(&start));
            let number = known.copied().unwrap_or(start) as usize;
            let alike = o.alike && was_alike;
            if number == o.target && alike {
                return;
            }
            let numbered = |raw: u64| match was_alike {
                true => Some(number.wrapping_add((raw - start) as usize)),
                false => elsewhere.get(&raw).map(|n| *n as usize),
            };
            let parts = start + 1..start.saturating_add(o.size.max(1));
            let parts = pointers.range(parts).filter(|_| !alike);
            let mut inside: Vec<(usize, usize)> = parts
                .filter_map(|(raw, here)| Some((here.checked_sub(o.target)?, numbered(*raw)?)))
                .collect();
            inside.sort_unstable();
            inside.dedup();
            // What was at two places, and is at one, has no one number.
            let twice: Vec<usize> = inside
                .windows(2)
                .filter(|w| w[0].0 == w[1].0)
                .map(|w| w[0].0)
                .collect();
            inside.retain(|(at, _)| !twice.contains(at));
            let parts = inside.iter().map(|(_, n)| n.wrapping_sub(number) + 1);
            let size = parts.chain([o.size as usize]).max().unwrap_or(0);
            let own = FirstNumber {
                number,
                size,
                alike,
                inside,
            };
            all.put(o.target, own);
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
    pub fn saved(&self) -> FirstNumbersMeta {
        let mut saved = FirstNumbersMeta {
            other_width: self.other_width,
            ..FirstNumbersMeta::default()
        };
        for (at, o) in &self.own {
            let list = match o.alike {
                true => &mut saved.list,
                false => &mut saved.elsewhere,
            };
            list.push((*at as u64, o.number as u64));
            let parts = o.inside.iter();
            list.extend(parts.map(|(part, n)| ((at + part) as u64, *n as u64)));
        }
        saved
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
                part if o.alike => Ok(o.number.wrapping_add(part)),
                part => match o.inside.binary_search_by_key(&part, |p| p.0) {
                    Ok(i) => Ok(o.inside[i].1),
                    Err(_) => Err("what it leads to has moved within its object"),
                },
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
        let own = FirstNumber {
            number,
            size,
            alike: true,
            inside: Vec::new(),
        };
        self.put(base, own);
        Ok(number + (p - base))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each object has a part that a pointer led to: at the offset `was` in the checkpoint, now at `is`.
    fn moved(
        list: &[(usize, usize)],
        (was, is): (usize, usize),
        saved: &FirstNumbersMeta,
    ) -> FirstNumbers {
        let parts = list.iter();
        let parts = parts.map(|(at, from)| ((from + was) as u64, at + is));
        let each = |f: &mut dyn FnMut(MovedObject)| {
            for (target, start) in list.iter().copied() {
                f(MovedObject {
                    start: start as u64,
                    size: 64,
                    target,
                    alike: was == is,
                });
            }
        };
        FirstNumbers::of(each, &parts.collect(), saved, false)
    }

    fn at_first(list: &[(usize, usize)], part: (usize, usize)) -> FirstNumbers {
        moved(list, part, &FirstNumbersMeta::default())
    }

    #[test]
    fn objects_keep_their_numbers() {
        let mut all = at_first(&[(0x1000, 0x5000)], (8, 8));
        assert_eq!(all.number(0x1000, Some((0x1000, 64)), true), Ok(0x5000));
        assert_eq!(all.number(0x1010, None, false), Ok(0x5010));
        assert_eq!(all.number(0x2000, Some((0x2000, 8)), false), Ok(0x2000));
        assert_eq!(all.saved().list, [(0x1000, 0x5000)]);
        all.gone(0x1000);
        assert_eq!(all.number(0x1000, Some((0x1000, 64)), false), Ok(0x1000));
    }

    #[test]
    fn new_objects_have_no_other_ones_number() {
        let mut all = at_first(&[(0x1000, 0x5000)], (8, 8));
        let new = all.number(0x5008, Some((0x5000, 32)), false);
        assert_eq!(new, Ok(BEYOND.next_multiple_of(16) + 8));
        assert_eq!(all.number(0x5008, Some((0x5000, 32)), false), new);
        let next = all.number(0x5020, Some((0x5020, 32)), false);
        assert!(next.is_ok() && next != new);
    }

    #[test]
    fn what_pointers_lead_to_keeps_its_number() {
        let mut all = at_first(&[(0x1000, 0x5000)], (8, 4));
        assert_eq!(all.number(0x1000, None, true), Ok(0x5000));
        assert_eq!(all.number(0x1004, None, false), Ok(0x5008));
        assert!(all.number(0x1008, None, false).is_err());
        assert_eq!(all.saved().elsewhere, [(0x1000, 0x5000), (0x1004, 0x5008)]);
        all.other_width = true;
        assert!(all.number(0x1000, None, true).is_err());
        assert_eq!(all.number(0x1000, None, false), Ok(0x5000));
        // Once more: elsewhere, and back to where it had its first number.
        for here in [0x7000, 0x5000] {
            let mut next = moved(&[(here, 0x1000)], (4, 16), &all.saved());
            assert_eq!(next.number(here + 16, None, false), Ok(0x5008));
            assert!(next.number(here + 8, None, false).is_err());
        }
    }

    #[test]
    fn new_objects_beside_such_as_moved_have_all_their_numbers() {
        let mut all = at_first(&[(0x1000, 0x5000)], (8, 4));
        let new = all.number(0x5004, Some((0x5000, 64)), false);
        let new = new.expect("a number of its own");
        let saved = all.saved();
        let at = |target| MovedObject {
            start: 0x5000,
            size: 64,
            target,
            alike: false,
        };
        let pointers = BTreeMap::from([(0x5004, 0x9008)]);
        let mut all = FirstNumbers::of(|f| f(at(0x9000)), &pointers, &saved, false);
        assert_eq!(all.number(0x9008, None, false), Ok(new));
    }

    #[test]
    fn an_object_is_not_as_it_was_for_good() {
        let saved = at_first(&[(0x1000, 0x5000)], (8, 4)).saved();
        let mut all = moved(&[(0x7000, 0x1000)], (4, 4), &saved);
        assert_eq!(all.number(0x7004, None, false), Ok(0x5008));
        assert!(all.number(0x7008, None, false).is_err());
        // Nothing was known of this place in it.
        let mut other = moved(&[(0x7000, 0x1000)], (12, 12), &saved);
        assert!(other.number(0x700c, None, false).is_err());
    }

    #[test]
    fn two_places_that_become_one_have_no_number() {
        let at = |target, alike| MovedObject {
            start: 0x5000,
            size: 64,
            target,
            alike,
        };
        let pointers = BTreeMap::from([(0x5008, 0x1004), (0x500c, 0x1004), (0x5010, 0x1008)]);
        let saved = FirstNumbersMeta::default();
        let mut all = FirstNumbers::of(|f| f(at(0x1000, false)), &pointers, &saved, false);
        assert!(all.number(0x1004, None, false).is_err());
        assert_eq!(all.number(0x1008, None, false), Ok(0x5010));
    }
}
