//! Jobs of several processes as those who run them see them: requests by signals, whoever connects the processes; ranks that
//! change their order.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::{Job, STOPPED};

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for mpi in ["none", "openmpi", "mpich"] {
        if !super::processes::has(mpi) {
            println!("skipped jobs::signals_{mpi}: no transport for {mpi}");
            continue;
        }
        trials.push(clock::test(format!("jobs::signals_{mpi}"), move || {
            signals(mpi).map_err(|e| format!("{e:#}").into())
        }));
        trials.push(clock::test(
            format!("jobs::stopped_last_{mpi}"),
            move || stopped_last(mpi).map_err(|e| format!("{e:#}").into()),
        ));
    }
    for mpi in ["none", "mpich"] {
        if super::processes::has(mpi) {
            trials.push(clock::test(format!("jobs::polls_{mpi}"), move || {
                polls(mpi).map_err(|e| format!("{e:#}").into())
            }));
        }
    }
    for protocol in ["barrier", "nonblocking"] {
        let name = format!("jobs::asked_in_vain_{protocol}");
        trials.push(clock::test(name, move || {
            let all = [1, 2].into_iter().try_for_each(|p| away(protocol, p));
            all.map_err(|e| format!("{e:#}").into())
        }));
        trials.push(clock::test(
            format!("jobs::asked_where_none_is_{protocol}"),
            move || gone(protocol).map_err(|e| format!("{e:#}").into()),
        ));
    }
    trials.push(clock::test("jobs::many_ranks", || {
        many_ranks().map_err(|e| format!("{e:#}").into())
    }));
    trials.push(clock::test("jobs::reordered", || {
        reordered().map_err(|e| format!("{e:#}").into())
    }));
    trials.push(clock::test("jobs::static_program", || {
        static_program().map_err(|e| format!("{e:#}").into())
    }));
    trials
}

/// A static program can load no native MPI: its processes have sockets, unless one was asked for.
fn static_program() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let exe = dir.path().join("static");
    let mut cc = Command::new(arch::dist().join("bin/pc3cc"));
    cc.args(["-w", "-static"]);
    cc.arg(arch::root().join("tests/data/by_whom.c"));
    let built = cc.arg("-o").arg(&exe).output()?;
    ensure!(built.status.success(), "{built:?}");
    let run = |launcher: &Path, args: &[&str]| {
        let mut c = Command::new(launcher);
        c.args(args).arg(&exe).current_dir(&dir);
        let done = c.env("PC3_ROOT", arch::dist()).output()?;
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        anyhow::Ok((done.status.code(), text(&done.stdout), text(&done.stderr)))
    };
    let pc3run = arch::dist().join("bin/pc3run");
    let (status, out, said) = run(&pc3run, &["-p", "2"])?;
    ensure!((status, &*out) == (Some(0), "1 pc3run\n"), "{out}{said}");
    for mpi in ["openmpi", "mpich"] {
        let (status, out, said) = run(&pc3run, &["-p", "2", "--mpi", mpi])?;
        ensure!((status, &*out) == (Some(86), ""), "{out}{said}");
        ensure!(said.contains("it is static; --mpi none connects"), "{said}");
    }
    if super::processes::has("mpich") {
        let (status, out, said) = run(Path::new("mpiexec.mpich"), &["-n", "2"])?;
        ensure!(status != Some(0) && out.is_empty(), "{out}{said}");
        ensure!(said.contains("this program is static"), "{said}");
    }
    Ok(())
}

/// Ranks that poll in vain while those of all processes wait are told, once; the job goes on.
fn polls(mpi: &str) -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/polls.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let mut job = Job::new(&p)?;
    job.limit = Duration::from_secs(100);
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let launcher = [&*pc3run, "-p", "2", "-w", "1", "--mpi", mpi];
    let child = job.start_by(&launcher, HOST, &exe, &[("PC3_POLLING", "500ms")])?;
    let told = until(
        || job.stderr().contains("rank 3: polls at polls.c:1"),
        "a report",
    );
    fs::write(job.dir.path().join("enough"), "")?;
    let done = job.finish(child)?;
    told.with_context(|| format!("{done:?}"))?;
    ensure!(
        (done.status, &*job.stdout()) == (0, b"enough\n"),
        "{done:?}"
    );
    let lines: Vec<&str> = done.stderr.lines().collect();
    ensure!(
        lines.len() == 5
            && lines[0].starts_with("pc3: no progress for 0.5 s: ranks poll while all others wait")
            && lines[1].starts_with("  rank 0: MPI_Recv at polls.c:1")
            && lines[3].starts_with("  rank 2: MPI_Recv at polls.c:1"),
        "{lines:?}"
    );
    Ok(())
}

