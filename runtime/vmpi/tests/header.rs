//! mpi.h declares what exists, and nothing else; its constants are the ABI's that the library uses.

#![allow(clippy::unwrap_used)]

use pc3_vmpi::datatype::basic::{Basic, PAIRS};
use pc3_vmpi::error::describe;
use pc3_vmpi::op::Predef;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn header() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../include/mpi.h")).unwrap()
}

/// Names of the form MPI_Xxx that follow `before` on their line.
fn names(text: &str, before: &[&str]) -> BTreeSet<String> {
    let name = |s: &str| Some(s.split_once('(')?.0.to_string());
    text.lines()
        .filter_map(|l| before.iter().find_map(|b| l.trim_start().strip_prefix(b)))
        .filter_map(name)
        .filter(|n| n.starts_with("MPI_"))
        .collect()
}

fn sources() -> String {
    below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("api/src"))
}

/// What the files of a folder and of those in it have.
fn below(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    let text = |path: PathBuf| match path.is_dir() {
        true => below(&path),
        false => fs::read_to_string(path).unwrap(),
    };
    entries.map(text).collect()
}

#[test]
fn declared_is_defined() {
    let declared = names(
        &header(),
        &[
            "int ",
            "double ",
            "MPI_Aint ",
            "MPI_Fint ",
            "MPI_Comm ",
            "MPI_Datatype ",
            "MPI_Group ",
            "MPI_Op ",
            "MPI_Request ",
            "MPI_Message ",
            "MPI_Errhandler ",
            "MPI_Info ",
            "MPI_File ",
            "MPI_Win ",
            "MPI_Session ",
        ],
    );
    assert!(declared.len() > 200);
    // Macros list several functions by name.
    let all = sources();
    let words: BTreeSet<&str> = all
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let missing: Vec<_> = declared
        .iter()
        .filter(|n| !words.contains(n.as_str()))
        .collect();
    assert!(missing.is_empty(), "declared, not defined: {missing:?}");
    let text = header();
    let profiled: BTreeSet<String> = text
        .split("PC3_P(")
        .filter_map(|s| Some(s.split_once(')')?.0.to_string()))
        .filter(|n| n.starts_with("MPI_"))
        .collect();
    let differ: Vec<_> = profiled.symmetric_difference(&declared).collect();
    assert!(differ.is_empty(), "without one of two names: {differ:?}");
    let defined = names(
        &all,
        &["pub unsafe extern \"C\" fn ", "pub extern \"C\" fn "],
    );
    let hidden: Vec<_> = defined.difference(&declared).collect();
    assert!(hidden.is_empty(), "defined, not declared: {hidden:?}");
}

#[test]
fn constants_are_the_same() {
    let text = header();
    let mut values = BTreeMap::new();
    for l in text.lines() {
        let mut words = l.split_whitespace();
        if let (Some("#define"), Some(name), Some(value)) =
            (words.next(), words.next(), words.next())
        {
            let digits = value.rsplit(')').find(|w| !w.is_empty()).unwrap_or("");
            let n = match digits.strip_prefix("0x") {
                Some(hex) => i64::from_str_radix(hex, 16),
                None => digits.trim_matches('(').parse(),
            };
            if let Ok(n) = n {
                values.insert(name.to_string(), n);
            }
        }
    }
    let basics = Basic::ALL.into_iter().map(|b| (b.name(), b as i64));
    let pairs = PAIRS.into_iter().map(|p| (p.1, p.0 as i64));
    let ops = (0..0x40)
        .filter_map(Predef::from_handle)
        .map(|p| (p.name(), p as i64));
    let errors = (0..100).filter_map(|c| Some((describe(c)?.0, i64::from(c))));
    let mut n = 0;
    for (name, value) in basics.chain(pairs).chain(ops).chain(errors) {
        assert_eq!(values.get(name), Some(&value), "{name}");
        n += 1;
    }
    assert!(n > 100);
}

/// Functions, constants and types of MPI 5.0's ABI for C, by name.
const STANDARD: &str = include_str!("data/mpi-5.0.txt");

#[test]
fn nothing_of_the_standard_is_missing() {
    let text = header();
    let words: BTreeSet<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let standard: Vec<&str> = STANDARD.lines().collect();
    assert!(standard.len() > 1000);
    let missing: Vec<_> = standard.iter().filter(|n| !words.contains(**n)).collect();
    assert!(missing.is_empty(), "not in mpi.h: {missing:?}");
}
