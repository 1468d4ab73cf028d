//! What ranks do with ports.

use crate::link::remote;
use crate::ports::{Change, Ports, Role};
use crate::processes::total_order::News;
use pc3_vmpi_coll::comm::inter::LedGroup;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::Result;

pub fn open(me: &RankState) -> Result<String> {
    let o = me.objects();
    let name = format!("pc3-port-{}-{}", me.rank, o.ports);
    change(me, Change::Open(name.clone()))?;
    o.ports += 1;
    Ok(name)
}

/// In all processes.
pub fn change(me: &RankState, change: Change) -> Result<()> {
    let world = me.world();
    let turn = remote(world).map(|link| link.total_order.take(me, link));
    world
        .part::<Ports>()
        .apply(world, me.rank, change.clone())?;
    if let Some(turn) = turn {
        turn.tell(&News::Ports(me.rank, change));
    }
    Ok(())
}

/// Swaps sides with the next leader of the other kind that comes to the port.
pub fn meet(me: &RankState, port: String, role: Role, side: LedGroup) -> Result<LedGroup> {
    change(me, Change::Meet { port, role, side })?;
    loop {
        if let Some(other) = me.world().part::<Ports>().answer(me.rank) {
            return other;
        }
        me.block();
    }
}
