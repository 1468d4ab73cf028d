//! Reads C sources of a compiler's own tests, as gcc's `gcc.dg` and clang's `test/C`: those that the compiler accepts by themselves must
//! be read.
//!
//! `front_dg [--cc=COMMAND] [--every=N] [--from=K] [--only=PART] [--least=PERCENT] [--printed=PC3CC] FOLDER...`: with the options of each
//! file's `dg-options` or first `RUN:` line, where these are simple. Prints what is not read, with codes; ends with 1 if fewer are read than
//! it should. `--printed`: what this pc3cc prints with a location everywhere the compiler must accept, too.

use pc3_syntax::types::Target;
use pc3_syntax::{front, lower, parallel, preprocess};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

#[path = "../../tests/src/dg.rs"]
mod dg;

/// What became of a file.
enum Outcome {
    /// The compiler refuses it.
    Refused,
    Read,
    /// With the codes and the first line of why.
    Unread(Vec<String>, String),
    /// The compiler does not accept what pc3cc made of it: what it says.
    Unacceptable(String),
}

struct Settings {
    cc: Vec<String>,
    every: usize,
    from: usize,
    /// Of names of files.
    only: String,
    least: f64,
    printed: Option<String>,
    targets: Mutex<HashMap<Vec<String>, Option<Target>>>,
    folders: Vec<PathBuf>,
}

fn main() {
    let s = settings();
    let mut files = Vec::new();
    s.folders.iter().for_each(|f| sources(f, &mut files));
    files = files.iter().filter_map(|f| f.canonicalize().ok()).collect();
    files.sort();
    files.retain(|f| {
        f.file_name()
            .is_some_and(|n| n.to_string_lossy().contains(&s.only))
    });
    let files: Vec<PathBuf> = files.into_iter().skip(s.from).step_by(s.every).collect();
    let outcomes = parallel::map(&files, |_, file| {
        let outcome = read(&s, file);
        let told = match &outcome {
            Outcome::Unread(found, line) => Some(format!("{} {line}", found.join(" "))),
            Outcome::Unacceptable(said) => Some(format!("printed: {said}")),
            Outcome::Refused | Outcome::Read => None,
        };
        if let Some(told) = told {
            println!("{}: {told}", file.display());
        }
        outcome
    });
    let (mut accepted, mut clean, mut unacceptable) = (0u32, 0u32, 0u32);
    let mut codes: BTreeMap<String, u32> = BTreeMap::new();
    for outcome in outcomes {
        match outcome {
            Outcome::Refused => continue,
            Outcome::Read => clean += 1,
            Outcome::Unread(found, _) => {
                (found.into_iter()).for_each(|c| *codes.entry(c).or_default() += 1)
            }
            Outcome::Unacceptable(_) => {
                clean += 1;
                unacceptable += 1;
            }
        }
        accepted += 1;
    }
    if s.printed.is_some() {
        println!("{unacceptable} are printed as the compiler does not accept them");
    }
    let share = 100.0 * f64::from(clean) / f64::from(accepted.max(1));
    println!(
        "{clean} of {accepted} files that the compiler accepts are read: {share:.1} % ({codes:?})"
    );
    if share < s.least || accepted == 0 || unacceptable > 0 {
        std::process::exit(1);
    }
}

fn settings() -> Settings {
    let mut s = Settings {
        cc: vec!["cc".into()],
        every: 1,
        from: 0,
        only: String::new(),
        least: 0.0,
        printed: None,
        targets: Mutex::default(),
        folders: Vec::new(),
    };
    for word in std::env::args().skip(1) {
        match word.split_once('=') {
            Some(("--cc", cc)) => s.cc = cc.split_whitespace().map(str::to_string).collect(),
            Some(("--every", n)) => s.every = n.parse().unwrap_or(1).max(1),
            Some(("--from", n)) => s.from = n.parse().unwrap_or(0),
            Some(("--only", part)) => s.only = part.into(),
            Some(("--printed", pc3cc)) => s.printed = Some(pc3cc.into()),
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

fn target(s: &Settings, options: &[String]) -> Option<Target> {
    let known = |s: &Settings| s.targets.lock().ok()?.get(options).cloned();
    if let Some(known) = known(s) {
        return known;
    }
    let mut macros = Command::new(&s.cc[0]);
    macros.args(&s.cc[1..]).arg("-w").args(options);
    macros
        .args(["-dM", "-E", "-x", "c", "/dev/null"])
        .stderr(Stdio::null());
    let target = front::target(&mut macros)
        .ok()
        .map(|t| t.with_options(options));
    if let Ok(mut targets) = s.targets.lock() {
        targets.insert(options.to_vec(), target.clone());
    }
    target
}

fn read(s: &Settings, file: &Path) -> Outcome {
    let bytes = std::fs::read(file).unwrap_or_default();
    let Some(options) = dg::options(&String::from_utf8_lossy(&bytes)) else {
        return Outcome::Refused;
    };
    let run = |more: &[&str]| -> Option<Output> {
        let mut c = Command::new(&s.cc[0]);
        c.args(&s.cc[1..])
            .arg("-w")
            .args(&options)
            .args(more)
            .arg(file);
        let folder = file.parent()?;
        c.current_dir(folder).stdin(Stdio::null()).output().ok()
    };
    if !run(&["-fsyntax-only"]).is_some_and(|o| o.status.success()) {
        return Outcome::Refused;
    }
    let text = run(&["-E"]).filter(|o| o.status.success());
    let Some(text) = text.and_then(|o| preprocess::checked_text(o.stdout).ok()) else {
        return Outcome::Refused;
    };
    let Some(target) = target(s, &options) else {
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
        None => match s
            .printed
            .as_ref()
            .and_then(|p| printed(s, p, &options, file))
        {
            Some(said) => Outcome::Unacceptable(said),
            None => Outcome::Read,
        },
        Some(line) => Outcome::Unread(codes, line),
    }
}

/// What the compiler says of what pc3cc prints with a location everywhere; None if it accepts that, or pc3cc refuses.
fn printed(s: &Settings, pc3cc: &str, options: &[String], file: &Path) -> Option<String> {
    let mut c = Command::new(pc3cc);
    c.arg(format!("--cc={}", s.cc.join(" ")))
        .args(["--checkpoint-everywhere", "--emit=c", "-w"])
        .args(options)
        .arg(file)
        .current_dir(file.parent()?)
        .stdin(Stdio::null());
    let made = c.output().ok()?;
    let said = String::from_utf8_lossy(&made.stderr).into_owned();
    if !made.status.success() {
        // A code says why.
        let refused = said.contains("error[pc3::E") && !said.contains("panicked");
        return (!refused).then(|| said.lines().next().unwrap_or("no output").to_string());
    }
    let mut c = Command::new(&s.cc[0]);
    c.args(&s.cc[1..])
        .arg("-w")
        .args(options)
        .args(["-fsyntax-only", "-x", "cpp-output", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = c.spawn().ok()?;
    child.stdin.take()?.write_all(&made.stdout).ok()?;
    let done = child.wait_with_output().ok()?;
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    let error = said.lines().find(|l| l.contains("error:"));
    (!done.status.success()).then(|| error.unwrap_or("ended badly").to_string())
}
