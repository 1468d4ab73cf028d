//! One rank's part of the non-blocking protocol.

mod collective;
mod control;

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

use crate::{Clocks, Group, Log, Name, Output, Rank, Rules, Stamp, Up};

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

/// What becomes of a rank that is spawned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Birth {
    /// It is a rank like any other, and owes what its root owes.
    Before,
    /// It is in the checkpoint as one that is yet to begin, which it does when its root spawns it again.
    Logged,
    /// The checkpoint knows nothing of it.
    Behind,
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

/// A message that has arrived and was not received when the checkpoint is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    pub from: Rank,
    pub stamp: Stamp,
    /// A probe has shown it while [`Member::sees`] was true of it.
    pub seen: bool,
}

/// What the protocol adds to a rank's local checkpoint.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Line {
    pub clocks: Clocks,
    /// Of the groups that have clocks.
    pub sizes: BTreeMap<Group, u32>,
    /// Messages received before the line, or seen by a probe, that were sent behind it: their senders and numbers.
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

    /// A rank that this one brings into being, as the root of a spawn; it begins on the same side of the line.  If that is
    /// behind it ([`Birth::Logged`]), the checkpoint has the new rank as it is now: with an empty [`Line`].
    pub fn spawned(&mut self, child: Rank) -> (Member<O, R>, Birth) {
        let logged = self.phase == Phase::Logging && self.rules.births_are_logged();
        if logged {
            self.log.births.push_back(child);
        }
        let mut member = Member {
            epoch: self.epoch,
            phase: self.phase,
            given_up: self.given_up,
            targets: self.targets.clone(),
            closing: self.closing.as_ref().map(|_| Clocks::new()),
            settle: self.settle.clone(),
            close_known: self.close_known,
            replay_told: self.replay_told,
            ..Member::new(self.rules)
        };
        if self.is_behind() && !self.rules.spawned_begin_beside_their_root() {
            member.phase = Phase::Asked;
            member.epoch -= 1;
            member.targets = Some(Clocks::new());
        }
        member.settled();
        let birth = match self.phase {
            Phase::Logging if logged => Birth::Logged,
            Phase::Logging | Phase::Closed => Birth::Behind,
            _ => Birth::Before,
        };
        (member, birth)
    }

    /// The rank that this one spawned next behind its line, if it does that again: it is there, yet to begin.
    pub fn replayed_birth(&mut self) -> Option<Rank> {
        self.replay.births.pop_front()
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

    /// Nothing is kept any more: there will be no checkpoint.
    pub fn has_given_up(&self) -> bool {
        self.given_up
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

    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// The local checkpoint is being taken: it has to hold what this returns.  Afterwards the driver numbers pending
    /// receives in order by [`Member::post`], and names the waiting messages that [`Member::keeps`] by [`Member::name_before`].
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

    /// Which of the messages that wait, in this order, are part of the checkpoint just taken?  Those from behind the line will
    /// be sent again, but a rank that has seen one is to see it again at any time: that one is kept, and what it would
    /// else overtake.
    pub fn keeps(&self, line: &mut Line, waiting: &[Waiting]) -> Vec<bool> {
        let early = |w: &Waiting| w.stamp.epoch >= self.epoch;
        let last = waiting.iter().rposition(|w| w.seen && early(w));
        let keeps = |(i, w): (usize, &Waiting)| {
            let known = early(w) && last.is_some_and(|last| i <= last);
            if known {
                line.early.extend(w.stamp.number.map(|n| (w.from, n)));
            }
            known || !early(w) || !self.rules.unreceived_early_is_left_out()
        };
        waiting.iter().enumerate().map(keeps).collect()
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

    /// A probe shows the rank a message; true if it is from behind the line, so that its receiver's driver has to remember
    /// that it was seen.
    pub fn sees(&mut self, stamp: Stamp) -> bool {
        self.observe(stamp);
        !self.is_behind() && stamp.epoch > self.epoch && self.rules.seen_is_kept()
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

    // What the rank prints, to outputs that a recovery cuts back to where they stood when the last rank passed its line.

    /// The last rank has passed its line: so often has this one printed behind its own.
    pub fn printed(&mut self, output: Output, times: u64) {
        if self.phase == Phase::Logging && times > 0 {
            self.log.prints.insert(output, times);
        }
    }

    /// The rank prints: is that in the output already?
    pub fn has_printed(&mut self, output: Output) -> bool {
        let Some(left) = self.replay.prints.get_mut(&output) else {
            return false;
        };
        *left -= 1;
        if *left == 0 {
            self.replay.prints.remove(&output);
        }
        self.rules.printed_is_left_out()
    }
}
