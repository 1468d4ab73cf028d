//! Which member of a union was written last, where types and annotations do not say: notes by address, made by generated
//! code behind the stores of unions with unlike members.
//!
//! Most have theirs in `notes`, where generated code makes them itself; all others, and members of which pointers are kept, are in a table.
//!
//! A note says with which bytes of the member it was made and holds only while they are there: whatever wrote them without a
//! note makes the old one void. What lies behind the member is not looked at: the object may end there. Members of which the program keeps a pointer can always have been the last to be written, so they count beside it.
//! Copies take their source's notes along; values that are passed and returned leave them here on the way.

pub mod notes;
mod passed;
mod seen;
pub mod shapes;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use std::sync::Arc;

use pc3_typemetric::descriptor::pc3_value;
use pc3_typemetric::types::{TypeId, TypeTable};

use crate::unions::shapes::Shapes;
use pc3_format::unions::UnionMeta;

/// Of a union at an address.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// 0: free.
    at: usize,
    ty: u32,
    /// Members, one of which was written last if the union still has these contents; bit by bit.
    last: u64,
    /// Members that the program keeps pointers of.
    held: u64,
    contents: u64,
}

/// A union in a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Part {
    at: usize,
    ty: u32,
    bytes: u32,
}

/// What a value had when it was passed on.
#[derive(Clone, Copy, Debug, Default)]
struct Passed {
    ty: u32,
    contents: u64,
    members: [u64; MOST_PASSED],
}

/// Of bytes that are being copied: where, what, and which members.
pub struct Notes(Vec<(Entry, u64)>);

/// Values with more unions are not followed from function to function.
const MOST_PASSED: usize = 4;
/// Words of `blocks`.
const BLOCKS: usize = 1 << 10;
/// As many values are on their way between functions.
const FLIGHT: usize = 8;
use notes::STEP;

#[derive(Debug, Default)]
pub struct Unions {
    shapes: Arc<Shapes>,
    /// Open addressing by address; those of one address and several types follow each other.
    table: Vec<Entry>,
    used: usize,
    /// Bits that the addresses of those in the table have.
    bits: usize,
    /// Which blocks of 256 bytes may have entries, by the lower bits of their numbers.
    blocks: Vec<u64>,
    /// By number of the type.
    parts: Vec<Option<&'static [Part]>>,
    passed: [Passed; FLIGHT],
    next: usize,
    /// Small values on their way that had to make place for others.
    crowd: [pc3_value; FLIGHT],
    last_aside: usize,
    busy: AtomicBool,
    /// A signal handler came in between and had something to note.
    missed: AtomicBool,
}

impl Unions {
    pub fn new(shapes: Arc<Shapes>) -> Unions {
        Unions {
            shapes,
            ..Unions::default()
        }
    }

    #[inline]
    pub fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    /// Runs `f` unless it would interrupt itself; then all that is known is forgotten.
    ///
    /// # Safety
    /// `this` is the running rank's.
    #[inline]
    pub unsafe fn with(this: *mut Unions, f: impl FnOnce(&mut Unions)) {
        // SAFETY: shared access to flags only, until they say that nobody else is inside; what interrupts is of this thread.
        let (busy, missed) = unsafe { (&(*this).busy, &(*this).missed) };
        if busy.load(Relaxed) {
            missed.store(true, Relaxed);
            return;
        }
        busy.store(true, Relaxed);
        // SAFETY: by the flag.
        let unions = unsafe { &mut *this };
        f(unions);
        if unions.missed.swap(false, Relaxed) {
            unions.table.clear();
            (unions.used, unions.bits) = (0, 0);
            unions.passed = [Passed::default(); FLIGHT];
            seen::clear();
            notes::forget();
        }
        unions.busy.store(false, Relaxed);
    }

