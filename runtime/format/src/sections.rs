//! Reading a checkpoint file: its frame is checked as it is opened, each section as it is loaded.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use xxhash_rust::xxh3::xxh3_64;

use pc3_os::own::high;

use super::bytes::Decoder;
use super::file::{
    damaged, padding, Entry, FileError, Section, END_MAGIC, ENTRY, HEADER, INCREMENTS, MAGIC,
    SECTIONS, TOGETHER, TRAILER, VERSION,
};
use super::increments::load::{Lost, Packs};
use super::increments::pack::Pack;
use super::increments::table::{decode_packs, Table};
use super::mapping::Mapping;
use super::memory_reserve;

/// An opened file whose header, section table and trailer were checked.
#[derive(Debug)]
pub struct Sections {
    file: File,
    pub id: u64,
    pub length: u64,
    pub entries: Vec<Entry>,
    /// Their indices, by section and rank.
    sorted: Vec<usize>,
    /// Whose checksums were found right: one look at each section is enough.
    checked: Vec<AtomicBool>,
    /// Likewise of the chunks that they list.
    whole: Vec<AtomicBool>,
    packs: Packs,
}

/// Bytes that have been written for a checkpoint, as far as it can be read.
pub fn size(path: &Path) -> u64 {
    match Sections::open(path) {
        Ok(sections) => sections.size(),
        Err(_) => path.metadata().map_or(0, |m| m.len()),
    }
}

/// The names of the packs that these checkpoints name; or the first that cannot be read.
pub fn packs_of<'a>(
    files: impl Iterator<Item = &'a Path>,
) -> Result<BTreeSet<String>, (PathBuf, FileError)> {
    let mut names = BTreeSet::new();
    for path in files {
        let packs = Sections::open(path).and_then(|s| s.packs());
        let packs = packs.map_err(|e| (path.to_owned(), e))?;
        names.extend(packs.iter().map(Pack::file_name));
    }
    Ok(names)
}

impl Sections {
    pub fn open(path: &Path) -> Result<Sections, FileError> {
        let mut file = high(File::open(path)?);
        let length = file.metadata()?.len();
        let mut header = [0; HEADER as usize];
        read_at(&mut file, 0, &mut header).map_err(short("the header"))?;
        let mut d = Decoder::new(&header, "header");
        if d.take(8)? != MAGIC {
            return Err(FileError::Magic);
        }
        let version = d.u64()?;
        let id = d.u64()?;
        let stored = u64::from_le_bytes(header[56..].try_into().map_err(|_| FileError::Magic)?);
        if stored != xxh3_64(&header[..56]) {
            return Err(damaged("header"));
        }
        if !(TOGETHER..=VERSION).contains(&version) {
            return Err(FileError::Version(version));
        }
        let entries = read_table(&mut file, length)?;
        let newer = |s: Section| matches!(s, Section::Chunks | Section::Packs);
        if version < INCREMENTS && entries.iter().any(|e| newer(e.section)) {
            return Err(damaged("section table"));
        }
        check_layout(&mut file, length, &entries)?;
        let mut sorted: Vec<usize> = (0..entries.len()).collect();
        sorted.sort_by_key(|i| (entries[*i].section, entries[*i].rank));
        Ok(Sections {
            file,
            id,
            length,
            sorted,
            checked: entries.iter().map(|_| AtomicBool::new(false)).collect(),
            whole: entries.iter().map(|_| AtomicBool::new(false)).collect(),
            packs: Packs::of(path.parent().unwrap_or(Path::new("."))),
            entries,
        })
    }

    pub fn find(&self, section: Section, rank: u64) -> Option<&Entry> {
        self.index(section, rank).map(|i| &self.entries[i])
    }

    /// The last rank up to this one that has such a section.
    pub(crate) fn last_with(&self, section: Section, rank: u64) -> Option<u64> {
        let behind = self.first_behind(|e| (e.section, e.rank) <= (section, rank));
        let last = &self.entries[self.sorted[behind.checked_sub(1)?]];
        (last.section == section).then_some(last.rank)
    }

    fn index(&self, section: Section, rank: u64) -> Option<usize> {
        let at = self.first_behind(|e| (e.section, e.rank) < (section, rank));
        let index = *self.sorted.get(at)?;
        let found = &self.entries[index];
        (found.section == section && found.rank == rank).then_some(index)
    }

    /// In `sorted`, behind all of which `front` is true.
    fn first_behind(&self, front: impl Fn(&Entry) -> bool) -> usize {
        self.sorted.partition_point(|i| front(&self.entries[*i]))
    }

    fn missing(section: Section, rank: u64) -> FileError {
        damaged(format!("no {} of rank {rank}", section.name()))
    }

