//! What ranks print to standard output and error, where these are files, while they take their local checkpoints one by one.
//!
//! A restart cuts such a file at one place, which is where it stands when the last line is passed. What ranks behind their lines have
//! printed until then is there, and they come to it again: it is counted, by rank and stream, and that many times what a rank prints
//! behind a restart goes nowhere. (Printed again it could come behind what follows from it: another rank may know of it by a message
//! that it received in front of its own line.)  Of code that pc3cc has
//! compiled it is known who prints, as it calls the functions of `abi`; what others print shows in where the streams stand.
//! What callbacks around checkpoints and signals' handlers print is no step of a rank's course, and not counted.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::os::fd::RawFd;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, AtomicU8, Ordering::*};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pc3_os::types::FILE;
use pc3_os::{errors, streams};

use super::memory::nowhere;
use super::standard::{named, standard};
use super::stream::{lock, locked};
use super::system::stands_at;
use super::{describe, stream, system};
use pc3_format::library::{FileKind, FileMeta};

/// What has to be known of who prints.
static LOOK: AtomicU8 = AtomicU8::new(0);
/// Some rank may have a line to pass.
const OPEN: u8 = 1;
/// Ranks do again what they did behind their lines.
const AGAIN: u8 = 2;
/// How often that has been so.
static TIMES: AtomicU64 = AtomicU64::new(0);
static PRINTED: Mutex<All> = Mutex::new(All::new());

thread_local! {
    /// A signal's handler may print while this thread does.
    static PRINTS: Cell<bool> = const { Cell::new(false) };
    /// Streams that it has locked for that.
    static LOCKS: Cell<[*mut FILE; 2]> = const { Cell::new([null_mut(); 2]) };
}

/// A rank, one of its streams, and how often it has printed there behind its line.
pub type Printed = (u32, u8, u64);

struct All {
    outputs: Vec<Output>,
    /// How far standard input had been read, if it is a file.
    read: Option<u64>,
    /// There are other processes, of which some rank may be on either side.
    several: bool,
    why: Option<String>,
}

/// A file to which a standard output leads, or both.  Looked at by who holds their streams' locks.
struct Output {
    kinds: Vec<FileKind>,
    /// How far what is known to have been printed goes.
    stood: u64,
    /// The last line is passed.
    over: bool,
    /// How often ranks have printed behind theirs.
    behind: BTreeMap<(u32, u8), u64>,
}

impl All {
    const fn new() -> All {
        All {
            outputs: Vec::new(),
            read: None,
            several: false,
            why: None,
        }
    }

    fn spoil(&mut self, why: String) {
        self.why.get_or_insert(why);
    }

    /// Written by nobody who is known.
    fn by_others(&mut self, kind: FileKind) {
        let who = match self.several {
            true => "ranks of several processes each time, by a rank of another process or",
            false => "ranks each time,",
        };
        self.spoil(format!(
            "something was written to {} between the local checkpoints of {who} by no rank's own code (a library, another program, or Rust's): {OTHERWISE}",
            named(kind)
        ));
    }
}

const OTHERWISE: &str = "let it print to a file of its own, or through a pipe (| cat >> FILE), or use the barrier protocol";

fn printed() -> MutexGuard<'static, All> {
    PRINTED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stream_of(kind: FileKind) -> *mut FILE {
    standard()[kind as usize].1
}

fn all_locked<T>(kinds: &[FileKind], act: impl FnOnce() -> T) -> Option<T> {
    match kinds {
        [first, rest @ ..] => locked(stream_of(*first), || all_locked(rest, act)).flatten(),
        [] => Some(act()),
    }
}

/// How far the program has come with a file by these streams; the caller has their locks.
fn stand(kinds: &[FileKind]) -> Option<u64> {
    let fd = kinds.first().map(|k| *k as RawFd)?;
    system::length_of(fd)?;
    let at = stands_at(fd)?;
    let waits = |kind: &FileKind| {
        // SAFETY: a standard stream.
        let here = unsafe { stream::standing(stream_of(*kind)) };
        (here.pending.len() as u64).wrapping_sub(here.unread)
    };
    Some(kinds.iter().map(waits).fold(at, u64::wrapping_add))
}

