//! Memory of a near process that is read from here: what it offers is copied once, by who receives it.
//!
//! An offer has a word in its sender's segment, which both sides may change: who receives it *takes* it before reading and says when
//! it *has read* it; the sender may *withdraw* it as long as nobody has taken it.  The word names the offer, so that nobody takes
//! another one that has its word later.

use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::{Mutex, PoisonError};

use super::segment::{Slots, SLOTS};

const OFFERED: u64 = 0;
const TAKEN: u64 = 1;
const READ: u64 = 2;
/// What of an offer's name says which word it has: 0 is none.
const SLOT: u64 = 0xffff;
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
pub struct Memory {
    pid: u32,
}

impl Memory {
    /// Reads all of it, or says false.
    ///
    /// # Safety
    /// `to` has room for `len` bytes.
    pub unsafe fn read(&self, from: u64, to: *mut u8, len: usize) -> bool {
        // SAFETY: by the caller.
        unsafe { read(self.pid, from, to, len) }
    }
}

/// A process whose memory may be read.
#[derive(Clone, Copy)]
pub struct Remote {
    pub pid: u32,
    pub slots: Slots,
    pub reads_ours: bool,
    pub we_read: bool,
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

    pub fn memory_of(&self, process: u32) -> Option<Memory> {
        let p = self.peer(process).filter(|p| p.we_read)?;
        Some(Memory { pid: p.pid })
    }

    fn free(&self) -> std::sync::MutexGuard<'_, Vec<u16>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn own(&self, id: u64) -> Option<&AtomicU64> {
        self.own.word(id & SLOT)
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
        let Some(slot) = p.slots.word(id & SLOT) else {
            return false;
        };
        let taken = slot.compare_exchange(word(id, OFFERED), word(id, TAKEN), SeqCst, SeqCst);
        if taken.is_err() {
            return false;
        }
        // SAFETY: by the caller; what is offered stays while it is taken.
        let all = unsafe { read(p.pid, from, to, len) };
        slot.store(word(id, if all { READ } else { OFFERED }), SeqCst);
        all
    }
}

/// A name without a word.
pub fn name(n: u64) -> u64 {
    n << SLOT_BITS
}

/// Reads memory of another process; all of it, or false.
///
/// # Safety
/// `to` has room for `len` bytes.
pub unsafe fn read(pid: u32, from: u64, to: *mut u8, len: usize) -> bool {
    // SAFETY: the thread's own variable.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let kept = unsafe { *errno };
    let mut got = 0;
    while got < len {
        let Ok(at) = usize::try_from(from + got as u64) else {
            break;
        };
        let theirs = libc::iovec {
            iov_base: at as *mut libc::c_void,
            iov_len: len - got,
        };
        let ours = libc::iovec {
            iov_base: to.wrapping_add(got).cast(),
            iov_len: len - got,
        };
        // SAFETY: by the caller; the kernel checks the other address.
        let n = unsafe {
            libc::process_vm_readv(
                pid as libc::pid_t,
                &raw const ours,
                1,
                &raw const theirs,
                1,
                0,
            )
        };
        if n <= 0 {
            break;
        }
        got += n as usize;
    }
    // SAFETY: as above.
    unsafe { *errno = kept };
    got == len
}

#[cfg(test)]
mod tests {
    use super::super::segment::{Own, Theirs};
    use super::*;

    /// This process, as its own peer.
    fn alone() -> Direct {
        let own = Own::new(2, 5).expect("shared memory");
        let me = std::process::id();
        let theirs = Theirs::open(me, own.fd(), 5, 1, 2).expect("it is there");
        let remote = Remote {
            pid: me,
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
}
