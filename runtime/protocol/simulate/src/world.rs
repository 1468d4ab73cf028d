//! A job under the protocol moves by [`Action`]s; which of the possible ones comes next is up to whoever explores.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use pc3_protocol::{
    above, below, Down, Entries, Event, Group, Node, Out, Rank, Rules, Source, Stamp, Up,
};

use crate::check::{self, Violation};
use crate::program::Program;
use crate::state::{
    mix, Action, Budget, Control, Counts, Member, Message, Pending, ProcessEpochs, Progress,
    RankState, World,
};

/// Nodes below each node.
const FAN: u32 = 2;

impl World {
    pub fn new(program: Arc<Program>, rules: Rules, budget: Budget, chance: u64) -> World {
        let mut w = World {
            nodes: Vec::new(),
            ways: Vec::new(),
            ranks: BTreeMap::new(),
            app: BTreeMap::new(),
            control: BTreeMap::new(),
            meetings: BTreeMap::new(),
            images: BTreeMap::new(),
            records: BTreeMap::new(),
            logs: BTreeMap::new(),
            output: Vec::new(),
            place: 0,
            committed: None,
            waiting: BTreeMap::new(),
            budget,
            counts: Counts::default(),
            chance,
            program,
            rules,
            bound: usize::MAX,
        };
        w.begin();
        w
    }

    /// From the very beginning.
    pub fn begin(&mut self) {
        for r in 0..self.program.ranks {
            let state = RankState::new(Member::new(self.rules), Progress::default());
            self.ranks.insert(r, state);
        }
        self.make_nodes(false);
    }

    pub(crate) fn make_nodes(&mut self, replaying: bool) {
        let of = &self.program.nodes;
        let count = of.iter().max().map_or(1, |m| m + 1);
        let node = |i: u32| {
            let members = self.ranks.keys().copied();
            let members = members.filter(|r| of[*r as usize] == i).collect();
            let below = below(i, FAN, count).collect();
            Node::new(self.rules, i == 0, members, below, replaying)
        };
        self.nodes = (0..count).map(node).collect();
        let way = ProcessEpochs {
            counts: replaying || !self.program.usual,
            ..ProcessEpochs::default()
        };
        self.ways = vec![way; count as usize];
    }

    /// No message that was sent on a way on which nobody counts can come to this node any more.
    fn is_clear(&self, node: u32) -> bool {
        if !self.rules.uncounted_have_arrived() {
            return true;
        }
        let way = &self.ways[node as usize];
        let mut under_way = self.app.iter();
        self.ways.iter().all(|w| w.counting >= way.heard)
            && !under_way.any(|((_, to), q)| self.node_of(*to) == node && q.iter().any(|m| m.usual))
    }

    pub(crate) fn node_of(&self, rank: Rank) -> u32 {
        self.program.nodes[rank as usize]
    }

    /// All that can happen now.
    pub fn actions(&self, into: &mut Vec<Action>) {
        into.clear();
        for (r, s) in &self.ranks {
            if self.can_step(*r, s) {
                into.push(Action::Step(*r));
            }
            for i in 0..s.results.len() {
                into.push(Action::Result(*r, i));
            }
        }
        for ((from, to), queue) in &self.app {
            if !queue.is_empty() && self.ranks.contains_key(to) {
                into.push(Action::Deliver(*from, *to));
            }
        }
        for ((from, to), queue) in &self.control {
            if !queue.is_empty() {
                into.push(Action::Control(*from, *to));
            }
        }
        for (i, way) in self.ways.iter().enumerate() {
            let node = i as u32;
            if way.counting < way.heard {
                into.push(Action::Count(node));
            } else if way.known < way.heard && self.is_clear(node) {
                into.push(Action::Begin(node));
            }
        }
    }

    /// Interference, while there is something to interfere with.
    pub(crate) fn interference(&self, into: &mut Vec<Action>) {
        if self.budget.requests > 0 {
            into.push(Action::Request);
        }
        if self.budget.give_ups > 0 && !self.nodes[0].is_idle() {
            into.push(Action::GiveUp);
        }
        if self.budget.crashes > 0 {
            into.push(Action::Crash);
        }
    }

