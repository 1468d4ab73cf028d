//! A rank's open files: streams and descriptors, where they stand at a checkpoint, and opening them again at
//! a restart, under the numbers they had.
//!
//! `describe`: what a checkpoint says of streams; `scan`: what is open at a checkpoint; `reopen`: opening it again; `standard`:
//! the streams with which a program is started; `memory`: those in memory; `stream`: inside of a `FILE`; `system`: what the system says of
//! descriptors; `baseline`: how the process began; `locks`: locks on files; `own`: the runtime's own descriptors; `numbers`: each rank's;
//! `window`: what ranks use while they take their checkpoints one by one; `printing`: what they print then.
//!
//! Outputs are cut to their length at the checkpoint, so that what was written after it is written once.

pub mod baseline;
pub mod call_place;
mod connections;
pub mod describe;
pub mod locks;
pub mod memory;
pub mod numbers;
pub mod printing;
pub mod reopen;
pub mod scan;
pub mod standard;
pub mod stream;
pub mod system;
pub mod window;

use std::collections::{BTreeSet, HashMap};
use std::ffi::{c_char, CStr, CString};
use std::io;
use std::os::fd::RawFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pc3_os::files::{close, S_IFIFO, S_IFSOCK};
use pc3_os::streams;
use pc3_os::types::FILE;

use crate::variables;
pub use call_place::call;
use describe::{as_it_is, describe, gone};
pub use memory::Owner;
use memory::StreamMemory;
use pc3_format::library::{
    AppendedMeta, BufferMeta, FileKind, FileMeta, HeldMeta, LibraryMeta, MemoryMeta, OpenMeta,
    Origin, STATE_EOF, STATE_UNSEEN,
};
use pc3_format::meta::Span;
use reopen::Reopened;
use scan::OpenFile;
pub use standard::kind_of;
use standard::standard;
pub use standard::{
    cut_back, cut_file, go_on_behind, leads_to, outputs_are_alone, silence, take_back,
};
pub use system::stands_at;

/// The program has read from descriptor 0 itself.
static HAS_READ: AtomicBool = AtomicBool::new(false);

/// It has read something from it, or found its end: there is nothing more to lose.
pub fn note_read(something: bool) {
    HAS_READ.store(something, Relaxed);
}

const NO_DESCRIPTOR: u64 = u64::MAX;
/// Files written and closed that are remembered: the latest of them, and all that were appended to.
const WRITTEN: usize = 256;

#[derive(Debug, Clone)]
struct Opened {
    stream: *mut FILE,
    path: CString,
    mode: CString,
    kind: FileKind,
    /// The program has been told its descriptor's number.
    seen: bool,
    /// No checkpoint can hold it; this call made it.
    opaque: Option<String>,
    /// It lives in memory of the program.
    memory: Option<NonNull<StreamMemory>>,
    /// Where it tells the program of memory that is the C library's.
    gives: Option<NonNull<*mut c_char>>,
}

/// A file that was written and closed: what is appended later must not be appended twice.
#[derive(Debug, Clone)]
pub struct Written {
    pub path: Vec<u8>,
    pub whole: bool,
    pub append: bool,
}

#[derive(Debug, Default)]
pub struct Files {
    opened: Vec<Opened>,
    buffers: HashMap<usize, BufferMeta>,
    /// Where streams were that the program closed.
    gone: BTreeSet<usize>,
    written: Vec<Written>,
    /// What is open at the checkpoint that is being taken.
    scanned: Vec<OpenFile>,
    closed: Vec<u64>,
    /// Reopened by a restart, not yet put into position.
    unsettled: Unsettled,
}

#[derive(Debug, Default)]
struct Unsettled {
    files: Vec<Reopened>,
    streams: Vec<(*mut FILE, FileMeta)>,
    closed: Vec<u64>,
    appended: Vec<AppendedMeta>,
}

impl Files {
    pub fn note(&mut self, stream: *mut FILE, path: CString, mode: CString, kind: FileKind) {
        self.forget(stream);
        self.gone.remove(&(stream as usize));
        self.opened.push(Opened {
            stream,
            path,
            mode,
            kind,
            seen: false,
            opaque: None,
            memory: None,
            gives: None,
        });
    }

    /// The stream noted last lives in memory of the program.
    pub fn is_in_memory(&mut self, memory: *mut StreamMemory) {
        if let Some(last) = self.opened.last_mut() {
            last.memory = NonNull::new(memory);
        }
    }

