//! The non-blocking protocol at work: drives the state machines of `pc3-protocol` for the ranks of this process.
//!
//! While no checkpoint is under way nothing of this runs: messages take their usual ways, uncounted, which is right
//! because within a process what is sent has arrived, and between processes what was sent so arrives before an epoch
//! begins (`remote_epochs`).  A request turns [`Pace::is_slow`](pc3_vmpi_core::world::Pace::is_slow) on.  From then on every
//! operation that the machines have to know of is done under one lock, together with what the machines say of it, so that to
//! them each send, arrival, match and entry into a collective happens at one moment.  The epoch begins when no rank can
//! be on one of the usual ways any more (`State::begin`); it ends for all at once.
//!
//! | module | what |
//! |---|---|
//! | `state` | what the protocol knows; `outcome`, `round`, `record`, `remote`: parts of it |
//! | `machines` | the lock |
//! | `epoch`, `remote_epochs` | an epoch from its beginning to its end, in one process and in several |
//! | `operations` | what ranks do in one: messages (`p2p`, `remote`, `late`), collectives (`coll`, `later`), spawning (`births`), files (`io`), what another run could have otherwise (`outcomes`) |
//! | `checkpoint` | local checkpoints: taken (`local`), written (`commit`), gone on from (`recover`); who is waited for (`waiting`) |
//! | `above`, `protocol` | the protocol as messages and collectives know it, and as the engine does |
//! | `epoch_memory`, `epoch_frames` | memory for all that; what processes tell each other |

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod above;
pub mod checkpoint;
mod epoch;
mod epoch_frames;
pub mod epoch_memory;
pub mod machines;
pub mod operations;
pub mod protocol;
mod remote_epochs;
pub mod state;
