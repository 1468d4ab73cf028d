//! What the engine asks of the non-blocking protocol.

use pc3_runtime::rank::Rank;

use super::{local_checkpoint, remote_epochs};
use crate::protocol::Protocol;
use crate::state::World;

#[derive(Debug)]
pub(crate) struct NonBlocking;

impl Protocol for NonBlocking {
    fn due(&self, world: &World, rank: &mut Rank) -> bool {
        local_checkpoint::due(world, rank)
    }

    fn unwound(&self, world: &World, rank: &mut Rank) {
        local_checkpoint::unwound(world, rank);
    }

    /// Who was asked to receive by a message is not at its line before that has been sent.
    fn lines_are_at_once(&self) -> bool {
        false
    }

    fn asked(&self, world: &World) {
        remote_epochs::asked(world);
    }
}
