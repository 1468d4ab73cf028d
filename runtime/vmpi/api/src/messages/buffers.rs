//! Buffers for buffered sends (MPI 4.1 section 3.6): the program's for all, and those for a communicator or a session.  They are
//! accounts: messages are in the library's own memory, so whose buffer a message is in makes no difference.

use std::ffi::{c_int, c_void};

use crate::arguments::put;
use crate::entry::entry;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_core::rank::{Attached, RankState};
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::SENT;

/// MPI_BUFFER_AUTOMATIC.
const AUTOMATIC: usize = 2;

/// Of everything that is not a communicator or a session.
const OF_ALL: usize = 0;

fn attach(me: &RankState, of: usize, p: *mut c_void, size: i64) -> Result<()> {
    let Ok(size) = usize::try_from(size) else {
        return fail(Class::ERR_ARG, format!("the size of the buffer is {size}"));
    };
    let buffers = &mut me.objects().buffers;
    let own = of == OF_ALL && me.bsend.size.get() != 0;
    if own || buffers.contains_key(&of) {
        return fail(Class::ERR_BUFFER, "a buffer is attached already");
    }
    match p as usize {
        AUTOMATIC => {
            buffers.insert(of, Attached::automatic());
        }
        at if of == OF_ALL => me.bsend.attach(at, size),
        at => {
            buffers.insert(of, Attached::at(at, size));
        }
    }
    me.bsend.account(buffers.values());
    Ok(())
}

/// What was attached: address and size.
fn detach(me: &RankState, of: usize) -> (usize, usize) {
    let buffers = &mut me.objects().buffers;
    let Some(attached) = buffers.remove(&of) else {
        return match of {
            OF_ALL => {
                flush(me);
                me.bsend.detach()
            }
            _ => (0, 0),
        };
    };
    me.bsend.account(buffers.values());
    match attached.is_automatic() {
        true => (AUTOMATIC, 0),
        false => attached.end(),
    }
}

/// Returns when the messages in the one buffer are delivered; where there are others, too, nobody knows which are in which, and
/// all of them are on their way.
fn flush(me: &RankState) {
    while me.objects().buffers.is_empty() && !me.bsend.is_empty() {
        let what = &raw const me.bsend as usize;
        me.wait_on(what, || me.bsend.is_empty());
    }
}

macro_rules! buffers { ($($attach:ident $detach:ident $n:ident;)*) => { $(
    /// MPI 4.1 section 3.6.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $attach(p: *mut c_void, size: $n) -> c_int {
        entry(stringify!($attach), 0, |me| attach(me, OF_ALL, p, size.into()))
    }

    /// MPI 4.1 section 3.6: returns when all messages in the buffer are delivered.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $detach(p: *mut c_void, size: *mut $n) -> c_int {
        entry(stringify!($detach), 0, |me| {
            let (was, bytes) = detach(me, OF_ALL);
            put(p.cast::<usize>(), was)?;
            put(size, bytes as $n)
        })
    }
)* } }
buffers! {
    MPI_Buffer_attach MPI_Buffer_detach c_int;
    MPI_Buffer_attach_c MPI_Buffer_detach_c i64;
}

/// MPI 4.1 section 3.6.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Buffer_flush() -> c_int {
    entry("MPI_Buffer_flush", 0, |me| {
        flush(me);
        Ok(())
    })
}

/// MPI 4.1 section 3.6: messages in the library's memory need nothing of their sender.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Buffer_iflush(request: *mut usize) -> c_int {
    entry("MPI_Buffer_iflush", 0, |_| put(request, SENT))
}

macro_rules! of_objects { ($($known:ident $attach:ident $detach:ident $n:ident;)*) => { $(
    /// MPI 4.1 section 3.6.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $attach(of: usize, p: *mut c_void, size: $n) -> c_int {
        entry(stringify!($attach), of, |me| {
            me.objects().$known(of)?;
            attach(me, of, p, size.into())
        })
    }

    /// MPI 4.1 section 3.6.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $detach(of: usize, p: *mut c_void, size: *mut $n) -> c_int {
        entry(stringify!($detach), of, |me| {
            me.objects().$known(of)?;
            let (was, bytes) = detach(me, of);
            put(p.cast::<usize>(), was)?;
            put(size, bytes as $n)
        })
    }
)* } }
of_objects! {
    comm MPI_Comm_attach_buffer MPI_Comm_detach_buffer c_int;
    comm MPI_Comm_attach_buffer_c MPI_Comm_detach_buffer_c i64;
    session MPI_Session_attach_buffer MPI_Session_detach_buffer c_int;
    session MPI_Session_attach_buffer_c MPI_Session_detach_buffer_c i64;
}

macro_rules! flushes { ($($known:ident $flush:ident $iflush:ident;)*) => { $(
    /// MPI 4.1 section 3.6: messages in the library's memory need nothing of their sender.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $flush(of: usize) -> c_int {
        entry(stringify!($flush), of, |me| me.objects().$known(of).map(drop))
    }

    /// MPI 4.1 section 3.6.
    #[pc3_vmpi_entry::entry]
    pub unsafe extern "C" fn $iflush(of: usize, request: *mut usize) -> c_int {
        entry(stringify!($iflush), of, |me| {
            me.objects().$known(of)?;
            put(request, SENT)
        })
    }
)* } }
flushes! {
    comm MPI_Comm_flush_buffer MPI_Comm_iflush_buffer;
    session MPI_Session_flush_buffer MPI_Session_iflush_buffer;
}
