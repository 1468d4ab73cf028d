//! Where the members of a communicator are.

use super::few::ReductionOrder;
use super::places::{hash, places, Places};
use super::tree::Tree;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::group::Group;

/// Members in several processes.
pub struct Members {
    pub(crate) places: Places,
    /// The other processes.
    pub(crate) others: Box<[u32]>,
    /// Members that any process has, at most.
    pub(crate) most: usize,
    pub(crate) order: ReductionOrder,
    /// If they are more than tell each other.
    pub tree: Option<Tree>,
    pub(crate) group: u64,
}

impl Members {
    pub(crate) fn new(world: &World, group: &Group) -> Members {
        let places = places(world, group);
        let others = places.keys().copied().filter(|p| *p != world.index());
        Members {
            others: others.collect(),
            most: places.values().map(Vec::len).max().unwrap_or(0),
            order: ReductionOrder::new(&places),
            tree: Tree::new(&places, world.index()),
            group: hash(group),
            places,
        }
    }

    pub(crate) fn at(&self, process: u32) -> &[usize] {
        self.places.get(&process).map_or(&[], |v| v)
    }

    pub(crate) fn is_here(&self, world: &World, member: usize) -> bool {
        self.at(world.index()).binary_search(&member).is_ok()
    }
}
