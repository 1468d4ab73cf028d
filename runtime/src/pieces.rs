//! What lies in blocks that the program hands out in pieces: notes by address, made where a piece is handed out
//! (`pc3cc`'s `analysis/heap/pieces`) and where something is stored in memory of no type.
//!
//! Notes count in memory of no type and in characters; other objects have types of their own. Blocks of no type begin as
//! zeros, so what a restart elsewhere finds in them outside of all notes, and is not zero, is something that nobody told of.

use std::collections::HashMap;
use std::ffi::c_void;

use pc3_typemetric::descriptor::{pc3_site, pc3_type};
use pc3_typemetric::types::{Kind, TypeId, TypeTable};

use crate::format::pieces::PieceMeta;
use crate::rank::Rank;

/// Of what was there, and is no more.
const DEAD: u32 = u32::MAX;

/// A piece. Bytes behind `bytes`, up to `room`, mean nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Note {
    at: usize,
    bytes: usize,
    room: usize,
    ty: u32,
    /// A free item: what has been stored over its start; 0: it is in use.
    link: u32,
}

impl Note {
    /// Without a type: of what is no more.
    pub fn new(
        at: usize,
        bytes: usize,
        room: usize,
        ty: Option<TypeId>,
        link: Option<TypeId>,
    ) -> Note {
        Note {
            at,
            bytes,
            room,
            ty: ty.map_or(DEAD, |t| t.0),
            link: link.map_or(0, |t| t.0),
        }
    }

    fn end(&self) -> usize {
        self.at + self.room
    }
}

/// By the blocks they lie in, in order.
#[derive(Debug, Default)]
pub struct Pieces {
    blocks: HashMap<usize, Vec<Note>>,
}

/// Where something new goes among notes that are in order and apart.
fn put(list: &mut Vec<Note>, mut new: Note) {
    let from = list.partition_point(|n| n.end() <= new.at);
    match list.get_mut(from) {
        None => return list.push(new),
        // The same place again.
        Some(old) if old.at == new.at && new.bytes <= old.room => {
            new.room = old.room;
            *old = new;
            return;
        }
        Some(_) => {}
    }
    let to = list.partition_point(|n| n.at < new.end());
    if let Some(last) = to.checked_sub(1).and_then(|i| list.get(i)) {
        new.room = new.room.max(last.end().saturating_sub(new.at));
    }
    let front = list[from];
    let mut with = Vec::with_capacity(2);
    if from < to && front.at < new.at {
        let room = new.at - front.at;
        with.push(match front.bytes <= room {
            true => Note { room, ..front },
            false => Note::new(front.at, 0, room, None, None),
        });
    }
    with.push(new);
    list.splice(from..to.max(from), with);
}

impl Pieces {
    /// The block is gone.
    pub fn gone(&mut self, base: usize) {
        if !self.blocks.is_empty() {
            self.blocks.remove(&base);
        }
    }

    /// The block is elsewhere now, or as long as this.
    pub fn moved(&mut self, from: usize, to: usize, bytes: usize) {
        if let Some(mut list) = self.blocks.remove(&from) {
            list.iter_mut().for_each(|n| n.at = n.at - from + to);
            list.retain(|n| n.end() <= to + bytes);
            self.blocks.insert(to, list);
        }
    }

    /// For a checkpoint.
    pub fn list(&self) -> Vec<PieceMeta> {
        let mut all: Vec<&Note> = self.blocks.values().flatten().collect();
        all.sort_unstable_by_key(|n| n.at);
        let meta = |n: &Note| PieceMeta {
            addr: n.at as u64,
            ty: (n.ty != DEAD).then_some(TypeId(n.ty)),
            bytes: n.bytes as u64,
            room: n.room as u64,
            link: (n.link != 0).then_some(TypeId(n.link)),
        };
        all.into_iter().map(meta).collect()
    }

    /// After a restart, in order.
    pub fn again(&mut self, block: usize, note: Note) {
        put(self.blocks.entry(block).or_default(), note);
    }
}

