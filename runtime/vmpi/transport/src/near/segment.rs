//! Shared memory: what a process receives from those of its machine, and its bell.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{compiler_fence, fence, AtomicU32, AtomicU64, Ordering::*};
use std::time::Duration;

use pc3_os::memory::{self, Advice};
use pc3_os::{files, threads};
use pc3_runtime::{chaos, own_file};

use super::ring::RingLayout;
use pc3_vmpi_sched::cache_lines;

/// Where rings begin, and how far they are from each other beside what they take: no page is larger.
const STEP: usize = 64 << 10;
const BELL: usize = 64;
/// In a line that is read more often than it is written.
const WANTED: usize = 128;
/// Offers, each in a line of its own.
const OFFERS: usize = 4096;
pub const SLOTS: usize = (STEP - OFFERS) / 64 - 1;

/// How long rings are in a job of so many processes.
fn ring_size(processes: u32) -> u32 {
    match processes {
        ..=64 => 128 << 10,
        _ => 32 << 10,
    }
}

fn stride(processes: u32) -> usize {
    RingLayout::bytes(ring_size(processes)).next_multiple_of(STEP)
}

/// Mapped memory, for as long as the process lives.
#[derive(Clone, Copy)]
struct Map(*mut u8);

impl Map {
    fn of(file: &File, at: usize, len: usize) -> io::Result<Map> {
        let base = memory::map_shared(file, at as u64, len)?;
        // A child of the program's is no process of the job.
        memory::advise(base, len, Advice::NotForChildren);
        Ok(Map(base))
    }
}

/// That of this process.
pub struct OwnSegment {
    map: Map,
    /// Open until all have seen it.
    file: File,
    processes: u32,
}

/// That of another one.
pub(crate) struct PeerSegment {
    pub bell: Bell,
    pub slots: Slots,
    /// To it.
    pub ring: RingLayout,
}

impl OwnSegment {
    pub fn new(processes: u32, nonce: u64) -> io::Result<OwnSegment> {
        let file = own_file(files::in_memory(c"pc3-near")?);
        let len = STEP + processes as usize * stride(processes);
        file.set_len(len as u64)?;
        let map = Map::of(&file, 0, len)?;
        // SAFETY: aligned, in the mapping.
        unsafe { &*map.0.cast::<AtomicU64>() }.store(nonce, SeqCst);
        Ok(OwnSegment {
            map,
            file,
            processes,
        })
    }

    pub fn fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    pub fn bell(&self) -> Bell {
        Bell(self.map.0.wrapping_add(BELL))
    }

    pub fn slots(&self) -> Slots {
        Slots(self.map.0)
    }

    /// Where this process has its nonce.
    pub fn address(&self) -> u64 {
        self.map.0 as usize as u64
    }

    /// From that process.
    pub fn ring(&self, peer: u32) -> RingLayout {
        let n = self.processes;
        let at = STEP + peer as usize * stride(n);
        // SAFETY: in the mapping, which is made for that.
        unsafe { RingLayout::new(self.map.0.add(at), ring_size(n)) }
    }
}

impl PeerSegment {
    /// What process `pid` has open as `fd`, if that begins with the nonce; `me` sends to it.
    pub fn open(
        pid: u32,
        fd: RawFd,
        nonce: u64,
        me: u32,
        processes: u32,
    ) -> io::Result<PeerSegment> {
        let path = files::path_to_others(pid, fd);
        let file = File::options().read(true).write(true).open(path)?;
        let file = own_file(file);
        let stride = stride(processes);
        let len = STEP + processes as usize * stride;
        if file.metadata()?.len() != len as u64 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let first = Map::of(&file, 0, STEP)?;
        // SAFETY: aligned, in the mapping.
        if unsafe { &*first.0.cast::<AtomicU64>() }.load(SeqCst) != nonce {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let ring = Map::of(&file, STEP + me as usize * stride, stride)?;
        Ok(PeerSegment {
            bell: Bell(first.0.wrapping_add(BELL)),
            slots: Slots(first.0),
            // SAFETY: as in `ring`.
            ring: unsafe { RingLayout::new(ring.0, ring_size(processes)) },
        })
    }
}

/// What the two sides of an offer know of each other (`direct`).
#[repr(C, align(64))]
pub struct Slot {
    /// Which offer it is, and what has become of it.
    pub word: AtomicU64,
    /// Of one that is taken and that both copy: which offer, and how many parts have been begun.
    pub begun: AtomicU64,
    /// How many of its parts are there, and those that could not be copied.
    pub done: AtomicU64,
    pub from: AtomicU64,
    pub to: AtomicU64,
    pub len: AtomicU64,
    /// The process that takes it.
    pub pid: AtomicU64,
}

/// What a process offers.
#[derive(Clone, Copy)]
pub struct Slots(*mut u8);

// SAFETY: atomic words in memory that stays.
unsafe impl Send for Slots {}
// SAFETY: as above.
unsafe impl Sync for Slots {}

impl Slots {
    /// The n-th, from 1.
    pub fn slot(&self, n: u64) -> Option<&Slot> {
        let n = usize::try_from(n)
            .ok()
            .filter(|n| (1..=SLOTS).contains(n))?;
        // SAFETY: aligned, in a mapping that stays, and any bytes are one.
        Some(unsafe { &*self.0.add(OFFERS).cast::<Slot>().add(n) })
    }

