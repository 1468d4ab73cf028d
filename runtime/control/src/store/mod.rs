//! The checkpoint directory: names, atomic commit, pruning; the running job's [`lock`], its [`course`], its ranks' [`stalls`].
//!
//! A checkpoint appears under its name only when it is whole and durable: temporary file, fsync,
//! rename, fsync of the directory.  Older ones are removed after that, never before.

mod course;
mod error;
mod lock;
mod packs;
mod private;
mod stalls;

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::failpoint;
use error::at;
use lock::Lock;
use pc3_os::own::high;

pub use course::{given_up, notes, Begin, Output, Stood};
pub use error::StoreError;
pub use lock::{holder, refusal, share, Holder};
pub use packs::create_pack;
pub use stalls::Stalls;

pub(crate) const SUFFIX: &str = ".pc3c";

/// `ckpt-000012.pc3c`.
pub fn file_name(id: u64) -> String {
    format!("ckpt-{id:06}{SUFFIX}")
}

fn id_of(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("ckpt-")?.strip_suffix(SUFFIX)?;
    if digits.len() < 6 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

fn is_temporary(name: &str) -> bool {
    (name.starts_with(".ckpt-") && name.ends_with(".tmp"))
        || course::is_temporary(name)
        || stalls::is_left(name)
}

/// The checkpoints of a directory, oldest first; whether they are good is for the reader to say.
pub fn list(dir: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if let Some(id) = entry.file_name().to_str().and_then(id_of) {
            found.push((id, entry.path()));
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// The order in which a restart tries the checkpoints of [`list`]: the newest first, but those that are [`given_up`] last.
pub fn in_order_of_restart<'a>(
    all: &'a [(u64, PathBuf)],
    given_up: &Range<u64>,
) -> impl Iterator<Item = &'a (u64, PathBuf)> {
    let (others, course): (Vec<_>, Vec<_>) = all.iter().partition(|(id, _)| given_up.contains(id));
    course.into_iter().rev().chain(others.into_iter().rev())
}

/// A directory locked by this job.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    keep: usize,
    next: u64,
    owner: u32,
    lock: Lock,
    begin: Begin,
    given_up: Range<u64>,
}

