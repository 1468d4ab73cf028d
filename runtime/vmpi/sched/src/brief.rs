//! A lock for what takes a moment: letting go of it is a plain store.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::time::Duration;

#[derive(Default)]
pub struct Brief<T> {
    locked: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: a guard is the only way to the value, and there is one at a time.
unsafe impl<T: Send> Sync for Brief<T> {}

pub struct Guard<'a, T>(&'a Brief<T>);

/// Tries between two turns for others, and turns before sleeping.
const TRIES: u32 = 128;
const TURNS: u32 = 64;

impl<T> Brief<T> {
    #[inline]
    pub fn new(value: T) -> Brief<T> {
        Brief {
            locked: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    #[inline]
    pub fn try_lock(&self) -> Option<Guard<'_, T>> {
        let taken = self
            .locked
            .compare_exchange(false, true, Acquire, Relaxed)
            .is_ok();
        taken.then(|| Guard(self))
    }

    #[inline]
    pub fn is_locked(&self) -> bool {
        self.locked.load(Relaxed)
    }

    #[inline]
    pub fn lock(&self) -> Guard<'_, T> {
        match self.try_lock() {
            Some(guard) => guard,
            None => self.wait(),
        }
    }

    #[cold]
    fn wait(&self) -> Guard<'_, T> {
        let mut tries = 0u32;
        loop {
            if !self.locked.load(Relaxed) {
                if let Some(guard) = self.try_lock() {
                    return guard;
                }
            }
            tries = tries.wrapping_add(1);
            if tries % TRIES != 0 {
                std::hint::spin_loop();
            } else if tries / TRIES < TURNS {
                std::thread::yield_now();
            } else {
                // Who has it may have a lower priority.
                std::thread::sleep(Duration::from_micros(50));
            }
        }
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: locked.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: locked.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.locked.store(false, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let n = Brief::new(0u64);
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| (0..50_000).for_each(|_| *n.lock() += 1));
            }
        });
        let held = n.lock();
        assert!(*held == 200_000 && n.try_lock().is_none() && n.try_lock().is_none());
        assert!(n.is_locked());
        drop(held);
        assert!(!n.is_locked() && n.try_lock().is_some());
    }
}
