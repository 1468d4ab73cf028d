//! What a directory remembers of the course its job takes: where its outputs stood when it began, and
//! which checkpoints a restart from an older one has given up.
//!
//! `begin` has a line for each output, `stdout POSITION PATH` or `append POSITION PATH`, and goes when the
//! job ends.  `course` is `ID LAST`: the job goes on from ID, or has begun afresh (0), and what follows it up to LAST is given
//! up; it goes with the next commit.  `left` is `ID`: the job stopped behind checkpoint ID, and what its outputs hold
//! further behind is others'; once it goes on from there, a line `DESCRIPTOR POSITION PATH` follows for each output.

use super::private;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

const BEGIN: &str = "begin";
const COURSE: &str = "course";
const LEFT: &str = "left";
const TEMPORARY: &str = ".course.tmp";

/// What a directory has of that.
pub fn notes(dir: &Path) -> Vec<PathBuf> {
    let all = [BEGIN, COURSE, LEFT].map(|name| dir.join(name));
    all.into_iter().filter(|p| p.exists()).collect()
}

pub(super) fn is_temporary(name: &str) -> bool {
    name == TEMPORARY
}

/// An output as it stood when the job began.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    Standard { position: u64, path: String },
    Appended { position: u64, path: String },
}

impl Output {
    fn parse(line: &str) -> Option<Output> {
        let (kind, rest) = line.split_once(' ')?;
        let (position, path) = rest.split_once(' ')?;
        let (position, path) = (position.parse().ok()?, path.to_owned());
        match kind {
            "stdout" => Some(Output::Standard { position, path }),
            "append" => Some(Output::Appended { position, path }),
            _ => None,
        }
    }

    fn line(&self) -> String {
        match self {
            Output::Standard { position, path } => format!("stdout {position} {path}\n"),
            Output::Appended { position, path } => format!("append {position} {path}\n"),
        }
    }

    fn path(&self) -> &str {
        match self {
            Output::Standard { path, .. } | Output::Appended { path, .. } => path,
        }
    }
}

/// The outputs of the job that began in `dir` and did not come to its end.
#[derive(Debug)]
pub struct Begin {
    file: PathBuf,
    known: HashSet<String>,
    /// This process makes the file if it is not there, and takes it away at the end.
    own: bool,
}

impl Begin {
    pub fn of(dir: &Path) -> Begin {
        let file = dir.join(BEGIN);
        let known = read(&file).iter().map(|o| o.path().to_owned()).collect();
        Begin {
            file,
            known,
            own: true,
        }
    }

    /// The file that another process of the job has made: it gets what this one opens, as long as it is there.
    pub fn of_another_process(dir: &Path) -> Begin {
        Begin {
            file: dir.join(BEGIN),
            known: HashSet::new(),
            own: false,
        }
    }

    /// Files that several processes opened have several lines: the least position counts.
    pub fn outputs(&self) -> Vec<Output> {
        read(&self.file)
    }

    /// A new job begins.
    pub fn reset(&mut self) -> io::Result<()> {
        self.known.clear();
        private::write(&self.file, "")
    }

    /// The first note of a file counts.
    pub fn note(&mut self, output: &Output) -> io::Result<()> {
        let path = output.path();
        if path.contains('\n') || !self.known.insert(path.to_owned()) {
            return Ok(());
        }
        // In one piece: other processes may write, too.
        let file = private::options()
            .append(true)
            .create(self.own)
            .open(&self.file);
        match file {
            Err(e) if !self.own && e.kind() == io::ErrorKind::NotFound => Ok(()),
            file => file?.write_all(output.line().as_bytes()),
        }
    }

    pub fn end(&self) {
        let _ = fs::remove_file(&self.file);
    }
}

fn read(file: &Path) -> Vec<Output> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter_map(Output::parse).collect()
}

/// The checkpoints in `dir` that are given up: newer than the one that its job went on from last.
pub fn given_up(dir: &Path) -> Range<u64> {
    let read = || -> Option<Range<u64>> {
        let text = fs::read_to_string(dir.join(COURSE)).ok()?;
        let (from, last) = text.trim().split_once(' ')?;
        let (from, last): (u64, u64) = (from.parse().ok()?, last.parse().ok()?);
        Some(from.checked_add(1)?..last.checked_add(1)?)
    };
    read().unwrap_or(0..0)
}

