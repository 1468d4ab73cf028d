//! Transports in shared objects.

use std::ffi::CString;
use std::path::Path;

use pc3_os::loader;
use pc3_transport::{Transport, SYMBOL, VERSION};

pub use pc3_os::loader::is_static;

/// The transport in the shared object at `path`, which stays loaded.
pub(super) fn load(path: &Path) -> Result<&'static Transport, String> {
    let shown = path.display();
    if !loader::can_load() {
        return Err(format!(
            "{shown} cannot be loaded: this program is static, or for an architecture without native MPI transports; \
             pc3run --mpi none connects its processes"
        ));
    }
    pc3_heap::keep_mappings_still();
    let name = CString::new(path.to_string_lossy().as_bytes()).unwrap_or_default();
    let symbol = CString::new(SYMBOL).unwrap_or_default();
    // SAFETY: strings; the table is constant.
    unsafe {
        let table = loader::load(&name, &symbol)
            .map_err(|why| format!("{shown} cannot be loaded: {why}"))?;
        let table = &*table.cast::<Transport>();
        if table.version != VERSION {
            return Err(format!(
                "{shown} is of another version of pc3 (interface {}, not {VERSION})",
                table.version
            ));
        }
        Ok(table)
    }
}
