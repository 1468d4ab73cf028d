//! The programs under test and what is needed to build and run them.
//!
//! A program's first line says how to run it: `/* pc3-test: seq */` or
//! `/* pc3-test: mpi ranks=4 args=-n,10,data/x.mtx */`; `abi=own` where state cannot change its ABI, `abi=wide`
//! where it stays on those of 64 bits, `abi=down` where it does not come back from 32 bits, `pc3=OPTION,...` for pc3cc alone; an argument that names a file in the program's folder
//! is given as its full path.

use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};

use crate::arch::{Arch, HOST};

/// Between which ABIs a program's state moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abis {
    All,
    /// Those of 64 bits.
    Wide,
    /// Any, but what has been on 32 bits stays there.
    Down,
    /// Elsewhere a restart refuses it.
    Own,
}

impl Abis {
    pub fn include(self, arch: Arch) -> bool {
        match self {
            Abis::All => true,
            Abis::Down => true,
            Abis::Wide => arch.bits == 64,
            Abis::Own => arch == HOST,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Program {
    pub name: String,
    pub sources: Vec<PathBuf>,
    pub args: Vec<String>,
    /// 0: a sequential program.
    pub ranks: u32,
    pub abis: Abis,
    /// Options for pc3cc only.
    pub pc3_flags: Vec<String>,
    pub flags: Vec<String>,
    /// Fed to standard input from this file.
    pub stdin: Option<PathBuf>,
    /// The compiler, with options, where it is not the machine's; it knows `--target=`, as clang does.
    pub cc: Option<String>,
}

impl Program {
    /// The programs of `examples/rust`; those with ranks have a first line `// pc3-test: mpi ranks=4`.
    pub fn rust_examples() -> Result<Vec<Program>> {
        let dir = crate::arch::root().join("examples/rust/src/bin");
        let mut list = Vec::new();
        for entry in std::fs::read_dir(&dir).with_context(|| dir.display().to_string())? {
            let path = entry?.path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let text = std::fs::read_to_string(&path)?;
            let ranks = text.lines().next().unwrap_or("").split_once("ranks=");
            let ranks = ranks.map_or(Ok(0), |(_, n)| n.trim().parse());
            list.push(Program {
                name: format!("rust-{stem}"),
                sources: vec![path.clone()],
                args: Vec::new(),
                ranks: ranks.with_context(|| path.display().to_string())?,
                abis: Abis::All,
                pc3_flags: Vec::new(),
                flags: Vec::new(),
                stdin: None,
                cc: None,
            });
        }
        list.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(list)
    }

    /// The binary of a program in Rust.
    pub fn rust_binary(&self) -> Option<&str> {
        let rust = self.sources.first()?.extension()? == "rs";
        self.name.strip_prefix("rust-").filter(|_| rust)
    }

    /// Is there a build without pc3 that runs by itself?
    pub fn has_plain(&self) -> bool {
        !self.is_mpi() || self.rust_binary().is_some()
    }

    pub fn is_mpi(&self) -> bool {
        self.ranks > 0
    }

    /// A `.c` file, or a folder of them, with the line described above in one of them.
    pub fn load(path: &Path) -> Result<Program> {
        let mut sources = if path.is_dir() {
            c_files(path)?
        } else {
            vec![path.to_path_buf()]
        };
        sources.sort();
        let dir = if path.is_dir() {
            path
        } else {
            path.parent().unwrap_or(path)
        };
        let name = path
            .file_stem()
            .map(|s| s.to_string_lossy().into_owned())
            .unwrap_or_default();
        for s in &sources {
            let text = std::fs::read_to_string(s).with_context(|| s.display().to_string())?;
            let first = text.lines().next().unwrap_or("");
            let Some(at) = first.find("pc3-test:") else {
                continue;
            };
            let spec = first[at + "pc3-test:".len()..]
                .trim()
                .trim_end_matches("*/")
                .trim();
            let (head, args) = spec.split_once("args=").unwrap_or((spec, ""));
            let mut words = head.split_whitespace();
            let mpi = match words.next() {
                Some("mpi") => true,
                Some("seq") => false,
                other => bail!("{}: unknown kind {other:?}", s.display()),
            };
            let mut ranks = u32::from(mpi);
            let mut abis = Abis::All;
            let mut flags = vec!["-O2".to_string()];
            // Of the whole run: `PC3_TEST_FLAGS=-D_FORTIFY_SOURCE=2`.
            let more = std::env::var("PC3_TEST_FLAGS").unwrap_or_default();
            flags.extend(more.split_whitespace().map(str::to_string));
            let mut pc3_flags = Vec::new();
            for w in words {
                match w.split_once('=') {
                    Some(("ranks", n)) => {
                        ranks = n.parse().with_context(|| format!("{}: {w}", s.display()))?
                    }
                    Some(("abi", "own")) => abis = Abis::Own,
                    Some(("abi", "wide")) => abis = Abis::Wide,
                    Some(("abi", "down")) => abis = Abis::Down,
                    Some(("pc3", list)) => pc3_flags.extend(list.split(',').map(str::to_string)),
                    Some(("flags", list)) => flags.extend(list.split(',').map(str::to_string)),
                    _ => bail!("{}: unknown word '{w}'", s.display()),
                }
            }
            let args = args
                .split([',', ' '])
                .filter(|a| !a.is_empty())
                .map(|a| {
                    if dir.join(a).is_file() {
                        dir.join(a).display().to_string()
                    } else {
                        a.to_string()
                    }
                })
                .collect();
            return Ok(Program {
                name,
                sources,
                args,
                ranks,
                abis,
                pc3_flags,
                flags,
                stdin: None,
                cc: None,
            });
        }
        bail!("{}: no line '/* pc3-test: ... */'", path.display())
    }

    /// Every program of a folder, in order of name; other files are passed over.
    pub fn load_all(folder: &Path) -> Result<Vec<Program>> {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
            .with_context(|| folder.display().to_string())?
            .flatten()
            .map(|e| e.path())
            .filter(|p| {
                p.extension().is_some_and(|e| e == "c")
                    || (p.is_dir() && c_files(p).is_ok_and(|f| !f.is_empty()))
            })
            .collect();
        entries.sort();
        entries.iter().map(|p| Program::load(p)).collect()
    }
}

fn c_files(dir: &Path) -> Result<Vec<PathBuf>> {
    Ok(std::fs::read_dir(dir)?
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "c"))
        .collect())
}
