//! Collectives of members in several processes.
//!
//! In each process the last member to arrive sends every other process with members what that needs of the calls here,
//! and waits for theirs.  Calls from elsewhere then stand in their seats like any other, so that every process does
//! the work for its own members by the same code in the same order.  As every process waits for all others, none is
//! done before all have begun: at a checkpoint, no collective is half done.
//!
//! What small calls amount to is told in a few words instead ([`super::inline_collective`]).
//!
//! A user's reduction function runs at one member in one process, which sends the others their results.

use std::any::Any;
use std::collections::BTreeMap;

use xxhash_rust::xxh3::Xxh3Default;

use super::inline_collective::{self, InlineCall, Record};
use super::meeting::{All, Call};
use super::zero_copy::{Came, There, To};
use crate::topo::neighbors::Neighbors;
use pc3_vmpi_objects::datatype::moving::Buf;
use pc3_vmpi_objects::datatype::written::{read_type, write_signature};
use pc3_vmpi_objects::datatype::{by_handle, TypeRef};
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::group::Group;
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};
use pc3_vmpi_transport::Memory;

/// Which collective a frame belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Topic {
    /// Communicator, tag of the meeting, and a number that stands for the members.
    pub id: u32,
    pub tag: u32,
    pub group: u64,
    /// Collectives of that meeting, counted.
    pub round: u64,
    /// 0: calls; 1: results; 2: what was lent has been read.
    pub phase: u32,
}

/// The other processes, as a rank sees them.
pub trait Elsewhere {
    fn here(&self) -> u32;
    fn process_of(&self, world: u32) -> u32;
    fn send(&self, to: u32, topic: Topic, bytes: &[u8]);
    /// Waits for the frames of so many processes.
    fn receive(&self, topic: Topic, processes: usize) -> Vec<(u32, Box<[u8]>)>;
    /// Can that process read this one's memory?
    fn is_read_by(&self, process: u32) -> bool;
    /// That process's memory, if it can be read from here.
    fn memory_of(&self, process: u32) -> Option<Memory>;
    /// Sends a process its frame of a blocking collective that all members here have entered.
    fn bring(&self, to: u32, topic: Topic, group: &Group, bytes: &[u8]);
    /// Does a checkpoint have to know of collectives?
    fn counts(&self) -> bool;
    /// Tells a process what all calls here amount to, and what goes with it.
    fn tell(&self, to: u32, topic: Topic, record: Record, given: &[u8]);
    /// Waits for what the others bring, as `brought`; `None`: all of these have told it, to `told`.
    fn heard(
        &self,
        topic: Topic,
        group: &Group,
        entered: &dyn Fn(usize) -> u32,
        processes: &[u32],
        told: &mut Vec<(u32, InlineCall)>,
    ) -> Option<Vec<(u32, Box<[u8]>)>>;
    /// Waits for what the others bring.  `entered`: how often a member has come to this meeting.
    fn brought(
        &self,
        topic: Topic,
        group: &Group,
        entered: &dyn Fn(usize) -> u32,
        processes: usize,
    ) -> Vec<(u32, Box<[u8]>)>;
}

/// Members by process.
pub(super) type Places = BTreeMap<u32, Vec<usize>>;

pub(super) fn places(of: &dyn Elsewhere, group: &Group) -> Places {
    let mut all = Places::new();
    for (i, world) in group.ranks().iter().enumerate() {
        all.entry(of.process_of(*world)).or_default().push(i);
    }
    all
}

/// Of the members and their order; the same on all hosts.
pub(crate) fn hash(group: &Group) -> u64 {
    let mut all = Xxh3Default::new();
    for rank in group.ranks() {
        all.update(&rank.to_le_bytes());
    }
    all.digest()
}

/// Calls from elsewhere and what they refer to.
pub struct Keep<C> {
    pub(super) calls: Vec<Box<C>>,
    blocks: Vec<Box<[Packed]>>,
    memory: Vec<Vec<u128>>,
    counts: Vec<Box<[isize]>>,
    // Calls point to them: they must stay where they are.
    #[allow(clippy::vec_box)]
    neighbors: Vec<Box<Neighbors>>,
    others: Vec<Box<dyn Any>>,
    /// Of the process whose calls are being read, if it lends.
    pub(super) lender: Option<Memory>,
}

impl<C> Default for Keep<C> {
    fn default() -> Self {
        Keep {
            calls: Vec::new(),
            blocks: Vec::new(),
            memory: Vec::new(),
            counts: Vec::new(),
            neighbors: Vec::new(),
            others: Vec::new(),
            lender: None,
        }
    }
}

impl<C> Keep<C> {
    /// The lifetime is that of the calls kept here, which nobody uses afterwards.
    pub(super) fn blocks<'a>(&mut self, list: Vec<Packed>) -> &'a [Packed] {
        self.blocks.push(list.into_boxed_slice());
        let kept: *const [Packed] = &raw const *self.blocks[self.blocks.len() - 1];
        // SAFETY: boxed, and as long-lived as the calls.
        unsafe { &*kept }
    }

    pub(super) fn neighbors<'a>(&mut self, n: Neighbors) -> &'a Neighbors {
        self.neighbors.push(Box::new(n));
        let kept: *const Neighbors = &raw const *self.neighbors[self.neighbors.len() - 1];
        // SAFETY: as above.
        unsafe { &*kept }
    }

