//! A rank's open `FILE`s: what was opened how, where they stand at a checkpoint, and opening them
//! again at a restart.
//!
//! Outputs are cut to their length at the checkpoint, so that what was printed after it is printed
//! once.  The standard streams are known without being opened; their positions are restored if
//! they lead to the same regular file.

use std::collections::BTreeSet;
use std::ffi::{c_char, c_int, CStr, CString};
use std::io;
use std::os::fd::RawFd;

use libc::FILE;

use crate::format::meta::{FileKind, FileMeta};
use crate::rank::Rank;
use crate::tell::say;

extern "C" {
    static mut stdin: *mut FILE;
    static mut stdout: *mut FILE;
    static mut stderr: *mut FILE;
    fn fseeko64(stream: *mut FILE, offset: i64, whence: c_int) -> c_int;
    fn ftello64(stream: *mut FILE) -> i64;
    fn __fbufsize(stream: *mut FILE) -> usize;
}

const STATE_EOF: u64 = 1;
/// Standard input is no file and something has been read from it.
const STATE_CONSUMED: u64 = 4;
const NO_DESCRIPTOR: u64 = u64::MAX;

#[derive(Debug, Clone)]
struct Opened {
    stream: *mut FILE,
    path: CString,
    mode: CString,
    kind: FileKind,
}

#[derive(Debug, Default)]
pub struct Files {
    opened: Vec<Opened>,
    /// Where streams were that the program closed.
    closed: BTreeSet<usize>,
    /// Reopened by a restart, not yet put into position.
    unsettled: Vec<(*mut FILE, FileMeta)>,
}

fn standard() -> [(FileKind, *mut FILE); 3] {
    // SAFETY: the C library's variables; nobody else of ours writes them.
    unsafe {
        [
            (FileKind::Stdin, stdin),
            (FileKind::Stdout, stdout),
            (FileKind::Stderr, stderr),
        ]
    }
}

fn kind_of(stream: *mut FILE) -> FileKind {
    standard()
        .iter()
        .find(|s| s.1 == stream)
        .map_or(FileKind::Opened, |s| s.0)
}

fn length_of(fd: RawFd) -> Option<u64> {
    // SAFETY: fstat64 fills the structure.
    unsafe {
        let mut stat: libc::stat64 = std::mem::zeroed();
        let regular =
            libc::fstat64(fd, &raw mut stat) == 0 && stat.st_mode & libc::S_IFMT == libc::S_IFREG;
        regular.then_some(stat.st_size as u64)
    }
}

/// Where the next byte written to an inherited descriptor goes.
pub(crate) fn stands_at(fd: RawFd) -> Option<u64> {
    let length = length_of(fd)?;
    // SAFETY: plain system calls.
    unsafe {
        // Until something is written, the offset of one opened to append is not the file's end.
        if libc::fcntl(fd, libc::F_GETFL) & libc::O_APPEND != 0 {
            return Some(length);
        }
        u64::try_from(libc::lseek64(fd, 0, libc::SEEK_CUR)).ok()
    }
}

/// Where an inherited descriptor leads.
pub(crate) fn leads_to(fd: RawFd) -> String {
    std::fs::read_link(format!("/proc/self/fd/{fd}"))
        .map_or(String::new(), |p| p.to_string_lossy().into_owned())
}

/// Where a file is appended to is noted outside of the process.
unsafe fn appends(stream: *mut FILE, mode: *const c_char) {
    // SAFETY: by the caller, an open stream and a terminated string.
    let (fd, first) = unsafe { (libc::fileno(stream), *mode as u8) };
    let length = length_of(fd).filter(|_| first == b'a');
    // SAFETY: used by entry points only, which user code calls.
    if let (Some(length), Some(rank)) = (length, unsafe { Rank::current() }) {
        rank.job().appends(length, leads_to(fd));
    }
}

impl Files {
    fn note(&mut self, stream: *mut FILE, path: CString, mode: CString, kind: FileKind) {
        self.forget(stream);
        self.closed.remove(&(stream as usize));
        self.opened.push(Opened {
            stream,
            path,
            mode,
            kind,
        });
    }

