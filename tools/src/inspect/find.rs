//! Which directory or file is meant.

use std::io;
use std::path::{Path, PathBuf};

use pc3_runtime::store;

#[derive(Debug, thiserror::Error)]
pub(super) enum FindError {
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("there is no *.pc3 directory here; name one, or set PC3_DIR")]
    NoDirectory,
    #[error("there are several checkpoint directories here: {0}; name one")]
    ManyDirectories(String),
    #[error("{}: no checkpoints in it", .0.display())]
    Empty(PathBuf),
    #[error("{}: no checkpoint {id} in it; it has {list}", dir.display())]
    NoId { dir: PathBuf, id: u64, list: String },
    #[error("{0}: neither a checkpoint's id nor a file or directory")]
    Nothing(String),
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> FindError + '_ {
    move |error| FindError::Io {
        path: path.to_owned(),
        error,
    }
}

/// The given directory, or the one that must be meant.
pub(super) fn directory(given: Option<&Path>) -> Result<PathBuf, FindError> {
    if let Some(dir) = given {
        return Ok(dir.to_owned());
    }
    if let Some(dir) = std::env::var_os("PC3_DIR").filter(|d| !d.is_empty()) {
        return Ok(dir.into());
    }
    let here = Path::new(".");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(here).map_err(at(here))? {
        let path = entry.map_err(at(here))?.path();
        if path.extension().is_some_and(|e| e == "pc3") && path.is_dir() {
            found.push(path.strip_prefix(".").map_or(path.clone(), Path::to_owned));
        }
    }
    found.sort();
    match &found[..] {
        [] => Err(FindError::NoDirectory),
        [one] => Ok(one.clone()),
        many => {
            let names: Vec<_> = many.iter().map(|p| p.display().to_string()).collect();
            Err(FindError::ManyDirectories(names.join(", ")))
        }
    }
}

pub(super) fn all(dir: &Path) -> Result<Vec<(u64, PathBuf)>, FindError> {
    let found = store::list(dir).map_err(at(dir))?;
    if found.is_empty() {
        return Err(FindError::Empty(dir.to_owned()));
    }
    Ok(found)
}

/// The one that a restart would try first.
fn newest(dir: &Path) -> Result<PathBuf, FindError> {
    let found = all(dir)?;
    let mut order = store::in_order_of_restart(&found, &store::given_up(dir));
    let first = order.next().map(|(_, path)| path.clone());
    first.ok_or_else(|| FindError::Empty(dir.to_owned()))
}

/// One checkpoint by id, `latest`, file or directory.
pub(super) fn checkpoint(what: &str, dir: Option<&Path>) -> Result<PathBuf, FindError> {
    if what == "latest" {
        return newest(&directory(dir)?);
    }
    if let Ok(id) = what.parse() {
        let dir = directory(dir)?;
        let found = all(&dir)?;
        let list: Vec<_> = found.iter().map(|(id, _)| id.to_string()).collect();
        let path = found
            .into_iter()
            .find(|(i, _)| *i == id)
            .map(|(_, path)| path);
        return path.ok_or(FindError::NoId {
            dir,
            id,
            list: list.join(", "),
        });
    }
    let path = PathBuf::from(what);
    match path.metadata() {
        Ok(data) if data.is_dir() => newest(&path),
        Ok(_) => Ok(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(FindError::Nothing(what.to_owned()))
        }
        Err(error) => Err(FindError::Io { path, error }),
    }
}

/// All checkpoints of a directory, or the one that is named.
pub(super) fn several(what: Option<&str>, dir: Option<&Path>) -> Result<Vec<PathBuf>, FindError> {
    let whole = match what {
        None => directory(dir)?,
        Some(what) if Path::new(what).is_dir() => what.into(),
        Some(what) => return Ok(vec![checkpoint(what, dir)?]),
    };
    Ok(all(&whole)?.into_iter().map(|(_, path)| path).collect())
}
