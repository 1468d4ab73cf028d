//! Where the members of a communicator meet for a collective.
//!
//! Every member leaves a pointer to its call (on its own stack) in its seat and waits; the last one
//! to arrive knows all calls.  It checks that they belong together and then either does the work
//! for everyone (small data, one worker), or lets each worker do its members' share.  A call costs
//! each member one suspension, or two if another member's stack is needed; nothing is allocated.
//!
//! Small calls are told in a few words instead ([`Brief`], [`crate::meeting::parties`]), and nobody looks at the calls themselves as
//! long as these agree.
//!
//! Members in other processes are a step of the last arriver before checking ([`crate::remote`]): what follows only
//! sees calls by rank.

pub mod all;
pub mod call;
pub mod kind;
mod parties;
pub mod posted;
mod registry;
pub mod rounds;
pub mod waiting;

pub use all::All;
pub use call::{Call, Crew};
pub use kind::{Algorithm, Brief, Kind};
pub use registry::Registry;

use crate::above::{Entered, Outcome};
use crate::io::shared::Shared;
use crate::remote::kept::Keep;
use crate::remote::members::Members;
use crate::remote::parts::{read_part, write_part};
use crate::remote::places::Places;
use crate::remote::zero_copy::RemoteProcess;
use all::{same_kind, Seat};
use parties::Parties;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::group::Group;
use pc3_vmpi_objects::wire::{Read, Reader, Writer};
use std::marker::PhantomData;
use std::ptr::null;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use waiting::Rounds;

pub struct Meeting {
    seats: Box<[Seat]>,
    /// Of the members here; made when the first of them comes.
    parties: OnceLock<Box<Parties>>,
    /// Non-blocking collectives that some members have started.
    pub rounds: Rounds,
    /// Communicator and tag: what it is called in other processes.
    pub name: (u32, u32),
    /// Collectives with members elsewhere, counted.
    pub round: AtomicU64,
    pub remote: OnceLock<Arc<Members>>,
    /// Meetings of groups within this one.
    pub inner: Registry,
    /// The file that a checkpoint's members have in common.
    file: OnceLock<Arc<Shared>>,
    /// The window of its members here.
    window: OnceLock<Arc<pc3_vmpi_rma::shared::Shared>>,
}

// SAFETY: a seat is written by its member before it arrives and by the worker of the algorithm before
// members are released; the parties order these accesses.
unsafe impl Sync for Meeting {}

// SAFETY: as above; the pointers are used only while their owners wait.
unsafe impl Send for Meeting {}

pub(crate) type MeetingRef = Arc<Meeting>;

/// Members in several processes cannot call this yet.
#[inline]
pub fn unsupported<T>(name: &str) -> Result<T> {
    fail(
        Class::ERR_UNSUPPORTED_OPERATION,
        format!("{name} is not available yet between ranks of several processes (pc3run -p)"),
    )
}

/// The tag of communicators' own meetings.
pub const OWN: u32 = u32::MAX - 1;

/// Does the work of members whose calls are all here, on the stack of member `runner`; what becomes
/// of each of them.
pub fn at_once<C: Call>(calls: &[C], runner: usize) -> Vec<Result<()>> {
    let seat = |c: &C| Seat::new(c.kind(), (c as *const C).cast());
    let seats: Vec<Seat> = calls.iter().map(seat).collect();
    let all = All::<C> {
        seats: &seats,
        of: PhantomData,
    };
    match all
        .compare_roots(runner)
        .and_then(|()| C::algorithm(&all, 1))
    {
        Ok(_) => C::whole(&all, runner),
        Err(e) => (0..all.len()).for_each(|i| all.fail(i, e.clone())),
    }
    seats.into_iter().map(|s| s.status.into_inner()).collect()
}

/// A call, as a protocol sees it.
struct Told<'a, C>(&'a C);

impl<C: Call> Outcome for Told<'_, C> {
    fn result(&self, me: usize, members: usize, w: &mut Writer) -> bool {
        self.0.result(me, members, w)
    }
    fn put_result(&self, me: usize, members: usize, r: &mut Reader, world: &World) -> Read<()> {
        self.0.put_result(me, members, r, world)
    }
}

/// Seats of `n` members, of whom some are here.
fn seats_of<C: Call>(n: usize, mine: &[(usize, C)]) -> Vec<Seat> {
    let seats: Vec<Seat> = (0..n).map(|_| Seat::new(Kind::Barrier, null())).collect();
    for (i, call) in mine {
        seats[*i].kind.set(call.kind());
        seats[*i].call.set((call as *const C).cast());
    }
    seats
}