    /// The length of a section.
    pub fn length_of(&self, section: Section, rank: u64) -> Result<u64, FileError> {
        if let Some(table) = self.chunked(section, rank)? {
            return Ok(table.1.length);
        }
        let found = self.find(section, rank);
        found
            .map(|e| e.length)
            .ok_or_else(|| Sections::missing(section, rank))
    }

    /// The table of a rank's data and its index, if that is asked for and lies in chunks.
    fn chunked(&self, section: Section, rank: u64) -> Result<Option<(usize, Table)>, FileError> {
        let index = match section {
            Section::Data => self.index(Section::Chunks, rank),
            _ => None,
        };
        index.map(|i| self.table_at(i)).transpose()
    }

    fn table_at(&self, index: usize) -> Result<(usize, Table), FileError> {
        Ok((index, Table::decode(&self.load_at(index)?)?))
    }

    /// Where the chunks of a rank's data lie, if it is in chunks.
    pub fn chunks(&self, rank: u64) -> Result<Option<Table>, FileError> {
        Ok(self.chunked(Section::Data, rank)?.map(|found| found.1))
    }

    /// The packs in which chunks lie.
    pub fn packs(&self) -> Result<Vec<Pack>, FileError> {
        if self.find(Section::Packs, 0).is_none() {
            return Ok(Vec::new());
        }
        let bytes = self.load(Section::Packs, 0)?;
        let mut d = Decoder::new(&bytes, "list of packs");
        let packs = decode_packs(&mut d)?;
        d.end()?;
        Ok(packs)
    }

    /// Bytes that have been written for it: others' packs do not count.
    pub fn size(&self) -> u64 {
        let packs = self.packs().unwrap_or_default();
        let own = packs.iter().filter(|p| p.checkpoint == self.id);
        self.length + own.map(|p| self.packs.length(p)).sum::<u64>()
    }

    /// Bytes of all ranks' data, as they are in memory.
    pub fn data(&self) -> Result<u64, FileError> {
        let has_data = |e: &&Entry| matches!(e.section, Section::Data | Section::Chunks);
        let ranks = self.entries.iter().filter(has_data).map(|e| e.rank);
        ranks.map(|r| self.length_of(Section::Data, r)).sum()
    }

    /// What of a rank's data is lost, where it is in chunks.
    pub fn lost(&self, rank: u64) -> Result<Vec<Lost>, FileError> {
        let Some((index, table)) = self.chunked(Section::Data, rank)? else {
            return Ok(Vec::new());
        };
        let lost = self.packs.verify(&table);
        self.whole[index].store(lost.is_empty(), Relaxed);
        Ok(lost)
    }

    fn put_together(&self, rank: u64, index: usize, table: &Table) -> Result<Mapping, FileError> {
        let length = usize::try_from(table.length).map_err(|_| io::ErrorKind::OutOfMemory);
        let length = length.map_err(io::Error::from)?;
        let mut data = memory_reserve::vec(length)?;
        data.resize(length, 0);
        let lost = self
            .packs
            .load(table, &mut data, self.whole[index].load(Relaxed));
        match lost.into_iter().next() {
            None => {
                self.whole[index].store(true, Relaxed);
                Ok(Mapping::Read(data.into()))
            }
            Some(lost) => Err(FileError::Lost { rank, lost }),
        }
    }

    /// A section's bytes, mapped, and checked if that has not been done.
    pub fn load(&self, section: Section, rank: u64) -> Result<Mapping, FileError> {
        if let Some((index, table)) = self.chunked(section, rank)? {
            return self.put_together(rank, index, &table);
        }
        let index = self.index(section, rank);
        self.load_at(index.ok_or_else(|| Sections::missing(section, rank))?)
    }

    fn load_at(&self, index: usize) -> Result<Mapping, FileError> {
        let entry = &self.entries[index];
        let mapping = Mapping::new(&self.file, entry.offset, entry.length)?;
        if !self.checked[index].load(Relaxed) {
            if xxh3_64(&mapping) != entry.hash {
                let name = entry.section.name();
                return Err(damaged(format!("{name} of rank {}", entry.rank)));
            }
            self.checked[index].store(true, Relaxed);
        }
        Ok(mapping)
    }

    /// Checks every section's checksum, and every chunk's.
    pub fn verify(&self) -> Result<(), FileError> {
        (0..self.entries.len()).try_for_each(|i| self.load_at(i).map(drop))?;
        for (i, e) in self.entries.iter().enumerate() {
            if e.section == Section::Chunks && !self.whole[i].load(Relaxed) {
                let lost = self.lost(e.rank)?.into_iter().next();
                lost.map_or(Ok(()), |lost| Err(FileError::Lost { rank: e.rank, lost }))?;
            }
        }
        Ok(())
    }
}

fn read_at(file: &mut File, offset: u64, into: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(into)
}

fn short(what: &'static str) -> impl FnOnce(io::Error) -> FileError {
    move |e| match e.kind() {
        io::ErrorKind::UnexpectedEof => FileError::Truncated(what),
        _ => FileError::Io(e),
    }
}

