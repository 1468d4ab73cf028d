//! `cargo xtask simulate`: the protocols against everything that can happen.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use clap::{Parser, Subcommand};
use pc3_protocol::Rules;
use pc3_simulate::barrier;
use pc3_simulate::exhaustive::{self, Size};
use pc3_simulate::processes::{self, Broken};
use pc3_simulate::run::{run, trace, Options};
use pc3_simulate::scale;
use pc3_simulate::state::Counts;

#[derive(Parser)]
#[command(name = "cargo xtask simulate")]
struct Cli {
    #[command(subcommand)]
    what: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    /// What CI runs: 20,000 schedules, each broken rule found, exhaustive searches
    Check {
        /// These searches; without it a brief one, and one with a spawn
        #[arg(long, value_enum)]
        search: Vec<Size>,
    },
    /// Random programs and schedules
    Random {
        #[arg(long, default_value_t = 1_000_000)]
        schedules: u64,
        #[arg(long, default_value_t = 0)]
        from: u64,
        #[arg(long, default_value_t = 16)]
        ranks: u32,
    },
    /// The same for the barrier protocol
    Barrier {
        #[arg(long, default_value_t = 1_000_000)]
        schedules: u64,
    },
    /// The same for what several processes decide at a barrier; then without each of its rules
    Processes {
        #[arg(long, default_value_t = 200_000)]
        schedules: u64,
        /// Only this one: what it ended with
        #[arg(long)]
        seed: Option<u64>,
    },
    /// One schedule: what it ended with
    Seed { seed: u64 },
    /// Takes away each rule in turn, and looks how soon that is noticed
    Broken {
        #[arg(long, default_value_t = 400_000)]
        schedules: u64,
    },
    /// Every schedule of a small job, by a model checker (stateright)
    Exhaustive,
    /// Messages and rounds of an epoch, up to 100,000 processes
    Scale,
}

fn main() {
    let result = match Cli::parse().what {
        Subcommands::Check { search: sizes } => check(&sizes),
        Subcommands::Random {
            schedules,
            from,
            ranks,
        } => random(from, schedules, ranks),
        Subcommands::Barrier { schedules } => barriers(schedules),
        Subcommands::Processes {
            seed: Some(seed), ..
        } => {
            let (end, text) = processes::trace(seed);
            println!("{text}");
            end.map(|_| ()).map_err(|e| e.to_string())
        }
        Subcommands::Processes { schedules, .. } => together(schedules),
        Subcommands::Seed { seed } => seed_of(seed),
        Subcommands::Broken { schedules } => broken(schedules),
        Subcommands::Exhaustive => search(Size::Full).and_then(|()| search(Size::Spawning)),
        Subcommands::Scale => {
            table();
            Ok(())
        }
    };
    if let Err(e) = result {
        eprintln!("error: {e}");
        std::process::exit(1);
    }
}

fn check(sizes: &[Size]) -> Result<(), String> {
    barriers(20_000)?;
    together(20_000)?;
    random(0, 20_000, 16)?;
    broken(400_000)?;
    let all = [Size::Brief, Size::Spawning];
    let sizes = if sizes.is_empty() { &all } else { sizes };
    sizes.iter().try_for_each(|size| search(*size))
}

fn threads() -> u64 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u64)
}

/// Every second program asks and looks around a lot; every second pair is small; in every second four nobody counts without need;
/// in every sixteenth a log of more than three entries is too long.
fn options(seed: u64, ranks: u32, rules: Rules) -> Options {
    Options {
        rules,
        nosy: seed % 2 == 1,
        usual: seed % 8 > 3,
        bound: if seed % 16 == 5 { 3 } else { usize::MAX },
        most_ranks: if seed % 4 > 1 { ranks.min(4) } else { ranks },
    }
}

/// Runs seeds on all cores; what came of each, or the least seed that broke something.
fn all<T: Send, E: Display>(
    from: u64,
    count: u64,
    run: impl Fn(u64) -> Result<T, E> + Sync,
) -> Result<Vec<T>, (u64, String)> {
    let (parts, stop) = (threads(), AtomicBool::new(false));
    let part = |p: u64| {
        let mut sums = Vec::new();
        for seed in (from..from + count).filter(|s| s % parts == p) {
            if stop.load(Relaxed) {
                break;
            }
            match run(seed) {
                Ok(counts) => sums.push(counts),
                Err(e) => {
                    stop.store(true, Relaxed);
                    return Err((seed, e.to_string()));
                }
            }
        }
        Ok(sums)
    };
    let results: Vec<_> = std::thread::scope(|s| {
        let part = &part;
        let started: Vec<_> = (0..parts).map(|p| s.spawn(move || part(p))).collect();
        started.into_iter().filter_map(|t| t.join().ok()).collect()
    });
    let whole = results.len() as u64 == parts;
    let mut sums = Vec::new();
    let mut first: Option<(u64, String)> = None;
    for r in results {
        match r {
            Ok(s) => sums.extend(s),
            Err(e) if first.as_ref().is_none_or(|f| e.0 < f.0) => first = Some(e),
            Err(_) => {}
        }
    }
    match first {
        Some(e) => Err(e),
        None if whole => Ok(sums),
        None => Err((from, "a thread panicked".into())),
    }
}

/// The same of the non-blocking protocol.
fn epochs(from: u64, count: u64, ranks: u32, rules: Rules) -> Result<Vec<Counts>, (u64, String)> {
    all(from, count, |seed| run(seed, &options(seed, ranks, rules)))
}

