//! A ring of records in shared memory, from one process to one other.
//!
//! A record is a word, its header, and bytes, and begins at a cache line of its own: a small message is one line, which
//! the receiver looks at until its header is there.
//!
//! *Why it is right.* The header of the next record is 0 before that of a record is stored with `Release`; the receiver
//! loads headers with `Acquire`, so behind a record it finds 0 or the next header, never bytes of an earlier lap, and behind a
//! header its record's bytes.  The sender writes only to what the receiver has given back: that stores how far it has
//! come with `Release` when it has done with the bytes, and the sender loads that with `Acquire`.  One line always stays free, for the
//! header behind the last record.

use std::sync::atomic::{AtomicU32, Ordering::*};

pub const LINE: u32 = 64;
/// In front of the records: how far the receiver is, and whether the sender waits for room.
const CONTROL: usize = 2 * LINE as usize;

const KIND: u32 = 28;
const LEN: u32 = (1 << KIND) - 1;
/// What is left until the ring's end is too short for the next record.
const SKIP: u32 = 15;

/// Where a ring lies, as this process sees it.
#[derive(Clone, Copy)]
pub struct Place {
    base: *mut u8,
    /// Bytes of records: a power of two.
    size: u32,
}

impl Place {
    /// Bytes that a ring takes.
    pub const fn bytes(size: u32) -> usize {
        CONTROL + size as usize
    }

    /// # Safety
    /// `bytes(size)` bytes there begin with a page, were 0 at first, and stay; only one sender and one receiver use them.
    pub unsafe fn new(base: *mut u8, size: u32) -> Place {
        debug_assert!(size.is_power_of_two() && size >= 8 * LINE);
        Place { base, size }
    }

    fn word(&self, at: usize) -> &AtomicU32 {
        // SAFETY: by `new`; aligned.
        unsafe { &*self.base.add(at).cast::<AtomicU32>() }
    }

    fn given_back(&self) -> &AtomicU32 {
        self.word(0)
    }

    fn wants_room(&self) -> &AtomicU32 {
        self.word(LINE as usize)
    }

    fn header(&self, at: u32) -> &AtomicU32 {
        self.word(CONTROL + (at & (self.size - 1)) as usize)
    }

    fn bytes_at(&self, at: u32) -> *mut u8 {
        let at = CONTROL + (at & (self.size - 1)) as usize + size_of::<AtomicU32>();
        // SAFETY: within the ring.
        unsafe { self.base.add(at) }
    }
}

const fn lines(bytes: u32) -> u32 {
    (size_of::<AtomicU32>() as u32 + bytes).next_multiple_of(LINE)
}

/// The sender's end.
pub struct Sender {
    place: Place,
    /// Positions count on and on; a ring's size divides what a word holds.
    at: u32,
    given_back: u32,
}

impl Sender {
    pub fn new(place: Place) -> Sender {
        Sender {
            place,
            at: 0,
            given_back: 0,
        }
    }

    /// The longest record.
    pub fn most(&self) -> usize {
        (self.place.size / 4) as usize - size_of::<AtomicU32>()
    }

    /// Room for a record of up to `len` bytes, which are at most `most()`; `None`: not now.
    #[inline]
    pub fn room(&mut self, len: usize) -> Option<*mut u8> {
        debug_assert!(len <= self.most());
        let need = lines(len as u32);
        let rest = self.place.size - (self.at & (self.place.size - 1));
        let skip = if need > rest { rest } else { 0 };
        if !self.has(skip + need + LINE) {
            return None;
        }
        if skip > 0 {
            let next = self.at.wrapping_add(skip);
            self.place.header(next).store(0, Relaxed);
            self.place.header(self.at).store(SKIP << KIND, Release);
            self.at = next;
        }
        Some(self.place.bytes_at(self.at))
    }

    fn has(&mut self, need: u32) -> bool {
        let free = |s: &Sender| s.place.size - s.at.wrapping_sub(s.given_back);
        free(self) >= need || {
            self.given_back = self.place.given_back().load(Acquire);
            free(self) >= need
        }
    }

    /// The record in what `room` gave is complete; `kind` is below 15, and not 0.
    #[inline]
    pub fn publish(&mut self, kind: u32, len: usize) {
        debug_assert!(0 < kind && kind < SKIP);
        let next = self.at.wrapping_add(lines(len as u32));
        self.place.header(next).store(0, Relaxed);
        let header = kind << KIND | len as u32;
        self.place.header(self.at).store(header, Release);
        self.at = next;
    }

    /// There is no room: the receiver is to say when it has given back more.  Look again after this.
    pub fn want_room(&self) {
        self.place.wants_room().store(1, SeqCst);
        std::sync::atomic::fence(SeqCst);
    }
}

/// The receiver's end.
pub struct Receiver {
    place: Place,
    at: u32,
    given_back: u32,
}

impl Receiver {
    pub fn new(place: Place) -> Receiver {
        Receiver {
            place,
            at: 0,
            given_back: 0,
        }
    }

