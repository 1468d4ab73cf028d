//! Instructions of the examples in Rust, with the attributes and without; what starting and ending costs is left out, and
//! what the dynamic loader does before `main`.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::{json, Value};

use super::{callgrind, Setup};
use crate::env;

/// Those that are one process and compute for a while.
const PROGRAMS: &[&str] = &[
    "branch-and-bound",
    "game-of-life",
    "heat",
    "kmeans",
    "nbody",
    "sum-of-primes",
    "tour",
];

pub fn run(s: &Setup) -> Result<Value> {
    println!(
        "{:18} {:>14} {:>14} {:>8}",
        "program", "plain instr", "pc3 instr", "ratio"
    );
    let instructions = |exe: &Path| -> Result<u64> {
        let mut c = Command::new(exe);
        c.current_dir(&s.work);
        Ok(callgrind::collected(&c, &s.exe("callgrind.out"), &[], &["--toggle-collect=main"])?.1)
    };
    let forms: [(&str, &[&str]); 2] = [("plain", &["--features", "plain"]), ("pc3", &[])];
    let mut start = [0; 2];
    for (n, (form, features)) in start.iter_mut().zip(forms) {
        let exe = s.exe(&format!("nothing.rust.{form}"));
        example(features, "nothing", &exe)?;
        *n = instructions(&exe)?;
    }
    println!("{:18} {:14} {:14}", "start and end", start[0], start[1]);
    let (mut rows, mut logs) = (Vec::new(), 0.0);
    for name in PROGRAMS {
        let mut counts = [0; 2];
        for ((n, start), (form, features)) in counts.iter_mut().zip(start).zip(forms) {
            let exe = s.exe(&format!("{name}.rust.{form}"));
            build(&["-p", "pc3-examples", "--bin", name], features, name, &exe)?;
            *n = instructions(&exe)?.saturating_sub(start).max(1);
        }
        let [plain, ours] = counts;
        let ratio = ours as f64 / plain as f64;
        logs += ratio.ln();
        println!("{name:18} {plain:14} {ours:14} {ratio:8.4}");
        rows.push(json!({ "program": name, "plain_instructions": plain, "pc3_instructions": ours, "ratio": ratio }));
    }
    let mean = (logs / PROGRAMS.len() as f64).exp();
    println!("geometric mean: {mean:.4}");
    Ok(json!({ "rows": rows, "geometric_mean": mean }))
}

/// An example of the crate `pc3`.
pub fn example(features: &[&str], name: &str, to: &Path) -> Result<()> {
    let out = format!("examples/{name}");
    build(&["-p", "pc3", "--example", name], features, &out, to)
}

fn build(what: &[&str], features: &[&str], out: &str, to: &Path) -> Result<()> {
    let mut c = Command::new("cargo");
    c.args(["build", "--release", "--quiet"]);
    env::run(c.args(what).args(features).current_dir(env::root()))?;
    std::fs::copy(env::target_dir().join("release").join(out), to)?;
    Ok(())
}
