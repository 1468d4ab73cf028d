//! Messages that cross the line.

use crate::state::{record, State};
use pc3_vmpi_core::mail::mailbox::Message;
use pc3_vmpi_core::p2p::Key;
use pc3_vmpi_core::rank::RankState;

impl State {
    /// A message of so many bytes was sent in front of its sender's line and has come behind that of `to`: it is recorded, if
    /// there is room.  `with` is called with what records it, and the message.
    pub(crate) fn record_late(
        &mut self,
        to: &RankState,
        key: &Key,
        bytes: usize,
        with: impl FnOnce(&mut dyn FnMut(&Message)),
    ) {
        let Some(taken) = &mut self.taken[to.slot as usize] else {
            return;
        };
        if !taken.has_room(bytes) {
            return self.is_short(to.rank, to.slot, bytes);
        }
        with(&mut |m| record::late(&mut taken.late, key, m));
        taken.late_count += 1;
    }
}
