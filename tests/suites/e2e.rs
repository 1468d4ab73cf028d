//! The end-to-end suites, one libtest-mimic case per (program, plan).
//!
//! `cargo test -p pc3-tests --test e2e [FILTER]`; `PC3_TEST_MAX` bounds the checkpoints tried per program, `PC3_TEST_ARCHS=all` takes
//! each of them to all architectures, and leaves nothing out, where there are few processors, too.

mod c23;
mod control;
mod crates;
mod csmith;
mod debian;
mod diagnostics;
mod elsewhere;
mod epochs;
mod faults;
mod gcc_dg;
mod growth;
mod hpcc;
mod increments;
mod jobs;
mod kill;
mod links;
mod machines;
mod misuse;
mod places;
mod processes;
mod projects;
mod protocol;
mod released;
mod rust;
mod rust_changed;
mod rust_diagnostics;
mod rust_editor;
mod rust_moved;
mod storage;
mod streams;
mod surroundings;
mod sweep;
mod toolchains;
mod trees;
mod types;
mod view;
mod wakeups;

use libtest_mimic::{Arguments, Trial};
use pc3_tests::arch;
use pc3_tests::build;
use pc3_tests::clock;
use pc3_tests::run::runs;
use pc3_tests::stale::stale;

fn main() {
    let mut args = Arguments::from_args();
    // Cases wait for what they started, and that for its own processes: with one for each processor half of them are idle.
    args.test_threads = args
        .test_threads
        .or_else(|| Some(std::thread::available_parallelism().ok()?.get() * 2));
    // Shells have what runs in the background ignore it, and so would the jobs that a case sends it to.
    // SAFETY: there are no other threads yet.
    unsafe { libc::signal(libc::SIGQUIT, libc::SIG_DFL) };
    for a in arch::ALL.iter().filter(|a| arch::is_tried(a)) {
        if let Some(why) = a.missing() {
            println!("skipped architecture {why}");
        }
    }
    if !arch::all_round() {
        // What is asked for instead is gone round as a whole.
        println!(
            "skipped, as this machine has few processors (PC3_TEST_ARCHS=all has all): aarch64; for each program one of s390x and i686, in turn \
             (PC3_TEST_TURN=0 and 1 have both), and for those in Rust i686; -O2 on others than this one; four of six checkpoints, and programs without one; half of what is done to \
             each MPI program; three of six kills of each program; SQLite; others at another commit are nine of ten programs by csmith, three of four of C23's and \
             of gcc's, four of five random ones in Rust, two of three packages from crates.io, three of four trees of sources, half of Lua's \
             scripts and hpcc, one of two searches of the simulator; the runtime's own programs on i686"
        );
    }
    let old = stale();
    if !old.is_empty() && !args.list {
        let text = format!(
            "older than the sources: {} in {}; run cargo xtask dist --target ... first",
            old.join(", "),
            arch::dist().display()
        );
        // Who names a case knows what it needs.
        if args.filter.is_none() {
            eprintln!("{text} (or name the cases to run)");
            std::process::exit(1);
        }
        eprintln!("warning: {text}");
    }
    if args.filter.is_none() && !args.list {
        std::thread::spawn(build::rust_ahead);
    }
    // The longest first: the last one alone leaves processors idle.
    let mut trials: Vec<Trial> = trees::trials();
    trials.extend(sweep::trials());
    trials.extend(kill::trials());
    trials.extend(faults::trials());
    trials.extend(gcc_dg::trials());
    trials.extend(elsewhere::trials());
    trials.extend(view::trials());
    trials.extend(storage::trials());
    trials.extend(streams::trials());
    trials.extend(surroundings::trials());
    trials.extend(diagnostics::trials());
    trials.extend(misuse::trials());
    trials.extend(places::trials());
    trials.extend(processes::trials());
    trials.extend(growth::trials());
    trials.extend(jobs::trials());
    trials.extend(machines::trials());
    trials.extend(wakeups::trials());
    trials.extend(protocol::trials());
    trials.extend(released::trials());
    trials.extend(epochs::trials());
    trials.extend(projects::trials());
    trials.extend(rust::trials());
    trials.extend(rust_diagnostics::trials());
    trials.extend(rust_moved::trials());
    trials.extend(rust_changed::trials());
    trials.extend(rust_editor::trials());
    trials.extend(crates::trials());
    trials.extend(links::trials());
    trials.extend(control::trials());
    trials.extend(debian::trials());
    trials.extend(hpcc::trials());
    trials.extend(increments::trials());
    trials.extend(c23::trials());
    trials.extend(toolchains::trials());
    trials.extend(csmith::trials());
    trials.extend(types::trials());
    let conclusion = libtest_mimic::run(&args, trials);
    let runs: Vec<String> = runs().iter().map(|(a, n)| format!("{a} {n}")).collect();
    println!("programs run: {}", runs.join(", "));
    rust::seen().iter().for_each(|s| println!("{s}"));
    println!("{}", clock::report(25));
    conclusion.exit();
}
