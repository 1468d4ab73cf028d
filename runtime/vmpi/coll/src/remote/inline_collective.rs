//! Collectives whose members are in several processes, told in a few words.
//!
//! If the calls of a process's members amount to the same thing it tells a *record* of that (kind, root, operation, type, length: all
//! on which the processes have to agree) and, in the same frame, what its members give. Few processes tell each other, and each does the
//! work for its own members, in the order that all have. More tell the process above them in the tree what they and those
//! below give together, and get from it what has come of that: a reduction's partial sums go along the subtrees of its order.
//!
//! If two records differ, whoever sees it brings its members' calls to all, as who has no record does; then all do, and the calls
//! are checked like any others. No record is told while a checkpoint has to know of collectives.

use super::few::{Addressed, CallSignature, Few, Heard, Told, MOST};
use super::members::Members;
use super::routed::LONG as LONG_CALLS;
use super::tree::{Source, Tree};
use crate::meeting::all::All;
use crate::meeting::call::Call;
use crate::meeting::kind::Kind;
use crate::work::combine;
use crate::work::moves::Move;
use crate::work::reduce::Reduction;
use crate::work::shapes::DealShape;
use crate::work::side::Side;
use crate::work::subtrees::subtrees;
use pc3_vmpi_objects::op::Op;
use pc3_vmpi_sched::copy::copy_few;
use std::cell::Cell;

/// Have all told the same?
pub fn agree(told: &[(u32, Told)], record: CallSignature) -> bool {
    told.iter().all(|o| o.1.record == record)
}

/// Do the calls of members `here` amount to the same?
fn alike<C: Call>(all: &All<C>, here: &[usize]) -> bool {
    let brief = all.get(here[0]).brief();
    let same = |i: &usize| all.get(*i).brief() == brief;
    brief.is_some() && here[1..].iter().all(same)
}

pub fn gate<C: Call>(all: &All<C>, here: &[usize]) -> Option<CallSignature> {
    let kind = all.kind(here[0]);
    alike(all, here)
        .then(|| CallSignature::new(kind, CallSignature::GATE))
        .flatten()
}

pub mod reduction {
    use super::*;

    fn bytes(c: &Reduction) -> usize {
        c.count * c.ty.size
    }

