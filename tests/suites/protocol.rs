//! The non-blocking protocol: programs that never wait for all, killed and stopped at random moments and continued on other
//! numbers of workers and processes, below other MPIs, and on other architectures.
//!
//! `PC3_TEST_KILLS` kills for each (default 6, or 3 where there are few processors).

use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::kills::{self, Interruption, KillsPlan};
use pc3_tests::program::Program;
use pc3_tests::run::{difference, Job, STOPPED};

const PROTOCOL: (&str, &str) = ("PC3_PROTOCOL", "nonblocking");

pub fn trials() -> Vec<Trial> {
    let c = Program::load_all(&arch::root().join("tests/apart"));
    let both = c.and_then(|c| Ok((c, Program::rust_examples()?)));
    let (mut programs, rust) = match both {
        Ok(both) => both,
        Err(e) => return vec![clock::test("load", move || Err(format!("{e:#}").into()))],
    };
    let harvest = rust.into_iter().filter(|p| p.name == "rust-harvest-mpi");
    // As long as the others.
    let longer = ["2000", "200"].map(str::to_owned).to_vec();
    programs.extend(harvest.map(|p| Program {
        args: longer.clone(),
        ..p
    }));
    let mut trials = Vec::new();
    for p in programs {
        let mut add = |what: &str, test: fn(&Program) -> Result<()>| {
            let p = p.clone();
            let name = format!("protocol::{}_{what}", p.name);
            trials.push(clock::test(name, move || {
                test(&p).map_err(|e| format!("{e:#}").into())
            }));
        };
        type Case = (&'static str, fn(&Program) -> Result<()>);
        let crosswise: [[Case; 2]; 2] = [
            [
                ("killed", |p| killed(p, 1)),
                ("moved_together", |p| moved(p, 3)),
            ],
            [
                ("moved", |p| moved(p, 1)),
                ("killed_together", |p| killed(p, 3)),
            ],
        ];
        for (what, test) in arch::in_turn(&p.name, crosswise).into_iter().flatten() {
            add(what, test);
        }
        add("below_mpis", below_mpis);
    }
    trials.push(clock::test("protocol::late", || {
        late().map_err(|e| format!("{e:#}").into())
    }));
    trials.push(clock::test("protocol::alone", || {
        alone().map_err(|e| format!("{e:#}").into())
    }));
    trials.push(clock::test("protocol::shared_file", || {
        shared_file().map_err(|e| format!("{e:#}").into())
    }));
    trials.push(clock::test("protocol::steady_file", || {
        steady_file().map_err(|e| format!("{e:#}").into())
    }));
    trials.push(clock::test("protocol::refused", || {
        refused().map_err(|e| format!("{e:#}").into())
    }));
    trials.push(clock::test("protocol::random_bytes", || {
        random_bytes().map_err(|e| format!("{e:#}").into())
    }));
    trials.push(clock::test("protocol::born_apart", || {
        born_apart().map_err(|e| format!("{e:#}").into())
    }));
    trials.push(clock::test("protocol::farm_at_barrier", || {
        farm_at_barrier().map_err(|e| format!("{e:#}").into())
    }));
    trials.push(clock::test("protocol::unlike", || {
        unlike().map_err(|e| format!("{e:#}").into())
    }));
    trials.push(clock::test("protocol::stands", || {
        stands().map_err(|e| format!("{e:#}").into())
    }));
    trials
}

fn whole(p: &Program) -> Result<(Vec<u8>, Duration)> {
    let job = Job::new(p)?;
    let exe = build::instrumented(p, HOST)?;
    let start = Instant::now();
    let end = job.run(HOST, &exe, &[])?;
    ensure!(end.status == 0, "uninterrupted: {}", end.stderr);
    Ok((job.stdout(), start.elapsed()))
}

fn same(expected: &[u8], job: &Job) -> Result<()> {
    match difference(expected, &job.stdout()) {
        Some(d) => bail!("output differs: {d}\n{}", job.stderr()),
        None => Ok(()),
    }
}

/// How a job of so many processes is started, or of one.
fn launcher(processes: usize, mpi: &str) -> Vec<String> {
    kills::launcher(&arch::dist(), processes, mpi)
}

fn start(
    job: &Job,
    launcher: &[String],
    arch: Arch,
    exe: &Path,
    env: &[(&str, &str)],
) -> Result<Child> {
    let words: Vec<&str> = launcher.iter().map(String::as_str).collect();
    job.start_by(&words, arch, exe, env)
}

/// Processes that this one has started.
fn children(of: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{of}/task/{of}/children"));
    let list = list.unwrap_or_default();
    list.split_whitespace()
        .filter_map(|p| p.parse().ok())
        .collect()
}

/// With all that it has started, which ends with it.  The exit status, if it had come to its end by itself.
fn kill(mut child: Child) -> Result<Option<i32>> {
    let below = children(child.id());
    child.kill()?;
    let end = child.wait()?;
    let start = Instant::now();
    while below
        .iter()
        .any(|p| Path::new(&format!("/proc/{p}/exe")).exists())
    {
        ensure!(
            start.elapsed().as_secs() < 60,
            "processes go on without pc3run"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(end.code())
}

/// SIGKILL at any time, and on from the newest checkpoint, or from the beginning if there is none; in up to so many processes.
fn killed(p: &Program, processes: usize) -> Result<()> {
    let kills = std::env::var("PC3_TEST_KILLS").ok();
    let plan = KillsPlan {
        by: Interruption::Kill,
        kills: kills
            .and_then(|s| s.parse().ok())
            .unwrap_or(if arch::all_round() { 6 } else { 3 }),
        seed: 6,
        protocols: vec![PROTOCOL.1],
        processes,
        mpis: vec!["none"],
        archs: vec![HOST],
        every: vec!["17x", "100x", "900x"],
        increments: false,
        limit: Duration::from_secs(300),
    };
    kills::killed(p, &plan, &arch::dist()).map(drop)
}

/// Stopped behind a checkpoint, and on with other workers, and processes, on each architecture in turn; to the end at last.
fn moved(p: &Program, processes: usize) -> Result<()> {
    let mut all = arch::round_of(&p.name);
    all.retain(|a| p.abis.include(*a));
    let hops: Vec<Hop> = (0..=all.len())
        .map(|hop| Hop {
            arch: if hop == 0 { HOST } else { all[hop % all.len()] },
            processes: 1 + (hop + 1) % processes,
            mpi: "none",
        })
        .collect();
    stopped(p, &hops)
}

/// The same on one architecture, from one MPI to the other.
fn below_mpis(p: &Program) -> Result<()> {
    let hop = |processes, mpi| Hop {
        arch: HOST,
        processes,
        mpi,
    };
    let native = |mpi: &&str| {
        let object = format!("lib/pc3/{}/libpc3_mpi_{mpi}.so", HOST.gnu);
        arch::dist().join(object).is_file()
    };
    let mut hops: Vec<Hop> = ["openmpi", "mpich"]
        .into_iter()
        .filter(native)
        .flat_map(|mpi| [hop(2, mpi), hop(3, mpi)])
        .collect();
    hops.push(hop(2, "none"));
    stopped(p, &hops)
}

struct Hop {
    arch: Arch,
    processes: usize,
    mpi: &'static str,
}

fn stopped(p: &Program, hops: &[Hop]) -> Result<()> {
    let (expected, _) = whole(p)?;
    let mut stops = 0;
    // A run may end before all have come to a location behind the request.
    for (tries, every) in ["40x", "250x", "20x", "100x", "7x", "60x"]
        .iter()
        .enumerate()
    {
        if tries > 1 && stops > 0 {
            break;
        }
        let job = Job::new(p)?;
        for (i, hop) in hops.iter().enumerate() {
            let exe = build::instrumented(p, hop.arch)?;
            let workers = (1 + i % 3).to_string();
            let last = i + 1 == hops.len();
            let mut env = vec![PROTOCOL, ("PC3_WORKERS", &*workers)];
            if i > 0 {
                env.push(("PC3_RESTART", "latest"));
            }
            if !last {
                env.extend([("PC3_EVERY", *every), ("PC3_STOP_AFTER", "1")]);
            }
            let launcher = launcher(hop.processes, hop.mpi);
            let end = job.finish(start(&job, &launcher, hop.arch, &exe, &env)?)?;
            if end.status == STOPPED && !last {
                stops += 1;
                continue;
            }
            ensure!(
                end.status == 0,
                "exit status {} on {}\n{}",
                end.status,
                hop.arch.gnu,
                end.stderr
            );
            break;
        }
        same(&expected, &job)?;
    }
    ensure!(stops > 0, "it was never stopped");
    Ok(())
}

/// A rank that comes to no location, as it waits or as it computes, is named, and the others go on.
fn late() -> Result<()> {
    let rank = "(PC3_PATIENCE): rank 2: ";
    late_in("late", &format!("{rank}MPI_Recv at "))?;
    late_in("computing", &format!("{rank}runs"))?;
    late_in(
        "critical",
        &format!("{rank}between pc3_critical_begin and pc3_critical_end"),
    )?;
    late_in(
        "unreceived",
        "; rank 2 has passed some, waiting for what MPI_Ssend or MPI_Issend sent to be received",
    )
}

/// `place`: what is said of the rank.
fn late_in(name: &str, place: &str) -> Result<()> {
    let p = Program::load(&arch::root().join(format!("tests/data/{name}.c")))?;
    let exe = build::instrumented(&p, HOST)?;
    let env = [
        PROTOCOL,
        ("PC3_EVERY", "10x"),
        ("PC3_PATIENCE", "20ms"),
        ("PC3_WORKERS", "3"),
    ];
    for processes in [1, 2] {
        let job = Job::new(&p)?;
        let mut child = start(&job, &launcher(processes, "none"), HOST, &exe, &env)?;
        let start = Instant::now();
        while !job
            .stderr()
            .contains("rank 2 came to no location within 20ms")
        {
            ensure!(child.try_wait()?.is_none(), "ended: {}", job.stderr());
            ensure!(start.elapsed().as_secs() < 60, "not told: {}", job.stderr());
            std::thread::sleep(Duration::from_millis(5));
        }
        ensure!(job.stderr().contains(place), "not where: {}", job.stderr());
        kill(child)?;
    }
    Ok(())
}

/// Ranks of one worker that never block come to a location soon when a checkpoint is wanted, though one passes many.
fn alone() -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/alone.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let job = Job::new(&p)?;
    let env = [
        PROTOCOL,
        ("PC3_EVERY", "100x"),
        ("PC3_STOP_AFTER", "1"),
        ("PC3_WORKERS", "1"),
    ];
    let end = job.run(HOST, &exe, &env)?;
    ensure!(
        end.status == STOPPED && job.stdout().is_empty(),
        "exit status {}, a rank had ended: {}\n{}",
        end.status,
        !job.stdout().is_empty(),
        end.stderr
    );
    let env = [PROTOCOL, ("PC3_RESTART", "latest"), ("PC3_WORKERS", "1")];
    let end = job.run(HOST, &exe, &env)?;
    ensure!(
        end.status == 0,
        "exit status {}\n{}",
        end.status,
        end.stderr
    );
    // Nobody waits for anybody, so they end in any order.
    let lines = |output: &[u8]| {
        let text = String::from_utf8_lossy(output).into_owned();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let (expected, got) = (lines(&whole(&p)?.0), lines(&job.stdout()));
    ensure!(expected == got, "expected {expected:?}, got {got:?}");
    Ok(())
}

/// A file that several ranks append to has no line of its own: no checkpoint that would lose or repeat what they wrote.
fn shared_file() -> Result<()> {
    let p = told("shared", "common.log is used by ranks")?;
    // Hardly any start is from elsewhere than the beginning.
    killed(&p, 1)?;
    killed(&p, 3)?;
    // The epoch may be decided before the last rank is copied, which is when the others' writing is known.
    let (expected, _) = whole(&p)?;
    let exe = build::instrumented(&p, HOST)?;
    for _ in 0..12 {
        let job = Job::new(&p)?;
        let env = [PROTOCOL, ("PC3_EVERY", "17x"), ("PC3_WORKERS", "4")];
        job.run(HOST, &exe, &env)?;
        same(&expected, &job)?;
        if let Some(first) = job.checkpoint_files().first() {
            let name = first.file_stem().unwrap_or_default().to_string_lossy();
            let id = name.trim_start_matches("ckpt-");
            job.run(HOST, &exe, &[PROTOCOL, ("PC3_RESTART", id)])?;
            same(&expected, &job)?;
        }
    }
    // Of two processes only the first knows that nothing came of it; what both have counted is gathered all the same.
    let job = Job::new(&p)?;
    let by = launcher(2, "none");
    let words: Vec<&str> = by.iter().map(String::as_str).collect();
    let env = [PROTOCOL, ("PC3_EVERY", "17x"), ("PC3_STATS", "on")];
    let end = job.finish(job.start_by(&words, HOST, &exe, &env)?)?;
    let counted = end.stderr.contains("between processes");
    ensure!(end.status == 0 && counted, "{}", end.stderr);
    same(&expected, &job)
}

/// Nor one of MPI that is always written.
fn steady_file() -> Result<()> {
    let p = told(
        "steady",
        "steady.bin was written between ranks' local checkpoints",
    )?;
    killed(&p, 2)
}

/// No checkpoint is taken of it, for this reason.
fn told(name: &str, why: &str) -> Result<Program> {
    let p = Program::load(&arch::root().join(format!("tests/data/{name}.c")))?;
    let exe = build::instrumented(&p, HOST)?;
    let env = [PROTOCOL, ("PC3_EVERY", "30x"), ("PC3_WORKERS", "3")];
    let end = Job::new(&p)?.run(HOST, &exe, &env)?;
    ensure!(end.stderr.contains(why), "not told: {}", end.stderr);
    Ok(p)
}

/// Random bytes that a rank asked for behind its line may have become numbers, which are others where their order is another:
/// refused there, before anything is changed; and it goes on here.
fn random_bytes() -> Result<()> {
    let all = arch::available();
    let Some(big) = all.into_iter().find(|a| a.gnu == "s390x-linux-gnu") else {
        return Ok(());
    };
    let p = Program::load(&arch::root().join("tests/apart/entropy.c"))?;
    let (expected, _) = whole(&p)?;
    let exe = build::instrumented(&p, HOST)?;
    let there = build::instrumented(&p, big)?;
    let again = [PROTOCOL, ("PC3_RESTART", "latest")];
    for every in ["40x", "100x", "20x", "70x", "250x", "33x"].repeat(3) {
        let job = Job::new(&p)?;
        let env = [PROTOCOL, ("PC3_EVERY", every), ("PC3_STOP_AFTER", "1")];
        if job.run(HOST, &exe, &env)?.status != STOPPED {
            continue;
        }
        let before = job.stdout();
        let end = job.run(big, &there, &again)?;
        if end.status == 0 {
            // Nobody had asked for any between the lines.
            same(&expected, &job)?;
            continue;
        }
        ensure!(
            end.status == 89 && end.stderr.contains("random bytes that a rank asked for"),
            "exit status {}\n{}",
            end.status,
            end.stderr
        );
        ensure!(job.stdout() == before, "its output was changed");
        let end = job.run(HOST, &exe, &again)?;
        ensure!(
            end.status == 0,
            "exit status {}\n{}",
            end.status,
            end.stderr
        );
        return same(&expected, &job);
    }
    bail!("no checkpoint had any")
}

/// Ranks that are spawned within an epoch, together and by each rank alone, in so many processes that some hear of its stages
/// later than others.
fn born_apart() -> Result<()> {
    let born = Program::load(&arch::root().join("tests/apart/born.c"))?;
    let hirers = Program::load(&arch::root().join("tests/data/hirers.c"))?;
    let hops = [12, 11, 10, 12, 3, 1].map(|processes| Hop {
        arch: HOST,
        processes,
        mpi: "none",
    });
    stopped(&Program { ranks: 12, ..born }, &hops)?;
    stopped(&hirers, &hops)
}

/// A farm has no checkpoint at a barrier: that is soon found out, said once with what helps, and costs little from then on.
fn farm_at_barrier() -> Result<()> {
    let p = Program::load(&arch::root().join("tests/apart/farm.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let (expected, _) = whole(&p)?;
    let env = [("PC3_PROTOCOL", "barrier"), ("PC3_EVERY", "17x")];
    for processes in [1, 2] {
        let job = Job::new(&p)?;
        let by = launcher(processes, "none");
        let words: Vec<&str> = by.iter().map(String::as_str).collect();
        let end = job.finish(job.start_by(&words, HOST, &exe, &env)?)?;
        let said = end.stderr.matches("--protocol nonblocking").count();
        let told = end.stderr.split(" checkpoints were dropped").next();
        let number = told.and_then(|t| t.split_whitespace().last());
        let dropped: Option<u32> = number.and_then(|n| n.parse().ok());
        // 3,500 intervals.
        ensure!(
            end.status == 0 && said == 1 && dropped.is_some_and(|n| n < 60),
            "exit status {}, said {said} times, {dropped:?} dropped\n{}",
            end.status,
            end.stderr
        );
        let stands = " at a checkpoint location";
        let others = "the ranks of process 1\n  rank";
        ensure!(
            end.stderr.contains(stands) && end.stderr.contains(others) == (processes == 2),
            "{}",
            end.stderr
        );
        same(&expected, &job)?;
    }
    // Who wanted it to stop with one is told at the end.
    for processes in [1, 2] {
        let job = Job::new(&p)?;
        let by = launcher(processes, "none");
        let words: Vec<&str> = by.iter().map(String::as_str).collect();
        let env = [&env[..], &[("PC3_STOP_AFTER", "1")]].concat();
        let end = job.finish(job.start_by(&words, HOST, &exe, &env)?)?;
        let told =
            "the job was to stop with its first checkpoint (--stop-after 1), but has ended without";
        let last = end.stderr.lines().last().unwrap_or_default();
        ensure!(
            end.status == 0
                && end.stderr.matches(told).count() == 1
                && last.contains(told)
                && last.contains("--protocol nonblocking"),
            "exit status {}\n{}",
            end.status,
            end.stderr
        );
        same(&expected, &job)?;
    }
    Ok(())
}

/// Ranks that do not run in step meet at a barrier all the same, once it has stood for a while: long before the others have
/// passed as many locations as the first.
fn unlike() -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/unlike.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let (expected, _) = whole(&p)?;
    let env = [
        ("PC3_EVERY", "50ms"),
        ("PC3_PATIENCE", "2s"),
        ("PC3_STOP_AFTER", "1"),
    ];
    for (before, after) in [(1, 2), (2, 1)] {
        let job = Job::new(&p)?;
        let child = start(&job, &launcher(before, "none"), HOST, &exe, &env)?;
        let end = job.finish(child)?;
        let out = String::from_utf8_lossy(&job.stdout()).into_owned();
        ensure!(
            end.status == STOPPED && out.is_empty(),
            "of {before} processes: exit status {}, rank 1 had come far: {out}\n{}",
            end.status,
            end.stderr
        );
        let restart = [("PC3_RESTART", "latest")];
        let child = start(&job, &launcher(after, "none"), HOST, &exe, &restart)?;
        let end = job.finish(child)?;
        ensure!(end.status == 0, "restarted: {}", end.stderr);
        same(&expected, &job)?;
    }
    Ok(())
}

/// Who stands for a rank that comes to no location is told, by one process for all.
fn stands() -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/computing.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let env = [
        ("PC3_EVERY", "10x"),
        ("PC3_PATIENCE", "20ms"),
        ("PC3_WORKERS", "3"),
    ];
    for processes in [1, 2] {
        let job = Job::new(&p)?;
        let mut child = start(&job, &launcher(processes, "none"), HOST, &exe, &env)?;
        let start = Instant::now();
        let said =
            "2 ranks stand at a location, 1 has not come to one: rank 2 (has passed 0); with";
        while !job.stderr().contains(said) {
            ensure!(child.try_wait()?.is_none(), "ended: {}", job.stderr());
            ensure!(start.elapsed().as_secs() < 60, "not told: {}", job.stderr());
            std::thread::sleep(Duration::from_millis(5));
        }
        kill(child)?;
    }
    Ok(())
}

/// What does not work is said before anything runs.
fn refused() -> Result<()> {
    let p = Program::load(&arch::root().join("tests/apart/farm.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let job = Job::new(&p)?;
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let launcher = [&*pc3run, "--protocol", "chandy"];
    let end = job.finish(job.start_by(&launcher, HOST, &exe, &[])?)?;
    let said = end.stderr.contains("expected barrier or nonblocking");
    ensure!(
        end.status == 86 && said && job.stdout().is_empty(),
        "exit status {}\n{}",
        end.status,
        end.stderr
    );
    Ok(())
}
