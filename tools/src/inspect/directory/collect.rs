//! `pc3 gc`: removes what no checkpoint of a directory names, and what a killed job has left behind.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pc3_runtime::format::file::FileError;
use pc3_runtime::format::sections::packs_of;
use pc3_runtime::store::{self, Store, StoreError};

use crate::human;

#[derive(Debug, thiserror::Error)]
pub(in crate::inspect) enum CollectError {
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("{}: process {pid} runs there, and removes itself what it does not need", dir.display())]
    Busy { dir: PathBuf, pid: i32 },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{}: {error}; which packs it needs is not known, so all stay", path.display())]
    Unknown { path: PathBuf, error: FileError },
}

/// As a job would that begins there: nobody else runs there meanwhile.
pub(in crate::inspect) fn collect(dir: &Path) -> Result<String, CollectError> {
    let at = |error| CollectError::Io {
        path: dir.to_owned(),
        error,
    };
    let before = files(dir).map_err(at)?;
    if let Some(holder) = store::holder(dir).map_err(at)? {
        return Err(CollectError::Busy {
            dir: dir.to_owned(),
            pid: holder.pid,
        });
    }
    let store = Store::open(dir, usize::MAX, None)?;
    let all = store::list(dir).map_err(at)?;
    let named = packs_of(all.iter().map(|c| &*c.1));
    let named = named.map_err(|(path, error)| CollectError::Unknown { path, error })?;
    store.keep_packs(|| Some(named));
    drop(store);
    let after = files(dir).map_err(at)?;
    let gone = before.iter().filter(|(name, _)| !after.contains_key(*name));
    let (mut out, mut count, mut bytes) = (String::new(), 0, 0);
    for (name, length) in gone {
        out.push_str(&format!("{name}: {}\n", human::bytes(*length)));
        count += 1;
        bytes += length;
    }
    let files = if count == 1 { "file" } else { "files" };
    let bytes = human::bytes(bytes);
    out.push_str(&format!("removed {count} {files}, {bytes}\n"));
    Ok(out)
}

/// Those of a directory, but for the lock that a killed job has left.
fn files(dir: &Path) -> io::Result<BTreeMap<String, u64>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != "lock" {
            found.insert(name, entry.metadata().map_or(0, |m| m.len()));
        }
    }
    Ok(found)
}
