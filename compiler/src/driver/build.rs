//! The commands that the underlying compiler is run with, and what is asked of it once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;

use super::options::Options;
use super::teams::Teams;
use super::temporary::Folder;
use super::toolchain::{self, Toolchain, ToolchainError};
use pc3_instrument::rewrite::{self, Dialect};
use pc3_syntax::preprocess::{self, PreprocessError};
use pc3_syntax::types::Target;

#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    #[error("cannot read {0}: {1}")]
    Read(PathBuf, std::io::Error),
    #[error("cannot write {0}: {1}")]
    Write(PathBuf, std::io::Error),
    /// The compiler has said why.
    #[error("the compiler failed")]
    Failed(i32),
}

/// The command that preprocesses `source`.
pub fn preprocess(o: &Options, t: &Toolchain, source: &Path) -> Command {
    of_source(o, t, source, "-E")
}

/// Does the compiler look for comments that say that a case falls through?
pub(crate) fn reads_comments(o: &Options) -> bool {
    o.plain
        .iter()
        .any(|a| matches!(a.as_str(), "-W" | "-Wextra") || a.starts_with("-Wimplicit-fallthrough"))
}

pub(crate) fn of_source(o: &Options, t: &Toolchain, source: &Path, action: &str) -> Command {
    let mut c = t.command();
    c.arg(action)
        .arg("-D__PC3__=1")
        .args(portable_float(o, t))
        .args(&o.cpp)
        .arg("-I")
        .arg(t.include_dir());
    no_macros(&o.cpp, &mut c);
    // What else it is called, `-x` has said that it is C.
    if source.extension().is_some_and(|e| e == "c" || e == "i") {
        c.arg(source);
    } else {
        c.args(["-x", "c"]).arg(source).args(["-x", "none"]);
    }
    c
}

/// `-g3` would put the macros' definitions into the text.
fn no_macros(options: &[String], c: &mut Command) {
    let all = |a: &String| a.starts_with("-g") && a.ends_with('3');
    if options.iter().any(all) {
        c.arg("-g0");
    }
}

/// The integers and the kind of a compiler, under options that compile.
pub struct Abi {
    pub target: Target,
    pub clang: bool,
}

pub fn abi(cc: &[String], options: &[String]) -> Result<Abi, PreprocessError> {
    let mut c = Command::new(&cc[0]);
    c.args(&cc[1..])
        .args(options)
        .args(["-w", "-dM", "-E", "-x", "c", "/dev/null"]);
    let macros = preprocess::parse_macros(&preprocess::run(&mut c)?);
    Ok(Abi::new(&macros, options))
}

impl Abi {
    fn new(macros: &HashMap<String, String>, options: &[String]) -> Abi {
        Abi {
            target: Target::from_macros(macros).with_options(options),
            clang: macros.contains_key("__clang__"),
        }
    }
}

/// Stands between what one run of the preprocessor is asked for.
const NEXT: &str = "pc3_next";

/// Says that a macro is defined, and as what.
const MACRO: &str = "pc3_macro";

/// The ABI under `options`, and how to write for a compiler: the runtime's declarations are preprocessed with the user's
/// options, because what is compiled is preprocessed text, in which names like `linux` are not expanded a second time.
/// `more`: options that come with the program.  `teams`: whose OpenMP is linked.
pub fn dialect(
    t: &Toolchain,
    options: &[String],
    more: &[&str],
    teams: Option<Teams>,
) -> Result<(Abi, Arc<Dialect>), PreludeError> {
    let macros = Target::MACROS.map(|m| format!("#ifdef {m}\n{MACRO} \"{m}\" {m}\n#endif\n"));
    let without = rewrite::prelude(false);
    let with = rewrite::prelude(true);
    let text = format!(
        "{without}\n{NEXT}\n{FORGET}{with}\n{NEXT}\n{}",
        macros.concat()
    );
    let folder = Folder::new()?;
    let file = folder.path().join("prelude.c");
    std::fs::write(&file, text)?;
    let mut c = t.command();
    c.args(options).args(more);
    no_macros(options, &mut c);
    c.args(teams.map(|t| format!("-DPC3_TEAMS={}", t.number())));
    c.args(["-w", "-E", "-P", "-x", "c"]).arg(&file);
    let text = preprocess::run(&mut c)?;
    let mut parts = text.split(NEXT).map(|p| p.trim_start().to_string());
    let mut part = || parts.next().unwrap_or_default();
    let (without, with, macros) = (part(), part(), part());
    let abi = Abi::new(&defined(&macros), options);
    let dialect = Dialect {
        clang: abi.clang,
        unoptimised: unoptimised(options),
        teams: teams.is_some(),
        preludes: Some((with, without)),
    };
    Ok((abi, Arc::new(dialect)))
}

/// The header's guard, so that it is read a second time.
const FORGET: &str = "#undef PC3_RT_H\n";

