//! What lies in blocks that the program hands out in pieces: notes by address, made where a piece is handed out
//! (`pc3cc`'s `analysis/heap/pieces`) and where something is stored in memory of no type.
//!
//! Notes count in memory of no type and in characters; other objects have types of their own. Blocks of no type begin as
//! zeros, so what a restart elsewhere finds in them outside of all notes, and is not zero, is something that nobody told of.

mod blocks;
pub(crate) mod known;

use std::ffi::c_void;

use pc3_typemetric::descriptor::{pc3_site, pc3_type, PC3_KIND_STRUCT, PC3_KIND_UNION};
use pc3_typemetric::types::{Kind, TypeId, TypeTable};

use crate::format::meta::ShadowMeta;
use crate::format::pieces::{Extent, PieceMeta};
use crate::rank::Rank;
pub(crate) use blocks::Note;
use blocks::{DEAD, LONE, OPEN};
pub(crate) use known::Pieces;
use known::{is_byte, may_hold};

/// Makes the place of an address that of the last note, if notes count there.
#[inline(always)]
fn find(rank: &mut Rank, at: usize) -> bool {
    rank.pieces.is_near(at) || seek(rank, at)
}

#[inline(never)]
fn seek(rank: &mut Rank, at: usize) -> bool {
    let (from, to) = rank.pieces.away;
    if at.wrapping_sub(from) < to - from {
        return false;
    }
    let Some((base, from, to)) = holder(rank, at) else {
        if let Some(o) = rank.heap.find(at) {
            let types = &rank.job().program.types;
            let base = o.base as usize;
            if !may_hold(types, TypeId(o.ty)) {
                rank.pieces.away = (base, base + o.size);
            }
        }
        return false;
    };
    rank.pieces.go_to(base, from, to);
    true
}

/// Where an address lies, if notes count there: the block's start, and from where to where it is no more than bytes.
fn holder(rank: &mut Rank, at: usize) -> Option<(usize, usize, usize)> {
    let types = &rank.job().program.types;
    if let Some(o) = rank.heap.find(at) {
        let base = o.base as usize;
        let (from, to) = bytes_around(types, TypeId(o.ty), o.size as u64, (at - base) as u64)?;
        return Some((base, base + from as usize, base + to as usize));
    }
    let stack = rank.shadow.start() as usize;
    if (stack..rank.abi.sp as usize).contains(&at) {
        // What lay behind the stack's end has gone with its functions.
        let top = rank.abi.sp as usize;
        rank.pieces.cut(stack, top);
        return Some((stack, at, top));
    }
    let template = at.wrapping_add_signed(rank.delta().wrapping_neg());
    let g = rank.job().program.variable_at(template)?;
    let inside = (template - g.addr) as u64;
    let (from, to) = bytes_around(types, g.ty, g.size as u64, inside).filter(|_| !g.constant)?;
    let base = at - inside as usize;
    Some((base, base + from as usize, base + to as usize))
}

/// The part of an object around an offset that is no more than bytes.
pub(crate) fn bytes_around(
    types: &TypeTable,
    ty: TypeId,
    size: u64,
    offset: u64,
) -> Option<(u64, u64)> {
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

/// For a checkpoint. Of the stack, notes count in what `main` has there, which is there all the time; elsewhere there may be
/// something else by now, of which nobody knows.
pub(crate) fn list(rank: &Rank, shadow: &[ShadowMeta]) -> Vec<PieceMeta> {
    let mut all = rank.pieces.list();
    let types = &rank.job().program.types;
    for p in all.iter_mut().filter(|p| p.extent == Extent::Elements) {
        let one = p.ty.map_or(1, |t| types.size(t)).max(1);
        // SAFETY: a block's memory, which is all there as long as there are notes of it.
        let room = unsafe { std::slice::from_raw_parts(p.addr as *const u8, p.room as usize) };
        let used = room.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1) as u64;
        p.bytes = (used.div_ceil(one).max(1) * one).min(p.room / one * one);
    }
    let stack = rank.shadow.start() as u64..rank.shadow.end() as u64;
    let program = &rank.job().program;
    all.retain_mut(|p| {
        if !stack.contains(&p.addr) {
            return true;
        }
        let k = shadow.partition_point(|s| s.addr <= p.addr);
        let Some(object) = k.checked_sub(1).map(|k| &shadow[k]) else {
            return false;
        };
        let offset = p.addr - object.addr;
        let held = bytes_around(&program.types, object.ty, object.data.bytes, offset);
        if held.is_none_or(|(_, to)| offset + p.room > to) {
            return false;
        }
        let outermost = rank.frames.list().len() as u64;
        let lasting = k == 1 && object.frame.is_some_and(|f| f + 1 == outermost);
        if !lasting {
            (p.ty, p.link, p.extent) = (Some(TypeId::UNKNOWN), None, Extent::One);
        }
        true
    });
    all
}

