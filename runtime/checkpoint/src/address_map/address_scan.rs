//! Addresses in numbers.  A restart translates pointers; a number that is the address of an object stays as it is, and
//! would lead nowhere.  What the compiler does not see (pc3cc's W0302, W0304) shows in the values: a 64-bit number at
//! the start of a live object is hardly ever anything else.  So such a restart is refused, if the object has moved.
//!
//! Only 64-bit sources, and only objects above 4 GiB (heap, stacks): what lies below has addresses like everyday
//! numbers (of 32-bit ones, only what the program is known to put addresses in: `narrow`).  Characters and floating point count where whole words of them lead into an object, wherever: no text and no everyday
//! value looks like that.

use std::collections::HashMap;
use std::rc::Rc;

use pc3_typemetric::abi::Endian;
use pc3_typemetric::types::{Kind, Type, TypeId, TypeTable};

use crate::address_map::Directory;
use pc3_state::pieces::scalar;

/// Numbers below are too likely.
const LOWEST: u64 = 1 << 32;
/// On 32 bits.
const LOWEST_NARROW: u64 = 1 << 28;
/// Tags in the low bits of an address.
pub const TAGS: u64 = 8;
/// Words looked at together.
const BLOCK: usize = 64;

/// The words of a type that may hold addresses without being pointers.
#[derive(Debug)]
enum Spot {
    Words {
        at: u64,
        count: u64,
        characters: bool,
    },
    Repeat {
        at: u64,
        count: u64,
        step: u64,
        of: Rc<[Spot]>,
    },
}

pub struct AddressScan<'a> {
    types: &'a TypeTable,
    directory: &'a Directory,
    /// Bytes of an address.
    word: u64,
    low: u64,
    span: u64,
    /// Numbers count wherever in an object they lead, too.
    anywhere: bool,
    spots: HashMap<TypeId, Rc<[Spot]>>,
}