impl Store {
    /// Creates the directory if need be, locks it and removes what a crash left behind.
    pub fn open(dir: &Path, keep: usize, signal: Option<i32>) -> Result<Store, StoreError> {
        private::folder(dir).map_err(at(dir))?;
        let lock = Lock::take(dir, signal)?;
        let next = list(dir)
            .map_err(at(dir))?
            .last()
            .map_or(1, |(id, _)| id + 1);
        for entry in fs::read_dir(dir).map_err(at(dir))? {
            let entry = entry.map_err(at(dir))?;
            let left = |name: &str| is_temporary(name) || packs::is_left(name, next);
            if entry.file_name().to_str().is_some_and(left) {
                fs::remove_file(entry.path()).map_err(at(&entry.path()))?;
            }
        }
        let owner = std::process::id();
        Ok(Store {
            dir: dir.to_owned(),
            keep: keep.max(1),
            next,
            owner,
            lock,
            begin: Begin::of(dir),
            given_up: given_up(dir),
        })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The next checkpoint's id.
    pub fn next_id(&self) -> u64 {
        self.next
    }

    /// A job begins, whose standard output stands there, if it is a file.
    pub fn note_begin(&mut self, stdout: Option<Output>) -> Result<(), StoreError> {
        let file = self.dir.clone();
        let noted = self.begin.reset();
        let noted = noted.and_then(|()| stdout.map_or(Ok(()), |o| self.begin.note(&o)));
        noted.map_err(at(&file))
    }

    /// The program appends to another file.
    pub fn note_output(&mut self, output: &Output) -> Result<(), StoreError> {
        self.begin.note(output).map_err(at(&self.dir))
    }

    /// Outputs of the job that began here, if it did not come to its end.
    pub fn outputs(&self) -> Vec<Output> {
        self.begin.outputs()
    }

    /// The job came to its end.
    pub fn end(&self) {
        if std::process::id() == self.owner {
            self.begin.end();
            Stalls::remove(&self.dir);
        }
    }

    /// The job has stopped behind its last checkpoint, and written nothing since.
    pub fn note_stop(&self) {
        // Without it a restart cuts back more.
        let _ = course::leave(&self.dir, self.next - 1, &[]);
    }

    /// Where the outputs of a job stood that stopped behind checkpoint `id` and goes on from it, now or not for the first
    /// time; `now`: where they stand.  None if it did not stop there.
    pub fn take_up(&self, id: u64, now: Vec<Stood>) -> Option<Vec<Stood>> {
        let before = course::left(&self.dir, id)?;
        if !before.is_empty() {
            return Some(before);
        }
        course::leave(&self.dir, id, &now).ok()?;
        Some(now)
    }

    /// The job goes on from checkpoint `id`.  Those that came after it belong to a course that is given up:
    /// nobody goes on from them unless asked to, and the next commit removes them.
    pub fn continued(&mut self, id: u64) -> Result<(), StoreError> {
        self.given_up = id + 1..self.next.max(id + 1);
        course::give_up(&self.dir, &self.given_up).map_err(at(&self.dir))
    }

    /// The job begins afresh: its first commit removes what earlier ones left, since falling back to that would
    /// continue another run; a restart before that says so.  Returns the newest of it.
    pub fn begun(&mut self) -> Option<u64> {
        self.given_up = 1..self.next;
        // Without it a restart is silent.
        let _ = course::give_up(&self.dir, &self.given_up);
        list(&self.dir).ok()?.last().map(|(id, _)| *id)
    }

    /// Notes for onlookers how long ranks stood still for checkpoint `id`.
    pub fn note_stalls(&self, id: u64, stalls: &Stalls) {
        // It is no part of the checkpoint, which is as good without.
        let _ = stalls.write(&self.dir, id);
    }

    /// Notes for those who asked why they do not get a checkpoint.
    pub fn note_refusal(&mut self, why: &str) {
        self.lock.note_refusal(why);
    }

    /// Someone removed the directory, or the lock in it, so that others no longer see that it is in use.
    pub fn is_gone(&self) -> bool {
        self.lock.is_gone()
    }

    /// Ids go on from there, whatever the directory holds.
    pub fn go_on_at(&mut self, id: u64) {
        self.next = self.next.max(id);
    }

    /// Begins the checkpoint `next_id()`.
    pub fn begin(&self) -> Result<Begun, StoreError> {
        let id = self.next;
        let temporary = self.dir.join(format!(".ckpt-{id:06}.tmp"));
        let file = private::create(&temporary).map_err(at(&temporary))?;
        let temporary = Temporary {
            id,
            path: temporary,
            packs: Vec::new(),
            has_packs: false,
        };
        temporary.step("commit.created")?;
        Ok(Begun { temporary, file })
    }

    /// Makes it the job's newest checkpoint.  Where that fails it has its name no longer: others take back what they have
    /// written for it.
    pub fn commit(&mut self, mut whole: Temporary) -> Result<u64, StoreError> {
        let id = whole.id;
        let final_path = self.dir.join(file_name(id));
        if whole.has_packs {
            // What it names is there as soon as it is.
            self.sync()?;
        }
        fs::rename(&whole.path, &final_path).map_err(at(&final_path))?;
        let named = whole.step("commit.renamed").and_then(|()| self.sync());
        if let Err(why) = named {
            if fs::rename(&final_path, &whole.path).is_ok() {
                return Err(why);
            }
            // Whether it is durable is not known: those before it stay.
            whole.packs.clear();
            self.next = id + 1;
            return Ok(id);
        }
        whole.packs.clear();
        whole.step("commit.durable")?;
        self.next = id + 1;
        self.prune();
        whole.step("commit.pruned")?;
        Ok(id)
    }

    fn sync(&self) -> Result<(), StoreError> {
        let synced = File::open(&self.dir).and_then(|d| d.sync_all());
        synced.map_err(at(&self.dir))
    }

    /// Removes all but the newest `keep`.  What cannot be removed now is tried again next time.
    fn prune(&mut self) {
        let Ok(all) = list(&self.dir) else { return };
        let (gone, kept): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|(id, _)| self.given_up.contains(id));
        let old = kept.iter().rev().skip(self.keep);
        let mut left = false;
        for (_, path) in gone.iter().chain(old) {
            left |= fs::remove_file(path).is_err();
        }
        if !left && !self.given_up.is_empty() {
            self.given_up = 0..0;
            let _ = course::give_up(&self.dir, &self.given_up);
        }
    }
}

/// A checkpoint that is being written.
#[derive(Debug)]
pub struct Begun {
    temporary: Temporary,
    pub file: File,
}

impl Begun {
    pub fn id(&self) -> u64 {
        self.temporary.id
    }

    /// With a descriptor that is out of the program's way.
    pub fn out_of_the_way(self) -> Begun {
        Begun {
            file: high(self.file),
            ..self
        }
    }

    /// Other processes write to it, too, if its path is text.
    pub fn path(&self) -> &str {
        self.temporary.path.to_str().unwrap_or_default()
    }

