//! HPCC from Debian's source package, untouched but for locations named on the command line: with more ranks than workers, and
//! moved on from each location to other workers, processes and another architecture, its own checks must pass.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch, HOST};
use pc3_tests::clock;
use pc3_tests::run::STOPPED;

/// HPL's panels; RandomAccess with its table updated and not yet checked, likewise PTRANS; each transform of the FFT.
const LOCATIONS: [&str; 4] = [
    "HPL_binit",
    "HPCC_Power2NodesMPIRandomAccessCheck",
    "pdmatcmp",
    "HPCC_pzfft1d",
];
/// A power of two: then all ranks take part in the FFT.
const RANKS: &str = "8";

pub fn trials() -> Vec<Trial> {
    let sources = arch::target_dir().join("sources/hpcc");
    let there = sources.is_dir();
    let trial = |name| {
        let sources = sources.clone();
        let run = move || check(&sources).map_err(|e| format!("{e:#}").into());
        clock::test(name, run).with_ignored_flag(!there)
    };
    arch::share("hpcc", ["debian::hpcc"].into_iter(), 2)
        .map(trial)
        .collect()
}

fn files(dir: &Path, all: &mut Vec<PathBuf>) -> Result<()> {
    for e in std::fs::read_dir(dir)? {
        let path = e?.path();
        if path.is_dir() {
            files(&path, all)?;
        } else if path.extension().is_some_and(|e| e == "c") {
            all.push(path);
        }
    }
    Ok(())
}

fn build(sources: &Path, arch: Arch, out: &Path) -> Result<()> {
    let mut all = Vec::new();
    files(sources, &mut all)?;
    all.sort();
    let mut c = Command::new(arch::dist().join("bin/pc3cc"));
    c.arg(format!("--target={}", arch.gnu)).current_dir(sources);
    c.args([
        "-O1",
        "-w",
        "-DHPL_CALL_CBLAS",
        "-Iinclude",
        "-Ihpl/include",
    ]);
    c.args(LOCATIONS.map(|l| format!("--checkpoint-at={l}")));
    if arch != HOST {
        c.arg("-static");
    }
    c.args(all)
        .arg(arch::root().join("tests/projects/hpcc/cblas.c"));
    let done = c.arg("-o").arg(out).arg("-lm").output()?;
    let said = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "{}: {said}", arch.name);
    Ok(())
}

/// One run in `dir`: how `pc3run` starts it, and what.
fn leg(dir: &Path, options: &str, arch: Arch, exe: &Path) -> Result<Option<i32>> {
    leg_with(dir, options, "refuse", arch, exe)
}

/// `addresses`: what becomes of numbers that are like addresses.
fn leg_with(
    dir: &Path,
    options: &str,
    addresses: &str,
    arch: Arch,
    exe: &Path,
) -> Result<Option<i32>> {
    let mut c = Command::new(arch::dist().join("bin/pc3run"));
    c.args(options.split_whitespace())
        .args(["-d", "ckpt", "--"]);
    c.args(arch.emulator())
        .arg(exe)
        .env("PC3_ADDRESSES", addresses)
        .current_dir(dir);
    let done = c.output()?;
    let said = String::from_utf8_lossy(&done.stderr);
    let status = done.status.code();
    ensure!(
        matches!(status, Some(0 | STOPPED)),
        "{options} on {}: {status:?}: {said}",
        arch.name
    );
    Ok(status)
}

/// What it writes, if all of its checks passed; of that, what does not depend on time.
fn results(dir: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(dir.join("hpccoutf.txt")).context("no results")?;
    let has = |words: &str| text.lines().any(|l| l.contains(words));
    let count = |words: &str| text.lines().filter(|l| l.contains(words)).count();
    for words in [
        "Success=1",
        "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=",
        "5 tests completed and passed residual checks",
        "1 tests completed and passed residual checks",
        "MPIFFT_maxErr=",
    ] {
        ensure!(has(words), "no {words}");
    }
    ensure!(
        count("errors in") == 4 && count("(passed)") == 4,
        "RandomAccess: {}",
        count("(passed)")
    );
    for words in ["FAILED", "(failed)"] {
        ensure!(!has(words), "{words}");
    }
    let same = ["||", "PTRANS_residual=", "HPL_N=", "MPIRandomAccess_N="];
    Ok(text
        .lines()
        .filter(|l| same.iter().any(|s| l.contains(s)))
        .map(str::to_owned)
        .collect())
}

fn check(sources: &Path) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let at = |name: &str| dir.path().join(name);
    let host = at("hpcc");
    build(sources, HOST, &host)?;
    // One that needs no emulation, if there is any.
    let other = arch::available()
        .into_iter()
        .find(|a| a.gnu.starts_with("i686"));
    let elsewhere = at("hpcc.elsewhere");
    if let Some(arch) = other {
        build(sources, arch, &elsewhere)?;
    }
    let (other, elsewhere) = other.map_or((HOST, &host), |a| (a, &elsewhere));
    let input = arch::root().join("tests/projects/hpcc/hpccinf.txt");
    let folder = |name: &str| -> Result<PathBuf> {
        std::fs::create_dir(at(name))?;
        std::fs::copy(&input, at(name).join("hpccinf.txt"))?;
        Ok(at(name))
    };
    let whole = folder("whole")?;
    ensure!(leg(&whole, &format!("-n {RANKS} -w 2"), HOST, &host)? == Some(0));
    let expected = results(&whole).context("uninterrupted")?;

    let moved = folder("moved")?;
    let first = format!("-n {RANKS} -w 1 --every 1x --stop-after 1");
    ensure!(leg(&moved, &first, HOST, &host)? == Some(STOPPED));
    let ways = [
        ("-w 2", HOST, &host),
        ("--mpi none -p 2 -w 1", HOST, &host),
        ("-w 2", other, elsewhere),
        ("-w 1 --map cyclic", HOST, &host),
        ("--mpi none -p 3 -w 1", HOST, &host),
    ];
    let mut legs = 1;
    let mut narrow = false;
    for (way, arch, exe) in ways.iter().cycle() {
        // Its pool of blocks puts addresses into any memory, so a time half of which is like one of 32 bits is
        // refused, now and then.
        let addresses = match narrow {
            true => "ignore",
            false => "refuse",
        };
        let options = format!("{way} --restart --every 1x --stop-after 3");
        if leg_with(&moved, &options, addresses, *arch, exe)? == Some(0) {
            break;
        }
        narrow = *arch != HOST;
        legs += 1;
        ensure!(legs < 100, "it does not end");
    }
    ensure!(legs > 5, "it was stopped {legs} times only");
    let got = results(&moved).with_context(|| format!("stopped {legs} times"))?;
    ensure!(
        got == expected,
        "{expected:?}\nstopped {legs} times: {got:?}"
    );
    Ok(())
}
