//! What an object refers to within itself, said by a section and an offset instead of by a symbol. The linker of GNU reads a symbol
//! from the file for each relocation to a local one, of which the runtime has 120,000: nine of ten reads of a link. Calls through the
//! global offset table, which Rust's compiler makes of all that it does not see, become direct ones (System V ABI of x86-64, B.2).

use std::collections::HashMap;

use anyhow::{bail, Context, Result};
use object::elf;
use object::read::elf::{ElfFile, FileHeader, Rel, Rela, SectionHeader, Sym};
use object::{Endian, Endianness, FileKind, SectionIndex};

/// The object `file` with such references.
pub fn by_section(file: &[u8]) -> Result<Vec<u8>> {
    let patches = match FileKind::parse(file)? {
        FileKind::Elf32 => Object::<elf::FileHeader32<Endianness>>::read(file)?.patches()?,
        FileKind::Elf64 => Object::<elf::FileHeader64<Endianness>>::read(file)?.patches()?,
        kind => bail!("an object is expected, not {kind:?}"),
    };
    let mut made = file.to_vec();
    for Patch { at, bytes } in patches {
        made.get_mut(at..at + bytes.len())
            .context("a relocation that is outside of its section")?
            .copy_from_slice(&bytes);
    }
    Ok(made)
}

/// Bytes that replace others, and where in the file.
#[derive(Debug, PartialEq)]
struct Patch {
    at: usize,
    bytes: Vec<u8>,
}

/// The symbol of a section, and an offset in it.
#[derive(Clone, Copy)]
struct Place {
    section: u32,
    offset: u64,
}

struct Object<'a, H: FileHeader> {
    file: &'a [u8],
    elf: ElfFile<'a, H>,
    /// By the number of a local symbol.
    own: HashMap<u32, Place>,
}

impl<'a, H: FileHeader<Endian = Endianness>> Object<'a, H> {
    fn read(file: &'a [u8]) -> Result<Self> {
        let elf = ElfFile::<H>::parse(file)?;
        let endian = elf.endian();
        let symbols = elf.elf_symbol_table();
        let of_sections: HashMap<u16, u32> = symbols
            .enumerate()
            .filter(|(_, s)| s.st_type() == elf::STT_SECTION)
            .map(|(i, s)| (s.st_shndx(endian), i.0 as u32))
            .collect();
        let own = symbols
            .enumerate()
            .filter(|(_, s)| s.st_bind() == elf::STB_LOCAL)
            .filter(|(_, s)| {
                matches!(
                    s.st_type(),
                    elf::STT_NOTYPE | elf::STT_OBJECT | elf::STT_FUNC
                )
            })
            .filter_map(|(i, s)| {
                let section = *of_sections.get(&s.st_shndx(endian))?;
                let offset = s.st_value(endian).into();
                Some((i.0 as u32, Place { section, offset }))
            })
            .collect();
        Ok(Object { file, elf, own })
    }

    fn patches(&self) -> Result<Vec<Patch>> {
        let endian = self.elf.endian();
        let mut patches = Vec::new();
        for section in self.elf.elf_section_table().iter() {
            let start: u64 = section.sh_offset(endian).into();
            if let Some((all, _)) = section.rela(endian, self.file)? {
                for (i, r) in all.iter().enumerate() {
                    let at = start as usize + i * size_of_val(r);
                    self.with_addend(r, at, section, &mut patches)?;
                }
            }
            if let Some((all, _)) = section.rel(endian, self.file)? {
                for (i, r) in all.iter().enumerate() {
                    let at = start as usize + i * size_of_val(r);
                    self.addend_in_place(r, at, section, &mut patches)?;
                }
            }
        }
        Ok(patches)
    }

    /// The section that a section of relocations is for: where it is in the file, and its contents.
    fn changed(&self, relocations: &H::SectionHeader) -> Result<(usize, &'a [u8])> {
        let endian = self.elf.endian();
        let index = SectionIndex(relocations.sh_info(endian) as usize);
        let section = self.elf.elf_section_table().section(index)?;
        let start: u64 = section.sh_offset(endian).into();
        Ok((start as usize, section.data(endian, self.file)?))
    }

    /// A relocation of 64 bits' form, `at` this place in the file.
    fn with_addend(
        &self,
        r: &H::Rela,
        at: usize,
        section: &H::SectionHeader,
        patches: &mut Vec<Patch>,
    ) -> Result<()> {
        let endian = self.elf.endian();
        let machine = self.elf.elf_header().e_machine(endian);
        let Some(own) = self.own.get(&r.r_sym(endian, false)) else {
            return Ok(());
        };
        let mut kind = r.r_type(endian, false);
        let mut place: u64 = r.r_offset(endian).into();
        if machine == elf::EM_X86_64 && kind == elf::R_X86_64_GOTPCREL {
            let (start, contents) = self.changed(section)?;
            let Some(direct) = direct(contents, place as usize) else {
                return Ok(());
            };
            kind = elf::R_X86_64_PC32;
            place = direct.displacement as u64;
            patches.push(Patch {
                at: start + direct.code.at,
                bytes: direct.code.bytes,
            });
        } else if !is_address(machine, kind) {
            return Ok(());
        }
        let addend: i64 = r.r_addend(endian).into();
        let words = [
            place,
            u64::from(own.section) << 32 | u64::from(kind),
            own.offset.wrapping_add_signed(addend),
        ];
        let bytes = words
            .into_iter()
            .flat_map(|w| endian.write_u64(w))
            .collect();
        patches.push(Patch { at, bytes });
        Ok(())
    }

