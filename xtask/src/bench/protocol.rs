//! What the non-blocking protocol costs while no checkpoint is under way: instructions of a round of communication at 16
//! ranks, beside the barrier protocol.

use anyhow::Result;
use serde_json::{json, Value};

use super::{callgrind, Setup};
use crate::env;

const KINDS: [&str; 3] = ["pingpong", "barrier", "allreduce"];
const PROTOCOLS: [&str; 2] = ["barrier", "nonblocking"];
const ROUNDS: u64 = 2000;

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
    println!(
        "{:12} {:>10} {:>12} {:>8}",
        "instructions", "barrier", "nonblocking", "ratio"
    );
    let mut rows = Vec::new();
    for kind in KINDS {
        let mut each = Vec::new();
        for protocol in PROTOCOLS {
            let count = |rounds: u64| {
                let mut c = std::process::Command::new(&exe);
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
    Ok(json!({ "unit": "instructions a round, 16 ranks", "rows": rows }))
}
