//! Where ranks run and in which order: maps, what a run tells of itself, orders made of a seed.

use std::process::Command;

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::{difference, Job, STOPPED};

type Case = fn() -> Result<()>;

pub fn trials() -> Vec<Trial> {
    let cases: &[(&str, Case)] = &[
        ("ranks may run anywhere", anywhere),
        ("messages are counted", counted),
        ("traffic decides a placement", by_traffic),
        ("a seed decides an order", seeds),
        ("spawned ranks use all workers", spawned),
        ("what makes no sense is refused", refused),
    ];
    cases
        .iter()
        .map(|(name, case)| {
            let case = *case;
            clock::test(format!("places::{}", name.replace(' ', "_")), move || {
                case().map_err(|e| format!("{e:#}").into())
            })
        })
        .collect()
}

fn program(path: &str) -> Result<Program> {
    Program::load(&arch::root().join(path))
}

/// By `pc3run`, in the job's directory; output is appended to the job's.
fn pc3run(job: &Job, options: &str) -> Result<i32> {
    let exe = build::instrumented(&job.program, HOST)?;
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let mut launcher = vec![pc3run.as_str()];
    launcher.extend(options.split_whitespace());
    let child = job.start_by(&launcher, HOST, &exe, &[])?;
    Ok(job.finish(child)?.status)
}

/// A job that begins on one rank has the workers that it was given.
fn spawned() -> Result<()> {
    let p = program("tests/data/spawned_on.c")?;
    for (options, threads) in [("-n 1 -w 3", 3), ("-n 1 -w 1", 1)] {
        let job = Job::new(&p)?;
        let status = pc3run(&job, options)?;
        let (out, err) = (
            String::from_utf8_lossy(&job.stdout()).into_owned(),
            job.stderr(),
        );
        let want = format!("{threads} threads\n");
        ensure!(
            status == 0 && out == want,
            "{options}: {status}: {out}{err}"
        );
    }
    Ok(())
}

/// Each restart places ranks in another way, on other workers and processes.
fn anywhere() -> Result<()> {
    for name in [
        "tests/programs/mpi_collectives.c",
        "tests/programs/mpi_modes.c",
        "tests/programs/mpi_communicators.c",
    ] {
        let p = program(name)?;
        let whole = Job::new(&p)?;
        let status = whole
            .run(HOST, &build::instrumented(&p, HOST)?, &[])?
            .status;
        let job = Job::new(&p)?;
        let n = p.ranks;
        let backwards: Vec<String> = (0..n)
            .map(|r| (u32::from(r > 0 && r < n - 1)).to_string())
            .collect();
        let file = job.dir.path().join("places");
        std::fs::write(&file, backwards.join("\n"))?;
        let ways = [
            format!("-w 2 --map {}", backwards.join(",")),
            "--mpi none -p 2 -w 1 --map cyclic".to_owned(),
            format!("--mpi none -p 2 -w 1 --map {}", file.display()),
        ];
        for (i, way) in ways.iter().enumerate() {
            let restart = if i > 0 { "--restart" } else { "" };
            let got = pc3run(&job, &format!("--every 1x --stop-after 2 {way} {restart}"))?;
            ensure!(
                got == STOPPED,
                "{name}: {way}: status {got}: {}",
                job.stderr()
            );
        }
        let got = pc3run(&job, "--mpi none -p 3 -w 2 --map cyclic --restart")?;
        ensure!(got == status, "{name}: status {got}: {}", job.stderr());
        if let Some(d) = difference(&whole.stdout(), &job.stdout()) {
            anyhow::bail!("{name}: {d}");
        }
    }
    Ok(())
}

/// `[from,to,messages,bytes]` of all pairs.
fn pairs(job: &Job) -> Result<Vec<[u64; 4]>> {
    let text = std::fs::read_to_string(job.dir.path().join("s.json"))?;
    let (_, list) = text.split_once("\"messages\":[").context("no messages")?;
    let list = list.trim_end_matches(['}', ']', '\n']);
    let one = |line: &str| {
        let numbers: Vec<u64> = (line.trim_matches(['[', ']', ',']).split(','))
            .map(|n| n.parse().context(line.to_owned()))
            .collect::<Result<_>>()?;
        numbers.try_into().ok().context(line.to_owned())
    };
    list.lines().map(one).collect()
}

