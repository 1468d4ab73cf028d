//! What one rank owns.
//!
//! Some parts any worker touches (mailbox, request completion, wake-ups: all synchronised); the
//! cells are used only by the rank itself, on whatever worker it lives, or by the engine while no
//! rank runs.  [`RankState::current`] is how code gets at them.

use std::any::Any;
use std::cell::{Cell, RefCell, RefMut, UnsafeCell};
use std::collections::BTreeSet;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut, NonNull};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::*};

use pc3_runtime::chaos;
use pc3_runtime::rank::Rank;
use pc3_runtime::report::{die, EXIT_FATAL};
use pc3_typemetric::types::TypeId;

use crate::mail::landing::Landing;
use crate::mail::lane::Lane;
use crate::mail::mailbox::{Mailbox, Message, Queues};
use crate::mail::queue::Key;
use crate::mail::request::{Req, Request, Status};
use crate::mail::sharing::Sharing;
use crate::world::World;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::{Kind, Table, SENT};

/// The MPI call a rank is in, for error messages and deadlock reports.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Call {
    pub name: &'static str,
    pub peer: Option<i32>,
    pub tag: i32,
    /// Communicator handle, 0 if none.
    pub comm: usize,
}

impl Call {
    pub const NONE: Call = Call::new("");

    #[inline]
    pub const fn new(name: &'static str) -> Call {
        Call {
            name,
            peer: None,
            tag: 0,
            comm: 0,
        }
    }

    #[inline]
    pub const fn comm(self, comm: usize) -> Call {
        Call { comm, ..self }
    }

    #[inline]
    pub const fn peer(self, peer: i32, tag: i32) -> Call {
        Call {
            peer: Some(peer),
            tag,
            ..self
        }
    }
}

/// The buffer that `MPI_Buffer_attach` gives; we keep only the account, the data is ours.
#[derive(Default)]
pub struct Bsend {
    pub addr: Cell<usize>,
    pub size: Cell<usize>,
    used: AtomicUsize,
    /// Its type was unknown; while it is attached it counts as bytes, which may change architecture.
    pub untyped: Cell<bool>,
    /// What buffers of communicators and sessions have room for.
    more: Cell<usize>,
}

/// A buffer that a communicator or a session has.
pub struct Attached {
    pub addr: usize,
    pub size: usize,
    /// As of [`Bsend`].
    pub untyped: bool,
}

impl Attached {
    pub fn at(addr: usize, size: usize) -> Attached {
        let untyped = retype(addr, true);
        Attached {
            addr,
            size,
            untyped,
        }
    }

    /// As large as it has to be, and none of the program's.
    pub fn automatic() -> Attached {
        Attached {
            addr: 0,
            size: usize::MAX,
            untyped: false,
        }
    }

    pub fn is_automatic(&self) -> bool {
        self.size == usize::MAX
    }

    /// It is the program's again.
    pub fn end(self) -> (usize, usize) {
        if self.untyped {
            retype(self.addr, false);
        }
        (self.addr, self.size)
    }
}

impl Bsend {
    #[inline]
    pub fn attach(&self, addr: usize, size: usize) {
        self.addr.set(addr);
        self.size.set(size);
        self.untyped.set(retype(addr, true));
    }

    #[inline]
    pub fn detach(&self) -> (usize, usize) {
        let addr = self.addr.replace(0);
        if self.untyped.replace(false) {
            retype(addr, false);
        }
        (addr, self.size.replace(0))
    }

    /// The others are these.
    pub fn account<'a>(&self, others: impl Iterator<Item = &'a Attached>) {
        let all = others.fold(0usize, |all, a| all.saturating_add(a.size));
        self.more.set(all);
    }

    /// The room that a message of `len` bytes takes: MPI_BSEND_OVERHEAD bounds what is added, and a program
    /// that counts on less, as with other libraries, is served too.
    fn room(len: usize) -> usize {
        const HEADER: usize = 64;
        len + HEADER
    }

    /// Takes room for a message.
    pub fn reserve(&self, len: usize) -> Result<()> {
        let need = Bsend::room(len);
        let (size, used) = (
            self.size.get().saturating_add(self.more.get()),
            self.used.load(Acquire),
        );
        if size < used + need {
            let free = size.saturating_sub(used);
            let text = format!(
                "a buffered send needs {need} bytes; {free} of the attached {size} are free"
            );
            return fail(Class::ERR_BUFFER, text);
        }
        self.used.fetch_add(need, AcqRel);
        Ok(())
    }

    /// Takes room for a message of a checkpoint, which had it.
    #[inline]
    pub fn restore(&self, len: usize) {
        self.used.fetch_add(Bsend::room(len), AcqRel);
    }

    #[inline]
    pub fn release(&self, len: usize) {
        self.used.fetch_sub(Bsend::room(len), AcqRel);
    }

    /// Have all messages left?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.used.load(Acquire) == 0
    }
}

