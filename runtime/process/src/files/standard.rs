//! The streams with which a program is started: nothing of theirs is opened again, but what was written after
//! the checkpoint is taken back and what was read before it is skipped, if they lead where they led.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

use pc3_os::files as os_files;
use pc3_os::streams;
use pc3_os::types::FILE;

use super::baseline;
use super::stream::locked;
use super::system::{cut, length_of, of, open_ones, path_of, path_to, set_position, tail};
use crate::variables;
use pc3_control::report::say;
use pc3_format::library::{FileKind, FileMeta, STATE_CONSUMED, STATE_EOF};
use pc3_os::own::{duplicate, is_own};

const KINDS: [FileKind; 3] = [FileKind::Stdin, FileKind::Stdout, FileKind::Stderr];

/// The streams with which the process was started.
pub fn standard() -> [(FileKind, *mut FILE); 3] {
    let first = variables::streams();
    [0, 1, 2].map(|i| (KINDS[i], first[i] as *mut FILE))
}

pub fn named(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Stdin => "standard input",
        FileKind::Stdout => "standard output",
        FileKind::Stderr => "standard error",
        _ => "a file",
    }
}

pub fn kind_of(stream: *mut FILE) -> FileKind {
    standard()
        .iter()
        .find(|s| s.1 == stream)
        .map_or(FileKind::Opened, |s| s.0)
}

/// Where standard descriptors' own part of their files ends, by their numbers, if that is not their place at the checkpoint.
static GOES_ON: OnceLock<Vec<(RawFd, u64)>> = OnceLock::new();

/// The job stopped at the checkpoint: what lies in front of these places is not taken back.
pub fn go_on_behind(places: Vec<(RawFd, u64)>) {
    let _ = GOES_ON.set(places);
}

/// Does the program write to its standard output and error, where they are files, by their own descriptors alone?  What
/// waits in other streams to them is known to none of these.
pub fn outputs_are_alone() -> bool {
    let outputs = || [1, 2].into_iter().filter_map(|fd| Some((fd, of(fd)?)));
    let base = baseline::get();
    let Ok(list) = open_ones() else {
        return false;
    };
    let mut others = list.into_iter().filter(|fd| *fd > 2 && !is_own(*fd));
    outputs().all(|(fd, now)| base.is_unchanged(fd, &now))
        && !others.any(|fd| of(fd).is_some_and(|o| outputs().any(|(_, now)| now.same(&o))))
}

/// Does a descriptor lead to the standard output or error with which the process was started?
pub fn is_inherited_output(fd: RawFd) -> bool {
    let inherited = || of(fd).is_some_and(|now| baseline::get().is_unchanged(fd, &now));
    matches!(fd, 1 | 2) && inherited()
}

/// Where the job's outputs led to, which nobody here prints to any more.
pub struct Silent(Vec<(FileKind, OwnedFd)>);

/// From now on nothing that the program prints gets to its outputs, where these are files: the process is about to end. None if
/// somebody does not let go of a stream.
pub fn silence() -> Option<Silent> {
    let mut all = Vec::new();
    let mut files = standard().into_iter().skip(1);
    // SAFETY: standard streams; the locks stay with this thread.
    let keep = |s: *mut FILE| locked(s, || unsafe { streams::lock(s) });
    files.try_for_each(|(kind, s)| match length_of(kind as RawFd) {
        Some(_) => keep(s),
        None => Some(()),
    })?;
    let nowhere = OpenOptions::new().write(true).open("/dev/null").ok()?;
    for (kind, fd) in [(FileKind::Stdout, 1), (FileKind::Stderr, 2)] {
        if length_of(fd).is_some() {
            all.push((kind, duplicate(fd).ok()?));
            // SAFETY: plain descriptors; what is being written is written before.
            let _ = unsafe { os_files::duplicate_to(nowhere.as_raw_fd(), fd, false) };
        }
    }
    Some(Silent(all))
}

/// What was printed behind the checkpoint is printed again when the job goes on from there: it is taken back, and what waited in
/// streams then is written.
pub fn take_back(silent: &Silent, at_line: &[FileMeta]) -> io::Result<()> {
    for (kind, fd) in &silent.0 {
        let Some(file) = at_line.iter().find(|f| f.kind == *kind) else {
            continue;
        };
        let Some(position) = file.position.filter(|_| is_the_same(file, fd.as_raw_fd())) else {
            continue;
        };
        match kind {
            FileKind::Stderr => cut_log(fd.as_raw_fd(), position)?,
            _ => cut_back(fd.as_raw_fd(), position)?,
        }
        File::from(fd.try_clone()?).write_all(&file.pending)?;
    }
    Ok(())
}

/// Has the job stopped at the checkpoint, and how far have others gone on since?
pub fn goes_on(fd: RawFd) -> Option<u64> {
    let places = GOES_ON.get()?;
    places.iter().find(|p| p.0 == fd).map(|p| p.1)
}

/// Up to where a standard descriptor's file is the job's, if that was `position` at the checkpoint.
pub(crate) fn own_end(fd: RawFd, position: u64) -> u64 {
    goes_on(fd).map_or(position, |place| place.max(position))
}

/// Where an inherited descriptor leads.
pub fn leads_to(fd: RawFd) -> String {
    String::from_utf8_lossy(&path_of(fd)).into_owned()
}

