//! Each call by which a directory of checkpoints is changed: it fails, the disk is full from there on, or the process is killed at
//! it.  What is there is whole at any time, the output is that of the uninterrupted run, and nothing is left over.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::{difference, Job, Outcome, REFUSED, STOPPED};

const KILLED: i32 = 128 + libc::SIGKILL;
/// ... of a job that cannot use its directory.
const NO_DIRECTORY: i32 = 87;
/// ... of one that has lost a process.
const LOST: i32 = 92;
/// So many calls follow the one that gives a checkpoint its name: it becomes durable, what it replaces goes.
const BEHIND: u64 = 5;
const INCREMENTS: (&str, &str) = ("PC3_INCREMENTS", "on");
const EVERY: (&str, &str) = ("PC3_EVERY", "1x");

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for commit in ["sync", "async"] {
        for (name, series) in SERIES {
            let mut ways = vec!["io", "full", "killed", "torn"];
            if series.in_turn {
                ways = arch::in_turn(&format!("{name}_{commit}"), ways);
            }
            for how in ways {
                let name = format!("storage::{name}_{commit}_{how}");
                trials.push(clock::test(name.clone(), move || {
                    let each = || Faulty::new(series, commit)?.each_call(&name, how);
                    each().map_err(|e| format!("{e:#}").into())
                }));
            }
        }
    }
    for compress in ["off", "on"] {
        for (name, series) in [SERIES[0], SERIES[2]] {
            let name = format!("storage::damaged_{name}_{compress}");
            trials.push(clock::test(name, move || {
                let each = || Faulty::new(series, "sync")?.damaged(compress);
                each().map_err(|e| format!("{e:#}").into())
            }));
        }
    }
    trials.push(clock::test("storage::collected", || {
        collected().map_err(|e| format!("{e:#}").into())
    }));
    trials
}

/// A program's checkpoints at whose calls it is tried.
struct Series {
    path: &'static str,
    args: &'static [&'static str],
    /// Those before, without faults.
    before: u64,
    processes: usize,
    protocol: &'static str,
    /// With few processors one way to fail is tried at each commit.
    in_turn: bool,
}

const SERIES: [(&str, &Series); 4] = [
    (
        "first",
        &Series {
            path: "tests/programs/few_change.c",
            args: &["30000", "4"],
            before: 0,
            processes: 1,
            protocol: "barrier",
            in_turn: false,
        },
    ),
    // Packs are left, and what is in use of them is written anew.
    (
        "later",
        &Series {
            path: "tests/programs/few_change.c",
            args: &["30000", "23"],
            before: 19,
            processes: 1,
            protocol: "barrier",
            in_turn: true,
        },
    ),
    (
        "several",
        &Series {
            path: "examples/c/heat",
            args: &["200", "4"],
            before: 0,
            processes: 2,
            protocol: "barrier",
            in_turn: false,
        },
    ),
    (
        "apart",
        &Series {
            path: "examples/c/heat",
            // Without a barrier some are not there before the next one is due.
            args: &["200", "40"],
            before: 0,
            processes: 2,
            protocol: "nonblocking",
            in_turn: true,
        },
    ),
];

/// The library, and what the program says without faults.
struct Faulty {
    series: &'static Series,
    commit: &'static str,
    exe: PathBuf,
    program: Program,
    expected: (Vec<u8>, i32),
    library: Library,
}

struct Counted {
    calls: u64,
    /// The one that failed was to remove a file.
    was_to_remove: bool,
    /// The last call that gave a checkpoint its name.
    named: u64,
}

struct Library {
    dir: tempfile::TempDir,
}

impl Library {
    fn build() -> Result<Library> {
        let dir = tempfile::tempdir()?;
        let source = arch::root().join("tests/data/failing_calls.c");
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(dir.path().join("failing.so"));
        let status = cc.arg(source).arg("-ldl").status()?;
        ensure!(status.success(), "the library cannot be built");
        Ok(Library { dir })
    }

    /// How many calls there have been.
    fn count(&self) -> PathBuf {
        self.dir.path().join("count")
    }

