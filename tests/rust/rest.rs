//! What is left of values of which a part is moved away, or copied.
use pc3::prelude::*;
use std::rc::Rc;

#[derive(Checkpointable)]
struct Loud(u64);

impl Drop for Loud {
    fn drop(&mut self) {
        println!("end {}", self.0);
    }
}

#[derive(Checkpointable)]
struct Both {
    pair: (Loud, Loud),
    number: u64,
}

#[checkpointable]
fn both(n: u64) -> Both {
    checkpoint!();
    let pair = (Loud(n), Loud(n + 1));
    Both { pair, number: n }
}

#[checkpointable]
fn field_of_a_call(n: u64) -> u64 {
    match ck!(both(n)).pair {
        (left, _) => {
            checkpoint!();
            left.0
        }
    }
}

#[checkpointable]
fn condition(n: u64) -> u64 {
    if let (left, 3) = (ck!(both(n)).pair.0, n) {
        checkpoint!();
        left.0
    } else {
        0
    }
}

#[checkpointable]
fn copied(n: u64) -> u64 {
    let all = ck!(both(n));
    let number = all.number;
    checkpoint!();
    number
}

#[checkpointable]
fn counted() -> usize {
    let one = Rc::new(3usize);
    let other = one.clone();
    let three = *one;
    checkpoint!();
    three + Rc::strong_count(&other)
}

#[checkpointable]
fn other_variant(found: Result<Loud, Loud>) -> u64 {
    if let Ok(found) = found {
        return found.0;
    }
    checkpoint!();
    0
}

#[checkpointable]
fn items(list: Vec<(Loud, u64)>) -> u64 {
    let mut sum = 0;
    for (_, n) in list {
        checkpoint!();
        sum += n;
    }
    sum
}

#[pc3::main]
fn main() {
    println!("{}", ck!(field_of_a_call(1)) + ck!(condition(2)));
    println!("{} {}", ck!(copied(3)), ck!(counted()));
    println!("{}", ck!(other_variant(Err(Loud(5)))));
    println!("{}", ck!(items(vec![(Loud(6), 7)])));
}

//= 29:11 `ck`: what is left of this value lives until the end of the statement or of the branch that it is the head of, and a checkpoint within would end it: bind the call's value by `let` in front, and take all of it apart (`let Type { a, b: _b } = …;`); the location or call is in line 31
//= 29:11 `ck`: note
//= 27:1 `#[checkpointable]`: note
//= 39:25 `ck`: what is left of this value lives until the end of the statement or of the branch that it is the head of, and a checkpoint within would end it: bind the call's value by `let` in front, and take all of it apart (`let Type { a, b: _b } = …;`); the location or call is in line 40
//= 39:25 `ck`: note
//= 37:1 `#[checkpointable]`: note
//= 49:9 `all`: `all` has a `Drop`, or holds a value that has one, and what is left of it may still exist at the location or marked call in line 51, behind which it is not mentioned; a checkpoint there would end it: take it apart with a pattern that binds all of it (`_` and `..` do not), or, if it is whole, write `drop(all)` where it is to end
//= 49:9 `all`: note
//= 47:1 `#[checkpointable]`: note
//= 65:18 `found`: `found` has a `Drop`, or holds a value that has one, and may still exist at the location or marked call in line 69, behind which it is not mentioned; a checkpoint there would end it: write `drop(found)` where it is to end, in front or behind (if a method uses it up, call that as `Type::method(found)`)
//= 65:18 `found`: note
//= 64:1 `#[checkpointable]`: note
//= 76:9 `(_, n)`: what this pattern leaves of an item lives until the end of the loop's body, and a checkpoint within would end it: give all parts names
//= 76:9 `(_, n)`: note
//= 73:1 `#[checkpointable]`: note
