//! Where large blocks lie: loops over 2 to 6 arrays of fifty sizes, beside the C library's allocator and others that are
//! installed. The processor's caches decide, so it is time that counts, and each figure is the least of several runs in turn.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{json, Value};

use super::{timed, Setup};
use crate::env;

const TURNS: usize = 5;
/// Names, and libraries that are loaded in front of the C library's.
const OTHERS: [(&str, &str); 2] = [
    ("jemalloc", "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"),
    ("mimalloc", "/usr/lib/x86_64-linux-gnu/libmimalloc.so.2"),
];

/// Nanoseconds an element by arrays and width.
type Times = BTreeMap<(u32, u32), f64>;

fn keep_least(times: &mut Times, arrays: u32, out: &str) -> Result<()> {
    for line in out.lines() {
        let (width, time) = line.split_once(' ').context("a width and a time")?;
        let time: f64 = time.parse()?;
        let least = times.entry((arrays, width.parse()?)).or_insert(time);
        *least = least.min(time);
    }
    Ok(())
}

pub fn run(s: &Setup) -> Result<Value> {
    let source = env::root().join("tests/bench/arrays.c");
    let (plain, ours) = (s.exe("arrays.plain"), s.exe("arrays.pc3"));
    let build = |c: &mut Command, exe: &Path| {
        env::run(c.args(["-O3", "-w"]).arg(&source).arg("-o").arg(exe))
    };
    build(Command::new("cc").arg("-ffp-contract=off"), &plain)?;
    build(&mut s.pc3cc(), &ours)?;
    let mut all = vec![("glibc", &plain, None), ("pc3", &ours, None)];
    let installed = OTHERS.iter().filter(|o| Path::new(o.1).is_file());
    all.extend(installed.map(|o| (o.0, &plain, Some(o.1))));
    let mut times: Vec<Times> = vec![Times::new(); all.len()];
    for _ in 0..TURNS {
        for arrays in 2..=6 {
            for ((_, exe, library), into) in all.iter().zip(&mut times) {
                let mut c = Command::new(exe);
                c.arg(arrays.to_string()).current_dir(&s.work);
                c.envs(library.map(|l| ("LD_PRELOAD", l)));
                keep_least(into, arrays, &timed(&mut c)?.0)?;
            }
        }
    }
    println!(
        "{:10} {:>14} {:>8} {:>20}",
        "allocator", "÷ glibc, mean", "worst", "arrays, width"
    );
    let mut rows = Vec::new();
    for ((name, ..), of) in all.iter().zip(&times) {
        let ratio = |(at, t): (&(u32, u32), &f64)| (*at, t / times[0][at]);
        let ratios: Vec<((u32, u32), f64)> = of.iter().map(ratio).collect();
        let logs: f64 = ratios.iter().map(|r| r.1.ln()).sum();
        let mean = (logs / ratios.len().max(1) as f64).exp();
        let worst = ratios.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let ((arrays, width), most) = worst.context("no times")?;
        let at = format!("{arrays}, {width}");
        println!("{name:10} {mean:14.3} {most:8.2} {at:>20}");
        let each: Vec<Value> = of
            .iter()
            .map(|((arrays, width), t)| json!({ "arrays": arrays, "width": width, "nanoseconds": t }))
            .collect();
        rows.push(
            json!({ "allocator": name, "mean": mean, "worst": most, "at": at, "times": each }),
        );
    }
    Ok(json!({ "rows": rows }))
}
