//! Every text that pc3cc can say is shown by some test, word for word: what stands in the sources and reads like a sentence
//! is in a `ui/*.stderr`, or in what a test expects.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// What no test can bring about, and texts that are none of a diagnostic.
const NOT_SHOWN: &[&str] = &[
    // What `--explain` says of a union whose tag is not known: unit tests have each kind.
    "it is in an array or a union",
    "a function returns it",
    "it is declared in several ways",
    "several bits belong to members",
    "nothing is stored with it",
    "the tag is stored alone, and the members are unlike",
    "a struct has no tag",
    "bit {b:#x} belongs to several members",
    "it is initialised without a struct at {line}",
    // Without them this file could not be built, or memory would have to run out.
    "cannot write a temporary file: {0}",
    "{0} is too large to be copied",
    "cannot run the C compiler `{command}`: {source}",
    "the preprocessed source is larger than 4 GiB",
    "cannot read response file '{0}': {1}",
    // With musl alone, which is not everywhere.
    "a function of the library",
    "`{some}` gives other results with musl than with the GNU C library, which pc3 has it from",
    "link the program with the GNU C library (-static if it is to run where that is not)",
    // The tests say where they are.
    "build the tree with 'cargo xtask dist', or set PC3_ROOT to it",
    // Of an object that the linker refuses, too.
    "it ends early",
    "its section headers",
    // The suite `links` looks for it.
    "'{object}' calls `{name}`, which the program defines: it comes to the C library's, not to the program's",
    "link its objects into the program if it is to come to the program's",
    // The compiler below says something of its own about that.
    "needs pointers that carry tags",
    // Never printed.
    "the compiler failed",
    "a code such as E0301",
    "derived types have declarators",
    "memory of its own",
    // Programs that are refused for something else first, as far as we know.
    "a function inside a function (GNU extension) is not supported",
    "and clang allows no jumps to where it is in scope",
    "`{}` is not defined here",
    "its size is that of `{}`, and it becomes a pointer to `{}`",
    "both functions can reach a location, and allocate for their callers",
    "it is handed out as something else",
    "what it ends with is handed out as something else",
    "the function hands it out again for something else",
    "{path} does not know the type `{}`: declare it there",
    // Code that is written: a declaration; assertions, which the compiler below would tell of.
    "unsigned long long {name}[{n}]",
    "pc3cc does not know the type of {place}",
    "pc3cc takes {what} for something else than the compiler",
    // Of a bug in pc3cc.
    "{text}pc3cc: error: the compiler accepts {name}, but not what pc3cc made of it: a bug in pc3cc\n  = help: please report it with {name} and what --emit=c prints\n",
];

/// The table's own descriptions, which the page of diagnostics explains; the help; what `--explain=heap` says; dumps for tests.
const FILES: &[&str] = &[
    "diag/codes.rs",
    "command/own.rs",
    "expressions/builtin_results.rs",
    "dump.rs",
    "heap/goes.rs",
    "heap/report.rs",
];

fn files(folder: &Path, ends: &str, all: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if path.is_dir() {
            files(&path, ends, all);
        } else if path.to_string_lossy().ends_with(ends) {
            all.push(path);
        }
    }
}

/// The program in front of a file's own tests, and those.
fn halves(source: &str) -> (&str, &str) {
    source.split_at(source.find("#[cfg(test)]\nmod ").unwrap_or(source.len()))
}

