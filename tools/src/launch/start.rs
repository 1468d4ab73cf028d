//! Starts the program, stays with it, and returns its exit status.

use std::collections::BTreeMap;
use std::ffi::{c_char, CString, OsStr, OsString};
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::{AsFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::ptr::null;

use pc3_runtime::settings::Restart;
use pc3_runtime::to_continue_from;

use crate::program::is_ours;

use super::crew::{Crew, End, Net, LINK};
use super::elf;
use super::error::{explain, StartError};
use super::locate::{is_foreign, locate, ours};
use super::native::{cannot_use, found, launched, through};
use super::options::{Mpi, Run};
use super::progress::Progress;
use super::pty::{readable, Pty, Size};
use super::signals;

pub(super) fn run(run: &Run) -> Result<u8, StartError> {
    // `--restart lastest ./heat`: the word was taken for the program.
    let word = run.settings.restart == Restart::Latest && !run.program.as_bytes().contains(&b'/');
    let restarts = matches!(run.settings.restart, Restart::Latest | Restart::Id(_));
    if (restarts || run.respawn > 0) && is_foreign(run) {
        let program = run.program.to_string_lossy().into_owned();
        return Err(StartError::NoRestart(program));
    }
    processes(run).map_err(|e| match e {
        StartError::Missing(name)
            if word && run.args.first().is_some_and(|a| locate(a).is_some()) =>
        {
            StartError::MissingOrId(name)
        }
        e => e,
    })
}

/// What a program that pc3cc has not built lacks.
fn tell_of_foreign(run: &Run) {
    if run.native || !is_foreign(run) {
        return;
    }
    let program = run.program.to_string_lossy();
    let ranks = run.settings.ranks.filter(|n| *n > 1);
    let ranks = ranks.map_or(String::new(), |n| format!("no {n} ranks (-n), and "));
    eprintln!(
        "pc3run: {program} is run as it is: it has {ranks}no checkpoints, since pc3cc did not build it or found no checkpoint location in it"
    );
}

fn processes(run: &Run) -> Result<u8, StartError> {
    if run.mpi != Mpi::None && run.processes > 1 {
        let Some(path) = locate(&run.program) else {
            return Err(explain(&run.program, io::ErrorKind::NotFound.into()));
        };
        let (program, args) = match &run.mpi {
            Mpi::Auto => match found(run, &path) {
                Ok(command) => command,
                Err(looked) if run.hosts.is_some() => {
                    let why = format!("--hosts, --hostfile: no native MPI: {looked}");
                    return Err(StartError::Native(why));
                }
                Err(looked) => {
                    eprintln!("pc3run: sockets of this machine connect the processes, as with --mpi none; no native MPI: {looked}");
                    return start(run);
                }
            },
            mpi => {
                // A script may start what can.
                let why = cannot_use(run, &path).filter(|_| ours(run).is_some());
                let why =
                    why.map(|w| format!("{}: {w}; --mpi none connects its processes", mpi.name()));
                let command = why.map_or_else(|| launched(run, mpi), Err);
                command.map_err(|why| StartError::Native(format!("--mpi {why}")))?
            }
        };
        let launcher = Run {
            program,
            args,
            processes: 1,
            mpi: Mpi::None,
            hosts: None,
            respawn: 0,
            variables: run.variables.clone(),
            settings: run.settings.clone(),
            native: true,
            past_launcher: elf::read(&path).is_none() || is_ours(&path),
        };
        tell_of_foreign(run);
        return through(&launcher, start);
    }
    start(run)
}

fn start(run: &Run) -> Result<u8, StartError> {
    signals::catch();
    let end = if io::stderr().is_terminal() {
        attended(run)?
    } else {
        plain(run)?
    };
    signals::done();
    tell_of(run, end);
    let status = end.status;
    if status.code().is_some_and(|c| NOT_LOADED.contains(&c)) {
        hint_at_loader(run);
    }
    let code = match signals::has_quit() && !status.success() {
        true => Some(128 + libc::SIGQUIT),
        false => status.code().or_else(|| status.signal().map(|s| 128 + s)),
    };
    Ok(code.and_then(|c| u8::try_from(c).ok()).unwrap_or(u8::MAX))
}

/// What has ended the program, or one of its processes, unless somebody asked for that: others' shells would say it, ours sees
/// a status.
fn tell_of(run: &Run, end: End) {
    const ASKED: [i32; 5] = [
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTERM,
        libc::SIGPIPE,
    ];
    // Of all processes that asks for an end, of one of them it does not.
    let is_told_of = |signal| end.missed || !ASKED.contains(&signal);
    if run.native || !end.status.signal().is_some_and(is_told_of) || ours(run).is_none() {
        return;
    }
    let signal = end.status.to_string().replacen("signal: ", "signal ", 1);
    let what = match run.processes {
        1 => "the program".to_owned(),
        n => format!("process {} of {n}", end.process),
    };
    let more = match end.missed {
        true => String::new(),
        false => format!("; {}", to_continue_from(Some(&run.settings.dir))),
    };
    eprintln!("pc3run: {signal} has ended {what}{more}");
}

/// What qemu and shells return where a program could not be loaded.
const NOT_LOADED: [i32; 4] = [1, 126, 127, 255];

/// A program for another machine asks for a loader that qemu has not found.
fn hint_at_loader(run: &Run) {
    let Some(program) = ours(run) else { return };
    let Some(exe) = elf::read(&program) else {
        return;
    };
    let (Some(arch), Some(loader)) = (exe.arch(), exe.loader) else {
        return;
    };
    let first = Path::new(&run.program).file_name().unwrap_or_default();
    let by_qemu = first.as_bytes().starts_with(b"qemu-");
    // Others may run it where its libraries are.
    if arch == std::env::consts::ARCH || !by_qemu && locate(&run.program) != Some(program.clone()) {
        return;
    }
    let has = |folder: &Path| folder.join(loader.trim_start_matches('/')).exists();
    // Those that distributions have qemu look into by itself.
    let mut folders: Vec<PathBuf> = ["/etc/qemu-binfmt/", "/usr/gnemul/qemu-", "/usr/qemu-"]
        .map(|f| format!("{f}{arch}").into())
        .into();
    folders.push("/".into());
    folders.extend(std::env::var_os("QEMU_LD_PREFIX").map(PathBuf::from));
    let named = run.args.windows(2).filter(|w| w[0] == "-L");
    folders.extend(named.map(|w| PathBuf::from(&w[1])));
    if folders.iter().any(|f| has(f)) {
        return;
    }
    let crossed = std::fs::read_dir("/usr").into_iter().flatten().flatten();
    let crossed = crossed.map(|e| e.path()).find(|f| has(f));
    let folder = crossed.map_or("FOLDER".to_owned(), |f| f.display().to_string());
    let program = program.display();
    eprintln!(
        "pc3run: {program} is a program for {arch} and asks for the loader {loader}, which is not here: link it with -static, \
         or say where an {arch} system's libraries are: pc3run [OPTIONS] qemu-{arch} -L {folder} {program}"
    );
}

fn plain(run: &Run) -> Result<End, StartError> {
    let mut crew = spawn(run, |_| Ok(()))?;
    crew.wait().map_err(StartError::Wait)
}

/// With a progress line.
fn attended(run: &Run) -> Result<End, StartError> {
    let Ok(pty) = Pty::new() else {
        return plain(run);
    };
    let mut size = Size::of(&pty);
    let both = io::stdout().is_terminal();
    let mut child = spawn(run, |command| {
        if both {
            command.stdout(pty.program.try_clone()?);
        }
        command.stderr(pty.program.try_clone()?);
        Ok(())
    })?;
    // The end of the output shows only when nobody else holds the program's side.
    drop(pty.program);
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

/// `link`: what connects it with the other processes, and the descriptors for that; `limit`: of descriptors.
fn command(
    run: &Run,
    link: Option<(String, Vec<RawFd>)>,
    limit: Option<libc::rlimit64>,
) -> Command {
    let mut command = Command::new(&run.program);
    command.args(&run.args).envs(run.variables.iter().cloned());
    let parent = std::process::id();
    let (link, fds) = link.map_or((None, Vec::new()), |l| (Some(l.0), l.1));
    let image = Image::of(run, link.as_deref());
    match link {
        Some(link) => command.env(LINK, link),
        None if run.native => &mut command,
        None => command.env_remove(LINK),
    };
    // SAFETY: only system calls between fork and exec.
    unsafe {
        command.pre_exec(move || {
            // A killed pc3run leaves no program behind that would go on unseen and hold its directory.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if libc::getppid() as u32 != parent {
                libc::raise(libc::SIGKILL);
            }
            for fd in &fds {
                libc::fcntl(*fd, libc::F_SETFD, 0);
            }
            if let Some(limit) = limit {
                libc::setrlimit64(libc::RLIMIT_NOFILE, &raw const limit);
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
    fn of(run: &Run, link: Option<&str>) -> Option<Image> {
        let path = locate(&run.program)?;
        elf::read(&path)?;
        let mut environment: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        environment.extend(run.variables.iter().map(|(k, v)| (k.into(), v.clone())));
        if !run.native {
            environment.remove(OsStr::new(LINK));
        }
        environment.extend(link.map(|l| (LINK.into(), l.into())));
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

/// So many descriptors pc3run and a process of the job have beside their connections, at least.
const FILES: u64 = 256;

/// Makes room for the descriptors of connections between so many processes as far as the system lets it; the limit
/// that each of them is to have then: the one that was, if it is enough for it.
fn room_for(processes: usize) -> Option<libc::rlimit64> {
    let (each, all) = (processes as u64, (processes * processes) as u64);
    // SAFETY: the structure is filled by the first call, and only read by the second.
    unsafe {
        let mut was: libc::rlimit64 = std::mem::zeroed();
        let got = libc::getrlimit64(libc::RLIMIT_NOFILE, &raw mut was) == 0;
        if processes == 1 || !got || was.rlim_cur >= all + FILES {
            return None;
        }
        let limit = |n: u64| libc::rlimit64 {
            rlim_cur: was.rlim_cur.max(n).min(was.rlim_max),
            ..was
        };
        let raised = libc::setrlimit64(libc::RLIMIT_NOFILE, &limit(all + FILES)) == 0;
        raised.then(|| limit(each + FILES))
    }
}

/// Starts the processes; `arrange` says where their output goes.  Signals go to the first.
fn spawn(run: &Run, arrange: impl Fn(&mut Command) -> io::Result<()>) -> Result<Crew, StartError> {
    let limit = room_for(run.processes);
    let net = (run.processes > 1).then(|| Net::new(run.processes));
    let mut net = net.transpose().map_err(StartError::Net)?;
    let mut children: Vec<Child> = Vec::new();
    for i in 0..run.processes {
        let mut command = command(run, net.as_ref().map(|n| n.of(i)), limit);
        arrange(&mut command).map_err(StartError::Net)?;
        if i > 0 {
            command.stdin(Stdio::null());
        }
        match command.spawn() {
            Ok(child) => {
                children.push(child);
                if let Some(net) = &mut net {
                    net.is_started(i);
                }
            }
            Err(error) => {
                for mut child in children {
                    let _ = child.kill();
                    let _ = child.wait();
                }
                return Err(explain(&run.program, error));
            }
        }
    }
    drop(net);
    signals::also_to(children.iter().skip(1).map(|c| c.id() as i32));
    let first = children.first().map_or(-1, |c| c.id() as i32);
    let requests = run.settings.signals.keys().copied();
    if run.past_launcher {
        signals::send_below(first, requests);
    } else {
        signals::send_to(first, requests);
    }
    tell_of_foreign(run);
    Ok(Crew::new(children))
}
