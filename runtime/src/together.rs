//! A checkpoint of several processes: one file, written by all of them at once into a file system that they share.
//!
//! Each says what stands in the way of a checkpoint, or how many bytes its ranks take.  Process 0 begins a temporary
//! file and tells each where in it its part goes; each writes it, makes it durable and answers with its sections;
//! process 0 adds the section table and commits.  What goes wrong in any of them leaves the last checkpoint as it was.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::control::Taken;
use crate::files::own::high;
use crate::format::bytes::{DecodeError, Decoder, Encoder};
use crate::format::file::{Entry, Writer, SECTIONS};
use crate::guest::Tables;
use crate::job::{stood, until_now, After, Job};
use crate::library;
use crate::peers::Peers;
use crate::rank::Rank;
use crate::save;
use crate::tell::flush_standard;

type Decoded<T> = Result<T, DecodeError>;

/// What a process has for the checkpoint.
struct Offer {
    asked: bool,
    stop: bool,
    /// Bytes, or what stands in the way.
    length: Result<u64, String>,
    /// Types and functions that a guest's ranks have.
    tables: Vec<u8>,
    /// How long its ranks have stood still when it is sent.
    stood: Vec<(u64, Duration)>,
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
            Err(why) => {
                e.u64(0);
                e.str(why);
            }
        }
        e.bytes(&self.tables);
        e.len(self.stood.len());
        for (rank, time) in &self.stood {
            e.u64(*rank);
            e.u64(time.as_nanos() as u64);
        }
        e.0
    }

    fn decode(bytes: &[u8]) -> Decoded<Offer> {
        let mut d = Decoder::new(bytes, "an offer");
        let (asked, stop) = (d.u64()? != 0, d.u64()? != 0);
        let length = match d.u64()? {
            1 => Ok(d.u64()?),
            _ => Err(d.str()?),
        };
        let tables = d.bytes()?.to_vec();
        let ranks = d.u64()?;
        let one = |d: &mut Decoder| Ok((d.u64()?, Duration::from_nanos(d.u64()?)));
        Ok(Offer {
            asked,
            stop,
            length,
            tables,
            stood: (0..ranks).map(|_| one(&mut d)).collect::<Decoded<_>>()?,
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

/// This process's part of the checkpoint.
pub(crate) fn checkpoint(
    job: &Job,
    peers: &dyn Peers,
    ranks: &mut [&mut Rank],
    passage: u64,
) -> After {
    if peers.index() == 0 {
        lead(job, peers, ranks, passage)
    } else {
        follow(job, peers, ranks)
    }
}

fn broken(e: impl std::fmt::Display) -> ! {
    crate::tell::die(
        crate::tell::EXIT_FATAL,
        &format!("internal error: what another process says of a checkpoint: {e}"),
    )
}

/// Counts this process's part, once nothing stands in the way.
fn offer(job: &Job, ranks: &mut [&mut Rank]) -> Offer {
    let stop = job.control.stop_asked();
    let asked = job.control.begin();
    let mut guests = Tables::new();
    let mut count = |ranks: &mut [&mut Rank]| {
        library::gather(ranks)?;
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
        tables,
        stood: until_now(&stood(ranks)).0,
    }
}

fn tables(bytes: &[u8]) -> Tables {
    match bytes {
        [] => Tables::new(),
        bytes => Tables::decode(bytes).unwrap_or_else(|e| broken(e)),
    }
}

fn follow(job: &Job, peers: &dyn Peers, ranks: &mut [&mut Rank]) -> After {
    let start = Instant::now();
    // What these processes have printed is written when process 0 looks where the output stands.
    flush_standard();
    let offer = offer(job, ranks);
    peers.gather(&offer.encode());
    let place = decode_place(&peers.spread(&[]), peers.index()).unwrap_or_else(|e| broken(e));
    if let Some((path, at, mut guests)) = place {
        let mut write = || -> io::Result<Vec<Entry>> {
            let length = offer.length.clone().unwrap_or(0);
            let mut file = high(OpenOptions::new().write(true).open(&path)?);
            file.seek(SeekFrom::Start(at))?;
            let mut out = Writer::part(&mut file, at);
            save::parts(job, ranks, &mut guests, &mut out)?;
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
        1 => Taken::InTheWay,
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

fn lead(job: &Job, peers: &dyn Peers, ranks: &mut [&mut Rank], passage: u64) -> After {
    let start = Instant::now();
    let decode = |b: &Vec<u8>| Offer::decode(b).unwrap_or_else(|e| broken(e));
    // The others' output first: then ours stands behind it.
    let mut offers: Vec<Offer> = peers.gather(&[]).iter().skip(1).map(decode).collect();
    offers.insert(0, offer(job, ranks));
    let asked = offers.iter().any(|o| o.asked);
    let stop = offers.iter().any(|o| o.stop);
    let mut guests = Tables::new();
    for offer in offers.iter().filter(|_| job.program.guest) {
        let merged = guests.merge(tables(&offer.tables));
        merged.unwrap_or_else(|e| broken(e));
    }
    let now = Instant::now();
    // On other machines' clocks only durations mean anything here.
    let since = |&(rank, time): &(u64, Duration)| Some((rank, now.checked_sub(time)?));
    let stood: Vec<(u64, Instant)> = offers
        .iter()
        .flat_map(|o| &o.stood)
        .filter_map(since)
        .collect();
    let lengths: Result<Vec<u64>, String> = offers.into_iter().map(|o| o.length).collect();
    let what = match lengths {
        Ok(lengths) => {
            let mut told = false;
            let done = job.commit(
                asked,
                || until_now(&stood),
                |path, file, id| {
                    told = true;
                    write(
                        job,
                        peers,
                        ranks,
                        &mut guests,
                        passage,
                        (path, file, id),
                        &lengths,
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
            job.in_the_way(&obstacle, asked)
        }
    };
    let stops = job.control.done(passage, what, start.elapsed());
    let stop = stops || (stop && what == Taken::Committed);
    let number = match what {
        Taken::Committed => 0,
        Taken::InTheWay => 1,
        Taken::Failed => 2,
    };
    let mut e = Encoder::default();
    for v in [passage, number, stop.into()] {
        e.u64(v);
    }
    peers.spread(&e.0);
    if stop {
        After::Stop
    } else {
        After::Continue
    }
}

fn write(
    job: &Job,
    peers: &dyn Peers,
    ranks: &mut [&mut Rank],
    guests: &mut Tables,
    passage: u64,
    (path, file, id): (&str, &mut File, u64),
    lengths: &[u64],
) -> io::Result<()> {
    let begun = Writer::new(file, id).and_then(|mut out| {
        save::head(job, passage, &mut out)?;
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
    let own = save::parts(job, ranks, guests, &mut out);
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