    #[inline]
    fn start(&self, at: usize) -> usize {
        let n = (at as u64 >> 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        n as usize & (self.table.len() - 1)
    }

    /// Where the union's entry is, or the free one where it would be.
    #[inline]
    fn slot(&self, at: usize, ty: u32) -> usize {
        let mut i = self.start(at);
        loop {
            let e = &self.table[i];
            if e.at == 0 || (e.at == at && e.ty == ty) {
                return i;
            }
            i = (i + 1) & (self.table.len() - 1);
        }
    }

    #[inline]
    fn entry(&mut self, at: usize, ty: u32) -> &mut Entry {
        if 2 * (self.used + 1) > self.table.len() {
            self.grow();
        }
        let i = self.slot(at, ty);
        if self.table[i].at == 0 {
            self.used += 1;
            self.mark(at);
            self.table[i] = Entry {
                at,
                ty,
                ..Entry::default()
            };
        }
        &mut self.table[i]
    }

    /// Leaves out what says nothing.
    #[cold]
    fn grow(&mut self) {
        let old = std::mem::take(&mut self.table);
        let says = |e: &&Entry| e.at != 0 && e.last | e.held != 0;
        let live = old.iter().filter(says).count();
        self.table = vec![Entry::default(); (4 * live).next_power_of_two().max(256)];
        self.used = live;
        self.blocks = vec![0; BLOCKS];
        self.bits = 0;
        for e in old.iter().filter(says) {
            let i = self.slot(e.at, e.ty);
            self.table[i] = *e;
            self.mark(e.at);
        }
    }

    fn mark(&mut self, at: usize) {
        self.bits |= at;
        let block = at >> 8;
        seen::mark(block);
        self.blocks[block / 64 % BLOCKS] |= 1 << (block % 64);
    }

    /// May there be entries of unions that begin in these bytes?
    #[inline]
    pub fn may_have(&self, at: usize, n: usize) -> bool {
        if self.used == 0 || n == 0 {
            return false;
        }
        if n <= seen::BLOCK && !seen::is_tabled(at) {
            return false;
        }
        let (first, last) = (at >> 8, at.saturating_add(n - 1) >> 8);
        let marked = |block: usize| self.blocks[block / 64 % BLOCKS] >> (block % 64) & 1 != 0;
        last - first >= 64 * BLOCKS || marked(first) || (first + 1..last + 1).any(marked)
    }

    #[inline]
    fn known(&self, at: usize, ty: u32) -> Option<&Entry> {
        if self.table.is_empty() {
            return None;
        }
        let e = &self.table[self.slot(at, ty)];
        (e.at != 0).then_some(e)
    }

    /// # Safety
    /// The union can be read.
    unsafe fn members(&self, at: usize, ty: u32) -> u64 {
        let entry = self.known(at, ty);
        // SAFETY: by the caller.
        unsafe {
            match self.shapes.level(ty) {
                Some(level) => self.shapes.last(at, ty, level) | entry.map_or(0, |e| e.held),
                None => entry.map_or(0, |e| self.of(e)),
            }
        }
    }

    /// Those of which one was written last; 0: not known.
    unsafe fn of(&self, e: &Entry) -> u64 {
        // SAFETY: by the caller.
        unsafe { self.last(e) | e.held }
    }

    unsafe fn last(&self, e: &Entry) -> u64 {
        // SAFETY: by the caller.
        match unsafe { contents(e.at, self.shapes.window(e.ty, e.last)) } == e.contents {
            true => e.last,
            false => 0,
        }
    }

    /// Member `k` has been written.
    ///
    /// # Safety
    /// The member can be read; so in all that follows.
    #[inline]
    pub unsafe fn set(&mut self, at: usize, ty: u32, k: u32) {
        // SAFETY: by the caller.
        unsafe { self.note(at, ty, 1 << (k & 63)) };
    }

    /// One of these has been written.
    #[inline]
    unsafe fn note(&mut self, at: usize, ty: u32, members: u64) {
        if at % STEP != 0 {
            return;
        }
        // SAFETY: by the caller.
        unsafe {
            if let Some(place) = self.shapes.place(ty, members) {
                return notes::set(at, place, self.shapes.code(ty, members));
            }
            let now = contents(at, self.shapes.window(ty, members));
            let e = self.entry(at, ty);
            (e.last, e.contents) = (members, now);
        }
    }

    /// A function had a pointer to member `k`, and may have written it.
    ///
    /// # Safety
    /// Memory of the rank, with a union of that type where one is named.
    #[inline]
    pub unsafe fn lent(&mut self, at: usize, ty: u32, k: u32) {
        // SAFETY: by the caller.
        unsafe {
            let before = match self.shapes.level(ty) {
                Some(level) => self.shapes.last(at, ty, level),
                None => self.known(at, ty).map_or(0, |e| self.last(e)),
            };
            self.note(at, ty, before | 1 << (k & 63));
        }
    }

    /// The program keeps a pointer to member `k`; `code`: the generated code's for that, or 0.
    #[inline]
    pub fn member_held(&mut self, at: usize, ty: u32, k: u32, code: u32) {
        if at % STEP != 0 {
            return;
        }
        self.entry(at, ty).held |= 1 << (k & 63);
        seen::hold(at, code);
    }

    /// An object of this type has been copied.
    ///
    /// # Safety
    /// Memory of the rank, with a union of that type where one is named.
    #[inline]
    pub unsafe fn copied(&mut self, to: usize, from: usize, types: &TypeTable, ty: u32) {
        for p in self.parts(types, ty) {
            // SAFETY: both are objects of the program.
            unsafe {
                let members = self.members(from + p.at, p.ty);
                self.give(to + p.at, p.ty, members);
            }
        }
    }

    unsafe fn give(&mut self, at: usize, ty: u32, members: u64) {
        let near = self.shapes.level(ty).is_some();
        if members == 0 && !near && self.known(at, ty).is_none() {
            return;
        }
        // SAFETY: by the caller.
        unsafe { self.note(at, ty, members) };
    }

    /// Nothing lies across the ends of an object.
    #[inline]
    fn cut(&self, edge: usize, least: usize, within: &Range<usize>) {
        if edge != within.start && edge != within.end {
            notes::cut(edge, least, &self.shapes);
        }
    }

    /// Is nothing noted of unions that begin in these bytes? `before`: or that reach into them.
    #[inline]
    pub fn nothing(&self, at: usize, n: usize, before: bool) -> bool {
        let most = if before { self.shapes.most() } else { 0 };
        !self.may_have(at, n) && notes::nothing(at.saturating_sub(most), n + most)
    }

    /// The notes of bytes that are about to be copied, as far as they are in the table; None: nothing is.
    ///
    /// # Safety
    /// Memory of the rank, with a union of that type where one is named.
    #[inline]
    pub unsafe fn picked(&self, from: usize, n: usize) -> Option<Notes> {
        if !self.may_have(from, n) {
            return None;
        }
        let mut list = Vec::new();
        // SAFETY: by the caller.
        self.within(from, n, |i| {
            let e = self.table[i];
            list.push((e, unsafe { self.of(&e) }));
        });
        Some(Notes(list))
    }

    /// They have been copied; `within`: an object, in which they lie now.
    ///
    /// # Safety
    /// Memory of the rank, with a union of that type where one is named.
    #[inline]
    pub unsafe fn put(
        &mut self,
        to: usize,
        from: usize,
        n: usize,
        notes: Option<Notes>,
        within: &Range<usize>,
    ) {
        notes::copy(to, from, n, &self.shapes);
        self.cut(to, 0, within);
        // What begins in front of them, and reaches over all of them, is void already.
        self.cut(to.saturating_add(n), to, within);
        self.forget(to, n);
        for (e, members) in notes.map_or(Vec::new(), |n| n.0) {
            if e.at + self.shapes.window(e.ty, members) <= from + n {
                // SAFETY: by the caller.
                unsafe { self.give(e.at - from + to, e.ty, members) };
            }
        }
    }

    /// The contents of these bytes, in an object, have come from elsewhere.
    #[inline]
    pub fn gone(&mut self, at: usize, n: usize, within: &Range<usize>) {
        // What reaches across their end begins among them, or reaches across their start.
        self.over(at, n);
        self.cut(at, 0, within);
    }

    /// Nothing lies there any more.
    #[inline]
    pub fn over(&mut self, at: usize, n: usize) {
        notes::clear(at, n);
        self.forget(at, n);
    }

    #[inline]
    fn forget(&mut self, at: usize, n: usize) {
        if self.may_have(at, n) {
            self.forget_all(at, n);
        }
    }

    fn forget_all(&mut self, at: usize, n: usize) {
        let mut found = Vec::new();
        self.within(at, n, |i| found.push(i));
        for i in found {
            self.drop_entry(i);
        }
    }

    fn drop_entry(&mut self, i: usize) {
        let e = &mut self.table[i];
        if e.held != 0 {
            seen::drop(e.at);
        }
        (e.last, e.held) = (0, 0);
    }

    /// An object of the heap is about to be freed.
    #[inline]
    pub fn freed(&mut self, at: usize, n: usize, ty: u32) {
        if self.shapes.has(ty) {
            self.over(at, n);
        }
    }

    fn within(&self, at: usize, n: usize, mut found: impl FnMut(usize)) {
        if self.used == 0 || n == 0 {
            return;
        }
        let end = at.saturating_add(n);
        if n / STEP > self.table.len() {
            for (i, e) in self.table.iter().enumerate() {
                if e.at != 0 && (at..end).contains(&e.at) {
                    found(i);
                }
            }
            return;
        }
        let step = 1 << self.bits.trailing_zeros().min(12);
        for place in (at.next_multiple_of(step)..end).step_by(step) {
            let mut i = self.start(place);
            while self.table[i].at != 0 {
                if self.table[i].at == place {
                    found(i);
                }
                i = (i + 1) & (self.table.len() - 1);
            }
        }
    }

    /// For a checkpoint: what holds now of what is alive, and forgets the rest. `spans`: memory in which unions can be.
    ///
    /// # Safety
    /// What is alive can be read.
    pub unsafe fn list(
        &mut self,
        alive: impl Fn(usize, usize) -> bool,
        spans: impl FnOnce(&mut dyn FnMut(usize, usize)),
    ) -> Vec<UnionMeta> {
        let mut out = Vec::new();
        let meta = |at: usize, ty, last, held| UnionMeta {
            addr: at as u64,
            ty: TypeId(ty),
            last,
            held,
        };
        self.passed = [Passed::default(); FLIGHT];
        for i in 0..self.table.len() {
            let e = self.table[i];
            if e.last | e.held == 0 {
                continue;
            }
            if !alive(e.at, self.shapes.window(e.ty, e.last | e.held)) {
                self.drop_entry(i);
                continue;
            }
            // SAFETY: it is alive.
            let last = unsafe { self.last(&e) };
            if last | e.held != 0 {
                out.push(meta(e.at, e.ty, last, e.held));
            }
        }
        let shapes = &self.shapes;
        spans(&mut |at, bytes| {
            let found = |at, ty, members| out.push(meta(at, ty, members, 0));
            // SAFETY: by the caller.
            unsafe { notes::each(at, bytes, shapes, found) };
        });
        out.sort_unstable_by_key(|u| (u.addr, u.ty.0));
        // What is kept of a small union is in the table, what was written last in its note.
        out.dedup_by(|b, a| {
            let same = (a.addr, a.ty) == (b.addr, b.ty);
            if same {
                (a.last, a.held) = (a.last | b.last, a.held | b.held);
            }
            same
        });
        out
    }

    /// A restart brings a state of its own; `initial`: what is noted of it since the rank was made.
    pub fn restart(&mut self, initial: impl Iterator<Item = (usize, usize)>) {
        *self = Unions::new(self.shapes.clone());
        seen::clear();
        initial.for_each(|(at, bytes)| notes::clear(at, bytes));
    }

    /// After a restart: as it was noted where it came from.
    ///
    /// # Safety
    /// Memory of the rank, with a union of that type where one is named.
    pub unsafe fn restore(&mut self, at: usize, ty: u32, last: u64, held: u64) {
        // SAFETY: by the caller.
        unsafe { self.note(at, ty, last) };
        if held != 0 && at % STEP == 0 {
            self.entry(at, ty).held = held;
        }
    }
}

/// Up to eight bytes as they are, more mixed.
#[inline]
unsafe fn contents(at: usize, bytes: usize) -> u64 {
    // SAFETY: by the caller.
    unsafe {
        match bytes {
            8 => (at as *const u64).read_unaligned(),
            4 => u64::from((at as *const u32).read_unaligned()),
            _ => longer(at, bytes),
        }
    }
}

unsafe fn longer(at: usize, bytes: usize) -> u64 {
    let word = |at: usize, n: usize| {
        let mut raw = [0; 8];
        // SAFETY: by the caller.
        unsafe { std::ptr::copy_nonoverlapping(at as *const u8, raw.as_mut_ptr(), n) };
        u64::from_ne_bytes(raw)
    };
    let mut n = bytes as u64;
    let mut i = 0;
    while i < bytes {
        n = mixed(n ^ word(at + i, (bytes - i).min(8)));
        i += 8;
    }
    n
}

fn mixed(n: u64) -> u64 {
    let n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    n ^ n.rotate_left(29) ^ n >> 17
}

#[cfg(test)]
#[path = "unions_tests.rs"]
mod tests;
