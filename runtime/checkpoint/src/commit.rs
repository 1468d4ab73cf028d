//! Making a checkpoint durable: the one place where a file becomes the job's newest checkpoint, whichever
//! [protocol](Source) has brought the ranks to it, in one process or several.
//!
//! Several processes write one file at once, into a file system that they share.  Each says what stands in the way of a
//! checkpoint, or how many bytes its ranks take.  Process 0 begins a temporary file and tells each where in it its part
//! goes; each [writes it](follow), makes it durable and answers with its sections; process 0 adds the section table and commits.
//! What goes wrong in any of them leaves the last checkpoint as it was.
//!
//! Where ranks stand still for it, they do so until all processes have copied their parts, and from there on these are
//! written [behind] them; or until it is durable, if the job stops with it, or `PC3_COMMIT=sync` has it so.

use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Receiver;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pc3_control::control::Attempted;
use pc3_control::failpoint::chaos;
use pc3_control::peers::Peers;
use pc3_control::store::{Begun, Stalls, StoreError, Temporary};
use pc3_format::file::{Writer, HEADER};
use pc3_format::increments::chunker::{Known, Ready};
use pc3_os::own;
use pc3_os::signals::without_size_signal;
use pc3_os::threads::lock;
use pc3_process::files::window;
use pc3_state::guest::Tables;
use pc3_state::job::Job;
use pc3_state::skipped_checkpoint::Skipped;

use crate::behind::{self, Hand};
use crate::follow::{check, follow};
use crate::increments::{committed, packed, Opened};
use crate::multi_process_checkpoint::{
    broken, decode_length, decode_part, encode_late_places, encode_no_places, encode_outcome,
    encode_places, tables, Outcome, Proposal,
};
use crate::save;

/// How long ranks have stood still.
pub(crate) type Stood = Vec<(u64, Duration)>;

/// What follows a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    Continue,
    /// The job is to end: call [`Job::stop`].
    Stop,
}

