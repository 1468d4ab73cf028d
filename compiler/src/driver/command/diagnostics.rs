//! What the driver itself tells the user, and how diagnostics are shown.

use crate::driver::options::Options;
use crate::driver::Stop;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics, Format, Severity};
use std::collections::BTreeSet;
use std::io::IsTerminal;

/// Prints diagnostics; an error among them ends the build with status 1.
pub fn report(o: &Options, diags: &Diagnostics) -> Result<(), Stop> {
    let shown = match o.json || o.all_warnings {
        true => o.levels.apply(diags),
        false => {
            let own: BTreeSet<&str> = o.sources.iter().filter_map(|s| s.to_str()).collect();
            o.levels.apply(diags).fewer(&|file| own.contains(file))
        }
    };
    let format = match o.json {
        true => Format::Json,
        false if std::io::stderr().is_terminal() => Format::Graphical,
        false => Format::Plain,
    };
    tell!("{}", shown.render(format));
    let errors = shown.list.iter().filter(|d| d.severity == Severity::Error);
    let codes: BTreeSet<&str> = errors.map(|d| d.code.id()).collect();
    let Some(first) = codes.first() else {
        return Ok(());
    };
    if !o.json {
        tell!("pc3cc: for more on an error: pc3cc --explain-code {first}\n");
    }
    Err(Stop::Said(1))
}

/// One error that ends the build.
pub fn stop(d: Diagnostic) -> Stop {
    Stop::Told(Box::new(d))
}

pub(crate) fn no_input() -> Diagnostic {
    Diagnostic::error(Code::NoInput, "no input files")
        .help("give sources, objects or archives: pc3cc a.c b.o -o program")
}

pub fn shared(unit: &str) -> Diagnostic {
    let what = format!("a shared object cannot have checkpoint locations, but {unit} has one");
    Diagnostic::error(Code::SharedObject, what)
        .help("link the objects into the program: pc3cc instruments whole programs")
}

pub(crate) fn shared_mpi(unit: &str) -> Diagnostic {
    let what = format!("a shared object cannot call MPI, but {unit} does");
    Diagnostic::error(Code::SharedObject, what).help(
        "link the objects into the program: the ranks' copies of its variables are made there",
    )
}

/// What an object carries cannot be used.
pub fn unusable(object: &str, why: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error(Code::UnitData, format!("'{object}' {why}"))
        .help("compile its sources again with this pc3cc")
}

pub(crate) fn altered(object: &str) -> Diagnostic {
    Diagnostic::error(
        Code::UnitData,
        format!("'{object}' does not define what its sources define: symbols were added, renamed or made local"),
    )
    .help("link the objects as pc3cc -c made them: what was joined with foreign objects or edited cannot be compiled anew")
}

pub(crate) fn out_of_reach(object: &str) -> Diagnostic {
    Diagnostic::error(
        Code::UnitData,
        format!("'{object}' has to be compiled anew, but the linker finds it by itself"),
    )
    .help("name the object or archive on the command line instead of in a linker script")
}

/// Objects and archives without data for pc3 are linked as they are: what state they keep is not saved.
pub fn foreign(object: &str) -> Diagnostic {
    Diagnostic::warning(
        Code::ForeignObject,
        format!("'{object}' is linked as it is: state that it keeps is not saved"),
    )
    .help(match object.contains(".so") {
        true => "compile it with pc3cc and link its archive (`.a`), unless it keeps no state across a checkpoint: shared objects keep no data for pc3",
        false => "compile it with pc3cc, unless it keeps no state across a checkpoint; make settings again in a callback: pc3_on(PC3_RESTART, ...)",
    })
}

/// Objects that ask for what only another MPI's library has.
pub(crate) fn another_mpi(objects: &[&str], symbol: &str) -> Diagnostic {
    let (was, asks) = match objects {
        [_] => ("was", "it asks"),
        _ => ("were", "they ask"),
    };
    let list = names(objects);
    let what = format!("{list} {was} compiled for another MPI: {asks} for `{symbol}`");
    Diagnostic::error(Code::AnotherMpi, what).help(OWN_MPI)
}

/// The same where nothing of the program was compiled with pc3cc, so that it is linked without an MPI.
pub(crate) fn no_mpi(objects: &[&str], symbol: &str) -> Diagnostic {
    let call = match objects {
        [_] => "calls MPI and was",
        _ => "call MPI and were",
    };
    let list = names(objects);
    let what = format!("{list} {call} not compiled with pc3cc: nothing here has `{symbol}`");
    Diagnostic::error(Code::AnotherMpi, what).help(OWN_MPI)
}

