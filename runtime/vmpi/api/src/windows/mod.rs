//! One-sided communication (MPI 4.1 chapter 12).

pub mod operations;
pub mod synchronise;
pub mod window;

use std::ffi::c_int;

use crate::entry::entry;
use crate::raise::raise_window;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{Class, Result};

/// As [`entry`]; errors go to the handler of the window.
#[inline]
pub(crate) fn on_window(
    name: &'static str,
    window: usize,
    f: impl FnOnce(&'static RankState) -> Result<()>,
) -> c_int {
    let mut code = Class::SUCCESS.0;
    let outside = entry(name, 0, |me| {
        if let Err(e) = f(me) {
            code = raise_window(me, name, window, e);
        }
        Ok(())
    });
    match outside == Class::SUCCESS.0 {
        true => code,
        false => outside,
    }
}
