//! Process topologies (MPI 3.1 chapter 7).

/// What MPI_Cart_create or MPI_Graph_create attached to a communicator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Topology {
    Cart { dims: Vec<i32>, periods: Vec<bool> },
    Graph { index: Vec<i32>, edges: Vec<i32> },
}
