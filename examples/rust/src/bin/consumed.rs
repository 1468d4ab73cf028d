//! Values that calls use up: methods that take `self` by value, builders, and states that go into a step and come out of it.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used)]

use std::rc::Rc;

use pc3::prelude::*;

#[derive(Checkpointable, Debug, Clone)]
struct Ledger {
    entries: Vec<i64>,
    owner: String,
}

impl Ledger {
    fn of(owner: &str, entries: i64) -> Ledger {
        Ledger {
            entries: (1..=entries).collect(),
            owner: owner.to_owned(),
        }
    }

    #[checkpointable]
    fn note(&mut self, entry: i64) -> usize {
        self.entries.push(entry);
        checkpoint!();
        self.entries.len()
    }

    /// Gives itself back.
    #[checkpointable]
    fn with(mut self, entry: i64) -> Self {
        self.entries.push(entry);
        checkpoint!();
        self.owner.push('+');
        self
    }

    #[checkpointable]
    fn counted(self) -> (Self, usize) {
        checkpoint!();
        let entries = self.entries.len();
        (self, entries)
    }

    /// Is taken apart.
    #[checkpointable]
    fn close(self, limit: i64) -> Result<String, String> {
        let Ledger { entries, owner } = self;
        let mut sum = 0;
        for entry in entries {
            checkpoint!();
            sum += entry;
        }
        if sum > limit {
            return Err(format!("{owner} has {sum}"));
        }
        Ok(owner + &sum.to_string())
    }

    /// Goes down with itself.
    #[checkpointable]
    fn down(self, depth: i64) -> i64 {
        checkpoint!();
        if depth == 0 {
            return self.entries.iter().sum();
        }
        let deeper = ck!(self.with(depth));
        1 + ck!(deeper.down(depth - 1))
    }

    /// With borrows and a closure of the caller's.
    #[checkpointable]
    fn each(self, out: &mut Vec<i64>, by: impl Fn(i64) -> i64) -> usize {
        for entry in &self.entries {
            out.push(by(*entry));
            checkpoint!();
        }
        out.len()
    }

    #[checkpointable]
    fn boxed(self: Box<Self>, more: usize) -> usize {
        checkpoint!();
        self.entries.len() + more
    }

    #[checkpointable]
    fn shared(self: Rc<Self>) -> usize {
        checkpoint!();
        self.entries.len() * Rc::strong_count(&self)
    }
}

#[derive(Checkpointable, Clone, Copy)]
struct Angle(f64);

impl Angle {
    /// What is copied into it is still there.
    #[checkpointable]
    fn turned(self, by: f64) -> Angle {
        checkpoint!();
        Angle(self.0 + by)
    }
}

#[derive(Checkpointable)]
struct Both<T> {
    one: T,
    many: Vec<T>,
}

impl<T: Checkpointable + Clone> Both<T> {
    #[checkpointable]
    fn first(self) -> T {
        checkpoint!();
        self.one
    }

    #[checkpointable]
    fn map<U: Checkpointable>(self, by: impl Fn(&T) -> U) -> Vec<U> {
        let mut all = vec![by(&self.one)];
        for item in &self.many {
            checkpoint!();
            all.push(by(item));
        }
        all
    }
}

trait Solid {
    #[checkpointable]
    fn volume(&self) -> f64;
    #[checkpointable]
    fn melt(self, share: f64) -> f64;
    #[checkpointable]
    fn melt_all(self) -> f64
    where
        Self: Sized + Checkpointable,
    {
        checkpoint!();
        ck!(self.melt(1.0))
    }
}

#[derive(Checkpointable)]
struct Cube(f64);

impl Solid for Cube {
    #[checkpointable]
    fn volume(&self) -> f64 {
        checkpoint!();
        self.0.powi(3)
    }
    #[checkpointable]
    fn melt(self, share: f64) -> f64 {
        let volume = ck!(self.volume());
        checkpoint!();
        volume * share
    }
}

#[checkpointable]
fn generic<S: Solid + Checkpointable>(solid: S) -> (f64, f64) {
    let volume = ck!(solid.volume());
    checkpoint!();
    (volume, ck!(solid.melt(0.5)))
}

/// Whose end can be seen.
#[derive(Checkpointable)]
struct Loud(Rc<u64>);

impl Drop for Loud {
    fn drop(&mut self) {
        println!("end of {}", self.0);
    }
}

impl Loud {
    #[checkpointable]
    fn end(self, more: u64) -> u64 {
        checkpoint!();
        more + *self.0
    }

    #[checkpointable]
    fn look(&self) -> u64 {
        checkpoint!();
        *self.0
    }
}

#[checkpointable]
fn ends() -> u64 {
    let (one, two) = (Loud(Rc::new(1)), Loud(Rc::new(2)));
    let first = ck!(one.end(10));
    checkpoint!();
    println!("{first}");
    let both = first + ck!(two.end(20)) + ck!(Loud(Rc::new(3)).end(30));
    checkpoint!();
    both + ck!(Loud(Rc::new(4)).look()) + ck!(Loud(Rc::new(5)).end(40))
}

#[checkpointable]
fn noted(mut ledger: Ledger, entry: i64) -> Ledger {
    checkpoint!();
    ledger.entries.push(entry);
    ledger
}

#[checkpointable]
fn tried(ledger: Ledger, entry: i64) -> Result<Ledger, String> {
    checkpoint!();
    match entry > 5 {
        true => Err(format!("{entry} is too much for {}", ledger.owner)),
        false => Ok(ledger),
    }
}

