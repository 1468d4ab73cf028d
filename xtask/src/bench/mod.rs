//! `cargo xtask bench`: side by side in one run, medians and ratios, as tables and as JSON under `target/bench`.

mod arrays;
mod build;
mod callgrind;
mod checkpoint;
mod coordination;
mod instrumentation;
mod kernels;
mod many;
mod mpi;
mod programs;
mod protocol;
mod public;
mod rust;
mod scale;
mod shares;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use anyhow::{bail, Context, Result};
use serde_json::Value;

use crate::{dist, env};

type Bench = fn(&Setup) -> Result<Value>;
const ALL: &[(&str, Bench)] = &[
    ("instrumentation", instrumentation::run),
    ("arrays", arrays::run),
    ("vmpi", mpi::run),
    ("protocol", protocol::run),
    ("coordination", coordination::run),
    ("programs", programs::run),
    ("kernels", kernels::run),
    ("shares", shares::run),
    ("checkpoint", checkpoint::run),
    ("rust", rust::run),
    ("scale", scale::run),
    ("build", build::run),
];

/// Where things are built and found.
pub struct Setup {
    pub tree: PathBuf,
    pub work: PathBuf,
}

pub fn run(name: Option<&str>) -> Result<()> {
    let tree = dist::run(&[])?;
    let work = env::target_dir().join("bench");
    fs::create_dir_all(&work)?;
    let setup = Setup { tree, work };
    let chosen: Vec<_> = ALL
        .iter()
        .filter(|(n, _)| name.is_none_or(|w| w == *n))
        .collect();
    if chosen.is_empty() {
        let names: Vec<_> = ALL.iter().map(|(n, _)| *n).collect();
        bail!(
            "no benchmark '{}' (known: {})",
            name.unwrap_or(""),
            names.join(", ")
        );
    }
    for (name, bench) in chosen {
        println!("\n== {name}");
        let result = bench(&setup)?;
        let file = setup.work.join(format!("{name}.json"));
        fs::write(&file, serde_json::to_string_pretty(&result)?)?;
        println!("({})", file.display());
    }
    Ok(())
}

impl Setup {
    pub fn pc3cc(&self) -> Command {
        Command::new(self.tree.join("bin/pc3cc"))
    }

    pub fn exe(&self, name: &str) -> PathBuf {
        self.work.join(name)
    }
}

/// Native MPIs on this machine: (name, compiler wrapper, launcher with its options).
pub fn native_mpis() -> Vec<(&'static str, &'static str, &'static [&'static str])> {
    let known: [(&str, &str, &[&str]); 2] = [
        (
            "openmpi",
            "mpicc.openmpi",
            &[
                "mpirun.openmpi",
                "--allow-run-as-root",
                "--oversubscribe",
                "--quiet",
            ],
        ),
        ("mpich", "mpicc.mpich", &["mpirun.mpich"]),
    ];
    known
        .into_iter()
        .filter(|(_, cc, run)| env::has_program(cc) && env::has_program(run[0]))
        .collect()
}

/// Seconds between MPI's start and end if the program says so (tests/bench/span.c), else of the whole run.
pub fn span(cmd: &mut Command) -> Result<f64> {
    Ok(spans(cmd)?.0)
}

/// The same, and of the part that a benchmark defines to be timed, if it says which that is.
pub fn spans(cmd: &mut Command) -> Result<(f64, Option<f64>)> {
    let (out, whole) = finished(cmd)?;
    let said = String::from_utf8_lossy(&out.stderr);
    let last = |what: &str| -> Option<f64> {
        let mut all = said.lines().filter_map(|l| l.strip_prefix(what));
        all.next_back()?.trim().parse().ok()
    };
    Ok((last("span ").unwrap_or(whole), last("timed ")))
}

/// Runs to the end and returns standard output and the seconds it took.
pub fn timed(cmd: &mut Command) -> Result<(String, f64)> {
    let (out, seconds) = finished(cmd)?;
    Ok((String::from_utf8_lossy(&out.stdout).into_owned(), seconds))
}

fn finished(cmd: &mut Command) -> Result<(Output, f64)> {
    let start = Instant::now();
    let out = cmd
        .output()
        .with_context(|| format!("cannot run {:?}", cmd.get_program()))?;
    let seconds = start.elapsed().as_secs_f64();
    if !out.status.success() && out.status.code() != Some(85) {
        bail!(
            "{cmd:?}: {}\n{}",
            out.status,
            String::from_utf8_lossy(&out.stderr)
        );
    }
    Ok((out, seconds))
}

/// `program` under a limit: a benchmark that hangs must not hang the rest.
pub fn limited(seconds: u32, program: &std::ffi::OsStr) -> Command {
    let mut c = Command::new("timeout");
    c.arg(seconds.to_string()).arg(program);
    c
}

pub fn median(mut v: Vec<f64>) -> f64 {
    v.sort_by(f64::total_cmp);
    v.get(v.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Linker options and object by which a program says how long it took from MPI_Init to MPI_Finalize.
pub fn clock(s: &Setup) -> Result<(PathBuf, &'static str)> {
    let object = s.exe("span.o");
    let source = env::root().join("tests/bench/span.c");
    let mut cc = Command::new("cc");
    env::run(cc.args(["-O2", "-c"]).arg(source).arg("-o").arg(&object))?;
    let wrap = "-Wl,--wrap=MPI_Init,--wrap=MPI_Finalize,--wrap=MPI_Pcontrol";
    Ok((object, wrap))
}

/// The C files of an example, or the file itself.
pub fn sources(path: &Path) -> Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut v: Vec<PathBuf> = fs::read_dir(path)?
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "c"))
        .collect();
    v.sort();
    Ok(v)
}
