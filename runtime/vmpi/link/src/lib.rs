//! What connects the processes of one job: frames to and from the others, and the thread that receives them.
//!
//! Ranks are placed in blocks (`docs/processes.md`).  A rank sends on its own worker; what arrives is handled by one
//! thread at a time, as far as that goes without a rank: it matches messages, answers, wakes ranks.  That is a worker
//! that has nothing else to do, as long as it looks for work, else a thread of its own, the *porter*.
//!
//! | module | what |
//! |---|---|
//! | `frame`, `kind`, `post` | frames, their kinds, how they are sent |
//! | `link`, `remote`, `join` | the link, as ranks know it, and how it comes to be |
//! | `arrivals`, `work` | what the transport delivers, and who handles it |
//! | `messages` | those that go whole (`send`), that are offered (`traffic`, `rendezvous`, `offers`, `pulls`), that count (`counted`); how much may be sent unasked (`credit`); what comes (`arrive`, `handle`) |
//! | `collectives` | what collectives exchange: on the `board`, in `slots` |
//! | `processes` | checkpoints and quiescence (`node`, `deciding`, `polls`); what all have to know in the same order (`total_order`); `desk`, `joint_actions`; `heartbeat`, `ending` |
//! | `ports`, `port_calls`, `pointers`, `windows` | ports and names; shared pointers of files; what is said about windows |

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod arrivals;
pub mod collectives;
pub mod frame;
pub mod join;
pub mod kind;
pub mod link;
pub mod messages;
pub mod pointers;
pub mod port_calls;
pub mod ports;
pub mod post;
pub mod processes;
mod remote;
mod windows;
mod work;

pub use join::join;
pub use link::{joined, link, remote, Link};
pub use processes::ending::{abort, hear_others};
