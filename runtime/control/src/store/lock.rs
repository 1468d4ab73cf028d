//! The lock of the job that runs in a checkpoint directory, and what it tells onlookers.
//!
//! Record locks on the file `lock`, which the kernel drops with the process, so that those of a killed job are no obstacle: the
//! first process holds the first byte, the job's other processes share the second.  When one process is killed the others run,
//! and print, until they know: who takes the directory up waits for all of them.  Text: `pid N`, `signal N`, the last refusal.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pc3_os::files::{self, Hold};

use pc3_os::own::high;

use super::error::{at, StoreError};
use super::private;

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
    let Some(pid) = locked_by(&file, HOLDER)? else {
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

/// Which byte.
const HOLDER: u8 = 0;
const OTHERS: u8 = 1;

/// Takes a byte, if nobody has it.
fn set(file: &File, byte: u8, hold: Hold) -> io::Result<()> {
    files::lock(file.as_raw_fd(), byte.into(), 1, hold)
}

fn locked_by(file: &File, byte: u8) -> io::Result<Option<i32>> {
    files::locked_by(file.as_raw_fd(), byte.into(), 1, Hold::Alone)
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

/// Another process of the job than that which holds the lock: has it for as long as it runs.
pub fn share(dir: &Path) -> io::Result<()> {
    let file = high(File::open(dir.join(LOCK))?);
    set(&file, OTHERS, Hold::Shared)?;
    // Until the process ends.
    let _ = file.into_raw_fd();
    Ok(())
}

/// For as long a job that has just been killed may still be ending.
const PATIENCE: Duration = Duration::from_secs(1);
/// The same of its other processes, which have to find out.
const PATIENCE_WITH_OTHERS: Duration = Duration::from_secs(30);

/// None of the other processes of the job before runs any more.
fn wait_for_others(dir: &Path, path: &Path, file: &File) -> Result<(), StoreError> {
    let start = Instant::now();
    while let Some(pid) = locked_by(file, OTHERS).map_err(at(path))? {
        if start.elapsed() >= PATIENCE_WITH_OTHERS {
            let holder = format!("process {pid}, whose first process has ended");
            let dir = dir.to_owned();
            return Err(StoreError::Locked { dir, holder });
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn take(dir: &Path, path: &Path) -> Result<File, StoreError> {
    let start = Instant::now();
    loop {
        let file = private::options()
            .read(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map(high)
            .map_err(at(path))?;
        if let Err(error) = set(&file, HOLDER, Hold::Alone) {
            let held = files::is_locked(&error);
            if held && start.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(10));
                continue;
            }
            if !held {
                return Err(at(path)(error));
            }
            let pid = locked_by(&file, HOLDER).ok().flatten();
            return Err(StoreError::Locked {
                dir: dir.to_owned(),
                holder: pid.map_or("process unknown".to_owned(), |p| format!("process {p}")),
            });
        }
        // The holder of before may have removed the file between our open and our lock.
        let mine = file.metadata().map_err(at(path))?;
        if fs::metadata(path).is_ok_and(|now| same(&mine, &now)) {
            wait_for_others(dir, path, &file)?;
            return Ok(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

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

    const SHARED: &str = "PC3_TEST_SHARED_LOCK";

    /// What the next test has another process do.
    #[test]
    fn another_process() {
        if let Some(dir) = std::env::var_os(SHARED) {
            share(Path::new(&dir)).unwrap();
            println!("has it");
            io::stdin().read_to_string(&mut String::new()).unwrap();
        }
    }

    #[test]
    fn who_takes_it_waits_for_all_processes_of_the_job_before() {
        let dir = tempfile::tempdir().unwrap();
        File::create(dir.path().join(LOCK)).unwrap();
        let mut other = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "store::lock::tests::another_process"])
            .arg("--nocapture")
            .env(SHARED, dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // Open until it has ended: it has more to say.
        let mut lines = BufReader::new(other.stdout.take().unwrap()).lines();
        assert!(lines.any(|l| l.unwrap().contains("has it")));
        assert_eq!(holder(dir.path()).unwrap(), None);
        std::thread::scope(|s| {
            let took = s.spawn(|| Lock::take(dir.path(), None).is_ok());
            // Time in which it may do wrong.
            std::thread::sleep(Duration::from_millis(50));
            assert!(!took.is_finished());
            drop(other.stdin.take());
            assert!(took.join().unwrap());
        });
        assert!(other.wait().unwrap().success());
        let _lock = Lock::take(dir.path(), None).unwrap();
    }
}
