//! `cargo xtask toolchains`: the programs of the repository by other compilers, with other C libraries and dialects.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

use anyhow::{ensure, Result};
use pc3_tests::program::Program;
use pc3_tests::toolchains::{programs, sources, ui, Toolchain, ToolchainResult};
use pc3_tests::torture::sample;

use crate::{dist, env};

/// What is not as with the machine's own compiler, and rightly so: the form is at its beginning.
const EXPECTED: &str = include_str!("expected.txt");

/// Those of Debian 12 that are tried if none is named.
const COMPILERS: [&str; 5] = ["gcc", "clang-14", "clang-16", "clang-19", "musl-gcc"];

#[derive(clap::Args)]
pub struct ToolchainsOptions {
    /// A compiler for this machine, with options (repeatable); one with "musl" in its name is for that library
    /// [default: gcc, clang-14, clang-16, clang-19, musl-gcc, as far as they are installed]
    #[arg(long, value_name = "COMMAND")]
    cc: Vec<String>,
    /// Dialects (repeatable)
    #[arg(long, value_name = "NAME", default_values = ["gnu17", "gnu23"])]
    std: Vec<String>,
    /// Link statically: for a C library that is not the machine's
    #[arg(long = "static")]
    linked_statically: bool,
    /// Only programs and files whose name contains this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Only N of the programs, and of the files of compiler/tests/ui, spread evenly
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Only the files of compiler/tests/ui
    #[arg(long)]
    ui: bool,
    /// Instead of all that: read the sources in C in this folder that the compiler accepts (repeatable)
    #[arg(long, value_name = "FOLDER")]
    read: Vec<PathBuf>,
    #[arg(short, long, default_value_t = 2)]
    jobs: usize,
    /// Take target/dist as it is
    #[arg(long)]
    no_build: bool,
}

/// How many there are of each outcome.
#[derive(Default)]
struct Tally {
    same: usize,
    own: usize,
    not_there: usize,
    refused: usize,
    bad: usize,
    /// Of those that are not the same.
    unexpected: usize,
}

impl Tally {
    fn cell(&self) -> String {
        let equal = self.same + self.own;
        let mut cell = format!("{equal} of {}", equal + self.refused + self.bad);
        for (n, what) in [
            (self.own, "in builds by it only"),
            (self.refused, "refused"),
            (self.bad, "bad"),
            (self.not_there, "not there"),
            (self.unexpected, "unexpected"),
        ] {
            if n > 0 {
                cell += &format!(", {n} {what}");
            }
        }
        cell
    }
}

/// One thing to be tried.
enum Case {
    Program(Box<Program>),
    /// A file of compiler/tests/ui.
    Diagnosed(PathBuf),
    /// Of somebody else; without the lines that have errors, if there are any and this is wanted.
    Read {
        file: PathBuf,
        in_parts: bool,
    },
}

/// A column of the table: its head, and what is tried.
type Kind = (&'static str, fn(&ToolchainsOptions) -> Result<Vec<Case>>);

pub fn run(o: &ToolchainsOptions) -> Result<()> {
    let toolchains = found(o);
    ensure!(!toolchains.is_empty(), "none of these compilers is here");
    if !o.no_build {
        let mut targets: Vec<String> = toolchains.iter().map(|t| t.target().to_owned()).collect();
        targets.dedup();
        dist::run(&targets)?;
    }
    let of_pc3: [Kind; 2] = [
        ("programs moved", of_programs),
        ("diagnostics as they should be", of_ui),
    ];
    let of_others: [Kind; 2] = [
        ("files read", whole),
        ("read without the lines that have errors", in_parts),
    ];
    let kinds = match (o.read.is_empty(), o.ui) {
        (true, false) => &of_pc3[..],
        (true, true) => &of_pc3[1..],
        (false, _) => &of_others[..],
    };
    let mut table = "\n| compiler | C library |".to_owned();
    kinds
        .iter()
        .for_each(|(kind, _)| table += &format!(" {kind} |"));
    table += "\n|---|---|";
    kinds.iter().for_each(|_| table += "---|");
    let mut unexpected = 0;
    for t in &toolchains {
        let name = format!("{} {}", t.cc, t.dialect);
        println!("== {name}: {}, {}", t.version(), t.library());
        table += &format!("\n| {name} | {} |", t.library());
        for (_, cases) in kinds {
            let tally = all(o, t, cases(o)?)?;
            unexpected += tally.unexpected;
            table += &format!(" {} |", tally.cell());
        }
    }
    println!("{table}");
    ensure!(unexpected == 0, "{unexpected} unexpected");
    Ok(())
}

fn found(o: &ToolchainsOptions) -> Vec<Toolchain> {
    let named = o.cc.clone();
    let known = COMPILERS.iter().filter(|c| env::has_program(c));
    let compilers = match named.is_empty() {
        true => known.map(|c| (*c).to_owned()).collect(),
        false => named,
    };
    let mut list = Vec::new();
    for cc in compilers {
        for dialect in &o.std {
            match Toolchain::find(&cc, dialect, o.linked_statically) {
                Some(t) => list.push(t),
                None => println!("skipped: {cc} with -std={dialect}, which it does not know"),
            }
        }
    }
    list
}

fn of_programs(o: &ToolchainsOptions) -> Result<Vec<Case>> {
    let mut all = programs()?;
    all.retain(|p| o.only.as_ref().is_none_or(|n| p.name.contains(n)));
    let all = chosen(o, all);
    Ok(all.into_iter().map(Box::new).map(Case::Program).collect())
}

fn of_ui(o: &ToolchainsOptions) -> Result<Vec<Case>> {
    Ok(named(o, ui()?).into_iter().map(Case::Diagnosed).collect())
}

fn whole(o: &ToolchainsOptions) -> Result<Vec<Case>> {
    of_folders(o, false)
}

fn in_parts(o: &ToolchainsOptions) -> Result<Vec<Case>> {
    of_folders(o, true)
}

fn of_folders(o: &ToolchainsOptions, in_parts: bool) -> Result<Vec<Case>> {
    let mut all = Vec::new();
    for folder in &o.read {
        all.extend(sources(&folder.canonicalize()?)?);
    }
    let case = |file| Case::Read { file, in_parts };
    Ok(named(o, all).into_iter().map(case).collect())
}

fn named(o: &ToolchainsOptions, mut all: Vec<PathBuf>) -> Vec<PathBuf> {
    all.retain(|f| {
        let name = f.display().to_string();
        o.only.as_ref().is_none_or(|n| name.contains(n))
    });
    chosen(o, all)
}

fn chosen<T>(o: &ToolchainsOptions, all: Vec<T>) -> Vec<T> {
    match o.sample {
        Some(n) => sample(all, n),
        None => all,
    }
}

/// The reason for which this is as it has to be.
fn expected(name: &str, head: &str, what: &str, why: &str) -> Option<&'static str> {
    let name = Path::new(name).file_stem()?.to_str()?;
    let fits = |line: &'static str| {
        let parts: Vec<&str> = line.split(" | ").collect();
        let [of, place, outcome, text, reason] = parts[..] else {
            return None;
        };
        let fits = (of == "*" || of == name) && outcome == what && why.contains(text);
        let mut places = place.split_whitespace();
        (fits && places.all(|p| head.contains(p))).then_some(reason)
    };
    EXPECTED
        .lines()
        .filter(|l| !l.starts_with('#'))
        .find_map(fits)
}

