//! The checkpoint directory: names, the lock of the running job, atomic commit, pruning.
//!
//! A checkpoint appears under its name only when it is whole and durable: temporary file, fsync,
//! rename, fsync of the directory.  Older ones are removed after that, never before.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use thiserror::Error;

use crate::failpoint;
use crate::files::own::high;

pub const SUFFIX: &str = ".pc3c";
const LOCK: &str = "lock";
/// Why the latest checkpoint that was asked for was not taken, with the time.
const REFUSED: &str = "refused";
/// Where standard output stood when the job began.
const BEGIN: &str = "begin";

#[derive(Debug, Error)]
pub enum StoreError {
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("{} is in use by a running job ({holder}); stop it, or give this run another PC3_DIR", dir.display())]
    Locked { dir: PathBuf, holder: String },
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> StoreError + '_ {
    move |error| StoreError::Io {
        path: path.to_owned(),
        error,
    }
}

/// `ckpt-000012.pc3c`.
pub fn file_name(id: u64) -> String {
    format!("ckpt-{id:06}{SUFFIX}")
}

fn id_of(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("ckpt-")?.strip_suffix(SUFFIX)?;
    if digits.len() < 6 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

fn is_temporary(name: &str) -> bool {
    name.starts_with(".ckpt-") && name.ends_with(".tmp")
}

/// The checkpoints of a directory, oldest first; whether they are good is for the reader to say.
pub fn list(dir: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if let Some(id) = entry.file_name().to_str().and_then(id_of) {
            found.push((id, entry.path()));
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// The running job that holds a directory's lock: its process and the signal that asks it for
/// a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Holder {
    pub pid: i32,
    pub signal: Option<i32>,
}

/// How long the job that runs in `dir` stood still for checkpoint `id`, if that was its last one.
pub fn stall(dir: &Path, id: u64) -> Option<Duration> {
    let text = fs::read_to_string(dir.join(LOCK)).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("stall "))?;
    let (of, nanoseconds) = line.split_once(',')?;
    let nanoseconds = nanoseconds.trim().parse().ok()?;
    (of.trim().parse() == Ok(id)).then(|| Duration::from_nanos(nanoseconds))
}

/// Time in nanoseconds since 1970 and reason of the latest checkpoint that could not be taken.
pub fn refusal(dir: &Path) -> Option<(u128, String)> {
    let text = fs::read_to_string(dir.join(REFUSED)).ok()?;
    let (time, why) = text.trim_end().split_once(' ')?;
    Some((time.parse().ok()?, why.to_owned()))
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

fn take_lock(dir: &Path, path: &Path) -> Result<File, StoreError> {
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
            return Err(match error.raw_os_error() {
                Some(libc::EAGAIN | libc::EACCES) => {
                    let pid = locked_by(&file).ok().flatten();
                    let holder =
                        pid.map_or("process unknown".to_owned(), |p| format!("process {p}"));
                    StoreError::Locked {
                        dir: dir.to_owned(),
                        holder,
                    }
                }
                _ => StoreError::Io {
                    path: path.to_owned(),
                    error,
                },
            });
        }
        // The holder of before may have removed the file between our open and our lock.
        let same = |a: &fs::Metadata, b: &fs::Metadata| a.dev() == b.dev() && a.ino() == b.ino();
        let mine = file.metadata().map_err(at(path))?;
        if fs::metadata(path).is_ok_and(|now| same(&mine, &now)) {
            return Ok(file);
        }
    }
}

/// A directory locked by this job.  The kernel drops the lock with the process, so that of a
/// killed job is no obstacle.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    keep: usize,
    next: u64,
    owner: u32,
    // POSIX record locks vanish when any descriptor of the file is closed: it stays open.
    lock: File,
    given_up: Range<u64>,
    /// Where its fixed text ends.
    lock_text: u64,
}

