//! Runs through the launcher of a native MPI: finds it and pc3's transport for it, and says what was looked for.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use pc3_runtime::report::{EXIT_LOST, EXIT_STOPPED};
use pc3_runtime::to_continue_from;

use super::elf;
use super::error::StartError;
use super::locate::ours;
use super::options::{Hosts, Mpi, Run};
use super::outputs;
use super::signals;
use crate::program::is_ours;

fn in_path(name: &str) -> Option<PathBuf> {
    let search = std::env::var_os("PATH")?;
    std::env::split_paths(&search)
        .map(|d| d.join(name))
        .find(|p| p.is_file())
}

/// Folders in which transports may lie: beside pc3run, as in `dist`.
fn folder() -> Option<PathBuf> {
    let root = match std::env::var_os("PC3_ROOT") {
        Some(root) => PathBuf::from(root),
        None => std::env::current_exe().ok()?.parent()?.parent()?.to_owned(),
    };
    let triple = format!("{}-linux-gnu", std::env::consts::ARCH);
    Some(root.join("lib/pc3").join(triple))
}

/// Why this program can load no transport, if so.
fn cannot_load(program: &Path) -> Option<&'static str> {
    let host = std::env::consts::ARCH;
    match elf::read(program) {
        None => Some("it is no program of this machine itself"),
        Some(e) if e.arch() != Some(host) => Some("it is for another architecture"),
        Some(e) if e.loader.is_none() => Some("it is static"),
        Some(_) => None,
    }
}

/// Why the run's program can use no native MPI, if so.
pub(super) fn cannot_use(run: &Run, program: &Path) -> Option<String> {
    // What runs it (qemu-s390x, valgrind) is another.
    let behind = ours(run).filter(|_| !is_ours(program));
    let program = behind.as_deref().unwrap_or(program);
    let why = cannot_load(program)?;
    Some(format!(
        "{} cannot use a native MPI: {why}",
        program.display()
    ))
}

/// How to start the processes where no MPI was named: by the launcher of one, or, with what was looked for, not.
pub(super) fn found(run: &Run, program: &Path) -> Result<(OsString, Vec<OsString>), String> {
    if let Some(why) = cannot_use(run, program) {
        return Err(why);
    }
    let mut looked = Vec::new();
    for mpi in [Mpi::Open, Mpi::Mpich] {
        match launched(run, &mpi) {
            Ok(command) => return Ok(command),
            Err(why) => looked.push(why),
        }
    }
    Err(looked.join("; "))
}

fn launchers(mpi: &str) -> [&'static str; 2] {
    match mpi {
        "mpich" => ["mpiexec.mpich", "mpiexec.hydra"],
        _ => ["mpirun.openmpi", "orterun"],
    }
}

/// A command that ends well if the launcher of the run's MPI reaches a machine.
pub(super) fn reaching(mpi: &Mpi, host: &str) -> Option<Command> {
    let names = match mpi {
        Mpi::Auto => vec!["openmpi", "mpich"],
        mpi => vec![mpi.name()],
    };
    let (name, launcher) = names.into_iter().find_map(|name| {
        let found = launchers(name).iter().find_map(|l| in_path(l));
        Some((name, found?))
    })?;
    let mut command = Command::new(launcher);
    command.args(["-n", "1"]);
    match name {
        "openmpi" => command.args(as_root()).args(["-q", "--host"]),
        _ => command.arg("-hosts"),
    };
    command.args([host, "true"]);
    Some(command)
}

/// What Open MPI's launcher wants to hear from root.
fn as_root() -> Option<&'static str> {
    // SAFETY: no preconditions.
    (unsafe { libc::geteuid() } == 0).then_some("--allow-run-as-root")
}

