//! When a checkpoint is wanted: passages, time, signals, requests.
//!
//! Everything meets in `pc3_flag`, the one word generated code polls: its bits say who asks.

use std::ffi::{c_int, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use pc3_os::files;
use pc3_os::signals::without_signals;
use pc3_typemetric::codes;

use crate::report::{ends_early, say, warning};

pub use crate::settings::Every;

/// Every location is looked at (passages are counted).
pub(crate) const FLAG_PASSAGES: c_int = 1;
/// A checkpoint was asked for: signal, timer, request.
pub(crate) const FLAG_REQUEST: c_int = 2;
/// The engine coordinates one.
pub const FLAG_ENGINE: c_int = 4;
/// Ranks of a guest count the locations that they pass, at every one.
pub const FLAG_COUNT: c_int = 8;

/// What generated code polls.
#[no_mangle]
#[allow(non_upper_case_globals)]
pub static pc3_flag: AtomicI32 = AtomicI32::new(0);

/// Somebody asked, or time is up.
static REQUESTED: AtomicBool = AtomicBool::new(false);
/// How often that has become so.
static REQUESTS: AtomicU32 = AtomicU32::new(0);
/// Looks after requests, where there is one.
static CLERK: OnceLock<Thread> = OnceLock::new();
/// Somebody asked.
static ASKED: AtomicBool = AtomicBool::new(false);
static STOP: AtomicBool = AtomicBool::new(false);
/// Another process was asked.
static ELSEWHERE: AtomicBool = AtomicBool::new(false);

/// Changes when something new may be asked of ranks at their locations.
static NEWS: AtomicU32 = AtomicU32::new(0);

pub fn set_flag(bit: c_int) {
    pc3_flag.fetch_or(bit, SeqCst);
    bring_news();
}

/// Ranks that have been told to pass locations without a look (`Rank::pass_until`) look at the next one.
pub fn bring_news() {
    NEWS.fetch_add(1, SeqCst);
}

/// How much news there has been.
#[inline]
pub fn news() -> u32 {
    NEWS.load(SeqCst)
}

pub fn clear_flag(bit: c_int) {
    pc3_flag.fetch_and(!bit, SeqCst);
}

/// Asks for a checkpoint; safe in a signal handler.
fn request() {
    // Whoever sees the request knows its number.
    let first = !REQUESTED.load(SeqCst);
    if first {
        REQUESTS.fetch_add(1, SeqCst);
    }
    REQUESTED.store(true, SeqCst);
    set_flag(FLAG_REQUEST);
    if first {
        // Here that is a swap and a system call.
        CLERK.get().inspect(|t| t.unpark());
    }
}

/// What became of a checkpoint that was to be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attempted {
    Committed,
    /// Something of the program's stands in the way, which may soon be gone.
    InTheWay,
    /// It could not be written, which was not for free.
    Failed,
}

/// A checkpoint that could not be taken.
pub struct Dropped {
    /// Somebody asked for it.
    pub asked: bool,
    /// How many were dropped before.
    pub before: u64,
}

#[derive(Debug)]
pub struct Control {
    every: Every,
    stop_after: Option<u64>,
    next_passage: AtomicU64,
    taken: AtomicU64,
    dropped: AtomicU64,
    failed: AtomicU64,
    /// Failures since the last one was taken; those that were dropped, or could not be written.
    in_vain: AtomicU32,
    dropped_in_vain: AtomicU32,
    unwritten_in_vain: AtomicU32,
    /// One was due and has not been taken.
    due: AtomicBool,
    /// The job goes on from a checkpoint.
    continued: AtomicBool,
    /// The newest request that a rank has seen at a location.
    seen: Arc<AtomicU32>,
    /// When time decides.
    timer: Option<Arc<Timer>>,
}

/// The end of a job's program, in one process.
pub struct Ending {
    /// It is the first one of the job.
    pub first: bool,
    /// Ranks wait for each other at a checkpoint, and may do so in vain.
    pub waits: bool,
    /// The program has locations.
    pub has_points: bool,
}

impl Control {
    pub fn new(every: Every, stop_after: Option<u64>) -> Control {
        let mut next_passage = u64::MAX;
        let mut timer = None;
        match every {
            Every::Never => {}
            Every::Passages(n) => {
                next_passage = n;
                set_flag(FLAG_PASSAGES);
            }
            Every::Time(interval) => timer = Some(Arc::new(Timer::new(interval))),
        }
        Control {
            every,
            stop_after,
            next_passage: AtomicU64::new(next_passage),
            taken: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            in_vain: AtomicU32::new(0),
            dropped_in_vain: AtomicU32::new(0),
            unwritten_in_vain: AtomicU32::new(0),
            due: AtomicBool::new(false),
            continued: AtomicBool::new(false),
            seen: Arc::default(),
            timer,
        }
    }

