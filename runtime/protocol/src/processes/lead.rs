//! What process 0 decides for all: when a checkpoint is planned, when all unwind, when a plan moves on, when the job is
//! over or can never be.  A state machine without threads, clocks or frames.

use std::fmt;

use super::quiet::{Level, Next, Quiet};
use super::{FromLead, Rules, Stands, ToLead};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Idle,
    Asking,
    Gathering,
    Unwinding,
}

#[derive(Debug)]
pub struct Lead {
    rules: Rules,
    round: u64,
    attempt: u32,
    stage: Stage,
    furthest: Vec<Option<u64>>,
    ready: Vec<Option<bool>>,
    ended: Vec<Option<i32>>,
    quiet: Quiet,
    /// Ranks wait at a location, when nothing moved.
    parked: bool,
    relieved: Vec<Option<bool>>,
    /// All are asked to, while some poll or not.
    relieves: Option<bool>,
    /// If it is still so, what is held is to be buffered.
    again: bool,
    described: Vec<Option<String>>,
    counted: Vec<Option<Stands>>,
    /// What was asked for is of ranks that poll.
    polls: bool,
    /// Some ranks poll, and nothing moves.
    still: bool,
    /// How often that has begun.
    stills: u64,
    /// From processes that know before us that the round is over.
    early: Vec<(usize, ToLead)>,
}

/// For people.
impl fmt::Display for Lead {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let processes = self.ready.len();
        let of = |n: usize| format!("{n} of {processes} processes");
        let ready = self.ready.iter().flatten().count();
        match self.stage {
            Stage::Idle => write!(f, "nothing is planned")?,
            Stage::Asking => {
                let told = of(self.furthest.iter().flatten().count());
                write!(
                    f,
                    "a plan waits to hear how far ranks are, as {told} have said"
                )?;
            }
            Stage::Gathering => write!(f, "a plan waits for ranks, as {} are ready", of(ready))?,
            Stage::Unwinding => write!(f, "ranks unwind for a checkpoint")?,
        }
        match self.ended.iter().flatten().count() {
            0 => {}
            n => write!(f, "; the ranks of {} have ended", of(n))?,
        }
        match self.still {
            true => write!(f, "; nothing moves, and some ranks poll"),
            false => Ok(()),
        }
    }
}

fn all<T: Clone>(list: &[Option<T>]) -> Option<Vec<T>> {
    list.iter().cloned().collect()
}

impl Lead {
    pub fn new(n: usize) -> Lead {
        Lead::with(n, Rules::default())
    }

    /// Of a protocol in which rules may be missing.
    pub fn with(n: usize, rules: Rules) -> Lead {
        Lead {
            rules,
            round: 0,
            attempt: 0,
            stage: Stage::Idle,
            furthest: vec![None; n],
            ready: vec![None; n],
            ended: vec![None; n],
            quiet: Quiet::with(n, rules),
            parked: false,
            relieved: vec![None; n],
            relieves: None,
            again: false,
            described: vec![None; n],
            counted: vec![None; n],
            polls: false,
            still: false,
            stills: 0,
            early: Vec::new(),
        }
    }

    /// Nothing is planned.
    pub fn is_idle(&self) -> bool {
        self.stage == Stage::Idle
    }

