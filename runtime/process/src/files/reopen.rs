//! Opening the files of a checkpoint again, under the numbers they had.  Until [`Files::settle`] nothing outside
//! of the process changes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};

use pc3_os::files;

use super::baseline;
use super::scan::{self, Opener};
use super::system;
use crate::limits;
use pc3_control::report::say;
use pc3_format::library::{OpenMeta, Origin};
use pc3_format::meta::Span;
use pc3_os::own::{disown, duplicate};

/// An open file of a checkpoint, opened here.
#[derive(Debug)]
pub struct Reopened {
    pub meta: OpenMeta,
    /// In the runtime's range.
    pub fd: OwnedFd,
    /// What it held, if it may have been overwritten since.
    pub contents: Option<Vec<u8>>,
}

fn name(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

fn open_path(path: &[u8], flags: i32) -> io::Result<OwnedFd> {
    let low = files::open(path, flags)?;
    duplicate(low.as_raw_fd())
}

/// Opens one; `earlier` are the same rank's before it, `contents` what removed files held.
pub fn open<'a>(
    meta: &OpenMeta,
    earlier: &[Reopened],
    contents: &dyn Fn(Span) -> &'a [u8],
) -> Result<OwnedFd, String> {
    let cannot = |e: io::Error| format!("cannot reopen {}: {e}", name(&meta.path));
    match meta.origin {
        Origin::Inherited(standard) => {
            let fd = standard as RawFd;
            duplicate(fd).map_err(|e| format!("cannot duplicate descriptor {fd}: {e}"))
        }
        Origin::Removed(span) => removed(meta, contents(span)).map_err(|e| {
            format!(
                "cannot make the removed file {} again: {e}",
                name(&meta.path)
            )
        }),
        Origin::Again(i) => {
            let first = usize::try_from(i).ok().and_then(|i| earlier.get(i));
            let first = first.ok_or("the file table is damaged")?;
            let path = system::path_to(first.fd.as_raw_fd());
            open_path(path.as_bytes(), system::flags(meta.access)).map_err(cannot)
        }
        Origin::Path => named(meta),
    }
}

fn named(meta: &OpenMeta) -> Result<OwnedFd, String> {
    let flags = system::flags(meta.access);
    let places = baseline::get().candidates(&meta.path, meta.below.as_deref());
    let mut first = None;
    for path in &places {
        match open_path(path, flags) {
            Ok(fd) => return long_enough(meta, path, fd),
            Err(e) => first = first.or(Some(format!("cannot reopen {}: {e}", name(path)))),
        }
    }
    // An empty output may be made again.
    if scan::writes(meta) && meta.length == 0 {
        for path in &places {
            if let Ok(fd) = open_path(path, flags | files::O_CREAT) {
                return Ok(fd);
            }
        }
    }
    Err(first.unwrap_or_default())
}

/// Does the file begin with these bytes?
pub fn holds(fd: &OwnedFd, bytes: &[u8]) -> bool {
    let read = |file: File| {
        let mut piece = vec![0; 1 << 16];
        bytes.chunks(piece.len()).enumerate().all(|(i, want)| {
            let (have, at) = (&mut piece[..want.len()], (i << 16) as u64);
            file.read_exact_at(have, at).is_ok() && have == want
        })
    };
    File::open(system::path_to(fd.as_raw_fd())).is_ok_and(read)
}

/// What has been written over since the checkpoint is put back; where that is not known it is told.
pub(crate) fn undo(file: &Reopened) -> io::Result<()> {
    let meta = &file.meta;
    if let Some(bytes) = &file.contents {
        let path = system::path_to(file.fd.as_raw_fd());
        let whole = File::options().write(true).open(path)?;
        return whole.write_all_at(bytes, 0);
    }
    let now = system::of(file.fd.as_raw_fd()).map(|i| i.written);
    if meta.contents.is_none() && meta.written.is_some() && meta.written != now {
        say(&format!(
            "{} was written after the checkpoint; what it held then has not been saved, so what was overwritten in place stays overwritten",
            name(&meta.path)
        ));
    }
    Ok(())
}

fn long_enough(meta: &OpenMeta, path: &[u8], fd: OwnedFd) -> Result<OwnedFd, String> {
    match system::length_of(fd.as_raw_fd()) {
        Some(now) if now < meta.length => Err(format!(
            "cannot reopen {}: it has {now} bytes, and had {} at the checkpoint",
            name(path),
            meta.length
        )),
        _ => Ok(fd),
    }
}

