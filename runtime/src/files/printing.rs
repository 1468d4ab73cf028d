//! What ranks print to standard output and error, where these are files, while they take their local checkpoints one by one.
//!
//! A restart cuts such a file at one place. All in front of that has to come from ranks in front of their lines, and all behind it
//! from ranks behind theirs, who print it again. So the place is where the first rank behind its line begins to print, or else where the file
//! stands when the last line is passed; and nobody who has yet to come to his line may print behind it.  Of code that pc3cc has
//! compiled it is known who prints, as it calls the functions here; what others print shows in where the streams stand.
//! What callbacks around checkpoints print is no step of a rank's course: it may be on either side.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::os::fd::RawFd;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use libc::FILE;

use super::standard::{named, standard, stands_at};
use super::{describe, stream, system};
use crate::format::library::{FileKind, FileMeta};
use crate::rank::Rank;

/// Some rank may have a line to pass.
static OPEN: AtomicBool = AtomicBool::new(false);
/// How often that has been so.
static TIMES: AtomicU64 = AtomicU64::new(0);
static PRINTED: Mutex<Printed> = Mutex::new(Printed::new());

thread_local! {
    /// A signal's handler may print while this thread does.
    static PRINTS: Cell<bool> = const { Cell::new(false) };
    /// Streams that it has locked for that.
    static LOCKS: Cell<[*mut FILE; 2]> = const { Cell::new([null_mut(); 2]) };
}

struct Printed {
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
    /// How they were when a rank behind its line, which is this, began to print.
    place: Option<(Vec<FileMeta>, usize)>,
}

