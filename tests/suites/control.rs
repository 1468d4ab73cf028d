//! When checkpoints are taken, and from which one a job goes on: intervals, requests, courses that were given up.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::build;
use pc3_tests::program::Program;
use pc3_tests::run::{difference, Job, Outcome, STOPPED};

type Case = fn() -> Result<()>;

pub fn trials() -> Vec<Trial> {
    let cases: &[(&str, Case)] = &[
        ("every passage of is", || passages("is", 10)),
        ("every passage of mg", || passages("mg", 4)),
        ("every passage of cg", || passages("cg", 15)),
        ("every passage of heat", || passages("heat", 60)),
        ("intervals go on past a request", request_between),
        ("a request that comes too late is told", too_late),
        ("a request that cannot be met gets the reason", refused),
    ];
    cases
        .iter()
        .map(|(name, case)| {
            let case = *case;
            Trial::test(format!("control::{}", name.replace(' ', "_")), move || {
                case().map_err(|e| format!("{e:#}").into())
            })
        })
        .collect()
}

fn job(name: &str) -> Result<Job> {
    let mut job = Job::new(&Program::load(&arch::root().join(name))?)?;
    job.limit = Duration::from_secs(100);
    Ok(job)
}

fn run(job: &Job, env: &[(&str, &str)]) -> Result<Outcome> {
    job.run(HOST, &build::instrumented(&job.program, HOST)?, env)
}

/// Checkpoint files, oldest first.
fn files(job: &Job) -> Vec<PathBuf> {
    let dir = fs::read_dir(job.checkpoints()).into_iter().flatten();
    let mut files: Vec<PathBuf> = dir.flatten().map(|e| e.path()).collect();
    files.retain(|p| p.extension().is_some_and(|x| x == "pc3c"));
    files.sort();
    files
}

/// The passages at which the job's checkpoints were taken.
fn taken(job: &Job) -> Result<Vec<u64>> {
    let passage = |file: &PathBuf| -> Result<u64> {
        let out = Command::new(arch::dist().join("bin/pc3"))
            .args(["show", "--json"])
            .arg(file)
            .output()?;
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let (_, rest) = text.split_once("\"passage\":").context("no passage")?;
        let digits: String = rest
            .trim_start()
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        Ok(digits.parse()?)
    };
    files(job).iter().map(passage).collect()
}

fn passages(name: &str, total: u64) -> Result<()> {
    for (every, n) in [("1x", 1), ("3x", 3)] {
        for workers in ["1", "2", "4"] {
            let job = job(&format!("examples/c/{name}"))?;
            let env = [
                ("PC3_EVERY", every),
                ("PC3_KEEP", "1000"),
                ("PC3_WORKERS", workers),
            ];
            let done = run(&job, &env)?;
            ensure!(done.status == 0, "{done:?}");
            let expected: Vec<u64> = (1..=total / n).map(|k| k * n).collect();
            let got = taken(&job)?;
            ensure!(got == expected, "{every}, {workers} workers: {got:?}");
        }
    }
    Ok(())
}

fn request_between() -> Result<()> {
    for workers in ["1", "4"] {
        let mut job = job("tests/control/asks.c")?;
        job.program.args = vec!["7".into()];
        let env = |stop, restart| {
            [
                ("PC3_EVERY", "5x"),
                ("PC3_KEEP", "99"),
                ("PC3_WORKERS", workers),
                ("PC3_STOP_AFTER", stop),
                ("PC3_RESTART", restart),
            ]
        };
        ensure!(run(&job, &env("2", ""))?.status == STOPPED);
        ensure!(run(&job, &env("99", "latest"))?.status == 0);
        let mut got = taken(&job)?;
        ensure!(got.len() == 5, "{workers} workers: {got:?}");
        let asked = got.remove(1);
        ensure!((7..10).contains(&asked), "{workers} workers: {asked}");
        ensure!(got == [5, 10, 15, 20], "{workers} workers: {got:?}");
    }
    Ok(())
}

fn too_late() -> Result<()> {
    let mut job = job("tests/control/asks.c")?;
    job.program.args = vec!["0".into()];
    let done = run(&job, &[])?;
    ensure!(done.status == 0 && files(&job).is_empty(), "{done:?}");
    let times = done.stderr.matches("was asked for, but the program ended");
    ensure!(times.count() == 1, "{done:?}");
    Ok(())
}

fn refused() -> Result<()> {
    let mut job = job("tests/control/asks.c")?;
    job.program.args = vec!["hopeless".into()];
    let exe = build::instrumented(&job.program, HOST)?;
    let mut child = job.start(HOST, &exe, &[])?;
    while job.stdout().is_empty() {
        ensure!(child.try_wait()?.is_none(), "it ended");
        std::thread::sleep(Duration::from_millis(1));
    }
    let asked = Command::new(arch::dist().join("bin/pc3"))
        .arg("checkpoint")
        .arg(child.id().to_string())
        .output();
    child.kill()?;
    child.wait()?;
    let asked = asked?;
    let said = String::from_utf8_lossy(&asked.stderr);
    ensure!(!asked.status.success(), "{asked:?}");
    for words in ["could not take one", "ranks 1-3: MPI_Recv(rank 0"] {
        ensure!(said.contains(words), "'{words}' is missing: {said}");
    }
    Ok(())
}
