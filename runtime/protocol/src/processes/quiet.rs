//! Does anything move in any process?  Process 0 decides it as a state machine without clocks.
//!
//! A process that has been idle for a while reports how many frames it has sent and handled.  If all are idle and the
//! sums agree, each is asked once more: if nothing has changed since, nothing can have been under way in between
//! (Mattern's four counters).

use super::Rules;

/// How idle a process is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    Busy,
    /// Some ranks poll, in vain so far; all others wait.
    Polling,
    /// All ranks wait, or have ended.
    Asleep,
}

impl Level {
    pub fn of(n: u8) -> Level {
        match n {
            2 => Level::Asleep,
            1 => Level::Polling,
            _ => Level::Busy,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Report {
    pub level: Level,
    /// Ranks wait at a location.
    pub parked: bool,
    pub sent: u64,
    pub handled: u64,
}

#[derive(PartialEq, Eq, Debug)]
pub enum Next {
    Nothing,
    /// A process has done something since it was reported idle.
    Changed,
    /// Ask every process again.
    Ask(u64),
    /// Nothing moves anywhere; do ranks wait at a location?
    Quiet(Level, bool),
}

#[derive(Debug)]
pub struct Quiet {
    rules: Rules,
    reports: Vec<Option<Report>>,
    asked: Option<(u64, Vec<bool>)>,
    number: u64,
}

impl Quiet {
    pub fn with(processes: usize, rules: Rules) -> Quiet {
        Quiet {
            rules,
            reports: vec![None; processes],
            asked: None,
            number: 0,
        }
    }

    /// What was reported holds no more.
    pub fn forget(&mut self) {
        self.reports.fill(None);
        self.asked = None;
    }

    pub fn report(&mut self, from: usize, report: Report) -> Next {
        self.reports[from] = Some(report).filter(|r| r.level > Level::Busy);
        self.asked = None;
        if !self.is_still() {
            return Next::Nothing;
        }
        if !self.rules.quiet_is_asked_twice() {
            return self.is_quiet();
        }
        Next::Ask(self.ask())
    }

    /// All are idle, and no frame is under way, if all of that is of one moment.
    fn is_still(&self) -> bool {
        let all: Option<Vec<Report>> = self.reports.iter().copied().collect();
        all.is_some_and(|all| {
            let sum = |of: fn(&Report) -> u64| all.iter().map(of).fold(0u64, u64::wrapping_add);
            sum(|r| r.sent) == sum(|r| r.handled) || !self.rules.sums_agree()
        })
    }

    fn ask(&mut self) -> u64 {
        self.number += 1;
        self.asked = Some((self.number, vec![false; self.reports.len()]));
        self.number
    }

    /// Asks once more whether what was reported holds, if nothing else is known.
    pub(crate) fn ask_again(&mut self) -> Option<u64> {
        (self.asked.is_none() && self.is_still()).then(|| self.ask())
    }

    pub fn answer(&mut self, from: usize, number: u64, now: Report) -> Next {
        let Some((asked, answered)) = &mut self.asked else {
            return Next::Nothing;
        };
        if *asked != number {
            return Next::Nothing;
        }
        if self.reports[from] != Some(now) && self.rules.changes_count() {
            self.reports[from] = None;
            self.asked = None;
            return Next::Changed;
        }
        answered[from] = true;
        if answered.contains(&false) {
            return Next::Nothing;
        }
        self.is_quiet()
    }

    fn is_quiet(&mut self) -> Next {
        let levels = self.reports.iter().flatten().map(|r| r.level);
        let level = levels.min().unwrap_or(Level::Busy);
        let parked = self.reports.iter().flatten().any(|r| r.parked);
        // The reports hold until something is done about it: processes do not repeat them.
        self.asked = None;
        Next::Quiet(level, parked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(level: Level, sent: u64, handled: u64) -> Report {
        Report {
            level,
            parked: false,
            sent,
            handled,
        }
    }

    #[test]
    fn quiet_is_what_stays_so() {
        use Level::*;
        let mut q = Quiet::with(2, Rules::default());
        assert_eq!(q.report(0, at(Asleep, 5, 2)), Next::Nothing);
        assert_eq!(q.report(1, at(Polling, 2, 5)), Next::Ask(1));
        assert_eq!(q.answer(0, 1, at(Asleep, 5, 2)), Next::Nothing);
        assert_eq!(
            q.answer(1, 1, at(Polling, 2, 5)),
            Next::Quiet(Polling, false)
        );
        assert_eq!(q.answer(1, 1, at(Polling, 2, 5)), Next::Nothing);
        // And is asked for again.
        assert_eq!((q.ask_again(), q.ask_again()), (Some(2), None));
        assert_eq!(q.answer(1, 2, at(Polling, 2, 5)), Next::Nothing);
        assert_eq!(
            q.answer(0, 2, at(Asleep, 5, 2)),
            Next::Quiet(Polling, false)
        );
    }

    #[test]
    fn a_frame_under_way_is_noticed() {
        use Level::*;
        let mut q = Quiet::with(2, Rules::default());
        q.report(0, at(Asleep, 5, 2));
        assert_eq!(q.report(1, at(Asleep, 2, 4)), Next::Nothing);
        assert_eq!(q.report(1, at(Asleep, 2, 5)), Next::Ask(1));
        // It has gone on in between, and sleeps again.
        assert_eq!(q.answer(1, 1, at(Asleep, 3, 5)), Next::Changed);
        assert_eq!(q.answer(0, 1, at(Asleep, 5, 2)), Next::Nothing);
        assert_eq!(q.ask_again(), None);
        assert_eq!(q.report(1, at(Asleep, 3, 5)), Next::Nothing);
        assert_eq!(q.report(0, at(Asleep, 5, 3)), Next::Ask(2));
    }

    #[test]
    fn busy_ones_do_not_count() {
        use Level::*;
        let mut q = Quiet::with(2, Rules::default());
        q.report(0, at(Asleep, 0, 0));
        assert_eq!(q.report(0, at(Busy, 0, 0)), Next::Nothing);
        assert_eq!(q.report(1, at(Asleep, 0, 0)), Next::Nothing);
    }
}
