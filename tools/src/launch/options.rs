//! The options of `pc3run` and the environment variables they stand for. Values are checked by the runtime's
//! own reader of these variables, so that both accept the same.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser};

use pc3_runtime::settings::{misspelt, BadSetting, Restart, Settings};

/// Runs a program compiled by pc3cc.
///
/// Exit status: the program's; 85 if it stopped after a checkpoint; 92 if a process or a machine was lost; 128+N if
/// signal N ended it; 86 for options that make no sense; 126 or 127 if the program cannot be run.
#[derive(Parser, Debug)]
#[command(
    name = "pc3run",
    version,
    override_usage = "pc3run [OPTIONS] [--] PROGRAM [ARGS]..."
)]
struct Cli {
    /// Logical MPI ranks [default: one for each process; of a restart: the checkpoint's]
    #[arg(short = 'n', long, value_name = "N")]
    ranks: Option<String>,
    /// Worker threads of each process that run them [default: as many as it has ranks, at most its share of the cores]
    #[arg(short = 'w', long, value_name = "N")]
    workers: Option<String>,
    /// Processes that the ranks are spread over, in blocks
    #[arg(short = 'p', long, value_name = "N", default_value = "1")]
    procs: String,
    /// What connects them: openmpi, mpich, or a transport's path; none = sockets of this machine, without an MPI; auto = the
    /// first native MPI that is here, else sockets
    #[arg(long, value_name = "NAME", default_value = "auto")]
    mpi: String,
    /// Machines for the processes, for the native MPI's launcher: a,b,c
    #[arg(long, value_name = "LIST", conflicts_with = "hostfile")]
    hosts: Option<String>,
    /// Likewise: a file of the launcher's own form
    #[arg(long, value_name = "FILE")]
    hostfile: Option<PathBuf>,
    /// Where checkpoints go [default: ./PROGRAM.pc3]
    #[arg(short = 'd', long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Take a checkpoint every so often: 30s, 10m, 2h, or 5x = at every 5th passage of a location
    #[arg(long, value_name = "TIME|Nx")]
    every: Option<String>,
    /// Committed checkpoints to keep [default: 2]
    #[arg(long, value_name = "N")]
    keep: Option<String>,
    /// Stop with exit status 85 after the K-th checkpoint of this run
    #[arg(long, value_name = "K")]
    stop_after: Option<String>,
    /// Continue from a checkpoint: latest (the default), auto (the newest good one, else a fresh start), or an id
    #[arg(long, value_name = "ID", num_args = 0..=1, require_equals = true, default_missing_value = "latest")]
    restart: Option<String>,
    /// Go on by itself from the newest checkpoint when a process or a machine is lost, at most N times
    #[arg(long, value_name = "N", default_value = "0")]
    respawn: u32,
    /// Where ranks run: block (the default), cyclic, a worker for each such as 0,0,1,1, a file of such numbers (with a / in
    /// its name), or auto: by what ranks sent each other in a run with --stats
    #[arg(long, value_name = "PLACES")]
    map: Option<String>,
    /// Tell at the end what workers spent their time with and what ranks sent each other; all of it to FILE, as JSON
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    stats: Option<String>,
    /// How ranks agree on a checkpoint: barrier (all at one passage of their locations) or nonblocking (each at its own next
    /// location) [default: barrier; of a restart: the checkpoint's]
    #[arg(long, value_name = "NAME")]
    protocol: Option<String>,
    /// Who waits until a checkpoint is durable: async (nobody: it is written behind the ranks, from a copy, of at most a
    /// quarter of its size or as async:2G says) or sync (the ranks) [default: async]
    #[arg(long, value_name = "HOW")]
    commit: Option<String>,
    /// Write what has changed since the last checkpoint, into packs that checkpoints share
    #[arg(long)]
    increments: bool,
    /// Which of that is compressed: auto (what is written sooner so), on (all that shrinks) or off [default: auto]
    #[arg(long, value_name = "HOW")]
    compress: Option<String>,
    /// What a signal does: checkpoint, stop (checkpoint and exit 85) or none [default: USR1=checkpoint,USR2=stop]
    #[arg(long, value_name = "SIGNAL=ACTION")]
    on_signal: Vec<String>,
    /// The program and its arguments
    #[arg(value_name = "PROGRAM", required = true, last = true)]
    command: Vec<OsString>,
}

