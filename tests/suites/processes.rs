//! Several processes: every MPI program prints on 2 and 3 processes what it prints on one, also when it is stopped and
//! goes on with another number of them, or on another architecture; what ends one process ends the job.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::{difference, end_of, Job, STOPPED};

pub fn trials() -> Vec<Trial> {
    let programs = match programs() {
        Ok(p) => p,
        Err(e) => return vec![clock::test("load", move || Err(format!("{e:#}").into()))],
    };
    let mut trials: Vec<Trial> = programs.iter().flat_map(of_program).collect();
    trials.extend(of_ends());
    for (mpi, processes, shm) in [
        ("none", 1, true),
        ("none", 2, true),
        ("none", 2, false),
        ("openmpi", 2, false),
        ("mpich", 2, false),
    ] {
        if has(mpi) {
            let by = if shm { "" } else { "_apart" };
            let name = format!("flood_{mpi}_{processes}{by}");
            trials.push(test(name, move || flood(mpi, processes, shm)));
        }
    }
    for processes in [1, 3] {
        let name = format!("sends_ahead_{processes}");
        trials.push(test(name, move || sends_ahead(processes)));
    }
    let found = ["openmpi", "mpich"].into_iter().find(|m| has(m));
    for mpi in found.into_iter().chain(["none"]) {
        trials.push(test(format!("found_{mpi}"), move || chosen(mpi)));
    }
    for mpi in ["openmpi", "mpich", "none"].into_iter().filter(|m| has(m)) {
        trials.push(test(format!("output_{mpi}"), move || output(mpi)));
        trials.push(test(format!("input_{mpi}"), move || input(mpi)));
    }
    trials.push(test("own_outputs".to_owned(), own_outputs));
    trials
}

/// A trial of this suite.
fn test(name: String, run: impl FnOnce() -> Result<()> + Send + 'static) -> Trial {
    clock::test(format!("processes::{name}"), move || {
        run().map_err(|e| format!("{e:#}").into())
    })
}

fn programs() -> Result<Vec<Program>> {
    let root = arch::root();
    let mut programs = Vec::new();
    for folder in ["tests/programs", "examples/c"] {
        programs.extend(Program::load_all(&root.join(folder))?);
    }
    programs.extend(Program::rust_examples()?);
    // The ranks of a shared window are in one process.
    programs.retain(|p| p.ranks > 1 && p.name != "mpi_window_shared");
    Ok(programs)
}

fn of_program(p: &Program) -> Vec<Trial> {
    let mut trials = Vec::new();
    if NATIVE.contains(&&*p.name) {
        let name = format!("native_{}", p.name);
        match ["openmpi", "mpich"].into_iter().find(|m| !has(m)) {
            Some(mpi) => println!("skipped processes::{name}: no transport for {mpi}"),
            None => {
                let p = p.clone();
                trials.push(test(name, move || native(&p)));
            }
        }
    }
    let p = p.clone();
    trials.push(test(p.name.clone(), move || moved(&p)));
    trials
}

/// How the end of one process ends the others.
fn of_ends() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (what, status, said) in ENDS {
        let name = format!("end_{what}");
        trials.push(test(name, move || ends("none", what, *status, said)));
        // What MPICH's launcher talks to machines with has words of its own for a crash.
        if !has("mpich") || *what == "crash" {
            continue;
        }
        // It sees the end of one process before the others can speak of it.
        let said = match *what {
            "kill" | "kill_first" | "spawned_kill" => "signal 9 has ended a process of the job",
            _ => said,
        };
        let name = format!("end_{what}_mpich");
        trials.push(test(name, move || ends("mpich", what, *status, said)));
    }
    if has("openmpi") {
        for what in ["kill", "kill_first"] {
            let name = format!("end_{what}_under_mpirun");
            trials.push(test(name, move || ends_under_mpirun(what)));
        }
    }
    trials.push(test("end_quit".to_owned(), told));
    for mpi in ["none", "openmpi", "mpich"] {
        if mpi == "none" || has(mpi) {
            trials.push(test(format!("respawned_{mpi}"), move || respawned(mpi)));
        }
    }
    trials
}