    /// Process `from` says something; what all are told then.
    pub fn hear(&mut self, from: usize, up: ToLead) -> Vec<FromLead> {
        match up.round() {
            Some(of) if of > self.round => {
                if self.rules.early_rounds_wait() {
                    self.early.push((from, up));
                }
                return Vec::new();
            }
            Some(of) if of < self.round && self.rules.old_rounds_are_over() => return Vec::new(),
            _ => {}
        }
        let one = |d: Option<FromLead>| d.into_iter().collect();
        match up {
            ToLead::Want { .. } => one(self.want()),
            ToLead::Furthest { passage, .. } => {
                self.furthest[from] = Some(passage);
                one(self.plan())
            }
            ToLead::Ready {
                attempt, parked, ..
            } => {
                if attempt == self.attempt || !self.rules.ready_is_of_an_attempt() {
                    self.ready[from] = Some(parked);
                }
                one(self.unwind())
            }
            ToLead::Ended { code } => {
                self.ended[from] = Some(code);
                let mut codes = self.ended.iter().flatten();
                let all = !self.rules.all_have_ended() || self.ended.iter().all(Option::is_some);
                one(all.then(|| FromLead::End {
                    code: codes.find(|c| **c != 0).copied().unwrap_or(0),
                }))
            }
            ToLead::Idle { report, .. } => {
                self.still = false;
                one(match self.quiet.report(from, report) {
                    Next::Ask(number) => Some(FromLead::Query { number }),
                    Next::Quiet(level, parked) => self.quiet_at(level, parked),
                    _ => None,
                })
            }
            ToLead::Answer { number, report } => {
                one(match self.quiet.answer(from, number, report) {
                    Next::Quiet(level, parked) => self.quiet_at(level, parked),
                    Next::Changed => {
                        self.still = false;
                        None
                    }
                    _ => None,
                })
            }
            ToLead::Relieved { any } => {
                self.relieved[from] = Some(any);
                let Some(list) = all(&self.relieved) else {
                    return Vec::new();
                };
                self.relieved.fill(None);
                one(match self.relieves.take() {
                    // All may have gone to sleep meanwhile.
                    Some(true) => self.query(),
                    _ if list.contains(&true) => None,
                    _ => self.stuck(),
                })
            }
            ToLead::Described { text } => {
                self.described[from] = Some(text);
                let text = all(&self.described).map(|t| t.concat());
                one(text.map(|text| match self.polls {
                    true => FromLead::Polls { text },
                    false => FromLead::Deadlock { text },
                }))
            }
            ToLead::Counted { stands, .. } => {
                self.counted[from] = Some(stands);
                let all = all(&self.counted).filter(|_| self.stage == Stage::Gathering);
                one(all.map(|all| {
                    let mut stands = Stands::default();
                    all.into_iter().for_each(|s| stands.add(s));
                    FromLead::Stands { stands }
                }))
            }
        }
    }

    fn want(&mut self) -> Option<FromLead> {
        if self.stage != Stage::Idle && self.rules.one_plan_at_a_time() {
            return None;
        }
        self.stage = Stage::Asking;
        self.furthest.fill(None);
        Some(FromLead::Ask { round: self.round })
    }

    fn plan(&mut self) -> Option<FromLead> {
        if self.stage != Stage::Asking {
            return None;
        }
        let known = match self.rules.all_say_how_far() {
            true => all(&self.furthest),
            false => Some(self.furthest.iter().flatten().copied().collect()),
        };
        let target = known?.into_iter().max().unwrap_or(0);
        self.stage = Stage::Gathering;
        let round = self.round;
        Some(FromLead::Plan { round, target })
    }

    fn unwind(&mut self) -> Option<FromLead> {
        let ready = match self.rules.all_are_ready() {
            true => all(&self.ready)?,
            false => self.ready.iter().flatten().copied().collect(),
        };
        if self.stage == Stage::Unwinding || !ready.contains(&true) {
            return None;
        }
        self.stage = Stage::Unwinding;
        Some(FromLead::Unwind { round: self.round })
    }

    fn moves(&self) -> bool {
        self.stage == Stage::Unwinding && self.rules.unwinding_moves()
    }

    fn quiet_at(&mut self, level: Level, parked: bool) -> Option<FromLead> {
        self.parked = parked;
        if self.moves() || self.ended.iter().all(Option::is_some) {
            return None;
        }
        if self.relieves == Some(true) {
            // It is asked again when that is over.
            return None;
        }
        let next = match level {
            Level::Asleep if !self.rules.held_is_relieved() => self.stuck(),
            Level::Asleep => Some(self.relieve(false)),
            Level::Polling if self.parked || !self.rules.polls_are_no_deadlock() => self.stuck(),
            // Those that poll may have reasons of their own; or were seen just before they went to sleep.
            Level::Polling => {
                self.stills += u64::from(!std::mem::replace(&mut self.still, true));
                let again = std::mem::take(&mut self.again);
                // What was reported holds if there is nothing to buffer.
                return again.then(|| self.relieve(true));
            }
            Level::Busy => None,
        };
        if next.is_some() {
            self.quiet.forget();
            self.still = false;
        }
        next
    }

