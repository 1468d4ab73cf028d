//! The front-end as the driver sees it: from commands and locations to typed trees.
//!
//! `preprocess` → `prefilter` → `parse` → `lower`; locations of the command line are an edit of
//! the text after which the last three run again.

use crate::diag::{Diagnostics, Severity};
use crate::locations::{apply, missing, Locations};
use crate::lower;
use crate::parallel;
use crate::preprocess::{self, PreprocessError};
use crate::tree::Unit;
use crate::types::Target;
use std::path::Path;
use std::process::Command;

/// The ABI a compiler compiles for; `command` prints its predefined macros (`CC ... -dM -E`).
pub fn target(command: &mut Command) -> Result<Target, PreprocessError> {
    let listing = preprocess::run(command)?;
    Ok(Target::from_macros(&preprocess::parse_macros(&listing)))
}

/// One unit of preprocessed text; `base` goes in front of relative names of files in what users are told.
pub fn unit(path: &str, text: String, target: &Target, base: &Path) -> (Unit, Diagnostics) {
    let (mut unit, mut diags) = lower::build(path, text, target);
    unit.lines.set_base(base);
    for d in &mut diags.list {
        if let Some(place) = &mut d.at {
            place.position.file = unit.lines.seen(&place.position.file);
        }
    }
    (unit, diags)
}

/// Puts the locations of the command line into the units of a program; `whole` as in [`missing`].
/// `early`: which of them were in the text already, where that is known.
pub fn place(
    units: Vec<Unit>,
    locations: &Locations,
    early: &[Option<Vec<bool>>],
    whole: bool,
) -> (Vec<Unit>, Diagnostics) {
    let applied = parallel::map(&units, |i, unit| {
        if let Some(Some(found)) = early.get(i) {
            return (found.clone(), None);
        }
        let applied = apply(unit, locations);
        let again = applied
            .text
            .map(|text| self::unit(&unit.path, text, &unit.target, unit.lines.base()));
        (applied.found, again)
    });
    let mut found = vec![false; locations.at.len()];
    let mut diags = Diagnostics::default();
    let units: Vec<Unit> = (units.into_iter().zip(applied))
        .map(|(unit, (here, again))| {
            found.iter_mut().zip(here).for_each(|(all, f)| *all |= f);
            let Some((mut again, mut said)) = again else {
                return unit;
            };
            again.name = unit.name;
            // Warnings have been given for the text as it was.
            said.list.retain(|d| d.severity == Severity::Error);
            diags.extend(said);
            again
        })
        .collect();
    diags.extend(missing(
        &units.iter().collect::<Vec<_>>(),
        locations,
        &found,
        whole,
    ));
    (units, diags)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locations::Location;
    use crate::tree::StmtKind;

    #[test]
    fn from_a_file_to_placed_locations() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.c");
        std::fs::write(&file, "#include <stdio.h>\n#define N 3l\nint main(void) {\n  printf(\"%ld\", N);\n  return 0;\n}\n").unwrap();
        let path = file.to_str().unwrap();
        let t = target(Command::new("cc").args(["-dM", "-E", "-x", "c", "/dev/null"])).unwrap();
        assert_eq!(t.bits(crate::tree::IntKind::Int), 32);
        let text = preprocess::run(Command::new("cc").args(["-E", path])).unwrap();
        let (unit, diags) = unit(path, text, &t, Path::new(""));
        assert!(
            diags.list.is_empty(),
            "{}",
            diags.render(crate::diag::Format::Plain)
        );
        let at = ["main", "a.c:5", "a.c:99"]
            .map(|l| Location::parse(l).unwrap())
            .to_vec();
        let (units, diags) = place(
            vec![unit],
            &Locations {
                at,
                everywhere: false,
            },
            &[],
            true,
        );
        let points = units[0]
            .stmts
            .iter()
            .filter(|s| matches!(s.kind, StmtKind::Checkpoint))
            .count();
        assert_eq!(points, 2);
        assert_eq!(diags.list.len(), 1);
    }

    #[test]
    fn a_missing_source_is_an_error() {
        let mut command = Command::new("cc");
        command
            .args(["-E", "/nonexistent/a.c"])
            .stderr(std::process::Stdio::null());
        assert!(preprocess::run(&mut command).is_err());
        assert!(preprocess::run(&mut Command::new("/nonexistent/cc")).is_err());
    }
}
