//! The program that checkpoints are of; `rust_changed` makes others of it by replacing text.
#![forbid(unsafe_code)]

use pc3::prelude::*;
use std::cell::Cell;

pc3::saved! {
    static SHEARS: Cell<u32> = Cell::new(100);
}

#[derive(Checkpointable, Debug)]
enum Mood {
    Calm,
    Busy { since: u32, with: Option<String> },
}

#[derive(Checkpointable, Debug)]
struct Sheep {
    name: String,
    wool: Vec<f64>,
    mood: Mood,
}

#[checkpointable]
fn shear(flock: &mut Vec<Sheep>, days: u32) -> usize {
    let mut shorn = 0_usize;
    for day in 0..days {
        let sheep = &mut flock[day as usize % 2];
        sheep.wool.push(f64::from(day) + 0.5);
        sheep.mood = match day % 2 {
            0 => Mood::Calm,
            _ => Mood::Busy { since: day, with: Some(format!("grass {day}")) },
        };
        checkpoint!();
        shorn += sheep.wool.len();
        SHEARS.set(SHEARS.get() + 1);
    }
    shorn
}

#[pc3::main(setup = set_up)]
fn main() {
    let named = |name: &str| Sheep {
        name: name.to_owned(),
        wool: vec![1.0],
        mood: Mood::Calm,
    };
    let mut flock = vec![named("Dolly"), named("Shaun")];
    let shorn = ck!(shear(&mut flock, 6));
    println!("{shorn} {flock:?} {}", SHEARS.get());
}

/// At a start and at a restart.
fn set_up() {
    eprintln!("set up");
}
