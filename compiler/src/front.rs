//! The front-end as the driver sees it: from commands and locations to typed trees.
//!
//! `preprocess` → `prefilter` → `parse` → `lower`; locations of the command line are an edit of
//! the text after which the last three run again.

use crate::diag::{Diagnostics, Severity};
use crate::locations::{apply, missing, Locations};
use crate::lower;
use crate::preprocess::{self, PreprocessError};
use crate::tree::Unit;
use crate::types::Target;
use std::process::Command;

/// The ABI a compiler compiles for; `command` prints its predefined macros (`CC ... -dM -E`).
pub fn target(command: &mut Command) -> Result<Target, PreprocessError> {
    let listing = preprocess::run(command)?;
    Ok(Target::from_macros(&preprocess::parse_macros(&listing)))
}

/// One source; `command` preprocesses it to its standard output.
pub fn unit(
    path: &str,
    command: &mut Command,
    target: &Target,
) -> Result<(Unit, Diagnostics), PreprocessError> {
    Ok(lower::build(path, preprocess::run(command)?, target))
}

/// Puts the locations of the command line into the units of a program.
pub fn place(units: Vec<Unit>, locations: &Locations) -> (Vec<Unit>, Diagnostics) {
    let mut found = vec![false; locations.at.len()];
    let mut diags = Diagnostics::default();
    let units: Vec<Unit> = units
        .into_iter()
        .map(|unit| {
            let applied = apply(&unit, locations);
            found
                .iter_mut()
                .zip(&applied.found)
                .for_each(|(all, here)| *all |= here);
            let Some(text) = applied.text else {
                return unit;
            };
            let (again, mut said) = lower::build(&unit.path, text, &unit.target);
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
        let (unit, diags) = unit(path, Command::new("cc").args(["-E", path]), &t).unwrap();
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
        let target = Target::default();
        assert!(unit("/nonexistent/a.c", &mut command, &target).is_err());
        assert!(unit("a.c", &mut Command::new("/nonexistent/cc"), &target).is_err());
    }
}
