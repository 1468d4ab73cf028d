//! What one process does in what all decide together: tells the lead what happens to its ranks, and does to its
//! [`Barrier`] what the lead says.  A state machine without threads, clocks or frames: what it cannot know or do
//! itself it has done by whoever drives it ([`Act`]).

use std::fmt;

use super::quiet::{Level, Report};
use super::{FromLead, Rules, Stands, ToLead};
use crate::barrier::{Answer, Barrier, Verdict};

/// What whoever drives a [`Participant`] is to do, in this order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Act {
    Say(ToLead),
    /// Say how far the rank furthest ahead is ([`Participant::furthest`]).
    Furthest,
    /// There is a plan: ranks are to ask at each location.
    Planned,
    /// Those that were parked unwind.
    Unwind,
    /// A checkpoint is taken, and nobody was parked: whoever is left writes.
    Stay,
    /// See whether anything moves here ([`Participant::answer`]).
    Look {
        number: u64,
    },
    /// Buffer what is held ([`Participant::relieved`]); `polls`: only if all ranks here poll or wait.
    Relieve {
        polls: bool,
    },
    /// These go on.
    Released(Vec<usize>),
    /// The plan is given up: no other may begin here before its interval has moved on.
    Dropped {
        target: u64,
    },
    /// In process 0: [`Lead::over`](super::Lead::over).
    Over,
    /// Say where each rank is; `polls`: while some of them run.
    Describe {
        polls: bool,
    },
    Deadlock {
        text: String,
    },
    Polls {
        text: String,
    },
    End {
        code: i32,
    },
    /// Say who stands here, and who has yet to come ([`Participant::counted`]).
    Count,
    Stands {
        stands: Stands,
    },
}

/// What the ranks of a process do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ranks {
    Run,
    /// Some poll in vain, all others wait.
    Poll,
    Wait,
    /// They have ended.
    Over,
}

/// One process's part.  Its barrier lies beside it, as locations look at that without this.
#[derive(Debug, Default)]
pub struct Participant {
    rules: Rules,
    round: u64,
    /// The lead knows that a checkpoint is wanted.
    told: bool,
    /// The lead knows that all ranks here have ended.
    ended: bool,
    /// Seen at the last look, and reported.
    seen: Option<Report>,
    reported: Option<Report>,
    /// Of rounds that begin here when the last one is over.
    early: Vec<FromLead>,
}

/// For people.
impl fmt::Display for Participant {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let wanted = if self.told { "a" } else { "no" };
        write!(
            f,
            "{wanted} checkpoint is wanted, after {} plans",
            self.round
        )?;
        if self.ended {
            write!(f, "; all ranks here have ended")?;
        }
        match self.early.len() {
            0 => Ok(()),
            n => write!(f, "; {n} decisions on the next wait for this one"),
        }
    }
}

impl Participant {
    /// Of a protocol in which rules may be missing.
    pub fn with(rules: Rules) -> Participant {
        Participant {
            rules,
            ..Participant::default()
        }
    }

    pub fn round(&self) -> u64 {
        self.round
    }

    /// Process 0 knows, or soon will, that a checkpoint is wanted.
    pub fn has_told(&self) -> bool {
        self.told
    }

    /// Something that it was told waits until its round is over.
    pub fn has_early(&self) -> bool {
        !self.early.is_empty()
    }

    /// What it says is out of date: it is looked at, and told, anew.
    pub fn watches(&self) -> bool {
        self.seen.is_some() && self.reported != self.seen
    }

    /// A checkpoint is wanted here.
    pub fn want(&mut self) -> Option<ToLead> {
        let first = !std::mem::replace(&mut self.told, true);
        first.then_some(ToLead::Want { round: self.round })
    }

    /// A rank that has passed `passed` locations is at one where a checkpoint is wanted, because of an interval if that
    /// ends at `interval`, as all processes know; true if that is planned now.
    pub fn wanted(
        &mut self,
        b: &mut Barrier,
        passed: u64,
        interval: u64,
    ) -> (bool, Option<ToLead>) {
        let plans = b.is_idle() && passed >= interval;
        let up = match plans && !self.rules.own_plans_are_told() {
            true => None,
            false => self.want(),
        };
        if plans {
            // All ranks meet where each has passed so many.
            b.plan(interval);
        }
        (plans, up)
    }

    /// A rank is at a location, while something is planned.
    pub fn at_location(
        &mut self,
        b: &mut Barrier,
        rank: usize,
        passed: u64,
    ) -> (Answer, Option<ToLead>) {
        let answer = b.at_location(rank, passed);
        let waits = answer == Answer::Wait;
        (answer, if waits { self.ready(b) } else { None })
    }

    /// A rank has ended.
    pub fn finished(&mut self, b: &mut Barrier, rank: usize) -> Option<ToLead> {
        b.finished(rank);
        self.ready(b)
    }

