//! Writes all ranks of a job into a checkpoint file: their objects' bytes as they lie in memory,
//! and the directories that say what they are.

mod pieces;
mod rank;

use std::io;
use std::ops::DerefMut;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use pc3_os::threads::lock;
use pc3_typemetric::descriptor::PC3_ORDER_SIZE;

use crate::size_flows;
use pc3_format as format;
use pc3_format::file::{Entry, Section, Writer};
use pc3_format::kept::Kept;
use pc3_format::lent::LentMeta;
use pc3_format::memory_reserve;
use pc3_format::meta::{
    FileMeta, FuncMeta, GlobalMeta, JobMeta, LiteralMeta, PointMeta, ProgramMeta, RankMeta,
    ShadowMeta,
};
use pc3_format::unions::{self, UnionMeta};
use pc3_process::arguments;
use pc3_process::environment;
use pc3_process::shared_objects;
use pc3_state::guest::{self, write_tables, Image, Numbers, Tables};
use pc3_state::job::Job;
use pc3_state::program::registry::{OrderDependence, Program};
use pc3_state::rank::Rank;
use pc3_state::save_data::Data;
use pc3_state::skipped_checkpoint::Skipped;
use pc3_state::transfer::SaveCtx;
use rank::{noted, rank_data};

/// The rank that speaks for standard streams.
const SPEAKER: usize = 0;

/// What a rank has in a checkpoint in which each has a line of its own, in memory until all is known.
pub struct Part {
    rank: u64,
    bytes: Kept,
    entries: Vec<Entry>,
    /// Where strands of chunks begin, and their keys.
    cuts: Vec<(u64, u64)>,
    /// Its directory, if that is not complete yet: a guest's refers to tables, and that of the rank that speaks for standard
    /// output and error says how these are to be found again.
    directory: Option<RankMeta>,
    guest: bool,
    passages: u64,
    /// Numbers of descriptors that it holds.
    descriptors: Vec<u64>,
}

impl Part {
    /// Of a rank that is unwound, has ended or has yet to begin, with the engine's state of it; others may run.  `guests`: what all parts of
    /// guests refer to.
    pub fn of(
        job: &Job,
        rank: &mut Rank,
        engine: &[u8],
        guests: &Mutex<Tables>,
    ) -> Result<Part, Skipped> {
        let kept = Part::written(job, rank, engine, guests, Writer::keeping());
        let (out, meta) = kept.map_err(|e| match e.kind() {
            io::ErrorKind::OutOfMemory => {
                let counted = Part::written(job, rank, engine, guests, Writer::counting());
                let bytes = counted.map_or(0, |(out, _)| out.offset());
                Skipped::no_memory(rank.id() as u64, bytes, "its state")
            }
            _ => Skipped::InTheWay(e.to_string()),
        })?;
        let (bytes, entries, cuts) = out.into_memory();
        let guest = job.program.guest;
        Ok(Part {
            rank: rank.id() as u64,
            bytes,
            entries,
            cuts,
            directory: (guest || rank.id() == SPEAKER).then_some(meta),
            guest,
            passages: rank.passages,
            descriptors: rank.files.numbers().collect(),
        })
    }

    /// Its sections without a directory that is not complete yet; and that.
    fn written(
        job: &Job,
        rank: &mut Rank,
        engine: &[u8],
        guests: &Mutex<Tables>,
        mut out: Writer<'static>,
    ) -> io::Result<(Writer<'static>, RankMeta)> {
        let n = rank.id() as u64;
        out.begin(Section::Data, n);
        let mut data = Data {
            out: &mut out,
            at: 0,
        };
        let mut meta = rank_data(&job.program, rank, &mut data)?;
        guest_data(rank, &mut meta, || lock(guests), &mut data)?;
        // What lists its objects, and is put into words from here on.
        memory_reserve::ask(meta.weight().saturating_mul(3))?;
        let lent = lent(&job.program, rank, &mut data)?;
        let noted = noted(&job.program, rank, &meta);
        out.end()?;
        if !job.program.guest && rank.id() != SPEAKER {
            out.section(Section::Rank, n, &meta.encode())?;
        }
        if rank.id() != SPEAKER {
            outside(&meta, n, &mut out)?;
        }
        directories(rank, &meta, &noted, &lent, &mut out)?;
        out.section(Section::Engine, n, engine)?;
        // Those in front of a spawned one may be another process's.
        let in_front = (n as u32).checked_sub(1);
        let follows = in_front.is_some_and(|r| job.here().binary_search(&r).is_ok());
        if !follows && !job.program.guest {
            shared_objects(&mut out, n)?;
        }
        Ok((out, meta))
    }

