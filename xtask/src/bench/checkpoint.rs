//! Stall, size and restart time of big checkpoints.  A restart is from the start of the process to the program's
//! first statement behind the checkpoint.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{ensure, Context, Result};
use serde_json::{json, Value};

use super::{median, rust, timed, Setup};
use crate::env;

const ROUNDS: usize = 5;
const RUST: &str = "doubles-rust";

pub fn run(s: &Setup) -> Result<Value> {
    println!(
        "{:24} {:>10} {:>12} {:>12} {:>12}",
        "program", "stall s", "size MiB", "restart s", "plain run s"
    );
    let mut rows = Vec::new();
    for (name, what) in [
        ("doubles", "1 GiB of doubles"),
        ("nodes", "1000000 heap nodes"),
        (RUST, "1 GiB in a Rust Vec<f64>"),
    ] {
        let (plain, ours) = (
            s.exe(&format!("{name}.plain")),
            s.exe(&format!("{name}.pc3")),
        );
        match name {
            RUST => {
                rust::example(&["--features", "plain"], "doubles", &plain)?;
                rust::example(&[], "doubles", &ours)?;
            }
            name => {
                let source = env::root().join("tests/bench").join(format!("{name}.c"));
                for (mut cc, exe) in [(Command::new("cc"), &plain), (s.pc3cc(), &ours)] {
                    let c = cc.args(["-O2", "-w"]).arg(&source);
                    env::run(c.arg("-o").arg(exe))?;
                }
            }
        }
        let dir = s.work.join(format!("{name}.ckpt"));
        let (mut stalls, mut restarts, mut whole, mut size) =
            (Vec::new(), Vec::new(), Vec::new(), 0);
        for _ in 0..ROUNDS {
            let (plain_out, t) = timed(&mut Command::new(&plain))?;
            whole.push(t);
            let _ = fs::remove_dir_all(&dir);
            let (out, _) = timed(
                Command::new(&ours)
                    .env("PC3_DIR", &dir)
                    .env("PC3_EVERY", "1x"),
            )?;
            stalls.push(value(&out, "stall")?);
            ensure!(
                value(&out, "sum")? == value(&plain_out, "sum")?,
                "results differ"
            );
            size = fs::read_dir(&dir)?
                .flatten()
                .filter_map(|e| e.metadata().ok())
                .map(|m| m.len())
                .sum::<u64>();
            let begun = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64();
            let (again, _) = timed(
                Command::new(&ours)
                    .env("PC3_DIR", &dir)
                    .env("PC3_RESTART", "latest"),
            )?;
            ensure!(
                value(&again, "sum")? == value(&plain_out, "sum")?,
                "results differ after the restart"
            );
            restarts.push(value(&again, "at")? - begun);
        }
        let _ = fs::remove_dir_all(&dir);
        let (stall, restart, whole, mib) = (
            median(stalls),
            median(restarts),
            median(whole),
            size as f64 / f64::from(1 << 20),
        );
        println!("{what:24} {stall:10.3} {mib:12.1} {restart:12.3} {whole:12.3}");
        rows.push(json!({ "program": what, "stall_seconds": stall, "size_mib": mib, "restart_seconds": restart }));
    }
    Ok(
        json!({ "rows": rows, "commits": commits(s)?, "increments": increments(s)?, "series": series(s)? }),
    )
}

/// The third checkpoint of a state of which 5 % change: its bytes, how long ranks stand, and a restart from it.
fn increments(s: &Setup) -> Result<Value> {
    let exe = s.exe("doubles.pc3");
    let dir = s.work.join("increments.ckpt");
    println!(
        "{:24} {:>10} {:>12} {:>12}",
        "1 GiB, 5 % changed", "third s", "third MiB", "restart s"
    );
    let mut rows = Vec::new();
    for (how, changes) in [("together", "1"), ("each 20th page", "2")] {
        let (mut stalls, mut restarts, mut size) = (Vec::new(), Vec::new(), 0);
        for _ in 0..ROUNDS {
            let _ = fs::remove_dir_all(&dir);
            let job = || {
                let mut job = Command::new(&exe);
                job.args(["1024", "3", changes]).env("PC3_DIR", &dir);
                job
            };
            let mut first = job();
            first.env("PC3_EVERY", "1x").env("PC3_INCREMENTS", "on");
            stalls.push(value(&timed(&mut first)?.0, "stall")?);
            let length = |name: &str| fs::metadata(dir.join(name)).map(|m| m.len());
            size = length("ckpt-000003.pc3c")? + length("pack-000003-0.pc3p")?;
            let begun = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64();
            let (again, _) = timed(job().env("PC3_RESTART", "latest"))?;
            restarts.push(value(&again, "at")? - begun);
        }
        let (stall, restart) = (median(stalls), median(restarts));
        let mib = size as f64 / f64::from(1 << 20);
        println!("{how:24} {stall:10.3} {mib:12.1} {restart:12.3}");
        rows.push(json!({ "changed": how, "stall_seconds": stall, "size_mib": mib, "restart_seconds": restart }));
    }
    let _ = fs::remove_dir_all(&dir);
    Ok(rows.into())
}

