//! A long pipeline of iterators: sums of primes below powers of ten.

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
    for k in 1..=4u32 {
        let limit = 10u64.pow(k);
        let sum = ck!(sum(limit));
        println!("primes below {limit:6} add up to {sum}");
    }
}