    fn relieve(&mut self, polls: bool) -> FromLead {
        self.relieved.fill(None);
        self.relieves = Some(polls);
        FromLead::Relieve { polls }
    }

    fn query(&mut self) -> Option<FromLead> {
        let number = self.quiet.ask_again()?;
        Some(FromLead::Query { number })
    }

    /// Some ranks poll, all others wait, and nothing moves: the number of that time.
    pub fn still(&self) -> Option<u64> {
        self.still.then_some(self.stills)
    }

    /// Asks whether that is still so.
    pub fn look_again(&mut self) -> Vec<FromLead> {
        if !self.still {
            return Vec::new();
        }
        self.again = true;
        self.query().into_iter().collect()
    }

    /// It has been so for too long: people are to be told.
    pub fn tell_polls(&mut self) -> Vec<FromLead> {
        if !self.still {
            return Vec::new();
        }
        self.polls = true;
        self.described.fill(None);
        vec![FromLead::DescribePolls]
    }

    /// The plan has stood for long: people are to be told who has come.
    pub fn count(&mut self) -> Vec<FromLead> {
        if self.stage != Stage::Gathering {
            return Vec::new();
        }
        self.counted.fill(None);
        vec![FromLead::Count { round: self.round }]
    }

    /// Nothing moves, and there was nothing to buffer.
    fn stuck(&mut self) -> Option<FromLead> {
        if self.moves() {
            return None;
        }
        if !(self.parked && self.rules.parked_go_on()) {
            self.polls = false;
            self.described.fill(None);
            return Some(FromLead::Describe);
        }
        self.attempt += 1;
        if self.rules.put_off_is_not_ready() {
            self.ready.fill(None);
        }
        if self.rules.answers_end_with_put_off() {
            self.quiet.forget();
        }
        Some(FromLead::Stuck { round: self.round })
    }

