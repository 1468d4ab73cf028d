//! Transports between processes: which one a process is to use, and the safe face of its table (`wire`).
//!
//! * `socket`: processes of one machine; `load`: transports in shared objects.
//! * `near`: memory that those of one machine share.
//! * `numbers`, `outputs`: descriptors that a native MPI takes, and where its processes print.

mod load;
mod near;
mod numbers;
mod outputs;
mod socket;
mod wire;

use std::ffi::{c_char, CStr};
use std::fs::OpenOptions;
use std::io::Write;
use std::num::NonZeroU32;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub use load::is_static;
pub use near::ProcessMemory;
pub use near::{name, Withdrawn};
use near::{Bell, Direct, Glance, Naps, Near};
use pc3_os::files::AS_IT_LIES;
pub use pc3_transport::{Head, Sink};
use pc3_transport::{Joined, Transport};
use socket::ends::LINK;
use wire::Wire;

use pc3_vmpi_sched::brief::{Brief, Guard};
use pc3_vmpi_sched::Processors;

/// The file to which a process that ends the job writes its status: launchers return one of several, or another.
const OUTCOME: &str = "PC3_OUTCOME";
static OUTCOME_FILE: OnceLock<PathBuf> = OnceLock::new();

/// This process ends the job with a status; the first to say so counts.
pub fn note_outcome(status: i32) {
    let Some(path) = OUTCOME_FILE.get() else {
        return;
    };
    // On another machine it does not exist. What others may have laid there is not written to, or waited for.
    let mut options = OpenOptions::new();
    let options = options.write(true).custom_flags(AS_IT_LIES);
    if let Ok(mut file) = options.open(path) {
        if file.metadata().is_ok_and(|m| m.is_file() && m.len() == 0) {
            let _ = file.write_all(format!("{status}\n").as_bytes());
        }
    }
}

/// A transport that has joined its job.
pub struct Carrier {
    wire: Wire,
    turn: Brief<Turn>,
    /// Frames sent that were said to count; written under the lock.
    sent: AtomicU64,
    glance: Arc<Glance>,
    /// What there is if others are near: this process's bell, and what is offered to be read.
    bell: Option<Bell>,
    direct: Option<Direct>,
    naps: Naps,
    processors: Processors,
    /// Started by an MPI's launcher without pc3run.
    pub by_launcher: bool,
}

struct Turn {
    stage: Stage,
    near: Near,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Open,
    /// Nothing more is sent.
    Leaving,
    Left,
}

// SAFETY: the interface's rules say who may call what when; the lock around it sees to it.
unsafe impl Send for Turn {}

/// Joins the job of several processes that this one was started for, if it was.
pub fn join() -> Result<Option<Carrier>, String> {
    let Some(link) = std::env::var_os(LINK).filter(|l| !l.is_empty()) else {
        return match started_by_mpi() {
            Some((mpi, processes)) => {
                let path = find(mpi, processes)?;
                let carrier = native(&path)?;
                Ok(Some(Carrier {
                    by_launcher: true,
                    ..carrier
                }))
            }
            None => Ok(None),
        };
    };
    let text = link.to_string_lossy();
    match text.strip_prefix("mpi:") {
        None => joined(&socket::TABLE).map(Some),
        Some(path) => {
            std::env::remove_var(LINK);
            if let Some(path) = std::env::var_os(OUTCOME) {
                let _ = OUTCOME_FILE.set(path.into());
                std::env::remove_var(OUTCOME);
            }
            outputs::adopt();
            native(Path::new(path)).map(Some)
        }
    }
}

fn native(object: &Path) -> Result<Carrier, String> {
    numbers::out_of_the_way(|| joined(load::load(object)?))
}

/// pc3's transport for an MPI whose launcher has started this process: below `PC3_ROOT`, or beside pc3run.
fn find(mpi: &str, processes: u32) -> Result<PathBuf, String> {
    let root = std::env::var_os("PC3_ROOT").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let beside = std::env::split_paths(&path)
        .filter(|d| d.join("pc3run").is_file())
        .filter_map(|d| d.canonicalize().ok()?.parent().map(Path::to_owned));
    let triple = format!("{}-linux-gnu", std::env::consts::ARCH);
    let file = |root: PathBuf| {
        let folder = root.join("lib/pc3").join(&triple);
        folder.join(format!("libpc3_mpi_{mpi}.so"))
    };
    let looked: Vec<PathBuf> = root.into_iter().chain(beside).map(file).collect();
    if let Some(found) = looked.iter().find(|p| p.is_file()) {
        return Ok(found.clone());
    }
    let mut list: Vec<String> = looked.iter().map(|p| p.display().to_string()).collect();
    if list.is_empty() {
        list.push("nothing: PC3_ROOT is not set, and there is no pc3run in PATH".to_owned());
    }
    Err(format!(
        "{mpi} has started {processes} processes, and pc3's transport for it was not found; looked for: {}",
        list.join(", ")
    ))
}

