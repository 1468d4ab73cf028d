//! Message passing beside the native MPIs of this machine: within a process, between two, over each transport.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::Result;
use serde_json::{json, Value};

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
const ROUNDS: usize = 3;
/// Seconds for one run.
const LIMIT: u32 = 120;

pub fn run(s: &Setup) -> Result<Value> {
    let source = env::root().join("tests/bench/latency.c");
    let ours = s.exe("latency.pc3");
    env::run(
        s.pc3cc()
            .args(["-O3", "-w"])
            .arg(&source)
            .arg("-o")
            .arg(&ours),
    )?;
    let mut rows = Vec::new();
    print!("{:28}", "µs, median");
    for c in COLUMNS {
        print!(" {c:>12}");
    }
    println!();
    for (ranks, workers, scale) in [
        (2, 1, "100"),
        (2, 2, "100"),
        (16, 1, "100"),
        (16, 2, "100"),
        (64, 1, "100"),
        (64, 2, "100"),
        (1024, 1, "20"),
        (1024, 4, "20"),
    ] {
        let mut c = limited(LIMIT, ours.as_os_str());
        c.arg(scale);
        c.env("PC3_RANKS", ranks.to_string())
            .env("PC3_WORKERS", workers.to_string());
        row(
            &mut rows,
            &format!("pc3 {ranks} ranks/{workers} workers"),
            &mut c,
        )?;
    }
    let launcher = s.tree.join("bin/pc3run");
    let natives = native_mpis();
    let over = natives.iter().map(|m| m.0);
    for mpi in ["none"].into_iter().chain(over) {
        let mut c = limited(LIMIT, launcher.as_os_str());
        c.args(["-n", "2", "-p", "2", "-w", "1", "--mpi", mpi, "--"]);
        c.arg(&ours).arg("20");
        let name = if mpi == "none" { "sockets" } else { mpi };
        row(&mut rows, &format!("pc3 2 processes, {name}"), &mut c)?;
    }
    for (name, cc, launcher) in natives {
        let exe = s.exe(&format!("latency.{name}"));
        env::run(
            Command::new(cc)
                .args(["-O3", "-w"])
                .arg(&source)
                .arg("-o")
                .arg(&exe),
        )?;
        // MPICH spins without yielding when oversubscribed: milliseconds per hop.
        let sizes: &[(u32, &str)] = if name == "mpich" {
            &[(2, "100")]
        } else {
            &[(2, "100"), (16, "5"), (64, "1")]
        };
        for (ranks, scale) in sizes {
            let mut c = limited(LIMIT, launcher[0].as_ref());
            c.args(&launcher[1..])
                .args(["-n", &ranks.to_string()])
                .arg(&exe)
                .arg(scale);
            row(&mut rows, &format!("{name} {ranks} processes"), &mut c)?;
        }
    }
    Ok(json!({ "unit": "microseconds", "rows": rows }))
}

fn row(rows: &mut Vec<Value>, name: &str, cmd: &mut Command) -> Result<()> {
    let ours = name.starts_with("pc3");
    let mut values: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for _ in 0..ROUNDS {
        let out = match timed(cmd) {
            Ok((out, _)) => out,
            // Transports over an MPI exist where that could be built.
            Err(e) if !ours || name.contains("processes") => {
                println!("{name:28} not measured: {}", e.to_string().trim());
                return Ok(());
            }
            Err(e) => return Err(e),
        };
        for line in out.lines() {
            if let Some((k, v)) = line.split_once(' ') {
                values.entry(k.to_string()).or_default().push(v.parse()?);
            }
        }
    }
    print!("{name:28}");
    let mut object = serde_json::Map::new();
    object.insert("configuration".into(), name.into());
    for c in COLUMNS {
        match values.remove(*c) {
            Some(v) => {
                let m = median(v);
                print!(" {m:12.3}");
                object.insert((*c).into(), m.into());
            }
            None => print!(" {:>12}", "-"),
        }
    }
    println!();
    rows.push(object.into());
    Ok(())
}
