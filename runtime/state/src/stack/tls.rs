//! The thread-local state that generated code reads (`pc3_state`, `pc3_delta`, `pc3_me`).
//!
//! C reaches it with the local-exec model, which stable Rust cannot define.  So the unit that
//! defines `main` holds the variables (`PC3_MAIN_UNIT` in pc3_rt.h) and registers accessors;
//! without one, as in tests, ordinary Rust thread-locals stand in.

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use pc3_typemetric::descriptor::pc3_rank;

/// Mirror of `struct pc3_tls`.
#[repr(C)]
pub struct Tls {
    pub set: unsafe extern "C" fn(*mut pc3_rank, isize),
    pub me: unsafe extern "C" fn() -> *mut pc3_rank,
    pub state: unsafe extern "C" fn() -> *mut c_int,
}

thread_local! {
    static ME: Cell<*mut pc3_rank> = const { Cell::new(null_mut()) };
    static STATE: Cell<c_int> = const { Cell::new(0) };
}

unsafe extern "C" fn own_set(me: *mut pc3_rank, _delta: isize) {
    ME.set(me);
}
unsafe extern "C" fn own_me() -> *mut pc3_rank {
    let me = ME.get();
    // SAFETY: set by `set`, to a rank or what is in a rank's place.
    match unsafe { me.as_ref() }.is_none_or(|me| me.apart != 0) {
        true => null_mut(),
        false => me,
    }
}
unsafe extern "C" fn own_state() -> *mut c_int {
    STATE.with(Cell::as_ptr)
}

static OWN: Tls = Tls {
    set: own_set,
    me: own_me,
    state: own_state,
};
static ACCESS: AtomicPtr<Tls> = AtomicPtr::new((&raw const OWN).cast_mut());

/// From now on the variables are those of the unit that defines `main`.
///
/// # Safety
/// `tls` points to a table that lives as long as the program.
pub unsafe fn register(tls: *const Tls) {
    ACCESS.store(tls.cast_mut(), Relaxed);
}

#[inline]
fn access() -> &'static Tls {
    // SAFETY: only tables that live forever are stored.
    unsafe { &*ACCESS.load(Relaxed) }
}

#[allow(clippy::not_unsafe_ptr_arg_deref)] // the pointer is stored
#[inline]
pub fn set(me: *mut pc3_rank, delta: isize) {
    // SAFETY: plain stores to the calling thread's variables.
    unsafe { (access().set)(me, delta) }
}

/// The rank that the calling thread runs; null: none.
#[inline]
pub fn me() -> *mut pc3_rank {
    // SAFETY: a plain load.
    unsafe { (access().me)() }
}

#[inline]
pub fn unwinding() -> bool {
    // SAFETY: the pointer is to the calling thread's own variable.
    unsafe { *(access().state)() != 0 }
}

#[inline]
pub fn set_unwinding(on: bool) {
    // SAFETY: as above.
    unsafe { *(access().state)() = c_int::from(on) }
}
