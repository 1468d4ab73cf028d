//! Runs the bodies of MPI functions.

use std::ffi::c_int;

use crate::raise::raise;
use pc3_vmpi_core::rank::{Call, Phase, RankState};
use pc3_vmpi_objects::error::{Class, MpiError, Result};

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
pub(crate) fn entry_of(
    name: &'static str,
    comm: usize,
    f: impl FnOnce(&'static RankState) -> Result<()>,
) -> c_int {
    let me = RankState::current();
    let _errno = Errno::keep();
    if me.phase.get() != Phase::Initialized && me.sessions.get() == 0 {
        return raise(me, name, comm, not_running(me, name));
    }
    match f(me) {
        Ok(()) => Class::SUCCESS.0,
        Err(e) => raise(me, name, comm, e),
    }
}

/// The same for functions that may be called before MPI_Init and after MPI_Finalize.
pub(crate) fn entry_at_any_time(
    name: &'static str,
    f: impl FnOnce(&'static RankState) -> Result<()>,
) -> c_int {
    let me = RankState::current();
    let _errno = Errno::keep();
    me.call.set(Call::new(name));
    match f(me) {
        Ok(()) => Class::SUCCESS.0,
        Err(e) => raise(me, name, 0, e),
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
