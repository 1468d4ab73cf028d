//! The non-blocking protocol: programs that never wait for all, killed and stopped at random moments and continued on other
//! numbers of workers and other architectures.
//!
//! `PC3_TEST_KILLS` kills for each (default 6).

use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::{difference, Job, STOPPED};

const PROTOCOL: (&str, &str) = ("PC3_PROTOCOL", "nonblocking");

pub fn trials() -> Vec<Trial> {
    let rust = |p: &Program| p.name == "rust-harvest-mpi";
    let all = Program::load_all(&arch::root().join("tests/apart")).and_then(|mut all| {
        all.extend(Program::rust_examples()?.into_iter().filter(rust));
        Ok(all)
    });
    let programs = match all {
        Ok(p) => p,
        Err(e) => return vec![clock::test("load", move || Err(format!("{e:#}").into()))],
    };
    let mut trials = Vec::new();
    for p in programs {
        let q = p.clone();
        trials.push(clock::test(
            format!("protocol::{}_killed", p.name),
            move || killed(&p).map_err(|e| format!("{e:#}").into()),
        ));
        trials.push(clock::test(
            format!("protocol::{}_moved", q.name),
            move || moved(&q).map_err(|e| format!("{e:#}").into()),
        ));
    }
    trials.push(clock::test("protocol::late", || {
        late().map_err(|e| format!("{e:#}").into())
    }));
    trials.push(clock::test("protocol::shared_file", || {
        shared_file().map_err(|e| format!("{e:#}").into())
    }));
    for (name, env, said) in REFUSED {
        trials.push(clock::test(
            format!("protocol::refused_{name}"),
            move || refused(env, said).map_err(|e| format!("{e:#}").into()),
        ));
    }
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

/// SIGKILL at any time, and on from the newest checkpoint, or from the beginning if there is none.
fn killed(p: &Program) -> Result<()> {
    let kills = std::env::var("PC3_TEST_KILLS").ok();
    let kills: u32 = kills.and_then(|s| s.parse().ok()).unwrap_or(6);
    let exe = build::instrumented(p, HOST)?;
    let (expected, length) = whole(p)?;
    let mut random = fastrand::Rng::with_seed(6);
    let (mut job, mut done, mut ends) = (Job::new(p)?, 0, 0);
    while done < kills || ends == 0 {
        let workers = random.u32(1..=4).to_string();
        let every = ["17x", "100x", "900x"][random.usize(0..3)];
        let env = [
            PROTOCOL,
            ("PC3_EVERY", every),
            ("PC3_RESTART", "auto"),
            ("PC3_WORKERS", &workers),
        ];
        let mut child = job.start(HOST, &exe, &env)?;
        if done < kills {
            std::thread::sleep(length.mul_f64(random.f64() * 0.8));
            if child.try_wait()?.is_none() {
                child.kill()?;
                child.wait()?;
                done += 1;
                continue;
            }
        }
        let end = job.finish(child)?;
        ensure!(
            end.status == 0,
            "exit status {}\n{}",
            end.status,
            end.stderr
        );
        same(&expected, &job)?;
        (job, ends) = (Job::new(p)?, ends + 1);
    }
    Ok(())
}

/// Stopped behind a checkpoint, and on with other workers, on each architecture in turn; to the end at last.
fn moved(p: &Program) -> Result<()> {
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
        let all = arch::available();
        for hop in 0..=all.len() {
            let arch = if hop == 0 { HOST } else { all[hop % all.len()] };
            let exe = build::instrumented(p, arch)?;
            let workers = (1 + hop % 3).to_string();
            let last = hop == all.len();
            let mut env = vec![PROTOCOL, ("PC3_WORKERS", &*workers)];
            if hop > 0 {
                env.push(("PC3_RESTART", "latest"));
            }
            if !last {
                env.extend([("PC3_EVERY", *every), ("PC3_STOP_AFTER", "1")]);
            }
            let end = job.run(arch, &exe, &env)?;
            if end.status == STOPPED && !last {
                stops += 1;
                continue;
            }
            ensure!(
                end.status == 0,
                "exit status {} on {}\n{}",
                end.status,
                arch.gnu,
                end.stderr
            );
            break;
        }
        same(&expected, &job)?;
    }
    ensure!(stops > 0, "it was never stopped");
    Ok(())
}

/// A rank that comes to no location is named, and the others go on.
fn late() -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/late.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let job = Job::new(&p)?;
    let env = [
        PROTOCOL,
        ("PC3_EVERY", "10x"),
        ("PC3_PATIENCE", "20ms"),
        ("PC3_WORKERS", "3"),
    ];
    let mut child = job.start(HOST, &exe, &env)?;
    let start = Instant::now();
    while !job
        .stderr()
        .contains("rank 2 came to no location within 20ms")
    {
        ensure!(child.try_wait()?.is_none(), "ended: {}", job.stderr());
        ensure!(start.elapsed().as_secs() < 60, "not told: {}", job.stderr());
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill()?;
    child.wait()?;
    Ok(())
}

/// A file that several ranks append to has no line of its own: no checkpoint that would lose or repeat what they wrote.
fn shared_file() -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/shared.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let job = Job::new(&p)?;
    let env = [PROTOCOL, ("PC3_EVERY", "30x"), ("PC3_WORKERS", "3")];
    let end = job.run(HOST, &exe, &env)?;
    let said = "common.log is used by ranks";
    ensure!(end.stderr.contains(said), "not told: {}", end.stderr);
    killed(&p)
}

/// What does not work is said before anything runs.
const REFUSED: [(&str, &[&str], &str); 2] = [
    (
        "unknown",
        &["--protocol", "chandy"],
        "expected barrier or nonblocking",
    ),
    (
        "processes",
        &["-p", "2", "--mpi", "none", "--protocol", "nonblocking"],
        "not available yet for several processes",
    ),
];

fn refused(options: &[&str], said: &str) -> Result<()> {
    let p = Program::load(&arch::root().join("tests/apart/farm.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let job = Job::new(&p)?;
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let launcher = [&[&*pc3run], options].concat();
    let end = job.finish(job.start_by(&launcher, HOST, &exe, &[])?)?;
    ensure!(
        end.status == 86 && end.stderr.contains(said) && job.stdout().is_empty(),
        "exit status {}\n{}",
        end.status,
        end.stderr
    );
    Ok(())
}
