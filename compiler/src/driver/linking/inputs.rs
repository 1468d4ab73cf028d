//! What goes into a link, and which of it carries units.

use crate::driver::carry::archive::{self, Member};
use crate::driver::carry::elf::{self, Symbols};
use crate::driver::carry::record::{self, Sealed, UnitRecord};
use crate::driver::options::{LinkItem, Options};
use crate::driver::trace::{self, Trace};
use crate::driver::{diagnostics, Stop};
use pc3_instrument::rewrite::Outside;
use pc3_syntax::paths;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where an object stands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ObjectSource {
    /// Made from the command line's `i`th source.
    Source(usize),
    File(PathBuf),
    /// The `index`th member.
    Member {
        archive: PathBuf,
        index: usize,
    },
}

/// An object that carries units.
pub struct Carrier {
    pub place: ObjectSource,
    /// As users know it: `lib.a(a.o)`.
    pub name: String,
    pub flags: u32,
    pub records: Vec<UnitRecord>,
}

/// An object that carries none.
pub struct Foreign {
    pub place: ObjectSource,
    pub name: String,
    pub symbols: Symbols,
    /// To be linked into the program, not a shared object.
    pub relocatable: bool,
}

impl Foreign {
    /// Is it part of the program, and not of the C library, nor where the compiler lets programs begin?
    pub(crate) fn is_users(&self, o: &Options) -> bool {
        self.relocatable && self.is_given(o)
    }

    /// The same, shared objects that the command line names included.
    fn is_given(&self, o: &Options) -> bool {
        let given = match &self.place {
            ObjectSource::File(f) => named(o).any(|n| paths::plain(Path::new(n)) == *f),
            _ => true,
        };
        given && !is_c_library(&self.name)
    }
}

#[derive(Default)]
pub struct Inputs {
    pub carriers: Vec<Carrier>,
    pub foreign: Vec<Foreign>,
}

/// The summaries of the units in an object; none if it carries nothing.
pub fn flags(name: &str, object: &[u8]) -> Result<Option<u32>, Stop> {
    let Some(section) = elf::carried(object) else {
        return Ok(None);
    };
    let records = split(name, section)?;
    Ok(Some(records.iter().fold(0, |all, r| all | r.flags)))
}

fn split<'s>(name: &str, section: &'s [u8]) -> Result<Vec<Sealed<'s>>, Stop> {
    record::split(section).map_err(|e| diagnostics::stop(diagnostics::unusable(name, e)))
}

/// The positional inputs, and those inside `-Wl,`.
pub fn named(o: &Options) -> impl Iterator<Item = &str> {
    o.link.iter().flat_map(|l| match l {
        LinkItem::Input(a) => vec![a.as_str()],
        LinkItem::Arg(a) => match a.strip_prefix("-Wl,") {
            Some(list) => list.split(',').filter(|p| !p.starts_with('-')).collect(),
            None => Vec::new(),
        },
        LinkItem::Source(_) => Vec::new(),
    })
}

/// A library that the command line asks for, however it is written.
pub(crate) enum LibraryArgument<'a> {
    /// `-lNAME`
    Name(&'a str),
    /// `-l:FILE`
    File(&'a str),
    /// By its path.
    Path(&'a str),
}

impl LibraryArgument<'_> {
    /// `gsl` of `libgsl.so`.
    pub fn name(&self) -> &str {
        let file = match self {
            LibraryArgument::Name(name) => return name,
            LibraryArgument::File(file) => file,
            LibraryArgument::Path(path) => path.rsplit('/').next().unwrap_or(path),
        };
        let stem = file.strip_prefix("lib").unwrap_or(file);
        stem.split('.').next().unwrap_or(stem)
    }

    /// Is it this file?
    pub fn is(&self, file: &Path) -> bool {
        let found = file.file_name().unwrap_or_default().to_string_lossy();
        match self {
            LibraryArgument::Path(path) => paths::plain(Path::new(path)) == file,
            LibraryArgument::File(name) => found == *name,
            LibraryArgument::Name(name) => {
                let stem = found.strip_prefix("lib").and_then(|f| f.strip_prefix(name));
                stem.is_some_and(|rest| rest.starts_with('.'))
            }
        }
    }
}

impl std::fmt::Display for LibraryArgument<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            LibraryArgument::Name(name) => write!(f, "-l{name}"),
            LibraryArgument::File(file) => write!(f, "-l:{file}"),
            LibraryArgument::Path(path) => f.write_str(path),
        }
    }
}

