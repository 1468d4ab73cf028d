//! Small collectives whose members are in several processes, told in a few words.
//!
//! If the calls of a process's members amount to the same thing it sends each other process a *record* of that (kind, root, operation, type: all
//! on which the processes have to agree) and, in the same frame, what its members give. If all records are alike each
//! process does the work for its own members, with what came, in the order that all have. Else what came is *spelt*: written as the calls it
//! stands for, which are then read and checked like any others. Nothing is told while a checkpoint has to know of collectives.

use super::few::{CallSignature, Few, Heard, InlineCall, MOST};
use crate::meeting::all::All;
use crate::meeting::call::Call;
use crate::meeting::kind::Kind;
use crate::work::moves::Move;
use crate::work::reduce::Reduction;
use crate::work::shapes::DealShape;
use crate::work::side::{Ints, Side};
use crate::work::subtrees::subtrees;
use pc3_vmpi_objects::datatype::{by_handle, Datatype, TypeRef};
use pc3_vmpi_objects::op::{Op, Predef};
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};
use pc3_vmpi_sched::copy::copy_few;
use std::cell::Cell;

/// The calls of `from` that a part stands for, as they would have come for `here`.  `mine`: what the members here have called.
pub(crate) fn spell<C: Call>(
    part: &[u8],
    (from, here): (&[usize], &[usize]),
    mine: Kind,
) -> Read<Vec<u8>> {
    let mut r = Reader(part);
    r.u8()?;
    let record = CallSignature(r.u64()?);
    let mut w = Writer::default();
    w.u8(0);
    from.iter().for_each(|_| w.u32(record.kind()));
    if record.kind() == mine as u32 {
        C::spell(record, (from, here), r.0, &mut w)?;
    }
    Ok(w.0)
}

/// Have all told the same?
pub fn agree<C: Call>(heard: &Heard, record: CallSignature) -> bool {
    let plain = |r: CallSignature| if C::TYPED { r } else { r.untyped() };
    let mine = plain(record);
    heard.others.iter().all(|o| plain(o.1.record) == mine)
}

/// Do the calls of members `here` amount to the same?
fn alike<C: Call>(all: &All<C>, here: &[usize]) -> bool {
    let (kind, brief) = (all.kind(here[0]), all.get(here[0]).brief());
    let same = |i: &usize| all.kind(*i) == kind && all.get(*i).brief() == brief;
    brief.is_some() && here[1..].iter().all(same)
}

pub fn gate<C: Call>(all: &All<C>, here: &[usize]) -> Option<CallSignature> {
    alike(all, here)
        .then(|| CallSignature::new(all.kind(here[0]), 0, 0, 0))
        .flatten()
}

pub mod reduction {
    use super::*;

    fn bytes(c: &Reduction) -> usize {
        c.count * c.ty.size
    }

    pub fn record(all: &All<Reduction>, here: &[usize]) -> Option<CallSignature> {
        if !alike(all, here) {
            return None;
        }
        let first = all.get(here[0]);
        let Op::Predef(op) = first.op else {
            return None;
        };
        let ty = first.ty.predefined;
        if ty == 0 || subtrees(here).count() * bytes(first) > MOST {
            return None;
        }
        CallSignature::new(first.kind, first.root, op as usize, ty)
    }

    /// What the members of each subtree here come to.
    pub fn tell(all: &All<Reduction>, here: &[usize], into: &mut Few) {
        let call = all.get(here[0]);
        let n = bytes(call);
        for (first, covers) in subtrees(here) {
            let to = into.more(n);
            let mut one = Few::NONE;
            let one = one.bytes.as_mut_ptr();
            // Each is used before the next is asked for.
            let part = |i: usize| {
                // SAFETY: the caller of the collective vouches for its buffer; room for one.
                unsafe { all.get(first + i).give(one) };
                (one.cast_const(), 1)
            };
            // SAFETY: as above.
            unsafe {
                match covers {
                    1 => all.get(first).give(to),
                    _ if n > 0 => call.combine(part, covers, to),
                    _ => {}
                }
            }
        }
    }