/// A state that goes around in a loop through what is called in it.
#[checkpointable]
fn rounds(until: i64) -> Result<Ledger, String> {
    let mut state = Ledger::of("rounds", 1);
    let mut round = 0;
    while round < until {
        state = ck!(noted(state, round));
        checkpoint!();
        state = ck!(tried(state, round))?;
        round += 1;
        if round % 2 == 0 {
            continue;
        }
        match ck!(tried(state, round)) {
            Ok(next) => state = next,
            Err(why) => return Err(why),
        }
        for more in 0..2 {
            state = ck!(noted(state, more));
        }
    }
    Ok(state)
}

/// Loops that a state is used up in, in the end.
#[checkpointable]
fn until_it_is_closed(limit: usize) -> String {
    let mut ledger = Ledger::of("closed", 1);
    let closed = 'all: loop {
        for entry in 0..3 {
            let noted = ck!(ledger.note(entry));
            if noted > limit {
                break 'all ck!(ledger.close(entry));
            }
        }
        ledger = ck!(ledger.with(7));
    };
    closed.unwrap_or_else(|why| why)
}

/// Rounds within rounds, of which some are cut short.
#[checkpointable]
fn rounds_in_rounds(n: i64) -> (Ledger, Ledger) {
    let (mut one, mut two) = (Ledger::of("one", 0), Ledger::of("two", 0));
    'rounds: for round in 0..n {
        for entry in 0..3 {
            if entry == 2 && round == 1 {
                continue 'rounds;
            }
            one = ck!(one.with(entry));
            let mut more = 0;
            while more < 2 {
                two = ck!(two.with(more));
                more += 1;
                if two.entries.len() > 5 {
                    two = Ledger::of("new", 1);
                    continue;
                }
                if one.entries.len() > 9 {
                    break 'rounds;
                }
            }
        }
        let other = ck!(noted(one, round));
        one = two;
        two = other;
    }
    (one, two)
}

/// What one call has used up another gives a value, or the loop ends.
#[checkpointable]
fn used_up(limit: usize) -> (usize, usize) {
    let mut ledger = Ledger::of("used", 1);
    let mut rounds = 0;
    loop {
        rounds += 1;
        ledger = match ck!(ledger.counted()) {
            (_, entries) if entries > limit => break (rounds, entries),
            (same, _) => ck!(same.with(3)),
        };
    }
}

/// Values of several kinds in one loop, one of which is numbers.
#[checkpointable]
fn pairs(n: u64) -> (Vec<u64>, u64, String) {
    let (mut list, mut sum, mut text) = (Vec::new(), 0, String::new());
    for i in 0..n {
        (list, sum) = ck!(pair(list, sum + i));
        if i == 1 {
            text = ck!(longer(text));
            continue;
        }
        checkpoint!();
        text.push('.');
    }
    (list, sum, text)
}

#[checkpointable]
fn pair(mut list: Vec<u64>, sum: u64) -> (Vec<u64>, u64) {
    list.push(sum);
    checkpoint!();
    (list, sum)
}

#[checkpointable]
fn longer(text: String) -> String {
    checkpoint!();
    text + "longer"
}

#[checkpointable]
fn in_a_branch(n: u64) -> usize {
    let mut list = vec![n];
    let mut all = 0;
    for i in 0..n {
        if i % 2 == 0 {
            all += eaten(list);
            list = Vec::new();
        } else {
            all += eaten(list);
            checkpoint!();
            list = vec![i];
        }
    }
    all + list.len()
}

fn eaten(list: Vec<u64>) -> usize {
    list.len()
}

#[pc3::main]
fn main() {
    let ledger = Ledger::of("a", 3);
    println!("{:?}", ck!(ledger.close(100)));
    println!("{:?}", ck!(Ledger::of("b", 4).close(3)));
    println!(
        "{}",
        ck!(ck!(ck!(Ledger::of("c", 1).with(3)).with(4)).down(3))
    );
    let mut out = vec![1];
    let by = 3;
    println!("{}", ck!(Ledger::of("d", 2).each(&mut out, |x| x * by)));
    println!("{out:?}");
    let (one, other) = (Box::new(Ledger::of("e", 2)), Box::new(Ledger::of("f", 2)));
    println!("{} {:?}", ck!(one.boxed(3)), ck!(other.close(3)));
    let shared = Rc::new(Ledger::of("g", 2));
    let again = shared.clone();
    println!("{}", ck!(shared.shared()));
    drop(again);
    let angle = Angle(0.25);
    let turned = ck!(ck!(angle.turned(1.0)).turned(2.0));
    println!("{} {}", angle.0, turned.0);
    let both = Both {
        one: "one".to_owned(),
        many: vec!["two".to_owned()],
    };
    println!("{}", ck!(both.first()));
    let (both, text) = (
        Both {
            one: 1u8,
            many: vec![2, 3],
        },
        String::from("t"),
    );
    println!("{:?}", ck!(both.map(|x| format!("{x}{text}"))));
    println!(
        "{:?} {}",
        ck!(generic(Cube(3.0))),
        ck!(Cube(2.0).melt_all())
    );
    println!("{}", ck!(ends()));
    println!("{:?} {:?}", ck!(rounds(4)), ck!(rounds(9)));
    println!("{} {:?}", ck!(until_it_is_closed(9)), ck!(pairs(4)));
    println!("{}", ck!(in_a_branch(5)));
    println!("{:?} {:?}", ck!(rounds_in_rounds(4)), ck!(used_up(4)));
}
