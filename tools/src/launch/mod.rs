//! `pc3run`: translates options to the environment of a pc3 program, runs it, and returns its exit status.
//!
//! * `options`: the command line; `locate`, `elf`: which of its files is what, and why one cannot be executed; `error`.
//! * `start`: one run from beginning to end; `crew`: its processes, one or several over sockets; `native`: over a native MPI.
//! * `respawn`: going on by itself when a process or a machine is lost.
//! * `signals`, `outputs`, `pty`, `progress`: what goes between the program and the person.

mod crew;
mod elf;
mod error;
mod locate;
mod native;
mod options;
mod outputs;
mod progress;
mod pty;
mod respawn;
mod signals;
mod start;

use std::ffi::OsString;
use std::process::ExitCode;

pub(crate) use options::command;

/// Of options that cannot work: the same as the runtime's for its variables.
const EXIT_OPTIONS: u8 = 86;

pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let run = match options::parse(args.iter().cloned()) {
        Ok(run) => run,
        Err(options::Stop::Clap(error)) => {
            let _ = error.print();
            // Help and versions are what was asked for.
            return match error.use_stderr() {
                true => ExitCode::from(EXIT_OPTIONS),
                false => ExitCode::SUCCESS,
            };
        }
        Err(options::Stop::Bad(mistakes)) => {
            for mistake in mistakes {
                eprintln!("pc3run: {mistake}");
            }
            eprintln!("pc3run: nothing was run");
            return ExitCode::from(EXIT_OPTIONS);
        }
    };
    respawn::prepare(&run);
    match start::run(&run) {
        Ok(status) => {
            respawn::go_on(&run, status, args);
            ExitCode::from(status)
        }
        Err(error) => {
            eprintln!("pc3run: {error}");
            ExitCode::from(error.status())
        }
    }
}
