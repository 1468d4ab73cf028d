//! Where the members of a communicator meet for a collective.
//!
//! Every member leaves a pointer to its call (on its own stack) in its seat and waits; the last one
//! to arrive knows all calls.  It checks that they belong together and then either does the work
//! for everyone (small data, one worker), or lets every member do its share, after which all meet
//! once more before their buffers are theirs again.  A call costs each member one suspension, or
//! two; nothing is allocated.
//!
//! Members in other processes are a step of the last arriver before checking ([`super::far`]): what follows only
//! sees calls by rank.

pub use super::call::{Call, Crew, Kind, Plan};

use super::far::{hash, places, read_part, write_part, Elsewhere, Keep, Places, Topic};
use super::rounds::Rounds;
use crate::crossing::coll::{self as crossing, Entered};
use crate::error::{fail, Class, MpiError, Result};
use crate::group::Group;
use crate::io::Shared;
use crate::wire::Reader;
use std::cell::{Cell, UnsafeCell};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::ptr::null;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

#[repr(align(64))]
pub(super) struct Seat {
    kind: Cell<Kind>,
    /// How often its member has come.
    entered: Cell<u32>,
    call: Cell<*const ()>,
    status: UnsafeCell<Result<()>>,
}

pub struct Meeting {
    seats: Box<[Seat]>,
    plan: Cell<Plan>,
    mismatch: Cell<bool>,
    arrived: AtomicU32,
    /// Counts releases.
    phase: AtomicU32,
    /// Non-blocking collectives that some members have started.
    pub(super) rounds: Rounds,
    /// Communicator and tag: what it is called in other processes.
    name: (u32, u32),
    /// Members in this process, once known.
    here: AtomicU32,
    /// Collectives with members elsewhere, counted.
    round: AtomicU64,
    far: OnceLock<Far>,
    /// Meetings of groups within this one.
    pub inner: Registry,
    /// The file that a checkpoint's members have in common.
    file: OnceLock<Arc<Shared>>,
}

// SAFETY: a seat is written by its member before it arrives and by the worker of the plan before
// members are released; `arrived` and `phase` order these accesses.
unsafe impl Sync for Meeting {}
// SAFETY: as above; the pointers are used only while their owners wait.
unsafe impl Send for Meeting {}

pub type MeetingRef = Arc<Meeting>;

/// Members in several processes.
struct Far {
    places: Places,
    group: u64,
}

/// Members in several processes cannot call this yet.
pub fn unsupported<T>(name: &str) -> Result<T> {
    fail(
        Class::ERR_UNSUPPORTED_OPERATION,
        format!("{name} is not available yet between ranks of several processes (pc3run -p)"),
    )
}

/// The tag of communicators' own meetings.
pub(crate) const OWN: u32 = u32::MAX - 1;

/// The calls of all members, by rank.
pub struct All<'a, C> {
    seats: &'a [Seat],
    of: PhantomData<C>,
}

impl Seat {
    fn new(kind: Kind, call: *const ()) -> Seat {
        Seat {
            kind: Cell::new(kind),
            entered: Cell::new(0),
            call: Cell::new(call),
            status: UnsafeCell::new(Ok(())),
        }
    }
}

