//! Small messages between ranks of two workers.
//!
//! A lane leads from one worker to another: a ring of cache lines, each with one message.  Ranks of the first worker put in,
//! one at a time; so a message costs its two cores one line, where a mailbox costs the lock's, the queue's and the request's.
//!
//! Whoever takes out has the lane's lock and delivers what he takes as if it was sent at that moment, before he lets the line go.
//! These are
//! - the second worker, before its ranks look into their mailboxes, when it looks for a rank to run, and before it sleeps;
//! - the first worker, before a message that takes another way, which must not overtake;
//! - anybody while nobody can put in: before a checkpoint, and before what is sent is counted (`nonblocking`).
//!
//! Lanes exist where each worker has a core: others do not look before they sleep.

use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::ptr::null;
use std::sync::atomic::{compiler_fence, fence, AtomicBool, AtomicU32, Ordering::*};

use super::buf::Buf;
use super::landing::ROOM;
use super::mailbox::{Data, Message};
use super::queue::Key;
use pc3_runtime::chaos;
use pc3_vmpi_objects::datatype::{Datatype, TypeRef};
use pc3_vmpi_sched::{cache_lines, Sched};

/// With more workers than this, looking into all lanes takes longer than what they save.
const MOST: usize = 16;
const SLOTS: usize = 128;
/// Looks at a full lane before its first worker empties it itself.
const PATIENCE: u32 = 10;
/// Pauses between two.
const PAUSE: u32 = 16;
/// So many lines ahead of the one that is written the first worker asks for: the processor's stores wait for one another, and none
/// of them for long that way.
const AHEAD: u32 = 20;
/// Taken out at once.
pub(crate) const BATCH: usize = 16;
/// Messages follow each other closely when there are fewer looks between two; a look takes some ten nanoseconds.
const CLOSE: u32 = 24;
const SKIPS: u32 = 24;

/// Has the `n`-th parcel from when `number` is n + 1 until it was taken out; before and after it is the first worker's, which
/// writes without having read: a store that has to wait for the line does not keep it from the next.
#[repr(C, align(64))]
struct Slot {
    number: AtomicU32,
    parcel: UnsafeCell<Parcel>,
}

