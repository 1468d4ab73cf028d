//! The `pc3cc` command: see the `driver` module of the library.

fn main() {
    std::process::exit(pc3cc::driver::main(std::env::args().skip(1).collect()));
}
