//! Collectives that move data: one rule for all of them.
//!
//! Member i's block for j receives what member j's block for i sends.  They differ only in which
//! pairs (i, j) take part and in how a call names its blocks.

use crate::topo::neighbors::Neighbors;

use super::copying::{across, along_edges, each, exchange_in_place, from_elsewhere, pull, spread};
use super::inline_collective::{moved, Few, Heard, Record};
use super::meeting::{All, Brief, Call, Kind, Plan};
use super::remote::{Keep, Packed};
use super::side::{read_elements, write_elements, Side};
use super::zero_copy::To;
use crate::state::World;
use pc3_vmpi_objects::datatype::moving::Buf;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::wire::{Read, Reader, Writer};

/// Who deals with whom.
#[derive(Clone, Copy)]
pub enum Shape<'a> {
    /// Everybody with everybody, as the kind of the call says.
    Intra,
    /// Members below `low` with the others.
    Inter { low: usize },
    /// Along the edges of a topology: where from, and where to.
    Neighbors(&'a Neighbors),
}

/// `root` of members of an inter-communicator that take no part.
pub const NOBODY: usize = usize::MAX;

/// Which pairs take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pattern {
    /// Only the root receives.
    ToRoot,
    /// Only the root sends.
    FromRoot,
    All,
}

pub struct Move<'a> {
    pub kind: Kind,
    /// Between two groups: the root's rank in its own, at the root too.
    pub root: usize,
    pub send: Side<'a>,
    pub recv: Side<'a>,
    pub shape: Shape<'a>,
}

/// Bytes of a broadcast that are copied to all before the next are.
const CHUNK: usize = 128 << 10;

/// Below this many bytes in all, sharing the work costs more than it gains.
pub(super) const SHARE_FROM: usize = 1 << 16;

impl Move<'_> {
    pub(super) fn pattern(&self) -> Pattern {
        match self.kind {
            Kind::Gather | Kind::Gatherv => Pattern::ToRoot,
            Kind::Bcast | Kind::Scatter | Kind::Scatterv => Pattern::FromRoot,
            _ => Pattern::All,
        }
    }

    fn is_exchange(&self) -> bool {
        matches!(
            self.kind,
            Kind::Alltoall | Kind::Alltoallv | Kind::Alltoallw
        )
    }
}

