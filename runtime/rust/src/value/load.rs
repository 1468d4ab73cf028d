//! Making values again from a checkpoint, whatever host wrote it.

use std::any::{type_name, Any, TypeId as RustType};
use std::cell::RefCell;
use std::collections::HashMap;

use pc3_runtime::guest::Source;
use pc3_typemetric::abi::Endian;
use pc3_typemetric::types::{Kind, Type};

use super::deep::Stacks;
use super::save::BASE;
use super::types::{TypeId, VALUE, VARIANT};
use crate::value::Checkpointable;

/// Why a value cannot be made again, and where in the variable it is.
#[derive(Debug)]
pub struct LoadError {
    path: String,
    what: String,
}

impl LoadError {
    pub fn new(what: impl Into<String>) -> LoadError {
        LoadError {
            path: String::new(),
            what: what.into(),
        }
    }

    /// The same, seen from the value that holds it.
    #[must_use]
    pub fn within(mut self, step: &str) -> LoadError {
        self.path.insert_str(0, step);
        self
    }
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.what)
    }
}

/// Bytes of a value of a type of the checkpoint's program.
#[derive(Clone, Copy)]
pub struct View<'s> {
    pub ty: TypeId,
    pub bytes: &'s [u8],
}

impl View<'_> {
    /// The value is not what the program has there now.
    pub fn not<T>(&self, from: &Loading) -> LoadError {
        LoadError::new(format!(
            "was {} in the checkpoint, and is {} here",
            from.name(self.ty),
            type_name::<T>()
        ))
    }
}

/// A shared value, or the start of one that is being made.
type Shared = HashMap<(u64, RustType), Box<dyn Any>>;

/// A rank's part of a checkpoint from which values are made.
pub struct Loading {
    pub(crate) source: Source,
    shared: RefCell<Shared>,
    stacks: Stacks,
}

impl Loading {
    pub(crate) fn new(source: Source) -> Loading {
        Loading {
            source,
            shared: RefCell::default(),
            stacks: Stacks::default(),
        }
    }

    pub(crate) fn ty(&self, ty: TypeId) -> &Type {
        self.source.types.get(ty)
    }

    pub fn name(&self, ty: TypeId) -> String {
        let t = self.ty(ty);
        match t.kind {
            Kind::Pointer => format!("a pointer to {}", self.name(t.elem)),
            Kind::Array => format!("[{}; {}]", self.name(t.elem), t.count),
            _ if t.name.is_empty() => "a group of values".to_owned(),
            _ => t.name.clone(),
        }
    }

    fn big(&self) -> bool {
        self.source.types.abi().endian == Endian::Big
    }

    /// Is the checkpoint's order of bytes this host's?
    pub fn native(&self) -> bool {
        self.big() == cfg!(target_endian = "big")
    }

    /// The bytes of a number of kind `name`, in this host's order.
    pub fn number<T, const N: usize>(
        &self,
        value: View,
        kind: Kind,
        name: &str,
    ) -> Result<[u8; N], LoadError> {
        let t = self.ty(value.ty);
        match <[u8; N]>::try_from(value.bytes) {
            Ok(mut bytes) if t.kind == kind && t.name == name => {
                if !self.native() {
                    bytes.reverse();
                }
                Ok(bytes)
            }
            _ => Err(value.not::<T>(self)),
        }
    }

