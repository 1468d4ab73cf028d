//! `cargo xtask torture`: many programs through the torture machine, in parallel; a table, and how to repeat each bad one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use pc3_tests::torture::journal::Journal;
use pc3_tests::torture::{csmith, in_folder, sample, Kind, Plan, Scope, Source, Verdict};

use crate::{dist, env, sources};

#[derive(clap::Args)]
pub struct Options {
    /// C files to try; gcc's torture programs (from Debian's sources) when none is given
    files: Vec<PathBuf>,
    /// Try all C files of this folder
    #[arg(long, conflicts_with = "files")]
    programs: Option<PathBuf>,
    /// Try N programs that csmith makes
    #[arg(long, value_name = "N", conflicts_with_all = ["files", "programs"])]
    csmith: Option<u64>,
    /// csmith's first seed
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// Only N of the programs, spread evenly
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Journeys of each program in each scope
    #[arg(long, default_value_t = 3)]
    seeds: usize,
    /// Where the random choices start
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stay on this machine's architecture
    #[arg(long, conflicts_with = "hop")]
    same: bool,
    /// Only move between architectures
    #[arg(long)]
    hop: bool,
    /// Optimisation level
    #[arg(short = 'O', default_value = "2")]
    level: String,
    #[arg(short, long, default_value_t = 2)]
    jobs: usize,
    /// Seconds that one run may take
    #[arg(long, default_value_t = 120)]
    limit: u64,
    /// Go on where the last run with this journal ended
    #[arg(long)]
    resume: bool,
    /// Try those again that this kind of verdict was given to ("bad": all bad ones)
    #[arg(long, value_name = "KIND")]
    again: Option<String>,
    /// Name of the journal under target/torture
    #[arg(long, default_value = "last")]
    journal: String,
    /// Show what was said about each program that did not pass
    #[arg(short, long)]
    verbose: bool,
    /// Take target/dist as it is
    #[arg(long)]
    no_build: bool,
}

pub fn run(o: &Options) -> Result<()> {
    if !o.no_build {
        let targets = if o.same {
            Vec::new()
        } else {
            env::available_targets()
        };
        dist::run(&targets)?;
    }
    let mut programs = find(o)?;
    if let Some(n) = o.sample {
        programs = sample(programs, n);
    }
    let plan = Plan {
        level: format!("-O{}", o.level),
        scope: match (o.same, o.hop) {
            (true, _) => Scope::Same,
            (_, true) => Scope::Hop,
            _ => Scope::Both,
        },
        seed: o.seed,
        journeys: o.seeds,
        limit: Duration::from_secs(o.limit),
    };
    let path = env::target_dir()
        .join("torture")
        .join(format!("{}.jsonl", o.journal));
    let (known, journal) = Journal::open(&path, !o.resume && o.again.is_none())?;
    let wanted = |s: &&Source| match (&o.again, known.get(&s.name)) {
        (Some(again), Some(v)) => v.kind.name() == again || again == "bad" && v.kind.is_bad(),
        (Some(_), None) => false,
        (None, Some(_)) => !o.resume,
        (None, None) => true,
    };
    let todo: Vec<&Source> = programs.iter().filter(wanted).collect();
    let mut verdicts = known.clone();
    verdicts.extend(all(&todo, &plan, o, journal)?);
    verdicts.retain(|name, _| programs.iter().any(|s| s.name == *name));
    summary(&programs, &verdicts, o, &path)
}

fn find(o: &Options) -> Result<Vec<Source>> {
    if let Some(n) = o.csmith {
        ensure!(
            env::has_program("csmith"),
            "csmith is not installed (apt-get install csmith libcsmith-dev)"
        );
        let folder = env::target_dir().join("sources/csmith");
        return (o.first..o.first + n)
            .map(|seed| csmith(seed, &folder))
            .collect();
    }
    if !o.files.is_empty() {
        return o
            .files
            .iter()
            .map(|f| {
                Ok(Source::file(
                    &f.canonicalize().with_context(|| f.display().to_string())?,
                ))
            })
            .collect();
    }
    let folder = match &o.programs {
        Some(folder) => folder
            .canonicalize()
            .with_context(|| folder.display().to_string())?,
        None => {
            let folder = sources::folder().join("torture");
            if !folder.is_dir() {
                sources::fetch();
            }
            ensure!(
                folder.is_dir(),
                "no torture programs here (cargo xtask setup fetches them), and none given"
            );
            folder
        }
    };
    in_folder(&folder)
}

