//! A collective that some have entered since the epoch began.

use pc3_protocol::{Entries, Stamp};

/// A collective that some here have entered since the epoch began.
pub(crate) struct Round {
    pub(crate) entries: Entries,
    /// Of other processes' members.
    pub elsewhere: Entries,
    /// Members that were counted as they entered; the others had entered before.
    pub(crate) counted: u32,
    /// Members here.
    pub size: u32,
    /// Of the counted, those who have left.
    pub left: u32,
    /// In which epoch members of a non-blocking one have entered, by world rank.
    pub by: Vec<(u32, u32)>,
}

impl Round {
    pub fn new(size: u32) -> Round {
        Round {
            entries: Entries::default(),
            elsewhere: Entries::default(),
            counted: 0,
            size,
            left: 0,
            by: Vec::new(),
        }
    }

    pub fn add(&mut self, stamp: Stamp) {
        self.entries.add(stamp);
        self.counted += 1;
    }

    /// All entries.
    pub fn all(&self, before: u32) -> Entries {
        let mut all = self.here(before);
        all.join(&self.elsewhere);
        all
    }

    /// Those here, of which those that were not counted are from before the line.
    pub(crate) fn here(&self, before: u32) -> Entries {
        let mut all = self.entries;
        if self.counted < self.size {
            all.add(Stamp {
                epoch: before,
                ..Stamp::default()
            });
        }
        all
    }
}
