//! What the scheduler keeps for coroutines: of each rank its context, of each worker its home.

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr::null_mut;

#[cfg(target_arch = "x86_64")]
pub(crate) use self::direct::{Context, Thread};
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use self::resume::{Context, Coro, Thread, Yield};

/// What belongs to a worker's thread; baton.
pub(crate) struct Home {
    /// Whom the thread is to switch to.
    pub(crate) next: Cell<Option<u32>>,
    /// Its errno.
    pub(crate) errno: Cell<*mut c_int>,
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // there is nothing in it
    pub(crate) thread: Thread,
}

impl Home {
    pub(crate) fn new() -> Home {
        Home {
            next: Cell::new(None),
            errno: Cell::new(null_mut()),
            thread: Thread::default(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod direct {
    use std::cell::Cell;
    use std::sync::atomic::AtomicPtr;

    use crate::coro::stack::RankStack;
    use crate::overflow::Canary;

    /// A rank's stack, when it has begun.
    #[derive(Default)]
    pub(crate) struct Context {
        pub(crate) stack: Option<RankStack>,
        /// Where it goes on: the lowest word in use, the address of the code.  Null: it has not begun.
        pub(crate) at: AtomicPtr<u8>,
        /// Of its stack, if that has no guard.
        pub(crate) canary: AtomicPtr<Canary>,
    }

    /// A worker's thread, while one of its ranks runs.
    #[derive(Default)]
    pub(crate) struct Thread {
        pub(crate) at: AtomicPtr<u8>,
        /// Who has come back because it has ended.
        pub(crate) ended: Cell<Option<u32>>,
    }

    impl Context {
        pub(crate) fn forget(&mut self) {
            std::mem::forget(self.stack.take());
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod resume {
    use std::cell::Cell;
    use std::ptr::null;
    use std::sync::atomic::AtomicPtr;

    use corosensei::{Coroutine, Yielder};

    use crate::coro::stack::RankStack;
    use crate::overflow::Canary;

    pub(crate) type Coro = Coroutine<(), (), (), RankStack>;

    /// A rank's coroutine, made when it first runs.
    #[derive(Default)]
    pub(crate) struct Context {
        pub(crate) coro: Option<Coro>,
        pub(crate) yielder: Cell<Yield>,
        /// Of its stack, if that has no guard.
        pub(crate) canary: AtomicPtr<Canary>,
    }

    #[derive(Clone, Copy)]
    pub(crate) struct Yield(pub(crate) *const Yielder<(), ()>);
    impl Default for Yield {
        fn default() -> Self {
            Yield(null())
        }
    }

    /// Has nothing of its own.
    #[derive(Default)]
    pub(crate) struct Thread;

    impl Context {
        pub(crate) fn forget(&mut self) {
            std::mem::forget(self.coro.take());
        }
    }
}
