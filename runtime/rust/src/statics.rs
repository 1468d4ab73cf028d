//! What is known of the program's saved statics, and the form in which a rank has their values.

use std::any::Any;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use pc3_runtime::report::{die, EXIT_FATAL};

use crate::value::load::{LoadError, Loading, View};
use crate::value::Kept;

/// A rank's value of a static.
#[derive(Clone)]
pub(crate) struct Value {
    pub name: &'static str,
    pub kept: Rc<dyn Kept>,
    pub any: Rc<dyn Any>,
}

/// By the statics' indices; none: not used yet.
pub(crate) type Values = Vec<Option<Value>>;

pub(crate) trait Static: Sync {
    fn name(&self) -> &'static str;
    fn set_index(&self, index: usize);
    fn load(&self, from: &Loading, value: View) -> Result<Value, LoadError>;
}

static ALL: Mutex<Vec<&'static dyn Static>> = Mutex::new(Vec::new());

/// All statics of the program, by their indices.
pub(crate) fn all() -> Vec<&'static dyn Static> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Another one of the program.
pub(crate) fn add(is: &'static dyn Static) {
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    is.set_index(all.len());
    all.push(is);
}

/// Two of one name could not be told apart.
pub(crate) fn check_names() {
    let mut names: Vec<_> = all().iter().map(|s| s.name()).collect();
    names.sort_unstable();
    if let Some(two) = names.windows(2).find(|n| n[0] == n[1]) {
        let text = format!(
            "two saved statics are called {}, and a checkpoint could not tell them apart: give one of them another name",
            two[0]
        );
        die(EXIT_FATAL, &text);
    }
}