/// Puts an inherited stream back to where it stood, if it leads to the [same](is_the_same) file as it did.
pub fn restore(file: &FileMeta, fd: RawFd, same: bool) -> io::Result<()> {
    let own = |position: u64| own_end(fd, position);
    match file.kind {
        FileKind::Stdin => standard_input(file, fd),
        FileKind::Stderr => match file.position {
            Some(position) if same => cut_log(fd, own(position)),
            _ => Ok(()),
        },
        _ => match file.position {
            Some(position) if position > 0 && length_of(fd) == Some(0) => {
                tell_of_empty(file, fd, position);
                Ok(())
            }
            Some(position) if same => cut_back(fd, own(position)),
            Some(_) => {
                tell_of_another(file, fd);
                Ok(())
            }
            None => Ok(()),
        },
    }
}

/// Does an output hold what it held at the checkpoint?  It may have another name or be a copy: batch systems carry it about.
pub(crate) fn is_the_same(file: &FileMeta, fd: RawFd) -> bool {
    let Some(position) = file.position else {
        return false;
    };
    let alike = || file.tail == tail(fd, position);
    let path = file.path == leads_to(fd);
    match length_of(fd) {
        // What there is in front may be another's.
        Some(length) if length >= position && position > 0 && file.tail.is_some() => alike(),
        Some(_) if position == 0 && waited_is_written(file, fd) => true,
        _ => path,
    }
}

/// Does the file hold, behind its place at the checkpoint, what waited in the stream then?  A job that stops writes that.
pub(crate) fn waited_is_written(file: &FileMeta, fd: RawFd) -> bool {
    holds_what_waited(file, &path_to(fd))
}

/// The same of the file that is where it was.
pub(crate) fn waited_is_written_there(file: &FileMeta) -> bool {
    holds_what_waited(file, &file.path)
}

fn holds_what_waited(file: &FileMeta, path: &str) -> bool {
    let mut bytes = vec![0; file.pending.len()];
    let read = |at: u64| File::open(path).ok()?.read_exact_at(&mut bytes, at).ok();
    !file.pending.is_empty() && file.position.and_then(read).is_some() && bytes == file.pending
}

/// Of a file that the shell has emptied, or made.
fn tell_of_empty(file: &FileMeta, fd: RawFd, position: u64) {
    let (was, is) = (&file.path, leads_to(fd));
    let (before, keeps) = match *was == is {
        true => (format!("had {position} bytes"), "which keeps it"),
        false => (
            format!("was {was} with {position} bytes"),
            "to that file or a copy of it",
        ),
    };
    say(&format!(
        "standard output is {is}, which is empty, and {before} at the checkpoint: what was printed before is not in it; at a restart append (>>), {keeps}"
    ));
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
    let ended = file.state & STATE_EOF != 0 || file.path == here;
    if !ended || here != "/dev/null" {
        let (was, is) = (&file.path, if here.is_empty() { "closed" } else { &here });
        say(&format!(
            "standard input was {was} and is {is}: what had been read before the checkpoint is not skipped"
        ));
    }
    Ok(())
}

/// Takes back what was appended to a file, if it is still there.
pub fn cut_file(path: &str, position: u64) -> io::Result<()> {
    match std::fs::OpenOptions::new().write(true).open(path) {
        Ok(file) if file.metadata()?.is_file() && file.metadata()?.len() > position => {
            file.set_len(position)
        }
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// Takes back what the program wrote to standard error behind `position`.  What pc3 said there of how that run went stays.
fn cut_log(fd: RawFd, position: u64) -> io::Result<()> {
    let Some(more) = length_of(fd).and_then(|length| length.checked_sub(position)) else {
        return Ok(());
    };
    let mut rest = vec![0; more.min(MOST_OF_LOG) as usize];
    let file = File::open(path_to(fd))?;
    file.read_exact_at(&mut rest, position)?;
    let kept = own_lines(&rest);
    if kept.len() < rest.len() {
        cut(fd, position)?;
        let _ = set_position(fd, position);
        let mut log = OpenOptions::new().append(true).open(path_to(fd))?;
        log.write_all(&kept)?;
        let _ = set_position(fd, position + kept.len() as u64);
    }
    Ok(())
}

/// Of what lies further behind, no message is kept.
const MOST_OF_LOG: u64 = 16 << 20;

/// Messages of pc3's, with the indented lines that belong to them.
fn own_lines(text: &[u8]) -> Vec<u8> {
    let mut own = false;
    let mut is_own = |line: &&[u8]| {
        own = line.starts_with(b"pc3: ")
            || line.starts_with(b"pc3run: ")
            || own && line.starts_with(b"  ");
        own
    };
    text.split_inclusive(|b| *b == b'\n')
        .filter(|line| is_own(line))
        .flatten()
        .copied()
        .collect()
}

/// Takes back what was written to an inherited regular file behind `position`.
pub fn cut_back(fd: RawFd, position: u64) -> io::Result<()> {
    match length_of(fd) {
        Some(length) if length >= position => {
            cut(fd, position)?;
            let _ = set_position(fd, position);
        }
        Some(length) if length > 0 => say(&format!(
            "standard output has {length} bytes and had {position} at the checkpoint: what is missing is not written again; at a restart append (>>), which keeps it"
        )),
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::own_lines;

    #[test]
    fn messages_stay() {
        let check =
            |text: &str, kept: &str| assert_eq!(own_lines(text.as_bytes()), kept.as_bytes());
        check("", "");
        check("step 1\nstep 2", "");
        check(
            "step 1\npc3: error: of\n  a.c:1\nstep 2\n  two\npc3run: it",
            "pc3: error: of\n  a.c:1\npc3run: it",
        );
    }
}
