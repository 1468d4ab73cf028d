//! Locations of the command line that no unit contains: what the user may have meant.

use super::{same_file, Insertions, Location, Locations};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::tree::*;

/// What is said of locations that no unit contains: errors where one is like what is there, a warning where it has nothing
/// to do with these units, since it may be meant for another program of the same build.
/// `whole`: there are no other units in this program.
pub fn missing(units: &[&Unit], locations: &Locations, found: &[bool], whole: bool) -> Diagnostics {
    let elsewhere = |d: Diagnostic| {
        Diagnostic::warning(Code::LocationElsewhere, d.message)
            .help("it may be meant for another program of the same build")
    };
    let mut diags = Diagnostics::default();
    for (l, _) in locations.at.iter().zip(found).filter(|(_, f)| !**f) {
        let d = match l {
            Location::Function(name) => {
                let near = near_functions(units, name);
                let d = Diagnostic::error(
                    Code::NoSuchLocation,
                    format!("--checkpoint-at={name}: no source defines a function `{name}`"),
                );
                if !whole || near.is_empty() {
                    elsewhere(d)
                } else {
                    d.help(format!("did you mean {}?", near.join(", ")))
                }
            }
            Location::Line { file, line } => {
                let d = Diagnostic::error(
                    Code::NoSuchLocation,
                    format!(
                        "--checkpoint-at={file}:{line}: no statement of a function stands there"
                    ),
                );
                match near_lines(units, file, *line) {
                    Some(help) => d.help(help),
                    None => elsewhere(d),
                }
            }
        };
        diags.push(d);
    }
    diags
}

fn near_functions(units: &[&Unit], name: &str) -> Vec<String> {
    let mut all: Vec<(usize, &str)> = units
        .iter()
        .flat_map(|u| {
            u.functions
                .iter()
                .filter(|f| !u.lines.is_system(f.span.start))
                .map(|f| u.sym(f.sym).name.as_str())
        })
        .map(|n| (distance(n, name), n))
        .filter(|(d, _)| *d <= likeness(name))
        .collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter()
        .take(3)
        .map(|(_, n)| format!("`{n}`"))
        .collect()
}

fn near_lines(units: &[&Unit], file: &str, line: u32) -> Option<String> {
    let mut lines: Vec<u32> = Vec::new();
    for u in units {
        for (s, _) in Insertions::new(u).list {
            let p = u.lines.position(u.stmt(s).span.start);
            if same_file(&u.lines.seen(&p.file), file) {
                lines.push(p.line);
            }
        }
    }
    let (first, last) = (*lines.iter().min()?, *lines.iter().max()?);
    let nearest = lines.iter().min_by_key(|l| l.abs_diff(line))?;
    Some(format!(
        "statements of {file} start on lines {first} to {last}; the nearest on line {nearest}"
    ))
}

/// How many letters differ in a misspelling.
fn likeness(name: &str) -> usize {
    match name.len() {
        0..=3 => 1,
        n => 2.max(n / 3),
    }
}

/// Edit distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, cb) in b.iter().enumerate() {
            let cost = diagonal + (ca != *cb) as usize;
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
