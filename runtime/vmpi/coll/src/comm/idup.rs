//! MPI_Comm_idup.

use crate::handles::HasObjects;
use crate::meeting::posted::{Posted, Work};
use pc3_vmpi_core::p2p::Request;
use pc3_vmpi_core::rank::RankState;

/// A complete MPI_Comm_idup: the communicator may be used.
pub fn settle(me: &RankState, r: &Request) {
    let Some(p) = Posted::of(r) else { return };
    if let Work::Dup { handle, made } = &p.work {
        if let (Some((id, meeting)), Some(c)) = (made.take(), me.objects().comms.get_mut(*handle)) {
            c.id = id;
            c.meeting = meeting;
        }
    }
}
