//! From the C descriptors of a translation unit to ids of a table.

use crate::abi::Endian;
use crate::choice::Choice;
use crate::descriptor::{pc3_member, pc3_type};
use crate::intern::Batch;
use crate::types::{Bits, Chosen, Kind, Member, Type, TypeError, TypeId, TypeTable, PART};
use std::collections::HashMap;
use std::ffi::{c_char, CStr};
use std::sync::Arc;

/// Why descriptors cannot be used; all are faults of the generated code.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ImportError {
    #[error("descriptor {index} ({name:?}) has the unknown kind {kind}")]
    Kind {
        index: usize,
        name: String,
        kind: u8,
    },
    #[error("descriptor {index} ({name:?}) refers to a descriptor outside its unit")]
    Foreign { index: usize, name: String },
    #[error("descriptor {index}: bit-field {member:?} has no contiguous image")]
    Bits { index: usize, member: String },
    #[error(transparent)]
    Type(#[from] TypeError),
}

/// # Safety
/// `text` is null or a C string.
unsafe fn string(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// Enters the `n` types at `types` into the table and writes each descriptor's `id`.
///
/// The descriptors refer only to each other; a reference to a descriptor outside the array is
/// accepted if that one already has an id of this table.
///
/// # Safety
/// `types` points to `n` descriptors as generated code emits them: strings, member arrays and
/// bit-field images they point to are alive and complete, and nothing else accesses them now.
/// `table`'s ABI is the host's.
pub unsafe fn import_unit(
    table: &mut TypeTable,
    types: *mut pc3_type,
    n: usize,
) -> Result<(), ImportError> {
    if n == 0 {
        return Ok(());
    }
    let mut batch = Batch::new();
    let ids: Vec<TypeId> = (0..n).map(|_| batch.declare()).collect();
    let first = types as usize;
    let resolve = |of: *mut pc3_type, table: &TypeTable| -> Option<TypeId> {
        if of.is_null() {
            return Some(TypeId::UNKNOWN);
        }
        let distance = (of as usize).wrapping_sub(first);
        if distance < n * size_of::<pc3_type>() {
            return ids.get(distance / size_of::<pc3_type>()).copied();
        }
        // SAFETY: a non-null reference of a descriptor points to a descriptor.
        let id = TypeId(unsafe { (*of).id });
        (id != TypeId::UNKNOWN && table.contains(id)).then_some(id)
    };
    let mut list = Vec::with_capacity(n);
    for index in 0..n {
        // SAFETY: the caller vouches for `n` descriptors.
        let c = unsafe { &*types.add(index) };
        // SAFETY: names are C strings.
        let name = unsafe { string(c.name) };
        let Some(kind) = Kind::from_number(c.kind) else {
            return Err(ImportError::Kind {
                index,
                name,
                kind: c.kind,
            });
        };
        let foreign = || ImportError::Foreign {
            index,
            name: name.clone(),
        };
        let mut ty = Type {
            kind,
            flags: c.flags,
            align: c.align,
            size: c.size as u64,
            count: c.count as u64,
            elem: resolve(c.elem, table).ok_or_else(foreign)?,
            members: Vec::new(),
            name: name.clone(),
        };
        if kind.is_record() && !c.members.is_null() {
            // SAFETY: `members` points to `count` members.
            let members: &[pc3_member] = unsafe { std::slice::from_raw_parts(c.members, c.count) };
            for m in members {
                let of = resolve(m.ty, table).filter(|&id| id != TypeId::UNKNOWN);
                // SAFETY: by the caller; an image has the size of the struct.
                let made = unsafe { member(m, of.ok_or_else(foreign)?, c.size) };
                ty.members
                    .push(made.map_err(|member| ImportError::Bits { index, member })?);
            }
        }
        list.push(ty);
    }
    UnnamedMembers::new(table, &ids, &mut list).place();
    for (&id, ty) in ids.iter().zip(list) {
        batch.define(id, ty);
    }
    for (index, id) in table.commit(batch)?.into_iter().enumerate() {
        // SAFETY: as above, and nothing else accesses the descriptors.
        unsafe { (*types.add(index)).id = id.0 };
    }
    Ok(())
}

/// A member of type `ty` in a struct of so many bytes; or its name, if its bits are not as any field's.
///
/// # Safety
/// Its strings and its image are complete.
unsafe fn member(m: &pc3_member, ty: TypeId, bytes: usize) -> Result<Member, String> {
    // SAFETY: names are C strings.
    let name = unsafe { string(m.name) };
    let mut offset = m.offset as u64;
    let mut bits = None;
    if !m.bits.is_null() {
        // SAFETY: the image has the size of the struct.
        let image = unsafe { std::slice::from_raw_parts(m.bits, bytes) };
        let Some(found) = Bits::from_image(image, Endian::HOST) else {
            return Err(name);
        };
        offset = found.offset / 8;
        bits = Some(found);
    }
    let choice = (!m.choice.is_null()).then(|| {
        // SAFETY: a C string.
        let text = unsafe { string(m.choice) };
        // The compiler has read it before.
        Choice::parse(&text, &|_| None).ok().map(Arc::new)
    });
    Ok(Member {
        name,
        ty,
        offset,
        bits,
        choice: Chosen(choice.flatten()),
    })
}

/// Unnamed members, which are measured in the struct around them: each gets the extent of its own members.
struct UnnamedMembers<'a> {
    table: &'a TypeTable,
    list: &'a mut [Type],
    index: HashMap<TypeId, usize>,
    /// Of parts: where they begin in the struct around them, once that is known.
    starts: Vec<Option<u64>>,
    is_part: Vec<bool>,
}

