//! One rank's MPI objects in a checkpoint.
//!
//! Everything that handles stand for, by handle: handles keep their values.  Addresses (functions
//! of the program, attribute values) are written as they are and translated when they are read.

use pc3_runtime::transfer::{LoadCtx, Target};
use pc3_vmpi_coll::comm::{Comm, Remote, SELF_ID, WORLD_ID};
use pc3_vmpi_coll::handles::Objects;
use pc3_vmpi_coll::meeting::Registry;
use pc3_vmpi_coll::topo::cart::Cart;
use pc3_vmpi_coll::topo::dist::Dist;
use pc3_vmpi_coll::topo::graph::Graph;
use pc3_vmpi_coll::topo::Topology;
use pc3_vmpi_objects::attr::{Attributes, Keyval, On};
use pc3_vmpi_objects::datatype::saved::log::Log;
use pc3_vmpi_objects::datatype::saved::rebuilt::{Rebuilt, RebuiltType};
use pc3_vmpi_objects::datatype::{by_handle, TypeObject, TypeRef};
use pc3_vmpi_objects::errhandler::UserHandler;
use pc3_vmpi_objects::group::{Group, GroupRef};
use pc3_vmpi_objects::handle::abi;
use pc3_vmpi_objects::info::Info;
use pc3_vmpi_objects::op::UserOp;
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;

/// The rank's objects as bytes.  `pending`: datatypes that unfinished operations use; `load`
/// gives them back in the same order.
pub fn save<'a>(o: &Objects, pending: impl Iterator<Item = &'a TypeRef>) -> Vec<u8> {
    let mut w = Writer::default();
    let mut log = Log::default();
    let pending: Vec<u64> = pending.map(|t| log.add(t)).collect();
    let types: Vec<(usize, u64, &TypeObject)> = o
        .types
        .iter()
        .map(|(h, t)| (h, log.add(&t.ty), t))
        .collect();
    log.save(&mut w);
    w.list(pending.into_iter(), |w, n| w.u64(n));
    w.list(types.into_iter(), |w, (h, n, t)| {
        w.size(h);
        w.u64(n);
        w.u8(t.committed.into());
        type_extras(w, t);
    });
    w.list(o.predefined.iter(), |w, (h, t)| {
        w.size(*h);
        type_extras(w, t);
    });
    w.u32(o.next_id);
    comm(&mut w, &o.world);
    comm(&mut w, &o.self_);
    w.list(all(o.comms.iter()), |w, (h, c)| {
        w.size(h);
        group(w, &c.group);
        w.u32(c.id);
        comm(w, c);
    });
    w.list(all(o.groups.iter()), |w, (h, g)| {
        w.size(h);
        group(w, g);
    });
    w.list(all(o.ops.iter()), |w, (h, op)| {
        w.size(h);
        w.size(op.func);
        w.u8(op.traits());
    });
    w.list(all(o.errhandlers.0.iter()), |w, (h, e)| {
        w.size(h);
        w.size(e.func);
        w.size(e.refs);
    });
    w.i32(o.keyvals.next);
    w.list(o.keyvals.live.iter(), |w, (id, k)| {
        w.i32(*id);
        w.u8(on(k.on));
        for v in [k.copy, k.delete, k.extra_state, k.uses] {
            w.size(v);
        }
        w.u8(k.freed.into());
    });
    w.list(all(o.infos.iter()), |w, (h, i)| {
        w.size(h);
        w.list(i.pairs.iter(), |w, (k, v)| (w.str(k), w.str(v)).0);
    });
    w.list(o.codes.list.iter(), |w, (class, text)| {
        (w.i32(*class), w.str(text)).0
    });
    w.list(o.addresses.recent.iter(), |w, a| w.size(*a));
    w.0
}

/// What was added since the first format: of each communicator the non-blocking collectives started
/// on it, and its other side.
pub fn save_more(o: &Objects, w: &mut Writer) {
    let fixed = [(abi::COMM_WORLD, &o.world), (abi::COMM_SELF, &o.self_)];
    let comms = all(fixed
        .into_iter()
        .chain(o.comms.iter().map(|(h, c)| (h, &**c))));
    w.list(comms, |w, (h, c)| {
        w.size(h);
        w.u64(c.rounds.load(Relaxed));
        w.u8(c.remote.is_some().into());
        if let Some(r) = &c.remote {
            group(w, &r.group);
        }
    });
}

pub fn load_more(o: &mut Objects, r: &mut Reader) -> Read<()> {
    let list = r.list(|r| {
        let (h, rounds) = (r.size()?, r.u64()?);
        let remote = match r.u8()? {
            0 => None,
            _ => Some(read_group(o, r)?),
        };
        Ok((h, rounds, remote))
    })?;
    let meetings = o.meetings.clone();
    for (h, rounds, remote) in list {
        let Ok(c) = o.comm_mut(h) else {
            return bad("a communicator's handle");
        };
        c.rounds.store(rounds, Relaxed);
        if let Some(group) = remote {
            let remote = Remote::new(&c.group, group);
            c.meeting = meetings.inner.find(c.id, Registry::WHOLE, &remote.all);
            c.remote = Some(remote);
        }
    }
    Ok(())
}

