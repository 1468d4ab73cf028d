//! `pc3 checkpoint`: asks a running job for a checkpoint through its signal and waits for the commit.

use std::collections::btree_map::Entry;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use pc3_runtime::control::STOP_FILE;
use pc3_runtime::format::sections;
use pc3_runtime::settings::{Action, Settings};
use pc3_runtime::store::{self, Holder, Stalls};

use crate::process::{is_alive, job_below, listens};
use crate::{human, program};

#[derive(Debug, thiserror::Error)]
pub(super) enum RequestError {
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("no job runs in {}", .0.display())]
    NoJob(PathBuf),
    #[error("there is no process {0}")]
    NoProcess(i32),
    #[error("{0}: neither a process, nor a directory that a job has or would make")]
    Nothing(String),
    #[error("process {0} takes no request for a checkpoint: it is not a pc3 program, or no signal of it means that (PC3_ON_SIGNAL)")]
    Deaf(i32),
    #[error("process {pid} has started several jobs, name one by its directory or its process: {}", list(.jobs))]
    Several { pid: i32, jobs: Vec<(i32, PathBuf)> },
    #[error("process {pid} cannot be asked: {error}")]
    Kill { pid: i32, error: io::Error },
    #[error("the job ended before all its ranks had come to a checkpoint location")]
    Ended,
    #[error("the job could not take one: {why}{}", still(*.stop))]
    Refused { why: String, stop: bool },
    #[error("no checkpoint within {timeout} s: not all ranks have come to a checkpoint location, or it could not be written (see the job's messages); the request stands{}", and_ends(*.stop))]
    Late { timeout: u64, stop: bool },
}

fn still(stop: bool) -> &'static str {
    match stop {
        true => "; it goes on and tries again, and ends behind the first that it can take",
        false => "",
    }
}

fn list(jobs: &[(i32, PathBuf)]) -> String {
    let one = |(pid, dir): &(i32, PathBuf)| format!("{pid} ({})", dir.display());
    jobs.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn and_ends(stop: bool) -> &'static str {
    match stop {
        true => ", and the job ends behind that checkpoint",
        false => "",
    }
}

/// Time that a program has to set up its signals.
const YOUTH: Duration = Duration::from_secs(1);

/// Within that a job notes how long it stood still.
const SOON: Duration = Duration::from_millis(200);
/// So many ranks are listed one by one.
const FEW: usize = 8;

struct Job {
    pid: i32,
    signal: i32,
    dir: PathBuf,
}

