//! The Rust mirror of `runtime/include/pc3_rt.h`: the tables that instrumented code registers.
//!
//! Field order and types are C's; names are the header's, so that a reader can compare.

#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

/// The header's text: pc3cc puts it in front of every instrumented translation unit.
pub const PRELUDE: &str = include_str!("../pc3_rt.h");

/// Tells that header from every other: runtime and program must have the same.
pub const STAMP: c_uint = {
    let (text, mut hash, mut i) = (PRELUDE.as_bytes(), 0x811c_9dc5u32, 0);
    while i < text.len() {
        hash = (hash ^ text[i] as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    hash | 1 << 31
};

/// What [`MARK`] begins with.
pub const MARK_WORDS: &[u8; 25] = b"pc3 runtime with header: ";

/// What an archive of the runtime contains, for pc3cc to see that it belongs to it.
pub const MARK: [u8; 33] = {
    let (mut mark, mut i) = ([0; 33], 0);
    while i < mark.len() {
        mark[i] = match i < MARK_WORDS.len() {
            true => MARK_WORDS[i],
            false => b"0123456789abcdef"[(STAMP >> (4 * (i - MARK_WORDS.len()))) as usize & 15],
        };
        i += 1;
    }
    mark
};

macro_rules! constants {
    ($($name:ident: $t:ty = $value:expr;)*) => {
        $(pub const $name: $t = $value;)*
        /// Every constant by its C name.
        pub const CONSTANTS: &[(&str, u32)] = &[$((stringify!($name), $name as u32)),*];
    };
}

constants! {
    PC3_DESCRIPTOR_VERSION: c_uint = 2;
    PC3_KIND_VOID: u8 = 0;
    PC3_KIND_BOOL: u8 = 1;
    PC3_KIND_CHAR: u8 = 2;
    PC3_KIND_SINT: u8 = 3;
    PC3_KIND_UINT: u8 = 4;
    PC3_KIND_FLOAT: u8 = 5;
    PC3_KIND_COMPLEX: u8 = 6;
    PC3_KIND_ENUM: u8 = 7;
    PC3_KIND_POINTER: u8 = 8;
    PC3_KIND_FUNCTION: u8 = 9;
    PC3_KIND_STRUCT: u8 = 10;
    PC3_KIND_UNION: u8 = 11;
    PC3_KIND_ARRAY: u8 = 12;
    PC3_KIND_HANDLE: u8 = 13;
    PC3_KIND_FILE: u8 = 14;
    PC3_KIND_OPAQUE: u8 = 15;
    PC3_KIND_ADDRESS: u8 = 16;
    PC3_KIND_BYTES: u8 = 17;
    PC3_TYPE_LONGDOUBLE: u8 = 1;
    PC3_TYPE_SIGNED: u8 = 2;
    PC3_TYPE_NUMBER: u8 = 2;
    PC3_TYPE_UNKNOWN: u8 = 4;
    PC3_TYPE_ROW: u8 = 8;
    PC3_TYPE_ONE: u8 = 16;
    PC3_TYPE_SUM: u8 = 32;
    PC3_TYPE_FITS: u8 = 64;
    PC3_TYPE_PART: u8 = 128;
    PC3_ORDER_SIZE: c_uint = 256;
    PC3_SEEN: u8 = 1;
    PC3_SEEN_ALIKE: u8 = 2;
    PC3_SEEN_EVERYWHERE: u8 = 4;
    PC3_SEEN_ONCE: u8 = 8;
    PC3_POINT_LOOSE: c_uint = 1;
    PC3_GLOBAL_CONST: c_uint = 1;
    PC3_GLOBAL_INIT: c_uint = 2;
    PC3_GLOBAL_LITERAL: c_uint = 4;
    PC3_GLOBAL_UNSAVED: c_uint = 8;
    PC3_EVENT_BEFORE: c_uint = 1;
    PC3_EVENT_CONTINUE: c_uint = 2;
    PC3_EVENT_RESTART: c_uint = 4;
    PC3_EVENT_RECOMPUTE: c_uint = 8;
    PC3_UNIT_PRIVATE_GLOBALS: c_uint = 1;
    PC3_UNIT_HAS_MPI: c_uint = 2;
    PC3_UNIT_HAS_POINTS: c_uint = 4;
    PC3_UNIT_STRAYS: c_uint = 8;
    PC3_UNIT_HAS_FLOATS: c_uint = 16;
    PC3_UNIT_CHAR_SIGNED: c_uint = 32;
    PC3_UNIT_CHAR_UNSIGNED: c_uint = 64;
    PC3_UNIT_PIECES: c_uint = 128;
    PC3_UNIT_HAS_ENVIRONMENT: c_uint = 256;
    PC3_UNIT_HAS_TEAMS: c_uint = 512;
    PC3_HOOK_LAST: c_uint = 65536;
    PC3_VALUES: c_uint = 32;
    PC3_UNION_WHOLE: c_uint = 1073741824;
    PC3_BYTES_OF: c_uint = 1073741824;
    PC3_BYTES_ASK: c_uint = 16777216;
    PC3_BYTES_TEXT: c_uint = 33554432;
    PC3_BYTES_CHARS: c_uint = 67108864;
    PC3_COUNTS_PLACES: c_uint = 1073741824;
    PC3_ORDER_WAY: c_uint = 7;
    PC3_COUNTS_APART: c_uint = 268435456;
    PC3_COUNTS_PLAIN: c_uint = 536870912;
    PC3_COUNTS_FIXED: c_uint = 536870913;
    PC3_COUNTS_VARIES: c_uint = 536870914;
    PC3_COUNTS_EXTENTS: c_uint = 536870915;
}

/// Addresses that differ in lower bits only have their notes in one stretch; none of a program's is wider than 48 bits.
pub const NOTES_SHIFT: u32 = if size_of::<usize>() == 8 { 26 } else { 18 };
pub const NOTES_ENTRIES: usize = 1 << (if size_of::<usize>() == 8 { 48 } else { 32 } - NOTES_SHIFT);
/// Unions in which others lie have theirs so much further on.
pub const NOTES_LEVEL: usize = (2 << NOTES_SHIFT) + 128;
/// So much of a member, at most, is in its note.
pub const NOTES_MOST: usize = 64;
/// Codes from here on are generated code's: a number for the union's type, and in the low six bits the member.
pub const NOTES_CODES: u32 = 1 << 30;

/// `offset` etc. are `size_t`, which is Rust's `usize` on every supported target.
pub type pc3_size = usize;
pub type pc3_diff = isize;
/// A C function of unknown signature; null is `None`.
pub type pc3_fn = Option<unsafe extern "C" fn()>;

#[repr(C)]
#[derive(Debug)]
pub struct pc3_type {
    pub id: c_uint,
    pub kind: u8,
    pub flags: u8,
    pub align: u16,
    pub size: pc3_size,
    pub count: pc3_size,
    pub elem: *mut pc3_type,
    pub members: *const pc3_member,
    pub name: *const c_char,
}

#[repr(C)]
#[derive(Debug)]
pub struct pc3_member {
    pub name: *const c_char,
    pub ty: *mut pc3_type,
    pub offset: pc3_size,
    pub bits: *const u8,
    pub choice: *const c_char,
}

/// Which member of a union an initialiser gives a value.
#[repr(C)]
#[derive(Debug)]
pub struct pc3_union_mark {
    pub ty: *const pc3_type,
    pub offset: pc3_size,
    pub member: c_uint,
}

#[repr(C)]
#[derive(Debug)]
pub struct pc3_union_kind {
    pub number: c_uint,
    pub ty: *const pc3_type,
}

#[repr(C)]
#[derive(Debug)]
pub struct pc3_union_static {
    pub addr: *mut c_void,
    pub marks: *const pc3_union_mark,
}

#[repr(C)]
#[derive(Debug)]
pub struct pc3_point {
    pub func: *mut pc3_func,
    pub label: c_uint,
    pub line: c_uint,
    pub file: *const c_char,
    pub what: *const c_char,
    pub live: *mut pc3_type,
    pub flags: c_uint,
}

#[repr(C)]
#[derive(Debug)]
pub struct pc3_func {
    pub name: *const c_char,
    pub resume: pc3_fn,
    pub shadow: *mut pc3_type,
    pub points: *const pc3_point,
    pub npoints: c_uint,
}

#[repr(C)]
#[derive(Debug)]
pub struct pc3_frame {
    pub point: *const pc3_point,
    pub live: *mut c_void,
    pub shadow: *mut c_void,
}

#[repr(C)]
#[derive(Debug)]
pub struct pc3_global {
    pub name: *const c_char,
    pub addr: *mut c_void,
    pub ty: *mut pc3_type,
    pub size: pc3_size,
    pub flags: c_uint,
    pub tag: *const c_char,
    pub choice: *const c_char,
    pub place: *const c_char,
}

#[repr(C)]
#[derive(Debug)]
pub struct pc3_fnref {
    pub name: *const c_char,
    pub addr: pc3_fn,
}

#[repr(C)]
#[derive(Debug)]
pub struct pc3_site {
    pub ty: *mut pc3_type,
    pub file: *const c_char,
    pub line: c_uint,
    pub head: *mut pc3_type,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct pc3_hook {
    pub destructor: c_uint,
    pub priority: c_uint,
    pub function: pc3_fn,
}

#[repr(C)]
#[derive(Debug)]
pub struct pc3_around {
    pub function: pc3_fn,
    pub events: c_uint,
}

#[repr(C)]
#[derive(Debug)]
pub struct pc3_unit {
    pub version: c_uint,
    pub flags: c_uint,
    pub file: *const c_char,
    pub types: *mut pc3_type,
    pub ntypes: pc3_size,
    pub funcs: *mut pc3_func,
    pub nfuncs: pc3_size,
    pub globals: *mut pc3_global,
    pub nglobals: pc3_size,
    pub fnrefs: *const pc3_fnref,
    pub nfnrefs: pc3_size,
    pub main: Option<unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int>,
    pub main_func: *mut pc3_func,
    pub next: *mut pc3_unit,
    pub marks: *const c_ulonglong,
    pub nmarks: pc3_size,
    pub hooks: *const pc3_hook,
    pub nhooks: pc3_size,
    pub around: *const pc3_around,
    pub naround: pc3_size,
    pub numbers: *const *const c_char,
    pub nnumbers: pc3_size,
    pub wides: *const pc3_wide,
    pub nwides: pc3_size,
    pub orders: *const pc3_order,
    pub norders: pc3_size,
    pub untyped: *const *const c_char,
    pub nuntyped: pc3_size,
    pub unions: *const pc3_union_static,
    pub nunions: pc3_size,
    pub kinds: *const pc3_union_kind,
    pub nkinds: pc3_size,
    pub seen: *mut u8,
    pub also: *const pc3_also,
    pub nalso: pc3_size,
    pub heads: *const pc3_head,
    pub nheads: pc3_size,
}

#[repr(C)]
#[derive(Debug)]
pub struct pc3_head {
    pub ty: *const pc3_type,
    pub wanted: *const pc3_type,
    pub offset: pc3_size,
    pub counts: *const c_char,
}

/// Among a unit's `untyped`: where pieces of blocks are found by their number and size.
pub const COUNTED: &str = "(counted in pieces)";

/// Likewise: where pieces of blocks are handed out.
pub const HANDED: &str = "(handed out in pieces)";

/// Likewise: where an address is put among numbers, by a cast of their address.
pub const STORED: &str = "(an address among numbers)";

/// Likewise, among characters.
pub const STORED_IN_TEXT: &str = "(an address among characters)";

#[repr(C)]
#[derive(Debug)]
pub struct pc3_also {
    pub ty: *const pc3_type,
    pub other: *const pc3_type,
    pub place: *const c_char,
}

#[repr(C)]
#[derive(Debug)]
pub struct pc3_wide {
    pub low: c_uint,
    pub is_signed: c_uint,
    pub what: *const c_char,
}

#[repr(C)]
#[derive(Debug)]
pub struct pc3_order {
    pub place: *const c_char,
    pub is_long: c_uint,
    pub ran: *const u8,
    pub when: *const c_char,
}

/// The running rank as generated code sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pc3_rank {
    pub sp: *mut c_char,
    pub sp_end: *mut c_char,
    pub passages: c_uint,
    pub at: *const c_char,
    pub site: *mut pc3_site,
    pub args: *mut c_void,
    pub stack: pc3_size,
    pub crowded: c_uint,
    pub apart: c_uint,
    pub values: [pc3_value; PC3_VALUES as usize],
    pub told: usize,
    pub told_bytes: usize,
    pub from: usize,
    pub from_bytes: usize,
    pub within: usize,
    pub within_bytes: usize,
    pub within_elem: usize,
}

impl pc3_rank {
    /// As one begins, whose stack of locals whose addresses escape lies from `sp` to `sp_end`.
    pub fn new(sp: *mut c_char, sp_end: *mut c_char) -> pc3_rank {
        pc3_rank {
            sp,
            sp_end,
            passages: 0,
            at: std::ptr::null(),
            site: std::ptr::null_mut(),
            args: std::ptr::null_mut(),
            stack: 0,
            crowded: 0,
            apart: 0,
            values: [pc3_value::default(); PC3_VALUES as usize],
            told: 0,
            told_bytes: 0,
            from: 0,
            from_bytes: 0,
            within: 0,
            within_bytes: 0,
            within_elem: 0,
        }
    }
}

/// A value with a small union, on its way between functions.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct pc3_value {
    pub held: u64,
    pub code: c_uint,
    pub count: c_uint,
}

/// Accessors of the thread-local variables, which the unit that defines `main` holds.
#[repr(C)]
#[derive(Debug)]
pub struct pc3_tls {
    pub set: Option<unsafe extern "C" fn(*mut pc3_rank, pc3_diff)>,
    pub me: Option<unsafe extern "C" fn() -> *mut pc3_rank>,
    pub state: Option<unsafe extern "C" fn() -> *mut c_int>,
}

#[cfg(test)]
#[path = "descriptor_tests.rs"]
mod tests;
