//! C23's features, each alone and each with each other one (`tests/c23`), by clang with a location everywhere: stopped at home and
//! moved, they do what the plain builds do. `cargo xtask torture --c23` tries them all.

use std::time::Duration;

use anyhow::{ensure, Result};
use libtest_mimic::Trial;
use pc3_tests::arch;
use pc3_tests::clock;
use pc3_tests::torture::{c23, Kind, Plan, Scope, Source, Stops};

/// The first of Debian's that knows all of them.
const CC: &str = "clang-19";
/// One of so many is tried, and where there are few processors one of so many of these.
const SHARE: usize = 11;
const FEWER: usize = 4;

pub fn trials() -> Vec<Trial> {
    let here = arch::in_path(CC);
    if !here {
        println!("skipped: C23 (no {CC})");
    }
    let all = match c23() {
        Ok(all) => all,
        Err(e) => return vec![clock::test("c23", move || Err(format!("{e:#}").into()))],
    };
    let trial = |mut source: Source| {
        source.cc = Some(CC.into());
        clock::test(source.name.replace('/', "::"), move || {
            moves(&source).map_err(|e| format!("{e:#}").into())
        })
        .with_ignored_flag(!here)
    };
    arch::share("c23", all.into_iter().step_by(SHARE), FEWER)
        .map(trial)
        .collect()
}

fn moves(source: &Source) -> Result<()> {
    let plan = Plan {
        level: "-O1".into(),
        scope: Scope::Both,
        seed: 1,
        stops: Stops::Journeys(1),
        limit: Duration::from_secs(300),
        patience: Duration::from_secs(60),
        others: Some(1),
    };
    let v = plan.torture(source);
    ensure!(v.kind == Kind::Pass, "{v}\n{}", v.detail);
    Ok(())
}
