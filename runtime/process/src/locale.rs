//! The locale of each rank, where several share a process: a thread takes that of the rank that it runs.

use std::cell::Cell;
use std::ffi::{c_int, CStr, CString};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pc3_os::locales::{Locale as Object, ALL, CATEGORIES, NAMES};

use pc3_format::library::ProcessMeta;

/// What a rank has chosen.
#[derive(Debug, Default)]
pub struct Locale {
    object: Option<Object>,
    /// The program's own, which it has made its thread's (`uselocale`).
    thread: Option<Object>,
    /// The last answer.
    said: CString,
}

/// Some rank has.
static USED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static NOW: Cell<Object> = const { Cell::new(Object::GLOBAL) };
}

impl Locale {
    /// The thread runs its rank from now on.
    #[inline]
    pub fn enter(&self) {
        if USED.load(Relaxed) {
            self.take();
        }
    }

    #[cold]
    fn take(&self) {
        let chosen = self.thread.as_ref().or(self.object.as_ref());
        let wanted = chosen.copied().unwrap_or(Object::GLOBAL);
        if NOW.replace(wanted) != wanted {
            wanted.enter();
        }
    }

    /// Of one category; "C" where nothing has been chosen.
    fn name(&self, category: c_int) -> String {
        match &self.object {
            Some(object) => object.name(category),
            None => "C".to_owned(),
        }
    }

    /// As `setlocale` says it.
    fn described(&self, category: c_int) -> String {
        if category != ALL {
            return self.name(category);
        }
        let all: Vec<String> = CATEGORIES.iter().map(|c| self.name(*c)).collect();
        if all.iter().all(|n| *n == all[0]) {
            return all[0].clone();
        }
        let parts: Vec<String> = NAMES
            .iter()
            .zip(&all)
            .map(|(c, n)| format!("{c}={n}"))
            .collect();
        parts.join(";")
    }

    /// Chooses another one for a category, or for all; false: there is none with that name.
    pub fn choose(&mut self, category: c_int, name: &CStr) -> bool {
        let Some(new) = Object::with(self.object, category, name) else {
            return false;
        };
        USED.store(true, Relaxed);
        self.object = Some(new);
        self.take();
        true
    }

    /// What `setlocale` returns, which stays until the next call.
    pub fn say(&mut self, category: c_int) -> &CStr {
        let said = self.described(category);
        self.said = CString::new(said).unwrap_or_default();
        &self.said
    }

    /// The thread's own is another one from now on, or none; returns the one before.
    pub fn choose_for_thread(&mut self, new: Option<Object>) -> Object {
        let old = self.thread.unwrap_or(Object::GLOBAL);
        if let Some(new) = new {
            USED.store(true, Relaxed);
            self.thread = (new != Object::GLOBAL).then_some(new);
            self.take();
        }
        old
    }

    /// Puts it into what is saved of its rank.
    pub fn describe(&self, meta: &mut ProcessMeta) {
        let all = CATEGORIES.iter().map(|c| (*c as u64, self.name(*c)));
        meta.locale = all.filter(|(_, name)| name != "C").collect();
    }

    /// Takes it out again, at a restart.
    pub fn restore(&mut self, meta: &mut ProcessMeta) -> Result<(), String> {
        for (category, name) in std::mem::take(&mut meta.locale) {
            let text = CString::new(name.as_str()).unwrap_or_default();
            if !self.choose(category as c_int, &text) {
                return Err(format!("the program's locale {name} cannot be set here"));
            }
        }
        Ok(())
    }
}
