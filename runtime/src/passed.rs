//! Locations that a guest's program passes where no checkpoint can be taken: in functions that are called as if they were not
//! checkpointable.  Where that is all that a program does, or for long, it is told.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use pc3_typemetric::codes;

use pc3_control::control::Control;
use pc3_control::report::{say, warning};
use pc3_control::settings::Every;
use pc3_state::rank::Rank;

/// Where that was first.
static FIRST: OnceLock<String> = OnceLock::new();
static COUNT: AtomicU64 = AtomicU64::new(0);
/// When a checkpoint that is due was first passed by, and whether that was said.
static WAITS: Mutex<(Option<Instant>, bool)> = Mutex::new((None, false));

/// So long it may wait.
const PATIENCE: Duration = Duration::from_secs(1);

/// The rank is at such a location.
pub fn passed(rank: &Rank, function: &str, file: &str, line: u32) {
    COUNT.fetch_add(1, Relaxed);
    let place = FIRST.get_or_init(|| format!("`{function}` ({file}:{line})"));
    let mut waits = WAITS.lock().unwrap_or_else(PoisonError::into_inner);
    if !rank.job().control.requested() {
        waits.0 = None;
    } else if waits.0.get_or_insert_with(Instant::now).elapsed() > PATIENCE && !waits.1 {
        waits.1 = true;
        say(&warning(
            codes::NOT_TAKEN,
            &format!("a checkpoint is due, but waits: {}", why(place)),
        ));
    }
}

fn why(place: &str) -> String {
    format!("the location in {place} was reached by a call without `ck!`, or through a function that is not checkpointable, and none can be taken there")
}

/// What is to be said when the program has come to its end.
pub(crate) fn last_words(control: &Control) -> Option<String> {
    let place = FIRST.get()?;
    let wanted = match control.every() {
        Every::Passages(n) => COUNT.load(Relaxed) >= n,
        Every::Never | Every::Time(_) => control.was_due(),
    };
    (wanted && control.none_taken()).then(|| {
        warning(
            codes::NOT_TAKEN,
            &format!("no checkpoint was taken: {}", why(place)),
        )
    })
}
