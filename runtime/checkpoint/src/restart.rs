//! Which checkpoint a run continues from: the newest good one, or the one asked for.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pc3_typemetric::codes;

use crate::{increments, restore};
use pc3_control::peers::Peers;
use pc3_control::report::{error, say, EXIT_DIRECTORY, EXIT_NO_CHECKPOINT, EXIT_REFUSED};
use pc3_control::settings::{Restart, Settings};
use pc3_control::store::{file_name, given_up, in_order_of_restart, list};
use pc3_format::read::{Checkpoint, ReadError};
use pc3_state::job::Job;
use pc3_state::rank::Rank;

/// Exit status and message.
pub type Failure = (i32, String);

/// Opens a checkpoint all of whose bytes are good.
fn open(path: &Path) -> Result<Checkpoint, ReadError> {
    let checkpoint = Checkpoint::open(path)?;
    checkpoint.verify()?;
    Ok(checkpoint)
}

/// The checkpoint to continue from; none: a fresh start.
pub fn choose(settings: &Settings) -> Result<Option<Checkpoint>, Failure> {
    let dir = &settings.dir;
    let all = || list(dir).map_err(|e| (EXIT_DIRECTORY, format!("{}: {e}", dir.display())));
    match settings.restart {
        Restart::No => Ok(None),
        Restart::Id(id) => {
            let path = dir.join(file_name(id));
            if !path.exists() {
                return Err((EXIT_NO_CHECKPOINT, absent(id, dir, &all()?)));
            }
            open(&path).map(Some).map_err(|e| unreadable(&path, &e))
        }
        Restart::Auto => newest_good(&all()?, &given_up(dir)),
        Restart::Latest => match newest_good(&all()?, &given_up(dir))? {
            None => Err((
                EXIT_NO_CHECKPOINT,
                format!(
                    "no usable checkpoint in {}; PC3_DIR (pc3run --dir) names another directory, \
                     'auto' instead of 'latest' starts afresh when there is none",
                    dir.display()
                ),
            )),
            found => Ok(found),
        },
    }
}

/// The same for several processes: the first one chooses.
pub fn choose_together(
    settings: &Settings,
    peers: &dyn Peers,
) -> Result<Option<Checkpoint>, Failure> {
    if peers.index() == 0 {
        let chosen = choose(settings)?;
        let id = chosen.as_ref().map_or(0, |c| c.id() + 1);
        peers.spread(&id.to_le_bytes());
        return Ok(chosen);
    }
    let mut id = [0; 8];
    let bytes = peers.spread(&[]);
    id.copy_from_slice(bytes.get(..8).unwrap_or(&[0; 8]));
    let Some(id) = u64::from_le_bytes(id).checked_sub(1) else {
        return Ok(None);
    };
    let path = settings.dir.join(file_name(id));
    // Its sections are checked as they are read; the first process has looked at all.
    let opened = Checkpoint::open(&path);
    opened.map(Some).map_err(|e| unreadable(&path, &e))
}

fn unreadable(path: &Path, e: &ReadError) -> Failure {
    let path = path.display();
    match e.no_memory() {
        true => {
            let why = format!("{path} cannot be read: no memory for it here");
            (EXIT_REFUSED, error(codes::NO_MEMORY, &why))
        }
        false => (EXIT_NO_CHECKPOINT, format!("{path}: {e}")),
    }
}

/// The one in `dir` that a restart would go on from, and whether it is of an earlier run than the last one to begin there.
fn newest(dir: &Path) -> Option<(u64, bool)> {
    let (all, given_up) = (list(dir).ok()?, given_up(dir));
    let mut order = in_order_of_restart(&all, &given_up);
    let id = order.find_map(|(_, path)| open(path).ok())?.id();
    Some((id, given_up.start == 1 && given_up.contains(&id)))
}

/// What a job that ends can be continued from, for people; `dir`: where its checkpoints are.
pub fn to_continue_from(dir: Option<&Path>) -> String {
    match dir.and_then(newest) {
        Some((id, false)) => format!("the newest good checkpoint is {id}"),
        Some((id, true)) => {
            format!("this run has no checkpoint; the newest good one, of an earlier run, is {id}")
        }
        None => "there is no checkpoint to continue from".to_owned(),
    }
}

/// Fills the ranks from a checkpoint.
pub fn restart(
    checkpoint: &Checkpoint,
    job: &Arc<Job>,
    ranks: &mut [Box<Rank>],
) -> Result<(), Failure> {
    let id = checkpoint.id();
    let restored = restore::restore(checkpoint, job, ranks);
    let known = restored.and_then(|()| Ok(increments::go_on_from(job, checkpoint)?));
    known.map_err(|why| {
        (
            EXIT_REFUSED,
            error(
                why.code(),
                &format!("checkpoint {id} cannot be continued here: {why}"),
            ),
        )
    })
}

fn absent(id: u64, dir: &Path, all: &[(u64, PathBuf)]) -> String {
    let ids: Vec<String> = all.iter().map(|(id, _)| id.to_string()).collect();
    let there = match ids.is_empty() {
        true => "none is there".to_owned(),
        false => format!("there: {}", ids.join(", ")),
    };
    format!("no checkpoint {id} in {} ({there})", dir.display())
}

/// Of the course that the job took last, if that has any.
fn newest_good(
    all: &[(u64, PathBuf)],
    given_up: &Range<u64>,
) -> Result<Option<Checkpoint>, Failure> {
    let mut good = None;
    for (_, path) in in_order_of_restart(all, given_up) {
        match open(path) {
            Ok(checkpoint) => {
                good = Some(checkpoint);
                break;
            }
            // An older one would only lose what this one has.
            Err(e) if e.no_memory() => return Err(unreadable(path, &e)),
            Err(e) => say(&format!("{} is skipped: {e}", path.display())),
        }
    }
    let Some(found) = good else {
        return Ok(None);
    };
    // Those of a job that began afresh here, and has none itself.
    if given_up.start == 1 {
        if given_up.contains(&found.id()) {
            say(&format!(
                "going on from checkpoint {} of an earlier run: the last one to begin here has none",
                found.id()
            ));
        }
        return Ok(Some(found));
    }
    let others = all.iter().map(|c| c.0).filter(|id| given_up.contains(id));
    let newer = others.filter(|id| *id > found.id());
    if let Some(last) = newer.max() {
        say(&format!(
            "going on from checkpoint {}: those after it, up to {last}, were given up by a restart from {}",
            found.id(),
            given_up.start - 1
        ));
    }
    Ok(Some(found))
}
