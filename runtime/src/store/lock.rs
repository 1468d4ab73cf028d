//! The lock of the job that runs in a checkpoint directory, and what it tells onlookers.
//!
//! A record lock on the file `lock`, which the kernel drops with the process, so that that of a killed
//! job is no obstacle.  Its text: `pid N`, `signal N`, the last refusal.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::files::own::high;

use super::{at, StoreError};

const LOCK: &str = "lock";

/// The running job that holds a directory's lock: its process and the signal that asks it for
/// a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Holder {
    pub pid: i32,
    pub signal: Option<i32>,
}

/// How many requests for a checkpoint the job that runs in `dir` could not meet, and why the last one.
pub fn refusal(dir: &Path) -> Option<(u64, String)> {
    let text = fs::read_to_string(dir.join(LOCK)).ok()?;
    let line = text.strip_suffix('\n')?.lines().last()?;
    let (count, why) = line.strip_prefix("refused ")?.split_once(' ')?;
    Some((count.parse().ok()?, why.to_owned()))
}

/// Who runs in `dir`, if anyone.
pub fn holder(dir: &Path) -> io::Result<Option<Holder>> {
    let mut file = match File::open(dir.join(LOCK)) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(e),
    };
    let Some(pid) = locked_by(&file)? else {
        return Ok(None);
    };
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let signal = text
        .lines()
        .find_map(|l| l.strip_prefix("signal "))
        .and_then(|s| s.trim().parse().ok());
    Ok(Some(Holder { pid, signal }))
}

fn whole_file() -> libc::flock {
    // SAFETY: all-zero is a valid value: from the start to the end of the file.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_WRLCK as _;
    lock.l_whence = libc::SEEK_SET as _;
    lock
}

fn locked_by(file: &File) -> io::Result<Option<i32>> {
    let mut lock = whole_file();
    // SAFETY: the descriptor is open, the structure initialised.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETLK, &raw mut lock) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok((lock.l_type != libc::F_UNLCK as libc::c_short).then_some(lock.l_pid))
}

fn same(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    a.dev() == b.dev() && a.ino() == b.ino()
}

/// The lock, held.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    // POSIX record locks vanish when any descriptor of the file is closed: it stays open.
    file: File,
    /// Where the fixed text ends.
    fixed: u64,
    refused: u64,
}

impl Lock {
    pub fn take(dir: &Path, signal: Option<i32>) -> Result<Lock, StoreError> {
        let path = dir.join(LOCK);
        let mut file = take(dir, &path)?;
        let mut text = format!("pid {}\n", std::process::id());
        if let Some(signal) = signal {
            text.push_str(&format!("signal {signal}\n"));
        }
        let fixed = text.len() as u64;
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(text.as_bytes()))
            .map_err(at(&path))?;
        Ok(Lock {
            path,
            file,
            fixed,
            refused: 0,
        })
    }

    pub fn note_refusal(&mut self, why: &str) {
        self.refused += 1;
        let why: Vec<&str> = why.lines().map(str::trim).collect();
        let line = format!("refused {} {}\n", self.refused, why.join("; "));
        let _ = self
            .file
            .set_len(self.fixed)
            .and_then(|()| self.file.write_at(line.as_bytes(), self.fixed));
    }

    /// Someone removed it, or the directory.
    pub fn is_gone(&self) -> bool {
        match (self.file.metadata(), fs::metadata(&self.path)) {
            (Ok(mine), Ok(now)) => !same(&mine, &now),
            (_, Err(e)) => e.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }

    pub fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// For as long a job that has just been killed may still be ending.
const PATIENCE: Duration = Duration::from_secs(1);

fn take(dir: &Path, path: &Path) -> Result<File, StoreError> {
    let start = Instant::now();
    loop {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map(high)
            .map_err(at(path))?;
        let want = whole_file();
        // SAFETY: the descriptor is open, the structure initialised.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &raw const want) } != 0 {
            let error = io::Error::last_os_error();
            let held = matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES));
            if held && start.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(10));
                continue;
            }
            if !held {
                return Err(at(path)(error));
            }
            let pid = locked_by(&file).ok().flatten();
            return Err(StoreError::Locked {
                dir: dir.to_owned(),
                holder: pid.map_or("process unknown".to_owned(), |p| format!("process {p}")),
            });
        }
        // The holder of before may have removed the file between our open and our lock.
        let mine = file.metadata().map_err(at(path))?;
        if fs::metadata(path).is_ok_and(|now| same(&mine, &now)) {
            return Ok(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_refusal_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let mut lock = Lock::take(dir.path(), Some(10)).unwrap();
        assert_eq!(refusal(dir.path()), None);
        lock.note_refusal("ranks wait\n  rank 0: for long\n  rank 1: too");
        lock.note_refusal("no room");
        assert_eq!(refusal(dir.path()), Some((2, "no room".to_owned())));
        lock.note_refusal("a\n  b");
        assert_eq!(refusal(dir.path()), Some((3, "a; b".to_owned())));
    }
}
