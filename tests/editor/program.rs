//! What editors tell of checkpointable functions is what they tell of the functions as they are.  At `/*^*/` code is
//! completed; below `// unfinished` it is as people leave it while they write.
use std::collections::HashMap;
use std::rc::Rc;

use pc3::prelude::*;

#[derive(Checkpointable, Clone, Debug, Default)]
struct World {
    cells: Vec<f64>,
    names: HashMap<String, usize>,
    steps: u64,
}

#[checkpointable]
fn total(world: &World, scale: f64) -> Result<f64, String> {
    let mut sum = 0.0;
    let names = &world.names;
    for (i, cell) in world.cells.iter().enumerate() {
        let weight = names.len() + i;
        sum += cell * scale * weight as f64;
        checkpoint!();
    }
    let text = format!("{sum} of {}", world.cells.len());
    let parsed = text.split(' ').next().map(|first| first.parse::<f64>());
    match parsed {
        Some(Ok(number)) if number >= 0.0 => {
            checkpoint!();
            Ok(number)
        }
        Some(Ok(_)) => Err("it is negative".to_owned()),
        Some(Err(e)) => Err(e.to_string()),
        None => Err(String::new()),
    }
}

impl World {
    #[checkpointable]
    fn step(&mut self, by: f64) -> Result<u64, String> {
        let sum = ck!(total(self, by))?;
        let Some(last) = self.cells.last().copied() else {
            return Ok(0);
        };
        let shared = Rc::new(last + sum);
        let found = if self.steps > 3 {
            checkpoint!();
            self.names.get("a").copied()
        } else {
            None
        };
        while let Some(cell) = self.cells.pop() {
            let shadowed = cell;
            let shadowed = shadowed as u32;
            self.steps += u64::from(shadowed);
            checkpoint!();
            if *shared > sum {
                break;
            }
        }
        let found = found.unwrap_or_default();
        let label = 'outer: loop {
            for i in 0..found {
                checkpoint!();
                if i > 3 {
                    break 'outer i;
                }
            }
            break 0;
        };
        self.cells./*^*/len();
        Ok(self.steps + label as u64)
    }
}

#[checkpointable]
fn generic<T: Clone + Into<f64> + pc3::Checkpointable + pc3::Loud>(values: &[T]) -> f64 {
    let mut out = 0.0;
    for value in values {
        let value = value.clone();
        checkpoint!();
        out += value./*^*/into();
    }
    out
}

#[pc3::main]
fn main() -> Result<(), String> {
    let mut world = World::default();
    let steps = ck!(world.step(0.5))?;
    let mean = ck!(generic(&[1.0_f32, 2.0]));
    checkpoint!();
    println!("{steps} {mean}");
    Ok(())
}

// unfinished
#[checkpointable]
fn unfinished(world: &mut World) -> u64 {
    let names = world.names.clone();
    checkpoint!();
    names./*^*/
}
