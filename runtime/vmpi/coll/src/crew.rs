//! A rank as a member of collectives.

use crate::above::Epochs;
use crate::common::common;
use crate::meeting::call::Crew;
use crate::remote::elsewhere::Elsewhere;
use pc3_vmpi_core::rank::RankState;

impl Crew for RankState {
    fn block(&self, _what: &'static str) {
        RankState::block(self)
    }
    fn wake(&self, world: u32) {
        RankState::wake(self, world)
    }
    #[inline]
    fn linger(&self, ready: impl Fn() -> bool) {
        RankState::linger(self, ready);
    }
    #[inline]
    fn park(&self) {
        let world = self.world();
        world.sched().park(world, self.slot);
    }
    #[inline]
    fn release(&self, places: impl Iterator<Item = u32>) {
        self.world().sched().release(self.slot, places);
    }
    fn workers(&self) -> usize {
        self.world().sched().workers()
    }
    fn place_of(&self, rank: u32) -> Option<(u32, u32)> {
        let world = self.world();
        let slot = world.slot_of(rank)?;
        Some((world.sched().worker_of(slot), slot))
    }
    #[inline]
    fn nonblocking(&self) -> Option<(&RankState, &dyn Epochs)> {
        let world = self.world();
        let slow = world.nonblocking.is_slow();
        slow.then(|| (self, common(world).epochs))
    }
    #[inline]
    fn elsewhere(&self) -> Option<&dyn Elsewhere> {
        let world = self.world();
        world.remote()?;
        Some(common(world).elsewhere(self))
    }
}
