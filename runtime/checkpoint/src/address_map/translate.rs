//! Answers the questions that come up while objects are converted: where does this pointer lead now?

use std::collections::{BTreeMap, HashMap};

use pc3_typemetric::plan::{Resolver, Unresolved};
use pc3_typemetric::types::{TypeId, TypeTable};

use crate::address_map::out_of_bounds::MovedNumber;
use crate::address_map::{Directory, Lost};
use pc3_format::unions::UnionMeta;
use pc3_process::lock_owners::{self, THREAD};
use pc3_process::shared_objects;
use pc3_state::program::registry::Wide;

/// Translates the references of one rank.  Pointers to what is no longer alive become null and are
/// counted: programs may keep them as long as they do not use them.  Small numbers stay what they are.
pub struct Translator<'a> {
    source: &'a TypeTable,
    directory: &'a Directory,
    /// Null: closed.
    streams: HashMap<u64, usize>,
    /// Numbers that the program keeps in pointers.
    marks: &'a [u64],
    /// It makes pointers of other numbers as well.
    numbers: bool,
    /// Constants that 32 bits changed.
    wide: &'a [Wide],
    /// Numbers of pointers outside of their objects, if these may be elsewhere now.
    beside: HashMap<u64, Vec<MovedNumber>>,
    /// Everything is where it was.
    still: bool,
    /// The program's ranks get their threads later.
    ranks: bool,
    /// Bytes that the program has allocated, in the checkpoint and here.
    allocated: Option<(u64, u64)>,
    /// What pointers lead to, if the program keeps addresses as numbers.
    followed: Option<BTreeMap<u64, Option<usize>>>,
    /// Members of unions that can be in use, by address and type.
    unions: HashMap<(u64, TypeId), u64>,
    /// Was every member stored with its tag?
    tags: bool,
    /// The object being converted: its address, and where in it is what is converted now.
    object: u64,
    part: u64,
    dangling: u64,
    seen: u64,
    /// The latest number of a lost pointer.
    lost_last: u64,
    first: Vec<String>,
    /// The first of them in this object that led into a library's own memory: its number among all, the address.
    outside: Option<(u64, u64)>,
    /// Likewise, a number that can be no address, and is too large for a pointer here.
    number: Option<(u64, u64)>,
}

const NAMED: usize = 3;

/// What the program itself may have made of an address lies so little in front of an object.
const NEAR: u64 = 1 << 20;

