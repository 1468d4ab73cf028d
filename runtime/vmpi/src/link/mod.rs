//! What connects the processes of one job: frames to and from the others, and the thread that receives them.
//!
//! Ranks are placed in blocks (`docs/protocols.md`).  A rank sends on its own worker; what arrives is handled by one
//! thread at a time, as far as that goes without a rank: it matches messages, answers, wakes ranks.  That is a worker
//! that has nothing else to do, as long as it looks for work, else a thread of its own, the *porter*.  `arrivals`: what the transport delivers; `p2p`, `offers`, `pulls` and `counted`: messages
//! between ranks; `board`: what collectives of several processes exchange; `pointers`: of files; `turns`: what all have to know in the same order; `credit`: how much may be sent unasked; `desk`: what processes tell each other;
//! `ending`: how it all ends; `polls`: ranks that poll in vain; `pulse`: who is out of reach; `lead` and `node`: checkpoints and quiescence across processes.

mod arrivals;
pub(crate) mod board;
pub(crate) mod counted;
pub(crate) mod credit;
pub(crate) mod desk;
mod ending;
mod hashing;
pub(crate) mod lead;
pub(crate) mod node;
pub(crate) mod offers;
pub(crate) mod p2p;
pub(crate) mod pointers;
mod polls;
pub(crate) mod pulls;
mod pulse;
pub(crate) mod quiet;
mod slots;
pub(crate) mod turns;
mod words;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use pc3_runtime::tell::follow;
use pc3_runtime::{chaos, control, settings};
use pc3_transport::Head;

use crate::brief::{Brief, Guard};
use crate::crossing::apart;
use crate::state::World;
use crate::transport::Carrier;
pub use ending::{abort, hear_others};

use arrivals::{Arrivals, Handler, HANDLES};
pub(crate) use arrivals::{Body, Frame};
use board::Board;
use credit::Credits;
use desk::Desk;
use node::Node;
use p2p::Traffic;
use pointers::Pointers;
use pulse::Pulse;
use turns::Turns;

/// What a frame is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(crate) enum Kind {
    /// A whole message.
    Eager = 1,
    /// A message that its sender holds: `id`.
    Offer,
    /// The receive `token` takes the message `id`.
    Take,
    /// The body of such a message, for the receive `token`.
    Data,
    /// The body of a held message that nobody has taken.
    Hand,
    /// The held message `id` is at `count` among its sender's saved requests.
    Place,
    /// A whole message that counts: its `token` tells of its sender.  With an `id`, who receives it says so by a `Take`.
    Counted,
    /// The body of the message offered as `id`, which its sender keeps until it hears of it.
    Give,
    /// A process's part of a collective.
    Collective,
    /// The same in a few words: see `coll::told`.
    Told,
    /// Of a shared file pointer: `src` moves it on by `count`; where it was goes to `dst`.
    Pointer,
    Pointed,
    /// See `turns`.
    Turn,
    /// The sender has received `count` bytes of what was sent unasked: see `credit`.
    Credit,
    /// See `node`.
    Control,
    /// See `crossing::apart`.
    Crossing,
    /// See `desk`.
    Desk,
    /// The sender ends, with status `count`; so does the job.
    Abort,
    /// The sender will send nothing more.
    Bye,
    /// The sender is there.
    Pulse,
}

const KINDS: [Kind; 20] = [
    Kind::Eager,
    Kind::Offer,
    Kind::Take,
    Kind::Data,
    Kind::Hand,
    Kind::Place,
    Kind::Counted,
    Kind::Give,
    Kind::Collective,
    Kind::Told,
    Kind::Pointer,
    Kind::Pointed,
    Kind::Turn,
    Kind::Credit,
    Kind::Control,
    Kind::Crossing,
    Kind::Desk,
    Kind::Abort,
    Kind::Bye,
    Kind::Pulse,
];

impl Kind {
    fn of(n: u32) -> Option<Kind> {
        KINDS.into_iter().find(|k| *k as u32 == n)
    }

    /// Do programs wait for such frames, so that they count when it is asked whether anything is under way?
    fn counts(self) -> bool {
        !matches!(
            self,
            Kind::Credit
                | Kind::Control
                | Kind::Crossing
                | Kind::Desk
                | Kind::Abort
                | Kind::Bye
                | Kind::Pulse
        )
    }
}

