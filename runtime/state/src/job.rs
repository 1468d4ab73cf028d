//! One running program: its settings and what all of its ranks share.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::behind::Behind;
use crate::engine::Engine;
use crate::guest::Tables;
use crate::program::registry::Program;
use pc3_control::control::{Attempted, Control};
use pc3_control::partition::Traffic;
use pc3_control::peers::Peers;
use pc3_control::placement::Placement;
use pc3_control::report::{flush_all, flush_standard, say, warning, EXIT_STOPPED};
use pc3_control::settings::{self, Addresses, Commit, Every, Settings, Stats};
use pc3_control::store::{Begin, Output, Store, StoreError};
use pc3_format::increments::chunker::Known;
use pc3_format::meta::FileMeta;
use pc3_os::threads::lock;
use pc3_process::files::{outputs_are_alone, silence, take_back};
use pc3_process::files::{printing, window};
use pc3_typemetric::codes;
use pc3_typemetric::types::TypeTable;

pub struct Job {
    /// Logical ranks that the job was started with, or that it had when it was continued.
    pub ranks: usize,
    /// Of these, those that were not spawned: the first MPI_COMM_WORLD.
    pub world: usize,
    /// All that there have been so far.
    all: AtomicUsize,
    /// What its program was first started as.
    pub started_as: PathBuf,
    /// Worker threads that run them.
    pub workers: usize,
    /// `PC3_PROTOCOL`, if given.
    pub protocol: Option<String>,
    pub control: Control,
    pub commit: Commit,
    /// What is known of the last checkpoint, if the next is to hold what has changed since.
    pub increments: Option<Mutex<Arc<Known>>>,
    /// Chunks are compressed, or not; none: where that is quicker.
    pub compress: Option<bool>,
    pub behind: Behind,
    pub program: Program,
    /// File name of the program.
    pub name: String,
    pub shadow: usize,
    /// Its checkpoints are taken and not written.
    pub detached: bool,
    /// `PC3_ADDRESSES=ignore`.
    pub addresses: Addresses,
    pub byte_order: bool,
    /// How long ranks may take to come to a location.
    pub patience: Duration,
    /// How long they may poll while nothing moves.
    pub polling: Duration,
    dir: PathBuf,
    keep: usize,
    /// Signal by which others ask for a checkpoint.
    signal: Option<i32>,
    /// Opened, and locked, when first needed.
    pub store: Mutex<Option<Store>>,
    /// Where outputs that this process opens are noted, if another one has the store.
    outputs: Option<Mutex<Begin>>,
    engine: OnceLock<Box<dyn Engine>>,
    /// The types of the program that wrote the checkpoint which it goes on from.
    pub origin: OnceLock<TypeTable>,
    source: Mutex<Option<u64>>,
    /// What stood in the way, and why checkpoints could not be written since the last one: what has been said.
    pub refused: Mutex<BTreeSet<String>>,
    pub failures: Mutex<BTreeSet<String>>,
    /// What guests' parts of a checkpoint refer to that ranks take one by one.
    guests: Mutex<Tables>,
    /// The other processes, if there are any.
    peers: Option<Arc<dyn Peers>>,
    pub placement: Placement,
    pub stats: Option<Stats>,
    pub seed: Option<u64>,
}

impl Job {
    pub fn new(
        program: Program,
        (name, started_as): (&str, PathBuf),
        (world, placement): (usize, Placement),
        s: &Settings,
        store: Option<Store>,
        peers: Option<Arc<dyn Peers>>,
    ) -> Job {
        let others = peers.as_ref().is_some_and(|p| p.index() != 0);
        let outputs = (others && s.wants_checkpoints(program.has_points))
            .then(|| Mutex::new(Begin::of_another_process(&s.dir)));
        Job {
            ranks: placement.ranks() as usize,
            world,
            all: AtomicUsize::new(placement.ranks() as usize),
            started_as,
            workers: placement.workers() as usize,
            protocol: s.protocol.clone(),
            control: Control::new(s.every, s.stop_after),
            commit: s.commit,
            increments: s.increments.then(Mutex::default),
            compress: s.compress,
            behind: Behind::default(),
            program,
            name: name.to_owned(),
            shadow: s.shadow,
            addresses: s.addresses,
            byte_order: s.byte_order,
            patience: s.patience,
            polling: s.polling,
            detached: false,
            dir: s.dir.clone(),
            keep: s.keep,
            signal: s.request_signal(),
            store: Mutex::new(store),
            outputs,
            engine: OnceLock::new(),
            origin: OnceLock::new(),
            source: Mutex::default(),
            refused: Mutex::default(),
            failures: Mutex::default(),
            guests: Mutex::new(Tables::new()),
            peers,
            placement,
            stats: s.stats.clone(),
            seed: s.seed,
        }
    }

