//! Collectives with a root that go on while the program does something else.

use pc3_vmpi::c::coll::{MPI_Ibcast_c, MPI_Igather_c, MPI_Igatherv, MPI_Iscatter_c, MPI_Iscatterv};
use pc3_vmpi::c::reduce::MPI_Ireduce_c;

use super::{both, owned, scoped, units};
use crate::mpi::buffer::{Buffer, BufferMut, In, Out};
use crate::mpi::collective::{alike, myself, other, parts, size, Partition, Root};
use crate::mpi::equivalence::wire;
use crate::mpi::ok;
use crate::mpi::operation::{Number, SystemOperation};
use crate::mpi::point_to_point::int;
use crate::mpi::request::{CollectiveFuture, LocalScope, Request};

/// With a root: a [`Process`](crate::mpi::Process), which is the same at all ranks.  The functions whose name has `_root` are the
/// root's.
pub trait ImmediateRoot: Root {
    /// All ranks get the root's values.
    fn immediate_broadcast_into<'a, B: BufferMut + ?Sized>(
        &self,
        scope: &LocalScope<'a>,
        buffer: &'a mut B,
    ) -> Request<'a> {
        let root = self.root();
        let buffer = if root.is_self() {
            In::with_values(buffer)
        } else {
            In::of(buffer)
        };
        scoped!(scope, [buffer] MPI_Ibcast_c(buffer.ptr.cast(), buffer.units, buffer.basic, root.rank, root.comm))
    }

    /// The same with a buffer that the request keeps; it may be pending at a location.  Ranks that are not the root say by
    /// their values how many they are.
    fn immediate_broadcast_owned<B: Buffer>(&self, values: B) -> CollectiveFuture<B::Item> {
        let root = self.root();
        let items = Out::of(&values).items;
        let both = both(&values, 0);
        owned!(
            both,
            0,
            MPI_Ibcast_c(
                both.from,
                units::<B::Item>(items),
                wire::<B::Item>().basic,
                root.rank,
                root.comm
            )
        )
    }

    /// The root gets the values of all.
    fn immediate_gather_into<'a, S: Buffer + ?Sized>(
        &self,
        scope: &LocalScope<'a>,
        from: &'a S,
    ) -> Request<'a> {
        let (root, out) = (other(self.root()), Out::of(from));
        scoped!(scope, [out] MPI_Igather_c(out.ptr.cast(), out.units, out.basic, std::ptr::null_mut(), 0, out.basic, root.rank, root.comm))
    }

    fn immediate_gather_into_root<'a, S, R>(
        &self,
        scope: &LocalScope<'a>,
        from: &'a S,
        into: &'a mut R,
    ) -> Request<'a>
    where
        S: Buffer + ?Sized,
        R: BufferMut<Item = S::Item> + ?Sized,
    {
        let (root, out, into) = (myself(self.root()), Out::of(from), In::of(into));
        parts(into.items, out.items, size(root));
        scoped!(scope, [out, into] MPI_Igather_c(
            out.ptr.cast(), out.units, out.basic, into.ptr.cast(), out.units, into.basic, root.rank, root.comm))
    }

    /// The same at any rank, of values that the request keeps; it may be pending at a location.
    fn immediate_gather_owned<S: Buffer>(&self, from: S) -> CollectiveFuture<S::Item> {
        let root = self.root();
        let items = Out::of(&from).items;
        let room = if root.is_self() {
            size(root) as usize
        } else {
            0
        };
        let both = both(&from, items * room);
        let (n, basic) = (units::<S::Item>(items), wire::<S::Item>().basic);
        owned!(
            both,
            both.sent,
            MPI_Igather_c(both.from, n, basic, both.into, n, basic, root.rank, root.comm)
        )
    }

    /// Likewise, of as many values as each rank has.
    fn immediate_gather_varcount_into<'a, S: Buffer + ?Sized>(
        &self,
        scope: &LocalScope<'a>,
        from: &'a S,
    ) -> Request<'a> {
        let (root, out) = (other(self.root()), Out::of(from));
        scoped!(scope, [out] MPI_Igatherv(
            out.ptr.cast(), int(out.units as usize), out.basic, std::ptr::null_mut(), std::ptr::null(),
            std::ptr::null(), out.basic, root.rank, root.comm))
    }

    fn immediate_gather_varcount_into_root<'a, S, R>(
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
        let (root, out, into) = (myself(self.root()), Out::of(from), In::of(into));
        let parts = Partition::of::<S::Item>(counts, into.items, size(root));
        parts.mine(out.items, root.rank);
        scoped!(scope, [out, into] MPI_Igatherv(
            out.ptr.cast(), int(out.units as usize), out.basic, into.ptr.cast(), parts.counts.as_ptr(),
            parts.starts.as_ptr(), into.basic, root.rank, root.comm))
    }

    /// Each rank gets a part of the root's values.
    fn immediate_scatter_into<'a, R: BufferMut + ?Sized>(
        &self,
        scope: &LocalScope<'a>,
        into: &'a mut R,
    ) -> Request<'a> {
        let (root, into) = (other(self.root()), In::of(into));
        scoped!(scope, [into] MPI_Iscatter_c(
            std::ptr::null(), 0, into.basic, into.ptr.cast(), into.units, into.basic, root.rank, root.comm))
    }

    fn immediate_scatter_into_root<'a, S, R>(
        &self,
        scope: &LocalScope<'a>,
        from: &'a S,
        into: &'a mut R,
    ) -> Request<'a>
    where
        S: Buffer + ?Sized,
        R: BufferMut<Item = S::Item> + ?Sized,
    {
        let (root, out, into) = (myself(self.root()), Out::of(from), In::of(into));
        parts(out.items, into.items, size(root));
        scoped!(scope, [out, into] MPI_Iscatter_c(
            out.ptr.cast(), into.units, out.basic, into.ptr.cast(), into.units, into.basic, root.rank, root.comm))
    }

    /// The same at any rank, for so many values each, of values that the request keeps (those of other ranks than the root
    /// are not looked at); it may be pending at a location.
    fn immediate_scatter_owned<S: Buffer>(
        &self,
        from: S,
        part: usize,
    ) -> CollectiveFuture<S::Item> {
        let root = self.root();
        let items = Out::of(&from).items;
        let both = if root.is_self() {
            parts(items, part, size(root));
            both(&from, part)
        } else {
            both::<[S::Item]>(&[], part)
        };
        let (n, basic) = (units::<S::Item>(part), wire::<S::Item>().basic);
        owned!(
            both,
            both.sent,
            MPI_Iscatter_c(both.from, n, basic, both.into, n, basic, root.rank, root.comm)
        )
    }

    /// Likewise, of as many values as the root says for each.
    fn immediate_scatter_varcount_into<'a, R: BufferMut + ?Sized>(
        &self,
        scope: &LocalScope<'a>,
        into: &'a mut R,
    ) -> Request<'a> {
        let (root, into) = (other(self.root()), In::of(into));
        scoped!(scope, [into] MPI_Iscatterv(
            std::ptr::null(), std::ptr::null(), std::ptr::null(), into.basic, into.ptr.cast(),
            int(into.units as usize), into.basic, root.rank, root.comm))
    }

    fn immediate_scatter_varcount_into_root<'a, S, R>(
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
        let (root, out, into) = (myself(self.root()), Out::of(from), In::of(into));
        let parts = Partition::of::<S::Item>(counts, out.items, size(root));
        parts.mine(into.items, root.rank);
        scoped!(scope, [out, into] MPI_Iscatterv(
            out.ptr.cast(), parts.counts.as_ptr(), parts.starts.as_ptr(), out.basic, into.ptr.cast(),
            int(into.units as usize), into.basic, root.rank, root.comm))
    }

    /// The root gets what the operation makes of all ranks' values, value by value.
    fn immediate_reduce_into<'a, S>(
        &self,
        scope: &LocalScope<'a>,
        from: &'a S,
        operation: SystemOperation,
    ) -> Request<'a>
    where
        S: Buffer + ?Sized,
        S::Item: Number,
    {
        let (root, out) = (other(self.root()), Out::of(from));
        scoped!(scope, [out] MPI_Ireduce_c(
            out.ptr.cast(), std::ptr::null_mut(), out.units, out.basic, operation.handle(), root.rank, root.comm))
    }

    fn immediate_reduce_into_root<'a, S, R>(
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
        let (root, out, into) = (myself(self.root()), Out::of(from), In::of(into));
        alike(out.items, into.items);
        scoped!(scope, [out, into] MPI_Ireduce_c(
            out.ptr.cast(), into.ptr.cast(), out.units, out.basic, operation.handle(), root.rank, root.comm))
    }

    /// The same at any rank, of values that the request keeps; it may be pending at a location.
    fn immediate_reduce_owned<S: Buffer>(
        &self,
        from: S,
        operation: SystemOperation,
    ) -> CollectiveFuture<S::Item>
    where
        S::Item: Number,
    {
        let root = self.root();
        let items = Out::of(&from).items;
        let both = both(&from, if root.is_self() { items } else { 0 });
        owned!(
            both,
            both.sent,
            MPI_Ireduce_c(
                both.from,
                both.into,
                units::<S::Item>(items),
                wire::<S::Item>().basic,
                operation.handle(),
                root.rank,
                root.comm
            )
        )
    }
}

impl<R: Root + ?Sized> ImmediateRoot for R {}