    /// The name of an offer that is being taken and that its sender may help with, or 0.
    #[inline]
    pub fn wanted(&self) -> &AtomicU64 {
        // SAFETY: as above.
        unsafe { &*self.0.add(WANTED).cast::<AtomicU64>() }
    }
}

/// By which a process that sleeps is woken: a word for futex(2).
#[derive(Clone, Copy)]
pub struct Bell(*mut u8);

// SAFETY: an atomic word in memory that stays.
unsafe impl Send for Bell {}
// SAFETY: as above.
unsafe impl Sync for Bell {}

const AWAKE: u32 = 0;
const SLEEPS: u32 = 1;
const RUNG: u32 = 2;

impl Bell {
    fn word(&self) -> &AtomicU32 {
        // SAFETY: aligned, in a mapping that stays.
        unsafe { &*self.0.cast::<AtomicU32>() }
    }

    /// Wakes who sleeps, or who is about to.
    pub fn ring(&self) {
        if self.word().swap(RUNG, SeqCst) == SLEEPS {
            threads::wake_one(self.word());
        }
    }

    /// From now on memory is put in order before each sleep.
    pub fn order(&self) {
        if cache_lines::ALL.exist() {
            self.orders_word().store(1, SeqCst);
        }
    }

    /// Are all the processes that could ring put in order by who is about to sleep?
    #[inline]
    pub fn orders(&self) -> bool {
        self.orders_word().load(Relaxed) != 0
    }

    fn orders_word(&self) -> &AtomicU32 {
        // SAFETY: aligned, in the same line.
        unsafe { &*self.0.add(4).cast::<AtomicU32>() }
    }

    /// As above, if it sleeps: what has been written before in the one order of all (`SeqCst`), or in any way if it
    /// [`orders`](Self::orders) it, is seen by who does not.
    #[inline]
    pub(crate) fn ring_if_asleep(&self) {
        compiler_fence(SeqCst);
        if self.word().load(SeqCst) == SLEEPS {
            self.ring();
        }
    }

    /// Sleeps until it is rung, or the time is over; not at all if it has been rung since the last time, or `idle`, which
    /// is asked when everybody knows of the sleep, says no.
    pub fn sleep(&self, time: Duration, idle: impl FnOnce() -> bool) {
        let word = self.word();
        if word.compare_exchange(AWAKE, SLEEPS, SeqCst, SeqCst).is_ok() {
            if self.orders() {
                cache_lines::ALL.about_to_sleep();
            } else {
                fence(SeqCst);
            }
            chaos();
            if idle() {
                threads::sleep_while(word, SLEEPS, time);
            }
        }
        word.store(AWAKE, SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_mapping_is_the_same_memory() {
        let own = OwnSegment::new(3, 77).expect("shared memory");
        let me = std::process::id();
        let theirs = PeerSegment::open(me, own.fd(), 77, 2, 3).expect("it is there");
        let (mut s, r) = (
            super::super::ring::Sender::new(theirs.ring),
            super::super::ring::Receiver::new(own.ring(2)),
        );
        let to = s.room(1).expect("an empty ring");
        // SAFETY: room for one.
        unsafe { *to = 9 };
        s.publish(5, 1, false);
        assert_eq!(r.first(), Some((5, &[9u8][..])));
        theirs.bell.ring();
        // Does not sleep.
        own.bell().sleep(Duration::from_secs(3600), || true);
        own.bell().sleep(Duration::from_secs(3600), || false);
        assert!(PeerSegment::open(me, own.fd(), 78, 2, 3).is_err());
        assert!(PeerSegment::open(me, own.fd(), 77, 2, 4).is_err());
    }

    #[test]
    fn who_sleeps_is_woken() {
        let own = OwnSegment::new(2, 1).expect("shared memory");
        let bell = own.bell();
        bell.order();
        let turns = AtomicU32::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while turns.load(SeqCst) < 1000 {
                    let before = turns.load(SeqCst);
                    bell.sleep(Duration::from_secs(3600), || turns.load(SeqCst) == before);
                }
            });
            for _ in 0..1000 {
                turns.fetch_add(1, SeqCst);
                bell.ring_if_asleep();
            }
        });
    }
}