    /// All of them have.
    pub fn ended(&mut self, code: i32) -> ToLead {
        self.ended = true;
        ToLead::Ended { code }
    }

    /// All ranks here have come to where they wait for those of the others, if they have.
    fn ready(&self, b: &Barrier) -> Option<ToLead> {
        let (attempt, parked) = b.ready()?;
        Some(ToLead::Ready {
            round: self.round,
            attempt,
            parked,
        })
    }

    /// The lead says something.
    pub fn hear(&mut self, b: &mut Barrier, down: FromLead) -> Vec<Act> {
        match down.round() {
            // The lead and others may know before us that a round is over.
            Some(of) if of > self.round => {
                if self.rules.early_words_wait() {
                    self.early.push(down);
                }
                return Vec::new();
            }
            Some(of) if of < self.round => return Vec::new(),
            _ => {}
        }
        match down {
            FromLead::Ask { .. } => vec![Act::Furthest],
            FromLead::Plan { target, .. } => {
                self.told = true;
                match self.rules.targets_are_one() {
                    true => b.aim(target),
                    false => b.plan(target),
                }
                let mut acts = vec![Act::Planned];
                let ready = self.ready(b).filter(|_| self.rules.plans_are_answered());
                acts.extend(ready.map(Act::Say));
                acts
            }
            FromLead::Unwind { .. } => vec![match b.unwind_all() {
                true => Act::Unwind,
                false => Act::Stay,
            }],
            FromLead::Query { number } => vec![Act::Look { number }],
            FromLead::Relieve { polls } => vec![Act::Relieve { polls }],
            FromLead::Stuck { .. } => self.stuck(b),
            FromLead::Describe => vec![Act::Describe { polls: false }],
            FromLead::DescribePolls => vec![Act::Describe { polls: true }],
            FromLead::Deadlock { text } => vec![Act::Deadlock { text }],
            FromLead::Polls { text } => vec![Act::Polls { text }],
            FromLead::End { code } => vec![Act::End { code }],
            FromLead::Count { .. } => vec![Act::Count],
            FromLead::Stands { stands } => vec![Act::Stands { stands }],
        }
    }

    fn stuck(&mut self, b: &mut Barrier) -> Vec<Act> {
        if self.rules.idle_is_told_again() {
            self.reported = None;
        }
        match b.stuck() {
            Verdict::Nothing => Vec::new(),
            Verdict::Released(ranks) => {
                let mut acts = vec![Act::Released(ranks)];
                let ready = self.ready(b).filter(|_| self.rules.put_off_is_answered());
                acts.extend(ready.map(Act::Say));
                acts
            }
            Verdict::Dropped { ranks, target } => {
                let mut acts = vec![Act::Dropped { target }, Act::Released(ranks)];
                acts.extend(self.over(b));
                acts
            }
        }
    }

    /// This process knows that the round is over.
    fn over(&mut self, b: &mut Barrier) -> Vec<Act> {
        self.round += 1;
        if self.rules.wishes_are_told_again() {
            self.told = false;
        }
        self.reported = None;
        let mut acts = vec![Act::Over];
        for down in std::mem::take(&mut self.early) {
            acts.extend(self.hear(b, down));
        }
        acts
    }

    /// The checkpoint is written, or could not be: everybody goes on.
    pub fn resume(&mut self, b: &mut Barrier) -> Vec<Act> {
        b.resume();
        self.over(b)
    }

    /// To [`Act::Furthest`].
    pub fn furthest(&self, passage: u64) -> ToLead {
        let round = self.round;
        ToLead::Furthest { round, passage }
    }

    /// To [`Act::Count`].
    pub fn counted(&self, stands: Stands) -> ToLead {
        let round = self.round;
        ToLead::Counted { round, stands }
    }

    /// To [`Act::Relieve`]: was there anything?
    pub fn relieved(&mut self, polls: bool, any: bool) -> ToLead {
        if (any || !polls) && self.rules.idle_is_told_again() {
            self.reported = None;
        }
        ToLead::Relieved { any }
    }

    fn report(&self, b: &Barrier, ranks: Ranks, (sent, handled): (u64, u64)) -> Report {
        let level = match ranks {
            // A checkpoint is being written, by a thread that is no worker's or looks like any rank's.
            _ if b.is_unwinding() && self.rules.unwinding_moves() => Level::Busy,
            Ranks::Over if !self.ended && self.rules.ends_are_told_first() => Level::Busy,
            Ranks::Over | Ranks::Wait => Level::Asleep,
            Ranks::Poll => Level::Polling,
            Ranks::Run => Level::Busy,
        };
        Report {
            level,
            parked: b.any_parked(),
            sent,
            handled,
        }
    }