    /// Starts the thread that looks after requests; `timed`: here time decides, if it does.  It tells what `late` says of
    /// the ranks when none of them has come to a location for that long, once for a request.
    pub fn start(
        &self,
        timed: bool,
        late: Option<(Duration, impl Fn() -> String + Send + 'static)>,
    ) -> io::Result<()> {
        let timer = self.timer.clone().filter(|_| timed);
        if timer.is_none() && late.is_none() {
            return Ok(());
        }
        let seen = Arc::clone(&self.seen);
        let running = timer.clone();
        let thread = without_signals(|| {
            std::thread::Builder::new()
                .name("pc3-clerk".to_owned())
                .spawn(move || look_after(running.as_deref(), &seen, late))
        })?;
        let _ = CLERK.set(thread.thread().clone());
        // A request may have been earlier than that.
        thread.thread().unpark();
        timer.inspect(|t| t.restart());
        Ok(())
    }

    /// Another process has been asked, and speaks of it.
    pub fn asked_elsewhere(&self) {
        ELSEWHERE.store(true, SeqCst);
        request();
    }

    /// Somebody has asked here.
    pub fn is_asked(&self) -> bool {
        ASKED.load(SeqCst)
    }

    /// Does the job stop with its next checkpoint?
    pub fn stops(&self) -> bool {
        let taken = self.taken.load(SeqCst);
        STOP.load(SeqCst) || self.stop_after.is_some_and(|k| taken + 1 >= k)
    }

    pub fn every(&self) -> Every {
        self.every
    }

    /// Is a checkpoint wanted at the location that is the rank's `passage`-th, from 1, since the
    /// program began?
    pub fn wanted(&self, passage: u64) -> bool {
        let asked = REQUESTED.load(SeqCst);
        if asked {
            self.seen.store(REQUESTS.load(SeqCst), SeqCst);
        }
        let wanted = asked || passage >= self.next_passage();
        if wanted && !self.due.load(SeqCst) {
            self.due.store(true, SeqCst);
        }
        wanted
    }

    /// Has anybody here asked for a checkpoint to stop with?
    pub fn stop_asked(&self) -> bool {
        STOP.load(SeqCst)
    }

    /// Has anybody asked, or is it time?
    pub fn requested(&self) -> bool {
        REQUESTED.load(SeqCst)
    }

    /// The passage at which one is due by `PC3_EVERY=Nx`, a multiple of N.
    pub fn next_passage(&self) -> u64 {
        self.next_passage.load(SeqCst)
    }

    /// The checkpoint planned for `passage` cannot be taken: the next one is due an interval later, and if that is dropped too,
    /// twice that, and so on.
    pub fn give_up(&self, passage: u64) -> Dropped {
        let asked = self.begin();
        let times = self.dropped_in_vain.fetch_add(1, SeqCst).min(16);
        let more = match self.every {
            Every::Passages(n) => n.saturating_mul((1 << times) - 1),
            _ => 0,
        };
        self.after(passage.saturating_add(more));
        if STOP.load(SeqCst) {
            // Whoever wants the job to stop would wait for ever.
            request();
        }
        Dropped {
            asked,
            before: self.dropped.fetch_add(1, SeqCst),
        }
    }

    /// None has been tried either.
    pub fn none_taken(&self) -> bool {
        [&self.taken, &self.dropped, &self.failed]
            .iter()
            .all(|n| n.load(SeqCst) == 0)
    }

    /// Is one due that has not been taken?
    pub fn was_due(&self) -> bool {
        self.due.load(SeqCst) || REQUESTED.load(SeqCst)
    }

    /// What is to be said of checkpoints when the program of the job has come to its end.
    pub fn last_words(&self, at: &Ending) -> Option<String> {
        if let Some(missed) = self.missed_stop(at) {
            return Some(warning(codes::NOT_TAKEN, &missed));
        }
        let dropped = self.dropped.load(SeqCst);
        let failed = self.failed.load(SeqCst);
        let due = self.was_due() && !ELSEWHERE.load(SeqCst) && self.none_taken();
        if ASKED.load(SeqCst) || due {
            let who = if ASKED.load(SeqCst) {
                "asked for"
            } else {
                "due"
            };
            return Some(format!(
                "a checkpoint was {who}, but the program ended before all ranks had come to a location to take it"
            ));
        }
        // What all processes know.
        let told = |n: u64, what: &str| {
            (at.first && n > 1).then(|| format!("{n} checkpoints {what} in all"))
        };
        told(dropped, "were dropped").or_else(|| told(failed, "could not be written"))
    }

    /// The same of the one that the job was to stop with, if that has not been taken.
    fn missed_stop(&self, at: &Ending) -> Option<String> {
        if ends_early() {
            return None;
        }
        let stop = STOP.load(SeqCst);
        let what = match self.stop_after.filter(|_| at.first) {
            _ if stop => "was asked to stop with a checkpoint".to_owned(),
            Some(1) => "was to stop with its first checkpoint (--stop-after 1)".to_owned(),
            Some(k) => format!("was to stop with checkpoint {k} of this run (--stop-after {k})"),
            None => return None,
        };
        let due = stop || ASKED.load(SeqCst) || (self.was_due() && !ELSEWHERE.load(SeqCst));
        let (why, may_help) = match self.dropped.load(SeqCst) {
            0 if self.failed.load(SeqCst) > 0 => ("it could not be written".to_owned(), false),
            0 if self.in_vain.load(SeqCst) > 0 => (
                "it could not be taken, for the reason told before".to_owned(),
                false,
            ),
            0 if due && at.waits => ("not all ranks had come to a location".to_owned(), true),
            0 if due => ("no more location was passed".to_owned(), false),
            0 => (self.none_due(at)?, false),
            n => (
                format!("ranks at their locations kept others waiting (dropped: {n})"),
                true,
            ),
        };
        let help = match may_help && at.waits {
            true => "; start it with --protocol nonblocking (PC3_PROTOCOL), where no rank waits for others",
            false => "",
        };
        Some(format!(
            "the job {what}, but has ended without: {why}{help}"
        ))
    }

    /// Why no checkpoint was due, unless that is as it should be: jobs that are begun again and again end like this.
    fn none_due(&self, at: &Ending) -> Option<String> {
        if self.continued.load(SeqCst) {
            return None;
        }
        match self.every {
            _ if !at.has_points => Some("the program has no location".to_owned()),
            Every::Time(_) => None,
            Every::Passages(n) => {
                let taken = self.taken.load(SeqCst);
                Some(format!("only {taken} became due (--every {n}x)"))
            }
            Every::Never => {
                Some("none became due (--every says when), and nobody asked for one".to_owned())
            }
        }
    }

    /// The job goes on from a checkpoint taken at `passage`.
    pub fn continues_from(&self, passage: u64) {
        self.continued.store(true, SeqCst);
        self.resume_at(passage);
    }

    /// After a checkpoint at `passage`.
    fn resume_at(&self, passage: u64) {
        if let Every::Passages(n) = self.every {
            self.next_passage
                .store((passage / n).saturating_add(1).saturating_mul(n), SeqCst);
        }
    }

    /// A checkpoint is about to be written; what is asked for from now on is another one.
    /// True if somebody asked for it.
    pub fn begin(&self) -> bool {
        clear_flag(FLAG_REQUEST);
        REQUESTED.store(false, SeqCst);
        ELSEWHERE.store(false, SeqCst);
        self.due.store(false, SeqCst);
        ASKED.swap(false, SeqCst)
    }

    /// The checkpoint that was begun is to be tried once more.
    pub fn retry(&self, asked: bool) {
        if asked {
            ASKED.store(true, SeqCst);
        }
        request();
    }

    /// After a checkpoint at `passage`: the next one is due at the next multiple of the interval.
    fn after(&self, passage: u64) {
        self.resume_at(passage);
        if let Some(timer) = &self.timer {
            timer.restart();
        }
    }

    /// The same, and what became of it.  `took`: how long that was.  True if the job is to stop now.
    pub fn done(&self, passage: u64, what: Attempted, took: Duration) -> bool {
        let (times, later) = (self.in_vain.load(SeqCst).min(6), self.spaced(passage));
        self.count(what);
        if what == Attempted::Committed {
            self.after(passage);
            let taken = self.taken.load(SeqCst);
            return STOP.load(SeqCst) || self.stop_after.is_some_and(|k| taken >= k);
        }
        self.after(match what {
            Attempted::Failed => later,
            _ => passage,
        });
        let by_passage = matches!(self.every, Every::Passages(_));
        if STOP.load(SeqCst) || (self.stops() && !by_passage) {
            let pause = match what {
                Attempted::Failed => Duration::from_secs(1),
                _ => Duration::from_millis(10),
            };
            request_after((pause * (1 << times)).max(took * 10));
        }
        false
    }
}

impl Control {
    fn count(&self, what: Attempted) {
        match what {
            Attempted::Committed => {
                self.in_vain.store(0, SeqCst);
                self.dropped_in_vain.store(0, SeqCst);
                self.unwritten_in_vain.store(0, SeqCst);
                self.taken.fetch_add(1, SeqCst);
            }
            Attempted::InTheWay => drop(self.in_vain.fetch_add(1, SeqCst)),
            Attempted::Failed => {
                self.in_vain.fetch_add(1, SeqCst);
                self.unwritten_in_vain.fetch_add(1, SeqCst);
                self.failed.fetch_add(1, SeqCst);
            }
        }
    }

