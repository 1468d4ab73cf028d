//! `cargo xtask torture`: many programs through the torture machine, in parallel; tables (`summary`), how to repeat each bad
//! one, and what is left of it when it is made small (`shrink`).

mod shrink;
mod summary;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use pc3_tests::torture::journal::Journal;
use pc3_tests::torture::tally::{Kinds, Tally};
use pc3_tests::torture::{
    c23, csmith, in_folder, sample, Kind, Plan, Scope, Source, Stops, Verdict,
};

use crate::{dist, env, sources};

#[derive(clap::Args)]
pub struct TortureOptions {
    /// C files to try; gcc's torture programs (from Debian's sources) when none is given
    files: Vec<PathBuf>,
    /// Try all C files of this folder
    #[arg(long, conflicts_with = "files")]
    programs: Option<PathBuf>,
    /// Try programs that csmith makes, until the plain builds of N of them have agreed on all machines
    #[arg(long, value_name = "N", conflicts_with_all = ["files", "programs"])]
    csmith: Option<u64>,
    /// Try C23's features, alone and in pairs
    #[arg(long, conflicts_with_all = ["files", "programs", "csmith"])]
    c23: bool,
    /// The compiler that builds them, with options, if not the machine's; it knows --target, as clang does
    #[arg(
        long,
        value_name = "COMMAND",
        default_value_if("c23", "true", "clang-19")
    )]
    cc: Option<String>,
    /// Only programs of this name
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// The number of the first program, from 1; of csmith's, its seed
    #[arg(long, default_value_t = 1)]
    first: u64,
    /// Only N of the programs, spread evenly
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Journeys of each program in each scope
    #[arg(long, default_value_t = 3)]
    seeds: usize,
    /// Instead: stop at each of the first N locations on each machine, and go on from there on each
    #[arg(long, value_name = "N", conflicts_with = "without")]
    star: Option<u64>,
    /// Where the random choices start
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Stay on this machine's architecture
    #[arg(long, conflicts_with = "hop")]
    same: bool,
    /// Only move between architectures
    #[arg(long)]
    hop: bool,
    /// No locations: what pc3cc builds must do what the plain compiler's does
    #[arg(long, conflicts_with_all = ["same", "hop"])]
    without: bool,
    /// Architectures besides this machine's that each program meets, chosen at random; all when absent
    #[arg(long, value_name = "N")]
    others: Option<usize>,
    /// Optimisation levels, one run each
    #[arg(short = 'O', default_values = ["2"])]
    levels: Vec<String>,
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
    /// Write what is left of each bad program, made small, to target/torture
    #[arg(long)]
    shrink: bool,
    /// Show what was said about each program that did not pass
    #[arg(short, long)]
    verbose: bool,
    /// Take target/dist as it is
    #[arg(long)]
    no_build: bool,
}

impl TortureOptions {
    fn scope(&self) -> Scope {
        match (self.without, self.same, self.hop) {
            (true, _, _) => Scope::Without,
            (_, true, _) => Scope::Same,
            (_, _, true) => Scope::Hop,
            _ => Scope::Both,
        }
    }

    fn plan(&self, level: &str) -> Plan {
        Plan {
            level: format!("-O{level}"),
            scope: self.scope(),
            seed: self.seed,
            stops: self.star.map_or(Stops::Journeys(self.seeds), Stops::Star),
            limit: Duration::from_secs(self.limit),
            patience: Duration::from_secs(if self.csmith.is_some() {
                2
            } else {
                self.limit / 4
            }),
            others: self.others,
        }
    }
}

pub fn run(o: &TortureOptions) -> Result<()> {
    if !o.no_build {
        let targets = if matches!(o.scope(), Scope::Without | Scope::Same) {
            Vec::new()
        } else {
            env::tried_targets()
        };
        dist::run(&targets)?;
    }
    let kinds = Kinds {
        scope: o.scope(),
        csmith: o.csmith.is_some(),
    };
    let mut table = Vec::new();
    let mut missed = Vec::new();
    for level in &o.levels {
        let verdicts = one_level(o, level)?;
        let tally = Tally::of(verdicts.values());
        let told = tally.missed(kinds).into_iter();
        missed.extend(told.map(|m| format!("-O{level}: {m}")));
        table.push((level.as_str(), tally));
    }
    summary::table(&table, kinds);
    ensure!(missed.is_empty(), "{}", missed.join("; "));
    Ok(())
}

