//! The transport over a native MPI, as a shared object: built once per MPI from this source, loaded at run time.
//!
//! A frame of up to `SMALL` bytes is one message, received into one of a ring of buffers that wait for messages of
//! any process.  The body of a longer one follows its head in pieces under a tag of its own, sent from where it lies
//! and received where it belongs; one that the receiver has asked for (`pull`) needs no frame, and has a tag of its own.
//! MPI keeps messages of one process to another in order; frames that arrive behind
//! a body that is still under way wait for it.  One thread at a time is in here (`MPI_THREAD_SERIALIZED`).

mod outbox;
mod state;

use std::ffi::{c_char, c_void};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering::*};
use std::time::Duration;

use mpi::ffi;
use pc3_os::files;
use pc3_os::sockets::{self, Wait};
use pc3_transport::{Head, Joined, Sink, Transport, VERSION};
use state::State;

#[no_mangle]
#[allow(non_upper_case_globals)]
pub static pc3_transport: Transport = Transport {
    version: VERSION,
    name: c"mpi".as_ptr(),
    join,
    attach,
    send,
    pull: Some(pull),
    push: Some(push),
    progress,
    unsent,
    wait,
    wake,
    finish,
    abort,
};

struct Handle {
    state: State,
    bell: File,
    /// Waits in a row in which nothing came.
    idle: AtomicU32,
}

/// Descriptors of this process.
fn descriptors() -> Vec<String> {
    let list = std::fs::read_dir(files::LIST).into_iter().flatten();
    let name =
        |e: std::io::Result<std::fs::DirEntry>| Some(e.ok()?.file_name().into_string().ok()?);
    let mut all: Vec<String> = list.filter_map(name).collect();
    all.sort_unstable();
    all
}

/// Connections that are made when they are first used, or once others are, are made now: what they open would later be taken
/// for the program's.
///
/// # Safety
/// All processes of the communicator call it.
unsafe fn settle(comm: ffi::MPI_Comm, count: usize) {
    const CALM: u32 = 8;
    let (mine, mut theirs) = (vec![0u8; count], vec![0u8; count]);
    let byte = ffi::RSMPI_UINT8_T;
    let (mut before, mut calm) = (Vec::new(), 0);
    for _ in 0..500 {
        let now = descriptors();
        let news = vec![u8::from(now != before); count];
        before = now;
        // SAFETY: by the caller; as many bytes as there are processes.
        unsafe {
            let (from, to) = (news.as_ptr().cast(), theirs.as_mut_ptr().cast());
            ffi::MPI_Alltoall(from, 1, byte, to, 1, byte, comm);
        }
        calm = match theirs == mine {
            true => calm + 1,
            false => 0,
        };
        if calm == CALM {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

fn open() -> Result<(Handle, u32, u32), String> {
    let mut provided = 0;
    // SAFETY: called once, before anything else of MPI.
    unsafe {
        let wanted = ffi::RSMPI_THREAD_SERIALIZED;
        if ffi::MPI_Init_thread(null_mut(), null_mut(), wanted, &raw mut provided) != 0 {
            return Err("MPI_Init_thread failed".to_owned());
        }
        if provided < wanted {
            ffi::MPI_Finalize();
            return Err("this MPI may not be called by more than one thread in turn".to_owned());
        }
        let bell = sockets::bell().map_err(|_| "no eventfd".to_owned())?;
        let (mut index, mut count) = (0, 0);
        let mut comm = ffi::RSMPI_COMM_NULL;
        // Programs may be linked with libraries that use MPI_COMM_WORLD.
        ffi::MPI_Comm_dup(ffi::RSMPI_COMM_WORLD, &raw mut comm);
        ffi::MPI_Comm_rank(comm, &raw mut index);
        ffi::MPI_Comm_size(comm, &raw mut count);
        settle(comm, count as usize);
        let state = State::new(comm, count as usize);
        let idle = AtomicU32::new(0);
        Ok((Handle { state, bell, idle }, index as u32, count as u32))
    }
}

unsafe extern "C" fn join(into: *mut Joined, error: *mut c_char, room: usize) -> i32 {
    match open() {
        Ok((handle, index, count)) => {
            let handle = Box::into_raw(Box::new(handle)).cast();
            // SAFETY: by the caller.
            unsafe {
                *into = Joined {
                    handle,
                    index,
                    count,
                }
            };
            0
        }
        Err(why) => {
            let n = why.len().min(room.saturating_sub(1));
            // SAFETY: by the caller.
            unsafe {
                std::ptr::copy_nonoverlapping(why.as_ptr(), error.cast(), n);
                *error.add(n) = 0;
            }
            1
        }
    }
}

/// # Safety
/// A handle of `join`; `state` is used by one thread at a time.
unsafe fn state<'a>(handle: *mut c_void) -> &'a mut State {
    // SAFETY: by the caller.
    unsafe { &mut (*handle.cast::<Handle>()).state }
}

unsafe extern "C" fn attach(handle: *mut c_void, sink: *const Sink) {
    // SAFETY: the interface.
    unsafe { state(handle).attach(*sink) }
}

unsafe extern "C" fn send(
    handle: *mut c_void,
    peer: u32,
    head: *const Head,
    body: *const u8,
    token: u64,
) {
    // SAFETY: the interface.
    unsafe { state(handle).send(peer, &*head, body, token) }
}

unsafe extern "C" fn pull(
    handle: *mut c_void,
    peer: u32,
    to: *mut u8,
    len: u64,
    id: u64,
) -> u32 {
    // SAFETY: the interface.
    unsafe { state(handle).pull(peer, to, len as usize, id) }
}

unsafe extern "C" fn push(
    handle: *mut c_void,
    peer: u32,
    name: u32,
    from: *const u8,
    len: u64,
    token: u64,
) {
    // SAFETY: the interface.
    unsafe { state(handle).push(peer, name, from, len as usize, token) }
}

unsafe extern "C" fn progress(handle: *mut c_void) -> i32 {
    // SAFETY: the interface.
    unsafe {
        let any = state(handle).progress();
        if any {
            (*handle.cast::<Handle>()).idle.store(0, Relaxed);
        }
        i32::from(any)
    }
}

unsafe extern "C" fn unsent(handle: *mut c_void, peer: u32) -> u64 {
    // SAFETY: the interface.
    unsafe { state(handle).unsent(peer) }
}

/// MPI can only be asked again and again: ever more rarely, the longer nothing comes.
unsafe extern "C" fn wait(handle: *mut c_void, microseconds: u64) {
    // SAFETY: the bell and an atomic.
    unsafe {
        let h = handle.cast::<Handle>();
        let n = (*h).idle.fetch_add(1, Relaxed);
        let nap = microseconds.min(20 << (n / 16).min(6));
        let bell = (*h).bell.as_raw_fd();
        let time = Duration::from_micros(nap.min(999_999));
        if sockets::wait_briefly(&mut Wait::new(bell, true, false), time) {
            sockets::quiet(bell);
        }
    }
}

unsafe extern "C" fn wake(handle: *mut c_void) {
    // SAFETY: the bell.
    sockets::ring(unsafe { (*handle.cast::<Handle>()).bell.as_raw_fd() });
}

unsafe extern "C" fn finish(handle: *mut c_void) {
    // SAFETY: the interface.
    unsafe {
        state(handle).finish();
        ffi::MPI_Finalize();
    }
}

unsafe extern "C" fn abort(handle: *mut c_void, status: i32) {
    // SAFETY: nothing of this process goes on.
    unsafe {
        let comm = (*handle.cast::<Handle>()).state.comm();
        ffi::MPI_Abort(comm, status);
    }
}