fn read_table(file: &mut File, length: u64) -> Result<Vec<Entry>, FileError> {
    const WHAT: &str = "the end is missing";
    let at = length
        .checked_sub(TRAILER)
        .filter(|&at| at >= HEADER)
        .ok_or(FileError::Truncated(WHAT))?;
    let mut trailer = [0; TRAILER as usize];
    read_at(file, at, &mut trailer).map_err(short(WHAT))?;
    if trailer[40..] != END_MAGIC {
        return Err(FileError::Truncated(WHAT));
    }
    let mut d = Decoder::new(&trailer, "trailer");
    let (table_at, count, table_hash, total) = (d.u64()?, d.u64()?, d.u64()?, d.u64()?);
    if d.u64()? != xxh3_64(&trailer[..32]) {
        return Err(damaged("trailer"));
    }
    if total != length {
        return Err(FileError::Truncated("its length is not the one recorded"));
    }
    let bytes = at
        .checked_sub(table_at)
        .filter(|&n| count.checked_mul(ENTRY) == Some(n));
    let size = bytes
        .and_then(|n| usize::try_from(n).ok())
        .ok_or_else(|| damaged("trailer"))?;
    let mut table = vec![0; size];
    read_at(file, table_at, &mut table).map_err(short(WHAT))?;
    if xxh3_64(&table) != table_hash {
        return Err(damaged("section table"));
    }
    let mut d = Decoder::new(&table, "section table");
    (0..count)
        .map(|_| {
            let kind = d.u64()?;
            let section = SECTIONS
                .into_iter()
                .find(|s| *s as u64 == kind)
                .ok_or_else(|| damaged(format!("unknown section {kind}")))?;
            Ok(Entry {
                section,
                rank: d.u64()?,
                offset: d.u64()?,
                length: d.u64()?,
                hash: d.u64()?,
            })
        })
        .collect()
}

/// Sections follow each other without gaps but zeroed padding, from header to section table.
fn check_layout(file: &mut File, length: u64, entries: &[Entry]) -> Result<(), FileError> {
    let table_at = length - TRAILER - entries.len() as u64 * ENTRY;
    let mut at = HEADER;
    for e in entries {
        let end = e
            .offset
            .checked_add(e.length)
            .filter(|&end| end <= table_at);
        let (true, Some(end)) = (e.offset == at, end) else {
            return Err(damaged("section table"));
        };
        let mut zeros = vec![0; padding(end) as usize];
        read_at(file, end, &mut zeros).map_err(short("padding"))?;
        if zeros.iter().any(|&b| b != 0) {
            return Err(damaged(format!(
                "padding after {} of rank {}",
                e.section.name(),
                e.rank
            )));
        }
        at = end + padding(end);
    }
    if at == table_at {
        Ok(())
    } else {
        Err(damaged("section table"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{Writer, BUFFER};

    fn sample(path: &Path) {
        let mut file = File::create(path).unwrap();
        let mut w = Writer::new(&mut file, 7).unwrap();
        w.section(Section::Job, 0, b"job").unwrap();
        w.section(Section::Rank, 0, &[]).unwrap();
        w.section(Section::Data, 0, &vec![5; BUFFER + 3]).unwrap();
        w.finish().unwrap();
    }

    fn check(path: &Path) -> Result<(), FileError> {
        Sections::open(path)?.verify()
    }

    #[test]
    fn round_trip() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        sample(&path);
        let file = Sections::open(&path).unwrap();
        assert_eq!(file.id, 7);
        assert_eq!(&*file.load(Section::Job, 0).unwrap(), b"job");
        assert_eq!(&*file.load(Section::Data, 0).unwrap(), vec![5; BUFFER + 3]);
        assert!(file.load(Section::Data, 1).is_err());
    }

    #[test]
    fn sections_are_hashed_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        sample(&path);
        let file = Sections::open(&path).unwrap();
        file.verify().unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[HEADER as usize] = b'J';
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(&*file.load(Section::Job, 0).unwrap(), b"Job");
        assert!(check(&path).is_err());
    }

    #[test]
    fn every_byte_is_covered() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        sample(&path);
        let good = std::fs::read(&path).unwrap();
        let large = HEADER as usize + 256..good.len() - 512;
        for at in (0..good.len()).filter(|at| !large.contains(at) || at % 9973 == 0) {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            std::fs::write(&path, &bad).unwrap();
            assert!(check(&path).is_err(), "byte {at}");
        }
        for cut in (0..good.len()).filter(|at| !large.contains(at) || at % 9973 == 0) {
            std::fs::write(&path, &good[..cut]).unwrap();
            assert!(check(&path).is_err(), "length {cut}");
        }
        std::fs::write(&path, &good).unwrap();
        check(&path).unwrap();
    }
}