impl Store {
    /// Creates the directory if need be, locks it and removes what a crash left behind.
    pub fn open(dir: &Path, keep: usize, signal: Option<i32>) -> Result<Store, StoreError> {
        fs::create_dir_all(dir).map_err(at(dir))?;
        let path = dir.join(LOCK);
        let mut lock = take_lock(dir, &path)?;
        let mut text = format!("pid {}\n", std::process::id());
        if let Some(signal) = signal {
            text.push_str(&format!("signal {signal}\n"));
        }
        lock.set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| lock.write_all(text.as_bytes()))
            .map_err(at(&path))?;
        for entry in fs::read_dir(dir).map_err(at(dir))? {
            let entry = entry.map_err(at(dir))?;
            if entry.file_name().to_str().is_some_and(is_temporary) {
                fs::remove_file(entry.path()).map_err(at(&entry.path()))?;
            }
        }
        let next = list(dir)
            .map_err(at(dir))?
            .last()
            .map_or(1, |(id, _)| id + 1);
        let owner = std::process::id();
        Ok(Store {
            dir: dir.to_owned(),
            keep: keep.max(1),
            next,
            owner,
            lock,
            given_up: 0..0,
            lock_text: text.len() as u64,
        })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The next checkpoint's id.
    pub fn next_id(&self) -> u64 {
        self.next
    }

    /// Notes where standard output stands as the job begins: position and path.
    pub fn note_begin(&self, position: u64, path: &str) -> Result<(), StoreError> {
        let file = self.dir.join(BEGIN);
        fs::write(&file, format!("{position} {path}")).map_err(at(&file))
    }

    /// What [`Store::note_begin`] noted, if that job did not come to its end.
    pub fn begin(&self) -> Option<(u64, String)> {
        let text = fs::read_to_string(self.dir.join(BEGIN)).ok()?;
        let (position, path) = text.split_once(' ')?;
        Some((position.parse().ok()?, path.to_owned()))
    }

    /// The job came to its end.
    pub fn end(&self) {
        if std::process::id() == self.owner {
            let _ = fs::remove_file(self.dir.join(BEGIN));
            let _ = fs::remove_file(self.dir.join(REFUSED));
        }
    }

    /// The job goes on from checkpoint `id`; the next commit removes those that came after it, which
    /// belong to a course that has been given up.
    pub fn continued(&mut self, id: u64) {
        self.given_up = id + 1..self.next;
    }

    /// The job begins afresh: its first commit removes what earlier ones left, since falling back to that would
    /// continue another run.  Returns the newest of it.
    pub fn begun(&mut self) -> Option<u64> {
        self.given_up = 0..self.next;
        list(&self.dir).ok()?.last().map(|(id, _)| *id)
    }

    /// Notes for onlookers how long the job stood still for checkpoint `id`.
    pub fn note_stall(&self, id: u64, time: Duration) {
        // One write of constant length: who reads meanwhile finds a whole line.
        let line = format!("stall {id:>20},{:>20}\n", time.as_nanos());
        let _ = self.lock.write_at(line.as_bytes(), self.lock_text);
    }

    /// Notes for who asks why a checkpoint was not taken.
    pub fn note_refusal(&self, why: &str) {
        let time = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let _ = fs::write(
            self.dir.join(REFUSED),
            format!("{} {why}\n", time.as_nanos()),
        );
    }

