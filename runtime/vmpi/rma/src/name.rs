//! Names of windows.

/// What a window is called in all processes: its communicator, and a number that stands for the members.
pub type Name = (u32, u64);
