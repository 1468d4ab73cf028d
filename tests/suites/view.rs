//! What a programmer sees of the program: the compiler's messages, failed assertions and the debugger
//! speak of the user's lines and functions, before a restart and after it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch, HOST};
use pc3_tests::program::Program;
use pc3_tests::run::Job;
use pc3_tests::{build, clock};

type Case = fn(&Path) -> Result<()>;

pub fn trials() -> Vec<Trial> {
    let gdb = Command::new("gdb").arg("--version").output().is_ok();
    if !gdb {
        println!("skipped view::debugger: no gdb");
    }
    let cases: &[(&str, Case)] = &[
        ("messages", messages),
        ("errors", errors),
        ("assertion", assertion),
        ("debugger", debugger),
        ("differences", differences),
    ];
    cases
        .iter()
        .map(|(name, case)| {
            let case = *case;
            clock::test(format!("view::{name}"), move || {
                let run = || -> Result<()> { case(tempfile::tempdir()?.path()) };
                run().map_err(|e| format!("{e:#}").into())
            })
            .with_ignored_flag(*name == "debugger" && !gdb)
        })
        .collect()
}

/// Compiles `tests/view/NAME.c` as the user would in its folder; the executable and what was said.
fn compile(name: &str, flags: &[&str], dir: &Path) -> Result<(PathBuf, String)> {
    let (good, out, said) = try_compile(name, flags, dir)?;
    ensure!(good, "{said}");
    Ok((out, said))
}

fn try_compile(name: &str, flags: &[&str], dir: &Path) -> Result<(bool, PathBuf, String)> {
    let out = dir.join(name);
    let done = Command::new(arch::dist().join("bin/pc3cc"))
        .args(flags)
        .arg(format!("{name}.c"))
        .arg("-o")
        .arg(&out)
        .current_dir(arch::root().join("tests/view"))
        .env("LC_ALL", "C")
        .output()
        .context("pc3cc")?;
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    Ok((done.status.success(), out, said))
}

/// Of two checkpoints of a run, and of two architectures at the same place.
fn differences(dir: &Path) -> Result<()> {
    let source = arch::root().join("tests/released/sequential.c");
    let program = Program::load(&source)?;
    let run = |on: Arch, every: &str| -> Result<Job> {
        let job = Job::new(&program)?;
        let exe = build::instrumented(&program, on)?;
        let done = job.run(on, &exe, &[("PC3_EVERY", every), ("PC3_KEEP", "9")])?;
        ensure!(done.status == 0, "{}", done.stderr);
        Ok(job)
    };
    let diff = |a: &Path, b: &Path| -> Result<(Option<i32>, String)> {
        let pc3 = arch::dist().join("bin/pc3");
        let done = Command::new(pc3).arg("diff").args([a, b]).output()?;
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        Ok((done.status.code(), said))
    };
    let files = run(HOST, "7x")?;
    let list = files.checkpoint_files();
    let (status, said) = diff(&list[0], &list[1])?;
    ensure!(status == Some(1), "{said}");
    for line in [
        "sequential.c:steps: 7 -> 14",
        "main.round: 0 -> 1",
        "main.sums[0]: 0.0 -> 341.25",
        "sequential.c:first->seen: 1 -> 2",
        "sequential.c:walk#3.item->seen: 1 -> 2",
    ] {
        let found = said.lines().any(|l| l.trim() == line);
        ensure!(found, "no `{line}` in {said}");
    }
    ensure!(!said.contains("name"), "names are equal: {said}");
    for other in arch::available() {
        let there = run(other, "14x")?;
        let first = there.checkpoint_files()[0].clone();
        let (status, said) = diff(&list[1], &first)?;
        ensure!(status == Some(0), "{}: {said}", other.name);
    }
    let (status, _) = diff(&list[1], &dir.join("nothing"))?;
    ensure!(status == Some(2), "no such file");
    Ok(())
}

/// Places of a kind of message, sorted.
fn places(said: &str, kind: &str) -> Vec<String> {
    let mut list: Vec<String> = said
        .lines()
        .filter_map(|l| Some(l.split_once(kind)?.0.rsplit_once(':')?.0.to_owned()))
        .collect();
    list.sort_unstable();
    list
}

