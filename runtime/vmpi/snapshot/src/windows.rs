//! Windows in a checkpoint.
//!
//! ```text
//! windows = [window]
//! window  = handle:u64 id:u32 group flavor:i32 base:u64 size:u64 unit:u64 counts holds:u32 memory:u8 errhandler:u64
//!           name? attributes [key:str value:str] access exposed posts completed:u32 [region]
//! access  = 0:u8 | 1:u8 used:u8 | 2:u8 [member:u32] | 3:u8 [member:u64 exclusive:u8] | 4:u8
//! exposed = u64: one more than the members that have yet to complete, or 0
//! posts   = [member:u32 times:u32]
//! region  = at:u64 size:u64 holds:u32
//! ```
//! `holds`: what its memory has values of, so that its size follows theirs; `memory`: it goes with the window. Nothing is
//! pending: operations are done when they are called, and who waits for others is at no location.

use pc3_runtime::peers::Peers;
use pc3_runtime::transfer::{LoadCtx, SaveCtx, Target};
use pc3_typemetric::types::TypeId;
use pc3_vmpi_coll::comm::Comm;
use pc3_vmpi_coll::common::common;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_coll::meeting::Registry;
use pc3_vmpi_coll::remote::places::hash;
use pc3_vmpi_coll::win::Win;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::datatype::counted::{alike, displacement, length, Counts};
use pc3_vmpi_objects::info::Info;
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};
use pc3_vmpi_rma::epochs::{Access, Held};
use pc3_vmpi_rma::registry::Windows;
use pc3_vmpi_rma::shared::{Part, Region};
use pc3_vmpi_rma::signals::Signals;
use pc3_vmpi_rma::window::{Flavor, Window};
use std::sync::PoisonError;

use crate::saved::{attributes, group, read_attributes, read_group};

/// Why the rank cannot be saved with the windows that it has.
pub fn obstacle(me: &RankState) -> Option<String> {
    let at_once = me.world().protocol.lines_are_at_once();
    let mut windows = me.objects().windows.iter().map(|(_, w)| w);
    if !at_once {
        let first = windows.next()?;
        let what = described(first);
        return Some(format!(
            "rank {} has {what}, which others may write to while local checkpoints are taken; use the barrier protocol",
            me.rank
        ));
    }
    let shared = windows.find(|w| w.flavor == Flavor::Shared)?;
    Some(format!(
        "rank {} has {}, to whose memory pointers of several ranks lead",
        me.rank,
        described(shared)
    ))
}

/// A window, for people.
fn described(w: &Window) -> String {
    let made = match w.flavor {
        Flavor::Create => "MPI_Win_create",
        Flavor::Allocate => "MPI_Win_allocate",
        Flavor::Dynamic => "MPI_Win_create_dynamic",
        Flavor::Shared => "MPI_Win_allocate_shared",
    };
    match &w.name {
        Some(name) => format!("the window \"{name}\" of {made}"),
        None => format!("a window of {made}"),
    }
}

pub fn write(me: &RankState, w: &mut Writer, ctx: &SaveCtx) {
    let all: Vec<_> = me.objects().windows.iter().collect();
    w.list(all.into_iter(), |w, (handle, win)| {
        w.size(handle);
        w.u32(win.comm.id);
        group(w, &win.comm.group);
        w.i32(win.flavor as i32);
        let part = part_of(win);
        w.u64(ctx.address(part.base as *const u8));
        w.size(part.size);
        w.size(part.unit);
        win.counts.save(w);
        w.u32(holds(me, part.base, part.size).0);
        w.u8((win.memory != 0).into());
        w.size(win.errhandler);
        w.option_str(win.name.as_deref());
        attributes(w, &win.attrs);
        let pairs = win.info.pairs.iter();
        w.list(pairs, |w, (k, v)| (w.str(k), w.str(v)).0);
        access(w, &win.epochs.access);
        w.u64(win.epochs.exposed.map_or(0, |n| u64::from(n) + 1));
        let signals = win.member().signals();
        w.list(signals.posts.iter(), |w, (by, n)| (w.u32(*by), w.u32(*n)).0);
        w.u32(signals.completed);
        let regions = win.member().regions.read();
        let regions = regions.unwrap_or_else(PoisonError::into_inner);
        w.list(regions.iter(), |w, r| {
            w.u64(ctx.address(r.at as *const u8));
            w.size(r.size);
            w.u32(holds(me, r.at, r.size).0);
        });
    });
}

fn part_of(w: &Window) -> Part {
    w.member().part().unwrap_or(Part {
        base: 0,
        size: 0,
        unit: 1,
    })
}

/// What memory has values of.
fn holds(me: &RankState, at: usize, size: usize) -> TypeId {
    let rank = me.exec().filter(|_| at != 0 && size != 0);
    rank.map_or(TypeId::UNKNOWN, |r| r.held_at(at, size))
}

