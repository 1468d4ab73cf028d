//! Writes all ranks of a job into a checkpoint file: their objects' bytes as they lie in memory,
//! and the directories that say what they are.

use std::fs::File;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use pc3_heap::{Block, Slab};
use pc3_typemetric::descriptor::pc3_frame;
use pc3_typemetric::types::{TypeId, TypeTable};

use crate::beside;
use crate::environment;
use crate::exits::AtExit;
use crate::floats;
use crate::format;
use crate::format::file::{Entry, Section, Writer};
use crate::format::lent::LentMeta;
use crate::format::library::{ExitMeta, LibraryMeta};
use crate::format::meta::{
    CallbackMeta, FrameMeta, FuncMeta, GlobalMeta, JobMeta, LargeMeta, LiteralMeta, PointMeta,
    ProgramMeta, RankMeta, ShadowMeta, SlabMeta, Span,
};
use crate::format::pieces;
use crate::format::unions::{self, UnionMeta};
use crate::guest::{self, Image, Tables};
use crate::job::Job;
use crate::life;
use crate::pieces as handed;
use crate::rank::{Rank, Status};
use crate::registry::Program;
use crate::shared;
use crate::transfer::SaveCtx;

/// Objects start at multiples of this in the data section.
const ALIGN: u64 = 16;

pub(crate) fn write(
    job: &Job,
    ranks: &mut [&mut Rank],
    passage: u64,
    id: u64,
    file: &mut File,
) -> io::Result<()> {
    let mut out = Writer::new(file, id)?;
    head(job, passage, &mut out)?;
    let mut guests = Tables::new();
    parts(job, ranks, &mut guests, &mut out)?;
    if job.program.guest {
        guests.write(&mut out)?;
    }
    out.finish()?;
    Ok(())
}

/// What a rank has in a checkpoint in which each has a line of its own, in memory until all is known.
pub struct Part {
    rank: u64,
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    passages: u64,
}

impl Part {
    /// Of a rank that is unwound or has ended, with the engine's state of it; others may run.
    pub(crate) fn of(job: &Job, rank: &mut Rank, engine: &[u8]) -> io::Result<Part> {
        let mut out = Writer::keeping();
        let n = rank.id() as u64;
        out.begin(Section::Data, n);
        let mut data = Data {
            out: &mut out,
            at: 0,
        };
        let meta = rank_data(&job.program, rank, &mut data)?;
        let lent = lent(&job.program, rank, &mut data)?;
        let noted = noted(&job.program, rank, &meta);
        out.end()?;
        out.section(Section::Rank, n, &meta.encode())?;
        if let Some(outside) = meta.outside() {
            out.section(Section::Outside, n, &outside)?;
        }
        if !noted.is_empty() {
            out.section(Section::Unions, n, &unions::encode(&noted))?;
        }
        handed_out(rank, n, &meta.shadow, &mut out)?;
        lent_out(&lent, n, &mut out)?;
        out.section(Section::Engine, n, engine)?;
        // One process has all ranks.
        if n == 0 {
            shared_objects(&mut out, n)?;
        }
        let (bytes, entries) = out.into_memory();
        Ok(Part {
            rank: n,
            bytes,
            entries,
            passages: rank.passages,
        })
    }

    /// Locations that the rank had passed.
    pub fn passages(&self) -> u64 {
        self.passages
    }
}

/// A checkpoint of such parts, in the order of ranks, each with what crosses its line.
pub(crate) fn write_parts(
    job: &Job,
    parts: &[(Part, Vec<u8>)],
    passage: u64,
    id: u64,
    file: &mut File,
) -> io::Result<()> {
    let mut out = Writer::apart(file, id)?;
    head(job, passage, &mut out)?;
    for (part, line) in parts {
        for e in &part.entries {
            let at = e.offset as usize..(e.offset + e.length) as usize;
            out.section(e.section, e.rank, &part.bytes[at])?;
        }
        out.section(Section::Line, part.rank, line)?;
    }
    out.finish()?;
    Ok(())
}

/// What a file has once.
pub(crate) fn head(job: &Job, passage: u64, out: &mut Writer) -> io::Result<()> {
    out.section(Section::Job, 0, &job_meta(job, passage).encode())?;
    if !job.program.guest {
        tables(out, &job.program.types, &program_meta(&job.program))?;
    }
    if let Some(engine) = job.engine() {
        let bytes = engine.save_job(&SaveCtx::default());
        out.section(Section::EngineJob, 0, &bytes)?;
    }
    Ok(())
}

