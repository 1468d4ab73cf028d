//! Message passing beside the native MPIs of this machine: within a process, between two, over each transport.
//!
//! All take turns, several times, on the same two processors, and where a goal is missed some more; given is the best and the
//! median of the turns, and at the end which goals are met.

mod floor;
mod goals;

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::Result;
use serde_json::{json, Value};

use self::floor::Floor;
use super::{limited, median, native_mpis, timed, Setup};
use crate::env;

const COLUMNS: &[&str] = &[
    "pingpong_8",
    "pingpong_1k",
    "pingpong_64k",
    "pingpong_1m",
    "pingpong_16m",
    "rate_8",
    "barrier",
    "allreduce_8",
    "bcast_1m",
    "alltoall_64",
    "alltoall_4k",
];
const ROUNDS: usize = 12;
/// Seconds for one run.
const LIMIT: u32 = 60;

/// One configuration.
struct Row {
    name: String,
    command: Command,
    rounds: usize,
    /// By column, of each turn.
    values: BTreeMap<String, Vec<f64>>,
    /// Why there are none.
    trouble: Option<String>,
}

pub fn run(s: &Setup) -> Result<Value> {
    let source = env::root().join("tests/bench/latency.c");
    let ours = s.exe("latency.pc3");
    let mut cc = s.pc3cc();
    env::run(cc.args(["-O3", "-w"]).arg(&source).arg("-o").arg(&ours))?;
    let floor = floor::measure(s)?;
    floor.print();
    let bound = |program: &std::ffi::OsStr| {
        let mut c = limited(LIMIT, "taskset".as_ref());
        c.args(["-c", &floor.pair]).arg(program);
        c
    };
    let mut rows = Vec::new();
    for (ranks, workers, scale, rounds) in [
        (2, 1, "100", ROUNDS),
        (2, 2, "100", ROUNDS),
        (16, 1, "50", 2),
        (16, 2, "50", 2),
        (64, 1, "50", ROUNDS),
        (64, 2, "50", ROUNDS),
        (1024, 1, "5", 1),
        (1024, 2, "5", 1),
    ] {
        let mut c = bound(ours.as_os_str());
        c.arg(scale).env("PC3_RANKS", ranks.to_string());
        c.env("PC3_WORKERS", workers.to_string());
        let plural = if workers == 1 { "" } else { "s" };
        let name = format!("pc3 {ranks} ranks/{workers} worker{plural}");
        rows.push(Row::new(name, c, rounds));
    }
    let natives = native_mpis();
    for mpi in ["none"].into_iter().chain(natives.iter().map(|m| m.0)) {
        let mut c = bound(s.tree.join("bin/pc3run").as_os_str());
        c.args(["-n", "2", "-p", "2", "-w", "1", "--mpi", mpi, "--"]);
        c.arg(&ours).arg("100");
        let name = if mpi == "none" { "sockets" } else { mpi };
        rows.push(Row::new(format!("pc3 2 processes, {name}"), c, ROUNDS));
    }
    for (name, cc, launcher) in natives {
        let exe = s.exe(&format!("latency.{name}"));
        let mut cc = Command::new(cc);
        env::run(cc.args(["-O3", "-w"]).arg(&source).arg("-o").arg(&exe))?;
        // MPICH spins without yielding when oversubscribed: milliseconds per hop.
        let (sizes, unbound): (&[(u32, &str, usize)], &[&str]) = match name {
            "mpich" => (&[(2, "100", ROUNDS)], &[]),
            _ => (
                &[(2, "100", ROUNDS), (16, "5", 1), (64, "1", 1)],
                &["--bind-to", "none"],
            ),
        };
        for (ranks, scale, rounds) in sizes {
            let mut c = bound(launcher[0].as_ref());
            c.args(&launcher[1..]).args(unbound);
            c.args(["-n", &ranks.to_string()]).arg(&exe).arg(scale);
            rows.push(Row::new(format!("{name} {ranks} processes"), c, *rounds));
        }
    }
    for round in 0..ROUNDS {
        for row in rows.iter_mut().filter(|r| r.rounds > round) {
            row.turn()?;
        }
    }
    // A minute in which others use the machine says nothing: both sides take more turns.
    for _ in 0..ROUNDS {
        let doubt = goals::in_doubt(&rows, &floor);
        for row in rows.iter_mut().filter(|r| doubt.contains(&*r.name)) {
            row.turn()?;
        }
    }
    print!("{:28}", "µs, best");
    COLUMNS.iter().for_each(|c| print!(" {c:>12}"));
    println!();
    rows.iter().for_each(Row::print);
    let goals = goals::judge(&rows, &floor);
    let rows: Vec<Value> = rows.iter().map(Row::json).collect();
    Ok(json!({ "unit": "microseconds", "floor": floor.json(), "rows": rows, "goals": goals }))
}

impl Row {
    fn new(name: String, command: Command, rounds: usize) -> Row {
        Row {
            name,
            command,
            rounds,
            values: BTreeMap::new(),
            trouble: None,
        }
    }

    fn turn(&mut self) -> Result<()> {
        let (out, _) = match timed(&mut self.command) {
            Ok(told) => told,
            // Transports over an MPI exist where that could be built.
            Err(e) if self.name.contains("processes") => {
                self.trouble = Some(e.to_string());
                self.rounds = 0;
                return Ok(());
            }
            Err(e) => return Err(e),
        };
        for line in out.lines() {
            if let Some((k, v)) = line.split_once(' ') {
                self.values.entry(k.into()).or_default().push(v.parse()?);
            }
        }
        Ok(())
    }

    /// What else uses the machine only adds.
    fn best(&self, column: &str) -> Option<f64> {
        self.values
            .get(column)?
            .iter()
            .copied()
            .min_by(f64::total_cmp)
    }

    fn print(&self) {
        print!("{:28}", self.name);
        if let Some(trouble) = &self.trouble {
            println!(" not measured: {}", trouble.trim());
            return;
        }
        for c in COLUMNS {
            match self.best(c) {
                Some(n) => print!(" {n:12.3}"),
                None => print!(" {:>12}", "-"),
            }
        }
        println!();
    }

    fn json(&self) -> Value {
        let mut object = serde_json::Map::new();
        object.insert("configuration".into(), self.name.as_str().into());
        for (column, values) in &self.values {
            let both = json!({ "best": self.best(column), "median": median(values.clone()) });
            object.insert(column.clone(), both);
        }
        object.into()
    }
}
