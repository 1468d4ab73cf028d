//! Notes of what lies where in a block, by stretches of it, so that neither many pieces in one block nor the order in which they
//! are handed out makes a note dear. The place that the last one went to is at hand.

use pc3_typemetric::types::TypeId;

use pc3_format::pieces::{Extent, PieceMeta};

/// Of what was there, and is no more.
pub const DEAD: u32 = u32::MAX;

/// In the place of a link: one object, or as many as there is room for; nobody has said how many.
pub const OPEN: u32 = u32::MAX - 1;

/// In the place of a link: one object, and nobody has said whether something else lies behind it.
pub const LONE: u32 = u32::MAX - 2;

/// Bytes of a stretch.
const STRETCH: usize = 4096;

/// A piece. Bytes behind `bytes`, up to `room`, mean nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Note {
    pub at: usize,
    pub bytes: usize,
    pub room: usize,
    pub ty: u32,
    /// A free item: what has been stored over its start; 0: it is in use.
    pub link: u32,
}

/// Is that in the place of a link none?
fn is_in_use(link: u32) -> bool {
    matches!(link, 0 | OPEN | LONE)
}

impl Note {
    /// As a checkpoint has it, but for what is another one here.
    pub fn restored(
        p: &PieceMeta,
        at: usize,
        bytes: u64,
        ty: Option<TypeId>,
        link: Option<TypeId>,
    ) -> Note {
        let mut note = Note::new(at, bytes as usize, p.room as usize, ty, link);
        if note.link == 0 {
            note.link = match p.extent {
                Extent::Said => 0,
                Extent::Elements => OPEN,
                Extent::One => LONE,
            };
        }
        note
    }

    /// Without a type: of what is no more.
    pub fn new(
        at: usize,
        bytes: usize,
        room: usize,
        ty: Option<TypeId>,
        link: Option<TypeId>,
    ) -> Note {
        Note {
            at,
            bytes,
            room,
            ty: ty.map_or(DEAD, |t| t.0),
            link: link.map_or(0, |t| t.0),
        }
    }

    fn end(&self) -> usize {
        self.at + self.room
    }

    pub fn meta(&self) -> PieceMeta {
        PieceMeta {
            addr: self.at as u64,
            ty: (self.ty != DEAD).then_some(TypeId(self.ty)),
            bytes: self.bytes as u64,
            room: self.room as u64,
            extent: match self.link {
                OPEN => Extent::Elements,
                LONE => Extent::One,
                _ => Extent::Said,
            },
            link: (!is_in_use(self.link)).then_some(TypeId(self.link)),
        }
    }
}

/// The notes that begin in it, in order, and the stretch in which one begins that may reach into it.
#[derive(Debug, Default)]
struct Stretch {
    notes: Vec<Note>,
    from: usize,
}

#[derive(Debug, Default)]
pub struct Block {
    base: usize,
    stretches: Vec<Stretch>,
    /// No stretch outside of these has notes.
    first: usize,
    last: usize,
    /// No note reaches so far.
    top: usize,
    /// Where the last one was.
    latest: Spot,
    /// How often something was stored over parts of something else.
    pub mixed: u32,
}

/// Where a note is: stretch and index.
type Spot = (usize, usize);

impl Block {
    pub fn new(base: usize) -> Block {
        Block {
            base,
            top: base,
            first: usize::MAX,
            ..Block::default()
        }
    }

    fn stretch(&self, at: usize) -> usize {
        (at - self.base) / STRETCH
    }

    fn note(&self, (s, i): Spot) -> &Note {
        &self.stretches[s].notes[i]
    }

    fn note_mut(&mut self, (s, i): Spot) -> &mut Note {
        &mut self.stretches[s].notes[i]
    }

    /// The note that an address is in.
    #[inline]
    fn holder(&self, at: usize) -> Option<Spot> {
        let (s, i) = self.latest;
        let latest = self.stretches.get(s).and_then(|s| s.notes.get(i));
        if latest.is_some_and(|n| at.wrapping_sub(n.at) < n.room) {
            return Some((s, i));
        }
        self.search(at)
    }

