//! What a process does because its part wants it done.

use pc3_protocol::barrier;
use pc3_protocol::processes::{Act, Ranks, Stands, ToLead};

use super::judge::{JobOutcome, JobViolation};
use super::world::{Frame, JobWorld, Process};

impl JobWorld {
    /// What a process's part wants done.
    pub fn act(&mut self, p: usize, acts: Vec<Act>) -> Result<(), JobViolation> {
        for act in acts {
            match act {
                Act::Say(up) => self.up(p, [up]),
                Act::Furthest => {
                    let passed = self.processes[p].ranks.clone().map(|r| self.now.passed[r]);
                    let furthest = passed.max().unwrap_or(0);
                    let up = self.processes[p].part.furthest(furthest);
                    self.up(p, [up]);
                }
                Act::Stay => self.come_to_line(p),
                Act::Look { number } => {
                    let states = self.states(p);
                    let Process {
                        part,
                        barrier,
                        counts,
                        ..
                    } = &mut self.processes[p];
                    let up = part.answer(barrier, number, states, *counts);
                    self.up(p, [up]);
                }
                Act::Relieve { polls } => {
                    let any = (!polls || self.states(p) != Ranks::Run) && self.relieve(p);
                    let up = self.processes[p].part.relieved(polls, any);
                    self.up(p, [up]);
                }
                Act::Released(_) => self.processes[p].put_off += 1,
                Act::Dropped { target } => {
                    self.counts.dropped += u64::from(p == 0);
                    self.dropped(p, target);
                }
                Act::Over => self.over(p)?,
                Act::Describe { .. } => {
                    let text = String::new();
                    self.up(p, [ToLead::Described { text }]);
                }
                Act::Deadlock { .. } if p == 0 => {
                    self.counts.deadlocks += 1;
                    self.told = true;
                }
                Act::Polls { .. } if p == 0 => {
                    self.counts.polls += 1;
                    self.told = true;
                }
                Act::Count => {
                    let stands = self.stands(p);
                    let up = self.processes[p].part.counted(stands);
                    self.up(p, [up]);
                }
                Act::Stands { .. } => self.counts.told += u64::from(p == 0),
                Act::End { .. } => self.processes[p].is_over = true,
                // Ranks look for themselves.
                Act::Planned | Act::Unwind | Act::Deadlock { .. } | Act::Polls { .. } => {}
            }
        }
        Ok(())
    }

    fn stands(&self, p: usize) -> Stands {
        let mut stands = Stands::default();
        for r in self.processes[p].ranks.clone() {
            match self.barrier_status(r) {
                barrier::RankStatus::Parked => stands.standing += 1,
                barrier::RankStatus::Running => stands.is_late(r as u64, self.now.passed[r]),
                _ => {}
            }
        }
        stands
    }

    fn relieve(&mut self, p: usize) -> bool {
        let mut any = false;
        for r in self.processes[p].ranks.clone() {
            if self.is_held(r) {
                self.now.sends[r] = None;
                self.now.at[r] += 1;
                any = true;
            }
        }
        any
    }

    fn dropped(&mut self, p: usize, target: u64) {
        let n = self.interval;
        let p = &mut self.processes[p];
        p.requested = false;
        if n < u64::MAX {
            let more = n * ((1 << p.in_vain.min(16)) - 1);
            p.interval_at = ((target + more) / n + 1) * n;
        }
        p.in_vain += 1;
        self.requests = self.requests.saturating_sub(1);
    }

    fn over(&mut self, i: usize) -> Result<(), JobViolation> {
        let p = &mut self.processes[i];
        let put_off = std::mem::take(&mut p.put_off);
        let round = p.part.round();
        if !p.written {
            // As it is over here already.
            let target = p.interval_at;
            let taken = false;
            let here = JobOutcome {
                taken,
                target,
                put_off,
            };
            self.note(i, round, here)?;
        }
        if i == 0 {
            self.channel(0, 0).push_back(Frame::Over);
        }
        Ok(())
    }
}
