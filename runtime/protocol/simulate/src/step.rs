//! Ranks run their scripts.

use std::sync::Arc;

use pc3_protocol::{Birth, Line, Phase, Rank, Sending, Stamp, Waiting};

use crate::check::Violation;
use crate::program::{Op, Slot, Tag};
use crate::state::{mix, Image, Message, Outcome, Pending, Posted, Progress, RankState, World};

/// Of operations that wait for themselves.
const OWN: Slot = 0;

impl World {
    pub(crate) fn can_step(&self, rank: Rank, s: &RankState) -> bool {
        if s.own.ended || s.own.unborn {
            return false;
        }
        let Some(op) = self.program.scripts[rank as usize].get(s.own.pc) else {
            return true;
        };
        let done = |slot: &Slot| s.own.done.contains_key(slot);
        match (op, s.member.next_outcome()) {
            (op, _) if op.waits() => !s.own.begun || done(&OWN),
            (Op::Wait(slot), _) => done(slot),
            // What was complete the first time will be.
            (Op::Test(slot), Some(Outcome::Complete(true))) => done(slot),
            (Op::WaitAny(_), Some(Outcome::Which(slot))) => done(slot),
            (Op::WaitAny(slots), _) => slots.iter().any(done),
            (
                Op::Probe { .. } | Op::ChanceOrProbe { .. },
                Some(Outcome::Seen(Some((from, name)))),
            ) => {
                let same = |m: &Message| m.from == *from && m.name == *name;
                s.mailbox.iter().any(same)
            }
            _ => true,
        }
    }

    pub(crate) fn step(&mut self, rank: Rank) -> Result<(), Violation> {
        let program = self.program.clone();
        let Some(s) = self.ranks.get_mut(&rank) else {
            return Ok(());
        };
        let Some(op) = program.scripts[rank as usize].get(s.own.pc) else {
            s.own.ended = true;
            s.member.end();
            return Ok(());
        };
        let pc = s.own.pc as u64;
        // The first half of what waits for itself leaves the rank where it is.
        let half = op.waits() && !s.own.begun;
        match op {
            Op::Send { to, tag } => self.send(rank, *to, *tag),
            Op::Post { slot, from, tag } => s.post(*slot, *from, *tag),
            Op::Receive { from, tag } if !s.own.begun => s.post(OWN, *from, *tag),
            Op::Serve { request, .. } if !s.own.begun => s.post(OWN, None, *request),
            Op::Receive { .. } => {
                s.consume(OWN);
            }
            Op::Serve { answer, .. } => {
                let from = s.consume(OWN);
                self.send(rank, from, *answer);
            }
            Op::Test(slot) => {
                let done = s.own.done.contains_key(slot);
                let done = match s.member.replayed_outcome() {
                    Some(Outcome::Complete(was)) => was,
                    Some(_) => return Err(Violation::Replay),
                    None => {
                        s.member.outcome(Outcome::Complete(done));
                        done
                    }
                };
                s.learn(u64::from(done));
            }
            Op::Wait(slot) => {
                s.consume(*slot);
            }
            Op::WaitAny(slots) => {
                let first = slots.iter().copied().find(|s0| s.own.done.contains_key(s0));
                let which = match s.member.replayed_outcome() {
                    Some(Outcome::Which(was)) => was,
                    Some(_) => return Err(Violation::Replay),
                    None => {
                        let first = first.unwrap_or(OWN);
                        s.member.outcome(Outcome::Which(first));
                        first
                    }
                };
                let what = s.own.done.get(&which).map_or(0, |d| d.1);
                s.learn(mix(u64::from(which), what));
            }
            Op::Probe { tag } => s.probe(*tag)?,
            Op::ChanceOrProbe { tag } if s.own.digest & 1 == 0 => s.probe(*tag)?,
            Op::Chance | Op::ChanceOrProbe { .. } => {
                self.chance = mix(self.chance, pc);
                let what = match s.member.replayed_outcome() {
                    Some(Outcome::Chance(was)) => was,
                    Some(_) => return Err(Violation::Replay),
                    None => {
                        s.member.outcome(Outcome::Chance(self.chance));
                        self.chance
                    }
                };
                s.learn(what);
            }
            Op::Location => {
                s.own.pc += 1;
                if s.member.at_location() {
                    self.take(rank);
                }
                return Ok(());
            }
            Op::Print => self.print(rank)?,
            Op::Initiate { slot, group } => self.enter(rank, *slot, *group),
            Op::Collective(group) | Op::Spawn { group, .. } if !s.own.begun => {
                self.enter(rank, OWN, *group);
            }
            Op::Collective(_) => {
                s.consume(OWN);
            }
            Op::Spawn { root, children, .. } => {
                s.consume(OWN);
                if *root == rank {
                    for c in children {
                        self.bear(rank, *c)?;
                    }
                }
            }
        }
        if let Some(s) = self.ranks.get_mut(&rank) {
            s.own.pc += usize::from(!half);
            s.own.begun = half;
        }
        Ok(())
    }

    fn send(&mut self, from: Rank, to: Rank, tag: Tag) {
        let Some(s) = self.ranks.get_mut(&from) else {
            return;
        };
        let content = mix(s.own.digest, s.own.pc as u64);
        let h = Arc::make_mut(&mut s.own.history);
        let sent = h.sent.entry(to).or_default();
        sent.push(content);
        let truth = sent.len() as u32 - 1;
        let usual = !self.ways[self.program.nodes[from as usize] as usize].counts;
        let sending = if usual {
            Sending::Send(Stamp {
                epoch: s.member.epoch(),
                ..Stamp::default()
            })
        } else {
            s.member.send(to)
        };
        match sending {
            Sending::Suppress => self.counts.suppressed += 1,
            Sending::Send(stamp) => {
                let message = Message {
                    from,
                    tag,
                    stamp,
                    content,
                    knows: s.own.knows.clone(),
                    truth,
                    name: None,
                    seen: false,
                    usual,
                };
                self.app.entry((from, to)).or_default().push_back(message);
            }
        }
    }

