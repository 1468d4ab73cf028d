//! What messages are kept in, and what waits for them.
//!
//! * `mailbox`, `queue`: a rank's two queues; `lane`, `landing`: ways between workers past them.
//! * `request`: a pending operation; `buf`: buffers; `sharing`: what a rank that waits may help to copy.
//! * `room`: room that a message takes until it is received; `mark`: what it tells of its sender while a checkpoint is under way.

pub mod buf;
pub mod landing;
pub mod lane;
pub mod mailbox;
pub mod mark;
pub mod queue;
pub mod request;
pub mod room;
pub mod sharing;

pub const ANY_SOURCE: i32 = -1;
pub const ANY_TAG: i32 = -2;
pub const PROC_NULL: i32 = -3;

/// Messages up to this many bytes are buffered when no receive is posted.
pub const EAGER: usize = 64 << 10;
/// A rank that has this much unreceived makes further senders wait.
pub const BACKLOG_MESSAGES: usize = 4096;
pub(crate) const BACKLOG_BYTES: usize = 32 << 20;