impl Call for Move<'_> {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn root(&self) -> usize {
        match self.shape {
            Shape::Intra => self.root,
            _ => 0,
        }
    }

    fn plan(all: &All<Self>, workers: usize) -> Result<Plan> {
        let first = all.get(0);
        match first.shape {
            Shape::Intra => {}
            Shape::Inter { low } if first.pattern() != Pattern::All => {
                return root_side(|i| all.get(i).root, all.len(), low, first.kind)
                    .map(|_| Plan::Last);
            }
            _ => return Ok(Plan::Last),
        }
        if first.is_exchange() {
            let count = all.iter().filter(|c| c.send.in_place()).count();
            if count != 0 && count != all.len() {
                return fail(
                    Class::ERR_BUFFER,
                    "MPI_IN_PLACE must be given by all members or by none",
                );
            }
            if count != 0 {
                return Ok(Plan::Last);
            }
        }
        if workers == 1 || first.pattern() == Pattern::ToRoot {
            return Ok(Plan::Last);
        }
        let sender = if first.pattern() == Pattern::FromRoot {
            first.root
        } else {
            0
        };
        let block = all.get(sender).send.block(sender).map_or(0, |b| b.bytes());
        let pairs = if first.pattern() == Pattern::All {
            all.len() * all.len()
        } else {
            all.len()
        };
        Ok(if block.saturating_mul(pairs) >= SHARE_FROM {
            Plan::Shares
        } else {
            Plan::Last
        })
    }

    fn share(all: &All<Self>, i: usize) -> Result<()> {
        let me = all.get(i);
        match me.pattern() {
            Pattern::ToRoot if i != me.root => Ok(()),
            Pattern::FromRoot => pull(all, i, me.root),
            _ => (0..all.len()).try_for_each(|j| pull(all, i, j)),
        }
    }

    fn whole(all: &All<Self>, _: usize) {
        let first = all.get(0);
        match first.shape {
            Shape::Intra => {}
            Shape::Inter { low } => return each(all, 0..all.len(), |i| across(all, i, low)),
            Shape::Neighbors(_) => return each(all, 0..all.len(), |i| along_edges(all, i)),
        }
        if first.is_exchange() && first.send.in_place() {
            return exchange_in_place(all);
        }
        let rest = if matches!(first.kind, Kind::Allgather | Kind::Allgatherv) {
            spread(all)
        } else {
            0
        };
        Self::shares(all, rest..all.len());
    }

    fn shares(all: &All<Self>, members: impl Iterator<Item = usize> + Clone) {
        let root = all.get(0).root;
        let source = match all.get(root).send {
            Side::Remote(_) => from_elsewhere(all, members.clone(), root),
            _ => Some(root),
        };
        let plain = |i: usize| all.get(i).plain();
        let remote = source != Some(root);
        let long = source.and_then(plain).filter(|p| remote || p.1 > CHUNK);
        let done = |i: &usize| match long {
            // What is sent stays in the cache while it is copied to all.
            Some((_, bytes)) => Some(*i) == source || plain(*i).is_some_and(|p| p.1 == bytes),
            None => false,
        };
        if let Some((from, bytes)) = long {
            for at in (0..bytes).step_by(CHUNK) {
                for i in members.clone().filter(|i| Some(*i) != source && done(i)) {
                    if let Some((to, _)) = all.get(i).plain() {
                        let n = CHUNK.min(bytes - at);
                        // SAFETY: the callers of the collective vouch for their buffers and wait.
                        unsafe { std::ptr::copy(from.add(at), to.add(at), n) }
                    }
                }
            }
        }
        each(all, members.filter(|i| !done(i)), |i| Self::share(all, i));
    }

    #[inline]
    fn brief(&self) -> Option<Brief> {
        self.told().map(|(_, bytes)| Brief {
            kind: self.kind,
            what: [self.root, 0, 0],
            bytes,
        })
    }

    #[inline]
    unsafe fn give(&self, to: *mut u8) {
        if let (Side::One { .. }, Some((from, bytes))) = (&self.send, self.told()) {
            // SAFETY: the caller's promise, and that of the collective's.
            unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) }
        }
    }

    unsafe fn combine(&self, parts: impl Fn(usize) -> (*const u8, usize), _: usize, to: *mut u8) {
        let bytes = self.told().map_or(0, |t| t.1);
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(parts(self.root).0, to, bytes) }
    }

    #[inline]
    unsafe fn take(&self, me: usize, from: *const u8) {
        if let Some((to, bytes)) = self.told().filter(|_| me != self.root) {
            // SAFETY: the caller's promise, and that of the collective's.
            unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) }
        }
    }

    fn result(&self, me: usize, members: usize, w: &mut Writer) -> bool {
        let Some(blocks) = self.received(me, members) else {
            return false;
        };
        // SAFETY: the caller's own buffer, which holds the result.
        let write = |b: &Buf| unsafe { write_elements(w, b.ptr, b.count, b.ty) };
        blocks.iter().all(write)
    }

    fn put_result(&self, me: usize, members: usize, r: &mut Reader, world: &World) -> Read<()> {
        let blocks = self.received(me, members).unwrap_or_default();
        // SAFETY: the caller's own buffer.
        let mut read = |b: &Buf| unsafe { read_elements(r, (b.ptr, b.count, b.ty), world) };
        blocks.iter().try_for_each(&mut read)
    }

    const APART: bool = true;
    const TYPED: bool = false;
    const EACH: bool = true;

    fn record(all: &All<Self>, here: &[usize], most: usize) -> Option<Record> {
        moved::record(all, here, most)
    }

    fn tell(all: &All<Self>, here: &[usize], to: &[usize], into: &mut Few) {
        moved::tell(all, here, to, into);
    }

    fn hear(all: &All<Self>, here: &[usize], heard: &Heard) -> bool {
        moved::hear(all, here, heard)
    }

    fn spell(
        record: Record,
        between: (&[usize], &[usize]),
        given: &[u8],
        w: &mut Writer,
    ) -> Read<()> {
        moved::spell(record, between, given, w)
    }

    fn export(&self, me: usize, to: &To, w: &mut Writer) {
        w.u64(self.root as u64);
        w.u8(self.send.in_place().into());
        if let Shape::Neighbors(n) = self.shape {
            w.list(n.sources.iter(), |w, s| w.i32(*s));
            w.list(n.dests.iter(), |w, d| w.i32(*d));
            w.u8(n.grid.into());
        }
        let blocks = self.wanted(me, to.members);
        // In place, what is exchanged is overwritten by what comes for it.
        let stays = !(self.send.in_place() && self.is_exchange());
        w.list(blocks.iter(), |w, (j, b)| {
            // SAFETY: the caller of the collective vouches for its buffers and waits.
            unsafe { Packed::write(w, *j, b, to, stays) }
        });
    }

    fn import(
        r: &mut Reader,
        _: usize,
        here: &[usize],
        like: &Self,
        keep: &mut Keep<Self>,
    ) -> Read<Self> {
        let root = r.u64()? as usize;
        let in_place = r.u8()? != 0;
        let shape = match like.shape {
            Shape::Neighbors(_) => {
                let sources = r.list(Reader::i32)?;
                let dests = r.list(Reader::i32)?;
                let grid = r.u8()? != 0;
                Shape::Neighbors(keep.neighbors(Neighbors {
                    sources,
                    dests,
                    grid,
                }))
            }
            Shape::Intra => Shape::Intra,
            Shape::Inter { low } => Shape::Inter { low },
        };
        let memory = keep.lender;
        let mut blocks = r.list(|r| Packed::read(r, memory))?;
        // What all want is fetched once; a broadcast goes on from the first who has it.
        if here.len() > 1 && like.kind != Kind::Bcast {
            blocks.iter_mut().try_for_each(Packed::fetch_for_all)?;
        }
        let blocks = Side::Remote(keep.blocks(blocks));
        let (send, recv) = if in_place && like.is_exchange() {
            (Side::InPlace, blocks)
        } else {
            (blocks, Side::None)
        };
        Ok(Move {
            kind: like.kind,
            root,
            send,
            recv,
            shape,
        })
    }
}

