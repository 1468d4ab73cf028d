//! Builds the complete state of all ranks from a checkpoint, before any user code runs.
//!
//! First every object gets its [`place`] here (so that every address has a translation), then each is
//! converted by its type's plan ([`fill`]).  The first value that cannot be represented ends it, by name.
//!
//! * `place`, `heap`: where objects go; `texts`, `lent`: string literals, the environment.
//! * `fill`: all values; `convert`: one object; `pieces`, `struct_overlay`: blocks in pieces, one struct in the place of another.
//! * `differs`: what means something else here, and is kept; `error`: why a checkpoint cannot be continued.

mod convert;
mod differs;
mod error;
mod fill;
mod heap;
mod lent;
mod pieces;
mod place;
mod struct_overlay;
mod texts;

use std::sync::Arc;

use pc3_typemetric::abi::Abi;
use pc3_typemetric::codes;
use pc3_typemetric::descriptor::PC3_ORDER_WAY;
use pc3_typemetric::plan::{Mismatch, Plan};
use pc3_typemetric::types::TypeId;

use crate::address_map::type_matching::Plans;
use crate::address_map::Directory;
use crate::identity::differences;
use crate::loader::Loader;
use crate::process::attributes::{apply_locale, check, environment_again};
use crate::save::program_meta;
use crate::size_flows;
use error::allocated;
pub use error::{small_address_space, RestoreError};
use pc3_control::report::flush_standard;
use pc3_control::settings::Addresses;
use pc3_format::library::ProcessMeta;
use pc3_format::meta::{ProgramMeta, Span};
use pc3_format::read::{Checkpoint, RankImage};
use pc3_format::shared::SharedMeta;
use pc3_process::shared_objects::{self, Shared};
use pc3_state::guest::Source;
use pc3_state::job::Job;
use pc3_state::program::registry::{Number, OrderDependence, Program};
use pc3_state::rank::Rank;
use pc3_state::transfer::LoadError;
use place::Constants;

/// An object that waits for its bytes.
struct Pending {
    name: Name,
    /// Its address in the checkpoint; 0: it has none.
    start: u64,
    span: Span,
    target: usize,
    bytes: usize,
    plan: Arc<Plan>,
    /// Its type in the checkpoint.
    ty: TypeId,
    /// Bytes of unknown type, which may hold pointers.
    untyped: bool,
}

/// What an object is called in messages; put into words only when needed.
#[derive(Clone, Copy)]
enum Name {
    Global(usize),
    /// The frame's point is the number of one of the function's.
    Live {
        func: usize,
        point: usize,
    },
    Shadow {
        func: usize,
        point: usize,
    },
    Block,
    Heap(TypeId),
    Environment,
}

struct RankBuilder<'a, 'p> {
    checkpoint: &'a Checkpoint,
    program: &'a Program,
    image: &'a RankImage,
    plans: &'a mut Plans<'p>,
    rank: &'a mut Rank,
    directory: Directory,
    pending: Vec<Pending>,
    /// Variables that have more bytes in the checkpoint's shape: those, and where how many of them belong.
    longer: Vec<(Name, Box<[u8]>, usize, usize)>,
    /// The program's stack for signals: from where, how many bytes. No handler runs at a checkpoint.
    signals: Option<(u64, u64)>,
    /// For addresses kept as numbers.
    look: bool,
    /// Of the objects with such an address now, the first that is not where it was.
    moved: Option<Name>,
    /// Some constant is not where it was.
    displaced: bool,
}

