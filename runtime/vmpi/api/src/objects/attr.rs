//! Attributes on communicators, datatypes and windows (MPI 3.1 section 6.7).
//!
//! Callbacks are the program's and may call MPI: no reference to the rank's objects is held while
//! one runs.

use crate::arguments::put;
use crate::entry::entry;
use crate::windows::on_window;
use pc3_vmpi_coll::handles::HasObjects;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::attr::{get, Attributes, On, DUP_FN, NULL_FN};
use pc3_vmpi_objects::below::Below;
use pc3_vmpi_objects::error::{fail, Class, MpiError, Result};
use pc3_vmpi_objects::handle::abi;
use std::ffi::{c_int, c_void};

type Copy = unsafe extern "C" fn(usize, c_int, usize, usize, *mut usize, *mut c_int) -> c_int;
type Delete = unsafe extern "C" fn(usize, c_int, usize, usize) -> c_int;

fn of(me: &RankState, on: On, object: usize) -> Result<&mut Attributes> {
    Ok(match on {
        On::Comm => &mut me.objects().comm_mut(object)?.attrs,
        On::Type => &mut me.objects().type_object(object)?.attrs,
        On::Win => &mut me.objects().window(object)?.attrs,
    })
}

fn status(code: c_int, what: &str) -> Result<()> {
    if code == Class::SUCCESS.0 {
        return Ok(());
    }
    Err(MpiError::new(
        Class(code),
        format!("the attribute's {what} function returned {code}"),
    ))
}

/// MPI_Comm_dup and MPI_Type_dup: lets each attribute's copy function decide.
pub(crate) unsafe fn copy_all(me: &RankState, on: On, from: usize, to: usize) -> Result<()> {
    for (id, value) in of(me, on, from)?.clone() {
        let Some(k) = me.objects().keyvals.live.get(&id).cloned() else {
            continue;
        };
        let (mut copy, mut flag) = (value, c_int::from(k.copy == DUP_FN));
        if k.copy != NULL_FN && k.copy != DUP_FN {
            let _below = Below::begin();
            let f = std::mem::transmute::<usize, Copy>(k.copy);
            status(
                f(from, id, k.extra_state, value, &mut copy, &mut flag),
                "copy",
            )?;
        }
        if flag != 0 {
            of(me, on, to)?.push((id, copy));
            me.objects().keyvals.used(id);
        }
    }
    Ok(())
}

unsafe fn delete_one(me: &RankState, on: On, object: usize, id: c_int) -> Result<()> {
    let Some(value) = get(of(me, on, object)?, id) else {
        return Ok(());
    };
    if let Some(k) = me.objects().keyvals.live.get(&id).cloned() {
        if k.delete != NULL_FN {
            let _below = Below::begin();
            let f = std::mem::transmute::<usize, Delete>(k.delete);
            status(f(object, id, value, k.extra_state), "delete")?;
        }
    }
    of(me, on, object)?.retain(|a| a.0 != id);
    me.objects().keyvals.unused(id);
    Ok(())
}

/// Before an object goes: its attributes, the latest first.
///
/// # Safety
/// The program's functions are called.
pub(crate) unsafe fn delete_all(me: &RankState, on: On, object: usize) -> Result<()> {
    while let Some(&(id, _)) = of(me, on, object)?.last() {
        delete_one(me, on, object, id)?;
    }
    Ok(())
}

/// What MPI_Finalize does first (MPI 3.1 section 8.7.1).
///
/// # Safety
/// As [`delete_all`].
pub unsafe fn finalize(me: &RankState) -> Result<()> {
    delete_all(me, On::Comm, abi::COMM_SELF)
}

/// Address of a predefined attribute's value, of which the program gets a pointer.
fn predefined(me: &RankState, id: c_int) -> Option<usize> {
    let v = &mut me.objects().attr_values;
    Some(match id {
        501 => &raw const v.tag_ub as usize,
        502 => &raw const v.io as usize,
        503 => &raw const v.host as usize,
        504 => &raw const v.wtime_is_global as usize,
        506 => {
            let last = me.objects().codes.last();
            let v = &mut me.objects().attr_values;
            v.last_used_code = last;
            &raw const v.last_used_code as usize
        }
        507 => &raw const v.universe_size as usize,
        APPNUM => v.appnum.as_ref()? as *const i32 as usize,
        _ => return None,
    })
}

const APPNUM: c_int = 505;

const WIN_BASE: c_int = 601;
const WIN_MODEL: c_int = 605;

