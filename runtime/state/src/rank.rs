//! One logical rank: everything that a checkpoint saves of it and that generated code sees of it.

use std::ffi::CString;
use std::io;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Instant;

use pc3_heap::Arena;
use pc3_typemetric::descriptor::{pc3_rank, pc3_site};
use pc3_typemetric::plan::Plan;
use pc3_typemetric::types::{Kind, TypeId};

use crate::beside::Beside;
use crate::engine::Extension;
use crate::first_numbers::FirstNumbers;
use crate::floats::{self, Registers};
use crate::globals::Copy;
use crate::guest::Guest;
use crate::job::Job;
use crate::pieces::Pieces;
use crate::stack::callbacks::Callback;
use crate::stack::dispositions::Dispositions;
use crate::stack::exits::AtExit;
use crate::stack::frames::Frames;
use crate::stack::handlers::Handlers;
use crate::stack::jumps::Jumps;
use crate::stack::shadow::Shadow;
use crate::stack::tls;
use crate::unions::Unions;
use pc3_control::control;
use pc3_format::library::ProcessMeta;
use pc3_process::files::printing::{self, Printer};
use pc3_process::files::{Files, Owner};
use pc3_process::locale::Locale;
use pc3_process::working_directory::WorkingDirectory;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Executes user code (or has not begun).
    Running,
    /// Its frames are records; the stack is empty.
    Unwound,
    /// `main` returned or called `exit`.
    Finished(i32),
}

/// Bytes between arrays on the heap of programs that keep pointers in front of them: most of these are one element away.
const APART: usize = 32;

/// So many ranks have guards behind their shadow stacks.
const GUARDED: usize = 1024;

#[repr(C)]
pub struct Rank {
    /// What generated code sees; first, so that `pc3_me` is the rank's address.
    pub abi: pc3_rank,
    id: usize,
    job: Arc<Job>,
    pub status: Status,
    /// Its typed heap.
    pub heap: Arena,
    pub shadow: Shadow,
    pub unions: Unions,
    pub pieces: Pieces,
    pub frames: Frames,
    /// Its copy of the writable globals; none: they are used in place.
    pub globals: Option<Copy>,
    pub files: Files,
    pub callbacks: Vec<Callback>,
    pub jumps: Jumps,
    /// Values that a restart gives variables of the C library.
    pub variables: Vec<(u64, usize)>,
    /// Its pointers outside of their objects.
    pub beside: Beside,
    pub first_numbers: FirstNumbers,
    /// Where what an architecture gave was kept before a restart, and what decides.
    pub orders: Vec<(String, u32)>,
    /// After a restart: what the caller of an allocation wrapper had left.
    pub wanted: Box<pc3_site>,
    /// The size that it was asked for with is another architecture's.
    pub wanted_plan: Option<Arc<Plan>>,
    pub exits: Vec<AtExit>,
    /// Functions for its end run, or have run.
    pub ending: bool,
    /// Destructors that have been run.
    pub destroyed: usize,
    /// Of the first rank of a process: what the program made of it, and strings in the program's memory
    /// that are in its environment.
    pub process: Option<ProcessMeta>,
    pub own_environment: Vec<usize>,
    pub working_directory: WorkingDirectory,
    pub locale: Locale,
    pub dispositions: Dispositions,
    pub handlers: Handlers,
    pub critical: u32,
    /// How many functions of the program's run that are no steps of its course: see [`Rank::in_course`].
    pub aside: u32,
    /// Where on the stack a function that cannot be saved has begun and not returned (one that MPI calls, or that the author
    /// says it of); 0: nowhere.
    pub below: usize,
    /// Which time it has passed a line of its own: see [`Rank::passes_line`].
    line: AtomicU64,
    /// Locations passed while they were counted.
    pub passages: u64,
    /// It passes locations without a look until its counter is there, as long as there is no news.
    passing: Option<Passing>,
    /// Since when it stands still for a checkpoint.
    stands: Option<Instant>,
    pub errno: i32,
    pub floats: Registers,
    /// What `main` is called with, if that is not what the process was started with.
    pub arguments: Option<Box<[CString]>>,
    /// It has ended, and nothing in its memory is needed any more.
    pub retired: bool,
    /// It continues from a file, not in the process that wrote it.
    pub restarted: bool,
    /// The engine's own state of this rank.
    pub extension: Extension,
    /// Frames and objects of a program that is not C.
    pub guest: Option<Box<dyn Guest>>,
}