pub fn restore(
    checkpoint: &Checkpoint,
    job: &Arc<Job>,
    ranks: &mut [Box<Rank>],
) -> Result<(), RestoreError> {
    let program = &job.program;
    let here = program_meta(program);
    same_program(checkpoint, job, &here)?;
    let abis = [&checkpoint.types, &program.types].map(|t| t.abi());
    if job.byte_order {
        differs::agree(abis, checkpoint.program.orders.iter(), false)?;
    }
    size_flows::go_on_from(&checkpoint.program.orders);
    let mut plans = Plans::new(&checkpoint.types, &program.types);
    let mut environment = Vec::new();
    let loaded = shared_objects::here();
    let constants = Constants::of(&here);
    job.control.continues_from(checkpoint.job.passage);
    if !program.guest && abis[0].same_layout(abis[1]) {
        heap::reserve(checkpoint, ranks)?;
    }
    // One rank after the other, and nothing of one is kept for the next: there may be 100,000.
    for (i, rank) in ranks.iter_mut().enumerate() {
        let mut image = checkpoint.rank(rank.id() as u64)?;
        compare_numbers(checkpoint, job, rank, &mut image)?;
        let own = image.meta.library.process.as_ref();
        let signals = own.and_then(|p| p.limits.stack);
        process_of(checkpoint, &mut image, (i, rank.id()), &mut environment)?;
        let directory = one_rank(
            checkpoint,
            job,
            &constants,
            &image,
            (&environment, &loaded, signals),
            &mut plans,
            rank,
        )?;
        let state = (std::mem::take(&mut image.engine), image.line.take());
        if let Some(guest) = rank.guest.as_deref() {
            let taken = guest.load(Source::new(checkpoint, image));
            taken.map_err(|message| RestoreError::Other {
                rank: rank.id(),
                message,
            })?;
        }
        if i == 0 {
            engine_of_job(checkpoint, job, &directory)?;
        }
        engine(checkpoint, job, rank, &directory, state)?;
    }
    surroundings(ranks)?;
    if program.guest {
        // Its frames are yet to be compared with the program: `guests::resumed` does the rest.
        job.comes_from(checkpoint.id());
        return Ok(());
    }
    go_on(checkpoint, job, ranks)
}

/// Was it written by this program, on as many ranks?
fn same_program(
    checkpoint: &Checkpoint,
    job: &Job,
    here: &ProgramMeta,
) -> Result<(), RestoreError> {
    let found = if job.program.guest {
        // Functions are compared as their frames are taken.
        let of_c = !checkpoint.program.globals.is_empty() || !checkpoint.program.fnrefs.is_empty();
        of_c.then(|| "it is of a C program".to_owned())
            .into_iter()
            .collect()
    } else {
        differences(&checkpoint.program, here)
    };
    if !found.is_empty() {
        return Err(RestoreError::OtherProgram(found));
    }
    if checkpoint.job.ranks != job.ranks as u64 {
        return Err(RestoreError::Ranks {
            saved: checkpoint.job.world,
            here: job.ranks,
        });
    }
    Ok(())
}

/// What a rank keeps of what an architecture gave, and of addresses, in numbers: does it mean the same here?
fn compare_numbers(
    checkpoint: &Checkpoint,
    job: &Job,
    rank: &mut Rank,
    image: &mut RankImage,
) -> Result<(), RestoreError> {
    let program = &job.program;
    let abis = [&checkpoint.types, &program.types].map(|t| t.abi());
    rank.orders = std::mem::take(&mut image.meta.orders);
    if job.byte_order {
        let files = differs::reads_files(&image.meta);
        let of_files = |o: &&(String, u32)| o.1 == differs::OF_FILES;
        // What headers make of a program differs, and what is read is read here, so both builds are asked.
        let here = program.orders.iter().filter(|o| o.by < PC3_ORDER_WAY);
        let here: Vec<(String, u32)> = here.map(OrderDependence::row).collect();
        let all = rank.orders.iter().chain(here.iter().filter(of_files));
        let before = checkpoint.program.orders.iter().filter(of_files);
        differs::agree(abis, all.chain(before), files)?;
    }
    let numbers = &image.meta.numbers;
    if job.addresses != Addresses::Ignore && !abis[0].same_layout(abis[1]) {
        let places = tied(program, numbers, abis);
        if !places.is_empty() {
            return Err(RestoreError::Moved {
                moved: format!(
                    "what comes from {} lies elsewhere on {}",
                    abis[0].name, abis[1].name
                ),
                places,
            });
        }
    }
    let known = program.numbers.iter();
    known
        .filter(|n| numbers.contains(&n.place))
        .for_each(Number::see);
    Ok(())
}

