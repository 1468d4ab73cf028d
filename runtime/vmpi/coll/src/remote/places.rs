//! In which processes members are.

use std::collections::BTreeMap;

use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::group::Group;
use xxhash_rust::xxh3::Xxh3Default;

/// Members by process.
pub type Places = BTreeMap<u32, Vec<usize>>;

pub fn places(world: &World, group: &Group) -> Places {
    let mut all = Places::new();
    for (i, rank) in group.ranks().iter().enumerate() {
        all.entry(world.process_of(*rank)).or_default().push(i);
    }
    all
}

/// Of the members and their order; the same on all hosts.
pub fn hash(group: &Group) -> u64 {
    let mut all = Xxh3Default::new();
    for rank in group.ranks() {
        all.update(&rank.to_le_bytes());
    }
    all.digest()
}