    /// Where the next one is tried when one at `passage` could not be written, as so many before: not every time, as a full
    /// disk is not soon empty.
    fn spaced(&self, passage: u64) -> u64 {
        let times = self.unwritten_in_vain.load(SeqCst).min(6);
        match self.every {
            Every::Passages(n) => passage.saturating_add(((1 << times) - 1) * n),
            _ => passage,
        }
    }

    /// Ranks go on behind a checkpoint at `passage`, which is written meanwhile.
    pub fn goes_on(&self, passage: u64) {
        // Whether this one can be written is not known yet: all processes know of those before it.
        self.resume_at(self.spaced(passage));
    }

    /// What became of that one; by time the next is due an interval later.
    pub fn written(&self, what: Attempted) {
        self.count(what);
        self.timer.as_ref().inspect(|t| t.restart());
    }
}

/// Whoever wants the job to stop does not ask twice.
fn request_after(pause: Duration) {
    static WAITS: AtomicBool = AtomicBool::new(false);
    if WAITS.swap(true, SeqCst) {
        return;
    }
    let wait = move || {
        std::thread::sleep(pause);
        WAITS.store(false, SeqCst);
        request();
    };
    let name = "pc3-again".to_owned();
    if without_signals(|| std::thread::Builder::new().name(name).spawn(wait)).is_err() {
        WAITS.store(false, SeqCst);
        request();
    }
}

/// When the next checkpoint is due by time: an interval after each `restart`.
#[derive(Debug)]
struct Timer {
    interval: Duration,
    due: Mutex<Option<Instant>>,
}

impl Timer {
    fn new(interval: Duration) -> Timer {
        Timer {
            interval,
            due: Mutex::new(None),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn restart(&self) {
        *self.lock() = Instant::now().checked_add(self.interval);
        CLERK.get().inspect(|t| t.unpark());
    }

    /// Has the time come?  Then it does not again before the next `restart`.
    fn has_come(&self, now: Instant) -> bool {
        self.lock().take_if(|at| *at <= now).is_some()
    }
}

/// Asks when time is up, and tells when nobody heeds a request.  `seen`: the newest that a rank has seen at a location.
fn look_after(
    timer: Option<&Timer>,
    seen: &AtomicU32,
    late: Option<(Duration, impl Fn() -> String)>,
) -> ! {
    // The request that is looked after, and when it is told of.
    let (mut number, mut telling) = (0, None);
    loop {
        let now = Instant::now();
        if timer.is_some_and(|t| t.has_come(now)) {
            request();
        }
        if let Some((patience, ranks)) = &late {
            let newest = REQUESTS.load(SeqCst);
            if newest != number {
                number = newest;
                telling = now.checked_add(*patience);
            }
            let overdue = telling.take_if(|at| *at <= now).is_some();
            if overdue && REQUESTED.load(SeqCst) && seen.load(SeqCst) != number {
                say(&none_came(*patience, &ranks()));
            }
        }
        let due = timer.and_then(|t| *t.lock());
        match [due, telling].into_iter().flatten().min() {
            Some(at) => std::thread::park_timeout(at.saturating_duration_since(now)),
            None => std::thread::park(),
        }
    }
}

/// `ranks`: what they do, where that is known.
fn none_came(patience: Duration, ranks: &str) -> String {
    let since = match ASKED.load(SeqCst) {
        true => format!("was asked for {patience:?} ago"),
        false => format!("has been due for {patience:?}"),
    };
    let ranks = match ranks {
        "" => String::new(),
        text => format!(": {text}"),
    };
    let what = format!(
        "a checkpoint {since} (PC3_PATIENCE), and no rank has come to a location{ranks}; it is taken as soon as all come to one"
    );
    warning(codes::NOT_TAKEN, &what)
}

/// Who asks by a signal for a checkpoint, and for an end behind it, leaves this file in the checkpoint directory first.
pub const STOP_FILE: &str = "stop";

static STOP_PATH: OnceLock<CString> = OnceLock::new();

/// Was an end asked for, too?  Safe in a signal handler.
fn found_stop() -> bool {
    STOP_PATH.get().is_some_and(|path| files::remove(path))
}

/// Requests to stop are left in `dir` from now on, or were just before.
pub fn look_for_stops(dir: &Path) {
    let Ok(path) = CString::new(dir.join(STOP_FILE).as_os_str().as_bytes()) else {
        return;
    };
    let _ = STOP_PATH.set(path);
    // A file that is there without a request is an old one.
    if found_stop() && ASKED.load(SeqCst) {
        STOP.store(true, SeqCst);
    }
}

/// A signal asks for a checkpoint; `stop`: and for an end behind it. Safe in a signal handler.
pub(crate) fn ask(stop: bool) {
    if stop || found_stop() {
        STOP.store(true, SeqCst);
    }
    ASKED.store(true, SeqCst);
    request();
}