/// Locations that are passed without a look.
#[derive(Clone, Copy)]
struct Passing {
    /// The counter of generated code at the first one that is looked at again.
    until: u32,
    as_of: u32,
}

impl Passing {
    #[inline]
    fn holds(&self, counter: u32, news: u32) -> bool {
        (counter.wrapping_sub(self.until) as i32) < 0 && self.as_of == news
    }
}

/// So many that the counter, which wraps, still tells how many it were.
const MOST_PASSED: u64 = 1 << 30;

// SAFETY: a rank runs on one thread at a time; its raw pointers lead to its own memory.
unsafe impl Send for Rank {}

impl Rank {
    /// A rank with empty heap and stack, its globals as the program starts with them.
    pub fn new(job: Arc<Job>, id: usize) -> io::Result<Box<Rank>> {
        let shadow = Shadow::new(job.shadow, job.ranks <= GUARDED)?;
        let globals = if id > 0 && job.program.private_globals {
            Copy::new(&job.program)?
        } else {
            None
        };
        let shapes = job.program.shapes.clone();
        let mut rank = Box::new(Rank {
            abi: pc3_rank::new(shadow.start(), shadow.end()),
            id,
            job,
            status: Status::Running,
            heap: Arena::new(id as u32),
            shadow,
            unions: Unions::new(shapes),
            pieces: Pieces::default(),
            frames: Frames::default(),
            globals,
            files: Files::default(),
            callbacks: Vec::new(),
            jumps: Jumps::default(),
            variables: Vec::new(),
            beside: Beside::default(),
            first_numbers: FirstNumbers::default(),
            orders: Vec::new(),
            wanted: Box::new(pc3_site {
                ty: null_mut(),
                file: c"".as_ptr(),
                line: 0,
                head: null_mut(),
            }),
            wanted_plan: None,
            exits: Vec::new(),
            ending: false,
            destroyed: 0,
            process: None,
            own_environment: Vec::new(),
            working_directory: WorkingDirectory::default(),
            locale: Locale::default(),
            dispositions: Dispositions::default(),
            handlers: Handlers::default(),
            critical: 0,
            aside: 0,
            below: 0,
            line: AtomicU64::new(0),
            passages: 0,
            passing: None,
            stands: None,
            errno: 0,
            floats: floats::first(),
            arguments: None,
            retired: false,
            restarted: false,
            extension: None,
            guest: None,
        });
        let delta = rank.delta();
        let program = rank.job.clone();
        for (at, ty, _, k) in &program.program.unions {
            // SAFETY: unions in the rank's globals.
            unsafe { rank.unions.set(at.wrapping_add_signed(delta), *ty, *k) };
        }
        Ok(rank)
    }

    /// A rank that others bring into being: its `main` gets these arguments, and it counts its locations from where they are.
    pub fn spawned(
        job: Arc<Job>,
        id: usize,
        arguments: Box<[CString]>,
        passages: u64,
    ) -> io::Result<Box<Rank>> {
        let mut rank = Rank::new(job, id)?;
        rank.arguments = Some(arguments);
        rank.passages = passages;
        rank.abi.passages = passages as u32;
        Ok(rank)
    }

    /// The logical rank's number, 0.. .
    #[inline]
    pub fn id(&self) -> usize {
        self.id
    }

    /// It waits for a checkpoint from here on, unless it does already.
    pub fn stands(&mut self) {
        self.stands.get_or_insert_with(Instant::now);
    }

    /// It goes on; since when it had stood still.
    pub fn moves(&mut self) -> Option<Instant> {
        self.stands.take()
    }

    #[inline]
    pub fn job(&self) -> &Arc<Job> {
        &self.job
    }

    #[inline]
    pub fn status(&self) -> Status {
        self.status
    }

    /// What it begins with, if it was spawned and has not begun.
    pub fn yet_to_begin(&self) -> Option<&[CString]> {
        let running = self.status == Status::Running;
        self.arguments.as_deref().filter(|_| running)
    }

