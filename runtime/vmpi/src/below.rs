//! Functions of the program that MPI calls: of reductions, attributes, errors, requests, data representations.

use crate::state::RankState;

/// While it is there, such a function runs below MPI, whose frames no checkpoint can hold: the rank passes locations by.
pub struct Below {
    me: Option<&'static RankState>,
    before: usize,
}

impl Below {
    pub fn begin() -> Below {
        let me = RankState::try_current();
        let here = 0u8;
        let before = me.and_then(RankState::exec).map_or(0, |rank| {
            let outer = rank.below.max((&raw const here).addr());
            std::mem::replace(&mut rank.below, outer)
        });
        Below { me, before }
    }
}

impl Drop for Below {
    fn drop(&mut self) {
        if let Some(rank) = self.me.and_then(RankState::exec) {
            rank.below = self.before;
        }
    }
}
