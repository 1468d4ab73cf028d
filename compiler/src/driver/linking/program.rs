//! A program's units, wherever they come from: read, analysed as a whole, and written instrumented.

use crate::driver::build::{self, Abi, Position};
use crate::driver::carry::record::{UnitRecord, UNNOTED, WHOLE};
use crate::driver::options::{self, Options};
use crate::driver::teams::Teams;
use crate::driver::toolchain::{Target, Toolchain};
use crate::driver::{diagnostics, source, Stop};
use pc3_instrument::rewrite::{self, Dialect, Output, Outside};
use pc3_libc as library;
use pc3_program::annotations::{self, Annotation};
use pc3_program::callgraph;
use pc3_program::program;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::front;
use pc3_syntax::locations::Locations;
use pc3_syntax::parallel;
use pc3_syntax::paths;
use pc3_syntax::tree::Unit;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How one unit was and will be compiled.
pub struct Setting {
    pub options: Options,
    pub toolchain: Toolchain,
    pub directory: PathBuf,
    pub dialect: Arc<Dialect>,
}

pub struct Program {
    pub trees: Vec<Unit>,
    /// Per unit.
    pub settings: Vec<Arc<Setting>>,
    /// The units behind the user's are libraries' of ours: their files.
    pub own: Vec<&'static str>,
    everywhere: bool,
    track_unions: bool,
    pieces: bool,
    annotations: Vec<Annotation>,
}

/// Reads the units; what is wrong with them has been told. `elsewhere`: what objects that are no units define; `teams`: whose OpenMP is linked.
pub fn read(
    o: &Options,
    t: &Toolchain,
    records: &[&UnitRecord],
    elsewhere: &HashSet<String>,
    (whole, teams): (bool, Option<Teams>),
) -> Result<Program, Stop> {
    let mut kinds: HashMap<(&[String], &[String]), Arc<Kind>> = HashMap::new();
    let here = std::env::current_dir().unwrap_or_default();
    let mut of_records = Vec::new();
    for r in records {
        let key = (&r.compiler[..], &r.options[..]);
        let kind = match kinds.get(&key) {
            Some(k) => k.clone(),
            None => {
                let k = Arc::new(Kind::new(r, t, Position::of(o), teams)?);
                kinds.insert(key, k.clone());
                k
            }
        };
        of_records.push(kind);
    }
    let mut mistaken = Diagnostics::default();
    let mut wanted = source::wanted(o, &mut mistaken);
    for r in records {
        let more = r
            .locations
            .iter()
            .filter_map(|l| pc3_syntax::locations::Location::parse(l));
        for l in more {
            if !wanted.at.contains(&l) {
                wanted.at.push(l);
            }
        }
        wanted.everywhere |= r.everywhere;
    }
    let read = parallel::map(records, |i, r| {
        let base = paths::between(&here, Path::new(&r.directory));
        let early = pc3_syntax::locations::early(&r.text, &wanted);
        let (text, found) = early.map_or((r.text.clone(), None), |(t, f)| (t, Some(f)));
        let (unit, said) = front::unit(&r.path, text, &of_records[i].abi.target, &base);
        (unit, said, found)
    });
    let mut diags = Diagnostics::default();
    let (mut trees, mut found) = (Vec::new(), Vec::new());
    for (unit, d, f) in read {
        diags.extend(d);
        trees.push(unit);
        found.push(f);
    }
    let readable = !diags.has_errors();
    diags.extend(mistaken);
    if readable {
        trees = place(trees, &wanted, &found, whole, &mut diags);
    }
    let full: Vec<PathBuf> = records
        .iter()
        .map(|r| paths::plain(&Path::new(&r.directory).join(&r.path)))
        .collect();
    for (unit, name) in trees.iter_mut().zip(paths::distinct_ends(&full)) {
        unit.name = name;
    }
    // Notes of a part of the program would be worse than none: what the rest writes could be taken for it.
    let unnoted = |r: &&UnitRecord| r.flags & UNNOTED != 0;
    let tracked = o.track_unions.unwrap_or(!records.iter().any(unnoted));
    let whole_blocks = |r: &&UnitRecord| r.flags & WHOLE != 0;
    let settings = records.iter().zip(&of_records);
    let mut program = Program {
        trees,
        settings: settings.map(|(r, k)| k.setting(r)).collect(),
        own: Vec::new(),
        everywhere: wanted.everywhere,
        track_unions: tracked,
        pieces: o.pieces.unwrap_or(!records.iter().any(whole_blocks)),
        annotations: annotations(o, records, whole, &mut diags),
    };
    annotations::prepare(&mut program.trees, &program.annotations);
    program.add_libraries(elsewhere, t.target.is_musl(), &mut diags);
    diagnostics::report(o, &diags)?;
    Ok(program)
}