/// The libraries that are asked for by `-l`, and those of the system by their paths.
pub(crate) fn asked_for(o: &Options) -> impl Iterator<Item = LibraryArgument<'_>> {
    let mut all = Vec::new();
    let mut next = false;
    for l in &o.link {
        let LinkItem::Arg(a) = l else { continue };
        let words: Vec<&str> = match a.strip_prefix("-Wl,") {
            Some(list) => list.split(',').collect(),
            None => vec![a.as_str()],
        };
        for word in words {
            let name = match word.strip_prefix("-l") {
                _ if std::mem::take(&mut next) => word,
                Some("") => {
                    next = true;
                    continue;
                }
                Some(name) => name,
                None => continue,
            };
            all.push(match name.strip_prefix(':') {
                Some(file) => LibraryArgument::File(file),
                None => LibraryArgument::Name(name),
            });
        }
    }
    let system = |n: &&str| ["/lib", "/usr/lib"].iter().any(|d| n.starts_with(d));
    let library = |n: &&str| n.ends_with(".a") || n.contains(".so");
    all.extend(
        named(o)
            .filter(system)
            .filter(library)
            .map(LibraryArgument::Path),
    );
    all.into_iter()
}

/// Where the user has libraries looked for.
pub fn searched(o: &Options) -> HashSet<PathBuf> {
    let mut folders: HashSet<PathBuf> = std::env::var_os("LIBRARY_PATH")
        .iter()
        .flat_map(std::env::split_paths)
        .collect();
    let mut words = o.link.iter();
    while let Some(word) = words.next() {
        let LinkItem::Arg(a) = word else { continue };
        match (a.strip_prefix("-L"), a.strip_prefix("-Wl,-L")) {
            (Some(""), _) => {
                if let Some(LinkItem::Arg(next)) = words.next() {
                    folders.insert(next.into());
                }
            }
            (Some(folder), _) | (_, Some(folder)) => {
                folders.insert(folder.into());
            }
            _ => {}
        }
    }
    folders.iter().map(|f| paths::plain(f)).collect()
}

/// An object, an archive, or a source in a language that is not C; linker scripts hold no code.
pub(crate) fn is_code(name: &str) -> bool {
    const KNOWN: &[&str] = &[
        "o", "a", "so", "s", "S", "sx", "cc", "cp", "cpp", "cxx", "c++", "C", "CPP", "f", "F",
        "for", "FOR", "ftn", "f77", "f90", "F90", "f95", "F95", "f03", "f08", "d", "adb", "ads",
        "m", "mm", "go",
    ];
    let path = Path::new(name);
    let ending = path.extension().and_then(|e| e.to_str());
    ending.is_some_and(|e| KNOWN.contains(&e)) || read(path).is_some()
}

/// What the objects and archives on the command line say in summary: `.0` of objects, which all go in, `.1` of
/// members, which may.
pub fn summary(o: &Options) -> Result<(Option<u32>, Option<u32>), Stop> {
    let (mut objects, mut members) = (None, None);
    let join = |a: &mut Option<u32>, b: Option<u32>| {
        *a = match (*a, b) {
            (Some(a), Some(b)) => Some(a | b),
            (a, b) => a.or(b),
        }
    };
    for name in named(o) {
        let Some(bytes) = read(Path::new(name)) else {
            continue;
        };
        if archive::is_archive(&bytes) {
            for m in archive::members(Path::new(name))? {
                join(
                    &mut members,
                    flags(&format!("{name}({})", m.name), &m.data)?,
                );
            }
        } else {
            join(&mut objects, flags(name, &bytes)?);
        }
    }
    Ok((objects, members))
}

