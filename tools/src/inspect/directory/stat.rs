//! `pc3 stat`: what checkpoints take, and how much of the packs that they share they use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pc3_runtime::format::file::{FileError, Section};
use pc3_runtime::format::increments::codec::Codec;
use pc3_runtime::format::increments::pack::{padded, Pack};
use pc3_runtime::format::increments::table::{Table, PAGE};
use pc3_runtime::format::sections::Sections;

use super::list::table;
use crate::human;
use crate::inspect::find::{self, FindError};

/// Of a checkpoint.
#[derive(Default)]
struct Row {
    data: u64,
    /// Of that, what no checkpoint before had.
    new: u64,
    written: u64,
    chunks: u64,
    compressed: u64,
    patches: u64,
    packs: usize,
}

/// What lies in a pack that checkpoints name.
#[derive(Default)]
struct Used {
    /// By its offset: how much of the pack that takes.
    parts: BTreeMap<u64, u64>,
    by: BTreeSet<u64>,
}

type Packs = BTreeMap<Pack, Used>;

pub(in crate::inspect) fn stat(dir: &Path) -> Result<(String, bool), FindError> {
    let heads = [
        "ID",
        "DATA",
        "NEW",
        "SIZE",
        "CHUNKS",
        "COMPRESSED",
        "PATCHES",
        "PACKS",
    ];
    let mut rows = vec![heads.map(str::to_owned)];
    let (mut packs, mut bad) = (Packs::new(), String::new());
    for (id, path) in find::all(dir)? {
        let looked = Sections::open(&path).and_then(|s| look(&s, &mut packs));
        match looked {
            Ok(row) => rows.push(row.cells(id)),
            Err(error) => bad.push_str(&format!("{}: {error}\n", path.display())),
        }
    }
    let mut out = table(&rows);
    if !packs.is_empty() {
        out.push('\n');
        out.push_str(&of_packs(dir, &packs));
    }
    out.push_str(&bad);
    Ok((out, bad.is_empty()))
}

fn look(sections: &Sections, packs: &mut Packs) -> Result<Row, FileError> {
    let mut row = Row {
        data: sections.data()?,
        written: sections.size(),
        packs: sections.packs()?.len(),
        ..Row::default()
    };
    let mut counted = BTreeSet::new();
    for entry in &sections.entries {
        match (entry.section, sections.chunks(entry.rank)?) {
            (Section::Data, _) => row.new += entry.length,
            (Section::Chunks, Some(table)) => {
                row.add(&table, sections.id, packs, &mut counted);
            }
            _ => {}
        }
    }
    Ok(row)
}

impl Row {
    /// `counted`: where what was new to ranks before lies.
    fn add(
        &mut self,
        table: &Table,
        id: u64,
        packs: &mut Packs,
        counted: &mut BTreeSet<(Pack, u64)>,
    ) {
        for chunk in table.chunks() {
            self.chunks += 1;
            self.compressed += u64::from(chunk.codec != Codec::Raw);
            self.patches += chunk.patches.len() as u64;
            let base = (&chunk.at, chunk.length, chunk.stored as usize);
            let pages = chunk.patches.iter().map(|(_, at)| (at, PAGE as u32, PAGE));
            for (at, length, stored) in pages.chain([base]) {
                let used = packs.entry(at.pack).or_default();
                used.parts.insert(at.offset, padded(stored));
                used.by.insert(id);
                if at.pack.checkpoint == id && counted.insert((at.pack, at.offset)) {
                    self.new += u64::from(length);
                }
            }
        }
    }

    fn cells(&self, id: u64) -> [String; 8] {
        let share = 100.0 * self.new as f64 / (self.data as f64).max(1.0);
        let count = |n: u64| match self.chunks {
            0 => "-".to_owned(),
            _ => n.to_string(),
        };
        [
            id.to_string(),
            human::bytes(self.data),
            format!("{} ({share:.1} %)", human::bytes(self.new)),
            human::bytes(self.written),
            count(self.chunks),
            count(self.compressed),
            count(self.patches),
            count(self.packs as u64),
        ]
    }
}

fn of_packs(dir: &Path, packs: &Packs) -> String {
    let mut rows = vec![["PACK", "SIZE", "IN USE", "CHECKPOINTS"].map(str::to_owned)];
    let (mut all, mut alive) = (0, 0);
    for (pack, used) in packs {
        let name = pack.file_name();
        let length = dir.join(&name).metadata().ok().map(|m| m.len());
        let bytes: u64 = used.parts.values().sum();
        all += length.unwrap_or(0);
        alive += bytes;
        let there = length.map_or("missing".to_owned(), human::bytes);
        rows.push([name, there, human::bytes(bytes), ids(&used.by)]);
    }
    let count = format!("{} in all", packs.len());
    rows.push([count, human::bytes(all), human::bytes(alive), String::new()]);
    table(&rows)
}

/// `3-5, 7`.
fn ids(ids: &BTreeSet<u64>) -> String {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for id in ids {
        match ranges.last_mut() {
            Some(last) if last.1 + 1 == *id => last.1 = *id,
            _ => ranges.push((*id, *id)),
        }
    }
    let text = |(first, last): &(u64, u64)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    let all: Vec<String> = ranges.iter().map(text).collect();
    all.join(", ")
}
