//! Whose limited room a message takes until it is received, and who hears that it has been.

/// The other processes, as messages that have come from them know them.
pub trait Peers: Sync {
    /// A message that was sent unasked has been received.
    fn pay_back(&self, process: u32, weight: u64);
    /// A message has been received whose sender waits to hear it.
    fn received(&self, process: u32, id: u64);
}

pub enum MessageRoom {
    /// In the buffer that this rank has attached: sent in buffered mode.
    Attached(u32),
    /// What another process may send unasked; given back when this is dropped.
    Lent { _credit: Credit },
    /// None, but its sender waits to hear that it has been received.
    Told(Receipt),
}

impl MessageRoom {
    /// Does the sender in this process wait for this message?
    #[inline]
    pub fn is_of(&self, process: u32, id: u64) -> bool {
        matches!(self, MessageRoom::Told(receipt) if receipt.is_of(process, id))
    }
}

/// Of a message that another process has sent unasked; paid back when it is dropped.
pub struct Credit {
    pub of: &'static dyn Peers,
    pub process: u32,
    pub weight: u64,
}

impl Drop for Credit {
    fn drop(&mut self) {
        self.of.pay_back(self.process, self.weight);
    }
}

/// Says that a message has been received when it is dropped.
pub struct Receipt {
    pub of: &'static dyn Peers,
    pub process: u32,
    pub id: u64,
}

impl Receipt {
    #[inline]
    pub fn is_of(&self, process: u32, id: u64) -> bool {
        (self.process, self.id) == (process, id)
    }

    /// Nobody is told.
    #[inline]
    pub fn forget(self) {
        std::mem::forget(self);
    }
}

impl Drop for Receipt {
    fn drop(&mut self) {
        self.of.received(self.process, self.id);
    }
}
