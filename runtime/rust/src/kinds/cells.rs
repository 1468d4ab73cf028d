//! Cells and locks: the value in them.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::{Mutex, OnceLock, RwLock, TryLockError};

use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{TypeId, Types};
use crate::value::Checkpointable;

macro_rules! cells {
    ($($t:ident, $inner:ty, $get:expr, $make:expr;)*) => {$(
        impl<T: Checkpointable> Checkpointable for $t<T> {
            const SIZE: u64 = <$inner>::SIZE;
            const ALIGN: u64 = <$inner>::ALIGN;

            fn describe(types: &mut Types) -> TypeId {
                let inner = <$inner>::describe(types);
                let name = format!("{}<{}>", stringify!($t), types.name(inner));
                types.record::<Self>(name, |_| vec![("value".to_owned(), inner, 0)])
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                let get: fn(&'a Self) -> Result<&'a T, &'static str> = $get;
                match get(self) {
                    Ok(value) => value.save(out, at),
                    Err(why) => out.fail(why),
                }
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let make: fn($inner) -> Self = $make;
                Ok(make(from.generic::<Self>(value, stringify!($t))?.load("value")?))
            }
        }
    )*};
}

cells! {
    // SAFETY: no code of the program runs while a checkpoint is written.
    Cell, T, |c| Ok(unsafe { &*c.as_ptr() }), Cell::new;
    RefCell, T, |c| match c.try_borrow() {
        // SAFETY: as above, and nobody has borrowed it mutably.
        Ok(_) => Ok(unsafe { &*c.as_ptr() }),
        Err(_) => Err("a RefCell is borrowed mutably at the location"),
    }, RefCell::new;
    Mutex, T, |m| match m.try_lock() {
        // SAFETY: as above: the lock was free, and whoever could take it does not run.
        Ok(guard) => Ok(unsafe { &*std::ptr::from_ref(&*guard) }),
        Err(TryLockError::Poisoned(_)) => Err("a Mutex is poisoned"),
        Err(TryLockError::WouldBlock) => Err("a Mutex is locked at the location"),
    }, Mutex::new;
    RwLock, T, |m| match m.try_read() {
        // SAFETY: as above.
        Ok(guard) => Ok(unsafe { &*std::ptr::from_ref(&*guard) }),
        Err(TryLockError::Poisoned(_)) => Err("an RwLock is poisoned"),
        Err(TryLockError::WouldBlock) => Err("an RwLock is locked for writing at the location"),
    }, RwLock::new;
}

macro_rules! once {
    ($($t:ident;)*) => {$(
        impl<T: Checkpointable> Checkpointable for $t<T> {
            const SIZE: u64 = 16;
            const ALIGN: u64 = 8;

            fn describe(types: &mut Types) -> TypeId {
                super::containers::describe::<Self, T>(types, stringify!($t))
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                let value = self.get().map_or(&[][..], std::slice::from_ref);
                let address = out.slice(value);
                super::containers::put(out, at, address, value.len());
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let list = super::containers::load::<Self, T>(from, value, stringify!($t))?;
                Ok(list.into_iter().next().map_or_else($t::new, $t::from))
            }
        }
    )*};
}

once! { OnceCell; OnceLock; }
