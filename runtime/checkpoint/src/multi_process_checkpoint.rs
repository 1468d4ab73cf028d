//! What processes say to each other of a checkpoint that they write together.

use std::path::PathBuf;
use std::time::Duration;

use pc3_control::control::Attempted;
use pc3_control::report::{die, EXIT_FATAL};
use pc3_format::bytes::{DecodeError, Decoder, Encoder};
use pc3_format::file::{Entry, SECTIONS};
use pc3_format::increments::pack::Pack;
use pc3_format::increments::table::{decode_packs, encode_packs};
use pc3_state::guest::Tables;
use pc3_state::skipped_checkpoint::Skipped;

type Decoded<T> = Result<T, DecodeError>;

/// What a process has for the checkpoint.
#[derive(Debug, PartialEq)]
pub(crate) struct Proposal {
    pub asked: bool,
    pub stop: bool,
    /// Bytes, or what stands in the way.
    pub length: Result<u64, Skipped>,
    /// Of so many ranks: not of those that were spawned when local checkpoints had been taken.
    pub ranks: u64,
    /// Types and functions that a guest's ranks have.
    pub tables: Vec<u8>,
    /// How long its ranks have stood still when it is sent.
    pub stood: Vec<(u64, Duration)>,
    /// Of local checkpoints: the locations that their ranks had passed at most, which files are used by whom, and what
    /// was done meanwhile that they do not fit together for.
    pub passage: u64,
    pub uses: Vec<u8>,
    pub disturbed: Option<String>,
}

impl Proposal {
    pub fn encode(&self) -> Vec<u8> {
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
        encode_stalls(&mut e, &self.stood);
        e.u64(self.passage);
        e.bytes(&self.uses);
        e.str(self.disturbed.as_deref().unwrap_or(""));
        e.0
    }

    pub fn decode(bytes: &[u8]) -> Decoded<Proposal> {
        let mut d = Decoder::new(bytes, "a proposal");
        let (asked, stop) = (d.u64()? != 0, d.u64()? != 0);
        let length = match d.u64()? {
            0 => Err(Skipped::InTheWay(d.str()?)),
            1 => Ok(d.u64()?),
            _ => Err(Skipped::NoMemory(d.str()?)),
        };
        let ranks = d.u64()?;
        let tables = d.bytes()?.to_vec();
        Ok(Proposal {
            asked,
            stop,
            length,
            ranks,
            tables,
            stood: decode_stalls(&mut d)?,
            passage: d.u64()?,
            uses: d.bytes()?.to_vec(),
            disturbed: Some(d.str()?).filter(|why| !why.is_empty()),
        })
    }
}

/// Where the part of a process goes.
pub(crate) struct Place {
    pub path: PathBuf,
    pub at: u64,
    /// Types and functions of all guests.
    pub tables: Tables,
    /// Ranks may go on, from this passage, while it is written.
    pub behind: Option<u64>,
    /// What has changed goes into a pack, of the checkpoint of that id; where the rest goes is said later.
    pub increments: Option<u64>,
}

/// Where the parts go, and the types and functions of all guests.
pub(crate) fn encode_places(
    path: &str,
    places: &[u64],
    tables: &[u8],
    behind: Option<u64>,
    increments: Option<u64>,
) -> Vec<u8> {
    let mut e = Encoder::default();
    e.bytes(tables);
    e.str(path);
    e.len(places.len());
    places.iter().for_each(|p| e.u64(*p));
    for number in [behind, increments] {
        e.u64(number.is_some().into());
        e.u64(number.unwrap_or(0));
    }
    e.0
}

/// There is no file: nobody writes.
pub(crate) fn encode_no_places() -> Vec<u8> {
    encode_places("", &[], &[], None, None)
}

pub(crate) fn decode_place(bytes: &[u8], index: usize) -> Decoded<Option<Place>> {
    let mut d = Decoder::new(bytes, "places");
    let tables = tables(d.bytes()?);
    let path = PathBuf::from(d.str()?);
    let n = d.u64()?;
    let places: Vec<u64> = (0..n).map(|_| d.u64()).collect::<Decoded<_>>()?;
    let mut number = || {
        let (is_there, number) = (d.u64()? != 0, d.u64()?);
        Ok(is_there.then_some(number))
    };
    let (behind, increments) = (number()?, number()?);
    Ok(places.get(index).map(|at| Place {
        path,
        at: *at,
        tables,
        behind,
        increments,
    }))
}