/// Where an address lies, if notes count there: the block's start and end.
fn holder(rank: &Rank, at: usize) -> Option<(usize, usize)> {
    let types = &rank.job().program.types;
    if let Some(o) = rank.heap.find(at) {
        let base = o.base as usize;
        let here = holds_bytes(types, TypeId(o.ty), (at - base) as u64);
        return here.then_some((base, base + o.size));
    }
    let template = at.wrapping_add_signed(rank.delta().wrapping_neg());
    let g = rank.job().program.variable_at(template)?;
    let here = holds_bytes(types, g.ty, (template - g.addr) as u64);
    let base = at - (template - g.addr);
    (here && !g.constant).then_some((base, base + g.size))
}

/// Is what lies at an offset of objects of a type no more than bytes?
pub(crate) fn holds_bytes(types: &TypeTable, ty: TypeId, offset: u64) -> bool {
    let t = types.get(ty);
    match t.kind {
        _ if ty == TypeId::UNKNOWN => true,
        Kind::Char => true,
        Kind::SInt | Kind::UInt => t.size == 1,
        Kind::Array => {
            let one = types.size(t.elem).max(1);
            holds_bytes(types, t.elem, offset % one)
        }
        Kind::Struct => {
            let mut fields = t.members.iter().filter(|m| m.bits.is_none());
            // The last one may be longer than it says.
            match fields.rfind(|m| m.offset <= offset) {
                Some(m) => {
                    let inside = offset - m.offset;
                    let last = t.members.last().is_some_and(|l| std::ptr::eq(l, m));
                    let array = types.get(m.ty).kind == Kind::Array;
                    (inside < types.size(m.ty) || last && array) && holds_bytes(types, m.ty, inside)
                }
                None => false,
            }
        }
        _ => false,
    }
}

fn type_of(site: *const pc3_site) -> u32 {
    // SAFETY: null or a site of the program, of a type of the program's or none.
    unsafe {
        site.as_ref()
            .and_then(|s| s.ty.as_ref())
            .map_or(0, |t| t.id)
    }
}

/// `room`: of which so many bytes are its own, if that is more.
fn note(rank: &mut Rank, at: usize, bytes: usize, room: usize, ty: u32) {
    let Some((base, end)) = holder(rank, at) else {
        return;
    };
    let one = rank.job().program.types.size(TypeId(ty)) as usize;
    // Of what nobody knows it is enough to know that it is there.
    let bytes = if bytes == 0 { one.max(1) } else { bytes };
    let bytes = bytes.min(end - at);
    if bytes > 0 {
        let room = room.max(bytes).min(end - at);
        let list = rank.pieces.blocks.entry(base).or_default();
        let note = Note {
            at,
            bytes,
            room,
            ty,
            link: 0,
        };
        put(list, note);
    }
}

/// A block of no type begins with this.
pub(crate) fn head(rank: &mut Rank, at: usize, site: *const pc3_site) {
    // SAFETY: as above.
    let head = unsafe { site.as_ref().map_or(std::ptr::null_mut(), |s| s.head) };
    // SAFETY: as above.
    if let Some(t) = unsafe { head.cast_const().cast::<pc3_type>().as_ref() } {
        note(rank, at, 0, 0, t.id);
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
        note(rank, p as usize, bytes, room, type_of(site));
    }
    p
}

