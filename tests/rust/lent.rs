//! Iterators that take from borrowed ones, which loops would make again; closures that change something become part of the loop.
use pc3::prelude::*;

#[checkpointable]
fn adapted(from: &mut impl Iterator<Item = u64>) -> u64 {
    let mut sum = 0;
    for (i, x) in from.enumerate() {
        checkpoint!();
        sum += x * i as u64;
    }
    sum
}

struct Clock(u64);

impl Clock {
    fn tick(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }

    #[checkpointable]
    fn ticks(&mut self) -> u64 {
        let mut sum = 0;
        for x in (0..3).map(|_| self.tick()) {
            checkpoint!();
            sum += x;
        }
        sum
    }
}

#[checkpointable]
fn emptied(list: &mut Vec<u64>) -> u64 {
    let mut sum = 0;
    for x in (0..3).filter_map(|_| list.pop()) {
        checkpoint!();
        sum += x;
    }
    sum
}

#[checkpointable]
fn called(mut next: impl FnMut(u64) -> u64) -> u64 {
    let mut sum = 0;
    for x in (0..3).map(&mut next) {
        checkpoint!();
        sum += x;
    }
    sum
}

fn main() {}

//= 7:24 `enumerate`: a loop with locations, or an iterator that is needed behind one, takes from a borrowed iterator, which goes on meanwhile