impl<'a> AddressScan<'a> {
    /// None if there is nothing to look for.
    pub fn new(types: &'a TypeTable, directory: &'a Directory) -> Option<AddressScan<'a>> {
        (types.abi().pointer.size == 8).then(|| AddressScan::of(types, directory, LOWEST))?
    }

    /// The same on 32 bits.
    pub fn narrow(types: &'a TypeTable, directory: &'a Directory) -> Option<AddressScan<'a>> {
        (types.abi().pointer.size == 4).then(|| AddressScan::of(types, directory, LOWEST_NARROW))?
    }

    fn of(types: &'a TypeTable, directory: &'a Directory, lowest: u64) -> Option<AddressScan<'a>> {
        let (low, high) = directory.moved(lowest)?;
        Some(AddressScan {
            types,
            directory,
            word: types.abi().pointer.size.into(),
            low,
            span: high - low + TAGS,
            anywhere: false,
            spots: HashMap::new(),
        })
    }

    /// Of a program that hands out memory in pieces, which it may take from arrays of numbers.
    pub fn anywhere(mut self, yes: bool) -> Self {
        self.anywhere = yes;
        self
    }

    /// Where in an object (one `ty` after the other) an address is, as the path of a member.
    pub fn find(&mut self, ty: TypeId, bytes: &[u8]) -> Option<String> {
        let mut found = Vec::new();
        self.look(ty, bytes, false, &mut found);
        let at = *found.first()?;
        if self.tail(ty, bytes).is_some_and(|tail| at >= tail) {
            return Some(format!("byte {at}"));
        }
        let size = self.types.size(ty).max(1);
        let index = at / size;
        let element = if index > 0 {
            format!("[{index}]")
        } else {
            String::new()
        };
        Some(element + &path(self.types, ty, at % size))
    }

    /// Where all of them are.
    pub fn all(&mut self, ty: TypeId, bytes: &[u8]) -> Vec<u64> {
        let mut found = Vec::new();
        self.look(ty, bytes, true, &mut found);
        found
    }

    fn look(&mut self, ty: TypeId, bytes: &[u8], all: bool, found: &mut Vec<u64>) {
        if let Some(at) = self.tail(ty, bytes) {
            let tail = Spot::Words {
                at: 0,
                count: (bytes.len() as u64).saturating_sub(at) / self.word,
                characters: true,
            };
            self.scan(&tail, at, bytes, all, found);
            if !all && !found.is_empty() {
                return;
            }
        }
        let size = self.types.size(ty);
        let of = self.spots(ty);
        if size > 0 && !of.is_empty() {
            let whole = self.repeat(0, bytes.len() as u64 / size, size, of);
            self.scan(&whole, 0, bytes, all, found);
        }
    }

    /// Where the characters begin of objects that are some, or end in them, however many.
    fn tail(&self, ty: TypeId, bytes: &[u8]) -> Option<u64> {
        let t = self.types.get(ty);
        match (t.kind, t.members.last()) {
            (Kind::Char, _) => Some(0),
            (Kind::Struct, Some(last)) if bytes.len() as u64 > t.size => {
                let array = self.types.get(last.ty);
                let open = array.kind == Kind::Array && array.count <= 1;
                let of = self.types.get(array.elem).kind;
                (open && of == Kind::Char).then_some(last.offset)
            }
            _ => None,
        }
    }

    fn spots(&mut self, ty: TypeId) -> Rc<[Spot]> {
        if let Some(known) = self.spots.get(&ty) {
            return known.clone();
        }
        let mut list = Vec::new();
        let t = self.types.get(ty);
        match t.kind {
            Kind::SInt | Kind::UInt | Kind::Float if self.has_words(t) => list.push(Spot::Words {
                at: 0,
                count: t.size / self.word,
                characters: t.kind == Kind::Float,
            }),
            Kind::Array if t.count > 0 => {
                let elem = self.types.get(t.elem);
                match elem.kind {
                    Kind::SInt | Kind::UInt | Kind::Char | Kind::Float
                        if elem.size == 1 || self.has_words(elem) =>
                    {
                        let count = t.count * elem.size / self.word;
                        if count > 0 {
                            list.push(Spot::Words {
                                at: 0,
                                count,
                                characters: elem.size == 1 || elem.kind == Kind::Float,
                            });
                        }
                    }
                    _ => {
                        let of = self.spots(t.elem);
                        if !of.is_empty() {
                            list.push(self.repeat(0, t.count, elem.size, of));
                        }
                    }
                }
            }
            // What a call of setjmp has left in a function that reaches no location, which has returned.
            Kind::Struct if is_jump_buffer(t) => {}
            // Words of these are translated, whatever they are.
            Kind::Union if refers(self.types, ty) => {}
            Kind::Struct | Kind::Union => {
                for m in t.members.iter().filter(|m| m.bits.is_none()) {
                    let of = self.spots(m.ty);
                    if !of.is_empty() {
                        list.push(self.repeat(m.offset, 1, self.types.size(m.ty), of));
                    }
                }
            }
            _ => {}
        }
        let list: Rc<[Spot]> = list.into();
        self.spots.insert(ty, list.clone());
        list
    }

    /// Is it as wide as an address? On 32 bits an address may be half of a number of floating point.
    fn has_words(&self, t: &Type) -> bool {
        t.size == self.word || (t.kind == Kind::Float && t.size == 8)
    }

    /// `count` times the same; words beside words are one row of words.
    fn repeat(&self, at: u64, count: u64, step: u64, of: Rc<[Spot]>) -> Spot {
        match *of {
            [Spot::Words {
                at: 0,
                count: words,
                characters,
            }] if words * self.word == step => Spot::Words {
                at,
                count: count * words,
                characters,
            },
            _ => Spot::Repeat {
                at,
                count,
                step,
                of,
            },
        }
    }

    /// The offset of the first address, or of all.
    fn scan(&self, spot: &Spot, base: u64, bytes: &[u8], all: bool, found: &mut Vec<u64>) {
        match spot {
            Spot::Repeat {
                at,
                count,
                step,
                of,
            } => {
                for i in 0..*count {
                    for s in of.iter() {
                        self.scan(s, base + at + i * step, bytes, all, found);
                        if !all && !found.is_empty() {
                            return;
                        }
                    }
                }
            }
            Spot::Words {
                at,
                count,
                characters,
            } => {
                let start = (base + at) as usize;
                // Characters are looked at where a pointer could have been stored.
                let start = if *characters {
                    start.next_multiple_of(self.word as usize)
                } else {
                    start
                };
                let end = (base + at + count * self.word).min(bytes.len() as u64) as usize;
                let Some(words) = bytes.get(start..end) else {
                    return;
                };
                let mut add = |i: usize| {
                    found.push((start + i) as u64);
                    all
                };
                match (self.word, self.types.abi().endian) {
                    (8, Endian::Little) => {
                        self.words(words, *characters, u64::from_le_bytes, &mut add)
                    }
                    (8, Endian::Big) => {
                        self.words(words, *characters, u64::from_be_bytes, &mut add)
                    }
                    (_, Endian::Little) => self.words(
                        words,
                        *characters,
                        |w| u32::from_le_bytes(w).into(),
                        &mut add,
                    ),
                    (_, Endian::Big) => self.words(
                        words,
                        *characters,
                        |w| u32::from_be_bytes(w).into(),
                        &mut add,
                    ),
                }
            }
        }
    }

    /// `found` says whether to go on.
    fn words<const W: usize>(
        &self,
        bytes: &[u8],
        exact: bool,
        number: impl Fn([u8; W]) -> u64,
        found: &mut dyn FnMut(usize) -> bool,
    ) {
        let number = |word: &[u8]| word.try_into().map_or(0, &number);
        let near = |v: u64| v.wrapping_sub(self.low) < self.span;
        for (i, block) in bytes.chunks(BLOCK * W).enumerate() {
            let words = || block.chunks_exact(W);
            // Without a branch per word, so that it goes at the speed of memory.
            if !words().fold(false, |any, w| any | near(number(w))) {
                continue;
            }
            let tags = match exact || self.anywhere {
                true if W == 8 => u64::MAX,
                _ => TAGS,
            };
            for (k, v) in words().map(number).enumerate() {
                let is = near(v) && self.directory.leads_away(v, tags);
                if is && !found(i * BLOCK * W + k * W) {
                    return;
                }
            }
        }
    }
}

