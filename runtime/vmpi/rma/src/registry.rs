//! Windows of this process that have members elsewhere, by name.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::name::Name;
use crate::shared::Shared;

/// Windows that members here share with members elsewhere; a part of a job.
#[derive(Default)]
pub struct Windows(Mutex<HashMap<Name, Weak<Shared>>>);

impl Windows {
    fn known(&self) -> MutexGuard<'_, HashMap<Name, Weak<Shared>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn add(&self, name: Name, shared: &Arc<Shared>) {
        let mut known = self.known();
        known.retain(|_, w| w.strong_count() > 0);
        known.insert(name, Arc::downgrade(shared));
    }

    pub fn find(&self, name: Name) -> Option<Arc<Shared>> {
        self.known().get(&name).and_then(Weak::upgrade)
    }
}
