//! Names of a unit's own that several of its parts share: made different from those of other units.
//!
//! Compiling a unit in parts ([`crate::driver`]'s `split`) makes static functions and clones of them (`f.isra.0`) visible
//! to the linker, hidden, under names that no C identifier has but that another unit's may have as well.

use super::elf::ElfError;
use super::symbols;

/// The object with `.tag` behind the names of hidden global symbols that have a dot in them.
pub(crate) fn distinguish(object: &[u8], tag: &str) -> Result<Vec<u8>, ElfError> {
    let renamed = symbols::rename(object, |s| {
        let shared = s.strong && s.hidden && s.defined && s.name.contains(&b'.');
        shared.then(|| [s.name, b".", tag.as_bytes()].concat())
    })?;
    Ok(renamed.unwrap_or_else(|| object.to_vec()))
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
