//! How a job of several processes ends: by itself, because one of them cannot go on, is gone, or is told to end.

use std::sync::atomic::Ordering::*;
use std::time::{Duration, Instant};

use pc3_os::signals::without_signals;
use pc3_runtime::listening;
use pc3_runtime::report::{die, error, follow, say, EXIT_LOST};
use pc3_runtime::to_continue_from;
use pc3_transport::Head;
use pc3_typemetric::codes;

use crate::kind::Kind;
use crate::link::{Link, LINK};
use crate::post::lock;
use pc3_vmpi_transport::note_outcome;

/// This process ends before the job does: so do the others.
pub fn abort(status: i32) {
    let link = lock(&LINK).clone();
    if let Some(link) = link.filter(|l| !l.closing.swap(true, SeqCst)) {
        if !link.bereft.load(SeqCst) {
            note_outcome(status);
        }
        link.tell_abort(status);
        // What waits in a full connection needs the porter; it does not wait for us.
        std::thread::sleep(Duration::from_millis(20));
        // A native MPI may wait for a machine that is out of reach.
        let give_up = move || {
            std::thread::sleep(Duration::from_secs(5));
            // SAFETY: ends the process; what was printed has been written.
            pc3_os::processes::end_now(status)
        };
        let _ = without_signals(|| std::thread::Builder::new().spawn(give_up));
        link.carrier.abort(status);
    }
}

/// Something is wrong here, and other processes may have found the same: the first of them says so, and while the others
/// wait here, their porters hear of it.
pub fn hear_others() {
    let link = lock(&LINK).clone();
    if let Some(link) = link {
        link.rest();
        std::thread::sleep(Duration::from_millis(100) * link.index().min(5));
    }
}

impl Link {
    fn tell_abort(&self, status: i32) {
        let head = Head {
            count: status as u32 as u64,
            ..Head::default()
        };
        for peer in self.others() {
            self.send_bytes(peer, Kind::Abort, head, &[]);
        }
    }

    /// A process is gone without a word: it was killed, or crashed.  One of the others says so.
    pub fn lost(&self, peer: u32, why: &str) {
        // How that process ended is the job's status.
        self.miss(peer, &format!("was killed or has crashed ({why})"), true);
    }

    /// Nothing was heard of a process for so long.
    pub(crate) fn silent(&self, peer: u32, limit: Duration) {
        let seconds = limit.as_secs_f64();
        let what = format!("is out of reach: nothing was heard of it for {seconds} s");
        self.miss(peer, &what, false);
    }

    fn miss(&self, peer: u32, what: &str, ended: bool) {
        if self.byes.load(SeqCst) > 0 || self.closing.load(SeqCst) {
            return;
        }
        let first = if peer == 0 { 1 } else { 0 };
        if self.index() != first && self.spoken_for(Duration::from_secs(2)) {
            follow(EXIT_LOST);
        }
        self.bereft.store(ended, SeqCst);
        let ranks = self.world().map_or(String::new(), |w| {
            format!(
                " ({})",
                pc3_vmpi_core::deadlock::ranks_text(&w.ranks_of(peer))
            )
        });
        let text = format!(
            "process {peer} of {}{ranks} {what}: the job ends; {}",
            self.count(),
            self.good()
        );
        die(EXIT_LOST, &text)
    }

    fn good(&self) -> String {
        let job = self.world().and_then(|w| w.job.get());
        to_continue_from(job.map(|j| j.dir()))
    }

    /// Another process says within this time why the job ends.
    fn spoken_for(&self, patience: Duration) -> bool {
        let since = Instant::now();
        while since.elapsed() < patience {
            self.carrier.progress();
            let aborts = lock(&self.arrivals)
                .frames
                .iter()
                .any(|f| f.head.kind == Kind::Abort as u32);
            if aborts || self.closing.load(SeqCst) {
                self.closing.store(true, SeqCst);
                return true;
            }
            self.carrier.wait(10_000);
        }
        false
    }

    /// A native MPI's launcher ends the processes that are left when one is gone, or is told to end itself.  It says
    /// nothing of checkpoints, so one of the processes does.
    pub(crate) fn ended_by_launcher(&self, signal: i32) -> ! {
        // Process 0, unless that is the one that is gone.
        let patience = Duration::from_millis(100) * self.index().min(5);
        if !self.spoken_for(patience) && !self.closing.swap(true, SeqCst) {
            let text = format!(
                "the job was ended by signal {signal}, as launchers do when one of its processes is gone; {}",
                self.good()
            );
            say(&error(codes::CANNOT_GO_ON, &text));
            self.tell_abort(128 + signal);
            let since = Instant::now();
            while since.elapsed() < Duration::from_millis(20) {
                self.carrier.progress();
                self.carrier.wait(1_000);
            }
        }
        listening::end_by(signal)
    }

    /// All processes have come to their end; returns when nothing more can arrive.
    pub fn close(&self) {
        let bye = Head {
            kind: Kind::Bye as u32,
            ..Head::default()
        };
        self.carrier.send_last(self.others(), &bye);
        let all = u64::from(self.count()) - 1;
        self.desk.until(|| self.byes.load(SeqCst) == all);
        self.closing.store(true, SeqCst);
        self.over.store(true, SeqCst);
        self.carrier.wake();
        self.carrier.finish();
    }
}