fn counted() -> Result<()> {
    let p = program("tests/faults/arrivals.c")?;
    let expected: Vec<[u64; 4]> = (0..9)
        .flat_map(|r| {
            let ring = [r, (r + 3) % 9, 4, 40 * r];
            let to_first = (r > 0 && r != 6).then_some([r, 0, 4, 16]);
            // Rank 6 sends both to rank 0.
            let both = [6, 0, 8, 256];
            [to_first, Some(if r == 6 { both } else { ring })]
        })
        .flatten()
        .collect();
    for how in ["-w 1", "-w 3", "--mpi none -p 2 -w 2", "-w 2 --map cyclic"] {
        let job = Job::new(&p)?;
        let status = pc3run(&job, &format!("--stats=s.json {how}"))?;
        ensure!(status == 0, "{how}: status {status}: {}", job.stderr());
        let got = pairs(&job)?;
        ensure!(got == expected, "{how}: {got:?}");
        let told = job.stderr();
        for words in ["statistics of 9 ranks", "within a worker", "switching s"] {
            ensure!(told.contains(words), "{how}: nothing of '{words}': {told}");
        }
    }
    Ok(())
}

/// Three rings of three ranks, of which blocks keep none together.
fn by_traffic() -> Result<()> {
    let p = program("tests/faults/arrivals.c")?;
    let job = Job::new(&p)?;
    let status = pc3run(
        &job,
        "--mpi none -p 3 -w 1 --every 1x --stop-after 2 --stats=s.json",
    )?;
    ensure!(status == STOPPED, "status {status}: {}", job.stderr());
    let crossing = |text: &str| -> Option<u64> {
        let line = text.lines().rfind(|l| l.contains("between processes  "))?;
        line.split_whitespace().last()?.parse().ok()
    };
    let before = crossing(&job.stderr()).context("no table")?;
    let status = pc3run(
        &job,
        "--mpi none -p 3 -w 1 --restart --map=auto --stats=s.json",
    )?;
    ensure!(status == 0, "status {status}: {}", job.stderr());
    let after = crossing(&job.stderr()).context("no table")?;
    ensure!(
        after < before / 2,
        "{after} bytes instead of {before}: {}",
        job.stderr()
    );
    Ok(())
}

fn seeds() -> Result<()> {
    let p = program("tests/faults/arrivals.c")?;
    let exe = build::instrumented(&p, HOST)?;
    let printed = |seed: &str| -> Result<Vec<u8>> {
        let job = Job::new(&p)?;
        let done = job.run(HOST, &exe, &[("PC3_DETERMINISTIC", seed)])?;
        ensure!(done.status == 0, "seed {seed}: {}", done.stderr);
        Ok(job.stdout())
    };
    let all: Vec<Vec<u8>> = ["1", "2", "3"]
        .into_iter()
        .map(printed)
        .collect::<Result<_>>()?;
    ensure!(all[0] != all[1] && all[1] != all[2], "seeds change nothing");
    for (seed, first) in ["1", "2", "3"].into_iter().zip(&all) {
        ensure!(*first == printed(seed)?, "seed {seed}: two runs differ");
    }
    Ok(())
}

fn refused() -> Result<()> {
    let p = program("tests/faults/arrivals.c")?;
    let exe = build::instrumented(&p, HOST)?;
    for (set, words) in [
        (&[("PC3_MAP", "auto")][..], "--stats"),
        (&[("PC3_MAP", "0,0,1")], "places 3 ranks, the job has 9"),
        (&[("PC3_MAP", "somewhere")], "expected block"),
        (
            &[("PC3_DETERMINISTIC", "7"), ("PC3_WORKERS", "2")],
            "one worker",
        ),
    ] {
        let done = Command::new(&exe)
            .current_dir(Job::new(&p)?.dir.path())
            .env("PC3_RANKS", "9")
            .envs(set.iter().copied())
            .output()?;
        let said = String::from_utf8_lossy(&done.stderr);
        ensure!(
            done.status.code() == Some(86),
            "{set:?}: {:?}: {said}",
            done.status
        );
        ensure!(said.contains(words), "{set:?}: {said}");
    }
    Ok(())
}
