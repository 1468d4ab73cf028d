//! One process's part of the non-blocking protocol: a place in the tree of processes.
//!
//! Going up, what the members and the nodes below say is merged, so that each node sends one message a stage; going
//! down, the root's decisions are passed on.  The root's decisions are in [`Node::decide`].

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

use crate::{Clocks, Down, Group, Least, Rank, Rules, Up};

/// Who says something to a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Source {
    Member(Rank),
    Node(u32),
}

/// What the driver of the root is to do, or to know.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    /// All is on disk: make it the newest checkpoint, then call [`Node::committed`].
    Commit,
    /// The epoch is over, with a checkpoint or without.
    Over { given_up: bool },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Out {
    /// To the node above.
    Up(Up),
    /// To all members here and all nodes below.
    Down(Down),
    /// At the root only.
    Event(Event),
}

/// What a node is gathering.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Stage {
    Idle,
    Replayed,
    Clocks,
    Taken,
    Closed,
    /// The root only: messages from before the line are still under way.
    Counting,
    Saved,
    /// The root only: the driver commits.
    Committing,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    rules: Rules,
    root: bool,
    members: BTreeSet<Rank>,
    below: Vec<u32>,
    stage: Stage,
    given_up: bool,
    /// Those that have not spoken in this stage.
    open: BTreeSet<Source>,
    clocks: Clocks,
    /// The targets as far as they are known here.
    targets: Clocks,
    least: BTreeMap<Group, Least>,
    sent: u64,
    arrived: u64,
    /// Root: messages sent before the line that are not known to have arrived.
    missing: i64,
    /// Root: an epoch is wanted behind this one.
    again: bool,
    /// Root: this one is to be given up as soon as all have heard of it.
    unwanted: bool,
}

/// The processes' tree: the node above another, if each has at most `fan` below it.
pub fn above(node: u32, fan: u32) -> Option<u32> {
    (node > 0).then(|| (node - 1) / fan.max(1))
}

/// The nodes below another, of `count`.
pub fn below(node: u32, fan: u32, count: u32) -> impl Iterator<Item = u32> {
    let first = node.saturating_mul(fan).saturating_add(1);
    first.min(count)..first.saturating_add(fan).min(count)
}

impl Node {
    /// `replaying`: the job goes on from a checkpoint.
    pub fn new(
        rules: Rules,
        root: bool,
        members: BTreeSet<Rank>,
        below: Vec<u32>,
        replaying: bool,
    ) -> Node {
        let mut node = Node {
            rules,
            root,
            members,
            below,
            stage: Stage::Idle,
            given_up: false,
            open: BTreeSet::new(),
            clocks: Clocks::new(),
            targets: Clocks::new(),
            least: BTreeMap::new(),
            sent: 0,
            arrived: 0,
            missing: 0,
            again: false,
            unwanted: false,
        };
        if replaying {
            node.gather(Stage::Replayed);
        }
        node
    }