/// A job that loses a process twice goes on by itself as often as it may.
fn respawned(mpi: &str) -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/lost_twice.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let run = |times: &str| -> Result<(i32, String, String)> {
        let mut job = Job::new(&p)?;
        job.limit = Duration::from_secs(120);
        let pc3run = arch::dist().join("bin/pc3run").display().to_string();
        let launcher = [
            &*pc3run,
            "-p",
            "2",
            "-w",
            "1",
            "--mpi",
            mpi,
            "--respawn",
            times,
        ];
        let env = [("PC3_EVERY", "5x"), ("PC3_COMMIT", "sync")];
        let done = job.finish(job.start_by(&launcher, HOST, &exe, &env)?)?;
        let out = String::from_utf8_lossy(&job.stdout()).into_owned();
        Ok((done.status, out, done.stderr))
    };
    let (status, out, said) = run("2")?;
    let rounds = (0..100)
        .step_by(10)
        .map(|n| format!("{n}: {}\n", 6 * n * (n + 1) / 2));
    let expected = rounds.collect::<String>() + "29700 in all\n";
    ensure!((status, &*out) == (0, &*expected), "{status}, {out}{said}");
    let times = said.matches("the job goes on by itself").count();
    ensure!(times == 2, "{times} times\n{said}");
    let (status, _, said) = run("1")?;
    ensure!(status == 137, "exit status {status}\n{said}");
    Ok(())
}

/// Which native MPI pc3run takes where none is named; without any it says what it has looked for.
fn chosen(mpi: &str) -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/by_whom.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let job = Job::new(&p)?;
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let nowhere = job.dir.path().display().to_string();
    let (env, by) = match mpi {
        "none" => (&[("PC3_ROOT", &*nowhere)][..], "pc3run"),
        mpi => (&[][..], mpi),
    };
    let done = job.finish(job.start_by(&[&*pc3run, "-p", "2"], HOST, &exe, env)?)?;
    let out = String::from_utf8_lossy(&job.stdout()).into_owned();
    ensure!(
        (done.status, &*out) == (0, &*format!("1 {by}\n")),
        "{out}{}",
        done.stderr
    );
    let said = done
        .stderr
        .contains("no native MPI: openmpi: there is no transport")
        && done.stderr.contains("; mpich: there is no transport");
    ensure!(said == (mpi == "none"), "{}", done.stderr);
    Ok(())
}

/// Standard output is cut back, whoever has started the processes; what leads elsewhere stays so.
fn output(mpi: &str) -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/prints.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let job = Job::new(&p)?;
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let expected: String = (0..8).map(|i| format!("step {i} of rank 0\n")).collect();
    fs::write(job.stdout_path(), "of yesterday\n")?;
    let every = [("PC3_EVERY", "3x"), ("PC3_KEEP", "9")];
    for (id, env) in [
        ("", &every[..]),
        ("latest", &[("PC3_RESTART", "latest")][..]),
        ("1", &[("PC3_RESTART", "1")][..]),
    ] {
        let launcher = [&*pc3run, "-p", "2", "--mpi", mpi];
        let done = job.finish(job.start_by(&launcher, HOST, &exe, env)?)?;
        let out = String::from_utf8_lossy(&job.stdout()).into_owned();
        ensure!(
            (done.status, &*out) == (0, &*format!("of yesterday\n{expected}")),
            "'{id}': {out}{}",
            done.stderr
        );
    }
    // A shell between the launcher and the program: its pipe is the program's output.
    let launcher = [&*pc3run, "-p", "2", "--mpi", mpi, "sh", "-c"];
    let piped = format!("{} piped | sed s/step/line/", exe.display());
    let done = job.finish(job.start_by(&launcher, HOST, Path::new(&piped), &[])?)?;
    let out = String::from_utf8_lossy(&job.stdout()).into_owned();
    let last = out.lines().filter(|l| l.starts_with("line ")).count();
    ensure!(last == 8, "{out}{}", done.stderr);
    Ok(())
}

