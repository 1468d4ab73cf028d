//! One running program: its settings and what all of its ranks share.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use crate::control::{Control, Every};
use crate::engine::Engine;
use crate::library;
use crate::rank::Rank;
use crate::registry::Program;
use crate::save;
use crate::settings::Settings;
use crate::store::{Output, Store, StoreError};
use crate::tell::{flush_all, say, EXIT_STOPPED};

/// What follows a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    Continue,
    /// The job is to end: call [`Job::stop`].
    Stop,
}

pub struct Job {
    /// Logical ranks.
    pub ranks: usize,
    /// Worker threads that run them.
    pub workers: usize,
    /// `PC3_PROTOCOL`, if given.
    pub protocol: Option<String>,
    pub control: Control,
    pub program: Program,
    /// File name of the program.
    pub name: String,
    pub(crate) shadow: usize,
    /// `PC3_ADDRESSES=ignore`.
    pub(crate) ignore_addresses: bool,
    dir: PathBuf,
    keep: usize,
    /// Signal by which others ask for a checkpoint.
    signal: Option<i32>,
    /// Opened, and locked, when first needed.
    store: Mutex<Option<Store>>,
    engine: OnceLock<Box<dyn Engine>>,
    refused: Mutex<BTreeSet<String>>,
}

impl Job {
    pub(crate) fn new(
        program: Program,
        name: &str,
        ranks: usize,
        workers: usize,
        s: &Settings,
        store: Option<Store>,
    ) -> Job {
        Job {
            ranks,
            workers,
            protocol: s.protocol.clone(),
            control: Control::new(s.every, s.stop_after),
            program,
            name: name.to_owned(),
            shadow: s.shadow,
            ignore_addresses: s.ignore_addresses,
            dir: s.dir.clone(),
            keep: s.keep,
            signal: s.request_signal(),
            store: Mutex::new(store),
            engine: OnceLock::new(),
            refused: Mutex::default(),
        }
    }

    /// A job without a program, a directory or an environment: for engines' own tests.
    pub fn detached(ranks: usize, workers: usize, every: Every) -> Job {
        Job {
            ranks,
            workers,
            protocol: None,
            control: Control::new(every, None),
            program: Program::empty(),
            name: String::new(),
            shadow: 1 << 20,
            ignore_addresses: false,
            // Nothing can be written there.
            dir: PathBuf::from("/dev/null/none"),
            keep: 1,
            signal: None,
            store: Mutex::new(None),
            engine: OnceLock::new(),
            refused: Mutex::default(),
        }
    }

    /// Who runs the ranks; none in a detached job.
    pub fn engine(&self) -> Option<&dyn Engine> {
        self.engine.get().map(|e| &**e)
    }

    pub(crate) fn set_engine(&self, engine: Box<dyn Engine>) {
        let _ = self.engine.set(engine);
    }

    /// Opens and locks the checkpoint directory, if that has not been done.
    pub(crate) fn open_store(&self) -> Result<(), StoreError> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = store.take_if(|s| s.is_gone()).map(|s| s.next_id());
        if store.is_none() {
            let mut new = Store::open(&self.dir, self.keep, self.signal)?;
            new.go_on_at(gone.unwrap_or(1));
            *store = Some(new);
        }
        Ok(())
    }

    /// Unlocks the directory; `ended`: the program came to its end.
    pub(crate) fn close_store(&self, ended: bool) {
        // Called while the process ends; a checkpoint being written by another thread keeps it.
        if let Ok(mut store) = self.store.try_lock() {
            if let Some(store) = store.as_ref().filter(|_| ended) {
                store.end();
            }
            *store = None;
        }
    }

    /// Before anything outside of the process is changed by a restart from checkpoint `id`.
    pub(crate) fn continued(&self, id: u64) -> Result<(), StoreError> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.as_mut().map_or(Ok(()), |store| store.continued(id))
    }

    /// The program has opened a file to append to it.  Should it be killed before its first checkpoint and begin
    /// again, what it has written there is taken back.
    pub(crate) fn appends(&self, position: u64, path: String) {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let output = Output::Appended { position, path };
        if let Some(Err(e)) = store.as_mut().map(|store| store.note_output(&output)) {
            say(&format!("where an output began could not be noted: {e}"));
        }
    }

    /// Writes and commits a checkpoint of all ranks, which are unwound or finished, in rank order.
    /// A failure is reported on stderr and the program goes on.
    pub fn checkpoint(&self, ranks: &mut [&mut Rank], passage: u64) -> After {
        let start = Instant::now();
        let asked = self.control.begin();
        if let Err(obstacle) = library::gather(ranks) {
            self.in_the_way(&obstacle, asked);
            self.control.done(passage, false);
            return After::Continue;
        }
        let committed = self.open_store().and_then(|()| {
            let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
            match store.as_mut() {
                Some(store) => {
                    let id =
                        store.commit(|file, id| save::write(self, ranks, passage, id, file))?;
                    store.note_stall(id, start.elapsed());
                    Ok(id)
                }
                None => Ok(0),
            }
        });
        if let Err(error) = &committed {
            if asked {
                self.refuse(&error.to_string());
            }
            say(&format!(
                "no checkpoint was taken: {error}; the program goes on"
            ));
        }
        if self.control.done(passage, committed.is_ok()) {
            After::Stop
        } else {
            After::Continue
        }
    }

    /// Something that no checkpoint can hold exists: said once, and to those who ask.
    fn in_the_way(&self, obstacle: &str, asked: bool) {
        if asked && self.open_store().is_ok() {
            self.refuse(obstacle);
        }
        let mut said = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if said.insert(obstacle.to_owned()) || asked {
            say(&format!(
                "no checkpoint was taken: {obstacle}; the program goes on"
            ));
        }
    }

    /// A planned checkpoint cannot be taken, ranks having passed up to `passage` locations.  Said for the
    /// first, and to those who ask.
    pub fn drop_checkpoint(&self, passage: u64, why: &str) {
        let dropped = self.control.give_up(passage);
        if dropped.asked && self.open_store().is_ok() {
            self.refuse(why);
        }
        if dropped.asked || dropped.before == 0 {
            say(why);
        }
    }

    /// Lets those know who asked for a checkpoint.
    fn refuse(&self, why: &str) {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = store.as_mut() {
            store.note_refusal(why);
        }
    }

    /// Ends the process after a checkpoint with stop; the program's exit handlers do not run.
    pub fn stop(&self) -> ! {
        flush_all();
        self.close_store(false);
        // SAFETY: ends the process.
        unsafe { libc::_exit(EXIT_STOPPED) }
    }
}
