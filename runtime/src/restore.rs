//! Builds the complete state of all ranks from a checkpoint, before any user code runs.
//!
//! First every object gets its place here (so that every address has a translation), then each is
//! converted by its type's plan.  The first value that cannot be represented ends it, by name.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;

use thiserror::Error;

use pc3_typemetric::plan::{Mismatch, Plan};
use pc3_typemetric::types::{TypeId, TypeTable};

use crate::callbacks::Callback;
use crate::format::meta::{ProgramMeta, Span};
use crate::format::read::{Checkpoint, RankImage, ReadError};
use crate::identity::differences;
use crate::job::Job;
use crate::objects::{Directory, SlabPlace};
use crate::partner::Plans;
use crate::rank::{Rank, Status};
use crate::registry::Program;
use crate::save::program_meta;
use crate::shadow::Shadow;
use crate::store::StoreError;
use crate::tell::say;
use crate::transfer::LoadError;
use crate::translate::{Loader, Translator};

#[derive(Debug, Error)]
pub enum RestoreError {
    #[error("it was written by another program, or another version of it:{}", lines(.0))]
    OtherProgram(Vec<String>),
    #[error("it has {saved} ranks, and PC3_RANKS (pc3run -n) asks for {here}: say {saved} or leave it out")]
    Ranks { saved: u64, here: usize },
    #[error("{0}")]
    Read(#[from] ReadError),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{name}: {}", mismatches(.list))]
    Types { name: String, list: Vec<Mismatch> },
    #[error("rank {rank}: {name}{error}")]
    Value {
        rank: usize,
        name: String,
        error: String,
    },
    #[error("rank {rank}: no memory for {what}")]
    Memory { rank: usize, what: String },
    #[error("rank {rank}: {message}")]
    Other { rank: usize, message: String },
}

fn lines(list: &[String]) -> String {
    let mut text: String = list.iter().take(10).map(|l| format!("\n  {l}")).collect();
    if list.len() > 10 {
        text.push_str(&format!("\n  and {} more", list.len() - 10));
    }
    text
}

fn mismatches(list: &[Mismatch]) -> String {
    let mut all: Vec<String> = list.iter().take(3).map(ToString::to_string).collect();
    if list.len() > 3 {
        all.push(format!("and {} more", list.len() - 3));
    }
    all.join("; ")
}

/// An object that waits for its bytes.
struct Pending {
    name: Name,
    span: Span,
    target: usize,
    bytes: usize,
    plan: Arc<Plan>,
    /// Bytes of unknown type, which may hold pointers.
    untyped: bool,
}

/// What an object is called in messages; put into words only when needed.
#[derive(Clone, Copy)]
enum Name {
    Global(usize),
    Live { func: usize },
    Shadow { func: usize },
    Block,
    Heap(TypeId),
}

struct RankBuilder<'a, 'p> {
    checkpoint: &'a Checkpoint,
    program: &'a Program,
    image: &'a RankImage,
    plans: &'a mut Plans<'p>,
    rank: &'a mut Rank,
    directory: Directory,
    pending: Vec<Pending>,
}

pub(crate) fn restore(
    checkpoint: &Checkpoint,
    job: &Arc<Job>,
    ranks: &mut [Box<Rank>],
) -> Result<(), RestoreError> {
    let program = &job.program;
    let here = program_meta(program);
    let found = differences(&checkpoint.program, &here);
    if !found.is_empty() {
        return Err(RestoreError::OtherProgram(found));
    }
    if checkpoint.job.ranks != ranks.len() as u64 {
        return Err(RestoreError::Ranks {
            saved: checkpoint.job.ranks,
            here: ranks.len(),
        });
    }
    let mut plans = Plans::new(&checkpoint.types, &program.types);
    let mut directories = Vec::new();
    let mut images = Vec::new();
    for rank in ranks.iter_mut() {
        let image = checkpoint.rank(rank.id() as u64)?;
        directories.push(one_rank(
            checkpoint, program, &here, &image, &mut plans, rank,
        )?);
        images.push(image.engine);
    }
    job.control.resume_at(checkpoint.job.passage);
    engines(checkpoint, job, ranks, &directories, &images)?;
    // Nothing can be refused from here on.
    job.continued(checkpoint.id())?;
    for rank in ranks.iter_mut() {
        let id = rank.id();
        let settled = rank.files.settle(id == 0);
        settled.map_err(|message| RestoreError::Other { rank: id, message })?;
    }
    Ok(())
}

fn engines(
    checkpoint: &Checkpoint,
    job: &Job,
    ranks: &mut [Box<Rank>],
    directories: &[Directory],
    images: &[Vec<u8>],
) -> Result<(), RestoreError> {
    let program = &job.program;
    let Some(engine) = job.engine() else {
        return Ok(());
    };
    let wrong = |rank: usize| {
        move |e: LoadError| RestoreError::Other {
            rank,
            message: e.to_string(),
        }
    };
    if let Some(first) = directories.first() {
        let ctx = Loader::new(&checkpoint.types, &program.types, first);
        engine
            .load_job(&checkpoint.engine_job()?, &ctx)
            .map_err(wrong(0))?;
    }
    for ((rank, directory), bytes) in ranks.iter_mut().zip(directories).zip(images) {
        let ctx = Loader::new(&checkpoint.types, &program.types, directory);
        let id = rank.id();
        engine.load(rank, bytes, &ctx).map_err(wrong(id))?;
    }
    Ok(())
}

fn one_rank<'p>(
    checkpoint: &Checkpoint,
    program: &Program,
    here: &ProgramMeta,
    image: &RankImage,
    plans: &mut Plans<'p>,
    rank: &mut Rank,
) -> Result<Directory, RestoreError> {
    let mut builder = RankBuilder {
        checkpoint,
        program,
        image,
        plans,
        rank,
        directory: Directory::new(!checkpoint.types.abi().same_layout(program.types.abi())),
        pending: Vec::new(),
    };
    builder.constants(here)?;
    builder.globals()?;
    builder.frames()?;
    builder.heap()?;
    builder.finish()
}

