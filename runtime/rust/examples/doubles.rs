//! A gibibyte of numbers: how long a checkpoint stalls the program, seen by the program.

use std::time::{SystemTime, UNIX_EPOCH};

use pc3::checkpoint;

#[pc3::main]
fn main() {
    let list: Vec<f64> = (0..1u32 << 27).map(|i| 1.0 / f64::from(i + 1)).collect();
    let begun = SystemTime::now();
    let begun = begun.duration_since(UNIX_EPOCH).unwrap_or_default();
    checkpoint!();
    let at = SystemTime::now();
    let at = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    println!("stall {:.4}", (at - begun).as_secs_f64());
    println!("at {:.6}", at.as_secs_f64());
    let sum: f64 = list.iter().step_by(4096).sum();
    println!("sum {sum:.17e}");
}
