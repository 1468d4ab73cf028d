//! Transports in shared objects.
//!
//! The loader's functions are looked for weakly: a static program has none, or some that do not work for MPI libraries, and says so
//! only when it is to use them.

use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::path::Path;

use pc3_transport::{Transport, SYMBOL, VERSION};

type Open = unsafe extern "C" fn(*const c_char, c_int) -> *mut c_void;
type Find = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
type Why = unsafe extern "C" fn() -> *const c_char;

#[cfg(all(target_arch = "x86_64", target_pointer_width = "64"))]
fn loader() -> Option<(Open, Find, Why)> {
    macro_rules! weak {
        ($name:literal) => {{
            let at: usize;
            // SAFETY: reads an address that the linker has put there, 0 if there is none.
            unsafe {
                std::arch::asm!(
                    concat!(".weak ", $name),
                    concat!("mov {}, qword ptr [rip + ", $name, "@GOTPCREL]"),
                    out(reg) at,
                    options(nostack, preserves_flags),
                )
            };
            at
        }};
    }
    if is_static() {
        return None;
    }
    let (open, find, why) = (weak!("dlopen"), weak!("dlsym"), weak!("dlerror"));
    if open == 0 || find == 0 || why == 0 {
        return None;
    }
    // SAFETY: the C library's functions.
    unsafe {
        Some((
            std::mem::transmute::<usize, Open>(open),
            std::mem::transmute::<usize, Find>(find),
            std::mem::transmute::<usize, Why>(why),
        ))
    }
}

#[cfg(not(all(target_arch = "x86_64", target_pointer_width = "64")))]
fn loader() -> Option<(Open, Find, Why)> {
    None
}

/// No loader has started this program.
pub(crate) fn is_static() -> bool {
    // SAFETY: a plain call.
    unsafe { libc::getauxval(libc::AT_BASE) == 0 }
}

/// The transport in the shared object at `path`, which stays loaded.
pub(super) fn load(path: &Path) -> Result<&'static Transport, String> {
    let shown = path.display();
    let Some((open, find, why)) = loader() else {
        return Err(format!(
            "{shown} cannot be loaded: this program is static, or for an architecture without native MPI transports; \
             pc3run --mpi none connects its processes"
        ));
    };
    pc3_heap::keep_mappings_still();
    let name = CString::new(path.to_string_lossy().as_bytes()).unwrap_or_default();
    let symbol = CString::new(SYMBOL).unwrap_or_default();
    // SAFETY: strings; the table is constant.
    unsafe {
        // What MPI libraries load themselves looks for their names among all.
        let object = open(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL);
        let table = match object.is_null() {
            true => object,
            false => find(object, symbol.as_ptr()),
        };
        if table.is_null() {
            let why = why();
            let text = match why.is_null() {
                true => "for no reason given".into(),
                false => CStr::from_ptr(why).to_string_lossy(),
            };
            return Err(format!("{shown} cannot be loaded: {text}"));
        }
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
