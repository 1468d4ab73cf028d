//! Collectives that go on while the program does something else.
//!
//! Those of a scope borrow their buffers and end with it.  Those whose names end in `_owned` copy what they send and give a
//! [`CollectiveFuture`], which may be pending at a location.  All ranks start them in one order, each of them either way.

pub(in crate::mpi) mod root;

use std::ffi::c_void;

use pc3_vmpi::c::coll::{MPI_Iallgather_c, MPI_Iallgatherv, MPI_Ialltoall_c};
use pc3_vmpi::c::reduce::{
    MPI_Iallreduce_c, MPI_Iexscan_c, MPI_Ireduce_scatter_block_c, MPI_Iscan_c,
};

use super::buffer::{Buffer, BufferMut, In, Out};
use super::collective::{alike, parts, Partition};
use super::communicator::Communicator;
use super::equivalence::{wire, wire_size, Equivalence};
use super::ok;
use super::operation::{Number, SystemOperation};
use super::point_to_point::{address, int};
pub use super::request::CollectiveFuture;
use super::request::{wait, LocalScope, Request};

impl<T: Equivalence> CollectiveFuture<T> {
    /// Waits for the values; none where the call brings the rank none.
    pub fn get(mut self) -> Vec<T> {
        wait(&mut self.0.handle);
        self.0.results()
    }

    /// The values, if they are there.
    pub fn r#try(self) -> Result<Vec<T>, Self> {
        match self.is_done() {
            true => Ok(self.get()),
            false => Err(self),
        }
    }
}

/// A buffer of what is sent and, behind it, room for so many values.
pub(super) struct Both {
    pub memory: Box<[u8]>,
    pub sent: usize,
    pub from: *mut c_void,
    pub into: *mut c_void,
}

pub(super) fn both<B: Buffer + ?Sized>(from: &B, room: usize) -> Both {
    let out = Out::of(from);
    let (sent, start) = (out.items, out.bytes);
    let mut memory = out.copy().into_vec();
    memory.resize(start + room * wire_size::<B::Item>(), 0);
    let mut memory = memory.into_boxed_slice();
    let (first, second) = memory.split_at_mut(start);
    let (from, into) = (address(first), address(second));
    Both {
        memory,
        sent,
        from,
        into,
    }
}

/// Elements of MPI's type in so many values.
pub(super) fn units<T: Equivalence>(items: usize) -> i64 {
    (items * wire::<T>().units) as i64
}

/// Calls what begins a collective that works on these buffers, which the scope sees to; what arrives is in them when it has ended.
macro_rules! scoped {
    ($scope:ident, [$($buffer:ident),*] $call:ident($($argument:expr),*)) => {{
        let mut handle = 0;
        // SAFETY: the buffers have the elements that the call is told of, and are there until the request has ended; lists of
        // counts and places it copies.
        ok(unsafe { $call($($argument,)* &raw mut handle) });
        $scope.add(handle, move |_| {
            $($buffer.done();)*
        })
    }};
}
pub(super) use scoped;

/// Likewise on memory that the future keeps; `$sent`: so many of the values in it were sent.
macro_rules! owned {
    ($both:ident, $sent:expr, $call:ident($($argument:expr),*)) => {{
        let mut handle = 0;
        // SAFETY: the memory has the elements that the call is told of, and the future keeps it until the request has ended.
        ok(unsafe { $call($($argument,)* &raw mut handle) });
        let sent = $sent;
        CollectiveFuture::new(handle, $both.memory, sent)
    }};
}
pub(super) use owned;

