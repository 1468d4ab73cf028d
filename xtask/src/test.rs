//! `cargo xtask test`: setup, dist, lints, unit and integration tests, end-to-end suites, and a plain summary.

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{bail, Context, Result};
use pc3_tests::arch::{self, is_tried};

use crate::{conformance, dist, env, semver, setup, simulate, sources};

/// The end-to-end suites, to cargo.  They wait for what they start, so need not be fast; with this package, what they depend on
/// is there already, as it was built for this program.
const END_TO_END: [&str; 6] = ["-p", "xtask", "-p", "pc3-tests", "--test", "e2e"];

/// The lints of all code, to cargo.
const CLIPPY: [&str; 5] = ["--workspace", "--all-targets", "--", "-D", "warnings"];
/// Unit and integration tests, to cargo. The examples have none, and the lints have seen what the compiler says of them; the
/// crate's features are those that they ask for.
const UNIT: [&str; 7] = [
    "--workspace",
    "--exclude",
    "pc3-tests",
    "--exclude",
    "pc3-examples",
    "--features",
    "pc3/arrayvec,pc3/bytes,pc3/chrono,pc3/indexmap,pc3/mpi,pc3/nalgebra,pc3/ndarray,pc3/num-complex,pc3/rand,pc3/serde,pc3/smallvec,pc3/uuid,pc3-capi/failpoints",
];

/// What ran so far.
struct Tally {
    begun: Instant,
    passed: u64,
    failed: u64,
    ignored: u64,
    /// Lines that tests print about what they leave out, and how many programs ran where.
    remarks: Vec<String>,
    broken: Vec<String>,
}

pub fn run(with_setup: bool, filter: Option<&str>) -> Result<()> {
    let mut tally = Tally::new();
    if with_setup {
        setup::run()?;
    }
    // In a directory of its own, so beside the rest.
    let oldest = filter.is_none().then(|| std::thread::spawn(oldest));
    // `dist` builds with another profile, and has steps that leave processors idle.
    let unoptimized = filter.is_none().then(|| {
        std::thread::spawn(|| {
            ahead("clippy", &CLIPPY);
            ahead("test", &[&["--no-run"], &UNIT[..]].concat());
            // All of it is there now, for the same features, but the library itself.
            ahead("build", &[&UNIT[..], &["--lib", "--tests"]].concat())
        })
    });
    let targets = env::available(env::targets().filter(|a| is_tried(a)));
    tally.head("dist");
    dist::run(&targets)?;
    if let Some(thread) = unoptimized {
        let library = thread.join().expect("waits, and does not panic");
        tally.lint("fmt", &["--all", "--check"]);
        tally.lint("clippy", &[&["--quiet"], &CLIPPY[..]].concat());
        tally.lint(semver::TOOL, &semver::arguments(None));
        tally.head(&format!("Rust {}", env::oldest_rust()));
        let oldest = oldest.map(|it| it.join().expect("waits, and does not panic"));
        match oldest {
            Some(Oldest::Missing(remark)) => tally.remarks.push(remark),
            Some(Oldest::Broken(name)) => tally.broken.push(name),
            Some(Oldest::Builds) | None => {}
        }
        tally.docs();
        // Few of the unit tests run for long; that leaves processors for the simulator.
        let searches = arch::in_turn("searches", ["brief", "spawning"]);
        let options = searches.into_iter().flat_map(|name| ["--search", name]);
        let check: Vec<_> = std::iter::once("check").chain(options).collect();
        let simulator = std::thread::spawn(move || simulate::command(&check).output());
        let suites =
            std::thread::spawn(|| ahead("test", &[&["--no-run"], &END_TO_END[..]].concat()));
        let mut vars = vec![("PC3_TEST_COMPILER", env::dist_dir().join("bin/pc3cc"))];
        let runtime = env::target_dir().join("debug/libpc3rt.a");
        vars.extend(library.then_some(("PC3_TEST_RUNTIME", runtime)));
        tally.step("unit and integration tests", &UNIT, &vars)?;
        tally.head("protocols in the simulator");
        let simulated = simulator.join().expect("waits, and does not panic")?;
        suites.join().expect("waits, and does not panic");
        println!("{}", String::from_utf8_lossy(&simulated.stdout));
        if !simulated.status.success() {
            println!("{}", String::from_utf8_lossy(&simulated.stderr));
            tally.broken.push("simulate".into());
        }
    }
    let mut e2e = END_TO_END.to_vec();
    e2e.push("--");
    e2e.extend(filter);
    tally.step("end-to-end", &e2e, &[])?;

    if filter.is_none() {
        tally.conformance()?;
    }
    tally.head("summary");
    not_tried(&tally.remarks);
    println!(
        "{} passed, {} failed, {} skipped",
        tally.passed, tally.failed, tally.ignored
    );
    if tally.broken.is_empty() {
        return Ok(());
    }
    bail!("failed: {}", tally.broken.join(", "))
}