/// What the rank, the `i`-th of this process, makes of the process.  Every process is as the first one was, and has that one's
/// environment.
fn process_of(
    checkpoint: &Checkpoint,
    image: &mut RankImage,
    (i, id): (usize, usize),
    environment: &mut Vec<(u64, u64, usize)>,
) -> Result<(), RestoreError> {
    let library = &mut image.meta.library;
    let own = library.process.as_ref();
    // What each rank has for itself.
    let apart = own.map_or(ProcessMeta::default(), |p| ProcessMeta {
        directory: p.directory.clone(),
        umask: p.umask,
        locale: p.locale.clone(),
        signals: p.signals.clone(),
        timers: p.timers.clone(),
        ..ProcessMeta::default()
    });
    if i == 0 && library.process.is_none() {
        // The rank was not the first of its process.
        let before = (0..id as u64).rev().map(|r| checkpoint.directory(r));
        let found = before.filter_map(|m| m.map(|m| m.library.process).transpose());
        library.process = found.take(1).next().transpose()?;
    }
    // Others than the first of a process may say where they are, and nothing else.
    let whole = |p: &&ProcessMeta| i == 0 || !(p.environment.is_empty() && p.removed.is_empty());
    if let Some(process) = library.process.as_ref().filter(whole) {
        *environment = environment_again(process);
    }
    if id == 0 {
        return Ok(());
    }
    library.process = match i {
        0 => checkpoint.directory(0)?.library.process,
        _ => None,
    };
    if let Some(process) = &mut library.process {
        // In that rank's memory.
        process.environment.retain(|v| !v.own);
    }
    if library.process.is_some() || apart != ProcessMeta::default() {
        let process = library.process.get_or_insert_default();
        process.directory = apart.directory;
        process.umask = apart.umask;
        process.locale = apart.locale;
        process.signals = apart.signals;
        process.timers = apart.timers;
    }
    Ok(())
}

/// Can all that the ranks make of their surroundings be had here?
fn surroundings(ranks: &[Box<Rank>]) -> Result<(), RestoreError> {
    for rank in ranks {
        let process = rank.process.as_ref();
        let alone = !rank.job().several();
        let apply = |p| if alone { apply_locale(p) } else { Ok(()) };
        let fit = process.map_or(Ok(()), |p| check(p).and_then(|()| apply(p)));
        fit.map_err(|message| RestoreError::Other {
            rank: rank.id(),
            message,
        })?;
    }
    Ok(())
}

/// Nothing can be refused from here on, in any process.
fn go_on(checkpoint: &Checkpoint, job: &Job, ranks: &mut [Box<Rank>]) -> Result<(), RestoreError> {
    if let Some(peers) = job.peers() {
        peers.meet();
    }
    job.continued(checkpoint.id())?;
    ranks.iter_mut().try_for_each(|rank| settle(rank))?;
    // What a process prints comes behind what was cut.
    if let Some(peers) = job.peers() {
        peers.meet();
    }
    Ok(())
}

/// The places whose numbers are addresses for good.
fn tied(program: &Program, places: &[String], [from, to]: [&Abi; 2]) -> Vec<String> {
    let alike = from.pointer.size == to.pointer.size;
    let stays = |place: &&String| {
        let mut known = program
            .numbers
            .iter()
            .filter(|n| n.place == **place)
            .peekable();
        known.peek().is_some() && known.all(|n| n.stays(alike))
    };
    places.iter().filter(|p| !stays(p)).cloned().collect()
}

