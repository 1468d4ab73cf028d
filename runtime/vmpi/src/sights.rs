//! What a process is doing, for whoever sends it SIGQUIT because it seems to hang: ranks, workers, messages under way.
//! Then it ends as SIGQUIT ends programs.
//!
//! Written in a signal handler: nothing is allocated, no lock is waited for, what changes meanwhile may be told wrong.

use pc3_vmpi_link::remote;
use std::ffi::{c_int, CStr};
use std::fmt::{self, Write};
use std::ptr::null_mut;
use std::sync::atomic::{fence, AtomicPtr, Ordering::*};
use std::time::Duration;

use pc3_os::signals::{self, new_action, SA_ONSTACK, SA_RESETHAND, SIGQUIT, SIG_DFL};
use pc3_os::{clocks, files};

use pc3_vmpi_core::coord::barrier::{Barrier, RankStatus};
use pc3_vmpi_core::p2p::{ANY_SOURCE, ANY_TAG};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_nonblocking::machines::machines;

static WORLD: AtomicPtr<World> = AtomicPtr::new(null_mut());
/// Ranks that are told of.
const MANY: usize = 256;

/// Standard error, in pieces.
struct Out {
    text: [u8; 4096],
    len: usize,
}

impl Write for Out {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        for b in s.bytes() {
            if self.len == self.text.len() {
                self.flush();
            }
            self.text[self.len] = b;
            self.len += 1;
        }
        Ok(())
    }
}

impl Out {
    fn flush(&mut self) {
        files::write(files::STDERR_FILENO, &self.text[..self.len]);
        self.len = 0;
    }
}

/// From now on SIGQUIT has it told, unless the program or its starter has other uses for that.
pub(crate) fn watch(world: &World) {
    WORLD.store(std::ptr::from_ref(world).cast_mut(), SeqCst);
    if signals::action(SIGQUIT).is_ok_and(|now| now.sa_sigaction == SIG_DFL) {
        let act = new_action(on_quit as *const () as usize, SA_ONSTACK | SA_RESETHAND);
        // SAFETY: the handler keeps to what handlers may do.
        let _ = unsafe { signals::set_action(SIGQUIT, &act) };
    }
}

extern "C" fn on_quit(signal: c_int) {
    // SAFETY: the world of a job lives as long as the process.
    if let Some(world) = unsafe { WORLD.load(SeqCst).as_ref() } {
        let mut out = Out {
            text: [0; 4096],
            len: 0,
        };
        let _ = tell(&mut out, world);
        out.flush();
        if world.remote().is_some() {
            // The others have been told to say it, too; whoever is gone first is missed by them.
            clocks::sleep(Duration::from_millis(500));
        }
    }
    // The handler is the default again; this one is delivered when it returns.
    signals::raise(signal);
}

fn tell(out: &mut Out, world: &World) -> fmt::Result {
    match remote(world) {
        Some(link) => writeln!(out, "pc3: SIGQUIT: process {}:", link.index())?,
        None => writeln!(out, "pc3: SIGQUIT:")?,
    }
    for r in world.ranks().iter().take(MANY) {
        rank(out, r)?;
    }
    if world.ranks().len() > MANY {
        writeln!(out, "  and {} ranks more", world.ranks().len() - MANY)?;
    }
    world.sched().sights(out)?;
    match world.coord.sights() {
        Some(held) => plan(out, &held.barrier, world.ranks().len())?,
        None => writeln!(out, "  what is planned is being changed")?,
    }
    machines(world).sights(out, world)?;
    match remote(world) {
        Some(link) => link.sights(out),
        None => Ok(()),
    }
}

fn plan(out: &mut Out, barrier: &Barrier, ranks: usize) -> fmt::Result {
    let Some(passage) = barrier.target() else {
        return Ok(());
    };
    let at = |status| (0..ranks).filter(|r| barrier.status(*r) == status).count();
    writeln!(
        out,
        "  a checkpoint is planned for passage {passage}: {} ranks stand at a location, {} have yet to come",
        at(RankStatus::Parked),
        at(RankStatus::Running)
    )
}

fn rank(out: &mut Out, r: &RankState) -> fmt::Result {
    let sched = r.world().sched();
    let slot = r.slot;
    write!(out, "  rank {} of worker {}: ", r.rank, r.worker())?;
    if sched.has_ended(slot) {
        return writeln!(out, "has ended");
    }
    // Of one that runs it is not known whether it is still in its last call.
    let (state, by) = match sched.is_blocked(slot) {
        true => ("waits", " in"),
        false => ("runs", "; its last call:"),
    };
    write!(out, "{state}")?;
    // A call that is being changed is not told.
    let (call, at) = (r.call.get(), r.exec().map(|e| e.abi.at));
    fence(SeqCst);
    if r.call.get() == call && !call.name.is_empty() {
        write!(out, "{by} {}", call.name)?;
        if let Some(peer) = call.peer {
            match peer {
                ANY_SOURCE => write!(out, "(MPI_ANY_SOURCE, ")?,
                peer => write!(out, "(rank {peer}, ")?,
            }
            match call.tag {
                ANY_TAG => write!(out, "MPI_ANY_TAG)")?,
                tag => write!(out, "tag {tag})")?,
            }
        }
    }
    if let Some(at) = at.filter(|a| !a.is_null()) {
        // SAFETY: generated code stores string literals there.
        let at = unsafe { CStr::from_ptr(at) };
        write!(out, " at {}", at.to_str().unwrap_or("?"))?;
    }
    match r.waiting() {
        0 => {}
        RankState::ANY => write!(out, ", for any request")?,
        _ => write!(out, ", for a request")?,
    }
    let queues = r.mailbox.try_with(|q| (q.inbound.len(), q.posted.len()));
    match queues {
        Some((m, p)) => write!(out, "; {m} messages, {p} receives")?,
        None => write!(out, "; its mailbox is in use")?,
    }
    let polls = r.polls.load(Relaxed);
    if polls > 0 {
        write!(out, "; {polls} polls")?;
    }
    writeln!(out)
}
