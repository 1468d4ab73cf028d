//! See `pc3_tools::inspect`.

fn main() -> std::process::ExitCode {
    pc3_tools::inspect::main(std::env::args_os())
}