impl After {
    pub(crate) fn of(stop: bool) -> After {
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
pub(crate) trait Source {
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
pub(crate) fn commit(job: &Arc<Job>, source: &mut dyn Source) -> Written {
    match job.peers() {
        Some(peers) if peers.index() != 0 => Written::After(follow(job, peers, source)),
        Some(peers) => lead(job, peers, source),
        None => lead(job, &Alone, source),
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
pub(crate) fn proposal(job: &Job, source: &mut dyn Source) -> Proposal {
    let share = source.take(job);
    // Who asks for that from here on asks for the next one, too.
    let stop = job.control.stop_asked();
    let mut guests = Tables::new();
    let mut count = || {
        let mut out = Writer::counting();
        let counted = source.write(job, &mut guests, &mut out);
        counted.map_err(|e| e.to_string())?;
        Ok(out.offset())
    };
    let alone = job.peers().is_none();
    let length = match share.obstacle {
        Some(why) => Err(why),
        None if alone => Ok(0),
        None => count(),
    };
    let (others, apart) = (!alone, source.is_apart());
    Proposal {
        asked: share.asked,
        stop,
        length,
        ranks: share.ranks as u64,
        tables: match others && job.program.guest {
            true => guests.encode(),
            false => Vec::new(),
        },
        stood: source.stalls().0,
        passage: share.passage,
        uses: match others && apart {
            true => window::uses(),
            false => Vec::new(),
        },
        disturbed: share.disturbed,
    }
}

/// The first process, or the only one.
fn lead(job: &Arc<Job>, peers: &dyn Peers, source: &mut dyn Source) -> Written {
    let apart = source.is_apart();
    let before = apart.then(|| proposal(job, source));
    // Where ranks stand still, the others' output comes first: then ours stands behind it.
    let others = peers.gather(&[]);
    let own = before.unwrap_or_else(|| proposal(job, source));
    let own_passage = own.passage;
    let decode = |b: &Vec<u8>| Proposal::decode(b).unwrap_or_else(|e| broken(e));
    let mut proposals = vec![own];
    proposals.extend(others.iter().skip(1).map(decode));
    let passage = match apart {
        true => proposals.iter().map(|o| o.passage).max().unwrap_or(0),
        false => own_passage,
    };
    if let Some(why) = disturbed(&proposals) {
        peers.spread(&encode_no_places());
        peers.spread(&encode_outcome(passage, &Outcome::Disturbed, false));
        return Written::Disturbed(why);
    }
    let stop = proposals.iter().any(|o| o.stop);
    let behind = !apart && !stop && !job.control.stops() && behind::is_wanted(job);
    let sheet = Sheet::of(job, proposals, passage, behind);
    let Some(what) = write_together(job, peers, source, sheet) else {
        return Written::After(After::Continue);
    };
    let stops = job.control.done(passage, what, source.since().elapsed());
    let stop = stops || (stop && what == Attempted::Committed);
    peers.spread(&encode_outcome(passage, &Outcome::Over(what), stop));
    Written::After(After::of(stop))
}

/// Why local checkpoints do not fit together.
fn disturbed(proposals: &[Proposal]) -> Option<String> {
    // A process that knows which rank it was says so.
    let reasons = || proposals.iter().filter_map(|o| o.disturbed.clone());
    let known = reasons().find(|why| why.starts_with("rank "));
    known.or_else(|| reasons().next()).or_else(|| {
        let uses = proposals.iter().map(|o| &o.uses[..]);
        window::clash_of(uses).unwrap_or_else(|e| broken(e))
    })
}

/// What process 0 knows of a checkpoint.
struct Sheet {
    asked: bool,
    passage: u64,
    /// Of all processes.
    ranks: u64,
    lengths: Result<Vec<u64>, Skipped>,
    guests: Tables,
    /// How long ranks had stood at some time, and when that was.
    stood: Stood,
    then: Instant,
    /// The ranks go on before it is written.
    behind: bool,
    /// The others know where their parts go, which lie up to there.
    placed: Option<u64>,
    /// Its id, if it is to hold what has changed: then the others learn later where.
    increments: Option<u64>,
}

impl Sheet {
    fn of(job: &Job, proposals: Vec<Proposal>, passage: u64, behind: bool) -> Sheet {
        let mut guests = Tables::new();
        for proposal in proposals.iter().filter(|_| job.program.guest) {
            let merged = guests.merge(&tables(&proposal.tables));
            merged.unwrap_or_else(|e| broken(e));
        }
        Sheet {
            asked: proposals.iter().any(|o| o.asked),
            passage,
            ranks: proposals.iter().map(|o| o.ranks).sum(),
            stood: proposals.iter().flat_map(|o| o.stood.clone()).collect(),
            then: Instant::now(),
            lengths: proposals.into_iter().map(|o| o.length).collect(),
            guests,
            behind,
            placed: None,
            increments: None,
        }
    }

    /// Of ranks that stand until now.
    fn stalls(self, apart: bool) -> Stalls {
        // On other machines' clocks only durations mean anything here.
        let more = match apart {
            true => Duration::ZERO,
            false => self.then.elapsed(),
        };
        let until_now = |(rank, time)| (rank, time + more);
        Stalls(self.stood.into_iter().map(until_now).collect())
    }
}

/// Writes what all have, if nothing stands in the way.  None: it is written behind the ranks.
fn write_together(
    job: &Arc<Job>,
    peers: &dyn Peers,
    source: &mut dyn Source,
    mut sheet: Sheet,
) -> Option<Attempted> {
    let asked = sheet.asked;
    let begun = match &sheet.lengths {
        Err(why) => Err(job.skipped(why, asked)),
        Ok(_) if job.detached => Err(Attempted::Committed),
        Ok(_) => begin(job).map_err(|e| job.not_written(&e.to_string(), asked)),
    };
    let opened = match begun {
        Ok(opened) => opened,
        Err(what) => {
            peers.spread(&encode_no_places());
            return Some(what);
        }
    };
    sheet.increments = opened.increments;
    if sheet.behind {
        let bytes = about(job, source, &sheet);
        if let Some(hand) = behind::start(job, bytes, write_behind) {
            leave(job, peers, source, (sheet, opened), hand);
            return None;
        }
        // No thread, or no memory: in time they stand.
        sheet.behind = false;
    }
    Some(write_now(job, peers, source, sheet, opened))
}

fn begin(job: &Job) -> Result<Opened, StoreError> {
    job.open_store()?;
    let store = lock(&job.store);
    let begun = store.as_ref().map_or_else(
        || {
            Err(StoreError::Io {
                path: job.dir().to_owned(),
                error: io::ErrorKind::NotFound.into(),
            })
        },
        |store| store.begin(),
    )?;
    Opened::of(job, begun.out_of_the_way())
}

/// How many bytes this process will copy, as far as that is known.
fn about(job: &Job, source: &mut dyn Source, sheet: &Sheet) -> u64 {
    let counted = sheet.lengths.as_ref().map_or(0, |all| all[0]);
    match counted.max(job.behind.bytes.load(Relaxed)) {
        0 => {
            let mut out = Writer::counting();
            // What goes wrong goes wrong again when it is copied.
            let _ = source.write(job, &mut Tables::new(), &mut out);
            out.offset()
        }
        known => known,
    }
}

/// What the job has once, and this process's part; the others learn where theirs go.
fn own_part(
    job: &Job,
    peers: &dyn Peers,
    source: &mut dyn Source,
    (sheet, path): (&mut Sheet, &str),
    out: &mut Writer,
) -> io::Result<()> {
    save::head(job, sheet.ranks as usize, sheet.passage, out)?;
    let (guest, several) = (job.program.guest, job.peers().is_some());
    if guest && several {
        sheet.guests.write(out)?;
    }
    let lengths: &[u64] = sheet.lengths.as_deref().unwrap_or_default();
    let start = out.offset();
    let mut at = start;
    let mut places = Vec::new();
    for n in lengths {
        places.push(at);
        at += n;
    }
    let all = match guest {
        true => sheet.guests.encode(),
        false => Vec::new(),
    };
    let behind = sheet.behind.then_some(sheet.passage);
    peers.spread(&encode_places(
        path,
        &places,
        &all,
        behind,
        sheet.increments,
    ));
    sheet.placed = Some(at);
    source.write(job, &mut sheet.guests, out)?;
    if several && sheet.increments.is_none() {
        check(out.offset() - start, lengths.first().copied().unwrap_or(0))?;
    } else if guest && !several {
        // What guests refer to is known when they have been written.
        sheet.guests.write(out)?;
    }
    Ok(())
}

/// Has the others write their parts, if they have been told to, behind this process's, which ends at `own` if it could be
/// written. Where their parts end, and their answers.
fn others(
    peers: &dyn Peers,
    (placed, increments): (Option<u64>, Option<u64>),
    own: Option<u64>,
) -> (Option<u64>, Vec<Vec<u8>>) {
    if placed.is_none() || increments.is_none() {
        return (placed, placed.map_or(Vec::new(), |_| peers.gather(&[])));
    }
    let lengths = peers.gather(&[]);
    let lengths = lengths.iter().skip(1);
    let decode = |l: &Vec<u8>| decode_length(l).unwrap_or_else(|e| broken(e));
    let mut places = vec![0];
    let mut end = own;
    for length in lengths.map(decode) {
        places.extend(end);
        end = end.and_then(|end| end.checked_add(length?));
    }
    peers.spread(&match end {
        Some(_) => encode_late_places(&places),
        None => encode_late_places(&[]),
    });
    (end, peers.gather(&[]))
}

/// The others have written their parts, which lie up to there, or could not: the file is whole.  Their ranks' stalls, if
/// these have gone on; and the file's pack.
fn whole(
    mut out: Writer,
    end: Option<u64>,
    answers: &[Vec<u8>],
) -> io::Result<(Stood, Option<Ready>)> {
    let mut stalls = Vec::new();
    if answers.len() > 1 {
        let (mut others, mut packs) = (Vec::new(), Vec::new());
        for (i, answer) in answers.iter().enumerate().skip(1) {
            let part = decode_part(answer).unwrap_or_else(|e| broken(e));
            let part = part.map_err(|why| io::Error::other(format!("process {i}: {why}")))?;
            others.extend(part.entries);
            packs.extend(part.packs);
            stalls.extend(part.stood);
        }
        out.skip(others, packs, end.unwrap_or(0))?;
    }
    Ok((stalls, out.finish()?))
}

/// While the ranks stand, or others' parts are written that they have taken before.
fn write_now(
    job: &Job,
    peers: &dyn Peers,
    source: &mut dyn Source,
    mut sheet: Sheet,
    mut opened: Opened,
) -> Attempted {
    let path = opened.begun.path().to_owned();
    let apart = source.is_apart();
    let written = without_size_signal(|| {
        let mut out = opened.writer(apart)?;
        let own = own_part(job, peers, source, (&mut sheet, &path), &mut out);
        let (placed, end) = (sheet.placed, own.is_ok().then(|| out.offset()));
        let (end, answers) = others(peers, (placed, sheet.increments), end);
        own?;
        whole(out, end, &answers)
    });
    if sheet.placed.is_none() {
        peers.spread(&encode_no_places());
    }
    let asked = sheet.asked;
    let stalls = || sheet.stalls(apart);
    let ready = written.map(|(_, ready)| ready);
    let done = durable(opened.begun, ready)
        .and_then(|(whole, known)| make_newest(job, (whole, known), stalls));
    outcome(job, asked, done)
}

/// What is known when this process's part has been copied.
struct Copied {
    asked: bool,
    passage: u64,
    placed: Option<u64>,
    increments: Option<u64>,
    /// Of ranks here.
    stalls: Stood,
}

/// The ranks go on when all parts have been copied.
fn leave(
    job: &Job,
    peers: &dyn Peers,
    source: &mut dyn Source,
    (mut sheet, opened): (Sheet, Opened),
    hand: Hand<Opened, Copied>,
) {
    let path = opened.begun.path().to_owned();
    hand.copy(job, (opened, HEADER), |out| {
        own_part(job, peers, source, (&mut sheet, &path), out)
    });
    match sheet.placed {
        Some(_) => peers.meet(),
        None => drop(peers.spread(&encode_no_places())),
    }
    job.control.goes_on(sheet.passage);
    hand.leave(Copied {
        asked: sheet.asked,
        passage: sheet.passage,
        placed: sheet.placed,
        increments: sheet.increments,
        stalls: source.stalls().0,
    });
}

/// By a thread of its own.
fn write_behind(job: &Job, mut opened: Opened, copied: &Receiver<Copied>) {
    let pipe = &job.behind.pipe;
    let out = opened.writer(false);
    let received = out.and_then(|mut out| pipe.receive(&mut out).map(|()| out));
    if received.is_err() {
        pipe.break_off();
    }
    let Ok(copied) = copied.recv() else { return };
    let peers = job.peers().unwrap_or(&Alone);
    let end = received.as_ref().ok().map(Writer::offset);
    let (end, answers) = others(peers, (copied.placed, copied.increments), end);
    let written = received.and_then(|out| whole(out, end, &answers));
    let mut stalls = Stalls(copied.stalls);
    let ready = written.map(|(others, ready)| {
        stalls.0.extend(others);
        ready
    });
    chaos();
    let done = durable(opened.begun, ready).and_then(|whole| {
        // The program gets the numbers of descriptors meanwhile that it gets without us.
        own::with_own_table(|| make_newest(job, whole, || stalls))
    });
    let what = outcome(job, copied.asked, done);
    job.control.written(what);
    peers.spread(&encode_outcome(copied.passage, &Outcome::Over(what), false));
}

/// All of it is written, or what went wrong.
fn durable(
    mut begun: Begun,
    written: io::Result<Option<Ready>>,
) -> Result<(Temporary, Option<Known>), StoreError> {
    match written {
        Ok(ready) => {
            let known = packed(&mut begun, ready)?;
            Ok((begun.written(Ok(()))?, known))
        }
        Err(e) => Ok((begun.written(Err(e))?, None)),
    }
}

/// `stalls`: asked for once it is.
fn make_newest(
    job: &Job,
    (whole, known): (Temporary, Option<Known>),
    stalls: impl FnOnce() -> Stalls,
) -> Result<(), StoreError> {
    if let Some(store) = lock(&job.store).as_mut() {
        let id = store.commit(whole)?;
        committed(job, store, known);
        store.note_stalls(id, &stalls());
    }
    Ok(())
}

fn outcome(job: &Job, asked: bool, done: Result<(), StoreError>) -> Attempted {
    match done {
        Ok(()) => {
            lock(&job.failures).clear();
            Attempted::Committed
        }
        Err(error) => job.not_written(&error.to_string(), asked),
    }
}
