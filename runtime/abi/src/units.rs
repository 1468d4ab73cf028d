//! Constructors of the program's units say what there is.

use pc3_typemetric::descriptor::pc3_unit;

use pc3_state::program::registry;
use pc3_state::stack::tls::{self, Tls};

/// Adds a translation unit to the program.
///
/// # Safety
/// `unit` is a unit's table, which lives as long as the program and is registered once.
#[no_mangle]
pub unsafe extern "C" fn pc3_register_unit(unit: *mut pc3_unit) {
    // SAFETY: by the caller.
    unsafe { registry::add_unit(unit) }
}

/// Called by the constructor of the unit that defines `main`.
///
/// # Safety
/// `tls` points to a table that lives as long as the program.
#[no_mangle]
pub unsafe extern "C" fn pc3_register_tls(tls: *const Tls) {
    // SAFETY: by the caller.
    unsafe { tls::register(tls) }
}