/// Does the work of members whose calls are all here, on the stack of member `runner`; what becomes
/// of each of them.
pub(super) fn at_once<C: Call>(calls: &[C], runner: usize) -> Vec<Result<()>> {
    let seat = |c: &C| Seat::new(c.kind(), (c as *const C).cast());
    let seats: Vec<Seat> = calls.iter().map(seat).collect();
    let all = All::<C> {
        seats: &seats,
        of: PhantomData,
    };
    match all.compare_roots(runner).and_then(|()| C::plan(&all, 1)) {
        Ok(_) => C::whole(&all, runner),
        Err(e) => (0..all.len()).for_each(|i| all.fail(i, e.clone())),
    }
    seats.into_iter().map(|s| s.status.into_inner()).collect()
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
pub(super) fn part_of<C: Call>(n: usize, mine: &[(usize, C)], to: &[usize]) -> Vec<u8> {
    let all = All::<C> {
        seats: &seats_of(n, mine),
        of: PhantomData,
    };
    let from: Vec<usize> = mine.iter().map(|m| m.0).collect();
    write_part(&all, &from, to)
}

/// Does the work of the members here, on the stack of member `runner`, with what came from other processes; what
/// becomes of each of them.
pub(super) fn with_parts<C: Call>(
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
        .and_then(|()| C::plan(&all, 1));
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

/// Members of one communicator must be in the same collective.
pub(super) fn same_kind(kinds: impl Fn(usize) -> Kind, n: usize, me: usize) -> Result<()> {
    let mine = kinds(me);
    match (0..n).find(|i| kinds(*i) != mine) {
        None => Ok(()),
        Some(i) => fail(
            Class::ERR_OTHER,
            format!(
                "members of one communicator are in different collectives: rank {me} called {}, rank {i} {}",
                mine.name(),
                kinds(i).name()
            ),
        ),
    }
}

impl<C: Call> All<'_, C> {
    fn compare_roots(&self, me: usize) -> Result<()> {
        let root = self.get(me).root();
        match (0..self.len()).find(|&i| self.get(i).root() != root) {
            None => Ok(()),
            Some(i) => fail(
                Class::ERR_ROOT,
                format!(
                    "{}: rank {me} names root {root}, rank {i} root {}",
                    self.get(me).kind().name(),
                    self.get(i).root()
                ),
            ),
        }
    }
}

impl<C> All<'_, C> {
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.seats.len()
    }

    pub fn get(&self, i: usize) -> &C {
        // SAFETY: kinds were compared, so it is a `C`; its owner waits until we are done.
        unsafe { &*self.seats[i].call.get().cast::<C>() }
    }

    pub fn iter(&self) -> impl Iterator<Item = &C> {
        (0..self.len()).map(|i| self.get(i))
    }

    pub(super) fn kind(&self, i: usize) -> Kind {
        self.seats[i].kind.get()
    }

    /// Of a member elsewhere; false: there is none such.
    pub(super) fn set_kind(&self, i: usize, kind: u32) -> bool {
        Kind::of(kind).map(|k| self.seats[i].kind.set(k)).is_some()
    }

    /// Of a member elsewhere.
    pub(super) fn seat(&self, i: usize, call: &C) {
        self.seats[i].call.set((call as *const C).cast());
    }

    /// Member `i`'s call is to return this error.
    pub fn fail(&self, i: usize, e: MpiError) {
        // SAFETY: only whoever works for member `i` writes here, before its release.
        unsafe { *self.seats[i].status.get() = Err(e) }
    }
}

impl Meeting {
    /// The file of its communicator, made by whoever asks first.
    pub(crate) fn file(&self, make: impl FnOnce() -> Arc<Shared>) -> Arc<Shared> {
        Arc::clone(self.file.get_or_init(make))
    }

    /// Members.
    pub fn size(&self) -> usize {
        self.seats.len()
    }

    /// The meeting of communicator `id`.
    pub fn new(members: usize, id: u32) -> MeetingRef {
        Meeting::named(members, (id, OWN))
    }

