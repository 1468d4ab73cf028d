//! A checkpoint that is written behind the ranks: they stand while what it has is copied into a [pipe](Pipe), and go on; a
//! thread writes it, and whatever follows is that thread's.
//!
//! One at a time: before the next one begins, before the program forks and when it ends, [`Behind::settle`] waits for it.
//!
//! [`Pipe`]: pc3_format::pipe::Pipe
//! [`Behind::settle`]: pc3_state::behind::Behind::settle

use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::Arc;

use pc3_control::failpoint::chaos;
use pc3_control::settings::Commit;
use pc3_format::file::Writer;
use pc3_state::job::Job;

/// Are checkpoints written behind the ranks?
pub(crate) fn is_wanted(job: &Job) -> bool {
    !job.detached && job.commit != Commit::Sync
}

/// The thread that is to write one: it waits to be told where, and then for what is known when all has been copied.
pub(crate) struct Hand<B, C> {
    begun: Sender<B>,
    copied: Sender<C>,
}

/// Starts it for a checkpoint of which this process has about so many bytes; none if that cannot be done.
pub(crate) fn start<B: Send + 'static, C: Send + 'static>(
    job: &Arc<Job>,
    bytes: u64,
    write: fn(&Job, B, &Receiver<C>),
) -> Option<Hand<B, C>> {
    let Commit::Async(limit) = job.commit else {
        return None;
    };
    job.behind.pipe.open(bytes, limit).ok()?;
    let (begun, begins) = channel();
    let (copied, copies) = channel();
    let of = Arc::clone(job);
    let started = job.behind.start(move || {
        chaos();
        if let Ok(begun) = begins.recv() {
            write(&of, begun, &copies);
        }
    });
    started.then_some(Hand { begun, copied })
}

impl<B, C> Hand<B, C> {
    /// Has written to `begun` what `copy` puts into the pipe, whose sections begin at `at`.  Returns how far they go.
    pub fn copy(
        &self,
        job: &Job,
        (begun, at): (B, u64),
        copy: impl FnOnce(&mut Writer) -> io::Result<()>,
    ) -> u64 {
        // It waits for that.
        let _ = self.begun.send(begun);
        let mut out = Writer::piping(&job.behind.pipe, at);
        let done = copy(&mut out);
        let end = out.offset();
        job.behind.bytes.store(end - at, Relaxed);
        out.close_pipe(done);
        end
    }

    /// The ranks go on.
    pub fn leave(self, copied: C) {
        let _ = self.copied.send(copied);
        chaos();
    }
}