    pub fn apply(&mut self, action: Action) -> Result<(), Violation> {
        match action {
            Action::Step(r) => self.step(r)?,
            Action::Deliver(from, to) => self.deliver(from, to)?,
            Action::Control(from, to) => self.control(from, to)?,
            Action::Count(node) => {
                let way = &mut self.ways[node as usize];
                way.counting = way.heard;
                way.counts = true;
            }
            Action::Begin(node) => {
                let way = &mut self.ways[node as usize];
                way.known = way.heard;
                self.tell(node, &Down::Start);
            }
            Action::Result(r, i) => self.result(r, i),
            Action::Request => {
                self.budget.requests -= 1;
                let outs = self.nodes[0].request();
                self.carry(0, outs)?;
            }
            Action::GiveUp => {
                self.budget.give_ups -= 1;
                if let Some(outs) = self.nodes[0].give_up() {
                    self.carry(0, outs)?;
                }
            }
            Action::Crash => {
                self.budget.crashes -= 1;
                self.counts.recoveries += 1;
                self.recover();
            }
        }
        self.listen()?;
        if self
            .ranks
            .values()
            .any(|s| s.member.log().len() > self.bound)
        {
            if let Some(outs) = self.nodes[0].give_up() {
                self.counts.outgrown += 1;
                self.carry(0, outs)?;
                self.listen()?;
            }
        }
        check::logs(self)
    }

    fn deliver(&mut self, from: Rank, to: Rank) -> Result<(), Violation> {
        let queue = self.app.get_mut(&(from, to));
        let Some(mut message) = queue.and_then(VecDeque::pop_front) else {
            return Ok(());
        };
        let way = self.ways[self.node_of(to) as usize];
        let Some(s) = self.ranks.get_mut(&to) else {
            return Ok(());
        };
        if message.usual {
            // Sent before any of these ranks can pass the line that it knows of, or when all have.
            if message.stamp.epoch != way.known {
                return Err(Violation::Uncounted);
            }
            s.mailbox.push(message);
            s.match_posted();
            return Ok(());
        }
        // No more than two bits go with a message.
        message.stamp.epoch = s.member.epoch_of(message.stamp.epoch % 2 == 1);
        let arrival = s.member.arrive(from, message.stamp);
        message.name = arrival.name;
        if arrival.late {
            self.counts.late += 1;
            self.records.entry(to).or_default().push(message.clone());
        }
        s.mailbox.push(message);
        s.match_posted();
        Ok(())
    }

    fn result(&mut self, rank: Rank, i: usize) {
        let Some(s) = self.ranks.get_mut(&rank) else {
            return;
        };
        let (group, n, result, entries) = s.results.remove(i);
        s.formed(group, n, result, &entries);
    }

    /// A contribution to a collective; the last one forms it.
    pub(crate) fn contribute(
        &mut self,
        rank: Rank,
        group: Group,
        n: u64,
        stamp: Stamp,
        value: u64,
    ) {
        let meeting = self.meetings.entry((group, n)).or_default();
        meeting.entries.insert(rank, value);
        meeting.stamps.add(stamp);
        let members = &self.program.groups[&group];
        if meeting.entries.len() < members.len() {
            return;
        }
        let result = meeting.entries.values().fold(group, |a, v| mix(a, *v));
        let entries = meeting.stamps;
        self.meetings.remove(&(group, n));
        for m in members {
            if let Some(s) = self.ranks.get_mut(m) {
                s.results.push((group, n, result, entries));
            }
        }
    }

    fn control(&mut self, from: u32, to: u32) -> Result<(), Violation> {
        let queue = self.control.get_mut(&(from, to));
        match queue.and_then(VecDeque::pop_front) {
            Some(Control::Up(up)) => {
                let outs = self.nodes[to as usize].say(Source::Node(from), up);
                self.carry(to, outs)
            }
            Some(Control::Down(down)) => {
                let outs = self.nodes[to as usize].hear(&down);
                self.pass(to, &down);
                self.carry(to, outs)
            }
            None => Ok(()),
        }
    }

    /// To the members of a node and the nodes below.
    fn pass(&mut self, node: u32, down: &Down) {
        for b in self.nodes[node as usize].below().to_vec() {
            self.counts.control += 1;
            let queue = self.control.entry((node, b)).or_default();
            queue.push_back(Control::Down(down.clone()));
        }
        let way = &mut self.ways[node as usize];
        match down {
            Down::Start if self.program.usual => way.heard += 1,
            Down::Finish | Down::Replayed => {
                way.counts = !self.program.usual;
                self.tell(node, down);
            }
            _ => self.tell(node, down),
        }
    }

