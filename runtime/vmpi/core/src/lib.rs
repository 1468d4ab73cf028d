//! Ranks and messages between them.
//!
//! State lies below, behaviour above it:
//!
//! | module | what |
//! |---|---|
//! | `mail` | what messages are kept in, and what waits for them |
//! | `coord`, `counts`, `vain_waits` | the barrier's state, what ranks have sent, who waits in vain |
//! | `rank`, `world`, `above` | a rank, a job's ranks in this process; what is asked of the crates above |
//! | `p2p` | sending, receiving, waiting |
//! | `coord::{decide, standing}`, `relief`, `deadlock`, `poll` | what is done when ranks wait in vain |
//! | `host`, `stats` | what the scheduler asks; what a run was like |
//!
//! Other processes, and the protocol that counts messages, are traits here ([`above`]): neither is known.  What the crates above
//! keep of a rank and of a job lies in [`rank::RankState::kept`] and [`world::World::part`].

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod above;
pub mod coord;
pub mod counts;
pub mod deadlock;
mod host;
pub mod mail;
pub mod p2p;
pub mod poll;
pub mod rank;
mod relief;
pub mod stats;
pub mod vain_waits;
pub mod world;
