//! Files that are open at a checkpoint.  A restart opens them again where they stood, and takes back what was written since.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, RawFd};
use std::panic::Location;
use std::path::Path;

use pc3_runtime::{closing, opened};

use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{TypeId, Types};
use crate::value::Checkpointable;

/// An open file, which checkpoints keep: it has the functions of [`std::fs::File`].
///
/// After a restart it is at the position that it had at the checkpoint; a file that is written to is cut to the length that
/// it had, and one that was removed while it was open is there again.  One that is missing stops the restart.
///
/// ```
/// use std::io::{Read, Seek, Write};
/// use pc3::prelude::*;
///
/// #[checkpointable]
/// fn log(path: &std::path::Path, n: u32) -> std::io::Result<String> {
///     let mut file = pc3::File::options().read(true).write(true).create(true).truncate(true).open(path)?;
///     for i in 0..n {
///         writeln!(file, "line {i}")?;
///         checkpoint!();
///     }
///     let mut text = String::new();
///     file.rewind()?;
///     file.read_to_string(&mut text)?;
///     Ok(text)
/// }
/// # let path = std::env::temp_dir().join(format!("pc3-doc-{}", std::process::id()));
/// # assert_eq!(log(&path, 2).expect("a file"), "line 0\nline 1\n");
/// # std::fs::remove_file(&path).expect("it is there");
/// ```
///
/// The standard library's file cannot be kept, as nothing is known of how it was opened:
///
/// ```compile_fail,E0277
/// # use std::io::Write;
/// # use pc3::prelude::*;
/// #[checkpointable]
/// fn log() -> std::io::Result<()> {
///     let mut file = std::fs::File::create("log")?;
///     checkpoint!();
///     writeln!(file, "here")
/// }
/// ```
pub struct File {
    inner: std::fs::File,
}

/// How a file is opened, as with [`std::fs::OpenOptions`].
#[derive(Clone, Debug)]
pub struct OpenOptions {
    inner: std::fs::OpenOptions,
    append: bool,
}

impl OpenOptions {
    #[allow(clippy::new_without_default)]
    pub fn new() -> OpenOptions {
        OpenOptions {
            inner: std::fs::OpenOptions::new(),
            append: false,
        }
    }

    pub fn read(&mut self, yes: bool) -> &mut Self {
        self.inner.read(yes);
        self
    }

    pub fn write(&mut self, yes: bool) -> &mut Self {
        self.inner.write(yes);
        self
    }

    pub fn append(&mut self, yes: bool) -> &mut Self {
        self.inner.append(yes);
        self.append = yes;
        self
    }

    pub fn truncate(&mut self, yes: bool) -> &mut Self {
        self.inner.truncate(yes);
        self
    }

    pub fn create(&mut self, yes: bool) -> &mut Self {
        self.inner.create(yes);
        self
    }

    pub fn create_new(&mut self, yes: bool) -> &mut Self {
        self.inner.create_new(yes);
        self
    }

    #[track_caller]
    pub fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let (path, at) = (path.as_ref(), Location::caller());
        let inner = self.inner.open(path)?;
        let call = format!("pc3::File at {}:{}", at.file(), at.line());
        opened(inner.as_raw_fd(), path, &call, self.append);
        Ok(File { inner })
    }
}

impl File {
    /// Opens a file to read it.
    #[track_caller]
    pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
        OpenOptions::new().read(true).open(path)
    }

    /// Opens a file to write it, empty.
    #[track_caller]
    pub fn create(path: impl AsRef<Path>) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).open(path)
    }

    /// Makes a file to read and write it; it must not be there.
    #[track_caller]
    pub fn create_new(path: impl AsRef<Path>) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).open(path)
    }

    pub fn options() -> OpenOptions {
        OpenOptions::new()
    }

    pub fn set_len(&self, length: u64) -> io::Result<()> {
        self.inner.set_len(length)
    }

    pub fn sync_all(&self) -> io::Result<()> {
        self.inner.sync_all()
    }

    pub fn sync_data(&self) -> io::Result<()> {
        self.inner.sync_data()
    }

    pub fn metadata(&self) -> io::Result<std::fs::Metadata> {
        self.inner.metadata()
    }

    pub fn set_permissions(&self, permissions: std::fs::Permissions) -> io::Result<()> {
        self.inner.set_permissions(permissions)
    }

    /// Another `File` with the same position, also after a restart.
    pub fn try_clone(&self) -> io::Result<File> {
        let inner = self.inner.try_clone()?;
        Ok(File { inner })
    }
}

impl Drop for File {
    fn drop(&mut self) {
        closing(self.inner.as_raw_fd());
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl AsFd for File {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inner.as_fd()
    }
}

impl AsRawFd for File {
    fn as_raw_fd(&self) -> RawFd {
        self.inner.as_raw_fd()
    }
}

macro_rules! streams {
    ($($t:ty)*) => {$(
        impl Read for $t {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                (&self.inner).read(buffer)
            }
            fn read_to_end(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
                (&self.inner).read_to_end(buffer)
            }
            fn read_to_string(&mut self, buffer: &mut String) -> io::Result<usize> {
                (&self.inner).read_to_string(buffer)
            }
        }

        impl Write for $t {
            fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
                (&self.inner).write(buffer)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }

        impl Seek for $t {
            fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
                (&self.inner).seek(to)
            }
        }
    )*};
}

streams! { File &File }

impl Checkpointable for File {
    const SIZE: u64 = 4;
    const ALIGN: u64 = 4;

    fn describe(types: &mut Types) -> TypeId {
        types.record::<Self>("pc3::File".to_owned(), |types| {
            vec![("descriptor".to_owned(), i32::describe(types), 0)]
        })
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        out.put(at, &self.inner.as_raw_fd().to_ne_bytes());
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let fd: i32 = from
            .members::<Self>(value, "pc3::File")?
            .load("descriptor")?;
        if !pc3_os::files::is_open(fd) {
            return Err(LoadError::new(format!(
                "is descriptor {fd}, which was not open at the checkpoint"
            )));
        }
        // SAFETY: what was open under this number is so again, and the program had it once.
        let inner = unsafe { std::fs::File::from_raw_fd(fd) };
        Ok(File { inner })
    }
}