fn random(from: u64, count: u64, ranks: u32) -> Result<(), String> {
    let start = Instant::now();
    let all = epochs(from, count, ranks, Rules::default())
        .map_err(|(seed, e)| format!("seed {seed}: {e}"))?;
    let sum = |f: fn(&Counts) -> u32| all.iter().map(|c| u64::from(f(c))).sum::<u64>();
    println!(
        "{count} schedules of 2 to {ranks} ranks in {:.0} s: 0 violations; {} checkpoints, {} given up, {} logs too long, {} losses; messages: {} \
         late, {} early ({} seen by probes and not received), {} suppressed; {} prints left out; {} entries logged; spawned during an epoch: {} before the line, {} behind it, {} again",
        start.elapsed().as_secs_f64(),
        sum(|c| c.commits),
        sum(|c| c.given_up),
        sum(|c| c.outgrown),
        sum(|c| c.recoveries),
        sum(|c| c.late),
        sum(|c| c.early),
        sum(|c| c.seen),
        sum(|c| c.suppressed),
        sum(|c| c.left_out),
        sum(|c| c.logged),
        sum(|c| c.across),
        sum(|c| c.within),
        sum(|c| c.again),
    );
    Ok(())
}

fn barriers(count: u64) -> Result<(), String> {
    let start = Instant::now();
    let mut sum = barrier::BarrierCounts::default();
    for seed in 0..count {
        let counts = barrier::run(seed, false).map_err(|e| format!("barrier, seed {seed}: {e}"))?;
        sum.add(&counts);
    }
    println!(
        "barrier: {count} schedules of 2 to 8 ranks in {:.0} s: 0 violations; {} checkpoints, {} plans put off, {} dropped, {} losses",
        start.elapsed().as_secs_f64(),
        sum.checkpoints,
        sum.put_off,
        sum.dropped,
        sum.losses,
    );
    if sum.checkpoints == 0 || sum.put_off == 0 || sum.losses == 0 {
        return Err("the barrier's schedules are too few to say anything".into());
    }
    // Without its one rule.
    match (0..count).find_map(|seed| barrier::run(seed, true).err().map(|e| (seed, e))) {
        Some((seed, e)) => println!("without waiting for all: seed {seed}: {e}"),
        None => return Err("nobody misses that the barrier waits for all".into()),
    }
    Ok(())
}

fn together(count: u64) -> Result<(), String> {
    let start = Instant::now();
    let all_of = |broken| all(0, count, move |seed| processes::run(seed, broken));
    let each = all_of(Broken::default()).map_err(|(s, e)| format!("processes, seed {s}: {e}"))?;
    let mut sum = processes::JobCounts::default();
    each.iter().for_each(|c| sum.add(c));
    println!(
        "processes: {count} schedules of 2 to 8 ranks in 2 to 4 processes in {:.0} s: 0 violations; {} checkpoints, {} plans put off, {} \
         dropped, {} that took ranks at any passage, {} times told who stands, {} losses; {} deadlocks and {} ranks that polled in vain, all told",
        start.elapsed().as_secs_f64(),
        sum.checkpoints,
        sum.put_off,
        sum.dropped,
        sum.loosened,
        sum.told,
        sum.losses,
        sum.deadlocks,
        sum.polls,
    );
    let mut missed = Vec::new();
    for (name, broken) in Broken::each() {
        match all_of(broken) {
            Err((seed, e)) => println!("without {name}: seed {seed}: {e}"),
            Ok(_) => missed.push(name),
        }
    }
    match missed[..] {
        [] => Ok(()),
        _ => Err(format!("nobody misses {}", missed.join(", "))),
    }
}

fn seed_of(seed: u64) -> Result<(), String> {
    let (end, world) = trace(seed, &options(seed, 16, Rules::default()));
    println!("{:?}", world.counts);
    for (r, s) in &world.ranks {
        let script = &world.program.scripts[*r as usize];
        let (phase, epoch) = (s.member.phase(), s.member.epoch());
        let at = script.get(s.own.pc);
        println!(
            "rank {r}: {phase:?} in epoch {epoch}, at {} of {}: {at:?}",
            s.own.pc,
            script.len()
        );
    }
    end.map_err(|e| e.to_string())
}

fn broken(schedules: u64) -> Result<(), String> {
    let mut missed = Vec::new();
    for (name, rules) in Rules::each_broken() {
        match epochs(0, schedules, 16, rules) {
            Err((seed, e)) => println!("without {name}: seed {seed}: {e}"),
            Ok(_) => missed.push(name),
        }
    }
    if missed.is_empty() {
        Ok(())
    } else {
        Err(format!("nobody misses {}", missed.join(", ")))
    }
}

fn search(size: Size) -> Result<(), String> {
    let start = Instant::now();
    let states = exhaustive::search(size, Rules::default(), threads() as usize)?;
    println!(
        "{size:?} search: {states} states in {:.0} s, none broken",
        start.elapsed().as_secs_f64()
    );
    // The search itself must be able to find something.
    let (size, missing) = match size {
        Size::Spawning => (size, "births_are_logged"),
        Size::Brief | Size::Full => (Size::Brief, "late_is_recorded"),
    };
    for (name, rules) in Rules::each_broken() {
        if name != missing {
            continue;
        }
        match exhaustive::search(size, rules, threads() as usize) {
            Err(e) => println!(
                "without {name}: {}",
                e.split(", after").next().unwrap_or("")
            ),
            Ok(_) => return Err(format!("the search does not miss {name}")),
        }
    }
    Ok(())
}

fn table() {
    println!("processes  fan  messages a process  most at one process  rounds");
    for nodes in [2, 16, 128, 1024, 8192, 100_000] {
        for fan in [2, 8, 32] {
            let c = scale::epoch(nodes, fan);
            let each = c.messages as f64 / f64::from(nodes);
            println!(
                "{nodes:9}  {fan:3}  {each:18.2}  {:19}  {:6}",
                c.busiest, c.rounds
            );
        }
    }
}