fn one_level(o: &TortureOptions, level: &str) -> Result<BTreeMap<String, Verdict>> {
    let path = env::target_dir()
        .join("torture")
        .join(format!("{}-O{level}.jsonl", o.journal));
    let (known, journal) = Journal::open(&path, !o.resume && o.again.is_none())?;
    let plan = o.plan(level);
    let supply = Mutex::new(Supply::of(o, known)?);
    all(&supply, &plan, o, journal)?;
    let supply = supply.into_inner().unwrap_or_else(|e| e.into_inner());
    println!("\n-O{level}, journal: {}", path.display());
    summary::kinds(&supply.verdicts);
    let mut bad = supply.seen;
    bad.retain(|s| {
        supply
            .verdicts
            .get(&s.name)
            .is_some_and(|v| v.kind.is_bad())
    });
    for s in &bad {
        summary::again(s, &supply.verdicts[&s.name], o, level);
    }
    if o.shrink {
        for s in &bad {
            shrink::shrink(s, &supply.verdicts[&s.name], &plan)?;
        }
    }
    Ok(supply.verdicts)
}

/// Programs to try, and what has come of those tried.
struct Supply {
    next: Box<dyn Iterator<Item = Result<Source>> + Send>,
    /// Of this run, and of those before it that it goes on from.
    verdicts: BTreeMap<String, Verdict>,
    seen: Vec<Source>,
    /// So many must agree; no more are tried then.
    enough: Option<usize>,
    /// Only those with such a verdict.
    again: Option<String>,
    resume: bool,
}

impl Supply {
    fn of(o: &TortureOptions, known: BTreeMap<String, Verdict>) -> Result<Supply> {
        let mut next: Box<dyn Iterator<Item = Result<Source>> + Send> = match o.csmith {
            Some(_) => {
                ensure!(
                    env::has_program("csmith"),
                    "csmith is not installed (apt-get install csmith libcsmith-dev)"
                );
                let folder = env::target_dir().join("sources/csmith");
                Box::new((o.first..).map(move |seed| csmith(seed, &folder)))
            }
            None => {
                let mut programs = if o.c23 { c23()? } else { find(o)? };
                programs.retain(|p| o.only.as_ref().is_none_or(|only| p.name == *only));
                programs.iter_mut().for_each(|p| p.cc.clone_from(&o.cc));
                if let Some(n) = o.sample {
                    programs = sample(programs, n);
                }
                let before = o.first.saturating_sub(1) as usize;
                Box::new(programs.into_iter().skip(before).map(Ok))
            }
        };
        if o.again.is_some() && o.csmith.is_some() {
            // No further than what has been tried.
            next = Box::new(next.take(known.len()));
        }
        Ok(Supply {
            next,
            verdicts: known,
            seen: Vec::new(),
            enough: o.csmith.map(|n| n as usize),
            again: o.again.clone(),
            resume: o.resume,
        })
    }

    fn take(&mut self) -> Option<Result<Source>> {
        loop {
            let agree = |v: &&Verdict| !matches!(v.kind, Kind::NoReference | Kind::Disagree);
            let done = || self.verdicts.values().filter(agree).count();
            if self.again.is_none() && self.enough.is_some_and(|n| done() >= n) {
                return None;
            }
            let source = match self.next.next()? {
                Ok(s) => s,
                error => return Some(error),
            };
            self.seen.push(source.clone());
            let wanted = match (&self.again, self.verdicts.get(&source.name)) {
                (Some(kind), Some(v)) => v.kind.name() == kind || kind == "bad" && v.kind.is_bad(),
                (Some(_), None) => false,
                (None, Some(_)) => !self.resume,
                (None, None) => true,
            };
            if wanted {
                return Some(Ok(source));
            }
        }
    }
}

fn find(o: &TortureOptions) -> Result<Vec<Source>> {
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
            let folder = sources::folder().join("gcc/gcc.c-torture/execute");
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

/// Tries them all; each verdict is told and noted as it is found.
fn all(supply: &Mutex<Supply>, plan: &Plan, o: &TortureOptions, journal: Journal) -> Result<()> {
    let journal = Mutex::new(journal);
    let take = || supply.lock().unwrap_or_else(|e| e.into_inner()).take();
    let work = || -> Result<()> {
        while let Some(source) = take() {
            let source = source?;
            let v = plan.torture(&source);
            if !v.kind.is_pass() {
                println!("{}: {v} ({:.0} s)", source.name, v.seconds);
                if o.verbose || v.kind.is_bad() {
                    v.detail.lines().take(12).for_each(|l| println!("    {l}"));
                }
            }
            let mut journal = journal.lock().unwrap_or_else(|e| e.into_inner());
            journal.note(&source.name, &v)?;
            let mut supply = supply.lock().unwrap_or_else(|e| e.into_inner());
            supply.verdicts.insert(source.name, v);
        }
        Ok(())
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
    })
}
