//! Kill loop: SIGKILL at random moments, restart, again and again; the output must not show it.
//!
//! `PC3_TEST_KILLS` kills in all (default 40), spread over the programs.

use std::process::Command;
use std::time::Duration;

use anyhow::{bail, ensure, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::{difference, Job};

/// Long enough to be hit: (folder or file, arguments, ranks).
const PROGRAMS: &[(&str, &[&str])] = &[
    ("examples/c/heat", &["256", "256", "400"]),
    ("examples/c/queens", &["11"]),
    ("examples/c/barnes-hut", &[]),
];

pub fn trials() -> Vec<Trial> {
    let kills: u32 = std::env::var("PC3_TEST_KILLS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(40);
    let each = kills.div_ceil(PROGRAMS.len() as u32);
    let mut trials = Vec::new();
    for (path, args) in PROGRAMS {
        let path = arch::root().join(path);
        let name = path
            .file_stem()
            .map(|s| s.to_string_lossy().into_owned())
            .unwrap_or_default();
        trials.push(clock::test(format!("kill::{name}"), move || {
            let go = || -> Result<()> {
                let mut p = Program::load(&path)?;
                if !args.is_empty() {
                    p.args = args.iter().map(|s| s.to_string()).collect();
                }
                kill_loop(&p, each, &[])
            };
            go().map_err(|e| format!("{e:#}").into())
        }));
    }
    trials.push(clock::test("kill::increments", move || {
        let go = || -> Result<()> {
            let mut p = Program::load(&arch::root().join(PROGRAMS[0].0))?;
            p.args = PROGRAMS[0].1.iter().map(|s| s.to_string()).collect();
            kill_loop(&p, each, &[("PC3_INCREMENTS", "on")])
        };
        go().map_err(|e| format!("{e:#}").into())
    }));
    trials.push(clock::test("kill::last_moment", || {
        last_moment().map_err(|e| format!("{e:#}").into())
    }));
    trials.push(clock::test("kill::before_its_first", || {
        before_its_first().map_err(|e| format!("{e:#}").into())
    }));
    trials
}

/// When a job counts as ended its output is there, even if the process dies before the C library has ended it.
fn last_moment() -> Result<()> {
    const KILLED: i32 = 128 + 9;
    let p = Program::load(&arch::root().join("tests/data/last_moment.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let job = Job::new(&p)?;
    let end = job.run(HOST, &exe, &[("PC3_EVERY", "10x")])?;
    ensure!(
        end.status == KILLED,
        "exit status {}\n{}",
        end.status,
        end.stderr
    );
    let over = !job.checkpoints().join("begin").exists();
    let expected: String = (0..100).map(|i| format!("{i}\n")).collect();
    ensure!(over, "it does not count as ended");
    match difference(expected.as_bytes(), &job.stdout()) {
        Some(d) => bail!("output differs: {d}"),
        None => Ok(()),
    }
}

/// A run that has no checkpoint when it is killed: a restart goes on from the run before it, and says so.
fn before_its_first() -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/last_moment.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let job = Job::new(&p)?;
    let run = |env: &[(&str, &str)]| job.run(HOST, &exe, env).map(|end| end.stderr);
    run(&[("PC3_EVERY", "10x")])?;
    let mut launcher = Command::new(arch::dist().join("bin/pc3run"));
    launcher.args(["--every", "1000x", "--dir"]);
    let end = launcher.arg(job.checkpoints()).arg(&exe).output()?;
    let said = String::from_utf8_lossy(&end.stderr);
    ensure!(said.contains("checkpoints of an earlier run"), "{said}");
    let last =
        "pc3run: signal 9 (SIGKILL) has ended the program; this run has no checkpoint; the newest good one, of an earlier run, is ";
    let told = said.lines().last().and_then(|l| l.strip_prefix(last));
    ensure!(told.is_some_and(|id| id.parse::<u64>().is_ok()), "{said}");
    // What is said comes behind what was said before.
    for every in ["30x", "1000x"] {
        let said = run(&[("PC3_RESTART", "latest"), ("PC3_EVERY", every)])?;
        let times = said.matches("of an earlier run: the last one").count();
        ensure!(times == 1, "{said}");
    }
    Ok(())
}

/// `more`: settings of the runs that are killed.
fn kill_loop(p: &Program, kills: u32, more: &[(&str, &str)]) -> Result<()> {
    let exe = build::instrumented(p, HOST)?;
    let whole = Job::new(p)?;
    let started = std::time::Instant::now();
    let reference = whole.run(HOST, &exe, &[])?;
    let length = started.elapsed().max(Duration::from_millis(20));
    let expected = whole.stdout();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut done, mut job) = (0, Job::new(p)?);
    let mut first = true;
    while done < kills {
        let env = [
            ("PC3_EVERY", "10x"),
            ("PC3_RESTART", if first { "" } else { "auto" }),
        ];
        let env = if first { &env[..1] } else { &env[..] };
        let mut child = job.start(HOST, &exe, &[env, more].concat())?;
        std::thread::sleep(length.mul_f64(random.unit() * 0.6));
        if let Some(s) = child.try_wait()? {
            ensure!(
                s.code() == Some(reference.status),
                "ended with {s}: {}",
                job.stderr()
            );
            check(&job, &expected)?;
            job = Job::new(p)?;
            first = true;
            continue;
        }
        child.kill()?;
        child.wait()?;
        done += 1;
        first = files(&job) == 0;
        if first {
            // Killed before its first checkpoint: the next start is a fresh one.
            job = Job::new(p)?;
        }
    }
    let env: &[(&str, &str)] = if first {
        &[]
    } else {
        &[("PC3_RESTART", "auto")]
    };
    let end = job.run(HOST, &exe, env)?;
    ensure!(
        end.status == reference.status,
        "after {done} kills: exit status {}\n{}",
        end.status,
        end.stderr
    );
    check(&job, &expected)
}

fn check(job: &Job, expected: &[u8]) -> Result<()> {
    if let Some(d) = difference(expected, &job.stdout()) {
        bail!("output differs after kills: {d}\n{}", job.stderr());
    }
    for e in std::fs::read_dir(job.checkpoints())
        .into_iter()
        .flatten()
        .flatten()
    {
        let name = e.file_name().to_string_lossy().into_owned();
        ensure!(
            !name.contains("tmp") && !name.contains("partial"),
            "leftover temporary file {name}"
        );
    }
    Ok(())
}

/// Committed checkpoints.
fn files(job: &Job) -> usize {
    let dir = std::fs::read_dir(job.checkpoints())
        .into_iter()
        .flatten()
        .flatten();
    dir.filter(|e| e.path().extension().is_some_and(|x| x == "pc3c"))
        .count()
}

/// xorshift64*: the same kills in every run of the suite.
struct Random(u64);
impl Random {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }
}