    fn named(members: usize, name: (u32, u32)) -> MeetingRef {
        let seat = || Seat::new(Kind::Barrier, null());
        Arc::new(Meeting {
            seats: (0..members).map(|_| seat()).collect(),
            plan: Cell::new(Plan::Last),
            mismatch: Cell::new(false),
            arrived: AtomicU32::new(0),
            phase: AtomicU32::new(0),
            rounds: Rounds::default(),
            name,
            here: AtomicU32::new(0),
            round: AtomicU64::new(0),
            far: OnceLock::new(),
            inner: Registry::default(),
            file: OnceLock::new(),
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
        let seat = &self.seats[me];
        let come = || seat.entered.set(seat.entered.get().wrapping_add(1));
        let ticket = match crew.crossing() {
            None => {
                come();
                None
            }
            Some(state) => {
                let entered = |i: usize| self.seats[i].entered.get();
                let seats: (&dyn Fn(usize) -> u32, &dyn Fn()) = (&entered, &come);
                match crossing::enter(state, self.name, group, me, seats, call) {
                    Entered::Again(result) => return result,
                    Entered::Now(ticket) => ticket.map(|t| (state, t)),
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
        let n = self.seats.len() as u32;
        match crew.elsewhere() {
            Some(out) => self.take_part_apart(crew, out, group, me, &all),
            None => {
                self.sync(crew, group, me, n, kind, || {
                    let outcome = self.check(&all, crew, me);
                    self.begin(&all, outcome, me);
                });
                if self.work(&all, me) {
                    self.sync(crew, group, me, n, kind, || {});
                }
            }
        }
        // SAFETY: our own seat, after our release.
        let result = std::mem::replace(unsafe { &mut *seat.status.get() }, Ok(()));
        if let Some((state, ticket)) = &ticket {
            let place = (me, self.seats.len());
            crossing::leave(state, ticket, place, call, result.is_ok());
        }
        result
    }

    /// The same in a job of several processes.
    #[cold]
    fn take_part_apart<C: Call, W: Crew>(
        &self,
        crew: &W,
        out: &dyn Elsewhere,
        group: &Group,
        me: usize,
        all: &All<C>,
    ) {
        let n = self.count_here(out, group);
        let kind = all.get(me).kind();
        // Until nobody works any more.
        let mut keep = None;
        self.sync(crew, group, me, n, kind, || {
            let brought = self.bring(all, out, group, me, &mut keep);
            let outcome = brought.and_then(|()| self.check(all, crew, me));
            let outcome = match (outcome, self.far.get()) {
                // The other processes' members do no share here.
                (Ok(Plan::Shares), Some(far)) if far.places.len() > 1 => Ok(Plan::Last),
                (Ok(Plan::Member(m)), Some(far)) if !far.is_here(out, m) => {
                    self.take_results(all, out, far, me, m).map(|()| Plan::Done)
                }
                (other, _) => other,
            };
            self.begin(all, outcome, me);
        });
        if self.work(all, me) {
            if let (Plan::Member(m), Some(far)) = (self.plan.get(), self.far.get()) {
                if m == me {
                    self.give_results(all, out, far);
                }
            }
            self.sync(crew, group, me, n, kind, || {});
        }
        drop(keep);
    }

    /// Do the calls belong together, and who is to work?
    #[inline]
    fn check<C: Call, W: Crew>(&self, all: &All<C>, crew: &W, me: usize) -> Result<Plan> {
        same_kind(|i| self.seats[i].kind.get(), self.seats.len(), me)
            .and_then(|()| all.compare_roots(me))
            .and_then(|()| C::plan(all, crew.workers()))
    }

    /// What the last arriver does before the first release.
    #[inline]
    fn begin<C: Call>(&self, all: &All<C>, outcome: Result<Plan>, me: usize) {
        self.mismatch.set(outcome.is_err());
        match outcome {
            Ok(plan) => {
                self.plan.set(plan);
                if plan == Plan::Last {
                    C::whole(all, me);
                }
            }
            Err(e) => (0..all.len()).for_each(|i| all.fail(i, e.clone())),
        }
    }

    /// Member `me`'s part of the work; true if all meet once more.
    #[inline]
    fn work<C: Call>(&self, all: &All<C>, me: usize) -> bool {
        let plan = self.plan.get();
        if self.mismatch.get() || matches!(plan, Plan::Last | Plan::Done) {
            return false;
        }
        match plan {
            Plan::Member(m) if m == me => C::whole(all, me),
            Plan::Shares => {
                if let Err(e) = C::share(all, me) {
                    all.fail(me, e);
                }
            }
            _ => {}
        }
        true
    }

    fn topic(&self, far: &Far, phase: u32) -> Topic {
        Topic {
            id: self.name.0,
            tag: self.name.1,
            group: far.group,
            round: self.round.load(Relaxed),
            phase,
        }
    }

    /// Exchanges calls with the other processes that have members.
    fn bring<C: Call>(
        &self,
        all: &All<C>,
        out: &dyn Elsewhere,
        group: &Group,
        me: usize,
        keep: &mut Option<Keep<C>>,
    ) -> Result<()> {
        let far = self.far.get_or_init(|| Far {
            places: places(out, group),
            group: hash(group),
        });
        if far.places.len() == 1 {
            return Ok(());
        }
        if !C::APART {
            return unsupported(all.get(me).kind().name());
        }
        self.round.fetch_add(1, Relaxed);
        let topic = self.topic(far, 0);
        let here = far.at(out.here());
        for (process, to) in far.places.iter().filter(|p| *p.0 != out.here()) {
            out.send(*process, topic, &write_part(all, here, to));
        }
        let keep = keep.insert(Keep::default());
        let parts = out.receive(topic, far.places.len() - 1);
        let read = |(process, bytes): &(u32, Box<[u8]>)| {
            read_part(all, far.at(*process), here, me, bytes, keep)
        };
        parts.iter().try_for_each(read)
    }

    fn give_results<C: Call>(&self, all: &All<C>, out: &dyn Elsewhere, far: &Far) {
        for (process, to) in far.places.iter().filter(|p| *p.0 != out.here()) {
            if let Some(bytes) = C::results(all, to) {
                out.send(*process, self.topic(far, 1), &bytes);
            }
        }
    }

    fn take_results<C: Call>(
        &self,
        all: &All<C>,
        out: &dyn Elsewhere,
        far: &Far,
        me: usize,
        member: usize,
    ) -> Result<()> {
        debug_assert!(!far.is_here(out, member));
        if !all.get(me).gives() {
            return Ok(());
        }
        let here = far.at(out.here());
        let parts = out.receive(self.topic(far, 1), 1);
        let accept = |(_, bytes): &(u32, Box<[u8]>)| C::accept(all, here, &mut Reader(bytes));
        let done = parts.iter().try_for_each(accept);
        done.or_else(|e| fail(Class::ERR_INTERN, e.to_string()))
    }

    fn count_here(&self, out: &dyn Elsewhere, group: &Group) -> u32 {
        match self.here.load(Relaxed) {
            0 => {
                let here = |w: &&u32| out.process_of(**w) == out.here();
                let n = group.ranks().iter().filter(here).count() as u32;
                self.here.store(n, Relaxed);
                n
            }
            n => n,
        }
    }

    /// `n`: members in this process.
    fn sync<W: Crew>(
        &self,
        crew: &W,
        group: &Group,
        me: usize,
        n: u32,
        kind: Kind,
        last: impl FnOnce(),
    ) {
        let phase = self.phase.load(Relaxed);
        if self.arrived.fetch_add(1, AcqRel) + 1 < n {
            while self.phase.load(Acquire) == phase {
                crew.block(kind.name());
            }
            return;
        }
        last();
        pc3_runtime::chaos();
        self.arrived.store(0, Relaxed);
        self.phase.store(phase.wrapping_add(1), Release);
        let ranks = group.ranks().iter().enumerate();
        crew.wake_many(ranks.filter(|(i, _)| *i != me).map(|(_, world)| *world));
    }
}

impl Far {
    fn at(&self, process: u32) -> &[usize] {
        self.places.get(&process).map_or(&[], |v| v)
    }

    fn is_here(&self, out: &dyn Elsewhere, member: usize) -> bool {
        self.at(out.here()).contains(&member)
    }
}

/// Meetings that members find by name: of communicators rebuilt after a restart, and of calls
/// that only some members of a communicator make.
#[derive(Default)]
pub struct Registry {
    all: Mutex<HashMap<Key, Weak<Meeting>>>,
    /// Those that count what other processes count, too.
    kept: Mutex<Vec<MeetingRef>>,
}

/// Communicator id, tag, members.
type Key = (u32, u32, Vec<u32>);

impl Registry {
    /// Tag of meetings of whole communicators, as opposed to those of calls that name one.
    pub const WHOLE: u32 = u32::MAX;

    /// The meeting of `group` for communicator `id` (and `tag`, for calls that name one).
    pub fn find(&self, id: u32, tag: u32, group: &Group) -> MeetingRef {
        let mut map = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (id, tag, group.ranks().to_vec());
        if let Some(m) = map.get(&key).and_then(Weak::upgrade) {
            return m;
        }
        map.retain(|_, m| m.strong_count() > 0);
        let m = Meeting::named(group.size(), (id, tag));
        map.insert(key, Arc::downgrade(&m));
        m
    }

    /// Keeps a meeting with members elsewhere: it must not begin to count anew in one process only.
    pub fn keep(&self, meeting: &MeetingRef) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.iter().any(|m| Arc::ptr_eq(m, meeting)) {
            kept.push(meeting.clone());
        }
    }
}
