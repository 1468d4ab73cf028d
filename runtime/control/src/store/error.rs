//! Why a checkpoint directory cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

#[derive(Debug, Error)]
pub enum StoreError {
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("{} is in use by a running job ({holder}); stop it, or give this run another PC3_DIR", dir.display())]
    Locked { dir: PathBuf, holder: String },
}

pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> StoreError + '_ {
    move |error| StoreError::Io {
        path: path.to_owned(),
        error,
    }
}