fn access(w: &mut Writer, access: &Access) {
    match access {
        Access::Nothing => w.u8(0),
        Access::Fenced { used } => {
            w.u8(1);
            w.u8((*used).into());
        }
        Access::Started(members) => {
            w.u8(2);
            w.list(members.iter(), |w, m| w.u32(*m));
        }
        Access::Locked(held) => {
            w.u8(3);
            w.list(held.iter(), |w, h| {
                w.size(h.target);
                w.u8(h.exclusive.into());
            });
        }
        Access::All => w.u8(4),
    }
}

fn read_access(r: &mut Reader, members: usize) -> Read<Access> {
    let member = |m: usize| match m < members {
        true => Ok(m),
        false => bad("a member of a window"),
    };
    Ok(match r.u8()? {
        0 => Access::Nothing,
        1 => Access::Fenced { used: r.u8()? != 0 },
        2 => Access::Started(r.list(|r| Ok(member(r.u32()? as usize)? as u32))?),
        3 => Access::Locked(r.list(|r| {
            Ok(Held {
                target: member(r.size()?)?,
                exclusive: r.u8()? != 0,
            })
        })?),
        4 => Access::All,
        _ => return bad("an unknown epoch of a window"),
    })
}

pub fn read(me: &RankState, r: &mut Reader, ctx: &dyn LoadCtx) -> Read<()> {
    let list = r.list(|r| {
        let handle = r.size()?;
        Ok((handle, window(me, r, ctx)?))
    })?;
    for (handle, win) in list {
        if !me.objects().windows.restore(handle, Box::new(win)) {
            return bad("a window's handle");
        }
    }
    Ok(())
}

fn window(me: &RankState, r: &mut Reader, ctx: &dyn LoadCtx) -> Read<Win> {
    let (id, group) = (r.u32()?, read_group(me.objects(), r)?);
    let Some(rank) = group.rank_of(me.rank) else {
        return bad("a window of others");
    };
    let Some(flavor) = Flavor::of(r.i32()?) else {
        return bad("an unknown kind of window");
    };
    let (base, size, unit) = (r.u64()?, r.size()?, r.size()?);
    let counts = Counts::load(r)?;
    let measure = Measure {
        me,
        counts,
        holds: TypeId(r.u32()?),
        ctx,
    };
    let goes_along = r.u8()? != 0;
    let errhandler = r.size()?;
    let name = r.option_str()?;
    let attrs = read_attributes(r, ctx)?;
    let pairs = r.list(|r| Ok((r.str()?, r.str()?)))?;
    let access = read_access(r, group.size())?;
    let exposed = r.u64()?.checked_sub(1).map(|n| n as u32);
    let posts = r.list(|r| Ok((r.u32()?, r.u32()?)))?;
    let completed = r.u32()?;
    let regions = r.list(|r| region(me, r, ctx))?;

    let meetings = common(me.world()).meetings();
    let meeting = meetings.find(id, Registry::WHOLE, &group);
    let shared = meeting.window();
    shared.identify(me.world(), (id, hash(&group)), &group);
    let part = Part {
        base: place(me, base, size, ctx)?,
        size: measure.size(size)?,
        unit: measure.unit(unit)?,
    };
    let member = &shared.members()[rank as usize];
    member.set_part(part);
    *member.signals() = Signals { posts, completed };
    *member
        .regions
        .write()
        .unwrap_or_else(PoisonError::into_inner) = regions;
    let mut window = Window::new(shared.clone(), (group.clone(), rank), flavor);
    window.epochs.access = access;
    window.epochs.exposed = exposed;
    shared.hold_again(rank as usize, &window.epochs.access);
    window.counts = counts.here(ctx)?;
    window.memory = if goes_along { part.base } else { 0 };
    window.errhandler = errhandler;
    window.name = name;
    window.attrs = attrs;
    window.info = Info { pairs };
    let comm = Comm::own(id, group, rank, meeting);
    Ok(Win { comm, window })
}

/// Communicators on which memory was shared.
pub(crate) fn read_together(me: &RankState, r: &mut Reader) -> Read<()> {
    let o = me.objects();
    o.together = r.list(Reader::size)?.into_iter().collect();
    for handle in &o.together {
        let Ok(comm) = o.comm(*handle) else {
            return bad("a communicator of ranks that stay together");
        };
        if me.world().spans(&comm.group) {
            return bad(&format!(
                "rank {} has shared memory with other ranks of its communicator (MPI_Win_allocate_shared), and these would be in several processes here: place them in one (pc3run -p, --map)",
                me.rank
            ));
        }
    }
    Ok(())
}