/// What members here of a call that nobody waits in (`mine`, of `n`) have for the members `to` of another process.
pub fn part_of<C: Call>(n: usize, mine: &[(usize, C)], to: &[usize]) -> Vec<u8> {
    let all = All::<C> {
        seats: &seats_of(n, mine),
        of: PhantomData,
    };
    let from: Vec<usize> = mine.iter().map(|m| m.0).collect();
    write_part(&all, &from, &RemoteProcess::copy(to))
}

/// Does the work of the members here, on the stack of member `runner`, with what came from other processes; what
/// becomes of each of them.
pub(crate) fn with_parts<C: Call>(
    n: usize,
    mine: &[(usize, C)],
    places: &Places,
    parts: &[(u32, Box<[u8]>)],
    runner: usize,
) -> Vec<Result<()>> {
    let seats = seats_of(n, mine);
    let all = All::<C> {
        seats: &seats,
        of: PhantomData,
    };
    let here: Vec<usize> = mine.iter().map(|m| m.0).collect();
    // Until nobody works any more.
    let mut keep = Keep::default();
    let none: Vec<usize> = Vec::new();
    let mut read = parts.iter().map(|(process, bytes)| {
        let from = places.get(process).unwrap_or(&none);
        read_part(&all, from, &here, runner, bytes, &mut keep)
    });
    let outcome = read
        .by_ref()
        .collect::<Result<()>>()
        .and_then(|()| same_kind(|i| seats[i].kind.get(), n, runner))
        .and_then(|()| all.compare_roots(runner))
        .and_then(|()| C::algorithm(&all, 1));
    drop(read);
    match outcome {
        Ok(_) => C::whole(&all, runner),
        Err(e) => (0..n).for_each(|i| all.fail(i, e.clone())),
    }
    drop(keep);
    let status = |i: &usize| {
        // SAFETY: nobody else works any more.
        std::mem::replace(unsafe { &mut *seats[*i].status.get() }, Ok(()))
    };
    here.iter().map(status).collect()
}

fn shares<C: Call>(all: &All<C>, members: &[u32]) {
    C::shares(all, members.iter().map(|i| *i as usize));
}

impl Meeting {
    /// The file of its communicator, made by whoever asks first.
    #[inline]
    pub fn file(&self, make: impl FnOnce() -> Arc<Shared>) -> Arc<Shared> {
        Arc::clone(self.file.get_or_init(make))
    }

    /// What the members of a window have in common, made by whoever asks first.
    pub fn window(&self) -> Arc<pc3_vmpi_rma::shared::Shared> {
        let make = || Arc::new(pc3_vmpi_rma::shared::Shared::new(self.size()));
        Arc::clone(self.window.get_or_init(make))
    }

    /// Where its members are, who are `group`.
    pub(crate) fn members(&self, world: &World, group: &Group) -> &Arc<Members> {
        let make = || Arc::new(Members::new(world, group));
        self.remote.get_or_init(make)
    }

    /// Members.
    #[inline]
    pub fn size(&self) -> usize {
        self.seats.len()
    }

    /// The meeting of communicator `id`.
    #[inline]
    pub fn new(members: usize, id: u32) -> MeetingRef {
        Meeting::named(members, (id, OWN))
    }

    pub fn named(members: usize, name: (u32, u32)) -> MeetingRef {
        let seat = || Seat::new(Kind::Barrier, null());
        Arc::new(Meeting {
            seats: (0..members).map(|_| seat()).collect(),
            parties: OnceLock::new(),
            rounds: Rounds::default(),
            name,
            round: AtomicU64::new(0),
            remote: OnceLock::new(),
            inner: Registry::default(),
            file: OnceLock::new(),
            window: OnceLock::new(),
        })
    }

    /// Member `me` of `group` takes part with `call`; returns when its buffers are its own again.
    pub fn take_part<C: Call, W: Crew>(
        &self,
        crew: &W,
        group: &Group,
        me: usize,
        call: &C,
    ) -> Result<()> {
        if crew.nonblocking().is_none() && crew.elsewhere().is_none() {
            return self.take_part_here(crew, group, me, call);
        }
        let seat = &self.seats[me];
        let come = || seat.entered.set(seat.entered.get().wrapping_add(1));
        let ticket = match crew.nonblocking() {
            None => {
                come();
                None
            }
            Some((state, epochs)) => {
                let entered = |i: usize| self.entered(i);
                let seats: (&dyn Fn(usize) -> u32, &dyn Fn()) = (&entered, &come);
                let (id, tag) = self.name;
                let name = (id, tag, self.round.load(Relaxed));
                match epochs.enter(state, name, group, me, seats, &Told(call)) {
                    Entered::Again(result) => return result,
                    Entered::Now(ticket) => ticket.map(|t| (state, epochs, t)),
                }
            }
        };
        let kind = call.kind();
        seat.kind.set(kind);
        seat.call.set((call as *const C).cast());
        let all = All::<C> {
            seats: &self.seats,
            of: PhantomData,
        };
        match crew.elsewhere() {
            Some(out) => self.take_part_remote(crew, out, group, me, &all),
            None => {
                self.meet(crew, group, me, call);
            }
        }
        // SAFETY: our own seat, after our release.
        let result = std::mem::replace(unsafe { &mut *seat.status.get() }, Ok(()));
        if let Some((state, epochs, ticket)) = &ticket {
            let place = (me, self.seats.len());
            epochs.leave(state, ticket, place, &Told(call), result.is_ok());
        }
        result
    }

