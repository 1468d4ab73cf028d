//! From sources, objects and archives to a program.
//!
//! Without a location (nor calls of MPI) in what the plain compiler links, its output is the result.  Otherwise the
//! plain link, put aside, has said which objects and members go in; their units and those of the sources are one
//! program ([`crate::driver::program`]).  What it changes is compiled anew and takes its object's place: on the command line,
//! or in a copy of the archive, so that order and meaning of the link stay the user's.

use std::collections::{BTreeSet, HashSet};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::driver::build::{self, BuildError, Position};
use crate::driver::carry::elf;
use crate::driver::carry::record::{self, UnitRecord};
use crate::driver::clashes::{self, Clashes};
use crate::driver::inputs::{self, is_c_library, Foreign, Inputs, ObjectSource};
use crate::driver::job::Job;
use crate::driver::options::{Emit, Explain, LinkItem, Mode, Options};
use crate::driver::plain::{output, plain, remove, traced, Plain, Stubs, PROGRAM};
use crate::driver::program::{self, Program};
use crate::driver::recompile;
use crate::driver::removed;
use crate::driver::substitute::Substitutes;
use crate::driver::teams::Teams;
use crate::driver::temporary::Folder;
use crate::driver::toolchain::Toolchain;
use crate::driver::trace::Trace;
use crate::driver::{diagnostics, object, source, Stop};
use pc3_instrument::rewrite::Output;
use pc3_libc as library;
use pc3_portability::heap::report;
use pc3_syntax::diag::Diagnostics;
use pc3_syntax::dump;
use pc3_syntax::parallel;
use pc3_syntax::paths;

/// Libraries that Rust's standard library asks of the system.
const SYSTEM_LIBS: &[&str] = &["-lpthread", "-ldl", "-lm", "-lrt", "-lutil"];

pub fn link(o: &Options, t: &Toolchain) -> Result<i32, Stop> {
    let mut diags = Diagnostics::default();
    let wanted = source::wanted(o, &mut diags);
    if o.mode == Mode::Partial {
        return partial(o, t);
    }
    let Some((mut sources, said)) = sources(o, t)? else {
        // The plain compiler says what is wrong with them.
        return Ok(build::run(&mut source::plain(o, t, &o.plain), t)?.max(1));
    };
    for r in sources.iter_mut().filter(|_| o.shared) {
        source::find_locations(o, t, r, &wanted)?;
        if r.flags & record::LOCATION != 0 {
            return Err(diagnostics::stop(diagnostics::shared(&r.path)));
        }
    }
    let (objects, members) = inputs::summary(o)?;
    let asked = !o.locations.is_empty()
        || o.everywhere
        || o.emit != Emit::Executable
        || o.explain != Explain::Nothing;
    let mpi = |r: &UnitRecord| r.text.contains("MPI_");
    let certain = asked
        || objects.is_some_and(|f| f & PROGRAM != 0)
        || (sources.iter()).any(|r| source::may_have_location(&r.text, &wanted) || mpi(r));
    if !certain || o.shared {
        match plain(o, t, members)? {
            Plain::Done(status) => {
                let calling = sources.iter().find(|r| o.shared && status == 0 && mpi(r));
                return match calling {
                    Some(r) if calls_mpi(&output(o)) => {
                        remove(o);
                        Err(diagnostics::stop(diagnostics::shared_mpi(&r.path)))
                    }
                    _ => Ok(status),
                };
            }
            Plain::NeedsMore => {}
        }
    }
    tell!("{said}");
    source::dependencies(o, t)?;
    let dir = Folder::new()?;
    let l = Link {
        o,
        t,
        dir: dir.path(),
    };
    let known = o.emit != Emit::Executable || l.unknown_libraries().next().is_none();
    let there = |n: &&str| Path::new(n).exists();
    let code = inputs::named(o).filter(there).any(inputs::is_code);
    match l.program(sources, !code && known) {
        Err(Stop::Error(e)) => match e.downcast::<BuildError>() {
            Ok(b) => match *b {
                BuildError::Failed(status) => Ok(status),
                b => Err(b.into()),
            },
            Err(e) => Err(Stop::Error(e)),
        },
        other => other,
    }
}

/// Does what was linked ask for MPI?
fn calls_mpi(made: &Path) -> bool {
    std::fs::read(made).is_ok_and(|bytes| {
        let undefined = elf::symbols(&bytes).undefined;
        undefined.iter().any(|s| s.starts_with("MPI_"))
    })
}