/// A run, checked.
#[derive(Debug)]
pub(super) struct Run {
    pub program: OsString,
    pub args: Vec<OsString>,
    /// To set in the program's environment.
    pub variables: Vec<(&'static str, OsString)>,
    /// What the program will read from its environment.
    pub settings: Settings,
    pub processes: usize,
    pub mpi: Mpi,
    pub hosts: Option<Hosts>,
    /// How often it goes on by itself.
    pub respawn: u32,
    /// The program is a native MPI's launcher.
    pub native: bool,
    /// Requests for checkpoints go past that launcher to the job.
    pub past_launcher: bool,
}

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

    pub fn name(&self) -> &str {
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

/// Where a native MPI's launcher is to start processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Hosts {
    List(String),
    File(PathBuf),
}

#[derive(Debug)]
pub(super) enum Stop {
    Clap(clap::Error),
    /// What is wrong, all of it.
    Bad(Vec<String>),
}

const TAKE_VALUES: [&str; 21] = [
    "--mpi",
    "--hosts",
    "--hostfile",
    "-n",
    "--ranks",
    "-w",
    "--workers",
    "-p",
    "--procs",
    "-d",
    "--dir",
    "--every",
    "--keep",
    "--stop-after",
    "--map",
    "--protocol",
    "--commit",
    "--compress",
    "--on-signal",
    "--restart",
    "--respawn",
];

/// Marks where the program begins: its own options are not ours. And
/// `--restart latest PROG` and `--restart PROG` both read naturally: the next word is the value only if it can be one.
fn arrange(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut out = Vec::new();
    let mut args = args.into_iter().peekable();
    out.extend(args.next());
    while let Some(mut arg) = args.next() {
        // As MPI's launchers have it.
        if arg == "-np" {
            arg = "-n".into();
        }
        let text = arg.to_string_lossy().into_owned();
        if text == "--" || !text.starts_with('-') {
            out.push("--".into());
            out.extend((text != "--").then_some(arg));
            out.extend(args);
            return out;
        }
        if text == "--restart" {
            let value = args.next_if(|v| {
                let v = v.to_string_lossy();
                v == "latest"
                    || v == "auto"
                    || (!v.is_empty() && v.bytes().all(|b| b.is_ascii_digit()))
            });
            out.push(value.map_or(arg, |v| format!("--restart={}", v.to_string_lossy()).into()));
        } else {
            out.push(arg);
            if TAKE_VALUES.contains(&text.as_str()) {
                out.extend(args.next());
            }
        }
    }
    out
}

/// The same command line for a job that goes on from its newest checkpoint, `left` times more by itself; elsewhere than before, if
/// `places` says so: its machines, and how many processes.
pub(super) fn going_on(
    args: Vec<OsString>,
    left: u32,
    places: Option<(String, usize)>,
) -> Vec<OsString> {
    let mut old = arrange(args).into_iter();
    let mut new: Vec<OsString> = old.next().into_iter().collect();
    new.extend(["--restart=auto".into(), format!("--respawn={left}").into()]);
    let mut replaced = vec!["--restart", "--respawn"];
    if let Some((hosts, processes)) = places {
        new.extend([
            format!("--hosts={hosts}").into(),
            format!("--procs={processes}").into(),
        ]);
        replaced.extend(["--hosts", "--hostfile", "--procs", "-p"]);
    }
    while let Some(arg) = old.next() {
        let text = arg.to_string_lossy().into_owned();
        if text == "--" {
            new.push(arg);
            break;
        }
        let name = text.split('=').next().unwrap_or(&text);
        let short = text.starts_with("-p") && replaced.contains(&"-p");
        if short || replaced.contains(&name) {
            // A value of its own stands behind it.
            if name == text && TAKE_VALUES.contains(&name) {
                let is_optional = name == "--restart";
                old.by_ref().take(usize::from(!is_optional)).for_each(drop);
            }
            continue;
        }
        new.push(arg);
        if TAKE_VALUES.contains(&&*text) && text != "--restart" {
            new.extend(old.next());
        }
    }
    new.extend(old);
    new
}

/// Systems and launchers have limits of their own, which they tell.
const MOST_PROCESSES: usize = 1 << 16;

fn processes(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n @ 1..=MOST_PROCESSES) => Ok(n),
        Ok(n) if n > MOST_PROCESSES => Err(format!("--procs {n}: at most {MOST_PROCESSES}")),
        _ => Err(format!(
            "--procs {text}: expected a whole number of at least 1"
        )),
    }
}

