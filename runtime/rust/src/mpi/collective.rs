//! Operations in which all ranks of a communicator take part.  All call them in one order, with buffers that fit together.

use pc3_vmpi::c::coll::{
    MPI_Allgather_c, MPI_Allgatherv, MPI_Alltoall_c, MPI_Barrier, MPI_Bcast_c, MPI_Gather_c,
    MPI_Gatherv, MPI_Ibarrier, MPI_Scatter_c, MPI_Scatterv,
};
use pc3_vmpi::c::reduce::{
    MPI_Allreduce_c, MPI_Exscan_c, MPI_Reduce_c, MPI_Reduce_scatter_block_c, MPI_Scan_c,
};

use super::buffer::{Buffer, BufferMut, In, Out};
use super::communicator::{Communicator, Process};
use super::equivalence::wire;
pub use super::operation::{Operation, SystemOperation, UserOperation};
use super::point_to_point::int;
use super::request::BarrierFuture;
use super::{fail, ok};

/// The two buffers of a reduction hold as many values.
pub(super) fn alike(from: usize, into: usize) {
    if from != into {
        fail(&format!(
            "{from} values are reduced into a buffer for {into}"
        ));
    }
}

/// One of the buffers has a part for each of `ranks`, of as many values as the other.
pub(super) fn parts(whole: usize, part: usize, ranks: i32) {
    if usize::try_from(ranks).map(|n| n * part) != Ok(whole) {
        fail(&format!(
            "a buffer for {whole} values does not have {part} for each of {ranks} ranks"
        ));
    }
}

/// Calls what works on buffers until it returns.
macro_rules! blocking {
    ($call:ident($($argument:expr),*)) => {
        // SAFETY: the buffers have the elements that the call is told of, and are there until it returns.
        ok(unsafe { $call($($argument),*) })
    };
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $call:ident;)*) => {$(
        $(#[$doc])*
        fn $name<S, R, O>(&self, from: &S, into: &mut R, operation: O)
        where
            S: Buffer + ?Sized,
            R: BufferMut<Item = S::Item> + ?Sized,
            O: Operation<S::Item>,
        {
            let (out, into) = (Out::of(from), In::with_values(into));
            alike(out.items, into.items);
            operation.tell(&mut |told| {
                let n = (out.items * told.units) as i64;
                // SAFETY: buffers of as many elements, until the call returns.
                ok(unsafe {
                    $call(out.ptr.cast(), into.ptr.cast(), n, told.datatype, told.op, self.handle())
                });
            });
            into.done();
        }
    )*};
}

/// Without a root.
pub trait CommunicatorCollectives: Communicator {
    /// Returns when all ranks have called it.
    fn barrier(&self) {
        // SAFETY: it has no buffers.
        ok(unsafe { MPI_Barrier(self.handle()) });
    }

    /// Says that the rank has come to a barrier, and goes on.  It may be pending at a location.
    fn immediate_barrier(&self) -> BarrierFuture {
        let mut handle = 0;
        // SAFETY: fills the variable.
        ok(unsafe { MPI_Ibarrier(self.handle(), &raw mut handle) });
        BarrierFuture::new(handle)
    }

    /// Every rank gets the values of all, in the order of ranks.
    fn all_gather_into<S, R>(&self, from: &S, into: &mut R)
    where
        S: Buffer + ?Sized,
        R: BufferMut<Item = S::Item> + ?Sized,
    {
        let (out, into) = (Out::of(from), In::of(into));
        parts(into.items, out.items, self.size());
        blocking!(MPI_Allgather_c(
            out.ptr.cast(),
            out.units,
            out.basic,
            into.ptr.cast(),
            out.units,
            into.basic,
            self.handle()
        ));
        into.done();
    }

    /// Likewise, where ranks have `counts` values, each rank as many as it has there.
    fn all_gather_varcount_into<S, R>(&self, from: &S, into: &mut R, counts: &[usize])
    where
        S: Buffer + ?Sized,
        R: BufferMut<Item = S::Item> + ?Sized,
    {
        let (out, into) = (Out::of(from), In::of(into));
        let parts = Partition::of::<S::Item>(counts, into.items, self.size());
        parts.mine(out.items, self.rank());
        blocking!(MPI_Allgatherv(
            out.ptr.cast(),
            int(out.units as usize),
            out.basic,
            into.ptr.cast(),
            parts.counts.as_ptr(),
            parts.starts.as_ptr(),
            into.basic,
            self.handle()
        ));
        into.done();
    }

    /// Each rank gets a part of every rank's values.
    fn all_to_all_into<S, R>(&self, from: &S, into: &mut R)
    where
        S: Buffer + ?Sized,
        R: BufferMut<Item = S::Item> + ?Sized,
    {
        let (out, into) = (Out::of(from), In::of(into));
        alike(out.items, into.items);
        let n = i64::from(self.size());
        parts(out.items, out.items / n as usize, self.size());
        blocking!(MPI_Alltoall_c(
            out.ptr.cast(),
            out.units / n,
            out.basic,
            into.ptr.cast(),
            into.units / n,
            into.basic,
            self.handle()
        ));
        into.done();
    }