    /// Someone removed the directory, or the lock in it, so that others no longer see that it is in use.
    pub fn is_gone(&self) -> bool {
        let same = |a: &fs::Metadata, b: &fs::Metadata| a.dev() == b.dev() && a.ino() == b.ino();
        match (self.lock.metadata(), fs::metadata(self.dir.join(LOCK))) {
            (Ok(mine), Ok(now)) => !same(&mine, &now),
            (_, Err(e)) => e.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }

    /// Ids go on from there, whatever the directory holds.
    pub fn go_on_at(&mut self, id: u64) {
        self.next = self.next.max(id);
    }

    /// Lets `write` fill a temporary file and makes it the checkpoint `next_id()`.
    pub fn commit(
        &mut self,
        write: impl FnOnce(&mut File, u64) -> io::Result<()>,
    ) -> Result<u64, StoreError> {
        let id = self.next;
        let temporary = self.dir.join(format!(".ckpt-{id:06}.tmp"));
        let done = self.commit_as(id, &temporary, write);
        if done.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        done
    }

    fn commit_as(
        &mut self,
        id: u64,
        temporary: &Path,
        write: impl FnOnce(&mut File, u64) -> io::Result<()>,
    ) -> Result<u64, StoreError> {
        let final_path = self.dir.join(file_name(id));
        let mut file = File::create(temporary).map_err(at(temporary))?;
        let step = |name: &str| failpoint::reach(name).map_err(at(temporary));
        step("commit.created")?;
        write(&mut file, id).map_err(at(temporary))?;
        step("commit.written")?;
        file.sync_all().map_err(at(temporary))?;
        step("commit.synced")?;
        drop(file);
        fs::rename(temporary, &final_path).map_err(at(&final_path))?;
        step("commit.renamed")?;
        File::open(&self.dir)
            .and_then(|d| d.sync_all())
            .map_err(at(&self.dir))?;
        step("commit.durable")?;
        self.next = id + 1;
        self.prune();
        step("commit.pruned")?;
        Ok(id)
    }

    /// Removes all but the newest `keep`.  What cannot be removed now is tried again next time.
    fn prune(&self) {
        let Ok(all) = list(&self.dir) else { return };
        let (gone, kept): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|(id, _)| self.given_up.contains(id));
        let old = kept.iter().rev().skip(self.keep);
        for (_, path) in gone.iter().chain(old) {
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // A forked child of the program may end before it.
        if std::process::id() == self.owner && !self.is_gone() {
            let _ = fs::remove_file(self.dir.join(LOCK));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(store: &mut Store, text: &str) -> u64 {
        store.commit(|f, _| f.write_all(text.as_bytes())).unwrap()
    }

    #[test]
    fn a_fresh_run_leaves_nothing_of_an_earlier_one_to_fall_back_to() {
        let dir = tempfile::tempdir().unwrap();
        let open = || Store::open(dir.path(), 3, None).unwrap();
        let ids = || -> Vec<u64> { list(dir.path()).unwrap().iter().map(|c| c.0).collect() };
        let mut earlier = open();
        assert_eq!(earlier.begun(), None);
        put(&mut earlier, "a");
        put(&mut earlier, "b");
        drop(earlier);
        let mut fresh = open();
        assert_eq!(fresh.begun(), Some(2));
        assert_eq!(ids(), [1, 2]);
        put(&mut fresh, "c");
        assert_eq!(ids(), [3]);
        put(&mut fresh, "d");
        assert_eq!(ids(), [3, 4]);
    }

    #[test]
    fn commits_and_prunes() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path(), 2, None).unwrap();
        for text in ["a", "b", "c"] {
            put(&mut store, text);
        }
        let ids: Vec<_> = list(dir.path())
            .unwrap()
            .into_iter()
            .map(|(id, _)| id)
            .collect();
        assert_eq!(ids, [2, 3]);
    }

    #[test]
    fn a_course_that_was_given_up_goes_with_the_next_commit() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path(), 9, None).unwrap();
        for text in ["a", "b", "c", "d"] {
            put(&mut store, text);
        }
        store.continued(2);
        let ids = || -> Vec<u64> { list(dir.path()).unwrap().iter().map(|c| c.0).collect() };
        assert_eq!(ids(), [1, 2, 3, 4]);
        put(&mut store, "e");
        assert_eq!(ids(), [1, 2, 5]);
        put(&mut store, "f");
        assert_eq!(ids(), [1, 2, 5, 6]);
    }

    #[test]
    fn the_last_stall_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path(), 2, Some(10)).unwrap();
        assert_eq!(stall(dir.path(), 7), None);
        store.note_stall(6, Duration::from_secs(100));
        store.note_stall(7, Duration::from_millis(3));
        assert_eq!(stall(dir.path(), 7), Some(Duration::from_millis(3)));
        assert_eq!(stall(dir.path(), 6), None);
    }

    #[test]
    fn a_failed_write_leaves_the_last_one_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path(), 1, None).unwrap();
        put(&mut store, "good");
        let full = |_: &mut File, _| Err(io::Error::from_raw_os_error(libc::ENOSPC));
        assert!(store
            .commit(full)
            .unwrap_err()
            .to_string()
            .contains("No space left"));
        let mut names: Vec<_> = fs::read_dir(dir.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["ckpt-000001.pc3c", "lock"]);
        assert_eq!(put(&mut store, "next"), 2);
    }

    #[test]
    fn leftovers_are_removed_and_odd_names_ignored() {
        let dir = tempfile::tempdir().unwrap();
        for name in [
            ".ckpt-000009.tmp",
            "ckpt-12.pc3c",
            "ckpt-000x12.pc3c",
            "notes",
        ] {
            fs::write(dir.path().join(name), "x").unwrap();
        }
        let store = Store::open(dir.path(), 2, None).unwrap();
        assert_eq!(store.next_id(), 1);
        assert!(!dir.path().join(".ckpt-000009.tmp").exists());
        assert!(dir.path().join("notes").exists());
    }
}