/// The launcher that has started several processes, by what it leaves in their environment.
fn started_by_mpi() -> Option<(&'static str, u32)> {
    let marks = [("OMPI_COMM_WORLD_SIZE", "openmpi"), ("PMI_SIZE", "mpich")];
    marks.into_iter().find_map(|(name, launcher)| {
        let n: u32 = std::env::var(name).ok()?.parse().ok()?;
        (n > 1).then_some((launcher, n))
    })
}

fn joined(table: &'static Transport) -> Result<Carrier, String> {
    let mut error = [0 as c_char; 512];
    let mut joined = Joined {
        handle: std::ptr::null_mut(),
        index: 0,
        count: 0,
    };
    // SAFETY: the interface.
    let code = unsafe { (table.join)(&raw mut joined, error.as_mut_ptr(), error.len()) };
    if code != 0 {
        // SAFETY: a terminated string.
        let why = unsafe { CStr::from_ptr(error.as_ptr()) };
        return Err(why.to_string_lossy().into_owned());
    }
    let wire = Wire::new(table, joined);
    let (near, more, processors) = Near::find(&wire);
    let glance = near.glance();
    let (bell, direct) = more.unzip();
    let stage = Stage::Open;
    Ok(Carrier {
        wire,
        turn: Brief::new(Turn { stage, near }),
        sent: AtomicU64::new(0),
        glance,
        bell,
        direct,
        naps: Naps::default(),
        processors,
        by_launcher: false,
    })
}

impl Carrier {
    #[inline]
    pub fn index(&self) -> u32 {
        self.wire.index()
    }

    #[inline]
    pub fn count(&self) -> u32 {
        self.wire.count()
    }

    /// What this process may count on.
    #[inline]
    pub fn processors(&self) -> Processors {
        self.processors
    }

    /// It may connect machines.
    #[inline]
    pub fn is_native(&self) -> bool {
        !self.wire.is(&socket::TABLE)
    }