/// Cuts and positions the rank's files.
pub fn settle(rank: &mut Rank) -> Result<(), RestoreError> {
    let id = rank.id();
    let mut process = rank.process.take();
    let spoken = process.as_mut().filter(|_| rank.job().several());
    let spoken = spoken.map_or(Ok(()), |p| rank.locale.restore(p));
    rank.process = process;
    spoken.map_err(|message| RestoreError::Other { rank: id, message })?;
    // Streams for wide characters keep the encoding that they begin with.
    rank.locale.enter();
    let settled = rank.files.settle(id, id == 0);
    settled.map_err(|message| RestoreError::Other { rank: id, message })?;
    // What waits in standard streams may be what a rank has printed that is elsewhere now, and prints on there.
    if id == 0 && rank.job().peers().is_some() {
        flush_standard();
    }
    Ok(())
}

fn engine_of_job(
    checkpoint: &Checkpoint,
    job: &Job,
    first: &Directory,
) -> Result<(), RestoreError> {
    let Some(engine) = job.engine() else {
        return Ok(());
    };
    let ctx = Loader::new(&checkpoint.types, &job.program.types, first);
    job.had_types(&checkpoint.types);
    let loaded = engine.load_job(&checkpoint.engine_job()?, &ctx);
    loaded.map_err(|e| of_engine(0, &e))
}

fn engine(
    checkpoint: &Checkpoint,
    job: &Job,
    rank: &mut Rank,
    directory: &Directory,
    (bytes, line): (Vec<u8>, Option<Vec<u8>>),
) -> Result<(), RestoreError> {
    let Some(engine) = job.engine() else {
        return Ok(());
    };
    let ctx = Loader::new(&checkpoint.types, &job.program.types, directory);
    let id = rank.id();
    let loaded = engine.load(rank, &bytes, &ctx);
    let loaded =
        loaded.and_then(|()| line.map_or(Ok(()), |line| engine.load_line(rank, &line, &ctx)));
    loaded.map_err(|e| of_engine(id, &e))
}

fn of_engine(rank: usize, e: &LoadError) -> RestoreError {
    RestoreError::Engine {
        rank,
        message: e.to_string(),
    }
}

/// What surrounds a rank: strings of the environment, what is loaded here, its stack for signals.
type Around<'a> = (
    &'a [(u64, u64, usize)],
    &'a [SharedMeta],
    Option<(u64, u64)>,
);

fn one_rank<'p>(
    checkpoint: &Checkpoint,
    job: &Job,
    here: &Constants,
    image: &RankImage,
    (environment, loaded, signals): Around,
    plans: &mut Plans<'p>,
    rank: &mut Rank,
) -> Result<Directory, RestoreError> {
    let program = &job.program;
    let same = checkpoint.types.abi().same_layout(program.types.abi());
    let shared = Shared::new(&image.shared, loaded, same);
    let mut builder = RankBuilder {
        checkpoint,
        program,
        image,
        plans,
        rank,
        directory: Directory::new(!same, shared),
        pending: Vec::new(),
        longer: Vec::new(),
        signals,
        look: job.addresses != Addresses::Ignore,
        moved: None,
        displaced: false,
    };
    if program.pieces {
        builder.plans.in_pieces(program.char_type());
    }
    builder.constants(here)?;
    builder.environment(environment);
    builder.globals()?;
    if !program.guest {
        builder.frames()?;
        builder.heap()?;
        builder.lent(environment)?;
    }
    builder.numbers()?;
    builder.finish()
}

impl RankBuilder<'_, '_> {
    fn words(&self, name: Name) -> String {
        let funcs = &self.checkpoint.program.funcs;
        match name {
            Name::Global(i) => format!("global {}", self.checkpoint.program.globals[i].name),
            Name::Live { func, .. } | Name::Shadow { func, .. } => funcs[func].name.clone(),
            Name::Block => "array on the stack ".to_owned(),
            Name::Environment => "the environment ".to_owned(),
            Name::Heap(ty) => format!("heap object '{}'", self.checkpoint.types.describe(ty)),
        }
    }