/// A file without a name, beside where it was or in the folder for temporary files.
fn removed(meta: &OpenMeta, contents: &[u8]) -> io::Result<OwnedFd> {
    let beside = meta
        .path
        .iter()
        .rposition(|b| *b == b'/')
        .map(|i| meta.path[..i].to_vec());
    let folders = beside
        .into_iter()
        .chain([std::env::temp_dir().into_os_string().into_encoded_bytes()]);
    let mut last = io::ErrorKind::NotFound.into();
    for folder in folders {
        match files::nameless(&folder) {
            Ok(mut file) => {
                file.write_all(contents)?;
                let path = system::path_to(file.as_raw_fd());
                return open_path(path.as_bytes(), system::flags(meta.access));
            }
            Err(e) => last = e,
        }
    }
    Err(last)
}

/// Gives the program's numbers, but the standard ones and those that only streams know, to what has been opened.
pub fn place(
    rank: usize,
    files: &[Reopened],
    is_unseen: &dyn Fn(u64) -> bool,
) -> Result<(), String> {
    for file in files {
        for (number, ends) in &file.meta.numbers {
            let n = RawFd::try_from(*number).map_err(|_| "the file table is damaged")?;
            if n < 3 {
                claim(rank, n, &file.meta)?;
                continue;
            }
            if is_unseen(*number) {
                continue;
            }
            if system::is_open(n) {
                let other = scan::made().get(&n).map(|made| made.rank);
                return Err(why_taken(n, &file.meta, other, &system::path_of(n)));
            }
            put(&file.fd, n, *ends)?;
            remember(rank, n, &file.meta);
        }
    }
    Ok(())
}

/// What ranks have put in the place of the standard descriptors, by their numbers.
static STANDARD: Mutex<BTreeMap<RawFd, (usize, OpenMeta)>> = Mutex::new(BTreeMap::new());

/// A rank has put something in the place of a standard descriptor. Two have different things there only if they were in
/// different processes.
fn claim(rank: usize, n: RawFd, meta: &OpenMeta) -> Result<(), String> {
    let mut all = STANDARD.lock().unwrap_or_else(PoisonError::into_inner);
    let (other, first) = all.entry(n).or_insert_with(|| (rank, meta.clone()));
    let is_duplicate = matches!(meta.origin, Origin::Inherited(_)) && meta.origin == first.origin;
    let is_device = meta.path == first.path && meta.position.is_none() && first.position.is_none();
    match *other == rank || is_duplicate || is_device {
        true => Ok(()),
        false => Err(why_taken(n, meta, Some(*other), &first.path)),
    }
}

/// Why a number cannot be had: it leads elsewhere, for another rank or for whoever has started the program.
fn why_taken(n: RawFd, meta: &OpenMeta, other: Option<usize>, leads: &[u8]) -> String {
    let (was, leads) = (name(&meta.path), name(leads));
    match other {
        Some(other) => format!(
            "descriptor {n} was {was} for it, and {leads} for rank {other}, in another process: in one process a number leads to \
             one file. Go on where the two ranks are in different processes (pc3run -p and --map), or from a checkpoint at \
             which such files are closed"
        ),
        None => format!("descriptor {n}, which was {was}, leads to {leads} here, by whoever has started it: close that before (in a shell, exec {n}>&-)"),
    }
}

pub fn remember(rank: usize, n: RawFd, meta: &OpenMeta) {
    let made = Opener {
        rank,
        call: "an earlier run".to_owned(),
        whole: meta.below.is_none(),
    };
    scan::made().insert(n, made);
}

/// Makes `n` a duplicate.
pub fn put(fd: &OwnedFd, n: RawFd, ends_with_exec: bool) -> Result<(), String> {
    limits::room_for(n as u32);
    // SAFETY: `n` is the program's, for which this is made.
    let done = unsafe { files::duplicate_to(fd.as_raw_fd(), n, ends_with_exec) };
    disown(n);
    done.map_err(|e| format!("descriptor {n} cannot be had here: {e}"))
}

/// The same at the first free number from `n` on: only streams know it.
pub(crate) fn put_near(fd: &OwnedFd, n: RawFd, ends_with_exec: bool) -> Result<RawFd, String> {
    limits::room_for(n as u32);
    let here = files::duplicate(fd.as_raw_fd(), n, ends_with_exec)
        .map_err(|e| format!("a descriptor for a stream cannot be had here: {e}"))?
        .into_raw_fd();
    disown(here);
    Ok(here)
}
