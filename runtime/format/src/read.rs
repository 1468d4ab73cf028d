//! Opens checkpoints without the program: what they hold, checked so far that every span and every
//! type id leads somewhere.

use std::ffi::CString;
use std::path::Path;

use thiserror::Error;

use pc3_typemetric::descriptor::PC3_ORDER_SIZE;
use pc3_typemetric::types::{TypeId, TypeTable};

use super::birth;
use super::bytes::DecodeError;
use super::file::{FileError, Section};
use super::increments::named;
use super::lent::{self, LentMeta};
use super::library::Origin;
use super::mapping::Mapping;
use super::meta::{JobMeta, ProgramMeta, RankMeta, Span};
use super::pieces::{self, PieceMeta};
use super::sections::Sections;
use super::shared::{self, Saved};
use super::unions::{self, UnionMeta};

#[derive(Debug, Error)]
pub enum ReadError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("damaged: {0}")]
    Decode(#[from] DecodeError),
    #[error("damaged: type table: {0}")]
    Types(#[from] pc3_typemetric::DecodeError),
    #[error("damaged: {0}")]
    Inconsistent(String),
    #[error("damaged: {0}")]
    Lost(String),
}

impl ReadError {
    /// Nothing is wrong with the file: this process has no room for it.
    pub fn no_memory(&self) -> bool {
        matches!(self, ReadError::File(FileError::Io(e)) if e.kind() == std::io::ErrorKind::OutOfMemory)
    }
}

fn inconsistent(what: impl Into<String>) -> ReadError {
    ReadError::Inconsistent(what.into())
}

/// An open checkpoint.  Reading it checks each section's checksum.
#[derive(Debug)]
pub struct Checkpoint {
    pub sections: Sections,
    pub job: JobMeta,
    pub types: TypeTable,
    pub program: ProgramMeta,
}

/// One rank's directory and bytes.
#[derive(Debug)]
pub struct RankImage {
    pub meta: RankMeta,
    data: Mapping,
    /// The engine's state.
    pub engine: Vec<u8>,
    /// What crosses the rank's line, if it has one of its own.
    pub line: Option<Vec<u8>>,
    pub unions: Vec<UnionMeta>,
    pub shared: Saved,
    pub pieces: Vec<PieceMeta>,
    pub lent: Vec<LentMeta>,
    /// Of a rank that has yet to begin: what with.
    pub birth: Option<Box<[CString]>>,
}

impl RankImage {
    /// The bytes of a span of this rank's directory.
    pub fn bytes(&self, span: Span) -> &[u8] {
        // In range: checked when the image was read.
        &self.data[span.offset as usize..(span.offset + span.bytes) as usize]
    }

    /// Those of its own objects, which lie in front of what is lent.
    pub fn own_bytes(&self) -> &[u8] {
        let end = self.lent.first().map(|l| l.data.offset as usize);
        &self.data[..end.unwrap_or(self.data.len())]
    }
}

/// Of places in the program, those that are sizes.
pub fn sizes(orders: impl Iterator<Item = (String, u32)>) -> impl Iterator<Item = (String, u64)> {
    let sizes = orders.filter(|o| o.1 >= PC3_ORDER_SIZE);
    sizes.map(|(place, by)| (place, u64::from(by - PC3_ORDER_SIZE)))
}

impl Checkpoint {
    pub fn open(path: &Path) -> Result<Checkpoint, ReadError> {
        let sections = Sections::open(path)?;
        let job = JobMeta::decode(&sections.load(Section::Job, 0)?)?;
        let mut types = TypeTable::decode(&sections.load(Section::Types, 0)?)?.0;
        let program = ProgramMeta::decode(&sections.load(Section::Program, 0)?)?;
        types.set_measured(sizes(program.orders.iter().cloned()));
        // Each has a section at least: who counts to their number comes to an end.
        if job.ranks > sections.entries.len() as u64 {
            return Err(inconsistent("the number of ranks"));
        }
        let checkpoint = Checkpoint {
            sections,
            job,
            types,
            program,
        };
        checkpoint.check_program()?;
        Ok(checkpoint)
    }

    pub fn id(&self) -> u64 {
        self.sections.id
    }

    /// The protocol that has taken it: without a barrier each rank has a line of its own.
    pub fn protocol(&self) -> &'static str {
        match self.sections.last_with(Section::Line, u64::MAX) {
            Some(_) => "nonblocking",
            None => "barrier",
        }
    }

    /// Checks everything that can be checked without the program.
    pub fn verify(&self) -> Result<(), ReadError> {
        self.sections.verify().map_err(|e| match e {
            FileError::Lost { rank, lost } => ReadError::Lost(named::told(self, rank, &lost)),
            e => e.into(),
        })?;
        self.directories()
    }

    /// What of a rank's data packs no longer have as it was written.
    pub fn lost(&self, rank: u64) -> Result<Vec<String>, ReadError> {
        let lost = self.sections.lost(rank)?;
        Ok(lost.iter().map(|l| named::told(self, rank, l)).collect())
    }

    /// The same without reading the objects' bytes.
    pub fn directories(&self) -> Result<(), ReadError> {
        for rank in 0..self.job.ranks {
            self.directory(rank)?;
            self.unions(rank)?;
            if self.sections.find(Section::Shared, rank).is_some() {
                self.shared(rank)?;
            }
            self.pieces(rank)?;
            self.lent(rank)?;
            self.birth(rank)?;
        }
        Ok(())
    }

    pub fn directory(&self, rank: u64) -> Result<RankMeta, ReadError> {
        let mut meta = RankMeta::decode(&self.sections.load(Section::Rank, rank)?)?;
        if self.sections.find(Section::Outside, rank).is_some() {
            meta.add_outside(&self.sections.load(Section::Outside, rank)?)?;
        }
        self.check_rank(&meta, self.sections.length_of(Section::Data, rank)?)
            .map_err(|what| inconsistent(format!("rank {rank}: {what}")))?;
        Ok(meta)
    }

    pub fn rank(&self, rank: u64) -> Result<RankImage, ReadError> {
        let meta = self.directory(rank)?;
        let data = self.sections.load(Section::Data, rank)?;
        let engine = match self.sections.find(Section::Engine, rank) {
            Some(_) => self.sections.load(Section::Engine, rank)?.to_vec(),
            None => Vec::new(),
        };
        let line = match self.sections.find(Section::Line, rank) {
            Some(_) => Some(self.sections.load(Section::Line, rank)?.to_vec()),
            None => None,
        };
        let unions = self.unions(rank)?;
        let shared = self.shared(rank)?;
        let pieces = self.pieces(rank)?;
        let lent = self.lent(rank)?;
        let birth = self.birth(rank)?;
        Ok(RankImage {
            meta,
            data,
            engine,
            line,
            unions,
            shared,
            pieces,
            lent,
            birth,
        })
    }

    /// Which members of its unions are in use, where that was noted.
    pub fn unions(&self, rank: u64) -> Result<Vec<UnionMeta>, ReadError> {
        if self.sections.find(Section::Unions, rank).is_none() {
            return Ok(Vec::new());
        }
        let list = unions::decode(&self.sections.load(Section::Unions, rank)?)?;
        match list.iter().all(|u| self.types.contains(u.ty)) {
            true => Ok(list),
            false => Err(inconsistent(format!(
                "rank {rank}: a type that is not in the type table"
            ))),
        }
    }

    /// Shared objects of a rank's process: said of the first one of neighbours.
    fn shared(&self, rank: u64) -> Result<Saved, ReadError> {
        match self.sections.last_with(Section::Shared, rank) {
            Some(first) => {
                let bytes = self.sections.load(Section::Shared, first)?;
                Ok(shared::decode(&bytes)?)
            }
            None => Ok(Saved::default()),
        }
    }

    /// What lies in blocks that it hands out in pieces.
    pub fn pieces(&self, rank: u64) -> Result<Vec<PieceMeta>, ReadError> {
        if self.sections.find(Section::Pieces, rank).is_none() {
            return Ok(Vec::new());
        }
        let list = pieces::decode(&self.sections.load(Section::Pieces, rank)?)?;
        let known = |p: &PieceMeta| {
            let mut types = p.ty.iter().chain(&p.link);
            types.all(|ty| self.types.contains(*ty))
        };
        let apart = |w: &[PieceMeta]| {
            let end = w[0].addr.checked_add(w[0].room);
            end.is_some_and(|end| end <= w[1].addr)
        };
        let sound = |p: &PieceMeta| p.bytes <= p.room && known(p);
        match list.iter().all(sound) && list.windows(2).all(apart) {
            true => Ok(list),
            false => Err(inconsistent(format!(
                "rank {rank}: pieces that overlap, or of a type that is not in the type table"
            ))),
        }
    }

    /// The system's memory that it may point to.
    fn lent(&self, rank: u64) -> Result<Vec<LentMeta>, ReadError> {
        if self.sections.find(Section::Lent, rank).is_none() {
            return Ok(Vec::new());
        }
        let list = lent::decode(&self.sections.load(Section::Lent, rank)?)?;
        let data = self.sections.length_of(Section::Data, rank)?;
        let sound = |l: &LentMeta| {
            let end = l.data.offset.checked_add(l.data.bytes);
            self.types.contains(l.ty) && end.is_some_and(|end| end <= data)
        };
        match list.iter().all(sound) {
            true => Ok(list),
            false => Err(inconsistent(format!("rank {rank}: its environment"))),
        }
    }

    /// What it is to begin with, if it was spawned behind the line of who spawned it.
    pub fn birth(&self, rank: u64) -> Result<Option<Box<[CString]>>, ReadError> {
        match self.sections.find(Section::Birth, rank) {
            None => Ok(None),
            Some(_) => Ok(Some(birth::decode(
                &self.sections.load(Section::Birth, rank)?,
            )?)),
        }
    }

    /// The engine's state of the job.
    pub fn engine_job(&self) -> Result<Vec<u8>, ReadError> {
        match self.sections.find(Section::EngineJob, 0) {
            Some(_) => Ok(self.sections.load(Section::EngineJob, 0)?.to_vec()),
            None => Ok(Vec::new()),
        }
    }

    fn check_program(&self) -> Result<(), ReadError> {
        let p = &self.program;
        let live = p
            .funcs
            .iter()
            .flat_map(|f| f.points.iter().map(|p| p.live).chain([f.shadow]))
            .flatten();
        let globals = p
            .globals
            .iter()
            .map(|g| g.ty)
            .chain(p.literals.iter().map(|l| l.ty));
        if live.chain(globals).all(|ty| self.types.contains(ty)) {
            Ok(())
        } else {
            Err(inconsistent("a type that is not in the type table"))
        }
    }

    fn check_rank(&self, meta: &RankMeta, data: u64) -> Result<(), String> {
        let inside = |s: Span| match s.offset.checked_add(s.bytes) {
            Some(end) if end <= data => Ok(()),
            _ => Err("an object outside the data".to_owned()),
        };
        let known = |ty: TypeId| match self.types.contains(ty) {
            true => Ok(()),
            false => Err("a type that is not in the type table".to_owned()),
        };
        meta.wanted.map_or(Ok(()), known)?;
        let writable = self.program.globals.iter().filter(|g| !g.constant);
        // Of ranks that were spawned and have ended nothing more is kept.
        let over = meta.finished.is_some() && meta.globals.is_empty();
        if !over && writable.clone().count() != meta.globals.len() {
            return Err("the number of globals".to_owned());
        }
        for (g, span) in writable.zip(&meta.globals) {
            inside(*span)?;
            // Without bytes: computed anew.
            if g.size != span.bytes && span.bytes != 0 {
                return Err(format!("the size of {}", g.name));
            }
        }
        for f in &meta.frames {
            inside(f.live)?;
            let func = usize::try_from(f.func)
                .ok()
                .and_then(|i| self.program.funcs.get(i));
            let point = func.and_then(|func| {
                usize::try_from(f.point)
                    .ok()
                    .and_then(|i| func.points.get(i))
            });
            let point = point.ok_or("a frame of no function")?;
            if point.live.map_or(0, |ty| self.types.size(ty)) != f.live.bytes {
                return Err("the size of a frame".to_owned());
            }
        }
        for s in &meta.shadow {
            inside(s.data)?;
            known(s.ty)?;
            if s.frame.is_some_and(|f| f >= meta.frames.len() as u64) {
                return Err("a stack object of no frame".to_owned());
            }
        }
        for s in &meta.slabs {
            inside(s.data)?;
            s.types.iter().try_for_each(|t| known(*t))?;
            let n = s.count();
            let fits = |list: u64| list == 1 || list == n;
            let right = n > 0 && s.slot > 0 && n.checked_mul(s.slot) == Some(s.data.bytes);
            let sizes = s.sizes.iter().all(|z| *z <= s.slot);
            let end = s
                .slot
                .checked_mul(s.occupied.len() as u64 * 64)
                .and_then(|b| b.checked_add(s.base));
            if !right
                || !sizes
                || end.is_none()
                || !fits(s.sizes.len() as u64)
                || !fits(s.types.len() as u64)
            {
                return Err("a heap page".to_owned());
            }
        }
        for (i, open) in meta.library.open.iter().enumerate() {
            open.contents.map_or(Ok(()), &inside)?;
            match open.origin {
                Origin::Removed(span) => inside(span)?,
                Origin::Again(n) if n >= i as u64 => return Err("a file of no file".to_owned()),
                _ => {}
            }
        }
        for l in &meta.large {
            inside(l.data)?;
            known(l.ty)?;
        }
        Ok(())
    }
}
