//! The one output of a job, which a recovery cuts back to where it stood when the last rank passed its line.

use pc3_protocol::{Output, Rank};

use crate::check::Violation;
use crate::state::{Printed, World};

const OUTPUT: Output = 1;

impl World {
    pub(crate) fn print(&mut self, rank: Rank) -> Result<(), Violation> {
        let printed = self.printed();
        let Some(s) = self.ranks.get_mut(&rank) else {
            return Ok(());
        };
        let before = s.own.knows.clone();
        let mine = s.own.knows.entry(rank).or_default();
        *mine += 1;
        if s.member.has_printed(OUTPUT) {
            self.counts.left_out += 1;
            return Ok(());
        }
        // All that it knows of is there, and of its own no more.
        let there = |(r, n): (&Rank, &u32)| printed.get(r).is_some_and(|p| p >= n);
        if !before.iter().all(there) || printed.get(&rank).copied().unwrap_or(0) + 1 != *mine {
            return Err(Violation::Printed(rank));
        }
        self.output.push(rank);
        Ok(())
    }

    fn printed(&self) -> Printed {
        let mut all = Printed::new();
        for rank in &self.output {
            *all.entry(*rank).or_default() += 1;
        }
        all
    }

    /// A rank has passed its line.  The last one: what the others have printed behind theirs is there.
    pub(crate) fn lined(&mut self) {
        if !self.ranks.keys().all(|r| self.images.contains_key(r)) {
            return;
        }
        self.place = self.output.len();
        for (rank, s) in &mut self.ranks {
            let now = s.own.knows.get(rank).copied().unwrap_or(0);
            let line = &self.images[rank].own.knows;
            let behind = now - line.get(rank).copied().unwrap_or(0);
            s.member.printed(OUTPUT, behind.into());
        }
    }

    /// At the end: has every rank printed what it was to?
    pub(crate) fn all_printed(&self) -> Result<(), Violation> {
        let printed = self.printed();
        for (rank, s) in &self.ranks {
            if printed.get(rank) != s.own.knows.get(rank) {
                return Err(Violation::Printed(*rank));
            }
        }
        Ok(())
    }
}
