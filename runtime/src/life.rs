//! From the process's `main` to its exit: settings, restart or fresh start, the ranks' bodies.

use std::ffi::{c_char, c_int, CStr};
use std::path::PathBuf;
use std::ptr::null_mut;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pc3_os::files::{STDERR_FILENO, STDOUT_FILENO};
use pc3_os::processes;

use crate::bodies::{body, guest_body};
use crate::passed;
use crate::solo::Solo;
use pc3_abi::frames::exits;
use pc3_checkpoint::process::attributes;
use pc3_checkpoint::process::signal_tables;
use pc3_checkpoint::restart;
use pc3_checkpoint::restore::small_address_space;
use pc3_control::control::{self, Ending};
use pc3_control::inherited;
use pc3_control::listening::install_signals;
use pc3_control::partition::Traffic;
use pc3_control::peers::{self, Peers};
use pc3_control::placement::Placement;
use pc3_control::report::{
    die, flush_free, hold, on_death, release, say, EXIT_DIRECTORY, EXIT_FATAL, EXIT_NO_CHECKPOINT,
    EXIT_REFUSED, EXIT_SETTINGS,
};
use pc3_control::settings::{misspelt, Addresses, BadSetting, Every, Restart, Settings};
use pc3_control::store::{share, Output, Stood, Store, StoreError};
use pc3_format::read::Checkpoint;
use pc3_os::forks::{self, forked};
use pc3_process::arguments::{self, Arguments};
use pc3_process::files::{baseline, cut_back, cut_file, go_on_behind, leads_to, stands_at};
use pc3_process::limits;
use pc3_process::variables;
use pc3_state::engine::{mpi, Body, Engine};
use pc3_state::floats;
use pc3_state::globals;
use pc3_state::guest::MakeGuest;
use pc3_state::job::Job;
use pc3_state::program::registry::Program;
use pc3_state::rank::Rank;

/// By this a program is known that pc3cc has built.
pub static MARK: &[u8] = b"\0pc3: a program that can be continued elsewhere\0";
static JOB: OnceLock<Arc<Job>> = OnceLock::new();

fn ending(job: &Job) -> Ending {
    Ending {
        first: job.is_first(),
        waits: job.several() && job.protocol.as_deref() != Some("nonblocking"),
        has_points: job.program.has_points,
    }
}

/// The program forks, and its child has no other thread than that.
extern "C" fn before_fork() {
    if let Some(job) = JOB.get().filter(|_| !forked()) {
        job.behind.settle();
    }
}

/// The process ends, for a reason that has been told.
fn before_death() {
    let alone = JOB.get().filter(|job| job.peers().is_none() && !forked());
    if let Some(job) = alone {
        job.behind.settle_within(Duration::from_secs(10));
    }
}

extern "C" fn at_exit() {
    if let Some(job) = JOB.get().filter(|_| !forked()) {
        if job.peers().is_none() {
            // Of several processes others may be gone already; where all come to their end the engine has waited.
            job.behind.settle();
        }
        let passed = passed::last_words(&job.control);
        if let Some(words) = passed.or_else(|| job.control.last_words(&ending(job))) {
            say(&words);
        }
        // The job is not at its end before its output is.
        flush_free();
        job.close_store(true);
    }
}

/// With ld and gold only what other files refer to is wrapped; with lld the program's `main` is never reached.
const WRAPPED_TWICE: &str = "the linker has led the call of the program's main back to the runtime, as lld does for --wrap=main: \
    link with GNU ld or gold (-fuse-ld=bfd)";

