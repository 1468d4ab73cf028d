//! ELF objects as far as the driver needs them: the section that carries units, and global symbols.
//!
//! Adding the section leaves every byte of the object but its header where it is: the section, a longer table of
//! section names and a new section header table go to the end.  The section is `SHF_EXCLUDE`: the linker keeps it in
//! relocatable output, where the contents of several objects stand one after the other, and leaves it out of
//! executables and shared objects.

use object::{elf, Object, ObjectSection, ObjectSymbol};
use std::collections::BTreeSet;

pub(crate) const SECTION: &str = ".pc3.unit";

#[derive(Debug, thiserror::Error)]
pub enum ElfError {
    #[error("not an ELF object")]
    NotElf,
    #[error("a damaged ELF object: {0}")]
    Damaged(String),
}

/// Field widths and places of one ELF class.
pub(super) struct Class {
    pub(super) word: usize,
    big: bool,
    pub(super) shoff: usize,
    pub(super) shnum: usize,
    shstrndx: usize,
    pub(super) header: usize,
}

impl Class {
    pub(super) fn of(object: &[u8]) -> Result<Class, ElfError> {
        if object.len() < 64 || object[..4] != elf::ELFMAG {
            return Err(ElfError::NotElf);
        }
        let big = object[5] == elf::ELFDATA2MSB;
        match object[4] {
            elf::ELFCLASS32 => Ok(Class {
                word: 4,
                big,
                shoff: 0x20,
                shnum: 0x30,
                shstrndx: 0x32,
                header: 40,
            }),
            elf::ELFCLASS64 => Ok(Class {
                word: 8,
                big,
                shoff: 0x28,
                shnum: 0x3c,
                shstrndx: 0x3e,
                header: 64,
            }),
            _ => Err(ElfError::NotElf),
        }
    }

    pub(super) fn get(&self, data: &[u8], at: usize, len: usize) -> Result<u64, ElfError> {
        let bytes = at
            .checked_add(len)
            .and_then(|end| data.get(at..end))
            .ok_or_else(|| ElfError::Damaged("it ends early".into()))?;
        let step = |v: u64, b: &u8| v << 8 | u64::from(*b);
        Ok(match self.big {
            true => bytes.iter().fold(0, step),
            false => bytes.iter().rev().fold(0, step),
        })
    }

    pub(super) fn put(&self, data: &mut [u8], at: usize, len: usize, value: u64) {
        let bytes = value.to_be_bytes();
        data[at..at + len].copy_from_slice(&bytes[8 - len..]);
        if !self.big {
            data[at..at + len].reverse();
        }
    }

    // Fields of a section header, behind its name and type.
    pub(super) fn offset(&self) -> usize {
        8 + 2 * self.word
    }
    pub(super) fn size(&self) -> usize {
        8 + 3 * self.word
    }
    pub(super) fn link(&self) -> usize {
        8 + 4 * self.word
    }
    fn align(&self) -> usize {
        16 + 4 * self.word
    }
}

