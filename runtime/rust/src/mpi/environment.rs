//! MPI's beginning and end, clocks and names.
//!
//! ```
//! use pc3::mpi::environment::{processor_name, threading_support, version, Threading};
//! use pc3::mpi::{self, traits::*};
//!
//! #[pc3::main(mpi)]
//! fn main() {
//!     let begun = mpi::initialize_with_threading(Threading::Multiple);
//!     let (universe, given) = begun.expect("MPI can be initialized once");
//!     assert_eq!((given, threading_support()), (Threading::Funneled, Threading::Funneled));
//!     assert_eq!(universe.world().rank(), 0);
//!     assert!(version() >= (3, 0) && !processor_name().unwrap().is_empty());
//! }
//! ```

use std::ffi::c_int;
use std::ptr::null_mut;
use std::string::FromUtf8Error;

use pc3_vmpi::c::env::{
    MPI_Finalized, MPI_Get_library_version, MPI_Get_processor_name, MPI_Get_version,
    MPI_Init_thread, MPI_Initialized, MPI_Query_thread, MPI_Wtick, MPI_Wtime,
};
use pc3_vmpi::state::RankState;

use super::communicator::{Communicator, SimpleCommunicator};
use super::request::owned::{End, Owned};
use super::{fail, ok, Rank};
use crate::Checkpointable;

/// MPI is initialized, until this is dropped.
#[derive(Debug, Checkpointable)]
pub struct Universe {
    _mpi: Owned,
}

/// What a rank's threads may do; the numbers are those of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Threading {
    /// There is one.
    Single = 0,
    /// The one that has initialized MPI calls it.
    Funneled = 1024,
    /// One at a time calls it.
    Serialized = 2048,
    /// All may call it at the same time.
    Multiple = 4096,
}

impl Threading {
    fn of(level: c_int) -> Threading {
        use Threading::{Funneled, Multiple, Serialized, Single};
        let all = [Single, Funneled, Serialized];
        let found = all.into_iter().find(|t| *t as c_int == level);
        found.unwrap_or(Multiple)
    }
}

/// Initializes MPI; `None` if that has been done.
pub fn initialize() -> Option<Universe> {
    initialize_with_threading(Threading::Single).map(|(universe, _)| universe)
}

/// Likewise; says what threads may do, which is no more than `Funneled`.
pub fn initialize_with_threading(wanted: Threading) -> Option<(Universe, Threading)> {
    let mut done = 0;
    // SAFETY: fills the variable.
    ok(unsafe { MPI_Initialized(&raw mut done) });
    if done != 0 {
        return None;
    }
    if RankState::try_current().is_none() {
        fail("MPI is for programs whose main has #[pc3::main(mpi)]");
    }
    let mut provided = 0;
    // SAFETY: it needs no arguments, and fills the variable.
    ok(unsafe { MPI_Init_thread(null_mut(), null_mut(), wanted as c_int, &raw mut provided) });
    let mpi = Owned {
        handle: 0,
        end: End::Mpi,
    };
    Some((Universe { _mpi: mpi }, Threading::of(provided)))
}

impl Universe {
    /// All ranks.
    pub fn world(&self) -> SimpleCommunicator {
        SimpleCommunicator::world()
    }

    /// How many ranks there are.
    pub fn size(&self) -> Rank {
        self.world().size()
    }
}

/// Has MPI been finalized?
pub fn is_finalized() -> bool {
    let mut done = 0;
    // SAFETY: fills the variable.
    ok(unsafe { MPI_Finalized(&raw mut done) });
    done != 0
}

/// Seconds since some point in the past.  A restart makes them jump.
pub fn time() -> f64 {
    MPI_Wtime()
}

/// Seconds between two such times that can be told apart.
pub fn time_resolution() -> f64 {
    MPI_Wtick()
}

/// The version of the MPI standard.
pub fn version() -> (i32, i32) {
    let (mut version, mut subversion) = (0, 0);
    // SAFETY: fills the variables.
    ok(unsafe { MPI_Get_version(&raw mut version, &raw mut subversion) });
    (version, subversion)
}

/// What MPI this is.
///
/// # Errors
/// None is known: it is rsmpi's shape.
pub fn library_version() -> Result<String, FromUtf8Error> {
    let (mut text, mut length) = (vec![0u8; 8192], 0);
    // SAFETY: room for the longest, `MPI_MAX_LIBRARY_VERSION_STRING`.
    ok(unsafe { MPI_Get_library_version(text.as_mut_ptr().cast(), &raw mut length) });
    shortened(text, length)
}

/// The name of the machine.
///
/// # Errors
/// It is no UTF-8.
pub fn processor_name() -> Result<String, FromUtf8Error> {
    let (mut name, mut length) = (vec![0u8; 256], 0);
    // SAFETY: room for the longest, `MPI_MAX_PROCESSOR_NAME`.
    ok(unsafe { MPI_Get_processor_name(name.as_mut_ptr().cast(), &raw mut length) });
    shortened(name, length)
}

fn shortened(mut text: Vec<u8>, length: c_int) -> Result<String, FromUtf8Error> {
    text.truncate(usize::try_from(length).unwrap_or(0));
    String::from_utf8(text)
}

/// What threads may do, as that was answered when MPI was initialized.
pub fn threading_support() -> Threading {
    let mut provided = 0;
    // SAFETY: fills the variable.
    ok(unsafe { MPI_Query_thread(&raw mut provided) });
    Threading::of(provided)
}
