//! Attributes: values that a program caches on communicators, datatypes and windows (MPI 3.1 section 6.7).

use crate::error::{fail, Class, Result};
use std::collections::BTreeMap;

/// What an object carries: (keyval, value).  Values are the program's pointers.
pub type Attributes = Vec<(i32, usize)>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum On {
    Comm,
    Type,
    Win,
}

/// Copy callbacks that the standard predefines as constants.
pub const NULL_FN: usize = 0;
pub const DUP_FN: usize = 1;

#[derive(Clone, Debug)]
pub struct Keyval {
    pub on: On,
    /// Function addresses, or [`NULL_FN`] / [`DUP_FN`].
    pub copy: usize,
    pub delete: usize,
    pub extra_state: usize,
    /// MPI_*_free_keyval was called: it lives on while attributes use it.
    pub freed: bool,
    pub uses: usize,
}

/// A rank's keyvals.  Numbers are never used twice.
#[derive(Clone, Debug)]
pub struct Keyvals {
    pub next: i32,
    pub live: BTreeMap<i32, Keyval>,
}

/// Above the predefined attribute keys of the ABI.
const FIRST_KEYVAL: i32 = 1000;

impl Default for Keyvals {
    fn default() -> Self {
        Keyvals {
            next: FIRST_KEYVAL,
            live: BTreeMap::new(),
        }
    }
}

impl Keyvals {
    pub fn create(&mut self, on: On, copy: usize, delete: usize, extra_state: usize) -> i32 {
        let id = self.next;
        self.next += 1;
        self.live.insert(
            id,
            Keyval {
                on,
                copy,
                delete,
                extra_state,
                freed: false,
                uses: 0,
            },
        );
        id
    }

    /// A keyval that the program may name.
    pub fn named(&self, id: i32, on: On) -> Result<&Keyval> {
        match self.live.get(&id) {
            Some(k) if k.on == on && !k.freed => Ok(k),
            _ => fail(
                Class::ERR_KEYVAL,
                format!("{id} is not an attribute key for this kind of object"),
            ),
        }
    }

    /// A keyval that attributes may still carry: after it is freed too, as long as one does.
    pub fn known(&self, id: i32, on: On) -> Result<&Keyval> {
        match self.live.get(&id) {
            Some(k) if k.on == on => Ok(k),
            _ => fail(
                Class::ERR_KEYVAL,
                format!("{id} is not an attribute key for this kind of object"),
            ),
        }
    }

    pub fn free(&mut self, id: i32, on: On) -> Result<()> {
        self.known(id, on)?;
        if let Some(k) = self.live.get_mut(&id) {
            k.freed = true;
        }
        self.drop_unused(id);
        Ok(())
    }

    pub fn used(&mut self, id: i32) {
        if let Some(k) = self.live.get_mut(&id) {
            k.uses += 1;
        }
    }

    pub fn unused(&mut self, id: i32) {
        if let Some(k) = self.live.get_mut(&id) {
            k.uses -= 1;
        }
        self.drop_unused(id);
    }

    fn drop_unused(&mut self, id: i32) {
        if self.live.get(&id).is_some_and(|k| k.freed && k.uses == 0) {
            self.live.remove(&id);
        }
    }
}

/// The attribute's value, if set.
pub fn get(attrs: &Attributes, id: i32) -> Option<usize> {
    attrs.iter().find(|a| a.0 == id).map(|a| a.1)
}
