//! What stands behind the commands `pc3run` and `pc3`; the binaries are thin shells.
//!
//! * `launch`: `pc3run`: options, starting the program, signals, the progress line.
//! * `inspect`: `pc3`: finding checkpoints, listing, showing and verifying them, asking a running job for one.
//! * `human`: sizes and times for people; `process`, `program`: what the system tells of a process, and a file of its program.

mod human;
pub mod inspect;
pub mod launch;
mod process;
mod program;
