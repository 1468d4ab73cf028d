//! What ranks print to standard output and error, where these are files, while they take their local checkpoints one by one.
//!
//! A restart cuts such a file at one place, which is where it stands when the last line is passed. What ranks behind their lines have
//! printed until then is there, and they come to it again: it is counted, by rank and stream, and that many times what a rank prints
//! behind a restart goes nowhere. (Printed again it could come behind what follows from it: another rank may know of it by a message
//! that it received in front of its own line.)  Of code that pc3cc has
//! compiled it is known who prints, as it calls the functions here; what others print shows in where the streams stand.
//! What callbacks around checkpoints and signals' handlers print is no step of a rank's course, and not counted.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_void, CStr};
use std::os::fd::RawFd;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, AtomicU8, Ordering::*};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use pc3_os::types::FILE;
use pc3_os::{errors, original, streams};

use super::memory::nowhere;
use super::standard::{named, standard};
use super::system::stands_at;
use super::{describe, stream, system};
use crate::format::library::{FileKind, FileMeta};
use crate::rank::Rank;

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

/// Locks a stream, unless somebody keeps it.
fn lock(stream: *mut FILE) -> bool {
    const TRIES: u32 = 200;
    (0..TRIES).any(|i| {
        if i > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        // SAFETY: a standard stream.
        unsafe { streams::try_lock(stream) }
    })
}

