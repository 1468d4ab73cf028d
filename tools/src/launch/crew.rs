//! The processes of a run: one, or several connected by sockets.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

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
    running: Vec<Child>,
    /// The status of the first that did not end well, and when that was.
    bad: Option<(ExitStatus, Instant)>,
    good: Option<ExitStatus>,
}

/// Time for the others to end by themselves when one has ended badly.
const PATIENCE: Duration = Duration::from_secs(10);

impl Crew {
    pub fn new(children: Vec<Child>) -> Crew {
        Crew {
            running: children,
            bad: None,
            good: None,
        }
    }

    /// The run's status, when all have ended: that of the first to end badly.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        let mut i = 0;
        while i < self.running.len() {
            match self.running[i].try_wait()? {
                None => i += 1,
                Some(status) => {
                    // It has ended: this only says so again.
                    let mut child = self.running.remove(i);
                    super::signals::gone(child.id() as i32);
                    let _ = child.wait();
                    self.note(status);
                }
            }
        }
        if let Some((_, since)) = self.bad.filter(|b| b.1.elapsed() > PATIENCE) {
            let _ = since;
            for child in &mut self.running {
                let _ = child.kill();
            }
        }
        Ok(match self.running.is_empty() {
            true => self.bad.map(|b| b.0).or(self.good),
            false => None,
        })
    }

    fn note(&mut self, status: ExitStatus) {
        if status.success() {
            self.good = Some(status);
            return;
        }
        // One that a signal ended is the cause of what others say of it.
        let killed = |s: &ExitStatus| s.signal().is_some();
        match &mut self.bad {
            None => self.bad = Some((status, Instant::now())),
            Some((first, _)) if killed(&status) && !killed(first) => *first = status,
            Some(_) => {}
        }
    }

    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        if let ([one], None) = (&mut self.running[..], self.bad) {
            return one.wait();
        }
        loop {
            if let Some(status) = self.try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}