/// Which architectures there are, and what had to be left out.
fn not_tried(remarks: &[String]) {
    let mut have = vec![std::env::consts::ARCH];
    let here = env::cross().filter(|a| is_tried(a) && env::missing(a).is_empty());
    have.extend(here.map(|a| a.name));
    println!("architectures: {}", have.join(", "));
    let mut lacking: Vec<&env::Arch> = env::wanted().collect();
    lacking.retain(|a| !env::missing(a).is_empty());
    for arch in &lacking {
        println!(
            "skipped: {} (missing {})",
            arch.gnu,
            env::missing(arch).join(", ")
        );
    }
    for (program, _) in env::EXTRAS.iter().filter(|(p, _)| !env::has_extra(p)) {
        println!("skipped: tests that need {program} (not installed)");
    }
    for name in sources::missing() {
        println!("skipped: programs from Debian's {name} (no sources)");
    }
    let mut told = HashSet::new();
    let news = |r: &&String| !lacking.iter().any(|a| r.contains(a.name));
    for remark in remarks
        .iter()
        .filter(|r| news(r) || r.starts_with("programs"))
    {
        if told.insert(remark) {
            println!("{remark}");
        }
    }
}

/// Builds what is needed later. Should that fail, it will then be said. Gives whether it did not.
fn ahead(tool: &str, args: &[&str]) -> bool {
    let done = env::cargo().args([tool, "--quiet"]).args(args).output();
    done.is_ok_and(|d| d.status.success())
}

/// What the oldest Rust that the crate says it builds with makes of it.
enum Oldest {
    Builds,
    Broken(String),
    Missing(String),
}

/// Checks the crate with it, where it is installed.
fn oldest() -> Oldest {
    let Some(mut c) = of_oldest() else {
        let rust = env::oldest_rust();
        return Oldest::Missing(format!(
            "skipped: the crate with Rust {rust} (rustup toolchain install {rust} --profile minimal)"
        ));
    };
    c.args(["check", "--quiet", "--locked"]);
    c.args(["-p", "pc3", "--features", "mpi,ndarray,serde,rand"]);
    match c.status().is_ok_and(|s| s.success()) {
        true => Oldest::Builds,
        false => Oldest::Broken(format!("Rust {}", env::oldest_rust())),
    }
}

/// Its cargo, if it is installed.
fn of_oldest() -> Option<Command> {
    let rust = env::oldest_rust();
    let mut there = Command::new("rustup");
    there.args(["run", &rust, "cargo", "--version"]);
    there.stdout(Stdio::null()).stderr(Stdio::null());
    if !there.status().is_ok_and(|s| s.success()) {
        return None;
    }
    let mut c = Command::new("rustup");
    c.args(["run", &rust, "cargo"]);
    // What the current one has made is of no use to it.
    c.current_dir(env::root())
        .env("CARGO_TARGET_DIR", env::target_dir().join("oldest"));
    for name in ["RUSTC", "RUSTDOC", "CARGO", "RUSTUP_TOOLCHAIN"] {
        c.env_remove(name);
    }
    Some(c)
}

impl Tally {
    fn new() -> Tally {
        Tally {
            begun: Instant::now(),
            passed: 0,
            failed: 0,
            ignored: 0,
            remarks: Vec::new(),
            broken: Vec::new(),
        }
    }