/// The first process reads all of the standard input, also where the outputs are files.
fn input(mpi: &str) -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/reads.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let numbers: String = (1..=9000).map(|i| format!("{i}\n")).collect();
    for _ in 0..3 {
        let mut job = Job::new(&p)?;
        let file = job.dir.path().join("input");
        fs::write(&file, &numbers)?;
        job.program.stdin = Some(file);
        let launcher = [&*pc3run, "-p", "2", "--mpi", mpi];
        let done = job.finish(job.start_by(&launcher, HOST, &exe, &[])?)?;
        let out = String::from_utf8_lossy(&job.stdout()).into_owned();
        ensure!(
            (done.status, &*out) == (0, "9000 numbers, sum 40504500\n"),
            "{out}{}",
            done.stderr
        );
    }
    Ok(())
}

/// What each of two ranks has put in the place of standard output finds room in two processes, and not in one.
fn own_outputs() -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/own_outputs.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let job = Job::new(&p)?;
    let on = |processes| Hop {
        mpi: "none",
        processes,
        workers: "1",
        arch: HOST,
        shm: true,
    };
    let (code, said) = go(&job, &exe, &on(2), false, Some(2))?;
    ensure!(code == STOPPED, "exit status {code}\n{said}");
    let (code, said) = go(&job, &exe, &on(1), true, None)?;
    let named = ["E0508", "output.0", "output.1"]
        .iter()
        .all(|w| said.contains(w));
    ensure!(code == 89 && named, "exit status {code}\n{said}");
    let (code, said) = go(&job, &exe, &on(2), true, None)?;
    ensure!(code == 0, "exit status {code}\n{said}");
    for rank in 0..2 {
        let written = fs::read_to_string(job.dir.path().join(format!("output.{rank}")))?;
        let expected: String = (0..4).map(|step| format!("{step} of {rank}\n")).collect();
        ensure!(written == expected, "rank {rank} wrote\n{written}");
    }
    Ok(())
}

/// What a program says that comes to its end.
fn said_by(name: &str, mpi: &'static str, processes: u32, shm: bool) -> Result<String> {
    let p = Program::load(&arch::root().join(format!("tests/data/{name}.c")))?;
    let exe = build::instrumented(&p, HOST)?;
    let job = Job::new(&p)?;
    let hop = Hop {
        mpi,
        processes,
        workers: "1",
        arch: HOST,
        shm,
    };
    let (code, said) = go(&job, &exe, &hop, false, None)?;
    ensure!(code == 0, "exit status {code}\n{said}");
    Ok(String::from_utf8_lossy(&job.stdout()).into_owned())
}

fn sends_ahead(processes: u32) -> Result<()> {
    let out = said_by("sends_ahead", "none", processes, true)?;
    ensure!(out == "all of it\n", "{out}");
    Ok(())
}

/// A rank that sends without end to one that does not receive waits, and takes no memory without limit.
fn flood(mpi: &'static str, processes: u32, shm: bool) -> Result<()> {
    let out = said_by("flood", mpi, processes, shm)?;
    let mut lines: Vec<&str> = out.lines().collect();
    lines.sort_unstable();
    let expected = [0, 1].map(|r| format!("rank {r}: all of it, in bounds"));
    ensure!(lines == expected, "{out}");
    Ok(())
}

/// A job that hangs says where when it is sent SIGQUIT, past whatever launcher there is.
fn told() -> Result<()> {
    let all = ["none", "openmpi", "mpich"];
    all.into_iter().filter(|mpi| has(mpi)).try_for_each(told_by)
}

fn told_by(mpi: &str) -> Result<()> {
    let waits = "rank 0 of worker 0: waits in MPI_Allreduce";
    let mut log = report(mpi)?;
    // Nothing shows from outside that the others wait already.
    for _ in 0..20 {
        if log.contains(waits) {
            break;
        }
        log = report(mpi)?;
    }
    for said in [
        "process 0:",
        "process 1:",
        "rank 3 of worker 0: runs",
        waits,
        "frames sent",
    ] {
        ensure!(
            log.contains(said),
            "{mpi}: it does not say {said:?}:\n{log}"
        );
    }
    Ok(())
}