impl RankBuilder<'_, '_> {
    fn words(&self, name: Name) -> String {
        let funcs = &self.checkpoint.program.funcs;
        match name {
            Name::Global(i) => format!("global {}", self.checkpoint.program.globals[i].name),
            Name::Live { func } | Name::Shadow { func } => funcs[func].name.clone(),
            Name::Block => "array on the stack ".to_owned(),
            Name::Heap(ty) => format!("heap object '{}'", self.checkpoint.types.describe(ty)),
        }
    }

    fn types(&self, name: Name) -> impl FnOnce(Vec<Mismatch>) -> RestoreError {
        let name = self.words(name);
        move |list| RestoreError::Types { name, list }
    }

    fn memory(&self, what: &str) -> RestoreError {
        RestoreError::Memory {
            rank: self.rank.id(),
            what: what.to_owned(),
        }
    }

    fn size(&self, plan: &Plan, bytes: u64, name: Name) -> Result<usize, RestoreError> {
        let size = plan
            .dst_size(bytes)
            .map_err(|e| self.value(name, &e.to_string()))?;
        usize::try_from(size).map_err(|_| self.memory(&self.words(name)))
    }

    fn value(&self, name: Name, error: &str) -> RestoreError {
        let name = self.words(name);
        // Paths of members begin with a dot and continue the name; messages without one do not.
        let glue = if error.starts_with(['.', '[']) {
            ""
        } else {
            ": "
        };
        RestoreError::Value {
            rank: self.rank.id(),
            name,
            error: format!("{glue}{error}"),
        }
    }

    /// What is the same in every run: constants, literals, functions.
    fn constants(&mut self, here: &ProgramMeta) -> Result<(), RestoreError> {
        let saved = &self.checkpoint.program;
        for (i, (a, b)) in saved
            .globals
            .iter()
            .zip(&here.globals)
            .enumerate()
            .filter(|(_, (a, _))| a.constant)
        {
            let plan = self
                .plans
                .get(a.ty, b.ty)
                .map_err(self.types(Name::Global(i)))?;
            self.directory
                .object(a.addr, a.size, a.ty, b.addr as usize, plan);
        }
        let by_contents: HashMap<&[u8], u64> = here
            .literals
            .iter()
            .map(|l| (&l.bytes[..], l.addr))
            .collect();
        for l in &saved.literals {
            let Ok((_, plan)) = self.plans.find(l.ty) else {
                continue;
            };
            let mut bytes = vec![0; plan.dst_size(l.bytes.len() as u64).unwrap_or(0) as usize];
            let converted = plan.run_object(
                &l.bytes,
                &mut bytes,
                &mut pc3_typemetric::plan::NoReferences,
            );
            if let Some(addr) = converted.ok().and_then(|()| by_contents.get(&bytes[..])) {
                self.directory
                    .literal(l.addr, l.bytes.len() as u64, l.ty, *addr as usize, plan);
            }
        }
        let functions: HashMap<&str, u64> = here.fnrefs.iter().map(|(n, a)| (&n[..], *a)).collect();
        for (name, addr) in &saved.fnrefs {
            if let Some(to) = functions.get(&name[..]) {
                self.directory.function(*addr, *to as usize);
            }
        }
        Ok(())
    }

