//! Why kernels take longer on 16 ranks a processor: what they execute themselves then, which any MPI's ranks would, and what pc3
//! adds.  As instructions (callgrind, small classes), and as processor time (tests/bench/own.c), which has the caches in it.
//!
//! A runtime whose calls cost nothing would still take the program's own time. That beside what the native MPI's processes take as a
//! whole, their calls included, is the bound; it means something on a quiet machine only, as they spin while they wait.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{json, Value};

use super::instrumentation::user_files;
use super::kernels::{cores, KERNELS, LIMIT};
use super::{callgrind, finished, limited, median, native_mpis, sources, Setup};
use crate::env;

/// Of [`KERNELS`], for counting.
const SMALL: &[&str] = &["W", "W", "S", "W", "S"];
const ROUNDS: usize = 3;
/// Ranks a processor.
const MANY: usize = 16;
/// Valgrind counts a byte of `rep movsb` as an instruction: copies and fillings are to use others.
const TUNABLES: &str =
    "glibc.cpu.x86_rep_movsb_threshold=0x40000000:glibc.cpu.x86_rep_stosb_threshold=0x40000000";

pub fn run(s: &Setup) -> Result<Value> {
    Ok(json!({ "instructions": instructions(s)?, "seconds": seconds(s)? }))
}

/// What runs, ranks in all, and workers if they are ranks.
fn ranks(exe: &Path, ranks: usize, workers: usize) -> Command {
    let mut c = limited(LIMIT, exe.as_os_str());
    c.env("PC3_RANKS", ranks.to_string());
    c.env("PC3_WORKERS", workers.to_string());
    c
}

/// Millions, all ranks on one worker.
fn instructions(s: &Setup) -> Result<Value> {
    let cores = cores();
    println!("\nmillions of instructions, {cores} and {} ranks: the program's with its C library's, and pc3's with its", cores * MANY);
    println!(
        "{:8} {:>10} {:>10} {:>8} {:>10} {:>10} {:>8}",
        "kernel", "own", "own x16", "ratio", "pc3", "pc3 x16", "of all"
    );
    let mut rows = Vec::new();
    let mut sum = 0.0;
    for ((name, _), class) in KERNELS.iter().zip(SMALL) {
        let folder = env::root().join("examples/c").join(name);
        let exe = s.exe(&format!("{name}.pc3"));
        let mut cc = s.pc3cc();
        cc.args(["-O3", "-g", "-w"]).args(sources(&folder)?);
        env::run(cc.arg("-o").arg(&exe).arg("-lm"))?;
        let files = user_files(&folder)?;
        let count = |n: usize| -> Result<[f64; 2]> {
            let mut c = Command::new(&exe);
            c.arg(class).current_dir(&s.work);
            c.env("PC3_RANKS", n.to_string()).env("PC3_WORKERS", "1");
            c.env("GLIBC_TUNABLES", TUNABLES);
            let out = s.exe("shares.callgrind");
            let (own, all) = callgrind::with_libraries(&c, &out, &files)?;
            Ok([own as f64 / 1e6, (all - own) as f64 / 1e6])
        };
        let ([own, rest], [owns, rests]) = (count(cores)?, count(cores * MANY)?);
        let (ratio, share) = (owns / own, rests / (owns + rests));
        println!(
            "{name:5} {class:2} {own:10.1} {owns:10.1} {ratio:8.3} {rest:10.1} {rests:10.1} {:7.1}%",
            100.0 * share
        );
        sum += ratio.ln() / KERNELS.len() as f64;
        rows.push(
            json!({ "kernel": name, "class": class, "own": own, "own_16": owns, "own_ratio": ratio,
            "pc3": rest, "pc3_16": rests, "pc3_share_16": share }),
        );
    }
    println!("geometric mean of own ratios: {:.3}", sum.exp());
    Ok(json!({ "rows": rows, "own_geometric_mean": sum.exp() }))
}

