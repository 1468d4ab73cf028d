//! Point-to-point messages between ranks (MPI 4.1 chapter 3).
//!
//! Each rank has PC3's two queues in its mailbox: receives posted and not yet matched, and inbound
//! messages that no receive has asked for.  A send that finds a posted receive copies straight into
//! its buffer.  Otherwise a small message is buffered; a large or synchronous one is *held*: the
//! queue points to the sender's request, and the receiver copies from the sender's memory.  One of moderate size
//! ([`LAZY`]) is held until its sender waits for it, has let its receiver run if that could, and is not done.  When
//! nothing else can run, or only polls ([`relief`]), held standard-mode messages are buffered after all ([`release_held`]).
//! Long ones are copied by two workers ([`sharing`]).
//! Between workers, a rank in a blocking receive takes messages in its [`landing`] place instead, and other small ones
//! come by [`lane`].
//!
//! Everything here speaks of world ranks and context numbers; communicators are resolved above.

pub mod buf;
pub mod deliver;
pub mod exchange;
pub mod held;
pub mod landing;
pub mod lane;
pub mod mailbox;
pub mod mark;
pub mod queue;
pub mod recv;
pub mod request;
pub mod room;
pub mod send;
mod share;
pub mod sharing;
pub mod wait;
pub mod written;

pub use buf::Buf;
pub use exchange::exchange;
pub use held::{all_poll, release_held, settle};
pub use queue::Key;
pub use recv::{cancel, iprobe, irecv, probe, recv, recv_status};
pub use request::{Mode, Req, Request, Status};
pub use send::{isend, send, Dest};
pub use wait::{free, test, wait, wait_done};

pub const ANY_SOURCE: i32 = -1;
pub const ANY_TAG: i32 = -2;
pub const PROC_NULL: i32 = -3;

/// Messages up to this many bytes are buffered when no receive is posted.
pub const EAGER: usize = 64 << 10;
/// From so many on they are buffered only when their sender would have to wait: most receivers come earlier.
const LAZY: usize = 4 << 10;
/// A rank that has this much unreceived makes further senders wait.
pub const BACKLOG_MESSAGES: usize = 4096;
pub(crate) const BACKLOG_BYTES: usize = 32 << 20;
