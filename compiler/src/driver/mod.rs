//! The compiler driver: from a command line as users of gcc write it to an executable.
//!
//! preprocess (per source) → locations → typed tree → whole-program instrumentation → compile → link.
//! What pc3 has nothing to do with goes to the underlying compiler unchanged.

mod build;
mod gaps;
mod options;
mod own;
mod toolchain;

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::Path;

use crate::diag::{Code, Diagnostic, Diagnostics, Format, Severity};
use crate::library;
use crate::locations::{Location, Locations};
use crate::preprocess::{self, PreprocessError};
use crate::tree::Unit;
use crate::{dump, front, rewrite};
use options::{Emit, LinkItem, Mode, Options};
use toolchain::Toolchain;

/// Runs the command line (without the program's name) and returns the exit status.
pub fn main(args: Vec<String>) -> i32 {
    let options = match options::parse(args) {
        Ok(o) => o,
        Err(e) => return fail(&e),
    };
    if let Some(code) = options.explain_code {
        println!("{}", code.explain());
        return 0;
    }
    let m32 = options.user_has("-m32");
    let toolchain = match Toolchain::find(options.cc.as_deref(), options.target.as_deref(), m32) {
        Ok(t) => t,
        Err(e) => return fail(&e),
    };
    match drive(&options, &toolchain) {
        Ok(status) => status,
        Err(Stop::Said(status)) => status,
        Err(Stop::Error(e)) => fail(&*e),
    }
}

/// Why a build ends early.
enum Stop {
    /// The messages have been printed.
    Said(i32),
    Error(Box<dyn std::error::Error>),
}

impl<E: std::error::Error + 'static> From<E> for Stop {
    fn from(e: E) -> Stop {
        Stop::Error(Box::new(e))
    }
}

fn drive(o: &Options, t: &Toolchain) -> Result<i32, Stop> {
    match o.mode {
        Mode::PassThrough => {
            if o.plain.iter().any(|a| a == "--help") {
                print!("{}", own::HELP);
            } else if o.user_has("--version") {
                println!(
                    "pc3cc {} (portable checkpointing) over:",
                    env!("CARGO_PKG_VERSION")
                );
            } else if o.plain.is_empty() {
                return Err(Stop::Said(said(
                    o,
                    Diagnostic::error(Code::NoInput, "no input files")
                        .help("give all C sources of the program: pc3cc a.c b.c -o program"),
                )));
            }
            return Ok(build::pass_through(o, t)?);
        }
        Mode::Preprocess => return Ok(build::pass_through(o, t)?),
        Mode::Link if o.sources.is_empty() => return Err(Stop::Said(said(o, objects_only(o)))),
        Mode::Link => {}
        Mode::Object | Mode::Assembly if o.emit == Emit::Executable => {
            return Err(Stop::Said(said(o, separate())))
        }
        Mode::Object | Mode::Assembly => {}
    }
    if o.shared {
        return Err(Stop::Said(said(o, shared())));
    }

    let mut diags = Diagnostics::default();
    foreign_objects(o, &mut diags);
    let mut units = sources(o, t, &mut diags)?;
    if o.emit == Emit::Tree {
        units.iter().for_each(|u| print!("{}", dump::dump(u)));
        return report(o, &diags);
    }
    let o = &with_library_state(o, &mut units, &mut diags);
    report(o, &diags)?;

    let clang = preprocess::run(t.command().args(["-dM", "-E", "-x", "c", "/dev/null"]))?
        .contains("#define __clang__ ");
    let settings = rewrite::Options {
        everywhere: o.everywhere,
        clang,
        preludes: Some(build::preludes(o, t)?),
    };
    let program = rewrite::instrument(&units, &settings);
    let mut found = program.diagnostics;
    if !program.has_locations {
        found.push(no_location());
    }
    report(o, &found)?;
    if o.explain {
        print!("{}", program.explain);
    }
    if o.emit == Emit::C {
        program.texts.iter().for_each(|c| print!("{c}"));
        return Ok(0);
    }
    if !program.has_locations && !program.has_mpi {
        return Ok(build::plain(o, t)?);
    }
    let dir = tempfile::Builder::new().prefix("pc3cc-").tempdir()?;
    match build::executable(o, t, dir.path(), &program.texts, clang) {
        Err(build::BuildError::Failed(status)) => Ok(status),
        other => Ok(other?),
    }
}

