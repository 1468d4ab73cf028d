//! What an epoch of the non-blocking protocol needs, and what becomes of a job's outputs around it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::kills::{killed, launcher, Interruption, KillsPlan};
use pc3_tests::program::Program;
use pc3_tests::run::{difference, Job, Outcome, STOPPED};

use super::jobs::until;

const PROTOCOL: (&str, &str) = ("PC3_PROTOCOL", "nonblocking");

type Test = fn() -> Result<()>;

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, Test); 16] = [
        ("no_memory", no_memory),
        ("no_memory_to_stop", no_memory_to_stop),
        ("program_first", program_first),
        ("script_between", script_between),
        ("output_of_others", output_of_others),
        ("protocol_is_kept", protocol_is_kept),
        ("one_prints", one_prints),
        ("one_prints_and_is_killed", one_prints_and_is_killed),
        ("one_prints_and_moves", one_prints_and_moves),
        ("in_turn", in_turn),
        ("in_turn_and_is_killed", in_turn_and_is_killed),
        ("in_turn_and_moves", in_turn_and_moves),
        ("discord", discord),
        ("in_hand", in_hand),
        ("callers", callers),
        ("callbacks_meet", callbacks_meet),
    ];
    let trial = |(name, test): (&str, Test)| {
        clock::test(format!("epochs::{name}"), move || {
            test().map_err(|e| format!("{e:#}").into())
        })
    };
    tests.into_iter().map(trial).collect()
}

fn load(name: &str) -> Result<(Program, PathBuf)> {
    let p = Program::load(&arch::root().join(format!("tests/data/{name}.c")))?;
    let exe = build::instrumented(&p, HOST)?;
    Ok((p, exe))
}

fn whole(p: &Program, exe: &std::path::Path) -> Result<Vec<u8>> {
    let job = Job::new(p)?;
    let end = job.run(HOST, exe, &[])?;
    ensure!(end.status == 0, "uninterrupted: {}", end.stderr);
    Ok(job.stdout())
}

fn ended(end: &Outcome, status: i32) -> Result<()> {
    ensure!(
        end.status == status,
        "exit status {}\n{}",
        end.status,
        end.stderr
    );
    Ok(())
}

/// In so much memory that there is no room for a copy of the program's large array.
const LIMIT: [&str; 4] = ["sh", "-c", "ulimit -v 900000; exec \"$@\"", "sh"];

const NO_ROOM: &str =
    "warning[pc3::W0602]: no checkpoint was taken: rank 0: no memory for a copy of its state (4";

/// The epoch is given up, which is said once, and the job goes on with the checkpoint it has; when there is room it gets another.
fn no_memory() -> Result<()> {
    let (p, exe) = load("heavy")?;
    let expected = whole(&p, &exe)?;
    for processes in [1, 2] {
        let job = Job::new(&p)?;
        let env = [
            PROTOCOL,
            ("HEAVY_WAITS", "1"),
            ("PC3_EVERY", "400x"),
            ("PC3_WORKERS", "1"),
            ("PC3_KEEP", "100"),
        ];
        let by = launcher(&arch::dist(), processes, "none");
        let words: Vec<&str> = LIMIT
            .into_iter()
            .chain(by.iter().map(String::as_str))
            .collect();
        let child = job.start_by(&words, HOST, &exe, &env)?;
        let end_stage = |n: &str| fs::write(job.dir.path().join(n), "");
        let files = || job.checkpoint_files();
        until(|| !files().is_empty(), "a checkpoint")?;
        end_stage("1")?;
        until(|| job.stderr().contains(NO_ROOM), "an epoch given up")?;
        let before = files().len();
        end_stage("2")?;
        until(|| files().len() > before, "a checkpoint behind that")?;
        end_stage("3")?;
        let end = job.finish(child)?;
        ended(&end, 0)?;
        let told = end.stderr.matches(NO_ROOM).count();
        ensure!(told == 1, "told {told} times: {}", end.stderr);
        ensure!(job.stdout() == expected, "another result");
        let noted = |name: &str| -> Result<u64> {
            let text = fs::read_to_string(job.dir.path().join(name))?;
            Ok(text.trim().parse()?)
        };
        // Round i begins with passage i + 1.
        let (taken, given) = (noted("taken")? + 1, noted("given")? + 1);
        for file in files() {
            let at = passage(&file)?;
            // Rank 1 may have passed one more when rank 0 had its line.
            ensure!(at <= taken + 1 || at > given, "{taken} < {at} <= {given}");
        }
        let again = [("PC3_RESTART", "latest")];
        ended(&job.run(HOST, &exe, &again)?, 0)?;
        ensure!(job.stdout() == expected, "another result behind a restart");
    }
    Ok(())
}