/// All verdicts; each is told and noted as it is found.
fn all(
    todo: &[&Source],
    plan: &Plan,
    o: &Options,
    journal: Journal,
) -> Result<BTreeMap<String, Verdict>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new((journal, BTreeMap::new()));
    let work = || -> Result<()> {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = todo.get(i) else {
                return Ok(());
            };
            let v = plan.torture(source);
            let mut done = done.lock().unwrap_or_else(|e| e.into_inner());
            if !v.kind.is_pass() {
                println!("[{}/{}] {}: {v}", i + 1, todo.len(), source.name);
                if o.verbose || v.kind.is_bad() {
                    v.detail.lines().take(12).for_each(|l| println!("    {l}"));
                }
            }
            done.0.note(&source.name, &v)?;
            done.1.insert(source.name.clone(), v);
        }
    };
    std::thread::scope(|s| {
        let workers: Vec<_> = (0..o.jobs.max(1)).map(|_| s.spawn(work)).collect();
        for w in workers {
            match w.join() {
                Ok(result) => result?,
                Err(_) => bail!("a worker panicked"),
            }
        }
        Ok(())
    })?;
    Ok(done.into_inner().unwrap_or_else(|e| e.into_inner()).1)
}

fn summary(
    programs: &[Source],
    verdicts: &BTreeMap<String, Verdict>,
    o: &Options,
    journal: &Path,
) -> Result<()> {
    let count = |f: &dyn Fn(&Verdict) -> bool| verdicts.values().filter(|v| f(v)).count();
    println!("\n{:>6}  verdict", "");
    for kind in Kind::ALL {
        let n = count(&|v| v.kind == kind);
        if n > 0 {
            println!("{n:>6}  {}", kind.name());
        }
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for v in verdicts
            .values()
            .filter(|v| v.kind == kind && !v.why.is_empty())
        {
            *reasons.entry(&v.why).or_default() += 1;
        }
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        reasons.sort_by_key(|(why, n)| (std::cmp::Reverse(*n), *why));
        for (why, n) in reasons {
            println!("{:>6}  {n:>5}  {why}", "");
        }
    }
    let referenced = count(&|v| v.kind != Kind::NoReference);
    let share = |n: usize, of: usize| 100.0 * n as f64 / of.max(1) as f64;
    let accepted = referenced
        - count(&|v| {
            matches!(
                v.kind,
                Kind::Refused | Kind::Front | Kind::Uncompilable | Kind::Broken
            )
        });
    println!(
        "\n{} programs, {referenced} with a plain build to compare with; {accepted} accepted ({:.1} %), {} restarts survived",
        verdicts.len(),
        share(accepted, referenced),
        verdicts.values().map(|v| v.moves).sum::<u64>()
    );
    if !o.same {
        let agree =
            count(&|v| !matches!(v.kind, Kind::NoReference | Kind::Disagree | Kind::Refused));
        let complete = count(&|v| matches!(v.kind, Kind::Pass | Kind::Unstopped));
        println!(
            "of {agree} accepted ones whose plain builds agree {complete} complete ({:.1} %)",
            share(complete, agree)
        );
    }
    println!("journal: {}", journal.display());
    let bad: Vec<_> = programs
        .iter()
        .filter(|s| verdicts.get(&s.name).is_some_and(|v| v.kind.is_bad()))
        .collect();
    for s in &bad {
        let kind = verdicts[&s.name].kind.name();
        println!(
            "{kind}: cargo xtask torture -v -O{} --seed {} --seeds {}{} {}",
            o.level,
            o.seed,
            o.seeds,
            match (o.same, o.hop) {
                (true, _) => " --same",
                (_, true) => " --hop",
                _ => "",
            },
            s.named_by
        );
    }
    ensure!(bad.is_empty(), "{} programs went wrong", bad.len());
    Ok(())
}
