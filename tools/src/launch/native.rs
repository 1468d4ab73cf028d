//! Runs through the launcher of a native MPI: finds it and pc3's transport for it, and says what was looked for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::elf;
use super::options::Run;

/// Which MPI carries messages between processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Mpi {
    /// The first that is here and that the program can use, else sockets.
    Auto,
    /// Sockets of this machine.
    None,
    Open,
    Mpich,
    /// A transport's shared object.
    Path(PathBuf),
}

impl Mpi {
    pub fn parse(text: &str) -> Result<Mpi, String> {
        match text {
            "auto" => Ok(Mpi::Auto),
            "none" | "socket" => Ok(Mpi::None),
            "openmpi" => Ok(Mpi::Open),
            "mpich" => Ok(Mpi::Mpich),
            path if path.ends_with(".so") => std::path::absolute(path)
                .map(Mpi::Path)
                .map_err(|e| e.to_string()),
            _ => Err(
                "expected auto, none, openmpi, mpich or the path of a transport (.so)".to_owned(),
            ),
        }
    }

    fn name(&self) -> &str {
        match self {
            Mpi::Auto => "auto",
            Mpi::None => "none",
            Mpi::Open => "openmpi",
            Mpi::Mpich => "mpich",
            // What it was built for is in its name.
            Mpi::Path(p) if p.to_string_lossy().contains("mpich") => "mpich",
            Mpi::Path(_) => "openmpi",
        }
    }
}

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

/// How to start the processes where no MPI was named: by the launcher of one, or, with what was looked for, not.
pub(super) fn found(run: &Run, program: &Path) -> Result<(OsString, Vec<OsString>), String> {
    if let Some(why) = cannot_load(program) {
        return Err(format!("{} cannot use one: {why}", program.display()));
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
    let launchers: &[&str] = match name {
        "mpich" => &["mpiexec.mpich", "mpiexec.hydra"],
        _ => &["mpirun.openmpi", "orterun"],
    };
    let found = launchers.iter().find_map(|l| in_path(l));
    let Some(launcher) = found else {
        let list = launchers.join(", ");
        return Err(format!("{name}: no launcher in PATH: {list}"));
    };
    let link = format!("mpi:{}", object.display());
    let mut args: Vec<OsString> = ["-n", &run.processes.to_string()].map(Into::into).into();
    if name == "openmpi" {
        // Workers are threads; a process is not bound to one core.
        args.extend(["-q", "--oversubscribe", "--bind-to", "none"].map(Into::into));
        // SAFETY: no preconditions.
        if unsafe { libc::geteuid() } == 0 {
            args.push("--allow-run-as-root".into());
        }
        let names = run.variables.iter().map(|(name, _)| *name);
        for name in names.chain([super::crew::LINK]) {
            args.extend(["-x", name].map(Into::into));
        }
    }
    args.push(run.program.clone());
    args.extend(run.args.iter().cloned());
    std::env::set_var(super::crew::LINK, link);
    Ok((launcher.into(), args))
}

/// What a person wants to know of a job that its launcher has ended.
pub(super) fn epitaph(dir: &Path) -> Option<String> {
    let id = pc3_runtime::tell::newest_in(dir)?;
    Some(format!("the newest good checkpoint is {id}"))
}