    /// Likewise, to be changed.
    #[inline]
    pub fn at(&mut self, at: usize) -> Option<&mut Note> {
        let spot = self.holder(at)?;
        self.latest = spot;
        Some(self.note_mut(spot))
    }

    fn search(&self, at: usize) -> Option<Spot> {
        let s = self.stretch(at);
        let here = self.stretches.get(s)?;
        let spot = match here.notes.partition_point(|n| n.at <= at) {
            0 => (
                here.from,
                self.stretches[here.from].notes.len().checked_sub(1)?,
            ),
            i => (s, i - 1),
        };
        (at < self.note(spot).end()).then_some(spot)
    }

    /// Where something new goes: it takes the place of what it overlaps.
    #[inline(always)]
    pub fn put(&mut self, new: Note) {
        let (s, i) = self.latest;
        // Behind all others, as a cursor moves; else where the last one was, as a list of free items moves.
        if new.at >= self.top && s == self.last {
            let limit = self.base + (s + 1) * STRETCH;
            if let Some(here) = self.stretches.get_mut(s).filter(|_| new.end() <= limit) {
                self.top = new.end();
                self.latest = (s, here.notes.len());
                return here.notes.push(new);
            }
        } else if let Some(n) = self.stretches.get_mut(s).and_then(|s| s.notes.get_mut(i)) {
            if n.at == new.at && new.bytes <= n.room {
                *n = Note {
                    room: n.room,
                    ..new
                };
                return;
            }
        }
        self.put_among(new);
    }

    fn put_among(&mut self, mut new: Note) {
        let s = self.stretch(new.at);
        let mut front = None;
        if let Some(spot) = self.search(new.at) {
            let old = self.note_mut(spot);
            if old.at == new.at && new.bytes <= old.room {
                new.room = old.room;
                *old = new;
                self.latest = spot;
                return;
            }
            if old.at < new.at {
                let (end, room) = (old.end(), new.at - old.at);
                *old = match old.bytes <= room {
                    true => Note { room, ..*old },
                    false => Note::new(old.at, 0, room, None, None),
                };
                front = Some(end);
            }
        }
        let end = new.end();
        let mut reach = front.unwrap_or(0);
        for k in s..=self.stretch(end - 1).min(self.last) {
            let Some(stretch) = self.stretches.get_mut(k) else {
                break;
            };
            let from = stretch.notes.partition_point(|n| n.at < new.at);
            let to = stretch.notes.partition_point(|n| n.at < end);
            if from < to {
                reach = reach.max(stretch.notes[to - 1].end());
                stretch.notes.drain(from..to);
            }
        }
        new.room = new.room.max(reach.saturating_sub(new.at));
        self.cover(s, new.end());
        let here = &mut self.stretches[s].notes;
        let i = here.partition_point(|n| n.at < new.at);
        here.insert(i, new);
        self.latest = (s, i);
        self.first = self.first.min(s);
        self.last = self.last.max(s);
    }

    /// A note that begins in this stretch goes so far.
    fn cover(&mut self, s: usize, end: usize) {
        let last = self.stretch(end - 1);
        self.top = self.top.max(end);
        while self.stretches.len() <= last {
            let from = self.stretches.len();
            let notes = Vec::new();
            self.stretches.push(Stretch { notes, from });
        }
        self.stretches[s + 1..=last]
            .iter_mut()
            .for_each(|k| k.from = s);
    }

    fn in_front(&self, (s, i): Spot) -> Option<Spot> {
        if i > 0 {
            return Some((s, i - 1));
        }
        let mut k = s;
        while k > self.first {
            k -= 1;
            if let Some(i) = self.stretches[k].notes.len().checked_sub(1) {
                return Some((k, i));
            }
        }
        None
    }

