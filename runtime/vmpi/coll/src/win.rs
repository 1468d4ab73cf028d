//! A window with the communicator that its members meet on.

use crate::comm::Comm;
use pc3_vmpi_rma::window::Window;
use std::ops::{Deref, DerefMut};

pub struct Win {
    /// A duplicate of the communicator it was made on.
    pub comm: Box<Comm>,
    pub window: Window,
}

impl Deref for Win {
    type Target = Window;
    #[inline]
    fn deref(&self) -> &Window {
        &self.window
    }
}

impl DerefMut for Win {
    #[inline]
    fn deref_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}
