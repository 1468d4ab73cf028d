//! NPB's kernels on all cores: as processes of a native MPI, as as many ranks, and as 16 times as many.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::{json, Value};

use super::{clock, limited, median, native_mpis, sources, span, Setup};
use crate::env;

const KERNELS: &[(&str, &str)] = &[
    ("cg", "A"),
    ("is", "A"),
    ("ep", "W"),
    ("mg", "A"),
    ("ft", "A"),
];
const ROUNDS: usize = 5;
/// Seconds for one run.
const LIMIT: u32 = 300;

pub fn run(s: &Setup) -> Result<Value> {
    let Some((native, cc, launcher)) = native_mpis().into_iter().next() else {
        println!("skipped: no native MPI to compare with");
        return Ok(Value::Null);
    };
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    // The kernels want powers of two.
    let cores = 1 << cores.ilog2().min(4);
    let (clock, wrap) = clock(s)?;
    println!("{cores} cores, seconds; {native} and pc3, ranks per core; paired ratios");
    println!(
        "{:8} {:>10} {:>10} {:>10} {:>8} {:>8}",
        "kernel", native, "pc3 x1", "pc3 x16", "ratio", "x16"
    );
    let mut rows = Vec::new();
    let mut logs = [0.0; 2];
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
        let ranks = |each: usize| {
            let mut c = limited(LIMIT, ours.as_os_str());
            c.arg(class).current_dir(&s.work);
            c.env("PC3_RANKS", (cores * each).to_string());
            c.env("PC3_WORKERS", cores.to_string());
            c
        };
        let (mut seconds, mut ratios) = ([const { Vec::new() }; 3], [const { Vec::new() }; 2]);
        for _ in 0..ROUNDS {
            let t = [
                span(&mut mpirun())?,
                span(&mut ranks(1))?,
                span(&mut ranks(16))?,
            ];
            for (to, x) in seconds.iter_mut().zip(t) {
                to.push(x);
            }
            ratios[0].push(t[1] / t[0]);
            ratios[1].push(t[2] / t[0]);
        }
        let [a, b, c] = seconds.map(median);
        let ratios = ratios.map(median);
        println!(
            "{name:8} {a:10.3} {b:10.3} {c:10.3} {:8.3} {:8.3}",
            ratios[0], ratios[1]
        );
        for (sum, r) in logs.iter_mut().zip(ratios) {
            *sum += r.ln() / KERNELS.len() as f64;
        }
        rows.push(json!({ "kernel": name, "class": class, "native_seconds": a, "pc3_seconds": b, "pc3_16_seconds": c,
            "ratio": ratios[0], "ratio_16": ratios[1] }));
    }
    let means = logs.map(f64::exp);
    println!(
        "geometric means: {:.3}, with 16 ranks per core {:.3}",
        means[0], means[1]
    );
    Ok(json!({ "cores": cores, "native": native, "rows": rows, "geometric_means": means }))
}
