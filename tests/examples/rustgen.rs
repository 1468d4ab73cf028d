//! Prints a random checkpointable program: `rustgen SEED FUNCTIONS`.

fn main() {
    let number = |i: usize| std::env::args().nth(i).and_then(|s| s.parse::<u64>().ok());
    let (seed, n) = (number(1).unwrap_or(1), number(2).unwrap_or(20));
    print!("{}", pc3_tests::rustgen::program(seed, n as usize));
}