/// Makes an untyped heap object bytes, or such bytes untyped again; false if there is none at `addr`.
fn retype(addr: usize, bytes: bool) -> bool {
    // SAFETY: called by MPI functions only, which user code calls; no other reference is alive.
    let Some(rank) = (unsafe { Rank::current() }) else {
        return false;
    };
    let (from, to) = match (TypeId::UNKNOWN, rank.job().program.char_type()) {
        (unknown, char_type) if bytes => (unknown, char_type),
        (unknown, char_type) => (char_type, unknown),
    };
    let whole = rank.heap.find(addr);
    whole.is_some_and(|o| o.base as usize == addr && o.ty == from.0)
        && rank.heap.set_type(addr as *mut u8, to.0)
}

/// Between `MPI_Init` and `MPI_Finalize`?
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Phase {
    #[default]
    Before,
    Initialized,
    Finalized,
}

/// What the crates above keep of a rank.
pub type Kept = Box<dyn Any>;

/// So many fruitless polls in a row are waiting.
pub(crate) const POLLS: u32 = 1024;

#[repr(C, align(128))]
pub struct RankState {
    // What senders read, which seldom changes: no line that the rank keeps writing.
    /// In MPI_COMM_WORLD.
    pub rank: u32,
    /// Among the ranks of this process.
    pub slot: u32,
    world: *const World,
    worker: u32,
    /// Something has happened since it last polled.
    pub(crate) event: AtomicBool,
    /// It has so much unreceived that nothing more comes by lane.
    pub(crate) crowded: AtomicBool,

    pub landing: Landing,
    pub sharing: Sharing,
    pub mailbox: Mailbox,
    /// The last small message found its receiver waiting for it.
    pub(crate) guesses: Cell<bool>,
    /// Address of the request it waits for, [`Self::ANY`], or 0.
    waiting: AtomicUsize,
    /// Fruitless polls since something last happened to it.
    pub polls: AtomicU32,
    /// What that was when it was last asked whether it still polls.
    polls_then: AtomicU32,
    pub bsend: Bsend,
    pub call: Cell<Call>,
    pub phase: Cell<Phase>,
    /// Sessions that are open.
    pub sessions: Cell<u32>,
    /// Level that `MPI_Init_thread` provided.
    pub thread_level: Cell<i32>,
    /// Receives posted so far.
    pub turns: Cell<u32>,
    /// MPI objects.
    kept: UnsafeCell<Kept>,
    /// All those with the handle [`SENT`].
    sent_at_once: Request,
    /// Requests the program holds, by handle.
    pub requests: RefCell<Table<Req>>,
    /// Messages that a matched probe took out of the queue.
    pub messages: RefCell<Table<(Key, Message)>>,
    /// Requests given up before they completed.
    detached: RefCell<Vec<Req>>,
    /// Of a guest whose local checkpoint is being taken: handles of requests that were pending when it passed the line.
    pub pending_at_line: RefCell<BTreeSet<usize>>,
    /// Places for requests.
    pool: RefCell<Vec<NonNull<MaybeUninit<Request>>>>,
    /// Requests in the order of the checkpoint they come from, until messages are linked to them.
    pub loaded: RefCell<Vec<*const Request>>,
    /// Buffers of a guest's requests that come from a checkpoint, by handle.
    pub landings: RefCell<Vec<(usize, Box<[u8]>)>>,
    /// The runtime's view of this rank; null in tests that have none.
    pub exec: Cell<*mut Rank>,
    /// It comes from a checkpoint and has yet to begin (`nonblocking::births`).
    pub unborn: AtomicBool,
}

// SAFETY: see the file's convention.
unsafe impl Sync for RankState {}
// SAFETY: as above.
unsafe impl Send for RankState {}