    /// No checkpoint can hold the stream noted last; this call made it.
    pub fn is_opaque(&mut self, call: String) {
        if let Some(last) = self.opened.last_mut() {
            last.opaque = Some(call);
        }
    }

    /// The stream noted last tells the program there of memory that is the C library's.
    pub fn gives_memory(&mut self, place: *mut *mut c_char) {
        if let Some(last) = self.opened.last_mut() {
            last.gives = NonNull::new(place);
        }
    }

    /// Where it does.
    pub fn given(&self, stream: *mut FILE) -> Option<NonNull<*mut c_char>> {
        self.opened.iter().find(|o| o.stream == stream)?.gives
    }

    /// The program has chosen how it is buffered.
    pub fn is_buffered(&mut self, stream: *mut FILE, how: BufferMeta) {
        self.buffers.insert(stream as usize, how);
    }

    fn forget(&mut self, stream: *mut FILE) {
        self.opened.retain(|o| o.stream != stream);
        self.buffers.remove(&(stream as usize));
    }

    /// The program is told the number of its descriptor: is that new?
    pub fn see(&mut self, stream: *mut FILE) -> bool {
        let opened = self.opened.iter_mut().find(|o| o.stream == stream);
        opened.is_some_and(|o| !std::mem::replace(&mut o.seen, true))
    }

    /// The stream is no more: had the program been told the number of its descriptor?
    pub fn close(&mut self, stream: *mut FILE) -> bool {
        let seen = self.opened.iter().any(|o| o.stream == stream && o.seen);
        self.forget(stream);
        self.gone.insert(stream as usize);
        seen
    }

    pub fn note_written(&mut self, written: Written) {
        self.written.retain(|w| w.path != written.path);
        self.written.push(written);
        let few = self.written.iter().filter(|w| !w.append).count();
        if few > WRITTEN {
            if let Some(first) = self.written.iter().position(|w| !w.append) {
                self.written.remove(first);
            }
        }
    }

    /// Standard streams that the program has neither opened anew nor closed.
    fn untouched_standard(&self) -> Vec<*mut FILE> {
        let mut list: Vec<*mut FILE> = standard().into_iter().map(|s| s.1).collect();
        list.retain(|s| !self.gone.contains(&(*s as usize)));
        list.retain(|s| !self.opened.iter().any(|o| o.stream == *s));
        list
    }

    /// A stream whose contents no checkpoint can hold.
    pub fn obstacle(&self) -> Option<String> {
        let coded = |o: &&Opened| o.mode.to_bytes().windows(4).any(|w| w == b",ccs");
        let opaque = self.opened.iter().find_map(|o| o.opaque.as_ref());
        // SAFETY: an open stream.
        let wide = |o: &&Opened| o.memory.is_some() && unsafe { stream::is_wide(o.stream) };
        opaque
            .map(|call| format!("a stream of no file is open (made by {call})"))
            .or_else(|| self.consumed())
            .or_else(|| {
                let known = |at: usize| {
                    let mut known = self
                        .opened
                        .iter()
                        .map(|o| o.stream)
                        .chain(self.untouched_standard());
                    known.any(|s| s as usize == at) || self.gone.contains(&at)
                };
                let (name, _) = variables::other_streams().find(|s| !known(s.1))?;
                Some(format!("`{name}` is a stream that pc3 does not know"))
            })
            .or_else(|| {
                // SAFETY: open streams, or standard ones.
                let moved =
                    |s: *mut FILE| unsafe { stream::is_moved(s).then(|| streams::number(s)) };
                let opened = self.opened.iter().filter(|o| o.memory.is_none());
                let opened = opened.map(|o| o.stream);
                let fd = opened.chain(self.untouched_standard()).find_map(moved)?;
                Some(format!(
                    "descriptor {fd} has been read or moved under a stream that has read ahead"
                ))
            })
            .or_else(|| {
                self.opened.iter().find(wide)?;
                Some("a stream in memory is used for wide characters".to_owned())
            })
            .or_else(|| {
                // SAFETY: open streams, or standard ones.
                let back = |s: *mut FILE| unsafe { stream::is_wide(s) && stream::has_pushed(s) };
                let opened = self.opened.iter().map(|o| o.stream);
                opened.chain(self.untouched_standard()).find(|s| back(*s))?;
                Some("a wide character that was given back (ungetwc) waits in a stream".to_owned())
            })
            .or_else(|| {
                let o = self.opened.iter().find(coded)?;
                let path = o.path.to_string_lossy();
                Some(format!("{path} is open with a character set of its own"))
            })
    }

