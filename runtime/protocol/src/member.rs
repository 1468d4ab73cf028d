//! One rank's part of the non-blocking protocol.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

use crate::{Clocks, Down, Entries, Group, Least, Log, Name, Rank, Rules, Stamp, Up};

/// Locations that a rank passes by for the sake of collective clocks before it takes its checkpoint in any case.
const PATIENCE: u32 = 16;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// No epoch is under way, as far as this rank knows.
    Plain,
    /// An epoch has begun; this rank's checkpoint is not taken yet.
    Asked,
    /// Its checkpoint is taken; others' may not be.
    Logging,
    /// Nothing is logged any more; what was sent before the line is still recorded.
    Closed,
    /// After a recovery: what was logged is done again.
    Replaying,
}

/// What to do with a message that the program sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sending {
    Send(Stamp),
    /// Its receiver has it: it was received before the line.
    Suppress,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// It crosses the line: it belongs to the receiver's record.
    pub late: bool,
    pub name: Option<Name>,
}

/// What the protocol adds to a rank's local checkpoint.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Line {
    pub clocks: Clocks,
    /// Of the groups that have clocks.
    pub sizes: BTreeMap<Group, u32>,
    /// Messages received before the line that were sent behind it: their senders and numbers.
    pub early: Vec<(Rank, u32)>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Member<O, R> {
    rules: Rules,
    epoch: u32,
    phase: Phase,
    /// The epoch was given up: nothing is kept.
    given_up: bool,
    ended: bool,
    targets: Option<Clocks>,
    passed_by: u32,

    /// Messages sent since the last line, and between that and the one before.
    sent: u64,
    sent_before: u64,
    /// Messages that have arrived, of those sent since the line before the last, since the last, and behind the next.
    arrived: [u64; 3],
    early: Vec<(Rank, u32)>,

    /// Receives and messages since the line, while anybody may have to know them by number.
    receives: u32,
    numbers: BTreeMap<Rank, u32>,
    before: BTreeMap<Rank, u32>,

    clocks: Clocks,
    sizes: BTreeMap<Group, u32>,
    /// Collectives entered that have not formed.
    pending: BTreeSet<(Group, u64)>,
    /// The clocks when logging ended.
    closing: Option<Clocks>,
    /// Pending collectives up to these must form before the record is complete.
    settle: Option<Clocks>,
    close_known: bool,

    log: Log<O, R>,
    replay: Log<O, R>,
    suppress: BTreeSet<(Rank, u32)>,
    replay_told: bool,
    said: Vec<Up>,
}

impl<O, R> Default for Member<O, R> {
    fn default() -> Self {
        Member::new(Rules::default())
    }
}

impl<O, R> Member<O, R> {
    /// A rank of a job that begins.
    pub fn new(rules: Rules) -> Member<O, R> {
        Member {
            rules,
            epoch: 0,
            phase: Phase::Plain,
            given_up: false,
            ended: false,
            targets: None,
            passed_by: 0,
            sent: 0,
            sent_before: 0,
            arrived: [0; 3],
            early: Vec::new(),
            receives: 0,
            numbers: BTreeMap::new(),
            before: BTreeMap::new(),
            clocks: Clocks::new(),
            sizes: BTreeMap::new(),
            pending: BTreeSet::new(),
            closing: None,
            settle: None,
            close_known: false,
            log: Log::default(),
            replay: Log::default(),
            suppress: BTreeSet::new(),
            replay_told: false,
            said: Vec::new(),
        }
    }

    /// A rank as its checkpoint has it.  Its pending receives are to be numbered by [`Member::post`] in their old order.
    /// `suppress`: the early messages that others have of it.
    pub fn recovered(
        rules: Rules,
        line: &Line,
        log: Log<O, R>,
        suppress: BTreeSet<(Rank, u32)>,
    ) -> Member<O, R> {
        Member {
            clocks: line.clocks.clone(),
            sizes: line.sizes.clone(),
            phase: Phase::Replaying,
            replay: log,
            suppress: if rules.early_is_suppressed() {
                suppress
            } else {
                BTreeSet::new()
            },
            ..Member::new(rules)
        }
    }

