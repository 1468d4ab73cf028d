//! A rank's frames: live locals that were moved out of the stack, and their way back.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::rc::Rc;

use pc3_runtime::format::meta::{PointMeta, Span};
use pc3_runtime::guest::{Guest, Image, Outcome, Source, STATICS};
use pc3_runtime::guests;
use pc3_runtime::rank::Rank;
use pc3_runtime::report::{die, EXIT_FATAL, EXIT_REFUSED};

use crate::buffered;
use crate::point::function::{Function, Point, Unwind};
use crate::statics;
use crate::value::load::{Loading, Members, View};
use crate::value::save::{Live, Saver};
use crate::value::types::TypeId;
use crate::value::{Checkpointable, Kept, Transient};

/// A value that a frame keeps, by the local's name.
pub type Entry = (&'static str, Box<dyn Kept>);

/// What a frame was kept as.
enum Values {
    /// In this process.
    Here(Vec<Entry>),
    /// In the checkpoint that the run was started from.
    Saved { loading: Rc<Loading>, index: usize },
}

/// A frame on its way back to the stack.
pub struct Frame {
    function: &'static Function,
    label: u32,
    values: Values,
}

struct Parked {
    point: &'static Point,
    values: Vec<Entry>,
}

/// How the program is run: from its start, and from its frames.
#[derive(Clone, Copy)]
pub struct Program {
    pub enter: fn() -> Result<i32, Unwind>,
    pub resume: fn() -> Result<i32, Unwind>,
}

/// The operation of the reduction that a rank takes part in: values of so many bytes, first and second, of which it
/// makes the second.
#[cfg(feature = "mpi")]
#[derive(Clone, Copy)]
pub(crate) struct Combine<'a> {
    pub size: usize,
    pub combine: &'a dyn Fn(&[u8], &mut [u8]),
}

/// The frames of a rank.
pub(crate) struct Frames {
    program: Program,
    /// For as long as the call lasts.
    #[cfg(feature = "mpi")]
    operation: Cell<Option<Combine<'static>>>,
    /// Innermost first.
    parked: RefCell<Vec<Parked>>,
    /// The checkpoint that is being continued.
    loading: RefCell<Option<Rc<Loading>>>,
    /// Frames that have not been taken back.
    left: Cell<usize>,
    /// Never dropped, as statics are not.
    statics: ManuallyDrop<RefCell<statics::Values>>,
}

impl Frames {
    pub fn new(program: Program) -> Frames {
        Frames {
            program,
            parked: RefCell::default(),
            loading: RefCell::default(),
            left: Cell::new(0),
            statics: ManuallyDrop::default(),
            #[cfg(feature = "mpi")]
            operation: Cell::new(None),
        }
    }
}

/// Runs `call` while the rank's operation is `user`.
#[cfg(feature = "mpi")]
pub(crate) fn with_operation(user: &Combine<'_>, call: impl FnOnce()) {
    // SAFETY: taken back below; nothing between unwinds or forgets the stack.
    let user: Combine<'static> = unsafe { std::mem::transmute(*user) };
    current(|f| f.operation.set(Some(user)));
    call();
    current(|f| f.operation.set(None));
}

