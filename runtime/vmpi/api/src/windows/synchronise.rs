//! Synchronisation of windows (MPI 4.1 section 12.5).

use std::ffi::c_int;

use crate::arguments::put;
use crate::collectives::coll::take_part;
use crate::windows::on_window;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_coll::meeting::Kind;
use pc3_vmpi_coll::work::barrier::Gate;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_rma::epochs::Access;

const NOCHECK: c_int = 1024;
const NOPRECEDE: c_int = 2048;
const NOPUT: c_int = 4096;
const NOSTORE: c_int = 8192;
const NOSUCCEED: c_int = 16384;

const EXCLUSIVE: c_int = 301;
const SHARED: c_int = 302;

/// Assertions that a call may make; none of them makes anything here quicker.
fn asserted(given: c_int, allowed: c_int) -> Result<()> {
    match given & !allowed {
        0 => Ok(()),
        _ => fail(Class::ERR_ASSERT, format!("the assertion is {given}")),
    }
}

/// MPI 4.1 section 12.5.1.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_fence(assertion: c_int, window: usize) -> c_int {
    on_window("MPI_Win_fence", window, |me| {
        asserted(assertion, NOSTORE | NOPUT | NOPRECEDE | NOSUCCEED)?;
        let w = me.objects().window(window)?;
        w.epochs.ended()?;
        w.settle(me, None)?;
        take_part(me, &w.comm, &Gate(Kind::WinFence))?;
        w.epochs.access = match assertion & NOSUCCEED {
            0 => Access::Fenced { used: false },
            _ => Access::Nothing,
        };
        Ok(())
    })
}

macro_rules! groups { ($($name:ident $f:ident $allowed:expr;)*) => { $(
    /// MPI 4.1 section 12.5.2.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(group: usize, assertion: c_int, window: usize) -> c_int {
        on_window(stringify!($name), window, |me| {
            let group = me.objects().group(group)?;
            let w = me.objects().window(window)?;
            asserted(assertion, $allowed)?;
            w.$f(me, &group)
        })
    }
)* } }
groups! {
    MPI_Win_post post NOCHECK | NOSTORE | NOPUT;
    MPI_Win_start start NOCHECK;
}

/// Functions whose only argument is the window.
macro_rules! plain { ($($name:ident |$me:ident, $w:ident| $e:expr;)*) => { $(
    /// MPI 4.1 section 12.5.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(window: usize) -> c_int {
        on_window(stringify!($name), window, |$me| {
            let $w = $me.objects().window(window)?;
            $e
        })
    }
)* } }
plain! {
    MPI_Win_complete |me, w| w.complete(me);
    MPI_Win_wait |me, w| w.wait(me);
    MPI_Win_unlock_all |me, w| w.unlock_all(me);
    MPI_Win_flush_all |me, w| w.flush(me, None);
    MPI_Win_flush_local_all |me, w| w.flush_local(me, None);
    MPI_Win_sync |me, w| {
        w.sync(me);
        Ok(())
    };
}

/// MPI 4.1 section 12.5.2.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_test(window: usize, flag: *mut c_int) -> c_int {
    on_window("MPI_Win_test", window, |me| {
        let done = me.objects().window(window)?.test(me)?;
        put(flag, c_int::from(done))
    })
}

/// MPI 4.1 section 12.5.3.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_lock(
    kind: c_int,
    rank: c_int,
    assertion: c_int,
    window: usize,
) -> c_int {
    on_window("MPI_Win_lock", window, |me| {
        let w = me.objects().window(window)?;
        asserted(assertion, NOCHECK)?;
        let exclusive = match kind {
            EXCLUSIVE => true,
            SHARED => false,
            _ => return fail(Class::ERR_LOCKTYPE, format!("{kind} is no kind of lock")),
        };
        match w.target(rank)? {
            Some(target) => w.lock(me, target, exclusive),
            None => Ok(()),
        }
    })
}

/// MPI 4.1 section 12.5.3.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Win_lock_all(assertion: c_int, window: usize) -> c_int {
    on_window("MPI_Win_lock_all", window, |me| {
        let w = me.objects().window(window)?;
        asserted(assertion, NOCHECK)?;
        w.lock_all(me)
    })
}

/// Functions of one target; nothing is to be done for MPI_PROC_NULL.
macro_rules! targets { ($($name:ident |$me:ident, $w:ident, $target:ident| $e:expr;)*) => { $(
    /// MPI 4.1 sections 12.5.3 and 12.5.4.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $name(rank: c_int, window: usize) -> c_int {
        on_window(stringify!($name), window, |$me: &RankState| {
            let $w = $me.objects().window(window)?;
            match $w.target(rank)? {
                Some($target) => $e,
                None => Ok(()),
            }
        })
    }
)* } }
targets! {
    MPI_Win_unlock |me, w, target| w.unlock(me, target);
    MPI_Win_flush |me, w, target| w.flush(me, Some(target));
    MPI_Win_flush_local |me, w, target| w.flush_local(me, Some(target));
}
