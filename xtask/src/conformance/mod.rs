//! `cargo xtask conformance`: MPICH's own tests, from Debian's sources, against pc3's MPI.
//!
//! Counted are the runs that also pass under a native MPI ([`NATIVE`] names them; `--native` finds
//! them out anew) and need no chapter that is out of scope.

mod build;
mod suite;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};
use pc3_tests::run::end_of;
use serde_json::json;

use crate::{dist, env, sources};
use build::Builder;
use suite::{Expect, Program, Run};

/// Runs that pass under a native MPI: `key mpi…` by line.
const NATIVE: &str = include_str!("native.txt");
/// Of these the ones that do not pass under pc3, with the reason: `key reason`.
const FAILING: &str = include_str!("failing.txt");
/// Compilers of native MPIs.
const MPIS: &[(&str, &str, &str)] = &[
    ("openmpi", "mpicc.openmpi", "mpiexec.openmpi"),
    ("mpich", "mpicc.mpich", "mpiexec.mpich"),
];

#[derive(clap::Args, Default)]
pub struct ConformanceOptions {
    /// Only folders, programs or runs whose name contains one of these (`coll/`, `pt2pt/bsend1`)
    filter: Vec<String>,
    /// Worker threads to run with (repeatable; 1 and 4 when absent)
    #[arg(short, long)]
    workers: Vec<usize>,
    /// Processes that share the ranks of a run that has several
    #[arg(short, long, default_value_t = 1)]
    processes: usize,
    /// What connects them, as of pc3run: none, openmpi, mpich
    #[arg(long, default_value = "none")]
    mpi: String,
    /// Only N of the programs, spread evenly
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Find out which runs pass under the native MPIs that are installed, and write the list anew
    #[arg(long)]
    native: bool,
    /// Also what does not pass natively or is out of scope
    #[arg(long)]
    all: bool,
    #[arg(short, long, default_value_t = 4)]
    jobs: usize,
    /// Seconds that one run may take
    #[arg(long, default_value_t = 60)]
    limit: u64,
    /// Show what failing runs wrote
    #[arg(short, long)]
    verbose: bool,
    /// Take target/dist as it is
    #[arg(long)]
    no_build: bool,
}

impl ConformanceOptions {
    /// What the full suite runs.
    pub fn sample(n: usize) -> ConformanceOptions {
        ConformanceOptions {
            sample: Some(n),
            jobs: 4,
            limit: 120,
            processes: 1,
            no_build: true,
            workers: vec![1, 4],
            ..ConformanceOptions::default()
        }
    }
}

/// What became of one run (or of all runs of a program that does not build).
struct Outcome {
    folder: &'static str,
    key: String,
    workers: usize,
    /// `None`: passed.
    failure: Option<String>,
    output: String,
}

pub fn run(o: &ConformanceOptions) -> Result<()> {
    let summary = check(o)?;
    match summary.unexpected {
        0 => Ok(()),
        n => bail!("{n} of {} runs failed that should pass", summary.runs),
    }
}

pub struct Summary {
    pub runs: usize,
    pub passed: usize,
    /// Failures that are not known.
    pub unexpected: usize,
}

/// The folder with MPICH's tests, if the sources could be had.
pub fn folder() -> Option<PathBuf> {
    let dir = sources::folder().join("mpich/test/mpi");
    if !dir.is_dir() {
        sources::fetch();
    }
    dir.is_dir().then_some(dir)
}

pub fn check(o: &ConformanceOptions) -> Result<Summary> {
    let root = folder().context("Debian's mpich sources are not here (cargo xtask setup)")?;
    let work = env::target_dir().join("conformance");
    let mut programs = suite::programs(&root)?;
    for p in &mut programs {
        p.runs.retain(|r| wanted(o, &r.key));
    }
    programs.retain(|p| !p.runs.is_empty());
    if o.native {
        return native(o, &root, &work, &programs);
    }
    let known = known();
    if !o.all {
        programs.retain(|p| p.excluded.is_none());
        for p in &mut programs {
            p.runs.retain(|r| known.contains_key(r.key.as_str()));
        }
        programs.retain(|p| !p.runs.is_empty());
    }
    if let Some(n) = o.sample {
        let known = failing(o);
        for p in &mut programs {
            p.runs.retain(|r| !known.contains_key(r.key.as_str()));
        }
        programs.retain(|p| !p.runs.is_empty());
        programs = pc3_tests::torture::sample(programs, n);
    }
    if !o.no_build {
        dist::run(&[])?;
    }
    let pc3cc = env::dist_dir().join("bin/pc3cc");
    let builder = Builder::new(pc3cc, &root, work.join("pc3"))?;
    let workers = if o.workers.is_empty() {
        vec![1, 4]
    } else {
        o.workers.clone()
    };
    let outcomes = in_parallel(&programs, o.jobs, |p| {
        let exe = match builder.build(p) {
            Ok(exe) => exe,
            Err(why) => return p.runs.iter().map(|r| unbuilt(p, r, &why)).collect(),
        };
        let mut all = Vec::new();
        for r in &p.runs {
            for &w in workers.iter().filter(|w| **w == 1 || r.ranks > 1) {
                let apart = o.processes.min(r.ranks);
                let mut c = Command::new(match apart {
                    0 | 1 => exe.clone(),
                    _ => env::dist_dir().join("bin/pc3run"),
                });
                if apart > 1 {
                    c.args(["-p", &apart.to_string(), "--mpi", &o.mpi])
                        .arg(&exe);
                }
                c.env("PC3_RANKS", r.ranks.to_string())
                    .env("PC3_WORKERS", w.to_string());
                let name = format!("{}.{w}", r.key);
                let (failure, output) = one(c, &exe, r, &work, o.limit, &name);
                all.push(Outcome {
                    folder: p.folder,
                    key: r.key.clone(),
                    workers: w,
                    failure,
                    output,
                });
            }
        }
        all
    });
    report(o, &outcomes, &work.join("conformance.json"))
}