/// The operation of the running rank.
#[cfg(feature = "mpi")]
pub(crate) fn operation(run: impl FnOnce(&Combine<'_>)) {
    if let Some(user) = current(|f| f.operation.get()).flatten() {
        run(&user);
    }
}

/// The running rank's frames.
fn current<T>(with: impl FnOnce(&Frames) -> T) -> Option<T> {
    // SAFETY: called by user code; the runtime holds no reference to the rank across that.
    let rank = unsafe { Rank::current() }?;
    let guest: &dyn Any = rank.guest.as_deref()?.as_any();
    guest.downcast_ref::<Frames>().map(with)
}

/// The running rank's values of saved statics.
pub(crate) fn statics() -> Option<*const RefCell<statics::Values>> {
    current(|f| std::ptr::from_ref(&*f.statics))
}

/// Is the stack being taken down for a checkpoint?  Locals that are not needed any more are dropped then, and what they
/// stand for must stay as long as the program thinks that they are there.
#[cfg(feature = "mpi")]
pub(crate) fn unwinding() -> bool {
    current(|f| !f.parked.borrow().is_empty()).unwrap_or(false)
}

/// Called where a location found that a checkpoint may be due.
pub(crate) fn due() -> bool {
    // SAFETY: as above.
    let Some(rank) = (unsafe { Rank::current() }) else {
        return false;
    };
    current(|_| ()).is_some() && guests::due(rank)
}

/// Called where a location is passed that cannot take one.
pub(crate) fn passed(function: &str, file: &str, line: u32) {
    // SAFETY: as above.
    if let Some(rank) = unsafe { Rank::current() }.filter(|_| current(|_| ()).is_some()) {
        pc3_runtime::passed::passed(rank, function, file, line);
    }
}

/// Keeps the locals of a frame whose function is about to return; innermost frames come first.
pub(crate) fn park(point: &'static Point, values: Vec<Entry>) {
    current(|frames| frames.parked.borrow_mut().push(Parked { point, values }));
}

pub(crate) fn changed() -> ! {
    die(
        EXIT_FATAL,
        "what a pattern borrows from had changed when the checkpoint was taken, so it cannot be matched again; match it by value",
    )
}

pub(crate) fn shuffled(at: &str) -> ! {
    die(
        EXIT_FATAL,
        &format!("the loop at {at} goes over a hash map or set, which would have another order after a restart: collect the keys first, or use a BTreeMap"),
    )
}

pub(crate) fn another(name: &str, at: &str) -> ! {
    die(
        EXIT_FATAL,
        &format!("the iterator `{name}` at {at} is another one than its `let` made, so it cannot be made again: put that into a `let` of its own"),
    )
}

fn refuse(why: &str) -> ! {
    die(EXIT_REFUSED, why)
}

/// The next frame to be taken back, outermost first; it must be `function`'s.
pub(crate) fn next(function: &'static Function) -> Frame {
    let found = current(|frames| {
        let left = frames.left.get().checked_sub(1)?;
        frames.left.set(left);
        let loading = frames.loading.borrow().clone();
        Some(match loading {
            Some(loading) => saved(loading, left, function),
            None => {
                let parked = frames.parked.borrow_mut().pop()?;
                if !std::ptr::eq(parked.point.function, function)
                    && parked.point.function.name != function.name
                {
                    return None;
                }
                Frame {
                    function,
                    label: parked.point.label,
                    values: Values::Here(parked.values),
                }
            }
        })
    });
    match found.flatten() {
        Some(frame) => frame,
        None => die(EXIT_FATAL, "internal error: frames do not belong together"),
    }
}

fn saved(loading: Rc<Loading>, index: usize, function: &'static Function) -> Frame {
    let id = loading.source.id;
    let frame = loading.source.image.meta.frames[index];
    let func = &loading.source.program.funcs[frame.func as usize];
    if func.name != function.name {
        refuse(&format!(
            "error[pc3::E0501]: checkpoint {id} cannot be continued here: it is in function {}, and this program calls {} there",
            func.name, function.name
        ));
    }
    let point = &func.points[frame.point as usize];
    let label = point.label;
    Frame {
        function,
        label,
        values: Values::Saved { loading, index },
    }
}

/// Are these positions of one point that has been moved?  It has if both of the statements next to it are others, or if it is
/// elsewhere in the same text.
fn moved(saved: &str, here: &str) -> bool {
    let parts = |s: &str| s.split('.').map(str::to_owned).collect::<Vec<_>>();
    match (&parts(saved)[..], &parts(here)[..]) {
        ([before, after, whole, at], [before_here, after_here, whole_here, at_here]) => {
            let beside = before != before_here && after != after_here;
            beside || (whole == whole_here && at != at_here)
        }
        _ => false,
    }
}

impl Frame {
    pub fn label(&self) -> u32 {
        self.label
    }

    /// The point must be the one that the frame was kept at.
    pub fn check(&self, point: &'static Point) {
        let Values::Saved { loading, index } = &self.values else {
            return;
        };
        let frame = loading.source.image.meta.frames[*index];
        let func = &loading.source.program.funcs[frame.func as usize];
        let saved = &func.points[frame.point as usize];
        if saved.what != point.what {
            refuse(&format!(
                "error[pc3::E0501]: checkpoint {} cannot be continued here: function {}: point {} is {} ({}:{}) in the checkpoint and {} ({}:{}) here",
                loading.source.id, func.name, saved.label, saved.what, saved.file, saved.line, point.what, point.file, point.line
            ));
        }
        if let Some(ty) = saved.live {
            for m in &loading.ty(ty).members {
                if !point.live.contains(&m.name.as_str()) {
                    self.wrong(&m.name, "exists only in the checkpoint");
                }
            }
            if moved(&loading.ty(ty).name, point.position) {
                refuse(&format!(
                    "error[pc3::E0501]: checkpoint {} cannot be continued here: function {}: point {} ({}:{} in the checkpoint, {}:{} here) has been moved among the statements: some would be done twice, or never",
                    loading.source.id, func.name, saved.label, saved.file, saved.line, point.file, point.line
                ));
            }
        }
    }

    /// A point of this number does not exist here.
    pub fn lost(&self) -> ! {
        self.wrong("", &format!("has no point {}", self.label))
    }

    fn wrong(&self, name: &str, why: &str) -> ! {
        let id = match &self.values {
            Values::Saved { loading, .. } => loading.source.id,
            Values::Here(_) => die(EXIT_FATAL, &format!("internal error: {name}: {why}")),
        };
        let dot = if name.is_empty() { "" } else { "." };
        refuse(&format!(
            "error[pc3::E0501]: checkpoint {id} cannot be continued here: {}{dot}{name}: {why}",
            self.function.name
        ))
    }

    /// The value of a local that is not saved, if this is the process that kept it.
    pub fn take_held<T: 'static>(&mut self, name: &'static str) -> Option<T> {
        let Values::Here(list) = &mut self.values else {
            return None;
        };
        let index = list.iter().position(|(n, _)| *n == name);
        let value = index.map(|i| list.swap_remove(i).1.into_any().downcast::<Transient<T>>());
        match value {
            Some(Ok(value)) => Some(value.0),
            _ => self.wrong(name, "is not there"),
        }
    }

    /// The value of a local.
    pub fn take<T: Checkpointable>(&mut self, name: &'static str) -> T {
        match &mut self.values {
            Values::Here(list) => {
                let index = list.iter().position(|(n, _)| *n == name);
                let value = index.map(|i| list.swap_remove(i).1.into_any().downcast::<T>());
                match value {
                    Some(Ok(value)) => *value,
                    _ => self.wrong(name, "is not there"),
                }
            }
            Values::Saved { loading, index } => {
                let loading = loading.clone();
                let frame = loading.source.image.meta.frames[*index];
                let func = &loading.source.program.funcs[frame.func as usize];
                let point = &func.points[frame.point as usize];
                let member = point.live.and_then(|ty| {
                    let bytes = loading.source.image.bytes(frame.live);
                    Members::of(&loading, View { ty, bytes }).get(name)
                });
                let Some(view) = member else {
                    self.wrong(name, "is not in the checkpoint")
                };
                match T::load(&loading, view) {
                    Ok(value) => value,
                    Err(e) => {
                        let message = e.to_string();
                        let (path, what) = message.split_once(": ").unwrap_or(("", &message));
                        self.wrong(&format!("{name}{path}"), what)
                    }
                }
            }
        }
    }
}

