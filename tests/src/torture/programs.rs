//! Where tortured programs come from: folders of C files, and csmith.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{ensure, Context, Result};

use crate::program::{Abis, Program};
use crate::run::{end_of, tie};

/// A program that is one C file.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub path: PathBuf,
    pub flags: Vec<String>,
    /// See [`Program::cc`].
    pub cc: Option<String>,
    /// Options of `cargo xtask torture` that name it.
    pub named_by: String,
}

impl Source {
    pub fn file(path: &Path) -> Source {
        Source {
            name: path
                .file_stem()
                .map(|s| s.to_string_lossy().into_owned())
                .unwrap_or_default(),
            path: path.to_path_buf(),
            flags: own_options(path),
            cc: None,
            named_by: path.display().to_string(),
        }
    }

    pub fn program(&self, level: &str, everywhere: bool) -> Program {
        let mut flags = vec![level.to_owned(), "-w".into(), "-s".into()];
        flags.extend(self.flags.iter().cloned());
        Program {
            name: format!("torture-{}", self.name.replace('/', "-")),
            sources: vec![self.path.clone()],
            args: Vec::new(),
            ranks: 0,
            abis: Abis::All,
            pc3_flags: everywhere
                .then(|| "--checkpoint-everywhere".to_owned())
                .into_iter()
                .collect(),
            flags,
            stdin: None,
            cc: self.cc.clone(),
        }
    }
}

/// Options that a program of gcc's suite asks for: `{ dg-options "-fgnu89-inline" }`, those for all targets.
fn own_options(path: &Path) -> Vec<String> {
    let text = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let mut options = Vec::new();
    for part in text.split("{ dg-").skip(1) {
        let directive = part.split('}').next().unwrap_or("").trim();
        let Some((name, rest)) = directive.split_once(' ') else {
            continue;
        };
        if !matches!(name, "options" | "additional-options") {
            continue;
        }
        // With or without braces of their own: `"-fwrapv"`, `{ "-fwrapv" }`.
        let rest = rest.trim_start_matches(['{', ' ']);
        let mut quoted = rest.trim_start_matches('"').splitn(2, '"');
        let (list, condition) = (quoted.next().unwrap_or(""), quoted.next().unwrap_or(""));
        if condition.trim().is_empty() {
            // The level is the plan's.
            let list = list.split_whitespace().filter(|w| !w.starts_with("-O"));
            options.extend(list.map(str::to_owned));
        }
    }
    options
}

/// The C files of a folder and of those in it, in order of name.  A file that another includes is no program.
pub fn in_folder(folder: &Path) -> Result<Vec<Source>> {
    let mut folders = vec![folder.to_path_buf()];
    let mut found = Vec::new();
    while let Some(dir) = folders.pop() {
        let entries = std::fs::read_dir(&dir).with_context(|| dir.display().to_string())?;
        for path in entries.flatten().map(|e| e.path()) {
            if path.is_dir() {
                // Those of gcc's library builtins consist of several files.
                if !path.ends_with("builtins") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|e| e == "c") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found
        .iter()
        .map(|p| {
            let mut s = Source::file(p);
            // Two folders may have a file of the same name.
            if let Ok(inside) = p.strip_prefix(folder) {
                s.name = inside.with_extension("").display().to_string();
            }
            s
        })
        .collect())
}

/// All features of C23 in one program.
pub const TOGETHER: &str = "together";

/// C23's features, each alone and each with each other one: `pair.c` of the folder with one or two of its other files; and all of
/// them together.
pub fn c23() -> Result<Vec<Source>> {
    let folder = crate::arch::root().join("tests/c23");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "h") {
            names.extend(path.file_stem().map(|n| n.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    let mut list = Vec::new();
    for (i, first) in names.iter().enumerate() {
        let others = names[i + 1..].iter().filter(|_| first != TOGETHER);
        let others = others.filter(|n| *n != TOGETHER).map(Some);
        for second in [None].into_iter().chain(others) {
            let mut source = Source::file(&folder.join("pair.c"));
            source.name = format!("c23/{first}");
            source.flags = vec![
                "-std=gnu23".into(),
                format!("-I{}", folder.display()),
                format!("-DFIRST=\"{first}.h\""),
            ];
            if let Some(second) = second {
                source.name += &format!("+{second}");
                source.flags.push(format!("-DSECOND=\"{second}.h\""));
            }
            source.named_by = format!("--c23 --only {}", source.name);
            list.push(source);
        }
    }
    Ok(list)
}

/// A location everywhere makes a compiler's afternoon of what csmith writes by itself.
const SMALL: [&str; 6] = [
    "--max-block-size",
    "2",
    "--max-block-depth",
    "3",
    "--max-expr-complexity",
    "5",
];

/// Each program does without some features, so that the others meet more often.  Unions of unlike members, which
/// csmith writes most of the time, keep a program on its ABI: every fourth one may have some.
fn features(seed: u64) -> Vec<&'static str> {
    let mut options = vec!["--max-funcs", ["2", "3", "4"][seed as usize % 3]];
    let mut without = |nth: u64, name: &'static str| {
        if seed % nth == 0 {
            options.push(name);
        }
    };
    without(7, "--no-packed-struct");
    without(9, "--no-bitfields");
    without(11, "--no-volatiles");
    if seed % 4 != 3 {
        options.push("--no-unions");
    }
    options
}

/// It takes a moment, and with some seeds for ever.
const CSMITH: Duration = Duration::from_secs(60);

/// The program that csmith makes of a seed, written to `folder`.
pub fn csmith(seed: u64, folder: &Path) -> Result<Source> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join(format!("csmith-{seed}.c"));
    let mut c = Command::new("csmith");
    c.args(["--seed", &seed.to_string()])
        .args(SMALL)
        .args(features(seed))
        .arg("--output")
        .arg(&path)
        // It leaves a file where it runs.
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    tie(&mut c);
    let done = end_of(c.spawn().context("csmith")?, CSMITH)?;
    ensure!(
        done == Some(0),
        "csmith --seed {seed} fails, or does not end"
    );
    let mut source = Source::file(&path);
    source.flags = vec!["-I/usr/include/csmith".into()];
    source.named_by = format!("--csmith 1 --first {seed}");
    Ok(source)
}

/// `n` of them, spread evenly.
pub fn sample<T>(all: Vec<T>, n: usize) -> Vec<T> {
    let len = all.len();
    if n >= len {
        return all;
    }
    all.into_iter()
        .enumerate()
        .filter(|(i, _)| i * n / len != (i + 1) * n / len)
        .map(|(_, s)| s)
        .collect()
}