    fn forget(&mut self, stream: *mut FILE) {
        self.opened.retain(|o| o.stream != stream);
    }

    fn close(&mut self, stream: *mut FILE) {
        self.forget(stream);
        self.closed.insert(stream as usize);
    }

    /// All streams as they stand; outputs have been flushed.
    pub fn describe(&self) -> Vec<FileMeta> {
        let inherited = standard()
            .into_iter()
            .filter(|s| !self.opened.iter().any(|o| o.stream == s.1))
            .filter(|s| !self.closed.contains(&(s.1 as usize)))
            .map(|(kind, stream)| (kind, stream, String::new(), String::new()));
        let opened = self.opened.iter().map(|o| {
            (
                o.kind,
                o.stream,
                o.path.to_string_lossy().into_owned(),
                o.mode.to_string_lossy().into_owned(),
            )
        });
        inherited
            .chain(opened)
            .map(|(kind, stream, path, mode)| describe(kind, stream, path, mode))
            .chain(self.closed.iter().map(|addr| closed(*addr)))
            .collect()
    }

    /// Opens the files of a checkpoint again; calls `found(saved address, stream here)` for each, null for
    /// closed ones.
    /// Changes none of them: the restart may still be refused.
    pub fn reopen(
        &mut self,
        saved: &[FileMeta],
        mut found: impl FnMut(u64, usize),
    ) -> Result<(), String> {
        for file in saved {
            if file.kind == FileKind::Closed {
                found(file.addr, 0);
                continue;
            }
            let at = standard().iter().find(|s| s.0 == file.kind).map(|s| s.1);
            let stream = match at {
                Some(stream) if file.mode.is_empty() => stream,
                _ if file.kind == FileKind::Temporary => {
                    return Err(
                        "a file made by tmpfile() was open; its contents were not saved".to_owned(),
                    );
                }
                at => {
                    let (stream, path, mode) =
                        open(file, at).map_err(|e| format!("cannot reopen {}: {e}", file.path))?;
                    self.note(stream, path, mode, file.kind);
                    stream
                }
            };
            self.unsettled.push((stream, file.clone()));
            found(file.addr, stream as usize);
        }
        Ok(())
    }

    /// Cuts outputs and seeks inputs to where they stood.  `inherits`: the standard streams are this
    /// rank's to restore.
    pub fn settle(&mut self, inherits: bool) -> Result<(), String> {
        for (stream, file) in std::mem::take(&mut self.unsettled) {
            let done = match file.mode.is_empty() {
                true if !inherits => Ok(()),
                true => inherited(&file, stream),
                false => position(&file, stream),
            };
            done.map_err(|e| format!("cannot put {} to where it stood: {e}", file.path))?;
        }
        Ok(())
    }
}

fn closed(addr: usize) -> FileMeta {
    FileMeta {
        addr: addr as u64,
        descriptor: NO_DESCRIPTOR,
        kind: FileKind::Closed,
        path: String::new(),
        mode: String::new(),
        position: None,
        length: 0,
        state: 0,
    }
}

fn describe(kind: FileKind, stream: *mut FILE, path: String, mode: String) -> FileMeta {
    // SAFETY: an open stream (the program closes them through us).
    let (fd, position, eof, error) = unsafe {
        let fd = libc::fileno(stream);
        let errno = *libc::__errno_location();
        let position = if mode.is_empty() && kind != FileKind::Stdin {
            stands_at(fd)
        } else {
            u64::try_from(ftello64(stream)).ok()
        };
        *libc::__errno_location() = errno;
        (
            fd,
            position,
            libc::feof(stream) != 0,
            libc::ferror(stream) != 0,
        )
    };
    let length = length_of(fd);
    // A stream gets its buffer when it is first used.
    // SAFETY: an open stream.
    let consumed = kind == FileKind::Stdin
        && length.is_none()
        && mode.is_empty()
        && unsafe { __fbufsize(stream) } > 0;
    FileMeta {
        addr: stream as usize as u64,
        descriptor: u64::try_from(fd).unwrap_or(NO_DESCRIPTOR),
        kind,
        path: if mode.is_empty() { leads_to(fd) } else { path },
        mode,
        position: position.filter(|_| length.is_some()),
        length: length.unwrap_or(0),
        state: u64::from(eof) | u64::from(error) << 1 | if consumed { STATE_CONSUMED } else { 0 },
    }
}