    /// The next record, which stays until `next`.
    #[inline]
    pub fn first(&mut self) -> Option<(u32, &[u8])> {
        let mut header = self.place.header(self.at).load(Acquire);
        if header == 0 {
            return None;
        }
        if header >> KIND == SKIP {
            let rest = self.place.size - (self.at & (self.place.size - 1));
            self.at = self.at.wrapping_add(rest);
            header = self.place.header(self.at).load(Acquire);
            if header == 0 {
                return None;
            }
        }
        let len = (header & LEN) as usize;
        debug_assert!(len <= self.place.size as usize);
        // SAFETY: written before the header was, and not again before it is given back.
        let bytes = unsafe { std::slice::from_raw_parts(self.place.bytes_at(self.at), len) };
        Some((header >> KIND, bytes))
    }

    /// The first record, which had `len` bytes, is done with.
    #[inline]
    pub fn next(&mut self, len: usize) {
        self.at = self.at.wrapping_add(lines(len as u32));
    }

    pub fn is_empty(&self) -> bool {
        let header = self.place.header(self.at).load(Acquire);
        // Behind what is skipped there is a record, or will be at once.
        header == 0
    }

    /// Gives back what is done with, if that is much or waited for; true if the sender waits for it.
    #[inline]
    pub fn give_back(&mut self) -> bool {
        let much = self.at.wrapping_sub(self.given_back) >= self.place.size / 4;
        (much || self.at != self.given_back && self.place.wants_room().load(Relaxed) != 0)
            && self.give_all_back()
    }

    /// As above, however little it is.
    pub fn give_all_back(&mut self) -> bool {
        self.given_back = self.at;
        self.place.given_back().store(self.at, Release);
        // Who wants room looks once more after saying so: either it sees this, or we see that.
        std::sync::atomic::fence(SeqCst);
        self.place.wants_room().load(Relaxed) != 0 && self.place.wants_room().swap(0, SeqCst) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(size: u32) -> (Sender, Receiver) {
        let bytes = vec![0u64; Place::bytes(size) / 8 + 16].leak();
        let base = bytes.as_mut_ptr().cast::<u8>();
        // SAFETY: leaked, and used by these two only; a word's alignment is enough here.
        let place = unsafe { Place::new(base, size) };
        (Sender::new(place), Receiver::new(place))
    }

    fn put(s: &mut Sender, kind: u32, n: u32, len: usize) -> bool {
        let Some(to) = s.room(len) else { return false };
        let bytes: Vec<u8> = (0..len as u32).map(|i| (n * 31 + i) as u8).collect();
        // SAFETY: room for it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, len) };
        s.publish(kind, len);
        true
    }

    fn check(r: &mut Receiver, kind: u32, n: u32, len: usize) -> bool {
        let Some((k, bytes)) = r.first() else {
            return false;
        };
        assert_eq!((k, bytes.len()), (kind, len), "record {n}");
        let right = |(i, b): (usize, &u8)| *b == (n * 31 + i as u32) as u8;
        assert!(bytes.iter().enumerate().all(right), "record {n}");
        r.next(len);
        true
    }

    fn shape(seed: &mut u64, most: usize) -> (u32, usize) {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        let kind = 1 + (*seed % 14) as u32;
        let len = (*seed >> 8) as usize % [1, 60, 61, 120, most + 1][(*seed >> 40) as usize % 5];
        (kind, len)
    }

    /// As many as fit, then as many as are there, in turn.
    #[test]
    fn records_come_as_they_were_put() {
        for size in [512, 1024, 4096] {
            let (mut s, mut r) = ring(size);
            let (mut to, mut from) = (1u64, 1u64);
            let (mut put_n, mut got) = (0, 0);
            let mut next = shape(&mut to, s.most());
            for round in 0..2000 {
                while put(&mut s, next.0, put_n, next.1) {
                    put_n += 1;
                    next = shape(&mut to, s.most());
                }
                assert!(put_n > got, "nothing fits: {size}");
                let until = if round % 3 == 0 { got + 1 } else { put_n };
                while got < until {
                    let mut ahead = from;
                    let (kind, len) = shape(&mut ahead, s.most());
                    assert!(check(&mut r, kind, got, len));
                    from = ahead;
                    got += 1;
                }
                r.give_all_back();
            }
        }
    }

    /// Each side waits for the other by what the ring itself says.
    #[test]
    fn two_threads_agree() {
        const N: u32 = 200_000;
        let (mut s, mut r) = ring(2048);
        let most = s.most();
        struct Moved<T>(T);
        // SAFETY: one end each; the memory is shared as between processes.
        unsafe impl<T> Send for Moved<T> {}
        let receiver = Moved(&mut r);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let receiver = receiver;
                let r = receiver.0;
                let (mut seed, mut n) = (7u64, 0);
                while n < N {
                    let mut ahead = seed;
                    let (kind, len) = shape(&mut ahead, most);
                    if check(r, kind, n, len) {
                        seed = ahead;
                        n += 1;
                    } else {
                        std::thread::yield_now();
                    }
                    r.give_back();
                }
            });
            let (mut seed, mut n) = (7u64, 0);
            let mut next = shape(&mut seed, most);
            while n < N {
                if put(&mut s, next.0, n, next.1) {
                    n += 1;
                    next = shape(&mut seed, most);
                } else {
                    s.want_room();
                    std::thread::yield_now();
                }
            }
        });
        assert!(r.first().is_none() && r.is_empty());
    }
}
