//! Runs the bodies of functions of files.

use std::ffi::c_int;

use crate::entry::entry;
use crate::raise::raise_file;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_objects::error::{Class, Result};

/// As [`entry`]; errors go to the handler of the file.
pub(crate) fn on_file(
    name: &'static str,
    file: usize,
    f: impl FnOnce(&'static RankState) -> Result<()>,
) -> c_int {
    let mut code = Class::SUCCESS.0;
    let outside = entry(name, 0, |me| {
        if let Err(e) = f(me) {
            code = raise_file(me, name, file, e);
        }
        Ok(())
    });
    if outside == Class::SUCCESS.0 {
        code
    } else {
        outside
    }
}
