//! What ranks do, one thing after the other.

use std::collections::VecDeque;

use pc3_protocol::barrier::Answer;

use super::judge::JobViolation;
use super::world::{Activity, Frame, JobWorld, Process, ProcessMessage};
use crate::script::ScriptOp;

impl JobWorld {
    /// A rank does its next thing.
    pub fn run(&mut self, rank: usize) -> Result<(), JobViolation> {
        let p = self.process_of(rank);
        if self.activity(rank) == Activity::Runs {
            self.processes[p].glitches = 2;
        }
        let slot = rank - self.processes[p].ranks.start;
        if self.now.waits[rank] {
            let answer = self.processes[p].barrier.answer(slot);
            return self.answered(rank, answer);
        }
        match self.next(rank) {
            None => {
                let Process { part, barrier, .. } = &mut self.processes[p];
                let up = part.finished(barrier, slot);
                self.up(p, up);
            }
            Some(ScriptOp::Location) => return self.locate(rank),
            Some(ScriptOp::Send(to)) => {
                self.send(rank, to, None);
                self.now.at[rank] += 1;
            }
            Some(op @ (ScriptOp::Hold(to) | ScriptOp::Sync(to))) => {
                self.names += 1;
                self.now.sends[rank] = Some((self.names, matches!(op, ScriptOp::Hold(_))));
                self.send(rank, to, Some(self.names));
            }
            Some(ScriptOp::PollAtLocations(from)) if !self.has_mail(from, rank) => {
                return self.locate(rank)
            }
            Some(ScriptOp::Recv(from) | ScriptOp::Poll(from) | ScriptOp::PollAtLocations(from)) => {
                return self.receive(from, rank)
            }
        }
        Ok(())
    }

    fn send(&mut self, from: usize, to: usize, awaited: Option<u64>) {
        let number = self.now.sent.entry((from, to)).or_default();
        let message = ProcessMessage {
            number: *number,
            awaited,
        };
        *number += 1;
        let (p, q) = (self.process_of(from), self.process_of(to));
        if p == q {
            return self.put(from, to, message);
        }
        self.processes[p].counts.0 += 1;
        let frame = Frame::Data { from, to, message };
        self.channel(p, q).push_back(frame);
    }

    fn receive(&mut self, from: usize, to: usize) -> Result<(), JobViolation> {
        let mail = self.now.mail.get_mut(&(from, to));
        let got = mail.and_then(VecDeque::pop_front);
        let want = self.now.received.entry((from, to)).or_default();
        if got.map(|m| m.number) != Some(*want) {
            return Err(JobViolation::Differs {
                from,
                to,
                got: got.map_or(u32::MAX, |m| m.number),
                want: *want,
            });
        }
        *want += 1;
        self.now.at[to] += 1;
        let Some(number) = got.and_then(|m| m.awaited) else {
            return Ok(());
        };
        let (p, q) = (self.process_of(to), self.process_of(from));
        if p == q {
            self.acknowledge(from, number);
        } else {
            self.processes[p].counts.0 += 1;
            let rank = from;
            self.channel(p, q).push_back(Frame::Ack { rank, number });
        }
        Ok(())
    }

    /// As a rank of the runtime does at a location.
    fn locate(&mut self, rank: usize) -> Result<(), JobViolation> {
        let i = self.process_of(rank);
        let p = &mut self.processes[i];
        let slot = rank - p.ranks.start;
        let passed = self.now.passed[rank] + 1;
        let wanted = p.requested || passed >= p.interval_at;
        if self.broken.torn && wanted && !self.comes[rank] {
            self.comes[rank] = true;
            let up = p.part.want();
            self.up(i, up);
            return Ok(());
        }
        self.now.passed[rank] = passed;
        if p.barrier.is_idle() && !wanted {
            return self.answered(rank, Answer::Go);
        }
        let mut ups = Vec::new();
        if std::mem::take(&mut self.comes[rank]) {
            if p.barrier.is_idle() && passed >= p.interval_at {
                p.barrier.plan(p.interval_at);
            }
        } else if wanted {
            let (_, up) = p.part.wanted(&mut p.barrier, passed, p.interval_at);
            ups.extend(up);
        }
        let (answer, up) = p.part.at_location(&mut p.barrier, slot, passed);
        ups.extend(up);
        if answer == Answer::Go && p.barrier.is_loose() {
            return Err(JobViolation::GoesBy(rank));
        }
        self.up(i, ups);
        self.answered(rank, answer)
    }

    fn answered(&mut self, rank: usize, answer: Answer) -> Result<(), JobViolation> {
        let p = self.process_of(rank);
        self.now.waits[rank] = answer != Answer::Go;
        match answer {
            Answer::Go => self.pass(rank, false),
            Answer::Wait => {}
            Answer::Unwind => {
                let slot = rank - self.processes[p].ranks.start;
                if self.processes[p].written {
                    return Err(JobViolation::Late(rank, p));
                }
                if self.processes[p].barrier.unwound(slot) {
                    self.come_to_line(p);
                }
            }
        }
        Ok(())
    }
}