    /// The object at an address; none for null.
    fn object(&self, address: u64) -> Result<Option<View<'_>>, LoadError> {
        if address == 0 {
            return Ok(None);
        }
        let list = &self.source.image.meta.large;
        let found = list.binary_search_by_key(&address, |l| l.base);
        let found = found.map_err(|_| LoadError::new("leads to no object of the checkpoint"))?;
        let object = list[found];
        debug_assert!(address >= BASE);
        Ok(Some(View {
            ty: object.ty,
            bytes: self.source.image.bytes(object.data),
        }))
    }

    fn address(&self, bytes: &[u8]) -> Result<u64, LoadError> {
        let mut eight = <[u8; 8]>::try_from(bytes).map_err(|_| LoadError::new("is no pointer"))?;
        if !self.native() {
            eight.reverse();
        }
        Ok(u64::from_ne_bytes(eight))
    }

    /// What a pointer leads to, and its address.
    pub fn follow(&self, value: View) -> Result<Option<(u64, View<'_>)>, LoadError> {
        if self.ty(value.ty).kind != Kind::Pointer {
            return Err(LoadError::new("is no pointer"));
        }
        let address = self.address(value.bytes)?;
        Ok(self.object(address)?.map(|view| (address, view)))
    }

    /// Members of a struct called `name`.
    pub fn members<'s, T>(&'s self, value: View<'s>, name: &str) -> Result<Members<'s>, LoadError> {
        let t = self.ty(value.ty);
        if t.kind != Kind::Struct || t.name != name || t.size != value.bytes.len() as u64 {
            return Err(value.not::<T>(self));
        }
        Ok(Members { from: self, value })
    }

    /// Members of a struct called `name<…>`.
    pub fn generic<'s, T>(&'s self, value: View<'s>, name: &str) -> Result<Members<'s>, LoadError> {
        let found = &self.ty(value.ty).name;
        if found.split('<').next() != Some(name) {
            return Err(value.not::<T>(self));
        }
        self.members::<T>(value, found)
    }

    /// The value of a variant that has none.
    pub(crate) fn nothing<T: Any>(&self) -> Result<T, LoadError> {
        let nothing: Box<dyn Any> = Box::new(());
        let value = nothing.downcast::<T>();
        value
            .map(|v| *v)
            .map_err(|_| LoadError::new("has no value"))
    }

    /// Name and members of the variant of an enum called `name`.
    pub fn variant<'s, T>(
        &'s self,
        value: View<'s>,
        name: &str,
    ) -> Result<(&'s str, Members<'s>), LoadError> {
        let members = self.members::<T>(value, name)?;
        let wrong = || value.not::<T>(self);
        let tag = u32::load(self, members.get(VARIANT).ok_or_else(wrong)?)?;
        let union = members.get(VALUE).ok_or_else(wrong)?;
        let variants = &self.ty(union.ty).members;
        let variant = variants.get(tag as usize).ok_or_else(wrong)?;
        let size = self.ty(variant.ty).size as usize;
        let value = View {
            ty: variant.ty,
            bytes: union.bytes.get(..size).ok_or_else(wrong)?,
        };
        Ok((&variant.name, Members { from: self, value }))
    }

    /// Values one after the other, one by one.
    pub(crate) fn each<T: Checkpointable>(&self, values: View) -> Result<Vec<T>, LoadError> {
        // As they were: a struct's fields may have become more.
        let size = self.ty(values.ty).size as usize;
        if size == 0 || values.bytes.len() % size != 0 {
            return Err(values.not::<T>(self));
        }
        let each = values.bytes.chunks_exact(size).enumerate();
        let one = |(i, bytes)| {
            T::load(self, View { bytes, ..values }).map_err(|e| e.within(&format!("[{i}]")))
        };
        each.map(one).collect()
    }

    /// Structs called `name`, or groups (`(`), one after the other, of members that lead nowhere: `make` gets some of them at
    /// a time.
    pub fn columns<T: Checkpointable>(
        &self,
        values: View,
        name: &str,
        known: &[&str],
        mut make: impl FnMut(&Columns) -> Result<Vec<T>, LoadError>,
    ) -> Result<Vec<T>, LoadError> {
        let t = self.ty(values.ty);
        let size = t.size as usize;
        let named = t.name == name || name == "(" && t.name.starts_with(name);
        let right = t.kind == Kind::Struct
            && named
            && t.members.iter().all(|m| known.contains(&&m.name[..]));
        if !T::FLAT || !right || size == 0 || values.bytes.len() % size != 0 {
            return self.each(values);
        }
        let mut list = Vec::with_capacity(values.bytes.len() / size);
        for bytes in values.bytes.chunks(size * ROWS) {
            let part = Columns {
                from: self,
                rows: View { bytes, ..values },
                size,
            };
            match make(&part) {
                Ok(made) => list.extend(made),
                // One by one it is said which of them it is.
                Err(_) => return self.each(values),
            }
        }
        Ok(list)
    }

    /// The members of structs one after the other, if these are called `name` or `name<…>` and consist of nothing but such
    /// members, all of one type.
    pub(crate) fn joined<'v>(
        &self,
        values: View<'v>,
        name: &str,
        members: &[&str],
    ) -> Option<View<'v>> {
        let t = self.ty(values.ty);
        let first = t.members.first()?;
        let size = self.ty(first.ty).size;
        let found = t.kind == Kind::Struct && t.name.split('<').next() == Some(name);
        let same = t.members.len() == members.len()
            && t.members
                .iter()
                .zip(members)
                .enumerate()
                .all(|(i, (m, name))| {
                    m.name == *name && m.ty == first.ty && m.offset == i as u64 * size
                });
        (found && same && t.size == size * members.len() as u64).then_some(View {
            ty: first.ty,
            ..values
        })
    }

    /// Makes what a pointer leads to, however many there are in a row.
    pub(crate) fn behind<T: Checkpointable>(&self, value: View) -> Result<T, LoadError> {
        self.stacks.run(size_of::<T>(), || T::load(self, value))
    }

    /// The shared value at an address, if it has been begun.
    pub(crate) fn known<T: Any + Clone>(&self, address: u64) -> Option<T> {
        let shared = self.shared.borrow();
        let found = shared.get(&(address, RustType::of::<T>()))?;
        found.downcast_ref::<T>().cloned()
    }

    pub(crate) fn remember<T: Any>(&self, address: u64, value: T) {
        let key = (address, RustType::of::<T>());
        self.shared.borrow_mut().insert(key, Box::new(value));
    }
}

/// So many structs are made at a time: their members stay in the processor's cache.
const ROWS: usize = 1024;

/// Some structs of a checkpoint, one after the other.
pub struct Columns<'s> {
    from: &'s Loading,
    rows: View<'s>,
    size: usize,
}

