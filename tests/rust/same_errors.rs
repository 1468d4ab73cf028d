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

#[checkpointable]
fn question(text: &str) -> Result<u32, String> {
    checkpoint!();
    let n = text.parse::<u32>()?;
    Ok(n)
}

#[checkpointable]
fn early(n: u64) -> Option<usize> {
    if n > 3 {
        return n;
    }
    checkpoint!();
    Some(n)
}

#[checkpointable]
fn loops(n: u64) -> u64 {
    for i in n {
        checkpoint!();
    }
    while n {
        checkpoint!();
    }
    match n {
        1 => {
            checkpoint!();
            n
        }
        _ => "none",
    }
}

#[checkpointable]
fn nothing(n: u64) -> u64 {
    checkpoint!();
    n + 1;
}

#[pc3::main]
fn main() {
    checkpoint!();
    println!("{}", types("a"));
}
