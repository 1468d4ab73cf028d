//! What processes do together, one thread of each.

use pc3_transport::Head;

use crate::kind::Kind;
use crate::link::Link;

const GATHER: u32 = 0;

const SPREAD: u32 = 1;

const FLUSH: u32 = 2;

fn head(purpose: u32) -> Head {
    Head {
        ctx: purpose,
        ..Head::default()
    }
}

impl Link {
    /// Process 0 gets what every process gives, in order; the others get nothing.
    pub fn gather(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        if self.desk.index != 0 {
            self.send_bytes(0, Kind::Desk, head(GATHER), mine);
            return Vec::new();
        }
        let others = (1..self.desk.count).map(|p| self.desk.take(p, GATHER).into_vec());
        std::iter::once(mine.to_vec()).chain(others).collect()
    }

    /// Every process gets what process 0 gives.
    pub fn spread(&self, bytes: &[u8]) -> Vec<u8> {
        if self.desk.index != 0 {
            return self.desk.take(0, SPREAD).into_vec();
        }
        for peer in self.others() {
            self.send_bytes(peer, Kind::Desk, head(SPREAD), bytes);
        }
        bytes.to_vec()
    }

    /// Returns when everything that others sent before they called this has been handled here.
    pub fn flush(&self) {
        for peer in self.others() {
            self.send_bytes(peer, Kind::Desk, head(FLUSH), &[]);
        }
        for peer in self.others() {
            self.desk.take(peer, FLUSH);
        }
    }
}

/// The runtime's view.
pub struct JointActions(pub std::sync::Arc<Link>);

impl pc3_runtime::peers::Peers for JointActions {
    fn index(&self) -> usize {
        self.0.index() as usize
    }

    fn count(&self) -> usize {
        self.0.count() as usize
    }

    fn processors(&self) -> usize {
        self.0.carrier.processors().least as usize
    }

    fn gather(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        self.0.gather(mine)
    }

    fn spread(&self, bytes: &[u8]) -> Vec<u8> {
        self.0.spread(bytes)
    }

    fn close(&self) {
        self.0.close();
    }
}