/// Who wants the job to stop is told why it does not.
fn no_memory_to_stop() -> Result<()> {
    let (p, exe) = load("heavy")?;
    let job = Job::new(&p)?;
    let env = [
        PROTOCOL,
        ("HEAVY_WAITS", "1"),
        ("PC3_EVERY", "2500x"),
        ("PC3_WORKERS", "1"),
        ("PC3_STOP_AFTER", "1"),
    ];
    // The first stage ends by itself before the first request, the last by the stop only.
    fs::write(job.dir.path().join("1"), "")?;
    let child = job.start_by(&LIMIT, HOST, &exe, &env)?;
    until(|| job.stderr().contains(NO_ROOM), "an epoch given up")?;
    fs::write(job.dir.path().join("2"), "")?;
    let end = job.finish(child)?;
    ended(&end, STOPPED)?;
    let goes_on = "the program goes on, and stops as soon as one can be taken";
    ensure!(end.stderr.contains(goes_on), "{}", end.stderr);
    Ok(())
}

/// Copies go before the program is told that there is no memory.
fn program_first() -> Result<()> {
    let (p, exe) = load("greedy")?;
    let expected = whole(&p, &exe)?;
    let job = Job::new(&p)?;
    let env = [PROTOCOL, ("PC3_EVERY", "20x"), ("PC3_WORKERS", "2")];
    let limit = ["sh", "-c", "ulimit -v 1150000; exec \"$@\"", "sh"];
    let end = job.finish(job.start_by(&limit, HOST, &exe, &env)?)?;
    ended(&end, 0)?;
    ensure!(
        end.stderr.contains("warning[pc3::W0602]"),
        "there was enough: {}",
        end.stderr
    );
    same_lines(&expected, &job.stdout(), 1)
}

/// What `pc3 show --json` says of the whole.
fn shown(file: &PathBuf, name: &str) -> Result<String> {
    let pc3 = arch::dist().join("bin/pc3");
    let out = Command::new(pc3)
        .args(["show", "--json", "--rank", "0", "--limit", "1"])
        .arg(file)
        .output()?;
    let text = String::from_utf8(out.stdout)?;
    let (_, rest) = text
        .split_once(&format!("\"{name}\": "))
        .context("not shown")?;
    Ok(rest
        .lines()
        .next()
        .unwrap_or("")
        .trim_end_matches(',')
        .to_owned())
}

fn passage(file: &PathBuf) -> Result<u64> {
    Ok(shown(file, "passage")?.parse()?)
}

/// What the script prints between the starts of a job that stops stays, and what the job printed behind its checkpoint is there
/// once.
fn script_between() -> Result<()> {
    let (p, exe) = load("teller")?;
    let expected = whole(&p, &exe)?;
    for processes in [1, 2] {
        let job = Job::new(&p)?;
        let by = launcher(&arch::dist(), processes, "none");
        let words: Vec<&str> = by.iter().map(String::as_str).collect();
        let mut stops = 0;
        for every in ["1700x", "900x", "2300x", "1100x", "20000x"] {
            let mut env = vec![PROTOCOL, ("PC3_EVERY", every), ("PC3_STOP_AFTER", "1")];
            if stops > 0 {
                env.push(("PC3_RESTART", "latest"));
            }
            let end = job.finish(job.start_by(&words, HOST, &exe, &env)?)?;
            if end.status == 0 {
                break;
            }
            ended(&end, STOPPED)?;
            stops += 1;
            let mut out = OpenOptions::new().append(true).open(job.stdout_path())?;
            writeln!(out, "script {stops}")?;
        }
        let all = String::from_utf8(job.stdout())?;
        let (script, own): (Vec<&str>, Vec<&str>) = all
            .split_inclusive('\n')
            .partition(|l| l.starts_with("script"));
        let wanted: Vec<String> = (1..=stops).map(|n| format!("script {n}\n")).collect();
        ensure!(
            stops > 1 && script == wanted,
            "{stops} stops, kept: {script:?}"
        );
        same_lines(&expected, own.concat().as_bytes(), processes)?;
    }
    Ok(())
}

