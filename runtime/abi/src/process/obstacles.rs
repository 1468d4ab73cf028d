//! Calls that make what no checkpoint can hold: see [`pc3_process::obstacles`].

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void, CStr};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use pc3_os::original;
use pc3_os::types::{clockid_t, intptr_t, sigevent, timer_t};
use pc3_typemetric::descriptor::pc3_fn;

use pc3_control::report::{die, EXIT_FATAL};
use pc3_process::files::{call, call_place};
use pc3_process::obstacles::{lock, BEGUN, DONE, HELD, LISTS, MAPPED, THREADS, TIMERS};
use pc3_process::shared_objects::give_back;
use pc3_state::stack::apart;

/// A call has changed the process for good.
///
/// # Safety
/// As [`pc3_mapped`].
#[no_mangle]
pub unsafe extern "C" fn pc3_done(
    name: *const c_char,
    place: *const c_char,
    result: c_int,
) -> c_int {
    if result == 0 {
        call_place::at(place);
        // SAFETY: by the caller.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        let made = call(&name);
        lock(&DONE).entry(name.into_owned()).or_insert(made);
    }
    result
}

/// What a function that gives one entry after the other goes through: `pwent` of `getpwent`.
fn list_of(name: &str) -> &str {
    match name.get(3..).unwrap_or(name).trim_end_matches("_r") {
        "utid" | "utline" => "utent",
        "utxid" | "utxline" => "utxent",
        "fsspec" | "fsfile" => "fsent",
        "ttynam" => "ttyent",
        list => list,
    }
}

/// Such a function is about to be called.
///
/// # Safety
/// As [`pc3_mapped`].
#[no_mangle]
pub unsafe extern "C" fn pc3_listed(name: *const c_char, place: *const c_char) {
    call_place::at(place);
    // SAFETY: by the caller.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    lock(&LISTS).insert(list_of(&name).to_owned(), call(&name));
}

/// A call begins what goes on by itself.
///
/// # Safety
/// As [`pc3_mapped`].
#[no_mangle]
pub unsafe extern "C" fn pc3_begun(name: *const c_char, place: *const c_char) {
    call_place::at(place);
    // SAFETY: by the caller.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    let made = call(&name);
    let mut begun = lock(&BEGUN);
    let next = begun.keys().last().map_or(0, |n| n + 1);
    begun.insert(next, made);
}

/// The result of one is taken.
#[no_mangle]
pub extern "C" fn pc3_ended() {
    lock(&BEGUN).pop_first();
}

/// It is about to begin anew.
///
/// # Safety
/// A terminated string.
#[no_mangle]
pub unsafe extern "C" fn pc3_list_ends(name: *const c_char) {
    // SAFETY: by the caller.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    lock(&LISTS).remove(list_of(&name));
}

/// # Safety
/// As `timer_create`.
#[no_mangle]
pub unsafe extern "C" fn pc3_timer_create(
    clock: clockid_t,
    event: *mut sigevent,
    timer: *mut timer_t,
) -> c_int {
    // SAFETY: by the caller.
    unsafe {
        let done = original::timer_create(clock, event, timer);
        let made = call("timer_create");
        if done == 0 {
            lock(&TIMERS).insert(*timer as usize, made);
        }
        done
    }
}

/// # Safety
/// As `timer_delete`.
#[no_mangle]
pub unsafe extern "C" fn pc3_timer_delete(timer: timer_t) -> c_int {
    lock(&TIMERS).remove(&(timer as usize));
    // SAFETY: by the caller.
    unsafe { original::timer_delete(timer) }
}

/// An object of the C library that lives in its own memory.
///
/// # Safety
/// As [`pc3_mapped`].
#[no_mangle]
pub unsafe extern "C" fn pc3_held(
    name: *const c_char,
    place: *const c_char,
    at: *mut c_void,
) -> *mut c_void {
    if !at.is_null() && at as isize != -1 {
        call_place::at(place);
        // SAFETY: by the caller.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        lock(&HELD).insert(at as usize, call(&name));
    }
    at
}

