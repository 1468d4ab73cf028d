//! Messages while a checkpoint is under way, or while one is being replayed.

use crate::machines::machines;
use pc3_vmpi_core::poll::poll;
use std::cell::Cell;
use std::sync::atomic::Ordering::*;
use std::sync::MutexGuard;

use pc3_protocol::{Line, Name, Phase, Sending, Stamp, Waiting};

use crate::machines::{course_only, done};
use crate::operations::{outcomes, remote};
use crate::state::outcome::Outcome;
use crate::state::{Machine, Stage, State, BEFORE};
use pc3_vmpi_core::mail::mailbox::{Data, Message, Queues};
use pc3_vmpi_core::mail::mark::Mark;
use pc3_vmpi_core::mail::request::{Mode, Request, Status};
use pc3_vmpi_core::mail::room::MessageRoom;
use pc3_vmpi_core::p2p::recv::fetch;
use pc3_vmpi_core::p2p::send::{arrive, deliver};
use pc3_vmpi_core::p2p::wait::wait_done;
use pc3_vmpi_core::p2p::{Buf, Key, EAGER};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_link::link;
use pc3_vmpi_link::messages::pulls;
use pc3_vmpi_objects::error::Result;

/// What a receive gets to know of a message.
#[derive(Clone, Copy)]
pub(crate) struct Envelope {
    pub from: u32,
    pub stamp: Stamp,
    pub name: Option<Name>,
}

/// One without a mark was sent when nobody counted: before every line of the receiver that matters.
fn known(m: &Message, member: &Machine) -> Envelope {
    match &m.mark {
        Some(mark) => Envelope {
            from: mark.from,
            stamp: mark.stamp,
            name: mark.name,
        },
        None => Envelope {
            from: BEFORE,
            stamp: Stamp {
                epoch: member.epoch(),
                ..Stamp::default()
            },
            name: None,
        },
    }
}

impl Envelope {
    pub fn mark(self) -> Box<Mark> {
        Box::new(Mark {
            from: self.from,
            stamp: self.stamp,
            name: self.name,
            left_out: false,
            seen: Cell::default(),
            early: false,
        })
    }
}

impl State {
    /// A message from `me` to a rank of this process begins its way, which is its end; `None`: it has been received
    /// before.
    fn sent(
        &mut self,
        me: &RankState,
        to: &RankState,
        key: &Key,
        buf: &Buf<'_>,
    ) -> Option<Envelope> {
        let Sending::Send(stamp) = self.member(me.slot).send(to.rank) else {
            return None;
        };
        let arrival = self.member(to.slot).arrive(BEFORE, stamp);
        if arrival.late {
            self.record_late(to, key, buf.len(), |record| {
                // SAFETY: the sender's buffer, readable during the call.
                record(&unsafe { Message::packed(buf) });
            });
        }
        let from = match arrival.name {
            Some(Name::Before(_)) => BEFORE,
            _ => me.rank,
        };
        Some(Envelope {
            from,
            stamp,
            name: arrival.name,
        })
    }

    /// Takes out the receive of `to` that gets this message.
    pub(crate) fn receiver(
        &mut self,
        to: &RankState,
        key: &Key,
        k: Envelope,
    ) -> Option<*const Request> {
        let member = &self.members[to.slot as usize];
        let numbers = &self.numbers;
        let may = |r: *const Request| {
            let number = numbers.get(&(r as usize)).copied();
            member.allows(number, k.from, k.name)
        };
        // SAFETY: posted receives are pending.
        let is = |r: &*const Request| unsafe { (**r).key.accepts(key) } && may(*r);
        let posted = to
            .mailbox
            .with(|q| q.posted.take_if(is).map(|(_, r)| r))
            .or_else(|| {
                // Shown before anything was counted; nothing is replayed then.
                let shown = !to.world().sched().is_single();
                shown.then(|| to.landing.hand(key)).flatten()
            });
        let number = posted.and_then(|r| self.numbers.remove(&(r as usize)));
        posted.inspect(|_| {
            self.member(to.slot)
                .matched(number, k.from, k.name, k.stamp);
        })
    }
}

