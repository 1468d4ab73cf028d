//! `cargo xtask tidy`: the rules of the house, measured.
//!
//! Each rule has a goal. Where the tree does not meet it yet, `xtask/tidy.txt` has the most that is allowed, which is
//! what there was when that line was last changed: it may only fall.
//!
//! * `rust`: lengths of crates and functions, looks at the system, reading sources; `circles`: files that import each other.
//! * `unused`: what is needlessly `pub`; `terms`: words that others have taken the place of; `documents`: lengths and columns.

mod circles;
mod documents;
mod rust;
mod terms;
mod unused;

use std::collections::BTreeMap;
use std::fs;

use anyhow::{bail, Context, Result};

use crate::env;
use rust::Source;

/// One figure: of which rule, of what, and how much.
pub struct Figure {
    pub rule: &'static str,
    pub of: String,
    pub is: usize,
    /// Their names, where they are no mystery.
    pub names: Vec<String>,
}

/// The most that each rule wants to see.
const GOALS: [(&str, usize); 11] = [
    ("lines of a crate", 16_000),
    ("files of a folder", 15),
    ("functions of more than 100 lines", 0),
    ("files of the largest circle", 5),
    ("circles of three files or more", 3),
    ("public names given twice", 0),
    ("public and named by no other crate", 0),
    ("names that are no terms", 0),
    ("looks at the system outside of runtime/os", 0),
    ("lines of a document", 0),
    ("wide lines of a document", 0),
];

/// Rows of `xtask/tidy.txt`.
const EXCEPTIONS: usize = 10;

pub fn run() -> Result<()> {
    let allowed = allowed(&fs::read_to_string(list()).context("xtask/tidy.txt")?)?;
    let mut broken = 0;
    for f in measure()? {
        let goal = GOALS.iter().find(|(rule, _)| *rule == f.rule);
        let goal = goal.map_or(0, |(_, most)| *most);
        let most = allowed.get(&(f.rule.to_owned(), f.of.clone()));
        let most = most.copied().unwrap_or(goal).max(goal);
        if f.is > goal {
            println!(
                "{}: {}: {} (goal {goal}, allowed {most}) {}",
                f.rule,
                f.of,
                f.is,
                f.names.join(" ")
            );
        }
        if f.is > most {
            eprintln!(
                "error: {}: {}: {}, at most {most} allowed",
                f.rule, f.of, f.is
            );
            broken += 1;
        }
    }
    if broken > 0 {
        bail!("{broken} rules of the house are broken (goals: xtask/src/tidy/mod.rs; what is allowed: xtask/tidy.txt)");
    }
    Ok(())
}

fn measure() -> Result<Vec<Figure>> {
    let packages = rust::packages()?;
    let mut all = Vec::new();
    for package in &packages {
        measure_package(package, &mut all)?;
    }
    together("circles of three files or more", &mut all);
    for (of, names) in unused::measure(&packages)? {
        all.push(Figure::of_names(
            "public and named by no other crate",
            &of,
            names,
        ));
    }
    all.extend(documents::measure()?);
    Ok(all)
}

/// One figure for all crates.
fn together(rule: &'static str, all: &mut Vec<Figure>) {
    let is_of = |f: &Figure| f.rule == rule;
    let (of_crates, others) = std::mem::take(all)
        .into_iter()
        .partition::<Vec<_>, _>(is_of);
    let names = of_crates.into_iter().flat_map(|f| f.names).collect();
    *all = others;
    all.push(Figure::of_names(rule, "all crates", names));
}

impl Figure {
    fn new(rule: &'static str, of: &str, is: usize) -> Figure {
        Figure {
            rule,
            of: of.to_owned(),
            is,
            names: Vec::new(),
        }
    }

    fn of_names(rule: &'static str, of: &str, names: Vec<String>) -> Figure {
        Figure {
            is: names.len(),
            names,
            ..Figure::new(rule, of, 0)
        }
    }
}