/// # Safety
/// As `sbrk`.
#[no_mangle]
pub unsafe extern "C" fn pc3_sbrk(bytes: intptr_t) -> *mut c_void {
    // SAFETY: by the caller.
    let at = unsafe { original::sbrk(bytes) };
    let made = call("sbrk");
    if at as isize != -1 && bytes > 0 {
        lock(&HELD).insert(at as usize, made);
    } else if at as isize != -1 && bytes < 0 {
        let end = (at as usize).saturating_sub(bytes.unsigned_abs());
        lock(&HELD).retain(|at, call| *at < end || !call.starts_with("sbrk"));
    }
    at
}

/// It is about to end.
#[no_mangle]
pub extern "C" fn pc3_let_go(at: *const c_void) -> *mut c_void {
    lock(&HELD).remove(&(at as usize));
    give_back(at as usize);
    at.cast_mut()
}

/// Memory that `mmap` or `shmat` gave.
///
/// # Safety
/// `name` is a terminated string, `place` as for `pc3_call_at`.
#[no_mangle]
pub unsafe extern "C" fn pc3_mapped(
    name: *const c_char,
    place: *const c_char,
    at: *mut c_void,
) -> *mut c_void {
    if at as isize != -1 {
        call_place::at(place);
        // SAFETY: by the caller.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        lock(&MAPPED).insert(at as usize, call(&name));
    }
    at
}

/// # Safety
/// As `shmdt`.
#[no_mangle]
pub unsafe extern "C" fn pc3_shmdt(at: *const c_void) -> c_int {
    // SAFETY: by the caller.
    let done = unsafe { original::shmdt(at) };
    if done == 0 {
        lock(&MAPPED).remove(&(at as usize));
    }
    done
}

/// A thread of the program is in the list as long as it lives.
struct Alive(Cell<u64>);

impl Drop for Alive {
    fn drop(&mut self) {
        lock(&THREADS).remove(&self.0.get());
    }
}

thread_local! {
    static ALIVE: Alive = const { Alive(Cell::new(0)) };
}

struct Start {
    id: u64,
    function: pc3_fn,
    argument: *mut c_void,
    /// How far the globals of the rank that makes it lie from the first one's.
    delta: isize,
}

/// A thread is about to be made, which will call `function(argument)`.
///
/// # Safety
/// Called by what pc3_rt.h puts in the place of `pthread_create`.
#[no_mangle]
pub unsafe extern "C" fn pc3_thread_made(
    name: *const c_char,
    function: pc3_fn,
    argument: *mut c_void,
    delta: isize,
) -> *mut c_void {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let id = NEXT.fetch_add(1, Relaxed);
    // SAFETY: a terminated string.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    lock(&THREADS).insert(id, call(&name));
    let start = Start {
        id,
        function,
        argument,
        delta,
    };
    Box::into_raw(Box::new(start)).cast()
}

/// It could not be made.
///
/// # Safety
/// `start` is what [`pc3_thread_made`] returned.
#[no_mangle]
pub unsafe extern "C" fn pc3_thread_failed(start: *mut c_void) {
    // SAFETY: by the caller.
    let start = unsafe { Box::from_raw(start.cast::<Start>()) };
    lock(&THREADS).remove(&start.id);
}

/// A region of OpenMP has more variables than can be handed on.
#[no_mangle]
pub extern "C" fn pc3_wide_team(n: c_int) -> ! {
    die(
        EXIT_FATAL,
        &format!("a region of OpenMP uses {n} variables from outside of it, and pc3 hands 256 to other threads at most: put some into a struct"),
    )
}

/// It begins: what it is to call, with the globals of the rank that made it.
///
/// # Safety
/// As [`pc3_thread_failed`], on the new thread.
#[no_mangle]
pub unsafe extern "C" fn pc3_thread_begin(
    start: *mut c_void,
    argument: *mut *mut c_void,
    delta: *mut isize,
) -> pc3_fn {
    // SAFETY: by the caller.
    unsafe {
        let start = Box::from_raw(start.cast::<Start>());
        ALIVE.with(|alive| alive.0.set(start.id));
        apart::begins(start.delta);
        *argument = start.argument;
        *delta = start.delta;
        start.function
    }
}
