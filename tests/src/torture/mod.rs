//! The torture machine: any program, a location everywhere, stopped and moved at random places, must do what the
//! plain build does, or be refused with a reason.
//!
//! `machine` tries one program, `verdict` names what can come of it, `state` compares what a program holds on two machines, `programs` says where programs come from,
//! `journal` remembers verdicts between runs.

mod machine;
mod programs;
mod state;
mod verdict;

pub mod journal;

pub use machine::{Plan, Scope};
pub use programs::{csmith, in_folder, sample, Source};
pub use verdict::{Kind, Verdict};
