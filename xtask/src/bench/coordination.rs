//! How long it takes from a request until the checkpoint of ranks without data is committed, and how long each rank stands
//! still for it, by both protocols; and the same where one rank has data and the others have none.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Result};
use serde_json::{json, Value};

use super::{median, Setup};
use crate::env;

const PROTOCOLS: [&str; 2] = ["barrier", "nonblocking"];
const RANKS: [u32; 10] = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
/// Of rank 0 among as many, in MiB.
const DATA: [u32; 3] = [1, 64, 256];
const BESIDE: u32 = 4;
/// Requests of which the median counts.
const REQUESTS: usize = 15;
const LIMIT: Duration = Duration::from_secs(60);

pub fn run(s: &Setup) -> Result<Value> {
    let exe = s.exe("tokens");
    let source = env::root().join("tests/bench/tokens.c");
    env::run(
        s.pc3cc()
            .args(["-O3", "-w"])
            .arg(&source)
            .arg("-o")
            .arg(&exe),
    )?;
    println!("milliseconds: until it is committed, and the mean and the longest stall of a rank");
    let equal = RANKS.map(|ranks| (ranks, (ranks, 0)));
    let rows = table(s, &exe, "ranks", &equal, |t| {
        [("mean_stall", t.mean), ("longest_stall", t.longest)]
    })?;
    println!("{BESIDE} ranks, rank 0 with so many MiB: until it is committed, and the stall of rank 0 and the longest other");
    let unequal = DATA.map(|mib| (mib, (BESIDE, mib)));
    let unequal = table(s, &exe, "MiB", &unequal, |t| {
        [("stall", t.first), ("longest_other", t.others)]
    })?;
    Ok(json!({ "unit": "milliseconds", "rows": rows, "unequal": unequal }))
}

/// A row for each job of so many ranks, rank 0 with so many MiB; two stalls of each.
fn table(
    s: &Setup,
    exe: &Path,
    label: &str,
    jobs: &[(u32, (u32, u32))],
    stalls: impl Fn(&Times) -> [(&'static str, f64); 2],
) -> Result<Vec<Value>> {
    println!("{label:>6} {:^32} {:^32}", PROTOCOLS[0], PROTOCOLS[1]);
    let mut rows = Vec::new();
    for (number, what) in jobs {
        let mut row = json!({ label: number });
        print!("{number:6}");
        for protocol in PROTOCOLS {
            let times = job(s, exe, *what, protocol)?;
            print!(" {:12.2}", times.committed);
            row[protocol] = json!({ "committed": times.committed });
            for (name, stall) in stalls(&times) {
                print!(" {stall:9.3}");
                row[protocol][name] = json!(stall);
            }
        }
        println!();
        rows.push(row);
    }
    Ok(rows)
}

/// Milliseconds.
struct Times {
    committed: f64,
    mean: f64,
    longest: f64,
    /// Of rank 0, and the longest of another.
    first: f64,
    others: f64,
}

/// Ends with the measurement.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn job(s: &Setup, exe: &Path, (ranks, mib): (u32, u32), protocol: &str) -> Result<Times> {
    let dir = s.work.join("tokens.ckpt");
    let _ = fs::remove_dir_all(&dir);
    let child = Command::new(exe)
        .arg(mib.to_string())
        .env("PC3_RANKS", ranks.to_string())
        .env("PC3_PROTOCOL", protocol)
        .env("PC3_DIR", &dir)
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {}", exe.display()))?;
    let mut job = Running(child);
    // It runs, and asks for signals.
    let mut line = String::new();
    let stdout = job.0.stdout.take().context("no output")?;
    BufReader::new(stdout).read_line(&mut line)?;
    let most = |stalls: &[f64]| stalls.iter().copied().fold(0.0, f64::max);
    let (mut committed, mut means, mut longest) = (Vec::new(), Vec::new(), Vec::new());
    let (mut firsts, mut others) = (Vec::new(), Vec::new());
    for _ in 0..REQUESTS {
        let before = newest(&dir);
        let start = Instant::now();
        // SAFETY: a plain system call; the child has not been waited for.
        unsafe { libc::kill(job.0.id() as i32, libc::SIGUSR1) };
        let id = until(start, || newest(&dir).filter(|id| Some(*id) > before))?;
        committed.push(start.elapsed().as_secs_f64() * 1e3);
        let stalls = until(start, || stalls(&dir, id))?;
        means.push(stalls.iter().sum::<f64>() / stalls.len().max(1) as f64);
        longest.push(most(&stalls));
        let (first, rest) = stalls.split_first().context("no stall is told")?;
        firsts.push(*first);
        others.push(most(rest));
    }
    drop(job);
    fs::remove_dir_all(&dir)?;
    Ok(Times {
        committed: median(committed),
        mean: median(means),
        longest: median(longest),
        first: median(firsts),
        others: median(others),
    })
}

fn until<T>(start: Instant, mut look: impl FnMut() -> Option<T>) -> Result<T> {
    loop {
        if let Some(found) = look() {
            return Ok(found);
        }
        ensure!(start.elapsed() < LIMIT, "no checkpoint within {LIMIT:?}");
        std::thread::sleep(Duration::from_micros(50));
    }
}

pub fn newest(dir: &Path) -> Option<u64> {
    let name = |e: fs::DirEntry| e.file_name().into_string().ok();
    let id = |name: String| {
        name.strip_prefix("ckpt-")?
            .strip_suffix(".pc3c")?
            .parse()
            .ok()
    };
    let all = fs::read_dir(dir).ok()?.flatten();
    all.filter_map(name).filter_map(id).max()
}

/// Milliseconds that each rank stood still for this checkpoint, once they are told.
pub fn stalls(dir: &Path, id: u64) -> Option<Vec<f64>> {
    let text = fs::read_to_string(dir.join("stalls")).ok()?;
    let (head, rest) = text.split_once('\n')?;
    let of: u64 = head.strip_prefix("checkpoint ")?.parse().ok()?;
    let time = |line: &str| line.split_once(' ')?.1.parse::<f64>().ok();
    (of == id).then(|| rest.lines().filter_map(time).map(|ns| ns / 1e6).collect())
}
