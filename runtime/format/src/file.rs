//! The frame of a checkpoint file: header, sections, section table, trailer.  Every byte is under
//! a checksum or must be zero.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thiserror::Error;

use xxhash_rust::xxh3::{xxh3_64, Xxh3};

use pc3_os::own::high;

use super::bytes::{DecodeError, Decoder, Encoder};
use super::kept::Kept;
use super::mapping::Mapping;
use super::pipe::{Mark, Pipe, Sender};

pub const MAGIC: [u8; 8] = *b"PC3CKPT\n";
pub(crate) const END_MAGIC: [u8; 8] = *b"PC3CEND\n";
/// What this build reads up to.
pub const VERSION: u64 = 2;
/// Without lines of ranks of their own: the same as they ever were.
const TOGETHER: u64 = 1;
pub const ALIGN: u64 = 64;
/// Where sections begin.
pub const HEADER: u64 = 64;
const ENTRY: u64 = 40;
const TRAILER: u64 = 48;

/// What a section holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u64)]
pub enum Section {
    /// Program, ABI, time, settings.
    Job = 1,
    /// Type table.
    Types = 2,
    /// Functions, points, globals, literals, addresses.
    Program = 3,
    /// Directory of a rank's objects.
    Rank = 4,
    /// Bytes of a rank's objects.
    Data = 5,
    /// The engine's state of a rank.
    Engine = 6,
    /// The engine's state of the job.
    EngineJob = 7,
    /// A rank's pointers outside of their objects, and what its outputs held.
    Outside = 8,
    /// What a rank has received, and asked, across its own line.
    Line = 9,
    /// Which members of a rank's unions are in use, where that is noted.
    Unions = 10,
    /// Where the shared objects of a rank's process lay, and of those behind it that have none.
    Shared = 11,
    /// What lies in blocks that a rank hands out in pieces.
    Pieces = 12,
    /// The system's memory that a rank may point to.
    Lent = 13,
    /// What a rank begins with that has been spawned, and has yet to begin.
    Birth = 14,
}

/// All kinds, in the order of their numbers.
pub const SECTIONS: [Section; 14] = [
    Section::Job,
    Section::Types,
    Section::Program,
    Section::Rank,
    Section::Data,
    Section::Engine,
    Section::EngineJob,
    Section::Outside,
    Section::Line,
    Section::Unions,
    Section::Shared,
    Section::Pieces,
    Section::Lent,
    Section::Birth,
];