/// Options, and the variables that they stand for.
type Variables = Vec<(&'static str, &'static str, OsString)>;

fn variables(cli: &Cli, mistakes: &mut Vec<String>) -> Variables {
    let mut options: Variables = Vec::new();
    let texts = [
        ("--ranks", "PC3_RANKS", &cli.ranks),
        ("--workers", "PC3_WORKERS", &cli.workers),
        ("--every", "PC3_EVERY", &cli.every),
        ("--keep", "PC3_KEEP", &cli.keep),
        ("--stop-after", "PC3_STOP_AFTER", &cli.stop_after),
        ("--restart", "PC3_RESTART", &cli.restart),
        ("--map", "PC3_MAP", &cli.map),
        ("--stats", "PC3_STATS", &cli.stats),
        ("--protocol", "PC3_PROTOCOL", &cli.protocol),
        ("--commit", "PC3_COMMIT", &cli.commit),
        ("--compress", "PC3_COMPRESS", &cli.compress),
        (
            "--on-signal",
            "PC3_ON_SIGNAL",
            &(!cli.on_signal.is_empty()).then(|| cli.on_signal.join(",")),
        ),
    ];
    for (option, variable, value) in texts {
        match value {
            // The runtime takes an empty variable as absent; who writes an option means something.
            Some(v) if v.trim().is_empty() => {
                mistakes.push(format!("{option}: the value is empty"))
            }
            Some(v) => options.push((option, variable, v.clone().into())),
            None => {}
        }
    }
    if cli.increments {
        options.push(("--increments", "PC3_INCREMENTS", "on".into()));
    }
    if let Some(dir) = &cli.dir {
        if dir.as_os_str().is_empty() {
            mistakes.push("--dir: the value is empty".to_owned());
        }
        options.push(("--dir", "PC3_DIR", dir.into()));
    }
    options
}

/// What `pc3run` can be told.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

pub(super) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Run, Stop> {
    let cli = Cli::try_parse_from(arrange(args)).map_err(Stop::Clap)?;
    let mut mistakes: Vec<String> = misspelt(std::env::vars_os())
        .iter()
        .map(ToString::to_string)
        .collect();
    let processes = processes(&cli.procs).unwrap_or_else(|why| {
        mistakes.push(why);
        1
    });
    let mpi = Mpi::parse(&cli.mpi).unwrap_or_else(|why| {
        mistakes.push(format!("--mpi {}: {why}", cli.mpi));
        Mpi::None
    });
    if (cli.hosts.is_some() || cli.hostfile.is_some()) && (processes < 2 || mpi == Mpi::None) {
        mistakes.push(
            "--hosts, --hostfile: are for several processes (--procs) that a native MPI connects (--mpi)".to_owned(),
        );
    }
    let options = variables(&cli, &mut mistakes);
    let hosts = match (cli.hosts, cli.hostfile) {
        (Some(list), _) => Some(Hosts::List(list)),
        (_, Some(file)) => Some(Hosts::File(file)),
        _ => None,
    };
    let mut command = cli.command.into_iter();
    let program = command.next().unwrap_or_default();
    let args: Vec<OsString> = command.collect();
    let get = |name: &str| match options.iter().find(|(_, variable, _)| *variable == name) {
        Some((_, _, value)) => Some(value.to_string_lossy().into_owned()),
        None => std::env::var(name).ok(),
    };
    let settings = match Settings::read(&guest(&program, &args).to_string_lossy(), get) {
        Ok(settings) => Some(settings),
        Err(bad) => {
            mistakes.extend(bad.into_iter().map(|b| in_words(b, &options)));
            None
        }
    };
    // A restart may have ranks that were spawned.
    let fresh = settings.as_ref().filter(|s| s.restart == Restart::No);
    let given = fresh.and_then(|s| s.ranks);
    if let Some(ranks) = given.filter(|n| *n < processes) {
        mistakes.push(format!(
            "--procs {processes}: more processes than ranks (--ranks {ranks})"
        ));
    }
    match settings {
        Some(settings) if mistakes.is_empty() => {
            let variables = options
                .into_iter()
                .map(|(_, variable, value)| (variable, value))
                .collect();
            Ok(Run {
                program,
                args,
                variables,
                settings,
                processes,
                mpi,
                hosts,
                respawn: cli.respawn,
                native: false,
                past_launcher: false,
            })
        }
        _ => Err(Stop::Bad(mistakes)),
    }
}

