//! Memory that an epoch needs for messages and logs: it is asked for before anything of it is taken, as what cannot be had would end
//! the process.

use crate::machines::machines;
use std::time::Duration;

use pc3_runtime::memory_reserve::has;
use pc3_runtime::skipped_checkpoint::Skipped;

use crate::machines::done;
use crate::state::{State, Taken};
use pc3_vmpi_core::mail::request::RequestKind;
use pc3_vmpi_core::p2p::Request;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;

/// A message may be copied where it goes, as it is sent, in the portable form, and in a list that has grown.
const COPIES: usize = 4;
/// Less need not be asked for.
const LITTLE: usize = 1 << 16;
/// An entry of a log, in a list that has grown.
const ENTRY: usize = 128;

fn short(rank: u32, bytes: usize, what: &str) -> Skipped {
    Skipped::no_memory(u64::from(rank), bytes as u64, what)
}

/// Is there some for the messages that are part of the rank's local checkpoint?
pub(crate) fn for_line(me: &RankState) -> Result<(), Skipped> {
    let mut bytes = 0;
    let mut sends = |r: &Request| {
        if matches!(r.what, RequestKind::Send(_)) && r.active.get() && !r.null && !r.is_done() {
            bytes += r.buf().len();
        }
    };
    me.requests
        .borrow()
        .iter()
        .for_each(|(_, r)| sends(r.get()));
    me.detached().iter().for_each(|r| sends(r.get()));
    let taken = me.messages.borrow();
    bytes += taken.iter().map(|(_, (_, m))| m.len()).sum::<usize>();
    bytes += me
        .mailbox
        .with(|q| q.inbound.iter().map(|(_, m)| m.len()).sum::<usize>());
    match bytes < LITTLE || has(bytes.saturating_mul(COPIES)) {
        true => Ok(()),
        false => Err(short(me.rank, bytes, "messages that wait")),
    }
}

/// The program needs memory: what is kept for a checkpoint is given back.  True if there was any, so that there may be more.
pub fn relieve(world: &World) -> bool {
    let mut waited = false;
    loop {
        let mut s = machines(world).lock();
        let mut bytes = 0;
        for taken in s.taken.iter_mut().flatten() {
            if let Some(Ok(part)) = &taken.part {
                bytes += part.bytes();
                let rank = part.rank();
                taken.part = Some(Err(Skipped::NoMemory(format!(
                    "the program asked for memory, of which the copy of rank {rank} had what there was"
                ))));
            }
        }
        let why = s
            .taken
            .iter()
            .flatten()
            .find_map(|t| t.part.as_ref()?.as_ref().err());
        if let (Some(why), true) = (why.cloned(), bytes > 0) {
            s.spoilt.get_or_insert(why.clone());
            s.give_up(world, why);
            done(world, s);
            return true;
        }
        // A rank of another worker copies itself, or a thread has the copies and writes them: that is soon over.
        let here = RankState::try_current().map(RankState::worker);
        let mut all = s.taken.iter().zip(world.ranks().iter());
        let copies = all.any(|(taken, r)| {
            let copied = taken.as_ref().is_none_or(|t| t.part.is_some());
            !copied && Some(r.worker()) != here
        });
        if !copies && !s.writes() {
            return waited;
        }
        drop(s);
        waited = true;
        std::thread::sleep(Duration::from_millis(1));
    }
}

impl Taken {
    /// For one more message that crosses the line.
    pub(crate) fn has_room(&self, message: usize) -> bool {
        let free = self.late.capacity() - self.late.len();
        let grown = self.late.capacity().saturating_mul(2);
        let more = message.saturating_mul(COPIES);
        free > more.max(LITTLE) || has(grown.saturating_add(more))
    }

    /// For what the file gets of what crosses it.
    fn has_room_for_line(&self, log: usize) -> bool {
        let bytes = self.late.len().saturating_mul(2) + log * ENTRY;
        bytes < LITTLE || has(bytes)
    }
}

impl State {
    /// There is none for a message to this rank: no checkpoint is to be made of what is here.
    pub(crate) fn is_short(&mut self, rank: u32, slot: u32, message: usize) {
        let late = self.taken[slot as usize]
            .as_ref()
            .map_or(0, |t| t.late.len());
        let why = short(rank, late + message, "messages that cross its line");
        self.spoilt.get_or_insert(why);
        self.short = true;
    }

    /// Logs that were just written to: can they grow?
    pub(crate) fn logs_have_room(&self, world: &World) -> Result<(), Skipped> {
        for slot in &self.dirty {
            let n = self.members[*slot as usize].log().len();
            let bytes = n * ENTRY;
            if n.is_power_of_two() && bytes > LITTLE && !has(bytes * 2) {
                let rank = world.ranks()[*slot as usize].rank;
                return Err(short(rank, bytes, "its log"));
            }
        }
        Ok(())
    }

    /// For what the file gets of this rank's line.
    pub(crate) fn line_has_room(&self, rank: u32, slot: usize) -> Result<(), Skipped> {
        let log = self.members[slot].log().len();
        let taken = self.taken[slot].as_ref();
        match taken.is_none_or(|t| t.has_room_for_line(log)) {
            true => Ok(()),
            false => {
                let bytes = taken.map_or(0, |t| t.late.len()) + log * ENTRY;
                Err(short(rank, bytes, "what crosses its line"))
            }
        }
    }
}
