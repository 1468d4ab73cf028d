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

/// With options of callgrind's.
pub fn collected(
    cmd: &Command,
    out: &Path,
    files: &[String],
    options: &[&str],
) -> Result<(u64, u64)> {
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
    let text = fs::read_to_string(out)?;
    let own = parse(&text, |file| {
        files.iter().any(|f| file.rsplit('/').next() == Some(f))
    });
    Ok((own, parse(&text, |_| true)))
}

/// Sums the self costs in a callgrind file. File positions switch with `fl=`, `fi=`, `fe=`; names are
/// compressed as `(id) name`, later `(id)`; the line after `calls=` is inclusive cost of a callee.
fn parse(text: &str, wanted: impl Fn(&str) -> bool) -> u64 {
    let mut names: HashMap<String, bool> = HashMap::new();
    let (mut total, mut counted, mut skip) = (0u64, false, false);
    for line in text.lines() {
        if let Some(v) = ["fl=", "fi=", "fe="]
            .iter()
            .find_map(|k| line.strip_prefix(k))
        {
            let (id, name) = v.split_once(' ').unwrap_or((v, ""));
            if !name.is_empty() {
                names.insert(id.to_string(), wanted(name));
            }
            counted = names.get(id).copied().unwrap_or(false);
        } else if let Some(v) = line
            .strip_prefix("cfl=")
            .or_else(|| line.strip_prefix("cfi="))
        {
            if let Some((id, name)) = v.split_once(' ') {
                names.insert(id.to_string(), wanted(name));
            }
        } else if line.starts_with("calls=") {
            skip = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            if skip {
                skip = false;
            } else if counted {
                total += line
                    .split_whitespace()
                    .nth(1)
                    .and_then(|n| n.parse::<u64>().ok())
                    .unwrap_or(0);
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    #[test]
    fn self_costs_of_wanted_files() {
        let text = "fl=(1) /x/a.c\nfn=(1) f\n10 5\n+1 7\ncfl=(2) /x/lib.c\ncfn=(2) g\ncalls=1 3\n12 100\nfi=(2)\n3 50\nfe=(1)\n* 2\n";
        assert_eq!(super::parse(text, |f| f.ends_with("/a.c")), 14);
    }
}
