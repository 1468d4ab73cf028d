//! Temporary folders, which go with the command, also if that is interrupted.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::os::fd::FromRawFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

static FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// Where the handler says which signal came.
static TOLD: AtomicI32 = AtomicI32::new(-1);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What fails because the folders are gone is no news.
pub(crate) fn wait_if_interrupted() {
    while INTERRUPTED.load(SeqCst) {
        std::thread::park();
    }
}

fn folders() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> io::Result<Folder> {
        static LISTENS: Once = Once::new();
        LISTENS.call_once(listen);
        let mut list = folders();
        // As gcc does where TMPDIR does not exist.
        let named = std::env::temp_dir();
        let place = named.is_dir().then_some(named);
        let place = place.unwrap_or_else(|| PathBuf::from("/tmp"));
        let folder = tempfile::Builder::new()
            .prefix("pc3cc-")
            .tempdir_in(place)?;
        list.insert(folder.path().to_owned());
        Ok(Folder(folder))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        folders().remove(self.0.path());
    }
}

extern "C" fn on_signal(signal: libc::c_int) {
    let byte = signal as u8;
    // SAFETY: writes one byte, which a handler may.
    unsafe { libc::write(TOLD.load(SeqCst), (&raw const byte).cast(), 1) };
}

/// Signals that end a command remove the folders first.  What is ignored stays ignored.
fn listen() {
    let mut ends = [-1; 2];
    // SAFETY: plain system calls with initialised structures.
    let mut wakes = unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return;
        }
        std::fs::File::from_raw_fd(ends[0])
    };
    TOLD.store(ends[1], SeqCst);
    let waits = std::thread::Builder::new().spawn(move || {
        let mut signal = [0];
        if wakes.read_exact(&mut signal).is_ok() {
            INTERRUPTED.store(true, SeqCst);
            // Kept, so that no folder is made any more.
            let list = folders();
            for folder in list.iter() {
                let _ = std::fs::remove_dir_all(folder);
            }
            let signal = signal[0].into();
            // SAFETY: plain calls; the process ends as if there were no handler.
            unsafe {
                libc::signal(signal, libc::SIG_DFL);
                libc::raise(signal);
                libc::_exit(128 + signal);
            }
        }
    });
    if waits.is_err() {
        return;
    }
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: as above; the handler only writes to the pipe.
        unsafe {
            let mut now: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &raw mut now);
            if now.sa_sigaction == libc::SIG_DFL {
                now.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as usize;
                now.sa_flags = libc::SA_RESTART;
                libc::sigaction(signal, &raw const now, std::ptr::null_mut());
            }
        }
    }
}
