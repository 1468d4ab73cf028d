//! What becomes of errors: they go to the program's handlers, or end the job.

use std::ffi::{c_int, CStr};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pc3_runtime::report::{leave, say};
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_link::hear_others;
use pc3_vmpi_objects::below::Below;
use pc3_vmpi_objects::error::MpiError;
use pc3_vmpi_objects::handle::abi;

type Handler = unsafe extern "C" fn(*mut usize, *mut c_int, ...);

/// Hands an error to the handler of `comm` (MPI_COMM_WORLD's if that names none) and returns the
/// code for the program.
#[cold]
pub fn raise(me: &RankState, name: &str, comm: usize, e: MpiError) -> c_int {
    let objects = me.objects();
    let (handler, comm) = match objects.comm(comm) {
        Ok(c) => (c.errhandler, comm),
        Err(_) => (objects.world.errhandler, abi::COMM_WORLD),
    };
    hand_over(me, name, handler, comm, &e)
}

/// The same for a file, or for MPI_FILE_NULL.
#[cold]
pub(crate) fn raise_file(me: &RankState, name: &str, file: usize, e: MpiError) -> c_int {
    let objects = me.objects();
    let handler = objects
        .file(file)
        .map_or(objects.file_errhandler, |f| f.errhandler);
    hand_over(me, name, handler, file, &e)
}

/// The same for a window; for MPI_WIN_NULL MPI_COMM_WORLD's.
#[cold]
pub(crate) fn raise_window(me: &RankState, name: &str, window: usize, e: MpiError) -> c_int {
    let handler = me.objects().window(window).map(|w| w.errhandler);
    match handler {
        Ok(handler) => hand_over(me, name, handler, window, &e),
        Err(_) => raise(me, name, 0, e),
    }
}

/// The same for a session; for MPI_SESSION_NULL MPI_COMM_WORLD's.
#[cold]
pub(crate) fn raise_session(me: &RankState, name: &str, session: usize, e: MpiError) -> c_int {
    let handler = me.objects().session(session).map(|s| s.errhandler);
    match handler {
        Ok(handler) => hand_over(me, name, handler, session, &e),
        Err(_) => raise(me, name, 0, e),
    }
}

fn hand_over(me: &RankState, name: &str, handler: usize, mut object: usize, e: &MpiError) -> c_int {
    let mut code = e.class.0;
    match handler {
        abi::ERRORS_RETURN => {}
        abi::ERRORS_ARE_FATAL | abi::ERRORS_ABORT => fatal(me, name, e),
        _ => match me.objects().errhandlers.0.get(handler).map(|h| h.func) {
            Some(func) if func != 0 => {
                let _below = Below::begin();
                // SAFETY: the program said that this is its handler.
                unsafe { std::mem::transmute::<usize, Handler>(func)(&mut object, &mut code) }
            }
            _ => fatal(me, name, e),
        },
    }
    code
}

/// Ends the job for one reason: what other ranks find wrong meanwhile, here or in other processes, is the same or a consequence.
pub fn end_job(status: c_int, message: &str) -> ! {
    static ENDING: AtomicBool = AtomicBool::new(false);
    while ENDING.swap(true, Relaxed) {
        std::thread::park();
    }
    hear_others();
    say(message);
    leave(status)
}

/// The end of the job, as MPI_ERRORS_ARE_FATAL asks.
pub(crate) fn fatal(me: &RankState, name: &str, e: &MpiError) -> ! {
    let line = source_line(me)
        .map(|l| format!(" ({l})"))
        .unwrap_or_default();
    end_job(1, &format!("rank {}: {name}{line}: {e}", me.rank))
}

/// The source line of the running call, if the compiler told it.
pub(crate) fn source_line(me: &RankState) -> Option<Box<str>> {
    let at = me.exec()?.abi.at;
    // SAFETY: generated code stores string literals.
    (!at.is_null()).then(|| unsafe { CStr::from_ptr(at) }.to_string_lossy().into())
}
