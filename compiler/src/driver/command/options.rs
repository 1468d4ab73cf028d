//! The command line, as users of gcc write it.
//!
//! pc3cc is a drop-in driver: what it does not know goes to the underlying compiler unchanged.  So
//! this file only classifies: which arguments are sources, which take a value, which concern
//! preprocessing, compiling or linking, and which are pc3's own.

use std::path::{Path, PathBuf};

use pc3_syntax::diag::{explanation, BadSwitch, Levels};

use crate::driver::own::{self, Mistaken};
use crate::driver::response;
use crate::driver::spelling;

/// What the user wants as the result; of several, compilers obey the last in this list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mode {
    /// An executable or a shared object.
    Link,
    /// `-r`
    Partial,
    /// `-c`
    Object,
    /// `-S`
    Assembly,
    /// `-E`, `-M`, `-MM`: the underlying compiler does it alone.
    Preprocess,
    /// Nothing to compile: `--version`, `-dumpmachine`, `-print-...`, `-v` alone, `-fsyntax-only`.
    PassThrough,
}

/// `--explain=`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Explain {
    Nothing,
    /// Which are instrumented, and what they save.
    Functions,
    /// What is allocated.
    Heap,
}

/// `--emit=`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Emit {
    Executable,
    /// The instrumented C.
    C,
    /// The typed tree, for debugging pc3cc.
    Tree,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptionError {
    #[error("missing argument to '{0}'")]
    MissingValue(String),
    #[error("cannot read response file '{0}': {1}")]
    Response(String, String),
    #[error("response files are nested too deeply at '{0}'")]
    ResponseDepth(String),
    #[error("unknown value '{1}' of '{0}' (expected {2})")]
    BadValue(&'static str, String, &'static str),
    #[error(transparent)]
    Switch(#[from] BadSwitch),
    #[error(transparent)]
    Mistaken(#[from] Mistaken),
    #[error("cannot specify '-o' with '-c', '-S' or '-E' with multiple files")]
    OutputWithMany,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub mode: Mode,
    pub emit: Emit,
    pub explain: Explain,
    pub sources: Vec<PathBuf>,
    /// Which of them are preprocessed already.
    pub preprocessed: Vec<bool>,
    pub output: Option<PathBuf>,
    /// `--cc=`, before `PC3_CC` and the default are considered.
    pub cc: Option<String>,
    /// `--target=`, in the user's spelling.
    pub target: Option<String>,
    /// `--checkpoint-at=`
    pub locations: Vec<String>,
    /// `--annotations=`
    pub annotations: Vec<String>,
    pub everywhere: bool,
    /// Is it noted which member of a union was written last? None: nothing is said of it.
    pub track_unions: Option<bool>,
    /// Is it noted what is handed out in pieces? None: nothing is said of it.
    pub pieces: Option<bool>,
    /// For the preprocessor only: `-I`, `-D`, `-include` ... (and `-std`, `-m`, `-O`, `-f`, which predefine macros).
    pub cpp: Vec<String>,
    /// `-MMD`, `-MF file` and the like: what the plain compiler writes while it compiles.
    pub dependencies: Vec<String>,
    /// For compiling preprocessed text: everything but preprocessor and link arguments.
    pub compile: Vec<String>,
    /// Link inputs and options in their order; sources are represented by [`LinkItem::Source`].
    pub link: Vec<LinkItem>,
    /// The command line with pc3's own options removed.
    pub plain: Vec<String>,
    /// Where the sources stand in it.
    source_at: Vec<usize>,
    pub shared: bool,
    /// `-flto` was given, and left out.
    pub lto: bool,
    pub is_static: bool,
    /// `-w`, `-Werror`, `-Wno-pc3-…`
    pub levels: Levels,
    /// `--message-format=json`
    pub json: bool,
    /// `--warnings=all`
    pub all_warnings: bool,
    /// `--explain-code=`
    pub explain_code: Option<&'static str>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LinkItem {
    /// Index into [`Options::sources`].
    Source(usize),
    /// An object, an archive, a source in another language.
    Input(String),
    Arg(String),
}

/// Options whose value is the next argument when it is not attached.
/// (`LINK` and `CPP` besides; `CPP` are the preprocessor's.)
const SEPARATE: &[&str] = &[
    "-o",
    "-x",
    "-MF",
    "-MT",
    "-MQ",
    "-Xassembler",
    "-B",
    "--param",
    "-aux-info",
    "-dumpbase",
    "-dumpdir",
    "-wrapper",
    "-specs",
    "-arch",
];
const CPP: &[&str] = &[
    "-I",
    "-D",
    "-U",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-imultilib",
    "-A",
    "-Xpreprocessor",
];
const LINK: &[&str] = &["-L", "-l", "-Xlinker", "-T", "-u", "-z", "-e"];

pub fn parse(args: impl IntoIterator<Item = String>) -> Result<Options, OptionError> {
    let mut flat = Vec::new();
    for a in args {
        response::expand(a, 0, &mut flat)?;
    }
    let mut o = Options {
        mode: Mode::Link,
        emit: Emit::Executable,
        explain: Explain::Nothing,
        sources: Vec::new(),
        preprocessed: Vec::new(),
        output: None,
        cc: None,
        target: None,
        locations: Vec::new(),
        annotations: Vec::new(),
        everywhere: false,
        track_unions: None,
        pieces: None,
        cpp: Vec::new(),
        dependencies: Vec::new(),
        compile: Vec::new(),
        link: Vec::new(),
        plain: Vec::new(),
        source_at: Vec::new(),
        shared: false,
        lto: false,
        is_static: false,
        levels: Levels::default(),
        json: false,
        all_warnings: false,
        explain_code: None,
    };
    let mut language: Option<String> = None;
    let mut it = spelling::usual(flat, |w| SEPARATE.contains(&w)).into_iter();
    while let Some(a) = it.next() {
        if a == "--explain-code" {
            let v = it.next().ok_or(OptionError::MissingValue(a))?;
            own_option(&mut o, &format!("--explain-code={v}"))?;
            continue;
        }
        if own_option(&mut o, &a)? {
            continue;
        }
        o.plain.push(a.clone());
        if !a.starts_with('-') || a == "-" {
            let is_c = match language.as_deref() {
                None | Some("none") => Path::new(&a)
                    .extension()
                    .is_some_and(|e| e == "c" || e == "i"),
                Some(l) => l == "c" || l == "cpp-output",
            };
            if is_c {
                let extension = Path::new(&a).extension().is_some_and(|e| e == "i");
                o.preprocessed.push(match language.as_deref() {
                    None | Some("none") => extension,
                    Some(l) => l == "cpp-output",
                });
                o.link.push(LinkItem::Source(o.sources.len()));
                o.sources.push(PathBuf::from(a));
                o.source_at.push(o.plain.len() - 1);
            } else {
                let header = match language.as_deref() {
                    None | Some("none") => Path::new(&a).extension().is_some_and(|e| e == "h"),
                    Some(l) => l == "c-header",
                };
                // It is precompiled, and nothing linked.
                if header {
                    o.mode = o.mode.max(Mode::Object);
                }
                o.link.push(LinkItem::Input(a));
            }
            continue;
        }
        let (name, value) = split_value(&a, &mut it, &mut o.plain)?;
        classify(&mut o, &mut language, &a, name, value);
    }
    if o.sources.len() > 1
        && o.output.is_some()
        && matches!(o.mode, Mode::Object | Mode::Assembly | Mode::Preprocess)
    {
        return Err(OptionError::OutputWithMany);
    }
    // `-lfoo` alone is something to link as well.
    let libraries = |l: &LinkItem| matches!(l, LinkItem::Arg(a) if a.starts_with("-l"));
    if !o
        .link
        .iter()
        .any(|l| !matches!(l, LinkItem::Arg(_)) || libraries(l))
    {
        o.mode = Mode::PassThrough;
    }
    Ok(o)
}

/// pc3's own options; true if `a` was one.
fn own_option(o: &mut Options, a: &str) -> Result<bool, OptionError> {
    if let Some(v) = a.strip_prefix("--cc=") {
        o.cc = Some(v.to_string());
    } else if let Some(v) = a.strip_prefix("--target=") {
        o.target = Some(v.to_string());
    } else if let Some(v) = a.strip_prefix("--checkpoint-at=") {
        o.locations.push(v.to_string());
    } else if let Some(v) = a.strip_prefix("--annotations=") {
        o.annotations.push(v.to_string());
    } else if a == "--checkpoint-everywhere" {
        o.everywhere = true;
    } else if let "-fpc3-track-unions" | "-fno-pc3-track-unions" = a {
        o.track_unions = Some(a == "-fpc3-track-unions");
    } else if let "-fpc3-pieces" | "-fno-pc3-pieces" = a {
        o.pieces = Some(a == "-fpc3-pieces");
    } else if a == "-flto" || a.starts_with("-flto=") || a == "-fuse-linker-plugin" {
        // Objects keep machine code: pc3cc optimises across units by compiling anew what has to be.
        o.lto |= a.starts_with("-flto");
    } else if a == "--explain" {
        o.explain = Explain::Functions;
    } else if let Some(v) = a.strip_prefix("--explain=") {
        o.explain = match v {
            "functions" => Explain::Functions,
            "heap" => Explain::Heap,
            _ => {
                return Err(OptionError::BadValue(
                    "--explain",
                    v.to_string(),
                    "functions or heap",
                ))
            }
        };
    } else if let Some(v) = a.strip_prefix("--warnings=") {
        o.all_warnings = match v {
            "all" => true,
            "few" => false,
            v => {
                return Err(OptionError::BadValue(
                    "--warnings",
                    v.to_string(),
                    "few, all",
                ))
            }
        };
    } else if let Some(v) = a.strip_prefix("--message-format=") {
        o.json = match v {
            "json" => true,
            "human" => false,
            _ => {
                let v = v.to_string();
                return Err(OptionError::BadValue("--message-format", v, "human, json"));
            }
        };
    } else if let Some(v) = a.strip_prefix("--explain-code=") {
        let code = explanation(v);
        o.explain_code = Some(code.ok_or_else(|| {
            OptionError::BadValue("--explain-code", v.to_string(), "a code such as E0301")
        })?);
    } else if let Some(v) = a.strip_prefix("--emit=") {
        o.emit = match v {
            "c" => Emit::C,
            "tree" => Emit::Tree,
            _ => return Err(OptionError::BadValue("--emit", v.to_string(), "c")),
        };
    } else {
        let taken = o.levels.take(a)?;
        if !taken {
            own::mistaken(a)?;
        }
        return Ok(taken);
    }
    Ok(true)
}

/// The option's name and, where it takes one, its value (attached or the next argument).
fn split_value(
    a: &str,
    rest: &mut impl Iterator<Item = String>,
    plain: &mut Vec<String>,
) -> Result<(String, Option<String>), OptionError> {
    if [SEPARATE, LINK, CPP].iter().any(|of| of.contains(&a)) {
        let v = rest
            .next()
            .ok_or_else(|| OptionError::MissingValue(a.to_string()))?;
        plain.push(v.clone());
        return Ok((a.to_string(), Some(v)));
    }
    // `-ofile`, `-Idir`: only the one-letter options take attached values.
    for s in [
        "-o", "-I", "-D", "-U", "-L", "-l", "-x", "-T", "-u", "-z", "-e", "-A", "-B",
    ] {
        if let Some(v) = a.strip_prefix(s) {
            if !v.is_empty() {
                return Ok((s.to_string(), Some(v.to_string())));
            }
        }
    }
    Ok((a.to_string(), None))
}

fn classify(
    o: &mut Options,
    language: &mut Option<String>,
    original: &str,
    name: String,
    value: Option<String>,
) {
    let both = |v: &mut Vec<String>| {
        if original == name {
            v.push(name.clone());
            v.extend(value.clone());
        } else {
            v.push(original.to_string());
        }
    };
    match name.as_str() {
        "-o" => o.output = value.map(PathBuf::from),
        "-x" => *language = value,
        "-c" => o.mode = o.mode.max(Mode::Object),
        "-S" => o.mode = o.mode.max(Mode::Assembly),
        "-E" | "-M" | "-MM" => o.mode = o.mode.max(Mode::Preprocess),
        "-fsyntax-only" | "-###" => o.mode = o.mode.max(Mode::PassThrough),
        "-r" => {
            o.mode = o.mode.max(Mode::Partial);
            o.link.push(LinkItem::Arg(name));
        }
        "-MD" | "-MMD" | "-MP" | "-MG" | "-MF" | "-MT" | "-MQ" => both(&mut o.dependencies),
        n if n.starts_with("-Wp,-M") => both(&mut o.dependencies),
        "-w" => {
            o.levels.silent = true;
            o.compile.push(name);
        }
        "-Werror" => {
            o.levels.all_errors = true;
            o.compile.push(name);
        }
        "-shared" => {
            o.shared = true;
            o.link.push(LinkItem::Arg(name));
        }
        "-static" | "-static-pie" => {
            o.is_static = true;
            o.link.push(LinkItem::Arg(name));
        }
        "-s" | "-pie" | "-no-pie" | "-rdynamic" | "-nostartfiles" | "-static-libgcc" => {
            o.link.push(LinkItem::Arg(name))
        }
        n if n.starts_with("-Wp,")
            || n == "-nostdinc"
            || n == "-undef"
            || n.starts_with("-nostdinc") =>
        {
            both(&mut o.cpp)
        }
        n if CPP.contains(&n) => both(&mut o.cpp),
        n if LINK.contains(&n) || n.starts_with("-Wl,") || n.starts_with("-fuse-ld") => {
            let mut v = Vec::new();
            both(&mut v);
            o.link.extend(v.into_iter().map(LinkItem::Arg));
        }
        _ => {
            // Code generation options: they predefine macros (-std, -O, -m, -f), are needed to compile, and some (-m32, -pthread, -fopenmp, -fsanitize) to link.
            both(&mut o.cpp);
            both(&mut o.compile);
            let mut v = Vec::new();
            both(&mut v);
            o.link.extend(v.into_iter().map(LinkItem::Arg));
        }
    }
}

impl Options {
    /// The command line with only the `i`th of its sources; `None`: with none.
    pub(crate) fn plain_with(&self, i: Option<usize>) -> Vec<String> {
        let wanted = i.map(|i| self.source_at[i]);
        let keep = |at: &usize| Some(*at) == wanted || !self.source_at.contains(at);
        let words = self.plain.iter().enumerate();
        words
            .filter(|(at, _)| keep(at))
            .map(|(_, a)| a.clone())
            .collect()
    }

    /// The options with which `-c` would make an object of one source.
    pub(crate) fn for_object(&self, i: usize, object: &Path) -> Options {
        let mut o = self.clone();
        o.mode = Mode::Object;
        let linking = |a: &String| a == "-r" || a.starts_with("-Wl,") || a.starts_with("-l");
        let other = |a: &String| self.other_inputs().any(|i| i == a) || linking(a);
        let mut words: Vec<String> = self.plain_with(Some(i));
        words.retain(|a| !other(a));
        let at = words
            .iter()
            .position(|a| *a == self.sources[i].display().to_string());
        words.extend(["-c".into(), "-o".into(), object.display().to_string()]);
        o.output = Some(object.into());
        o.plain = words;
        o.source_at = vec![usize::MAX; self.sources.len()];
        o.source_at[i] = at.unwrap_or(0);
        o
    }

    /// Inputs that are no C sources: objects, archives, sources in other languages.
    pub(crate) fn other_inputs(&self) -> impl Iterator<Item = &str> {
        self.link.iter().filter_map(|l| match l {
            LinkItem::Input(a) => Some(a.as_str()),
            _ => None,
        })
    }

    /// Has the user said `flag`, or an option that begins with it and `=`?
    pub(crate) fn user_has(&self, flag: &str) -> bool {
        self.plain
            .iter()
            .any(|a| a == flag || a.strip_prefix(flag).is_some_and(|r| r.starts_with('=')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(s: &str) -> Options {
        parse(s.split_whitespace().map(String::from)).unwrap()
    }

    #[test]
    fn sources_and_objects() {
        let o = p("-O2 a.c b.o -lm -o prog -I inc -DX=1");
        assert_eq!(o.sources, [PathBuf::from("a.c")]);
        assert_eq!(o.output, Some("prog".into()));
        assert_eq!(o.cpp, ["-O2", "-I", "inc", "-DX=1"]);
        assert_eq!(o.compile, ["-O2"]);
        assert_eq!(
            o.link,
            [
                LinkItem::Arg("-O2".into()),
                LinkItem::Source(0),
                LinkItem::Input("b.o".into()),
                LinkItem::Arg("-lm".into())
            ]
        );
    }

    #[test]
    fn own_options_do_not_reach_the_compiler() {
        let o = p("--target=s390x-linux-gnu --checkpoint-at=f --checkpoint-at=a.c:3 --checkpoint-everywhere a.c");
        assert_eq!(o.plain, ["a.c"]);
        assert_eq!(o.locations, ["f", "a.c:3"]);
        assert!(o.everywhere);
    }

    #[test]
    fn dependency_files_are_not_for_preprocessing() {
        let o = p("-c -O2 -MMD -MP -MF a.d -MT a.o -Wp,-MD,b.d -Wp,-DX a.c -o a.o");
        assert_eq!(o.cpp, ["-O2", "-Wp,-DX"]);
        let words = ["-MMD", "-MP", "-MF", "a.d", "-MT", "a.o", "-Wp,-MD,b.d"];
        assert_eq!(o.dependencies, words);
        assert_eq!(o.compile, ["-O2"]);
    }

    #[test]
    fn one_source_of_several() {
        let o = p("-c a.c -O2 b.c c.o d.i");
        assert_eq!(o.plain_with(Some(1)), ["-c", "-O2", "b.c", "c.o"]);
        assert_eq!(o.plain_with(None), ["-c", "-O2", "c.o"]);
        assert_eq!(o.preprocessed, [false, false, true]);
        assert_eq!(o.other_inputs().collect::<Vec<_>>(), ["c.o"]);
    }

    #[test]
    fn optimisation_at_link_time_is_left_out() {
        let o = p("-flto=4 -O2 a.c");
        assert!(o.lto);
        assert_eq!(o.plain, ["-O2", "a.c"]);
    }

    #[test]
    fn modes() {
        assert_eq!(p("-c a.c").mode, Mode::Object);
        assert_eq!(p("-E a.c").mode, Mode::Preprocess);
        assert_eq!(p("-E -c a.c").mode, Mode::Preprocess);
        assert_eq!(p("-S -c a.c").mode, Mode::Assembly);
        assert_eq!(p("-r a.o b.o").mode, Mode::Partial);
        assert_eq!(p("-fsyntax-only a.c").mode, Mode::PassThrough);
        assert_eq!(p("-L dir -v").mode, Mode::PassThrough);
        assert_eq!(p("--version").mode, Mode::PassThrough);
        assert_eq!(p("-x c weird.txt -o x").sources.len(), 1);
        assert!(parse(["-o".to_string()]).is_err());
        assert_eq!(
            parse(["-c", "a.c", "b.c", "-o", "x"].map(String::from)),
            Err(OptionError::OutputWithMany)
        );
    }
}
