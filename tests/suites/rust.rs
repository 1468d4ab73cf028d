//! Random programs with checkpointable functions: stopped at every location in turn, each prints what it prints without
//! the attribute.
//!
//! Five programs of a hundred functions (two, where there are few processors) are stopped by ending their processes.  `PC3_TEST_RUST` is the number of programs if
//! there are to be more: their functions are smaller, and these give up all that they hold and read each checkpoint again
//! within one process (the runtime's `failpoints`), which takes a tenth of the time.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;

use anyhow::{anyhow, bail, ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::clock;
use pc3_tests::program::{Abis, Program};
use pc3_tests::run::{difference, Job, STOPPED};
use pc3_tests::rustgen;

const FUNCTIONS: usize = 100;

/// How a program is stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stops {
    EndProcess,
    ReadAgain,
}

static FUNCTIONS_SEEN: AtomicU64 = AtomicU64::new(0);
static STOPS_SEEN: AtomicU64 = AtomicU64::new(0);

/// What the random programs came to, if there were any.
pub fn seen() -> Option<String> {
    let [functions, stops] = [&FUNCTIONS_SEEN, &STOPS_SEEN].map(|n| n.load(Ordering::Relaxed));
    (functions > 0).then(|| format!("random functions: {functions}, stopped {stops} times"))
}

pub fn trials() -> Vec<Trial> {
    let wanted = std::env::var("PC3_TEST_RUST").ok();
    let wanted: Option<u64> = wanted.and_then(|s| s.parse().ok());
    let (seeds, how) = match wanted {
        Some(n) => ((1..=n).collect(), Stops::ReadAgain),
        None => (arch::in_turn("rust", 1..=5), Stops::EndProcess),
    };
    seeds
        .into_iter()
        .map(|seed| {
            clock::test(format!("rust::random-{seed}"), move || {
                random(seed, how).map_err(|e| format!("{e:#}").into())
            })
        })
        .collect()
}

fn random(seed: u64, how: Stops) -> Result<()> {
    let statements = match how {
        Stops::EndProcess => 40,
        Stops::ReadAgain => 16,
    };
    let text = rustgen::program(seed, FUNCTIONS, statements);
    let dir = arch::target_dir().join("rustgen");
    let hot = with_pc3(&dir, seed, &text, how)?;
    let plain = without(&dir, seed, &text)?;
    let output = Command::new(&plain).output()?;
    ensure!(output.status.success(), "{}: {output:?}", plain.display());
    let program = Program {
        name: format!("random-{seed}"),
        sources: Vec::new(),
        args: Vec::new(),
        ranks: 0,
        abis: Abis::All,
        pc3_flags: Vec::new(),
        flags: Vec::new(),
        stdin: None,
        cc: None,
    };
    let whole = job_of(&program)?;
    whole.run(HOST, &hot, &[("PC3_EVERY", "1x"), ("PC3_KEEP", "1")])?;
    if let Some(d) = difference(&output.stdout, &whole.stdout()) {
        bail!("with the attribute: {d}; {}", whole.stderr());
    }
    let stops = match how {
        Stops::EndProcess => ending(&program, &hot, &output.stdout)?,
        Stops::ReadAgain => reading(&program, &hot, &output.stdout)?,
    };
    ensure!(stops > 0, "the program passes no location");
    FUNCTIONS_SEEN.fetch_add(FUNCTIONS as u64, Ordering::Relaxed);
    STOPS_SEEN.fetch_add(stops, Ordering::Relaxed);
    for done in [hot, plain] {
        let _ = std::fs::remove_file(done);
    }
    Ok(())
}

/// Each stop ends the process, and another one goes on; gives how many there were.
fn ending(program: &Program, hot: &Path, expected: &[u8]) -> Result<u64> {
    let job = job_of(program)?;
    let mut env = vec![
        ("PC3_EVERY", "1x"),
        ("PC3_KEEP", "1"),
        ("PC3_STOP_AFTER", "1"),
    ];
    for stops in 0.. {
        let done = job.run(HOST, hot, &env)?;
        if done.status == STOPPED {
            env.truncate(3);
            env.push(("PC3_RESTART", "latest"));
            continue;
        }
        ensure!(
            done.status == 0,
            "after {stops} stops: {} {}",
            done.status,
            done.stderr
        );
        if let Some(d) = difference(expected, &job.stdout()) {
            bail!("stopped {stops} times: {d}");
        }
        return Ok(stops);
    }
    bail!("the program does not end")
}

/// At each stop the process gives up what it has, and reads the checkpoint.
fn reading(program: &Program, hot: &Path, expected: &[u8]) -> Result<u64> {
    let job = job_of(program)?;
    let env = [
        ("PC3_EVERY", "1x"),
        ("PC3_KEEP", "1"),
        ("PC3_FAIL", "reload"),
    ];
    let done = job.run(HOST, hot, &env)?;
    ensure!(done.status == 0, "{} {}", done.status, done.stderr);
    ensure!(
        done.stderr.contains("in this process"),
        "no checkpoint has been read: {}",
        done.stderr
    );
    if let Some(d) = difference(expected, &job.stdout()) {
        bail!("read again at each stop: {d}");
    }
    let all = std::fs::read_dir(job.checkpoints())?.flatten();
    let newest = all.filter_map(|e| {
        let name = e.file_name().into_string().ok()?;
        let number = name.strip_prefix("ckpt-")?.strip_suffix(".pc3c")?;
        number.parse().ok()
    });
    newest.max().context("no checkpoint is left")
}

