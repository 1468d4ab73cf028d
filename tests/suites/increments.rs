//! Checkpoints that hold what has changed since the last one: moved round the architectures, by either way to write them and
//! either protocol; what is there is whole at every stop.

use std::process::Command;

use anyhow::{bail, ensure, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::{difference, Job, STOPPED};

/// Programs, and how their checkpoints are taken.
const CASES: &[(&str, &[(&str, &str)])] = &[
    ("tests/programs/few_change.c", &[("PC3_COMMIT", "sync")]),
    ("tests/programs/few_change.c", &[("PC3_COMMIT", "async")]),
    ("tests/programs/few_change.c", &[COMPRESSED]),
    ("examples/c/barnes-hut", &[]),
    ("examples/c/heat", &[("PC3_COMMIT", "sync")]),
    ("examples/c/heat", &[APART]),
    ("examples/c/heat", &[APART, COMPRESSED]),
];

const APART: (&str, &str) = ("PC3_PROTOCOL", "nonblocking");
const COMPRESSED: (&str, &str) = ("PC3_COMPRESS", "on");
const HEAT: [&str; 2] = ["400", "24"];

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (path, env) in CASES {
        let words = std::iter::once(*path).chain(env.iter().map(|e| e.1));
        let name: Vec<&str> = words.filter_map(|w| w.rsplit('/').next()).collect();
        let name = name.join("_").replace(".c", "").replace('-', "_");
        trials.push(clock::test(format!("increments::{name}"), move || {
            moved(path, env).map_err(|e| format!("{e:#}").into())
        }));
    }
    for commit in ["sync", "async"] {
        for protocol in ["barrier", "nonblocking"] {
            let name = format!("increments::several_{commit}_{protocol}");
            trials.push(clock::test(name, move || {
                several(commit, protocol).map_err(|e| format!("{e:#}").into())
            }));
        }
    }
    trials
}

/// From two processes to three, to one and back, with checkpoints on the way.
fn several(commit: &str, protocol: &str) -> Result<()> {
    let mut p = Program::load(&arch::root().join("examples/c/heat"))?;
    p.args = HEAT.map(str::to_owned).to_vec();
    let exe = build::instrumented(&p, HOST)?;
    let whole = Job::new(&p)?;
    let status = whole.run(HOST, &exe, &[])?.status;
    let job = Job::new(&p)?;
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    for (i, processes) in ["2", "3", "1", "2"].into_iter().enumerate() {
        let mut env = vec![
            ("PC3_INCREMENTS", "on"),
            ("PC3_EVERY", "2x"),
            ("PC3_COMMIT", commit),
            ("PC3_PROTOCOL", protocol),
        ];
        env.extend((i < 3).then_some(("PC3_STOP_AFTER", "2")));
        env.extend((i > 0).then_some(("PC3_RESTART", "latest")));
        let launcher = [&*pc3run, "-p", processes, "-w", "1", "--mpi", "none"];
        let done = job.finish(job.start_by(&launcher, HOST, &exe, &env)?)?;
        whole_and_few(&job)?;
        let ended = done.status == status;
        let right = done.status == STOPPED || ended;
        ensure!(right, "{processes} processes: {done:?}");
        if ended {
            ensure!(i == 3 || env.contains(&APART), "it has ended");
            break;
        }
    }
    match difference(&whole.stdout(), &job.stdout()) {
        None => Ok(()),
        Some(d) => bail!("{d}"),
    }
}

/// Two checkpoints on each architecture, and as many as there are at last.
fn moved(path: &str, env: &[(&str, &str)]) -> Result<()> {
    let mut p = Program::load(&arch::root().join(path))?;
    if p.is_mpi() {
        // Each rank has more than a chunk.
        p.args = HEAT.map(str::to_owned).to_vec();
    }
    let whole = Job::new(&p)?;
    let status = whole
        .run(HOST, &build::instrumented(&p, HOST)?, &[])?
        .status;
    let job = Job::new(&p)?;
    let mut hops = arch::available();
    // On 32 bits some have less than a chunk, which is in no pack.
    hops.retain(|a| a.bits == 64);
    hops.push(HOST);
    for (i, arch) in hops.iter().enumerate() {
        let mut env = [env, &[("PC3_INCREMENTS", "on"), ("PC3_EVERY", "1x")]].concat();
        if i > 0 {
            env.push(("PC3_RESTART", "latest"));
        }
        let last = i + 1 == hops.len();
        if !last {
            env.push(("PC3_STOP_AFTER", "2"));
        }
        let done = job.run(*arch, &build::instrumented(&p, *arch)?, &env)?;
        whole_and_few(&job)?;
        let ended = done.status == status;
        ensure!(done.status == STOPPED || ended, "{}: {done:?}", arch.name);
        if ended {
            // Without a barrier ranks may come to their ends before.
            ensure!(
                last || env.contains(&APART),
                "it has ended on {}",
                arch.name
            );
            break;
        }
    }
    match difference(&whole.stdout(), &job.stdout()) {
        None => Ok(()),
        Some(d) => bail!("{d}"),
    }
}

/// All that is there is whole, and nothing is there that no checkpoint needs.
fn whole_and_few(job: &Job) -> Result<()> {
    let pc3 = || Command::new(arch::dist().join("bin/pc3"));
    let verified = pc3().arg("verify").arg(job.checkpoints()).output()?;
    let said = String::from_utf8_lossy(&verified.stdout).into_owned();
    ensure!(verified.status.success(), "{said}");
    let files = std::fs::read_dir(job.checkpoints())?.flatten();
    let names = files.filter_map(|e| e.file_name().into_string().ok());
    let packs = names.filter(|n| n.ends_with(".pc3p")).count();
    ensure!((1..=50).contains(&packs), "{packs} packs");
    Ok(())
}
