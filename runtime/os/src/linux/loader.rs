//! Which objects are loaded where, and loading more of them.
//!
//! The loader's functions are looked for weakly: a static program has none, or some that do not work for the libraries
//! that are to be loaded.

use std::ffi::{c_char, c_int, c_void, CStr};

#[cfg(target_pointer_width = "64")]
type Header = libc::Elf64_Phdr;
#[cfg(target_pointer_width = "32")]
type Header = libc::Elf32_Phdr;

/// What a part of a loaded object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Loaded from the file; can it be written to?
    Loaded {
        writable: bool,
    },
    /// A stretch of a writable one that is constant once the loader has done its work.
    Relocated,
    Note,
    Other,
}

#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
    /// Where what is in the file ends; the rest begins as zeros.
    pub initialised: usize,
}

fn segment(base: usize, h: &Header) -> Segment {
    let start = base.wrapping_add(h.p_vaddr as usize);
    let end = start.wrapping_add(h.p_memsz as usize);
    Segment {
        kind: match h.p_type {
            libc::PT_LOAD => Kind::Loaded {
                writable: h.p_flags & libc::PF_W != 0,
            },
            libc::PT_GNU_RELRO => Kind::Relocated,
            libc::PT_NOTE => Kind::Note,
            _ => Kind::Other,
        },
        start,
        end,
        initialised: start.saturating_add(h.p_filesz as usize).min(end),
    }
}

type Each<'a> = &'a mut dyn FnMut(&CStr, usize, &[Segment]);

/// Calls `f` with each object's name (empty: the program), base and segments.
pub fn objects(mut f: impl FnMut(&CStr, usize, &[Segment])) {
    let mut each: Each = &mut f;
    // SAFETY: the callback gets the function, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(one), (&raw mut each).cast()) };
}

/// # Safety
/// Called by `dl_iterate_phdr` with the address of an [`Each`].
unsafe extern "C" fn one(info: *mut libc::dl_phdr_info, _: usize, each: *mut c_void) -> c_int {
    // SAFETY: by the caller; what the linker says of an object is valid while it is loaded.
    let (info, each) = unsafe { (&*info, &mut *each.cast::<Each>()) };
    if info.dlpi_name.is_null() || info.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: as above.
    let (name, headers): (&CStr, &[Header]) = unsafe {
        let headers = std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        (CStr::from_ptr(info.dlpi_name), headers)
    };
    let base = info.dlpi_addr as usize;
    let segments: Vec<Segment> = headers.iter().map(|h| segment(base, h)).collect();
    each(name, base, &segments);
    0
}

/// No loader has started this program.
pub fn is_static() -> bool {
    // SAFETY: a plain call.
    unsafe { libc::getauxval(libc::AT_BASE) == 0 }
}

type Open = unsafe extern "C" fn(*const c_char, c_int) -> *mut c_void;
type Find = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
type Why = unsafe extern "C" fn() -> *const c_char;

#[cfg(all(target_arch = "x86_64", target_pointer_width = "64"))]
fn functions() -> Option<(Open, Find, Why)> {
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
fn functions() -> Option<(Open, Find, Why)> {
    None
}

/// Can this program load objects?
pub fn can_load() -> bool {
    functions().is_some()
}

/// The address of a symbol in a shared object, which stays loaded; or what the loader says.
///
/// # Safety
/// What the object does when it is loaded is as it should be.
pub unsafe fn load(path: &CStr, symbol: &CStr) -> Result<*mut c_void, String> {
    let Some((open, find, why)) = functions() else {
        return Err("this program has no loader".to_owned());
    };
    // SAFETY: strings; by the caller.
    unsafe {
        // What such libraries load themselves looks for their names among all.
        let object = open(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL);
        let found = match object.is_null() {
            true => object,
            false => find(object, symbol.as_ptr()),
        };
        if !found.is_null() {
            return Ok(found);
        }
        let why = why();
        Err(match why.is_null() {
            true => "for no reason given".to_owned(),
            false => CStr::from_ptr(why).to_string_lossy().into_owned(),
        })
    }
}