    /// Where a global is declared; where the function of a variable on the stack had got to.
    fn place(&self, name: Name) -> Option<String> {
        if let Name::Global(i) = name {
            let of = &self.checkpoint.program.globals[i].name;
            let mut here = self.program.globals.iter();
            let found = here.find(|g| g.name == *of && !g.place.is_empty())?;
            return Some(format!(" (declared at {})", found.place));
        }
        let (Name::Live { func, point } | Name::Shadow { func, point }) = name else {
            return None;
        };
        let points = &self.checkpoint.program.funcs.get(func)?.points;
        let p = points.get(point)?;
        Some(format!(" (at {}:{})", p.file, p.line))
    }

    fn put(&mut self, name: Name, from: u64, to: usize) {
        if from != to as u64 {
            self.moved.get_or_insert(name);
        }
    }

    /// Where addresses come back from integers, everything has to be where it was.
    fn numbers(&self) -> Result<(), RestoreError> {
        let abis = [self.plans.source, self.plans.target].map(|t| t.abi());
        let places = tied(self.program, &self.image.meta.numbers, abis);
        match self.moved {
            Some(name) if self.look && !places.is_empty() => Err(RestoreError::Moved {
                moved: format!(
                    "not everything can be where it was ({}{}, for one)",
                    self.words(name).trim(),
                    self.place(name).unwrap_or_default()
                ),
                places,
            }),
            _ => Ok(()),
        }
    }

    /// The places that allocate such memory, if its type is what stands in the way.
    fn allocated(&self, name: Name) -> Vec<String> {
        let all = self.program.untyped.iter();
        match name {
            // Which of them it was is not known.
            Name::Heap(TypeId::UNKNOWN) => all.filter(|p| !p.contains(" in ")).cloned().collect(),
            Name::Heap(ty) => {
                let of = format!("({}", self.checkpoint.types.describe(ty));
                let rest = |p: &String| p.split_once(&of).map(|(_, rest)| rest.to_owned());
                let here = |p: &&String| rest(p).is_some_and(|r| r == ")" || r.starts_with(" in "));
                all.filter(here).cloned().collect()
            }
            _ => Vec::new(),
        }
    }

    fn types(&self, name: Name) -> impl FnOnce(Vec<Mismatch>) -> RestoreError {
        let untyped = self.allocated(name);
        let at = self.place(name).unwrap_or_default();
        let of_function = matches!(name, Name::Live { .. } | Name::Shadow { .. });
        let name = self.words(name);
        move |list| RestoreError::Types {
            name,
            list: match of_function {
                true => list.into_iter().map(Mismatch::of_variables).collect(),
                false => list,
            },
            at,
            untyped,
        }
    }

    fn memory(&self, what: &str) -> RestoreError {
        RestoreError::Memory {
            rank: self.rank.id(),
            what: what.to_owned(),
        }
    }

    fn size(&self, plan: &Plan, bytes: u64, name: Name) -> Result<usize, RestoreError> {
        let size = match name {
            Name::Heap(_) | Name::Block => plan.dst_size(bytes),
            _ => plan.dst_end(bytes),
        };
        let size = size.map_err(|e| self.value(name, &e.to_string()))?;
        let at = self.place(name).unwrap_or_default();
        usize::try_from(size).map_err(|_| self.memory(&(self.words(name) + &at)))
    }

    fn value(&self, name: Name, error: &str) -> RestoreError {
        let places = match name {
            Name::Heap(TypeId::UNKNOWN) => String::new(),
            _ => allocated(&self.allocated(name)),
        };
        let at = self.place(name).unwrap_or_default();
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
            at: at + &places,
            code: codes::NO_VALUE,
        }
    }

    /// An address that is kept as a number.
    fn hidden(&self, name: Name, error: &str) -> RestoreError {
        match self.value(name, error) {
            RestoreError::Value {
                rank,
                name,
                error,
                at,
                ..
            } => RestoreError::Value {
                rank,
                name,
                error,
                at,
                code: codes::NUMBERS,
            },
            other => other,
        }
    }
}