    pub fn hear(all: &All<Reduction>, here: &[usize], heard: &Heard) -> bool {
        let call = all.get(here[0]);
        let n = bytes(call);
        let fits = |o: &(u32, InlineCall)| {
            subtrees(heard.members(o.0)).count() * n == o.1.few.bytes().len()
        };
        if !heard.others.iter().all(fits) {
            return false;
        }
        if n == 0 {
            return true;
        }
        let at = Cell::new(0);
        let part = |i: usize| {
            let share = &heard.order.0[at.get()];
            debug_assert_eq!(share.first, i);
            at.set(at.get() + 1);
            let from = &heard.of(share.process).bytes()[share.number * n..][..n];
            (from.as_ptr(), share.covers)
        };
        let mut result = Few::NONE;
        let result = result.more(n);
        // SAFETY: as many bytes as were looked for; the callers of the collective vouch for their buffers and wait.
        unsafe {
            call.combine(part, all.len(), result);
            here.iter().for_each(|i| all.get(*i).take(*i, result));
        }
        true
    }

    pub(crate) fn spell(
        record: CallSignature,
        from: &[usize],
        body: &[u8],
        w: &mut Writer,
    ) -> Read<()> {
        let ty = by_handle(record.ty() as usize);
        let op = Predef::from_handle(record.op() as usize);
        let (Some(ty), Some(op)) = (ty, op) else {
            return bad("a reduction");
        };
        let shares = subtrees(from).count();
        let n = body.len() / shares.max(1);
        let mut bodies = body.chunks_exact(n.max(1));
        let mut shares = subtrees(from).peekable();
        for i in from {
            let covers = match shares.next_if(|s| s.0 == *i) {
                Some((_, covers)) => covers,
                None => 0,
            };
            let given = (covers > 0).then(|| bodies.next().unwrap_or(&[]));
            let what = (record.root(), n / ty.size.max(1), true, covers);
            Reduction::write(w, what, (&ty, Op::Predef(op)), Ints::NONE);
            if let Some(bytes) = given {
                w.u8(0);
                w.bytes(bytes);
            }
        }
        Ok(())
    }
}

pub mod moved {
    use super::*;

    /// By which a type travels beside packed elements of one kind.
    fn code(ty: &TypeRef) -> Option<usize> {
        match ty.predefined {
            0 => ty.signature.uniform().map(|b| b as usize),
            handle => Some(handle),
        }
    }

    /// Equal blocks that are plain memory: where, and of how many bytes.
    fn blocks(side: &Side) -> Option<(*mut u8, usize, usize)> {
        let Side::Blocks { ptr, count, ty } = *side else {
            return None;
        };
        let ty: &TypeRef = ty;
        let plain = ty.contiguous && !ty.is_packed();
        let at = |ty: &Datatype| ptr.wrapping_offset(ty.layout.at);
        Some((
            at(ty),
            count.checked_mul(ty.size)?,
            code(ty).filter(|_| plain)?,
        ))
    }

    /// What a member sends each, where it receives, and how much.
    fn exchanged(c: &Move) -> Option<(*mut u8, *mut u8, usize)> {
        let (from, sent, _) = blocks(&c.send)?;
        let (to, room, _) = blocks(&c.recv)?;
        (sent == room).then_some((from, to, sent))
    }

    fn is_exchange(c: &Move) -> bool {
        c.kind == Kind::Alltoall && matches!(c.shape, DealShape::Intra)
    }

