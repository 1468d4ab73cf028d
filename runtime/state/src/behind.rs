//! The checkpoint that is being written while the ranks of the job go on.

use std::sync::atomic::AtomicU64;
use std::sync::Mutex;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pc3_format::pipe::Pipe;
use pc3_os::signals::without_signals;
use pc3_os::threads::lock;

const NAME: &str = "pc3-commit";

#[derive(Default)]
pub struct Behind {
    /// From ranks that stand to the thread that writes.
    pub pipe: Pipe,
    writer: Mutex<Option<JoinHandle<()>>>,
    /// What the last one had.
    pub bytes: AtomicU64,
}

impl Behind {
    /// Starts the thread; false if there can be none.
    pub fn start(&self, write: impl FnOnce() + Send + 'static) -> bool {
        let builder = thread::Builder::new().name(NAME.to_owned());
        let started = without_signals(|| builder.spawn(write));
        let started = started.ok();
        let has = started.is_some();
        *lock(&self.writer) = started;
        has
    }

    fn is_own_thread() -> bool {
        thread::current().name() == Some(NAME)
    }

    /// Waits until nothing is being written.
    pub fn settle(&self) {
        if !Behind::is_own_thread() {
            let mut writer = lock(&self.writer);
            // Whatever became of it has been told.
            drop(writer.take().map(JoinHandle::join));
        }
    }

    /// The same at the process's end for a reason that may be in the thread's way, too.
    pub fn settle_within(&self, limit: Duration) {
        let since = Instant::now();
        let writes = || match self.writer.try_lock() {
            Ok(writer) => writer.as_ref().is_some_and(|w| !w.is_finished()),
            Err(_) => true,
        };
        while !Behind::is_own_thread() && writes() && since.elapsed() < limit {
            thread::sleep(Duration::from_millis(1));
        }
    }
}
