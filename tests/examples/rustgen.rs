//! Prints a random program: `cargo run -p pc3-tests --example rustgen -- SEED FUNCTIONS STATEMENTS`.

fn main() {
    let mut args = std::env::args().skip(1).map(|a| a.parse().unwrap_or(1));
    let (seed, n) = (args.next().unwrap_or(1), args.next().unwrap_or(10));
    let statements = args.next().unwrap_or(40);
    let text = pc3_tests::rustgen::program(seed, n as usize, statements as usize);
    print!("{text}");
}
