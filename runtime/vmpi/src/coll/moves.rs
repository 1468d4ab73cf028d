//! Collectives that move data: one rule for all of them.
//!
//! Member i's block for j receives what member j's block for i sends.  They differ only in which
//! pairs (i, j) take part and in how a call names its blocks.

use super::meeting::{All, Call, Kind, Plan};
use crate::datatype::moving::{copy, Buf};
use crate::datatype::TypeRef;
use crate::error::{fail, Class, Result};

/// The blocks that a call sends or receives.
pub enum Side<'a> {
    /// Not significant at this rank.
    None,
    InPlace,
    /// The same block whoever it is for.
    One {
        ptr: *mut u8,
        count: usize,
        ty: &'a TypeRef,
    },
    /// Equal blocks, one after another.
    Blocks {
        ptr: *mut u8,
        count: usize,
        ty: &'a TypeRef,
    },
    /// Blocks of their own counts, at displacements in extents.
    Each {
        ptr: *mut u8,
        counts: &'a [i32],
        displs: &'a [i32],
        ty: &'a TypeRef,
    },
    /// Blocks of their own types, at displacements in bytes.
    Typed {
        ptr: *mut u8,
        counts: &'a [i32],
        displs: &'a [i32],
        types: &'a [TypeRef],
    },
}

impl Side<'_> {
    fn block(&self, j: usize) -> Option<Buf<'_>> {
        Some(match *self {
            Side::None | Side::InPlace => return None,
            Side::One { ptr, count, ty } => Buf { ptr, count, ty },
            Side::Blocks { ptr, count, ty } => {
                let at = ty
                    .extent
                    .wrapping_mul(count as isize)
                    .wrapping_mul(j as isize);
                Buf {
                    ptr: ptr.wrapping_offset(at),
                    count,
                    ty,
                }
            }
            Side::Each {
                ptr,
                counts,
                displs,
                ty,
            } => {
                let at = ty.extent.wrapping_mul(displs[j] as isize);
                Buf {
                    ptr: ptr.wrapping_offset(at),
                    count: counts[j] as usize,
                    ty,
                }
            }
            Side::Typed {
                ptr,
                counts,
                displs,
                types,
            } => Buf {
                ptr: ptr.wrapping_offset(displs[j] as isize),
                count: counts[j] as usize,
                ty: &types[j],
            },
        })
    }

    fn in_place(&self) -> bool {
        matches!(self, Side::InPlace)
    }
}

/// Which pairs take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pattern {
    /// Only the root receives.
    ToRoot,
    /// Only the root sends.
    FromRoot,
    All,
}

pub struct Move<'a> {
    pub kind: Kind,
    pub root: usize,
    pub send: Side<'a>,
    pub recv: Side<'a>,
}

/// Below this many bytes in all, waking members to do their shares costs more than it gains.
pub(super) const SHARE_FROM: usize = 1 << 16;

impl Move<'_> {
    fn pattern(&self) -> Pattern {
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
        self.root
    }

    fn plan(all: &All<Self>, workers: usize) -> Result<Plan> {
        let first = all.get(0);
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

    fn whole(all: &All<Self>) {
        let first = all.get(0);
        if first.is_exchange() && first.send.in_place() {
            return exchange_in_place(all);
        }
        let rest = if matches!(first.kind, Kind::Allgather | Kind::Allgatherv) {
            spread(all)
        } else {
            0
        };
        for i in rest..all.len() {
            if let Err(e) = Self::share(all, i) {
                all.fail(i, e);
            }
        }
    }
}

/// Member `i` takes its block from member `j`.
fn pull(all: &All<Move>, i: usize, j: usize) -> Result<()> {
    let (to, from) = (all.get(i), all.get(j));
    let Some(dst) = to.recv.block(j) else {
        return Ok(());
    };
    let src = match &from.send {
        // The data already lie where they belong in the sender's receive buffer.
        Side::InPlace if i == j => return Ok(()),
        Side::InPlace => from.recv.block(j),
        side => side.block(i),
    };
    let Some(src) = src else { return Ok(()) };
    let converting = src.ty.is_packed() != dst.ty.is_packed();
    if src.bytes() != dst.bytes() && !converting {
        let class = if src.bytes() > dst.bytes() {
            Class::ERR_TRUNCATE
        } else {
            Class::ERR_COUNT
        };
        let (name, sent, room) = (to.kind.name(), src.bytes(), dst.bytes());
        return fail(
            class,
            format!("{name}: rank {j} sends {sent} bytes where rank {i} receives {room}"),
        );
    }
    // SAFETY: the callers of the collective vouch for their buffers and wait.
    unsafe { copy(src, dst) }.map(drop)
}

/// Allgather into plain memory: gather once, copy the result to everyone.  Returns how many
/// members have been served.
fn spread(all: &All<Move>) -> usize {
    let plain = |c: &Move| match &c.recv {
        Side::Blocks { ptr, count, ty } if ty.contiguous && !c.send.in_place() => {
            Some((ptr.wrapping_offset(ty.layout.at), count * ty.size))
        }
        _ => None,
    };
    let n = all.len();
    let Some((first, block)) = plain(all.get(0)) else {
        return 0;
    };
    if block > 4096
        || !all
            .iter()
            .all(|c| plain(c).is_some_and(|(_, b)| b == block))
    {
        return 0;
    }
    if let Err(e) = Move::share(all, 0) {
        (0..n).for_each(|i| all.fail(i, e.clone()));
        return n;
    }
    for i in 1..n {
        if let Some((ptr, _)) = plain(all.get(i)) {
            // SAFETY: receive buffers of n blocks each, of different members.
            unsafe { std::ptr::copy(first, ptr, n * block) };
        }
    }
    n
}

fn exchange_in_place(all: &All<Move>) {
    for i in 0..all.len() {
        for j in 0..i {
            let (Some(a), Some(b)) = (all.get(i).recv.block(j), all.get(j).recv.block(i)) else {
                continue;
            };
            if a.bytes() != b.bytes() {
                let e = fail::<()>(
                    Class::ERR_TRUNCATE,
                    format!(
                        "rank {j} exchanges {} bytes with {} of rank {i}",
                        b.bytes(),
                        a.bytes()
                    ),
                );
                if let Err(e) = e {
                    all.fail(i, e.clone());
                    all.fail(j, e);
                }
                continue;
            }
            // SAFETY: as in `pull`; the vectors hold exactly the elements.
            unsafe {
                let (x, y) = (a.ty.pack_vec(a.ptr, a.count), b.ty.pack_vec(b.ptr, b.count));
                a.ty.unpack(y.as_ptr(), y.len(), a.ptr, a.count);
                b.ty.unpack(x.as_ptr(), x.len(), b.ptr, b.count);
            }
        }
    }
}