/// The innermost frame is back: the program goes on.
pub(crate) fn resumed() {
    let from_file = current(|frames| {
        if frames.left.get() != 0 {
            refuse("error[pc3::E0501]: the checkpoint cannot be continued here: it was taken further down than this program's location");
        }
        // What was being continued is all taken.
        frames.loading.replace(None).is_some()
    });
    if from_file == Some(true) {
        // SAFETY: as in `current`.
        if let Some(rank) = unsafe { Rank::current() } {
            guests::resumed(rank);
            buffered::note_input();
        }
    }
}

/// A panic of one of several ranks ends them all.
fn guarded(run: fn() -> Result<i32, Unwind>) -> Result<i32, Unwind> {
    #[cfg(feature = "mpi")]
    if pc3_vmpi::state::RankState::try_current().is_some() {
        let end = std::panic::catch_unwind(run).unwrap_or_else(|_| {
            pc3_vmpi::c::errors::end_job(PANICKED, "a rank panicked: the job ends")
        });
        if end.as_ref().is_ok_and(|code| *code == 0) {
            crate::mpi::finalize();
        }
        return end;
    }
    run()
}

/// The exit status of a program that panics.
#[cfg(feature = "mpi")]
const PANICKED: i32 = 101;

/// Lays values out one after the other; gives the struct's type.
fn laid_out<'a>(
    saver: &mut Saver<'a>,
    name: &str,
    values: Vec<(&'static str, &'a dyn Kept)>,
) -> (TypeId, Span) {
    let (mut end, mut align) = (0u64, 1);
    let mut members = Vec::new();
    let mut live = Vec::new();
    for (name, value) in values {
        let (size, to) = value.metric();
        let offset = end.next_multiple_of(to);
        end = offset + size;
        align = align.max(to);
        let ty = value.describe(&mut saver.types);
        members.push((name.to_owned(), ty, offset));
        live.push((value, offset as usize));
    }
    let size = end.next_multiple_of(align);
    let ty = saver.types.frame(name, size, align, members);
    (ty, saver.live(Live(live), size))
}