/// Delivers or buffers, as `p2p::send::deposit`; what is not to be buffered goes through [`hold`].
///
/// # Safety
/// The buffer is readable.
#[cold]
pub unsafe fn deposit(
    me: &RankState,
    buf: &Buf<'_>,
    dest: u32,
    key: &Key,
    mode: Mode,
) -> Result<bool> {
    let world = me.world();
    let Some(to) = world.local(dest) else {
        if let Some(counts) = &world.traffic {
            counts.sent(me.slot, dest, buf.len());
        }
        // SAFETY: the caller's promise.
        return unsafe { remote::deposit(me, buf, dest, key, mode) };
    };
    let kept = mode == Mode::Buffered
        || mode != Mode::Synchronous && buf.len() <= EAGER && !to.mailbox.with(|q| q.is_full());
    if let Some(counts) = &world.traffic {
        counts.sent(me.slot, dest, buf.len());
    }
    if !kept {
        return Ok(false);
    }
    let mut s = machines(world).step(me);
    if let Some(k) = s.sent(me, to, key, buf) {
        match s.receiver(to, key, k) {
            // SAFETY: a posted receive is pending until we complete it.
            Some(r) => unsafe { deliver(me, to, r, key, buf) },
            None => {
                // SAFETY: the caller's promise.
                let mut m = unsafe { Message::packed(buf) };
                if mode == Mode::Buffered {
                    me.bsend.reserve(buf.len())?;
                    m.buffered_by = Some(MessageRoom::Attached(me.rank));
                }
                m.mark = Some(k.mark());
                if let Some((r, m)) = put(me, to, &mut s, key, k, m) {
                    world.give_back(&m, Some(me.worker()));
                    // SAFETY: as above.
                    unsafe { deliver(me, to, r, key, buf) };
                }
            }
        }
    }
    done(world, s);
    Ok(true)
}

/// Puts a message into a mailbox, unless a receive has been posted since there was none, by a rank that is still on its
/// usual way.
fn put(
    me: &RankState,
    to: &RankState,
    s: &mut State,
    key: &Key,
    k: Envelope,
    m: Message,
) -> Option<(*const Request, Message)> {
    if s.stage != Stage::Replaying {
        let (r, m) = arrive(me, to, key, m)?;
        let number = s.numbers.remove(&(r as usize));
        s.member(to.slot).matched(number, k.from, k.name, k.stamp);
        return Some((r, m));
    }
    // Nobody is on another way.
    pc3_vmpi_core::p2p::send::put(to, key, m, false, Some(me.worker()))
}

/// A message that is left in the sender's buffer unless a receive waits for it, or it has been received before.  True
/// if it is over.
///
/// # Safety
/// The request is pending and its buffer readable.
#[cold]
pub unsafe fn hold(me: &RankState, r: &Request) -> bool {
    let world = me.world();
    let Some(to) = world.local(r.dest) else {
        // SAFETY: the caller's promise.
        return unsafe { remote::hold(me, r) };
    };
    let mut s = machines(world).step(me);
    let buf = r.buf();
    let over = match s.sent(me, to, &r.key, &buf) {
        None => true,
        Some(k) => match s.receiver(to, &r.key, k) {
            Some(posted) => {
                // SAFETY: as in `deposit`.
                unsafe { deliver(me, to, posted, &r.key, &buf) };
                true
            }
            None => {
                let mut m = Message::offered(r, &buf);
                m.mark = Some(k.mark());
                match put(me, to, &mut s, &r.key, k, m) {
                    // SAFETY: as in `deposit`.
                    Some((posted, _)) => unsafe { deliver(me, to, posted, &r.key, &buf) },
                    None => {
                        done(world, s);
                        return false;
                    }
                }
                true
            }
        },
    };
    if over {
        // SAFETY: nobody else completes it.
        unsafe { r.set_status(Status::EMPTY) };
        r.done.store(true, Release);
    }
    done(world, s);
    over
}

/// Starts a prepared receive, as `p2p::recv::post`.
///
/// # Safety
/// As there.
#[cold]
pub unsafe fn post(me: &RankState, r: &Request) {
    let world = me.world();
    let mut s = machines(world).step(me);
    let number = s.member(me.slot).post();
    match find(me, &mut s, &r.key, number, |q| q.posted.push(r.key, r)) {
        // SAFETY: the caller's promise; in no queue.
        Some((k, m)) if matches!(m.data, Data::Remote { .. }) => unsafe {
            pulls::take(link(world), world, r, &k, &m);
        },
        // SAFETY: the caller's promise.
        Some((k, m)) => unsafe {
            r.set_status(fetch(me, &k, m, &r.buf()));
            r.done.store(true, Release);
        },
        None => {
            if let Some(n) = number {
                s.numbers.insert(r as *const Request as usize, n);
            }
        }
    }
    done(world, s);
}

