//! What a rank's directory says of state outside of the program's variables: streams, descriptors, functions
//! for the end, and attributes of the process.

use super::bytes::{DecodeError, Decoder, Encoder};
use super::meta::{get_span, put_span, Span};

type Result<T> = std::result::Result<T, DecodeError>;

/// An open stream: one the program opened, or a standard one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileMeta {
    /// Address of the `FILE`.
    pub addr: u64,
    /// Its descriptor.
    pub descriptor: u64,
    pub kind: FileKind,
    /// As given to `fopen`; of an inherited standard stream, where it led.
    pub path: String,
    /// As given to `fopen`; empty: inherited.
    pub mode: String,
    /// Where its descriptor stands: behind what the buffer holds. None: not seekable.
    pub position: Option<u64>,
    /// The file's length.
    pub length: u64,
    /// `STATE_...` bits.
    pub state: u64,
    /// Of inherited outputs: a hash of the last bytes, at most `TAIL`, in front of the position. In a section of its own.
    pub tail: Option<u64>,
    /// Characters that `ungetc` put in front of what comes from the file, the next one first.
    pub pushed: Vec<u8>,
    /// Written by the program and not yet to the file.
    pub pending: Vec<u8>,
    pub buffer: Option<BufferMeta>,
    /// It lives in memory of the program.
    pub memory: Option<MemoryMeta>,
    /// In a section of its own.
    pub held: Option<HeldMeta>,
}

impl FileMeta {
    /// Is it standard output or error, as the program was given it?
    pub fn is_output(&self) -> bool {
        self.mode.is_empty() && matches!(self.kind, FileKind::Stdout | FileKind::Stderr)
    }

    /// How far the program has come: what waits to be read is not behind it.
    pub fn reached(&self) -> Option<u64> {
        let held = self.held.as_ref();
        let unread = held.map_or(0, |h| h.bytes.len() as u64 - h.at);
        self.position.map(|at| at.saturating_sub(unread))
    }
}

/// The buffer of a stream on a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HeldMeta {
    /// Where the descriptor stood when the stream last used it.
    pub offset: Option<u64>,
    /// Of the buffer.
    pub size: u64,
    /// How much of the bytes the program has read.
    pub at: u64,
    pub bytes: Vec<u8>,
}

impl HeldMeta {
    pub(super) fn encode(&self, e: &mut Encoder) {
        e.u64(self.offset.is_some().into());
        e.u64(self.offset.unwrap_or(0));
        e.u64(self.size);
        e.u64(self.at);
        e.bytes(&self.bytes);
    }

    pub(super) fn decode(d: &mut Decoder) -> Result<HeldMeta> {
        let known = d.u64()? != 0;
        let held = HeldMeta {
            offset: Some(d.u64()?).filter(|_| known),
            size: d.u64()?,
            at: d.u64()?,
            bytes: d.bytes()?.to_vec(),
        };
        let length = held.bytes.len() as u64;
        match held.at <= length && length <= held.size {
            true => Ok(held),
            false => Err(DecodeError::Invalid("a stream's buffer")),
        }
    }
}

/// A stream of `fmemopen` or `open_memstream`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryMeta {
    /// `open_memstream`'s.
    pub grows: bool,
    /// The buffer goes with the stream.
    pub own: bool,
    /// Of the buffer.
    pub addr: u64,
    pub size: u64,
    pub position: u64,
    /// How far there is something in it.
    pub length: u64,
    /// Where the program gets the address and the length.
    pub pointer: u64,
    pub count: u64,
}

/// So much of an output tells it from others.
pub const TAIL: u64 = 64 << 10;

/// End of file was met.
pub const STATE_EOF: u64 = 1;
/// An error was.
pub const STATE_ERROR: u64 = 2;
/// Standard input is no file and something has been read from it.
pub const STATE_CONSUMED: u64 = 4;
/// The stream is used for wide characters.
pub const STATE_WIDE: u64 = 8;
/// It is used for characters of one byte.
pub const STATE_NARROW: u64 = 16;

/// The program has never been told the number of its descriptor.
pub const STATE_UNSEEN: u64 = 32;

/// What the program asked for with `setvbuf`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferMeta {
    /// 0 full, 1 line, 2 none.
    pub mode: u64,
    /// Address of the program's buffer, or 0.
    pub addr: u64,
    pub size: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum FileKind {
    Stdin = 0,
    Stdout = 1,
    Stderr = 2,
    Opened = 3,
    Temporary = 4,
    /// Closed by the program: pointers to it that are still about lead nowhere.
    Closed = 5,
}

impl FileKind {
    fn from(n: u8) -> Result<FileKind> {
        use FileKind::{Closed, Opened, Stderr, Stdin, Stdout, Temporary};
        [Stdin, Stdout, Stderr, Opened, Temporary, Closed]
            .into_iter()
            .find(|k| *k as u8 == n)
            .ok_or(DecodeError::Invalid("file table"))
    }
}

