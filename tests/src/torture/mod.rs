//! The torture machine: any program, a location everywhere, stopped and moved at random places, must do what the
//! plain build does, or be refused with a reason.
//!
//! `machine` tries one program as a `plan` says, by means of `trial` (builds, single runs), `journeys` and `star` (stops and moves); `verdict` names what can
//! come of it, `dependent` which programs may do something else, `state` compares what a program holds on two machines, `programs` says
//! where programs come from, `journal` remembers verdicts between runs, `tally` counts them, `reduce` makes a failing program small.

mod dependent;
mod journeys;
mod machine;
mod plan;
mod programs;
mod star;
mod state;
mod trial;
mod verdict;

pub mod journal;
pub mod reduce;
pub mod tally;

pub use plan::{Plan, Scope, Stops};
pub use programs::{c23, csmith, in_folder, sample, Source};
pub use verdict::{Kind, Verdict};
