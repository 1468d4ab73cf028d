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

    /// The same with a number that the driver knows: the collective is the `n`-th of its group.
    pub fn enter_as(&mut self, group: Group, n: u64, size: u32) -> Stamp {
        self.has_entered(group, n.saturating_sub(1), size);
        self.enter(group, size).1
    }

    /// Of a group that is counted from now on the rank has entered so many.
    pub fn has_entered(&mut self, group: Group, n: u64, size: u32) {
        self.clocks.insert(group, n);
        self.sizes.insert(group, size);
    }

    /// Whoever drives all members counts anew from the beginning of an epoch: no more than the difference between
    /// members of a group matters.
    pub fn count_anew(&mut self) {
        debug_assert!(!self.is_behind());
        self.clocks.clear();
        self.sizes.clear();
        self.pending.clear();
    }

    fn entry(&self) -> Stamp {
        Stamp {
            epoch: self.epoch,
            logging: self.phase == Phase::Logging,
            number: None,
        }
    }

    /// A collective pending at the line, entered again by a recovered rank.
    pub fn reenter(&mut self, group: Group, n: u64) -> Stamp {
        self.pending.insert((group, n));
        self.entry()
    }

    /// The result of a collective that is not to be entered again.
    pub fn replayed_result(&mut self, group: Group, n: u64) -> Option<R> {
        self.replay.results.remove(&(group, n))
    }

    /// May [`Member::formed`] keep the result?
    pub fn would_keep(&self, epoch: u32, entries: &Entries) -> bool {
        let logged = epoch != self.epoch || entries.any_before(self.epoch);
        self.is_behind() && !self.given_up && !entries.any_unlogged(self.epoch) && logged
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
            } else if self.given_up && self.rules.logs_end_with_the_epoch() {
                // Nothing is kept.
            } else if mine_behind {
                let crosses = entries.any_before(self.epoch);
                if crosses && self.rules.crossing_results_are_logged() {
                    self.log.results.insert((group, n), result);
                }
            } else if self.rules.pending_results_are_recorded() {
                self.log.results.insert((group, n), result);
            }
        }
        self.settled();
    }
}
