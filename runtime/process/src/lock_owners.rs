//! Mutexes and their like that are held at a checkpoint: they say which thread has them, by a number of the system's that
//! a restart's thread does not have.
//!
//! Where a program does not call MPI its one thread is known when they are filled.  Ranks get their threads later: there
//! the first call with the object tells.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The name of that number's type.
pub const THREAD: &str = "thread";

/// No thread has it.
pub const SOMEBODY: u32 = 0x3fff_fffe;

/// Some object says so.
pub static OPEN: AtomicBool = AtomicBool::new(false);

/// The calling thread's.
pub fn caller() -> u32 {
    pc3_os::threads::id()
}

/// What an object is to say.
pub fn number(ranks: bool) -> u32 {
    if !ranks {
        return caller();
    }
    OPEN.store(true, Relaxed);
    SOMEBODY
}