/// A thousand checkpoints of a state of which 5 % change, elsewhere each time: what the last ones take, beside the first.
/// Nothing is compressed: how well that can be done changes on the way.
fn series(s: &Setup) -> Result<Value> {
    let exe = s.exe("doubles.pc3");
    let dir = s.work.join("series.ckpt");
    println!(
        "{:24} {:>10} {:>12} {:>12} {:>12} {:>12}",
        "64 MiB, 5 % changed", "number", "commit s", "on disk MiB", "files", "restart s"
    );
    let mut rows = Vec::new();
    for (number, which) in [("70", "early"), ("1000", "late")] {
        let _ = fs::remove_dir_all(&dir);
        let job = || {
            let mut job = Command::new(&exe);
            job.args(["64", number, "3", "0"]).env("PC3_DIR", &dir);
            job
        };
        let mut all = job();
        all.env("PC3_EVERY", "1x").env("PC3_INCREMENTS", "on");
        all.env("PC3_COMPRESS", "off");
        let commit = value(&timed(all.env("PC3_COMMIT", "sync"))?.0, which)?;
        let files = fs::read_dir(&dir)?.flatten().collect::<Vec<_>>();
        let bytes = files
            .iter()
            .filter_map(|f| f.metadata().ok())
            .map(|m| m.len());
        let (mib, count) = (bytes.sum::<u64>() as f64 / f64::from(1 << 20), files.len());
        let mut restarts = Vec::new();
        for _ in 0..ROUNDS {
            let begun = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64();
            let (again, _) = timed(job().env("PC3_RESTART", "latest"))?;
            restarts.push(value(&again, "at")? - begun);
        }
        let restart = median(restarts);
        println!(
            "{:24} {number:>10} {commit:12.4} {mib:12.1} {count:12} {restart:12.3}",
            ""
        );
        rows.push(json!({ "number": number, "commit_seconds": commit, "on_disk_mib": mib, "files": count, "restart_seconds": restart }));
    }
    let _ = fs::remove_dir_all(&dir);
    Ok(rows.into())
}

/// What ranks wait for, and when the file is durable: three checkpoints, four seconds apart.
fn commits(s: &Setup) -> Result<Value> {
    let exe = s.exe("doubles.pc3");
    let dir = s.work.join("commits.ckpt");
    println!(
        "{:24} {:>10} {:>12} {:>12}",
        "1 GiB of doubles", "first s", "third s", "durable s"
    );
    let mut rows = Vec::new();
    for how in ["sync", "async", "async:2G"] {
        let (mut first, mut stalls, mut durable) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let _ = fs::remove_dir_all(&dir);
            let mut job = Command::new(&exe);
            job.args(["1024", "3"]).env("PC3_DIR", &dir);
            job.env("PC3_EVERY", "1x").env("PC3_COMMIT", how);
            let (out, _) = timed(&mut job)?;
            let (stall, at) = (value(&out, "stall")?, value(&out, "at")?);
            // Its name is its last change.
            let named = fs::metadata(dir.join("ckpt-000003.pc3c"))?;
            let named = named.ctime() as f64 + 1e-9 * named.ctime_nsec() as f64;
            first.push(value(&out, "first")?);
            stalls.push(stall);
            durable.push(named - (at - stall));
        }
        let (first, stall, durable) = (median(first), median(stalls), median(durable));
        println!("--commit {how:15} {first:10.3} {stall:12.3} {durable:12.3}");
        rows.push(json!({ "commit": how, "first_stall_seconds": first, "stall_seconds": stall, "durable_seconds": durable }));
    }
    let _ = fs::remove_dir_all(&dir);
    Ok(rows.into())
}

fn value(out: &str, key: &str) -> Result<f64> {
    let line = out
        .lines()
        .find_map(|l| l.strip_prefix(key))
        .with_context(|| format!("no '{key}' in {out:?}"))?;
    Ok(line.trim().parse()?)
}
