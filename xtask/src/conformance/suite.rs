//! The programs of MPICH's `test/mpi` and how its lists run them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

pub const FOLDERS: &[&str] = &[
    "attr",
    "coll",
    "comm",
    "datatype",
    "errhan",
    "errors/rma",
    "group",
    "info",
    "init",
    "io",
    "part",
    "pt2pt",
    "rma",
    "spawn",
    "topo",
];
/// More ranks than this are left to other tests.
const RANKS: usize = 8;

/// Calls of chapters that are out of scope, and extensions of MPICH.
const EXCLUDED: &[(&str, &str)] = &[
    ("MPI_Comm_join", "sockets of the program's own"),
    ("MPIX_", "MPICH's own extensions"),
];

pub struct Program {
    pub folder: &'static str,
    pub name: String,
    pub sources: Vec<PathBuf>,
    pub defines: Vec<String>,
    /// Uses the pool of datatypes.
    pub pooled: bool,
    pub runs: Vec<Run>,
    pub excluded: Option<&'static str>,
}

pub struct Run {
    pub ranks: usize,
    pub args: Vec<String>,
    pub expect: Expect,
    /// `folder/program:ranks`, and the place among those that differ only in arguments.
    pub key: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    NoErrors,
    /// Some status other than 0.
    Failure,
}

/// All programs that some list runs with few enough ranks.
pub fn programs(root: &Path) -> Result<Vec<Program>> {
    let mut all = Vec::new();
    for folder in FOLDERS {
        let dir = root.join(folder);
        let variants = variants(&dir)?;
        for (name, runs) in listed(folder, &dir)? {
            let (sources, defines) = variants
                .get(&name)
                .cloned()
                .unwrap_or_else(|| (vec![format!("{name}.c")], Vec::new()));
            let sources: Vec<PathBuf> = sources.iter().map(|s| dir.join(s)).collect();
            let mut text = String::new();
            for s in sources.iter().filter(|s| s.is_file()) {
                text += &fs::read_to_string(s)?;
            }
            if text.is_empty() {
                continue;
            }
            all.push(Program {
                folder,
                name,
                pooled: text.contains("dtp"),
                excluded: EXCLUDED.iter().find(|e| text.contains(e.0)).map(|e| e.1),
                sources,
                defines,
                runs,
            });
        }
    }
    Ok(all)
}

type Variants = BTreeMap<String, (Vec<String>, Vec<String>)>;

/// Sources and definitions of programs that are not just one file of their name.
fn variants(dir: &Path) -> Result<Variants> {
    let text = read(&dir.join("Makefile.am"))?;
    let mut all = Variants::new();
    for line in text.lines() {
        let Some((left, right)) = line.split_once('=') else {
            continue;
        };
        let words = right.split_whitespace().map(str::to_string);
        if let Some(name) = left.trim().strip_suffix("_SOURCES") {
            let one = || (Vec::new(), Vec::new());
            all.entry(name.into()).or_insert_with(one).0 =
                words.filter(|w| w.ends_with(".c")).collect();
        } else if let Some(name) = left.trim().strip_suffix("_CPPFLAGS") {
            let one = || (vec![format!("{name}.c")], Vec::new());
            all.entry(name.into()).or_insert_with(one).1 =
                words.filter(|w| w.starts_with("-D")).collect();
        }
    }
    Ok(all)
}

/// The runs that a folder's list asks for: `name ranks [arg=…] [resultTest=…] [env=…] [mem=…]`.
fn listed(folder: &str, dir: &Path) -> Result<BTreeMap<String, Vec<Run>>> {
    let list = ["testlist.in", "testlist"]
        .into_iter()
        .map(|f| dir.join(f))
        .find(|f| f.is_file())
        .with_context(|| format!("{}: no list of tests", dir.display()))?;
    let mut all = BTreeMap::<String, Vec<Run>>::new();
    for line in read(&list)?.lines() {
        let line = line.split('#').next().unwrap_or("");
        let mut words = line.split_whitespace();
        let (Some(name), Some(ranks)) = (words.next(), words.next()) else {
            continue;
        };
        let rest: Vec<&str> = words.collect();
        // `@…@` is replaced by `#` or nothing when MPICH is configured; `env` sets MPICH's own variables.
        let foreign = |w: &&str| w.starts_with("env=") || w.starts_with("mem=");
        let ranks = ranks.parse().unwrap_or(usize::MAX);
        if name.starts_with('@') || ranks > RANKS || rest.iter().any(foreign) {
            continue;
        }
        let args: Vec<String> = rest
            .iter()
            .filter_map(|w| w.strip_prefix("arg=").map(str::to_string))
            .collect();
        let expect = if rest.iter().any(|w| w.starts_with("resultTest=")) {
            Expect::Failure
        } else {
            Expect::NoErrors
        };
        let runs = all.entry(name.to_string()).or_default();
        if runs.iter().any(|r| r.ranks == ranks && r.args == args) {
            continue;
        }
        let same = runs.iter().filter(|r| r.ranks == ranks).count();
        let place = if same > 0 {
            format!(".{}", same + 1)
        } else {
            String::new()
        };
        runs.push(Run {
            ranks,
            args,
            expect,
            key: format!("{folder}/{name}:{ranks}{place}"),
        });
    }
    Ok(all)
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| file.display().to_string())
}