/// `stop`: the job is to end behind it.
pub(super) fn request(job: &str, stop: bool, timeout: u64) -> Result<String, RequestError> {
    let job = match job.parse::<i32>() {
        Ok(pid) if pid > 0 && !Path::new(job).is_dir() => by_process(pid)?,
        _ => by_directory(Path::new(job))?,
    };
    let start = Instant::now();
    // A process that has just begun would be killed by the signal.
    while !listens(job.pid, job.signal) {
        if start.elapsed() >= YOUTH || !is_alive(job.pid) {
            return Err(RequestError::Deaf(job.pid));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let before = newest(&job.dir);
    let refused = refusals(&job).0;
    let note = job.dir.join(STOP_FILE);
    if stop {
        let left = fs::create_dir_all(&job.dir).and_then(|()| fs::write(&note, ""));
        left.map_err(|error| RequestError::Io {
            path: note.clone(),
            error,
        })?;
    }
    // SAFETY: a plain system call.
    if unsafe { libc::kill(job.pid, job.signal) } != 0 {
        let _ = fs::remove_file(&note);
        return Err(RequestError::Kill {
            pid: job.pid,
            error: io::Error::last_os_error(),
        });
    }
    let asked = PendingRequest {
        job,
        before,
        refused,
        stop,
        timeout,
        start,
    };
    let bar = waiting();
    let answer = asked.wait(&bar);
    bar.finish_and_clear();
    answer
}

/// How many requests could not be met, and why the last one.
fn refusals(job: &Job) -> (u64, String) {
    store::refusal(&job.dir).unwrap_or_default()
}

struct PendingRequest {
    job: Job,
    /// The newest checkpoint then.
    before: Option<(u64, PathBuf)>,
    refused: u64,
    stop: bool,
    timeout: u64,
    start: Instant,
}

impl PendingRequest {
    /// For the commit, or the reason why there is none.
    fn wait(&self, bar: &ProgressBar) -> Result<String, RequestError> {
        let PendingRequest {
            job,
            before,
            refused,
            stop,
            timeout,
            start,
        } = self;
        let (stop, timeout) = (*stop, *timeout);
        loop {
            bar.tick();
            // In this order: a job that stops after its commit has not failed.
            let alive = is_alive(job.pid);
            if let Some((id, path)) =
                newest(&job.dir).filter(|(id, _)| before.as_ref().is_none_or(|(b, _)| id > b))
            {
                if stop && alive {
                    // It ends now, unless another checkpoint came before the request.
                    if start.elapsed() < Duration::from_secs(timeout) {
                        std::thread::sleep(Duration::from_millis(5));
                        continue;
                    }
                    return Err(RequestError::Late { timeout, stop });
                }
                let size = sections::size(&path);
                let took = human::duration(start.elapsed());
                return Ok(format!(
                    "checkpoint {id}: {}, {} after {took}{}: {}\n",
                    human::bytes(size),
                    if stop { "the job ended" } else { "committed" },
                    stalls(&job.dir, id).map_or_else(String::new, |s| stood_still(&s)),
                    path.display()
                ));
            }
            let (count, why) = refusals(job);
            if count > *refused {
                return Err(RequestError::Refused { why, stop });
            }
            if !alive {
                return Err(RequestError::Ended);
            }
            if start.elapsed() >= Duration::from_secs(timeout) {
                return Err(RequestError::Late { timeout, stop });
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// What a terminal shows meanwhile; elsewhere nothing.
fn waiting() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    let text = "{spinner} waiting for the ranks to come to checkpoint locations, {elapsed}";
    if let Ok(style) = ProgressStyle::with_template(text) {
        bar.set_style(style);
    }
    bar
}

/// They are noted right behind the commit.
fn stalls(dir: &Path, id: u64) -> Option<Stalls> {
    let start = Instant::now();
    loop {
        let known = Stalls::read(dir, id);
        if known.is_some() || start.elapsed() >= SOON {
            return known;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// `, stood still 3 ms`, or what ranks did.
fn stood_still(stalls: &Stalls) -> String {
    let one = |(rank, time): &(u64, Duration)| format!("rank {rank} {}", human::duration(*time));
    match (
        &stalls.0[..],
        stalls.shortest(),
        stalls.longest(),
        stalls.mean(),
    ) {
        ([(_, time)], ..) => format!(", stood still {}", human::duration(*time)),
        (all, ..) if (2..=FEW).contains(&all.len()) => {
            let each: Vec<String> = all.iter().map(one).collect();
            format!(", stood still: {}", each.join(", "))
        }
        (all, Some(least), Some(most), Some(mean)) => format!(
            ", {} ranks stood still: {} on average, {} (least) to {} (most)",
            all.len(),
            human::duration(mean),
            one(&least),
            one(&most)
        ),
        _ => String::new(),
    }
}

fn newest(dir: &Path) -> Option<(u64, PathBuf)> {
    store::list(dir).ok()?.pop()
}

fn by_directory(dir: &Path) -> Result<Job, RequestError> {
    let holder = match dir.is_dir() {
        true => store::holder(dir).map_err(|error| RequestError::Io {
            path: dir.to_owned(),
            error,
        })?,
        false => None,
    };
    match holder {
        None => unlocked_in(dir).ok_or_else(|| match dir.is_dir() {
            true => RequestError::NoJob(dir.to_owned()),
            false => RequestError::Nothing(dir.display().to_string()),
        }),
        Some(Holder { pid, signal: None }) => Err(RequestError::Deaf(pid)),
        Some(Holder {
            pid,
            signal: Some(signal),
        }) => Ok(Job {
            pid,
            signal,
            dir: dir.to_owned(),
        }),
    }
}

fn by_process(pid: i32) -> Result<Job, RequestError> {
    let proc = PathBuf::from(format!("/proc/{pid}"));
    if !proc.is_dir() {
        return Err(RequestError::NoProcess(pid));
    }
    // pc3run stands in front of its program.
    if program_name(&proc).is_some_and(|name| name == "pc3run") {
        let children =
            fs::read_to_string(proc.join(format!("task/{pid}/children"))).unwrap_or_default();
        if let Some(child) = children
            .split_whitespace()
            .next()
            .and_then(|c| c.parse().ok())
        {
            return by_process(child);
        }
    }
    if let Some(dir) = locked_directory(&proc) {
        return by_directory(&dir);
    }
    // The directory is locked only when first needed; until then only the program's settings tell of it.
    if let Some(job) = unlocked(pid, &proc) {
        return Ok(job);
    }
    below(pid)
}

/// The job of a launcher: one of the processes that it has started has the directory, or may be asked.
fn below(launcher: i32) -> Result<Job, RequestError> {
    let of = |p: i32| PathBuf::from(format!("/proc/{p}"));
    let below: Vec<i32> = job_below(launcher).collect();
    let locked = below.iter().filter_map(|p| locked_directory(&of(*p)));
    let mut jobs: BTreeMap<PathBuf, Job> = BTreeMap::new();
    for dir in locked {
        if let Entry::Vacant(free) = jobs.entry(dir) {
            let job = by_directory(free.key())?;
            free.insert(job);
        }
    }
    for job in below.iter().filter_map(|p| unlocked(*p, &of(*p))) {
        let dir = job.dir.canonicalize().unwrap_or_else(|_| job.dir.clone());
        jobs.entry(dir).or_insert(job);
    }
    if jobs.len() > 1 {
        return Err(RequestError::Several {
            pid: launcher,
            jobs: jobs.into_iter().map(|(dir, job)| (job.pid, dir)).collect(),
        });
    }
    jobs.into_values()
        .next()
        .ok_or(RequestError::Deaf(launcher))
}

fn program_name(proc: &Path) -> Option<String> {
    Some(
        fs::read_link(proc.join("exe"))
            .ok()?
            .file_name()?
            .to_string_lossy()
            .into_owned(),
    )
}

/// The directory whose lock file the process holds open.
fn locked_directory(proc: &Path) -> Option<PathBuf> {
    fs::read_dir(proc.join("fd"))
        .ok()?
        .filter_map(|fd| fs::read_link(fd.ok()?.path()).ok())
        .filter(|file| file.file_name().is_some_and(|n| n == "lock"))
        .find_map(|file| {
            file.parent()
                .filter(|dir| store::holder(dir).is_ok_and(|h| h.is_some()))
                .map(Path::to_owned)
        })
}

/// A job that will make this directory, or lock it, when it takes its first checkpoint.
fn unlocked_in(dir: &Path) -> Option<Job> {
    let place = |dir: &Path| {
        let folder = dir.parent().filter(|p| !p.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(dir.file_name()?))
    };
    let dir = place(dir)?;
    let all = fs::read_dir("/proc").ok()?.flatten();
    let mut pids = all.filter_map(|p| p.file_name().to_str()?.parse().ok());
    pids.find_map(|pid| {
        let here = |job: &PathBuf| place(job).is_some_and(|p| p == dir);
        unlocked_if(pid, &PathBuf::from(format!("/proc/{pid}")), here)
    })
}

fn unlocked(pid: i32, proc: &Path) -> Option<Job> {
    unlocked_if(pid, proc, |_| true)
}

/// `here`: is its directory one that is looked for?
fn unlocked_if(pid: i32, proc: &Path, here: impl Fn(&PathBuf) -> bool) -> Option<Job> {
    let cwd = fs::read_link(proc.join("cwd")).ok()?;
    let words = |file: &str| -> Option<Vec<String>> {
        let bytes = fs::read(proc.join(file)).ok()?;
        Some(
            bytes
                .split(|&b| b == 0)
                .map(|w| String::from_utf8_lossy(w).into_owned())
                .collect(),
        )
    };
    let environment = words("environ")?;
    let get = |name: &str| {
        environment
            .iter()
            .find_map(|e| e.strip_prefix(name)?.strip_prefix('=').map(str::to_owned))
    };
    let command = words("cmdline")?;
    let emulated = program_name(proc).is_some_and(|n| n.starts_with("qemu-"));
    let name = command
        .iter()
        .skip(usize::from(emulated))
        .find(|w| !emulated || !w.starts_with('-'))?;
    let file = if emulated {
        cwd.join(name)
    } else {
        proc.join("exe")
    };
    let settings = Settings::read(name, get).ok()?;
    let dir = cwd.join(&settings.dir);
    // Others may catch the signal, too, and end.
    if !here(&dir) || !program::is_ours(&file) {
        return None;
    }
    let signal = settings
        .signals
        .iter()
        .find(|(_, action)| **action == Action::Checkpoint)
        .map(|(n, _)| *n)?;
    Some(Job { pid, signal, dir })
}
