//! Functions and variables of the program that are called as ones of the C library which the runtime uses: `write`, `open`,
//! `malloc`.  In the objects they get names that nobody else has, so that the runtime's own calls go to the library, as those
//! within the library do.

use crate::driver::build::BuildError;
use crate::driver::carry::{archive, elf, symbols};
use crate::driver::inputs::{Inputs, ObjectSource};
use crate::driver::options::Options;
use crate::driver::trace::Trace;
use crate::driver::{diagnostics, inputs, Stop};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol};
use pc3_syntax::diag::{Diagnostic, Diagnostics};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// In front of such names.
const PREFIX: &str = "pc3_own.";

/// Pointers to functions that the runtime saves and gives back.  A program's own ones take the place of the library's for
/// everybody; beside them, a static link would want all else that the library defines together with its own.
const REPLACED: [&str; 2] = ["error_print_progname", "obstack_alloc_failed_handler"];

#[derive(Default)]
pub struct Clashes {
    names: BTreeSet<String>,
}

impl Clashes {
    /// `made`: the objects made anew of each carrier; `asked`: what the runtime asks the C library for.
    pub fn find(
        o: &Options,
        inputs: &Inputs,
        made: &[Vec<PathBuf>],
        asked: &BTreeSet<String>,
    ) -> Result<Clashes, Stop> {
        let mut defined = BTreeSet::new();
        let mut replaced = BTreeSet::new();
        for (c, made) in inputs.carriers.iter().zip(made) {
            if made.is_empty() {
                defined.extend(c.records.iter().flat_map(|r| r.symbols.iter().cloned()));
            }
            for path in made {
                let object = read(path)?;
                defined.extend(elf::symbols(&object).defined);
                replaced.extend(elf::pointers(&object, &REPLACED));
            }
        }
        for f in inputs.foreign.iter().filter(|f| f.is_users(o)) {
            defined.extend(f.symbols.defined.iter().cloned());
        }
        let mut names: BTreeSet<String> = defined.intersection(asked).cloned().collect();
        names.retain(|n| !replaced.contains(n));
        Ok(Clashes { names })
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Gives the objects made anew their other names; those in `but` mean the C library's.
    pub fn rename(&self, made: &[PathBuf], but: &[&str]) -> Result<(), Stop> {
        for path in made {
            if let Some(new) = self.renamed(path, &read(path)?, but)? {
                write(path, &new)?;
            }
        }
        Ok(())
    }

    /// The same for an object that stays as it is otherwise: a copy in `dir`, if it has such names.
    pub fn copy(
        &self,
        place: &ObjectSource,
        dir: &Path,
        n: usize,
    ) -> Result<Option<PathBuf>, Stop> {
        let (path, bytes) = match place {
            ObjectSource::Source(_) => return Ok(None),
            ObjectSource::File(f) => (f.clone(), read(f)?),
            ObjectSource::Member { archive, index } => {
                let member = archive::members(archive)?.into_iter().nth(*index);
                (archive.clone(), member.map_or(Vec::new(), |m| m.data))
            }
        };
        let Some(new) = self.renamed(&path, &bytes, &[])? else {
            return Ok(None);
        };
        let to = dir.join(format!("renamed-{n}.o"));
        write(&to, &new)?;
        Ok(Some(to))
    }

    fn renamed(&self, path: &Path, object: &[u8], but: &[&str]) -> Result<Option<Vec<u8>>, Stop> {
        let new = symbols::rename(object, |s| {
            let name = std::str::from_utf8(s.name).ok()?;
            (self.names.contains(name) && !but.contains(&name))
                .then(|| [PREFIX.as_bytes(), s.name].concat())
        });
        new.map_err(|e| diagnostics::stop(diagnostics::unusable(&path.display().to_string(), e)))
    }

    /// Shared objects that the program's own would be called by, were it not for this.
    pub fn elsewhere(&self, taken: &Trace) -> Result<Diagnostics, Stop> {
        let mut list = Diagnostics::default();
        for f in &taken.files {
            let name = f.file_name().unwrap_or_default().to_string_lossy();
            if !name.contains(".so") || inputs::is_c_library(&name) {
                continue;
            }
            let symbols = elf::symbols(&read(f)?);
            list.list
                .extend((self.names.intersection(&symbols.undefined)).map(|n| not_given(&name, n)));
        }
        Ok(list)
    }
}

fn not_given(object: &str, name: &str) -> Diagnostic {
    diagnostics::warning_of_foreign(
        format!("'{object}' calls `{name}`, which the program defines: it comes to the C library's, not to the program's"),
        "link its objects into the program if it is to come to the program's",
    )
}

/// What the runtime, whose archive has these bytes, does not define itself.
pub fn asked(runtime: &Path, bytes: &[u8]) -> Result<BTreeSet<String>, Stop> {
    let damaged = |e| archive::ArchiveError::Damaged(runtime.into(), e);
    let (mut asked, mut own) = (FxHashSet::default(), FxHashSet::default());
    for m in ArchiveFile::parse(bytes).map_err(damaged)?.members() {
        let data = m.map_err(damaged)?.data(bytes).map_err(damaged)?;
        let Ok(file) = object::File::parse(data) else {
            continue;
        };
        for s in file.symbols().filter(|s| !s.is_local()) {
            match (s.name(), s.is_undefined()) {
                (Ok(name), true) => asked.insert(name),
                (Ok(name), false) => own.insert(name),
                (Err(_), _) => continue,
            };
        }
    }
    let outside = asked.difference(&own).filter(|n| **n != "main");
    Ok(outside.map(|n| n.to_string()).collect())
}

fn read(path: &Path) -> Result<Vec<u8>, Stop> {
    Ok(std::fs::read(path).map_err(|e| BuildError::Read(path.into(), e))?)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Stop> {
    Ok(std::fs::write(path, bytes).map_err(|e| BuildError::Write(path.into(), e))?)
}
