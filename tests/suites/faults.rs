//! Bad input and bad circumstances: a clear error, a non-zero status, nothing lost, nothing hung.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch, HOST, I686};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::{difference, Job, Outcome, STOPPED};

type Case = fn() -> Result<()>;

pub fn trials() -> Vec<Trial> {
    let cases: &[(&str, Case)] = &[
        ("corrupt byte", corrupt_byte),
        ("corrupt byte with an older good one", corrupt_newest),
        ("truncated", truncated),
        ("another program", another_program),
        ("value does not fit", does_not_fit),
        ("number among characters", punned),
        ("a pointer that may be another object's", strays),
        ("addresses in integers", addresses_in_integers),
        ("what byte order gave", byte_order),
        ("constants of another width", constants),
        ("wrong number of ranks", wrong_ranks),
        ("no checkpoint", no_checkpoint),
        ("unwritable directory", unwritable),
        ("full directory", full),
        ("file size limit", limited),
        ("live lock", live_lock),
        ("stale lock", stale_lock),
        ("bad settings", bad_settings),
        ("stack overflow", stack_overflow),
        ("nearly full stack", nearly_full_stack),
        ("directory removed meanwhile", || directory_removed(&[])),
        ("directory with packs removed meanwhile", || {
            directory_removed(&[("PC3_INCREMENTS", "on")])
        }),
    ];
    cases
        .iter()
        .map(|(name, case)| {
            let case = *case;
            clock::test(format!("fault::{}", name.replace(' ', "_")), move || {
                case().map_err(|e| format!("{e:#}").into())
            })
        })
        .collect()
}

fn program(name: &str) -> Result<Program> {
    Program::load(&arch::root().join("tests/faults").join(name))
}

/// The job of `p`, stopped after its k-th checkpoint.
fn stopped(p: &Program, k: u32) -> Result<Job> {
    let mut job = Job::new(p)?;
    job.limit = Duration::from_secs(60);
    let k = k.to_string();
    let done = job.run(
        HOST,
        &build::instrumented(p, HOST)?,
        &[("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", &k)],
    )?;
    ensure!(
        done.status == STOPPED,
        "not stopped: {} {}",
        done.status,
        done.stderr
    );
    Ok(job)
}

/// Checkpoint files, oldest first.
fn files(job: &Job) -> Result<Vec<PathBuf>> {
    let v = job.checkpoint_files();
    ensure!(
        !v.is_empty(),
        "no checkpoint files in {}",
        job.checkpoints().display()
    );
    Ok(v)
}

fn restart(job: &Job, arch: Arch) -> Result<Outcome> {
    let _ = fs::remove_file(job.dir.path().join("stderr"));
    job.run(
        arch,
        &build::instrumented(&job.program, arch)?,
        &[("PC3_RESTART", "latest")],
    )
}

/// A refusal: its own status (not a signal, not success, not "stopped") and a message with each of `words`.
fn refused(o: &Outcome, words: &[&str]) -> Result<()> {
    ensure!(
        o.status != 0 && o.status != STOPPED && o.status < 128,
        "status {}: {}",
        o.status,
        o.stderr
    );
    for w in words {
        ensure!(
            o.stderr.to_lowercase().contains(&w.to_lowercase()),
            "message lacks '{w}': {}",
            o.stderr
        );
    }
    Ok(())
}

fn reference(p: &Program) -> Result<Vec<u8>> {
    let job = Job::new(p)?;
    job.run(HOST, &build::instrumented(p, HOST)?, &[])?;
    Ok(job.stdout())
}

/// Positions that meet every part of the file: the first and last 64 bytes and 150 between.
fn positions(len: usize) -> Vec<usize> {
    let mut v: Vec<usize> = (0..len.min(64))
        .chain(len.saturating_sub(64)..len)
        .collect();
    v.extend((0..150).map(|i| i * len / 150));
    v.sort_unstable();
    v.dedup();
    v
}

fn only(job: &Job, keep: &Path) -> Result<()> {
    for f in files(job)? {
        if f != keep {
            fs::remove_file(f)?;
        }
    }
    Ok(())
}

fn corrupt_byte() -> Result<()> {
    let job = stopped(&program("steps.c")?, 5)?;
    let file = files(&job)?.pop().context("no file")?;
    only(&job, &file)?;
    let good = fs::read(&file)?;
    for at in positions(good.len()) {
        let mut bad = good.clone();
        bad[at] ^= 0x40;
        fs::write(&file, &bad)?;
        let done = restart(&job, HOST)?;
        refused(
            &done,
            &[
                "ckpt-000005.pc3c is skipped",
                "error[pc3::E0503]: no usable checkpoint",
            ],
        )
        .with_context(|| format!("byte {at} of {}", good.len()))?;
    }
    fs::write(&file, &good)?;
    ensure!(
        restart(&job, HOST)?.status == 0,
        "the good file no longer works"
    );
    Ok(())
}

