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
/// Of more processes, each hears only of the first one, which hears of all, of its neighbours, and of those that it has had
/// to do with: any link that somebody waits for is watched.
const EACH: u32 = 32;
/// Nothing has come of it, nor was anything sent there.
const NEVER: u32 = u32::MAX;

struct Other {
    /// The beat at which something of this process last came, or was first sent to it.
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

impl Other {
    fn new() -> Other {
        Other {
            heard: AtomicU32::new(NEVER),
            coming: AtomicU64::new(0),
        }
    }
}

impl Heartbeat {
    /// `limit`: none for processes that cannot be out of reach.
    pub fn new(index: u32, count: u32, limit: Option<Duration>) -> Option<Heartbeat> {
        let limit = limit?.max(Duration::from_millis(100));
        Some(Heartbeat {
            index,
            limit,
            beat: AtomicU32::new(0),
            others: (0..count).map(|_| Other::new()).collect(),
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

    /// A frame goes to this process.
    #[inline]
    pub fn speak(&self, peer: u32) {
        let heard = &self.others[peer as usize].heard;
        if heard.load(Relaxed) == NEVER {
            heard.store(self.beat.load(Relaxed), Relaxed);
        }
    }

    /// The head of one has come, with so many bytes behind it.
    pub fn expect(&self, peer: u32, bytes: u64) {
        if bytes > SLOWEST {
            self.hear(peer);
            self.others[peer as usize].coming.store(bytes, Relaxed);
        }
    }

    fn partners(&self) -> impl Iterator<Item = u32> + '_ {
        let (count, me) = (self.others.len() as u32, self.index);
        let always = move |p: u32| count <= EACH || p == 0 || me == 0;
        let beside = move |p: u32| [1, count - 1].contains(&((count + p - me) % count));
        let met = move |p: u32| self.others[p as usize].heard.load(Relaxed) != NEVER;
        (0..count).filter(move |&p| p != me && (always(p) || beside(p) || met(p)))
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
            if was_away || heard.load(Relaxed) == NEVER {
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
    fn many_processes_hear_of_whom_they_have_to_do_with() {
        let limit = Some(Duration::from_secs(16));
        let new = |index| Heartbeat::new(index, 40, limit).unwrap_or_else(|| unreachable!());
        let partners = |h: &Heartbeat| h.partners().collect::<Vec<u32>>();
        assert_eq!(partners(&new(0)).len(), 39);
        assert_eq!(partners(&new(39)), [0, 38]);
        let heartbeat = new(7);
        assert_eq!(partners(&heartbeat), [0, 6, 8]);
        heartbeat.hear(20);
        heartbeat.speak(30);
        assert_eq!(partners(&heartbeat), [0, 6, 8, 20, 30]);
        // What was sent there is never answered.
        let start = Instant::now();
        let at = |seconds| heartbeat.step(start + Duration::from_secs(seconds));
        for second in 1..=16 {
            assert!(at(second).is_ok(), "{second}");
            for p in [0, 6, 8, 20] {
                heartbeat.hear(p);
            }
        }
        assert_eq!(at(17), Err(30));
    }
}
