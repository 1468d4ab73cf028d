//! What the program calls instead of the C library's functions that make and close files.

use std::ffi::{c_char, c_int, c_uint, c_void, CStr, CString};
use std::os::fd::RawFd;
use std::path::Path;
use std::ptr::{null, null_mut};

use pc3_os::types::{mode_t, FILE};
use pc3_os::{errors, files as os_files, original, streams};

use pc3_format::library::{BufferMeta, FileKind, ACCESS_APPEND, ACCESS_WRITE};
use pc3_os::own::{disown, is_own};
use pc3_process::files::call_place;
use pc3_process::files::memory::{self, StreamMemory};
use pc3_process::files::scan::{made, Opener};
use pc3_process::files::system::Identity;
use pc3_process::files::{
    baseline, call, kind_of, leads_to, note_read, numbers, owned, path_text, scan, stream, system,
    window, Files, Written,
};
use pc3_state::engine::Engine;
use pc3_state::rank::Rank;

fn files<'a>() -> Option<&'a mut Files> {
    // SAFETY: used by entry points only, which user code calls.
    unsafe { Rank::current() }.map(|rank| &mut rank.files)
}

fn rank() -> usize {
    // SAFETY: as above.
    unsafe { Rank::current() }.map_or(0, |rank| rank.id())
}

/// Says where the next call stands: a static string, `a.c:12`.
#[no_mangle]
pub extern "C" fn pc3_call_at(place: *const c_char) {
    call_place::at(place);
}

/// A descriptor has been made whose number the program gets, and has not chosen.
fn note_numbered(fd: RawFd, name: &str, path: *const c_char) -> RawFd {
    let error = errors::last();
    // SAFETY: used by entry points only, which user code calls.
    let fd = match unsafe { Rank::current() } {
        Some(rank) if fd >= 0 => numbers::of_rank(fd, rank.id(), rank.job().all()),
        _ => fd,
    };
    errors::set(error);
    note(fd, name, path)
}

/// A descriptor has been made; `path`: the one given.
fn note(fd: RawFd, name: &str, path: *const c_char) -> RawFd {
    if fd >= 0 {
        // SAFETY: null or a terminated string.
        let whole = !path.is_null() && unsafe { *path } == b'/' as c_char;
        let new = Opener {
            rank: rank(),
            call: call(name),
            whole,
        };
        enter(fd, new);
    }
    fd
}

fn enter(fd: RawFd, new: Opener) {
    let rank = new.rank;
    disown(fd);
    made().insert(fd, new);
    window::touch(rank, fd);
}

/// A regular file that has been written is about to be closed.
fn note_written(fd: RawFd) {
    let errno = errors::last();
    let access = system::access(fd);
    if access & (ACCESS_WRITE | ACCESS_APPEND) != 0 {
        let own =
            |i: Identity| i.is_regular() && i.links > 0 && !baseline::get().is_unchanged(fd, &i);
        let named = system::of(fd).is_some_and(own);
        if let Some(files) = files().filter(|_| named) {
            files.note_written(Written {
                path: system::path_of(fd),
                whole: made().get(&fd).is_some_and(|m| m.whole),
                append: access & ACCESS_APPEND != 0,
            });
        }
    }
    made().remove(&fd);
    errors::set(errno);
}

/// A guest has opened a file under this path; `append`: what it writes goes to its end.
pub fn opened(fd: RawFd, path: &Path, call: &str, append: bool) {
    appends(fd, append);
    let new = Opener {
        rank: rank(),
        call: call.to_owned(),
        whole: path.is_absolute(),
    };
    enter(fd, new);
}

/// A guest is about to close it.
pub fn closing(fd: RawFd) {
    note_written(fd);
}

/// Where a file is appended to is noted outside of the process.
fn appends(fd: RawFd, append: bool) {
    let length = system::length_of(fd).filter(|_| append);
    // SAFETY: used by entry points only, which user code calls.
    if let (Some(length), Some(rank)) = (length, unsafe { Rank::current() }) {
        rank.job().appends(length, leads_to(fd));
    }
}

