//! Random types: 2,000 of them are laid out as the compiler says, and their values move between all ABIs.

use libtest_mimic::Trial;
use pc3_tests::arch;
use pc3_tests::clock;
use pc3_tests::types::Plan;

/// Programs, one of so many where there are few processors, and types of each.
const PROGRAMS: u64 = 20;
const SHARE: usize = 4;
const TYPES: usize = 100;

pub fn trials() -> Vec<Trial> {
    let folder = arch::target_dir().join("e2e/types");
    let trial = |n| {
        let plan = Plan::nth(2026, n, TYPES, &folder);
        clock::test(format!("types::{n:02}"), move || {
            let done = plan.check();
            done.map(|_| ()).map_err(|e| format!("{e:#}").into())
        })
    };
    arch::share(0..PROGRAMS, SHARE).map(trial).collect()
}
