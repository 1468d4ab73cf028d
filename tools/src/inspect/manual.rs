//! Manual pages and completions, made of what `--help` says.

use std::io;
use std::path::Path;

use clap::{CommandFactory, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;

use super::Cli;
use crate::launch;

/// What a shell can complete.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Program {
    Pc3,
    Pc3run,
}

impl Program {
    fn command(self) -> clap::Command {
        match self {
            Program::Pc3 => Cli::command(),
            Program::Pc3run => launch::command(),
        }
    }
}

/// The script with which the shell completes the program's options.
pub(super) fn completions(shell: Shell, program: Program) -> String {
    let mut script = Vec::new();
    let mut command = program.command();
    let name = command.get_name().to_string();
    clap_complete::generate(shell, &mut command, name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Writes a page for each program and for each command of `pc3`.
pub(super) fn pages(folder: &Path) -> io::Result<()> {
    clap_mangen::generate_to(Program::Pc3.command(), folder)?;
    Man::new(Program::Pc3run.command()).generate_to(folder)?;
    Ok(())
}
