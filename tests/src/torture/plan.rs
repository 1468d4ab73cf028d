//! How a program is tried: where it may move, where it is stopped, how long it may take.

use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// No locations: pc3cc is the plain compiler.
    Without,
    /// Stays on the host.
    Same,
    /// Moves between the architectures that are here.
    Hop,
    /// First the one, then the other.
    Both,
}

/// Where programs are stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stops {
    /// So many journeys in each scope, each with stops at random.
    Journeys(usize),
    /// So many locations from the first on, each in turn, on each machine; from there on each.
    Star(u64),
}

#[derive(Clone, Debug)]
pub struct Plan {
    /// `-O2`.
    pub level: String,
    pub scope: Scope,
    pub seed: u64,
    pub stops: Stops,
    /// Longest time that a run may take.
    pub limit: Duration,
    /// The same for plain builds: what takes longer is not tried.
    pub patience: Duration,
    /// How many other architectures take part, chosen by the program's name; all of them if none is given.
    pub others: Option<usize>,
}