fn measure_package(package: &rust::Package, all: &mut Vec<Figure>) -> Result<()> {
    let sources = rust::read(package)?;
    let of = &package.name;
    let lines = sources.iter().map(|s| s.lines).sum();
    all.push(Figure::new("lines of a crate", of, lines));
    for (folder, files) in folders(&sources) {
        all.push(Figure::new("files of a folder", &folder, files));
    }
    let long = sources.iter().flat_map(|s| &s.long).cloned().collect();
    all.push(Figure::of_names(
        "functions of more than 100 lines",
        of,
        long,
    ));
    let named = |circle: &Vec<usize>| -> Vec<String> {
        let files = circle.iter().map(|i| sources[*i].module.join("::"));
        files.collect()
    };
    let circles = circles::of_three_or_more(&sources);
    let largest = circles.first().map(named).unwrap_or_default();
    all.push(Figure::of_names("files of the largest circle", of, largest));
    let each = circles.iter().map(|c| named(c).join("+")).collect();
    all.push(Figure::of_names("circles of three files or more", of, each));
    let twice = rust::given_twice(&sources).into_iter();
    let twice = twice.map(str::to_owned).collect();
    all.push(Figure::of_names("public names given twice", of, twice));
    let ended = terms::ended(&sources);
    all.push(Figure::of_names("names that are no terms", of, ended));
    if is_walled(package) {
        let rule = "looks at the system outside of runtime/os";
        let looks = sources.iter().map(|s| s.system).sum();
        all.push(Figure::new(rule, of, looks));
    }
    Ok(())
}

/// Is it a part of the runtime that asks `runtime/os` for what the system decides?
fn is_walled(package: &rust::Package) -> bool {
    let runtime = env::root().join("runtime");
    package.folder.starts_with(&runtime) && !package.folder.starts_with(runtime.join("os"))
}

fn folders(sources: &[Source]) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for s in sources {
        let folder = s.path.parent().unwrap_or(&s.path).display().to_string();
        *all.entry(folder).or_insert(0) += 1;
    }
    all
}

fn list() -> std::path::PathBuf {
    env::root().join("xtask/tidy.txt")
}

/// `rule | of | most`, a line each; `#` begins a remark.
fn allowed(text: &str) -> Result<BTreeMap<(String, String), usize>> {
    let lines = text
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    let lines: Vec<&str> = lines.collect();
    if lines.len() > EXCEPTIONS {
        bail!(
            "xtask/tidy.txt: {} exceptions, at most {EXCEPTIONS}",
            lines.len()
        );
    }
    lines
        .into_iter()
        .map(|line| {
            let parts: Vec<&str> = line.split('|').map(str::trim).collect();
            let known = |rule| GOALS.iter().any(|(known, _)| *known == rule);
            match parts[..] {
                [rule, of, most, why] if known(rule) && !why.is_empty() => {
                    let most = most
                        .parse()
                        .with_context(|| format!("xtask/tidy.txt: {line}"))?;
                    Ok(((rule.to_owned(), of.to_owned()), most))
                }
                _ => bail!("xtask/tidy.txt: {line}"),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_is_read() {
        let text = "# head\nlines of a crate | pc3cc | 50000 | why\n";
        let key = ("lines of a crate".to_owned(), "pc3cc".to_owned());
        assert_eq!(allowed(text).unwrap()[&key], 50_000);
        assert!(allowed("lines of a crate | pc3cc | many | why").is_err());
        assert!(allowed("lines of a crat | pc3cc | 5 | why").is_err());
        assert!(allowed("lines of a crate | pc3cc | 5").is_err());
        assert!(allowed("pc3cc").is_err());
        assert!(allowed(&text.repeat(EXCEPTIONS + 1)).is_err());
    }

    #[test]
    fn the_rules_of_the_house_hold() {
        run().unwrap();
    }
}
