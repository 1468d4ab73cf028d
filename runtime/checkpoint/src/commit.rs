//! Making a checkpoint durable: the one place where a file becomes the job's newest checkpoint, whichever
//! [protocol](Protocol) has brought the ranks to it, in one process or several.
//!
//! Several processes write one file at once, into a file system that they share.  Each says what stands in the way of a
//! checkpoint, or how many bytes its ranks take.  Process 0 begins a temporary file and tells each where in it its part
//! goes; each writes it, makes it durable and answers with its sections; process 0 adds the section table and commits.
//! What goes wrong in any of them leaves the last checkpoint as it was.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::time::{Duration, Instant};

use pc3_control::control::Taken;
use pc3_control::peers::Peers;
use pc3_control::store::Stalls;
use pc3_format::file::{Entry, Writer};
use pc3_os::own::high;
use pc3_os::threads::lock;
use pc3_process::files::window;
use pc3_state::guest::Tables;
use pc3_state::job::Job;
use pc3_state::skipped_checkpoint::Skipped;

use crate::multi_process_checkpoint::{
    broken, decode_outcome, decode_part, decode_place, encode_outcome, encode_part, encode_places,
    tables, Offer, Outcome,
};
use crate::save;

/// What follows a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    Continue,
    /// The job is to end: call [`Job::stop`].
    Stop,
}

impl After {
    fn of(stop: bool) -> After {
        match stop {
            true => After::Stop,
            false => After::Continue,
        }
    }
}

/// What has become of one.
pub enum Written {
    After(After),
    /// Local checkpoints do not fit together; the next may.
    Disturbed(String),
}

/// A protocol's side of a checkpoint: what this process's ranks have for it.
pub(crate) trait Protocol {
    /// Ranks have lines of their own: these are local checkpoints.  Else all stand still.
    fn is_apart(&self) -> bool;
    /// When it was begun.
    fn since(&self) -> Instant;
    /// Looks at what there is to save.
    fn take(&mut self, job: &Job) -> Share;
    /// How long the ranks have stood still for it; asked for once, behind that.
    fn stalls(&mut self) -> Stalls;
    /// Writes it; `guests`: what guests refer to.
    fn write(&mut self, job: &Job, guests: &mut Tables, out: &mut Writer) -> io::Result<()>;
}

/// What this process has for a checkpoint.
pub(crate) struct Share {
    /// Somebody asked for it.
    pub asked: bool,
    pub obstacle: Option<Skipped>,
    pub ranks: usize,
    /// Locations that its ranks have passed, at most.
    pub passage: u64,
    /// Why local checkpoints do not fit together.
    pub disturbed: Option<String>,
}

/// Writes a checkpoint, together with the other processes, and makes it the next one.  A failure is reported on stderr
/// and the program goes on.
pub(crate) fn commit(job: &Job, protocol: &mut dyn Protocol) -> Written {
    match job.peers() {
        Some(peers) if peers.index() != 0 => Written::After(follow(job, peers, protocol)),
        Some(peers) => lead(job, peers, protocol),
        None => lead(job, &Alone, protocol),
    }
}

/// A process without others.
struct Alone;

impl Peers for Alone {
    fn index(&self) -> usize {
        0
    }
    fn count(&self) -> usize {
        1
    }
    fn processors(&self) -> usize {
        1
    }
    fn gather(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        vec![mine.to_vec()]
    }
    fn spread(&self, bytes: &[u8]) -> Vec<u8> {
        bytes.to_vec()
    }
    fn close(&self) {}
}

/// What this process has, and how many bytes that are, once nothing stands in the way: others' parts follow.
fn offer(job: &Job, protocol: &mut dyn Protocol) -> Offer {
    let stop = job.control.stop_asked();
    let share = protocol.take(job);
    let mut guests = Tables::new();
    let mut count = || {
        let mut out = Writer::counting();
        let counted = protocol.write(job, &mut guests, &mut out);
        counted.map_err(|e| e.to_string())?;
        Ok(out.offset())
    };
    let alone = job.peers().is_none();
    let length = match share.obstacle {
        Some(why) => Err(why),
        None if alone => Ok(0),
        None => count(),
    };
    let (others, apart) = (!alone, protocol.is_apart());
    Offer {
        asked: share.asked,
        stop,
        length,
        ranks: share.ranks as u64,
        tables: match others && job.program.guest {
            true => guests.encode(),
            false => Vec::new(),
        },
        stood: protocol.stalls().0,
        passage: share.passage,
        uses: match others && apart {
            true => window::uses(),
            false => Vec::new(),
        },
        disturbed: share.disturbed,
    }
}

