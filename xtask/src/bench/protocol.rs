//! What the non-blocking protocol costs while no checkpoint is under way: instructions of a round of communication at 16
//! ranks, and messages between two processes, beside the barrier protocol.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use anyhow::{bail, Context, Result};
use serde_json::{json, Value};

use super::{callgrind, Setup};
use crate::env;

const KINDS: [&str; 3] = ["pingpong", "barrier", "allreduce"];
const PROTOCOLS: [&str; 2] = ["barrier", "nonblocking"];
const ROUNDS: u64 = 2000;
const TRIES: u32 = 50;

pub fn run(s: &Setup) -> Result<Value> {
    let exe = s.exe("rounds");
    let source = env::root().join("tests/bench/rounds.c");
    env::run(
        s.pc3cc()
            .args(["-O3", "-w"])
            .arg(&source)
            .arg("-o")
            .arg(&exe),
    )?;
    let mut rows = instructions(s, &exe)?;
    println!(
        "{:12} {:>10} {:>12}",
        "messages", PROTOCOLS[0], PROTOCOLS[1]
    );
    for (kind, row) in KINDS.iter().zip(&mut rows) {
        let mut each = Vec::new();
        for protocol in PROTOCOLS {
            let (few, many) = (ROUNDS / 4, ROUNDS / 2);
            let more =
                frames(s, &exe, (kind, many), protocol)? - frames(s, &exe, (kind, few), protocol)?;
            each.push(more as f64 / (many - few) as f64);
        }
        println!("{kind:12} {:10.3} {:12.3}", each[0], each[1]);
        row["messages"] = json!(each);
    }
    Ok(
        json!({ "unit": "a round, 16 ranks: instructions; messages between two processes", "rows": rows }),
    )
}

/// What two processes say that they have sent each other, and what counts when it is asked whether anything is under way.
fn frames(s: &Setup, exe: &Path, (kind, rounds): (&str, u64), protocol: &str) -> Result<i64> {
    // The end of one may forestall the other's report.
    for _ in 0..TRIES {
        let mut job = std::process::Command::new(s.tree.join("bin/pc3run"));
        job.args([
            "-n", "16", "-w", "4", "-p", "2", "--mpi", "none", "--map", "cyclic",
        ]);
        job.args(["--protocol", protocol]).arg(exe);
        job.args([kind, &rounds.to_string(), "wait"]);
        job.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = job.spawn().context("cannot run pc3run")?;
        let stdout = child.stdout.take().context("no output")?;
        BufReader::new(stdout).read_line(&mut String::new())?;
        // SAFETY: a plain system call; the child has not been waited for.
        unsafe { libc::kill(child.id() as i32, libc::SIGQUIT) };
        let said = child.wait_with_output()?.stderr;
        let said = String::from_utf8_lossy(&said).into_owned();
        let sent = said
            .lines()
            .filter_map(|l| l.split_once(" frames sent")?.0.trim().parse().ok());
        let sent: Vec<i64> = sent.collect();
        if sent.len() == 2 {
            return Ok(sent.iter().sum());
        }
    }
    bail!("both processes never said what they had sent")
}

fn instructions(s: &Setup, exe: &Path) -> Result<Vec<Value>> {
    println!(
        "{:12} {:>10} {:>12} {:>8}",
        "instructions", "barrier", "nonblocking", "ratio"
    );
    let mut rows = Vec::new();
    for kind in KINDS {
        let mut each = Vec::new();
        for protocol in PROTOCOLS {
            let count = |rounds: u64| {
                let mut c = std::process::Command::new(exe);
                c.args([kind, &rounds.to_string()])
                    .env("PC3_RANKS", "16")
                    .env("PC3_WORKERS", "1")
                    .env("PC3_PROTOCOL", protocol);
                callgrind::instructions(&c, &s.exe("rounds.callgrind"), &[])
            };
            // What starting and ending costs is in both.
            let (few, many) = (count(ROUNDS)?.1, count(2 * ROUNDS)?.1);
            each.push(many.saturating_sub(few) as f64 / ROUNDS as f64);
        }
        let ratio = each[1] / each[0];
        println!("{kind:12} {:10.1} {:12.1} {ratio:8.4}", each[0], each[1]);
        rows.push(json!({
            "kind": kind,
            "barrier": each[0],
            "nonblocking": each[1],
            "ratio": ratio,
        }));
    }
    Ok(rows)
}
