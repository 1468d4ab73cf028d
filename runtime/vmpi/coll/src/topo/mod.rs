//! Process topologies (MPI 3.1 chapter 7).

pub mod cart;
pub mod dist;
pub mod graph;
pub mod neighbors;
pub mod order;

use xxhash_rust::xxh3::Xxh3Default;

use neighbors::Neighbors;
use pc3_vmpi_objects::error::Result;

/// What a constructor attached to a communicator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Topology {
    Cart(cart::Cart),
    Graph(graph::Graph),
    Dist(dist::Dist),
}

impl Topology {
    /// The same for all who ask for the same, on any machine; hardly ever for others.
    pub fn color(&self) -> i32 {
        let mut all = Xxh3Default::new();
        let mut add = |n: &i32| all.update(&n.to_le_bytes());
        match self {
            Topology::Cart(c) => c.dims.iter().for_each(|(n, periodic)| {
                add(n);
                add(&i32::from(*periodic));
            }),
            Topology::Graph(g) => g.index.iter().chain(&g.edges).for_each(&mut add),
            Topology::Dist(_) => {}
        }
        all.digest() as i32 & i32::MAX
    }

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