/// The command that starts the run's processes; or what was looked for and not found.
pub(super) fn launched(run: &Run, mpi: &Mpi) -> Result<(OsString, Vec<OsString>), String> {
    let name = mpi.name();
    let object = match mpi {
        Mpi::Path(p) => p.clone(),
        _ => folder()
            .unwrap_or_default()
            .join(format!("libpc3_mpi_{name}.so")),
    };
    if !object.is_file() {
        return Err(format!(
            "{name}: there is no transport {}; cargo xtask dist builds it where mpicc.{name} is installed",
            object.display()
        ));
    }
    let launchers = launchers(name);
    let found = launchers.iter().find_map(|l| in_path(l));
    let Some(launcher) = found else {
        let list = launchers.join(", ");
        return Err(format!("{name}: no launcher in PATH: {list}"));
    };
    let link = format!("mpi:{}", object.display());
    outputs::offer();
    let mut args: Vec<OsString> = ["-n", &run.processes.to_string()].map(Into::into).into();
    if name == "openmpi" {
        // Workers are threads; a process is not bound to one core.
        args.extend(["-q", "--oversubscribe", "--bind-to", "none"].map(Into::into));
        args.extend(as_root().map(OsString::from));
        // To other machines it passes only what it is told to.
        let set = std::env::vars_os().map(|(name, _)| name);
        let set = set.filter(|n| n.to_string_lossy().starts_with("PC3_"));
        let given = run.variables.iter().map(|(name, _)| OsString::from(*name));
        let ours = [super::crew::LINK, OUTCOME].map(OsString::from);
        let names: BTreeSet<OsString> = set.chain(given).chain(ours).collect();
        for name in names {
            args.extend(["-x".into(), name]);
        }
    }
    let option = |open: &str, mpich: &str| match name {
        "openmpi" => open.into(),
        _ => mpich.into(),
    };
    match &run.hosts {
        Some(Hosts::List(list)) => args.extend([option("--host", "-hosts"), list.into()]),
        Some(Hosts::File(file)) => args.extend([option("--hostfile", "-f"), file.into()]),
        None => {}
    }
    args.push(run.program.clone());
    args.extend(run.args.iter().cloned());
    std::env::set_var(super::crew::LINK, link);
    Ok((launcher.into(), args))
}

/// The file in which a process of the job leaves the status that the job ends with; launchers return another one now
/// and then.  Processes of other machines have none.
struct Outcome(PathBuf);

const OUTCOME: &str = "PC3_OUTCOME";

impl Outcome {
    fn new() -> Outcome {
        // No name that is known beforehand, nor another job's on another machine.
        let random = RandomState::new().build_hasher().finish();
        let name = format!("pc3run-{}-{random:016x}.outcome", std::process::id());
        let path = std::env::temp_dir().join(name);
        // Where there is no such file none is made.
        let mut options = OpenOptions::new();
        let options = options.write(true).create_new(true).mode(0o600);
        if options.open(&path).is_ok() {
            std::env::set_var(OUTCOME, &path);
        }
        Outcome(path)
    }

    /// Ends a launcher that does not notice the end of the job: it may wait for a machine that is out of reach.
    fn hurry<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        over: &'s AtomicBool,
    ) -> ScopedJoinHandle<'s, ()> {
        // After so many seconds each.
        let mut steps = [(5, libc::SIGTERM), (10, libc::SIGKILL)]
            .into_iter()
            .peekable();
        let mut since = None;
        scope.spawn(move || {
            while !over.load(SeqCst) {
                std::thread::park_timeout(Duration::from_millis(100));
                if self.read().is_none_or(|status| status == 0) {
                    continue;
                }
                let ended = since.get_or_insert_with(Instant::now).elapsed();
                if let Some((_, signal)) = steps.next_if(|s| ended.as_secs() >= s.0) {
                    signals::end(signal);
                }
            }
        })
    }

    fn read(&self) -> Option<u8> {
        let text = std::fs::read_to_string(&self.0).ok()?;
        text.trim().parse::<i32>().ok().map(|s| s as u8)
    }
}

