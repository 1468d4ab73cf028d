//! `pc3 copy`: checkpoints and the packs that they name, into a directory that is there when all is, and is good.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use pc3_runtime::format::file::FileError;
use pc3_runtime::format::read::{Checkpoint, ReadError};
use pc3_runtime::format::sections::packs_of;
use pc3_runtime::store;

use crate::human;

#[derive(Debug, thiserror::Error)]
pub(in crate::inspect) enum CopyError {
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("{}: it is there, and not empty: name a directory that is not", .0.display())]
    Exists(PathBuf),
    #[error("{}: {error}; nothing is copied", path.display())]
    Bad { path: PathBuf, error: ReadError },
    #[error("{}: {error}; nothing is copied", path.display())]
    Packs { path: PathBuf, error: FileError },
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> CopyError + '_ {
    move |error| CopyError::Io {
        path: path.to_owned(),
        error,
    }
}

/// What is copied goes unless it is whole.
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Once it has its name there is none of this one.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// All of these lie in one directory; `series`: they are all that it has.
pub(in crate::inspect) fn copy(
    files: &[PathBuf],
    series: bool,
    to: &Path,
) -> Result<String, CopyError> {
    let from = match files.first().and_then(|f| f.parent()) {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let named = packs_of(files.iter().map(|f| &**f));
    let named = named.map_err(|(path, error)| CopyError::Packs { path, error })?;
    let mut list = files.to_vec();
    list.extend(named.iter().map(|name| from.join(name)));
    if series {
        // What a restart there is to know of the job's course.
        list.extend(store::notes(from));
    }
    let target = beside(to)?;
    let mut bytes = 0;
    for file in &list {
        bytes += file.metadata().map_err(at(file))?.len();
    }
    let bar = progress(bytes);
    DirBuilder::new()
        .mode(0o700)
        .create(&target.0)
        .map_err(at(&target.0))?;
    for file in &list {
        one(file, &target.0, &bar)?;
    }
    bar.finish_and_clear();
    for file in files {
        let copied = target.0.join(file.file_name().unwrap_or_default());
        let good = Checkpoint::open(&copied).and_then(|c| c.verify());
        good.map_err(|error| CopyError::Bad {
            path: file.clone(),
            error,
        })?;
    }
    sync(&target.0)?;
    fs::rename(&target.0, to).map_err(at(to))?;
    sync(
        to.parent()
            .filter(|p| *p != Path::new(""))
            .unwrap_or(Path::new(".")),
    )?;
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    Ok(format!(
        "{}: {} and {}, {}\n",
        to.display(),
        count(files.len(), "checkpoint"),
        count(named.len(), "pack"),
        human::bytes(bytes)
    ))
}

/// Where it is made: in the same directory as `to`, which is empty if it is there.
fn beside(to: &Path) -> Result<Unfinished, CopyError> {
    match fs::read_dir(to).map(|mut all| all.next().is_some()) {
        Ok(false) => {}
        Ok(true) => return Err(CopyError::Exists(to.to_owned())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => return Err(at(to)(e)),
    }
    let nameless = || at(to)(io::ErrorKind::InvalidInput.into());
    let name = to.file_name().ok_or_else(nameless)?.to_string_lossy();
    let name = format!(".{name}.{}.tmp", std::process::id());
    Ok(Unfinished(to.with_file_name(name)))
}

fn one(file: &Path, dir: &Path, bar: &ProgressBar) -> Result<(), CopyError> {
    let copied = dir.join(file.file_name().unwrap_or_default());
    let mut from = File::open(file).map_err(at(file))?;
    let mut options = File::options();
    options.write(true).create_new(true).mode(0o600);
    let mut to = options.open(&copied).map_err(at(&copied))?;
    let mut buffer = vec![0; 1 << 20];
    loop {
        let n = from.read(&mut buffer).map_err(at(file))?;
        if n == 0 {
            break;
        }
        to.write_all(&buffer[..n]).map_err(at(&copied))?;
        bar.inc(n as u64);
    }
    to.sync_all().map_err(at(&copied))
}

fn sync(dir: &Path) -> Result<(), CopyError> {
    let synced = File::open(dir).and_then(|d| d.sync_all());
    synced.map_err(at(dir))
}

/// What a terminal shows meanwhile; elsewhere nothing.
fn progress(bytes: u64) -> ProgressBar {
    let bar = ProgressBar::new(bytes);
    let text = "copying {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}";
    if let Ok(style) = ProgressStyle::with_template(text) {
        bar.set_style(style);
    }
    bar
}
