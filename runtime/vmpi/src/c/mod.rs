//! The MPI functions that programs call.
//!
//! An entry point checks its arguments, finds the objects behind the handles and calls the module
//! that does the work; what fails goes to the communicator's error handler.  Handles are
//! pointer-sized numbers (`usize`); pointers are trusted only as far as C must.

// The standard says what each function may be given; its sections are named instead.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

pub mod attr;
pub mod clocks;
pub mod coll;
pub mod comm;
pub mod datarep;
pub mod datatype;
pub mod datatype_contents;
mod datatype_large;
pub mod datatype_query;
pub mod dist_graph;
pub mod env;
pub mod errors;
pub mod external;
pub mod file;
pub mod file_data;
pub mod fortran;
pub mod general;
mod given;
pub mod group;
pub mod info;
pub mod inter;
pub mod op;
pub mod p2p;
pub mod pack;
pub mod parametrised;
pub mod persistent;
pub mod port;
pub mod probe;
pub mod reduce;
pub mod request;
pub mod requests;
pub mod spawn;
pub mod status;
pub mod tool;
pub mod topo;

use crate::coll::meeting::Crew;
use crate::coll::remote::Elsewhere;
use crate::state::{Call, Phase, RankState};
use pc3_vmpi_objects::error::{fail, Class, MpiError, Result};
use pc3_vmpi_objects::handle::abi;
use std::ffi::{c_char, c_int, CStr};

impl Crew for RankState {
    fn block(&self, _what: &'static str) {
        RankState::block(self)
    }
    fn wake(&self, world: u32) {
        RankState::wake(self, world)
    }
    #[inline]
    fn linger(&self, ready: impl Fn() -> bool) {
        RankState::linger(self, ready);
    }
    #[inline]
    fn park(&self) {
        let world = self.world();
        world.sched().park(world, self.slot);
    }
    #[inline]
    fn release(&self, places: impl Iterator<Item = u32>) {
        self.world().sched().release(self.slot, places);
    }
    fn workers(&self) -> usize {
        self.world().sched().workers()
    }
    fn place_of(&self, rank: u32) -> Option<(u32, u32)> {
        let world = self.world();
        let slot = world.slot_of(rank)?;
        Some((world.sched().worker_of(slot), slot))
    }
    #[inline]
    fn nonblocking(&self) -> Option<&RankState> {
        self.world().nonblocking.is_slow().then_some(self)
    }
    #[inline]
    fn elsewhere(&self) -> Option<&dyn Elsewhere> {
        self.world().remote().is_some().then_some(self as _)
    }
}

/// What the system says of waiting and waking is none of the program's business: its errno comes back when this goes.
/// A rank stays on its thread as long as it has a stack.
struct Errno {
    at: *mut c_int,
    value: c_int,
}

impl Errno {
    #[inline]
    fn keep() -> Errno {
        // SAFETY: the thread's own variable.
        unsafe {
            let at = pc3_os::errors::slot();
            Errno { at, value: *at }
        }
    }
}

impl Drop for Errno {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { *self.at = self.value }
    }
}