    /// Such a function begins, whose frame has an address `here`; returns what `below` was before.  Within a handler nothing
    /// changes: it may have another stack, and is passed by itself.
    pub fn begin_below(&mut self, here: usize) -> usize {
        let outer = match self.handlers.is_below() {
            true => self.below,
            false => self.below.max(here),
        };
        std::mem::replace(&mut self.below, outer)
    }

    /// The program jumps to a frame with this address.
    pub fn jump_to(&mut self, frame: usize) {
        self.handlers.jump_to(frame);
        if frame >= self.below {
            self.below = 0;
        }
    }

    /// Does what runs have such a function below it on the stack?  One that was left by a jump is behind the rank as soon as that is
    /// further out.
    #[inline]
    pub fn is_below(&mut self) -> bool {
        let here = 0u8;
        if (&raw const here).addr() >= self.below {
            self.below = 0;
        }
        self.below != 0
    }

    #[inline]
    pub fn in_critical(&self) -> bool {
        self.critical > 0
    }

    /// The same of a rank that may run meanwhile, as it was a moment ago.
    ///
    /// # Safety
    /// `rank` is one.
    pub unsafe fn was_in_critical(rank: *const Rank) -> bool {
        // SAFETY: an aligned word, of which any recent value will do.
        unsafe { (&raw const (*rank).critical).read_volatile() > 0 }
    }

    /// Locations passed so far, where generated code counts them (its counter may have wrapped).
    pub fn count_passages(&mut self) -> u64 {
        let new = self.abi.passages.wrapping_sub(self.passages as u32);
        self.passages += u64::from(new);
        self.passages
    }

    /// As far as they have been counted.
    pub fn passages_seen(&self) -> u64 {
        self.passages
    }

    /// Nothing can be due before the `ahead`-th location from here, unless there is other news than `as_of`
    /// ([`control::news`], asked for before this was found out).
    pub fn pass_until(&mut self, ahead: u64, as_of: u32) {
        let ahead = ahead.min(MOST_PASSED);
        self.passing = Some(Passing {
            until: (self.passages as u32).wrapping_add(ahead as u32),
            as_of,
        });
    }

    /// Whether it is still as [`Rank::pass_until`] was told.
    #[inline]
    pub fn passes(&self) -> bool {
        self.passing
            .is_some_and(|it| it.holds(self.abi.passages, control::news()))
    }

    /// Marks the rank as ended; the engine calls it when `body` returned or `exit` was called.
    pub fn finish(&mut self, code: i32) {
        self.status = Status::Finished(code);
    }

    /// It has ended, and the engine has nothing that leads into its memory.  Checkpoints have no more of ranks that were
    /// spawned than that.
    pub fn retire(&mut self) {
        if self.id >= self.job.world {
            self.retired = true;
            self.callbacks.clear();
            self.exits.clear();
            self.jumps.clear();
            self.beside = Beside::default();
            self.pieces = Pieces::default();
            self.unions = Unions::new(self.job.program.shapes.clone());
        }
    }

    /// As many bytes as `n` of where the request came from are here, at least.
    #[inline]
    pub fn asked(&self, n: usize, site: *const pc3_site) -> usize {
        match self.wanted_plan.is_some() && std::ptr::eq(site, &raw const *self.wanted) {
            true => self.wanted_here(n),
            false => n,
        }
    }

    #[cold]
    fn wanted_here(&self, n: usize) -> usize {
        let plan = self.wanted_plan.as_ref();
        let here = plan.and_then(|p| p.dst_size(n as u64).ok());
        here.map_or(n, |here| n.max(here as usize))
    }

    /// To be called before objects of a type are allocated.
    #[inline]
    pub fn about_to_allocate(&mut self, ty: u32) {
        let program = &self.job.program;
        if program.strays {
            let kind = program.types.get(TypeId(ty)).kind;
            let counted =
                kind.is_integer() || matches!(kind, Kind::Float | Kind::Complex | Kind::Pointer);
            let apart = counted && kind != Kind::Char;
            self.heap.keep_apart(if apart { APART } else { 0 });
        }
    }

