//! Buffers in front of files, and standard input: what has been read ahead, or waits to be written, is part of the state.

use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use pc3_os::files::STDIN_FILENO;

use crate::Checkpointable;

const ROOM: usize = 8 << 10;

/// Reads ahead, as [`std::io::BufReader`] does; checkpoints keep what has been read.
///
/// ```
/// use std::io::BufRead;
/// let text = pc3::BufReader::new(&b"one\ntwo\n"[..]);
/// assert_eq!(text.lines().map_while(Result::ok).collect::<Vec<_>>(), ["one", "two"]);
/// ```
#[derive(Debug, Checkpointable)]
pub struct BufReader<R> {
    inner: R,
    ahead: Vec<u8>,
    /// So much of it has been used.
    used: usize,
}

impl<R> BufReader<R> {
    pub fn new(inner: R) -> BufReader<R> {
        BufReader {
            inner,
            ahead: Vec::new(),
            used: 0,
        }
    }

    pub fn get_ref(&self) -> &R {
        &self.inner
    }

    pub fn get_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// What has been read ahead.
    pub fn buffer(&self) -> &[u8] {
        &self.ahead[self.used..]
    }

    /// Without what has been read ahead.
    pub fn into_inner(self) -> R {
        self.inner
    }
}

impl<R: Read> BufReader<R> {
    /// Its lines, as [`BufRead::lines`] gives them; a loop over these may be left at a checkpoint.
    pub fn lines(self) -> Lines<R> {
        Lines { of: self }
    }
}

/// The lines of a [`BufReader`].
#[derive(Debug, Checkpointable)]
pub struct Lines<R> {
    of: BufReader<R>,
}

impl<R: Read> Iterator for Lines<R> {
    type Item = io::Result<String>;

    fn next(&mut self) -> Option<io::Result<String>> {
        let mut line = String::new();
        match self.of.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => {
                if line.ends_with('\n') {
                    line.pop();
                    if line.ends_with('\r') {
                        line.pop();
                    }
                }
                Some(Ok(line))
            }
            Err(e) => Some(Err(e)),
        }
    }
}

impl<R: Read> Lines<R> {
    /// With their numbers, as [`Iterator::enumerate`] gives them.
    pub fn enumerate(self) -> Numbered<R> {
        Numbered {
            lines: self,
            next: 0,
        }
    }
}

/// The lines of a [`BufReader`], with their numbers.
#[derive(Debug, Checkpointable)]
pub struct Numbered<R> {
    lines: Lines<R>,
    next: usize,
}

impl<R: Read> Iterator for Numbered<R> {
    type Item = (usize, io::Result<String>);

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.lines.next()?;
        let n = self.next;
        self.next += 1;
        Some((n, line))
    }
}

impl<R: Read> Read for BufReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.buffer().is_empty() && buffer.len() >= ROOM {
            return self.inner.read(buffer);
        }
        let n = self.fill_buf()?.read(buffer)?;
        self.consume(n);
        Ok(n)
    }
}

impl<R: Read> BufRead for BufReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.used == self.ahead.len() {
            self.ahead.resize(ROOM, 0);
            self.used = 0;
            let n = self.inner.read(&mut self.ahead);
            self.ahead.truncate(n.as_ref().map_or(0, |n| *n));
            n?;
        }
        Ok(self.buffer())
    }
    fn consume(&mut self, n: usize) {
        self.used = (self.used + n).min(self.ahead.len());
    }
}

impl<R: Seek> Seek for BufReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Current(by) => SeekFrom::Current(by - self.buffer().len() as i64),
            to => to,
        };
        self.ahead.clear();
        self.used = 0;
        self.inner.seek(to)
    }
}

/// Collects what is written, as [`std::io::BufWriter`] does; checkpoints keep what has not been written yet.
///
/// ```
/// use std::io::Write;
/// let mut to = pc3::BufWriter::new(Vec::new());
/// write!(to, "{}", 1.5)?;
/// assert_eq!(to.into_inner()?, b"1.5");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Checkpointable)]
pub struct BufWriter<W: Write> {
    /// None: it has been taken.
    inner: Option<W>,
    waiting: Vec<u8>,
}

impl<W: Write> BufWriter<W> {
    pub fn new(inner: W) -> BufWriter<W> {
        BufWriter {
            inner: Some(inner),
            waiting: Vec::new(),
        }
    }

    /// What has not been written yet.
    pub fn buffer(&self) -> &[u8] {
        &self.waiting
    }

    /// Writes what waits.
    pub fn into_inner(mut self) -> io::Result<W> {
        self.pass_on()?;
        let inner = self.inner.take();
        inner.ok_or_else(|| io::Error::other("it has been taken"))
    }

    fn pass_on(&mut self) -> io::Result<()> {
        let Some(inner) = &mut self.inner else {
            return Ok(());
        };
        let mut done = 0;
        let mut end = Ok(());
        while done < self.waiting.len() && end.is_ok() {
            match inner.write(&self.waiting[done..]) {
                Ok(0) => end = Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => done += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => end = Err(e),
            }
        }
        self.waiting.drain(..done);
        end
    }
}

impl<W: Write> Write for BufWriter<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if self.waiting.len() + buffer.len() > ROOM {
            self.pass_on()?;
        }
        match &mut self.inner {
            Some(inner) if buffer.len() >= ROOM => inner.write(buffer),
            _ => {
                self.waiting.extend_from_slice(buffer);
                Ok(buffer.len())
            }
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        self.pass_on()?;
        self.inner.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl<W: Write> Drop for BufWriter<W> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // As with the standard library's: who wants to know calls flush.
            let _ = self.flush();
        }
    }
}

static TAKEN: AtomicBool = AtomicBool::new(false);
/// Where standard input stood when nobody had read it.
static START: AtomicU64 = AtomicU64::new(0);

/// Standard input, for which checkpoints know what has been read: [`stdin`].
#[derive(Debug, Checkpointable)]
pub struct Stdin {
    open: bool,
}

/// Standard input.  What `std::io::stdin` reads ahead is lost in a restart, so programs with locations read by this.
///
/// # Panics
/// It has been taken before: there is one, which knows what has been read ahead.
#[track_caller]
pub fn stdin() -> BufReader<Stdin> {
    let again = TAKEN.swap(true, Relaxed);
    assert!(!again, "pc3::stdin() has been taken already");
    BufReader::new(Stdin { open: true })
}

impl Read for Stdin {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        TAKEN.store(true, Relaxed);
        if !self.open {
            return Ok(0);
        }
        // SAFETY: the process's own; it stays open.
        let file = ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(STDIN_FILENO) });
        (&*file).read(buffer)
    }
}

fn position() -> Option<(u64, u64)> {
    // SAFETY: as above.
    let file = ManuallyDrop::new(unsafe { std::fs::File::from_raw_fd(STDIN_FILENO) });
    let of = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some(((&*file).stream_position().ok()?, of.len()))
}

/// Nobody has read anything in this process.
pub(crate) fn note_input() {
    START.store(position().map_or(0, |p| p.0), Relaxed);
}

/// Is standard input read by someone who may have read more than the program has seen?
pub(crate) fn read_by_others() -> bool {
    let midway = |(at, end): (u64, u64)| at != START.load(Relaxed) && at < end;
    !TAKEN.load(Relaxed) && position().is_some_and(midway)
}