fn on(what: On) -> u8 {
    match what {
        On::Comm => 0,
        On::Type => 1,
        On::Win => 2,
    }
}

fn all<T>(items: impl Iterator<Item = T>) -> std::vec::IntoIter<T> {
    items.collect::<Vec<_>>().into_iter()
}

pub(crate) fn attributes(w: &mut Writer, attrs: &Attributes) {
    w.list(attrs.iter(), |w, (id, value)| {
        (w.i32(*id), w.size(*value)).0
    });
}

fn type_extras(w: &mut Writer, t: &TypeObject) {
    w.option_str(t.name.as_deref());
    attributes(w, &t.attrs);
}

/// Members as runs (first, step, length): most groups are one.
pub fn group(w: &mut Writer, g: &Group) {
    let mut runs: Vec<(u32, i32, u32)> = Vec::new();
    for &r in g.ranks() {
        match runs.last_mut() {
            Some((first, step, n))
                if *n == 1
                    || i64::from(*first) + i64::from(*step) * i64::from(*n) == i64::from(r) =>
            {
                if *n == 1 {
                    *step = (i64::from(r) - i64::from(*first)) as i32;
                }
                *n += 1;
            }
            _ => runs.push((r, 0, 1)),
        }
    }
    w.list(runs.into_iter(), |w, (first, step, n)| {
        w.u32(first);
        w.i32(step);
        w.u32(n);
    });
}

fn comm(w: &mut Writer, c: &Comm) {
    w.size(c.errhandler);
    w.option_str(c.name.as_deref());
    attributes(w, &c.attrs);
    match &c.topo {
        None => w.u8(0),
        Some(Topology::Cart(cart)) => {
            w.u8(1);
            w.list(cart.dims.iter(), |w, (n, periodic)| {
                (w.i32(*n), w.u8((*periodic).into())).0
            });
        }
        Some(Topology::Dist(d)) => {
            w.u8(3);
            let ints = |w: &mut Writer, v: &[i32]| w.list(v.iter(), |w, n| w.i32(*n));
            ints(w, &d.sources);
            ints(w, &d.dests);
            w.u8(d.weights.is_some().into());
            if let Some((a, b)) = &d.weights {
                ints(w, a);
                ints(w, b);
            }
        }
        Some(Topology::Graph(g)) => {
            w.u8(2);
            w.list(g.index.iter(), |w, i| w.i32(*i));
            w.list(g.edges.iter(), |w, e| w.i32(*e));
        }
    }
}

/// Rebuilds the objects of a rank whose `o` is fresh; returns the pending types of [`save`].
pub fn load(o: &mut Objects, r: &mut Reader, ctx: &dyn LoadCtx) -> Read<Vec<RebuiltType>> {
    let types = Rebuilt::load(r, ctx)?;
    let pending = r.list(|r| types.rebuilt(r.u64()?))?;
    r.list(|r| {
        let (h, ty, committed) = (r.size()?, types.get(r.u64()?)?, r.u8()? != 0);
        let object = TypeObject {
            ty,
            committed,
            name: r.option_str()?,
            attrs: read_attributes(r, ctx)?,
        };
        kept(o.types.restore(h, object))
    })?;
    o.predefined = r.list(|r| {
        let h = r.size()?;
        let Some(ty) = by_handle(h) else {
            return bad("an unknown predefined datatype");
        };
        let object = TypeObject {
            ty,
            committed: true,
            name: r.option_str()?,
            attrs: read_attributes(r, ctx)?,
        };
        Ok((h, object))
    })?;
    o.next_id = r.u32()?;
    read_comm(&mut o.world, r, ctx)?;
    read_comm(&mut o.self_, r, ctx)?;
    r.list(|r| {
        let (h, group, id) = (r.size()?, read_group(o, r)?, r.u32()?);
        let mine = o.world.group.ranks()[o.world.rank as usize];
        let Some(rank) = group.rank_of(mine) else {
            return bad("a communicator without its owner");
        };
        if id == WORLD_ID || id == SELF_ID {
            return bad("a communicator with a reserved id");
        }
        let meeting = o.meetings.inner.find(id, Registry::WHOLE, &group);
        let attrs = Attributes::new();
        let mut c = Box::new(Comm {
            id,
            group,
            rank,
            errhandler: 0,
            name: None,
            attrs,
            topo: None,
            meeting,
            remote: None,
            rounds: Arc::default(),
        });
        read_comm(&mut c, r, ctx)?;
        kept(o.comms.restore(h, c))
    })?;
    r.list(|r| {
        let (h, g) = (r.size()?, read_group(o, r)?);
        kept(o.groups.restore(h, g))
    })?;
    r.list(|r| {
        let (h, func, traits) = (r.size()?, function(r, ctx)?, r.u8()?);
        kept(o.ops.restore(h, UserOp::with_traits(func, traits)))
    })?;
    r.list(|r| {
        let (h, func, refs) = (r.size()?, function(r, ctx)?, r.size()?);
        kept(o.errhandlers.0.restore(h, UserHandler { func, refs }))
    })?;
    o.keyvals.next = r.i32()?;
    let keyvals = r.list(|r| read_keyval(r, ctx))?;
    o.keyvals.live = keyvals.into_iter().collect();
    r.list(|r| {
        let (h, pairs) = (r.size()?, r.list(|r| Ok((r.str()?, r.str()?)))?);
        kept(o.infos.restore(h, Info { pairs }))
    })?;
    o.codes.list = r.list(|r| Ok((r.i32()?, r.str()?)))?;
    // Addresses of objects that are gone lead nowhere.
    let recent = r.list(|r| value(r, ctx))?;
    o.addresses.recent = recent.into_iter().filter(|a| *a != 0).collect();
    Ok(pending)
}