    /// Is it memory of this rank's objects, or a constant of the program?
    #[inline]
    pub fn owns(&self, addr: usize) -> bool {
        let program = &self.job.program;
        let inside = |start: usize, size: usize| addr.wrapping_sub(start) < size;
        let delta = self.delta();
        self.heap.find(addr).is_some()
            || program.literals.iter().any(|l| inside(l.addr, l.size))
            || program.globals.iter().any(|g| {
                let moved = if g.constant { 0 } else { delta };
                inside(g.addr.wrapping_add_signed(moved), g.size)
            })
            || (self.shadow.start() as usize..self.shadow.end() as usize).contains(&addr)
    }

    /// Of which type are so many bytes at an address that a library has been given as that of anything?  Unknown on the stack.
    #[cold]
    pub fn held_at(&self, addr: usize, bytes: usize) -> TypeId {
        let program = &self.job.program;
        let variable = |moved: isize, constant: bool| {
            let found = program.variable_at(addr.wrapping_sub(moved as usize));
            let found = found.filter(|g| g.constant == constant);
            found.map(|g| (g.addr.wrapping_add_signed(moved), g.ty))
        };
        let literal = || {
            let mut all = program.literals.iter();
            let found = all.find(|l| addr.wrapping_sub(l.addr) < l.size);
            found.map(|l| (l.addr, l.ty))
        };
        let found = match self.heap.find(addr) {
            Some(object) => Some((object.base as usize, TypeId(object.ty))),
            None => variable(self.delta(), false)
                .or_else(|| variable(0, true))
                .or_else(literal),
        };
        let known = found.filter(|(_, ty)| {
            // What such a block is handed out for says more than its own type.
            let dealt = program.dealt.get(ty.index()).copied();
            !dealt.unwrap_or(false) && program.types.contains(*ty)
        });
        known.map_or(TypeId::UNKNOWN, |(start, ty)| {
            let (at, bytes) = ((addr - start) as u64, bytes as u64);
            program.types.values_at(ty, at, bytes).unwrap_or_default()
        })
    }

    /// Whose memory the buffers of its streams in memory are.
    #[inline]
    pub fn owner(&mut self) -> Owner {
        let ty = self.job.program.char_type().0;
        Owner::new(self.id, &raw mut self.heap, ty)
    }

    /// Distance from a global's template to this rank's copy.
    #[inline]
    pub fn delta(&self) -> isize {
        self.globals.as_ref().map_or(0, Copy::delta)
    }

    /// Makes this the calling thread's rank; to be called whenever its stack gets control.
    #[inline]
    pub fn make_current(&mut self) {
        tls::set(&raw mut self.abi, self.delta());
        self.working_directory.enter(self.id);
        self.locale.enter();
    }

    /// It passes its line, of those that are passed now.
    pub fn passes_line(&self) {
        self.line.store(printing::times(), Relaxed);
    }

    /// Has it passed its line of that time?
    pub fn is_behind(&self, time: u64) -> bool {
        self.line.load(Relaxed) == time
    }

    /// Is what runs on this thread a step of the rank's course, which it takes again behind a checkpoint?  A signal's handler
    /// is none, nor a callback around checkpoints, nor the function of a reduction.
    pub fn in_course(&mut self) -> bool {
        std::ptr::eq(tls::me(), &raw const self.abi) && self.aside == 0 && !self.handlers.is_below()
    }

    /// The calling thread's rank.
    ///
    /// # Safety
    /// No other reference to it may be in use: callers are entry points called by user code.
    #[inline]
    pub unsafe fn current<'a>() -> Option<&'a mut Rank> {
        // SAFETY: `abi` is the first field of a repr(C) struct, so the addresses agree.
        unsafe { tls::me().cast::<Rank>().as_mut() }
    }
}

impl Printer for Rank {
    #[inline]
    fn id(&self) -> usize {
        Rank::id(self)
    }
    fn is_behind(&mut self, time: u64) -> bool {
        self.in_course() && Rank::is_behind(self, time)
    }
    fn has_printed(&self, output: u8) -> bool {
        let engine = self.job().engine();
        engine.is_some_and(|engine| engine.has_printed(output))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_passed_until_the_counter_is_there_or_there_is_news() {
        let wraps = Passing { until: 2, as_of: 7 };
        assert!(wraps.holds(u32::MAX - 5, 7));
        assert!(wraps.holds(1, 7));
        assert!(!wraps.holds(2, 7));
        assert!(!wraps.holds(3, 7));
        assert!(!wraps.holds(1, 8));
    }
}
