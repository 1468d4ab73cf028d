//! What processes decide together ([`pc3_protocol::processes`]): carries what they say, and does here what this
//! process's part wants done.  Runs on the porter's thread, but for what ranks report.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Condvar, Mutex};

use pc3_protocol::processes::{Act, FromLead, Lead, Participant, ToLead};

use super::polls::{Step, Watch};

/// For the thread that stays when all ranks here have ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A checkpoint is to be written.
    Unwind,
    /// All ranks everywhere have ended.
    End(i32),
}

pub struct Node {
    pub(crate) index: u32,
    pub(crate) lead: Mutex<Lead>,
    /// Locked behind the barrier, and while what it says is sent: so that is heard in the order in which it was decided.
    pub(crate) part: Mutex<Participant>,
    /// What this process says to itself.
    pub(crate) own: Mutex<VecDeque<Message>>,
    pub(crate) any_own: AtomicBool,
    pub(crate) events: (Mutex<VecDeque<Event>>, Condvar),
    pub(crate) watch: AtomicBool,
    pub(crate) watch_polls: Mutex<Watch>,
}

pub(crate) enum Message {
    Up(u32, ToLead),
    Down(FromLead),
    /// What this process's part wants done, decided where ranks run.
    Act(Act),
    /// To the lead: its round is over.
    Over,
    /// Likewise: do ranks still poll in vain? Or, that is to be told.
    Polls(Step),
    /// Likewise: a plan has stood for long.
    Count,
}

impl Node {
    pub fn new(index: u32, count: u32) -> Node {
        Node {
            index,
            lead: Mutex::new(Lead::new(count as usize)),
            part: Mutex::default(),
            own: Mutex::default(),
            any_own: AtomicBool::new(false),
            events: Default::default(),
            watch: AtomicBool::new(false),
            watch_polls: Mutex::default(),
        }
    }
}
