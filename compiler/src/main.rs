//! The `pc3cc` command: see the `driver` module of the library.

fn main() {
    let status = pc3cc::driver::main(std::env::args().skip(1).collect());
    pc3cc::driver::end(status)
}