/// A site's type, and the size of its objects.
#[inline(always)]
fn type_of(site: *const pc3_site) -> (u32, usize) {
    described(site).map_or((0, 0), |t| (t.id, t.size))
}

/// A struct around nothing but one scalar is as good as that.
fn is_record(t: &pc3_type) -> bool {
    // SAFETY: a struct's members are as many as it counts.
    let only = (t.count == 1).then(|| unsafe { t.members.as_ref()?.ty.as_ref() });
    match only.flatten() {
        Some(of) if of.size == t.size && t.kind == PC3_KIND_STRUCT => is_record(of),
        _ => matches!(t.kind, PC3_KIND_STRUCT | PC3_KIND_UNION),
    }
}

#[inline(always)]
fn described<'a>(site: *const pc3_site) -> Option<&'a pc3_type> {
    // SAFETY: null or a site of the program, of a type of the program's or none.
    unsafe { site.as_ref().and_then(|s| s.ty.as_ref()) }
}

/// `room`: of which so many bytes are its own, if that is more.
#[inline(always)]
fn note(rank: &mut Rank, at: usize, bytes: usize, room: usize, ty: u32, link: u32) {
    rank.abi.told_bytes = 0;
    if !find(rank, at) {
        return;
    }
    // Of what nobody knows it is enough to know that it is there.
    let bytes = bytes.max(1);
    let (block, end) = rank.pieces.near();
    let bytes = bytes.min(end - at);
    let room = room.min(end - at).max(bytes);
    block.put(Note {
        at,
        bytes,
        room,
        ty,
        link,
    });
}

/// A block of no type begins with this.
pub(crate) fn head(rank: &mut Rank, at: usize, site: *const pc3_site) {
    // SAFETY: as above.
    let head = unsafe { site.as_ref().map_or(std::ptr::null_mut(), |s| s.head) };
    // SAFETY: as above.
    if let Some(t) = unsafe { head.cast_const().cast::<pc3_type>().as_ref() } {
        note(rank, at, t.size, 0, t.id, 0);
    }
}

/// # Safety
/// Called by generated code.
#[no_mangle]
pub unsafe extern "C" fn pc3_piece(
    p: *mut c_void,
    bytes: usize,
    room: usize,
    site: *const pc3_site,
) -> *mut c_void {
    // SAFETY: an entry point.
    if let (false, Some(rank)) = (p.is_null(), unsafe { Rank::current() }) {
        let (ty, one, open) = match described(site) {
            Some(t) => (t.id, t.size, !is_record(t)),
            None => (0, 0, false),
        };
        let (bytes, link) = match bytes {
            0 if open => (one, OPEN),
            0 => (one, LONE),
            bytes => (bytes, 0),
        };
        note(rank, p as usize, bytes, room, ty, link);
    }
    p
}

/// # Safety
/// Called by generated code.
#[no_mangle]
pub unsafe extern "C" fn pc3_stored_at(p: *mut c_void, site: *const pc3_site) -> *mut c_void {
    // SAFETY: an entry point.
    if let (false, Some(rank)) = (p.is_null(), unsafe { Rank::current() }) {
        stored(rank, p as usize, type_of(site), false);
    }
    p
}

/// # Safety
/// Called by generated code.
#[no_mangle]
pub unsafe extern "C" fn pc3_freed(p: *mut c_void, site: *const pc3_site) -> *mut c_void {
    // SAFETY: an entry point.
    if let (false, Some(rank)) = (p.is_null(), unsafe { Rank::current() }) {
        stored(rank, p as usize, type_of(site), true);
    }
    p
}