    /// A job without a program, a directory or an environment: for engines' own tests.
    pub fn detached(ranks: usize, workers: usize, every: Every) -> Job {
        Job {
            ranks,
            world: ranks,
            all: AtomicUsize::new(ranks),
            started_as: PathBuf::new(),
            workers,
            protocol: None,
            control: Control::new(every, None),
            commit: Commit::Sync,
            increments: None,
            compress: None,
            behind: Behind::default(),
            program: Program::empty(),
            name: String::new(),
            shadow: 1 << 20,
            addresses: Addresses::Refuse,
            byte_order: true,
            patience: settings::PATIENCE,
            polling: settings::POLLING,
            detached: true,
            // Nothing can be written there.
            dir: PathBuf::from("/dev/null/none"),
            keep: 1,
            signal: None,
            store: Mutex::new(None),
            outputs: None,
            engine: OnceLock::new(),
            origin: OnceLock::new(),
            source: Mutex::default(),
            refused: Mutex::default(),
            failures: Mutex::default(),
            guests: Mutex::new(Tables::new()),
            peers: None,
            placement: Placement::blocks(ranks, 1, workers),
            stats: None,
            seed: None,
        }
    }

    /// The other processes, if there are any.
    pub fn peers(&self) -> Option<&dyn Peers> {
        self.peers.as_deref()
    }

    /// All ranks that there have been so far.
    #[inline]
    pub fn all(&self) -> usize {
        self.all.load(Relaxed)
    }

    /// Does any rank share what belongs to a process with others?
    #[inline]
    pub fn several(&self) -> bool {
        self.all() > 1
    }

    /// There are so many ranks more.
    pub fn add(&self, ranks: usize) {
        self.all.fetch_add(ranks, Relaxed);
    }

    /// The checkpoint directory is this process's business.
    pub fn is_first(&self) -> bool {
        self.peers.as_ref().is_none_or(|p| p.index() == 0)
    }

    /// The ranks of this process, ascending.
    pub fn here(&self) -> Vec<u32> {
        let index = self.peers.as_ref().map_or(0, |p| p.index());
        self.placement.here(index as u32)
    }

    /// What ranks have sent each other so far, for a placement by `PC3_MAP=auto`; of the first process.
    pub fn note_traffic(&self, traffic: &Traffic) -> std::io::Result<()> {
        let path = Traffic::path(&self.dir);
        if self.detached || !self.is_first() || !self.dir.is_dir() {
            return Ok(());
        }
        let new = path.with_extension("new");
        std::fs::write(&new, traffic.to_text())?;
        std::fs::rename(new, path)
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Who runs the ranks; none in a detached job.
    #[inline]
    pub fn engine(&self) -> Option<&dyn Engine> {
        self.engine.get().map(|e| &**e)
    }

    pub fn set_engine(&self, engine: Box<dyn Engine>) {
        let _ = self.engine.set(engine);
    }

    /// Opens and locks the checkpoint directory, if that has not been done.
    pub fn open_store(&self) -> Result<(), StoreError> {
        if !self.is_first() {
            return Ok(());
        }
        let mut store = lock(&self.store);
        let gone = store.take_if(|s| s.is_gone()).map(|s| s.next_id());
        if store.is_none() {
            let mut new = Store::open(&self.dir, self.keep, self.signal)?;
            new.go_on_at(gone.unwrap_or(1));
            *store = Some(new);
        }
        Ok(())
    }

    /// Unlocks the directory; `ended`: the program came to its end.
    pub fn close_store(&self, ended: bool) {
        // Called while the process ends; a checkpoint being written by another thread keeps it.
        if let Ok(mut store) = self.store.try_lock() {
            if let Some(store) = store.as_ref().filter(|_| ended) {
                store.end();
            }
            *store = None;
        }
    }

    /// A guest is to go on from checkpoint `id`.
    pub fn comes_from(&self, id: u64) {
        *self.source.lock().unwrap_or_else(PoisonError::into_inner) = Some(id);
    }

    /// Does a guest go on from a checkpoint?
    pub fn is_continued(&self) -> bool {
        let source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        source.is_some()
    }

    /// The checkpoint that a guest goes on from, told to the first of its ranks that asks.
    pub fn source(&self) -> Option<u64> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        source.take()
    }

    /// Before anything outside of the process is changed by a restart from checkpoint `id`.
    pub fn continued(&self, id: u64) -> Result<(), StoreError> {
        let mut store = lock(&self.store);
        store.as_mut().map_or(Ok(()), |store| store.continued(id))
    }