fn meta(point: &Point) -> PointMeta {
    PointMeta {
        label: point.label,
        line: point.line,
        file: point.file.to_owned(),
        what: point.what.to_owned(),
        live: None,
    }
}

impl Frames {
    /// Makes the values of saved statics again, which stand behind the frames of functions.
    fn load_statics(&self) {
        let loading = self.loading.borrow().clone();
        let Some((loading, index)) = loading.zip(self.left.get().checked_sub(1)) else {
            return;
        };
        let id = loading.source.id;
        let frame = loading.source.image.meta.frames[index];
        let func = &loading.source.program.funcs[frame.func as usize];
        let live = func.points[frame.point as usize].live;
        let (STATICS, Some(ty)) = (&func.name[..], live) else {
            return;
        };
        self.left.set(index);
        let bytes = loading.source.image.bytes(frame.live);
        let members = Members::of(&loading, View { ty, bytes });
        let all = statics::all();
        let wrong = |name: &str, why: &str| -> ! {
            refuse(&format!(
                "error[pc3::E0501]: checkpoint {id} cannot be continued here: static {name}: {why}"
            ))
        };
        let missing = |n: &&str| !all.iter().any(|s| s.name() == *n);
        if let Some(name) = members.names().find(missing) {
            wrong(name, "exists only in the checkpoint");
        }
        let values = all.iter().map(|s| {
            let value = s.load(&loading, members.get(s.name())?);
            Some(value.unwrap_or_else(|e| wrong(s.name(), &e.to_string())))
        });
        // What one of them is made of may be another's.
        let values = values.collect();
        self.statics.replace(values);
    }
}

impl Guest for Frames {
    fn run(&self) -> Outcome {
        let loading = self.loading.borrow().is_some();
        let left = if loading {
            self.left.get()
        } else {
            self.parked.borrow().len()
        };
        self.left.set(left);
        if loading {
            self.load_statics();
        }
        let run = if left > 0 {
            self.program.resume
        } else {
            self.program.enter
        };
        match guarded(run) {
            Ok(code) => Outcome::Ended(code),
            Err(Unwind { .. }) => Outcome::Unwound,
        }
    }

    fn flush(&self) {
        let _ = io::stdout().flush();
    }

    fn obstacle(&self) -> Option<String> {
        buffered::read_by_others().then(|| {
            "standard input has been read by other means than pc3::stdin(): what has been read ahead cannot be saved"
                .to_owned()
        })
    }

    fn save(&self, image: &mut Image) -> io::Result<()> {
        let (parked, statics) = (self.parked.borrow(), self.statics.borrow());
        let mut saver = Saver::new(image.at());
        let mut frames = Vec::new();
        for Parked { point, values } in parked.iter() {
            let saved = values.iter().filter(|v| v.1.is_saved());
            let live = saved.map(|(name, value)| (*name, &**value)).collect();
            let (ty, span) = laid_out(&mut saver, point.position, live);
            frames.push((point.function.name, meta(point), ty, span));
        }
        if statics.iter().any(Option::is_some) {
            let all = statics.iter().flatten();
            let live = all.map(|s| (s.name, &*s.kept)).collect();
            let (ty, span) = laid_out(&mut saver, "", live);
            frames.push((STATICS, PointMeta::default(), ty, span));
        }
        let done = saver.finish(image)?;
        let ids = done.types.commit(&mut image.tables.types);
        let id = ids.map_err(|e| io::Error::other(e.to_string()))?;
        for (function, meta, ty, span) in frames {
            let live = Some(id(ty));
            image.frame(function, PointMeta { live, ..meta }, span);
        }
        for (base, ty, span) in done.objects {
            image.object(base, id(ty), span);
        }
        Ok(())
    }

    fn load(&self, source: Source) -> Result<(), String> {
        // What waits here instead ends as a process does: nothing of it is dropped.
        std::mem::forget(self.parked.take());
        std::mem::forget(self.statics.take());
        self.left.set(source.image.meta.frames.len());
        self.loading.replace(Some(Rc::new(Loading::new(source))));
        Ok(())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
