//! The non-blocking protocol at work: drives the state machines of `pc3-protocol` for the ranks of this process.
//!
//! While no checkpoint is under way nothing of this runs: messages take their usual ways, uncounted, which is right
//! because within a process what is sent has arrived, and between processes what was sent so arrives before an epoch
//! begins ([`remote_epochs`]).  A request turns `Pace::is_slow` of the world on.  From then on every
//! operation that the machines have to know of is done under one lock, together with what the machines say of it, so that to
//! them each send, arrival, match and entry into a collective happens at one moment.  The epoch begins when no rank can
//! be on one of the usual ways any more ([`State::begin`]); it ends for all at once.
//!
//! | module | what |
//! |---|---|
//! | `epoch`, `remote_epochs` | when one begins and ends, here and in the other processes |
//! | `course` | what ranks do in one: `p2p`, `remote`: messages; `late`: those that cross the line; `coll`, `later`: collectives; `outcomes`, `births`, `io` |
//! | `checkpoint` | `local`, `waiting`: taken; `commit`: written; `recover`: gone on from |
//! | `state`, `machines` | what the protocol knows (`record`: what a file keeps), and the lock around it |
//! | `protocol`, `above` | what the engine asks; what messages and collectives ask |
//! | `room`, `words` | memory for it; what processes tell each other |
//! otherwise, [`births`] ranks that are spawned, [`io`] files of `MPI_File`, [`local_checkpoint`] the local checkpoints, [`protocol`] what the engine asks, [`record`] what a file keeps of them, [`room`] memory for that, and [`words`] what processes tell each other.

pub mod above;
pub mod checkpoint;
pub mod course;
mod epoch;
pub mod machines;
pub mod protocol;
mod remote_epochs;
pub mod room;
pub mod state;
mod words;