/// What the files of `--annotations` say, those of the compilations included.
fn annotations(
    o: &Options,
    records: &[&UnitRecord],
    whole: bool,
    diags: &mut Diagnostics,
) -> Vec<Annotation> {
    let mut all = source::annotations(o, diags);
    all.iter_mut().for_each(|a| a.strict = whole);
    for said in records.iter().flat_map(|r| &r.annotations) {
        if let Some((place, text)) = said.split_once('\t') {
            all.push(Annotation {
                text: text.to_string(),
                from: annotations::AnnotationSource::File(place.to_string()),
                strict: whole,
            });
        }
    }
    all
}

/// `whole`: nothing but sources, so a location that is in none of them is a mistake.
fn place(
    trees: Vec<Unit>,
    wanted: &Locations,
    found: &[Option<Vec<bool>>],
    whole: bool,
    diags: &mut Diagnostics,
) -> Vec<Unit> {
    if wanted.at.is_empty() && !wanted.everywhere {
        return trees;
    }
    let (trees, d) = front::place(trees, wanted, found, whole);
    diags.extend(d);
    trees
}

/// Units that are compiled alike.
struct Kind {
    options: Options,
    toolchain: Toolchain,
    abi: Abi,
    dialect: Arc<Dialect>,
}

impl Kind {
    fn new(
        r: &UnitRecord,
        t: &Toolchain,
        position: Position,
        teams: Option<Teams>,
    ) -> Result<Kind, Stop> {
        let target = Target::parse(&r.target);
        let toolchain = Toolchain::new(r.compiler.clone(), target, t.root.clone());
        let options = options::parse(r.options.iter().cloned())?;
        let more = position.compiling(&options);
        let (abi, dialect) = build::dialect(&toolchain, &r.options, more, teams)?;
        Ok(Kind {
            options,
            dialect,
            toolchain,
            abi,
        })
    }

    fn setting(&self, r: &UnitRecord) -> Arc<Setting> {
        Arc::new(Setting {
            options: self.options.clone(),
            toolchain: self.toolchain.clone(),
            directory: r.directory.clone().into(),
            dialect: self.dialect.clone(),
        })
    }
}

/// pc3 has functions that keep state with the results of the GNU C library.
fn other_library(called: &[&str]) -> Diagnostic {
    let some = called
        .first()
        .copied()
        .unwrap_or("a function of the library");
    let message = format!(
        "`{some}` gives other results with musl than with the GNU C library, which pc3 has it from"
    );
    Diagnostic::error(Code::Unsupported, message)
        .help("link the program with the GNU C library (-static if it is to run where that is not)")
}

impl Program {
    /// The program's own copies of library functions that keep state, as further units.
    fn add_libraries(&mut self, elsewhere: &HashSet<String>, musl: bool, diags: &mut Diagnostics) {
        let Some(first) = self.trees.first() else {
            return;
        };
        let target = first.target.clone();
        let mut libraries = library::used(&self.trees, elsewhere);
        let mut calling = library::calling(&self.trees, elsewhere);
        if !calling.is_empty() {
            // What is wrong with them is told where they are heeded.
            let mut told = Diagnostics::default();
            let said = annotations::resolve(&self.trees, &self.annotations, &mut told);
            let p = program::Program::new(&self.trees).passing(&said.passing);
            let graph = callgraph::analyse(&p, self.everywhere);
            calling.retain(|l| graph.called_back.iter().any(|n| l.provides(n)));
        }
        libraries.extend(calling);
        for mut own in libraries {
            if musl {
                own = own.with_musl();
            }
            if musl && !own.is_any() {
                diags.push(other_library(&own.called(&self.trees)));
            }
            let (unit, d) = own.unit(&self.trees, &target);
            diags.extend(d);
            self.trees.push(unit);
            self.settings.push(self.settings[0].clone());
            self.own.push(own.file);
        }
    }

    pub fn instrument(&self, outside: Outside) -> Output {
        let settings = rewrite::Options {
            everywhere: self.everywhere,
            dialects: self.settings.iter().map(|s| s.dialect.clone()).collect(),
            outside,
            track_unions: match self.track_unions {
                true => rewrite::Track::Yes,
                false => rewrite::Track::No,
            },
            pieces: self.pieces,
            annotations: self.annotations.clone(),
        };
        rewrite::instrument(&self.trees, &settings)
    }

    pub fn clang(&self, unit: usize) -> bool {
        self.settings[unit].dialect.clang
    }
}