    fn enter(&mut self, rank: Rank, slot: Slot, group: u64) {
        let size = self.program.groups[&group].len() as u32;
        let Some(s) = self.ranks.get_mut(&rank) else {
            return;
        };
        let (n, stamp) = s.member.enter(group, size);
        let contribution = mix(s.own.digest, n);
        let p = Pending {
            slot,
            group,
            n,
            epoch: stamp.epoch,
            contribution,
        };
        if let Some(result) = s.member.replayed_result(group, n) {
            s.member
                .formed(group, n, p.epoch, &Default::default(), result);
            s.complete(&p, result);
            return;
        }
        s.pending.push(p);
        self.contribute(rank, group, n, stamp, contribution);
    }

    fn bear(&mut self, root: Rank, child: Rank) -> Result<(), Violation> {
        let Some(s) = self.ranks.get_mut(&root) else {
            return Ok(());
        };
        if let Some(known) = s.member.replayed_birth() {
            let there = self.ranks.get_mut(&child).filter(|c| c.own.unborn);
            let Some(c) = there.filter(|_| known == child) else {
                return Err(Violation::Replay);
            };
            c.own.unborn = false;
            self.counts.again += 1;
            return Ok(());
        }
        let (member, birth) = s.member.spawned(child);
        let phase = s.member.phase();
        if self.ranks.contains_key(&child) {
            return Err(Violation::BornTwice(child));
        }
        let mut state = RankState::new(member, Default::default());
        state.own.digest = u64::from(child);
        state.mailbox = self.waiting.remove(&child).unwrap_or_default();
        match birth {
            Birth::Logged => {
                let waits = self.rules.spawned_wait_for_their_root();
                let own = Progress {
                    unborn: waits,
                    ..state.own.clone()
                };
                let image = Image {
                    own,
                    line: Line::default(),
                    mailbox: Vec::new(),
                    posted: Vec::new(),
                    pending: Vec::new(),
                };
                self.images.insert(child, image);
                self.counts.within += 1;
            }
            Birth::Behind => self.counts.within += 1,
            Birth::Before => self.counts.across += u32::from(phase == Phase::Asked),
        }
        self.ranks.insert(child, state);
        let node = self.node_of(root);
        self.nodes[node as usize].adopt(child, root);
        Ok(())
    }

    /// A rank's local checkpoint.
    pub(crate) fn take(&mut self, rank: Rank) {
        let Some(s) = self.ranks.get_mut(&rank) else {
            return;
        };
        let mut line = s.member.take();
        let received = line.early.len() as u32;
        let waiting = s.mailbox.iter().map(|m| Waiting {
            from: m.from,
            stamp: m.stamp,
            seen: m.seen,
        });
        let keeps = s.member.keeps(&mut line, &waiting.collect::<Vec<_>>());
        self.counts.early += line.early.len() as u32;
        self.counts.seen += line.early.len() as u32 - received;
        let mut mailbox = Vec::new();
        for (m, keep) in s.mailbox.iter_mut().zip(keeps) {
            m.seen = false;
            if keep {
                m.name = Some(s.member.name_before(m.from));
                mailbox.push(m.clone());
            }
        }
        for p in &mut s.posted {
            p.number = s.member.post();
        }
        let image = Image {
            own: s.own.clone(),
            line,
            mailbox,
            posted: s.posted.clone(),
            pending: s.pending.clone(),
        };
        self.images.insert(rank, image);
        self.lined();
    }
}

impl RankState {
    fn post(&mut self, slot: Slot, from: Option<Rank>, tag: Tag) {
        let number = self.member.post();
        self.posted.push(Posted {
            slot,
            from,
            tag,
            number,
        });
        self.match_posted();
    }

    fn probe(&mut self, tag: Tag) -> Result<(), Violation> {
        let place = self.mailbox.iter().position(|m| m.tag == tag);
        let new = place.map(|i| (self.mailbox[i].from, self.mailbox[i].name));
        let seen = match self.member.replayed_outcome() {
            Some(Outcome::Seen(was)) => was,
            Some(_) => return Err(Violation::Replay),
            None => {
                if let Some(m) = place.map(|i| &mut self.mailbox[i]) {
                    m.seen |= self.member.sees(m.stamp);
                }
                self.member.outcome(Outcome::Seen(new));
                new
            }
        };
        // What has been seen is seen until it is received.
        if let (Some((from, truth)), None) = (self.own.seen.remove(&tag), place) {
            let received = self.own.history.received.get(&from);
            if !received.is_some_and(|r| r.contains_key(&truth)) {
                return Err(Violation::Unseen { from, truth });
            }
        }
        let now = place.map(|i| (self.mailbox[i].from, self.mailbox[i].truth));
        self.own.seen.extend(now.map(|now| (tag, now)));
        self.learn(seen.map_or(0, |(from, _)| 1 + u64::from(from)));
        Ok(())
    }

    fn consume(&mut self, slot: Slot) -> Rank {
        let (from, what) = self.own.done.remove(&slot).unwrap_or_default();
        for (rank, n) in self.own.told.remove(&slot).unwrap_or_default() {
            let known = self.own.knows.entry(rank).or_default();
            *known = n.max(*known);
        }
        self.learn(mix(what, u64::from(from)));
        from
    }

    fn learn(&mut self, what: u64) {
        self.own.digest = mix(self.own.digest, what);
    }
}
