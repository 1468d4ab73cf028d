//! What a run was like (`PC3_STATS`): times of workers and ranks, messages of each pair of ranks, and which placement
//! would keep more of them near. The first process gathers, tells and keeps what `PC3_MAP=auto` needs.

use std::fmt::Write;

use pc3_runtime::job::Job;
use pc3_runtime::partition::{improve, Traffic};
use pc3_runtime::placement::Placement;
use pc3_runtime::report::say;
use pc3_runtime::settings::Stats;

use crate::counts::Counts;
use crate::deadlock::ranges;
use crate::world::World;

/// Pairs of ranks that people are shown.
const SHOWN: usize = 8;

/// What each rank here has sent.  No rank runs.
fn traffic(world: &World, counts: &Counts) -> Traffic {
    let mut all = Traffic::default();
    for me in world.ranks() {
        // SAFETY: the caller's promise.
        for (to, sum) in unsafe { counts.of(me.slot) } {
            all.0.insert((me.rank, *to), *sum);
        }
    }
    all
}

/// Times in nanoseconds: applications', switching, idle, and the number of switches.
#[derive(Clone, Copy, Default)]
struct Worker([u64; 4]);

#[derive(Default)]
struct Report {
    traffic: Traffic,
    /// By number, counted through all processes.
    workers: Vec<Worker>,
    /// Each rank's time, in nanoseconds.
    ranks: Vec<u64>,
    /// Sent by each process to others.
    frames: Vec<u64>,
}

/// This process's part, as lines of numbers.
fn mine(world: &World, counts: &Counts) -> String {
    let mut text = traffic(world, counts).to_text();
    let Some(watch) = world.sched().watch() else {
        return text;
    };
    text.push_str("times\n");
    let nanos = |d: std::time::Duration| d.as_nanos() as u64;
    let placement = &world.placement;
    for r in world.ranks() {
        let _ = writeln!(text, "{} {}", r.rank, nanos(watch.rank(r.slot)));
    }
    let process = world.index();
    let frames = world.remote().map_or(0, |r| r.frames_sent());
    let _ = writeln!(text, "f {process} {frames} 0");
    for w in 0..world.sched().workers() {
        let t = watch.worker(w);
        let number = process as usize * placement.workers() as usize + w;
        let [a, b, c] = [t.running, t.switching, t.idle].map(nanos);
        let _ = writeln!(text, "w {number} {a} {b} {c} {}", t.switches);
    }
    text
}

/// All processes' parts, in the first one.
fn gather(world: &World, job: &Job) -> Option<Report> {
    let counts = world.traffic.as_ref()?;
    let own = mine(world, counts).into_bytes();
    let parts = match job.peers() {
        None => vec![own],
        Some(peers) => {
            let all = peers.gather(&own);
            if peers.index() != 0 {
                return None;
            }
            all
        }
    };
    let placement = &world.placement;
    let mut report = Report {
        workers: vec![Worker::default(); (placement.processes() * placement.workers()) as usize],
        ranks: vec![0; placement.ranks() as usize],
        frames: vec![0; placement.processes() as usize],
        ..Report::default()
    };
    for part in parts {
        report.take(&String::from_utf8_lossy(&part));
    }
    Some(report)
}

impl Report {
    fn take(&mut self, part: &str) {
        let (traffic, times) = part.split_once("times\n").unwrap_or((part, ""));
        self.traffic
            .add(Traffic::from_text(traffic).unwrap_or_default());
        for line in times.lines() {
            let numbers: Vec<u64> = (line.trim_start_matches(['w', 'f', ' ']).split(' '))
                .filter_map(|w| w.parse().ok())
                .collect();
            match numbers[..] {
                [process, frames, _] => self.frames[process as usize] = frames,
                [rank, time] => self.ranks[rank as usize] = time,
                [worker, a, b, c, n] => self.workers[worker as usize] = Worker([a, b, c, n]),
                _ => {}
            }
        }
    }

    /// Messages and bytes within a worker, between workers of a process, between processes.
    fn sums(&self, p: &Placement) -> [(u64, u64); 3] {
        let seat = |r| (p.process_of(r), p.worker_of(r));
        let kind = |a, b| match (seat(a), seat(b)) {
            (x, y) if x == y => 0,
            ((x, _), (y, _)) if x == y => 1,
            _ => 2,
        };
        [0, 1, 2].map(|k| self.traffic.sum(|a, b| kind(a, b) == k))
    }

