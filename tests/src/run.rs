//! Runs a built program, under an emulator where needed, with a limit on its time.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{bail, Context, Result};

use crate::arch::{Arch, ALL};
use crate::program::Program;

/// Exit status of a run that was told to stop after a checkpoint.
pub const STOPPED: i32 = 85;
/// ... of a restart that cannot continue the checkpoint.
pub const REFUSED: i32 = 89;

static RUNS: [AtomicU64; ALL.len()] = [const { AtomicU64::new(0) }; ALL.len()];

/// Programs started so far, by architecture.
pub fn runs() -> Vec<(&'static str, u64)> {
    ALL.iter()
        .zip(&RUNS)
        .map(|(a, n)| (a.name, n.load(Ordering::Relaxed)))
        .collect()
}

/// A job's working folder: checkpoints, its standard output across restarts.
pub struct Job {
    pub dir: tempfile::TempDir,
    pub program: Program,
    /// Longest time one run may take before it counts as hung.
    pub limit: Duration,
    /// Its programs end with the thread that starts them, and with them what they start.
    pub tied: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Exit status; 128 + n for signal n.
    pub status: i32,
    pub stderr: String,
}

impl Job {
    pub fn new(program: &Program) -> Result<Job> {
        Ok(Job {
            dir: tempfile::tempdir()?,
            program: program.clone(),
            limit: Duration::from_secs(300),
            tied: false,
        })
    }

    pub fn checkpoints(&self) -> PathBuf {
        self.dir.path().join("ckpt")
    }

    /// Oldest first.
    pub fn checkpoint_files(&self) -> Vec<PathBuf> {
        let list = std::fs::read_dir(self.checkpoints());
        let paths = list.into_iter().flatten().flatten().map(|e| e.path());
        let mut all: Vec<PathBuf> = paths
            .filter(|p| p.extension().is_some_and(|e| e == "pc3c"))
            .collect();
        all.sort();
        all
    }

    pub fn stdout_path(&self) -> PathBuf {
        self.dir.path().join("stdout")
    }

    /// What the job has printed in all its runs.
    pub fn stdout(&self) -> Vec<u8> {
        std::fs::read(self.stdout_path()).unwrap_or_default()
    }

    /// Starts the executable; output is appended to the job's.
    pub fn start(&self, arch: Arch, exe: &Path, env: &[(&str, &str)]) -> Result<Child> {
        self.start_by(&[], arch, exe, env)
    }

    /// The same through a launcher.
    pub fn start_by(
        &self,
        launcher: &[&str],
        arch: Arch,
        exe: &Path,
        env: &[(&str, &str)],
    ) -> Result<Child> {
        let mut words: Vec<&OsStr> = launcher.iter().map(OsStr::new).collect();
        words.extend(arch.emulator().map(OsStr::new));
        words.push(exe.as_os_str());
        let mut c = Command::new(words[0]);
        c.args(&words[1..]);
        c.args(&self.program.args).current_dir(self.dir.path());
        c.env("PC3_DIR", self.checkpoints());
        if self.program.is_mpi() {
            c.env("PC3_RANKS", self.program.ranks.to_string());
        }
        c.envs(env.iter().copied());
        let stdin = match &self.program.stdin {
            Some(f) => Stdio::from(File::open(f).with_context(|| f.display().to_string())?),
            None => Stdio::null(),
        };
        let out = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.stdout_path())?;
        let err = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.dir.path().join("stderr"))?;
        if let Some(i) = ALL.iter().position(|a| *a == arch) {
            RUNS[i].fetch_add(1, Ordering::Relaxed);
        }
        c.stdin(stdin).stdout(out).stderr(err);
        if self.tied {
            tie(&mut c);
        }
        c.spawn().with_context(|| format!("{c:?}"))
    }

    /// Waits for the end; a run over its limit is killed and reported as hung.
    pub fn finish(&self, child: Child) -> Result<Outcome> {
        match end_of(child, self.limit)? {
            Some(status) => Ok(Outcome {
                status,
                stderr: self.stderr(),
            }),
            None => bail!(
                "hung: no end after {:?}; stderr: {}",
                self.limit,
                self.stderr()
            ),
        }
    }

    pub fn run(&self, arch: Arch, exe: &Path, env: &[(&str, &str)]) -> Result<Outcome> {
        self.finish(self.start(arch, exe, env)?)
    }

    pub fn stderr(&self) -> String {
        let mut text = String::new();
        if let Ok(mut f) = File::open(self.dir.path().join("stderr")) {
            let mut bytes = Vec::new();
            if f.read_to_end(&mut bytes).is_ok() {
                text = String::from_utf8_lossy(&bytes).into_owned();
            }
        }
        text
    }
}

/// What it starts is a group of its own, and is killed when the starting thread ends, in whatever way.
pub fn tie(c: &mut Command) {
    c.process_group(0);
    // SAFETY: between fork and exec only this system call is made.
    unsafe {
        c.pre_exec(
            || match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            },
        );
    }
}

/// Waits at most `limit` for the end: exit status, or 128 + n for signal n.  None: it took longer, and was killed.
pub fn end_of(mut child: Child, limit: Duration) -> Result<Option<i32>> {
    let start = Instant::now();
    loop {
        if let Some(s) = child.try_wait()? {
            return Ok(Some(
                s.code().unwrap_or_else(|| 128 + s.signal().unwrap_or(0)),
            ));
        }
        if start.elapsed() > limit {
            // Programs that know how say what they are doing.
            let asked = Instant::now();
            // SAFETY: our child, which has not been waited for.
            unsafe { libc::kill(child.id() as i32, libc::SIGQUIT) };
            while asked.elapsed() < Duration::from_secs(5) && child.try_wait()?.is_none() {
                std::thread::sleep(Duration::from_millis(10));
            }
            let pid = child.id() as i32;
            // SAFETY: as above; with what it has started, if it leads a group.
            unsafe {
                if libc::getpgid(pid) == pid {
                    libc::kill(-pid, libc::SIGKILL);
                }
            }
            let _ = child.kill();
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// First difference between two outputs, for a person.
pub fn difference(expected: &[u8], got: &[u8]) -> Option<String> {
    if expected == got {
        return None;
    }
    let (e, g) = (
        String::from_utf8_lossy(expected),
        String::from_utf8_lossy(got),
    );
    let (mut el, mut gl) = (e.lines(), g.lines());
    for n in 1.. {
        match (el.next(), gl.next()) {
            (None, None) => break,
            (a, b) if a == b => continue,
            (a, b) => {
                return Some(format!(
                    "line {n}: expected {a:?}, got {b:?} ({} and {} bytes)",
                    e.len(),
                    g.len()
                ))
            }
        }
    }
    Some("outputs differ in line ends".into())
}