impl Columns<'_> {
    /// How many.
    pub fn count(&self) -> usize {
        self.rows.bytes.len() / self.size
    }

    /// This member of each.
    pub fn load<T: Checkpointable>(&self, name: &str) -> Result<std::vec::IntoIter<T>, LoadError> {
        let t = self.from.ty(self.rows.ty);
        let member = t.members.iter().find(|m| m.name == name);
        let member = member.ok_or_else(missing)?;
        let (at, size) = (
            member.offset as usize,
            self.from.ty(member.ty).size as usize,
        );
        if at + size > self.size {
            return Err(missing());
        }
        let rows = self.rows.bytes.chunks_exact(self.size);
        let bytes = match size {
            1 => gathered::<1>(rows, at),
            2 => gathered::<2>(rows, at),
            4 => gathered::<4>(rows, at),
            8 => gathered::<8>(rows, at),
            _ => rows.flat_map(|row| &row[at..at + size]).copied().collect(),
        };
        let view = View {
            ty: member.ty,
            bytes: &bytes,
        };
        Ok(T::load_all(self.from, view)?.into_iter())
    }

    /// Likewise, or another value if the checkpoint does not have it.
    pub fn load_or<T: Checkpointable>(
        &self,
        name: &str,
        or: impl Fn() -> T,
    ) -> Result<std::vec::IntoIter<T>, LoadError> {
        let t = self.from.ty(self.rows.ty);
        match t.members.iter().any(|m| m.name == name) {
            true => self.load(name),
            false => Ok((0..self.count())
                .map(|_| or())
                .collect::<Vec<_>>()
                .into_iter()),
        }
    }
}

fn gathered<const N: usize>(rows: std::slice::ChunksExact<u8>, at: usize) -> Vec<u8> {
    let mut bytes = vec![0; rows.len() * N];
    for (to, row) in bytes.chunks_exact_mut(N).zip(rows) {
        to.copy_from_slice(&row[at..at + N]);
    }
    bytes
}

/// What there are fewer of than structs.
pub fn missing() -> LoadError {
    LoadError::new("is not in the checkpoint")
}

/// Members of a struct in a checkpoint.
#[derive(Clone, Copy)]
pub struct Members<'s> {
    from: &'s Loading,
    value: View<'s>,
}

impl<'s> Members<'s> {
    pub(crate) fn of(from: &'s Loading, value: View<'s>) -> Members<'s> {
        Members { from, value }
    }

    pub fn get(&self, name: &str) -> Option<View<'s>> {
        let t = self.from.ty(self.value.ty);
        let member = t.members.iter().find(|m| m.name == name)?;
        let size = self.from.ty(member.ty).size as usize;
        let start = member.offset as usize;
        Some(View {
            ty: member.ty,
            bytes: self.value.bytes.get(start..start + size)?,
        })
    }

    pub fn names(&self) -> impl Iterator<Item = &'s str> {
        let t = self.from.ty(self.value.ty);
        t.members.iter().map(|m| m.name.as_str())
    }

    /// The member's value; one that the checkpoint does not have is refused.
    pub fn load<T: Checkpointable>(&self, name: &str) -> Result<T, LoadError> {
        match self.get(name) {
            Some(view) => T::load(self.from, view).map_err(|e| e.within(&format!(".{name}"))),
            None => Err(LoadError::new("is not in the checkpoint").within(&format!(".{name}"))),
        }
    }

    /// The member's value, or another one if the checkpoint does not have it.
    pub fn load_or<T: Checkpointable>(
        &self,
        name: &str,
        or: impl FnOnce() -> T,
    ) -> Result<T, LoadError> {
        match self.get(name) {
            Some(_) => self.load(name),
            None => Ok(or()),
        }
    }

    /// The items that a pointer leads to, of which there are as many as another member says.
    pub fn list<T: Checkpointable>(
        &self,
        pointer: &str,
        length: &str,
    ) -> Result<Vec<T>, LoadError> {
        let length: u64 = self.load(length)?;
        let missing = || LoadError::new("is not in the checkpoint").within(&format!(".{pointer}"));
        let pointer = self.get(pointer).ok_or_else(missing)?;
        let list = match self.from.follow(pointer)? {
            Some((_, view)) => {
                let all = || T::load_all(self.from, view);
                self.from.stacks.run(size_of::<T>(), all)?
            }
            // Items without size.
            None => {
                let view = View {
                    ty: self.from.ty(pointer.ty).elem,
                    bytes: &[],
                };
                let all = (0..length).map(|_| T::load(self.from, view));
                all.collect::<Result<_, _>>()?
            }
        };
        if list.len() as u64 != length {
            return Err(LoadError::new("has another length than its items"));
        }
        Ok(list)
    }

    /// Nothing but these may be there: what the program does not know any more would be lost.
    pub fn only(&self, known: &[&str]) -> Result<(), LoadError> {
        match self.names().find(|n| !known.contains(n)) {
            Some(other) => {
                Err(LoadError::new("exists only in the checkpoint").within(&format!(".{other}")))
            }
            None => Ok(()),
        }
    }
}