/// Of a function that becomes two, and each error once.
fn errors(dir: &Path) -> Result<()> {
    let (good, _, said) = try_compile("errors", &["-Wall", "-Wextra"], dir)?;
    ensure!(!good, "{said}");
    let got = places(&said, ": error: ");
    ensure!(
        got == ["errors.c:10", "errors.c:7", "errors.c:8"],
        "{got:?}\n{said}"
    );
    ensure!(!said.contains("pc3"), "generated names: {said}");
    Ok(())
}

fn messages(dir: &Path) -> Result<()> {
    let (_, said) = compile("messages", &["-Wall", "-O2"], dir)?;
    let got = places(&said, ": warning: ");
    let expected = [
        "messages.c:12",
        "messages.c:14",
        "messages.c:4",
        "messages.c:6",
        "messages.c:7",
    ];
    ensure!(got == expected, "{got:?}\n{said}");
    ensure!(said.contains("In function 'main'"), "{said}");
    ensure!(!said.contains("pc3"), "generated names: {said}");
    Ok(())
}

/// Runs to the checkpoint `k`.
fn stop(exe: &Path, dir: &Path, k: u32) -> Result<()> {
    let done = Command::new(exe)
        .current_dir(dir)
        .envs([("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", &k.to_string())])
        .output()?;
    ensure!(done.status.code() == Some(85), "{done:?}");
    Ok(())
}

fn assertion(dir: &Path) -> Result<()> {
    let (exe, _) = compile("asserts", &["-O2"], dir)?;
    let plain = Command::new(&exe).current_dir(dir).output()?;
    stop(&exe, dir, 3)?;
    // The third round fails, first in the resume clones' frames.
    let resumed = Command::new(&exe)
        .current_dir(dir)
        .env("PC3_RESTART", "latest")
        .output()?;
    for out in [plain, resumed] {
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        ensure!(
            said.contains("asserts.c:9: depth: Assertion `*total < 3' failed."),
            "{said}"
        );
    }
    stop(&exe, dir, 1)?;
    let resumed = Command::new(&exe)
        .current_dir(dir)
        .env("PC3_RESTART", "latest")
        .output()?;
    let printed = String::from_utf8_lossy(&resumed.stderr).into_owned();
    ensure!(printed.starts_with("asserts.c:19 main 0 13\n"), "{printed}");
    Ok(())
}

fn gdb(exe: &Path, dir: &Path, restart: bool, breakpoint: &str) -> Result<String> {
    let mut c = Command::new("gdb");
    c.args(["-q", "-nx", "-batch"]);
    let set = format!("break {breakpoint}");
    for command in [&set, "run", "bt", "info locals"] {
        c.args(["-ex", command]);
    }
    c.arg(exe)
        .current_dir(dir)
        .env("LC_ALL", "C")
        .env("DEBUGINFOD_URLS", "");
    if restart {
        c.env("PC3_RESTART", "latest");
    }
    let out = c.output()?;
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

fn debugger(dir: &Path) -> Result<()> {
    let (exe, _) = compile("asserts", &["-O0", "-g"], dir)?;
    let fresh = gdb(&exe, dir, false, "asserts.c:8")?;
    if fresh.contains("ptrace: Operation not permitted") {
        println!("skipped view::debugger: no ptrace here");
        return Ok(());
    }
    for frame in [
        "#0  depth (n=0,",
        "#3  ",
        "depth (n=3,",
        "asserts.c:12",
        "asserts.c:18",
        "here = 0",
    ] {
        ensure!(fresh.contains(frame), "{frame}:\n{fresh}");
    }
    let main = gdb(&exe, dir, false, "main")?;
    ensure!(main.contains("#0  main () at "), "{main}");
    stop(&exe, dir, 1)?;
    let resumed = gdb(&exe, dir, true, "asserts.c:8")?;
    for frame in [
        "#0  pc3_resume__depth ()",
        "asserts.c:8",
        "asserts.c:12",
        "asserts.c:18",
        "here = 0",
    ] {
        ensure!(resumed.contains(frame), "{frame}:\n{resumed}");
    }
    Ok(())
}