/// The part of another process than the first.
fn follow(job: &Job, peers: &dyn Peers, protocol: &mut dyn Protocol) -> After {
    let offer = offer(job, protocol);
    peers.gather(&offer.encode());
    let place = decode_place(&peers.spread(&[]), peers.index()).unwrap_or_else(|e| broken(e));
    if let Some((path, at, mut guests)) = place {
        let mut write = || -> io::Result<Vec<Entry>> {
            let length = offer.length.clone().unwrap_or(0);
            let mut file = high(OpenOptions::new().write(true).open(&path)?);
            file.seek(SeekFrom::Start(at))?;
            let mut out = Writer::part(&mut file, at);
            protocol.write(job, &mut guests, &mut out)?;
            check(out.offset() - at, length)?;
            let entries = out.into_entries()?;
            file.sync_all()?;
            Ok(entries)
        };
        let part = write().map_err(|e| format!("{}: {e}", path.display()));
        peers.gather(&encode_part(&part));
    }
    let (passage, what, stop) = decode_outcome(&peers.spread(&[])).unwrap_or_else(|e| broken(e));
    job.control.done(passage, what, protocol.since().elapsed());
    After::of(stop)
}

fn check(written: u64, counted: u64) -> io::Result<()> {
    if written == counted {
        return Ok(());
    }
    let why = format!("internal error: {written} bytes instead of {counted}");
    Err(io::Error::other(why))
}

/// The first process, or the only one.
fn lead(job: &Job, peers: &dyn Peers, protocol: &mut dyn Protocol) -> Written {
    let apart = protocol.is_apart();
    let before = apart.then(|| offer(job, protocol));
    // Where ranks stand still, the others' output comes first: then ours stands behind it.
    let others = peers.gather(&[]);
    let own = before.unwrap_or_else(|| offer(job, protocol));
    let own_passage = own.passage;
    let decode = |b: &Vec<u8>| Offer::decode(b).unwrap_or_else(|e| broken(e));
    let mut offers = vec![own];
    offers.extend(others.iter().skip(1).map(decode));
    let passage = match apart {
        true => offers.iter().map(|o| o.passage).max().unwrap_or(0),
        false => own_passage,
    };
    if let Some(why) = disturbed(&offers) {
        peers.spread(&encode_places("", &[], &[]));
        peers.spread(&encode_outcome(passage, &Outcome::Disturbed, false));
        return Written::Disturbed(why);
    }
    let stop = offers.iter().any(|o| o.stop);
    let what = write_together(job, peers, protocol, offers, passage);
    let stops = job.control.done(passage, what, protocol.since().elapsed());
    let stop = stops || (stop && what == Taken::Committed);
    peers.spread(&encode_outcome(passage, &Outcome::Over(what), stop));
    Written::After(After::of(stop))
}

/// Why local checkpoints do not fit together.
fn disturbed(offers: &[Offer]) -> Option<String> {
    // A process that knows which rank it was says so.
    let reasons = || offers.iter().filter_map(|o| o.disturbed.clone());
    let known = reasons().find(|why| why.starts_with("rank "));
    known.or_else(|| reasons().next()).or_else(|| {
        let uses = offers.iter().map(|o| &o.uses[..]);
        window::clash_of(uses).unwrap_or_else(|e| broken(e))
    })
}

