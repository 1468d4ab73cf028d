//! From `main` to exit.

use std::process::ExitCode;
use std::sync::OnceLock;

use pc3_runtime::start_guest;

use crate::frames::{Frames, Program};

static PROGRAM: OnceLock<Program> = OnceLock::new();

/// Runs the program; what `#[pc3::main]` makes of `main`.
pub fn start(program: Program) -> ExitCode {
    let _ = PROGRAM.set(program);
    let path = std::env::args_os().next().unwrap_or_default();
    let code = start_guest(&path.to_string_lossy(), false, || {
        let program = PROGRAM.get().copied();
        // Set above.
        Box::new(Frames::new(program.unwrap_or(Program {
            enter: || Ok(0),
            resume: || Ok(0),
        })))
    });
    ExitCode::from(u8::try_from(code & 0xff).unwrap_or(1))
}
