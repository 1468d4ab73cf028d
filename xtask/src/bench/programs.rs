//! Whole programs under either protocol, a checkpoint every so often: how long they take, how many checkpoints they get, and
//! how long a rank stands still for one.  What the default protocol is decided by.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{ensure, Result};
use pc3_tests::program::Program;
use serde_json::{json, Value};

use super::coordination::{newest, stalls};
use super::{median, Setup};
use crate::env;

/// Source, arguments (none: those of its tests), interval.
const PROGRAMS: [(&str, &[&str], &str); 7] = [
    ("tests/apart/farm.c", &[], "10ms"),
    ("tests/apart/ahead.c", &[], "10ms"),
    ("tests/apart/irregular.c", &[], "10ms"),
    ("tests/apart/overlap.c", &[], "10ms"),
    ("tests/apart/long.c", &[], "10ms"),
    ("tests/apart/groups.c", &[], "10ms"),
    ("examples/c/heat/heat.c", &["512", "1500"], "50ms"),
];
const WORKERS: &str = "2";
const RUNS: usize = 5;
const WAYS: [Option<&str>; 3] = [None, Some("barrier"), Some("nonblocking")];

pub fn run(s: &Setup) -> Result<Value> {
    println!(
        "seconds without checkpoints; then, for each protocol: seconds, checkpoints, milliseconds that a rank stood still"
    );
    println!(
        "{:12} {:>7} {:^24} {:^24}",
        "", "none", "barrier", "nonblocking"
    );
    let mut rows = Vec::new();
    for (source, args, interval) in PROGRAMS {
        let p = Program::load(&env::root().join(source))?;
        let exe = s.exe(&p.name);
        let mut cc = s.pc3cc();
        cc.args(["-O3", "-w"]).args(&p.sources).arg("-o").arg(&exe);
        env::run(cc.arg("-lm"))?;
        let args = match args {
            [] => p.args.clone(),
            given => given.iter().map(|a| (*a).to_owned()).collect(),
        };
        let mut row = json!({ "program": p.name });
        print!("{:12}", p.name);
        let mut all: [Vec<Once>; 3] = Default::default();
        // In turn, so that what else the machine does meets all alike.
        for _ in 0..RUNS {
            for (way, runs) in WAYS.iter().zip(&mut all) {
                runs.push(once(s, &exe, (p.ranks, &args), *way, interval)?);
            }
        }
        for (way, runs) in WAYS.iter().zip(&all) {
            let of = |one: fn(&Once) -> f64| {
                median(runs.iter().map(one).filter(|x| !x.is_nan()).collect())
            };
            let (seconds, count, stall) = (of(|r| r.seconds), of(|r| r.count), of(|r| r.stall));
            print!(" {seconds:7.2}");
            if let Some(protocol) = way {
                match stall.is_nan() {
                    true => print!(" {count:7.0} {:>8}", "-"),
                    false => print!(" {count:7.0} {stall:8.2}"),
                }
                row[protocol] = json!({ "seconds": seconds, "checkpoints": count, "stall": stall });
            } else {
                row["seconds"] = json!(seconds);
            }
        }
        println!();
        rows.push(row);
    }
    Ok(json!({ "workers": WORKERS, "rows": rows }))
}

struct Once {
    seconds: f64,
    count: f64,
    /// Of its ranks on average, in milliseconds, the median of the checkpoints of which it was seen; none: not a number.
    stall: f64,
}

fn once(
    s: &Setup,
    exe: &Path,
    (ranks, args): (u32, &[String]),
    protocol: Option<&str>,
    interval: &str,
) -> Result<Once> {
    let dir = s.work.join("programs.ckpt");
    let _ = fs::remove_dir_all(&dir);
    let mut run = Command::new(exe);
    run.args(args)
        .env("PC3_RANKS", ranks.to_string())
        .env("PC3_WORKERS", WORKERS)
        .env("PC3_DIR", &dir)
        .current_dir(&s.work)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(protocol) = protocol {
        run.env("PC3_PROTOCOL", protocol).env("PC3_EVERY", interval);
    }
    let start = Instant::now();
    let mut child = run.spawn()?;
    let (mut seen, mut stood) = (0, Vec::new());
    // Stalls are told of the newest, and only while the job runs.
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let last = newest(&dir).filter(|id| *id > seen);
        if let Some((id, each)) = last.and_then(|id| Some((id, stalls(&dir, id)?))) {
            seen = id;
            stood.push(each.iter().sum::<f64>() / each.len().max(1) as f64);
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let seconds = start.elapsed().as_secs_f64();
    ensure!(status.success(), "{}: {status}", exe.display());
    Ok(Once {
        seconds,
        count: newest(&dir).unwrap_or(0) as f64,
        stall: median(stood),
    })
}