    /// The same where all members are here and nobody counts.
    fn take_part_here<C: Call, W: Crew>(
        &self,
        crew: &W,
        group: &Group,
        me: usize,
        call: &C,
    ) -> Result<()> {
        let seat = &self.seats[me];
        seat.entered.set(seat.entered.get().wrapping_add(1));
        seat.kind.set(call.kind());
        seat.call.set((call as *const C).cast());
        if self.meet(crew, group, me, call) {
            return Ok(());
        }
        // SAFETY: our own seat, after our release.
        std::mem::replace(unsafe { &mut *seat.status.get() }, Ok(()))
    }

    /// Member `me` has taken its seat, and all members are here; true if the call was told, and is done.
    #[inline(always)]
    fn meet<C: Call, W: Crew>(&self, crew: &W, group: &Group, me: usize, call: &C) -> bool {
        let all = All::<C> {
            seats: &self.seats,
            of: PhantomData,
        };
        let parties = self.parties(crew, group);
        let member = parties.member(me);
        parties.tell(member, call);
        let last = || {
            let outcome = self.check(&all, crew, me);
            self.begin(&all, outcome, me);
        };
        let share = |m: &[u32]| shares(&all, m);
        parties.sync(crew, group, (member, call.kind()), Some(call), last, share);
        if parties.has_taken(member, call) {
            return true;
        }
        if self.work(&all, me) {
            self.sync(crew, group, me, &all, || {});
        }
        false
    }

    /// How often member `i` has come.
    #[inline]
    pub fn entered(&self, i: usize) -> u32 {
        self.seats[i].entered.get()
    }

    #[inline]
    fn parties<W: Crew>(&self, crew: &W, group: &Group) -> &Parties {
        let make = || Box::new(Parties::new(crew, group));
        self.parties.get_or_init(make)
    }

    /// What has been found out about the calls, for member `me`.
    #[inline]
    pub(crate) fn algorithm(&self, me: usize) -> Algorithm {
        self.parties
            .get()
            .map_or(Algorithm::Done, |p| p.algorithm(me))
    }

    /// Waits for all members here; one of them does `last` before any goes on.
    #[inline]
    pub fn sync<C: Call, W: Crew>(
        &self,
        crew: &W,
        group: &Group,
        me: usize,
        all: &All<C>,
        last: impl FnOnce(),
    ) {
        let parties = self.parties(crew, group);
        let member = parties.member(me);
        let share = |m: &[u32]| shares(all, m);
        parties.sync::<C, W>(crew, group, (member, all.kind(me)), None, last, share);
    }

    /// Do the calls belong together, and who is to work?
    #[inline]
    pub fn check<C: Call, W: Crew>(&self, all: &All<C>, crew: &W, me: usize) -> Result<Algorithm> {
        same_kind(|i| self.seats[i].kind.get(), self.seats.len(), me)
            .and_then(|()| all.compare_roots(me))
            .and_then(|()| C::algorithm(all, crew.workers()))
    }

    /// What the last arriver does before the first release.
    pub fn begin<C: Call>(&self, all: &All<C>, outcome: Result<Algorithm>, me: usize) {
        let algorithm = match outcome {
            Ok(algorithm) => {
                if algorithm == Algorithm::Last {
                    C::whole(all, me);
                }
                algorithm
            }
            Err(e) => {
                (0..all.len()).for_each(|i| all.fail(i, e.clone()));
                Algorithm::Done
            }
        };
        if let Some(parties) = self.parties.get() {
            parties.set_algorithm(algorithm);
        }
    }

    /// Member `me`'s part of the work; true if all meet once more.
    pub fn work<C: Call>(&self, all: &All<C>, me: usize) -> bool {
        let algorithm = self.algorithm(me);
        match algorithm {
            Algorithm::Member(m) if m == me => C::whole(all, me),
            Algorithm::Member(_) => {}
            Algorithm::Inline | Algorithm::Last | Algorithm::Shares | Algorithm::Done => {
                return false
            }
        }
        true
    }
}