/// String literals, as they read.
fn literals(source: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let (before, here) = rest.split_at(at);
        rest = &here[1..];
        if here.starts_with("//") {
            rest = here.split_once('\n').map_or("", |l| l.1);
        } else if let Some(quoted) = here.strip_prefix('\'') {
            // A character, or a lifetime.
            let length = if quoted.starts_with('\\') { 2 } else { 1 };
            let end = quoted.char_indices().nth(length);
            rest = end.map_or("", |(i, c)| &quoted[if c == '\'' { i + 1 } else { 0 }..]);
        } else if let Some(quoted) = here.strip_prefix('"') {
            let raw = before.ends_with("r#");
            let mut text = String::new();
            let mut chars = quoted.char_indices();
            while let Some((i, c)) = chars.next() {
                match c {
                    '"' if !raw || quoted[i..].starts_with("\"#") => {
                        rest = &quoted[i + 1..];
                        break;
                    }
                    '\\' if !raw => match chars.next() {
                        Some((_, 'n')) => text.push('\n'),
                        Some((_, '\n')) => {
                            while quoted[chars.offset()..].starts_with(' ') {
                                chars.next();
                            }
                        }
                        Some((_, c)) => text.push(c),
                        None => {}
                    },
                    c => text.push(c),
                }
            }
            all.push(text);
        }
    }
    all
}

/// Does it read like a sentence, and not like C?
fn is_said(text: &str) -> bool {
    let c = [
        ";", "{{", "__", "pc3_", "sizeof(", "(void", "->", "../", " = {", "const ",
    ];
    let words = text.split(' ');
    let plain = |w: &&str| w.len() > 1 && w.bytes().all(|b| b.is_ascii_lowercase());
    let mut run = 0;
    let most = words
        .map(|w| {
            run = if plain(&w) { run + 1 } else { 0 };
            run
        })
        .max();
    most >= Some(3) && !c.iter().any(|c| text.contains(c))
}

/// The parts between what is filled in, in one line after one another.
fn is_shown(text: &str, lines: &[&str]) -> bool {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, more)) = rest.split_once('{') {
        parts.push(before);
        rest = more.split_once('}').map_or("", |m| m.1);
    }
    parts.push(rest);
    let first = parts.iter().flat_map(|p| p.lines()).next().unwrap_or("");
    let parts: Vec<&str> = parts.iter().flat_map(|p| p.lines().take(1)).collect();
    lines.iter().filter(|l| l.contains(first)).any(|line| {
        let mut line = *line;
        parts.iter().all(|p| match line.split_once(p) {
            Some((_, after)) => {
                line = after;
                true
            }
            None => false,
        })
    })
}

#[test]
fn every_text_is_shown() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut sources, mut tests) = (Vec::new(), Vec::new());
    for room in [
        ".",
        "syntax",
        "program",
        "libc",
        "portability",
        "instrument",
    ] {
        files(&here.join(room).join("src"), ".rs", &mut sources);
    }
    for (folder, ends) in [
        ("tests", ".stderr"),
        ("tests", ".rs"),
        ("portability/tests", ".rs"),
        ("../tests/suites", ".rs"),
    ] {
        files(&here.join(folder), ends, &mut tests);
    }
    tests.retain(|p| !p.ends_with("texts.rs"));
    let of_tests = |p: &PathBuf| p.to_string_lossy().ends_with("tests.rs");
    tests.extend(sources.iter().filter(|p| of_tests(p)).cloned());
    sources.retain(|p| !of_tests(p) && !FILES.iter().any(|f| p.ends_with(f)));
    let mut shown = String::new();
    for path in &tests {
        let text = fs::read_to_string(path).unwrap();
        shown += &match path.extension().is_some_and(|e| e == "rs") {
            true => literals(&text).join("\n") + "\n",
            false => text,
        };
    }
    let texts: Vec<String> = sources
        .iter()
        .map(|p| fs::read_to_string(p).unwrap())
        .collect();
    for text in &texts {
        shown += &(literals(halves(text).1).join("\n") + "\n");
    }
    let lines: Vec<&str> = shown.lines().collect();
    let mut missing = Vec::new();
    let mut all = 0;
    for (path, text) in sources.iter().zip(&texts) {
        let said = literals(halves(text).0);
        for text in said.iter().filter(|t| is_said(t)) {
            all += 1;
            if !is_shown(text, &lines) && !NOT_SHOWN.contains(&text.as_str()) {
                missing.push(format!("{}: {text:?}", path.display()));
            }
        }
    }
    assert!(all > 150, "{all} texts: the sources are read wrongly");
    assert!(missing.is_empty(), "no test shows\n{}", missing.join("\n"));
}
