//! Symbols of an object under other names.

use super::elf::{Class, ElfError};
use object::elf;

/// A symbol that objects may share.
pub struct Symbol<'a> {
    pub name: &'a [u8],
    /// Not to be overruled by another definition.
    pub strong: bool,
    pub hidden: bool,
    pub defined: bool,
}

/// The object with the names that `new` has for its symbols; None if it has none.
pub fn rename(
    object: &[u8],
    new: impl Fn(Symbol) -> Option<Vec<u8>>,
) -> Result<Option<Vec<u8>>, ElfError> {
    let c = Class::of(object)?;
    let damaged = |what: &str| ElfError::Damaged(what.into());
    let table = c.get(object, c.shoff, c.word)? as usize;
    let header = |i: u64| table.saturating_add((i as usize).saturating_mul(c.header));
    let count = match c.get(object, c.shnum, 2)? {
        // Large objects keep it in the first section header.
        0 => c.get(object, table.saturating_add(c.size()), c.word)?,
        n => n,
    };
    let of_symbols =
        |i: &u64| c.get(object, header(*i) + 4, 4).ok() == Some(u64::from(elf::SHT_SYMTAB));
    let Some(symtab) = (0..count).find(of_symbols).map(header) else {
        return Ok(None);
    };
    let strtab = header(c.get(object, symtab + c.link(), 4)?);
    let place = |h: usize| -> Result<(usize, usize), ElfError> {
        let at = c.get(object, h + c.offset(), c.word)?;
        Ok((at as usize, c.get(object, h + c.size(), c.word)? as usize))
    };
    let part = |(at, len): (usize, usize)| object.get(at..at.checked_add(len)?);
    let names = part(place(strtab)?).ok_or_else(|| damaged("its names"))?;
    let (symbols_at, symbols_len) = place(symtab)?;
    part((symbols_at, symbols_len)).ok_or_else(|| damaged("its symbols"))?;
    // Where a symbol has its kind, its visibility and its section; its length.
    let (info, other, section, entry) = match c.word {
        4 => (12, 13, 14, 16),
        _ => (4, 5, 6, 24),
    };
    let mut out = object.to_vec();
    let mut longer = names.to_vec();
    for i in 0..symbols_len / entry {
        let at = symbols_at + i * entry;
        let binding = c.get(object, at + info, 1)? >> 4;
        if binding == u64::from(elf::STB_LOCAL) {
            continue;
        }
        let start = c.get(object, at, 4)? as usize;
        let name = names
            .get(start..)
            .and_then(|n| n.split(|b| *b == 0).next())
            .ok_or_else(|| damaged("a name"))?;
        let symbol = Symbol {
            name,
            strong: binding == u64::from(elf::STB_GLOBAL),
            hidden: c.get(object, at + other, 1)? & 3 == u64::from(elf::STV_HIDDEN),
            defined: c.get(object, at + section, 2)? != u64::from(elf::SHN_UNDEF),
        };
        if let Some(name) = new(symbol) {
            c.put(&mut out, at, 4, longer.len() as u64);
            longer.extend(name);
            longer.push(0);
        }
    }
    if longer.len() == names.len() {
        return Ok(None);
    }
    out.resize(out.len().next_multiple_of(8), 0);
    let to = out.len() as u64;
    c.put(&mut out, strtab + c.offset(), c.word, to);
    c.put(&mut out, strtab + c.size(), c.word, longer.len() as u64);
    out.extend(longer);
    Ok(Some(out))
}
