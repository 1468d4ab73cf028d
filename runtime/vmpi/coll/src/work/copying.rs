//! What collectives that move data do for a member: its blocks copied from where the others have them.

use super::moves::Move;
use super::shapes::{DealShape, Pattern, NOBODY};
use super::side::Side;
use crate::meeting::all::All;
use crate::meeting::call::Call;
use crate::meeting::kind::Kind;
use crate::remote::kept::{Packed, PackedBody};
use pc3_vmpi_core::mail::mailbox::unpack;
use pc3_vmpi_objects::datatype::moving::{copy, Buf};
use pc3_vmpi_objects::error::{fail, Class, Result};

pub fn each(
    all: &All<Move>,
    members: impl Iterator<Item = usize>,
    f: impl Fn(usize) -> Result<()>,
) {
    for i in members {
        if let Err(e) = f(i) {
            all.fail(i, e);
        }
    }
}

/// Member `i` takes what the other side of the inter-communicator has for it.
pub fn across(all: &All<Move>, i: usize, low: usize) -> Result<()> {
    let me = all.get(i);
    let (mine, other) = if i < low {
        (0, low..all.len())
    } else {
        (low, 0..low)
    };
    let start = other.start;
    if me.pattern() == Pattern::FromRoot {
        return match me.root {
            NOBODY => Ok(()),
            root => take(all, i, root, start + root, i - mine),
        };
    }
    for j in other {
        take(all, i, j - start, j, i - mine)?;
    }
    Ok(())
}

/// Member `i` takes what its neighbours have for it.
pub(crate) fn along_edges(all: &All<Move>, i: usize) -> Result<()> {
    let DealShape::Neighbors(mine) = all.get(i).shape else {
        return Ok(());
    };
    for (k, &source) in mine.sources.iter().enumerate() {
        let Ok(j) = usize::try_from(source) else {
            continue;
        };
        let DealShape::Neighbors(theirs) = all.get(j).shape else {
            continue;
        };
        match mine.sent(i, k, theirs) {
            Some(block) => take(all, i, k, j, block)?,
            None => {
                return fail(
                    Class::ERR_TOPOLOGY,
                    format!("rank {i} has an edge from rank {j}, which has none to it"),
                )
            }
        }
    }
    Ok(())
}

/// Member `i` takes its block from member `j`.
#[inline]
pub fn pull(all: &All<Move>, i: usize, j: usize) -> Result<()> {
    // Mostly both are plain bytes, and as many: where blocks are small, finding them is all the work.
    let (to, from) = (all.get(i).recv.bytes(j), all.get(j).send.bytes(i));
    if let (Some((to, room)), Some((from, n))) = (to, from) {
        if room == n {
            // SAFETY: the callers of the collective vouch for their buffers and wait.
            unsafe { copy_bytes(from, to, n) };
            return Ok(());
        }
    }
    take(all, i, j, j, i)
}

/// The two may overlap.
#[inline(always)]
unsafe fn copy_bytes(from: *const u8, to: *mut u8, n: usize) {
    match n {
        0 => {}
        4..8 => ends::<4>(from, to, n),
        8..16 => ends::<8>(from, to, n),
        16..=32 => ends::<16>(from, to, n),
        _ => std::ptr::copy(from, to, n),
    }
}

/// From `W` to twice as many bytes: the first and the last `W`, read before any is written.
#[inline(always)]
unsafe fn ends<const W: usize>(from: *const u8, to: *mut u8, n: usize) {
    let (first, last) = (*from.cast::<[u8; W]>(), *from.add(n - W).cast::<[u8; W]>());
    to.cast::<[u8; W]>().write(first);
    to.add(n - W).cast::<[u8; W]>().write(last);
}

/// Member `i` takes block `sent` of member `j` into its own block `wanted`.
fn take(all: &All<Move>, i: usize, wanted: usize, j: usize, sent: usize) -> Result<()> {
    let (to, from) = (all.get(i), all.get(j));
    let Some(dst) = to.recv.block(wanted) else {
        return Ok(());
    };
    let src = match &from.send {
        Side::Remote(list) => {
            return match Packed::find(list, sent) {
                Some(p) => receive(to.kind, i, j, p, &dst),
                None => Ok(()),
            }
        }
        // The data already lie where they belong in the sender's receive buffer.
        Side::InPlace if i == j => return Ok(()),
        Side::InPlace => from.recv.block(j),
        side => side.block(sent),
    };
    let Some(src) = src else { return Ok(()) };
    if src.ty.is_packed() == dst.ty.is_packed() {
        equal(to.kind, (j, src.bytes()), (i, dst.bytes()))?;
    }
    // SAFETY: the callers of the collective vouch for their buffers and wait.
    unsafe { copy(src, dst) }.map(drop)
}

