//! Spawning ranks (MPI 4.1 section 11.8).

use crate::arguments::{put, slice};
use crate::births::{bear, check, Command};
use crate::collectives::comm::install;
use crate::collectives::inter::led_by;
use crate::entry::entry;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_coll::meeting::Kind;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{fail, Class, Result};
use std::ffi::{c_char, c_int, CStr};

/// What a command's ranks are started with.
unsafe fn command(
    me: &RankState,
    name: *const c_char,
    argv: *mut *mut c_char,
    ranks: c_int,
) -> Result<Command> {
    if name.is_null() {
        return fail(Class::ERR_ARG, "the command is null");
    }
    // SAFETY: a C string, here and below, by the standard.
    let name = CStr::from_ptr(name);
    check(me, name.to_bytes())?;
    let Some(ranks) = usize::try_from(ranks).ok().filter(|n| *n > 0) else {
        return fail(Class::ERR_ARG, format!("{ranks} ranks are asked for"));
    };
    let mut arguments = vec![name.to_owned()];
    let mut at = argv;
    while !at.is_null() && !(*at).is_null() {
        arguments.push(CStr::from_ptr(*at).to_owned());
        at = at.add(1);
    }
    Ok(Command {
        arguments: arguments.into(),
        ranks,
    })
}

/// `commands` is asked of the root only.
unsafe fn spawn(
    me: &'static RankState,
    comm: usize,
    root: c_int,
    commands: impl FnOnce() -> Result<Vec<Command>>,
    new: *mut usize,
    codes: *mut c_int,
) -> Result<()> {
    let make = |side| bear(me, &side, commands()?);
    let made = led_by(me, comm, root, Kind::CommSpawn, make)?;
    let born = made.remote.as_ref().map_or(0, |r| r.group.size());
    if !codes.is_null() {
        std::slice::from_raw_parts_mut(codes, born).fill(Class::SUCCESS.0);
    }
    install(me, comm, Some(made), None, new)
}

/// Hints mean nothing to us.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_spawn(
    name: *const c_char,
    argv: *mut *mut c_char,
    ranks: c_int,
    _info: usize,
    root: c_int,
    comm: usize,
    new: *mut usize,
    codes: *mut c_int,
) -> c_int {
    entry("MPI_Comm_spawn", comm, |me| {
        let commands = || Ok(vec![command(me, name, argv, ranks)?]);
        spawn(me, comm, root, commands, new, codes)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_spawn_multiple(
    count: c_int,
    names: *mut *mut c_char,
    argvs: *mut *mut *mut c_char,
    ranks: *const c_int,
    _infos: *const usize,
    root: c_int,
    comm: usize,
    new: *mut usize,
    codes: *mut c_int,
) -> c_int {
    entry("MPI_Comm_spawn_multiple", comm, |me| {
        let commands = || {
            let Some(n) = usize::try_from(count).ok().filter(|n| *n > 0) else {
                return fail(Class::ERR_ARG, format!("there are {count} commands"));
            };
            let (names, ranks) = (slice(names, n)?, slice(ranks, n)?);
            let argv = |i| match argvs.is_null() {
                true => std::ptr::null_mut(),
                false => *argvs.add(i),
            };
            let one = |i: usize| command(me, names[i], argv(i), ranks[i]);
            (0..n).map(one).collect()
        };
        spawn(me, comm, root, commands, new, codes)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_get_parent(parent: *mut usize) -> c_int {
    entry("MPI_Comm_get_parent", 0, |me| {
        put(parent, me.objects().parent)
    })
}
