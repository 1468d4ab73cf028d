//! Processes of one machine: their frames go through shared memory, whatever transport has connected them.
//!
//! `ring`: records from one process to another; `segment`: the memory, and the bell by which who sleeps is woken; `peer`: frames as
//! records; `direct`: memory that is read, `joint`: by both; `hello`: who is near; `processors`: for
//! whom there are how many; `relay`: what the transport below delivers.  All frames between two near processes go this way, and so
//! stay in order; what is offered is read from where it lies, or else asked for through the transport below if it has a way for that.

mod direct;
mod hello;
mod joint;
mod peer;
mod processors;
mod relay;
mod ring;
mod segment;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::sync::Arc;

use pc3_transport::{Head, Sink};

use super::Wire;
pub use direct::{name, Direct, ProcessMemory, Withdrawn};
use hello::Greeted;
use pc3_vmpi_sched::Processors;
use peer::Peer;
use relay::Relay;
use ring::Mark;
pub use segment::Bell;

/// The transport below is asked this rarely for what it has nothing to do with but to notice that a process has ended.
const RARELY: u32 = 1 << 10;

/// What anybody may look at without the lock.
pub struct Glance {
    marks: Vec<Arc<Mark>>,
    restless: AtomicBool,
}

impl Glance {
    /// Has something come?  Then the first of the near processes of which it has.
    #[inline]
    pub fn arrived(&self) -> Option<usize> {
        self.marks.iter().position(|m| m.calls())
    }

    /// Is there, or may there be, something else to do?
    #[inline]
    pub fn is_restless(&self) -> bool {
        self.restless.load(Relaxed)
    }
}

/// Used under the lock that the transport's functions need.
pub struct Near {
    glance: Arc<Glance>,
    relay: &'static Relay,
    /// By process.
    peers: Vec<Option<Peer>>,
    /// The near ones.
    list: Vec<u32>,
    /// There are others.
    remote: bool,
    /// Times in a row that nothing came.
    idle: u32,
    /// The look that last found something.
    found: u64,
}

impl Near {
    /// Called by all processes when they are connected; the second is there if anybody is near.
    pub fn find(wire: &Wire) -> (Near, Option<(Bell, Direct)>, Processors) {
        let (relay, sink) = Box::<Relay>::default().leak();
        wire.attach(&sink);
        let (greeted, processors) = hello::greet(wire, relay);
        let (more, peers) = match greeted {
            Some(Greeted {
                bell,
                peers,
                direct,
            }) => (Some((bell, direct)), peers),
            None => (None, BTreeMap::new()),
        };
        let list: Vec<u32> = peers.keys().copied().collect();
        let glance = Glance {
            marks: peers.values().map(Peer::mark).collect(),
            restless: AtomicBool::new(true),
        };
        relay.near.borrow_mut().clone_from(&list);
        let mut by_process: Vec<Option<Peer>> = (0..wire.count()).map(|_| None).collect();
        for (peer, p) in peers {
            by_process[peer as usize] = Some(p);
        }
        let near = Near {
            glance: Arc::new(glance),
            relay,
            remote: list.len() + 1 < by_process.len(),
            peers: by_process,
            list,
            idle: 0,
            found: 0,
        };
        (near, more, processors)
    }

    pub fn glance(&self) -> Arc<Glance> {
        Arc::clone(&self.glance)
    }

    /// Once.
    pub fn attach(&self, sink: &Sink) {
        let first = self.relay.sink.set(*sink);
        debug_assert!(first.is_ok());
    }

    /// # Safety
    /// As of the interface's `send`.
    #[inline]
    pub unsafe fn send(
        &mut self,
        wire: &Wire,
        peer: u32,
        head: &Head,
        body: *const u8,
        token: u64,
    ) {
        // SAFETY: by the caller.
        unsafe {
            match &mut self.peers[peer as usize] {
                Some(p) => {
                    p.send(head, body, token, self.relay.sink.get());
                    if p.unsent() > 0 {
                        self.glance.restless.store(true, Relaxed);
                    }
                }
                None => {
                    self.expect(token != 0);
                    wire.send_from(peer, head, body, token);
                }
            }
        }
    }

    /// Sends a frame that is one line to a near process; false if that cannot be now, or it is not near.
    ///
    /// # Safety
    /// As of the interface's `send`.
    #[inline(always)]
    pub(crate) unsafe fn send_line(
        &mut self,
        peer: u32,
        head: &Head,
        body: *const u8,
        count: impl FnOnce(),
    ) -> bool {
        match &mut self.peers[peer as usize] {
            // SAFETY: by the caller.
            Some(p) => unsafe { p.send_line(head, body, count) },
            None => false,
        }
    }

    /// The transport below will tell of something.
    pub fn expect(&self, something: bool) {
        if something {
            self.relay.more_busy();
            self.glance.restless.store(true, Relaxed);
        }
    }