    /// The round is over: its checkpoint was written, or given up.
    pub fn over(&mut self) -> Vec<FromLead> {
        self.round += 1;
        self.attempt = 0;
        self.stage = Stage::Idle;
        self.ready.fill(None);
        self.counted.fill(None);
        self.quiet.forget();
        self.still = false;
        let early = std::mem::take(&mut self.early);
        early
            .into_iter()
            .flat_map(|(from, up)| self.hear(from, up))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Report;
    use super::*;

    const RELIEVE: FromLead = FromLead::Relieve { polls: false };

    fn want(round: u64) -> ToLead {
        ToLead::Want { round }
    }

    fn ready(attempt: u32, parked: bool) -> ToLead {
        ToLead::Ready {
            round: 0,
            attempt,
            parked,
        }
    }

    fn asleep(parked: bool, sent: u64, handled: u64) -> Report {
        Report {
            level: Level::Asleep,
            parked,
            sent,
            handled,
        }
    }

    fn idle(round: u64, report: Report) -> ToLead {
        ToLead::Idle { round, report }
    }

    #[test]
    fn a_request_is_planned_for_the_furthest_and_carried_out() {
        let mut l = Lead::new(2);
        assert_eq!(l.hear(1, want(0)), [FromLead::Ask { round: 0 }]);
        assert_eq!(l.hear(0, want(0)), []);
        let far = |passage| ToLead::Furthest { round: 0, passage };
        assert_eq!(l.hear(0, far(7)), []);
        assert_eq!(
            l.hear(1, far(5)),
            [FromLead::Plan {
                round: 0,
                target: 7
            }]
        );
        assert_eq!(l.hear(0, ready(0, false)), []);
        assert_eq!(l.hear(1, ready(0, true)), [FromLead::Unwind { round: 0 }]);
        // One has gone on already.
        assert_eq!(l.hear(1, want(1)), []);
        assert_eq!(l.over(), [FromLead::Ask { round: 1 }]);
    }

    #[test]
    fn who_stands_for_long_is_counted() {
        let mut l = Lead::new(2);
        assert_eq!(l.count(), []);
        l.hear(0, want(0));
        for from in 0..2 {
            l.hear(
                from,
                ToLead::Furthest {
                    round: 0,
                    passage: 4,
                },
            );
        }
        assert_eq!(l.count(), [FromLead::Count { round: 0 }]);
        let counted = |round, standing, late: &[(u64, u64)]| {
            let mut stands = Stands {
                standing,
                ..Stands::default()
            };
            late.iter().for_each(|(r, p)| stands.is_late(*r, *p));
            ToLead::Counted { round, stands }
        };
        let many: Vec<_> = (4..9).map(|r| (r, 1)).collect();
        assert_eq!(l.hear(1, counted(0, 0, &many)), []);
        let told = l.hear(0, counted(0, 3, &[(2, 7)]));
        let stands = Stands {
            standing: 3,
            late: 6,
            first: vec![(2, 7), (4, 1), (5, 1), (6, 1)],
        };
        assert_eq!(told, [FromLead::Stands { stands }]);
        // The round ends before all have said it.
        l.count();
        l.hear(0, counted(0, 1, &[]));
        l.over();
        assert_eq!(l.hear(1, counted(0, 1, &[])), []);
    }

    #[test]
    fn a_job_that_ends_takes_no_checkpoint() {
        let mut l = Lead::new(2);
        l.hear(0, want(0));
        assert_eq!(l.hear(0, ready(0, false)), []);
        assert_eq!(l.hear(1, ready(0, false)), []);
        assert_eq!(l.hear(1, ToLead::Ended { code: 3 }), []);
        assert_eq!(
            l.hear(0, ToLead::Ended { code: 0 }),
            [FromLead::End { code: 3 }]
        );
    }

    fn quiet(l: &mut Lead, number: u64, parked: bool) -> Vec<FromLead> {
        let (here, there) = (asleep(false, 2, 2), asleep(parked, 1, 1));
        assert_eq!(l.hear(0, idle(0, here)), []);
        assert_eq!(l.hear(1, idle(0, there)), [FromLead::Query { number }]);
        let answer = |report| ToLead::Answer { number, report };
        assert_eq!(l.hear(1, answer(there)), []);
        assert_eq!(l.hear(0, answer(here)), [RELIEVE]);
        assert_eq!(l.hear(0, ToLead::Relieved { any: false }), []);
        l.hear(1, ToLead::Relieved { any: false })
    }

    #[test]
    fn a_process_that_went_to_sleep_after_it_was_asked_is_quiet_with_those_asleep_before() {
        let mut l = Lead::new(2);
        let (awake, there) = (
            Report {
                level: Level::Polling,
                ..asleep(false, 1, 1)
            },
            asleep(false, 1, 1),
        );
        l.hear(1, idle(0, there));
        assert_eq!(l.hear(0, idle(0, awake)), [FromLead::Query { number: 1 }]);
        let answer = |number, report| ToLead::Answer { number, report };
        l.hear(0, answer(1, awake));
        assert_eq!(l.hear(1, answer(1, there)), []);
        // Process 1 has nothing new to say.
        assert_eq!(l.hear(0, idle(0, there)), [FromLead::Query { number: 2 }]);
        l.hear(0, answer(2, there));
        assert_eq!(l.hear(1, answer(2, there)), [RELIEVE]);
    }

    #[test]
    fn what_a_process_says_of_another_round_counts_in_that() {
        let mut l = Lead::new(2);
        let report = asleep(false, 0, 0);
        // Process 1 knows already that the round is over; process 0 was idle in it.
        assert_eq!(l.hear(1, idle(1, report)), []);
        assert_eq!(l.hear(0, idle(0, report)), []);
        assert_eq!(l.over(), []);
        assert_eq!(l.hear(0, idle(0, report)), []);
        assert_eq!(l.hear(0, idle(1, report)), [FromLead::Query { number: 1 }]);
    }

    #[test]
    fn a_plan_on_which_nothing_moves_moves_on() {
        let mut l = Lead::new(2);
        l.hear(0, want(0));
        l.hear(1, ready(0, true));
        assert_eq!(quiet(&mut l, 1, true), [FromLead::Stuck { round: 0 }]);
        // What was ready is so no more.
        assert_eq!(l.hear(0, ready(0, true)), []);
        assert_eq!(l.hear(0, ready(1, true)), []);
        assert_eq!(l.hear(1, ready(1, true)), [FromLead::Unwind { round: 0 }]);
    }

    /// While one has yet to say whether it has buffered anything, others are idle again, and are asked.
    #[test]
    fn answers_from_before_a_plan_is_put_off_do_not_put_it_off_again() {
        let mut l = Lead::new(2);
        let (here, there) = (asleep(false, 2, 2), asleep(true, 1, 1));
        l.hear(1, want(0));
        l.hear(0, idle(0, here));
        l.hear(1, idle(0, there));
        let answer = |number, report| ToLead::Answer { number, report };
        l.hear(1, answer(1, there));
        assert_eq!(l.hear(0, answer(1, here)), [RELIEVE]);
        l.hear(1, idle(0, there));
        assert_eq!(l.hear(0, idle(0, here)), [FromLead::Query { number: 2 }]);
        l.hear(0, ToLead::Relieved { any: false });
        let stuck = l.hear(1, ToLead::Relieved { any: false });
        assert_eq!(stuck, [FromLead::Stuck { round: 0 }]);
        l.hear(0, answer(2, here));
        assert_eq!(l.hear(1, answer(2, there)), []);
    }

    /// Process 0 polls, and is asked again and again; what was reported holds meanwhile.
    #[test]
    fn who_is_ahead_of_one_that_polls_is_let_go() {
        let mut l = Lead::new(2);
        let polling = Report {
            level: Level::Polling,
            ..asleep(false, 1, 1)
        };
        let (there, sleeping) = (asleep(false, 1, 1), asleep(false, 1, 1));
        l.hear(1, idle(0, there));
        assert_eq!(l.hear(0, idle(0, polling)), [FromLead::Query { number: 1 }]);
        let answer = |number, report| ToLead::Answer { number, report };
        l.hear(0, answer(1, polling));
        assert_eq!(l.hear(1, answer(1, there)), []);
        let polls = FromLead::Relieve { polls: true };
        for number in [2, 4] {
            assert_eq!(l.look_again(), [FromLead::Query { number }]);
            l.hear(0, answer(number, polling));
            assert_eq!(
                l.hear(1, answer(number, there)),
                std::slice::from_ref(&polls)
            );
            l.hear(0, ToLead::Relieved { any: false });
            let number = number + 1;
            let asked = l.hear(1, ToLead::Relieved { any: number == 5 });
            assert_eq!(asked, [FromLead::Query { number }]);
            assert_eq!(l.still(), Some(1));
            l.hear(0, answer(number, polling));
            assert_eq!(l.hear(1, answer(number, there)), []);
        }
        // It goes to sleep while all are asked: that is looked at when they have answered.
        assert_eq!(l.look_again(), [FromLead::Query { number: 6 }]);
        l.hear(0, answer(6, polling));
        assert_eq!(l.hear(1, answer(6, there)), [polls]);
        assert_eq!(
            l.hear(0, idle(0, sleeping)),
            [FromLead::Query { number: 7 }]
        );
        l.hear(0, answer(7, sleeping));
        assert_eq!(l.hear(1, answer(7, there)), []);
        l.hear(0, ToLead::Relieved { any: false });
        assert_eq!(
            l.hear(1, ToLead::Relieved { any: false }),
            [FromLead::Query { number: 8 }]
        );
        l.hear(0, answer(8, sleeping));
        assert_eq!(l.hear(1, answer(8, there)), [RELIEVE]);
        l.hear(0, ToLead::Relieved { any: false });
        assert_eq!(
            l.hear(1, ToLead::Relieved { any: false }),
            [FromLead::Describe]
        );
    }

    #[test]
    fn nothing_that_moves_and_nobody_parked_is_a_deadlock() {
        let mut l = Lead::new(2);
        assert_eq!(quiet(&mut l, 1, false), [FromLead::Describe]);
        let text = |t: &str| ToLead::Described { text: t.into() };
        assert_eq!(l.hear(1, text("b")), []);
        assert_eq!(
            l.hear(0, text("a")),
            [FromLead::Deadlock { text: "ab".into() }]
        );
    }
}