/// What is said of a job in which one rank runs for ever and the others come to wait for it.
fn report(mpi: &str) -> Result<String> {
    let mut p = Program::load(&arch::root().join("tests/data/ends.c"))?;
    p.args = vec!["quit".to_owned()];
    let exe = build::instrumented(&p, HOST)?;
    let job = Job::new(&p)?;
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let mut child = job.start_by(
        &[&*pc3run, "-p", "2", "-w", "1", "--mpi", mpi],
        HOST,
        &exe,
        &[],
    )?;
    while !job.stderr().contains("stays\n") {
        ensure!(child.try_wait()?.is_none(), "ended: {}", job.stderr());
        std::thread::sleep(Duration::from_millis(5));
    }
    // SAFETY: our child, which has not been waited for.
    unsafe { libc::kill(child.id() as i32, libc::SIGQUIT) };
    let code = end_of(child, Duration::from_secs(60))?.context("hung")?;
    let log = job.stderr();
    ensure!(code == 131, "{mpi}: exit status {code}\n{log}");
    Ok(log)
}

/// Programs that are also moved from one native MPI to another.
const NATIVE: &[&str] = &[
    "heat",
    "cg",
    "is",
    "mpi_collectives",
    "mpi_floats",
    "mpi_modes",
    "mpi_nonblocking",
    "mpi_numbers",
    "mpi_ports",
    "mpi_random",
    "mpi_spawn",
    "rust-harvest-mpi",
];

/// Can programs run over this MPI here?
pub(crate) fn has(mpi: &str) -> bool {
    if mpi == "none" {
        return true;
    }
    let lib = arch::dist().join("lib/pc3").join(HOST.gnu);
    lib.join(format!("libpc3_mpi_{mpi}.so")).is_file()
}

/// Open MPI, then MPICH, then one process, then other architectures.
fn native(p: &Program) -> Result<()> {
    let whole = Job::new(p)?;
    let exe = build::instrumented(p, HOST)?;
    let status = whole.run(HOST, &exe, &[])?.status;
    let expected = whole.stdout();
    let hop = |mpi, processes, arch, shm| Hop {
        mpi,
        processes,
        workers: "1",
        arch,
        shm,
    };
    for (mpi, shm) in [("openmpi", true), ("openmpi", false), ("mpich", false)] {
        let job = Job::new(p)?;
        let (code, said) = go(&job, &exe, &hop(mpi, 2, HOST, shm), false, None)?;
        same(&expected, status, &job, code).with_context(|| format!("on {mpi}\n{said}"))?;
    }
    let mut hops = vec![
        hop("openmpi", 4, HOST, false),
        hop("mpich", 2, HOST, true),
        hop("none", 1, HOST, true),
    ];
    let elsewhere = arch::available().into_iter().find(|a| *a != HOST);
    hops.extend(elsewhere.map(|a| hop("none", 1, a, true)));
    along(p, &hops, 2, &expected, status)
}

/// A run by `pc3run` on some processes.
struct Hop {
    mpi: &'static str,
    processes: u32,
    workers: &'static str,
    arch: Arch,
    /// Through memory that they share, or as if they were on two machines.
    shm: bool,
}

fn go(
    job: &Job,
    exe: &Path,
    hop: &Hop,
    restart: bool,
    stop_after: Option<u64>,
) -> Result<(i32, String)> {
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let processes = hop.processes.min(job.program.ranks).to_string();
    let launcher = [
        &*pc3run,
        "-p",
        &processes,
        "-w",
        hop.workers,
        "--mpi",
        hop.mpi,
    ];
    let k = stop_after.map(|k| k.to_string()).unwrap_or_default();
    let env = [
        ("PC3_EVERY", "1x"),
        ("PC3_STOP_AFTER", &*k),
        ("PC3_RESTART", if restart { "latest" } else { "" }),
        ("PC3_SHM", if hop.shm { "on" } else { "off" }),
    ];
    let env = match stop_after {
        Some(_) => &env[..],
        None => &env[1..],
    };
    let done = job.finish(job.start_by(&launcher, hop.arch, exe, env)?)?;
    Ok((done.status, done.stderr))
}

