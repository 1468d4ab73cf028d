//! What requests that are no messages keep in a checkpoint: collectives that wait for members who
//! have not started them yet, persistent collectives, generalised requests.
//!
//! ```text
//! parts     = [ready:u8]
//! general   = query:u64 free:u64 cancel:u64 state:u64
//! posted    = kind:str id:u32 group seat:u64 place:u64 times:u64 work
//! work      = 0:u8 | 1:u8 root:u64 side side shape | 2:u8 reduction | 3:u8 handle:u64
//! side      = form:u8 [addr:u64 (count:u64 | [count:u64] [displ:i64])]
//! reduction = root:u64 send:u64 recv:u64 count:u64 [count:u64] handle:u64
//!             op (0:u8 handle:u64 | 1:u8 function:u64 commutes:u8) shape contributes:u8
//! shape     = 0:u8 | 1:u8 low:u64 | 2:u8 [source:i32] [dest:i32] grid:u8
//! ```
//! Their datatypes go with those of the requests, in the order of the sides.

use pc3_runtime::transfer::{LoadCtx, SaveCtx, Target};
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_coll::topo::neighbors::Neighbors;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::sync::Arc;

use crate::saved;
use crate::saved::function;
use pc3_vmpi_coll::meeting::posted::{KeptReduction, KeptShape, Posted, Work};
use pc3_vmpi_coll::meeting::{Kind, Registry};
use pc3_vmpi_coll::work::shapes::NOBODY;
use pc3_vmpi_coll::work::side::KeptSide;
use pc3_vmpi_core::mail::request::{Extra, General, Parts};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::datatype::saved::rebuilt::RebuiltType;
use pc3_vmpi_objects::datatype::TypeRef;
use pc3_vmpi_objects::op::{Op, Predef, UserOp};
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};

/// Without `ctx` buffers are not told.
pub fn write(w: &mut Writer, extra: &Extra, over: bool, ctx: Option<&SaveCtx>) {
    match extra {
        Extra::General(g) => {
            for a in [g.query, g.free, g.cancel, g.state] {
                w.size(a);
            }
        }
        Extra::Parts(parts) => {
            w.list(parts.ready.borrow().iter(), |w, is| w.u8((*is).into()));
        }
        Extra::Coll(c) => {
            let Some(p) = c.any().downcast_ref::<Posted>() else {
                return;
            };
            w.str(p.kind.name());
            w.u32(p.id);
            saved::group(w, &p.all);
            w.size(p.seat);
            w.u64(p.place);
            w.u64(p.times.get());
            match &p.work {
                // Buffers of a complete call may be gone.
                _ if over => w.u8(0),
                Work::Gate => w.u8(0),
                Work::Move {
                    root,
                    send,
                    recv,
                    shape,
                } => {
                    w.u8(1);
                    write_root(w, *root);
                    write_side(w, send, ctx);
                    write_side(w, recv, ctx);
                    write_shape(w, shape);
                }
                Work::Reduce(r) => {
                    w.u8(2);
                    reduction(w, r, ctx);
                }
                Work::Dup { handle, .. } => {
                    w.u8(3);
                    w.size(*handle);
                }
            }
        }
    }
}

/// The datatypes that [`write`] refers to.
pub fn types(extra: &Extra, over: bool) -> Vec<&TypeRef> {
    match extra {
        Extra::Coll(c) if !over => {
            let p = c.any().downcast_ref();
            p.map_or_else(Vec::new, Posted::types)
        }
        _ => Vec::new(),
    }
}

/// `usize::MAX` is another number elsewhere.
fn write_root(w: &mut Writer, root: usize) {
    w.u64(if root == NOBODY {
        u64::MAX
    } else {
        root as u64
    });
}

fn read_root(r: &mut Reader) -> Read<usize> {
    match r.u64()? {
        u64::MAX => Ok(NOBODY),
        n => usize::try_from(n).or_else(|_| bad("a root")),
    }
}

/// A buffer of the program's.
fn at(ctx: Option<&SaveCtx>, p: *const u8) -> u64 {
    ctx.map_or(0, |ctx| ctx.address(p))
}

fn write_side(w: &mut Writer, side: &KeptSide, ctx: Option<&SaveCtx>) {
    let ints = |w: &mut Writer, v: &[isize]| w.list(v.iter(), |w, n| w.disp(*n));
    match side {
        KeptSide::None => w.u8(0),
        KeptSide::InPlace => w.u8(1),
        KeptSide::One { ptr, count, .. } => {
            w.u8(2);
            w.u64(at(ctx, *ptr));
            w.size(*count);
        }
        KeptSide::Blocks { ptr, count, .. } => {
            w.u8(3);
            w.u64(at(ctx, *ptr));
            w.size(*count);
        }
        KeptSide::Each {
            ptr,
            counts,
            displs,
            ..
        } => {
            w.u8(4);
            w.u64(at(ctx, *ptr));
            ints(w, counts);
            ints(w, displs);
        }
        KeptSide::Typed {
            ptr,
            counts,
            displs,
            ..
        } => {
            w.u8(5);
            w.u64(at(ctx, *ptr));
            ints(w, counts);
            ints(w, displs);
        }
    }
}

