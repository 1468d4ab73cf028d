//! Process topologies (MPI 3.1 chapter 7).

pub mod cart;
pub mod dist;
pub mod graph;
pub(crate) mod order;

use crate::coll::moves::Neighbors;
use crate::error::Result;

/// What a constructor attached to a communicator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Topology {
    Cart(cart::Cart),
    Graph(graph::Graph),
    Dist(dist::Dist),
}

impl Topology {
    /// Whom neighbourhood collectives of `rank` deal with (MPI 3.1 section 7.6).
    pub fn neighbors(&self, rank: usize) -> Result<Neighbors> {
        Ok(match self {
            Topology::Cart(c) => {
                let mut list = Vec::new();
                for dim in 0..c.dims.len() {
                    let (from, to) = c.shift(rank, dim, 1)?;
                    list.extend([from, to]);
                }
                Neighbors {
                    sources: list.clone(),
                    dests: list,
                    grid: true,
                }
            }
            Topology::Graph(g) => {
                let list = g.neighbors(rank as i32)?.to_vec();
                Neighbors {
                    sources: list.clone(),
                    dests: list,
                    grid: false,
                }
            }
            Topology::Dist(d) => Neighbors {
                sources: d.sources.clone(),
                dests: d.dests.clone(),
                grid: false,
            },
        })
    }
}