    /// Takes what the `n`-th look has found from the `first` near process on: more than one frame from each where looks keep
    /// finding something.
    ///
    /// # Safety
    /// As of the interface's `progress`.
    #[inline]
    pub(crate) unsafe fn receive_some(
        &mut self,
        (n, first): (u64, usize),
        mut whole: impl FnMut(u32, &Head, *const u8),
    ) {
        let follows = n == self.found.wrapping_add(1);
        self.found = n;
        let Some(sink) = self.relay.sink.get() else {
            return;
        };
        for &peer in &self.list[first..] {
            if let Some(p) = &mut self.peers[peer as usize] {
                // SAFETY: by the caller.
                unsafe { p.receive(sink, &mut whole, !follows) };
            }
        }
    }

    /// Takes what has come from near processes; true if that was anything.
    unsafe fn receive(&mut self, sink: &Sink) -> bool {
        // SAFETY: the interface.
        let mut whole = |peer, head: &Head, body| unsafe {
            (sink.whole)(sink.context, peer, head, body);
        };
        let mut any = false;
        for &peer in &self.list {
            if let Some(p) = &mut self.peers[peer as usize] {
                // SAFETY: by the caller.
                any |= unsafe { p.receive(sink, &mut whole, false) };
            }
        }
        any
    }

    /// # Safety
    /// As of the interface's `progress`.
    pub unsafe fn progress(&mut self, wire: &Wire) -> bool {
        let Some(sink) = self.relay.sink.get() else {
            return false;
        };
        let mut any = false;
        for &peer in &self.list {
            if let Some(p) = &mut self.peers[peer as usize] {
                // SAFETY: by the caller.
                any |= unsafe { p.unsent() > 0 && p.flush(Some(sink)) };
            }
        }
        // SAFETY: as above.
        any |= unsafe { self.receive(sink) };
        if self.remote || self.relay.busy.get() > 0 || self.idle % RARELY == 0 {
            any |= self.below(wire, sink);
        }
        self.idle = if any { 1 } else { self.idle.wrapping_add(1) };
        if self.glance.restless.load(Relaxed) {
            self.glance.restless.store(self.is_restless(), Relaxed);
        }
        any
    }

    /// Is there to be looked again and again, whatever the rings show?
    fn is_restless(&self) -> bool {
        let peers = self.list.iter().flat_map(|p| &self.peers[*p as usize]);
        self.needs_looks()
            || !self.relay.lost.borrow().is_empty()
            || peers.map(Peer::unsent).any(|n| n > 0)
    }

    /// The next `progress` looks at all.
    pub(crate) fn look_at_all(&mut self) {
        self.idle = 0;
    }

    /// What the transport below has.
    fn below(&mut self, wire: &Wire, sink: &Sink) -> bool {
        self.relay.deliver_early(sink);
        let any = wire.progress();
        // What a process has written before it ended comes before that.
        let (relay, peers) = (self.relay, &mut self.peers);
        relay.lost.borrow_mut().retain(|(index, why)| {
            if let Some(p) = &mut peers[*index as usize] {
                if !p.is_idle() {
                    return true;
                }
                p.is_gone();
            }
            // SAFETY: the interface.
            unsafe { (sink.lost)(sink.context, *index, why.as_ptr()) };
            false
        });
        any
    }

    /// Nothing has come from near processes; the next `progress` looks at all.
    pub fn is_idle(&mut self) -> bool {
        self.look_at_all();
        let list = &self.list;
        let peers = &mut self.peers;
        list.iter()
            .filter_map(|p| peers[*p as usize].as_mut().map(Peer::is_idle))
            .fold(true, |all, idle| all & idle)
    }

    /// The transport below has to be looked at while nobody rings.
    pub(crate) fn needs_looks(&self) -> bool {
        self.remote || self.relay.busy.get() > 0
    }

    pub fn unsent(&self, peer: u32) -> Option<u64> {
        let p = self.peers[peer as usize].as_ref()?;
        Some(p.unsent() as u64)
    }

    /// Writes what is left, while there is anybody to read it.
    pub fn finish(&mut self, wire: &Wire) {
        let sink = self.relay.sink.get();
        for peer in self.list.clone() {
            while self.peers[peer as usize]
                .as_ref()
                .is_some_and(|p| p.unsent() > 0)
            {
                if let Some(p) = &mut self.peers[peer as usize] {
                    // SAFETY: bodies with a token stay.
                    if unsafe { p.flush(sink) } {
                        continue;
                    }
                }
                if let Some(sink) = sink {
                    self.below(wire, sink);
                }
                std::thread::sleep(std::time::Duration::from_micros(100));
            }
        }
    }
}

/// How long who can only ask again and again waits until the next time: ever longer, the longer nothing comes.
#[derive(Default)]
pub(crate) struct Naps(AtomicU32);

impl Naps {
    pub fn next(&self, most: u64) -> u64 {
        let n = self.0.fetch_add(1, Relaxed);
        most.min(20 << (n / 16).min(6))
    }

    pub(crate) fn start_again(&self) {
        self.0.store(0, Relaxed);
    }
}
