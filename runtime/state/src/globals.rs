//! A rank's own copy of the writable globals, at one distance from the templates.
//!
//! Rank 0 uses the templates; every other rank has a mapping of their whole span.

use std::collections::HashMap;
use std::io;
use std::sync::OnceLock;

use pc3_os::memory::{self, page_size};
use pc3_typemetric::types::{Kind, TypeId, TypeTable};

use crate::program::registry::{Global, Program};
use crate::stack::shadow::standing;

#[derive(Debug)]
pub struct Copy {
    base: usize,
    mapped: usize,
    delta: isize,
}

/// Initialised globals as the program starts with them, by address: the first rank's change.
static FIRST: OnceLock<HashMap<usize, Box<[u8]>>> = OnceLock::new();

/// Before the program runs: ranks that come later begin with what the globals are now.
pub fn note(program: &Program) {
    let kept = |g: &&Global| !g.constant && g.initialised;
    let list = program.globals.iter().filter(kept);
    // SAFETY: the template exists, and nobody writes it yet.
    let bytes = |g: &Global| unsafe { std::slice::from_raw_parts(g.addr as *const u8, g.size) };
    let _ = FIRST.set(list.map(|g| (g.addr, bytes(g).into())).collect());
}

impl Copy {
    /// Copies the globals as they were when they were noted; none if there are none.
    pub fn new(program: &Program) -> io::Result<Option<Copy>> {
        let Some((start, end)) = program.globals_span() else {
            return Ok(None);
        };
        // A distance of whole pages keeps every alignment.
        let first = start / page_size() * page_size();
        let mapped = (end - first).next_multiple_of(page_size());
        let base = standing(mapped)?;
        let base = base as usize;
        let copy = Copy {
            base,
            mapped,
            delta: base.wrapping_sub(first) as isize,
        };
        copy.fill(program);
        Ok(Some(copy))
    }

    #[inline]
    pub fn delta(&self) -> isize {
        self.delta
    }

    fn fill(&self, program: &Program) {
        let first = FIRST.get();
        let mut templates: Vec<(usize, usize)> = program
            .globals
            .iter()
            .filter(|g| !g.constant)
            .map(|g| (g.addr, g.size))
            .collect();
        templates.sort_unstable();
        for g in program
            .globals
            .iter()
            .filter(|g| !g.constant && g.initialised)
        {
            let to = g.addr.wrapping_add_signed(self.delta);
            let kept = first.and_then(|f| f.get(&g.addr));
            let from = kept.map_or(g.addr as *const u8, |bytes| bytes.as_ptr());
            // SAFETY: the template exists, and the mapping has the same span.
            unsafe { (to as *mut u8).copy_from_nonoverlapping(from, g.size) };
            let mut leaves = Vec::new();
            pointers(&program.types, g.ty, 0, &mut leaves);
            for at in leaves
                .into_iter()
                .filter(|at| at + size_of::<usize>() <= g.size)
            {
                // SAFETY: inside the copy; packed structs may misalign it.
                unsafe {
                    let p = (to + at) as *mut usize;
                    let value = p.read_unaligned();
                    if points_into(&templates, value) {
                        p.write_unaligned(value.wrapping_add_signed(self.delta));
                    }
                }
            }
        }
    }
}

/// Does it point into, or one past the end of, a writable global?
fn points_into(templates: &[(usize, usize)], value: usize) -> bool {
    let after = templates.partition_point(|t| t.0 <= value);
    after
        .checked_sub(1)
        .is_some_and(|i| value - templates[i].0 <= templates[i].1)
}

/// Offsets of all object pointers in a type.
pub fn pointers(types: &TypeTable, ty: TypeId, at: usize, out: &mut Vec<usize>) {
    let t = types.get(ty);
    match t.kind {
        Kind::Pointer | Kind::Address => out.push(at),
        Kind::Array if t.count > 0 => {
            let mut one = Vec::new();
            pointers(types, t.elem, 0, &mut one);
            let each = types.size(t.elem) as usize;
            for i in (0..t.count as usize).filter(|_| !one.is_empty()) {
                out.extend(one.iter().map(|o| at + i * each + o));
            }
        }
        Kind::Struct => {
            for m in t.members.iter().filter(|m| m.bits.is_none()) {
                pointers(types, m.ty, at + m.offset as usize, out);
            }
        }
        Kind::Union => {
            // Several members may be pointers at the same place.
            let mut all = Vec::new();
            t.members
                .iter()
                .filter(|m| m.bits.is_none())
                .for_each(|m| pointers(types, m.ty, at, &mut all));
            all.sort_unstable();
            all.dedup();
            out.append(&mut all);
        }
        _ => {}
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // SAFETY: exactly what `new` mapped.
        unsafe { memory::unmap(self.base as *mut u8, self.mapped) };
        pc3_heap::address_space::unmapped(self.base, self.mapped);
    }
}
