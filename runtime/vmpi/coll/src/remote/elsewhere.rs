//! What collectives ask of the crate above, which knows the other processes: a trait.

use pc3_protocol::Entries;

use super::few::{CallSignature, Told};
use crate::meeting::waiting::{Climb, Pending, RemoteParts};
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::group::Group;
use pc3_vmpi_transport::ProcessMemory;

/// The shared pointer of a file, by its own communicator: id, and a number that stands for the members.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Name {
    pub comm: u32,
    pub group: u64,
}

/// Which collective a frame belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Topic {
    /// Communicator, tag of the meeting, and a number that stands for the members.
    pub id: u32,
    pub tag: u32,
    pub group: u64,
    /// Collectives of that meeting, counted.
    pub round: u64,
    /// [`Topic::CALLS`] and those behind it.
    pub phase: u32,
}

impl Topic {
    pub const CALLS: u32 = 0;
    pub const RESULTS: u32 = 1;
    /// What was lent has been read.
    pub const READ: u32 = 2;
    /// What calls amount to, and what comes of them.
    pub const TOLD: u32 = 3;

    pub fn told(self) -> Topic {
        let phase = Topic::TOLD;
        Topic { phase, ..self }
    }

    /// Of non-blocking calls: straight to each process, and along the tree.
    pub const APART: u32 = u32::MAX - 2;
    pub const ALONG: u32 = u32::MAX - 4;

    pub fn along(self) -> Topic {
        let tag = Topic::ALONG;
        Topic { tag, ..self }
    }

    pub fn apart(self) -> Topic {
        let tag = Topic::APART;
        Topic { tag, ..self }
    }

    /// By which who waits for this is known: who waits for what is told waits for calls, too.
    pub fn awaited(self) -> Topic {
        let told = self.phase == Topic::TOLD;
        let phase = if told { Topic::CALLS } else { self.phase };
        Topic { phase, ..self }
    }
}

/// The other processes, as a rank sees them.
pub trait Elsewhere {
    fn world(&self) -> &World;
    /// `entries`: how members here have entered, if that counts.
    fn send(&self, to: u32, what: (Topic, Option<&Entries>), bytes: &[u8]);
    /// Requests wait for the parts of so many processes; unless those are there.
    fn enter(
        &self,
        topic: Topic,
        pending: Pending,
        processes: usize,
    ) -> Option<(Pending, RemoteParts)>;
    /// The same of parts that go along the tree.
    fn climb(&self, topic: Topic, climb: Climb) -> Option<(Pending, RemoteParts)>;
    /// Waits for the frames of so many processes.
    fn receive(&self, topic: Topic, processes: usize) -> Vec<(u32, Box<[u8]>)>;
    /// Can that process read this one's memory?
    fn is_read_by(&self, process: u32) -> bool;
    /// That process's memory, if it can be read from here.
    fn memory_of(&self, process: u32) -> Option<ProcessMemory>;
    /// Sends a process its frame of a blocking collective that all members here have entered.
    fn bring(&self, to: u32, topic: Topic, group: &Group, bytes: &[u8]);
    /// Does a checkpoint have to know of collectives?
    fn counts(&self) -> bool;
    /// Tells a process what all calls here amount to, and what goes with it.
    fn tell(&self, to: u32, topic: Topic, record: CallSignature, given: &[u8]);
    /// Passes on what has come of calls that all have told; `others`: how members elsewhere have entered.
    fn pass(
        &self,
        to: u32,
        what: (Topic, CallSignature),
        group: &Group,
        given: &[u8],
        others: &Entries,
    );
    /// Waits for what these processes tell, which goes to `heard` in their order; false: some process brings its calls instead.
    fn hear(
        &self,
        topic: Topic,
        from: &[u32],
        heard: &mut Vec<(u32, Told)>,
        others: &mut Entries,
    ) -> bool;
    /// All have told the same.
    fn have_told(
        &self,
        topic: Topic,
        group: &Group,
        entered: &dyn Fn(usize) -> u32,
        others: &Entries,
    );
    /// This process keeps the shared pointer of a file; it is there from now on.
    fn set_pointer(&self, name: Name, at: i64);
    /// Moves it on, in the process that keeps it; where it was.
    fn advance_pointer(&self, process: u32, name: Name, by: i64) -> i64;
    fn forget_pointer(&self, name: Name);
    /// Waits for the calls that the others bring.  `entered`: how often a member has come to this meeting.
    fn brought(
        &self,
        topic: Topic,
        group: &Group,
        entered: &dyn Fn(usize) -> u32,
        processes: usize,
    ) -> Vec<(u32, Box<[u8]>)>;
}
