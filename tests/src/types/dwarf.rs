//! Layouts from DWARF, which the compiler writes.

use anyhow::{Context, Result};
use gimli::{AttributeValue, EndianSlice, RunTimeEndian, UnitOffset};
use object::{Object, ObjectSection};

use super::layout::{Layout, Leaf};

type Slice<'a> = EndianSlice<'a, RunTimeEndian>;
type Entry<'a> = gimli::DebuggingInformationEntry<Slice<'a>>;

/// The structs and unions that a linked file describes, by what C calls them.
pub fn layouts(file: &[u8]) -> Result<Vec<(String, Layout)>> {
    let object = object::File::parse(file)?;
    let endian = match object.is_little_endian() {
        true => RunTimeEndian::Little,
        false => RunTimeEndian::Big,
    };
    let section = |id: gimli::SectionId| -> Result<Slice> {
        let found = object.section_by_name(id.name());
        let data = found.and_then(|s| s.data().ok()).unwrap_or_default();
        Ok(EndianSlice::new(data, endian))
    };
    let dwarf = gimli::Dwarf::load(section)?;
    let mut out = Vec::new();
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        let reader = Reader {
            dwarf: &dwarf,
            unit: &unit,
        };
        for (entry, _) in reader.children(None)? {
            let key = match entry.tag() {
                gimli::DW_TAG_structure_type => "struct",
                gimli::DW_TAG_union_type => "union",
                _ => continue,
            };
            let Some(name) = reader.name(&entry)? else {
                continue;
            };
            let size = number(&entry, gimli::DW_AT_byte_size).unwrap_or(0);
            let mut leaves = Vec::new();
            reader.record(entry.offset(), "", 0, &mut leaves)?;
            out.push((format!("{key} {name}"), Layout { size, leaves }.sorted()));
        }
    }
    Ok(out)
}

struct Reader<'u, 'a> {
    dwarf: &'u gimli::Dwarf<Slice<'a>>,
    unit: &'u gimli::Unit<Slice<'a>>,
}

fn number(entry: &Entry, what: gimli::DwAt) -> Option<u64> {
    entry.attr_value(what)?.udata_value()
}

