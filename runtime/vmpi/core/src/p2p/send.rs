//! Sending, in all modes.

use std::sync::atomic::Ordering::*;

use super::deliver::flush_lane;
use super::share::share;
use super::wait::wait_done;
use super::{EAGER, LAZY};
use crate::mail::buf::Buf;
use crate::mail::landing::Landing;
use crate::mail::mailbox::{Data, Message, Queues};
use crate::mail::queue::Key;
use crate::mail::request::{Mode, Req, Request, RequestKind, Status};
use crate::mail::room::MessageRoom;
use crate::rank::RankState;
use pc3_vmpi_objects::error::{fail, Class, Result};

/// Where a message goes and what it carries for matching.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dest {
    /// World rank of the receiver.
    pub world: u32,
    pub ctx: u32,
    /// The sender's rank as the receiver knows it.
    pub src: i32,
    pub tag: i32,
}

impl Dest {
    #[inline]
    pub fn key(&self) -> Key {
        Key {
            ctx: self.ctx,
            src: self.src,
            tag: self.tag,
        }
    }
}

/// Which messages of moderate size, whose receiver has yet to come, stay where they are for now.
#[derive(Clone, Copy)]
enum Lazy {
    /// All: the sender goes on meanwhile.
    Always,
    /// Those whose receiver may come as soon as the sender lets it.
    IfReady,
}

impl Lazy {
    #[inline]
    fn holds(self, me: &RankState, to: &RankState) -> bool {
        matches!(self, Lazy::Always) || me.may_let_run(to)
    }
}

/// Sends and returns when the buffer may be used again (`MPI_Send` and its modes).
///
/// # Safety
/// The buffer is readable.
#[inline(always)]
pub unsafe fn send(me: &RankState, buf: Buf<'_>, to: Dest, mode: Mode) -> Result<()> {
    let key = to.key();
    // SAFETY: the caller's promise, for as long as this call lasts.
    unsafe {
        if deposit(me, &buf, to.world, &key, mode, Lazy::IfReady)? {
            me.sent();
            return Ok(());
        }
        let r = Request::new(me.rank, RequestKind::Send(mode), to.world, key, &buf);
        if !hold(me, &r) {
            wait_done(me, &r);
        }
    }
    Ok(())
}

/// Starts to send (`MPI_Isend` and its modes).
///
/// # Safety
/// The buffer is readable and unchanged until the request completes.
pub unsafe fn isend(me: &RankState, buf: Buf<'_>, to: Dest, mode: Mode) -> Result<Req> {
    let what = RequestKind::Send(mode);
    let r = me.new_request(Request::new(me.rank, what, to.world, to.key(), &buf));
    // SAFETY: the caller's promise.
    match unsafe { start(me, r.get()) } {
        Ok(()) => Ok(r),
        Err(e) => {
            me.recycle(r);
            Err(e)
        }
    }
}

/// What became of a message that had no request yet.
pub enum Begun {
    Sent,
    /// Its receiver has to fetch it.
    Left,
    /// Nothing: more is to be done with messages now than to deliver them.
    Not,
}

/// Sends what can be sent at once, without a request.
///
/// # Safety
/// The buffer is readable.
#[inline(always)]
pub unsafe fn begin(me: &RankState, buf: &Buf<'_>, to: &Dest, mode: Mode) -> Result<Begun> {
    if me.world().nonblocking.is_slow() {
        return Ok(Begun::Not);
    }
    // SAFETY: the caller's promise.
    match unsafe { deposit(me, buf, to.world, &to.key(), mode, Lazy::Always)? } {
        true => {
            me.sent();
            Ok(Begun::Sent)
        }
        false => Ok(Begun::Left),
    }
}

/// Offers what [`begin`] has left.
///
/// # Safety
/// As of [`start`].
#[inline]
pub unsafe fn leave(me: &RankState, r: &Request) {
    // SAFETY: the caller's promise.
    unsafe { hold(me, r) };
    me.sent();
}

/// Starts a prepared send.
///
/// # Safety
/// As of [`isend`]; the request is not pending.
pub unsafe fn start(me: &RankState, r: &Request) -> Result<()> {
    let RequestKind::Send(mode) = r.what else {
        return fail(Class::ERR_INTERN, "not a send");
    };
    // SAFETY: the caller's promise.
    unsafe {
        if r.null || deposit(me, &r.buf(), r.dest, &r.key, mode, Lazy::Always)? {
            r.set_status(Status::EMPTY);
            r.done.store(true, Release);
        } else {
            hold(me, r);
        }
    }
    me.sent();
    Ok(())
}

