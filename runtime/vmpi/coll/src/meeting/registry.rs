//! Meetings that are found by name.

use super::{Meeting, MeetingRef};
use pc3_vmpi_objects::group::Group;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Meetings that members find by name: of communicators rebuilt after a restart, and of calls
/// that only some members of a communicator make.
#[derive(Default)]
pub struct Registry {
    all: Mutex<HashMap<Key, Weak<Meeting>>>,
    /// Those that count what other processes count, too.
    kept: Mutex<Vec<MeetingRef>>,
}

/// Communicator id, tag, members.
type Key = (u32, u32, Vec<u32>);

impl Registry {
    /// Tag of meetings of whole communicators, as opposed to those of calls that name one.
    pub const WHOLE: u32 = u32::MAX;

    /// The meeting of `group` for communicator `id` (and `tag`, for calls that name one).
    pub fn find(&self, id: u32, tag: u32, group: &Group) -> MeetingRef {
        let mut map = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (id, tag, group.ranks().to_vec());
        if let Some(m) = map.get(&key).and_then(Weak::upgrade) {
            return m;
        }
        map.retain(|_, m| m.strong_count() > 0);
        let m = Meeting::named(group.size(), (id, tag));
        map.insert(key, Arc::downgrade(&m));
        m
    }

    /// Keeps a meeting with members elsewhere: it must not begin to count anew in one process only.
    pub fn keep(&self, meeting: &MeetingRef) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.iter().any(|m| Arc::ptr_eq(m, meeting)) {
            kept.push(meeting.clone());
        }
    }
}
