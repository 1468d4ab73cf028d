//! Marked calls of functions that are not checkpointable.
use pc3::prelude::*;

struct Plain;

impl Plain {
    fn method(&self) -> u32 {
        1
    }
    fn associated() -> u32 {
        2
    }
}

fn function() -> u32 {
    3
}

#[checkpointable]
fn calls(plain: &Plain) -> u32 {
    let a = ck!(plain.method());
    let b = ck!(Plain::associated());
    let c = ck!(function());
    a + b + c
}

#[pc3::main]
fn main() {
    println!("{}", ck!(calls(&Plain)));
}

//= 21:23 `method`: E0599
//= 21:23 `method`: E0599
//= 22:24 `associated`: E0599
//= 22:24 `associated`: E0599
//= 23:17 `function`: E0433