impl<'a> Translator<'a> {
    pub fn new(
        source: &'a TypeTable,
        directory: &'a Directory,
        streams: HashMap<u64, usize>,
        marks: &'a [u64],
    ) -> Translator<'a> {
        Translator {
            source,
            directory,
            streams,
            marks,
            numbers: false,
            wide: &[],
            beside: HashMap::new(),
            still: false,
            ranks: false,
            allocated: None,
            followed: None,
            unions: HashMap::new(),
            tags: true,
            object: 0,
            part: 0,
            dangling: 0,
            seen: 0,
            lost_last: 0,
            first: Vec::new(),
            outside: None,
            number: None,
        }
    }

    /// Pointers outside of their objects.
    pub(crate) fn with_out_of_bounds(
        mut self,
        beside: HashMap<u64, Vec<MovedNumber>>,
    ) -> Translator<'a> {
        self.beside = beside;
        self
    }

    /// Every object, on the same ABI, is where it was.
    pub fn still(mut self, still: bool) -> Translator<'a> {
        self.still = still;
        self
    }

    pub fn numbers(mut self, numbers: bool) -> Translator<'a> {
        self.numbers = numbers;
        self
    }

    pub fn wide(mut self, wide: &'a [Wide]) -> Translator<'a> {
        self.wide = wide;
        self
    }

    pub fn ranks(mut self, ranks: bool) -> Translator<'a> {
        self.ranks = ranks;
        self
    }

    pub(crate) fn allocated(mut self, bytes: Option<(u64, u64)>) -> Translator<'a> {
        self.allocated = bytes;
        self
    }

    pub(crate) fn follow(mut self, follow: bool) -> Translator<'a> {
        self.followed = follow.then(BTreeMap::new);
        self
    }

    /// Where what pointers led to was, and where it is; without what they took for different things.
    pub(crate) fn followed(&mut self) -> BTreeMap<u64, usize> {
        let all = self.followed.take().unwrap_or_default().into_iter();
        all.filter_map(|(raw, here)| Some((raw, here?))).collect()
    }

    pub fn unions(mut self, list: &[UnionMeta]) -> Translator<'a> {
        let noted = list.iter().map(|u| ((u.addr, u.ty), u.last | u.held));
        self.unions = noted.collect();
        self
    }

    pub fn tags(mut self, hold: bool) -> Translator<'a> {
        self.tags = hold;
        self
    }

    /// The object at this address is converted next; 0: it has none.
    pub fn object(&mut self, at: u64) {
        (self.object, self.part) = (at, 0);
    }

    /// Notes the name of the object just converted, if it lost a pointer; it is given the pointer.
    pub(crate) fn lost_in(&mut self, name: impl FnOnce(u64) -> String) {
        if self.dangling > self.seen {
            self.seen = self.dangling;
            if self.first.len() < NAMED {
                let name = name(self.lost_last);
                if !self.first.contains(&name) {
                    self.first.push(name);
                }
            }
        }
    }

    /// How many pointers to nothing alive have become null.
    pub(crate) fn lost_so_far(&self) -> u64 {
        self.dangling
    }

    pub fn ambiguous(&self) -> Option<String> {
        let n = self.directory.ambiguous();
        (n > 0).then(|| format!("{n} pointers may mean the end of one global or the start of the next; the start was taken"))
    }

    pub fn report(&self) -> Option<String> {
        if self.dangling == 0 {
            return None;
        }
        let s = if self.dangling == 1 { "" } else { "s" };
        Some(format!(
            "{} pointer{s} to nothing alive became null (in {})",
            self.dangling,
            self.first.join(", ")
        ))
    }

    /// The first pointer into a library's own memory that the object just converted has lost; and into which.
    pub(crate) fn lost_outside(&mut self) -> Option<(u64, &str)> {
        let (_, raw) = self.outside.take()?;
        Some((raw, in_words(self.directory.in_library(raw)?)))
    }

    /// The first number, of those in pointers of the object just converted, that no pointer can be here.
    pub(crate) fn lost_number(&mut self) -> Option<u64> {
        self.number.take().map(|(_, raw)| raw)
    }

    /// Bytes of unknown type, on the ABI they come from: words that are addresses of live objects are
    /// taken for pointers, if `none` does not say of a byte of them that it belongs to none (empty: it says nothing).
    /// The first one that leads into a shared object and to nothing here: where it is, and into which.
    pub fn untyped(&self, from: &[u8], into: &mut [u8], none: &[bool]) -> Option<(usize, &str)> {
        const WORD: usize = size_of::<usize>();
        let is_none = |at: usize| none.iter().skip(at).take(WORD).any(|n| *n);
        let mut lost = None;
        let words = from.chunks_exact(WORD).zip(into.chunks_exact_mut(WORD));
        for (i, (from, into)) in words.enumerate() {
            if is_none(i * WORD) {
                continue;
            }
            let mut word = [0; WORD];
            word.copy_from_slice(from);
            let word = usize::from_ne_bytes(word) as u64;
            let settled = || self.directory.settled(word).filter(|_| WORD == 8);
            if let Some(here) = self.live(word).or_else(settled) {
                into.copy_from_slice(&here.to_ne_bytes());
            } else if lost.is_none() && WORD == 8 {
                // What libraries have allocated, and the program, may lie at addresses like everyday numbers.
                let library = self.directory.in_library(word);
                lost = library
                    .filter(|l| ![shared_objects::ALLOCATED, shared_objects::PROGRAM].contains(l))
                    .map(|l| (i * WORD, l));
            }
        }
        if WORD == 8 {
            self.between(from, into, &is_none);
        }
        lost
    }

    /// The same of words that lie across two, neither of which is an address: not all architectures mind.
    fn between(&self, from: &[u8], into: &mut [u8], is_none: &dyn Fn(usize) -> bool) {
        const WORD: usize = 8;
        for at in (WORD / 2..from.len().saturating_sub(WORD - 1)).step_by(WORD) {
            let place = at..at + WORD;
            let (Some(word), Some(to)) = (from.get(place.clone()), into.get_mut(place.clone()))
            else {
                return;
            };
            let mut bytes = [0; WORD];
            bytes.copy_from_slice(word);
            // Above where small numbers are.
            let raw = u64::from_ne_bytes(bytes);
            if raw >> 32 == 0 || word != to || is_none(at) {
                continue;
            }
            if let Some(here) = self.live(raw) {
                to.copy_from_slice(&(here as u64).to_ne_bytes());
            }
        }
    }

    /// The address here, if `word` is one of something alive.  Shorter numbers than 64 bits are too likely to be within
    /// shared objects by chance.
    fn live(&self, word: u64) -> Option<usize> {
        let certain = usize::BITS == 64 || !self.directory.is_shared(word);
        let object = self.address(word).filter(|_| word != 0 && certain);
        let stream = || self.streams.get(&word).copied().filter(|here| *here != 0);
        object.or_else(stream)
    }

    /// Could the program have it in a pointer on purpose? Numbers in pointers to structs are such that the program names.
    pub(crate) fn may_lead(&self, raw: u64, to_struct: bool) -> bool {
        let bits = u32::from(self.source.abi().pointer.size) * 8;
        let named = || {
            let mut marks = self.marks.iter();
            marks.any(|m| m & (u64::MAX >> (64 - bits)) == raw)
        };
        self.address(raw).is_some()
            || self.streams.contains_key(&raw)
            || self.directory.is_shared(raw)
            || named()
            || mark(raw, bits).is_some() && (!to_struct || self.numbers)
    }

    /// A stream of the C library's; 0 if it is closed.
    pub fn stream(&self, raw: u64) -> Option<usize> {
        self.streams.get(&raw).copied()
    }

    pub fn address(&self, raw: u64) -> Option<usize> {
        let inside = self.directory.translate(self.source, raw, TypeId::UNKNOWN);
        inside.ok().or_else(|| match &self.beside.get(&raw)?[..] {
            [one] => one.here,
            _ => None,
        })
    }

    /// A number that is known to have been a pointer outside of its object, and may be one into another.
    fn outside(&self, raw: u64, pointee: TypeId) -> Option<Result<u64, Unresolved>> {
        let size = self.source.size(pointee);
        let list = self.beside.get(&raw)?.iter();
        let fit = |m: &&MovedNumber| size == 0 || m.elem == size;
        let moved: Vec<&MovedNumber> = list.filter(fit).collect();
        let first = moved.first()?;
        let refuse = |why: &str| {
            Err(Unresolved(format!(
                "was moved out of its object at {}, and {why}: keep the object's own address and count from there, or \
                 restart where the checkpoint was taken",
                first.place
            )))
        };
        let mut places: Vec<usize> = match self.directory.translate(self.source, raw, pointee) {
            Ok(inside) if self.directory.could_hold(self.source, raw, pointee) => vec![inside],
            Ok(_) => Vec::new(),
            Err(Lost::Ambiguous) => return Some(refuse("globals lie there that touch")),
            Err(_) => Vec::new(),
        };
        for m in &moved {
            match m.here {
                Some(here) if places.contains(&here) => {}
                Some(here) => places.push(here),
                None => return Some(refuse("cannot be as far from it here")),
            }
        }
        Some(match places[..] {
            [one] => Ok(one as u64),
            _ => refuse("leads to where another object lies, which it could belong to as well"),
        })
    }

    /// A `void *` of which only its owner knows what it is.
    pub fn any(&mut self, raw: u64) -> usize {
        match self.address(raw) {
            Some(here) => here,
            None => self.lost(raw) as usize,
        }
    }

    /// What `raw` becomes if no object is there.
    fn lost(&mut self, raw: u64) -> u64 {
        let bits = u32::from(self.source.abi().pointer.size) * 8;
        if let Some(known) = self
            .marks
            .iter()
            .find(|m| **m & (u64::MAX >> (64 - bits)) == raw)
        {
            return *known as usize as u64;
        }
        if let Some(mark) = mark(raw, bits) {
            return mark as isize as usize as u64;
        }
        let in_library = self.directory.in_library(raw).is_some();
        let in_front = || self.beside.contains_key(&raw) || self.directory.is_in_front(raw, NEAR);
        // Stale, or a number: it is for the program to know, as it was before.
        if self.still && (!in_library || in_front()) {
            return raw;
        }
        let fits = usize::try_from(raw).is_ok();
        if fits && self.directory.is_never(raw, bits) {
            return raw;
        }
        self.dangling += 1;
        if self.outside.is_none() && in_library {
            self.outside = Some((self.dangling, raw));
        }
        self.lost_last = raw;
        0
    }
}