/// Runs the program; what the process's `main` does.  The result is its exit status.
///
/// # Safety
/// `argv` and `env` are those of the process; called once, and if not, the process ends.
pub unsafe fn start(argc: c_int, argv: *mut *mut c_char, env: *mut *mut c_char) -> c_int {
    if arguments::get().is_some() {
        die(EXIT_FATAL, WRAPPED_TWICE);
    }
    let count = usize::try_from(argc).unwrap_or(0);
    // SAFETY: argv has argc strings, which live as long as the process.
    let list: Vec<&'static CStr> = (0..count)
        .map(|i| unsafe { CStr::from_ptr(*argv.add(i)) })
        .collect();
    let path = list
        .first()
        .map_or("a.out".into(), |s| s.to_string_lossy().into_owned());
    let program = Program::load().unwrap_or_else(|e| die(EXIT_FATAL, &e.to_string()));
    floats::note();
    // Descriptors of the launcher's are no inheritance of the program's.
    let peers = join(&path, program.calls_mpi);
    // SAFETY: the process's own; the program does not run yet.
    unsafe { inherited::take(env) };
    baseline::note();
    attributes::note();
    arguments::note(Arguments { list, env });
    live(&path, program, peers, None, body)
}

/// The other processes; a program that cannot be one of several ends.
fn join(path: &str, calls_mpi: bool) -> Option<Arc<dyn Peers>> {
    if calls_mpi {
        let joined = peers::join().unwrap_or_else(|why| die(EXIT_SETTINGS, &why));
        // A native MPI that begins leaves flags.
        floats::put_back(floats::first());
        return joined;
    }
    if std::env::var_os("PC3_LINK").is_some_and(|l| !l.is_empty()) {
        die(
            EXIT_SETTINGS,
            &format!("{path} runs in one process only: it does not call MPI"),
        );
    }
    None
}

/// Runs a program whose functions and types do not come from units of C, and that is continued by `make`'s guest.
/// `path` is how it was started.  The result is its exit status.
pub fn start_guest(path: &str, calls_mpi: bool, make: MakeGuest) -> i32 {
    floats::note();
    let peers = join(path, calls_mpi);
    // SAFETY: the program does not run yet.
    unsafe { inherited::take(null_mut()) };
    baseline::note();
    attributes::note();
    live(
        path,
        Program::of_guest(calls_mpi),
        peers,
        Some(make),
        guest_body,
    )
}

fn live(
    path: &str,
    program: Program,
    peers: Option<Arc<dyn Peers>>,
    guest: Option<MakeGuest>,
    body: Body,
) -> i32 {
    let first = peers.as_ref().is_none_or(|p| p.index() == 0);
    std::hint::black_box(MARK);
    let mut settings = read_settings(path);
    if first {
        control::look_for_stops(&settings.dir);
    }
    needs_directory(&settings);
    let wants = settings.wants_checkpoints(program.has_points);
    let mut store = (first && wants).then(|| {
        Store::open(&settings.dir, settings.keep, settings.request_signal())
            .unwrap_or_else(|e| die(EXIT_DIRECTORY, &unusable(&e, &settings)))
    });
    hold();
    let checkpoint = choose(&settings, peers.as_deref(), store.as_mut());
    if !first && wants {
        // Where there can be no such lock, nobody waits for this process.
        let _ = share(&settings.dir);
    }
    if settings.protocol.is_none() {
        settings.protocol = checkpoint.as_ref().map(|c| c.protocol().to_owned());
    }
    let job = make_job(path, program, &settings, checkpoint.as_ref(), store, peers);
    if job.can_grow() {
        globals::note(&job.program);
    }
    if settings.addresses == Addresses::Elsewhere && checkpoint.is_some() {
        pc3_heap::address_space::avoid();
    }
    let mut ranks = make_ranks(&job, guest);
    if job.several() {
        job.keep_apart();
    }
    let _ = JOB.set(job.clone());
    forks::note();
    // Being the first, it runs last.
    processes::at_end(at_exit);
    processes::before_fork(before_fork);
    on_death(before_death);
    if let Some(checkpoint) = checkpoint {
        compare_arguments(&checkpoint.job.arguments);
        restart::restart(&checkpoint, &job, &mut ranks).unwrap_or_else(|e| leave(e));
        if !job.program.calls_mpi {
            limits::more_stack();
        }
    }
    release();
    if job.program.has_points {
        install_signals(&settings.signals)
            .and_then(|()| job.control.start(first, told_when_late(&job)))
            .unwrap_or_else(|e| die(EXIT_FATAL, &format!("cannot set up signals and timer: {e}")));
    }
    ranks.iter_mut().for_each(|rank| takes_place(&job, rank));
    match job.engine() {
        Some(engine) => engine.run(&job, ranks, body),
        None => die(EXIT_FATAL, "internal error: no engine"),
    }
}

