//! Collectives that move data: one rule for all of them.
//!
//! Member i's block for j receives what member j's block for i sends.  They differ only in which
//! pairs (i, j) take part and in how a call names its blocks.

use super::shapes::{DealShape, Pattern};
use super::side::Side;
use crate::meeting::kind::{Brief, Kind};
use crate::remote::kept::Packed;
use pc3_vmpi_objects::datatype::moving::Buf;

pub struct Move<'a> {
    pub kind: Kind,
    /// Between two groups: the root's rank in its own, at the root too.
    pub root: usize,
    pub send: Side<'a>,
    pub recv: Side<'a>,
    pub shape: DealShape<'a>,
}

impl Move<'_> {
    #[inline]
    pub fn pattern(&self) -> Pattern {
        match self.kind {
            Kind::Gather | Kind::Gatherv => Pattern::ToRoot,
            Kind::Bcast | Kind::Scatter | Kind::Scatterv => Pattern::FromRoot,
            _ => Pattern::All,
        }
    }

    #[inline]
    pub(crate) fn is_exchange(&self) -> bool {
        matches!(
            self.kind,
            Kind::Alltoall | Kind::Alltoallv | Kind::Alltoallw
        )
    }
}

impl Move<'_> {
    /// The bytes of a broadcast that are one block: where the caller has them or wants them.
    #[inline]
    pub fn plain(&self) -> Option<(*mut u8, usize)> {
        if self.kind != Kind::Bcast || !matches!(self.shape, DealShape::Intra) {
            return None;
        }
        let block = self.send.block(0).or_else(|| self.recv.block(0))?;
        let bytes = block.count.checked_mul(block.ty.size)?;
        let plain = block.ty.contiguous && !block.ty.is_packed();
        plain.then_some((block.ptr.wrapping_offset(block.ty.layout.at), bytes))
    }

    #[inline]
    pub(crate) fn inline_bytes(&self) -> Option<(*mut u8, usize)> {
        self.plain().filter(|(_, bytes)| *bytes <= Brief::MOST)
    }

    /// The blocks in which member `me` has received something; `None`: not known.
    pub(crate) fn received(&self, me: usize, members: usize) -> Option<Vec<Buf<'_>>> {
        let (within, peers) = match self.shape {
            DealShape::Intra => (true, members),
            // What is not received has no side here.
            DealShape::Inter { low } if me < low => (false, members - low),
            DealShape::Inter { low } => (false, low),
            DealShape::Neighbors(n) => (false, n.sources.len()),
        };
        let n = match (self.pattern(), &self.recv) {
            (Pattern::ToRoot, _) if within && me != self.root => 0,
            (Pattern::FromRoot, Side::One { .. })
                if within && me == self.root && self.kind == Kind::Bcast =>
            {
                0
            }
            (_, Side::None | Side::InPlace) => 0,
            (_, Side::One { .. }) => 1,
            (_, Side::Each { counts, .. } | Side::Typed { counts, .. }) => counts.len(),
            (_, Side::Blocks { .. }) => peers,
            (_, Side::Remote(_)) => return None,
        };
        Some((0..n).filter_map(|j| self.recv.block(j)).collect())
    }

    /// The blocks of member `me` that the members `to` take, by number.
    pub(crate) fn wanted(&self, me: usize, to: &[usize]) -> Vec<(usize, Buf<'_>)> {
        let numbers: Vec<usize> = match self.shape {
            DealShape::Intra => return self.wanted_within(me, to),
            DealShape::Inter { low } => {
                let other = to.iter().filter(|i| (**i < low) != (me < low));
                other.map(|i| if *i < low { *i } else { i - low }).collect()
            }
            DealShape::Neighbors(n) => {
                let there = |d: &i32| usize::try_from(*d).is_ok_and(|d| to.contains(&d));
                let edges = n.dests.iter().enumerate();
                edges.filter(|(_, d)| there(d)).map(|(k, _)| k).collect()
            }
        };
        let numbers = match self.send {
            Side::One { .. } if !numbers.is_empty() => vec![Packed::ANY],
            _ => numbers,
        };
        let block = |j| match j {
            Packed::ANY => self.send.block(0),
            j => self.send.block(j),
        };
        let found = |j: usize| Some((j, block(j)?));
        numbers.into_iter().filter_map(found).collect()
    }

    pub(crate) fn wanted_within(&self, me: usize, to: &[usize]) -> Vec<(usize, Buf<'_>)> {
        let in_place = self.send.in_place();
        let from = if in_place { &self.recv } else { &self.send };
        let wanted: Vec<usize> = match self.pattern() {
            Pattern::ToRoot => to.iter().copied().filter(|j| *j == self.root).collect(),
            Pattern::FromRoot if me != self.root => Vec::new(),
            _ => to.to_vec(),
        };
        let same = matches!(from, Side::One { .. }) || !self.is_exchange() && in_place;
        let wanted = match wanted.is_empty() {
            false if same => vec![Packed::ANY],
            _ => wanted,
        };
        // In place, what a member sends lies in its own block; in an exchange, where the other's will be.
        let block = |j: usize| match (in_place, self.is_exchange()) {
            (true, false) => from.block(me),
            _ if j == Packed::ANY => from.block(0),
            _ => from.block(j),
        };
        let found = |j: usize| Some((j, block(j)?));
        wanted.into_iter().filter_map(found).collect()
    }
}
