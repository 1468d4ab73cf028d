//! Collectives of more processes than tell each other: along a tree they come to the same, are the same behind a checkpoint, and
//! send no more frames than the logarithm of the processes allows.

use std::collections::BTreeSet;

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::{difference, Job, STOPPED};

type Case = fn() -> Result<()>;

pub fn trials() -> Vec<Trial> {
    let cases: &[(&str, Case)] = &[
        ("results", results),
        ("checkpoints", checkpoints),
        ("errors", errors),
        ("frames", frames),
    ];
    let trial = |(name, case): &(&str, Case)| {
        let case = *case;
        let run = move || case().map_err(|e| format!("{e:#}").into());
        clock::test(format!("growth::{name}"), run)
    };
    cases.iter().map(trial).collect()
}

/// By `pc3run` over sockets, one worker a process.
fn run(job: &Job, options: &str) -> Result<i32> {
    let exe = build::instrumented(&job.program, HOST)?;
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let mut launcher = vec![pc3run.as_str(), "--mpi", "none", "-w", "1"];
    launcher.extend(options.split_whitespace());
    let child = job.start_by(&launcher, HOST, &exe, &[])?;
    Ok(job.finish(child)?.status)
}

fn program(name: &str) -> Result<Program> {
    Program::load(&arch::root().join(format!("tests/data/{name}.c")))
}

/// What ranks print comes in any order.
fn lines(job: &Job) -> BTreeSet<String> {
    let out = String::from_utf8_lossy(&job.stdout()).into_owned();
    out.lines().map(str::to_owned).collect()
}

/// All operations and types, in several groups: as in one process.
fn results() -> Result<()> {
    let p = program("operations")?;
    let printed = |how: &str| -> Result<BTreeSet<String>> {
        let job = Job::new(&p)?;
        let status = run(&job, how)?;
        ensure!(status == 0, "{how}: status {status}: {}", job.stderr());
        Ok(lines(&job))
    };
    let expected = printed("-p 1")?;
    ensure!(expected.len() > 200, "only {} lines", expected.len());
    for how in ["-p 3", "-p 5", "-p 6 --map cyclic", "-p 13"] {
        let got = printed(how)?;
        let first = expected.symmetric_difference(&got).next();
        ensure!(got == expected, "{how}: {first:?}");
    }
    Ok(())
}

/// On the way to a checkpoint some processes tell, and others bring their calls.
fn checkpoints() -> Result<()> {
    let p = program("uneven")?;
    let whole = Job::new(&p)?;
    ensure!(run(&whole, "-p 1")? == 0, "{}", whole.stderr());
    for protocol in ["barrier", "nonblocking"] {
        let job = Job::new(&p)?;
        let begin = format!("-p 6 --protocol {protocol} --every 20x --stop-after 2");
        let mut status = run(&job, &begin)?;
        let mut stops = 0;
        for how in ["-p 9 --map cyclic", "-p 5", "-p 2", "-p 8"] {
            if status != STOPPED {
                break;
            }
            stops += 1;
            status = run(&job, &format!("{how} --restart --every 20x --stop-after 1"))?;
        }
        if status == STOPPED {
            status = run(&job, "-p 7 --restart")?;
        }
        ensure!(status == 0, "{protocol}: status {status}: {}", job.stderr());
        ensure!(stops > 1, "{protocol}: it stopped {stops} times");
        if let Some(d) = difference(&whole.stdout(), &job.stdout()) {
            anyhow::bail!("{protocol}: {d}");
        }
    }
    Ok(())
}

/// Calls that do not belong together are the same errors as in one process.
fn errors() -> Result<()> {
    let p = program("mismatched")?;
    let printed = |how: &str| -> Result<String> {
        let job = Job::new(&p)?;
        let status = run(&job, how)?;
        ensure!(status == 0, "{how}: status {status}: {}", job.stderr());
        Ok(String::from_utf8_lossy(&job.stdout()).into_owned())
    };
    let expected = printed("-p 1")?;
    for how in ["-p 4", "-p 6"] {
        let got = printed(how)?;
        if let Some(d) = difference(expected.as_bytes(), got.as_bytes()) {
            anyhow::bail!("{how}: {d}");
        }
    }
    Ok(())
}

/// What one process sends for a collective of 8 bytes: at most k log_k P frames, with k = 4.
fn frames() -> Result<()> {
    const ROUNDS: u64 = 30;
    const EACH: f64 = 14.;
    let mut p = program("frames_counted")?;
    p.args = vec![ROUNDS.to_string()];
    for processes in [2, 5, 16, 32] {
        let job = Job::new(&p)?;
        let how = format!("-p {processes} -n {processes} --stats=s.json");
        let status = run(&job, &how)?;
        ensure!(status == 0, "{how}: status {status}: {}", job.stderr());
        let text = std::fs::read_to_string(job.dir.path().join("s.json"))?;
        let (_, list) = text.split_once("\"frames\":[").context("no frames")?;
        let (list, _) = list.split_once(']').context("no frames")?;
        let sent = list.split(", ").map(str::parse);
        let sent: Vec<u64> = sent.collect::<Result<_, _>>().context(list.to_owned())?;
        ensure!(sent.len() == processes, "{sent:?}");
        let most = *sent.iter().max().context("nobody")? as f64 / ROUNDS as f64;
        let bound = EACH * 4. * (processes as f64).log(4.);
        ensure!(
            most <= bound,
            "{processes} processes: {most} frames of one process, at most {bound}: {sent:?}"
        );
    }
    Ok(())
}
