//! The table of what the C library remembers against the library itself, and against what the compiler and the tests have.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use pc3_libc as library;
use pc3_libc::state::{self, How};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What programs can be linked with; those that only older programs have are left out.
fn exported(library: &str) -> Option<BTreeSet<String>> {
    let path = format!("/lib/x86_64-linux-gnu/{library}.so.6");
    let out = Command::new("nm")
        .args(["-D", "--defined-only", &path])
        .output()
        .ok()?;
    let text = String::from_utf8(out.stdout)
        .ok()
        .filter(|t| !t.is_empty())?;
    let names = text.lines().filter_map(|l| l.split_whitespace().nth(2));
    Some(
        names
            .filter_map(|n| Some(n.split_once("@@")?.0.to_owned()))
            .collect(),
    )
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    lines.flat_map(str::split_whitespace)
}

/// `*` stands for any characters.
fn is_like(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            (0..=name.len()).any(|i| name.get(i..).is_some_and(|end| is_like(end, rest)))
        }),
    }
}

fn names() -> BTreeSet<&'static str> {
    state::table()
        .iter()
        .flat_map(|e| e.names.iter().copied())
        .collect()
}

#[test]
fn all_lines_are_read() {
    let text = include_str!("../libc/library/state.table");
    let lines = text
        .lines()
        .filter(|l| l.contains('|') && !l.starts_with("# "));
    assert_eq!(lines.count(), state::table().len());
    for e in state::table() {
        let told = !matches!(
            e.how,
            How::Unit | How::Calls | How::Asked | How::Memory | How::None | How::Never
        );
        assert!(
            !told || e.what.is_some() || matches!(e.how, How::Seen | How::Descriptor),
            "{e:?}"
        );
        assert!(!e.why.is_empty(), "{e:?}");
    }
    assert!(names().len() >= 300);
}

#[test]
fn nothing_of_the_library_is_in_neither_table() {
    let (Some(libc), Some(libm)) = (exported("libc"), exported("libm")) else {
        println!("skipped: no GNU C library for x86-64, or no nm, here");
        return;
    };
    let stateless: Vec<&str> = words(include_str!("../libc/library/stateless.table")).collect();
    let names = names();
    let known = |n: &&String| names.contains(n.as_str()) || stateless.iter().any(|p| is_like(n, p));
    let left: Vec<&String> = libc
        .iter()
        .filter(|n| !known(n) && !libm.contains(*n))
        .collect();
    assert!(
        left.is_empty(),
        "neither in state.table nor in stateless.table: {left:?}"
    );
    // Macros, and functions that each program has its own of.
    let own = [
        "at_quick_exit",
        "atexit",
        "cfree",
        "pthread_atfork",
        "sigsetjmp",
    ];
    let gone: Vec<_> = names
        .iter()
        .filter(|n| !libc.contains(**n) && !libm.contains(**n) && !own.contains(n))
        .collect();
    assert!(gone.is_empty(), "not in the library: {gone:?}");
    let idle: Vec<_> = stateless
        .iter()
        .filter(|p| !libc.iter().any(|n| is_like(n, p)))
        .collect();
    assert!(idle.is_empty(), "nothing is like: {idle:?}");
}

#[test]
fn units_are_what_the_table_says() {
    let own: BTreeSet<&str> = library::names().collect();
    let said: BTreeSet<&str> = state::table()
        .iter()
        .filter(|e| e.how == How::Unit)
        .flat_map(|e| e.names.iter().copied())
        .collect();
    // Units that are no state of the library's: what calls back, other libraries, allocation.
    let others = [
        "qsort",
        "bsearch",
        "strdup",
        "strndup",
        "asprintf",
        "vasprintf",
        "getline",
        "getdelim",
        "__getdelim",
        "fork",
    ];
    let missing: Vec<_> = own
        .iter()
        .filter(|n| !said.contains(*n) && !others.contains(n) && !n.starts_with("omp_"))
        // What prints, checked.
        .filter(|n| !n.ends_with("printf_chk"))
        .collect();
    assert!(
        missing.is_empty(),
        "units of which the table says nothing: {missing:?}"
    );
    let without: Vec<_> = said.iter().filter(|n| !own.contains(*n)).collect();
    assert!(without.is_empty(), "no unit has: {without:?}");
}

/// Is it there as a word?
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(i, _)| !text[..i].ends_with(part) && !text[i + word.len()..].starts_with(part))
}

#[test]
fn each_has_a_test_or_a_reason() {
    let mut files: BTreeMap<&str, String> = BTreeMap::new();
    let mut wrong = Vec::new();
    for e in state::table() {
        let (paths, reason) = e.why.split_once('"').unwrap_or((e.why, ""));
        let paths: Vec<&str> = paths.split_whitespace().collect();
        for path in &paths {
            let read = || std::fs::read_to_string(root().join(path)).unwrap_or_default();
            if files.entry(path).or_insert_with(read).is_empty() {
                wrong.push(format!("there is no {path}"));
            }
        }
        if paths.is_empty() && !reason.is_empty() {
            continue;
        }
        for name in &e.names {
            // `NAME, NAME: why` speaks of these alone, anything else of all that no test has.
            let about = reason.split_once(':').map_or(reason, |r| r.0);
            let listed =
                reason.contains(':') && about.split(", ").all(|w| w.split(' ').count() == 1);
            let excused = !reason.is_empty() && (!listed || about.split(", ").any(|n| n == *name));
            let shown = paths.iter().any(|p| has_word(&files[p], name));
            if !shown && !excused {
                wrong.push(format!("{name}: no test, no reason"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
