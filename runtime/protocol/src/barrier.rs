//! Barrier coordination (PC3 section 5.1) as a state machine without threads or clocks.
//!
//! A checkpoint is planned for a *passage*: every rank parks at the first location at which it has
//! passed at least `target` locations.  When all ranks are parked (or finished) they unwind; any
//! such state is consistent, because what is in flight is in the mailboxes.  A plan can be
//! infeasible: a rank waits for a message that a parked rank would send after its location.  Then
//! nobody can run; those that are parked go on to their next location, up to [`ATTEMPTS`] times, and
//! the others park at the first one they reach, whatever they have passed: a cut needs no equal passages.

/// Times that a plan is put off before it is given up.
pub(crate) const ATTEMPTS: u32 = 256;
/// The same as long as the one before was given up: then this one most likely fares like it.
pub(crate) const ATTEMPTS_AGAIN: u32 = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RankStatus {
    Running,
    /// Waits at a location.
    Parked,
    /// Unwinds or has unwound.
    Unwinding,
    Unwound,
    Finished,
}
const STATUSES: usize = RankStatus::Finished as usize + 1;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Idle,
    Gathering {
        target: u64,
        attempts: u32,
        /// Takes ranks at any passage: it has been put off, or has stood for long.
        loose: bool,
    },
    Unwinding {
        target: u64,
    },
}

/// What a parked or arriving rank is to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Go,
    Wait,
    Unwind,
}

/// What became of a plan that cannot be carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// There was no plan, or nobody waits for it.
    Nothing,
    /// These parked ranks go on to a later location.
    Released(Vec<usize>),
    /// Given up; these ranks go on.
    Dropped { ranks: Vec<usize>, target: u64 },
}

#[derive(Debug)]
pub struct Barrier {
    /// The job has other processes: they all together decide when to unwind.
    apart: bool,
    /// Takes a rule away, to see that a harness notices: that all are parked before any unwinds.
    #[cfg(feature = "mutants")]
    hasty: bool,
    stage: Stage,
    statuses: Vec<RankStatus>,
    /// How many are at each of them, so that nobody has to look at all.
    counts: [usize; STATUSES],
    /// The last plan was given up.
    dropped: bool,
    /// Times that a plan is put off before it is given up; and if the one before was.
    most: (u32, u32),
}

impl Barrier {
    /// Without the rule that all are parked before any unwinds.
    #[cfg(feature = "mutants")]
    pub fn hasty(self, hasty: bool) -> Barrier {
        Barrier { hasty, ..self }
    }

    pub fn new(ranks: usize, apart: bool) -> Barrier {
        Barrier {
            #[cfg(feature = "mutants")]
            hasty: false,
            apart,
            stage: Stage::Idle,
            statuses: vec![RankStatus::Running; ranks],
            counts: [ranks, 0, 0, 0, 0],
            dropped: false,
            most: (ATTEMPTS, ATTEMPTS_AGAIN),
        }
    }

    /// With other numbers than [`ATTEMPTS`] and [`ATTEMPTS_AGAIN`].
    pub fn with_attempts(self, most: u32, again: u32) -> Barrier {
        let most = (most, again);
        Barrier { most, ..self }
    }

    fn count(&self, status: RankStatus) -> usize {
        self.counts[status as usize]
    }

    fn put(&mut self, rank: usize, status: RankStatus) {
        let was = std::mem::replace(&mut self.statuses[rank], status);
        self.counts[was as usize] -= 1;
        self.counts[status as usize] += 1;
    }

    /// All of one status get another; which ones.
    fn put_all(&mut self, from: RankStatus, to: RankStatus) -> Vec<usize> {
        let all = 0..self.statuses.len();
        let them: Vec<usize> = all.filter(|r| self.statuses[*r] == from).collect();
        them.iter().for_each(|r| self.put(*r, to));
        them
    }

    /// One rank more, which runs: it was spawned by one that runs, so nobody unwinds.
    pub fn add(&mut self) {
        debug_assert!(!self.is_unwinding());
        self.statuses.push(RankStatus::Running);
        self.counts[RankStatus::Running as usize] += 1;
    }