pub struct Link {
    carrier: Carrier,
    arrivals: Mutex<Arrivals>,
    /// Is there anything?
    any: AtomicBool,
    /// Of whoever handles what arrives: lists to be filled next.
    hands: Brief<Arrivals>,
    /// How often workers have looked.
    looks: AtomicU64,
    /// A worker has gone to sleep since the porter last asked.
    rested: AtomicBool,
    porter: OnceLock<Thread>,
    world: AtomicPtr<World>,
    pub(crate) traffic: Traffic,
    pub(crate) credits: Credits,
    pub(crate) board: Board,
    pub(crate) pointers: Pointers,
    pub(crate) turns: Turns,
    pub(crate) desk: Desk,
    pub(crate) node: Node,
    /// Frames handled that count; written by whoever has `hands`.
    handled: AtomicU64,
    /// All processes know their ranks.
    begun: AtomicBool,
    /// The porter is to end.
    over: AtomicBool,
    /// Nobody is missed any more.
    closing: AtomicBool,
    /// Another process is gone without a word.
    bereft: AtomicBool,
    pulse: Option<Pulse>,
    byes: AtomicU64,
}

pub(crate) fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The link of this process, for those who end it from anywhere.
static LINK: Mutex<Option<Arc<Link>>> = Mutex::new(None);

/// Joins the job of several processes that this one was started for, if it was.
pub fn join() -> Result<Option<Arc<Link>>, String> {
    let Some(carrier) = crate::transport::join()? else {
        return Ok(None);
    };
    let (index, count) = (carrier.index(), carrier.count());
    let silence =
        settings::silence(|name| std::env::var(name).ok()).filter(|_| carrier.is_native());
    let link = Arc::new(Link {
        carrier,
        arrivals: Mutex::new(Arrivals {
            open: (0..count).map(|_| None).collect(),
            ..Arrivals::default()
        }),
        any: AtomicBool::new(false),
        hands: Brief::default(),
        looks: AtomicU64::new(0),
        rested: AtomicBool::new(false),
        porter: OnceLock::new(),
        world: AtomicPtr::default(),
        traffic: Traffic::default(),
        credits: Credits::new(count),
        board: Board::new(count),
        pointers: Pointers::default(),
        turns: Turns::default(),
        desk: Desk::new(index, count),
        node: Node::new(index, count),
        handled: AtomicU64::new(0),
        begun: AtomicBool::new(false),
        over: AtomicBool::new(false),
        closing: AtomicBool::new(false),
        bereft: AtomicBool::new(false),
        pulse: Pulse::new(index, count, silence),
        byes: AtomicU64::new(0),
    });
    let sink = arrivals::sink(&link);
    // SAFETY: `LINK` keeps it as long as the process lives.
    unsafe { link.carrier.attach(&sink) };
    *lock(&LINK) = Some(link.clone());
    if link.carrier.by_launcher {
        control::note_the_end(|| {
            // In a signal handler: nothing but a write to a descriptor.
            if let Ok(Some(link)) = LINK.try_lock().as_deref() {
                link.carrier.wake();
            }
        });
    }
    let porter = link.clone();
    control::without_signals(|| {
        std::thread::Builder::new()
            .name("pc3-porter".into())
            .spawn(move || porter.work())
    })
    .map_err(|e| format!("no thread for messages of other processes: {e}"))?;
    Ok(Some(link))
}

/// That of this process.
pub fn joined() -> Option<Arc<Link>> {
    lock(&LINK).clone()
}

/// Looks for frames before going to sleep, if a core is free for it.
const SPIN: Duration = Duration::from_micros(30);
/// Sleeps at most so long: requests by signal are looked for.
const NAP: u64 = 50_000;
/// The porter, while workers look.
const PAUSE: Duration = Duration::from_micros(500);
/// The only worker, which has nobody else to look for, does so that often in a row.
const GLANCES: u32 = 8;
/// One of so many looks of workers is at all that there could be.
const RARELY: u64 = 1 << 10;
/// While it is of interest whether anything is under way.
const WATCH: u64 = 2_000;

impl Link {
    pub fn index(&self) -> u32 {
        self.carrier.index()
    }

    pub fn count(&self) -> u32 {
        self.carrier.count()
    }

    pub(crate) fn others(&self) -> impl Iterator<Item = u32> {
        let me = self.index();
        (0..self.count()).filter(move |p| *p != me)
    }

    /// The ranks of this process are known from now on.
    pub(crate) fn attach(&self, world: &World) {
        self.world
            .store(std::ptr::from_ref(world).cast_mut(), SeqCst);
        if world.sched().workers() == 1 {
            self.credits.be_single();
        }
        if world.sched().spins() {
            self.carrier.spins();
        }
    }

    /// The ranks of all processes are known to them from now on.
    pub(crate) fn begin(&self) {
        self.begun.store(true, SeqCst);
    }

