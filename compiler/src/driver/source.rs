//! Sources: preprocessed into what pc3 analyses, and compiled as the plain compiler would.

use super::carry::record::{UnitRecord, LOCATION, UNNOTED, WHOLE};
use super::options::Options;
use super::toolchain::Toolchain;
use super::{build, depends, diagnostics, Stop};
use pc3_program::annotations::{self, Annotation};
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics, Severity};
use pc3_syntax::front;
use pc3_syntax::locations::{self, Defines, Location, Locations};
use pc3_syntax::prefilter::comments;
use pc3_syntax::preprocess;
use pc3_syntax::tree::StmtKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A preprocessed source.
pub struct Source {
    pub text: String,
    /// The text is what the preprocessor printed, to the byte.
    pub exact: bool,
    /// What the preprocessor said.
    pub said: String,
}

/// None: the preprocessor failed, of which the caller has the plain compiler tell.
pub fn preprocess(o: &Options, t: &Toolchain, i: usize) -> Result<Option<Source>, Stop> {
    if o.preprocessed[i] {
        let Ok(bytes) = std::fs::read(&o.sources[i]) else {
            return Ok(None);
        };
        return Ok(Some(Source {
            text: preprocess::checked_text(bytes)?,
            exact: false,
            said: String::new(),
        }));
    }
    let out = output(&mut build::preprocess(o, t, &o.sources[i]), t)?;
    if !out.status.success() {
        return Ok(None);
    }
    let exact = std::str::from_utf8(&out.stdout).is_ok();
    let text = preprocess::checked_text(out.stdout)?;
    let read = |name: &str| std::fs::read_to_string(name).ok();
    let noted = match build::reads_comments(o) {
        true => comments::from_files(&text, read),
        false => None,
    };
    Ok(Some(Source {
        exact: exact && noted.is_none(),
        text: noted.unwrap_or(text),
        said: String::from_utf8_lossy(&out.stderr).into_owned(),
    }))
}

fn output(c: &mut Command, t: &Toolchain) -> Result<Output, Stop> {
    let out = c.stdin(Stdio::null()).output();
    Ok(out.map_err(|e| t.no_compiler(e))?)
}

/// Writes what `-MMD` and the like ask for, where the plain compiler does not compile.
pub fn dependencies(o: &Options, t: &Toolchain) -> Result<(), Stop> {
    if !o.dependencies.is_empty() {
        for (i, source) in o.sources.iter().enumerate() {
            let mut c = build::preprocess(o, t, source);
            output(c.args(&o.dependencies), t)?;
            depends::note(o, i)?;
        }
    }
    Ok(())
}

/// May the text have a location?  Seldom wrong, and never in saying no.
pub(crate) fn may_have_location(text: &str, wanted: &Locations) -> bool {
    let asked = |l: &Location| match l {
        Location::Function(name) => locations::defines(text, name) != Defines::No,
        Location::Line { file, .. } => {
            let name = file.rsplit('/').next().unwrap_or(file);
            text.contains(name)
        }
    };
    wanted.everywhere || says_location(text) || wanted.at.iter().any(asked)
}

fn says_location(text: &str) -> bool {
    let calls = |word: &str| text.matches(word).count();
    has_pragma(text) || calls("pc3_checkpoint") > calls("void pc3_checkpoint(void);")
}

pub(crate) fn has_pragma(text: &str) -> bool {
    let own = |l: &str| {
        l.trim_start()
            .strip_prefix('#')
            .and_then(|l| l.trim_start().strip_prefix("pragma"))
            .is_some_and(|l| matches!(l.split_whitespace().next(), Some("pc3" | "ccc")))
    };
    text.contains("pragma") && text.lines().any(own)
}

/// The locations that the command line asks for.
pub fn wanted(o: &Options, diags: &mut Diagnostics) -> Locations {
    let mut wanted = Locations {
        at: Vec::new(),
        everywhere: o.everywhere,
    };
    for text in &o.locations {
        match Location::parse(text) {
            Some(l) => wanted.at.push(l),
            None => diags.push(diagnostics::no_place(text)),
        }
    }
    wanted
}

/// What the files of `--annotations` say.
pub fn annotations(o: &Options, diags: &mut Diagnostics) -> Vec<Annotation> {
    let mut all = Vec::new();
    for name in &o.annotations {
        match std::fs::read_to_string(name) {
            Ok(text) => all.extend(annotations::in_file(name, &text)),
            Err(e) => diags.push(
                Diagnostic::error(Code::Annotation, format!("{name}: {e}"))
                    .help("give the path of a file of annotations"),
            ),
        }
    }
    all
}

/// What an object made from the source carries, but for what only the object knows.
pub fn record(o: &Options, t: &Toolchain, i: usize, text: String) -> UnitRecord {
    let directory = std::env::current_dir().unwrap_or_default();
    UnitRecord {
        flags: match o.track_unions {
            Some(false) => UNNOTED,
            _ => 0,
        } | match o.pieces {
            Some(false) => WHOLE,
            _ => 0,
        },
        path: o.sources[i].display().to_string(),
        directory: directory.display().to_string(),
        target: t.target.gnu.clone(),
        compiler: t.cc.clone(),
        options: o.compile.clone(),
        locations: o.locations.clone(),
        everywhere: o.everywhere,
        text,
        ..UnitRecord::default()
    }
}

/// Looks for locations, and tells of those that stand where none can.
pub(crate) fn find_locations(
    o: &Options,
    t: &Toolchain,
    record: &mut UnitRecord,
    wanted: &Locations,
) -> Result<(), Stop> {
    if !may_have_location(&record.text, wanted) {
        return Ok(());
    }
    if !says_location(&record.text) {
        if let Some((_, found)) = locations::early(&record.text, wanted) {
            if found.contains(&true) {
                record.flags |= LOCATION;
            }
            return Ok(());
        }
    }
    let target = build::abi(&t.cc, &o.compile)?.target;
    let (unit, mut diags) = front::unit(&record.path, record.text.clone(), &target, Path::new(""));
    let found = locations::apply(&unit, wanted).text.is_some()
        || (unit.stmts.iter()).any(|s| matches!(s.kind, StmtKind::Checkpoint));
    if found {
        record.flags |= LOCATION;
    }
    // What is wrong with the C the plain compiler has told, and what pc3cc cannot read the link tells.
    (diags.list).retain(|d| d.severity == Severity::Warning || d.code.id().starts_with("E02"));
    diagnostics::report(o, &diags)
}

/// The plain compiler's command, of the user's words but for what pc3 makes the default.
pub fn plain(o: &Options, t: &Toolchain, words: &[String]) -> Command {
    let mut c = t.command();
    c.args(build::portable_float(o, t)).args(words);
    if !o.sources.is_empty() {
        c.arg("-D__PC3__=1").arg("-I").arg(t.include_dir());
    }
    c
}

/// Where `-c` puts the object.
pub fn object_of(o: &Options, i: usize) -> PathBuf {
    match &o.output {
        Some(out) => out.clone(),
        None => {
            let name = o.sources[i].file_name().unwrap_or_default();
            Path::new(name).with_extension("o")
        }
    }
}