    /// None has been made yet.
    fn environment(&self, at: u64, how: &str, dir: &Path) -> Result<Vec<(&'static str, String)>> {
        fs::write(self.count(), [0; 24])?;
        let text = |p: &Path| p.display().to_string();
        Ok(vec![
            ("LD_PRELOAD", text(&self.dir.path().join("failing.so"))),
            ("FAILING_COUNT", text(&self.count())),
            ("FAILING_DIR", text(dir)),
            ("FAILING_AT", at.to_string()),
            ("FAILING_HOW", how.to_owned()),
        ])
    }

    fn counted(&self) -> Result<Counted> {
        let bytes = fs::read(self.count())?;
        let numbers = bytes
            .chunks_exact(8)
            .map(|b| b.try_into().map(u64::from_ne_bytes));
        let numbers: Vec<u64> = numbers.collect::<Result<_, _>>()?;
        Ok(Counted {
            calls: numbers[0],
            was_to_remove: numbers[1] != 0,
            named: numbers[2],
        })
    }
}

impl Faulty {
    fn new(series: &'static Series, commit: &'static str) -> Result<Faulty> {
        let mut program = Program::load(&arch::root().join(series.path))?;
        program.args = series.args.iter().map(|a| (*a).to_owned()).collect();
        let exe = build::instrumented(&program, HOST)?;
        let whole = Job::new(&program)?;
        let status = whole.run(HOST, &exe, &[])?.status;
        Ok(Faulty {
            series,
            commit,
            exe,
            program,
            expected: (whole.stdout(), status),
            library: Library::build()?,
        })
    }

    fn run(&self, job: &Job, more: &[(&str, &str)]) -> Result<Outcome> {
        let processes = self.series.processes.to_string();
        let pc3run = arch::dist().join("bin/pc3run").display().to_string();
        let launcher = [&*pc3run, "-p", &processes, "-w", "1", "--mpi", "none"];
        let launcher = &launcher[..if self.series.processes > 1 {
            launcher.len()
        } else {
            0
        }];
        let protocol = ("PC3_PROTOCOL", self.series.protocol);
        let own = [INCREMENTS, EVERY, ("PC3_COMMIT", self.commit), protocol];
        let env = [&own, more].concat();
        job.finish(job.start_by(launcher, HOST, &self.exe, &env)?)
    }

    /// Up to where faults come.
    fn begin(&self) -> Result<Job> {
        let job = Job::new(&self.program)?;
        if self.series.before > 0 {
            let stop = self.series.before.to_string();
            let done = self.run(&job, &[("PC3_STOP_AFTER", &stop)])?;
            ensure!(done.status == STOPPED, "{done:?}");
        }
        Ok(job)
    }

    fn faulty(&self, job: &Job, at: u64, how: &str) -> Result<Outcome> {
        let _ = fs::remove_file(job.dir.path().join("stderr"));
        let more = self.library.environment(at, how, &job.checkpoints())?;
        let mut env: Vec<(&str, &str)> = more.iter().map(|(k, v)| (*k, &**v)).collect();
        env.push(("PC3_RESTART", "auto"));
        self.run(job, &env)
    }

    fn each_call(&self, name: &str, how: &str) -> Result<()> {
        let job = self.begin()?;
        let done = self.faulty(&job, u64::MAX >> 1, how)?;
        self.ended(&job, &done)?;
        let Counted { calls, named, .. } = self.library.counted()?;
        ensure!(calls > 20, "only {calls} calls");
        let mut reached = 0;
        let mut tried: Vec<u64> = arch::share(name, 1..=calls, 40).collect();
        tried.extend(named..=calls.min(named + BEHIND));
        tried.sort_unstable();
        tried.dedup();
        for at in tried {
            self.one(at, how, &mut reached)
                .with_context(|| format!("at call {at} of {calls}"))?;
        }
        Ok(())
    }

