//! Blocks that are handed out in pieces: what generated code says of them. See [`pc3_state::pieces`].

use std::ffi::c_void;

use pc3_typemetric::descriptor::{pc3_site, pc3_type, PC3_KIND_STRUCT, PC3_KIND_UNION};
use pc3_typemetric::types::{Kind, TypeId, TypeTable};

use pc3_state::pieces::blocks::{DEAD, LONE, OPEN};
use pc3_state::pieces::known::may_hold;
use pc3_state::pieces::{bytes_around, scalar, Note};
use pc3_state::rank::Rank;

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
pub fn head(rank: &mut Rank, at: usize, site: *const pc3_site) {
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
