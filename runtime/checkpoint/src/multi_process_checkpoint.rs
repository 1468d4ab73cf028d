//! A checkpoint of several processes: one file, written by all of them at once into a file system that they share.  Its ranks
//! stand still, or have taken their local checkpoints one by one ([`commit_local`]).
//!
//! Each says what stands in the way of a checkpoint, or how many bytes its ranks take.  Process 0 begins a temporary
//! file and tells each where in it its part goes; each writes it, makes it durable and answers with its sections;
//! process 0 adds the section table and commits.  What goes wrong in any of them leaves the last checkpoint as it was.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pc3_control::control::Taken;
use pc3_format::bytes::{DecodeError, Decoder, Encoder};
use pc3_format::file::{Entry, Writer, SECTIONS};
use pc3_os::threads::lock;
use pc3_process::files::window;
use pc3_state::guest::Tables;

use crate::commit::{commit, stood, until_now, After};
use crate::process::gather;
use crate::save::{self, Part};
use pc3_control::peers::Peers;
use pc3_control::report::flush_standard;
use pc3_control::store::Stalls;
use pc3_os::own::high;
use pc3_state::job::Job;
use pc3_state::rank::Rank;
use pc3_state::skipped_checkpoint::Skipped;

type Decoded<T> = Result<T, DecodeError>;

/// What a process has for the checkpoint.
#[derive(Debug, PartialEq)]
struct Offer {
    asked: bool,
    stop: bool,
    /// Bytes, or what stands in the way.
    length: Result<u64, Skipped>,
    /// Of so many ranks: not of those that were spawned when local checkpoints had been taken.
    ranks: u64,
    /// Types and functions that a guest's ranks have.
    tables: Vec<u8>,
    /// How long its ranks have stood still when it is sent.
    stood: Vec<(u64, Duration)>,
    /// Of local checkpoints: the locations that their ranks had passed at most, which files are used by whom, and what
    /// was done meanwhile that they do not fit together for.
    passage: u64,
    uses: Vec<u8>,
    disturbed: Option<String>,
}

impl Offer {
    fn encode(&self) -> Vec<u8> {
        let mut e = Encoder::default();
        e.u64(self.asked.into());
        e.u64(self.stop.into());
        match &self.length {
            Ok(n) => {
                e.u64(1);
                e.u64(*n);
            }
            Err(Skipped::InTheWay(why)) => {
                e.u64(0);
                e.str(why);
            }
            Err(Skipped::NoMemory(why)) => {
                e.u64(2);
                e.str(why);
            }
        }
        e.u64(self.ranks);
        e.bytes(&self.tables);
        e.len(self.stood.len());
        for (rank, time) in &self.stood {
            e.u64(*rank);
            e.u64(time.as_nanos() as u64);
        }
        e.u64(self.passage);
        e.bytes(&self.uses);
        e.str(self.disturbed.as_deref().unwrap_or(""));
        e.0
    }

    fn decode(bytes: &[u8]) -> Decoded<Offer> {
        let mut d = Decoder::new(bytes, "an offer");
        let (asked, stop) = (d.u64()? != 0, d.u64()? != 0);
        let length = match d.u64()? {
            0 => Err(Skipped::InTheWay(d.str()?)),
            1 => Ok(d.u64()?),
            _ => Err(Skipped::NoMemory(d.str()?)),
        };
        let ranks = d.u64()?;
        let tables = d.bytes()?.to_vec();
        let times = d.u64()?;
        let one = |d: &mut Decoder| Ok((d.u64()?, Duration::from_nanos(d.u64()?)));
        Ok(Offer {
            asked,
            stop,
            length,
            ranks,
            tables,
            stood: (0..times).map(|_| one(&mut d)).collect::<Decoded<_>>()?,
            passage: d.u64()?,
            uses: d.bytes()?.to_vec(),
            disturbed: Some(d.str()?).filter(|why| !why.is_empty()),
        })
    }
}

/// Where the parts go, and the types and functions of all guests; nobody writes if there is no file.
fn encode_places(path: &str, places: &[u64], tables: &[u8]) -> Vec<u8> {
    let mut e = Encoder::default();
    e.bytes(tables);
    e.str(path);
    e.len(places.len());
    places.iter().for_each(|p| e.u64(*p));
    e.0
}

