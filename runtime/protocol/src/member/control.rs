//! What the root decides, and when logging ends.

use std::mem::take;

use super::{Member, Phase};
use crate::{Clocks, Down, Group, Least, Log, Up};

impl<O, R> Member<O, R> {
    pub(super) fn close(&mut self) {
        self.phase = Phase::Closed;
        self.closing = Some(self.clocks.clone());
        self.tell_closed();
    }

    fn tell_closed(&mut self) {
        let (true, Some(clocks)) = (self.close_known, &self.closing) else {
            return;
        };
        let least = |(g, c): (&Group, &u64)| {
            let size = self.sizes.get(g).copied().unwrap_or(0);
            let least = Least {
                clock: *c,
                told: 1,
                size,
            };
            (*g, least)
        };
        let all = clocks.iter().map(least).collect();
        self.close_known = false;
        self.said.push(Up::Closed(all));
    }

    /// Says that all is recorded, once it is.
    pub(super) fn settled(&mut self) {
        let Some(settle) = &self.settle else { return };
        let due = |(g, n): &(Group, u64)| settle.get(g).is_some_and(|s| n <= s);
        if !self.rules.pending_are_awaited() || !self.pending.iter().any(due) {
            self.settle = None;
            self.said.push(Up::Saved);
        }
    }

    /// The root has decided something.
    pub fn hear(&mut self, down: &Down) {
        match down {
            Down::Start => {
                debug_assert!(!self.is_behind() || cfg!(feature = "mutants"));
                if !self.is_behind() {
                    self.phase = Phase::Asked;
                }
                self.said.push(Up::Clocks(self.clocks.clone()));
            }
            Down::Aim(targets) => self.aim(targets),
            Down::Raise(targets) => {
                if let Some(mine) = &mut self.targets {
                    for (g, n) in targets {
                        let t = mine.entry(*g).or_default();
                        *t = (*t).max(*n);
                    }
                }
            }
            Down::Close => {
                self.close_known = true;
                if self.phase == Phase::Logging {
                    self.close();
                } else {
                    self.tell_closed();
                }
            }
            Down::Settle(clocks) => {
                self.settle = Some(clocks.clone());
                self.settled();
            }
            Down::GiveUp => self.give_up(),
            Down::Finish => self.finish(),
            Down::Replayed => {
                if self.phase == Phase::Replaying {
                    self.phase = Phase::Plain;
                }
            }
        }
    }

    fn aim(&mut self, targets: &Clocks) {
        if self.phase != Phase::Asked {
            return;
        }
        let ahead = |(g, n): &(&Group, &u64)| targets.get(g).is_none_or(|t| *n > t);
        let ahead: Clocks = self
            .clocks
            .iter()
            .filter(ahead)
            .map(|(g, n)| (*g, *n))
            .collect();
        let mut targets = targets.clone();
        if !ahead.is_empty() {
            targets.extend(&ahead);
            self.said.push(Up::Raise(ahead));
        }
        self.targets = Some(targets);
    }

    fn give_up(&mut self) {
        self.given_up = true;
        self.forget_log();
        self.early.clear();
        self.settle = None;
        self.close_known = false;
        self.closing = None;
        if !self.is_behind() {
            self.pass_line();
        }
        self.phase = Phase::Closed;
        if self.rules.given_up_is_counted() {
            self.tell_taken();
        } else {
            self.said.push(Up::Taken {
                sent: 0,
                arrived: 0,
                given_up: true,
            });
        }
    }

    fn finish(&mut self) {
        self.phase = Phase::Plain;
        self.given_up = false;
        self.arrived[0] = 0;
        self.forget_log();
        self.closing = None;
    }

    fn forget_log(&mut self) {
        if self.rules.logs_end_with_the_epoch() {
            self.log = Log::default();
        }
    }

    /// What has to be on disk before this rank's [`Up::Saved`] goes to its node: its log, with the results recorded.
    pub fn saved_log(&mut self) -> Log<O, R> {
        take(&mut self.log)
    }
}
