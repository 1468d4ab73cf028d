//! Standard streams across stops, kills and moves: nothing lost, nothing twice, what cannot be put back told.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{bail, ensure, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::{difference, Job, Outcome, STOPPED};

type Case = fn() -> Result<()>;

pub fn trials() -> Vec<Trial> {
    let cases: &[(&str, Case)] = &[
        ("appending keeps what was there", appending),
        ("output of a killed fresh start is taken back", fresh_again),
        ("an output that moved is continued", moved_output),
        (
            "an output that moved, and was empty at the checkpoint, is continued",
            moved_empty,
        ),
        ("another output is left as it is", other_output),
        ("an emptied output is told", emptied),
        ("standard error is taken back but for messages", log),
        ("what others write behind a stop stays", behind_a_stop),
        ("a log that has only our messages is left", messages_alone),
        ("an input that moved is continued", moved_input),
        ("another input is told", other_input),
        ("pointers to closed streams are no news", closed),
        ("a course given up leaves no checkpoints", given_up),
        ("wide characters keep their encoding", wide),
        ("what cannot be saved is named by its call", obstacles),
    ];
    cases
        .iter()
        .map(|(name, case)| {
            let case = *case;
            clock::test(format!("streams::{}", name.replace(' ', "_")), move || {
                case().map_err(|e| format!("{e:#}").into())
            })
        })
        .collect()
}

/// The job of `echo.c` with five lines as its input.
fn job() -> Result<Job> {
    let program = Program::load(&arch::root().join("tests/faults/echo.c"))?;
    let mut job = Job::new(&program)?;
    job.program.stdin = Some(job.dir.path().join("input"));
    fs::write(
        job.dir.path().join("input"),
        "one\ntwo\nthree\nfour\nfive\n",
    )?;
    Ok(job)
}

const OUTPUT: &str = "1 one\n2 two\n3 three\n4 four\n5 five\nend\n";

fn run(job: &Job, env: &[(&str, &str)]) -> Result<Outcome> {
    job.run(HOST, &build::instrumented(&job.program, HOST)?, env)
}

fn stop(job: &Job, restart: &str) -> Result<()> {
    let env = [
        ("PC3_EVERY", "1x"),
        ("PC3_STOP_AFTER", "1"),
        ("PC3_RESTART", restart),
    ];
    let done = run(job, &env)?;
    ensure!(done.status == STOPPED, "{done:?}");
    Ok(())
}

/// As if it had gone on from its checkpoint and been killed, instead of stopping there.
fn went_on(job: &Job) -> Result<()> {
    Ok(fs::remove_file(job.checkpoints().join("left"))?)
}

fn finish(job: &Job, expected: &str) -> Result<Outcome> {
    let done = run(job, &[("PC3_RESTART", "auto")])?;
    ensure!(done.status == 0, "{done:?}");
    match difference(expected.as_bytes(), &job.stdout()) {
        Some(d) => bail!("{d}; stderr: {}", done.stderr),
        None => Ok(done),
    }
}

/// Has standard output lead to `to` in the job's folder, with this in it.
fn lead(job: &Job, to: &str, holds: &[u8]) -> Result<()> {
    let (link, to) = (job.stdout_path(), job.dir.path().join(to));
    fs::write(&to, holds)?;
    let _ = fs::remove_file(&link);
    Ok(std::os::unix::fs::symlink(to, link)?)
}

/// What was printed after the checkpoint is taken back from a copy under another name.
fn moved_output() -> Result<()> {
    let job = job()?;
    lead(&job, "spool.1", b"of yesterday\n")?;
    stop(&job, "")?;
    stop(&job, "latest")?;
    let held = job.stdout();
    ensure!(
        held.ends_with(b"1 one\n"),
        "{}",
        String::from_utf8_lossy(&held)
    );
    went_on(&job)?;
    lead(&job, "spool.2", &[&held[..], b"2 two\n3 th"].concat())?;
    let done = finish(&job, &format!("of yesterday\n{OUTPUT}"))?;
    ensure!(done.stderr.is_empty(), "{}", done.stderr);
    Ok(())
}