    fn head(&self, what: &str) {
        println!("\n== {what} (after {} s)", self.begun.elapsed().as_secs());
    }

    /// A cargo tool that a machine may not have.
    fn lint(&mut self, tool: &str, args: &[&str]) {
        self.head(tool);
        let there = env::cargo()
            .args([tool, "--version"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if !there.is_ok_and(|s| s.success()) {
            self.remarks
                .push(format!("skipped: cargo {tool} is not installed"));
        } else if !env::cargo()
            .arg(tool)
            .args(args)
            .status()
            .is_ok_and(|s| s.success())
        {
            self.broken.push(tool.to_string());
        }
    }

    /// What users of the crate read has no broken links.
    fn docs(&mut self) {
        self.head("doc");
        // The oldest one, if it is there, has just checked what the crate uses; nothing else here would.
        let mut c = of_oldest().unwrap_or_else(env::cargo);
        c.args(["doc", "--quiet", "--no-deps", "-p", "pc3", "--all-features"]);
        c.env("RUSTDOCFLAGS", "-D warnings");
        if !c.status().is_ok_and(|s| s.success()) {
            self.broken.push("doc".to_owned());
        }
    }

    /// `cargo test` with `args`: its output goes on to ours and is counted.
    fn step(&mut self, name: &str, args: &[&str], vars: &[(&str, PathBuf)]) -> Result<()> {
        self.head(name);
        let mut cmd: Command = env::cargo();
        cmd.args(["test", "--quiet", "--no-fail-fast"])
            .args(args)
            .envs(vars.iter().cloned())
            .stdout(Stdio::piped());
        let mut child = cmd.spawn().context("cannot run cargo")?;
        let out = child.stdout.take().context("no output")?;
        for line in BufReader::new(out).lines() {
            let line = line?;
            self.count(&line);
            println!("{line}");
        }
        if !child.wait()?.success() {
            self.broken.push(name.to_string());
        }
        Ok(())
    }

    /// Some of MPICH's own tests.
    fn conformance(&mut self) -> Result<()> {
        self.head("MPI conformance");
        if conformance::folder().is_none() {
            return Ok(());
        }
        let done = conformance::check(&conformance::ConformanceOptions::sample(70))?;
        self.passed += done.passed as u64;
        self.failed += done.unexpected as u64;
        if done.unexpected > 0 {
            self.broken.push("MPI conformance".to_string());
        }
        Ok(())
    }

    /// `test result: ok. 12 passed; 0 failed; 1 ignored; ...`, `skipped ...`, `programs run: ...`
    fn count(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("test result: ") {
            let number = |what: &str| -> u64 {
                let part = rest.split([';', '.']).find(|p| p.trim().ends_with(what));
                part.and_then(|p| p.split_whitespace().next())
                    .and_then(|n| n.parse().ok())
                    .unwrap_or(0)
            };
            self.passed += number(" passed");
            self.failed += number(" failed");
            self.ignored += number(" ignored");
        } else if line.starts_with("programs run:") || line.to_lowercase().starts_with("skipped") {
            self.remarks.push(line.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_crate_is_tested_with_all_it_has() {
        let manifest = super::env::root().join("runtime/rust/Cargo.toml");
        let manifest = std::fs::read_to_string(manifest).unwrap();
        let features = manifest.split("[features]\n").nth(1).unwrap();
        let features = features.split("\n[").next().unwrap().lines();
        let names = features.filter_map(|line| Some(line.split_once(" = [")?.0));
        let mut all: Vec<String> = names.map(|name| format!("pc3/{name}")).collect();
        // Leaves the attributes without effect.
        all.retain(|name| name != "pc3/plain");
        assert!(all.len() > 5, "{all:?}");
        let asked: Vec<&str> = super::UNIT.last().unwrap().split(',').collect();
        let missing: Vec<_> = all
            .iter()
            .filter(|f| !asked.contains(&f.as_str()))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn results_add_up() {
        let mut t = super::Tally::new();
        t.count("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.1s");
        t.count("test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out");
        t.count("skipped architecture s390x: no compiler");
        assert_eq!(
            (t.passed, t.failed, t.ignored, t.remarks.len()),
            (14, 3, 1, 1)
        );
    }
}
