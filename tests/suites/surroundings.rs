//! What the system and the C library have for a program beside its memory: children, queues, stacks, settings, descriptors.

use std::fs;

use anyhow::{ensure, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::{difference, Job, Outcome, STOPPED};

type Case = fn() -> Result<()>;

pub fn trials() -> Vec<Trial> {
    let cases: &[(&str, Case)] = &[
        ("what the system holds is waited for", waiting),
        ("objects that are held are named", held),
        ("settings are the job's own", starts),
        ("other stacks are passed by", stacks),
        ("stale buffers lead nowhere", tokens),
        ("files of ranks go to other processes", logs),
        ("a stack that is too small is told", small_stack),
    ];
    cases
        .iter()
        .map(|(name, case)| {
            let case = *case;
            clock::test(
                format!("surroundings::{}", name.replace(' ', "_")),
                move || case().map_err(|e| format!("{e:#}").into()),
            )
        })
        .collect()
}

fn job(file: &str) -> Result<Job> {
    Job::new(&Program::load(&arch::root().join(file))?)
}

fn run(job: &Job, env: &[(&str, &str)]) -> Result<Outcome> {
    job.run(HOST, &build::instrumented(&job.program, HOST)?, env)
}

/// What the plain program prints.
fn plain(file: &str) -> Result<Vec<u8>> {
    let job = job(file)?;
    let done = job.run(HOST, &build::plain(&job.program, HOST)?, &[])?;
    ensure!(done.status == 0, "{done:?}");
    Ok(job.stdout())
}

fn waiting() -> Result<()> {
    let file = "tests/control/waiting.c";
    let job = job(file)?;
    let done = run(&job, &[("PC3_EVERY", "1x")])?;
    ensure!(done.status == 0, "{done:?}");
    for what in [
        "is a child of the program (made by fork at waiting.c:38)",
        "is a child of the program (made by posix_spawnp at waiting.c:45)",
        "is a child of the program (made by posix_spawn at waiting.c:50)",
        "is a child of the program (made by vfork at waiting.c:28)",
        "signal 34 is blocked and waits in a queue",
        "an operation goes on, whose result has not been taken (begun by aio_write at waiting.c:96)",
        "the C library reads a list for the program (by getpwent_r at waiting.c:118)",
        "/file, opened by code that pc3cc did not compile",
    ] {
        let lines = done.stderr.lines().filter(|l| l.contains(what)).count();
        ensure!(lines == 1, "{lines} lines say '{what}': {}", done.stderr);
    }
    ensure!(job.stdout() == plain(file)?, "{:?}", job.stdout());
    let end = run(&job, &[("PC3_RESTART", "latest")])?;
    ensure!(end.status == 0, "{end:?}");
    Ok(())
}

fn held() -> Result<()> {
    let job = job("tests/control/held.c")?;
    let done = run(&job, &[("PC3_EVERY", "1x")])?;
    ensure!(done.status == 0 && job.stdout() == b"end\n", "{done:?}");
    for call in [
        "epoll_create",
        "eventfd",
        "inotify_init",
        "timerfd_create",
        "accept",
        "pipe2",
        "socketpair",
        "fopencookie",
        "fts_open",
        "sem_open",
        "duplocale",
    ] {
        let told = format!("made by {call} at held.c:");
        ensure!(done.stderr.contains(&told), "'{told}': {}", done.stderr);
    }
    ensure!(run(&job, &[("PC3_RESTART", "latest")])?.status == 0);
    Ok(())
}

fn starts() -> Result<()> {
    let file = "tests/control/starts.c";
    let stage = |n: u32| format!("stage {n}\nown 0 0\n0\npopen 0\n0\n0\n");
    let want: String = (1..4).map(stage).collect();
    let stopped = job(file)?;
    let done = run(&stopped, &[("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", "1")])?;
    ensure!(done.status == STOPPED, "{done:?}");
    let end = run(&stopped, &[("PC3_RESTART", "latest"), ("PC3_KEEP", "5")])?;
    ensure!(end.status == 0, "{end:?}");
    let got = String::from_utf8_lossy(&stopped.stdout()).into_owned();
    ensure!(got == want, "{got}");
    Ok(())
}

fn stacks() -> Result<()> {
    let file = "tests/control/stacks.c";
    let job = job(file)?;
    let done = run(&job, &[("PC3_EVERY", "1x")])?;
    let told = done
        .stderr
        .contains("runs on a stack that it has made itself");
    ensure!(done.status == 0 && told, "{done:?}");
    ensure!(job.stdout() == plain(file)?, "{:?}", job.stdout());
    Ok(())
}

fn tokens() -> Result<()> {
    for every in ["", "1x"] {
        let job = job("tests/control/tokens.c")?;
        let done = run(&job, &[("PC3_EVERY", every)])?;
        let told = done
            .stderr
            .contains("the function that called setjmp has returned");
        ensure!(done.status == 90 && told, "{done:?}");
        ensure!(job.stdout().is_empty(), "{:?}", job.stdout());
    }
    Ok(())
}

fn logs() -> Result<()> {
    let file = "tests/control/logs.c";
    let whole = job(file)?;
    ensure!(run(&whole, &[])?.status == 0);
    let job = job(file)?;
    let exe = build::instrumented(&job.program, HOST)?;
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    for (options, status) in [
        ("-n 4 -p 2 --every 2x --stop-after 1", STOPPED),
        ("-p 1 --restart --every 2x --stop-after 1", STOPPED),
        ("-p 4 --restart --every 2x --stop-after 1", STOPPED),
        ("-p 2 --restart", 0),
    ] {
        let mut launcher = vec![pc3run.as_str()];
        launcher.extend(options.split_whitespace());
        let child = job.start_by(&launcher, HOST, &exe, &[])?;
        let done = job.finish(child)?;
        ensure!(done.status == status, "{options}: {done:?}");
    }
    let differs = difference(&whole.stdout(), &job.stdout());
    ensure!(differs.is_none(), "{differs:?}");
    for rank in 0..4 {
        let log = |j: &Job| fs::read(j.dir.path().join(format!("log-{rank}")));
        ensure!(log(&job)? == log(&whole)?, "rank {rank}");
    }
    Ok(())
}

fn small_stack() -> Result<()> {
    let file = "tests/control/descends.c";
    let job = job(file)?;
    let done = run(&job, &[("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", "1")])?;
    ensure!(done.status == STOPPED, "{done:?}");
    let exe = build::instrumented(&job.program, HOST)?;
    let small = ["sh", "-c", "ulimit -s 1024; exec \"$@\"", "sh"];
    let child = job.start_by(&small, HOST, &exe, &[("PC3_RESTART", "latest")])?;
    let refused = job.finish(child)?;
    ensure!(refused.status == 89, "{refused:?}");
    ensure!(
        refused.stderr.contains("ulimit -s unlimited"),
        "{refused:?}"
    );
    let end = run(&job, &[("PC3_RESTART", "latest")])?;
    ensure!(end.status == 0 && job.stdout() == plain(file)?, "{end:?}");
    Ok(())
}