/// Thousands of ranks take no mapping each, nor much memory, when they go on.
fn many_ranks() -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/many.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let job = Job::new(&p)?;
    // Older systems have no guards but mappings.
    let set = |more: &[(&'static str, &'static str)]| {
        [&[("PC3_WORKERS", "2"), ("PC3_GUARDS", "none")], more].concat()
    };
    let stop = [("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", "1")];
    let done = job.run(HOST, &exe, &set(&stop))?;
    ensure!(done.status == STOPPED, "{done:?}");
    let done = job.run(HOST, &exe, &set(&[("PC3_RESTART", "latest")]))?;
    ensure!(
        (done.status, &*job.stdout()) == (0, b"23994000\n"),
        "{done:?}"
    );
    let numbers = done.stderr.split_whitespace();
    let numbers: Vec<usize> = numbers.filter_map(|w| w.parse().ok()).collect();
    ensure!(
        matches!(numbers[..], [kib, mappings] if kib < 64 && mappings < 1000),
        "{}",
        done.stderr
    );
    Ok(())
}

/// On several processes reordering brings neighbours together, and changes nothing else; orders stay when a job goes on elsewhere.
fn reordered() -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/reorder.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let go = |job: &Job, processes: &str, workers: &str, env: &[(&str, &str)]| {
        let launcher = [&*pc3run, "-p", processes, "-w", workers, "--mpi", "none"];
        job.finish(job.start_by(&launcher, HOST, &exe, env)?)
    };
    let whole = Job::new(&p)?;
    let done = go(&whole, "1", "4", &[])?;
    ensure!(done.status == 0, "{done:?}");
    let one: Vec<&str> = done.stderr.lines().collect();
    let expected = ["graph", "adjacent", "named", "grid"].map(|w| format!("{w}: 0 now 0"));
    ensure!(one == expected, "{one:?}");
    for processes in ["2", "3"] {
        let job = Job::new(&p)?;
        let done = go(&job, processes, "1", &[])?;
        ensure!(done.status == 0, "{done:?}");
        let edges = |line: &str| -> Option<(u32, u32)> {
            let (was, is) = line.split_once(": ")?.1.split_once(" now ")?;
            Some((was.parse().ok()?, is.parse().ok()?))
        };
        let fewer = done.stderr.lines().filter_map(edges);
        let fewer = fewer.filter(|(was, is)| is * 3 <= was * 2).count();
        ensure!(fewer == 4, "on {processes}: {}", done.stderr);
        ensure!(whole.stdout() == job.stdout(), "on {processes}: {done:?}");
    }
    let job = Job::new(&p)?;
    for (i, processes) in ["2", "1", "3", "2", "1"].into_iter().enumerate() {
        let env = [
            ("PC3_EVERY", "1x"),
            ("PC3_STOP_AFTER", "2"),
            ("PC3_RESTART", if i > 0 { "latest" } else { "" }),
        ];
        let done = go(&job, processes, "1", &env)?;
        ensure!(done.status == STOPPED, "{done:?}");
    }
    let done = go(&job, "3", "1", &[("PC3_RESTART", "latest")])?;
    ensure!(done.status == 0, "{done:?}");
    ensure!(whole.stdout() == job.stdout(), "moved: {done:?}");
    Ok(())
}

/// Ranks of `stays.c`.
const STAYS: usize = 4;

/// Who is asked for a checkpoint, and how.
#[derive(Clone, Copy, Debug)]
enum Asked {
    /// pc3run, as soon as it listens, by a signal.
    Pc3run(i32),
    /// The n-th of the job's processes, by a signal.
    Process(usize, i32),
    /// pc3run's number is given to `pc3 checkpoint --stop`.
    Command,
}

