//! Programs killed at random moments and begun again from their newest checkpoints, each time with other workers, processes and
//! MPIs, or on another architecture, until they end: their output must be the uninterrupted run's.

use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};

use crate::arch::{Arch, HOST};
use crate::build;
use crate::program::Program;
use crate::run::{difference, Job};

/// What ranks may be begun with again.
pub struct KillsPlan {
    pub kills: u32,
    pub seed: u64,
    pub protocols: Vec<&'static str>,
    /// The most processes, as far as there are ranks; on other architectures than this machine's there is one.
    pub processes: usize,
    /// Between which of these transports.
    pub mpis: Vec<&'static str>,
    pub archs: Vec<Arch>,
    /// Passages between two checkpoints.
    pub every: Vec<&'static str>,
    /// Longest time one run may take before it counts as hung.
    pub limit: Duration,
}

/// What has been done.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KillsTally {
    pub kills: u32,
    /// Of these, before there was a checkpoint.
    pub early: u32,
    /// Jobs that came to their end, each with the right output.
    pub ends: u32,
    /// How many runs there were of each kind.
    pub runs: Vec<(String, u32)>,
}

impl KillsTally {
    fn count(&mut self, kind: String) {
        match self.runs.iter_mut().find(|r| r.0 == kind) {
            Some(r) => r.1 += 1,
            None => self.runs.push((kind, 1)),
        }
    }
}

/// `pc3run` with so many processes; one needs none.
pub fn launcher(dist: &Path, processes: usize, mpi: &str) -> Vec<String> {
    let pc3run = dist.join("bin/pc3run").display().to_string();
    match processes {
        1 => Vec::new(),
        n => [&pc3run, "-p", &n.to_string(), "--mpi", mpi]
            .map(str::to_owned)
            .into(),
    }
}

/// One way of running a program, and how long it takes uninterrupted.
struct Way {
    arch: Arch,
    exe: PathBuf,
    processes: usize,
    mpi: &'static str,
    length: Duration,
}

impl Way {
    fn start(&self, job: &Job, dist: &Path, env: &[(&str, &str)]) -> Result<Child> {
        let by = launcher(dist, self.processes, self.mpi);
        let words: Vec<&str> = by.iter().map(String::as_str).collect();
        job.start_by(&words, self.arch, &self.exe, env)
    }

    fn name(&self) -> String {
        match self.processes {
            1 => format!("{}, one process", self.arch.name),
            n => format!("{}, {n} processes, {}", self.arch.name, self.mpi),
        }
    }
}

/// SIGKILL at any time, and on from the newest checkpoint, or from the beginning if there is none.
pub fn killed(p: &Program, plan: &KillsPlan, dist: &Path) -> Result<KillsTally> {
    let mut random = fastrand::Rng::with_seed(plan.seed);
    let (ways, expected) = ways(p, plan, dist)?;
    let (mut job, mut tally) = (begin(p, plan)?, KillsTally::default());
    while tally.kills < plan.kills || tally.ends == 0 {
        let way = &ways[random.usize(0..ways.len())];
        let workers = random.u32(1..=4).to_string();
        let env = [
            (
                "PC3_PROTOCOL",
                plan.protocols[random.usize(0..plan.protocols.len())],
            ),
            ("PC3_EVERY", plan.every[random.usize(0..plan.every.len())]),
            ("PC3_RESTART", "auto"),
            ("PC3_WORKERS", &*workers),
        ];
        let mut child = way.start(&job, dist, &env)?;
        tally.count(way.name());
        let kills = tally.kills < plan.kills;
        if kills {
            // Some come to their end before.
            std::thread::sleep(way.length.mul_f64(random.f64() * 1.2));
        }
        let status = if kills && child.try_wait()?.is_none() {
            let status = kill(child, &job)?;
            if status.is_none() && !is_over(&job) {
                tally.kills += 1;
                tally.early += u32::from(job.checkpoint_files().is_empty());
                if is_unknown(&job) {
                    job = begin(p, plan)?;
                }
                continue;
            }
            status.unwrap_or(0)
        } else {
            job.finish(child)?.status
        };
        let so_far = || format!("{}, {env:?}, after {} kills", way.name(), tally.kills);
        ensure!(
            status == 0,
            "exit status {status} ({})\n{}",
            so_far(),
            job.stderr()
        );
        if let Some(d) = difference(&expected, &job.stdout()) {
            bail!("output differs: {d} ({})\n{}", so_far(), job.stderr());
        }
        (job, tally.ends) = (begin(p, plan)?, tally.ends + 1);
    }
    Ok(tally)
}

fn begin(p: &Program, plan: &KillsPlan) -> Result<Job> {
    let mut job = Job::new(p)?;
    job.tied = true;
    job.limit = plan.limit;
    Ok(job)
}

/// All of them, and what the program says in each.
fn ways(p: &Program, plan: &KillsPlan, dist: &Path) -> Result<(Vec<Way>, Vec<u8>)> {
    let (mut all, mut expected) = (Vec::new(), None);
    for arch in plan.archs.iter().copied() {
        let exe = build::instrumented(p, arch)?;
        let mut by = vec![(1, plan.mpis[0])];
        if arch == HOST {
            let most = plan.processes.min(p.ranks as usize);
            let several = (2..=most).flat_map(|n| plan.mpis.iter().map(move |m| (n, *m)));
            by.extend(several);
        }
        for (processes, mpi) in by {
            let mut way = Way {
                arch,
                exe: exe.clone(),
                processes,
                mpi,
                length: Duration::ZERO,
            };
            let job = begin(p, plan)?;
            let start = Instant::now();
            let end = job.finish(way.start(&job, dist, &[])?)?;
            let name = way.name();
            ensure!(end.status == 0, "uninterrupted, {name}: {}", end.stderr);
            way.length = start.elapsed();
            let said = job.stdout();
            let first = expected.get_or_insert_with(|| said.clone());
            if let Some(d) = difference(first, &said) {
                bail!("uninterrupted, {name}: {d}");
            }
            all.push(way);
        }
    }
    Ok((all, expected.context("no architecture")?))
}

/// With all that it has started: whatever works in the job's folder.  The exit status, if it had come to its end by itself.
fn kill(mut child: Child, job: &Job) -> Result<Option<i32>> {
    child.kill()?;
    let end = child.wait()?;
    let start = Instant::now();
    while end_all_in(job.dir.path())? {
        ensure!(
            start.elapsed().as_secs() < 60,
            "processes of the job cannot be ended"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(end.code())
}

/// Were there any?
fn end_all_in(folder: &Path) -> Result<bool> {
    let mut any = false;
    for entry in std::fs::read_dir("/proc")?.flatten() {
        let pid = entry.file_name().to_string_lossy().parse::<i32>();
        let Ok(pid) = pid else { continue };
        let inside = std::fs::read_link(entry.path().join("cwd")).is_ok_and(|d| d == folder);
        if inside {
            any = true;
            // SAFETY: a plain system call; nothing but this job was started there.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
    }
    Ok(any)
}

/// Has it come to its end, though what started it may have been killed?  Nothing goes on from there.
fn is_over(job: &Job) -> bool {
    !job.stdout().is_empty() && is_unknown(job)
}

/// Is nothing of it to be taken back: it has not begun, or is over, perhaps without what the C library writes last?
fn is_unknown(job: &Job) -> bool {
    !job.checkpoints().join("begin").exists()
}
