//! Shared objects: where they lie, so that a pointer into one's code and constants leads to the same place of it after a
//! restart, when it lies elsewhere.  What one keeps in variables and allocates is not in a checkpoint.

use std::collections::{HashSet, VecDeque};
use std::ffi::CStr;
use std::path::Path;
use std::sync::Mutex;

use pc3_os::loader::{self, Kind, Segment};
use pc3_os::threads::lock;
use pc3_os::{allocator, memory};

use pc3_format::shared::{Part, Saved, SharedMeta};

/// In place of a name: what the C library has allocated.
pub const ALLOCATED: &str = "[heap]";

/// The program itself: what no object of its sources is, such as a library that is linked into it.
pub const PROGRAM: &str = "[program]";

/// What the program has given back to the C library: pointers to it are stale.
static GIVEN_BACK: Mutex<VecDeque<u64>> = Mutex::new(VecDeque::new());
/// Of these the last.
const REMEMBERED: usize = 4096;

/// The program gives back what a library has allocated.
pub fn give_back(address: usize) {
    let mut list = lock(&GIVEN_BACK);
    if list.len() == REMEMBERED {
        list.pop_front();
    }
    list.push_back(address as u64);
}

/// What it has given back, newest last.
pub fn given_back() -> Vec<u64> {
    lock(&GIVEN_BACK).iter().copied().collect()
}

/// Those of this process, the program among them, and what the C library has allocated.
pub fn here() -> Vec<SharedMeta> {
    let mut list: Vec<SharedMeta> = Vec::new();
    loader::objects(|name, base, segments| list.extend(one(name, base, segments)));
    list.extend(allocated());
    list
}

/// What grows behind the program's own data.
fn allocated() -> Option<SharedMeta> {
    let start = allocator::start_of_data()?;
    let end = allocator::end_of_data() as u64;
    // Some emulators say nothing of it.
    (0 < start && start < end).then(|| SharedMeta {
        name: ALLOCATED.into(),
        build: Vec::new(),
        base: 0,
        parts: vec![Part {
            start,
            end,
            constant: false,
        }],
    })
}

fn one(name: &CStr, base: usize, segments: &[Segment]) -> Option<SharedMeta> {
    let path = name.to_string_lossy();
    let name = Path::new(&*path).file_name().unwrap_or_default();
    let name = match name.to_string_lossy() {
        // The system's own page is there by no file.
        n if n.starts_with("linux-") => return None,
        n if n.is_empty() => PROGRAM.into(),
        n => n,
    };
    let page = memory::page_size();
    // Only whole pages of what becomes constant do.
    let whole = |s: &Segment| (s.start / page * page, s.end / page * page);
    let relocated = segments.iter().find(|s| s.kind == Kind::Relocated);
    let relocated = relocated.map(whole);
    let mut parts = Vec::new();
    let mut add = |start: usize, end: usize, constant| {
        if start < end {
            parts.push(Part {
                start: start as u64,
                end: end as u64,
                constant,
            });
        }
    };
    for s in segments {
        let Kind::Loaded { writable } = s.kind else {
            continue;
        };
        let (start, end) = (s.start, s.end);
        if !writable {
            add(start, end, true);
            continue;
        }
        let (from, to) = relocated.unwrap_or((start, start));
        let (from, to) = (from.clamp(start, end), to.clamp(start, end));
        add(start, from, false);
        add(from, to, true);
        let initialised = s.initialised.max(to);
        add(to, initialised, false);
        add(initialised, end, false);
    }
    let notes = segments.iter().filter(|s| s.kind == Kind::Note);
    let build = notes.into_iter().find_map(|s| {
        // SAFETY: a loaded part of the object.
        let bytes = unsafe { std::slice::from_raw_parts(s.start as *const u8, s.end - s.start) };
        build_id(bytes)
    });
    Some(SharedMeta {
        name: name.into_owned(),
        build: build.unwrap_or_default(),
        base: base as u64,
        parts,
    })
}

