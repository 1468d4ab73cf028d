//! A long pipeline of iterators: sums of primes below powers of ten, `sum-of-primes HIGHEST` (4).

#![forbid(unsafe_code)]

use pc3::prelude::*;

fn is_prime(n: u64) -> bool {
    n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| n % d != 0)
}

#[checkpointable]
fn sum(limit: u64) -> u64 {
    let mut sum = 0;
    for n in (0..limit)
        .filter(|n| n % 2 == 1 || *n == 2)
        .filter(|n| is_prime(*n))
    {
        sum += n;
        checkpoint!();
    }
    sum
}

#[pc3::main]
fn main() {
    let highest = std::env::args().nth(1);
    let highest: u32 = highest.map_or(4, |a| a.parse().expect("a number"));
    for k in 1..=highest {
        let limit = 10u64.pow(k);
        let sum = ck!(sum(limit));
        println!("primes below {limit:6} add up to {sum}");
    }
}
