//! Which files the words of a command name, and which of them are pc3's.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::program::is_ours;

use super::elf;
use super::options::Run;

/// The program, or an argument of what runs it, that pc3cc has built.
pub(super) fn ours(run: &Run) -> Option<PathBuf> {
    let words = [&run.program].into_iter().chain(&run.args);
    words.filter_map(locate).find(|f| is_ours(f))
}

/// Is it a program given by its path that pc3cc has not built, nor any of its arguments: a launcher's?
pub(super) fn is_foreign(run: &Run) -> bool {
    if !run.program.as_bytes().contains(&b'/') || elf::read(Path::new(&run.program)).is_none() {
        return false;
    }
    ours(run).is_none()
}

/// The file that would be executed.
pub(super) fn locate(program: &OsString) -> Option<PathBuf> {
    let path = Path::new(program);
    if program.to_string_lossy().contains('/') {
        return path.exists().then(|| path.to_owned());
    }
    let search = std::env::var_os("PATH")?;
    std::env::split_paths(&search)
        .map(|d| d.join(path))
        .find(|p| p.is_file())
}