/// Takes out the message that this receive gets; if there is none, does `otherwise` before anybody can send one.
fn find(
    me: &RankState,
    s: &mut MutexGuard<'_, State>,
    key: &Key,
    number: Option<u32>,
    otherwise: impl FnOnce(&mut Queues),
) -> Option<(Key, Message)> {
    let member = &s.members[me.slot as usize];
    let may = |k: &Key, m: &Message| {
        let about = known(m, member);
        key.accepts(k) && member.allows(number, about.from, about.name)
    };
    let found = me.mailbox.with(|q| {
        let taken = q.inbound.take_where(may);
        match &taken {
            Some((_, m)) => q.bytes -= m.weight(),
            None => otherwise(q),
        }
        taken
    });
    found.inspect(|(_, m)| {
        let k = known(m, &s.members[me.slot as usize]);
        s.member(me.slot).matched(number, k.from, k.name, k.stamp);
    })
}

/// The first message that a probe may see: what it is called, and its status.
fn peek(
    me: &RankState,
    s: &mut MutexGuard<'_, State>,
    key: &Key,
    which: Option<(u32, Name)>,
) -> Option<(Option<(u32, Name)>, Status)> {
    let member = &mut s.members[me.slot as usize];
    me.mailbox.with(|q| {
        let mut all = q.inbound.iter();
        let found = all.find(|(k, m)| {
            let about = known(m, member);
            let name = about.name.map(|n| (about.from, n));
            let may = match which {
                Some(_) => name == which,
                None => member.allows(None, about.from, about.name),
            };
            key.accepts(k) && may
        });
        q.probing = found.is_none();
        let (key, m) = found?;
        let k = known(m, member);
        if member.sees(k.stamp) {
            m.mark.iter().for_each(|mark| mark.seen.set(true));
        }
        let status = Status::of(key, &m.ty, m.len(), m.len());
        Some((k.name.map(|n| (k.from, n)), status))
    })
}

/// What a probe that is done again has to see; as long as that has not come, it is not done.
fn replayed_probe(me: &RankState) -> Option<Option<(u32, Name)>> {
    let s = machines(me.world()).step(me);
    match s.members[me.slot as usize].next_outcome()? {
        Outcome::Message(which) => Some(*which),
        other => outcomes::differs(me, other),
    }
}

fn wait_for(me: &RankState, key: &Key, which: Option<(u32, Name)>) -> Status {
    loop {
        let world = me.world();
        let mut s = machines(world).enter(me);
        if let Some((name, status)) = peek(me, &mut s, key, which) {
            let member = s.member(me.slot);
            match which {
                Some(_) => drop(member.replayed_outcome()),
                None => member.outcome(Outcome::Message(name)),
            }
            done(world, s);
            return status;
        }
        done(world, s);
        me.block();
    }
}

/// `MPI_Iprobe`.
#[cold]
pub fn iprobe(me: &RankState, key: &Key) -> Option<Status> {
    match replayed_probe(me) {
        Some(None) => {
            outcomes::replayed(me);
            poll(me);
            return None;
        }
        Some(which) => return Some(wait_for(me, key, which)),
        None => {}
    }
    for last in [false, true] {
        let world = me.world();
        let mut s = machines(world).enter(me);
        let found = peek(me, &mut s, key, None);
        me.mailbox.with(|q| q.probing = false);
        if let Some((name, status)) = found {
            s.member(me.slot).outcome(Outcome::Message(name));
            done(world, s);
            return Some(status);
        }
        if last {
            s.member(me.slot).outcome(Outcome::Message(None));
        }
        done(world, s);
        if !last {
            poll(me);
        }
    }
    None
}

/// `MPI_Probe`.
#[cold]
pub fn probe(me: &RankState, key: &Key) -> Status {
    let which = replayed_probe(me).flatten();
    wait_for(me, key, which)
}

/// `MPI_Mprobe`, `MPI_Improbe`: takes a message out of the queue.
#[cold]
pub fn take(me: &RankState, key: &Key, wait: bool) -> Option<(Key, Message)> {
    let world = me.world();
    course_only(me);
    let wait = match (!wait).then(|| outcomes::replayed(me)).flatten() {
        Some(Outcome::Flag(false)) => return None,
        Some(Outcome::Flag(true)) => true,
        Some(other) => outcomes::differs(me, &other),
        None if !wait => {
            let mut s = machines(world).enter(me);
            // A message that is kept for another receive is not to be had.
            let member = &s.members[me.slot as usize];
            let there = me.mailbox.with(|q| {
                let may = |k: &Key, m: &Message| {
                    let about = known(m, member);
                    key.accepts(k) && member.allows(None, about.from, about.name)
                };
                q.inbound.iter().any(|(k, m)| may(k, m))
            });
            let number = there.then(|| s.member(me.slot).post()).flatten();
            let found = there.then(|| find(me, &mut s, key, number, |_| {}));
            let found = found.flatten();
            s.member(me.slot).outcome(Outcome::Flag(found.is_some()));
            done(world, s);
            return found;
        }
        None => true,
    };
    debug_assert!(wait);
    let number = machines(world).step(me).member(me.slot).post();
    loop {
        let mut s = machines(world).enter(me);
        me.mailbox.with(|q| q.probing = false);
        let found = find(me, &mut s, key, number, |q| q.probing = true);
        done(world, s);
        if found.is_some() {
            return found;
        }
        me.block();
    }
}

