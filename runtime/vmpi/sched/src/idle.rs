//! What a worker does that has no rank to run: it looks again for a while, then it sleeps.

use std::time::{Duration, Instant};

use crate::lock::lock;
use crate::scheduler::{Host, Quiescent, Sched, Worker};
use std::cell::Cell;
use std::sync::atomic::Ordering::*;

/// Processors take some ten to hundred cycles for a pause; where looking takes from nobody, there is one after so many looks.
const PAUSE: u32 = 16;
/// So many times the looks without a pause take as long as with one.
const MORE: u32 = 4;

/// Looks at a single condition, before being woken is prepared for.
const LINGER: u32 = 500;
/// Looks until the clock is looked at.
const FEW: u32 = 64;
/// Who looks for any work lets others have the core only then: on a busy machine they keep it for long, and most waits are
/// over by then.
const ALONE: Duration = Duration::from_micros(50);
/// It looks on for so long before it sleeps, at least: well above the time that waking a sleeping thread takes, or two
/// workers that wait for each other in turn sleep every time.
const LEAST: Duration = Duration::from_millis(1);
/// At most, should waits take as long: who is woken behind one of these has lost a small part of it.
const MOST: Duration = Duration::from_millis(20);
/// Who has been without the core for so long shares it with others: to look on would cost such a time again and again.
const LONG: Duration = Duration::from_millis(1);
/// It sleeps at once for a while then, as whoever has slept is given a core sooner than whoever has looked on: for a part
/// of what it has lost, as that may have been chance, and for ever longer, within limits, if it happens again soon.
const WARY: Duration = Duration::from_millis(50);
const AGAIN: Duration = Duration::from_millis(500);

/// Whom it waits for may need this core.  For how long somebody has.
fn give_way() -> Duration {
    let start = Instant::now();
    std::thread::yield_now();
    start.elapsed()
}

/// How long a worker looks on before it sleeps. Baton.
pub(crate) struct Patience {
    /// If its core is its own.
    looks: Cell<Duration>,
    /// Till when it does not look at all.
    wary: Cell<Option<Instant>>,
    /// When it was without its core, and for how long it was wary then.
    lost: Cell<Option<(Instant, Duration)>>,
}

impl Patience {
    pub fn new() -> Patience {
        Patience {
            looks: Cell::new(LEAST),
            wary: Cell::new(None),
            lost: Cell::new(None),
        }
    }

    /// Did it share its core a moment ago?
    #[inline]
    fn is_wary(&self) -> bool {
        let Some(until) = self.wary.get() else {
            return false;
        };
        let still = Instant::now() < until;
        if !still {
            self.wary.set(None);
        }
        still
    }

    /// Its core was taken from it for so long.
    #[cold]
    fn loses(&self, now: Instant, away: Duration) {
        let before = self.lost.get().filter(|l| now - l.0 < AGAIN);
        let wary = before.map_or(away / 2, |l| (4 * away).max(2 * l.1));
        let wary = wary.min(WARY);
        self.looks.set(LEAST);
        self.lost.set(Some((now, wary)));
        self.wary.set(Some(now + wary));
    }

    /// A wait in which it has slept took so long: such ones are looked through from now on, unless they are too long, or
    /// others need the core.
    fn learns(&self, waited: Duration) {
        if self.lost.get().is_some_and(|l| l.0.elapsed() < AGAIN) {
            return;
        }
        let now = self.looks.get();
        self.looks.set(match waited <= MOST {
            true => now.max((2 * waited).min(MOST)),
            false => (now / 2).max(LEAST),
        });
    }

    /// Lets others have the core, without which it has been for `away` while it looked; true: it had better sleep.
    fn gives_way(&self, away: &mut Duration) -> bool {
        let now = give_way();
        if now >= LONG {
            self.loses(Instant::now(), now);
        }
        *away += now;
        *away >= LONG
    }
}

/// What a worker has found that looked on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Looked {
    Work,
    Nothing,
    TheEnd,
}

impl Sched {
    /// After how many looks a worker pauses: those at other workers' lines are few enough with one after each.
    fn looks(&self) -> u32 {
        match self.workers.len() {
            1 => PAUSE,
            _ => 1,
        }
    }

    /// Looks for `ready` for a while if `me`'s worker has nobody else to run: cheaper than to be woken.
    #[inline]
    pub fn linger<H: Host>(&self, host: &H, me: u32, ready: impl Fn() -> bool) -> bool {
        if !self.spin {
            return false;
        }
        self.look_around(host, self.worker(me), ready)
    }

    fn look_around<H: Host>(&self, host: &H, w: &Worker, ready: impl Fn() -> bool) -> bool {
        if w.patience.is_wary() {
            return ready();
        }
        let looks = self.looks();
        let mut away = Duration::ZERO;
        for i in 1..=LINGER * looks.min(MORE) {
            if ready() {
                return true;
            }
            if i % (FEW * looks.min(MORE)) == 0 && w.patience.gives_way(&mut away) {
                return ready();
            }
            host.look(w.index);
            // SAFETY: baton.
            if !unsafe { (*w.run.get()).is_empty() } || w.inbox.has() {
                return false;
            }
            if i % looks == 0 {
                std::hint::spin_loop();
            }
        }
        false
    }

