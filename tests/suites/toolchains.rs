//! Other compilers and dialects: programs that show where they differ, stopped, moved to what the machine's own compiler makes, and
//! back. `cargo xtask toolchains` tries all programs with any compiler.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use anyhow::{bail, ensure, Context, Result};
use libtest_mimic::Trial;
use pc3_tests::arch;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::toolchains::{self, Toolchain, ToolchainResult};

/// Compilers with the dialects that they are tried in.
const TRIED: [(&str, &str); 2] = [("clang-14", "gnu17"), ("clang-19", "gnu23")];
/// Orders of evaluation, names of functions, what headers define otherwise; a few others.
const PROGRAMS: [&str; 9] = [
    "operand_order",
    "linked_list",
    "complex_parts",
    "function_names_kept",
    "moved_parameters",
    "mpi_collectives",
    "typedef_access",
    "quad_numbers",
    "fortified",
];

/// Files of `compiler/tests/ui` with numbers that macros made, lists of arguments, and what clang does otherwise.
const READ: [&str; 4] = ["float_numbers", "arguments", "cleanup", "set_jump"];

/// Compilers that gcc's tests of C23 are read with: each as it is, with a location everywhere.
const READERS: [&str; 2] = ["gcc", "clang-19"];
/// One of so many is read, at another commit another one.
const PARTS: usize = 6;
/// Of these so many are accepted at least.
const ACCEPTED: usize = 3;

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![clock::test("toolchains::oldest", || {
        of_its_time().map_err(|e| format!("{e:#}").into())
    })];
    for cc in READERS {
        let folder = arch::target_dir().join("sources/gcc/gcc.dg");
        let here = arch::in_path(cc) && folder.is_dir();
        let trial = clock::test(format!("toolchains::{cc}::c23"), move || {
            reads(cc, &folder).map_err(|e| format!("{e:#}").into())
        });
        trials.push(trial.with_ignored_flag(!here));
    }
    for (cc, dialect) in TRIED {
        let here = arch::in_path(cc);
        if !here {
            println!("skipped: programs by {cc} (not installed)");
        }
        let trial = |name: &'static str| {
            clock::test(format!("toolchains::{cc}::{name}"), move || {
                moves(cc, dialect, name).map_err(|e| format!("{e:#}").into())
            })
            .with_ignored_flag(!here)
        };
        trials.extend(PROGRAMS.into_iter().map(trial));
        let read = |name: &'static str| {
            clock::test(format!("toolchains::{cc}::ui::{name}"), move || {
                told(cc, dialect, name).map_err(|e| format!("{e:#}").into())
            })
            .with_ignored_flag(!here)
        };
        trials.extend(READ.into_iter().map(read));
    }
    trials
}

fn moves(cc: &str, dialect: &str, name: &str) -> Result<()> {
    let toolchain = Toolchain::find(cc, dialect, false);
    let toolchain = toolchain.with_context(|| format!("{cc} does not know {dialect}"))?;
    let path = arch::root().join(format!("tests/programs/{name}.c"));
    match toolchain.examine(&Program::load(&path)?) {
        ToolchainResult::Same => Ok(()),
        other => bail!("{other:?}"),
    }
}

/// The diagnostics are those of the machine's own compiler.
fn told(cc: &str, dialect: &str, name: &str) -> Result<()> {
    let toolchain = Toolchain::find(cc, dialect, false);
    let toolchain = toolchain.with_context(|| format!("{cc} does not know {dialect}"))?;
    let path = arch::root().join(format!("compiler/tests/ui/{name}.c"));
    match toolchain.diagnoses(&path)? {
        Some(ToolchainResult::Same) => Ok(()),
        other => bail!("{other:?}"),
    }
}

fn is_of_c23(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with("c2x-")
}

/// gcc's own tests of C23: what the compiler accepts is read, and the compiler accepts what is printed.
fn reads(cc: &str, folder: &Path) -> Result<()> {
    let toolchain = Toolchain::find(cc, "c23", false);
    let toolchain = toolchain.with_context(|| format!("{cc} does not know C23"))?;
    let (mut read, mut bad) = (0, Vec::new());
    let mut files = toolchains::sources(folder)?;
    files.retain(|f| f.file_name().is_some_and(is_of_c23));
    let parts = arch::in_turn(cc, 0..PARTS);
    let chosen = (files.into_iter().enumerate()).filter(|(i, _)| parts.contains(&(i % PARTS)));
    for (_, file) in chosen {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        match toolchain.reads(&file, false)? {
            None => {}
            Some(ToolchainResult::Same) => read += 1,
            Some(other) => bad.push(format!("{name}: {other:?}")),
        }
    }
    ensure!(bad.is_empty(), "{}", bad.join("\n"));
    ensure!(read >= ACCEPTED, "only {read} files are accepted by {cc}");
    Ok(())
}

/// The C library that the runtime needs is no newer than the documents say.
const OLDEST: (u32, u32) = (2, 28);
/// Earlier ones have them in the part that is linked statically.
const ALWAYS_LINKED: [&str; 3] = ["atexit", "stat64", "fstat64"];

fn of_its_time() -> Result<()> {
    let archive = arch::dist().join("lib/pc3/x86_64-linux-gnu/libpc3rt.a");
    let needed = lines(Command::new("nm").arg("-u").arg(archive))?;
    // ` U name`; a weak one is asked for before it is used.
    let needed = needed.iter().filter_map(|l| l.trim().strip_prefix("U "));
    let mut since = HashMap::new();
    for library in ["libc.so.6", "libm.so.6"] {
        let path = Path::new("/lib/x86_64-linux-gnu").join(library);
        for line in lines(Command::new("objdump").arg("-T").arg(path))? {
            if let Some((name, version)) = exported(&line) {
                let oldest = since.entry(name).or_insert(version);
                *oldest = version.min(*oldest);
            }
        }
    }
    let newer: Vec<&str> = needed
        .filter(|n| !ALWAYS_LINKED.contains(n))
        .filter(|n| since.get(*n).is_some_and(|v| *v > OLDEST))
        .collect();
    ensure!(
        since.contains_key("mtx_lock"),
        "no list of the C library's names"
    );
    ensure!(newer.is_empty(), "newer than glibc {OLDEST:?}: {newer:?}");
    Ok(())
}

fn lines(c: &mut Command) -> Result<Vec<String>> {
    let done = c.output().with_context(|| format!("{c:?}"))?;
    ensure!(done.status.success(), "{c:?}");
    let text = String::from_utf8_lossy(&done.stdout);
    Ok(text.lines().map(str::to_owned).collect())
}

/// `... .text 0000 (GLIBC_2.2.5) name`, with or without brackets.
fn exported(line: &str) -> Option<(String, (u32, u32))> {
    let mut words = line.split_whitespace().rev();
    let (name, version) = (words.next()?, words.next()?);
    let version = version.trim_matches(['(', ')']).strip_prefix("GLIBC_")?;
    let mut numbers = version.split('.').map(str::parse);
    let version = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    (!line.contains("*UND*")).then(|| (name.to_owned(), version))
}