    reductions! {
        /// Every rank gets what the operation makes of all ranks' values, value by value.
        all_reduce_into MPI_Allreduce_c;
        /// Each rank gets what it makes of the values of lower ranks and its own.
        scan_into MPI_Scan_c;
        /// Each rank but the first gets what it makes of the values of lower ranks.
        exclusive_scan_into MPI_Exscan_c;
    }

    /// Each rank gets its part of what the operation makes of all ranks' values.
    fn reduce_scatter_block_into<S, R, O>(&self, from: &S, into: &mut R, operation: O)
    where
        S: Buffer + ?Sized,
        R: BufferMut<Item = S::Item> + ?Sized,
        O: Operation<S::Item>,
    {
        let (out, into) = (Out::of(from), In::of(into));
        parts(out.items, into.items, self.size());
        operation.tell(&mut |told| {
            let n = (into.items * told.units) as i64;
            // SAFETY: as above.
            ok(unsafe {
                MPI_Reduce_scatter_block_c(
                    out.ptr.cast(),
                    into.ptr.cast(),
                    n,
                    told.datatype,
                    told.op,
                    self.handle(),
                )
            });
        });
        into.done();
    }
}

impl<C: Communicator + ?Sized> CommunicatorCollectives for C {}

/// Parts of a buffer, one behind the other, in elements of MPI's type.
pub(super) struct Partition {
    pub counts: Vec<i32>,
    pub starts: Vec<i32>,
    units: usize,
}

impl Partition {
    pub fn of<T: super::Equivalence>(counts: &[usize], room: usize, ranks: i32) -> Partition {
        let units = wire::<T>().units;
        let total: usize = counts.iter().sum();
        if counts.len() != ranks as usize || total > room {
            fail(&format!(
                "{} counts of {total} values for {ranks} ranks and a buffer of {room} values",
                counts.len()
            ));
        }
        let mut at = 0;
        let starts = counts.iter().map(|n| {
            at += n * units;
            int(at - n * units)
        });
        Partition {
            starts: starts.collect(),
            counts: counts.iter().map(|n| int(n * units)).collect(),
            units,
        }
    }

    /// The calling rank's buffer must have as many values as it is said to have.
    pub fn mine(&self, items: usize, rank: i32) {
        let said = self.counts[rank as usize];
        if said != int(items * self.units) {
            fail(&format!(
                "{items} values where the counts say {}",
                said as usize / self.units.max(1)
            ));
        }
    }
}

/// With a root: a [`Process`], which is the same at all ranks.  The functions whose name ends in `_root` are the root's.
pub trait Root {
    #[doc(hidden)]
    fn root(&self) -> Process;

    /// All ranks get the root's values.
    fn broadcast_into<B: BufferMut + ?Sized>(&self, buffer: &mut B) {
        let root = self.root();
        let buffer = if root.is_self() {
            In::with_values(buffer)
        } else {
            In::of(buffer)
        };
        blocking!(MPI_Bcast_c(
            buffer.ptr.cast(),
            buffer.units,
            buffer.basic,
            root.rank,
            root.comm
        ));
        buffer.done();
    }

    /// The root gets the values of all.
    fn gather_into<S: Buffer + ?Sized>(&self, from: &S) {
        let (root, out) = (other(self.root()), Out::of(from));
        blocking!(MPI_Gather_c(
            out.ptr.cast(),
            out.units,
            out.basic,
            std::ptr::null_mut(),
            0,
            out.basic,
            root.rank,
            root.comm
        ));
    }

    fn gather_into_root<S, R>(&self, from: &S, into: &mut R)
    where
        S: Buffer + ?Sized,
        R: BufferMut<Item = S::Item> + ?Sized,
    {
        let (root, out, into) = (myself(self.root()), Out::of(from), In::of(into));
        parts(into.items, out.items, size(root));
        blocking!(MPI_Gather_c(
            out.ptr.cast(),
            out.units,
            out.basic,
            into.ptr.cast(),
            out.units,
            into.basic,
            root.rank,
            root.comm
        ));
        into.done();
    }

    /// Likewise, of as many values as each rank has.
    fn gather_varcount_into<S: Buffer + ?Sized>(&self, from: &S) {
        let (root, out) = (other(self.root()), Out::of(from));
        blocking!(MPI_Gatherv(
            out.ptr.cast(),
            int(out.units as usize),
            out.basic,
            std::ptr::null_mut(),
            std::ptr::null(),
            std::ptr::null(),
            out.basic,
            root.rank,
            root.comm
        ));
    }

