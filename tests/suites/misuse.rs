//! Programs that use MPI wrongly are told so: by an error class where it is one rank's mistake, by the end of the job, with ranks
//! and calls, where several ranks' calls do not belong together. On one process and on two.

use anyhow::{ensure, Result};
use libtest_mimic::Trial;
use pc3_tests::arch::{self, HOST};
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::program::Program;
use pc3_tests::run::{Job, STOPPED};

/// What goes wrong, what the message says of it, and the exit status if it matters.
const CASES: &[(&str, &str, Option<i32>)] = &[
    ("roots", "MPI_ERR_ROOT", None),
    ("kinds", "are in different collectives", None),
    ("later", "are in different collectives", None),
    ("copies", "are in different collectives", None),
    ("counts", "MPI_ERR_COUNT", None),
    ("operations", "MPI_ERR_OP", None),
    ("types", "MPI_ERR_TYPE", None),
    ("lengths", "MPI_ERR_TRUNCATE", None),
    ("blocks", "MPI_ERR_TRUNCATE", None),
    ("gathers", "are in different collectives", None),
    ("scattered", "MPI_ERR_TRUNCATE", None),
    ("scanned", "MPI_ERR_COUNT", None),
    ("grids", "MPI_ERR_TOPOLOGY", None),
    ("periods", "MPI_ERR_TOPOLOGY", None),
    ("files", "MPI_ERR_NOT_SAME", None),
    ("waits", "a non-blocking MPI_Barrier", Some(91)),
    ("deadlock", "MPI_Recv", Some(91)),
    ("left", "MPI_Barrier", Some(91)),
    ("abort0", "by rank 0", Some(40)),
    ("abort1", "by rank 1", Some(41)),
    ("abort3", "by rank 3", Some(43)),
];

const RETURNED: &str = "\
a freed communicator: MPI_ERR_COMM
a null communicator: MPI_ERR_COMM
a number for a communicator: MPI_ERR_COMM
a type that is not committed: MPI_ERR_TYPE
a freed type: MPI_ERR_TYPE
a freed group: MPI_ERR_GROUP
a freed operation: MPI_ERR_OP
a request that is over: MPI_ERR_REQUEST
a rank that does not exist: MPI_ERR_RANK
a rank below 0: MPI_ERR_RANK
a root that does not exist: MPI_ERR_ROOT
a tag below 0: MPI_ERR_TAG
a count below 0: MPI_ERR_COUNT
no buffer: MPI_ERR_BUFFER
no room for a buffered send: MPI_ERR_BUFFER
an operation of another type: MPI_ERR_OP
no pointer for a result: MPI_ERR_ARG
a keyval that does not exist: MPI_ERR_KEYVAL
a message that is too long: MPI_ERR_TRUNCATE
likewise when waited for: MPI_ERR_TRUNCATE
a grid of two groups: MPI_ERR_COMM
a graph of two groups: MPI_ERR_COMM
blocks of several types in place: MPI_ERR_BUFFER
blocks of several types from nowhere: MPI_ERR_BUFFER
to pack to nowhere: MPI_ERR_BUFFER
freed hints: MPI_ERR_INFO
a handler that is null: MPI_ERR_ARG
";

/// What wrong uses of windows come to, on any number of processes.
const WINDOWS: &str = "\
no epoch: MPI_ERR_RMA_SYNC
no lock: MPI_ERR_RMA_SYNC
no start: MPI_ERR_RMA_SYNC
no post: MPI_ERR_RMA_SYNC
nothing to flush: MPI_ERR_RMA_SYNC
no window: MPI_ERR_WIN
an unknown assertion: MPI_ERR_ASSERT
an unknown lock: MPI_ERR_LOCKTYPE
to attach to another window: MPI_ERR_RMA_FLAVOR
to share another window: MPI_ERR_RMA_FLAVOR
a second lock: MPI_ERR_RMA_SYNC
another target: MPI_ERR_RMA_SYNC
a fence in a lock: MPI_ERR_RMA_SYNC
freed in a lock: MPI_ERR_RMA_SYNC
no rank: MPI_ERR_RANK
a displacement below 0: MPI_ERR_DISP
behind the end: MPI_ERR_RMA_RANGE
too much: MPI_ERR_TRUNCATE
another type: MPI_ERR_TYPE
no operation: MPI_ERR_OP
a number to compare: MPI_ERR_TYPE
a second post: MPI_ERR_RMA_SYNC
a lock within: MPI_ERR_RMA_SYNC
end 1
";