    /// `reached`: the newest checkpoint that there was when an earlier call was it.
    fn one(&self, at: u64, how: &str, reached: &mut u64) -> Result<()> {
        let job = self.begin()?;
        let done = self.faulty(&job, at, how)?;
        whole(&job)?;
        let newest = newest(&job);
        ensure!(
            newest >= self.series.before.saturating_sub(1),
            "{newest} is the newest"
        );
        let said = || format!("{done:?}");
        match done.status {
            KILLED | LOST if how == "killed" || how == "torn" => {
                if self.commit == "sync" && self.series.processes == 1 {
                    ensure!(newest >= *reached, "back from {reached} to {newest}");
                    *reached = newest;
                }
                if !job.checkpoints().join("begin").exists() {
                    // It had not begun, or was over.
                    let out = job.stdout();
                    ensure!(
                        out.is_empty() || self.expected.0.starts_with(&out),
                        "it is another"
                    );
                    return Ok(());
                }
            }
            // Where it cannot begin it does not run.
            NO_DIRECTORY | REFUSED => {
                ensure!(done.stderr.contains("error[pc3::E0602]"), "{}", said());
            }
            _ => {
                self.ended(&job, &done).with_context(said)?;
                // What could not be removed is tried again at the next checkpoint.
                return match self.library.counted()?.was_to_remove {
                    true => Ok(()),
                    false => nothing_is_left(&job),
                };
            }
        }
        let again = self.run(&job, &[("PC3_RESTART", "auto")])?;
        self.ended(&job, &again).with_context(said)?;
        nothing_is_left(&job)
    }

    /// Bytes of the newest checkpoint and its packs: each is found, with the rank and its variables where it is one of theirs, and a
    /// restart goes on from the one before.
    fn damaged(&self, compress: &str) -> Result<()> {
        let job = Job::new(&self.program)?;
        let stop = [("PC3_STOP_AFTER", "3"), ("PC3_COMPRESS", compress)];
        let done = self.run(&job, &stop)?;
        ensure!(done.status == STOPPED, "{done:?}");
        let before = Kept::of(&job)?;
        let newest = |(p, _): &&(PathBuf, Vec<u8>)| p.to_string_lossy().contains("-000003");
        let files: Vec<_> = before.files.iter().filter(newest).collect();
        let packs = files.iter().filter(|(path, _)| is_pack(path)).count();
        ensure!(packs > 0 && files.len() == 1 + packs, "{packs} packs");
        let mut restarts = 0;
        for (path, good) in files {
            let is_pack = is_pack(path);
            let all = arch::share(compress, positions(good.len()).into_iter(), 3);
            for (i, at) in all.enumerate() {
                let mut bad = good.clone();
                bad[at] ^= 1 << (i % 8);
                fs::write(path, bad)?;
                let (good, said) = pc3("verify", &job)?;
                let what = || format!("byte {at} of {}: {said}", path.display());
                // What is compressed may mean the same.
                ensure!(!good || is_pack && compress == "on", "{}", what());
                ensure!(good || said.contains("ckpt-000003.pc3c: "), "{}", what());
                ensure!(good || !is_pack || said.contains(": rank "), "{}", what());
                if i % 4 == 0 {
                    let again = self.run(&job, &[("PC3_RESTART", "latest")])?;
                    self.ended(&job, &again).with_context(what)?;
                    let skipped = again.stderr.contains("ckpt-000003.pc3c is skipped");
                    ensure!(skipped != good, "{}: {}", what(), again.stderr);
                    before.put_back(&job)?;
                    restarts += 1;
                }
            }
            fs::write(path, good)?;
        }
        ensure!(restarts > 3, "only {restarts} restarts");
        Ok(())
    }

    fn ended(&self, job: &Job, done: &Outcome) -> Result<()> {
        ensure!(
            done.status == self.expected.1,
            "exit status {}",
            done.status
        );
        match difference(&self.expected.0, &job.stdout()) {
            None => whole(job),
            Some(d) => bail!("{d}"),
        }
    }
}

/// The first and the last bytes, and some between.
fn positions(length: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..length.min(64)).step_by(7).collect();
    all.extend((0..25).map(|i| i * length / 25));
    all.extend((length.saturating_sub(64)..length).step_by(7));
    all
}

