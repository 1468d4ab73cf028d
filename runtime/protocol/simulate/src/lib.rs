//! Runs the coordination protocols of `pc3_protocol`, unchanged, in worlds where everything that can happen is drawn
//! from one number: programs, delays, who runs, requests, crashes, recoveries.  A judge looks at every checkpoint and
//! at the end of every run.

#![forbid(unsafe_code)]

pub mod barrier;
pub mod check;
pub mod exhaustive;
pub mod generate;
mod output;
pub mod processes;
pub mod program;
pub mod recovery;
pub mod run;
pub mod scale;
pub mod script;
mod step;
pub mod world;
