//! When checkpoints are taken, and from which one a job goes on: intervals, requests, courses that were given up.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::build;
use pc3_tests::clock;
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
        ("that no location is come by is told", away),
        ("a request that cannot be met gets the reason", refused),
        ("a request to stop ends the job", stop_asked),
        (
            "a job is asked by a directory that it has yet to make",
            by_directory,
        ),
        ("a process above several jobs is not asked", above_several),
        ("a request before main is met", early),
        (
            "a request right at the start of pc3run kills nobody",
            early_through_pc3run,
        ),
        (
            "a request to stop is met when nothing is in the way any more",
            stop_later,
        ),
        ("a course given up is not gone on from", other_course),
        ("files appended to begin anew", appended_anew),
        ("files changed in place are put back", put_back),
        ("arguments of a restart are told", arguments),
        ("pieces of blocks are shown", pieces_shown),
    ];
    cases
        .iter()
        .map(|(name, case)| {
            let case = *case;
            clock::test(format!("control::{}", name.replace(' ', "_")), move || {
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

/// The passages at which the job's checkpoints were taken.
fn taken(job: &Job) -> Result<Vec<u64>> {
    let passage = |file: &PathBuf| -> Result<u64> {
        let out = Command::new(arch::dist().join("bin/pc3"))
            .args(["show", "--json", "--limit", "1"])
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
    job.checkpoint_files().iter().map(passage).collect()
}

/// `pc3 show` lists what a pool has handed out, by type, and pointers to it by its place.
fn pieces_shown() -> Result<()> {
    let job = job("tests/programs/pools_of_types.c")?;
    let done = run(&job, &[("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", "2")])?;
    ensure!(done.status == STOPPED, "{done:?}");
    let file = job.checkpoint_files().pop().context("no checkpoint")?;
    let show = |more: &[&str]| -> Result<String> {
        let mut c = Command::new(arch::dist().join("bin/pc3"));
        let out = c.arg("show").args(more).arg(&file).output()?;
        ensure!(out.status.success(), "{out:?}");
        Ok(String::from_utf8_lossy(&out.stdout).into_owned())
    };
    let text = show(&["--limit", "1000"])?;
    for word in [
        "struct point = {",
        "struct word = {",
        "@32: void * = &heap[",
        "from = &heap[",
    ] {
        ensure!(text.contains(word), "no `{word}` in {text}");
    }
    let at = text.lines().find(|l| l.trim().starts_with('@'));
    ensure!(at.is_some_and(|l| l.contains(": ")), "no piece in {text}");
    let json = show(&["--json", "--limit", "1000"])?;
    ensure!(json.contains("\"pieces\": ["), "no pieces in {json}");
    Ok(())
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
    ensure!(
        done.status == 0 && job.checkpoint_files().is_empty(),
        "{done:?}"
    );
    let times = done.stderr.matches("was asked for, but the program ended");
    ensure!(times.count() == 1, "{done:?}");
    Ok(())
}

/// Once, and the checkpoint is taken when there is a location at last.
fn away() -> Result<()> {
    let job = job("tests/control/away.c")?;
    let exe = build::instrumented(&job.program, HOST)?;
    let env = [("PC3_EVERY", "10ms"), ("PC3_PATIENCE", "300ms")];
    let mut child = job.start(HOST, &exe, &env)?;
    let start = Instant::now();
    let told =
        "a checkpoint has been due for 300ms (PC3_PATIENCE), and no rank has come to a location";
    while !job.stderr().contains(told) {
        ensure!(child.try_wait()?.is_none(), "ended: {}", job.stderr());
        ensure!(start.elapsed().as_secs() < 60, "not told: {}", job.stderr());
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(900));
    std::fs::write(job.dir.path().join("go"), "")?;
    let done = job.finish(child)?;
    let times = done.stderr.matches(told).count();
    ensure!(
        done.status == 0 && times == 1 && !job.checkpoint_files().is_empty(),
        "{done:?}"
    );
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

fn stop_asked() -> Result<()> {
    let job = job("tests/control/rounds.c")?;
    let exe = build::instrumented(&job.program, HOST)?;
    let mut child = job.start(HOST, &exe, &[("WAIT", "1"), ("PC3_EVERY", "1x")])?;
    let pause = || std::thread::sleep(Duration::from_millis(1));
    while !job.stdout().ends_with(b"round 5\n") {
        ensure!(child.try_wait()?.is_none(), "it ended");
        pause();
    }
    let asking = Command::new(arch::dist().join("bin/pc3"))
        .args(["checkpoint", "--stop"])
        .arg(child.id().to_string())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()?;
    let status = child.wait()?;
    let asked = asking.wait_with_output()?;
    ensure!(status.code() == Some(STOPPED), "{status}; {asked:?}");
    let said = String::from_utf8_lossy(&asked.stdout);
    ensure!(
        asked.status.success() && said.contains("the job ended") && said.contains(", stood still"),
        "{asked:?}"
    );
    let note = job.checkpoints().join("stop");
    ensure!(
        !note.exists() && job.stdout().ends_with(b"round 5\n"),
        "{said}"
    );
    finished(&job, "")?;
    Ok(())
}

/// Who names no directory and no time has one made with the first checkpoint.
fn by_directory() -> Result<()> {
    let job = job("tests/control/loops.c")?;
    let exe = build::instrumented(&job.program, HOST)?;
    let mut name = exe.file_name().context("a name")?.to_owned();
    name.push(".pc3");
    let dir = job.dir.path().join(name);
    let env = [("PC3_DIR", "")];
    let ask = || {
        Command::new(arch::dist().join("bin/pc3"))
            .args(["checkpoint", "--stop"])
            .arg(&dir)
            .output()
    };
    let nobody = ask()?;
    let said = String::from_utf8_lossy(&nobody.stderr);
    ensure!(
        said.contains("nor a directory that a job has or would make"),
        "{said}"
    );
    let mut child = job.start(HOST, &exe, &env)?;
    while job.stdout() != b"begun\n" {
        ensure!(child.try_wait()?.is_none(), "it ended");
        std::thread::sleep(Duration::from_millis(1));
    }
    ensure!(!dir.exists(), "it is there already");
    let asked = ask();
    child.kill()?;
    let (status, asked) = (child.wait()?, asked?);
    ensure!(
        status.code() == Some(STOPPED) && asked.status.success(),
        "{status}; {asked:?}"
    );
    fs::write(job.dir.path().join("go"), "")?;
    let done = run(&job, &[env[0], ("PC3_RESTART", "latest")])?;
    ensure!(
        done.status == 0 && job.stdout() == b"begun\nend\n",
        "{done:?}"
    );
    Ok(())
}

/// This process: above these two, and perhaps others.
fn above_several() -> Result<()> {
    let jobs = [job("tests/control/loops.c")?, job("tests/control/loops.c")?];
    let exe = build::instrumented(&jobs[0].program, HOST)?;
    let start = |job: &Job| {
        let mut child = job.start(HOST, &exe, &[])?;
        while job.stdout() != b"begun\n" {
            ensure!(child.try_wait()?.is_none(), "it ended");
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(child)
    };
    let mut children = [start(&jobs[0])?, start(&jobs[1])?];
    let asked = Command::new(arch::dist().join("bin/pc3"))
        .arg("checkpoint")
        .arg(std::process::id().to_string())
        .output();
    for child in &mut children {
        child.kill()?;
        child.wait()?;
    }
    let said = String::from_utf8_lossy(&asked?.stderr).into_owned();
    ensure!(said.contains("has started several jobs"), "{said}");
    for (child, job) in children.iter().zip(&jobs) {
        ensure!(said.contains(&format!("{} (", child.id())), "{said}");
        ensure!(job.checkpoint_files().is_empty(), "one has taken it");
    }
    Ok(())
}

/// Told once, tried again by itself.
fn stop_later() -> Result<()> {
    let job = job("tests/control/blocked.c")?;
    let done = run(&job, &[])?;
    ensure!(
        done.status == STOPPED && job.checkpoint_files().len() == 1,
        "{done:?}"
    );
    let words = "a pipe (made by pipe at blocked.c:12); the program goes on, and stops as soon";
    ensure!(done.stderr.matches(words).count() == 1, "{done:?}");
    let done = run(&job, &[("PC3_RESTART", "latest"), ("AGAIN", "1")])?;
    ensure!(done.status == 0, "{done:?}");
    ensure!(job.stdout() == b"closed\nend\n", "{done:?}");
    Ok(())
}

fn early() -> Result<()> {
    let job = job("tests/control/rounds.c")?;
    let done = run(&job, &[("EARLY", "1")])?;
    ensure!(
        done.status == 0 && job.checkpoint_files().len() == 1,
        "{done:?}"
    );
    // Who wants the signal for something else gets it.
    let done = run(&job, &[("EARLY", "1"), ("PC3_ON_SIGNAL", "USR1=none")])?;
    ensure!(done.status == 128 + libc::SIGUSR1, "{done:?}");
    Ok(())
}

fn early_through_pc3run() -> Result<()> {
    let job = job("tests/control/rounds.c")?;
    let exe = build::instrumented(&job.program, HOST)?;
    for _ in 0..20 {
        let mut child = Command::new(arch::dist().join("bin/pc3run"))
            .arg(&exe)
            .current_dir(job.dir.path())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()?;
        let status = format!("/proc/{}/status", child.id());
        let caught = || -> Option<u64> {
            let text = fs::read_to_string(&status).ok()?;
            let line = text.lines().find_map(|l| l.strip_prefix("SigCgt:"))?;
            u64::from_str_radix(line.trim(), 16).ok()
        };
        while child.try_wait()?.is_none()
            && caught().is_some_and(|c| c >> (libc::SIGUSR1 - 1) & 1 == 0)
        {
            std::hint::spin_loop();
        }
        // SAFETY: a signal to our own child.
        unsafe { libc::kill(child.id() as i32, libc::SIGUSR1) };
        let status = child.wait()?;
        ensure!(status.code() == Some(0), "{status}");
    }
    Ok(())
}

fn finished(job: &Job, log: &str) -> Result<Outcome> {
    let done = run(job, &[("PC3_RESTART", "auto")])?;
    ensure!(done.status == 0, "{done:?}");
    let lines = |word: &str| -> String { (1..=10).map(|i| format!("{word} {i}\n")).collect() };
    if let Some(d) = difference(lines("round").as_bytes(), &job.stdout()) {
        bail!("{d}; stderr: {}", done.stderr);
    }
    let log = format!("{log}{}", lines("entry"));
    if let Some(d) = difference(log.as_bytes(), &fs::read(job.dir.path().join("log"))?) {
        bail!("log: {d}; stderr: {}", done.stderr);
    }
    Ok(done)
}

/// Killed before the new course has a checkpoint of its own: what was cut back must not be missed.
fn other_course() -> Result<()> {
    let job = job("tests/control/rounds.c")?;
    let env = [
        ("PC3_EVERY", "1x"),
        ("PC3_KEEP", "9"),
        ("PC3_STOP_AFTER", "4"),
    ];
    ensure!(run(&job, &env)?.status == STOPPED);
    for restart in ["2", "auto", "latest"] {
        let killed = run(&job, &[("PC3_RESTART", restart), ("DIE", "2")])?;
        ensure!(killed.status == 128 + libc::SIGKILL, "{killed:?}");
        ensure!(
            job.stdout() == b"round 1\nround 2\n",
            "{restart}: {killed:?}"
        );
    }
    ensure!(job.checkpoint_files().len() == 4, "a checkpoint is gone");
    let done = finished(&job, "")?;
    ensure!(done.stderr.contains("given up"), "{done:?}");
    Ok(())
}

fn appended_anew() -> Result<()> {
    let job = job("tests/control/rounds.c")?;
    fs::write(job.dir.path().join("log"), "of yesterday\n")?;
    for restart in ["", "auto"] {
        let env = [
            ("PC3_EVERY", "100x"),
            ("PC3_RESTART", restart),
            ("DIE", "3"),
        ];
        let killed = run(&job, &env)?;
        ensure!(killed.status == 128 + libc::SIGKILL, "{killed:?}");
    }
    finished(&job, "of yesterday\n").map(drop)
}

fn put_back() -> Result<()> {
    let whole = job("tests/control/update.c")?;
    ensure!(run(&whole, &[])?.status == 0);
    let job = job("tests/control/update.c")?;
    for die in ["3", "4", "8"] {
        let env = [("PC3_EVERY", "1x"), ("PC3_RESTART", "auto"), ("DIE", die)];
        let killed = run(&job, &env)?;
        ensure!(killed.status == 128 + libc::SIGKILL, "{killed:?}");
    }
    let done = run(&job, &[("PC3_RESTART", "latest")])?;
    ensure!(done.status == 0, "{done:?}");
    match difference(&whole.stdout(), &job.stdout()) {
        Some(d) => bail!("{d}; stderr: {}", done.stderr),
        None => Ok(()),
    }
}

fn arguments() -> Result<()> {
    let mut job = job("tests/control/rounds.c")?;
    job.program.args = vec!["of".into(), "old".into()];
    let env = [("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", "1")];
    ensure!(run(&job, &env)?.status == STOPPED);
    let env = [env[0], env[1], ("PC3_RESTART", "latest")];
    for (arguments, told) in [("of old", 0), ("", 0), ("of new", 1), ("of old", 1)] {
        job.program.args = arguments.split_whitespace().map(Into::into).collect();
        let done = run(&job, &env)?;
        let words = "goes on with those of its start ('of old' instead of 'of new')";
        let found = done.stderr.matches(words).count();
        ensure!(found == told, "'{arguments}': {done:?}");
        ensure!(
            done.stderr.matches("are ignored").count() == told,
            "{done:?}"
        );
    }
    finished(&job, "").map(drop)
}