    fn gather_varcount_into_root<S, R>(&self, from: &S, into: &mut R, counts: &[usize])
    where
        S: Buffer + ?Sized,
        R: BufferMut<Item = S::Item> + ?Sized,
    {
        let (root, out, into) = (myself(self.root()), Out::of(from), In::of(into));
        let parts = Partition::of::<S::Item>(counts, into.items, size(root));
        parts.mine(out.items, root.rank);
        blocking!(MPI_Gatherv(
            out.ptr.cast(),
            int(out.units as usize),
            out.basic,
            into.ptr.cast(),
            parts.counts.as_ptr(),
            parts.starts.as_ptr(),
            into.basic,
            root.rank,
            root.comm
        ));
        into.done();
    }

    /// Each rank gets a part of the root's values.
    fn scatter_into<R: BufferMut + ?Sized>(&self, into: &mut R) {
        let (root, into) = (other(self.root()), In::of(into));
        blocking!(MPI_Scatter_c(
            std::ptr::null(),
            0,
            into.basic,
            into.ptr.cast(),
            into.units,
            into.basic,
            root.rank,
            root.comm
        ));
        into.done();
    }

    fn scatter_into_root<S, R>(&self, from: &S, into: &mut R)
    where
        S: Buffer + ?Sized,
        R: BufferMut<Item = S::Item> + ?Sized,
    {
        let (root, out, into) = (myself(self.root()), Out::of(from), In::of(into));
        parts(out.items, into.items, size(root));
        blocking!(MPI_Scatter_c(
            out.ptr.cast(),
            into.units,
            out.basic,
            into.ptr.cast(),
            into.units,
            into.basic,
            root.rank,
            root.comm
        ));
        into.done();
    }

    /// Likewise, of as many values as the root says for each.
    fn scatter_varcount_into<R: BufferMut + ?Sized>(&self, into: &mut R) {
        let (root, into) = (other(self.root()), In::of(into));
        blocking!(MPI_Scatterv(
            std::ptr::null(),
            std::ptr::null(),
            std::ptr::null(),
            into.basic,
            into.ptr.cast(),
            int(into.units as usize),
            into.basic,
            root.rank,
            root.comm
        ));
        into.done();
    }

    fn scatter_varcount_into_root<S, R>(&self, from: &S, into: &mut R, counts: &[usize])
    where
        S: Buffer + ?Sized,
        R: BufferMut<Item = S::Item> + ?Sized,
    {
        let (root, out, into) = (myself(self.root()), Out::of(from), In::of(into));
        let parts = Partition::of::<S::Item>(counts, out.items, size(root));
        parts.mine(into.items, root.rank);
        blocking!(MPI_Scatterv(
            out.ptr.cast(),
            parts.counts.as_ptr(),
            parts.starts.as_ptr(),
            out.basic,
            into.ptr.cast(),
            int(into.units as usize),
            into.basic,
            root.rank,
            root.comm
        ));
        into.done();
    }

    /// The root gets what the operation makes of all ranks' values, value by value.
    fn reduce_into<S, O>(&self, from: &S, operation: O)
    where
        S: Buffer + ?Sized,
        O: Operation<S::Item>,
    {
        let (root, out) = (other(self.root()), Out::of(from));
        operation.tell(&mut |told| {
            let n = (out.items * told.units) as i64;
            // SAFETY: as above; only the root receives.
            ok(unsafe {
                MPI_Reduce_c(
                    out.ptr.cast(),
                    std::ptr::null_mut(),
                    n,
                    told.datatype,
                    told.op,
                    root.rank,
                    root.comm,
                )
            });
        });
    }

    fn reduce_into_root<S, R, O>(&self, from: &S, into: &mut R, operation: O)
    where
        S: Buffer + ?Sized,
        R: BufferMut<Item = S::Item> + ?Sized,
        O: Operation<S::Item>,
    {
        let (root, out, into) = (myself(self.root()), Out::of(from), In::of(into));
        alike(out.items, into.items);
        operation.tell(&mut |told| {
            let n = (out.items * told.units) as i64;
            // SAFETY: as above.
            ok(unsafe {
                MPI_Reduce_c(
                    out.ptr.cast(),
                    into.ptr.cast(),
                    n,
                    told.datatype,
                    told.op,
                    root.rank,
                    root.comm,
                )
            });
        });
        into.done();
    }
}

impl Root for Process {
    fn root(&self) -> Process {
        *self
    }
}

pub(super) fn size(root: Process) -> i32 {
    let mut n = 0;
    // SAFETY: fills the variable.
    ok(unsafe { pc3_vmpi::c::comm::MPI_Comm_size(root.comm, &raw mut n) });
    n
}

pub(super) fn myself(root: Process) -> Process {
    if !root.is_self() {
        fail(&format!(
            "rank {} is the root: the others call the function without _root",
            root.rank
        ));
    }
    root
}

pub(super) fn other(root: Process) -> Process {
    if root.is_self() {
        fail("the root calls the function whose name ends in _root");
    }
    root
}
