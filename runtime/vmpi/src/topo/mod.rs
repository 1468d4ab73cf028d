//! Process topologies (MPI 3.1 chapter 7): arithmetic only; ranks are never reordered.

pub mod cart;
pub mod graph;

/// What MPI_Cart_create or MPI_Graph_create attached to a communicator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Topology {
    Cart(cart::Cart),
    Graph(graph::Graph),
}