    pub fn is_idle(&self) -> bool {
        self.stage == Stage::Idle
    }

    pub fn status(&self, rank: usize) -> RankStatus {
        self.statuses[rank]
    }

    pub fn is_running(&self, rank: usize) -> bool {
        self.statuses[rank] == RankStatus::Running
    }

    pub fn any_parked(&self) -> bool {
        matches!(self.stage, Stage::Gathering { .. }) && self.count(RankStatus::Parked) > 0
    }

    /// A checkpoint is being taken.
    pub fn is_unwinding(&self) -> bool {
        matches!(self.stage, Stage::Unwinding { .. })
    }

    /// The passage that a checkpoint is planned for.
    pub fn target(&self) -> Option<u64> {
        match self.stage {
            Stage::Idle => None,
            Stage::Gathering { target, .. } | Stage::Unwinding { target } => Some(target),
        }
    }

    /// Plans a checkpoint at passage `target`.
    pub fn plan(&mut self, target: u64) {
        if self.stage == Stage::Idle {
            self.stage = Stage::Gathering {
                target,
                attempts: 0,
                loose: false,
            };
        }
    }

    /// The same, if it is planned already, for another passage.
    pub(crate) fn aim(&mut self, passage: u64) {
        self.plan(passage);
        if let Stage::Gathering { target, .. } = &mut self.stage {
            *target = passage;
        }
    }

    /// The plan has stood for long: from now on it takes ranks at any passage.  Nobody is released; a cut needs no equal
    /// passages, so each process may do this when it likes.
    pub fn loosen(&mut self) {
        if let Stage::Gathering { loose, .. } = &mut self.stage {
            *loose = true;
        }
    }

    /// Ranks are taken at any passage.
    pub fn is_loose(&self) -> bool {
        matches!(self.stage, Stage::Gathering { loose: true, .. })
    }

    /// A rank is at a location, having passed `passed` (this one included).
    pub fn at_location(&mut self, rank: usize, passed: u64) -> Answer {
        match self.stage {
            Stage::Gathering { target, loose, .. } if passed >= target || loose => {
                self.put(rank, RankStatus::Parked);
                if self.gather() {
                    self.answer(rank)
                } else {
                    Answer::Wait
                }
            }
            _ => Answer::Go,
        }
    }

    /// What a rank that was told to wait is to do now.
    pub fn answer(&mut self, rank: usize) -> Answer {
        match self.statuses[rank] {
            RankStatus::Parked => Answer::Wait,
            RankStatus::Unwinding | RankStatus::Unwound => Answer::Unwind,
            RankStatus::Running | RankStatus::Finished => Answer::Go,
        }
    }

    /// True if this completes the plan: all are parked or finished, and unwind.
    fn gather(&mut self) -> bool {
        let Stage::Gathering { target, .. } = self.stage else {
            return false;
        };
        let ready = !self.apart && self.all_rest() && self.any_parked();
        if ready {
            self.unwind(target);
        }
        ready
    }

    fn all_rest(&self) -> bool {
        #[cfg(feature = "mutants")]
        if self.hasty {
            return true;
        }
        self.count(RankStatus::Parked) + self.count(RankStatus::Finished) == self.statuses.len()
    }

    fn unwind(&mut self, target: u64) {
        self.stage = Stage::Unwinding { target };
        self.put_all(RankStatus::Parked, RankStatus::Unwinding);
    }

    /// Nobody here has to go on for the plan to be carried out: how often it was put off, and whether anybody is
    /// parked.
    pub fn ready(&self) -> Option<(u32, bool)> {
        match self.stage {
            Stage::Gathering { attempts, .. } if self.all_rest() => {
                Some((attempts, self.any_parked()))
            }
            _ => None,
        }
    }

    /// All processes are ready; false if nobody here is parked.
    pub(crate) fn unwind_all(&mut self) -> bool {
        let any = self.any_parked();
        self.unwind(self.target().unwrap_or(0));
        any
    }