    pub fn record(all: &All<Reduction>, here: &[usize], remote: &Members) -> Option<CallSignature> {
        let first = all.get(here[0]);
        let Op::Predef(op) = first.op else {
            return None;
        };
        let bytes = bytes(first);
        let told = match remote.tree {
            Some(_) => here.iter().all(|i| all.get(*i).is_plain_as(first)),
            None => remote.order.most() * bytes <= MOST && alike(all, here),
        };
        told.then(|| {
            let what = (first.agreed(), op as usize, first.ty.predefined, bytes);
            CallSignature::new(first.kind, what)
        })
        .flatten()
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

    pub fn hear(all: &All<Reduction>, here: &[usize], heard: &Heard) {
        let call = all.get(here[0]);
        let n = bytes(call);
        if n == 0 {
            return;
        }
        let at = Cell::new(0);
        let part = |i: usize| {
            let share = &heard.order.0[at.get()];
            debug_assert_eq!(share.first, i);
            at.set(at.get() + 1);
            let from = &heard.of(share.process)[share.number * n..][..n];
            (from.as_ptr(), share.covers)
        };
        let mut result = Few::NONE;
        let result = result.more(n);
        // SAFETY: as many bytes as were looked for; the callers of the collective vouch for their buffers and wait.
        unsafe {
            call.combine(part, all.len(), result);
            here.iter().for_each(|i| all.get(*i).take(*i, result));
        }
    }

    /// The partial sums of a process and those below it.
    pub fn gather(
        all: &All<Reduction>,
        here: &[usize],
        tree: &Tree,
        below: &[(u32, Told)],
    ) -> Vec<u8> {
        let call = all.get(here[0]);
        let n = bytes(call);
        let mut sums = vec![0; n * tree.sums.len()];
        let Some(kernel) = call.kernel.filter(|_| n > 0) else {
            return sums;
        };
        let mut rest = &tree.parts[..];
        for ((first, covers), to) in tree.sums.iter().zip(sums.chunks_exact_mut(n)) {
            let within = rest.partition_point(|p| p.first < first + covers);
            let (parts, others) = rest.split_at(within);
            rest = others;
            let given = |i: usize| match parts[i].from {
                Source::Here => all.get(parts[i].first).send,
                Source::Below { below: b, number } => {
                    below[b].1.bytes()[number * n..][..n].as_ptr()
                }
            };
            let part = |i: usize| (given(i), parts[i].covers);
            // SAFETY: each has as many bytes: the callers of the collective vouch for their buffers and wait.
            unsafe {
                combine::parts(
                    part,
                    *covers,
                    kernel,
                    (call.count, call.ty.size),
                    to.as_mut_ptr(),
                );
            }
        }
        sums
    }

    /// Of calls that are short, whose contributions all get.
    pub fn addressed(all: &All<Reduction>, here: &[usize]) -> Option<Addressed> {
        let first = all.get(here[0]);
        let for_all = matches!(first.op, Op::Predef(_))
            && matches!(first.shape, DealShape::Intra)
            && first.kind != Kind::Reduce;
        let short = |i: &usize| bytes(all.get(*i)) * here.len() <= LONG_CALLS;
        (for_all && here.iter().all(short)).then_some(Addressed::Nobody)
    }

    pub fn receiver(all: &All<Reduction>, here: &[usize]) -> Option<usize> {
        let call = all.get(here[0]);
        (call.kind == Kind::Reduce).then_some(call.root)
    }

    pub fn spread(all: &All<Reduction>, here: &[usize], result: &[u8]) {
        for i in here {
            let call = all.get(*i);
            let (first, count) = call.wanted(*i);
            let from = &result[first * call.ty.size..][..count * call.ty.size];
            // SAFETY: as many bytes; the caller of the collective vouches for its buffer and waits.
            unsafe { from.as_ptr().copy_to_nonoverlapping(call.recv, from.len()) }
        }
    }
}

pub mod moved {
    use super::*;

    /// Longer blocks are read where they lie, or sent to each process by that of the root.
    const LONG: usize = 32 << 10;

    /// Equal blocks that are plain memory: where, and of how many bytes.
    fn blocks(side: &Side) -> Option<(*mut u8, usize)> {
        let Side::Blocks { ptr, count, ty } = *side else {
            return None;
        };
        let plain = ty.contiguous && !ty.is_packed();
        let bytes = count.checked_mul(ty.size)?;
        plain.then(|| (ptr.wrapping_offset(ty.layout.at), bytes))
    }

    /// What a member sends each, where it receives, and how much.
    fn exchanged(c: &Move) -> Option<(*mut u8, *mut u8, usize)> {
        let (from, sent) = blocks(&c.send)?;
        let (to, room) = blocks(&c.recv)?;
        (sent == room).then_some((from, to, sent))
    }

    fn is_bcast(c: &Move) -> bool {
        c.kind == Kind::Bcast
    }

    pub fn record(all: &All<Move>, here: &[usize], remote: &Members) -> Option<CallSignature> {
        let first = all.get(here[0]);
        let (root, n, alike, most) = if is_bcast(first) {
            let n = first.plain()?.1;
            let same = |c: &Move| c.root == first.root && c.plain().is_some_and(|p| p.1 == n);
            let alike = here[1..].iter().all(|i| same(all.get(*i)));
            let most = if remote.tree.is_some() { LONG } else { MOST };
            (first.root, n, alike, most)
        } else if first.kind == Kind::Alltoall && matches!(first.shape, DealShape::Intra) {
            let n = exchanged(first)?.2;
            let same = |c: &Move| exchanged(c).is_some_and(|e| e.2 == n);
            let alike = here[1..].iter().all(|i| same(all.get(*i)));
            (0, n, alike, MOST / (here.len() * remote.most))
        } else {
            return None;
        };
        (alike && n <= most)
            .then(|| CallSignature::new(first.kind, (root, 0, 0, n)))
            .flatten()
    }