impl<'a> Reader<'_, 'a> {
    /// Of an entry, or of the whole unit.
    fn children(&self, of: Option<UnitOffset>) -> Result<Vec<(Entry<'a>, UnitOffset)>> {
        let mut tree = self.unit.entries_tree(of)?;
        let mut list = tree.root()?.children();
        let mut out = Vec::new();
        while let Some(child) = list.next()? {
            let entry = child.entry().clone();
            let at = entry.offset();
            out.push((entry, at));
        }
        Ok(out)
    }

    fn name(&self, entry: &Entry<'a>) -> Result<Option<String>> {
        let Some(value) = entry.attr_value(gimli::DW_AT_name) else {
            return Ok(None);
        };
        let text = self.dwarf.attr_string(self.unit, value)?;
        Ok(Some(text.to_string_lossy().into_owned()))
    }

    /// The type of an entry, without typedefs and qualifiers.
    fn type_of(&self, entry: &Entry<'a>) -> Result<Option<Entry<'a>>> {
        let Some(AttributeValue::UnitRef(at)) = entry.attr_value(gimli::DW_AT_type) else {
            return Ok(None);
        };
        let found = self.unit.entry(at)?;
        match found.tag() {
            gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_atomic_type => self.type_of(&found),
            _ => Ok(Some(found)),
        }
    }

    fn record(&self, of: UnitOffset, path: &str, at: u64, out: &mut Vec<Leaf>) -> Result<()> {
        for (m, _) in self.children(Some(of))? {
            if m.tag() != gimli::DW_TAG_member {
                continue;
            }
            let path = match self.name(&m)? {
                Some(n) => format!("{path}.{n}"),
                None => path.to_owned(),
            };
            let ty = self.type_of(&m)?.context("a member without a type")?;
            let bytes = number(&m, gimli::DW_AT_data_member_location).unwrap_or(0);
            let at = at + 8 * bytes + number(&m, gimli::DW_AT_data_bit_offset).unwrap_or(0);
            match number(&m, gimli::DW_AT_bit_size) {
                Some(bits) => out.push(Leaf {
                    at,
                    bits,
                    path,
                    class: self.class(&ty)?,
                }),
                None => self.value(&ty, &path, at, out)?,
            }
        }
        Ok(())
    }

    fn value(&self, ty: &Entry<'a>, path: &str, at: u64, out: &mut Vec<Leaf>) -> Result<()> {
        match ty.tag() {
            gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type => {
                self.record(ty.offset(), path, at, out)?;
            }
            gimli::DW_TAG_array_type => {
                let mut counts = Vec::new();
                for (d, _) in self.children(Some(ty.offset()))? {
                    let upper = number(&d, gimli::DW_AT_upper_bound).map(|n| n.wrapping_add(1));
                    counts.push(number(&d, gimli::DW_AT_count).or(upper).unwrap_or(0));
                }
                let elem = self.type_of(ty)?.context("an array of nothing")?;
                self.elements(&elem, &counts, path, at, out)?;
            }
            _ => {
                let bits = 8 * self.size(ty)?;
                let (class, name) = (self.class(ty)?, self.name(ty)?.unwrap_or_default());
                let complex = class == 'i' || name.contains("omplex");
                let parts = if complex { 2 } else { 1 };
                for i in 0..parts {
                    let path = match parts {
                        1 => path.to_owned(),
                        _ => format!("{path}[{i}]"),
                    };
                    out.push(Leaf {
                        at: at + bits / parts * i,
                        bits: bits / parts,
                        path,
                        class,
                    });
                }
            }
        }
        Ok(())
    }

    fn elements(
        &self,
        elem: &Entry<'a>,
        counts: &[u64],
        path: &str,
        at: u64,
        out: &mut Vec<Leaf>,
    ) -> Result<()> {
        let Some((n, rest)) = counts.split_first() else {
            return self.value(elem, path, at, out);
        };
        if *n == 0 {
            out.push(Leaf {
                at,
                bits: 0,
                path: format!("{path}[]"),
                class: '-',
            });
        }
        let each: u64 = rest.iter().product::<u64>() * self.size(elem)?;
        for i in 0..*n {
            self.elements(elem, rest, &format!("{path}[{i}]"), at + 8 * each * i, out)?;
        }
        Ok(())
    }

    /// In bytes.
    fn size(&self, ty: &Entry<'a>) -> Result<u64> {
        if let Some(n) = number(ty, gimli::DW_AT_byte_size) {
            return Ok(n);
        }
        // clang leaves that out.
        if ty.tag() == gimli::DW_TAG_pointer_type {
            return Ok(self.unit.encoding().address_size.into());
        }
        let mut n = 1;
        for (d, _) in self.children(Some(ty.offset()))? {
            let upper = number(&d, gimli::DW_AT_upper_bound).map(|n| n.wrapping_add(1));
            n *= number(&d, gimli::DW_AT_count).or(upper).unwrap_or(0);
        }
        let elem = self.type_of(ty)?.context("an array of nothing")?;
        Ok(n * self.size(&elem)?)
    }

    fn class(&self, ty: &Entry<'a>) -> Result<char> {
        let name = self.name(ty)?.unwrap_or_default();
        let encoding = |of: &Entry| match of.attr_value(gimli::DW_AT_encoding) {
            Some(AttributeValue::Encoding(e)) => Some(e),
            _ => None,
        };
        // clang says it of an enumeration's own type only.
        let own = encoding(ty).or(self.type_of(ty)?.as_ref().and_then(encoding));
        let encoding = own.unwrap_or(gimli::DwAte(0));
        let plain = |other| if name == "char" { 'c' } else { other };
        Ok(match ty.tag() {
            gimli::DW_TAG_pointer_type => 'p',
            gimli::DW_TAG_enumeration_type => match encoding {
                gimli::DW_ATE_signed | gimli::DW_ATE_signed_char => 'n',
                _ => 'e',
            },
            _ => match encoding {
                gimli::DW_ATE_boolean => 'b',
                gimli::DW_ATE_signed => 's',
                gimli::DW_ATE_signed_char => plain('s'),
                gimli::DW_ATE_unsigned => 'u',
                gimli::DW_ATE_unsigned_char => plain('u'),
                gimli::DW_ATE_float | gimli::DW_ATE_complex_float => 'f',
                // Complex integers: most have no name.
                gimli::DW_ATE_lo_user => 'i',
                _ => '?',
            },
        })
    }
}