impl Move<'_> {
    /// The bytes of a broadcast that are one block: where the caller has them or wants them.
    #[inline]
    pub(super) fn plain(&self) -> Option<(*mut u8, usize)> {
        if self.kind != Kind::Bcast || !matches!(self.shape, Shape::Intra) {
            return None;
        }
        let block = self.send.block(0).or_else(|| self.recv.block(0))?;
        let bytes = block.count.checked_mul(block.ty.size)?;
        let plain = block.ty.contiguous && !block.ty.is_packed();
        plain.then_some((block.ptr.wrapping_offset(block.ty.layout.at), bytes))
    }

    #[inline]
    fn told(&self) -> Option<(*mut u8, usize)> {
        self.plain().filter(|(_, bytes)| *bytes <= Brief::MOST)
    }

    /// The blocks in which member `me` has received something; `None`: not known.
    fn received(&self, me: usize, members: usize) -> Option<Vec<Buf<'_>>> {
        let (within, peers) = match self.shape {
            Shape::Intra => (true, members),
            // What is not received has no side here.
            Shape::Inter { low } if me < low => (false, members - low),
            Shape::Inter { low } => (false, low),
            Shape::Neighbors(n) => (false, n.sources.len()),
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
    fn wanted(&self, me: usize, to: &[usize]) -> Vec<(usize, Buf<'_>)> {
        let numbers: Vec<usize> = match self.shape {
            Shape::Intra => return self.wanted_within(me, to),
            Shape::Inter { low } => {
                let other = to.iter().filter(|i| (**i < low) != (me < low));
                other.map(|i| if *i < low { *i } else { i - low }).collect()
            }
            Shape::Neighbors(n) => {
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

    fn wanted_within(&self, me: usize, to: &[usize]) -> Vec<(usize, Buf<'_>)> {
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

/// Which side of an inter-communicator has the root (true: the first); one there is, and the other
/// side names it.
pub(super) fn root_side(
    root: impl Fn(usize) -> usize,
    n: usize,
    low: usize,
    kind: Kind,
) -> Result<bool> {
    // The root names itself and the others of its side nobody; all of the other side name it.
    let names = |mut side: std::ops::Range<usize>, r| side.all(|i| root(i) == r);
    let is_root_side = |side: std::ops::Range<usize>, other: std::ops::Range<usize>| {
        let (start, mut named) = (side.start, side.clone().filter(|i| root(*i) != NOBODY));
        match (named.next(), named.next()) {
            (Some(i), None) => root(i) == i - start && names(other, root(i)),
            _ => false,
        }
    };
    match (is_root_side(0..low, low..n), is_root_side(low..n, 0..low)) {
        (true, false) => Ok(true),
        (false, true) => Ok(false),
        // With one member on each side both look alike.
        (true, true) => Ok(true),
        (false, false) => fail(
            Class::ERR_ROOT,
            format!("{}: the two groups do not agree on one root", kind.name()),
        ),
    }
}