/// Macros by name, from lines that [`MACRO`] begins.
fn defined(lines: &str) -> HashMap<String, String> {
    let said = lines.split(MACRO).filter_map(|l| {
        let (name, value) = l.trim().strip_prefix('"')?.split_once('"')?;
        Some((name.to_string(), value.trim().to_string()))
    });
    said.collect()
}

/// The last `-O` counts.
fn level(options: &[String]) -> Option<&str> {
    options.iter().rev().find_map(|o| o.strip_prefix("-O"))
}

fn unoptimised(options: &[String]) -> bool {
    matches!(level(options), None | Some("0"))
}

#[derive(Debug, thiserror::Error)]
pub enum PreludeError {
    #[error("cannot write a temporary file: {0}")]
    Write(#[from] std::io::Error),
    #[error(transparent)]
    Preprocess(#[from] PreprocessError),
}

/// Runs the underlying compiler on the user's own command line (`-E`, `-M`, `-S`, `--version`, ...).
pub(crate) fn pass_through(o: &Options, t: &Toolchain) -> Result<i32, BuildError> {
    let mut c = t.command();
    if !o.sources.is_empty() {
        c.args(portable_float(o, t));
    }
    c.args(&o.plain);
    if !o.sources.is_empty() {
        c.arg("-D__PC3__=1").arg("-I").arg(t.include_dir());
    }
    run(&mut c, t)
}

pub fn run(c: &mut Command, t: &Toolchain) -> Result<i32, BuildError> {
    Ok(status(c.status().map_err(|e| t.no_compiler(e))?))
}

pub fn status(s: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    s.code().unwrap_or_else(|| 128 + s.signal().unwrap_or(0))
}

/// Results must agree across architectures unless the user wants otherwise.
pub(crate) fn portable_float(o: &Options, t: &Toolchain) -> Vec<&'static str> {
    let mut f = Vec::new();
    if !o.user_has("-ffp-contract") && !o.user_has("-ffast-math") && !o.user_has("-Ofast") {
        f.push("-ffp-contract=off");
    }
    if t.target.is_i686()
        && !o.user_has("-mfpmath")
        && !o.user_has("-mno-sse")
        && !o.user_has("-mno-sse2")
    {
        f.extend(["-msse2", "-mfpmath=sse"]);
    }
    // Strict C (-std=c99) has gcc compute `float` in `double` there.
    let gcc = || !t.is_clang();
    if t.target.is_s390x() && gcc() && !o.user_has("-fexcess-precision") {
        f.push("-fexcess-precision=fast");
    }
    f
}

/// Loops begin with a line of the cache where the compiler aligns them at all: it has them begin at 8 or 16 bytes, and whether
/// a short one lies across two lines, which can cost it a tenth, is chance. The instrumentation must not cast those dice again.
pub fn whole_lines(o: &Options, t: &Toolchain) -> Option<&'static str> {
    let aligned = matches!(level(&o.compile), Some("2" | "3" | "fast"));
    let said = o.compile.iter().any(|a| a.contains("align-loops"));
    (aligned && !said && t.target.is_x86()).then_some("-falign-loops=64")
}

/// Where a program's code can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// The default: fixed addresses reach globals and thread-locals in one instruction.
    Fixed,
    /// The program is at fixed addresses, but this unit gains nothing by it: it gets the code that it has in the plain
    /// program, from which compilers' choice of registers differs otherwise.
    Plain,
    /// As the user says with `-pie` and the like.
    Users,
}

impl Position {
    pub fn of(link: &Options) -> Position {
        let user = ["-fPIE", "-fpie", "-pie", "-static-pie"];
        match user.iter().any(|f| link.user_has(f)) {
            true => Position::Users,
            false => Position::Fixed,
        }
    }

    /// Of a unit; `statics`: it has to do with variables of static storage.
    pub(crate) fn of_unit(self, statics: bool, target: &toolchain::Target) -> Position {
        match self {
            // Code for any address takes a register there.
            Position::Fixed if !statics && !target.is_i686() => Position::Plain,
            _ => self,
        }
    }

    /// For compiling a unit under `options`.
    pub fn compiling(self, options: &Options) -> &'static [&'static str] {
        let user = ["-fPIE", "-fpie", "-fPIC", "-fpic"];
        match self {
            _ if user.iter().any(|f| options.user_has(f)) => &[],
            Position::Plain => &[],
            Position::Fixed => &["-fno-pie"],
            Position::Users => &["-fPIE"],
        }
    }

    pub(crate) fn linking(self, options: &Options) -> &'static [&'static str] {
        match self {
            // That says it already, and clang warns.
            _ if options.user_has("-static") => &[],
            Position::Fixed | Position::Plain => &["-no-pie"],
            Position::Users => &[],
        }
    }
}