impl Printed {
    const fn new() -> Printed {
        Printed {
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

fn printed() -> MutexGuard<'static, Printed> {
    PRINTED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stream_of(kind: FileKind) -> *mut FILE {
    standard()[kind as usize].1
}

extern "C" {
    fn ftrylockfile(stream: *mut FILE) -> c_int;
    fn funlockfile(stream: *mut FILE);
}

/// Locks a stream, unless somebody keeps it.
fn lock(stream: *mut FILE) -> bool {
    const TRIES: u32 = 200;
    (0..TRIES).any(|i| {
        if i > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        // SAFETY: a standard stream.
        unsafe { ftrylockfile(stream) == 0 }
    })
}

/// With the stream's lock, unless somebody keeps that.
pub(super) fn locked<T>(stream: *mut FILE, act: impl FnOnce() -> T) -> Option<T> {
    lock(stream).then(|| {
        let done = act();
        // SAFETY: locked here.
        unsafe { funlockfile(stream) };
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
    let mut new = Printed {
        several,
        ..Printed::new()
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
                place: None,
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
    OPEN.store(true, SeqCst);
}

fn kept(kinds: &[FileKind]) -> String {
    let all: Vec<&str> = kinds.iter().map(|k| named(*k)).collect();
    format!("somebody keeps {} locked (flockfile)", all.join(" or "))
}

/// Nobody has a line to pass any more.
pub(crate) fn end() {
    OPEN.store(false, SeqCst);
    *printed() = Printed::new();
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

/// The last line is passed: how the outputs were at their places, or why they have none.
pub(crate) fn places() -> Result<Vec<FileMeta>, String> {
    let outputs: Vec<Vec<FileKind>> = printed().outputs.iter().map(|o| o.kinds.clone()).collect();
    let mut places = Vec::new();
    for kinds in outputs {
        let place = all_locked(&kinds, || {
            let stood = stand(&kinds);
            let mut all = printed();
            let i = all.outputs.iter().position(|o| o.kinds == kinds)?;
            if stood != Some(all.outputs[i].stood) {
                all.by_others(kinds[0]);
            }
            let place = all.outputs[i].place.take();
            Some(place.map_or_else(|| now(&kinds), |p| p.0))
        });
        match place {
            Some(place) => places.extend(place.into_iter().flatten()),
            None => printed().spoil(kept(&kinds)),
        }
    }
    OPEN.store(false, SeqCst);
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
        None => Ok(places),
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
    if !OPEN.load(Relaxed) {
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
    if !OPEN.load(Relaxed) || !(1..=2).contains(&fd) {
        return null_mut();
    }
    // SAFETY: a standard stream.
    unsafe { enter(standard()[fd as usize].1) }
}

/// # Safety
/// What one of these has returned, by the same thread.
#[no_mangle]
pub unsafe extern "C" fn pc3_printed(to: *mut c_void) {
    if to.is_null() {
        return;
    }
    let errno = errno();
    let mut all = printed();
    let mut outputs = all.outputs.iter_mut();
    if let Some(output) = outputs.find(|o| o.has(to.cast())) {
        output.stood = stand(&output.kinds).unwrap_or(output.stood);
    }
    drop(all);
    leave();
    set_errno(errno);
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
        unsafe { funlockfile(stream) };
    }
    PRINTS.set(false);
}

fn errno() -> c_int {
    // SAFETY: the thread's own variable.
    unsafe { *libc::__errno_location() }
}

fn set_errno(code: c_int) {
    // SAFETY: the thread's own variable.
    unsafe { *libc::__errno_location() = code };
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
    let errno = errno();
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
            set_errno(errno);
            return null_mut();
        }
        let mut locks = LOCKS.get();
        locks[i] = stream_of(*kind);
        LOCKS.set(locks);
    }
    let stood = stand(&kinds);
    let mut all = printed();
    let Some(i) = all.outputs.iter().position(|o| o.kinds == kinds) else {
        drop(all);
        leave();
        set_errno(errno);
        return null_mut();
    };
    let own = kinds.iter().find(|k| stream_of(**k) == stream);
    let kind = own.copied().unwrap_or(kinds[0]);
    // Of several, another process may have written it, which is seen at the end: the rank is known now.
    if !all.several && stood != Some(all.outputs[i].stood) {
        all.by_others(kind);
    }
    let (id, behind) = (rank.id(), rank.is_behind(times()));
    if all.several {
        all.spoil(format!(
            "rank {id} wrote to {} between the local checkpoints of ranks of several processes each time: {OTHERWISE}, or run it in one process",
            named(kind)
        ));
    } else if rank.aside == 0 && behind {
        let output = &mut all.outputs[i];
        output.place.get_or_insert_with(|| (now(&kinds), id));
    } else if rank.aside == 0 {
        if let Some(first) = all.outputs[i].place.as_ref().map(|p| p.1) {
            all.spoil(format!(
                "rank {id}, in front of its local checkpoint, wrote to {} after rank {first} had done so behind its own, each time: let one rank print, or each to a file of its own (flushed), or through a pipe (| cat >> FILE), or use the barrier protocol",
                named(kind)
            ));
        }
    }
    drop(all);
    set_errno(errno);
    stream.cast()
}

/// What the program calls instead of the C library's: those with `...` are in `pc3_rt.h`.
macro_rules! prints {
    ($($name:ident = $own:ident($($arg:ident: $ty:ty),*) to $begin:ident($to:expr) -> $result:ty;)*) => { $(
        /// # Safety
        /// As the C library's.
        #[no_mangle]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $result {
            extern "C" { fn $own($($arg: $ty),*) -> $result; }
            // SAFETY: by the caller.
            unsafe {
                let to = $begin($to);
                let done = $own($($arg),*);
                pc3_printed(to);
                done
            }
        }
    )* };
}

prints! {
    pc3_puts = puts(text: *const c_char) to pc3_prints_on(null_mut()) -> c_int;
    pc3_putchar = putchar(c: c_int) to pc3_prints_on(null_mut()) -> c_int;
    pc3_putchar_unlocked = putchar_unlocked(c: c_int) to pc3_prints_on(null_mut()) -> c_int;
    pc3_fputs = fputs(text: *const c_char, to: *mut c_void) to pc3_prints_on(to) -> c_int;
    pc3_fputs_unlocked = fputs_unlocked(text: *const c_char, to: *mut c_void) to pc3_prints_on(to) -> c_int;
    pc3_fputc = fputc(c: c_int, to: *mut c_void) to pc3_prints_on(to) -> c_int;
    pc3_fputc_unlocked = fputc_unlocked(c: c_int, to: *mut c_void) to pc3_prints_on(to) -> c_int;
    pc3_putc = putc(c: c_int, to: *mut c_void) to pc3_prints_on(to) -> c_int;
    pc3_putc_unlocked = putc_unlocked(c: c_int, to: *mut c_void) to pc3_prints_on(to) -> c_int;
    pc3_fwrite = fwrite(from: *const c_void, each: usize, n: usize, to: *mut c_void) to pc3_prints_on(to) -> usize;
    pc3_fwrite_unlocked = fwrite_unlocked(from: *const c_void, each: usize, n: usize, to: *mut c_void) to pc3_prints_on(to) -> usize;
    pc3_write = write(fd: c_int, from: *const c_void, n: usize) to pc3_prints_to(fd) -> isize;
}

/// # Safety
/// As `perror`.
#[no_mangle]
pub unsafe extern "C" fn pc3_perror(text: *const c_char) {
    // SAFETY: by the caller.
    unsafe {
        let to = pc3_prints_to(2);
        libc::perror(text);
        pc3_printed(to);
    }
}