    pub(crate) fn any<'a, T: 'static>(&mut self, list: Vec<T>) -> &'a [T] {
        let kept: *const [T] = &raw const *list;
        self.others.push(Box::new(list));
        // SAFETY: as above: the elements do not move.
        unsafe { &*kept }
    }

    pub(super) fn counts<'a>(&mut self, list: Vec<isize>) -> &'a [isize] {
        self.counts.push(list.into_boxed_slice());
        let kept: *const [isize] = &raw const *self.counts[self.counts.len() - 1];
        // SAFETY: as above.
        unsafe { &*kept }
    }

    /// Memory for `count` elements; what a program would pass as its address.
    pub(super) fn elements(&mut self, ty: &TypeRef, count: usize) -> *mut u8 {
        let (lo, hi) = ty.span(count);
        let offset = lo.rem_euclid(16) - lo;
        let mut m = vec![0u128; (hi + offset).max(0) as usize / 16 + 1];
        let at = m.as_mut_ptr().cast::<u8>().wrapping_offset(offset);
        self.memory.push(m);
        at
    }
}

/// A block from elsewhere.
pub struct Packed {
    /// Its number at the sender; [`Packed::ANY`].
    pub member: usize,
    pub ty: TypeRef,
    pub(super) body: Body,
}

pub(super) enum Body {
    Own(Box<[u8]>),
    There(There),
}

impl Packed {
    pub const ANY: usize = usize::MAX;

    pub(super) fn find(list: &[Packed], member: usize) -> Option<&Packed> {
        list.iter()
            .find(|p| p.member == member || p.member == Packed::ANY)
    }

    /// # Safety
    /// The buffer is readable.
    pub(super) unsafe fn write(w: &mut Writer, member: usize, buf: &Buf, to: &To, stays: bool) {
        w.u64(if member == Packed::ANY {
            u64::MAX
        } else {
            member as u64
        });
        let ty = buf.ty;
        match (ty.predefined, ty.signature.uniform()) {
            (0, Some(b)) if !ty.is_packed() => w.u32(b as u32),
            (0, _) => {
                w.u32(0);
                write_signature(w, &ty.signature);
            }
            (handle, _) => w.u32(handle as u32),
        }
        // SAFETY: by the caller.
        unsafe { to.write(w, (buf.ptr, buf.count, ty), stays) }
    }

    pub(super) fn len(&self) -> usize {
        match &self.body {
            Body::Own(bytes) => bytes.len(),
            Body::There(there) => there.len,
        }
    }

    /// A block that is for everybody, if it lies elsewhere.
    pub(super) fn fetch_for_all(&mut self) -> Read<()> {
        if let (Packed::ANY, Body::There(there)) = (self.member, &self.body) {
            match there.fetch() {
                Ok(bytes) => self.body = Body::Own(bytes),
                Err(e) => return bad(&e.detail),
            }
        }
        Ok(())
    }

    pub(super) fn read(r: &mut Reader, memory: Option<Memory>) -> Read<Packed> {
        let member = match r.u64()? {
            u64::MAX => Packed::ANY,
            n => n as usize,
        };
        let ty = match r.u32()? {
            0 => read_type(r)?,
            handle => by_handle(handle as usize).map_or_else(|| bad("a datatype"), Ok)?,
        };
        let body = match Came::read(r, memory)? {
            Came::Here(bytes) => Body::Own(bytes.into()),
            Came::There(there) => Body::There(there),
        };
        Ok(Packed { member, ty, body })
    }
}

/// What one process sends another: whether it lends something (1), the kinds of its members' calls, and, if they are alike, the calls.
pub(super) fn write_part<C: Call>(all: &All<C>, from: &[usize], to: &To) -> Vec<u8> {
    // Most calls are short.
    let mut w = Writer(Vec::with_capacity(128));
    w.u8(0);
    let kinds: Vec<u32> = from.iter().map(|&i| all.kind(i) as u32).collect();
    kinds.iter().for_each(|k| w.u32(*k));
    if kinds.iter().all(|k| *k == kinds[0]) {
        from.iter().for_each(|&i| all.get(i).export(i, to, &mut w));
    }
    w.0[0] = to.has_lent().into();
    w.0
}

/// Is there something in it that is to be read where it lies?
pub(super) fn has_lent(part: &[u8]) -> bool {
    part.first() == Some(&1)
}

/// Seats the calls of another process; `here`: the members of this one, of whom `me` is one.
pub(super) fn read_part<C: Call>(
    all: &All<C>,
    from: &[usize],
    here: &[usize],
    me: usize,
    bytes: &[u8],
    keep: &mut Keep<C>,
) -> Result<()> {
    let mut go = || -> Read<()> {
        let spelt;
        let bytes = match bytes.first() {
            Some(&inline_collective::MARK) => {
                spelt = inline_collective::spell::<C>(bytes, (from, here), all.kind(me))?;
                &spelt[..]
            }
            _ => bytes,
        };
        let mut r = Reader(bytes);
        r.u8()?;
        let mine = all.kind(me);
        let mut alike = here.iter().all(|&i| all.kind(i) == mine);
        for &i in from {
            let kind = r.u32()?;
            if kind != mine as u32 {
                alike = false;
            }
            if !all.set_kind(i, kind) {
                return bad("a collective that does not exist");
            }
        }
        if !alike {
            return Ok(());
        }
        for &i in from {
            let call = C::import(&mut r, i, here, all.get(me), keep)?;
            let call = Box::new(call);
            all.seat(i, &call);
            keep.calls.push(call);
        }
        Ok(())
    };
    go().or_else(|e| fail(Class::ERR_INTERN, e.to_string()))
}
