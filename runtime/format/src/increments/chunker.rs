//! What of ranks' data is new since the last checkpoint, into a pack.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io;
use std::mem::take;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::codec::Compressor;
use super::pack::{padded, Pack, PackWriter, ALIGN, HEAD};
use super::table::{hash_of, pages, Chunk, Place, Strand, Table, CHUNK, PAGE};

/// A checkpoint names at most so many packs of a process.
const PACKS: usize = 16;
/// A pack of which less than one part in so many is in use is left.
const SPARSE: u64 = 4;
/// Pages that make a patch are at most one in so many.
const PATCH: usize = 4;
/// Who writes so much finds out how quick the disk is.
const ENOUGH: u64 = 4 << 20;

/// Chunks of the last checkpoint that is durable.
#[derive(Default)]
pub struct Known {
    /// By rank, strand and number in it.
    at: HashMap<(u64, u64, usize), Arc<Old>>,
    by_content: HashMap<(u128, u32), Arc<Old>>,
    packs: BTreeMap<Pack, Use>,
    /// Nanoseconds that a byte takes to the disk, if they are known.
    pace: Option<f64>,
    /// Bytes of the last pack, and how long they took to be written.
    written: (u64, Duration),
}

struct Old {
    chunk: Chunk,
    /// Hashes of the pages of what lies at its place, if known, and of its patches.
    base: Option<Arc<[u128]>>,
    patched: Vec<u128>,
}

/// Bytes of a pack.
#[derive(Clone, Copy, Default)]
struct Use {
    length: u64,
    alive: u64,
}

impl Known {
    /// The chunks of a checkpoint that the job goes on from, in the directory where it is.
    pub fn take_over(&mut self, dir: &Path, rank: u64, table: &Table) {
        for pack in table.packs() {
            if let Ok((_, length)) = pack.open(dir) {
                self.packs.entry(pack).or_default().length = length;
            }
        }
        for strand in &table.strands {
            for (i, chunk) in strand.chunks.iter().enumerate() {
                let old = Arc::new(Old {
                    chunk: chunk.clone(),
                    base: None,
                    patched: Vec::new(),
                });
                if self.note((rank, strand.key, i), old) {
                    alive(&mut self.packs, chunk);
                }
            }
        }
    }

    /// The pack is durable, which has taken so long.
    pub fn synced(&mut self, took: Duration) {
        let (bytes, write) = self.written;
        if bytes >= ENOUGH {
            self.pace = Some((write + took).as_nanos() as f64 / bytes as f64);
        }
    }

    /// Notes a chunk; is it the first with its content?
    fn note(&mut self, key: (u64, u64, usize), old: Arc<Old>) -> bool {
        let content = (old.chunk.hash, old.chunk.length);
        self.at.insert(key, Arc::clone(&old));
        self.by_content.insert(content, old).is_none()
    }

    /// The packs that nothing more is to lie in: those that are not there any more, of which little is in use, and, where there
    /// are too many, those of which the least is.
    fn left(&self, dir: &Path) -> BTreeSet<Pack> {
        let whole = |pack: &Pack, length| {
            let opened = pack.open(dir);
            opened.is_ok_and(|(_, there)| there >= length)
        };
        let (stay, mut left): (Vec<_>, Vec<_>) = self.packs.iter().partition(|(pack, of)| {
            of.length > 0 && of.alive * SPARSE >= of.length && whole(pack, of.length)
        });
        let mut stay = stay;
        stay.sort_by_key(|(_, of)| of.alive);
        left.extend(stay.iter().take(stay.len().saturating_sub(PACKS - 1)));
        left.into_iter().map(|(pack, _)| *pack).collect()
    }
}

/// Counts what a chunk has in packs.
fn alive(packs: &mut BTreeMap<Pack, Use>, chunk: &Chunk) {
    packs.entry(chunk.at.pack).or_default().alive += padded(chunk.stored as usize);
    for (_, at) in &chunk.patches {
        packs.entry(at.pack).or_default().alive += ALIGN;
    }
}