fn corrupt_newest() -> Result<()> {
    let p = program("steps.c")?;
    let expected = reference(&p)?;
    for at in [0, 100, usize::MAX] {
        let job = stopped(&p, 5)?;
        let newest = files(&job)?.pop().context("no file")?;
        let mut bytes = fs::read(&newest)?;
        let at = at.min(bytes.len() - 1);
        bytes[at] ^= 1;
        fs::write(&newest, bytes)?;
        let done = restart(&job, HOST)?;
        ensure!(done.status == 0, "{}", done.stderr);
        ensure!(
            done.stderr.contains("is skipped"),
            "the damaged checkpoint is not named: {}",
            done.stderr
        );
        if let Some(d) = difference(&expected, &job.stdout()) {
            bail!("{d}");
        }
    }
    Ok(())
}

fn truncated() -> Result<()> {
    let job = stopped(&program("ring.c")?, 3)?;
    let file = files(&job)?.pop().context("no file")?;
    only(&job, &file)?;
    let good = fs::read(&file)?;
    for i in 0..60 {
        fs::write(&file, &good[..i * good.len() / 60])?;
        refused(&restart(&job, HOST)?, &[]).with_context(|| format!("cut to {i}/60"))?;
    }
    Ok(())
}

fn another_program() -> Result<()> {
    let job = stopped(&program("steps.c")?, 2)?;
    let other = build::instrumented(&program("wide.c")?, HOST)?;
    let done = job.run(HOST, &other, &[("PC3_RESTART", "latest")])?;
    let words = [
        "error[pc3::E0501]: checkpoint 2 cannot be continued here",
        "function steps.c:step exists only in the checkpoint",
    ];
    refused(&done, &words)
}

fn does_not_fit() -> Result<()> {
    if let Some(why) = I686.missing() {
        println!("skipped: {why}");
        return Ok(());
    }
    let job = stopped(&program("wide.c")?, 3)?;
    refused(
        &restart(&job, I686)?,
        &["[pc3::E0505]", "tallies[1].total", "5000000000"],
    )?;
    let done = restart(&job, HOST)?;
    ensure!(
        done.status == 0 && job.stdout() == b"6 5000000000\n",
        "it must still go on where it fits: {}",
        done.stderr
    );
    Ok(())
}

fn punned() -> Result<()> {
    if let Some(why) = arch::S390X.missing() {
        println!("skipped: {why}");
        return Ok(());
    }
    let job = stopped(&program("punned.c")?, 3)?;
    refused(
        &restart(&job, arch::S390X)?,
        &["[pc3::E0510]", "order of bytes", "punned.c:9"],
    )?;
    let _ = fs::remove_file(job.dir.path().join("stderr"));
    let there = build::instrumented(&job.program, arch::S390X)?;
    let told = [("PC3_RESTART", "latest"), ("PC3_BYTE_ORDER", "ignore")];
    refused(
        &job.run(arch::S390X, &there, &told)?,
        &[
            "[pc3::E0505]",
            "main.number",
            "double",
            "characters",
            "(at punned.c:",
        ],
    )?;
    let done = restart(&job, HOST)?;
    ensure!(
        done.status == 0 && job.stdout() == b"6.5\n",
        "it must still go on where it came from: {}",
        done.stderr
    );
    Ok(())
}

/// Where the number may mean two things it is refused, before anything runs.
fn strays() -> Result<()> {
    if let Some(why) = I686.missing() {
        println!("skipped: {why}");
        return Ok(());
    }
    let job = stopped(&program("strays.c")?, 2)?;
    refused(
        &restart(&job, I686)?,
        &[
            "[pc3::E0505]",
            "global strays.c:moved",
            "was moved out of its object at strays.c:16",
        ],
    )?;
    let done = restart(&job, HOST)?;
    ensure!(
        done.status == 0 && job.stdout() == b"4 10\n",
        "it must still go on where it came from: {}",
        done.stderr
    );
    Ok(())
}

/// Right where everything is where it was; where something has moved, the line is named.
fn addresses_in_integers() -> Result<()> {
    let job = stopped(&program("numbers.c")?, 1)?;
    let exe = build::instrumented(&job.program, HOST)?;
    let moved = [("PC3_RESTART", "latest"), ("PC3_ADDRESSES", "elsewhere")];
    refused(
        &job.run(HOST, &exe, &moved)?,
        &["[pc3::E0507]", "numbers.c:11", "heap"],
    )?;
    if arch::S390X.missing().is_none() {
        refused(&restart(&job, arch::S390X)?, &["numbers.c:11", "s390x"])?;
    }
    let done = restart(&job, HOST)?;
    ensure!(
        done.status == 0 && job.stdout() == b"42\n",
        "where it came from: {}",
        done.stderr
    );
    Ok(())
}