    /// To [`Act::Look`]: what the ranks here do, and how many frames have been sent and handled.
    pub fn answer(&mut self, b: &Barrier, number: u64, ranks: Ranks, frames: (u64, u64)) -> ToLead {
        let report = self.report(b, ranks, frames);
        if self.reported != Some(report) {
            self.reported = None;
        }
        ToLead::Answer { number, report }
    }

    /// Some time has passed.
    pub fn tick(&mut self, b: &Barrier, ranks: Ranks, frames: (u64, u64)) -> Option<ToLead> {
        let report = self.report(b, ranks, frames);
        if report.level == Level::Busy {
            (self.seen, self.reported) = (None, None);
            return None;
        }
        let settled = self.seen.replace(report) == Some(report);
        if !settled || self.reported == Some(report) {
            return None;
        }
        self.reported = Some(report);
        let round = self.round;
        Some(ToLead::Idle { round, report })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> (Participant, Barrier) {
        (Participant::default(), Barrier::new(2, true))
    }

    fn ready(round: u64, attempt: u32) -> Option<ToLead> {
        let parked = true;
        Some(ToLead::Ready {
            round,
            attempt,
            parked,
        })
    }

    #[test]
    fn who_plans_by_itself_says_so_and_takes_the_target_of_all() {
        let (mut p, mut b) = two();
        let want = Some(ToLead::Want { round: 0 });
        assert_eq!(p.wanted(&mut b, 3, 5), (false, want));
        assert_eq!(p.wanted(&mut b, 5, 5), (true, None));
        assert_eq!(p.at_location(&mut b, 0, 5), (Answer::Wait, None));
        let (round, target) = (0, 7);
        assert_eq!(
            p.hear(&mut b, FromLead::Plan { round, target }),
            [Act::Planned]
        );
        assert_eq!(b.target(), Some(7));
        assert_eq!(p.at_location(&mut b, 1, 6), (Answer::Go, None));
        assert_eq!(p.at_location(&mut b, 1, 7), (Answer::Wait, ready(0, 0)));
        assert_eq!(p.hear(&mut b, FromLead::Unwind { round }), [Act::Unwind]);
    }

    #[test]
    fn what_is_said_of_the_next_round_waits_for_it() {
        let (mut p, mut b) = two();
        b.plan(1);
        p.at_location(&mut b, 0, 1);
        p.at_location(&mut b, 1, 1);
        p.hear(&mut b, FromLead::Unwind { round: 0 });
        let early = [
            FromLead::Ask { round: 1 },
            FromLead::Plan {
                round: 1,
                target: 4,
            },
        ];
        for down in early {
            assert_eq!(p.hear(&mut b, down), []);
        }
        for rank in 0..2 {
            b.unwound(rank);
        }
        assert_eq!(p.resume(&mut b), [Act::Over, Act::Furthest, Act::Planned]);
        assert_eq!((p.round(), b.target()), (1, Some(4)));
        assert_eq!(p.hear(&mut b, FromLead::Stuck { round: 0 }), []);
    }

    #[test]
    fn a_plan_that_is_given_up_ends_the_round() {
        let (mut p, b) = two();
        let mut b = b.with_attempts(2, 1);
        let (round, target) = (0, 1);
        p.hear(&mut b, FromLead::Plan { round, target });
        p.at_location(&mut b, 0, 1);
        let stuck = FromLead::Stuck { round };
        assert_eq!(p.hear(&mut b, stuck.clone()), [Act::Released(vec![0])]);
        p.at_location(&mut b, 1, 1);
        assert_eq!(p.at_location(&mut b, 0, 2), (Answer::Wait, ready(0, 1)));
        let acts = p.hear(&mut b, stuck);
        let released = Act::Released(vec![0, 1]);
        assert_eq!(acts, [Act::Dropped { target }, released, Act::Over]);
        assert!(b.is_idle() && !p.has_told());
    }

    #[test]
    fn what_stays_so_is_told_once() {
        let (mut p, b) = two();
        let mut look = |ranks| p.tick(&b, ranks, (3, 2));
        assert_eq!(look(Ranks::Wait), None);
        assert!(matches!(
            look(Ranks::Wait),
            Some(ToLead::Idle { round: 0, .. })
        ));
        assert_eq!(look(Ranks::Wait), None);
        assert_eq!((look(Ranks::Run), look(Ranks::Poll)), (None, None));
        assert!(look(Ranks::Poll).is_some());
        // All have ended, and process 0 has yet to be told.
        assert_eq!((look(Ranks::Over), look(Ranks::Over)), (None, None));
        p.ended(0);
        assert_eq!(p.tick(&b, Ranks::Over, (3, 2)), None);
        assert!(p.tick(&b, Ranks::Over, (3, 2)).is_some());
        p.relieved(false, false);
        assert!(p.tick(&b, Ranks::Over, (3, 2)).is_some());
    }
}