/// As pc3cc describes a `jmp_buf`.
fn is_jump_buffer(t: &Type) -> bool {
    t.name.contains("jmp_buf")
        && t.members
            .iter()
            .map(|m| &*m.name)
            .eq(["number", "mark", "mask"])
}

fn refers(types: &TypeTable, ty: TypeId) -> bool {
    let t = types.get(ty);
    match t.kind {
        Kind::Array => refers(types, t.elem),
        Kind::Struct | Kind::Union => t.members.iter().any(|m| refers(types, m.ty)),
        kind => kind.is_reference(),
    }
}

/// What these bytes are as a number.
pub fn number(endian: Endian, bytes: &[u8]) -> u64 {
    let join = |n: u64, b: &u8| n << 8 | u64::from(*b);
    match endian {
        Endian::Big => bytes.iter().fold(0, join),
        Endian::Little => bytes.iter().rev().fold(0, join),
    }
}

/// Where in an object (one `ty` after the other) the pointer `raw` is, as the path of a member.
pub fn holds(types: &TypeTable, ty: TypeId, bytes: &[u8], raw: u64) -> Option<String> {
    let (width, endian) = (usize::from(types.abi().pointer.size), types.abi().endian);
    let size = usize::try_from(types.size(ty)).ok().filter(|n| *n > 0)?;
    let words = bytes.chunks_exact(width).enumerate();
    let same = words.filter(|(_, w)| number(endian, w) == raw);
    let mut same = same.map(|(i, _)| i * width).peekable();
    let first = *same.peek()?;
    // A number beside it may be the same.
    let refers = |at: &usize| {
        let of = scalar(types, ty, (at % size) as u64);
        of.is_some_and(|t| types.get(t).kind.is_reference())
    };
    let at = same.find(refers).unwrap_or(first);
    let element = match at / size {
        0 if bytes.len() < 2 * size => String::new(),
        index => format!("[{index}]"),
    };
    Some(element + &path(types, ty, (at % size) as u64))
}