impl Slot {
    /// The `n`-th?
    #[inline]
    fn has(&self, n: u32) -> bool {
        self.number.load(Acquire) == n.wrapping_add(1)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Parcel {
    count: u8,
    pub to: u32,
    pub key: Key,
    ty: *const Datatype,
    data: [u8; ROOM],
}

#[repr(align(128))]
struct Sender {
    /// How many it has put in.
    tail: Cell<u32>,
    /// How many of them, as far as it knows, were taken out.
    taken: Cell<u32>,
    /// When it last asked.
    asked: Cell<u32>,
}

#[repr(align(128))]
struct Receiver {
    locked: AtomicBool,
    /// How many were delivered; written under the lock.
    head: AtomicU32,
}

impl Parcel {
    const EMPTY: Parcel = Parcel {
        count: 0,
        to: 0,
        key: Key {
            ctx: 0,
            src: 0,
            tag: 0,
        },
        ty: null(),
        data: [0; ROOM],
    };

    #[inline]
    pub fn packed(&self) -> (&'static Datatype, &[u8]) {
        // SAFETY: a static type.
        let ty: &'static Datatype = unsafe { &*self.ty };
        (ty, &self.data[..usize::from(self.count) * ty.size])
    }

    pub fn message(&self) -> Message {
        let (ty, bytes) = self.packed();
        Message {
            data: Data::copy(bytes),
            ty: TypeRef::of(ty),
            count: self.count.into(),
            buffered_by: None,
            mark: None,
        }
    }
}

/// The second worker's, which looks.  Each look takes the next line from who is about to write it, and back it has to come:
/// where messages follow each other closely, and nobody waits for an answer, some may come first, whose lines then come together.
#[repr(align(128))]
struct Watch {
    /// Looks since something came, as far as that matters.
    idle: Cell<u32>,
    /// Looks that are left out.
    skips: Cell<u32>,
    /// How many messages the worker had sent when something came.
    sent: Cell<u32>,
}

pub(crate) struct Lane {
    sender: Sender,
    receiver: Receiver,
    watch: Watch,
    slots: [Slot; SLOTS],
}

// SAFETY: `sender` is the first worker's, which runs one rank at a time, `watch` the second's; a parcel changes hands as said at `Slot`.
unsafe impl Sync for Lane {}
// SAFETY: as above; types in parcels are static.
unsafe impl Send for Lane {}

impl Lane {
    fn new() -> Lane {
        Lane {
            sender: Sender {
                tail: Cell::new(0),
                taken: Cell::new(0),
                asked: Cell::new(0),
            },
            receiver: Receiver {
                locked: AtomicBool::new(false),
                head: AtomicU32::new(0),
            },
            watch: Watch {
                idle: Cell::new(CLOSE),
                skips: Cell::new(0),
                sent: Cell::new(0),
            },
            slots: std::array::from_fn(|_| Slot {
                number: AtomicU32::new(0),
                parcel: UnsafeCell::new(Parcel::EMPTY),
            }),
        }
    }

    fn slot(&self, n: u32) -> &Slot {
        &self.slots[n as usize % SLOTS]
    }

    /// For the first worker: is it known that all has been delivered?  To ask takes a line from the other one, so it is done
    /// once between two `looks`: who sends one message after the other does not ask.
    #[inline]
    pub fn is_clear(&self, looks: u32) -> bool {
        let s = &self.sender;
        if s.taken != s.tail && s.asked.replace(looks) != looks {
            s.taken.set(self.receiver.head.load(Acquire));
        }
        s.taken == s.tail
    }

    /// For the first worker: is there no room?
    #[inline]
    fn is_full(&self) -> bool {
        !self.has_room(0) && {
            self.sender.taken.set(self.receiver.head.load(Acquire));
            !self.has_room(0)
        }
    }

    /// For the first worker: is it known that so many, and one more, can be put in?
    #[inline]
    fn has_room(&self, more: u32) -> bool {
        let s = &self.sender;
        ((s.tail.get().wrapping_sub(s.taken.get()) + more) as usize) < SLOTS
    }

    #[inline]
    fn has(&self) -> bool {
        let head = self.receiver.head.load(Acquire);
        self.slot(head).has(head)
    }

    /// Puts a message in that `Landing::fits`; false if it has to be delivered another way, then [`Lane::flush`] first.
    ///
    /// # Safety
    /// The buffer is readable; the caller runs on the first worker, the receiver, a rank, on the second.
    #[inline]
    pub unsafe fn put(
        &self,
        sched: &Sched,
        (worker, rank): (u32, u32),
        key: &Key,
        buf: &Buf<'_>,
        ty: &'static Datatype,
    ) -> bool {
        let tail = self.sender.tail.get();
        let slot = self.slot(tail);
        if sched.sleeps(worker) {
            return false;
        }
        let mut tries = 0;
        while self.is_full() {
            tries += 1;
            if tries == PATIENCE || sched.sleeps(worker) {
                return false;
            }
            // Who asks all the time keeps the other one from telling.
            (0..PAUSE).for_each(|_| std::hint::spin_loop());
        }
        if self.has_room(AHEAD) {
            cache_lines::ask_for(self.slot(tail.wrapping_add(AHEAD)));
        }
        // SAFETY: taken out, so ours; the caller's promise, and it fits.
        unsafe {
            let parcel = &mut *slot.parcel.get();
            (parcel.to, parcel.key) = (rank, *key);
            (parcel.ty, parcel.count) = (ty, buf.count as u8);
            buf.pack(parcel.data.as_mut_ptr());
        }
        slot.number.store(tail.wrapping_add(1), Release);
        self.sender.tail.set(tail.wrapping_add(1));
        chaos();
        // One of the two sees the other: as `Barriers::about_to_sleep` has it.
        match cache_lines::OURS.exist() {
            true => compiler_fence(SeqCst),
            false => fence(SeqCst),
        }
        if sched.sleeps(worker) {
            sched.rouse(worker);
        }
        true
    }

    /// For the second worker: delivers what has come.
    #[inline]
    fn look(&self, worker: u32, sent: u32, deliver: impl Fn(Option<u32>, &[Parcel])) {
        let w = &self.watch;
        let (idle, alone) = (w.idle.get(), w.sent.get() == sent);
        if alone && w.skips.get() > 0 {
            w.skips.set(w.skips.get() - 1);
        } else if self.has() {
            self.try_flush(Some(worker), deliver);
            let follows = alone && idle < CLOSE;
            w.skips.set(if follows { SKIPS } else { 0 });
            w.sent.set(sent);
            w.idle.set(0);
        } else if idle < CLOSE {
            w.idle.set(idle + 1);
        }
    }

    /// Delivers everything, for its first worker or while nothing can be put in.  `here`: the worker on which the caller
    /// executes, if any.
    #[cold]
    pub fn flush(&self, here: Option<u32>, deliver: impl Fn(Option<u32>, &[Parcel]) + Copy) {
        let mut tries = 0u32;
        while !self.try_flush(here, deliver) {
            tries += 1;
            if tries % 128 == 0 {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
    }

    /// False if somebody else is at it.
    fn try_flush(&self, here: Option<u32>, deliver: impl Fn(Option<u32>, &[Parcel])) -> bool {
        let r = &self.receiver;
        if r.locked.swap(true, Acquire) {
            return false;
        }
        let mut head = r.head.load(Relaxed);
        // Not for ever, if the other one keeps putting in.
        for _ in 0..SLOTS / BATCH {
            // Their lines come one beside the other, if nothing else is done meanwhile.
            let mut batch = [const { MaybeUninit::uninit() }; BATCH];
            let mut n = 0;
            while n < BATCH && self.slot(head).has(head) {
                // SAFETY: it has one, and the lock is ours.
                batch[n].write(unsafe { *self.slot(head).parcel.get() });
                head = head.wrapping_add(1);
                n += 1;
            }
            // SAFETY: written above; nothing to drop.
            let batch = unsafe { &*(&raw const batch[..n] as *const [Parcel]) };
            batch
                .chunk_by(|a, b| a.to == b.to)
                .for_each(|some| deliver(here, some));
            r.head.store(head, Release);
            if n < BATCH {
                break;
            }
        }
        r.locked.store(false, Release);
        true
    }
}

/// What a worker has done: how often it has looked into its lanes, and messages that its ranks have sent to others'.
#[repr(align(128))]
#[derive(Default)]
struct Done {
    looks: Cell<u32>,
    sent: Cell<u32>,
}

// SAFETY: each is its worker's own.
unsafe impl Sync for Done {}

/// From each worker to each other one.
pub(crate) struct Lanes {
    workers: u32,
    all: Box<[Lane]>,
    done: Box<[Done]>,
}

impl Lanes {
    /// `None`: messages take other ways.
    #[inline]
    pub fn new(workers: usize) -> Option<Lanes> {
        (2..=MOST).contains(&workers).then(|| Lanes {
            workers: workers as u32,
            all: (0..workers * workers).map(|_| Lane::new()).collect(),
            done: (0..workers).map(|_| Done::default()).collect(),
        })
    }

    /// The lane for a message from one worker, on which the caller executes, to another, and how often the first has looked
    /// into its own; `None` within a worker.
    #[inline]
    pub fn send(&self, from: u32, to: u32) -> Option<(&Lane, u32)> {
        let lane = self.between(from, to)?;
        let done = &self.done[from as usize];
        done.sent.set(done.sent.get().wrapping_add(1));
        Some((lane, done.looks.get()))
    }

    #[inline]
    fn between(&self, from: u32, to: u32) -> Option<&Lane> {
        (from != to).then(|| &self.all[(to * self.workers + from) as usize])
    }

    fn into(&self, worker: u32) -> &[Lane] {
        let n = self.workers as usize;
        &self.all[worker as usize * n..][..n]
    }

    /// Delivers what has come for the ranks of a worker, on which the caller executes.
    #[inline]
    pub fn look(&self, worker: u32, deliver: impl Fn(Option<u32>, &[Parcel]) + Copy) {
        let done = &self.done[worker as usize];
        done.looks.set(done.looks.get().wrapping_add(1));
        for lane in self.into(worker) {
            lane.look(worker, done.sent.get(), deliver);
        }
    }

    /// Has something come for the ranks of a worker?
    #[inline]
    pub fn has(&self, worker: u32) -> bool {
        self.into(worker).iter().any(Lane::has)
    }

    #[inline]
    pub fn any(&self) -> bool {
        self.all.iter().any(Lane::has)
    }

    /// Delivers everything; nobody puts anything in.
    #[inline]
    pub fn flush(&self, here: Option<u32>, deliver: impl Fn(Option<u32>, &[Parcel]) + Copy) {
        self.all.iter().for_each(|lane| lane.flush(here, deliver));
    }

    /// What ranks of a worker have sent and shall receive; the caller executes on it.
    pub fn flush_of(&self, worker: u32, deliver: impl Fn(Option<u32>, &[Parcel]) + Copy) {
        for other in 0..self.workers {
            let both = [self.between(worker, other), self.between(other, worker)];
            both.into_iter()
                .flatten()
                .for_each(|lane| lane.flush(Some(worker), deliver));
        }
    }
}
