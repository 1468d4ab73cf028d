//! Receiving, probing, cancelling.

use std::sync::atomic::Ordering::*;

use super::deliver::look;
use super::share::share;
use super::wait::wait_done;
use crate::mail::buf::Buf;
use crate::mail::landing::Stage;
use crate::mail::mailbox::{Data, Message, Queues};
use crate::mail::queue::Key;
use crate::mail::request::{check, Req, Request, RequestKind, Status};
use crate::poll::poll;
use crate::rank::RankState;
use pc3_vmpi_objects::error::Result;

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
        let r = Request::new(me.rank, RequestKind::Recv, 0, key, &buf);
        // SAFETY: the caller's promise.
        return unsafe { me.world().epoch.recv(me, &r) };
    }
    look(me);
    // SAFETY: the caller's promise.
    let found = me
        .mailbox
        .with(|q| unsafe { take_queued(me, q, &key, &buf) });
    // SAFETY: the caller's promise; the request outlives its stay in the queue because we wait.
    unsafe {
        match found {
            Queued::Landed(status) => status,
            Queued::Message(k, m) => fetch(me, &k, m, &buf),
            Queued::Nothing => {
                let r = Request::new(me.rank, RequestKind::Recv, 0, key, &buf);
                if me.world().sched().is_single() {
                    // Nothing has come since.
                    me.take_turn(&r);
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
pub unsafe fn show(me: &RankState, r: &Request) -> bool {
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
pub unsafe fn await_shown(me: &RankState, r: &Request, shown: bool) -> Status {
    if !shown {
        wait_done(me, r);
    } else if let Some((k, m)) = wait_shown(me, r) {
        // SAFETY: the caller's promise.
        return unsafe { fetch(me, &k, m, &r.buf()) };
    }
    r.status()
}

/// The owner waits for the receive it has shown; `None`: the request is complete.
fn wait_shown(me: &RankState, r: &Request) -> Option<(Key, Message)> {
    let landing = &me.landing;
    me.linger(|| landing.is_claimed());
    let mut tries = 0u32;
    loop {
        match landing.stage() {
            Stage::Open => {
                me.waiting_for(&raw const *r as usize, || landing.sleep(|| me.block()));
            }
            Stage::Filling => {
                tries += 1;
                if tries % 128 == 0 {
                    std::thread::yield_now();
                }
                std::hint::spin_loop();
            }
            Stage::Full => return landing.take(),
            Stage::Handed => {
                if !r.is_done() {
                    wait_done(me, r);
                }
                landing.close();
                return None;
            }
        }
    }
}

/// Starts to receive (`MPI_Irecv`).
///
/// # Safety
/// The buffer is writable and not otherwise used until the request completes.
#[inline]
pub unsafe fn irecv(me: &RankState, buf: Buf<'_>, key: Key) -> Req {
    let r = me.new_request(Request::new(me.rank, RequestKind::Recv, 0, key, &buf));
    // SAFETY: the caller's promise.
    unsafe { post(me, r.get()) };
    r
}

/// Starts a prepared receive: takes a waiting message or queues the request.
///
/// # Safety
/// As of [`irecv`]; the request is not pending.
pub unsafe fn post(me: &RankState, r: &Request) {
    if r.null {
        // SAFETY: not pending, so ours.
        unsafe { r.set_status(Status::PROC_NULL) };
        r.done.store(true, Release);
        return;
    }
    me.take_turn(r);
    if me.world().nonblocking.is_slow() {
        // SAFETY: the caller's promise.
        return unsafe { me.world().epoch.post(me, r) };
    }
    look(me);
    let found = me.mailbox.with(|q| {
        // SAFETY: the caller's promise.
        let found = unsafe { take_queued(me, q, &r.key, &r.buf()) };
        if let Queued::Nothing = found {
            q.posted.push(r.key, r);
        }
        found
    });
    let status = match found {
        Queued::Nothing => return,
        Queued::Landed(status) => status,
        Queued::Message(k, m) => {
            if let Data::Remote { .. } = m.data {
                // SAFETY: the caller's promise; in no queue.
                unsafe { me.world().other().take(me.world(), r, &k, &m) };
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
enum Queued {
    Nothing,
    /// It was.
    Landed(Status),
    Message(Key, Message),
}

/// # Safety
/// The buffer is writable.
#[inline(always)]
unsafe fn take_queued(me: &RankState, q: &mut Queues, key: &Key, into: &Buf<'_>) -> Queued {
    if q.inbound.is_empty() {
        // Nothing else is written.
        return Queued::Nothing;
    }
    let Some(spot) = q.inbound.spot_message(key) else {
        return Queued::Nothing;
    };
    // SAFETY: the caller's promise.
    let landed = q
        .inbound
        .at(spot)
        .and_then(|(k, m)| unsafe { m.land(k, into) });
    if let Some(status) = landed {
        q.inbound.discard(spot);
        me.took(q, 0);
        return Queued::Landed(status);
    }
    match q.inbound.take(spot) {
        Some((k, m)) => {
            me.took(q, m.weight());
            Queued::Message(k, m)
        }
        None => Queued::Nothing,
    }
}

/// Moves a message taken from the queue into the receive buffer.
///
/// # Safety
/// The buffer is writable.
pub unsafe fn fetch(me: &RankState, key: &Key, m: Message, into: &Buf<'_>) -> Status {
    if let Data::Remote { .. } = m.data {
        let r = Request::new(me.rank, RequestKind::Recv, 0, *key, into);
        // SAFETY: the caller's promise; the request outlives its use because we wait.
        unsafe { me.world().other().take(me.world(), &r, key, &m) };
        wait_done(me, &r);
        return r.status();
    }
    let mut status = Status::of(key, &m.ty, m.len(), into.len());
    // SAFETY: the receive buffer by the caller's promise; a held request is pending until we
    // complete it, and its buffer readable.
    let copied = unsafe {
        if let Data::Held(sender) = m.data {
            let owner = me.world().rank((*sender).owner);
            let copied = share(&(*sender).buf(), into, me, owner);
            owner.complete(sender, Some(me.worker()), Status::EMPTY);
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
    look(me);
    me.mailbox.with(|q| {
        q.inbound
            .find_message(key)
            .map(|(k, m)| Status::of(k, &m.ty, m.len(), m.len()))
    })
}

/// Is there a message (`MPI_Iprobe`)?  If not, others get a turn first.
pub fn iprobe(me: &RankState, key: &Key) -> Option<Status> {
    if me.world().nonblocking.is_slow() {
        return me.world().epoch.iprobe(me, key);
    }
    peek(me, key).or_else(|| {
        poll(me);
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
            return me.world().epoch.probe(me, key);
        }
        look(me);
        if let Some(s) = found(true) {
            return s;
        }
        me.block();
    }
}

/// Takes a message out of the queue (`MPI_Mprobe`), for [`fetch`]; waits for one if asked to.
pub fn take(me: &RankState, key: &Key, wait: bool) -> Option<(Key, Message)> {
    loop {
        if me.world().nonblocking.is_slow() {
            return me.world().epoch.take(me, key, wait);
        }
        look(me);
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
    me.world().epoch.unsupported(me, "MPI_Cancel");
    let ptr: *const Request = r;
    let taken = match r.what {
        RequestKind::Recv => me
            .mailbox
            .with(|q| q.posted.take_if(|p| *p == ptr))
            .is_some(),
        RequestKind::Send(_) => {
            let is = |m: &Message| matches!(m.data, Data::Held(p) if p == ptr);
            // One that has left the process is not called back.
            let to = me.world().local(r.dest);
            to.is_some_and(|to| to.mailbox.with(|q| q.inbound.take_if(is)).is_some())
        }
        // The standard has no cancelling of collectives; the program cancels its own requests.
        RequestKind::Coll | RequestKind::General => false,
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