/// Windows: argument, number of processes, settings; the status, what is printed and what is told.
type OfWindow = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
    i32,
    &'static str,
    &'static str,
);
const OF_WINDOWS: &[OfWindow] = &[
    ("returned", "1", &[], 0, WINDOWS, ""),
    ("returned", "3", &[], 0, WINDOWS, ""),
    (
        "shared",
        "2",
        &[],
        1,
        "",
        "MPI_Win_allocate_shared (windows.c:108): MPI_ERR_UNSUPPORTED_OPERATION",
    ),
    (
        "any",
        "1",
        &[("PC3_PROTOCOL", "nonblocking"), ("PC3_EVERY", "1x")],
        0,
        "end 1\n",
        "has a window of MPI_Win_create, which others may write to while local checkpoints are taken",
    ),
    (
        "shared",
        "1",
        &[("PC3_EVERY", "1x")],
        0,
        "end 1\n",
        "warning[pc3::W0601]: no checkpoint was taken: rank 0 has the window \"ours\" of MPI_Win_allocate_shared",
    ),
    ("together", "1", &[], 0, "end 334\n", ""),
    ("together", "2", &[], 0, "end 123\n", ""),
    ("locked", "1", &[], 91, "", "MPI_Win_lock at windows.c:104"),
    ("locked", "2", &[], 91, "", "MPI_Win_lock at windows.c:104"),
];

fn of_window((case, processes, env, status, printed, told): &OfWindow) -> Result<()> {
    let p = Program::load(&arch::root().join("tests/faults/windows.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let mut job = Job::new(&p)?;
    job.program.args = vec![(*case).to_owned()];
    let by = [&*pc3run, "-w", "2", "-p", *processes, "--mpi", "none"];
    let child = job.start_by(&by, HOST, &exe, env)?;
    let done = job.finish(child)?;
    let said = String::from_utf8_lossy(&job.stdout()).into_owned();
    ensure!(done.status == *status, "{}: {}", done.status, done.stderr);
    ensure!(said == *printed, "{said}");
    ensure!(
        done.stderr.contains(told),
        "nothing of {told}: {}",
        done.stderr
    );
    Ok(())
}

/// Ranks that have shared memory are not placed in several processes by a restart.
fn stay_together() -> Result<()> {
    let p = Program::load(&arch::root().join("tests/faults/windows.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    let mut job = Job::new(&p)?;
    job.program.args = vec!["together".to_owned()];
    let stop = [("PC3_EVERY", "1x"), ("PC3_STOP_AFTER", "1")];
    let again = [("PC3_RESTART", "latest")];
    let refused = "has shared memory with other ranks of its communicator";
    for (processes, env, status, told) in [
        ("1", &stop[..], STOPPED, ""),
        ("2", &again[..], 89, refused),
        ("1", &again[..], 0, ""),
    ] {
        let by = [&*pc3run, "-p", processes, "--mpi", "none"];
        let done = job.finish(job.start_by(&by, HOST, &exe, env)?)?;
        ensure!(done.status == status, "{}: {}", done.status, done.stderr);
        ensure!(done.stderr.contains(told), "{}", done.stderr);
    }
    let said = String::from_utf8_lossy(&job.stdout()).into_owned();
    ensure!(said == "end 334\n", "{said}");
    Ok(())
}

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, words: &'static str, status: Option<i32>| {
        let case = name.to_owned();
        clock::test(format!("misuse::{name}"), move || {
            check(&case, words, status).map_err(|e| format!("{e:#}").into())
        })
    };
    let cases = CASES
        .iter()
        .map(|(name, words, status)| trial(name, words, *status));
    let window = |of: &'static OfWindow| {
        let protocol = of.2.first().map_or("", |e| e.1);
        let name = format!("misuse::window_{}_{}_{protocol}", of.0, of.1);
        clock::test(name, move || {
            of_window(of).map_err(|e| format!("{e:#}").into())
        })
    };
    let windows = OF_WINDOWS.iter().map(window);
    let cases = cases.chain([trial("returned", "", Some(0))]);
    let together = clock::test("misuse::stay_together".to_owned(), || {
        stay_together().map_err(|e| format!("{e:#}").into())
    });
    cases.chain(windows).chain([together]).collect()
}

fn check(case: &str, words: &str, status: Option<i32>) -> Result<()> {
    let p = Program::load(&arch::root().join("tests/faults/misuse.c"))?;
    let exe = build::instrumented(&p, HOST)?;
    let pc3run = arch::dist().join("bin/pc3run").display().to_string();
    for processes in ["1", "2"] {
        let mut job = Job::new(&p)?;
        job.program.args = vec![case.to_owned()];
        let child = job.start_by(
            &[&pc3run, "-w", "2", "-p", processes, "--mpi", "none"],
            HOST,
            &exe,
            &[],
        )?;
        let done = job.finish(child)?;
        let right = status.map_or(done.status != 0 && done.status < 128, |s| s == done.status);
        ensure!(
            right,
            "on {processes}: exit status {}: {}",
            done.status,
            done.stderr
        );
        ensure!(
            done.stderr.contains(words),
            "on {processes}: nothing of {words}: {}",
            done.stderr
        );
        // Processes may find it at once: only one of them says so.
        let messages = done.stderr.matches("pc3: ").count();
        let expected = usize::from(case != "returned");
        ensure!(
            messages == expected,
            "on {processes}: {messages} messages: {}",
            done.stderr
        );
        let said = String::from_utf8_lossy(&job.stdout()).into_owned();
        let expected = if case == "returned" { RETURNED } else { "" };
        ensure!(said == expected, "on {processes}: {said}");
    }
    Ok(())
}