    pub(crate) fn world(&self) -> Option<&World> {
        // SAFETY: the world of a job lives as long as the process.
        unsafe { self.world.load(SeqCst).as_ref() }
    }

    /// Something waits to be handled.
    pub(crate) fn wake(&self) {
        if HANDLES.get() != Handler::Nobody {
            return;
        }
        self.carrier.wake();
        if let Some(porter) = self.porter.get() {
            porter.unpark();
        }
    }

    /// # Safety
    /// The body has `head.len` bytes; with a token they stay until [`Traffic::sent`] is called with it.
    pub(crate) unsafe fn send(
        &self,
        peer: u32,
        kind: Kind,
        head: Head,
        body: *const u8,
        token: u64,
    ) {
        chaos();
        let head = Head {
            kind: kind as u32,
            ..head
        };
        // SAFETY: by the caller.
        unsafe { self.carrier.send(peer, &head, body, token, kind.counts()) }
    }

    pub(crate) fn send_bytes(&self, peer: u32, kind: Kind, head: Head, body: &[u8]) {
        let head = Head {
            len: body.len() as u64,
            ..head
        };
        // SAFETY: a slice, and no token.
        unsafe { self.send(peer, kind, head, body.as_ptr(), 0) }
    }

    /// Sends what the peer pulls.
    ///
    /// # Safety
    /// The body has `len` bytes, which stay until [`Traffic::sent`] is called with the token.
    pub(crate) unsafe fn push(&self, peer: u32, name: u32, body: (*const u8, u64), token: u64) {
        chaos();
        // SAFETY: by the caller.
        unsafe { self.carrier.push(peer, name, body.0, body.1, token) }
    }

    /// What is under way, for people.
    pub(crate) fn sights(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let (sent, handled) = self.counts();
        writeln!(out, "  {sent} frames sent, {handled} handled")?;
        for peer in self.others() {
            if let Some(n) = self.carrier.unsent(peer).filter(|n| *n > 0) {
                writeln!(out, "  {n} frames wait to be sent to process {peer}")?;
            }
        }
        self.traffic.sights(out)?;
        self.credits.sights(out)?;
        self.node.sights(out)
    }

