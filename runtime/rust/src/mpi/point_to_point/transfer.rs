//! Sending and receiving.

use pc3_vmpi::c::p2p::{
    MPI_Irecv_c, MPI_Isend_c, MPI_Issend_c, MPI_Recv_c, MPI_Rsend_c, MPI_Send_c, MPI_Sendrecv_c,
    MPI_Ssend_c,
};
use pc3_vmpi::c::probe::{MPI_Improbe, MPI_Iprobe, MPI_Mprobe, MPI_Probe};
use pc3_vmpi::handle::abi;

use super::{address, empty, one, Message, Status};
use crate::mpi::buffer::{values, Buffer, BufferMut, In, Out};
use crate::mpi::communicator::{AnyProcess, Process};
use crate::mpi::equivalence::{wire, wire_size, Equivalence};
use crate::mpi::request::{LocalScope, ReceiveFuture, ReceiveVecFuture, Request, SendFuture};
use crate::mpi::{fail, ok, Tag};

macro_rules! starts {
    ($($(#[$doc:meta])* $scoped:ident $scoped_tag:ident $owned:ident $owned_tag:ident $call:ident;)*) => {$(
        $(#[$doc])*
        fn $scoped<'a, B: Buffer + ?Sized>(&self, scope: &LocalScope<'a>, buffer: &'a B) -> Request<'a> {
            self.$scoped_tag(scope, buffer, 0)
        }

        fn $scoped_tag<'a, B: Buffer + ?Sized>(&self, scope: &LocalScope<'a>, buffer: &'a B, tag: Tag) -> Request<'a> {
            let (out, to) = (Out::of(buffer), self.to());
            let mut handle = 0;
            // SAFETY: the buffer, or its copy, is there until the request has ended: the scope sees to that.
            ok(unsafe {
                $call(out.ptr.cast(), out.units, out.basic, to.rank, tag, to.comm, &raw mut handle)
            });
            scope.add(handle, move |_| drop(out))
        }

        /// The same of values that the request keeps; it may be pending at a location.
        fn $owned<B: Buffer>(&self, values: B) -> SendFuture<B::Item> {
            self.$owned_tag(values, 0)
        }

        fn $owned_tag<B: Buffer>(&self, values: B, tag: Tag) -> SendFuture<B::Item> {
            let (out, to) = (Out::of(&values), self.to());
            let (units, basic) = (out.units, out.basic);
            let mut copy = out.copy();
            let mut handle = 0;
            // SAFETY: the future keeps the copy until the request has ended.
            ok(unsafe {
                $call(address(&mut copy), units, basic, to.rank, tag, to.comm, &raw mut handle)
            });
            SendFuture::new(handle, copy, 0)
        }
    )*};
}

/// Someone to whom messages are sent.
pub trait Destination {
    #[doc(hidden)]
    fn to(&self) -> Process;

    /// Returns when the buffer may be used again.
    fn send<B: Buffer + ?Sized>(&self, buffer: &B) {
        self.send_with_tag(buffer, 0);
    }

    fn send_with_tag<B: Buffer + ?Sized>(&self, buffer: &B, tag: Tag) {
        let (out, to) = (Out::of(buffer), self.to());
        // SAFETY: the buffer, or its copy, is there until the call returns.
        ok(unsafe { MPI_Send_c(out.ptr.cast(), out.units, out.basic, to.rank, tag, to.comm) });
    }

    /// Returns when the message is being received.
    fn synchronous_send<B: Buffer + ?Sized>(&self, buffer: &B) {
        self.synchronous_send_with_tag(buffer, 0);
    }

    fn synchronous_send_with_tag<B: Buffer + ?Sized>(&self, buffer: &B, tag: Tag) {
        let (out, to) = (Out::of(buffer), self.to());
        // SAFETY: as above.
        ok(unsafe { MPI_Ssend_c(out.ptr.cast(), out.units, out.basic, to.rank, tag, to.comm) });
    }

    /// The receive has been started.
    fn ready_send<B: Buffer + ?Sized>(&self, buffer: &B) {
        self.ready_send_with_tag(buffer, 0);
    }

    fn ready_send_with_tag<B: Buffer + ?Sized>(&self, buffer: &B, tag: Tag) {
        let (out, to) = (Out::of(buffer), self.to());
        // SAFETY: as above.
        ok(unsafe { MPI_Rsend_c(out.ptr.cast(), out.units, out.basic, to.rank, tag, to.comm) });
    }

    starts! {
        /// Starts to send.
        immediate_send immediate_send_with_tag immediate_send_owned immediate_send_owned_with_tag MPI_Isend_c;
        /// Starts to send; the request ends when the message is being received.
        immediate_synchronous_send immediate_synchronous_send_with_tag immediate_synchronous_send_owned
            immediate_synchronous_send_owned_with_tag MPI_Issend_c;
    }
}

impl Destination for Process {
    fn to(&self) -> Process {
        *self
    }
}

/// Someone, or anyone, from whom messages are received.
pub trait Source {
    #[doc(hidden)]
    fn from(&self) -> Process;

    /// Receives one value.
    fn receive<T: Equivalence>(&self) -> (T, Status) {
        self.receive_with_tag(abi::ANY_TAG)
    }

    fn receive_with_tag<T: Equivalence>(&self, tag: Tag) -> (T, Status) {
        let (values, status) = take(self.from(), 1, tag);
        (one(values, &status), status)
    }

    /// Receives as many values as there are, at most as many as there is room for; more end the job.
    fn receive_into<B: BufferMut + ?Sized>(&self, buffer: &mut B) -> Status {
        self.receive_into_with_tag(buffer, abi::ANY_TAG)
    }

    fn receive_into_with_tag<B: BufferMut + ?Sized>(&self, buffer: &mut B, tag: Tag) -> Status {
        let (into, from) = (In::of(buffer), self.from());
        let mut c = empty();
        // SAFETY: room for as many, until the call returns.
        ok(unsafe {
            MPI_Recv_c(
                into.ptr.cast(),
                into.units,
                into.basic,
                from.rank,
                tag,
                from.comm,
                &raw mut c,
            )
        });
        let status = Status::of(&c);
        into.received(status.count::<B::Item>());
        status
    }

    /// Receives all values of a message.
    fn receive_vec<T: Equivalence>(&self) -> (Vec<T>, Status) {
        self.receive_vec_with_tag(abi::ANY_TAG)
    }

    fn receive_vec_with_tag<T: Equivalence>(&self, tag: Tag) -> (Vec<T>, Status) {
        self.matched_probe_with_tag(tag).0.receive_vec()
    }

    /// Waits for a message and tells what it is.
    fn probe(&self) -> Status {
        self.probe_with_tag(abi::ANY_TAG)
    }

    fn probe_with_tag(&self, tag: Tag) -> Status {
        let from = self.from();
        let mut c = empty();
        // SAFETY: fills the variable.
        ok(unsafe { MPI_Probe(from.rank, tag, from.comm, &raw mut c) });
        Status::of(&c)
    }

    /// Tells what message there is, if there is one.
    fn immediate_probe(&self) -> Option<Status> {
        self.immediate_probe_with_tag(abi::ANY_TAG)
    }

    fn immediate_probe_with_tag(&self, tag: Tag) -> Option<Status> {
        let from = self.from();
        let (mut c, mut found) = (empty(), 0);
        // SAFETY: as above.
        ok(unsafe { MPI_Iprobe(from.rank, tag, from.comm, &raw mut found, &raw mut c) });
        (found != 0).then(|| Status::of(&c))
    }

    /// Waits for a message and takes it, to be received in a second step.
    fn matched_probe(&self) -> (Message, Status) {
        self.matched_probe_with_tag(abi::ANY_TAG)
    }

    fn matched_probe_with_tag(&self, tag: Tag) -> (Message, Status) {
        let from = self.from();
        let (mut c, mut handle) = (empty(), abi::MESSAGE_NULL);
        // SAFETY: as above.
        ok(unsafe { MPI_Mprobe(from.rank, tag, from.comm, &raw mut handle, &raw mut c) });
        let status = Status::of(&c);
        (Message { handle, status }, status)
    }

    /// Takes a message, if there is one, to be received in a second step.
    fn immediate_matched_probe(&self) -> Option<(Message, Status)> {
        self.immediate_matched_probe_with_tag(abi::ANY_TAG)
    }

    fn immediate_matched_probe_with_tag(&self, tag: Tag) -> Option<(Message, Status)> {
        let from = self.from();
        let (mut c, mut handle, mut found) = (empty(), abi::MESSAGE_NULL, 0);
        // SAFETY: as above.
        ok(unsafe {
            MPI_Improbe(
                from.rank,
                tag,
                from.comm,
                &raw mut found,
                &raw mut handle,
                &raw mut c,
            )
        });
        let status = Status::of(&c);
        (found != 0).then_some((Message { handle, status }, status))
    }

    /// Starts to receive into a buffer.
    fn immediate_receive_into<'a, B: BufferMut + ?Sized>(
        &self,
        scope: &LocalScope<'a>,
        buffer: &'a mut B,
    ) -> Request<'a> {
        self.immediate_receive_into_with_tag(scope, buffer, abi::ANY_TAG)
    }

    fn immediate_receive_into_with_tag<'a, B: BufferMut + ?Sized>(
        &self,
        scope: &LocalScope<'a>,
        buffer: &'a mut B,
        tag: Tag,
    ) -> Request<'a> {
        let (into, from) = (In::of(buffer), self.from());
        let mut handle = 0;
        // SAFETY: the buffer, or its copy, is there until the request has ended: the scope sees to that.
        ok(unsafe {
            MPI_Irecv_c(
                into.ptr.cast(),
                into.units,
                into.basic,
                from.rank,
                tag,
                from.comm,
                &raw mut handle,
            )
        });
        scope.add(handle, move |status| {
            into.received(status.count::<B::Item>());
        })
    }

    /// Starts to receive one value; the request may be pending at a location.
    fn immediate_receive<T: Equivalence>(&self) -> ReceiveFuture<T> {
        self.immediate_receive_with_tag(abi::ANY_TAG)
    }

    fn immediate_receive_with_tag<T: Equivalence>(&self, tag: Tag) -> ReceiveFuture<T> {
        let (handle, buffer) = start::<T>(self.from(), 1, tag);
        ReceiveFuture::new(handle, buffer, 0)
    }

    /// Starts to receive at most so many values; more end the job.  The request may be pending at a location.
    fn immediate_receive_vec<T: Equivalence>(&self, most: usize) -> ReceiveVecFuture<T> {
        self.immediate_receive_vec_with_tag(most, abi::ANY_TAG)
    }

    fn immediate_receive_vec_with_tag<T: Equivalence>(
        &self,
        most: usize,
        tag: Tag,
    ) -> ReceiveVecFuture<T> {
        let (handle, buffer) = start::<T>(self.from(), most, tag);
        ReceiveVecFuture::new(handle, buffer, 0)
    }
}

