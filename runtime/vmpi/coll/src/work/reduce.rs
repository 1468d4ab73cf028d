//! Reductions: MPI_Reduce, Allreduce, Reduce_scatter(_block), Scan, Exscan.
//!
//! **Order.**  Contributions are combined in an order that depends on nothing but the number of
//! members: over ranks lo..hi it is (lo..mid) op (mid..hi), where mid - lo is the greatest power
//! of two below hi - lo.  Results are the same bits whatever the workers, the order of arrival and
//! the processes: a process that holds ranks a..b can combine every subtree that lies within and
//! pass on the few partial results.  Scans combine from the left, one rank after the other.
//!
//! Predefined operations go element by element, so members can share the elements out.  A user
//! function runs on one member's stack (the root's, else rank 0's), with whole vectors: what it
//! sees of its rank's globals does not depend on the order of arrival either.  In a non-blocking
//! call, and between two groups, that is whoever comes last.

use super::shapes::DealShape;
use super::side::Ints;
use crate::meeting::kind::Kind;
use pc3_vmpi_objects::datatype::TypeRef;
use pc3_vmpi_objects::op::{Kernel, Op};
use pc3_vmpi_objects::wire::Writer;
use std::ops::Range;
use xxhash_rust::xxh3::Xxh3Default;

/// In what a contribution from elsewhere differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Odd {
    /// It has so many bytes.
    Bytes(usize),
    Type,
}

pub struct Reduction<'a> {
    pub kind: Kind,
    pub root: usize,
    /// This rank's contribution (the receive buffer if the program passed MPI_IN_PLACE).
    pub send: *const u8,
    pub recv: *mut u8,
    /// Elements contributed.
    pub count: usize,
    /// Reduce_scatter: elements for each member, the same everywhere.
    pub counts: Ints<'a>,
    pub ty: &'a TypeRef,
    pub handle: usize,
    pub op: Op,
    /// Of a predefined operation.
    pub kernel: Option<Kernel>,
    pub shape: DealShape<'a>,
    /// False on the root's side of an inter-communicator.
    pub contributes: bool,
    /// Members from this one on whose combined contribution it is: a power of two.  0: it has none.
    pub covers: usize,
    /// Its member is in another process, which takes care of the result.
    pub remote: bool,
    /// Likewise, and what it gives is not what members here give.
    pub odd: Option<Odd>,
    /// A function of the program's is called in every process that has members.
    pub everywhere: bool,
}

/// The one kind of element that a type has.
#[inline]
pub(crate) fn basic(ty: &TypeRef) -> u32 {
    ty.signature.uniform().map_or(u32::MAX, |b| b as u32)
}

/// Whose contributions are combined, and who gets the result.
pub(crate) struct Flow {
    pub from: Range<usize>,
    pub to: Range<usize>,
}

impl Reduction<'_> {
    /// Of its contribution.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        match self.odd {
            Some(Odd::Bytes(n)) => n,
            _ => self.count * self.ty.size,
        }
    }

    /// Elements that member `i` receives: (first, number).
    pub fn wanted(&self, i: usize) -> (usize, usize) {
        match self.kind {
            Kind::Reduce if i != self.root => (0, 0),
            Kind::ReduceScatter => {
                let first = (0..i).map(|i| self.counts.at(i) as usize).sum();
                (first, self.counts.at(i) as usize)
            }
            Kind::ReduceScatterBlock => {
                let each = self.counts.at(0) as usize;
                (i * each, each)
            }
            _ => (0, self.count),
        }
    }

    /// Elements that member `me` has when all is done.
    pub(crate) fn received(&self, me: usize) -> usize {
        let (between, i) = match self.shape {
            DealShape::Inter { low } => (true, if me < low { me } else { me - low }),
            _ => (false, me),
        };
        match self.kind {
            Kind::Exscan if me == 0 => 0,
            Kind::Reduce if between && self.contributes => 0,
            _ => self.wanted(i).1,
        }
    }

    /// Is it the same operation on all elements, which lie one behind the other?
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_scan()
            && matches!(self.shape, DealShape::Intra)
            && self.ty.contiguous
            && self.ty.extent == self.ty.size as isize
            && self.kernel.is_some()
    }

    /// Are both such, and of one type?
    pub(crate) fn is_plain_as(&self, other: &Reduction) -> bool {
        let what = |c: &Reduction| (c.root, c.count, c.ty.predefined, c.op);
        self.is_plain()
            && self.ty.predefined != 0
            && what(self) == what(other)
            && self.counts.same(&other.counts)
    }

    /// A number that stands for all on which members have to agree beside operation, type and length.
    pub(crate) fn agreed(&self) -> usize {
        let mut all = Xxh3Default::new();
        for count in self.counts.iter() {
            all.update(&(count as u64).to_le_bytes());
        }
        match self.counts.is_empty() {
            true => self.root,
            false => all.digest() as u32 as usize,
        }
    }

    /// Do the members `to` need this contribution?
    pub(crate) fn concerns(&self, to: &[usize]) -> bool {
        match (self.shape, self.op, self.kind) {
            (DealShape::Inter { .. }, ..) => self.contributes,
            (_, Op::User(_), _) if !self.everywhere => to.contains(&self.root),
            (_, _, Kind::Reduce) => to.contains(&self.root),
            _ => true,
        }
    }

    #[inline]
    pub(crate) fn is_scan(&self) -> bool {
        matches!(self.kind, Kind::Scan | Kind::Exscan)
    }
}

impl Reduction<'_> {
    /// How a call goes to other processes, but for what it contributes.
    pub fn write(
        w: &mut Writer,
        (root, count, contributes, covers): (usize, usize, bool, usize),
        (ty, op): (&TypeRef, Op),
        counts: Ints,
    ) {
        w.u64(root as u64);
        w.size(count);
        w.size(ty.size);
        w.u32(basic(ty));
        w.u8(contributes.into());
        match op {
            Op::Predef(p) => w.u32(p as u32),
            Op::User(u) => w.u32(u.traits().into()),
        }
        w.list(counts.iter(), |w, c| w.disp(c));
        w.size(covers);
    }

    /// Does member `i` get nothing here?
    #[inline]
    pub(crate) fn is_nothing(&self, i: usize) -> bool {
        self.recv.is_null() && self.remote || self.wanted(i).1 == 0
    }
}