impl Section {
    pub fn name(self) -> &'static str {
        match self {
            Section::Job => "job",
            Section::Types => "type table",
            Section::Program => "program",
            Section::Rank => "rank directory",
            Section::Data => "rank data",
            Section::Engine => "rank messages",
            Section::EngineJob => "job messages",
            Section::Outside => "rank outside",
            Section::Line => "rank log",
            Section::Unions => "rank unions",
            Section::Shared => "shared objects",
            Section::Pieces => "rank pieces",
            Section::Lent => "environment",
            Section::Birth => "rank to begin",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    pub section: Section,
    pub rank: u64,
    pub offset: u64,
    pub length: u64,
    pub hash: u64,
}

#[derive(Debug, Error)]
pub enum FileError {
    #[error("cannot read it: {0}")]
    Io(#[from] io::Error),
    #[error("not a pc3 checkpoint")]
    Magic,
    #[error("written in format version {0}; this build reads versions up to {VERSION}")]
    Version(u64),
    #[error("incomplete: {0}")]
    Truncated(&'static str),
    #[error("damaged: {0}")]
    Damaged(String),
}

fn damaged(what: impl Into<String>) -> FileError {
    FileError::Damaged(what.into())
}

impl From<DecodeError> for FileError {
    fn from(e: DecodeError) -> FileError {
        damaged(e.to_string())
    }
}

fn padding(offset: u64) -> u64 {
    offset.next_multiple_of(ALIGN) - offset
}

/// Writes one file front to back.  Bytes are hashed and written in pieces that stay in cache;
/// pieces above `BUFFER` go to the kernel from where they lie.
pub struct Writer<'a> {
    sink: Sink<'a>,
    buffer: Vec<u8>,
    offset: u64,
    entries: Vec<Entry>,
    open: Option<(Section, u64, u64, Xxh3)>,
}

/// Where it goes.
enum Sink<'a> {
    File(&'a mut File),
    Memory(Kept),
    /// To the thread that writes it.
    Pipe(Sender<'a>),
    /// Only lengths are counted.
    Nowhere,
}

const BUFFER: usize = 256 << 10;

impl<'a> Writer<'a> {
    pub fn new(file: &'a mut File, id: u64) -> io::Result<Writer<'a>> {
        Writer::of_version(file, id, TOGETHER)
    }

    /// A file in which ranks have lines of their own.
    pub fn apart(file: &'a mut File, id: u64) -> io::Result<Writer<'a>> {
        Writer::of_version(file, id, VERSION)
    }

    fn of_version(file: &'a mut File, id: u64, version: u64) -> io::Result<Writer<'a>> {
        let mut header = Encoder::default();
        header.0.extend_from_slice(&MAGIC);
        header.u64(version);
        header.u64(id);
        header.0.resize(HEADER as usize - 8, 0);
        let hash = xxh3_64(&header.0);
        header.u64(hash);
        let mut writer = Writer::part(file, 0);
        writer.raw(&header.0)?;
        Ok(writer)
    }

    /// Writes sections from `offset` on, where the file stands: a process's part of a file of several.
    pub fn part(file: &'a mut File, offset: u64) -> Writer<'a> {
        Writer {
            buffer: Vec::with_capacity(BUFFER),
            ..Writer::of(Sink::File(file), offset)
        }
    }

    fn of(sink: Sink<'a>, offset: u64) -> Writer<'a> {
        Writer {
            sink,
            buffer: Vec::new(),
            offset,
            entries: Vec::new(),
            open: None,
        }
    }

    /// Counts how long a part would be.
    pub fn counting() -> Writer<'static> {
        Writer::of(Sink::Nowhere, 0)
    }

    /// Writes sections into memory, of which there may not be enough.
    pub fn keeping() -> Writer<'static> {
        Writer::of(Sink::Memory(Kept::default()), 0)
    }

    /// Hands sections to whoever writes them to a file, from `offset` on.
    pub fn piping(pipe: &'a Pipe, offset: u64) -> Writer<'a> {
        Writer::of(Sink::Pipe(Sender::new(pipe)), offset)
    }

    /// All has been handed over, or what went wrong.
    pub fn close_pipe(self, how: io::Result<()>) {
        if let Sink::Pipe(sender) = self.sink {
            sender.close(how);
        }
    }

    /// What was kept, and where each section is in it.
    pub fn into_memory(self) -> (Kept, Vec<Entry>) {
        match self.sink {
            Sink::Memory(kept) => (kept, self.entries),
            _ => (Kept::default(), self.entries),
        }
    }

    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// What was written, when all of it is in the file.
    pub fn into_entries(mut self) -> io::Result<Vec<Entry>> {
        self.flush()?;
        Ok(self.entries)
    }

    /// Goes on behind the parts of other processes, which have these sections.
    pub fn skip(&mut self, others: Vec<Entry>, to: u64) -> io::Result<()> {
        self.flush()?;
        self.entries.extend(others);
        self.offset = to;
        match &mut self.sink {
            Sink::File(file) => file.seek(SeekFrom::Start(to)).map(drop),
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Sink::File(file) = &mut self.sink {
            file.write_all(&self.buffer)?;
        }
        self.buffer.clear();
        Ok(())
    }

    fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.offset += bytes.len() as u64;
        let file = match &mut self.sink {
            Sink::File(file) => file,
            Sink::Memory(kept) => return kept.put(bytes),
            Sink::Pipe(sender) => return sender.put(bytes),
            Sink::Nowhere => return Ok(()),
        };
        if self.buffer.len() + bytes.len() > BUFFER {
            file.write_all(&self.buffer)?;
            self.buffer.clear();
        }
        if bytes.len() >= BUFFER {
            file.write_all(bytes)
        } else {
            self.buffer.extend_from_slice(bytes);
            Ok(())
        }
    }

    pub fn begin(&mut self, section: Section, rank: u64) {
        if let Sink::Pipe(sender) = &mut self.sink {
            sender.mark(Mark::Begin(section, rank));
        }
        self.open = Some((section, rank, self.offset, Xxh3::new()));
    }

    /// Adds to the open section.
    pub fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !matches!(self.sink, Sink::File(_)) {
            return self.raw(bytes);
        }
        for piece in bytes.chunks(BUFFER) {
            if let Some((_, _, _, hash)) = &mut self.open {
                hash.update(piece);
            }
            self.raw(piece)?;
        }
        Ok(())
    }

    pub fn end(&mut self) -> io::Result<()> {
        if let Some((section, rank, offset, hash)) = self.open.take() {
            let length = self.offset - offset;
            self.entries.push(Entry {
                section,
                rank,
                offset,
                length,
                hash: hash.digest(),
            });
            self.pad()?;
        }
        Ok(())
    }

    pub fn section(&mut self, section: Section, rank: u64, bytes: &[u8]) -> io::Result<()> {
        self.begin(section, rank);
        self.put(bytes)?;
        self.end()
    }

    fn pad(&mut self) -> io::Result<()> {
        let padding = padding(self.offset);
        if let Sink::Pipe(sender) = &mut self.sink {
            // Who writes it pads.
            sender.mark(Mark::End);
            self.offset += padding;
            return Ok(());
        }
        self.raw(&[0; ALIGN as usize][..padding as usize])
    }

    /// Writes section table and trailer; returns the file's length.
    pub fn finish(mut self) -> io::Result<u64> {
        let mut table = Encoder::default();
        for e in &self.entries {
            for v in [e.section as u64, e.rank, e.offset, e.length, e.hash] {
                table.u64(v);
            }
        }
        let mut trailer = Encoder::default();
        trailer.u64(self.offset);
        trailer.len(self.entries.len());
        trailer.u64(xxh3_64(&table.0));
        trailer.u64(self.offset + table.0.len() as u64 + TRAILER);
        let hash = xxh3_64(&trailer.0);
        trailer.u64(hash);
        trailer.0.extend_from_slice(&END_MAGIC);
        self.raw(&table.0)?;
        self.raw(&trailer.0)?;
        self.flush()?;
        Ok(self.offset)
    }
}

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
        check_layout(&mut file, length, &entries)?;
        let mut sorted: Vec<usize> = (0..entries.len()).collect();
        sorted.sort_by_key(|i| (entries[*i].section, entries[*i].rank));
        Ok(Sections {
            file,
            id,
            length,
            sorted,
            checked: entries.iter().map(|_| AtomicBool::new(false)).collect(),
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
        let found = self.find(section, rank);
        found
            .map(|e| e.length)
            .ok_or_else(|| Sections::missing(section, rank))
    }

    /// A section's bytes, mapped, and checked if that has not been done.
    pub fn load(&self, section: Section, rank: u64) -> Result<Mapping, FileError> {
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

    /// Checks every section's checksum.
    pub fn verify(&self) -> Result<(), FileError> {
        (0..self.entries.len()).try_for_each(|i| self.load_at(i).map(drop))
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