impl Drop for Outcome {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn is_mpich(launcher: &OsStr) -> bool {
    launcher.to_string_lossy().contains("mpiexec")
}

/// The status of the job that `launcher` has started, of which it returns `status`.  `signal`: it was asked to end by that, which
/// launchers heed as they like, and return 0, 1 or 2.
fn status(launcher: &OsStr, status: u8, outcome: Option<u8>, signal: Option<u8>) -> u8 {
    let mpich = is_mpich(launcher);
    match (outcome, signal) {
        (Some(own), _) => own,
        (None, Some(signal)) if [0, 1, 2].contains(&status) => 128 + signal,
        // MPICH's returns the number of the signal that has ended a process.
        _ if mpich && SIGNALS.contains(&i32::from(status)) => 128 + status,
        // What they return where a machine is out of reach.
        _ if status == if mpich { 255 } else { 205 } => EXIT_LOST as u8,
        _ => status,
    }
}

/// That end processes against their will.
const SIGNALS: [i32; 8] = [
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGBUS,
    libc::SIGFPE,
    libc::SIGKILL,
    libc::SIGSEGV,
    libc::SIGTERM,
];

/// Runs a launcher, and says what a person wants to know of a job that it has ended.
pub(super) fn through(
    launcher: &Run,
    start: impl FnOnce(&Run) -> Result<u8, StartError>,
) -> Result<u8, StartError> {
    let outcome = Outcome::new();
    let over = AtomicBool::new(false);
    let printed = outputs::length();
    let returned = std::thread::scope(|scope| {
        let hurry = outcome.hurry(scope, &over);
        let returned = start(launcher);
        over.store(true, SeqCst);
        hurry.thread().unpark();
        returned
    })?;
    let signal = signals::to_end();
    let status = status(&launcher.program, returned, outcome.read(), signal);
    if [0, EXIT_STOPPED].contains(&i32::from(status)) {
        return Ok(status);
    }
    if is_mpich(&launcher.program) {
        outputs::take_out_banner(printed);
    }
    let newest = to_continue_from(Some(&launcher.settings.dir));
    match (outcome.read(), status.checked_sub(128)) {
        (None, Some(signal @ 1..=64)) => {
            eprintln!("pc3run: signal {signal} has ended a process of the job: the job ends with status {status}; {newest}");
        }
        _ => eprintln!("pc3run: the job ended with status {status}; {newest}"),
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_of_launchers() {
        for (launcher, returned, outcome, signal, expect) in [
            ("/usr/bin/mpirun.openmpi", 137, None, None, 137),
            ("/usr/bin/mpirun.openmpi", 9, None, None, 9),
            ("/usr/bin/mpirun.openmpi", 1, None, None, 1),
            ("/usr/bin/mpirun.openmpi", 1, None, Some(2), 130),
            ("/usr/bin/mpirun.openmpi", 1, Some(85), Some(15), 85),
            ("mpiexec.mpich", 9, None, None, 137),
            ("mpiexec.mpich", 9, Some(9), None, 9),
            ("mpiexec.mpich", 9, Some(40), None, 40),
            ("mpiexec.mpich", 1, Some(91), None, 91),
            ("mpiexec.mpich", 2, None, Some(2), 130),
            ("mpiexec.mpich", 0, None, Some(15), 143),
            ("mpiexec.mpich", 15, None, Some(15), 143),
            ("mpiexec.hydra", 85, None, Some(15), 85),
            ("mpiexec.hydra", 0, None, None, 0),
            ("mpirun.openmpi", 143, Some(40), Some(15), 40),
            ("mpirun.openmpi", 205, None, None, 92),
            ("mpiexec.mpich", 255, None, None, 92),
            ("mpiexec.mpich", 255, Some(3), None, 3),
        ] {
            let got = status(OsStr::new(launcher), returned, outcome, signal);
            assert_eq!(got, expect, "{launcher} {returned} {outcome:?} {signal:?}");
        }
    }
}
