//! Errors are those without the attribute.
use pc3::prelude::*;

#[checkpointable]
fn types(n: u64) -> usize {
    let k: u32 = "text";
    checkpoint!();
    let s = String::from("a") + 1;
    s.missing();
    undefined(n);
    for c in s.chars() {
        checkpoint!();
        let d: u8 = c;
    }
    n
}

#[derive(Checkpointable)]
struct World {
    cells: Vec<f64>,
}

impl World {
    #[checkpointable]
    fn step(&mut self) -> Result<f64, String> {
        self.cellls.push(1.0);
        checkpoint!();
        Err(3)
    }
}

#[pc3::main]
fn main() {
    checkpoint!();
    println!("{}", types("a"));
}