    fn globals(&mut self) -> Result<(), RestoreError> {
        let saved = &self.checkpoint.program.globals;
        let writable = saved.iter().enumerate().filter(|(_, g)| !g.constant);
        let delta = self.rank.delta();
        for ((i, g), span) in writable.zip(&self.image.meta.globals) {
            let name = Name::Global(i);
            let to = &self.program.globals[i];
            let plan = self.plans.get(g.ty, to.ty).map_err(self.types(name))?;
            let bytes = self.size(&plan, g.size, name)?;
            if bytes != to.size {
                let error = format!(
                    "it has {bytes} bytes in the checkpoint's shape, and {} here",
                    to.size
                );
                return Err(self.value(name, &error));
            }
            let target = to.addr.wrapping_add_signed(delta);
            let start =
                g.addr.wrapping_add(self.image.meta.delta) & address_mask(self.plans.source);
            self.directory
                .object(start, g.size, g.ty, target, plan.clone());
            self.pending.push(Pending {
                name,
                span: *span,
                target,
                bytes,
                plan,
                untyped: false,
            });
        }
        Ok(())
    }

    fn frames(&mut self) -> Result<(), RestoreError> {
        let meta = &self.image.meta;
        let mut structs = vec![std::ptr::null_mut::<c_void>(); meta.frames.len()];
        self.rank.shadow.reset();
        for s in &meta.shadow {
            let func = s.frame.map(|f| meta.frames[f as usize].func as usize);
            let name = func.map_or(Name::Block, |func| Name::Shadow { func });
            let (to, plan) = match func {
                Some(func) => {
                    let to = self.program.funcs[func].shadow.unwrap_or(TypeId::UNKNOWN);
                    (to, self.plans.get(s.ty, to).map_err(self.types(name))?)
                }
                None => self.plans.find(s.ty).map_err(self.types(name))?,
            };
            let bytes = self.size(&plan, s.data.bytes, name)?;
            let align = usize::from(self.program.types.get(to).align);
            let elem = self
                .program
                .descriptors
                .get(&to)
                .copied()
                .unwrap_or(std::ptr::null_mut());
            let shadow: &mut Shadow = &mut self.rank.shadow;
            let placed = match func {
                Some(_) => shadow.push_struct(bytes, align),
                None => shadow.push_block(bytes, elem),
            };
            let Some(target) = placed else {
                return Err(self.memory(
                    "the stack of locals whose address escapes; set PC3_SHADOW to a larger size",
                ));
            };
            if let Some(f) = s.frame {
                structs[f as usize] = target as *mut c_void;
            }
            self.directory
                .object(s.addr, s.data.bytes, s.ty, target, plan.clone());
            self.pending.push(Pending {
                name,
                span: s.data,
                target,
                bytes,
                plan,
                untyped: s.ty == TypeId::UNKNOWN,
            });
        }
        self.rank.frames.clear();
        for (f, shadow) in meta.frames.iter().zip(structs) {
            let func = f.func as usize;
            let name = Name::Live { func };
            let from = self.checkpoint.program.funcs[func].points[f.point as usize].live;
            let point = &self.program.funcs[func].points[f.point as usize];
            let (Some(from), Some(to)) = (from, point.live) else {
                self.rank.frames.push(point.raw, 0, shadow);
                continue;
            };
            let plan = self.plans.get(from, to).map_err(self.types(name))?;
            let bytes = self.program.types.size(to) as usize;
            let target = self.rank.frames.push(point.raw, bytes, shadow) as usize;
            self.pending.push(Pending {
                name,
                span: f.live,
                target,
                bytes,
                plan,
                untyped: false,
            });
        }
        Ok(())
    }

