//! Ranks that call MPI's functions as programs do, on every back end.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use pc3_vmpi::c::env::*;
use pc3_vmpi::c::errors::*;
use pc3_vmpi::engine::world;
use pc3_vmpi::error::Class;
use pc3_vmpi::handle::abi::*;
use pc3_vmpi::sched::Backend;

/// Runs `f(rank, ranks)` between MPI_Init and MPI_Finalize; errors are returned.
pub fn check(ranks: u32, f: impl Fn(c_int, c_int) + Clone + Send + Sync + 'static) {
    for &backend in Backend::ALL {
        for workers in [1, 3] {
            let f = f.clone();
            world(ranks, workers, backend, 256 << 10).run(Box::new(move |me| {
                ok(unsafe { MPI_Init(null_mut(), null_mut()) });
                ok(unsafe { MPI_Comm_set_errhandler(COMM_WORLD, ERRORS_RETURN) });
                f(me.rank as c_int, me.size() as c_int);
                ok(unsafe { MPI_Finalize() });
            }));
        }
    }
}

pub fn ok(code: c_int) {
    assert_eq!(code, 0);
}
pub fn is(code: c_int, class: Class) {
    assert_eq!(code, class.0);
}
pub fn p<T>(v: &[T]) -> *const c_void {
    v.as_ptr().cast()
}
pub fn m<T>(v: &mut [T]) -> *mut c_void {
    v.as_mut_ptr().cast()
}
