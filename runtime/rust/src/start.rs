//! From `main` to exit.

use std::cell::Cell;
use std::process::ExitCode;
use std::sync::{Once, OnceLock};

use pc3_runtime::start_guest;

use crate::buffered;
use crate::point::frames::{Frames, Program};
use crate::statics;

static PROGRAM: OnceLock<Program> = OnceLock::new();

/// Runs the program; what `#[pc3::main]` makes of `main`.
pub fn start(program: Program) -> ExitCode {
    run(program, false)
}

/// Runs it on each of several ranks; what `#[pc3::main(mpi)]` makes of `main`.
#[cfg(feature = "mpi")]
pub fn start_mpi(program: Program) -> ExitCode {
    pc3_vmpi::engine::register();
    run(program, true)
}

/// What `#[pc3::main(setup = f)]` calls: once in each process, whether the program starts in it or goes on.
pub fn set_up(f: fn()) {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        SETTING_UP.set(true);
        f();
        SETTING_UP.set(false);
    });
}

thread_local! {
    static SETTING_UP: Cell<bool> = const { Cell::new(false) };
}

/// Is that function running?  What it does is done again behind a restart.
pub(crate) fn is_setting_up() -> bool {
    SETTING_UP.get()
}

/// Does what runs belong to a program with ranks?
pub(crate) fn is_started() -> bool {
    PROGRAM.get().is_some()
}

fn run(program: Program, calls_mpi: bool) -> ExitCode {
    statics::check_names();
    let _ = PROGRAM.set(program);
    buffered::note_input();
    let path = std::env::args_os().next().unwrap_or_default();
    let code = start_guest(&path.to_string_lossy(), calls_mpi, || {
        let program = PROGRAM.get().copied();
        // Set above.
        Box::new(Frames::new(program.unwrap_or(Program {
            enter: || Ok(0),
            resume: || Ok(0),
        })))
    });
    ExitCode::from(u8::try_from(code & 0xff).unwrap_or(1))
}
