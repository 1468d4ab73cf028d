//! Files that ranks use while they take their local checkpoints one by one: each file is cut and moved to where it
//! stood at its own rank's line, which is right as long as it is no other rank's business between the first line
//! and the last.

use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::scan::made;
use super::system::{self, Identity};
use pc3_format::bytes::{DecodeError, Decoder, Encoder};
use pc3_format::library::{ACCESS_APPEND, ACCESS_WRITE};

/// What a rank has to do with a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Use {
    Reads,
    /// Has it open for writing, or had at some time since the window began.
    Writes,
    /// Wrote and closed it before: what others write behind that is cut with it.
    Wrote,
}

#[derive(Debug, Default)]
struct Touched {
    path: Vec<u8>,
    by: BTreeSet<(usize, Use)>,
}

impl Touched {
    /// Two ranks that must not have their lines at different times.
    fn clash(&self) -> Option<(usize, usize)> {
        let writes = |u: Use| u == Use::Writes;
        let mut pairs = self
            .by
            .iter()
            .flat_map(|a| self.by.range(a..).map(move |b| (*a, *b)));
        pairs
            .find(|(a, b)| a.0 != b.0 && (writes(a.1) || writes(b.1)))
            .map(|(a, b)| (a.0, b.0))
    }
}

/// By device and inode.
type Files = BTreeMap<(u64, u64), Touched>;

static IS_OPEN: AtomicBool = AtomicBool::new(false);
static WINDOW: Mutex<Files> = Mutex::new(Files::new());

fn window() -> MutexGuard<'static, Files> {
    WINDOW.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Somebody is about to pass the first line.
pub fn begin() {
    window().clear();
    // Whoever opens a file notes it in `made` first and looks here then.
    IS_OPEN.store(true, Relaxed);
    let all: Vec<(RawFd, usize)> = made().iter().map(|(fd, m)| (*fd, m.rank)).collect();
    for (fd, rank) in all {
        touch(rank, fd);
    }
}

/// Nobody has a line to pass any more.
pub fn end() {
    IS_OPEN.store(false, Relaxed);
    window().clear();
}

/// A rank has this descriptor.
pub fn touch(rank: usize, fd: RawFd) {
    if !IS_OPEN.load(Relaxed) {
        return;
    }
    let Some(file) = system::of(fd).filter(Identity::is_regular) else {
        return;
    };
    let how = match system::access(fd) & (ACCESS_WRITE | ACCESS_APPEND) {
        0 => Use::Reads,
        _ => Use::Writes,
    };
    add(rank, &file, how, || system::path_of(fd));
}

/// A rank that takes its local checkpoint has written this file and closed it.
pub fn wrote(rank: usize, path: &[u8]) {
    if let Some(file) = system::of_path(path).filter(Identity::is_regular) {
        add(rank, &file, Use::Wrote, || path.to_vec());
    }
}

fn add(rank: usize, file: &Identity, how: Use, path: impl FnOnce() -> Vec<u8>) {
    let mut all = window();
    let touched = all.entry((file.device, file.inode)).or_default();
    if touched.path.is_empty() {
        // Closed again before its name was looked up.
        touched.path = path();
    }
    touched.by.insert((rank, how));
}

/// Why local checkpoints that have been taken since the window began do not fit together.
pub fn clash() -> Option<String> {
    found(&window())
}

/// What this process's ranks do with files, for the process that compares.
pub fn uses() -> Vec<u8> {
    let all = window();
    let mut e = Encoder::default();
    e.len(all.len());
    for ((device, inode), touched) in all.iter() {
        e.u64(*device);
        e.u64(*inode);
        e.bytes(&touched.path);
        e.len(touched.by.len());
        for (rank, how) in &touched.by {
            e.u64(*rank as u64);
            e.u64(*how as u64);
        }
    }
    e.0
}

/// The same of several processes.  Where they are on several machines a file system may have another number on each: there a
/// file is known by its own and its path.
pub fn clash_of<'a>(
    processes: impl Iterator<Item = &'a [u8]>,
) -> Result<Option<String>, DecodeError> {
    let mut here = Files::new();
    for bytes in processes.filter(|b| !b.is_empty()) {
        let mut d = Decoder::new(bytes, "uses of files");
        for _ in 0..d.u64()? {
            let identity = (d.u64()?, d.u64()?);
            let path = d.bytes()?.to_vec();
            // One file of one machine may have several paths.
            let touched = here.entry(identity).or_default();
            if touched.path.is_empty() {
                touched.path = path;
            }
            for _ in 0..d.u64()? {
                let rank = d.u64()? as usize;
                let how = match d.u64()? {
                    0 => Use::Reads,
                    1 => Use::Writes,
                    2 => Use::Wrote,
                    _ => return Err(DecodeError::Invalid("use")),
                };
                touched.by.insert((rank, how));
            }
        }
    }
    let mut all: BTreeMap<(u64, Vec<u8>), Touched> = BTreeMap::new();
    for ((_, inode), one) in here {
        let same = all.entry((inode, one.path.clone())).or_default();
        same.path = one.path;
        same.by.extend(one.by);
    }
    Ok(found(&all))
}

fn found<K>(all: &BTreeMap<K, Touched>) -> Option<String> {
    let (file, (a, b)) = all.values().find_map(|t| Some((t, t.clash()?)))?;
    Some(format!(
        "{} is used by ranks {a} and {b}, and written, between their local checkpoints; use the barrier protocol, or a file for each rank",
        String::from_utf8_lossy(&file.path)
    ))
}

#[cfg(test)]
mod tests {
    use super::{clash_of, found, Encoder, Touched, Use};
    use std::collections::BTreeMap;

    #[test]
    fn processes_compare() {
        let uses = |device: u64, path: &str, rank: u64, how: Use| {
            let mut e = Encoder::default();
            for v in [1, device, 77] {
                e.u64(v);
            }
            e.bytes(path.as_bytes());
            for v in [1, rank, how as u64] {
                e.u64(v);
            }
            e.0
        };
        let check = |a: &[u8], b: &[u8]| clash_of([a, b, &[]].into_iter()).ok().flatten().is_some();
        let first = uses(1, "/a", 0, Use::Writes);
        assert!(
            check(&first, &uses(1, "/b", 1, Use::Reads)),
            "one file, two names"
        );
        assert!(check(&first, &uses(2, "/a", 1, Use::Reads)), "two machines");
        assert!(
            check(&uses(1, "", 1, Use::Reads), &first),
            "its name was not known"
        );
        assert!(!check(&first, &uses(2, "/b", 1, Use::Writes)));
        assert!(!check(&first, &uses(1, "/a", 0, Use::Reads)));
        assert!(found(&BTreeMap::<u8, Touched>::new()).is_none());
    }

    #[test]
    fn clashes() {
        let check = |by: &[(usize, Use)], expected: Option<(usize, usize)>| {
            let touched = Touched {
                path: Vec::new(),
                by: by.iter().copied().collect(),
            };
            assert_eq!(touched.clash(), expected, "{by:?}");
        };
        use Use::*;
        check(&[(0, Reads), (1, Reads)], None);
        check(&[(0, Reads), (0, Writes), (0, Wrote)], None);
        check(&[(0, Reads), (1, Writes)], Some((0, 1)));
        check(&[(0, Writes), (2, Writes)], Some((0, 2)));
        check(&[(1, Writes), (3, Wrote)], Some((1, 3)));
        check(&[(0, Reads), (1, Wrote)], None);
        check(&[(0, Wrote), (1, Wrote)], None);
    }
}
