//! How collectives that move data are done.

use super::copying::{across, along_edges, each, exchange_in_place, from_elsewhere, pull, spread};
use super::moves::Move;
use super::shapes::{root_side, DealShape, Pattern, SHARE_FROM};
use super::side::{read_elements, write_elements, Side};
use crate::meeting::all::All;
use crate::meeting::call::Call;
use crate::meeting::kind::{Algorithm, Brief, Kind};
use crate::remote::few::{Addressed, CallSignature, Few, Heard, Told};
use crate::remote::inline_collective::moved;
use crate::remote::kept::{Keep, Packed};
use crate::remote::members::Members;
use crate::remote::tree::Tree;
use crate::remote::zero_copy::RemoteProcess;
use crate::topo::neighbors::Neighbors;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::datatype::moving::Buf;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::wire::{Read, Reader, Writer};

/// Bytes of a broadcast that are copied to all before the next are.
const CHUNK: usize = 128 << 10;

impl Call for Move<'_> {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn root(&self) -> usize {
        match self.shape {
            DealShape::Intra => self.root,
            _ => 0,
        }
    }

    fn algorithm(all: &All<Self>, workers: usize) -> Result<Algorithm> {
        let first = all.get(0);
        match first.shape {
            DealShape::Intra => {}
            DealShape::Inter { low } if first.pattern() != Pattern::All => {
                return root_side(|i| all.get(i).root, all.len(), low, first.kind)
                    .map(|_| Algorithm::Last);
            }
            _ => return Ok(Algorithm::Last),
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
                return Ok(Algorithm::Last);
            }
        }
        if workers == 1 || first.pattern() == Pattern::ToRoot {
            return Ok(Algorithm::Last);
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
            Algorithm::Shares
        } else {
            Algorithm::Last
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
            DealShape::Intra => {}
            DealShape::Inter { low } => return each(all, 0..all.len(), |i| across(all, i, low)),
            DealShape::Neighbors(_) => return each(all, 0..all.len(), |i| along_edges(all, i)),
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
        self.inline_bytes().map(|(_, bytes)| Brief {
            kind: self.kind,
            what: [self.root, 0, 0],
            bytes,
        })
    }

    #[inline]
    unsafe fn give(&self, to: *mut u8) {
        if let (Side::One { .. }, Some((from, bytes))) = (&self.send, self.inline_bytes()) {
            // SAFETY: the caller's promise, and that of the collective's.
            unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) }
        }
    }

    unsafe fn combine(&self, parts: impl Fn(usize) -> (*const u8, usize), _: usize, to: *mut u8) {
        let bytes = self.inline_bytes().map_or(0, |t| t.1);
        // SAFETY: the caller's promise.
        unsafe { std::ptr::copy_nonoverlapping(parts(self.root).0, to, bytes) }
    }

    #[inline]
    unsafe fn take(&self, me: usize, from: *const u8) {
        if let Some((to, bytes)) = self.inline_bytes().filter(|_| me != self.root) {
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
    fn record(all: &All<Self>, here: &[usize], remote: &Members) -> Option<CallSignature> {
        moved::record(all, here, remote)
    }

    fn tell(all: &All<Self>, here: &[usize], to: &[usize], into: &mut Few) {
        moved::tell(all, here, to, into);
    }

    fn hear(all: &All<Self>, here: &[usize], heard: &Heard) {
        moved::hear(all, here, heard);
    }

    fn gather(all: &All<Self>, here: &[usize], _: &Tree, below: &[(u32, Told)]) -> Vec<u8> {
        moved::gather(all, here, below)
    }

    fn addressed(all: &All<Self>, here: &[usize]) -> Option<Addressed> {
        moved::addressed(all, here)
    }

    fn spread(all: &All<Self>, here: &[usize], result: &[u8]) {
        moved::spread(all, here, result);
    }

    fn export(&self, me: usize, to: &RemoteProcess, w: &mut Writer) {
        w.u64(self.root as u64);
        w.u8(self.send.in_place().into());
        if let DealShape::Neighbors(n) = self.shape {
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
            DealShape::Neighbors(_) => {
                let sources = r.list(Reader::i32)?;
                let dests = r.list(Reader::i32)?;
                let grid = r.u8()? != 0;
                DealShape::Neighbors(keep.neighbors(Neighbors {
                    sources,
                    dests,
                    grid,
                }))
            }
            DealShape::Intra => DealShape::Intra,
            DealShape::Inter { low } => DealShape::Inter { low },
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