    /// What has been read from a pipe that is the standard input cannot be read again.
    fn consumed(&self) -> Option<String> {
        let (_, stdin) = standard()[0];
        if !self.untouched_standard().contains(&stdin) {
            return None;
        }
        // SAFETY: a standard stream that is open.
        let (fd, used, at_end) = unsafe {
            let state = stream::standing(stdin).state;
            let used = stream::is_used(stdin) || HAS_READ.load(Relaxed);
            (streams::number(stdin), used, state & STATE_EOF != 0)
        };
        let from = match system::of(fd)?.kind {
            S_IFIFO => "a pipe",
            S_IFSOCK => "a socket",
            _ => return None,
        };
        (used && !at_end).then(|| {
            format!("the program has read from standard input, which is {from}, and more may come: give it a file (< FILE)")
        })
    }

    /// Writes out what waits in streams that are no files: how far they are nobody can say later.  What waits
    /// for a file stays and is saved, so that a checkpoint does not change the order in which things get there.
    pub fn flush(&self) {
        let opened = self.opened.iter().map(|o| o.stream);
        for stream in opened.chain(self.untouched_standard()) {
            // SAFETY: an open stream, or a standard one.
            unsafe {
                // Otherwise characters given back would be lost.
                let waits = || stream::is_wide(stream) || stream::has_output(stream);
                if !stream::is_saved(stream) && waits() {
                    streams::flush(stream);
                }
            }
        }
    }

    /// Takes over what has been found open.
    pub fn take(&mut self, open: Vec<OpenFile>, closed: Vec<u64>) {
        self.scanned = open;
        self.closed = closed;
        let streams: Vec<*mut FILE> = self.opened.iter().map(|o| o.stream).collect();
        for stream in streams.into_iter().chain(self.untouched_standard()) {
            // SAFETY: an open stream, or a standard one.
            let (fd, back) = unsafe { (streams::number(stream), stream::to_go_back(stream)) };
            let on = |o: &&mut OpenFile| o.meta.numbers.iter().any(|n| n.0 as i64 == i64::from(fd));
            if let Some(open) = self.scanned.iter_mut().find(on).filter(|_| back > 0) {
                let at = &mut open.meta.position;
                *at = at.map(|at| at.saturating_sub(back));
            }
        }
    }