/// Each request stops the job with a checkpoint; it goes on to the next one, and at last to its end.
fn signals(mpi: &str) -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/stays.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let mut job = Job::new(&p)?;
    job.limit = Duration::from_secs(100);
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let launcher = [&*pc3run, "-p", "2", "-w", "1", "--mpi", mpi];
    let hops = [
        Asked::Pc3run(libc::SIGTERM),
        Asked::Process(1, libc::SIGUSR2),
        Asked::Command,
        Asked::Pc3run(libc::SIGUSR2),
        Asked::Process(0, libc::SIGTERM),
    ];
    // Open MPI's launcher takes seconds.
    let hops = &hops[..if mpi == "openmpi" { 3 } else { 5 }];
    for (i, &asked) in hops.iter().enumerate() {
        let env = [
            ("PC3_ON_SIGNAL", "TERM=stop,USR2=stop"),
            ("PC3_RESTART", if i > 0 { "latest" } else { "" }),
        ];
        let child = job.start_by(&launcher, HOST, &exe, &env)?;
        let number = child.id() as i32;
        let told = ask(asked, number, &exe);
        let done = job.finish(child);
        told.with_context(|| format!("{asked:?}: {done:?}"))?;
        let done = done?;
        ensure!(done.status == STOPPED, "{asked:?}: {done:?}");
        let newest = job.checkpoints().join(format!("ckpt-{:06}.pc3c", i + 1));
        ensure!(newest.is_file(), "{asked:?}: no {}", newest.display());
    }
    let env = [("ENOUGH", "1"), ("PC3_RESTART", "latest")];
    let done = job.finish(job.start_by(&launcher, HOST, &exe, &env)?)?;
    let out = String::from_utf8_lossy(&job.stdout()).into_owned();
    ensure!(
        (done.status, &*out) == (0, "6 each round\n"),
        "{out}{done:?}"
    );
    Ok(())
}

fn ask(asked: Asked, pc3run: i32, exe: &Path) -> Result<()> {
    let (process, signal) = match asked {
        Asked::Pc3run(signal) => {
            until(|| listens(pc3run, signal), "pc3run to listen")?;
            (pc3run, signal)
        }
        Asked::Process(n, signal) => (processes(pc3run, exe, signal, 2)?[n], signal),
        Asked::Command => {
            processes(pc3run, exe, libc::SIGUSR2, 2)?;
            let said = Command::new(arch::dist().join("bin/pc3"))
                .args(["checkpoint", "--stop", &pc3run.to_string()])
                .output()?;
            ensure!(said.status.success(), "{said:?}");
            // Those of both processes.
            let text = String::from_utf8_lossy(&said.stdout);
            let each = (0..STAYS).all(|r| text.contains(&format!(" rank {r} ")));
            ensure!(text.contains(", stood still: ") && each, "{text}");
            return Ok(());
        }
    };
    // SAFETY: a signal to our own child, or to one of its.
    ensure!(
        unsafe { libc::kill(process, signal) } == 0,
        "no process {process}"
    );
    Ok(())
}

/// A job on so many processes that is asked to stop by a signal to the last one.
fn asked(job: &Job, exe: &Path, count: usize, env: &[(&str, &str)]) -> Result<Child> {
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let processes = count.to_string();
    let launcher = [&*pc3run, "-p", &processes, "-w", "1", "--mpi", "none"];
    let child = job.start_by(&launcher, HOST, exe, env)?;
    let all = self::processes(child.id() as i32, exe, libc::SIGUSR2, count)?;
    // SAFETY: a signal to one of our own.
    let done = unsafe { libc::kill(all[count - 1], libc::SIGUSR2) };
    ensure!(done == 0, "no process {}", count - 1);
    Ok(child)
}