/// What waited in the stream at the checkpoint was written as the job stopped: it is not written twice, nor is it missing where it
/// is cut back because it is in the file that this one is a copy of.
fn moved_empty() -> Result<()> {
    for (killed, stays) in [(false, false), (false, true), (true, false), (true, true)] {
        let job = Job::new(&Program::load(
            &arch::root().join("tests/faults/hold_back.c"),
        )?)?;
        lead(&job, "spool.1", b"")?;
        stop(&job, "")?;
        stop(&job, "latest")?;
        let held = job.stdout();
        ensure!(held == b"1\n", "{}", String::from_utf8_lossy(&held));
        if !stays {
            fs::remove_file(job.dir.path().join("spool.1"))?;
        }
        if killed {
            went_on(&job)?;
        }
        let more: &[u8] = if killed { b"2\n3" } else { b"" };
        lead(&job, "spool.2", &[&held[..], more].concat())?;
        let done = finish(&job, "1\n2\n3\n4\n5\nend\n")?;
        ensure!(done.stderr.is_empty(), "{}", done.stderr);
    }
    Ok(())
}

fn other_output() -> Result<()> {
    let job = job()?;
    stop(&job, "")?;
    stop(&job, "latest")?;
    let other = "something else, and more of it than there was\n";
    lead(&job, "other", other.as_bytes())?;
    let rest = OUTPUT.strip_prefix("1 one\n").unwrap_or_default();
    let done = finish(&job, &format!("{other}{rest}"))?;
    ensure!(
        done.stderr
            .contains("which it is no copy of: nothing of it is taken back"),
        "{}",
        done.stderr
    );
    Ok(())
}

/// `> out` instead of `>> out`, and a file of its own for what is printed behind a restart.
fn emptied() -> Result<()> {
    for to in ["stdout", "rest"] {
        let job = job()?;
        stop(&job, "")?;
        stop(&job, "latest")?;
        match to {
            "stdout" => fs::write(job.stdout_path(), "")?,
            to => lead(&job, to, b"")?,
        }
        let rest = OUTPUT.strip_prefix("1 one\n").unwrap_or_default();
        let done = finish(&job, rest)?;
        let told = "what was printed before is not in it; at a restart append (>>)";
        ensure!(
            done.stderr.matches(told).count() == 1,
            "{to}: {}",
            done.stderr
        );
    }
    Ok(())
}

fn log() -> Result<()> {
    let job = Job::new(&Program::load(&arch::root().join("tests/faults/log.c"))?)?;
    let path = job.dir.path().join("stderr");
    fs::write(&path, "of yesterday\n")?;
    stop(&job, "")?;
    let behind = "step 1\npc3: error: it is lost\n  log.c:8\nstep 2\n  and so on";
    fs::write(&path, job.stderr() + behind)?;
    went_on(&job)?;
    stop(&job, "latest")?;
    let done = finish(&job, "")?;
    let log = "of yesterday\nstep 0\npc3: error: it is lost\n  log.c:8\nstep 1\nstep 2\nstep 3\n";
    ensure!(done.stderr == log, "{}", done.stderr);
    Ok(())
}

/// A script writes to the same files between the starts of its program.  Only what the program has printed since it went
/// on, behind that, is taken back.
fn behind_a_stop() -> Result<()> {
    let job = Job::new(&Program::load(&arch::root().join("tests/faults/log.c"))?)?;
    let (out, log) = (job.stdout_path(), job.dir.path().join("stderr"));
    let append = |path: &Path, text: &str| -> Result<()> {
        let file = fs::OpenOptions::new().append(true).create(true).open(path);
        Ok(file?.write_all(text.as_bytes())?)
    };
    let mut expected = String::new();
    for (restart, step) in [("", "step 0\n"), ("latest", "step 1\n")] {
        stop(&job, restart)?;
        for path in [&out, &log] {
            append(path, "status 85\n")?;
        }
        expected += &format!("{step}status 85\n");
    }
    // Goes on, prints, and is killed before its next checkpoint.
    let none = [("PC3_RESTART", "latest"), ("PC3_EVERY", "1000x")];
    let done = run(&job, &none)?;
    ensure!(done.status == 0, "{done:?}");
    let done = finish(&job, "status 85\nstatus 85\n")?;
    ensure!(
        done.stderr == format!("{expected}step 2\nstep 3\n"),
        "{}",
        done.stderr
    );
    Ok(())
}