/// What it has of each rank.
pub(crate) fn parts(
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
        if let Some(guest) = rank.guest.as_deref().filter(|_| meta.finished.is_none()) {
            let mut image = Image::new(guests, &mut data);
            guest.save(&mut image)?;
            (meta.frames, meta.large) = (image.frames, image.large);
        }
        let lent = lent(&job.program, rank, &mut data)?;
        let noted = noted(&job.program, rank, &meta);
        out.end()?;
        out.section(Section::Rank, n, &meta.encode())?;
        if let Some(outside) = meta.outside() {
            out.section(Section::Outside, n, &outside)?;
        }
        if !noted.is_empty() {
            out.section(Section::Unions, n, &unions::encode(&noted))?;
        }
        handed_out(rank, n, &meta.shadow, out)?;
        lent_out(&lent, n, out)?;
        if let Some(engine) = job.engine() {
            out.section(Section::Engine, n, &engine.save(rank, &ctx))?;
        }
    }
    Ok(())
}

fn shared_objects(out: &mut Writer, rank: u64) -> io::Result<()> {
    match shared::here() {
        list if list.is_empty() => Ok(()),
        objects => {
            let given_back = shared::given_back();
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
    let parts = environment::parts(&|at| rank.owns(at));
    let one = |p: environment::Part| {
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
    let list = handed::list(rank, shadow);
    if list.is_empty() {
        return Ok(());
    }
    out.section(Section::Pieces, n, &pieces::encode(&list))
}

pub(crate) fn tables(out: &mut Writer, types: &TypeTable, program: &ProgramMeta) -> io::Result<()> {
    let mut bytes = Vec::new();
    types.encode(&mut bytes);
    out.section(Section::Types, 0, &bytes)?;
    out.section(Section::Program, 0, &program.encode())
}

fn job_meta(job: &Job, passage: u64) -> JobMeta {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    JobMeta {
        program: job.name.clone(),
        writer: format!("pc3 {}", env!("CARGO_PKG_VERSION")),
        time: u64::try_from(now.as_nanos()).unwrap_or(u64::MAX),
        ranks: job.ranks as u64,
        workers: job.workers as u64,
        passage,
        calls_mpi: job.program.calls_mpi,
        arguments: life::arguments_given(),
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
        orders: program.orders.clone(),
    }
}

/// The open data section.
pub(crate) struct Data<'a, 'f> {
    pub(crate) out: &'a mut Writer<'f>,
    pub(crate) at: u64,
}

impl Data<'_, '_> {
    fn align(&mut self) -> io::Result<u64> {
        let pad = self.at.next_multiple_of(ALIGN) - self.at;
        self.out.put(&[0; ALIGN as usize][..pad as usize])?;
        self.at += pad;
        Ok(self.at)
    }

    /// # Safety
    /// `bytes` bytes at `addr` are readable and nobody writes them now.
    unsafe fn raw(&mut self, addr: usize, bytes: usize) -> io::Result<()> {
        if bytes > 0 {
            // SAFETY: by the caller.
            self.out
                .put(unsafe { std::slice::from_raw_parts(addr as *const u8, bytes) })?;
            self.at += bytes as u64;
        }
        Ok(())
    }

    /// # Safety
    /// As `raw`.
    unsafe fn object(&mut self, addr: usize, bytes: usize) -> io::Result<Span> {
        let offset = self.align()?;
        // SAFETY: by the caller.
        unsafe { self.raw(addr, bytes)? };
        Ok(Span {
            offset,
            bytes: bytes as u64,
        })
    }
}

fn rank_data(program: &Program, rank: &mut Rank, data: &mut Data) -> io::Result<RankMeta> {
    let finished = match rank.status() {
        Status::Finished(code) => Some(code),
        _ => None,
    };
    let delta = rank.delta();
    let mut globals = Vec::new();
    for g in program.globals.iter().filter(|g| !g.constant) {
        let bytes = if g.unsaved { 0 } else { g.size };
        // SAFETY: the rank's own copy; the rank is at rest.
        globals.push(unsafe { data.object(g.addr.wrapping_add_signed(delta), bytes)? });
    }
    let (frames, shadow) = if finished.is_some() {
        (Vec::new(), Vec::new())
    } else {
        (frames(program, rank, data)?, stack(program, rank, data)?)
    };
    let (slabs, large) = heap(rank, data)?;
    Ok(RankMeta {
        finished,
        errno: rank.errno,
        floats: floats::describe(rank.floats),
        passages: rank.passages,
        delta: delta as i64 as u64,
        globals,
        frames,
        shadow,
        slabs,
        large,
        callbacks: rank
            .callbacks
            .iter()
            .map(|c| CallbackMeta {
                events: c.events as u64,
                function: c.function as usize as u64,
                context: c.context as usize as u64,
            })
            .collect(),
        files: rank.files.describe(),
        library: library(rank, data)?,
        beside: beside::save(rank),
        numbers: seen(program),
        // SAFETY: null, or a static site of the program.
        wanted: unsafe { rank.abi.site.as_ref() }
            .filter(|_| finished.is_none())
            // SAFETY: its type is null, or one of the program's.
            .map(|site| unsafe { site.ty.as_ref() }.map_or(TypeId::UNKNOWN, |t| TypeId(t.id))),
    })
}

/// Where addresses have become numbers, of the whole process.
fn seen(program: &Program) -> Vec<String> {
    let seen = program.numbers.iter().filter(|n| n.was_seen());
    let mut list: Vec<String> = seen.map(|n| n.place.clone()).collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// State outside of the program's variables, as it was gathered.
fn library(rank: &Rank, data: &mut Data) -> io::Result<LibraryMeta> {
    let mut spans = Vec::new();
    for bytes in rank.files.contents() {
        // SAFETY: the runtime's own copy.
        spans.push(unsafe { data.object(bytes.as_ptr() as usize, bytes.len())? });
    }
    let exits = rank.exits.iter().map(|x| match *x {
        AtExit::Plain(function) => ExitMeta {
            with_status: false,
            function: function as usize as u64,
            argument: 0,
        },
        AtExit::WithStatus(function, argument) => ExitMeta {
            with_status: true,
            function: function as usize as u64,
            argument: argument as usize as u64,
        },
    });
    Ok(LibraryMeta {
        exits: exits.collect(),
        process: rank.process.clone(),
        ..rank.files.library(&spans)
    })
}

/// Of unions in objects that are saved.
fn noted(program: &Program, rank: &mut Rank, meta: &RankMeta) -> Vec<UnionMeta> {
    let shapes = program.shapes.clone();
    if shapes.is_empty() {
        return Vec::new();
    }
    let delta = rank.delta();
    let globals = program.globals.iter().filter(|g| !g.constant);
    let globals = globals.map(|g| (g.addr.wrapping_add_signed(delta), g.size, g.ty.0));
    let stack = meta.shadow.iter();
    let stack = stack.map(|s| (s.addr as usize, s.data.bytes as usize, s.ty.0));
    let mut known: Vec<(usize, usize, u32)> = globals.chain(stack).collect();
    known.sort_unstable();
    let Rank { heap, unions, .. } = rank;
    let alive = |at: usize, bytes: usize| {
        let i = known.partition_point(|(start, ..)| *start <= at);
        let near = i.checked_sub(1).map(|i| known[i]);
        near.is_some_and(|(start, size, _)| at + bytes <= start + size)
            || heap
                .find(at)
                .is_some_and(|o| at + bytes <= o.base as usize + o.size)
    };
    let spans = |each: &mut dyn FnMut(usize, usize)| {
        let own = known.iter().filter(|k| shapes.has(k.2));
        own.for_each(|k| each(k.0, k.1));
        heap.for_each_object(|o| {
            if shapes.has(o.ty) {
                each(o.base as usize, o.size);
            }
        });
    };
    // SAFETY: objects of the rank, which is at rest.
    unsafe { unions.list(alive, spans) }
}

fn broken(what: &str) -> io::Error {
    io::Error::other(format!("internal error: {what}"))
}

fn frames(program: &Program, rank: &Rank, data: &mut Data) -> io::Result<Vec<FrameMeta>> {
    let mut list = Vec::new();
    for frame in rank.frames.list() {
        // SAFETY: points are static tables.
        let point = unsafe { &*frame.point };
        let func = program
            .func_index(point.func)
            .ok_or_else(|| broken("a frame of an unknown function"))?;
        let points = &program.funcs[func].points;
        let index = points
            .iter()
            .position(|p| p.raw == frame.point)
            .ok_or_else(|| broken("a frame at an unknown point"))?;
        let bytes = points[index]
            .live
            .map_or(0, |ty| program.types.size(ty) as usize);
        // SAFETY: the record has the size of its type.
        let live = unsafe { data.object(frame.live as usize, bytes)? };
        list.push(FrameMeta {
            func: func as u64,
            point: index as u64,
            live,
        });
    }
    Ok(list)
}

/// The shadow struct of a frame: address and type.
fn shadow_struct(program: &Program, frame: &pc3_frame) -> Option<(usize, TypeId)> {
    // SAFETY: points are static tables.
    let func = program.func_index(unsafe { (*frame.point).func })?;
    let ty = program.funcs[func]
        .shadow
        .filter(|_| !frame.shadow.is_null())?;
    Some((frame.shadow as usize, ty))
}

fn stack(program: &Program, rank: &Rank, data: &mut Data) -> io::Result<Vec<ShadowMeta>> {
    struct Found {
        addr: usize,
        ty: TypeId,
        bytes: usize,
        frame: Option<u64>,
    }
    let mut found = Vec::new();
    for (i, frame) in rank.frames.list().iter().enumerate() {
        if let Some((addr, ty)) = shadow_struct(program, frame) {
            found.push(Found {
                addr,
                ty,
                bytes: program.types.size(ty) as usize,
                frame: Some(i as u64),
            });
        }
    }
    let structs: Vec<(usize, usize)> = found.iter().map(|f| (f.addr, f.bytes)).collect();
    for block in rank.shadow.live_blocks(&structs) {
        // SAFETY: null or an imported descriptor.
        let ty = unsafe { block.elem.as_ref() }.map_or(TypeId::UNKNOWN, |t| TypeId(t.id));
        found.push(Found {
            addr: block.base,
            ty,
            bytes: block.bytes,
            frame: None,
        });
    }
    found.sort_by_key(|f| f.addr);
    found
        .into_iter()
        .map(|f| {
            // SAFETY: live objects of the rank's shadow stack.
            let span = unsafe { data.object(f.addr, f.bytes)? };
            Ok(ShadowMeta {
                addr: f.addr as u64,
                ty: f.ty,
                frame: f.frame,
                data: span,
            })
        })
        .collect()
}

fn heap(rank: &Rank, data: &mut Data) -> io::Result<(Vec<SlabMeta>, Vec<LargeMeta>)> {
    let (mut slabs, mut large) = (Vec::new(), Vec::new());
    for block in rank.heap.blocks() {
        match block {
            Block::Slab(slab) => slabs.push(slab_meta(&slab, data)?),
            Block::Large(obj) => {
                // SAFETY: a live object of the rank's heap.
                let span = unsafe { data.object(obj.base as usize, obj.size)? };
                large.push(LargeMeta {
                    base: obj.base as u64,
                    ty: TypeId(obj.ty),
                    data: span,
                });
            }
        }
    }
    Ok((slabs, large))
}

fn slab_meta(slab: &Slab, data: &mut Data) -> io::Result<SlabMeta> {
    let slot = slab.slot_size();
    let offset = data.align()?;
    // Neighbours go in one write.
    let mut run: Option<(usize, usize)> = None;
    for i in slab.occupied() {
        run = match run {
            Some((start, end)) if end == i => Some((start, i + 1)),
            Some((start, end)) => {
                // SAFETY: slots of a live slab.
                unsafe { data.raw(slab.base() as usize + start * slot, (end - start) * slot)? };
                Some((i, i + 1))
            }
            None => Some((i, i + 1)),
        };
    }
    if let Some((start, end)) = run {
        // SAFETY: as above.
        unsafe { data.raw(slab.base() as usize + start * slot, (end - start) * slot)? };
    }
    let each = |common: Option<u64>, of: &dyn Fn(usize) -> u64| match common {
        Some(one) => vec![one],
        None => slab.occupied().map(of).collect(),
    };
    Ok(SlabMeta {
        base: slab.base() as usize as u64,
        slot: slot as u64,
        occupied: slab.bitmap().collect(),
        sizes: each(slab.size().map(|n| n as u64), &|i| slab.size_at(i) as u64),
        types: each(slab.ty().map(u64::from), &|i| slab.type_at(i).into())
            .into_iter()
            .map(|t| TypeId(t as u32))
            .collect(),
        data: Span {
            offset,
            bytes: data.at - offset,
        },
    })
}
