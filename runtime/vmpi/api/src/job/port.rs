//! Ports and published names (MPI 4.1 section 11.9).

use crate::arguments::{put_text, text};
use crate::collectives::comm::install;
use crate::collectives::inter::led_by;
use crate::entry::entry;
use crate::objects::info::known;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_coll::meeting::Kind;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_link::port_calls;
use pc3_vmpi_link::ports::{Change, Ports, Role};
use pc3_vmpi_nonblocking::above::unsupported;
use pc3_vmpi_objects::error::Result;
use std::ffi::{c_char, c_int};

/// MPI_MAX_PORT_NAME.
const MAX_PORT: usize = 1024;

/// Something is done with the job's ports, of which the outcome depends on what others do.
fn with<T>(
    me: &'static RankState,
    call: &'static str,
    does: impl FnOnce() -> Result<T>,
) -> Result<T> {
    unsupported(me, call);
    let done = does();
    if me.world().remote().is_some() {
        // Local checkpoints may have begun while it waited, elsewhere first.
        unsupported(me, call);
    }
    done
}

/// Hints mean nothing to us, here and below.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Open_port(info: usize, name: *mut c_char) -> c_int {
    entry("MPI_Open_port", 0, |me| {
        known(me, info)?;
        let new = with(me, "MPI_Open_port", || port_calls::open(me))?;
        put_text(name, MAX_PORT, &new).map(|_| ())
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Close_port(name: *const c_char) -> c_int {
    entry("MPI_Close_port", 0, |me| {
        let close = Change::Close(text(name)?);
        with(me, "MPI_Close_port", || port_calls::change(me, close))
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Publish_name(
    service: *const c_char,
    info: usize,
    port: *const c_char,
) -> c_int {
    entry("MPI_Publish_name", 0, |me| {
        known(me, info)?;
        let (service, port) = (text(service)?, text(port)?);
        let publish = Change::Publish { service, port };
        with(me, "MPI_Publish_name", || port_calls::change(me, publish))
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Unpublish_name(
    service: *const c_char,
    info: usize,
    _port: *const c_char,
) -> c_int {
    entry("MPI_Unpublish_name", 0, |me| {
        known(me, info)?;
        let unpublish = Change::Unpublish(text(service)?);
        with(me, "MPI_Unpublish_name", || {
            port_calls::change(me, unpublish)
        })
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Lookup_name(
    service: *const c_char,
    info: usize,
    port: *mut c_char,
) -> c_int {
    entry("MPI_Lookup_name", 0, |me| {
        known(me, info)?;
        let service = text(service)?;
        let found = with(me, "MPI_Lookup_name", || {
            me.world().part::<Ports>().look_up(&service)
        })?;
        put_text(port, MAX_PORT, &found).map(|_| ())
    })
}

/// The port's name is the root's.
unsafe fn meet(
    me: &'static RankState,
    (call, kind, role): (&'static str, Kind, Role),
    port: *const c_char,
    root: c_int,
    comm: usize,
    new: *mut usize,
) -> Result<()> {
    let swap = |side| {
        let port = text(port)?;
        with(me, call, || port_calls::meet(me, port, role, side))
    };
    let made = led_by(me, comm, root, kind, swap)?;
    install(me, comm, Some(made), None, new)
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_accept(
    port: *const c_char,
    info: usize,
    root: c_int,
    comm: usize,
    new: *mut usize,
) -> c_int {
    entry("MPI_Comm_accept", comm, |me| {
        if me.objects().comm(comm)?.rank as c_int == root {
            known(me, info)?;
        }
        let how = ("MPI_Comm_accept", Kind::CommAccept, Role::Accepts);
        meet(me, how, port, root, comm, new)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_connect(
    port: *const c_char,
    info: usize,
    root: c_int,
    comm: usize,
    new: *mut usize,
) -> c_int {
    entry("MPI_Comm_connect", comm, |me| {
        if me.objects().comm(comm)?.rank as c_int == root {
            known(me, info)?;
        }
        let how = ("MPI_Comm_connect", Kind::CommConnect, Role::Connects);
        meet(me, how, port, root, comm, new)
    })
}