/// Delivers to a posted receive or buffers; false if the message has to be held.
#[inline(always)]
unsafe fn deposit(
    me: &RankState,
    buf: &Buf<'_>,
    dest: u32,
    key: &Key,
    mode: Mode,
    lazy: Lazy,
) -> Result<bool> {
    if me.world().nonblocking.is_slow() {
        // SAFETY: the caller's promise.
        return unsafe { me.world().epoch.deposit(me, buf, dest, key, mode) };
    }
    // SAFETY: the caller's promise.
    unsafe {
        match me.world().near(dest) {
            Some(to) => deposit_here(me, to, buf, key, mode, lazy),
            None => deposit_far(me, buf, dest, key, mode, lazy),
        }
    }
}

/// To another process, or counted.
#[inline(never)]
unsafe fn deposit_far(
    me: &RankState,
    buf: &Buf<'_>,
    dest: u32,
    key: &Key,
    mode: Mode,
    lazy: Lazy,
) -> Result<bool> {
    let world = me.world();
    if let Some(counts) = &world.traffic {
        counts.sent(me.slot, dest, buf.len());
        if let Some(to) = world.local(dest) {
            // SAFETY: the caller's promise.
            return unsafe { deposit_here(me, to, buf, key, mode, lazy) };
        }
    }
    // SAFETY: as above.
    unsafe { world.other().deposit(me, buf, dest, key, mode) }
}

#[inline(always)]
unsafe fn deposit_here(
    me: &RankState,
    to: &RankState,
    buf: &Buf<'_>,
    key: &Key,
    mode: Mode,
    lazy: Lazy,
) -> Result<bool> {
    enum Next {
        Deliver(*const Request),
        /// It is buffered; does its receiver probe?
        Done(bool),
        Buffer,
        Hold,
    }
    // With one worker nothing changes meanwhile.
    let looks = !me.world().sched().is_single();
    // SAFETY: the caller's promise.
    if looks && unsafe { deposit_across(me, to, buf, key, mode) } {
        return Ok(true);
    }
    let len = buf.len();
    let next = to.mailbox.with(|q| match posted(q, to, key, looks) {
        Some(r) => Next::Deliver(r),
        None if mode == Mode::Buffered => Next::Buffer,
        None if mode == Mode::Synchronous || len > EAGER => Next::Hold,
        None if q.is_full() => Next::Hold,
        None if mode == Mode::Standard && len >= LAZY && lazy.holds(me, to) => Next::Hold,
        None if len <= Data::SHORT => {
            // SAFETY: the caller's promise.
            unsafe { Message::pack_into(&mut q.inbound, *key, buf) };
            Next::Done(q.probing)
        }
        None => Next::Buffer,
    });
    match next {
        // SAFETY: a posted receive is pending until we complete it.
        Next::Deliver(r) => unsafe { deliver_here(me, to, r, key, buf) },
        Next::Hold => return Ok(false),
        Next::Done(probing) => {
            to.happened();
            if probing {
                me.wake(to.rank);
            }
        }
        // SAFETY: the caller's promise.
        Next::Buffer => unsafe { keep(me, to, buf, key, mode)? },
    }
    Ok(true)
}

/// Copies a message that nobody has waited for up to now.
unsafe fn keep(me: &RankState, to: &RankState, buf: &Buf<'_>, key: &Key, mode: Mode) -> Result<()> {
    // SAFETY: the caller's promise.
    let mut m = unsafe { Message::packed(buf) };
    if mode == Mode::Buffered {
        me.bsend.reserve(buf.len())?;
        m.buffered_by = Some(MessageRoom::Attached(me.rank));
    }
    if let Some((r, m)) = arrive(me, to, key, m) {
        me.world().give_back(&m, Some(me.worker()));
        // SAFETY: a posted receive is pending until we complete it.
        unsafe { deliver(me, to, r, key, buf) }
    }
    Ok(())
}