    fn heap(&mut self) -> Result<(), RestoreError> {
        for l in &self.image.meta.large {
            let name = Name::Heap(l.ty);
            let (to, plan) = self.plans.find(l.ty).map_err(self.types(name))?;
            let bytes = self.size(&plan, l.data.bytes, name)?;
            let target = self.rank.heap.alloc_zeroed(bytes, to.0) as usize;
            if target == 0 {
                return Err(self.memory(&format!("a heap object of {bytes} bytes")));
            }
            self.directory
                .object(l.base, l.data.bytes, l.ty, target, plan.clone());
            self.pending.push(Pending {
                name,
                span: l.data,
                target,
                bytes,
                plan,
                untyped: l.ty == TypeId::UNKNOWN,
            });
        }
        for s in &self.image.meta.slabs {
            let count = s.count() as usize;
            let mut targets = Vec::with_capacity(count);
            let mut plans = Vec::new();
            let mut k = 0;
            // One round for alike objects, else one per object.
            let alike = s.sizes.len() == 1 && s.types.len() == 1;
            while targets.len() < count {
                let Some((size, ty)) = s.object(k) else { break };
                let name = Name::Heap(ty);
                let (to, plan) = self.plans.find(ty).map_err(self.types(name))?;
                let bytes = self.size(&plan, size, name)?;
                let n = if alike { count } else { 1 };
                let made = self.rank.heap.alloc_many(bytes, to.0, n, |p| {
                    // SAFETY: a fresh object of this size.
                    unsafe { p.write_bytes(0, bytes) };
                    targets.push(p as usize);
                });
                if made < n {
                    return Err(self.memory("the heap"));
                }
                if s.types.len() > 1 || plans.is_empty() {
                    plans.push(plan);
                }
                k += 1;
            }
            self.directory.slab(SlabPlace::new(s, plans, targets));
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Directory, RestoreError> {
        let id = self.rank.id();
        let other = |message: String| RestoreError::Other { rank: id, message };
        self.directory
            .seal()
            .map_err(|(a, b)| other(format!("objects at {a:#x} and {b:#x} overlap")))?;
        let mut streams = HashMap::new();
        let files = &self.image.meta.files;
        self.rank
            .files
            .reopen(files, |saved, here| _ = streams.insert(saved, here))
            .map_err(other)?;
        let mut translator = Translator::new(self.plans.source, &self.directory, streams);
        for p in &self.pending {
            // SAFETY: a place made for this object, which nobody else uses now.
            let into = unsafe { target(p.target, p.bytes) };
            let done = p
                .plan
                .run_object(self.image.bytes(p.span), into, &mut translator);
            done.map_err(|e| self.value(p.name, &e.to_string()))?;
            if p.untyped {
                translator.untyped(self.image.bytes(p.span), into);
            }
            translator.lost_in(|| self.words(p.name));
        }
        for (s, place) in self.image.meta.slabs.iter().zip(&self.directory.slabs) {
            let data = self.image.bytes(s.data);
            for (k, (to, slot)) in place
                .targets()
                .iter()
                .zip(data.chunks_exact(s.slot as usize))
                .enumerate()
            {
                let Some((size, ty)) = s.object(k) else { break };
                let plan = place.plan(k);
                let name = Name::Heap(ty);
                let bytes = plan
                    .dst_size(size)
                    .map_err(|e| self.value(name, &e.to_string()))?
                    as usize;
                // SAFETY: as above.
                let into = unsafe { target(*to, bytes) };
                let done = plan.run_object(&slot[..size as usize], into, &mut translator);
                done.map_err(|e| self.value(name, &e.to_string()))?;
                if ty == TypeId::UNKNOWN {
                    translator.untyped(&slot[..size as usize], into);
                }
                translator.lost_in(|| self.words(name));
            }
        }
        for report in translator
            .report()
            .into_iter()
            .chain(translator.ambiguous())
        {
            say(&format!("rank {id}: {report}"));
        }
        for c in &self.image.meta.callbacks {
            let function = translator.address(c.function);
            let function = function.ok_or_else(|| {
                other("a callback of pc3_on is not a function of this program".to_owned())
            })?;
            self.rank.callbacks.push(Callback {
                events: c.events as i32,
                // SAFETY: the function that was registered, by name.
                function: unsafe {
                    std::mem::transmute::<usize, unsafe extern "C" fn(i32, *mut c_void)>(function)
                },
                context: translator.address(c.context).unwrap_or(0) as *mut c_void,
            });
        }
        self.rank.errno = self.image.meta.errno;
        self.rank.passages = self.image.meta.passages;
        self.rank.abi.passages = self.image.meta.passages as u32;
        self.rank.restarted = true;
        self.rank.status = self
            .image
            .meta
            .finished
            .map_or(Status::Unwound, Status::Finished);
        Ok(self.directory)
    }
}

fn address_mask(types: &TypeTable) -> u64 {
    if types.abi().pointer.size >= 8 {
        u64::MAX
    } else {
        u64::from(u32::MAX)
    }
}

/// # Safety
/// `bytes` bytes at `addr` are ours to write while the slice lives.
unsafe fn target<'a>(addr: usize, bytes: usize) -> &'a mut [u8] {
    if bytes == 0 {
        return &mut [];
    }
    // SAFETY: by the caller.
    unsafe { std::slice::from_raw_parts_mut(addr as *mut u8, bytes) }
}