fn write_shape(w: &mut Writer, shape: &KeptShape) {
    match shape {
        KeptShape::Intra => w.u8(0),
        KeptShape::Inter { low } => {
            w.u8(1);
            w.size(*low);
        }
        KeptShape::Neighbors(n) => {
            w.u8(2);
            w.list(n.sources.iter(), |w, r| w.i32(*r));
            w.list(n.dests.iter(), |w, r| w.i32(*r));
            w.u8(n.grid.into());
        }
    }
}

fn reduction(w: &mut Writer, r: &KeptReduction, ctx: Option<&SaveCtx>) {
    write_root(w, r.root);
    w.u64(at(ctx, r.send));
    w.u64(at(ctx, r.recv));
    w.size(r.count);
    w.list(r.counts.iter(), |w, n| w.disp(*n));
    w.size(r.handle);
    match r.op {
        Op::Predef(p) => {
            w.u8(0);
            w.size(p as usize);
        }
        Op::User(u) => {
            w.u8(1);
            w.size(u.func);
            w.u8(u.traits());
        }
    }
    write_shape(w, &r.shape);
    w.u8(r.contributes.into());
}

pub(crate) fn read_parts(r: &mut Reader) -> Read<Parts> {
    let ready = r.list(|r| Ok(r.u8()? != 0))?;
    Ok(Parts {
        ready: RefCell::new(ready.into()),
    })
}

/// Reads back; `types` are those of [`types`], from the first one not yet taken.
pub(crate) fn read_general(r: &mut Reader, ctx: &dyn LoadCtx) -> Read<General> {
    Ok(General {
        query: function(r, ctx)?,
        free: function(r, ctx)?,
        cancel: function(r, ctx)?,
        state: saved::value(r, ctx)?,
    })
}

pub fn read(
    r: &mut Reader,
    me: &RankState,
    ctx: &dyn LoadCtx,
    types: &mut impl Iterator<Item = RebuiltType>,
) -> Read<Posted> {
    let name = r.str()?;
    let Some(kind) = Kind::by_name(&name) else {
        return bad("an unknown collective");
    };
    let id = r.u32()?;
    let all = saved::read_group(me.objects(), r)?;
    let seat = r.size()?;
    if all.world_rank(seat) != Some(me.rank) {
        return bad("a collective of others");
    }
    let (place, times) = (r.u64()?, r.u64()?);
    let o = me.objects();
    let found = [&o.world, &o.self_]
        .into_iter()
        .chain(o.comms.iter().map(|(_, c)| &**c))
        .find(|c| c.id == id);
    let meeting = match found {
        Some(c) => c.meeting.clone(),
        // The communicator's handle is gone.
        None => o.meetings.inner.find(id, Registry::WHOLE, &all),
    };
    if meeting.size() != all.size() {
        return bad("a collective's members");
    }
    let work = match r.u8()? {
        0 => Work::Gate,
        1 => Work::Move {
            root: read_root(r)?,
            send: read_side(r, me, ctx, types)?,
            recv: read_side(r, me, ctx, types)?,
            shape: read_shape(r)?,
        },
        2 => Work::Reduce(read_reduction(r, me, ctx, types)?),
        3 => Work::Dup {
            handle: r.size()?,
            made: Cell::new(None),
        },
        _ => return bad("an unknown collective"),
    };
    Ok(Posted {
        kind,
        work,
        id,
        all,
        seat,
        meeting,
        place,
        times: Cell::new(times),
        error: UnsafeCell::new(None),
    })
}

fn next(types: &mut impl Iterator<Item = RebuiltType>) -> Read<RebuiltType> {
    types
        .next()
        .map_or_else(|| bad("the datatype of a collective"), Ok)
}

/// The address of a buffer, if anything is in it.
fn buffer(me: &RankState, source: u64, bytes: usize, ctx: &dyn LoadCtx) -> Read<*mut u8> {
    match ctx.pointer(source) {
        Target::At(p) => Ok(p),
        Target::Null => Ok(std::ptr::null_mut()),
        Target::Dangling if bytes == 0 => Ok(std::ptr::null_mut()),
        Target::Dangling => bad(&format!(
            "rank {}: a buffer of a pending collective is no object of the program any more",
            me.rank
        )),
    }
}

