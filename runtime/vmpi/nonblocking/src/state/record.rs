//! What a checkpoint keeps of a rank's line, beside the rank itself.
//!
//! ```text
//! line    = version:u8 late_ids:u32 early clocks sizes log births? prints? late   (version 1 has no late_ids)
//! early   = [sender:u32 number:u32]          messages from behind the sender's line, received before this one
//! clocks  = [group:u64 entered:u64]    sizes = [group:u64 members:u32]
//! log     = [receive:u32 sender:u32 name] [outcome] [group:u64 n:u64 result:bytes]
//! name    = kind:u8 (0 before, 1 behind) number:u32
//! outcome = 0 flag:u8 | 1 [index:u32] | 2 found:u8 (sender:u32 name) | 3 clock:u64 (binary64) | 4 said:bytes
//! births  = [rank:u32]     that it has spawned behind its line; from version 3 on
//! prints  = [output:u8 times:u64]    that it printed behind its line and in front of the last one; in version 4
//! late    = count:u64 message*
//! ```
//! `[x]` is a list; a message is as [`written`] has it.

use std::sync::atomic::Ordering::Relaxed;

use pc3_protocol::{Line, Log, LogParts, Name};
use pc3_runtime::transfer::LoadCtx;
use pc3_vmpi_core::p2p::written;
use pc3_vmpi_core::p2p::written::Senders;

use crate::state::outcome::{is_foreign, Outcome};
use pc3_vmpi_core::mail::mailbox::Message;
use pc3_vmpi_core::p2p::Key;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::wire::{bad, Read, Reader, Writer};

const VERSION: u8 = 2;
const WITH_BIRTHS: u8 = 3;
const WITH_PRINTS: u8 = 4;

/// A rank's line as it was read.
pub(crate) struct Recovered {
    pub line: Line,
    pub log: Log<Outcome, Vec<u8>>,
    pub late: Vec<(Key, Message)>,
}

// SAFETY: a message of a checkpoint has its data with it.
unsafe impl Send for Recovered {}

/// Adds a message that crosses the line.
pub(crate) fn late(to: &mut Vec<u8>, key: &Key, m: &Message) {
    let mut w = Writer(std::mem::take(to));
    written::write(&mut w, key, m, |_| None);
    *to = w.0;
}

fn write_name(w: &mut Writer, (rank, name): (u32, Name)) {
    w.u32(rank);
    let (kind, number) = match name {
        Name::Before(n) => (0, n),
        Name::Behind(n) => (1, n),
    };
    w.u8(kind);
    w.u32(number);
}

fn read_name(r: &mut Reader) -> Read<(u32, Name)> {
    let rank = r.u32()?;
    let name = match (r.u8()?, r.u32()?) {
        (0, n) => Name::Before(n),
        (1, n) => Name::Behind(n),
        _ => return bad("the name of a message"),
    };
    Ok((rank, name))
}

