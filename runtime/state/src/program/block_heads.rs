//! Memory with a head of the program's in front of what was asked for (pc3cc's `portability/heap/headed`): its type is a struct
//! of the head's members that ends in an array of what the caller wants.

use std::collections::HashMap;
use std::ffi::c_uint;
use std::ptr::null_mut;

use pc3_typemetric::descriptor::{pc3_head, pc3_site, pc3_type};
use pc3_typemetric::types::{Chosen, Kind, Member, Type, TypeError, TypeId, TypeTable};

use crate::stack::frames::text;

/// By the head's row, and the type behind it.
pub type Sites = HashMap<(usize, u32), usize>;

/// What units say, once types have been imported.
#[derive(Debug, Default)]
pub struct Heads {
    heads: Vec<Row>,
    wanted: Vec<TypeId>,
}

#[derive(Debug)]
struct Row {
    at: usize,
    ty: TypeId,
    offset: u64,
    counts: Vec<String>,
}

impl Heads {
    /// # Safety
    /// A row of a unit's table; its types have been imported.
    pub unsafe fn add(&mut self, row: &pc3_head) {
        // SAFETY: by the caller.
        let id = |t: *const pc3_type| unsafe { t.as_ref() }.map(|t| TypeId(t.id));
        self.wanted.extend(id(row.wanted));
        if let Some(ty) = id(row.ty) {
            let counts = text(row.counts).into_owned();
            self.heads.push(Row {
                at: std::ptr::from_ref(row) as usize,
                ty,
                offset: row.offset as u64,
                counts: counts.lines().map(str::to_owned).collect(),
            });
        }
    }

    /// A type and a site for each head with each type behind it.
    pub fn join(
        mut self,
        types: &mut TypeTable,
        descriptors: &mut HashMap<TypeId, *mut pc3_type>,
    ) -> Result<Sites, TypeError> {
        let mut all = Sites::new();
        self.wanted.sort_unstable_by_key(|t| t.0);
        self.wanted.dedup();
        for head in &self.heads {
            for behind in &self.wanted {
                let ty = head.with(types, *behind)?;
                let id = types.add(ty)?;
                // They live as long as the program.
                let ty: *mut pc3_type = Box::leak(Box::new(descriptor(id)));
                descriptors.insert(id, ty);
                let site = Box::leak(Box::new(pc3_site {
                    ty,
                    file: std::ptr::null(),
                    line: 0,
                    head: null_mut(),
                }));
                all.insert((head.at, behind.0), std::ptr::from_mut(site) as usize);
            }
        }
        Ok(all)
    }
}

impl Row {
    fn with(&self, types: &mut TypeTable, behind: TypeId) -> Result<Type, TypeError> {
        let (head, of) = (types.get(self.ty).clone(), types.get(behind).clone());
        let align = head.align.max(of.align);
        let mut members = Vec::new();
        for m in head.members.iter().filter(|m| m.offset < self.offset) {
            let mut m = m.clone();
            if self.counts.contains(&m.name) && types.get(m.ty).kind.is_integer() {
                let mut count = types.get(m.ty).clone();
                count.flags = match count.is_signed(types.abi()) {
                    true => pc3_typemetric::types::SIGNED,
                    false => 0,
                };
                count.kind = Kind::Bytes;
                count.elem = behind;
                count.name = String::new();
                m.ty = types.add(count)?;
            }
            members.push(m);
        }
        let rest = types.add(Type::array(behind, of.size, of.align, 0))?;
        members.push(Member {
            name: "behind it".into(),
            ty: rest,
            offset: self.offset,
            bits: None,
            choice: Chosen::default(),
        });
        Ok(Type {
            kind: Kind::Struct,
            flags: 0,
            align,
            size: self.offset.next_multiple_of(u64::from(align.max(1))),
            count: members.len() as u64,
            elem: TypeId::UNKNOWN,
            members,
            name: format!(
                "{} behind {}",
                types.describe(behind),
                types.describe(self.ty)
            ),
        })
    }
}

/// Of generated code only its number is asked.
fn descriptor(id: TypeId) -> pc3_type {
    pc3_type {
        id: id.0 as c_uint,
        kind: 0,
        flags: 0,
        align: 0,
        size: 0,
        count: 0,
        elem: null_mut(),
        members: std::ptr::null(),
        name: std::ptr::null(),
    }
}