    fn tell(&mut self, node: u32, down: &Down) {
        for m in self.nodes[node as usize].members().collect::<Vec<_>>() {
            if let Some(s) = self.ranks.get_mut(&m) {
                s.member.hear(down);
            }
            if *down == Down::Finish {
                self.images.remove(&m);
                self.records.remove(&m);
                self.logs.remove(&m);
            }
        }
    }

    /// What a node wants done.
    fn carry(&mut self, node: u32, outs: Vec<Out>) -> Result<(), Violation> {
        for out in outs {
            match out {
                Out::Up(up) => {
                    let Some(above) = above(node, FAN) else {
                        continue;
                    };
                    self.counts.control += 1;
                    let queue = self.control.entry((node, above)).or_default();
                    queue.push_back(Control::Up(up));
                }
                Out::Down(down) => self.pass(node, &down),
                Out::Event(Event::Commit) => {
                    self.commit()?;
                    let outs = self.nodes[0].committed();
                    self.carry(0, outs)?;
                }
                Out::Event(Event::Over { given_up }) => {
                    self.counts.given_up += u32::from(given_up);
                }
            }
        }
        Ok(())
    }

    /// Brings what members have said to their nodes, and ended ranks to their lines.
    fn listen(&mut self) -> Result<(), Violation> {
        loop {
            let mut heard = Vec::new();
            let mut at_end = Vec::new();
            for (r, s) in &mut self.ranks {
                if s.own.ended && s.member.at_location() {
                    at_end.push(*r);
                }
                let said = s.member.said();
                if said.contains(&Up::Saved) {
                    let log = s.member.saved_log();
                    self.counts.logged += log.len() as u32;
                    self.logs.insert(*r, log);
                }
                heard.extend(said.into_iter().map(|up| (*r, up)));
            }
            for r in &at_end {
                self.take(*r);
            }
            if heard.is_empty() && at_end.is_empty() {
                return Ok(());
            }
            for (r, up) in heard {
                let node = self.node_of(r);
                let outs = self.nodes[node as usize].say(Source::Member(r), up);
                self.carry(node, outs)?;
            }
        }
    }

    pub fn has_ended(&self) -> bool {
        self.ranks.values().all(|s| s.own.ended)
            && (0..self.program.scripts.len() as Rank).all(|r| self.ranks.contains_key(&r))
    }
}

impl RankState {
    pub fn new(member: Member, own: Progress) -> RankState {
        RankState {
            own,
            member,
            mailbox: Vec::new(),
            posted: Vec::new(),
            pending: Vec::new(),
            results: Vec::new(),
        }
    }

    /// Pairs posted receives, in order, with the oldest message that each may have.
    pub(crate) fn match_posted(&mut self) {
        let mut i = 0;
        while i < self.posted.len() {
            let p = &self.posted[i];
            let fits = |m: &Message| {
                m.tag == p.tag
                    && p.from.is_none_or(|f| f == m.from)
                    && self.member.allows(p.number, m.from, m.name)
            };
            let Some(k) = self.mailbox.iter().position(fits) else {
                i += 1;
                continue;
            };
            let p = self.posted.remove(i);
            let m = self.mailbox.remove(k);
            self.member.matched(p.number, m.from, m.name, m.stamp);
            let h = Arc::make_mut(&mut self.own.history);
            let earlier = h.received.entry(m.from).or_default();
            // A second copy of a message is as good as a wrong one.
            let content = if earlier.contains_key(&m.truth) {
                !m.content
            } else {
                m.content
            };
            earlier.insert(m.truth, content);
            self.own.done.insert(p.slot, (m.from, m.content));
            self.own.told.insert(p.slot, m.knows);
        }
    }

    /// The result of a pending collective is there.
    pub fn formed(&mut self, group: Group, n: u64, result: u64, entries: &Entries) {
        let Some(i) = self
            .pending
            .iter()
            .position(|p| (p.group, p.n) == (group, n))
        else {
            return;
        };
        let p = self.pending.remove(i);
        self.member.formed(group, n, p.epoch, entries, result);
        self.complete(&p, result);
    }

    pub fn complete(&mut self, p: &Pending, result: u64) {
        let h = Arc::make_mut(&mut self.own.history);
        h.collectives
            .insert((p.group, p.n), (p.contribution, Some(result)));
        self.own.done.insert(p.slot, (0, result));
    }
}
