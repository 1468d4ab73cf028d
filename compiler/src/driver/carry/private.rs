//! Names of a unit's own that several of its parts share: made different from those of other units.
//!
//! Compiling a unit in parts ([`crate::driver`]'s `split`) makes static functions and clones of them (`f.isra.0`) visible
//! to the linker, hidden, under names that no C identifier has but that another unit's may have as well.

use super::elf::{Class, ElfError};
use object::elf;

/// The object with `.tag` behind the names of hidden global symbols that have a dot in them.
pub fn distinguish(object: &[u8], tag: &str) -> Result<Vec<u8>, ElfError> {
    let c = Class::of(object)?;
    let damaged = |what: &str| ElfError::Damaged(what.into());
    let table = c.get(object, c.shoff, c.word)? as usize;
    let count = c.get(object, c.shnum, 2)? as usize;
    let header = |i: usize| table + i * c.header;
    let symtab = (0..count)
        .find(|i| c.get(object, header(*i) + 4, 4).ok() == Some(u64::from(elf::SHT_SYMTAB)))
        .ok_or_else(|| damaged("no symbols"))?;
    let strtab = header(c.get(object, header(symtab) + c.link(), 4)? as usize);
    let place = |h: usize| -> Result<(usize, usize), ElfError> {
        let at = c.get(object, h + c.offset(), c.word)?;
        Ok((at as usize, c.get(object, h + c.size(), c.word)? as usize))
    };
    let (names_at, names_len) = place(strtab)?;
    let names = names_at
        .checked_add(names_len)
        .and_then(|end| object.get(names_at..end))
        .ok_or_else(|| damaged("its names"))?;
    let (symbols_at, symbols_len) = place(header(symtab))?;
    // Where a symbol has its kind, its visibility and its section; its length.
    let (info, other, section, entry) = match c.word {
        4 => (12, 13, 14, 16),
        _ => (4, 5, 6, 24),
    };
    let mut out = object.to_vec();
    let mut longer = names.to_vec();
    for at in (symbols_at..symbols_at + symbols_len).step_by(entry) {
        let global = c.get(object, at + info, 1)? >> 4 == u64::from(elf::STB_GLOBAL);
        let hidden = c.get(object, at + other, 1)? & 3 == u64::from(elf::STV_HIDDEN);
        let defined = c.get(object, at + section, 2)? != u64::from(elf::SHN_UNDEF);
        if !(global && hidden && defined) {
            continue;
        }
        let start = c.get(object, at, 4)? as usize;
        let name = names
            .get(start..)
            .and_then(|n| n.split(|b| *b == 0).next())
            .ok_or_else(|| damaged("a name"))?;
        if !name.contains(&b'.') {
            continue;
        }
        c.put(&mut out, at, 4, longer.len() as u64);
        longer.extend_from_slice(name);
        longer.push(b'.');
        longer.extend_from_slice(tag.as_bytes());
        longer.push(0);
    }
    out.resize(out.len().next_multiple_of(8), 0);
    let to = out.len() as u64;
    c.put(&mut out, strtab + c.offset(), c.word, to);
    c.put(&mut out, strtab + c.size(), c.word, longer.len() as u64);
    out.extend(longer);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use object::{Object, ObjectSymbol};
    use std::collections::BTreeSet;

    #[test]
    fn hidden_names_with_dots_change() {
        let dir = tempfile::tempdir().unwrap();
        let (source, path) = (dir.path().join("a.s"), dir.path().join("a.o"));
        let symbol = |name: &str, hidden: bool| {
            let hidden = if hidden { ".hidden" } else { ".globl" };
            format!("\t.globl\t\"{name}\"\n\t{hidden}\t\"{name}\"\n\"{name}\":\n\t.byte\t1\n")
        };
        let text = [("f.isra.0", true), ("f", true), ("g.of.user", false)]
            .map(|(name, hidden)| symbol(name, hidden))
            .concat();
        std::fs::write(&source, text + "h.local:\n\t.byte\t0\n").unwrap();
        let mut c = std::process::Command::new("cc");
        let made = c.arg("-c").arg(&source).arg("-o").arg(&path).status();
        assert!(made.unwrap().success());
        let with = super::distinguish(&std::fs::read(path).unwrap(), "3f").unwrap();
        let file = object::File::parse(&with[..]).unwrap();
        let names: BTreeSet<&str> = file.symbols().filter_map(|s| s.name().ok()).collect();
        let expect = ["f", "f.isra.0.3f", "g.of.user", "h.local"];
        assert_eq!(names.into_iter().collect::<Vec<_>>(), expect);
    }
}
