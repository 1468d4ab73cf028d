//! Reordering: which member of a communicator becomes which node of its topology.
//!
//! Neighbours are to share a process.  Where all members do, each stays what it is, so that nothing depends on workers.
//! Every member finds the same order by itself, from what all know: the graph and where ranks run.

use std::sync::{Arc, Mutex, PoisonError};

use pc3_runtime::partition::{arrange, Graph};

use super::Topology;
use crate::comm::Comm;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::error::Result;
use pc3_vmpi_objects::group::Group;

/// Of each member the node that it becomes.
pub type Order = Arc<[u32]>;

/// Communicator and its first member: others have other ones.
type Key = (u32, Option<u32>, Topology);

/// Orders that were found, for the other members in this process.
#[derive(Default)]
pub struct Orders(Mutex<Vec<(Key, Order)>>);

/// So many are kept.
const KEPT: usize = 16;

/// Edges from every node, with weights.
pub(super) fn graph(nodes: usize, edges: impl Iterator<Item = (i32, i32, i32)>) -> Graph {
    let mut graph: Graph = vec![Vec::new(); nodes];
    let mut add = |a: i32, b: i32, weight: i32| {
        let Some(list) = graph.get_mut(a as usize) else {
            return;
        };
        let (b, weight) = (b as u32, weight.max(0) as u64);
        match list.iter_mut().find(|e| e.0 == b) {
            Some(edge) => edge.1 += weight,
            None => list.push((b, weight)),
        }
    };
    for (a, b, weight) in edges.filter(|(a, b, _)| a != b) {
        add(a, b, weight);
        add(b, a, weight);
    }
    graph
}

/// Of each node its member.  `processes`: of the members that become nodes, ascending.
pub(super) fn seats(graph: &Graph, processes: &[u32]) -> Vec<u32> {
    arrange(graph, processes)
}

fn processes(world: &World, group: &Group, nodes: usize) -> Vec<u32> {
    let members = group.ranks().iter().take(nodes);
    members.map(|r| world.process_of(*r)).collect()
}

fn find(world: &World, comm: &Comm, topo: &Topology, nodes: usize) -> Result<Order> {
    let mut edges = Vec::new();
    for node in 0..nodes {
        let to = topo.neighbors(node)?.dests;
        // Edges to nobody lead beyond the grid.
        let inside = to.into_iter().filter(|d| *d >= 0);
        edges.extend(inside.map(|d| (node as i32, d, 1)));
    }
    let graph = graph(nodes, edges.into_iter());
    let seats = seats(&graph, &processes(world, &comm.group, nodes));
    let mut order = vec![0; nodes];
    for (node, seat) in seats.into_iter().enumerate() {
        order[seat as usize] = node as u32;
    }
    Ok(order.into())
}

/// The node of a graph that all members know which the caller, a member of `comm`, becomes; none: there is none for it.
pub fn node(world: &World, comm: &Comm, topo: &Topology, nodes: usize) -> Result<Option<u32>> {
    if comm.rank as usize >= nodes {
        return Ok(None);
    }
    if world.remote().is_none() {
        return Ok(Some(comm.rank));
    }
    let first = comm.group.ranks().first().copied();
    // Held while it is looked for: the others would look for the same.
    let mut found = world
        .part::<Orders>()
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let same = |(key, _): &&(Key, Order)| key.0 == comm.id && key.1 == first && key.2 == *topo;
    let order = match found.iter().find(same) {
        Some((_, order)) => order.clone(),
        None => {
            let order = find(world, comm, topo, nodes)?;
            found.truncate(KEPT - 1);
            found.insert(0, ((comm.id, first, topo.clone()), order.clone()));
            order
        }
    };
    Ok(order.get(comm.rank as usize).copied())
}
