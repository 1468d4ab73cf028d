//! `cargo xtask tidy`: the rules of the house, measured.
//!
//! Each rule has a goal. Where the tree does not meet it yet, `xtask/tidy.txt` has the most that is allowed, which is
//! what there was when that line was last changed: it may only fall.

mod circles;
mod documents;
mod rust;

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
}

/// The most that each rule wants to see.
const GOALS: [(&str, usize); 8] = [
    ("lines of a crate", 16_000),
    ("files of a folder", 15),
    ("functions of more than 100 lines", 0),
    ("files of the largest circle", 5),
    ("public names given twice", 0),
    ("looks at the system outside of runtime/os", 0),
    ("lines of a document", 0),
    ("wide lines of a document", 0),
];

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
                "{}: {}: {} (goal {goal}, allowed {most})",
                f.rule, f.of, f.is
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
    let mut all = Vec::new();
    for package in rust::packages()? {
        let sources = rust::read(&package)?;
        let figure = |rule, of: &str, is| Figure {
            rule,
            of: of.to_owned(),
            is,
        };
        let lines = sources.iter().map(|s| s.lines).sum();
        all.push(figure("lines of a crate", &package.name, lines));
        for (folder, files) in folders(&sources) {
            all.push(figure("files of a folder", &folder, files));
        }
        let long: Vec<_> = sources.iter().flat_map(|s| &s.long).collect();
        all.push(figure(
            "functions of more than 100 lines",
            &package.name,
            long.len(),
        ));
        let circle = circles::largest(&sources).len();
        all.push(figure("files of the largest circle", &package.name, circle));
        let twice = rust::given_twice(&sources).len();
        all.push(figure("public names given twice", &package.name, twice));
        if is_walled(&package) {
            let rule = "looks at the system outside of runtime/os";
            let looks = sources.iter().map(|s| s.system).sum();
            all.push(figure(rule, &package.name, looks));
        }
    }
    all.extend(documents::measure()?);
    Ok(all)
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
    lines
        .map(|line| {
            let parts: Vec<&str> = line.split('|').map(str::trim).collect();
            match parts[..] {
                [rule, of, most] if GOALS.iter().any(|(known, _)| *known == rule) => {
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
        let text = "# why\nlines of a crate | pc3cc | 50000\n";
        let key = ("lines of a crate".to_owned(), "pc3cc".to_owned());
        assert_eq!(allowed(text).unwrap()[&key], 50_000);
        assert!(allowed("lines of a crate | pc3cc | many").is_err());
        assert!(allowed("lines of a crat | pc3cc | 5").is_err());
        assert!(allowed("pc3cc").is_err());
    }

    #[test]
    fn the_rules_of_the_house_hold() {
        run().unwrap();
    }
}
