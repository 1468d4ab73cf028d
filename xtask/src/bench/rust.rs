//! Instructions of the examples in Rust, with the attributes and without; what starting and ending costs is left out, and
//! what the dynamic loader does before `main`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use serde_json::{json, Value};

use super::{callgrind, Setup};
use crate::env;

/// Those that are one process, and what makes each compute for a while.
const PROGRAMS: &[(&str, &str)] = &[
    ("branch-and-bound", "60"),
    ("game-of-life", "1000"),
    ("heat", "0.005"),
    ("kmeans", "points.csv"),
    ("nbody", "50000"),
    ("sum-of-primes", "5"),
];

/// Has a marked call in the innermost loop, and is no example.
const MARKED: &str = "marked";

pub fn run(s: &Setup) -> Result<Value> {
    std::fs::write(s.work.join("points.csv"), points(4000))?;
    let forms: [(&str, &[&str]); 2] = [("plain", &["--features", "plain"]), ("pc3", &[])];
    for (form, features) in forms {
        let mut what = vec![
            "-p",
            "pc3-examples",
            "--example",
            "nothing",
            "--example",
            MARKED,
        ];
        PROGRAMS
            .iter()
            .for_each(|(name, _)| what.extend(["--bin", name]));
        let built = build(&what, features)?;
        let bins = PROGRAMS.iter().map(|(name, _)| (*name, built.join(name)));
        let rest = ["nothing", MARKED].map(|name| (name, built.join("examples").join(name)));
        for (name, from) in bins.chain(rest) {
            std::fs::copy(from, s.exe(&format!("{name}.rust.{form}")))?;
        }
    }
    println!(
        "{:18} {:>14} {:>14} {:>8}",
        "program", "plain instr", "pc3 instr", "ratio"
    );
    let instructions = |name: &str, argument: Option<&str>| -> Result<[u64; 2]> {
        let mut counts = [0; 2];
        for (n, (form, _)) in counts.iter_mut().zip(forms) {
            let mut c = Command::new(s.exe(&format!("{name}.rust.{form}")));
            c.args(argument).current_dir(&s.work);
            let options = ["--toggle-collect=main"];
            *n = callgrind::collected(&c, &s.exe("callgrind.out"), &[], &options)?.1;
        }
        Ok(counts)
    };
    let start = instructions("nothing", None)?;
    println!("{:18} {:14} {:14}", "start and end", start[0], start[1]);
    let mut rows = Vec::new();
    let mut row = |name: &str, argument: Option<&str>| -> Result<f64> {
        let counts = instructions(name, argument)?;
        let [plain, ours] = [0, 1].map(|i| counts[i].saturating_sub(start[i]).max(1));
        let ratio = ours as f64 / plain as f64;
        println!("{name:18} {plain:14} {ours:14} {ratio:8.4}");
        rows.push(json!({ "program": name, "plain_instructions": plain, "pc3_instructions": ours, "ratio": ratio }));
        Ok(ratio)
    };
    let mut logs = 0.0;
    for (name, argument) in PROGRAMS {
        logs += row(name, Some(argument))?.ln();
    }
    let mean = (logs / PROGRAMS.len() as f64).exp();
    row(MARKED, None)?;
    println!("geometric mean of the examples: {mean:.4}");
    Ok(json!({ "rows": rows, "geometric_mean": mean }))
}

/// A table of points around four places.
fn points(n: usize) -> String {
    let mut state = 7_u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24)
    };
    let line = |i: usize| {
        let (cx, cy) = [(0.0, 0.0), (5.0, 1.0), (2.0, 6.0), (-4.0, 3.0)][i % 4];
        format!("p{i},{:.4},{:.4}\n", cx + random(), cy + random())
    };
    (0..n).map(line).collect()
}

/// An example of the crate `pc3`.
pub fn example(features: &[&str], name: &str, to: &Path) -> Result<()> {
    let built = build(&["-p", "pc3", "--example", name], features)?;
    std::fs::copy(built.join("examples").join(name), to)?;
    Ok(())
}

/// Where it has been built.
fn build(what: &[&str], features: &[&str]) -> Result<PathBuf> {
    let mut c = Command::new("cargo");
    c.args(["build", "--release", "--quiet"]);
    env::run(c.args(what).args(features).current_dir(env::root()))?;
    Ok(env::target_dir().join("release"))
}
