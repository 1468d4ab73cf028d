//! Calls with mutexes and their like: see [`pc3_process::lock_owners`].

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering::Relaxed;

use pc3_process::lock_owners::{caller, OPEN, SOMEBODY};
use pc3_state::stack::tls;

/// Does the caller run a rank, or is it a thread that the program has made?
#[no_mangle]
pub extern "C" fn pc3_on_rank() -> c_int {
    (!tls::me().is_null()).into()
}

/// # Safety
/// A mutex or a lock of readers and writers, whose holder's number lies so far behind its start.
unsafe fn tell(object: *mut c_void, at: usize) {
    if OPEN.load(Relaxed) {
        let holder = object.cast::<u32>().wrapping_byte_add(at);
        // SAFETY: by the caller; only the rank's own thread has it.
        unsafe {
            if holder.read() == SOMEBODY {
                holder.write(caller());
            }
        }
    }
}

const IN_MUTEX: usize = 8;
const IN_LOCK: usize = if cfg!(target_pointer_width = "64") {
    24
} else {
    28
};

macro_rules! functions {
    ($([$at:ident $($ours:ident $theirs:ident($($more:ident)?);)*])*) => {
        extern "C" {
            $($(fn $theirs(object: *mut c_void $(, $more: *const c_void)?) -> c_int;)*)*
        }
        $($(
            /// # Safety
            /// As the C library's.
            #[no_mangle]
            pub unsafe extern "C" fn $ours(object: *mut c_void $(, $more: *const c_void)?) -> c_int {
                // SAFETY: by the caller.
                unsafe {
                    tell(object, $at);
                    $theirs(object $(, $more)?)
                }
            }
        )*)*
    };
}

functions! {
    [IN_MUTEX
    pc3_pthread_mutex_lock pthread_mutex_lock();
    pc3_pthread_mutex_trylock pthread_mutex_trylock();
    pc3_pthread_mutex_unlock pthread_mutex_unlock();
    pc3_pthread_mutex_timedlock pthread_mutex_timedlock(time);
    pc3_pthread_mutex_destroy pthread_mutex_destroy();
    pc3_mtx_lock mtx_lock();
    pc3_mtx_trylock mtx_trylock();
    pc3_mtx_unlock mtx_unlock();
    pc3_mtx_timedlock mtx_timedlock(time);
    ]
    [IN_LOCK
    pc3_pthread_rwlock_rdlock pthread_rwlock_rdlock();
    pc3_pthread_rwlock_wrlock pthread_rwlock_wrlock();
    pc3_pthread_rwlock_tryrdlock pthread_rwlock_tryrdlock();
    pc3_pthread_rwlock_trywrlock pthread_rwlock_trywrlock();
    pc3_pthread_rwlock_timedrdlock pthread_rwlock_timedrdlock(time);
    pc3_pthread_rwlock_timedwrlock pthread_rwlock_timedwrlock(time);
    pc3_pthread_rwlock_unlock pthread_rwlock_unlock();
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutex_that_somebody_holds_is_the_callers() {
        let mut mutex = [0_u64; 8];
        let object: *mut c_void = mutex.as_mut_ptr().cast();
        // SAFETY: zeros are a mutex of the usual kind.
        unsafe {
            let holder = object.cast::<u32>().wrapping_byte_add(IN_MUTEX);
            pc3_pthread_mutex_lock(object);
            assert_eq!(*holder, caller());
            OPEN.store(true, Relaxed);
            *holder = SOMEBODY;
            assert_eq!(pc3_pthread_mutex_trylock(object), pc3_os::errors::EBUSY);
            assert_eq!(*holder, caller());
            assert_eq!(pc3_pthread_mutex_unlock(object), 0);
            assert_eq!(*holder, 0);
        }
    }
}
