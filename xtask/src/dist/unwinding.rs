//! Where an object's unwinding information is relocated. The linker of GNU for RISC-V (2.40), if it leaves out functions that nothing
//! refers to, leaves this section as it is, but has its relocations where they would be without what belongs to those functions.

use anyhow::{ensure, Context, Result};
use object::{Object, ObjectSection};

const SECTION: &str = ".rela.eh_frame";
/// A relocation of 64 bits with an addend; its place comes first.
const ENTRY: usize = 24;
const PLACE: usize = 8;

/// The object `sparse` with these relocations where they are in `whole`, linked of the same without leaving out anything.
pub fn repaired(sparse: &[u8], whole: &[u8]) -> Result<Vec<u8>> {
    let [to, from] = [range(sparse)?, range(whole)?];
    ensure!(
        to.len() == from.len(),
        "{SECTION} has another number of entries"
    );
    let mut made = sparse.to_vec();
    let entries = made[to].chunks_exact_mut(ENTRY);
    for (entry, right) in entries.zip(whole[from].chunks_exact(ENTRY)) {
        entry[..PLACE].copy_from_slice(&right[..PLACE]);
    }
    Ok(made)
}

/// Where these relocations are in the file.
fn range(object: &[u8]) -> Result<std::ops::Range<usize>> {
    let file = object::File::parse(object)?;
    let section = file.section_by_name(SECTION).context(SECTION)?;
    let (start, size) = section.file_range().context(SECTION)?;
    let range = start as usize..(start + size) as usize;
    ensure!(object.get(range.clone()).is_some(), "{SECTION} is cut off");
    Ok(range)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::env;
    use std::process::Command;

    #[test]
    fn places_are_those_of_the_whole() {
        let cc = "riscv64-linux-gnu-gcc";
        if !env::has_program(cc) {
            println!("skipped: no {cc}");
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let source = "int kept(int n) { return n; } int gone(int n) { return n; } int last(int n) { return n; }";
        std::fs::write(at("a.c"), source).unwrap();
        let mut compile = Command::new(cc);
        compile.args(["-c", "-O1", "-ffunction-sections", "-funwind-tables"]);
        env::run(compile.arg(at("a.c")).arg("-o").arg(at("a.o"))).unwrap();
        let linked = |options: &[&str], name: &str| {
            let mut ld = Command::new("riscv64-linux-gnu-ld");
            ld.arg("-r")
                .args(options)
                .args(["-u", "kept", "-u", "last"]);
            env::run(ld.arg("-o").arg(at(name)).arg(at("a.o"))).unwrap();
            std::fs::read(at(name)).unwrap()
        };
        let [sparse, whole] = [
            linked(&["--gc-sections"], "sparse.o"),
            linked(&[], "whole.o"),
        ];
        let repaired = repaired(&sparse, &whole).unwrap();
        let places = |object: &[u8]| -> Vec<[u8; PLACE]> {
            let all = object[range(object).unwrap()].chunks_exact(ENTRY);
            all.map(|e| *e.first_chunk().unwrap()).collect()
        };
        assert_eq!(places(&repaired), places(&whole));
        let file = object::File::parse(&repaired[..]).unwrap();
        let kept = file.section_by_name(".text.gone");
        assert!(kept.is_none_or(|s| s.size() == 0));
    }
}