/// Every source as a typed tree, with the locations of the command line put in.
/// A failure of the preprocessor has been reported by itself.
fn sources(o: &Options, t: &Toolchain, diags: &mut Diagnostics) -> Result<Vec<Unit>, Stop> {
    let mut macros = t.command();
    macros
        .args(&o.cpp)
        .arg("-I")
        .arg(t.include_dir())
        .args(["-dM", "-E", "-x", "c", "/dev/null"]);
    let target = front::target(&mut macros)?;
    let mut units = Vec::new();
    let mut failed = None;
    for source in &o.sources {
        match front::unit(
            &source.display().to_string(),
            &mut build::preprocess(o, t, source),
            &target,
        ) {
            Ok((unit, d)) => {
                diags.extend(d);
                units.push(unit);
            }
            Err(PreprocessError::Failed { status }) => failed = Some(status.code().unwrap_or(1)),
            Err(e) => return Err(e.into()),
        }
    }
    if let Some(status) = failed {
        return Err(Stop::Said(status));
    }
    let readable = !diags.has_errors();
    let wanted = wanted_locations(o, diags);
    if !readable || (wanted.at.is_empty() && !wanted.everywhere) {
        return Ok(units);
    }
    let (units, d) = front::place(units, &wanted);
    diags.extend(d);
    Ok(units)
}

/// The program's own copies of library functions that keep state, as further sources.
fn with_library_state(o: &Options, units: &mut Vec<Unit>, diags: &mut Diagnostics) -> Options {
    let mut o = o.clone();
    for own in library::used(units) {
        let (unit, d) = own.unit(&units[0].target);
        diags.extend(d);
        units.push(unit);
        o.link.push(LinkItem::Source(o.sources.len()));
        o.sources.push(own.file.into());
    }
    o
}

fn wanted_locations(o: &Options, diags: &mut Diagnostics) -> Locations {
    let mut wanted = Locations {
        at: Vec::new(),
        everywhere: o.everywhere,
    };
    for text in &o.locations {
        match Location::parse(text) {
            Some(l) => wanted.at.push(l),
            None => diags.push(
                Diagnostic::error(
                    Code::NoSuchLocation,
                    format!("--checkpoint-at={text}: not a place"),
                )
                .help("write --checkpoint-at=FUNCTION or --checkpoint-at=FILE:LINE"),
            ),
        }
    }
    wanted
}

/// Prints diagnostics; an error among them ends the build with status 1.
fn report(o: &Options, diags: &Diagnostics) -> Result<i32, Stop> {
    let shown = o.levels.apply(diags);
    print(o, &shown);
    if shown.has_errors() {
        Err(Stop::Said(1))
    } else {
        Ok(0)
    }
}

fn print(o: &Options, shown: &Diagnostics) {
    let format = match o.json {
        true => Format::Json,
        false if std::io::stderr().is_terminal() => Format::Graphical,
        false => Format::Plain,
    };
    eprint!("{}", shown.render(format));
    let errors = shown.list.iter().filter(|d| d.severity == Severity::Error);
    let codes: BTreeSet<&str> = errors.map(|d| d.code.id()).collect();
    if let Some(first) = codes.first().filter(|_| !o.json) {
        eprintln!("pc3cc: for more on an error: pc3cc --explain-code {first}");
    }
}

fn said(o: &Options, d: Diagnostic) -> i32 {
    let mut list = Diagnostics::default();
    list.push(d);
    print(o, &list);
    1
}

fn fail(e: &dyn std::error::Error) -> i32 {
    eprintln!("pc3cc: error: {e}");
    1
}

fn separate() -> Diagnostic {
    Diagnostic::error(
        Code::SeparateCompilation,
        "'-c' and '-S' are not supported yet: a program is analysed as a whole",
    )
    .help("give all C sources on one command line: pc3cc a.c b.c -o program")
}

fn shared() -> Diagnostic {
    Diagnostic::error(Code::SharedObject, "a shared object cannot be instrumented: its callers are not known")
        .help("link the sources into the program, or build the library with the plain compiler if it keeps no state across a checkpoint")
}

fn objects_only(o: &Options) -> Diagnostic {
    let first = o.link.iter().find_map(|l| match l {
        LinkItem::Arg(a) if !a.starts_with('-') => Some(a.as_str()),
        _ => None,
    });
    Diagnostic::error(
        Code::SeparateCompilation,
        format!(
            "no C source among the inputs (first is '{}')",
            first.unwrap_or("")
        ),
    )
    .help("pc3cc instruments C sources: give them on one command line")
}

/// Objects and archives are linked as they are: what state they keep is not saved.
fn foreign_objects(o: &Options, diags: &mut Diagnostics) {
    for item in &o.link {
        let LinkItem::Arg(a) = item else { continue };
        let known = Path::new(a).extension().and_then(|e| e.to_str());
        if !a.starts_with('-') && matches!(known, Some("o" | "a" | "so")) {
            diags.push(
                Diagnostic::warning(
                    Code::ForeignObject,
                    format!("'{a}' is linked as it is: state that it keeps is not saved"),
                )
                .help("give its sources instead, unless it keeps no state across a checkpoint"),
            );
        }
    }
}

fn no_location() -> Diagnostic {
    Diagnostic::warning(Code::NoLocation, "the program has no checkpoint location, so it can never save its state").help(
        "put '#pragma pc3 checkpoint' into the main loop, or name a place with --checkpoint-at=FUNCTION or --checkpoint-at=FILE:LINE",
    )
}