/// A blocking receive, as `p2p::recv::recv_status`.
///
/// # Safety
/// The buffer is writable.
#[cold]
pub unsafe fn recv(me: &RankState, r: &Request) -> Status {
    // SAFETY: the caller's promise; the request outlives its stay in the queue because we wait.
    unsafe { post(me, r) };
    wait_done(me, r);
    r.status()
}

/// The rank takes its local checkpoint: what waits is marked, and pending receives are numbered.
pub(crate) fn at_line(me: &RankState, s: &mut State, line: &mut Line) {
    pc3_vmpi_core::p2p::settle(me);
    pc3_vmpi_core::p2p::held::buffer_all(me);
    let posted: Vec<*const Request> = me
        .mailbox
        .with(|q| q.posted.iter().map(|(_, r)| *r).collect());
    for r in posted {
        if let Some(n) = s.members[me.slot as usize].post() {
            s.numbers.insert(r as usize, n);
        }
    }
    let member = &mut s.members[me.slot as usize];
    let now = member.epoch();
    let before = Stamp {
        epoch: now - 1,
        ..Stamp::default()
    };
    me.mailbox.with(|q| {
        let waiting = q.inbound.iter().map(|(_, m)| match &m.mark {
            Some(mark) => Waiting {
                from: mark.from,
                stamp: mark.stamp,
                seen: mark.seen.get(),
            },
            None => Waiting {
                from: BEFORE,
                stamp: before,
                seen: false,
            },
        });
        let waiting: Vec<Waiting> = waiting.collect();
        let mut keeps = member.keeps(line, &waiting).into_iter();
        q.inbound
            .for_each_mut(|_, m| match (&mut m.mark, keeps.next()) {
                (Some(mark), Some(false)) => mark.left_out = true,
                (mark, _) => {
                    let early = mark.as_ref().is_some_and(|m| m.stamp.epoch >= now);
                    let known = Envelope {
                        from: BEFORE,
                        stamp: before,
                        name: Some(member.name_before(BEFORE)),
                    };
                    let known = Mark {
                        early,
                        ..*known.mark()
                    };
                    *mark = Some(Box::new(known));
                }
            });
    });
}

/// A rank goes on from a checkpoint: what waited for it, what crossed the line, and its pending receives.
pub(crate) fn again_at_line(me: &RankState, s: &mut State, late: Vec<(Key, Message)>) {
    let posted: Vec<*const Request> = me
        .mailbox
        .with(|q| q.posted.iter().map(|(_, r)| *r).collect());
    let slot = me.slot as usize;
    for r in posted {
        if let Some(n) = s.members[slot].post() {
            s.numbers.insert(r as usize, n);
        }
    }
    let member = &mut s.members[slot];
    let mark = |member: &mut Machine| Envelope {
        from: BEFORE,
        stamp: Stamp::default(),
        name: Some(member.name_before(BEFORE)),
    };
    me.mailbox.with(|q| {
        q.inbound
            .for_each_mut(|_, m| m.mark = Some(mark(member).mark()));
    });
    debug_assert_eq!(member.phase(), Phase::Replaying);
    for (key, mut m) in late {
        let k = mark(&mut s.members[slot]);
        match s.receiver(me, &key, k) {
            Some(r) => {
                // SAFETY: a pending receive of a rank that does not run yet.
                unsafe {
                    let r = &*r;
                    let status = fetch_quietly(&key, &m, r);
                    r.set_status(status);
                    r.done.store(true, Release);
                }
            }
            None => {
                m.mark = Some(k.mark());
                me.mailbox.with(|q| q.insert(key, m));
            }
        }
    }
}

/// # Safety
/// The receive's buffer is writable.
unsafe fn fetch_quietly(key: &Key, m: &Message, r: &Request) -> Status {
    let into = r.buf();
    let mut status = Status::of(key, &m.ty, m.len(), into.len());
    // SAFETY: the caller's promise.
    if let Err(e) = unsafe { m.unpack(&into) } {
        status.error = e.class;
    }
    status
}
