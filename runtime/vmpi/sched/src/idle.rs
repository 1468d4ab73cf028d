//! What a worker does that has no rank to run: it looks again for a while, then it sleeps.

use std::time::{Duration, Instant};

use crate::lock::lock;
use crate::scheduler::{Host, Quiescent, Sched, Worker};
use std::sync::atomic::Ordering::*;

/// Processors take some ten to hundred cycles for a pause; where looking takes from nobody, there is one after so many looks.
const PAUSE: u32 = 16;
/// So many times the looks without a pause take as long as with one.
const MORE: u32 = 4;

/// Looks at the inbox before going to sleep: about a millisecond.  It must be well above the time that waking
/// a sleeping thread takes, or two workers that wait for each other in turn sleep every time.
pub(super) const SPIN: u32 = 30_000;
/// Looks at a single condition, before being woken is prepared for.
const LINGER: u32 = 500;
/// Who has been without the core for so long shares it with others: to look on would cost such a time again and again.
const LONG: Duration = Duration::from_millis(1);
/// So long it sleeps at once, as whoever has slept is given a core sooner than whoever has looked on.
const WARY: Duration = Duration::from_millis(50);

/// Whom it waits for may need this core.  For how long somebody has.
fn give_way() -> Duration {
    let start = Instant::now();
    std::thread::yield_now();
    start.elapsed()
}

impl Worker {
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

    /// Lets others have the core, without which it has been for `away` while it looked; true: it had better sleep.
    fn gives_way(&self, away: &mut Duration) -> bool {
        let now = give_way();
        if now >= LONG {
            self.wary.set(Some(Instant::now() + WARY));
        }
        *away += now;
        *away >= LONG
    }
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
        if self.spin == 0 {
            return false;
        }
        self.look_around(host, self.worker(me), ready)
    }

    fn look_around<H: Host>(&self, host: &H, w: &Worker, ready: impl Fn() -> bool) -> bool {
        if w.is_wary() {
            return ready();
        }
        let looks = self.looks();
        let mut away = Duration::ZERO;
        for i in 1..=self.spin.min(LINGER) * looks.min(MORE) {
            if ready() {
                return true;
            }
            if i % (64 * looks.min(MORE)) == 0 && w.gives_way(&mut away) {
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

    fn find_work<H: Host>(&self, host: &H, w: &Worker) -> bool {
        if !self.single && !w.is_wary() {
            let looks = self.looks();
            let mut away = Duration::ZERO;
            for i in 0..self.spin * looks.min(MORE) {
                if w.inbox.has() {
                    return true;
                }
                if self.stopping.load(Relaxed) {
                    return false;
                }
                host.look(w.index);
                // SAFETY: baton.
                if !unsafe { (*w.run.get()).is_empty() } {
                    return true;
                }
                if i % (64 * looks.min(MORE)) == 63 && w.gives_way(&mut away) {
                    break;
                }
                if i % looks == 0 {
                    std::hint::spin_loop();
                }
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
        w.inbox
            .sleep(|| self.stopping.load(SeqCst) || host.has_mail(Some(w.index)));
        *lock(&self.idle) -= 1;
        !self.stopping.load(SeqCst)
    }
}
