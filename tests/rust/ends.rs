//! Values with a `Drop` that a checkpoint would end.
use pc3::prelude::*;

#[derive(Checkpointable)]
struct Loud(u64);

impl Drop for Loud {
    fn drop(&mut self) {
        println!("end {}", self.0);
    }
}

#[checkpointable]
fn forgotten(n: u64) {
    let loud = Loud(n);
    checkpoint!();
}

#[checkpointable]
fn shadowed(n: u64) {
    let loud = n + 1;
    let loud = Loud(loud);
    checkpoint!();
}

#[pc3::main]
fn main() {
    ck!(forgotten(3));
    ck!(shadowed(3));
}

//= 15:9 `loud`: unused variable: `loud`
//= 22:9 `loud`: unused variable: `loud`
//= 15:9 `loud`: `loud` has a `Drop`, or holds a value that has one, and may still exist at the location or marked call in line 16, behind which it is not mentioned; a checkpoint there would end it: write `drop(loud)` where it is to end, in front or behind (if a method uses it up, call that as `Type::method(loud)`)
//= 15:9 `loud`: note
//= 13:1 `#[checkpointable]`: note
//= 22:9 `loud`: `loud` has a `Drop`, or holds a value that has one, and may still exist at the location or marked call in line 23, behind which it is not mentioned; a checkpoint there would end it: write `drop(loud)` where it is to end, in front or behind (if a method uses it up, call that as `Type::method(loud)`)
//= 22:9 `loud`: note
//= 19:1 `#[checkpointable]`: note
