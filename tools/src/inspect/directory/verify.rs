//! `pc3 verify`: every checksum, then everything that must fit together. Names all that is damaged.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use pc3_runtime::format::read::Checkpoint;
use pc3_runtime::format::sections::Sections;

use crate::human;

pub(in crate::inspect) fn verify(files: &[PathBuf]) -> (String, bool) {
    let mut out = String::new();
    let mut good = true;
    for path in files {
        let name = path.display();
        let result = check(path);
        good &= result.is_ok();
        let _ = match result {
            Ok(what) => writeln!(out, "{name}: good ({what})"),
            Err(damages) => damages
                .iter()
                .try_for_each(|d| writeln!(out, "{name}: {d}")),
        };
    }
    (out, good)
}

fn check(path: &Path) -> Result<String, Vec<String>> {
    let one = |e: String| vec![e];
    let sections = Sections::open(path).map_err(|e| one(e.to_string()))?;
    let mut damages = Vec::new();
    for e in &sections.entries {
        let loaded = sections.load(e.section, e.rank);
        damages.extend(loaded.err().map(|e| e.to_string()));
    }
    if !damages.is_empty() {
        return Err(damages);
    }
    let checkpoint = Checkpoint::open(path).map_err(|e| one(e.to_string()))?;
    let ranks = checkpoint.job.ranks;
    for rank in 0..ranks {
        let lost = checkpoint.lost(rank).unwrap_or_default();
        match lost.is_empty() {
            true => damages.extend(checkpoint.rank(rank).err().map(|e| e.to_string())),
            false => damages.extend(lost.iter().map(|l| format!("damaged: {l}"))),
        }
    }
    if damages.is_empty() {
        let size = human::written(&checkpoint.sections);
        Ok(format!(
            "checkpoint {}, {ranks} rank{}, {size}",
            checkpoint.id(),
            if ranks == 1 { "" } else { "s" }
        ))
    } else {
        Err(damages)
    }
}