/// What we have said there does not make it the program's: a script's lines behind it stay.
fn messages_alone() -> Result<()> {
    let job = job()?;
    let path = job.dir.path().join("stderr");
    for _ in 0..2 {
        let done = run(&job, &[("PC3_EVERY", "1x")])?;
        ensure!(done.status == 0, "{done:?}");
    }
    let said = job.stderr();
    ensure!(
        said.contains("holds checkpoints of an earlier run"),
        "{said}"
    );
    fs::write(&path, format!("{said}status 0\n"))?;
    let done = run(&job, &[("PC3_RESTART", "latest")])?;
    ensure!(
        (done.status, &*done.stderr) == (0, &*format!("{said}status 0\n")),
        "{done:?}"
    );
    Ok(())
}

/// The first checkpoint is taken before the program has printed anything.
fn appending() -> Result<()> {
    let job = job()?;
    fs::write(job.stdout_path(), "of yesterday\n")?;
    for restart in ["", "latest", "latest"] {
        stop(&job, restart)?;
    }
    finish(&job, &format!("of yesterday\n{OUTPUT}")).map(drop)
}

fn fresh_again() -> Result<()> {
    let job = job()?;
    fs::write(job.stdout_path(), "of yesterday\n")?;
    // The program prints two lines and waits for more; then it is killed.
    let exe = build::instrumented(&job.program, HOST)?;
    let fifo = job.dir.path().join("fifo");
    ensure!(std::process::Command::new("mkfifo")
        .arg(&fifo)
        .status()?
        .success());
    let mut command = std::process::Command::new(&exe);
    let input = fs::OpenOptions::new().read(true).write(true).open(&fifo)?;
    let output = fs::OpenOptions::new()
        .append(true)
        .open(job.stdout_path())?;
    command.stdin(input.try_clone()?).stdout(output);
    command
        .env("PC3_DIR", job.checkpoints())
        .env("PC3_EVERY", "100x");
    let mut child = command.spawn()?;
    std::io::Write::write_all(&mut &input, b"a\nb\n")?;
    while !job.stdout().ends_with(b"2 b\n") {
        ensure!(child.try_wait()?.is_none(), "it ended");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill()?;
    child.wait()?;
    finish(&job, &format!("of yesterday\n{OUTPUT}"))?;
    // A job that came to its end is not taken back.
    fs::remove_dir_all(job.checkpoints())?;
    finish(&job, &format!("of yesterday\n{OUTPUT}{OUTPUT}")).map(drop)
}

fn moved_input() -> Result<()> {
    let mut job = job()?;
    stop(&job, "")?;
    stop(&job, "latest")?;
    let elsewhere = job.dir.path().join("elsewhere");
    fs::rename(job.dir.path().join("input"), &elsewhere)?;
    job.program.stdin = Some(elsewhere);
    finish(&job, OUTPUT).map(drop)
}

fn other_input() -> Result<()> {
    let mut job = job()?;
    stop(&job, "")?;
    stop(&job, "latest")?;
    job.program.stdin = None;
    let done = finish(&job, "1 one\nend\n")?;
    ensure!(
        done.stderr.contains("standard input was"),
        "nothing is said: {}",
        done.stderr
    );
    Ok(())
}

fn closed() -> Result<()> {
    let job = Job::new(&Program::load(
        &arch::root().join("tests/control/closed.c"),
    )?)?;
    stop(&job, "")?;
    stop(&job, "latest")?;
    let done = finish(&job, "end\n")?;
    ensure!(!done.stderr.contains("nothing alive"), "{}", done.stderr);
    ensure!(fs::read(job.dir.path().join("open"))? == b"round 0\nround 1\nround 2\n");
    Ok(())
}

fn given_up() -> Result<()> {
    let job = job()?;
    let run = |restart: &str, stop: &str| {
        let env = [
            ("PC3_EVERY", "1x"),
            ("PC3_KEEP", "9"),
            ("PC3_STOP_AFTER", stop),
            ("PC3_RESTART", restart),
        ];
        run(&job, &env)
    };
    ensure!(run("", "4")?.status == STOPPED);
    ensure!(run("2", "1")?.status == STOPPED);
    let mut names: Vec<String> = fs::read_dir(job.checkpoints())?
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .filter(|n| n.ends_with(".pc3c"))
        .collect();
    names.sort();
    ensure!(
        names == ["ckpt-000001.pc3c", "ckpt-000002.pc3c", "ckpt-000005.pc3c"],
        "{names:?}"
    );
    finish(&job, OUTPUT).map(drop)
}

/// The program goes on, each reason is told once, and where nothing is in the way a checkpoint is taken.
fn obstacles() -> Result<()> {
    let program = Program::load(&arch::root().join("tests/faults/obstacles.c"))?;
    let job = Job::new(&program)?;
    let done = run(&job, &[("PC3_EVERY", "1x")])?;
    ensure!(done.status == 0 && job.stdout() == b"end\n", "{done:?}");
    let told: Vec<&str> = done.stderr.lines().collect();
    for what in [
        "warning[pc3::W0601]: no checkpoint was taken: descriptor 3 is a socket (made by socket at obstacles.c:28)",
        "a socket (made by socket at obstacles.c:28)",
        "a pipe (made by popen at obstacles.c:31)",
        "memory is mapped (made by mmap at obstacles.c:34)",
        "a stream of no file is open (made by open_wmemstream at obstacles.c:39)",
        "the C library holds an object (made by newlocale at obstacles.c:43)",
        "a file of /proc (made by fopen at obstacles.c:46)",
        "a part of it is locked (made by fopen at obstacles.c:49)",
        "has been read or moved under a stream that has read ahead",
        "memory is mapped (made by shmat at obstacles.c:59)",
        "a thread runs (made by pthread_create at obstacles.c:64)",
        "a pipe (made by pipe at obstacles.c:64)",
        "a timer exists (made by timer_create at obstacles.c:77)",
        "the C library reads a list for the program (by getpwent at obstacles.c:81)",
        "first (deleted), a file that is written and has another name (made by fopen at obstacles.c:86)",
        "the process is no longer as a restart could make it (by pthread_mutexattr_setrobust at obstacles.c:93)",
    ] {
        let lines = told.iter().filter(|l| l.contains(what)).count();
        ensure!(lines == 1, "{lines} lines say '{what}': {}", done.stderr);
    }
    finish(&job, "end\n").map(drop)
}

/// Under a locale of its own, which the C libraries of other architectures need not have.
fn wide() -> Result<()> {
    let program = Program::load(&arch::root().join("tests/control/wide_streams.c"))?;
    let whole = Job::new(&program)?;
    ensure!(run(&whole, &[])?.status == 0);
    if whole.stdout().starts_with(b"locale 0") {
        println!("skipped: no locale C.UTF-8 here");
        return Ok(());
    }
    let plain = Job::new(&program)?;
    plain.run(HOST, &build::plain(&program, HOST)?, &[])?;
    ensure!(plain.stdout() == whole.stdout(), "differs from plain");
    for k in [
        "1", "2", "4", "5", "7", "9", "13", "19", "20", "24", "31", "33",
    ] {
        let job = Job::new(&program)?;
        for restart in ["", "latest"] {
            let env = [
                ("PC3_EVERY", "1x"),
                ("PC3_STOP_AFTER", k),
                ("PC3_RESTART", restart),
            ];
            let done = run(&job, &env)?;
            ensure!(done.status == STOPPED || done.status == 0, "{k}: {done:?}");
        }
        let expected = String::from_utf8_lossy(&whole.stdout()).into_owned();
        finish(&job, &expected)?;
    }
    Ok(())
}