/// The linker's identification among notes.
fn build_id(mut notes: &[u8]) -> Option<Vec<u8>> {
    const NT_GNU_BUILD_ID: u32 = 3;
    loop {
        let number = |at: usize| {
            let word = notes.get(at..at + 4)?.try_into().ok()?;
            Some(u32::from_ne_bytes(word))
        };
        let (name, content, kind) = (number(0)? as usize, number(4)? as usize, number(8)?);
        let at = 12usize.checked_add(name.checked_next_multiple_of(4)?)?;
        let end = at.checked_add(content)?;
        let bytes = notes.get(at..end)?;
        if kind == NT_GNU_BUILD_ID && notes.get(12..12 + name) == Some(b"GNU\0") {
            return Some(bytes.to_vec());
        }
        notes = notes.get(end.next_multiple_of(4)..)?;
    }
}

/// Parts of saved shared objects: what their addresses are here.
#[derive(Debug, Default)]
pub struct Shared {
    /// Sorted.
    parts: Vec<LoadedRange>,
    given_back: HashSet<u64>,
    names: Vec<String>,
}

#[derive(Clone, Copy, Debug)]
struct LoadedRange {
    start: u64,
    end: u64,
    /// Added to an address.
    distance: Option<u64>,
    /// The same where it is the C library's initialised data.
    settled: Option<u64>,
    /// Index of the object's name.
    of: usize,
}

/// What an address in a shared object becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SharedAddress<'a> {
    Here(usize),
    /// It is in this object's variables, or the object is not the same here.
    Lost(&'a str),
}

impl Shared {
    /// `same`: this is the ABI that wrote the checkpoint.
    pub fn new(saved: &Saved, here: &[SharedMeta], same: bool) -> Shared {
        let mut shared = Shared {
            given_back: saved.given_back.iter().copied().collect(),
            ..Shared::default()
        };
        for s in &saved.objects {
            let is = |h: &&SharedMeta| h.name == s.name && h.build == s.build;
            let here = here.iter().find(is).filter(|h| same && !h.build.is_empty());
            let distance = here.map(|h| h.base.wrapping_sub(s.base));
            let of = shared.names.len();
            shared.names.push(s.name.clone());
            let settled = distance.filter(|_| is_c_library(&s.name));
            shared
                .parts
                .extend(s.parts.iter().enumerate().map(|(i, p)| LoadedRange {
                    start: p.start,
                    end: p.end,
                    distance: distance.filter(|_| p.constant),
                    settled: settled.filter(|_| is_initialised(&s.parts, i)),
                    of,
                }));
        }
        shared.parts.sort_by_key(|p| p.start);
        shared
    }

    /// Can nothing of its process ever have been there: in front of the program, and of a 64-bit one anywhere near it,
    /// or where no system has anything, as most floating-point numbers?
    pub fn is_never(&self, addr: u64, bits: u32) -> bool {
        const LOW: u64 = 1 << 32;
        const HIGH: u64 = 1 << 52;
        let program = self.names.iter().position(|n| n == PROGRAM);
        let own = self.parts.iter().filter(|p| Some(p.of) == program);
        let Some(start) = own.map(|p| p.start).min() else {
            return false;
        };
        let wide = bits == 64 && !(LOW..HIGH).contains(&addr) && self.find(addr).is_none();
        addr < start.min(LOW) || wide
    }

    fn part(&self, addr: u64) -> Option<&LoadedRange> {
        let after = self.parts.partition_point(|p| p.start <= addr);
        self.parts[..after].last().filter(|p| addr < p.end)
    }

    /// Where an address in the C library's initialised data leads here: to what it always has. It gives programs no others
    /// in there than those of variables with names, so in memory of unknown type such words are what its calls have left.
    pub fn settled(&self, addr: u64) -> Option<usize> {
        let distance = self.part(addr)?.settled?;
        Some(addr.wrapping_add(distance) as usize)
    }

