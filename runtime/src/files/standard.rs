//! The streams with which a program is started: nothing of theirs is opened again, but what was written after
//! the checkpoint is taken back and what was read before it is skipped, if they lead where they led.

use std::io;
use std::os::fd::RawFd;

use libc::FILE;

use super::system::{cut, length_of, path_of, position, set_position, tail};
use crate::format::library::{FileKind, FileMeta, STATE_CONSUMED, STATE_EOF};
use crate::tell::say;

extern "C" {
    static mut stdin: *mut FILE;
    static mut stdout: *mut FILE;
    static mut stderr: *mut FILE;
}

pub(super) fn standard() -> [(FileKind, *mut FILE); 3] {
    // SAFETY: the C library's variables; nobody else of ours writes them.
    unsafe {
        [
            (FileKind::Stdin, stdin),
            (FileKind::Stdout, stdout),
            (FileKind::Stderr, stderr),
        ]
    }
}

pub(super) fn kind_of(stream: *mut FILE) -> FileKind {
    standard()
        .iter()
        .find(|s| s.1 == stream)
        .map_or(FileKind::Opened, |s| s.0)
}

/// Where the next byte written to an inherited descriptor goes.
pub(crate) fn stands_at(fd: RawFd) -> Option<u64> {
    let length = length_of(fd)?;
    // Until something is written, the offset of one opened to append is not the file's end.
    // SAFETY: a plain system call.
    if unsafe { libc::fcntl(fd, libc::F_GETFL) } & libc::O_APPEND != 0 {
        return Some(length);
    }
    position(fd)
}

/// Where an inherited descriptor leads.
pub(crate) fn leads_to(fd: RawFd) -> String {
    String::from_utf8_lossy(&path_of(fd)).into_owned()
}

/// Puts an inherited stream back to where it stood, if it leads to the same file as it did.
pub(super) fn restore(file: &FileMeta, fd: RawFd) -> io::Result<()> {
    match file.kind {
        FileKind::Stdin => standard_input(file, fd),
        // Standard error is a log: what it says of earlier runs stays, unless the program's output goes there, too.
        FileKind::Stderr => Ok(()),
        _ => match file.position {
            Some(position) if is_the_same(file, fd) => cut_back(fd, position),
            Some(_) => {
                tell_of_another(file, fd);
                Ok(())
            }
            None => Ok(()),
        },
    }
}

/// Does an output hold what it held at the checkpoint?  It may have another name or be a copy: batch systems carry it about.
pub(super) fn is_the_same(file: &FileMeta, fd: RawFd) -> bool {
    let Some(position) = file.position else {
        return false;
    };
    let alike = || file.tail == tail(fd, position);
    let path = file.path == leads_to(fd);
    match length_of(fd) {
        // What there is in front may be another's.
        Some(length) if length >= position && position > 0 && file.tail.is_some() => alike(),
        _ => path,
    }
}

fn tell_of_another(file: &FileMeta, fd: RawFd) {
    if length_of(fd).is_some_and(|length| length > 0) {
        let (was, is) = (&file.path, leads_to(fd));
        let was = if *was == is { "another file" } else { was };
        say(&format!(
            "standard output is {is} and was {was} at the checkpoint, which it is no copy of: nothing of it is taken back"
        ));
    }
}

/// An input that moved with the job is known by its length.
fn standard_input(file: &FileMeta, fd: RawFd) -> io::Result<()> {
    let here = leads_to(fd);
    match (file.position, length_of(fd)) {
        (Some(position), Some(length)) if file.path == here || length == file.length => {
            return set_position(fd, position);
        }
        (Some(0), _) => return Ok(()),
        (None, _) if file.state & STATE_CONSUMED == 0 => return Ok(()),
        _ => {}
    }
    // At its end it stays if nothing can come from here.
    if file.state & STATE_EOF == 0 || here != "/dev/null" {
        let (was, is) = (&file.path, if here.is_empty() { "closed" } else { &here });
        say(&format!(
            "standard input was {was} and is {is}: what had been read before the checkpoint is not skipped"
        ));
    }
    Ok(())
}

/// Takes back what was appended to a file, if it is still there.
pub(crate) fn cut_file(path: &str, position: u64) -> io::Result<()> {
    match std::fs::OpenOptions::new().write(true).open(path) {
        Ok(file) if file.metadata()?.is_file() && file.metadata()?.len() > position => {
            file.set_len(position)
        }
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Takes back what was written to an inherited regular file behind `position`.
pub(crate) fn cut_back(fd: RawFd, position: u64) -> io::Result<()> {
    match length_of(fd) {
        Some(length) if length >= position => {
            cut(fd, position)?;
            let _ = set_position(fd, position);
        }
        Some(length) if length > 0 => say(&format!(
            "standard output has {length} bytes and had {position} at the checkpoint: what is missing is not written again"
        )),
        _ => {}
    }
    Ok(())
}
