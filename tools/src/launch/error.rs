//! Why a program was not started.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use pc3_runtime::report::EXIT_NO_CHECKPOINT;

use super::elf::{self, Executable};
use super::locate::locate;

#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    #[error("{0}: no such program")]
    Missing(String),
    #[error("{0}: no such program, and --restart takes latest, auto or a checkpoint's id (pc3 ls DIR lists them)")]
    MissingOrId(String),
    #[error("{0}: no such program in PATH; ./{0} exists: say pc3run ./{0}")]
    NeedsDot(String),
    #[error(
        "{program} is a program for {arch}; this machine ({host}) cannot execute it. \
         With qemu-user installed: pc3run [OPTIONS] qemu-{arch} {program}"
    )]
    OtherMachine {
        program: String,
        arch: &'static str,
        host: &'static str,
    },
    #[error("{program} is a program for a machine unknown here (ELF machine {machine})")]
    UnknownMachine { program: String, machine: u16 },
    #[error("{program} needs the dynamic loader {loader}, which is not on this machine; link it with -static, or install its C library")]
    NoLoader { program: String, loader: String },
    #[error("{program} cannot be executed: {error}")]
    Other { program: String, error: io::Error },
    #[error("waiting for the program: {0}")]
    Wait(io::Error),
    #[error("connecting the processes: {0}")]
    Net(io::Error),
    #[error("{0}")]
    Native(String),
    #[error("{0}: pc3cc did not build it or found no checkpoint location in it, so that it cannot be restarted")]
    NoRestart(String),
}

impl StartError {
    /// As shells have it.
    pub fn status(&self) -> u8 {
        match self {
            StartError::Missing(_) | StartError::MissingOrId(_) | StartError::NeedsDot(_) => 127,
            StartError::Native(_) => super::EXIT_OPTIONS,
            StartError::NoRestart(_) => EXIT_NO_CHECKPOINT as u8,
            _ => 126,
        }
    }
}

/// What the system means that says this of the program.
pub(super) fn explain(program: &OsString, error: io::Error) -> StartError {
    let name = program.to_string_lossy().into_owned();
    let host = std::env::consts::ARCH;
    let Some(path) = locate(program) else {
        let here = !name.contains('/') && Path::new(".").join(program).is_file();
        return if here {
            StartError::NeedsDot(name)
        } else {
            StartError::Missing(name)
        };
    };
    match (error.raw_os_error(), elf::read(&path)) {
        (Some(libc::ENOEXEC), Some(exe)) => match exe.arch() {
            Some(arch) => StartError::OtherMachine {
                program: name,
                arch,
                host,
            },
            None => StartError::UnknownMachine {
                program: name,
                machine: exe.machine,
            },
        },
        (
            Some(libc::ENOENT),
            Some(Executable {
                loader: Some(loader),
                ..
            }),
        ) => StartError::NoLoader {
            program: name,
            loader,
        },
        _ => StartError::Other {
            program: name,
            error,
        },
    }
}
