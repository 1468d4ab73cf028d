//! Who handles what arrives: the porter, or a worker that has nothing else to do.

use std::sync::atomic::Ordering::*;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pc3_runtime::report::follow;
use pc3_runtime::{chaos, listening};
use pc3_transport::Head;

use crate::arrivals;
use crate::frame::{Arrivals, Frame, Handler, HANDLES};
use crate::kind::Kind;
use crate::link::Link;
use crate::messages::handle;
use crate::post::{fail, lock};
use crate::windows;
use pc3_vmpi_sched::brief::Guard;

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
    pub fn work(self: Arc<Link>) {
        let _ = self.porter.set(std::thread::current());
        let (mut since, mut ticked) = (Instant::now(), Instant::now());
        let mut looks = 0;
        while !self.over.load(SeqCst) {
            if let Some(signal) = listening::ending() {
                self.ended_by_launcher(signal);
            }
            self.beat();
            if self.handle_all(self.hands.lock(), false) {
                since = Instant::now();
                if ticked.elapsed() > PAUSE * 40 {
                    // Ranks that poll by asking other processes do not stop.
                    self.tick();
                    ticked = since;
                }
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
            ticked = Instant::now();
            let gathers = self.world().is_some_and(|w| w.nonblocking.gathers());
            let nap = if gathers || self.node.watches() {
                WATCH
            } else {
                NAP
            };
            self.carrier.wait(nap);
        }
    }

    fn beat(&self) {
        let Some(heartbeat) = &self.heartbeat else {
            return;
        };
        match heartbeat.step(Instant::now()) {
            Ok(peers) => {
                for peer in peers {
                    self.send_bytes(peer, Kind::Heartbeat, Head::default(), &[]);
                }
            }
            Err(peer) => self.silent(peer, heartbeat.limit()),
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
    pub fn look(&self) {
        // Only that it changes counts.
        let n = self.looks.load(Relaxed).wrapping_add(1);
        self.looks.store(n, Relaxed);
        if let Some(direct) = self.carrier.direct().filter(|d| d.is_wanted()) {
            direct.help();
        }
        let all = n % RARELY == 0;
        if all || self.calls() {
            self.look_closely(all);
        }
        // At last: who waits for what has come goes on at once.
        let glance = self.carrier.glance();
        let glances = if self.credits.is_single() { GLANCES } else { 1 };
        let Some(first) = (0..glances).find_map(|_| glance.arrived()) else {
            return;
        };
        self.receive((n, first));
        if self.any.load(Relaxed) || self.credits.are_due() {
            self.look_closely(false);
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
    #[inline]
    fn receive(&self, look: (u64, usize)) {
        let by = match self.credits.is_single() {
            true => Handler::Worker,
            false => Handler::This,
        };
        let whole = |peer, head: &Head, body| {
            // SAFETY: the interface.
            unsafe { arrivals::take(self, (peer, by), head, body) };
        };
        self.carrier
            .receive(look, || !self.hands.is_locked(), whole);
    }

    fn look_closely(&self, all: bool) {
        let Some(hands) = self.hands.try_lock() else {
            return;
        };
        pc3_os::errors::keep(|| self.handle_all(hands, all));
    }

    /// That worker goes to sleep.
    pub fn rest(&self) {
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
            self.traffic.sent(self.world(), token);
            self.desk.ring();
        }
        for (peer, id) in work.pulled.drain(..) {
            self.hear(peer);
            self.traffic.pulled(self.world(), id);
            self.desk.ring();
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

    fn handle(&self, frame: Frame) {
        match Kind::of(frame.head.kind) {
            Some(Kind::Collective | Kind::InlineCollective) => self.board.put(self, frame),
            Some(Kind::Pointer) => self.pointers.asked(self, &frame),
            Some(Kind::Pointed) => self.pointers.answered(self, &frame),
            Some(kind @ (Kind::Window | Kind::QuietWindow)) => windows::hear(self, kind, &frame),
            Some(Kind::Turn) => self.total_order.hear(self, &frame),
            Some(Kind::Credit) => self.credits.paid_back(frame.peer, frame.head.count),
            Some(Kind::Nonblocking) => match self.world() {
                Some(world) => world.epoch.hear(world, frame.peer, frame.bytes()),
                None => fail("internal error: a checkpoint before the ranks were known"),
            },
            Some(Kind::Control) => self.node.handle(self, frame.peer, frame.bytes()),
            Some(Kind::Desk) => self.desk.put(frame),
            Some(Kind::Heartbeat) => {}
            Some(Kind::Abort) => {
                self.closing.store(true, SeqCst);
                follow(frame.head.count as i32)
            }
            Some(Kind::Bye) => {
                self.byes.fetch_add(1, SeqCst);
                self.desk.ring();
            }
            Some(kind) => handle::handle(self, kind, frame),
            None => fail(&format!(
                "process {} sends what this one does not understand; are all of the same build?",
                frame.peer
            )),
        }
    }
}
