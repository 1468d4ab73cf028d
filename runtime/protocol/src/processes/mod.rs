//! What several processes decide together at a barrier, as state machines.
//!
//! Process 0 leads ([`Lead`]).  Each process, process 0 too, takes part ([`Participant`]): it tells the lead what happens to its
//! ranks ([`ToLead`]) and does to its [`Barrier`](crate::barrier::Barrier) what the lead says ([`FromLead`]).  What two processes
//! say to each other arrives in order, and in order with all else between them.

mod lead;
mod participant;
mod quiet;

pub use lead::Lead;
pub use participant::{Act, Participant, Ranks};
pub use quiet::{Level, Report};

use crate::rules::rules;

/// What processes tell the lead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToLead {
    /// A checkpoint is wanted, or this process has begun to park for one.
    Want {
        round: u64,
    },
    /// The passage of the rank furthest ahead.
    Furthest {
        round: u64,
        passage: u64,
    },
    /// All ranks here are parked or have ended.
    Ready {
        round: u64,
        attempt: u32,
        parked: bool,
    },
    /// All ranks here have ended; the first status that is not 0.
    Ended {
        code: i32,
    },
    Idle {
        round: u64,
        report: Report,
    },
    /// To a query.
    Answer {
        number: u64,
        report: Report,
    },
    /// To `Relieve`: was there anything?
    Relieved {
        any: bool,
    },
    Described {
        text: String,
    },
    /// To `Count`.
    Counted {
        round: u64,
        stands: Stands,
    },
}

/// What the lead tells all processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FromLead {
    Ask {
        round: u64,
    },
    Plan {
        round: u64,
        target: u64,
    },
    Unwind {
        round: u64,
    },
    Query {
        number: u64,
    },
    /// Nothing moves: buffer what is held; `polls`: but some poll.
    Relieve {
        polls: bool,
    },
    /// Nothing moves: parked ranks go on.
    Stuck {
        round: u64,
    },
    Describe,
    Deadlock {
        text: String,
    },
    /// Nothing moves, but some ranks poll: who does what?
    DescribePolls,
    Polls {
        text: String,
    },
    End {
        code: i32,
    },
    /// The plan has stood for long: who has come?
    Count {
        round: u64,
    },
    Stands {
        stands: Stands,
    },
}

/// Who stands for a plan, and who has yet to come.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stands {
    pub standing: u64,
    pub late: u64,
    /// The first of those that are late, and how many locations they have passed.
    pub first: Vec<(u64, u64)>,
}

impl Stands {
    /// So many are named.
    pub const NAMED: usize = 4;

    pub fn is_late(&mut self, rank: u64, passed: u64) {
        self.late += 1;
        if self.first.len() < Stands::NAMED {
            self.first.push((rank, passed));
        }
    }

    /// And those of another process.
    fn add(&mut self, other: Stands) {
        self.standing += other.standing;
        self.late += other.late;
        self.first.extend(other.first);
        self.first.sort_unstable();
        self.first.truncate(Stands::NAMED);
    }
}

impl ToLead {
    /// The round that it is about.
    pub fn round(&self) -> Option<u64> {
        match self {
            ToLead::Want { round }
            | ToLead::Furthest { round, .. }
            | ToLead::Ready { round, .. }
            | ToLead::Counted { round, .. }
            | ToLead::Idle { round, .. } => Some(*round),
            ToLead::Ended { .. }
            | ToLead::Answer { .. }
            | ToLead::Relieved { .. }
            | ToLead::Described { .. } => None,
        }
    }
}

impl FromLead {
    /// The round that it is about.
    pub fn round(&self) -> Option<u64> {
        match self {
            FromLead::Ask { round }
            | FromLead::Plan { round, .. }
            | FromLead::Unwind { round }
            | FromLead::Count { round }
            | FromLead::Stuck { round } => Some(*round),
            _ => None,
        }
    }
}

rules! {
    Rules:
    /// All unwind when every process is ready, not when the first one is.
    all_are_ready,
    /// Who was ready before a plan was put off is not so behind that.
    ready_is_of_an_attempt,
    /// What was ready is forgotten when a plan is put off.
    put_off_is_not_ready,
    /// What is said of a round that is over does not count.
    old_rounds_are_over,
    /// What is said of a round that has not begun here waits for it.
    early_rounds_wait,
    /// What process 0 says of a round that has not begun here waits for it.
    early_words_wait,
    /// One plan at a time.
    one_plan_at_a_time,
    /// All are asked how far they are before it is planned.
    all_say_how_far,
    /// Answers from before a plan is put off are not counted behind it.
    answers_end_with_put_off,
    /// All plan for the same passage, even who has begun by itself.
    targets_are_one,
    /// Who plans by itself at an interval says so in the same moment, or has done in the same round.
    own_plans_are_told,
    /// Who is idle is asked once more.
    quiet_is_asked_twice,
    /// While frames are under way nothing is quiet.
    sums_agree,
    /// Who has done something since it said it was idle is not.
    changes_count,
    /// What is held is buffered before anything else is done about it.
    held_is_relieved,
    /// Parked ranks go on before it is called a deadlock.
    parked_go_on,
    /// Who polls may go on by itself: that is no deadlock.
    polls_are_no_deadlock,
    /// What is quiet ends with a checkpoint.
    unwinding_moves,
    /// The job ends when all have.
    all_have_ended,
    /// A process whose ranks have all ended is at rest only when process 0 knows that.
    ends_are_told_first,
    /// A process with nobody who has yet to come says so when it hears of a plan.
    plans_are_answered,
    /// The same when one is put off.
    put_off_is_answered,
    /// Who has been told to do something says again when it is idle.
    idle_is_told_again,
    /// A wish that came too late for one round is told in the next.
    wishes_are_told_again,
}
