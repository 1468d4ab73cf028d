//! What generated code calls at locations, while unwinding and while resuming.

use std::ffi::{c_char, c_int, c_void};

use pc3_os::{errors, processes};
use pc3_typemetric::descriptor::{pc3_fn, pc3_frame, pc3_point, pc3_type};

use super::{callbacks, descent, exits, footing};
use pc3_checkpoint::process::interrupts;
use pc3_control::report::{die, EXIT_FATAL};
use pc3_os::forks;
use pc3_state::floats;
use pc3_state::rank::Rank;
use pc3_state::stack::apart;
use pc3_state::stack::callbacks::{BEFORE, CONTINUE, RESTART};
use pc3_state::stack::frames::{calls, text};
use pc3_state::stack::tls;

fn where_is(point: &pc3_point) -> String {
    format!("{}:{}", text(point.file), point.line)
}

/// Slow path of a location.
///
/// # Safety
/// Called by generated code with a point of its tables.
#[no_mangle]
pub unsafe extern "C" fn pc3_due(point: *const pc3_point) -> c_int {
    // SAFETY: an entry point. First, as programs pass locations by the million while a checkpoint is due elsewhere.
    if unsafe { Rank::current() }.is_some_and(|rank| rank.passes()) {
        return 0;
    }
    if forks::forked() {
        return 0;
    }
    if tls::unwinding() {
        // Someone between the rank's frames does not check pc3_state.
        // SAFETY: by the caller.
        let place = where_is(unsafe { &*point });
        die(EXIT_FATAL, &format!("{place}: a checkpoint was taken below a function called back by a library; no location may be reached there"));
    }
    // SAFETY: an entry point.
    let Some(rank) = (unsafe { Rank::current() }) else {
        return 0;
    };
    if rank.ending || rank.handlers.postpone() || rank.is_below() {
        return 0;
    }
    if !rank.job().program.calls_mpi && footing::is_elsewhere() {
        return 0;
    }
    let errno = errors::last();
    let floats = floats::set_aside();
    let job = std::ptr::from_ref(&**rank.job());
    // SAFETY: the rank keeps its job alive.
    let due = unsafe { &*job }
        .engine()
        .is_some_and(|engine| engine.due(rank));
    // Waiting for others may have changed it.
    errors::set(errno);
    floats::put_back(floats);
    if !due {
        return 0;
    }
    let rank = std::ptr::from_mut(rank);
    // SAFETY: the thread's rank; `rank` above is no longer used.
    unsafe {
        callbacks::run(rank, BEFORE);
        errors::set(errno);
        (*rank).frames.clear();
        (*rank).shadow.top = (*rank).abi.sp as usize;
        if !(*rank).job().program.calls_mpi {
            interrupts::hold();
        }
    }
    tls::set_unwinding(true);
    1
}

/// Pushes a frame and returns room for its live record.
///
/// # Safety
/// Called by generated savers.
#[no_mangle]
pub unsafe extern "C" fn pc3_frame_save(
    point: *const pc3_point,
    shadow: *mut c_void,
) -> *mut c_void {
    // SAFETY: an entry point; points are static tables.
    let (rank, p) = unsafe { (Rank::current(), &*point) };
    let Some(rank) = rank else {
        die(
            EXIT_FATAL,
            &format!("{}: not on a rank's thread", where_is(p)),
        );
    };
    match rank.frames.outermost() {
        // SAFETY: as above.
        Some(inner) if !calls(p, unsafe { &*(*inner.point).func }) => {
            // SAFETY: as above.
            let inner = text(unsafe { (*(*inner.point).func).name });
            die(
                EXIT_FATAL,
                &format!(
                    "{}: a checkpoint was taken in {inner}, which {} called back; no location may be reached there",
                    where_is(p),
                    text(p.what)
                ),
            );
        }
        _ => {}
    }
    // SAFETY: null or a type's descriptor.
    let bytes = unsafe { p.live.as_ref() }.map_or(0, |t| t.size);
    let live = rank.frames.push(point, bytes, shadow);
    if live.is_null() {
        // The header promises a pointer; nothing is written to it.
        return std::ptr::without_provenance_mut(16);
    }
    live
}

/// The frame the resume clone restores.
///
/// # Safety
/// Called by resume clones.
#[no_mangle]
pub unsafe extern "C" fn pc3_frame_load() -> *const pc3_frame {
    // SAFETY: an entry point.
    match unsafe { Rank::current() }.and_then(|rank| rank.frames.load()) {
        Some(frame) => frame,
        None => die(
            EXIT_FATAL,
            "internal error: more resume clones than saved frames",
        ),
    }
}

