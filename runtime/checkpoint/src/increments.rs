//! Checkpoints that hold what has changed since the last one.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use pc3_control::control::Attempted;
use pc3_control::store::{create_pack, list, Begun, Store, StoreError};
use pc3_format::file::Writer;
use pc3_format::increments::chunker::{Chunker, Known, Ready};
use pc3_format::increments::pack::Pack;
use pc3_format::read::{Checkpoint, ReadError};
use pc3_format::sections::packs_of;
use pc3_os::own::high;
use pc3_os::threads::lock;
use pc3_state::job::Job;

/// A checkpoint that is to be written, and what finds what of it is new.
pub(crate) struct Opened {
    pub begun: Begun,
    chunker: Option<Chunker>,
    /// Its id, if it is to hold what has changed.
    pub increments: Option<u64>,
}

impl Opened {
    pub fn of(job: &Job, mut begun: Begun) -> Result<Opened, StoreError> {
        let known = job
            .increments
            .as_ref()
            .map(|known| Arc::clone(&lock(known)));
        let (id, mut chunker) = (begun.id(), None);
        if let Some(known) = known {
            let pack = Pack::new(id, 0);
            let file = high(begun.pack(&pack.file_name())?);
            let new = Chunker::new(job.dir(), known, pack, file);
            chunker = Some(new.compressing(job.compress));
        }
        Ok(Opened {
            begun,
            increments: chunker.is_some().then_some(id),
            chunker,
        })
    }

    /// Of its file; `apart`: ranks have lines of their own.
    pub fn writer(&mut self, apart: bool) -> io::Result<Writer<'_>> {
        let id = self.begun.id();
        let file = &mut self.begun.file;
        match (self.chunker.take(), apart) {
            (Some(chunker), _) => Writer::increments(file, id, chunker),
            (None, true) => Writer::apart(file, id),
            (None, false) => Writer::new(file, id),
        }
    }
}

/// A file of which all has been written: its pack is durable, too.  What is known once the file is.
pub(crate) fn packed(begun: &mut Begun, ready: Option<Ready>) -> Result<Option<Known>, StoreError> {
    let Some(mut ready) = ready else {
        return Ok(None);
    };
    let start = Instant::now();
    begun.packed(ready.pack)?;
    ready.known.synced(start.elapsed());
    Ok(Some(ready.known))
}

/// A pack of another process than the first: it goes unless the checkpoint is committed.
pub(crate) struct Packed {
    path: PathBuf,
    ready: Option<Ready>,
    committed: bool,
}

/// What finds what of this process's part of checkpoint `id` is new; `file`: the checkpoint's.
pub(crate) fn of_part(
    job: &Job,
    id: u64,
    process: u64,
    file: &Path,
) -> io::Result<(Chunker, Packed)> {
    let dir = file.parent().unwrap_or(job.dir());
    let known = job
        .increments
        .as_ref()
        .map(|known| Arc::clone(&lock(known)));
    let pack = Pack::new(id, process);
    let path = dir.join(pack.file_name());
    let file = high(create_pack(&path)?);
    let packed = Packed {
        path,
        ready: None,
        committed: false,
    };
    let chunker = Chunker::new(dir, known.unwrap_or_default(), pack, file);
    let chunker = chunker.compressing(job.compress);
    Ok((chunker, packed))
}

impl Packed {
    /// All of it is written.
    pub fn written(&mut self, mut ready: Ready) -> io::Result<()> {
        let start = Instant::now();
        match ready.pack.take() {
            Some(file) => file.sync_all()?,
            None => fs::remove_file(&self.path)?,
        }
        ready.known.synced(start.elapsed());
        self.ready = Some(ready);
        Ok(())
    }

    /// What has become of the checkpoint.
    pub fn settle(mut self, job: &Job, what: Attempted) {
        self.committed = what == Attempted::Committed;
        if self.committed {
            now_known(job, self.ready.take().map(|r| r.known));
        }
    }
}

impl Drop for Packed {
    fn drop(&mut self) {
        // Who ends before that is known leaves it: it may be named.
        if !self.committed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn now_known(job: &Job, known: Option<Known>) {
    if let (Some(before), Some(known)) = (&job.increments, known) {
        *lock(before) = Arc::new(known);
    }
}

/// A checkpoint is durable.
pub(crate) fn committed(job: &Job, store: &Store, known: Option<Known>) {
    now_known(job, known);
    collect(store);
}

/// Removes packs that no checkpoint names.
fn collect(store: &Store) {
    store.keep_packs(|| named(store));
}

/// The packs that checkpoints name; none if one cannot be read.
fn named(store: &Store) -> Option<BTreeSet<String>> {
    let all = list(store.dir()).ok()?;
    packs_of(all.iter().map(|c| &*c.1)).ok()
}

/// The next checkpoint is to hold what has changed since the one that the job goes on from.  It may end before that: packs
/// that nobody needs any more, as the one who was about to remove them was killed, go now.
pub(crate) fn go_on_from(job: &Job, checkpoint: &Checkpoint) -> Result<(), ReadError> {
    if let Some(store) = lock(&job.store).as_ref() {
        collect(store);
    }
    let Some(known) = &job.increments else {
        return Ok(());
    };
    let mut found = Known::default();
    for rank in job.here() {
        if let Some(table) = checkpoint.sections.chunks(rank.into())? {
            found.take_over(job.dir(), rank.into(), &table);
        }
    }
    *lock(known) = Arc::new(found);
    Ok(())
}
