//! Collectives, and what they make.

pub mod coll;
pub mod comm;
pub mod dist_graph;
pub mod inter;
pub mod reduce;
pub mod topo;