    #[inline]
    fn turn(&self) -> Guard<'_, Turn> {
        self.turn.lock()
    }

    /// One more; with the lock, so that nobody else counts meanwhile.
    #[inline]
    fn count_sent(&self, _: &Guard<'_, Turn>) {
        self.sent.store(self.sent.load(Relaxed) + 1, Release);
    }

    /// Frames sent that count.
    #[inline]
    pub fn sent(&self) -> u64 {
        self.sent.load(Acquire)
    }

    /// # Safety
    /// The sink lives as long as the carrier is used.
    #[inline]
    pub unsafe fn attach(&self, sink: &Sink) {
        self.turn().near.attach(sink);
    }

    /// `counts`: it is one of those that [`Carrier::sent`] counts.
    ///
    /// # Safety
    /// The body has `head.len` bytes; with a token they stay until it comes back.
    pub unsafe fn send(&self, peer: u32, head: &Head, body: *const u8, token: u64, counts: bool) {
        let errno = pc3_os::errors::slot();
        // SAFETY: by the caller.  What fails in there is none of the program's business.
        unsafe {
            let kept = *errno;
            let mut turn = self.turn();
            if counts {
                self.count_sent(&turn);
            }
            if turn.stage == Stage::Open {
                turn.near.send(&self.wire, peer, head, body, token);
            }
            drop(turn);
            *errno = kept;
        }
    }

    /// Sends a frame that counts and is short to a near process; false if it has to go by [`Carrier::send`].
    ///
    /// # Safety
    /// The body has `head.len` bytes.
    #[inline(always)]
    pub unsafe fn send_short(&self, peer: u32, head: &Head, body: *const u8) -> bool {
        let mut turn = self.turn();
        let counted = self.sent.load(Relaxed) + 1;
        // With the lock, so that nobody else counts meanwhile.
        let count = || self.sent.store(counted, Release);
        // SAFETY: by the caller.
        turn.stage == Stage::Open && unsafe { turn.near.send_line(peer, head, body, count) }
    }

    /// Asks for a body that goes to `to`; the name by which it can be pushed, if the transport has a way for that.
    ///
    /// # Safety
    /// There are `len` bytes, which stay until the sink is told that `id` is there.
    pub unsafe fn pull(&self, peer: u32, to: *mut u8, len: u64, id: u64) -> Option<NonZeroU32> {
        let turn = self.turn();
        if turn.stage != Stage::Open {
            return None;
        }
        // SAFETY: by the caller.
        let name = NonZeroU32::new(unsafe { self.wire.pull(peer, to, len, id) });
        turn.near.expect(name.is_some());
        name
    }

    /// Sends what is pulled by this name; it counts as sent.
    ///
    /// # Safety
    /// The body has `len` bytes, which stay until the token comes back.
    pub unsafe fn push(&self, peer: u32, name: u32, from: *const u8, len: u64, token: u64) {
        let turn = self.turn();
        self.count_sent(&turn);
        if turn.stage == Stage::Open {
            turn.near.expect(true);
            // SAFETY: by the caller.
            unsafe { self.wire.push(peer, name, from, len, token) }
        }
    }

    /// Offers of which others read themselves.
    #[inline]
    pub fn direct(&self) -> Option<&Direct> {
        self.direct.as_ref()
    }

    /// Sends a frame without a body to each of these, and none after that.
    pub fn send_last(&self, peers: impl Iterator<Item = u32>, head: &Head) {
        let mut turn = self.turn();
        turn.stage = Stage::Leaving;
        for peer in peers {
            // SAFETY: the interface.
            unsafe { turn.near.send(&self.wire, peer, head, std::ptr::null(), 0) }
        }
    }

    /// What may be asked at any time.
    #[inline]
    pub fn glance(&self) -> &Glance {
        &self.glance
    }

    /// Takes what a look (which, and what it has found) has found to have come from near processes, if nobody is at work in here,
    /// and `may` says so then.  `whole` gets the frames whose bodies have come with them.
    #[inline]
    pub fn receive(
        &self,
        look: (u64, usize),
        may: impl FnOnce() -> bool,
        whole: impl FnMut(u32, &Head, *const u8),
    ) {
        let Some(mut turn) = self.turn.try_lock() else {
            return;
        };
        if turn.stage != Stage::Left && may() {
            // SAFETY: under the lock.
            unsafe { turn.near.receive_some(look, whole) };
        }
    }

    #[inline]
    pub fn progress(&self) -> bool {
        self.progress_of(false)
    }

    /// The same; `all`: of what seldom has anything, too.
    pub fn progress_of(&self, all: bool) -> bool {
        let mut turn = self.turn();
        if turn.stage == Stage::Left {
            return false;
        }
        if all {
            turn.near.look_at_all();
        }
        // SAFETY: under the lock.
        let any = unsafe { turn.near.progress(&self.wire) };
        if any {
            self.naps.start_again();
        }
        any
    }

    /// Frames that wait, unless that is just changing.
    #[inline]
    pub fn unsent(&self, peer: u32) -> Option<u64> {
        let turn = self.turn.try_lock()?;
        let near = turn.near.unsent(peer);
        (turn.stage != Stage::Left).then(|| near.unwrap_or_else(|| self.wire.unsent(peer)))
    }

    pub fn wait(&self, microseconds: u64) {
        let Some(bell) = &self.bell else {
            return self.wire.wait(microseconds);
        };
        let nap = match self.turn().near.needs_looks() {
            true => self.naps.next(microseconds),
            false => microseconds,
        };
        bell.sleep(Duration::from_micros(nap), || self.turn().near.is_idle());
    }

    /// Workers look for what comes: who sends does without a barrier, and whoever sleeps at last pays for it.
    #[inline]
    pub fn spins(&self) {
        if let Some(bell) = &self.bell {
            bell.order();
        }
    }

    #[inline]
    pub fn wake(&self) {
        match &self.bell {
            Some(bell) => bell.ring(),
            None => self.wire.wake(),
        }
    }

    #[inline]
    pub fn finish(&self) {
        let mut turn = self.turn();
        turn.stage = Stage::Left;
        turn.near.finish(&self.wire);
        self.wire.finish();
    }

    #[inline]
    pub fn abort(&self, status: i32) {
        self.wire.abort(status);
    }
}
