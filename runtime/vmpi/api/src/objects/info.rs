//! Info functions (MPI 3.1 chapter 9).

use crate::arguments::{put, put_text, slice_mut, text};
use crate::entry::{entry, entry_at_any_time};
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::handle::abi;
use pc3_vmpi_objects::info::{Info, MAX_KEY};
use std::ffi::{c_char, c_int};

fn find(me: &RankState, info: usize) -> Result<&mut Info> {
    let o = me.objects();
    match o.infos.get_mut(info) {
        Some(i) => Ok(i),
        // Nothing is known of how the program was started.
        None if info == abi::INFO_ENV => {
            o.info_env.pairs.clear();
            Ok(&mut o.info_env)
        }
        None => fail(Class::ERR_INFO, "not an info object (freed already?)"),
    }
}

/// Is it an object for hints, whatever these are?  Calls to which they mean nothing ask this.
pub fn known(me: &RankState, info: usize) -> Result<()> {
    match info {
        abi::INFO_NULL => Ok(()),
        _ => find(me, info).map(drop),
    }
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Info_create(info: *mut usize) -> c_int {
    entry_at_any_time("MPI_Info_create", |me| {
        put(info, me.objects().infos.insert(Info::default()))
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Info_dup(info: usize, new: *mut usize) -> c_int {
    entry_at_any_time("MPI_Info_dup", |me| {
        let copy = if info == abi::INFO_ENV {
            Info::default()
        } else {
            find(me, info)?.clone()
        };
        put(new, me.objects().infos.insert(copy))
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Info_free(info: *mut usize) -> c_int {
    entry_at_any_time("MPI_Info_free", |me| {
        if info.is_null() || me.objects().infos.remove(*info).is_none() {
            return fail(Class::ERR_INFO, "not an info object (freed already?)");
        }
        put(info, abi::INFO_NULL)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Info_set(
    info: usize,
    key: *const c_char,
    value: *const c_char,
) -> c_int {
    entry_at_any_time("MPI_Info_set", |me| {
        find(me, info)?.set(&text(key)?, &text(value)?)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Info_get(
    info: usize,
    key: *const c_char,
    valuelen: c_int,
    value: *mut c_char,
    flag: *mut c_int,
) -> c_int {
    entry_at_any_time("MPI_Info_get", |me| {
        let Ok(room) = usize::try_from(valuelen) else {
            return fail(
                Class::ERR_ARG,
                format!("the length of the value is {valuelen}"),
            );
        };
        let found = find(me, info)?.get(&text(key)?).map(str::to_string);
        if let Some(v) = &found {
            put_text(value, room + 1, v)?;
        }
        put(flag, c_int::from(found.is_some()))
    })
}

/// MPI 4.1 section 10: `buflen` is the room with the terminator, and becomes what the value needs.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Info_get_string(
    info: usize,
    key: *const c_char,
    buflen: *mut c_int,
    value: *mut c_char,
    flag: *mut c_int,
) -> c_int {
    entry_at_any_time("MPI_Info_get_string", |me| {
        let found = find(me, info)?.get(&text(key)?).map(str::to_string);
        if let Some(v) = &found {
            let room = slice_mut(buflen, 1)?;
            if room[0] > 0 {
                put_text(value, room[0] as usize, v)?;
            }
            room[0] = v.len() as c_int + 1;
        }
        put(flag, c_int::from(found.is_some()))
    })
}

/// MPI 4.1 section 11.2.1: of the arguments, the program alone is known.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Info_create_env(
    argc: c_int,
    argv: *mut *mut c_char,
    info: *mut usize,
) -> c_int {
    entry_at_any_time("MPI_Info_create_env", |me| {
        let mut env = Info::default();
        if argc > 0 && !argv.is_null() && !(*argv).is_null() {
            let command = text(*argv)?;
            if command.len() < pc3_vmpi_objects::info::MAX_VALUE {
                env.set("command", &command)?;
            }
        }
        put(info, me.objects().infos.insert(env))
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Info_get_valuelen(
    info: usize,
    key: *const c_char,
    valuelen: *mut c_int,
    flag: *mut c_int,
) -> c_int {
    entry_at_any_time("MPI_Info_get_valuelen", |me| {
        let found = find(me, info)?.get(&text(key)?).map(str::len);
        if let Some(n) = found {
            put(valuelen, n as c_int)?;
        }
        put(flag, c_int::from(found.is_some()))
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Info_get_nkeys(info: usize, nkeys: *mut c_int) -> c_int {
    entry_at_any_time("MPI_Info_get_nkeys", |me| {
        put(nkeys, find(me, info)?.pairs.len() as c_int)
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Info_get_nthkey(info: usize, n: c_int, key: *mut c_char) -> c_int {
    entry_at_any_time("MPI_Info_get_nthkey", |me| {
        let pairs = &find(me, info)?.pairs;
        match usize::try_from(n).ok().and_then(|n| pairs.get(n)) {
            Some(p) => put_text(key, MAX_KEY, &p.0).map(drop),
            None => fail(Class::ERR_ARG, format!("key {n} of {}", pairs.len())),
        }
    })
}

#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Info_delete(info: usize, key: *const c_char) -> c_int {
    entry_at_any_time("MPI_Info_delete", |me| find(me, info)?.delete(&text(key)?))
}

/// MPI 3.1 section 6.4.4: hints are accepted and mean nothing.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_set_info(comm: usize, info: usize) -> c_int {
    entry("MPI_Comm_set_info", comm, |me| {
        me.objects().comm(comm)?;
        find(me, info).map(drop)
    })
}

/// MPI 3.1 section 6.4.4.
#[pc3_vmpi_entry::entry]
pub unsafe extern "C" fn MPI_Comm_get_info(comm: usize, info: *mut usize) -> c_int {
    entry("MPI_Comm_get_info", comm, |me| {
        me.objects().comm(comm)?;
        let out = slice_mut(info, 1)?;
        out[0] = me.objects().infos.insert(Info::default());
        Ok(())
    })
}
