//! Programs killed at random moments, or stopped behind a checkpoint, and begun again from their newest checkpoints, each time with
//! other workers, processes and MPIs, or on another architecture, until they end: their output must be the uninterrupted run's, and
//! what is in their directories whole, and needed.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};

use crate::arch::{Arch, HOST};
use crate::build;
use crate::program::{Abis, Program};
use crate::run::{difference, Job, STOPPED};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interruption {
    /// SIGKILL at any time.
    Kill,
    /// Each run stops behind its next checkpoint.
    Stop,
}

/// What ranks may be begun with again.
pub struct KillsPlan {
    pub by: Interruption,
    /// Interruptions, after which a job runs to its end.
    pub kills: u32,
    pub seed: u64,
    pub protocols: Vec<&'static str>,
    /// The most processes, as far as there are ranks; on other architectures than this machine's there is one.
    pub processes: usize,
    /// Between which of these transports.
    pub mpis: Vec<&'static str>,
    pub archs: Vec<Arch>,
    /// Passages between two checkpoints; of those who are stopped as many as spread the stops over the run.
    pub every: Vec<&'static str>,
    /// Checkpoints hold what has changed; written by ranks that stand or behind them, compressed or not.
    pub increments: bool,
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

/// On from the newest checkpoint behind each interruption, or from the beginning if there is none.
pub fn killed(p: &Program, plan: &KillsPlan, dist: &Path) -> Result<KillsTally> {
    let mut random = fastrand::Rng::with_seed(plan.seed);
    let (ways, expected) = ways(p, plan, dist)?;
    let every = match plan.by {
        Interruption::Kill => plan.every.iter().map(|e| (*e).to_owned()).collect(),
        Interruption::Stop => vec![spread(p, plan, &ways[0], dist)?],
    };
    let (mut job, mut tally) = (begin(p, plan)?, KillsTally::default());
    // What has been there stays there.
    let mut narrow = false;
    while tally.kills < plan.kills || tally.ends == 0 {
        let way = next_way(&ways, narrow, &mut random);
        narrow |= p.abis == Abis::Down && way.arch.bits == 32;
        let workers = random.u32(1..=4).to_string();
        let mut one_of = |all: &[&'static str]| all[random.usize(0..all.len())];
        let mut env = vec![
            ("PC3_PROTOCOL", one_of(&plan.protocols)),
            ("PC3_RESTART", "auto"),
            ("PC3_WORKERS", &*workers),
        ];
        if plan.increments {
            env.push(("PC3_INCREMENTS", "on"));
            env.push(("PC3_COMMIT", one_of(&["async", "sync"])));
            env.push(("PC3_COMPRESS", one_of(&["auto", "on", "off"])));
        }
        env.push(("PC3_EVERY", &*every[random.usize(0..every.len())]));
        let interrupts = tally.kills < plan.kills;
        if interrupts && plan.by == Interruption::Stop {
            env.push(("PC3_STOP_AFTER", "1"));
        }
        let mut child = way.start(&job, dist, &env)?;
        tally.count(way.name());
        let kills = interrupts && plan.by == Interruption::Kill;
        if kills {
            // Some come to their end before.
            std::thread::sleep(way.length.mul_f64(random.f64() * 1.2));
        }
        let killed = kills && child.try_wait()?.is_none();
        let status = match killed {
            true => kill(child, &job)?,
            false => Some(job.finish(child)?.status),
        };
        let so_far = || format!("{}, {env:?}, after {}", way.name(), tally.kills);
        are_whole(&job, dist).with_context(so_far)?;
        let interrupted = match plan.by {
            Interruption::Kill => killed && status.is_none() && !is_over(&job),
            Interruption::Stop => interrupts && status == Some(STOPPED),
        };
        if interrupted {
            tally.kills += 1;
            tally.early += u32::from(job.checkpoint_files().is_empty());
            if killed && is_unknown(&job) {
                (job, narrow) = (begin(p, plan)?, false);
            }
            continue;
        }
        let status = status.unwrap_or(expected.status);
        ensure!(
            status == expected.status,
            "exit status {status} ({})\n{}",
            so_far(),
            job.stderr()
        );
        if let Some(d) = difference(&expected.stdout, &job.stdout()) {
            bail!("output differs: {d} ({})\n{}", so_far(), job.stderr());
        }
        if !killed {
            nothing_is_left(&job, dist).with_context(so_far)?;
        }
        (job, narrow, tally.ends) = (begin(p, plan)?, false, tally.ends + 1);
    }
    Ok(tally)
}

/// Each architecture as often as any other, each way there likewise.
fn next_way<'a>(ways: &'a [Way], narrow: bool, random: &mut fastrand::Rng) -> &'a Way {
    let fit = ways.iter().filter(|w| !narrow || w.arch.bits == 32);
    let mut archs: Vec<Arch> = fit.map(|w| w.arch).collect();
    archs.dedup();
    let arch = archs[random.usize(0..archs.len())];
    let there: Vec<&Way> = ways.iter().filter(|w| w.arch == arch).collect();
    there[random.usize(0..there.len())]
}