/// Tries them, and tells of those that are not as they should be.
fn all(o: &ToolchainsOptions, t: &Toolchain, cases: Vec<Case>) -> Result<Tally> {
    let next = AtomicUsize::new(0);
    let tally = Mutex::new(Tally::default());
    let head = [&t.cc, &t.version(), &t.library(), &t.dialect]
        .map(String::as_str)
        .join(" ");
    let work = || -> Result<()> {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (name, outcome) = match case {
                Case::Program(p) => (p.name.clone(), Some(t.examine(p))),
                Case::Diagnosed(f) => (f.display().to_string(), t.diagnoses(f)?),
                Case::Read { file, in_parts } => {
                    (file.display().to_string(), t.reads(file, *in_parts)?)
                }
            };
            let Some(outcome) = outcome else { continue };
            let mut tally = tally.lock().unwrap_or_else(|e| e.into_inner());
            let (count, what, why) = match &outcome {
                ToolchainResult::Same => {
                    tally.same += 1;
                    continue;
                }
                ToolchainResult::NotThere(why) => (&mut tally.not_there, "not there", why),
                ToolchainResult::Own(why) => (&mut tally.own, "own", why),
                ToolchainResult::Refused(why) => (&mut tally.refused, "refused", why),
                ToolchainResult::Bad(why) => (&mut tally.bad, "bad", why),
            };
            *count += 1;
            let reason = match outcome {
                // The compiler says so itself.
                ToolchainResult::NotThere(_) => Some("without pc3, too"),
                // It is read.
                ToolchainResult::Refused(_) if matches!(case, Case::Read { .. }) => Some("read"),
                _ => expected(&name, &head, what, why),
            };
            tally.unexpected += usize::from(reason.is_none());
            let reason = reason.unwrap_or("UNEXPECTED");
            println!("{name}: {what} ({reason}): {}", why.trim_end());
        }
        Ok(())
    };
    std::thread::scope(|s| {
        let workers: Vec<_> = (0..o.jobs.max(1)).map(|_| s.spawn(work)).collect();
        workers.into_iter().try_for_each(|w| {
            w.join()
                .unwrap_or_else(|_| Err(anyhow::anyhow!("a worker panicked")))
        })
    })?;
    Ok(tally.into_inner().unwrap_or_else(|e| e.into_inner()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations() {
        let lines = EXPECTED
            .lines()
            .filter(|l| !l.is_empty() && !l.starts_with('#'));
        for line in lines {
            assert_eq!(line.split(" | ").count(), 5, "{line}");
        }
        let why = "error[pc3::E0501]: point 3 (tick) has other live variables";
        let of = |head, what| expected("atomics", head, what, why);
        assert!(of("clang-19 glibc 2.36 -std=gnu17", "own").is_some());
        assert!(of("gcc glibc 2.36 -std=gnu17", "own").is_none());
        assert!(of("clang-19 glibc 2.36 -std=gnu17", "bad").is_none());
    }
}