fn wanted(o: &ConformanceOptions, key: &str) -> bool {
    o.filter.is_empty() || o.filter.iter().any(|f| key.contains(f))
}

/// Reasons of known failures, by run.
fn failing(o: &ConformanceOptions) -> BTreeMap<&'static str, &'static str> {
    let reason = |reason: &'static str| match reason.strip_prefix("apart: ") {
        None => Some(reason),
        apart => apart.filter(|_| o.processes > 1),
    };
    FAILING
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| l.split_once(' '))
        .filter_map(|(key, why)| Some((key, reason(why)?)))
        .collect()
}

fn known() -> BTreeMap<&'static str, Vec<&'static str>> {
    let line = |l: &'static str| {
        let mut words = l.split_whitespace();
        Some((words.next()?, words.collect()))
    };
    NATIVE
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(line)
        .collect()
}

fn unbuilt(p: &Program, r: &Run, why: &str) -> Outcome {
    Outcome {
        folder: p.folder,
        key: r.key.clone(),
        workers: 0,
        failure: Some(why.to_string()),
        output: String::new(),
    }
}

/// Runs a program in a folder of its own; why it failed, and what it wrote.
fn one(
    mut c: Command,
    exe: &Path,
    r: &Run,
    work: &Path,
    limit: u64,
    name: &str,
) -> (Option<String>, String) {
    let dir = work.join("run").join(name.replace(['/', ':'], "."));
    let _ = fs::remove_dir_all(&dir);
    let outcome = (|| -> Result<(Option<i32>, String, f64)> {
        fs::create_dir_all(&dir)?;
        // Those that spawn start themselves, as ./name.
        symlink(exe, dir.join(exe.file_name().context("no name")?))?;
        let (out, err) = (dir.join("stdout"), dir.join("stderr"));
        c.args(&r.args)
            .current_dir(&dir)
            .stdin(Stdio::null())
            .stdout(fs::File::create(&out)?)
            .stderr(fs::File::create(&err)?);
        let start = Instant::now();
        let code = end_of(c.spawn()?, Duration::from_secs(limit))?;
        let text =
            |f: &Path| String::from_utf8_lossy(&fs::read(f).unwrap_or_default()).into_owned();
        Ok((
            code,
            text(&out) + &text(&err),
            start.elapsed().as_secs_f64(),
        ))
    })();
    let (code, text, _) = match outcome {
        Ok(o) => o,
        Err(e) => return (Some(format!("cannot run: {e:#}")), String::new()),
    };
    let clean = text.contains("No Errors") || text.contains("No errors");
    let failure = match (code, r.expect) {
        (None, _) => Some(format!("took longer than {limit} s")),
        (Some(0), Expect::NoErrors) if clean => None,
        (Some(n), Expect::Failure) if n != 0 && n < 128 => None,
        (Some(n), _) => {
            let told = |l: &&str| !l.trim().is_empty();
            let line = text
                .lines()
                .find(|l| l.starts_with("pc3:"))
                .or_else(|| text.lines().find(told))
                .unwrap_or("no output");
            Some(format!("status {n}: {}", line.trim()))
        }
    };
    if failure.is_none() {
        let _ = fs::remove_dir_all(&dir);
    }
    (failure, text)
}

fn in_parallel(
    programs: &[Program],
    jobs: usize,
    f: impl Fn(&Program) -> Vec<Outcome> + Sync,
) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Vec::new());
    std::thread::scope(|s| {
        for _ in 0..jobs.max(1) {
            s.spawn(|| loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(p) = programs.get(i) else { return };
                let done = f(p);
                all.lock().unwrap_or_else(|e| e.into_inner()).extend(done);
            });
        }
    });
    let mut all = all.into_inner().unwrap_or_else(|e| e.into_inner());
    all.sort_by(|a, b| (a.folder, &a.key, a.workers).cmp(&(b.folder, &b.key, b.workers)));
    all
}