/// An object or an archive; shared objects of the system concern nobody.
fn read(path: &Path) -> Option<Vec<u8>> {
    let shared = path.file_name()?.to_string_lossy().contains(".so");
    let system = ["/lib", "/usr/lib"].iter().any(|d| path.starts_with(d));
    if path.extension().is_some_and(|e| e == "c") || shared && system {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    (archive::is_archive(&bytes) || bytes.starts_with(&object::elf::ELFMAG)).then_some(bytes)
}

/// Everything that a linker took, in its order; `sources`: objects made from the command line's sources.
pub(crate) fn linker_inputs(t: &Trace, sources: &[(PathBuf, UnitRecord)]) -> Result<Inputs, Stop> {
    let mut archives: HashMap<&Path, Vec<Member>> = HashMap::new();
    let mut thin: HashSet<PathBuf> = HashSet::new();
    for f in &t.files {
        let mut start = [0; 8];
        let archive = File::open(f).and_then(|mut f| f.read_exact(&mut start));
        if archive.is_ok() && archive::is_archive(&start) {
            let members = archive::members(f)?;
            thin.extend(
                members
                    .iter()
                    .flat_map(|m| &m.file)
                    .map(|f| paths::plain(f)),
            );
            archives.insert(f, members);
        }
    }
    let mut list = Inputs::default();
    for f in &t.files {
        let source = |(object, _): &(PathBuf, UnitRecord)| paths::plain(object) == *f;
        if let Some(i) = sources.iter().position(source) {
            let r = sources[i].1.clone();
            list.carriers.push(Carrier {
                place: ObjectSource::Source(i),
                name: r.path.clone(),
                flags: r.flags,
                records: vec![r],
            });
        } else if let Some(members) = archives.get(f.as_path()) {
            for (index, m) in members.iter().enumerate() {
                let renamed = t.renamed.contains(f);
                let taken = match &m.file {
                    Some(f) if !renamed => t.files.contains(&paths::plain(f)),
                    _ if renamed => t
                        .members
                        .contains(&(f.clone(), trace::own_name(index, &m.name))),
                    _ => t.members.contains(&(f.clone(), m.name.clone())),
                };
                if taken {
                    let archive = f.clone();
                    let name = format!("{}({})", f.display(), m.name);
                    add(
                        &mut list,
                        ObjectSource::Member { archive, index },
                        name,
                        &m.data,
                    )?;
                }
            }
        } else if let Some(bytes) = read(f).filter(|_| !thin.contains(f)) {
            add(
                &mut list,
                ObjectSource::File(f.clone()),
                f.display().to_string(),
                &bytes,
            )?;
        } else if let Some(symbols) = of_system_library(f) {
            list.foreign.push(Foreign {
                place: ObjectSource::File(f.clone()),
                name: f.display().to_string(),
                symbols,
                relocatable: false,
            });
        }
    }
    Ok(list)
}

/// What a shared object of the system offers; of what it uses only an MPI matters.
fn of_system_library(path: &Path) -> Option<Symbols> {
    let name = path.file_name()?.to_string_lossy();
    if !name.contains(".so") || is_c_library(&name) {
        return None;
    }
    let symbols = elf::symbols(&std::fs::read(path).ok()?);
    let mpi = |s: &String| ["MPI_", "MPIR_", "ompi_"].iter().any(|m| s.starts_with(m));
    Some(Symbols {
        undefined: symbols.undefined.into_iter().filter(mpi).collect(),
        defined: symbols.defined,
        ..Symbols::default()
    })
}

/// Archives of which the linker took members that share a name with others.
pub fn ambiguous(t: &Trace) -> Result<Vec<PathBuf>, Stop> {
    let mut found = Vec::new();
    let archives: BTreeSet<&PathBuf> = t.members.iter().map(|(a, _)| a).collect();
    for a in archives {
        let mut seen = HashSet::new();
        let members = archive::members(a)?;
        if members.iter().any(|m| {
            let taken = t.members.contains(&(a.clone(), m.name.clone()));
            !seen.insert(&m.name) && taken && elf::carried(&m.data).is_some()
        }) {
            found.push(a.clone());
        }
    }
    Ok(found)
}

fn add(list: &mut Inputs, place: ObjectSource, name: String, object: &[u8]) -> Result<(), Stop> {
    let Some(section) = elf::carried(object) else {
        let symbols = elf::symbols(object);
        let relocatable = elf::is_relocatable(object);
        list.foreign.push(Foreign {
            place,
            name,
            symbols,
            relocatable,
        });
        return Ok(());
    };
    let sealed = split(&name, section)?;
    let flags = sealed.iter().fold(0, |all, r| all | r.flags);
    let opened = sealed.iter().map(Sealed::open).collect::<Result<_, _>>();
    let records: Vec<UnitRecord> =
        opened.map_err(|e| diagnostics::stop(diagnostics::unusable(&name, e)))?;
    list.carriers.push(Carrier {
        place,
        name,
        flags,
        records,
    });
    Ok(())
}

impl Carrier {
    /// Does the object define what its units do, and nothing else?
    pub(crate) fn is_unaltered(&self, object: &[u8]) -> bool {
        let units: BTreeSet<&String> = self.records.iter().flat_map(|r| &r.symbols).collect();
        elf::symbols(object).defined.iter().collect::<BTreeSet<_>>() == units
    }
}

/// The C library, or a member of it: what its functions call back is known.
pub fn is_c_library(object: &str) -> bool {
    let archive = match object.split_once('(') {
        Some((archive, _)) => archive,
        None if object.contains(".so") => object,
        None => "",
    };
    let file = Path::new(archive).file_name().unwrap_or_default();
    let stem = file.to_string_lossy();
    let stem = stem.split(['.', '-', '_']).next().unwrap_or_default();
    matches!(
        stem,
        "libc"
            | "libm"
            | "libmvec"
            | "libpthread"
            | "librt"
            | "libdl"
            | "libgcc"
            | "libgomp"
            | "ld"
    )
}

impl Inputs {
    /// What the others define and use.
    pub fn outside(&self, options: &Options) -> Outside {
        let mut o = Outside::default();
        for f in &self.foreign {
            let named = |s: &String| (s.clone(), f.name.clone());
            if !is_c_library(&f.name) {
                o.defines.extend(f.symbols.defined.iter().map(named));
            }
            if f.is_given(options) {
                o.own.extend(f.symbols.defined.iter().cloned());
            }
            o.uses.extend(f.symbols.undefined.iter().map(named));
        }
        o
    }

    /// Objects and libraries that need a name of which `is` holds, each with the first. What the program has itself counts for
    /// nothing, and where `shared` is set what its shared libraries have.
    pub(crate) fn needing(&self, is: impl Fn(&str) -> bool, shared: bool) -> Vec<(&Foreign, &str)> {
        let has = |s: &String| {
            let of_unit = |r: &UnitRecord| r.symbols.contains(s);
            self.carriers.iter().any(|c| c.records.iter().any(of_unit))
                || (self.foreign.iter())
                    .any(|f| (f.relocatable || shared) && f.symbols.defined.contains(s))
        };
        let mut found = Vec::new();
        for f in &self.foreign {
            let mut needed = f.symbols.undefined.difference(&f.symbols.weak);
            if let Some(s) = needed.find(|s| is(s) && !has(s)) {
                found.push((f, s.as_str()));
            }
        }
        found
    }

    pub fn of_sources(sources: Vec<UnitRecord>) -> Inputs {
        let carrier = |(i, r): (usize, UnitRecord)| Carrier {
            place: ObjectSource::Source(i),
            name: r.path.clone(),
            flags: r.flags,
            records: vec![r],
        };
        Inputs {
            carriers: sources.into_iter().enumerate().map(carrier).collect(),
            foreign: Vec::new(),
        }
    }
}
