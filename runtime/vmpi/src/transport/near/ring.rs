//! A ring of records in shared memory, from one process to one other.
//!
//! A record is a line: a word, its header, and up to 60 bytes.  Longer ones have their bytes in a second ring beside the lines, where they
//! begin with a line, and the rest of their own line is free for what leads them.
//! A small message is one cache line, at which the receiver looks until its header is there.
//!
//! *Why it is right.* Headers lie at the beginning of lines, and nothing else ever does.  Lines are used in turn, and each header says by one
//! bit whether its lap is an odd one; so the receiver knows a new header from that of the lap before (the first lap is odd, and
//! memory is 0 at first).  Headers are stored with `Release` when their record's bytes have been written, and loaded with `Acquire`.  The sender writes
//! only to what the receiver has given back: that stores how far it has come with `Release` when it has done with the bytes, and
//! the sender loads that with `Acquire`.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::sync::Arc;

use crate::lines;

const LINE: u32 = 64;
/// What of a line is not its header.
pub const INLINE: usize = 60;
/// In front of the lines: how far the receiver is, and whether the sender waits for room.
const CONTROL: usize = 2 * LINE as usize;
/// For so many bytes there is one line.
const SHARE: u32 = 512;

/// So many lines ahead of the one that is written the sender asks for: see `lane`.
const AHEAD: u32 = 16;

const ODD: u32 = 1 << 31;
const KIND: u32 = 28;
const LEN: u32 = (1 << KIND) - 1;

/// Where a ring lies, as this process sees it.
#[derive(Clone, Copy)]
pub struct Place {
    base: *mut u8,
    /// Bytes of long records, and lines: powers of two.
    size: u32,
    lines: u32,
}

impl Place {
    /// Bytes that a ring takes.
    pub const fn bytes(size: u32) -> usize {
        CONTROL + (size / SHARE * LINE) as usize + size as usize
    }

    /// # Safety
    /// `bytes(size)` bytes there begin with a line, were 0 at first, and stay; only one sender and one receiver use them.
    pub unsafe fn new(base: *mut u8, size: u32) -> Place {
        debug_assert!(size.is_power_of_two() && size >= 4 * SHARE);
        let lines = size / SHARE;
        Place { base, size, lines }
    }

    fn word(&self, at: usize) -> &AtomicU32 {
        // SAFETY: by `new`; aligned.
        unsafe { &*self.base.add(at).cast::<AtomicU32>() }
    }

    fn lines_back(&self) -> &AtomicU32 {
        self.word(0)
    }

    fn bytes_back(&self) -> &AtomicU32 {
        self.word(4)
    }

    fn wants_room(&self) -> &AtomicU32 {
        self.word(LINE as usize)
    }

    fn line(&self, n: u32) -> usize {
        CONTROL + ((n & (self.lines - 1)) * LINE) as usize
    }

    fn header(&self, n: u32) -> &AtomicU32 {
        self.word(self.line(n))
    }

    /// What the header of the n-th line has if it is of its lap.
    fn odd(&self, n: u32) -> u32 {
        if n & self.lines == 0 {
            ODD
        } else {
            0
        }
    }

    fn has(&self, n: u32, header: u32) -> bool {
        header & ODD == self.odd(n)
    }

    fn in_line(&self, n: u32) -> *mut u8 {
        self.base.wrapping_add(self.line(n) + 4)
    }

    fn beside(&self, at: u32) -> *mut u8 {
        let at = at & (self.size - 1);
        self.base
            .wrapping_add(CONTROL + (self.lines * LINE + at) as usize)
    }

    /// Where a record of that length begins that may begin at `at`: not across the end.
    fn begin(&self, at: u32, len: u32) -> u32 {
        let rest = self.size - (at & (self.size - 1));
        if len > rest {
            at.wrapping_add(rest)
        } else {
            at
        }
    }
}

/// How far a side is; counts on and on, as sizes divide what a word holds.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Far {
    lines: u32,
    bytes: u32,
}

fn whole_lines(at: u32) -> u32 {
    at.wrapping_add(LINE - 1) & !(LINE - 1)
}

impl Far {
    /// A record further, whose bytes beside its line end there if it has any.
    #[inline]
    fn pass(&mut self, beside: Option<u32>) {
        if let Some(end) = beside {
            self.bytes = whole_lines(end);
        }
        self.lines = self.lines.wrapping_add(1);
    }
}

/// The sender's end.
pub struct Sender {
    place: Place,
    at: Far,
    back: Far,
    /// Where the next record's bytes are, if they are not in its line.
    beside: Option<u32>,
}

impl Sender {
    pub fn new(place: Place) -> Sender {
        Sender {
            place,
            at: Far::default(),
            back: Far::default(),
            beside: None,
        }
    }

    /// The longest record.
    pub fn most(&self) -> usize {
        (self.place.size / 4) as usize
    }

