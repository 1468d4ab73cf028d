//! Every schedule of a small job: three ranks, four messages (two to a wildcard at a time), two collectives on
//! overlapping groups, a checkpoint asked for and a loss of everything, each at any moment.  Or two ranks, one of which spawns
//! a third, that hears from both and twice tells one of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use pc3_protocol::Rules;
use stateright::{Checker, Model, Property};

use crate::check;
use crate::program::{Op, Program};
use crate::state::{Action, Budget, World};

struct Small {
    start: World,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    world: World,
    broken: Option<String>,
}

impl Model for Small {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            world: self.start.clone(),
            broken: None,
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.broken.is_some() {
            return;
        }
        state.world.actions(actions);
        if !actions.is_empty() {
            state.world.interference(actions);
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut world = last.world.clone();
        let mut broken = world.apply(action).err();
        // What was counted does not make a state another.
        world.counts = Default::default();
        let mut actions = Vec::new();
        world.actions(&mut actions);
        if broken.is_none() && actions.is_empty() {
            broken = check::end(&world).err();
        }
        let broken = broken.map(|v| v.to_string());
        Some(State { world, broken })
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let fine = |_: &Small, s: &State| s.broken.is_none();
        vec![Property::always("nothing is broken", fine)]
    }
}

/// How many messages and collectives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Size {
    /// Three messages: seconds.
    Brief,
    /// Four messages: a minute or more.
    Full,
    /// A rank is spawned.
    Spawning,
}

/// Both ranks have locations in front of the spawn and behind it, so that its line is anywhere.
fn spawning() -> Program {
    let send = |to| Op::Send { to, tag: 10 };
    let any = || Op::Receive {
        from: None,
        tag: 10,
    };
    let spawn = || Op::Spawn {
        group: 0,
        root: 0,
        children: vec![2],
    };
    let first = vec![Op::Location, spawn(), send(2), Op::Location];
    let second = vec![Op::Location, spawn(), any(), Op::Location, send(2), any()];
    let third = vec![send(1), any(), Op::Location, any(), send(1)];
    Program {
        ranks: 2,
        scripts: vec![first, second, third],
        groups: BTreeMap::from([(0, vec![0, 1])]),
        nodes: vec![0, 1, 0],
        usual: false,
    }
}

fn program(size: Size) -> Program {
    if size == Size::Spawning {
        return spawning();
    }
    let send = |to| Op::Send { to, tag: 10 };
    let any = || Op::Receive {
        from: None,
        tag: 10,
    };
    let first = vec![send(1), Op::Location, Op::Collective(0), any()];
    let mut second = vec![
        any(),
        Op::Collective(1),
        Op::Location,
        send(0),
        Op::Collective(0),
        any(),
    ];
    let mut third = vec![send(1), Op::Collective(1), Op::Location, Op::Collective(0)];
    if size == Size::Full {
        third.push(send(1));
        second.push(any());
    }
    Program {
        ranks: 3,
        scripts: vec![first, second, third],
        groups: BTreeMap::from([(0, vec![0, 1, 2]), (1, vec![1, 2])]),
        nodes: vec![0, 0, 1],
        usual: false,
    }
}

/// How many different states there are, or how one is broken and how to get there.
pub fn search(size: Size, rules: Rules, threads: usize) -> Result<usize, String> {
    let budget = Budget {
        requests: 1,
        give_ups: 0,
        crashes: 1,
    };
    let start = World::new(Arc::new(program(size)), rules, budget, 1);
    let checker = Small { start }
        .checker()
        .threads(threads)
        .spawn_bfs()
        .join();
    let Some(path) = checker.discovery("nothing is broken") else {
        return Ok(checker.unique_state_count());
    };
    let what = path.last_state().broken.clone().unwrap_or_default();
    Err(format!("{what}, after {:?}", path.into_actions()))
}