/// An open file with the descriptors that share its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenMeta {
    pub origin: Origin,
    /// Absolute, without links; bytes as the system has them.
    pub path: Vec<u8>,
    /// The same below the folder where the program was started, if the program did not say the whole path.
    pub below: Option<Vec<u8>>,
    /// `ACCESS_...` bits.
    pub access: u64,
    /// None: not seekable.
    pub position: Option<u64>,
    pub length: u64,
    /// Of a file that the program may change in place: when it was last written, seconds and nanoseconds since
    /// 1970, and what it held, if that is here.
    pub written: Option<(u64, u64)>,
    pub contents: Option<Span>,
    /// Descriptors and whether they end with `exec`.
    pub numbers: Vec<(u64, bool)>,
}

pub const ACCESS_READ: u64 = 1;
pub const ACCESS_WRITE: u64 = 2;
pub const ACCESS_APPEND: u64 = 4;
pub const ACCESS_NONBLOCK: u64 = 8;
pub const ACCESS_SYNC: u64 = 16;
pub const ACCESS_DIRECTORY: u64 = 32;
/// The whole file is locked by `flock`, or by `fcntl` or `lockf`: others may read, or not.
pub const ACCESS_FLOCK_SHARED: u64 = 64;
pub const ACCESS_FLOCK: u64 = 128;
pub const ACCESS_LOCK_SHARED: u64 = 256;
pub const ACCESS_LOCK: u64 = 512;
pub const ACCESS_LOCKS: u64 = ACCESS_FLOCK_SHARED | ACCESS_FLOCK | ACCESS_LOCK_SHARED | ACCESS_LOCK;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Opened by its path.
    Path,
    /// A duplicate of the descriptor with which the program was started.
    Inherited(u64),
    /// Its name has been removed: the contents are here.
    Removed(Span),
    /// The removed file of an earlier entry, opened once more.
    Again(u64),
}

/// A file that was appended to and closed again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AppendedMeta {
    pub path: Vec<u8>,
    pub below: Option<Vec<u8>>,
    pub length: u64,
}

/// What `atexit` or `on_exit` registered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExitMeta {
    pub with_status: bool,
    pub function: u64,
    pub argument: u64,
}

/// What the program changed of its process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProcessMeta {
    /// The working directory, and the same below the folder of the start.
    pub directory: Option<(Vec<u8>, Option<Vec<u8>>)>,
    pub umask: Option<u64>,
    pub environment: Vec<VariableMeta>,
    /// Names that the program has removed from it.
    pub removed: Vec<Vec<u8>>,
    /// Category and name.
    pub locale: Vec<(u64, String)>,
    /// The time zone has been looked up.
    pub zone: bool,
    pub signals: Vec<SignalMeta>,
    /// Blocked ones: bit n - 1 for signal n.
    pub blocked: Option<u64>,
    /// Kind, microseconds until it rings, microseconds between.
    pub timers: Vec<(u64, u64, u64)>,
    pub limits: LimitsMeta,
}

/// More of what the program changed of its process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LimitsMeta {
    /// Resource, limit, limit of that.
    pub limits: Vec<(u64, u64, u64)>,
    /// By how much the priority has changed, as two's complement.
    pub nice: Option<u64>,
    /// For signals: address and size.
    pub stack: Option<(u64, u64)>,
}

impl LimitsMeta {
    fn encode(&self, e: &mut Encoder) {
        e.len(self.limits.len());
        for (resource, soft, hard) in &self.limits {
            [*resource, *soft, *hard].into_iter().for_each(|v| e.u64(v));
        }
        put_option(e, self.nice);
        let (at, size) = self.stack.unwrap_or_default();
        e.u64(self.stack.is_some().into());
        e.u64(at);
        e.u64(size);
    }

    fn decode(d: &mut Decoder) -> Result<LimitsMeta> {
        Ok(LimitsMeta {
            limits: d.list(24, |d| Ok((d.u64()?, d.u64()?, d.u64()?)))?,
            nice: get_option(d)?,
            stack: match (d.u64()?, d.u64()?, d.u64()?) {
                (0, ..) => None,
                (_, at, size) => Some((at, size)),
            },
        })
    }
}

/// A string of the environment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariableMeta {
    pub addr: u64,
    /// `NAME=value`.
    pub text: Vec<u8>,
    /// The program made it, or changed it.
    pub changed: bool,
    /// It lies in memory of the program, which gave it to `putenv`.
    pub own: bool,
}

/// A signal's disposition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignalMeta {
    pub signal: u64,
    /// 0: the default; 1: ignored; else a function's address.
    pub handler: u64,
    pub mask: u64,
    /// `SIGNAL_...` bits.
    pub flags: u64,
}

