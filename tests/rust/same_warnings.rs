//! What the compiler warns of is what it warns of without the attribute.
use pc3::prelude::*;

#[checkpointable]
fn work(list: &mut Vec<u64>, n: u64) -> Result<u64, String> {
    let unused = 3;
    let mut never = n;
    let mut sum = 0;
    for i in 0..n {
        list.push(i);
        checkpoint!();
        sum += i;
    }
    std::fs::remove_file("nothing");
    let lost = (sum + 1);
    sum = 5;
    if false {
        return Ok(never);
        sum += 1;
    }
    Err(String::new())
}

#[checkpointable]
fn nobody_calls(n: u64) {
    checkpoint!();
}

#[derive(Checkpointable)]
struct World(u64);

impl World {
    #[checkpointable]
    fn step(&mut self, by: u64) -> u64 {
        let Big = by;
        checkpoint!();
        match by {
            0 => self.0,
            _ => 2,
            1 => 3,
        }
    }
}

#[checkpointable]
fn conditions(n: u64) -> u64 {
    let mut fixed = n;
    #[cfg(any())]
    {
        fixed += 1;
    }
    checkpoint!();
    #[cfg(any())]
    return 1;
    #[cfg(not(any()))]
    {
        fixed
    }
}

/// A caller that is not checkpointable.
fn calls(world: &mut World) {
    println!("{:?} {}", work(&mut Vec::new(), 3), world.step(2) + conditions(2));
}

#[pc3::main]
fn main() {
    let useless = 3;
    let mut world = World(1);
    checkpoint!();
    calls(&mut world);
}