    fn behind(&self, (s, i): Spot) -> Option<Spot> {
        if i + 1 < self.stretches[s].notes.len() {
            return Some((s, i + 1));
        }
        let k = (s + 1..=self.last).find(|k| !self.stretches[*k].notes.is_empty())?;
        Some((k, 0))
    }

    /// Items that are put into a list one after the other, before any of them was in use, lie so far apart as they are large.
    #[inline]
    pub fn strides(&mut self, at: usize, end: usize) {
        let Some(spot) = self.holder(at).filter(|s| self.note(*s).at == at) else {
            return;
        };
        let here = *self.note(spot);
        let links = |n: &Note| n.ty == here.ty && n.bytes == here.bytes && is_in_use(n.link);
        if !is_in_use(here.link) {
            return;
        }
        let (front, next) = (self.in_front(spot), self.behind(spot));
        let end = next.map_or(end, |n| self.note(n).at);
        let step = match (front.map(|s| *self.note(s)), next.map(|s| *self.note(s))) {
            (Some(front), _) if links(&front) => at - front.at,
            (_, Some(next)) if links(&next) => next.at - at,
            _ => return,
        };
        if at + step <= end {
            self.widen(spot, step);
        }
        if let Some(front) = front {
            let n = self.note(front);
            let known = n.room == n.bytes || n.room == step;
            if n.at + step == at && known {
                self.widen(front, step);
            }
        }
    }

    fn widen(&mut self, spot: Spot, room: usize) {
        let n = self.note_mut(spot);
        n.room = room;
        let end = n.end();
        self.cover(spot.0, end);
    }

    /// Does nothing lie in it but what has been stored between these addresses?
    pub fn is_stored(&self, from: usize, to: usize) -> bool {
        let inside = |n: &Note| from <= n.at && n.end() <= to;
        self.notes().all(|n| n.link == LONE && inside(n))
    }

    /// Nobody knows what lies from here to there, which is all of it.
    pub fn forget(&mut self, from: usize, to: usize) {
        let mixed = self.mixed;
        *self = Block::new(self.base);
        self.mixed = mixed;
        let mut all = Note::new(from, to - from, to - from, Some(TypeId::UNKNOWN), None);
        all.link = LONE;
        self.put(all);
    }

