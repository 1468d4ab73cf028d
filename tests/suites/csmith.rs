//! Programs that csmith makes, with a location everywhere, moved at random places: they must do what their plain builds do.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{ensure, Result};
use libtest_mimic::Trial;
use pc3_tests::arch;
use pc3_tests::clock;
use pc3_tests::torture::{csmith, Kind, Plan, Scope, Stops};

/// Trials, one of so many where there are few processors, and programs in each whose plain builds agree.
const TRIALS: u64 = 40;
const SHARE: usize = 10;
const PROGRAMS: usize = 5;

static SO_FAR: AtomicUsize = AtomicUsize::new(0);

pub fn trials() -> Vec<Trial> {
    let here = arch::in_path("csmith");
    if !here {
        println!("skipped: programs made by csmith (not installed)");
    }
    let trial = |n| {
        let name = format!("csmith::{n:02}");
        clock::test(name, move || some(n).map_err(|e| format!("{e:#}").into()))
            .with_ignored_flag(!here)
    };
    numbers().map(trial).collect()
}

fn numbers() -> impl Iterator<Item = u64> {
    arch::share("csmith", 0..TRIALS, SHARE)
}

/// At most 5 % of all may be refused.
fn allowed() -> usize {
    numbers().count() * PROGRAMS / 20
}

fn some(n: u64) -> Result<()> {
    let plan = Plan {
        level: "-O1".into(),
        scope: Scope::Hop,
        seed: n,
        stops: match n % 8 {
            0 => Stops::Star(2),
            _ => Stops::Journeys(2),
        },
        limit: Duration::from_secs(300),
        patience: Duration::from_secs(2),
        others: Some(1),
    };
    let folder = arch::target_dir().join("sources/csmith");
    let (mut tried, mut seed) = (0, n * 20 + 1);
    while tried < PROGRAMS {
        let source = csmith(seed, &folder)?;
        let v = plan.torture(&source);
        ensure!(!v.kind.is_bad(), "csmith {seed}: {v}\n{}", v.detail);
        match v.kind {
            Kind::NoReference | Kind::Disagree => {}
            Kind::Refused | Kind::RefusedRestart => {
                tried += 1;
                let refused = SO_FAR.fetch_add(1, Ordering::Relaxed) + 1;
                ensure!(
                    refused <= allowed(),
                    "csmith {seed}: {v}\n{}\n{refused} are refused",
                    v.detail
                );
            }
            _ => tried += 1,
        }
        seed += 1;
        ensure!(seed < (n + 1) * 20, "plain builds hardly ever agree");
    }
    Ok(())
}
