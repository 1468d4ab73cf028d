//! One logical rank: everything that a checkpoint saves of it and that generated code sees of it.

use std::ffi::{c_char, c_uint, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

use crate::engine::Extension;
use crate::frames::Frames;
use crate::job::Job;
use crate::tls;

/// Mirror of `struct pc3_rank`.
#[repr(C)]
pub struct RankAbi {
    pub sp: *mut c_char,
    pub sp_end: *mut c_char,
    /// Locations passed (MPI programs only).
    pub passages: c_uint,
    /// "file.c:12" of the latest MPI call.
    pub at: *const c_char,
    /// Allocation site handed down by the caller of an allocation wrapper.
    pub site: *mut c_void,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Executes user code (or has not begun).
    Running,
    /// Its frames are records; the stack is empty.
    Unwound,
    /// `main` returned or called `exit`.
    Finished(i32),
}

#[repr(C)]
pub struct Rank {
    pub abi: RankAbi,
    id: usize,
    job: Arc<Job>,
    delta: isize,
    pub(crate) status: Status,
    pub(crate) frames: Frames,
    pub(crate) critical: u32,
    /// The engine's own state of this rank.
    pub extension: Extension,
}

// SAFETY: a rank runs on one thread at a time; its raw pointers lead to its own memory.
unsafe impl Send for Rank {}

impl Rank {
    pub fn new(job: Arc<Job>, id: usize) -> Box<Rank> {
        Box::new(Rank {
            abi: RankAbi {
                sp: null_mut(),
                sp_end: null_mut(),
                passages: 0,
                at: null(),
                site: null_mut(),
            },
            id,
            job,
            delta: 0,
            status: Status::Running,
            frames: Frames::default(),
            critical: 0,
            extension: None,
        })
    }

    /// The logical rank's number, 0.. .
    pub fn id(&self) -> usize {
        self.id
    }

    pub fn job(&self) -> &Arc<Job> {
        &self.job
    }

    pub fn status(&self) -> Status {
        self.status
    }

    pub fn in_critical(&self) -> bool {
        self.critical > 0
    }

    /// Marks the rank as ended; the engine calls it when `body` returned or `exit` was called.
    pub fn finish(&mut self, code: i32) {
        self.status = Status::Finished(code);
    }

    /// Distance from a global's template to this rank's copy.
    pub fn delta(&self) -> isize {
        self.delta
    }

    /// Makes this the calling thread's rank; to be called whenever its stack gets control.
    #[inline]
    pub fn make_current(&mut self) {
        tls::set(&raw mut self.abi, self.delta);
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