    /// A relocation of 32 bits' form, whose addend is where the address goes.
    fn addend_in_place(
        &self,
        r: &H::Rel,
        at: usize,
        section: &H::SectionHeader,
        patches: &mut Vec<Patch>,
    ) -> Result<()> {
        let endian = self.elf.endian();
        let kind = r.r_type(endian);
        let machine = self.elf.elf_header().e_machine(endian);
        let Some(own) = self.own.get(&r.r_sym(endian)) else {
            return Ok(());
        };
        if !is_address(machine, kind) {
            return Ok(());
        }
        let (start, contents) = self.changed(section)?;
        let place: u64 = r.r_offset(endian).into();
        let place = place as usize;
        let addend = contents
            .get(place..)
            .and_then(|c| c.first_chunk())
            .context("a relocation that is outside of its section")?;
        let addend = endian.read_u32(*addend).wrapping_add(own.offset as u32);
        patches.push(Patch {
            at: start + place,
            bytes: endian.write_u32(addend).to_vec(),
        });
        // Behind the offset, which stays.
        patches.push(Patch {
            at: at + 4,
            bytes: endian.write_u32(own.section << 8 | kind).to_vec(),
        });
        Ok(())
    }
}

/// Does this kind of relocation take the symbol's address and the addend together, and nothing else of the symbol?
fn is_address(machine: u16, kind: u32) -> bool {
    match machine {
        elf::EM_X86_64 => matches!(
            kind,
            elf::R_X86_64_64 | elf::R_X86_64_PC32 | elf::R_X86_64_PLT32
        ),
        elf::EM_386 => matches!(
            kind,
            elf::R_386_32 | elf::R_386_PC32 | elf::R_386_PLT32 | elf::R_386_GOTOFF
        ),
        elf::EM_S390 => matches!(
            kind,
            elf::R_390_64 | elf::R_390_PC32 | elf::R_390_PC32DBL | elf::R_390_PLT32DBL
        ),
        elf::EM_AARCH64 => matches!(
            kind,
            elf::R_AARCH64_ABS64
                | elf::R_AARCH64_PREL32
                | elf::R_AARCH64_CALL26
                | elf::R_AARCH64_JUMP26
                | elf::R_AARCH64_ADR_PREL_PG_HI21
                | elf::R_AARCH64_ADD_ABS_LO12_NC
        ),
        _ => false,
    }
}

/// An instruction that no longer goes through the table.
#[derive(Debug, PartialEq)]
struct Direct {
    /// In the section's contents.
    code: Patch,
    /// Where its displacement is.
    displacement: usize,
}

/// The instruction whose displacement is at `place`, without the table: a call, a jump, or the load of an address, as which a
/// linker itself knows them. Any other stays as it is.
fn direct(contents: &[u8], place: usize) -> Option<Direct> {
    let before: [u8; 3] = *contents.get(place.checked_sub(3)?..place)?.first_chunk()?;
    let (at, bytes, displacement) = match before {
        // `call *f@GOTPCREL(%rip)`: `addr32 call f`.
        [_, 0xff, 0x15] => (place - 2, vec![0x67, 0xe8], place),
        // `jmp *f@GOTPCREL(%rip)`: `jmp f; nop`, and the displacement is a byte earlier.
        [_, 0xff, 0x25] => (place - 2, vec![0xe9, 0, 0, 0, 0, 0x90], place - 1),
        // `mov x@GOTPCREL(%rip), %reg`: `lea x(%rip), %reg`.
        [0x48 | 0x4c, 0x8b, modrm] if modrm & 0xc7 == 5 => (place - 2, vec![0x8d], place),
        _ => return None,
    };
    let code = Patch { at, bytes };
    Some(Direct { code, displacement })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_jumps_and_loads_go_without_the_table() {
        let made = |code: &[u8], place| {
            direct(code, place).map(|d| (d.code.at, d.code.bytes, d.displacement))
        };
        let call = [0x90, 0xff, 0x15, 0, 0, 0, 0];
        assert_eq!(made(&call, 3), Some((1, vec![0x67, 0xe8], 3)));
        let jump = [0x90, 0xff, 0x25, 0, 0, 0, 0];
        assert_eq!(made(&jump, 3), Some((1, vec![0xe9, 0, 0, 0, 0, 0x90], 2)));
        let load = [0x4c, 0x8b, 0x3d, 0, 0, 0, 0];
        assert_eq!(made(&load, 3), Some((1, vec![0x8d], 3)));
        let compared = [0x48, 0x3b, 0x05, 0, 0, 0, 0];
        assert_eq!(made(&compared, 3), None);
    }
}