/// Puts an inherited stream back to where it stood, if it leads to the same file as it did.
fn inherited(file: &FileMeta, stream: *mut FILE) -> io::Result<()> {
    // SAFETY: a standard stream.
    let fd = unsafe { libc::fileno(stream) };
    match file.kind {
        FileKind::Stdin => standard_input(file, stream, fd),
        // Standard error is a log: what it says of earlier runs stays, unless the program's output goes there, too.
        FileKind::Stderr => Ok(()),
        _ => match file.position {
            Some(position) if file.path == leads_to(fd) => cut_back(fd, position),
            _ => Ok(()),
        },
    }
}

/// An input that moved with the job is known by its length.
fn standard_input(file: &FileMeta, stream: *mut FILE, fd: RawFd) -> io::Result<()> {
    let here = leads_to(fd);
    match (file.position, length_of(fd)) {
        (Some(position), Some(length)) if file.path == here || length == file.length => {
            return seek(stream, position, file.state);
        }
        (Some(0), _) => return Ok(()),
        (None, _) if file.state & STATE_CONSUMED == 0 => return Ok(()),
        _ => {}
    }
    // At its end it stays if nothing can come from here.
    if file.state & STATE_EOF == 0 || here != "/dev/null" {
        let (was, is) = (&file.path, if here.is_empty() { "closed" } else { &here });
        say(&format!(
            "standard input was {was} and is {is}: what had been read before the checkpoint is not skipped"
        ));
    }
    Ok(())
}

/// Takes back what was written to an inherited regular file behind `position`.
pub(crate) fn cut_back(fd: RawFd, position: u64) -> io::Result<()> {
    match length_of(fd) {
        Some(length) if length >= position => {
            cut(fd, position)?;
            // SAFETY: a plain system call.
            unsafe { libc::lseek64(fd, position as i64, libc::SEEK_SET) };
        }
        Some(length) if length > 0 => say(&format!(
            "standard output has {length} bytes and had {position} at the checkpoint: what is missing is not written again"
        )),
        _ => {}
    }
    Ok(())
}