    pub fn record(all: &All<Move>, here: &[usize], most: usize) -> Option<CallSignature> {
        let first = all.get(here[0]);
        if all.kind(here[0]) == Kind::Bcast {
            if !alike(all, here) {
                return None;
            }
            let giver = match here.contains(&first.root) {
                true => all.get(first.root),
                false => first,
            };
            let block = [&giver.send, &giver.recv]
                .into_iter()
                .find_map(|s| match s {
                    Side::One { ty, .. } => code(ty),
                    _ => None,
                });
            return CallSignature::new(Kind::Bcast, first.root, 0, block?);
        }
        if !is_exchange(first) {
            return None;
        }
        let (_, _, n) = exchanged(first)?;
        let ty = blocks(&first.send)?.2;
        let same = |i: &usize| {
            let c = all.get(*i);
            exchanged(c).is_some_and(|e| e.2 == n) && blocks(&c.send).is_some_and(|b| b.2 == ty)
        };
        let kinds = here.iter().all(|i| all.kind(*i) == Kind::Alltoall);
        let fits = n.saturating_mul(here.len() * most) <= MOST;
        (fits && kinds && here[1..].iter().all(same))
            .then(|| CallSignature::new(Kind::Alltoall, 0, 0, ty))
            .flatten()
    }

    pub fn tell(all: &All<Move>, here: &[usize], to: &[usize], into: &mut Few) {
        let first = all.get(here[0]);
        if first.kind == Kind::Bcast {
            if here.contains(&first.root) {
                let root = all.get(first.root);
                let n = root.brief().map_or(0, |b| b.bytes);
                // SAFETY: the caller of the collective vouches for its buffer and waits.
                unsafe { root.give(into.more(n)) };
            }
            return;
        }
        for i in here {
            if let Some((from, _, n)) = exchanged(all.get(*i)) {
                for j in to {
                    // SAFETY: as above.
                    unsafe { copy_few(from.wrapping_add(j * n), into.more(n), n) };
                }
            }
        }
    }

    pub fn hear(all: &All<Move>, here: &[usize], heard: &Heard) -> bool {
        let first = all.get(here[0]);
        if first.kind == Kind::Bcast {
            let has_root = |p: &&u32| heard.members(**p).contains(&first.root);
            let given = match heard.places.keys().find(has_root) {
                Some(process) => heard.of(*process).bytes(),
                None => return false,
            };
            let fits = first.brief().is_some_and(|b| b.bytes == given.len());
            if fits {
                // SAFETY: as many bytes; the callers of the collective vouch for their buffers and wait.
                here.iter()
                    .for_each(|i| unsafe { all.get(*i).take(*i, given.as_ptr()) });
            }
            return fits;
        }
        let Some((_, _, n)) = exchanged(first) else {
            return false;
        };
        let fits = |o: &(u32, InlineCall)| {
            heard.members(o.0).len() * here.len() * n == o.1.few.bytes().len()
        };
        if !heard.others.iter().all(fits) {
            return false;
        }
        let block = |j: usize, from: *const u8, i: usize| {
            if let Some((_, to, _)) = exchanged(all.get(i)) {
                // SAFETY: as above.
                unsafe { copy_few(from, to.wrapping_add(j * n), n) };
            }
        };
        for (process, told) in heard.others {
            let mut bytes = told.few.bytes().as_ptr();
            for j in heard.members(*process) {
                for i in here {
                    block(*j, bytes, *i);
                    bytes = bytes.wrapping_add(n);
                }
            }
        }
        for j in here {
            if let Some((from, _, _)) = exchanged(all.get(*j)) {
                here.iter()
                    .for_each(|i| block(*j, from.wrapping_add(i * n), *i));
            }
        }
        true
    }

    pub(crate) fn spell(
        record: CallSignature,
        (from, here): (&[usize], &[usize]),
        body: &[u8],
        w: &mut Writer,
    ) -> Read<()> {
        let exchange = record.kind() == Kind::Alltoall as u32;
        let n = body.len() / (from.len() * here.len()).max(1);
        let mut bodies = body.chunks_exact(n.max(1));
        for i in from {
            w.u64(record.root() as u64);
            w.u8(0);
            let given = |w: &mut Writer, member: u64, bytes: &[u8]| {
                w.u64(member);
                w.u32(record.ty());
                w.u8(0);
                w.bytes(bytes);
            };
            if exchange {
                w.list(here.iter(), |w, j| {
                    given(w, *j as u64, bodies.next().unwrap_or(&[]));
                });
            } else {
                let root = (*i == record.root()).then_some(body);
                w.list(root.iter(), |w, bytes| given(w, u64::MAX, bytes));
            }
        }
        Ok(())
    }
}