    /// Room for a record of `len` bytes, which are at most `most()`; `None`: not now.
    #[inline]
    pub fn room(&mut self, len: usize) -> Option<*mut u8> {
        debug_assert!(len <= self.most());
        let p = self.place;
        if len <= INLINE {
            self.beside = None;
            return self.has(self.at.bytes).then(|| p.in_line(self.at.lines));
        }
        let begin = p.begin(self.at.bytes, len as u32);
        self.beside = Some(begin);
        self.has(begin.wrapping_add(len as u32))
            .then(|| p.beside(begin))
    }

    /// Where the line of the record for which `room` was given has room for [`INLINE`] bytes, if it is longer than that.
    #[inline]
    pub fn lead(&self) -> *mut u8 {
        self.place.in_line(self.at.lines)
    }

    /// Room for a record in a line of its own, at most [`INLINE`] bytes; `None`: not now.
    #[inline(always)]
    pub fn line(&mut self) -> Option<*mut u8> {
        let p = self.place;
        let free = |s: &Sender| s.at.lines.wrapping_sub(s.back.lines) < p.lines;
        if !free(self) {
            self.back = Far {
                lines: p.lines_back().load(Acquire),
                bytes: p.bytes_back().load(Acquire),
            };
        }
        free(self).then(|| p.in_line(self.at.lines))
    }

    /// The record in what `line` gave is complete: as `publish`.
    #[inline]
    pub fn publish_line(&mut self, kind: u32, len: usize, ordered: bool) {
        self.put_header(kind, len, ordered);
        self.at.lines = self.at.lines.wrapping_add(1);
    }

    /// A line is free, and bytes until there.
    fn has(&mut self, end: u32) -> bool {
        let p = self.place;
        let free = |s: &Sender| {
            s.at.lines.wrapping_sub(s.back.lines) < p.lines
                && whole_lines(end).wrapping_sub(s.back.bytes) <= p.size
        };
        free(self) || {
            self.back = Far {
                lines: p.lines_back().load(Acquire),
                bytes: p.bytes_back().load(Acquire),
            };
            free(self)
        }
    }

    /// The record in what `room` gave is complete, `len` bytes long as was said there; `kind` is below 8.  `ordered`: whoever
    /// goes to sleep sees to it that this is seen.
    #[inline]
    pub fn publish(&mut self, kind: u32, len: usize, ordered: bool) {
        self.put_header(kind, len, ordered);
        let end = self.beside.map(|begin| begin.wrapping_add(len as u32));
        self.at.pass(end);
    }

    #[inline]
    fn put_header(&mut self, kind: u32, len: usize, ordered: bool) {
        let p = self.place;
        let header = p.odd(self.at.lines) | kind << KIND | len as u32;
        if ordered {
            p.header(self.at.lines).store(header, Release);
        } else {
            p.header(self.at.lines).swap(header, SeqCst);
        }
        lines::ask_for(p.header(self.at.lines.wrapping_add(AHEAD)));
    }

    /// There is no room: the receiver is to say when it has given back more.  Look again after this.
    pub fn want_room(&self) {
        self.place.wants_room().store(1, SeqCst);
        std::sync::atomic::fence(SeqCst);
    }
}

/// What shows anybody whether the receiver has something to do.
pub struct Mark {
    place: Place,
    /// The line at which the receiver looks.
    at: AtomicU32,
    /// It has done with more than it has given back.
    owes: AtomicBool,
}

// SAFETY: atomic words in memory that stays.
unsafe impl Send for Mark {}
// SAFETY: as above.
unsafe impl Sync for Mark {}

impl Mark {
    #[inline]
    pub fn calls(&self) -> bool {
        let (p, n) = (self.place, self.at.load(Relaxed));
        p.has(n, p.header(n).load(Relaxed))
            || (self.owes.load(Relaxed) && p.wants_room().load(Relaxed) != 0)
    }
}

/// The receiver's end.
pub struct Receiver {
    place: Place,
    at: Far,
    back: Far,
    mark: Arc<Mark>,
}

impl Receiver {
    pub fn new(place: Place) -> Receiver {
        Receiver {
            place,
            at: Far::default(),
            back: Far::default(),
            mark: Arc::new(Mark {
                place,
                at: AtomicU32::new(0),
                owes: AtomicBool::new(false),
            }),
        }
    }

    pub fn mark(&self) -> Arc<Mark> {
        Arc::clone(&self.mark)
    }

    /// The header of the next record.
    #[inline]
    fn header(&self) -> Option<u32> {
        let n = self.at.lines;
        let header = self.place.header(n).load(Acquire);
        self.place.has(n, header).then_some(header)
    }

    /// The next record, which stays until `next`.
    #[inline]
    pub fn first(&self) -> Option<(u32, &[u8])> {
        let header = self.header()?;
        let p = self.place;
        let len = header & LEN;
        debug_assert!(len <= p.size);
        let from = if len as usize <= INLINE {
            p.in_line(self.at.lines)
        } else {
            p.beside(p.begin(self.at.bytes, len))
        };
        // SAFETY: written before the header was, and not again before it is given back.
        let bytes = unsafe { std::slice::from_raw_parts(from, len as usize) };
        Some((header >> KIND & 7, bytes))
    }