    pub fn members(&self) -> impl Iterator<Item = Rank> + '_ {
        self.members.iter().copied()
    }

    pub fn below(&self) -> &[u32] {
        &self.below
    }

    pub fn is_idle(&self) -> bool {
        self.stage == Stage::Idle
    }

    /// Has it said, of an epoch that goes on, that all here and below is saved?
    pub fn has_saved(&self) -> bool {
        self.stage == Stage::Saved && self.open.is_empty()
    }

    /// `child` was spawned by `root`, a member here, and owes what that owes.
    pub fn adopt(&mut self, child: Rank, root: Rank) {
        self.members.insert(child);
        let owes = self.open.contains(&Source::Member(root));
        if owes && self.rules.spawned_are_waited_for() {
            self.open.insert(Source::Member(child));
        }
    }

    fn gather(&mut self, stage: Stage) {
        self.stage = stage;
        let members = self.members.iter().map(|m| Source::Member(*m));
        self.open = members
            .chain(self.below.iter().map(|n| Source::Node(*n)))
            .collect();
        (self.sent, self.arrived) = (0, 0);
        self.clocks.clear();
        self.least.clear();
    }

    /// Root: a checkpoint is wanted.  During an epoch it waits for the next.
    pub fn request(&mut self) -> Vec<Out> {
        let free = self.stage == Stage::Idle
            || (self.stage == Stage::Replayed && !self.rules.replay_ends_first());
        if !free {
            self.again = true;
            return Vec::new();
        }
        self.again = false;
        self.missing = 0;
        self.issue(Down::Start)
    }

    /// Root: this epoch is to have no checkpoint.  None if it is too late for that, or there is no epoch.
    pub fn give_up(&mut self) -> Option<Vec<Out>> {
        use Stage::*;
        let can = matches!(self.stage, Clocks | Taken | Closed | Counting | Saved);
        if !can || self.given_up || self.unwanted {
            return None;
        }
        if self.stage == Clocks && self.rules.all_are_there_first() {
            // Nobody passes a line before all have left the epoch before.
            self.unwanted = true;
            return Some(Vec::new());
        }
        self.missing = 0;
        Some(self.issue(Down::GiveUp))
    }

    /// Root: the checkpoint is the newest now.
    pub fn committed(&mut self) -> Vec<Out> {
        debug_assert_eq!(self.stage, Stage::Committing);
        self.finish()
    }

    /// Nobody need say that it has heard of the end: an epoch's first stage waits for all, and they hear of that behind this.
    fn finish(&mut self) -> Vec<Out> {
        let given_up = self.given_up;
        let mut outs = self.issue(Down::Finish);
        outs.push(Out::Event(Event::Over { given_up }));
        outs.extend(self.next());
        outs
    }

    fn issue(&mut self, down: Down) -> Vec<Out> {
        let mut outs = vec![Out::Down(down.clone())];
        outs.extend(self.hear(&down));
        outs
    }

    /// From the node above (or decided here): members and the nodes below are told the same.
    pub fn hear(&mut self, down: &Down) -> Vec<Out> {
        match down {
            Down::Start => {
                self.given_up = false;
                self.gather(Stage::Clocks);
            }
            Down::Aim(targets) => {
                self.gather(Stage::Taken);
                self.targets = targets.clone();
            }
            Down::Raise(targets) => self.targets.extend(targets),
            Down::Close => self.gather(Stage::Closed),
            Down::Settle(_) => self.gather(Stage::Saved),
            Down::GiveUp => {
                self.given_up = true;
                self.gather(Stage::Taken);
            }
            Down::Finish | Down::Replayed => self.stage = Stage::Idle,
        }
        Vec::new()
    }

    /// A member or a node below says something.
    pub fn say(&mut self, from: Source, up: Up) -> Vec<Out> {
        match (up, self.stage) {
            (Up::Arrived { count, given_up }, _) => {
                if !self.root {
                    return vec![Out::Up(Up::Arrived { count, given_up })];
                }
                if given_up == self.given_up {
                    self.missing -= count as i64;
                }
                return self.counted();
            }
            (Up::Raise(clocks), _) => return self.raise(clocks),
            (Up::Clocks(clocks), Stage::Clocks) => {
                for (g, n) in clocks {
                    let most = self.clocks.entry(g).or_default();
                    *most = n.max(*most);
                }
            }
            (
                Up::Taken {
                    sent,
                    arrived,
                    given_up,
                },
                Stage::Taken,
            ) if given_up == self.given_up => {
                self.sent += sent;
                self.arrived += arrived;
            }
            (Up::Closed(all), Stage::Closed) => {
                for (g, new) in all {
                    let least = self.least.entry(g).or_insert(Least { told: 0, ..new });
                    least.clock = least.clock.min(new.clock);
                    least.told += new.told;
                }
            }
            (Up::Saved, Stage::Saved) | (Up::Replayed, Stage::Replayed) => {}
            // Said before the news that the epoch is given up had come there.
            _ => return Vec::new(),
        }
        self.open.remove(&from);
        if self.open.is_empty() {
            self.complete()
        } else {
            Vec::new()
        }
    }

    fn raise(&mut self, clocks: Clocks) -> Vec<Out> {
        let news = |(g, n): &(Group, u64)| self.targets.get(g).is_none_or(|t| n > t);
        let news: Clocks = clocks.into_iter().filter(news).collect();
        if news.is_empty() || self.stage != Stage::Taken || self.given_up {
            return Vec::new();
        }
        if self.root {
            return self.issue(Down::Raise(news));
        }
        self.targets.extend(&news);
        vec![Out::Up(Up::Raise(news))]
    }

    /// All here and below have spoken.
    fn complete(&mut self) -> Vec<Out> {
        if self.root {
            return self.decide();
        }
        let up = match self.stage {
            Stage::Clocks => Up::Clocks(take(&mut self.clocks)),
            Stage::Taken => Up::Taken {
                sent: self.sent,
                arrived: self.arrived,
                given_up: self.given_up,
            },
            Stage::Closed => Up::Closed(take(&mut self.least)),
            Stage::Saved => Up::Saved,
            Stage::Replayed => Up::Replayed,
            Stage::Idle | Stage::Counting | Stage::Committing => return Vec::new(),
        };
        vec![Out::Up(up)]
    }

    /// The root knows that all have spoken in this stage.
    fn decide(&mut self) -> Vec<Out> {
        match self.stage {
            Stage::Replayed => {
                let mut outs = self.issue(Down::Replayed);
                outs.extend(self.next());
                outs
            }
            Stage::Clocks if take(&mut self.unwanted) => self.issue(Down::GiveUp),
            Stage::Clocks => {
                let targets = take(&mut self.clocks);
                self.issue(Down::Aim(targets))
            }
            Stage::Taken => {
                self.missing += self.sent as i64 - self.arrived as i64;
                if !self.given_up {
                    return self.issue(Down::Close);
                }
                self.stage = Stage::Counting;
                self.counted()
            }
            Stage::Closed => {
                self.stage = Stage::Counting;
                self.counted()
            }
            Stage::Saved => {
                self.stage = Stage::Committing;
                vec![Out::Event(Event::Commit)]
            }
            Stage::Idle | Stage::Counting | Stage::Committing => Vec::new(),
        }
    }

    /// Root: is everything from before the line there?
    fn counted(&mut self) -> Vec<Out> {
        let all = self.missing == 0 || !self.rules.messages_are_counted();
        if self.stage != Stage::Counting || !all {
            return Vec::new();
        }
        if self.given_up {
            return self.finish();
        }
        // A group of which some members have entered no collective has closed none.
        let all_told = |(g, l): (&Group, &Least)| (l.told == l.size).then_some((*g, l.clock));
        let settled = self.least.iter().filter_map(all_told).collect();
        self.issue(Down::Settle(settled))
    }

    fn next(&mut self) -> Vec<Out> {
        if take(&mut self.again) {
            self.request()
        } else {
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Several processes may ask for it at about the same time; one reason is enough.
    #[test]
    fn an_epoch_is_given_up_once() {
        let mut n = Node::new(Rules::default(), true, [0].into(), vec![1], false);
        assert!(n.give_up().is_none());
        assert!(!n.request().is_empty());
        assert!(n.give_up().is_some_and(|outs| outs.is_empty()));
        assert!(n.give_up().is_none());
    }
}
