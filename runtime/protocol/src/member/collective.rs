//! Collectives: on which side of the line each entry is, and what becomes of the result.

use super::{Member, Phase};
use crate::{Clocks, Entries, Group, Stamp, Up};

impl<O, R> Member<O, R> {
    /// The program enters (or initiates) a collective of a group of `size`; its number, and what the others are told.
    pub fn enter(&mut self, group: Group, size: u32) -> (u64, Stamp) {
        let clock = self.clocks.entry(group).or_default();
        *clock += 1;
        let n = *clock;
        self.sizes.insert(group, size);
        self.pending.insert((group, n));
        if let (Phase::Asked, Some(targets)) = (self.phase, &mut self.targets) {
            if targets.get(&group).is_none_or(|t| n > *t) {
                targets.insert(group, n);
                self.said.push(Up::Raise(Clocks::from([(group, n)])));
            }
        }
        (n, self.entry())
    }

    fn entry(&self) -> Stamp {
        Stamp {
            epoch: self.epoch,
            logging: self.phase == Phase::Logging,
            number: None,
        }
    }

    /// A collective pending at the line, entered again by a recovered rank.
    pub fn again(&mut self, group: Group, n: u64) -> Stamp {
        self.pending.insert((group, n));
        self.entry()
    }

    /// The result of a collective that is not to be entered again.
    pub fn replayed_result(&mut self, group: Group, n: u64) -> Option<R> {
        self.replay.results.remove(&(group, n))
    }

    /// A collective has a result, from all the `entries`; this rank's was made in `epoch`.
    pub fn formed(&mut self, group: Group, n: u64, epoch: u32, entries: &Entries, result: R) {
        self.pending.remove(&(group, n));
        if self.is_behind() {
            let mine_behind = epoch == self.epoch;
            if entries.any_unlogged(self.epoch) {
                // All had taken their checkpoints when somebody entered: all will enter again.
                if self.phase == Phase::Logging && self.rules.logging_stops_at_the_unlogged() {
                    self.close();
                }
            } else if mine_behind {
                let crosses = entries.any_before(self.epoch);
                if crosses && self.rules.crossing_results_are_logged() {
                    self.log.results.insert((group, n), result);
                }
            } else if self.rules.pending_results_are_recorded() && !self.given_up {
                self.log.results.insert((group, n), result);
            }
        }
        self.settled();
    }
}