/// # Safety
/// Called by generated code.
#[no_mangle]
pub unsafe extern "C" fn pc3_stored(p: *mut c_void, site: *const pc3_site) -> *mut c_void {
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

/// Items that are put into a list one after the other, before any of them was in use, lie so far apart as they are large.
fn strides(list: &mut [Note], at: usize, end: usize) {
    let Some(i) = list.iter().position(|n| n.at == at) else {
        return;
    };
    let links =
        |a: &Note, b: &Note| a.ty == b.ty && a.bytes == b.bytes && a.link == 0 && b.link == 0;
    let step = match (i.checked_sub(1).map(|k| &list[k]), list.get(i + 1)) {
        (Some(front), _) if links(front, &list[i]) => at - front.at,
        (_, Some(next)) if links(next, &list[i]) => next.at - at,
        _ => return,
    };
    let known = |n: &Note| n.room == n.bytes || n.room == step;
    let next = list.get(i + 1).map_or(end, |n| n.at);
    if at + step <= next {
        list[i].room = step;
    }
    if let Some(front) = i.checked_sub(1).map(|k| &mut list[k]) {
        if front.at + step == at && known(front) {
            front.room = step;
        }
    }
}

fn stored(rank: &mut Rank, at: usize, ty: u32, freed: bool) {
    let Some((base, end)) = holder(rank, at) else {
        return;
    };
    let job = rank.job().clone();
    let types = &job.program.types;
    let list = rank.pieces.blocks.get_mut(&base);
    let old = list.and_then(|list| {
        let i = list.partition_point(|n| n.at <= at).checked_sub(1)?;
        list.get_mut(i).filter(|n| at < n.at + n.bytes)
    });
    let Some(old) = old else {
        note(rank, at, 0, 0, ty);
        let pointer = types.get(TypeId(ty)).kind == Kind::Pointer;
        if let (true, Some(list)) = (freed || pointer, rank.pieces.blocks.get_mut(&base)) {
            strides(list, at, end);
        }
        return;
    };
    let was = TypeId(old.ty);
    let one = types.size(was).max(1);
    let inside = (at - old.at) as u64 % one;
    if old.ty == DEAD {
        return note(rank, at, 0, 0, ty);
    }
    let bytes = types.size(TypeId(ty)) as usize;
    if was == TypeId::UNKNOWN && !freed || alike(types, was, inside, TypeId(ty), 0) {
        return;
    }
    // A link over what nobody would keep one in: the item is free.
    if freed && was == TypeId::UNKNOWN && at == old.at && bytes <= old.room {
        (old.ty, old.bytes, old.link) = (ty, bytes, 0);
        return;
    }
    let over = matches!(
        scalar(types, was, 0).map(|t| types.get(t).kind),
        Some(Kind::Char)
    );
    if freed && at == old.at && bytes <= old.bytes && !over {
        old.link = ty;
    } else {
        // Something else lies there now, and what else there is, nobody knows.
        old.ty = 0;
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
fn scalar(types: &TypeTable, ty: TypeId, offset: u64) -> Option<TypeId> {
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

    /// (at, bytes, room, type)
    type Row = (usize, usize, usize, u32);

    fn after(rows: &[Row]) -> Vec<Row> {
        let mut list = Vec::new();
        for &(at, bytes, _, ty) in rows {
            let room = bytes;
            put(
                &mut list,
                Note::new(at, bytes, room, Some(TypeId(ty)), None),
            );
        }
        list.iter().map(|n| (n.at, n.bytes, n.room, n.ty)).collect()
    }

    #[test]
    fn notes() {
        let check = |rows: &[Row], expected: &[Row]| assert_eq!(after(rows), expected, "{rows:?}");
        let (a, b) = ((0, 16, 16, 1), (16, 24, 24, 2));
        check(&[a, b], &[a, b]);
        check(&[b, a], &[a, b]);
        check(&[a, b, a], &[a, b]);
        // A shorter one at the same place keeps its room; a longer one takes the next one's.
        check(&[a, b, (0, 8, 8, 3)], &[(0, 8, 16, 3), b]);
        check(&[a, b, (0, 20, 20, 3)], &[(0, 20, 40, 3)]);
        // In the middle of one: what was in front of it is no more.
        check(&[a, b, (8, 4, 4, 3)], &[(0, 0, 8, DEAD), (8, 4, 8, 3), b]);
        check(&[b, (8, 64, 64, 3)], &[(8, 64, 64, 3)]);
        check(&[b, (4, 8, 8, 3)], &[(4, 8, 8, 3), b]);
        let check = |at: &[usize], expected: &[Row]| {
            let mut list = Vec::new();
            for &at in at {
                put(&mut list, Note::new(at, 8, 8, Some(TypeId(4)), None));
                strides(&mut list, at, 100);
            }
            let rows: Vec<Row> = list.iter().map(|n| (n.at, n.bytes, n.room, n.ty)).collect();
            assert_eq!(rows, expected, "{at:?}");
        };
        check(&[0], &[(0, 8, 8, 4)]);
        check(
            &[0, 24, 48],
            &[(0, 8, 24, 4), (24, 8, 24, 4), (48, 8, 24, 4)],
        );
        check(
            &[48, 24, 0],
            &[(0, 8, 24, 4), (24, 8, 24, 4), (48, 8, 8, 4)],
        );
        check(&[60, 92], &[(60, 8, 32, 4), (92, 8, 8, 4)]);
    }
}