fn leave((status, message): (i32, String)) -> ! {
    die(status, &message)
}

fn read_settings(path: &str) -> Settings {
    let wrong = |bad: Vec<BadSetting>| -> ! {
        bad.iter().for_each(|b| say(&b.to_string()));
        die(EXIT_SETTINGS, "nothing was run")
    };
    let bad = misspelt(std::env::vars_os());
    if !bad.is_empty() {
        wrong(bad);
    }
    let mut settings = Settings::read(path, inherited::var).unwrap_or_else(|bad| wrong(bad));
    // The program may change its working directory.
    if let Ok(dir) = std::path::absolute(&settings.dir) {
        settings.dir = dir;
    }
    settings
}

/// Who asks for a checkpoint to go on from names a directory that there is.
fn needs_directory(settings: &Settings) {
    let asked = match settings.restart {
        Restart::Latest => Some("no usable checkpoint".to_owned()),
        Restart::Id(id) => Some(format!("no checkpoint {id}")),
        Restart::No | Restart::Auto => None,
    };
    if let Some(what) = asked.filter(|_| !settings.dir.is_dir()) {
        let dir = settings.dir.display();
        die(
            EXIT_NO_CHECKPOINT,
            &format!("{what}: there is no directory {dir}; PC3_DIR (pc3run --dir) names another"),
        );
    }
}

/// The checkpoint to go on from, and what the first process notes of this start.
fn choose(
    settings: &Settings,
    peers: Option<&dyn Peers>,
    store: Option<&mut Store>,
) -> Option<Checkpoint> {
    let checkpoint = match peers {
        None => restart::choose(settings),
        Some(peers) => restart::choose_together(settings, peers),
    };
    let checkpoint = checkpoint.unwrap_or_else(|e| leave(e));
    match (store, &checkpoint) {
        (Some(store), None) => begin(store, settings),
        (Some(store), Some(checkpoint)) => take_up(store, checkpoint.id()),
        (None, _) => {}
    }
    // The others add to what is noted there.
    if let (Some(peers), None) = (peers, &checkpoint) {
        peers.meet();
    }
    checkpoint
}

/// This process's ranks, as the program starts with them.
#[allow(clippy::vec_box)] // generated code knows where they are
fn make_ranks(job: &Arc<Job>, guest: Option<MakeGuest>) -> Vec<Box<Rank>> {
    let one = |id: u32| {
        let made = Rank::new(job.clone(), id as usize);
        let mut rank = made.unwrap_or_else(|e| {
            let more = small_address_space();
            let why = format!("rank {id}: no memory for its stack and globals: {e}{more}");
            die(EXIT_FATAL, &why)
        });
        rank.guest = guest.map(|make| make());
        rank
    };
    job.here().into_iter().map(one).collect()
}

/// The process is as the program had made it, and what the rank wants called at the end is known.
fn takes_place(job: &Job, rank: &mut Box<Rank>) {
    if let Some(mut process) = rank.process.take() {
        if job.several() {
            let restored = (rank.working_directory.restore(&mut process))
                .and_then(|()| signal_tables::restore(rank, &mut process));
            restored.unwrap_or_else(|why| die(EXIT_REFUSED, &why));
        }
        variables::apply(&rank.variables);
        attributes::apply(&process, &rank.own_environment, job.program.calls_mpi)
            .unwrap_or_else(|why| die(EXIT_REFUSED, &why));
    }
    if !job.program.calls_mpi {
        // SAFETY: ranks live as long as the process.
        unsafe { exits::register(&raw mut **rank) };
    }
}

