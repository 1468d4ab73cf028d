//! `pc3 ls`.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

use pc3_runtime::format::file::Section;
use pc3_runtime::format::read::Checkpoint;
use pc3_runtime::format::sections;
use pc3_runtime::store;

use crate::human;
use crate::inspect::find::{self, FindError};

pub(in crate::inspect) fn list(dir: &Path) -> Result<String, FindError> {
    let mut rows = vec![[
        "ID",
        "TIME (UTC)",
        "PROGRAM",
        "RANKS",
        "ABI",
        "DATA",
        "SIZE",
        "STATE",
    ]
    .map(str::to_owned)];
    let all = find::all(dir)?;
    let heads = |c: Checkpoint| {
        let (job, size) = (&c.job, human::bytes(c.sections.size()));
        let data = c.sections.data().map_or("-".to_owned(), human::bytes);
        let (time, abi) = (human::utc(job.time), job.abi.name.to_string());
        let (program, ranks) = (job.program.clone(), job.ranks.to_string());
        [time, program, ranks, abi, data, size]
    };
    let looked: Vec<(u64, Result<[String; 6], String>)> = all
        .iter()
        .map(|(id, path)| (*id, look(path).map(heads)))
        .collect();
    let given_up = store::given_up(dir);
    let is_good = |id: u64| looked.iter().any(|l| l.0 == id && l.1.is_ok());
    let next = store::in_order_of_restart(&all, &given_up).find(|(id, _)| is_good(*id));
    let next = next.map(|(id, _)| *id);
    // Where the job's course has none, a restart falls back to what was given up.
    let falls_back = next.is_some_and(|id| given_up.contains(&id));
    let state = |id: u64| match given_up.contains(&id) {
        true if falls_back && given_up.start == 1 => "complete, of an earlier run",
        true if !falls_back => "complete, given up",
        _ => "complete",
    };
    for ((id, look), (_, path)) in looked.into_iter().zip(&all) {
        let (heads, state) = match look {
            Ok(heads) => (heads, state(id).to_owned()),
            Err(error) => {
                let size = human::bytes(sections::size(path));
                (["-", "-", "-", "-", "-", &size].map(str::to_owned), error)
            }
        };
        let [time, program, ranks, abi, data, size] = heads;
        let id = id.to_string();
        rows.push([id, time, program, ranks, abi, data, size, state]);
    }
    let mut out = table(&rows);
    if let Some(id) = next.filter(|_| falls_back && given_up.start == 1) {
        let _ = writeln!(
            out,
            "the last run to begin here has no checkpoint yet: a restart goes on from {id}"
        );
    }
    if let Ok(Some(holder)) = store::holder(dir) {
        let _ = writeln!(out, "in use by process {}", holder.pid);
    }
    Ok(out)
}

/// Files up to this size are read as a whole, others as far as their directories go.
const SMALL: u64 = 64 << 20;

fn look(path: &Path) -> Result<Checkpoint, String> {
    let checkpoint = Checkpoint::open(path).map_err(|e| e.to_string())?;
    let whole = match checkpoint.sections.size() <= SMALL {
        true => checkpoint.verify(),
        false => checkpoint.directories(),
    };
    whole.map_err(|e| e.to_string())?;
    let entries = checkpoint.sections.entries.iter();
    let present: HashSet<(u64, bool)> = entries
        .filter(|e| matches!(e.section, Section::Rank | Section::Data | Section::Chunks))
        .map(|e| (e.rank, e.section == Section::Rank))
        .collect();
    match (0..checkpoint.job.ranks)
        .find(|&r| !present.contains(&(r, true)) || !present.contains(&(r, false)))
    {
        Some(rank) => Err(format!("damaged: rank {rank} is missing")),
        None => Ok(checkpoint),
    }
}

pub(super) fn table<const N: usize>(rows: &[[String; N]]) -> String {
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