/// Somebody is about to pass the first line.  `several`: there are other processes.
pub fn begin(several: bool) {
    end();
    let mut new = All {
        several,
        ..All::new()
    };
    let one = [FileKind::Stdout, FileKind::Stderr].map(|kind| vec![kind]);
    let outputs = match (system::of(1), system::of(2)) {
        (Some(a), Some(b)) if a.same(&b) => vec![one.concat()],
        _ => one.to_vec(),
    };
    // Who prints to a pipe that nobody reads keeps the stream.
    let is_file = |kind: FileKind| system::length_of(kind as RawFd).is_some();
    for kinds in outputs.into_iter().filter(|kinds| is_file(kinds[0])) {
        match all_locked(&kinds, || stand(&kinds)) {
            None => new.spoil(kept(&kinds)),
            Some(None) => {}
            Some(Some(stood)) => new.outputs.push(Output {
                kinds,
                stood,
                over: false,
                behind: BTreeMap::new(),
            }),
        }
    }
    let input = [FileKind::Stdin];
    if is_file(FileKind::Stdin) {
        match all_locked(&input, || stand(&input)) {
            None => new.spoil(kept(&input)),
            Some(stood) => new.read = stood,
        }
    }
    *printed() = new;
    TIMES.fetch_add(1, SeqCst);
    LOOK.fetch_or(OPEN, SeqCst);
}

fn kept(kinds: &[FileKind]) -> String {
    let all: Vec<&str> = kinds.iter().map(|k| named(*k)).collect();
    format!("somebody keeps {} locked (flockfile)", all.join(" or "))
}

/// Nobody has a line to pass any more, nor anything to do again.
pub fn end() {
    LOOK.store(0, SeqCst);
    *printed() = All::new();
}

/// What ranks print may be there already.
pub fn expect_printed() {
    LOOK.store(AGAIN, SeqCst);
}

/// Which time that is, for a rank that passes its line.
pub fn times() -> u64 {
    TIMES.load(SeqCst)
}

/// Why there is no place, as far as is known.  Several processes look at the end: one of them may know who it was.
pub fn spoilt() -> Option<String> {
    let all = printed();
    all.why.clone().filter(|_| !all.several)
}

/// The last line is passed: how the outputs stand, and what ranks have printed there behind their lines, or why that is not known.
pub fn places() -> Result<(Vec<FileMeta>, Vec<Printed>), String> {
    let outputs: Vec<Vec<FileKind>> = printed().outputs.iter().map(|o| o.kinds.clone()).collect();
    let (mut places, mut behind) = (Vec::new(), Vec::new());
    for kinds in outputs {
        let place = all_locked(&kinds, || {
            let stood = stand(&kinds);
            let mut all = printed();
            let i = all.outputs.iter().position(|o| o.kinds == kinds)?;
            if stood != Some(all.outputs[i].stood) {
                all.by_others(kinds[0]);
            }
            let output = &mut all.outputs[i];
            output.over = true;
            let times = std::mem::take(&mut output.behind);
            behind.extend(times.into_iter().map(|((id, to), n)| (id, to, n)));
            Some(now(&kinds))
        });
        match place {
            Some(place) => places.extend(place.into_iter().flatten()),
            None => printed().spoil(kept(&kinds)),
        }
    }
    LOOK.fetch_and(!OPEN, SeqCst);
    let before = printed().read;
    let input = [FileKind::Stdin];
    if before.is_some() && all_locked(&input, || stand(&input)).flatten() != before {
        printed().spoil(
            "standard input, which is a file, was read between ranks' local checkpoints each time: read it before, or by a stream of one rank's own (fopen), or use the barrier protocol"
                .to_owned(),
        );
    }
    match printed().why.clone() {
        Some(why) => Err(why),
        None => Ok((places, behind)),
    }
}

fn now(kinds: &[FileKind]) -> Vec<FileMeta> {
    let one = |k: &FileKind| describe(*k, stream_of(*k), String::new(), String::new());
    kinds.iter().map(one).collect()
}

/// Null before it is needed.
pub fn nowhere_opened() -> *mut FILE {
    NOWHERE.get().map_or(null_mut(), |n| n.0)
}

struct Nowhere(*mut FILE);
// SAFETY: streams lock themselves.
unsafe impl Send for Nowhere {}
// SAFETY: likewise.
unsafe impl Sync for Nowhere {}