fn start<T: Equivalence>(from: Process, n: usize, tag: Tag) -> (usize, Box<[u8]>) {
    let wire = wire::<T>();
    let mut buffer = vec![0; n * wire_size::<T>()].into_boxed_slice();
    let mut handle = 0;
    // SAFETY: whoever gets the buffer keeps it until the request has ended.
    ok(unsafe {
        MPI_Irecv_c(
            address(&mut buffer),
            (n * wire.units) as i64,
            wire.basic,
            from.rank,
            tag,
            from.comm,
            &raw mut handle,
        )
    });
    (handle, buffer)
}

impl Source for Process {
    fn from(&self) -> Process {
        *self
    }
}

impl Source for AnyProcess {
    fn from(&self) -> Process {
        Process {
            comm: self.comm,
            rank: abi::ANY_SOURCE,
        }
    }
}

fn take<T: Equivalence>(from: Process, n: usize, tag: Tag) -> (Vec<T>, Status) {
    let wire = wire::<T>();
    let mut bytes = vec![0; n * wire_size::<T>()];
    let mut c = empty();
    // SAFETY: room for as many, until the call returns.
    ok(unsafe {
        MPI_Recv_c(
            address(&mut bytes),
            (n * wire.units) as i64,
            wire.basic,
            from.rank,
            tag,
            from.comm,
            &raw mut c,
        )
    });
    let status = Status::of(&c);
    bytes.truncate(status.count::<T>() * wire_size::<T>());
    (values(&bytes), status)
}

