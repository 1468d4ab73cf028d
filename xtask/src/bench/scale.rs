//! Very many ranks: jobs of them ([`many`]), and what their collectives cost, instructions per rank and call on one worker, by callgrind.

use std::process::Command;

use anyhow::Result;
use serde_json::{json, Value};

use super::{callgrind, many, Setup};
use crate::env;

const RANKS: &[u64] = &[16, 64, 256, 1024, 4096, 16_384, 65_536, 100_000];
/// As tests/bench/rounds.c names them.
const KINDS: &[(&str, &str)] = &[
    ("barrier", "b"),
    ("allreduce", "a"),
    ("bcast", "c"),
    ("reduce", "r"),
    ("scan", "s"),
];
/// Calls of all ranks together: starting them varies, and is to be little beside it.
const CALLS: u64 = 1_000_000;

pub fn run(s: &Setup) -> Result<Value> {
    let ours = s.exe("rounds");
    let source = env::root().join("tests/bench/rounds.c");
    env::run(
        s.pc3cc()
            .args(["-O2", "-w"])
            .arg(&source)
            .arg("-o")
            .arg(&ours),
    )?;
    let many = many::run(s, &ours)?;
    println!("\ninstructions per rank and call");
    print!("{:10}", "ranks");
    KINDS.iter().for_each(|(name, _)| print!(" {name:>10}"));
    println!();
    let mut rows = Vec::new();
    for &ranks in RANKS {
        let counted = |kind: &str, rounds: u64| {
            let mut c = Command::new(&ours);
            c.arg(kind).arg(rounds.to_string());
            c.env("PC3_RANKS", ranks.to_string())
                .env("PC3_WORKERS", "1");
            // All their stacks are to have room in what valgrind leaves.
            c.env("PC3_STACK", "64K");
            callgrind::instructions(&c, &s.exe("scale.callgrind"), &[]).map(|n| n.1)
        };
        let rounds = CALLS.div_ceil(ranks);
        print!("{ranks:10}");
        let mut row = json!({ "ranks": ranks });
        for (name, kind) in KINDS {
            let more = counted(kind, 2 * rounds)?.saturating_sub(counted(kind, rounds)?);
            let each = more as f64 / (rounds * ranks) as f64;
            print!(" {each:10.0}");
            row[name] = json!(each);
        }
        println!();
        rows.push(row);
    }
    Ok(json!({ "many": many, "instructions": rows }))
}