    /// What leads the first record, which is longer than [`INLINE`].
    #[inline]
    pub fn lead(&self) -> &[u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.place.in_line(self.at.lines), INLINE) }
    }

    /// The first record, which had `len` bytes, is done with.
    #[inline]
    pub fn next(&mut self, len: usize) {
        let beside = (len > INLINE).then_some(len as u32);
        let begin = |len| self.place.begin(self.at.bytes, len);
        self.at.pass(beside.map(|len| begin(len).wrapping_add(len)));
        self.mark.at.store(self.at.lines, Relaxed);
        self.mark.owes.store(true, Relaxed);
    }

    pub fn is_empty(&self) -> bool {
        self.header().is_none()
    }

    /// Gives back what is done with, if that is much; true if the sender waits for it.
    #[inline]
    pub fn give_much_back(&mut self) -> bool {
        let p = self.place;
        let much = self.at.lines.wrapping_sub(self.back.lines) >= p.lines / 4
            || self.at.bytes.wrapping_sub(self.back.bytes) >= p.size / 4;
        much && self.give_all_back()
    }

    /// The same, or if it is waited for.
    #[inline]
    pub fn give_back(&mut self) -> bool {
        let wanted = self.at != self.back && self.place.wants_room().load(Relaxed) != 0;
        match wanted {
            true => self.give_all_back(),
            false => self.give_much_back(),
        }
    }

    /// As above, however little it is.
    pub fn give_all_back(&mut self) -> bool {
        let p = self.place;
        if self.at != self.back {
            self.back = self.at;
            self.mark.owes.store(false, Relaxed);
            p.bytes_back().store(self.at.bytes, Release);
            p.lines_back().store(self.at.lines, Release);
        }
        // Who wants room looks once more after saying so: either it sees this, or we see that.
        std::sync::atomic::fence(SeqCst);
        p.wants_room().load(Relaxed) != 0 && p.wants_room().swap(0, SeqCst) != 0
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
        let (mut s, mut r) = (Sender::new(place), Receiver::new(place));
        // Soon both count from 0 again.
        let start = Far {
            lines: 0u32.wrapping_sub(2 * place.lines),
            bytes: 0u32.wrapping_sub(2 * size),
        };
        (s.at, s.back, r.at) = (start, start, start);
        r.mark.at.store(start.lines, Relaxed);
        r.give_all_back();
        (s, r)
    }

    fn put(s: &mut Sender, kind: u32, n: u32, len: usize) -> bool {
        let line = len <= INLINE && n % 3 == 0;
        let room = if line { s.line() } else { s.room(len) };
        let Some(to) = room else { return false };
        let bytes: Vec<u8> = (0..len as u32).map(|i| (n * 31 + i) as u8).collect();
        // SAFETY: room for it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, len) };
        if len > INLINE {
            // SAFETY: as above.
            unsafe { s.lead().write_bytes(n as u8, INLINE) };
        }
        if line {
            s.publish_line(kind, len, n % 2 == 0);
        } else {
            s.publish(kind, len, n % 2 == 0);
        }
        true
    }

    fn check(r: &mut Receiver, kind: u32, n: u32, len: usize) -> bool {
        let Some((k, bytes)) = r.first() else {
            return false;
        };
        assert_eq!((k, bytes.len()), (kind, len), "record {n}");
        let right = |(i, b): (usize, &u8)| *b == (n * 31 + i as u32) as u8;
        assert!(bytes.iter().enumerate().all(right), "record {n}");
        assert!(len <= INLINE || r.lead().iter().all(|b| *b == n as u8));
        r.next(len);
        true
    }

    fn shape(seed: &mut u64, most: usize) -> (u32, usize) {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        let kind = (*seed % 7) as u32 + 1;
        let len = (*seed >> 8) as usize % [1, 60, 61, 120, most + 1][(*seed >> 40) as usize % 5];
        (kind, len)
    }

    /// As many as fit, then as many as are there, in turn.
    #[test]
    fn records_come_as_they_were_put() {
        for size in [2048, 4096, 16384] {
            let (mut s, mut r) = ring(size);
            let (mut to, mut from) = (1u64, 1u64);
            let (mut put_n, mut got) = (0, 0);
            let mut next = shape(&mut to, s.most());
            for round in 0..2000 {
                while put(&mut s, next.0, put_n, next.1) {
                    put_n += 1;
                    next = shape(&mut to, s.most());
                }
                assert!(put_n > got && r.mark().calls(), "nothing fits: {size}");
                let until = if round % 3 == 0 { got + 1 } else { put_n };
                while got < until {
                    let mut ahead = from;
                    let (kind, len) = shape(&mut ahead, s.most());
                    assert!(check(&mut r, kind, got, len));
                    from = ahead;
                    got += 1;
                }
                // Nobody else looks: the mark says what there is.
                assert_eq!(r.mark().calls(), got < put_n);
                s.want_room();
                assert!(r.mark().calls());
                assert!(r.give_all_back());
            }
        }
    }

    /// Each side waits for the other by what the ring itself says.
    #[test]
    fn two_threads_agree() {
        const N: u32 = 200_000;
        let (mut s, mut r) = ring(4096);
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
