//! What running programs say, word for word: each `tests/diagnostics/NAME.c` with what it writes to standard error beside it,
//! in `NAME.stderr`. `compiler/tests/ui.rs` sees to it that every code of theirs is among these.
//!
//! The lines behind a program's first say what is done with it, in the folder of the job: `// run: WORDS` starts it with
//! settings (`PC3_EVERY=1x`), for another architecture (`on=s390x`), compiled with `-DNAME` (`as=NAME`), with little memory
//! (`kilobytes=N`) or on several processes (`processes=N`); `// sh: COMMAND` is for what happens in between. `UPDATE_EXPECT=1` writes what comes out.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{bail, ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::Job;

pub fn trials() -> Vec<Trial> {
    let folder = arch::root().join("tests/diagnostics");
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|e| e.path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "c"));
    files.sort();
    files.into_iter().map(trial).collect()
}

fn trial(path: PathBuf) -> Trial {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    clock::test(format!("diagnostics::{stem}"), move || {
        check(&path).map_err(|e| format!("{e:#}").into())
    })
}

fn check(path: &Path) -> Result<()> {
    let source = fs::read_to_string(path)?;
    let lines = source.lines().skip(1);
    let steps: Vec<&str> = lines.map_while(|l| l.strip_prefix("// ")).collect();
    ensure!(
        steps.iter().any(|s| s.starts_with("run:")),
        "nothing is run"
    );
    let mut job = Job::new(&Program::load(path)?)?;
    job.limit = Duration::from_secs(60);
    let mut text = String::new();
    for step in steps {
        if let Some(command) = step.strip_prefix("sh: ") {
            let mut shell = Command::new("sh");
            shell.args(["-euc", command]).current_dir(job.dir.path());
            let done = shell.output()?;
            ensure!(done.status.success(), "{command}: {done:?}");
        } else if let Some(words) = step.strip_prefix("run:") {
            match run(&job, words)? {
                Some(said) => text += &said,
                // Without its compiler.
                None => return Ok(()),
            }
        } else {
            bail!("what is '{step}'?");
        }
    }
    let expected = path.with_extension("stderr");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return Ok(fs::write(&expected, text)?);
    }
    let wanted = fs::read_to_string(&expected).unwrap_or_default();
    ensure!(text == wanted, "expected\n{wanted}-- got\n{text}");
    Ok(())
}

/// What one run says, and how it ends; None: it cannot be built for that architecture here.
fn run(job: &Job, words: &str) -> Result<Option<String>> {
    let (mut on, mut p) = (HOST, job.program.clone());
    p.name = format!("diagnostics-{}", p.name);
    let mut launcher = Vec::new();
    let mut settings = Vec::new();
    for word in words.split_whitespace() {
        let (name, value) = word.split_once('=').context("NAME=VALUE")?;
        match name {
            "on" => on = architecture(value)?,
            "as" => {
                p.name = format!("{}-{value}", p.name);
                p.flags.push(format!("-D{value}"));
            }
            "kilobytes" => launcher = limited(value),
            "processes" => launcher = several(value),
            _ => settings.push((name, value)),
        }
    }
    if let Some(why) = on.missing() {
        println!("skipped: {why}");
        return Ok(None);
    }
    let exe = build::instrumented(&p, on)?;
    let before = job.stderr().len();
    let launcher: Vec<&str> = launcher.iter().map(String::as_str).collect();
    let done = job.finish(job.start_by(&launcher, on, &exe, &settings)?)?;
    let said = done.stderr.get(before..).unwrap_or_default();
    let said = said.replace(&job.dir.path().display().to_string(), "JOB");
    let said = said.replace(&exe.display().to_string(), "PROGRAM");
    let folder = job.program.sources.first().and_then(|s| s.parent());
    let said = said.replace(&format!("{}/", folder.context("no source")?.display()), "");
    Ok(Some(format!("{said}exit status {}\n", done.status)))
}

fn architecture(name: &str) -> Result<Arch> {
    let found = arch::ALL.into_iter().find(|a| a.name == name);
    found.with_context(|| format!("no architecture {name}"))
}

/// So many processes, whatever MPI there is here.
fn several(processes: &str) -> Vec<String> {
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    [&*pc3run, "-p", processes, "-w", "1", "--mpi", "none"]
        .map(str::to_owned)
        .into()
}

/// A shell that gives itself so many KiB of addresses.
fn limited(kilobytes: &str) -> Vec<String> {
    let script = format!("ulimit -v {kilobytes}; exec \"$@\"");
    ["sh", "-c", &script, "sh"].map(str::to_owned).into()
}
