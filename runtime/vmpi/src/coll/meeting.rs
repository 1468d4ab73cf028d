//! Where the members of a communicator meet.

use std::sync::Arc;

/// Shared by the members of one communicator in this process.
#[derive(Debug)]
pub struct Meeting {
    /// Members in this process.
    pub members: usize,
}

pub type MeetingRef = Arc<Meeting>;

impl Meeting {
    pub fn new(members: usize) -> MeetingRef {
        Arc::new(Meeting { members })
    }
}