/// Processor time for each processor.
fn seconds(s: &Setup) -> Result<Value> {
    let Some((native, cc, launcher)) = native_mpis().into_iter().next() else {
        println!("skipped: no native MPI to compare with");
        return Ok(Value::Null);
    };
    let cores = cores();
    println!("\nseconds of each of {cores} processors: the program's own under {native} and pc3, and pc3's (on one worker)");
    println!(
        "{:8} {native:>10} {:>10} {:>10} {:>10} {:>8} {:>8} {:>10} {:>10} {:>10} {:>8}",
        "kernel",
        "x16",
        "pc3 x1",
        "pc3 x16",
        "ratio",
        "ratio",
        "pc3's x1",
        "pc3's x16",
        "whole",
        "bound"
    );
    let mut rows = Vec::new();
    let mut logs = [0.0; 3];
    for (name, class) in KERNELS {
        let folder = env::root().join("examples/c").join(name);
        let build = |mut c: Command, exe: &Path| -> Result<()> {
            c.args(["-O3", "-w"]).args(sources(&folder)?);
            c.arg(env::root().join("tests/bench/own.c"));
            env::run(c.arg("-o").arg(exe).arg("-lm"))
        };
        let plain = s.exe(&format!("{name}.own.{native}"));
        let ours = s.exe(&format!("{name}.own"));
        build(Command::new(cc), &plain)?;
        build(s.pc3cc(), &ours)?;
        let mpirun = |n: usize| {
            let mut c = limited(LIMIT, launcher[0].as_ref());
            c.args(&launcher[1..]).args(["-n", &n.to_string()]);
            c.arg(&plain);
            c
        };
        let all = cores * MANY;
        let mut times = [const { Vec::new() }; 7];
        for _ in 0..ROUNDS {
            let parts = |c| parts(c, class, s);
            let plain = parts(mpirun(cores))?;
            let now = [
                plain.own,
                parts(mpirun(all))?.own,
                parts(ranks(&ours, cores, cores))?.own,
                parts(ranks(&ours, all, cores))?.own,
                parts(ranks(&ours, cores, 1))?.rest,
                parts(ranks(&ours, all, 1))?.rest,
                plain.whole * cores as f64,
            ];
            let each = now.map(|x| x / cores as f64);
            times.iter_mut().zip(each).for_each(|(to, x)| to.push(x));
        }
        let [a, many, b, ours, rest, rests, whole] = times.map(median);
        let ratios = [many / a, ours / a, ours / whole];
        println!(
            "{name:5} {class:2} {a:10.3} {many:10.3} {b:10.3} {ours:10.3} {:8.3} {:8.3} {rest:10.3} {rests:10.3} {whole:10.3} {:8.3}",
            ratios[0], ratios[1], ratios[2]
        );
        for (sum, r) in logs.iter_mut().zip(ratios) {
            *sum += r.ln() / KERNELS.len() as f64;
        }
        rows.push(json!({ "kernel": name, "class": class, "native": a, "native_16": many, "pc3": b, "pc3_16": ours,
            "ratio_native_16": ratios[0], "ratio_pc3_16": ratios[1], "pc3s": rest, "pc3s_16": rests,
            "native_whole": whole, "bound": ratios[2] }));
    }
    let means = logs.map(f64::exp);
    println!(
        "geometric means of own time on 16 ranks a processor: {native} {:.3}, pc3 {:.3}, beside {native}'s whole time {:.3}",
        means[0], means[1], means[2]
    );
    Ok(json!({ "native": native, "rows": rows, "geometric_means": means }))
}

/// What the program says of its times, those of all ranks together.
struct Parts {
    own: f64,
    rest: f64,
    whole: f64,
}

fn parts(mut c: Command, class: &str, s: &Setup) -> Result<Parts> {
    let (out, _) = finished(c.arg(class).current_dir(&s.work))?;
    let said = String::from_utf8_lossy(&out.stderr);
    let line = said.lines().find(|l| l.starts_with("own "));
    let time = |name: &str| {
        let mut words = line?.split_whitespace();
        words.by_ref().find(|w| *w == name)?;
        words.next()?.parse().ok()
    };
    let all = || {
        Some(Parts {
            own: time("own")?,
            rest: time("rest")?,
            whole: time("whole")?,
        })
    };
    all().with_context(|| format!("{c:?}: says no times: {said}"))
}