fn byte_order() -> Result<()> {
    if let Some(why) = arch::S390X.missing() {
        println!("skipped: {why}");
        return Ok(());
    }
    let job = stopped(&program("bytes.c")?, 1)?;
    refused(
        &restart(&job, arch::S390X)?,
        &["bytes.c:9", "order of bytes"],
    )?;
    let done = restart(&job, HOST)?;
    ensure!(
        done.status == 0 && job.stdout() == b"1\n",
        "where it came from: {}",
        done.stderr
    );
    Ok(())
}

/// From 32 bits to 64.
fn constants() -> Result<()> {
    if let Some(why) = I686.missing() {
        println!("skipped: {why}");
        return Ok(());
    }
    let job = Job::new(&program("constants.c")?)?;
    let stop = [("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", "1")];
    let narrow = build::instrumented(&job.program, I686)?;
    let done = job.run(I686, &narrow, &stop)?;
    ensure!(done.status == STOPPED, "not stopped: {}", done.stderr);
    refused(&restart(&job, HOST)?, &["mask", "`-16`", "constants.c:9"])?;
    let done = restart(&job, I686)?;
    ensure!(
        done.status == 0 && job.stdout() == b"1 1\n",
        "where it came from: {}",
        done.stderr
    );
    Ok(())
}

fn wrong_ranks() -> Result<()> {
    let job = stopped(&program("ring.c")?, 3)?;
    let exe = build::instrumented(&job.program, HOST)?;
    let done = job.run(HOST, &exe, &[("PC3_RESTART", "latest"), ("PC3_RANKS", "5")])?;
    refused(&done, &["[pc3::E0502]", "ranks", "4", "5"])
}

fn no_checkpoint() -> Result<()> {
    let job = Job::new(&program("steps.c")?)?;
    refused(&restart(&job, HOST)?, &["no usable checkpoint"])?;
    let done = job.run(
        HOST,
        &build::instrumented(&job.program, HOST)?,
        &[("PC3_RESTART", "auto")],
    )?;
    ensure!(done.status == 0, "auto starts afresh: {}", done.stderr);
    Ok(())
}

fn unwritable() -> Result<()> {
    let p = program("steps.c")?;
    let job = Job::new(&p)?;
    fs::write(job.checkpoints(), "a file where the directory should be")?;
    let done = job.run(
        HOST,
        &build::instrumented(&p, HOST)?,
        &[("PC3_EVERY", "1x")],
    )?;
    refused(&done, &["[pc3::E0602]", "ckpt"])
}

/// A file system with no room: the program goes on, says so, and the last good checkpoint stays.
fn full() -> Result<()> {
    let p = program("steps.c")?;
    let job = Job::new(&p)?;
    fs::create_dir(job.checkpoints())?;
    let mount = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(job.checkpoints())
        .output();
    if !mount.is_ok_and(|o| o.status.success()) {
        println!("skipped: cannot mount a small file system here");
        return Ok(());
    }
    let result = (|| {
        fs::write(job.checkpoints().join("filler"), vec![1u8; 56 << 10])?;
        let done = job.run(
            HOST,
            &build::instrumented(&p, HOST)?,
            &[("PC3_EVERY", "1x")],
        )?;
        ensure!(
            done.status == 0,
            "the program must go on: {} {}",
            done.status,
            done.stderr
        );
        let told = done.stderr.matches("No space").count();
        ensure!(
            done.stderr
                .contains("warning[pc3::W0602]: no checkpoint was taken"),
            "{}",
            done.stderr
        );
        ensure!(told == 1, "reported {told} times: {}", done.stderr);
        let words = "checkpoints could not be written in all";
        ensure!(done.stderr.contains(words), "{}", done.stderr);
        ensure!(job.stdout() == reference(&p)?, "output changed");
        Ok(())
    })();
    let _ = std::process::Command::new("umount")
        .arg(job.checkpoints())
        .status();
    result
}

/// The program never writes so large a file, and must not hear of the signal.
fn limited() -> Result<()> {
    let p = program("limited.c")?;
    let job = Job::new(&p)?;
    let exe = build::instrumented(&p, HOST)?;
    let done = job.run(HOST, &exe, &[("PC3_EVERY", "1x")])?;
    ensure!(
        done.status == 0 && job.stdout() == reference(&p)?,
        "the program must go on: {} {}",
        done.status,
        done.stderr
    );
    ensure!(
        done.stderr.contains("W0602") && done.stderr.contains("File too large"),
        "{}",
        done.stderr
    );
    Ok(())
}

