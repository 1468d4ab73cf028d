//! Error handlers (MPI 3.1 section 8.3): what a communicator does with an error.

use crate::error::{fail, Class, Result};
use crate::handle::{abi, Kind, Table};

/// A handler made by the program; its handle lives while a handle or a communicator refers to it.
#[derive(Clone, Debug)]
pub struct UserHandler {
    /// Address of `void f(MPI_Comm *, int *, ...)`.
    pub func: usize,
    pub refs: usize,
}

pub struct Errhandlers(pub Table<UserHandler>);

impl Default for Errhandlers {
    fn default() -> Self {
        Errhandlers(Table::new(Kind::Errhandler))
    }
}

fn predefined(handle: usize) -> bool {
    matches!(
        handle,
        abi::ERRORS_ARE_FATAL | abi::ERRORS_ABORT | abi::ERRORS_RETURN
    )
}

impl Errhandlers {
    pub fn create(&mut self, func: usize) -> Result<usize> {
        if func == 0 {
            return fail(Class::ERR_ARG, "a null pointer to an error handler");
        }
        Ok(self.0.insert(UserHandler { func, refs: 1 }))
    }

    /// One more reference; fails if the handle names no handler.
    pub fn acquire(&mut self, handle: usize) -> Result<usize> {
        match self.0.get_mut(handle) {
            Some(h) => h.refs += 1,
            None if predefined(handle) => {}
            None => return fail(Class::ERR_ERRHANDLER, "not an error handler"),
        }
        Ok(handle)
    }

    pub fn release(&mut self, handle: usize) -> Result<()> {
        match self.0.get_mut(handle) {
            Some(h) => h.refs -= 1,
            None if predefined(handle) => return Ok(()),
            None => return fail(Class::ERR_ERRHANDLER, "not an error handler"),
        }
        if self.0.get(handle).is_some_and(|h| h.refs == 0) {
            self.0.remove(handle);
        }
        Ok(())
    }
}