impl<'a> UnnamedMembers<'a> {
    fn new(table: &'a TypeTable, ids: &[TypeId], list: &'a mut [Type]) -> Self {
        let is_part = |t: &Type| t.kind.is_record() && t.flags & PART != 0;
        UnnamedMembers {
            table,
            index: ids.iter().enumerate().map(|(i, id)| (*id, i)).collect(),
            starts: vec![None; list.len()],
            is_part: list.iter().map(is_part).collect(),
            list,
        }
    }

    fn place(mut self) {
        for i in 0..self.list.len() {
            if self.is_part[i] {
                self.start(i);
            } else {
                self.inner(i);
            }
        }
    }

    /// Where the parts begin that are members of this type.
    fn inner(&mut self, i: usize) {
        for k in 0..self.list[i].members.len() {
            let part = self.index.get(&self.list[i].members[k].ty).copied();
            if let Some(part) = part.filter(|p| self.is_part[*p]) {
                self.list[i].members[k].offset = self.start(part);
            }
        }
    }

    /// Cuts a part down to what its members take; returns where that begins.
    fn start(&mut self, i: usize) -> u64 {
        if let Some(start) = self.starts[i] {
            return start;
        }
        // Parts do not contain themselves; what else a table might say is found when it is committed.
        self.starts[i] = Some(0);
        self.inner(i);
        let size = |id: TypeId| match self.index.get(&id) {
            Some(k) => self.list[*k].size,
            None => self.table.get(id).size,
        };
        let extent = |m: &Member| match m.bits {
            Some(bits) => bits.bytes(),
            None => m.offset..m.offset.saturating_add(size(m.ty)),
        };
        let extents: Vec<_> = self.list[i].members.iter().map(extent).collect();
        let start = extents.iter().map(|e| e.start).min().unwrap_or(0);
        let end = extents.iter().map(|e| e.end).max().unwrap_or(0);
        let part = &mut self.list[i];
        (part.size, part.flags) = (end - start, part.flags & !PART);
        for m in &mut part.members {
            m.offset -= start;
            if let Some(bits) = &mut m.bits {
                bits.offset -= 8 * start;
            }
        }
        self.starts[i] = Some(start);
        start
    }
}