/// Thousands of checkpoints need not outlive the machine.
fn job_of(program: &Program) -> Result<Job> {
    let memory = Path::new("/dev/shm");
    match tempfile::tempdir_in(memory) {
        Ok(dir) => Ok(Job {
            dir,
            ..Job::new(program)?
        }),
        Err(_) => Job::new(program),
    }
}

/// The crate, built once for all programs, and the folder with what it uses.
fn library(dir: &Path, how: Stops) -> Result<&'static (PathBuf, PathBuf)> {
    static LIBRARY: OnceLock<std::result::Result<(PathBuf, PathBuf), String>> = OnceLock::new();
    let built = LIBRARY.get_or_init(|| build_library(dir, how).map_err(|e| format!("{e:#}")));
    built.as_ref().map_err(|e| anyhow!("{e}"))
}

/// What makes builds of many programs cheap, and has them read checkpoints again.
const READS_AGAIN: &str = "panic = \"abort\"\n[profile.dev.package.\"*\"]\nopt-level = 1\n\
                           [profile.dev.build-override]\nopt-level = 1\n[dependencies.pc3-runtime]\n\
                           features = [\"failpoints\"]\n";

fn build_library(dir: &Path, how: Stops) -> Result<(PathBuf, PathBuf)> {
    let (package, target) = match how {
        Stops::EndProcess => (dir.join("package"), dir.join("target")),
        Stops::ReadAgain => (dir.join("again"), dir.join("again-target")),
    };
    std::fs::create_dir_all(package.join("src"))?;
    manifest(&package, "random")?;
    if how == Stops::ReadAgain {
        let path = package.join("Cargo.toml");
        let runtime = arch::root().join("runtime");
        let text = std::fs::read_to_string(&path)?;
        std::fs::write(&path, format!("{text}{READS_AGAIN}path = {runtime:?}\n"))?;
    }
    std::fs::write(package.join("src/main.rs"), "fn main() {}\n")?;
    let mut c = Command::new("cargo");
    c.args(["build", "--quiet", "--offline", "--message-format=json"]);
    c.env("CARGO_TARGET_DIR", &target);
    let done = c.current_dir(&package).output()?;
    ensure!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    for line in String::from_utf8(done.stdout)?.lines() {
        let v: serde_json::Value = serde_json::from_str(line)?;
        let file = v["filenames"][0].as_str().filter(|f| f.ends_with(".rlib"));
        if let Some(file) = file.filter(|_| v["target"]["name"] == "pc3") {
            return Ok((PathBuf::from(file), target.join("debug/deps")));
        }
    }
    bail!("cargo does not say where the crate is")
}

fn with_pc3(dir: &Path, seed: u64, text: &str, how: Stops) -> Result<PathBuf> {
    let (library, others) = library(dir, how)?;
    let name = format!("random-{seed}");
    let (source, built) = (dir.join(format!("{name}.rs")), dir.join(name));
    std::fs::write(&source, text)?;
    let mut c = Command::new("rustc");
    c.arg(format!("--edition={}", rustgen::edition(seed)));
    if how == Stops::ReadAgain {
        c.arg("-Cpanic=abort");
    }
    c.args(["--crate-name=random", "-L"]);
    c.arg(format!("dependency={}", others.display()));
    c.arg("--extern").arg(format!("pc3={}", library.display()));
    c.arg("-o").arg(&built).arg(&source);
    finish(c)?;
    Ok(built)
}

/// Of a package that uses the crate.
pub fn manifest(package: &Path, name: &str) -> Result<()> {
    let library = arch::root().join("runtime/rust");
    std::fs::write(
        package.join("Cargo.toml"),
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n\
             [dependencies]\npc3 = {{ path = {:?} }}\n[profile.dev]\ndebug = false\n",
            library.display()
        ),
    )?;
    std::fs::copy(arch::root().join("Cargo.lock"), package.join("Cargo.lock"))?;
    Ok(())
}

/// The program as it would be without pc3.
fn without(dir: &Path, seed: u64, text: &str) -> Result<PathBuf> {
    let marks = "macro_rules! ck { ($e:expr) => { $e } }\nmacro_rules! checkpoint { () => {} }\n\
         trait Checkpointable {}\nimpl<T> Checkpointable for T {}";
    let text = text
        .replace("use pc3::prelude::*;", marks)
        .replace("#[checkpointable]\n", "")
        .replace("#[checkpointable(associated)]\n", "")
        .replace("#[derive(Checkpointable)]\n", "")
        .replace("#[pc3::main]\n", "");
    let (source, built) = (
        dir.join(format!("plain-{seed}.rs")),
        dir.join(format!("plain-{seed}")),
    );
    std::fs::write(&source, text)?;
    let mut c = Command::new("rustc");
    c.arg(format!("--edition={}", rustgen::edition(seed)));
    c.arg("-o").arg(&built).arg(&source);
    finish(c)?;
    Ok(built)
}

fn finish(mut c: Command) -> Result<()> {
    let done = c.output().with_context(|| format!("{c:?}"))?;
    if !done.status.success() {
        bail!("{c:?}\n{}", String::from_utf8_lossy(&done.stderr));
    }
    Ok(())
}