    /// A rank that this one brings into being, as the root of a spawn; it begins on the same side of the line.  `log` and
    /// `suppress`: of its first life, if there was one.
    pub fn spawned(&mut self, log: Log<O, R>, suppress: BTreeSet<(Rank, u32)>) -> Member<O, R> {
        if self.phase == Phase::Logging {
            self.log.births += 1;
        }
        let mut child = Member {
            epoch: self.epoch,
            phase: self.phase,
            given_up: self.given_up,
            targets: self.targets.clone(),
            closing: self.closing.as_ref().map(|_| Clocks::new()),
            settle: self.settle.clone(),
            close_known: self.close_known,
            replay: log,
            suppress,
            replay_told: self.replay_told,
            ..Member::new(self.rules)
        };
        self.replay.births = self.replay.births.saturating_sub(1);
        child.settled();
        child
    }

    pub fn phase(&self) -> Phase {
        self.phase
    }

    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    pub fn log(&self) -> &Log<O, R> {
        &self.log
    }

    /// What it has to tell its node, in order.
    pub fn said(&mut self) -> Vec<Up> {
        if self.phase == Phase::Replaying && !self.replay_told && self.has_replayed() {
            self.replay_told = true;
            self.said.push(Up::Replayed);
        }
        take(&mut self.said)
    }

    fn has_replayed(&self) -> bool {
        self.replay.is_empty() && self.suppress.is_empty()
    }

    fn is_behind(&self) -> bool {
        matches!(self.phase, Phase::Logging | Phase::Closed)
    }

    // Locations.

    /// At a location (a rank that has ended is always at one): is the checkpoint to be taken here?
    pub fn at_location(&mut self) -> bool {
        let (Phase::Asked, Some(targets)) = (self.phase, &self.targets) else {
            return false;
        };
        let reached = |(g, n): (&Group, &u64)| targets.get(g).is_none_or(|t| n >= t);
        // Groups that it never entered are not its own, or it has not come to them: then they count once it has.
        let aligned = self.clocks.iter().all(reached);
        self.passed_by += 1;
        self.ended || aligned || self.passed_by > PATIENCE
    }

    /// The rank's program is over; it goes on to take part in checkpoints.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// The local checkpoint is being taken: it has to hold what this returns.  Afterwards the driver numbers pending
    /// receives in order by [`Member::post`], and names waiting messages from before the line by [`Member::name_before`].
    pub fn take(&mut self) -> Line {
        self.pass_line();
        self.phase = Phase::Logging;
        self.tell_taken();
        self.receives = 0;
        self.numbers.clear();
        self.before.clear();
        if !self.rules.logs_stay_open_for_all() {
            self.close();
        }
        Line {
            clocks: self.clocks.clone(),
            sizes: self.sizes.clone(),
            early: take(&mut self.early),
        }
    }

    fn pass_line(&mut self) {
        self.epoch += 1;
        let [_, now, next] = self.arrived;
        self.arrived = [now, next, 0];
        self.sent_before = take(&mut self.sent);
        self.targets = None;
        self.passed_by = 0;
    }

    fn tell_taken(&mut self) {
        self.said.push(Up::Taken {
            sent: self.sent_before,
            arrived: self.arrived[0],
            given_up: self.given_up,
        });
    }

    // Messages.

    /// The program sends a message.
    pub fn send(&mut self, to: Rank) -> Sending {
        let mut stamp = Stamp {
            epoch: self.epoch,
            logging: self.phase == Phase::Logging,
            number: None,
        };
        if matches!(self.phase, Phase::Logging | Phase::Replaying) {
            let next = self.numbers.entry(to).or_default();
            stamp.number = Some(*next);
            *next += 1;
            if self.suppress.remove(&(to, *next - 1)) {
                return Sending::Suppress;
            }
        }
        self.sent += 1;
        Sending::Send(stamp)
    }