    /// What lay there or behind is no more.
    pub fn cut(&mut self, from: usize) {
        let s = self.stretch(from.max(self.base));
        for stretch in self.stretches.iter_mut().skip(s) {
            stretch.notes.retain(|n| n.at < from);
        }
        self.stretches.truncate(s + 1);
        self.last = self.last.min(s);
        self.top = self.top.min(from);
        self.latest = Spot::default();
    }

    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.stretches.iter().flat_map(|s| &s.notes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (at, bytes, room, type)
    type Row = (usize, usize, usize, u32);

    const BASE: usize = 1 << 20;

    fn rows(block: &Block) -> Vec<Row> {
        let row = |n: &Note| (n.at - BASE, n.bytes, n.room, n.ty);
        block.notes().map(row).collect()
    }

    fn note(&(at, bytes, room, ty): &Row) -> Note {
        Note::new(BASE + at, bytes, room, Some(TypeId(ty)), None)
    }

    fn after(list: &[Row]) -> Vec<Row> {
        let mut block = Block::new(BASE);
        for (at, bytes, _, ty) in list {
            block.put(note(&(*at, *bytes, *bytes, *ty)));
        }
        rows(&block)
    }

    #[test]
    fn notes() {
        let check = |rows: &[Row], expected: &[Row]| assert_eq!(after(rows), expected, "{rows:?}");
        for far in [0, 4080, 40_000] {
            let at = |at: usize, bytes, room, ty| (far + at, bytes, room, ty);
            let (a, b) = (at(0, 16, 16, 1), at(16, 24, 24, 2));
            check(&[a, b], &[a, b]);
            check(&[b, a], &[a, b]);
            check(&[a, b, a], &[a, b]);
            // A shorter one at the same place keeps its room; a longer one takes the next one's.
            check(&[a, b, at(0, 8, 8, 3)], &[at(0, 8, 16, 3), b]);
            check(&[a, b, at(0, 20, 20, 3)], &[at(0, 20, 40, 3)]);
            // In the middle of one: what was in front of it is no more.
            let dead = at(0, 0, 8, DEAD);
            check(&[a, b, at(8, 4, 4, 3)], &[dead, at(8, 4, 8, 3), b]);
            check(&[b, at(8, 64, 64, 3)], &[at(8, 64, 64, 3)]);
            check(&[b, at(4, 8, 8, 3)], &[at(4, 8, 8, 3), b]);
            // Over several stretches, and in the middle of that.
            let long = at(0, 10_000, 10_000, 4);
            check(&[a, b, long], &[long]);
            check(
                &[long, at(9000, 8, 8, 3)],
                &[at(0, 0, 9000, DEAD), at(9000, 8, 1000, 3)],
            );
            check(&[long, a, b], &[at(0, 16, 16, 1), at(16, 24, 9984, 2)]);
        }
    }

    #[test]
    fn steps_of_pools() {
        let check = |at: &[usize], expected: &[Row]| {
            let mut block = Block::new(BASE);
            for at in at {
                block.put(note(&(*at, 8, 8, 4)));
                block.strides(BASE + at, BASE + 20_000);
            }
            assert_eq!(rows(&block), expected, "{at:?}");
        };
        check(&[0], &[(0, 8, 8, 4)]);
        let three = [(0, 8, 24, 4), (24, 8, 24, 4), (48, 8, 24, 4)];
        check(&[0, 24, 48], &three);
        check(&[48, 24, 0], &[three[0], three[1], (48, 8, 8, 4)]);
        check(&[60, 92], &[(60, 8, 32, 4), (92, 8, 32, 4)]);
        check(&[60, 19_980], &[(60, 8, 19_920, 4), (19_980, 8, 8, 4)]);
        let far = [(0, 8, 9000, 4), (9000, 8, 9000, 4)];
        check(&[0, 9000], &far);
        check(&[9000, 0], &[far[0], (9000, 8, 8, 4)]);
    }

    #[test]
    fn what_nobody_knows() {
        let mut block = Block::new(BASE);
        for at in [0, 9000, 16] {
            let mut stored = note(&(at, 8, 8, 3));
            stored.link = LONE;
            block.put(stored);
        }
        assert!(block.is_stored(BASE, BASE + 20_000));
        assert!(!block.is_stored(BASE, BASE + 9000));
        block.forget(BASE, BASE + 20_000);
        assert_eq!(rows(&block), [(0, 20_000, 20_000, 0)]);
        block.put(note(&(4096, 16, 16, 2)));
        assert!(!block.is_stored(BASE, BASE + 20_000));
        assert_eq!(block.at(BASE + 4100).map(|n| n.ty), Some(2));
    }

    /// Against a plain list of bytes.
    #[test]
    fn random_notes() {
        let mut state = 1u32;
        let mut next = |n: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % n
        };
        for _ in 0..50 {
            let mut block = Block::new(BASE);
            let mut owner = vec![0u32; 40_000];
            for ty in 1..200 {
                let at = next(30_000);
                let most = [8, 100, 9000][next(3)];
                let bytes = 1 + next(most);
                block.put(note(&(at, bytes, bytes, ty)));
                for old in owner.iter_mut().filter(|o| **o == ty) {
                    *old = 0;
                }
                owner[at..at + bytes].fill(ty);
            }
            let list = rows(&block);
            for w in list.windows(2) {
                assert!(w[0].0 + w[0].2 <= w[1].0, "{w:?}");
            }
            for (at, bytes, room, ty) in list {
                let found = block.holder(BASE + at + room - 1).map(|s| *block.note(s));
                assert_eq!(found.map(|n| n.at), Some(BASE + at));
                // Whatever is known to be there is there.
                if ty != DEAD {
                    assert!(
                        owner[at..at + bytes].iter().all(|o| *o == ty),
                        "{at} {bytes}"
                    );
                }
            }
        }
    }
}
