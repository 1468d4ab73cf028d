//! Whole builds: a project under `tests/projects` with a Makefile of its own, built with `make -j` and `CC=pc3cc` for
//! every architecture, and moved round them at checkpoints spread over its run.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch, HOST};
use pc3_tests::program::Program;
use pc3_tests::run::{difference, Job, STOPPED};

pub fn trials() -> Vec<Trial> {
    vec![
        trial("projects::make::moved", moved),
        trial("projects::make::no_location", no_location),
    ]
}

fn trial(name: &str, run: fn() -> Result<()>) -> Trial {
    let make = Command::new("make").arg("--version").output().is_ok();
    if !make {
        println!("skipped {name}: no make");
    }
    Trial::test(name, move || run().map_err(|e| format!("{e:#}").into())).with_ignored_flag(!make)
}

fn make(out: &Path, cc: &str, flags: &str) -> Result<()> {
    let done = Command::new("make")
        .arg("-j4")
        .arg(format!("CC={cc}"))
        .arg(format!("OUT={}", out.display()))
        .arg(format!("LDFLAGS={flags}"))
        .current_dir(arch::root().join("tests/projects/make"))
        .output()
        .context("make")?;
    let said = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "{cc}: {said}");
    Ok(())
}

fn pc3cc(arch: Arch) -> String {
    let cc = arch::dist().join("bin/pc3cc");
    format!("{} --target={}", cc.display(), arch.gnu)
}

fn job(limit: &str) -> Result<Job> {
    Job::new(&Program {
        name: "machine".into(),
        sources: Vec::new(),
        args: vec![limit.into()],
        ranks: 0,
        pc3_flags: Vec::new(),
        flags: Vec::new(),
        stdin: None,
        own_abi: false,
    })
}

const ROUNDS: &str = "3";
/// Locations it passes in as many rounds.
const PASSED: u64 = 261;
const STOPS: u64 = 20;

fn moved() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let archs = arch::available();
    make(&dir.path().join("plain"), "cc", "")?;
    let mut built: Vec<PathBuf> = Vec::new();
    for a in &archs {
        let out = dir.path().join(a.name);
        make(&out, &pc3cc(*a), if *a == HOST { "" } else { "-static" })?;
        built.push(out.join("machine"));
    }
    let plain = job(ROUNDS)?;
    let whole = plain.run(HOST, &dir.path().join("plain/machine"), &[])?;
    ensure!(whole.status == 0, "plain: exit status {}", whole.status);
    let expected = plain.stdout();

    // One run that stops every so often, each leg on the next architecture.
    let moving = job(ROUNDS)?;
    let step = PASSED / (STOPS + 1);
    for n in 0..=STOPS {
        let leg = n as usize % archs.len();
        let (every, every_env) = (format!("{step}x"), "PC3_EVERY");
        let mut env = vec![(every_env, every.as_str())];
        if n < STOPS {
            env.push(("PC3_STOP_AFTER", "1"));
        } else {
            env.remove(0);
        }
        if n > 0 {
            env.push(("PC3_RESTART", "latest"));
        }
        let done = moving.run(archs[leg], &built[leg], &env)?;
        let wanted = if n < STOPS { STOPPED } else { 0 };
        ensure!(
            done.status == wanted,
            "leg {n} on {}: exit status {}\n{}",
            archs[leg].name,
            done.status,
            done.stderr
        );
    }
    if let Some(d) = difference(&expected, &moving.stdout()) {
        bail!("moved {STOPS} times it differs from the plain build: {d}");
    }
    Ok(())
}

/// Built from the same objects, a program without a location is what the plain compiler makes of them.
fn no_location() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let out = dir.path().join("out");
    make(&out, &pc3cc(HOST), "")?;
    let done = Command::new(out.join("selftest")).output()?;
    ensure!(done.status.success(), "selftest: {}", done.status);
    let by_cc = dir.path().join("by_cc");
    let linked = Command::new("cc")
        .args(["-O2", "-g", "-o"])
        .arg(&by_cc)
        .arg(out.join("app/selftest.o"))
        .arg(out.join("libstore.a"))
        .status()?;
    ensure!(linked.success(), "cc does not link the objects");
    let same = std::fs::read(&by_cc)? == std::fs::read(out.join("selftest"))?;
    ensure!(same, "the program differs from what cc links");
    Ok(())
}