/// Durable before it returns: outputs are cut next.
pub(super) fn give_up(dir: &Path, range: &Range<u64>) -> io::Result<()> {
    let path = dir.join(COURSE);
    if range.is_empty() {
        return match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        };
    }
    let temporary = dir.join(TEMPORARY);
    let text = format!("{} {}\n", range.start - 1, range.end - 1);
    private::replace(&path, &temporary, &text, true)?;
    File::open(dir)?.sync_all()
}

/// A standard output as it stood when the job went on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stood {
    pub fd: i32,
    pub position: u64,
    pub path: String,
}

/// If the job stopped behind checkpoint `id`: its outputs as they stood when it first went on from there; empty until then.
pub(super) fn left(dir: &Path, id: u64) -> Option<Vec<Stood>> {
    let text = fs::read_to_string(dir.join(LEFT)).ok()?;
    let mut lines = text.lines();
    if lines.next()?.parse() != Ok(id) {
        return None;
    }
    let stood = |line: &str| {
        let mut words = line.splitn(3, ' ');
        Some(Stood {
            fd: words.next()?.parse().ok()?,
            position: words.next()?.parse().ok()?,
            path: words.next()?.to_owned(),
        })
    };
    lines.map(stood).collect()
}

pub(super) fn leave(dir: &Path, id: u64, outputs: &[Stood]) -> io::Result<()> {
    let mut text = format!("{id}\n");
    for o in outputs.iter().filter(|o| !o.path.contains('\n')) {
        text += &format!("{} {} {}\n", o.fd, o.position, o.path);
    }
    let temporary = dir.join(TEMPORARY);
    private::replace(&dir.join(LEFT), &temporary, &text, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_stop_leaves_is_of_one_checkpoint() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(left(dir.path(), 3), None);
        leave(dir.path(), 3, &[]).unwrap();
        assert_eq!(left(dir.path(), 3), Some(vec![]));
        assert_eq!(left(dir.path(), 2), None);
        let out = Stood {
            fd: 1,
            position: 17,
            path: "/a b/out".to_owned(),
        };
        leave(dir.path(), 3, std::slice::from_ref(&out)).unwrap();
        assert_eq!(left(dir.path(), 3), Some(vec![out]));
    }

    #[test]
    fn outputs_are_noted_once() {
        let dir = tempfile::tempdir().unwrap();
        let mut begin = Begin::of(dir.path());
        begin.reset().unwrap();
        let out = Output::Standard {
            position: 7,
            path: "/tmp/an out".into(),
        };
        let log = |position| Output::Appended {
            position,
            path: "/tmp/log".into(),
        };
        for o in [&out, &log(3), &log(9)] {
            begin.note(o).unwrap();
        }
        let mut again = Begin::of(dir.path());
        again.note(&log(11)).unwrap();
        assert_eq!(again.outputs(), [out, log(3)]);
        Begin::of_another_process(dir.path()).note(&log(2)).unwrap();
        assert_eq!(again.outputs()[2..], [log(2)]);
        again.end();
        Begin::of_another_process(dir.path())
            .note(&log(12))
            .unwrap();
        assert_eq!(Begin::of(dir.path()).outputs(), []);
    }

    #[test]
    fn a_course_is_remembered_until_there_is_nothing_to_give_up() {
        let dir = tempfile::tempdir().unwrap();
        assert!(given_up(dir.path()).is_empty());
        give_up(dir.path(), &(3..5)).unwrap();
        assert_eq!(given_up(dir.path()), 3..5);
        give_up(dir.path(), &(5..5)).unwrap();
        assert!(given_up(dir.path()).is_empty());
        for odd in ["", "3", "x 4", "18446744073709551615 2"] {
            fs::write(dir.path().join(COURSE), odd).unwrap();
            assert!(given_up(dir.path()).is_empty(), "{odd}");
        }
    }
}
