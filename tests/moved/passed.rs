//! Passes locations in a function that one calls which is not checkpointable; `MARKED` is set: as it should be.
use pc3::prelude::*;

#[checkpointable]
fn step(n: u64) -> u64 {
    std::thread::sleep(std::time::Duration::from_millis(400));
    checkpoint!();
    n + 1
}

fn through(n: u64) -> u64 {
    step(n)
}

#[pc3::main]
fn main() {
    let marked = std::env::var_os("MARKED").is_some();
    let mut n = 0;
    while n < 5 {
        if marked {
            n = ck!(step(n));
        } else {
            n = through(n);
        }
    }
    println!("{n}");
}
