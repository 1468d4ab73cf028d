//! Everything is there: it is written.

use super::waiting::{report, world_of, Shared};
use crate::machines::machines;
use pc3_vmpi_link::post::fail;
use std::mem::take;
use std::thread::JoinHandle;

use pc3_os::signals::without_signals;
use pc3_runtime::chaos;
use pc3_runtime::checkpoint::{self, After, LocalCheckpoints, Written};
use pc3_runtime::format::meta::FileMeta;
use pc3_runtime::job::Job;
use pc3_runtime::save::Part;
use pc3_runtime::skipped_checkpoint::Skipped;

use crate::machines::done;
use crate::state::{record, State};
use pc3_vmpi_core::stats;
use pc3_vmpi_core::world::World;

/// What ranks here have taken, with their lines; none if something is in the way.
fn gather(
    s: &mut State,
    world: &World,
    places: &[FileMeta],
    obstacle: &mut Option<Skipped>,
) -> Vec<(Part, Vec<u8>)> {
    // Of those that take part: others may just have been spawned.
    for (slot, me) in world.ranks().iter().enumerate().take(s.members.len()) {
        if let Err(why) = s.line_has_room(me.rank, slot) {
            obstacle.get_or_insert(why);
        }
    }
    if obstacle.is_some() {
        s.taken.iter_mut().for_each(|t| *t = None);
    }
    let mut parts = Vec::new();
    for (taken, member) in s.taken.iter_mut().zip(&mut s.members) {
        let Some(taken) = taken.take() else { continue };
        let log = member.saved_log();
        let line = record::write(world, &taken.line, log, &taken.late, taken.late_count);
        match taken.part {
            Some(Ok(mut part)) => {
                part.set_outputs(places);
                parts.push((part, line));
            }
            Some(Err(why)) => *obstacle = Some(why),
            None => {}
        }
    }
    parts
}

/// By the thread that has written it, or could not: the epoch is over.
fn written_at_last(world: &World, job: &Job, written: Written, outputs: &[FileMeta]) {
    // That they do not fit together only the first process knows: the others give what they have counted in any case.
    stats::checkpoint(world, job);
    let disturbed = match written {
        Written::Disturbed(why) => Some(why),
        Written::After(after) => {
            chaos();
            if after == After::Stop {
                stats::end(world, job);
                job.stop(Some(outputs));
            }
            None
        }
    };
    let mut s = machines(world).lock();
    match disturbed {
        Some(why) => {
            s.attempt.disturbed = true;
            s.why = Some(why.into());
            report(&mut s, world);
        }
        None => s.attempt.in_vain = 0,
    }
    if job.peers().is_none_or(|p| p.index() == 0) {
        let outs = s.node.committed();
        s.carry(world, outs);
    }
    done(world, s);
}

/// Everything is there: a thread of its own writes it, and nobody waits for that.
pub(crate) fn commit(s: &mut State, world: &World) {
    let Some(job) = world.job.get().cloned() else {
        return;
    };
    let spoilt = s.spoilt.take();
    let (places, stirred) = match s.attempt.output.take() {
        Some(Err(why)) => (Vec::new(), Some(why)),
        output => (output.and_then(Result::ok).unwrap_or_default(), None),
    };
    let (mut obstacle, disturbed) = match s.attempt.disturbed {
        true => (None, spoilt.map(|e| e.why().to_owned())),
        false => (spoilt, None),
    };
    let parts = gather(s, world, &places, &mut obstacle);
    let disturbed = disturbed.or(stirred);
    let outputs: Vec<_> = parts.iter().flat_map(|(part, _)| part.outputs()).collect();
    s.written = true;
    let (passage, asked, since) = (s.attempt.passage, s.attempt.asked, s.attempt.since);
    let stalls = take(&mut s.attempt.stalls);
    let before = s.writer.take();
    let world = Shared(std::ptr::from_ref(world));
    let write = move || {
        let shared = world;
        // What processes say to each other of one checkpoint is not for the next.
        drop(before.map(JoinHandle::join));
        // SAFETY: the world waits for this thread before it ends.
        let world = unsafe { &*{ shared }.0 };
        let written = checkpoint::commit_local(
            &job,
            LocalCheckpoints {
                parts: obstacle.map_or(Ok(&parts), Err),
                passage,
                asked,
                since,
                stalls,
                disturbed,
            },
        );
        drop(parts);
        written_at_last(world, &job, written, &outputs);
    };
    let name = "pc3-commit".to_owned();
    match without_signals(|| std::thread::Builder::new().name(name).spawn(write)) {
        Ok(handle) => s.writer = Some(handle),
        Err(e) => {
            let world = world_of(&world);
            let why = format!("no thread can be started to write it: {e}");
            if world.remote().is_some() {
                // The others wait for what it says.
                fail(&why);
            }
            // Whoever asked is told, and nothing is left half done.
            s.why = Some(why.into());
            report(s, world);
            let outs = s.node.committed();
            s.carry(world, outs);
        }
    }
}
