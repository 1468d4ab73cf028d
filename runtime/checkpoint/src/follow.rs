//! What another process than the first does for a checkpoint: it writes its part of the file.
//!
//! Where that goes it is told before: the lengths of all parts are known.  Of a part that holds what has changed the length is
//! known when it has been written: it waits in memory for its place, and its pack has what is large.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::sync::mpsc::Receiver;
use std::sync::Arc;

use pc3_control::peers::Peers;
use pc3_format::file::{Entry, Writer};
use pc3_format::increments::chunker::Chunker;
use pc3_format::increments::pack::Pack;
use pc3_format::kept::Kept;
use pc3_os::own;
use pc3_state::job::Job;

use crate::behind::{self, Hand};
use crate::commit::{proposal, After, Source, Stood};
use crate::increments::{of_part, Packed};
use crate::multi_process_checkpoint::{
    broken, decode_late_place, decode_outcome, decode_place, encode_length, encode_part, Part,
    Place,
};

pub(crate) fn follow(job: &Arc<Job>, peers: &dyn Peers, source: &mut dyn Source) -> After {
    let proposal = proposal(job, source);
    peers.gather(&proposal.encode());
    let place = decode_place(&peers.spread(&[]), peers.index()).unwrap_or_else(|e| broken(e));
    let (mut behind, mut packed) = (None, None);
    if let Some(mut place) = place {
        behind = place.behind;
        let length = proposal.length.unwrap_or(0);
        let hand = behind.and_then(|_| behind::start(job, length, write_behind));
        let path = place.path.display().to_string();
        let begun = Begun::of(job, peers, &place);
        let filled = match (behind, hand, begun) {
            (Some(passage), Some(hand), Ok(begun)) => {
                leave(job, peers, source, (begun, place, length), hand);
                job.control.goes_on(passage);
                return After::Continue;
            }
            (_, _, Ok(begun)) => begun.fill(Some(length), |out| {
                source.write(job, &mut place.tables, out)
            }),
            (_, _, Err(e)) => Err(e),
        };
        if behind.is_some() {
            peers.meet();
        }
        let stood = Vec::new();
        packed = answer(peers, place.increments.is_some(), (filled, stood), &path);
    }
    let (passage, what, stop) = decode_outcome(&peers.spread(&[])).unwrap_or_else(|e| broken(e));
    if let Some(packed) = packed {
        packed.settle(job, what);
    }
    match behind {
        Some(passage) => {
            job.control.goes_on(passage);
            job.control.written(what);
        }
        None => drop(job.control.done(passage, what, source.since().elapsed())),
    }
    After::of(stop)
}

/// The file, and where the part goes, if that is known: else it waits.
struct Begun {
    file: File,
    at: u64,
    path: String,
    chunks: Option<(Chunker, Packed)>,
}

impl Begun {
    fn of(job: &Job, peers: &dyn Peers, place: &Place) -> io::Result<Begun> {
        let file = own::high(OpenOptions::new().write(true).open(&place.path)?);
        let process = peers.index() as u64;
        let chunks = place.increments;
        let chunks = chunks.map(|id| of_part(job, id, process, &place.path));
        Ok(Begun {
            file,
            at: place.at,
            path: place.path.display().to_string(),
            chunks: chunks.transpose()?,
        })
    }

    /// `length`: what it is to have.
    fn fill(
        self,
        length: Option<u64>,
        write: impl FnOnce(&mut Writer) -> io::Result<()>,
    ) -> io::Result<Filled> {
        let mut file = self.file;
        if let Some((chunker, mut packed)) = self.chunks {
            let mut out = Writer::keeping_chunks(chunker);
            write(&mut out)?;
            let part = out.into_part()?;
            part.ready.map_or(Ok(()), |ready| packed.written(ready))?;
            return Ok(Filled {
                file,
                entries: part.entries,
                packs: part.packs,
                waits: Some((part.kept, packed)),
            });
        }
        file.seek(SeekFrom::Start(self.at))?;
        let mut out = Writer::part(&mut file, self.at);
        write(&mut out)?;
        length.map_or(Ok(()), |n| check(out.offset() - self.at, n))?;
        let entries = out.into_entries()?;
        file.sync_all()?;
        Ok(Filled {
            file,
            entries,
            packs: Vec::new(),
            waits: None,
        })
    }
}

/// All that is to be in the part is there.
struct Filled {
    file: File,
    entries: Vec<Entry>,
    packs: Vec<Pack>,
    /// In memory, until its place is known.
    waits: Option<(Kept, Packed)>,
}

impl Filled {
    /// Writes what waits.
    fn put(&mut self, at: u64) -> io::Result<()> {
        if let Some((kept, _)) = &self.waits {
            self.file.seek(SeekFrom::Start(at))?;
            let mut pieces = kept.pieces(0, kept.length());
            pieces.try_for_each(|p| self.file.write_all(p))?;
            self.file.sync_all()?;
            self.entries.iter_mut().for_each(|e| e.offset += at);
        }
        Ok(())
    }
}

/// Answers what has become of the part, which gets its place before if it waits for that.
fn answer(
    peers: &dyn Peers,
    waits: bool,
    (mut filled, stood): (io::Result<Filled>, Stood),
    path: &str,
) -> Option<Packed> {
    if waits {
        let length = filled.as_ref().ok().and_then(|f| f.waits.as_ref());
        peers.gather(&encode_length(length.map(|w| w.0.length() as u64)));
        let place = decode_late_place(&peers.spread(&[]), peers.index());
        let place = place.unwrap_or_else(|e| broken(e));
        filled = filled.and_then(|mut filled| {
            let none = || io::Error::other("another process could not write its part");
            filled.put(place.ok_or_else(none)?)?;
            Ok(filled)
        });
    }
    let mut packed = None;
    let part = filled.map(|filled| {
        packed = filled.waits.map(|w| w.1);
        Part {
            entries: filled.entries,
            packs: filled.packs,
            stood,
        }
    });
    peers.gather(&encode_part(&part.map_err(|e| format!("{path}: {e}"))));
    packed
}

/// The ranks go on when all parts have been copied: what one sends then must not come to one that is still copied.
fn leave(
    job: &Job,
    peers: &dyn Peers,
    source: &mut dyn Source,
    (begun, mut place, length): (Begun, Place, u64),
    hand: Hand<Begun, Stood>,
) {
    let at = begun.at;
    hand.copy(job, (begun, at), |out| {
        source.write(job, &mut place.tables, out)?;
        check(out.offset() - at, length)
    });
    peers.meet();
    hand.leave(source.stalls().0);
}

/// By a thread of its own.
fn write_behind(job: &Job, begun: Begun, copied: &Receiver<Stood>) {
    let (path, waits) = (begun.path.clone(), begun.chunks.is_some());
    let pipe = &job.behind.pipe;
    let filled = begun.fill(None, |out| pipe.receive(out));
    if filled.is_err() {
        pipe.break_off();
    }
    let (Ok(stood), Some(peers)) = (copied.recv(), job.peers()) else {
        return;
    };
    let packed = answer(peers, waits, (filled, stood), &path);
    let (_, what, _) = decode_outcome(&peers.spread(&[])).unwrap_or_else(|e| broken(e));
    if let Some(packed) = packed {
        packed.settle(job, what);
    }
    job.control.written(what);
}

pub(crate) fn check(written: u64, counted: u64) -> io::Result<()> {
    if written == counted {
        return Ok(());
    }
    let why = format!("internal error: {written} bytes instead of {counted}");
    Err(io::Error::other(why))
}