/// Runs the body of an MPI function; errors go to the handler of `comm` (0: of MPI_COMM_WORLD).
#[inline]
pub fn entry(
    name: &'static str,
    comm: usize,
    f: impl FnOnce(&'static RankState) -> Result<()>,
) -> c_int {
    entry_of(name, comm, |me| {
        me.call.set(Call::new(name).comm(comm));
        f(me)
    })
}

/// The same for functions that say themselves what call it is.
#[inline(always)]
fn entry_of(
    name: &'static str,
    comm: usize,
    f: impl FnOnce(&'static RankState) -> Result<()>,
) -> c_int {
    let me = RankState::current();
    let _errno = Errno::keep();
    let outcome = if me.phase.get() == Phase::Initialized {
        f(me)
    } else {
        Err(not_running(me, name))
    };
    match outcome {
        Ok(()) => Class::SUCCESS.0,
        Err(e) => errors::raise(me, name, comm, e),
    }
}

/// The same for functions that may be called before MPI_Init and after MPI_Finalize.
pub fn entry_at_any_time(
    name: &'static str,
    f: impl FnOnce(&'static RankState) -> Result<()>,
) -> c_int {
    let me = RankState::current();
    let _errno = Errno::keep();
    me.call.set(Call::new(name));
    match f(me) {
        Ok(()) => Class::SUCCESS.0,
        Err(e) => errors::raise(me, name, 0, e),
    }
}

#[cold]
fn not_running(me: &RankState, name: &str) -> MpiError {
    let when = if me.phase.get() == Phase::Before {
        "before MPI_Init"
    } else {
        "after MPI_Finalize"
    };
    MpiError::new(Class::ERR_OTHER, format!("{name} was called {when}"))
}

/// A count argument.
#[inline]
pub fn count(n: c_int) -> Result<usize> {
    usize::try_from(n).or_else(|_| fail(Class::ERR_COUNT, format!("the count is {n}")))
}

/// A count argument of a large-count function.
#[inline]
pub fn wide_count(n: i64) -> Result<usize> {
    usize::try_from(n).or_else(|_| fail(Class::ERR_COUNT, format!("the count is {n}")))
}

/// Stores a result.
///
/// # Safety
/// `to` must be null or valid.
#[inline]
pub unsafe fn put<T>(to: *mut T, value: T) -> Result<()> {
    if to.is_null() {
        return fail(Class::ERR_ARG, "a result pointer is null");
    }
    to.write(value);
    Ok(())
}

/// An array argument.
///
/// # Safety
/// `p` must be null or lead to `n` values.
pub unsafe fn slice<'a, T>(p: *const T, n: usize) -> Result<&'a [T]> {
    if n == 0 {
        return Ok(&[]);
    }
    if p.is_null() {
        return fail(Class::ERR_ARG, "an array argument is null");
    }
    Ok(std::slice::from_raw_parts(p, n))
}

/// An array result.
///
/// # Safety
/// As [`slice`].
pub unsafe fn slice_mut<'a, T>(p: *mut T, n: usize) -> Result<&'a mut [T]> {
    if n == 0 {
        return Ok(&mut []);
    }
    if p.is_null() {
        return fail(Class::ERR_ARG, "a result array is null");
    }
    Ok(std::slice::from_raw_parts_mut(p, n))
}

/// A string argument.
///
/// # Safety
/// `p` must be null or a C string.
pub unsafe fn text(p: *const c_char) -> Result<String> {
    if p.is_null() {
        return fail(Class::ERR_ARG, "a string argument is null");
    }
    Ok(CStr::from_ptr(p).to_string_lossy().into_owned())
}

/// A string result of at most `room` bytes with its terminator; returns the length stored.
///
/// # Safety
/// `to` must be null or have that room.
pub unsafe fn put_text(to: *mut c_char, room: usize, s: &str) -> Result<usize> {
    if to.is_null() {
        return fail(Class::ERR_ARG, "a string result is null");
    }
    let n = s.len().min(room.saturating_sub(1));
    std::ptr::copy_nonoverlapping(s.as_ptr(), to.cast(), n);
    to.add(n).write(0);
    Ok(n)
}

/// MPI_MAX_OBJECT_NAME and MPI_MAX_ERROR_STRING.
pub const MAX_NAME: usize = 128;
pub const MAX_ERROR: usize = 512;

/// The source line of the running call, if the compiler told it.
pub fn source_line(me: &RankState) -> Option<Box<str>> {
    let at = me.exec()?.abi.at;
    // SAFETY: generated code stores string literals.
    (!at.is_null()).then(|| unsafe { CStr::from_ptr(at) }.to_string_lossy().into())
}

/// Checks a buffer address: null only where nothing is accessed or addresses are absolute.
#[inline]
pub fn buffer(p: *const u8, bytes: usize, predefined: bool) -> Result<()> {
    if p.is_null() && bytes > 0 && predefined {
        return fail(Class::ERR_BUFFER, "the buffer is a null pointer");
    }
    if p as usize == abi::IN_PLACE {
        return fail(Class::ERR_BUFFER, "MPI_IN_PLACE is not allowed here");
    }
    Ok(())
}
