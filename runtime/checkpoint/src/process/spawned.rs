//! Ranks that the program brings into being while it runs.

use std::ffi::CString;
use std::sync::Arc;

use crate::process::attributes;
use pc3_state::job::Job;
use pc3_state::rank::Rank;

/// What one of them is to begin with.
pub struct Birth {
    pub id: usize,
    /// Of its `main`, the program's name first.
    pub arguments: Box<[CString]>,
    /// Locations that it is said to have passed.
    pub passages: u64,
}

/// Makes further ranks, in the order of their numbers; `by`: the rank that asks.  Or why that cannot be.
pub fn bear(job: &Arc<Job>, by: &Rank, births: Vec<Birth>) -> Result<Vec<Box<Rank>>, String> {
    if !job.several() {
        alone_so_far(job, by)?;
        job.keep_apart();
    }
    let one = |b: Birth| {
        let made = Rank::spawned(job.clone(), b.id, b.arguments, b.passages);
        made.map_err(|e| format!("no memory for a rank's stack and globals: {e}"))
    };
    let ranks: Vec<Box<Rank>> = births.into_iter().map(one).collect::<Result<_, _>>()?;
    job.add(ranks.len());
    Ok(ranks)
}

/// The only rank so far has what belongs to the process, which it is to share now.
fn alone_so_far(job: &Job, rank: &Rank) -> Result<(), String> {
    let is_function = |a: u64| job.program.fnrefs.values().any(|f| *f as u64 == a);
    let now = attributes::collect(&is_function, &|a| rank.owns(a), false);
    let changed = [
        (now.directory.is_some(), "working directory"),
        (now.umask.is_some(), "umask"),
        (!now.locale.is_empty(), "locale"),
        (!now.signals.is_empty(), "signal handlers"),
        (!now.timers.is_empty(), "timers"),
    ];
    match changed.iter().find(|c| c.0) {
        None => Ok(()),
        Some((_, what)) => Err(format!(
            "the only rank has changed its {what} before it spawned others, which do not have that: \
             spawn first, or start the program on two ranks or more (pc3run -n)"
        )),
    }
}
