//! `cargo xtask kills`: programs under fire, in one table.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{ensure, Result};
use pc3_tests::arch::{self, HOST};
use pc3_tests::kills::{killed, Interruption, KillsPlan};
use pc3_tests::program::Program;

use crate::{dist, env};

/// Programs that no barrier suits, and farms that spawn and retire ranks; more arguments, for which a run is long enough.
const PROGRAMS: [(&str, &[&str]); 9] = [
    ("tests/apart/farm.c", &[]),
    ("tests/apart/ahead.c", &[]),
    ("tests/apart/irregular.c", &[]),
    ("tests/apart/overlap.c", &[]),
    ("tests/apart/long.c", &[]),
    ("tests/apart/clocks.c", &[]),
    ("tests/apart/offices.c", &[]),
    ("tests/apart/born.c", &[]),
    ("tests/programs/mpi_task_farm.c", &["250"]),
];

#[derive(clap::Args)]
pub struct KillsOptions {
    /// C files or folders with a line `/* pc3-test: ... */`; those of this repository that no barrier suits when absent
    programs: Vec<PathBuf>,
    /// The examples in C and Rust, too, instead of those that no barrier suits
    #[arg(long)]
    examples: bool,
    /// Likewise N of the programs of the suite, spread evenly
    #[arg(long, value_name = "N", default_value_t = 0)]
    sample: usize,
    /// Instead of kills: stop each run behind its next checkpoint, and go on from there elsewhere
    #[arg(long)]
    stop: bool,
    /// Checkpoints hold what has changed, compressed or not, written behind the ranks or not
    #[arg(long)]
    increments: bool,
    /// Kills, or stops, of each; these are spread over the run
    #[arg(long, default_value_t = 100)]
    kills: u32,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The most processes of a run
    #[arg(long, default_value_t = 3)]
    processes: usize,
    /// The barrier protocol in turn with the non-blocking one
    #[arg(long)]
    both: bool,
    /// Stay on this machine's architecture
    #[arg(long)]
    same: bool,
    /// Seconds that one run may take
    #[arg(long, default_value_t = 300)]
    limit: u64,
    /// Take target/dist as it is
    #[arg(long)]
    no_build: bool,
}

pub fn run(o: &KillsOptions) -> Result<()> {
    if !o.no_build {
        let others = if o.same {
            Vec::new()
        } else {
            env::tried_targets()
        };
        dist::run(&others)?;
    }
    let programs = programs(o)?;
    println!("program  kills or stops  (before the first checkpoint)  ends  seconds  runs");
    let mut failed = 0;
    for p in programs {
        let start = Instant::now();
        match killed(&p, &plan(o, &p), &arch::dist()) {
            Ok(t) => {
                let runs = t.runs.iter().map(|(kind, n)| format!("{n} {kind}"));
                println!(
                    "{}  {}  ({})  {}  {}  {}",
                    p.name,
                    t.kills,
                    t.early,
                    t.ends,
                    start.elapsed().as_secs(),
                    runs.collect::<Vec<_>>().join("; ")
                );
            }
            Err(e) => {
                println!("{}  FAILED: {e:#}", p.name);
                failed += 1;
            }
        }
    }
    ensure!(failed == 0, "{failed} programs failed");
    Ok(())
}

fn programs(o: &KillsOptions) -> Result<Vec<Program>> {
    let root = env::root();
    let given = o.programs.iter().map(|p| Program::load(p));
    let mut all = given.collect::<Result<Vec<_>>>()?;
    if o.examples {
        all.extend(Program::load_all(&root.join("examples/c"))?);
        all.extend(Program::rust_examples()?);
    }
    if o.sample > 0 {
        let suite = Program::load_all(&root.join("tests/programs"))?;
        let (n, many) = (o.sample.min(suite.len()), suite.len());
        all.extend((0..n).map(|i| suite[i * many / n].clone()));
    }
    if all.is_empty() {
        for (path, more) in PROGRAMS {
            let mut p = Program::load(&root.join(path))?;
            p.args.extend(more.iter().map(|a| (*a).to_owned()));
            all.push(p);
        }
    }
    Ok(all)
}

fn plan(o: &KillsOptions, p: &Program) -> KillsPlan {
    let native = |mpi: &&str| {
        let object = format!("lib/pc3/{}/libpc3_mpi_{mpi}.so", HOST.gnu);
        arch::dist().join(object).is_file()
    };
    let natives = ["openmpi", "mpich"].into_iter().filter(native);
    let mut archs = arch::available_for(&p.name);
    archs.retain(|a| *a == HOST || !o.same && p.abis.include(*a));
    KillsPlan {
        by: match o.stop {
            true => Interruption::Stop,
            false => Interruption::Kill,
        },
        increments: o.increments,
        kills: o.kills,
        seed: o.seed,
        protocols: match o.both {
            true => vec!["barrier", "nonblocking"],
            false => vec!["nonblocking"],
        },
        processes: o.processes,
        mpis: std::iter::once("none").chain(natives).collect(),
        archs,
        every: vec!["17x", "100x", "900x"],
        limit: Duration::from_secs(o.limit),
    }
}
