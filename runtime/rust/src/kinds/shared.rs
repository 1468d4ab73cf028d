//! Values behind pointers: `Box`, and `Rc` and `Arc`, whose sharing and cycles are kept.

use std::mem::forget;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::sync::{Arc, Weak as ArcWeak};

use crate::value::load::{LoadError, Loading, View};
use crate::value::save::Saver;
use crate::value::types::{TypeId, Types};
use crate::value::Checkpointable;

fn describe<P: Checkpointable, T: Checkpointable>(types: &mut Types, name: &str) -> TypeId {
    let to = T::describe(types);
    types.pointer_type::<P>(name, to)
}

impl<T: Checkpointable> Checkpointable for Box<T> {
    const SIZE: u64 = 8;
    const ALIGN: u64 = 8;

    fn describe(types: &mut Types) -> TypeId {
        describe::<Self, T>(types, "Box")
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        let address = out.slice(std::slice::from_ref::<T>(self));
        out.put(at, &address.to_ne_bytes());
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        let view = match from.follow(value)? {
            Some((_, view)) => view,
            None => View {
                ty: from.ty(value.ty).elem,
                bytes: &[],
            },
        };
        from.behind(view).map(Box::new)
    }
}

impl<T: Checkpointable> Checkpointable for Pin<Box<T>> {
    const SIZE: u64 = 8;
    const ALIGN: u64 = 8;

    fn describe(types: &mut Types) -> TypeId {
        describe::<Self, T>(types, "Pin")
    }
    fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
        let address = out.slice(std::slice::from_ref::<T>(self));
        out.put(at, &address.to_ne_bytes());
    }
    fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
        Box::<T>::load(from, value).map(Box::into_pin)
    }
}

macro_rules! counted {
    ($($rc:ident $weak:ident $name:literal $weak_name:literal;)*) => {$(
        impl<T: Checkpointable> Checkpointable for $rc<T> {
            const SIZE: u64 = 8;
            const ALIGN: u64 = 8;

            fn describe(types: &mut Types) -> TypeId {
                describe::<Self, T>(types, $name)
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                let address = out.shared::<T>(self);
                out.put(at, &address.to_ne_bytes());
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let found = from.follow(value)?;
                let (address, view) = found.ok_or_else(|| LoadError::new("leads nowhere"))?;
                if let Some(known) = from.known::<Self>(address) {
                    return Ok(known);
                }
                let place = $rc::<T>::new_uninit();
                // SAFETY: the two have one layout.  Until the value is written below it is only passed around: values
                // that lead back to it are made, not looked into.
                let made = unsafe { $rc::from_raw($rc::into_raw(place).cast::<T>()) };
                from.remember(address, made.clone());
                match from.behind(view) {
                    Ok(value) => {
                        // SAFETY: nobody else writes or reads it now.
                        unsafe { $rc::as_ptr(&made).cast_mut().write(value) };
                        Ok(made)
                    }
                    Err(e) => {
                        // What is not there must never be dropped.
                        forget(made);
                        Err(e)
                    }
                }
            }
        }

        impl<T: Checkpointable> Checkpointable for $weak<T> {
            const SIZE: u64 = 8;
            const ALIGN: u64 = 8;

            fn describe(types: &mut Types) -> TypeId {
                describe::<Self, T>(types, $weak_name)
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                let mut address = 0;
                if self.strong_count() > 0 {
                    // SAFETY: it has owners, and no code of the program runs while a checkpoint is written.
                    address = out.shared::<T>(unsafe { &*self.as_ptr() });
                }
                out.put(at, &address.to_ne_bytes());
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                match from.follow(value)? {
                    Some(_) => $rc::<T>::load(from, value).map(|rc| $rc::downgrade(&rc)),
                    None => Ok($weak::new()),
                }
            }
        }
    )*};
}

counted! {
    Rc Weak "Rc" "Weak";
    Arc ArcWeak "Arc" "Weak";
}

/// Slices and texts with several owners: an object of the items, and their number.
macro_rules! slices {
    ($($rc:ident $name:literal $text:literal;)*) => {$(
        impl<T: Checkpointable> Checkpointable for $rc<[T]> {
            const SIZE: u64 = 16;
            const ALIGN: u64 = 8;

            fn describe(types: &mut Types) -> TypeId {
                super::containers::describe::<Self, T>(types, $name)
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                let address = out.shared_slice::<T>(self);
                super::containers::put(out, at, address, self.len());
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let members = from.generic::<Self>(value, $name)?;
                let length: u64 = members.load("length")?;
                let length = usize::try_from(length).map_err(|_| LoadError::new("is too long for this machine"))?;
                let items = members.get("items").ok_or_else(|| value.not::<Self>(from))?;
                let Some((address, _)) = from.follow(items)? else {
                    return members.list::<T>("items", "length").map(Into::into);
                };
                if let Some(known) = from.known::<Self>(address) {
                    return Ok(known);
                }
                let place = $rc::<[T]>::new_uninit_slice(length);
                // SAFETY: as above.
                let made = unsafe { $rc::from_raw($rc::into_raw(place) as *const [T]) };
                from.remember(address, made.clone());
                match members.list::<T>("items", "length") {
                    Ok(list) => {
                        let to = $rc::as_ptr(&made).cast::<T>().cast_mut();
                        for (i, item) in list.into_iter().enumerate() {
                            // SAFETY: there are as many, and nobody else writes or reads them now.
                            unsafe { to.add(i).write(item) };
                        }
                        Ok(made)
                    }
                    Err(e) => {
                        forget(made);
                        Err(e)
                    }
                }
            }
        }

        impl Checkpointable for $rc<str> {
            const SIZE: u64 = 16;
            const ALIGN: u64 = 8;

            fn describe(types: &mut Types) -> TypeId {
                super::text::describe::<Self>(types, $text)
            }
            fn save<'a>(&'a self, out: &mut Saver<'a>, at: usize) {
                super::text::save_shared(self.as_bytes(), out, at);
            }
            fn load(from: &Loading, value: View) -> Result<Self, LoadError> {
                let address = super::text::address::<Self>(from, value, $text)?;
                if let Some(known) = address.and_then(|a| from.known::<Self>(a)) {
                    return Ok(known);
                }
                let bytes = super::text::load::<Self>(from, value, $text)?;
                let made: Self = super::text::utf8(bytes)?.into();
                if let Some(address) = address {
                    from.remember(address, made.clone());
                }
                Ok(made)
            }
        }
    )*};
}

slices! {
    Rc "Rc[]" "Rc<str>";
    Arc "Arc[]" "Arc<str>";
}