/// With the stream's lock, unless somebody keeps that.
pub(super) fn locked<T>(stream: *mut FILE, act: impl FnOnce() -> T) -> Option<T> {
    lock(stream).then(|| {
        let done = act();
        // SAFETY: locked here.
        unsafe { streams::unlock(stream) };
        done
    })
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
pub(crate) fn begin(several: bool) {
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
pub(crate) fn end() {
    LOOK.store(0, SeqCst);
    *printed() = All::new();
}

/// What ranks print may be there already.
pub(crate) fn again() {
    LOOK.store(AGAIN, SeqCst);
}

/// Which time that is, for a rank that passes its line.
pub(crate) fn times() -> u64 {
    TIMES.load(SeqCst)
}

/// Why there is no place, as far as is known.  Several processes look at the end: one of them may know who it was.
pub(crate) fn spoilt() -> Option<String> {
    let all = printed();
    all.why.clone().filter(|_| !all.several)
}

/// The last line is passed: how the outputs stand, and what ranks have printed there behind their lines, or why that is not known.
pub(crate) fn places() -> Result<(Vec<FileMeta>, Vec<Printed>), String> {
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

/// In front of what prints to a stream, or null for standard output: what [`pc3_printed`] is called with behind it.
///
/// # Safety
/// An entry point; an open stream or null.
#[no_mangle]
pub unsafe extern "C" fn pc3_prints_on(to: *mut c_void) -> *mut c_void {
    if LOOK.load(Relaxed) == 0 {
        return null_mut();
    }
    let all = standard();
    let to: *mut FILE = to.cast();
    let to = if to.is_null() { all[1].1 } else { to };
    match to == all[1].1 || to == all[2].1 {
        // SAFETY: a standard stream.
        true => unsafe { enter(to) },
        false => null_mut(),
    }
}

/// The same for a descriptor.
///
/// # Safety
/// An entry point.
#[no_mangle]
pub unsafe extern "C" fn pc3_prints_to(fd: c_int) -> *mut c_void {
    if LOOK.load(Relaxed) == 0 || !(1..=2).contains(&fd) {
        return null_mut();
    }
    // SAFETY: a standard stream.
    unsafe { enter(standard()[fd as usize].1) }
}

/// Where to print instead, if what one of these has returned says that it is there already; else null.
#[no_mangle]
pub extern "C" fn pc3_print_nowhere(begun: *mut c_void) -> *mut c_void {
    match nowhere_opened() == begun.cast() {
        true => begun,
        false => null_mut(),
    }
}

/// Null before it is needed.
fn nowhere_opened() -> *mut FILE {
    NOWHERE.get().map_or(null_mut(), |n| n.0)
}

struct Nowhere(*mut FILE);
// SAFETY: streams lock themselves.
unsafe impl Send for Nowhere {}
// SAFETY: likewise.
unsafe impl Sync for Nowhere {}

static NOWHERE: OnceLock<Nowhere> = OnceLock::new();

/// # Safety
/// What one of these has returned, by the same thread.
#[no_mangle]
pub unsafe extern "C" fn pc3_printed(to: *mut c_void) {
    if to.is_null() {
        return;
    }
    let errno = errors::last();
    let mut all = printed();
    let mut outputs = all.outputs.iter_mut();
    if let Some(output) = outputs.find(|o| o.has(to.cast())) {
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

#[cold]
unsafe fn enter(stream: *mut FILE) -> *mut c_void {
    // SAFETY: used by entry points only.
    let Some(rank) = (unsafe { Rank::current() }) else {
        return null_mut();
    };
    if PRINTS.replace(true) {
        return null_mut();
    }
    let errno = errors::last();
    if LOOK.load(Relaxed) & AGAIN != 0 {
        PRINTS.set(false);
        let there = there_already(rank, stream);
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
    let id = rank.id();
    if all.several {
        all.spoil(format!(
            "rank {id} wrote to {} between the local checkpoints of ranks of several processes each time: {OTHERWISE}, or run it in one process",
            named(kind)
        ));
    } else if rank.in_course() && rank.is_behind(times()) {
        let behind = &mut all.outputs[i].behind;
        *behind.entry((id as u32, kind as u8)).or_default() += 1;
    }
    drop(all);
    errors::set(errno);
    stream.cast()
}

/// Where the rank prints what it has printed already.
#[cold]
fn there_already(rank: &Rank, stream: *mut FILE) -> *mut c_void {
    let all = standard();
    let kind = all.into_iter().find(|(_, s)| *s == stream).map(|(k, _)| k);
    let (Some(kind), Some(engine)) = (kind, rank.job().engine()) else {
        return null_mut();
    };
    // Before it is counted as printed: without it all is printed again.
    let nowhere = NOWHERE.get_or_init(|| Nowhere(nowhere())).0;
    match !nowhere.is_null() && engine.has_printed(kind as u8) {
        true => nowhere.cast(),
        false => null_mut(),
    }
}

/// What the program calls instead of the C library's: those with `...` are in `pc3_rt.h`.
macro_rules! prints {
    ($($name:ident = $own:ident($($arg:ident: $ty:ty),*) to $begin:ident($to:expr) -> $result:ty, or |$nowhere:ident| $instead:expr;)*) => { $(
        /// # Safety
        /// As the C library's.
        #[no_mangle]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $result {
            extern "C" { fn $own($($arg: $ty),*) -> $result; }
            // SAFETY: by the caller.
            unsafe {
                let begun = $begin($to);
                let $nowhere: *mut FILE = match begun.is_null() {
                    true => null_mut(),
                    false => pc3_print_nowhere(begun).cast(),
                };
                let done = match $nowhere.is_null() {
                    true => $own($($arg),*),
                    false => $instead,
                };
                pc3_printed(begun);
                done
            }
        }
    )* };
}

prints! {
    pc3_puts = puts(text: *const c_char) to pc3_prints_on(null_mut()) -> c_int, or |_n| c_int::try_from(CStr::from_ptr(text).count_bytes() + 1).unwrap_or(c_int::MAX);
    pc3_putchar = putchar(c: c_int) to pc3_prints_on(null_mut()) -> c_int, or |n| original::fputc(c, n);
    pc3_putchar_unlocked = putchar_unlocked(c: c_int) to pc3_prints_on(null_mut()) -> c_int, or |n| original::fputc(c, n);
    pc3_fputs = fputs(text: *const c_char, to: *mut c_void) to pc3_prints_on(to) -> c_int, or |n| original::fputs(text, n);
    pc3_fputs_unlocked = fputs_unlocked(text: *const c_char, to: *mut c_void) to pc3_prints_on(to) -> c_int, or |n| original::fputs(text, n);
    pc3_fputc = fputc(c: c_int, to: *mut c_void) to pc3_prints_on(to) -> c_int, or |n| original::fputc(c, n);
    pc3_fputc_unlocked = fputc_unlocked(c: c_int, to: *mut c_void) to pc3_prints_on(to) -> c_int, or |n| original::fputc(c, n);
    pc3_putc = putc(c: c_int, to: *mut c_void) to pc3_prints_on(to) -> c_int, or |n| original::fputc(c, n);
    pc3_putc_unlocked = putc_unlocked(c: c_int, to: *mut c_void) to pc3_prints_on(to) -> c_int, or |n| original::fputc(c, n);
    pc3_fwrite = fwrite(from: *const c_void, each: usize, n: usize, to: *mut c_void) to pc3_prints_on(to) -> usize, or |nowhere| original::fwrite(from, each, n, nowhere);
    pc3_fwrite_unlocked = fwrite_unlocked(from: *const c_void, each: usize, n: usize, to: *mut c_void) to pc3_prints_on(to) -> usize, or |nowhere| original::fwrite(from, each, n, nowhere);
    pc3_write = write(fd: c_int, from: *const c_void, n: usize) to pc3_prints_to(fd) -> isize, or |_nowhere| n as isize;
}

/// # Safety
/// As `perror`.
#[no_mangle]
pub unsafe extern "C" fn pc3_perror(text: *const c_char) {
    // SAFETY: by the caller.
    unsafe {
        let begun = pc3_prints_to(2);
        if begun.is_null() || pc3_print_nowhere(begun).is_null() {
            original::perror(text);
        }
        pc3_printed(begun);
    }
}
