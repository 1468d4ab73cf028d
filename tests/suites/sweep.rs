//! Every program, every checkpoint k: stop after k, go on elsewhere, stop after k more, and so on round the
//! architectures; the output must be that of the uninterrupted run.

use anyhow::{bail, ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::{Abis, Program};
use pc3_tests::run::{difference, Job, REFUSED, STOPPED};

/// Checkpoints tried per program, sampled evenly.
fn samples() -> u64 {
    std::env::var("PC3_TEST_MAX")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(if arch::all_round() { 6 } else { 2 })
}

pub fn trials() -> Vec<Trial> {
    let root = arch::root();
    let mut programs = Vec::new();
    for folder in ["tests/programs", "examples/c"] {
        match Program::load_all(&root.join(folder)) {
            Ok(p) => programs.extend(p),
            Err(e) => return vec![clock::test("load", move || Err(format!("{e:#}").into()))],
        }
    }
    match Program::rust_examples() {
        Ok(p) => programs.extend(p),
        Err(e) => return vec![clock::test("load", move || Err(format!("{e:#}").into()))],
    }
    let mut trials = Vec::new();
    for p in programs {
        let q = p.clone();
        if p.has_plain() || arch::all_round() {
            trials.push(clock::test(format!("plain::{}", p.name), move || {
                whole(&q).map_err(text)
            }));
        }
        trials.push(clock::test(format!("sweep::{}", p.name), move || {
            sweep(&p).map_err(text)
        }));
    }
    trials.push(clock::test("every::report", || every().map_err(text)));
    trials
}

/// The program that reads and writes files, moved at each of its checkpoints, round all architectures: what it prints
/// and the file that it writes are those of the plain build.
fn every() -> Result<()> {
    let p = Program::load(&arch::root().join("tests/programs/report.c"))?;
    let plain = Job::new(&p)?;
    let status = plain.run(HOST, &build::plain(&p, HOST)?, &[])?.status;
    let round = arch::available();
    let job = Job::new(&p)?;
    for leg in 0_usize.. {
        let arch = round[leg % round.len()];
        let restart = if leg > 0 { "latest" } else { "" };
        let env = [
            ("PC3_EVERY", "1x"),
            ("PC3_STOP_AFTER", "1"),
            ("PC3_KEEP", "1"),
            ("PC3_RESTART", restart),
        ];
        let done = job.run(arch, &build::instrumented(&p, arch)?, &env)?;
        if done.status == STOPPED {
            continue;
        }
        ensure!(done.status == status, "{}, leg {leg}: {done:?}", arch.name);
        ensure!(leg > 20, "only {leg} checkpoints");
        break;
    }
    if let Some(d) = difference(&plain.stdout(), &job.stdout()) {
        bail!("{d}");
    }
    for name in ["rows", "report"] {
        let [want, got] = [&plain, &job].map(|j| std::fs::read(j.dir.path().join(name)));
        ensure!(want? == got?, "{name} differs");
    }
    Ok(())
}

fn text(e: anyhow::Error) -> libtest_mimic::Failed {
    format!("{e:#}").into()
}

/// Uninterrupted output and exit status of the instrumented program on the host.
fn reference(p: &Program) -> Result<(Vec<u8>, i32)> {
    let job = Job::new(p)?;
    let done = job.run(
        HOST,
        &build::instrumented(p, HOST)?,
        &[("PC3_WORKERS", "4")],
    )?;
    Ok((job.stdout(), done.status))
}

/// Without checkpoints: equal to the plain build (of sequential programs, and of those in Rust), equal on every architecture and
/// number of workers; with few processors, which architectures make of it is left to those who come there by a checkpoint.
fn whole(p: &Program) -> Result<()> {
    let (expected, status) = reference(p)?;
    if p.has_plain() {
        let job = Job::new(p)?;
        let done = job.run(HOST, &build::plain(p, HOST)?, &[])?;
        ensure!(
            done.status == status,
            "plain exits with {}, instrumented with {status}",
            done.status
        );
        if let Some(d) = difference(&job.stdout(), &expected) {
            bail!("instrumented differs from plain: {d}");
        }
    }
    let others = if arch::all_round() {
        elsewhere(p)
    } else {
        Vec::new()
    };
    for (arch, workers) in others {
        let job = Job::new(p)?;
        let done = job.run(
            arch,
            &build::instrumented(p, arch)?,
            &[("PC3_WORKERS", workers)],
        )?;
        ensure!(
            done.status == status,
            "{}: exit status {} instead of {status}\n{}",
            arch.name,
            done.status,
            done.stderr
        );
        if let Some(d) = difference(&expected, &job.stdout()) {
            bail!("{} differs: {d}", arch.name);
        }
    }
    Ok(())
}

fn elsewhere(p: &Program) -> Vec<(Arch, &'static str)> {
    let workers = |a: Arch| match a.name {
        "s390x" => "1",
        "i686" => "2",
        _ => "3",
    };
    arch::round_of(&p.name)
        .into_iter()
        .filter(|a| *a != HOST)
        .map(|a| (a, workers(a)))
        .collect()
}

fn sweep(p: &Program) -> Result<()> {
    let (expected, status) = reference(p)?;
    let total = count_checkpoints(p, &expected)?;
    ensure!(total > 0, "the program passes no checkpoint location");
    let n = samples().min(total);
    for i in 0..n {
        let k = 1 + i * (total - 1) / n.max(2).saturating_sub(1).max(1);
        let context = || format!("stopped after {k} of {total} checkpoints");
        if p.abis != Abis::Own {
            let mut hops = hops(p);
            hops.retain(|(arch, _)| p.abis.include(*arch));
            if p.abis == Abis::Down {
                hops.sort_by_key(|(arch, _)| arch.bits == 32);
            }
            chain(p, &hops, k, &expected, status).with_context(context)?;
            continue;
        }
        for arch in arch::round_of(&p.name) {
            chain(p, &[(arch, "2"); 3], k, &expected, status).with_context(context)?;
        }
    }
    if p.abis == Abis::Own {
        refused_elsewhere(p)?;
    }
    Ok(())
}

/// One run that takes a checkpoint at every passage: counts them and checks that taking them changes nothing.
fn count_checkpoints(p: &Program, expected: &[u8]) -> Result<u64> {
    let job = Job::new(p)?;
    let done = job.run(
        HOST,
        &build::instrumented(p, HOST)?,
        &[("PC3_EVERY", "1x"), ("PC3_KEEP", "1"), ("PC3_WORKERS", "4")],
    )?;
    if let Some(d) = difference(expected, &job.stdout()) {
        bail!(
            "taking checkpoints changes the output: {d}\n{}",
            done.stderr
        );
    }
    let newest = std::fs::read_dir(job.checkpoints())
        .with_context(|| format!("no checkpoints; {}", done.stderr))?
        .flatten()
        .filter_map(|e| {
            let name = e.file_name().into_string().ok()?;
            name.strip_prefix("ckpt-")?
                .strip_suffix(".pc3c")?
                .parse::<u64>()
                .ok()
        })
        .max();
    Ok(newest.unwrap_or(0))
}

/// Host → the others in turn → the host.
fn hops(p: &Program) -> Vec<(Arch, &'static str)> {
    let mut hops = vec![(HOST, "4")];
    hops.extend(elsewhere(p));
    hops.push((HOST, "2"));
    hops
}

/// `k` checkpoints on each, on the last to the end.
fn chain(p: &Program, hops: &[(Arch, &str)], k: u64, expected: &[u8], status: i32) -> Result<()> {
    let job = Job::new(p)?;
    let k = k.to_string();
    for (i, (arch, workers)) in hops.iter().enumerate() {
        let mut env = vec![("PC3_KEEP", "1"), ("PC3_WORKERS", *workers)];
        let last = i + 1 == hops.len();
        if !last {
            env.extend([("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", k.as_str())]);
        }
        if i > 0 {
            env.push(("PC3_RESTART", "latest"));
        }
        let done = job.run(*arch, &build::instrumented(p, *arch)?, &env)?;
        if done.status == status {
            return same(&job, expected, *arch);
        }
        ensure!(
            done.status == STOPPED && !last,
            "{}, leg {}: exit status {}\n{}",
            arch.name,
            i + 1,
            done.status,
            done.stderr
        );
    }
    bail!("the last leg did not end")
}

/// A change of ABI is refused, and says what stands in the way.
fn refused_elsewhere(p: &Program) -> Result<()> {
    for (arch, _) in elsewhere(p) {
        let job = Job::new(p)?;
        let stop = [("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", "1")];
        job.run(HOST, &build::instrumented(p, HOST)?, &stop)?;
        let env = [("PC3_RESTART", "latest")];
        let done = job.run(arch, &build::instrumented(p, arch)?, &env)?;
        ensure!(
            done.status == REFUSED
                && done.stderr.contains("error[pc3::E05")
                && done.stderr.contains("cannot be continued"),
            "{}: exit status {} instead of a refusal\n{}",
            arch.name,
            done.status,
            done.stderr
        );
    }
    Ok(())
}

fn same(job: &Job, expected: &[u8], last: Arch) -> Result<()> {
    match difference(expected, &job.stdout()) {
        None => Ok(()),
        Some(d) => bail!(
            "moved run (finished on {}) differs: {d}\n{}",
            last.name,
            job.stderr()
        ),
    }
}