fn in_words(library: &str) -> &str {
    match library {
        shared_objects::ALLOCATED => "memory that a library has allocated",
        shared_objects::PROGRAM => "a part of the program that pc3cc did not compile",
        name => name,
    }
}

/// Numbers kept in pointers as marks (`(void *)-1`, `MAP_FAILED`, `SIG_IGN`, `(void *)7`) lie where no object of any
/// program can: below what systems let anyone map, or in the last page.
fn mark(raw: u64, bits: u32) -> Option<i64> {
    let value = (raw << (64 - bits)) as i64 >> (64 - bits);
    (-4096..1 << 16).contains(&value).then_some(value)
}

impl Resolver for Translator<'_> {
    fn pointer(&mut self, raw: u64, pointee: TypeId) -> Result<u64, Unresolved> {
        if !self.still && !self.beside.is_empty() {
            if let Some(found) = self.outside(raw, pointee) {
                return found;
            }
        }
        match self.directory.translate(self.source, raw, pointee) {
            Ok(here) => {
                if let Some(followed) = &mut self.followed {
                    let found = followed.entry(raw).or_insert(Some(here));
                    *found = found.filter(|known| *known == here);
                }
                Ok(here as u64)
            }
            Err(Lost::Dangling) => match self.streams.get(&raw) {
                Some(stream) => Ok(*stream as u64),
                None => {
                    let before = self.dangling;
                    let here = self.lost(raw);
                    let bits = u32::from(self.source.abi().pointer.size) * 8;
                    let fits = usize::try_from(raw).is_ok();
                    // What memory is filled with that nobody has set is no number.
                    let filled = raw.to_ne_bytes().windows(2).all(|w| w[0] == w[1]);
                    let is_lost = self.dangling > before && self.number.is_none() && !filled;
                    if is_lost && !fits && self.directory.is_never(raw, bits) {
                        self.number = Some((self.dangling, raw));
                    }
                    Ok(here)
                }
            },
            // A stale pointer to memory that was given away again may look like this too, but nobody
            // can tell it from one that is in use.
            Err(Lost::Place(error)) => {
                Err(Unresolved(format!("pointer cannot be translated: {error}")))
            }
            Err(Lost::Bytes) => Err(Unresolved(format!(
                "points to '{}' in an object of characters: what it holds cannot be converted",
                self.source.describe(pointee)
            ))),
            Err(Lost::Ambiguous) => Err(Unresolved(
                "points to the end of one global or the start of the next, which do not touch here"
                    .to_owned(),
            )),
        }
    }

    fn function(&mut self, raw: u64) -> Result<u64, Unresolved> {
        match self.directory.translate(self.source, raw, TypeId::UNKNOWN) {
            Ok(here) => Ok(here as u64),
            Err(_) => Ok(self.lost(raw)),
        }
    }

    /// Handles are small numbers under every ABI: what is not was never one.
    fn handle(&mut self, raw: u64, ty: TypeId) -> Result<u64, Unresolved> {
        if self.source.get(ty).name == THREAD {
            return Ok(lock_owners::number(self.ranks).into());
        }
        match u32::try_from(raw) {
            Ok(_) => Ok(raw),
            Err(_) => Ok(self.lost(raw)),
        }
    }

    fn file(&mut self, raw: u64) -> Result<u64, Unresolved> {
        match self.streams.get(&raw) {
            Some(stream) => Ok(*stream as u64),
            None => Ok(self.lost(raw)),
        }
    }

    fn word(&mut self, raw: u64) -> u64 {
        self.live(raw).map_or(raw, |here| here as u64)
    }

    fn widened(&mut self, raw: u64, signed: bool) -> Option<String> {
        let is = |w: &&Wide| u64::from(w.low) == raw & u64::from(u32::MAX) && w.signed == signed;
        self.wide.iter().find(is).map(|w| w.what.clone())
    }

    fn widens(&self) -> bool {
        !self.wide.is_empty()
    }

    fn lost(&self) -> u64 {
        self.dangling
    }

    fn forget_lost(&mut self, before: u64) {
        self.dangling = before;
        self.outside = self.outside.filter(|(n, _)| *n <= before);
        self.number = self.number.filter(|(n, _)| *n <= before);
    }

    fn is_live(&mut self, raw: u64) -> bool {
        self.live(raw).is_some()
    }

    fn begins(&mut self, at: u64) {
        self.part = at;
    }

    fn place(&self, at: u64) -> Option<u64> {
        (self.object != 0).then(|| self.object + self.part + at)
    }

    fn tags_hold(&self) -> bool {
        self.tags
    }

    fn allocated(&self) -> Option<(u64, u64)> {
        self.allocated
    }

    fn in_use(&mut self, at: u64, union: TypeId) -> Option<u64> {
        if self.unions.is_empty() || self.object == 0 {
            return None;
        }
        let at = self.object + self.part + at;
        self.unions.get(&(at, union)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::mark;

    #[test]
    fn marks() {
        let check = |raw, bits, expected| assert_eq!(mark(raw, bits), expected, "{raw:#x}");
        check(1, 64, Some(1));
        check(u64::MAX, 64, Some(-1));
        check(0xffff_ffff, 32, Some(-1));
        check(0xffff_ffff, 64, None);
        check(4096, 32, Some(4096));
        check(65536, 32, None);
        check(0xffff_f000, 32, Some(-4096));
    }
}