/// Writes what all have, if nothing stands in the way.
fn write_together(
    job: &Job,
    peers: &dyn Peers,
    protocol: &mut dyn Protocol,
    offers: Vec<Offer>,
    passage: u64,
) -> Taken {
    let asked = offers.iter().any(|o| o.asked);
    let mut guests = Tables::new();
    for offer in offers.iter().filter(|_| job.program.guest) {
        let merged = guests.merge(&tables(&offer.tables));
        merged.unwrap_or_else(|e| broken(e));
    }
    let stalls: Vec<(u64, Duration)> = offers.iter().flat_map(|o| o.stood.clone()).collect();
    let now = Instant::now();
    let until_now = |stalls: Vec<(u64, Duration)>| {
        // On other machines' clocks only durations mean anything here.
        let more = now.elapsed();
        Stalls(
            stalls
                .into_iter()
                .map(|(r, time)| (r, time + more))
                .collect(),
        )
    };
    let ranks = offers.iter().map(|o| o.ranks).sum();
    let lengths: Result<Vec<u64>, Skipped> = offers.into_iter().map(|o| o.length).collect();
    let lengths = match lengths {
        Ok(lengths) => lengths,
        Err(obstacle) => {
            peers.spread(&encode_places("", &[], &[]));
            return job.skipped(&obstacle, asked);
        }
    };
    let apart = protocol.is_apart();
    let mut told = false;
    let done = make_durable(
        job,
        asked,
        || match apart {
            true => Stalls(stalls),
            false => until_now(stalls),
        },
        |path, file, id| {
            told = true;
            let begun = (path, file, id);
            let of = (ranks, passage);
            write(job, peers, protocol, &mut guests, of, begun, &lengths)
        },
    );
    if !told {
        peers.spread(&encode_places("", &[], &[]));
    }
    done
}

/// One file of all processes' parts.
fn write(
    job: &Job,
    peers: &dyn Peers,
    protocol: &mut dyn Protocol,
    guests: &mut Tables,
    (ranks, passage): (u64, u64),
    (path, file, id): (&str, &mut File, u64),
    lengths: &[u64],
) -> io::Result<()> {
    let several = job.peers().is_some();
    let begun = match protocol.is_apart() {
        true => Writer::apart(file, id),
        false => Writer::new(file, id),
    };
    let begun = begun.and_then(|mut out| {
        save::head(job, ranks as usize, passage, &mut out)?;
        if job.program.guest && several {
            guests.write(&mut out)?;
        }
        Ok(out)
    });
    let mut out = match begun {
        Ok(out) => out,
        Err(e) => {
            peers.spread(&encode_places("", &[], &[]));
            return Err(e);
        }
    };
    let mut at = out.offset();
    let mut places = Vec::new();
    for n in lengths {
        places.push(at);
        at += n;
    }
    let all = match job.program.guest {
        true => guests.encode(),
        false => Vec::new(),
    };
    peers.spread(&encode_places(path, &places, &all));
    let own = protocol.write(job, guests, &mut out);
    let answers = peers.gather(&[]);
    own?;
    if several {
        check(out.offset() - places[0], lengths[0])?;
        let mut others = Vec::new();
        for (i, answer) in answers.iter().enumerate().skip(1) {
            let part = decode_part(answer).unwrap_or_else(|e| broken(e));
            others.extend(part.map_err(|why| io::Error::other(format!("process {i}: {why}")))?);
        }
        out.skip(others, at)?;
    } else if job.program.guest {
        // What guests refer to is known when they have been written.
        guests.write(&mut out)?;
    }
    out.finish()?;
    Ok(())
}

/// Has a checkpoint written to a temporary file and makes it the next one.
/// `stalls`: asked for once it is there.
fn make_durable(
    job: &Job,
    asked: bool,
    stalls: impl FnOnce() -> Stalls,
    write: impl FnOnce(&str, &mut File, u64) -> io::Result<()>,
) -> Taken {
    if job.detached {
        return Taken::Committed;
    }
    let committed = job.open_store().and_then(|()| {
        if let Some(store) = lock(&job.store).as_mut() {
            let id = store.commit(write)?;
            store.note_stalls(id, &stalls());
        }
        Ok(())
    });
    match committed {
        Ok(()) => {
            lock(&job.failures).clear();
            Taken::Committed
        }
        Err(error) => job.not_written(&error.to_string(), asked),
    }
}
