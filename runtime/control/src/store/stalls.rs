//! How long the ranks of a job stood still for its last checkpoint, for onlookers.
//!
//! A file of text beside the checkpoints, `stalls`: `checkpoint ID`, then `RANK NANOSECONDS` for each.

use super::private;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

const STALLS: &str = "stalls";
const TEMPORARY: &str = ".stalls.tmp";

/// By rank.  One that had ended is not among them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stalls(pub Vec<(u64, Duration)>);

impl Stalls {
    /// Of checkpoint `id` in `dir`, if that was the last one.
    pub fn read(dir: &Path, id: u64) -> Option<Stalls> {
        let text = fs::read_to_string(dir.join(STALLS)).ok()?;
        let mut lines = text.lines();
        let of = lines.next()?.strip_prefix("checkpoint ")?;
        let one = |line: &str| {
            let (rank, nanoseconds) = line.split_once(' ')?;
            let time = Duration::from_nanos(nanoseconds.parse().ok()?);
            Some((rank.parse().ok()?, time))
        };
        let all: Option<Vec<_>> = lines.map(one).collect();
        (of.parse() == Ok(id)).then_some(Stalls(all?))
    }

    /// Who reads meanwhile finds the last one's.
    pub(super) fn write(&self, dir: &Path, id: u64) -> io::Result<()> {
        let mut text = format!("checkpoint {id}\n");
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_unstable();
        for (rank, time) in all {
            let _ = writeln!(text, "{rank} {}", time.as_nanos());
        }
        let temporary = dir.join(TEMPORARY);
        private::replace(&dir.join(STALLS), &temporary, &text, false)
    }

    pub(super) fn remove(dir: &Path) {
        let _ = fs::remove_file(dir.join(STALLS));
    }

    /// The rank that stood still longest.
    pub fn longest(&self) -> Option<(u64, Duration)> {
        // The first of several.
        let all = self.0.iter().rev();
        all.max_by_key(|(_, time)| *time).copied()
    }

    pub fn shortest(&self) -> Option<(u64, Duration)> {
        self.0.iter().min_by_key(|(_, time)| *time).copied()
    }

    /// Over all of them.
    pub fn mean(&self) -> Option<Duration> {
        let sum: Duration = self.0.iter().map(|(_, time)| *time).sum();
        let n = u32::try_from(self.0.len()).ok().filter(|n| *n > 0)?;
        Some(sum / n)
    }
}

/// Is it a file of ours that a crash has left?
pub(super) fn is_left(name: &str) -> bool {
    name == TEMPORARY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_of_the_last_checkpoint_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let ms = Duration::from_millis;
        assert_eq!(Stalls::read(dir.path(), 7), None);
        Stalls(vec![(0, ms(1))]).write(dir.path(), 6).unwrap();
        let last = Stalls(vec![(0, ms(3)), (1, ms(9)), (3, ms(9))]);
        last.write(dir.path(), 7).unwrap();
        assert_eq!(Stalls::read(dir.path(), 6), None);
        let read = Stalls::read(dir.path(), 7).unwrap();
        assert_eq!(read, last);
        assert_eq!(read.longest(), Some((1, ms(9))));
        assert_eq!(read.shortest(), Some((0, ms(3))));
        assert_eq!(read.mean(), Some(ms(7)));
        assert_eq!(Stalls::default().mean(), None);
    }
}