    /// A rank has ended; true if that completed the plan.
    pub fn finished(&mut self, rank: usize) -> bool {
        self.put(rank, RankStatus::Finished);
        if !self.apart && self.count(RankStatus::Finished) == self.statuses.len() {
            self.stage = Stage::Idle;
        }
        self.gather()
    }

    /// A rank's stack is empty; true for the last one: the checkpoint can be written.
    pub fn unwound(&mut self, rank: usize) -> bool {
        self.put(rank, RankStatus::Unwound);
        matches!(self.stage, Stage::Unwinding { .. })
            && self.count(RankStatus::Unwound) + self.count(RankStatus::Finished)
                == self.statuses.len()
    }

    /// The checkpoint is written: everybody goes on.
    pub fn resume(&mut self) {
        self.stage = Stage::Idle;
        self.dropped = false;
        self.put_all(RankStatus::Unwound, RankStatus::Running);
    }

    fn most_attempts(&self) -> u32 {
        match self.dropped {
            true => self.most.1,
            false => self.most.0,
        }
    }

    /// Being stuck once more drops the plan.
    pub fn is_last_attempt(&self) -> bool {
        let most = self.most_attempts();
        matches!(self.stage, Stage::Gathering { attempts, .. } if attempts + 1 >= most)
    }

    /// Nobody can run any more.
    pub fn stuck(&mut self) -> Verdict {
        let Stage::Gathering {
            target, attempts, ..
        } = self.stage
        else {
            return Verdict::Nothing;
        };
        let released = self.put_all(RankStatus::Parked, RankStatus::Running);
        if released.is_empty() && !self.apart {
            return Verdict::Nothing;
        }
        let attempts = attempts + 1;
        if attempts >= self.most_attempts() {
            self.stage = Stage::Idle;
            self.dropped = true;
            return Verdict::Dropped {
                ranks: released,
                target,
            };
        }
        self.stage = Stage::Gathering {
            target,
            attempts,
            loose: true,
        };
        Verdict::Released(released)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parked(n: usize, target: u64, at: &[(usize, u64)]) -> Barrier {
        let mut b = Barrier::new(n, false);
        b.plan(target);
        for &(r, p) in at {
            b.at_location(r, p);
        }
        b
    }

    #[test]
    fn all_unwind_when_the_last_one_arrives() {
        let mut b = parked(3, 5, &[(0, 5), (1, 7)]);
        assert_eq!(b.at_location(2, 4), Answer::Go);
        assert_eq!(b.answer(0), Answer::Wait);
        assert_eq!(b.at_location(2, 5), Answer::Unwind);
        assert_eq!([0, 1].map(|r| b.answer(r)), [Answer::Unwind; 2]);
        assert_eq!([0, 1, 2].map(|r| b.unwound(r)), [false, false, true]);
        b.resume();
        assert!(b.is_idle() && b.is_running(1));
        assert_eq!(b.at_location(2, 6), Answer::Go);
    }

    #[test]
    fn a_rank_that_ends_completes_the_plan() {
        let mut b = parked(2, 1, &[(1, 1)]);
        assert!(b.finished(0));
        assert_eq!((b.answer(1), b.target()), (Answer::Unwind, Some(1)));
        assert!(b.unwound(1));
        b.resume();
        assert!(!b.finished(1) && b.is_idle());
    }

    #[test]
    fn an_infeasible_plan_moves_on() {
        // Rank 1, at 6, waits for what rank 0 sends after its location 5.
        let mut b = parked(2, 5, &[(0, 5)]);
        assert_eq!(b.stuck(), Verdict::Released(vec![0]));
        assert_eq!(b.answer(0), Answer::Go);
        assert_eq!(b.at_location(0, 6), Answer::Wait);
        assert_eq!(b.at_location(1, 7), Answer::Unwind);
    }

    #[test]
    fn a_plan_that_moved_on_takes_those_behind_too() {
        let mut b = parked(2, 100, &[(0, 100)]);
        assert_eq!(b.at_location(1, 33), Answer::Go);
        assert_eq!(b.stuck(), Verdict::Released(vec![0]));
        assert_eq!(b.at_location(1, 34), Answer::Wait);
        assert_eq!(b.at_location(0, 101), Answer::Unwind);
        assert_eq!(b.target(), Some(100));
    }

    #[test]
    fn a_plan_that_has_stood_for_long_takes_those_behind() {
        let mut b = parked(3, 100, &[(0, 100)]);
        assert_eq!(b.at_location(1, 33), Answer::Go);
        assert!(!b.is_loose());
        b.loosen();
        // Nobody is released, and nothing is put off.
        assert_eq!((b.answer(0), b.is_loose()), (Answer::Wait, true));
        assert_eq!(b.at_location(1, 34), Answer::Wait);
        assert_eq!(b.at_location(2, 1), Answer::Unwind);
        for rank in 0..3 {
            b.unwound(rank);
        }
        b.resume();
        // The next plan begins like the first.
        assert_eq!(put_off(&mut b, 1000), ATTEMPTS);
        b.loosen();
        b.plan(2000);
        assert_eq!(b.at_location(1, 35), Answer::Go);
    }

    #[test]
    fn ranks_far_ahead_are_released_too() {
        let mut b = parked(2, 5, &[(0, 50)]);
        assert_eq!(b.stuck(), Verdict::Released(vec![0]));
        assert_eq!(b.at_location(0, 51), Answer::Wait);
    }

    #[test]
    fn one_of_several_processes_waits_for_the_others() {
        let mut b = Barrier::new(2, true);
        b.plan(3);
        assert_eq!(b.at_location(0, 3), Answer::Wait);
        assert_eq!(b.ready(), None);
        assert!(!b.finished(1));
        assert_eq!((b.ready(), b.answer(0)), (Some((0, true)), Answer::Wait));
        assert_eq!(b.stuck(), Verdict::Released(vec![0]));
        assert!(!b.finished(0) && !b.is_idle());
        assert_eq!(b.ready(), Some((1, false)));
        assert!(!b.unwind_all());
        b.resume();
        assert!(b.is_idle());
    }

    #[test]
    fn a_spawned_rank_belongs_to_the_plan() {
        let mut b = parked(2, 3, &[(0, 3)]);
        b.add();
        assert_eq!(b.at_location(1, 3), Answer::Wait);
        assert!(!b.finished(1));
        assert_eq!(b.at_location(2, 3), Answer::Unwind);
        assert_eq!([0, 2].map(|r| b.unwound(r)), [false, true]);
        b.resume();
        assert!(!b.finished(0) && !b.finished(2) && b.is_idle());
    }

    /// How often rank 0 is put off before its plan is dropped.
    fn put_off(b: &mut Barrier, target: u64) -> u32 {
        b.plan(target);
        for i in 1.. {
            let last = b.is_last_attempt();
            b.at_location(0, target + u64::from(i));
            match b.stuck() {
                Verdict::Released(r) => assert_eq!((r, last), (vec![0], false)),
                dropped => {
                    let ranks = vec![0];
                    assert_eq!(dropped, Verdict::Dropped { ranks, target });
                    assert!(last);
                    return i;
                }
            }
        }
        unreachable!("it is dropped at last")
    }

    #[test]
    fn hopeless_plans_are_dropped() {
        let mut b = Barrier::new(2, false);
        assert_eq!(put_off(&mut b, 1), ATTEMPTS);
        assert_eq!((b.is_idle(), b.answer(0)), (true, Answer::Go));
        assert_eq!(b.stuck(), Verdict::Nothing);
    }

    #[test]
    fn those_behind_a_dropped_one_are_sooner() {
        let mut b = Barrier::new(2, false);
        assert_eq!(put_off(&mut b, 1), ATTEMPTS);
        assert_eq!(put_off(&mut b, 2), ATTEMPTS_AGAIN);
        b.plan(900);
        assert_eq!(b.at_location(0, 900), Answer::Wait);
        assert_eq!(b.at_location(1, 900), Answer::Unwind);
        b.unwound(0);
        b.unwound(1);
        b.resume();
        assert_eq!(put_off(&mut b, 1000), ATTEMPTS);
    }
}