    /// All of it is in the file, or what went wrong.
    pub fn written(self, how: io::Result<()>) -> Result<Temporary, StoreError> {
        let Begun { temporary, file } = self;
        how.map_err(at(&temporary.path))?;
        temporary.step("commit.written")?;
        file.sync_all().map_err(at(&temporary.path))?;
        temporary.step("commit.synced")?;
        Ok(temporary)
    }
}

/// The file of a checkpoint that is not committed: it goes unless it is.
#[derive(Debug)]
pub struct Temporary {
    id: u64,
    path: PathBuf,
    /// Packs that it alone names.
    packs: Vec<PathBuf>,
    /// It may name new ones, of this process or another.
    has_packs: bool,
}

impl Temporary {
    fn step(&self, name: &str) -> Result<(), StoreError> {
        failpoint::reach(name).map_err(at(&self.path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Once it is committed it has another name.
        let _ = fs::remove_file(&self.path);
        for pack in &self.packs {
            let _ = fs::remove_file(pack);
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // A forked child of the program may end before it.
        if std::process::id() == self.owner && !self.is_gone() {
            self.lock.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn put(store: &mut Store, text: &str) -> u64 {
        let mut begun = store.begin().unwrap();
        begun.file.write_all(text.as_bytes()).unwrap();
        let whole = begun.written(Ok(())).unwrap();
        store.commit(whole).unwrap()
    }

    #[test]
    fn a_fresh_run_leaves_nothing_of_an_earlier_one_to_fall_back_to() {
        let dir = tempfile::tempdir().unwrap();
        let open = || Store::open(dir.path(), 3, None).unwrap();
        let ids = || -> Vec<u64> { list(dir.path()).unwrap().iter().map(|c| c.0).collect() };
        let mut earlier = open();
        assert_eq!(earlier.begun(), None);
        put(&mut earlier, "a");
        put(&mut earlier, "b");
        drop(earlier);
        let mut fresh = open();
        assert_eq!(fresh.begun(), Some(2));
        assert_eq!(ids(), [1, 2]);
        assert_eq!(given_up(dir.path()), 1..3);
        put(&mut fresh, "c");
        assert_eq!(ids(), [3]);
        assert!(given_up(dir.path()).is_empty());
        put(&mut fresh, "d");
        assert_eq!(ids(), [3, 4]);
    }

    #[test]
    fn commits_and_prunes() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path(), 2, None).unwrap();
        for text in ["a", "b", "c"] {
            put(&mut store, text);
        }
        let ids: Vec<_> = list(dir.path())
            .unwrap()
            .into_iter()
            .map(|(id, _)| id)
            .collect();
        assert_eq!(ids, [2, 3]);
    }

    #[test]
    fn a_course_that_was_given_up_goes_with_the_next_commit() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path(), 9, None).unwrap();
        for text in ["a", "b", "c", "d"] {
            put(&mut store, text);
        }
        store.continued(2).unwrap();
        drop(store);
        let mut store = Store::open(dir.path(), 9, None).unwrap();
        assert_eq!(given_up(dir.path()), 3..5);
        let ids = || -> Vec<u64> { list(dir.path()).unwrap().iter().map(|c| c.0).collect() };
        assert_eq!(ids(), [1, 2, 3, 4]);
        put(&mut store, "e");
        assert_eq!(ids(), [1, 2, 5]);
        assert!(given_up(dir.path()).is_empty());
        put(&mut store, "f");
        assert_eq!(ids(), [1, 2, 5, 6]);
    }

    #[test]
    fn a_failed_write_leaves_the_last_one_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path(), 1, None).unwrap();
        put(&mut store, "good");
        let full = io::Error::from_raw_os_error(pc3_os::errors::ENOSPC);
        let begun = store.begin().unwrap();
        let failed = begun.written(Err(full)).unwrap_err();
        assert!(failed.to_string().contains("No space left"));
        let mut names: Vec<_> = fs::read_dir(dir.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["ckpt-000001.pc3c", "lock"]);
        assert_eq!(put(&mut store, "next"), 2);
    }

    #[test]
    fn leftovers_are_removed_and_odd_names_ignored() {
        let dir = tempfile::tempdir().unwrap();
        for name in [
            ".ckpt-000009.tmp",
            "ckpt-12.pc3c",
            "ckpt-000x12.pc3c",
            "notes",
        ] {
            fs::write(dir.path().join(name), "x").unwrap();
        }
        let store = Store::open(dir.path(), 2, None).unwrap();
        assert_eq!(store.next_id(), 1);
        assert!(!dir.path().join(".ckpt-000009.tmp").exists());
        assert!(dir.path().join("notes").exists());
    }
}
