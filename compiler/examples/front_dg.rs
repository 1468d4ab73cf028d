//! Reads C sources of a compiler's own tests, as gcc's `gcc.dg`: those that the compiler accepts by themselves must be read.
//!
//! `front_dg [--cc=COMMAND] [--every=N] [--least=PERCENT] FOLDER...`: with the options of each file's `dg-options`, where these are simple.
//! Prints what is not read, with codes; ends with 1 if fewer are read than it should.

use pc3_syntax::{front, lower, parallel, preprocess};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What became of a file.
enum Outcome {
    /// The compiler refuses it.
    Refused,
    Read,
    /// With the codes and the first line of why.
    Unread(Vec<String>, String),
}

struct Settings {
    cc: Vec<String>,
    every: usize,
    least: f64,
    folders: Vec<PathBuf>,
}

fn main() {
    let s = settings();
    let mut files = Vec::new();
    s.folders.iter().for_each(|f| sources(f, &mut files));
    files = files.iter().filter_map(|f| f.canonicalize().ok()).collect();
    files.sort();
    let files: Vec<PathBuf> = files.into_iter().step_by(s.every).collect();
    let outcomes = parallel::map(&files, |_, file| read(&s.cc, file));
    let (mut accepted, mut clean) = (0u32, 0u32);
    let mut codes: BTreeMap<String, u32> = BTreeMap::new();
    for (file, outcome) in files.iter().zip(outcomes) {
        match outcome {
            Outcome::Refused => continue,
            Outcome::Read => clean += 1,
            Outcome::Unread(found, line) => {
                println!("{}: {} {line}", file.display(), found.join(" "));
                found
                    .into_iter()
                    .for_each(|c| *codes.entry(c).or_default() += 1);
            }
        }
        accepted += 1;
    }
    let share = 100.0 * f64::from(clean) / f64::from(accepted.max(1));
    println!(
        "{clean} of {accepted} files that the compiler accepts are read: {share:.1} % ({codes:?})"
    );
    if share < s.least || accepted == 0 {
        std::process::exit(1);
    }
}

fn settings() -> Settings {
    let mut s = Settings {
        cc: vec!["cc".into()],
        every: 1,
        least: 0.0,
        folders: Vec::new(),
    };
    for word in std::env::args().skip(1) {
        match word.split_once('=') {
            Some(("--cc", cc)) => s.cc = cc.split_whitespace().map(str::to_string).collect(),
            Some(("--every", n)) => s.every = n.parse().unwrap_or(1).max(1),
            Some(("--least", n)) => s.least = n.parse().unwrap_or(0.0),
            _ => s.folders.push(word.into()),
        }
    }
    s
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for e in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = e.path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "c") {
            out.push(path);
        }
    }
}

fn read(cc: &[String], file: &Path) -> Outcome {
    let bytes = std::fs::read(file).unwrap_or_default();
    let Some(options) = options(&String::from_utf8_lossy(&bytes)) else {
        return Outcome::Refused;
    };
    let run = |more: &[&str]| -> Option<Output> {
        let mut c = Command::new(&cc[0]);
        c.args(&cc[1..])
            .arg("-w")
            .args(&options)
            .args(more)
            .arg(file);
        let folder = file.parent()?;
        c.current_dir(folder).stdin(Stdio::null()).output().ok()
    };
    let accepted = run(&["-fsyntax-only"]).is_some_and(|o| o.status.success());
    let text = run(&["-E"]).filter(|o| accepted && o.status.success());
    let Some(text) = text.and_then(|o| preprocess::checked_text(o.stdout).ok()) else {
        return Outcome::Refused;
    };
    let mut macros = Command::new(&cc[0]);
    macros.args(&cc[1..]).arg("-w").args(&options);
    macros
        .args(["-dM", "-E", "-x", "c", "/dev/null"])
        .stderr(Stdio::null());
    let Ok(target) = front::target(&mut macros) else {
        return Outcome::Refused;
    };
    let (_, diags) = lower::build(&file.display().to_string(), text, &target);
    let errors = diags
        .list
        .iter()
        .filter(|d| d.severity == pc3_syntax::diag::Severity::Error);
    let mut codes: Vec<String> = errors
        .clone()
        .map(|d| d.code.id())
        .map(|c| c.to_string())
        .collect();
    codes.sort();
    codes.dedup();
    let first = errors.clone().next().map(|d| {
        let line = d.at.as_ref().map_or(0, |p| p.position.line);
        format!("{line}: {}", d.message)
    });
    match first {
        None => Outcome::Read,
        Some(line) => Outcome::Unread(codes, line),
    }
}

/// The options of a file that can be tried by itself; None for those of other targets and languages, and of several files.
fn options(text: &str) -> Option<Vec<String>> {
    let mut out: Option<Vec<String>> = None;
    for line in text
        .lines()
        .filter(|l| l.contains("{ dg-") || l.contains("{dg-"))
    {
        if line.contains("dg-additional-sources") || line.contains("dg-do preprocess") {
            return None;
        }
        let is_options = line.contains("dg-options") || line.contains("dg-additional-options");
        if !is_options || line.contains("target") {
            continue;
        }
        let given = line.split('"').nth(1).unwrap_or("");
        let simple = |w: &&str| {
            let known = [
                "-std=",
                "-ansi",
                "-f",
                "-O",
                "-D",
                "-U",
                "-include",
                "-pedantic",
                "-W",
                "-g",
                "-w",
                "-I",
            ];
            known.iter().any(|k| w.starts_with(k))
                && !w.starts_with("-fdump")
                && !w.starts_with("-W")
                && !w.starts_with("-pedantic-errors")
                && !w.starts_with("-fplugin")
                && !w.starts_with("-g")
        };
        let words = given.split_whitespace().filter(simple);
        out.get_or_insert_default()
            .extend(words.map(str::to_string));
    }
    Some(out.unwrap_or_default())
}