/// So many passages apart are as many checkpoints as there are to be stops, or all, if they are fewer.
fn spread(p: &Program, plan: &KillsPlan, way: &Way, dist: &Path) -> Result<String> {
    let job = begin(p, plan)?;
    let env = [("PC3_EVERY", "1x"), ("PC3_KEEP", "1")];
    let end = job.finish(way.start(&job, dist, &env)?)?;
    let newest = job.checkpoint_files().pop();
    let newest = newest.with_context(|| format!("no checkpoint: {}", end.stderr))?;
    let name = newest.file_stem().unwrap_or_default().to_string_lossy();
    let number: u64 = name.trim_start_matches("ckpt-").parse()?;
    Ok(format!(
        "{}x",
        (number / u64::from(plan.kills.max(1))).max(1)
    ))
}

fn pc3(dist: &Path, what: &str, job: &Job) -> Result<String> {
    let mut pc3 = Command::new(dist.join("bin/pc3"));
    let done = pc3.arg(what).arg(job.checkpoints()).output()?;
    let said = [done.stdout, done.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    ensure!(done.status.success(), "pc3 {what}: {said}");
    Ok(said)
}

/// All that has the name of a checkpoint is one.
fn are_whole(job: &Job, dist: &Path) -> Result<()> {
    match job.checkpoint_files().is_empty() {
        true => Ok(()),
        false => pc3(dist, "verify", job).map(drop),
    }
}

/// Nothing is there that no checkpoint needs.
fn nothing_is_left(job: &Job, dist: &Path) -> Result<()> {
    if job.checkpoints().is_dir() {
        let said = pc3(dist, "gc", job)?;
        ensure!(said.starts_with("removed 0 files"), "left over: {said}");
    }
    Ok(())
}

/// Of an uninterrupted run.
struct Expected {
    stdout: Vec<u8>,
    status: i32,
}

fn begin(p: &Program, plan: &KillsPlan) -> Result<Job> {
    let mut job = Job::new(p)?;
    job.tied = true;
    job.limit = plan.limit;
    Ok(job)
}

/// All of them, and what the program says in each: what the plain one says, if it has one.
fn ways(p: &Program, plan: &KillsPlan, dist: &Path) -> Result<(Vec<Way>, Expected)> {
    let (mut all, mut expected) = (Vec::new(), None);
    if p.has_plain() {
        let job = begin(p, plan)?;
        let status = job.run(HOST, &build::plain(p, HOST)?, &[])?.status;
        let stdout = job.stdout();
        expected = Some(Expected { stdout, status });
    }
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
            way.length = start.elapsed();
            let (stdout, status) = (job.stdout(), end.status);
            let said = || Expected {
                stdout: stdout.clone(),
                status,
            };
            let first = expected.get_or_insert_with(said);
            ensure!(
                status == first.status,
                "uninterrupted, {name}: exit status {status} instead of {}: {}",
                first.status,
                end.stderr
            );
            if let Some(d) = difference(&first.stdout, &stdout) {
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
