//! The `pc3cc` command: see the `driver` module of the library.

fn main() {
    let mut words = std::env::args_os();
    let name = words.next();
    let rest: Vec<_> = words.collect();
    if let Some(status) = pc3cc::driver::assemble(name.as_deref(), &rest) {
        std::process::exit(status);
    }
    let status = pc3cc::driver::main(std::env::args().skip(1).collect());
    pc3cc::driver::end(status)
}
