//! Random programs that cannot deadlock.
//!
//! A program is generated as one order in which all its operations could happen; each rank gets its own operations of
//! it, in that order.  Sends are buffered, so whatever the timing, the first operation of that order that has not
//! happened can.  Where a wildcard receive may take another message than in that order, all receives that could compete
//! for the message are wildcards too.

use std::collections::BTreeMap;

use fastrand::Rng;
use pc3_protocol::{Group, Rank};

use crate::program::{Op, Program, Slot, Tag};

const SPECIFIC: Tag = 1;
const POSTED: Tag = 2;
const ANY: Tag = 10;
const POSTED_ANY: Tag = 11;
/// Farms use two each from here on: a request served in another round's place would leave its sender waiting.
const FARMS: Tag = 20;

/// A request under way at a rank.
struct OpenRequest {
    rank: Rank,
    slot: Slot,
    what: Pending,
}

enum Pending {
    /// Complete when so many messages of its kind have been sent.
    Receive {
        key: Key,
        nth: u32,
    },
    Collective {
        group: Group,
        nth: u32,
    },
}

/// Receiver, sender if only that one counts, tag.
type Key = (Rank, Option<Rank>, Tag);

struct Builder<'a> {
    rng: &'a mut Rng,
    program: Program,
    alive: Vec<Rank>,
    open: Vec<OpenRequest>,
    /// Messages of a kind sent, and receives of it posted, so far.
    sent: BTreeMap<Key, u32>,
    posted: BTreeMap<Key, u32>,
    /// Collectives of a group initiated so far, by each member.
    entered: BTreeMap<(Group, Rank), u32>,
    /// The newest collective of a group.
    newest: BTreeMap<Group, u32>,
    slots: Slot,
    farms: Tag,
}

/// What to draw programs from.
#[derive(Clone, Copy, Debug)]
pub struct ProgramShape {
    pub ranks: u32,
    /// Steps of the common order.
    pub length: u32,
    /// Of what programs consist of.
    pub spawns: bool,
    pub wildcards: bool,
    /// Many probes, tests and clocks.
    pub nosy: bool,
    /// Nobody counts messages while no checkpoint is under way.
    pub usual: bool,
}

pub fn generate(rng: &mut Rng, shape: ProgramShape) -> Program {
    let processes = rng.u32(1..=shape.ranks);
    let mut b = Builder {
        program: Program {
            ranks: shape.ranks,
            scripts: vec![Vec::new(); shape.ranks as usize],
            groups: BTreeMap::from([(0, (0..shape.ranks).collect())]),
            nodes: (0..shape.ranks)
                .map(|r| r * processes / shape.ranks)
                .collect(),
            usual: shape.usual,
        },
        rng,
        alive: (0..shape.ranks).collect(),
        open: Vec::new(),
        sent: BTreeMap::new(),
        posted: BTreeMap::new(),
        entered: BTreeMap::new(),
        newest: BTreeMap::new(),
        slots: 0,
        farms: FARMS,
    };
    // Programs differ in what they are made of.
    let mut weights: [u32; KINDS] = std::array::from_fn(|_| b.rng.u32(0..4));
    if shape.nosy {
        weights[10] = 12;
    }
    for _ in 0..shape.length {
        let total: u32 = weights.iter().sum::<u32>() + 1;
        let mut pick = b.rng.u32(0..total);
        let kind = weights.iter().position(|w| {
            let here = pick < *w;
            pick = pick.saturating_sub(*w);
            here
        });
        b.step(kind.unwrap_or(6), shape);
    }
    b.finish();
    b.prints();
    b.program
}

const KINDS: usize = 14;

