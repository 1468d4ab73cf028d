//! See `pc3_tools::launch`.

fn main() -> std::process::ExitCode {
    pc3_tools::launch::main(std::env::args_os())
}
