//! The blocks that there are notes of. The one that the last note went to is at hand.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use pc3_typemetric::types::{Kind, TypeId, TypeTable};

use super::blocks::{Block, Note};
use pc3_format::pieces::PieceMeta;

/// So many answers are kept.
const PAIRS: usize = 16;

/// Addresses are spread by a multiplication.
#[derive(Clone, Copy, Default, Debug)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_usize(usize::from(*b)));
    }
    fn write_usize(&mut self, n: usize) {
        let mixed = (self.0 ^ n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }
}

/// So often, that is no accident.
const MIXED: u32 = 4;

/// The place of the last note.
#[derive(Clone, Copy, Debug, Default)]
struct Near {
    /// Addresses that are its, and no more than bytes.
    from: usize,
    to: usize,
    block: usize,
}

/// By the blocks they lie in.
#[derive(Debug, Default)]
pub struct Pieces {
    known: HashMap<usize, usize, BuildHasherDefault<Spread>>,
    blocks: Vec<Block>,
    near: Near,
    /// An object in which no notes count: its start and its end.
    pub away: (usize, usize),
    /// The start of the block in which generated code knows that nobody knows what lies somewhere, or no notes count.
    pub told: usize,
    spare: Vec<usize>,
    /// What is known of types: see `alike`.
    pairs: [(u32, u32, u64, bool); PAIRS],
}

impl Pieces {
    fn pair(was: TypeId, inside: u64, ty: u32) -> usize {
        (was.0 as usize * 3 + ty as usize + inside as usize) % PAIRS
    }

    /// Is what lies at an offset of one type alike to another type, if that has been asked before?
    #[inline]
    pub fn alike(&self, was: TypeId, inside: u64, ty: u32) -> Option<bool> {
        let p = &self.pairs[Self::pair(was, inside, ty)];
        (p.0 == was.0 && p.1 == ty && p.2 == inside).then_some(p.3)
    }

    #[inline]
    pub fn remember(&mut self, was: TypeId, inside: u64, ty: u32, alike: bool) {
        self.pairs[Self::pair(was, inside, ty)] = (was.0, ty, inside, alike);
    }

    /// Is the place of the last note its place as well?
    #[inline(always)]
    pub fn is_near(&self, at: usize) -> bool {
        at.wrapping_sub(self.near.from) < self.near.to - self.near.from
    }

    /// From now on that is the block with this start; between these addresses it is no more than bytes.
    #[inline]
    pub fn go_to(&mut self, base: usize, from: usize, to: usize) {
        let block = self.block(base);
        self.near = Near { from, to, block };
    }

    fn block(&mut self, base: usize) -> usize {
        if let Some(k) = self.known.get(&base) {
            return *k;
        }
        let k = self.spare.pop().unwrap_or(self.blocks.len());
        if k == self.blocks.len() {
            self.blocks.push(Block::default());
        }
        self.blocks[k] = Block::new(base);
        self.known.insert(base, k);
        k
    }

    /// The block of the last note, and where its bytes end.
    #[inline(always)]
    pub fn near(&mut self) -> (&mut Block, usize) {
        (&mut self.blocks[self.near.block], self.near.to)
    }

    /// Something was stored over parts of something else. Where that goes on, words are written among bytes: nobody knows what
    /// lies in the block.
    #[inline]
    pub fn mixed(&mut self) {
        let Near { from, to, block } = self.near;
        let block = &mut self.blocks[block];
        block.mixed += 1;
        if block.mixed == MIXED && block.is_stored(from, to) {
            block.forget(from, to);
        }
    }

    /// The note that an address is in.
    #[inline]
    pub fn at(&mut self, at: usize) -> Option<&mut Note> {
        let (block, _) = self.near();
        block.at(at)
    }

    /// The block is gone.
    #[inline]
    pub fn gone(&mut self, base: usize) {
        if base == self.away.0 {
            self.away = (0, 0);
        }
        if !self.known.is_empty() {
            self.remove(base);
        }
    }

    fn remove(&mut self, base: usize) -> Option<Block> {
        let k = self.known.remove(&base)?;
        if self.near.block == k {
            self.near = Near::default();
        }
        self.spare.push(k);
        Some(std::mem::take(&mut self.blocks[k]))
    }

    /// The block is elsewhere now, or as long as this.
    #[inline]
    pub fn moved(&mut self, from: usize, to: usize, bytes: usize) {
        self.away = (0, 0);
        let Some(old) = self.remove(from) else {
            return;
        };
        let k = self.block(to);
        for n in old.notes() {
            let at = n.at - from + to;
            if at + n.room <= to + bytes {
                self.blocks[k].put(Note { at, ..*n });
            }
        }
    }

    /// What lay there or behind is no more.
    #[inline]
    pub fn cut(&mut self, base: usize, from: usize) {
        let Some(k) = self.known.get(&base) else {
            return;
        };
        self.blocks[*k].cut(from);
    }

    /// For a checkpoint, in order.
    pub fn list(&self) -> Vec<PieceMeta> {
        let all = self.known.values().flat_map(|k| self.blocks[*k].notes());
        let mut all: Vec<&Note> = all.collect();
        all.sort_unstable_by_key(|n| n.at);
        all.iter().map(|n| n.meta()).collect()
    }

    /// After a restart, in order.
    pub fn restore(&mut self, block: usize, note: Note) {
        if note.room > 0 {
            let k = self.block(block);
            self.blocks[k].put(note);
        }
    }
}

pub fn is_byte(types: &TypeTable, ty: TypeId) -> bool {
    let t = types.get(ty);
    t.kind == Kind::Char || matches!(t.kind, Kind::SInt | Kind::UInt) && t.size == 1
}

/// May objects of a type be, or end in, bytes that are handed out?
pub fn may_hold(types: &TypeTable, ty: TypeId) -> bool {
    if ty == TypeId::UNKNOWN || is_byte(types, ty) {
        return true;
    }
    let t = types.get(ty);
    match t.kind {
        Kind::Array => may_hold(types, t.elem),
        Kind::Struct => t.members.last().is_some_and(|m| {
            let last = types.get(m.ty);
            last.kind == Kind::Array && is_byte(types, last.elem)
                || last.kind == Kind::Struct && may_hold(types, m.ty)
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: usize = 1 << 20;

    #[test]
    fn blocks_that_go() {
        let mut all = Pieces::default();
        for base in [BASE, BASE + 8192] {
            all.go_to(base, base, base + 8192);
            all.near()
                .0
                .put(Note::new(base + 8, 16, 16, Some(TypeId(1)), None));
        }
        assert!(all.is_near(BASE + 8192) && !all.is_near(BASE));
        all.moved(BASE + 8192, BASE + 65_536, 8192);
        assert!(!all.is_near(BASE + 8192));
        let starts = |all: &Pieces| {
            all.list()
                .iter()
                .map(|p| p.addr as usize)
                .collect::<Vec<_>>()
        };
        assert_eq!(starts(&all), [BASE + 8, BASE + 65_544]);
        all.gone(BASE);
        assert_eq!(starts(&all), [BASE + 65_544]);
        all.moved(BASE + 65_536, BASE, 20);
        assert!(all.list().is_empty());
        all.go_to(BASE, BASE, BASE + 100);
        for at in [8, 40] {
            all.near()
                .0
                .put(Note::new(BASE + at, 16, 16, Some(TypeId(1)), None));
        }
        all.cut(BASE, BASE + 40);
        assert_eq!(starts(&all), [BASE + 8]);
    }
}