/// What member `from.0` sends is what `to.0` has room for.
fn equal(kind: Kind, from: (usize, usize), to: (usize, usize)) -> Result<()> {
    let ((j, sent), (i, room)) = (from, to);
    if sent == room {
        return Ok(());
    }
    let class = if sent > room {
        Class::ERR_TRUNCATE
    } else {
        Class::ERR_COUNT
    };
    let name = kind.name();
    fail(
        class,
        format!("{name}: rank {j} sends {sent} bytes where rank {i} receives {room}"),
    )
}

/// What a root in another process broadcasts goes to the first of these members, for the others to take it from there.
pub(crate) fn from_elsewhere(
    all: &All<Move>,
    mut members: impl Iterator<Item = usize>,
    root: usize,
) -> Option<usize> {
    let first = members.find(|i| all.get(*i).plain().is_some())?;
    // If that fails each finds out by itself.
    pull(all, first, root).ok().map(|()| first)
}

/// Member `i` takes a block that came from another process.
fn receive(kind: Kind, i: usize, j: usize, p: &Packed, dst: &Buf) -> Result<()> {
    if p.ty.is_packed() == dst.ty.is_packed() {
        equal(kind, (j, p.len()), (i, dst.bytes()))?;
    }
    let fetched;
    let bytes = match &p.body {
        PackedBody::Own(bytes) => bytes,
        PackedBody::There(there) => {
            let plain = p.ty.is_packed() == dst.ty.is_packed() && dst.ty.contiguous;
            if plain {
                // SAFETY: the callers of the collective vouch for their buffers and wait; the lengths are equal.
                return unsafe { there.read(dst.ptr.wrapping_offset(dst.ty.layout.at)) };
            }
            fetched = there.fetch()?;
            &fetched
        }
    };
    // SAFETY: as above.
    unsafe { unpack(&p.ty, bytes, *dst) }
}

/// Allgather into plain memory: gather once, copy the result to everyone.  Returns how many
/// members have been served.
pub fn spread(all: &All<Move>) -> usize {
    let plain = |c: &Move| match &c.recv {
        Side::Blocks { ptr, count, ty } if ty.contiguous && !c.send.in_place() => {
            Some((ptr.wrapping_offset(ty.layout.at), count * ty.size))
        }
        _ => None,
    };
    let n = all.len();
    let Some((first, block)) = plain(all.get(0)) else {
        return 0;
    };
    if block > 4096
        || !all
            .iter()
            .all(|c| plain(c).is_some_and(|(_, b)| b == block))
    {
        return 0;
    }
    if let Err(e) = Move::share(all, 0) {
        (0..n).for_each(|i| all.fail(i, e.clone()));
        return n;
    }
    for i in 1..n {
        if let Some((ptr, _)) = plain(all.get(i)) {
            // SAFETY: receive buffers of n blocks each, of different members.
            unsafe { std::ptr::copy(first, ptr, n * block) };
        }
    }
    n
}

pub(crate) fn exchange_in_place(all: &All<Move>) {
    for i in 0..all.len() {
        for j in 0..i {
            let remote = |i: usize| matches!(all.get(i).recv, Side::Remote(_));
            for (here, there) in [(i, j), (j, i)] {
                if let (Side::Remote(list), false) = (&all.get(there).recv, remote(here)) {
                    let p = Packed::find(list, here);
                    if let (Some(p), Some(dst)) = (p, all.get(here).recv.block(there)) {
                        if let Err(e) = receive(all.get(here).kind, here, there, p, &dst) {
                            all.fail(here, e);
                        }
                    }
                }
            }
            let (Some(a), Some(b)) = (all.get(i).recv.block(j), all.get(j).recv.block(i)) else {
                continue;
            };
            if a.bytes() != b.bytes() {
                let e = fail::<()>(
                    Class::ERR_TRUNCATE,
                    format!(
                        "rank {j} exchanges {} bytes with {} of rank {i}",
                        b.bytes(),
                        a.bytes()
                    ),
                );
                if let Err(e) = e {
                    all.fail(i, e.clone());
                    all.fail(j, e);
                }
                continue;
            }
            // SAFETY: as in `pull`; the vectors hold exactly the elements.
            unsafe {
                let (x, y) = (a.ty.pack_vec(a.ptr, a.count), b.ty.pack_vec(b.ptr, b.count));
                a.ty.unpack(y.as_ptr(), y.len(), a.ptr, a.count);
                b.ty.unpack(x.as_ptr(), x.len(), b.ptr, b.count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::copy_bytes;

    #[test]
    fn bytes_are_copied_also_onto_themselves() {
        let numbered: Vec<u8> = (0..200).collect();
        for n in 0..70 {
            for to in [0, 1, 5, 17, 40, 120] {
                let (mut a, mut b) = (numbered.clone(), numbered.clone());
                a.copy_within(20..20 + n, to);
                let start = b.as_mut_ptr();
                // SAFETY: within the vector.
                unsafe { copy_bytes(start.add(20), start.add(to), n) };
                assert_eq!(a, b, "{n} bytes to {to}");
            }
        }
    }
}
