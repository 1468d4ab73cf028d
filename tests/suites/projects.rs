//! Whole builds: a project of several directories under `tests/projects`, built with `make -j` and with CMake, with
//! `CC=pc3cc` for every architecture, and moved round them at checkpoints spread over its run.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch, HOST};
use pc3_tests::clock;
use pc3_tests::program::{Abis, Program};
use pc3_tests::run::{difference, Job, STOPPED};

pub fn trials() -> Vec<Trial> {
    vec![
        trial("projects::make::moved", "make", || moved(make)),
        trial("projects::make::no_location", "make", no_location),
        trial("projects::cmake::moved", "cmake", || moved(cmake)),
    ]
}

/// Ignored, and shown so, without the tool.
fn trial(name: &str, tool: &str, run: impl FnOnce() -> Result<()> + Send + 'static) -> Trial {
    let there = Command::new(tool).arg("--version").output().is_ok();
    if !there {
        println!("skipped {name}: no {tool}");
    }
    clock::test(name, move || run().map_err(|e| format!("{e:#}").into())).with_ignored_flag(!there)
}

fn project() -> PathBuf {
    arch::root().join("tests/projects/machine")
}

fn done(c: &mut Command) -> Result<()> {
    let out = c
        .output()
        .with_context(|| format!("{:?}", c.get_program()))?;
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    ensure!(
        out.status.success(),
        "{c:?}\n{}\n{}",
        text(&out.stdout),
        text(&out.stderr)
    );
    Ok(())
}

/// Builds the project in `out`; `arch` is None for the plain compiler.
type Build = fn(out: &Path, arch: Option<Arch>) -> Result<()>;

fn make(out: &Path, arch: Option<Arch>) -> Result<()> {
    done(
        Command::new("make")
            .arg("-j4")
            .arg(format!("CC={}", cc(arch)))
            .arg(format!("OUT={}", out.display()))
            .arg(format!("LDFLAGS={}", link_flags(arch)))
            .current_dir(project()),
    )
}

/// Positions: one with the option for shared libraries, which changes how units are compiled.
fn cmake(out: &Path, arch: Option<Arch>) -> Result<()> {
    let pointer = arch.map_or(HOST.bits, |a| a.bits) / 8;
    let pic = if arch == Some(HOST) { "ON" } else { "OFF" };
    done(
        Command::new("cmake")
            .arg("-S")
            .arg(project())
            .arg("-B")
            .arg(out)
            .arg("-DCMAKE_BUILD_TYPE=Release")
            .arg(format!("-DWANTED_POINTER={pointer}"))
            .arg(format!("-DPIC={pic}"))
            .arg(format!("-DCMAKE_EXE_LINKER_FLAGS={}", link_flags(arch)))
            .env("CC", cc(arch)),
    )?;
    done(Command::new("cmake").arg("--build").arg(out).arg("-j4"))
}

fn cc(arch: Option<Arch>) -> String {
    let own = arch::dist().join("bin/pc3cc");
    match arch {
        Some(a) => format!("{} --target={}", own.display(), a.gnu),
        None => "cc".into(),
    }
}

fn link_flags(arch: Option<Arch>) -> &'static str {
    match arch {
        Some(a) if a != HOST => "-static",
        _ => "",
    }
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
        cc: None,
        abis: Abis::All,
    })
}

const ROUNDS: &str = "3";
/// Locations it passes in as many rounds.
const PASSED: u64 = 261;
const STOPS: u64 = 20;

fn moved(build: Build) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let archs = arch::available();
    build(&dir.path().join("plain"), None)?;
    let mut built: Vec<PathBuf> = Vec::new();
    for a in &archs {
        let out = dir.path().join(a.name);
        build(&out, Some(*a))?;
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
    make(&out, Some(HOST))?;
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