/// The object with `contents` in a section of its own.
pub fn carry(object: &[u8], contents: &[u8]) -> Result<Vec<u8>, ElfError> {
    let c = Class::of(object)?;
    let table = c.get(object, c.shoff, c.word)? as usize;
    let mut count = c.get(object, c.shnum, 2)?;
    let mut names = c.get(object, c.shstrndx, 2)?;
    // Large objects keep these two in the first section header.
    if count == 0 {
        count = c.get(object, table.saturating_add(c.size()), c.word)?;
    }
    if names == u64::from(elf::SHN_XINDEX) {
        names = c.get(object, table.saturating_add(c.link()), 4)?;
    }
    let damaged = || ElfError::Damaged("its section headers".into());
    let bytes = (count as usize).checked_mul(c.header).ok_or_else(damaged)?;
    let end = table.checked_add(bytes).ok_or_else(damaged)?;
    let mut headers = object.get(table..end).ok_or_else(damaged)?.to_vec();
    let names_at = (names as usize)
        .checked_mul(c.header)
        .filter(|at| at + c.header <= headers.len())
        .ok_or_else(damaged)?;
    let from = c.get(&headers, names_at + c.offset(), c.word)? as usize;
    let len = c.get(&headers, names_at + c.size(), c.word)? as usize;
    let strings = from
        .checked_add(len)
        .and_then(|to| object.get(from..to))
        .ok_or_else(damaged)?;

    // Compilers put the table last: then nothing stays behind.
    let mut out = match end == object.len() {
        true => object[..table].to_vec(),
        false => object.to_vec(),
    };
    let mut own = vec![0; c.header];
    c.put(&mut own, 0, 4, strings.len() as u64);
    c.put(&mut own, 4, 4, u64::from(elf::SHT_PROGBITS));
    c.put(&mut own, 8, c.word, u64::from(elf::SHF_EXCLUDE));
    c.put(&mut own, c.offset(), c.word, out.len() as u64);
    c.put(&mut own, c.size(), c.word, contents.len() as u64);
    c.put(&mut own, c.align(), c.word, 1);
    out.extend_from_slice(contents);
    c.put(
        &mut headers,
        names_at + c.offset(),
        c.word,
        out.len() as u64,
    );
    let longer = (strings.len() + SECTION.len() + 1) as u64;
    c.put(&mut headers, names_at + c.size(), c.word, longer);
    out.extend_from_slice(strings);
    out.extend_from_slice(SECTION.as_bytes());
    out.push(0);
    out.resize(out.len().next_multiple_of(8), 0);
    let at = out.len() as u64;
    headers.extend(own);
    if count + 1 < u64::from(elf::SHN_LORESERVE) {
        c.put(&mut out, c.shnum, 2, count + 1);
    } else {
        c.put(&mut out, c.shnum, 2, 0);
        c.put(&mut headers, c.size(), c.word, count + 1);
    }
    out.extend(headers);
    c.put(&mut out, c.shoff, c.word, at);
    Ok(out)
}

/// What [`carry`] put in, or several of it after one another.
pub fn carried(object: &[u8]) -> Option<&[u8]> {
    let file = object::File::parse(object).ok()?;
    let section = file.section_by_name(SECTION)?;
    section.data().ok()
}

/// An object for a linker to put into a program, and not a shared one?
pub(crate) fn is_relocatable(object: &[u8]) -> bool {
    let kind = Class::of(object).and_then(|c| c.get(object, 16, 2));
    kind.is_ok_and(|k| k == u64::from(elf::ET_REL))
}

/// Names that objects share.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct Symbols {
    pub defined: BTreeSet<String>,
    pub undefined: BTreeSet<String>,
    /// Those of the undefined that it can do without.
    pub weak: BTreeSet<String>,
}

pub fn symbols(object: &[u8]) -> Symbols {
    let mut s = Symbols::default();
    let Ok(file) = object::File::parse(object) else {
        return s;
    };
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        let Ok(name) = symbol.name() else { continue };
        if name.is_empty() {
            continue;
        }
        if symbol.is_undefined() {
            s.undefined.insert(name.to_string());
            if symbol.is_weak() {
                s.weak.insert(name.to_string());
            }
        } else if symbol.is_global() && !symbol.is_local() {
            s.defined.insert(name.to_string());
        }
    }
    s
}

/// Those of the names under which an object defines something of the size of a pointer.
pub fn pointers(object: &[u8], names: &[&str]) -> Vec<String> {
    let Ok(file) = object::File::parse(object) else {
        return Vec::new();
    };
    let size = if file.is_64() { 8 } else { 4 };
    let all = file
        .symbols()
        .filter(|s| s.is_global() && !s.is_undefined() && s.size() == size);
    let named = all.filter_map(|s| s.name().ok().map(str::to_owned));
    named.filter(|n| names.contains(&n.as_str())).collect()
}
