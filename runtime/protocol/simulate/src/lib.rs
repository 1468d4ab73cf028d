//! Runs the coordination protocols of `pc3_protocol`, unchanged, in worlds where everything that can happen is drawn
//! from one number: programs, delays, who runs, requests, crashes, recoveries.  A judge looks at every checkpoint and
//! at the end of every run.
//!
//! | module | what |
//! |---|---|
//! | `program`, `generate`, `script` | message-passing programs: what they are, how they are drawn, what ranks do |
//! | `state` | a job at a moment, and its newest checkpoint |
//! | `world`, `step`, `output` | how it moves under the non-blocking protocol, its ranks' steps, its output |
//! | `recovery` | a job that goes on from a checkpoint |
//! | `run`, `exhaustive`, `check` | random schedules, every schedule of a small job, the judge of both |
//! | `barrier`, `processes` | the protocol with a barrier, in one process and in several |
//! | `scale` | what an epoch costs as jobs grow |

#![forbid(unsafe_code)]

pub mod barrier;
pub mod check;
pub mod exhaustive;
pub mod generate;
mod output;
pub mod processes;
pub mod program;
mod recovery;
pub mod run;
pub mod scale;
pub mod script;
pub mod state;
mod step;
mod world;