fn is_of_mpi(symbol: &str) -> bool {
    symbol.starts_with("MPI_") || symbol.starts_with("PMPI_")
}

fn names<'f>(found: &[(&'f Foreign, &str)]) -> Vec<&'f str> {
    found.iter().map(|(f, _)| f.name.as_str()).collect()
}

/// The sources preprocessed, and what the preprocessor said; None if it refuses one.
fn sources(o: &Options, t: &Toolchain) -> Result<Option<(Vec<UnitRecord>, String)>, Stop> {
    let made = parallel::map(&o.sources, |i, _| source::preprocess(o, t, i));
    let (mut records, mut said) = (Vec::new(), String::new());
    for (i, s) in made.into_iter().enumerate() {
        match s? {
            Some(s) => {
                said += &s.said;
                records.push(source::record(o, t, i, s.text));
            }
            None => return Ok(None),
        }
    }
    Ok(Some((records, said)))
}

/// `-r`: what the objects carry stays in the result.
fn partial(o: &Options, t: &Toolchain) -> Result<i32, Stop> {
    let dir = Folder::new()?;
    let l = Link {
        o,
        t,
        dir: dir.path(),
    };
    let mut objects = Vec::new();
    for i in 0..o.sources.len() {
        objects.push(l.dir.join(format!("{i}.o")));
        match object::object(&o.for_object(i, &objects[i]), t, i, &objects[i])? {
            0 => {}
            n => return Ok(n),
        }
    }
    let mut c = l.command(&|item| match item {
        LinkItem::Source(i) => objects[*i].display().to_string(),
        LinkItem::Input(a) | LinkItem::Arg(a) => a.clone(),
    });
    Ok(build::run(c.arg("-o").arg(output(o)), t)?)
}

enum Built {
    Done(i32),
    /// Instrumented, the program took more units with it: these.
    Larger(Trace),
}

/// Objects in place of those that the user links.
struct LinkedObjects {
    of_carriers: Vec<Vec<PathBuf>>,
    /// Of the libraries' units.
    own: Vec<PathBuf>,
    /// Copies of what carries nothing.
    foreign: Vec<(ObjectSource, PathBuf)>,
}

/// The units that are compiled again.
fn compiled_again(inputs: &Inputs, units: &[(usize, &UnitRecord)], changed: &[bool]) -> Vec<bool> {
    let users = units.len();
    let mut again = changed.to_vec();
    // The libraries' have no object yet.
    again[users..].fill(true);
    for (i, c) in inputs.carriers.iter().enumerate() {
        // The parts of an object that was joined from several cannot be told apart in it.
        let mine = |u: &usize| *u < users && units[*u].0 == i;
        let any = (0..users).filter(mine).any(|u| again[u]);
        let all = any || matches!(c.place, ObjectSource::Source(_));
        (0..users).filter(mine).for_each(|u| again[u] = all);
    }
    again
}

struct Link<'a> {
    o: &'a Options,
    t: &'a Toolchain,
    dir: &'a Path,
}

