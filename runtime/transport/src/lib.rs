//! The interface between the virtual MPI and whoever carries frames between the processes of a job.
//!
//! A transport is a table of C functions, built in or loaded at run time from a shared object that exports
//! [`SYMBOL`].  It knows nothing of ranks: it moves *frames*, a [`Head`] of fixed size and a body of any length,
//! between processes 0..count of one program on machines of one kind.
//!
//! Rules:
//! * Frames of one process to another arrive whole, once, and in order.  Bodies have no upper limit of length:
//!   what a network cannot take at once the transport cuts into pieces and joins again.
//! * `send`, `pull`, `push`, `progress` and `unsent` are never called at the same time; `wait` and `wake` may be, by any thread.
//! * A transport calls the [`Sink`] within `progress` only (`sent` within `send` and `push`, too); the sink calls nothing back.
//! * `send` does not wait.  With a token the body must stay as it is until `sent(token)`; without one it has been
//!   written or copied when `send` returns.
//! * `pull` and `push` are for bodies that both sides know of beforehand: memory that the receiver has named is filled from
//!   memory of the sender, besides the order of frames.  A transport that has no faster way for that has neither.
//! * `wait` returns when something may have arrived or can be written, when `wake` was called since the last
//!   return, or when the time is over; it does not keep a core busy.

pub mod head_compression;

use std::ffi::{c_char, c_void};

pub const VERSION: u32 = 4;

/// What a shared object exports: a [`Transport`].
pub const SYMBOL: &str = "pc3_transport";

/// What every frame begins with.  Transports look at `len` only.
#[repr(C)]
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Head {
    pub kind: u32,
    /// World ranks.
    pub src: u32,
    pub dst: u32,
    pub ctx: u32,
    /// The sender's rank as the receiver knows it.
    pub from: i32,
    pub tag: i32,
    pub ty: u32,
    pub extra: u32,
    pub count: u64,
    pub id: u64,
    pub token: u64,
    /// Length of the body.
    pub len: u64,
}

pub const HEAD: usize = std::mem::size_of::<Head>();

/// Where a transport delivers.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Sink {
    pub context: *mut c_void,
    /// Memory for the body of a frame that arrives: `head.len` bytes, which are not 0.
    pub room: unsafe extern "C" fn(context: *mut c_void, peer: u32, head: *const Head) -> *mut u8,
    /// A frame is there, its body where `room` said.
    pub arrived: unsafe extern "C" fn(context: *mut c_void, peer: u32, head: *const Head),
    /// A frame is there, its body as well, which is copied: instead of `room` and `arrived`.
    pub whole:
        unsafe extern "C" fn(context: *mut c_void, peer: u32, head: *const Head, body: *const u8),
    /// The body of the frame sent with this token may be changed.
    pub sent: unsafe extern "C" fn(context: *mut c_void, token: u64),
    /// What was asked for by a `pull` with this id is there.
    pub pulled: unsafe extern "C" fn(context: *mut c_void, peer: u32, id: u64),
    /// Nothing will come from that process any more.
    pub lost: unsafe extern "C" fn(context: *mut c_void, peer: u32, why: *const c_char),
}

/// A job joined.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Joined {
    pub handle: *mut c_void,
    pub index: u32,
    pub count: u32,
}

#[repr(C)]
pub struct Transport {
    pub version: u32,
    pub name: *const c_char,
    /// Joins the job that this process was started for.  0, or there is a message in `error`.
    pub join: unsafe extern "C" fn(into: *mut Joined, error: *mut c_char, room: usize) -> i32,
    /// Called once, before anything else with the handle.
    pub attach: unsafe extern "C" fn(handle: *mut c_void, sink: *const Sink),
    pub send: unsafe extern "C" fn(
        handle: *mut c_void,
        peer: u32,
        head: *const Head,
        body: *const u8,
        token: u64,
    ),
    /// `len` bytes (not 0) that the peer will push belong there; 0, or what the peer has to call this in its push.
    pub pull: Option<
        unsafe extern "C" fn(handle: *mut c_void, peer: u32, to: *mut u8, len: u64, id: u64) -> u32,
    >,
    /// Sends what the peer pulls by this name; it must stay as it is until `sent(token)`.
    pub push: Option<
        unsafe extern "C" fn(
            handle: *mut c_void,
            peer: u32,
            name: u32,
            from: *const u8,
            len: u64,
            token: u64,
        ),
    >,
    /// Sends and receives what it can now; 1 if that was anything.
    pub progress: unsafe extern "C" fn(handle: *mut c_void) -> i32,
    /// Frames for the peer that have not been sent; for people.
    pub unsent: unsafe extern "C" fn(handle: *mut c_void, peer: u32) -> u64,
    pub wait: unsafe extern "C" fn(handle: *mut c_void, microseconds: u64),
    pub wake: unsafe extern "C" fn(handle: *mut c_void),
    /// The job is over; all processes call it after all frames have arrived.
    pub finish: unsafe extern "C" fn(handle: *mut c_void),
    /// Ends the other processes as far as the launcher can, and this one.
    pub abort: unsafe extern "C" fn(handle: *mut c_void, status: i32),
}

// SAFETY: a constant table.
unsafe impl Sync for Transport {}
