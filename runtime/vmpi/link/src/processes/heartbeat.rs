//! Native MPIs wait without end for a machine that is out of reach.  So processes send each other a frame every now and then, and one
//! that nothing is heard of for long counts as lost.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::post::lock;

/// So many beats make a silence.
const BEATS: u32 = 16;
/// Long bodies come at least as fast, in bytes a second; meanwhile nothing else does.
const SLOWEST: u64 = 1 << 20;
/// Of more processes, each hears only of the first one, and the first one of all.
const EACH: u32 = 32;

#[derive(Default)]
struct Other {
    /// The beat at which something of this process last came.
    heard: AtomicU32,
    /// Bytes that are coming in one piece.
    coming: AtomicU64,
}

pub(crate) struct Heartbeat {
    index: u32,
    /// How long a process may be silent.
    limit: Duration,
    beat: AtomicU32,
    others: Box<[Other]>,
    last: Mutex<Instant>,
}

impl Heartbeat {
    /// `limit`: none for processes that cannot be out of reach.
    pub fn new(index: u32, count: u32, limit: Option<Duration>) -> Option<Heartbeat> {
        let limit = limit?.max(Duration::from_millis(100));
        Some(Heartbeat {
            index,
            limit,
            beat: AtomicU32::new(0),
            others: (0..count).map(|_| Other::default()).collect(),
            last: Mutex::new(Instant::now()),
        })
    }

    pub fn limit(&self) -> Duration {
        self.limit
    }

    /// A frame of this process has come.
    pub fn hear(&self, peer: u32) {
        let other = &self.others[peer as usize];
        other.heard.store(self.beat.load(Relaxed), Relaxed);
        other.coming.store(0, Relaxed);
    }

    /// The head of one has come, with so many bytes behind it.
    pub fn expect(&self, peer: u32, bytes: u64) {
        if bytes > SLOWEST {
            self.hear(peer);
            self.others[peer as usize].coming.store(bytes, Relaxed);
        }
    }

    fn partners(&self) -> impl Iterator<Item = u32> + '_ {
        let count = self.others.len() as u32;
        let with = move |p: &u32| *p != self.index && (count <= EACH || *p == 0 || self.index == 0);
        (0..count).filter(with)
    }

    /// Whom to send something now, if it is time; `Err`: nothing was heard of this one for too long.
    pub fn step(&self, now: Instant) -> Result<Vec<u32>, u32> {
        let each = self.limit / BEATS;
        let mut last = lock(&self.last);
        let gap = now.saturating_duration_since(*last);
        if gap < each {
            return Ok(Vec::new());
        }
        *last = now;
        let beat = self.beat.load(Relaxed).wrapping_add(1);
        self.beat.store(beat, Relaxed);
        // This process itself was not there, so it cannot know.
        let was_away = gap > each * 4;
        for peer in self.partners() {
            let Other { heard, coming } = &self.others[peer as usize];
            if was_away {
                heard.store(beat, Relaxed);
            }
            let seconds = coming.load(Relaxed) / SLOWEST;
            let longer = seconds as f64 / each.as_secs_f64();
            let silent = beat.wrapping_sub(heard.load(Relaxed));
            if f64::from(silent) > f64::from(BEATS) + longer {
                return Err(peer);
            }
        }
        Ok(self.partners().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_noticed_and_absence_forgiven() {
        let limit = Duration::from_secs(16);
        let heartbeat = Heartbeat::new(1, 3, Some(limit)).unwrap_or_else(|| unreachable!());
        let start = Instant::now();
        let at = |seconds| heartbeat.step(start + Duration::from_secs(seconds));
        for second in 1..=30 {
            assert_eq!(at(second), Ok(vec![0, 2]), "{second}");
            assert_eq!(at(second), Ok(vec![]));
            heartbeat.hear(0);
            if second <= 14 {
                heartbeat.hear(2);
            }
        }
        assert_eq!(at(31), Err(2));
        // It was stopped for long.
        assert_eq!(at(300), Ok(vec![0, 2]));
        heartbeat.expect(2, 100 << 20);
        for second in 301..=416 {
            heartbeat.hear(0);
            assert_eq!(at(second), Ok(vec![0, 2]), "{second}");
        }
        assert_eq!(at(417), Err(2));
        assert!(Heartbeat::new(0, 2, None).is_none());
    }

    #[test]
    fn many_processes_hear_of_the_first_only() {
        let limit = Some(Duration::from_secs(16));
        let partners = |index| {
            let heartbeat = Heartbeat::new(index, 40, limit)?;
            Some(heartbeat.partners().collect::<Vec<u32>>())
        };
        assert_eq!(partners(7), Some(vec![0]));
        assert_eq!(partners(0).map(|p| p.len()), Some(39));
    }
}
