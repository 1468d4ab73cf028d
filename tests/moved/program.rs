//! Counts, a step at a time: `WIDE` is what it begins with, `STEPS` how far it goes, `PAUSE` how long each step takes.
use pc3::prelude::*;

fn given(name: &str) -> u64 {
    let value = std::env::var(name).ok();
    value.and_then(|v| v.parse().ok()).unwrap_or(0)
}

#[checkpointable]
fn count(steps: u64) -> usize {
    let mut furlongs = given("WIDE") as usize;
    for _ in 0..steps {
        std::thread::sleep(std::time::Duration::from_millis(given("PAUSE")));
        checkpoint!();
        furlongs += 1;
    }
    furlongs
}

#[pc3::main]
fn main() {
    println!("begins");
    println!("{}", ck!(count(given("STEPS"))));
}
