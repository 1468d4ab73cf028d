//! Going on from local checkpoints: what was logged is done again.

use crate::machines::machines;
use crate::state::remote::node;
use pc3_vmpi_coll::meeting::posted::Posted;
use pc3_vmpi_link::remote;
use pc3_vmpi_snapshot::message::senders;
use std::collections::{BTreeMap, BTreeSet};

use pc3_protocol::{Member, Rules};
use pc3_runtime::rank::Rank;
use pc3_runtime::transfer::{LoadCtx, LoadError};

use crate::operations::{later, p2p};
use crate::state::{record, Stage};
use pc3_vmpi_coll::meeting::rounds;
use pc3_vmpi_core::mail::request::Request;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::wire::{Read, Reader, Writer};

/// A rank's line from a checkpoint; its requests and messages are there already.
pub fn load(me: &RankState, bytes: &[u8], ctx: &dyn LoadCtx) -> Result<(), LoadError> {
    let world = me.world();
    let recovered = record::read(bytes, world, &senders(world), ctx)?;
    machines(world).lock().recovered[me.slot as usize] = Some(recovered);
    Ok(())
}

/// All ranks are loaded: what was logged is to be done again.
pub fn recover(world: &World) -> Result<(), String> {
    let mut s = machines(world).lock();
    let all: Vec<_> = s.recovered.iter_mut().map(Option::take).collect();
    if all.iter().all(Option::is_none) {
        return Ok(());
    }
    let missing = all.iter().zip(world.ranks()).find(|(r, _)| r.is_none());
    if let Some((_, me)) = missing {
        return Err(format!("rank {} has no line of its own", me.rank));
    }
    let all: Vec<record::Recovered> = all.into_iter().flatten().collect();
    let lines = world.ranks().iter().zip(&all);
    let early = lines.flat_map(|(me, r)| r.line.early.iter().map(|(from, n)| (*from, me.rank, *n)));
    let mut suppress = suppress(world, early.collect())?;
    s.stage = Stage::Replaying;
    s.generation += 1;
    let here: Vec<u32> = world.ranks().iter().map(|r| r.rank).collect();
    let place = world.process();
    s.node = node(&here, place, true);
    if let Some(apart) = &mut s.remote_epochs {
        apart.counts = true;
    }
    world.nonblocking.set_slow(true);
    if let Some(job) = world
        .job
        .get()
        .filter(|_| all.iter().any(|r| r.log.has_printed()))
    {
        job.prints_again();
    }
    for (me, recovered) in world.ranks().iter().zip(all) {
        let early = suppress.remove(&me.rank).unwrap_or_default();
        let (line, log) = (recovered.line, recovered.log);
        *s.member(me.slot) = Member::recovered(Rules::default(), &line, log, early);
        p2p::again_at_line(me, &mut s, recovered.late);
        let pending: Vec<*const Request> = {
            let all = me.requests.borrow();
            let coll = all.iter().filter(|(_, r)| Posted::of(r.get()).is_some());
            let live = coll.filter(|(_, r)| r.get().active.get() && !r.get().is_done());
            live.map(|(_, r)| r.ptr()).collect()
        };
        for r in pending {
            // SAFETY: nobody runs yet, and requests stay where they are.
            unsafe {
                if later::replay(world, &mut s, me, &*r) {
                    rounds::leave(&*r);
                    if let Some(link) = remote(world) {
                        link.board.forget(r);
                    }
                }
            }
        }
        let over = |r: &&mut Rank| matches!(r.status(), pc3_runtime::rank::Status::Finished(_));
        if me.exec().filter(over).is_some() {
            s.end_of(me);
        }
    }
    Ok(())
}

/// All processes can hear what is said of that.
pub fn go_on(world: &World) {
    let mut s = machines(world).lock();
    s.pump(world);
}

/// Receivers and numbers of messages that they have, by sender.
pub(crate) type Early = BTreeMap<u32, BTreeSet<(u32, u32)>>;

/// What ranks here are not to send again, as all receivers have it.
pub(crate) fn suppress(world: &World, mine: Vec<(u32, u32, u32)>) -> Result<Early, String> {
    let all = match world.job.get().and_then(|job| job.peers()) {
        None => mine,
        Some(peers) => {
            let mut w = Writer::default();
            write_early(&mut w, &mine);
            let parts = peers.gather(&w.0);
            let mut all = Vec::new();
            for part in &parts {
                all.extend(read_early(&mut Reader(part)).map_err(|e| e.to_string())?);
            }
            let mut w = Writer::default();
            write_early(&mut w, &all);
            let all = peers.spread(&w.0);
            read_early(&mut Reader(&all)).map_err(|e| e.to_string())?
        }
    };
    let mut by = Early::new();
    for (from, to, n) in all.into_iter().filter(|e| world.local(e.0).is_some()) {
        by.entry(from).or_default().insert((to, n));
    }
    Ok(by)
}

pub(crate) fn write_early(w: &mut Writer, list: &[(u32, u32, u32)]) {
    w.list(list.iter(), |w, (from, to, n)| {
        w.u32(*from);
        w.u32(*to);
        w.u32(*n);
    });
}

pub(crate) fn read_early(r: &mut Reader) -> Read<Vec<(u32, u32, u32)>> {
    r.list(|r| Ok((r.u32()?, r.u32()?, r.u32()?)))
}