    /// The numbers of descriptors that `take` took over.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        let numbers = self.scanned.iter().flat_map(|o| &o.meta.numbers);
        numbers.map(|n| n.0)
    }

    /// Files that the rank has written and closed are part of its local checkpoint.
    pub fn note_all_written(&self, rank: usize) {
        self.written
            .iter()
            .for_each(|w| window::wrote(rank, &w.path));
    }

    /// Contents of removed files, in the order of the entries that want a place for them.
    pub fn contents(&self) -> impl Iterator<Item = &[u8]> {
        self.scanned.iter().filter_map(|o| o.contents.as_deref())
    }

    /// What `take` took, with the places of removed files' contents.
    pub fn library(&self, contents: &[Span]) -> LibraryMeta {
        let mut spans = contents.iter();
        let open = self.scanned.iter().map(|o| {
            let mut meta = o.meta.clone();
            if let Some(span) = o.contents.as_ref().and_then(|_| spans.next()) {
                match meta.origin {
                    Origin::Path => meta.contents = Some(*span),
                    _ => meta.origin = Origin::Removed(*span),
                }
            }
            meta
        });
        LibraryMeta {
            open: open.collect(),
            closed: self.closed.clone(),
            appended: self.written.iter().filter_map(as_it_is).collect(),
            ..LibraryMeta::default()
        }
    }

    /// All streams as they stand.
    pub fn describe(&self) -> Vec<FileMeta> {
        let inherited = standard()
            .into_iter()
            .filter(|s| !self.opened.iter().any(|o| o.stream == s.1))
            .filter(|s| !self.gone.contains(&(s.1 as usize)))
            .map(|(kind, stream)| (kind, stream, String::new(), String::new()));
        let opened = self.opened.iter().map(|o| {
            (
                o.kind,
                o.stream,
                o.path.to_string_lossy().into_owned(),
                o.mode.to_string_lossy().into_owned(),
            )
        });
        let memory = |stream: *mut FILE| {
            let found = self.opened.iter().find(|o| o.stream == stream)?;
            // SAFETY: an open stream, which nobody uses now.
            unsafe {
                let unread = stream::standing(stream).unread;
                Some(found.memory?.as_ref().describe(unread))
            }
        };
        let unseen = |stream: *mut FILE| {
            let own = self.opened.iter().find(|o| o.stream == stream);
            own.is_some_and(|o| !o.seen && o.memory.is_none())
        };
        inherited
            .chain(opened)
            .map(|(kind, stream, path, mode)| {
                let mut file = describe(kind, stream, path, mode);
                file.buffer = self.buffers.get(&(stream as usize)).copied();
                file.memory = memory(stream);
                if unseen(stream) {
                    file.state |= STATE_UNSEEN;
                }
                file
            })
            .chain(self.gone.iter().map(|addr| gone(*addr)))
            .collect()
    }

    /// Opens the files of a checkpoint again; calls `found(saved address, stream here)` for each stream, null
    /// for closed ones.
    /// Changes none of them: the restart may still be refused.
    pub fn reopen<'a>(
        &mut self,
        owner: Owner,
        streams: &[FileMeta],
        library: &LibraryMeta,
        contents: &dyn Fn(Span) -> &'a [u8],
        address: &dyn Fn(u64) -> Option<usize>,
        mut found: impl FnMut(u64, usize),
    ) -> Result<(), String> {
        let mut files: Vec<Reopened> = Vec::new();
        for meta in &library.open {
            let fd = reopen::open(meta, &files, contents)?;
            let held = meta.contents.map(contents);
            files.push(Reopened {
                contents: held.filter(|c| !reopen::holds(&fd, c)).map(<[u8]>::to_vec),
                meta: meta.clone(),
                fd,
            });
        }
        reopen::place(owner.rank, &files, &|n| is_unseen(streams, n))?;
        for file in streams {
            if file.kind == FileKind::Closed {
                found(file.addr, 0);
                continue;
            }
            let own = standard().iter().find(|s| s.0 == file.kind).map(|s| s.1);
            let in_memory = match &file.memory {
                Some(meta) => Some(in_memory(owner, meta, &file.mode, address)?),
                None => None,
            };
            let stream = match (own, in_memory) {
                (Some(stream), _) | (_, Some((stream, _))) => stream,
                _ => stream_on(file, &files, is_unseen(streams, file.descriptor))?,
            };
            if !file.mode.is_empty() {
                let text = |s: &str| CString::new(s).unwrap_or_default();
                self.note(stream, text(&file.path), text(&file.mode), file.kind);
                if file.state & STATE_UNSEEN == 0 {
                    self.see(stream);
                }
            }
            if let (Some(last), Some((_, memory))) = (self.opened.last_mut(), in_memory) {
                last.memory = NonNull::new(memory);
            }
            let mut file = file.clone();
            if let Some(buffer) = &mut file.buffer {
                let here = address(buffer.addr).filter(|_| buffer.addr != 0);
                buffer.addr = here.map_or(0, |a| a as u64);
                self.buffers.insert(stream as usize, *buffer);
            }
            found(file.addr, stream as usize);
            self.unsettled.streams.push((stream, file));
        }
        self.unsettled.files = files;
        self.unsettled.closed.clone_from(&library.closed);
        self.unsettled.appended.clone_from(&library.appended);
        Ok(())
    }

    /// Cuts outputs and seeks inputs to where they stood.  `inherits`: the standard streams are this
    /// rank's to restore.
    pub fn settle(&mut self, rank: usize, inherits: bool) -> Result<(), String> {
        let all = std::mem::take(&mut self.unsettled);
        let is_on = |meta: &OpenMeta, fd: u64| meta.numbers.iter().any(|n| n.0 == fd);
        let is_replaced =
            |fd: u64| all.closed.contains(&fd) || all.files.iter().any(|f| is_on(&f.meta, fd));
        let mut streams = all.streams;
        if !inherits {
            streams
                .iter()
                .for_each(|(stream, file)| buffer_as(*stream, file));
        }
        streams.retain(|(_, file)| inherits || !file.mode.is_empty());
        let given = |file: &FileMeta| file.mode.is_empty() && !is_replaced(file.kind as u64);
        // Before anything is cut back: what they held tells.
        let same: Vec<bool> = streams
            .iter()
            .map(|(_, file)| given(file) && standard::is_the_same(file, file.kind as RawFd))
            .collect();
        for ((_, file), same) in streams.iter().zip(&same).filter(|s| given(&s.0 .1)) {
            let done = standard::restore(file, file.kind as RawFd, *same);
            done.map_err(|e| cannot(&file.path, &e))?;
        }
        for file in &all.files {
            let done = match file.meta.origin {
                // Its position is the standard stream's.
                Origin::Inherited(n) if !is_replaced(n) => Ok(()),
                _ => position(file),
            };
            done.map_err(|e| cannot(&String::from_utf8_lossy(&file.meta.path), &e))?;
            for (n, ends) in file.meta.numbers.iter().filter(|n| n.0 < 3) {
                reopen::put(&file.fd, *n as RawFd, *ends)?;
                reopen::remember(rank, *n as RawFd, &file.meta);
            }
        }
        let mut numbers = HashMap::new();
        for file in &all.files {
            let unseen = |n: &&(u64, bool)| {
                let mut all = streams.iter().map(|s| &s.1);
                n.0 >= 3 && all.any(|f| f.descriptor == n.0 && f.state & STATE_UNSEEN != 0)
            };
            for (n, ends) in file.meta.numbers.iter().filter(unseen) {
                let here = reopen::put_near(&file.fd, *n as RawFd, *ends)?;
                reopen::remember(rank, here, &file.meta);
                numbers.insert(*n, here);
            }
        }
        let here = |n: u64| numbers.get(&n).copied().unwrap_or(n as RawFd);
        for n in &all.closed {
            // SAFETY: a standard descriptor that the program had closed.
            unsafe { close(*n as RawFd) };
        }
        for ((stream, file), same) in streams.iter().zip(same) {
            // SAFETY: a stream that nobody has used yet.
            unsafe {
                if !file.mode.is_empty() {
                    if file.kind as u8 <= FileKind::Stderr as u8 {
                        stream::set_mode(*stream, &file.mode);
                    }
                    if file.memory.is_none() {
                        stream::set_descriptor(*stream, here(file.descriptor));
                    }
                }
                let held = file.held.as_ref();
                let held = held.filter(|_| !given(file) || goes_on(*stream, file));
                let waits = !given(file) || waits_still(file, same);
                settle_stream(*stream, file, held, waits)
                    .map_err(|e| format!("{}: {e}", file.path))?;
            }
        }
        for appended in &all.appended {
            self.cut_written(appended)?;
        }
        // Last: those of `fcntl` end when any descriptor of the file is closed.
        let locked: Vec<OpenMeta> = all.files.into_iter().map(|f| f.meta).collect();
        for meta in locked.iter().filter(|m| locks::any(m.access)) {
            let Some((n, _)) = meta.numbers.first() else {
                continue;
            };
            locks::take(here(*n), meta.access).map_err(|e| {
                let path = String::from_utf8_lossy(&meta.path);
                format!("the lock that the program held on {path} cannot be had: {e}")
            })?;
        }
        Ok(())
    }

    fn cut_written(&mut self, file: &AppendedMeta) -> Result<(), String> {
        let base = baseline::get();
        for path in base.candidates(&file.path, file.below.as_deref()) {
            let Some(now) = system::of_path(&path).filter(|i| i.is_regular()) else {
                continue;
            };
            self.note_written(Written {
                path: path.clone(),
                whole: file.below.is_none(),
                append: true,
            });
            // A duplicate of a standard descriptor was closed.
            let same = |fd: &RawFd| system::of(*fd).is_some_and(|i| i.same(&now));
            let length = [1, 2]
                .into_iter()
                .filter(same)
                .fold(file.length, |length, fd| standard::own_end(fd, length));
            if now.length > length {
                let name = String::from_utf8_lossy(&path).into_owned();
                let cut = std::fs::OpenOptions::new().write(true).open(&name);
                cut.and_then(|f| f.set_len(length))
                    .map_err(|e| cannot(&name, &e))?;
            }
            break;
        }
        Ok(())
    }
}

