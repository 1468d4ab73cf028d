//! Iterators that take from borrowed ones, and closures that change something, in loops that would make them again.
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
//= 46:25 `&`: a loop with locations goes over `&mut impl FnMut(u64) -> u64` by an `IntoIterator` that is not the standard library's
//= 46:25 `&mut next`: expected a `Fn(u64)` closure, found `&mut impl FnMut(u64) -> u64`
//= 46:30 `next`: a closure of a loop's iterator reads a value of type `impl FnMut(u64) -> u64`, of which the loop may change a part in the meantime (`Cell`, `RefCell`, `Mutex` …; a type that is not known might hold one)
//= 25:33 `self`: cannot borrow `*self` as mutable, as it is a captured variable in a `Fn` closure
//= 36:36 `list`: cannot borrow `*list` as mutable, as it is a captured variable in a `Fn` closure