fn read_side(
    r: &mut Reader,
    me: &RankState,
    ctx: &dyn LoadCtx,
    types: &mut impl Iterator<Item = RebuiltType>,
) -> Read<KeptSide> {
    let ints = |r: &mut Reader| -> Read<Box<[isize]>> {
        let list = r.list(Reader::disp)?;
        list.into_iter()
            .map(|n| isize::try_from(n).or_else(|_| bad("a count does not fit this machine")))
            .collect()
    };
    let form = r.u8()?;
    if form < 2 {
        return Ok(if form == 0 {
            KeptSide::None
        } else {
            KeptSide::InPlace
        });
    }
    let source = r.u64()?;
    if form < 4 {
        let (count, again) = (r.size()?, next(types)?);
        let count = again.count(count, false, ctx)?;
        let ty = again.ty;
        let ptr = buffer(me, source, count.saturating_mul(ty.size), ctx)?;
        return Ok(if form == 2 {
            KeptSide::One { ptr, count, ty }
        } else {
            KeptSide::Blocks { ptr, count, ty }
        });
    }
    let (mut counts, mut displs) = (ints(r)?, ints(r)?);
    if counts.len() != displs.len() || counts.iter().any(|n| *n < 0) {
        return bad("the blocks of a collective");
    }
    let filled = counts.iter().any(|n| *n != 0);
    if form == 4 {
        let again = next(types)?;
        for n in counts.iter_mut().chain(&mut displs) {
            let many = again.count(n.unsigned_abs(), false, ctx)? as isize;
            *n = many * n.signum();
        }
        let ty = again.ty;
        let ptr = buffer(me, source, ty.size * usize::from(filled), ctx)?;
        return Ok(KeptSide::Each {
            ptr,
            counts,
            displs,
            ty,
        });
    }
    let types: Box<[TypeRef]> = (0..counts.len())
        .map(|_| Ok(next(types)?.ty))
        .collect::<Read<_>>()?;
    // The start may lie outside: displacements in bytes are addresses.
    let ptr = match ctx.pointer(source) {
        Target::At(p) => p,
        _ => std::ptr::null_mut(),
    };
    for ((d, n), ty) in displs.iter_mut().zip(&counts).zip(&types) {
        if *n != 0 && ty.size != 0 {
            let at = buffer(me, source.wrapping_add(*d as i64 as u64), 1, ctx)?;
            *d = (at as isize).wrapping_sub(ptr as isize);
        }
    }
    Ok(KeptSide::Typed {
        ptr,
        counts,
        displs,
        types,
    })
}

fn read_shape(r: &mut Reader) -> Read<KeptShape> {
    Ok(match r.u8()? {
        0 => KeptShape::Intra,
        1 => KeptShape::Inter { low: r.size()? },
        2 => KeptShape::Neighbors(Arc::new(Neighbors {
            sources: r.list(Reader::i32)?,
            dests: r.list(Reader::i32)?,
            grid: r.u8()? != 0,
        })),
        _ => return bad("an unknown shape of a collective"),
    })
}

fn read_reduction(
    r: &mut Reader,
    me: &RankState,
    ctx: &dyn LoadCtx,
    types: &mut impl Iterator<Item = RebuiltType>,
) -> Read<KeptReduction> {
    let root = read_root(r)?;
    let (send, recv) = (r.u64()?, r.u64()?);
    let count = r.size()?;
    let counts = r
        .list(Reader::disp)?
        .into_iter()
        .map(|n| isize::try_from(n).or_else(|_| bad("a count does not fit this machine")))
        .collect::<Read<_>>()?;
    let handle = r.size()?;
    let op = match r.u8()? {
        0 => match Predef::from_handle(r.size()?) {
            Some(p) => Op::Predef(p),
            None => return bad("an unknown operation"),
        },
        _ => Op::User(UserOp::with_traits(function(r, ctx)?, r.u8()?)),
    };
    let shape = read_shape(r)?;
    let contributes = r.u8()? != 0;
    let ty = next(types)?.ty;
    let bytes = count.saturating_mul(ty.size);
    let kernel = match op {
        Op::Predef(p) => Some(
            p.kernel(&ty)
                .or_else(|_| bad("an operation on a datatype"))?,
        ),
        Op::User(_) => None,
    };
    Ok(KeptReduction {
        root,
        send: buffer(me, send, bytes, ctx)?,
        recv: buffer(me, recv, bytes, ctx)?,
        count,
        counts,
        ty,
        handle,
        op,
        kernel,
        shape,
        contributes,
    })
}
