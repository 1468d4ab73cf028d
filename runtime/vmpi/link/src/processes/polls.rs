//! Ranks of several processes that poll while all others wait, and nothing is under way: process 0 looks every now and then whether it is
//! still so, and tells it after some time.  It does not end the job: who polls may stop doing so.

use std::time::{Duration, Instant};

use pc3_vmpi_core::world::World;

/// So often, at least: standard sends that ranks wait for are buffered then.
const SOON: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub struct Watch {
    /// Which time of stillness, and its beginning.
    since: Option<(u64, Instant)>,
    looked: Option<Instant>,
    told: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    Nothing,
    /// Is it still so?
    Look,
    /// It has been so for too long.
    Tell,
}

impl Watch {
    /// `still`: by its number, a time in which nothing moves; `patience`: how long that is in order.
    pub fn step(&mut self, still: Option<u64>, patience: Duration, now: Instant) -> Step {
        let Some(number) = still else {
            self.since = None;
            return Step::Nothing;
        };
        let (_, start) = *match &mut self.since {
            Some(since) if since.0 == number => since,
            other => {
                self.looked = Some(now);
                other.insert((number, now))
            }
        };
        let looked = self.looked.unwrap_or(start);
        if now - looked >= SOON.min(patience / 8) {
            self.looked = Some(now);
            Step::Look
        } else if !self.told && now - start >= patience {
            self.told = true;
            Step::Tell
        } else {
            Step::Nothing
        }
    }
}

pub fn text(world: &World, ranks: &str) -> String {
    let seconds = world.idle.patience().as_secs_f64();
    format!(
        "no progress for {seconds} s: ranks poll while all others wait, and no message is under way between processes\n{ranks}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_so_is_told_once() {
        let start = Instant::now();
        let mut watch = Watch::default();
        let mut at = |still, ms| {
            let now = start + Duration::from_millis(ms);
            watch.step(still, Duration::from_millis(80), now)
        };
        assert_eq!(at(None, 0), Step::Nothing);
        assert_eq!(at(Some(1), 5), Step::Nothing);
        assert_eq!(at(Some(1), 16), Step::Look);
        assert_eq!(at(Some(1), 17), Step::Nothing);
        // Something has moved in between.
        assert_eq!(at(Some(2), 84), Step::Nothing);
        assert_eq!(at(Some(2), 86), Step::Nothing);
        assert_eq!(at(Some(2), 163), Step::Look);
        assert_eq!(at(Some(2), 165), Step::Tell);
        assert_eq!(at(Some(2), 400), Step::Look);
        assert_eq!(at(Some(2), 405), Step::Nothing);
    }
}
