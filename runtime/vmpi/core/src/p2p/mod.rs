//! Point-to-point messages between ranks (MPI 4.1 chapter 3).
//!
//! Each rank has PC3's two queues in its mailbox: receives posted and not yet matched, and inbound
//! messages that no receive has asked for.  A send that finds a posted receive copies straight into
//! its buffer.  Otherwise a small message is buffered; a large or synchronous one is *held*: the
//! queue points to the sender's request, and the receiver copies from the sender's memory.  One of moderate size
//! (`LAZY`) is held until its sender waits for it, has let its receiver run if that could, and is not done.  When
//! nothing else can run, or only polls (`relief`), held standard-mode messages are buffered after all ([`release_held`]).
//! Long ones are copied by two workers (`mail::sharing`).
//! Between workers, a rank in a blocking receive takes messages in its `landing` place instead, and other small ones
//! come by `lane`.
//!
//! Everything here speaks of world ranks and context numbers; communicators are resolved above.
//!
//! * `send`, `recv`, `wait`, `exchange`: the operations; `deliver`: what came by lanes; `held`: messages that the sender keeps.
//! * `share`: a copy that two workers do; `written`: a message in a checkpoint.

pub mod deliver;
pub mod exchange;
pub mod held;
pub mod recv;
pub mod send;
mod share;
pub mod wait;
pub mod written;

pub use crate::mail::buf::Buf;
pub use crate::mail::queue::Key;
pub use crate::mail::request::{Mode, Req, Request, Status};
pub use crate::mail::{ANY_SOURCE, ANY_TAG, EAGER, PROC_NULL};
pub use exchange::exchange;
pub use held::{all_poll, release_held, settle};
pub use recv::{cancel, iprobe, irecv, probe, recv, recv_status};
pub use send::{isend, send, Dest};
pub use wait::{free, test, wait, wait_done};

/// From so many bytes on messages are buffered only when their sender would have to wait: most receivers come earlier.
const LAZY: usize = 4 << 10;
