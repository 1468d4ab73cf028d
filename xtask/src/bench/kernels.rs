//! NPB's kernels on all cores: as processes of a native MPI, as as many ranks, and as 16 times as many.
//!
//! Where Linux gives huge pages to those that ask (`madvise`), pc3's heap does and plain programs do not: as many ranks run
//! with small pages too.  A virtual machine whose host takes free memory back has to ask for it again, which takes longer
//! than a run of these, and whoever runs next after a program that used its memory in another way pays for both: each run
//! that counts follows one of the same that does not.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{json, Value};

use super::{clock, limited, median, native_mpis, sources, spans, Setup};
use crate::env;

pub(super) const KERNELS: &[(&str, &str)] = &[
    ("cg", "A"),
    ("is", "A"),
    ("ep", "W"),
    ("mg", "A"),
    ("ft", "A"),
];
/// What is measured of a run: what the benchmark defines to be timed, and all between MPI's start and end.
const PARTS: [&str; 2] = ["timed", "whole"];
const ROUNDS: usize = 7;
/// Seconds for one run.
pub(super) const LIMIT: u32 = 300;

/// The kernels want powers of two.
pub(super) fn cores() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    1 << cores.ilog2().min(4)
}

pub fn run(s: &Setup) -> Result<Value> {
    let Some((native, cc, launcher)) = native_mpis().into_iter().next() else {
        println!("skipped: no native MPI to compare with");
        return Ok(Value::Null);
    };
    let cores = cores();
    let (clock, wrap) = clock(s)?;
    println!(
        "{cores} cores, seconds; {native} and pc3, ranks per core (4K: small pages); paired ratios"
    );
    println!(
        "{:11} {:>10} {:>10} {:>10} {:>10} {:>8} {:>8} {:>8}",
        "kernel", native, "pc3 x1", "x1, 4K", "pc3 x16", "ratio", "4K", "x16"
    );
    let mut rows = Vec::new();
    let mut logs = [[0.0; 3]; 2];
    for (name, class) in KERNELS {
        let folder = env::root().join("examples/c").join(name);
        let build = |mut c: Command, exe: &Path| -> Result<()> {
            c.args(["-O3", "-w"]).args(sources(&folder)?);
            env::run(c.arg(&clock).arg(wrap).arg("-o").arg(exe).arg("-lm"))
        };
        let plain = s.exe(&format!("{name}.{native}"));
        let ours = s.exe(&format!("{name}.ranks"));
        build(Command::new(cc), &plain)?;
        build(s.pc3cc(), &ours)?;
        let mpirun = || {
            let mut c = limited(LIMIT, launcher[0].as_ref());
            c.args(&launcher[1..]).args(["-n", &cores.to_string()]);
            c.arg(&plain).arg(class).current_dir(&s.work);
            c
        };
        let ranks = |each: usize, small: bool| {
            let mut c = limited(LIMIT, ours.as_os_str());
            c.arg(class).current_dir(&s.work);
            if small {
                c.env("SPAN_SMALL_PAGES", "1");
            }
            c.env("PC3_RANKS", (cores * each).to_string());
            c.env("PC3_WORKERS", cores.to_string());
            c
        };
        let mut turns = Vec::new();
        let warm = |c: &dyn Fn() -> Command| -> Result<_> {
            spans(&mut c())?;
            spans(&mut c())
        };
        for _ in 0..ROUNDS {
            turns.push([
                warm(&mpirun)?,
                warm(&|| ranks(1, false))?,
                warm(&|| ranks(1, true))?,
                warm(&|| ranks(16, false))?,
            ]);
        }
        let mut row = json!({ "kernel": name, "class": class });
        for (part, logs) in PARTS.iter().zip(&mut logs) {
            let of = |(whole, timed): (f64, Option<f64>)| match *part {
                "timed" => timed.context("the kernel does not say what is timed"),
                _ => Ok(whole),
            };
            let all: Vec<[f64; 4]> = turns
                .iter()
                .map(|t| Ok([of(t[0])?, of(t[1])?, of(t[2])?, of(t[3])?]))
                .collect::<Result<_>>()?;
            let seconds = [0, 1, 2, 3].map(|i| median(all.iter().map(|t| t[i]).collect()));
            let ratios = [1, 2, 3].map(|i| median(all.iter().map(|t| t[i] / t[0]).collect()));
            let [a, b, small, c] = seconds;
            println!(
                "{name:4} {part:6} {a:10.3} {b:10.3} {small:10.3} {c:10.3} {:8.3} {:8.3} {:8.3}",
                ratios[0], ratios[1], ratios[2]
            );
            for (sum, r) in logs.iter_mut().zip(ratios) {
                *sum += r.ln() / KERNELS.len() as f64;
            }
            row[*part] = json!({ "native_seconds": a, "pc3_seconds": b, "pc3_small_pages_seconds": small, "pc3_16_seconds": c,
                "ratio": ratios[0], "ratio_small_pages": ratios[1], "ratio_16": ratios[2] });
        }
        rows.push(row);
    }
    let mut means = json!({});
    for (part, logs) in PARTS.iter().zip(logs) {
        let of = logs.map(f64::exp);
        println!(
            "geometric means, {part}: {:.3}, with small pages {:.3}, with 16 ranks per core {:.3}",
            of[0], of[1], of[2]
        );
        means[*part] = json!(of);
    }
    Ok(json!({ "cores": cores, "native": native, "rows": rows, "geometric_means": means }))
}