/// The length of a part that waits for its place; none: it could not be made.
pub(crate) fn encode_length(length: Option<u64>) -> Vec<u8> {
    let mut e = Encoder::default();
    e.u64(length.is_some().into());
    e.u64(length.unwrap_or(0));
    e.0
}

pub(crate) fn decode_length(bytes: &[u8]) -> Decoded<Option<u64>> {
    let mut d = Decoder::new(bytes, "a length");
    let (is_there, length) = (d.u64()? != 0, d.u64()?);
    Ok(is_there.then_some(length))
}

/// Where parts go that waited for their places; none: nowhere, as one could not be made.
pub(crate) fn encode_late_places(places: &[u64]) -> Vec<u8> {
    let mut e = Encoder::default();
    e.len(places.len());
    places.iter().for_each(|p| e.u64(*p));
    e.0
}

pub(crate) fn decode_late_place(bytes: &[u8], index: usize) -> Decoded<Option<u64>> {
    let mut d = Decoder::new(bytes, "places");
    let places = d.list(8, Decoder::u64)?;
    Ok(places.get(index).copied())
}

fn encode_stalls(e: &mut Encoder, stalls: &[(u64, Duration)]) {
    e.len(stalls.len());
    for (rank, time) in stalls {
        e.u64(*rank);
        e.u64(time.as_nanos() as u64);
    }
}

fn decode_stalls(d: &mut Decoder) -> Decoded<Vec<(u64, Duration)>> {
    let times = d.u64()?;
    let one = |d: &mut Decoder| Ok((d.u64()?, Duration::from_nanos(d.u64()?)));
    (0..times).map(|_| one(d)).collect()
}

/// A part that has been written.
#[derive(Debug, PartialEq)]
pub(crate) struct Part {
    pub entries: Vec<Entry>,
    pub packs: Vec<Pack>,
    /// How long its ranks have stood still, if they have gone on.
    pub stood: Vec<(u64, Duration)>,
}

pub(crate) fn encode_part(part: &Result<Part, String>) -> Vec<u8> {
    let mut e = Encoder::default();
    match part {
        Err(why) => {
            e.u64(0);
            e.str(why);
        }
        Ok(Part {
            entries,
            packs,
            stood,
        }) => {
            e.u64(1);
            e.len(entries.len());
            for x in entries {
                for v in [x.section as u64, x.rank, x.offset, x.length, x.hash] {
                    e.u64(v);
                }
            }
            encode_packs(&mut e, packs);
            encode_stalls(&mut e, stood);
        }
    }
    e.0
}

pub(crate) fn decode_part(bytes: &[u8]) -> Decoded<Result<Part, String>> {
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
    let entries = (0..n).map(|_| one(&mut d)).collect::<Decoded<_>>()?;
    Ok(Ok(Part {
        entries,
        packs: decode_packs(&mut d)?,
        stood: decode_stalls(&mut d)?,
    }))
}

pub(crate) fn broken(e: impl std::fmt::Display) -> ! {
    die(
        EXIT_FATAL,
        &format!("internal error: what another process says of a checkpoint: {e}"),
    )
}

pub(crate) fn tables(bytes: &[u8]) -> Tables {
    match bytes {
        [] => Tables::new(),
        bytes => Tables::decode(bytes).unwrap_or_else(|e| broken(e)),
    }
}

/// What has become of a checkpoint.
pub(crate) enum Outcome {
    Over(Attempted),
    /// Local checkpoints do not fit together.
    Disturbed,
}

/// `passage`: as far as ranks had come; `stop`: the job is to end now.
pub(crate) fn encode_outcome(passage: u64, what: &Outcome, stop: bool) -> Vec<u8> {
    let number = match what {
        Outcome::Over(Attempted::Committed) => 0,
        Outcome::Over(Attempted::InTheWay) => 1,
        Outcome::Over(Attempted::Failed) => 2,
        Outcome::Disturbed => 3,
    };
    let mut e = Encoder::default();
    for v in [passage, number, stop.into()] {
        e.u64(v);
    }
    e.0
}

/// As processes see it that follow: to these a disturbed one was none.
pub(crate) fn decode_outcome(bytes: &[u8]) -> Decoded<(u64, Attempted, bool)> {
    let mut d = Decoder::new(bytes, "outcome");
    let (passage, what, stop) = (d.u64()?, d.u64()?, d.u64()? != 0);
    let what = match what {
        0 => Attempted::Committed,
        1 | 3 => Attempted::InTheWay,
        _ => Attempted::Failed,
    };
    Ok((passage, what, stop))
}