    /// Lets the worker's other ready ranks run.  True if there are none, and others needed the core for long.
    #[inline]
    pub fn yield_now<H: Host>(&self, host: &H, me: u32) -> bool {
        let w = self.worker(me);
        // SAFETY: baton.
        let run = unsafe { &mut *w.run.get() };
        if run.is_empty() && !w.inbox.has() {
            if self.single {
                return false;
            }
            let n = w.lonely.get().wrapping_add(1);
            w.lonely.set(n);
            host.look(w.index);
            if n % 64 == 0 {
                return give_way() >= LONG;
            }
            std::hint::spin_loop();
            return false;
        }
        run.push_back(me);
        self.away(host, &self.slots[me as usize], me);
        false
    }

    #[cold]
    pub(super) fn wait_for_work<H: Host>(&self, host: &H, w: &Worker) -> bool {
        let Some(watch) = &self.watch else {
            return self.find_work(host, w);
        };
        let start = Instant::now();
        let found = self.find_work(host, w);
        let index = self.workers.iter().position(|x| std::ptr::eq(x, w));
        watch.idle(index.unwrap_or(0), start.elapsed());
        found
    }

    /// Looks on for as long as that pays; `since`: when it began to do so, if that took any time.
    fn look_on<H: Host>(&self, host: &H, w: &Worker, since: &mut Option<Instant>) -> Looked {
        let looks = self.looks();
        let few = FEW * looks.min(MORE);
        let mut away = Duration::ZERO;
        loop {
            for i in 1..=few {
                if w.inbox.has() {
                    return Looked::Work;
                }
                if self.stopping.load(Relaxed) {
                    return Looked::TheEnd;
                }
                host.look(w.index);
                // SAFETY: baton.
                if !unsafe { (*w.run.get()).is_empty() } {
                    return Looked::Work;
                }
                if i % looks == 0 {
                    std::hint::spin_loop();
                }
            }
            let waited = since.get_or_insert_with(Instant::now).elapsed();
            let gives_way = waited > ALONE && w.patience.gives_way(&mut away);
            if gives_way || waited > w.patience.looks.get() {
                return Looked::Nothing;
            }
        }
    }

    fn find_work<H: Host>(&self, host: &H, w: &Worker) -> bool {
        let mut since = None;
        if self.spin && !w.patience.is_wary() {
            match self.look_on(host, w, &mut since) {
                Looked::Work => return true,
                Looked::TheEnd => return false,
                Looked::Nothing => {}
            }
        }
        let mut idle = lock(&self.idle);
        if self.stopping.load(SeqCst) {
            return false;
        }
        // Only workers that are not idle put ranks into inboxes and send: if all are idle, the
        // inboxes empty and nothing on its way, nothing will ever run by itself.
        let last = *idle + 1 == self.workers.len();
        if last && self.workers.iter().all(|w| !w.inbox.has()) && !host.has_mail(None) {
            drop(idle);
            match host.quiescent() {
                Quiescent::Resumed => return true,
                Quiescent::Stop => {
                    self.stop();
                    return false;
                }
                Quiescent::Wait => idle = lock(&self.idle),
            }
        }
        *idle += 1;
        drop(idle);
        host.rest();
        let since = since.unwrap_or_else(Instant::now);
        w.inbox
            .sleep(|| self.stopping.load(SeqCst) || host.has_mail(Some(w.index)));
        w.patience.learns(since.elapsed());
        *lock(&self.idle) -= 1;
        !self.stopping.load(SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_that_are_not_too_long_are_looked_through() {
        let p = Patience::new();
        p.learns(Duration::from_millis(5));
        assert_eq!(p.looks.get(), Duration::from_millis(10));
        p.learns(Duration::from_millis(2));
        assert_eq!(p.looks.get(), Duration::from_millis(10));
        p.learns(MOST);
        assert_eq!(p.looks.get(), MOST);
        for _ in 0..10 {
            p.learns(Duration::from_secs(1));
        }
        assert_eq!(p.looks.get(), LEAST);
    }

    #[test]
    fn who_shares_its_core_for_long_sleeps_at_once_for_long() {
        let p = Patience::new();
        let start = Instant::now();
        let slice = Duration::from_millis(3);
        let wary = || p.lost.get().map_or(Duration::ZERO, |l| l.1);
        p.loses(start, slice);
        assert_eq!(wary(), slice / 2, "once may be chance");
        let mut at = start;
        let mut longest = slice / 2;
        for _ in 0..10 {
            at += Duration::from_millis(60);
            p.loses(at, slice);
            assert!(wary() > longest || wary() == WARY);
            longest = wary();
        }
        assert_eq!(longest, WARY);
        p.learns(MOST);
        assert_eq!(p.looks.get(), LEAST, "others need the core");
        p.loses(at + AGAIN, slice);
        assert_eq!(wary(), slice / 2);
    }
}