pub const SIGNAL_RESTART: u64 = 1;
pub const SIGNAL_INFO: u64 = 2;
pub const SIGNAL_NODEFER: u64 = 4;
pub const SIGNAL_RESET: u64 = 8;
pub const SIGNAL_NO_STOPPED_CHILDREN: u64 = 16;
pub const SIGNAL_NO_ZOMBIES: u64 = 32;
/// Its handler runs on the stack for signals.
pub const SIGNAL_ON_STACK: u64 = 128;
/// It has been raised while it was blocked.
pub const SIGNAL_PENDING: u64 = 64;

/// All of it, except for the streams.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LibraryMeta {
    pub open: Vec<OpenMeta>,
    /// Standard descriptors that the program has closed.
    pub closed: Vec<u64>,
    pub appended: Vec<AppendedMeta>,
    pub exits: Vec<ExitMeta>,
    /// With the first rank of a process.
    pub process: Option<ProcessMeta>,
}

fn put_below(e: &mut Encoder, below: Option<&Vec<u8>>) {
    e.u64(below.is_some().into());
    e.bytes(below.map_or(&[], |b| b));
}

fn get_below(d: &mut Decoder) -> Result<Option<Vec<u8>>> {
    let (some, bytes) = (d.u64()? != 0, d.bytes()?);
    Ok(some.then(|| bytes.to_vec()))
}

fn put_option(e: &mut Encoder, value: Option<u64>) {
    e.u64(value.is_some().into());
    e.u64(value.unwrap_or(0));
}

fn get_option(d: &mut Decoder) -> Result<Option<u64>> {
    let (some, value) = (d.u64()? != 0, d.u64()?);
    Ok(some.then_some(value))
}

impl FileMeta {
    pub(super) fn encode(&self, e: &mut Encoder) {
        e.u64(self.addr);
        e.u64(self.descriptor);
        e.u8(self.kind as u8);
        e.str(&self.path);
        e.str(&self.mode);
        put_option(e, self.position);
        e.u64(self.length);
        e.u64(self.state);
        e.bytes(&self.pushed);
        e.bytes(&self.pending);
        e.u64(self.buffer.is_some().into());
        if let Some(b) = self.buffer {
            [b.mode, b.addr, b.size].into_iter().for_each(|v| e.u64(v));
        }
        e.u64(self.memory.is_some().into());
        if let Some(m) = self.memory {
            let all = [
                m.grows.into(),
                m.own.into(),
                m.addr,
                m.size,
                m.position,
                m.length,
                m.pointer,
                m.count,
            ];
            all.into_iter().for_each(|v| e.u64(v));
        }
    }

    pub(super) fn decode(d: &mut Decoder) -> Result<FileMeta> {
        Ok(FileMeta {
            addr: d.u64()?,
            descriptor: d.u64()?,
            kind: FileKind::from(d.u8()?)?,
            path: d.str()?,
            mode: d.str()?,
            position: get_option(d)?,
            length: d.u64()?,
            state: d.u64()?,
            tail: None,
            held: None,
            pushed: d.bytes()?.to_vec(),
            pending: d.bytes()?.to_vec(),
            buffer: match d.u64()? {
                0 => None,
                _ => Some(BufferMeta {
                    mode: d.u64()?,
                    addr: d.u64()?,
                    size: d.u64()?,
                }),
            },
            memory: match d.u64()? {
                0 => None,
                _ => Some(MemoryMeta {
                    grows: d.u64()? != 0,
                    own: d.u64()? != 0,
                    addr: d.u64()?,
                    size: d.u64()?,
                    position: d.u64()?,
                    length: d.u64()?,
                    pointer: d.u64()?,
                    count: d.u64()?,
                }),
            },
        })
    }
}

impl OpenMeta {
    fn encode(&self, e: &mut Encoder) {
        let (kind, value) = match self.origin {
            Origin::Path => (0, 0),
            Origin::Inherited(n) => (1, n),
            Origin::Removed(_) => (2, 0),
            Origin::Again(n) => (3, n),
        };
        e.u64(kind);
        e.u64(value);
        if let Origin::Removed(span) = self.origin {
            put_span(e, span);
        }
        e.bytes(&self.path);
        put_below(e, self.below.as_ref());
        e.u64(self.access);
        put_option(e, self.position);
        e.u64(self.length);
        e.u64(self.written.is_some().into());
        if let Some((seconds, nanoseconds)) = self.written {
            e.u64(seconds);
            e.u64(nanoseconds);
        }
        e.u64(self.contents.is_some().into());
        if let Some(span) = self.contents {
            put_span(e, span);
        }
        e.len(self.numbers.len());
        for (n, ends) in &self.numbers {
            e.u64(*n);
            e.u64((*ends).into());
        }
    }

