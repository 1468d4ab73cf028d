//! Rust programs in situations that those of `examples/rust` do not come into: a number that the next machine has no room for, a
//! signal, an input file, locations where no checkpoint can be taken, parts of a text in maps (`tests/moved`, and `kmeans`).

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, Arch, HOST, I686};
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::{build, run::STOPPED};

const REFUSED: i32 = 89;

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn() -> Result<()>| {
        clock::test(format!("rust::{name}"), move || {
            test().map_err(|e| format!("{e:#}").into())
        })
    };
    vec![
        trial("narrow", narrow),
        trial("signals", signals),
        trial("table", table),
        trial("passed", passed),
        trial("texts", texts),
    ]
}

/// For that, or for this machine.
fn built(cross: Option<Arch>) -> Result<PathBuf> {
    build_program("tests/moved/program.rs", cross)
}

/// The program of that source, by its path in the repository.
pub fn build_program(source: &str, cross: Option<Arch>) -> Result<PathBuf> {
    let dir = arch::target_dir().join("rustgen");
    let source = arch::root().join(source);
    let name = source.file_stem().unwrap_or_default().to_string_lossy();
    let package = dir.join(format!("moved-{name}"));
    std::fs::create_dir_all(package.join("src"))?;
    super::rust::manifest(&package, &name)?;
    std::fs::copy(&source, package.join("src/main.rs"))?;
    let mut target = dir.join("target");
    let mut c = Command::new("cargo");
    c.args(["build", "--offline", "--quiet"]);
    c.current_dir(&package).env("CARGO_TARGET_DIR", &target);
    if let Some(arch) = cross {
        let upper = arch.rust.to_uppercase().replace('-', "_");
        c.args(["--target", arch.rust]);
        arch.links(&mut c);
        c.env(
            format!("CARGO_TARGET_{upper}_RUSTFLAGS"),
            "-C target-feature=+crt-static",
        );
        target.push(arch.rust);
    }
    let done = c.output()?;
    ensure!(done.status.success(), "{}", said(&done));
    Ok(target.join("debug").join(&*name))
}

fn said(done: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&done.stdout) + &text(&done.stderr)
}

fn run(exe: &Path, dir: &Path, env: &[(&str, &str)]) -> Result<Output> {
    let mut c = Command::new(exe);
    c.env("PC3_DIR", dir).envs(env.iter().copied());
    c.output().with_context(|| exe.display().to_string())
}

/// A `usize` that has no room on a machine of 32 bits is refused there, by its name, and the checkpoint stays as it is.
fn narrow() -> Result<()> {
    if !arch::in_path(&I686.cc()) {
        println!("skipped rust::narrow: no compiler {}", I686.cc());
        return Ok(());
    }
    let (here, there) = (built(None)?, built(Some(I686))?);
    let work = tempfile::tempdir()?;
    for (wide, fits) in [("4294967290", true), ("1099511627776", false)] {
        let dir = work.path().join(wide);
        let stop = [
            ("WIDE", wide),
            ("STEPS", "3"),
            ("PC3_EVERY", "1x"),
            ("PC3_STOP_AFTER", "1"),
        ];
        let done = run(&here, &dir, &stop)?;
        ensure!(done.status.code() == Some(STOPPED), "{}", said(&done));
        let restart = [("PC3_RESTART", "latest")];
        let done = run(&there, &dir, &restart)?;
        let told = said(&done);
        if fits {
            ensure!(done.status.success() && told == "4294967293\n", "{told}");
            continue;
        }
        ensure!(
            done.status.code() == Some(REFUSED) && done.stdout.is_empty(),
            "{told}"
        );
        for word in ["furlongs", "1099511627776 is not a usize on this machine"] {
            ensure!(told.contains(word), "{word} is not in {told}");
        }
        let done = run(&here, &dir, &restart)?;
        ensure!(
            done.status.success() && said(&done) == "1099511627779\n",
            "{}",
            said(&done)
        );
    }
    Ok(())
}