/// Takes back what was appended to a file, if it is still there.
pub(crate) fn cut_file(path: &str, position: u64) -> io::Result<()> {
    match std::fs::OpenOptions::new().write(true).open(path) {
        Ok(file) if file.metadata()?.is_file() && file.metadata()?.len() > position => {
            file.set_len(position)
        }
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

fn cut(fd: RawFd, length: u64) -> io::Result<()> {
    // SAFETY: a plain system call.
    match unsafe { libc::ftruncate64(fd, length as i64) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn seek(stream: *mut FILE, position: u64, state: u64) -> io::Result<()> {
    // SAFETY: an open stream.
    unsafe {
        if fseeko64(stream, position as i64, libc::SEEK_SET) != 0 {
            return Err(io::Error::last_os_error());
        }
        if state & STATE_EOF != 0 {
            // Reading at the end sets the flag again.
            let c = libc::fgetc(stream);
            if c != libc::EOF {
                fseeko64(stream, position as i64, libc::SEEK_SET);
            }
        }
    }
    Ok(())
}

fn open(file: &FileMeta, at: Option<*mut FILE>) -> io::Result<(*mut FILE, CString, CString)> {
    let bad = |_| io::Error::from_raw_os_error(libc::EINVAL);
    let path = CString::new(file.path.as_bytes()).map_err(bad)?;
    let mode = CString::new(file.mode.as_bytes()).map_err(bad)?;
    // "w" would empty it.
    let again = match file.mode.strip_prefix('w') {
        Some(rest) => format!("r+{}", rest.replace(['+', 'x'], "")),
        None => file.mode.clone(),
    };
    let again = CString::new(again).map_err(bad)?;
    let creates = file.mode.starts_with('w') && file.length == 0;
    // SAFETY: terminated strings; the stream, if given, is a standard one.
    let stream = unsafe {
        let open = |mode: &CString| match at {
            Some(stream) => libc::freopen(path.as_ptr(), mode.as_ptr(), stream),
            None => libc::fopen(path.as_ptr(), mode.as_ptr()),
        };
        let first = open(&again);
        if first.is_null() && creates {
            open(&mode)
        } else {
            first
        }
    };
    if stream.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: an open stream.
    let now = length_of(unsafe { libc::fileno(stream) });
    if let Some(now) = now.filter(|now| *now < file.length) {
        let had = file.length;
        return Err(io::Error::other(format!(
            "it has {now} bytes, and had {had} at the checkpoint"
        )));
    }
    Ok((stream, path, mode))
}

fn position(file: &FileMeta, stream: *mut FILE) -> io::Result<()> {
    let Some(position) = file.position else {
        return Ok(());
    };
    // SAFETY: an open stream.
    let fd = unsafe { libc::fileno(stream) };
    let writes = !file.mode.starts_with('r') || file.mode.contains('+');
    if writes && length_of(fd).is_some() {
        cut(fd, file.length)?;
    }
    seek(stream, position, file.state)
}

fn files<'a>() -> Option<&'a mut Files> {
    // SAFETY: used by entry points only, which user code calls.
    unsafe { Rank::current() }.map(|rank| &mut rank.files)
}

unsafe fn owned(s: *const c_char) -> CString {
    // SAFETY: by the caller, a terminated string or null.
    if s.is_null() {
        CString::default()
    } else {
        unsafe { CStr::from_ptr(s) }.to_owned()
    }
}

/// # Safety
/// As `fopen`.
#[no_mangle]
pub unsafe extern "C" fn pc3_fopen(path: *const c_char, mode: *const c_char) -> *mut FILE {
    // SAFETY: by the caller.
    unsafe {
        let stream = libc::fopen(path, mode);
        if let Some(files) = files().filter(|_| !stream.is_null()) {
            files.note(stream, owned(path), owned(mode), FileKind::Opened);
            appends(stream, mode);
        }
        stream
    }
}

/// # Safety
/// As `freopen`.
#[no_mangle]
pub unsafe extern "C" fn pc3_freopen(
    path: *const c_char,
    mode: *const c_char,
    stream: *mut FILE,
) -> *mut FILE {
    // SAFETY: by the caller.
    unsafe {
        let new = libc::freopen(path, mode, stream);
        if let Some(files) = files() {
            files.close(stream);
            if !new.is_null() {
                files.note(new, owned(path), owned(mode), kind_of(new));
                appends(new, mode);
            }
        }
        new
    }
}

/// # Safety
/// As `fdopen`.
#[no_mangle]
pub unsafe extern "C" fn pc3_fdopen(fd: c_int, mode: *const c_char) -> *mut FILE {
    // SAFETY: by the caller.
    unsafe {
        let stream = libc::fdopen(fd, mode);
        if let Some(files) = files().filter(|_| !stream.is_null()) {
            let path = CString::new(leads_to(fd)).unwrap_or_default();
            files.note(stream, path, owned(mode), FileKind::Opened);
        }
        stream
    }
}

/// # Safety
/// As `tmpfile`.
#[no_mangle]
pub unsafe extern "C" fn pc3_tmpfile() -> *mut FILE {
    // SAFETY: as tmpfile.
    let stream = unsafe { libc::tmpfile() };
    if let Some(files) = files().filter(|_| !stream.is_null()) {
        files.note(
            stream,
            CString::default(),
            c"w+".to_owned(),
            FileKind::Temporary,
        );
    }
    stream
}

/// # Safety
/// As `fclose`.
#[no_mangle]
pub unsafe extern "C" fn pc3_fclose(stream: *mut FILE) -> c_int {
    if let Some(files) = files() {
        files.close(stream);
    }
    // SAFETY: by the caller.
    unsafe { libc::fclose(stream) }
}