fn live_lock() -> Result<()> {
    let mut p = program("ring.c")?;
    p.ranks = 2;
    // More rounds than it will come to.
    p.args = vec!["1000000000".into()];
    let job = Job::new(&p)?;
    let exe = build::instrumented(&p, HOST)?;
    // The first job holds the directory while it is stopped.
    let mut first = job.start(HOST, &exe, &[("PC3_EVERY", "1x")])?;
    // What it says is written once it is held.
    let lock = job.checkpoints().join("lock");
    let held = || fs::metadata(&lock).is_ok_and(|m| m.len() > 0);
    while !held() && first.try_wait()?.is_none() {
        std::thread::sleep(Duration::from_micros(200));
    }
    // SAFETY: signals to our own child.
    unsafe { libc::kill(first.id() as i32, libc::SIGSTOP) };
    let still = first.try_wait()?.is_none();
    let second = job.run(HOST, &exe, &[("PC3_EVERY", "1x")]);
    unsafe { libc::kill(first.id() as i32, libc::SIGCONT) };
    let _ = first.kill();
    let _ = first.wait();
    if !still {
        bail!("the first job ended before the second was started");
    }
    refused(&second?, &["running"])
}

fn stale_lock() -> Result<()> {
    let p = program("steps.c")?;
    let expected = reference(&p)?;
    let job = stopped(&p, 4)?;
    fs::write(job.checkpoints().join("lock"), "4194303\n")?;
    let done = restart(&job, HOST)?;
    ensure!(done.status == 0, "{}", done.stderr);
    ensure!(job.stdout() == expected, "output differs");
    Ok(())
}

fn bad_settings() -> Result<()> {
    let p = program("steps.c")?;
    let exe = build::instrumented(&p, HOST)?;
    let bad = [
        ("PC3_EVERY", "soon"),
        ("PC3_EVERY", "0x"),
        ("PC3_KEEP", "0"),
        ("PC3_STOP_AFTER", "-1"),
        ("PC3_RESTART", "99999"),
        ("PC3_RANKS", "0"),
        ("PC3_WORKERS", "none"),
        ("PC3_PROTOCOL", "telepathy"),
        ("PC3_ON_SIGNAL", "TERM=dance"),
    ];
    for (name, value) in bad {
        let job = Job::new(&p)?;
        let done = job.run(HOST, &exe, &[(name, value)])?;
        refused(&done, &[value]).with_context(|| format!("{name}={value}"))?;
        ensure!(job.stdout().is_empty(), "{name}={value}: the program ran");
    }
    Ok(())
}

/// However ranks are run, the one whose stack is used up does not die wordlessly.
fn stack_overflow() -> Result<()> {
    let p = program("deep.c")?;
    let exe = build::instrumented(&p, HOST)?;
    let ways = [
        ("coroutines", "default"),
        ("coroutines", "mappings"),
        ("coroutines", "none"),
        ("threads", "default"),
    ];
    for (sched, guards) in ways {
        let set = [("PC3_SCHED", sched), ("PC3_GUARDS", guards)];
        let done = Job::new(&p)?.run(HOST, &exe, &set)?;
        ensure!(done.status != 0, "{set:?}: it did not overflow");
        ensure!(
            done.stderr.contains("PC3_STACK"),
            "{set:?}: nothing is said: {}",
            done.stderr
        );
    }
    Ok(())
}

/// What comes back needs more stack than it had.
fn nearly_full_stack() -> Result<()> {
    let job = stopped(&program("recursion.c")?, 1)?;
    let done = restart(&job, HOST)?;
    ensure!(
        done.status == 0 && job.stdout() == b"1\n",
        "{}: {}",
        done.status,
        done.stderr
    );
    Ok(())
}

/// The next checkpoint makes the directory again; its id is the next, and the run is restartable from it.
fn directory_removed(more: &[(&str, &str)]) -> Result<()> {
    let p = Program::load(&arch::root().join("tests/faults/paced.c"))?;
    let job = Job::new(&p)?;
    let exe = build::instrumented(&p, HOST)?;
    let mut child = job.start(HOST, &exe, &[more, &[("PC3_EVERY", "1x")]].concat())?;
    let start = Instant::now();
    let mut wait = |id: u32, go: &str| -> Result<()> {
        fs::write(job.dir.path().join(go), "")?;
        let file = job.checkpoints().join(format!("ckpt-{id:06}.pc3c"));
        while !file.exists() {
            ensure!(
                child.try_wait()?.is_none() && start.elapsed() < job.limit,
                "no checkpoint {id}: {}",
                job.stderr()
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    };
    let done = wait(1, "go").and_then(|()| wait(2, "go1")).and_then(|()| {
        // The program may still be writing what belongs to the checkpoint.
        while fs::remove_dir_all(job.checkpoints()).is_err() && job.checkpoints().exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        wait(3, "go2")
    });
    child.kill()?;
    child.wait()?;
    done
}