impl Link<'_> {
    /// Libraries that may have been made with pc3cc, or may keep something.
    fn unknown_libraries(&self) -> impl Iterator<Item = inputs::LibraryArgument<'_>> {
        const SYSTEM: &[&str] = &[
            "c", "m", "pthread", "dl", "rt", "util", "gcc", "gcc_s", "atomic",
        ];
        inputs::asked_for(self.o).filter(|a| !SYSTEM.contains(&a.name()))
    }

    /// `alone`: there is nothing to link but the sources and the system's libraries.
    fn program(&self, sources: Vec<UnitRecord>, alone: bool) -> Result<i32, Stop> {
        if alone {
            return match self.build(&Inputs::of_sources(sources), &Trace::default())? {
                Built::Done(status) => Ok(status),
                Built::Larger(_) => Ok(1),
            };
        }
        let plain = parallel::map(&sources, |i, r| self.plain_object(i, r.clone()));
        let plain = plain.into_iter().collect::<Result<Vec<_>, Stop>>()?;
        let (status, mut trace, said) = self.aside(&plain, &Substitutes::default())?;
        if status != 0 {
            tell!("{said}");
            return Ok(status);
        }
        let unclear = inputs::ambiguous(&trace)?;
        if !unclear.is_empty() {
            let s = Substitutes::renaming(self.o, self.dir, &unclear)?;
            trace = s.original(self.aside(&plain, &s)?.1);
            trace.renamed.extend(unclear);
        }
        loop {
            match self.build(&inputs::linker_inputs(&trace, &plain)?, &trace)? {
                Built::Done(status) => return Ok(status),
                Built::Larger(more) => trace.join(more),
            }
        }
    }

    /// What a plain link takes, and says.
    fn aside(
        &self,
        plain: &[(PathBuf, UnitRecord)],
        s: &Substitutes,
    ) -> Result<(i32, Trace, String), Stop> {
        let mut c = self.t.command();
        c.args(s.first_arguments());
        self.words(&mut c, &|item| match item {
            LinkItem::Source(i) => plain[*i].0.display().to_string(),
            item => s.word(item),
        });
        c.args(Position::of(self.o).linking(self.o));
        c.arg("-o").arg(self.dir.join("plain"));
        c.arg("-Wl,--unresolved-symbols=ignore-all");
        traced(&mut c, self.t)
    }

    /// A source as the plain compiler makes it, to see what the linker takes with it.
    fn plain_object(&self, i: usize, mut r: UnitRecord) -> Result<(PathBuf, UnitRecord), Stop> {
        let path = self.dir.join(format!("{i}.plain.o"));
        let (o, t) = (self.o, self.t);
        let mut c = build::of_source(o, t, &o.sources[i], "-c");
        c.args(["-w", "-o"]).arg(&path);
        match build::run(c.stdin(Stdio::null()), t)? {
            0 => {}
            n => return Err(BuildError::Failed(n).into()),
        }
        let bytes = std::fs::read(&path).map_err(|e| BuildError::Read(path.clone(), e))?;
        object::note_symbols(&mut r, &bytes);
        Ok((path, r))
    }

    /// The linking command with each item as `word` has it.
    fn command(&self, word: &dyn Fn(&LinkItem) -> String) -> Command {
        let mut c = self.t.command();
        self.words(&mut c, word);
        c.args(Position::of(self.o).linking(self.o));
        c
    }

    fn words(&self, c: &mut Command, word: &dyn Fn(&LinkItem) -> String) {
        let made = |a: &str| a.ends_with(".o") || a.ends_with(".a") || a.contains(".so");
        // Sources in other languages are compiled on the way.
        if !self.o.other_inputs().all(made) {
            c.args(&self.o.cpp);
        }
        c.args(self.o.link.iter().map(word));
    }

    /// Analyses, compiles and links.
    fn build(&self, inputs: &Inputs, taken: &Trace) -> Result<Built, Stop> {
        let o = self.o;
        let from_sources = |p: &ObjectSource| matches!(p, ObjectSource::Source(_));
        let whole = inputs.carriers.iter().all(|c| from_sources(&c.place));
        let units: Vec<(usize, &UnitRecord)> = (inputs.carriers.iter().enumerate())
            .flat_map(|(i, c)| c.records.iter().map(move |r| (i, r)))
            .collect();
        let records: Vec<&UnitRecord> = units.iter().map(|(_, r)| *r).collect();
        let outside = inputs.outside(o);
        let teams = Teams::of(o, self.t, taken);
        // The process ends soon: nobody needs this memory back.
        let program = ManuallyDrop::new(program::read(
            o,
            self.t,
            &records,
            &outside.own,
            (whole, teams),
        )?);
        if o.emit == Emit::Tree {
            let users = program.trees.len() - program.own.len();
            program.trees[..users]
                .iter()
                .for_each(|u| show!("{}", dump::dump(u)));
            return Ok(Built::Done(0));
        }
        let mut out = program.instrument(outside);
        let runs_plain = !out.has_locations && !out.has_mpi;
        self.judge((inputs, taken), &program, &mut out);
        match o.explain {
            Explain::Nothing => {}
            Explain::Functions => show!("{}", out.explain),
            Explain::Heap if o.json => show!("{}", report::json(&out.heap)),
            Explain::Heap => show!("{}", report::text(&out.heap)),
        }
        if runs_plain && o.emit == Emit::Executable {
            // That there is no location is then the least.
            self.needs_mpi(inputs)?;
        }
        diagnostics::report(o, &out.diagnostics)?;
        if o.emit == Emit::C {
            out.texts.iter().for_each(|c| show!("{c}"));
            return Ok(Built::Done(0));
        }
        if runs_plain {
            return self.as_plain().map(Built::Done);
        }
        let again = compiled_again(inputs, &units, &out.changed);
        let jobs: Vec<(usize, Job)> = (0..out.texts.len())
            .filter(|u| again[*u])
            .map(|u| (u, self.job(&program, u, &units, inputs, &out)))
            .collect();
        let (of, jobs): (Vec<usize>, Vec<Job>) = jobs.into_iter().unzip();
        let compile = || recompile::objects(&jobs, self.dir);
        let (objects, runtime) = parallel::both(compile, || self.runtime());
        let mut made = LinkedObjects {
            of_carriers: vec![Vec::new(); inputs.carriers.len()],
            own: Vec::new(),
            foreign: Vec::new(),
        };
        for (u, object) in of.into_iter().zip(objects?) {
            match units.get(u) {
                Some((i, _)) => made.of_carriers[*i].push(object),
                None => made.own.push(object),
            }
        }
        // What is wrong with the objects comes first.
        if let Ok((_, asked)) = &runtime {
            self.separate((inputs, taken), &program, &mut made, asked)?;
        }
        let carriers = made.of_carriers.into_iter().zip(&inputs.carriers);
        let carriers = carriers.map(|(list, c)| (&c.place, Some(c), list));
        let foreign = (made.foreign.iter()).map(|(place, new)| (place, None, vec![new.clone()]));
        let all: Vec<_> = carriers.chain(foreign).collect();
        let substitutes = Substitutes::new(o, self.t, self.dir, &all, &taken.renamed)?;
        self.link(&substitutes, &made.own, &runtime?.0, (taken, teams))
    }

    /// What is wrong with the program as a whole, and with what is linked to it.
    fn judge(&self, (inputs, taken): (&Inputs, &Trace), program: &Program, out: &mut Output) {
        if !out.has_locations {
            out.diagnostics.list.retain(|d| !d.code.is_of_checkpoints());
            out.diagnostics.push(diagnostics::no_location());
        } else {
            let all = program.settings.iter().flat_map(|s| &s.options.compile);
            let linking = self.o.link.iter().filter_map(|l| match l {
                LinkItem::Arg(a) => Some(a),
                _ => None,
            });
            let all = all.chain(&self.o.compile).chain(linking);
            let unfit = all.map(String::as_str).find_map(diagnostics::unfit);
            unfit.into_iter().for_each(|d| out.diagnostics.push(d));
        }
        if out.has_locations || out.has_mpi {
            let others = self.other_mpis(inputs, !out.has_mpi, &mut out.diagnostics);
            if !others {
                self.foreign(inputs, taken, &mut out.diagnostics);
            }
        }
    }

    /// Gives other names to what the user's objects and the runtime's both define.
    fn separate(
        &self,
        (inputs, taken): (&Inputs, &Trace),
        program: &Program,
        made: &mut LinkedObjects,
        asked: &BTreeSet<String>,
    ) -> Result<(), Stop> {
        let o = self.o;
        let clashes = Clashes::find(o, inputs, &made.of_carriers, asked)?;
        if clashes.is_empty() {
            return Ok(());
        }
        diagnostics::report(o, &clashes.elsewhere(taken)?)?;
        let lists = &mut made.of_carriers;
        lists.iter().try_for_each(|l| clashes.rename(l, &[]))?;
        for (object, file) in made.own.iter().zip(&program.own) {
            clashes.rename(std::slice::from_ref(object), &library::natives(file))?;
        }
        let places = inputs.carriers.iter().map(|c| &c.place).zip(lists);
        for (i, (place, list)) in places.enumerate().filter(|(_, (_, l))| l.is_empty()) {
            list.extend(clashes.copy(place, self.dir, i)?);
        }
        for f in inputs.foreign.iter().filter(|f| f.is_users(o)) {
            let n = made.of_carriers.len() + made.foreign.len();
            let new = clashes.copy(&f.place, self.dir, n)?;
            made.foreign.extend(new.map(|new| (f.place.clone(), new)));
        }
        Ok(())
    }

    /// The runtime's archive, and what it asks the C library for.
    fn runtime(&self) -> Result<(PathBuf, BTreeSet<String>), Stop> {
        let (path, bytes) = self.t.runtime()?;
        let asked = clashes::asked(&path, &bytes)?;
        Ok((path, asked))
    }

    fn job<'j>(
        &'j self,
        p: &'j Program,
        unit: usize,
        units: &[(usize, &'j UnitRecord)],
        inputs: &Inputs,
        out: &'j Output,
    ) -> Job<'j> {
        let setting = &p.settings[unit];
        let source = units.get(unit).and_then(|(i, r)| {
            let here = matches!(inputs.carriers[*i].place, ObjectSource::Source(_));
            here.then_some((Path::new(&r.path), self.o))
        });
        let stem = Path::new(&p.trees[unit].path).file_stem();
        Job {
            text: &out.texts[unit],
            floats: out.has_floats,
            options: &setting.options,
            toolchain: &setting.toolchain,
            directory: &setting.directory,
            clang: p.clang(unit),
            position: Position::of(self.o).of_unit(out.statics[unit], &setting.toolchain.target),
            source,
            name: &p.trees[unit].path,
            stem: stem.unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// What the user links that carries nothing.
    fn foreign(&self, inputs: &Inputs, taken: &Trace, diags: &mut Diagnostics) {
        let system = |name: &str| ["/usr/lib", "/lib"].iter().any(|d| name.starts_with(d));
        // The linker's names are plain, the user's may be `./a.o` or `obj//a.o`.
        let carries = |name: &str| {
            let name = paths::plain(Path::new(name)).to_string_lossy().into_owned();
            let part = format!("{name}(");
            (inputs.carriers.iter()).any(|c| c.name == name || c.name.starts_with(&part))
        };
        // Of an archive something may be needed, or nothing.
        let is_taken = |name: &str| {
            let file = paths::plain(Path::new(name));
            !name.ends_with(".a") || taken.files.is_empty() || taken.files.contains(&file)
        };
        for name in inputs::named(self.o) {
            if !carries(name) && !system(name) && inputs::is_code(name) && is_taken(name) {
                diags.push(diagnostics::foreign(name));
            }
        }
        let searched = inputs::searched(self.o);
        let mut told = HashSet::new();
        for f in &inputs.foreign {
            let archive = f.name.split_once('(').map_or("", |(a, _)| a);
            if !archive.is_empty() && carries(archive) {
                diags.push(diagnostics::foreign(&f.name));
                continue;
            }
            let file = if archive.is_empty() { &f.name } else { archive };
            let found = Path::new(file)
                .parent()
                .is_some_and(|d| searched.contains(d));
            let plain = |n: &str| paths::plain(Path::new(n)) == Path::new(file);
            if found && !system(file) && !inputs::named(self.o).any(plain) && told.insert(file) {
                diags.push(diagnostics::foreign(file));
            }
        }
        // The system's libraries by the name that the user gave them.
        for asked in self.unknown_libraries() {
            let is = |f: &PathBuf| system(&f.to_string_lossy()) && asked.is(f);
            if taken.files.iter().any(is) {
                diags.push(diagnostics::foreign(&asked.to_string()));
            }
        }
    }

    /// What the user links that was compiled for another MPI than pc3's, or may have been; true if that is refused. `shared`: an MPI
    /// that is a shared library is as good.
    fn other_mpis(&self, inputs: &Inputs, shared: bool, diags: &mut Diagnostics) -> bool {
        // Open MPI's and MPICH's headers name these, and programs have no business with them.
        let another = |s: &str| s.starts_with("ompi_") || s.starts_with("MPIR_");
        let mut others = inputs.needing(another, shared);
        others.retain(|(f, _)| f.is_users(self.o) || !f.relocatable && !is_c_library(&f.name));
        if let Some((_, symbol)) = others.first() {
            diags.push(diagnostics::another_mpi(&names(&others), symbol));
            return true;
        }
        let calling = inputs.needing(is_of_mpi, shared);
        let calling = calling.iter().filter(|(f, _)| !is_c_library(&f.name));
        calling.for_each(|(f, _)| diags.push(diagnostics::calls_mpi(&f.name)));
        false
    }

    /// Refuses objects that call MPI where nothing brings one with it.
    fn needs_mpi(&self, inputs: &Inputs) -> Result<(), Stop> {
        if inputs.needing(is_of_mpi, true).is_empty() {
            return Ok(());
        }
        let mut c = source::plain(self.o, self.t, &self.o.plain);
        let (status, _, said) = traced(&mut c, self.t)?;
        remove(self.o);
        let missing = removed::missing(&said);
        let is = |s: &str| is_of_mpi(s) && missing.iter().any(|m| m == s);
        let mut calling = inputs.needing(is, true);
        calling.retain(|(f, _)| f.is_users(self.o));
        match calling.first().filter(|_| status != 0) {
            Some((_, symbol)) => Err(diagnostics::stop(diagnostics::no_mpi(
                &names(&calling),
                symbol,
            ))),
            None => Ok(()),
        }
    }

    /// There turned out to be nothing to do.
    fn as_plain(&self) -> Result<i32, Stop> {
        let stubs = Stubs::new(self.o, self.t)?;
        let mut c = source::plain(self.o, self.t, &self.o.plain);
        c.arg("-Wno-unknown-pragmas").arg(stubs.object());
        Ok(build::run(&mut c, self.t)?)
    }

    /// The plain build, to be thrown away.
    fn links_plainly(&self) -> Result<bool, Stop> {
        let stubs = Stubs::new(self.o, self.t)?;
        let mut c = source::plain(self.o, self.t, &self.o.plain);
        c.args(["-w", "-Wno-unknown-pragmas"]).arg(stubs.object());
        c.stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let status = build::run(&mut c, self.t)?;
        remove(self.o);
        Ok(status == 0)
    }

    fn link(
        &self,
        s: &Substitutes,
        own: &[PathBuf],
        runtime: &Path,
        (taken, teams): (&Trace, Option<Teams>),
    ) -> Result<Built, Stop> {
        let (o, t) = (self.o, self.t);
        let support = t.support_library(&o.compile);
        let command = |more: Option<PathBuf>| {
            let mut c = t.command();
            c.args(s.first_arguments());
            self.words(&mut c, &|l| s.word(l));
            c.args(own).args(more).args(Position::of(o).linking(o));
            c.arg("-o").arg(output(o)).args(&support).arg(runtime);
            c.args(SYSTEM_LIBS)
                .args(["-Wl,--gc-sections", "-Wl,--wrap=main"]);
            let wrapped = teams.map_or(&[][..], Teams::functions);
            c.args(wrapped.iter().map(|name| format!("-Wl,--wrap={name}")));
            c
        };
        let (mut status, mut trace, mut said) = traced(&mut command(None), t)?;
        let missing = removed::missing(&said);
        if status != 0 && !missing.is_empty() && self.links_plainly()? {
            let more = removed::stand_ins(&missing, o, t, self.dir)?;
            (status, trace, said) = traced(&mut command(Some(more)), t)?;
        }
        tell!("{}", s.messages(&users_messages(&said)));
        show!("{}", trace.rest);
        if status != 0 || taken.files.is_empty() {
            return Ok(Built::Done(status));
        }
        trace
            .files
            .retain(|f| *f != runtime && Some(f) != support.as_ref());
        s.check(&trace)?;
        let more = s.original(trace).without(taken);
        Ok(
            match inputs::linker_inputs(&more, &[])?.carriers.is_empty() {
                true => Built::Done(status),
                false => Built::Larger(more),
            },
        )
    }
}

/// What the linker says, less its notes on functions of Rust's standard library that a static program
/// would need shared libraries for: the runtime never calls them.
fn users_messages(said: &str) -> String {
    let ours = |line: &str| line.contains("libpc3rt.a(") && line.contains(": in function `");
    let note = |line: &str| line.contains("in statically linked applications requires at runtime");
    let lines: Vec<&str> = said.split_inclusive('\n').collect();
    let mut out = String::new();
    for (i, line) in lines.iter().enumerate() {
        let of_ours = i > 0 && ours(lines[i - 1]) && note(line);
        let before_note = ours(line) && lines.get(i + 1).is_some_and(|l| note(l));
        if !of_ours && !before_note {
            out.push_str(line);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn notes_on_the_runtime_are_not_the_users() {
        let said = "ld: lib/libpc3rt.a(x.o): in function `home':\nos.rs:1: warning: Using 'getpwuid_r' in statically linked applications requires at runtime the shared libraries\n\
            ld: a.o: in function `main':\na.c:3: warning: Using 'getpwnam' in statically linked applications requires at runtime the shared libraries\n\
            ld: lib/libpc3rt.a(y.o): in function `g':\nundefined reference to `f'\n";
        assert_eq!(
            super::users_messages(said),
            said.split_inclusive('\n').skip(2).collect::<String>()
        );
    }
}
