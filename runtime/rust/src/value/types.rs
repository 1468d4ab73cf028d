//! Types of Rust values as checkpoints describe them.
//!
//! Layouts are the same on every host (natural alignment, 64-bit pointers and sizes), so only the order of bytes
//! differs between checkpoints.  They have nothing to do with rustc's layouts.

use std::any::TypeId as RustType;
use std::collections::HashMap;

use pc3_typemetric::types::{Chosen, Kind, Member, Type, TypeError, TypeTable};
use pc3_typemetric::Batch;

use crate::value::Checkpointable;

pub use pc3_typemetric::types::TypeId;

/// Offsets of the members of a struct, its size and alignment, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Layout<const N: usize> {
    pub offsets: [u64; N],
    pub size: u64,
    pub align: u64,
}

/// Lays members of these sizes and alignments out one after the other.
pub const fn layout<const N: usize>(members: [(u64, u64); N]) -> Layout<N> {
    let mut offsets = [0; N];
    let (mut end, mut align, mut i) = (0u64, 1, 0);
    while i < N {
        offsets[i] = end.next_multiple_of(members[i].1);
        end = offsets[i] + members[i].0;
        if members[i].1 > align {
            align = members[i].1;
        }
        i += 1;
    }
    Layout {
        offsets,
        size: end.next_multiple_of(align),
        align,
    }
}

/// Size and alignment of what one of several values may take.
pub const fn widest<const N: usize>(members: [(u64, u64); N]) -> (u64, u64) {
    let (mut size, mut align, mut i) = (0u64, 1, 0);
    while i < N {
        if members[i].0 > size {
            size = members[i].0;
        }
        if members[i].1 > align {
            align = members[i].1;
        }
        i += 1;
    }
    (size.next_multiple_of(align), align)
}

/// The types that occur in a checkpoint that is being written; their ids are good until they are entered into a table.
#[derive(Default)]
pub struct Types {
    batch: Batch,
    known: HashMap<RustType, TypeId>,
    names: HashMap<TypeId, String>,
}

impl Types {
    /// The id of `T`, which `define` describes when it first occurs.
    pub(crate) fn once<T: 'static>(
        &mut self,
        name: String,
        define: impl FnOnce(&mut Types, String) -> Type,
    ) -> TypeId {
        if let Some(id) = self.known.get(&RustType::of::<T>()) {
            return *id;
        }
        let id = self.batch.declare();
        // Before it is defined: types refer to themselves.
        self.known.insert(RustType::of::<T>(), id);
        self.names.insert(id, name.clone());
        let ty = define(self, name);
        self.batch.define(id, ty);
        id
    }

    fn unnamed(&mut self, ty: Type) -> TypeId {
        let id = self.batch.declare();
        self.batch.define(id, ty);
        id
    }

    pub(crate) fn pointer(&mut self, to: TypeId) -> TypeId {
        self.unnamed(Type {
            elem: to,
            ..Type::scalar(Kind::Pointer, "", 8, 8, 0)
        })
    }

    /// A type of pointers to `to`.
    pub(crate) fn pointer_type<P: 'static>(&mut self, name: &str, to: TypeId) -> TypeId {
        let name = format!("{name}<{}>", self.name(to));
        self.once::<P>(name, |_, _| Type {
            elem: to,
            ..Type::scalar(Kind::Pointer, "", 8, 8, 0)
        })
    }

    pub(crate) fn array<A: 'static>(
        &mut self,
        item: TypeId,
        size: u64,
        align: u64,
        n: u64,
    ) -> TypeId {
        let name = format!("[{}; {n}]", self.name(item));
        self.once::<A>(name, |_, _| Type::array(item, size, align as u16, n))
    }

    /// A scalar by its Rust name.
    pub(crate) fn scalar<T: 'static>(&mut self, kind: Kind, name: &str, size: u64) -> TypeId {
        self.once::<T>(name.to_owned(), |_, name| {
            Type::scalar(kind, &name, size, size as u16, 0)
        })
    }

    /// A struct; members are (name, type, offset).
    pub fn record<T: Checkpointable>(
        &mut self,
        name: String,
        members: impl FnOnce(&mut Types) -> Vec<(String, TypeId, u64)>,
    ) -> TypeId {
        self.once::<T>(name, |types, name| {
            let members = members(types);
            aggregate(Kind::Struct, name, T::SIZE, T::ALIGN, members)
        })
    }

    /// The struct of a frame's live values.
    pub(crate) fn frame(
        &mut self,
        position: &str,
        size: u64,
        align: u64,
        members: Vec<(String, TypeId, u64)>,
    ) -> TypeId {
        let ty = aggregate(Kind::Struct, position.to_owned(), size, align, members);
        self.unnamed(ty)
    }

    /// An enum: a number that says which variant it is, and a union of the variants' structs.
    /// Variants are (name, members, size, alignment).
    pub fn variants<T: Checkpointable>(
        &mut self,
        name: String,
        variants: impl FnOnce(&mut Types) -> Vec<Variant>,
    ) -> TypeId {
        self.once::<T>(name, |types, name| {
            let variants = variants(types);
            let tag = types.scalar::<u32>(Kind::UInt, "u32", 4);
            let (mut size, mut align) = (0, 1);
            let mut members = Vec::new();
            for v in variants {
                size = size.max(v.size);
                align = align.max(v.align);
                let of = format!("{name}::{}", v.name);
                let ty = aggregate(Kind::Struct, of, v.size, v.align, v.members);
                members.push((v.name, types.unnamed(ty), 0));
            }
            let union = aggregate(
                Kind::Union,
                String::new(),
                size.next_multiple_of(align),
                align,
                members,
            );
            let at = T::ALIGN.max(4);
            let union = types.unnamed(union);
            let members = vec![(VARIANT.to_owned(), tag, 0), (VALUE.to_owned(), union, at)];
            aggregate(Kind::Struct, name, T::SIZE, T::ALIGN, members)
        })
    }

    /// The Rust name of a described type.
    pub fn name(&self, id: TypeId) -> String {
        self.names.get(&id).cloned().unwrap_or_default()
    }

    /// Enters all types into a table; the function gives their ids there.
    pub(crate) fn commit(
        self,
        table: &mut TypeTable,
    ) -> Result<impl Fn(TypeId) -> TypeId, TypeError> {
        let ids = table.commit(self.batch)?;
        Ok(move |id: TypeId| ids[(id.0 & !(1 << 31)) as usize])
    }
}

/// Members of an enum's struct.
pub(crate) const VARIANT: &str = "variant";
pub(crate) const VALUE: &str = "value";

/// One variant of an enum.
pub struct Variant {
    pub name: String,
    pub members: Vec<(String, TypeId, u64)>,
    pub size: u64,
    pub align: u64,
}

fn aggregate(
    kind: Kind,
    name: String,
    size: u64,
    align: u64,
    members: Vec<(String, TypeId, u64)>,
) -> Type {
    let member = |(name, ty, offset)| Member {
        name,
        ty,
        offset,
        bits: None,
        choice: Chosen::default(),
    };
    Type {
        count: members.len() as u64,
        members: members.into_iter().map(member).collect(),
        ..Type::scalar(kind, &name, size, align as u16, 0)
    }
}
