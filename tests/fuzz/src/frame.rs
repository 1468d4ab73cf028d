//! A checkpoint file as its sections, and back, with checksums that are right.

use anyhow::{Context, Result};
use fastrand::Rng;
use xxhash_rust::xxh3::xxh3_64;

const HEADER: usize = 64;
const ENTRY: usize = 40;
const TRAILER: usize = 48;

pub struct Section {
    kind: u64,
    rank: u64,
    pub bytes: Vec<u8>,
}

pub struct Frame {
    /// Magic, version, id.
    head: Vec<u8>,
    pub sections: Vec<Section>,
}

fn number(bytes: &[u8], at: usize) -> Result<u64> {
    let eight = bytes.get(at..at + 8).context("too short")?;
    Ok(u64::from_le_bytes(eight.try_into()?))
}

impl Frame {
    pub fn of(file: &[u8]) -> Result<Frame> {
        let trailer = file.len().checked_sub(TRAILER).context("too short")?;
        let (table, count) = (number(file, trailer)?, number(file, trailer + 8)?);
        let section = |i: u64| {
            let at = table as usize + i as usize * ENTRY;
            let [kind, rank, from, length] = [0, 8, 16, 24].map(|o| number(file, at + o));
            let (from, length) = (from? as usize, length? as usize);
            let bytes = file.get(from..from + length).context("a section")?;
            Ok(Section {
                kind: kind?,
                rank: rank?,
                bytes: bytes.to_vec(),
            })
        };
        Ok(Frame {
            head: file.get(..24).context("too short")?.to_vec(),
            sections: (0..count).map(section).collect::<Result<_>>()?,
        })
    }

    pub fn file(&self) -> Vec<u8> {
        let mut out = self.head.clone();
        out.resize(HEADER - 8, 0);
        out.extend(xxh3_64(&out).to_le_bytes());
        let mut table = Vec::new();
        let add =
            |to: &mut Vec<u8>, all: &[u64]| all.iter().for_each(|v| to.extend(v.to_le_bytes()));
        for s in &self.sections {
            let place = [out.len() as u64, s.bytes.len() as u64, xxh3_64(&s.bytes)];
            add(&mut table, &[s.kind, s.rank]);
            add(&mut table, &place);
            out.extend(&s.bytes);
            out.resize(out.len().next_multiple_of(HEADER), 0);
        }
        let (at, count) = (out.len() as u64, self.sections.len() as u64);
        out.extend(&table);
        let mut trailer = Vec::new();
        let length = (out.len() + TRAILER) as u64;
        add(&mut trailer, &[at, count, xxh3_64(&table), length]);
        let hash = xxh3_64(&trailer);
        add(&mut trailer, &[hash]);
        out.extend(trailer);
        out.extend(b"PC3CEND\n");
        out
    }

    /// A section is not there, is there twice, or says that it is another.
    pub fn disturb(&mut self, some: usize, rng: &mut Rng) {
        let section = &mut self.sections[some];
        match rng.u8(..5) {
            0 => drop(self.sections.remove(some)),
            1 => section.kind = rng.u64(..20),
            2 => section.rank = rng.choice([1, 2, u64::MAX]).unwrap_or(0),
            3 => {
                let bytes = section.bytes.clone();
                let rank = section.rank + rng.u64(..2);
                let kind = section.kind;
                self.sections.push(Section { kind, rank, bytes });
            }
            _ => self.head[8] = rng.u8(..5),
        }
    }
}