/// All ranks have ended, one with a status, when the checkpoint that stops the job is committed: it has stopped all the same.
fn stopped_last(mpi: &str) -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/stopped_last.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let job = Job::new(&p)?;
    let launcher = [&*pc3run, "-p", "3", "-w", "1", "--mpi", mpi];
    let first = [
        ("PC3_PROTOCOL", "nonblocking"),
        ("PC3_EVERY", "60x"),
        ("PC3_STOP_AFTER", "1"),
    ];
    let done = job.finish(job.start_by(&launcher, HOST, &exe, &first)?)?;
    ensure!(done.status == STOPPED, "{done:?}");
    let done = job.run(HOST, &exe, &[("PC3_RESTART", "latest")])?;
    let printed = String::from_utf8_lossy(&job.stdout()).into_owned();
    ensure!(
        (done.status, &*printed) == (9, "72380\n"),
        "{printed}{done:?}"
    );
    Ok(())
}

const STOPS: (&str, &str) = ("PC3_ON_SIGNAL", "USR2=stop");

/// No rank comes to a location for long: that is told; when they come the request is met.
fn away(protocol: &'static str, processes: usize) -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/stays.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let job = Job::new(&p)?;
    let env = [
        STOPS,
        ("AWAY", "1"),
        ("PC3_PROTOCOL", protocol),
        ("PC3_PATIENCE", "50ms"),
    ];
    let child = asked(&job, &exe, processes, &env)?;
    let told = match (protocol, processes) {
        ("barrier", 2) => {
            "planned for 0.05 s, and no rank has come to a location: rank 0 (has passed 0), rank 1"
        }
        _ => "was asked for 50ms ago (PC3_PATIENCE), and no rank has come to a location: rank",
    };
    until(|| job.stderr().contains(told), told)?;
    fs::write(job.dir.path().join("go"), "")?;
    let done = job.finish(child)?;
    ensure!(done.status == STOPPED, "{processes}: {done:?}");
    went_on(&job, &exe, &[], "6 each round\n")
}

/// All ranks of the process that is asked have ended.
fn gone(protocol: &'static str) -> Result<()> {
    let p = Program::load(&arch::root().join("tests/data/stays.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let job = Job::new(&p)?;
    let env = [STOPS, ("GONE", "1"), ("PC3_PROTOCOL", protocol)];
    let child = asked(&job, &exe, 2, &env)?;
    let done = job.finish(child)?;
    ensure!(done.status == STOPPED, "{done:?}");
    went_on(&job, &exe, &[("GONE", "1")], "1 each round\n")
}

fn went_on(job: &Job, exe: &Path, env: &[(&str, &str)], printed: &str) -> Result<()> {
    let on = [("ENOUGH", "1"), ("PC3_RESTART", "latest")];
    let done = job.run(HOST, exe, &[env, &on].concat())?;
    let out = String::from_utf8_lossy(&job.stdout()).into_owned();
    ensure!((done.status, &*out) == (0, printed), "{out}{done:?}");
    Ok(())
}

/// The processes of a job, once all catch the signal.
fn processes(pc3run: i32, exe: &Path, signal: i32, count: usize) -> Result<Vec<i32>> {
    let mut found = Vec::new();
    let is = |p: &i32| fs::read_link(format!("/proc/{p}/exe")).is_ok_and(|e| e == exe);
    let all = || {
        found = [vec![pc3run], below(pc3run)].concat();
        found.retain(|p| is(p) && listens(*p, signal));
        found.len() == count
    };
    until(all, "all processes")?;
    Ok(found)
}

fn below(process: i32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{process}/task"));
    let mut all = Vec::new();
    for thread in threads.into_iter().flatten().flatten() {
        let text = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        for child in text.split_whitespace().filter_map(|w| w.parse().ok()) {
            all.push(child);
            all.extend(below(child));
        }
    }
    all
}

fn listens(process: i32, signal: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
    let mask = caught.and_then(|m| u64::from_str_radix(m.trim(), 16).ok());
    mask.unwrap_or(0) >> (signal - 1) & 1 != 0
}

pub(crate) fn until(mut done: impl FnMut() -> bool, what: &str) -> Result<()> {
    let start = Instant::now();
    while !done() {
        if start.elapsed() > Duration::from_secs(60) {
            bail!("waited in vain for {what}");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}
