//! Instructions that a program executes, in its own source files and in all, counted by valgrind's callgrind.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{bail, Context, Result};

/// Self cost of all lines of files named in `files` (base names), and of everything; the program must carry
/// debug information.  What a compiler generates in a file counts as the file's.
pub fn instructions(cmd: &Command, out: &Path, files: &[String]) -> Result<(u64, u64)> {
    collected(cmd, out, files, &[])
}

/// The same; what the files' functions call of other objects by way of a linkage table (the C library and libm) counts as theirs.
pub fn with_libraries(cmd: &Command, out: &Path, files: &[String]) -> Result<(u64, u64)> {
    let text = record(cmd, out, &[])?;
    // Entries of the table have no names.
    let own = parse(&text, one_of(files), |function| function.starts_with("0x"));
    Ok((own, parse(&text, |_| true, |_| false)))
}

/// With options of callgrind's.
pub fn collected(
    cmd: &Command,
    out: &Path,
    files: &[String],
    options: &[&str],
) -> Result<(u64, u64)> {
    let text = record(cmd, out, options)?;
    let own = parse(&text, one_of(files), |_| false);
    Ok((own, parse(&text, |_| true, |_| false)))
}

fn one_of(files: &[String]) -> impl Fn(&str) -> bool + '_ {
    |file| files.iter().any(|f| file.rsplit('/').next() == Some(f))
}

/// What callgrind writes of a run.
fn record(cmd: &Command, out: &Path, options: &[&str]) -> Result<String> {
    let mut v = Command::new("valgrind");
    v.arg("--tool=callgrind")
        .args(options)
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg("--main-stacksize=8388608");
    v.arg(cmd.get_program()).args(cmd.get_args());
    if let Some(dir) = cmd.get_current_dir() {
        v.current_dir(dir);
    }
    for (k, value) in cmd.get_envs() {
        if let Some(value) = value {
            v.env(k, value);
        }
    }
    let done = v
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .context("cannot run valgrind")?;
    if !done.status.success() {
        bail!("{v:?}: {}", String::from_utf8_lossy(&done.stderr));
    }
    Ok(fs::read_to_string(out)?)
}

/// Sums the self costs in a callgrind file, and those of calls from there to functions for which `theirs` holds. File positions
/// switch with `fl=`, `fi=`, `fe=`; names are compressed as `(id) name`, later `(id)`; the line after `calls=` is inclusive cost
/// of a callee.
fn parse(text: &str, wanted: impl Fn(&str) -> bool, theirs: impl Fn(&str) -> bool) -> u64 {
    let (mut files, mut functions) = (Names::default(), Names::default());
    let (mut total, mut counted, mut callee, mut call) = (0u64, false, false, false);
    for line in text.lines() {
        let Some((key, v)) = line.split_once('=').filter(|(k, _)| !k.contains(' ')) else {
            if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
                let cost = || line.split_whitespace().nth(1)?.parse::<u64>().ok();
                if counted && (!call || callee) {
                    total += cost().unwrap_or(0);
                }
                call = false;
            }
            continue;
        };
        match key {
            "fl" | "fi" | "fe" => counted = files.is(v, &wanted),
            "cfl" | "cfi" => drop(files.is(v, &wanted)),
            "fn" => drop(functions.is(v, &theirs)),
            "cfn" => callee = functions.is(v, &theirs),
            "calls" => call = true,
            _ => {}
        }
    }
    total
}

/// What is said of names, by their numbers in the file.
#[derive(Default)]
struct Names<'a>(HashMap<&'a str, bool>);

impl<'a> Names<'a> {
    fn is(&mut self, v: &'a str, holds: impl Fn(&str) -> bool) -> bool {
        let (id, name) = v.split_once(' ').unwrap_or((v, ""));
        if !name.is_empty() {
            self.0.insert(id, holds(name));
        }
        self.0.get(id).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn self_costs_of_wanted_files() {
        let text = "fl=(1) /x/a.c\nfn=(1) f\n10 5\n+1 7\ncfl=(2) /x/lib.c\ncfn=(2) g\ncalls=1 3\n12 100\nfi=(2)\n3 50\nfe=(1)\n* 2\n";
        let own = |f: &str| f.ends_with("/a.c");
        assert_eq!(super::parse(text, own, |_| false), 14);
        assert_eq!(super::parse(text, own, |f| f == "g"), 114);
        assert_eq!(super::parse(text, own, |f| f == "f"), 14);
    }
}