/// A window's base, or the address of what else is predefined.
fn of_window(me: &RankState, window: usize, id: c_int) -> Result<Option<usize>> {
    let w = me.objects().window(window)?;
    let v = &w.window.values;
    Ok(Some(match id {
        WIN_BASE => w.base(),
        602 => &raw const v.unit as usize,
        603 => &raw const v.size as usize,
        604 => &raw const v.flavor as usize,
        _ => &raw const v.model as usize,
    }))
}

unsafe fn get_attr(
    me: &RankState,
    on: On,
    object: usize,
    id: c_int,
    value: *mut usize,
    flag: *mut c_int,
) -> Result<()> {
    let found = match (on, predefined(me, id)) {
        (On::Comm, Some(p)) => {
            me.objects().comm(object)?;
            Some(p)
        }
        _ if on == On::Comm && id == APPNUM => None,
        _ if on == On::Win && (WIN_BASE..=WIN_MODEL).contains(&id) => of_window(me, object, id)?,
        _ => {
            let attrs = of(me, on, object)?;
            let found = get(attrs, id);
            if found.is_none() {
                me.objects().keyvals.known(id, on)?;
            }
            found
        }
    };
    if let Some(v) = found {
        put(value, v)?;
    }
    put(flag, c_int::from(found.is_some()))
}

unsafe fn set_attr(me: &RankState, on: On, object: usize, id: c_int, value: usize) -> Result<()> {
    of(me, on, object)?;
    me.objects().keyvals.named(id, on)?;
    delete_one(me, on, object, id)?;
    of(me, on, object)?.push((id, value));
    me.objects().keyvals.used(id);
    Ok(())
}

unsafe fn delete_attr(me: &RankState, on: On, object: usize, id: c_int) -> Result<()> {
    of(me, on, object)?;
    me.objects().keyvals.known(id, on)?;
    delete_one(me, on, object, id)
}

unsafe fn free_keyval(me: &RankState, on: On, keyval: *mut c_int) -> Result<()> {
    if keyval.is_null() {
        return fail(Class::ERR_ARG, "the key is a null pointer");
    }
    me.objects().keyvals.free(*keyval, on)?;
    put(keyval, 0)
}

/// Errors of datatypes go to MPI_COMM_WORLD's handler.
fn on_type(
    name: &'static str,
    _datatype: usize,
    f: impl FnOnce(&'static RankState) -> Result<()>,
) -> c_int {
    entry(name, 0, f)
}

macro_rules! functions {
    ($on:expr, $run:expr, $create:ident $free:ident $set:ident $get:ident $delete:ident) => {
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $create(
            copy: usize,
            delete: usize,
            keyval: *mut c_int,
            extra: *mut c_void,
        ) -> c_int {
            entry(stringify!($create), 0, |me| {
                put(
                    keyval,
                    me.objects()
                        .keyvals
                        .create($on, copy, delete, extra as usize),
                )
            })
        }
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $free(keyval: *mut c_int) -> c_int {
            entry(stringify!($free), 0, |me| free_keyval(me, $on, keyval))
        }
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $set(object: usize, keyval: c_int, value: *mut c_void) -> c_int {
            $run(stringify!($set), object, |me: &'static RankState| {
                set_attr(me, $on, object, keyval, value as usize)
            })
        }
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $get(
            object: usize,
            keyval: c_int,
            value: *mut c_void,
            flag: *mut c_int,
        ) -> c_int {
            $run(stringify!($get), object, |me: &'static RankState| {
                get_attr(me, $on, object, keyval, value.cast(), flag)
            })
        }
        #[pc3_vmpi_entry::entry]
        pub unsafe extern "C" fn $delete(object: usize, keyval: c_int) -> c_int {
            $run(stringify!($delete), object, |me: &'static RankState| {
                delete_attr(me, $on, object, keyval)
            })
        }
    };
}
functions!(On::Comm, entry, MPI_Comm_create_keyval MPI_Comm_free_keyval MPI_Comm_set_attr MPI_Comm_get_attr MPI_Comm_delete_attr);
functions!(On::Comm, entry, MPI_Keyval_create MPI_Keyval_free MPI_Attr_put MPI_Attr_get MPI_Attr_delete);
functions!(On::Type, on_type, MPI_Type_create_keyval MPI_Type_free_keyval MPI_Type_set_attr MPI_Type_get_attr MPI_Type_delete_attr);
functions!(On::Win, on_window, MPI_Win_create_keyval MPI_Win_free_keyval MPI_Win_set_attr MPI_Win_get_attr MPI_Win_delete_attr);
