//! The end-to-end suites, one libtest-mimic case per (program, plan).
//!
//! `cargo test -p pc3-tests --test e2e [FILTER]`; `PC3_TEST_MAX` bounds the checkpoints tried per program.

mod control;
mod csmith;
mod debian;
mod faults;
mod kill;
mod links;
mod projects;
mod rust;
mod streams;
mod sweep;
mod trees;
mod view;

use libtest_mimic::{Arguments, Trial};
use pc3_tests::arch;
use pc3_tests::run::runs;

fn main() {
    let args = Arguments::from_args();
    for a in arch::ALL {
        if let Some(why) = a.missing() {
            println!("skipped architecture {why}");
        }
    }
    let mut trials: Vec<Trial> = Vec::new();
    trials.extend(sweep::trials());
    trials.extend(kill::trials());
    trials.extend(faults::trials());
    trials.extend(view::trials());
    trials.extend(streams::trials());
    trials.extend(projects::trials());
    trials.extend(rust::trials());
    trials.extend(links::trials());
    trials.extend(control::trials());
    trials.extend(debian::trials());
    trials.extend(trees::trials());
    trials.extend(csmith::trials());
    let conclusion = libtest_mimic::run(&args, trials);
    let runs: Vec<String> = runs().iter().map(|(a, n)| format!("{a} {n}")).collect();
    println!("programs run: {}", runs.join(", "));
    conclusion.exit();
}
