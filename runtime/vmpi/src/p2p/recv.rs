//! Receiving, probing, cancelling.

use std::sync::atomic::Ordering::*;

use super::buf::Buf;
use super::mailbox::{Data, Message, Queues};
use super::queue::Key;
use super::request::{Req, Request, Status, What};
use super::wait::wait_done;
use crate::link;
use crate::nonblocking;
use crate::state::RankState;
use pc3_vmpi_objects::error::{Class, MpiError, Result};

/// Receives (`MPI_Recv`).
///
/// # Safety
/// The buffer is writable.
#[inline]
pub unsafe fn recv(me: &RankState, buf: Buf<'_>, key: Key) -> Result<Status> {
    // SAFETY: the caller's promise.
    check(unsafe { recv_status(me, buf, key) })
}

/// The same, with what went wrong in the status.
///
/// # Safety
/// As of [`recv`].
#[inline(always)]
pub unsafe fn recv_status(me: &RankState, buf: Buf<'_>, key: Key) -> Status {
    if me.world().nonblocking.is_slow() {
        let r = Request::new(me.rank, What::Recv, 0, key, &buf);
        // SAFETY: the caller's promise.
        return unsafe { nonblocking::p2p::recv(me, &r) };
    }
    me.look();
    // SAFETY: the caller's promise.
    let found = me.mailbox.with(|q| unsafe { taken(me, q, &key, &buf) });
    // SAFETY: the caller's promise; the request outlives its stay in the queue because we wait.
    unsafe {
        match found {
            Found::Landed(status) => status,
            Found::Message(k, m) => fetch(me, &k, m, &buf),
            Found::Nothing => {
                let r = Request::new(me.rank, What::Recv, 0, key, &buf);
                if me.world().sched().is_single() {
                    // Nothing has come since.
                    r.take_turn(me);
                    me.mailbox.with(|q| q.posted.push(key, &r));
                    wait_done(me, &r);
                    return r.status();
                }
                let shown = show(me, &r);
                await_shown(me, &r, shown)
            }
        }
    }
}

/// Starts a receive that this rank will wait for before it starts another: shown to the ranks of other
/// workers if possible (then true), else queued.
///
/// # Safety
/// As of [`irecv`], and [`await_shown`] follows.
#[inline]
pub(crate) unsafe fn show(me: &RankState, r: &Request) -> bool {
    let shown = !r.null
        && !me.world().nonblocking.is_slow()
        && !me.world().sched().is_single()
        && me.mailbox.with(|q| {
            q.posted.is_empty() && q.inbound.find_message(&r.key).is_none() && me.landing.open(r)
        });
    if !shown {
        // SAFETY: the caller's promise.
        unsafe { post(me, r) };
    }
    shown
}

/// Waits for a receive that [`show`] started.
///
/// # Safety
/// As of [`show`].
#[inline]
pub(crate) unsafe fn await_shown(me: &RankState, r: &Request, shown: bool) -> Status {
    if !shown {
        wait_done(me, r);
    } else if let Some((k, m)) = me.landing.wait(me, r) {
        // SAFETY: the caller's promise.
        return unsafe { fetch(me, &k, m, &r.buf()) };
    }
    r.status()
}

/// An error if the message was longer than the buffer.
pub(crate) fn check(s: Status) -> Result<Status> {
    if s.error != Class::SUCCESS {
        return Err(failure(&s));
    }
    Ok(s)
}

/// What a person reads of a receive that failed.
#[cold]
pub(crate) fn failure(s: &Status) -> MpiError {
    let from = format!("the message from {} with tag {}", s.source, s.tag);
    let what = match s.error {
        Class::ERR_TRUNCATE => format!(
            "{from} is longer than the receive buffer ({} bytes)",
            s.bytes
        ),
        _ => format!("{from} cannot be converted"),
    };
    MpiError::new(s.error, what)
}

/// Starts to receive (`MPI_Irecv`).
///
/// # Safety
/// The buffer is writable and not otherwise used until the request completes.
pub unsafe fn irecv(me: &RankState, buf: Buf<'_>, key: Key) -> Req {
    let r = me.new_request(Request::new(me.rank, What::Recv, 0, key, &buf));
    // SAFETY: the caller's promise.
    unsafe { post(me, r.get()) };
    r
}

/// Starts a prepared receive: takes a waiting message or queues the request.
///
/// # Safety
/// As of [`irecv`]; the request is not pending.
pub(crate) unsafe fn post(me: &RankState, r: &Request) {
    if r.null {
        // SAFETY: not pending, so ours.
        unsafe { r.set_status(Status::PROC_NULL) };
        r.done.store(true, Release);
        return;
    }
    r.take_turn(me);
    if me.world().nonblocking.is_slow() {
        // SAFETY: the caller's promise.
        return unsafe { nonblocking::p2p::post(me, r) };
    }
    me.look();
    let found = me.mailbox.with(|q| {
        // SAFETY: the caller's promise.
        let found = unsafe { taken(me, q, &r.key, &r.buf()) };
        if let Found::Nothing = found {
            q.posted.push(r.key, r);
        }
        found
    });
    let status = match found {
        Found::Nothing => return,
        Found::Landed(status) => status,
        Found::Message(k, m) => {
            if let Data::Remote { .. } = m.data {
                // SAFETY: the caller's promise; in no queue.
                unsafe { link::pulls::take(me.world(), r, &k, &m) };
                return;
            }
            // SAFETY: as above.
            unsafe { fetch(me, &k, m, &r.buf()) }
        }
    };
    // SAFETY: in no queue, so ours.
    unsafe { r.set_status(status) };
    r.done.store(true, Release);
}