    /// What the root of a broadcast gives, if it is here.
    fn given<'a>(all: &'a All<Move>, here: &[usize]) -> Option<&'a [u8]> {
        let root = all.get(here[0]).root;
        let (from, n) = all.get(*here.iter().find(|i| **i == root)?).plain()?;
        // SAFETY: the caller of the collective vouches for its buffer and waits.
        (n > 0).then(|| unsafe { std::slice::from_raw_parts(from, n) })
    }

    fn take(all: &All<Move>, here: &[usize], bytes: &[u8]) {
        for i in here {
            let call = all.get(*i);
            if let Some((to, n)) = call.plain().filter(|_| *i != call.root) {
                debug_assert_eq!(n, bytes.len());
                // SAFETY: as above.
                unsafe { bytes.as_ptr().copy_to_nonoverlapping(to, n) }
            }
        }
    }

    pub fn tell(all: &All<Move>, here: &[usize], to: &[usize], into: &mut Few) {
        if is_bcast(all.get(here[0])) {
            if let Some(given) = given(all, here) {
                // SAFETY: a slice; as much room.
                unsafe { copy_few(given.as_ptr(), into.more(given.len()), given.len()) };
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

    pub fn hear(all: &All<Move>, here: &[usize], heard: &Heard) {
        let first = all.get(here[0]);
        if is_bcast(first) {
            let has_root = |p: &&u32| heard.members(**p).contains(&first.root);
            if let Some(process) = heard.places.keys().find(has_root) {
                take(all, here, heard.of(*process));
            }
            return;
        }
        let Some((_, _, n)) = exchanged(first) else {
            return;
        };
        let block = |j: usize, from: *const u8, i: usize| {
            if let Some((_, to, _)) = exchanged(all.get(i)) {
                // SAFETY: as above.
                unsafe { copy_few(from, to.wrapping_add(j * n), n) };
            }
        };
        for (process, told) in heard.others {
            let mut bytes = told.bytes().as_ptr();
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
    }

    /// What a broadcast's root gives, if it is in this process or below it.
    pub fn gather(all: &All<Move>, here: &[usize], below: &[(u32, Told)]) -> Vec<u8> {
        let mut given = given(all, here)
            .into_iter()
            .chain(below.iter().map(|b| b.1.bytes()));
        given.find(|b| !b.is_empty()).unwrap_or(&[]).into()
    }

    /// Of calls that are short.
    pub fn addressed(all: &All<Move>, here: &[usize]) -> Option<Addressed> {
        let first = all.get(here[0]);
        let addressed = match (first.kind, first.shape) {
            (Kind::Bcast | Kind::Allgather | Kind::Allgatherv, DealShape::Intra) => {
                Addressed::Nobody
            }
            (Kind::Gather | Kind::Gatherv, DealShape::Intra) => Addressed::One(first.root),
            (Kind::Scatter | Kind::Scatterv, DealShape::Intra) if here.contains(&first.root) => {
                Addressed::Each
            }
            (Kind::Scatter | Kind::Scatterv, DealShape::Intra) => Addressed::Nobody,
            _ => return None,
        };
        let to = [first.root];
        let blocks = here.iter().flat_map(|i| all.get(*i).wanted(*i, &to));
        let bytes: usize = blocks.map(|(_, b)| b.count.saturating_mul(b.ty.size)).sum();
        (bytes <= LONG_CALLS).then_some(addressed)
    }

    pub fn spread(all: &All<Move>, here: &[usize], result: &[u8]) {
        take(all, here, result);
    }
}
