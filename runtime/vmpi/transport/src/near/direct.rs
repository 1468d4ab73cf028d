//! Memory of a near process that is read from here: what it offers is copied once, by who receives it.
//!
//! An offer has a word in its sender's segment, which both sides may change: who receives it *takes* it before reading and says when
//! it *has read* it; the sender may *withdraw* it as long as nobody has taken it.  The word names the offer, so that nobody takes
//! another one that has its word later.  Long ones are copied by both ([`joint`]).

use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::{Mutex, PoisonError};

use pc3_os::errors;
pub(super) use pc3_os::processes::{copy_memory as copy, CopyDirection};

use super::joint;
use super::segment::{Slots, SLOTS};

const OFFERED: u64 = 0;
const TAKEN: u64 = 1;
const READ: u64 = 2;
/// What of an offer's name says which word it has: 0 is none.
pub(super) const SLOT: u64 = 0xffff;
const SLOT_BITS: u32 = 16;

/// What became of an offer that its sender wants back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Withdrawn {
    /// Nobody will read it.
    Yes,
    /// Somebody has read it.
    Read,
}

pub struct Direct {
    own: Slots,
    free: Mutex<Vec<u16>>,
    /// By process; it can read our memory, we can read its.
    peers: Vec<Option<Remote>>,
}

/// The memory of a process that can be read.
#[derive(Clone, Copy)]
pub struct ProcessMemory {
    pid: u32,
}

impl ProcessMemory {
    /// Reads all of it, or says false.
    ///
    /// # Safety
    /// `to` has room for `len` bytes.
    pub unsafe fn read(&self, from: u64, to: *mut u8, len: usize) -> bool {
        // SAFETY: by the caller.
        unsafe { copy(CopyDirection::Read, self.pid, from, to, len).is_ok() }
    }
}

/// Another process, and a word of its memory that tells it from others.
#[derive(Clone, Copy)]
pub struct Process {
    pub pid: u32,
    pub(crate) nonce: u64,
    /// Where it has that.
    pub at: u64,
}

impl Process {
    fn look(&self) -> Result<bool, c_int> {
        let mut nonce = 0u64;
        let to = (&raw mut nonce).cast();
        // SAFETY: room for it.
        unsafe { copy(CopyDirection::Read, self.pid, self.at, to, size_of::<u64>()) }?;
        Ok(nonce == self.nonce)
    }

    /// Can its memory be read?
    pub(crate) fn is_readable(&self) -> bool {
        self.look() == Ok(true)
    }

    /// It has ended, or executes something else; not if it just cannot be read any more.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self.look(), Ok(false) | Err(errors::ESRCH | errors::EFAULT))
    }
}

/// A process whose memory may be read.
#[derive(Clone, Copy)]
pub struct Remote {
    pub process: Process,
    pub slots: Slots,
    pub(crate) reads_ours: bool,
    pub(crate) we_read: bool,
}

fn word(id: u64, state: u64) -> u64 {
    id << 2 | state
}

impl Direct {
    pub fn new(own: Slots, peers: Vec<Option<Remote>>) -> Direct {
        Direct {
            own,
            free: Mutex::new((1..=SLOTS as u16).rev().collect()),
            peers,
        }
    }

    fn peer(&self, process: u32) -> Option<&Remote> {
        self.peers.get(process as usize)?.as_ref()
    }

    pub fn is_read_by(&self, process: u32) -> bool {
        self.peer(process).is_some_and(|p| p.reads_ours)
    }

    pub fn memory_of(&self, process: u32) -> Option<ProcessMemory> {
        let p = self.peer(process).filter(|p| p.we_read)?;
        Some(ProcessMemory { pid: p.process.pid })
    }

    fn free(&self) -> std::sync::MutexGuard<'_, Vec<u16>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn own(&self, id: u64) -> Option<&AtomicU64> {
        Some(&self.own.slot(id & SLOT)?.word)
    }

    /// The name of the n-th offer, which that process may read; `None` if it cannot.
    pub fn offer(&self, peer: u32, n: u64) -> Option<u64> {
        self.peers[peer as usize].filter(|p| p.reads_ours)?;
        let slot = self.free().pop()?;
        let id = name(n) | u64::from(slot);
        self.own(id)?.store(word(id, OFFERED), SeqCst);
        Some(id)
    }

    /// Nobody is to read it any more.  Waits while somebody does.
    pub fn withdraw(&self, id: u64) -> Withdrawn {
        loop {
            match self.try_withdraw(id) {
                Some(done) => return done,
                None => std::thread::yield_now(),
            }
        }
    }

    /// As above; `None` if somebody reads it just now.
    pub fn try_withdraw(&self, id: u64) -> Option<Withdrawn> {
        let Some(own) = self.own(id) else {
            return Some(Withdrawn::Yes);
        };
        match own.compare_exchange(word(id, OFFERED), 0, SeqCst, SeqCst) {
            Ok(_) => {
                self.free().push((id & SLOT) as u16);
                Some(Withdrawn::Yes)
            }
            Err(now) if now == word(id, TAKEN) => None,
            Err(now) if now == word(id, READ) => Some(Withdrawn::Read),
            // Withdrawn before.
            Err(_) => Some(Withdrawn::Yes),
        }
    }

    /// It has been read, and its sender knows.
    pub fn settled(&self, id: u64) {
        let Some(own) = self.own(id) else { return };
        if own
            .compare_exchange(word(id, READ), 0, SeqCst, SeqCst)
            .is_ok()
        {
            self.free().push((id & SLOT) as u16);
        }
    }

    /// Reads what a process offers by this name; false if that cannot be, and it has to be asked for.
    ///
    /// # Safety
    /// `to` has room for `len` bytes.
    pub unsafe fn take(&self, peer: u32, id: u64, from: u64, to: *mut u8, len: usize) -> bool {
        let Some(p) = self.peers[peer as usize].filter(|p| p.we_read) else {
            return false;
        };
        let Some(slot) = p.slots.slot(id & SLOT) else {
            return false;
        };
        let (offered, taken) = (word(id, OFFERED), word(id, TAKEN));
        let took = slot.word.compare_exchange(offered, taken, SeqCst, SeqCst);
        if took.is_err() {
            return false;
        }
        // SAFETY: by the caller; what is offered stays while it is taken.
        let all = unsafe {
            if len < joint::LONG {
                copy(CopyDirection::Read, p.process.pid, from, to, len).is_ok()
            } else {
                let wanted = p.slots.wanted();
                let call = || wanted.store(id, SeqCst);
                let all = joint::take(slot, id, &p.process, (from, to, len), call);
                // Others may have asked for help since.
                let _ = wanted.compare_exchange(id, 0, SeqCst, SeqCst);
                all
            }
        };
        slot.word
            .store(word(id, if all { READ } else { OFFERED }), SeqCst);
        all
    }

    /// Is something being taken here that we may help with?
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.own.wanted().load(Relaxed) != 0
    }

    /// Does a part of that.
    #[cold]
    pub fn help(&self) {
        let wanted = self.own.wanted();
        let id = wanted.load(SeqCst);
        let slot = self.own.slot(id & SLOT);
        if !slot.is_some_and(|slot| joint::help(slot, id)) {
            let _ = wanted.compare_exchange(id, 0, SeqCst, SeqCst);
        }
    }
}

