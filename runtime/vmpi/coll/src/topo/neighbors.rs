//! Who exchanges with whom along the edges of a topology.

/// A member's neighbours, in the order of its blocks; negative ones are no process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbors {
    pub sources: Vec<i32>,
    pub dests: Vec<i32>,
    /// Of a grid: what is sent one way along a dimension is received from the other way (MPI 4.1
    /// section 8.6), also where both ways lead to one process.
    pub grid: bool,
}

impl Neighbors {
    /// The block of `other` that is sent to member `me` and meant for its source `k`.
    pub fn sent(&self, me: usize, k: usize, other: &Neighbors) -> Option<usize> {
        if self.grid {
            return Some(k ^ 1);
        }
        // Several edges between the same two are matched in their order.
        let nth = self.sources[..k]
            .iter()
            .filter(|s| **s == self.sources[k])
            .count();
        let mut edges = other.dests.iter().enumerate();
        edges
            .by_ref()
            .filter(|(_, d)| **d == me as i32)
            .nth(nth)
            .map(|e| e.0)
    }
}