fn moved(p: &Program) -> Result<()> {
    let exe = build::instrumented(p, HOST)?;
    let whole = Job::new(p)?;
    let status = whole.run(HOST, &exe, &[("PC3_WORKERS", "2")])?.status;
    let expected = whole.stdout();
    let here = |processes, workers, shm| Hop {
        mpi: "none",
        processes,
        workers,
        arch: HOST,
        shm,
    };
    for hop in [here(2, "1", false), here(3, "2", true)] {
        let job = Job::new(p)?;
        let (code, said) = go(&job, &exe, &hop, false, None)?;
        same(&expected, status, &job, code)
            .with_context(|| format!("on {} processes\n{said}", hop.processes))?;
    }
    let mut hops = vec![here(2, "1", true), here(1, "2", true), here(3, "2", false)];
    let elsewhere = arch::round_of(&p.name).into_iter().filter(|a| *a != HOST);
    let elsewhere = elsewhere.filter(|a| p.abis.include(*a));
    hops.extend(elsewhere.map(|arch| Hop {
        mpi: "none",
        processes: 2,
        workers: "1",
        arch,
        shm: true,
    }));
    arch::in_turn(&p.name, [2, 5])
        .into_iter()
        .try_for_each(|k| along(p, &hops, k, &expected, status))
}

/// Stopped after every `k` checkpoints, once round, and then to its end.
fn along(p: &Program, hops: &[Hop], k: u64, expected: &[u8], status: i32) -> Result<()> {
    let job = Job::new(p)?;
    let mut log = Vec::new();
    for i in 0..=hops.len() {
        let hop = &hops[i % hops.len()];
        let exe = build::instrumented(p, hop.arch)?;
        let stop = (i < hops.len()).then_some(k);
        log.push(format!(
            "{} by {} on {}{}",
            hop.processes,
            hop.mpi,
            hop.arch.name,
            if hop.shm { "" } else { " apart" }
        ));
        let (code, said) = go(&job, &exe, hop, i > 0, stop)?;
        if code == STOPPED && stop.is_some() {
            continue;
        }
        return same(expected, status, &job, code)
            .with_context(|| format!("stopped after {k}, {}\n{said}", log.join(", ")));
    }
    bail!("it does not end")
}

fn same(expected: &[u8], status: i32, job: &Job, code: i32) -> Result<()> {
    ensure!(code == status, "exit status {code} instead of {status}");
    if let Some(d) = difference(expected, &job.stdout()) {
        bail!("output differs: {d}");
    }
    Ok(())
}

/// What the last rank does, the job's status, and what is said.
const ENDS: &[(&str, i32, &str)] = &[
    ("abort", 7, "MPI_Abort called by rank 3"),
    (
        "kill",
        137,
        "process 1 of 2 (ranks 2-3) was killed or has crashed",
    ),
    (
        "kill_first",
        137,
        "process 0 of 2 (ranks 0-1) was killed or has crashed",
    ),
    (
        "crash",
        139,
        "process 1 of 2 (ranks 2-3) was killed or has crashed",
    ),
    ("exit", 3, "rank 3 exited with status 3 before MPI_Finalize"),
    ("error", 1, "rank 3: MPI_Send"),
    ("deadlock", 91, "rank 3: MPI_Recv(rank 0, tag 99"),
    ("signal", STOPPED, ""),
    ("spawned_abort", 8, "MPI_Abort called by rank 4"),
    (
        "spawned_kill",
        137,
        "process 1 of 2 (ranks 2-4) was killed or has crashed",
    ),
    ("spawned_deadlock", 91, "rank 4: MPI_Recv(rank 0, tag 99"),
];

