//! Starts the program, stays with it, and returns its exit status.

use std::collections::BTreeMap;
use std::ffi::{c_char, CString, OsString};
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::ptr::null;

use crate::program::is_ours;

use super::elf::{self, Executable};
use super::options::Run;
use super::progress::Progress;
use super::pty::{readable, Pty, Size};
use super::signals;

#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    #[error("{0}: no such program")]
    Missing(String),
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
}

impl StartError {
    /// As shells have it.
    pub fn status(&self) -> u8 {
        match self {
            StartError::Missing(_) | StartError::NeedsDot(_) => 127,
            _ => 126,
        }
    }
}

pub(super) fn run(run: &Run) -> Result<u8, StartError> {
    signals::catch();
    let status = if io::stderr().is_terminal() {
        attended(run)?
    } else {
        plain(run)?
    };
    signals::done();
    let code = status.code().or_else(|| status.signal().map(|s| 128 + s));
    Ok(code.and_then(|c| u8::try_from(c).ok()).unwrap_or(u8::MAX))
}

/// Words about a program given by its path that pc3cc has not built, nor any of its arguments: a launcher's.
fn foreign(run: &Run) -> Option<String> {
    let path = Path::new(&run.program);
    if !run.program.as_bytes().contains(&b'/') || elf::read(path).is_none() {
        return None;
    }
    let ours = [&run.program]
        .into_iter()
        .chain(&run.args)
        .any(|w| locate(w).is_some_and(|f| is_ours(&f)));
    (!ours).then(|| {
        format!(
            "{} is run as it is: it takes no checkpoints, since pc3cc did not build it or found no checkpoint location in it",
            path.display()
        )
    })
}

fn plain(run: &Run) -> Result<ExitStatus, StartError> {
    let mut child = spawn(run, &mut command(run))?;
    child.wait().map_err(StartError::Wait)
}

/// With a progress line.
fn attended(run: &Run) -> Result<ExitStatus, StartError> {
    let Ok(pty) = Pty::new() else {
        return plain(run);
    };
    let mut size = Size::of(&pty);
    let mut command = command(run);
    let both = io::stdout().is_terminal();
    let (Ok(out), Ok(err)) = (pty.program.try_clone(), pty.program.try_clone()) else {
        return plain(run);
    };
    if both {
        command.stdout(out);
    }
    command.stderr(err);
    let mut child = spawn(run, &mut command)?;
    // The end of the output shows only when nobody else holds the program's side.
    drop((command, pty.program));
    let mut terminal: Box<dyn Write> = if both {
        Box::new(io::stdout())
    } else {
        Box::new(io::stderr())
    };
    let mut progress = Progress::new(&run.settings);
    let mut ours = pty.ours;
    let mut buffer = [0; 16 << 10];
    let mut ended = None;
    loop {
        // Output of descendants that outlive the program is not waited for.
        let patience = if ended.is_some() { 0 } else { 200 };
        if readable(ours.as_fd(), patience) {
            match ours.read(&mut buffer) {
                Ok(n) if n > 0 => progress.output(&buffer[..n], &mut terminal),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                _ => break,
            }
        } else if ended.is_some() {
            break;
        }
        size.follow(&ours);
        progress.tick();
        ended = child.try_wait().map_err(StartError::Wait)?;
    }
    progress.clear();
    match ended {
        Some(status) => Ok(status),
        None => child.wait().map_err(StartError::Wait),
    }
}

fn command(run: &Run) -> Command {
    let mut command = Command::new(&run.program);
    command.args(&run.args).envs(run.variables.iter().cloned());
    let parent = std::process::id();
    let image = Image::of(run);
    // SAFETY: only system calls between fork and exec.
    unsafe {
        command.pre_exec(move || {
            // A killed pc3run leaves no program behind that would go on unseen and hold its directory.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if libc::getppid() as u32 != parent {
                libc::raise(libc::SIGKILL);
            }
            image.as_ref().map_or(Ok(()), Image::execute)
        });
    }
    command
}

/// An executable with the arguments and variables it is to get. The library's way to execute it would hand one for
/// another machine to the shell.
struct Image {
    path: CString,
    // Keep alive what the tables point to.
    _strings: Vec<CString>,
    args: Vec<*const c_char>,
    variables: Vec<*const c_char>,
}

// SAFETY: never changed.
unsafe impl Send for Image {}
unsafe impl Sync for Image {}

impl Image {
    fn of(run: &Run) -> Option<Image> {
        let path = locate(&run.program)?;
        elf::read(&path)?;
        let mut environment: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        environment.extend(run.variables.iter().map(|(k, v)| (k.into(), v.clone())));
        let args = [&run.program].into_iter().chain(&run.args);
        let mut strings = args
            .map(|a| CString::new(a.as_bytes()))
            .collect::<Result<Vec<_>, _>>()
            .ok()?;
        let count = strings.len();
        for (name, value) in environment {
            let entry = [name.as_bytes(), b"=", value.as_bytes()].concat();
            strings.push(CString::new(entry).ok()?);
        }
        let table = |list: &[CString]| {
            list.iter()
                .map(|s| s.as_ptr())
                .chain([null()])
                .collect::<Vec<_>>()
        };
        let (args, variables) = (table(&strings[..count]), table(&strings[count..]));
        Some(Image {
            path: CString::new(path.into_os_string().into_vec()).ok()?,
            _strings: strings,
            args,
            variables,
        })
    }

    /// Returns only if that fails.
    fn execute(&self) -> io::Result<()> {
        // SAFETY: both tables end with a null.
        unsafe {
            libc::execve(
                self.path.as_ptr(),
                self.args.as_ptr(),
                self.variables.as_ptr(),
            )
        };
        Err(io::Error::last_os_error())
    }
}

fn spawn(run: &Run, command: &mut Command) -> Result<Child, StartError> {
    let child = command
        .spawn()
        .map_err(|error| explain(&run.program, error))?;
    signals::send_to(child.id() as i32, run.settings.signals.keys().copied());
    if let Some(remark) = foreign(run) {
        eprintln!("pc3run: {remark}");
    }
    Ok(child)
}

fn explain(program: &OsString, error: io::Error) -> StartError {
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

/// The file that would be executed.
fn locate(program: &OsString) -> Option<PathBuf> {
    let path = Path::new(program);
    if program.to_string_lossy().contains('/') {
        return path.exists().then(|| path.to_owned());
    }
    let search = std::env::var_os("PATH")?;
    std::env::split_paths(&search)
        .map(|d| d.join(path))
        .find(|p| p.is_file())
}