fn is_pack(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "pc3p")
}

/// What is in a job's folder.
struct Kept {
    stdout: Vec<u8>,
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Kept {
    fn of(job: &Job) -> Result<Kept> {
        let mut files = Vec::new();
        for entry in fs::read_dir(job.checkpoints())? {
            let path = entry?.path();
            let bytes = fs::read(&path)?;
            files.push((path, bytes));
        }
        let stdout = job.stdout();
        Ok(Kept { stdout, files })
    }

    fn put_back(&self, job: &Job) -> Result<()> {
        for entry in fs::read_dir(job.checkpoints())? {
            fs::remove_file(entry?.path())?;
        }
        for (path, bytes) in &self.files {
            fs::write(path, bytes)?;
        }
        fs::write(job.stdout_path(), &self.stdout)?;
        let _ = fs::remove_file(job.dir.path().join("stderr"));
        Ok(())
    }
}

fn newest(job: &Job) -> u64 {
    let newest = job.checkpoint_files().pop();
    let name = newest.and_then(|p| Some(p.file_stem()?.to_str()?.to_owned()));
    let digits = name.as_deref().and_then(|n| n.strip_prefix("ckpt-"));
    digits.and_then(|d| d.parse().ok()).unwrap_or(0)
}

fn pc3(what: &str, job: &Job) -> Result<(bool, String)> {
    let mut pc3 = Command::new(arch::dist().join("bin/pc3"));
    let done = pc3.arg(what).arg(job.checkpoints()).output()?;
    let said = [done.stdout, done.stderr].concat();
    Ok((
        done.status.success(),
        String::from_utf8_lossy(&said).into_owned(),
    ))
}

/// All that has the name of a checkpoint is one.
fn whole(job: &Job) -> Result<()> {
    if !job.checkpoint_files().is_empty() {
        let (good, said) = pc3("verify", job)?;
        ensure!(good, "{said}");
    }
    Ok(())
}

fn nothing_is_left(job: &Job) -> Result<()> {
    let (good, said) = pc3("gc", job)?;
    ensure!(
        good && said.starts_with("removed 0 files"),
        "left over: {said}"
    );
    Ok(())
}

/// `pc3 gc`, at each of its calls.
fn collected() -> Result<()> {
    let faulty = Faulty::new(SERIES[0].1, "sync")?;
    let job = Job::new(&faulty.program)?;
    let done = faulty.run(&job, &[("PC3_STOP_AFTER", "3")])?;
    ensure!(done.status == STOPPED, "{done:?}");
    let names = || -> Result<Vec<_>> {
        let entries = fs::read_dir(job.checkpoints())?.flatten();
        let mut names: Vec<_> = entries.map(|e| e.file_name()).collect();
        names.sort();
        Ok(names)
    };
    let needed = names()?;
    for how in ["io", "full", "killed"] {
        for at in 1.. {
            for left in [
                ".ckpt-000004.tmp",
                "pack-000002-7.pc3p",
                "pack-000004-0.pc3p",
            ] {
                fs::write(job.checkpoints().join(left), "left")?;
            }
            let mut gc = Command::new(arch::dist().join("bin/pc3"));
            let env = faulty.library.environment(at, how, &job.checkpoints())?;
            let said = gc.arg("gc").arg(job.checkpoints()).envs(env).output()?;
            whole(&job)?;
            let there = names()?;
            ensure!(
                needed.iter().all(|n| there.contains(n)),
                "{how} at {at}: {there:?}"
            );
            let calls = faulty.library.counted()?.calls;
            if calls < at {
                ensure!(
                    calls > 3 && said.status.success() && there == needed,
                    "{said:?}"
                );
                break;
            }
            let (good, said) = pc3("gc", &job)?;
            ensure!(good && names()? == needed, "{how} at {at}: {said}");
        }
    }
    let done = faulty.run(&job, &[("PC3_RESTART", "latest")])?;
    faulty.ended(&job, &done)
}
