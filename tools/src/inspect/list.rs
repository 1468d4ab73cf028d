//! `pc3 ls`.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

use pc3_runtime::format::file::Section;
use pc3_runtime::format::read::Checkpoint;
use pc3_runtime::store;

use super::find::{self, FindError};
use crate::units;

pub(super) fn list(dir: &Path) -> Result<String, FindError> {
    let mut rows = vec![[
        "ID",
        "TIME (UTC)",
        "PROGRAM",
        "RANKS",
        "ABI",
        "SIZE",
        "STATE",
    ]
    .map(str::to_owned)];
    let given_up = store::given_up(dir);
    for (id, path) in find::all(dir)? {
        let size = path.metadata().map_or(0, |m| m.len());
        let row = match look(&path, size) {
            Ok(c) => {
                let job = &c.job;
                let (time, abi) = (units::utc(job.time), job.abi.name.to_string());
                [
                    id.to_string(),
                    time,
                    job.program.clone(),
                    job.ranks.to_string(),
                    abi,
                    units::bytes(size),
                    if given_up.contains(&id) {
                        "complete, given up".to_owned()
                    } else {
                        "complete".to_owned()
                    },
                ]
            }
            Err(error) => {
                let none = || "-".to_owned();
                [
                    id.to_string(),
                    none(),
                    none(),
                    none(),
                    none(),
                    units::bytes(size),
                    error,
                ]
            }
        };
        rows.push(row);
    }
    let mut out = table(&rows);
    if let Ok(Some(holder)) = store::holder(dir) {
        let _ = writeln!(out, "in use by process {}", holder.pid);
    }
    Ok(out)
}

/// Files up to this size are read as a whole, others as far as their directories go.
const SMALL: u64 = 64 << 20;

fn look(path: &Path, size: u64) -> Result<Checkpoint, String> {
    let checkpoint = Checkpoint::open(path).map_err(|e| e.to_string())?;
    let whole = match size <= SMALL {
        true => checkpoint.verify(),
        false => checkpoint.directories(),
    };
    whole.map_err(|e| e.to_string())?;
    let entries = checkpoint.sections.entries.iter();
    let present: HashSet<(u64, bool)> = entries
        .filter(|e| matches!(e.section, Section::Rank | Section::Data))
        .map(|e| (e.rank, e.section == Section::Rank))
        .collect();
    match (0..checkpoint.job.ranks)
        .find(|&r| !present.contains(&(r, true)) || !present.contains(&(r, false)))
    {
        Some(rank) => Err(format!("damaged: rank {rank} is missing")),
        None => Ok(checkpoint),
    }
}

fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| {
        rows.iter()
            .map(|r| r[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let _ = write!(line, "{cell:<width$}  ", width = width(column));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
