//! The operating system and its C library: every system call, every look into `/proc`, and all that they decide.
//!
//! The rest of the runtime says what it wants; how a system does that stands in that system's folder. Another system is
//! another folder with the same modules.
//!
//! * `errors`: the thread's error number; `memory`: mappings; `files`: descriptors; `streams`: the C library's;
//!   `signals`: masks, handlers, their stack; `clocks`: time, timers and randomness; `processes`: this one, its children
//!   and others' memory; `threads`: ids, stacks, sleep and wake, barriers; `limits`: resources, priority, users;
//!   `sockets`: messages and waiting for them; `loader`: what is loaded where; `locales`; `allocator`: the C library's.
//! * `forks`: children of the program; `own`: descriptors of the runtime, out of the program's way.
//! * `types`: structures that programs hand over; `variables`: the C library's;
//!   `original`: its functions for which programs call ours.

pub mod forks;
#[cfg(target_os = "linux")]
mod linux;
pub mod own;

#[cfg(target_os = "linux")]
pub use linux::{
    allocator, clocks, errors, files, limits, loader, locales, memory, original, processes,
    signals, sockets, streams, threads, types, variables,
};