/// Sends one message and receives another, in whichever order they get through.
pub fn send_receive_into<S, R>(
    send: &S,
    destination: &impl Destination,
    receive: &mut R,
    source: &impl Source,
) -> Status
where
    S: Buffer + ?Sized,
    R: BufferMut + ?Sized,
{
    send_receive_into_with_tags(send, destination, 0, receive, source, abi::ANY_TAG)
}

/// Likewise, with tags.
pub fn send_receive_into_with_tags<S, R>(
    send: &S,
    destination: &impl Destination,
    send_tag: Tag,
    receive: &mut R,
    source: &impl Source,
    receive_tag: Tag,
) -> Status
where
    S: Buffer + ?Sized,
    R: BufferMut + ?Sized,
{
    let (to, from) = (destination.to(), source.from());
    let (out, into) = (Out::of(send), In::of(receive));
    let room = (into.ptr, into.units, into.basic);
    let status = exchange(&out, (to, send_tag), room, (from, receive_tag));
    into.received(status.count::<R::Item>());
    status
}

/// `room` is where elements go, how many there may be, and their type.
fn exchange(
    out: &Out,
    (to, send_tag): (Process, Tag),
    room: (*mut u8, i64, usize),
    (from, receive_tag): (Process, Tag),
) -> Status {
    if to.comm != from.comm {
        fail("what is sent and what is received are messages of different communicators");
    }
    let mut c = empty();
    // SAFETY: both are there until the call returns.
    ok(unsafe {
        MPI_Sendrecv_c(
            out.ptr.cast(),
            out.units,
            out.basic,
            to.rank,
            send_tag,
            room.0.cast(),
            room.1,
            room.2,
            from.rank,
            receive_tag,
            from.comm,
            &raw mut c,
        )
    });
    Status::of(&c)
}

/// Sends one message and receives another one of one value.
pub fn send_receive<R, S>(
    send: &S,
    destination: &impl Destination,
    source: &impl Source,
) -> (R, Status)
where
    R: Equivalence,
    S: Buffer + ?Sized,
{
    let (to, from) = (destination.to(), source.from());
    let (out, wire) = (Out::of(send), wire::<R>());
    let mut bytes = vec![0; wire_size::<R>()];
    let room = (bytes.as_mut_ptr(), wire.units as i64, wire.basic);
    let status = exchange(&out, (to, 0), room, (from, abi::ANY_TAG));
    bytes.truncate(status.count::<R>() * wire_size::<R>());
    (one(values(&bytes), &status), status)
}
