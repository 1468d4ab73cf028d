//! The calling rank's working directory and file mode mask, where it has others beside it.

use std::ffi::{c_char, c_int};

use pc3_os::types::mode_t;
use pc3_os::{files, original};

use pc3_process::working_directory::{can_be_apart, is_apart};
use pc3_state::rank::Rank;

/// The calling rank, if it has others beside it and can have a place of its own.
fn apart<'a>() -> Option<&'a mut Rank> {
    // SAFETY: an entry point.
    let rank = unsafe { Rank::current() }.filter(|r| r.job().several())?;
    can_be_apart().then_some(rank)
}

fn moved(done: c_int) -> c_int {
    // SAFETY: an entry point.
    let rank = unsafe { Rank::current() }.filter(|r| done == 0 && r.job().several() && is_apart());
    if let Some(rank) = rank {
        rank.working_directory.moved();
    }
    done
}

/// # Safety
/// As `chdir`.
#[no_mangle]
pub unsafe extern "C" fn pc3_chdir(path: *const c_char) -> c_int {
    apart();
    // SAFETY: by the caller.
    moved(unsafe { original::chdir(path) })
}

/// # Safety
/// As `fchdir`.
#[no_mangle]
pub unsafe extern "C" fn pc3_fchdir(fd: c_int) -> c_int {
    apart();
    // SAFETY: by the caller.
    moved(unsafe { original::fchdir(fd) })
}

/// # Safety
/// As `umask`.
#[no_mangle]
pub unsafe extern "C" fn pc3_umask(mask: mode_t) -> mode_t {
    if let Some(rank) = apart() {
        rank.working_directory.masked(mask & 0o777);
    }
    files::set_mask(mask)
}
