//! Objects made anew in the places of the user's: on the command line, or in copies of archives.

use crate::driver::build::{self, BuildError};
use crate::driver::carry::archive;
use crate::driver::inputs::{Carrier, ObjectSource};
use crate::driver::options::{LinkItem, Options};
use crate::driver::recompile;
use crate::driver::toolchain::Toolchain;
use crate::driver::trace::{self, Trace};
use crate::driver::{diagnostics, inputs, Stop};
use pc3_syntax::paths;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// What stands where, and what is to stand there.
pub type Made<'a> = (&'a ObjectSource, Option<&'a Carrier>, Vec<PathBuf>);

/// Of an archive, by index.
type Members<'a> = HashMap<usize, (PathBuf, Option<&'a Carrier>)>;

#[derive(Default)]
pub struct Substitutes {
    /// Objects of the command line's sources.
    sources: HashMap<usize, PathBuf>,
    /// What stands for which file.
    files: HashMap<PathBuf, PathBuf>,
    /// A directory to look in first, for archives that the linker finds by `-l`.
    found: Option<PathBuf>,
    /// A member of an archive has main, which nothing refers to.
    main_in_archive: bool,
}

impl Substitutes {
    /// `made`: where an object stands, what carries units there, and the objects for its place; none if it stays.
    pub fn new(
        o: &Options,
        t: &Toolchain,
        dir: &Path,
        made: &[Made],
        renamed: &HashSet<PathBuf>,
    ) -> Result<Substitutes, Stop> {
        let mut s = Substitutes::default();
        let mut archives: BTreeMap<&Path, Members> = BTreeMap::new();
        for (i, (place, carrier, made)) in made.iter().enumerate() {
            let object = match made.as_slice() {
                [] => continue,
                [one] => one.clone(),
                many => join(o, t, many, &dir.join(format!("joined-{i}.o")))?,
            };
            match place {
                ObjectSource::Source(i) => {
                    s.sources.insert(*i, object);
                }
                ObjectSource::File(f) => {
                    check(*carrier, &read(f)?)?;
                    s.files.insert(f.clone(), object);
                }
                ObjectSource::Member { archive, index } => {
                    let mut records = carrier.iter().flat_map(|c| &c.records);
                    s.main_in_archive |= records.any(|r| r.symbols.contains("main"));
                    let members = archives.entry(archive).or_default();
                    members.insert(*index, (object, *carrier));
                }
            }
        }
        for a in renamed {
            archives.entry(a).or_default();
        }
        for (n, (path, objects)) in archives.into_iter().enumerate() {
            let copy = copy(path, objects, renamed.contains(path))?;
            s.put_archive(o, dir, n, path, &copy)?;
        }
        Ok(s)
    }

    /// The archives with a name of its own for each member, to see which of them a linker takes.
    pub(crate) fn renaming(
        o: &Options,
        dir: &Path,
        archives: &[PathBuf],
    ) -> Result<Substitutes, Stop> {
        let mut s = Substitutes::default();
        for (n, path) in archives.iter().enumerate() {
            let copy = copy(path, HashMap::new(), true)?;
            s.put_archive(o, &dir.join("renamed"), n, path, &copy)?;
        }
        Ok(s)
    }

    /// A copy of an archive where the linker finds it instead.
    fn put_archive(
        &mut self,
        o: &Options,
        dir: &Path,
        n: usize,
        path: &Path,
        copy: &[u8],
    ) -> Result<(), Stop> {
        let name = path.file_name().unwrap_or_default();
        let named = inputs::named(o).any(|a| paths::plain(Path::new(a)) == *path);
        let folder = match named {
            true => dir.join(format!("archive-{n}")),
            false => dir.join("found"),
        };
        std::fs::create_dir_all(&folder)?;
        let to = folder.join(name);
        if to.exists() {
            let text = path.display().to_string();
            return Err(diagnostics::stop(diagnostics::out_of_reach(&text)));
        }
        std::fs::write(&to, copy).map_err(|e| BuildError::Write(to.clone(), e))?;
        if !named {
            self.found = Some(folder);
        }
        self.files.insert(path.into(), to);
        Ok(())
    }

