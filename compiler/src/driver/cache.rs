//! Objects that were compiled before, by what they were compiled from.
//!
//! `$PC3_CACHE` (`off`: none), else `pc3` in the user's cache directory.  The key is a hash of the generated text, the
//! options, the directory, and the programs involved by path, size and time.  Entries appear by renaming, so several
//! builds may share the directory, and end in a checksum.  What was not used for longest goes when they become too many.
//! Nothing here is ever an error: without the directory everything is compiled.

use super::job::Job;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::{xxh3_64, Xxh3};

/// Bytes that the directory may hold, and how often that is looked at.
const LIMIT: u64 = 1 << 29;
const LOOK_EVERY: Duration = Duration::from_secs(600);

/// Options with effects besides the object, or inputs besides the text.
pub(crate) const UNCACHED: &[&str] = &[
    "-fprofile",
    "-ftest-coverage",
    "--coverage",
    "-coverage",
    "-fplugin",
    "-specs",
    "-fauto-profile",
    "-gsplit-dwarf",
    "-save-temps",
    "--save-temps",
    "-fdump",
    "-d",
    "-aux-info",
    "-fstack-usage",
    "-wrapper",
];

pub struct Cache {
    dir: PathBuf,
}

impl Cache {
    /// None: there is no place for it.
    pub fn find() -> Option<Cache> {
        let var = |n: &str| std::env::var_os(n).filter(|v| !v.is_empty());
        let dir = match var("PC3_CACHE") {
            Some(v) if v == "off" => return None,
            Some(v) => PathBuf::from(v),
            None => var("XDG_CACHE_HOME")
                .map(PathBuf::from)
                .filter(|p| p.is_absolute())
                .or_else(|| Some(PathBuf::from(var("HOME")?).join(".cache")))?
                .join("pc3"),
        };
        fs::create_dir_all(&dir).ok()?;
        Some(Cache { dir })
    }

    fn entry(&self, key: &str) -> PathBuf {
        self.dir.join(&key[..2]).join(&key[2..])
    }

    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.entry(key);
        let mut bytes = fs::read(&path).ok()?;
        let check = bytes.split_off(bytes.len().checked_sub(8)?);
        if check != xxh3_64(&bytes).to_le_bytes() {
            let _ = fs::remove_file(&path);
            return None;
        }
        if let Ok(f) = File::options().append(true).open(&path) {
            let _ = f.set_modified(SystemTime::now());
        }
        Some(bytes)
    }

    pub fn put(&self, key: &str, object: &[u8]) {
        let _ = self.write(key, object);
        self.prune(LIMIT);
    }

    fn write(&self, key: &str, object: &[u8]) -> std::io::Result<()> {
        let path = self.entry(key);
        let folder = path.parent().unwrap_or(&self.dir);
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new()
            .prefix(".new-")
            .tempfile_in(folder)?;
        file.write_all(object)?;
        file.write_all(&xxh3_64(object).to_le_bytes())?;
        file.persist(path)?;
        Ok(())
    }

    /// Every so often: removes the oldest entries while they are more than `limit` bytes.
    fn prune(&self, limit: u64) {
        let stamp = self.dir.join("looked");
        let age = fs::metadata(&stamp).and_then(|m| m.modified()).ok();
        let fresh = |t: SystemTime| t.elapsed().is_ok_and(|e| e < LOOK_EVERY);
        if age.is_some_and(fresh) || fs::write(&stamp, "").is_err() {
            return;
        }
        let folders = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let files = folders.flat_map(|f| fs::read_dir(f.path()).into_iter().flatten().flatten());
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = files
            .filter_map(|f| {
                let m = f.metadata().ok().filter(|m| m.is_file())?;
                Some((m.modified().ok()?, m.len(), f.path()))
            })
            .collect();
        let mut total: u64 = entries.iter().map(|e| e.1).sum();
        if total <= limit {
            return;
        }
        entries.sort();
        for (_, size, path) in entries {
            if total <= limit / 4 * 3 {
                return;
            }
            total -= size;
            let _ = fs::remove_file(path);
        }
    }
}

/// What a job's object depends on; None if that cannot be said.
pub fn key(job: &Job) -> Option<String> {
    let options = &job.options.compile;
    if options
        .iter()
        .any(|a| UNCACHED.iter().any(|u| a.starts_with(u)))
    {
        return None;
    }
    let mut h = Xxh3::new();
    let mut add = |bytes: &[u8]| {
        h.update(&(bytes.len() as u64).to_le_bytes());
        h.update(bytes);
    };
    add(job.text.as_bytes());
    options.iter().for_each(|o| add(o.as_bytes()));
    add(format!("{:?} {} {}", job.position, job.source.is_some(), job.floats).as_bytes());
    add(job.directory.as_os_str().as_encoded_bytes());
    add(job.toolchain.target.gnu.as_bytes());
    add(program(std::env::current_exe().ok()?.as_os_str())?.as_bytes());
    for word in &job.toolchain.cc {
        add(word.as_bytes());
    }
    // `ccache gcc`: what is no program is an option.
    let programs: Vec<String> = job
        .toolchain
        .cc
        .iter()
        .filter_map(|w| program(OsStr::new(w)))
        .collect();
    programs.first()?;
    programs.iter().for_each(|p| add(p.as_bytes()));
    Some(format!("{:032x}", h.digest128()))
}

/// A program by where it is and when it was made.
fn program(name: &OsStr) -> Option<String> {
    let path = match Path::new(name).components().count() {
        1 => std::env::split_paths(&std::env::var_os("PATH")?)
            .map(|d| d.join(name))
            .find(|p| p.is_file())?,
        _ => PathBuf::from(name),
    };
    let path = fs::canonicalize(path).ok()?;
    let m = fs::metadata(&path).ok()?;
    Some(format!(
        "{} {} {:?}",
        path.display(),
        m.len(),
        m.modified().ok()?
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_whole_or_not_there() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache {
            dir: dir.path().into(),
        };
        let key = "0123456789abcdef0123456789abcdef";
        assert_eq!(cache.get(key), None);
        cache.put(key, b"object");
        assert_eq!(cache.get(key), Some(b"object".to_vec()));
        let path = cache.entry(key);
        let mut bytes = fs::read(&path).unwrap();
        bytes[2] ^= 1;
        fs::write(&path, bytes).unwrap();
        assert_eq!(cache.get(key), None);
        assert!(!path.exists());
    }

    #[test]
    fn the_oldest_go() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache {
            dir: dir.path().into(),
        };
        for n in 0..8u64 {
            let key = format!("{n:02}entry");
            cache.write(&key, &[0; 92]).unwrap();
            let f = File::options()
                .append(true)
                .open(cache.entry(&key))
                .unwrap();
            f.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(n))
                .unwrap();
        }
        cache.prune(799);
        let left: Vec<bool> = (0..8)
            .map(|n| cache.entry(&format!("{n:02}entry")).exists())
            .collect();
        assert_eq!(left, [false, false, false, true, true, true, true, true]);
    }
}