fn report(o: &ConformanceOptions, all: &[Outcome], file: &Path) -> Result<Summary> {
    let bad: Vec<&Outcome> = all.iter().filter(|r| r.failure.is_some()).collect();
    let reasons = failing(o);
    for r in &bad {
        let known = match reasons.get(r.key.as_str()) {
            Some(reason) => format!(" [known: {reason}]"),
            None => String::new(),
        };
        let workers = match r.workers {
            0 => String::new(),
            w => format!(" ({w} workers)"),
        };
        println!(
            "{}{workers}: {}{known}",
            r.key,
            r.failure.as_deref().unwrap_or_default()
        );
        if o.verbose {
            r.output.lines().take(20).for_each(|l| println!("    {l}"));
        }
    }
    // A run counts once: it passes if it does with every number of workers.
    let mut runs = BTreeMap::<(&str, &str), bool>::new();
    for r in all {
        *runs.entry((r.folder, &r.key)).or_insert(true) &= r.failure.is_none();
    }
    println!("\n{:<10} {:>6} {:>6} {:>6}", "folder", "runs", "pass", "%");
    let row = |name: &str, list: Vec<bool>| {
        let pass = list.iter().filter(|p| **p).count();
        let share = 100.0 * pass as f64 / list.len().max(1) as f64;
        println!("{name:<10} {:>6} {pass:>6} {share:>6.1}", list.len());
        (pass, list.len())
    };
    for folder in suite::FOLDERS {
        let list: Vec<bool> = runs
            .iter()
            .filter(|(k, _)| k.0 == *folder)
            .map(|(_, p)| *p)
            .collect();
        if !list.is_empty() {
            row(folder, list);
        }
    }
    let (passed, total) = row("all", runs.values().copied().collect());
    for ((_, key), _) in runs
        .iter()
        .filter(|(k, pass)| **pass && reasons.contains_key(k.1))
    {
        println!("{key} is known to fail, but passes");
    }
    let unexpected = runs
        .iter()
        .filter(|(k, pass)| !**pass && !reasons.contains_key(k.1))
        .count();
    let list: Vec<_> = all
        .iter()
        .map(|r| json!({"run": r.key, "workers": r.workers, "failure": r.failure}))
        .collect();
    fs::create_dir_all(file.parent().context("no folder")?)?;
    fs::write(
        file,
        serde_json::to_string_pretty(&json!({"passed": passed, "runs": total, "results": list}))?,
    )?;
    println!("{}", file.display());
    Ok(Summary {
        runs: total,
        passed,
        unexpected,
    })
}

/// Finds out which runs pass under each native MPI here, and writes the list.
fn native(
    o: &ConformanceOptions,
    root: &Path,
    work: &Path,
    programs: &[Program],
) -> Result<Summary> {
    ensure!(o.sample.is_none(), "the list is of all programs");
    // What is not asked for stays.
    let mut passed: BTreeMap<String, BTreeSet<&str>> = known()
        .into_iter()
        .filter(|(key, _)| !wanted(o, key))
        .map(|(key, mpis)| (key.to_owned(), mpis.into_iter().collect()))
        .collect();
    for (mpi, mpicc, mpiexec) in MPIS {
        ensure!(env::has_program(mpicc), "{mpicc} is not installed");
        let builder = Builder::new(mpicc.into(), root, work.join(mpi))?;
        let list = in_parallel(programs, o.jobs, |p| {
            if p.excluded.is_some() {
                return Vec::new();
            }
            let Ok(exe) = builder.build(p) else {
                return Vec::new();
            };
            let go = |r: &Run| {
                let mut c = Command::new(mpiexec);
                c.args(["-n", &r.ranks.to_string()]);
                if *mpi == "openmpi" {
                    c.args(["--oversubscribe", "--allow-run-as-root"]);
                }
                c.arg(&exe);
                let name = format!("{}.{mpi}", r.key);
                let (failure, output) = one(c, &exe, r, work, o.limit, &name);
                Outcome {
                    folder: p.folder,
                    key: r.key.clone(),
                    workers: 1,
                    failure,
                    output,
                }
            };
            p.runs.iter().map(go).collect()
        });
        for r in list.into_iter().filter(|r| r.failure.is_none()) {
            passed.entry(r.key).or_default().insert(mpi);
        }
    }
    let mut text = String::from(
        "# Runs of MPICH's tests that pass under a native MPI: `cargo xtask conformance --native`.\n",
    );
    for (key, mpis) in &passed {
        let names: Vec<&str> = mpis.iter().copied().collect();
        text += &format!("{key} {}\n", names.join(" "));
    }
    let file = env::root().join("xtask/src/conformance/native.txt");
    fs::write(&file, text)?;
    println!("{}: {} runs", file.display(), passed.len());
    Ok(Summary {
        runs: passed.len(),
        passed: passed.len(),
        unexpected: 0,
    })
}