static NOWHERE: OnceLock<Nowhere> = OnceLock::new();

/// Behind what was printed to a stream that [`enter`] has returned.
pub fn printed_to(stream: *mut FILE) {
    let errno = errors::last();
    let mut all = printed();
    let mut outputs = all.outputs.iter_mut();
    if let Some(output) = outputs.find(|o| o.has(stream)) {
        output.stood = stand(&output.kinds).unwrap_or(output.stood);
    }
    drop(all);
    leave();
    errors::set(errno);
}

impl Output {
    fn has(&self, stream: *mut FILE) -> bool {
        self.kinds.iter().any(|k| stream_of(*k) == stream)
    }
}

/// Lets go of what this thread has locked.
fn leave() {
    let locks = LOCKS.replace([null_mut(); 2]);
    for stream in locks.into_iter().filter(|s| !s.is_null()) {
        // SAFETY: locked by `enter`.
        unsafe { streams::unlock(stream) };
    }
    PRINTS.set(false);
}

/// Who prints.
pub trait Printer {
    /// The rank's number.
    fn id(&self) -> usize;
    /// Is it a step of the rank's course, behind its line of that time?
    fn is_behind(&mut self, time: u64) -> bool;
    /// It prints to an output, which it has done already if this is done again: the output still has that.
    fn has_printed(&self, output: u8) -> bool;
}

/// Has to be known of what is printed?
#[inline]
pub fn is_looked_at() -> bool {
    LOOK.load(Relaxed) != 0
}

/// In front of what prints to a standard stream: what [`printed_to`] is called with behind it.
#[cold]
pub fn enter(stream: *mut FILE, who: &mut dyn Printer) -> *mut c_void {
    if PRINTS.replace(true) {
        return null_mut();
    }
    let errno = errors::last();
    if LOOK.load(Relaxed) & AGAIN != 0 {
        PRINTS.set(false);
        let there = there_already(who, stream);
        errors::set(errno);
        return there;
    }
    let kinds = printed()
        .outputs
        .iter()
        .find(|o| o.has(stream))
        .map(|o| o.kinds.clone());
    let Some(kinds) = kinds else {
        PRINTS.set(false);
        return null_mut();
    };
    // They stay locked until it has been printed.
    for (i, kind) in kinds.iter().enumerate() {
        if !lock(stream_of(*kind)) {
            printed().spoil(kept(&kinds));
            leave();
            errors::set(errno);
            return null_mut();
        }
        let mut locks = LOCKS.get();
        locks[i] = stream_of(*kind);
        LOCKS.set(locks);
    }
    let stood = stand(&kinds);
    let mut all = printed();
    let found = all.outputs.iter().position(|o| o.kinds == kinds);
    let Some(i) = found.filter(|i| !all.outputs[*i].over) else {
        drop(all);
        leave();
        errors::set(errno);
        return null_mut();
    };
    let own = kinds.iter().find(|k| stream_of(**k) == stream);
    let kind = own.copied().unwrap_or(kinds[0]);
    // Of several, another process may have written it, which is seen at the end: the rank is known now.
    if !all.several && stood != Some(all.outputs[i].stood) {
        all.by_others(kind);
    }
    let id = who.id();
    if all.several {
        all.spoil(format!(
            "rank {id} wrote to {} between the local checkpoints of ranks of several processes each time: {OTHERWISE}, or run it in one process",
            named(kind)
        ));
    } else if who.is_behind(times()) {
        let behind = &mut all.outputs[i].behind;
        *behind.entry((id as u32, kind as u8)).or_default() += 1;
    }
    drop(all);
    errors::set(errno);
    stream.cast()
}

/// Where the rank prints what it has printed already.
#[cold]
fn there_already(who: &dyn Printer, stream: *mut FILE) -> *mut c_void {
    let all = standard();
    let kind = all.into_iter().find(|(_, s)| *s == stream).map(|(k, _)| k);
    let Some(kind) = kind else {
        return null_mut();
    };
    // Before it is counted as printed: without it all is printed again.
    let nowhere = NOWHERE.get_or_init(|| Nowhere(nowhere())).0;
    match !nowhere.is_null() && who.has_printed(kind as u8) {
        true => nowhere.cast(),
        false => null_mut(),
    }
}