impl Builder<'_> {
    fn any(&mut self) -> Rank {
        self.alive[self.rng.usize(..self.alive.len())]
    }

    fn two(&mut self) -> Option<(Rank, Rank)> {
        let (a, b) = (self.any(), self.any());
        (a != b).then_some((a, b))
    }

    fn op(&mut self, rank: Rank, op: Op) {
        self.program.scripts[rank as usize].push(op);
    }

    fn slot(&mut self) -> Slot {
        self.slots += 1;
        self.slots
    }

    fn send(&mut self, from: Rank, to: Rank, tag: Tag) {
        self.op(from, Op::Send { to, tag });
        let of = matches!(tag, SPECIFIC | POSTED).then_some(from);
        *self.sent.entry((to, of, tag)).or_default() += 1;
    }

    fn post(&mut self, rank: Rank, from: Option<Rank>, tag: Tag) -> Slot {
        let slot = self.slot();
        self.op(rank, Op::Post { slot, from, tag });
        let key = (rank, from, tag);
        let nth = self.posted.entry(key).or_default();
        *nth += 1;
        let what = Pending::Receive { key, nth: *nth };
        self.open.push(OpenRequest { rank, slot, what });
        slot
    }

    /// Will this be complete whatever the rank does?
    fn is_sure(&self, open: &OpenRequest) -> bool {
        match &open.what {
            Pending::Receive { key, nth } => self.sent.get(key).is_some_and(|s| s >= nth),
            Pending::Collective { group, nth } => {
                let members = &self.program.groups[group];
                let entered = |m: &Rank| self.entered.get(&(*group, *m)).is_some_and(|e| e >= nth);
                members.iter().all(entered)
            }
        }
    }

    fn step(&mut self, kind: usize, shape: ProgramShape) {
        match kind {
            0 => {
                if let Some((a, b)) = self.two() {
                    self.send(a, b, SPECIFIC);
                    self.op(
                        b,
                        Op::Receive {
                            from: Some(a),
                            tag: SPECIFIC,
                        },
                    );
                }
            }
            1 => {
                if let Some((a, b)) = self.two() {
                    self.post(b, Some(a), POSTED);
                }
            }
            2 => self.send_for_open(),
            3 => self.complete_one(),
            4 if shape.wildcards => {
                if let Some((a, b)) = self.two() {
                    self.send(a, b, ANY);
                    self.op(
                        b,
                        Op::Receive {
                            from: None,
                            tag: ANY,
                        },
                    );
                }
            }
            5 if shape.wildcards => {
                let r = self.any();
                self.post(r, None, POSTED_ANY);
            }
            6 => {
                let r = self.any();
                self.op(r, Op::Location);
            }
            7 => {
                // As bulk-synchronous programs have them.
                for r in self.alive.clone() {
                    self.op(r, Op::Location);
                }
            }
            8 => self.collective(),
            9 => self.initiate(),
            10 if shape.wildcards => self.look(),
            11 if shape.wildcards => self.farm(),
            12 if shape.spawns => self.spawn(),
            13 => self.exit(),
            _ => {}
        }
    }

    /// A message for a receive that waits for one.
    fn send_for_open(&mut self) {
        let wanting = |o: &&OpenRequest| {
            let Pending::Receive { key, nth } = &o.what else {
                return false;
            };
            self.sent.get(key).is_none_or(|s| s < nth)
        };
        let keys: Vec<Key> = self
            .open
            .iter()
            .filter(wanting)
            .filter_map(|o| match &o.what {
                Pending::Receive { key, .. } => Some(*key),
                Pending::Collective { .. } => None,
            })
            .collect();
        if let Some(&(to, from, tag)) = self.rng.choice(&keys) {
            let from = from.unwrap_or_else(|| self.any());
            if self.alive.contains(&from) {
                self.send(from, to, tag);
            }
        }
    }

    fn complete_one(&mut self) {
        let sure: Vec<usize> = (0..self.open.len())
            .filter(|i| self.is_sure(&self.open[*i]))
            .collect();
        let Some(&i) = self.rng.choice(&sure) else {
            return;
        };
        let rank = self.open[i].rank;
        let same: Vec<Slot> = self
            .open
            .iter()
            .filter(|o| o.rank == rank)
            .map(|o| o.slot)
            .collect();
        if self.rng.u32(0..3) == 0 && same.len() > 1 {
            // Who is complete first is not known; all are waited for later, again.
            self.op(rank, Op::WaitAny(same));
            return;
        }
        let done = self.open.swap_remove(i);
        self.op(rank, Op::Wait(done.slot));
    }

    fn members(&mut self) -> Option<(Group, Vec<Rank>)> {
        let groups: Vec<Group> = self.program.groups.keys().copied().collect();
        if self.alive.len() > 1 && (groups.len() < 5 && self.rng.u32(0..4) == 0) {
            let mut members: Vec<Rank> = self.alive.clone();
            self.rng.shuffle(&mut members);
            members.truncate(self.rng.usize(2..=members.len()));
            members.sort_unstable();
            let group = groups.len() as Group;
            self.program.groups.insert(group, members.clone());
            return Some((group, members));
        }
        let group = groups[self.rng.usize(..groups.len())];
        let members = self.program.groups[&group].clone();
        let all = members.iter().all(|m| self.alive.contains(m));
        all.then_some((group, members))
    }

    /// Initiates what this member has not, of this group.
    fn catch_up(&mut self, group: Group, rank: Rank) {
        let newest = self.newest.get(&group).copied().unwrap_or(0);
        while self.entered.get(&(group, rank)).copied().unwrap_or(0) < newest {
            self.initiate_at(group, rank);
        }
    }

    fn initiate_at(&mut self, group: Group, rank: Rank) {
        let slot = self.slot();
        self.op(rank, Op::Initiate { slot, group });
        let nth = self.entered.entry((group, rank)).or_default();
        *nth += 1;
        let what = Pending::Collective { group, nth: *nth };
        self.open.push(OpenRequest { rank, slot, what });
    }

    fn collective(&mut self) {
        let Some((group, members)) = self.members() else {
            return;
        };
        for m in &members {
            self.catch_up(group, *m);
        }
        *self.newest.entry(group).or_default() += 1;
        for m in members {
            self.op(m, Op::Collective(group));
            *self.entered.entry((group, m)).or_default() += 1;
        }
    }

    /// One member goes ahead with a non-blocking collective; or one that is behind follows.
    fn initiate(&mut self) {
        let Some((group, members)) = self.members() else {
            return;
        };
        let rank = members[self.rng.usize(..members.len())];
        let newest = self.newest.entry(group).or_default();
        if self.entered.get(&(group, rank)).copied().unwrap_or(0) == *newest {
            *newest += 1;
        }
        self.initiate_at(group, rank);
    }

    fn look(&mut self) {
        match self.rng.u32(0..4) {
            0 => {
                let r = self.any();
                self.op(r, Op::Chance);
            }
            2 => {
                let r = self.any();
                self.op(r, Op::ChanceOrProbe { tag: ANY });
            }
            1 => {
                let r = self.any();
                self.op(r, Op::Probe { tag: ANY });
            }
            _ => {
                if let Some(o) = self.rng.choice(&self.open) {
                    let (rank, slot) = (o.rank, o.slot);
                    self.op(rank, Op::Test(slot));
                }
            }
        }
    }

    fn farm(&mut self) {
        let master = self.any();
        for _ in 0..self.rng.u32(1..4) {
            let (request, answer) = (self.farms, self.farms + 1);
            self.farms += 2;
            let asking: Vec<Rank> = self
                .alive
                .iter()
                .copied()
                .filter(|r| *r != master)
                .collect();
            let asking: Vec<Rank> = asking.into_iter().filter(|_| self.rng.bool()).collect();
            for w in &asking {
                self.op(
                    *w,
                    Op::Send {
                        to: master,
                        tag: request,
                    },
                );
            }
            let located = self.rng.u32(0..3) == 0;
            for _ in &asking {
                self.op(master, Op::Serve { request, answer });
                if located {
                    self.op(master, Op::Location);
                }
            }
            for w in asking {
                if self.rng.u32(0..3) == 0 {
                    self.op(w, Op::Location);
                }
                self.op(
                    w,
                    Op::Receive {
                        from: Some(master),
                        tag: answer,
                    },
                );
            }
        }
    }

    fn spawn(&mut self) {
        if self.program.scripts.len() > 24 {
            return;
        }
        let Some((group, members)) = self.members() else {
            return;
        };
        for m in &members {
            self.catch_up(group, *m);
        }
        *self.newest.entry(group).or_default() += 1;
        let root = members[self.rng.usize(..members.len())];
        let first = self.program.scripts.len() as Rank;
        let children: Vec<Rank> = (first..first + self.rng.u32(1..3)).collect();
        for m in members {
            let children = children.clone();
            self.op(
                m,
                Op::Spawn {
                    group,
                    root,
                    children,
                },
            );
            *self.entered.entry((group, m)).or_default() += 1;
        }
        for c in children {
            self.program.scripts.push(Vec::new());
            let node = self.program.nodes[root as usize];
            self.program.nodes.push(node);
            self.alive.push(c);
        }
    }

    /// What a rank still owes, or waits for.
    fn clear(&mut self, rank: Rank) {
        let groups: Vec<Group> = self.program.groups.keys().copied().collect();
        for g in groups {
            let members = self.program.groups[&g].clone();
            if members.contains(&rank) {
                for m in members {
                    self.catch_up(g, m);
                }
            }
        }
        loop {
            let unsent = |o: &OpenRequest| match &o.what {
                Pending::Receive { key, .. } => {
                    (key.0 == rank || key.1 == Some(rank)).then_some(*key)
                }
                Pending::Collective { .. } => None,
            };
            let wanting = |o: &&OpenRequest| !self.is_sure(o);
            let key = self.open.iter().filter(wanting).find_map(unsent);
            let Some((to, from, tag)) = key else { break };
            let from = from.unwrap_or_else(|| self.any());
            self.send(from, to, tag);
        }
        while let Some(i) = self.open.iter().position(|o| o.rank == rank) {
            let done = self.open.swap_remove(i);
            self.op(rank, Op::Wait(done.slot));
        }
    }

    fn exit(&mut self) {
        if self.alive.len() < 3 {
            return;
        }
        let i = self.rng.usize(..self.alive.len());
        let rank = self.alive[i];
        self.clear(rank);
        self.alive.swap_remove(i);
    }

    /// Ranks of some programs print now and then.
    fn prints(&mut self) {
        let rarity = self.rng.u32(0..12);
        if rarity < 3 {
            return;
        }
        for script in &mut self.program.scripts {
            let all = std::mem::take(script);
            for op in all {
                if self.rng.u32(0..rarity) == 0 {
                    script.push(Op::Print);
                }
                script.push(op);
            }
        }
    }

    fn finish(&mut self) {
        for rank in self.alive.clone() {
            self.clear(rank);
        }
    }
}