/// What has become of a rank's data.
pub enum Cut {
    /// It is too little to be cut.
    Whole(Vec<u8>),
    Chunks(Table),
}

/// A pack that has been written, and what is known when the checkpoint is durable.
pub struct Ready {
    /// None: nothing is new.
    pub pack: Option<File>,
    pub known: Known,
}

/// Cuts ranks' data, and writes a pack of what is new.
pub struct Chunker {
    known: Arc<Known>,
    left: BTreeSet<Pack>,
    pack: Pack,
    out: PackWriter,
    compressor: Compressor,
    next: Known,
    counted: HashSet<Place>,
    /// However little a rank has, it is cut.
    cuts_all: bool,
    rank: u64,
    table: Table,
    /// The chunk that is not full yet.
    open: Vec<u8>,
}

impl Chunker {
    /// `file` is to become `pack`, in the directory `dir`.
    pub fn new(dir: &Path, known: Arc<Known>, pack: Pack, file: File) -> Chunker {
        Chunker {
            left: known.left(dir),
            known,
            pack,
            out: PackWriter::new(&pack, file),
            compressor: Compressor::new(),
            next: Known::default(),
            counted: HashSet::new(),
            cuts_all: false,
            rank: 0,
            table: Table::default(),
            open: Vec::new(),
        }
    }

    /// Chunks are compressed, or not; none: where that is quicker.
    pub fn compressing(mut self, wanted: Option<bool>) -> Chunker {
        self.compressor.wanted = wanted;
        self
    }

    /// Puts all into the pack, however little a rank has: the rest is to wait in memory.
    pub(crate) fn cutting_all(self) -> Chunker {
        Chunker {
            cuts_all: true,
            ..self
        }
    }

    /// The data of a rank follows.
    pub fn begin(&mut self, rank: u64) {
        self.rank = rank;
        self.table = Table::default();
        self.table.strands.push(Strand::default());
        self.open.clear();
    }

    /// A strand begins here.
    pub fn cut(&mut self, key: u64) -> io::Result<()> {
        self.close()?;
        self.compressor.begin();
        let chunks = Vec::new();
        self.table.strands.push(Strand { key, chunks });
        Ok(())
    }

