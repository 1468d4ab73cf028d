//! What a rank must do again in the same way, because others may know of it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::{Group, Output, Rank};

/// One message among those from the same sender, as both sides know it again after a recovery.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Name {
    /// Sent before the sender's line: its place among those that arrived, or were not yet received, at the receiver's.
    Before(u32),
    /// Sent behind the sender's line: its number from there.
    Behind(u32),
}

/// A rank's log from its local checkpoint until it knows that all have taken theirs.  `O`: what a test, a probe or a
/// clock says; `R`: the result of a collective.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Log<O, R> {
    /// By the number of the receive: what it got.
    pub(crate) matches: BTreeMap<u32, (Rank, Name)>,
    /// In the order in which the rank asked.
    pub(crate) outcomes: VecDeque<O>,
    /// Of collectives that cross the line, or were pending at it.
    pub(crate) results: BTreeMap<(Group, u64), R>,
    /// Ranks that it brought into being.
    pub(crate) births: VecDeque<Rank>,
    /// How often it has printed to outputs that stood behind that when the last rank passed its line.
    pub(crate) prints: BTreeMap<Output, u64>,
    /// The messages in `matches`: nobody else may have them.
    reserved: BTreeSet<(Rank, Name)>,
}

impl<O, R> Default for Log<O, R> {
    fn default() -> Log<O, R> {
        Log {
            matches: BTreeMap::new(),
            outcomes: VecDeque::new(),
            results: BTreeMap::new(),
            births: VecDeque::new(),
            prints: BTreeMap::new(),
            reserved: BTreeSet::new(),
        }
    }
}

/// What a log consists of, for whoever writes it down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogParts<O, R> {
    pub matches: Vec<(u32, (Rank, Name))>,
    pub outcomes: Vec<O>,
    pub results: Vec<((Group, u64), R)>,
    pub births: Vec<Rank>,
    pub prints: Vec<(Output, u64)>,
}

impl<O, R> From<Log<O, R>> for LogParts<O, R> {
    fn from(log: Log<O, R>) -> LogParts<O, R> {
        LogParts {
            matches: log.matches.into_iter().collect(),
            outcomes: log.outcomes.into(),
            results: log.results.into_iter().collect(),
            births: log.births.into(),
            prints: log.prints.into_iter().collect(),
        }
    }
}

impl<O, R> From<LogParts<O, R>> for Log<O, R> {
    fn from(parts: LogParts<O, R>) -> Log<O, R> {
        let mut log = Log {
            outcomes: parts.outcomes.into(),
            results: parts.results.into_iter().collect(),
            births: parts.births.into(),
            prints: parts.prints.into_iter().filter(|p| p.1 > 0).collect(),
            ..Log::default()
        };
        for (receive, what) in parts.matches {
            log.matched(receive, what);
        }
        log
    }
}

impl<O, R> Log<O, R> {
    /// Entries; a job gives an epoch up when a log outgrows its bounds.
    pub fn len(&self) -> usize {
        self.matches.len() + self.outcomes.len() + self.results.len() + self.births.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0 && self.prints.is_empty()
    }

    /// Is there anything that a recovery does not print again?
    pub fn has_printed(&self) -> bool {
        !self.prints.is_empty()
    }

    pub(crate) fn matched(&mut self, receive: u32, what: (Rank, Name)) {
        self.matches.insert(receive, what);
        self.reserved.insert(what);
    }

    /// May this receive get this message?
    pub(crate) fn allows(&self, receive: Option<u32>, what: Option<(Rank, Name)>) -> bool {
        match receive.and_then(|r| self.matches.get(&r)) {
            Some(logged) => Some(*logged) == what,
            None => what.is_none_or(|w| !self.reserved.contains(&w)),
        }
    }

    pub(crate) fn replayed(&mut self, receive: u32) {
        if let Some(what) = self.matches.remove(&receive) {
            self.reserved.remove(&what);
        }
    }
}