/// After what time, and what of its ranks, a process says that none has heeded a request.
fn told_when_late(job: &Arc<Job>) -> Option<(Duration, impl Fn() -> String + Send + 'static)> {
    let tells = match job.program.calls_mpi {
        // Between processes a barrier's plan is made at once, which says who is late.
        true => job.peers().is_none() || job.protocol.as_deref() == Some("nonblocking"),
        // Sequential programs have no other thread than their own for what they may never need.
        false => matches!(job.control.every(), Every::Time(_)),
    };
    let of = Arc::clone(job);
    let ranks = move || of.engine().map_or_else(String::new, |e| e.whereabouts());
    tells.then_some((job.patience, ranks))
}

/// The program goes on with the arguments that it has.
fn compare_arguments(saved: &[Vec<u8>]) {
    arguments::go_on_with(saved);
    let here = arguments::here();
    if !here.is_empty() && here != saved {
        let words = |list: &[Vec<u8>]| {
            let words: Vec<_> = list.iter().map(|a| String::from_utf8_lossy(a)).collect();
            words.join(" ")
        };
        say(&format!(
            "arguments are ignored at a restart: the program goes on with those of its start ('{}' instead of '{}')",
            words(saved),
            words(&here)
        ));
    }
}

fn unusable(error: &StoreError, settings: &Settings) -> String {
    match error {
        StoreError::Locked { .. } => error.to_string(),
        StoreError::Io { .. } if settings.restart != Restart::No && settings.dir.is_dir() => format!(
            "the directory for checkpoints cannot be written to: {error}; a job that goes on writes its checkpoints to it, too: \
             copy it to where that is allowed (cp -r {} COPY) and name the copy with PC3_DIR (pc3run --dir)",
            settings.dir.display()
        ),
        StoreError::Io { .. } => format!(
            "the directory for checkpoints cannot be used: {error}; name another with PC3_DIR (pc3run --dir)"
        ),
    }
}

/// A fresh start: takes back what a job that was to go on by itself (`auto`), but died before its
/// first checkpoint, has written, and notes where the output stands.
fn begin(store: &mut Store, settings: &Settings) {
    let left = store.begun().filter(|_| settings.restart == Restart::No);
    if let Some(id) = left {
        say(&format!(
            "{} holds checkpoints of an earlier run (newest: {id}); the first of this run replaces them. \
             To go on from there instead: PC3_RESTART=latest (pc3run --restart)",
            store.dir().display()
        ));
    }
    let fd = STDOUT_FILENO;
    let here = leads_to(fd);
    let before = if settings.restart == Restart::Auto {
        store.outputs()
    } else {
        Vec::new()
    };
    for output in &before {
        let (done, path) = match output {
            Output::Standard { position, path } if *path == here => (cut_back(fd, *position), path),
            Output::Standard { .. } => continue,
            Output::Appended { position, path } => (cut_file(path, *position), path),
        };
        if let Err(e) = done {
            say(&format!("{path} keeps what an earlier start wrote: {e}"));
        }
    }
    let stdout = stands_at(fd).map(|position| Output::Standard {
        position,
        path: here,
    });
    if let Err(e) = store.note_begin(stdout) {
        say(&format!("where the output begins could not be noted: {e}"));
    }
}

/// A job that stopped has left its outputs as they were at the checkpoint: what lies behind that is others', until it
/// goes on.
fn take_up(store: &Store, id: u64) {
    let outputs = [STDOUT_FILENO, STDERR_FILENO];
    let now = outputs.into_iter().filter_map(|fd| {
        Some(Stood {
            fd,
            position: stands_at(fd)?,
            path: leads_to(fd),
        })
    });
    if let Some(mut stood) = store.take_up(id, now.collect()) {
        stood.retain(|s| s.path == leads_to(s.fd));
        go_on_behind(stood.into_iter().map(|s| (s.fd, s.position)).collect());
    }
}

