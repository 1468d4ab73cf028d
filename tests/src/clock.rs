//! How long cases take, so that it is seen what the suites cost.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};

static TAKEN: Mutex<Vec<(String, Duration)>> = Mutex::new(Vec::new());

/// A case whose time is noted.
pub fn test(
    name: impl Into<String>,
    runner: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let name = name.into();
    Trial::test(name.clone(), move || {
        let start = Instant::now();
        let result = runner();
        let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        taken.push((name.clone(), start.elapsed()));
        // The list of failures comes at the end of all cases, which a run that is cut short does not reach.
        if let Some(why) = result.as_ref().err().and_then(Failed::message) {
            eprintln!("FAILED {name}: {}", why.lines().next().unwrap_or_default());
        }
        result
    })
}

/// Seconds of each suite's cases, added up, and the longest cases; they run beside each other.
pub fn report(longest: usize) -> String {
    let mut taken = std::mem::take(&mut *TAKEN.lock().unwrap_or_else(PoisonError::into_inner));
    let mut suites: BTreeMap<&str, f64> = BTreeMap::new();
    for (name, time) in &taken {
        let suite = name.split("::").next().unwrap_or(name);
        *suites.entry(suite).or_default() += time.as_secs_f64();
    }
    let mut suites: Vec<_> = suites.into_iter().collect();
    suites.sort_by(|a, b| b.1.total_cmp(&a.1));
    let list = |all: Vec<(&str, f64)>| {
        let words = all.iter().map(|(name, s)| format!("{name} {s:.0}"));
        words.collect::<Vec<_>>().join(", ")
    };
    let suites = list(suites);
    taken.sort_by_key(|t| std::cmp::Reverse(t.1));
    let cases = taken.iter().take(longest);
    let cases = list(cases.map(|(n, t)| (n.as_str(), t.as_secs_f64())).collect());
    format!("seconds of suites: {suites}\nseconds of the longest cases: {cases}")
}
