//! What no checkpoint can hold while it lives: threads of the program, memory it has mapped or shares.  They are
//! noted when they are made, so that a refusal can name the call.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// By what is in the way: the call that made it.
pub type Table<K> = Mutex<BTreeMap<K, String>>;

pub static MAPPED: Table<usize> = Mutex::new(BTreeMap::new());
static PROTECTED: Table<usize> = Mutex::new(BTreeMap::new());
pub static HELD: Table<usize> = Mutex::new(BTreeMap::new());
pub static TIMERS: Table<usize> = Mutex::new(BTreeMap::new());
pub static LISTS: Table<String> = Mutex::new(BTreeMap::new());
pub static BEGUN: Table<usize> = Mutex::new(BTreeMap::new());
pub static DONE: Table<String> = Mutex::new(BTreeMap::new());
pub static THREADS: Table<u64> = Mutex::new(BTreeMap::new());

pub fn lock<K>(table: &Table<K>) -> MutexGuard<'_, BTreeMap<K, String>> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Something that stands in the way, with the call that made it.
pub fn any() -> Option<String> {
    if let Some(call) = lock(&THREADS).values().next() {
        return Some(format!("a thread runs (made by {call})"));
    }
    if let Some(call) = lock(&MAPPED).values().next() {
        return Some(format!("memory is mapped (made by {call})"));
    }
    if let Some(call) = lock(&PROTECTED).values().next() {
        return Some(format!("memory of the program is protected (by {call})"));
    }
    if let Some(call) = lock(&TIMERS).values().next() {
        return Some(format!("a timer exists (made by {call})"));
    }
    if let Some(call) = lock(&LISTS).values().next() {
        return Some(format!(
            "the C library reads a list for the program (by {call})"
        ));
    }
    if let Some(call) = lock(&BEGUN).values().next() {
        return Some(format!(
            "an operation goes on, whose result has not been taken (begun by {call})"
        ));
    }
    if let Some(call) = lock(&DONE).values().next() {
        return Some(format!(
            "the process is no longer as a restart could make it (by {call})"
        ));
    }
    let held = lock(&HELD);
    let call = held.values().next()?;
    Some(format!("the C library holds an object (made by {call})"))
}

/// Memory is mapped, by this call.
pub fn mapped(at: *mut c_void, call: String) {
    lock(&MAPPED).insert(at as usize, call);
}

/// It is no more.
pub fn unmapped(start: usize, bytes: usize) {
    lock(&MAPPED).retain(|a, _| !(start..start.saturating_add(bytes)).contains(a));
}

/// Memory of the program that cannot be read or written now.
pub fn protected(at: usize) {
    lock(&PROTECTED).insert(at, "mprotect".to_owned());
}

/// It can again.
pub fn unprotected(start: usize, bytes: usize) {
    lock(&PROTECTED).retain(|a, _| !(start..start.saturating_add(bytes)).contains(a));
}