/// How many ranks there are that were not spawned, and where all are.  `saved`: ranks of the checkpoint that is continued,
/// without those that were spawned and with them; also how many processes there are, and processors for each.
fn placed(
    name: &str,
    program: &Program,
    settings: &Settings,
    saved: Option<(usize, usize)>,
    (processes, processors): (usize, usize),
) -> (usize, Placement) {
    let calls_mpi = program.calls_mpi;
    let before = saved.filter(|_| calls_mpi);
    // As under any `mpirun`.
    let one_each = match calls_mpi && program.private_globals {
        true => processes,
        false => 1,
    };
    let world = settings.ranks.or(before.map(|b| b.0));
    let world = world.unwrap_or(one_each);
    // Others than those are told of when the checkpoint is looked at.
    let ranks = before.filter(|b| b.0 == world).map_or(world, |b| b.1);
    if ranks > 1 && !calls_mpi {
        die(
            EXIT_SETTINGS,
            &format!("PC3_RANKS={ranks}: {name} does not call MPI; it runs on one rank"),
        );
    }
    if ranks > 1 && !program.private_globals {
        die(
            EXIT_SETTINGS,
            &format!("PC3_RANKS={ranks}: {name} was compiled without globals per rank"),
        );
    }
    if processes > ranks {
        die(
            EXIT_SETTINGS,
            &format!("{processes} processes for {ranks} rank{}: say how many ranks with PC3_RANKS (pc3run -n)", if ranks == 1 { "" } else { "s" }),
        );
    }
    let most = ranks.div_ceil(processes);
    // Ranks that are spawned may use more than those that there are now.
    let workers = settings.workers.unwrap_or(processors.clamp(1, most));
    if settings.seed.is_some() && processes > 1 {
        die(
            EXIT_SETTINGS,
            "PC3_DETERMINISTIC: the order is fixed in one process only",
        );
    }
    let traffic = || {
        let path = Traffic::path(&settings.dir);
        let text = std::fs::read_to_string(&path).map_err(|e| {
            format!(
                "{}: {e}; a run with --stats (PC3_STATS=on) leaves what is needed there",
                path.display()
            )
        })?;
        let bad = || format!("{}: not a record of traffic", path.display());
        Traffic::from_text(&text).ok_or_else(bad)
    };
    let placement = Placement::of(&settings.map, ranks, processes, workers, traffic)
        .unwrap_or_else(|why| die(EXIT_SETTINGS, &format!("PC3_MAP (pc3run --map): {why}")));
    (world, placement)
}

/// `checkpoint`: what it goes on from.
fn make_job(
    path: &str,
    program: Program,
    settings: &Settings,
    checkpoint: Option<&Checkpoint>,
    store: Option<Store>,
    peers: Option<Arc<dyn Peers>>,
) -> Arc<Job> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let saved =
        checkpoint.and_then(|c| Some((c.job.world.try_into().ok()?, c.job.ranks.try_into().ok()?)));
    let before = checkpoint.map(|c| &c.job.started_as);
    let started_as = match before.filter(|path| !path.is_empty()) {
        Some(path) => PathBuf::from(path),
        None => std::path::absolute(path).unwrap_or_else(|_| path.into()),
    };
    let calls_mpi = program.calls_mpi;
    let alone = || std::thread::available_parallelism().map_or(1, usize::from);
    let processes = peers.as_ref().map_or(1, |p| p.count());
    let processors = peers.as_ref().map_or_else(alone, |p| p.processors());
    let available = (processes, processors);
    let (world, placement) = placed(name, &program, settings, saved, available);
    let job = Job::new(
        program,
        (name, started_as),
        (world, placement),
        settings,
        store,
        peers,
    );
    let job = Arc::new(job);
    let engine: Box<dyn Engine> = match mpi() {
        Some(make) if calls_mpi => make(&job),
        None if calls_mpi => die(
            EXIT_FATAL,
            "the program calls MPI, but no virtual MPI is linked",
        ),
        _ => Box::new(Solo),
    };
    job.set_engine(engine);
    job
}
