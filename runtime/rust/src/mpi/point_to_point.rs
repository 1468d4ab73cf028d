//! Messages from one rank to another.

use pc3_vmpi::c::p2p::{MPI_Recv_c, MPI_Rsend_c, MPI_Send_c, MPI_Sendrecv_c, MPI_Ssend_c};
use pc3_vmpi::c::probe::{MPI_Iprobe, MPI_Mprobe, MPI_Mrecv, MPI_Probe};
use pc3_vmpi::c::status::CStatus;
use pc3_vmpi::datatype::basic::Basic;
use pc3_vmpi::handle::abi;

use super::buffer::{values, Buffer, BufferMut, In, Out};
use super::communicator::{AnyProcess, Process};
use super::equivalence::{wire, wire_size, Equivalence};
use super::{fail, ok, Rank, Tag};
use crate::Checkpointable;

/// What is known of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Checkpointable)]
pub struct Status {
    source: Rank,
    tag: Tag,
    /// Elements of MPI's type `basic`; 0: of none.
    units: u64,
    basic: u32,
}

impl Status {
    pub(crate) fn of(c: &CStatus) -> Status {
        let s = c.read();
        let size = s.basic.map_or(1, Basic::size);
        Status {
            source: s.source,
            tag: s.tag,
            units: (s.bytes / size) as u64,
            basic: s.basic.map_or(0, |b| b as u32),
        }
    }

    /// The sender.
    pub fn source_rank(&self) -> Rank {
        self.source
    }

    pub fn tag(&self) -> Tag {
        self.tag
    }

    /// How many values of type `T` the message has.  A message of another kind ends the job.
    pub fn count<T: Equivalence>(&self) -> usize {
        let wire = wire::<T>();
        let name = |b: usize| Basic::from_handle(b).map_or("nothing", Basic::name);
        if self.units == 0 {
            return 0;
        }
        if self.basic as usize != wire.basic {
            fail(&format!(
                "a message of {} from rank {} with tag {} was received as {} ({})",
                name(self.basic as usize),
                self.source,
                self.tag,
                std::any::type_name::<T>(),
                name(wire.basic),
            ));
        }
        let n = usize::try_from(self.units).ok();
        let whole = n.filter(|n| wire.units > 0 && n % wire.units == 0);
        whole.map_or_else(
            || {
                fail(&format!(
                    "a message of {} elements from rank {} with tag {} is not made of {}, which have {} each",
                    self.units,
                    self.source,
                    self.tag,
                    std::any::type_name::<T>(),
                    wire.units
                ))
            },
            |n| n / wire.units,
        )
    }
}

pub(crate) fn empty() -> CStatus {
    CStatus::of(&pc3_vmpi::p2p::Status::EMPTY)
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

/// A message that has been taken and not yet received.  Checkpoints keep it; one that is dropped is never received.
#[must_use]
#[derive(Debug, Checkpointable)]
pub struct Message {
    handle: usize,
    status: Status,
}

impl Message {
    /// Receives its values.
    pub fn receive_vec<T: Equivalence>(mut self) -> (Vec<T>, Status) {
        let n = self.status.count::<T>();
        let mut bytes = vec![0; n * wire_size::<T>()];
        let wire = wire::<T>();
        let mut c = empty();
        // SAFETY: room for as many.
        ok(unsafe {
            MPI_Mrecv(
                bytes.as_mut_ptr().cast(),
                int(n * wire.units),
                wire.basic,
                &raw mut self.handle,
                &raw mut c,
            )
        });
        (values(&bytes), Status::of(&c))
    }
}

/// A number of elements as MPI counts them.
pub(crate) fn int(n: usize) -> i32 {
    i32::try_from(n).unwrap_or_else(|_| fail(&format!("{n} elements are too many for one message")))
}

fn one<T>(mut values: Vec<T>, status: &Status) -> T {
    match values.pop() {
        Some(value) => value,
        None => fail(&format!(
            "a message without values came from rank {} with tag {} where one value was expected",
            status.source, status.tag
        )),
    }
}

fn take<T: Equivalence>(from: Process, n: usize, tag: Tag) -> (Vec<T>, Status) {
    let wire = wire::<T>();
    let mut bytes = vec![0; n * wire_size::<T>()];
    let mut c = empty();
    // SAFETY: room for as many, until the call returns.
    ok(unsafe {
        MPI_Recv_c(
            bytes.as_mut_ptr().cast(),
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
    if to.comm != from.comm {
        fail("what is sent and what is received are messages of different communicators");
    }
    let (out, into) = (Out::of(send), In::of(receive));
    let mut c = empty();
    // SAFETY: both are there until the call returns.
    ok(unsafe {
        MPI_Sendrecv_c(
            out.ptr.cast(),
            out.units,
            out.basic,
            to.rank,
            send_tag,
            into.ptr.cast(),
            into.units,
            into.basic,
            from.rank,
            receive_tag,
            from.comm,
            &raw mut c,
        )
    });
    let status = Status::of(&c);
    into.received(status.count::<R::Item>());
    status
}
