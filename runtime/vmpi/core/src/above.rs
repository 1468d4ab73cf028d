//! What this crate asks of those above: of the link to other processes, of a protocol that has to know of messages, and of the
//! one that says where ranks are saved.  All on cold paths.

use std::fmt;

use pc3_runtime::rank::Rank;

use crate::mail::buf::Buf;
use crate::mail::mailbox::Message;
use crate::mail::queue::Key;
use crate::mail::request::{Mode, Request, Status};
use crate::rank::RankState;
use crate::world::World;
use pc3_vmpi_objects::error::Result;
use pc3_vmpi_sched::Processors;

/// What the engine asks of a protocol: how ranks agree on a checkpoint.  The job's is chosen as it starts (`--protocol`).
///
/// A protocol is state machines in `pc3-protocol`, which a simulator drives, too, and a driver above.  Whichever was chosen, the
/// machines of both hear which ranks there are and which have ended: what a checkpoint of the other protocol logged is done
/// again under either.
pub trait Protocol: fmt::Debug + Sync {
    /// A rank is at a location, in no critical section: must it unwind now?  It may have to wait for the answer.
    fn due(&self, world: &World, rank: &mut Rank) -> bool;

    /// The rank's stack is empty.  Returns when it may be rebuilt: what the checkpoint has of the rank is then as it was here.
    fn unwound(&self, world: &World, rank: &mut Rank);

    /// Are all ranks saved at one moment?  Then one of them can be in the middle of a message to another.
    fn lines_are_at_once(&self) -> bool;

    /// In a job of several processes, and no rank here need come to a location: a checkpoint is wanted.  Called until one begins.
    fn asked(&self, world: &World);
}

/// What a process says to another one about a window.
pub struct Letter<'a> {
    /// Which window: what its communicator is known by in all processes.
    pub window: (u32, u64),
    pub verb: i32,
    /// Whoever is answered waits there; 0: nobody is.
    pub token: u64,
    /// Of a rank that has polled in vain for a while: that it asks once more is no sign of life.
    pub quiet: bool,
    pub bytes: &'a [u8],
}

/// The other processes of the job.
pub trait Remote: Send + Sync {
    /// This process, among so many.
    fn index(&self) -> u32;
    fn count(&self) -> u32;
    /// Frames sent that programs wait for.
    fn frames_sent(&self) -> u64;
    /// Those of its machine that this process may count on.
    fn processors(&self) -> Processors;
    /// The ranks of this process are known from now on.
    fn attach(&self, world: &World);
    /// A worker has nothing to do.
    fn look(&self);
    /// A worker goes to sleep.
    fn rest(&self);
    /// Sends to a rank of another process; false if the message has to be offered.
    ///
    /// # Safety
    /// The buffer is readable.
    unsafe fn deposit(
        &self,
        me: &RankState,
        buf: &Buf<'_>,
        dest: u32,
        key: &Key,
        mode: Mode,
    ) -> Result<bool>;
    /// Offers the message of a pending send to the process of its receiver.
    fn offer(&self, me: &RankState, r: &Request);
    /// Fetches a message that lies with its sender.
    ///
    /// # Safety
    /// The receive is pending, in no queue, and its buffer writable.
    unsafe fn take(&self, world: &World, r: *const Request, key: &Key, m: &Message);
    /// What a rank has offered is copied, so that its sends are complete.
    fn settle(&self, me: &RankState);
    /// Calls wait for a rank to do their work; they may be those of this one.
    fn do_chores(&self, me: &RankState);
    /// Sends a process what is said about a window; it hears everything in that order.
    fn write_to(&self, process: u32, letter: &Letter<'_>);
}

/// The protocol that has to know of every message while [`is_slow`](crate::world::Pace::is_slow) says so.
pub trait Epoch: Sync {
    /// As [`recv_status`](crate::p2p::recv_status), with a request.
    ///
    /// # Safety
    /// Its buffer is writable.
    unsafe fn recv(&self, me: &RankState, r: &Request) -> Status;
    /// Starts a prepared receive.
    ///
    /// # Safety
    /// The request is not pending; its buffer is writable until it completes.
    unsafe fn post(&self, me: &RankState, r: &Request);
    fn iprobe(&self, me: &RankState, key: &Key) -> Option<Status>;
    fn probe(&self, me: &RankState, key: &Key) -> Status;
    fn take(&self, me: &RankState, key: &Key, wait: bool) -> Option<(Key, Message)>;
    /// Delivers or buffers a message; false if it has to be held.
    ///
    /// # Safety
    /// The buffer is readable.
    unsafe fn deposit(
        &self,
        me: &RankState,
        buf: &Buf<'_>,
        dest: u32,
        key: &Key,
        mode: Mode,
    ) -> Result<bool>;
    /// Leaves a message in the sender's buffer; true if it is over.
    ///
    /// # Safety
    /// The request is pending and its buffer readable.
    unsafe fn hold(&self, me: &RankState, r: &Request) -> bool;
    /// A call whose outcome is not logged: no checkpoint may have it between the lines of two ranks.
    fn unsupported(&self, me: &RankState, name: &str);
    /// No rank can run.
    fn quiescent(&self, world: &World);
    /// A message of another process has come, or news of one that is offered.  `from`: of one that counts, its sender and what it
    /// tells of that.
    fn arrive(
        &self,
        world: &World,
        dest: u32,
        key: Key,
        m: Message,
        from: Option<(u32, u64)>,
    ) -> Option<()>;
    /// Another process says something about the epoch.
    fn hear(&self, world: &World, process: u32, bytes: &[u8]);
    /// Nothing has come from other processes for a while.
    fn tick(&self, world: &World);
    /// Process 0 has decided that the job is over: no checkpoint is begun any more.
    fn end(&self, world: &World);
}