fn cannot(name: &str, e: &io::Error) -> String {
    format!("cannot put {name} to where it stood: {e}")
}

/// A stream in memory, at its addresses here.
fn in_memory(
    owner: Owner,
    meta: &MemoryMeta,
    mode: &str,
    address: &dyn Fn(u64) -> Option<usize>,
) -> Result<(*mut FILE, *mut StreamMemory), String> {
    let lost = "the memory of a stream is not there any more";
    let here = |saved: u64| address(saved).map(|a| a as u64).ok_or(lost);
    let mut meta = *meta;
    meta.addr = here(meta.addr)?;
    if meta.grows {
        (meta.pointer, meta.count) = (here(meta.pointer)?, here(meta.count)?);
    }
    memory::restored(owner, &meta, mode).ok_or_else(|| "no memory for a stream".to_owned())
}

/// Has nobody but a stream, or several, used the number of a descriptor?
fn is_unseen(streams: &[FileMeta], n: u64) -> bool {
    let mut on = streams.iter().filter(|f| f.descriptor == n).peekable();
    n >= 3 && on.peek().is_some() && on.all(|f| f.state & STATE_UNSEEN != 0)
}

/// A stream on the descriptor it had; a standard one, and one whose number nobody has seen, is not yet in its place.
fn stream_on(file: &FileMeta, files: &[Reopened], unseen: bool) -> Result<*mut FILE, String> {
    use std::os::fd::AsRawFd;
    let on = |f: &&Reopened| f.meta.numbers.iter().any(|n| n.0 == file.descriptor);
    let of = files.iter().find(on);
    let of = of.ok_or_else(|| format!("the descriptor of {} was not open", file.path))?;
    let fd = match file.descriptor {
        0..3 => of.fd.as_raw_fd(),
        _ if unseen => of.fd.as_raw_fd(),
        n => n as RawFd,
    };
    let mode = CString::new(file.mode.as_str()).unwrap_or_default();
    // SAFETY: an open descriptor.
    let stream = unsafe { streams::over(fd, mode.as_ptr()) };
    if stream.is_null() {
        let e = io::Error::last_os_error();
        return Err(format!("cannot reopen {}: {e}", file.path));
    }
    Ok(stream)
}