    pub fn put(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let room = CHUNK - self.open.len();
            let (now, rest) = bytes.split_at(room.min(bytes.len()));
            bytes = rest;
            if now.len() == CHUNK {
                self.chunk(now)?;
                continue;
            }
            self.open.extend_from_slice(now);
            if self.open.len() == CHUNK {
                self.close()?;
            }
        }
        Ok(())
    }

    /// All of the rank's data has been put.
    pub fn end(&mut self) -> io::Result<Cut> {
        if self.table.length == 0 && !self.cuts_all {
            return Ok(Cut::Whole(take(&mut self.open)));
        }
        self.close()?;
        self.table.strands.retain(|s| !s.chunks.is_empty());
        Ok(Cut::Chunks(take(&mut self.table)))
    }

    fn close(&mut self) -> io::Result<()> {
        if self.open.is_empty() {
            return Ok(());
        }
        let mut open = take(&mut self.open);
        self.chunk(&open)?;
        open.clear();
        self.open = open;
        Ok(())
    }

    fn chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        let pages = pages(bytes);
        let hash = hash_of(&pages);
        let strand = self.table.strands.last();
        let key = strand.map_or((0, 0), |s| (s.key, s.chunks.len()));
        let key = (self.rank, key.0, key.1);
        let old = match self.same((hash, bytes.len() as u32)) {
            Some(same) => same,
            None => Arc::new(match self.patched(key, bytes, hash, &pages)? {
                Some(patched) => patched,
                None => self.new_one(bytes, hash, pages)?,
            }),
        };
        for at in old.chunk.places().filter(|at| self.counted.insert(**at)) {
            let bytes = match *at == old.chunk.at {
                true => old.chunk.stored as usize,
                false => PAGE,
            };
            self.next.packs.entry(at.pack).or_default().alive += padded(bytes);
        }
        self.table.length += bytes.len() as u64;
        if let Some(strand) = self.table.strands.last_mut() {
            strand.chunks.push(old.chunk.clone());
        }
        self.next.note(key, old);
        Ok(())
    }

    fn stays(&self, chunk: &Chunk) -> bool {
        chunk.places().all(|at| !self.left.contains(&at.pack))
    }

    /// One with that content.
    fn same(&self, content: (u128, u32)) -> Option<Arc<Old>> {
        let new = self.next.by_content.get(&content);
        let known = || self.known.by_content.get(&content);
        let found = new.or_else(|| known().filter(|old| self.stays(&old.chunk)));
        found.map(Arc::clone)
    }

    /// The chunk that was there, with the pages that are others now, if they are few.
    fn patched(
        &mut self,
        key: (u64, u64, usize),
        bytes: &[u8],
        hash: u128,
        pages: &[u128],
    ) -> io::Result<Option<Old>> {
        let known = Arc::clone(&self.known);
        let there = known.at.get(&key);
        let Some(old) = there.filter(|o| o.chunk.length as usize == bytes.len()) else {
            return Ok(None);
        };
        let Some(base) = old.base.as_ref().filter(|_| self.stays(&old.chunk)) else {
            return Ok(None);
        };
        let others = (0..pages.len()).filter(|i| pages[*i] != base[*i]);
        let others: Vec<usize> = others.collect();
        let anew = padded(old.chunk.stored as usize);
        if others.len() > pages.len() / PATCH || others.len() as u64 * ALIGN >= anew {
            return Ok(None);
        }
        let mut chunk = Chunk {
            hash,
            patches: Vec::new(),
            ..old.chunk
        };
        let mut patched = Vec::new();
        for i in others {
            let page = i as u32;
            let before = old.chunk.patches.iter().position(|p| p.0 == page);
            let same = before.filter(|n| old.patched[*n] == pages[i]);
            let at = match same {
                Some(n) => old.chunk.patches[n].1,
                None => self.page(&bytes[chunk.page(page)])?,
            };
            chunk.patches.push((page, at));
            patched.push(pages[i]);
        }
        Ok(Some(Old {
            chunk,
            base: Some(Arc::clone(base)),
            patched,
        }))
    }

    fn new_one(&mut self, bytes: &[u8], hash: u128, pages: Box<[u128]>) -> io::Result<Old> {
        let (codec, stored) = self.compressor.stored(bytes, self.known.pace);
        let offset = self.out.put(stored)?;
        let pack = self.pack;
        let chunk = Chunk {
            length: bytes.len() as u32,
            hash,
            codec,
            stored: stored.len() as u32,
            at: Place { pack, offset },
            patches: Vec::new(),
        };
        Ok(Old {
            chunk,
            base: Some(pages.into()),
            patched: Vec::new(),
        })
    }

    fn page(&mut self, bytes: &[u8]) -> io::Result<Place> {
        let pack = self.pack;
        let offset = self.out.put(bytes)?;
        Ok(Place { pack, offset })
    }

    /// The packs that all tables so far name.
    pub fn packs(&self) -> Vec<Pack> {
        self.next.packs.keys().copied().collect()
    }

    pub fn finish(self) -> io::Result<Ready> {
        let (mut known, length) = (self.next, self.out.at);
        for (pack, of) in &mut known.packs {
            of.length = match *pack == self.pack {
                true => length,
                false => self.known.packs.get(pack).map_or(0, |of| of.length),
            };
        }
        let (file, took) = self.out.finish()?;
        known.pace = self.known.pace;
        known.written = (length, took);
        Ok(Ready {
            pack: (length > HEAD).then_some(file),
            known,
        })
    }
}