/// The pc3 program itself, which an emulator may stand in front of.
fn guest<'a>(program: &'a OsString, args: &'a [OsString]) -> &'a OsString {
    let path = Path::new(program);
    let emulator = path
        .file_name()
        .is_some_and(|n| n.to_string_lossy().starts_with("qemu-"));
    let mut rest = args.iter();
    while let Some(arg) = rest.next().filter(|_| emulator) {
        let text = arg.to_string_lossy();
        if !text.starts_with('-') {
            return arg;
        }
        if ["-L", "-E", "-U", "-cpu", "-s", "-B", "-R"].contains(&&*text) {
            rest.next();
        }
    }
    program
}

/// Speaks of the option if one was given, else of the variable.
fn in_words(bad: BadSetting, options: &[(&str, &str, OsString)]) -> String {
    match options
        .iter()
        .find(|(_, variable, _)| *variable == bad.name)
    {
        Some((option, ..)) => format!("{option} {}: {}", bad.value, bad.why),
        None => bad.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str) -> Result<Run, Stop> {
        parse(format!("pc3run {line}").split(' ').map(OsString::from))
    }

    fn check(line: &str, variables: &str, command: &str) {
        let run = run(line).unwrap_or_else(|e| panic!("{line}: {e:?}"));
        let list = |v: Vec<String>| v.join(" ");
        assert_eq!(
            list(
                run.variables
                    .iter()
                    .map(|(k, v)| format!("{k}={}", v.to_string_lossy()))
                    .collect()
            ),
            variables,
            "{line}"
        );
        let words = [run.program]
            .into_iter()
            .chain(run.args)
            .map(|w| w.to_string_lossy().into_owned());
        assert_eq!(list(words.collect()), command, "{line}");
    }

    fn refused(line: &str) -> String {
        match run(line) {
            Err(Stop::Bad(mistakes)) => mistakes.join("\n"),
            Err(Stop::Clap(error)) => error.to_string(),
            Ok(run) => panic!("{line}: accepted as {run:?}"),
        }
    }

    #[test]
    fn options_become_variables() {
        check("./heat", "", "./heat");
        check(
            "-n 16 -w 4 ./heat 5 -x --keep 3",
            "PC3_RANKS=16 PC3_WORKERS=4",
            "./heat 5 -x --keep 3",
        );
        check(
            "-n4 --every=30s --keep 1 --stop-after 2 -d d -- ./heat --",
            "PC3_RANKS=4 PC3_EVERY=30s PC3_KEEP=1 PC3_STOP_AFTER=2 PC3_DIR=d",
            "./heat --",
        );
        check(
            "--on-signal TERM=stop --on-signal INT=checkpoint ./a",
            "PC3_ON_SIGNAL=TERM=stop,INT=checkpoint",
            "./a",
        );
        check("-p 1 --protocol barrier a", "PC3_PROTOCOL=barrier", "a");
        check("--commit sync a", "PC3_COMMIT=sync", "a");
        check("--increments a b", "PC3_INCREMENTS=on", "a b");
        check(
            "--increments --compress on a b",
            "PC3_COMPRESS=on PC3_INCREMENTS=on",
            "a b",
        );
        check("--map 0,1 --stats a b", "PC3_MAP=0,1 PC3_STATS=on", "a b");
        check("--stats=s.json a", "PC3_STATS=s.json", "a");
    }

    #[test]
    fn restart_takes_a_value_only_if_it_is_one() {
        check("--restart ./heat 7", "PC3_RESTART=latest", "./heat 7");
        check("-np 4 ./heat -np 5", "PC3_RANKS=4", "./heat -np 5");
        check("--restart latest ./heat", "PC3_RESTART=latest", "./heat");
        check("--restart auto heat", "PC3_RESTART=auto", "heat");
        check(
            "-d 5 --restart 12 ./heat",
            "PC3_RESTART=12 PC3_DIR=5",
            "./heat",
        );
        check("--restart=3 ./heat", "PC3_RESTART=3", "./heat");
        check(
            "--restart -n 2 ./heat",
            "PC3_RANKS=2 PC3_RESTART=latest",
            "./heat",
        );
        check("--restart -- 12", "PC3_RESTART=latest", "12");
        check("./heat --restart 5", "", "./heat --restart 5");
    }

    #[test]
    fn a_job_goes_on_with_the_same_options_but_its_restart() {
        let check = |line: &str, places: Option<(String, usize)>, expect: &str| {
            let words = format!("pc3run {line}")
                .split(' ')
                .map(OsString::from)
                .collect();
            let got = going_on(words, 1, places);
            let got: Vec<_> = got
                .iter()
                .map(|w| w.to_string_lossy().into_owned())
                .collect();
            assert_eq!(
                got.join(" "),
                format!("pc3run --restart=auto --respawn=1 {expect}")
            );
        };
        check("--respawn 2 -n 4 ./a -p 3", None, "-n 4 -- ./a -p 3");
        check("--restart --respawn=2 a", None, "-- a");
        check("--restart 7 -d x a --restart", None, "-d x -- a --restart");
        let left = || Some(("b".to_owned(), 2));
        check(
            "-p 4 --hosts a,b --every 1x a",
            left(),
            "--hosts=b --procs=2 --every 1x -- a",
        );
        check(
            "-p4 --hostfile f -w 2 a",
            left(),
            "--hosts=b --procs=2 -w 2 -- a",
        );
    }

    #[test]
    fn every_mistake_is_named() {
        let all = refused("-n 0 -w x -p 0 --mpi lam --every 5 --keep 0 --stop-after=-1 --restart=old --protocol p --commit now --on-signal KILL=stop a");
        expect_test::expect![[r#"
            --procs 0: expected a whole number of at least 1
            --mpi lam: expected auto, none, openmpi, mpich or the path of a transport (.so)
            --ranks 0: must be at least 1
            --workers x: expected a whole number
            --keep 0: must be at least 1
            --stop-after -1: expected a whole number
            --every 5: expected a time such as 30s, 500ms, 10m, 2h or a number of passages such as 5x
            --restart old: expected latest, auto or a checkpoint's id
            --protocol p: expected barrier or nonblocking
            --commit now: expected sync, async, or async:SIZE such as async:2G
            --on-signal KILL=stop: unknown signal KILL"#]]
        .assert_eq(&all);
        assert!(refused("-n 3").contains("PROGRAM"));
        assert!(refused("-p x a").contains("--procs x"));
    }

    #[test]
    fn the_directory_is_named_after_the_program() {
        let dir = |line: &str| run(line).map(|r| r.settings.dir).unwrap_or_default();
        assert_eq!(dir("bin/heat"), PathBuf::from("./heat.pc3"));
        assert_eq!(
            dir("qemu-s390x -L /usr heat.s390x"),
            PathBuf::from("./heat.s390x.pc3")
        );
    }
}