fn position(file: &Reopened) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let fd = file.fd.as_raw_fd();
    let meta = &file.meta;
    let Some(at) = meta.position else {
        return Ok(());
    };
    match meta.origin {
        Origin::Inherited(_) if system::path_of(fd) != meta.path => Ok(()),
        Origin::Inherited(2) => Ok(()),
        Origin::Inherited(1) => cut_back(fd, standard::own_end(1, at)),
        _ => {
            if scan::writes(meta) && system::length_of(fd).is_some() {
                reopen::undo(file)?;
                if system::length_of(fd) != Some(meta.length) {
                    system::cut(fd, meta.length)?;
                }
            }
            system::set_position(fd, at)
        }
    }
}

/// Each rank says how standard output and error are buffered, and may be in a process of its own now.
fn buffer_as(stream: *mut FILE, file: &FileMeta) {
    let output = matches!(file.kind, FileKind::Stdout | FileKind::Stderr);
    if let Some(b) = file.buffer.filter(|_| output && file.mode.is_empty()) {
        // SAFETY: a standard stream, and as the rank has called it.
        unsafe { streams::set_buffer(stream, b.addr as *mut _, b.mode as i32, b.size as usize) };
    }
}

/// # Safety
/// A stream that nobody has used yet.
unsafe fn settle_stream(
    stream: *mut FILE,
    file: &FileMeta,
    held: Option<&HeldMeta>,
    waits: bool,
) -> Result<(), String> {
    // SAFETY: by the caller.
    unsafe {
        if let Some(b) = file.buffer {
            streams::set_buffer(stream, b.addr as *mut _, b.mode as i32, b.size as usize);
        }
        let pending: &[u8] = if waits { &file.pending } else { &[] };
        stream::put_back(stream, held, pending, &file.pushed, file.state)
    }
}

/// Does standard input stand where it stood?
fn goes_on(stream: *mut FILE, file: &FileMeta) -> bool {
    // SAFETY: a standard stream.
    let fd = unsafe { streams::number(stream) };
    file.position.is_some() && system::position(fd) == file.position
}

/// A job that stops writes out what waits.  That is not taken back where standard output leads elsewhere now, nor where
/// others may have gone on behind it; the file may be a copy of the one that it was.  `same`: it held what it held then.
fn waits_still(file: &FileMeta, same: bool) -> bool {
    let fd = file.kind as RawFd;
    let taken_back = same && standard::goes_on(fd).is_none();
    if file.pending.is_empty() || taken_back {
        return true;
    }
    !standard::waited_is_written(file, fd) && !standard::waited_is_written_there(file)
}

/// Where a descriptor leads, as a terminated string.
pub fn path_text(fd: RawFd) -> CString {
    CString::new(system::path_of(fd)).unwrap_or_default()
}

/// # Safety
/// A terminated string or null.
pub unsafe fn owned(s: *const std::ffi::c_char) -> CString {
    // SAFETY: by the caller.
    if s.is_null() {
        CString::default()
    } else {
        unsafe { CStr::from_ptr(s) }.to_owned()
    }
}
