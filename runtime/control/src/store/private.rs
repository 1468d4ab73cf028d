//! Files that others neither read nor put elsewhere: checkpoints hold all that the program has in memory.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use pc3_os::files;

/// To write to a file of the owner's; a link that somebody has laid there is not followed.
pub(super) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    let options_of = options.write(true).mode(0o600);
    options_of.custom_flags(files::NOT_THROUGH_LINKS);
    options
}

/// An empty file, as [`File::create`].
pub(super) fn create(path: &Path) -> io::Result<File> {
    options().create(true).truncate(true).open(path)
}

pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    create(path)?.write_all(text.as_bytes())
}

/// The file has that text then, and who reads it meanwhile finds what it had.  If that fails nothing is left of it.
pub(super) fn replace(path: &Path, temporary: &Path, text: &str, durable: bool) -> io::Result<()> {
    let write = || {
        let mut file = create(temporary)?;
        file.write_all(text.as_bytes())?;
        if durable {
            file.sync_all()?;
        }
        fs::rename(temporary, path)
    };
    let written = write();
    if written.is_err() {
        let _ = fs::remove_file(temporary);
    }
    written
}

/// The folder, if it is not there: one that its owner has made stays as it is.
pub(super) fn folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{symlink, PermissionsExt};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn others_read_nothing_and_links_lead_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let below = dir.path().join("a/b");
        folder(&below).unwrap();
        assert_eq!(mode(&below), 0o700);
        let file = below.join("file");
        write(&file, "text").unwrap();
        assert_eq!(mode(&file), 0o600);
        let (link, other) = (below.join("link"), below.join("other"));
        fs::write(&other, "other").unwrap();
        symlink(&other, &link).unwrap();
        assert!(create(&link).is_err());
        assert_eq!(fs::read_to_string(&other).unwrap(), "other");
    }

    #[test]
    fn what_cannot_be_replaced_stays_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let (file, temporary) = (dir.path().join("file"), dir.path().join("temporary"));
        replace(&file, &temporary, "one", true).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "one");
        let folder = dir.path().join("folder");
        fs::create_dir_all(folder.join("full")).unwrap();
        replace(&folder, &temporary, "two", false).unwrap_err();
        assert!(folder.join("full").is_dir() && !temporary.exists());
    }
}
