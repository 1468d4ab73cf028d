//! Checkpoints that earlier versions of pc3 have written go on (`tests/released`): of C, of MPI under both protocols and of Rust,
//! from each architecture. The programs are built by the pc3 of today.

use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch, HOST};
use pc3_tests::program::Program;
use pc3_tests::run::{difference, Job};
use pc3_tests::{build, clock};

use super::rust_moved;

/// A folder for each version, and in it `PROGRAM[.PROTOCOL].ARCHITECTURE.pc3c`.
fn samples(program: &str) -> Result<Vec<PathBuf>> {
    let mut list = Vec::new();
    let folder = arch::root().join("tests/released");
    for version in std::fs::read_dir(&folder)?.flatten() {
        if !version.path().is_dir() {
            continue;
        }
        let files = std::fs::read_dir(version.path())?.flatten();
        list.extend(files.map(|f| f.path()).filter(|p| {
            let name = p.file_name().unwrap_or_default().to_string_lossy();
            name.split('.').next() == Some(program) && name.ends_with(".pc3c")
        }));
    }
    list.sort();
    Ok(list)
}

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn() -> Result<()>| {
        clock::test(format!("released::{name}"), move || {
            test().map_err(|e| format!("{e:#}").into())
        })
    };
    vec![
        trial("sequential", || in_c("sequential", 4)),
        trial("exchange", || in_c("exchange", 8)),
        trial("herd", in_rust),
    ]
}

fn in_c(name: &str, at_least: usize) -> Result<()> {
    let program = Program::load(&arch::root().join(format!("tests/released/{name}.c")))?;
    for on in arch::round_of(name) {
        let exe = build::instrumented(&program, on)?;
        if !program.is_mpi() {
            as_plain(&program, on, &exe)?;
        }
        all_go_on(&program, on, &exe, at_least)?;
    }
    Ok(())
}

/// What the whole run prints is what the plain program does.
fn as_plain(program: &Program, on: Arch, exe: &Path) -> Result<()> {
    let (ours, plain) = (Job::new(program)?, Job::new(program)?);
    ensure!(ours.run(on, exe, &[])?.status == 0, "{}", on.name);
    let plain_exe = build::plain(program, on)?;
    ensure!(plain.run(on, &plain_exe, &[])?.status == 0, "{}", on.name);
    match difference(&plain.stdout(), &ours.stdout()) {
        None => Ok(()),
        Some(d) => anyhow::bail!("{} on {}: {d}", program.name, on.name),
    }
}

fn in_rust() -> Result<()> {
    let exe = rust_moved::build_program("tests/released/herd.rs", None)?;
    let program = Program {
        name: "herd".into(),
        sources: Vec::new(),
        args: Vec::new(),
        ranks: 0,
        abis: pc3_tests::program::Abis::All,
        pc3_flags: Vec::new(),
        flags: Vec::new(),
        stdin: None,
        cc: None,
    };
    all_go_on(&program, HOST, &exe, 4)
}

/// What comes behind the checkpoint is what the whole run prints there; standard output of before is not at hand.
fn all_go_on(program: &Program, on: Arch, exe: &Path, at_least: usize) -> Result<()> {
    let whole = Job::new(program)?;
    let done = whole.run(on, exe, &[])?;
    ensure!(done.status == 0, "{}", done.stderr);
    let whole = whole.stdout();
    let samples = samples(&program.name)?;
    ensure!(samples.len() >= at_least, "samples are missing");
    for sample in samples {
        let what = || format!("{} on {}", sample.display(), on.name);
        let job = Job::new(program)?;
        std::fs::create_dir(job.checkpoints())?;
        std::fs::copy(&sample, job.checkpoints().join("ckpt-000001.pc3c"))?;
        let done = job.run(on, exe, &[("PC3_RESTART", "latest")]);
        let done = done.with_context(what)?;
        ensure!(done.status == 0, "{}: {}", what(), done.stderr);
        let rest = job.stdout();
        let from = whole.len().checked_sub(rest.len()).with_context(what)?;
        ensure!(!rest.is_empty(), "{}: nothing is printed", what());
        if let Some(d) = difference(&whole[from..], &rest) {
            anyhow::bail!("{}: {d}", what());
        }
    }
    Ok(())
}