    /// The epoch of a message's sender, from whether it is odd.  Nobody takes a checkpoint before all have left the epoch
    /// before, and none is left before all messages from before its line have come: who records hears from the past,
    /// who does not, from the future.
    pub fn epoch_of(&self, odd: bool) -> u32 {
        if odd == (self.epoch % 2 == 1) {
            self.epoch
        } else if self.is_behind() {
            self.epoch - 1
        } else {
            self.epoch + 1
        }
    }

    /// A message has come to this rank's process.
    pub fn arrive(&mut self, from: Rank, stamp: Stamp) -> Arrival {
        let behind = stamp.number.map(Name::Behind);
        if stamp.epoch >= self.epoch {
            self.arrived[if stamp.epoch > self.epoch { 2 } else { 1 }] += 1;
            return Arrival {
                late: false,
                name: behind,
            };
        }
        self.arrived[0] += 1;
        self.said.push(Up::Arrived {
            count: 1,
            given_up: self.given_up,
        });
        Arrival {
            late: !self.given_up && self.rules.late_is_recorded(),
            name: Some(self.name_before(from)),
        }
    }

    /// Is a message that has arrived but was not received part of the checkpoint just taken?
    pub fn keeps(&self, stamp: Stamp) -> bool {
        stamp.epoch < self.epoch || !self.rules.unreceived_early_is_left_out()
    }

    /// The name of the next message from before the line.
    pub fn name_before(&mut self, from: Rank) -> Name {
        let next = self.before.entry(from).or_default();
        *next += 1;
        Name::Before(*next - 1)
    }

    /// The program posts a receive, or one is pending at the line: its number, while it matters.
    pub fn post(&mut self) -> Option<u32> {
        let matters = matches!(self.phase, Phase::Logging | Phase::Replaying);
        self.receives += u32::from(matters);
        matters.then(|| self.receives - 1)
    }

    /// May this receive get this message?  Otherwise it gets another, which will come.
    pub fn allows(&self, receive: Option<u32>, from: Rank, name: Option<Name>) -> bool {
        self.phase != Phase::Replaying || self.replay.allows(receive, name.map(|n| (from, n)))
    }

    /// A receive gets a message.
    pub fn matched(&mut self, receive: Option<u32>, from: Rank, name: Option<Name>, stamp: Stamp) {
        self.observe(stamp);
        if !self.is_behind() && stamp.epoch > self.epoch {
            // Who sends behind its line before all have taken theirs is logging, and so numbers.
            self.early.extend(stamp.number.map(|n| (from, n)));
        }
        let Some(receive) = receive else { return };
        match (self.phase, name) {
            (Phase::Replaying, _) => self.replay.replayed(receive),
            (Phase::Logging, Some(name)) if self.rules.matches_are_logged() => {
                self.log.matched(receive, (from, name));
            }
            _ => {}
        }
    }

    /// The rank is about to learn something from one who sent this.
    pub fn observe(&mut self, stamp: Stamp) {
        let unlogged = stamp.epoch == self.epoch && !stamp.logging;
        if self.phase == Phase::Logging && unlogged && self.rules.logging_stops_at_the_unlogged() {
            self.close();
        }
    }

    // Outcomes that another run could have otherwise.

    /// What a test, probe, clock said the first time.
    pub fn replayed_outcome(&mut self) -> Option<O> {
        self.replay.outcomes.pop_front()
    }

    /// The same, left in place.
    pub fn next_outcome(&self) -> Option<&O> {
        self.replay.outcomes.front()
    }

    /// What one says now; anything it is drawn from was observed before.
    pub fn outcome(&mut self, outcome: O) {
        if self.phase == Phase::Logging && self.rules.outcomes_are_logged() {
            self.log.outcomes.push_back(outcome);
        }
    }

    // Collectives.

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

    // Control.

    fn close(&mut self) {
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
    fn settled(&mut self) {
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
        self.log = Log::default();
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
        self.log = Log::default();
        self.closing = None;
    }

    /// What has to be on disk before this rank's [`Up::Saved`] goes to its node: its log, with the results recorded.
    pub fn saved_log(&mut self) -> Log<O, R> {
        take(&mut self.log)
    }
}
