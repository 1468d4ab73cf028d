//! What lies in blocks that the program hands out in pieces: notes by address, made where a piece is handed out
//! (`pc3cc`'s `portability/heap/suballocation`) and where something is stored in memory of no type.
//!
//! Notes count in memory of no type and in characters; other objects have types of their own. Blocks of no type begin as
//! zeros, so what a restart elsewhere finds in them outside of all notes, and is not zero, is something that nobody told of.

pub mod blocks;
pub mod known;

use pc3_typemetric::types::{Kind, TypeId, TypeTable};

pub use blocks::Note;
use known::is_byte;
pub use known::Pieces;

/// The part of an object around an offset that is no more than bytes.
#[inline]
pub fn bytes_around(types: &TypeTable, ty: TypeId, size: u64, offset: u64) -> Option<(u64, u64)> {
    if offset >= size {
        return None;
    }
    let t = types.get(ty);
    match t.kind {
        _ if ty == TypeId::UNKNOWN || is_byte(types, ty) => Some((0, size)),
        Kind::Array => {
            let one = types.size(t.elem).max(1);
            if is_byte(types, t.elem) {
                return Some((0, size));
            }
            let start = offset - offset % one;
            let (from, to) = bytes_around(types, t.elem, one, offset - start)?;
            Some((start + from, start + to))
        }
        Kind::Struct => {
            let last = t.members.last()?;
            let grows = types.get(last.ty).kind == Kind::Array && types.get(last.ty).count <= 1;
            // One of several, or the last member may be longer than it says.
            if offset >= t.size && !(grows && size > t.size) {
                let start = offset - offset % t.size.max(1);
                let (from, to) = bytes_around(types, ty, t.size, offset - start)?;
                return Some((start + from, start + to));
            }
            let mut fields = t.members.iter().filter(|m| m.bits.is_none());
            let m = fields.rfind(|m| m.offset <= offset)?;
            let room = match std::ptr::eq(m, last) && grows {
                true => size - m.offset,
                false => types.size(m.ty),
            };
            let (from, to) = bytes_around(types, m.ty, room, offset - m.offset)?;
            Some((m.offset + from, m.offset + to))
        }
        _ => None,
    }
}

/// The scalar that begins at an offset.
#[inline]
pub fn scalar(types: &TypeTable, ty: TypeId, offset: u64) -> Option<TypeId> {
    let t = types.get(ty);
    match t.kind {
        _ if ty == TypeId::UNKNOWN => None,
        Kind::Array => {
            let one = types.size(t.elem);
            (one > 0).then(|| scalar(types, t.elem, offset % one))?
        }
        Kind::Struct => {
            let mut fields = t.members.iter().filter(|m| m.bits.is_none());
            let m = fields.find(|m| (m.offset..m.offset + types.size(m.ty)).contains(&offset))?;
            scalar(types, m.ty, offset - m.offset)
        }
        Kind::Union => None,
        _ => (offset == 0).then_some(ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pc3_typemetric::abi::Abi;
    use pc3_typemetric::types::{Member, Type};

    #[test]
    fn where_bytes_are() {
        let mut types = TypeTable::new(Abi::host());
        let scalar = |types: &mut TypeTable, kind, size: u64, name: &str| {
            let ty = Type::scalar(kind, name, size, size as u16, 0);
            types.add(ty).expect("a scalar")
        };
        let (char, int) = (
            scalar(&mut types, Kind::Char, 1, "char"),
            scalar(&mut types, Kind::SInt, 4, "int"),
        );
        let array = |types: &mut TypeTable, elem, count: u64| {
            let mut ty = Type::scalar(Kind::Array, "", types.size(elem) * count, 1, 0);
            (ty.elem, ty.count, ty.align) = (elem, count, types.get(elem).align);
            types.add(ty).expect("an array")
        };
        let member = |name: &str, ty, offset| Member {
            name: name.into(),
            ty,
            offset,
            bits: None,
            choice: pc3_typemetric::types::Chosen::default(),
        };
        let record = |types: &mut TypeTable, name: &str, size, members: Vec<Member>| {
            let mut ty = Type::scalar(Kind::Struct, name, size, 4, 0);
            (ty.count, ty.members) = (members.len() as u64, members);
            types.add(ty).expect("a struct")
        };
        let (open, twelve) = (array(&mut types, char, 0), array(&mut types, char, 12));
        let list = vec![member("n", int, 0), member("rest", open, 4)];
        let longer = record(&mut types, "longer", 4, list);
        let list = vec![member("n", int, 0), member("name", twelve, 4)];
        let named = record(&mut types, "named", 16, list);
        let check = |ty, size, offset, expected| {
            let found = bytes_around(&types, ty, size, offset);
            assert_eq!(
                found,
                expected,
                "{} of {size} bytes at {offset}",
                types.get(ty).name
            );
        };
        check(TypeId::UNKNOWN, 100, 7, Some((0, 100)));
        check(TypeId::UNKNOWN, 100, 100, None);
        check(char, 100, 99, Some((0, 100)));
        check(int, 100, 0, None);
        check(longer, 64, 0, None);
        check(longer, 64, 4, Some((4, 64)));
        check(longer, 64, 63, Some((4, 64)));
        check(named, 16, 5, Some((4, 16)));
        // The second of two.
        check(named, 32, 16, None);
        check(named, 32, 24, Some((20, 32)));
    }
}