/// The resume entry of the next inner frame.
///
/// # Safety
/// Called by resume clones.
#[no_mangle]
pub unsafe extern "C" fn pc3_resume_next() -> pc3_fn {
    // SAFETY: an entry point.
    let next = unsafe { Rank::current() }.and_then(|rank| rank.frames.next());
    if next.is_none() {
        die(
            EXIT_FATAL,
            "internal error: a saved frame has no successor to resume",
        );
    }
    next
}

/// The innermost frame has been restored.
///
/// # Safety
/// Called by resume clones.
#[no_mangle]
pub unsafe extern "C" fn pc3_resumed() {
    // SAFETY: an entry point.
    let Some(rank) = (unsafe { Rank::current() }) else {
        return;
    };
    if !rank.frames.all_resumed() {
        die(EXIT_FATAL, "internal error: saved frames are left over");
    }
    descent::ends();
    interrupts::let_go();
    let event = if std::mem::take(&mut rank.restarted) {
        RESTART
    } else {
        CONTINUE
    };
    let errno = rank.errno;
    // SAFETY: the thread's rank; the reference is no longer used.
    unsafe {
        callbacks::run(rank, event);
        errors::set(errno);
    }
}

/// Reports that the shadow stack is full.
///
/// # Safety
/// Called by generated code.
#[no_mangle]
pub unsafe extern "C" fn pc3_shadow_grow(bytes: usize) -> *mut c_void {
    // SAFETY: an entry point.
    let Some(rank) = (unsafe { Rank::current() }) else {
        if let Some(room) = apart::stack(bytes) {
            return room;
        }
        die(
            EXIT_FATAL,
            "a thread that is no rank called a function with a checkpoint location in it",
        );
    };
    let size = rank.abi.sp_end as usize - rank.shadow.start() as usize;
    die(
        EXIT_FATAL,
        &format!(
            "rank {}: the stack of locals whose address escapes is full ({size} bytes, {bytes} more needed); set PC3_SHADOW to a larger size, such as PC3_SHADOW={}M",
            rank.id(),
            (size >> 20).max(1) * 4
        ),
    )
}

/// A block of run-time size at `from`, the current top.
///
/// # Safety
/// Called by generated code.
#[no_mangle]
pub unsafe extern "C" fn pc3_shadow_block(
    from: *mut c_char,
    bytes: usize,
    elem: *mut pc3_type,
) -> *mut c_void {
    // SAFETY: an entry point.
    if let Some(rank) = unsafe { Rank::current() } {
        if let Some((base, top)) = rank.shadow.block(from as usize, bytes, elem) {
            rank.abi.sp = top as *mut c_char;
            return base as *mut c_void;
        }
    } else if let Some(base) = apart::block(from as usize, bytes) {
        return base;
    }
    // SAFETY: as above.
    unsafe { pc3_shadow_grow(bytes) }
}

/// `exit` in programs that call MPI.
///
/// # Safety
/// Called by user code.
#[no_mangle]
pub unsafe extern "C" fn pc3_exit(code: c_int) -> ! {
    // SAFETY: an entry point.
    if let Some(rank) = unsafe { Rank::current() } {
        let rank = std::ptr::from_mut(rank);
        // SAFETY: the thread's rank; the reference is no longer used.
        let rank = unsafe {
            exits::run(rank, code);
            &mut *rank
        };
        let job = rank.job().clone();
        // A child that the program has forked is no process of the job.
        if let Some(engine) = job.engine().filter(|_| !forks::forked()) {
            engine.exit(rank, code);
        }
    }
    processes::end(code)
}

/// Is it memory of the calling rank's program?  Strings that it has given to `putenv` are.
#[no_mangle]
pub extern "C" fn pc3_owns(addr: *const c_void) -> c_int {
    // SAFETY: on whatever thread calls.
    let rank = unsafe { Rank::current() };
    c_int::from(rank.is_some_and(|r| r.owns(addr as usize)))
}

/// `_exit` and `_Exit` in programs that call MPI.
///
/// # Safety
/// Called by user code.
#[no_mangle]
pub unsafe extern "C" fn pc3__exit(code: c_int) -> ! {
    // The whole process, as it would without us; so the lock goes with it.
    processes::end_now(code)
}

/// `abort` in programs that call MPI.
#[no_mangle]
pub extern "C" fn pc3_abort() -> ! {
    std::process::abort()
}
