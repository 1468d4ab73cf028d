//! Instrumented ÷ plain at -O3 on one rank, no checkpoint taken: instructions in the user's files, and paired time
//! between MPI's start and end.  Sequential programs also whole: with the allocators, ours and the C library's.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::{json, Value};

use super::{callgrind, clock, median, native_mpis, sources, span, Setup};
use crate::env;

/// (example, arguments for counting, arguments for timing, MPI)
const PROGRAMS: &[(&str, &[&str], &[&str], bool)] = &[
    ("heat", &["128", "100"], &["512", "2000"], true),
    ("cg", &["S"], &["A"], true),
    ("is", &["S"], &["A"], true),
    ("ep", &["S"], &["S"], true),
    ("mg", &["S"], &["A"], true),
    ("ft", &["S"], &["W"], true),
    ("matrix-market", &[MATRIX], &[MATRIX], true),
    ("barnes-hut", &["200", "10"], &["2000", "60"], false),
    ("queens", &["9"], &["13"], false),
];
/// Made by the generator among the examples.
const MATRIX: &str = "laplace-200x150.mtx";
const PAIRS: usize = 7;

pub fn run(s: &Setup) -> Result<Value> {
    let mpi = native_mpis().into_iter().next();
    make_matrix(s)?;
    let (clock, wrap) = clock(s)?;
    let mut rows = Vec::new();
    println!(
        "{:14} {:>14} {:>14} {:>8} {:>8} {:>10} {:>10} {:>8}",
        "program", "plain instr", "pc3 instr", "ratio", "whole", "plain s", "pc3 s", "ratio"
    );
    let (mut logs, mut n) = (0.0, 0);
    for (name, count_args, time_args, needs_mpi) in PROGRAMS {
        let plain_cc = match (needs_mpi, &mpi) {
            (false, _) => "cc",
            (true, Some((_, cc, _))) => cc,
            (true, None) => {
                println!("{name:14} skipped: no native MPI to compare with");
                continue;
            }
        };
        let folder = env::root().join("examples/c").join(name);
        let (plain, ours) = (
            s.exe(&format!("{name}.plain")),
            s.exe(&format!("{name}.pc3")),
        );
        let common = |c: &mut Command, exe: &Path| -> Result<()> {
            env::run(
                c.args(["-O3", "-g", "-w"])
                    .args(sources(&folder)?)
                    .args(if *needs_mpi { Some(&clock) } else { None })
                    .args(needs_mpi.then_some(wrap))
                    .arg("-o")
                    .arg(exe)
                    .arg("-lm"),
            )
        };
        common(Command::new(plain_cc).arg("-ffp-contract=off"), &plain)?;
        common(&mut s.pc3cc(), &ours)?;
        let files = user_files(&folder)?;
        let command = |exe: &Path, args: &[&str]| {
            let mut c = Command::new(exe);
            c.args(args).current_dir(&s.work);
            c
        };
        let instr = |exe: &Path| {
            callgrind::instructions(&command(exe, count_args), &s.exe("callgrind.out"), &files)
        };
        let ((pi, pa), (oi, oa)) = (instr(&plain)?, instr(&ours)?);
        let (mut pt, mut ot, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..PAIRS {
            let p = span(&mut command(&plain, time_args))?;
            let o = span(&mut command(&ours, time_args))?;
            pt.push(p);
            ot.push(o);
            ratios.push(o / p);
        }
        let ratio = oi as f64 / pi as f64;
        logs += ratio.ln();
        n += 1;
        let (pt, ot, time_ratio) = (median(pt), median(ot), median(ratios));
        // An MPI library's own instructions say nothing about the program.
        let whole = (!needs_mpi).then(|| oa as f64 / pa as f64);
        let shown = whole.map_or("-".to_string(), |w| format!("{w:.4}"));
        println!(
            "{name:14} {pi:14} {oi:14} {ratio:8.4} {shown:>8} {pt:10.3} {ot:10.3} {time_ratio:8.3}"
        );
        rows.push(json!({ "program": name, "plain_instructions": pi, "pc3_instructions": oi, "instruction_ratio": ratio, "whole_instruction_ratio": whole,
            "plain_seconds": pt, "pc3_seconds": ot, "time_ratio": time_ratio }));
    }
    let mean = (logs / f64::from(n.max(1))).exp();
    println!("geometric mean of instruction ratios: {mean:.4}");
    println!();
    let public = super::public::run(s)?;
    Ok(json!({ "rows": rows, "geometric_mean": mean, "public": public }))
}

fn make_matrix(s: &Setup) -> Result<()> {
    let source = env::root().join("examples/c/matrix-market/generate/generate.c");
    let exe = s.exe("generate");
    env::run(
        Command::new("cc")
            .args(["-O2", "-w"])
            .arg(source)
            .arg("-o")
            .arg(&exe)
            .arg("-lm"),
    )?;
    let text = Command::new(exe).args(["laplace", "200", "150"]).output()?;
    Ok(std::fs::write(s.work.join(MATRIX), text.stdout)?)
}

/// Files of an example, and those that NPB's kernels share.
pub(super) fn user_files(folder: &Path) -> Result<Vec<String>> {
    let mut v = Vec::new();
    for dir in [folder.to_path_buf(), env::root().join("examples/c/npb")] {
        for e in std::fs::read_dir(dir)?.flatten() {
            let name = e.file_name().to_string_lossy().into_owned();
            if name.ends_with(".c") || name.ends_with(".h") {
                v.push(name);
            }
        }
    }
    Ok(v)
}