/// Ranks here have come from a checkpoint, as others in other processes: all learn where the parts of the windows are that they
/// share, and who holds locks.
///
/// ```text
/// windows = [id:u32 group:u64 process:u32 member:u32 base:u64 size:u64 unit:u64 access]
/// ```
pub fn share(world: &World, peers: &dyn Peers) -> Read<()> {
    let objects = world.ranks().iter().map(|r| r.objects());
    let all: Vec<&Win> = objects
        .flat_map(|o| o.windows.iter().map(|(_, w)| &**w))
        .filter(|w| world.spans(&w.group))
        .collect();
    let mut w = Writer::default();
    w.list(all.into_iter(), |w, win| {
        w.u32(win.comm.id);
        w.u64(hash(&win.group));
        w.u32(world.index());
        w.u32(win.rank);
        let part = part_of(win);
        for n in [part.base, part.size, part.unit] {
            w.size(n);
        }
        access(w, &win.epochs.access);
    });
    let parts = peers.gather(&w.0);
    let mut w = Writer::default();
    w.list(parts.iter(), |w, part| w.bytes(part));
    let all = peers.spread(&w.0);
    for part in Reader(&all).list(Reader::bytes)? {
        Reader(part).list(|r| heed(world, r))?;
    }
    Ok(())
}

/// What is said of one member.
fn heed(world: &World, r: &mut Reader) -> Read<()> {
    let (name, process, member) = ((r.u32()?, r.u64()?), r.u32()?, r.u32()? as usize);
    let (base, size, unit) = (r.size()?, r.size()?, r.size()?);
    let access = read_access(r, usize::MAX)?;
    let Some(shared) = world.part::<Windows>().find(name) else {
        // Nobody here is a member.
        return Ok(());
    };
    let Some(m) = shared.members().get(member) else {
        return bad("a member of a window");
    };
    if process != world.index() {
        m.set_part(Part { base, size, unit });
        shared.hold_again(member, &access);
    }
    Ok(())
}

fn place(me: &RankState, source: u64, size: usize, ctx: &dyn LoadCtx) -> Read<usize> {
    match ctx.pointer(source) {
        Target::At(p) => Ok(p as usize),
        Target::Null => Ok(0),
        Target::Dangling if size == 0 => Ok(0),
        Target::Dangling => bad(&format!(
            "rank {}: the memory of a window is no object of the program any more",
            me.rank
        )),
    }
}

/// Memory that is attached to a dynamic window. Others name places in it by addresses, which are numbers in their memory and in
/// messages: nobody knows which of them are old ones.
fn region(me: &RankState, r: &mut Reader, ctx: &dyn LoadCtx) -> Read<Region> {
    let (source, size, holds) = (r.u64()?, r.size()?, TypeId(r.u32()?));
    let at = place(me, source, size, ctx)?;
    let here = match alike(ctx) {
        true => Some(size),
        false => ctx.room(holds, size as u64, false).ok().map(|n| n as usize),
    };
    if at as u64 != source || here != Some(size) {
        return bad(&format!(
            "rank {}: memory that is attached to a dynamic window lies elsewhere here, and ranks may have told each other its address; detach it before the checkpoint",
            me.rank
        ));
    }
    Ok(Region { at, size })
}

/// What numbers of bytes are here.
struct Measure<'a> {
    me: &'a RankState,
    counts: Counts,
    holds: TypeId,
    ctx: &'a dyn LoadCtx,
}

impl Measure<'_> {
    fn unclear<T>(&self, what: &str, n: usize) -> Read<T> {
        bad(&format!(
            "rank {}: {what} of a window is {n} bytes, and it is not known how many it would be here",
            self.me.rank
        ))
    }

    /// So many bytes of what the memory has, if that is whole ones.
    fn of_memory(&self, n: usize) -> Option<usize> {
        let known = self.holds != TypeId::UNKNOWN;
        let room = known.then(|| self.ctx.room(self.holds, n as u64, false).ok())?;
        usize::try_from(room?).ok()
    }

    fn size(&self, n: usize) -> Read<usize> {
        if n == 0 || alike(self.ctx) {
            return Ok(n);
        }
        if let Some(here) = self.of_memory(n) {
            return Ok(here);
        }
        match length(n, self.counts.lengths, self.ctx)? {
            Some(here) => Ok(here),
            None => self.unclear("the size", n),
        }
    }

    fn unit(&self, n: usize) -> Read<usize> {
        if n == 1 || alike(self.ctx) {
            return Ok(n);
        }
        let told = displacement(n as i64, self.counts.places, self.ctx)?;
        let told = told.and_then(|n| usize::try_from(n).ok());
        match told.or_else(|| self.of_memory(n).filter(|here| *here == n)) {
            Some(here) => Ok(here),
            None => self.unclear("the displacement unit", n),
        }
    }
}
