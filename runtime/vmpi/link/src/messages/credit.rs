//! How much one process may have sent another unasked: messages that nobody has received yet fill the receiver's
//! memory.  What exceeds the limit is offered instead, and stays with its sender until somebody receives it.
//!
//! Each message counts from when it is sent until it is received (when its [`Credit`] is dropped); receivers tell
//! senders in bulk.  Like ranks of one process, a sender is let go in the end if nothing else can go on
//! ([`crate::messages::offers::relieve`]): then the limit towards that process doubles, so that this stays rare.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};

use pc3_transport::Head;

use crate::kind::Kind;
use crate::post::Post;
use pc3_vmpi_core::p2p::EAGER;

const LIMIT: u64 = 16 << 20;

/// What is longer is received where it belongs, which is worth asking first, until a program turns out to rely on more
/// being buffered ([`EAGER`]).
const LONGEST: usize = 15 << 10;

/// What receivers gather before they tell.
const BATCH: u64 = LIMIT / 8;

/// What a message takes at least, in queues and on the way.
const LEAST: u64 = 1 << 10;

#[derive(Default)]
#[repr(align(64))]
struct Account {
    /// Sent to that process, in all.
    lent: AtomicU64,
    /// Of that, known to be received; written by whoever handles what arrives, and so is the last one.
    back: AtomicU64,
    limit: AtomicU64,
    /// Longer messages are offered.
    longest: AtomicUsize,
    /// From that process, received since it was last told.
    taken: AtomicU64,
    /// The same of what was received as it arrived.
    at_once: AtomicU64,
}

pub(crate) struct Credits {
    accounts: Box<[Account]>,
    /// One thread at a time sends.
    single: AtomicBool,
    /// Somebody is to be told of what was received.
    due: AtomicBool,
}

pub(crate) fn weight(len: usize) -> u64 {
    len as u64 + LEAST
}

impl Account {
    /// Sent to that process and not known to be received.
    fn owed(&self) -> u64 {
        // Less is known to be back than is lent, unless this one is old.
        self.lent
            .load(Relaxed)
            .saturating_sub(self.back.load(Relaxed))
    }
}

/// What one thread at a time writes; what it is then.
#[inline]
fn add(to: &AtomicU64, amount: u64) -> u64 {
    let sum = to.load(Relaxed) + amount;
    to.store(sum, Relaxed);
    sum
}

impl Credits {
    pub fn new(processes: u32) -> Credits {
        let account = |_| Account {
            limit: AtomicU64::new(LIMIT),
            longest: AtomicUsize::new(LONGEST),
            ..Account::default()
        };
        Credits {
            accounts: (0..processes).map(account).collect(),
            single: AtomicBool::new(false),
            due: AtomicBool::new(false),
        }
    }

    /// One thread at a time sends from now on.
    pub(crate) fn be_single(&self) {
        self.single.store(true, SeqCst);
    }

    #[inline]
    pub fn is_single(&self) -> bool {
        self.single.load(Relaxed)
    }

    /// Is somebody to be told of what was received?
    #[inline]
    pub(crate) fn are_due(&self) -> bool {
        self.due.load(Relaxed)
    }

    /// May a message of this length be sent unasked?  If so it counts as sent.
    pub fn lend(&self, process: u32, len: usize) -> bool {
        let a = &self.accounts[process as usize];
        if len > a.longest.load(Relaxed) || a.owed() >= a.limit.load(Relaxed) {
            return false;
        }
        if self.single.load(Relaxed) {
            add(&a.lent, weight(len));
        } else {
            a.lent.fetch_add(weight(len), Relaxed);
        }
        true
    }

    /// The program relies on more than that, in all or (`long`) in one message.
    pub fn extend(&self, process: u32, long: bool) {
        if long {
            self.accounts[process as usize]
                .longest
                .store(EAGER, Relaxed);
            return;
        }
        let more = |limit: u64| Some(limit.saturating_mul(2));
        let _ = self.accounts[process as usize]
            .limit
            .fetch_update(Relaxed, Relaxed, more);
    }

    /// Is it longer than what is sent unasked?
    pub(crate) fn is_long(&self, process: u32, len: usize) -> bool {
        len > self.accounts[process as usize].longest.load(Relaxed)
    }

    /// That process has received so much.
    pub(crate) fn paid_back(&self, process: u32, amount: u64) {
        add(&self.accounts[process as usize].back, amount);
    }

    /// A message of that process has arrived and was received at once; its sender is told by [`Credits::pay_back`].
    pub fn received(&self, process: u32, len: usize) {
        if add(&self.accounts[process as usize].at_once, weight(len)) >= BATCH {
            self.due.store(true, Relaxed);
        }
    }

    /// Tells who is to be told; by whoever handles what arrives.
    pub fn pay_back(&self, post: &Post) {
        if !self.are_due() {
            return;
        }
        self.due.store(false, Relaxed);
        for process in post.others() {
            let at_once = &self.accounts[process as usize].at_once;
            if at_once.load(Relaxed) >= BATCH {
                tell(post, process, at_once.swap(0, Relaxed));
            }
        }
    }

    /// A message that a process had sent unasked, and that was queued, has been received.
    pub(crate) fn take(&self, post: &Post, process: u32, weight: u64) {
        let taken = &self.accounts[process as usize].taken;
        if taken.fetch_add(weight, Relaxed) + weight < BATCH {
            return;
        }
        tell(post, process, taken.swap(0, Relaxed));
    }

    /// For people.
    pub fn sights(&self, out: &mut impl fmt::Write) -> fmt::Result {
        for (process, a) in self.accounts.iter().enumerate() {
            let (lent, limit) = (a.owed(), a.limit.load(Relaxed));
            if lent >= limit {
                writeln!(
                    out,
                    "  {lent} bytes sent to process {process} unasked and not received, the limit is {limit}"
                )?;
            }
        }
        Ok(())
    }
}

fn tell(post: &Post, process: u32, amount: u64) {
    let head = Head {
        count: amount,
        ..Head::default()
    };
    if head.count > 0 {
        post.send_bytes(process, Kind::Credit, head, &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lending_ends_at_the_limit_and_begins_anew_when_paid_back() {
        let c = Credits::new(2);
        let len = LONGEST;
        let sent = (0..).take_while(|_| c.lend(1, len)).count() as u64;
        assert!(sent * weight(len) >= LIMIT && (sent - 1) * weight(len) < LIMIT);
        assert!(c.lend(0, len), "each process has its own account");
        c.paid_back(1, weight(len));
        assert_eq!([c.lend(1, len), c.lend(1, len)], [true, false]);
        c.extend(1, false);
        assert!(c.lend(1, len) && !c.lend(1, EAGER));
        c.extend(1, true);
        assert!(c.lend(1, EAGER) && !c.lend(1, EAGER + 1));
    }
}
