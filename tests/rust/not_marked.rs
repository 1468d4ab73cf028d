//! Calls of checkpointable functions that are not marked.
use pc3::prelude::*;

#[checkpointable]
fn step(n: u64) -> u64 {
    checkpoint!();
    n + 1
}

mod inner {
    use pc3::prelude::*;

    #[checkpointable]
    pub fn step(n: u64) -> u64 {
        checkpoint!();
        n + 2
    }

    /// Of the same name as a module is one that is not.
    pub mod plain {
        pub fn plain(n: u64) -> u64 {
            n
        }
    }
}

use inner::plain::plain;

fn other(n: u64) -> u64 {
    // From here it is meant.
    step(n)
}

#[checkpointable]
fn calls(n: u64) -> u64 {
    let mut sum = step(n) + plain(other(n));
    for i in 0..n {
        if i > 1 {
            sum += self::inner::step(i);
        }
        checkpoint!();
    }
    // What a closure calls cannot be marked.
    let later = (0..n).map(|n| step(n)).sum::<u64>();
    sum + later + ck!(step(step(1)))
}

#[checkpointable]
#[allow(deprecated)]
fn meant(n: u64) -> u64 {
    checkpoint!();
    step(n)
}

/// A local may have the name.
#[checkpointable]
fn shadowed(step: impl Fn(u64) -> u64, n: u64) -> u64 {
    checkpoint!();
    step(n)
}

#[pc3::main]
fn main() {
    println!("{}", ck!(calls(3)));
    println!("{} {}", ck!(meant(2)), ck!(shadowed(|n| n, 3)));
}

//= 36:19 `step`: use of deprecated constant `pc3_unmarked_step`: `step` is checkpointable, but called without `ck!` in a checkpointable function: no checkpoint is taken before it returns; write `ck!(step(…))`
//= 45:28 `step`: use of deprecated constant `pc3_unmarked_step`: `step` is checkpointable, but called without `ck!` in a checkpointable function: no checkpoint is taken before it returns; write `ck!(step(…))`
//= 39:33 `step`: use of deprecated constant `inner::pc3_unmarked_step`: `step` is checkpointable, but called without `ck!` in a checkpointable function: no checkpoint is taken before it returns; write `ck!(step(…))`