    fn text(&self, p: &Placement, better: Option<&Placement>) -> String {
        let plural = |n: u32, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let per = if p.processes() > 1 { " each" } else { "" };
        let mut out = format!(
            "statistics of {} on {} with {}{per}\n",
            plural(p.ranks(), "rank"),
            if p.processes() == 1 {
                "1 process".to_owned()
            } else {
                format!("{} processes", p.processes())
            },
            plural(p.workers(), "worker"),
        );
        out.push_str("  worker  application s  blocked s  switching s   switches  ranks\n");
        let seats = p.seats();
        let s = |ns: u64| ns as f64 * 1e-9;
        for (w, Worker([run, switch, idle, n])) in self.workers.iter().enumerate() {
            let here: Vec<u32> = (0..p.ranks())
                .filter(|r| seats[*r as usize] == w as u32)
                .collect();
            let _ = writeln!(
                out,
                "  {w:6}  {:13.3}  {:9.3}  {:11.3}  {n:9}  {}",
                s(*run),
                s(*idle),
                s(*switch),
                ranges(&here)
            );
        }
        out.push_str("  messages                  number            bytes\n");
        let names = ["within a worker", "between workers", "between processes"];
        let now = self.sums(p);
        for (name, (n, bytes)) in names.iter().zip(now) {
            let _ = writeln!(out, "  {name:17}  {n:13}  {bytes:15}");
        }
        if let (2.., Some(most)) = (self.frames.len(), self.frames.iter().max()) {
            let all: u64 = self.frames.iter().sum();
            let _ = writeln!(
                out,
                "  frames between processes: {all}, of one at most {most}"
            );
        }
        let mut pairs: Vec<_> = self.traffic.0.iter().collect();
        pairs.sort_by_key(|(pair, (n, bytes))| (std::cmp::Reverse((*bytes, *n)), **pair));
        let more = pairs.split_off(pairs.len().min(SHOWN)).len();
        for ((from, to), (n, bytes)) in pairs {
            let _ = writeln!(out, "  from {from:5} to {to:5} {n:13}  {bytes:15}");
        }
        if more > 0 {
            let _ = writeln!(out, "  {more} more pairs with fewer bytes: --stats=FILE");
        }
        match better {
            None => out.push_str("  no placement was found that keeps more of them near"),
            Some(better) => {
                let then = self.sums(better);
                let _ = write!(
                    out,
                    "  another placement has {} bytes between processes instead of {}, and {} between workers instead of {}: \
                     a restart with --map=auto",
                    then[2].1, now[2].1, then[1].1, now[1].1
                );
                let list: Vec<String> = better.seats().iter().map(u32::to_string).collect();
                if list.len() <= 64 {
                    let _ = write!(out, ", which is --map={}", list.join(","));
                }
            }
        }
        out
    }

    fn json(&self, p: &Placement, better: Option<&Placement>) -> String {
        let list = |seats: Vec<u32>| {
            let seats: Vec<String> = seats.iter().map(u32::to_string).collect();
            format!("[{}]", seats.join(","))
        };
        let workers: Vec<String> = (self.workers.iter())
            .map(|Worker([run, switch, idle, n])| {
                format!(
                    "{{\"application_ns\":{run},\"blocked_ns\":{idle},\"switching_ns\":{switch},\"switches\":{n}}}"
                )
            })
            .collect();
        let ranks: Vec<String> = self.ranks.iter().map(u64::to_string).collect();
        let pairs: Vec<String> = (self.traffic.0.iter())
            .map(|((a, b), (n, bytes))| format!("[{a},{b},{n},{bytes}]"))
            .collect();
        format!(
            "{{\"processes\":{},\"workers_each\":{},\"placement\":{},\n\"proposal\":{},\n\"workers\":[{}],\n\"rank_ns\":[{}],\n\
             \"frames\":{:?},\n\"messages\":[{}]}}\n",
            p.processes(),
            p.workers(),
            list(p.seats()),
            better.map_or("null".to_owned(), |b| list(b.seats())),
            workers.join(",\n"),
            ranks.join(","),
            self.frames,
            pairs.join(",\n"),
        )
    }
}

/// A checkpoint was taken: a restart may be placed by what was sent up to here.
pub fn checkpoint(world: &World, job: &Job) {
    if let Some(report) = gather(world, job) {
        note(job, &report);
    }
}

fn note(job: &Job, report: &Report) {
    if let Err(e) = job.note_traffic(&report.traffic) {
        say(&format!("the record of traffic could not be written: {e}"));
    }
}

/// The run is over: the first process tells.
pub fn end(world: &World, job: &Job) {
    let Some(report) = gather(world, job) else {
        return;
    };
    note(job, &report);
    let p = &world.placement;
    let better = improve(p, &report.traffic).and_then(|seats| p.seated(seats).ok());
    say(&report.text(p, better.as_ref()));
    if let Some(Stats::Written(path)) = &job.stats {
        if let Err(e) = std::fs::write(path, report.json(p, better.as_ref())) {
            say(&format!("{}: {e}", path.display()));
        }
    }
}
