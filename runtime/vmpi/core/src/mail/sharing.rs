//! What a rank offers another worker of a long message (`p2p::share` does): whoever waits for one copies a part of it.
//!
//! The rank that copies offers the other one's worker to help.  It takes chunks from the front, the other one, as long as
//! it looks for what it waits for, from the back, so that what each copies stays the same from message to message and
//! in its cache.  Two cores have twice the caches and the bandwidth of one.

use std::cell::UnsafeCell;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

use pc3_vmpi_sched::copy::copy_block;

/// Shorter messages are copied before another core has seen that it could help.
pub(crate) const LEAST: usize = 512 << 10;
/// Chunks of a message, unless they would be smaller or larger than this.
const CHUNKS: usize = 8;
const SIZES: (usize, usize) = (32 << 10, 1 << 20);

/// The word: chunks in all, taken from the front, taken from the back; no chunks: nothing is offered.
const FIELD: u32 = 20;
const MASK: u64 = (1 << FIELD) - 1;
/// Somebody is about to offer something.
const BUSY: u64 = 1 << 63;
const FRONT: u64 = 1 << FIELD;
const BACK: u64 = 1 << (2 * FIELD);

/// What a rank may help to copy while it waits.
#[repr(align(128))]
pub struct Sharing {
    word: AtomicU64,
    /// Chunks that the helper has copied.
    helped: AtomicU32,
    job: UnsafeCell<Job>,
}

#[derive(Clone, Copy)]
struct Job {
    from: *const u8,
    to: *mut u8,
    len: usize,
    chunk: usize,
}

// SAFETY: `job` is written while the word says busy, and read by who has taken a chunk, for which the writer waits.
unsafe impl Sync for Sharing {}
// SAFETY: as above.
unsafe impl Send for Sharing {}

impl Job {
    /// # Safety
    /// The chunk was taken.
    unsafe fn copy(&self, i: u64) {
        let at = i as usize * self.chunk;
        let n = self.chunk.min(self.len - at);
        // SAFETY: of the message, whose two places do not overlap.
        unsafe { copy_block(self.from.add(at), self.to.add(at), n) };
    }
}

impl Sharing {
    pub(crate) fn new() -> Sharing {
        Sharing {
            word: AtomicU64::new(0),
            helped: AtomicU32::new(0),
            job: UnsafeCell::new(Job {
                from: null(),
                to: null_mut(),
                len: 0,
                chunk: 0,
            }),
        }
    }

    /// Takes a chunk from the front or the back.
    fn claim(&self, side: u64) -> Option<u64> {
        let mut word = self.word.load(Relaxed);
        loop {
            let (all, front, back) = (
                word & MASK,
                word >> FIELD & MASK,
                word >> (2 * FIELD) & MASK,
            );
            if word & BUSY != 0 || front + back >= all {
                return None;
            }
            match self
                .word
                .compare_exchange_weak(word, word + side, Acquire, Relaxed)
            {
                Ok(_) if side == FRONT => return Some(front),
                Ok(_) => return Some(all - 1 - back),
                Err(now) => word = now,
            }
        }
    }

    /// The owner waits for something: copies what it is offered.
    #[inline]
    pub fn help(&self) {
        if self.word.load(Relaxed) != 0 {
            self.help_now();
        }
    }

    #[cold]
    fn help_now(&self) {
        while let Some(i) = self.claim(BACK) {
            // SAFETY: taken, so the job stays until it counts as done.
            unsafe { (*self.job.get()).copy(i) };
            self.helped.fetch_add(1, Release);
        }
    }

    /// Copies with the owner's help, if that comes; false if somebody else is doing so.
    ///
    /// # Safety
    /// The message is readable, its destination writable, and they do not overlap.
    pub unsafe fn copy(&self, from: *const u8, to: *mut u8, len: usize) -> bool {
        if self
            .word
            .compare_exchange(0, BUSY, Acquire, Relaxed)
            .is_err()
        {
            return false;
        }
        let chunk = (len / CHUNKS).clamp(SIZES.0, SIZES.1);
        // However long it is.
        let chunk = chunk
            .max(len.div_ceil(MASK as usize))
            .next_multiple_of(4096);
        let job = Job {
            from,
            to,
            len,
            chunk,
        };
        // SAFETY: busy, so ours.
        unsafe { *self.job.get() = job };
        self.helped.store(0, Relaxed);
        self.word.store(len.div_ceil(chunk) as u64, Release);
        while let Some(i) = self.claim(FRONT) {
            // SAFETY: the caller's promise.
            unsafe { job.copy(i) };
        }
        let by_helper = self.word.load(Relaxed) >> (2 * FIELD) & MASK;
        let mut tries = 0u32;
        while u64::from(self.helped.load(Acquire)) < by_helper {
            tries += 1;
            if tries % 128 == 0 {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
        self.word.store(0, Release);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn each_byte_is_copied_once_whoever_does_it() {
        let sharing = Sharing::new();
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Relaxed) {
                    sharing.help();
                    std::thread::yield_now();
                }
            });
            for len in [1, 4096, 70_000, LEAST, LEAST + 1, (9 << 20) + 5] {
                for round in 0..20u8 {
                    let from: Vec<u8> = (0..len).map(|i| (i / 7) as u8 ^ round).collect();
                    let mut to = vec![0; len];
                    // SAFETY: two vectors of this length.
                    assert!(unsafe { sharing.copy(from.as_ptr(), to.as_mut_ptr(), len) });
                    assert!(to == from, "{len}");
                }
            }
            over.store(true, Relaxed);
        });
    }
}