pub(crate) fn write(
    world: &World,
    line: &Line,
    log: Log<Outcome, Vec<u8>>,
    late: &[u8],
    late_count: u64,
) -> Vec<u8> {
    let mut w = Writer::default();
    let parts = LogParts::from(log);
    let version = match (parts.births.is_empty(), parts.prints.is_empty()) {
        (_, false) => WITH_PRINTS,
        (false, true) => WITH_BIRTHS,
        (true, true) => VERSION,
    };
    w.u8(version);
    // A name that a log holds must not be given to another communicator.
    w.u32(world.late_ids.load(Relaxed));
    w.list(line.early.iter(), |w, (rank, n)| {
        w.u32(*rank);
        w.u32(*n);
    });
    w.list(line.clocks.iter(), |w, (g, n)| {
        w.u64(*g);
        w.u64(*n);
    });
    w.list(line.sizes.iter(), |w, (g, n)| {
        w.u64(*g);
        w.u32(*n);
    });
    w.list(parts.matches.iter(), |w, (receive, what)| {
        w.u32(*receive);
        write_name(w, *what);
    });
    w.list(parts.outcomes.iter(), |w, o| match o {
        Outcome::Flag(on) => {
            w.u8(0);
            w.u8((*on).into());
        }
        Outcome::Which(list) => {
            w.u8(1);
            w.list(list.iter(), |w, i| w.u32(*i));
        }
        Outcome::Message(which) => {
            w.u8(2);
            w.u8(which.is_some().into());
            if let Some(which) = which {
                write_name(w, *which);
            }
        }
        Outcome::Clock(t) => {
            w.u8(3);
            w.u64(t.to_bits());
        }
        Outcome::Said(bytes) => {
            w.u8(4);
            w.bytes(bytes);
        }
    });
    w.list(parts.results.iter(), |w, ((g, n), result)| {
        w.u64(*g);
        w.u64(*n);
        w.bytes(result);
    });
    if version >= WITH_BIRTHS {
        w.list(parts.births.iter(), |w, r| w.u32(*r));
    }
    if version >= WITH_PRINTS {
        w.list(parts.prints.iter(), |w, (output, times)| {
            w.u8(*output);
            w.u64(*times);
        });
    }
    w.u64(late_count);
    w.0.extend_from_slice(late);
    w.0
}

pub(crate) fn read(
    bytes: &[u8],
    world: &World,
    senders: &Senders,
    ctx: &dyn LoadCtx,
) -> Read<Recovered> {
    let mut r = Reader(bytes);
    let version = r.u8()?;
    match version {
        1 => {}
        VERSION..=WITH_PRINTS => {
            world.late_ids.fetch_max(r.u32()?, Relaxed);
        }
        v => return bad(&format!("version {v} of a rank's log is not known")),
    }
    let early = r.list(|r| Ok((r.u32()?, r.u32()?)))?;
    if early.iter().any(|e| e.0 >= world.size) {
        return bad("a message from a rank that does not exist");
    }
    let clocks = r.list(|r| Ok((r.u64()?, r.u64()?)))?;
    let sizes = r.list(|r| Ok((r.u64()?, r.u32()?)))?;
    let matches = r.list(|r| Ok((r.u32()?, read_name(r)?)))?;
    let outcomes = r.list(outcome)?;
    let results = r.list(|r| Ok(((r.u64()?, r.u64()?), r.bytes()?.to_vec())))?;
    let births = match version {
        WITH_BIRTHS.. => r.list(Reader::u32)?,
        _ => Vec::new(),
    };
    let prints = match version {
        WITH_PRINTS.. => r.list(|r| Ok((r.u8()?, r.u64()?)))?,
        _ => Vec::new(),
    };
    if births.iter().any(|rank| *rank >= world.size) {
        return bad("a rank that was spawned and does not exist");
    }
    let count = r.u64()?;
    let mut late = Vec::new();
    for _ in 0..count {
        late.push(written::read(&mut r, senders, ctx)?);
    }
    if !r.0.is_empty() {
        return bad("something follows a rank's log");
    }
    Ok(Recovered {
        line: Line {
            clocks: clocks.into_iter().collect(),
            sizes: sizes.into_iter().collect(),
            early,
        },
        log: Log::from(LogParts {
            matches,
            outcomes,
            results,
            births,
            prints,
        }),
        late,
    })
}

fn outcome(r: &mut Reader) -> Read<Outcome> {
    Ok(match r.u8()? {
        0 => Outcome::Flag(r.u8()? != 0),
        1 => Outcome::Which(r.list(Reader::u32)?),
        2 => Outcome::Message(match r.u8()? {
            0 => None,
            _ => Some(read_name(r)?),
        }),
        3 => Outcome::Clock(f64::from_bits(r.u64()?)),
        4 => match r.bytes()? {
            said if is_foreign(said) => {
                return bad("random bytes that a rank asked for while it was taken, and of which it may have made numbers: they would be others here, where \
                            the order of bytes is another (take one on a machine with the same order first)")
            }
            said => Outcome::Said(said.to_vec()),
        },
        _ => return bad("an outcome"),
    })
}
