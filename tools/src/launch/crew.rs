//! The processes of a run: one, or several connected by sockets.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use pc3_runtime::report::EXIT_LOST;

/// What each process is told: `socket:INDEX:FD,FD,...`.
pub(super) const LINK: &str = "PC3_LINK";

/// Connections of every process to every other.
pub(super) struct Net {
    ends: Vec<Vec<Option<OwnedFd>>>,
}

impl Net {
    pub fn new(processes: usize) -> io::Result<Net> {
        let mut ends: Vec<Vec<Option<OwnedFd>>> = (0..processes)
            .map(|_| (0..processes).map(|_| None).collect())
            .collect();
        let pairs = (0..processes).flat_map(|i| (0..i).map(move |j| (i, j)));
        for (i, j) in pairs {
            let (a, b) = UnixStream::pair()?;
            ends[i][j] = Some(a.into());
            ends[j][i] = Some(b.into());
        }
        Ok(Net { ends })
    }

    /// The process has its ends.
    pub(super) fn is_started(&mut self, process: usize) {
        self.ends[process].clear();
    }

    /// The variable's value for a process, and the descriptors it inherits.
    pub fn of(&self, process: usize) -> (String, Vec<RawFd>) {
        let list = &self.ends[process];
        let fds: Vec<RawFd> = list.iter().flatten().map(AsRawFd::as_raw_fd).collect();
        let words: Vec<String> = list
            .iter()
            .map(|e| {
                e.as_ref()
                    .map_or("-".into(), |fd| fd.as_raw_fd().to_string())
            })
            .collect();
        (format!("socket:{process}:{}", words.join(",")), fds)
    }
}

/// Processes that were started.
pub(super) struct Crew {
    /// With their numbers.
    running: Vec<(usize, Child)>,
    /// How the first that did not end well has ended, and when that was.
    bad: Option<(End, Instant)>,
    good: Option<End>,
    /// Others have said why the job ends.
    told: bool,
    /// Those that were left are killed.
    killing: bool,
}

/// How a run has ended.
#[derive(Clone, Copy)]
pub(super) struct End {
    pub status: ExitStatus,
    /// The process whose status it is.
    pub process: usize,
    /// Another one has missed it, and said so.
    pub missed: bool,
}

impl End {
    fn of(process: usize, status: ExitStatus) -> End {
        End {
            status,
            process,
            missed: false,
        }
    }
}

/// Time for the others to end by themselves when one has ended badly.
const PATIENCE: Duration = Duration::from_secs(10);

impl Crew {
    pub fn new(children: Vec<Child>) -> Crew {
        Crew {
            running: children.into_iter().enumerate().collect(),
            bad: None,
            good: None,
            told: false,
            killing: false,
        }
    }

    /// How the run has ended, when all have: as the first to end badly.
    pub fn try_wait(&mut self) -> io::Result<Option<End>> {
        let mut i = 0;
        while i < self.running.len() {
            match self.running[i].1.try_wait()? {
                None => i += 1,
                Some(status) => {
                    // It has ended: this only says so again.
                    let (process, mut child) = self.running.remove(i);
                    super::signals::gone(child.id() as i32);
                    let _ = child.wait();
                    self.note(End::of(process, status));
                }
            }
        }
        if self.bad.is_some_and(|b| b.1.elapsed() > PATIENCE) {
            self.killing = true;
            for (_, child) in &mut self.running {
                let _ = child.kill();
            }
        }
        let end = self.bad.map(|b| b.0).or(self.good);
        let missed = self.told;
        Ok(end
            .filter(|_| self.running.is_empty())
            .map(|end| End { missed, ..end }))
    }

    fn note(&mut self, end: End) {
        if end.status.success() {
            self.good = Some(end);
            return;
        }
        self.told |= end.status.code() == Some(EXIT_LOST);
        // One that a signal ended is the cause of what others say of it.
        let killed = |e: &End| e.status.signal().is_some();
        match &mut self.bad {
            None => self.bad = Some((end, Instant::now())),
            Some((first, _)) if killed(&end) && !killed(first) && !self.killing => *first = end,
            Some(_) => {}
        }
    }

    pub fn wait(&mut self) -> io::Result<End> {
        if let ([(process, one)], None) = (&mut self.running[..], self.bad) {
            return Ok(End::of(*process, one.wait()?));
        }
        loop {
            if let Some(end) = self.try_wait()? {
                return Ok(end);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}