    /// The bytes of one of its sections.
    fn put(&self, section: &Entry, out: &mut Writer) -> io::Result<()> {
        let (mut from, end) = (section.offset, section.offset + section.length);
        let mut put = |out: &mut Writer, to: u64| {
            let mut pieces = self.bytes.pieces(from as usize, to as usize);
            from = to;
            pieces.try_for_each(|p| out.put(p))
        };
        let first = self.cuts.partition_point(|c| c.0 < section.offset);
        for (at, key) in self.cuts[first..].iter().take_while(|c| c.0 < end) {
            put(out, *at)?;
            out.cut(*key)?;
        }
        put(out, end)
    }

    /// Numbers of descriptors that it holds, each once in all parts: there is room for one at a restart.
    pub fn descriptors(&self) -> &[u64] {
        &self.descriptors
    }

    /// Where standard output and error stand, if it says so.
    pub fn outputs(&self) -> Vec<FileMeta> {
        let speaks = self
            .directory
            .iter()
            .filter(|_| self.rank == SPEAKER as u64);
        let files = speaks.flat_map(|meta| &meta.files);
        files.filter(|f| f.is_output()).cloned().collect()
    }

    /// They are to be found again as they were there.
    pub fn set_outputs(&mut self, places: &[FileMeta]) {
        let speaks = self
            .directory
            .iter_mut()
            .filter(|_| self.rank == SPEAKER as u64);
        let outputs = speaks
            .flat_map(|meta| &mut meta.files)
            .filter(|f| f.is_output());
        for file in outputs {
            if let Some(place) = places.iter().find(|p| p.kind == file.kind) {
                *file = FileMeta {
                    buffer: file.buffer,
                    ..place.clone()
                };
            }
        }
    }

    pub fn rank(&self) -> u64 {
        self.rank
    }

    /// That it takes in memory.
    pub fn bytes(&self) -> usize {
        self.bytes.length()
    }

    /// Locations that the rank had passed.
    pub fn passages(&self) -> u64 {
        self.passages
    }
}

/// What it has of these ranks, in their order, each with what crosses its line; `numbers`: of what guests refer to, in the tables
/// of all.
pub(crate) fn write_parts(
    parts: &[(Part, Vec<u8>)],
    numbers: &Numbers,
    out: &mut Writer,
) -> io::Result<()> {
    for (part, line) in parts {
        if let Some(meta) = &part.directory {
            let encoded = match part.guest {
                true => {
                    let mut meta = meta.clone();
                    numbers.translate(&mut meta);
                    meta.encode()
                }
                false => meta.encode(),
            };
            out.section(Section::Rank, part.rank, &encoded)?;
            if part.rank == SPEAKER as u64 {
                outside(meta, part.rank, out)?;
            }
        }
        for e in &part.entries {
            out.begin(e.section, e.rank);
            part.put(e, out)?;
            out.end()?;
        }
        out.section(Section::Line, part.rank, line)?;
    }
    Ok(())
}

/// What a file has once; `ranks`: of the whole job.
pub fn head(job: &Job, ranks: usize, passage: u64, out: &mut Writer) -> io::Result<()> {
    out.section(Section::Job, 0, &job_meta(job, ranks, passage).encode())?;
    if !job.program.guest {
        write_tables(out, &job.program.types, &program_meta(&job.program))?;
    }
    if let Some(engine) = job.engine() {
        let bytes = engine.save_job(&SaveCtx::default());
        out.section(Section::EngineJob, 0, &bytes)?;
    }
    Ok(())
}

/// What it has of each rank.
pub fn parts(
    job: &Job,
    ranks: &mut [&mut Rank],
    guests: &mut Tables,
    out: &mut Writer,
) -> io::Result<()> {
    let ctx = SaveCtx::default();
    let mut follows = None;
    for rank in ranks.iter_mut() {
        let n = rank.id() as u64;
        // Ranks in front may be another process's.
        if !job.program.guest && follows != Some(n) {
            shared_objects(out, n)?;
        }
        follows = Some(n + 1);
        out.begin(Section::Data, n);
        let mut data = Data {
            out: &mut *out,
            at: 0,
        };
        let mut meta = rank_data(&job.program, rank, &mut data)?;
        guest_data(rank, &mut meta, || &mut *guests, &mut data)?;
        let lent = lent(&job.program, rank, &mut data)?;
        let noted = noted(&job.program, rank, &meta);
        out.end()?;
        out.section(Section::Rank, n, &meta.encode())?;
        outside(&meta, n, out)?;
        directories(rank, &meta, &noted, &lent, out)?;
        if let Some(engine) = job.engine() {
            out.section(Section::Engine, n, &engine.save(rank, &ctx))?;
        }
    }
    Ok(())
}

/// Frames and objects of a guest.
fn guest_data<T: DerefMut<Target = Tables>>(
    rank: &Rank,
    meta: &mut RankMeta,
    tables: impl FnOnce() -> T,
    data: &mut Data,
) -> io::Result<()> {
    if let Some(guest) = rank.guest.as_deref().filter(|_| meta.finished.is_none()) {
        let mut tables = tables();
        let mut image = Image::new(&mut tables, data);
        guest.save(&mut image)?;
        (meta.frames, meta.large) = (image.frames, image.large);
    }
    Ok(())
}

