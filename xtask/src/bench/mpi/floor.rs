//! What the machine takes by itself: a cache line's way between two processors, and what a broadcast has to write.

use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{json, Value};

use super::super::{limited, timed, Setup};
use crate::env;

/// Two processors, and what they take.
pub struct Floor {
    /// For taskset.
    pub pair: String,
    /// Nanoseconds, one way.
    pub line: f64,
    /// Microseconds for 63 MiB, by one of them and by both.
    pub copy: [f64; 2],
}

/// Of the two processors between which a line takes the shortest: where the system has put virtual ones makes a difference of ten.
pub fn measure(s: &Setup) -> Result<Floor> {
    let exe = s.exe("floor");
    let source = env::root().join("tests/bench/floor.c");
    let mut cc = Command::new("cc");
    env::run(
        cc.args(["-O2", "-w"])
            .arg(source)
            .arg("-o")
            .arg(&exe)
            .arg("-lpthread"),
    )?;
    let run = |args: &[&str]| timed(limited(60, exe.as_os_str()).args(args));
    let (lines, _) = run(&["lines"])?;
    let (a, b, line) = lines
        .lines()
        .filter_map(|l| {
            let mut words = l.split(' ');
            Some((
                words.next()?,
                words.next()?,
                words.next()?.parse::<f64>().ok()?,
            ))
        })
        .min_by(|x, y| x.2.total_cmp(&y.2))
        .context("two processors are needed")?;
    let (copy, _) = run(&["copy", a, b])?;
    let mut copy = copy.split_whitespace().filter_map(|n| n.parse().ok());
    let copy = [(); 2].map(|()| copy.next().unwrap_or(f64::NAN));
    Ok(Floor {
        pair: format!("{a},{b}"),
        line,
        copy,
    })
}

impl Floor {
    pub fn print(&self) {
        println!(
            "processors {}: a cache line takes {:.0} ns from one to the other; 63 MiB are written in {:.0} µs by one, {:.0} by both",
            self.pair, self.line, self.copy[0], self.copy[1]
        );
    }

    pub fn json(&self) -> Value {
        json!({ "processors": self.pair, "line_ns": self.line, "copy_63_mib_by_one": self.copy[0], "copy_63_mib_by_both": self.copy[1] })
    }
}
