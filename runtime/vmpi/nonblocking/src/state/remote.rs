//! What this process knows of the other ones' epochs.

use pc3_protocol::{below, Node, Rules};

/// Processes below each in their tree.
pub(crate) const FAN: u32 = 8;

pub(crate) struct RemoteEpochs {
    pub(crate) index: u32,
    /// Epochs that this process has heard of.
    pub heard: u32,
    /// What goes to other processes is counted.
    pub counts: bool,
    /// By process: the epoch from which it counts.
    pub(crate) count_from: Vec<u32>,
    /// The root knows that a checkpoint is wanted.
    pub(crate) wanted: bool,
    /// One is to begin behind the epoch of this number, which all processes have been told.
    pub(crate) asked: Option<u32>,
}

/// This process's place in the tree.
pub(crate) fn node(here: &[u32], (index, count): (u32, u32), replaying: bool) -> Node {
    Node::new(
        Rules::default(),
        index == 0,
        here.iter().copied().collect(),
        below(index, FAN, count).collect(),
        replaying,
    )
}

impl RemoteEpochs {
    pub fn new(index: u32, count: u32) -> RemoteEpochs {
        RemoteEpochs {
            index,
            heard: 0,
            counts: false,
            count_from: vec![0; count as usize],
            wanted: false,
            asked: None,
        }
    }

    /// The usual ways are free again.
    pub fn over(&mut self) {
        self.counts = false;
        self.wanted = false;
    }
}