/// What section `Rank` has no place for.
fn outside(meta: &RankMeta, n: u64, out: &mut Writer) -> io::Result<()> {
    meta.outside()
        .map_or(Ok(()), |bytes| out.section(Section::Outside, n, &bytes))
}

/// What is where in the rank's data, beside section `Rank`.
fn directories(
    rank: &Rank,
    meta: &RankMeta,
    noted: &[UnionMeta],
    lent: &[LentMeta],
    out: &mut Writer,
) -> io::Result<()> {
    let n = rank.id() as u64;
    if let Some(arguments) = rank.yet_to_begin() {
        out.section(Section::Birth, n, &format::birth::encode(arguments))?;
    }
    if !noted.is_empty() {
        out.section(Section::Unions, n, &unions::encode(noted))?;
    }
    handed_out(rank, n, &meta.shadow, out)?;
    lent_out(lent, n, out)
}

fn shared_objects(out: &mut Writer, rank: u64) -> io::Result<()> {
    match shared_objects::here() {
        list if list.is_empty() => Ok(()),
        objects => {
            let given_back = shared_objects::given_back();
            let saved = format::shared::Saved {
                objects,
                given_back,
            };
            out.section(Section::Shared, rank, &format::shared::encode(&saved))
        }
    }
}

/// The environment, if the program may point into it.
fn lent(program: &Program, rank: &Rank, data: &mut Data) -> io::Result<Vec<LentMeta>> {
    if !program.environment {
        return Ok(Vec::new());
    }
    // SAFETY: what the process was started with.
    let parts = unsafe { environment::parts(arguments::environment(), &|at| rank.owns(at)) };
    let one = |p: environment::TextRange| {
        Ok(LentMeta {
            addr: p.addr as u64,
            ty: match p.text {
                true => program.char_type(),
                false => program.text_type(),
            },
            // SAFETY: the process's environment; nobody changes it now.
            data: unsafe { data.object(p.addr, p.bytes)? },
        })
    };
    parts.into_iter().map(one).collect()
}

fn lent_out(list: &[LentMeta], n: u64, out: &mut Writer) -> io::Result<()> {
    match list {
        [] => Ok(()),
        list => out.section(Section::Lent, n, &format::lent::encode(list)),
    }
}

fn handed_out(rank: &Rank, n: u64, shadow: &[ShadowMeta], out: &mut Writer) -> io::Result<()> {
    let list = pieces::list(rank, shadow);
    if list.is_empty() {
        return Ok(());
    }
    out.section(Section::Pieces, n, &format::pieces::encode(&list))
}

fn job_meta(job: &Job, ranks: usize, passage: u64) -> JobMeta {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    JobMeta {
        program: job.name.clone(),
        writer: format!("pc3 {}", env!("CARGO_PKG_VERSION")),
        time: u64::try_from(now.as_nanos()).unwrap_or(u64::MAX),
        ranks: ranks as u64,
        world: job.world as u64,
        started_as: job.started_as.to_string_lossy().into_owned(),
        workers: job.workers as u64,
        passage,
        calls_mpi: job.program.calls_mpi,
        arguments: arguments::first(),
        abi: match job.program.guest {
            true => guest::abi(),
            false => job.program.types.abi().clone(),
        },
    }
}

pub(crate) fn program_meta(program: &Program) -> ProgramMeta {
    ProgramMeta {
        funcs: program
            .funcs
            .iter()
            .map(|f| FuncMeta {
                name: f.name.clone(),
                shadow: f.shadow,
                points: f
                    .points
                    .iter()
                    .map(|p| PointMeta {
                        label: p.label,
                        line: p.line,
                        file: p.file.clone(),
                        what: p.what.clone(),
                        live: p.live,
                    })
                    .collect(),
            })
            .collect(),
        globals: program
            .globals
            .iter()
            .map(|g| GlobalMeta {
                name: g.name.clone(),
                addr: g.addr as u64,
                ty: g.ty,
                size: g.size as u64,
                constant: g.constant,
            })
            .collect(),
        literals: program
            .literals
            .iter()
            .map(|l| {
                // SAFETY: the program's constant.
                let bytes = unsafe { std::slice::from_raw_parts(l.addr as *const u8, l.size) };
                LiteralMeta {
                    home: l.home.clone(),
                    addr: l.addr as u64,
                    ty: l.ty,
                    bytes: bytes.to_vec(),
                }
            })
            .collect(),
        fnrefs: program
            .fnrefs
            .iter()
            .map(|(name, addr)| (name.clone(), *addr as u64))
            .collect(),
        // What has run the ranks say.
        orders: program
            .orders
            .iter()
            .filter(|o| o.by >= PC3_ORDER_SIZE)
            .map(OrderDependence::row)
            .chain(size_flows::rows(&program.orders))
            .collect(),
    }
}