thread_local! {
    static CURRENT: Cell<*const RankState> = const { Cell::new(null()) };
}

impl RankState {
    /// `waiting` for any request at all.
    pub const ANY: usize = 1;

    pub fn new(
        (rank, slot): (u32, u32),
        world: *const World,
        worker: u32,
        single: bool,
        kept: Kept,
    ) -> RankState {
        RankState {
            rank,
            slot,
            world,
            worker,
            event: AtomicBool::new(false),
            crowded: AtomicBool::new(false),
            landing: Landing::new(),
            sharing: Sharing::new(),
            mailbox: Mailbox::new(single),
            guesses: Cell::new(true),
            waiting: AtomicUsize::new(0),
            polls: AtomicU32::new(0),
            polls_then: AtomicU32::new(0),
            bsend: Bsend::default(),
            call: Cell::new(Call::NONE),
            phase: Cell::default(),
            sessions: Cell::new(0),
            thread_level: Cell::new(0),
            turns: Cell::new(0),
            kept: UnsafeCell::new(kept),
            sent_at_once: Request::sent(rank),
            requests: RefCell::new(Table::new(Kind::Request)),
            messages: RefCell::new(Table::new(Kind::Message)),
            detached: RefCell::default(),
            pending_at_line: RefCell::default(),
            pool: RefCell::default(),
            loaded: RefCell::default(),
            landings: RefCell::default(),
            exec: Cell::new(null_mut()),
            unborn: AtomicBool::new(false),
        }
    }

