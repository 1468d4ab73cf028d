//! Packs, which checkpoints of the same directory share.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::error::at;
use super::{private, Begun, Store, StoreError};

const PREFIX: &str = "pack-";
const SUFFIX: &str = ".pc3p";

/// The checkpoint whose pack has such a name: `pack-000012-0.pc3p`.
fn checkpoint_of(name: &str) -> Option<u64> {
    let numbers = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let (checkpoint, process) = numbers.split_once('-')?;
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let is_name = checkpoint.len() >= 6 && digits(checkpoint) && digits(process);
    is_name.then(|| checkpoint.parse().ok())?
}

/// Checkpoints name packs up to their own: one from the next checkpoint on was not committed.
pub(super) fn is_left(name: &str, next: u64) -> bool {
    checkpoint_of(name).is_some_and(|checkpoint| checkpoint >= next)
}

/// A pack of another process than the one that has the store.
pub fn create_pack(path: &Path) -> io::Result<File> {
    private::create(path)
}

impl Begun {
    /// A pack for it, which goes unless it is committed.
    pub fn pack(&mut self, name: &str) -> Result<File, StoreError> {
        let temporary = &mut self.temporary;
        let path = temporary.path.with_file_name(name);
        let file = private::create(&path).map_err(at(&path))?;
        temporary.packs.push(path);
        temporary.has_packs = true;
        temporary.step("pack.created")?;
        Ok(file)
    }

    /// All of it is in the file; none: nothing is.
    pub fn packed(&mut self, pack: Option<File>) -> Result<(), StoreError> {
        let temporary = &mut self.temporary;
        let Some(file) = pack else {
            let mut none = temporary.packs.drain(..);
            return none.try_for_each(|p| fs::remove_file(&p).map_err(at(&p)));
        };
        temporary.step("pack.written")?;
        file.sync_all().map_err(at(&temporary.path))?;
        temporary.step("pack.synced")
    }
}

impl Store {
    /// Removes packs that no checkpoint names; `named`: the names of the others, asked for if there are any.
    pub fn keep_packs(&self, named: impl FnOnce() -> Option<BTreeSet<String>>) {
        let Ok(entries) = fs::read_dir(&self.dir) else {
            return;
        };
        let paths = entries.flatten().map(|e| e.path());
        let name = |p: &PathBuf| Some(p.file_name()?.to_str()?.to_owned());
        let packs = paths.filter_map(|p| Some((name(&p)?, p)));
        let packs: Vec<_> = packs.filter(|p| checkpoint_of(&p.0).is_some()).collect();
        if packs.is_empty() {
            return;
        }
        let Some(named) = named() else { return };
        for (name, path) in packs {
            if !named.contains(&name) {
                // What cannot be removed now is tried again next time.
                let _ = fs::remove_file(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack_name(checkpoint: u64, process: u64) -> String {
        format!("pack-{checkpoint:06}-{process}.pc3p")
    }

    #[test]
    fn names_are_told_from_others() {
        assert_eq!(checkpoint_of(&pack_name(12, 3)), Some(12));
        assert_eq!(checkpoint_of(&pack_name(1_234_567, 0)), Some(1_234_567));
        for other in [
            "pack-12-0.pc3p",
            "pack-000012.pc3p",
            "pack-000012-.pc3p",
            "pack-00001x-0.pc3p",
            "ckpt-000012.pc3c",
            "pack-000012-0",
        ] {
            assert_eq!(checkpoint_of(other), None, "{other}");
        }
    }

    #[test]
    fn packs_stay_as_long_as_a_checkpoint_names_them() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path(), 2, None).unwrap();
        let there = |id| dir.path().join(pack_name(id, 0)).exists();
        let mut failed = store.begin().unwrap();
        drop(failed.pack(&pack_name(1, 0)).unwrap());
        assert!(there(1));
        drop(failed);
        assert!(!there(1));
        for id in 1..=3 {
            let mut begun = store.begin().unwrap();
            let pack = begun.pack(&pack_name(id, 0)).unwrap();
            begun.packed((id != 2).then_some(pack)).unwrap();
            let whole = begun.written(Ok(())).unwrap();
            store.commit(whole).unwrap();
            assert_eq!(there(id), id != 2);
        }
        store.keep_packs(|| None);
        assert!(there(1));
        store.keep_packs(|| Some(BTreeSet::from([pack_name(3, 0)])));
        assert!(!there(1) && there(3));
        drop(store);
        fs::write(dir.path().join(pack_name(4, 2)), "left").unwrap();
        drop(Store::open(dir.path(), 2, None).unwrap());
        assert!(there(3) && !dir.path().join(pack_name(4, 2)).exists());
    }
}
