//! Working directory and file mode mask of each rank, where several share a process: the system keeps them for
//! each thread that asks for it, and a thread takes those of the rank that it runs.

use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::ptr::null;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::OnceLock;

use pc3_os::files;

use crate::files::baseline;
use pc3_control::report::{die, say, EXIT_FATAL};
use pc3_format::library::ProcessMeta;
use pc3_os::own::high;

/// What a rank has chosen.
#[derive(Debug, Default)]
pub struct WorkingDirectory {
    folder: Option<File>,
    mask: Option<u32>,
}

/// Some rank has.
static USED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// What this thread changes is its own.
    static OWN: Cell<bool> = const { Cell::new(false) };
    /// Whose place it is at.
    static AT: Cell<*const WorkingDirectory> = const { Cell::new(null()) };
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

/// Can threads have places of their own?  Says so if not.
pub fn can_be_apart() -> bool {
    if own() && first().is_some() {
        return true;
    }
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Relaxed) {
        say("this system does not give threads working directories of their own (unshare): all ranks of a process share one");
    }
    false
}

/// Is the calling thread's place its own?
pub fn is_apart() -> bool {
    OWN.get()
}

impl WorkingDirectory {
    /// The thread runs its rank, with that number, from now on.
    #[inline]
    pub fn enter(&self, rank: usize) {
        if USED.load(Relaxed) {
            self.go(rank);
        }
    }

    #[cold]
    fn go(&self, rank: usize) {
        let chosen = self.folder.is_some() || self.mask.is_some();
        // Threads that share the process's are where it began.
        if AT.get() != std::ptr::from_ref(self) && (chosen || OWN.get()) {
            let folder = self.folder.as_ref().map(AsRawFd::as_raw_fd).or_else(first);
            let there = own() && folder.is_some_and(|fd| files::go_to(fd).is_ok());
            if !there {
                let e = std::io::Error::last_os_error();
                die(
                    EXIT_FATAL,
                    &format!("rank {rank}: its working directory is lost: {e}"),
                );
            }
            files::set_mask(self.mask.unwrap_or(baseline::get().umask));
        }
        AT.set(self);
    }

    /// The thread, which runs its rank, has gone to another folder.
    pub fn moved(&mut self) {
        self.folder = open(Path::new(".")).ok();
        AT.set(self);
        USED.store(true, Relaxed);
    }

    /// It has chosen another mask.
    pub fn masked(&mut self, mask: u32) {
        self.mask = Some(mask);
        AT.set(self);
        USED.store(true, Relaxed);
    }

    /// Puts it into what is saved of its rank.
    pub fn describe(&self, meta: &mut ProcessMeta) {
        let folder = self.folder.as_ref();
        meta.directory = folder.map(|f| baseline::named(f.as_raw_fd()));
        meta.umask = self.mask.map(u64::from);
    }

    /// Takes it out again, at a restart.
    pub fn restore(&mut self, meta: &mut ProcessMeta) -> Result<(), String> {
        let (directory, mask) = (meta.directory.take(), meta.umask.take());
        if directory.is_none() && mask.is_none() {
            return Ok(());
        }
        if first().is_none() || !own() {
            return Err("its ranks have working directories of their own, which this system does not give to threads (unshare)".to_owned());
        }
        if let Some((path, below)) = directory {
            let mut list = baseline::places(&path, below.as_deref());
            let folder = list.find_map(|p| open(&p).ok());
            let path = String::from_utf8_lossy(&path).into_owned();
            self.folder =
                Some(folder.ok_or_else(|| format!("the working directory {path} is not here"))?);
        }
        self.mask = mask.map(|m| m as u32);
        USED.store(true, Relaxed);
        Ok(())
    }
}