macro_rules! reductions {
    ($($(#[$doc:meta])* $scoped:ident $owned:ident $call:ident;)*) => {$(
        $(#[$doc])*
        fn $scoped<'a, S, R>(
            &self,
            scope: &LocalScope<'a>,
            from: &'a S,
            into: &'a mut R,
            operation: SystemOperation,
        ) -> Request<'a>
        where
            S: Buffer + ?Sized,
            S::Item: Number,
            R: BufferMut<Item = S::Item> + ?Sized,
        {
            let (out, into) = (Out::of(from), In::with_values(into));
            alike(out.items, into.items);
            scoped!(scope, [out, into] $call(
                out.ptr.cast(), into.ptr.cast(), out.units, out.basic, operation.handle(), self.handle()))
        }

        /// The same of values that the request keeps; it may be pending at a location.
        fn $owned<S: Buffer>(&self, from: S, operation: SystemOperation) -> CollectiveFuture<S::Item>
        where
            S::Item: Number,
        {
            let items = Out::of(&from).items;
            let both = both(&from, items);
            owned!(both, both.sent, $call(
                both.from, both.into, units::<S::Item>(items), wire::<S::Item>().basic, operation.handle(), self.handle()))
        }
    )*};
}

/// Without a root.
pub trait ImmediateCollectives: Communicator {
    /// Every rank gets the values of all, in the order of ranks.
    fn immediate_all_gather_into<'a, S, R>(
        &self,
        scope: &LocalScope<'a>,
        from: &'a S,
        into: &'a mut R,
    ) -> Request<'a>
    where
        S: Buffer + ?Sized,
        R: BufferMut<Item = S::Item> + ?Sized,
    {
        let (out, into) = (Out::of(from), In::of(into));
        parts(into.items, out.items, self.size());
        scoped!(scope, [out, into] MPI_Iallgather_c(
            out.ptr.cast(), out.units, out.basic, into.ptr.cast(), out.units, into.basic, self.handle()))
    }

    /// The same of values that the request keeps; it may be pending at a location.
    fn immediate_all_gather_owned<S: Buffer>(&self, from: S) -> CollectiveFuture<S::Item> {
        let items = Out::of(&from).items;
        let both = both(&from, items * self.size() as usize);
        let (n, basic) = (units::<S::Item>(items), wire::<S::Item>().basic);
        owned!(
            both,
            both.sent,
            MPI_Iallgather_c(both.from, n, basic, both.into, n, basic, self.handle())
        )
    }

    /// As [`immediate_all_gather_into`](Self::immediate_all_gather_into), where ranks have `counts` values.
    fn immediate_all_gather_varcount_into<'a, S, R>(
        &self,
        scope: &LocalScope<'a>,
        from: &'a S,
        into: &'a mut R,
        counts: &[usize],
    ) -> Request<'a>
    where
        S: Buffer + ?Sized,
        R: BufferMut<Item = S::Item> + ?Sized,
    {
        let (out, into) = (Out::of(from), In::of(into));
        let parts = Partition::of::<S::Item>(counts, into.items, self.size());
        parts.mine(out.items, self.rank());
        scoped!(scope, [out, into] MPI_Iallgatherv(
            out.ptr.cast(), int(out.units as usize), out.basic, into.ptr.cast(), parts.counts.as_ptr(),
            parts.starts.as_ptr(), into.basic, self.handle()))
    }

    /// Each rank gets a part of every rank's values.
    fn immediate_all_to_all_into<'a, S, R>(
        &self,
        scope: &LocalScope<'a>,
        from: &'a S,
        into: &'a mut R,
    ) -> Request<'a>
    where
        S: Buffer + ?Sized,
        R: BufferMut<Item = S::Item> + ?Sized,
    {
        let (out, into) = (Out::of(from), In::of(into));
        alike(out.items, into.items);
        let n = i64::from(self.size());
        parts(out.items, out.items / n as usize, self.size());
        scoped!(scope, [out, into] MPI_Ialltoall_c(
            out.ptr.cast(), out.units / n, out.basic, into.ptr.cast(), into.units / n, into.basic, self.handle()))
    }

    /// The same of values that the request keeps; it may be pending at a location.
    fn immediate_all_to_all_owned<S: Buffer>(&self, from: S) -> CollectiveFuture<S::Item> {
        let items = Out::of(&from).items;
        let part = items / self.size() as usize;
        parts(items, part, self.size());
        let both = both(&from, items);
        let (n, basic) = (units::<S::Item>(part), wire::<S::Item>().basic);
        owned!(
            both,
            both.sent,
            MPI_Ialltoall_c(both.from, n, basic, both.into, n, basic, self.handle())
        )
    }

    reductions! {
        /// Every rank gets what the operation makes of all ranks' values, value by value.
        immediate_all_reduce_into immediate_all_reduce_owned MPI_Iallreduce_c;
        /// Each rank gets what it makes of the values of lower ranks and its own.
        immediate_scan_into immediate_scan_owned MPI_Iscan_c;
        /// Each rank but the first gets what it makes of the values of lower ranks.
        immediate_exclusive_scan_into immediate_exclusive_scan_owned MPI_Iexscan_c;
    }

    /// Each rank gets its part of what the operation makes of all ranks' values.
    fn immediate_reduce_scatter_block_into<'a, S, R>(
        &self,
        scope: &LocalScope<'a>,
        from: &'a S,
        into: &'a mut R,
        operation: SystemOperation,
    ) -> Request<'a>
    where
        S: Buffer + ?Sized,
        S::Item: Number,
        R: BufferMut<Item = S::Item> + ?Sized,
    {
        let (out, into) = (Out::of(from), In::of(into));
        parts(out.items, into.items, self.size());
        scoped!(scope, [out, into] MPI_Ireduce_scatter_block_c(
            out.ptr.cast(), into.ptr.cast(), into.units, out.basic, operation.handle(), self.handle()))
    }

    /// The same of values that the request keeps; it may be pending at a location.
    fn immediate_reduce_scatter_block_owned<S: Buffer>(
        &self,
        from: S,
        operation: SystemOperation,
    ) -> CollectiveFuture<S::Item>
    where
        S::Item: Number,
    {
        let items = Out::of(&from).items;
        let part = items / self.size() as usize;
        parts(items, part, self.size());
        let both = both(&from, part);
        owned!(
            both,
            both.sent,
            MPI_Ireduce_scatter_block_c(
                both.from,
                both.into,
                units::<S::Item>(part),
                wire::<S::Item>().basic,
                operation.handle(),
                self.handle()
            )
        )
    }
}

impl<C: Communicator + ?Sized> ImmediateCollectives for C {}