    fn decode(d: &mut Decoder) -> Result<OpenMeta> {
        Ok(OpenMeta {
            origin: match (d.u64()?, d.u64()?) {
                (0, _) => Origin::Path,
                (1, n) => Origin::Inherited(n),
                (2, _) => Origin::Removed(get_span(d)?),
                (3, n) => Origin::Again(n),
                _ => return Err(DecodeError::Invalid("file table")),
            },
            path: d.bytes()?.to_vec(),
            below: get_below(d)?,
            access: d.u64()?,
            position: get_option(d)?,
            length: d.u64()?,
            written: match d.u64()? {
                0 => None,
                _ => Some((d.u64()?, d.u64()?)),
            },
            contents: match d.u64()? {
                0 => None,
                _ => Some(get_span(d)?),
            },
            numbers: d.list(16, |d| Ok((d.u64()?, d.u64()? != 0)))?,
        })
    }
}

impl ProcessMeta {
    fn encode(&self, e: &mut Encoder) {
        e.u64(self.directory.is_some().into());
        if let Some((path, below)) = &self.directory {
            e.bytes(path);
            put_below(e, below.as_ref());
        }
        put_option(e, self.umask);
        e.len(self.environment.len());
        for v in &self.environment {
            e.u64(v.addr);
            e.bytes(&v.text);
            e.u64(v.changed.into());
            e.u64(v.own.into());
        }
        e.len(self.removed.len());
        self.removed.iter().for_each(|name| e.bytes(name));
        e.len(self.locale.len());
        for (category, name) in &self.locale {
            e.u64(*category);
            e.str(name);
        }
        e.u64(self.zone.into());
        e.len(self.signals.len());
        for s in &self.signals {
            let all = [s.signal, s.handler, s.mask, s.flags];
            all.into_iter().for_each(|v| e.u64(v));
        }
        put_option(e, self.blocked);
        e.len(self.timers.len());
        for (kind, left, each) in &self.timers {
            [*kind, *left, *each].into_iter().for_each(|v| e.u64(v));
        }
        self.limits.encode(e);
    }

    fn decode(d: &mut Decoder) -> Result<ProcessMeta> {
        Ok(ProcessMeta {
            directory: match d.u64()? {
                0 => None,
                _ => Some((d.bytes()?.to_vec(), get_below(d)?)),
            },
            umask: get_option(d)?,
            environment: d.list(32, |d| {
                Ok(VariableMeta {
                    addr: d.u64()?,
                    text: d.bytes()?.to_vec(),
                    changed: d.u64()? != 0,
                    own: d.u64()? != 0,
                })
            })?,
            removed: d.list(8, |d| Ok(d.bytes()?.to_vec()))?,
            locale: d.list(16, |d| Ok((d.u64()?, d.str()?)))?,
            zone: d.u64()? != 0,
            signals: d.list(32, |d| {
                Ok(SignalMeta {
                    signal: d.u64()?,
                    handler: d.u64()?,
                    mask: d.u64()?,
                    flags: d.u64()?,
                })
            })?,
            blocked: get_option(d)?,
            timers: d.list(24, |d| Ok((d.u64()?, d.u64()?, d.u64()?)))?,
            // Earlier checkpoints end here.
            limits: match d.is_empty() {
                true => LimitsMeta::default(),
                false => LimitsMeta::decode(d)?,
            },
        })
    }
}

impl LibraryMeta {
    pub(super) fn encode(&self, e: &mut Encoder) {
        e.len(self.open.len());
        self.open.iter().for_each(|o| o.encode(e));
        e.len(self.closed.len());
        self.closed.iter().for_each(|n| e.u64(*n));
        e.len(self.appended.len());
        for a in &self.appended {
            e.bytes(&a.path);
            put_below(e, a.below.as_ref());
            e.u64(a.length);
        }
        e.len(self.exits.len());
        for x in &self.exits {
            [x.with_status.into(), x.function, x.argument]
                .into_iter()
                .for_each(|v| e.u64(v));
        }
        e.u64(self.process.is_some().into());
        if let Some(process) = &self.process {
            process.encode(e);
        }
    }

    pub(super) fn decode(d: &mut Decoder) -> Result<LibraryMeta> {
        Ok(LibraryMeta {
            open: d.list(96, OpenMeta::decode)?,
            closed: d.list(8, Decoder::u64)?,
            appended: d.list(32, |d| {
                Ok(AppendedMeta {
                    path: d.bytes()?.to_vec(),
                    below: get_below(d)?,
                    length: d.u64()?,
                })
            })?,
            exits: d.list(24, |d| {
                Ok(ExitMeta {
                    with_status: d.u64()? != 0,
                    function: d.u64()?,
                    argument: d.u64()?,
                })
            })?,
            process: match d.u64()? {
                0 => None,
                _ => Some(ProcessMeta::decode(d)?),
            },
        })
    }
}
