//! Graph topologies: each rank's neighbours, as the program listed them.

use pc3_vmpi_objects::error::{fail, Class, Result};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// End of each node's neighbours in `edges`.
    pub index: Vec<i32>,
    pub edges: Vec<i32>,
}

impl Graph {
    pub fn new(index: &[i32], edges: &[i32], available: usize) -> Result<Graph> {
        let n = index.len();
        if n > available {
            return fail(
                Class::ERR_ARG,
                format!("a graph of {n} processes in a communicator of {available}"),
            );
        }
        let rising =
            index.windows(2).all(|w| w[0] <= w[1]) && index.first().is_none_or(|i| *i >= 0);
        if !rising || edges.iter().any(|e| !(0..n as i32).contains(e)) {
            return fail(
                Class::ERR_ARG,
                "the index must not decrease and edges must lead to nodes of the graph",
            );
        }
        Ok(Graph {
            index: index.to_vec(),
            edges: edges.to_vec(),
        })
    }

    pub fn neighbors(&self, rank: i32) -> Result<&[i32]> {
        let Some(r) = usize::try_from(rank).ok().filter(|r| *r < self.index.len()) else {
            return fail(
                Class::ERR_RANK,
                format!("rank {rank} is not in a graph of {}", self.index.len()),
            );
        };
        let from = if r == 0 { 0 } else { self.index[r - 1] };
        Ok(&self.edges[from as usize..self.index[r] as usize])
    }
}