/// What is in the queue for a receive.
enum Found {
    Nothing,
    /// It was.
    Landed(Status),
    Message(Key, Message),
}

/// # Safety
/// The buffer is writable.
#[inline(always)]
unsafe fn taken(me: &RankState, q: &mut Queues, key: &Key, into: &Buf<'_>) -> Found {
    if q.inbound.is_empty() {
        // Nothing else is written.
        return Found::Nothing;
    }
    let Some(spot) = q.inbound.spot_message(key) else {
        return Found::Nothing;
    };
    // SAFETY: the caller's promise.
    let landed = q
        .inbound
        .at(spot)
        .and_then(|(k, m)| unsafe { m.land(k, into) });
    if let Some(status) = landed {
        q.inbound.discard(spot);
        me.took(q, 0);
        return Found::Landed(status);
    }
    match q.inbound.take(spot) {
        Some((k, m)) => {
            me.took(q, m.weight());
            Found::Message(k, m)
        }
        None => Found::Nothing,
    }
}

/// Moves a message taken from the queue into the receive buffer.
///
/// # Safety
/// The buffer is writable.
pub(crate) unsafe fn fetch(me: &RankState, key: &Key, m: Message, into: &Buf<'_>) -> Status {
    if let Data::Remote { .. } = m.data {
        let r = Request::new(me.rank, What::Recv, 0, *key, into);
        // SAFETY: the caller's promise; the request outlives its use because we wait.
        unsafe { link::pulls::take(me.world(), &r, key, &m) };
        wait_done(me, &r);
        return r.status();
    }
    let mut status = Status::of(key, &m.ty, m.len(), into.len());
    // SAFETY: the receive buffer by the caller's promise; a held request is pending until we
    // complete it, and its buffer readable.
    let copied = unsafe {
        if let Data::Held(sender) = m.data {
            let owner = me.world().rank((*sender).owner);
            let copied = (*sender).buf().share_to(into, me, owner);
            Request::complete(sender, owner, Some(me.worker()), Status::EMPTY);
            copied
        } else {
            m.unpack(into)
        }
    };
    if let Err(e) = copied {
        status.error = e.class;
    }
    me.world().give_back(&m, Some(me.worker()));
    status
}

fn peek(me: &RankState, key: &Key) -> Option<Status> {
    me.look();
    me.mailbox.with(|q| {
        q.inbound
            .find_message(key)
            .map(|(k, m)| Status::of(k, &m.ty, m.len(), m.len()))
    })
}

/// Is there a message (`MPI_Iprobe`)?  If not, others get a turn first.
pub fn iprobe(me: &RankState, key: &Key) -> Option<Status> {
    if me.world().nonblocking.is_slow() {
        return nonblocking::p2p::iprobe(me, key);
    }
    peek(me, key).or_else(|| {
        me.poll();
        peek(me, key)
    })
}

/// Waits for a message (`MPI_Probe`).
pub fn probe(me: &RankState, key: &Key) -> Status {
    let found = |probing| {
        me.mailbox.with(|q| {
            let s = q
                .inbound
                .find_message(key)
                .map(|(k, m)| Status::of(k, &m.ty, m.len(), m.len()));
            q.probing = probing && s.is_none();
            s
        })
    };
    loop {
        if me.world().nonblocking.is_slow() {
            return nonblocking::p2p::probe(me, key);
        }
        me.look();
        if let Some(s) = found(true) {
            return s;
        }
        me.block();
    }
}

/// Takes a message out of the queue (`MPI_Mprobe`), for [`fetch`]; waits for one if asked to.
pub(crate) fn take(me: &RankState, key: &Key, wait: bool) -> Option<(Key, Message)> {
    loop {
        if me.world().nonblocking.is_slow() {
            return nonblocking::p2p::take(me, key, wait);
        }
        me.look();
        let found = me.mailbox.with(|q| {
            let m = q.inbound.take_message(key);
            let m = m.inspect(|(_, m)| me.took(q, m.weight()));
            q.probing = wait && m.is_none();
            m
        });
        match found {
            None if wait => me.block(),
            _ => return found,
        }
    }
}

/// Cancels a pending operation if it is still unmatched (`MPI_Cancel`); it then completes.
pub fn cancel(me: &RankState, r: &Request) {
    if r.is_done() || !r.active.get() {
        return;
    }
    nonblocking::unsupported(me, "MPI_Cancel");
    let ptr: *const Request = r;
    let taken = match r.what {
        What::Recv => me
            .mailbox
            .with(|q| q.posted.take_if(|p| *p == ptr))
            .is_some(),
        What::Send(_) => {
            let is = |m: &Message| matches!(m.data, Data::Held(p) if p == ptr);
            // One that has left the process is not called back.
            let to = me.world().local(r.dest);
            to.is_some_and(|to| to.mailbox.with(|q| q.inbound.take_if(is)).is_some())
        }
        // The standard has no cancelling of collectives; the program cancels its own requests.
        What::Coll | What::General => false,
    };
    if taken {
        // SAFETY: out of the queue, so nobody else will complete it.
        unsafe {
            r.set_status(Status {
                cancelled: true,
                ..Status::EMPTY
            });
        }
        r.done.store(true, Release);
    }
}
