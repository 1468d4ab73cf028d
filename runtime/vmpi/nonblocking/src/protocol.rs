//! What the engine asks of the non-blocking protocol.

use pc3_runtime::rank::Rank;

use crate::checkpoint::local;
use crate::remote_epochs;
use pc3_vmpi_core::above::Protocol;
use pc3_vmpi_core::world::World;

#[derive(Debug)]
pub struct NonBlocking;

impl Protocol for NonBlocking {
    fn due(&self, world: &World, rank: &mut Rank) -> bool {
        local::due(world, rank)
    }

    fn unwound(&self, world: &World, rank: &mut Rank) {
        local::unwound(world, rank);
    }

    /// Who was asked to receive by a message is not at its line before that has been sent.
    fn lines_are_at_once(&self) -> bool {
        false
    }

    fn asked(&self, world: &World) {
        remote_epochs::asked(world);
    }
}