    /// What goes in front of the user's arguments.
    pub(crate) fn first_arguments(&self) -> Vec<String> {
        let found = self.found.iter().map(|f| format!("-L{}", f.display()));
        let main = self.main_in_archive.then(|| "-Wl,--undefined=main".into());
        found.chain(main).collect()
    }

    pub fn word(&self, item: &LinkItem) -> String {
        match item {
            LinkItem::Source(i) => match self.sources.get(i) {
                Some(object) => object.display().to_string(),
                None => String::new(),
            },
            LinkItem::Input(a) => self.file(a),
            LinkItem::Arg(a) => match a.strip_prefix("-Wl,") {
                Some(list) => {
                    let parts: Vec<String> = list.split(',').map(|p| self.file(p)).collect();
                    format!("-Wl,{}", parts.join(","))
                }
                None => a.clone(),
            },
        }
    }

    fn file(&self, a: &str) -> String {
        match self.files.get(&paths::plain(Path::new(a))) {
            Some(new) => new.display().to_string(),
            None => a.to_string(),
        }
    }

    /// What a linker took, under the names it has without the substitutes.
    pub fn original(&self, t: Trace) -> Trace {
        let old = |f: PathBuf| {
            let of = self.files.iter().find(|(_, new)| **new == f);
            of.map_or(f, |(old, _)| old.clone())
        };
        Trace {
            files: t.files.into_iter().map(old).collect(),
            members: t.members.into_iter().map(|(a, m)| (old(a), m)).collect(),
            renamed: t.renamed,
            rest: t.rest,
        }
    }

    /// None of what was made anew may have been linked as it was.
    pub fn check(&self, t: &Trace) -> Result<(), Stop> {
        match t.files.iter().find(|f| self.files.contains_key(*f)) {
            Some(f) => Err(diagnostics::stop(diagnostics::out_of_reach(
                &f.display().to_string(),
            ))),
            None => Ok(()),
        }
    }

    /// A linker's messages, of the user's files.
    pub fn messages(&self, said: &str) -> String {
        let mut text = said.to_string();
        for (old, new) in &self.files {
            text = text.replace(&*new.display().to_string(), &old.display().to_string());
        }
        text
    }
}

/// Only what its sources define can be made anew of them.
fn check(carrier: Option<&Carrier>, object: &[u8]) -> Result<(), Stop> {
    match carrier.filter(|c| !c.is_unaltered(object)) {
        Some(c) => Err(diagnostics::stop(diagnostics::altered(&c.name))),
        None => Ok(()),
    }
}

/// The archive with the objects in the places of their members.
fn copy(path: &Path, mut objects: Members, renamed: bool) -> Result<Vec<u8>, Stop> {
    let mut members = Vec::new();
    for (index, m) in archive::members(path)?.into_iter().enumerate() {
        let Some((object, carrier)) = objects.remove(&index) else {
            members.push((m.name, m.data));
            continue;
        };
        check(carrier, &m.data)?;
        members.push((m.name, read(&object)?));
    }
    let mut list: Vec<(String, &[u8])> = Vec::new();
    for (index, (name, data)) in members.iter().enumerate() {
        let base = match Path::new(name).file_name() {
            Some(base) if !renamed => base.to_string_lossy().into_owned(),
            _ => trace::own_name(index, name),
        };
        list.push((base, data));
    }
    Ok(archive::write(path, &list)?)
}

/// Several units that were one object.
fn join(o: &Options, t: &Toolchain, parts: &[PathBuf], to: &Path) -> Result<PathBuf, Stop> {
    let mut c = t.command();
    c.args(recompile::machine(o))
        .args(["-r", "-nostdlib", "-o"]);
    c.arg(to).args(parts);
    match build::run(&mut c, t)? {
        0 => Ok(to.to_path_buf()),
        n => Err(BuildError::Failed(n).into()),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Stop> {
    Ok(std::fs::read(path).map_err(|e| BuildError::Read(path.into(), e))?)
}