    /// The rank that the calling stack belongs to.
    #[inline]
    pub fn current() -> &'static RankState {
        match RankState::try_current() {
            Some(r) => r,
            None => outside(),
        }
    }

    /// `None` outside of any rank.
    #[inline]
    pub fn try_current() -> Option<&'static RankState> {
        // SAFETY: set by `enter` to a rank of a world that outlives its ranks' stacks.
        unsafe { CURRENT.get().as_ref() }
    }

    #[inline]
    pub(crate) fn make_current(&self) {
        CURRENT.set(self);
    }

    #[inline]
    pub fn world(&self) -> &World {
        // SAFETY: the world owns its ranks.
        unsafe { &*self.world }
    }

    /// Ranks in the job.
    #[inline]
    pub fn size(&self) -> u32 {
        self.world().size
    }

    #[inline]
    pub fn worker(&self) -> u32 {
        self.worker
    }

    /// What the crates above keep of this rank, as they have made it.  Only the rank itself may ask (or the engine while no rank
    /// runs), and must not keep the reference while user callbacks run: they may call MPI.
    ///
    /// # Safety
    /// It was made as a `T`.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn kept<T: Any>(&self) -> &mut T {
        // SAFETY: a rank executes on one stack at a time; see above.
        let kept: &mut dyn Any = unsafe { &mut **self.kept.get() };
        debug_assert!(kept.is::<T>());
        // SAFETY: by the caller.
        unsafe { &mut *(&raw mut *kept).cast::<T>() }
    }

    /// A receive is posted.
    #[inline]
    pub fn take_turn(&self, r: &Request) {
        let turn = self.turns.get().wrapping_add(1);
        self.turns.set(turn);
        r.turn.set(turn);
    }

    /// Greater for receives posted earlier: messages of one sender arrive in that order, and a program that is told of them
    /// in another could take the last for the last.
    #[inline]
    pub fn age(&self, r: &Request) -> u32 {
        self.turns.get().wrapping_sub(r.turn.get())
    }

    /// Completes a request of this rank and wakes it if it waits for that.  `from`: the caller's worker.
    ///
    /// # Safety
    /// The request is alive and pending, and the caller is the one who completes it.
    #[inline(always)]
    pub unsafe fn complete(&self, r: *const Request, from: Option<u32>, status: Status) {
        // SAFETY: by the caller.
        unsafe { Request::finish(r, status) };
        chaos();
        self.notify(r as usize, from);
    }

    /// A message that this rank has sent in buffered mode has gone: its attached buffer has the room again.
    #[inline]
    pub fn give_back(&self, len: usize, from: Option<u32>) {
        self.bsend.release(len);
        self.notify(&raw const self.bsend as usize, from);
    }

    /// The runtime's part of this rank, if there is one.
    #[allow(clippy::mut_from_ref)]
    #[inline]
    pub fn exec(&self) -> Option<&mut Rank> {
        // SAFETY: set by the engine for the time of its run.
        unsafe { self.exec.get().as_mut() }
    }

    /// Suspends this rank until somebody calls [`Self::wake`]; may return without cause.
    #[inline(always)]
    pub fn block(&self) {
        let world = self.world();
        world.sched().block(world, self.slot);
    }

    /// It polls, or is blocked, or has ended; nothing that it waits for has happened.  Any rank may ask.
    #[inline]
    pub fn is_idle(&self) -> bool {
        let sched = self.world().sched();
        sched.is_blocked(self.slot)
            || sched.has_ended(self.slot)
            || (self.polls.load(Relaxed) >= POLLS && !self.event.load(Relaxed))
    }

    /// Is it blocked, has it ended, or polled since this was last asked?  Who has stopped polling may compute.
    #[inline]
    pub(crate) fn still_polls(&self) -> bool {
        let sched = self.world().sched();
        let polls = self.polls.load(Relaxed);
        let then = self.polls_then.swap(polls, Relaxed);
        polls != then || sched.is_blocked(self.slot) || sched.has_ended(self.slot)
    }

    /// Could that one run next, if this one let it?
    #[inline]
    pub(crate) fn may_let_run(&self, other: &RankState) -> bool {
        self.worker == other.worker
            && !std::ptr::eq(self, other)
            && !self.world().sched().is_blocked(other.slot)
    }

    /// It has sent something: others may get a turn.
    #[inline]
    pub fn sent(&self) {
        let world = self.world();
        world.sched().sent(world, self.slot);
    }

    /// Lets other ranks run.
    #[inline]
    pub fn yield_now(&self) {
        self.gave_way();
    }

    /// The same; true if it had the core to itself, and lost it for long.
    #[inline]
    pub(crate) fn gave_way(&self) -> bool {
        let world = self.world();
        world.sched().yield_now(world, self.slot)
    }

    /// Calls may wait for a rank to do their work.
    #[inline]
    pub fn has_chores(&self) -> bool {
        self.world().chores.load(SeqCst)
    }

    /// Those of this rank's may wait for it, or another member.
    #[inline]
    pub fn do_chores(&self) {
        if self.has_chores() {
            self.world().other().do_chores(self);
        }
    }

    /// The lane for a message to a rank of another worker, and how often ours has looked into its own.
    #[inline]
    pub(crate) fn lane_to(&self, to: &RankState) -> Option<(&Lane, u32)> {
        self.world().lanes()?.send(self.worker, to.worker)
    }

    /// A message has left its mailbox, which kept so many bytes of it.
    #[inline]
    pub fn took(&self, q: &mut Queues, weight: usize) {
        q.bytes -= weight;
        if self.crowded.load(Relaxed) {
            self.crowded.store(q.is_full(), Relaxed);
        }
    }

    /// Makes another rank ready again; called by the running rank.
    #[inline]
    pub fn wake(&self, other: u32) {
        self.world().wake(Some(self.worker), other);
    }

    /// Looks for `ready` for as long as that is cheaper than to be woken.
    #[inline]
    pub fn linger(&self, ready: impl Fn() -> bool) -> bool {
        let world = self.world();
        let done = world.sched().linger(world, self.slot, || {
            self.sharing.help();
            ready()
        });
        self.polls.store(0, Relaxed);
        done
    }

    /// Runs `f` while this rank is said to wait for `what`.
    #[inline]
    pub(crate) fn waiting_for(&self, what: usize, f: impl FnOnce()) {
        self.waiting.store(what, Relaxed);
        f();
        self.waiting.store(0, Relaxed);
    }

    /// Blocks until `what` is notified, unless `ready` says it happened already; may return early.
    #[inline(always)]
    pub fn wait_on(&self, what: usize, ready: impl Fn() -> bool) {
        self.do_chores();
        if self.linger(&ready) {
            return;
        }
        self.waiting_for(what, || {
            self.world().sched().full_fence();
            if !ready() {
                self.block();
            }
        });
    }

    /// It has reason to poll again; called before it can find out.
    #[inline]
    pub fn happened(&self) {
        // Ranks that never poll have it set for good: their memory is only read.
        if !self.event.load(Relaxed) {
            self.event.store(true, Relaxed);
        }
    }

    /// Something that the rank may be waiting for has happened.  `from`: the caller's worker.
    #[inline(always)]
    pub fn notify(&self, what: usize, from: Option<u32>) {
        self.notify_of(std::iter::once(what), from);
    }

    /// The same for several things.
    #[inline(always)]
    pub(crate) fn notify_of(&self, what: impl Iterator<Item = usize>, from: Option<u32>) {
        self.happened();
        self.go_on(what, from);
    }

    /// It has been answered, which is no reason to poll again.
    pub fn answered(&self, what: usize) {
        self.go_on(std::iter::once(what), None);
    }

    #[inline(always)]
    fn go_on(&self, mut what: impl Iterator<Item = usize>, from: Option<u32>) {
        let sched = self.world().sched();
        sched.full_fence();
        let waiting = self.waiting.load(Relaxed);
        if what.any(|what| waiting == what || waiting == Self::ANY) {
            sched.wake(from, self.slot);
        }
    }

    #[inline]
    pub fn waiting(&self) -> usize {
        self.waiting.load(Acquire)
    }

    #[inline]
    pub fn waits_for(&self, r: &Request) -> bool {
        let w = self.waiting();
        w == Self::ANY || w == r as *const Request as usize
    }

    /// A request at a stable address.
    // Made where it is to be: what is written in parts and then copied as a whole has to wait for the parts.
    #[inline(always)]
    pub fn new_request(&self, r: Request) -> Req {
        let place = self.pool.borrow_mut().pop();
        let place = place.unwrap_or_else(|| NonNull::from(Box::leak(Box::new_uninit())));
        let place = place.cast::<Request>();
        // SAFETY: pooled places are nobody else's, and nothing is in them.
        unsafe { place.write(r) };
        Req(place)
    }

    /// The request of a handle, which stays where it is until it is taken back.
    #[inline(always)]
    pub fn request(&self, handle: usize) -> Option<&'static Request> {
        let r: *const Request = match handle {
            SENT => &raw const self.sent_at_once,
            _ => self.requests.borrow().get(handle)?.ptr(),
        };
        // SAFETY: in place as long as the program has the handle.
        Some(unsafe { &*r })
    }

    /// Takes back a request that is not pending.
    #[inline]
    pub fn recycle(&self, r: Req) {
        // SAFETY: nobody else has it, and nobody reads it any more.
        unsafe { r.0.drop_in_place() };
        self.pool.borrow_mut().push(r.0.cast());
    }

    /// Keeps a pending request until it has completed by itself.
    pub fn detach(&self, r: Req) {
        let mut list = self.detached.borrow_mut();
        if list.len() >= 64 {
            let (done, pending): (Vec<_>, Vec<_>) = list.drain(..).partition(|r| r.get().is_done());
            *list = pending;
            done.into_iter().for_each(|r| self.recycle(r));
        }
        list.push(r);
    }

    /// The buffer of a request that its owner has given up stays until the job ends.
    #[inline]
    pub fn keep_landing(&self, handle: usize, buffer: Box<[u8]>) {
        self.landings.borrow_mut().push((handle, buffer));
    }

    /// The buffer of a request of a guest that comes from a checkpoint: it belongs to the program again.
    #[inline]
    pub fn take_landing(&self, handle: usize) -> Option<Box<[u8]>> {
        let mut list = self.landings.borrow_mut();
        let at = list.iter().position(|(h, _)| *h == handle)?;
        Some(list.swap_remove(at).1)
    }

    #[inline]
    pub fn detached(&self) -> RefMut<'_, Vec<Req>> {
        self.detached.borrow_mut()
    }
}

#[cold]
fn outside() -> ! {
    die(
        EXIT_FATAL,
        "an MPI function was called outside of any rank (from another thread, or before main)",
    )
}

impl Drop for RankState {
    fn drop(&mut self) {
        let detached = std::mem::take(self.detached.get_mut());
        let held = self.requests.get_mut().iter().map(|(_, r)| Req(r.0));
        let held: Vec<_> = held.chain(detached).collect();
        held.into_iter().for_each(|r| self.recycle(r));
        for place in std::mem::take(self.pool.get_mut()) {
            // SAFETY: leaked by `new_request`.
            drop(unsafe { Box::from_raw(place.as_ptr()) });
        }
    }
}