/// An object that may have been compiled for another MPI.
pub fn calls_mpi(object: &str) -> Diagnostic {
    let what = format!("'{object}' calls MPI, and pc3cc did not compile it: what another MPI's mpi.h has made of handles and constants is wrong here");
    warning_of_foreign(what, OWN_MPI)
}

const OWN_MPI: &str = "compile with pc3cc, which has an mpi.h and an MPI of its own: configure a library with CC=pc3cc";

/// The first of them, quoted.
fn names(objects: &[&str]) -> String {
    const SHOWN: usize = 3;
    let quoted = |o: &&str| format!("'{o}'");
    let (last, before) = match objects {
        [before @ .., last] if objects.len() <= SHOWN => (quoted(last), before),
        _ => {
            let more = objects.len().saturating_sub(SHOWN);
            (format!("{more} more"), &objects[..objects.len().min(SHOWN)])
        }
    };
    match before {
        [] => last,
        _ => {
            let before: Vec<String> = before.iter().map(quoted).collect();
            format!("{} and {last}", before.join(", "))
        }
    }
}

/// What else there is to say of such an object.
pub(crate) fn warning_of_foreign(what: String, help: &str) -> Diagnostic {
    Diagnostic::warning(Code::ForeignObject, what).help(help)
}

pub fn standard_input() -> Diagnostics {
    let mut list = Diagnostics::default();
    list.push(
        Diagnostic::warning(
            Code::NoLocation,
            "a source from standard input is compiled as it is, without checkpoint locations",
        )
        .help("put it into a file"),
    );
    list
}

pub fn no_location() -> Diagnostic {
    Diagnostic::warning(Code::NoLocation, "the program has no checkpoint location, so it can never save its state").help(
        "put '#pragma pc3 checkpoint' into the main loop, or name a place with --checkpoint-at=FUNCTION or --checkpoint-at=FILE:LINE",
    )
}

/// Options that programs with locations cannot have, and why.
const UNFIT: &[(&str, &str)] = &[
    (
        "-finstrument-functions",
        "would report the calls of every checkpoint and restart, too",
    ),
    (
        "-fsanitize=thread",
        "allows memory only at addresses where a restart cannot have it",
    ),
    (
        "-fsanitize=memory",
        "allows memory only at addresses where a restart cannot have it",
    ),
    ("-fsanitize=hwaddress", "needs pointers that carry tags"),
    ("--coverage", COUNTS),
    ("-coverage", COUNTS),
    ("-fprofile-arcs", COUNTS),
    ("-ftest-coverage", COUNTS),
    ("-fprofile-generate", COUNTS),
    ("-fprofile-instr-generate", COUNTS),
    ("-fcoverage-mapping", COUNTS),
];
const COUNTS: &str =
    "counts in a place that no checkpoint holds, and would count what checkpoints and restarts do";

/// An option of a program with locations.
pub(crate) fn unfit(option: &str) -> Option<Diagnostic> {
    let is = |name: &str| match name.split_once('=') {
        // Several may be given at once.
        Some((name, kind)) => option
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('='))
            .is_some_and(|list| list.split(',').any(|k| k == kind)),
        None => option.split('=').next() == Some(name),
    };
    let known = UNFIT.iter().find(|(name, _)| is(name)).map(|(_, why)| *why);
    let why = known.or_else(|| wraps_allocation(option).then_some(WRAPPED))?;
    let what = format!("{option} {why}");
    let unfit = Diagnostic::error(Code::BuildOption, what);
    Some(unfit.help("leave the option out, or build without checkpoint locations"))
}

const WRAPPED: &str = "would see no call: memory of a program with locations comes from pc3's heap";

/// `-Wl,--wrap=malloc`, `-Wl,--wrap,free`.
fn wraps_allocation(option: &str) -> bool {
    const ALLOCATION: &[&str] = &[
        "malloc",
        "calloc",
        "realloc",
        "free",
        "reallocarray",
        "aligned_alloc",
        "posix_memalign",
    ];
    let Some(list) = option.strip_prefix("-Wl,") else {
        return false;
    };
    let mut words = list.split([',', '=']).peekable();
    while let Some(word) = words.next() {
        let next = words.peek().is_some_and(|name| ALLOCATION.contains(name));
        if next && ["--wrap", "-wrap"].contains(&word) {
            return true;
        }
    }
    false
}

pub fn no_place(text: &str) -> Diagnostic {
    Diagnostic::error(
        Code::NoSuchLocation,
        format!("--checkpoint-at={text}: not a place"),
    )
    .help("write --checkpoint-at=FUNCTION or --checkpoint-at=FILE:LINE")
}
