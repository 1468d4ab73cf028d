//! What connects the processes of one job: frames to and from the others, and the thread that receives them.
//!
//! Ranks are placed in blocks (`docs/processes.md`).  A rank sends on its own worker; what arrives is handled by one
//! thread at a time, as far as that goes without a rank: it matches messages, answers, wakes ranks.  That is a worker
//! that has nothing else to do, as long as it looks for work, else a thread of its own, the *porter*.
//!
//! * `work`: who handles what arrives; `arrivals`: what the transport delivers; `kind`: of frames;
//! * `p2p`, `rendezvous`, `offers`, `pulls` and `counted`: messages between ranks; `credit`: how much may be sent unasked;
//! * `board`: what collectives of several processes exchange; `total_order`: what all have to know in the same order;
//!   `pointers`: of files;
//! * `lead` and `node`: checkpoints and quiescence across processes; `polls`: ranks that poll in vain;
//! * `desk`: what processes tell each other; `heartbeat`: who is out of reach; `ending`: how it all ends.

mod arrivals;
pub(crate) mod board;
pub(crate) mod counted;
pub(crate) mod credit;
pub(crate) mod desk;
mod ending;
mod hashing;
mod heartbeat;
mod kind;
pub(crate) mod node;
pub(crate) mod offers;
pub(crate) mod p2p;
pub(crate) mod pointers;
mod polls;
pub(crate) mod pulls;
pub(crate) mod rendezvous;
mod slots;
pub(crate) mod total_order;
mod words;
mod work;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;

use pc3_runtime::{chaos, control, given, settings};
use pc3_transport::Head;

use crate::state::World;
pub use ending::{abort, hear_others};
use pc3_vmpi_sched::brief::Brief;
use pc3_vmpi_transport::Carrier;

use arrivals::{Arrivals, Handler, HANDLES};
pub(crate) use arrivals::{Body, Frame};
use board::Board;
use credit::Credits;
use desk::Desk;
use heartbeat::Heartbeat;
pub(crate) use kind::Kind;
use node::Node;
use pointers::Pointers;
use rendezvous::Traffic;
use total_order::TotalOrder;

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
    pub(crate) total_order: TotalOrder,
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
    heartbeat: Option<Heartbeat>,
    byes: AtomicU64,
}

pub(crate) fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The link of this process, for those who end it from anywhere.
static LINK: Mutex<Option<Arc<Link>>> = Mutex::new(None);

/// Joins the job of several processes that this one was started for, if it was.
pub fn join() -> Result<Option<Arc<Link>>, String> {
    let Some(carrier) = pc3_vmpi_transport::join()? else {
        return Ok(None);
    };
    let (index, count) = (carrier.index(), carrier.count());
    let silence = settings::silence(given::var).filter(|_| carrier.is_native());
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
        total_order: TotalOrder::default(),
        desk: Desk::new(index, count),
        node: Node::new(index, count),
        handled: AtomicU64::new(0),
        begun: AtomicBool::new(false),
        over: AtomicBool::new(false),
        closing: AtomicBool::new(false),
        bereft: AtomicBool::new(false),
        heartbeat: Heartbeat::new(index, count, silence),
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
}
