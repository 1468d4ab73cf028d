//! What an epoch costs as jobs grow: control messages a process, and rounds, when every process has one rank that is
//! at a location when it is asked.

use std::collections::VecDeque;

use pc3_protocol::{above, below, Down, Event, Node, Out, Rules, Source, Up};

use crate::state::Member;

/// Of one epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cost {
    pub nodes: u32,
    /// Messages sent between processes.
    pub messages: u64,
    /// The most that one process sent and received.
    pub busiest: u64,
    /// Messages that had to come one after another.
    pub rounds: u64,
}

enum Control {
    Up(u32, Up),
    Down(Down),
}

struct Tree {
    nodes: Vec<Node>,
    members: Vec<Member>,
    fan: u32,
    /// To whom, and in which round.
    queue: VecDeque<(u32, u64, Control)>,
    handled: Vec<u64>,
    cost: Cost,
}

/// An epoch of `count` processes, in a tree with `fan` below each.
pub fn epoch(count: u32, fan: u32) -> Cost {
    let node = |i: u32| {
        let below = below(i, fan, count).collect();
        Node::new(Rules::default(), i == 0, [i].into(), below, false)
    };
    let mut t = Tree {
        nodes: (0..count).map(node).collect(),
        members: (0..count).map(|_| Member::default()).collect(),
        fan,
        queue: VecDeque::new(),
        handled: vec![0; count as usize],
        cost: Cost {
            nodes: count,
            messages: 0,
            busiest: 0,
            rounds: 0,
        },
    };
    for m in &mut t.members {
        // All have come through one collective.
        m.enter(0, count);
        m.formed(0, 1, 0, &Default::default(), 0);
    }
    let outs = t.nodes[0].request();
    t.carry(0, 0, outs);
    while let Some((to, round, control)) = t.queue.pop_front() {
        t.handled[to as usize] += 1;
        t.cost.rounds = t.cost.rounds.max(round);
        match control {
            Control::Up(from, up) => {
                let outs = t.nodes[to as usize].say(Source::Node(from), up);
                t.carry(to, round, outs);
            }
            Control::Down(down) => {
                let outs = t.nodes[to as usize].hear(&down);
                t.pass(to, round, &down);
                t.carry(to, round, outs);
            }
        }
    }
    t.cost.busiest = t.handled.iter().copied().max().unwrap_or(0);
    t.cost
}

impl Tree {
    fn send(&mut self, from: u32, to: u32, round: u64, control: Control) {
        self.cost.messages += 1;
        self.handled[from as usize] += 1;
        self.queue.push_back((to, round + 1, control));
    }

    fn pass(&mut self, node: u32, round: u64, down: &Down) {
        for b in self.nodes[node as usize].below().to_vec() {
            self.send(node, b, round, Control::Down(down.clone()));
        }
        let m = &mut self.members[node as usize];
        m.hear(down);
        if m.at_location() {
            m.take();
        }
        for up in m.said() {
            let outs = self.nodes[node as usize].say(Source::Member(node), up);
            self.carry(node, round, outs);
        }
    }

    fn carry(&mut self, node: u32, round: u64, outs: Vec<Out>) {
        for out in outs {
            match out {
                Out::Up(up) => {
                    if let Some(to) = above(node, self.fan) {
                        self.send(node, to, round, Control::Up(node, up));
                    }
                }
                Out::Down(down) => self.pass(node, round, &down),
                Out::Event(Event::Commit) => {
                    let outs = self.nodes[0].committed();
                    self.carry(0, round, outs);
                }
                Out::Event(Event::Over { .. }) => {}
            }
        }
    }
}