    /// Frames that count: sent, and handled.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.carrier.sent(), self.handled.load(Acquire))
    }

    fn work(self: Arc<Link>) {
        let _ = self.porter.set(std::thread::current());
        let (mut since, mut ticked) = (Instant::now(), Instant::now());
        let mut looks = 0;
        while !self.over.load(SeqCst) {
            if let Some(signal) = control::ending() {
                self.ended_by_launcher(signal);
            }
            self.beat();
            if self.handle_all(self.hands.lock(), false) {
                since = Instant::now();
                continue;
            }
            let before = std::mem::replace(&mut looks, self.looks.load(Relaxed));
            if looks != before && !self.rested.swap(false, SeqCst) {
                // Workers do it, and say when they go to sleep.
                if ticked.elapsed() > PAUSE * 4 {
                    self.tick();
                    ticked = Instant::now();
                }
                std::thread::park_timeout(PAUSE);
                continue;
            }
            if since.elapsed() < self.patience() {
                std::hint::spin_loop();
                continue;
            }
            chaos();
            self.tick();
            let gathers = self.world().is_some_and(|w| w.crossing.gathers());
            let nap = if gathers || self.node.watches() {
                WATCH
            } else {
                NAP
            };
            self.carrier.wait(nap);
        }
    }

    fn beat(&self) {
        let Some(pulse) = &self.pulse else { return };
        match pulse.step(Instant::now()) {
            Ok(peers) => {
                for peer in peers {
                    self.send_bytes(peer, Kind::Pulse, Head::default(), &[]);
                }
            }
            Err(peer) => self.silent(peer, pulse.limit()),
        }
    }

    fn tick(&self) {
        if self.begun.load(SeqCst) {
            self.node.tick(self);
        }
    }

    /// Handles what has come; true if there was anything.
    fn handle_all(&self, mut hands: Guard<'_, Arrivals>, all: bool) -> bool {
        HANDLES.set(Handler::This);
        let mut any = self.carrier.progress_of(all);
        self.credits.pay_back(self);
        // What is to be done because of that is nobody else's business.
        while self.handle_arrivals(&mut hands) | self.node.handle_own(self) {
            any = true;
        }
        HANDLES.set(Handler::Nobody);
        any
    }

    /// A worker with nothing to do does the porter's work, unless somebody is at it.
    #[inline]
    pub(crate) fn look(&self) {
        // Only that it changes counts.
        let n = self.looks.load(Relaxed).wrapping_add(1);
        self.looks.store(n, Relaxed);
        let glance = self.carrier.glance();
        let glances = if self.credits.is_single() { GLANCES } else { 1 };
        if (0..glances).any(|_| glance.arrived()) {
            self.receive(n);
        }
        let all = n % RARELY == 0;
        if all || self.calls() {
            self.look_closely(all);
        }
    }

    /// Is there something to handle, besides what near processes have sent?
    #[inline]
    fn calls(&self) -> bool {
        self.carrier.glance().is_restless()
            || self.any.load(Relaxed)
            || self.node.has_own()
            || self.credits.are_due()
    }

    /// Takes what near processes have sent; what can be delivered at once is.  Whoever has `hands` and has not yet been at the
    /// transport waits for that meanwhile, and nobody else does anything here: so this is as if it had them.
    fn receive(&self, n: u64) {
        HANDLES.set(match self.credits.is_single() {
            true => Handler::Worker,
            false => Handler::This,
        });
        self.carrier.receive(n, || !self.hands.is_locked());
        HANDLES.set(Handler::Nobody);
    }

    fn look_closely(&self, all: bool) {
        let Some(hands) = self.hands.try_lock() else {
            return;
        };
        // SAFETY: the thread's own variable, here and below.
        let errno = unsafe { *libc::__errno_location() };
        self.handle_all(hands, all);
        unsafe { *libc::__errno_location() = errno };
    }

    /// That worker goes to sleep.
    pub(crate) fn rest(&self) {
        chaos();
        self.rested.store(true, SeqCst);
        if let Some(porter) = self.porter.get() {
            porter.unpark();
        }
    }

    fn patience(&self) -> Duration {
        let spins = self.world().is_some_and(|w| w.sched().spins());
        if spins {
            SPIN
        } else {
            Duration::ZERO
        }
    }

    fn handle_arrivals(&self, work: &mut Arrivals) -> bool {
        if !self.any.load(Acquire) {
            return false;
        }
        self.any.store(false, SeqCst);
        {
            let mut a = lock(&self.arrivals);
            std::mem::swap(&mut a.frames, &mut work.frames);
            std::mem::swap(&mut a.sent, &mut work.sent);
            std::mem::swap(&mut a.pulled, &mut work.pulled);
            std::mem::swap(&mut a.lost, &mut work.lost);
        }
        let any = [work.frames.len(), work.sent.len(), work.pulled.len()] != [0; 3];
        for token in work.sent.drain(..) {
            self.traffic.sent(self, token);
        }
        for (peer, id) in work.pulled.drain(..) {
            self.hear(peer);
            self.traffic.pulled(self, id);
            self.has_handled();
        }
        for frame in work.frames.drain(..) {
            chaos();
            self.hear(frame.peer);
            let kind = Kind::of(frame.head.kind);
            self.handle(frame);
            if kind.is_some_and(Kind::counts) {
                self.has_handled();
            }
        }
        for (peer, why) in work.lost.drain(..) {
            self.lost(peer, &why);
        }
        any
    }

    /// One frame that counts, with all that comes of it; the caller has `hands`.
    #[inline]
    fn has_handled(&self) {
        self.handled.store(self.handled.load(Relaxed) + 1, Release);
    }

    /// Something of a process has come.
    fn hear(&self, peer: u32) {
        if let Some(pulse) = &self.pulse {
            pulse.hear(peer);
        }
    }

    fn handle(&self, frame: Frame) {
        match Kind::of(frame.head.kind) {
            Some(Kind::Collective | Kind::Told) => self.board.put(self, frame),
            Some(Kind::Pointer) => self.pointers.asked(self, &frame),
            Some(Kind::Pointed) => self.pointers.answered(self, &frame),
            Some(Kind::Turn) => self.turns.hear(self, &frame),
            Some(Kind::Credit) => self.credits.paid_back(frame.peer, frame.head.count),
            Some(Kind::Crossing) => apart::hear(self, frame.peer, frame.bytes()),
            Some(Kind::Control) => self.node.handle(self, frame.peer, frame.bytes()),
            Some(Kind::Desk) => self.desk.put(frame),
            Some(Kind::Pulse) => {}
            Some(Kind::Abort) => {
                self.closing.store(true, SeqCst);
                follow(frame.head.count as i32)
            }
            Some(Kind::Bye) => {
                self.byes.fetch_add(1, SeqCst);
                self.desk.ring();
            }
            Some(kind) => p2p::handle(self, kind, frame),
            None => self.fail(&format!(
                "process {} sends what this one does not understand; are all of the same build?",
                frame.peer
            )),
        }
    }
}
