//! Working directory and file mode mask of each rank, where several share a process: the system keeps them for
//! each thread that asks for it, and a thread takes those of the rank that it runs.

use std::cell::Cell;
use std::ffi::{c_char, c_int};
use std::fs::{File, OpenOptions};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::ptr::null;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::OnceLock;

use pc3_os::types::mode_t;
use pc3_os::{files, original};

use crate::files::baseline;
use crate::format::library::ProcessMeta;
use crate::process;
use crate::rank::Rank;
use crate::report::{die, say, EXIT_FATAL};
use pc3_os::own::high;

/// What a rank has chosen.
#[derive(Debug, Default)]
pub(crate) struct WorkingDirectory {
    folder: Option<File>,
    mask: Option<u32>,
}

/// Some rank has.
static USED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// What this thread changes is its own.
    static OWN: Cell<bool> = const { Cell::new(false) };
    /// Whose place it is at.
    static AT: Cell<*const Rank> = const { Cell::new(null()) };
}

fn own() -> bool {
    if !OWN.get() {
        OWN.set(files::own_place());
    }
    OWN.get()
}

fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .read(true)
        .custom_flags(files::AS_PLACE)
        .open(path)
        .map(high)
}

/// The folder of the start.
fn first() -> Option<RawFd> {
    static FIRST: OnceLock<Option<File>> = OnceLock::new();
    let path = || Path::new(std::ffi::OsStr::from_bytes(&baseline::get().directory));
    let folder = FIRST.get_or_init(|| open(path()).ok());
    folder.as_ref().map(AsRawFd::as_raw_fd)
}

/// The thread runs this rank from now on.
#[inline]
pub(crate) fn enter(rank: &Rank) {
    if USED.load(Relaxed) {
        go(rank);
    }
}

#[cold]
fn go(rank: &Rank) {
    let place = &rank.working_directory;
    let chosen = place.folder.is_some() || place.mask.is_some();
    // Threads that share the process's are where it began.
    if AT.get() != std::ptr::from_ref(rank) && (chosen || OWN.get()) {
        let folder = place.folder.as_ref().map(AsRawFd::as_raw_fd).or_else(first);
        let there = own() && folder.is_some_and(|fd| files::go_to(fd).is_ok());
        if !there {
            let e = std::io::Error::last_os_error();
            die(
                EXIT_FATAL,
                &format!("rank {}: its working directory is lost: {e}", rank.id()),
            );
        }
        files::set_mask(place.mask.unwrap_or_else(process::first_umask));
    }
    AT.set(rank);
}

/// The calling rank, if it has others beside it and can have a place of its own.
fn apart<'a>() -> Option<&'a mut Rank> {
    // SAFETY: an entry point.
    let rank = unsafe { Rank::current() }.filter(|r| r.job().several())?;
    if own() && first().is_some() {
        return Some(rank);
    }
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Relaxed) {
        say("this system does not give threads working directories of their own (unshare): all ranks of a process share one");
    }
    None
}

fn moved(done: c_int) -> c_int {
    // SAFETY: an entry point.
    let rank = unsafe { Rank::current() }.filter(|r| done == 0 && r.job().several() && OWN.get());
    if let Some(rank) = rank {
        rank.working_directory.folder = open(Path::new(".")).ok();
        AT.set(rank);
        USED.store(true, Relaxed);
    }
    done
}

/// # Safety
/// As `chdir`.
#[no_mangle]
pub unsafe extern "C" fn pc3_chdir(path: *const c_char) -> c_int {
    apart();
    // SAFETY: by the caller.
    moved(unsafe { original::chdir(path) })
}

/// # Safety
/// As `fchdir`.
#[no_mangle]
pub unsafe extern "C" fn pc3_fchdir(fd: c_int) -> c_int {
    apart();
    // SAFETY: by the caller.
    moved(unsafe { original::fchdir(fd) })
}

/// # Safety
/// As `umask`.
#[no_mangle]
pub unsafe extern "C" fn pc3_umask(mask: mode_t) -> mode_t {
    if let Some(rank) = apart() {
        rank.working_directory.mask = Some(mask & 0o777);
        AT.set(rank);
        USED.store(true, Relaxed);
    }
    files::set_mask(mask)
}

/// Puts a rank's own into what is saved of it.
pub(crate) fn describe(rank: &Rank, meta: &mut ProcessMeta) {
    let folder = rank.working_directory.folder.as_ref();
    meta.directory = folder.map(|f| baseline::named(f.as_raw_fd()));
    meta.umask = rank.working_directory.mask.map(u64::from);
}

/// Takes it out again, at a restart.
pub(crate) fn restore(rank: &mut Rank, meta: &mut ProcessMeta) -> Result<(), String> {
    let (directory, mask) = (meta.directory.take(), meta.umask.take());
    if directory.is_none() && mask.is_none() {
        return Ok(());
    }
    if first().is_none() || !own() {
        return Err("its ranks have working directories of their own, which this system does not give to threads (unshare)".to_owned());
    }
    if let Some((path, below)) = directory {
        let mut list = process::places(&path, below.as_deref());
        let folder = list.find_map(|p| open(&p).ok());
        let path = String::from_utf8_lossy(&path).into_owned();
        rank.working_directory.folder =
            Some(folder.ok_or_else(|| format!("the working directory {path} is not here"))?);
    }
    rank.working_directory.mask = mask.map(|m| m as u32);
    USED.store(true, Relaxed);
    Ok(())
}