/// SIGUSR1 asks for a checkpoint, SIGUSR2 for one and the end.
fn signals() -> Result<()> {
    let exe = built(None)?;
    let work = tempfile::tempdir()?;
    let dir = work.path().join("checkpoints");
    let mut c = Command::new(&exe);
    c.env("PC3_DIR", &dir)
        .env("STEPS", "1000000")
        .env("PAUSE", "5");
    let mut child = c.stdout(Stdio::piped()).spawn()?;
    let mut out = BufReader::new(child.stdout.take().context("its output")?);
    let mut printed = String::new();
    out.read_line(&mut printed)?;
    let send = |signal: i32| {
        // SAFETY: the child has not been waited for.
        unsafe { libc::kill(child.id() as libc::pid_t, signal) }
    };
    let taken =
        || std::fs::read_dir(&dir).map_or(0, |all| all.flatten().filter(is_checkpoint).count());
    send(libc::SIGUSR1);
    for _ in 0..600 {
        if taken() > 0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    ensure!(taken() > 0, "no checkpoint half a minute behind SIGUSR1");
    send(libc::SIGUSR2);
    out.read_to_string(&mut printed)?;
    let status = child.wait()?;
    ensure!(
        status.code() == Some(STOPPED) && printed == "begins\n",
        "{status} {printed}"
    );
    let again = [
        ("PC3_RESTART", "latest"),
        ("PC3_EVERY", "1x"),
        ("PC3_STOP_AFTER", "1"),
    ];
    let done = run(&exe, &dir, &again)?;
    ensure!(
        done.status.code() == Some(STOPPED) && done.stdout.is_empty(),
        "{}",
        said(&done)
    );
    Ok(())
}

fn is_checkpoint(entry: &std::fs::DirEntry) -> bool {
    let name = entry.file_name();
    name.to_string_lossy().ends_with(".pc3c")
}

/// `kmeans` with a table of its own, which is read before it goes on elsewhere.
fn table() -> Result<()> {
    let all = Program::rust_examples()?;
    let kmeans = all.iter().find(|p| p.rust_binary() == Some("kmeans"));
    let kmeans = kmeans.context("examples/rust has kmeans")?;
    let (hot, plain) = (
        build::instrumented(kmeans, HOST)?,
        build::plain(kmeans, HOST)?,
    );
    let work = tempfile::tempdir()?;
    let table = work.path().join("table.csv");
    let line = |i: u32| format!("town{i}, {}.5,{}\n", i * 7 % 13, i * 5 % 11);
    std::fs::write(&table, (0..40).map(line).collect::<String>())?;
    let command = |exe: &Path| {
        let mut c = Command::new(exe);
        c.arg(&table).arg("3").current_dir(work.path());
        c
    };
    let expected = command(&plain).output()?;
    ensure!(
        expected.status.success() && !expected.stdout.is_empty(),
        "{}",
        said(&expected)
    );
    let (mut printed, mut stops) = (Vec::new(), 0);
    loop {
        let mut c = command(&hot);
        c.envs([
            ("PC3_DIR", "checkpoints"),
            ("PC3_EVERY", "3x"),
            ("PC3_STOP_AFTER", "1"),
        ]);
        if stops > 0 {
            c.env("PC3_RESTART", "latest");
        }
        let done = c.output()?;
        printed.extend_from_slice(&done.stdout);
        if done.status.code() != Some(STOPPED) {
            ensure!(done.status.success(), "{}", said(&done));
            break;
        }
        stops += 1;
    }
    ensure!(
        stops > 5 && printed == expected.stdout,
        "after {stops} stops other words"
    );
    std::fs::write(&table, "town,1\n")?;
    let done = command(&hot).output()?;
    ensure!(
        !done.status.success() && said(&done).contains("line 1"),
        "{}",
        said(&done)
    );
    Ok(())
}

/// Locations that are passed where no checkpoint can be taken are told, once.
fn passed() -> Result<()> {
    let exe = build_program("tests/moved/passed.rs", None)?;
    let work = tempfile::tempdir()?;
    let told = |every: &str, marked: bool| -> Result<String> {
        let mut c = Command::new(&exe);
        c.env("PC3_DIR", work.path().join(every))
            .env("PC3_EVERY", every);
        if marked {
            c.env("MARKED", "1");
        }
        let done = c.output()?;
        ensure!(
            done.status.success() && done.stdout == b"5\n",
            "{}",
            said(&done)
        );
        Ok(String::from_utf8(done.stderr)?)
    };
    let place = "the location in `step` (src/main.rs:7) was reached by a call without `ck!`";
    for (every, begins) in [
        ("2x", "no checkpoint was taken: "),
        ("100ms", "a checkpoint is due, but waits: "),
    ] {
        let text = told(every, false)?;
        ensure!(
            text.contains(&format!("{begins}{place}")),
            "{every}: {text}"
        );
    }
    for (every, marked) in [("6x", false), ("1h", false), ("2x", true)] {
        let text = told(every, marked)?;
        ensure!(!text.contains("W0601"), "{every}: {text}");
    }
    Ok(())
}

/// Stopped at every location.
fn texts() -> Result<()> {
    let exe = build_program("tests/moved/texts.rs", None)?;
    let work = tempfile::tempdir()?;
    let (mut printed, mut stops) = (Vec::new(), 0);
    loop {
        let restart = ("PC3_RESTART", if stops > 0 { "latest" } else { "" });
        let stop = [("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", "1"), restart];
        let done = run(&exe, work.path(), &stop)?;
        printed.extend_from_slice(&done.stdout);
        if done.status.code() != Some(STOPPED) {
            ensure!(done.status.success(), "{}", said(&done));
            break;
        }
        stops += 1;
    }
    let text = String::from_utf8(printed)?;
    let expected = "3 b\n{\"a\", \"b\", \"c\"}\n3\n163\n";
    ensure!(text == expected && stops == 21, "{stops} stops: {text}");
    Ok(())
}