fn note_stream(stream: *mut FILE, name: &str, path: *const c_char, mode: CString, kind: FileKind) {
    if stream.is_null() {
        return;
    }
    let errno = errors::last();
    // SAFETY: an open stream; a terminated string or null.
    let (fd, text) = unsafe { (streams::number(stream), owned(path)) };
    note(fd, name, path);
    appends(fd, mode.as_bytes().first() == Some(&b'a'));
    if let Some(files) = files() {
        let text = if path.is_null() { path_text(fd) } else { text };
        files.note(stream, text, mode, kind);
    }
    errors::set(errno);
}

/// `mode` without the letter that asks for a file to be read through a mapping: such a stream cannot be put into position.
unsafe fn unmapped(mode: *const c_char) -> CString {
    // SAFETY: by the caller.
    let text = unsafe { owned(mode) }.into_bytes();
    let end = text.iter().position(|b| *b == b',').unwrap_or(text.len());
    let (letters, rest) = text.split_at(end);
    let text: Vec<u8> = (letters.iter().filter(|b| **b != b'm').chain(rest))
        .copied()
        .collect();
    CString::new(text).unwrap_or_default()
}

/// # Safety
/// As `fopen`.
#[no_mangle]
pub unsafe extern "C" fn pc3_fopen(path: *const c_char, mode: *const c_char) -> *mut FILE {
    // SAFETY: by the caller.
    unsafe {
        let mode = unmapped(mode);
        let stream = original::fopen64(path, mode.as_ptr());
        note_stream(stream, "fopen", path, mode, FileKind::Opened);
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
        let fd = streams::number(stream);
        if fd >= 0 && !path.is_null() {
            streams::flush(stream);
            note_written(fd);
        }
        let mode = unmapped(mode);
        let new = original::freopen64(path, mode.as_ptr(), stream);
        let seen = files().is_some_and(|files| files.close(stream));
        note_stream(new, "freopen", path, mode, kind_of(new));
        if let Some(files) = files().filter(|_| seen) {
            files.see(new);
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
        let mode = unmapped(mode);
        let stream = original::fdopen(fd, mode.as_ptr());
        if let Some(files) = files().filter(|_| !stream.is_null()) {
            files.note(stream, path_text(fd), mode, FileKind::Opened);
            files.see(stream);
        }
        stream
    }
}

/// # Safety
/// As `fileno`.
#[no_mangle]
pub unsafe extern "C" fn pc3_fileno(stream: *mut FILE) -> c_int {
    let told_first = files().is_some_and(|files| files.see(stream));
    // SAFETY: by the caller.
    unsafe {
        let fd = streams::number(stream);
        let made = made().get(&fd).cloned();
        let (Some(made), Some(rank)) = (made.filter(|_| told_first), Rank::current()) else {
            return fd;
        };
        stream::alone(stream, || {
            let own = numbers::of_rank(fd, rank.id(), rank.job().all());
            if own != fd {
                scan::made().remove(&fd);
                enter(own, made);
                stream::set_descriptor(stream, own);
            }
            own
        })
    }
}

/// # Safety
/// As `tmpfile`.
#[no_mangle]
pub unsafe extern "C" fn pc3_tmpfile() -> *mut FILE {
    // SAFETY: as tmpfile.
    let stream = unsafe { original::tmpfile64() };
    let mode = c"w+".to_owned();
    note_stream(stream, "tmpfile", null(), mode, FileKind::Temporary);
    stream
}

/// # Safety
/// As `popen`.
#[no_mangle]
pub unsafe extern "C" fn pc3_popen(command: *const c_char, mode: *const c_char) -> *mut FILE {
    // SAFETY: by the caller.
    unsafe {
        let stream = original::popen(command, mode);
        if !stream.is_null() {
            note(streams::number(stream), "popen", null());
        }
        stream
    }
}

fn note_memory(made: Option<(*mut FILE, *mut StreamMemory)>, mode: CString) -> *mut FILE {
    let Some((stream, memory)) = made else {
        return null_mut();
    };
    if let Some(files) = files() {
        files.note(stream, CString::default(), mode, FileKind::Opened);
        files.is_in_memory(memory);
    }
    stream
}

/// # Safety
/// As `fmemopen`.
#[no_mangle]
pub unsafe extern "C" fn pc3_fmemopen(
    bytes: *mut c_void,
    n: usize,
    mode: *const c_char,
) -> *mut FILE {
    // SAFETY: by the caller.
    unsafe {
        let Some(rank) = Rank::current() else {
            return original::fmemopen(bytes, n, mode);
        };
        if cfg!(target_env = "musl") {
            return unknown(c"fmemopen", original::fmemopen(bytes, n, mode));
        }
        let made = memory::on_buffer(rank.owner(), bytes, n, CStr::from_ptr(mode));
        note_memory(made, owned(mode))
    }
}

/// A stream that nothing is known of, made by a call of the program.
///
/// # Safety
/// `name` is a terminated string, `place` as for `pc3_call_at`.
#[no_mangle]
pub unsafe extern "C" fn pc3_other_stream(
    name: *const c_char,
    place: *const c_char,
    stream: *mut FILE,
) -> *mut FILE {
    call_place::at(place);
    // SAFETY: by the caller.
    unknown(unsafe { CStr::from_ptr(name) }, stream)
}

/// Notes a stream of which nothing is known: no checkpoint is taken while it is open.
fn unknown(name: &CStr, stream: *mut FILE) -> *mut FILE {
    let call = call(&name.to_string_lossy());
    if let Some(files) = files().filter(|_| !stream.is_null()) {
        files.note(
            stream,
            CString::default(),
            CString::default(),
            FileKind::Opened,
        );
        files.is_opaque(call);
    }
    stream
}

/// # Safety
/// As `open_memstream`.
#[no_mangle]
pub unsafe extern "C" fn pc3_open_memstream(bytes: *mut *mut c_char, n: *mut usize) -> *mut FILE {
    // SAFETY: by the caller.
    unsafe {
        let Some(rank) = Rank::current() else {
            return original::open_memstream(bytes, n);
        };
        if cfg!(target_env = "musl") {
            let stream = unknown(c"open_memstream", original::open_memstream(bytes, n));
            if !stream.is_null() {
                rank.files.gives_memory(bytes);
            }
            return stream;
        }
        note_memory(memory::growing(rank.owner(), bytes, n), c"w".to_owned())
    }
}

/// # Safety
/// As `fclose`.
#[no_mangle]
pub unsafe extern "C" fn pc3_fclose(stream: *mut FILE) -> c_int {
    // SAFETY: by the caller.
    unsafe {
        let before = errors::last();
        let fd = streams::number(stream);
        errors::set(before);
        let given = files().and_then(|files| {
            let given = files.given(stream);
            files.close(stream);
            given
        });
        if fd < 0 {
            let closed = original::fclose(stream);
            if let (Some(rank), Some(place)) = (Rank::current(), given) {
                memory::adopt(rank.owner(), place);
            }
            return closed;
        }
        // What it writes now, another rank's local checkpoint may be the first to see: as long as the file is known as open.
        let writes = system::access(fd) & (ACCESS_WRITE | ACCESS_APPEND) != 0;
        let written = if writes { streams::flush(stream) } else { 0 };
        let why = errors::last();
        note_written(fd);
        let closed = original::fclose(stream);
        if written == 0 {
            return closed;
        }
        errors::set(why);
        written
    }
}

fn note_buffer(stream: *mut FILE, mode: c_int, buffer: *mut c_char, size: usize) {
    if let Some(files) = files() {
        let meta = BufferMeta {
            mode: mode as u64,
            addr: buffer as usize as u64,
            size: size as u64,
        };
        files.is_buffered(stream, meta);
    }
}

/// # Safety
/// As `setvbuf`.
#[no_mangle]
pub unsafe extern "C" fn pc3_setvbuf(
    stream: *mut FILE,
    buffer: *mut c_char,
    mode: c_int,
    size: usize,
) -> c_int {
    // SAFETY: by the caller.
    let done = unsafe { original::setvbuf(stream, buffer, mode, size) };
    if done == 0 {
        note_buffer(stream, mode, buffer, size);
    }
    done
}

fn mode_for(buffer: *mut c_char) -> c_int {
    if buffer.is_null() {
        streams::_IONBF
    } else {
        streams::_IOFBF
    }
}

/// # Safety
/// As `setbuf`.
#[no_mangle]
pub unsafe extern "C" fn pc3_setbuf(stream: *mut FILE, buffer: *mut c_char) {
    note_buffer(stream, mode_for(buffer), buffer, streams::BUFFER);
    // SAFETY: by the caller.
    unsafe { original::setbuf(stream, buffer) };
}

/// # Safety
/// As `setbuffer`.
#[no_mangle]
pub unsafe extern "C" fn pc3_setbuffer(stream: *mut FILE, buffer: *mut c_char, size: usize) {
    note_buffer(stream, mode_for(buffer), buffer, size);
    // SAFETY: by the caller.
    unsafe { original::setbuffer(stream, buffer, size) };
}

/// # Safety
/// As `setlinebuf`.
#[no_mangle]
pub unsafe extern "C" fn pc3_setlinebuf(stream: *mut FILE) {
    note_buffer(stream, streams::_IOLBF, std::ptr::null_mut(), 0);
    // SAFETY: by the caller.
    unsafe { original::setlinebuf(stream) };
}

/// `open`, `openat` and their like, whose last argument is optional in C.
///
/// # Safety
/// As `openat`; the mode may be anything if the flags ask for none.
#[no_mangle]
pub unsafe extern "C" fn pc3_open_file(
    folder: c_int,
    path: *const c_char,
    flags: c_int,
    mode: c_uint,
    name: *const c_char,
) -> c_int {
    // SAFETY: by the caller.
    unsafe {
        let fd = original::openat64(folder, path, flags, mode);
        let error = errors::last();
        appends(fd, flags & os_files::O_APPEND != 0);
        errors::set(error);
        note_numbered(fd, CStr::from_ptr(name).to_str().unwrap_or("open"), path)
    }
}

/// # Safety
/// As `read`.
#[no_mangle]
pub unsafe extern "C" fn pc3_read(fd: c_int, into: *mut c_void, n: usize) -> isize {
    // SAFETY: an entry point.
    let engine = unsafe { Rank::current() }.and_then(|rank| rank.job().engine());
    if let Some(engine) = engine.filter(|e| e.is_logging() && os_files::is_random(fd)) {
        // SAFETY: by the caller.
        return unsafe { read_random(engine, fd, into, n) };
    }
    // SAFETY: by the caller.
    let done = unsafe { original::read(fd, into, n) };
    if fd == 0 {
        // At the end there is nothing more to lose.
        note_read(done != 0);
    }
    done
}

/// # Safety
/// As `read`.
unsafe fn read_random(engine: &dyn Engine, fd: c_int, into: *mut c_void, n: usize) -> isize {
    // The error is in front.
    let said = engine.logged(&mut || {
        let mut bytes = vec![0u8; 1 + n.min(i32::MAX as usize)];
        // SAFETY: the vector's own memory.
        let done = unsafe { original::read(fd, bytes[1..].as_mut_ptr().cast(), bytes.len() - 1) };
        if done < 0 {
            bytes[0] = errors::last() as u8;
        }
        bytes.truncate(1 + done.max(0) as usize);
        bytes
    });
    match said.split_first() {
        Some((0, bytes)) => {
            let len = bytes.len().min(n);
            // SAFETY: by the caller.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), into.cast(), len) };
            len as isize
        }
        failed => {
            errors::set(failed.map_or(errors::EIO, |(e, _)| (*e).into()));
            -1
        }
    }
}

/// # Safety
/// As `creat`.
#[no_mangle]
pub unsafe extern "C" fn pc3_creat(path: *const c_char, mode: mode_t) -> c_int {
    // SAFETY: by the caller.
    unsafe { note_numbered(original::creat64(path, mode), "creat", path) }
}

/// # Safety
/// As `close`.
#[no_mangle]
pub unsafe extern "C" fn pc3_close(fd: c_int) -> c_int {
    note_written(fd);
    // SAFETY: by the caller.
    unsafe { original::close(fd) }
}

/// The program's open descriptors from one to another.
fn own_ones(first: c_uint, last: c_uint) -> Vec<RawFd> {
    let inside = |fd: &RawFd| (first..=last).contains(&(*fd as c_uint)) && !is_own(*fd);
    let all = system::open_ones().unwrap_or_default();
    all.into_iter().filter(inside).collect()
}

/// # Safety
/// As `closefrom`.
#[no_mangle]
pub unsafe extern "C" fn pc3_closefrom(first: c_int) {
    for fd in own_ones(first.max(0) as c_uint, c_uint::MAX) {
        // SAFETY: by the caller.
        unsafe { pc3_close(fd) };
    }
}

/// # Safety
/// As `close_range`; the runtime's own stay as they are.
#[no_mangle]
pub unsafe extern "C" fn pc3_close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int {
    const ONLY_WITH_EXEC: c_int = 4;
    if first > last || flags & !ONLY_WITH_EXEC != 0 {
        errors::set(errors::EINVAL);
        return -1;
    }
    for fd in own_ones(first, last) {
        // SAFETY: by the caller.
        unsafe {
            match flags {
                0 => pc3_close(fd),
                _ => os_files::end_with_exec(fd),
            };
        }
    }
    0
}

/// A function returned a descriptor that it made.
///
/// # Safety
/// `name` is a terminated string.
#[no_mangle]
pub unsafe extern "C" fn pc3_descriptor(
    name: *const c_char,
    place: *const c_char,
    fd: c_int,
) -> c_int {
    call_place::at(place);
    // SAFETY: by the caller.
    let name = unsafe { CStr::from_ptr(name) };
    let name = name.to_str().unwrap_or_default();
    match name {
        "dup2" | "dup3" => note(fd, name, null()),
        _ => note_numbered(fd, name, null()),
    }
}

/// Two descriptors from `pipe` and its like.
///
/// # Safety
/// `pair` has two descriptors if `done` is 0.
unsafe fn note_pair(done: c_int, pair: *const c_int, name: &str) -> c_int {
    if done == 0 {
        let place = call_place::get();
        for i in 0..2 {
            call_place::at(place);
            // SAFETY: by the caller.
            note(unsafe { *pair.add(i) }, name, null());
        }
    }
    done
}

/// # Safety
/// As `pipe`.
#[no_mangle]
pub unsafe extern "C" fn pc3_pipe(pair: *mut c_int) -> c_int {
    // SAFETY: by the caller.
    unsafe { note_pair(original::pipe(pair), pair, "pipe") }
}

/// # Safety
/// As `pipe2`.
#[no_mangle]
pub unsafe extern "C" fn pc3_pipe2(pair: *mut c_int, flags: c_int) -> c_int {
    // SAFETY: by the caller.
    unsafe { note_pair(original::pipe2(pair, flags), pair, "pipe2") }
}

/// # Safety
/// As `socketpair`.
#[no_mangle]
pub unsafe extern "C" fn pc3_socketpair(
    domain: c_int,
    kind: c_int,
    protocol: c_int,
    pair: *mut c_int,
) -> c_int {
    // SAFETY: by the caller.
    unsafe {
        let done = original::socketpair(domain, kind, protocol, pair);
        note_pair(done, pair, "socketpair")
    }
}
