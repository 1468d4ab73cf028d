//! The frame of a checkpoint file: header, sections, section table, trailer.  Every byte is under
//! a checksum or must be zero.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use thiserror::Error;

use xxhash_rust::xxh3::{xxh3_64, Xxh3};

use super::bytes::{DecodeError, Encoder};
use super::increments::chunker::{Chunker, Cut, Ready};
use super::increments::load::Lost;
use super::increments::pack::{self, Pack};
use super::increments::table::encode_packs;
use super::kept::Kept;
use super::pipe::{Mark, Pipe, Sender};

pub(crate) const MAGIC: [u8; 8] = *b"PC3CKPT\n";
pub(crate) const END_MAGIC: [u8; 8] = *b"PC3CEND\n";
/// What this build reads up to.
pub const VERSION: u64 = 3;
/// Without lines of ranks of their own: the same as they ever were.
pub(crate) const TOGETHER: u64 = 1;
/// With such lines.
const APART: u64 = 2;
/// With chunks in packs.
pub(crate) const INCREMENTS: u64 = pack::VERSION;
pub const ALIGN: u64 = 64;
/// Where sections begin.
pub const HEADER: u64 = 64;
pub(crate) const ENTRY: u64 = 40;
pub(crate) const TRAILER: u64 = 48;

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
    /// Where the chunks of a rank's data lie, which has no section of its own.
    Chunks = 15,
    /// The packs in which chunks lie.
    Packs = 16,
}

/// All kinds, in the order of their numbers.
pub const SECTIONS: [Section; 16] = [
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
    Section::Chunks,
    Section::Packs,
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
            Section::Chunks => "table of chunks",
            Section::Packs => "list of packs",
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
    /// Bytes of a rank's data that are in no pack as they were written.
    #[error("damaged: bytes {} to {} of the data of rank {rank}: {}", lost.from, lost.to, lost.why)]
    Lost { rank: u64, lost: Lost },
}

pub(crate) fn damaged(what: impl Into<String>) -> FileError {
    FileError::Damaged(what.into())
}

impl From<DecodeError> for FileError {
    fn from(e: DecodeError) -> FileError {
        damaged(e.to_string())
    }
}

pub(crate) fn padding(offset: u64) -> u64 {
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
    /// To a file of which only what has changed is written.
    chunker: Option<Box<Chunker>>,
    /// Other processes' packs.
    packs: Vec<Pack>,
    /// Sections are hashed: these bytes are the file's.
    hashes: bool,
    /// The last object was large.
    behind_large: bool,
    /// Where strands of chunks begin, and their keys: of what is kept in memory.
    cuts: Vec<(u64, u64)>,
}

/// A process's part of a file that waits for its place there.
pub struct WaitingPart {
    pub kept: Kept,
    pub entries: Vec<Entry>,
    /// That its tables name.
    pub packs: Vec<Pack>,
    pub ready: Option<Ready>,
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

pub(crate) const BUFFER: usize = 256 << 10;
/// Objects of so many bytes have a strand of chunks of their own.
const LARGE: usize = 24 << 10;

impl<'a> Writer<'a> {
    pub fn new(file: &'a mut File, id: u64) -> io::Result<Writer<'a>> {
        Writer::of_version(file, id, TOGETHER)
    }

    /// A file in which ranks have lines of their own.
    pub fn apart(file: &'a mut File, id: u64) -> io::Result<Writer<'a>> {
        Writer::of_version(file, id, APART)
    }

    /// A file of which only what has changed is written.
    pub fn increments(file: &'a mut File, id: u64, chunker: Chunker) -> io::Result<Writer<'a>> {
        let writer = Writer::of_version(file, id, INCREMENTS)?;
        Ok(Writer {
            chunker: Some(Box::new(chunker)),
            ..writer
        })
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
            hashes: true,
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
            chunker: None,
            packs: Vec::new(),
            hashes: false,
            behind_large: false,
            cuts: Vec::new(),
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

    /// A process's part of a file of which only what has changed is written, for which there is no place yet.
    pub fn keeping_chunks(chunker: Chunker) -> Writer<'static> {
        Writer {
            chunker: Some(Box::new(chunker.cutting_all())),
            hashes: true,
            ..Writer::keeping()
        }
    }

    /// Such a part, its sections as if it began at 0.
    pub fn into_part(mut self) -> io::Result<WaitingPart> {
        let chunker = self.chunker.take();
        let packs = chunker.as_ref().map_or(Vec::new(), |c| c.packs());
        let ready = chunker.map(|c| c.finish()).transpose()?;
        let (kept, entries, _) = self.into_memory();
        Ok(WaitingPart {
            kept,
            entries,
            packs,
            ready,
        })
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

    /// What was kept, where each section is in it, and the places and keys of [`cut`](Writer::cut)s.
    pub fn into_memory(self) -> (Kept, Vec<Entry>, Vec<(u64, u64)>) {
        match self.sink {
            Sink::Memory(kept) => (kept, self.entries, self.cuts),
            _ => (Kept::default(), self.entries, self.cuts),
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

    /// Goes on behind the parts of other processes, which have these sections and name these packs.
    pub fn skip(&mut self, others: Vec<Entry>, packs: Vec<Pack>, to: u64) -> io::Result<()> {
        self.flush()?;
        self.packs = packs;
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
        if let (Section::Data, Some(chunker)) = (section, &mut self.chunker) {
            chunker.begin(rank);
        }
        self.behind_large = false;
        self.open = Some((section, rank, self.offset, Xxh3::new()));
    }

    /// An object at that address follows, of so many bytes: large ones can be found again in the next checkpoint wherever
    /// they come.
    pub fn object(&mut self, address: u64, bytes: usize) -> io::Result<()> {
        let large = bytes >= LARGE;
        let behind_large = std::mem::replace(&mut self.behind_large, large);
        match large || behind_large {
            true => self.cut(address),
            false => Ok(()),
        }
    }

    /// Chunks of a strand of that key follow.
    pub fn cut(&mut self, key: u64) -> io::Result<()> {
        match (&mut self.sink, &mut self.chunker) {
            (_, Some(chunker)) => chunker.cut(key)?,
            (Sink::Pipe(sender), _) => sender.mark(Mark::Cut(key)),
            (Sink::Memory(_), _) => self.cuts.push((self.offset, key)),
            _ => {}
        }
        Ok(())
    }

    /// Adds to the open section.
    pub fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let (Some((Section::Data, ..)), Some(chunker)) = (&self.open, &mut self.chunker) {
            return chunker.put(bytes);
        }
        if !self.hashes {
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
        if let Some((Section::Data, rank, ..)) = self.open {
            if let Some(mut chunker) = self.chunker.take() {
                let (section, bytes) = match chunker.end()? {
                    Cut::Whole(bytes) => (Section::Data, bytes),
                    Cut::Chunks(table) => (Section::Chunks, table.encode()),
                };
                self.section(section, rank, &bytes)?;
                self.chunker = Some(chunker);
                return Ok(());
            }
        }
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

    /// Writes section table and trailer.  What there is to do with a pack before the file may appear under its name.
    pub fn finish(mut self) -> io::Result<Option<Ready>> {
        let chunker = self.chunker.take();
        if let Some(chunker) = &chunker {
            let mut packs = chunker.packs();
            packs.append(&mut self.packs);
            packs.sort_unstable();
            packs.dedup();
            let mut list = Encoder::default();
            encode_packs(&mut list, &packs);
            self.section(Section::Packs, 0, &list.0)?;
        }
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
        chunker.map(|c| c.finish()).transpose()
    }
}