/// A name without a word.
pub fn name(n: u64) -> u64 {
    n << SLOT_BITS
}

#[cfg(test)]
mod tests {
    use super::super::segment::{OwnSegment, PeerSegment};
    use super::*;

    /// This process, as its own peer.
    fn alone() -> Direct {
        let own = OwnSegment::new(2, 5).expect("shared memory");
        let me = std::process::id();
        let theirs = PeerSegment::open(me, own.fd(), 5, 1, 2).expect("it is there");
        let process = Process {
            pid: me,
            nonce: 5,
            at: own.address(),
        };
        assert!(process.is_readable() && !process.is_gone());
        for (nonce, at) in [(6, process.at), (5, 8)] {
            let other = Process { pid: me, nonce, at };
            assert!(!other.is_readable() && other.is_gone());
        }
        let remote = Remote {
            process,
            slots: theirs.slots,
            reads_ours: true,
            we_read: true,
        };
        Direct::new(own.slots(), vec![None, Some(remote)])
    }

    #[test]
    fn offers_are_taken_once_or_withdrawn() {
        let d = alone();
        let from = [7u8; 100];
        let at = from.as_ptr() as usize as u64;
        let mut to = [0u8; 100];
        let mut take = |id| {
            to.fill(0);
            // SAFETY: as many bytes.
            let got = unsafe { d.take(1, id, at, to.as_mut_ptr(), to.len()) };
            assert_eq!(got, to == from);
            got
        };
        assert_eq!(d.offer(0, 1), None);
        assert!(!take(name(1)));
        for n in 2..5000 {
            let id = d.offer(1, n).expect("a word");
            if n % 2 == 0 {
                assert_eq!(d.withdraw(id), Withdrawn::Yes);
                assert!(!take(id));
                assert_eq!(d.withdraw(id), Withdrawn::Yes);
            } else {
                assert!(take(id) && !take(id));
                assert_eq!(d.withdraw(id), Withdrawn::Read);
                d.settled(id);
                d.settled(id);
            }
        }
        let all: Vec<u64> = (5000..).map_while(|n| d.offer(1, n)).collect();
        assert_eq!(all.len(), SLOTS);
        // SAFETY: nothing is read: the address is nobody's.
        assert!(!unsafe { d.take(1, all[0], 8, to.as_mut_ptr(), 1) });
        assert_eq!(d.try_withdraw(all[0]), Some(Withdrawn::Yes));
    }

    #[test]
    fn long_ones_are_copied_by_both() {
        use std::sync::atomic::{AtomicBool, AtomicUsize};

        let d = alone();
        let (over, helped) = (AtomicBool::new(false), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(SeqCst) {
                    if d.is_wanted() {
                        d.help();
                        helped.fetch_add(1, SeqCst);
                    }
                }
            });
            // On a busy machine there may be nobody to help for a while.
            let more = |n: &usize| *n < 60 || *n < 5000 && helped.load(SeqCst) == 0;
            let mut last = 0;
            for n in (0..).take_while(more) {
                last = n as u64 + 1;
                let len = joint::LONG + n * 123_457 % (3 << 20);
                let from: Vec<u8> = (0..len).map(|i| (i / 7 + n) as u8).collect();
                let mut to = vec![0; len];
                let id = d.offer(1, last).expect("a word");
                let at = from.as_ptr() as usize as u64;
                // SAFETY: as many bytes.
                assert!(unsafe { d.take(1, id, at, to.as_mut_ptr(), len) });
                assert!(from == to, "{len}");
                d.settled(id);
            }
            // Nobody's address.
            let id = d.offer(1, last + 1).expect("a word");
            let mut to = vec![0; joint::LONG];
            // SAFETY: as above.
            assert!(!unsafe { d.take(1, id, 8, to.as_mut_ptr(), to.len()) });
            assert_eq!(d.withdraw(id), Withdrawn::Yes);
            over.store(true, SeqCst);
        });
        assert!(!d.is_wanted() && helped.load(SeqCst) > 0);
    }
}