fn decode_place(bytes: &[u8], index: usize) -> Decoded<Option<(PathBuf, u64, Tables)>> {
    let mut d = Decoder::new(bytes, "places");
    let tables = tables(d.bytes()?);
    let path = d.str()?;
    let n = d.u64()?;
    let places: Vec<u64> = (0..n).map(|_| d.u64()).collect::<Decoded<_>>()?;
    let place = places.get(index);
    Ok(place.map(|at| (PathBuf::from(path), *at, tables)))
}

fn encode_part(part: &Result<Vec<Entry>, String>) -> Vec<u8> {
    let mut e = Encoder::default();
    match part {
        Err(why) => {
            e.u64(0);
            e.str(why);
        }
        Ok(entries) => {
            e.u64(1);
            e.len(entries.len());
            for x in entries {
                for v in [x.section as u64, x.rank, x.offset, x.length, x.hash] {
                    e.u64(v);
                }
            }
        }
    }
    e.0
}

fn decode_part(bytes: &[u8]) -> Decoded<Result<Vec<Entry>, String>> {
    let mut d = Decoder::new(bytes, "a part");
    if d.u64()? == 0 {
        return Ok(Err(d.str()?));
    }
    let n = d.u64()?;
    let one = |d: &mut Decoder| {
        let kind = d.u64()?;
        let section = SECTIONS.into_iter().find(|s| *s as u64 == kind);
        Ok(Entry {
            section: section.ok_or(DecodeError::Invalid("section"))?,
            rank: d.u64()?,
            offset: d.u64()?,
            length: d.u64()?,
            hash: d.u64()?,
        })
    };
    (0..n).map(|_| one(&mut d)).collect::<Decoded<_>>().map(Ok)
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

/// What has become of them.
pub enum Written {
    After(After),
    /// They do not fit together; the next may.
    Disturbed(String),
}

/// What a process writes, once it is counted.
type Write<'a> = dyn FnMut(&mut Tables, &mut Writer) -> io::Result<()> + 'a;

/// This process's part of the checkpoint of ranks that stand still.
pub fn checkpoint(job: &Job, peers: &dyn Peers, ranks: &mut [&mut Rank], passage: u64) -> After {
    let start = Instant::now();
    if peers.index() != 0 {
        // What these processes have printed is written when process 0 looks where the output stands.
        flush_standard();
        let offer = offer(job, ranks);
        return follow(job, peers, start, &offer, &mut |guests, out| {
            save::parts(job, ranks, guests, out)
        });
    }
    // The others' output first: then ours stands behind it.
    let others = peers.gather(&[]);
    let offer = offer(job, ranks);
    let passage = Some(passage);
    let written = lead(
        job,
        peers,
        start,
        passage,
        (offer, others),
        &mut |guests, out| save::parts(job, ranks, guests, out),
    );
    match written {
        Written::After(after) => after,
        Written::Disturbed(_) => After::Continue,
    }
}

/// This process's part of a checkpoint that ranks have taken one by one; others go on.
pub fn commit_local(job: &Job, peers: &dyn Peers, mine: &LocalCheckpoints) -> Written {
    let stop = job.control.stop_asked();
    let parts = mine.parts.clone();
    let guests = match job.program.guest {
        true => lock(job.guests()).encode(),
        false => Vec::new(),
    };
    let mut write = |all: &mut Tables, out: &mut Writer| {
        let parts = parts.as_ref().map_err(|e| io::Error::other(e.why()))?;
        let numbers = all.merge(tables(&guests)).map_err(io::Error::other)?;
        save::taken(parts, Some(&numbers), out)
    };
    let count = || {
        let mut out = Writer::counting();
        write(&mut Tables::new(), &mut out).map_err(|e| e.to_string())?;
        Ok(out.offset())
    };
    let offer = Offer {
        asked: mine.asked,
        stop,
        length: mine.parts.clone().and_then(|_| count()),
        ranks: mine.parts.as_ref().map_or(0, |parts| parts.len() as u64),
        tables: guests.clone(),
        stood: mine.stalls.0.clone(),
        passage: mine.passage,
        uses: window::uses(),
        disturbed: mine.disturbed.clone(),
    };
    if peers.index() != 0 {
        return Written::After(follow(job, peers, mine.since, &offer, &mut write));
    }
    let others = peers.gather(&[]);
    lead(job, peers, mine.since, None, (offer, others), &mut write)
}

fn broken(e: impl std::fmt::Display) -> ! {
    pc3_control::report::die(
        pc3_control::report::EXIT_FATAL,
        &format!("internal error: what another process says of a checkpoint: {e}"),
    )
}

/// Counts this process's part, once nothing stands in the way.
fn offer(job: &Job, ranks: &mut [&mut Rank]) -> Offer {
    let stop = job.control.stop_asked();
    let asked = job.control.begin();
    let mut guests = Tables::new();
    let mut count = |ranks: &mut [&mut Rank]| {
        gather::gather(ranks)?;
        let mut out = Writer::counting();
        let counted = save::parts(job, ranks, &mut guests, &mut out);
        counted.map_err(|e| e.to_string())?;
        Ok(out.offset())
    };
    let length = count(ranks);
    let tables = match job.program.guest {
        true => guests.encode(),
        false => Vec::new(),
    };
    Offer {
        asked,
        stop,
        length,
        ranks: ranks.len() as u64,
        tables,
        stood: until_now(&stood(ranks)).0,
        passage: 0,
        uses: Vec::new(),
        disturbed: None,
    }
}

fn tables(bytes: &[u8]) -> Tables {
    match bytes {
        [] => Tables::new(),
        bytes => Tables::decode(bytes).unwrap_or_else(|e| broken(e)),
    }
}

fn follow(
    job: &Job,
    peers: &dyn Peers,
    start: Instant,
    offer: &Offer,
    write_part: &mut Write,
) -> After {
    peers.gather(&offer.encode());
    let place = decode_place(&peers.spread(&[]), peers.index()).unwrap_or_else(|e| broken(e));
    if let Some((path, at, mut guests)) = place {
        let mut write = || -> io::Result<Vec<Entry>> {
            let length = offer.length.clone().unwrap_or(0);
            let mut file = high(OpenOptions::new().write(true).open(&path)?);
            file.seek(SeekFrom::Start(at))?;
            let mut out = Writer::part(&mut file, at);
            write_part(&mut guests, &mut out)?;
            check(out.offset() - at, length)?;
            let entries = out.into_entries()?;
            file.sync_all()?;
            Ok(entries)
        };
        let part = write().map_err(|e| format!("{}: {e}", path.display()));
        peers.gather(&encode_part(&part));
    }
    let outcome = peers.spread(&[]);
    let mut d = Decoder::new(&outcome, "outcome");
    let mut read = || Ok((d.u64()?, d.u64()?, d.u64()? != 0));
    let (passage, what, stop) = read().unwrap_or_else(|e: DecodeError| broken(e));
    let what = match what {
        0 => Taken::Committed,
        1 | DISTURBED => Taken::InTheWay,
        _ => Taken::Failed,
    };
    job.control.done(passage, what, start.elapsed());
    if stop {
        After::Stop
    } else {
        After::Continue
    }
}

fn check(written: u64, counted: u64) -> io::Result<()> {
    if written == counted {
        return Ok(());
    }
    let why = format!("internal error: {written} bytes instead of {counted}");
    Err(io::Error::other(why))
}

/// `own`, and what the others have sent.  `passage`: where all ranks stand; `None`: each has a line of its own.
fn lead(
    job: &Job,
    peers: &dyn Peers,
    start: Instant,
    passage: Option<u64>,
    (own, others): (Offer, Vec<Vec<u8>>),
    write_part: &mut Write,
) -> Written {
    let decode = |b: &Vec<u8>| Offer::decode(b).unwrap_or_else(|e| broken(e));
    let mut offers: Vec<Offer> = others.iter().skip(1).map(decode).collect();
    offers.insert(0, own);
    let apart = passage.is_none();
    let furthest = || offers.iter().map(|o| o.passage).max();
    let passage = passage.or_else(furthest).unwrap_or(0);
    let asked = offers.iter().any(|o| o.asked);
    let stop = offers.iter().any(|o| o.stop);
    let mut guests = Tables::new();
    for offer in offers.iter().filter(|_| job.program.guest) {
        let merged = guests.merge(tables(&offer.tables));
        merged.unwrap_or_else(|e| broken(e));
    }
    let stalls: Vec<(u64, Duration)> = offers.iter().flat_map(|o| o.stood.clone()).collect();
    let now = Instant::now();
    // On other machines' clocks only durations mean anything here.
    let since = |&(rank, time): &(u64, Duration)| Some((rank, now.checked_sub(time)?));
    let stood: Vec<(u64, Instant)> = stalls.iter().filter_map(since).collect();
    // A process that knows which rank it was says so.
    let reasons = || offers.iter().filter_map(|o| o.disturbed.clone());
    let mut disturbed = reasons()
        .find(|why| why.starts_with("rank "))
        .or_else(|| reasons().next());
    if disturbed.is_none() {
        let uses = offers.iter().map(|o| &o.uses[..]);
        disturbed = window::clash_of(uses).unwrap_or_else(|e| broken(e));
    }
    if let Some(why) = disturbed {
        peers.spread(&encode_places("", &[], &[]));
        peers.spread(&encode_outcome(passage, DISTURBED, false));
        return Written::Disturbed(why);
    }
    let ranks = offers.iter().map(|o| o.ranks).sum();
    let lengths: Result<Vec<u64>, Skipped> = offers.into_iter().map(|o| o.length).collect();
    let what = match lengths {
        Ok(lengths) => {
            let mut told = false;
            let done = commit(
                job,
                asked,
                || match apart {
                    true => Stalls(stalls),
                    false => until_now(&stood),
                },
                |path, file, id| {
                    told = true;
                    let begun = (path, file, id, apart);
                    write(
                        job,
                        peers,
                        &mut guests,
                        (ranks, passage),
                        begun,
                        &lengths,
                        write_part,
                    )
                },
            );
            if !told {
                peers.spread(&encode_places("", &[], &[]));
            }
            done
        }
        Err(obstacle) => {
            peers.spread(&encode_places("", &[], &[]));
            job.skipped(&obstacle, asked)
        }
    };
    let stops = job.control.done(passage, what, start.elapsed());
    let stop = stops || (stop && what == Taken::Committed);
    let number = match what {
        Taken::Committed => 0,
        Taken::InTheWay => 1,
        Taken::Failed => 2,
    };
    peers.spread(&encode_outcome(passage, number, stop));
    Written::After(match stop {
        true => After::Stop,
        false => After::Continue,
    })
}

/// Of outcomes: local checkpoints do not fit together.
const DISTURBED: u64 = 3;

fn encode_outcome(passage: u64, what: u64, stop: bool) -> Vec<u8> {
    let mut e = Encoder::default();
    for v in [passage, what, stop.into()] {
        e.u64(v);
    }
    e.0
}

/// `apart`: ranks have lines of their own.
fn write(
    job: &Job,
    peers: &dyn Peers,
    guests: &mut Tables,
    (ranks, passage): (u64, u64),
    (path, file, id, apart): (&str, &mut File, u64, bool),
    lengths: &[u64],
    write_part: &mut Write,
) -> io::Result<()> {
    let begun = match apart {
        true => Writer::apart(file, id),
        false => Writer::new(file, id),
    };
    let begun = begun.and_then(|mut out| {
        save::head(job, ranks as usize, passage, &mut out)?;
        if job.program.guest {
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
    let own = write_part(guests, &mut out);
    let answers = peers.gather(&[]);
    own?;
    check(out.offset() - places[0], lengths[0])?;
    let mut others = Vec::new();
    for (i, answer) in answers.iter().enumerate().skip(1) {
        let part = decode_part(answer).unwrap_or_else(|e| broken(e));
        others.extend(part.map_err(|why| io::Error::other(format!("process {i}: {why}")))?);
    }
    out.skip(others, at)?;
    out.finish()?;
    Ok(())
}
