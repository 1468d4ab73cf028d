//! Jobs of very many ranks in one process: what they take of memory and time, and what an idle rank does.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};
use serde_json::{json, Value};

use super::Setup;
use crate::env;

/// Idle ranks that are compared, so that what a process has once does not count.
const IDLE: (u64, u64) = (10_000, 60_000);
/// KiB that an idle rank may take beside its stack.
const ROOM: f64 = 20.0;
const RING: u64 = 100_000;
const HEAT: u64 = 16_384;

pub fn run(s: &Setup, rounds: &Path) -> Result<Value> {
    let idle = idle(rounds)?;
    let built = |source: &str, exe: &str| {
        let exe = s.exe(exe);
        let mut cc = s.pc3cc();
        cc.args(["-O3", "-w"]).arg(env::root().join(source));
        env::run(cc.arg("-o").arg(&exe).arg("-lm")).map(|_| exe)
    };
    let ring = built("tests/bench/ring.c", "ring.many")?;
    let heat = built("examples/c/heat/heat.c", "heat.many")?;
    println!(
        "{:50} {:>10} {:>10} {:>10}",
        "job", "seconds", "peak MiB", "status"
    );
    let rows: [(&str, &Path, &[&str], u64); 2] = [
        ("ring and allreduce", &ring, &["10"], RING),
        ("heat", &heat, &["4096", "10", "5"], HEAT),
    ];
    let done: Result<Vec<Value>> = rows
        .into_iter()
        .map(|(name, exe, args, ranks)| journey(s, name, (exe, args), ranks))
        .collect();
    Ok(json!({ "idle": idle, "jobs": done? }))
}

/// A job as it is, stopped on its way, and continued on another number of workers: the same output.
fn journey(s: &Setup, name: &str, (exe, args): (&Path, &[&str]), ranks: u64) -> Result<Value> {
    let dir = s.exe("many.pc3");
    let _ = fs::remove_dir_all(&dir);
    let mut told = Vec::new();
    let mut job = |what: &str, set: &[(&str, &str)], expected: i32| {
        let mut c = Command::new(exe);
        c.args(args).env("PC3_DIR", &dir);
        c.envs(set.iter().copied());
        let run = watched(&mut c)?;
        let label = format!("{name}, {ranks} ranks, {what}");
        println!(
            "{label:50} {:10.1} {:10} {:10}",
            run.seconds,
            run.peak >> 10,
            run.status
        );
        ensure!(
            run.status == expected,
            "{label}: status {}: {}",
            run.status,
            run.error
        );
        told.push(json!({ "what": what, "seconds": run.seconds, "peak_kib": run.peak }));
        Ok(run.output)
    };
    let ranks = ranks.to_string();
    let plain = job("whole", &[("PC3_RANKS", &ranks)], 0)?;
    let begin: &[(&str, &str)] = &[
        ("PC3_RANKS", &ranks),
        ("PC3_EVERY", "5x"),
        ("PC3_STOP_AFTER", "1"),
    ];
    let first = job("to a checkpoint", begin, 85)?;
    let again: &[(&str, &str)] = &[("PC3_RESTART", "latest"), ("PC3_WORKERS", "1")];
    let rest = job("from it, one worker", again, 0)?;
    ensure!(
        first + &rest == plain,
        "{name}: another output behind the restart"
    );
    fs::remove_dir_all(&dir)?;
    Ok(json!({ "name": name, "ranks": ranks, "runs": told }))
}

struct Run {
    seconds: f64,
    /// KiB.
    peak: u64,
    status: i32,
    output: String,
    error: String,
}

/// A field of `/proc/PID/status`, in KiB.
fn status_of(pid: u32, field: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find(|l| l.starts_with(field))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn watched(c: &mut Command) -> Result<Run> {
    let start = Instant::now();
    let mut child = c
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {c:?}"))?;
    let mut stdout = child.stdout.take().context("no output")?;
    let mut stderr = child.stderr.take().context("no output")?;
    let out = std::thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).map(|_| text)
    });
    let err = std::thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).map(|_| text)
    });
    let mut peak = 0;
    let status = loop {
        peak = status_of(child.id(), "VmHWM:").unwrap_or(0).max(peak);
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = |t: std::thread::JoinHandle<std::io::Result<String>>| match t.join() {
        Ok(text) => Ok(text?),
        Err(_) => bail!("cannot read what {c:?} writes"),
    };
    Ok(Run {
        seconds: start.elapsed().as_secs_f64(),
        peak,
        status: status.code().unwrap_or(-1),
        output: text(out)?,
        error: text(err)?,
    })
}

/// KiB of memory and page tables that a process of so many ranks has when all wait; and those of ranks' stacks among them.
fn at_rest(rounds: &Path, ranks: u64) -> Result<[f64; 3]> {
    let mut c = Command::new(rounds);
    c.args(["i", "0", "wait"])
        .env("PC3_RANKS", ranks.to_string());
    c.env("PC3_WORKERS", "1");
    let mut child = c.stdout(Stdio::piped()).spawn()?;
    let stdout = child.stdout.take().context("no output")?;
    BufReader::new(stdout).read_line(&mut String::new())?;
    let field = |f: &str| status_of(child.id(), f).map(|n| n as f64);
    let told = (field("VmRSS:"), field("VmPTE:"), stacks(child.id()));
    child.kill()?;
    child.wait()?;
    match told {
        (Some(memory), Some(tables), Ok(stacks)) => Ok([memory, tables, stacks]),
        _ => bail!("a process of {ranks} ranks ended before it was looked at"),
    }
}

/// KiB of ranks' stacks: nothing else says that it wants no huge pages.
fn stacks(pid: u32) -> Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps"))?;
    let (mut sum, mut resident) = (0.0, 0.0);
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("Rss:"), Some(n)) => resident = n.parse().unwrap_or(0.0),
            (Some("VmFlags:"), _) if line.contains(" nh") => {}
            _ => continue,
        }
        if line.starts_with("VmFlags:") {
            sum += resident;
        }
    }
    Ok(sum)
}

fn idle(rounds: &Path) -> Result<Value> {
    let (few, many) = (at_rest(rounds, IDLE.0)?, at_rest(rounds, IDLE.1)?);
    let each = |i: usize| (many[i] - few[i]) / (IDLE.1 - IDLE.0) as f64;
    let (memory, tables, stack) = (each(0), each(1), each(2));
    let rest = memory - stack;
    println!(
        "an idle rank, KiB: memory {memory:.1}, of it stack {stack:.1}, the rest {rest:.1} (goal {ROOM}); page tables {tables:.1}"
    );
    Ok(json!({ "memory": memory, "stack": stack, "rest": rest, "tables": tables, "goal": ROOM }))
}
