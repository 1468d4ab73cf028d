//! Taking a checkpoint: of ranks that all stand still, or of parts that each has taken for itself.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use pc3_control::report::flush_standard;
use pc3_control::store::Stalls;
use pc3_format::file::Writer;
use pc3_os::threads::lock;
use pc3_state::guest::Tables;
use pc3_state::job::Job;
use pc3_state::rank::Rank;
use pc3_state::skipped_checkpoint::Skipped;

use crate::commit::{commit, After, Share, Source, Written};
use crate::process::gather::{gather, gather_one};
use crate::save::{self, Part};

/// Writes and commits a checkpoint of all ranks, which are unwound or finished, in rank order; where there are several
/// processes, all of them call it.
pub fn checkpoint(job: &Arc<Job>, ranks: &mut [&mut Rank], passage: u64) -> After {
    let since = Instant::now();
    job.behind.settle();
    let mut standing = Standing {
        ranks,
        passage,
        since,
        stood: Vec::new(),
    };
    match commit(job, &mut standing) {
        Written::After(after) => after,
        Written::Disturbed(_) => After::Continue,
    }
}

/// Ranks that stand still at the same location each.
struct Standing<'a, 'r> {
    ranks: &'a mut [&'r mut Rank],
    passage: u64,
    since: Instant,
    /// Since when each has.
    stood: Vec<(u64, Instant)>,
}

impl Source for Standing<'_, '_> {
    fn is_apart(&self) -> bool {
        false
    }

    fn since(&self) -> Instant {
        self.since
    }

    fn take(&mut self, job: &Job) -> Share {
        if !job.is_first() {
            // What this process has printed is written when process 0 looks where the output stands.
            flush_standard();
        }
        let asked = job.control.begin();
        let obstacle = gather(self.ranks).err().map(Skipped::from);
        let each = self.ranks.iter_mut();
        // They go on behind it.
        let stood = each.filter_map(|r| Some((r.id() as u64, r.moves()?)));
        self.stood = stood.collect();
        Share {
            asked,
            obstacle,
            ranks: self.ranks.len(),
            passage: self.passage,
            disturbed: None,
        }
    }

    fn stalls(&mut self) -> Stalls {
        let each = self.stood.iter();
        Stalls(each.map(|(rank, since)| (*rank, since.elapsed())).collect())
    }

    fn write(&mut self, job: &Job, guests: &mut Tables, out: &mut Writer) -> io::Result<()> {
        save::parts(job, self.ranks, guests, out)
    }
}

/// The part of a rank that is unwound or has ended, while others run; `engine`: the engine's state of it.
pub fn part(job: &Job, rank: &mut Rank, engine: &[u8]) -> Result<Part, Skipped> {
    let first = Some(&(rank.id() as u32)) == job.here().first();
    gather_one(rank, first)?;
    Part::of(job, rank, engine, job.guests())
}

/// Local checkpoints of this process's ranks, in the order of ranks, each with what crosses its line.
pub struct LocalCheckpoints<'a> {
    /// Or what stands in the way of one.
    pub parts: Result<&'a [(Part, Vec<u8>)], Skipped>,
    /// Locations that these ranks had passed, at most.
    pub passage: u64,
    pub asked: bool,
    pub since: Instant,
    pub stalls: Stalls,
    /// Why they do not fit together.
    pub disturbed: Option<String>,
}

/// Writes and commits the parts of all ranks, with those of the other processes.
pub fn commit_local(job: &Arc<Job>, mine: LocalCheckpoints) -> Written {
    // Ranks go on, and may come to their next ones.
    let guests = lock(job.guests()).clone();
    commit(job, &mut Local { mine, guests })
}

/// Local checkpoints, and what all parts of guests here refer to.
struct Local<'a> {
    mine: LocalCheckpoints<'a>,
    guests: Tables,
}

impl Source for Local<'_> {
    fn is_apart(&self) -> bool {
        true
    }

    fn since(&self) -> Instant {
        self.mine.since
    }

    fn take(&mut self, _: &Job) -> Share {
        let parts = self.mine.parts.as_ref();
        Share {
            asked: self.mine.asked,
            obstacle: parts.err().cloned(),
            ranks: parts.map_or(0, |parts| parts.len()),
            passage: self.mine.passage,
            disturbed: self.mine.disturbed.take(),
        }
    }

    fn stalls(&mut self) -> Stalls {
        std::mem::take(&mut self.mine.stalls)
    }

    fn write(&mut self, _: &Job, guests: &mut Tables, out: &mut Writer) -> io::Result<()> {
        let parts = self.mine.parts.as_ref();
        let parts = parts.map_err(|e| io::Error::other(e.why()))?;
        let numbers = guests.merge(&self.guests).map_err(io::Error::other)?;
        save::write_parts(parts, &numbers, out)
    }
}