#[inline(always)]
fn stored(rank: &mut Rank, at: usize, ty: (u32, usize), freed: bool) {
    rank.abi.told_bytes = 0;
    if !find(rank, at) {
        let (from, to) = rank.pieces.away;
        if at.wrapping_sub(from) < to - from {
            tell(rank, from, from, to);
        }
        return;
    }
    let free = |n: &Note| n.ty == ty.0 && n.bytes == ty.1 || n.link == ty.0 && freed;
    let known = rank.pieces.at(at).is_some_and(|n| n.at == at && free(n));
    if known {
        return;
    }
    store(rank, at, ty, freed);
    let note = rank.pieces.at(at).copied();
    if let Some(n) = note.filter(|n| n.ty == 0 && at < n.at + n.bytes && !freed) {
        if let Some(base) = rank.heap.find(at).map(|o| o.base as usize) {
            tell(rank, base, n.at, n.at + n.bytes);
        }
    }
}

/// Stores there need not be told any more, as long as no other note is made and the block is there.
fn tell(rank: &mut Rank, base: usize, from: usize, to: usize) {
    rank.pieces.told = base;
    (rank.abi.told, rank.abi.told_bytes) = (from, to - from);
}

fn store(rank: &mut Rank, at: usize, (ty, size): (u32, usize), freed: bool) {
    let old = rank.pieces.at(at).copied();
    let types = &rank.job().program.types;
    let Some(mut old) = old.filter(|n| at < n.at + n.bytes) else {
        let pointer = types.get(TypeId(ty)).kind == Kind::Pointer;
        note(rank, at, size, 0, ty, LONE);
        if freed || pointer {
            let (block, end) = rank.pieces.near();
            block.strides(at, end);
        }
        return;
    };
    let was = TypeId(old.ty);
    if old.ty == DEAD {
        return note(rank, at, size, 0, ty, LONE);
    }
    let one = types.size(was).max(1);
    let inside = (at - old.at) as u64 % one;
    let alike = match rank.pieces.alike(was, inside, ty) {
        Some(known) => known,
        None => {
            let found = alike(types, was, inside, TypeId(ty), 0);
            rank.pieces.remember(was, inside, ty, found);
            found
        }
    };
    if was == TypeId::UNKNOWN && !freed || alike {
        return;
    }
    let types = &rank.job().program.types;
    let over = matches!(
        scalar(types, was, 0).map(|t| types.get(t).kind),
        Some(Kind::Char)
    );
    if freed && was == TypeId::UNKNOWN && at == old.at && size <= old.room {
        // A link over what nobody would keep one in: the item is free.
        (old.ty, old.bytes, old.link) = (ty, size, 0);
    } else if freed && at == old.at && size <= old.bytes && !over {
        old.link = ty;
    } else {
        // Something else lies there now, and what else there is, nobody knows.
        old.ty = 0;
    }
    if let Some(n) = rank.pieces.at(at) {
        *n = old;
    }
    if old.ty == 0 {
        rank.pieces.mixed();
    }
}

/// Does each scalar of `b` have a counterpart at its place in a `a`, from an offset on?
fn alike(types: &TypeTable, a: TypeId, offset: u64, b: TypeId, depth: u32) -> bool {
    let t = types.get(b);
    match t.kind {
        _ if depth > 8 => false,
        Kind::Struct => t
            .members
            .iter()
            .all(|m| m.bits.is_none() && alike(types, a, offset + m.offset, m.ty, depth + 1)),
        Kind::Array => {
            t.count <= 64
                && (0..t.count).all(|i| {
                    let at = offset + i * types.size(t.elem);
                    alike(types, a, at, t.elem, depth + 1)
                })
        }
        kind => scalar(types, a, offset).is_some_and(|s| {
            let s = types.get(s);
            let number =
                |k: Kind| k.is_integer() || matches!(k, Kind::Enum | Kind::Bool | Kind::Char);
            s.size == t.size
                && (s.kind == kind
                    || number(s.kind) && number(kind)
                    || s.kind.is_reference() && kind.is_reference())
        }),
    }
}

/// The scalar that begins at an offset.
pub(crate) fn scalar(types: &TypeTable, ty: TypeId, offset: u64) -> Option<TypeId> {
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