/// The same without pc3run: mpirun ends the process that is left, which says what there is to continue from.
fn ends_under_mpirun(what: &str) -> Result<()> {
    let mut p = Program::load(&arch::root().join("tests/data/ends.c"))?;
    p.args = vec![what.to_owned()];
    let exe = build::instrumented(&p, HOST)?;
    let mut job = Job::new(&p)?;
    job.limit = Duration::from_secs(60);
    // So long it waits until it kills what it has told to end: not too short for a busy machine.
    let patient = ["--mca", "odls_base_sigkill_timeout", "8"];
    let launcher = ["mpirun.openmpi", "-n", "2", "-q", "--oversubscribe"];
    let launcher = [&launcher[..], &patient[..]].concat();
    let root = arch::dist().display().to_string();
    let env = [
        ("PC3_EVERY", "5x"),
        ("PC3_COMMIT", "sync"),
        ("PC3_WORKERS", "1"),
        ("PC3_ROOT", &*root),
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ];
    let child = job.start_by(&launcher, HOST, &exe, &env)?;
    let code = end_of(child, job.limit)?.context("hung")?;
    let log = job.stderr();
    ensure!(code == 137, "exit status {code}\n{log}");
    let lines: Vec<&str> = log.lines().filter(|l| l.starts_with("pc3: ")).collect();
    ensure!(
        lines.len() == 1 && lines[0].ends_with("the newest good checkpoint is 4"),
        "{log}"
    );
    Ok(())
}

/// The job ends, says why once, and can be continued.
fn ends(mpi: &str, what: &str, status: i32, said: &str) -> Result<()> {
    let source = arch::root().join("tests/data/ends.c");
    let mut p = Program::load(&source)?;
    p.args = vec![what.to_owned()];
    let exe = build::instrumented(&p, HOST)?;
    let mut job = Job::new(&p)?;
    job.limit = Duration::from_secs(60);
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let launcher = [&*pc3run, "-p", "2", "-w", "1", "--mpi", mpi];
    // As on two machines, once.
    let shm = if mpi == "mpich" { "off" } else { "on" };
    let env = [
        ("PC3_EVERY", "5x"),
        ("PC3_COMMIT", "sync"),
        ("PC3_SHM", shm),
    ];
    let child = job.start_by(&launcher, HOST, &exe, &env)?;
    let code = end_of(child, job.limit)?.context("hung")?;
    let log = job.stderr();
    ensure!(
        code == status,
        "exit status {code} instead of {status}\n{log}"
    );
    ensure!(log.contains(said), "it does not say {said:?}:\n{log}");
    let lines = log.lines().filter(|l| l.starts_with("pc3: ")).count();
    ensure!(lines <= 1, "said more than once:\n{log}");
    if what.contains("kill") {
        ensure!(
            log.contains("the newest good checkpoint is 4"),
            "it does not name the checkpoint:\n{log}"
        );
    }
    let signal = match what {
        "kill" | "kill_first" | "spawned_kill" => "9 (SIGKILL)",
        "crash" => "11 (SIGSEGV)",
        _ => "",
    };
    if mpi == "none" && !signal.is_empty() {
        let process = if what == "kill_first" { 0 } else { 1 };
        ensure!(
            log.contains(&format!("pc3run: signal {signal}"))
                && log.contains(&format!("has ended process {process} of 2\n")),
            "it does not name the signal:\n{log}"
        );
    }
    // What the program was told is part of its state, but for what is in its environment.
    let launcher = [&*pc3run, "-p", "3", "-w", "1", "--mpi", "none"];
    let env = [("PC3_RESTART", "latest"), ("ENDS_WELL", "1")];
    let done = job.finish(job.start_by(&launcher, HOST, &exe, &env)?)?;
    ensure!(
        done.status == 0,
        "continued: {}\n{}",
        done.status,
        done.stderr
    );
    let out = String::from_utf8_lossy(&job.stdout()).into_owned();
    ensure!(out == "sum 400\n", "{out}");
    Ok(())
}