    pub fn find(&self, addr: u64) -> Option<SharedAddress<'_>> {
        if self.given_back.contains(&addr) {
            return None;
        }
        let part = self.part(addr)?;
        Some(match part.distance {
            Some(distance) => SharedAddress::Here(addr.wrapping_add(distance) as usize),
            None => SharedAddress::Lost(&self.names[part.of]),
        })
    }
}

fn is_c_library(name: &str) -> bool {
    ["libc.so.", "ld-linux", "ld64."]
        .iter()
        .any(|n| name.starts_with(n))
}

/// Are there variables right behind these, which begin as zeros?
fn is_initialised(parts: &[Part], i: usize) -> bool {
    let next = parts.get(i + 1);
    !parts[i].constant && next.is_some_and(|n| !n.constant && n.start == parts[i].end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta(name: &str, build: &[u8], base: u64) -> SharedMeta {
        let part = |start, end, constant| Part {
            start: base + start,
            end: base + end,
            constant,
        };
        SharedMeta {
            name: name.into(),
            build: build.into(),
            base,
            parts: vec![part(0x1000, 0x2000, false), part(0, 0x1000, true)],
        }
    }

    #[test]
    fn constants_are_where_the_object_is() {
        let saved = Saved {
            objects: vec![
                meta("liba.so", b"1", 0x10000),
                meta("libb.so", b"2", 0x20000),
                meta("libc.so", b"", 0x30000),
            ],
            given_back: vec![0x31000],
        };
        let here = [
            meta("liba.so", b"1", 0x50000),
            meta("libb.so", b"3", 0x20000),
            meta("libc.so", b"", 0x30000),
        ];
        let check = |addr, same, expected| {
            assert_eq!(Shared::new(&saved, &here, same).find(addr), expected);
        };
        check(0x10004, true, Some(SharedAddress::Here(0x50004)));
        check(0x10004, false, Some(SharedAddress::Lost("liba.so")));
        check(0x11004, true, Some(SharedAddress::Lost("liba.so")));
        check(0x12000, true, None);
        check(0xffff, true, None);
        check(0x20004, true, Some(SharedAddress::Lost("libb.so")));
        check(0x30004, true, Some(SharedAddress::Lost("libc.so")));
        check(0x31000, true, None);
    }

    #[test]
    fn what_the_c_library_begins_with_is_where_it_is() {
        let of = |name: &str, base| {
            let mut meta = meta(name, b"1", base);
            meta.parts.insert(
                1,
                Part {
                    start: base + 0x2000,
                    end: base + 0x3000,
                    constant: false,
                },
            );
            meta
        };
        let saved = Saved {
            objects: vec![of("libc.so.6", 0x10000), of("liba.so", 0x20000)],
            given_back: Vec::new(),
        };
        let here = [of("libc.so.6", 0x50000), of("liba.so", 0x20000)];
        let shared = Shared::new(&saved, &here, true);
        assert_eq!(shared.settled(0x11008), Some(0x51008));
        assert_eq!(shared.settled(0x12008), None);
        assert_eq!(shared.settled(0x21008), None);
        assert_eq!(shared.find(0x11008), Some(SharedAddress::Lost("libc.so.6")));
        assert_eq!(Shared::new(&saved, &here, false).settled(0x11008), None);
    }

    #[test]
    fn this_process_has_a_c_library() {
        let list = here();
        let part = |addr: usize| {
            let parts = list
                .iter()
                .flat_map(|s| s.parts.iter().map(move |p| (s, p)));
            let mut parts = parts.filter(|(_, p)| (p.start..p.end).contains(&(addr as u64)));
            parts.next().map(|(s, p)| (s.build.is_empty(), p.constant))
        };
        if list
            .iter()
            .any(|s| s.name != ALLOCATED && s.name != PROGRAM)
        {
            let function = pc3_os::original::strnlen as *const () as usize;
            assert_eq!(part(function), Some((false, true)));
            assert_eq!(part((&raw const list) as usize), None);
        }
    }
}