/// What other processes have printed, and waits there when a checkpoint is taken, is not lost.
fn output_of_others() -> Result<()> {
    let (p, exe) = load("teller")?;
    let expected = whole(&p, &exe)?;
    let job = Job::new(&p)?;
    let by = launcher(&arch::dist(), 2, "none");
    let words: Vec<&str> = by.iter().map(String::as_str).collect();
    let env = [PROTOCOL, ("PC3_EVERY", "3000x"), ("PC3_STOP_AFTER", "1")];
    ended(
        &job.finish(job.start_by(&words, HOST, &exe, &env)?)?,
        STOPPED,
    )?;
    ended(&job.run(HOST, &exe, &[("PC3_RESTART", "latest")])?, 0)?;
    same_lines(&expected, &job.stdout(), 2)
}

/// Of several processes lines come in any order.
fn same_lines(expected: &[u8], got: &[u8], processes: usize) -> Result<()> {
    let sorted = |bytes: &[u8]| {
        let mut lines: Vec<Vec<u8>> = bytes
            .split_inclusive(|b| *b == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        if processes > 1 {
            lines.sort_unstable();
        }
        lines.concat()
    };
    match difference(&sorted(expected), &sorted(got)) {
        Some(d) => anyhow::bail!("output differs: {d}"),
        None => Ok(()),
    }
}

/// A restart goes on by the protocol that has taken the checkpoint, unless it is told another.
fn protocol_is_kept() -> Result<()> {
    let (p, exe) = load("teller")?;
    let expected = whole(&p, &exe)?;
    let job = Job::new(&p)?;
    let stop = [("PC3_EVERY", "1500x"), ("PC3_STOP_AFTER", "1")];
    let again = ("PC3_RESTART", "latest");
    let steps: [(&[(&str, &str)], &str); 5] = [
        (&[PROTOCOL], "nonblocking"),
        (&[again], "nonblocking"),
        (&[again, ("PC3_PROTOCOL", "barrier")], "barrier"),
        (&[again], "barrier"),
        (&[again, PROTOCOL], "nonblocking"),
    ];
    for (env, protocol) in steps {
        let env: Vec<(&str, &str)> = env.iter().chain(&stop).copied().collect();
        ended(&job.run(HOST, &exe, &env)?, STOPPED)?;
        let last = job.checkpoint_files().pop().context("no checkpoint")?;
        let got = shown(&last, "protocol")?;
        ensure!(
            got == format!("{protocol:?}"),
            "{got} instead of {protocol}"
        );
    }
    ended(&job.run(HOST, &exe, &[again])?, 0)?;
    same_lines(&expected, &job.stdout(), 1)
}

/// A rank that prints all the time stands in the way of no checkpoint, nor do callbacks that print to standard error.
fn one_prints() -> Result<()> {
    let (p, exe) = load("chatty")?;
    let expected = whole(&p, &exe)?;
    for workers in ["1", "4"] {
        let job = Job::new(&p)?;
        let mut stops = 0;
        for every in ["1700x", "900x", "2300x", "1100x", "100000x"] {
            let mut env = vec![
                PROTOCOL,
                ("PC3_EVERY", every),
                ("PC3_STOP_AFTER", "1"),
                ("PC3_WORKERS", workers),
            ];
            if stops > 0 {
                env.push(("PC3_RESTART", "latest"));
            }
            let end = job.run(HOST, &exe, &env)?;
            ensure!(!end.stderr.contains("W06"), "{}", end.stderr);
            if end.status == 0 {
                break;
            }
            ended(&end, STOPPED)?;
            stops += 1;
        }
        ensure!(stops > 1, "{stops} stops");
        same_lines(&expected, &job.stdout(), 1)?;
    }
    Ok(())
}

fn one_prints_and_is_killed() -> Result<()> {
    let (p, _) = load("chatty")?;
    let plan = KillsPlan {
        by: Interruption::Kill,
        kills: 6,
        seed: 11,
        protocols: vec!["barrier", "nonblocking"],
        processes: 1,
        mpis: vec!["none"],
        archs: vec![HOST],
        every: vec!["100x", "300x", "900x"],
        increments: false,
        limit: Duration::from_secs(300),
    };
    killed(&p, &plan, &arch::dist()).map(drop)
}

/// What waits in a stream's buffer may be a rank's that goes on in another process, and prints on there.
fn one_prints_and_moves() -> Result<()> {
    from_each("chatty", &[("PC3_EVERY", "301x")])
}

/// Each rank has said that standard output is written line by line.
fn in_turn_and_moves() -> Result<()> {
    from_each("discord", &[PROTOCOL, ("PC3_EVERY", "25x")])
}

/// As if the job had been killed behind each of its checkpoints, and gone on in other processes.
fn from_each(name: &str, env: &[(&str, &str)]) -> Result<()> {
    let (p, exe) = load(name)?;
    let expected = whole(&p, &exe)?;
    let job = Job::new(&p)?;
    let env = [env, &[("PC3_KEEP", "100")]].concat();
    ended(&job.run(HOST, &exe, &env)?, 0)?;
    let all = job.checkpoint_files().len();
    // How many depends on how fast the machine writes them.
    ensure!(all > 0, "no checkpoint");
    for id in (1..=all).rev() {
        let by = launcher(&arch::dist(), 2 + id % 2, "none");
        let words: Vec<&str> = by.iter().map(String::as_str).collect();
        let id = id.to_string();
        let env = [("PC3_RESTART", id.as_str())];
        ended(&job.finish(job.start_by(&words, HOST, &exe, &env)?)?, 0)?;
        same_lines(&expected, &job.stdout(), 1)?;
    }
    Ok(())
}

/// Ranks print one after the other, far apart from their locations: what they have printed behind their lines is not printed
/// again, where it would come behind what follows from it.
fn in_turn() -> Result<()> {
    let (p, exe) = load("discord")?;
    let expected = whole(&p, &exe)?;
    for workers in ["1", "3"] {
        let job = Job::new(&p)?;
        let mut stops = 0;
        for every in ["29x", "23x", "37x", "31x", "41x", "27x", "100000x"] {
            let mut env = vec![
                PROTOCOL,
                ("PC3_EVERY", every),
                ("PC3_STOP_AFTER", "1"),
                ("PC3_WORKERS", workers),
            ];
            if stops > 0 {
                env.push(("PC3_RESTART", "latest"));
            }
            let end = job.run(HOST, &exe, &env)?;
            ensure!(!end.stderr.contains("W06"), "{}", end.stderr);
            if end.status == 0 {
                break;
            }
            ended(&end, STOPPED)?;
            stops += 1;
            // Of rank 0: its log can be read.
            let last = job.checkpoint_files().pop().context("no checkpoint")?;
            shown(&last, "early")?.parse::<u64>()?;
        }
        ensure!(stops > 3, "{stops} stops");
        same_lines(&expected, &job.stdout(), 1)?;
    }
    Ok(())
}

fn in_turn_and_is_killed() -> Result<()> {
    let (p, _) = load("discord")?;
    let plan = KillsPlan {
        by: Interruption::Kill,
        kills: 6,
        seed: 5,
        protocols: vec!["nonblocking"],
        processes: 1,
        mpis: vec!["none"],
        archs: vec![HOST],
        every: vec!["3x", "10x", "30x"],
        increments: false,
        limit: Duration::from_secs(300),
    };
    killed(&p, &plan, &arch::dist()).map(drop)
}

/// In several processes nobody prints between the lines of ranks: who does so, and where, is told.
fn discord() -> Result<()> {
    let (p, exe) = load("discord")?;
    let expected = whole(&p, &exe)?;
    let text = "wrote to standard output between the local checkpoints of ranks of several processes each time";
    let job = Job::new(&p)?;
    let by = launcher(&arch::dist(), 2, "none");
    let words: Vec<&str> = by.iter().map(String::as_str).collect();
    let env = [PROTOCOL, ("PC3_EVERY", "10x"), ("PC3_WORKERS", "1")];
    let end = job.finish(job.start_by(&words, HOST, &exe, &env)?)?;
    ended(&end, 0)?;
    ensure!(end.stderr.contains(text), "not told: {}", end.stderr);
    same_lines(&expected, &job.stdout(), 2)
}

/// What a matched probe had in hand when the epoch began is in the checkpoint with its contents: its sender's line is behind it.
fn in_hand() -> Result<()> {
    let p = Program::load(&arch::root().join("tests/apart/probed.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let expected = whole(&p, &exe)?;
    for every in ["7x", "11x", "12x", "13x", "17x", "19x"] {
        let job = Job::new(&p)?;
        let env = [
            PROTOCOL,
            ("PC3_EVERY", every),
            ("PC3_STOP_AFTER", "1"),
            ("PC3_WORKERS", "2"),
        ];
        ended(&job.run(HOST, &exe, &env)?, STOPPED)?;
        let again = [("PC3_RESTART", "latest"), ("PC3_WORKERS", "2")];
        ended(&job.run(HOST, &exe, &again)?, 0)?;
        same_lines(&expected, &job.stdout(), 1)?;
    }
    Ok(())
}

/// Who connects by ports, or spawns in vain, all the time gets a checkpoint in between, or is told.
fn callers() -> Result<()> {
    let (p, exe) = load("callers")?;
    let expected = whole(&p, &exe)?;
    for pause in ["0", "2000"] {
        let p = Program {
            args: vec![pause.to_owned()],
            ..p.clone()
        };
        let job = Job::new(&p)?;
        let end = job.run(HOST, &exe, &[PROTOCOL, ("PC3_EVERY", "50x")])?;
        ended(&end, 0)?;
        let told = end
            .stderr
            .contains("was called while it was being taken, each time")
            || end.stderr.contains("which failed, was called");
        ensure!(
            told || !job.checkpoint_files().is_empty(),
            "neither: {}",
            end.stderr
        );
        same_lines(&expected, &job.stdout(), 1)?;
        if !job.checkpoint_files().is_empty() {
            ended(&job.run(HOST, &exe, &[("PC3_RESTART", "latest")])?, 0)?;
            same_lines(&expected, &job.stdout(), 1)?;
        }
    }
    Ok(())
}

/// Where callbacks meet others the job ends and says why, with the last checkpoint as it is; at a barrier they may.
fn callbacks_meet() -> Result<()> {
    let (plain, exe) = load("meets")?;
    let expected = whole(&plain, &exe)?;
    for event in ["before", "restart"] {
        let p = Program {
            args: vec![event.to_owned()],
            ..plain.clone()
        };
        for protocol in ["barrier", "nonblocking"] {
            let job = Job::new(&p)?;
            let env = [
                ("PC3_PROTOCOL", protocol),
                ("PC3_EVERY", "700x"),
                ("PC3_STOP_AFTER", "1"),
            ];
            let first = job.run(HOST, &exe, &env)?;
            let on = [("PC3_RESTART", "latest")];
            let refused = match (protocol, event) {
                ("barrier", _) => {
                    ended(&first, STOPPED)?;
                    ended(&job.run(HOST, &exe, &on)?, 0)?;
                    ensure!(job.stdout() == expected, "{event}: another result");
                    continue;
                }
                (_, "before") => first,
                _ => {
                    ended(&first, STOPPED)?;
                    let on = job.run(HOST, &exe, &on)?;
                    if on.status == 0 {
                        // There was nothing to do again.
                        ensure!(job.stdout() == expected, "{event}: another result");
                        continue;
                    }
                    on
                }
            };
            ended(&refused, 90)?;
            let why = "MPI_Barrier was called by a callback around checkpoints";
            ensure!(refused.stderr.contains(why), "{event}: {}", refused.stderr);
        }
    }
    Ok(())
}