    /// The program has opened a file to append to it.  Should it be killed before its first checkpoint and begin
    /// again, what it has written there is taken back.
    pub fn appends(&self, position: u64, path: String) {
        let output = Output::Appended { position, path };
        let noted = match &self.outputs {
            Some(begin) => lock(begin).note(&output).map_err(|e| e.to_string()),
            None => (lock(&self.store).as_mut())
                .map_or(Ok(()), |store| store.note_output(&output))
                .map_err(|e| e.to_string()),
        };
        if let Err(e) = noted {
            say(&format!("where an output began could not be noted: {e}"));
        }
    }

    /// A checkpoint of which each rank takes its part when it comes to a location begins; true if somebody asked for it.
    pub fn begin_apart(&self) -> bool {
        *lock(&self.guests) = Tables::new();
        self.flush_others();
        self.control.begin()
    }

    /// Where outputs stand, the first process says: what has been printed in others gets there.
    fn flush_others(&self) {
        if !self.is_first() {
            flush_standard();
        }
    }

    /// Local checkpoints are about to be taken: from now on it is known which ranks use which files.
    pub fn lines_begin(&self) {
        self.flush_others();
        window::begin();
        if !self.detached {
            printing::begin(self.peers.is_some());
        }
    }

    /// What all parts of guests here refer to.
    pub fn guests(&self) -> &Mutex<Tables> {
        &self.guests
    }

    /// The types of the program that wrote the checkpoint which it goes on from.
    pub fn had_types(&self, types: &TypeTable) {
        self.origin.get_or_init(|| types.clone());
    }

    /// Why those that have been taken since do not fit together.
    pub fn lines_clash(&self) -> Option<String> {
        printing::spoilt().or_else(window::clash)
    }

    /// No more of them are taken.
    pub fn lines_end(&self) {
        window::end();
        printing::end();
    }

    /// Ranks will print again what is there already.
    pub fn prints_again(&self) {
        printing::expect_printed();
    }

    /// The last of them has passed its line, of this process in one, of all in several: how standard output and error are to be
    /// found again, and who has printed there that prints it again, or why they cannot be found.
    pub fn lines_passed(&self) -> Result<(Vec<FileMeta>, Vec<printing::Printed>), String> {
        match self.detached {
            true => Ok((Vec::new(), Vec::new())),
            false => printing::places(),
        }
    }

    /// Another process has decided that no such checkpoint can be taken.
    pub fn took_none(&self, passage: u64) {
        self.control
            .done(passage, Attempted::InTheWay, Duration::ZERO);
    }

    /// A planned checkpoint cannot be taken, ranks having passed up to `passage` locations.  Said for the
    /// first, and to those who ask.
    pub fn drop_checkpoint(&self, passage: u64, why: &str) {
        let dropped = self.control.give_up(passage);
        if dropped.asked && self.open_store().is_ok() {
            self.refuse(why);
        }
        if !why.is_empty() && (dropped.asked || dropped.before == 0) {
            say(&warning(codes::NOT_TAKEN, why));
        }
    }

    /// Lets those know who asked for a checkpoint.
    pub fn refuse(&self, why: &str) {
        let mut store = lock(&self.store);
        if let Some(store) = store.as_mut() {
            store.note_refusal(why);
        }
    }

    /// Ends the process after a checkpoint with stop; the program's exit handlers do not run.  `at_line`: the program has gone
    /// on behind the checkpoint, where its outputs stood so: they are put back to that.
    pub fn stop(&self, at_line: Option<&[FileMeta]>) -> ! {
        let alone = outputs_are_alone();
        let as_it_was = match at_line {
            None => {
                flush_all();
                alone
            }
            Some(outputs) => self.takes_back(alone, outputs),
        };
        if let Some(store) = lock(&self.store).as_ref().filter(|_| as_it_was) {
            store.note_stop();
        }
        self.close_store(false);
        if let Some(peers) = self.peers() {
            peers.close();
        }
        pc3_os::processes::end_now(EXIT_STOPPED)
    }
}

impl Job {
    /// Puts outputs back to where they stood, once no process of the job prints to them any more.
    fn takes_back(&self, alone: bool, outputs: &[FileMeta]) -> bool {
        let silent = silence().filter(|_| alone);
        let all_silent = match self.peers() {
            None => true,
            // Each one's word that it is.
            Some(peers) => peers
                .gather(&[silent.is_some().into()])
                .iter()
                .skip(1)
                .all(|p| p == &[1]),
        };
        self.is_first() && all_silent && silent.is_some_and(|s| take_back(&s, outputs).is_ok())
    }
}
