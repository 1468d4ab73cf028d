//! Ranks that the program brings into being while it runs.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::floats;
use crate::job::Job;
use crate::process;
use crate::rank::Rank;

/// What one of them is to begin with.
pub struct Birth {
    pub id: usize,
    /// Of its `main`, the program's name first.
    pub arguments: Box<[CString]>,
    /// Locations that it is said to have passed.
    pub passages: u64,
}

impl Job {
    /// Can it have more ranks than it was started with?
    pub(crate) fn can_grow(&self) -> bool {
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
    pub(crate) fn keep_apart(&self) {
        if self.program.floats {
            floats::keep_apart();
        }
    }

    /// Makes further ranks, in the order of their numbers; `by`: the rank that asks.  Or why that cannot be.
    pub fn bear(self: &Arc<Job>, by: &Rank, births: Vec<Birth>) -> Result<Vec<Box<Rank>>, String> {
        if !self.several() {
            alone_so_far(self, by)?;
            self.keep_apart();
        }
        let one = |b: Birth| {
            let made = Rank::spawned(self.clone(), b.id, b.arguments, b.passages);
            made.map_err(|e| format!("no memory for a rank's stack and globals: {e}"))
        };
        let ranks: Vec<Box<Rank>> = births.into_iter().map(one).collect::<Result<_, _>>()?;
        self.add(ranks.len());
        Ok(ranks)
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

/// The only rank so far has what belongs to the process, which it is to share now.
fn alone_so_far(job: &Job, rank: &Rank) -> Result<(), String> {
    let is_function = |a: u64| job.program.fnrefs.values().any(|f| *f as u64 == a);
    let now = process::collect(&is_function, &|a| rank.owns(a), false);
    let changed = [
        (now.directory.is_some(), "working directory"),
        (now.umask.is_some(), "umask"),
        (!now.locale.is_empty(), "locale"),
        (!now.signals.is_empty(), "signal handlers"),
        (!now.timers.is_empty(), "timers"),
    ];
    match changed.iter().find(|c| c.0) {
        None => Ok(()),
        Some((_, what)) => Err(format!(
            "the only rank has changed its {what} before it spawned others, which do not have that: \
             spawn first, or start the program on two ranks or more (pc3run -n)"
        )),
    }
}