/// Delivers to a shown receive or into a lane; else what is in the lane arrives before anything else.
#[inline]
unsafe fn deposit_across(
    me: &RankState,
    to: &RankState,
    buf: &Buf<'_>,
    key: &Key,
    mode: Mode,
) -> bool {
    let lane = me.lane_to(to);
    let small = Landing::fits(buf);
    // SAFETY: the caller's promise; a claimed receive is pending until we complete it.
    unsafe {
        if lane.is_none_or(|(lane, looks)| lane.is_clear(looks)) {
            if let Some(ty) = small {
                if let Some(asleep) = to.landing.fill(&me.guesses, key, buf, ty) {
                    if asleep {
                        me.wake(to.rank);
                    }
                    return true;
                }
            } else if let Some(r) = to.landing.hand(key) {
                deliver(me, to, r, key, buf);
                return true;
            }
        }
        let Some((lane, looks)) = lane else {
            return false;
        };
        if let Some(ty) = small.filter(|_| matches!(mode, Mode::Standard | Mode::Ready)) {
            if !to.crowded.load(Relaxed) {
                to.happened();
                let receiver = (to.worker(), to.rank);
                if lane.put(me.world().sched(), receiver, key, buf, ty) {
                    return true;
                }
            }
        }
        if !lane.is_clear(looks) {
            flush_lane(me, lane);
        }
        false
    }
}

/// Puts a message into a mailbox, unless a receive was posted meanwhile.
#[inline]
pub fn arrive(
    me: &RankState,
    to: &RankState,
    key: &Key,
    m: Message,
) -> Option<(*const Request, Message)> {
    // With one worker nothing can have changed since the caller looked.
    let looks = !me.world().sched().is_single();
    put(to, key, m, looks, Some(me.worker()))
}

/// The same; `looks`: there may be a receive that the caller has not seen.  `from`: the caller's worker.
#[inline]
pub fn put(
    to: &RankState,
    key: &Key,
    m: Message,
    looks: bool,
    from: Option<u32>,
) -> Option<(*const Request, Message)> {
    to.happened();
    let (matched, probing) = to.mailbox.with(|q| {
        let posted = if looks {
            posted(q, to, key, true)
        } else {
            None
        };
        match posted {
            Some(r) => (Some((r, m)), false),
            None => {
                q.insert(*key, m);
                (None, q.probing)
            }
        }
    });
    if probing {
        to.world().wake(from, to.rank);
    }
    matched
}

/// A receive that waits for the message; `shown`: perhaps in another place than the queue.
#[inline(always)]
fn posted(q: &mut Queues, to: &RankState, key: &Key, shown: bool) -> Option<*const Request> {
    let queued = q.posted.take_receive(key).map(|(_, r)| r);
    queued.or_else(|| if shown { to.landing.hand(key) } else { None })
}

/// Leaves the message in the sender's buffer for the receiver to fetch; true if a receive was
/// posted meanwhile, so that it is delivered and the request done.
unsafe fn hold(me: &RankState, r: &Request) -> bool {
    if me.world().nonblocking.is_slow() {
        // SAFETY: the caller's promise.
        return unsafe { me.world().epoch.hold(me, r) };
    }
    let Some(to) = me.world().local(r.dest) else {
        me.world().other().offer(me, r);
        return false;
    };
    match arrive(me, to, &r.key, Message::offered(r, &r.buf())) {
        None => false,
        // SAFETY: as in `deposit`.
        Some((posted, _)) => unsafe {
            deliver(me, to, posted, &r.key, &r.buf());
            r.set_status(Status::EMPTY);
            r.done.store(true, Release);
            true
        },
    }
}

/// Copies from the sender's buffer into a receive that `owner` has posted and completes the receive.
///
/// # Safety
/// `posted` was taken out of its queue by the caller; `from` is readable.
#[inline]
pub unsafe fn deliver(
    me: &RankState,
    owner: &RankState,
    posted: *const Request,
    key: &Key,
    from: &Buf<'_>,
) {
    // SAFETY: the caller's promise.
    unsafe { deliver_here(me, owner, posted, key, from) }
}

/// The same where it is called.
#[inline(always)]
unsafe fn deliver_here(
    me: &RankState,
    owner: &RankState,
    posted: *const Request,
    key: &Key,
    from: &Buf<'_>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let into = (*posted).buf();
        let copied = share(from, &into, me, owner);
        let mut status = Status::of(key, from.ty, from.len(), into.len());
        if let Err(e) = copied {
            status.error = e.class;
        }
        owner.complete(posted, Some(me.worker()), status);
    }
}