/// The member at an offset: `.key`, `.list[3]`.
fn path(types: &TypeTable, ty: TypeId, offset: u64) -> String {
    let t = types.get(ty);
    match t.kind {
        Kind::Array => {
            let size = types.size(t.elem).max(1);
            format!("[{}]", offset / size) + &path(types, t.elem, offset % size)
        }
        Kind::Struct | Kind::Union => {
            let mut members = t.members.iter().filter(|m| m.bits.is_none());
            let inside = |o: u64, ty| (o..o + types.size(ty)).contains(&offset);
            match members.find(|m| inside(m.offset, m.ty)) {
                Some(m) if m.name.is_empty() => path(types, m.ty, offset - m.offset),
                Some(m) => format!(".{}", m.name) + &path(types, m.ty, offset - m.offset),
                None => String::new(),
            }
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pc3_process::shared_objects::Shared;
    use pc3_typemetric::abi::Abi;
    use pc3_typemetric::plan::Plan;
    use pc3_typemetric::types::{Member, Type};
    use std::sync::Arc;

    const OBJECT: u64 = 0x7f00_1234_5600;

    /// Does `values`, at the place of `kind`s in a struct behind an int, refuse an object that is at `here` now?
    fn found(elem: (Kind, u64), values: &[u64], here: u64) -> Option<String> {
        with(elem, values, here, |h, ty, bytes| h.find(ty, bytes)).flatten()
    }

    fn every(elem: (Kind, u64), values: &[u64], here: u64) -> Vec<u64> {
        with(elem, values, here, |h, ty, bytes| h.all(ty, bytes)).unwrap_or_default()
    }

    fn with<R>(
        elem: (Kind, u64),
        values: &[u64],
        here: u64,
        ask: impl FnOnce(&mut AddressScan, TypeId, &[u8]) -> R,
    ) -> Option<R> {
        let mut types = TypeTable::new(Abi::host());
        let mut add = |t: Type| types.add(t).expect("a type");
        let int = add(Type::scalar(Kind::SInt, "int", 4, 4, 0));
        let e = add(Type::scalar(elem.0, "elem", elem.1, elem.1 as u16, 0));
        let n = values.len() as u64 * 8 / elem.1;
        let list = add(Type::array(e, elem.1, elem.1 as u16, n));
        let member = |name: &str, ty, offset| Member {
            name: name.into(),
            ty,
            offset,
            bits: None,
            choice: Default::default(),
        };
        let mut s = Type::scalar(Kind::Struct, "s", 8 + 8 * values.len() as u64, 8, 0);
        s.members = vec![member("n", int, 0), member("list", list, 8)];
        s.count = 2;
        let s = add(s);
        let plan = Arc::new(Plan::compile(&types, s, &types, s).expect("a plan"));
        let mut d = Directory::new(false, Shared::default());
        d.object(OBJECT, 64, s, here as usize, plan);
        d.seal().expect("one object");
        let mut bytes = vec![0; 8];
        values.iter().for_each(|v| bytes.extend(v.to_ne_bytes()));
        Some(ask(&mut AddressScan::new(&types, &d)?, s, &bytes))
    }

    #[test]
    fn addresses_of_objects_that_moved() {
        let (long, text) = ((Kind::UInt, 8), (Kind::Char, 1));
        let mut many = vec![7; 300];
        many[257] = OBJECT;
        let there = Some(".list[257]".to_owned());
        assert_eq!(found(long, &many, OBJECT + 64), there);
        assert_eq!(found(long, &many, OBJECT), None);
        assert_eq!(every(long, &[OBJECT; 3], OBJECT + 64), [8, 16, 24]);
        let check = |elem, value, expected: Option<&str>| {
            assert_eq!(found(elem, &[1, value], 0x9000).as_deref(), expected);
        };
        check(long, OBJECT + 1, Some(".list[1]"));
        check(long, OBJECT + 8, None);
        check(long, OBJECT - 1, None);
        check(text, OBJECT, Some(".list[8]"));
        check(text, OBJECT + 1, Some(".list[8]"));
        check(text, OBJECT - 1, None);
        check((Kind::Float, 8), OBJECT + 8, Some(".list[1]"));
    }

    #[test]
    fn half_of_a_number_on_32_bits() {
        const OBJECT: u32 = 0x5678_1230;
        let mut abi = Abi::host();
        abi.pointer.size = 4;
        let mut types = TypeTable::new(abi);
        let double = types
            .add(Type::scalar(Kind::Float, "double", 8, 4, 0))
            .expect("a type");
        let plan = Arc::new(Plan::compile(&types, double, &types, double).expect("a plan"));
        let mut d = Directory::new(true, Shared::default());
        d.object(OBJECT.into(), 64, double, 0x9000, plan);
        d.seal().expect("one object");
        assert!(AddressScan::new(&types, &d).is_none());
        let mut narrow = AddressScan::narrow(&types, &d).expect("something has moved");
        let mut bytes = 1.5f64.to_ne_bytes().to_vec();
        assert_eq!(narrow.find(double, &bytes), None);
        bytes.extend(OBJECT.to_ne_bytes());
        bytes.extend([0; 4]);
        assert_eq!(narrow.all(double, &bytes), [8]);
    }
}
