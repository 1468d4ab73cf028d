//! What a job needs to know of ranks that the program brings into being while it runs.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::floats;
use crate::job::Job;

impl Job {
    /// Can it have more ranks than it was started with?
    pub fn can_grow(&self) -> bool {
        self.refuses_ranks().is_none()
    }

    /// Why there can be no other ranks than there are.
    pub fn refuses_ranks(&self) -> Option<&'static str> {
        if self.program.guest {
            return Some("the program is no C program");
        }
        if !self.program.private_globals {
            return Some("the program was compiled without globals per rank");
        }
        if self.stats.is_some() {
            return Some("not available while a run is observed (pc3run --stats)");
        }
        None
    }

    /// What belongs to a process is each rank's own from now on.
    pub fn keep_apart(&self) {
        if self.program.floats {
            floats::keep_apart();
        }
    }

    /// Is it this program that a command names?
    pub fn is_started_by(&self, command: &[u8]) -> bool {
        let given = Path::new(OsStr::from_bytes(command));
        let same = |a: &Path, b: &Path| match (a.metadata(), b.metadata()) {
            (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
            _ => false,
        };
        let mine = |path: &Path| {
            let whole = std::path::absolute(path);
            // Where a program has been moved to, its file may have another name, or not be there.
            whole.is_ok_and(|p| p == self.started_as)
                || same(path, Path::new(pc3_os::processes::PROGRAM))
                || same(path, &self.started_as)
        };
        candidates(given).iter().any(|p| mine(p))
    }
}

/// Where a command's file is looked for.
fn candidates(command: &Path) -> Vec<PathBuf> {
    let mut list = vec![command.to_owned()];
    if command.parent() == Some(Path::new("")) {
        let path = std::env::var_os("PATH").unwrap_or_default();
        list.extend(std::env::split_paths(&path).map(|dir| dir.join(command)));
    }
    list
}