fn read_keyval(r: &mut Reader, ctx: &dyn LoadCtx) -> Read<(i32, Keyval)> {
    let id = r.i32()?;
    let on = match r.u8()? {
        0 => On::Comm,
        1 => On::Type,
        2 => On::Win,
        _ => return bad("an attribute key"),
    };
    let (copy, delete, extra_state) = (function(r, ctx)?, function(r, ctx)?, value(r, ctx)?);
    let keyval = Keyval {
        on,
        copy,
        delete,
        extra_state,
        uses: r.size()?,
        freed: r.u8()? != 0,
    };
    Ok((id, keyval))
}

fn kept(new: bool) -> Read<()> {
    if new {
        Ok(())
    } else {
        bad("a handle occurs twice, or is no handle")
    }
}

pub(crate) fn read_group(o: &Objects, r: &mut Reader) -> Read<GroupRef> {
    let size = o.all as usize;
    let mut ranks = Vec::new();
    for (first, step, n) in r.list(|r| Ok((r.u32()?, r.i32()?, r.u32()?)))? {
        for i in 0..i64::from(n) {
            let rank = i64::from(first) + i * i64::from(step);
            if !(0..size as i64).contains(&rank) || ranks.len() >= size {
                return bad("a group with ranks that do not exist");
            }
            ranks.push(rank as u32);
        }
    }
    Ok(if ranks == o.world.group.ranks() {
        o.world.group.clone()
    } else {
        Group::new(ranks)
    })
}

pub(crate) fn read_attributes(r: &mut Reader, ctx: &dyn LoadCtx) -> Read<Attributes> {
    r.list(|r| Ok((r.i32()?, value(r, ctx)?)))
}

fn read_comm(c: &mut Comm, r: &mut Reader, ctx: &dyn LoadCtx) -> Read<()> {
    c.errhandler = r.size()?;
    c.name = r.option_str()?;
    c.attrs = read_attributes(r, ctx)?;
    c.topo = match r.u8()? {
        0 => None,
        1 => {
            let (dims, periods): (Vec<_>, Vec<_>) = r
                .list(|r| Ok((r.i32()?, i32::from(r.u8()?))))?
                .into_iter()
                .unzip();
            Some(Topology::Cart(
                Cart::new(&dims, &periods, c.size()).or_else(|_| bad("an impossible grid"))?,
            ))
        }
        2 => {
            let (index, edges) = (r.list(Reader::i32)?, r.list(Reader::i32)?);
            if index.last().is_some_and(|n| *n as usize > edges.len()) {
                return bad("an impossible graph");
            }
            Some(Topology::Graph(
                Graph::new(&index, &edges, c.size()).or_else(|_| bad("an impossible graph"))?,
            ))
        }
        3 => {
            let (sources, dests) = (r.list(Reader::i32)?, r.list(Reader::i32)?);
            let weights = match r.u8()? {
                0 => None,
                _ => Some((r.list(Reader::i32)?, r.list(Reader::i32)?)),
            };
            let d = Dist {
                sources,
                dests,
                weights,
            };
            Some(Topology::Dist(
                d.checked(c.size())
                    .or_else(|_| bad("an impossible graph"))?,
            ))
        }
        _ => return bad("an unknown topology"),
    };
    Ok(())
}

/// Predefined callbacks are small constants, the program's are addresses.
pub fn function(r: &mut Reader, ctx: &dyn LoadCtx) -> Read<usize> {
    let raw = r.u64()?;
    if raw <= pc3_vmpi_objects::attr::DUP_FN as u64 {
        return Ok(raw as usize);
    }
    match ctx.pointer(raw) {
        Target::At(p) => Ok(p as usize),
        _ => bad("a function of the program that MPI calls (operation, error handler or attribute callback) is gone"),
    }
}

/// A value that the program gave as a pointer: small ones are numbers, others must lead somewhere.
pub fn value(r: &mut Reader, ctx: &dyn LoadCtx) -> Read<usize> {
    let raw = r.u64()?;
    Ok(match ctx.pointer(raw) {
        Target::At(p) => p as usize,
        _ if raw < 1 << 16 => raw as usize,
        _ => 0,
    })
}
